"""`vcluster run` and `vcluster exec`: running programs in a cluster, and ending them."""

import json
import os
import select
import signal

from .agent import CLUSTER_PROC, JOB_FILE, write_agent
from .cpus import confine, observe_cpus
from .errors import ClusterError
from .kernel import MS_BIND, die_with_parent, has_exited, mount, unshare
from .launchers import COMMANDS, FRONTS, HOSTS_OF_LAUNCHER, find_launcher, launch_environment, place_ranks
from .mounts import change_directory, mount_job_scratch, mount_own_proc
from .namespaces import enter, open_namespaces
from .processes import STOP_SIGNALS, exec_command, fork_child, run_as_init, send_signal, shell_status
from .state import Cluster
from .tools import write_file

STOP_GRACE_S = 3


def command_run(options):
    cluster = Cluster(options.name).require_up()
    counts = place_ranks(options.n, len(cluster.hosts), options.ranks_per_host)
    environment = launch_environment(options.env)
    command, settings = COMMANDS[options.mpi](find_launcher(options.mpi), counts, options.program)
    return supervise(cluster, command, {**settings, **environment})


def command_front(options):
    """Runs a command on the front, where the library's launcher starts jobs on the hosts."""
    cluster = Cluster(options.name).require_up()
    settings, hosts = FRONTS[options.mpi]([host["name"] for host in cluster.hosts], options.slots)
    return supervise(cluster, options.program, {**settings, **os.environ}, hosts)


def command_exec(options):
    """Runs a command on one host, in the pid namespace of the whole cluster."""
    cluster = Cluster(options.name).require_up()
    host = cluster.host(options.host)
    directory = os.getcwd()
    namespaces = open_namespaces(host["pid"], ("net", "uts", "ipc", "mnt", "time"))
    cpus = observe_cpus(host["pid"])
    own = os.pidfd_open(os.getpid())

    def body():
        confine(cpus)
        enter(namespaces)
        die_with_parent(own)
        change_directory(directory)
        exec_command(options.program, os.environ)

    return watch_child(cluster.front["pid"], body, cluster)


def job_on_front(cluster, namespaces, command, environment, directory, hosts_of_launcher):
    """The init process of a job: prepares the environment of the launcher and runs it."""
    enter(namespaces)
    mount_job_scratch()
    # The agent finds the hosts through their keepers, which only the cluster's /proc shows.
    os.mkdir(CLUSTER_PROC)
    mount("/proc", CLUSTER_PROC, flags=MS_BIND)
    mount_own_proc()
    hosts = {host["name"]: host["inner_pid"] for host in cluster.hosts}
    write_file(JOB_FILE, json.dumps({"hosts": hosts, "directory": directory}))
    write_agent()
    write_file(HOSTS_OF_LAUNCHER, hosts_of_launcher)
    change_directory(directory)
    return run_as_init(command, environment)


def guard_job(init_process):
    """Waits for a job and returns its status; a stop signal ends it, by SIGKILL after STOP_GRACE_S."""
    def stop(*_):
        send_signal(signal.SIGTERM, job)
        signal.alarm(STOP_GRACE_S)

    own = os.pidfd_open(os.getpid())

    def body():
        die_with_parent(own)
        return init_process()

    # Only children created from here on are in the new pid namespace.
    unshare("pid")
    job = fork_child(body)
    for number in STOP_SIGNALS:
        signal.signal(number, stop)
    signal.signal(signal.SIGALRM, lambda *_: send_signal(signal.SIGKILL, job))
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    # The kernel ends the wait only when every process of the job on every host is gone.
    return shell_status(os.waitpid(job, 0)[1])


def supervise(cluster, command, environment, hosts_of_launcher=""):
    """Runs a launcher, or what starts one, as a job on the front; returns its status when nothing is left running."""
    directory = os.getcwd()
    front = cluster.front["pid"]
    namespaces = open_namespaces(front, ("net", "uts", "ipc", "mnt"))
    own = os.pidfd_open(os.getpid())

    def guard():
        die_with_parent(own)
        return guard_job(lambda: job_on_front(cluster, namespaces, command, environment, directory,
                                              hosts_of_launcher))

    return watch_child(front, guard, cluster)


def watch_child(front, body, cluster):
    """Runs body() in a child in the front's pid namespace; returns its status.

    Stop signals to us and the exit of our parent become a SIGTERM to the child.
    """
    parent = os.getppid()
    # A parent of pid 1 never exits.
    parent_pidfd = os.pidfd_open(parent) if parent > 1 else None
    front_pidfd = os.pidfd_open(front)
    enter(open_namespaces(front, ("user", "pid")))
    wake_reader, wake_writer = os.pipe()
    os.set_blocking(wake_writer, False)
    signal.set_wakeup_fd(wake_writer)
    for number in STOP_SIGNALS:
        signal.signal(number, lambda *_: None)
    # Blocked until the child has its own handlers, so that no signal is lost.
    signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    child = fork_child(body)
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
        send_signal(signal.SIGTERM, child)
    status = shell_status(os.waitpid(child, 0)[1])
    if stopped_by:
        return 128 + stopped_by
    # The front exits last, so give it a moment if our child was killed.
    if status == 128 + signal.SIGKILL and has_exited(front_pidfd, 1):
        raise ClusterError(f"cluster '{cluster.name}' was taken down while the command ran")
    return status
