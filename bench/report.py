#!/usr/bin/env python3
"""How reports cope with large runs: `bench/report.py [OPERATIONS SIZES PROCS[,PROCS...] REPETITIONS]`.

Without a shape, two runs are made: 200 points of 64 processes with 2000 repetitions each, and 20,000 points of up to 1,024
processes. Prints the time and the memory that `fathom report` takes, the size of the page, and how soon it can be used in
Chromium: when the first chart is there, and how long picking a point takes until its charts are drawn again.
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
    request = json.dumps({"scenario": "speed", "page": str(page), "choices": []})
    done = subprocess.run(["node", drive, packages, chromium()], input=request, capture_output=True, text=True, timeout=600, check=True)
    answer = json.loads(done.stdout)
    if "failed" in answer:
        sys.exit(answer["failed"])
    return answer["found"]


def measure(shape):
    with tempfile.TemporaryDirectory(prefix="fathom-bench-") as folder:
        folder = pathlib.Path(folder)
        subprocess.run([BUILD / "bench" / "fathom-large-run", folder / "large.db", *shape], check=True)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        begin = time.monotonic()
        subprocess.run([BUILD / "bin" / "fathom", "report", folder / "large.db", "-o", folder / "large.html"], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        took = time.monotonic() - begin
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        busy = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        page = folder / "large.html"
        head(f"{shape[0]} operations, {shape[1]} sizes, {shape[2]} processes, {shape[3]} repetitions", "measured", "wanted")
        row("result file", f"{(folder / 'large.db').stat().st_size / 1e6:.1f} MB", "")
        row("time of fathom report", f"{took:.1f} s ({busy:.1f} s of processor time)", "")
        row("peak memory (with making the file)", f"{after.ru_maxrss / 1024:.0f} MiB", "")
        row("page", f"{page.stat().st_size / 1e6:.1f} MB", "below 15 MB")
        seen = opened(page)
        if seen is None:
            print("no Chromium or no playwright-core here: the page was not opened")
            return
        row("first chart", f"{seen['first_chart_ms']:.0f} ms ({seen['busy_ms']:.0f} ms of processor time)", "below 2000 ms")
        row("picking a point, longest of five", f"{seen['answer_ms']:.0f} ms", "below 100 ms")
        row("charts made by then", seen["charts"], "")


def main():
    for shape in [sys.argv[1:]] if len(sys.argv) > 1 else [["5", "40", "64", "2000"], ["119", "42", "16,64,256,1024", "10"]]:
        measure(shape)


if __name__ == "__main__":
    main()
