"""What the end-to-end tests share: a clean place to run the built `fathom` in, and a check that nothing is left behind.

Each test_*.py is run by CTest by itself, or by hand: see tests/harness.py.
"""

import fcntl
import glob
import json
import os
import pathlib
import pty
import re
import select
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
import unittest
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import harness
from harness import BUILD, SOURCE, Watch, alone, data_of, main, needs, patient, preload, probe, program, undisturbed  # for the tests

FATHOM = str(BUILD / "bin" / "fathom")
APPROVED = pathlib.Path(__file__).resolve().parent / "approved"
PLATFORMS = SOURCE / "lab" / "platforms"
MARK = "FATHOM_E2E_MARK"
WAIT_S = 300  # for one command: bounds a hang, also where ten programs share a core

DONE, CHECK_FAILED, BAD_INPUT, NOT_MEASURED, UNDECIDED, INTERRUPTED = 0, 1, 2, 3, 4, 130
OPERATIONS = ("pingpong", "barrier", "bcast", "allreduce")
REAL = ("openmpi", "mpich", "mpi")
ALL = REAL + ("smpi",)


def flavours(*wanted):
    """Those of the wanted flavours, by default of all, that the build has, for a loop: see the harness."""
    return harness.flavours(*(wanted or ALL))


def a_real_flavour():
    """The first real library that the build has, where one is as good as another."""
    return harness.flavours(*REAL)[0]


def needs_root(test):
    return unittest.skipIf(os.geteuid() != 0, "needs root")(test)


def options_for(flavour):
    """What `fathom run` needs to use a flavour here."""
    options = ["--platform", "pure-16"] if flavour == "smpi" else ["--mpi", flavour]
    if flavour == "openmpi" and os.geteuid() == 0:
        options.append("--allow-run-as-root")
    return options


def may_run_openmpi():
    """Environment in which Open MPI itself agrees to run as root, for launchers that tests start or write."""
    return {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def other_host(name):
    """Words that run a command on a host of another name, in a container of its own: its processes cannot be seen."""
    return ("unshare", "--uts", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", f'hostname {name} && exec "$@"', "sh")


def launcher_words(flavour, procs):
    """The launcher of a flavour as a user would type it, with oversubscription allowed."""
    names = {"openmpi": ("mpirun.openmpi", "mpirun"), "mpich": ("mpiexec.hydra", "mpiexec.mpich"), "mpi": ("mpiexec", "mpirun")}[flavour]
    found = next((path for path in map(shutil.which, names) if path), None)
    if found is None:
        raise AssertionError(f"the build has {flavour}, but none of its launchers is here: {', '.join(names)}")
    extra = ["--oversubscribe", "--bind-to", "none"] if flavour == "openmpi" else []
    return [found, "-n", str(procs), *extra]


def flat_tree(path, procs, edge="message"):
    """Writes a tree in which rank 0 joins all; returns its path."""
    path.write_text(f'[join.root]\non = 0\n{edge} = "0-{procs - 1}"\n')
    return path


def memory_available_bytes():
    with open("/proc/meminfo", encoding="ascii") as lines:
        for line in lines:
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return 0


def processors():
    return len(os.sched_getaffinity(0))


def meddling(**settings):
    """Environment in which ranks are slowed down, signalled, watched or given wrong results: see meddler.c."""
    return {"LD_PRELOAD": preload("meddler"),
            **{f"MEDDLE_{key.upper()}": str(int(value)) if isinstance(value, (int, float)) else str(value) for key, value in settings.items()}}


def overhearing(file, **settings):
    """Environment in which `file` gets what a library does inside MPI_Bcast: see overhearer.c."""
    return {"LD_PRELOAD": preload("overhearer"), "OVERHEAR_FILE": str(file),
            **{f"OVERHEAR_{key.upper()}": str(value) for key, value in settings.items()}}


def thieving(file, **settings):
    """Environment in which a thief takes a known share of a processor and records in `file` how much it was: see thief.c."""
    return {"LD_PRELOAD": preload("thief"), "THIEF_FILE": str(file),
            **{f"THIEF_{key.upper()}": str(int(value)) for key, value in settings.items()}}


class Result:
    """How a command ended and what it printed."""

    def __init__(self, words, status, stdout, stderr):
        self.words, self.status, self.stdout, self.stderr = words, status, stdout, stderr

    def __str__(self):
        return f"$ {shlex.join(map(str, self.words))}\nexit {self.status}\n--- stdout\n{self.stdout}\n--- stderr\n{self.stderr}"

    @property
    def json(self):
        """The one JSON document that stdout must be."""
        return json.loads(self.stdout)


class Running:
    """A `fathom` that a test watches, one line of stderr after the other."""

    def __init__(self, words, cwd, env):
        self.words = words
        self.process = subprocess.Popen(words, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, start_new_session=True)
        self.pid = self.process.pid
        self.lines = []
        self._new = threading.Condition()
        self._out = []
        self._threads = [threading.Thread(target=self._read_err, daemon=True),
                         threading.Thread(target=self._read_out, daemon=True)]
        for thread in self._threads:
            thread.start()

    def _read_err(self):
        for line in self.process.stderr:
            with self._new:
                self.lines.append(line)
                self._new.notify_all()
        with self._new:
            self.lines.append("")
            self._new.notify_all()

    def _read_out(self):
        self._out.append(self.process.stdout.read())

    def wait_for(self, pattern, timeout=WAIT_S):
        """Waits until a line of stderr matches; fails with all of it if the command ends or time runs out first."""
        deadline = time.monotonic() + timeout
        seen = 0
        with self._new:
            while True:
                for line in self.lines[seen:]:
                    if re.search(pattern, line):
                        return line
                    if line == "":
                        raise AssertionError(f"ended without a line like {pattern!r}:\n{''.join(self.lines)}")
                seen = len(self.lines)
                if not self._new.wait(deadline - time.monotonic()) and time.monotonic() >= deadline:
                    raise AssertionError(f"no line like {pattern!r} within {timeout} s:\n{''.join(self.lines)}")

    def finish(self, timeout=WAIT_S):
        self.process.wait(timeout)
        for thread in self._threads:
            thread.join(timeout)
        return Result(self.words, self.process.returncode, "".join(self._out), "".join(self.lines))

    def close(self):
        """Ends it if a test failed midway; SIGTERM first, so that it can end its ranks."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(20)
        for thread in self._threads:
            thread.join(20)
        self.process.stdout.close()
        self.process.stderr.close()


class FathomTest(unittest.TestCase):
    """A test in a folder of its own, which afterwards must hold nothing but results, and no process."""

    maxDiff = None
    folder_name = "fathom-e2e-"

    def setUp(self):
        self.assertTrue(pathlib.Path(FATHOM).exists(), f"no {FATHOM}; './quickstart build' makes it")
        if "-v" in sys.argv:
            started = time.monotonic()
            self.addCleanup(lambda: print(f"{time.monotonic() - started:.1f} s ", end="", file=sys.stderr, flush=True))
        self.mark = uuid.uuid4().hex
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix=self.folder_name))
        # Launchers put sockets in there: a short name.
        self.tmp = pathlib.Path(tempfile.mkdtemp(prefix="fe2e-"))
        self.own_files = set()
        self.addCleanup(self._remove_folders)
        self.addCleanup(self._end_leftovers)

    def _remove_folders(self):
        for job in simulation_folders_of(self.dir):
            shutil.rmtree(os.path.dirname(job), ignore_errors=True)
        shutil.rmtree(self.dir, ignore_errors=True)
        shutil.rmtree(self.tmp, ignore_errors=True)

    def _end_leftovers(self):
        """Nothing that a test started outlives it, and it is said if something would have."""
        left = self.processes_left(patience=8)
        for pid, _ in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.assertEqual(left, [], "processes were left behind")

    # --- running

    def environment(self, more=None):
        env = {key: value for key, value in os.environ.items()
               if not key.startswith(("OMPI_", "PMIX_", "FATHOM_", "MPI", "HYDRA_", "SMPI_"))
               and key not in ("NO_COLOR", "TERM", "COLUMNS", "LD_PRELOAD")}
        env.update({MARK: self.mark, "TMPDIR": str(self.tmp), "XDG_STATE_HOME": str(self.tmp), "LC_ALL": "C", "TERM": "dumb"})
        env.update(more or {})
        return env

    def start(self, *words, env=None, cwd=None, command=()):
        """Starts `fathom WORDS` in the background, after the words of `command`; it ends with the test at the latest."""
        running = Running([*map(str, command), FATHOM, *map(str, words)], cwd or self.dir, self.environment(env))
        self.addCleanup(running.close)
        return running

    def fathom(self, *words, status=None, env=None, cwd=None, timeout=WAIT_S, command=()):
        """Runs `fathom WORDS` to its end, after the words of `command` if there are any; checks the exit status."""
        all_words = [*map(str, command), FATHOM, *map(str, words)]
        done = subprocess.run(all_words, cwd=cwd or self.dir, env=self.environment(env), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=timeout)
        result = Result(all_words, done.returncode, done.stdout, done.stderr)
        if status is not None:
            self.assertEqual(result.status, status, result)
        return result

    def on_terminal(self, *words, streams=("stdout", "stderr"), columns=100, **env):
        """Runs fathom with the named streams on one pseudo-terminal each; returns what appeared, by stream."""
        masters, slaves = {}, {}
        for name in streams:
            masters[name], slaves[name] = pty.openpty()
            fcntl.ioctl(masters[name], termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        rest = {name: subprocess.PIPE for name in ("stdout", "stderr") if name not in streams}
        process = subprocess.Popen([FATHOM, *words], cwd=self.dir, stdin=subprocess.DEVNULL,
                                   env=self.environment({"TERM": "xterm", **env}), start_new_session=True,
                                   **{**slaves, **rest})
        for slave in slaves.values():
            os.close(slave)
        seen = {name: b"" for name in ("stdout", "stderr")}
        sources = {masters[name]: name for name in streams}
        sources.update({getattr(process, name).fileno(): name for name in rest})
        deadline = time.monotonic() + WAIT_S
        try:
            while sources and time.monotonic() < deadline:
                for source in select.select(list(sources), [], [], 1)[0]:
                    try:
                        piece = os.read(source, 65536)
                    except OSError:  # how a terminal reports that its other end is closed
                        piece = b""
                    if not piece:
                        sources.pop(source)
                        continue
                    seen[sources[source]] += piece
            status = process.wait(max(1, deadline - time.monotonic()))
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
            for master in masters.values():
                os.close(master)
            for name in rest:
                getattr(process, name).close()
        texts = {name: text.decode().replace("\r\n", "\n") for name, text in seen.items()}
        return Result(words, status, texts["stdout"], texts["stderr"])

    def run_json(self, *words, status=DONE, **more):
        """`fathom run --json WORDS`, its document."""
        return self.fathom("run", "--json", *words, status=status, **more).json

    def shown(self, run="last", *words, **more):
        """`fathom show RUN --json`, its document."""
        return self.fathom("show", str(run), "--json", *words, status=DONE, **more).json

    def write(self, name, text):
        """A file of the test's own."""
        path = self.dir / name
        path.write_text(text, encoding="utf-8")
        self.own_files.add(name)
        return path

    def journal_when(self, running, condition):
        """The journal of a run as soon as its records meet a condition."""
        deadline = time.monotonic() + WAIT_S
        while True:
            for path in self.dir.glob("*.journal"):
                try:
                    if condition(list(journal_records(path))):
                        return path
                except FileNotFoundError:
                    pass
            self.assertLess(time.monotonic(), deadline, "the journal never came so far")
            self.assertIsNone(running.process.poll(), "it ended before its journal came so far")
            time.sleep(0.002)

    def kill_when(self, condition, *words, env=None):
        """Starts a run and kills fathom as soon as the records of its journal meet a condition."""
        running = self.start("run", *words, env=env)
        self.journal_when(running, condition)
        os.kill(running.pid, signal.SIGKILL)
        running.finish(20)
        self.assertEqual(self.processes_left(patience=20), [], "launcher and ranks end with fathom")

    # --- what is left

    def processes_left(self, patience=5.0):
        """Living processes that carry this test's mark, after some patience, with their command lines."""
        deadline = time.monotonic() + patience
        while True:
            found = processes_with(f"{MARK}={self.mark}")
            if not found or time.monotonic() > deadline:
                return found
            time.sleep(0.05)

    def assert_nothing_left(self, *expected):
        """Only the files named, and those of the test itself, are in the folder; nothing in /tmp and no process."""
        self.assertEqual(self.processes_left(), [])
        names = {str(path.relative_to(self.dir)) for path in self.dir.rglob("*") if not path.is_dir()}
        self.assertEqual(sorted(names - self.own_files), sorted(expected))
        self.assertEqual(simulation_folders_of(self.dir), [])

    # --- what is promised

    def assert_refused(self, result, *patterns, status=BAD_INPUT):
        """Bad input: exit 2, nothing on stdout, one line on stderr that holds all patterns."""
        self.assertEqual(result.status, status, result)
        self.assertEqual(result.stdout, "", result)
        self.assertRegex(result.stderr, r"\Afathom: [^\n]+\n\Z", result)
        for pattern in patterns:
            self.assertRegex(result.stderr, pattern, result)


def processes_with(setting):
    found = []
    wanted = setting.encode()
    for path in glob.glob("/proc/[0-9]*/environ"):
        pid = int(path.split("/")[2])
        if pid != os.getpid() and wanted in contents(path).split(b"\0"):
            found.append((pid, contents(f"/proc/{pid}/cmdline").replace(b"\0", b" ").decode()))
    return found


def contents(path):
    """Bytes of a file that may go away at any time."""
    try:
        return pathlib.Path(path).read_bytes()
    except OSError:
        return b""


def children_of(pid):
    return [int(word) for word in contents(f"/proc/{pid}/task/{pid}/children").split()]


def simulation_folders_of(folder):
    """Folders in /tmp that simulated jobs with results in `folder` left behind."""
    found = []
    for job in glob.glob("/tmp/fathom-*/job.toml"):
        if folder.name[-8:].encode() in contents(job):  # the random part, which no TOML escape touches
            found.append(job)
    return found


def platform_with(**properties):
    """The platform pure-16 with more properties of SimGrid, as the text of a file: `smpi__os` is `smpi/os`."""
    more = "".join(f'<prop id="{key.replace("__", "/").replace("_", "-")}" value="{value}"/>'
                   for key, value in properties.items())
    text = (PLATFORMS / "pure-16.xml").read_text(encoding="utf-8")
    return text.replace("</config>", more + "</config>")


def points_of(document):
    """What a run is made of, without what was measured."""
    return [(point["operation"], point["procs"], point["size_bytes"]) for point in document["points"]]


# --- the journal: a line, then records of kind, size, checksum and content

JOURNAL_MAGIC = b"fathom journal 2\n"
JOB_INFO, RANK_INFO, HOST_INFO, POINT_BEGIN, SAMPLE_BLOCK, POINT_END, JOB_END = range(7)
POINT_ADDED, POINT_PAUSE = 10, 11
EVENT_BLOCK = 17


def journal_records(path):
    """(kind, content as bytes, offset behind it) of all whole records."""
    data = pathlib.Path(path).read_bytes()
    at = len(JOURNAL_MAGIC)
    while at + 16 <= len(data):
        kind, size, _ = struct.unpack_from("<IIQ", data, at)
        if at + 16 + size > len(data):
            return
        yield kind, data[at + 16:at + 16 + size], at + 16 + size
        at += 16 + size


# --- approved outputs

def approve_or_compare(test, name, text):
    """Compares with tests/e2e/approved/NAME; with FATHOM_APPROVE=1 writes it instead."""
    file = APPROVED / name
    if os.environ.get("FATHOM_APPROVE"):
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return
    test.assertTrue(file.exists(), f"no {file}; FATHOM_APPROVE=1 makes it")
    test.assertMultiLineEqual(file.read_text(encoding="utf-8"), text,
                              "if this change is wanted, run the file again with FATHOM_APPROVE=1")
