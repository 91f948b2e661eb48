"""`vcluster run` and `vcluster exec`: running programs in a cluster, and ending them."""

import json
import os
import select
import signal

from .agent import CLUSTER_PROC, JOB_FILE, write_agent
from .errors import Trouble
from .kernel import MS_BIND, die_with, is_ended, mount, unshare
from .launchers import COMMANDS, find_launcher, launch_environment, place
from .mounts import fresh_scratch, go_to, mount_own_proc
from .namespaces import enter, open_namespaces
from .processes import STOP_SIGNALS, exec_command, in_child, run_as_first, send, shell_status
from .state import Cluster
from .tools import write_file

STOP_GRACE_S = 3


def command_run(options):
    cluster = Cluster(options.name).need_up()
    counts = place(options.n, len(cluster.hosts), options.ranks_per_host)
    environment = launch_environment(options.env)
    command, settings = COMMANDS[options.mpi](find_launcher(options.mpi), counts, options.program)
    return supervise(cluster, command, {**settings, **environment})


def command_exec(options):
    """Runs a command on one host, in the pid namespace of the whole cluster."""
    cluster = Cluster(options.name).need_up()
    host = cluster.host(options.host)
    folder = os.getcwd()
    namespaces = open_namespaces(host["pid"], ("net", "uts", "ipc", "mnt", "time"))
    own = os.pidfd_open(os.getpid())

    def body():
        enter(namespaces)
        die_with(own)
        go_to(folder)
        exec_command(options.program, os.environ)

    return watch_child(cluster.front["pid"], body, cluster)


def job_on_front(cluster, namespaces, command, environment, folder):
    """The first process of a job: sets the stage for the launcher and runs it."""
    enter(namespaces)
    fresh_scratch()
    # The cluster's /proc shows the keepers, by which the agent finds the hosts.
    os.mkdir(CLUSTER_PROC)
    mount("/proc", CLUSTER_PROC, flags=MS_BIND)
    mount_own_proc()
    hosts = {host["name"]: host["inner_pid"] for host in cluster.hosts}
    write_file(JOB_FILE, json.dumps({"hosts": hosts, "folder": folder}))
    write_agent()
    go_to(folder)
    return run_as_first(command, environment)


def guard_job(first_process):
    """Waits for a job; on a stop signal ends it, with force after a time. Returns its status."""
    def stop(*_):
        send(signal.SIGTERM, job)
        signal.alarm(STOP_GRACE_S)

    own = os.pidfd_open(os.getpid())

    def body():
        die_with(own)
        return first_process()

    # Not before a child can be of the new pid namespace, and that takes a fork.
    unshare("pid")
    job = in_child(body)
    for number in STOP_SIGNALS:
        signal.signal(number, stop)
    signal.signal(signal.SIGALRM, lambda *_: send(signal.SIGKILL, job))
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    # Returns when every process of the job on every host is gone: the kernel sees to that.
    return shell_status(os.waitpid(job, 0)[1])


def supervise(cluster, command, environment):
    """Runs a launcher as a job on the front; returns its status, with nothing left running."""
    folder = os.getcwd()
    front = cluster.front["pid"]
    namespaces = open_namespaces(front, ("net", "uts", "ipc", "mnt"))
    own = os.pidfd_open(os.getpid())

    def guard():
        die_with(own)
        return guard_job(lambda: job_on_front(cluster, namespaces, command, environment, folder))

    return watch_child(front, guard, cluster)


def watch_child(front, body, cluster):
    """Runs body() in a child within the front's pid namespace until it ends or has to.

    Stop signals, and the end of the process that called us, become a SIGTERM to the child.
    """
    parent = os.getppid()
    # Started by init itself there is no parent to follow.
    parent_pidfd = os.pidfd_open(parent) if parent > 1 else None
    front_pidfd = os.pidfd_open(front)
    enter(open_namespaces(front, ("user", "pid")))
    wake_reader, wake_writer = os.pipe()
    os.set_blocking(wake_writer, False)
    signal.set_wakeup_fd(wake_writer)
    for number in STOP_SIGNALS:
        signal.signal(number, lambda *_: None)
    # Blocked until the child has handlers of its own, so that no signal falls in between.
    signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    child = in_child(body)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)

    child_pidfd = os.pidfd_open(child)
    poller = select.poll()
    for descriptor in (wake_reader, child_pidfd, parent_pidfd):
        if descriptor is not None:
            poller.register(descriptor, select.POLLIN)
    stopped_by = None
    while True:
        ready = [descriptor for descriptor, _ in poller.poll()]
        if child_pidfd in ready:
            break
        if wake_reader in ready:
            stopped_by = stopped_by or os.read(wake_reader, 64)[0]
        if parent_pidfd in ready:
            stopped_by = stopped_by or signal.SIGHUP
            poller.unregister(parent_pidfd)
        send(signal.SIGTERM, child)
    status = shell_status(os.waitpid(child, 0)[1])
    if stopped_by:
        return 128 + stopped_by
    # The front goes last, so give it a moment when our child was killed.
    if status == 128 + signal.SIGKILL and is_ended(front_pidfd, 1):
        raise Trouble(f"cluster '{cluster.name}' was taken down while the command ran")
    return status
