"""What browser tests share: a report that is opened in headless Chromium by drive.mjs."""
import atexit
import base64
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import harness
from harness import BUILD

FATHOM = BUILD / "bin" / "fathom"
PACKAGES = BUILD / "web"
DRIVE = pathlib.Path(__file__).resolve().parent / "drive.mjs"


def chromium():
    return next((path for path in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if path), None)


def why_not():
    """What is missing for tests with a browser, or nothing."""
    if shutil.which("node") is None:
        return "node is not installed (Debian: nodejs)"
    if chromium() is None:
        return "no Chromium here (Debian: chromium)"
    if not (PACKAGES / "node_modules" / "playwright-core").exists():
        return f"no playwright-core in {PACKAGES}: the page was not built, or without its tests"
    return None


class _Driver:
    """drive.mjs with its browser, which serves all scenarios of a test file."""
    def __init__(self):
        self.process = subprocess.Popen(["node", DRIVE, PACKAGES, chromium()], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env={**os.environ, "LC_ALL": "C.UTF-8"}, start_new_session=True)
        self.unread = b""

    def answer(self, request, timeout):
        """Of the line that it prints."""
        end = time.monotonic() + timeout
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        while b"\n" not in self.unread:
            if not select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))[0]:
                raise AssertionError(f"{request['scenario']} took more than {timeout} s: {self.unread.decode()}")
            more = os.read(self.process.stdout.fileno(), 1 << 20)
            if not more:
                raise AssertionError(f"the driver of the browser ended: {self.unread.decode()}")
            self.unread += more
        line, _, self.unread = self.unread.partition(b"\n")
        return json.loads(line)

    def end(self):
        self.process.stdin.close()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.process.stdout.close()


_driver = None


def _end_driver():
    global _driver
    if _driver:
        _driver.end()
    _driver = None


atexit.register(_end_driver)


def drive(scenario, page, choices=(), timeout=180):
    """What a scenario saw; `choices` are made on the way, each (section, label of a control, option or text)."""
    global _driver
    _driver = _driver or _Driver()
    try:
        seen = _driver.answer({"scenario": scenario, "page": str(page), "choices": choices}, timeout)
    except (AssertionError, OSError, ValueError):
        _end_driver()
        raise
    if "failed" in seen:
        raise AssertionError(f"{scenario} failed:\n{seen['failed'][-4000:]}")
    return seen


def fathom(folder, *words):
    done = subprocess.run([FATHOM, *map(str, words)], cwd=folder, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        raise AssertionError(f"fathom {words}: {done.stderr}")
    return done.stdout


def packed(*counts):
    """Counts of bins as pages have them, below 128 each."""
    found, empty = [], 0
    for count in counts:
        if count:
            found += [empty, count]
        empty = 0 if count else empty + 1
    return base64.b64encode(bytes(found)).decode()


def only(run, operation):
    """Of one operation, which is quicker to look at."""
    run["points"] = [point for point in run["points"] if point["operation"] == operation]
    return run["points"]


class PageCase(unittest.TestCase):
    """Has a folder, and in it result files and pages."""
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="fathom browser "))
        cls.addClassCleanup(shutil.rmtree, cls.folder)

    @classmethod
    def report(cls, *runs, db="fathom.db"):
        name = f"{'-'.join(runs)}-{db}.html"
        fathom(cls.folder, "report", *runs, "-o", name, "--db", db)
        return cls.folder / name

    def seen(self, scenario, page, choices=()):
        """What a scenario found, on a page that behaved."""
        result = drive(scenario, page, choices)
        self.assertEqual(result["requests"], [], "the page loads nothing")
        self.assertEqual(result["console"], [], "nothing is complained about")
        self.assertEqual(result["errors"], [])
        self.assertEqual(result["dialogs"], 0)
        return result["found"]

    def edited(self, change, page=None, compared=None):
        """A report, of run 1 if none is named, with other data in it: the page must show whatever analyses say. `compared`
        changes its comparisons."""
        page = (page or self.one).read_text(encoding="utf-8")
        data, begin, end = harness.data_of(page)
        change(*data["runs"])
        if compared:
            compared(*data["comparisons"])
        path = self.folder / "edited.html"
        path.write_text(page[:begin] + json.dumps(data, ensure_ascii=False).replace("<", "\\u003c") + page[end:], encoding="utf-8")
        return path


def main():
    """Runs the test cases of a file, or skips them with the reason where there is no browser."""
    harness.main(skip_all=why_not())
