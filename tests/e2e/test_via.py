#!/usr/bin/env python3
"""--via: trees perform collectives beside the library, in alternation within one job; --trace: what happens inside them."""

import csv
import io
import sqlite3
import subprocess

import support
from support import DONE, FathomTest

PROCS = 4
CHAIN = """# each rank joins what comes from the one above it
[join.root]
message = "0, one"
[join.one]
message = "1, two"
[join.two]
message = "2-3"
"""


class Via(FathomTest):
    def setUp(self):
        super().setUp()
        support.flat_tree(self.dir / "flat.toml", PROCS)
        self.write("chain.toml", CHAIN)
        self.own_files.add("flat.toml")

    def options(self, flavour="smpi", procs=PROCS):
        return (*support.options_for(flavour), "-n", procs, "--order", "planned", "--runs", 1)

    def query(self, text, *values):
        with sqlite3.connect(self.dir / "fathom.db") as database:
            return database.execute(text, values).fetchall()

    def repetitions(self, point):
        """All that were made, whether they count or not."""
        return point["reps"] + point["invalid_reps"] + point["set_aside_reps"]

    @staticmethod
    def stored(name, flavour="smpi"):
        """What a tree is called in results: those of simulations have names of their own."""
        return f"tree:{name}-sim" if flavour == "smpi" else f"tree:{name}"

    def implementations(self, document):
        return [point.get("implementation", "library") for point in document["points"]]

    def test_library_and_trees_are_measured_in_alternation_within_one_job(self):
        for flavour in support.flavours():
            with self.subTest(flavour):
                document = self.run_json("allreduce", "reduce", "bcast", "barrier", *self.options(flavour), "--sizes", "8,4k",
                                         "--reps", 20, "--start", "barrier", "--via", "library,tree:flat.toml,tree:chain.toml")
                self.assertEqual({point["status"] for point in document["points"]}, {"ok"}, document["points"])
                self.assertEqual(self.implementations(document), ["library", self.stored("flat", flavour),
                                                                  self.stored("chain", flavour)] * 7)
                self.assertNotIn("implementation", document["points"][0])
                jobs = self.query("SELECT count(DISTINCT job) FROM point WHERE run = ?", document["run"])
                self.assertEqual(jobs, [(1,)])

    @support.needs("smpi")
    def test_the_dimension_is_in_tables_csv_comparisons_and_the_page(self):
        run = self.fathom("run", "bcast", *self.options(), "--sizes", "8", "--reps", 5, "--via", "library,tree:flat.toml", status=DONE)
        self.assertRegex(run.stdout, r"(?m)^operation +implementation +procs +bytes")
        self.assertRegex(run.stdout, r"(?m)^bcast +library +4 +8 B")
        self.assertRegex(run.stdout, r"(?m)^bcast +tree:flat-sim +4 +8 B")
        rows = list(csv.DictReader(io.StringIO(self.fathom("export", "last", "--csv", status=DONE).stdout)))
        self.assertEqual([row["implementation"] for row in rows], ["", self.stored("flat")])
        compared = self.fathom("compare", "last", "last", "--json", status=DONE).json
        self.assertEqual(self.implementations(compared), ["library", self.stored("flat")])
        self.assertEqual(self.query("SELECT implementation FROM point ORDER BY position"), [("",), (self.stored("flat"),)])
        page = self.fathom("report", "last", "--json", status=DONE).json
        self.assertIn({"name": "implementation", "said_as": "via ", "when_empty": "library"}, page["dimensions"])
        self.assertEqual(self.implementations(page["runs"][0]), ["library", self.stored("flat")])

    @support.needs("smpi")
    def test_kernels_run_over_trees(self):
        document = self.run_json("kernel.gsum", "kernel.sor", *self.options(), "--iterations", 7, "--grid", 16, "--reps", 3,
                                 "--via", "library,tree:flat.toml", "--trace")
        self.assertEqual({point["status"] for point in document["points"]}, {"ok"}, document["points"])
        for point in document["points"]:
            if "implementation" not in point:
                self.assertNotIn("trace", point)
                continue
            self.assertEqual(point["trace"]["dropped"], 0)
            # A rank's own end of its edge is passed once a call: by the calls in all repetitions, of every rank.
            calls = point["calls_in_a_row"] * self.repetitions(point)
            self.assertGreaterEqual(point["trace"]["events"], PROCS * calls)

    @support.needs("smpi")
    def test_wrong_data_of_a_tree_are_found(self):
        run = self.fathom("run", "allreduce", *self.options(), "--sizes", "8", "--reps", 5, "--via", "tree:flat.toml", "--json",
                          env={"FATHOM_SPOIL": "1"})
        (point,) = run.json["points"]
        self.assertEqual(point["status"], "failed")
        self.assertIn("wrong data before timing on rank 1", point["reason"])

    @support.needs("smpi")
    def test_a_run_is_resumed_after_its_tree_file_was_deleted(self):
        self.run_json("allreduce", *self.options(), "--sizes", "8,4k", "--reps", 5, "--via", "library,tree:flat.toml")
        with sqlite3.connect(self.dir / "fathom.db") as database:
            database.execute("UPDATE point SET status = 'pending', job = NULL WHERE position = 3")
            database.execute("UPDATE run SET status = 'interrupted'")
        (self.dir / "flat.toml").unlink()
        document = self.fathom("run", "--resume", "last", "--json", status=DONE).json
        self.assertEqual([point["status"] for point in document["points"]], ["ok"] * 4)
        self.assertEqual(self.implementations(document), ["library", self.stored("flat")] * 2)
        self.assertIn("[join.root]", document["plan_toml"], "the content of the tree is stored with the run")

    @support.needs("smpi")
    def test_names_are_unique(self):
        (self.dir / "old").mkdir()
        self.own_files.add("old")
        (self.dir / "old" / "flat.toml").write_text(CHAIN)
        document = self.run_json("bcast", *self.options(), "--sizes", "8", "--reps", 5, "--via", "tree:flat.toml,tree:old/flat.toml")
        self.assertEqual(self.implementations(document), ["tree:flat-sim", "tree:flat-sim-2"])

    @support.needs("smpi")
    def test_what_cannot_be_performed_is_refused(self):
        self.write("broken.toml", "[join.root]\nmessage = \"0-3\"\n[join.root]\n")
        self.write("small.toml", "\n[join.root]\nmessage = \"0-1\"\n")
        for words, *patterns in (
                (("allreduce", "--via", "flat.toml"), r'--via is "flat\.toml"; give library, library:NAME, tree:FILE or reference:NAME'),
                (("allreduce", "--via", "tree:none.toml"), r"none\.toml"),
                (("allreduce", "--via", "tree:broken.toml"), r"broken\.toml:3: "),
                (("allreduce", "--via", "tree:small.toml"), r"small\.toml"),
                (("alltoall", "--via", "tree:flat.toml"), r"alltoall cannot be performed via tree:flat\.toml; give some of barrier, "
                                                          r"bcast, reduce, allreduce, kernel\.sor, kernel\.gsum"),
                (("allreduce", "--via", "tree:flat.toml,tree:flat.toml"), r"--via names tree:flat\.toml twice"),
                (("allreduce", "--via", "library,tree:flat.toml", "--sizes", "8:64:auto"), "known in advance"),
                (("allreduce", "--trace"), "add --via tree:FILE"),
                (("allreduce", "--via", "tree:flat.toml", "--trace", "every=0"), '--trace is "every=0"; give a number from 1'),
                (("allreduce", "--via", "tree:flat.toml", "--trace-ring", 1), '--trace-ring is "1"; give a number from 16')):
            with self.subTest(words):
                self.assert_refused(self.fathom("run", *words, *self.options()), *patterns)
        self.assertFalse((self.dir / "fathom.db").exists())

    @support.needs("openmpi")
    def test_the_time_of_shared_memory_is_set_in_simulations_alone(self):
        self.assert_refused(self.fathom("run", "bcast", *self.options("openmpi", 2), "--shared-edge", 100), "leave out --shared-edge")

    def traced(self, *words, flavour="smpi", status=DONE):
        return self.run_json("allreduce", *self.options(flavour), "--sizes", "8", "--start", "barrier", "--via", "tree:flat.toml",
                             *words, status=status)["points"][0]

    def test_a_trace_is_stored_with_its_point(self):
        for flavour in support.flavours():
            with self.subTest(flavour):
                point = self.traced("--reps", 20, "--trace", flavour=flavour)
                trace = point["trace"]
                self.assertEqual((trace["every"], trace["dropped"], trace["ring_bytes_per_event"]), (1, 0, 24))
                # A flat tree of 4: 4 leaves with two ends each, and the store at the root.
                calls = self.repetitions(point)
                self.assertEqual(trace["events"], 9 * calls)
                self.assertGreater(trace["bytes_per_event"], 0)
                ranks = self.query("SELECT rank, sum(count), min(first_call) FROM event_block JOIN point ON point.id = event_block.point "
                                   "WHERE run = (SELECT max(id) FROM run) GROUP BY rank ORDER BY rank")
                self.assertEqual(ranks, [(0, 6 * calls, 0), (1, calls, 0), (2, calls, 0), (3, calls, 0)])

    @support.needs("smpi")
    def test_every_kth_call_may_be_traced(self):
        point = self.traced("--reps", 40, "--trace", "every=4")
        self.assertEqual(point["trace"]["every"], 4)
        self.assertAlmostEqual(point["trace"]["events"] / 9, 10, delta=2)

    @support.needs("smpi")
    def test_nothing_is_traced_unless_it_is_asked_for(self):
        self.assertNotIn("trace", self.traced("--reps", 5))
        self.assertEqual(self.query("SELECT count(*) FROM event_block"), [(0,)])

    @support.needs("smpi")
    def test_dropped_events_are_counted_and_said(self):
        run = self.fathom("run", "kernel.gsum", *self.options(), "--iterations", 100, "--reps", 3, "--start", "barrier", "--via",
                          "tree:flat.toml", "--trace", "--trace-ring", 16, status=DONE)
        self.assertRegex(run.stdout, r"events of its trace were dropped, because the ring of a rank was full; give a larger --trace-ring")
        self.assertRegex(run.stdout, r"(?m)^Traced: .* events inside the calls of 1 point, .* dropped\.$")
        (point,) = self.shown()["points"]
        self.assertGreater(point["trace"]["dropped"], 0)
        self.assertGreaterEqual(point["trace"]["events"] + point["trace"]["dropped"], 9 * 100 * 3)

    @support.needs("smpi")
    def test_a_ring_need_not_hold_a_whole_point(self):
        point = self.traced("--reps", 200, "--trace", "--trace-ring", 64)
        self.assertEqual(point["trace"]["dropped"], 0, "series are as long as the ring has room for")
        self.assertEqual(point["trace"]["events"], 9 * self.repetitions(point))

    @support.needs("smpi")
    def test_trace_may_stand_before_an_operation(self):
        document = self.run_json("--via", "tree:flat.toml", "--trace", "allreduce", *self.options(), "--sizes", "8", "--reps", 5)
        self.assertIn("trace", document["points"][0])

    @support.needs("smpi")
    def test_calls_in_a_window_of_time_are_traced(self):
        """Which calls exactly, tests/mpi/trees.cpp knows."""
        run = ("allreduce", *self.options(), "--sizes", 8, "--reps", 100, "--warmup", 0, "--via", "tree:flat.toml", "--trace")
        point = self.run_json(*run)["points"][0]
        all_calls = point["trace"]["events"]
        whole = self.run_json(*run[:-1], "--trace", "window=0s..1h")["points"][0]["trace"]["events"]
        self.assertEqual(whole, all_calls)
        ended = self.run_json(*run[:-1], "--trace", "window=1h..")["points"][0]
        self.assertEqual(ended["trace"]["events"], 0)
        refused = self.fathom("tree", "analyze", "last")
        self.assert_refused(refused, r"run 3 has no traced calls; none began within window=3600s\.\., counted from the first call")

    def test_a_probe_started_by_hand_reads_the_files_itself(self):
        flavour = support.a_real_flavour()
        self.write("plan.toml", 'operations = ["allreduce"]\nsizes = [8]\nreps = 10\nstart = "barrier"\n'
                                'via = ["library", "tree:flat.toml"]\ntrace = "all"\n')
        self.own_files.add("plan.toml.journal")
        subprocess.run([*support.launcher_words(flavour, PROCS), str(support.probe(flavour)), "plan.toml"], cwd=self.dir,
                       env=self.environment(support.may_run_openmpi()), stdin=subprocess.DEVNULL, check=True, capture_output=True,
                       timeout=support.WAIT_S)
        document = self.fathom("run", "--collect", "plan.toml.journal", "--json", status=DONE).json
        self.assertEqual(self.implementations(document), ["library", "tree:flat"])
        self.assertEqual({point["status"] for point in document["points"]}, {"ok"})


if __name__ == "__main__":
    support.main()
