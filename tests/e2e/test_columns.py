#!/usr/bin/env python3
"""Result files and journals in which one value was changed, under every command that reads them.

The values are well-formed and wrong, as in a file from someone else. No command may crash, hang, take more than 1 GB or
print that something unexpected happened; a file that it does not accept is bad input.

    python3 tests/e2e/test_columns.py                                  the kept cases, and 20 files of a fixed seed
    python3 tests/e2e/test_columns.py --files 5000 --build build-sanitize  more files, with the fathom of another build
    python3 tests/e2e/test_columns.py --case 'plain sample_block.first_rep 0 -1' Columns.test_one
"""

import argparse
import atexit
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import re
import resource
import shlex
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import threading
import time

import support
from support import DONE, FathomTest

FILES = 20  # the fuzz target `store` changes many more in one process
SEED = 18
LONGEST_S = 20
MOST_BYTES = 1 << 30
LIMIT_BYTES = 2 << 30  # of the address space, where it can be limited: a runaway must not take the machine with it

# Cases that crashed or hung once, or that an attack used: BASE TABLE.COLUMN ROW VALUE.
KEPT = """
plain header.user_version 0 -1
plain header.application_id 0 0
plain sample_block.first_rep 0 -1
plain sample_block.first_rep 5 2^62
plain sample_block.count 0 0
plain sample_block.count 0 2^62
plain sample_block.rank 0 -1
plain sample_block.rank 0 2^31
plain point.calls 0 0
plain point.calls 0 -1
plain point.procs 0 -1
plain point.size_bytes 0 -1
plain point.size_bytes 0 -2^63
plain point.position 0 2^31
plain point.trial 0 2^31
plain rank.empty_ns 0 2^62
plain rank.empty_ns 0 -2^63
plain rank.rank 0 2^31
plain job.clock_ns 0 2^62
plain job.utc_ns 0 -2^63
plain run.id 0 2^31
plain run.procs 0 -1
plain run.plan_toml 0 dotted
plain run.label 0 bad-utf8
plain point.operation 0 bad-utf8
plain point.operation 0 huge
plain point.pattern 19 empty
matrix point.procs 0 1
matrix point.procs 0 16449
matrix point.procs 0 2^31
matrix point.pairs 0 bad-utf8
overlap study_block.count 0 -1
overlap study_block.data 0 swap:1
overlap study_step.step 0 -1
overlap study_step.step 0 2^31
overlap study_step.work_ns 0 2^62
overlap study_step.work_ns 0 -2^63
overlap study_step.tests 0 -1
overlap study_step.interval_bytes 0 -1
overlap tally.value 0 text
real clock_sync.at_ns 0 2^62
real clock_sync.offset_ns 0 -2^63
real clock_sync.low_ns 1 2^62
real clock_sync.high_ns 1 -2^63
real clock_sync.sync 0 2^31
real clock_event.acted_ns 0 2^62
real evidence_block.count 0 -1
real evidence_block.spent_ns 0 2^62
real evidence_block.measured_ns 0 0
trees point.implementation 0 control
trees point.implementation 1 text
trees event_block.count 0 -1
trees event_block.count 0 2^62
trees event_block.dropped 0 -2^63
trees event_block.every 0 0
trees event_block.rank 0 2^31
trees event_block.data 0 cut:3
""".split("\n")[1:-1]

# The same of journals: journal.KIND RECORD of this kind, FIELD, VALUE.
KEPT_JOURNALS = """
journal SampleBlock 0 first_rep -1
journal SampleBlock 0 rank 2^31
journal SampleBlock 0 count 2^62
journal PointEnd 0 samples -1
journal PointEnd 0 calls 0
journal JobInfo 0 procs -1
journal JobInfo 0 procs 2^31
journal JobInfo 0 plan_toml dotted
journal RankInfo 0 rank -1
journal RankInfo 0 empty_ns 2^62
journal ClockSync 0 at_ns 2^62
""".split("\n")[1:-1]

options = argparse.Namespace(files=FILES, build=support.BUILD, seed=SEED, case=[])


# --- values

NUMBERS = {"-1": -1, "0": 0, "1": 1, "3": 3, "2^31": 1 << 31, "2^31-1": (1 << 31) - 1, "-2^31": -(1 << 31), "2^32": 1 << 32,
           "2^62": 1 << 62, "-2^62": -(1 << 62), "2^63-1": (1 << 63) - 1, "-2^63": -(1 << 63), "10^9": 10**9, "16449": 16449}
OTHERS = {"null": None, "text": "nonsense", "empty": "", "blob": b"\x00\xff\x80", "real": 1.5e300, "huge": "x" * 2_000_000,
          "control": "a\x1b[31m\x00\u202eb\nc,\"d\"", "dotted": ".".join(["a"] * 40_000) + " = 1\n"}
BAD_UTF8 = b"caf\xe9 \xff\xc0\xaf\xed\xa0\x80"
# A stored plan that is empty would be measured for real.
NEVER = {("run.plan_toml", "empty")}


def value_names(old, rng):
    """What a value may become, by its own type: all of these are of some type that the column takes."""
    if isinstance(old, bytes):
        size = max(1, len(old))
        return [f"flip:{rng.randrange(8 * size)}", f"cut:{rng.randrange(size)}", f"swap:{rng.randrange(1000)}", "empty", "blob", "0"]
    if isinstance(old, str):
        return [*OTHERS, "bad-utf8", "-1", f"swap:{rng.randrange(1000)}"]
    return [*NUMBERS, "null", "text", "blob", "real", f"swap:{rng.randrange(1000)}"]


def changed(name, old, another):
    """The new value: (SQL, parameter). `another(row)` is the value of another row."""
    if name in NUMBERS:
        return "?", NUMBERS[name]
    if name in OTHERS:
        return "?", OTHERS[name]
    if name == "bad-utf8":
        return "CAST(? AS TEXT)", BAD_UTF8
    word, _, number = name.partition(":")
    if word == "swap":
        return "?", another(int(number))
    data = bytearray(old if isinstance(old, bytes) else str(old).encode())
    if word == "cut":
        return "?", bytes(data[:int(number)])
    if word == "flip":
        if data:
            data[int(number) // 8 % len(data)] ^= 1 << int(number) % 8
        return "?", bytes(data)
    raise ValueError(name)


# --- result files

def open_end(path):
    """Leaves the last point of a file to be measured, by a launcher that is not there."""
    database = sqlite3.connect(path)
    with database:
        (point,) = database.execute("SELECT id FROM point ORDER BY run DESC, position DESC LIMIT 1").fetchone()
        for table in ("sample_block", "study_block", "study_step", "evidence_block", "event_block", "tally", "disturbance"):
            database.execute(f"DELETE FROM {table} WHERE point = ?", (point,))
        database.execute("UPDATE point SET status = 'pending', job = NULL WHERE id = ?", (point,))
        database.execute("UPDATE run SET status = 'interrupted', plan_toml = ? || plan_toml",
                         ("launcher = '/nowhere/launcher -n {n}'\n",))
    database.close()


def tables_of(database):
    """{table: (columns, columns of its key)} of those that have rows."""
    found = {}
    for (table,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").fetchall():
        if database.execute(f'SELECT 1 FROM "{table}" LIMIT 1').fetchone():
            rows = database.execute(f"PRAGMA table_info('{table}')").fetchall()
            found[table] = [row[1] for row in rows], [row[1] for row in rows if row[5]] or ["rowid"]
    return found


class Bases:
    """The files that are changed, made by the real program; in simulation, but for what only real jobs store."""

    def __init__(self, test):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="fe2e-"))
        atexit.register(shutil.rmtree, self.folder, ignore_errors=True)
        self.files, self.journal = {}, None
        simulated = ("--platform", "pure-16", "--order", "planned", "--quiet")
        self.make(test, "plain", *support.OPERATIONS, *simulated, "-n", "4", "--sizes", "0,8,64k", "--reps", "7", "--runs", "2",
                  "--label", "base", "--tag", "rev=3f2a")
        self.make(test, "matrix", "matrix", "duplex", *simulated, "-n", "4", "--sizes", "64", "--reps", "9", "--interleave")
        self.make(test, "overlap", "overlap.isend", "overlap.iallreduce", *simulated, "-n", "2", "--sizes", "64k,128k",
                  "--point-budget", "20")
        self.make(test, "curve", "allreduce", *simulated, "-n", "4", "--sizes", "1:64k:auto", "--reps", "3", "--max-points", "12")
        self.make(test, "trees", "allreduce", *simulated, "-n", "4", "--sizes", "8", "--reps", "5", "--trace",
                  "--via", f"library,tree:{support.flat_tree(self.folder / 'flat.toml', 4)},"
                           f"tree:{support.flat_tree(self.folder / 'other.toml', 4)}")
        self.make(test, "schemes", "bcast", *simulated, "-n", "4", "--sizes", "8", "--reps", "5", "--compare-schemes")
        real = [flavour for flavour in support.REAL if flavour in support.harness.built_flavours()]
        if real:
            self.make(test, "real", "allreduce", "barrier", *support.options_for(real[0]), "--quiet", "-n", "2", "--sizes", "8", "--reps",
                      "20", "--runs", "1", "--check-clock")
            self.make_journal(test, real[0])

    def make(self, test, name, *words):
        path = self.folder / f"{name}.db"
        test.fathom("run", "--db", path, *words, status=DONE)
        open_end(path)
        self.files[name] = path

    def make_journal(self, test, flavour):
        plan = self.folder / "plan.toml"
        plan.write_text("operations = ['allreduce', 'overlap.isend']\nsizes = [8]\nreps = 5\npoint_budget_ms = 20\ncheck_clock = true\n",
                        encoding="utf-8")
        subprocess.run([*support.launcher_words(flavour, 2), str(support.probe(flavour)), plan.name], cwd=self.folder, check=True,
                       env=test.environment(support.may_run_openmpi()), stdin=subprocess.DEVNULL, capture_output=True, timeout=support.WAIT_S)
        self.journal = self.folder / "plan.toml.journal"

    def random_case(self, rng):
        base = rng.choice(sorted(self.files))
        database = sqlite3.connect(self.files[base])
        try:
            tables = tables_of(database)
            database.text_factory = bytes
            columns = [(table, column) for table, (names, _) in sorted(tables.items()) for column in names]
            while True:
                table, column = rng.choice(columns)
                values = database.execute(f'SELECT "{column}", typeof("{column}") FROM "{table}"').fetchall()
                row = rng.randrange(len(values))
                old, kind = values[row]
                name = rng.choice(value_names(old.decode(errors="replace") if kind == "text" else old, rng))
                if (f"{table}.{column}", name) not in NEVER:
                    return f"{base} {table}.{column} {row} {name}"
        finally:
            database.close()

    def changed_file(self, case, path):
        """Writes the file of a case; false if SQLite does not take the value."""
        base, place, row, name = case.split(" ")
        table, column = place.split(".")
        if base not in self.files:
            return False
        path.write_bytes(self.files[base].read_bytes())
        database = sqlite3.connect(path)
        database.text_factory = lambda text: text.decode(errors="replace")
        try:
            database.execute("PRAGMA ignore_check_constraints = ON")
            if table == "header":
                database.execute(f"PRAGMA {column} = {NUMBERS[name]}")
                return True
            _, key = tables_of(database).get(table, (None, None))
            if key is None:
                return False
            (count,) = database.execute(f'SELECT count(*) FROM "{table}"').fetchone()
            keys = ", ".join(f'"{part}"' for part in key)

            def value(number):
                return database.execute(f'SELECT "{column}" FROM "{table}" ORDER BY {keys} LIMIT 1 OFFSET ?', (number % count,)).fetchone()[0]

            sql, parameter = changed(name, value(int(row)), value)
            with database:
                database.execute(f'UPDATE "{table}" SET "{column}" = {sql} WHERE ({keys}) = '
                                 f'(SELECT {keys} FROM "{table}" ORDER BY {keys} LIMIT 1 OFFSET ?)', (parameter, int(row) % count))
            return True
        except sqlite3.IntegrityError:
            return False
        finally:
            database.close()


# --- journals

KINDS = ("JobInfo", "RankInfo", "HostInfo", "PointBegin", "SampleBlock", "PointEnd", "JobEnd", "ClockSync", "ClockPings", "ClockEvent",
         "PointAdded", "PointPause", "Disturbance", "RankTally", "StudyStep", "StudyBlock", "EvidenceBlock",
         "EventBlock")
HEADS = {"SampleBlock": ("<iiqq", ("point", "rank", "first_rep", "count")), "StudyBlock": ("<iiqq", ("point", "rank", "unused", "count")),
         "EvidenceBlock": ("<iiiiqqqqqq", ("point", "rank", "block", "network", "count", "readings", "spent_ns", "measured_ns", "rto_ns",
                                           "rto_min_ns")),
         "EventBlock": ("<iiiiqqq", ("point", "rank", "block", "every", "first_call", "count", "dropped"))}


def checksum(data):
    value = 0xcbf29ce484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001b3 & 0xffffffffffffffff
    return value


def journal_text(records):
    return support.JOURNAL_MAGIC + b"".join(struct.pack("<IIQ", kind, len(data), checksum(data)) + data for kind, data in records)


class Journal:
    """A journal whose records are changed field by field, with checksums that fit."""

    def __init__(self, path):
        self.records = [(kind, data) for kind, data, _ in support.journal_records(path)]

    def fields(self, kind, data):
        name = KINDS[kind]
        return [*HEADS[name][1], "data"] if name in HEADS else sorted(json.loads(data))

    def random_case(self, rng):
        at = rng.randrange(len(self.records))
        kind, data = self.records[at]
        number = sum(1 for other, _ in self.records[:at] if other == kind)
        field = rng.choice(self.fields(kind, data))
        names = ["-1", "0", "2^31", "2^62", "-2^63", "text", "null", "empty", "huge"] if field != "data" else \
            [f"flip:{rng.randrange(8 * len(data))}", f"cut:{rng.randrange(len(data))}", "empty"]
        return f"journal {KINDS[kind]} {number} {field} {rng.choice(names)}"

    def changed_file(self, case, path):
        _, kind_name, number, field, name = case.split(" ")
        kind = KINDS.index(kind_name)
        places = [at for at, (other, _) in enumerate(self.records) if other == kind]
        if not places:
            return False
        at = places[int(number) % len(places)]
        records = list(self.records)
        records[at] = kind, self.changed_record(kind_name, records[at][1], field, name)
        path.write_bytes(journal_text(records))
        return True

    def changed_record(self, kind, data, field, name):
        if kind not in HEADS:
            document = json.loads(data)
            document[field] = changed(name, document.get(field), lambda row: None)[1]
            return json.dumps(document).encode()
        layout, names = HEADS[kind]
        size = struct.calcsize(layout)
        if field == "data":
            return data[:size] + changed(name, data[size:], lambda row: b"")[1]
        head = list(struct.unpack(layout, data[:size]))
        value = changed(name, 0, lambda row: 0)[1]
        at = names.index(field)
        bits = 64 if layout[1 + at] == "q" else 32
        value = value if isinstance(value, int) else 0
        head[at] = (value + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)
        return struct.pack(layout, *head) + data[size:]


# --- commands

def show_options():
    """Those of the analyses and sections of `fathom show`, from its sources."""
    found = []
    for file in ("report/point_analyses/point_analyses.def", "cli/show.cpp"):
        text = (support.SOURCE / "src" / file).read_text(encoding="utf-8")
        found += re.findall(r'^(?:POINT_ANALYSIS\(\w+, |    Section\{)"(--[a-z-]+)"', text, re.MULTILINE)
    if len(found) < 8:
        raise AssertionError(f"only {found} in the tables of fathom show")
    return found


def commands(trust):
    """(name, words, whether the file is changed) of everything that reads a result file."""
    every = show_options()
    reading = [
        ("list", "list", "runs"), ("list --json", "list", "runs", "--json"),
        ("show", "show"), ("show all", "show", "--notes", *every), ("show --json", "show", "--json", *every), ("show --plan", "show", "--plan"),
        ("show views", "show", "--over-ranks", "each", "--over-reps", "p99", "--ranks", "0-1"),
        ("show selection", "show", "base", "--op", "allreduce", "--size", "8"),
        ("report", "report", "-o", "OUT/page.html"), ("report --json", "report", "FILE", "WHOLE", "--json"),
        ("compare", "compare", "WHOLE", "FILE"), ("compare --json", "compare", "FILE", "WHOLE", "--json", "--fail-above", "5%"),
        ("merge", "merge", "WHOLE", "FILE", "--anyway"), ("merge --json", "merge", "FILE", "WHOLE", "--anyway", "--json"),
        ("merge --csv", "merge", "WHOLE", "FILE", "--csv"),
        ("export --csv", "export", "--csv"), ("export --json", "export", "--json"), ("export samples csv", "export", "--samples", "--csv"),
        ("export samples json", "export", "--samples", "--json"), ("export --steps", "export", "--steps", "--csv"),
        ("export --gnuplot", "export", "--gnuplot", "OUT/gnuplot"),
        ("tree compare", "tree", "compare", "flat", "other", "--run", "last", "--svg", "OUT/trees.svg"),
        ("tree compare --json", "tree", "compare", "flat", "other", "--run", "last", "--json"),
    ]
    # Last, on the file itself: each leaves it to the next.
    writing = [("resume", "run", "--resume", "last", "--quiet", *trust), ("against", "run", "--against", "last", "--quiet", *trust),
               ("label", "label", "last", "other"), ("delete", "delete", "last", "--yes")]
    return [(name, words) for name, *words in (*reading, *writing)]


COLLECT = [("collect", ["run", "--collect", "JOURNAL", "--quiet"]), ("collect --json", ["run", "--collect", "JOURNAL", "--json", "--quiet"]),
           ("show collected", ["show", "--json", *show_options()]), ("report collected", ["report", "--json"]),
           ("resume collected", ["run", "--resume", "last", "--quiet"])]
PROBLEMS = ("signals", "hangs", "unexpected", "memory", "json")


class Ended:
    """How a command ended: the problem, if there was one."""

    def __init__(self, words, folder, env):
        out, err = folder / f"out-{threading.get_ident()}", folder / f"err-{threading.get_ident()}"
        with open(out, "wb") as stdout, open(err, "wb") as stderr:
            process = subprocess.Popen(words, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr)
            late = threading.Timer(LONGEST_S, process.kill)
            late.start()
            began = time.monotonic()
            _, status, usage = os.wait4(process.pid, 0)
            late.cancel()
            process.returncode = self.status = os.waitstatus_to_exitcode(status)
        self.seconds = time.monotonic() - began
        self.bytes = usage.ru_maxrss * 1024
        with open(err, "rb") as stderr:
            self.stderr = stderr.read(20_000).decode(errors="replace")
        self.problem = self.found(out, "--json" in words)

    def found(self, out, is_json):
        if self.seconds >= LONGEST_S:
            return "hangs"
        if self.status < 0 or self.status > 4 or "Sanitizer" in self.stderr or "runtime error:" in self.stderr:
            return "signals"
        if re.search(r"fathom: unexpected|bad_alloc|terminate called", self.stderr):
            return "unexpected"
        if self.bytes > MOST_BYTES:
            return "memory"
        if is_json and self.status in (0, 1):
            try:
                json.loads(out.read_bytes().decode(), parse_constant=lambda word: int(word))
            except ValueError:
                return "json"
        return None

    def __str__(self):
        lines = self.stderr.strip().splitlines()
        said = next((line for line in lines if "ERROR: " in line or "runtime error" in line), lines[0] if lines else "")
        return f"{self.problem}: exit {self.status}, {self.seconds:.1f} s, {self.bytes >> 20} MB: {said[:200]}"


class Drive:
    """Runs commands over changed files, and counts."""

    def __init__(self, test, bases):
        self.test, self.bases = test, bases
        self.fathom = str(pathlib.Path(options.build).resolve() / "bin" / "fathom")
        # Looking for leaks at the end of a process takes longer than LONGEST_S where ptrace is slow; unit tests look for them.
        sanitizers = {"ASAN_OPTIONS": "abort_on_error=1:detect_leaks=0:hard_rss_limit_mb=2048", "UBSAN_OPTIONS": "abort_on_error=1"}
        self.env = test.environment(sanitizers)
        help_text = subprocess.run([self.fathom, "run", "--help"], capture_output=True, text=True, timeout=60).stdout
        self.commands = commands(["--trust-file"] if "--trust-file" in help_text else [])
        self.counts = collections.defaultdict(collections.Counter)
        self.failures, self.files, self.lock = [], 0, threading.Lock()

    def words(self, template, folder, whole):
        places = {"FILE": str(folder / "fathom.db"), "WHOLE": str(whole), "JOURNAL": "plan.toml.journal"}
        return [self.fathom, *(places.get(word, word.replace("OUT/", f"{folder}/")) for word in template)]

    def drive(self, case):
        """One file through all commands. Each has a folder of its own, which goes with it."""
        with tempfile.TemporaryDirectory(prefix="case-", dir=self.test.dir) as name:
            folder = pathlib.Path(name)
            if case.startswith("journal "):
                whole, all_commands = None, COLLECT
                made = self.bases.journal is not None and Journal(self.bases.journal).changed_file(case, folder / "plan.toml.journal")
            else:
                whole, all_commands = self.bases.files.get(case.split(" ")[0]), self.commands
                made = self.bases.changed_file(case, folder / "fathom.db")
            if not made:
                return False
            for title, template in all_commands:
                words = self.words(template, folder, whole)
                ended = Ended(words, folder, self.env)
                with self.lock:
                    self.counts[title]["runs"] += 1
                    self.counts[title][ended.problem or f"exit {ended.status}"] += 1
                    if ended.problem:
                        self.failures.append((case, title, str(ended)))
                        print(f"{ended}\n    {title}, --case {shlex.quote(case)}", file=sys.stderr, flush=True)
            with self.lock:
                self.files += 1
                if self.files % FILES == 0 and options.files > FILES:
                    print(f"{self.files} of {options.files} files, {len(self.failures)} commands failed", file=sys.stderr, flush=True)
            return True

    def drive_all(self, cases):
        with concurrent.futures.ThreadPoolExecutor(support.processors()) as pool:
            return sum(pool.map(self.drive, cases))

    def table(self):
        columns = ("runs", "exit 0", "exit 1", "exit 2", "exit 3", "exit 4", *PROBLEMS)
        rows = [("command", *columns), *((title, *(str(counts[column]) for column in columns)) for title, counts in self.counts.items()),
                ("all", *(str(sum(counts[column] for counts in self.counts.values())) for column in columns))]
        widths = [max(map(len, column)) for column in zip(*rows)]
        return "".join("  ".join(cell.ljust(width) if at == 0 else cell.rjust(width) for at, (cell, width) in enumerate(zip(row, widths)))
                       .rstrip() + "\n" for row in rows)


@support.needs("smpi")
class Columns(FathomTest):
    bases = None

    def setUp(self):
        super().setUp()
        Columns.bases = Columns.bases or Bases(self)
        self.drive = Drive(self, Columns.bases)
        sanitized = "FATHOM_SANITIZE:STRING=address" in (pathlib.Path(options.build) / "CMakeCache.txt").read_text(encoding="utf-8")
        if not sanitized:  # which maps terabytes
            before = resource.getrlimit(resource.RLIMIT_AS)
            resource.setrlimit(resource.RLIMIT_AS, (LIMIT_BYTES, before[1]))
            self.addCleanup(resource.setrlimit, resource.RLIMIT_AS, before)

    def conclude(self):
        print(f"\n{self.drive.files} files\n{self.drive.table()}", flush=True)
        self.assertEqual(self.drive.failures, [], f"{len(self.drive.failures)} commands failed")

    def test_cases_that_were_kept(self):
        self.drive.drive_all((*KEPT, *KEPT_JOURNALS))
        self.conclude()

    def test_values_changed_at_random(self):
        """A tenth of the files are journals."""
        rng = random.Random(options.seed)
        journal = Journal(self.drive.bases.journal) if self.drive.bases.journal else None
        drawn = 0
        while self.drive.files < options.files:
            wanted = options.files - self.drive.files
            self.assertLess(drawn, 20 * options.files, "SQLite takes none of the values")
            self.drive.drive_all([journal.random_case(rng) if journal and rng.random() < 0.1 else self.drive.bases.random_case(rng)
                                  for _ in range(wanted)])
            drawn += wanted
        self.conclude()

    def test_one(self):
        self.drive.drive_all(options.case)
        self.conclude()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=FILES, help="how many files are changed at random")
    parser.add_argument("--build", default=support.BUILD, help="the folder of the build whose fathom is driven")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--case", action="append", default=[], help="this one, with Columns.test_one")
    options, sys.argv[1:] = parser.parse_known_args()
    if not options.case:
        del Columns.test_one
    support.main()
