#!/usr/bin/env python3
"""Getting around in the page: zooming, hiding runs, links that survive a reload, finding operations, taking charts along."""
import copy
import csv
import io

import support
from support import fathom, only, packed

RED, BLUE = "#d55e00", "#0072b2"  # of the second run and of the first
PNG = "89504e470d0a1a0a"


def width(part):
    return part[1] - part[0]


class ReadingTest(support.PageCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for label, platform in (("first", "pure-16"), ("second", "myrinet-128")):
            fathom(cls.folder, "run", "bcast", "-n", "2,4", "--sizes", "8,64,1k,64k", "--label", label, "--platform", platform, "--reps", "12")
        cls.one = cls.report("1")
        cls.two = cls.report("1", "2")

    def test_charts_zoom_by_wheel_keys_drag_and_fingers(self):
        found = self.seen("zoom", self.one)
        self.assertEqual(found["turned"], [0, 100], "the wheel turns the page where no chart has the focus")
        self.assertLess(width(found["wheel"]), 100)
        self.assertEqual(found["moved"], 0, "the page stays where it is")
        self.assertEqual(found["picked"], found["wheel"], "another size leaves the zoom as it is")
        self.assertEqual(found["all"], [0, 100])
        self.assertEqual(found["key"], [25, 75])
        self.assertEqual(found["double"], [0, 100])
        self.assertLess(width(found["drag"]), 60)
        self.assertFalse(found["dragPicked"], "a drag picks nothing")
        self.assertLess(width(found["fingers"]), 100)

    def test_the_legend_hides_one_run_only_and_keeps_it_hidden(self):
        for title in ("Time against processes", "Distribution function"):
            found = self.seen("legend", self.two, [title])
            self.assertLessEqual({RED, BLUE}, set(found["before"]), title)
            for when in ("hidden", "picked"):
                self.assertIn(RED, found[when], (title, when))
                self.assertNotIn(BLUE, found[when], (title, when))
            self.assertLessEqual({RED, BLUE}, set(found["again"]), title)

    def test_an_address_leads_to_its_point_after_a_reload(self):
        found = self.seen("address", self.two, {"point": "#bcast&size=8&procs=2&run=2", "chart": "#bcast-histogram&size=64&procs=4",
                                                "hostile": "#bcast&variant=%E0%A4%A&size=<b>&procs=-1&run=99", "unknown": "#nothing&size=8"})
        self.assertEqual(found["point"]["picked"]["Size"], "8\u00a0B")
        self.assertEqual(found["point"]["picked"]["Processes"], "2")
        self.assertEqual(found["point"]["picked"]["Run"], "second (run 2)")
        self.assertLess(abs(found["point"]["top"]), 300)
        self.assertEqual(found["chart"]["picked"]["Size"], "64\u00a0B")
        self.assertTrue(0 <= found["chart"]["top"] < 400, found["chart"])
        self.assertEqual(found["hostile"]["picked"]["Processes"], "4", "what is not there is not picked")
        self.assertEqual(found["chosen"]["hash"], "#bcast&size=8&procs=4&run=1")
        self.assertEqual(found["reloaded"]["picked"], found["chosen"]["picked"])
        self.assertEqual(found["copied"]["hash"], "#bcast-histogram&size=8&procs=4&run=1")
        self.assertEqual(found["copied"]["picked"]["Size"], "8\u00a0B")
        self.assertTrue(0 <= found["copied"]["top"] < 400, found["copied"])

    def test_tooltips_stay_in_the_chart_and_leave_what_they_are_about_to_be_seen(self):
        fathom(self.folder, "run", "matrix", "-n", "8", "--sizes", "1k", "--platform", "smp-32x2", "--reps", "3", "--db", "matrix.db")

        def change(*runs):
            """Bars all over the histogram, so that the pointer meets some."""
            for point in (point for run in runs for point in run["points"]):
                low, ratio, bins = point["median_ns"] * 0.9, 1.01, 40
                point["spread"].update(low_ns=low, ratio=ratio, bins=bins, counts=packed(*range(1, bins + 1)), quantiles=[[0, low], [1, low * ratio**bins]])

        charts = [chart for page in (self.edited(change, self.two), self.report("1", db="matrix.db")) for chart in self.seen("tooltips", page)]
        hits = [(chart, hit) for chart in charts for hit in chart["hits"]]
        for chart, hit in hits:
            left, top = (min(line["box"][axis] for line in hit["lines"]) for axis in (0, 1))
            right, bottom = (max(line["box"][axis] for line in hit["lines"]) for axis in (2, 3))
            words = (chart["title"], hit)
            self.assertFalse(left <= hit["at"][0] <= right and top <= hit["at"][1] <= bottom, words)
            self.assertTrue(-1 <= left and right <= chart["size"][0] + 1 and -1 <= top and bottom <= chart["size"][1] + 1, words)
        said = {}
        for chart, hit in hits:
            said.setdefault(chart["title"], []).append("\n".join(line["text"] for line in hit["lines"]))
        self.assertLessEqual({"Time against message size", "Histogram", "Distribution function", "Process by process", "Every pair of processes"}, said.keys())
        for title, place in (("Process by process", r"rank \d+ on \S+"), ("Every pair of processes", r"rank \d+ \(\S+\), rank \d+ \(\S+\)")):
            for words in said[title]:
                self.assertRegex(words, place)

    def test_the_first_screen_of_a_single_point_shows_how_its_times_spread(self):
        def change(run):
            run["points"] = [point for point in only(run, "bcast") if point["procs"] == 4 and point["size_bytes"] == 64]

        self.assertEqual(list(self.seen("texts", self.edited(change))[0]["top"]["charts"]), ["bcast: Histogram"])

    def test_a_wild_point_is_an_arrow_with_its_value_and_leaves_the_others_their_room(self):
        def change(run):
            point = next(point for point in only(run, "bcast") if point["procs"] == 4 and point["size_bytes"] == 64)
            point["value_ns"] *= 1e6
            point["value_ci95_ns"] = [point["value_ns"] * 0.9, point["value_ns"] * 1.1]
            self.wild = point["value_ns"]

        page = self.edited(change)
        caption = self.seen("texts", page)[0]["bcast"]["charts"]["Time against message size"]["caption"]
        self.assertIn("Beyond the axis, as arrows: 1 point.", caption)
        drawn = self.seen("painted", page)["drawn"]
        seconds = [text for text in drawn if text.replace("\u00a0", " ").endswith(" s")]
        self.assertEqual(len(seconds), 1, "the value, and no tick of the axis that far up")
        self.assertAlmostEqual(float(seconds[0].split("\u00a0")[0]), self.wild / 1e9, delta=self.wild / 1e11)

    def many(self, count):
        """A page of many operations."""
        def change(run):
            points = only(run, "bcast")
            run["points"] = [{**copy.deepcopy(point), "operation": f"op{number}"} for number in range(count) for point in points]
        return self.edited(change)

    def test_operations_are_found_by_name_and_made_when_needed(self):
        found = self.seen("search", self.many(60), ["op57", "P4", "<b>nothing</b>"])
        self.assertLess(found["charts"], 100, "far sections wait")
        exact, part, missing = found["at"]
        self.assertEqual((exact["hash"], exact["invalid"], exact["inView"]), ("op57", "false", True))
        self.assertGreater(exact["charts"], 3)
        self.assertEqual((part["hash"], part["invalid"]), ("op4", "false"), "the first that contains it")
        self.assertEqual(missing["invalid"], "true")

    def test_a_page_of_many_operations_prints_all_of_them(self):
        found = self.seen("print", self.many(26))
        self.assertGreater(found["charts"], 26 * 4)
        self.assertEqual(found["drawn"], found["charts"])

    def test_every_chart_can_be_taken_along(self):
        found = self.seen("saved", self.one)
        self.assertGreater(len(found), 5)
        for chart in found:
            self.assertEqual(chart["pngHead"], PNG, chart["title"])
            self.assertGreater(chart["pngBytes"], 3000, chart["title"])
            self.assertTrue(chart["png"].endswith(".png") and chart["svg"].endswith(".svg"))
            self.assertTrue(chart["svgText"].startswith("<svg"), chart["title"])
            self.assertGreater(chart["svgTexts"], 2, "labels are text")
            rows = list(csv.reader(io.StringIO(chart["csv"])))
            self.assertGreater(len(rows), 1, chart["title"])
            self.assertEqual({len(row) for row in rows}, {len(rows[0])}, chart["title"])

    def test_comparisons_open_with_the_largest_changes(self):
        top = self.seen("texts", self.two)[0]["top"]
        chart = top["charts"]["Largest changes relative to first (run 1)"]
        changes = [(row[5] == "slower", float(row[2])) for row in chart["rows"][1:]]
        self.assertEqual(len(changes), 8)
        self.assertEqual(changes, sorted(changes, reverse=True), "what is surely slower, by size of change, then the others")
        self.assertIn("Both runs: bcast with 2, 4 processes", top["text"], "what they have in common is said once")

        self.assertNotIn("beyond the axis", chart["caption"])

        def widen(comparison):
            comparison["points"][0]["ratio_ci95"] = [0.001, 1000]

        wide = self.seen("texts", self.edited(lambda *runs: None, self.two, compared=widen))[0]["top"]
        self.assertIn("An arrow with a number marks an end of an interval beyond the axis.",
                      wide["charts"]["Largest changes relative to first (run 1)"]["caption"])

        def differ(first, second):
            second["mpi_version"] = "another"

        text = self.seen("texts", self.edited(differ, self.two))[0]["top"]["text"]
        self.assertEqual(text.count("bcast with 2, 4 processes"), 2, "each is told of where they differ")


if __name__ == "__main__":
    support.main()
