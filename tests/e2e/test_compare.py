"""`fathom compare`: the comparison of two runs, in simulation, where the change is arithmetic, and for real."""

import csv
import io
import sqlite3

import support
from support import BAD_INPUT, CHECK_FAILED, DONE, UNDECIDED, FathomTest


class SimulatedComparison(FathomTest):
    """An overhead of 2 us a send instead of 1 us makes a message later by 1 us, and by nothing else."""

    def measured(self, overhead, label, *words):
        platform = self.write(f"{label}.xml", support.platform_with(smpi__os=f"0:{overhead}e-6:0"))
        return self.run_json("pingpong", "-n", "2", "--sizes", "8,1k,1M", "--platform", platform, "--label", label,
                             "--reps", "30", *words)

    def test_a_slower_message_is_named_with_its_ratio(self):
        before = self.measured(1, "before")
        after = self.measured(2, "after")
        compared = self.fathom("compare", "before", "after", "--json", status=DONE).json
        self.assertEqual(compared["schema"], "fathom.compare/1")
        for point, old, new in zip(compared["points"], before["points"], after["points"]):
            self.assertEqual(point["size_bytes"], old["size_bytes"])
            self.assertAlmostEqual(point["ratio"], new["median_ns"] / old["median_ns"], places=6)
            low, high = point["ratio_ci95"]
            self.assertLessEqual(low, point["ratio"])
            self.assertGreaterEqual(high, point["ratio"])
        verdicts = {point["size_bytes"]: point["verdict"] for point in compared["points"]}
        self.assertEqual(verdicts[8], "slower")
        self.assertEqual(verdicts[1 << 20], "same", "1 us of many thousands")
        self.assertEqual(compared["start_scatter_source"], "none")
        self.assertIn("platform", [each["what"] for each in compared["differences"]])

    def test_the_exit_status_says_whether_the_limit_holds(self):
        self.measured(1, "before")
        self.measured(2, "after")
        failed = self.fathom("compare", "before", "after", "--fail-above", "5%", status=CHECK_FAILED)
        self.assertTrue(failed.stdout.startswith("after is slower than before up to 1 KiB, as fast at 1 MiB.\n"), failed.stdout)
        self.assertRegex(failed.stdout, r"\n2 of 3 points are slower by more than 5 %, 1 the same\.\n\Z")
        self.fathom("compare", "before", "after", "--fail-above", "100000%", status=DONE)
        self.fathom("compare", "after", "before", "--fail-above", "5%", status=DONE)
        self.fathom("compare", "before", "after", status=DONE)
        self.fathom("compare", "before", "after", "--fail-above", "5", "--op", "pingpong", status=CHECK_FAILED)

    def test_a_run_is_the_same_as_itself_in_another_file(self):
        self.measured(1, "one")
        (self.dir / "fathom.db").rename(self.dir / "old.db")
        self.own_files.add("old.db")
        self.measured(1, "one")
        compared = self.fathom("compare", "old.db", "last", "--json", "--fail-above", "0", status=DONE).json
        self.assertEqual(compared["summary"]["same"], 3)
        self.assertEqual([point["ratio"] for point in compared["points"]], [1, 1, 1])
        self.fathom("compare", "old.db:1", "1", status=DONE)

    def test_points_that_one_run_lacks_and_settings_that_differ_are_said(self):
        self.measured(1, "before")
        self.run_json("pingpong", "-n", "2", "--sizes", "8,2k", "--platform", "pure-16", "--reps", "30",
                      "--over-reps", "mean")
        compared = self.fathom("compare", "before", "last", status=DONE).stdout
        self.assertIn("Not compared: pingpong, 1 KiB, 2 processes: not in run 2.", compared)
        self.assertIn("Not compared: pingpong, 2 KiB, 2 processes: not in before (run 1).", compared)
        self.assertIn("They differ in over_reps: ", compared)
        self.assertIn("Warning: settings differ that change what is measured", compared)

    def test_process_counts_are_matched_where_each_run_has_one(self):
        for procs in (4, 8):
            self.run_json("alltoall", "-n", procs, "--sizes", "64k", "--platform", "pure-16", "--reps", "30")
        result = self.fathom("compare", "1", "2", status=DONE)
        self.assertIn("Points are matched although the process counts of the runs differ.", result.stdout)
        self.assertRegex(result.stdout, r"alltoall +4 / 8 .* slower\n")

    def test_bad_input_is_refused(self):
        self.measured(1, "before")
        self.run_json("barrier", "-n", "2", "--platform", "pure-16", "--reps", "10")
        self.assert_refused(self.fathom("compare", "1", "2"), "no point in common")
        self.assert_refused(self.fathom("compare", "1", "7"), "runs 1 to 2")
        self.assert_refused(self.fathom("compare", "1", "1", "--fail-above", "many"), '--fail-above is "many"')
        self.assert_refused(self.fathom("compare", "1", "1", "--fail-above", ""), "--fail-above: is empty")
        self.assert_refused(self.fathom("show", "1", "--op", ""), "--op: is empty")
        self.assert_refused(self.fathom("compare", "1", "1", "--op", "pingpongg"), "Did you mean 'pingpong'")
        self.assertEqual(self.fathom("compare", "1").status, BAD_INPUT)


class AgainstABaseline(FathomTest):
    """`run --against`: in simulation the baseline can be had again, and the change is what options change."""

    def measured(self, *words):
        return self.run_json("bcast", "-n", "4", "--sizes", "8,64k", "--platform", "pure-16", "--reps", "20", *words)

    def test_a_plan_is_measured_again_in_turn_and_compared(self):
        self.measured("--label", "baseline")
        result = self.fathom("run", "--against", "baseline", "--fail-above", "5%", status=DONE)
        self.assertIn("Measuring baseline (run 1) again as run 2, in turn with run 3.", result.stderr)
        self.assertRegex(result.stdout, r"\n0 of 2 points are slower by more than 5 %, 2 the same\.\n"
                                        r"Decided after 1 launch of each run, \d+ s\.\n\Z")
        compared = self.fathom("run", "--against", "1", "--json", "-q", status=DONE).json
        self.assertEqual(compared["schema"], "fathom.compare/1")
        self.assertEqual((compared["first"]["run"], compared["second"]["run"]), (4, 5))
        database = sqlite3.connect(self.dir / "fathom.db")
        self.addCleanup(database.close)
        self.assertEqual(database.execute("SELECT in_turn_with FROM run ORDER BY id").fetchall(),
                         [(0,), (0,), (2,), (0,), (4,)])
        self.assertEqual(compared["summary"]["same"], 2)
        self.assertIsNone(compared["to_decide"])
        self.assertEqual((compared["measuring"]["ended_by"], compared["measuring"]["launches"]), ("decided", 1))

    def test_options_change_the_new_run_alone(self):
        self.measured()
        result = self.fathom("run", "--against", "1", "--platform", "myrinet-128", "--fail-above", "5%", status=CHECK_FAILED)
        self.assertIn("They differ in platform: pure-16 and myrinet-128.", result.stdout)

    def test_bad_input_is_refused(self):
        self.measured()
        self.assert_refused(self.fathom("run", "--against", "7"), "runs 1 to 1|run 1")
        self.assert_refused(self.fathom("run", "--against", "1", "--resume", "1"), "exclude each other")
        self.assert_refused(self.fathom("run", "bcast", "--fail-above", "5%"), "need --against")
        self.assert_refused(self.fathom("run", "--against", "1", "--preset", "quick"), "stored plan")
        self.assert_refused(self.fathom("run", "--against", "1", "--runs", "3"), "do not apply with --against")


class RealComparison(FathomTest):
    def test_a_run_of_several_starts_is_not_slower_than_itself(self):
        flavour = support.a_real_flavour()
        shown = self.run_json("pingpong", *support.options_for(flavour), "-n", "2", "--sizes", "64k", "--reps", "60",
                              "--runs", "2")
        compared = self.fathom("compare", "last", "last", "--json", "--fail-above", "5%", "--allow-undecided",
                               status=DONE).json
        self.assertEqual(compared["points"][0]["ratio"], 1)
        self.assertIn(compared["points"][0]["verdict"], ("same", "undecided"))
        self.assertEqual(compared["points"][0]["first_starts"], 2)
        self.assertEqual(compared["start_scatter_source"], "starts")
        self.assertEqual(compared["between_runs"]["first"]["source"], "none", "nothing is between a run and itself")
        between = shown["between_runs"]
        self.assertIn("2 % variation between runs (assumed", between.pop("text"))
        self.assertEqual(between, {"source": "assumed", "percent": 2, "stored_runs": 0, "changes": 0})
        # One point has one number, in every command.
        exported = next(csv.DictReader(io.StringIO(self.fathom("export", "last", "--csv", status=DONE).stdout)))
        for median in (compared["points"][0]["first_median_ns"], compared["points"][0]["second_median_ns"],
                       float(exported["median_ns"])):
            self.assertEqual(median, shown["points"][0]["median_ns"])
        self.assertEqual(exported["quality"], shown["points"][0]["quality"])

    def test_what_cannot_be_decided_has_a_status_of_its_own(self):
        flavour = support.a_real_flavour()
        options = support.options_for(flavour)
        as_root = " --allow-run-as-root" if "--allow-run-as-root" in options else ""
        measure = ("pingpong", *options, "-n", "2", "--sizes", "64k", "--reps", "5", "--runs", "1")
        for more in ((), (), ("--in-a-row", "2")):
            self.run_json(*measure, *more, env={"UCX_LOG_LEVEL": "warn"} if more else None)
        result = self.fathom("compare", "1", "2", "--fail-above", "5%", status=UNDECIDED)
        self.assertIn("undecided (", result.stdout)
        self.assertTrue(result.stdout.endswith(f"\nTo decide: fathom run --against 1 --fail-above 5%{as_root}\n"), result.stdout)
        self.fathom("compare", "1", "2", "--fail-above", "5%", "--allow-undecided", status=DONE)
        self.fathom("compare", "1", "2", status=DONE)
        compared = self.fathom("compare", "1", "2", "--json", status=DONE).json
        self.assertEqual(compared["to_decide"], f"fathom run --against 1{as_root}")
        of_one = self.fathom("compare", "1", "2", "--op", "pingpong", "--json", status=DONE).json
        self.assertEqual(of_one["to_decide"], f"fathom run --against 1 pingpong{as_root}")
        self.assertIn(compared["points"][0]["doubt"], ("few-repetitions", "disturbed"))
        other = self.fathom("compare", "fathom.db:1", "3", "--fail-above", "5%", "--negligible", "2 %", "--allow-undecided",
                            status=DONE)
        self.assertTrue(other.stdout.endswith("\nTo decide: env UCX_LOG_LEVEL=warn fathom run --against 1 --in-a-row 2 "
                                              f"--fail-above 5% --negligible '2 %' --allow-undecided{as_root}\n"), other.stdout)
        # What both had is missing from the shell.
        self.run_json(*measure, env={"UCX_LOG_LEVEL": "warn"})
        for shell, prefix in (({}, "env UCX_LOG_LEVEL=warn "), ({"UCX_LOG_LEVEL": "warn"}, ""),
                              ({"UCX_LOG_LEVEL": "info"}, "env UCX_LOG_LEVEL=warn ")):
            both = self.fathom("compare", "3", "4", "--json", status=DONE, env=shell).json
            self.assertEqual(both["to_decide"], f"{prefix}fathom run --against 3 --in-a-row 1{as_root}")
        # No option takes back a number of warm-up calls.
        self.run_json(*measure, "--warmup", "3")
        back = self.fathom("compare", "5", "1", "--json", status=DONE).json
        self.assertGreater(back["summary"]["open"], 0)
        self.assertIsNone(back["to_decide"])

    @support.needs("openmpi")
    def test_variables_that_steer_the_library_are_named(self):
        measure = ("allreduce", *support.options_for("openmpi"), "-n", "2", "--sizes", "8", "--reps", "30", "--runs", "1")
        self.run_json(*measure)
        self.run_json(*measure, env={"OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
                                     "OMPI_MCA_coll_tuned_allreduce_algorithm": "1"})
        result = self.fathom("compare", "1", "2", status=DONE)
        self.assertIn("They differ in environment variable OMPI_MCA_coll_tuned_allreduce_algorithm: not set and 1.\n",
                      result.stdout)
        named = self.fathom("compare", "1", "2", "--json", status=DONE).json["differences"]
        self.assertEqual([each["what"] for each in named if each["kind"] == "variable"],
                         ["OMPI_MCA_coll_tuned_allreduce_algorithm", "OMPI_MCA_coll_tuned_use_dynamic_rules"])
        self.assertEqual({each["kind"] for each in named}, {"variable"}, "not what the launcher sets for every job")


if __name__ == "__main__":
    support.main()
