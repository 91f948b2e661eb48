#!/usr/bin/env python3
"""What happens when the journal is damaged during a run: no point is stored without its samples."""
import collections
import os
import signal

import support
from support import DONE, NOT_MEASURED, POINT_END, SAMPLE_BLOCK, FathomTest, flavours, options_for

REPS = 300
PLAN = ("allreduce", "bcast", "-n", "2", "--sizes", "8:1k", "--reps", str(REPS), "--seed", "3")
POINTS = 16
SLOW = {"sleep_us": 200}  # a call, so that a job lasts longer than what is done to its journal


class Journal(FathomTest):
    def slow(self, flavour):
        return {} if flavour == "smpi" else support.meddling(**SLOW)

    def started(self, flavour):
        """A run whose journal holds a point or more, and the journal."""
        running = self.start("run", "--json", *PLAN, *options_for(flavour), env=self.slow(flavour))
        path = self.journal_when(running, lambda records: any(kind == POINT_END for kind, _, _ in records))
        return running, path

    def assert_whole(self, document):
        """Every point that is ok has all its samples on both ranks, others have none; how many are ok."""
        rows = self.fathom("export", "--csv", "--samples", status=DONE).stdout.splitlines()[1:]
        stored = collections.Counter(int(row.split(",")[1]) for row in rows)
        measured = {number: point for number, point in enumerate(document["points"]) if point["status"] == "ok"}
        self.assertLessEqual({point["reps"] for point in measured.values()}, {REPS})
        self.assertEqual(stored, {number: 2 * (REPS + point["invalid_reps"]) for number, point in measured.items()})
        return len(measured)

    def test_removed_loses_nothing(self):
        for flavour in flavours(*support.ALL):
            with self.subTest(flavour):
                running, path = self.started(flavour)
                os.remove(path)
                done = running.finish()
                self.assertEqual(done.status, DONE, done)
                self.assertEqual(self.assert_whole(done.json), POINTS)
                self.assert_nothing_left("fathom.db")
                os.remove(self.dir / "fathom.db")

    def test_cut_short_stores_whole_points_only_and_resumes(self):
        for flavour in flavours(*support.REAL):
            with self.subTest(flavour):
                running, path = self.started(flavour)
                os.truncate(path, 0)
                self.check_resumed(running.finish(), flavour)

    def test_cut_short_while_nobody_reads_it_resumes(self):
        for flavour in flavours(*support.REAL):
            with self.subTest(flavour):
                running = self.start("run", "--json", *PLAN, *options_for(flavour), env=self.slow(flavour))
                path = self.journal_when(running, lambda records: any(kind == SAMPLE_BLOCK for kind, _, _ in records))
                os.kill(running.pid, signal.SIGSTOP)
                self.journal_when(running, lambda records: any(kind == POINT_END for kind, _, _ in records))
                os.truncate(path, 0)
                os.kill(running.pid, signal.SIGCONT)
                self.check_resumed(running.finish(), flavour)

    def check_resumed(self, done, flavour):
        """A run whose journal was cut short says how to go on, and going on measures what is missing."""
        self.assertEqual(done.status, NOT_MEASURED, done)
        self.assertRegex(done.stderr, r"fathom run --resume \d+")
        self.assertLess(self.assert_whole(self.shown()), POINTS)
        resumed = self.run_json("--resume", "last", *(["--allow-run-as-root"] if flavour == "openmpi" else []))
        self.assertEqual(self.assert_whole(resumed), POINTS)
        self.assert_nothing_left("fathom.db")
        os.remove(self.dir / "fathom.db")


if __name__ == "__main__":
    support.main()
