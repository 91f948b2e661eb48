#!/usr/bin/env python3
"""Measures this machine for a minute, makes a report of it and takes the pictures of docs/report.md: `docs/pictures.py [BUILD]`."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

DOCS = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else DOCS.parent / "build").resolve()


def browser():
    """Chromium, or an end with the reason where pictures cannot be taken."""
    found = next((path for path in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if path), None)
    if found is None or not (BUILD / "web" / "node_modules" / "playwright-core").exists():
        sys.exit("pictures need Chromium, and a build with npm and tests (FATHOM_TESTS=ON).")
    return found


def take(shots):
    """Pictures of pages: what pictures.mjs takes."""
    subprocess.run(["node", DOCS / "pictures.mjs", BUILD / "web", browser(), json.dumps(shots)], check=True)
    for shot in shots:
        picture = pathlib.Path(shot["picture"])
        print(f"{picture.name}: {picture.stat().st_size // 1024} KiB")


def main():
    browser()
    pictures = DOCS / "pictures"
    pictures.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="fathom-pictures-") as folder:
        fathom = [BUILD / "bin" / "fathom"]
        labels = {"openmpi": "Open MPI", "mpich": "MPICH"}
        here = [flavour for flavour in labels if (BUILD / "bin" / f"fathom-probe-{flavour}").exists()]
        for flavour in here:
            root = ["--allow-run-as-root"] if flavour == "openmpi" and os.geteuid() == 0 else []
            print(f"measuring with {labels[flavour]} ...", flush=True)
            subprocess.run([*fathom, "run", "pingpong", "bcast", "allreduce", "-n", "2", "--sizes", "8:1M", "--locate-switches", "--mpi", flavour,
                            "--label", labels[flavour], *root], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        subprocess.run([*fathom, "report", *(labels[flavour] for flavour in here), "-o", "report.html"], cwd=folder, check=True)
        page = str(pathlib.Path(folder) / "report.html")
        views = {"top": {"at": "h1"}, "curves": {"at": "section#pingpong"}, "spread": {"at": "section#allreduce h3.part", "dark": True},
                 "phone": {"at": "section#bcast", "width": 360, "height": 640}}
        take([{"page": page, "picture": str(pictures / f"{name}.png"), **view} for name, view in views.items()])


if __name__ == "__main__":
    main()
