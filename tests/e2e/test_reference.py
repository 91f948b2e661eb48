#!/usr/bin/env python3
"""--via reference:NAME: our own algorithms over point-to-point messages, their times in closed form, and what is refused."""

import csv
import io
import math
import os
import re
import unittest
import xml.etree.ElementTree as xml

import support
from support import DONE, FathomTest

HEADER_BYTES = 16  # that SimGrid adds to every message
PLATFORM = "pure-16"
SEGMENT_BYTES = 32 * 1024  # of the chain
TOLERANCE = 0.01
PROCS = range(2, 17)
# What is measured: powers of two, odd and even numbers between them, since all 15 take minutes. FATHOM_TEST_ALL=1 takes all.
MEASURED = PROCS if os.environ.get("FATHOM_TEST_ALL") else (2, 3, 6, 8, 13)
SIZES = (8, 4096, 262144)
UNITS = {"us": 1e3, "GBps": 1.0}  # to ns and bytes per ns


def attribute_of_cluster(name):
    """In ns or bytes per ns."""
    text = xml.parse(support.PLATFORMS / f"{PLATFORM}.xml").getroot().find("cluster").get(name)
    number, unit = re.fullmatch(r"([\d.]+)([A-Za-z]+)", text).groups()
    return float(number) * UNITS[unit]


ALPHA_NS = attribute_of_cluster("bb_lat")
BETA_NS = 1 / attribute_of_cluster("bw")


def message_ns(size_bytes):
    return ALPHA_NS + (size_bytes + HEADER_BYTES) * BETA_NS


def ceil_lg(number):
    return (number - 1).bit_length()


def power_within(number):
    return 1 << (number.bit_length() - 1)


class Ranks:
    """Processes that pass messages: when each of them is ready. A message starts when both of its ranks are, and takes alpha + bytes
    beta. A rank sends one message at a time, and receives one at the same time: sending and receiving do not share a link. Reducing
    and copying take no time (gamma = 0)."""

    def __init__(self, procs):
        self.ready = [0.0] * procs

    def step(self, *messages):
        """Messages (from, to, bytes) that are under way at the same time. Who takes part goes on when all of its own have ended."""
        ends = [(sender, receiver, max(self.ready[sender], self.ready[receiver]) + message_ns(size)) for sender, receiver, size in messages]
        for sender, receiver, end in ends:
            self.ready[sender] = max(self.ready[sender], end)
            self.ready[receiver] = max(self.ready[receiver], end)

    def swap(self, one, other, there, back):
        self.step((one, other, there), (other, one, back))

    def time(self):
        return max(self.ready)


# The algorithms as the papers have them, as messages between ranks; n is the message, m the block of a process. Root is rank 0, which
# is no restriction: all hosts have the same links. Ranks beyond a power of two act through a neighbour, the pairs from rank 0 on:
# the even one hands its data to the odd one first and gets the result from it at the end.

def binomial(p, size_of_subtree, down):
    """Over the tree in which node v has children v + 1, v + 2, v + 4, ...: down, the farthest first, or up, the nearest first."""
    ranks = Ranks(p)

    def visit(node, reach):
        distances = [1 << k for k in range(ceil_lg(reach)) if 1 << k < reach]
        for distance in reversed(distances) if down else distances:
            blocks = min(distance, reach - distance)
            if down:
                ranks.step((node, node + distance, size_of_subtree(blocks)))
            visit(node + distance, blocks)
            if not down:
                ranks.step((node + distance, node, size_of_subtree(blocks)))

    visit(0, p)
    return ranks


def ring(ranks, size, rounds):
    p = len(ranks.ready)
    for _ in range(rounds):
        ranks.step(*((rank, (rank + 1) % p, size) for rank in range(p)))


class Folded:
    """Ranks beyond a power of two act through their neighbour."""

    def __init__(self, p):
        self.ranks, self.places = Ranks(p), power_within(p)
        self.pairs = p - self.places

    def acting(self, place):
        return 2 * place + 1 if place < self.pairs else place + self.pairs

    def members(self, first, last):
        """Ranks that places from the first to before the last stand for."""
        return (last - first) + max(0, min(last, self.pairs) - first)

    def give(self, size):
        for pair in range(self.pairs):
            self.ranks.step((2 * pair, 2 * pair + 1, size))

    def take_back(self, size):
        for pair in range(self.pairs):
            self.ranks.step((2 * pair + 1, 2 * pair, size))

    def swap_all(self, distance, size_from):
        """Each place with the one at a distance; sizes by the place that sends."""
        for place in range(self.places):
            other = place ^ distance
            if place < other:
                self.ranks.swap(self.acting(place), self.acting(other), size_from(place), size_from(other))

    def distances(self):
        return [1 << k for k in range(ceil_lg(self.places))]


def folded_allreduce(p, n, steps):
    folded = Folded(p)
    folded.give(n)
    steps(folded)
    folded.take_back(n)
    return folded.ranks.time()


def allreduce_recursive_doubling(p, n):
    return folded_allreduce(p, n, lambda folded: [folded.swap_all(distance, lambda _: n) for distance in folded.distances()])


def halving_and_doubling(folded, n):
    for distance in folded.distances():
        folded.swap_all(distance, lambda _, distance=distance: n / (2 * distance))
    for distance in reversed(folded.distances()):
        folded.swap_all(distance, lambda _, distance=distance: n / (2 * distance))


def allreduce_rabenseifner(p, n):
    return folded_allreduce(p, n, lambda folded: halving_and_doubling(folded, n))


def allreduce_ring(p, n):
    ranks = Ranks(p)
    ring(ranks, n / p, 2 * (p - 1))
    return ranks.time()


def reduce_rabenseifner(p, n):
    folded = Folded(p)
    # Rank 0 is the root and acts for its pair: its neighbour hands over to it, which takes as long.
    folded.give(n)
    for distance in folded.distances():
        folded.swap_all(distance, lambda _, distance=distance: n / (2 * distance))
    for distance in reversed(folded.distances()):
        for place in range(distance):
            folded.ranks.step((folded.acting(place + distance), folded.acting(place), n / (2 * distance)))
    return folded.ranks.time()


def allgather_recursive_doubling(p, m):
    folded = Folded(p)
    folded.give(m)
    for distance in folded.distances():
        folded.swap_all(distance, lambda place, distance=distance:
                        m * folded.members(place // distance * distance, place // distance * distance + distance))
    folded.take_back(p * m)
    return folded.ranks.time()


def allgather_bruck(p, m):
    ranks = Ranks(p)
    for k in range(ceil_lg(p)):
        ranks.step(*((rank, (rank - (1 << k)) % p, min(1 << k, p - (1 << k)) * m) for rank in range(p)))
    return ranks.time()


def allgather_ring(p, m):
    ranks = Ranks(p)
    ring(ranks, m, p - 1)
    return ranks.time()


def allgather_neighbor_exchange(p, m):
    if p % 2 != 0:
        return allgather_ring(p, m)
    ranks = Ranks(p)
    for step in range(p // 2):
        for even in range(0, p, 2):
            ranks.swap(even, (even + (1 if step % 2 == 0 else -1)) % p, *((m, m) if step == 0 else (2 * m, 2 * m)))
    return ranks.time()


def alltoall_bruck(p, m):
    ranks = Ranks(p)
    for k in range(ceil_lg(p)):
        blocks = sum(1 for block in range(p) if block >> k & 1)
        ranks.step(*((rank, (rank + (1 << k)) % p, blocks * m) for rank in range(p)))
    return ranks.time()


def alltoall_pairwise_exchange(p, m):
    ranks = Ranks(p)
    for step in range(p):
        for rank in range(p):
            partner = rank ^ step if p == power_within(p) else (step - rank) % p
            if rank < partner:
                ranks.swap(rank, partner, m, m)
    return ranks.time()


def alltoall_pairwise_shift(p, m):
    ranks = Ranks(p)
    for step in range(1, p):
        ranks.step(*((rank, (rank + step) % p, m) for rank in range(p)))
    return ranks.time()


def reduce_scatter_recursive_halving(p, m):
    folded = Folded(p)
    folded.give(p * m)
    for distance in reversed(folded.distances()):
        folded.swap_all(distance, lambda place, distance=distance:
                        m * folded.members((place ^ distance) // distance * distance, (place ^ distance) // distance * distance + distance))
    folded.take_back(m)
    return folded.ranks.time()


def reduce_scatter_recursive_doubling(p, m):
    folded = Folded(p)
    folded.give(p * m)
    for distance in folded.distances():
        folded.swap_all(distance, lambda place, distance=distance:
                        m * (p - folded.members(place // distance * distance, place // distance * distance + distance)))
    folded.take_back(m)
    return folded.ranks.time()


def bcast_scatter_rd_allgather(p, n):
    q = power_within(p)
    ranks = Ranks(p)
    ranks.ready[:q] = binomial(q, lambda blocks: n * blocks / q, down=True).ready
    for k in range(ceil_lg(q)):
        for rank in range(q):
            if rank < rank ^ 1 << k:
                ranks.swap(rank, rank ^ 1 << k, n * (1 << k) / q, n * (1 << k) / q)
    for rank in range(q, p):
        ranks.step((rank - q, rank, n))
    return ranks.time()


def bcast_scatter_ring_allgather(p, n):
    ranks = binomial(p, lambda blocks: n * blocks / p, down=True)
    ring(ranks, n / p, p - 1)
    return ranks.time()


def bcast_chain(p, n):
    segments = max(1, math.ceil(n / SEGMENT_BYTES))
    sizes = [min(SEGMENT_BYTES, n - k * SEGMENT_BYTES) for k in range(segments)]
    # When a rank has a segment, and when it has passed it on: after it has it, after the one before, when the next rank is ready.
    passed = [0.0] * segments
    for _ in range(p - 1):
        had, passed, before = passed, [], 0.0
        for has, size in zip(had, sizes):
            before = max(has, before) + message_ns(size)
            passed.append(before)
    return passed[-1]


def at_once(p, m):
    """A host's link is shared by p - 1 messages that all start at the same time: one latency, all of their bytes."""
    return ALPHA_NS + (p - 1) * (m + HEADER_BYTES) * BETA_NS


MODELS = {
    ("barrier", "dissemination"): lambda p, n: ceil_lg(p) * message_ns(0),
    ("bcast", "binomial"): lambda p, n: binomial(p, lambda _: n, down=True).time(),
    ("bcast", "scatter_rd_allgather"): bcast_scatter_rd_allgather,
    ("bcast", "scatter_ring_allgather"): bcast_scatter_ring_allgather,
    ("bcast", "chain"): bcast_chain,
    ("gather", "binomial"): lambda p, m: binomial(p, lambda blocks: m * blocks, down=False).time(),
    ("gather", "linear"): at_once,
    ("scatter", "binomial"): lambda p, m: binomial(p, lambda blocks: m * blocks, down=True).time(),
    ("scatter", "linear"): at_once,
    ("allgather", "recursive_doubling"): allgather_recursive_doubling,
    ("allgather", "bruck"): allgather_bruck,
    ("allgather", "ring"): allgather_ring,
    ("allgather", "neighbor_exchange"): allgather_neighbor_exchange,
    ("alltoall", "bruck"): alltoall_bruck,
    ("alltoall", "isend_irecv"): at_once,
    ("alltoall", "pairwise_exchange"): alltoall_pairwise_exchange,
    ("alltoall", "pairwise_shift"): alltoall_pairwise_shift,
    ("reduce", "binomial"): lambda p, n: binomial(p, lambda _: n, down=False).time(),
    ("reduce", "rabenseifner"): reduce_rabenseifner,
    ("allreduce", "recursive_doubling"): allreduce_recursive_doubling,
    ("allreduce", "rabenseifner"): allreduce_rabenseifner,
    ("allreduce", "ring"): allreduce_ring,
    ("reduce_scatter", "recursive_halving"): reduce_scatter_recursive_halving,
    ("reduce_scatter", "recursive_doubling"): reduce_scatter_recursive_doubling,
    ("reduce_scatter", "pairwise"): alltoall_pairwise_shift,
}


def closed_form(operation, name, p, size):
    """(alphas, bytes) of the formula in the literature; None where it is for powers of two and p is not one.

    With l = lg p steps whose data double or halve, bytes are m + 2 m + ... + p/2 m = (p - 1) m = (p - 1)/p n. Scatter followed by
    recursive doubling does that twice: 2 lg p alpha + 2 (p - 1)/p n beta (the thesis prints half of it)."""
    n, m, lg = size, size, ceil_lg(p)
    share = (p - 1) / p * n
    segments = max(1, math.ceil(n / SEGMENT_BYTES))
    any_count = {
        ("barrier", "dissemination"): (lg, 0),
        ("bcast", "binomial"): (lg, lg * n),
        ("reduce", "binomial"): (lg, lg * n),
        ("allgather", "bruck"): (lg, (p - 1) * m),
        ("allgather", "ring"): (p - 1, (p - 1) * m),
        ("allgather", "neighbor_exchange"): (p / 2 if p % 2 == 0 else p - 1, (p - 1) * m),
        ("alltoall", "isend_irecv"): (1, (p - 1) * m + (p - 2) * HEADER_BYTES),
        ("gather", "linear"): (1, (p - 1) * m + (p - 2) * HEADER_BYTES),
        ("scatter", "linear"): (1, (p - 1) * m + (p - 2) * HEADER_BYTES),
        ("alltoall", "pairwise_shift"): (p - 1, (p - 1) * m),
        ("reduce_scatter", "pairwise"): (p - 1, (p - 1) * m),
        ("allreduce", "ring"): (2 * (p - 1), 2 * share),
    }
    powers_of_two = {
        ("bcast", "scatter_rd_allgather"): (2 * lg, 2 * share),
        ("bcast", "scatter_ring_allgather"): (lg + p - 1, 2 * share),
        ("gather", "binomial"): (lg, (p - 1) * m),
        ("scatter", "binomial"): (lg, (p - 1) * m),
        ("allgather", "recursive_doubling"): (lg, (p - 1) * m),
        ("alltoall", "bruck"): (lg, lg * p / 2 * m),
        ("alltoall", "pairwise_exchange"): (p - 1, (p - 1) * m),
        ("reduce", "rabenseifner"): (2 * lg, 2 * share),
        ("allreduce", "recursive_doubling"): (lg, lg * n),
        ("allreduce", "rabenseifner"): (2 * lg, 2 * share),
        ("reduce_scatter", "recursive_halving"): (lg, (p - 1) * m),
        ("reduce_scatter", "recursive_doubling"): (lg, (p * lg - (p - 1)) * m),
    }
    if (operation, name) == ("bcast", "chain") and n % SEGMENT_BYTES == 0:
        return (p - 2 + segments, (p - 2 + segments) * SEGMENT_BYTES)
    found = any_count.get((operation, name))
    return found or (powers_of_two.get((operation, name)) if p == power_within(p) else None)


class Models(unittest.TestCase):
    """The critical paths above are what the literature says where it says something."""

    def test_equal_the_closed_forms(self):
        checked = set()
        for key, model in MODELS.items():
            for p in PROCS:
                for size in (0, 8, 1000, 65536, 1 << 20):
                    form = closed_form(*key, p, size)
                    if form is not None and not (key[1] == "chain" and size == 0):
                        alphas, size_bytes = form
                        expected = alphas * message_ns(0) + size_bytes * BETA_NS
                        self.assertAlmostEqual(model(p, size) / expected, 1, delta=1e-9, msg=(key, p, size))
                        checked.add(key)
        self.assertEqual(checked, set(MODELS))


@support.needs("smpi")
class PurePlatform(FathomTest):
    def test_every_algorithm_of_the_registry_has_a_model(self):
        rows = self.fathom("list", "algorithms", "--json", status=DONE).json["rows"]
        self.assertEqual([(row["operation"], row["name"]) for row in rows], list(MODELS))

    def test_every_algorithm_is_documented(self):
        page = (support.SOURCE / "docs" / "algorithms.md").read_text(encoding="utf-8")
        self.assertEqual(re.findall(r"(?m)^\| (\w+) \| `(\w+)` \|", page), list(MODELS))

    def test_every_algorithm_takes_what_its_model_says(self):
        measured = set()
        for operation in dict.fromkeys(operation for operation, _ in MODELS):
            via = ",".join(f"reference:{name}" for other, name in MODELS if other == operation)
            words = () if operation == "barrier" else ("--sizes", ",".join(map(str, SIZES)))
            document = self.run_json(operation, "--platform", PLATFORM, "-n", ",".join(map(str, MEASURED)), *words, "--reps", 2, "--warmup", 0,
                                     "--runs", 1, "--via", via)
            for point in document["points"]:
                name, procs, size = point["implementation"].removeprefix("reference:"), point["procs"], point["size_bytes"]
                with self.subTest(operation=operation, name=name, procs=procs, size_bytes=size):
                    self.assertEqual(point["status"], "ok", point)
                    self.assertAlmostEqual(point["median_ns"] / MODELS[operation, name](procs, size), 1, delta=TOLERANCE)
                    measured.add((operation, name, procs, size))
        self.assertEqual(len(measured), sum(len(MEASURED) * (1 if operation == "barrier" else len(SIZES)) for operation, _ in MODELS))


class Via(FathomTest):
    def options(self, flavour="smpi", procs=3):
        return (*support.options_for(flavour), "-n", procs, "--order", "planned", "--runs", 1)

    def implementations(self, document):
        return [point.get("implementation", "library") for point in document["points"]]

    def test_algorithms_are_measured_and_checked_beside_the_library(self):
        """In one job, with the data of every algorithm verified."""
        cases = {"bcast": ("--sizes", "0,3,100000", "--root", "rotating"), "gather": ("--sizes", "0,3,4k", "--root", "rotating"),
                 "scatter": ("--sizes", "0,3,4k", "--root", "rotating"), "allgather": ("--sizes", "3,4k"), "alltoall": ("--sizes", "3,4k"),
                 "reduce": ("--sizes", "4,4k", "--root", "rotating"), "allreduce": ("--sizes", "4,4k"), "barrier": (),
                 "reduce_scatter": ("--sizes", "4,4k", "--distribution", "linear"), "reduce_scatter_block": ("--sizes", "4,4k"),
                 "kernel.gsum": ("--iterations", 5), "kernel.sor": ("--grid", 16)}
        rows = self.fathom("list", "algorithms", "--json", status=DONE).json["rows"]
        performs = {"reduce_scatter_block": "reduce_scatter", "kernel.gsum": "allreduce", "kernel.sor": "allreduce"}
        for flavour in support.flavours():
            for operation, words in cases.items():
                with self.subTest(flavour=flavour, operation=operation):
                    names = [row["implementation"] for row in rows if row["operation"] == performs.get(operation, operation)]
                    # Three processes of a real library would share two cores, where mpi.reference has up to four of them.
                    procs = 3 if flavour == "smpi" else 2
                    document = self.run_json(operation, *self.options(flavour, procs), *words, "--reps", 6, "--start", "barrier", "--via",
                                             ",".join(["library", *names]))
                    self.assertEqual({point["status"] for point in document["points"]}, {"ok"}, document["points"])
                    self.assertEqual(set(self.implementations(document)), {"library", *names})

    @support.needs("smpi")
    def test_wrong_data_of_an_algorithm_are_found(self):
        run = self.fathom("run", "allgather", *self.options(), "--sizes", "8", "--reps", 5, "--via", "reference:bruck", "--json",
                          env={"FATHOM_SPOIL": "1"})
        (point,) = run.json["points"]
        self.assertEqual(point["status"], "failed")
        self.assertIn("wrong data before timing on rank 1", point["reason"])

    @support.needs("smpi")
    def test_an_algorithm_that_needs_a_commutative_operation_says_so(self):
        names = ("recursive_doubling", "rabenseifner", "ring")
        document = self.run_json("allreduce", *self.options(), "--sizes", "8", "--reps", 5, "--reduce-op", "user-ordered", "--via",
                                 ",".join(f"reference:{name}" for name in names), status=None)
        self.assertEqual([point["status"] for point in document["points"]], ["ok", "ok", "unavailable"])
        self.assertEqual(document["points"][2]["reason"],
                         "reference:ring does not keep the order of ranks, so the operation must be commutative")

    @support.needs("smpi")
    def test_what_stands_in_for_an_algorithm_is_said(self):
        for procs, said in ((3, True), (4, False)):
            (point,) = self.run_json("allgather", *self.options(procs=procs), "--sizes", "8", "--reps", 5, "--via",
                                     "reference:neighbor_exchange")["points"]
            self.assertEqual(any("performed as a ring" in warning for warning in point["warnings"]), said, point["warnings"])

    @support.needs("smpi")
    def test_tables_files_and_comparisons_name_the_algorithm(self):
        run = self.fathom("run", "bcast", *self.options(), "--sizes", "8", "--reps", 5, "--via", "library,reference:binomial,reference:chain",
                          status=DONE)
        for name in ("library", "reference:binomial", "reference:chain"):
            self.assertRegex(run.stdout, rf"(?m)^bcast +{name} +3 +8 B")
        rows = list(csv.DictReader(io.StringIO(self.fathom("export", "last", "--csv", status=DONE).stdout)))
        self.assertEqual([row["implementation"] for row in rows], ["", "reference:binomial", "reference:chain"])
        compared = self.fathom("compare", "last", "last", "--json", status=DONE).json
        self.assertEqual(self.implementations(compared), ["library", "reference:binomial", "reference:chain"])
        page = self.fathom("report", "last", "--json", status=DONE).json
        self.assertEqual(self.implementations(page["runs"][0]), ["library", "reference:binomial", "reference:chain"])

    @support.needs("smpi")
    def test_trees_may_be_traced_beside_algorithms(self):
        support.flat_tree(self.dir / "flat.toml", 3)
        self.own_files.add("flat.toml")
        document = self.run_json("allreduce", *self.options(), "--sizes", "8", "--reps", 5, "--trace", "--via",
                                 "reference:ring,tree:flat.toml")
        self.assertEqual(["trace" in point for point in document["points"]], [False, True])

    def test_names_that_an_operation_lacks_are_refused_with_those_that_it_has(self):
        for words, *patterns in (
                (("bcast", "--via", "reference:binomal"), r"bcast has no reference algorithm 'binomal'\. Did you mean 'binomial'\?",
                 r"takes binomial, scatter_rd_allgather, scatter_ring_allgather, chain for it"),
                (("bcast", "allreduce", "--via", "reference:binomial"), r"allreduce has no reference algorithm 'binomial'",
                 r"takes recursive_doubling, rabenseifner, ring for it"),
                (("scan", "--via", "reference:ring"), r"scan cannot be performed via reference:ring; give some of barrier, bcast, gather"),
                (("ibcast", "--via", "reference:binomial"), r"ibcast cannot be performed via reference:binomial"),
                (("bcast", "--via", "reference"), r"give library, library:NAME, tree:FILE or reference:NAME"),
                (("bcast", "--via", "reference:chain,reference:chain"), r"--via names reference:chain twice"),
                (("bcast", "--via", "reference:chain", "--trace"), r"add --via tree:FILE")):
            with self.subTest(words):
                self.assert_refused(self.fathom("run", *words, "-n", 2), *patterns)
        self.assertFalse((self.dir / "fathom.db").exists())

    def test_the_listing_says_what_there_is(self):
        text = self.fathom("list", "algorithms", status=DONE).stdout
        self.assertRegex(text, r"(?m)^operation +implementation +needs +what it is")
        self.assertRegex(text, r"(?m)^allreduce +reference:ring +a commutative operation +\S")
        self.assertRegex(text, r"(?m)^bcast +reference:chain +- +from rank to rank")


if __name__ == "__main__":
    support.main()
