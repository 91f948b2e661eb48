#!/usr/bin/env python3
"""The measuring engine: process counts within one job, order and rounds of points, several launches, arithmetic truth,
and what disturbs it."""

import datetime
import glob
import os
import re
import signal
import subprocess
import time

import support
from support import DONE, NOT_MEASURED, FathomTest

PROGRESS = re.compile(r"(?m)^\[\d+/\d+\] (\S.*?): ")
TICKS = os.sysconf("SC_CLK_TCK")


def times_of(document):
    """Points without how long it took to get them warm: the first of a job has more to warm up."""
    return [{key: value for key, value in point.items() if key != "warmup_calls"} for point in document["points"]]


class EngineTest(FathomTest):
    def simulated(self, *words, **more):
        return self.run_json(*words, "--platform", "pure-16", **more)

    def statuses(self, document):
        return [point["status"] for point in document["points"]]

    def wait_until_measuring(self, running):
        self.journal_when(running, lambda records: any(kind == support.POINT_BEGIN for kind, _, _ in records))

    def ranks_running(self):
        """{rank: process} of this test's job."""
        found = {}
        for pid, _ in support.processes_with(f"{support.MARK}={self.mark}"):
            if support.contents(f"/proc/{pid}/comm").startswith(b"fathom-probe"):
                environment = dict(word.partition(b"=")[::2] for word in support.contents(f"/proc/{pid}/environ").split(b"\0"))
                found[int(environment.get(b"OMPI_COMM_WORLD_RANK", environment.get(b"PMI_RANK", b"-1")))] = pid
        return found


@support.needs("smpi")
class Sweeps(EngineTest):
    def check_sweep(self, counts, expected):
        """One job with several process counts against a job for each."""
        words = ("bcast", "allreduce", "--sizes", "8,1k", "--reps", "10")
        together = self.simulated(*words, "-n", counts)
        self.assertEqual(support.points_of(together), [(operation, procs, size) for operation in ("bcast", "allreduce")
                                                       for procs in expected for size in (8, 1024)])
        self.assertEqual(set(self.statuses(together)), {"ok"})
        self.assertEqual(together["procs"], max(expected))
        for procs in expected:
            apart = self.simulated(*words, "-n", procs)
            self.assertEqual([point["median_ns"] for point in together["points"] if point["procs"] == procs],
                             [point["median_ns"] for point in apart["points"]], f"{procs} processes")

    def test_a_list_of_process_counts_gives_the_times_of_separate_jobs(self):
        self.check_sweep("1,2,4", (1, 2, 4))

    def test_a_doubling_range_does_too(self):
        self.check_sweep("2:8", (2, 4, 8))

    def test_a_pair_is_the_first_and_the_last_of_each_count(self):
        document = self.simulated("pingpong", "--sizes", "8", "--reps", "10", "-n", "1,2,4")
        self.assertEqual(self.statuses(document), ["unavailable", "ok", "ok"])
        samples = self.fathom("export", "--samples", "--csv", status=DONE).stdout.splitlines()[1:]
        ranks = {}
        for row in (line.split(",") for line in samples):
            ranks.setdefault(int(row[3]), set()).add(int(row[5]))
        self.assertEqual(ranks, {2: {0, 1}, 4: {0, 3}})

    def test_counts_that_are_none(self):
        for counts in ("0,2", "2,x", "4:2", "2:4:8", "1,,2"):
            with self.subTest(counts):
                self.assert_refused(self.fathom("run", "bcast", "--platform", "pure-16", "-n", counts), r"--procs is", r"give")
        self.assert_refused(self.fathom("run", "bcast", "--platform", "pure-16", "-n", "2:32"), r"16 processes", r"32")
        self.assert_nothing_left()


class RealSweeps(EngineTest):
    def test_several_process_counts_are_measured_within_one_job(self):
        for flavour in support.flavours(*support.REAL):
            for more in ((), ("--interleave",)):
                with self.subTest(f"{flavour} {more}"):
                    document = self.run_json("allreduce", "barrier", *support.options_for(flavour), "-n", "1,2,3", "--sizes", "8,1k",
                                             "--reps", "20", *more, env=support.patient())
                    self.assertEqual(support.points_of(document),
                                     [("allreduce", procs, size) for procs in (1, 2, 3) for size in (8, 1024)]
                                     + [("barrier", procs, 0) for procs in (1, 2, 3)])
                    self.assertEqual({(point["status"], point["reps"]) for point in document["points"]}, {("ok", 20)})
                    self.assertEqual([rank["rank"] for rank in document["ranks"]], [0, 1, 2])
        self.assert_nothing_left("fathom.db")


@support.alone
class IdleRanks(EngineTest):
    def cpu_s(self, pid):
        fields = support.contents(f"/proc/{pid}/stat").rpartition(b")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def check_idle(self, flavour):
        """While one process measures for two seconds, the other waits without using the processor. Calls
        are long, so that there are few to store and the end of the point is reported immediately."""
        running = self.start("run", "-v", "allreduce", *support.options_for(flavour), "-n", "1,2", "--sizes", "4M", "--order",
                             "planned", "--stop", "fixed", "--max-reps", "1000000000", "--point-budget", "2000")
        self.wait_until_measuring(running)
        ranks = self.ranks_running()
        self.assertEqual(sorted(ranks), [0, 1])
        before = {rank: self.cpu_s(pid) for rank, pid in ranks.items()}
        running.wait_for(r"^\[1/2\] allreduce 4 MiB  1 proc")
        used = {rank: self.cpu_s(pid) - before[rank] for rank, pid in ranks.items()}
        self.assertEqual(running.finish().status, DONE)
        self.assertGreater(used[0], 0.2, "the rank that measures has two seconds for it, so that there is something to compare with")
        # It looks for its turn now and then. If it spun, it would use as much as the other.
        self.assertLess(used[1], 0.25 * used[0], "the rank that does not measure leaves its core alone")

    @support.needs("openmpi")
    def test_open_mpi_ranks_that_do_not_measure_leave_their_cores_alone(self):
        support.undisturbed(lambda: self.check_idle("openmpi"))

    @support.needs("mpich")
    def test_mpich_ranks_that_do_not_measure_leave_their_cores_alone(self):
        support.undisturbed(lambda: self.check_idle("mpich"))


@support.needs("smpi")
class Order(EngineTest):
    WORDS = ("bcast", "allreduce", "--platform", "pure-16", "-n", "4", "--sizes", "1:64", "--reps", "10")

    def order(self, *more):
        result = self.fathom("run", "-v", "--json", *self.WORDS, *more, status=DONE)
        return PROGRESS.findall(result.stderr), result.json

    def test_is_that_of_the_seed(self):
        first, document = self.order()
        self.assertEqual(first, self.order("--seed", "1")[0], "the default seed is 1")
        second, other = self.order("--seed", "2")
        planned, as_planned = self.order("--order", "planned")
        self.assertEqual(second, self.order("--seed", "2", "--order", "random")[0])
        self.assertEqual(len({tuple(first), tuple(second), tuple(planned)}), 3)
        self.assertEqual(sorted(first), sorted(planned))
        self.assertEqual(planned, [f"{operation} {size} B  4 procs" for operation in ("bcast", "allreduce")
                                   for size in (1, 2, 4, 8, 16, 32, 64)])
        self.assertEqual(support.points_of(document), support.points_of(as_planned), "results stand in planned order")
        # Nothing is shared between points here, so the order makes no difference to times.
        self.assertEqual(times_of(document), times_of(as_planned))
        self.assertEqual(times_of(document), times_of(other))

    def test_comes_from_a_plan_file_too(self):
        self.write("night.toml", "order = 'planned'\nseed = 7\n")
        self.assertEqual(self.order("--plan", "night.toml")[0], self.order("--order", "planned")[0])
        self.write("night.toml", "order = 'sideways'\n")
        self.assert_refused(self.fathom("run", "--plan", "night.toml"), r"night\.toml:1: 'order' is \"sideways\"; give one of random, planned")


class Interleaved(EngineTest):
    WORDS = ("allreduce", "-n", "2", "--sizes", "8:512", "--reps", "50", "--start", "barrier", "--interleave")

    @support.needs("smpi")
    def test_points_are_those_of_points_one_after_the_other(self):
        words = ("bcast", "barrier", "pingpong", "-n", "4", "--sizes", "8,1k,64k", "--reps", "60")
        one_by_one, in_rounds = (self.simulated(*words, *more) for more in ((), ("--interleave",)))
        self.assertEqual(support.points_of(in_rounds), support.points_of(one_by_one))
        self.assertEqual({(point["status"], point["reps"]) for point in in_rounds["points"]}, {("ok", 60)})
        for a, b in zip(one_by_one["points"], in_rounds["points"]):
            self.assertAlmostEqual(a["median_ns"], b["median_ns"], delta=0.005 * a["median_ns"])
        samples = self.fathom("export", "--samples", "--csv", status=DONE).stdout.splitlines()[1:]
        reps = [tuple(map(int, (row[1], row[5], row[6]))) for row in (line.split(",") for line in samples)]
        self.assertEqual(len(set(reps)), len(reps), "no repetition is there twice")
        made = {point["point"]: point["reps"] + point["invalid_reps"] for point in in_rounds["points"]}
        for point, count in made.items():
            self.assertEqual({rep for of, _, rep in reps if of == point}, set(range(count)), "nor is one missing")

    @support.needs("mpich")
    def test_visits_alternate(self):
        self.write("plan.toml", "operations = ['allreduce', 'bcast']\nsizes = [8, 64]\nreps = 100\ninterleave = true\n")
        self.own_files.add("plan.toml.journal")
        subprocess.run([*support.launcher_words("mpich", 2), str(support.probe("mpich")), "plan.toml"], cwd=self.dir,
                       env=self.environment(), stdin=subprocess.DEVNULL, check=True, timeout=support.WAIT_S)
        records = list(support.journal_records(self.dir / "plan.toml.journal"))
        visits = [support.json.loads(content)["index"] for kind, content, _ in records if kind == support.POINT_BEGIN]
        ends = [support.json.loads(content)["index"] for kind, content, _ in records if kind == support.POINT_END]
        self.assertEqual(sorted(ends), [0, 1, 2, 3])
        self.assertEqual(sorted(visits[:4]), [0, 1, 2, 3], "all points are begun before one is visited again")
        for i, visit in enumerate(visits[:-1]):
            others = set(visits[i + 1:]) - {visit}
            self.assertFalse(visit == visits[i + 1] and others, "where others wait, none is visited twice in a row")
        self.assertGreaterEqual(min(visits.count(point) for point in range(4)), 3, "a point is measured in parts")
        document = self.run_json("--collect", "plan.toml.journal")
        self.assertEqual({(point["status"], point["reps"]) for point in document["points"]}, {("ok", 100)})

    def check_killed(self, flavour):
        def half_way(records):
            return sum(kind == support.POINT_PAUSE for kind, _, _ in records) >= 10
        self.kill_when(half_way, *self.WORDS, *support.options_for(flavour), env=support.meddling(sleep_us=1000))
        self.assertEqual(len(self.shown()["points"]), 7)
        resumed = self.run_json("--resume", "last", *support.options_for(flavour)[2:])
        self.assertEqual(support.points_of(resumed), [("allreduce", 2, 8 << i) for i in range(7)])
        self.assertEqual({(point["status"], point["reps"]) for point in resumed["points"]}, {("ok", 50)})
        samples = self.fathom("export", "--samples", "--csv", status=DONE).stdout.splitlines()[1:]
        self.assertEqual(len(samples), 7 * 2 * 50, "half-measured points leave nothing behind")
        self.assert_nothing_left("fathom.db")

    @support.needs("openmpi")
    def test_with_open_mpi_killed_in_the_middle_it_goes_on(self):
        self.check_killed("openmpi")

    @support.needs("mpich")
    def test_with_mpich_killed_in_the_middle_it_goes_on(self):
        self.check_killed("mpich")


class Starts(EngineTest):
    def check_starts(self, document, points, starts, reps):
        self.assertEqual(len(document["points"]), points)
        self.assertEqual(len(set(support.points_of(document))), points, "every point is there once")
        for point in document["points"]:
            self.assertEqual((point["status"], point["reps"]), ("ok", starts * reps))
            values = point["starts"]["values_ns"]
            self.assertEqual(len(values), starts)
            self.assertTrue(min(values) <= point["value_ns"] <= max(values))
            self.assertTrue(point["min_ns"] <= point["median_ns"] <= point["max_ns"])
            self.assertGreaterEqual(point["starts"]["variance_between_ns2"], 0)
            self.assertGreaterEqual(point["starts"]["variance_within_ns2"], 0)

    @support.needs("smpi")
    def test_simulated_are_all_alike(self):
        words = ("allreduce", "barrier", "-n", "4", "--sizes", "8,1k", "--reps", "10")
        once = self.simulated(*words)
        self.assertNotIn("starts", once["points"][0])
        result = self.fathom("run", "--json", *words, "--platform", "pure-16", "--runs", "3", status=DONE)
        self.assertEqual(re.findall(r"(?m)^launch (\d) of 3: \d+ points?$", result.stderr), ["1", "2", "3"])
        self.check_starts(result.json, 3, 3, 10)
        for point, single in zip(result.json["points"], once["points"]):
            self.assertEqual(point["starts"]["values_ns"], [single["value_ns"]] * 3)
            self.assertEqual(point["starts"]["variance_between_ns2"], 0)
            self.assertEqual(point["median_ns"], single["median_ns"])
        self.assertEqual(self.shown()["points"], result.json["points"])

    def test_each_has_a_median_of_its_own(self):
        for flavour in support.flavours(*support.REAL):
            with self.subTest(flavour):
                document = self.run_json("allreduce", "pingpong", *support.options_for(flavour), "-n", "2", "--sizes", "8",
                                         "--reps", "100", "--runs", "3")
                self.check_starts(document, 2, 3, 100)
                for point in document["points"]:
                    self.assertGreater(point["starts"]["variance_within_ns2"], 0)
                self.assertRegex(self.fathom("show", status=DONE).stdout, r"(?m)^allreduce ")

    def check_killed(self, flavour):
        running = self.start("run", "-v", "allreduce", *support.options_for(flavour), "-n", "2", "--sizes", "8:128", "--reps", "50",
                             "--start", "barrier", "--runs", "3", env=support.meddling(sleep_us=2000))
        running.wait_for(r"^launch 2 of 3: 5 points$")
        running.wait_for(r"^\[7/15\]")
        os.kill(running.pid, signal.SIGKILL)
        running.finish(20)
        self.assertEqual(self.processes_left(patience=20), [])
        resumed = self.run_json("--resume", "last", *support.options_for(flavour)[2:])
        self.check_starts(resumed, 5, 3, 50)
        self.assertEqual(resumed["status"], "done")
        samples = self.fathom("export", "--samples", "--csv", status=DONE).stdout.splitlines()[1:]
        self.assertEqual(len(samples), 5 * 3 * 2 * 50)
        self.assert_nothing_left("fathom.db")

    @support.needs("openmpi")
    def test_with_open_mpi_killed_in_the_second_it_goes_on(self):
        self.check_killed("openmpi")

    @support.needs("mpich")
    def test_with_mpich_killed_in_the_second_it_goes_on(self):
        self.check_killed("mpich")

    @support.needs("mpich")
    def test_one_in_which_a_rank_died_is_made_up_for(self):
        """A rank dies in the first launch; after resuming, every point has the values of both launches."""
        env = support.meddling(rank=1, count=16, call=40, signal=int(signal.SIGKILL))
        words = ("allreduce", "--mpi", "mpich", "-n", "2", "--sizes", "8:64", "--reps", "50", "--start", "barrier", "--runs", "2")
        self.fathom("run", *words, status=NOT_MEASURED, env=env)
        document = self.fathom("run", "--resume", "last", "--json").json
        self.assertEqual(len(document["points"]), 4)
        self.assertEqual(set(self.statuses(document)), {"ok"})
        self.assertEqual({len(point["starts"]["values_ns"]) for point in document["points"]}, {2})


class EmptyRepetitions(EngineTest):
    def test_are_measured_and_subtracted(self):
        for flavour in support.flavours():
            with self.subTest(flavour):
                document = self.run_json("allreduce", "pingpong", *support.options_for(flavour), "-n", "2", "--sizes", "8",
                                         "--reps", "50")
                empty = [rank["empty_repetition_ns"] for rank in document["ranks"]]
                self.assertEqual(len(empty), 2)
                for point in document["points"]:
                    self.assertEqual(point["subtracted_ns"], max(empty))
                if flavour == "smpi":
                    self.assertEqual(empty, [0, 0], "simulated time stands still between two readings")
                else:
                    self.assertTrue(all(value >= 0 for value in empty), empty)

    def test_exported_samples_are_without_them(self):
        """A loop around nothing: a barrier of one process takes next to no time, so hardly anything is left."""
        for flavour in support.flavours(*support.REAL):
            with self.subTest(flavour):
                document = self.run_json("barrier", *support.options_for(flavour), "-n", "1", "--reps", "200")
                point, = document["points"]
                self.assertGreaterEqual(point["min_ns"], 0, "no time is negative")
                samples = self.fathom("export", "--samples", "--csv", status=DONE).stdout.splitlines()[1:]
                times = [float(line.split(",")[8]) for line in samples if line.endswith(",1")]
                self.assertEqual(min(times), point["min_ns"])


@support.needs("smpi")
class Truth(EngineTest):
    """A linear broadcast to 3 others, gap g at the sender, L for one message alone: L + 2 g for a single call, and
    (8 g + L) / 3 for three in a row. Simulated, so the answer is arithmetic."""

    def test_of_a_linear_broadcast(self):
        for gap_ns in (500, 5000):
            self.write("linear.xml", support.platform_with(smpi__bcast="flattree", smpi__async_small_thresh=65536,
                                                           smpi__ois=f"0:{gap_ns}e-9:0"))
            common = ("--platform", "linear.xml", "-n", "4", "--sizes", "1")
            lone = self.run_json("pingpong", *common)["points"][0]["median_ns"] + gap_ns  # which waits for one gap too
            for start in ("window", "roundtime"):
                for calls, right in ((1, lone + 2 * gap_ns), (3, (8 * gap_ns + lone) / 3)):
                    with self.subTest(gap_ns=gap_ns, start=start, calls=calls):
                        point, = self.run_json("bcast", *common, "--start", start, "--in-a-row", calls)["points"]
                        self.assertEqual((point["start"], point["calls_in_a_row"]), (start, calls))
                        self.assertAlmostEqual(point["median_ns"], right, delta=0.005 * right)

    def test_is_the_same_to_the_last_digit_every_time(self):
        words = ("--preset", "standard", "--platform", "smp-32x2", "-n", 8, "--sizes", "1,64k")
        first, second = (self.run_json(*words) for _ in range(2))
        self.assertEqual(len(first["points"]), 19)
        self.assertEqual(set(self.statuses(first)), {"ok"})
        self.assertEqual(first["points"], second["points"])


def largest_cache_bytes():
    """Of this host, as the kernel reports; 0 where it does not."""
    units = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
    sizes = [text.strip().decode() for text in map(support.contents, glob.glob("/sys/devices/system/cpu/cpu*/cache/index*/size"))]
    return max((int(size[:-1]) * units[size[-1]] for size in sizes if size[-1:] in units), default=0)


@support.alone
class ColdCache(EngineTest):
    SIZE, REPS = 1 << 20, 200

    def places(self, flavour, cache):
        """Where the data of broadcasts lay on rank 1. Whether memory is slower than a cache is up to the machine."""
        file = self.dir / "places.json"
        env = support.meddling(rank=1, count=self.SIZE, places=file)
        document = self.run_json("bcast", *support.options_for(flavour), "-n", "2", "--sizes", self.SIZE, "--reps", self.REPS,
                                 "--cache", cache, env=env)
        self.assertEqual([(point["status"], point["cache"]) for point in document["points"]], [("ok", cache)])
        return support.json.loads(file.read_text())

    def test_has_its_data_in_another_place_in_every_repetition(self):
        for flavour in support.flavours(*support.REAL):
            with self.subTest(flavour):
                warm, cold = (self.places(flavour, cache) for cache in ("warm", "cold"))
                self.assertGreaterEqual(min(warm["calls"], cold["calls"]), self.REPS)
                self.assertEqual(warm["places"], 1, "a warm one stays where it is")
                self.assertEqual(cold["repeated"], 0)
                # The way round is longer than the largest cache: what comes back to a place has been pushed out.
                self.assertGreaterEqual(cold["places"], min(self.REPS, largest_cache_bytes() / self.SIZE + 1, 64), cold)

    def test_data_are_checked_there_too(self):
        for flavour in support.flavours(*support.REAL):
            with self.subTest(flavour):
                document = self.run_json(*support.OPERATIONS, *support.options_for(flavour), "-n", "2", "--sizes", "0,8,1001,64k",
                                         "--reps", "20", "--cache", "cold", "--verify")
                self.assertEqual(set(self.statuses(document)), {"ok"})
                spoilt = self.fathom("run", "--json", "allreduce", *support.options_for(flavour), "-n", "2", "--sizes", "8",
                                     "--reps", "5", "--cache", "cold", status=NOT_MEASURED,
                                     env=support.meddling(rank=1, count=2, spoil=1))
                self.assertIn("wrong data", spoilt.json["points"][0]["reason"])


@support.alone
class Disturbance(EngineTest):
    STRETCH = re.compile(r"from (\d\d:\d\d:\d\d\.\d) to (\d\d:\d\d:\d\d\.\d) UTC")

    def check_disturbed(self, flavour):
        """Loops on every processor for one of the three seconds of a point: ranks must wait for them."""
        running = self.start("run", "allreduce", *support.options_for(flavour), "-n", "2", "--sizes", "64k", "--json",
                             "--stop", "fixed", "--max-reps", "1000000000", "--point-budget", "3000")
        self.wait_until_measuring(running)
        time.sleep(1)  # into the repetitions, which cannot be over yet
        began = datetime.datetime.now(datetime.timezone.utc)
        busy = [subprocess.Popen(["taskset", "-c", str(core), "sh", "-c", "while :; do :; done"])
                for core in sorted(os.sched_getaffinity(0))]
        try:
            time.sleep(1)
        finally:
            for process in busy:
                process.kill()
                process.wait(20)
        ended = datetime.datetime.now(datetime.timezone.utc)
        result = running.finish()
        self.assertEqual(result.status, DONE, result)
        warnings = [text for text in result.json["points"][0]["warnings"] if text.startswith("the machine was disturbed")]
        self.assertEqual(len(warnings), 1, result.json["points"][0]["warnings"])
        self.assertRegex(warnings[0], r"rank [01] was preempted for \d+ % of the time")
        stretches = self.STRETCH.findall(warnings[0])
        self.assertTrue(stretches, warnings[0])

        def text(moment):
            return moment.strftime("%H:%M:%S.") + str(moment.microsecond // 100_000)
        if text(began) < text(ended):  # else midnight lies between
            self.assertTrue(any(first <= text(ended) and last >= text(began) for first, last in stretches),
                            f"{warnings[0]}: busy from {text(began)} to {text(ended)}")
        self.assertIn("the machine was disturbed", self.fathom("show", status=DONE).stdout)

    @support.needs("openmpi")
    def test_of_open_mpi_by_busy_processes_is_told_with_its_time(self):
        support.undisturbed(lambda: self.check_disturbed("openmpi"))

    @support.needs("mpich")
    def test_of_mpich_by_busy_processes_is_told_with_its_time(self):
        support.undisturbed(lambda: self.check_disturbed("mpich"))


class Exclusions(EngineTest):
    def test_are_told_in_one_line(self):
        auto = ("--sizes", "1:1k:auto")
        for words, pattern in (((*auto, "-n", "2:4:auto"), r"--sizes and --procs are both 'auto'; refine one at a time"),
                               (("--interleave", *auto), r"--interleave .*remove it, or 'auto'"),
                               (("--interleave", "-n", "2:4:auto"), r"--interleave .*remove it, or 'auto'"),
                               (("--interleave", "--locate-switches"), r"--interleave .*--locate-switches"),
                               (("--scheme", "as-mpptest", *auto), r"--scheme as-mpptest measures all points in rounds"),
                               (("--compare-schemes", *auto), r"--compare-schemes .*leave out 'auto'"),
                               (("--compare-schemes", "-n", "2:4:auto"), r"--compare-schemes .*leave out 'auto'"),
                               (("--compare-schemes", "--locate-switches"), r"--compare-schemes .*--locate-switches"),
                               (("--compare-schemes", "--scheme", "as-imb"), r"--scheme and --compare-schemes exclude each other"),
                               (("--cache", "cold"), r"a simulated platform has no caches; leave out --cache cold"),
                               (("--scheme", "as-imbb"), r"no scheme 'as-imbb'\. Did you mean 'as-imb'\?"),
                               (("--in-a-row", "0"), r"--in-a-row is \"0\"; give a number from 1"),
                               (("--runs", "0"), r"--runs is \"0\"; give a number from 1"),
                               (("--order", "up"), r"--order is \"up\"; give one of random, planned")):
            with self.subTest(words):
                self.assert_refused(self.fathom("run", "bcast", "--platform", "pure-16", *words), pattern)
        self.assert_nothing_left()


if __name__ == "__main__":
    support.main()
