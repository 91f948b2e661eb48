#!/usr/bin/env python3
"""kill -9 of fathom itself: its job ends too, the result file stays readable, and the run can be resumed."""

import os
import signal
import sqlite3
import sys
import time

import support
from support import DONE
from test_crash import COUNT, REPS, SLOW, SLOWER, CrashTest


class KilledFathom(CrashTest):
    def setUp(self):
        super().setUp()
        self.addCleanup(self.remove_shared_memory, time.time())

    def remove_shared_memory(self, since):
        """MPICH ranks that are killed in MPI_Init leave a segment behind, which no process of theirs can remove."""
        for segment in support.glob.glob("/dev/shm/mpich_shar_tmp*"):
            used = any(segment.encode() in support.contents(maps) for maps in support.glob.glob("/proc/[0-9]*/maps"))
            if not used and os.path.getmtime(segment) >= since:
                os.unlink(segment)

    def wait_until_gone(self):
        self.assertEqual(self.processes_left(patience=20), [], "launcher and ranks end with fathom")

    def check_kill(self, flavour):
        running = self.start("run", "-v", *self.plan(flavour), env=support.meddling(**SLOWER))
        running.wait_for(r"^\[2/")
        os.kill(running.pid, signal.SIGKILL)
        self.assertEqual(running.finish(20).status, -signal.SIGKILL)
        self.wait_until_gone()
        shown = self.shown()
        self.assertEqual(len(shown["points"]), COUNT)
        self.assertGreaterEqual(self.statuses(shown).count("ok"), 2)
        self.assertEqual(self.fathom("list", "runs", status=DONE).stderr, "")

        resumed = self.fathom("run", "--resume", "last", "--json", *support.options_for(flavour)[2:], status=DONE).json
        self.assert_complete(resumed)
        self.assertEqual(self.samples_per_point(), {i: 2 * int(REPS) for i in range(COUNT)})
        self.assert_nothing_left("fathom.db")

    @support.needs("openmpi")
    def test_with_open_mpi(self):
        self.check_kill("openmpi")

    @support.needs("mpich")
    def test_with_mpich(self):
        self.check_kill("mpich")

    @support.needs("mpich")
    def test_what_the_journal_held_is_taken_over(self):
        """fathom is stopped so that the ranks run ahead of it, then killed: their journal holds more than the store."""
        keep = self.write("survivor.py", "import signal, subprocess, sys\n"
                                         "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
                                         "sys.exit(subprocess.run(sys.argv[1:]).returncode)\n")
        launcher = support.shlex.join([sys.executable, str(keep), *support.launcher_words("mpich", "{n}")])
        running = self.start("run", "-v", *self.plan("mpich"), "--launcher", launcher.replace("'{n}'", "{n}"),
                             env=support.meddling(**SLOW))
        running.wait_for(r"^\[1/")
        os.kill(running.pid, signal.SIGSTOP)
        stored = self.statuses(self.shown()).count("ok")
        journal = next(self.dir.glob("*.journal"))
        deadline = time.monotonic() + support.WAIT_S
        while not any(kind == support.JOB_END for kind, _, _ in support.journal_records(journal)):
            self.assertLess(time.monotonic(), deadline, "the ranks did not end")
            time.sleep(0.05)
        os.kill(running.pid, signal.SIGKILL)
        running.finish(20)
        self.wait_until_gone()
        self.assertLess(stored, COUNT, "the journal was to hold more than the store")
        result = self.fathom("run", "--resume", "last", "--json", status=DONE)
        self.assert_complete(result.json)
        self.assertIn("nothing left to measure", result.stderr)
        self.assert_nothing_left("fathom.db")  # the killed job's own files too

    @support.needs("mpich")
    def test_a_run_that_is_still_being_measured_is_not_resumed(self):
        running = self.start("run", "-v", *self.plan("mpich"), env=support.meddling(**SLOW))
        running.wait_for(r"^\[1/")
        os.kill(running.pid, signal.SIGSTOP)
        try:
            result = self.fathom("run", "--resume", "last")
        finally:
            os.kill(running.pid, signal.SIGCONT)
        self.assert_refused(result, rf"still being measured by process {running.pid} on \S+, since 20\S+Z; wait for it")
        self.assertEqual(running.finish().status, DONE)
        self.assertEqual(self.statuses(self.shown()), ["ok"] * COUNT)

    def end_what_is_left(self, when):
        """Fails if the job outlives fathom, after ending it so that no later round sees it."""
        left = self.processes_left(patience=6)
        for pid, _ in left:
            os.kill(pid, signal.SIGKILL)
        self.assertEqual(left, [], f"launcher and ranks end with fathom, killed {when}")

    @support.needs("mpich")
    def test_at_any_moment_a_readable_file_is_left_and_can_be_resumed(self):
        for delay_ms in (5, 15, 25, 40, 80, 110, 150, 200, 300):
            running = self.start("run", *self.plan("mpich"), "--quiet", env=support.meddling(sleep_us=500))
            time.sleep(delay_ms / 1000)
            os.kill(running.pid, signal.SIGKILL)
            running.finish(20)
            self.end_what_is_left(f"after {delay_ms} ms")
            if not (self.dir / "fathom.db").exists():
                continue
            if not self.fathom("list", "runs", "--json", status=DONE).json["rows"]:
                self.assert_refused(self.fathom("show"), r"has no runs yet")
                continue
            self.assertEqual(len(self.shown()["points"]), COUNT)
            self.assert_complete(self.fathom("run", "--resume", "last", "--json", status=DONE).json)

    def check_kill_while_starting(self, flavour, attempts):
        """The launcher is in the middle of starting the job, when it is most vulnerable."""
        for attempt in range(attempts):
            running = self.start("run", *self.plan(flavour), "--quiet", env=support.meddling(**SLOW))
            deadline = time.monotonic() + support.WAIT_S
            while not any(support.children_of(launcher) for launcher in support.children_of(running.pid)):
                self.assertLess(time.monotonic(), deadline, "the launcher started nothing")
            time.sleep(0.0014 * attempt)
            os.kill(running.pid, signal.SIGKILL)
            running.finish(20)
            self.end_what_is_left(f"{1.4 * attempt:.1f} ms after the launcher had its first child")

    @support.needs("openmpi")
    def test_while_open_mpi_starts(self):
        self.check_kill_while_starting("openmpi", 4)

    @support.needs("mpich")
    def test_while_mpich_starts(self):
        self.check_kill_while_starting("mpich", 5)

    @support.needs("smpi")
    def test_another_process_that_got_its_number_does_not_stand_in_the_way(self):
        running = self.start("run", "-v", "allreduce", "--platform", "pure-16", "-n", "4", "--sizes", "1:256k", "--reps", "500")
        running.wait_for(r"^\[1/")
        os.kill(running.pid, signal.SIGKILL)
        running.finish(20)
        self.wait_until_gone()
        database = sqlite3.connect(self.dir / "fathom.db")
        database.execute("UPDATE lease SET pid = ?", (os.getpid(),))  # it started at another time
        database.commit()
        database.close()
        resumed = self.fathom("run", "--resume", "last", "--json", status=DONE).json
        self.assertEqual(self.statuses(resumed), ["ok"] * 19)

    @support.needs("smpi")
    def test_a_killed_simulation(self):
        running = self.start("run", "-v", "allreduce", "--platform", "pure-16", "-n", "4", "--sizes", "1:256k", "--reps", "500")
        running.wait_for(r"^\[1/")
        os.kill(running.pid, signal.SIGKILL)
        running.finish(20)
        self.wait_until_gone()
        resumed = self.fathom("run", "--resume", "last", "--json", status=DONE).json
        self.assertEqual(self.statuses(resumed), ["ok"] * 19)
        self.assert_nothing_left("fathom.db")


if __name__ == "__main__":
    support.main()
