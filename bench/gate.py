#!/usr/bin/env python3
"""How often a gate raises a false alarm, comes to a verdict and finds a slow-down, with real runs.

    bench/gate.py [--procedure stored|against] [--rounds N] [--slow-down PERCENT] [--busy K] [--json FILE]
                  [--time-limit MINUTES] [--options '--runs 1']
    bench/gate.py --rounds 0 --json FILE        prints the table of what was measured before

A round is two gates of each library, which take turns: one of the same thing with itself, and one in which every call of
the new run takes PERCENT longer (default 10; 0 leaves it out), of an operation (default allreduce: 8 B, 1 KiB and 64 KiB,
two processes). The gate is one of
    stored    a run, and 'fathom compare --fail-above' with the last one before it that was not slowed down. Both are in a
              result file in which all earlier runs of the library are, as a user's would be: by how much runs differ is
              learned from them. Slowed-down runs are deleted after their comparison.
    against   'fathom run --against --fail-above', which measures a stored run again in turn with the new one

With --json FILE, every gate is added to FILE as soon as it is done, and the table is that of the whole file: a long
series can be made in parts, with other conditions in each, and whatever ends one costs one gate.

Slow-downs are injected by bench/slow_down.c, preloaded into all runs: it spends PERCENT of the point's median time in
arithmetic in each call, on every rank. The medians are those of three runs before the first round. What the runs then
show is in the column 'injected': the median of the measured ratios.

The columns: 'alarm' or 'found' is exit status 1; 'called slower' are gates with a point that is, whether or not by more than
the limit (5 % are found so at a limit of 5 %); 'undecided' is status 4; 'decided' are all others. With --busy K, K endless
loops run beside it, bound to the cores in turn.
"""
import argparse
import collections
import json
import os
import pathlib
import shlex
import shutil
import statistics
import subprocess
import tempfile
import time

from support import FLAVOURS, SOURCE, attempted, busy_loops, called, fathom, head, percent, row

PASSED, ALARM, UNDECIDED = 0, 1, 4
CALLS = {"allreduce": "allreduce", "bcast": "bcast", "reduce": "reduce", "alltoall": "alltoall", "pingpong": "send"}
VERDICTS = ("slower", "faster", "same", "undecided")
STEERING = {"openmpi": "OMPI_MCA_slow_down", "mpich": "MPIR_CVAR_SLOW_DOWN"}
RUNS_BEFORE = 3


def preloaded(folder):
    library = folder / "slow_down.so"
    subprocess.run([shutil.which("cc") or "gcc", "-shared", "-fPIC", "-O1", "-Wall", "-o", library,
                    SOURCE / "bench" / "slow_down.c", "-ldl"], check=True)
    return library


class Subject:
    """Runs of one operation with one library, with or without a delay in its calls, in a result file of their own."""

    def __init__(self, folder, flavour, given, library):
        self.folder, self.flavour, self.given, self.library = folder, flavour, given, library
        self.file = f"{flavour}.db"
        before = [self.measured(0) for _ in range(RUNS_BEFORE)]
        if None in before:
            raise SystemExit(1)
        medians = [{point["size_bytes"]: point["median_ns"] for point in run["points"]} for run in before]
        self.medians = {size: statistics.median(run[size] for run in medians) for size in given.sizes}
        self.last = before[-1]["run"]

    def delays(self, share):
        medians = self.medians if share else dict.fromkeys(self.given.sizes, 0)
        return ",".join(f"{CALLS[self.given.operation]}:{size}:{share * median:.1f}" for size, median in medians.items())

    def measured(self, share):
        """Makes one run, or returns None if it failed. All have delays, those that are not slowed down of 0 ns: to fathom,
        a slower one is of the same kind."""
        return attempted(self.folder, "run", self.given.operation, "-n", 2, "--mpi", self.flavour, "--sizes",
                         ",".join(map(str, self.given.sizes)), "-q", "--db", self.file, *self.given.options,
                         environment={"LD_PRELOAD": str(self.library), "SLOW_DOWN": self.delays(share)})

    def stored(self, share):
        """A run that is slower by this share, compared with the last that was not slowed down."""
        measured = self.measured(share)
        if measured is None:
            return None
        done = called(self.folder, "compare", self.last, measured["run"], "--db", self.file, "--fail-above", self.given.limit)
        if share > 0:
            fathom(self.folder, "delete", measured["run"], "--db", self.file, "--yes")
        else:
            self.last = measured["run"]
        return done

    def against(self, share):
        """One that is slower by this share, in turn with the stored run measured again. A variable that steers the library
        slows it down, which the baseline is measured without."""
        steering = {STEERING[self.flavour]: self.delays(share)} if share else {}
        beside = f"{self.flavour}-against.db"
        done = called(self.folder, "run", "--against", f"{self.file}:{self.last}", "--fail-above", self.given.limit, "-q",
                      "--db", beside, *self.given.options,
                      environment={"LD_PRELOAD": str(self.library), "SLOW_DOWN": self.delays(0), **steering})
        (self.folder / beside).unlink(missing_ok=True)
        return done

    def gate(self, procedure, share):
        """What becomes of one gate, or None if it could not be measured."""
        begin = time.monotonic()
        done = getattr(self, procedure)(share)
        seconds = time.monotonic() - begin
        if done is None or done.returncode not in (PASSED, ALARM, UNDECIDED):
            print(f"{procedure} with {self.flavour}: {done.stderr if done else 'no run'}", flush=True)
            return None
        comparison = json.loads(done.stdout)
        fields = ("size_bytes", "ratio", "ratio_ci95", "verdict", "doubt", "beyond_limit", "first_starts", "first_reps",
                  "first_disturbed_reps", "second_reps", "second_disturbed_reps")
        return {"exit_status": done.returncode, "seconds": round(seconds, 1), "measuring": comparison.get("measuring"),
                "points": [{field: point[field] for field in fields} for point in comparison["points"]]}


class Results:
    """Gates that were made, here or before, with the conditions of each."""

    def __init__(self, file):
        self.file = file
        self.gates = json.loads(file.read_text(encoding="utf-8")) if file and file.exists() else []

    def add(self, gate):
        self.gates.append(gate)
        if self.file:
            beside = self.file.with_name(self.file.name + ".new")
            beside.write_text(json.dumps(self.gates) + "\n", encoding="utf-8")
            beside.replace(self.file)


def measure(folder, given, results):
    """Makes gates until there are as many rounds, or the time is up."""
    deadline = time.monotonic() + 60 * given.time_limit
    library = preloaded(folder)
    subjects = [Subject(folder, flavour, given, library) for flavour in FLAVOURS]
    for _ in range(given.rounds):
        for slow_down in dict.fromkeys((given.slow_down, 0)):
            for subject in subjects:
                if time.monotonic() > deadline:
                    return
                if gate := subject.gate(given.procedure, slow_down / 100):
                    results.add({"procedure": given.procedure, "library": subject.flavour, "busy": given.busy,
                                 "operation": given.operation, "limit": given.limit, "options": " ".join(given.options),
                                 "slow_down_percent": slow_down, "load": round(os.getloadavg()[0], 1), **gate})


def conditions(gate):
    machine = f"{gate['busy']} busy loops" if gate["busy"] else "quiet"
    what = f"{gate['slow_down_percent']:g} % slower" if gate["slow_down_percent"] else "same thing"
    return gate["procedure"], f"{machine}, limit {gate['limit']}", what


def evaluate(gates):
    head("procedure", "machine", "what", "library", "gates", "alarm or found", "called slower", "undecided", "decided",
         "time (median)", "time (90 %)", "launches", *(f"points {verdict}" for verdict in VERDICTS), "injected")
    for condition in sorted({conditions(gate) for gate in gates}):
        for flavour in (*FLAVOURS, "all"):
            those = [gate for gate in gates if conditions(gate) == condition and flavour in (gate["library"], "all")]
            if not those:
                continue
            statuses = collections.Counter(gate["exit_status"] for gate in those)
            points = [point for gate in those for point in gate["points"]]
            verdicts = collections.Counter(point["verdict"] for point in points)
            slower = sum(any(point["verdict"] == "slower" for point in gate["points"]) for gate in those)
            seconds = sorted(gate["seconds"] for gate in those)
            launches = statistics.median(max(point["first_starts"] for point in gate["points"]) for gate in those)
            ratios = [point["ratio"] for point in points if point["ratio"] is not None]
            row(*condition, flavour, len(those), percent(statuses[ALARM], len(those)), percent(slower, len(those)),
                percent(statuses[UNDECIDED], len(those)), percent(len(those) - statuses[UNDECIDED], len(those)),
                f"{statistics.median(seconds):.0f} s", f"{seconds[min(len(seconds) - 1, 9 * len(seconds) // 10)]:.0f} s",
                f"{launches:g}", *(verdicts[verdict] for verdict in VERDICTS),
                f"{100 * (statistics.median(ratios) - 1):+.1f} %" if ratios else "-")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--procedure", choices=("stored", "against"), default="stored")
    parser.add_argument("--rounds", type=int, default=50, help="of each library (default 50)")
    parser.add_argument("--slow-down", type=float, default=10, metavar="PERCENT", help="default 10")
    parser.add_argument("--operation", choices=CALLS, default="allreduce")
    parser.add_argument("--sizes", type=lambda text: [int(size) for size in text.split(",")], default=[8, 1024, 65536],
                        help="in bytes (default 8,1024,65536)")
    parser.add_argument("--limit", default="5%", help="--fail-above of the comparisons (default 5%%)")
    parser.add_argument("--busy", type=int, default=0, metavar="K", help="endless loops beside it (default 0)")
    parser.add_argument("--time-limit", type=float, default=60, metavar="MINUTES", help="default 60")
    parser.add_argument("--options", type=shlex.split, default=[], help="further options of fathom run, in one string")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="adds every gate to FILE, and evaluates all of them")
    given = parser.parse_args()
    results = Results(given.json)
    if given.rounds > 0:
        print(f"Load average before: {os.getloadavg()[0]:.2f} on {os.cpu_count()} cores; busy loops: {given.busy}\n", flush=True)
        with tempfile.TemporaryDirectory(prefix="fathom-bench-") as folder, busy_loops(given.busy):
            measure(pathlib.Path(folder), given, results)
    evaluate(results.gates)


if __name__ == "__main__":
    main()
