"""What the benches share: finding the build, running fathom, keeping processors busy, printing tables."""
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[1]
BUILD = pathlib.Path(os.environ.get("FATHOM_BUILD_DIR", SOURCE / "build"))
FLAVOURS = [flavour for flavour in ("openmpi", "mpich") if (BUILD / "bin" / f"fathom-probe-{flavour}").exists()]
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


NAMES = {"openmpi": "Open MPI", "mpich": "MPICH"}
COMPILERS = {"openmpi": ("mpicc.openmpi", "mpicc"), "mpich": ("mpicc.mpich", "mpicc")}
LAUNCHERS = {"openmpi": ("mpirun.openmpi", "mpirun"), "mpich": ("mpiexec.mpich", "mpiexec")}


def found(names):
    """The first of these programs that is there."""
    return next(filter(None, map(shutil.which, names)))


def compiled(folder, flavour, source):
    """A plain program of this folder, for an MPI library."""
    program = f"{folder}/{pathlib.Path(source).stem}-{flavour}"
    subprocess.run([found(COMPILERS[flavour]), "-O2", "-Wall", "-Wextra", "-o", program, SOURCE / "bench" / source], check=True)
    return program


def called(folder, *words, environment=None):
    """How fathom --json ended, and what it printed."""
    command = [BUILD / "bin" / "fathom", *map(str, words), "--json"]
    return subprocess.run(command, cwd=folder, env={**ENVIRONMENT, **(environment or {})}, capture_output=True, text=True,
                          timeout=1800)


def fathom(folder, *words, environment=None):
    """One JSON document of fathom."""
    done = called(folder, *words, environment=environment)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def attempted(folder, *words, environment=None):
    """Like fathom(), but a failure costs one line on stderr and is None, so that hours of other runs are not lost."""
    done = called(folder, *words, environment=environment)
    if done.returncode != 0:
        print(f"fathom {' '.join(map(str, words))} ended with {done.returncode}: {done.stderr.strip()}", file=sys.stderr)
        return None
    return json.loads(done.stdout)


@contextlib.contextmanager
def busy_loops(count):
    """That many endless loops while the block runs, bound to the cores in turn. They end with this process."""
    cores = sorted(os.sched_getaffinity(0))
    loops = [subprocess.Popen(["taskset", "-c", str(cores[i % len(cores)]), "setpriv", "--pdeathsig", "KILL",
                               "sh", "-c", "while :; do :; done"]) for i in range(count)]
    try:
        yield
    finally:
        for process in loops:
            process.kill()
            process.wait()


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


def short_size(size):
    return f"{size // 1024} KiB" if size >= 1024 else f"{size} B"


def percent(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "-"


def main(parts):
    """Runs the parts named on the command line, or all, in a folder that is removed afterwards."""
    wanted = sys.argv[1:] or list(parts)
    if unknown := [name for name in wanted if name not in parts]:
        sys.exit(f"no part '{unknown[0]}'; there are {', '.join(parts)}")
    with tempfile.TemporaryDirectory(prefix="fathom-bench-") as folder:
        for name in wanted:
            parts[name](pathlib.Path(folder))
