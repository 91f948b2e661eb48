#!/usr/bin/env python3
"""Surveys on simulated networks: every pair of processes, and both directions at once."""

import re

import support
from support import DONE, FathomTest
from test_simulation import cluster


def settings_of(platform):
    """The SimGrid settings of a platform, as a launcher takes them."""
    text = (support.PLATFORMS / f"{platform}.xml").read_text(encoding="utf-8")
    return " ".join(f"--cfg={key}:{value}" for key, value in re.findall(r'<prop id="([^"]+)" value="([^"]+)"', text))


def own_links(hosts, bandwidth):
    """A platform in which each pair of hosts n0, n1, ... has a link of its own, of `bandwidth(a, b)` MB/s and 10 us."""
    pairs = [(a, b) for b in range(hosts) for a in range(b)]
    lines = ["<?xml version='1.0'?>", '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">',
             '<platform version="4.1"><zone id="all" routing="Full">']
    lines += [f'<host id="n{host}" speed="1Gf"/>' for host in range(hosts)]
    lines += [f'<link id="own{host}" bandwidth="10GBps" latency="0.1us" sharing_policy="FATPIPE"/>' for host in range(hosts)]
    lines += [f'<link id="{a}-{b}" bandwidth="{bandwidth(a, b)}MBps" latency="10us" sharing_policy="SPLITDUPLEX"/>'
              for a, b in pairs]
    lines += [f'<route src="n{host}" dst="n{host}"><link_ctn id="own{host}"/></route>' for host in range(hosts)]
    for a, b in pairs:
        lines += [f'<route src="n{start}" dst="n{end}" symmetrical="NO"><link_ctn id="{a}-{b}" direction="{way}"/></route>'
                  for start, end, way in ((a, b, "UP"), (b, a, "DOWN"))]
    return "\n".join(lines + ["</zone></platform>"])


@support.needs("smpi")
class Matrix(FathomTest):
    def survey(self, hosts, bandwidth, *words, ranks_per_host=1):
        """A matrix on a platform of the test's own; one <cluster> cannot have unequal links."""
        platform = self.write("links.xml", own_links(hosts, bandwidth))
        names = self.write("hosts", "".join(f"n{host}\n" * ranks_per_host for host in range(hosts)))
        launcher = (f"smpirun -np {{n}} -platform {platform} -hostfile {names} --log=root.threshold:error "
                    f"--cfg=smpi/privatization:no {settings_of('pure-16')}")
        return self.run_json("matrix", "--mpi", "smpi", "--launcher", launcher, "-n", hosts * ranks_per_host,
                             "--sizes", "8,1M", *words)

    def found(self, document):
        return [(finding["kind"], finding["who"], finding["size_bytes"]) for finding in document["findings"]]

    def test_every_pair_takes_the_closed_time_and_nothing_stands_out(self):
        latency_ns, bytes_per_ns = cluster("pure-16")
        for procs in (4, 5):
            document = self.run_json("matrix", "--platform", "pure-16", "-n", procs, "--sizes", "8,1M")
            self.assertEqual([point["size_bytes"] for point in document["points"]], [8, 1048576])
            for point in document["points"]:
                closed_ns = latency_ns + point["size_bytes"] / bytes_per_ns
                matrix = point["matrix"]
                self.assertEqual(matrix["hosts"], [f"pure-16-{rank}" for rank in range(procs)])
                self.assertEqual(matrix["ranks"], list(range(procs)))
                for a in range(procs):
                    for b in range(procs):
                        with self.subTest(procs=procs, size_bytes=point["size_bytes"], pair=(a, b)):
                            time_ns, rate = matrix["time_ns"][a][b], matrix["rate_bytes_per_s"][a][b]
                            if a == b:
                                self.assertIsNone(time_ns)
                                self.assertIsNone(rate)
                                continue
                            self.assertLess(abs(time_ns / closed_ns - 1), 5e-3)
                            self.assertAlmostEqual(rate * time_ns / 1e9, point["size_bytes"], delta=1e-3)
                            self.assertEqual(time_ns, matrix["time_ns"][b][a])
            self.assertEqual(document["findings"], [])
            self.assertEqual(document["findings_remark"], "")
        self.assert_nothing_left("fathom.db")

    def test_a_host_behind_a_slow_link_is_named_and_nobody_else(self):
        document = self.survey(5, lambda a, b: 100 if 3 in (a, b) else 1000)
        self.assertEqual(self.found(document), [("host", "n3", 1048576)])
        finding, = document["findings"]
        self.assertAlmostEqual(finding["factor"], 9.9, delta=0.1)
        self.assertRegex(finding["text"], r"^host n3: 1 MiB messages with others take 9\.9 times the median "
                                          r"\(10\.5 ms against 1\.06 ms, 99\.9 MB/s against 991 MB/s\)$")
        shown = self.fathom("show", "last", status=DONE).stdout
        self.assertIn("What stands out\n  1. host n3: 1 MiB messages", shown)
        self.assertRegex(shown, r"\n   3  n3 +100\* +100\* +100\* +-\n")

    def test_a_slow_link_between_two_hosts_is_named_and_neither_host(self):
        document = self.survey(5, lambda a, b: 100 if (a, b) == (1, 3) else 1000)
        self.assertEqual(self.found(document), [("link", "n1 and n3", 1048576)])
        self.assertEqual(document["findings"][0]["hosts"], ["n1", "n3"])

    def test_of_two_hosts_nothing_can_be_told(self):
        document = self.survey(2, lambda a, b: 100, ranks_per_host=2)
        self.assertEqual(document["findings"], [])
        self.assertRegex(document["findings_remark"], "with only two hosts, a slow one cannot be identified")
        hosts = document["points"][0]["matrix"]["hosts"]
        self.assertEqual(hosts, ["n0", "n0", "n1", "n1"])
        within, between = (document["points"][0]["matrix"]["time_ns"][0][partner] for partner in (1, 2))
        self.assertLess(10 * within, between)

    def test_a_pair_has_its_hosts_to_itself_unless_contended(self):
        """Two ranks on each of four hosts: a pair of two hosts has their whole link, as a ping-pong has, or its share of it."""
        words = ("--platform", "smp-32x2", "-n", 8, "--sizes", "1M", "--reps", 1)
        document = self.run_json("matrix", "pingpong", *words)
        alone, pingpong = document["points"]
        self.assertEqual((alone["pattern"], alone["matrix"]["contended"], alone["reps"]), ("pair-per-host", False, 3 * 4 + 1))
        for partner in range(2, 8):
            self.assertAlmostEqual(alone["matrix"]["time_ns"][0][partner] / pingpong["median_ns"], 1, delta=0.005)
        self.assertNotIn("contended", self.fathom("show", "last", status=DONE).stdout)
        contended, = self.run_json("matrix", *words, "--contended")["points"]
        self.assertEqual((contended["pattern"], contended["matrix"]["contended"], contended["reps"]), ("matrix", True, 7))
        self.assertGreater(contended["matrix"]["time_ns"][0][7], 1.5 * pingpong["median_ns"])
        self.assertIn("matrix, 1 MiB, 8 processes, contended: ", self.fathom("show", "last", status=DONE).stdout)

    def test_only_some_ranks_may_be_looked_at(self):
        self.survey(5, lambda a, b: 100 if 3 in (a, b) else 1000)
        document = self.shown("last", "--ranks", "0-2,4")
        self.assertEqual(document["points"][1]["matrix"]["ranks"], [0, 1, 2, 4])
        self.assertEqual(document["findings"], [])

    def test_more_starts_count_as_one_matrix(self):
        document = self.run_json("matrix", "--platform", "pure-16", "-n", 3, "--sizes", "8", "--runs", 2)
        self.assertEqual(len(document["points"]), 1)
        self.assertEqual(len(document["points"][0]["matrix"]["time_ns"]), 3)

    def test_many_ranks_are_shown_by_host(self):
        shown = self.fathom("run", "matrix", "--platform", "smp-32x2", "--sizes", "8", status=DONE).stdout
        self.assertIn("matrix, 8 B, 32 processes: one-way time in us, median of each pair of hosts", shown)
        self.assertRegex(shown, r"\nsmp-32x2-15( +[0-9.]+){16}\n")
        self.assertIn("496 pairs, median ", shown)
        self.assertIn("No process, host or link stands out.", shown)


@support.needs("smpi")
class Duplex(FathomTest):
    def measure(self, platform, procs, size):
        document = self.run_json("duplex", "--platform", platform, "-n", procs, "--sizes", size, "--reps", "20")
        measure, = document["points"][0]["measures"]
        return measure

    def test_links_that_carry_both_ways_are_full_duplex(self):
        for procs, size in ((2, "8"), (4, "1M"), (5, "1M")):
            with self.subTest(procs=procs, size=size):
                measure = self.measure("pure-16", procs, size)
                self.assertEqual(measure["name"], "ratio")
                self.assertAlmostEqual(measure["value"], 1, delta=0.01)
                low, high = measure["ci95"]
                self.assertLessEqual(low, measure["value"])
                self.assertLessEqual(measure["value"], high)
                self.assertEqual(measure["text"], "sendrecv takes 1.00 times as long as one way: full duplex")

    def test_links_that_both_ways_share_are_not(self):
        text = (support.PLATFORMS / "pure-16.xml").read_text(encoding="utf-8")
        self.write("shared.xml", text.replace('bw="1GBps"', 'bw="1GBps" sharing_policy="SHARED"', 1))
        measure = self.measure("shared.xml", 4, "1M")
        self.assertAlmostEqual(measure["value"], 2, delta=0.02)
        self.assertRegex(measure["text"], "no duplex$")
        self.assertRegex(self.fathom("show", "last", status=DONE).stdout,
                         r"duplex, 1 MiB, 4 processes: sendrecv takes [12]\.\d\d times")


if __name__ == "__main__":
    support.main()
