"""Reading the settings of a host back from the kernel and comparing them with the request."""

import json
import socket

from .addresses import LINK
from .clocks import observe_clock
from .cpus import observe_cpus
from .errors import SettingMismatch
from .namespaces import inside
from .shaping import observe_loss, observe_shaping
from .tools import read_file, tool


def observe_network():
    """What has to be read inside a host's network and UTS namespaces."""
    addresses = json.loads(tool("ip", "-j", "-4", "address", "show", "dev", LINK))
    return {
        "name": socket.gethostname(),
        "address": addresses[0]["addr_info"][0]["local"],
        "loss_probes": read_file("/proc/sys/net/ipv4/tcp_early_retrans") != "0",
        **observe_shaping(LINK),
        **observe_loss(),
    }


def observe_host(cluster, index):
    """The current settings of a host, read from the kernel."""
    host = cluster.hosts[index]
    seen = inside(host["pid"], ("net", "uts"), observe_network)
    seen["clock_offset_ns"] = observe_clock(host["pid"])
    seen["cpus"] = observe_cpus(host["pid"])
    towards = inside(cluster.front["pid"], ("net",), lambda: observe_shaping(f"port{index}"))
    for field, value in towards.items():
        if value != seen[field]:
            raise SettingMismatch(f"{host['name']}: {field} is {seen[field]} for sending but {value} for receiving")
    return seen


def verify(cluster, requested):
    """Raises SettingMismatch if a host is not as requested."""
    for index, host in enumerate(cluster.hosts):
        wanted = {
            "name": host["name"], "address": host["address"],
            "rate_bits_per_s": requested["rates_bits_per_s"][index], "queue_bytes": requested["queues_bytes"][index],
            "loss_ppm": requested["loss_ppm"], "loss_probes": requested["loss_probes"],
            "clock_offset_ns": requested["clock_offsets_ns"][index], "cpus": requested["cpus"][index],
        }
        seen = observe_host(cluster, index)
        for field, value in wanted.items():
            if seen[field] != value:
                raise SettingMismatch(
                    f"{host['name']}: requested {field} {value}, but the kernel reports {seen[field]}")
