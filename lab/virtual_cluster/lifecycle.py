"""`vcluster up`, `down` and `check`: building a cluster and taking it down."""

import contextlib
import os
import signal

from .addresses import hosts_table
from .errors import EXIT_SKIP, EXIT_USAGE, ClusterError, SettingMismatch
from .hosts import start_processes
from .namespaces import inside
from .network import build_bridge, build_host, build_port
from .processes import STOP_SIGNALS
from .readback import verify
from .shaping import DEFAULT_QUEUE_BYTES, burst_bytes
from .state import Cluster
from .tools import PACKAGES, WAIT_LIMIT_S, find_tool, write_file


class StopRequest(Exception):
    """A stop signal arrived while the cluster was being built."""


class StopWatch:
    """Records stop signals, so that they take effect between steps and not within one."""

    def __init__(self):
        self.number = None
        for number in STOP_SIGNALS:
            signal.signal(number, self.note)

    def note(self, number, _frame):
        self.number = self.number or number

    def check(self):
        if self.number:
            raise StopRequest


def requested_settings(options):
    """The options of `up` as one record; raises ClusterError if they contradict each other."""
    offsets = options.clock_offset or [0] * options.hosts
    if len(offsets) != options.hosts:
        raise ClusterError(f"--clock-offset has {len(offsets)} values for {options.hosts} hosts; "
                      "give one per host", EXIT_USAGE)
    if options.queue and not options.rate:
        raise ClusterError("--queue needs --rate: without a rate limit the queue stays empty", EXIT_USAGE)
    rates = options.rate or [None]
    if len(rates) == 1:
        rates = rates * options.hosts
    if len(rates) != options.hosts:
        raise ClusterError(f"--rate has {len(rates)} values for {options.hosts} hosts; "
                      "give one for all or one per host", EXIT_USAGE)
    cpus = options.cpus or [sorted(os.sched_getaffinity(0))] * options.hosts
    if len(cpus) != options.hosts:
        raise ClusterError(f"--cpus has {len(cpus)} values for {options.hosts} hosts; give one per host", EXIT_USAGE)
    queues = [rate and (options.queue or max(DEFAULT_QUEUE_BYTES, 2 * burst_bytes(rate))) for rate in rates]
    return {
        "hosts": options.hosts, "rates_bits_per_s": rates, "queues_bytes": queues,
        "loss_ppm": options.loss, "loss_probes": options.loss_probes == "on",
        "clock_offsets_ns": offsets, "cpus": cpus,
    }


def build(cluster, requested, watch):
    """The part of `up` that has to be undone if it fails."""
    for name in PACKAGES:
        find_tool(name)
    write_file(cluster.hosts_file, hosts_table(requested["hosts"]))
    go = start_processes(cluster, requested)
    try:
        cluster.requested = requested
        watch.check()
        inside(cluster.front["pid"], ("net",), build_bridge)
        for index, host in enumerate(cluster.hosts):
            watch.check()
            inside(cluster.front["pid"], ("net",), lambda: build_port(index, host["pid"], requested))
            inside(host["pid"], ("net",), lambda: build_host(index, host["address"], requested))
        verify(cluster, requested)
        watch.check()
        cluster.save()
        os.write(go, b"g")
    finally:
        os.close(go)


def bring_up(name, requested):
    """Builds and returns a cluster, or leaves nothing behind."""
    watch = StopWatch()
    cluster = Cluster(name)
    cluster.claim()
    try:
        build(cluster, requested, watch)
    except StopRequest:
        cluster.destroy()
        raise ClusterError("interrupted; everything was taken down again", 128 + watch.number)
    except BaseException:
        cluster.destroy()
        raise
    return cluster


def command_up(options):
    cluster = bring_up(options.name, requested_settings(options))
    print(f"cluster '{cluster.name}' is up: h0 to h{len(cluster.hosts) - 1}"
          if len(cluster.hosts) > 1 else f"cluster '{cluster.name}' is up: h0")
    return 0


def command_down(options):
    cluster = Cluster(options.name)
    try:
        cluster.take_lock(WAIT_LIMIT_S)
    except FileNotFoundError:
        with contextlib.suppress(OSError):
            os.rmdir(cluster.root)
        print(f"cluster '{options.name}' was not up")
        return 0
    cluster.load()
    cluster.destroy()
    print(f"cluster '{options.name}' is down")
    return 0


def command_check(_options):
    """Builds and removes a small cluster that uses every feature: only that proves it works."""
    requested = {"hosts": 2, "rates_bits_per_s": [10**9] * 2, "queues_bytes": [DEFAULT_QUEUE_BYTES] * 2,
             "loss_ppm": 5000, "loss_probes": False, "clock_offsets_ns": [0, 1_250_000_000],
             "cpus": [sorted(os.sched_getaffinity(0))] * 2}
    try:
        bring_up(f"check-{os.getpid()}", requested).destroy()
    except ClusterError as error:
        if isinstance(error, SettingMismatch) or error.status > 128:
            raise
        raise ClusterError(f"virtual hosts cannot be made here: {error}", EXIT_SKIP)
    print("virtual hosts can be made here")
    return 0
