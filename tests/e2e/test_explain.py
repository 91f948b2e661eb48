#!/usr/bin/env python3
"""Why repetitions were slow: a rank that is robbed of its processor, counters that are off, and a machine that only counts."""
import os

from support import BUSY, FathomTest, REAL, flavours, main, needs, options_for, processors, thieving, tried


class ExplainTest(FathomTest):

    def explanation(self, *words, env=None):
        self.run_json(*words, env=env)
        return self.shown("last", "--explain")["points"][0]["explanation"]

    def test_a_rank_that_is_robbed_of_its_processor_is_named(self):
        if processors() < 2:
            self.skipTest("needs two processors")
        cores = sorted(os.sched_getaffinity(0))
        for flavour in flavours(*REAL):
            with self.subTest(flavour=flavour):
                def attempt(flavour=flavour):
                    env = thieving(self.dir / "thief.json", rank=1, busy_us=2000, sleep_us=20000, core=cores[-1])
                    self.own_files.add("thief.json")
                    found = self.explanation("allreduce", *options_for(flavour), "-n", 2, "--sizes", "8",
                                             "--point-least", 1500, env=env)
                    robbed = [cause for cause in found["causes"]
                              if cause["kind"] == "preempted" and cause["where"].startswith("rank 1 ")]
                    self.assertTrue(robbed, found)
                    # A burst every 22 ms in 1.5 s is 68, each of which delays one repetition.
                    self.assertGreater(robbed[0]["reps"], 30, found)
                    self.assertGreater(robbed[0]["reps"], 4 * robbed[0]["expected_by_chance"])

                tried(3, BUSY, attempt)

    def test_readings_take_little_of_the_time_and_it_is_stated(self):
        for flavour in flavours(*REAL):
            with self.subTest(flavour=flavour):
                def attempt(flavour=flavour):
                    found = self.explanation("pingpong", *options_for(flavour), "-n", 2, "--sizes", "8")
                    self.assertTrue(found["counted"])
                    self.assertGreater(found["cost_per_reading_ns"], 0)
                    self.assertLess(found["cost_share"], 0.01, "0.2 % is aimed at")

                tried(3, BUSY, attempt)

    def test_nothing_is_counted_where_that_is_switched_off(self):
        for flavour in flavours(*REAL)[:1]:
            found = self.explanation("pingpong", *options_for(flavour), "-n", 2, "--sizes", "8", "--counters", "off")
            self.assertFalse(found["counted"])
            self.assertEqual(found["causes"], [])
            self.assertIsNone(found["cost_share"])

    @needs("smpi")
    def test_a_simulated_machine_does_nothing_and_no_cause_is_named(self):
        found = self.explanation("allreduce", *options_for("smpi"), "-n", 4, "--sizes", "1k", "--reps", 200)
        self.assertEqual((found["counted"], found["causes"]), (False, []))

    def test_an_undisturbed_rank_is_not_named(self):
        """Where one rank is robbed, the other one is not the cause, whatever this machine does to it now and then."""
        if processors() < 2:
            self.skipTest("needs two processors")
        cores = sorted(os.sched_getaffinity(0))
        for flavour in flavours(*REAL)[:1]:
            def attempt(flavour=flavour):
                env = thieving(self.dir / "thief.json", rank=0, busy_us=2000, sleep_us=20000, core=cores[0])
                self.own_files.add("thief.json")
                found = self.explanation("allreduce", *options_for(flavour), "-n", 2, "--sizes", "8",
                                         "--point-least", 1500, env=env)
                by_place = {"rank 0": 0, "rank 1": 0}
                for cause in found["causes"]:
                    if cause["kind"] == "preempted":
                        by_place[cause["where"][:6]] += cause["reps"]
                self.assertGreater(by_place["rank 0"], 4 * by_place["rank 1"], found)

            tried(3, BUSY, attempt)

    def test_the_terminal_tells_it_in_sentences(self):
        flavour = flavours(*REAL)[0]
        self.run_json("pingpong", *options_for(flavour), "-n", 2, "--sizes", "8")
        text = self.fathom("show", "last", "--explain", status=0).stdout
        self.assertRegex(text, r"pingpong, 8 B, 2 processes\n")
        self.assertRegex(text, r"Reading counters took [\d.]+ [nu]s each, [\d.e-]+ % of the time, and none of it was timed\.")
        text = self.fathom("show", "last", "--timeouts", status=0).stdout
        self.assertIn("No TCP between hosts", text)


if __name__ == "__main__":
    main()
