#!/usr/bin/env python3
"""How much the reported time of an allreduce varies between launches; prints the table of README.md.

    bench/repeatability.py [quiet] [busy] [--launches N]    (both states and 10 launches by default; about 2 minutes)

quiet  nothing else runs, as far as this script is concerned
busy   one endless loop is bound to each core for the whole measurement

Two processes, 8 B, 1 KiB and 64 KiB, with every MPI library of the build. The methods take turns, one launch each, so
that a slow drift of the machine affects all of them:

fathom      the defaults: the median, as 'fathom run' prints it
IMB scheme  --scheme as-pmb, IMB's with -sync off, and its default number of calls (1000 in a row, 640 at 64 KiB)
OSU scheme  --scheme as-osu with OSU's default number of calls (1000 single ones, 100 above 8 KiB)
IMB, OSU    IMB-MPI1 and osu_allreduce themselves, if they are on the PATH and linked to that library

A cell is (max - min) / min of the times that the launches reported, and how many of them were more than 10 % above the
smallest. Below the table: how many of those of fathom had a warning that the point ended before its precision was
reached. The other methods report no such thing.
"""
import argparse
import os
import re
import shutil
import subprocess
import tempfile
import time
import typing

from support import ENVIRONMENT, FLAVOURS, busy_loops, fathom, head, row

SIZES = {8: "8 B", 1024: "1 KiB", 65536: "64 KiB"}
NAMES = {"openmpi": "Open MPI", "mpich": "MPICH"}
LAUNCHERS = {"openmpi": ["mpirun.openmpi", "mpirun"], "mpich": ["mpiexec.mpich", "mpiexec"]}
FAR = 1.1  # times the smallest: a result that would mislead
LIBRARIES = {"openmpi": r"libmpi\.so", "mpich": r"libmpich\w*\.so|libmpi\.so\.12"}


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


def program(folder, flavour, words, column):
    """Times of a benchmark program, from rows that begin with the size and have microseconds in the column."""
    launcher = next(filter(None, map(shutil.which, LAUNCHERS[flavour])))
    done = subprocess.run([launcher, "-n", "2", *words], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True,
                          timeout=600, check=True)
    rows = (line.split() for line in done.stdout.splitlines() if re.match(r"\s*\d+\s+\d", line))
    return {int(cells[0]): Reported(1000 * float(cells[column])) for cells in rows if int(cells[0]) in SIZES}


def imb_program(folder, flavour):
    lengths = folder + "/lengths.txt"
    with open(lengths, "w", encoding="utf-8") as file:
        file.writelines(f"{size}\n" for size in SIZES)
    return program(folder, flavour, ["IMB-MPI1", "Allreduce", "-npmin", "2", "-msglen", lengths], 4)


def osu_program(folder, flavour):
    return program(folder, flavour, ["osu_allreduce", "-m", "8:65536"], 1)


def linked_to(name, flavour):
    """Whether a program is on the PATH and linked to this MPI library."""
    path = shutil.which(name)
    if path is None:
        return False
    libraries = subprocess.run(["ldd", path], capture_output=True, text=True, timeout=60, check=False).stdout
    mpich = re.search(LIBRARIES["mpich"], libraries) is not None
    return mpich if flavour == "mpich" else not mpich and re.search(LIBRARIES[flavour], libraries) is not None


def methods_of(flavour):
    methods = {"fathom": fathom_default, "IMB scheme": imb_scheme, "OSU scheme": osu_scheme}
    if linked_to("IMB-MPI1", flavour):
        methods["IMB"] = imb_program
    if linked_to("osu_allreduce", flavour):
        methods["OSU"] = osu_program
    return methods


def far_off(launches):
    """Those that are far above the smallest."""
    smallest = min(launch.time for launch in launches)
    return [launch for launch in launches if launch.time > FAR * smallest]


def variation(launches):
    """`7.6 %`, or `68 % (2)` with the number of launches that are far off."""
    times = [launch.time for launch in launches]
    share = 100 * (max(times) - min(times)) / min(times)
    far = len(far_off(launches))
    return (f"{share:.1f} %" if share < 10 else f"{share:.0f} %") + (f" ({far})" if far else "")


def measure(state, launches):
    """Prints the rows of one state; returns the seconds that a launch took, by method, and the results of fathom."""
    seconds = {}
    own = []
    loops = len(os.sched_getaffinity(0)) if state == "busy" else 0
    for flavour in FLAVOURS:
        methods = methods_of(flavour)
        times = {method: {size: [] for size in SIZES} for method in methods}
        with tempfile.TemporaryDirectory(prefix="fathom-bench-") as folder, busy_loops(loops):
            for _ in range(launches):
                for method, launch in methods.items():
                    begin = time.monotonic()
                    for size, value in launch(folder, flavour).items():
                        times[method][size].append(value)
                    seconds.setdefault(method, []).append(time.monotonic() - begin)
        for size, name in SIZES.items():
            cells = (variation(times[method][size]) if method in times else "-" for method in all_methods())
            row(state, NAMES[flavour], name, *cells)
        own += times["fathom"].values()
    return seconds, own


def all_methods():
    """In the order of first appearance over the libraries."""
    return list(dict.fromkeys(method for flavour in FLAVOURS for method in methods_of(flavour)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("states", nargs="*", metavar="STATE", help="quiet, busy (default: both)")
    parser.add_argument("--launches", type=int, default=10, help="launches of each method (default 10)")
    given = parser.parse_args()
    if unknown := [state for state in given.states if state not in ("quiet", "busy")]:
        parser.error(f"no state '{unknown[0]}'; there are quiet and busy")
    print(f"Load average before: {os.getloadavg()[0]:.2f} on {os.cpu_count()} cores\n")
    head("machine", "library", "size", *all_methods())
    spent = {state: measure(state, given.launches) for state in given.states or ("quiet", "busy")}
    print()
    for state, (seconds, own) in spent.items():
        far = [launch for launches in own for launch in far_off(launches)]
        print(f"fathom, {state}: {len(far)} of {sum(map(len, own))} results were more than 10 % above the smallest; "
              f"{sum(launch.imprecise for launch in far)} of these had a warning")
        mean = ", ".join(f"{method} {sum(all_of) / len(all_of):.1f} s" for method, all_of in seconds.items())
        print(f"One launch, {state}: {mean}")


if __name__ == "__main__":
    main()
