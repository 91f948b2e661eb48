#!/usr/bin/env python3
"""Traces that are cut off, incomplete or do not fit: what is left is used, what is missing is said, nothing else is lost."""

import shutil
import sqlite3
import subprocess

import support
from support import DONE, NOT_MEASURED, FathomTest

PROCS = 2
REPS = 6
POINTS = 2
# A flat tree of 2: two leaves with two ends each, and the store at the root.
EVENTS_PER_CALL = 5


class CutJournal(FathomTest):
    """The journal of a probe whose job was killed at any byte."""

    def setUp(self):
        super().setUp()
        self.flavour = support.a_real_flavour()
        support.flat_tree(self.dir / "flat.toml", PROCS)
        self.write("plan.toml", f'operations = ["allreduce"]\nsizes = [8, 64]\nreps = {REPS}\nwarmup = 0\nstart = "barrier"\n'
                                'order = "planned"\nvia = ["tree:flat.toml"]\ntrace = "all"\ncounters = "off"\n')
        subprocess.run([*support.launcher_words(self.flavour, PROCS), str(support.probe(self.flavour)), "plan.toml"], cwd=self.dir,
                       env=self.environment(support.may_run_openmpi()), stdin=subprocess.DEVNULL, check=True, capture_output=True,
                       timeout=support.WAIT_S)
        self.data = (self.dir / "plan.toml.journal").read_bytes()
        self.records = list(support.journal_records(self.dir / "plan.toml.journal"))
        self.ends = [end for kind, _, end in self.records if kind == support.POINT_END]
        self.assertEqual(len(self.ends), POINTS)

    def cuts(self):
        """Every byte of the second point's records with events, and the bytes at both ends of every other record."""
        begin = len(support.JOURNAL_MAGIC)
        found = set()
        for kind, _, end in self.records:
            every = kind == support.EVENT_BLOCK and begin >= self.ends[0]
            found |= set(range(begin, end + 1)) if every else {begin, begin + 1, begin + 15, begin + 17, end - 1, end}
            begin = end
        return sorted(cut for cut in found if self.records[0][2] <= cut < len(self.data))

    def collected(self, length):
        (self.dir / "fathom.db").unlink(missing_ok=True)
        (self.dir / "cut.journal").write_bytes(self.data[:length])
        result = self.fathom("run", "--collect", "cut.journal", "--json", "--quiet")
        self.assertIn(result.status, (DONE, NOT_MEASURED), result)
        return result

    def test_leaves_every_finished_point_with_its_whole_trace(self):
        self.assertIn(support.EVENT_BLOCK, {kind for kind, _, _ in self.records})
        seen = set()
        for length in self.cuts():
            with self.subTest(cut=length):
                whole = sum(1 for end in self.ends if end <= length)
                result = self.collected(length)
                points = result.json["points"]
                self.assertEqual([point["status"] == "ok" for point in points], [i < whole for i in range(POINTS)], result)
                for point in points[:whole]:
                    calls = point["reps"] + point["invalid_reps"] + point["set_aside_reps"]
                    self.assertEqual((point["trace"]["events"], point["trace"]["dropped"]), (EVENTS_PER_CALL * calls, 0))
                if whole in seen:
                    continue
                seen.add(whole)
                self.assertRegex(result.stderr, rf"the probe did not finish(.|\n)*{whole} of {POINTS} points are stored")
                analyzed = self.fathom("tree", "analyze", "last")
                if whole == 0:
                    self.assert_refused(analyzed, r"no traced|no trace")
                else:
                    self.assertEqual(analyzed.status, DONE, analyzed)
                    self.assertIn("calls traced; the tree takes", analyzed.stdout)
        self.assertEqual(seen, set(range(POINTS + 1)))


class DamagedTrace(FathomTest):
    """A result file of which events are missing or damaged."""

    def setUp(self):
        super().setUp()
        support.flat_tree(self.dir / "flat.toml", 4)
        self.run_json("allreduce", "--platform", "pure-16", "-n", 4, "--sizes", 8, "--reps", 20, "--via", "tree:flat.toml", "--trace")
        shutil.copy(self.dir / "fathom.db", self.dir / "good.db")

    def changed(self, statement):
        shutil.copy(self.dir / "good.db", self.dir / "fathom.db")
        with sqlite3.connect(self.dir / "fathom.db") as database:
            database.execute(statement)
        return self.fathom("tree", "analyze", "last")

    def test_blocks_that_are_missing_cost_their_calls_only(self):
        result = self.changed("DELETE FROM event_block WHERE rank = 2")
        self.assertEqual(result.status, DONE, result)
        self.assertIn("Note: 20 of 20 calls lack events and count only where theirs suffice.", result.stdout)
        self.assertRegex(result.stdout, r"(?m)^rank 2 to join root +message +- +- +- +- ")
        self.assertRegex(result.stdout, r"(?m)^rank 1 to join root +message +20\.1 us ")

    def test_a_block_cut_at_any_byte_is_named_with_its_point(self):
        with sqlite3.connect(self.dir / "good.db") as database:
            size = min(size for (size,) in database.execute("SELECT length(data) FROM event_block WHERE rank = 1"))
        for length in range(size):
            with self.subTest(length):
                result = self.changed(f"UPDATE event_block SET data = substr(data, 1, {length}) WHERE rank = 1")
                self.assert_refused(result, r"table event_block, row point 1, rank 1, block 0: column data: ")
                # What is damaged is the trace: the times of the point are still there.
                self.assertEqual(self.shown()["points"][0]["status"], "ok")


@support.needs("smpi")
class FullRing(FathomTest):
    def test_what_was_dropped_is_said_by_the_analysis_and_the_rest_is_used(self):
        support.flat_tree(self.dir / "flat.toml", 4)
        self.run_json("kernel.gsum", "--platform", "pure-16", "-n", 4, "--iterations", 100, "--reps", 3, "--start", "barrier", "--via",
                      "tree:flat.toml", "--trace", "--trace-ring", 16)
        point = self.fathom("tree", "analyze", "last", "--json", status=DONE).json
        self.assertGreater(point["dropped_events"], 0)
        # Rank 0 has 6 events a call, so a ring of 16 has 2 whole calls of each tree; the others' rings have more.
        self.assertGreater(point["complete_calls"], 0)
        self.assertLess(point["complete_calls"], point["calls"])
        text = self.fathom("tree", "analyze", "last", status=DONE).stdout
        self.assertRegex(text, r"Note: \d+ of \d+ calls lack events and count only where theirs suffice and [\d ]+ events found no room in "
                               r"their rings\.")

    def test_a_ring_below_the_least_is_refused(self):
        support.flat_tree(self.dir / "flat.toml", 4)
        self.assert_refused(self.fathom("run", "allreduce", "--platform", "pure-16", "-n", 4, "--via", "tree:flat.toml", "--trace",
                                        "--trace-ring", 4), r'--trace-ring is "4"; give a number from 16')


@support.needs("smpi")
class HostsThatDoNotFit(FathomTest):
    def test_shared_edges_between_hosts_are_refused_by_the_run(self):
        # smp-32x2 has two ranks on a host; the tree expects four.
        self.write("four.toml", '[hosts]\na = "0-3"\n[join.root]\nflag = "0-3"\n')
        self.write("plain.toml", '[join.root]\nflag = "0-3"\n')
        for tree in ("four.toml", "plain.toml"):
            with self.subTest(tree):
                result = self.fathom("run", "allreduce", "--platform", "smp-32x2", "-n", 4, "--sizes", 8, "--reps", 3, "--via",
                                     f"tree:{tree}")
                self.assertEqual(result.status, NOT_MEASURED, result)
                self.assertRegex(result.stdout, rf"unavailable: tree '{tree.removesuffix('.toml')}-sim': the edge from rank 2 to join 'root' is a "
                                                r"flag, but ranks 2 and 0 are on different hosts; make it a message")


if __name__ == "__main__":
    support.main()
