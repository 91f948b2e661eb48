"""Addresses and interface names of the cluster's network."""

NETWORK = "10.77.0.0/16"
PREFIX_LENGTH = 16
FRONT_ADDRESS = "10.77.255.254"
BRIDGE = "br0"
LINK = "eth0"


def host_address(index):
    return f"10.77.0.{index + 1}"


def hosts_table(host_count):
    """The content of /etc/hosts on every host."""
    names = [(FRONT_ADDRESS, "front")] + [(host_address(i), f"h{i}") for i in range(host_count)]
    return "127.0.0.1 localhost\n" + "".join(f"{address} {name}\n" for address, name in names)
