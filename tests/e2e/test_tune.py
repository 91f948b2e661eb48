#!/usr/bin/env python3
"""`fathom tune`: the best algorithm of the library for every size, its files, and their proof."""

import json
import os
import re
import signal
import subprocess

import support
from support import BAD_INPUT, DONE, INTERRUPTED, FathomTest


class Obeyed(FathomTest):
    """What the libraries do with files that have one rule, seen from what happens inside their calls."""

    # An algorithm that the library does not choose by itself for these sizes, and what shows it.
    RULES = {"openmpi": ("library:pipeline+segmentsize=64", 16384, 65536, "pipelines"), "mpich": ("library:nb", 0, 512, "allocations")}
    INSIDE = {"openmpi": 65536, "mpich": 8}
    OUTSIDE = 1 << 20

    def follows(self, flavour, procs, size):
        """Whether a bcast of 2 processes is performed as a rule says that is there for `procs`."""
        way, first, last, sign = self.RULES[flavour]
        offers = subprocess.run([*support.launcher_words(flavour, 1), support.probe(flavour), "--algorithms"],
                                capture_output=True, check=True, timeout=60, stdin=subprocess.DEVNULL).stdout
        words = [support.BUILD / "tests" / "write_rules", flavour, self.dir / "one", "bcast", procs, first, last, way]
        written = subprocess.run(list(map(str, words)), input=offers, capture_output=True, check=True, timeout=60).stdout.decode()
        variables = dict(line.split("=", 1) for line in written.splitlines())
        seen = self.dir / "seen.json"
        self.run_json("bcast", *support.options_for(flavour), "-n", 2, "--sizes", size, "--reps", 20,
                      env={**variables, **support.overhearing(seen, count=size, rank=1)})
        heard = json.loads(seen.read_text(encoding="utf-8"))
        seen.unlink()
        self.assertGreaterEqual(heard["calls"], 20)
        return heard[sign] >= heard["calls"]

    def check(self, flavour):
        inside = self.INSIDE[flavour]
        self.assertTrue(self.follows(flavour, 2, inside))
        self.assertFalse(self.follows(flavour, 2, self.OUTSIDE))
        for other in (3, 1) if flavour == "mpich" else (3,):
            for size in (inside, self.OUTSIDE):
                self.assertFalse(self.follows(flavour, other, size), f"a rule for {other} processes, {size} B")

    @support.needs("openmpi")
    def test_open_mpi_follows_a_rule_for_its_communicators_and_sizes_alone(self):
        self.check("openmpi")

    @support.needs("mpich")
    def test_mpich_follows_a_rule_for_its_communicators_and_sizes_alone(self):
        self.check("mpich")


class Real(FathomTest):
    """A library whose own decision costs 3 ms more than any algorithm that is forced, so that there is something to gain on any
    machine."""

    CHOICES = {"openmpi": "coll_tuned_bcast_algorithm", "mpich": "MPIR_CVAR_BCAST_INTRA_ALGORITHM"}
    VARIABLES = {
        "openmpi": ["OMPI_MCA_coll_tuned_use_dynamic_rules", "OMPI_MCA_coll_tuned_dynamic_rules_filename"],
        "mpich": ["MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE", "MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE"]}

    def words(self, flavour, *more, sizes="16k,64k"):
        return ("tune", "bcast", *support.options_for(flavour), "-n", "2", "--sizes", sizes, "--reps", "30", "--runs", "2",
                "--budget", "20s", "--quiet", *more)

    def slow(self, flavour, **more):
        return support.meddling(slow_us=3000, choice=self.CHOICES[flavour], unless=self.VARIABLES[flavour][-1 if flavour == "openmpi" else 0],
                                **more)

    def tuned(self, flavour, *more, sizes="16k,64k", **meddled):
        return self.fathom(*self.words(flavour, *more, sizes=sizes), env=self.slow(flavour, **meddled), status=DONE, timeout=200).stdout

    @support.needs("mpich")
    def test_a_rule_with_which_data_are_wrong_is_taken_out(self):
        self.tuned("mpich", spoil_if=self.VARIABLES["mpich"][0], count=65536, rank=1)
        tuning = self.document("mpich")
        proposed = [proposal for proposal in tuning["operations"][0]["proposals"] if proposal["last_bytes"] >= 65536]
        self.assertEqual(proposed, [])
        self.assertEqual([(rule["operation"], rule["procs"], rule["size_bytes"]) for rule in tuning["failed_rules"]],
                         [("bcast", 2, 65536)])
        self.assertIn("wrong data", tuning["failed_rules"][0]["reason"])
        self.assertEqual(sorted(self.dir.glob("*.unproven*")), [])

    def document(self, flavour):
        return json.loads((self.dir / f"tuned-{flavour}.tuning.json").read_text(encoding="utf-8"))

    def check(self, flavour):
        support.undisturbed(lambda: self.check_once(flavour))

    def check_once(self, flavour):
        text = self.tuned(flavour)
        tuning = self.document(flavour)
        self.assertEqual((tuning["schema"], tuning["flavour"], tuning["hosts"], tuning["procs_per_host"]),
                         ("fathom.tune/1", flavour, 1, 2))
        self.assertEqual((tuning["taken_out"], tuning["failed_rules"]), ([], []), text)
        for choice in tuning["choices"]:
            self.assertEqual((choice["operation"], choice["procs"]), ("bcast", 2))
            self.assertTrue(0.03 <= choice["gain_ci95"][0] <= choice["gain"] <= choice["gain_ci95"][1] < 1, choice)
        chosen = [(choice["from_bytes"], choice["to_bytes"]) for choice in tuning["choices"]]
        self.assertTrue(all(any(first <= size <= last for first, last in chosen) for size in (16384, 65536)), chosen)
        names = [name for file in tuning["files"] for name in file["variables"]]
        self.assertEqual(sorted(names), sorted(self.VARIABLES[flavour]))
        for name in names:
            self.assertIn(f"export {name}=", text)
        for file in tuning["files"]:
            self.assertTrue((self.dir / file["path"]).exists(), file)
        for size in (16384, 65536):
            point, = (point for point in tuning["proof"] if point["size_bytes"] == size)
            self.assertLess(point["ratio_ci95"][1], 1, point)
            self.assertLessEqual(point["ratio_ci95"][0], point["ratio"])
        again = self.fathom("tune", "--prove", f"tuned-{flavour}.tuning.json", *support.options_for(flavour)[2:], "--reps", "30",
                            "--runs", "2", "--budget", "5s", "--json", "--quiet", env=self.slow(flavour), status=DONE, timeout=200)
        self.assertEqual(again.json["schema"], "fathom.proof/1")
        self.assertEqual(len(again.json["proof"]), len(tuning["proof"]))
        self.refuses_what_is_not_for_this_library(flavour, tuning)

    def refuses_what_is_not_for_this_library(self, flavour, tuning):
        for name, change, said in (("old.json", {"library": "Open MPI v1.0.0, package: x"}, r"for Open MPI v1\.0\.0, and .* runs here"),
                                   ("evil.json", {"files": [{"path": "x", "variables": {"LD_PRELOAD": "x"}}]}, r"LD_PRELOAD")):
            self.write(name, json.dumps({**tuning, **change}))
            refused = self.fathom("tune", "--prove", name, *support.options_for(flavour)[2:], status=BAD_INPUT)
            self.assertRegex(refused.stderr, said)

    @support.needs("openmpi")
    def test_files_of_open_mpi_are_written_and_proven(self):
        self.check("openmpi")
        numbers = re.sub(r"#.*", "", (self.dir / "tuned-openmpi.rules").read_text(encoding="utf-8")).split()
        self.assertEqual(numbers[:2], ["1", "7"], "one collective, bcast")
        self.refuses_to_tune_what_follows_rules()

    def refuses_to_tune_what_follows_rules(self):
        self.write("params.conf", f"coll_tuned_dynamic_rules_filename = {self.dir / 'tuned-openmpi.rules'}\n")
        refused = self.fathom(*self.words("openmpi"), env={"OMPI_MCA_mca_base_param_files": str(self.dir / "params.conf")},
                              status=BAD_INPUT)
        self.assertIn("the library takes its decisions from", refused.stderr)

    @support.needs("mpich")
    def test_files_of_mpich_are_written_and_proven(self):
        self.check("mpich")

    @support.needs("mpich")
    def test_files_of_an_earlier_tuning_go_where_a_later_one_proves_nothing(self):
        def written():
            return sorted(path.name for path in self.dir.glob("tuned-mpich*.json") if "tuning" not in path.name)

        def attempt():
            self.tuned("mpich")
            self.assertEqual(written(), ["tuned-mpich.device.json", "tuned-mpich.json"])

        support.undisturbed(attempt)
        # With wrong data wherever a file is in force, no rule stands.
        self.tuned("mpich", "--db", "later.db", sizes="64k", spoil_if=self.VARIABLES["mpich"][0], count=65536, rank=1)
        self.assertEqual((self.document("mpich")["files"], written()), ([], []))

    @support.needs("mpich")
    def test_an_interrupted_tuning_goes_on_and_is_proven(self):
        words = [word for word in self.words("mpich") if word != "--quiet"]
        running = self.start(*words, env=self.slow("mpich"))
        running.wait_for(r"^bcast, 2 processes, round 2 ")
        os.kill(running.pid, signal.SIGINT)
        self.assertEqual(running.finish(60).status, INTERRUPTED)
        self.assertFalse((self.dir / "tuned-mpich.json").exists())
        self.tuned("mpich", "--resume")
        self.assertEqual(self.document("mpich")["choices"] == [], not (self.dir / "tuned-mpich.json").exists())


if __name__ == "__main__":
    support.main()
