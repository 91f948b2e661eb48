#!/usr/bin/env python3
"""How accurate availabilities are on this machine, with transports whose overlap is known.

    bench/overlap.py [--runs N] [--size BYTES] [--json FILE]

FATHOM_TRANSPORT replaces the library's transport: with 'in-wait' everything happens within the wait, so that no availability
is left (0); with 'unaided' a transfer needs no processor (1). Each run is one launch of a study of messages and of a
collective, with two processes; a row has the smallest, median and largest availability of the runs, how far the median is from
the truth, how many 95 % intervals contain the truth, and how many runs were disturbed too much for an availability.
"""
import argparse
import json
import pathlib
import statistics
import tempfile

from support import FLAVOURS, NAMES, fathom, head, percent, row

TRUTH = {"in-wait": 0, "unaided": 1}
# As in tests/e2e/test_overlap.py: wide vectors lower the clock of some processors, which takes time from the work.
NO_WIDE_VECTORS = {"OMPI_MCA_op": "^avx"}


def availabilities(folder, flavour, transport, size):
    """Of one run: value and interval by operation, and for collectives by definition."""
    document = fathom(folder, "run", "overlap.isend", "overlap.irecv", "overlap.iallreduce", "-n", 2, "--mpi", flavour, "--sizes", size,
                      "--reps", 40, "--runs", 1, "-q", environment={"FATHOM_TRANSPORT": transport, **NO_WIDE_VECTORS})
    found = {}
    for point in document["points"]:
        study = point["overlap"]
        of_kinds = {"": study} if "availability" in study else {f", {kind}": study[f"{kind}_based"] for kind in ("time", "work")}
        for kind, one in of_kinds.items():
            found[point["operation"] + kind] = (one["availability"], one["availability_ci95"])
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10, help="of each library and transport (default 10)")
    parser.add_argument("--size", default="64k", help="of the messages (default 64k)")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="writes all availabilities")
    given = parser.parse_args()
    everything = {}
    head("library", "transport", "study", "truth", "least", "median", "largest", "off", "interval holds", "none")
    with tempfile.TemporaryDirectory(prefix="fathom-bench-") as folder:
        for flavour in FLAVOURS:
            for transport, truth in TRUTH.items():
                runs = [availabilities(folder, flavour, transport, given.size) for _ in range(given.runs)]
                everything[f"{flavour} {transport}"] = runs
                for study in runs[0]:
                    of_study = [run[study] for run in runs]
                    values = [value for value, _ in of_study if value is not None]
                    intervals = [ends for _, ends in of_study if ends and None not in ends]
                    middle = statistics.median(values) if values else None
                    numbers = (min(values), middle, max(values), middle - truth) if values else ()
                    row(NAMES[flavour], transport, study, truth, *(f"{number:.3f}" for number in numbers), *["-"] * (4 - len(numbers)),
                        percent(sum(low <= truth <= high for low, high in intervals), len(intervals)), given.runs - len(values))
    if given.json:
        given.json.write_text(json.dumps(everything, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
