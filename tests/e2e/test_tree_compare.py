#!/usr/bin/env python3
"""`fathom tree compare`: two trees measured in alternation within one job, stage by stage."""

import os
import signal
import sqlite3
import xml.etree.ElementTree

import support
from support import DONE, INTERRUPTED, NOT_MEASURED, FathomTest

PROCS = 8
LATENCY_NS = 10_000  # of a message on pure-16
BYTE_NS = 1
HEADER = 16  # bytes that SimGrid adds to every message
REPS = 12


def sharing_ns(size, messages):
    """When messages of a size that share a link have all arrived."""
    return LATENCY_NS + messages * (size + HEADER) * BYTE_NS


@support.needs("smpi")
class TreeCompare(FathomTest):
    def setUp(self):
        super().setUp()
        for kind in ("flat", "binomial"):
            self.fathom("tree", "make", kind, "-n", PROCS, "-o", f"{kind}.toml", status=DONE)
            self.own_files.add(f"{kind}.toml")

    def compare(self, first, second, *words, sizes="8", status=DONE, **more):
        return self.fathom("tree", "compare", first, second, "--platform", "pure-16", "-n", PROCS, "--sizes", sizes, "--reps", REPS,
                           *words, status=status, **more)

    def stored(self, *words, status=DONE):
        return self.fathom("tree", "compare", *words, status=status)

    def assert_part(self, point, part, name, first_ns, second_ns):
        (found,) = [one for one in point["parts"] if (one["part"], one["name"]) == (part, name)]
        for key, expected in (("first_median_ns", first_ns), ("second_median_ns", second_ns)):
            self.assertAlmostEqual(found[key], expected, delta=4, msg=f"{part} {name} {key}")
        return found

    def test_stages_of_flat_and_binomial_are_those_of_arithmetic(self):
        document = self.compare("flat.toml", "binomial.toml", "--json", sizes="8,4k").json
        self.assertEqual((document["schema"], document["first"], document["second"], document["not_in_both"]),
                         ("fathom.tree-compare/1", "tree:flat-sim", "tree:binomial-sim", []))
        self.assertEqual([(point["operation"], point["procs"], point["size_bytes"]) for point in document["points"]],
                         [("allreduce", PROCS, 8), ("allreduce", PROCS, 4096)])
        for point in document["points"]:
            def ns(messages, size=point["size_bytes"]):
                return sharing_ns(size, messages)
            # Flat: 7 messages share the link of rank 0, both ways. Binomial: three levels; upwards the root serves
            # 3 at a time, the join of rank 4 then 2, that of rank 6 then 1.
            flat = 2 * ns(7)
            binomial = 3 * ns(1) + ns(3) + ns(2) + ns(1)
            self.assertNotIn("implementation", point)
            self.assertGreaterEqual(min(point["first_calls"], point["second_calls"]), REPS)
            self.assertEqual(point["gaps"], [])
            self.assertEqual((point["verdict"], point["faster"]), ("slower", "tree:flat-sim"))
            self.assertAlmostEqual(point["speedup"], binomial / flat, places=3)
            self.assertLessEqual(point["speedup_ci95"][0], point["speedup"] + 1e-9)
            self.assertGreaterEqual(point["speedup_ci95"][1], point["speedup"] - 1e-9)
            self.assert_part(point, "tree", "", flat, binomial)
            self.assert_part(point, "path", "7", flat, binomial)
            for rank, shared in (("7", 1), ("3", 1), ("5", 2), ("1", 3)):
                edge = self.assert_part(point, "edge", rank, flat, ns(1) + ns(shared))
                self.assertEqual((edge["verdict"], edge["reconfigured"]), ("faster", rank != "1"), rank)
                self.assertAlmostEqual(edge["ratio"], (ns(1) + ns(shared)) / flat, places=3)
            self.assertEqual((point["only_first"], point["only_second"]), ([], ["r2", "r4", "r6"]))
            self.assertEqual(point["parts_only_first"], [])
            alone = {(part["part"], part["name"]): part["median_ns"] for part in point["parts_only_second"]}
            for join, shared in (("r2", 3), ("r4", 3), ("r6", 2)):
                self.assertAlmostEqual(alone["edge", join], ns(1) + ns(shared), delta=4, msg=join)
        with sqlite3.connect(self.dir / "fathom.db") as database:
            self.assertEqual(database.execute("SELECT count(DISTINCT job) FROM point").fetchall(), [(1,)])

    def test_what_was_not_reconfigured_yet_got_slower_is_marked(self):
        compared = self.compare("binomial.toml", "flat.toml", "--svg", "both.svg", sizes="4k")
        self.own_files.add("both.svg")
        out = compared.stdout
        self.assertRegex(out, r"\Aallreduce, 4 KiB, 8 processes: \d+ and \d+ traced calls\n")
        self.assertIn("  tree:flat-sim is 1.25 times faster than tree:binomial-sim (95 % interval 1.25\n  to 1.25): 77.6 us instead of 97.0 us.", out)
        self.assertIn("1 part is not", out)
        self.assertRegex(out, r"(?m)^edge of rank 1, both ways +36\.4 us +77\.6 us +\+41\.1 us +2\.1\d\d +2\.1\d\d \.\. 2\.1\d\d +"
                              r"not reconfigured, yet slower$")
        self.assertRegex(out, r"(?m)^edge of rank 3, both ways .* slower$")
        self.assertRegex(out, r"(?m)^edge of join r4, both ways +36\.4 us +- +-36\.4 us +- +- +only in tree:binomial-sim$")
        self.assertIn("Compare again: fathom tree compare tree:binomial-sim tree:flat-sim --run 1\n", out)
        self.assertIn("launch 1 of 1: 2 points\n", compared.stderr)
        root = xml.etree.ElementTree.parse(self.dir / "both.svg").getroot()
        titles = [title.text for title in root.iter("{http://www.w3.org/2000/svg}title")]
        for rank in range(PROCS):
            for tree in ("binomial", "flat"):
                self.assertIn(f"tree:{tree}-sim: rank {rank}", titles)

    def test_stored_trees_are_compared_without_measuring(self):
        first = self.compare("flat.toml", "binomial.toml", "--json").json
        for file in ("flat.toml", "binomial.toml"):
            (self.dir / file).unlink()
        for names in (("tree:flat", "tree:binomial"), ("flat", "binomial"), ("flat.toml", "binomial.toml")):
            with self.subTest(names):
                self.assertEqual(self.stored(*names, "--run", "last", "--json").json, first)
        back = self.stored("tree:binomial", "tree:flat", "--run", 1, "--json").json["points"][0]
        self.assertEqual((back["verdict"], back["faster"], back["speedup"]), ("faster", "tree:flat-sim", first["points"][0]["speedup"]))
        cut, whole = (self.stored("flat", "binomial", "--run", 1, *more).stdout for more in ((), ("--all",)))
        self.assertNotIn("store at the root", cut)
        self.assertRegex(whole, r"(?m)^store at the root .* same$")
        with sqlite3.connect(self.dir / "fathom.db") as database:
            self.assertEqual(database.execute("SELECT count(*) FROM run").fetchall(), [(1,)])

    def test_other_operations_and_several_of_them(self):
        document = self.compare("flat.toml", "binomial.toml", "--op", "bcast", "--op", "barrier", "--json").json
        self.assertEqual([point["operation"] for point in document["points"]], ["bcast", "barrier"])
        text = self.stored("flat", "binomial", "--run", 1).stdout
        self.assertRegex(text, r"\Aoperation +procs +bytes +tree:flat-sim +tree:binomial-sim +faster +times +95 % interval\nbcast ")

    def test_what_cannot_be_compared_is_refused(self):
        for words, *patterns in (
                (("flat.toml",), r"second|B"),
                (("flat.toml", "none.toml"), r"none\.toml"),
                (("flat.toml", "tree:binomial"), r"there is no tree file 'tree:binomial'; give a file to measure it, or --run RUN"),
                (("flat.toml", "flat.toml"), r"both trees are 'flat\.toml'; give two"),
                (("flat.toml", "binomial.toml", "--trace", "off"), r"leave out --trace off"),
                (("flat.toml", "binomial.toml", "--op", "alltoall"), r"alltoall cannot be performed via tree:flat\.toml"),
                (("flat.toml", "binomial.toml", "--via", "library"), r"--via"),
                (("flat.toml", "binomial.toml", "--run", "1", "-n", "8"), r"--run compares what is stored; remove --op and settings"),
                (("flat.toml", "binomial.toml", "-n", "4", "--platform", "pure-16"), r"flat\.toml")):
            with self.subTest(words):
                self.assert_refused(self.fathom("tree", "compare", *words), *patterns)
        self.assertFalse((self.dir / "fathom.db").exists())
        self.run_json("allreduce", "--platform", "pure-16", "-n", PROCS, "--sizes", "8", "--reps", 3, "--via", "tree:flat.toml")
        self.assert_refused(self.fathom("tree", "compare", "flat", "flat", "--run", "1"), r"run 1 has no traced calls")
        self.run_json("allreduce", "--platform", "pure-16", "-n", PROCS, "--sizes", "8", "--reps", 3, "--via", "tree:flat.toml", "--trace")
        self.assert_refused(self.fathom("tree", "compare", "flat", "flt", "--run", "2"),
                            r"run 2 has no tree 'flt'; it has tree:flat-sim\. Did you mean 'tree:flat'\?")
        self.assert_refused(self.fathom("tree", "compare", "flat", "flat", "--run", "2"), r"both trees are tree:flat-sim; give two")

    def test_points_of_one_tree_alone_are_named(self):
        self.compare("flat.toml", "binomial.toml", sizes="8,4k")
        with sqlite3.connect(self.dir / "fathom.db") as database:
            database.execute("DELETE FROM event_block WHERE point IN (SELECT id FROM point WHERE implementation = 'tree:flat-sim' "
                             "AND size_bytes = 8)")
        document = self.stored("flat", "binomial", "--run", 1, "--json").json
        self.assertEqual([point["size_bytes"] for point in document["points"]], [4096])
        self.assertEqual(document["not_in_both"], ["allreduce, 8 B, 8 processes, via tree:binomial-sim"])
        self.assertIn("Note: not compared, since the other tree has no traced calls there: allreduce, 8 B, 8 processes, via "
                      "tree:binomial-sim.\n", self.stored("flat", "binomial", "--run", 1).stdout)

    def test_wrong_data_fail_the_comparison_as_they_fail_a_run(self):
        failed = self.compare("flat.toml", "binomial.toml", status=NOT_MEASURED, env={"FATHOM_SPOIL": "1"})
        self.assertIn("'fathom show 1' says why", failed.stderr)
        self.assertEqual(failed.stdout, "")
        document = self.compare("flat.toml", "binomial.toml", "--json", status=NOT_MEASURED, env={"FATHOM_SPOIL": "1"}).json
        self.assertEqual((document["run"], document["first"], document["points"]), (2, "tree:flat-sim", []))

    def test_ctrl_c_keeps_what_was_measured(self):
        running = self.start("tree", "compare", "-v", "flat.toml", "binomial.toml", "--platform", "pure-16", "-n", PROCS, "--sizes", "1:256k",
                             "--reps", 100)
        running.wait_for(r"^\[1/38\] allreduce ")
        os.kill(running.pid, signal.SIGINT)
        result = running.finish(60)
        self.assertEqual(result.status, INTERRUPTED, result)
        self.assertIn("'fathom run --resume 1' goes on with the others", result.stderr)
        self.fathom("run", "--resume", 1, "--quiet", status=DONE)
        document = self.stored("flat", "binomial", "--run", 1, "--json").json
        self.assertEqual((len(document["points"]), document["not_in_both"]), (19, []))


if __name__ == "__main__":
    support.main()
