#!/usr/bin/env python3
"""Points added while measuring: refined ranges, and switches bisected to the byte."""

import json

import support
from support import DONE, FathomTest

LIMIT = 12288


def slower_above(limit):
    """A simulated network whose sender takes 8 us more for messages above a limit."""
    return support.platform_with(smpi__os=f"0:1e-6:0;{limit}:9e-6:0")


def sizes_of(document):
    return [point["size_bytes"] for point in document["points"]]


@support.needs("smpi")
class SearchTest(FathomTest):
    def setUp(self):
        super().setUp()
        self.write("switch.xml", slower_above(LIMIT))

    def search(self, *words, operation="pingpong", **more):
        return self.run_json(operation, "--platform", "switch.xml", "-n", "2", *words, **more)

    def assert_all_measured_once(self, document):
        self.assertEqual({point["status"] for point in document["points"]}, {"ok"})
        self.assertEqual(len(set(support.points_of(document))), len(document["points"]))


class FewRepetitions(FathomTest):
    def test_are_refused_where_they_have_no_interval(self):
        for flavour in support.flavours(*support.REAL):
            for words, limit in ((("--sizes", "1:1k:auto", "--reps", "5"), "--reps is 5"),
                                 (("--locate-switches", "--max-reps", "3"), "--max-reps is 3")):
                self.assert_refused(self.fathom("run", "bcast", *support.options_for(flavour), *words),
                                    rf"so at least 6 repetitions of each point; {limit}\.")
        self.assert_nothing_left()


class Refinement(SearchTest):
    PLANNED = [1 << i for i in range(21)]

    def test_is_made_around_the_switch(self):
        document = self.search("--sizes", "1:1M:auto")
        self.assert_all_measured_once(document)
        sizes = sizes_of(document)
        self.assertEqual(sizes, sorted(sizes), "found points stand where they belong")
        self.assertLessEqual(set(self.PLANNED), set(sizes))
        added = {point["size_bytes"] for point in document["points"] if point.get("purpose") == "refine"}
        self.assertEqual(added, set(sizes) - set(self.PLANNED))
        near = [size for size in added if LIMIT / 1.5 < size < LIMIT * 1.5]
        self.assertGreaterEqual(len(near), 3)
        below, above = max(size for size in sizes if size <= LIMIT), min(size for size in sizes if size > LIMIT)
        self.assertLess(above - below, 1024, "neighbours of the switch are near each other")
        self.assertFalse([size for size in added if size < 4096], "nothing happens there")

    def test_goes_on_until_interpolation_is_good_enough(self):
        coarse, fine = (self.search("--sizes", "4k:32k:auto", "--refine", percent) for percent in ("20", "1"))
        self.assertLess(len(coarse["points"]), len(fine["points"]))
        self.assertLess(set(sizes_of(coarse)), set(sizes_of(fine)))

    def test_stays_within_the_number_of_points_allowed(self):
        for most in (21, 24):
            document = self.search("--sizes", "1:1M:auto", "--max-points", most)
            self.assertEqual(len(document["points"]), most)
            self.assert_all_measured_once(document)
            cut, = document["cut_searches"]
            self.assertEqual((cut["operation"], cut["points"], cut["switches_open"]), ("pingpong", most, False))
            self.assertGreater(cut["interpolation"]["error"], 0.05, "the goal of --refine")
            self.assertLess(cut["interpolation"]["from"], cut["interpolation"]["to"])
            self.assertIn(f"the search ended at --max-points {most}", self.fathom("show", status=DONE).stdout)
        self.assertNotIn("cut_searches", self.search("--sizes", "1:1M:auto"))
        document = self.search("--sizes", "1:1M:auto", "--max-points", "5")
        self.assertEqual(sizes_of(document), self.PLANNED, "what was planned is measured in any case")

    def test_needs_one_repetition_where_times_are_exact(self):
        for words in (("--sizes", "1k:64k:auto"), ("--sizes", "1k:64k", "--locate-switches")):
            many, one = (self.search(*words, "--reps", reps) for reps in ("6", "1"))
            self.assertGreater(len(one["points"]), 7)
            self.assertEqual(sizes_of(one), sizes_of(many))
            self.assertEqual(one.get("switches"), many.get("switches"))

    def test_is_repeated_by_the_stored_plan(self):
        first = self.search("--sizes", "1:1M:auto")
        self.write("again.toml", first["plan_toml"])
        again = self.run_json("--plan", "again.toml")
        self.assertEqual(support.points_of(again), support.points_of(first))

    def test_of_each_operation_is_its_own(self):
        document = self.run_json("pingpong", "bcast", "--platform", "switch.xml", "-n", "4", "--sizes", "4k:32k:auto")
        self.assert_all_measured_once(document)
        for operation in ("pingpong", "bcast"):
            sizes = [point["size_bytes"] for point in document["points"] if point["operation"] == operation]
            self.assertEqual(sizes, sorted(sizes))
            self.assertGreater(len(sizes), 4)

    def test_of_process_counts(self):
        """A broadcast tree gets deeper at 4, 8 and 16 processes: that is where counts are added."""
        document = self.run_json("bcast", "--platform", "pure-16", "-n", "2:16:auto", "--sizes", "8")
        self.assert_all_measured_once(document)
        counts = [point["procs"] for point in document["points"]]
        self.assertEqual(counts, sorted(counts))
        self.assertLess({2, 4, 8, 16}, set(counts))
        times = {point["procs"]: point["median_ns"] for point in document["points"]}
        for step in (4, 8, 16):
            below = max(count for count in counts if count < step)
            self.assertEqual(below, step - 1, "a step is pinned down to the process")
            self.assertGreater(times[step], 1.2 * times[below])

    def check_killed(self, moment, *words):
        # Repetitions enough to be caught in the act.
        words = ("bcast", "--platform", "switch.xml", "-n", "4", "--reps", "1500", *words)
        whole = self.run_json(*words, "--db", "whole.db")
        self.kill_when(moment, *words)
        self.assertLess(len(self.shown()["points"]), len(whole["points"]), "it was to be killed in the middle")
        resumed = self.run_json("--resume", "last")
        self.assertEqual(support.points_of(resumed), support.points_of(whole))
        self.assertEqual([point["status"] for point in resumed["points"]], ["ok"] * len(whole["points"]))
        self.assertEqual({point["reps"] for point in resumed["points"]}, {1500})
        self.assertEqual(resumed.get("switches"), whole.get("switches"))
        self.assert_nothing_left("fathom.db", "whole.db")

    def count_of(self, kind, count, purpose=""):
        def reached(records):
            return sum(found == kind and purpose.encode() in content for found, content, _ in records) >= count
        return reached

    def test_killed_before_the_first_added_point_it_finds_the_same(self):
        self.check_killed(self.count_of(support.POINT_END, 2), "--sizes", "4k:32k:auto")

    def test_killed_between_added_points_it_finds_the_same(self):
        self.check_killed(self.count_of(support.POINT_ADDED, 3), "--sizes", "4k:32k:auto")

    def test_killed_while_it_bisects_it_finds_the_same(self):
        self.check_killed(self.count_of(support.POINT_ADDED, 4, '"switch"'), "--sizes", "1k:32k", "--locate-switches")

    def test_started_several_times_measures_what_the_first_found(self):
        document = self.search("--sizes", "4k:32k:auto", "--runs", "2")
        self.assert_all_measured_once(document)
        self.assertGreater(len(document["points"]), 4)
        self.assertEqual({len(point["starts"]["values_ns"]) for point in document["points"]}, {2})


class Switches(SearchTest):
    def located(self, *words, **more):
        return self.search("--locate-switches", *words, **more)

    def test_are_found_to_the_byte(self):
        for limit in (LIMIT, 5000, 777):
            with self.subTest(limit):
                self.write("switch.xml", slower_above(limit))
                document = self.located("--sizes", "1:32k")
                self.assert_all_measured_once(document)
                found, = document["switches"]
                self.assertEqual((found["operation"], found["procs"], found["kind"]), ("pingpong", 2, "jump"))
                self.assertEqual((found["last_below_bytes"], found["first_above_bytes"]), (limit, limit + 1))
                self.assertTrue(found["exact"])
                self.assertGreater(found["ratio"], 1.2)
                self.assertIn(f"{limit} B", found["text"])
                times = {point["size_bytes"]: point["median_ns"] for point in document["points"]}
                self.assertAlmostEqual(times[limit + 1] - times[limit], 8001, delta=10)
                said = self.fathom("show", status=DONE).stdout
                self.assertIn(f"switch at {limit} B", said)
                self.assertRegex(said, rf"(?m)^pingpong, 2 processes +{limit} B +{limit + 1} B .* jump$")
                self.assertLess(said.index("first above"), said.index("95% interval"), "before anything else")

    def test_of_elements_are_found_to_the_element(self):
        found, = self.located("--sizes", "1k:32k", operation="allreduce")["switches"]
        self.assertEqual((found["last_below_bytes"], found["first_above_bytes"], found["exact"]), (LIMIT, LIMIT + 4, True))

    def test_one_size_says_nothing_of_them(self):
        self.located("--sizes", "1k:32k")
        self.assertIn("switch at", self.fathom("show", status=support.DONE).stdout)
        self.assertNotIn("switch", self.fathom("show", "--size", "1k", status=support.DONE).stdout)

    def test_of_every_process_count(self):
        document = self.run_json("bcast", "--platform", "switch.xml", "-n", "2,4", "--sizes", "1k:32k", "--locate-switches")
        self.assertEqual([(found["procs"], found["last_below_bytes"], found["exact"]) for found in document["switches"]],
                         [(2, LIMIT, True), (4, LIMIT, True)])

    def test_two_are_told_apart(self):
        self.write("switch.xml", support.platform_with(smpi__os="0:1e-6:0;700:9e-6:0;20000:30e-6:0"))
        document = self.located("--sizes", "1:32k")
        self.assertEqual([(found["last_below_bytes"], found["exact"]) for found in document["switches"]],
                         [(700, True), (20000, True)])

    def test_are_not_found_where_there_are_none(self):
        document = self.run_json("pingpong", "--platform", "pure-16", "-n", "2", "--sizes", "1:32k", "--locate-switches")
        self.assertEqual(document["switches"], [])
        self.assertEqual(len(document["points"]), 16)

    def test_are_looked_for_on_request_only(self):
        self.assertNotIn("switches", self.search("--sizes", "8k,16k"))

    def test_after_refinement_are_as_exact(self):
        document = self.located("--sizes", "1k:32k:auto")
        found, = document["switches"]
        self.assertEqual((found["last_below_bytes"], found["exact"]), (LIMIT, True))
        self.assertEqual({point.get("purpose", "planned") for point in document["points"]}, {"planned", "refine", "switch"})

    def test_stop_at_the_number_of_points_allowed(self):
        document = self.located("--sizes", "1:32k", "--max-points", "18")
        self.assertEqual(len(document["points"]), 18)
        for found in document["switches"]:
            self.assertTrue(found["last_below_bytes"] <= LIMIT < found["first_above_bytes"])
            self.assertFalse(found["exact"])

    def test_of_resumed_runs_are_the_same_as_shown(self):
        said = self.located("--sizes", "1:32k")
        self.assertEqual(self.shown()["switches"], said["switches"])
        self.assertEqual(json.loads(self.fathom("export", "--json", status=DONE).stdout)["switches"], said["switches"])


@support.alone
class InjectedSwitch(FathomTest):
    """Real libraries whose MPI_Send is slowed down above an arbitrary size. What their own protocols do at which
    size, and whether it shows in times, is up to the machine."""

    # A message of these sizes takes about a microsecond between processes of a host, up to six where a virtual machine's
    # processors slow down for a while. The delay is far more than that, and all repetitions of a point take no longer than the
    # time slices of a scheduler: few points are preempted, and those are measured again.
    LIMIT, DELAY_US = 3001, 50

    def check_found(self, flavour):
        document = self.run_json("pingpong", *support.options_for(flavour), "-n", "2", "--sizes", "128:32k", "--reps", "60",
                                 "--revisit", "1000%", "--locate-switches",
                                 env=support.meddling(switch=self.LIMIT, delay_us=self.DELAY_US))
        found = [switch for switch in document["switches"] if switch["last_below_bytes"] == self.LIMIT]
        self.assertEqual(len(found), 1, document["switches"])
        self.assertEqual((found[0]["kind"], found[0]["first_above_bytes"], found[0]["exact"]), ("jump", self.LIMIT + 1, True), found)
        self.assertGreater(found[0]["ratio"], 2)

    def test_is_found_to_the_byte(self):
        for flavour in support.flavours(*support.REAL):
            with self.subTest(flavour=flavour):
                support.undisturbed(lambda: self.check_found(flavour))


if __name__ == "__main__":
    support.main()
