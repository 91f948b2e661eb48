#!/usr/bin/env python3
"""How good the measuring engine is, against known truth and against itself; prints the tables of docs/method.md.

    bench/engine.py [truth] [repeatable] [skew] [repeatability] [certainty] [switches] [noise] [memory]   (all by default)

truth          a linear broadcast on a simulated network where the answer is arithmetic: single calls and three in a row
repeatable     every point of the preset standard on smp-32x2, twice with one seed
skew           start skew and invalid repetitions of an 8-byte allreduce, 2 processes, roundtime
repeatability  ten separate jobs of allreduce at 8 B, 1 KiB and 64 KiB: spread of the reported medians
certainty      wall time to an interval of 2 %, against a fixed 1000 repetitions
switches       a switch set in simulation, and Open MPI's shared-memory eager limit at two values
noise          one busy process on each core for a third of the run
memory         peak memory of rank 0 against the other ranks and against the number of repetitions

The parts on real libraries want a machine that does nothing else.
"""
import json
import os
import re
import statistics
import subprocess
import time

from support import BUILD, ENVIRONMENT, FLAVOURS, SOURCE, fathom, head, main, row, timed

SIZES = {8: "8 B", 1024: "1 KiB", 65536: "64 KiB"}


def platform(folder, name, **properties):
    """pure-16 with more properties of SimGrid, as a file."""
    lines = "".join(f'<prop id="{key.replace("__", "/").replace("_", "-")}" value="{value}"/>'
                    for key, value in properties.items())
    text = (SOURCE / "lab" / "platforms" / "pure-16.xml").read_text().replace("</config>", lines + "</config>")
    path = folder / f"{name}.xml"
    path.write_text(text)
    return path


def truth(folder):
    print("\nA linear broadcast to 3 others, gap g at the sender, L for one message alone: L + 2 g for a single call, "
          "(8 g + L) / 3 for three in a row\n")
    head("g", "L", "start", "single call", "L + 2 g", "off", "three in a row", "(8 g + L) / 3", "off")
    for gap_ns in (500, 1000, 5000):
        network = platform(folder, f"linear-{gap_ns}", smpi__bcast="flattree", smpi__async_small_thresh=65536,
                           smpi__ois=f"0:{gap_ns}e-9:0")
        message = fathom(folder, "run", "pingpong", "--platform", network, "-n", 4, "--sizes", 1, "-q")
        latency = message["points"][0]["median_ns"] + gap_ns  # a lone message waits for one gap too
        for start in ("window", "roundtime"):
            found = [fathom(folder, "run", "bcast", "--platform", network, "-n", 4, "--sizes", 1, "--start", start,
                            "--in-a-row", calls, "-q")["points"][0]["median_ns"] for calls in (1, 3)]
            expected = [latency + 2 * gap_ns, (8 * gap_ns + latency) / 3]
            off = [f"{100 * (one / right - 1):+.2f} %" for one, right in zip(found, expected)]
            row(f"{gap_ns} ns", f"{latency:.0f} ns", start, f"{found[0]:.0f} ns", f"{expected[0]:.0f} ns", off[0],
                f"{found[1]:.0f} ns", f"{expected[1]:.0f} ns", off[1])


def repeatable(folder):
    both = [fathom(folder, "run", "--preset", "standard", "--platform", "smp-32x2", "-q")["points"] for _ in range(2)]
    same = sum(one == other for one, other in zip(*both))
    print(f"\nPreset standard on smp-32x2, twice with one seed: {same} of {len(both[0])} points are the same to the last "
          "digit")


def skew(folder):
    print("\nAllreduce of 8 B, 2 processes, start roundtime\n")
    head("library", "start skew (median)", "target", "invalid repetitions", "target")
    for flavour in FLAVOURS:
        point = fathom(folder, "run", "allreduce", "-n", 2, "--mpi", flavour, "--sizes", 8, "--start", "roundtime",
                       "--reps", 5000, "-q")["points"][0]
        share = point["invalid_reps"] / (point["reps"] + point["invalid_reps"])
        row(flavour, f"{point['start_skew_median_ns']:.0f} ns", "100 ns", f"{100 * share:.2f} %", "5 %")


def repeatability(folder):
    print("\nTen separate jobs of 'fathom run allreduce -n 2 --sizes 8,1k,64k': the reported medians\n")
    head("library", "size", "mean of medians", "coefficient of variation", "target", "smallest", "largest")
    for flavour in FLAVOURS:
        medians = {size: [] for size in SIZES}
        for _ in range(10):
            for point in fathom(folder, "run", "allreduce", "-n", 2, "--mpi", flavour, "--sizes", "8,1k,64k", "-q")["points"]:
                medians[point["size_bytes"]].append(point["median_ns"])
        for size, values in medians.items():
            mean = statistics.mean(values)
            row(flavour, SIZES[size], f"{mean:.0f} ns", f"{100 * statistics.stdev(values) / mean:.2f} %", "1.5 %",
                f"{min(values):.0f} ns", f"{max(values):.0f} ns")


def certainty(folder):
    print("\nWall time of a whole job, start to exit: to an interval of 2 % and no further, by default (at least 100 ms in "
          "ten places of memory), and for a fixed number of repetitions; with the interval's width\n")
    head("library", "size", "to 2 %", "repetitions", "width", "default", "repetitions", "width", "1000 repetitions", "width")
    for flavour in FLAVOURS:
        for size, name in SIZES.items():
            cells = []
            for more in (("--point-least", 0), (), ("--reps", 1000)):
                document, seconds = timed(folder, "run", "allreduce", "-n", 2, "--mpi", flavour, "--sizes", size, "-q", *more)
                point = document["points"][0]
                low, high = point["median_ci95_ns"]
                cells += [f"{seconds * 1000:.0f} ms", point["reps"], f"{100 * (high - low) / point['median_ns']:.2f} %"]
            row(flavour, name, *cells[:7], *cells[8:])


def found_switches(document):
    return "; ".join(f"{one['last_below_bytes']}/{one['first_above_bytes']} B ({one['ratio']:.2f} times)"
                     for one in document["switches"]) or "none"


def switches(folder):
    print("\nSwitches located by bisection: last size below / first size above\n")
    head("where", "set to", "found")
    for limit in (12288, 5000, 777):
        network = platform(folder, f"switch-{limit}", smpi__os=f"0:1e-6:0;{limit}:9e-6:0")
        document = fathom(folder, "run", "pingpong", "--platform", network, "-n", 2, "--sizes", "1:32k", "--locate-switches",
                          "-q")
        row("simulated send overhead", f"{limit} B", found_switches(document))
    if "openmpi" in FLAVOURS:
        words = subprocess.run(["ompi_info", "--param", "btl", "vader", "--level", "9", "--parsable"], capture_output=True,
                               text=True, timeout=60).stdout
        usual = int(re.search(r"btl_vader_eager_limit:value:(\d+)", words)[1])
        for limit in (usual, 10000):
            document = fathom(folder, "run", "pingpong", "-n", 2, "--mpi", "openmpi", "--sizes", "512:32k",
                              "--locate-switches", "-q", environment={"OMPI_MCA_btl_vader_eager_limit": str(limit)})
            row("Open MPI, shared memory", f"{limit} B with header", found_switches(document))


def noise(folder):
    print("\nAllreduce of 64 KiB, 2 processes; one busy process on each core during a third of the run\n")
    head("library", "median quiet", "disturbed", "ratio", "target", "mean quiet", "disturbed", "ratio", "warning")
    for flavour in FLAVOURS:
        words = ("run", "allreduce", "-n", 2, "--mpi", flavour, "--sizes", "64k", "--reps", 200000, "-q")
        quiet, length = timed(folder, *words)
        command = [BUILD / "bin" / "fathom", *map(str, words), "--json"]
        job = subprocess.Popen(command, cwd=folder, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True)
        time.sleep(length / 3)
        busy = [subprocess.Popen(["taskset", "-c", str(core), "sh", "-c", "while :; do :; done"])
                for core in sorted(os.sched_getaffinity(0))]
        time.sleep(length / 2)  # the run gets longer meanwhile
        for process in busy:
            process.kill()
            process.wait()
        disturbed = json.loads(job.communicate(timeout=600)[0])
        one, other = (document["points"][0] for document in (quiet, disturbed))
        warning = next((text for text in other["warnings"] if "disturbed" in text), "none")
        row(flavour, *(f"{value / 1000:.2f} us" for value in (one["median_ns"], other["median_ns"])),
            f"{other['median_ns'] / one['median_ns']:.3f}", "within 1.15",
            *(f"{value / 1000:.2f} us" for value in (one["mean_ns"], other["mean_ns"])),
            f"{other['mean_ns'] / one['mean_ns']:.3f}", warning)


def memory(folder):
    print("\nPeak memory of a process (in simulation all ranks are one process)\n")
    head("job", "repetitions", "rank 0", "any other rank")

    def peaks(document):
        facts = document["environment"]["job"]
        return [f"{int(facts[key]) / 2**20:.1f} MiB"
                for key in ("memory.rank_0_peak_bytes", "memory.other_ranks_peak_bytes")]
    for reps in (100, 2000):
        document = fathom(folder, "run", "barrier", "-n", 64, "--mpi", "openmpi", "--reps", reps, "-q", "--point-timeout", 600)
        row("openmpi, 64 ranks on this machine", reps, *peaks(document))
    for reps in (1000, 1_000_000):
        document = fathom(folder, "run", "barrier", "-n", 2, "--mpi", "openmpi", "--reps", reps, "-q")
        row("openmpi, 2 ranks", reps, *peaks(document))
    for procs in (2, 1024):
        for reps in (10, 100):
            document = fathom(folder, "run", "barrier", "--platform", "flat-1024", "-n", procs, "--reps", reps, "-q")
            row(f"simulated, {procs} ranks", reps, peaks(document)[0], "-")


if __name__ == "__main__":
    main({"truth": truth, "repeatable": repeatable, "skew": skew, "repeatability": repeatability, "certainty": certainty,
          "switches": switches, "noise": noise, "memory": memory})
