"""Entering the namespaces of other processes."""

import json
import os

from .errors import ClusterError, describe
from .kernel import CLONE_FLAGS, check_call, libc


def open_namespaces(pid, kinds, proc="/proc"):
    """Opens the namespaces of a process; returns {kind: descriptor} in the order to enter them."""
    try:
        return {kind: os.open(f"{proc}/{pid}/ns/{kind}", os.O_RDONLY) for kind in kinds}
    except OSError as error:
        raise ClusterError(f"cannot open the namespaces of process {pid}: {error.strerror}")


def enter(namespaces):
    """Enters opened namespaces (pid affects children only) and closes the descriptors."""
    for kind, descriptor in namespaces.items():
        own = "pid_for_children" if kind == "pid" else kind
        # Entering the current user namespace again is an error, so compare first.
        if os.fstat(descriptor).st_ino != os.stat(f"/proc/self/ns/{own}").st_ino:
            check_call(libc.setns(descriptor, CLONE_FLAGS[kind]), f"cannot enter a {kind} namespace")
        os.close(descriptor)


def inside(pid, kinds, body):
    """Runs body() in a child in the namespaces of a process; returns its result, passed as JSON."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            enter(open_namespaces(pid, ("user", *kinds)))
            answer = {"value": body()}
        except Exception as error:
            answer = {"error": describe(error)}
        with os.fdopen(writer, "w") as stream:
            json.dump(answer, stream)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as stream:
        text = stream.read()
    os.waitpid(child, 0)
    answer = json.loads(text) if text else {"error": "a helper process was killed"}
    if "error" in answer:
        raise ClusterError(answer["error"])
    return answer["value"]
