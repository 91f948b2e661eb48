#!/usr/bin/env python3
"""The thief that other tests use takes what it reports, from its rank only."""
import json
import os
import subprocess

from support import REAL, FathomTest, flavours, main, options_for, program, thieving, undisturbed

BUSY_US, SLEEP_US = 300, 1200
SHARE = BUSY_US / (BUSY_US + SLEEP_US)


def before_others():
    """Keeps other programs off the processor, where that is allowed."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except PermissionError:
        pass


class ThiefTest(FathomTest):

    def robbed(self, busy_us):
        """What a burst took and what a spinning program lost to it, in ns, with bursts of `busy_us` in every 1,500 us."""
        file = self.dir / "thief.json"
        core = min(os.sched_getaffinity(0))
        sleep_us = BUSY_US + SLEEP_US - busy_us
        env = self.environment(thieving(file, busy_us=busy_us, sleep_us=sleep_us, core=core))
        # Two such runs have less of a second than the kernel leaves to programs of fixed priority (950 ms).
        done = subprocess.run([program("robbed"), "0.4", str(2 * busy_us)], env=env, cwd=self.dir,
                              capture_output=True, text=True, check=True, timeout=60, preexec_fn=before_others)
        seen, taken = json.loads(done.stdout), json.loads(file.read_text())
        self.assertEqual(taken["core"], core)
        self.assertAlmostEqual(taken["share"] / (busy_us / (busy_us + sleep_us)), 1, delta=0.02, msg=taken)
        return taken["busy_ns"] / taken["bursts"], (1 - seen["progress"]) * taken["wall_ns"] / taken["bursts"]

    def test_a_program_gets_on_less_by_what_the_thief_reports(self):
        def attempt():
            short_taken, short_lost = self.robbed(BUSY_US)
            long_taken, long_lost = self.robbed(3 * BUSY_US)
            # A program loses two switches besides each burst, which take microseconds, more or less by machine.
            self.assertGreater(short_lost / short_taken, 0.98, (short_taken, short_lost))
            self.assertAlmostEqual((long_lost - short_lost) / (long_taken - short_taken), 1, delta=0.02,
                                   msg=(short_taken, short_lost, long_taken, long_lost))

        undisturbed(attempt)

    def test_it_waits_until_the_main_thread_is_bound(self):
        file = self.dir / "thief.json"
        core = max(os.sched_getaffinity(0))
        words = ["taskset", "-c", str(core), program("robbed"), "0.3", str(2 * BUSY_US)]
        subprocess.run(words, env=self.environment(thieving(file)), check=True, timeout=60, capture_output=True)
        self.assertEqual(json.loads(file.read_text())["core"], core)

    def test_it_robs_one_rank_only(self):
        for flavour in flavours(*REAL):
            with self.subTest(flavour=flavour):
                file = self.dir / f"{flavour}.json"
                core = min(os.sched_getaffinity(0))
                env = thieving(file, rank=0, busy_us=BUSY_US, sleep_us=SLEEP_US, core=core)
                self.run_json("allreduce", *options_for(flavour), "-n", 2, "--sizes", 8, env=env)
                self.assertAlmostEqual(json.loads(file.read_text())["share"] / SHARE, 1, delta=0.02)
                file.unlink()
                self.run_json("allreduce", *options_for(flavour), "-n", 2, "--sizes", 8, env={**env, "THIEF_RANK": "7"})
                self.assertFalse(file.exists(), "there is no rank 7")


if __name__ == "__main__":
    main()
