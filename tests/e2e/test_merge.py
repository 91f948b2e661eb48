"""`fathom merge`: the median over runs, and runs that do not measure the same thing."""

import csv
import io
import statistics

import support
from support import DONE, FathomTest


class Merging(FathomTest):
    def measured(self, *words):
        return self.run_json("bcast", "-n", "4", "--sizes", "8,1k", "--platform", "pure-16", "--reps", "20", *words)

    def test_runs_become_one_with_the_median_of_their_medians(self):
        # The seed decides when ranks start, so that runs differ a little, or not at all.
        runs = [self.measured("--seed", seed) for seed in (1, 2, 3)]
        merged = self.fathom("merge", "1", "2", "3", "--json", status=DONE).json
        self.assertEqual(merged["schema"], "fathom.merge/1")
        self.assertEqual([run["run"] for run in merged["runs"]], [1, 2, 3])
        for place, point in enumerate(merged["points"]):
            medians = [run["points"][place]["median_ns"] for run in runs]
            self.assertEqual(point["medians_ns"], medians)
            self.assertEqual(point["median_ns"], statistics.median(medians))
            self.assertEqual(point["min_median_ns"], min(medians))
            self.assertEqual(point["max_median_ns"], max(medians))
            self.assertAlmostEqual(point["relative_spread"], statistics.stdev(medians) / statistics.mean(medians))
            self.assertEqual(point["runs"], 3)
            self.assertEqual(point["reps"], sum(run["points"][place]["reps"] for run in runs))
            low, high = point["median_ci95_ns"]
            self.assertLessEqual(low, point["median_ns"])
            self.assertGreaterEqual(high, point["median_ns"])

    def test_the_table_and_the_rows_say_the_same(self):
        self.measured()
        self.measured()
        text = self.fathom("merge", "1", "2", status=DONE).stdout
        self.assertTrue(text.startswith("run 1 and run 2 merged: "), text)
        self.assertRegex(text, r"bcast +4 +8 B +2 +40 ")
        rows = list(csv.DictReader(io.StringIO(self.fathom("merge", "1", "2", "--csv", status=DONE).stdout)))
        merged = self.fathom("merge", "1", "2", "--json", status=DONE).json["points"]
        self.assertEqual([int(row["size_bytes"]) for row in rows], [8, 1024])
        self.assertEqual([float(row["median_ns"]) for row in rows], [point["median_ns"] for point in merged])

    def test_a_point_that_one_run_lacks_is_merged_from_the_others(self):
        self.measured()
        self.run_json("bcast", "-n", "4", "--sizes", "8", "--platform", "pure-16", "--reps", "20")
        merged = self.fathom("merge", "1", "2", "--json", status=DONE).json["points"]
        self.assertEqual([point["runs"] for point in merged], [2, 1])
        self.assertEqual(merged[1]["missing"], ["run 2: not measured"])
        text = self.fathom("merge", "1", "2", status=DONE).stdout
        self.assertIn("Missing: bcast, 1 KiB, 4 processes: run 2: not measured.", text)

    def test_runs_that_do_not_measure_the_same_thing_are_refused(self):
        self.measured()
        self.run_json("bcast", "-n", "4", "--sizes", "8,1k", "--platform", "myrinet-128", "--reps", "20")
        self.run_json("bcast", "-n", "8", "--sizes", "8,1k", "--platform", "pure-16", "--reps", "20")
        self.measured("--over-ranks", "root")
        self.assert_refused(self.fathom("merge", "1", "2"), "do not measure the same thing: .*platform", "--anyway")
        self.assert_refused(self.fathom("merge", "1", "3"), "do not measure the same thing")
        self.assert_refused(self.fathom("merge", "1", "4"), "over_ranks")
        self.assert_refused(self.fathom("merge", "1"), "at least two runs")
        self.assert_refused(self.fathom("merge", "1", "last", "1"), "given twice")
        anyway = self.fathom("merge", "1", "4", "--anyway", status=DONE).stdout
        self.assertIn("Note: run 1 and run 4 differ in over_ranks", anyway)


if __name__ == "__main__":
    support.main()
