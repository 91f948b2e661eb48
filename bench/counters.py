#!/usr/bin/env python3
"""Whether reading counters around repetitions changes their times; prints the table of docs/method.md.

    bench/counters.py

Alternating jobs with and without --counters, ten of each: medians of a ping-pong and an allreduce of 8 bytes, and the ratio.
Wants a machine that does nothing else.
"""
import statistics

from support import FLAVOURS, fathom, head, main, row


def counters(folder):
    print("\nMedians of 8 B with counters on and off, ten jobs each, alternating\n")
    head("library", "operation", "on", "off", "ratio", "spread of off")
    for flavour in FLAVOURS:
        medians = {}
        for _ in range(10):
            for which in ("on", "off"):
                for point in fathom(folder, "run", "pingpong", "allreduce", "-n", 2, "--mpi", flavour, "--sizes", 8,
                                    "--counters", which, "-q")["points"]:
                    medians.setdefault((point["operation"], which), []).append(point["median_ns"])
        for operation in ("pingpong", "allreduce"):
            on, off = (statistics.median(medians[operation, which]) for which in ("on", "off"))
            spread = statistics.stdev(medians[operation, "off"]) / off
            row(flavour, operation, f"{on:.1f} ns", f"{off:.1f} ns", f"{on / off:.4f}", f"{100 * spread:.1f} %")


if __name__ == "__main__":
    main({"counters": counters})
