"""`vcluster status`: the hosts as they are now."""

import contextlib
import json
import os

from .errors import EXIT_CHECK_FAILED
from .readback import observe_host
from .shaping import PPM
from .state import Cluster


def count_processes(cluster):
    """{inode of a network namespace: number of processes in it}, front and keepers not counted."""
    keepers = {cluster.front["pid"], *(host["pid"] for host in cluster.hosts)}
    counts = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit() and int(entry) not in keepers:
            with contextlib.suppress(OSError):
                inode = os.stat(f"/proc/{entry}/ns/net").st_ino
                counts[inode] = counts.get(inode, 0) + 1
    return counts


def status_record(cluster):
    """The JSON document of `status --json`."""
    record = {"schema": "fathom.vcluster/1", "name": cluster.name, "up": bool(cluster.front), "hosts": []}
    if cluster.front:
        counts = count_processes(cluster)
        record["front_processes"] = counts.get(os.stat(f"/proc/{cluster.front['pid']}/ns/net").st_ino, 0)
        for index, host in enumerate(cluster.hosts):
            seen = observe_host(cluster, index)
            seen["loss_percent"] = seen.pop("loss_ppm") * 100 / PPM
            seen["processes"] = counts.get(os.stat(f"/proc/{host['pid']}/ns/net").st_ino, 0)
            record["hosts"].append(seen)
    return record


def command_status(options):
    cluster = Cluster(options.name)
    cluster.load()
    record = status_record(cluster)
    if options.json:
        print(json.dumps(record, indent=1))
    elif not record["up"]:
        print(f"cluster '{cluster.name}' is not up; start it: {cluster.hint('up')} --hosts 4")
    else:
        rows = [("host", "address", "rate", "queue", "loss", "dropped", "loss probes", "clock offset", "CPUs", "processes")]
        for host in record["hosts"]:
            rate = host["rate_bits_per_s"]
            rows.append((
                host["name"], host["address"],
                f"{rate / 1e6:g} Mbit/s" if rate else "no limit",
                f"{host['queue_bytes']} B" if rate else "-",
                f"{host['loss_percent']:g} %",
                "-" if host["dropped_packets"] is None else str(host["dropped_packets"]),
                "on" if host["loss_probes"] else "off",
                f"{host['clock_offset_ns'] / 1e9:g} s", ",".join(map(str, host["cpus"])), str(host["processes"]),
            ))
        widths = [max(map(len, column)) for column in zip(*rows)]
        for row in rows:
            print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
    if not record["up"] and not os.listdir(cluster.root):
        os.rmdir(cluster.root)
    return 0 if record["up"] else EXIT_CHECK_FAILED
