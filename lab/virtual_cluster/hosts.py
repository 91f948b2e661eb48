"""The long-lived processes that hold the front's and the hosts' namespaces."""

import json
import os
import select
import signal

from .addresses import host_address
from .clocks import shift_clock
from .errors import EXIT_IMPOSSIBLE, Trouble, describe
from .kernel import name_process, set_host_name, unshare
from .mounts import private_mounts
from .processes import close_all_but, default_signals
from .state import start_ticks
from .tools import WAIT_LIMIT_S, write_file


def report(channel, **fields):
    """Sends one line of JSON to the process that builds the cluster."""
    os.write(channel, json.dumps(fields).encode() + b"\n")


def become_root_of_user_namespace():
    """For an ordinary user: a user namespace in which this process may do the rest."""
    uid, gid = os.geteuid(), os.getegid()
    try:
        unshare("user")
        write_file("/proc/self/setgroups", "deny")
        write_file("/proc/self/uid_map", f"0 {uid} 1")
        write_file("/proc/self/gid_map", f"0 {gid} 1")
    except (Trouble, OSError) as error:
        raise Trouble(f"{describe(error)}; user namespaces are not allowed here, run as root")


def outer_pid():
    """This process's id as the builder sees it: /proc is still the builder's."""
    return int(os.readlink("/proc/self"))


def keep_host(channel, index, offset_ns, hosts_file):
    """The keeper of one host: makes its namespaces, reports, and holds them for good."""
    name = f"h{index}"
    pid = outer_pid()
    try:
        name_process(f"vcluster:{name}")
        shift_clock(offset_ns)
        unshare("net", "uts", "ipc", "mnt")
        set_host_name(name)
        private_mounts(hosts_file)
        report(channel, host=name, pid=pid, inner_pid=os.getpid())
    except Exception as error:
        report(channel, trouble=f"{name}: {describe(error)}")
        os._exit(EXIT_IMPOSSIBLE)
    os.close(channel)
    while True:
        signal.pause()


def keep_front(channel, go, offsets_ns, hosts_file):
    """The first process of the cluster: starts the keepers and holds the bridge's namespace.

    It ends, and the kernel ends the keepers with it, unless the builder says go.
    """
    try:
        name_process("vcluster:front")
        pid = outer_pid()
        # Before the front gets mounts of its own: a keeper reads its id in the builder's /proc.
        for index, offset_ns in enumerate(offsets_ns):
            if os.fork() == 0:
                os.close(go)
                keep_host(channel, index, offset_ns, hosts_file)
        unshare("net", "uts", "ipc", "mnt")
        set_host_name("front")
        private_mounts(hosts_file)
        report(channel, host="front", pid=pid)
    except Exception as error:
        report(channel, trouble=f"front: {describe(error)}")
        os._exit(EXIT_IMPOSSIBLE)
    os.close(channel)
    # As first process it inherits orphans; ignoring SIGCHLD has the kernel reap them.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    if os.read(go, 1) != b"g":
        os._exit(EXIT_IMPOSSIBLE)
    os.close(go)
    while True:
        signal.pause()


def start_processes(cluster, offsets_ns):
    """Starts front and keepers; returns the descriptor that says go, or ends them when closed."""
    reader, channel = os.pipe()
    go, go_writer = os.pipe()
    starter = os.fork()
    if starter == 0:
        # This process only exists because a new pid namespace starts with a child.
        try:
            default_signals()
            close_all_but(channel, go)
            os.setsid()
            os.chdir("/")
            if os.geteuid() != 0:
                become_root_of_user_namespace()
            unshare("pid")
            if os.fork() == 0:
                keep_front(channel, go, offsets_ns, cluster.hosts_file)
        except Exception as error:
            report(channel, trouble=describe(error))
        os._exit(0)
    os.close(channel)
    os.close(go)
    os.waitpid(starter, 0)
    try:
        collect_processes(cluster, reader, len(offsets_ns))
    except BaseException:
        os.close(go_writer)
        raise
    finally:
        os.close(reader)
    return go_writer


def collect_processes(cluster, reader, host_count):
    """Reads the reports of front and keepers into the cluster."""
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
        if "trouble" in entry:
            raise Trouble(entry["trouble"])
    by_name = {entry["host"]: entry for entry in reports}
    networks = {os.stat("/proc/self/ns/net").st_ino}
    for name in ["front"] + [f"h{index}" for index in range(host_count)]:
        if name not in by_name:
            raise Trouble(f"{name} did not start in {WAIT_LIMIT_S} s")
        # The last guard before interfaces are made: never in a network that is not ours.
        network = os.stat(f"/proc/{by_name[name]['pid']}/ns/net").st_ino
        if network in networks:
            raise Trouble(f"{name} has no network namespace of its own")
        networks.add(network)
    for index in range(host_count):
        entry = by_name[f"h{index}"]
        cluster.hosts.append({
            "name": entry["host"], "address": host_address(index),
            "pid": entry["pid"], "inner_pid": entry["inner_pid"],
        })
