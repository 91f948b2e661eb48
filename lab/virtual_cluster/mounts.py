"""The mounts of a host and of a job."""

import os

from .errors import Trouble
from .kernel import MS_BIND, MS_NODEV, MS_NOEXEC, MS_NOSUID, MS_REC, MS_SLAVE, mount, unshare

SCRATCH = "/dev/shm"  # a tmpfs of its own in every host and in every job


def private_mounts(hosts_file):
    """Own /proc, /sys, shared memory and /etc/hosts; the rest of the file system stays shared."""
    mount("none", "/", flags=MS_SLAVE | MS_REC)
    mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    # /sys/class/net shows the network namespace of whoever mounted it; UCX reads it.
    cgroups = os.open("/sys/fs/cgroup", os.O_PATH) if os.path.isdir("/sys/fs/cgroup") else None
    mount("sysfs", "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    if cgroups is not None and os.path.isdir("/sys/fs/cgroup"):
        mount(f"/proc/self/fd/{cgroups}", "/sys/fs/cgroup", flags=MS_BIND | MS_REC)
        os.close(cgroups)
    mount("tmpfs", SCRATCH, "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777")
    mount(hosts_file, "/etc/hosts", flags=MS_BIND)


def fresh_scratch():
    """/proc and shared memory of this job only; gone with it, whatever it leaves in there."""
    unshare("mnt", "ipc")
    mount("tmpfs", SCRATCH, "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777")


def mount_own_proc():
    mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)


def go_to(folder):
    """The working directory again, after entering another mount namespace."""
    try:
        os.chdir(folder)
    except OSError as error:
        raise Trouble(f"the working directory {folder} is not on the hosts: {error.strerror}")
