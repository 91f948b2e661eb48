#!/usr/bin/env python3
"""`fathom tune model` and `fathom tune fit`: predictions of algorithms, and closed forms of measured times."""

import importlib.util
import shutil
import subprocess
import time

import support
from support import BAD_INPUT, DONE, FathomTest

NETWORK = ("--alpha", "10us", "--beta", "1GB/s")


def predicted(document, algorithm):
    return {point["size_bytes"]: point["predicted_ns"] for point in document["points"] if point["algorithm"] == algorithm}


class Model(FathomTest):
    def test_predictions_are_the_formulas(self):
        document = self.fathom("tune", "model", "bcast", "-n", "32", "--sizes", "8,64k,4M", *NETWORK, "--json", status=DONE).json
        self.assertEqual((document["schema"], document["procs"], document["hosts"]), ("fathom.tune-model/1", 32, 32))
        alpha, beta = 10_000, 1
        for size, time_ns in predicted(document, "binomial").items():
            self.assertAlmostEqual(time_ns, 5 * (alpha + size * beta), delta=1e-6 * time_ns)
        for size, time_ns in predicted(document, "scatter_rd_allgather").items():
            self.assertAlmostEqual(time_ns, 2 * 5 * alpha + 2 * 31 / 32 * size * beta, delta=1e-6 * time_ns)
        for size, time_ns in predicted(document, "scatter_ring_allgather").items():
            self.assertAlmostEqual(time_ns, (5 + 31) * alpha + 2 * 31 / 32 * size * beta, delta=1e-6 * time_ns)

    def test_the_best_is_marked_and_ranges_meet_to_the_byte(self):
        words = ("tune", "model", "allreduce", "-n", "64", "--sizes", "1:1M", *NETWORK, "--gamma", "0.5ns")
        document = self.fathom(*words, "--json", status=DONE).json
        ranges = document["ranges"]
        self.assertEqual([part["algorithm"] for part in ranges], ["recursive_doubling", "rabenseifner"])
        meet = 6 * 10_000 / (6 * 1.5 - 63 / 64 * 2.5)
        self.assertEqual(ranges[1]["from_bytes"], int(meet) + 1)
        self.assertEqual(ranges[0]["to_bytes"] + 1, ranges[1]["from_bytes"])
        self.assertEqual((ranges[0]["from_bytes"], ranges[-1]["to_bytes"]), (1, 1 << 20))
        for point in document["points"]:
            part = next(part for part in ranges if part["from_bytes"] <= point["size_bytes"] <= part["to_bytes"])
            self.assertEqual(point["best"], point["algorithm"] == part["algorithm"], point)
        text = self.fathom(*words, status=DONE).stdout
        self.assertRegex(text, r"\Aallreduce, 64 processes, predicted\n")
        self.assertRegex(text, r"(?m)^ *8 B +\* 60\.1 us ")
        self.assertRegex(text, rf"(?m)^ *{ranges[1]['from_bytes']} B +1 MiB  rabenseifner$")

    def test_ranks_of_a_host_share_its_interface(self):
        words = ("tune", "model", "bcast", "-n", "32", "--sizes", "1:16M", "--alpha", "15us", "--beta", "200MB/s",
                 "--alpha-inside", "2us", "--beta-inside", "1GB/s", "--json")
        best = {}
        for hosts in ("32", "16"):
            document = self.fathom(*words, "--hosts", hosts, status=DONE).json
            doubling, ring = (predicted(document, name) for name in ("scatter_rd_allgather", "scatter_ring_allgather"))
            best[hosts] = [size for size in ring if ring[size] < doubling[size]]
        self.assertEqual(best["32"], [])  # a flat model has no crossing
        self.assertGreater(len(best["16"]), 4)

    def test_a_million_processes_take_under_a_second(self):
        for operation in ("bcast", "alltoall", "allgather", "reduce_scatter", "allreduce", "reduce", "gather", "scatter", "barrier"):
            with self.subTest(operation):
                begin = time.monotonic()
                document = self.fathom("tune", "model", operation, "-n", "1000000", "--hosts", "15625", *NETWORK,
                                       "--alpha-inside", "300ns", "--beta-inside", "10GB/s", "--json", status=DONE).json
                # A second on an idle machine; others may use its cores.
                self.assertLess(time.monotonic() - begin, 5)
                self.assertTrue(all(point["predicted_ns"] > 0 for point in document["points"]))

    def test_what_does_not_fit_is_refused(self):
        for words, patterns in (
                (("tune", "modle"), (r"no tune command and no operation 'modle'", r"Did you mean 'model'")),
                (("tune", "model", "alreduce", "-n", "4", *NETWORK), (r"no operation 'alreduce'", r"Did you mean 'allreduce'")),
                (("tune", "model", "scan", "-n", "4", *NETWORK), (r"no model of 'scan'", r"There are models of bcast, ")),
                (("tune", "model", "bcast", *NETWORK), (r"-n is missing",)),
                (("tune", "model", "bcast", "-n", "4"), (r"--alpha and --beta are missing",)),
                (("tune", "model", "bcast", "-n", "4", "--alpha", "1us"), (r"--beta is missing: give it together with --alpha",)),
                (("tune", "model", "bcast", "-n", "4", "--alpha", "1 parsec", "--beta", "1GB/s"), (r"--alpha: '1 parsec' is not a time",)),
                (("tune", "model", "bcast", "-n", "4", "--alpha", "1us", "--beta", "5"), (r"--beta: '5' is neither a time per byte nor a rate",)),
                (("tune", "model", "bcast", "-n", "4", "--hosts", "5", *NETWORK), (r"--hosts is 5 for 4 processes",)),
                (("tune", "model", "bcast", "-n", "0", *NETWORK), (r"range",)),
                (("tune", "model", "bcast", "-n", "4", "--sizes", "1:1M:auto", *NETWORK), (r"--sizes takes fixed sizes here",)),
                (("tune", "model", "bcast", "-n", "4", "--segment", "0", *NETWORK), (r"--segment is \"0\"; give at least",)),
                (("tune", "model", "bcast", "-n", "4", "--from", "7"), (r"fathom.db",)),
                (("tune", "fit"), (r"fathom.db",)),
                (("tune", "fit", "--format", "fortran"), (r"--format is \"fortran\"", r"Give one of table, c, python, json"))):
            with self.subTest(" ".join(words)):
                refused = self.fathom(*words, status=BAD_INPUT)
                for pattern in patterns:
                    self.assertRegex(refused.stderr, pattern)
                self.assertEqual(refused.stdout, "")
        self.assert_nothing_left()


class Measured(FathomTest):
    """With a simulated network whose parameters are known: 10 us and 1 GB/s, plus what SimGrid adds to each message."""

    def setUp(self):
        super().setUp()
        support.flavours("smpi")
        self.fathom("run", "pingpong", "message-rate", "bcast", "-n", "8", "--platform", "pure-16", "--sizes", "1:256k", "--reps", "3", "-q",
                    status=DONE)

    def assert_same(self, one, other):
        """But for the last bit: some processors multiply and add in one step."""
        self.assertAlmostEqual(one, other, delta=1e-14 * abs(other))

    def test_parameters_come_from_pingpong_and_message_rate(self):
        document = self.fathom("tune", "model", "allreduce", "-n", "16", "--from", "last", "--json", status=DONE).json
        between = document["parameters"]["between"]
        self.assertEqual(len(between["ranges"]), 1)
        self.assertAlmostEqual(between["ranges"][0]["alpha_ns"], 10_000, delta=200)
        self.assertAlmostEqual(between["ranges"][0]["beta_ns_per_byte"], 1, delta=0.01)
        self.assertLess(between["overhead_ns"], 1_000)
        self.assertEqual(document["errors"], None)
        given = self.fathom("tune", "model", "allreduce", "-n", "16", "--from", "last", "--alpha", "20us", "--json", status=DONE).json
        self.assertEqual(given["parameters"]["between"]["ranges"][0]["alpha_ns"], 20_000)
        self.assertEqual(given["parameters"]["between"]["ranges"][0]["beta_ns_per_byte"], between["ranges"][0]["beta_ns_per_byte"])

    def test_predictions_are_compared_with_reference_algorithms(self):
        listed = self.fathom("list", "algorithms", "--json", status=DONE).json
        for operation in ("bcast", "allreduce", "alltoall"):
            with self.subTest(operation):
                names = [one["name"] for one in listed["rows"] if one["operation"] == operation]
                self.assertGreater(len(names), 2)
                run = self.run_json(operation, "--platform", "pure-16", "-n", "13", "--sizes", "8,4k,256k", "--reps", "3", "--via",
                                    ",".join(f"reference:{name}" for name in names))["run"]
                words = ("tune", "model", operation, "--from", str(run), "--from", "1")
                document = self.fathom(*words, "--json", status=DONE).json
                self.assertEqual(document["procs"], 13)
                self.assertEqual({(one["algorithm"], one["size_bytes"]) for one in document["compared"]},
                                 {(name, size) for name in names for size in (8, 4096, 262_144)})
                errors = [abs(one["error"]) for one in document["compared"]]
                self.assertAlmostEqual(document["errors"]["mean_error"], sum(errors) / len(errors), places=12)
                self.assertLess(document["errors"]["mean_error"], 0.02)
                text = self.fathom(*words, status=DONE).stdout
                self.assertIn("Predicted against measured\n", text)
                self.assertRegex(text, rf"(?m)^all +{3 * len(names)} +\d+\.\d\d %$")

    def test_a_run_without_messages_says_what_to_measure(self):
        self.fathom("run", "bcast", "-n", "4", "--platform", "pure-16", "--sizes", "8,64", "--reps", "3", "-q", status=DONE)
        refused = self.fathom("tune", "model", "bcast", "-n", "4", "--from", "last", status=BAD_INPUT)
        self.assertIn("measure 'pingpong' or 'matrix' too, or give --alpha and --beta.", refused.stderr)

    def test_fits_as_table_c_python_and_json_are_the_same(self):
        document = self.fathom("tune", "fit", "last", "--op", "pingpong", "--format", "json", status=DONE).json
        self.assertEqual(document["schema"], "fathom.tune-fit/1")
        fit, = document["fits"]
        self.assertLess(fit["largest_error"], 0.01)
        self.assertEqual(len(fit["ranges"]), 1)
        text = self.fathom("tune", "fit", "last", "--op", "pingpong", status=DONE).stdout
        self.assertRegex(text, r"Error of the fit to 19 sizes: 0\.\d\d % on average, 0\.\d\d % at most\.")

        self.fathom("tune", "fit", "last", "--format", "c", "-o", "times.c", status=DONE)
        self.fathom("tune", "fit", "last", "--format", "python", "-o", "times.py", status=DONE)
        self.own_files |= {"times.c", "times.py"}
        everything = self.fathom("tune", "fit", "last", "--format", "json", status=DONE).json
        spec = importlib.util.spec_from_file_location("times", self.dir / "times.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        compiler = shutil.which("cc")
        self.assertIsNotNone(compiler, "no C compiler")
        checks = []
        for one in everything["fits"]:
            name = f"fathom_{one['operation'].replace('-', '_')}_{one['procs']}"
            for point in one["points"]:
                self.assert_same(getattr(module, name)(point["size_bytes"]), point["fitted_ns"])
                checks.append(f'    printf("%.17g\\n", {name}({point["size_bytes"]}.0));\n')
        self.write("check.c", '#include <stdio.h>\n#include "times.c"\nint main(void) {\n' + "".join(checks) + "    return 0;\n}\n")
        subprocess.run([compiler, "-std=c99", "-ffp-contract=off", "-Wall", "-Wextra", "-Wmissing-prototypes", "-Werror", "-o", "check", "check.c"],
                       cwd=self.dir, check=True, timeout=60)
        self.own_files |= {"check.c", "check"}
        printed = subprocess.run(["./check"], cwd=self.dir, check=True, timeout=60, capture_output=True, text=True).stdout.split()
        expected = [point["fitted_ns"] for one in everything["fits"] for point in one["points"]]
        self.assertEqual(len(printed), len(expected))
        for value, wanted in zip(printed, expected):
            self.assert_same(float(value), wanted)

    def test_curves_that_are_not_there_are_refused(self):
        refused = self.fathom("tune", "fit", "last", "--op", "alltoall", status=BAD_INPUT)
        self.assertIn("run 1 has no such point", refused.stderr)
        self.fathom("run", "bcast", "-n", "4", "--platform", "pure-16", "--sizes", "8", "--reps", "3", "-q", status=DONE)
        refused = self.fathom("tune", "fit", "last", status=BAD_INPUT)
        self.assertIn("run 2 has no times of one operation at two sizes or more", refused.stderr)


if __name__ == "__main__":
    support.main()
