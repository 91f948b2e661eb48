#!/usr/bin/env python3
"""Writes the outputs in the guide (docs/guide/*.md): what its commands print in simulation.

  docs/guide.py FATHOM           writes the pages
  docs/guide.py FATHOM --check   says whether they are current, by its exit status

A block that begins with ```console is run: each line that begins with `$ ` is a command, and what follows it is what it
printed. The commands of a page run in one folder, in order; `...` alone stands for lines that are left out. Times of day,
paths and the version of SimGrid are replaced. Other blocks are left alone.
"""
import argparse
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

PAGES = pathlib.Path(__file__).with_name("guide")
BLOCK = re.compile(r"```console\n(.*?)```", re.S)
DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
VERSION = re.compile(r"\bSMPI \d[\d.]*")
# What events take in the file varies with what else is compressed with them: paths, for example.
EVENT_BYTES = re.compile(r"\b\d\.\d bytes each")
# A command that goes on behind a backslash: where it does depends on how long paths are.
CONTINUED = re.compile(r"(?m)^  .* \\\n(?:    .* \\\n)*    .*$")
COLUMNS = 80
MOST_LINES = 40


def folded(command):
    """A command on lines that a shell joins."""
    lines, line = [], " "
    for word in command.group().replace("\\\n", " ").split():
        if line.strip() and len(line) + len(word) + 3 > COLUMNS:
            lines.append(line + " \\")
            line = "   "
        line += " " + word
    return "\n".join([*lines, line])


def printed(command, folder, fathom):
    words = re.sub(r"^fathom\b", lambda _: shlex.quote(fathom), command)
    environment = {**os.environ, "COLUMNS": str(COLUMNS), "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}
    done = subprocess.run(words, shell=True, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    text = DATE.sub("2026-11-16T12:00:00Z", done.stdout + (done.stderr if done.returncode else ""))
    installed = pathlib.Path(fathom).parents[1]
    text = re.sub(rf"'{re.escape(str(installed))}/([^']*)'", r"\1", text)  # a path with blanks is quoted
    text = re.sub(rf"{re.escape(str(folder))}/|{re.escape(str(installed))}/|/\S*/fathom-\w{{6}}/", "", text)
    text = EVENT_BYTES.sub("1.6 bytes each", CONTINUED.sub(folded, VERSION.sub("SMPI 3.32", text)))
    lines = text.rstrip("\n").split("\n")
    if len(lines) > MOST_LINES:
        lines = [*lines[:MOST_LINES], "..."]
    status = [f"(exit status {done.returncode})"] if done.returncode else []
    return "\n".join([*(line for line in lines if line or len(lines) > 1), *status])


def page(text, fathom):
    with tempfile.TemporaryDirectory() as folder:
        def run(block):
            commands = [line[2:] for line in block.group(1).split("\n") if line.startswith("$ ")]
            parts = [f"$ {command}\n{printed(command, folder, fathom)}".rstrip("\n") for command in commands]
            return "```console\n" + "\n".join(parts) + "\n```"
        return BLOCK.sub(run, text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fathom", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    fathom = str(given.fathom.resolve(strict=True))
    stale = []
    for path in sorted(PAGES.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        now = page(text, fathom)
        if given.check:
            stale += [path.name] if now != text else []
        else:
            path.write_text(now, encoding="utf-8")
    if stale:
        sys.exit(f"docs/guide: {', '.join(stale)} not current; run docs/guide.py build/bin/fathom")


main()
