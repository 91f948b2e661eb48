#!/usr/bin/env python3
"""Collectives over trees next to the library's own, and what tracing them costs (trees/main.cpp).

    bench/trees.py [-n RANKS]    (2 by default; about half a minute for each library)

With every MPI library of the build, bound to cores where they suffice: allreduce by the library, by flat trees of every
kind of edge and, from 3 ranks, by binomial trees, in turn within one job, with ratios to the library's; the Gsum loop
traced in every call, every 10th and every 100th, beside untraced; the cost of an event.
"""
import argparse
import os
import subprocess
import sys

from support import BUILD, ENVIRONMENT

LAUNCHERS = {"openmpi": "mpirun.openmpi", "mpich": "mpiexec.mpich"}
NAMES = {"openmpi": "Open MPI", "mpich": "MPICH"}


def binding(flavour, ranks):
    dash = "--" if flavour == "openmpi" else "-"
    if ranks <= len(os.sched_getaffinity(0)):
        return [f"{dash}bind-to", "core"]
    return [f"{dash}bind-to", "none", *(["--oversubscribe"] if flavour == "openmpi" else [])]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-n", type=int, default=2, metavar="RANKS")
    ranks = parser.parse_args().n
    found = [flavour for flavour in LAUNCHERS if (BUILD / "bench" / f"fathom-trees-{flavour}").exists()]
    if not found:
        sys.exit(f"no fathom-trees in {BUILD}/bench; build with FATHOM_BENCH=ON")
    for flavour in found:
        print(f"\n{NAMES[flavour]}, {ranks} ranks", flush=True)
        subprocess.run([LAUNCHERS[flavour], "-n", str(ranks), *binding(flavour, ranks),
                        BUILD / "bench" / f"fathom-trees-{flavour}"], env=ENVIRONMENT, timeout=1800, check=True)


if __name__ == "__main__":
    main()
