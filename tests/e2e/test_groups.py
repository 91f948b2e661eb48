#!/usr/bin/env python3
"""Operations in several groups simultaneously, and by some of the ranks."""

import support
from support import DONE, FathomTest

OPERATIONS = ("bcast", "allreduce", "pingpong", "pingpong.sendrecv")


def ranks_of(point):
    return [rank["rank"] for rank in point["ranks"]]


@support.needs("smpi")
class Simulated(FathomTest):
    def points(self, *more, platform="pure-16", operations=OPERATIONS):
        document = self.run_json(*operations, "--platform", platform, "--sizes", "8,64k", "--reps", "5", *more)
        return {(point["operation"], point["size_bytes"]): point for point in document["points"]}

    def assert_same_times(self, points, others):
        self.assertEqual(points.keys(), others.keys())
        for key, point in points.items():
            other = others[key]
            self.assertEqual((point["status"], other["status"]), ("ok", "ok"), key)
            self.assertEqual(point["procs"], other["procs"], key)
            self.assertLessEqual(abs(point["median_ns"] - other["median_ns"]) / other["median_ns"], 1e-3, (key, point, other))

    def test_groups_that_share_nothing_take_as_long_as_one_alone(self):
        self.assert_same_times(self.points("-n", "16", "--groups", "4", "--start", "window"),
                               self.points("-n", "4", "--start", "window"))

    def test_the_slowest_group_counts(self):
        """Ranks 0 and 1 share a host, 2 and 4 do not."""
        words = {"platform": "smp-32x2", "operations": ("pingpong",)}
        both = self.points("-n", "6", "--ranks", "0,1,2,4", "--groups", "2", "--start", "window", **words)
        near = self.points("-n", "2", "--start", "window", **words)
        far = self.points("-n", "6", "--ranks", "2,4", "--start", "window", **words)
        self.assert_same_times(both, far)
        for key, point in both.items():
            self.assertEqual(point["pairs"], ["0-1", "2-4"])
            self.assertLess(near[key]["median_ns"], 0.5 * point["median_ns"])

    def test_the_slowest_pair_is_looked_for_among_those_that_take_part(self):
        """Ranks 2 and 3 share a host; rank 0 only listens."""
        words = {"platform": "smp-32x2", "operations": ("pingpong",)}
        some = self.points("-n", "6", "--ranks", "2,3,5", "--pair", "max-latency", **words)
        for point in some.values():
            self.assertRegex(point["pairs"][0], "^[23]-5$")
            self.assertEqual(point["pair_levels"], ["other-host"])

    def test_some_ranks_take_as_long_as_if_they_were_alone(self):
        some = self.points("-n", "8", "--ranks", "4-7", "--over-ranks", "each")
        self.assert_same_times(some, self.points("-n", "4", "--over-ranks", "each"))
        self.assertEqual(ranks_of(some["bcast", 8]), [4, 5, 6, 7])
        self.assertEqual(some["pingpong", 8]["pairs"], ["4-7"], "first and last of those that take part")
        self.assertIn("\nOnly ranks 4-7 took part (--ranks).\n", self.fathom("show", 1).stdout)

    def test_runs_with_other_groups_are_not_comparable(self):
        self.points("-n", "8", "--groups", "2")
        self.points("-n", "4")
        differences = self.fathom("compare", 1, 2, "--json", status=DONE).json["differences"]
        self.assertIn("groups", [difference["what"] for difference in differences if difference["setting"]])
        self.assertIn("2 groups measured simultaneously (--groups)", self.fathom("show", 1).stdout)

    def test_what_cannot_be_done_is_refused(self):
        for words, pattern in ((("-n", "6", "--groups", "4"), "6 processes do not make 4 equal groups"),
                               (("-n", "4", "--ranks", "2-4"), "names rank 4, but -n is 4"),
                               (("-n", "4", "--ranks", "3-2"), "'3-2' runs backwards"),
                               (("-n", "2,4", "--ranks", "0-1"), "--ranks a single one"),
                               (("matrix", "-n", "4", "--groups", "2"), "matrix measures all pairs"),
                               (("overlap.isend", "-n", "4", "--groups", "2"), "studied in one group")):
            with self.subTest(words):
                self.assert_refused(self.fathom("run", "bcast", "--platform", "pure-16", *words), pattern)
        self.assertFalse((self.dir / "fathom.db").exists())


class Real(FathomTest):
    def test_groups_and_some_ranks_measure_with_right_data(self):
        for flavour in support.flavours(*support.REAL):
            with self.subTest(flavour):
                words = (*support.options_for(flavour), "-n", "5", "--sizes", "8,4k", "--reps", "5", "--over-ranks", "each")
                groups = self.run_json("allreduce", "pingpong", "pingpong.sendrecv", "put.fence", *words, "--ranks", "0,2-4", "--groups", "2",
                                       env=support.patient())
                for point in groups["points"]:
                    self.assertEqual((point["status"], point["procs"], ranks_of(point)), ("ok", 2, [0, 2, 3, 4]), point)
                some = self.run_json("allreduce", "pingpong", *words, "--ranks", "1,3-4", env=support.patient())
                self.assertEqual([(point["status"], ranks_of(point)) for point in some["points"]],
                                 2 * [("ok", [1, 3, 4])] + 2 * [("ok", [1, 4])])


if __name__ == "__main__":
    support.main()
