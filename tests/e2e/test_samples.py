#!/usr/bin/env python3
"""Single samples: every rank and repetition reaches the store, in order and without gaps; data are checked."""

import csv
import io

import support
from support import DONE, NOT_MEASURED, FathomTest

BATCH = 65536  # repetitions that a rank holds before they are gathered


class Samples(FathomTest):
    def exported(self, run="last"):
        return csv.DictReader(io.StringIO(self.fathom("export", run, "--samples", "--csv", status=DONE).stdout))

    def by_rank(self, run="last"):
        """(size, rank) to the list of its rows, in the order of the file."""
        found = {}
        for row in self.exported(run):
            found.setdefault((int(row["size_bytes"]), int(row["rank"])), []).append(row)
        return found

    def assert_in_order(self, rows, reps):
        self.assertEqual([int(row["rep"]) for row in rows], list(range(reps)))
        starts = [int(row["start_ns"]) for row in rows]
        self.assertEqual(starts, sorted(starts), "one call starts after the other")
        for row, following in zip(rows, starts[1:]):
            self.assertLessEqual(int(row["start_ns"]) + float(row["duration_ns"]), following)
        self.assertEqual({row["valid"] for row in rows}, {"1"})

    def test_every_rank_and_repetition_is_kept(self):
        reps = 5
        for flavour in support.flavours():
            with self.subTest(flavour):
                document = self.run_json("allreduce", *support.options_for(flavour), "-n", "4", "--sizes", "8:64k",
                                         "--reps", reps, "--warmup", "1", "--start", "barrier", env=support.patient())
                self.assertEqual([point["size_bytes"] for point in document["points"]], [8 << i for i in range(14)])
                rows = self.by_rank(document["run"])
                self.assertEqual(set(rows), {(8 << i, rank) for i in range(14) for rank in range(4)})
                for (size, rank), of_rank in rows.items():
                    self.assert_in_order(of_rank, reps)
                for point in document["points"]:
                    # The time of a repetition is that of its slowest rank: the samples are what the summary is made of.
                    slowest = [max(float(rows[point["size_bytes"], rank][rep]["duration_ns"]) for rank in range(4))
                               for rep in range(reps)]
                    self.assertEqual(point["max_ns"], max(slowest))
                    self.assertEqual(point["min_ns"], min(slowest))
                    self.assertEqual(point["median_ns"], sorted(slowest)[reps // 2])

    @support.needs("smpi")
    def test_more_repetitions_than_a_batch_holds_when_simulated(self):
        reps = 2 * BATCH + 7
        document = self.run_json("barrier", "--platform", "pure-16", "-n", "2", "--reps", reps, "--warmup", "0",
                                 "--start", "barrier")
        self.assertEqual(document["points"][0]["reps"], reps)
        rows = self.by_rank()
        self.assertEqual(set(rows), {(0, 0), (0, 1)})
        for of_rank in rows.values():
            self.assert_in_order(of_rank, reps)

    def test_batches_of_real_ranks(self):
        reps = BATCH + 1
        for flavour in support.flavours(*support.REAL):
            with self.subTest(flavour):
                self.run_json("bcast", *support.options_for(flavour), "-n", "1", "--sizes", "8", "--reps", reps,
                              "--start", "barrier")
                rows = self.by_rank()
                self.assertEqual(set(rows), {(8, 0)})
                self.assert_in_order(rows[8, 0], reps)

    @support.needs("smpi")
    def test_a_pair_has_samples_of_its_two_ranks(self):
        self.run_json("pingpong", "--platform", "pure-16", "-n", "5", "--sizes", "8", "--reps", "4")
        self.assertEqual({key: len(rows) for key, rows in self.by_rank().items()}, {(8, 0): 4, (8, 4): 4})


class Verification(FathomTest):
    """Wrong data are a failed point, before and after timing, and only if they are looked for."""

    def spoilt(self, flavour, call, *more):
        # 1 check, 2 warm-up, 5 timed, 1 check: calls 1 and 9 are looked at.
        return self.fathom("run", "allreduce", *support.options_for(flavour), "-n", "2", "--sizes", "8,16,32", "--reps",
                           "5", "--warmup", "2", "--json", *more, env=support.meddling(rank=1, count=4, spoil=call))

    def test_wrong_data_are_found_before_and_after_timing(self):
        for flavour in support.flavours(*support.REAL):
            for call, when in ((1, "before"), (9, "after")):
                with self.subTest(flavour=flavour, when=when):
                    result = self.spoilt(flavour, call)
                    self.assertEqual(result.status, NOT_MEASURED, result)
                    statuses = [point["status"] for point in result.json["points"]]
                    self.assertEqual(statuses, ["ok", "failed", "ok"])
                    self.assertRegex(result.json["points"][1]["reason"], rf"wrong data {when} timing on rank 1")
                    self.assertRegex(result.stderr, r"(?m)^fathom: 1 of 3 points failed")
                    self.assertRegex(self.fathom("show", status=DONE).stdout, r"(?m)^allreduce +2 +16 B +failed: wrong data")

    def test_timed_calls_are_not_checked(self):
        for flavour in support.flavours(*support.REAL):
            self.assertEqual(self.spoilt(flavour, 5).status, DONE)

    def test_no_verify_looks_at_nothing(self):
        for flavour in support.flavours(*support.REAL):
            for call in (1, 7):
                result = self.spoilt(flavour, call, "--no-verify")
                self.assertEqual(result.status, DONE, result)
                self.assertRegex(result.json["plan_toml"], r"(?m)^verify = false$")

    def test_no_verify_works_with_every_operation(self):
        for flavour in support.flavours():
            document = self.run_json(*support.OPERATIONS, *support.options_for(flavour), "-n", "2", "--sizes", "0,8",
                                     "--reps", "3", "--no-verify")
            self.assertEqual({point["status"] for point in document["points"]}, {"ok"})


class Repeatability(FathomTest):
    @support.needs("smpi")
    def test_a_stored_plan_repeats_a_simulation_to_the_last_digit(self):
        first = self.run_json(*support.OPERATIONS, "--platform", "pure-16", "-n", "6", "--sizes", "3,1k:4k", "--reps",
                              "7", "--warmup", "2", "--seed", "42", "--label", "it's \"first\"")
        self.write("again.toml", self.fathom("show", "last", "--plan", status=DONE).stdout)
        second = self.run_json("--plan", "again.toml")
        self.assertEqual(second["points"], first["points"])
        self.assertEqual(second["plan_toml"], first["plan_toml"])
        self.assertEqual((first["run"], second["run"]), (1, 2))
        self.assert_nothing_left("fathom.db")

    def test_a_stored_plan_repeats_the_points_of_a_real_run(self):
        for flavour in support.flavours(*support.REAL):
            with self.subTest(flavour):
                first = self.run_json("bcast", "pingpong", "barrier", *support.options_for(flavour), "-n", "2", "--sizes",
                                      "8:64", "--reps", "5")
                self.write("again.toml", self.fathom("show", first["run"], "--plan", status=DONE).stdout)
                second = self.run_json("--plan", "again.toml", *support.options_for(flavour)[2:])
                self.assertEqual(support.points_of(second), support.points_of(first))
                self.assertEqual(second["plan_toml"], first["plan_toml"])

    @support.needs("smpi")
    def test_seed_and_label_reach_the_store(self):
        document = self.run_json("bcast", "--platform", "pure-16", "-n", "2", "--sizes", "8", "--reps", "2", "--seed",
                                 "123456789012", "--label", "Größe, \"a\" & 'b'")
        self.assertRegex(document["plan_toml"], r"(?m)^seed = 123456789012$")
        self.assertEqual(document["label"], "Größe, \"a\" & 'b'")
        self.assertEqual(self.shown("Größe, \"a\" & 'b'")["run"], 1)
        self.assertIn("Größe", self.fathom("list", "runs", status=DONE).stdout)

    @support.needs("smpi")
    def test_the_default_seed_is_stored_too(self):
        self.assertRegex(self.run_json("barrier", "--platform", "pure-16", "-n", "2", "--reps", "2")["plan_toml"],
                         r"(?m)^seed = \d+$")


if __name__ == "__main__":
    support.main()
