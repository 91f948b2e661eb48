#!/usr/bin/env python3
"""Six reports made in simulation, for docs/gallery: `docs/gallery.py [BUILD [FOLDER]]`.

The pages go to FOLDER (a temporary one if none is named: each has the charts library in it, which is too much to keep here),
their pictures to docs/gallery.
"""
import pathlib
import subprocess
import sys
import tempfile

from pictures import BUILD, DOCS, browser, take

SMP = ["--platform", "smp-32x2"]
SIZES = ["--sizes", "8,64,1k,4k,16k,64k,256k"]
# Each a list of commands of fathom; the last one writes the page.
PAGES = {
    "run": [["run", "bcast", "allreduce", "alltoall", "-n", "2,8,32", *SIZES, *SMP, "--reps", "20", "--label", "collectives"]],
    "comparison": [["run", "bcast", "allreduce", "-n", "16", *SIZES, "--platform", platform, "--reps", "20", "--label", label]
                   for platform, label in (("myrinet-128", "before"), ("gigabit-128", "after"))],
    "matrix": [["run", "matrix", "-n", "32", "--sizes", "8,64k", *SMP, "--reps", "5", "--label", "all pairs"]],
    "schemes": [["run", "bcast", "-n", "16", "--sizes", "1k,16k", *SMP, "--reps", "20", "--compare-schemes", "--label", "schemes"]],
    "overlap": [["run", "overlap.isend", "-n", "2", "--sizes", "1k,16k,64k,256k", *SMP, "--reps", "12", "--label", "overlap"]],
    "tuning": [["tune", "bcast", "allreduce", "-n", "16", "--sizes", "1k,16k,256k", *SMP, "--json"]],
}


def fathom(folder, *words):
    done = subprocess.run([BUILD / "bin" / "fathom", *words], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"fathom {' '.join(map(str, words))}: {done.stderr}")
    return done.stdout


def make(name, commands, folder):
    """A page, and the folder with its results."""
    own = folder / name
    own.mkdir(parents=True)
    printed = [fathom(own, *command) for command in commands]
    if name == "tuning":
        (own / "tuning.json").write_text(printed[0], encoding="utf-8")
        fathom(own, "tune", "report", "tuning.json", "-o", folder / f"{name}.html")
    else:
        fathom(own, "report", *map(str, range(1, len(commands) + 1)), "-o", folder / f"{name}.html")
    return folder / f"{name}.html"


def main():
    browser()
    gallery = DOCS / "gallery"
    gallery.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="fathom-gallery-") as temporary:
        folder = pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else pathlib.Path(temporary)
        shots = []
        for name, commands in PAGES.items():
            print(f"{name} ...", flush=True)
            page = make(name, commands, folder)
            shots.append({"page": str(page), "picture": str(gallery / f"{name}.png"), "at": "h1", "width": 1100, "height": 700})
        take(shots)


if __name__ == "__main__":
    main()
