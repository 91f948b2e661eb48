#!/usr/bin/env python3
"""Farms of workers and kernels of programs: what they report besides their time."""

import re

import support
from support import DONE, FathomTest
from test_survey import own_links, settings_of

FARMS = ["master." + name for name in
         ("waitsome", "waitany", "waitall", "testany", "any_source", "send", "isend", "ssend", "bsend")]


def measures_of(point):
    return {measure["name"]: measure for measure in point["measures"]}


def shares_in(text):
    """What a text says of ranks: {"most": (rank, percent), "least": (rank, percent)}."""
    return {which: (int(rank), int(share))
            for rank, which, share in re.findall(r"rank (\d+) (most|least), (\d+) %", text)}


@support.needs("smpi")
class Farm(FathomTest):
    def setUp(self):
        super().setUp()
        # SimGrid lets a test for a message that is not there take 0.1 ms, and more each time, in MPI_Waitsome too.
        self.write("testing.xml", support.platform_with(smpi__test="1e-6"))

    def test_three_workers_do_three_pieces_in_the_time_of_one(self):
        document = self.run_json(*FARMS, "--platform", "testing.xml", "-n", "4", "--pieces", "30", "--piece-work", "1000",
                                 "--sizes", "64", "--reps", "3", "--warmup", "0")
        self.assertEqual([point["operation"] for point in document["points"]], FARMS)
        for point in document["points"]:
            with self.subTest(operation=point["operation"]):
                self.assertEqual(point["status"], "ok")
                measures = measures_of(point)
                # A piece takes 1 ms, and 10 us go by on each way.
                self.assertGreater(measures["pieces_per_s"]["value"], 0.97 * 3 / 1.02e-3)
                self.assertLessEqual(measures["pieces_per_s"]["value"], 3 / 1.02e-3)
                self.assertAlmostEqual(point["median_ns"] * measures["pieces_per_s"]["value"] / 1e9, 1, delta=0.01)
                self.assertGreater(measures["fairness"]["value"], 0.99)
                self.assertLess(measures["master_busy_share"]["value"], 0.05)

    def test_only_answers_that_are_taken_as_they_come_let_fast_workers_do_more(self):
        """Three workers, one of them behind a slow link: it is served as often as the others, or as often as it answers."""
        self.write("links.xml", own_links(4, lambda a, b: 0.1 if b == 3 else 1000))
        self.write("hosts", "".join(f"n{host}\n" for host in range(4)))
        launcher = ("smpirun -np {n} -platform links.xml -hostfile hosts --log=root.threshold:error "
                    f"--cfg=smpi/privatization:no {settings_of('pure-16')}")
        names = ["master." + name for name in ("any_source", "send", "isend", "ssend", "bsend")]
        document = self.run_json(*names, "--mpi", "smpi", "--launcher", launcher, "-n", "4", "--pieces", "60", "--piece-work",
                                 "1", "--sizes", "64", "--reps", "1", "--warmup", "0")
        points = {point["operation"]: point for point in document["points"]}
        self.assertEqual({point["status"] for point in points.values()}, {"ok"}, points)
        self.assertLess(measures_of(points["master.any_source"])["fairness"]["value"], 0.9)
        for name in names[1:]:
            self.assertEqual(measures_of(points[name])["fairness"]["value"], 1, name)
            self.assertGreater(points[name]["median_ns"], 1.5 * points["master.any_source"]["median_ns"], name)

    def test_a_worker_more_does_more(self):
        rates = [measures_of(self.run_json("master.any_source", "--platform", "pure-16", "-n", procs, "--pieces", "24",
                                           "--piece-work", "100", "--sizes", "8", "--reps", "2", "--warmup", "0")
                             ["points"][0])["pieces_per_s"]["value"] for procs in (2, 3, 5)]
        self.assertAlmostEqual(rates[1] / rates[0], 2, delta=0.1)
        self.assertAlmostEqual(rates[2] / rates[0], 4, delta=0.2)

    def test_the_text_says_it_too(self):
        text = self.fathom("run", "master.send", "--platform", "pure-16", "-n", "3", "--pieces", "5", "--sizes", "64",
                           "--reps", "2", "--warmup", "0", status=DONE).stdout
        self.assertRegex(text, r"master\.send, 64 B, 3 processes: [0-9 ]+ pieces/s; the master was busy \d+ % of the "
                               r"time; fairness 0\.962 \(rank 2 had the fewest pieces, 40 %; rank 1 the most, 60 %\)")


@support.needs("smpi")
class Sor(FathomTest):
    def shares(self, imbalance):
        # Computing is to count for something beside the latency.
        near = (support.PLATFORMS / "pure-16.xml").read_text(encoding="utf-8").replace('bb_lat="10us"', 'bb_lat="1us"')
        self.write("near.xml", near)
        point, = self.run_json("kernel.sor", "--platform", "near.xml", "-n", "4", "--grid", "96", "--imbalance", imbalance,
                               "--reps", "2", "--warmup", "0")["points"]
        self.assertEqual(point["status"], "ok")
        return measures_of(point)

    def test_ranks_far_from_the_one_with_most_rows_wait_longest(self):
        measures = self.shares("100")
        self.assertEqual(list(measures), ["compute_share", "point_to_point_share", "allreduce_share"])
        self.assertAlmostEqual(sum(measure["value"] for measure in measures.values()), 1, delta=1e-3)
        computing = shares_in(measures["compute_share"]["text"])
        self.assertEqual(computing["most"][0], 3)
        # 48 rows against 16
        self.assertAlmostEqual(computing["most"][1] / computing["least"][1], 3, delta=0.3)
        waiting = shares_in(measures["allreduce_share"]["text"])
        self.assertEqual(waiting["most"][0], 0)
        # The neighbour of the last rank waits for it before, and comes as late.
        self.assertIn(waiting["least"][0], (2, 3))
        self.assertGreater(waiting["most"][1], 2 * waiting["least"][1])

    def test_nobody_computes_more_where_shares_are_even(self):
        even, uneven = self.shares("0"), self.shares("100")
        self.assertEqual(shares_in(even["compute_share"]["text"]), {})
        self.assertGreater(even["compute_share"]["value"], uneven["compute_share"]["value"])


@support.needs("smpi")
class Gsum(FathomTest):
    def test_takes_as_long_as_allreduce(self):
        points = self.run_json("kernel.gsum", "allreduce", "--platform", "pure-16", "-n", "4", "--iterations", "50",
                               "--sizes", "32", "--reps", "3", "--warmup", "0")["points"]
        gsum, allreduce = points
        self.assertAlmostEqual(gsum["median_ns"] / allreduce["median_ns"], 1, delta=0.2)
        self.assertEqual(measures_of(gsum)["allreduce_share"]["value"], 1)


if __name__ == "__main__":
    support.main()
