#!/usr/bin/env python3
"""Passive-target one-sided calls as fathom measures them, beside a plain program (bench/plain/one_sided.c).

    bench/one_sided.py [--tries N]    (6 tries by default; about a minute)

Two processes of one host, with every MPI library of the build: MPI_Get of 64 KiB and MPI_Fetch_and_op, each with
MPI_Win_flush. The plain program's target waits in MPI_Barrier. Both take turns, so that a slow drift of the machine
affects both. The medians of the least disturbed try of each, which is the smallest, stand side by side; fathom is to be
within 10 %. The last column is the same with a target that computes for 100 us of each repetition (--target working):
about 100 us more where the library needs the target's help.
"""
import argparse
import subprocess
import tempfile

from support import ENVIRONMENT, FLAVOURS, LAUNCHERS, NAMES, compiled, fathom, found, head, row

BYTES = 65536
CALLS = 20000
OPERATIONS = ("get.flush", "fetch_and_op.flush")


def by_plain_program(program, flavour):
    """The median of each operation, in nanoseconds."""
    times = {}
    for operation in OPERATIONS:
        words = [operation.removesuffix(".flush"), str(BYTES), str(CALLS)]
        done = subprocess.run([found(LAUNCHERS[flavour]), "-n", "2", program, *words], env=ENVIRONMENT, capture_output=True,
                              text=True, timeout=600, check=True)
        times[operation] = float(done.stdout.split()[0])
    return times


def by_fathom(folder, flavour, *words):
    document = fathom(folder, "run", *OPERATIONS, "-n", 2, "--mpi", flavour, "--sizes", BYTES, "--runs", 1, "-q", *words)
    return {point["operation"]: point["median_ns"] for point in document["points"]}


def best(results):
    return {operation: min(result[operation] for result in results) for operation in OPERATIONS}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tries", type=int, default=6)
    tries = parser.parse_args().tries
    head("library", "operation", "plain program", "fathom", "ratio", "target works")
    with tempfile.TemporaryDirectory(prefix="fathom-bench-") as folder:
        for flavour in FLAVOURS:
            program = compiled(folder, flavour, "plain/one_sided.c")
            plain, waiting, working = [], [], []
            for _ in range(tries):
                plain.append(by_plain_program(program, flavour))
                waiting.append(by_fathom(folder, flavour))
                working.append(by_fathom(folder, flavour, "--target", "working"))
            for operation in OPERATIONS:
                times = [best(results)[operation] / 1000 for results in (plain, waiting, working)]
                row(NAMES[flavour], operation, f"{times[0]:.3f} us", f"{times[1]:.3f} us", f"{times[1] / times[0]:.3f}",
                    f"{times[2]:.3f} us")


if __name__ == "__main__":
    main()
