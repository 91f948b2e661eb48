"""Running the system's ip, tc and nft; reading and writing small files."""

import os
import shutil
import subprocess

from .errors import ClusterError

WAIT_LIMIT_S = 20
PACKAGES = {"ip": "iproute2", "tc": "iproute2", "nft": "nftables"}


def find_tool(name):
    """The path of a system tool; raises ClusterError that names its Debian package."""
    # The sbin directories are often missing from an ordinary user's PATH.
    path = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin:/usr/bin:/bin")
    if not path:
        raise ClusterError(f"'{name}' not found; install it: apt install {PACKAGES[name]}")
    return path


def tool(name, *arguments, text=None):
    """Runs ip, tc or nft in the current namespaces; returns its output, raises ClusterError with its stderr."""
    command = [find_tool(name), *map(str, arguments)]
    try:
        done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=WAIT_LIMIT_S)
    except subprocess.TimeoutExpired:
        raise ClusterError(f"'{' '.join([name, *command[1:]])}' did not finish within {WAIT_LIMIT_S} s")
    if done.returncode != 0:
        reason = " ".join(done.stderr.split()) or f"status {done.returncode}"
        raise ClusterError(f"'{' '.join([name, *command[1:]])}' failed: {reason}")
    return done.stdout


def read_file(path):
    with open(path) as stream:
        return stream.read().strip()


def write_file(path, text):
    with open(path, "w") as stream:
        stream.write(text)
