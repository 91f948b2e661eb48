#!/usr/bin/env python3
"""Who is named as late by `fathom tree analyze`: a rank that is delayed on purpose, and nobody where there is none.

    bench/tree_late.py [--runs 100] [--calls 200] [--real]    (about 3 minutes in simulation)

Each run is an allreduce of 8 B over a tree whose calls are all traced; every rank works before each call, with noise
(tests/e2e/late.c, preloaded). In simulation: 8 ranks, trees of four shapes in turn, and in every second run one rank in
turn works longer. With --real also with every MPI library of the build: 2 ranks, flat trees, where the machine adds
noise of its own.
"""
import argparse
import collections
import os
import pathlib
import subprocess
import tempfile

from support import FLAVOURS, SOURCE, attempted, fathom, head, row

SHAPES = ("flat", "binary", "chain", "two-level")
NOISE_NS = 3000


def named_in(folder, shape, ranks, seed, delayed, delay_ns, options, calls):
    """The ranks that are named as late in one run; nothing if it failed."""
    environment = {"LD_PRELOAD": str(folder / "late.so"), "LATE_SEED": str(seed), "LATE_NOISE_NS": str(NOISE_NS)}
    if delayed is not None:
        environment |= {"LATE_RANK": str(delayed), "LATE_NS": str(delay_ns)}
    tree = f"{shape}-{ranks}.toml"
    if attempted(folder, "run", "allreduce", *options, "-n", ranks, "--sizes", 8, "--reps", calls, "--start", "mpi-barrier",
                 "--trace", "--via", f"tree:{tree}", environment=environment) is None:
        return None
    point = fathom(folder, "tree", "analyze", "last")
    return [leaf["rank"] for leaf in point["late"]]


def make_tree(folder, shape, ranks):
    hosts = ("--hosts", ranks // 2) if shape == "two-level" else ()
    fathom(folder, "tree", "make", shape, "-n", ranks, *hosts, "-o", f"{shape}-{ranks}.toml")


def study(folder, where, shapes, ranks, delay_ns, options, given):
    """One row with a delayed rank and one without."""
    counts = collections.Counter()
    for shape in shapes:
        make_tree(folder, shape, ranks)
    for i in range(given.runs):
        shape = shapes[i % len(shapes)]
        for delayed in (i // len(shapes) % ranks, None):
            named = named_in(folder, shape, ranks, i + 1, delayed, delay_ns, options, given.calls)
            kind = "delayed" if delayed is not None else "none"
            counts[kind, "runs"] += named is not None
            counts[kind, "right"] += named == ([] if delayed is None else [delayed])
            if named is not None and named != ([] if delayed is None else [delayed]):
                print(f"run {i + 1}, {shape}: delayed {delayed}, named {named}", flush=True)
    row(where, f"one rank by {delay_ns / 1000:g} us", counts["delayed", "runs"], f"{counts['delayed', 'right']} (that rank alone)")
    row(where, "nobody", counts["none", "runs"], f"{counts['none', 'right']} (nobody named)")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=100, help="of each kind")
    parser.add_argument("--calls", type=int, default=200, help="traced in each run")
    parser.add_argument("--real", action="store_true", help="with the MPI libraries of the build too")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fathom-late-") as name:
        folder = pathlib.Path(name)
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", folder / "late.so", SOURCE / "tests" / "e2e" / "late.c", "-ldl"],
                       check=True)
        head("where", "delayed", "runs", "right")
        study(folder, "simulation, 8 ranks", SHAPES, 8, 30_000, ("--platform", "pure-16"), given)
        if given.real:
            ranks = min(2, len(os.sched_getaffinity(0)))
            for flavour in FLAVOURS:
                study(folder, f"{flavour}, {ranks} ranks", ("flat",), ranks, 30_000, ("--mpi", flavour), given)


if __name__ == "__main__":
    main()
