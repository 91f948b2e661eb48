#!/usr/bin/env python3
"""Whether the confidence interval of one run contains what other runs of the same thing measure.

    bench/launch_coverage.py [--others N] [--busy K] [--time-limit MINUTES] [--json FILE] [--options '--runs 1'] [--stored 0,5]

With N others (30 by default) there are N + 1 runs of each operation with each MPI library of the build, five sizes in a
run, two processes. They are made in rounds, one run of everything in a round in random order, so that a slow drift of the
machine affects all alike. Each run's 95 % interval is tested against the median of the medians of the others. A share below
95 % means that a run is less certain of its median than it says.

Intervals include what differs between runs, which is learned from runs that are stored (docs/method.md). So every run is
looked at with 0, 1, 5 and 10 runs of the same kind stored before it (--stored), in a copy of the result file without all
others; a table has the shares of each. The tables by operation and by size are of the first of these numbers.

A round takes about half a minute. The time limit ends the measurement after a whole round; the shares are then of the
rounds made. --busy K runs K endless loops beside it, bound to the cores in turn. --options adds to the command, for instance
to see what a single launch does.

Points without an interval count neither as inside nor as outside; the table has their number. Widths (medians of the
intervals' widths) and the variation of the medians between runs tell an interval that holds from one that is only wide.
"""
import argparse
import json
import os
import pathlib
import random
import shlex
import shutil
import statistics
import tempfile
import time
import typing

from support import FLAVOURS, attempted, busy_loops, fathom, head, percent, row, short_size

OPERATIONS = ("allreduce", "bcast", "reduce", "pingpong", "alltoall")
SIZES = (8, 256, 1024, 16384, 65536)


class Value(typing.NamedTuple):
    """What one run says of one point."""
    library: str
    operation: str
    size_bytes: int
    round: int
    median_ns: float
    ci95_ns: list | None
    warnings: list


def file_of(folder, flavour, operation):
    """The result file of all runs of an operation."""
    return pathlib.Path(folder) / f"{flavour}-{operation}.db"


def with_stored(folder, job, runs, stored):
    """What every run says that has so many before it, from a copy of the file without all others."""
    values = []
    copy = pathlib.Path(folder) / "copy.db"
    for place in range(stored, len(runs)):
        shutil.copy(file_of(folder, *job), copy)
        others = runs[:place - stored] + runs[place + 1:]
        if others:
            fathom(folder, "delete", *others, "--db", copy, "--yes")
        values += [Value(*job, point["size_bytes"], place, point["median_ns"], point["median_ci95_ns"], point["warnings"])
                   for point in fathom(folder, "show", runs[place], "--db", copy)["points"] if point["status"] == "ok"]
    return values


def measure(folder, rounds, deadline, jobs, options):
    """The numbers of runs by job. Whole rounds only: as many as asked for, or as end before the deadline."""
    runs = {job: [] for job in jobs}
    order = random.Random(1)
    longest = 0
    for number in range(rounds):
        begin = time.monotonic()
        if begin + longest > deadline:
            break
        for job in order.sample(jobs, len(jobs)):
            flavour, operation = job
            document = attempted(folder, "run", operation, "-n", 2, "--mpi", flavour, "--sizes", ",".join(map(str, SIZES)),
                                 "-q", "--db", file_of(folder, *job), *options)
            runs[job] += [document["run"]] if document else []
        longest = max(longest, time.monotonic() - begin)
    return runs


class Tally:
    """Runs of one point, or of several together."""

    def __init__(self, points):
        self.inside = self.outside = self.none = 0
        self.widths, self.variations = [], []
        for runs in points:
            self.add(runs)

    def add(self, runs):
        medians = [run.median_ns for run in runs]
        self.variations.append(statistics.stdev(medians) / statistics.mean(medians))
        for i, run in enumerate(runs):
            if run.ci95_ns is None:
                self.none += 1
                continue
            low, high = run.ci95_ns
            truth = statistics.median(medians[:i] + medians[i + 1:])
            inside = low <= truth <= high
            self.inside += inside
            self.outside += not inside
            self.widths.append((high - low) / run.median_ns)

    def cells(self):
        given = self.inside + self.outside
        width = f"{100 * statistics.median(self.widths):.1f} %" if self.widths else "-"
        return (f"{self.inside} of {given}", percent(self.inside, given), self.none, width,
                f"{100 * statistics.median(self.variations):.1f} %")


COLUMNS = ("inside", "share", "no interval", "width", "variation between runs")


def by_point(values):
    points = {}
    for value in values:
        points.setdefault((value.library, value.operation, value.size_bytes), []).append(value)
    return {key: runs for key, runs in sorted(points.items()) if len(runs) > 2}


def evaluate_stored(values):
    """One row for each number of stored runs."""
    head("stored runs", *COLUMNS)
    for stored, of_stored in values.items():
        points = by_point(of_stored)
        if points:
            row(stored, *Tally(points.values()).cells())
    print()


def evaluate(values):
    points = by_point(values)
    columns = COLUMNS
    head("library", "operation", *columns)
    for library, operation in dict.fromkeys(key[:2] for key in points):
        row(library, operation, *Tally(runs for key, runs in points.items() if key[:2] == (library, operation)).cells())
    print()
    head("size", *columns)
    for size in sorted({key[2] for key in points}):
        row(short_size(size), *Tally(runs for key, runs in points.items() if key[2] == size).cells())
    row("all", *Tally(points.values()).cells())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--others", type=int, default=30, help="runs that each run is tested against (default 30)")
    parser.add_argument("--operations", default=",".join(OPERATIONS), help=f"default {','.join(OPERATIONS)}")
    parser.add_argument("--busy", type=int, default=0, metavar="K", help="endless loops beside it (default 0)")
    parser.add_argument("--time-limit", type=float, default=60, metavar="MINUTES", help="default 60")
    parser.add_argument("--stored", type=lambda text: [int(number) for number in text.split(",")], default=[0, 1, 5, 10],
                        metavar="N,...", help="runs stored before the one that is looked at (default 0,1,5,10)")
    parser.add_argument("--options", type=shlex.split, default=[], help="further options of fathom run, in one string")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="writes median, interval and warnings of every run")
    given = parser.parse_args()
    if given.others < 2:
        parser.error("--others must be 2 or more")
    print(f"Load average before: {os.getloadavg()[0]:.2f} on {os.cpu_count()} cores; busy loops: {given.busy}", flush=True)
    begin = time.monotonic()
    jobs = [(flavour, operation) for flavour in FLAVOURS for operation in given.operations.split(",")]
    with tempfile.TemporaryDirectory(prefix="fathom-bench-") as folder:
        with busy_loops(given.busy):
            runs = measure(folder, given.others + 1, begin + 60 * given.time_limit, jobs, given.options)
        rounds = max(map(len, runs.values()))
        print(f"{rounds} runs of each operation in {(time.monotonic() - begin) / 60:.1f} minutes\n")
        if rounds < 3:
            parser.exit(1, "Too few runs: give a longer --time-limit.\n")
        values = {stored: [value for job in jobs for value in with_stored(folder, job, runs[job], stored)]
                  for stored in given.stored}
    if given.json:
        found = [{"stored": stored, **value._asdict()} for stored, all_of in values.items() for value in all_of]
        given.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    evaluate_stored(values)
    evaluate(values[given.stored[0]])


if __name__ == "__main__":
    main()
