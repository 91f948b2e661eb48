#!/usr/bin/env python3
"""What a plain program (bench/plain/collective.c) gains by the files of a tuning.

    bench/tuned.py TUNING.json [--launcher 'mpirun -n {n}'] [--tries N] [--calls N]

For every size that the tuning has a rule for: the program with the library's files and without, in alternation, N tries
each (5 by default). The gain is the median over tries without by that with, beside what the tuning's own proof says.
"""
import argparse
import json
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import threading

from support import ENVIRONMENT, LAUNCHERS, compiled, found, head, row, short_size

OPERATIONS = {"bcast", "allreduce", "alltoall", "allgather", "reduce_scatter"}
LONGEST_S = 60
ENDING_S = 5  # MPICH over UCX may not return from MPI_Finalize where ranks share processors


def median_ns(command, environment):
    """What the program printed; its end is not waited for longer than it should take. Launchers print more."""
    process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    late = threading.Timer(LONGEST_S, process.terminate)
    late.start()
    printed = next((float(line) for line in process.stdout if re.fullmatch(r"[0-9.]+", line.strip())), None)
    late.cancel()
    for end in (lambda: None, process.terminate, process.kill):
        end()
        try:
            process.wait(ENDING_S)
            break
        except subprocess.TimeoutExpired:
            continue
    process.stdout.close()
    return printed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tuning")
    parser.add_argument("--launcher", default=None, help="(default: that of the tuning's library)")
    parser.add_argument("--tries", type=int, default=5)
    parser.add_argument("--calls", type=int, default=200)
    arguments = parser.parse_args()
    with open(arguments.tuning, encoding="utf-8") as file:
        tuning = json.load(file)
    variables = {name: value for file in tuning["files"] for name, value in file["variables"].items()}
    if not variables:
        sys.exit(f"{arguments.tuning} has no files of a library")
    flavour = tuning["flavour"]
    launcher = arguments.launcher or f"{found(LAUNCHERS[flavour])} -n {{n}}"
    head("operation", "processes", "size", "without", "with", "times as fast", "by the proof")
    with tempfile.TemporaryDirectory(prefix="fathom-bench-") as folder:
        program = compiled(folder, flavour, "plain/collective.c")
        for point in tuning["proof"]:
            if not point["ruled"] or point["operation"] not in OPERATIONS:
                continue
            command = [*shlex.split(launcher.replace("{n}", str(point["procs"]))), program, point["operation"],
                       str(point["size_bytes"]), str(arguments.calls)]
            times = {False: [], True: []}
            for _ in range(arguments.tries):
                for tuned in times:
                    time_ns = median_ns(command, {**ENVIRONMENT, **(variables if tuned else {})})
                    times[tuned] += [time_ns] if time_ns else []
            if not all(times.values()):
                row(point["operation"], point["procs"], short_size(point["size_bytes"]), "failed", "", "", "")
                continue
            before, after = (statistics.median(times[tuned]) for tuned in (False, True))
            interval = "none" if point["speedup_ci95"] is None else "{:.2f} .. {:.2f}".format(*point["speedup_ci95"])
            row(point["operation"], point["procs"], short_size(point["size_bytes"]), f"{before / 1000:.1f} us", f"{after / 1000:.1f} us",
                f"{before / after:.2f}", f"{point['speedup']:.2f} ({interval})")


if __name__ == "__main__":
    main()
