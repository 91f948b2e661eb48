"""Running the system's ip, tc and nft; reading and writing small files."""

import os
import shutil
import subprocess

from .errors import Trouble

WAIT_LIMIT_S = 20
PACKAGES = {"ip": "iproute2", "tc": "iproute2", "nft": "nftables"}


def find_tool(name):
    """The path of a system tool; raises Trouble naming the package that has it."""
    # The sbin folders are often missing from an ordinary user's PATH.
    path = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin:/usr/bin:/bin")
    if not path:
        raise Trouble(f"'{name}' was not found; install it: apt install {PACKAGES[name]}")
    return path


def tool(name, *arguments, text=None):
    """Runs ip, tc or nft where we are; returns its output, raises Trouble with its complaint."""
    command = [find_tool(name), *map(str, arguments)]
    try:
        done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=WAIT_LIMIT_S)
    except subprocess.TimeoutExpired:
        raise Trouble(f"'{' '.join([name, *command[1:]])}' did not end in {WAIT_LIMIT_S} s")
    if done.returncode != 0:
        complaint = " ".join(done.stderr.split()) or f"status {done.returncode}"
        raise Trouble(f"'{' '.join([name, *command[1:]])}' failed: {complaint}")
    return done.stdout


def read_file(path):
    with open(path) as stream:
        return stream.read().strip()


def write_file(path, text):
    with open(path, "w") as stream:
        stream.write(text)
