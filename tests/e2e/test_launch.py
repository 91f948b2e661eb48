#!/usr/bin/env python3
"""Launchers of the user's own, probes started by hand, and folders with awkward names."""

import json
import os
import shlex
import subprocess
import sys

import support
from support import DONE, NOT_MEASURED, FathomTest


class Launchers(FathomTest):
    def failed(self, launcher, *more, flavour="mpich", procs=2):
        result = self.fathom("run", "barrier", "bcast", "--sizes", "8", "--reps", "3", "--mpi", flavour, "-n", procs,
                             "--launcher", launcher, *more, status=NOT_MEASURED, env=support.may_run_openmpi())
        self.assertRegex(result.stderr, r"(?m)^fathom: ")
        shown = self.shown()
        self.assertEqual(len(shown["points"]), 2, "rows are there even so")
        self.assertNotIn("ok", [point["status"] for point in shown["points"]])
        self.assertEqual(shown["status"], "failed")
        self.assert_nothing_left("fathom.db")
        return result

    @support.needs("mpich")
    def test_one_that_does_not_exist(self):
        result = self.failed("no-such-launcher -n {n}")
        self.assertRegex(result.stderr, r"(?m)^fathom: cannot start 'no-such-launcher': No such file[^\n]*--launcher")

    @support.needs("mpich")
    def test_one_that_is_no_program(self):
        self.write("notes.txt", "hello\n")
        self.assertRegex(self.failed(f"{self.dir}/notes.txt").stderr, r"(?m)^fathom: cannot start '[^']*notes\.txt': Permission denied")

    @support.needs("mpich")
    def test_one_that_fails_at_once(self):
        self.write("fail.py", "import sys; print('the queue is closed'); sys.exit(1)\n")
        result = self.failed(f"{sys.executable} fail.py")
        self.assertRegex(result.stderr, r"(?m)^fathom: the launcher ended with exit status 1 .*the queue is closed.*before the first point")

    @support.needs("mpich")
    def test_one_that_does_nothing_and_is_content(self):
        result = self.failed("true")
        self.assertRegex(result.stderr, r"(?m)^fathom: the launcher ended with exit status 0.* before the first point")

    @support.needs("mpich")
    def test_one_that_dies_of_a_signal(self):
        self.write("die.py", "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)\n")
        self.assertRegex(self.failed(f"{sys.executable} die.py").stderr, r"(?m)^fathom: the launcher ended with signal 11 .*before the first point")

    def test_one_that_starts_another_number_of_processes(self):
        for flavour in support.flavours(*support.REAL):
            for procs, started in ((2, 1), (1, 2)):
                with self.subTest(flavour=flavour, procs=procs, started=started):
                    result = self.failed(shlex.join(support.launcher_words(flavour, started)), flavour=flavour, procs=procs)
                    self.assertRegex(result.stderr, rf"(?m)^fathom: .*the plan asks for {procs} processes, the launcher started {started}")

    @support.needs("mpich", "openmpi")
    def test_one_that_starts_the_probe_of_another_library(self):
        """Each process then believes that it is alone."""
        result = self.failed(shlex.join(support.launcher_words("mpich", "2")), flavour="openmpi")
        self.assertRegex(result.stderr, r"(?m)^fathom: .*the plan asks for 2 processes, the launcher started 1")

    def test_one_that_works(self):
        for flavour in support.flavours(*support.REAL):
            with self.subTest(flavour):
                launcher = shlex.join(support.launcher_words(flavour, "{n}")).replace("'{n}'", "{n}")
                document = self.run_json("barrier", "--mpi", flavour, "-n", "2", "--reps", "3", "--launcher", launcher,
                                         env=support.may_run_openmpi())
                self.assertEqual(document["points"][0]["status"], "ok")

    @support.needs("mpich")
    def test_words_in_quotes_stay_together(self):
        self.write("a b.py", "import subprocess, sys\nassert sys.argv[1] == 'one \"two\" three', sys.argv\n"
                             "sys.exit(subprocess.run(sys.argv[2:]).returncode)\n")
        launcher = f"""{sys.executable} 'a b.py' 'one "two" three' {support.launcher_words("mpich", 2)[0]} -n {{n}}"""
        self.assertEqual(self.run_json("barrier", "--mpi", "mpich", "-n", "2", "--reps", "3", "--launcher",
                                       launcher)["points"][0]["status"], "ok")

    @support.needs("mpich")
    def test_a_talkative_launcher_does_not_disturb(self):
        self.write("talk.py", "import subprocess, sys\nprint('bla ' * 500000)\nprint('bla ' * 500000, file=sys.stderr)\n"
                              "sys.exit(subprocess.run(sys.argv[1:]).returncode)\n")
        launcher = f"{sys.executable} talk.py {support.launcher_words('mpich', 2)[0]} -n {{n}}"
        result = self.fathom("run", "barrier", "--mpi", "mpich", "-n", "2", "--reps", "3", "--launcher", launcher,
                             "--json", status=DONE)
        self.assertEqual(json.loads(result.stdout)["points"][0]["status"], "ok")
        self.assertNotIn("bla bla", result.stderr)

    @support.needs("mpich")
    def test_processes_that_a_launcher_forgets_are_ended(self):
        self.write("forget.py", "import subprocess, sys\n"
                                "subprocess.Popen(['sleep', '600'], start_new_session=True)\nsys.exit(1)\n")
        self.failed(f"{sys.executable} forget.py")

    @support.needs("mpich")
    def test_a_launcher_that_ignores_being_asked_to_end_is_ended(self):
        self.write("stubborn.py", "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(600)\n")
        self.failed(f"{sys.executable} stubborn.py", "--point-timeout", "1")


class ByHand(FathomTest):
    def probe(self, flavour, procs, *words, env=None):
        done = subprocess.run([*support.launcher_words(flavour, procs), str(support.probe(flavour)), *map(str, words)],
                              cwd=self.dir, env=self.environment({**support.may_run_openmpi(), **(env or {})}), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=support.WAIT_S)
        return support.Result(["probe", *words], done.returncode, done.stdout, done.stderr)

    def plan(self, *more):
        return self.write("plan.toml", "\n".join(["operations = ['allreduce', 'barrier']", "sizes = [8, 64, 512]",
                                                  "reps = 20", "order = 'planned'", "label = 'by hand'", *more]) + "\n")

    def test_a_journal_is_collected(self):
        for flavour in support.flavours(*support.REAL):
            with self.subTest(flavour):
                self.plan()
                result = self.probe(flavour, 2, "plan.toml")
                self.assertEqual(result.status, 0, result)
                self.own_files.add("plan.toml.journal")
                document = self.run_json("--collect", "plan.toml.journal")
                self.assertEqual(support.points_of(document), [("allreduce", 2, 8), ("allreduce", 2, 64),
                                                               ("allreduce", 2, 512), ("barrier", 2, 0)])
                self.assertEqual({(point["status"], point["reps"]) for point in document["points"]}, {("ok", 20)})
                self.assertEqual((document["mpi"], document["label"], document["status"]), (flavour, "by hand", "done"))
                self.assertEqual(len(document["ranks"]), 2)
                self.assertTrue((self.dir / "plan.toml.journal").exists(), "it belongs to the user")
                self.assert_nothing_left("fathom.db")

    def test_a_journal_cut_short_is_collected_as_far_as_it_goes(self):
        flavour = support.a_real_flavour()
        self.plan()
        self.probe(flavour, 2, "plan.toml")
        self.own_files.update(("plan.toml.journal", "cut.journal"))
        records = list(support.journal_records(self.dir / "plan.toml.journal"))
        data = (self.dir / "plan.toml.journal").read_bytes()
        ends = [end for kind, _, end in records if kind == support.POINT_END]
        begins = [end for kind, _, end in records if kind == support.POINT_BEGIN]
        blocks = [end for kind, _, end in records if kind == support.SAMPLE_BLOCK]
        self.assertEqual(records[-1][2], len(data))
        cases = {"in the frame of the last record": (records[-2][2] + 5, 4), "before the last record": (records[-2][2], 4),
                 "after the first point": (ends[0], 1), "in the second point's begin": (begins[1] - 2, 1),
                 "after the second point's begin": (begins[1], 1), "in samples of the third point": (blocks[5] - 3, 2)}
        for where, (length, whole) in cases.items():
            with self.subTest(where):
                (self.dir / "cut.journal").write_bytes(data[:length])
                result = self.fathom("run", "--collect", "cut.journal", "--json", status=NOT_MEASURED)
                statuses = [point["status"] for point in result.json["points"]]
                self.assertEqual(len(statuses), 4)
                self.assertEqual(statuses[:whole], ["ok"] * whole)
                self.assertNotIn("ok", statuses[whole:])
                self.assertRegex(result.stderr, rf"(?m)^fathom: the probe did not finish.*\n +{whole} of 4 points are stored")
                if whole == 4:
                    self.assertNotIn("before the first point", result.stderr)
                elif "begin" in where and "after" in where or "samples" in where:
                    self.assertRegex(result.stderr, rf"while measuring allreduce, {(8, 64, 512)[whole]} bytes")

    def test_a_flipped_bit_ends_the_collection_there(self):
        flavour = support.a_real_flavour()
        self.plan()
        self.probe(flavour, 2, "plan.toml")
        self.own_files.update(("plan.toml.journal", "flipped.journal"))
        data = bytearray((self.dir / "plan.toml.journal").read_bytes())
        blocks = [end for kind, _, end in support.journal_records(self.dir / "plan.toml.journal") if kind == support.SAMPLE_BLOCK]
        data[blocks[3] - 5] ^= 0x10
        (self.dir / "flipped.journal").write_bytes(data)
        result = self.fathom("run", "--collect", "flipped.journal", "--json", status=NOT_MEASURED)
        statuses = [point["status"] for point in result.json["points"]]
        self.assertEqual((statuses[0], statuses[1] == "ok"), ("ok", False))

    def test_files_that_are_no_journal(self):
        self.write("notes.txt", "these are my notes, and they are long enough\n" * 5)
        self.write("empty.journal", "")
        self.write("head.journal", "fathom journal 2\n")
        for name in ("notes.txt", "empty.journal", "head.journal"):
            with self.subTest(name):
                self.assert_refused(self.fathom("run", "--collect", name), name.replace(".", r"\."))
                self.assert_nothing_left()

    def test_a_plan_with_a_mistake_is_told_by_the_probe(self):
        for flavour in support.flavours(*support.REAL):
            with self.subTest(flavour):
                self.plan("reps2 = 3")
                result = self.probe(flavour, 2, "plan.toml")
                self.assertNotEqual(result.status, 0)
                self.assertRegex(result.stderr + result.stdout, r"plan\.toml:6: no setting 'reps2'")
                result = self.probe(flavour, 2, "missing.toml")
                self.assertNotEqual(result.status, 0)
                self.assertRegex(result.stderr + result.stdout, r"missing\.toml: No such file")

    def test_a_run_collected_half_can_be_resumed(self):
        flavour = support.a_real_flavour()
        self.plan()
        self.probe(flavour, 2, "plan.toml")
        self.own_files.add("plan.toml.journal")
        ends = [end for kind, _, end in support.journal_records(self.dir / "plan.toml.journal") if kind == support.POINT_END]
        os.truncate(self.dir / "plan.toml.journal", ends[1])
        self.fathom("run", "--collect", "plan.toml.journal", status=NOT_MEASURED)
        document = self.run_json("--resume", "last", *support.options_for(flavour)[2:])
        self.assertEqual([point["status"] for point in document["points"]], ["ok"] * 4)


class AwkwardFolder(FathomTest):
    folder_name = "fathom e2e's \"odd\" földer "

    def test_everything_works_in_a_folder_with_blanks_and_quotes(self):
        for flavour in support.flavours():
            with self.subTest(flavour):
                words = (*support.OPERATIONS, *support.options_for(flavour), "-n", "2", "--sizes", "8", "--reps", "3")
                self.fathom("run", *words, status=DONE)
                self.fathom("run", *words, "--db", self.dir / "other's file.db", status=DONE)
                self.assertEqual(len(self.shown("last", "--db", self.dir / "other's file.db")["points"]), 4)
                self.assertEqual({point["status"] for point in self.shown()["points"]}, {"ok"})
                self.assert_nothing_left("fathom.db", "other's file.db")

    def test_a_death_is_survived_there_too(self):
        for flavour in support.flavours(*support.REAL):
            with self.subTest(flavour):
                words = ("allreduce", *support.options_for(flavour), "-n", "2", "--sizes", "8:32", "--reps", "5")
                result = self.fathom("run", *words, status=NOT_MEASURED,
                                     env=support.meddling(rank=1, count=4, call=3, signal=9))
                self.assertIn("allreduce, 16 bytes", result.stderr)
                document = self.run_json("--resume", "last", *support.options_for(flavour)[2:])
                self.assertEqual([point["status"] for point in document["points"]], ["ok"] * 3)
                self.assert_nothing_left("fathom.db")

    @support.needs("smpi")
    def test_the_command_that_is_suggested_can_be_pasted(self):
        result = self.fathom("run", "barrier", "--platform", "pure-16", "-n", "2", "--reps", "3", "--db", "it's here.db", status=DONE)
        hint = support.re.search(r"Charts: fathom (.*)$", result.stdout, support.re.M)[1]
        done = subprocess.run(f"{shlex.quote(support.FATHOM)} {hint} -o page.html", shell=True, cwd=self.dir,
                              capture_output=True, text=True, timeout=30, env=self.environment())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("barrier", (self.dir / "page.html").read_text())


if __name__ == "__main__":
    support.main()
