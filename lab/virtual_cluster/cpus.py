"""The CPUs of a host: its keeper may run on no others, and neither may what is started there."""

import os
import re

from .errors import ClusterError
from .option_values import parse_cpu_list
from .tools import read_file


def confine(cpus):
    """Lets this process and what it starts run on these CPUs only."""
    try:
        os.sched_setaffinity(0, cpus)
    except OSError as error:
        raise ClusterError(f"CPUs {','.join(map(str, cpus))} cannot be used: {error.strerror}")


def observe_cpus(keeper, proc="/proc"):
    """The CPUs of the host with this keeper."""
    return parse_cpu_list(re.search(r"Cpus_allowed_list:\s*(\S+)", read_file(f"{proc}/{keeper}/status"))[1])
