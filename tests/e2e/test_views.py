#!/usr/bin/env python3
"""One run looked at in different ways: every number of `fathom show` against the exported samples it is made of."""

import csv
import io
import math

import support
from support import DONE, FathomTest

OVER_RANKS = ("max", "span", "root", "mean", "median", "min", "each")
OVER_REPS = ("median", "mean", "min", "max", "skampi-middle", "p90")
LEGS = {"pingpong": 2}  # a duration is that of one leg, the number of legs of a call


def quantile(values, share):
    """Linear between neighbours (type 7, as in R and NumPy)."""
    values = sorted(values)
    place = share * (len(values) - 1)
    below = math.floor(place)
    above = min(below + 1, len(values) - 1)
    return values[below] + (place - below) * (values[above] - values[below])


def mean(values):
    return math.fsum(values) / len(values)


def middle_half(values):
    cut = len(values) // 4
    return sorted(values)[cut:len(values) - cut]


REDUCE = {"median": lambda values: quantile(values, 0.5), "mean": mean, "min": min, "max": max,
          "skampi-middle": lambda values: mean(middle_half(values)), "p90": lambda values: quantile(values, 0.9)}
SUMMARY = {"median_ns": REDUCE["median"], "min_ns": min, "mean_ns": mean, "max_ns": max,
           "p99_ns": lambda values: quantile(values, 0.99)}


class Samples:
    """The valid repetitions of one point: start and duration by rank."""

    def __init__(self, rows, calls, ranks=None):
        self.invalid = 0
        self.reps = []
        by_rep = {}
        for row in rows:
            if ranks is None or int(row["rank"]) in ranks:
                by_rep.setdefault(int(row["rep"]), []).append(row)
        for rep in sorted(by_rep):
            if all(row["valid"] == "1" for row in by_rep[rep]):
                self.reps.append({int(row["rank"]): (int(row["start_ns"]), float(row["duration_ns"])) for row in by_rep[rep]})
            else:
                self.invalid += 1
        self.parts = LEGS.get(rows[0]["operation"], 1) * calls

    def times(self, over_ranks):
        found = []
        for rep in self.reps:
            durations = [duration for _, duration in rep.values()]
            if over_ranks == "span":
                end = max(start + duration * self.parts for start, duration in rep.values())
                found.append((end - min(start for start, _ in rep.values())) / self.parts)
            elif over_ranks == "root":
                found.extend(duration for rank, (_, duration) in rep.items() if rank == 0)
            else:
                found.append({"mean": mean, "median": REDUCE["median"], "min": min}.get(over_ranks, max)(durations))
        return found

    def of_rank(self, rank):
        return [rep[rank][1] for rep in self.reps if rank in rep]

    def ranks(self):
        return sorted({rank for rep in self.reps for rank in rep})

    def skew(self):
        apart = [max(start for start, _ in rep.values()) - min(start for start, _ in rep.values()) for rep in self.reps]
        return quantile(apart, 0.5)


class ViewTest(FathomTest):
    def assert_same(self, found, computed, what):
        self.assertIsNotNone(found, what)
        self.assertAlmostEqual(found, computed, delta=1e-9 * max(1.0, abs(computed)), msg=what)

    def samples_of_points(self):
        rows = csv.DictReader(io.StringIO(self.fathom("export", "--samples", "--csv", status=DONE).stdout))
        found = {}
        for row in rows:
            found.setdefault(int(row["point"]), []).append(row)
        return found

    def check_values(self, found, times, over_reps, what):
        for field, reduce in SUMMARY.items():
            self.assert_same(found[field], reduce(times), f"{what} {field}")
        self.assert_same(found["value_ns"], REDUCE[over_reps](times), f"{what} value_ns")
        if found["value_ci95_ns"]:
            low, high = found["value_ci95_ns"]
            self.assertTrue(low <= found["value_ns"] <= high, what)

    def check_view(self, rows, over_ranks, over_reps, ranks=None):
        words = ["--over-ranks", over_ranks, "--over-reps", over_reps]
        words += ["--ranks", ranks[0]] if ranks else []
        document = self.shown("last", *words)
        self.assertEqual(len(document["points"]), len(rows))
        for point in document["points"]:
            what = f"{point['operation']} {point['size_bytes']} {' '.join(words)}"
            samples = Samples(rows[point["point"]], point["calls_in_a_row"], ranks and ranks[1])
            times = samples.times(over_ranks)
            self.assertEqual((point["over_ranks"], point["over_reps"]), (over_ranks, over_reps))
            self.assertEqual((point["reps"], point["invalid_reps"]), (len(times), samples.invalid), what)
            self.check_values(point, times, over_reps, what)
            self.assert_same(point["start_skew_median_ns"], samples.skew(), f"{what} skew")
            if over_ranks != "each":
                self.assertNotIn("ranks", point)
                continue
            self.assertEqual([rank["rank"] for rank in point["ranks"]], samples.ranks(), what)
            for rank in point["ranks"]:
                self.check_values(rank, samples.of_rank(rank["rank"]), over_reps, f"{what} rank {rank['rank']}")


class Numbers(ViewTest):
    def check_all(self):
        rows = self.samples_of_points()
        for i, over_ranks in enumerate(OVER_RANKS):
            # All of both with each other would be the same again and again.
            for over_reps in (OVER_REPS if over_ranks == "max" else OVER_REPS[i % 3::3]):
                self.check_view(rows, over_ranks, over_reps)
        return rows

    def test_of_two_processes_are_made_of_their_samples(self):
        for flavour in support.flavours(*support.REAL):
            with self.subTest(flavour):
                self.run_json("allreduce", "pingpong", "barrier", *support.options_for(flavour), "-n", "2", "--sizes",
                              "8,16k", "--reps", "203")
                rows = self.check_all()
                for ranks in (("0", {0}), ("1", {1})):
                    self.check_view(rows, "mean", "p90", ranks)

    def test_of_calls_in_a_row_too(self):
        flavour = support.a_real_flavour()
        self.run_json("allreduce", "pingpong", *support.options_for(flavour), "-n", "2", "--sizes", "64", "--reps",
                      "50", "--in-a-row", "3")
        self.check_all()

    @support.needs("smpi")
    def test_of_simulated_processes_are_made_of_their_samples(self):
        # Processes get out of step with a loop of broadcasts, so that their times differ.
        self.run_json("bcast", "allreduce", "barrier", "pingpong", "--platform", "pure-16", "-n", "4", "--sizes", "8,1k",
                      "--reps", "41", "--start", "none")
        rows = self.check_all()
        for over_ranks in ("max", "span", "mean", "min", "each"):
            self.check_view({point: rows[point] for point in rows}, over_ranks, "skampi-middle", ("0,2-3", {0, 2, 3}))

    @support.needs("smpi")
    def test_as_planned_are_those_without_a_view(self):
        said = self.run_json("bcast", "--platform", "pure-16", "-n", "4", "--sizes", "8", "--reps", "20", "--over-ranks",
                             "mean", "--over-reps", "p90")
        point, = said["points"]
        self.assertEqual((point["over_ranks"], point["over_reps"]), ("mean", "p90"))
        self.assertEqual(self.shown("last")["points"], said["points"])
        self.assertEqual(self.shown("last", "--over-ranks", "mean", "--over-reps", "p90")["points"], said["points"])
        self.assertNotEqual(self.shown("last", "--over-ranks", "max")["points"][0]["value_ns"], point["value_ns"])

    @support.needs("smpi")
    def test_stand_in_the_table_under_their_names(self):
        self.run_json("MPI_Bcast", "--platform", "pure-16", "-n", "4", "--sizes", "8", "--reps", "20")
        for over_reps in ("mean", "p90", "skampi-middle"):
            self.assertRegex(self.fathom("show", "--over-reps", over_reps, status=DONE).stdout, rf"(?m)^operation .* {over_reps} ")
        explained = self.fathom("show", "--explain", "--op", "MPI_BCAST", status=DONE).stdout
        self.assertTrue(explained.startswith("bcast, 8 B, 4 processes\n  No repetition stands out as slow.\n\nRun 1: "),
                        "the answer comes first")
        table = self.fathom("show", "--over-ranks", "each", status=DONE).stdout
        for rank in range(4):
            self.assertRegex(table, rf"(?m)^bcast +4 +8 B +{rank} +20 ")


@support.needs("smpi")
class Refusals(ViewTest):
    def test_views_that_do_not_exist(self):
        self.run_json("bcast", "--platform", "pure-16", "-n", "4", "--sizes", "8", "--reps", "6")
        for words, pattern in ((("--over-ranks", "middle"), r"--over-ranks is \"middle\"; give one of .*max, span, root"),
                               (("--over-reps", "average"), r"--over-reps is \"average\"; give median, mean"),
                               (("--over-reps", "p101"), r"--over-reps is \"p101\"; give .*p99"),
                               (("--over-reps", "p"), r"--over-reps is \"p\"; give"),
                               (("--ranks", "two"), r"--ranks is \"two\"; give ranks such as 0,4-7"),
                               (("--ranks", "0-"), r"--ranks is \"0-\"; give ranks such as"),
                               (("--ranks", "3-1"), r"--ranks is \"3-1\"; .*the smaller rank first"),
                               (("--ranks", "0,4"), r"run 1 has ranks 0 to 3; --ranks says 0,4")):
            with self.subTest(words):
                self.assert_refused(self.fathom("show", *words), pattern)
                self.assert_refused(self.fathom("show", "--json", *words), pattern)

    def test_a_plan_with_a_view_that_does_not_exist(self):
        for words, pattern in ((("--over-ranks", "middle"), r"--over-ranks is \"middle\"; give one of"),
                               (("--over-reps", "p101"), r"--over-reps is \"p101\"; give")):
            self.assert_refused(self.fathom("run", "bcast", "--platform", "pure-16", *words), pattern)
        self.assert_nothing_left()


if __name__ == "__main__":
    support.main()
