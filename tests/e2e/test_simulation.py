#!/usr/bin/env python3
"""Simulated networks, whose answer is arithmetic."""

import csv
import io
import math
import re
import xml.etree.ElementTree as xml

import support
from support import BAD_INPUT, DONE, FathomTest

UNITS_S = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
UNITS_BYTES_PER_S = {"Bps": 1.0, "kBps": 1e3, "MBps": 1e6, "GBps": 1e9}


def quantity(text, units):
    number, unit = re.fullmatch(r"([0-9.e+-]+)\s*([A-Za-z]+)", text).groups()
    return float(number) * units[unit]


def cluster(name):
    """(latency in ns, bandwidth in bytes per ns) of a platform file's cluster."""
    tag = xml.parse(support.PLATFORMS / f"{name}.xml").getroot().find("cluster")
    return (quantity(tag.get("bb_lat"), UNITS_S) * 1e9, quantity(tag.get("bw"), UNITS_BYTES_PER_S) / 1e9)


@support.needs("smpi")
class PurePlatform(FathomTest):
    def test_ping_pong_takes_latency_plus_a_constant_plus_bytes_over_bandwidth(self):
        latency_ns, bytes_per_ns = cluster("pure-16")
        document = self.run_json("pingpong", "--platform", "pure-16", "-n", "2", "--sizes", "1:10485760", "--reps", "11")
        points = document["points"]
        self.assertEqual(points[0]["size_bytes"], 1)
        self.assertEqual(points[-1]["size_bytes"], 10485760)
        self.assertGreaterEqual(len(points), 24)
        # The constant is read off the smallest message and has to hold for all.
        constant_ns = points[0]["median_ns"] - latency_ns - 1 / bytes_per_ns
        self.assertGreaterEqual(constant_ns, 0)
        self.assertLess(constant_ns, 100, "SimGrid adds less than 0.1 us to a message")
        for point in points:
            expected_ns = latency_ns + constant_ns + point["size_bytes"] / bytes_per_ns
            with self.subTest(size_bytes=point["size_bytes"]):
                self.assertEqual(point["status"], "ok")
                self.assertEqual(point["reps"], 11)
                for field in ("median_ns", "min_ns", "max_ns", "mean_ns", "p99_ns"):
                    self.assertLessEqual(abs(point[field] - expected_ns) / expected_ns, 1e-3, (field, expected_ns, point))

    def test_ping_pong_is_the_same_between_any_first_and_last_rank(self):
        times = {procs: [point["median_ns"] for point in
                         self.run_json("pingpong", "--platform", "pure-16", "-n", procs, "--sizes", "1,4096", "--reps",
                                       "3")["points"]]
                 for procs in (2, 3, 16)}
        self.assertEqual(times[2], times[3])
        self.assertEqual(times[2], times[16])

    def test_a_broadcast_to_one_other_takes_as_long_as_a_message(self):
        points = self.run_json("pingpong", "bcast", "--platform", "pure-16", "-n", "2", "--sizes", "8,1M", "--reps",
                               "3")["points"]
        for message, broadcast in zip(points[:2], points[2:]):
            # Its time starts after a barrier that not all leave at once: within a few messages' latencies.
            self.assertGreaterEqual(broadcast["median_ns"] * 1.001, message["median_ns"] - cluster("pure-16")[0])
            self.assertLess(broadcast["median_ns"], message["median_ns"] + 3 * cluster("pure-16")[0])

    def test_times_do_not_change_from_run_to_run(self):
        words = [*support.OPERATIONS, "--platform", "pure-16", "-n", "5", "--sizes", "0,3,1000,70000", "--reps", "7"]
        first, second = self.run_json(*words), self.run_json(*words)
        self.assertEqual(first["points"], second["points"])
        samples = [self.fathom("export", run, "--samples", "--csv", status=DONE).stdout.splitlines() for run in (1, 2)]
        self.assertEqual([row.partition(",")[2] for row in samples[0]], [row.partition(",")[2] for row in samples[1]])
        self.assert_nothing_left("fathom.db")

    def test_all_places_are_used_when_no_number_is_given(self):
        document = self.run_json("barrier", "--platform", "pure-16", "--reps", "2", "--warmup", "0")
        self.assertEqual(document["procs"], 16)
        self.assertEqual(len({rank["host"] for rank in document["ranks"]}), 16)

    def test_a_platform_with_two_ranks_a_host_fills_hosts_one_after_the_other(self):
        document = self.run_json("pingpong", "--platform", "smp-32x2", "-n", "3", "--sizes", "8", "--reps", "2")
        hosts = [rank["host"] for rank in document["ranks"]]
        self.assertEqual(hosts[0], hosts[1])
        self.assertNotEqual(hosts[0], hosts[2])

    def test_a_platform_file_of_the_users_own_is_taken(self):
        text = (support.PLATFORMS / "pure-16.xml").read_text(encoding="utf-8").replace('bb_lat="10us"', 'bb_lat="20us"')
        self.write("mine.xml", text)
        ours, theirs = (self.run_json("pingpong", "--platform", platform, "-n", "2", "--sizes", "8", "--reps",
                                      "3")["points"][0]["median_ns"] for platform in ("pure-16", "mine.xml"))
        self.assertAlmostEqual(theirs - ours, 10_000, delta=2)


@support.needs("smpi")
class LargeClusters(FathomTest):
    """Platforms like clusters there are: a message takes latency + (bytes + 16) / bandwidth, or its share of a link."""

    def time_ns(self, *words, per_host=None):
        point, = self.run_json(*words, "--reps", "1", "--warmup", "0", "--no-verify",
                               *(("--ranks-per-host", per_host) if per_host else ()))["points"]
        self.assertEqual(point["status"], "ok")
        return point["max_ns"]

    def check_message(self, platform, procs, latency_ns, bytes_per_ns, per_host=None):
        """Ping-pong between the first and the last rank."""
        for size in (8, 1 << 20):
            with self.subTest(platform=platform, procs=procs, size=size):
                time_ns = self.time_ns("pingpong", "--platform", platform, "-n", procs, "--sizes", size, per_host=per_host)
                self.assertAlmostEqual(time_ns / (latency_ns + (size + 16) / bytes_per_ns), 1, delta=2e-3)

    def test_racks_share_an_uplink_that_saturates_between_32_and_64_hosts(self):
        name, size = "ethernet-128x2", 1 << 20
        self.check_message(name, 2, 1_000, 0.3)
        self.check_message(name, 76, 100_000, 0.0125)
        self.check_message(name, 78, 120_000, 0.0125)
        within, across = (self.time_ns("pairs", "--platform", name, "-n", procs, "--sizes", size, "--over-ranks", "max")
                          for procs in (64, 128))
        # Two ranks share the link of a host. Of 64 hosts, 26 of a rack of 38 send to another rack.
        self.assertAlmostEqual(within / (100_000 + (size + 16) / (0.0125 / 2)), 1, delta=2e-3)
        self.assertAlmostEqual(across / (120_000 + (size + 16) / (0.125 / 52)), 1, delta=2e-3)

    def test_fat_trees_carry_pairs_of_all_hosts_as_fast_as_one(self):
        size = 1 << 20
        for name, hosts, cores, link_ns, bytes_per_ns, own in (("myrinet-128x2", 128, 2, 2_500, 0.222, (1_000, 0.3)),
                                                               ("fat-tree-64x64", 64, 64, 250, 25, (200, 12))):
            self.check_message(name, cores, *own)
            self.check_message(name, 8, 2 * link_ns, bytes_per_ns, per_host=1)
            self.check_message(name, hosts, 4 * link_ns, bytes_per_ns, per_host=1)
            time_ns = self.time_ns("pairs", "--platform", name, "-n", hosts, "--sizes", size, "--over-ranks", "max", per_host=1)
            self.assertAlmostEqual(time_ns / (4 * link_ns + (size + 16) / bytes_per_ns), 1, delta=2e-3)


@support.needs("smpi")
class Summaries(FathomTest):
    def measured(self, platform, size, procs, pair):
        return self.run_json("pingpong", "--platform", platform, "-n", procs, "--pair", pair, "--sizes", size, "--reps", "3",
                             "--warmup", "1")["points"][0]

    def test_of_platforms_state_what_ping_pong_takes_there(self):
        rows = self.fathom("list", "platforms", "--json", status=DONE).json["rows"]
        self.assertTrue(rows)
        for row in rows:
            with self.subTest(row["platform"]):
                # The first rank of another host: hosts are filled one after the other.
                other = row["ranks"] // row["hosts"]
                stated = re.search(r"([\d.]+) us one way", row["summary"])
                self.assertTrue(stated, row["summary"])
                time_ns = self.measured(row["platform"], "8", other + 1, f"0-{other}")["median_ns"]
                self.assertEqual(stated[1], f"{time_ns / 1000:.3g}")
                if rate := re.search(r"([\d.]+) MB/s \(1 MiB\)", row["summary"]):
                    found = self.measured(row["platform"], "1M", other + 1, f"0-{other}")["rate_bytes_per_s"]
                    self.assertEqual(rate[1], f"{found / 1e6:.3g}")
                if within := re.search(r"([\d.]+) us within", row["summary"]):
                    time_ns = self.measured(row["platform"], "8", 2, "0-1")["median_ns"]
                    self.assertEqual(within[1], f"{time_ns / 1000:.3g}")
                if between := re.search(r"([\d.]+) ms between sites", row["summary"]):
                    half = row["ranks"] // 2
                    time_ns = self.measured(row["platform"], "8", half + 1, f"0-{half}")["median_ns"]
                    self.assertEqual(between[1], f"{time_ns / 1e6:.3g}")


@support.needs("smpi")
class PaperPlatforms(FathomTest):
    def test_have_the_hosts_of_the_paper_with_ranks_by_block(self):
        for hosts, cores in ((10, 1), (30, 2), (8, 4), (4, 8)):
            document = self.run_json("barrier", "--platform", f"paper-{hosts}x{cores}", "--reps", "2", "--warmup", "0")
            names = [rank["host"] for rank in document["ranks"]]
            self.assertEqual(names, [f"paper-{hosts}x{cores}-{rank // cores}" for rank in range(hosts * cores)])
        document = self.run_json("barrier", "--platform", "paper-wan", "--reps", "2", "--warmup", "0")
        names = [rank["host"] for rank in document["ranks"]]
        self.assertEqual(names, [f"paper-wan-{'ab'[rank // 16]}-{rank % 16 // 2}" for rank in range(32)])

    def test_messages_have_an_overhead_and_share_the_link_of_their_host(self):
        """A flat tree on 10 hosts, by arithmetic: at rank 0 nine contributions share its link, then take its processor one after
        the other, and so do nine results."""
        support.flat_tree(self.dir / "flat.toml", 10)
        for size_bytes in (8, 1000):
            point, = self.run_json("allreduce", "--platform", "paper-10x1", "--sizes", size_bytes, "--reps", 3, "--warmup", 1,
                                   "--via", "tree:flat.toml")["points"]
            overhead_ns, latency_ns, message_ns = 10_000, 60_000, (size_bytes + 16) / 0.0125
            down_ns = overhead_ns + latency_ns + 9 * message_ns + 9 * overhead_ns
            # Results leave every 10 us; where they take longer than that on the link, the last ones wait for it.
            up_ns = 9 * overhead_ns + latency_ns + message_ns + overhead_ns
            if message_ns > overhead_ns:
                up_ns = overhead_ns + latency_ns + 9 * message_ns + overhead_ns
            self.assertAlmostEqual(point["median_ns"], down_ns + up_ns, delta=0.01 * (down_ns + up_ns))


@support.needs("smpi")
class ManyRanks(FathomTest):
    def test_a_thousand_ranks_meet_at_a_barrier(self):
        document = self.run_json("barrier", "--platform", "flat-1024", "-n", "1024", "--reps", "3", "--warmup", "1",
                                 timeout=200)
        point, = document["points"]
        self.assertEqual((point["status"], point["procs"], point["reps"]), ("ok", 1024, 3))
        self.assertEqual(len(document["ranks"]), 1024)
        # Nobody can know of 1023 others in less time than a tree of messages takes.
        latency_ns, _ = cluster("flat-1024")
        self.assertGreater(point["median_ns"], latency_ns)
        self.assertLess(point["median_ns"], 100 * math.log2(1024) * latency_ns)
        rows = list(csv.DictReader(io.StringIO(self.fathom("export", "--samples", "--csv", status=DONE).stdout)))
        self.assertEqual(len(rows), 3 * 1024)
        self.assert_nothing_left("fathom.db")


@support.needs("smpi")
class Places(FathomTest):
    def test_hosts_get_as_many_processes_as_asked_for(self):
        for words, hosts in (((), 2), (("--ranks-per-host", "1"), 4), (("--ranks-per-host", "2"), 2)):
            document = self.run_json("barrier", "--platform", "smp-32x2", "-n", "4", *words, "--reps", "3")
            self.assertEqual(len({rank["host"] for rank in document["ranks"]}), hosts, words)
        for words, said in ((("--platform", "smp-32x2", "--ranks-per-host", "3"), "have 2 cores, but --ranks-per-host is 3"),
                            (("--platform", "smp-32x2", "-n", "17", "--ranks-per-host", "1"), "has room for 16 processes"),
                            (("--launcher", "run -n {n}", "--ranks-per-host", "1"), "put {ranks-per-host} into --launcher")):
            self.assertIn(said, self.fathom("run", "barrier", *words, status=BAD_INPUT).stderr)

    def test_processes_that_share_a_host_move_change_overs(self):
        """docs/tuning.md, "One process per host or two"."""
        def times(operation, size, per_host, *algorithms):
            document = self.run_json(operation, "--platform", "smp-32x2", "-n", "16", "--ranks-per-host", per_host, "--sizes", size,
                                     "--via", ",".join(f"reference:{name}" for name in algorithms), "--warmup", "2", "--reps", "3")
            return [next(point["median_ns"] for point in document["points"] if point["implementation"] == f"reference:{name}")
                    for name in algorithms]

        for per_host, ring_wins in ((1, False), (2, True)):
            ring, doubling = times("allgather", "512k", per_host, "ring", "recursive_doubling")
            self.assertEqual(ring < doubling, ring_wins, (per_host, ring, doubling))
            ring, doubling = times("bcast", "512k", per_host, "scatter_ring_allgather", "scatter_rd_allgather")
            self.assertEqual(ring < doubling, ring_wins, (per_host, ring, doubling))
            pairwise, halving = times("reduce_scatter", "512k", per_host, "pairwise", "recursive_halving")
            self.assertGreater(pairwise, halving)


if __name__ == "__main__":
    support.main()
