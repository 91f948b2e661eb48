"""MPI launchers: where they are, their command lines and settings, where the ranks go."""

import contextlib
import os
import shutil
import subprocess

from .addresses import LINK, NETWORK
from .agent import AGENT
from .errors import EXIT_USAGE, ClusterError
from .mounts import SCRATCH
from .tools import WAIT_LIMIT_S

HOSTS_OF_LAUNCHER = SCRATCH + "/vcluster-hosts"

FORWARDED = {"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TERM", "TZ", "LD_LIBRARY_PATH"}
FORWARDED_PREFIXES = ("LC_", "OMPI_", "PMIX_MCA_", "UCX_", "MPICH_", "MPIR_", "HYDRA_", "FATHOM_", "OMP_",
                      "ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS")
# Set by a launcher for its ranks: must not leak into a run that is started from a rank.
NOT_FORWARDED_PREFIXES = ("OMPI_COMM_WORLD_", "OMPI_UNIVERSE_", "OMPI_APP_", "OMPI_ARGV", "OMPI_COMMAND")
# flavour: (names to look for, text that --version must print, Debian package)
LAUNCHERS = {
    "openmpi": (("mpirun.openmpi", "mpirun", "mpiexec"), "Open MPI", "openmpi-bin"),
    "mpich": (("mpiexec.hydra", "mpiexec.mpich", "mpiexec"), "HYDRA", "mpich"),
}


def place_ranks(ranks, hosts, per_host):
    """The number of ranks on each host: spread evenly, or per_host on each until all are placed."""
    if per_host is None:
        return [ranks // hosts + (index < ranks % hosts) for index in range(min(ranks, hosts))]
    if ranks > per_host * hosts:
        raise ClusterError(f"{ranks} ranks do not fit on {hosts} hosts with {per_host} each; "
                      "raise --ranks-per-host or use more hosts", EXIT_USAGE)
    return [min(per_host, ranks - first) for first in range(0, ranks, per_host)]


def find_launcher(flavour):
    """The path of an MPI library's launcher; raises ClusterError that names its Debian package."""
    names, mark, package = LAUNCHERS[flavour]
    for name in names:
        path = shutil.which(name)
        if path:
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                version = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=WAIT_LIMIT_S)
                if mark in version.stdout:
                    return path
    raise ClusterError(f"no {flavour} launcher found (looked for {', '.join(names)}); "
                  f"install it: apt install {package}")


def launch_environment(extra):
    """The environment of launcher and ranks: variables that matter to MPI, and those given by --env."""
    environment = {
        name: value for name, value in os.environ.items()
        if (name in FORWARDED or name.startswith(FORWARDED_PREFIXES)) and not name.startswith(NOT_FORWARDED_PREFIXES)
    }
    for item in extra:
        name, given, value = item.partition("=")
        if not given and name not in os.environ:
            raise ClusterError(f"--env {name}: the variable is not set; give --env {name}=VALUE", EXIT_USAGE)
        environment[name] = value if given else os.environ[name]
    return environment


def openmpi_settings():
    return {
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_plm": "rsh",
        "OMPI_MCA_plm_rsh_agent": AGENT,
        # Only the front can start processes on a host.
        "OMPI_MCA_plm_rsh_no_tree_spawn": "1",
        # A daemon that detaches would let the agent's init process exit.
        "OMPI_MCA_orte_leave_session_attached": "1",
        "OMPI_MCA_orte_tmpdir_base": SCRATCH,
        "OMPI_MCA_oob_tcp_if_include": NETWORK,
        "OMPI_MCA_btl_tcp_if_include": NETWORK,
        "OMPI_MCA_pml": "ob1",
        # vader is shared memory; it only reaches ranks on the same host.
        "OMPI_MCA_btl": "tcp,vader,self",
    }


def mpich_settings():
    return {
        # UCX would use shared memory between hosts, since they share a kernel.
        "UCX_TLS": "tcp,self",
        "UCX_NET_DEVICES": LINK,
    }


def openmpi_command(launcher, counts, program):
    """Command and default settings for Open MPI; settings in the caller's environment win."""
    settings = openmpi_settings()
    if sum(counts) > len(os.sched_getaffinity(0)):
        settings["OMPI_MCA_mpi_yield_when_idle"] = "1"
    hosts = ",".join(f"h{index}:{count}" for index, count in enumerate(counts))
    # Not bound: otherwise rank 0 of every host would be bound to core 0 of this machine.
    command = [launcher, "-n", str(sum(counts)), "--host", hosts, "--bind-to", "none",
               "--map-by", "slot:OVERSUBSCRIBE", "--rank-by", "slot", *program]
    return command, settings


def mpich_command(launcher, counts, program):
    """Command and default settings for MPICH; settings in the caller's environment win."""
    hosts = ",".join(f"h{index}:{count}" for index, count in enumerate(counts))
    command = [launcher, "-rmk", "user", "-launcher", "ssh", "-launcher-exec", AGENT,
               "-bind-to", "none", "-hosts", hosts, "-n", str(sum(counts)), *program]
    return command, mpich_settings()


COMMANDS = {"openmpi": openmpi_command, "mpich": mpich_command}


def openmpi_front(hosts, slots):
    """Settings by which the launcher itself starts jobs on the hosts, and the file of hosts that they name."""
    lines = "".join(f"{host} slots={slots}\n" for host in hosts)
    return {**openmpi_settings(), "OMPI_MCA_orte_default_hostfile": HOSTS_OF_LAUNCHER}, lines


def mpich_front(hosts, slots):
    lines = "".join(f"{host}:{slots}\n" for host in hosts)
    return {**mpich_settings(), "HYDRA_LAUNCHER": "ssh", "HYDRA_LAUNCHER_EXEC": AGENT, "HYDRA_RMK": "user",
            "HYDRA_HOST_FILE": HOSTS_OF_LAUNCHER}, lines


FRONTS = {"openmpi": openmpi_front, "mpich": mpich_front}
