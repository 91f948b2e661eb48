#!/usr/bin/env python3
"""What `fathom tree analyze` says of traced calls whose answer is known: closed values, a delayed rank, an uneven program."""

import collections
import re
import xml.etree.ElementTree as xml

import support
from support import DONE, FathomTest

PROCS = 8
CALLS = 101
SHAPES = ("flat", "binary", "chain", "two-level")
# Stamps are whole nanoseconds, rounded from simulated time in seconds, a double: a difference of two is off by less than one.
ROUNDING_NS = 1
HEADER_BYTES = 16  # that SimGrid adds to every message
UNITS = {"us": 1e3, "GBps": 1.0}  # to ns and bytes per ns


def attribute_of_cluster(platform, name):
    """In ns or bytes per ns."""
    text = xml.parse(support.PLATFORMS / f"{platform}.xml").getroot().find("cluster").get(name)
    number, unit = re.fullmatch(r"([\d.]+)([A-Za-z]+)", text).groups()
    return float(number) * UNITS[unit]


class ClosedForm:
    """When data of an allreduce pass the nodes of a tree if all ranks enter simultaneously and work takes no time.

    A message takes the latency, then its bytes by the bandwidth of the links of its two hosts. Messages that are sent
    simultaneously to one host, or from one, share its link equally. Nodes of one rank pass data on without time."""

    def __init__(self, drawn, latency_ns, message_ns):
        self.latency_ns, self.message_ns = latency_ns, message_ns
        self.rank, self.parent, self.children = {}, {}, collections.defaultdict(list)
        for join in drawn["joins"]:
            self.rank[join["join"]], self.parent[join["join"]] = join["rank"], join["parent"]
        for leaf in drawn["leaves"]:
            self.rank[leaf["rank"]], self.parent[leaf["rank"]] = leaf["rank"], leaf["parent"]
        for node, parent in self.parent.items():
            self.children[parent].append(node)
        (self.root,) = self.children[None]
        self.ready, self.arrived = {}, {}  # down: at the node's end of its edge and at its parent's
        self._down(self.root)
        self.result = {self.root: self.ready[self.root]}  # up: when a node has it
        self._up(self.root)

    def remote(self, node):
        return self.parent[node] is not None and self.rank[node] != self.rank[self.parent[node]]

    def _down(self, join):
        for child in self.children[join]:
            if child in self.children:
                self._down(child)
            else:
                self.ready[child] = 0
        for child in self.children[join]:
            self.arrived[child] = self.ready[child]
            if self.remote(child):
                # Others that set out for the same rank then. Their joins are this one: a rank's other joins lie on its way here,
                # where messages that set out as early have all arrived.
                sharing = sum(1 for other in self.children[join] if self.remote(other) and self.ready[other] == self.ready[child])
                self.arrived[child] += self.latency_ns + sharing * self.message_ns
        self.ready[join] = max(self.arrived[child] for child in self.children[join])

    def _leaving(self, join):
        """Messages that leave with the result, of this join and of those on the same rank that get it from here."""
        return sum(1 if self.remote(child) else self._leaving(child) for child in self.children.get(join, ()))

    def _up(self, join, leaving=None):
        leaving = self._leaving(join) if leaving is None else leaving
        for child in self.children.get(join, ()):
            self.result[child] = self.result[join]
            if self.remote(child):
                self.result[child] += self.latency_ns + leaving * self.message_ns
            self._up(child, None if self.remote(child) else leaving)


@support.needs("smpi")
class PurePlatform(FathomTest):
    def setUp(self):
        super().setUp()
        for shape in SHAPES:
            hosts = ("--hosts", PROCS // 2) if shape == "two-level" else ()
            self.fathom("tree", "make", shape, "-n", PROCS, *hosts, "-o", f"{shape}.toml", status=DONE)

    def analyzed(self, size_bytes):
        """For each shape what the analysis says and what it should, and the times of a message of its own."""
        self.run_json("allreduce", "--platform", "pure-16", "-n", PROCS, "--sizes", size_bytes, "--reps", CALLS, "--warmup", 1, "--trace",
                      "--via", ",".join(f"tree:{shape}.toml" for shape in SHAPES))
        points = self.fathom("tree", "analyze", "last", "--json", status=DONE).json["points"]
        self.assertEqual([point["tree"] for point in points], list(SHAPES))
        latency_ns = attribute_of_cluster("pure-16", "bb_lat")
        message_ns = (size_bytes + HEADER_BYTES) / attribute_of_cluster("pure-16", "bw")
        for shape, point in zip(SHAPES, points):
            drawn = self.fathom("tree", "show", f"{shape}.toml", "--json", status=DONE).json
            yield shape, point, ClosedForm(drawn, latency_ns, message_ns), latency_ns, message_ns

    def assert_is(self, stage, closed_ns, what, differences=1):
        """In all calls, not only on average, but for the last of a series: ranks that have left it already exchange messages on
        what comes next, which share links with those of the call."""
        for field in ("min_ns", "p10_ns", "median_ns", "p90_ns"):
            self.assertLess(abs(stage[field] - closed_ns), differences * ROUNDING_NS, (what, field, stage, closed_ns))

    def check_point(self, point, closed):
        self.assertEqual((point["calls"], point["complete_calls"], point["dropped_events"]), (CALLS, CALLS, 0))
        self.assert_is(point["store"], 0, "store")
        self.assertEqual(len(point["edges"]), len(closed.parent) - 1)
        for edge in point["edges"]:
            node = edge.get("join", edge.get("rank"))
            down = closed.arrived[node] - closed.ready[node]
            up = closed.result[node] - closed.result[closed.parent[node]]
            self.assert_is(edge["down"], down, ("edge down", node))
            self.assert_is(edge["up"], up, ("edge up", node))
            self.assert_is(edge["two_way"], down + up, ("two-way", node), differences=2)
            self.assertEqual(edge["clock_bound_ns"], 0)
        self.assertEqual(len(point["joins"]), sum(1 for node in closed.children if node is not None))
        for join in point["joins"]:
            name = join["join"]
            self.assert_is(join["down"], 0, ("join down", name))
            self.assert_is(join["up"], 0, ("join up", name))
            self.assertEqual(len(join["contributors"]), len(closed.children[name]))
            for contributor in join["contributors"]:
                node = contributor.get("join", contributor.get("rank"))
                self.assert_is(contributor["arrival_wait"], closed.ready[name] - closed.arrived[node], ("arrival wait", node))
                self.assert_is(contributor["departure_wait"], 0, ("departure wait", node))
        for path in point["paths"]:
            self.assert_is(path["in_call"], closed.result[path["rank"]], ("path", path["rank"]))
        leaves = range(PROCS)
        self.assert_is(point["tree_time"], max(closed.result[leaf] for leaf in leaves), "tree")

    def test_every_stage_of_four_shapes_equals_its_closed_value(self):
        for size_bytes in (8, 1000):
            for shape, point, closed, latency_ns, message_ns in self.analyzed(size_bytes):
                with self.subTest(shape, size_bytes=size_bytes):
                    self.check_point(point, closed)
                    # By hand: edges one after the other, and messages that share a link.
                    edges, messages = {"flat": (2, 7 + 7),                         # all to rank 0, and back
                                       "chain": (2 * 7, 2 * 7),                    # each alone
                                       "two-level": (4, (1 + 3) + (4 + 1)),        # rank 0 also sends to its neighbour
                                       "binary": (6, (1 + 1 + 1) + (2 + 2 + 1))}[shape]
                    self.assert_is(point["tree_time"], edges * latency_ns + messages * message_ns, shape)


def late(seed, rank=None, delay_ns=0, noise_ns=3000):
    """Environment in which ranks work with noise between MPI_Barrier and a call, and one of them longer: see late.c."""
    delayed = {} if rank is None else {"LATE_RANK": str(rank), "LATE_NS": str(delay_ns)}
    return {"LD_PRELOAD": support.preload("late"), "LATE_SEED": str(seed), "LATE_NOISE_NS": str(noise_ns), **delayed}


@support.needs("smpi")
class DelayedRank(FathomTest):
    """bench/tree_late.py does the same 100 times each."""

    def named(self, shape, **delay):
        self.fathom("run", "allreduce", "--platform", "pure-16", "-n", PROCS, "--sizes", 8, "--reps", 200, "--start", "mpi-barrier",
                    "--trace", "--via", f"tree:{shape}.toml", env=late(**delay), status=DONE)
        point = self.fathom("tree", "analyze", "last", "--json", status=DONE).json
        return [leaf["rank"] for leaf in point["late"]]

    def test_is_named_and_nobody_is_without_one(self):
        for shape in SHAPES:
            hosts = ("--hosts", PROCS // 2) if shape == "two-level" else ()
            self.fathom("tree", "make", shape, "-n", PROCS, *hosts, "-o", f"{shape}.toml", status=DONE)
            for seed in (1, 2):
                rank = (3 * seed + SHAPES.index(shape)) % PROCS
                with self.subTest(shape, seed=seed):
                    # A fifth of the slowest tree's time.
                    self.assertEqual(self.named(shape, seed=seed, rank=rank, delay_ns=30_000), [rank])
                    self.assertEqual(self.named(shape, seed=seed), [])


@support.needs("smpi")
class UnevenProgram(FathomTest):
    def analyzed(self, shape, imbalance, grid=256):
        # Computing is to count for something beside the latency.
        near = (support.PLATFORMS / "pure-16.xml").read_text(encoding="utf-8").replace('bb_lat="10us"', 'bb_lat="1us"')
        self.write("near.xml", near)
        hosts = ("--hosts", PROCS // 2) if shape == "two-level" else ()
        self.fathom("tree", "make", shape, "-n", PROCS, *hosts, "-o", "t.toml", status=DONE)
        self.run_json("kernel.sor", "--platform", "near.xml", "-n", PROCS, "--grid", grid, "--imbalance", imbalance,
                      "--iterations", 200, "--reps", 2, "--warmup", 0, "--via", "tree:t.toml", "--trace")
        point = self.fathom("tree", "analyze", "last", "--json", status=DONE).json
        return point, " ".join(self.fathom("tree", "analyze", "last", status=DONE).stdout.split())

    def test_is_found_and_attributed_and_no_tree_is_blamed(self):
        last = PROCS - 1
        for shape in SHAPES:
            with self.subTest(shape):
                point, text = self.analyzed(shape, 300)
                # 32 rows on average: 128 on the last rank, 18 on the others.
                self.assertEqual(point["load_balance"]["busiest"]["rank"], last)
                self.assertAlmostEqual(point["load_balance"]["busiest"]["times_middle"], 128 / 18, delta=0.01)
                first, *others = point["late"]
                self.assertEqual((first["rank"], first["follows_rank"]), (last, None))
                # Its neighbour gets a row from it before each call, and the next one from that.
                self.assertLessEqual({leaf["rank"] for leaf in others}, {last - 1, last - 2})
                self.assertEqual({leaf["follows_rank"] for leaf in others} - {last}, set())
                self.assertGreater(point["load_balance"]["program_share"], 0.5)
                self.assertRegex(text, rf"Rank {last} computes 7\.11 times as long as the middle one\. Rank {last}(,| and) rank {last - 1} ")
                self.assertRegex(text, r"What to change Tuning the tree will not help: \d+ % of a call")
                self.assertIn("Balance the program's work", text)
                kinds = [advice["kind"] for advice in point["advice"]]
                self.assertEqual(kinds[:2], ["program-imbalance", "late-leaf"])
                self.assertEqual(set(kinds[2:]) - {"late-leaf"}, set(), "and nothing on the tree")

    def test_the_rank_with_more_work_is_named_where_only_its_neighbours_enter_late(self):
        for shape, imbalance in (("two-level", 50), ("flat", 50), ("chain", 100)):
            with self.subTest(shape):
                point, text = self.analyzed(shape, imbalance)
                self.assertEqual(point["load_balance"]["busiest"]["rank"], PROCS - 1)
                self.assertEqual({leaf["follows_rank"] for leaf in point["late"]} - {None}, {PROCS - 1})
                self.assertRegex(text, rf"What to change .*Rank {PROCS - 1} computes .* Give it less work")

    def test_the_rank_with_more_work_is_named_where_the_tree_costs_far_more(self):
        self.fathom("tree", "make", "flat", "-n", PROCS, "-o", "t.toml", status=DONE)
        self.run_json("kernel.sor", "--platform", "pure-16", "-n", PROCS, "--imbalance", 50, "--reps", 2, "--warmup", 0,
                      "--via", "tree:t.toml", "--trace")
        point = self.fathom("tree", "analyze", "last", "--json", status=DONE).json
        self.assertEqual((point["late"], point["load_balance"]["busiest"]["rank"]), ([], PROCS - 1))
        self.assertLess(point["load_balance"]["program_share"], 0.1)
        self.assertEqual([advice["kind"] for advice in point["advice"]], ["late-leaf", "edges-dominate"])
        text = " ".join(self.fathom("tree", "analyze", "last", status=DONE).stdout.split())
        self.assertRegex(text, rf"Rank {PROCS - 1} computes 1\.\d+ times as long as the middle one\. No rank enters calls late")

    def test_nobody_is_named_and_the_tree_may_be_tuned_if_it_is_even(self):
        for shape in SHAPES:
            with self.subTest(shape):
                point, text = self.analyzed(shape, 0)
                self.assertEqual((point["late"], point["load_balance"]["busiest"]), ([], None))
                self.assertIn("No rank enters calls late more often than by chance", text)
                self.assertNotIn("Tuning the tree will not help", text)


if __name__ == "__main__":
    support.main()
