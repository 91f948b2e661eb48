#!/usr/bin/env python3
"""`fathom run matrix` across virtual hosts over real TCP: it names the host that is slow, and none where all are equal."""
import json

import support

HOSTS = ["h0", "h1", "h2", "h3"]


class MatrixTest(support.ClusterTest):
    def survey(self, flavour):
        """The document of a run, and what it names."""
        result = self.fathom(flavour, "run", "matrix", "-n", "4", "--sizes", "8,64k")
        self.assertEqual(result.returncode, 0, result.stderr)
        run = json.loads(result.stdout)
        self.assertEqual({point["status"] for point in run["points"]}, {"ok"})
        for point in run["points"]:
            self.assertEqual(point["matrix"]["hosts"], HOSTS)
            for a in range(4):
                self.assertTrue(all(point["matrix"]["time_ns"][a][b] > 0 for b in range(4) if b != a), point["matrix"])
        return run, {(finding["kind"], finding["who"]) for finding in run["findings"]}


class OneLinkThrottled(MatrixTest):
    hosts = ("--hosts", "4", "--rate", "100mbit,100mbit,10mbit,100mbit")

    def check_named(self, flavour):
        run, named = self.survey(flavour)
        self.assertEqual(named, {("host", "h2")}, json.dumps(run["points"][1]["matrix"]))
        finding = run["findings"][-1]
        self.assertEqual(finding["size_bytes"], 64 * 1024)
        self.assertGreater(finding["factor"], 2)
        # No link is faster than its rate, give or take what a bucket lets through at once.
        self.assertLess(64 * 1024 / finding["time_ns"] * 1e9, 1.1 * 10e6 / 8)

    @support.needs("openmpi")
    def test_openmpi_names_exactly_the_throttled_host(self):
        support.undisturbed(lambda: self.check_named("openmpi"))

    @support.needs("mpich")
    def test_mpich_names_exactly_the_throttled_host(self):
        support.undisturbed(lambda: self.check_named("mpich"))


class AllAlike(MatrixTest):
    hosts = ("--hosts", "4", "--rate", "100mbit")

    def check_none_named(self, flavour):
        run, named = self.survey(flavour)
        self.assertEqual(named, set(), [point["matrix"] for point in run["points"]])

    @support.needs("openmpi")
    def test_openmpi_names_nobody(self):
        support.undisturbed(lambda: self.check_none_named("openmpi"))

    @support.needs("mpich")
    def test_mpich_names_nobody(self):
        support.undisturbed(lambda: self.check_none_named("mpich"))


if __name__ == "__main__":
    support.main()
