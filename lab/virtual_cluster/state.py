"""Which processes a cluster consists of, kept in a folder per cluster."""

import contextlib
import fcntl
import json
import os
import shutil
import signal
import stat
import time

from .errors import EXIT_USAGE, Trouble
from .kernel import is_ended
from .tools import WAIT_LIMIT_S, read_file, write_file


def start_ticks(pid):
    """When a process started, in clock ticks; None when it does not run."""
    try:
        fields = read_file(f"/proc/{pid}/stat").rpartition(")")[2].split()
    except OSError:
        return None
    # An ended process stays in /proc until its parent, often a slow init, has reaped it.
    return None if fields[0] in "ZX" else int(fields[19])


def state_root():
    """The folder with one folder per cluster; made if need be, and only ours to write."""
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
        raise Trouble(f"cannot make the folder {root}: {error.strerror}")
    if about.st_uid != os.geteuid() or not stat.S_ISDIR(about.st_mode):
        raise Trouble(f"{root} belongs to someone else; set XDG_RUNTIME_DIR to a folder of yours")
    return root


class Cluster:
    """A cluster's folder and, once it is up, its front and host processes.

    The folder is locked while the cluster is built or taken down, and its presence means
    that the name is taken.
    """

    def __init__(self, name):
        self.name = name
        self.root = state_root()
        self.folder = os.path.join(self.root, name)
        self.file = os.path.join(self.folder, "state.json")
        self.hosts_file = os.path.join(self.folder, "hosts")
        self.lock = None
        self.front = None
        self.hosts = []
        self.asked = {}

    def hint(self, command):
        """How to call this script for this cluster."""
        return f"vcluster {command}" + ("" if self.name == "default" else f" --name {self.name}")

    def take_lock(self, wait_s):
        """Locks the folder; raises Trouble when someone else works on it for longer."""
        self.lock = os.open(self.folder, os.O_RDONLY)
        deadline = time.monotonic() + wait_s
        while True:
            try:
                return fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise Trouble(f"another vcluster is working on cluster '{self.name}'; wait for it to end")
                time.sleep(0.05)

    def claim(self):
        """Makes the folder for a new cluster; raises Trouble when the name is in use."""
        with contextlib.suppress(FileExistsError):
            os.mkdir(self.folder, 0o700)
        self.take_lock(0)
        self.load()
        if self.front:
            raise Trouble(f"cluster '{self.name}' is up already; take it down first: {self.hint('down')}")

    def save(self):
        """Writes the state in one step, so that a reader never sees half of it."""
        state = {"name": self.name, "front": self.front, "hosts": self.hosts, "asked": self.asked}
        write_file(self.file + ".new", json.dumps(state, indent=1))
        os.rename(self.file + ".new", self.file)

    def load(self):
        """Reads the state; self.front stays None when the cluster is not up."""
        try:
            state = json.loads(read_file(self.file))
        except (OSError, ValueError):
            return
        # The start time tells our process from a later one with the same id.
        if start_ticks(state["front"]["pid"]) == state["front"]["start_ticks"]:
            self.front, self.hosts, self.asked = state["front"], state["hosts"], state["asked"]

    def need_up(self):
        """Reads the state of a cluster that has to be up; raises Trouble otherwise."""
        self.load()
        if not self.front:
            raise Trouble(f"cluster '{self.name}' is not up; start it: {self.hint('up')} --hosts 4")
        return self

    def host(self, name):
        """The host of that name; raises Trouble with the names there are."""
        for host in self.hosts:
            if host["name"] == name:
                return host
        raise Trouble(f"there is no host '{name}'; there are h0 to h{len(self.hosts) - 1}", EXIT_USAGE)

    def destroy(self):
        """Ends the front, with it every process of the cluster, and removes the folder."""
        if self.front:
            with contextlib.suppress(ProcessLookupError):
                pidfd = os.pidfd_open(self.front["pid"])
                if start_ticks(self.front["pid"]) == self.front["start_ticks"]:
                    signal.pidfd_send_signal(pidfd, signal.SIGKILL)
                    if not is_ended(pidfd, WAIT_LIMIT_S):
                        raise Trouble(f"process {self.front['pid']} of cluster '{self.name}' does not end")
                os.close(pidfd)
            self.front = None
        shutil.rmtree(self.folder, ignore_errors=True)
        with contextlib.suppress(OSError):
            os.rmdir(self.root)  # only succeeds when no other cluster is there
