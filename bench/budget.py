#!/usr/bin/env python3
"""Whether a tuning keeps its budget: `bench/budget.py [SECONDS...]`.

Tunes bcast and allreduce with 2 processes and each library, with more sizes than the shortest budget has time for, and
compares what the whole command took with what it was given. A tuning that has decided everything ends earlier.
"""
import sys
import tempfile

from support import FLAVOURS, head, row, timed

SIZES = "8,64,512,4k,16k,64k,256k,1M"


def main():
    budgets = [float(word) for word in sys.argv[1:]] or [20, 40, 80]
    head("library", "budget", "took", "of the budget", "wanted")
    for flavour in FLAVOURS:
        for budget in budgets:
            with tempfile.TemporaryDirectory(prefix="fathom-bench-") as folder:
                _, took = timed(folder, "tune", "bcast", "allreduce", "-n", 2, "--mpi", flavour, "--sizes", SIZES, "--budget", f"{budget:g}s", "-q",
                                *(["--allow-run-as-root"] if flavour == "openmpi" else []))
                row(flavour, f"{budget:g} s", f"{took:.1f} s", f"{took / budget:.2f}", "at most 1.10")


if __name__ == "__main__":
    main()
