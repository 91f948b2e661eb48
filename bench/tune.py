#!/usr/bin/env python3
"""What a tuning in simulation chooses, beside measuring everything, and what it takes.

    bench/tune.py [--platform NAME...] [--op NAME...] [-n PROCS]

For each platform and operation: `fathom tune` at 15 sizes, then `fathom run` with every algorithm that the library offers at
each of them (as far as it does not end the simulation), with the processor time of both, which is what simulations take on
a quiet machine: 5 repetitions after a warm-up until times are stationary, and again as few calls as a tuning in simulation
makes. The choice at a size is the algorithm that tuning found best; its loss is its time by that of the truly best one.
"""
import argparse
import json
import pathlib
import resource
import subprocess
import sys
import tempfile

from support import BUILD, ENVIRONMENT

USUAL = ["--reps", 5]
FEW = ["--warmup", 1, "--reps", 3]
SIZES = [8, 32, 128, 512, *(1024 << i for i in range(11))]
# Of every pair of processes: algorithms of SimGrid over meshes hold several times what all processes exchange, 15 GB at 1 MiB.
SIZES_OF_PAIRS = [8 << i for i in range(15)]
OPERATIONS = ["bcast", "alltoall", "allgather", "reduce_scatter", "allreduce"]
FATHOM = BUILD / "bin" / "fathom"


def processor_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def fathom(folder, *words):
    begun = processor_time()
    done = subprocess.run([FATHOM, *map(str, words)], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=7200)
    return done, processor_time() - begun


def everything(folder, operation, platform, procs, sizes, ways, calls):
    """Times of all ways at all sizes, as far as a way does not end the job, and the processor time that all jobs took."""
    times, taken = {}, 0
    for way in ways:
        done, spent = fathom(folder, "run", operation, "--platform", platform, "-n", procs, "--sizes", ",".join(map(str, sizes)),
                             *calls, "--via", way, "--json", "--db", "all.db")
        taken += spent
        if not done.stdout.strip():
            continue
        for point in json.loads(done.stdout)["points"]:
            if point["status"] == "ok":
                times[way, point["size_bytes"]] = point["median_ns"]
    return times, taken


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--platform", nargs="*", default=["smp-32x2", "myrinet-128"])
    parser.add_argument("--op", nargs="*", default=OPERATIONS)
    parser.add_argument("-n", type=int, default=None, metavar="PROCS", help="(default: all of the platform)")
    arguments = parser.parse_args()
    if not FATHOM.exists():
        sys.exit(f"no {FATHOM}; build first")
    print("| platform | operation | points measured | of | worst loss | time by tuning | by everything | ratio | few calls | ratio |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for platform in arguments.platform:
        for operation in arguments.op:
            with tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                count = ["-n", arguments.n] if arguments.n else []
                sizes = SIZES_OF_PAIRS if operation == "alltoall" else SIZES
                done, taken = fathom(folder, "tune", operation, "--platform", platform, *count, "--sizes", ",".join(map(str, sizes)),
                                     "--json", "-q")
                if done.returncode != 0:
                    sys.exit(done.stderr)
                tuned = json.loads(done.stdout)["operations"][0]
                ways = [way for way in tuned["implementations"] if way not in tuned["dropped"]]
                times, usual = everything(folder, operation, platform, tuned["procs"], sizes, ways, USUAL)
                _, few = everything(folder, operation, platform, tuned["procs"], sizes, ways, FEW)
                worst = 1
                for at in (at for at in tuned["sizes"] if at["size_bytes"] in sizes):
                    best = at["best"] if at["best"] and at["speedup"] > 1 else at["library"]
                    truth = min(value for (_, size), value in times.items() if size == at["size_bytes"])
                    worst = max(worst, times[best["implementation"], at["size_bytes"]] / truth)
                print(f"| {platform} | {operation} | {tuned['points_measured']} | {tuned['points_all']} | {worst:.4f} | {taken:.1f} s "
                      f"| {usual:.1f} s | {taken / usual:.2f} | {few:.1f} s | {taken / few:.2f} |", flush=True)


if __name__ == "__main__":
    main()
