"""The agent that MPI launchers call in place of ssh."""

import json
import os
import pathlib
import shlex
import sys

from .cpus import confine, observe_cpus
from .errors import ClusterError
from .kernel import die_with_parent, unshare
from .mounts import SCRATCH, change_directory, mount_job_scratch, mount_own_proc
from .namespaces import enter, open_namespaces
from .processes import fork_child, run_as_init, shell_status
from .tools import read_file, write_file

PROGRAM = str(pathlib.Path(__file__).resolve().parent.with_name("vcluster"))
AGENT = SCRATCH + "/vcluster-agent"
JOB_FILE = SCRATCH + "/vcluster-job.json"
CLUSTER_PROC = SCRATCH + "/vcluster-proc"


def write_agent():
    """Writes a script that calls the agent: launchers split the agent's command line at spaces."""
    words = [sys.executable, PROGRAM, "_agent"]
    write_file(AGENT, f'#!/bin/sh\nexec {" ".join(map(shlex.quote, words))} "$@"\n')
    os.chmod(AGENT, 0o755)


def command_agent(arguments):
    """Runs COMMAND... in a shell on HOST, as `ssh HOST COMMAND...` would."""
    while arguments and arguments[0].startswith("-"):
        arguments = arguments[1:]
    job = json.loads(read_file(JOB_FILE))
    host, words = arguments[0], arguments[1:]
    if host not in job["hosts"]:
        raise ClusterError(f"no host '{host}'")
    confine(observe_cpus(job["hosts"][host], CLUSTER_PROC))
    enter(open_namespaces(job["hosts"][host], ("user", "net", "uts", "ipc", "mnt", "time"), CLUSTER_PROC))
    own = os.pidfd_open(os.getpid())

    def body():
        die_with_parent(own)
        mount_own_proc()
        change_directory(job["directory"])
        return run_as_init(["/bin/sh", "-c", " ".join(words)], os.environ)

    mount_job_scratch()
    write_agent()  # never called here, but Open MPI's daemon fails without it
    unshare("pid")
    return shell_status(os.waitpid(fork_child(body), 0)[1])
