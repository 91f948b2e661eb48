#!/usr/bin/env python3
"""Trees whose leaves are threads of ranks: measured, checked, traced and analysed thread by thread."""

import sqlite3

import support
from support import DONE, NOT_MEASURED, FathomTest

PROCS = 2
# Two threads on each of two ranks: 4 leaves, 2 joins, and a collector at both ends of every edge but above the root.
TREE = """[join.root]
flag = "0:0-1, far"
[join.far]
futex = "1:0"
condvar = "1:1"
"""
EVENTS_PER_CALL = 2 * (4 + 2) - 1


class Threads(FathomTest):
    def setUp(self):
        super().setUp()
        self.write("threads.toml", TREE)

    def options(self, flavour):
        return (*support.options_for(flavour), "-n", PROCS, "--order", "planned", "--runs", 1, "--start", "barrier")

    def calls(self, point):
        """In all repetitions, whether they count or not."""
        return point["calls_in_a_row"] * (point["reps"] + point["invalid_reps"] + point["set_aside_reps"])

    def leaves(self, nodes):
        return sorted((node["rank"], node["thread"]) for node in nodes if "thread" in node)

    def test_every_thread_takes_part_and_has_events_of_its_own(self):
        for flavour in support.flavours(*support.REAL):
            with self.subTest(flavour):
                document = self.run_json("allreduce", "reduce", "bcast", "barrier", "kernel.gsum", *self.options(flavour), "--sizes", "8,128k",
                                         "--iterations", 11, "--reps", 8, "--via", "tree:threads.toml", "--trace")
                self.assertEqual({point["status"] for point in document["points"]}, {"ok"}, document["points"])
                for point in document["points"]:
                    self.assertEqual(point["trace"]["dropped"], 0)
                    if point["operation"] in ("allreduce", "barrier", "kernel.gsum"):
                        self.assertEqual(point["trace"]["events"], EVENTS_PER_CALL * self.calls(point), point)
                analysis = self.fathom("tree", "analyze", "last", "--point", 0, "--json", status=DONE).json
                self.assertEqual(self.leaves(analysis["edges"]), [(0, 0), (0, 1), (1, 0), (1, 1)])
                contributors = {join["join"]: self.leaves(join["contributors"]) for join in analysis["joins"]}
                self.assertEqual(contributors, {"root": [(0, 0), (0, 1)], "far": [(1, 0), (1, 1)]})
                for join in analysis["joins"]:
                    for contributor in join["contributors"]:
                        self.assertIsNotNone(contributor["arrival_wait_ns"])
                        self.assertIsNotNone(contributor["departure_wait_ns"])
                text = self.fathom("tree", "analyze", "last", "--point", 0, status=DONE).stdout
                self.assertIn("thread 1 of rank 0", text)
                self.assertIn("thread 1 of rank 1", text)

    def test_order_counts_and_calls_may_follow_each_other(self):
        flavour = support.a_real_flavour()
        document = self.run_json("allreduce", "reduce", *self.options(flavour), "--sizes", "64", "--reps", 8, "--in-a-row", 5,
                                 "--reduce-op", "user-ordered", "--root", "rotating", "--via", "library,tree:threads.toml", "--trace")
        self.assertEqual({point["status"] for point in document["points"]}, {"ok"}, document["points"])
        for point in document["points"]:
            if point["operation"] == "allreduce" and "implementation" in point:
                self.assertEqual(point["trace"]["events"], EVENTS_PER_CALL * self.calls(point))

    def test_events_of_threads_are_stored_with_their_rank(self):
        flavour = support.a_real_flavour()
        document = self.run_json("allreduce", *self.options(flavour), "--sizes", "8", "--reps", 8, "--via", "tree:threads.toml", "--trace")
        calls = self.calls(document["points"][0])
        with sqlite3.connect(self.dir / "fathom.db") as database:
            ranks = database.execute("SELECT rank, sum(count) FROM event_block GROUP BY rank ORDER BY rank").fetchall()
        # Rank 0: both ends of its leaf, its thread, the far ends of that and of the join, the store. Rank 1: the rest.
        self.assertEqual(ranks, [(0, 6 * calls), (1, 5 * calls)])

    def test_wrong_data_of_a_thread_are_found(self):
        for operation, wrong in (("allreduce", "element"), ("bcast", "byte"), ("kernel.gsum", "sum")):
            with self.subTest(operation):
                run = self.fathom("run", operation, *self.options(support.a_real_flavour()), "--sizes", "64", "--iterations", 4, "--reps", 3,
                                  "--via", "tree:threads.toml", "--json", env={"FATHOM_SPOIL": "1"})
                (point,) = run.json["points"]
                self.assertEqual(point["status"], "failed")
                self.assertRegex(point["reason"], rf"wrong data before timing on rank 1: thread 1: {wrong} ")

    def test_a_thread_that_would_send_a_message_is_refused(self):
        self.write("wrong.toml", '[join.root]\nflag = 0\nmessage = "1:0-1"\n')
        flavour = support.a_real_flavour()
        for words in (("tree", "check", "wrong.toml", "-n", 2), ("run", "allreduce", *self.options(flavour), "--via", "tree:wrong.toml")):
            self.assert_refused(self.fathom(*words), r"wrong\.toml:3: thread 1 of rank 1 contributes by message, but only thread 0 of a rank "
                                                     r"sends messages; make it a flag, futex or condvar edge")

    def test_sor_computes_in_one_thread(self):
        flavour = support.a_real_flavour()
        run = self.fathom("run", "kernel.sor", *self.options(flavour), "--grid", 16, "--reps", 3, "--via", "tree:threads.toml", "--json")
        (point,) = run.json["points"]
        self.assertEqual(point["status"], "unavailable")
        self.assertIn("take a tree with one leaf for each rank", point["reason"])

    @support.needs("smpi")
    def test_simulated_ranks_have_no_threads(self):
        run = self.fathom("run", "allreduce", *self.options("smpi"), "--sizes", "8", "--reps", 3, "--via", "tree:threads.toml", "--json")
        self.assertEqual(run.status, NOT_MEASURED)
        (point,) = run.json["points"]
        self.assertEqual(point["status"], "unavailable")
        self.assertIn("has leaves for threads, and simulated ranks have none", point["reason"])


if __name__ == "__main__":
    support.main()
