#!/usr/bin/env python3
"""A result file that others made: nothing in it runs, nothing that it names is run or deleted, and what is sound is shown."""
import os
import sqlite3

import support
from support import BAD_INPUT, DONE, FathomTest, needs

SMALL = ("bcast", "--platform", "pure-16", "-n", "2", "--sizes", "8,16", "--reps", "5")
READING = (("show", "1"), ("show", "1", "--json"), ("list", "runs"), ("list", "runs", "--json"), ("export", "1", "--csv"),
           ("export", "1", "--json"), ("export", "1", "--csv", "--samples"), ("export", "1", "--json", "--samples"), ("compare", "1", "2"),
           ("merge", "1", "2"), ("report", "1", "--json"))


@needs("smpi")
class HostileFile(FathomTest):
    def setUp(self):
        super().setUp()
        for _ in range(2):
            self.fathom("run", *SMALL, status=DONE)

    def spoil(self, *statements):
        with sqlite3.connect(self.dir / "fathom.db") as database:
            database.create_function("evil", 0, lambda: 1)
            for statement in statements:
                database.execute(statement)
        database.close()

    def test_damage_is_named_and_the_rest_is_shown(self):
        self.spoil("UPDATE sample_block SET first_rep = -1 WHERE point = 1 AND rank = 0")
        place = r"fathom\.db: table sample_block, row point 1, rank 0, first_rep -1, column first_rep: -1 is not 0"
        for words in READING:
            with self.subTest(words):
                done = self.fathom(*words, status=DONE if words[0] == "list" else BAD_INPUT)
                if words[0] != "list":
                    self.assertRegex(done.stderr, place)
        points = self.fathom("show", "1", "--json", status=BAD_INPUT).json["points"]
        self.assertEqual([point["status"] for point in points], ["unavailable", "ok"])
        self.assertRegex(points[0]["reason"], place)
        rows = self.fathom("export", "1", "--csv", "--samples", status=BAD_INPUT).stdout.splitlines()[1:]
        self.assertEqual({row.split(",")[1] for row in rows}, {"1"})

    def test_values_that_nothing_wrote(self):
        for table, change in (("point", "procs = 0"), ("point", "calls = 0"), ("point", "size_bytes = -1"), ("point", "trial = 2147483647"),
                              ("sample_block", "count = 1000000000000"), ("sample_block", "rank = rank + 99"), ("rank", "empty_ns = 1 << 62"),
                              ("run", "procs = -1"), ("job", "simulated = 7")):
            with self.subTest(change):
                before = (self.dir / "fathom.db").read_bytes()
                self.spoil("PRAGMA ignore_check_constraints = ON", f"UPDATE {table} SET {change}")
                for words in READING:
                    done = self.fathom(*words, timeout=60)
                    self.assertIn(done.status, (DONE, BAD_INPUT), done)
                    self.assertNotIn("unexpected", done.stderr, done)
                self.assertEqual(self.fathom("show", "1").status, BAD_INPUT)
                (self.dir / "fathom.db").write_bytes(before)

    def test_text_that_is_none(self):
        self.spoil("UPDATE point SET setting = CAST(x'61ff' AS TEXT)")
        self.assertEqual(len(self.fathom("export", "1", "--json", "--samples", status=DONE).json["blocks"]), 4)

    def test_triggers_and_views_do_not_run(self):
        before = (self.dir / "fathom.db").read_bytes()
        for statements, name in ((("CREATE TRIGGER t AFTER UPDATE ON run BEGIN DELETE FROM run; END",), r"trigger 't'"),
                                 (("ALTER TABLE tag RENAME TO other",
                                   "CREATE VIEW tag AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x FROM c) SELECT x AS run, x AS key, "
                                   "x AS value FROM c"), r"'(tag|other)'"),
                                 (("PRAGMA user_version = -1",), r"is damaged \(schema -1\)")):
            self.spoil(*statements)
            for words in (*READING, ("label", "1", "new"), ("delete", "1", "--yes"), ("run", "--resume", "1")):
                with self.subTest(words):
                    self.assert_refused(self.fathom(*words, timeout=60), name)
            (self.dir / "fathom.db").write_bytes(before)

    def test_a_foreign_launcher_is_shown_and_not_run(self):
        mark = self.dir / "it-ran"
        script = self.write("evil.sh", f"#!/bin/sh\ntouch {mark}\n")
        script.chmod(0o755)
        plan = self.fathom("show", "--plan", status=DONE).stdout
        with sqlite3.connect(self.dir / "fathom.db") as database:
            database.execute("UPDATE run SET plan_toml = ?, status = 'failed'", (plan + f'launcher = "{script} -n {{n}}"\n',))
            database.execute("UPDATE point SET status = 'pending'")
        database.close()
        for option in ("--resume", "--against"):
            self.assert_refused(self.fathom("run", option, "1"), r"evil\.sh -n", r"--trust-file")
        self.assertFalse(mark.exists())
        self.fathom("run", "--resume", "1", "--trust-file")
        self.assertTrue(mark.exists())

    def test_an_own_run_is_resumed_without_more(self):
        with sqlite3.connect(self.dir / "fathom.db") as database:
            database.execute("UPDATE point SET status = 'pending' WHERE id = 2")
        database.close()
        self.fathom("run", "--resume", "1", status=DONE)

    def test_a_journal_that_a_file_names_is_neither_read_nor_deleted(self):
        precious = self.write("precious", "do not delete\n")
        self.spoil(f"UPDATE job SET outcome = '', journal = '{precious}'", "UPDATE point SET status = 'pending' WHERE id = 2")
        done = self.fathom("run", "--resume", "1", status=DONE)
        self.assertRegex(done.stderr, r"names the journal .*precious; only .*fathom\.db\.run1\.journal is read")
        self.assertEqual(precious.read_text(), "do not delete\n")


if __name__ == "__main__":
    support.main()
