"""How every Python test file runs: what is counted, when a try may be repeated, and which MPI libraries must be there.

A test file ends in `harness.main()` and is run by CTest or by hand: `python3 tests/e2e/test_input.py [-v] [Class.test]`.

The exit status is 0 if all test cases passed, 1 if one failed, 77 if all were skipped. With CI=true in the environment a
skip is a failure. Every test case of the file is counted exactly once; one that was neither passed, failed nor skipped has
failed, and so has a file without test cases.

FATHOM_TEST_PART=alone runs only the test cases that are marked as `@alone`, FATHOM_TEST_PART=beside only the others; CTest
has a test for each.

If FATHOM_TEST_REPORTS names a folder, FOLDER.NAME.json (`e2e.search.json` of tests/e2e/test_search.py, and
`e2e.search.alone.json` of its part `alone`) is written there:

    {"file": "tests/e2e/test_search.py",
     "passed": 12,                                           test cases
     "failed": 0,                                            test cases; the rest of the file's are skipped ones
     "skipped": [{"test": "Class.test", "reason": "..."}],   one entry a test case, or one for each skipped sub-test
     "retries": [{"test": "Class.test", "evidence": "..."}], one entry a retry
     "seconds": {"Class.test": 1.2}}                         how long each test case took

Until the file has finished, its report says that one test case failed: a file that is killed is not forgotten.
"""
import atexit
import dataclasses
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

SOURCE = pathlib.Path(os.environ.get("FATHOM_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[1]))
BUILD = pathlib.Path(os.environ.get("FATHOM_BUILD_DIR", SOURCE / "build"))
ALL_SKIPPED = 77
TICKS_PER_S = os.sysconf("SC_CLK_TCK")


# --- Pages

def data_of(page):
    """The data within a page of `fathom report`, as `fathom report --json` prints them; and where in the page they are."""
    begin = page.index('id="data">') + len('id="data">')
    end = page.index("</script>", begin)

    def unpacked(value):
        if isinstance(value, list):
            return [unpacked(one) for one in value]
        if not isinstance(value, dict):
            return value
        if not isinstance(value.get("[]"), int):
            return {name: unpacked(one) for name, one in value.items()}
        columns = {name: (isinstance(column, list), unpacked(column)) for name, column in value.items() if name != "[]"}
        return [{name: column[i] if many else column for name, (many, column) in columns.items()} for i in range(value["[]"])]

    return unpacked(json.loads(page[begin:end])), begin, end


# --- MPI libraries

_open_loops = []  # of the test case that runs


class _Flavours(tuple):
    """Flavours to be run one after the other: a test case that passes has begun with the last one."""

    def __iter__(self):
        rest = set(tuple.__iter__(self))
        _open_loops.append(rest)
        for flavour in tuple.__iter__(self):
            rest.discard(flavour)
            yield flavour


def built_flavours():
    """Those the build was configured with, whether or not their probes are there."""
    file = BUILD / "tests" / "flavours.txt"
    if not file.exists():
        raise AssertionError(f"no {file}; './quickstart build' makes it")
    return file.read_text(encoding="ascii").split()


def probe(flavour):
    """The probe of a flavour that the build was configured with. It must be there."""
    path = BUILD / "bin" / f"fathom-probe-{flavour}"
    if not path.exists():
        raise AssertionError(f"the build was configured with {flavour}, but there is no {path}")
    return path


def flavours(*wanted):
    """Those of the wanted flavours that the build was configured with, for a loop; the test case is skipped if there are none.

    Fails if a probe is missing; and a test case fails that leaves the loop before the last flavour.
    """
    found = _Flavours(flavour for flavour in wanted if flavour in built_flavours())
    if not found:
        raise unittest.SkipTest(f"the build was configured without {' and without '.join(wanted)}")
    for flavour in tuple.__iter__(found):
        probe(flavour)
    return found


def needs(*wanted):
    """Skips a test case or class if the build was configured without a flavour; fails it if only the probe is missing."""
    def decorate(item):
        missing = [flavour for flavour in wanted if flavour not in built_flavours()]
        if missing:
            return unittest.skip(f"the build was configured without {', '.join(missing)}")(item)
        for flavour in wanted:
            probe(flavour)
        return item
    return decorate


# --- programs in C that tests preload or start

_built = {}


def _compiled(name, file, *options):
    """Compiles tests/e2e/NAME.c, once a file; what comes out is removed at exit."""
    if name not in _built:
        compiler = shutil.which("cc")
        if compiler is None:
            raise AssertionError(f"no C compiler to build {name}.c with")
        folder = tempfile.mkdtemp(prefix="fe2e-")  # without blanks, which LD_PRELOAD does not take
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        made = os.path.join(folder, file)
        subprocess.run([compiler, *options, "-O1", "-Wall", "-Werror", "-pthread", "-o", made,
                        str(SOURCE / "tests" / "e2e" / f"{name}.c"), "-ldl"], check=True, timeout=60)
        _built[name] = made
    return _built[name]


def preload(name):
    """A library to preload, made of tests/e2e/NAME.c."""
    return _compiled(name, f"{name}.so", "-shared", "-fPIC")


def program(name):
    """A program, made of tests/e2e/NAME.c."""
    return _compiled(name, name)


def patient():
    """Environment in which ranks that wait for messages leave their cores to others, for more ranks than cores: see patient.c."""
    return {"LD_PRELOAD": preload("patient"), "FATHOM_PATIENT": "1"}


# --- which test cases run beside other tests

PART = os.environ.get("FATHOM_TEST_PART")


def alone(item):
    """Marks a test case or class that needs the machine for itself, since it judges times of real jobs or what disturbs them."""
    item.runs_alone = True
    return item


def _in_part(case):
    method = getattr(case, getattr(case, "_testMethodName", ""), None)
    marked = getattr(case, "runs_alone", False) or getattr(method, "runs_alone", False)
    return PART not in ("alone", "beside") or marked == (PART == "alone")


# --- tries that others disturbed

# Pieces of half a millisecond. At rest, the slowest tenth of them takes 5 to 10 % longer than the fastest.
PIECES, PIECE, LEAST_SPEEDS = 50, 10000, 1.25

@dataclasses.dataclass(frozen=True)
class Disturbance:
    """What others had of the processors that this process may use, over one try."""

    wall_s: float
    processors: int
    busy_s: float    # processor time of everybody: user, nice and system of /proc/stat
    stolen_s: float  # processor time that the hypervisor gave to others
    own_s: float     # processor time of this process and all of its descendants, living or ended
    speeds: float = 1  # of the fastest tenth of short pieces of work by that of the slowest tenth, before the try or after it

    @property
    def others_s(self):
        return max(0.0, self.busy_s + self.stolen_s - self.own_s)

    @property
    def least_s(self):
        """What others must have had to be evidence: a tenth of a processor, plus the error of the kernel's count.

        A machine at rest takes 1 to 3 % of a processor for itself. The kernel samples at each tick whether a processor is
        busy: of n ticks that many are off by at most sqrt(n) / 2 (one standard deviation), of which two are allowed for.
        """
        return 0.1 * self.wall_s + (self.wall_s * self.processors * TICKS_PER_S) ** 0.5 / TICKS_PER_S

    @property
    def is_evidence(self):
        return self.others_s > self.least_s or self.speeds > LEAST_SPEEDS

    def __str__(self):
        return (f"others had {self.others_s:.2f} s of {self.processors} processors in {self.wall_s:.2f} s "
                f"(evidence from {self.least_s:.2f} s; {self.stolen_s:.2f} s of it stolen; own {self.own_s:.2f} s); "
                f"they were up to {self.speeds:.2f} times as fast as at other times (evidence from {LEAST_SPEEDS})")


class Watch:
    """Measures what others have of the processors, from its making on.

    Interrupts do not count: the test's own messages cause them as well.
    """

    def __init__(self):
        self._speeds = _speeds()
        self._began, self._busy, self._own = time.monotonic(), _busy_and_stolen_s(), _own_s()

    def disturbance(self):
        busy, own, now = _busy_and_stolen_s(), _own_s(), time.monotonic()
        return Disturbance(now - self._began, len(os.sched_getaffinity(0)), busy[0] - self._busy[0],
                           busy[1] - self._busy[1], own - self._own, max(self._speeds, _speeds()))


def _speeds():
    """How much the speed of the processors that this process may use varies over some hundredths of a second.

    Guests of a hypervisor that share a core, or its clock, slow a program down without taking any of its time.
    """
    def piece():
        begin, total = time.perf_counter(), 0
        for number in range(PIECE):
            total += number
        return time.perf_counter() - begin

    allowed, worst = os.sched_getaffinity(0), 1
    try:
        for processor in sorted(allowed)[:2]:
            os.sched_setaffinity(0, {processor})
            times = sorted(piece() for _ in range(PIECES))
            worst = max(worst, times[-1 - PIECES // 10] / times[PIECES // 10])
    finally:
        os.sched_setaffinity(0, allowed)
    return worst


def _busy_and_stolen_s():
    """Of the processors that this process may use, since the machine started."""
    busy = stolen = 0
    with open("/proc/stat", encoding="ascii") as lines:
        for line in lines:
            words = line.split()
            if words[0].startswith("cpu") and words[0] != "cpu" and int(words[0][3:]) in os.sched_getaffinity(0):
                counts = [int(word) for word in words[1:]]
                busy += counts[0] + counts[1] + counts[2]
                stolen += counts[7] if len(counts) > 7 else 0
    return busy / TICKS_PER_S, stolen / TICKS_PER_S


def _own_s():
    """Processor time of this process and its descendants: those it has waited for, and those that live."""
    used = sum(usage.ru_utime + usage.ru_stime
               for usage in (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)))
    children, times = {}, {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                fields = pathlib.Path("/proc", entry, "stat").read_bytes().rpartition(b")")[2].split()
            except OSError:
                continue  # it has just ended
            children.setdefault(int(fields[1]), []).append(int(entry))
            times[int(entry)] = sum(map(int, fields[11:15])) / TICKS_PER_S  # its own and that of children it waited for
    found = list(children.get(os.getpid(), ()))
    for pid in found:
        found.extend(children.get(pid, ()))
    return used + sum(times[pid] for pid in found)


_retries = []  # (test, evidence)
_running = "no test case"


def undisturbed(attempt, tries=3):
    """What `attempt()` returns. If it fails, it is tried again, but only if others had the processors during that try.

    A failure without evidence of a disturbance stands, and so does that of the last try.
    """
    for number in range(1, tries + 1):
        watch = Watch()
        try:
            return attempt()
        except AssertionError as failure:
            evidence = watch.disturbance()
            if not evidence.is_evidence:
                raise AssertionError(f"{failure}\nNot tried again, the machine was undisturbed: {evidence}") from failure
            if number == tries:
                raise AssertionError(f"{failure}\nThe machine was disturbed in each of {tries} tries, at last: {evidence}") from failure
            first = next(iter(str(failure).splitlines()), "")[:200]
            _retries.append((_running, str(evidence)))
            print(f"RETRY {_running}: {evidence}; try {number} of {tries} failed: {first}", file=sys.stderr, flush=True)


# --- counting and reporting

def _name(test):
    """`Class.test` of a test case, without what a sub-test adds."""
    return getattr(test, "test_case", test).id().removeprefix("__main__.")


def _cases(suite):
    for item in suite:
        if isinstance(item, unittest.TestSuite):
            yield from _cases(item)
        else:
            yield item


class _Result(unittest.TextTestResult):
    """Knows for each test case whether it passed, failed or was skipped."""

    def __init__(self, *words, **more):
        super().__init__(*words, **more)
        self.cases, self.passed, self.failed, self.skips = [], set(), set(), []
        self.seconds, self._begun = {}, 0.0

    def _of(self, test):
        """Test cases that a result is about: one, or all of the class or module that could not be set up."""
        name = _name(test)
        if any(_name(case) == name for case in self.cases):
            return [name]
        return [_name(case) for case in self.cases if f"({unittest.util.strclass(type(case))})" in name or "Module" in name] or [name]

    def startTest(self, test):
        global _running
        _running = _name(test)
        _open_loops.clear()
        self._begun = time.monotonic()
        super().startTest(test)

    def stopTest(self, test):
        self.seconds[_name(test)] = round(time.monotonic() - self._begun, 2)
        super().stopTest(test)

    def addSuccess(self, test):
        left = set().union(*_open_loops)
        if left:
            message = f"the loop over flavours ended before {', '.join(sorted(left))}"
            self.addFailure(test, (AssertionError, AssertionError(message), None))
            return
        self.passed.add(_name(test))
        super().addSuccess(test)

    def addFailure(self, test, err):
        self.failed.update(self._of(test))
        super().addFailure(test, err)

    def addError(self, test, err):
        self.failed.update(self._of(test))
        super().addError(test, err)

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.failed.add(_name(test))
        super().addSubTest(test, subtest, err)

    def addUnexpectedSuccess(self, test):
        self.failed.add(_name(test))
        super().addUnexpectedSuccess(test)

    def addExpectedFailure(self, test, err):
        self.passed.add(_name(test))
        super().addExpectedFailure(test, err)

    def addSkip(self, test, reason):
        names = [test.id().removeprefix("__main__.")] if hasattr(test, "test_case") else self._of(test)
        self.skips.extend((name, reason) for name in names)
        super().addSkip(test, reason)


class _Runner(unittest.TextTestRunner):
    resultclass = _Result

    def run(self, test):
        self._found = [case for case in _cases(test) if _in_part(case)]
        return super().run(unittest.TestSuite(self._found))

    def _makeResult(self):
        result = super()._makeResult()
        result.cases = self._found
        return result


def _file():
    return pathlib.Path(getattr(sys.modules["__main__"], "__file__", "unknown")).resolve()


def _report(passed, failed, skipped, retries, seconds):
    folder = os.environ.get("FATHOM_TEST_REPORTS")
    if not folder:
        return
    file = _file()
    document = {"file": str(file.relative_to(SOURCE) if file.is_relative_to(SOURCE) else file.name), "passed": passed, "failed": failed,
                "skipped": [{"test": test, "reason": reason} for test, reason in skipped],
                "retries": [{"test": test, "evidence": evidence} for test, evidence in retries], "seconds": seconds}
    part = ".alone" if PART == "alone" else ""
    path = pathlib.Path(folder) / f"{file.parent.name}.{file.stem.removeprefix('test_')}{part}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def main(skip_all=None):
    """Runs the test cases of the calling file and exits. `skip_all` is a reason to skip every one of them."""
    if skip_all is not None:
        for item in vars(sys.modules["__main__"]).values():
            if isinstance(item, type) and issubclass(item, unittest.TestCase):
                unittest.skip(skip_all)(item)
    result = unittest.main(module="__main__", exit=False, testRunner=_Runner, verbosity=2 if "-v" in sys.argv else 1).result
    cases = {_name(case) for case in result.cases}
    in_ci = os.environ.get("CI") == "true"
    skipped_cases = {name for name in cases if any(skip == name or skip.startswith(f"{name} ") for skip, _ in result.skips)}
    unaccounted = cases - result.passed - result.failed - skipped_cases
    for name in sorted(unaccounted):
        print(f"FAILED {name}: it neither passed nor failed nor was it skipped")
    failed = result.failed | unaccounted
    skips = [(name, reason) for name, reason in result.skips if name.split(" ")[0] not in failed]
    for name, reason in skips:
        print(f"SKIPPED {name}: {reason}" + (" (CI=true: a skip is a failure)" if in_ci else ""))
    for name, evidence in _retries:
        print(f"RETRIED {name}: {evidence}")
    passed = cases - failed - skipped_cases
    _report(len(passed), len(failed), skips, _retries, result.seconds)
    print(f"passed {len(passed)}, failed {len(failed)}, skipped {len(skipped_cases - failed)}, retries {len(_retries)}", flush=True)
    if not cases:
        print("no test cases")
    if failed or not cases or (in_ci and skips):
        sys.exit(1)
    sys.exit(ALL_SKIPPED if skipped_cases == cases else 0)


_report(0, 1, [], [], {})
