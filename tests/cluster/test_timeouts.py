#!/usr/bin/env python3
"""Timeouts inferred from times compared with those that the kernels counted, over real TCP between hosts that lose packets."""
import json
import subprocess

import support
from support import needs, undisturbed


class TimeoutTest(support.ClusterTest):

    def point(self, flavour, operation, procs, reps, *more, size="64"):
        """One point, with what is said of its timeouts and slow repetitions."""
        done = self.fathom(flavour, "run", operation, "-n", str(procs), "--sizes", size, "--reps", str(reps), *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        shown = subprocess.run([support.BUILD / "bin" / "fathom", "show", "last", "--timeouts", "--explain", "--json"],
                               capture_output=True, text=True, timeout=60, cwd=self.folder, check=True)
        return json.loads(shown.stdout)["points"][0]

    @staticmethod
    def explained(point, *kinds):
        """Repetitions by place, of causes of these kinds."""
        found = {}
        for cause in point["explanation"]["causes"]:
            if cause["kind"] in kinds:
                found[cause["where"]] = found.get(cause["where"], 0) + cause["reps"]
        return found

    def assert_agrees(self, timeouts):
        """As many by the times as by the kernels, to 10 %."""
        self.assertAlmostEqual(timeouts["inferred"], timeouts["counted"], delta=max(2, 0.1 * timeouts["counted"]))


class WithoutLossProbes(TimeoutTest):
    hosts = ("--hosts", "2", "--loss", "0.5%", "--loss-probes", "off")

    def check(self, flavour):
        point = self.point(flavour, "pingpong", 2, 3000)
        timeouts = point["timeouts"]
        self.assertEqual((timeouts["status"], timeouts["rto_from"], timeouts["certain"]), ("found", "connection", True))
        # 6000 messages at 0.5 % lose 30; 10 or fewer are as likely as 2e-5 (Poisson).
        self.assertGreater(timeouts["counted"], 10)
        self.assert_agrees(timeouts)
        one = timeouts["classes"][2]
        self.assertGreater(one["from_ns"], 0.95 * timeouts["rto_ns"], "none is shorter than a timeout")
        self.assertLess(timeouts["mean_without_ns"], timeouts["mean_ns"])
        late = sum(row["reps"] for row in timeouts["classes"][2:])
        self.assertEqual(sum(self.explained(point, "tcp-timeout").values()), late)

    @needs("openmpi")
    def test_openmpi_has_as_many_by_its_times_as_the_kernels_counted(self):
        undisturbed(lambda: self.check("openmpi"))

    @needs("mpich")
    def test_mpich_has_as_many_by_its_times_as_the_kernels_counted(self):
        undisturbed(lambda: self.check("mpich"))

    @needs("openmpi")
    def test_without_counters_the_times_only_look_like_it(self):
        timeouts = self.point("openmpi", "pingpong", 2, 1500, "--counters", "off")["timeouts"]
        self.assertFalse(timeouts["certain"])
        self.assertIsNone(timeouts["counted"])
        self.assertIn("look like", timeouts["text"])


class WithLossProbes(TimeoutTest):
    hosts = ("--hosts", "2", "--loss", "0.5%")

    @needs("openmpi")
    def test_what_a_probe_repairs_is_no_time_out(self):
        def attempt():
            timeouts = self.point("openmpi", "pingpong", 2, 3000)["timeouts"]
            self.assertGreater(timeouts["probes"], 10)
            self.assertGreater(timeouts["classes"][1]["reps"], 5, "repaired ones are a class of their own")
            self.assert_agrees(timeouts)
            self.assertLess(timeouts["counted"], timeouts["probes"] / 2, "probes come before timeouts")

        undisturbed(attempt)


class Lossless(TimeoutTest):
    hosts = ("--hosts", "2")

    @needs("openmpi")
    def test_there_are_none(self):
        def attempt():
            point = self.point("openmpi", "pingpong", 2, 2000)
            self.assertEqual(point["timeouts"]["status"], "none", point["timeouts"])
            self.assertEqual((point["timeouts"]["inferred"], point["timeouts"]["counted"]), (0, 0))
            self.assertEqual(self.explained(point, "tcp-timeout", "tcp-retransmit"), {})

        for number in range(3):
            with self.subTest(run=number):
                undisturbed(attempt)


class Saturated(TimeoutTest):
    hosts = ("--hosts", "6", "--rate", "100mbit", "--queue", "16k")

    @needs("openmpi")
    def test_timeouts_of_alltoall_are_identified_where_most_repetitions_have_one(self):
        def attempt():
            timeouts = self.point("openmpi", "alltoall", 6, 30, size="16k")["timeouts"]
            self.assertEqual((timeouts["status"], timeouts["certain"]), ("found", True), timeouts)
            self.assertGreater(timeouts["counted"], 5, "queues that hold one message of eleven packets overflow")
            late = sum(row["reps"] for row in timeouts["classes"][2:])
            self.assertGreater(late, 5)
            by_process = timeouts["by_process"]
            self.assertEqual(by_process["step_ns"], 200e6)
            self.assertEqual([rank["rank"] for rank in by_process["ranks"]], list(range(6)))
            self.assertEqual(sum(row["times"] for row in by_process["classes"]), 6 * 30)
            self.assertGreater(by_process["classes"][1]["share"], 0)

        undisturbed(attempt)


class OneHostLoses(TimeoutTest):
    hosts = ("--hosts", "3", "--loss-probes", "off")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # What h1 sends is lost where it arrives: a kernel that learns of a loss at the sender retransmits immediately. Every
        # n-th packet, so that it does not depend on luck; an odd number, so that it is not always the acknowledgement.
        rules = "table ip lossy { chain input { type filter hook input priority 0; " \
                "ip saddr 10.77.0.2 numgen inc mod 37 == 0 drop; }; }"
        for host in ("h0", "h2"):
            support.vcluster("exec", "--name", support.NAME, host, "--", "nft", rules)

    @needs("openmpi")
    def test_the_host_whose_packets_are_lost_is_named(self):
        def attempt():
            point = self.point("openmpi", "reduce", 3, 600)
            causes = self.explained(point, "tcp-timeout", "tcp-retransmit")
            self.assertEqual(max(causes, key=causes.get, default=None), "host h1", point["explanation"]["causes"])
            self.assertGreater(causes["host h1"], 3)

        undisturbed(attempt)


if __name__ == "__main__":
    support.main()
