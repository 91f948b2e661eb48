"""Link rate, queue and packet loss: setting them and reading them back."""

import ctypes
import fcntl
import json
import socket
import struct

from .addresses import FRONT_ADDRESS, LINK
from .errors import ClusterError
from .tools import tool

MTU_FRAME_BYTES = 1514
DEFAULT_QUEUE_BYTES = 128 * 1024
NFT_TABLE = "vcluster"
PPM = 1_000_000
LOSS_PROBES_ON = 3  # the kernel's default of net.ipv4.tcp_early_retrans
SIOCETHTOOL = 0x8946
# name: (read command, write command) of the ethtool interface
OFFLOADS = {"tso": (0x1E, 0x1F), "gso": (0x23, 0x24), "gro": (0x2B, 0x2C)}


def burst_bytes(rate_bits_per_s):
    """Size of a burst: 0.25 ms at the link rate, because kernel timers may be that late."""
    return max(2 * MTU_FRAME_BYTES, rate_bits_per_s // 8 // 4000)


def shape(device, requested, index):
    """Sets rate and queue of one direction of a link; turns offloads off where packets are shaped or lost."""
    rate, queue = requested["rates_bits_per_s"][index], requested["queues_bytes"][index]
    if rate:
        tool("tc", "qdisc", "add", "dev", device, "root", "tbf", "rate", f"{rate}bit",
             "burst", burst_bytes(rate), "limit", queue)
    if rate or requested["loss_ppm"]:
        # With offloads a "packet" on a veth link is up to 64 KiB, and one loss is 44 losses in a row.
        for name in OFFLOADS:
            ethtool_value(device, OFFLOADS[name][1], 0)
            if ethtool_value(device, OFFLOADS[name][0]):
                raise ClusterError(f"{device}: the kernel did not turn {name} off")


def drop_arriving(loss_ppm):
    """Drops and counts packets that arrive at a host, except those from the front."""
    from_hosts = f'iifname "{LINK}" ip saddr != {FRONT_ADDRESS}'
    tool("nft", "-f", "-", text=f"""
        table ip {NFT_TABLE} {{
            counter arrived {{ }}
            counter dropped {{ }}
            chain input {{
                type filter hook input priority 0;
                {from_hosts} counter name "arrived"
                {from_hosts} numgen random mod {PPM} < {loss_ppm} counter name "dropped" drop
            }}
        }}
        """)


def ethtool_value(device, command, value=0):
    """Reads or writes one ethtool value, depending on the command."""
    payload = ctypes.create_string_buffer(struct.pack("II", command, value))
    request = struct.pack("16sP16x", device.encode(), ctypes.addressof(payload))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as handle:
        fcntl.ioctl(handle, SIOCETHTOOL, request)
    return struct.unpack("II", payload.raw[:8])[1]


def observe_shaping(device):
    """Rate and queue of a device as the kernel reports them; None without a limit."""
    for qdisc in json.loads(tool("tc", "-j", "-raw", "qdisc", "show", "dev", device)):
        if qdisc["kind"] == "tbf":
            return {"rate_bits_per_s": qdisc["options"]["rate"] * 8, "queue_bytes": qdisc["options"]["limit"]}
    return {"rate_bits_per_s": None, "queue_bytes": None}


def observe_loss():
    """Loss rate and packet counts from the nftables rules."""
    loss = {"loss_ppm": 0, "arrived_packets": None, "dropped_packets": None}
    for item in json.loads(tool("nft", "-j", "list", "ruleset"))["nftables"]:
        if "counter" in item:
            loss[f"{item['counter']['name']}_packets"] = item["counter"]["packets"]
        for expression in item.get("rule", {}).get("expr", []):
            match = expression.get("match", {})
            if isinstance(match.get("left"), dict) and "numgen" in match["left"]:
                loss["loss_ppm"] = match["right"] * PPM // match["left"]["numgen"]["mod"]
    return loss
