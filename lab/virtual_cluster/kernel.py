"""System calls that Python 3.11 does not wrap."""

import ctypes
import os
import select
import signal

from .errors import EXIT_IMPOSSIBLE, ClusterError

CLONE_FLAGS = {
    "user": 0x10000000,
    "pid": 0x20000000,
    "net": 0x40000000,
    "uts": 0x04000000,
    "ipc": 0x08000000,
    "mnt": 0x00020000,
    "time": 0x00000080,
}
MS_BIND, MS_REC, MS_SLAVE = 0x1000, 0x4000, 0x80000
MS_NOSUID, MS_NODEV, MS_NOEXEC = 0x2, 0x4, 0x8
PR_SET_PDEATHSIG, PR_SET_NAME = 1, 15

libc = ctypes.CDLL(None, use_errno=True)


def check_call(result, what):
    """Raises ClusterError with the text of errno if a libc call failed."""
    if result != 0:
        raise ClusterError(f"{what}: {os.strerror(ctypes.get_errno())}")


def unshare(*kinds):
    """Moves this process (for pid: its future children) into new namespaces."""
    flags = 0
    for kind in kinds:
        flags |= CLONE_FLAGS[kind]
    check_call(libc.unshare(flags), f"cannot create a new namespace ({', '.join(kinds)})")


def mount(source, target, fstype="", flags=0, options=""):
    """mount(2); raises ClusterError on failure."""
    result = libc.mount(
        source.encode(), target.encode(), fstype.encode(),
        ctypes.c_ulong(flags), options.encode(),
    )
    check_call(result, f"cannot mount {fstype or source} on {target}")


def die_with_parent(parent_pidfd):
    """Has the kernel kill this process when its parent exits; exits at once if it already has."""
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if has_exited(parent_pidfd):
        os._exit(EXIT_IMPOSSIBLE)


def name_process(name):
    """Sets the process name shown by ps (the kernel keeps 15 characters)."""
    libc.prctl(PR_SET_NAME, name.encode()[:15], 0, 0, 0)


def has_exited(pidfd, timeout_s=0):
    """True if the process behind a pidfd exits within timeout_s."""
    poller = select.poll()
    poller.register(pidfd, select.POLLIN)
    return bool(poller.poll(int(timeout_s * 1000)))


def set_host_name(name):
    check_call(libc.sethostname(name.encode(), len(name)), "cannot set the host name")
