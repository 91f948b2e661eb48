"""The mounts of a host and of a job."""

import os

from .errors import ClusterError
from .kernel import MS_BIND, MS_NODEV, MS_NOEXEC, MS_NOSUID, MS_REC, MS_SLAVE, mount, unshare

SCRATCH = "/dev/shm"  # every host and every job has its own tmpfs here


def private_mounts(hosts_file):
    """Mounts private /proc, /sys, shared memory and /etc/hosts; the rest of the file system stays shared."""
    mount("none", "/", flags=MS_SLAVE | MS_REC)
    mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    # /sys/class/net shows the network namespace it was mounted in, and UCX reads it.
    cgroups = os.open("/sys/fs/cgroup", os.O_PATH) if os.path.isdir("/sys/fs/cgroup") else None
    mount("sysfs", "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    if cgroups is not None and os.path.isdir("/sys/fs/cgroup"):
        mount(f"/proc/self/fd/{cgroups}", "/sys/fs/cgroup", flags=MS_BIND | MS_REC)
        os.close(cgroups)
    mount("tmpfs", SCRATCH, "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777")
    mount(hosts_file, "/etc/hosts", flags=MS_BIND)


def mount_job_scratch():
    """Mounts shared memory for this job only: what the job leaves in it disappears with the job."""
    unshare("mnt", "ipc")
    mount("tmpfs", SCRATCH, "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777")


def mount_own_proc():
    mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)


def change_directory(directory):
    """Restores the working directory after entering another mount namespace."""
    try:
        os.chdir(directory)
    except OSError as error:
        raise ClusterError(f"the working directory {directory} cannot be used on the hosts: {error.strerror}")
