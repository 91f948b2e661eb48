#!/usr/bin/env python3
"""How good the global clock is, against known truth; prints the tables of docs/clock.md.

    bench/clock_accuracy.py [same-host] [offsets] [drift] [cost]        (all by default)

same-host  two ranks of one host read the same counter: the true offset is 0
offsets    four virtual hosts whose CLOCK_MONOTONIC we set apart (root or user namespaces needed)
drift      clocks with a known slope, ten seconds of events (tests/mpi/clock.cpp)
cost       simulated time of a synchronisation on flat-1024 for 2 to 1024 processes
"""
import os
import statistics
import subprocess

from support import BUILD, ENVIRONMENT, FLAVOURS, SOURCE, fathom, head, main, row

VCLUSTER = SOURCE / "lab" / "vcluster"
SCHEMES = ("linear", "log", "tree", "hosts")
OFFSETS_S = (0, 7200.5, 0.123456789, 0)


def clock_sync(folder, *words):
    return fathom(folder, "clock", "sync", "-q", *words)


def errors_of(document, rank, truth_ns):
    found = [repeat["ranks"][rank] for repeat in document["repeats"]]
    errors = sorted(abs(one["offset_ns"] - truth_ns) for one in found)
    inside = sum(abs(one["offset_ns"] - truth_ns) <= one["bound_ns"] for one in found)
    return errors, inside


def same_host(folder):
    print("\nSame host, 2 processes, 200 synchronisations, source counter: the true offset is 0\n")
    head("library", "median error", "99th percentile", "largest", "within the bound", "target")
    for flavour in FLAVOURS:
        errors, inside = errors_of(clock_sync(folder, "--mpi", flavour, "-n", 2, "--repeat", 200), 1, 0)
        row(flavour, f"{statistics.median(errors):.0f} ns", f"{errors[197]} ns", f"{errors[-1]} ns", f"{inside} of 200",
            "25 ns, 200 ns")


def offsets(folder):
    if subprocess.run([VCLUSTER, "check"], capture_output=True).returncode != 0:
        print("\nKnown offsets: no virtual hosts can be made here")
        return
    name = f"clockbench{os.getpid()}"
    print(f"\nKnown offsets, 4 virtual hosts over TCP, source monotonic, 100 synchronisations each; "
          f"the hosts are {', '.join(map(str, OFFSETS_S))} s ahead\n")
    subprocess.run([VCLUSTER, "up", "--hosts", "4", "--name", name, "--clock-offset", ",".join(map(str, OFFSETS_S))],
                   check=True, capture_output=True)
    try:
        head("library", "scheme", "within the bound", "median error of ranks 1, 2, 3", "target", "largest bound (median)")
        for flavour in FLAVOURS:
            for scheme in SCHEMES:
                launcher = f"'{VCLUSTER}' run --name {name} --mpi {flavour} -n {{n}} --"
                document = clock_sync(folder, "--mpi", flavour, "-n", 4, "--launcher", launcher, "--clock", "monotonic",
                                      "--scheme", scheme, "--repeat", 100)
                both = [errors_of(document, rank, round(OFFSETS_S[rank] * 1e9)) for rank in (1, 2, 3)]
                bound = statistics.median(max(one["bound_ns"] for one in repeat["ranks"]) for repeat in document["repeats"])
                row(flavour, scheme, f"{sum(inside for _, inside in both)} of 300",
                    ", ".join(f"{statistics.median(errors):.0f}" for errors, _ in both) + " ns", "500 ns",
                    f"{bound / 1000:.1f} us")
    finally:
        subprocess.run([VCLUSTER, "down", "--name", name], capture_output=True)


def drift(folder):
    print("\nKnown drift, up to 100 ppm either way: ten seconds of events, times interpolated afterwards\n")
    head("library", "worst of 100 events, slope", "target")
    launchers = {"openmpi": ["mpirun.openmpi", "-n", "2"], "mpich": ["mpiexec.hydra", "-n", "2"]}
    for flavour in FLAVOURS:
        if not (BUILD / "tests" / f"mpi_clock_{flavour}").exists():
            row(flavour, "not built: './quickstart test' builds it", "500 ns, 0.2 ppm")
            continue
        done = subprocess.run([*launchers[flavour], BUILD / "tests" / f"mpi_clock_{flavour}"], cwd=folder, env=ENVIRONMENT,
                              capture_output=True, text=True, timeout=120)
        found = "; ".join(done.stdout.split("\n")).strip("; ")
        row(flavour, found if done.returncode == 0 else f"failed: {done.stderr.strip()}", "500 ns, 0.2 ppm")


def cost(folder):
    print("\nCost on flat-1024 (2 us each way), simulated time\n")
    head("processes", *SCHEMES, "linear / log", "linear / default", "bound of log", "bound of the default")
    procs = 2
    while procs <= 1024:
        found = {}
        for scheme in SCHEMES:
            repeat = clock_sync(folder, "--platform", "flat-1024", "-n", procs, "--scheme", scheme)["repeats"][0]
            found[scheme] = (repeat["cost_ns"], max(rank["bound_ns"] for rank in repeat["ranks"]))
        time = {scheme: taken for scheme, (taken, _) in found.items()}
        row(procs, *(f"{time[scheme] / 1000:.0f} us" for scheme in SCHEMES), f"{time['linear'] / time['log']:.1f}",
            f"{time['linear'] / time['tree']:.1f}", f"{found['log'][1] / 1000:.1f} us", f"{found['tree'][1] / 1000:.1f} us")
        procs *= 2


if __name__ == "__main__":
    main({"same-host": same_host, "offsets": offsets, "drift": drift, "cost": cost})
