"""What browser tests share: a report that is opened in headless Chromium by drive.mjs."""
import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
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


def drive(scenario, page, choices=(), timeout=180):
    """What a scenario saw; `choices` are made on the way, each (section, label of a control, option or text)."""
    done = subprocess.run(["node", DRIVE, PACKAGES, chromium(), scenario, page, json.dumps(choices)], capture_output=True, text=True, timeout=timeout,
                          env={**os.environ, "LC_ALL": "C.UTF-8"})
    if done.returncode != 0:
        raise AssertionError(f"{scenario} failed:\n{done.stderr[-4000:]}")
    return json.loads(done.stdout)


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

    def edited(self, change, page=None):
        """A report, of run 1 if none is named, with other data in it: the page must show whatever analyses say."""
        page = (page or self.one).read_text(encoding="utf-8")
        data, begin, end = harness.data_of(page)
        change(*data["runs"])
        path = self.folder / "edited.html"
        path.write_text(page[:begin] + json.dumps(data, ensure_ascii=False).replace("<", "\\u003c") + page[end:], encoding="utf-8")
        return path


def main():
    """Runs the test cases of a file, or skips them with the reason where there is no browser."""
    harness.main(skip_all=why_not())
