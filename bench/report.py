#!/usr/bin/env python3
"""How reports cope with large runs: `bench/report.py [POINTS RANKS REPETITIONS]`, 200 64 2000 by default.

Prints the time and the memory that `fathom report` takes, the size of the page, and how soon it can be used in Chromium.
"""
import json
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time

from support import BUILD, SOURCE, head, row


def chromium():
    return next((path for path in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if path), None)


def opened(page):
    """What the browser tests see of its speed, or nothing where there is no browser."""
    packages = BUILD / "web"
    if chromium() is None or not (packages / "node_modules" / "playwright-core").exists():
        return None
    drive = SOURCE / "tests" / "browser" / "drive.mjs"
    done = subprocess.run(["node", drive, packages, chromium(), "speed", page], capture_output=True, text=True, timeout=600, check=True)
    return json.loads(done.stdout)["found"]


def main():
    shape = sys.argv[1:] or ["200", "64", "2000"]
    with tempfile.TemporaryDirectory(prefix="fathom-bench-") as folder:
        folder = pathlib.Path(folder)
        subprocess.run([BUILD / "bench" / "fathom-large-run", folder / "large.db", *shape], check=True)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        begin = time.monotonic()
        subprocess.run([BUILD / "bin" / "fathom", "report", folder / "large.db", "-o", folder / "large.html"], check=True,
                       stdout=subprocess.DEVNULL)
        took = time.monotonic() - begin
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        busy = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        page = folder / "large.html"
        head("what", "measured", "wanted (200 x 64 x 2000)")
        row("result file", f"{(folder / 'large.db').stat().st_size / 1e6:.1f} MB", "")
        row("time of fathom report", f"{took:.1f} s ({busy:.1f} s of processor time)", "below 10 s")
        row("peak memory (with making the file)", f"{after.ru_maxrss / 1024:.0f} MiB", "below 500 MB")
        row("page", f"{page.stat().st_size / 1e6:.1f} MB", "below 15 MB")
        seen = opened(page)
        if seen is None:
            print("no Chromium or no playwright-core here: the page was not opened")
            return
        row("page ready", f"{seen['ready_ms']:.0f} ms", "below 2000 ms")
        row("a control answers", f"{seen['answer_ms']} ms", "")
        row("charts", seen["charts"], "")


if __name__ == "__main__":
    main()
