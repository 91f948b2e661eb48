#!/usr/bin/env python3
"""`fathom tune` in simulation, where the best algorithm of every size is known."""

import os
import signal

import support
from support import BAD_INPUT, DONE, INTERRUPTED, FathomTest

SIZES = (8, 1024, 32768, 524288)
GIVEN = ("--platform", "pure-16", "-n", "8", "--sizes", ",".join(map(str, SIZES)))


@support.needs("smpi")
class Simulated(FathomTest):
    def tuned(self, *words):
        return self.fathom("tune", *words, "--json", "--quiet", status=DONE, timeout=300).json

    def test_the_best_is_found_without_measuring_everything(self):
        tuned, = self.tuned("allgather", *GIVEN)["operations"]
        self.assertTrue(tuned["finished"])
        self.assertLess(tuned["points_measured"], tuned["points_all"])
        ways = [way for way in tuned["implementations"] if way not in tuned["dropped"]]
        truth = {}
        for point in self.run_json("allgather", *GIVEN, "--reps", 3, "--via", ",".join(ways))["points"]:
            truth.setdefault(point["size_bytes"], {})[point.get("implementation", "library")] = point["median_ns"]
        found = {at["size_bytes"]: at for at in tuned["sizes"]}
        self.assertLessEqual(set(SIZES), set(found))
        for size in SIZES:
            best = found[size]["best"]["implementation"] if found[size]["speedup"] > 1 else "library"
            with self.subTest(size, best=best):
                self.assertLessEqual(truth[size][best], 1.02 * min(truth[size].values()))
        for proposal in tuned["proposals"]:
            self.assertGreaterEqual(proposal["least_speedup"], 1.03)
            self.assertLessEqual(proposal["first_bytes"], proposal["last_bytes"])

    def test_every_operation_and_number_of_processes_is_tuned_and_nothing_is_written(self):
        result = self.fathom("tune", "bcast", "barrier", "--platform", "pure-16", "-n", "4,6", "--sizes", "8,64k", "--quiet",
                             status=DONE, timeout=300)
        for heading in ("bcast, 4 processes", "bcast, 6 processes", "barrier, 4 processes", "barrier, 6 processes"):
            self.assertIn(heading, result.stdout)
        self.assertIn("No file for the library: a simulation reads none.", " ".join(result.stdout.split()))
        self.assertEqual([path.name for path in self.dir.iterdir() if path.name.startswith("tuned")], ["tuned-smpi.tuning.json"])
        self.fathom("tune", "report", "tuned-smpi.tuning.json", "-o", "page.html", status=DONE)
        self.assertIn("names no files of a library", self.fathom("tune", "--prove", "tuned-smpi.tuning.json", status=BAD_INPUT).stderr)

    def test_an_algorithm_that_gives_wrong_data_harms_no_other(self):
        """smp_rsag of SimGrid 3.32 writes where it should not with processes that share hosts; what runs behind it in a job dies."""
        tuned, = self.tuned("allreduce", "--platform", "smp-32x2", "-n", "32", "--sizes", "8,32k", "--no-files")["operations"]
        self.assertIn("library:smp_rsag", tuned["dropped"])
        for sound in ("library:rdb", "library:smp_rdb", "library:rab1", "library:mvapich2", "library:smp_binomial"):
            self.assertNotIn(sound, tuned["dropped"])
        self.assertEqual([at["size_bytes"] for at in tuned["sizes"] if at["size_bytes"] in (8, 32768)], [8, 32768])

    def test_an_interrupted_tuning_goes_on_where_it_was(self):
        running = self.start("tune", "alltoall", *GIVEN)
        running.wait_for(r"^alltoall, 8 processes, round 2 ")
        os.kill(running.pid, signal.SIGINT)
        result = running.finish(60)
        self.assertEqual(result.status, INTERRUPTED, result)
        self.assertIn("the same command with --resume goes on", result.stderr)
        resumed, = self.tuned("alltoall", *GIVEN, "--resume")["operations"]
        self.assertTrue(resumed["finished"])
        rows = self.fathom("list", "runs", "--all", "--json", status=DONE).json["rows"]
        self.assertEqual(len(rows), resumed["rounds"], "a round that was stored is not measured again")
        fresh, = self.tuned("alltoall", *GIVEN, "--db", "fresh.db")["operations"]
        self.assertEqual(resumed["sizes"], fresh["sizes"])

    def test_what_cannot_be_tuned_is_refused(self):
        for words, said in ((("pingpong",), "pingpong has no algorithms to choose from"),
                            (("bcast", "--sizes", "8:1M:auto"), "take fixed values"),
                            (("bcast", "--parameter", "segmentsize"), "--parameter takes NAME=VALUE"),
                            (("bcast", "--parameter", "segmentsze=1"), "no algorithm here takes the parameter 'segmentsze'"),
                            (("bcast", "--resume"), "no search with these settings"),
                            (("bcast", "--prove", "missing.json"), "missing.json")):
            with self.subTest(words):
                refused = self.fathom("tune", *words, *(() if "--sizes" in words else ("--sizes", "8")), "--platform", "pure-16",
                                      "-n", "4", status=BAD_INPUT)
                self.assertIn(said, refused.stderr)


if __name__ == "__main__":
    support.main()
