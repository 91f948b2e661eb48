#!/usr/bin/env python3
"""Layout of the page: positions of lines and labels, text within its boxes, and text where there is nothing to draw."""
import math

import support
from support import fathom, only, packed

NBSP = "\u00a0"


class DrawingTest(support.PageCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for label, platform in (("first", "pure-16"), ("second", "myrinet-128")):
            fathom(cls.folder, "run", "bcast", "barrier", "-n", "4", "--sizes", "8,1k,64k", "--label", label, "--platform", platform, "--reps", "12")
        cls.one = cls.report("1")
        cls.two = cls.report("1", "2")

    def texts(self, change, choices=(), page=None):
        return self.seen("texts", self.edited(change, page), choices)

    def test_lines_stand_at_the_times_they_name(self):
        low, ratio, bins = 100_000, 1.001, 40
        median, high = 102_000, 103_600

        def change(run):
            for point in only(run, "bcast"):
                point["spread"].update(low_ns=low, ratio=ratio, bins=bins, counts=packed(*range(1, bins + 1)),
                                       quantiles=[[0, low], [0.5, median], [0.99, high], [1, low * ratio**bins]])
                point["distribution"] = {"text": "", "density": [], "modes": [{"at_ns": median, "share": 1}], "fits": []}

        found = self.seen("uprights", self.edited(change))
        for title, times in (("Distribution function", (median, high)), ("Histogram", (median,))):
            whole = bins * math.log(ratio)
            room = 0.02 * whole
            wanted = [66 + (found[title]["width"] - 66 - 18) * (math.log(time / low) + room) / (whole + 2 * room) for time in times]
            self.assertEqual(len(found[title]["at"]), len(wanted), title)
            for at, right in zip(sorted(found[title]["at"]), wanted):
                self.assertAlmostEqual(at, right, delta=2, msg=title)

    def test_long_names_keep_to_the_page(self):
        def change(*runs):
            for run in runs:
                run["name"] = run["label"] = f"{'x' * 400}{run['run']}"
                run["notes"] = [{"kind": "anomaly", "operation": "bcast", "procs": 4, "progress": "", "size_bytes": 8, "text": "y" * 400}]

        for page in (self.one, self.two):
            for width, at in self.seen("look", self.edited(change, page)).items():
                self.assertLessEqual(at["overflow"], 0, width)

    def test_a_run_that_was_cut_short_says_so_first(self):
        def cut(status, left):
            def change(run):
                run.update(status=status, insights=[], warnings=[])
                for point in only(run, "bcast")[left:]:
                    point.update(status="unavailable", reason="not measured yet", value_ns=None, value_ci95_ns=None, median_ns=None, median_ci95_ns=None)
            return self.texts(change)[0]["top"]["text"]

        hint = "fathom run --resume 1 goes on with the others."
        texts = cut("interrupted", 2)
        self.assertIn(f"This run was interrupted: 2 of 3 points measured. {hint}", texts)
        self.assertIn("Nothing stands out in what was measured", texts)
        texts = cut("failed", 0)
        self.assertIn(f"This run failed: 0 of 3 points measured. {hint}", texts)
        self.assertIn("Nothing was measured", texts)
        self.assertNotIn("Nothing stands out", texts)
        self.assertIn("This run failed: 3 of 3 points measured, but not in every launch. fathom run --resume 1 goes on with the other launches.",
                      cut("failed", 3))
        texts = cut("done", 3)
        self.assertNotIn("--resume", texts)
        self.assertIn("Nothing stands out\n", texts)

    def labels(self, *sizes):
        """What is drawn where these are the sizes."""
        def change(run):
            first = only(run, "bcast")[0]
            run["points"] = [{**first, "size_bytes": size} for size in sizes]
        return self.seen("painted", self.edited(change))["drawn"]

    def test_sizes_have_labels(self):
        drawn = self.labels(5000, 6000, 7000)
        for size in ("4.88", "5.86", "6.84"):
            self.assertIn(f"{size}{NBSP}KiB", drawn, "no power of two is among them")
        drawn = self.labels(0, *(2**power for power in range(21)))
        self.assertIn(f"0{NBSP}B", drawn)
        self.assertNotIn(f"1{NBSP}B", drawn, "it would stand on that of 0")

    def test_of_an_even_number_the_median_lies_between_two(self):
        def change(run):
            points = only(run, "bcast")
            del points[2:]
            for point, skew in zip(points, (100, 300)):
                point["start_skew_median_ns"] = skew
        self.assertIn(f"200{NBSP}ns apart", self.texts(change)[0]["top"]["text"])

    def test_runs_are_compared_where_there_is_one_size(self):
        def change(*runs):
            for run in runs:
                only(run, "barrier")
        chart = self.texts(change, page=self.two)[0]["barrier"]["charts"]["Time relative to first (run 1)"]
        self.assertRegex(chart["caption"], r"^4 processes: \+\d+(\.\d)?\xa0%, ratio \d+\.\d{3} \([\d.]+ \.\. [\d.]+\), slower\.$")
        self.assertEqual((chart["drawn"], chart["numbers"], len(chart["rows"])), (False, True, 2))

    def test_an_interval_that_reaches_zero_has_an_unknown_end(self):
        def change(run):
            point = only(run, "bcast")[1]
            point["value_ci95_ns"] = [0, 1.5 * point["value_ns"]]

        page = self.edited(change)
        charts = self.seen("texts", page)[0]["bcast"]["charts"]
        for title in ("Time against message size", "Bandwidth against message size"):
            self.assertIn("? marks an unknown end of an interval.", charts[title]["caption"])
        self.assertIn("unknown", charts["Bandwidth against message size"]["rows"][2])
        self.assertIn("?", self.seen("painted", page)["drawn"])
        self.assertNotIn("?", self.seen("painted", self.one)["drawn"])

    def test_pairs_within_and_between_hosts_share_one_scale(self):
        def change(run):
            point = only(run, "bcast")[0]
            times = [[None, 300, 5000, 5100], [300, None, 5200, 5300], [5000, 5200, None, 310], [5100, 5300, 310, None]]
            point["matrix"] = {"ranks": [0, 1, 2, 3], "hosts": ["a", "a", "b", "b"], "time_ns": times, "rate_bytes_per_s": times}
            run["points"] = [point]

        page = self.edited(change)
        chart = self.seen("texts", page)[0]["bcast"]["charts"]["Every pair of processes"]
        self.assertIn("latency. Framed: the slowest pair between hosts, 1 and 3 (a, b): 5.30\u00a0\u00b5s; "
                      "the slowest pair within a host, 2 and 3 on b: 310\u00a0ns. Darker is slower.", chart["caption"])
        drawn = self.seen("painted", page)["drawn"]
        self.assertLessEqual({f"300{NBSP}ns", f"5.30{NBSP}\u00b5s"}, set(drawn), "the ends of the scale")

    def test_where_there_is_nothing_to_draw_there_are_words_alone(self):
        def change(run):
            for point in only(run, "bcast"):
                point["spread"]["ranks"]["min_ns"][0] = 0
                if point["size_bytes"] == 1024:
                    point["spread"]["counts"] = packed(0)

        at_first, later = [at["bcast"]["charts"] for at in self.texts(change, [("bcast", "Size", f"8{NBSP}B")])]
        for title in ("Histogram", "Distribution function"):
            self.assertTrue(at_first[title]["caption"].startswith("No times of "))
            self.assertEqual((at_first[title]["drawn"], at_first[title]["numbers"]), (False, False))
            self.assertEqual((later[title]["drawn"], later[title]["numbers"]), (True, True))
        self.assertTrue(at_first["Process by process"]["caption"].endswith("Times of 0 are at the bottom of the axis."))

    def test_ranks_that_are_not_there_are_refused(self):
        choices = [("bcast", "Times of", "some processes"), ("bcast", "ranks", "1-2"), ("bcast", "ranks", "0,99")]
        texts = self.texts(lambda run: only(run, "bcast"), choices)
        self.assertIn("ranks 1-2: 24 times", texts[2]["bcast"]["charts"]["Histogram"]["caption"])
        self.assertIn("There is no rank 99 here. Shown: ranks 1-2.", texts[3]["bcast"]["text"])
        self.assertIn("ranks 1-2 (not the reported value): 24 times", texts[3]["bcast"]["charts"]["Histogram"]["caption"])

    def test_names_do_not_turn_the_page_round(self):
        def change(run):
            run["name"] = "one\u202etwo\u2066three"
        self.assertIn("one\ufffdtwo\ufffdthree", self.texts(change)[0]["top"]["text"])


if __name__ == "__main__":
    support.main()
