#!/usr/bin/env python3
"""Operations from outside: the list, what a library lacks, who communicates with whom, and closed formulas in simulation."""

import support
from support import BAD_INPUT, DONE, FathomTest

LATENCY_NS = 10_000
HEADER_BYTES = 16  # SimGrid sends so much more with every message
SIZES = (8, 1024, 65536, 1048576)


def message_ns(size):
    """A message of the pure platforms."""
    return LATENCY_NS + sent_ns(size)


def sent_ns(size):
    """Of that, what its bytes take at 1 GB/s."""
    return size + HEADER_BYTES


class List(FathomTest):
    def rows(self, *words):
        return self.fathom("list", "ops", "--json", *words, status=DONE).json["rows"]

    def test_is_long_and_says_what_each_is(self):
        rows = self.rows()
        self.assertGreaterEqual(len(rows), 90)
        self.assertEqual(len({row["operation"] for row in rows}), len(rows))
        for row in rows:
            for field in ("family", "summary", "pattern"):
                self.assertTrue(row[field], row)
            self.assertRegex(row["mpi_version"], r"^[1-4]\.[0-9]$")
            self.assertTrue(row["calls"].startswith("MPI_") or row["operation"] == "empty", row)
            self.assertEqual(row["status"] == "unavailable", bool(row["reason"]), row)

    @support.needs("openmpi")
    def test_says_what_a_library_lacks_and_why(self):
        lacking = [row for row in self.rows("--mpi", "openmpi") if row["status"] == "unavailable"]
        for row in lacking:
            done = self.fathom("run", row["operation"], *support.options_for("openmpi"), status=BAD_INPUT)
            self.assertIn(row["reason"], done.stderr)
            self.assertFalse((self.dir / "fathom.db").exists())
            break
        available = {row["operation"] for row in self.rows("--mpi", "openmpi")} - {row["operation"] for row in lacking}
        self.assertTrue({"pingpong", "bcast", "put.fence", "matrix", "kernel.sor"} <= available)


class Targets(FathomTest):
    """Of one-sided calls that need none of theirs. Simulated calls never wait for the target."""

    def points(self, *words):
        document = self.run_json(*words, "-n", "2", "--platform", "pure-16", "--sizes", "1k", "--reps", "10")
        return {point["operation"]: point for point in document["points"]}

    @support.needs("smpi")
    def test_that_work_do_so_for_as_long_as_asked_and_start_with_the_origin(self):
        for operation in ("get.flush", "put.lock"):
            waiting = self.points(operation)[operation]
            working = self.points(operation, "--target", "working", "--target-work", "500")[operation]
            self.assertEqual((waiting["status"], working["status"]), ("ok", "ok"))
            self.assertEqual((waiting["start"], working["start"]), ("none", "roundtime"))
            self.assertAlmostEqual(working["median_ns"], waiting["median_ns"], delta=2)
            samples = self.fathom("export", "last", "--samples", "--csv", status=DONE).stdout.splitlines()
            rows = [dict(zip(samples[0].split(","), line.split(","))) for line in samples[1:]]
            target = [int(row["duration_ns"]) for row in rows if row["rank"] == "1" and row["valid"] == "1"]
            self.assertEqual(len(target), 10)
            self.assertTrue(all(abs(duration - 500_000) <= 2 for duration in target), target)

    @support.needs("smpi")
    def test_that_work_need_a_common_start(self):
        points = self.points("get.flush", "get.fence", "--target", "working", "--start", "none")
        self.assertEqual(points["get.flush"]["status"], "unavailable")
        self.assertIn("--start none", points["get.flush"]["reason"])
        self.assertEqual(points["get.fence"]["status"], "ok", "its target makes calls of its own")


class Pairs(FathomTest):
    def refusal(self, lines):
        self.write("pairs", lines)
        return self.fathom("run", "pairs-file", "pairs", status=BAD_INPUT).stderr

    def test_from_a_file_must_have_every_process_once(self):
        self.assertIn("pairs:2: process 0 is already in line 1", self.refusal("0 1\n0 2\n"))
        self.assertIn("pairs:3: process 7 is too high", self.refusal("0 1\n# a comment\n2 7\n"))
        self.assertIn("pairs:1: give two different processes", self.refusal("0 0\n"))
        self.assertIn("pairs:1: give two different processes", self.refusal("0 1 2\n"))
        self.assertIn("pairs has no pairs", self.refusal("# nothing\n"))

    def test_must_be_as_many_as_processes(self):
        self.write("pairs", "0 1\n2 3\n")
        done = self.fathom("run", "pairs-file", "pairs", "-n", "6", status=BAD_INPUT)
        self.assertIn("2 pairs need 4 processes, but -n is 6", done.stderr)

    @support.needs("smpi")
    def test_communicate_as_asked(self):
        self.write("pairs", "3 0\n1 2\n")
        for words in (("pairs-file", "pairs"), ("pairs", "--pairs-file", "pairs"), ("pairs", "--pairs", "3-0,1-2")):
            point, = self.run_json(*words, "--platform", "pure-16", "--sizes", "8", "--reps", "10")["points"]
            self.assertEqual((point["pattern"], sorted(point["pairs"]), point["procs"]), ("pairs-file", ["1-2", "3-0"], 4))
        point, = self.run_json("pairs", "-n", "6", "--platform", "pure-16", "--sizes", "8", "--reps", "10")["points"]
        self.assertEqual((point["pattern"], point["pairs"]), ("pairs", ["0-3", "1-4", "2-5"]))

    @support.needs("smpi")
    def test_of_two_may_be_any_two(self):
        for pair, ranks in (("first-last", "0-4"), ("0-1", "0-1"), ("3-2", "2-3")):
            document = self.run_json("pingpong", "--pair", pair, "-n", "5", "--platform", "pure-16", "--sizes", "8", "--reps", "10")
            point, = document["points"]
            self.assertEqual((point["pattern"], point["pairs"], point["status"]), (pair, [ranks], "ok"))
            self.assertAlmostEqual(point["median_ns"], message_ns(8), delta=0.005 * message_ns(8))
        point, = self.run_json("pingpong", "--pair", "2-7", "-n", "5", "--platform", "pure-16", "--sizes", "8", "--reps", "10",
                               status=None)["points"]
        self.assertEqual((point["status"], point["reason"]), ("unavailable", "needs at least 8 processes"))

    @support.needs("smpi")
    def test_of_two_may_be_the_slowest(self):
        # Two hosts of two cores: ranks on one host talk faster.
        document = self.run_json("pingpong", "--pair", "max-latency", "-n", "4", "--platform", "smp-32x2", "--sizes", "8", "--reps", "10")
        point, = document["points"]
        hosts = [rank["host"] for rank in document["ranks"]]
        a, b = map(int, point["pairs"][0].split("-"))
        self.assertNotEqual(hosts[a], hosts[b])


class DataChecks(FathomTest):
    """One operation of each way to move data; tests/mpi/operations.cpp spoils them all."""
    OPERATIONS = ("pingpong", "pingpong.sendrecv_replace", "pingpong.persistent", "pairs.vector", "pairs.bsend", "ring", "halo2d",
                  "fan-out", "bandwidth", "message-rate", "matrix", "duplex", "bcast", "ialltoall", "allreduce", "scan", "put.fence",
                  "put.flush", "accumulate.lock", "win_create", "master.waitany", "kernel.sor", "kernel.gsum")

    def spoilt(self, flavour, rank, *operations):
        document = self.run_json(*operations, "-n", "2", "--sizes", "64", "--reps", "3", "--grid", "8", "--pieces", "5",
                                 "--iterations", "5", *support.options_for(flavour), env={"FATHOM_SPOIL": str(rank)}, status=None)
        self.assertEqual(len(document["points"]), len(operations))
        for point in document["points"]:
            self.assertEqual(point["status"], "failed", (flavour, point["operation"]))
            self.assertIn(f"wrong data before timing on rank {rank}", point["reason"])

    def test_catch_a_spoilt_byte_of_every_family(self):
        for flavour in support.flavours(*support.REAL):
            with self.subTest(flavour=flavour):
                self.spoilt(flavour, 1, *self.OPERATIONS)
                self.spoilt(flavour, 0, "reduce_local", "pack", "get.fence", "reduce", "gather", "fan-in")


@support.needs("smpi")
class ClosedFormulas(FathomTest):
    def times(self, operation, procs, platform="pure-16"):
        document = self.run_json(operation, "-n", procs, "--platform", platform, "--reps", "20",
                                 "--sizes", ",".join(map(str, SIZES)))
        return {point["size_bytes"]: point["median_ns"] for point in document["points"]}

    def assert_times(self, operation, procs, formula, platform="pure-16"):
        for size, measured in self.times(operation, procs, platform).items():
            self.assertLess(abs(measured / formula(size) - 1), 0.005, (operation, procs, size, measured, formula(size)))

    def test_a_ring_takes_one_message(self):
        self.assert_times("ring", 7, message_ns)

    def test_messages_between_pairs_take_one_message(self):
        self.assert_times("pairs", 8, message_ns)
        self.assert_times("pairs", 5, message_ns)

    def test_a_barrier_by_dissemination_takes_its_rounds(self):
        platform = self.write("bruck.xml", support.platform_with(smpi__barrier="ompi_bruck"))
        self.assert_times("barrier", 16, lambda size: 4 * message_ns(size), platform)
        self.assert_times("barrier", 5, lambda size: 3 * message_ns(size), platform)

    def test_a_linear_scatter_shares_the_roots_link_or_takes_turns(self):
        """From 64 KiB on SimGrid's sends wait for their receivers: one message after the other."""
        rendezvous = 65536

        platform = self.write("linear.xml", support.platform_with(smpi__scatter="ompi_basic_linear"))
        self.assert_times("scatter", 6, lambda size: (LATENCY_NS if size < rendezvous else 5 * LATENCY_NS) + 5 * sent_ns(size),
                          platform)

    def test_a_pairwise_alltoall_takes_its_steps(self):
        platform = self.write("pair.xml", support.platform_with(smpi__alltoall="pair"))
        self.assert_times("alltoall", 8, lambda size: 7 * message_ns(size), platform)


if __name__ == "__main__":
    support.main()
