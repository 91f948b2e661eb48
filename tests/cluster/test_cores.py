#!/usr/bin/env python3
"""Binding follows the cores of the hosts that run a job, not those of the host that `fathom` runs on."""
import json
import os
import subprocess
import sys

import support

CPUS = [str(cpu) for cpu in sorted(os.sched_getaffinity(0))]
ONE, TWO = CPUS[0], ",".join(CPUS[:2])


class Cores(support.ClusterTest):
    """The first host has one CPU, the second two; the front has as many as a test gives it."""

    hosts = ("--hosts", "2", "--cpus", f"{ONE}/{TWO}")

    def run_on_front(self, flavour, procs, slots, front_cpus):
        """A run by fathom's own launch command. Its ranks and the codes of its warnings."""
        words = ["taskset", "-c", front_cpus, support.BUILD / "bin" / "fathom", "run", "barrier", "-n", procs, "--mpi", flavour,
                 "--bind", "core", "--reps", "10", "--runs", "1", "--json"]
        done = subprocess.run([support.VCLUSTER, "front", "--name", support.NAME, "--mpi", flavour, "--slots", slots, "--", *words],
                              capture_output=True, text=True, timeout=120, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        run = json.loads(done.stdout)
        self.assertEqual([point["status"] for point in run["points"]], ["ok"])
        return run

    def check_crowded_host(self, flavour):
        """Two ranks on the host with one CPU: the front's two CPUs are of no use to them."""
        run = self.run_on_front(flavour, "2", "2", TWO)
        self.assertEqual([(rank["host"], rank["binding"]) for rank in run["ranks"]], [("h0", ONE)] * 2)
        self.assertEqual([point["start"] for point in run["points"]], ["barrier"], "more ranks than cores")
        self.assertIn("oversubscription", [warning["code"] for warning in run["warnings"]])

    def check_small_front(self, flavour):
        """A rank on each host: the front's one CPU does not matter."""
        run = self.run_on_front(flavour, "2", "1", ONE)
        self.assertEqual([rank["host"] for rank in run["ranks"]], ["h0", "h1"])
        self.assertTrue(all(rank["binding"].isdigit() for rank in run["ranks"]), "each is bound to one CPU")

    def test_of_hosts_are_those_asked_for(self):
        status = json.loads(support.vcluster("status", "--name", support.NAME, "--json").stdout)
        for host, cpus in zip(status["hosts"], (ONE, TWO)):
            self.assertEqual(",".join(map(str, host["cpus"])), cpus)
            code = "import os; print(*sorted(os.sched_getaffinity(0)), sep=',')"
            seen = support.vcluster("exec", "--name", support.NAME, host["name"], "--", sys.executable, "-c", code).stdout
            self.assertEqual(seen.strip(), cpus)

    def check_both(self, flavour):
        if len(CPUS) < 2:
            self.skipTest("needs two CPUs")
        self.check_crowded_host(flavour)
        self.check_small_front(flavour)

    @support.needs("openmpi")
    def test_of_hosts_decide_with_openmpi(self):
        self.check_both("openmpi")

    @support.needs("mpich")
    def test_of_hosts_decide_with_mpich(self):
        self.check_both("mpich")


if __name__ == "__main__":
    support.main()
