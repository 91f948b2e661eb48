#!/usr/bin/env python3
"""Texts of files, launchers and arguments reach no terminal as they are: no escape sequences, no bidirectional
characters, no lines of their own; no formulas in CSV, no commands for gnuplot."""

import csv
import io
import re
import sqlite3

import support
from support import BAD_INPUT, DONE, FathomTest

RUN = ("run", "bcast", "matrix", "--platform", "pure-16", "-n", "3", "--sizes", "8:64", "--reps", "9", "-q")
# Clears the screen, sets the title, turns the text around, forges a line, rings, and C1 (which is a sequence, too).
HOSTILE = "\x1b[2J\x1b]0;owned\x07\u202efdp.exe\nFORGED: all is well\r\x9b31m\u2066\ufeff\x7f`id`"
UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
OURS = re.compile(r"\x1b\[(?:0|1|31|33)m")
# Free texts of a file.
COLUMNS = {
    "run": ("label", "reason", "command_line", "fathom_version"),
    "point": ("reason", "remark"),
    "rank": ("host", "binding"),
    "environment": ("value",),
    "job": ("mpi_version", "time_source"),
    "tag": ("value",),
}


def change(path, statements):
    with sqlite3.connect(path) as file:
        for statement, values in statements:
            file.execute(statement, values)
    file.close()


@support.needs("smpi")
class HostileText(FathomTest):
    def setUp(self):
        super().setUp()
        for label in ("one", "two"):
            self.fathom(*RUN, "--label", label, "--tag", "switch=new", status=DONE)
        self.file = self.dir / "fathom.db"

    def spoil(self, text=HOSTILE):
        """Every free text of the file, so that each run still has points with and without times."""
        statements = [(f"UPDATE {table} SET {column} = ?", (text,)) for table, columns in COLUMNS.items() for column in columns]
        statements += [("UPDATE run SET label = ? WHERE id = 2", ("x" + text,)),
                       ("UPDATE point SET status = 'failed' WHERE position = 1", ()),
                       ("INSERT INTO warning (run, severity, code, text, remedy) VALUES (1, 'serious', ?1, ?1, ?1)", (text,)),
                       ("INSERT INTO environment (job, host, key, value) SELECT id, ?1, ?1, ?1 FROM job", (text,))]
        change(self.file, statements)

    def assert_harmless(self, result, colours=False):
        for text in (result.stdout, result.stderr):
            stripped = OURS.sub("", text) if colours else text
            self.assertIsNone(UNSAFE.search(stripped), result)
            self.assertNotRegex(stripped, r"(?m)^\s*FORGED", result)

    def test_no_command_prints_them(self):
        self.spoil()
        said = ""
        for words in (("list", "runs"), ("show", "1", "--environment", "--scaling", "--notes"),
                      ("show", "1", "--distribution", "--tails", "--processes", "--explain", "--outliers", "--timeouts"),
                      ("show", "1", "--plan"), ("compare", "1", "2"), ("merge", "1", "2", "--anyway"),
                      ("export", "1", "--csv"), ("export", "1", "--samples", "--csv"), ("merge", "1", "2", "--anyway", "--csv"),
                      ("report", "1", "2"), ("export", "1", "--gnuplot", "figures"), ("label", "1", "plain"),
                      ("run", "--resume", "1"), ("delete", "2", "--yes")):
            result = self.fathom(*words)
            self.assertIn(result.status, range(5), result)
            self.assert_harmless(result)
            said += result.stdout + result.stderr
        self.assertIn("\\x1b[2J", said, "they are shown as escapes")
        self.assertIn("\\u202efdp.exe\\nFORGED", said)

    def test_no_command_prints_texts_that_it_may_refuse(self):
        change(self.file, [("UPDATE point SET setting = ?, scheme = ?, progress = ?, pattern = ?, implementation = ?", (HOSTILE,) * 5),
                           ("UPDATE run SET created_utc = ?, mpi_flavour = ?", (HOSTILE,) * 2)])
        for words in (("list", "runs"), ("show", "1", "--scaling"), ("compare", "1", "2"), ("merge", "1", "2"),
                      ("export", "1", "--csv"), ("export", "1", "--samples", "--json"), ("report", "1")):
            result = self.fathom(*words)
            self.assertIn(result.status, range(5), result)
            self.assert_harmless(result)

    def test_json_has_the_data_in_escapes(self):
        self.spoil()
        for words in (("list", "runs"), ("show", "1", "--notes"), ("compare", "1", "2"), ("merge", "1", "2", "--anyway"),
                      ("export", "1"), ("export", "1", "--samples"), ("report", "1")):
            result = self.fathom(*words, "--json")
            self.assertIn(result.status, (DONE, BAD_INPUT), result)
            self.assert_harmless(result)
            if words[0] == "list" and result.status == DONE:
                self.assertEqual(result.json["rows"][0]["label"], HOSTILE)

    def test_a_terminal_gets_our_colours_and_no_others(self):
        self.spoil()
        for words in (("list", "runs"), ("show", "1", "--environment"), ("compare", "1", "2")):
            result = self.on_terminal(*words, streams=("stdout",))
            self.assertRegex(result.stdout, OURS)
            self.assert_harmless(result, colours=True)

    def test_errors_are_one_line_of_bounded_length(self):
        self.spoil()
        long = "x" * 100_000
        plan = self.write("hostile.toml", 'operations = ["\\u001b[2J\\u202e\\nFORGED"]\n')
        for words in (("show", "none" + HOSTILE), ("show", "1", "--db", HOSTILE), ("run", HOSTILE), ("show", "1", HOSTILE),
                      (HOSTILE,), ("show", "--" + HOSTILE), ("list", HOSTILE), ("show", long), ("run", "--plan", plan),
                      ("run", "bcast", "--platform", HOSTILE), ("run", "bcast", "--sizes", HOSTILE),
                      ("show", "1", "--size", HOSTILE),
                      ("export", "1", "--csv", "-o", f"none/{HOSTILE}")):
            result = self.fathom(*words)
            self.assertNotEqual(result.status, DONE, result)
            self.assert_harmless(result)
            self.assertEqual(result.stderr.count("\n"), 1, result)
            self.assertLess(len(result.stderr), 2100)

    def test_what_a_launcher_says_is_one_short_line(self):
        script = self.write("launcher", "#!/bin/sh\nprintf 'caf\\351 \\033]0;x\\007%010000d\\n' 7\nexit 3\n")
        script.chmod(0o755)
        result = self.fathom("run", "bcast", "--sizes", "8", "--mpi", support.a_real_flavour(), "--launcher", str(script))
        self.assert_harmless(result)
        self.assertIn("last output: caf\\xe9 \\x1b]0;x\\x07", result.stderr)
        self.assertLess(len(result.stderr), 1000)
        self.assert_harmless(self.fathom("list", "runs", status=DONE))

    def test_csv_has_no_formulas_unless_raw(self):
        change(self.file, [("UPDATE run SET label = ?", ("=cmd|' /C calc'!A0",)),
                           ("UPDATE point SET setting = '-3.5'", ())])

        def labels(*words):
            rows = list(csv.DictReader(io.StringIO(self.fathom("export", "1", "--csv", *words, status=DONE).stdout)))
            self.assertEqual({row["setting"] for row in rows}, {"-3.5"}, "a number stays one")
            return {row["label"] for row in rows}

        self.assertEqual(labels(), {"'=cmd|' /C calc'!A0"})
        self.assertEqual(labels("--raw"), {"=cmd|' /C calc'!A0"})
        for words in (("export", "1", "--json"), ("merge", "1", "2"), ("export", "1", "--gnuplot", "figures")):
            self.assertEqual(self.fathom(*words, "--raw").status, BAD_INPUT)

    def test_gnuplot_gets_no_rows_or_commands(self):
        self.spoil()
        self.fathom("export", "1", "--gnuplot", "figures", status=DONE)
        for path in (self.dir / "figures").iterdir():
            text = path.read_text()
            self.assertIsNone(UNSAFE.search(text), path)
            self.assertNotRegex(text, r"(?m)^\s*FORGED", path)
            if path.suffix == ".dat":
                for line in text.splitlines():
                    self.assertRegex(line, r"^(?:#.*|[-+.e0-9 ]*|(?:none|one|two|three|more|repaired)[a-z -]* [-+.e0-9]+)$")
            else:
                self.assertNotRegex(re.sub(r"'(?:[^'\n]|'')*'", "''", text), "`", "single quotes run nothing")


if __name__ == "__main__":
    support.main()
