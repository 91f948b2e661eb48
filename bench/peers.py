"""The benchmarks that people use today, with two processes: IMB-MPI1, OSU's programs and ReproMPI's mpibenchmark, where a
folder of the PATH has one that is linked to the library. Times are in nanoseconds, by operation as fathom names it and size.
"""
import functools
import os
import pathlib
import re
import subprocess

from support import ENVIRONMENT, LAUNCHERS, found

LIBRARIES = {"openmpi": r"libmpi\.so", "mpich": r"libmpich\w*\.so|libmpi\.so\.12"}
LONGEST_S = 600
FLOAT_BYTES = 4
# A benchmark of IMB-MPI1 and the title of its time, or a program of OSU, which has one time.
IMB = {"pingpong": ("PingPong", "t[usec]"), "barrier": ("Barrier", "t_max[usec]"), "allreduce": ("Allreduce", "t_max[usec]"),
       "bcast": ("Bcast", "t_max[usec]"), "alltoall": ("Alltoall", "t_max[usec]")}
OSU = {"pingpong": "osu_latency", "barrier": "osu_barrier", "allreduce": "osu_allreduce", "bcast": "osu_bcast",
       "alltoall": "osu_alltoall", "put.flush": "osu_put_latency", "get.flush": "osu_get_latency"}
REPROMPI = {"barrier": "MPI_Barrier", "allreduce": "MPI_Allreduce", "bcast": "MPI_Bcast", "alltoall": "MPI_Alltoall"}


def linked_to(path, flavour):
    libraries = subprocess.run(["ldd", path], capture_output=True, text=True, timeout=60, check=False).stdout
    mpich = re.search(LIBRARIES["mpich"], libraries) is not None
    return mpich if flavour == "mpich" else not mpich and re.search(LIBRARIES[flavour], libraries) is not None


@functools.lru_cache(maxsize=None)
def program_of(name, flavour):
    """The first program of this name in the folders of the PATH that is linked to this MPI library."""
    paths = (pathlib.Path(folder) / name for folder in os.environ.get("PATH", "").split(os.pathsep))
    return next((str(path) for path in paths if os.access(path, os.X_OK) and linked_to(path, flavour)), None)


def printed(folder, flavour, *words):
    """What a program prints, line by line, split into words."""
    done = subprocess.run([found(LAUNCHERS[flavour]), "-n", "2", *words], cwd=folder, env=ENVIRONMENT, capture_output=True,
                          text=True, timeout=LONGEST_S, check=True)
    return [line.split() for line in done.stdout.splitlines()]


def numbers(lines):
    """The rows that are numbers."""
    return [cells for cells in lines if cells and all(re.fullmatch(r"[\d.]+", cell) for cell in cells)]


def by_imb(folder, flavour, sizes, operations):
    lengths = f"{folder}/lengths.txt"
    with open(lengths, "w", encoding="utf-8") as file:
        file.writelines(f"{size}\n" for size in sizes)
    times = {}
    for operation in IMB.keys() & operations:
        benchmark, title = IMB[operation]
        lines = printed(folder, flavour, program_of("IMB-MPI1", flavour), benchmark, "-npmin", "2", "-msglen", lengths)
        # A barrier has no column of sizes.
        titles = next(cells for cells in lines if title in cells)
        for cells in numbers(lines):
            size = int(cells[0]) if titles[0] == "#bytes" else 0
            if size in sizes or operation == "barrier":
                times[operation, size] = 1000 * float(cells[titles.index(title)])
    return times


def by_osu(folder, flavour, sizes, operations):
    times = {}
    for operation in OSU.keys() & operations:
        if path := program_of(OSU[operation], flavour):
            words = () if operation == "barrier" else ("-m", f"{min(sizes)}:{max(sizes)}")
            for cells in numbers(printed(folder, flavour, path, *words)):
                size = 0 if operation == "barrier" else int(cells[0])
                if size in sizes or operation == "barrier":
                    times[operation, size] = 1000 * float(cells[-1])
    return times


def by_reprompi(folder, flavour, sizes, operations):
    """Medians of the slowest rank; its summary counts elements and has seconds."""
    calls = {call: operation for operation, call in REPROMPI.items() if operation in operations}
    lines = printed(folder, flavour, program_of("mpibenchmark", flavour), f"--calls-list={','.join(calls)}",
                    f"--msizes-list={','.join(map(str, sizes))}", "--datatype=MPI_FLOAT", "--operation=MPI_SUM", "--nrep=100000",
                    "--proc-sync=roundtime", "--clock-sync=SKaMPI", "--rt-bench-time-ms=200", "--runtime-type=global",
                    "--summary=median,mean")
    header = next(cells for cells in lines if cells[:2] in (["test", "count"], ["test", "msize_bytes"]))
    unit = FLOAT_BYTES if header[1] == "count" else 1
    rows = (cells for cells in lines if len(cells) == len(header) and cells[0] in calls)
    return {(calls[cells[0]], unit * int(cells[1])): 1e9 * float(cells[header.index("median_sec")]) for cells in rows}


PROGRAMS = {"IMB": ("IMB-MPI1", by_imb), "OSU": ("osu_allreduce", by_osu), "ReproMPI": ("mpibenchmark", by_reprompi)}


def of_library(flavour):
    """Those that are here for a library, by name: functions of a folder, the library, sizes and operations."""
    return {name: measure for name, (program, measure) in PROGRAMS.items() if program_of(program, flavour)}
