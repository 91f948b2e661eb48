"""What the benches share: finding the build, running fathom, printing tables."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[1]
BUILD = pathlib.Path(os.environ.get("FATHOM_BUILD_DIR", SOURCE / "build"))
FLAVOURS = [flavour for flavour in ("openmpi", "mpich") if (BUILD / "bin" / f"fathom-probe-{flavour}").exists()]
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def fathom(folder, *words, environment=None):
    """One JSON document of fathom."""
    command = [BUILD / "bin" / "fathom", *map(str, words), "--json"]
    done = subprocess.run(command, cwd=folder, env={**ENVIRONMENT, **(environment or {})}, capture_output=True, text=True,
                          timeout=1800)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def timed(folder, *words):
    """The document and the wall time of the whole job in seconds."""
    begin = time.monotonic()
    document = fathom(folder, *words)
    return document, time.monotonic() - begin


def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def head(*cells):
    row(*cells)
    row(*("---" for _ in cells))


def main(parts):
    """Runs the parts named on the command line, or all, in a folder that is removed afterwards."""
    wanted = sys.argv[1:] or list(parts)
    if unknown := [name for name in wanted if name not in parts]:
        sys.exit(f"no part '{unknown[0]}'; there are {', '.join(parts)}")
    with tempfile.TemporaryDirectory(prefix="fathom-bench-") as folder:
        for name in wanted:
            parts[name](pathlib.Path(folder))
