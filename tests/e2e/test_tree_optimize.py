#!/usr/bin/env python3
"""Finding a better tree: `fathom tree optimize`."""

import json
import os
import signal
import subprocess
import time

import support
from support import DONE, FathomTest

WORDS = ("tree", "optimize", "--platform", "pure-16", "-n", "8", "--sizes", "8,64k")


@support.needs("smpi")
class Simulated(FathomTest):
    def optimize(self, *more):
        return self.fathom(*WORDS, "--json", "--quiet", *more, status=DONE, timeout=300).json

    def runs(self):
        return self.fathom("list", "runs", "--all", "--json", status=DONE).json["rows"]

    def test_what_is_found_is_faster_than_any_standard_shape(self):
        found = self.optimize()
        rounds = self.runs()
        self.assertEqual({row["origin"] for row in rounds}, {"search"})
        listed = self.fathom("list", "runs", status=DONE).stdout
        self.assertEqual(listed.splitlines()[1:], [f"({len(rounds)} rounds of searches are not listed; --all shows them.)"])
        whole = self.fathom("list", "runs", "--all", status=DONE, env={"COLUMNS": "80"}).stdout
        self.assertLessEqual(max(map(len, whole.splitlines())), 80, whole)
        self.assertEqual([best["size_bytes"] for best in found["best"]], [8, 65536])
        for best in found["best"]:
            self.assertLessEqual(best["median_ns"], best["standard"]["median_ns"])
            self.assertLessEqual(best["median_ns"], best["flat"]["median_ns"])
            self.assertGreater(best["library"]["median_ns"], 0)
        # With latency alone a flat tree is the best there can be; large messages share the root's link there.
        self.assertEqual(found["best"][0]["tree"], "flat")
        self.assertGreater(found["best"][1]["standard"]["speedup"], 1.1)
        self.assertEqual(found["stop"], "nothing-better")
        self.assertLess(found["model"]["mean_error_of_prediction"], 0.3)
        predicted = [trial for trial in found["trials"] if trial["predicted_ns"]]
        self.assertEqual(len(predicted), found["model"]["predictions"])
        for file in found["files"]:
            self.fathom("tree", "check", file, "-n", "8", status=DONE)
        again = self.run_json("allreduce", "--platform", "pure-16", "-n", "8", "--sizes", "64k", "--reps", "7", "--via", f"tree:{found['files'][1]}")
        self.assertAlmostEqual(again["points"][0]["median_ns"] / found["best"][1]["median_ns"], 1, delta=0.01)

    def test_the_table_says_how_much_is_gained(self):
        text = self.fathom(*WORDS, status=DONE, timeout=300)
        self.assertRegex(text.stdout, r"64 KiB +c\d+ .* k-ary +1\.\d\d \(")
        self.assertIn("candidates were off by", " ".join(text.stdout.split()))
        self.assertIn("Wrote best-sim-8.toml, best-sim-65536.toml.", text.stderr)
        self.assertRegex(text.stderr, "Round 0: library, flat, binomial at 8 B, 64 KiB.")

    def test_a_search_that_was_interrupted_goes_on_where_it_was(self):
        whole = self.optimize("--db", "whole.db")
        command = [support.FATHOM, *WORDS, "--quiet", "--json"]
        process = subprocess.Popen(command, cwd=self.dir, env=self.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and process.poll() is None:
            if (self.dir / "fathom.db").exists() and len(self.runs()) >= 3:
                break
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=120)
        stopped = process.returncode != 0
        if stopped:
            self.assertIn(b"--resume goes on", errors)
        before = len(self.runs())
        found = self.optimize("--resume")
        self.assertGreaterEqual(len(self.runs()), before)
        self.assertEqual(found["best"], whole["best"])
        self.assertEqual([trial["tree"] for trial in found["trials"]], [trial["tree"] for trial in whole["trials"]])
        runs = len(self.runs())
        self.optimize("--resume")
        self.assertEqual(len(self.runs()), runs, "all of it is stored")

    def test_what_cannot_be_done_is_refused(self):
        for words, pattern in ((("-n", "4", "--op", "alltoall"), "allreduce, reduce, bcast or barrier"),
                               (("-n", "2,4"), "one number of processes"),
                               (("-n", "4", "--sizes", "1:64k:auto"), "fixed sizes"),
                               (("-n", "4", "--resume"), "no search with these settings")):
            with self.subTest(words):
                self.assert_refused(self.fathom("tree", "optimize", "--platform", "pure-16", *words), pattern)

    def test_other_operations_have_trees_too(self):
        for operation in ("bcast", "reduce"):
            found = self.fathom("tree", "optimize", "--op", operation, "--platform", "pure-16", "-n", "4", "--sizes", "64k", "--json", "--quiet", "-o", operation,
                                status=DONE, timeout=300).json
            self.assertEqual(found["operation"], operation)
            self.assertEqual(found["files"], [f"{operation}-65536.toml"])


class Real(FathomTest):
    def test_two_processes_of_a_host(self):
        for flavour in support.flavours(*support.REAL):
            with self.subTest(flavour):
                found = self.fathom("tree", "optimize", *support.options_for(flavour), "-n", "2", "--sizes", "8", "--budget", "5s", "--json", "--quiet",
                                    status=DONE, timeout=300).json
                best = found["best"][0]
                self.assertLessEqual(best["median_ns"], best["standard"]["median_ns"])
                self.assertEqual(found["files"], ["best-8.toml"])


if __name__ == "__main__":
    support.main()
