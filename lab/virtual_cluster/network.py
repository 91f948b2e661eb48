"""Building the bridge, the links and the hosts' ends of them."""

import os

from .addresses import BRIDGE, FRONT_ADDRESS, LINK, PREFIX_LENGTH
from .shaping import LOSS_PROBES_ON, drop_arriving, shape
from .tools import tool, write_file


def quiet_ipv6():
    """No IPv6: its neighbour and router discovery would be traffic nobody asked for."""
    if os.path.isdir("/proc/sys/net/ipv6"):
        for scope in ("all", "default"):
            write_file(f"/proc/sys/net/ipv6/conf/{scope}/disable_ipv6", "1")


def build_bridge():
    quiet_ipv6()
    tool("ip", "link", "set", "lo", "up")
    tool("ip", "link", "add", BRIDGE, "type", "bridge", "stp_state", 0, "mcast_snooping", 0)
    tool("ip", "address", "add", f"{FRONT_ADDRESS}/{PREFIX_LENGTH}", "dev", BRIDGE)
    tool("ip", "link", "set", BRIDGE, "up")


def build_port(index, host_pid, asked):
    """The front's end of a host's link, and the shaping of what the host receives."""
    port = f"port{index}"
    tool("ip", "link", "add", port, "type", "veth", "peer", "name", LINK, "netns", host_pid)
    tool("ip", "link", "set", port, "master", BRIDGE, "up")
    shape(port, asked, index)


def build_host(index, address, asked):
    """The host's end of its link, the shaping of what it sends, and its packet loss."""
    quiet_ipv6()
    tool("ip", "link", "set", "lo", "up")
    tool("ip", "address", "add", f"{address}/{PREFIX_LENGTH}", "dev", LINK)
    tool("ip", "link", "set", LINK, "up")
    shape(LINK, asked, index)
    write_file("/proc/sys/net/ipv4/tcp_early_retrans", str(LOSS_PROBES_ON if asked["loss_probes"] else 0))
    if asked["loss_ppm"]:
        drop_arriving(asked["loss_ppm"])
