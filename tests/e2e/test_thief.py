#!/usr/bin/env python3
"""The thief that other tests use takes what it reports, from its rank only."""
import json
import os
import subprocess

from support import REAL, FathomTest, flavours, main, options_for, program, thieving, undisturbed

BUSY_US, SLEEP_US = 300, 1200
PERIOD_US = 7500
SHARE = BUSY_US / (BUSY_US + SLEEP_US)


def before_others():
    """Keeps other programs off the processor, where that is allowed."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except PermissionError:
        pass


class ThiefTest(FathomTest):

    def spun(self, settings):
        """What a spinning program that is bound to the thief's processor prints."""
        # Three such runs have less of a second than the kernel leaves to programs of fixed priority (950 ms).
        words = ["taskset", "-c", str(min(os.sched_getaffinity(0))), program("robbed"), "0.3"]
        done = subprocess.run(words, env=self.environment(settings), capture_output=True, text=True, check=True, timeout=60,
                              preexec_fn=before_others)
        return json.loads(done.stdout)

    def test_a_program_loses_what_the_thief_reports(self):
        """By the kernel's count of processor time: a virtual machine's speed varies, and with it what a program gets done."""
        def attempt():
            alone = self.spun({})
            lost_alone = 1 - alone["own_ns"] / alone["wall_ns"]
            for busy_us in (PERIOD_US // 5, 3 * PERIOD_US // 5):
                file = self.dir / "thief.json"
                core = min(os.sched_getaffinity(0))
                seen = self.spun(thieving(file, busy_us=busy_us, sleep_us=PERIOD_US - busy_us, core=core))
                reported = json.loads(file.read_text())
                self.assertEqual(reported["core"], core)
                self.assertAlmostEqual(reported["share"] / (busy_us / PERIOD_US), 1, delta=0.02, msg=reported)
                # The program and the thief do not begin and end at the same time: by at most a burst at either end.
                self.assertAlmostEqual(seen["thief_ns"] / seen["wall_ns"], reported["share"], delta=2 * 1000 * busy_us / seen["wall_ns"])
                # A program loses two switches besides each burst, which take microseconds, more or less by machine.
                lost = seen["wall_ns"] - seen["own_ns"] - lost_alone * seen["wall_ns"]
                self.assertAlmostEqual(lost / seen["thief_ns"], 1, delta=0.03, msg=(alone, seen))

        undisturbed(attempt)

    def test_it_waits_until_the_main_thread_is_bound(self):
        file = self.dir / "thief.json"
        core = max(os.sched_getaffinity(0))
        words = ["taskset", "-c", str(core), program("robbed"), "0.3"]
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
