#!/usr/bin/env python3
"""`fathom tune`: the best algorithm of the library for every size, its files, and their proof."""

import json
import os
import re
import signal
import subprocess

import support
from support import BAD_INPUT, DONE, INTERRUPTED, NOT_MEASURED, FathomTest

SIZES = (8, 1024, 32768, 524288)
GIVEN = ("--platform", "pure-16", "-n", "8", "--sizes", ",".join(map(str, SIZES)))


@support.needs("smpi")
class Simulated(FathomTest):
    def tuned(self, *words):
        return self.fathom("tune", *words, "--json", "--quiet", status=DONE, timeout=300).json

    def test_the_best_is_found_without_measuring_everything(self):
        tuned, = self.tuned("allgather", *GIVEN)["operations"]
        self.assertTrue(tuned["finished"])
        self.assertLess(tuned["points_measured"], tuned["points_all"])
        ways = [way for way in tuned["implementations"] if way not in tuned["dropped"]]
        truth = {}
        for way in ways:
            for point in self.run_json("allgather", *GIVEN, "--reps", 3, "--via", way)["points"]:
                truth.setdefault(point["size_bytes"], {})[way] = point["median_ns"]
        found = {at["size_bytes"]: at for at in tuned["sizes"]}
        self.assertLessEqual(set(SIZES), set(found))
        for size in SIZES:
            best = found[size]["best"]["implementation"] if found[size]["speedup"] > 1 else "library"
            with self.subTest(size, best=best):
                self.assertLessEqual(truth[size][best], 1.02 * min(truth[size].values()))
        for proposal in tuned["proposals"]:
            self.assertGreaterEqual(proposal["least_speedup"], 1.03)
            self.assertLessEqual(proposal["first_bytes"], proposal["last_bytes"])

    def test_every_operation_and_number_of_processes_is_tuned_and_nothing_is_written(self):
        result = self.fathom("tune", "bcast", "barrier", "--platform", "pure-16", "-n", "4,6", "--sizes", "8,64k", "--quiet",
                             status=DONE, timeout=300)
        for heading in ("bcast, 4 processes", "bcast, 6 processes", "barrier, 4 processes", "barrier, 6 processes"):
            self.assertIn(heading, result.stdout)
        self.assertIn("No file for the library: a simulation reads none.", " ".join(result.stdout.split()))
        self.assertEqual([path.name for path in self.dir.iterdir() if path.name.startswith("tuned")], ["tuned-smpi.tuning.json"])
        self.fathom("tune", "report", "tuned-smpi.tuning.json", "-o", "page.html", status=DONE)
        self.assertIn("names no files of a library", self.fathom("tune", "--prove", "tuned-smpi.tuning.json", status=BAD_INPUT).stderr)

    def test_an_algorithm_that_gives_wrong_data_harms_no_other(self):
        """smp_rsag of SimGrid 3.32 writes where it should not with processes that share hosts; what runs behind it in a job dies."""
        tuned, = self.tuned("allreduce", "--platform", "smp-32x2", "-n", "32", "--sizes", "8,32k", "--no-files")["operations"]
        self.assertIn("library:smp_rsag", tuned["dropped"])
        for sound in ("library:rdb", "library:smp_rdb", "library:rab1", "library:mvapich2", "library:smp_binomial"):
            self.assertNotIn(sound, tuned["dropped"])
        self.assertEqual([at["size_bytes"] for at in tuned["sizes"] if at["size_bytes"] in (8, 32768)], [8, 32768])

    def test_an_interrupted_tuning_goes_on_where_it_was(self):
        running = self.start("tune", "alltoall", *GIVEN)
        running.wait_for(r"^alltoall, 8 processes, round 2 ")
        os.kill(running.pid, signal.SIGINT)
        result = running.finish(60)
        self.assertEqual(result.status, INTERRUPTED, result)
        self.assertIn("the same command with --resume goes on", result.stderr)
        resumed, = self.tuned("alltoall", *GIVEN, "--resume")["operations"]
        self.assertTrue(resumed["finished"])
        rows = self.fathom("list", "runs", "--json", status=DONE).json["rows"]
        self.assertEqual(len(rows), resumed["rounds"], "a round that was stored is not measured again")
        fresh, = self.tuned("alltoall", *GIVEN, "--db", "fresh.db")["operations"]
        self.assertEqual(resumed["sizes"], fresh["sizes"])

    def test_what_cannot_be_tuned_is_refused(self):
        for words, said in ((("pingpong",), "pingpong has no algorithms to choose from"),
                            (("bcast", "--sizes", "8:1M:auto"), "take fixed values"),
                            (("bcast", "--parameter", "segmentsize"), "--parameter takes NAME=VALUE"),
                            (("bcast", "--parameter", "segmentsze=1"), "no algorithm here takes the parameter 'segmentsze'"),
                            (("bcast", "--resume"), "no search with these settings"),
                            (("bcast", "--prove", "missing.json"), "missing.json")):
            with self.subTest(words):
                refused = self.fathom("tune", *words, *(() if "--sizes" in words else ("--sizes", "8")), "--platform", "pure-16",
                                      "-n", "4", status=BAD_INPUT)
                self.assertIn(said, refused.stderr)


class Obeyed(FathomTest):
    """What the libraries do with files that have one rule, for an algorithm that is slow on any machine."""

    RULES = {"openmpi": ("library:pipeline+segmentsize=64", 16384, 65536, "OMPI_MCA_coll_tuned_dynamic_rules_filename"),
             "mpich": ("library:scatter_ring_allgather", 0, 512, "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE")}
    INSIDE = {"openmpi": 65536, "mpich": 8}
    OUTSIDE = 1 << 20

    def slower(self, flavour, procs):
        """How many times as long bcast of 2 processes takes inside and outside of a rule's sizes, with one for `procs`."""
        way, first, last, varied = self.RULES[flavour]
        offers = subprocess.run([*support.launcher_words(flavour, 1), support.probe(flavour), "--algorithms"],
                                capture_output=True, check=True, timeout=60, stdin=subprocess.DEVNULL).stdout
        words = [support.BUILD / "tests" / "write_rules", flavour, self.dir / "one", "bcast", procs, first, last, way]
        written = subprocess.run(list(map(str, words)), input=offers, capture_output=True, check=True, timeout=60).stdout.decode()
        variables = dict(line.split("=", 1) for line in written.splitlines())
        file = variables.pop(varied)
        points = self.run_json("bcast", *support.options_for(flavour), "-n", 2, "--sizes", f"{self.INSIDE[flavour]},{self.OUTSIDE}",
                               "--vary", f"env:{varied}=unset,{file}", "--budget", "6s", env=variables)["points"]
        times = {(point["size_bytes"], point["setting"].endswith("=unset")): point["median_ns"] for point in points}
        return [times[size, False] / times[size, True] for size in (self.INSIDE[flavour], self.OUTSIDE)]

    def check(self, flavour):
        def attempt():
            inside, outside = self.slower(flavour, 2)
            self.assertGreater(inside, 1.2)
            self.assertAlmostEqual(outside, 1, delta=0.2)
            for other in (3, 1) if flavour == "mpich" else (3,):
                inside, outside = self.slower(flavour, other)
                self.assertAlmostEqual(inside, 1, delta=0.19, msg=f"a rule for {other} processes")
                self.assertAlmostEqual(outside, 1, delta=0.19)

        support.undisturbed(attempt)

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
    def test_rounds_launch_no_more_than_there_is_time_for(self):
        """Of the budget, the first round has 8.4 s, a later one 5.6 s at most: 3 launches, and then 1, if each takes 3 s."""
        self.write("slowly", 'sleep 3\nexec "$@"\n')
        launcher = " ".join(["sh", str(self.dir / "slowly"), *support.launcher_words("mpich", 2)])
        self.fathom("tune", "bcast", "--mpi", "mpich", "-n", "2", "--sizes", "16k,64k,256k", "--launcher", launcher, "--runs", 5, "--reps", 10, "--budget",
                    "40s", "--no-files", "--quiet", env=self.slow("mpich"), status=DONE, timeout=200)
        cut = {}
        for row in self.fathom("list", "runs", "--json", status=DONE).json["rows"]:
            shown = self.fathom("show", row["run"], "--json", status=DONE).json
            cut[row["tags"]["round"]] = [one["text"] for one in shown["warnings"] if one["code"] == "few-launches"]
        self.assertTrue(cut.pop("bcast-2-1"), "not enough time for 5")
        self.assertGreater(len(cut), 0)
        self.assertEqual(set(map(len, cut.values())), {0}, cut)

    @support.needs("mpich")
    def test_too_little_time_is_called_that(self):
        said = self.fathom("tune", "bcast", "--mpi", "mpich", "-n", "2", "--sizes", "16k,64k", "--reps", 1, "--runs", 1, "--budget", "20s",
                           "--quiet", status=NOT_MEASURED, timeout=200).stderr
        self.assertIn("no point had enough repetitions for an interval; give a longer --budget, fewer --sizes or fewer launches (--runs).", said)

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
