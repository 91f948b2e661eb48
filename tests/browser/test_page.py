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
        fathom(cls.folder, "run", "pingpong", "bcast", "-n", "2,4,8", "--sizes", "8,1k,64k", "--label", "second", "--platform", "myrinet-128",
               "--reps", "12")
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
        found = self.seen("compare", self.two)
        self.assertIn("18 of 18 points are slower by more than 5 %.", found["top"])
        self.assertIn("They differ in platform (pure-16 and myrinet-128)", found["top"])
        self.assertIn("Of 9 points: 9 slower.", found["caption"])
        self.assertEqual(found["run"], "second (run 2)")
        shown = json.loads(fathom(self.folder, "compare", "1", "2", "--json"))
        told = {(point["second_procs"], point["size_bytes"]): point for point in shown["points"] if point["operation"] == "bcast"}
        rows = list(csv.DictReader(io.StringIO(found["csv"])))
        self.assertEqual(len(rows), 9)
        for row in rows:
            point = told[int(row["procs"]), int(row["size_bytes"])]
            self.assertEqual([float(row["ratio"]), float(row["low95"]), float(row["high95"])], [point["ratio"], *point["ratio_ci95"]])
            self.assertEqual(row["verdict"], point["verdict"])

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

    def edited(self, change):
        """The report of run 1 with other data in it: the page must show whatever analyses say."""
        page = self.one.read_text(encoding="utf-8")
        begin = page.index('id="data">') + len('id="data">')
        end = page.index("</script>", begin)
        data = json.loads(page[begin:end])
        change(data["runs"][0])
        path = self.folder / "edited.html"
        path.write_text(page[:begin] + json.dumps(data).replace("<", "\\u003c") + page[end:], encoding="utf-8")
        return path

    def test_what_analyses_say_is_shown_with_the_point_they_speak_of(self):
        def change(run):
            run["insights"] = [{"kind": "tails", "operation": "bcast", "procs": 4, "size_bytes": 65536, "weight": number, "text": f"finding {number}",
                                "remedy": "mend it"} for number in range(7, 0, -1)]
            run["notes"] = [{"kind": "anomaly", "operation": "bcast", "procs": 2, "size_bytes": 8, "text": "a hump"}]
            for point in run["points"]:
                if (point["operation"], point["size_bytes"], point["procs"]) != ("bcast", 65536, 4):
                    for analysis in ("tails", "timeouts", "explanation", "distribution", "processes"):
                        point.pop(analysis, None)
                    continue
                point["tails"] = {"count": 12, "min_ns": 1000, "mean_ns": 1500, "deviation_ns": 100, "by_minimum": [0.5, 0.25, 0.125, 0.0625, 0.0625, 0],
                                  "by_deviation": [0.9, 0.1, 0, 0, 0],
                                  "quantiles": [{"share": 0.9, "value_ns": 1700, "ci95_ns": [1600, 1800], "reason": ""},
                                                {"share": 0.999, "value_ns": None, "ci95_ns": None, "reason": "not enough samples for p99.9"}]}
                point["timeouts"] = {"status": "found", "rto_ns": 2e8, "rto_from": "kernel", "inferred": 3, "counted": 3, "counted_outside": 0, "probes": 0,
                                     "mean_ns": 1500, "mean_without_ns": 1200, "text": "three time-outs",
                                     "classes": [{"name": "1", "reps": 3, "share": 0.25, "from_ns": 2e8, "to_ns": 2.1e8}]}
                point["explanation"] = {"slow": 4, "threshold_ns": 9000, "unexplained": 1, "text": "three of four are explained",
                                        "causes": [{"kind": "tcp-timeout", "where": "host h2", "reps": 3, "events": 3, "lost_ns": 6e8, "text": "x"}]}
                point["distribution"] = {"text": "two modes", "modes": [{"at_ns": point["median_ns"], "share": 0.7}],
                                         "fits": [{"family": "gamma", "parameters": {"shape": 2}, "criterion": 1, "distance": 0.05, "good": True}]}
                point["processes"] = {"text": "rank 3 is most often the last", "most_often_last": 3, "rank": [0, 1, 2, 3], "group": [0, 1, 1, 2],
                                      "last_share": [0, 0.1, 0.2, 0.7], "groups": []}

        found = self.seen("analyses", self.edited(change))
        self.assertEqual(len(found["findings"]), 5, "the five that matter most")
        self.assertIn("finding 7.", found["findings"][0])
        self.assertIn("mend it", found["findings"][0])
        self.assertNotIn("Tails", found["before"], "nothing is said where nothing is known")
        self.assertEqual(found["size"], "64\u00a0KiB", "a finding picks its point")
        self.assertIn("not enough samples for p99.9", found["picked"]["Tails"])
        self.assertIn("12.5\u00a0%", found["picked"]["Tails"])
        self.assertIn("three time-outs", found["picked"]["TCP time-outs"])
        self.assertIn("host h2", found["picked"]["Why some repetitions were slow"])
        self.assertIn("600\u00a0ms", found["picked"]["Why some repetitions were slow"])
        self.assertIn("gamma", found["picked"]["Which distribution?"])
        self.assertIn("a hump.", found["picked"]["What the curves say"])
        self.assertIn("rank 3 is most often the last", found["processes"])
        self.assertEqual(found["noted"], "8\u00a0B", "a note picks its size")

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
