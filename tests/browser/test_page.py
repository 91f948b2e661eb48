#!/usr/bin/env python3
"""The report page in a real browser: charts draw, controls work, nothing is loaded, text from result files stays text."""
import csv
import io
import json
import shutil
import sqlite3

import support
from support import drive, fathom, only, packed

ATTACK = "<img src=x onerror=\"window.attacked=1;alert(1)\"></script><script>window.attacked=1;alert(2)</script><b>bold</b>&lt;{a|b}\u2028'\"="
FORMULA = "=1+1\t{a|b}"


RED, BLUE = "#d55e00", "#0072b2"  # of the second run and of the first
SLOWER, FASTER = "#c04a00", "#0072b2"


class PageTest(support.PageCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        common = ("--platform", "pure-16", "--reps", "12")
        fathom(cls.folder, "run", "pingpong", "bcast", "barrier", "matrix", "overlap.isend", "-n", "2,4,8", "--sizes", "8,1k,64k", "--label", "first", *common)
        fathom(cls.folder, "run", "pingpong", "bcast", "-n", "2,4,8", "--sizes", "8,1k,64k", "--label", "second", "--platform", "myrinet-128",
               "--reps", "12")
        fathom(cls.folder, "run", "bcast", "-n", "4", "--sizes", "1k", "--compare-schemes", *common)
        fathom(cls.folder, "run", "overlap.ibcast", "-n", "4", "--sizes", "1k,64k", *common)
        cls.one = cls.report("1")
        cls.two = cls.report("1", "2")
        cls.schemes = cls.report("3")

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
        self.assertIn(("overlap-isend", "Availability: the share of the processor that remains for work"), titles)
        self.assertIn(("overlap-isend", "Work and communication"), titles)
        self.assertIn(("barrier", "Time against processes"), titles)
        self.assertNotIn(("barrier", "Time against message size"), titles)

    def test_several_runs_are_overlaid_and_compared(self):
        titles = self.check_look(self.two)
        self.assertIn(("bcast", "Time relative to first (run 1)"), titles)
        self.assertNotIn(("barrier", "Time relative to first (run 1)"), titles)
        found = self.seen("compare", self.two)
        self.assertIn("18 of 18 points are slower by more than 5 %.", found["top"])
        self.assertIn("They differ in platform (pure-16 and myrinet-128)", found["top"])
        self.assertIn("second is slower than first at every size in both operations.", found["top"])
        self.assertRegex(found["top"], "\u25b2 slower: up to \\+")
        self.assertIn("Of 9 points: 9 slower.", found["caption"])
        self.assertEqual(found["run"], "second (run 2)")
        shown = json.loads(fathom(self.folder, "compare", "1", "2", "--json"))
        texts = {(point["second_procs"], point["size_bytes"]): point for point in shown["points"] if point["operation"] == "bcast"}
        rows = list(csv.DictReader(io.StringIO(found["csv"])))
        self.assertEqual(len(rows), 9)
        for row in rows:
            point = texts[int(row["procs"]), int(row["size_bytes"])]
            self.assertEqual([float(row["ratio"]), float(row["low95"]), float(row["high95"])], [point["ratio"], *point["ratio_ci95"]])
            self.assertEqual(row["verdict"], point["verdict"])

    def test_slower_and_faster_differ_in_colour_and_in_words(self):
        for runs, own, other, word in ((("1", "2"), SLOWER, FASTER, "\u25b2 slower"), (("2", "1"), FASTER, SLOWER, "\u25bc faster")):
            charts = [chart for chart in self.seen("painted", self.report(*runs))["charts"] if chart["title"].startswith("Time relative to")]
            self.assertEqual({chart["section"] for chart in charts}, {"top", "pingpong", "bcast"})
            for chart in charts:
                self.assertIn(own, chart["colours"], chart)
                self.assertNotIn(other, chart["colours"], chart)
                self.assertIn(word, chart["label"])

    def test_one_run_opens_with_latency_and_bandwidth(self):
        cards = self.seen("texts", self.one)[0]["top"]["text"]
        self.assertRegex(cards, r"pingpong, 8 processes\nlatency, 8\sB\n[\d.]+\s\w+\nbandwidth, 64\sKiB\n[\d.]+\s\wB/s")
        self.assertRegex(cards, r"bcast, 8 processes\ntime, 8\sB\n", "not a latency: many messages")
        self.assertRegex(cards, r"barrier, 8 processes\ntime\n[\d.]+\s\w+")

    def test_traced_trees_open_with_their_advice_and_have_no_empty_charts(self):
        path = [{"x_ns": -1000, "depth": 0}, {"x_ns": 0, "depth": 2}]

        def change(run):
            point = next(point for point in only(run, "bcast") if (point["procs"], point["size_bytes"]) == (8, 1024))
            run.update(points=[point, {**point, "implementation": "tree:flat", "tree": {
                "text": "No rank is late.", "advice": ["Edges take long. Shorten them."], "stages": [], "departures": [],
                "timemap": [{"name": "rank 0", "cluster": 0, "down": path, "up": path}], "timemap_with_waits": []}}], insights=[])

        top, section = (self.seen("texts", self.edited(change))[0][name] for name in ("top", "bcast"))
        self.assertIn("bcast, 1\u00a0KiB, 8 processes, via tree:flat: Edges take long. Shorten them.", top["text"])
        self.assertNotIn("Nothing stands out", top["text"])
        self.assertEqual(section["picked"]["Variant"], "via tree:flat", "what was traced is picked first")
        hidden = {title: chart["hidden"] for title, chart in section["charts"].items()}
        self.assertFalse(hidden["Timemap without arrival waits"])
        self.assertTrue(hidden["Timemap with arrival waits"] and hidden["Departures by their order"])

    def test_schemes_of_other_benchmarks_have_a_chart(self):
        titles = self.check_look(self.schemes)
        self.assertIn(("bcast", "The schemes of other benchmarks"), titles)

    def test_schemes_have_a_chart_whichever_run_has_them(self):
        title = "The schemes of other benchmarks"
        for runs, other in ((("3", "1"), "first (run 1)"), (("1", "3"), "run 3")):
            found = [at["bcast"]["charts"][title]["caption"] for at in self.seen("texts", self.report(*runs), [("bcast", "Run", other)])]
            if runs[0] == "1":
                found.reverse()
            self.assertIn("run 3, 1\u00a0KiB, 4 processes: fathom reports", found[0])
            self.assertEqual(found[1], "Not compared in this run.")

    def test_schemes_without_a_ratio_are_no_blank_page(self):
        def change(run):
            for one in run["scheme_comparison"]:
                one["own_ns"] = 0
                for scheme in one["schemes"]:
                    scheme["ratio"] = None

        found = self.seen("texts", self.edited(change, self.schemes))[0]["bcast"]["charts"]["The schemes of other benchmarks"]
        self.assertIn("fathom reports 0\u00a0ns; there is no ratio.", found["caption"])
        self.assertEqual({row[4] for row in found["rows"][2:]}, {"-"})

    def test_varied_settings_stand_side_by_side(self):
        def change(run):
            settings = [{"setting": "limit=1", "value_ns": 2000, "within_run_ci95_ns": [1900, 2100]},
                        {"setting": "limit=2", "value_ns": None, "within_run_ci95_ns": None},
                        {"setting": "limit=3", "value_ns": 1000, "within_run_ci95_ns": [990, 1010]}]
            run["vary"] = [{"operation": "bcast", "procs": 4, "size_bytes": size, "verdict": "best", "best": "limit=3", "ratio": 2,
                            "text": "limit=3 is best", "settings": settings} for size in (8, 1024)]

        found = self.seen("texts", self.edited(change, self.schemes))[0]["bcast"]["charts"]["Varied settings"]
        self.assertIn("4 processes: limit=3 is best", found["caption"])
        self.assertEqual([row[2:6] for row in found["rows"][1:]], [["2.00\u00a0\u00b5s", "-", "1.00\u00a0\u00b5s", "2.00"]] * 2)

    def test_a_chart_that_fails_leaves_the_others_alone(self):
        def change(run):
            for point in only(run, "bcast"):
                if point["size_bytes"] == 1024:
                    point["spread"]["counts"] = "no base64!"

        result = drive("texts", self.edited(change), [("bcast", "Size", "8\u00a0B")])
        at_first, later = [at["bcast"]["charts"] for at in result["found"]]
        for title in ("Histogram", "Distribution function"):
            self.assertEqual(at_first[title]["caption"], "This chart could not be drawn.")
            self.assertIn("8\u00a0B", later[title]["caption"], "it is drawn again where it can be")
            self.assertTrue(any(texts.startswith(f"error: {title}:") for texts in result["console"]), result["console"])
        self.assertIn("1\u00a0KiB", at_first["Process by process"]["caption"])
        self.assertEqual(result["errors"], [])

    def test_what_is_said_is_said_of_the_picked_run(self):
        titles = ("Time against message size", "Time against processes", "Time by size and processes", "Histogram", "Distribution function", "Process by process")
        for at, run in zip(self.seen("texts", self.two, [("bcast", "Run", "second (run 2)")]), ("first (run 1)", "second (run 2)")):
            for title in titles:
                chart = at["bcast"]["charts"][title]
                self.assertTrue(chart["caption"].startswith(run), chart["caption"])
                self.assertIn(chart["caption"], chart["label"])
            self.assertTrue(at["bcast"]["panels"]["Tails"].split("\n", 1)[1].strip().startswith(run))
            median = json.loads(fathom(self.folder, "show", run.split()[-1][:-1], "--json"))["points"]
            median = next(point["median_ns"] for point in median if (point["operation"], point["procs"], point["size_bytes"]) == ("bcast", 8, 1024))
            self.assertIn(f"median {median / 1000:.3g}\u00a0\u00b5s", at["bcast"]["charts"]["Histogram"]["caption"])

    def test_a_section_opens_at_a_point_that_is_there(self):
        def change(first, second):
            first["points"] = [point for point in only(first, "bcast") if point["procs"] < 8 and (point["procs"] < 4 or point["size_bytes"] != 1024)]
            second["points"] = [point for point in only(second, "bcast") if (point["procs"], point["size_bytes"]) != (4, 8)]

        at = self.seen("texts", self.edited(change, self.two))[0]["bcast"]
        self.assertEqual((at["picked"]["Run"], at["picked"]["Processes"], at["picked"]["Size"]), ("first (run 1)", "4", "64\u00a0KiB"))
        self.assertIn("12 times", at["charts"]["Histogram"]["caption"])

    def test_a_run_has_one_colour_in_all_sections(self):
        def change(first, second):
            only(first, "bcast")

        for chart in self.seen("painted", self.edited(change, self.two))["charts"]:
            if chart["section"] == "pingpong" and chart["title"] in ("Time against processes", "Histogram", "Distribution function"):
                self.assertIn(RED, chart["colours"], chart)
                self.assertNotIn(BLUE, chart["colours"], chart)
            if chart["section"] == "bcast" and chart["title"] == "Time against processes":
                self.assertLessEqual({RED, BLUE}, set(chart["colours"]), chart)

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
        self.assertEqual(found["invalid"]["said"], "true")
        self.assertEqual(found["invalid"]["why"], "This is not a list of ranks. Write one as 0,4-7. Shown: ranks 1-2.")
        self.assertNotEqual(found["invalid"]["border"], found["valid"])
        self.assertIn("ranks 1-2 (not the reported value): 24 times", found["linear"]["caption"], "what cannot be read changes nothing")
        self.assertNotEqual(found["some"]["picture"], found["linear"]["picture"])
        self.assertNotEqual(found["start"]["picture"], found["all"]["picture"])

    def test_quantiles_of_processes_are_exact_or_said_to_be_about(self):
        def change(run):
            for point in only(run, "bcast"):
                point["spread"]["ranks"] = {"low_ns": 1000, "ratio": 2, "bins": 2, "rank": [0, 1], "reps": [4, 4], "min_ns": [1000, 2100], "median_ns": [1100, 2200],
                                            "mean_ns": [1200, 2300], "p99_ns": [1850, 3300], "max_ns": [1900, 3500], "counts": [packed(4), packed(0, 4)]}

        choices = [("bcast", "Times of", "all processes"), ("bcast", "Times of", "some processes"), ("bcast", "ranks", "1")]
        _, everyone, first, second = [at["bcast"]["charts"] for at in self.seen("texts", self.edited(change), choices)]
        micro = "\u00a0\u00b5s"
        self.assertIn(f"8 times, median about 2.00{micro}, middle half about 1.41{micro} to about 2.83{micro}, 99 % below about 3.50{micro}, the largest 3.50{micro}.",
                      everyone["Histogram"]["caption"])
        self.assertIn(f"4 times, median 1.10{micro}, middle half about 1.19{micro} to about 1.68{micro}, 99 % below 1.85{micro}, the largest 1.90{micro}.",
                      first["Histogram"]["caption"])
        self.assertIn(f"half of the times are below 2.20{micro}, 9 of 10 below about 3.50{micro}, none above 3.50{micro}.",
                      second["Distribution function"]["caption"])

    def test_sizes_and_times_that_differ_are_called_by_different_names(self):
        def change(run):
            for point in only(run, "bcast"):
                point["size_bytes"] = {8: 8, 1024: 4033, 65536: 4034}[point["size_bytes"]]
                point["spread"].update(low_ns=100000, ratio=1.00001, bins=40, counts=packed(*range(1, 41)))

        page, choices = self.edited(change), [("bcast", "Axis", "linear")]
        at_first, linear = [at["bcast"] for at in self.seen("texts", page, choices)]
        self.assertEqual(at_first["controls"]["Size"], ["8\u00a0B", "4\u202f033\u00a0B", "4\u202f034\u00a0B"])
        self.assertIn("4\u202f033\u00a0B, 8 processes", at_first["charts"]["Histogram"]["caption"])
        self.assertIn("at 4\u202f034\u00a0B", at_first["charts"]["Time against message size"]["caption"])
        for at in (at_first, linear):
            edges = [row[1] for row in at["charts"]["Histogram"]["rows"][1:]]
            self.assertEqual(len(edges), 40)
            self.assertEqual(len(set(edges)), 40, edges)
        drawn = self.seen("painted", page, choices)["drawn"]
        for tick in ("100.01", "100.02", "100.03"):
            self.assertIn(f"{tick}\u00a0\u00b5s", drawn)

    def test_tables_hold_what_tells_rows_apart(self):
        def change(run):
            points = only(run, "overlap.isend")
            run["points"] = points + [{**point, "progress": "thread"} for point in points]
            run["points"][0].update(launches={"used": 4, "set_aside": 3, "failed": 1}, set_aside_reps=349)
            run["points"][-1].update(status="failed", reason="it broke", value_ns=None, value_ci95_ns=None, median_ns=None, median_ci95_ns=None)

        charts = ("Availability: the share of the processor that remains for work", "Overhead: processor time of communication", "Time against message size", "")
        found = self.seen("csv", self.edited(change), [("overlap-isend", title) for title in charts])
        for title, texts in found.items():
            rows = list(csv.DictReader(io.StringIO(texts)))
            keys = [(row["run"], row["progress"], row["procs"], row["size_bytes"]) for row in rows]
            self.assertEqual(len(keys), len(set(keys)), title)
            self.assertEqual({row["progress"] for row in rows}, {"library", "thread"}, title)
        self.assertIn("low95_ns", found[charts[1]].splitlines()[0])
        rows = list(csv.DictReader(io.StringIO(found["overlap-isend"])))
        self.assertEqual([row["status"] for row in rows], ["ok"] * (len(rows) - 1) + ["failed"])
        self.assertEqual((rows[0]["launches"], rows[0]["set_aside_reps"]), ("4 of 8", "349"), "what is left out")
        for row in rows[:-1]:
            self.assertLessEqual(float(row["low95_ns"]), float(row["value_ns"]))
            self.assertLessEqual(float(row["value_ns"]), float(row["high95_ns"]))
        self.assertEqual((rows[-1]["value_ns"], rows[-1]["low95_ns"], rows[-1]["remarks"].split(";")[0]), ("", "", "it broke"))

    def test_one_of_a_kind_is_told_as_one(self):
        def change(run):
            run["procs"] = 1
            run["points"] = [point for point in only(run, "bcast") if point["procs"] == 2]
            for point in run["points"]:
                point["procs"] = 1
            run["environment"][run["ranks"][0]["host"]]["cores"] = "1"

        texts = self.seen("texts", self.edited(change))[0]["top"]["text"]
        self.assertIn("bcast with 1 process on", texts)
        self.assertIn("1 core", texts)
        self.assertNotIn("1 processes", texts)
        self.assertNotIn("1 cores", texts)

    def test_studies_of_collectives_show_both_schemes_and_tests(self):
        found = self.seen("texts", self.report("4"))[0]["overlap-ibcast"]
        texts = found["panels"]["Overhead with calls to MPI_Test during the work"]
        shown = json.loads(fathom(self.folder, "show", "4", "--json"))["points"]
        overlap = next(point["overlap"] for point in shown if point["size_bytes"] == 65536)
        self.assertIn("64\u00a0KiB, 4 processes: started and waited for immediately, the call takes", texts)
        self.assertIn("time based overhead", texts)
        rows = [line.split("\t") for line in texts.splitlines() if line.startswith(("none\t", *(f"{one['tests']}\t" for one in overlap["intervals"])))]
        self.assertEqual(len(rows), 1 + len(overlap["intervals"]))
        self.assertEqual([row[0] for row in rows if row[-1] == "best"], [str(overlap["best_tests"])])
        self.assertEqual(rows[0][5], f"{overlap['work_based']['availability']:.2f}")

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
        self.assertEqual(found["copied"].splitlines()[0].split("\t"), ["run", "procs", "size", "time", "low95", "high95", "reps"])
        self.assertEqual(len(found["copied"].splitlines()), 10)

    def test_everything_can_be_reached_with_the_keyboard(self):
        found = self.seen("keyboard", self.one)
        self.assertIn("Skip to the findings", found["names"][0])
        self.assertTrue(any(name.startswith("SELECT") for name in found["names"]))
        self.assertTrue(any(name.startswith("DIV chart") for name in found["names"]))
        self.assertTrue(any(name.startswith("SUMMARY") for name in found["names"]))
        self.assertGreater(found["wanted"], 100)
        self.assertEqual(found["unreached"], [], "once round, every chart, link and control is reached")
        self.assertEqual(found["unnamed"], 0, "every control has a name")
        self.assertEqual(found["undescribed"], 0, "what describes a control is there")
        for chart in found["keys"]:
            self.assertEqual(chart["taken"], chart["said"], chart)
            self.assertEqual(chart["taken"], chart["section"] != "barrier", "arrow keys pick a size where there are several")

    def test_all_charts_are_printed_on_white(self):
        found = self.seen("print", self.one)
        self.assertEqual(found["drawn"], found["charts"])
        self.assertEqual(found["ground"], "rgb(255, 255, 255)")
        self.assertGreater(found["bytes"], 50_000)

    def test_links_lead_somewhere(self):
        def change(run):
            run["insights"] = [{"kind": "overlap", "operation": "overlap.isend", "procs": 2, "size_bytes": 65536, "weight": 1, "text": "a finding", "remedy": ""}]

        found = self.seen("links", self.edited(change))
        self.assertEqual(found["dead"], [])
        self.assertEqual(found["target"], "overlap-isend")

    def test_what_analyses_say_is_shown_with_the_point_they_speak_of(self):
        def change(run):
            run["insights"] = [{"kind": "tails", "operation": "bcast", "procs": 4, "size_bytes": 65536, "weight": number, "text": f"finding {number}",
                                "remedy": "fix it"} for number in (3, 7, 1, 6, 2, 5, 4)]
            run["notes"] = [{"kind": "anomaly", "operation": "bcast", "procs": 2, "progress": "", "size_bytes": 8, "text": "a hump"}]
            for point in run["points"]:
                if (point["operation"], point["size_bytes"], point["procs"]) != ("bcast", 65536, 4):
                    for analysis in ("tails", "timeouts", "explanation", "distribution", "processes"):
                        point.pop(analysis, None)
                    continue
                point["tails"] = {"count": 12, "min_ns": 1000, "mean_ns": 1500, "deviation_ns": 100, "by_minimum": [0.5, 0.25, 0.125, 0.0625, 0.0625, 0],
                                  "by_deviation": [0.9, 0.1, 0, 0, 0],
                                  "quantiles": [{"share": 0.9, "value_ns": 1700, "ci95_ns": [1600, 1800], "reason": ""},
                                                {"share": 0.999, "value_ns": None, "ci95_ns": None, "reason": "not enough samples for p99.9"}]}
                point["timeouts"] = {"status": "found", "rto_ns": 2e8, "rto_from": "kernel", "inferred": 3, "counted": 3, "counted_outside": 0, "probes": 2,
                                     "mean_ns": 1500, "mean_without_ns": 1200, "text": "three timeouts", "counted_on": {"h2": 3},
                                     "by_process": {"least_ns": 1000, "step_ns": 2e8,
                                                    "classes": [{"timeouts": "none", "times": 21, "share": 0.875}, {"timeouts": "1", "times": 3, "share": 0.125}],
                                                    "ranks": [{"rank": rank, "host": host, "classes": [{"timeouts": "none", "times": 12 - lost, "share": 1 - lost / 12},
                                                                                                       {"timeouts": "1", "times": lost, "share": lost / 12}]}
                                                              for rank, host, lost in ((0, "h1", 0), (1, "h2", 3))]},
                                     "classes": [{"timeouts": "1", "reps": 3, "share": 0.25, "from_ns": 2e8, "to_ns": 2.1e8},
                                                 {"timeouts": "2", "reps": 0, "share": 0, "from_ns": None, "to_ns": None}]}
                point["explanation"] = {"slow_reps": 6, "threshold_ns": 9000, "small_reps": 2, "unexplained_reps": 1, "text": "three of four are explained",
                                        "causes": [{"kind": "tcp-timeout", "where": "host h2", "reps": 3, "events": 3, "lost_ns": 6e8, "text": "x"}]}
                point["distribution"] = {"text": "two modes", "density": [{"at_ns": point["median_ns"] + 0.04 * i, "density_per_ns": 0.1 * (10 - abs(i))}
                                                                          for i in range(-10, 11)], "modes": [{"at_ns": point["median_ns"], "share": 0.7}],
                                         "fits": [{"family": "gamma", "parameters": {"shape": 2}, "bic": 1, "distance": 0.05, "good": True}]}
                point["processes"] = {"text": "rank 3 is most often the last", "most_often_last_rank": 3,
                                      "ranks": [{"rank": rank, "group": group, "last_share": share}
                                                for rank, group, share in ((0, 0, 0), (1, 1, 0.1), (2, 1, 0.2), (3, 2, 0.7))], "groups": [{"ranks": [0], "low_ns": 1000, "high_ns": 1000},
                                          {"ranks": [1, 2], "low_ns": 1500, "high_ns": 1600}, {"ranks": [3], "low_ns": 2000, "high_ns": 2000}]}
                point["outliers"] = {"fence_ns": 9000, "median_ns": 1500, "reps": 12, "count": 1,
                                     "outliers": [{"launch": 0, "repetition": 7, "rank": 3, "host": "h2", "time_ns": 2e8, "start_ns": 5e6,
                                                   "counted": [{"rank": 3, "host": "h2", "preempted": 1, "waited_ns": 2000000}]}]}

        found = self.seen("analyses", self.edited(change))
        self.assertEqual([text.split(".")[0] for text in found["findings"]], [f"finding {number}" for number in (7, 6, 5, 4, 3)], "the five that matter most")
        self.assertIn("fix it", found["findings"][0])
        self.assertNotIn("Tails", found["before"], "nothing is said where nothing is known")
        self.assertEqual(found["size"], "64\u00a0KiB", "a finding picks its point")
        self.assertIn("not enough samples for p99.9", found["picked"]["Tails"])
        self.assertIn("12.5\u00a0%", found["picked"]["Tails"])
        self.assertIn("below mean + 1 sd", found["picked"]["Tails"])
        timeouts = found["picked"]["TCP timeouts"]
        self.assertIn("three timeouts The retransmission timeout is 200\u00a0ms (the kernel setting). The times suggest 3 timeouts. "
                      "Tail-loss probes found 2 losses.", timeouts)
        self.assertIn("2\t0\t0\u00a0%\t-\t-", timeouts, "a class without repetitions has no times")
        for row in ("all\tall\t87.5\u00a0%\t12.5\u00a0%\t3", "0\th1\t100\u00a0%\t0\u00a0%\t0", "1\th2\t75\u00a0%\t25\u00a0%\t3"):
            self.assertIn(row, timeouts, "what the kernel counted on the host of each process")
        self.assertIn("2\t2\t1.50\u00a0\u00b5s\t1.60\u00a0\u00b5s\t1-2", found["picked"]["Groups of processes"])
        self.assertIn("The most frequent last rank is 3, in 70\u00a0%", found["picked"]["Groups of processes"])
        self.assertIn("host h2", found["picked"]["Why some repetitions were slow"])
        self.assertIn("600\u00a0ms", found["picked"]["Why some repetitions were slow"])
        self.assertIn("ordinary system activity\t\t2\t", found["picked"]["Why some repetitions were slow"], "rows add up to the slow ones")
        self.assertIn("0\t7\t3\t200\u00a0ms\t5.00\u00a0ms\trank 3 on h2: preempted 1, waited 2.00\u00a0ms", found["picked"]["Outliers"])
        self.assertNotIn("Outliers", found["before"], "no outlier, no list")
        self.assertIn("gamma", found["picked"]["Which distribution?"])
        self.assertIn("The line is the kernel density.", found["histogram"])
        self.assertNotIn("The line is the kernel density.", found["histogramBefore"])
        self.assertGreater(found["dark"], 20, "the density is drawn")
        self.assertIn("a hump.", found["picked"]["Findings on the curves"])
        self.assertIn("rank 3 is most often the last", found["processes"])
        self.assertEqual(found["noted"], "8\u00a0B", "a note picks its size")

    def test_text_from_a_result_file_stays_text(self):
        shutil.copy(self.folder / "fathom.db", self.folder / "bad.db")
        with sqlite3.connect(self.folder / "bad.db") as db:
            db.execute("UPDATE run SET label = ?, command_line = ? WHERE id = 1", (ATTACK, "cmd " + ATTACK))
            db.execute("UPDATE run SET label = ? WHERE id = 2", (FORMULA,))
            db.execute("UPDATE job SET mpi_version = ?", ("MPI " + ATTACK,))
            db.execute("UPDATE rank SET host = ? || rank", ("host " + ATTACK,))
            db.execute("UPDATE environment SET value = ?", ("fact " + ATTACK,))
            db.execute("UPDATE point SET operation = ? WHERE operation = 'barrier'", ("op " + ATTACK,))
            db.execute("UPDATE point SET status = 'failed', reason = ? WHERE operation = 'pingpong' AND procs = 4", ("reason " + ATTACK,))
            db.execute("UPDATE point SET remark = ? WHERE operation = 'bcast'", ("remark " + ATTACK,))
            db.execute("INSERT INTO warning (run, severity, code, text, remedy) VALUES (1, 'serious', 'x', ?, ?)",
                       ("warning " + ATTACK, "remedy " + ATTACK))
        db.close()
        found = self.seen("injection", self.report("1", "2", db="bad.db"))
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
        drawn = [text.replace("\u200b", "") for text in found["drawn"]]
        self.assertTrue(any(text.startswith("rank ") and "{a|b}" in text for text in drawn), "a tooltip shows a host as it is")
        self.assertTrue(any("{a|b}" in text and "at or below" in text for text in drawn), "and a label")
        rows = [line.split("\t") for line in found["copied"].split("\n")]
        self.assertEqual({len(row) for row in rows}, {len(rows[0])}, "text keeps to its cell")
        self.assertIn("'=1+1 {a|b} (run 2)", {row[0] for row in rows}, "what looks like a formula is none")
        self.assertEqual(found["environment"].split("\n")[0], "name\tvalue")


if __name__ == "__main__":
    support.main()
