"""Parsing the values of command-line options."""

import argparse
import re
from decimal import Decimal, InvalidOperation

from .shaping import MTU_FRAME_BYTES, PPM

MAX_HOSTS = 100


def parse_rate(text):
    """'100mbit' to bits per second (powers of 1000)."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(k|m|g)?bit", text.lower())
    if not match:
        raise argparse.ArgumentTypeError(f"'{text}' is not a rate; give for example 100mbit or 1gbit")
    scale = {None: 1, "k": 10**3, "m": 10**6, "g": 10**9}[match[2]]
    # tc stores whole bytes per second.
    rate = int(Decimal(match[1]) * scale) // 8 * 8
    if rate < 64_000:
        raise argparse.ArgumentTypeError(f"'{text}' is too slow; the minimum is 64kbit")
    return rate


def parse_rates(text):
    """'100mbit' or '100mbit,10mbit' to a list of bits per second."""
    return [parse_rate(part) for part in text.split(",")]


def parse_queue(text):
    """'65536', '64k' or '1M' to bytes (powers of 1024)."""
    match = re.fullmatch(r"(\d+)([kKmM])?", text)
    if not match:
        raise argparse.ArgumentTypeError(f"'{text}' is not a size; give bytes, for example 65536 or 64k")
    size = int(match[1]) * {None: 1, "k": 1024, "m": 1024**2}[match[2] and match[2].lower()]
    if not 2 * MTU_FRAME_BYTES <= size <= 2**31:
        raise argparse.ArgumentTypeError(
            f"'{text}' is out of range; a queue holds {2 * MTU_FRAME_BYTES} bytes to 2048M")
    return size


def parse_loss(text):
    """'0.5%' to lost packets per million."""
    try:
        ppm = Decimal(text.removesuffix("%")) * (PPM // 100)
    except InvalidOperation:
        raise argparse.ArgumentTypeError(f"'{text}' is not a percentage; give for example 0.5%")
    if not ppm.is_finite() or not 0 <= ppm < PPM or ppm != int(ppm):
        raise argparse.ArgumentTypeError(f"'{text}' is out of range; give 0% to 99.9999% in steps of 0.0001%")
    return int(ppm)


def parse_offsets(text):
    """'0,3600,-0.25' to a list of nanoseconds."""
    try:
        values = [Decimal(part) * 10**9 for part in text.split(",")]
    except InvalidOperation:
        raise argparse.ArgumentTypeError(f"'{text}' is not a list of seconds; give for example 0,3600,0.25,0")
    if not all(value.is_finite() and abs(value) < 10**18 and value == int(value) for value in values):
        raise argparse.ArgumentTypeError(f"'{text}' is out of range; give at most 10^9 s, in steps of 1 ns")
    return [int(value) for value in values]


def parse_cpus(text):
    """'0/0-1/2,4' to a list of sets of CPU numbers."""
    sets = []
    for part in text.split("/"):
        if not re.fullmatch(r"\d{1,5}(-\d{1,5})?(,\d{1,5}(-\d{1,5})?)*", part):
            raise argparse.ArgumentTypeError(f"'{text}' is not a list of CPUs per host; give for example 0/0-1")
        sets.append(parse_cpu_list(part))
    return sets


def parse_cpu_list(text):
    """'0-2,8' to a sorted list of numbers."""
    ends = [[int(end) for end in part.split("-")] for part in text.split(",")]
    return sorted({cpu for part in ends for cpu in range(part[0], part[-1] + 1)})


def parse_name(text):
    """A cluster's name, which is also the name of a directory: letters, digits, '-' and '_' only."""
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,40}", text):
        raise argparse.ArgumentTypeError(f"'{text}' is not a valid name; use up to 40 letters, digits, '-' and '_'")
    return text


def parse_count(text):
    """A whole number above zero."""
    if not re.fullmatch(r"[0-9]{1,9}", text) or int(text) == 0:
        raise argparse.ArgumentTypeError(f"'{text}' is not a count; give a whole number above 0")
    return int(text)


def parse_hosts(text):
    """The number of hosts."""
    hosts = parse_count(text)
    if hosts > MAX_HOSTS:
        raise argparse.ArgumentTypeError(f"{hosts} hosts are too many; the maximum is {MAX_HOSTS}")
    return hosts
