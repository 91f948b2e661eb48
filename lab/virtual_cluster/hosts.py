"""The long-lived processes that hold the front's and the hosts' namespaces."""

import json
import os
import select
import signal

from .addresses import host_address
from .clocks import shift_clock
from .cpus import confine
from .errors import EXIT_IMPOSSIBLE, ClusterError, describe
from .kernel import name_process, set_host_name, unshare
from .mounts import private_mounts
from .processes import close_all_but, default_signals
from .state import start_ticks
from .tools import WAIT_LIMIT_S, write_file


def report(channel, **fields):
    """Sends one line of JSON to the process that is building the cluster."""
    os.write(channel, json.dumps(fields).encode() + b"\n")


def become_root_of_user_namespace():
    """Gives an ordinary user the privileges needed, in a new user namespace."""
    uid, gid = os.geteuid(), os.getegid()
    try:
        unshare("user")
        write_file("/proc/self/setgroups", "deny")
        write_file("/proc/self/uid_map", f"0 {uid} 1")
        write_file("/proc/self/gid_map", f"0 {gid} 1")
    except (ClusterError, OSError) as error:
        raise ClusterError(f"{describe(error)}; user namespaces are not allowed here; run as root")


def outer_pid():
    """This process's pid as the builder sees it: /proc is still the builder's."""
    return int(os.readlink("/proc/self"))


def keep_host(channel, index, offset_ns, cpus, hosts_file):
    """The keeper of one host: creates its namespaces, reports, and keeps them alive."""
    name = f"h{index}"
    pid = outer_pid()
    try:
        name_process(f"vcluster:{name}")
        confine(cpus)
        shift_clock(offset_ns)
        unshare("net", "uts", "ipc", "mnt")
        set_host_name(name)
        private_mounts(hosts_file)
        report(channel, host=name, pid=pid, inner_pid=os.getpid())
    except Exception as error:
        report(channel, error=f"{name}: {describe(error)}")
        os._exit(EXIT_IMPOSSIBLE)
    os.close(channel)
    while True:
        signal.pause()


def keep_front(channel, go, requested, hosts_file):
    """The init process of the cluster: starts the keepers and keeps the bridge's namespace alive.

    Without a go from the builder it exits, and the kernel kills the keepers.
    """
    try:
        name_process("vcluster:front")
        pid = outer_pid()
        # Before the front gets its own mounts: a keeper reads its pid in the builder's /proc.
        for index, (offset_ns, cpus) in enumerate(zip(requested["clock_offsets_ns"], requested["cpus"])):
            if os.fork() == 0:
                os.close(go)
                keep_host(channel, index, offset_ns, cpus, hosts_file)
        unshare("net", "uts", "ipc", "mnt")
        set_host_name("front")
        private_mounts(hosts_file)
        report(channel, host="front", pid=pid)
    except Exception as error:
        report(channel, error=f"front: {describe(error)}")
        os._exit(EXIT_IMPOSSIBLE)
    os.close(channel)
    # Orphans are reparented to init; with SIGCHLD ignored the kernel reaps them.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    if os.read(go, 1) != b"g":
        os._exit(EXIT_IMPOSSIBLE)
    os.close(go)
    while True:
        signal.pause()


def start_processes(cluster, requested):
    """Starts front and keepers; returns a pipe: b"g" lets them run on, closing it ends them."""
    reader, channel = os.pipe()
    go, go_writer = os.pipe()
    starter = os.fork()
    if starter == 0:
        # Only needed because a new pid namespace begins with the next child.
        try:
            default_signals()
            close_all_but(channel, go)
            os.setsid()
            os.chdir("/")
            if os.geteuid() != 0:
                become_root_of_user_namespace()
            unshare("pid")
            if os.fork() == 0:
                keep_front(channel, go, requested, cluster.hosts_file)
        except Exception as error:
            report(channel, error=describe(error))
        os._exit(0)
    os.close(channel)
    os.close(go)
    os.waitpid(starter, 0)
    try:
        collect_processes(cluster, reader, requested["hosts"])
    except BaseException:
        os.close(go_writer)
        raise
    finally:
        os.close(reader)
    return go_writer


def collect_processes(cluster, reader, host_count):
    """Collects the reports of front and keepers in the cluster."""
    poller = select.poll()
    poller.register(reader, select.POLLIN)
    text = b""
    while poller.poll(WAIT_LIMIT_S * 1000):
        piece = os.read(reader, 65536)
        if not piece:
            break
        text += piece
    reports = [json.loads(line) for line in text.decode().splitlines()]
    for entry in reports:
        if entry.get("host") == "front":
            cluster.front = {"pid": entry["pid"], "start_ticks": start_ticks(entry["pid"])}
    for entry in reports:
        if "error" in entry:
            raise ClusterError(entry["error"])
    by_name = {entry["host"]: entry for entry in reports}
    networks = {os.stat("/proc/self/ns/net").st_ino}
    for name in ["front"] + [f"h{index}" for index in range(host_count)]:
        if name not in by_name:
            raise ClusterError(f"{name} did not start within {WAIT_LIMIT_S} s")
        # The last check before interfaces are created: never in a namespace that is not ours.
        network = os.stat(f"/proc/{by_name[name]['pid']}/ns/net").st_ino
        if network in networks:
            raise ClusterError(f"{name} has no network namespace of its own")
        networks.add(network)
    for index in range(host_count):
        entry = by_name[f"h{index}"]
        cluster.hosts.append({
            "name": entry["host"], "address": host_address(index),
            "pid": entry["pid"], "inner_pid": entry["inner_pid"],
        })
