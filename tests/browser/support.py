"""What browser tests share: a report that is opened in headless Chromium by drive.mjs."""
import json
import os
import pathlib
import shutil
import subprocess

SOURCE = pathlib.Path(os.environ.get("FATHOM_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
BUILD = pathlib.Path(os.environ.get("FATHOM_BUILD_DIR", SOURCE / "build"))
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
