#!/usr/bin/env python3
"""What CI does with a fuzz target: replays its seeds and findings, then fuzzes for a fixed number of inputs and a fixed seed.

usage: short_run.py BUILD TARGET RUNS
"""
import pathlib
import subprocess
import sys

from fuzz_targets import Scratch, options_of, program, replay


def complain(output, hint):
    print(output.decode(errors="replace")[-6000:])
    sys.exit(f"short_run: {hint}")


def main():
    build, target, runs = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], int(sys.argv[3])
    artifacts = build / "fuzz" / "artifacts" / target
    artifacts.mkdir(parents=True, exist_ok=True)
    with Scratch() as scratch:
        folders = scratch.seeds(build, target)
        inputs = sorted(path for folder in folders for path in folder.rglob("*") if path.is_file())
        if not inputs:
            sys.exit(f"short_run: {target} has no seeds")
        done = replay(build, target, inputs, scratch.environment)
        if done.returncode != 0:
            for path in inputs:
                if replay(build, target, [path], scratch.environment).returncode != 0:
                    print(f"fails: {path}")
            complain(done.stderr, "an input that was kept is a finding again")
        found = scratch.path / "found"
        found.mkdir()
        done = subprocess.run([program(build, target), f"-runs={runs}", "-seed=1", f"-artifact_prefix={artifacts}/", *options_of(target),
                               str(found), *map(str, folders)], env=scratch.environment, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=600)
        if done.returncode != 0:
            complain(done.stderr, f"a finding is in {artifacts}; 'lab/fuzz --target {target} --keep FILE' minimises it into the corpus")
        last = [line for line in done.stderr.decode(errors="replace").splitlines() if line.startswith(("#", "Done"))][-2:]
        print(f"{target}: {len(inputs)} inputs replayed; {'; '.join(last)}")


if __name__ == "__main__":
    main()
