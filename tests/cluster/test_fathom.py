#!/usr/bin/env python3
"""`fathom run` across the hosts of a virtual cluster, over real TCP, with both libraries."""
import json

import support


class AcrossHosts(support.ClusterTest):
    hosts = ("--hosts", "3")

    def sent_bytes(self, host):
        return int(support.vcluster("exec", "--name", support.NAME, host, "--", "cat", "/sys/class/net/eth0/statistics/tx_bytes").stdout)

    def check_run(self, flavour):
        sent = {host: self.sent_bytes(host) for host in ("h0", "h2")}
        result = self.fathom(flavour, "run", "pingpong", "allreduce", "-n", "3", "--sizes", "8,1k", "--reps", "10")
        self.assertEqual(result.returncode, 0, result.stderr)
        run = json.loads(result.stdout)
        self.assertEqual([rank["host"] for rank in run["ranks"]], ["h0", "h1", "h2"])
        self.assertEqual({point["status"] for point in run["points"]}, {"ok"})
        self.assertEqual({"h0", "h1", "h2"} - set(run["environment"]), set())
        # A ping-pong of 1 KiB is between the first and the last: both send every message of it over their link.
        for host, before in sent.items():
            self.assertGreater(self.sent_bytes(host) - before, 10 * 1024)

    @support.needs("openmpi")
    def test_openmpi_measures_across_hosts(self):
        self.check_run("openmpi")

    @support.needs("mpich")
    def test_mpich_measures_across_hosts_though_its_finalize_may_hang(self):
        self.check_run("mpich")


if __name__ == "__main__":
    support.main()
