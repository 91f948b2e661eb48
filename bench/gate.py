#!/usr/bin/env python3
"""How often 'fathom compare --fail-above' raises a false alarm, and how often it finds a slow-down.

    bench/gate.py [--rounds N] [--slow-down PERCENT] [--busy K] [--time-limit MINUTES] [--json FILE] [--options '--runs 1']

A round is a run of the operation (default allreduce: 8 B, 1 KiB and 64 KiB, two processes) as it is, and one in which every
call takes PERCENT longer (default 10; 0 leaves it out). Each run is compared with the last one before it, with the same
library, that was not slowed down. The libraries take turns.

Slow-downs are injected by bench/slow_down.c, preloaded into all runs: it spends PERCENT of the point's median time in
arithmetic in each call, on every rank. The medians are those of three runs before the first round. What the runs
then show is in the column 'injected': the median of the measured ratios.

The table counts comparisons by their exit status: alarm (1), undecided (4) and passed (0), then points by verdict. With
--busy K, K endless loops run beside it, bound to the cores in turn.
"""
import argparse
import collections
import json
import os
import pathlib
import shlex
import shutil
import statistics
import subprocess
import tempfile
import time

from support import FLAVOURS, SOURCE, attempted, busy_loops, called, head, percent, row

PASSED, ALARM, UNDECIDED = 0, 1, 4
CALLS = {"allreduce": "allreduce", "bcast": "bcast", "reduce": "reduce", "alltoall": "alltoall", "pingpong": "send"}
VERDICTS = ("slower", "faster", "same", "undecided")
RUNS_BEFORE = 3


def preloaded(folder):
    library = folder / "slow_down.so"
    subprocess.run([shutil.which("cc") or "gcc", "-shared", "-fPIC", "-O1", "-Wall", "-o", library,
                    SOURCE / "bench" / "slow_down.c", "-ldl"], check=True)
    return library


class Subject:
    """Runs of one operation with one library, with or without a delay in its calls."""

    def __init__(self, folder, flavour, given, library):
        self.folder, self.flavour, self.given, self.library = folder, flavour, given, library
        self.count = 0
        before = [self.measured({size: 0 for size in given.sizes}) for _ in range(RUNS_BEFORE)]
        if None in before:
            raise SystemExit(1)
        self.medians = {size: statistics.median(medians[size] for medians in before) for size in given.sizes}
        self.last = None

    def file(self):
        return f"{self.flavour}-{self.count}.db"

    def measured(self, delays_ns):
        """Makes one run in a file of its own; the medians by size, or None if it failed."""
        self.count += 1
        delays = ",".join(f"{CALLS[self.given.operation]}:{size}:{delay:.1f}" for size, delay in delays_ns.items())
        document = attempted(self.folder, "run", self.given.operation, "-n", 2, "--mpi", self.flavour, "--sizes",
                             ",".join(map(str, self.given.sizes)), "-q", "--db", self.file(), *self.given.options,
                             environment={"LD_PRELOAD": str(self.library), "SLOW_DOWN": delays})
        return document and {point["size_bytes"]: point["median_ns"] for point in document["points"]}

    def compared(self, share):
        """Makes a run slower by this share and compares it with the last that was not slowed down, if there is one."""
        if self.measured({size: share * median for size, median in self.medians.items()}) is None:
            return None
        done = None
        if self.last:
            done = called(self.folder, "compare", self.last, self.file(), "--fail-above", self.given.limit)
            if done.returncode not in (PASSED, ALARM, UNDECIDED):
                raise SystemExit(done.stderr)
        if share > 0:
            (self.folder / self.file()).unlink()
        else:
            if self.last:
                (self.folder / self.last).unlink()
            self.last = self.file()
        return done and (done.returncode, json.loads(done.stdout))


def measure(folder, given):
    """(library, slow-down in percent, exit status, comparison) of every comparison made before the time limit."""
    deadline = time.monotonic() + 60 * given.time_limit
    library = preloaded(folder)
    subjects = [Subject(folder, flavour, given, library) for flavour in FLAVOURS]
    for subject in subjects:
        subject.compared(0)
    results = []
    for _ in range(given.rounds):
        for slow_down in dict.fromkeys((given.slow_down, 0)):
            for subject in subjects:
                if time.monotonic() > deadline:
                    return results
                if compared := subject.compared(slow_down / 100):
                    results.append((subject.flavour, slow_down, *compared))
    return results


def evaluate(results):
    head("library", "what", "comparisons", "alarm", "undecided", "passed", "alarms", *(f"points {verdict}" for verdict in VERDICTS),
         "beyond the limit", "injected")
    for flavour in (*FLAVOURS, "all"):
        for slow_down in sorted({result[1] for result in results}):
            of_these = [result for result in results if result[1] == slow_down and flavour in (result[0], "all")]
            if not of_these:
                continue
            statuses = collections.Counter(status for _, _, status, _ in of_these)
            points = [point for result in of_these for point in result[3]["points"]]
            verdicts = collections.Counter(point["verdict"] for point in points)
            ratios = [point["ratio"] for point in points if point["ratio"] is not None]
            row(flavour, f"{slow_down:g} % slower" if slow_down else "same thing", len(of_these), statuses[ALARM],
                statuses[UNDECIDED], statuses[PASSED], percent(statuses[ALARM], len(of_these)),
                *(verdicts[verdict] for verdict in VERDICTS), sum(point["beyond_limit"] for point in points),
                f"{100 * (statistics.median(ratios) - 1):+.1f} %" if ratios else "-")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=100, help="of each library (default 100)")
    parser.add_argument("--slow-down", type=float, default=10, metavar="PERCENT", help="default 10")
    parser.add_argument("--operation", choices=CALLS, default="allreduce")
    parser.add_argument("--sizes", type=lambda text: [int(size) for size in text.split(",")], default=[8, 1024, 65536],
                        help="in bytes (default 8,1024,65536)")
    parser.add_argument("--limit", default="5%", help="--fail-above of the comparisons (default 5%%)")
    parser.add_argument("--busy", type=int, default=0, metavar="K", help="endless loops beside it (default 0)")
    parser.add_argument("--time-limit", type=float, default=60, metavar="MINUTES", help="default 60")
    parser.add_argument("--options", type=shlex.split, default=[], help="further options of fathom run, in one string")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="writes every comparison with its exit status")
    given = parser.parse_args()
    print(f"Load average before: {os.getloadavg()[0]:.2f} on {os.cpu_count()} cores; busy loops: {given.busy}\n", flush=True)
    with tempfile.TemporaryDirectory(prefix="fathom-bench-") as folder, busy_loops(given.busy):
        results = measure(pathlib.Path(folder), given)
    if given.json:
        fields = ("library", "slow_down_percent", "exit_status", "comparison")
        given.json.write_text(json.dumps([dict(zip(fields, result)) for result in results]) + "\n", encoding="utf-8")
    evaluate(results)


if __name__ == "__main__":
    main()
