#!/usr/bin/env python3
"""The global clock across virtual hosts whose CLOCK_MONOTONIC we set apart: the truth is known."""
import json
import statistics

import support

# Hours, fractions of a second, and one equal to the first.
OFFSETS_S = (0, 7200.5, 0.123456789, 0)
ACCURATE_NS = 500


class KnownOffsets(support.ClusterTest):
    hosts = ("--hosts", "4", "--clock-offset", ",".join(map(str, OFFSETS_S)))

    def measured(self, flavour, *words):
        done = self.fathom(flavour, *words, "-n", "4", "--clock", "monotonic", "-q")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def median_errors(self, flavour, scheme):
        """Of every rank but the first; the bound must hold every single time."""
        document = self.measured(flavour, "clock", "sync", "--scheme", scheme, "--repeat", "100")
        medians = []
        for rank in (1, 2, 3):
            truth = round((OFFSETS_S[rank] - OFFSETS_S[0]) * 1e9)
            errors = []
            for repeat in document["repeats"]:
                found = repeat["ranks"][rank]
                self.assertEqual(found["host"], f"h{rank}")
                errors.append(abs(found["offset_ns"] - truth))
                self.assertLessEqual(errors[-1], found["bound_ns"])
                self.assertFalse(found["shared"], "other time namespaces are other clocks, even where the offset is 0")
            self.assertEqual(len(errors), 100)
            medians.append(statistics.median(errors))
        return medians

    def check(self, flavour):
        for scheme in ("linear", "log", "tree", "hosts"):
            with self.subTest(f"{flavour} {scheme}"):
                # Four ranks share this machine's cores with whatever else it does just now: three chances to be
                # accurate, none to be outside the bound.
                for chance in range(3):
                    medians = self.median_errors(flavour, scheme)
                    if max(medians) <= ACCURATE_NS:
                        break
                self.assertLessEqual(max(medians), ACCURATE_NS, medians)

    def test_openmpi_finds_them(self):
        self.check("openmpi")

    def test_mpich_finds_them(self):
        self.check("mpich")

    def test_starts_of_a_run_are_on_one_clock(self):
        document = self.measured("openmpi", "run", "allreduce", "pingpong", "--sizes", "8", "--reps", "50", "--check-clock")
        for point in document["points"]:
            # Without a global clock they would be hours apart.
            self.assertLess(point["start_skew_median_ns"], 10**9)
            self.assertGreater(point["clock_bound_ns"], 0)
        self.assertTrue(all(moment["holds"] for moment in document["clock_check"]))


if __name__ == "__main__":
    support.main()
