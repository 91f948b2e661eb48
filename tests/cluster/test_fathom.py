#!/usr/bin/env python3
"""`fathom run` across the hosts of a virtual cluster, over real TCP, with both libraries."""
import json

import support


class AcrossHosts(support.ClusterTest):
    hosts = ("--hosts", "3")

    def check_run(self, flavour):
        result = self.fathom(flavour, "run", "pingpong", "allreduce", "-n", "3", "--sizes", "8,1k", "--reps", "10")
        self.assertEqual(result.returncode, 0, result.stderr)
        run = json.loads(result.stdout)
        self.assertEqual([rank["host"] for rank in run["ranks"]], ["h0", "h1", "h2"])
        self.assertEqual({point["status"] for point in run["points"]}, {"ok"})
        self.assertEqual({"h0", "h1", "h2"} - set(run["environment"]), set())
        pingpong = run["points"][0]
        # Over TCP between hosts a message cannot be as fast as shared memory: this is no time limit but a check of the path.
        self.assertGreater(pingpong["min_ns"], 1000)

    def test_openmpi_measures_across_hosts(self):
        self.check_run("openmpi")

    def test_mpich_measures_across_hosts_though_its_finalize_may_hang(self):
        self.check_run("mpich")


if __name__ == "__main__":
    support.main()
