#!/usr/bin/env python3
"""Measuring as other benchmarks do, and saying why their numbers differ."""

import csv
import decimal
import io
import re
import tomllib

import support
from support import DONE, FathomTest


def sum_of(effects):
    return sum(effect["change_ns"] for effect in effects)


class SchemeTest(FathomTest):
    def schemes(self):
        """What each scheme sets, as listed."""
        rows = self.fathom("list", "schemes", "--json", status=DONE).json["rows"]
        return {row["scheme"]: tomllib.loads(row["plan_toml"]) for row in rows}

    def assert_as_listed(self, document, settings, cache=None):
        self.assertTrue(document["points"])
        for point in document["points"]:
            self.assertEqual(point["status"], "ok")
            self.assertEqual((point["start"], point["calls_in_a_row"], point["over_ranks"], point["over_reps"], point["cache"]),
                             (settings["start"], settings["in_a_row"], settings["over_ranks"], settings["over_reps"],
                              cache or settings["cache"]))
            if "warmup" in settings:
                self.assertEqual(point["warmup_calls"], settings["warmup"])


@support.needs("smpi")
class Schemes(SchemeTest):
    def measure(self, name, *words):
        # A simulated platform has no caches: cold data must be set to warm there.
        return self.run_json("bcast", "barrier", "--platform", "pure-16", "-n", "2", "--sizes", "8,1k", "--max-reps", "200",
                             "--cache", "warm", "--scheme", name, *words)

    def test_are_known_by_the_names_of_benchmarks(self):
        self.assertEqual(set(self.schemes()), {"as-imb", "as-pmb", "as-osu", "as-mpptest", "as-mpbench", "as-skampi",
                                               "as-skampi-barrier", "as-mpibench", "as-nbcbench"})

    def test_measure_as_listed(self):
        for name, settings in self.schemes().items():
            with self.subTest(name):
                document = self.measure(name)
                self.assertEqual(support.points_of(document), [("bcast", 2, 8), ("bcast", 2, 1024), ("barrier", 2, 0)])
                self.assert_as_listed(document, settings, cache="warm")
                self.assertIn(f"scheme = '{name}'", document["plan_toml"])

    def test_of_mpptest_spread_every_point_over_the_run(self):
        self.measure("as-mpptest")
        rows = csv.DictReader(io.StringIO(self.fathom("export", "--samples", "--csv", status=DONE).stdout))
        starts = {}
        for row in rows:
            starts.setdefault((row["operation"], row["size_bytes"]), []).append(int(row["start_ns"]))
        self.assertEqual(len(starts), 3)
        for one in starts:
            for other in starts:
                self.assertLess(min(starts[one]), max(starts[other]), (one, other))

    def test_of_cold_data_are_simulated_without_caches_and_say_so(self):
        document = self.run_json("bcast", "--platform", "pure-16", "-n", "2", "--sizes", "8", "--scheme", "as-skampi")
        point, = document["points"]
        self.assertEqual((point["status"], point["start"], point["over_reps"]), ("ok", "window", "skampi-middle"))
        self.assertTrue(any("no caches" in text for text in point["warnings"]), point["warnings"])

    def test_are_overridden_by_options(self):
        point = self.measure("as-pmb", "--start", "window", "--in-a-row", "4", "--over-ranks", "max", "--over-reps", "median")["points"][0]
        self.assertEqual((point["start"], point["calls_in_a_row"], point["over_ranks"], point["over_reps"], point["warmup_calls"]),
                         ("window", 4, "max", "median", 2))

    def test_come_from_a_plan_file_too(self):
        self.write("night.toml", "operations = ['bcast']\nover_reps = 'min'\nscheme = 'as-imb'\nplatform = 'pure-16'\nprocs = 2\nsizes = [8]\n")
        document = self.run_json("--plan", "night.toml")
        self.assert_as_listed(document, {**self.schemes()["as-imb"], "over_reps": "min"})
        self.write("again.toml", document["plan_toml"])
        self.assertEqual(self.run_json("--plan", "again.toml")["points"], document["points"], "the stored plan repeats it")
        overridden = self.run_json("--plan", "night.toml", "--scheme", "as-mpbench")
        self.assert_as_listed(overridden, self.schemes()["as-mpbench"])
        self.write("night.toml", "# a plan\nscheme = 'as-imbb'\n")
        self.assert_refused(self.fathom("run", "--plan", "night.toml"), r"night\.toml:2: ", r"Did you mean 'as-imb'")

    def test_change_the_numbers_where_they_should(self):
        """A broadcast tree with 4 processes: rank 0 is done long before the slowest."""
        words = ("bcast", "--platform", "pure-16", "-n", "4", "--sizes", "8")
        own = self.run_json(*words)["points"][0]["value_ns"]
        # In a row, a message passes one level of the tree while the next one passes the other. All tell rank 0 when they are done.
        in_a_row = self.run_json(*words, "--scheme", "as-mpbench")["points"][0]["value_ns"]
        root_only = self.run_json(*words, "--over-ranks", "root")["points"][0]["value_ns"]
        mean = self.run_json(*words, "--scheme", "as-osu")["points"][0]["value_ns"]
        slots = self.run_json(*words, "--scheme", "as-nbcbench")["points"][0]["value_ns"]
        self.assertLess(root_only, 0.1 * own)
        self.assertAlmostEqual(in_a_row, own / 2, delta=0.05 * own)
        self.assertLess(mean, 0.75 * own)
        self.assertAlmostEqual(slots, own, delta=0.01 * own)


@support.needs("smpi")
class BetweenTwo(SchemeTest):
    """Ping-pong on hosts of two ranks each: which pair is timed decides whether the network is in it. In simulation,
    fathom's own ping-pong of the same pair takes the same time every time, so every scheme has a closed value."""
    SIZES = (1024, 65536)

    def pingpong(self, *words):
        document = self.run_json("pingpong", "--platform", "smp-32x2", "--sizes", ",".join(map(str, self.SIZES)), *words)
        return {point["size_bytes"]: point for point in document["points"]}

    def one_way(self, pair):
        """The time of one message, from single round trips of these two ranks."""
        return {size: point["median_ns"] for size, point in self.pingpong("--pair", pair, "--reps", "5").items()}

    def test_imb_and_osu_report_what_those_programs_compute(self):
        within = self.one_way("0-1")
        self.assertAlmostEqual(within[1024], 1480, delta=10)
        imb = self.pingpong("--scheme", "as-imb")
        osu = self.pingpong("--scheme", "as-osu")
        for size, calls, osu_calls, osu_skipped in ((1024, 1000, 10000, 100), (65536, 640, 1000, 10)):
            # IMB: the loop of all calls by rank 0, over the number of calls, halved. OSU: its calls, one by one.
            for point in (imb[size], osu[size]):
                self.assertEqual((point["status"], point["pattern"], point["pairs"]), ("ok", "0-1", ["0-1"]))
                self.assertAlmostEqual(point["value_ns"], within[size], delta=0.001 * within[size])
            self.assertEqual((imb[size]["calls_in_a_row"], imb[size]["warmup_calls"], imb[size]["start"]),
                             (calls, calls // 10, "mpi-barrier"))
            self.assertEqual((osu[size]["reps"], osu[size]["warmup_calls"], osu[size]["calls_in_a_row"], osu[size]["start"]),
                             (osu_calls, osu_skipped, 1, "none"))

    def test_others_take_their_pairs_and_skampi_the_whole_round_trip(self):
        within, between = self.one_way("0-1"), self.one_way("0-31")
        # A loop of ten after a barrier includes that rank 1 leaves it later, by up to a message.
        for scheme, expected in (("as-mpptest", within), ("as-pmb", within), ("as-nbcbench", within), ("as-mpbench", between),
                                 ("as-mpibench", between)):
            for size, point in self.pingpong("--scheme", scheme).items():
                self.assertAlmostEqual(point["value_ns"], expected[size], delta=0.05 * expected[size], msg=scheme)
        for scheme in ("as-skampi", "as-skampi-barrier"):
            for size, point in self.pingpong("--scheme", scheme).items():
                self.assertEqual(point["round_trip"], "whole")
                self.assertAlmostEqual(point["value_ns"], 2 * between[size], delta=0.001 * between[size], msg=scheme)

    def test_a_pair_that_is_given_overrides_the_scheme(self):
        between = self.one_way("0-31")
        for size, point in self.pingpong("--scheme", "as-imb", "--pair", "0-31").items():
            self.assertEqual(point["pairs"], ["0-31"])
            self.assertAlmostEqual(point["value_ns"], between[size], delta=0.001 * between[size])

    def test_a_comparison_names_the_pair_as_the_reason(self):
        document = self.run_json("pingpong", "--platform", "smp-32x2", "--sizes", "8", "--compare-schemes", "--point-budget", "20")
        comparison, = document["scheme_comparison"]
        self.assertEqual(comparison["pair"], "0-31")
        rows = {row["scheme"]: row for row in comparison["schemes"]}
        self.assertEqual(set(rows), set(self.schemes()))
        for scheme in ("as-imb", "as-osu"):
            self.assertEqual(rows[scheme]["pair"], "0-1")
            self.assertEqual([effect["effect"] for effect in rows[scheme]["effects"] if effect["reason"]], ["another pair"])
        said = self.fathom("show", status=DONE).stdout
        self.assertRegex(said, r"(?m)^as-imb .*ranks 0-1 instead of 0-31")


@support.needs("smpi")
class FinishedByABarrier(SchemeTest):
    def test_has_the_time_of_the_barrier_subtracted(self):
        """Every rank waits for the last one: what is left after the barrier is the broadcast of the slowest."""
        words = ("bcast", "--platform", "pure-16", "-n", "4", "--sizes", "1k", "--start", "mpi-barrier", "--over-ranks", "root",
                 "--reps", "20")
        plain = self.run_json(*words)["points"][0]
        finished = self.run_json(*words, "--finish", "mpi-barrier")["points"][0]
        slowest = self.run_json(*words[:-4], "--over-ranks", "max", "--reps", "20")["points"][0]
        self.assertEqual(plain["subtracted_ns"], 0)
        self.assertGreater(finished["subtracted_ns"], 10000, "two rounds of messages of 10 us")
        self.assertGreater(finished["median_ns"], plain["median_ns"])
        self.assertLessEqual(finished["median_ns"], 1.01 * slowest["median_ns"])


@support.alone
class RealSchemes(SchemeTest):
    def test_measure_as_listed(self):
        schemes = self.schemes()
        for flavour in support.flavours(*support.REAL):
            for name, settings in schemes.items():
                with self.subTest(f"{flavour} {name}"):
                    document = self.run_json("bcast", "allreduce", *support.options_for(flavour), "-n", "2", "--sizes", "64",
                                             "--point-budget", "50", "--scheme", name)
                    self.assert_as_listed(document, settings)


@support.needs("smpi")
class Comparison(SchemeTest):
    def compared(self, *words):
        return self.run_json("bcast", "--compare-schemes", "--point-budget", "20", *words)

    def assert_within(self, value, interval):
        """Few repetitions have no interval."""
        if interval is not None:
            self.assertLessEqual(interval[0], value)
            self.assertLessEqual(value, interval[1])

    def check_sums(self, comparison):
        self.assertEqual({row["scheme"] for row in comparison["schemes"]}, set(self.schemes()))
        self.assert_within(comparison["own_ns"], comparison["own_within_run_ci95_ns"])
        for row in comparison["schemes"]:
            self.assertAlmostEqual(sum_of(row["effects"]), row["value_ns"] - comparison["own_ns"], places=3, msg=row["scheme"])
            self.assertAlmostEqual(row["ratio"], row["value_ns"] / comparison["own_ns"], places=9)
            self.assert_within(row["value_ns"], row["within_run_ci95_ns"])
            rest = sum_of(effect for effect in row["effects"] if not effect["reason"])
            self.assertAlmostEqual(rest, row["remainder_ns"], places=3, msg=row["scheme"])

    def effects_of(self, comparison, scheme):
        row = next(row for row in comparison["schemes"] if row["scheme"] == scheme)
        return {effect["effect"]: effect["change_ns"] for effect in row["effects"]}

    def assert_adds_up(self, table):
        """What is printed of each scheme: its reasons and the remainder are the difference, to the last digit."""
        schemes = {}
        for line in table.splitlines():
            begins = re.match(r"(as-\S+) +[\d.]+ [num]?s +[\d.]+ +([+-][\d.]+) ", line)
            if begins:
                schemes[begins[1]] = [decimal.Decimal(begins[2]), []]
            adds = re.search(r" ([+-][\d.]+) [num]?s +\+/- [\d.]+ [num]?s$", line)
            if adds and schemes:
                schemes[list(schemes)[-1]][1].append(decimal.Decimal(adds[1]))
        self.assertEqual(set(schemes), set(self.schemes()))
        for name, (difference, reasons) in schemes.items():
            self.assertTrue(reasons, name)
            self.assertEqual(sum(reasons), difference, name)

    def linear(self):
        self.write("linear.xml", support.platform_with(smpi__bcast="flattree", smpi__async_small_thresh=65536,
                                                       smpi__ois="0:1000e-9:0"))
        return "linear.xml"

    def test_effects_add_up_to_the_difference(self):
        document = self.compared("--platform", self.linear(), "-n", "4", "--sizes", "1,1k")
        self.assertEqual([(row["operation"], row["procs"], row["size_bytes"]) for row in document["scheme_comparison"]],
                         [("bcast", 4, 1), ("bcast", 4, 1024)])
        for comparison in document["scheme_comparison"]:
            self.check_sums(comparison)
            own = next(point for point in document["points"]
                       if point["scheme"] == "fathom" and point["size_bytes"] == comparison["size_bytes"])
            self.assertEqual(own["median_ns"], comparison["own_ns"])
            for row in comparison["schemes"]:
                point = next(point for point in document["points"] if point["scheme"] == row["scheme"]
                             and point["size_bytes"] == comparison["size_bytes"])
                self.assertEqual(point["value_ns"], row["value_ns"])

    def test_says_that_rank_0_alone_is_done_early(self):
        """A linear broadcast keeps its root for the gaps only; looped, it sends at that pace, single or in a row."""
        comparison, = self.compared("--platform", self.linear(), "-n", "4", "--sizes", "1")["scheme_comparison"]
        effects = self.effects_of(comparison, "as-mpbench")
        self.assertEqual(min(effects, key=effects.get), "rank 0 only")
        self.assertLess(abs(effects.get("pipelining", 0)), 0.02 * comparison["own_ns"])
        self.assertLess(self.effects_of(comparison, "as-mpibench")["skew of MPI_Barrier's exit"], 0)
        for scheme in ("as-skampi", "as-nbcbench"):
            self.assertLess(sum(map(abs, self.effects_of(comparison, scheme).values())), 0.02 * comparison["own_ns"])

    def test_finds_pipelining_where_calls_overlap(self):
        """Along a tree several broadcasts are under way at a time: in a row they are faster than one alone."""
        comparison, = self.compared("--platform", "pure-16", "-n", "8", "--sizes", "8")["scheme_comparison"]
        self.check_sums(comparison)
        self.assertLess(self.effects_of(comparison, "as-pmb")["pipelining"], -0.1 * comparison["own_ns"])
        table = self.fathom("show", status=DONE).stdout
        self.assertRegex(table, r"(?m)^ +pipelining +-")
        self.assertRegex(table, r"(?m)^as-nbcbench .*nothing beyond noise")
        self.assertNotRegex(table, r"(?m)^as-(imb|osu|mpibench|nbcbench|skampi) .*pipelining")
        self.assert_adds_up(table)

    def test_has_every_scheme_as_a_point_of_its_own(self):
        document = self.compared("--platform", "pure-16", "-n", "2", "--sizes", "8")
        names = [point["scheme"] for point in document["points"]]
        self.assertEqual(sorted(names), sorted([*self.schemes(), "fathom", "in-a-row"]))
        self.assertEqual({point["status"] for point in document["points"]}, {"ok"})
        for point in document["points"]:
            settings = self.schemes().get(point["scheme"])
            if settings:
                self.assertEqual((point["start"], point["calls_in_a_row"]), (settings["start"], settings["in_a_row"]))
        said = self.fathom("show", status=DONE).stdout
        for name in names:
            self.assertRegex(said, rf"(?m)^bcast +{re.escape(name)} ")

    def test_is_shown_as_it_was_said_and_goes_on_after_a_kill(self):
        words = ("bcast", "--compare-schemes", "--platform", "pure-16", "-n", "4", "--sizes", "8", "--reps", "60")
        whole = self.run_json(*words, "--db", "whole.db")
        self.kill_when(lambda records: sum(kind == support.POINT_PAUSE for kind, _, _ in records) >= 15, *words)
        resumed = self.run_json("--resume", "last")
        self.assertEqual(support.points_of(resumed), support.points_of(whole))
        self.assertEqual({(point["status"], point["reps"]) for point in resumed["points"]}, {("ok", 60)})
        self.assertEqual(self.shown()["scheme_comparison"], resumed["scheme_comparison"])
        for found, right in zip(resumed["scheme_comparison"][0]["schemes"], whole["scheme_comparison"][0]["schemes"]):
            self.assertAlmostEqual(found["value_ns"], right["value_ns"], delta=0.01 * whole["scheme_comparison"][0]["own_ns"])
        self.assert_nothing_left("fathom.db", "whole.db")

    @support.alone
    def test_with_real_libraries_adds_up_too(self):
        for flavour in support.flavours(*support.REAL):
            with self.subTest(flavour):
                # Slots of a busy machine may all be missed: then that scheme has no number.
                def attempt():
                    document = self.compared(*support.options_for(flavour), "-n", "2", "--sizes", "64")
                    for comparison in document["scheme_comparison"]:
                        self.check_sums(comparison)
                support.undisturbed(attempt)


if __name__ == "__main__":
    support.main()
