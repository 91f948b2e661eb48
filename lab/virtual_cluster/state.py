"""Which processes a cluster consists of, stored in one directory per cluster."""

import contextlib
import fcntl
import json
import os
import shutil
import signal
import stat
import time

from .errors import EXIT_USAGE, ClusterError
from .kernel import has_exited
from .tools import WAIT_LIMIT_S, read_file, write_file


def start_ticks(pid):
    """Start time of a process in clock ticks; None if it is not running."""
    try:
        fields = read_file(f"/proc/{pid}/stat").rpartition(")")[2].split()
    except OSError:
        return None
    # A zombie stays in /proc until its parent, often a slow init, reaps it.
    return None if fields[0] in "ZX" else int(fields[19])


def state_root():
    """The directory that holds one directory per cluster; created if missing, writable by this user only."""
    if os.geteuid() == 0:
        root = "/run/fathom-vcluster"
    elif os.environ.get("XDG_RUNTIME_DIR"):
        root = os.path.join(os.environ["XDG_RUNTIME_DIR"], "fathom-vcluster")
    else:
        root = f"/tmp/fathom-vcluster-{os.geteuid()}"
    try:
        os.makedirs(root, mode=0o700, exist_ok=True)
        about = os.lstat(root)
    except OSError as error:
        raise ClusterError(f"cannot create the directory {root}: {error.strerror}")
    if about.st_uid != os.geteuid() or not stat.S_ISDIR(about.st_mode):
        raise ClusterError(f"{root} belongs to someone else; set XDG_RUNTIME_DIR to a directory of your own")
    return root


class Cluster:
    """A cluster's directory and, once it is up, its front and host processes.

    The directory is locked while the cluster is being built or taken down; while it exists,
    the name is taken.
    """

    def __init__(self, name):
        self.name = name
        self.root = state_root()
        self.directory = os.path.join(self.root, name)
        self.file = os.path.join(self.directory, "state.json")
        self.hosts_file = os.path.join(self.directory, "hosts")
        self.lock = None
        self.front = None
        self.hosts = []
        self.requested = {}

    def hint(self, command):
        """The vcluster command line for this cluster."""
        return f"vcluster {command}" + ("" if self.name == "default" else f" --name {self.name}")

    def take_lock(self, wait_s):
        """Locks the directory; raises ClusterError if it stays locked for longer than wait_s."""
        self.lock = os.open(self.directory, os.O_RDONLY)
        deadline = time.monotonic() + wait_s
        while True:
            try:
                return fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise ClusterError(f"another vcluster is working on cluster '{self.name}'; wait for it to finish")
                time.sleep(0.05)

    def claim(self):
        """Creates the directory of a new cluster; raises ClusterError if the name is in use."""
        with contextlib.suppress(FileExistsError):
            os.mkdir(self.directory, 0o700)
        self.take_lock(0)
        self.load()
        if self.front:
            raise ClusterError(f"cluster '{self.name}' is already up; take it down first: {self.hint('down')}")

    def save(self):
        """Writes the state atomically, so that a reader never sees half of it."""
        state = {"name": self.name, "front": self.front, "hosts": self.hosts, "requested": self.requested}
        write_file(self.file + ".new", json.dumps(state, indent=1))
        os.rename(self.file + ".new", self.file)

    def load(self):
        """Reads the state; self.front stays None if the cluster is not up."""
        try:
            state = json.loads(read_file(self.file))
        except (OSError, ValueError):
            return
        # The start time distinguishes our process from a later one with the same pid.
        if start_ticks(state["front"]["pid"]) == state["front"]["start_ticks"]:
            self.front, self.hosts, self.requested = state["front"], state["hosts"], state["requested"]

    def require_up(self):
        """Reads the state; raises ClusterError if the cluster is not up."""
        self.load()
        if not self.front:
            raise ClusterError(f"cluster '{self.name}' is not up; start it: {self.hint('up')} --hosts 4")
        return self

    def host(self, name):
        """The host of that name; raises ClusterError that lists the hosts."""
        for host in self.hosts:
            if host["name"] == name:
                return host
        raise ClusterError(f"no host '{name}'; the hosts are h0 to h{len(self.hosts) - 1}", EXIT_USAGE)

    def destroy(self):
        """Kills the front, and so every process of the cluster, and removes the directory."""
        if self.front:
            with contextlib.suppress(ProcessLookupError):
                pidfd = os.pidfd_open(self.front["pid"])
                if start_ticks(self.front["pid"]) == self.front["start_ticks"]:
                    signal.pidfd_send_signal(pidfd, signal.SIGKILL)
                    if not has_exited(pidfd, WAIT_LIMIT_S):
                        raise ClusterError(f"process {self.front['pid']} of cluster '{self.name}' did not exit")
                os.close(pidfd)
            self.front = None
        shutil.rmtree(self.directory, ignore_errors=True)
        with contextlib.suppress(OSError):
            os.rmdir(self.root)  # fails while there are other clusters
