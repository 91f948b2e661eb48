#!/usr/bin/env python3
"""The report page in a real browser: charts draw, controls work, nothing is loaded, text from result files stays text."""
import csv
import io
import json
import pathlib
import shutil
import sqlite3
import sys
import tempfile
import unittest

import support
from support import drive, fathom

ATTACK = "<img src=x onerror=\"window.attacked=1;alert(1)\"></script><script>window.attacked=1;alert(2)</script><b>bold</b>&lt;{a|b}\u2028'\"="


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="fathom browser "))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        common = ("--platform", "pure-16", "--reps", "12")
        fathom(cls.folder, "run", "pingpong", "bcast", "barrier", "matrix", "overlap.isend", "-n", "2,4,8", "--sizes", "8,1k,64k", "--label", "first", *common)
        fathom(cls.folder, "run", "pingpong", "bcast", "-n", "2,4,8", "--sizes", "8,1k,64k", "--label", "second", *common)
        fathom(cls.folder, "run", "bcast", "-n", "4", "--sizes", "1k", "--compare-schemes", *common)
        cls.one = cls.report("1")
        cls.two = cls.report("1", "2")
        cls.schemes = cls.report("3")

    @classmethod
    def report(cls, *runs, db="fathom.db"):
        name = f"{'-'.join(runs)}-{db}.html"
        fathom(cls.folder, "report", *runs, "-o", name, "--db", db)
        return cls.folder / name

    def seen(self, scenario, page):
        """What a scenario found, on a page that behaved."""
        result = drive(scenario, page)
        self.assertEqual(result["requests"], [], "the page loads nothing")
        self.assertEqual(result["console"], [], "nothing is complained about")
        self.assertEqual(result["errors"], [])
        self.assertEqual(result["dialogs"], 0)
        return result["found"]

    def check_look(self, page):
        found = self.seen("look", page)
        titles = {(chart["section"], chart["title"]) for chart in found["1200"]["charts"]}
        for width, at in found.items():
            self.assertLessEqual(at["overflow"], 0, f"no overflow at {width}")
            self.assertEqual({(chart["section"], chart["title"]) for chart in at["charts"]}, titles)
            self.assertEqual(at["grew"], 0, f"nothing jumps while charts are drawn, at {width}")
            for chart in at["charts"]:
                if "nothing to draw" not in chart["label"]:
                    self.assertGreater(chart["coloured"], 20, f"{width}: {chart} is empty")
                self.assertGreater(len(chart["label"]), len(chart["title"]) + 20, f"{chart} has words")
        return titles

    def test_every_chart_draws_at_every_width(self):
        titles = self.check_look(self.one)
        for title in ("Time against message size", "Bandwidth against message size", "Time against processes", "Time by size and processes", "Histogram",
                      "Distribution function", "Process by process"):
            self.assertIn(("bcast", title), titles)
        self.assertIn(("matrix", "Every pair of processes"), titles)
        self.assertIn(("overlap-isend", "Availability: the share of the processor that is left"), titles)
        self.assertIn(("overlap-isend", "Work and communication"), titles)
        self.assertIn(("barrier", "Time against processes"), titles)
        self.assertNotIn(("barrier", "Time against message size"), titles)

    def test_several_runs_are_overlaid_and_compared(self):
        titles = self.check_look(self.two)
        self.assertIn(("bcast", "Time as a multiple of that of first (run 1)"), titles)
        self.assertNotIn(("barrier", "Time as a multiple of that of first (run 1)"), titles)

    def test_schemes_of_other_benchmarks_have_a_chart(self):
        titles = self.check_look(self.schemes)
        self.assertIn(("bcast", "The same by the schemes of other benchmarks"), titles)

    def test_a_size_picked_in_one_chart_is_picked_in_all_of_its_section(self):
        found = self.seen("pick", self.one)
        for chart, words in found["start"].items():
            self.assertIn("1\u00a0KiB", words, chart)
        for chart, words in found["control"].items():
            self.assertIn("8\u00a0B", words, chart)
        self.assertIn("8 processes", found["control"]["histogram"])
        self.assertIn("2 processes", found["procs"]["histogram"])
        self.assertIn("2 processes", found["procs"]["time"])
        self.assertEqual(found["keySize"], "1\u00a0KiB", "an arrow key goes to the next size")
        self.assertIn("1\u00a0KiB", found["key"]["processes"])
        self.assertEqual(found["clickSize"], "64\u00a0KiB", "a click picks the nearest size")
        self.assertIn("64\u00a0KiB", found["click"]["function"])
        self.assertIn("Picked: ", found["others"])
        self.assertIn("at 1\u00a0KiB", found["others"], "another section stays as it was")

    def test_the_explorer_shows_other_processes_and_axes(self):
        found = self.seen("explore", self.one)
        self.assertTrue(found["hiddenRanks"])
        self.assertIn("the slowest process: 12 times", found["start"]["caption"])
        self.assertIn("all processes: 96 times", found["all"]["caption"])
        self.assertIn("ranks 1-2: 24 times", found["some"]["caption"])
        self.assertEqual(found["invalid"], "true")
        self.assertIn("ranks 1-2", found["linear"]["caption"], "what cannot be read changes nothing")
        self.assertNotEqual(found["some"]["picture"], found["linear"]["picture"])
        self.assertNotEqual(found["start"]["picture"], found["all"]["picture"])

    def test_colours_follow_the_system_and_the_switch(self):
        found = self.seen("theme", self.one)
        self.assertEqual(found["dark"], "rgb(13, 17, 23)")
        self.assertEqual(found["light"], "rgb(251, 252, 253)")
        self.assertEqual(found["auto"], found["dark"])
        self.assertNotEqual(found["darkPicture"], found["lightPicture"])

    def test_tables_can_be_downloaded_and_copied(self):
        found = self.seen("table", self.one)
        self.assertEqual(found["name"], "bcast-time.csv")
        rows = list(csv.DictReader(io.StringIO(found["csv"])))
        self.assertEqual(len(rows), 9)
        self.assertEqual(found["rows"], 9)
        shown = json.loads(fathom(self.folder, "show", "1", "--json"))
        points = {(point["procs"], point["size_bytes"]): point for point in shown["points"] if point["operation"] == "bcast"}
        for row in rows:
            point = points[int(row["procs"]), int(row["size_bytes"])]
            self.assertEqual(float(row["time_ns"]), point["median_ns"])
            self.assertEqual([float(row["low95_ns"]), float(row["high95_ns"])], point["median_ci95_ns"])
        self.assertEqual(found["copied"].splitlines()[0].split("\t"), list(rows[0]))
        self.assertEqual(len(found["copied"].splitlines()), 10)

    def test_everything_can_be_reached_with_the_keyboard(self):
        found = self.seen("keyboard", self.one)
        self.assertIn("Skip to the findings", found["names"][0])
        self.assertTrue(any(name.startswith("SELECT") for name in found["names"]))
        self.assertTrue(any(name.startswith("DIV chart") for name in found["names"]))
        self.assertTrue(any(name.startswith("SUMMARY") for name in found["names"]))
        self.assertEqual(found["unnamed"], 0, "every control has a name")

    def test_all_charts_are_printed_on_white(self):
        found = self.seen("print", self.one)
        self.assertEqual(found["drawn"], found["charts"])
        self.assertEqual(found["ground"], "rgb(255, 255, 255)")
        self.assertGreater(found["bytes"], 50_000)

    def test_links_lead_somewhere(self):
        found = self.seen("links", self.one)
        self.assertEqual(found["dead"], [])
        self.assertLessEqual(found["findings"], 5)

    def test_text_from_a_result_file_stays_text(self):
        shutil.copy(self.folder / "fathom.db", self.folder / "bad.db")
        with sqlite3.connect(self.folder / "bad.db") as db:
            db.execute("UPDATE run SET label = ?, command_line = ? WHERE id = 1", (ATTACK, "cmd " + ATTACK))
            db.execute("UPDATE job SET mpi_version = ?", ("MPI " + ATTACK,))
            db.execute("UPDATE rank SET host = ? || rank", ("host " + ATTACK,))
            db.execute("UPDATE environment SET value = ?", ("fact " + ATTACK,))
            db.execute("UPDATE point SET operation = ? WHERE operation = 'barrier'", ("op " + ATTACK,))
            db.execute("UPDATE point SET status = 'failed', reason = ? WHERE operation = 'pingpong' AND procs = 4", ("reason " + ATTACK,))
            db.execute("UPDATE point SET remark = ? WHERE operation = 'bcast'", ("remark " + ATTACK,))
            db.execute("INSERT INTO warning (run, severity, code, text, remedy) VALUES (1, 'serious', 'x', ?, ?)",
                       ("warning " + ATTACK, "remedy " + ATTACK))
        db.close()
        found = self.seen("injection", self.report("1", db="bad.db"))
        self.assertFalse(found["attacked"])
        self.assertEqual(found["foreign"], 0)
        self.assertEqual(found["scripts"], 2)
        self.assertNotIn("bold", found["bolds"])
        shown = found["text"].replace("\u2028", "").replace("\n", "")
        wanted = ATTACK.replace("\u2028", "")
        for where in ("cmd ", "host ", "fact ", "op ", "reason ", "remark ", "warning ", "remedy "):
            self.assertIn(where + wanted[:60], shown, f"{where} is shown as it is")
        self.assertIn("MPI <img src=x onerror=", shown, "of a library the first words are shown")
        self.assertIn("<img src=x", found["title"])


if __name__ == "__main__":
    reason = support.why_not()
    if reason:
        print(f"skipped: {reason}")
        sys.exit(77)
    unittest.main()
