#!/usr/bin/env python3
"""How much the reported time of an allreduce varies between launches; prints the table of README.md.

    bench/repeatability.py [quiet] [busy] [--launches N] [--schemes]    (both states and 10 launches by default)

quiet  nothing else runs, as far as this script is concerned
busy   one endless loop is bound to each core for the whole measurement

Two processes, 8 B, 1 KiB and 64 KiB, with every MPI library of the build. The methods take turns, one launch each, so
that a slow drift of the machine affects all of them:

fathom      the defaults: the median, as 'fathom run' prints it
IMB         IMB-MPI1 Allreduce: t_max
OSU         osu_allreduce: the average
ReproMPI    mpibenchmark with clocks of its own, 200 ms a size: the median
IMB scheme  with --schemes: IMB's with -sync off, as fathom implements it (--scheme as-pmb, 1000 calls in a row, 640 at
            64 KiB)
OSU scheme  with --schemes: OSU's, as fathom implements it (--scheme as-osu, 1000 single calls, 100 above 8 KiB)

The programs take part if a folder of the PATH has one that is linked to the library. A cell of the first table is the
coefficient of variation of the times that the launches reported, and how many of them were more than 10 % above the
smallest. The second table has a row for fathom, for IMB and OSU, and for ReproMPI: the smallest and the largest
coefficient over libraries and sizes. Below: how many results of fathom that were more than 10 % off had a warning that
the point ended before its precision was reached. The other methods report no such thing.
"""
import argparse
import functools
import os
import statistics
import tempfile
import time
import typing

import peers
from support import FLAVOURS, NAMES, busy_loops, fathom, head, row

SIZES = {8: "8 B", 1024: "1 KiB", 65536: "64 KiB"}
FAR = 1.1  # times the smallest: a result that would mislead
ROWS = {"fathom": ["fathom"], "IMB, OSU": ["IMB", "OSU"], "ReproMPI": ["ReproMPI"]}  # of the second table


class Reported(typing.NamedTuple):
    """The time of one launch, in nanoseconds, and whether it came with a warning that it is not precise."""
    time: float
    imprecise: bool = False


def by_fathom(folder, flavour, sizes, *options):
    document = fathom(folder, "run", "allreduce", "-n", 2, "--mpi", flavour, "--sizes", ",".join(map(str, sizes)), "-q",
                      *options)
    return {point["size_bytes"]: Reported(point["value_ns"], any("before its goal" in text for text in point["warnings"]))
            for point in document["points"]}


def fathom_default(folder, flavour):
    return by_fathom(folder, flavour, SIZES)


def imb_scheme(folder, flavour):
    options = ("--scheme", "as-pmb", "--reps", 1, "--in-a-row")
    return {**by_fathom(folder, flavour, (8, 1024), *options, 1000), **by_fathom(folder, flavour, (65536,), *options, 640)}


def osu_scheme(folder, flavour):
    options = ("--scheme", "as-osu", "--reps")
    return {**by_fathom(folder, flavour, (8, 1024), *options, 1000), **by_fathom(folder, flavour, (65536,), *options, 100)}


def by_peer(measure, folder, flavour):
    return {size: Reported(time_ns) for (_, size), time_ns in measure(folder, flavour, list(SIZES), {"allreduce"}).items()}


def methods_of(flavour, schemes):
    methods = {"fathom": fathom_default}
    for name, measure in peers.of_library(flavour).items():
        methods[name] = functools.partial(by_peer, measure)
    return {**methods, **({"IMB scheme": imb_scheme, "OSU scheme": osu_scheme} if schemes else {})}


def far_off(launches):
    """Those that are far above the smallest."""
    smallest = min(launch.time for launch in launches)
    return [launch for launch in launches if launch.time > FAR * smallest]


def variation(launches):
    """The coefficient of variation."""
    times = [launch.time for launch in launches]
    return statistics.stdev(times) / statistics.mean(times)


def text_of(share):
    return f"{100 * share:.1f} %" if share < 0.1 else f"{100 * share:.0f} %"


def cell(launches):
    """`7.6 %`, or `68 % (2)` with the number of launches that are far off."""
    far = len(far_off(launches))
    return text_of(variation(launches)) + (f" ({far})" if far else "")


class State(typing.NamedTuple):
    """What was measured while the machine was quiet or busy."""
    seconds: dict  # of a launch, by method
    results: dict  # of all launches, by method, library and size


def measure(state, launches, methods):
    """Prints the rows of one state."""
    measured = State({}, {})
    loops = len(os.sched_getaffinity(0)) if state == "busy" else 0
    columns = all_methods(methods)
    for flavour in FLAVOURS:
        with tempfile.TemporaryDirectory(prefix="fathom-bench-") as folder, busy_loops(loops):
            for _ in range(launches):
                for method, launch in methods[flavour].items():
                    begin = time.monotonic()
                    for size, value in launch(folder, flavour).items():
                        measured.results.setdefault((method, flavour, size), []).append(value)
                    measured.seconds.setdefault(method, []).append(time.monotonic() - begin)
        for size, name in SIZES.items():
            results = (measured.results.get((method, flavour, size)) for method in columns)
            row(state, NAMES[flavour], name, *(cell(launched) if launched else "-" for launched in results))
    return measured


def all_methods(methods):
    """In the order of first appearance over the libraries."""
    return list(dict.fromkeys(method for of_flavour in methods.values() for method in of_flavour))


def range_text(measured, methods):
    """`0.5 .. 9.0 %` over libraries and sizes, or `-` where nothing was measured."""
    shares = [variation(launches) for (method, _, _), launches in measured.results.items() if method in methods]
    return f"{text_of(min(shares)).removesuffix(' %')} .. {text_of(max(shares))}" if shares else "-"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("states", nargs="*", metavar="STATE", help="quiet, busy (default: both)")
    parser.add_argument("--launches", type=int, default=10, help="launches of each method (default 10, at least 2)")
    parser.add_argument("--schemes", action="store_true", help="also IMB's and OSU's schemes, as fathom implements them")
    given = parser.parse_args()
    if unknown := [state for state in given.states if state not in ("quiet", "busy")]:
        parser.error(f"no state '{unknown[0]}'; there are quiet and busy")
    if given.launches < 2:
        parser.error("--launches: one launch does not vary")
    print(f"Load average before: {os.getloadavg()[0]:.2f} on {os.cpu_count()} cores\n")
    methods = {flavour: methods_of(flavour, given.schemes) for flavour in FLAVOURS}
    head("machine", "library", "size", *all_methods(methods))
    states = {state: measure(state, given.launches, methods) for state in given.states or ("quiet", "busy")}
    print()
    head("coefficient of variation", *states)
    for name, of_row in ROWS.items():
        row(name, *(range_text(measured, of_row) for measured in states.values()))
    print()
    for state, measured in states.items():
        own = [launches for (method, _, _), launches in measured.results.items() if method == "fathom"]
        far = [launch for launches in own for launch in far_off(launches)]
        print(f"fathom, {state}: {len(far)} of {sum(map(len, own))} results were more than 10 % above the smallest; "
              f"{sum(launch.imprecise for launch in far)} of these had a warning")
        mean = ", ".join(f"{method} {sum(all_of) / len(all_of):.1f} s" for method, all_of in measured.seconds.items())
        print(f"One launch, {state}: {mean}")


if __name__ == "__main__":
    main()
