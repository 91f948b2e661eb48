"""Building the bridge and the links."""

import os

from .addresses import BRIDGE, FRONT_ADDRESS, LINK, PREFIX_LENGTH
from .shaping import LOSS_PROBES_ON, drop_arriving, shape
from .tools import tool, write_file


def disable_ipv6():
    """Disables IPv6: neighbour and router discovery would add traffic."""
    if os.path.isdir("/proc/sys/net/ipv6"):
        for scope in ("all", "default"):
            write_file(f"/proc/sys/net/ipv6/conf/{scope}/disable_ipv6", "1")


def build_bridge():
    disable_ipv6()
    tool("ip", "link", "set", "lo", "up")
    tool("ip", "link", "add", BRIDGE, "type", "bridge", "stp_state", 0, "mcast_snooping", 0)
    tool("ip", "address", "add", f"{FRONT_ADDRESS}/{PREFIX_LENGTH}", "dev", BRIDGE)
    tool("ip", "link", "set", BRIDGE, "up")


def build_port(index, host_pid, requested):
    """Builds the front's end of a host's link and shapes what the host receives."""
    port = f"port{index}"
    tool("ip", "link", "add", port, "type", "veth", "peer", "name", LINK, "netns", host_pid)
    tool("ip", "link", "set", port, "master", BRIDGE, "up")
    shape(port, requested, index)


def build_host(index, address, requested):
    """Builds the host's end of its link, shapes what the host sends, and sets its packet loss."""
    disable_ipv6()
    tool("ip", "link", "set", "lo", "up")
    tool("ip", "address", "add", f"{address}/{PREFIX_LENGTH}", "dev", LINK)
    tool("ip", "link", "set", LINK, "up")
    shape(LINK, requested, index)
    write_file("/proc/sys/net/ipv4/tcp_early_retrans", str(LOSS_PROBES_ON if requested["loss_probes"] else 0))
    if requested["loss_ppm"]:
        drop_arriving(requested["loss_ppm"])
