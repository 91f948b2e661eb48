"""Setting the clock offset of a host and reading it back."""

import errno
import os
import time

from .errors import ClusterError
from .kernel import unshare
from .namespaces import enter, inside
from .tools import read_file, write_file


def shift_clock(offset_ns):
    """Moves this process into a time namespace whose monotonic clocks are offset_ns ahead."""
    lines = dict(line.split(maxsplit=1) for line in read_file("/proc/self/timens_offsets").splitlines())
    unshare("time")
    # Boot time moves too, as on a host that was booted at another time.
    for clock in ("monotonic", "boottime"):
        seconds, nanoseconds = map(int, lines[clock].split())
        total = seconds * 10**9 + nanoseconds + offset_ns
        try:
            write_file("/proc/self/timens_offsets", f"{clock} {total // 10**9} {total % 10**9}")
        except OSError as error:
            reason = error.strerror
            if error.errno == errno.ERANGE:
                reason = "the kernel requires the host's clock to stay between 0 and about 146 years"
            raise ClusterError(f"cannot set a clock offset of {offset_ns / 1e9:g} s: {reason}")
    enter({"time": os.open("/proc/self/ns/time_for_children", os.O_RDONLY)})


def observe_clock(pid):
    """A host's clock offset in ns: the configured one, clamped to the bounds that reading both clocks gives."""
    def now_ns():
        return time.clock_gettime_ns(time.CLOCK_MONOTONIC)

    base, there = (read_file(f"/proc/{which}/timens_offsets").split()[1:3] for which in ("self", pid))
    offset_ns = (int(there[0]) - int(base[0])) * 10**9 + int(there[1]) - int(base[1])
    before_ns = now_ns()
    theirs_ns = inside(pid, ("time",), now_ns)
    after_ns = now_ns()
    # The three readings bound the offset from below and above.
    return min(max(offset_ns, theirs_ns - after_ns), theirs_ns - before_ns)
