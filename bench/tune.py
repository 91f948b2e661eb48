#!/usr/bin/env python3
"""What a tuning in simulation chooses, beside measuring everything, and what it takes.

    bench/tune.py [--platform NAME...] [--op NAME...] [-n PROCS]

For each platform and operation: `fathom tune`, then every algorithm that the library offers at every size of it (those
that end the simulation are left out), with the time of both by the wall clock. The choice at a size is the algorithm that
tuning found best; its loss is its time by that of the truly best one.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

from support import BUILD, ENVIRONMENT

OPERATIONS = ["bcast", "alltoall", "allgather", "reduce_scatter", "allreduce"]
FATHOM = BUILD / "bin" / "fathom"


def fathom(folder, *words):
    begun = time.monotonic()
    done = subprocess.run([FATHOM, *map(str, words)], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=7200)
    return done, time.monotonic() - begun


def everything(folder, operation, platform, procs, sizes, ways):
    """Times of all ways at all sizes; a way that ends the job is left out, and the time of its job does not count."""
    times, taken = {}, 0
    for way in ways:
        done, spent = fathom(folder, "run", operation, "--platform", platform, "-n", procs, "--sizes", ",".join(map(str, sizes)),
                             "--reps", 5, "--via", way, "--json", "--db", "all.db")
        if done.returncode != 0:
            continue
        taken += spent
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
    print("| platform | operation | points measured | of | worst loss | time by tuning | by everything | ratio |")
    print("|---|---|---|---|---|---|---|---|")
    for platform in arguments.platform:
        for operation in arguments.op:
            with tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                count = ["-n", arguments.n] if arguments.n else []
                done, taken = fathom(folder, "tune", operation, "--platform", platform, *count, "--json", "-q")
                if done.returncode != 0:
                    sys.exit(done.stderr)
                tuned = json.loads(done.stdout)["operations"][0]
                asked = [at["size_bytes"] for at in tuned["sizes"]]
                ways = [way for way in tuned["implementations"] if way not in tuned["dropped"]]
                times, all_taken = everything(folder, operation, platform, tuned["procs"], asked, ways)
                worst = 1
                for at in tuned["sizes"]:
                    best = at["best"] if at["best"] and at["gain"] > 1 else at["library"]
                    truth = min(value for (_, size), value in times.items() if size == at["size_bytes"])
                    worst = max(worst, times[best["implementation"], at["size_bytes"]] / truth)
                print(f"| {platform} | {operation} | {tuned['points_measured']} | {tuned['points_all']} | {worst:.4f} | {taken:.1f} s "
                      f"| {all_taken:.1f} s | {taken / all_taken:.2f} |", flush=True)


if __name__ == "__main__":
    main()
