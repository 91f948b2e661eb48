#!/usr/bin/env python3
"""Distributions, tails and processes of stored points, against arithmetic and against the exported samples."""

import csv
import io

import support
from support import DONE, FathomTest

MESSAGE_NS = 10_000  # latency of the platform; bytes and SimGrid's own constant come on top


@support.needs("smpi")
class Tree(FathomTest):
    """A broadcast by a binomial tree to 16: a rank hears of it after as many messages as its number has ones."""

    def processes(self):
        platform = self.write("tree.xml", support.platform_with(smpi__bcast="binomial_tree"))
        self.run_json("bcast", "-n", "16", "--platform", platform, "--sizes", "1k", "--reps", "30")
        document = self.fathom("show", "last", "--processes", "--json", status=DONE).json
        return document["points"][0]["processes"]

    def test_shows_as_groups_of_ranks(self):
        found = self.processes()
        levels = [[rank for rank in range(16) if bin(rank).count("1") == ones] for ones in range(5)]
        self.assertEqual([group["ranks"] for group in found["groups"]], levels)
        for rank in found["ranks"]:
            ones = bin(rank["rank"]).count("1")
            self.assertEqual(rank["group"], ones)
            self.assertEqual(rank["host"], f"pure-16-{rank['rank']}")
            self.assertGreaterEqual(rank["median_ns"], ones * MESSAGE_NS)
            self.assertLess(rank["median_ns"], (ones + 1) * MESSAGE_NS * 1.3)
        self.assertEqual(found["most_often_last_rank"], 15)
        self.assertIn("5 groups", found["text"])

    def test_shows_in_80_columns(self):
        self.processes()
        shown = self.fathom("show", "last", "--processes", status=DONE).stdout
        self.assertIn("Rank 15 on pure-16-15 is the last to finish in 100 % of the repetitions", " ".join(shown.split()))
        table = shown[shown.index("  rank  host"):]
        self.assertTrue(all(len(line) <= 80 for line in table.splitlines()), table)
        shown = self.fathom("show", "last", "--outliers", status=DONE).stdout
        self.assertIn("None of 30 repetitions is an outlier.", shown, "the simulated machine does nothing else")


class Samples(FathomTest):
    """What is reported of a real point follows from its samples."""

    def setUp(self):
        super().setUp()
        self.run_json("pingpong", "-n", "2", "--sizes", "8", "--reps", "3000", *support.options_for(support.a_real_flavour()))
        rows = csv.DictReader(io.StringIO(self.fathom("export", "--samples", "--csv", status=DONE).stdout))
        self.times = sorted(float(row["duration_ns"]) for row in rows if row["rank"] == "0" and row["valid"] == "1")

    def point(self, *words):
        return self.fathom("show", "last", "--json", *words, status=DONE).json["points"][0]

    def test_the_distribution_counts_every_one(self):
        found = self.point("--distribution")["distribution"]
        self.assertEqual(found["count"], len(self.times))
        for histogram in (found["histogram"], found["histogram_log10"]):
            self.assertEqual(sum(histogram["counts"]) + histogram["above"], len(self.times))
        for step in found["steps"]:
            below = sum(time <= step["at_ns"] for time in self.times)
            self.assertAlmostEqual(step["share"], below / len(self.times), places=9)
        self.assertAlmostEqual(sum(mode["share"] for mode in found["modes"]), 1, delta=0.001)
        for fit in found["fits"]:
            self.assertIn(fit["family"], ("normal", "log-normal", "shifted log-normal", "gamma"))
            self.assertLessEqual(0, fit["distance"])
        self.assertEqual([fit["bic"] for fit in found["fits"]], sorted(fit["bic"] for fit in found["fits"]))

    def test_the_tails_are_the_shares_of_their_definition(self):
        found = self.point("--tails")["tails"]
        least = self.times[0]
        for at, share in enumerate(found["by_minimum"]):
            low, high = (at + 1) * least if at else 0, (at + 2) * least if at < 5 else float("inf")
            self.assertAlmostEqual(share, sum(low <= time < high for time in self.times) / len(self.times), places=9)
        self.assertAlmostEqual(sum(found["by_deviation"]), 1, places=9)
        self.assertEqual([quantile["name"] for quantile in found["quantiles"]], ["p90", "p99", "p99.9"])
        for quantile in found["quantiles"]:  # whether times are correlated is up to the machine
            self.assertEqual(quantile["ci95_ns"] is None, "effective sample size" in quantile["reason"] or
                             quantile["value_ns"] is None, quantile)

    def test_outliers_are_the_times_beyond_the_fence(self):
        found = self.point("--outliers")["outliers"]
        beyond = [time for time in self.times if time > found["fence_ns"]]
        self.assertEqual((found["reps"], found["count"]), (len(self.times), len(beyond)))
        self.assertEqual([one["time_ns"] for one in found["outliers"]], beyond[::-1])
        for one in found["outliers"]:
            self.assertEqual((one["launch"], one["rank"]), (0, 0))
            self.assertGreaterEqual(one["start_ns"], 0)

    def test_each_rank_has_its_own_where_each_counts(self):
        found = self.point("--distribution", "--over-ranks", "each")["distribution"]
        self.assertEqual([rank["rank"] for rank in found["ranks"]], [0, 1])
        self.assertEqual(found["count"], sum(rank["count"] for rank in found["ranks"]))

    def test_nothing_is_told_unasked(self):
        point = self.point()
        for name in ("distribution", "tails", "processes", "outliers"):
            self.assertNotIn(name, point)


if __name__ == "__main__":
    support.main()
