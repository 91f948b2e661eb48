#!/usr/bin/env python3
"""Ranks that die or hang during a run, and Ctrl-C: what is stored, reported and resumed."""

import json
import os
import signal
import sqlite3
import sys
import time

import support
from support import DONE, INTERRUPTED, NOT_MEASURED, FathomTest

# Points long enough to be caught in the middle, and enough of them. Slow because ranks sleep, so that a busy machine
# makes no difference.
COUNT = 7
SIZE = [8 << i for i in range(COUNT)]
SIZES = "8:512"
REPS = "50"
SLOW = {"sleep_us": 2000}
# Where the whole job is to be ended: mpirun may take a second for that, and points are to be left by then.
SLOWER = {"sleep_us": 10000}


def meddling_in(victim, rank, number):
    """Environment in which a rank sends itself a signal in the middle of a point."""
    return support.meddling(**SLOW, rank=rank, count=SIZE[victim] // 4, call=40, signal=number)


class CrashTest(FathomTest):
    def plan(self, flavour, *more):
        # With a barrier no repetition is invalid, so that the number of samples is known; as planned, so that it is
        # known which point comes when.
        return ("allreduce", *support.options_for(flavour), "-n", "2", "--sizes", SIZES, "--reps", REPS, "--start",
                "barrier", "--order", "planned", *more)

    def statuses(self, document):
        return [point["status"] for point in document["points"]]

    def assert_complete(self, document):
        """The whole plan and nothing else, all measured."""
        self.assertEqual(support.points_of(document), [("allreduce", 2, size) for size in SIZE])
        self.assertEqual(self.statuses(document), ["ok"] * COUNT)
        self.assertEqual({point["reps"] for point in document["points"]}, {int(REPS)})

    def samples_per_point(self):
        """Rows of sample_block are only readable through fathom; their counts reveal duplicates and gaps."""
        database = sqlite3.connect(self.dir / "fathom.db")
        try:
            return dict(database.execute("SELECT position, sum(count) FROM sample_block JOIN point "
                                         "ON point.id = sample_block.point GROUP BY position"))
        finally:
            database.close()

    def ranks_of_running(self):
        return {rank["rank"]: rank["pid"] for rank in self.shown()["ranks"]}


    def wait_for_the_middle_of_a_point(self):
        """The journal grows when a point has ended and the next begins; each lasts for 70 calls, of 2 ms or more."""
        journal = self.dir / "fathom.db.run1.journal"
        size = journal.stat().st_size
        deadline = time.monotonic() + support.WAIT_S
        while journal.stat().st_size == size:
            self.assertLess(time.monotonic(), deadline, "no point ended")
            time.sleep(0.005)
        time.sleep(0.05)


class DeadRank(CrashTest):
    def check_death(self, flavour, rank):
        running = self.start("run", "-v", *self.plan(flavour), "--json", env=support.meddling(**SLOW))
        running.wait_for(r"^\[2/")
        victim = self.ranks_of_running()[rank]
        self.wait_for_the_middle_of_a_point()
        os.kill(victim, signal.SIGKILL)
        result = running.finish()
        self.assertEqual(result.status, NOT_MEASURED, result)
        # Hydra names the process it first saw ending, which can be the survivor whose partner was killed.
        named = rank if flavour == "openmpi" else r"[01]"
        self.assertRegex(result.stderr, rf"(?m)^fathom: rank {named} on (node )?\S+ died \(\S+( \S+)? \d+\) while measuring "
                                        r"allreduce, \d+ bytes, 2 processes\.$")
        self.assertRegex(result.stderr, rf"(?m)^ +\d of {COUNT} points are stored in run 1\. 'fathom run --resume 1' goes on")
        document = json.loads(result.stdout)
        statuses = self.statuses(document)
        self.assertGreaterEqual(statuses.count("ok"), 2)
        self.assertLess(statuses.count("ok"), COUNT)
        self.assertEqual(statuses.count("failed"), 1)
        self.assertEqual(len(statuses), COUNT, "no row is missing")
        bad = document["points"][statuses.index("failed")]
        self.assertIn("signal 9", bad["reason"])
        self.assertIn(f"allreduce, {bad['size_bytes']} bytes", result.stderr)
        kept = {point["size_bytes"]: point for point in document["points"] if point["status"] == "ok"}
        self.assert_nothing_left("fathom.db")

        resumed = self.fathom("run", "--resume", "1", "--json", *support.options_for(flavour)[2:], status=DONE).json
        self.assert_complete(resumed)
        for point in resumed["points"]:
            if point["size_bytes"] in kept:
                self.assertEqual(point, kept[point["size_bytes"]], "finished points are not measured again")
        self.assertEqual(self.samples_per_point(), {i: 2 * int(REPS) for i in range(COUNT)})
        self.assertEqual(resumed["status"], "done")
        self.assert_nothing_left("fathom.db")

    @support.needs("openmpi")
    def test_open_mpi_rank_1(self):
        self.check_death("openmpi", 1)

    @support.needs("openmpi")
    def test_open_mpi_rank_0(self):
        self.check_death("openmpi", 0)

    @support.needs("mpich")
    def test_mpich_rank_1(self):
        self.check_death("mpich", 1)

    @support.needs("mpich")
    def test_mpich_rank_0(self):
        self.check_death("mpich", 0)


class DeadTwice(CrashTest):
    def check_second_death(self, flavour):
        victim = 2
        env = meddling_in(victim, 1, signal.SIGKILL)
        first = self.fathom("run", *self.plan(flavour), "--json", status=NOT_MEASURED, env=env)
        self.assertEqual(self.statuses(first.json)[:3], ["ok", "ok", "failed"], first)
        self.assertNotIn("ok", self.statuses(first.json)[3:])
        self.assertRegex(first.stderr, rf"while measuring allreduce, {SIZE[victim]} bytes, 2 processes")
        self.assertRegex(first.stderr, r"tries this one last")
        self.assert_nothing_left("fathom.db")

        resume = ("run", "--resume", "last", "--json", *support.options_for(flavour)[2:])
        second = self.fathom(*resume, status=NOT_MEASURED, env=env)
        self.assertEqual(self.statuses(second.json), ["failed" if i == victim else "ok" for i in range(COUNT)], second)
        self.assertIn("signal 9", second.json["points"][victim]["reason"])
        self.assertRegex(second.stderr, rf"(?m)^ +{COUNT - 1} of {COUNT} points are stored in run 1\.$")
        self.assertNotIn("--resume", second.stderr, "there is nothing left to resume")

        third = self.fathom(*resume, env=env)
        self.assertEqual(third.json["points"], second.json["points"], "failed for good, not tried a third time")
        self.assertEqual(third.status, NOT_MEASURED, third)
        table = self.fathom("show", status=DONE).stdout
        self.assertRegex(table, rf"(?m)^allreduce +2 +{SIZE[victim]} B +failed: .*signal 9")
        self.assertRegex(self.fathom("export", "--csv", status=DONE).stdout,
                         rf"(?m)^1,{victim},allreduce,all,2,{SIZE[victim]},failed,.*signal 9")
        self.assert_nothing_left("fathom.db")

    @support.needs("openmpi")
    def test_open_mpi_point_that_kills_twice_has_failed_and_the_rest_stands(self):
        self.check_second_death("openmpi")

    @support.needs("mpich")
    def test_mpich_point_that_kills_twice_has_failed_and_the_rest_stands(self):
        self.check_second_death("mpich")


class FirstDeath(CrashTest):
    def test_a_point_that_dies_once_is_measured_on_resume_after_the_others(self):
        for flavour in support.flavours(*support.REAL):
            with self.subTest(flavour):
                self.fathom("run", *self.plan(flavour), status=NOT_MEASURED, env=meddling_in(0, 0, signal.SIGSEGV))
                resumed = self.fathom("run", "-v", "--resume", "last", "--json", *support.options_for(flavour)[2:],
                                      status=DONE)
                self.assert_complete(resumed.json)
                order = [int(size) for size in support.re.findall(r"(?m)^\[\d+/\d+\] allreduce (\d+) B", resumed.stderr)]
                self.assertEqual(order, [*SIZE[1:], SIZE[0]], "the one that died comes last")


class LateEnd(CrashTest):
    @support.needs("mpich")
    def test_a_launcher_that_fails_when_all_is_measured_is_a_note(self):
        late = self.write("late.py", "import subprocess, sys\nsubprocess.run(sys.argv[1:])\nsys.exit(5)\n")
        launcher = support.shlex.join([sys.executable, str(late), *support.launcher_words("mpich", "{n}")])
        result = self.fathom("run", "barrier", "bcast", "--mpi", "mpich", "-n", "2", "--sizes", "8", "--reps", "10",
                             "--launcher", launcher.replace("'{n}'", "{n}"), "--json", status=DONE)
        self.assertEqual(self.statuses(result.json), ["ok", "ok"])
        self.assertTrue(any("exit status 5" in warning["text"] for warning in result.json["warnings"]), result)
        self.assert_nothing_left("fathom.db")


class Hang(CrashTest):
    def check_hang(self, flavour):
        victim = 2
        result = self.fathom("run", *self.plan(flavour), "--point-timeout", "2", "--json", status=NOT_MEASURED,
                             env=meddling_in(victim, 1, signal.SIGSTOP))
        self.assertEqual(self.statuses(result.json)[:3], ["ok", "ok", "failed"], result)
        self.assertRegex(result.stderr, r"(?m)^fathom: no point was finished within 2 s \(--point-timeout\) while "
                                        rf"measuring allreduce, {SIZE[victim]} bytes, 2 processes\.$")
        self.assertIn("--point-timeout", result.json["points"][victim]["reason"])
        self.assert_nothing_left("fathom.db")

    @support.needs("openmpi")
    def test_open_mpi_rank_that_stands_still(self):
        self.check_hang("openmpi")

    @support.needs("mpich")
    def test_mpich_rank_that_stands_still(self):
        self.check_hang("mpich")

    @support.needs("mpich")
    def test_a_launcher_that_never_starts_anything(self):
        sleeper = self.write("sleep.py", "import time; time.sleep(600)\n")
        result = self.fathom("run", "barrier", "--mpi", "mpich", "--launcher", f"{sys.executable} {sleeper}",
                             "--point-timeout", "1", status=NOT_MEASURED)
        self.assertRegex(result.stderr, r"(?m)^fathom: no point was finished within 1 s \(--point-timeout\) before the first point")
        self.assert_nothing_left("fathom.db")


class Interrupted(CrashTest):
    def check_signal(self, flavour, number):
        running = self.start("run", "-v", *self.plan(flavour), "--json", env=support.meddling(**SLOWER))
        running.wait_for(r"^\[2/")
        os.kill(running.pid, number)
        result = running.finish(30)
        self.assertEqual(result.status, INTERRUPTED, result)
        self.assertRegex(result.stderr, r"(?m)^fathom: interrupted while measuring allreduce, \d+ bytes, 2 processes\.$")
        document = json.loads(result.stdout)
        self.assertEqual(document["status"], "interrupted")
        self.assertEqual(len(document["points"]), COUNT)
        self.assertGreaterEqual(self.statuses(document).count("ok"), 2)
        self.assert_nothing_left("fathom.db")
        resumed = self.fathom("run", "--resume", "last", "--json", *support.options_for(flavour)[2:], status=DONE).json
        self.assert_complete(resumed)
        self.assertEqual(self.samples_per_point(), {i: 2 * int(REPS) for i in range(COUNT)})
        self.assert_nothing_left("fathom.db")

    @support.needs("openmpi")
    def test_ctrl_c_with_open_mpi(self):
        self.check_signal("openmpi", signal.SIGINT)

    @support.needs("mpich")
    def test_ctrl_c_with_mpich(self):
        self.check_signal("mpich", signal.SIGINT)

    @support.needs("mpich")
    def test_sigterm_is_taken_like_ctrl_c(self):
        self.check_signal("mpich", signal.SIGTERM)

    @support.needs("smpi")
    def test_ctrl_c_in_a_simulation(self):
        running = self.start("run", "-v", "allreduce", "--platform", "pure-16", "-n", "4", "--sizes", "1:256k", "--reps", "500")
        running.wait_for(r"^\[1/")
        os.kill(running.pid, signal.SIGINT)
        result = running.finish(30)
        self.assertEqual(result.status, INTERRUPTED, result)
        self.assert_nothing_left("fathom.db")
        resumed = self.fathom("run", "--resume", "last", "--json", status=DONE).json
        self.assertEqual(self.statuses(resumed), ["ok"] * 19)


class Resume(CrashTest):
    @support.needs("smpi")
    def test_a_complete_run_stays_as_it_is(self):
        first = self.run_json("barrier", "--platform", "pure-16", "-n", "2", "--reps", "3", "--label", "whole")
        for name in ("1", "last", "whole"):
            again = self.fathom("run", "--resume", name, "--json", status=DONE)
            self.assertEqual(again.json["points"], first["points"])
            self.assertIn("nothing left to measure", again.stderr)

    @support.needs("smpi")
    def test_a_plan_cannot_be_changed_on_the_way(self):
        self.run_json("barrier", "--platform", "pure-16", "-n", "2", "--reps", "3")
        for words in (("bcast",), ("--reps", "5"), ("--preset", "quick"), ("-n", "2")):
            self.assert_refused(self.fathom("run", "--resume", "1", *words), r"--resume uses the stored plan")

    @support.needs("smpi")
    def test_an_unknown_run_is_named(self):
        self.run_json("barrier", "--platform", "pure-16", "-n", "2", "--reps", "3", "--label", "baseline")
        self.assert_refused(self.fathom("run", "--resume", "7"), r"no run '7'", r"has run 1")
        self.assert_refused(self.fathom("run", "--resume", "baselin"), r"Did you mean 'baseline'")
        self.assert_refused(self.fathom("run", "--resume", "1", "--db", "other.db"), r"no results in other\.db")
        self.assert_nothing_left("fathom.db")


if __name__ == "__main__":
    support.main()
