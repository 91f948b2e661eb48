#!/usr/bin/env python3
"""Whether fathom reports what a plain program sees.

    bench/agreement.py [--rounds N] [--library openmpi] [--json FILE]    (8 rounds by default)
    bench/agreement.py --in-one-job [--rounds N] [--library openmpi] [--json FILE]

Two processes of one host, with every MPI library of the build: ping-pong, allreduce, bcast, barrier, alltoall, put and
get with flush, at 8 B, 1 KiB and 64 KiB. A plain program (bench/plain, a page each) is started by the library's own
launcher without options, fathom with its defaults but for the number of launches: a round is one launch of every plain
program and one of fathom, since launches differ by more than what is looked for, and pairs of launches tell most in a given
time. They take turns, so that a slow drift of the machine affects both. Interrupted, it shows the rounds that are complete.

Two things are compared, since a call that all ranks start together and the mean of many in a row truly differ (calls
overlap, and the root of a bcast runs ahead):
single     a call on its own: the plain program's, which all ranks begin at an announced time, and fathom's default
in a row   the mean of 100 calls: the plain program's, and fathom with --in-a-row 100

A ratio is fathom over the plain program: the geometric mean of the rounds' ratios, with its 95 % interval by Student's t,
since launches differ. It is to be within 5 %: "!" marks one whose whole interval lies beyond, "?" one that is beyond
although its interval is not, for which more rounds are needed. The exit status is 1 if there is a "!". IMB-MPI1, the osu_
programs and ReproMPI's mpibenchmark stand beside them if they are on the PATH and linked to the library.

With --in-one-job, a round is a job within which the probe's loops and plain loops take turns (bench/in_one_job, which
'./quickstart bench' builds). Where launches of the same program differ by more than 5 %, this tells what fathom adds from what
the machine does.
"""
import argparse
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import peers
from support import BUILD, ENVIRONMENT, FLAVOURS, LAUNCHERS, NAMES, compiled, fathom, found, head, row, short_size

SIZES = (8, 1024, 65536)
IN_A_ROW = 100
TOLERANCE = 0.05
LONGEST_S = 120
LEAST_ROUNDS = 2  # for an interval
# What fathom calls it, and the words of the plain program.
OPERATIONS = {"pingpong": ("pingpong", ()), "barrier": ("collective", ("barrier",)), "bcast": ("collective", ("bcast",)),
              "allreduce": ("collective", ("allreduce",)), "alltoall": ("collective", ("alltoall",)),
              "put.flush": ("one_sided", ("put",)), "get.flush": ("one_sided", ("get",))}
SINGLE, ROW = "single", "in a row"


def repetitions(size, calls):
    """A few tenths of a second each."""
    return max(100, (20000 if size < 65536 else 4000) // calls)


def points():
    return [(operation, size) for operation in OPERATIONS for size in (SIZES if operation != "barrier" else (0,))]


def by_plain_program(folder, flavour, operation, size, calls):
    program, words = OPERATIONS[operation]
    command = [found(LAUNCHERS[flavour]), "-n", "2", f"{folder}/{program}-{flavour}", *words, str(size),
               str(repetitions(size, calls)), str(calls)]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=LONGEST_S, check=True)
    return float(done.stdout.split()[0])


def by_fathom(folder, flavour, calls):
    """The median of each operation and size."""
    document = fathom(folder, "run", *OPERATIONS, "-n", 2, "--mpi", flavour, "--sizes", ",".join(map(str, SIZES)), "-q",
                      "--runs", 1, *(("--in-a-row", calls) if calls > 1 else ()))
    return {(point["operation"], point["size_bytes"]): point["median_ns"] for point in document["points"]}


def one_round(folder, flavour, turn, programs):
    """A time by who measured it, how, operation and size."""
    times = {}
    for kind, calls in ((SINGLE, 1), (ROW, IN_A_ROW)):
        def plain():
            for operation, size in points():
                times["plain", kind, operation, size] = by_plain_program(folder, flavour, operation, size, calls)

        def own():
            for (operation, size), time_ns in by_fathom(folder, flavour, calls).items():
                times["fathom", kind, operation, size] = time_ns

        for part in (plain, own) if turn % 2 == 0 else (own, plain):
            part()
    for name, program in programs.items():
        for (operation, size), time_ns in program(folder, flavour, SIZES, set(OPERATIONS)).items():
            times[name, SINGLE, operation, size] = time_ns
    return times


def measure(folder, flavour, rounds, programs):
    """Times of complete rounds, and whether the user interrupted further ones."""
    times = {}
    for turn in range(rounds):
        try:
            found_times = one_round(folder, flavour, turn, programs)
        except KeyboardInterrupt:
            return times, True
        for key, time_ns in found_times.items():
            times.setdefault(key, []).append(time_ns)
        print(f"{NAMES[flavour]}: round {turn + 1} of {rounds}", file=sys.stderr, flush=True)
    return times, False


# Student's t of 95 % by degrees of freedom; beyond the last, that of the normal distribution is 3 % less.
STUDENT = (math.nan, 12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
           2.120, 2.110, 2.101, 2.093, 2.086)


def ratio_of(own, plain):
    """Of what both saw in each round: the geometric mean, and the ends of its interval."""
    logs = [math.log(one / other) for one, other in zip(own, plain)]
    centre = statistics.mean(logs)
    half = STUDENT[min(len(logs), len(STUDENT)) - 1] * statistics.stdev(logs) / math.sqrt(len(logs))
    return tuple(map(math.exp, (centre, centre - half, centre + half)))


def mark(ratio, low, high):
    if abs(ratio - 1) <= TOLERANCE:
        return ""
    return " !" if low > 1 + TOLERANCE or high < 1 - TOLERANCE else " ?"


def entry(flavour, operation, size, kind, plain_ns, fathom_ns, ratio, low, high):
    return {"library": flavour, "operation": operation, "size_bytes": size, "kind": kind, "plain_ns": plain_ns,
            "fathom_ns": fathom_ns, "ratio": ratio, "ratio_ci95": [low, high], "mark": mark(ratio, low, high).strip()}


def compare(flavour, times, programs):
    """Prints a row a point; returns the ratios."""
    ratios = []
    for operation, size in points():
        cells = []
        for kind in (SINGLE, ROW):
            plain, own = (times[who, kind, operation, size] for who in ("plain", "fathom"))
            ratio, low, high = ratio_of(own, plain)
            ratios.append(entry(flavour, operation, size, kind, statistics.median(plain), statistics.median(own), ratio, low, high))
            cells += [f"{statistics.median(plain):.0f} ns", f"{statistics.median(own):.0f} ns",
                      f"{ratio:.3f} ({low:.2f} .. {high:.2f}){mark(ratio, low, high)}"]
        others = (times.get((name, SINGLE, operation, size)) for name in programs)
        row(NAMES[flavour], operation, short_size(size) if size else "-", *cells,
            *(f"{statistics.median(of_rounds):.0f} ns" if of_rounds else "-" for of_rounds in others))
    return ratios


def in_one_job(flavour, jobs):
    """Prints a row a point; returns the ratios."""
    program = BUILD / "bench" / f"fathom-in-one-job-{flavour}"
    if not program.exists():
        sys.exit(f"{program} is not there; './quickstart bench' builds it")
    rows = {}
    for job in range(jobs):
        done = subprocess.run([found(LAUNCHERS[flavour]), "-n", "2", program], env=ENVIRONMENT, capture_output=True, text=True,
                              timeout=LONGEST_S * len(points()), check=True)
        for operation, size, calls, *numbers in map(str.split, done.stdout.splitlines()):
            kind = SINGLE if calls == "1" else ROW
            rows.setdefault((operation, int(size), kind), []).append([float(number) for number in numbers])
        print(f"{NAMES[flavour]}: job {job + 1} of {jobs}", file=sys.stderr, flush=True)
    head("library", "operation", "size", "how", "plain", "fathom", "ratio")
    ratios = []
    for (operation, size, kind), of_jobs in rows.items():
        plain, own, by_job = zip(*of_jobs)
        ratio, low, high = ratio_of(by_job, [1] * len(by_job))
        ratios.append(entry(flavour, operation, size, kind, statistics.median(plain), statistics.median(own), ratio, low, high))
        row(NAMES[flavour], operation, short_size(size) if size else "-", kind, f"{statistics.median(plain):.0f} ns",
            f"{statistics.median(own):.0f} ns", f"{ratio:.3f} ({low:.3f} .. {high:.3f}){mark(ratio, low, high)}")
    print()
    return ratios


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=8, help="2 or more")
    parser.add_argument("--library", choices=FLAVOURS, help="only this one")
    parser.add_argument("--in-one-job", action="store_true", help="loops that take turns within each of --rounds jobs")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="writes all ratios")
    given = parser.parse_args()
    if given.rounds < LEAST_ROUNDS:
        parser.error(f"an interval needs --rounds {LEAST_ROUNDS} or more")
    print(f"Load average before: {os.getloadavg()[0]:.2f} on {os.cpu_count()} cores\n", flush=True)
    ratios = []
    with tempfile.TemporaryDirectory(prefix="fathom-bench-") as folder:
        for flavour in [given.library] if given.library else FLAVOURS:
            if given.in_one_job:
                ratios += in_one_job(flavour, given.rounds)
                continue
            for program in {program for program, _ in OPERATIONS.values()}:
                compiled(folder, flavour, f"plain/{program}.c")
            programs = peers.of_library(flavour)
            times, interrupted = measure(folder, flavour, given.rounds, programs)
            if min(map(len, times.values()), default=0) >= LEAST_ROUNDS:
                head("library", "operation", "size", "plain, single", "fathom", "ratio", "plain, in a row", "fathom", "ratio",
                     *programs)
                ratios += compare(flavour, times, programs)
                print()
            if interrupted:
                break
    if not ratios:
        sys.exit(f"fewer than {LEAST_ROUNDS} rounds were complete")
    if given.json:
        given.json.write_text(json.dumps(ratios, indent=1) + "\n", encoding="utf-8")
    worst = max(ratios, key=lambda one: abs(one["ratio"] - 1))
    beyond, unsure = (sum(one["mark"] == which for one in ratios) for which in "!?")
    print(f"{len(ratios) - beyond - unsure} of {len(ratios)} ratios are within {TOLERANCE:.0%}, {beyond} are beyond, {unsure} need more "
          f"rounds; the worst is {worst['ratio']:.3f} ({NAMES[worst['library']]}, {worst['operation']}, {worst['size_bytes']} B, "
          f"{worst['kind']}).")
    sys.exit(1 if beyond else 0)


if __name__ == "__main__":
    main()
