"""What an MPI launcher calls in place of ssh."""

import json
import os
import pathlib
import shlex
import sys

from .errors import Trouble
from .kernel import die_with, unshare
from .mounts import SCRATCH, fresh_scratch, go_to, mount_own_proc
from .namespaces import enter, open_namespaces
from .processes import in_child, run_as_first, shell_status
from .tools import read_file, write_file

PROGRAM = str(pathlib.Path(__file__).resolve().parent.with_name("vcluster"))
AGENT = SCRATCH + "/vcluster-agent"
JOB_FILE = SCRATCH + "/vcluster-job.json"
CLUSTER_PROC = SCRATCH + "/vcluster-proc"


def write_agent():
    """A script to call this one as agent: the launchers split the agent's path at spaces."""
    words = [sys.executable, PROGRAM, "_agent"]
    write_file(AGENT, f'#!/bin/sh\nexec {" ".join(map(shlex.quote, words))} "$@"\n')
    os.chmod(AGENT, 0o755)


def command_agent(arguments):
    """What a launcher calls in place of ssh: HOST COMMAND..., run by a shell on that host."""
    while arguments and arguments[0].startswith("-"):
        arguments = arguments[1:]
    job = json.loads(read_file(JOB_FILE))
    host, words = arguments[0], arguments[1:]
    if host not in job["hosts"]:
        raise Trouble(f"there is no host '{host}'")
    enter(open_namespaces(job["hosts"][host], ("user", "net", "uts", "ipc", "mnt", "time"), CLUSTER_PROC))
    own = os.pidfd_open(os.getpid())

    def body():
        die_with(own)
        mount_own_proc()
        go_to(job["folder"])
        return run_as_first(["/bin/sh", "-c", " ".join(words)], os.environ)

    fresh_scratch()
    write_agent()  # never called here, but Open MPI's daemon gives up when it is missing
    unshare("pid")
    return shell_status(os.waitpid(in_child(body), 0)[1])
