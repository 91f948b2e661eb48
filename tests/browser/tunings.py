"""Tunings for browser tests: made up, but as `fathom tune` writes them."""
import copy
import math

SIZES = (8, 64, 512, 4096, 16384, 32768, 262144)  # 16 KiB was added where algorithms change over
WAYS = {"bcast": ("library", "library:binomial", "library:pipeline", "library:chain", "library:knomial"),
        "allreduce": ("library", "library:recursive_doubling", "library:ring")}
# How many times as fast as the library the best other algorithm is, by operation, processes and size.
GAINS = {("bcast", 8): [("binomial", 1.30), ("binomial", 1.25), ("binomial", 1.20), ("knomial", 1.02), ("pipeline", 1.10), ("pipeline", 1.50), ("pipeline", 1.62)],
         ("bcast", 4): [("binomial", 0.90), ("binomial", 0.95), ("binomial", 1.00), ("chain", 1.01), ("chain", 1.02), ("chain", 0.97), ("chain", 1.08)],
         ("allreduce", 8): [("recursive_doubling", 1.15), ("recursive_doubling", 1.12), ("recursive_doubling", 1.05), ("ring", 0.80), ("ring", 0.90),
                            ("ring", 1.21), ("ring", 1.34)],
         ("allreduce", 4): None}  # the library is alone: all others were dropped
PROPOSED = {("bcast", 8): 1.03, ("bcast", 4): 99, ("allreduce", 8): 1.10, ("allreduce", 4): 99}  # from which gain on


def interval(value, part=0.02):
    return [value * (1 - part), value * (1 + part)]


def measured(implementation, size, time_ns):
    return {"implementation": implementation, "size_bytes": size, "time_ns": time_ns, "ci95_ns": interval(time_ns)}


def library_time(operation, procs, size):
    return (4000 if operation == "bcast" else 7000) * math.log2(procs) + 0.8 * size * procs / 4


def entry(operation, procs):
    ways = WAYS[operation]
    found = {"operation": operation, "procs": procs, "implementations": list(ways), "finished": True, "rounds": 6, "points_measured": 0,
             "points_all": len(ways) * len(SIZES), "dropped": [], "sizes": [], "proposals": [], "times": [], "predictions": []}
    for place, size in enumerate(SIZES):
        time_ns = library_time(operation, procs, size)
        best, gain = (GAINS[operation, procs] or [(None, 1)] * len(SIZES))[place]
        at = {"size_bytes": size, "library": measured("library", size, time_ns), "best": None, "speedup": 1, "speedup_ci95": [1, 1], "proposed": None}
        found["times"].append(at["library"])
        if best:
            at.update(best=measured(f"library:{best}", size, time_ns / gain), speedup=gain, speedup_ci95=interval(gain, 0.04))
            found["times"].append(at["best"])
            if gain >= PROPOSED[operation, procs]:
                at["proposed"] = f"library:{best}"
                found["proposals"].append({"implementation": at["proposed"], "first_bytes": size, "last_bytes": size, "least_speedup": gain, "most_speedup": gain})
        if GAINS[operation, procs] and place % 2 == 0:  # others were in the race at few sizes
            others = [way for way in ways[1:] if way != f"library:{best}"]
            found["times"] += [measured(way, size, time_ns * (1.3 + 0.1 * number)) for number, way in enumerate(others)]
        found["sizes"].append(at)
    if GAINS[operation, procs] is None:
        found["dropped"] = list(ways[1:])
    found["points_measured"] = len(found["times"])
    return found


def tuning(**changes):
    """A tuning of two operations with 4 and 8 processes; proven, with one size that is slower, and predicted."""
    document = {"schema": "fathom.tune/1", "fathom": "0.1.0", "date": "2026-11-17T13:40:26Z",
                "library": "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4", "flavour": "openmpi", "platform": None, "hosts": 4,
                "procs_per_host": 2, "metric": "median",
                "operations": [entry(operation, procs) for operation in ("bcast", "allreduce") for procs in (4, 8)],
                "files": [{"path": "tuned-openmpi.rules", "variables": {"OMPI_MCA_coll_tuned_dynamic_rules_filename": "/home/a user/tuned-openmpi.rules",
                                                                       "OMPI_MCA_coll_tuned_use_dynamic_rules": "1"}}],
                "proof": []}
    for operation in document["operations"]:
        if operation["operation"] == "bcast" and operation["procs"] == 8:
            for time in operation["times"]:
                if time["implementation"] != "library":
                    operation["predictions"].append({**time, "time_ns": time["time_ns"] * (0.9 if "pipeline" in time["implementation"] else 1.1)})
            for prediction in operation["predictions"]:
                del prediction["ci95_ns"]
            for at in operation["sizes"]:
                before, slower = at["library"]["time_ns"], at["size_bytes"] == 512
                gain = 0.93 if slower else at["speedup"] if at["proposed"] else 1
                document["proof"].append({"operation": "bcast", "procs": 8, "size_bytes": at["size_bytes"], "before_ns": before,
                                          "before_ci95_ns": interval(before), "after_ns": before / gain, "after_ci95_ns": interval(before / gain),
                                          "speedup": gain, "speedup_ci95": interval(gain, 0.03), "ruled": at["proposed"] is not None,
                                          "verdict": "slower" if slower else "faster" if at["proposed"] else "same"})
    document.update(copy.deepcopy(changes))
    return document


def edges(sizes=SIZES):
    """Where the cells of a map's row begin and end, as shares of its width."""
    places = [math.log2(size) for size in sizes]
    inner = [(low + high) / 2 for low, high in zip(places, places[1:])]
    all_edges = [places[0] - (places[1] - places[0]) / 2, *inner, places[-1] + (places[-1] - places[-2]) / 2]
    return [(edge - all_edges[0]) / (all_edges[-1] - all_edges[0]) for edge in all_edges]
