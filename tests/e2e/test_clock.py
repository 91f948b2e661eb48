#!/usr/bin/env python3
"""`fathom clock` and the global clock of runs: what is promised about offsets, bounds, cost and mistakes."""

import csv
import io
import os
import signal
import statistics

import support
from support import BAD_INPUT, CHECK_FAILED, DONE, INTERRUPTED, NOT_MEASURED, FathomTest

SCHEMES = ("linear", "log", "tree", "hosts")
SOURCES = ("counter", "monotonic_raw", "monotonic", "wtime")


class ClockTest(FathomTest):
    def clock(self, study, flavour, *words, status=DONE, **more):
        result = self.fathom("clock", study, "--json", *support.options_for(flavour), *words, status=status, **more)
        return result.json

    def simulated_sync(self, procs, scheme):
        return self.fathom("clock", "sync", "--json", "-q", "--platform", "flat-1024", "-n", procs, "--scheme", scheme,
                           status=DONE).json


class Sync(ClockTest):
    def test_document_has_every_rank_of_every_repeat(self):
        for flavour in support.flavours():
            with self.subTest(flavour):
                document = self.clock("sync", flavour, "-n", "2", "--repeat", "3")
                self.assertEqual(document["schema"], "fathom.clock/1")
                self.assertIn(document["scheme"], SCHEMES)
                self.assertEqual(len(document["repeats"]), 3)
                for repeat in document["repeats"]:
                    self.assertGreater(repeat["cost_ns"], 0)
                    self.assertGreaterEqual(repeat["pings"], 101)
                    self.assertEqual([rank["rank"] for rank in repeat["ranks"]], [0, 1])
                    first, second = repeat["ranks"]
                    self.assertEqual((first["offset_ns"], first["bound_ns"], first["drift_ppm"]), (0, 0, 0))
                    self.assertGreater(second["bound_ns"], 0)
                    self.assertNotEqual(second["host"], "")
                    self.assertIsInstance(second["drift_ppm"], float)
        self.assert_nothing_left()

    def test_truth_of_one_host_is_within_the_bound(self):
        """Two ranks of one host read the same counter: the true offset is 0."""
        for flavour in support.flavours(*support.REAL):
            for scheme in SCHEMES:
                with self.subTest(f"{flavour} {scheme}"):
                    document = self.clock("sync", flavour, "-n", "2", "--repeat", "20", "--scheme", scheme)
                    for repeat in document["repeats"]:
                        rank = repeat["ranks"][1]
                        self.assertLessEqual(abs(rank["offset_ns"]), rank["bound_ns"])
                        self.assertTrue(rank["shared"])

    def test_sources_can_be_chosen(self):
        for flavour in support.flavours(*support.REAL):
            for source in SOURCES:
                with self.subTest(f"{flavour} {source}"):
                    words = ("clock", "sync", "--json", *support.options_for(flavour), "-n", "2", "--clock", source)
                    result = self.fathom(*words)
                    if source == "counter" and result.status == NOT_MEASURED:
                        self.assertRegex(result.stderr, "(?i)counter", "a machine without a steady one gets the reason")
                        continue
                    self.assertEqual(result.status, DONE, result)
                    document = result.json
                    self.assertEqual(document["time_source"], source)
                    rank = document["repeats"][0]["ranks"][1]
                    if source == "wtime":
                        # Its origin may be the process's own: never taken for a shared clock.
                        self.assertFalse(rank["shared"])
                    else:
                        self.assertTrue(rank["shared"])
                        self.assertLessEqual(abs(rank["offset_ns"]), rank["bound_ns"])

    def test_one_process_is_its_own_clock(self):
        for flavour in support.flavours():
            with self.subTest(flavour):
                document = self.clock("sync", flavour, "-n", "1")
                self.assertEqual(len(document["repeats"][0]["ranks"]), 1)
                self.assertEqual(document["repeats"][0]["ranks"][0]["offset_ns"], 0)

    def test_text_says_what_was_found(self):
        flavour = support.a_real_flavour()
        result = self.fathom("clock", "sync", "-n", "2", *support.options_for(flavour), status=DONE)
        for pattern in (r"(?m)^rank +host +offset +bound", "reference", "same clock as rank 0", "Scheme hosts"):
            self.assertRegex(result.stdout, pattern)

    @support.needs("smpi")
    def test_cost_scales_as_promised(self):
        """The headline of the logarithmic scheme, and ours: simulated time, so the same everywhere."""
        documents = {scheme: self.simulated_sync(128, scheme) for scheme in ("linear", "log", "auto")}
        cost = {scheme: document["repeats"][0]["cost_ns"] for scheme, document in documents.items()}
        bound = {scheme: max(rank["bound_ns"] for rank in document["repeats"][0]["ranks"])
                 for scheme, document in documents.items()}
        self.assertEqual(documents["auto"]["scheme"], "tree")
        self.assertGreaterEqual(cost["linear"] / cost["log"], 16)
        self.assertGreaterEqual(cost["linear"] / cost["auto"], 30)
        self.assertLessEqual(bound["auto"], bound["log"])

    @support.needs("smpi")
    def test_cost_of_several_process_counts(self):
        """Each is measured as by itself; simulated times repeat to the last digit."""
        words = ("clock", "sync", "-q", "--platform", "pure-16", "--scheme", "linear", "--repeat", "3")
        document = self.fathom(*words, "-n", "2,4,8", "--json", status=DONE).json
        self.assertTrue(document["complete"])
        self.assertEqual(document["procs"], 8)
        self.assertEqual([one["procs"] for one in document["by_procs"]], [2, 4, 8])
        for one in document["by_procs"]:
            alone = self.fathom(*words, "-n", one["procs"], "--json", status=DONE).json
            self.assertEqual(one["repeats"], alone["repeats"])
            self.assertEqual(len(one["repeats"][0]["ranks"]), one["procs"])
        costs = [one["cost_median_ns"] for one in document["by_procs"]]
        self.assertLess(costs[0], costs[1])
        self.assertLess(costs[1], costs[2])
        text = self.fathom(*words, "-n", "2,4,8", status=DONE).stdout
        self.assertRegex(text, r"(?m)^processes +hosts +scheme +pings +cost")
        self.assertRegex(text, r"2 processes +8 processes")
        self.assert_nothing_left()

    @support.needs("smpi")
    def test_simulated_offsets_are_exact(self):
        for scheme in SCHEMES:
            for rank in self.simulated_sync(11, scheme)["repeats"][0]["ranks"]:
                self.assertLessEqual(abs(rank["offset_ns"]), 1, scheme)


class Drift(ClockTest):
    @support.needs("smpi")
    def test_study_of_all_pairs(self):
        document = self.clock("drift", "smpi", "-n", "4", "--for", "10s", "--every", "2s")
        self.assertEqual(document["schema"], "fathom.clock-drift/1")
        self.assertEqual(len(document["pairs"]), 6)
        for pair in document["pairs"]:
            self.assertTrue(pair["steady"])
            self.assertAlmostEqual(pair["drift_ppm"], 0, 6)
            times = [offset["time_ns"] for offset in pair["offsets"]]
            self.assertEqual(len(times), 6)
            self.assertAlmostEqual(times[-1], 10e9, delta=1e6)
            histogram = pair["round_trip_histogram"]
            self.assertEqual(len(histogram["counts"]), 200)
            self.assertEqual(sum(histogram["counts"]) + histogram["above"], pair["round_trip"]["count"])
        self.assert_nothing_left()

    @support.needs("smpi")
    def test_many_ranks_are_sampled(self):
        document = self.clock("drift", "smpi", "-n", "12", "--for", "2s", "--pairs", "5", "--seed", "7")
        pairs = [(pair["rank"], pair["against"]) for pair in document["pairs"]]
        self.assertEqual(len(set(pairs)), 5)
        again = self.clock("drift", "smpi", "-n", "12", "--for", "2s", "--pairs", "5", "--seed", "7")
        self.assertEqual([(pair["rank"], pair["against"]) for pair in again["pairs"]], pairs)

    def test_interruption_keeps_what_was_measured(self):
        flavour = support.a_real_flavour()
        running = self.start("clock", "drift", "-n", "2", "--for", "1h", "--every", "100ms", "--json",
                             *support.options_for(flavour))
        running.wait_for(r"^\[\d+/\d+\] drift")
        os.kill(running.pid, signal.SIGINT)
        result = running.finish()
        self.assertEqual(result.status, INTERRUPTED, result)
        self.assertGreater(len(result.json["pairs"][0]["offsets"]), 3)
        self.assertFalse(result.json["complete"])
        self.assert_nothing_left()


class Quality(ClockTest):
    def test_patience_buys_quality_at_a_cost(self):
        flavour = support.a_real_flavour()
        document = self.clock("quality", flavour, "-n", "2", "--pings", "5000")
        self.assertEqual(document["schema"], "fathom.clock-quality/1")
        self.assertEqual(document["round_trip"]["count"], 5000)
        rows = document["patience"]
        self.assertEqual((rows[0]["patience"], rows[-1]["patience"]), (1, 1000))
        # The best of more pings is never worse. How much better it is depends on the machine.
        qualities = [row["quality_percent"] for row in rows]
        self.assertEqual(qualities, sorted(qualities, reverse=True))
        for row in rows:
            self.assertGreater(row["cost_pings"], row["patience"])
        self.assertIn(document["recommended_patience"], [row["patience"] for row in rows])


    def test_idle_ranks_wait_for_the_end(self):
        """A rank that does not take part must not leave early: MPI_Finalize is given seconds only."""
        flavour = support.a_real_flavour()
        document = self.clock("quality", flavour, "-n", "3", "--pings", "2000")
        self.assertTrue(document["complete"])


class Check(ClockTest):
    def test_long_pauses_are_no_hang(self):
        flavour = support.a_real_flavour()
        document = self.clock("check", flavour, "-n", "2", "--after", "0,0,4s", "--events", "3", "--point-timeout", "2")
        self.assertEqual([moment["after_ns"] for moment in document["moments"]], [0, 4 * 10**9])
        self.assertTrue(document["complete"])

    def test_clocks_are_as_good_as_they_claim(self):
        for flavour in support.flavours():
            with self.subTest(flavour):
                document = self.clock("check", flavour, "-n", "2", "--after", "0,1s", "--events", "10")
                self.assertEqual(document["schema"], "fathom.clock-check/1")
                self.assertTrue(document["holds"])
                self.assertEqual([moment["after_ns"] for moment in document["moments"]], [0, 10**9])
                for moment in document["moments"]:
                    self.assertLessEqual(moment["clock_error_max_ns"],
                                         moment["claimed_ns"] + moment["verified_to_ns"])
        self.assert_nothing_left()

    def test_limit_decides_the_exit_status(self):
        flavour = support.a_real_flavour()
        words = ("clock", "check", "-n", "2", "--after", "0", "--events", "5", *support.options_for(flavour))
        self.fathom(*words, "--limit", "1h", status=DONE)
        result = self.fathom(*words, "--limit", "0", status=CHECK_FAILED)
        self.assertIn("exceeds --limit 0", result.stderr)

    @support.needs("smpi")
    def test_simulated_ranks_act_at_the_same_instant(self):
        for moment in self.clock("check", "smpi", "-n", "9", "--after", "0,60s")["moments"]:
            self.assertEqual(moment["start_skew_max_ns"], 0)

    def test_verdict_is_stored_with_a_run_on_request(self):
        flavour = support.a_real_flavour()
        words = ("barrier", "-n", "2", "--reps", "10", *support.options_for(flavour))
        plain = self.run_json(*words)
        self.assertNotIn("clock_check", plain)
        self.assertEqual(plain["clock"]["synchronisations"], 2)
        checked = self.run_json(*words, "--check-clock")
        self.assertEqual(checked["clock"]["bound_ns"], plain["clock"]["bound_ns"], "tests are not part of the clock")
        moments = self.shown()["clock_check"]
        self.assertEqual([moment["after_ns"] for moment in moments], [0, 10**9])
        self.assertTrue(all(moment["holds"] for moment in moments))
        self.assertIn("clock check:", self.fathom("show", status=DONE).stdout)


class Runs(ClockTest):
    def test_every_result_has_its_start_skew_and_bound(self):
        for flavour in support.flavours():
            with self.subTest(flavour):
                document = self.run_json("allreduce", "pingpong", "-n", "2", "--sizes", "8", "--reps", "50",
                                         *support.options_for(flavour))
                for point in document["points"]:
                    self.assertGreaterEqual(point["start_skew_median_ns"], 0)
                    self.assertGreaterEqual(point["clock_bound_ns"], 0)
                host = document["ranks"][0]["host"]
                described = [key for key in document["environment"][host] if key.startswith("clock.")]
                self.assertIn(f"clock.{document['time_source']}", described)

    def test_samples_are_exported_on_the_global_clock(self):
        """The origin of Open MPI's MPI_Wtime is the process's own; on the global clock starts are near each other."""
        for flavour in support.flavours(*support.REAL):
            with self.subTest(flavour):
                self.run_json("allreduce", "-n", "2", "--sizes", "8", "--reps", "100", "--clock", "wtime",
                              *support.options_for(flavour))
                rows = list(csv.DictReader(io.StringIO(
                    self.fathom("export", "--samples", "--csv", status=DONE).stdout)))
                starts, durations = {0: {}, 1: {}}, {0: {}, 1: {}}
                for row in rows:
                    if row["valid"] == "1":  # a repetition that began late on a busy machine is not
                        starts[int(row["rank"])][int(row["rep"])] = int(row["start_ns"])
                        durations[int(row["rank"])][int(row["rep"])] = float(row["duration_ns"])
                self.assertEqual(len(starts[0]), 100)
                apart = statistics.median(abs(starts[0][rep] - starts[1][rep]) for rep in starts[0])
                point = self.shown()["points"][0]
                self.assertEqual(apart, point["start_skew_median_ns"])
                # No rank has the sum before the other one began, on whichever machine. What is taken from a duration for
                # the cost of reading clocks is not known to lie before or after the call.
                for rep in starts[0]:
                    for rank in (0, 1):
                        end = starts[rank][rep] + durations[rank][rep] + point["subtracted_ns"]
                        self.assertGreaterEqual(end + 2 * point["clock_bound_ns"], starts[1 - rank][rep], (rank, rep))


class Mistakes(ClockTest):
    def test_words_that_are_not_understood(self):
        for words, pattern in (
                (("clock",), "a subcommand is missing: fathom clock sync, drift, quality, check"),
                (("clock", "synk"), r"no study 'synk'\. Did you mean 'sync'\?"),
                (("clock", "sync", "--scheme", "star"), r"--scheme is \"star\"; give one of auto, hosts, tree, log, linear"),
                (("clock", "sync", "--clock", "sundial"), r"--clock is \"sundial\"; give one of auto, counter"),
                (("clock", "sync", "--repeat", "0"), "--repeat"),
                (("clock", "sync", "--platform", "pure-16", "-n", "2:8:auto"), "leave out 'auto'"),
                (("clock", "drift", "--platform", "pure-16", "-n", "2,4"), "clock drift takes one number of processes"),
                (("clock", "sync", "--patience", "none"), r"--patience is \"none\"; give a number from 1"),
                (("clock", "drift", "--for", "soon"), r"--for: 'soon' is not a time"),
                (("clock", "drift", "--for", "1s", "--every", "2s"), "shorter --every"),
                (("clock", "check", "--after", "0,x"), r"--after: 'x' is not a time"),
                (("clock", "sync", "--scheem", "log"), r"no option '--scheem'\. Did you mean '--scheme'\? \('fathom clock sync --help'"),
                (("clock", "sync", "--platform", "pure-16", "--clock", "counter"), "in simulation the clock is wtime"),
                (("clock", "drift", "--platform", "pure-16", "-n", "1"), "clock drift needs two processes"),
                (("clock", "quality", "--platform", "pure-16", "-n", "1"), "clock quality needs two processes")):
            with self.subTest(" ".join(words)):
                self.assert_refused(self.fathom(*words), pattern)
        self.assert_nothing_left()


if __name__ == "__main__":
    support.main()
