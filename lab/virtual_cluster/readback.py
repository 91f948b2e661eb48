"""Reading a host's settings back from the kernel, and comparing them with what was asked for."""

import json
import socket

from .addresses import LINK
from .clocks import observe_clock
from .errors import Mismatch
from .namespaces import inside
from .shaping import observe_loss, observe_shaping
from .tools import read_file, tool


def observe_inside():
    """All that has to be read within a host's network and UTS namespace."""
    addresses = json.loads(tool("ip", "-j", "-4", "address", "show", "dev", LINK))
    return {
        "name": socket.gethostname(),
        "address": addresses[0]["addr_info"][0]["local"],
        "loss_probes": read_file("/proc/sys/net/ipv4/tcp_early_retrans") != "0",
        **observe_shaping(LINK),
        **observe_loss(),
    }


def observe_host(cluster, index):
    """A host's settings as they are now, read from the kernel."""
    host = cluster.hosts[index]
    seen = inside(host["pid"], ("net", "uts"), observe_inside)
    seen["clock_offset_ns"] = observe_clock(host["pid"])
    towards = inside(cluster.front["pid"], ("net",), lambda: observe_shaping(f"port{index}"))
    for field, value in towards.items():
        if value != seen[field]:
            raise Mismatch(f"{host['name']}: {field} is {seen[field]} for sending but {value} for receiving")
    return seen


def verify(cluster, asked):
    """Raises Trouble when a host is not as it was asked for."""
    for index, host in enumerate(cluster.hosts):
        wanted = {
            "name": host["name"], "address": host["address"],
            "rate_bits_per_s": asked["rates_bits_per_s"][index], "queue_bytes": asked["queues_bytes"][index],
            "loss_ppm": asked["loss_ppm"], "loss_probes": asked["loss_probes"],
            "clock_offset_ns": asked["clock_offsets_ns"][index],
        }
        seen = observe_host(cluster, index)
        for field, value in wanted.items():
            if seen[field] != value:
                raise Mismatch(f"{host['name']}: asked for {field} {value}, but the kernel has {seen[field]}")
