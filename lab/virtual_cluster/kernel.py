"""System calls that Python 3.11 does not wrap."""

import ctypes
import os
import select
import signal

from .errors import EXIT_IMPOSSIBLE, Trouble

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
    """Raises Trouble with the kernel's reason when a libc call returned an error."""
    if result != 0:
        raise Trouble(f"{what}: {os.strerror(ctypes.get_errno())}")


def unshare(*kinds):
    """Moves this process (for pid: its next children) into new namespaces."""
    flags = 0
    for kind in kinds:
        flags |= CLONE_FLAGS[kind]
    check_call(libc.unshare(flags), f"cannot make a new namespace ({', '.join(kinds)})")


def mount(source, target, fstype="", flags=0, options=""):
    """mount(2); raises Trouble on failure."""
    result = libc.mount(
        source.encode(), target.encode(), fstype.encode(),
        ctypes.c_ulong(flags), options.encode(),
    )
    check_call(result, f"cannot mount {fstype or source} on {target}")


def die_with(parent_pidfd):
    """Has the kernel kill this process when its parent ends, also if it has just ended."""
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if is_ended(parent_pidfd):
        os._exit(EXIT_IMPOSSIBLE)


def name_process(name):
    """Sets the name that ps shows (the kernel keeps 15 characters)."""
    libc.prctl(PR_SET_NAME, name.encode()[:15], 0, 0, 0)


def is_ended(pidfd, timeout_s=0):
    """True when the process behind a pidfd has ended, waiting at most timeout_s."""
    poller = select.poll()
    poller.register(pidfd, select.POLLIN)
    return bool(poller.poll(int(timeout_s * 1000)))


def set_host_name(name):
    check_call(libc.sethostname(name.encode(), len(name)), "cannot set the host name")
