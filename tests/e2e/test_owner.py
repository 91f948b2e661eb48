#!/usr/bin/env python3
"""A run has one owner at a time, whoever resumes it from wherever; who loses is told so, and no point is lost."""

import os
import signal
import sqlite3
import subprocess
import unittest

import support
from support import BAD_INPUT, DONE, NOT_MEASURED, FathomTest

COUNT = 19
PLAN = ("allreduce", "--platform", "pure-16", "-n", "4", "--sizes", "1:256k", "--reps", "500")


def namespaces_work():
    try:
        done = subprocess.run([*support.other_host("x"), "true"], capture_output=True, text=True, timeout=20)
    except OSError as error:
        return str(error)
    return "" if done.returncode == 0 else done.stderr.strip()


NO_NAMESPACES = namespaces_work()


@support.needs("smpi")
class Owner(FathomTest):
    def killed(self):
        running = self.start("run", "-v", *PLAN)
        running.wait_for(r"^\[1/")
        os.kill(running.pid, signal.SIGKILL)
        running.finish(20)
        self.assertEqual(self.processes_left(patience=20), [])

    def query(self, sql, *values):
        database = sqlite3.connect(self.dir / "fathom.db")
        try:
            found = database.execute(sql, values).fetchall()
            database.commit()
            return found
        finally:
            database.close()

    def assert_whole(self):
        document = self.shown()
        self.assertEqual([point["status"] for point in document["points"]], ["ok"] * COUNT)
        self.assertEqual({point["reps"] for point in document["points"]}, {500})
        self.assertEqual(self.query("SELECT count(*) FROM lease"), [(0,)])
        self.assert_nothing_left("fathom.db")

    def test_two_that_resume_simultaneously_leave_one_owner(self):
        self.killed()
        both = [self.start("run", "--resume", "1", "--json") for _ in range(2)]
        results = sorted((running.finish() for running in both), key=lambda result: result.status)
        self.assertEqual(results[0].status, DONE, results[0])
        # The second is refused, unless the first had ended before it looked.
        if results[1].status != DONE:
            self.assertEqual(results[1].status, BAD_INPUT, results[1])
            self.assertRegex(results[1].stderr, r"(?m)^fathom: run 1 is still being measured by process \d+ on \S+, since")
        self.assert_whole()

    def test_taking_over_is_said(self):
        self.killed()
        result = self.fathom("run", "--resume", "1", status=DONE)
        self.assertRegex(result.stderr, r"(?m)^Taking over run 1 from process \d+ on \S+, which has ended\.$")
        self.assert_whole()

    @unittest.skipIf(NO_NAMESPACES, f"no namespaces here: {NO_NAMESPACES}")
    def test_from_another_host_it_is_not_taken_from_an_owner_that_lives(self):
        running = self.start("run", "-v", *PLAN[:-1], "20000")
        running.wait_for(r"^\[1/")
        second = subprocess.Popen([*support.other_host("login2"), support.FATHOM, "run", "--resume", "1"], cwd=self.dir,
                                  env=self.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True)
        self.addCleanup(second.kill)
        first_line = second.stderr.readline()
        self.assertRegex(first_line, rf"Run 1 was being measured by process {running.pid} on \S+, which cannot be seen "
                                     r"from here; watching for 90 s")
        # The heartbeat is made to beat now, so that the test need not wait for it.
        self.query("UPDATE lease SET heartbeat = heartbeat + 1")
        _, rest = second.communicate(timeout=support.WAIT_S)
        self.assertEqual(second.returncode, BAD_INPUT, rest)
        self.assertRegex(rest, rf"still being measured by process {running.pid}")
        os.kill(running.pid, signal.SIGINT)
        running.finish(60)

    def test_an_owner_that_was_taken_over_stores_nothing_more(self):
        running = self.start("run", "-v", *PLAN)
        running.wait_for(r"^\[1/")
        while True:  # until it does not hold a lock
            os.kill(running.pid, signal.SIGSTOP)
            try:
                self.query("UPDATE lease SET owner = 'another', host = 'elsewhere', pid = 7, boot_id = 'x'")
                break
            except sqlite3.OperationalError:
                os.kill(running.pid, signal.SIGCONT)
        before = self.query("SELECT count(*) FROM point WHERE status = 'ok'")
        os.kill(running.pid, signal.SIGCONT)
        result = running.finish(60)
        self.assertEqual(result.status, NOT_MEASURED, result)
        self.assertRegex(result.stderr, r"(?m)^fathom: run 1 was taken over by process 7 on elsewhere")
        self.assertEqual(self.query("SELECT count(*) FROM point WHERE status = 'ok'"), before)
        self.assertEqual(self.query("SELECT owner FROM lease"), [("another",)])
        self.query("DELETE FROM lease")
        self.fathom("run", "--resume", "1", status=DONE)
        self.assert_whole()

    def test_a_long_lock_ends_the_run_and_what_was_measured_is_taken_from_the_journal(self):
        running = self.start("run", "-v", *PLAN)
        running.wait_for(r"^\[1/")
        database = sqlite3.connect(self.dir / "fathom.db", timeout=30, isolation_level=None)
        self.addCleanup(database.close)
        database.execute("BEGIN IMMEDIATE")
        result = running.finish(120)
        database.execute("ROLLBACK")
        database.close()
        self.assertEqual(result.status, NOT_MEASURED, result)
        self.assertRegex(result.stderr, r"(?m)^fathom: fathom\.db is in use by another process[^\n]* What was measured is kept; "
                                        r"'fathom run --resume 1' goes on from there\.$")
        self.assertEqual([path.name for path in self.dir.glob("*.journal")], ["fathom.db.run1.journal"])
        self.fathom("run", "--resume", "1", status=DONE)
        self.assert_whole()


@support.needs("smpi")
class Files(FathomTest):
    QUICK = ("barrier", "bcast", "--platform", "pure-16", "-n", "2", "--sizes", "8", "--reps", "3")

    def test_a_database_in_memory_is_refused(self):
        for name in (":memory:", "file:x.db?mode=memory", "file::memory:?cache=shared", "file:x.db"):
            for words in (("run", *self.QUICK), ("show",), ("list", "runs"), ("label", "1", "x")):
                self.assert_refused(self.fathom(*words, "--db", name), r"--db names a file, and \S+ is not kept in one")
        self.assert_nothing_left()

    def test_reading_leaves_an_older_file_as_it_is(self):
        self.fathom("run", *self.QUICK, status=DONE)
        database = sqlite3.connect(self.dir / "fathom.db")
        for table in ("lease", "run_mark", "event_block"):
            database.execute(f"DROP TABLE {table}")
        database.execute("ALTER TABLE point DROP COLUMN implementation")
        for column in ("origin", "in_turn_with"):
            database.execute(f"ALTER TABLE run DROP COLUMN {column}")
        database.execute("PRAGMA user_version = 12")
        database.commit()
        database.close()
        before = (self.dir / "fathom.db").read_bytes()
        for words in (("show",), ("list", "runs"), ("export", "--csv"), ("report", "-o", "page.html")):
            self.fathom(*words, status=DONE)
        self.own_files.add("page.html")
        self.assertEqual((self.dir / "fathom.db").read_bytes(), before)
        self.fathom("label", "1", "x", status=DONE)
        self.assertNotEqual((self.dir / "fathom.db").read_bytes(), before)
        self.assert_nothing_left("fathom.db")

    def test_a_limit_on_the_size_of_files_gives_a_message(self):
        for blocks in (8, 160):
            with self.subTest(blocks):
                result = self.fathom("run", "allreduce", "--platform", "pure-16", "-n", "2", "--sizes", "8:64k", "--reps", "20000",
                                     command=("sh", "-c", f'ulimit -f {blocks}; exec "$@"', "sh"))
                self.assertEqual(result.status, NOT_MEASURED, result)
                self.assertRegex(result.stderr, r"(?m)^fathom: [^\n]*(File too large|[Nn]o space left|ulimit -f)")


if __name__ == "__main__":
    support.main()
