#!/usr/bin/env python3
"""--progress: points with the library's progress thread are measured in separate jobs that request one."""

import glob
import os
import shlex
import signal
import sqlite3

import support
from support import DONE, NOT_MEASURED, FathomTest

TCP_ONLY = "no progress thread: Open MPI has one for TCP only, and these processes share memory"
VARIABLES = {"mpich": "MPICH_ASYNC_PROGRESS", "openmpi": "OMPI_MCA_btl_tcp_progress_thread"}


def job_asks_for_thread(records):
    return any(kind == support.JOB_INFO and b"progress_thread" in content for kind, content, _ in records)


class Progress(FathomTest):
    def plan(self, flavour, *more):
        return [*support.options_for(flavour), "--sizes", "8,1k,4k", "--reps", "20", *more]

    def over_tcp(self):
        return shlex.join([*support.launcher_words("openmpi", "{n}"), "--mca", "btl", "tcp,self"]).replace("'{n}'", "{n}")

    def points(self):
        """(operation, bytes, progress, status, and the value that the ranks of its job saw of the variable) of all points."""
        with sqlite3.connect(self.dir / "fathom.db") as db:
            return db.execute("SELECT operation, size_bytes, progress, status, (SELECT value FROM environment WHERE "
                              "environment.job = point.job AND host = '' AND key IN ('env.MPICH_ASYNC_PROGRESS', "
                              "'env.OMPI_MCA_btl_tcp_progress_thread')) FROM point ORDER BY position").fetchall()

    @support.needs("mpich")
    def test_mpich_is_asked_by_its_variable_and_says_what_it_provides(self):
        run = self.fathom("run", "iallreduce", "--progress", "thread", *self.plan("mpich"), status=DONE)
        self.assertRegex(run.stderr, r"(?m)^progress thread: MPICH_ASYNC_PROGRESS=1")
        reported = "MPICH_ASYNC_PROGRESS=1, MPI_THREAD_MULTIPLE provided; for all messages"
        self.assertIn(f"\nProgress thread: {reported}.\n", run.stdout)
        self.assertEqual(self.shown()["progress_thread"], reported)
        self.assertEqual({row[2:] for row in self.points()}, {("thread", "ok", "1")})
        self.assert_nothing_left("fathom.db")

    @support.needs("mpich")
    def test_a_run_that_asks_for_none_says_nothing_of_it(self):
        run = self.fathom("run", "iallreduce", *self.plan("mpich"), status=DONE)
        self.assertNotIn("rogress thread", run.stdout + run.stderr)
        self.assertNotIn("progress_thread", self.shown())
        self.assertEqual({row[2:] for row in self.points()}, {("", "ok", None)})

    @support.needs("openmpi")
    def test_open_mpi_has_none_for_shared_memory_which_is_said_before_and_in_every_row(self):
        run = self.fathom("run", "iallreduce", "--progress", "thread", *self.plan("openmpi"), status=NOT_MEASURED)
        self.assertRegex(run.stderr, r"(?m)^progress thread: OMPI_MCA_btl_tcp_progress_thread=1; Open MPI has one for TCP only")
        points = self.shown()["points"]
        self.assertEqual({(point["status"], point["reason"]) for point in points}, {("unavailable", TCP_ONLY)})
        self.assertEqual(len(points), 3)

    @support.needs("openmpi")
    def test_open_mpi_over_tcp_has_one(self):
        self.fathom("run", "iallreduce", "--progress", "thread", *self.plan("openmpi"), "--launcher", self.over_tcp(),
                    status=DONE, env=support.may_run_openmpi())
        self.assertRegex(self.shown()["progress_thread"], r"^OMPI_MCA_btl_tcp_progress_thread=1, .*; for all messages \(TCP\)$")
        self.assertEqual({row[2:] for row in self.points()}, {("thread", "ok", "1")})

    @support.needs("mpich")
    def test_both_measures_studies_with_and_without_and_the_rest_once(self):
        self.fathom("run", "iallreduce", "overlap.iallreduce", "--progress", "both", "--runs", 1, *self.plan("mpich"),
                    status=DONE)
        sizes = (8, 1024, 4096)
        wanted = [("iallreduce", size, "", "ok", None) for size in sizes]
        for size in sizes:
            wanted += [("overlap.iallreduce", size, "", "ok", None), ("overlap.iallreduce", size, "thread", "ok", "1")]
        self.assertEqual(self.points(), wanted)

    @support.needs("mpich")
    def test_every_start_measures_both(self):
        self.fathom("run", "overlap.ibcast", "--progress", "both", "--runs", "2", *support.options_for("mpich"), "--sizes", "8",
                    "--reps", "20", status=DONE)
        with sqlite3.connect(self.dir / "fathom.db") as db:
            self.assertEqual(db.execute("SELECT trial, progress, status FROM point ORDER BY position").fetchall(),
                             [(trial, progress, "ok") for trial in (0, 1) for progress in ("", "thread")])
            self.assertEqual(db.execute("SELECT count(*) FROM job").fetchone(), (4,))

    @support.needs("mpich")
    def test_after_a_kill_every_point_goes_on_in_a_job_of_its_kind(self):
        def in_the_second_job(records):
            begun = sum(kind == support.POINT_BEGIN for kind, _, _ in records)
            return job_asks_for_thread(records) and begun >= 2

        self.kill_when(in_the_second_job, "iallreduce", "overlap.iallreduce", "--progress", "both", "--runs", 1, *self.plan("mpich"),
                       env=support.meddling(sleep_us=500))
        before = [row[3] for row in self.points()]
        self.assertIn("ok", before)
        self.assertNotEqual(set(before), {"ok"})
        self.fathom("run", "--resume", "last", status=DONE)
        for operation, size, progress, status, variable in self.points():
            with self.subTest(operation=operation, size=size, progress=progress):
                self.assertEqual((status, variable), ("ok", "1" if progress else None))
        self.assertIn("progress_thread", self.shown())
        self.assert_nothing_left("fathom.db")

    @support.needs("mpich")
    def test_points_found_on_the_way_keep_to_the_kind_of_their_curve(self):
        self.fathom("run", "overlap.ibcast", "--progress", "both", *support.options_for("mpich"), "--sizes", "8:64:auto",
                    "--max-points", "6", "--refine", "0.1", "--reps", "20", "--runs", 1, status=DONE)
        planned = {8, 16, 32, 64}
        for kind, variable in (("", None), ("thread", "1")):
            rows = [row for row in self.points() if row[2] == kind]
            self.assertLessEqual(planned, {row[1] for row in rows})
            self.assertEqual({row[3:] for row in rows}, {("ok", variable)})
            self.assertLessEqual(len(rows), 6, "each kind has its own limit of points")

    @support.needs("mpich")
    def test_a_probe_started_by_hand_measures_no_thread_that_is_not_there(self):
        plan = self.write("night.toml", 'operations = ["ibcast"]\nsizes = ["8"]\nreps = 5\nprogress = "thread"\n')
        words = [*support.launcher_words("mpich", 2), str(support.probe("mpich")), str(plan)]
        for more, status in (({}, "unavailable"), ({"MPICH_ASYNC_PROGRESS": "1"}, "ok")):
            with self.subTest(status=status):
                done = support.subprocess.run(words, cwd=self.dir, env=self.environment(more), capture_output=True, text=True,
                                              timeout=support.WAIT_S)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.fathom("run", "--collect", "night.toml.journal")
                point = self.shown()["points"][0]
                self.assertEqual(point["status"], status)
                (self.dir / "night.toml.journal").unlink()
                if status == "unavailable":
                    self.assertIn("MPIR_CVAR_ASYNC_PROGRESS is 0; set MPICH_ASYNC_PROGRESS=1", point["reason"])

    @support.needs("smpi")
    def test_in_simulation_it_is_refused(self):
        for who in ("thread", "both"):
            result = self.fathom("run", "overlap.ibcast", "--progress", who, *support.options_for("smpi"))
            self.assert_refused(result, r"simulated messages need no processor", rf"leave out --progress {who}")
        self.assert_nothing_left()

    def threads_while_measuring(self, flavour, *more):
        """How many threads each rank of a run has once points are measured."""
        running = self.start("run", "-v", "allreduce", *support.options_for(flavour), "--sizes", "8,16,32,64", "--reps", "200",
                             "--order", "planned", *more, env={**support.meddling(sleep_us=2000), **support.may_run_openmpi()})
        running.wait_for(r"^\[1/")
        ranks = [pid for pid, words in support.processes_with(f"{support.MARK}={self.mark}")
                 if words.startswith(str(support.probe(flavour)))]
        counts = sorted(len(glob.glob(f"/proc/{pid}/task/[0-9]*")) for pid in ranks)
        os.kill(running.pid, signal.SIGINT)
        running.finish()
        self.assertEqual(len(counts), 2, "both ranks were seen")
        return counts

    @support.needs("mpich")
    def test_with_mpich_every_rank_has_one_more_thread(self):
        plain = self.threads_while_measuring("mpich")
        self.assertEqual(self.threads_while_measuring("mpich", "--progress", "thread"), [count + 1 for count in plain])

    @support.needs("openmpi")
    def test_with_open_mpi_over_tcp_every_rank_has_one_more_thread(self):
        launcher = ("--launcher", self.over_tcp())
        plain = self.threads_while_measuring("openmpi", *launcher)
        self.assertEqual(self.threads_while_measuring("openmpi", "--progress", "thread", *launcher), [count + 1 for count in plain])


if __name__ == "__main__":
    support.main()
