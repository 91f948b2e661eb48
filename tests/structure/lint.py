#!/usr/bin/env python3
"""What `./quickstart lint` checks, of all that has changed since the last accepted state (changes.py) or depends on it:

  format   every C++ file is as clang-format would write it
  web      every TypeScript file is as prettier would write it
  alone    every source file compiles by itself without a warning, although builds compile them in batches
  header   every header compiles by itself, unless a source includes it first: then it does so in `alone`
  whole    all sources of a target compile as one unit, so that any batch of them does; of targets that the build compiles as
           one batch, the build shows it
  tidy     clang-tidy finds nothing in src/ and bench/; it reads a batch as one unit, in a fifth of the time

usage: lint.py SOURCE BUILD PACKAGES [--all] [--since REVISION], where BUILD was configured with the preset `lint` and
PACKAGES holds the npm packages of web/. Verdicts are kept in the user's cache and hold for every clone: a check is made
again when its command, its tool or any file it read has changed.
"""
import argparse
import concurrent.futures
import dataclasses
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import threading
import time

import changes

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "fathom-lint"
# Sources in a unit for clang-tidy. It spends 11 to 18 s on the library headers of a unit and 1.5 s on a source: twice the
# batches of the build save a seventh of its time, while the last units still keep all cores busy.
TIDY_BATCH = 48
BATCH_SIZE = re.compile(r"^set\(FATHOM_BATCH (\d+) ", re.MULTILINE)
# Units include sources, which is what this check is against; tests/structure/test_rooms.py looks for it instead.
INCLUDE = re.compile(r'^#include (["<][^">]+[">])', re.MULTILINE)
# Library headers that most sources spend their time reading, compiled once for all: a source gets the first of these sets
# that it reads anyhow, the longest text first. Chosen one after the other, each as the one that spared most text of all
# sources; together they spare four fifths of it.
PRECOMPILED = (
    ("array", "gmock/gmock.h", "string", "vector"),
    ("gtest/gtest.h",),
    ("algorithm", "array", "nlohmann/json.hpp", "optional", "string"),
    ("algorithm", "fmt/format.h", "string"),
    ("algorithm", "array", "functional", "map", "memory", "optional", "span", "string", "vector"),
    ("algorithm", "vector"),
)
SAME_CODE = ("-O1", "-fPIE")  # what the compiler wants to be the same where it takes what was compiled before; here no code is made
NOT_IN_UNITS = "-bugprone-suspicious-include"
WAIT_S = 900  # for one check; the longest takes a minute


@dataclasses.dataclass
class Source:
    path: pathlib.Path
    target: str
    flags: list  # the compiler and all options but input and output
    directory: str


@dataclasses.dataclass
class Check:
    kind: str
    name: str
    command: list
    inputs: list  # files whose content decides, besides what the compiler reports
    weight: float  # seconds it takes, roughly, for the estimate of the time left
    directory: str = "."
    reads: tuple = ()  # files of the tree it begins with: it is left out if none of them is affected by a change


class Tree:
    """The sources as the build knows them."""

    def __init__(self, source, build, packages):
        self.source, self.build, self.packages = source, build, packages
        self.units = build / "units"
        self.precompiled_folder = self.units / "precompiled"
        self.precompiled_folder.mkdir(parents=True, exist_ok=True)
        self.written, self.reached = {}, {}
        self.sources = {}
        for entry in json.loads((build / "compile_commands.json").read_text()):
            path = pathlib.Path(entry["file"])
            if path.is_relative_to(source) and not path.is_relative_to(build):
                words = [word for word in shlex.split(entry["command"]) if not word.endswith("ccache")]
                output = words[words.index("-o") + 1]
                target = output.split("CMakeFiles/")[1].split(".dir/")[0]
                # A file compiled for several MPI libraries is looked at with the first of them.
                self.sources.setdefault(path, Source(path, target, words[: words.index("-o")], entry["directory"]))
        if len(self.sources) < 100:
            sys.exit(f"lint: only {len(self.sources)} source files in {build}/compile_commands.json")

    def relative(self, path):
        return str(path.relative_to(self.source))

    def unit(self, name, includes):
        """A file that includes others, rewritten only if it is another."""
        path = self.units / (name.replace("/", "_") + ".cpp")
        text = "".join(f'#include "{self.relative(file)}"\n' for file in includes)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
        return path

    def syntax(self, source, file, *more):
        return [*source.flags, f"-I{self.source}", *more, "-fsyntax-only", "-MD", "-MF", "DEPENDENCIES", str(file)]

    def precompiled(self, headers):
        """A header that includes those of a library and is compiled beforehand."""
        path = self.precompiled_folder / ("_".join(headers).replace("/", "_") + ".hpp")
        text = "".join(f"#include <{name}>\n" for name in headers)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
        return path

    def precompile(self, checks):
        """Compiles the sets that checks want, each with the options of the source with the fewest definitions among those with the
        set: what others define besides is not in these headers."""
        wanted = {word for check in checks for word in check.command if word.startswith(str(self.precompiled_folder))}
        for headers in PRECOMPILED:
            path = self.precompiled(headers)
            if str(path) in wanted:
                source = min((source for source in self.sources.values() if self.set_for(source.path) == headers),
                             key=lambda source: sum(flag.startswith("-D") for flag in source.flags))
                subprocess.run([*source.flags, *SAME_CODE, "-x", "c++-header", "-o", f"{path}.gch", str(path)], cwd=source.directory,
                               check=True, timeout=WAIT_S)

    def includes(self, path):
        """What a file includes, as it is written there."""
        if path not in self.written:
            self.written[path] = INCLUDE.findall(path.read_text())
        return self.written[path]

    def library_headers(self, path):
        """The library headers that a file includes, itself or by headers of the tree."""
        if path not in self.reached:
            self.reached[path] = found = set()
            for name in self.includes(path):
                if name.startswith("<"):
                    found.add(name.strip("<>"))
                elif header := self.header(path, name.strip('"')):
                    found |= self.library_headers(header)
        return self.reached[path]

    def header(self, includer, name):
        """The file of the tree that is meant by a name in quotes, if it is one."""
        return next((path for folder in (includer.parent, self.source / "src", self.source)
                     if (path := folder / name).exists()), None)

    def set_for(self, path):
        return next((headers for headers in PRECOMPILED if self.library_headers(path).issuperset(headers)), ())

    def with_set(self, path):
        headers = self.set_for(path)
        return ["-include", str(self.precompiled(headers)), *SAME_CODE, "-fpch-deps", "-Winvalid-pch"] if headers else []

    def alone(self, source):
        return Check("alone", self.relative(source.path), self.syntax(source, source.path, *self.with_set(source.path)), [], 1.5,
                     source.directory, (source.path,))

    def seen_first(self):
        """Headers that a source reads before anything else, or behind what they read anyhow, as `header` would."""
        found = set()
        for source in self.sources.values():
            includes = self.includes(source.path)
            header = self.header(source.path, includes[0].strip('"')) if includes and includes[0].startswith('"') else None
            if header and self.library_headers(header).issuperset(self.set_for(source.path)):
                found.add(header)
        return found

    def nearest(self, header):
        """The source whose options a header is compiled with: of its own folder, or of the nearest above that has any.

        Of several the one with the most options: in a folder of the probe that is one that knows MPI.
        """
        for folder in header.parents:
            near = [source for source in self.sources.values() if source.path.is_relative_to(folder)]
            if near:
                return max(near, key=lambda source: len(source.flags))
        raise LookupError(header)

    def checks(self):
        files = sorted(path for folder in ("src", "tests", "bench") for path in (self.source / folder).rglob("*.[ch]pp"))
        style = self.source / ".clang-format"
        for first in range(0, len(files), 40):
            part = files[first:first + 40]
            yield Check("format", f"{self.relative(part[0])} ...", ["clang-format", "--dry-run", "--Werror", *map(str, part)],
                        [style, *part], 2, str(self.source), tuple(part))
        yield self.typescript()
        for source in self.sources.values():
            yield self.alone(source)
        seen_first = self.seen_first()
        for header in (path for path in files if path.suffix == ".hpp" and path not in seen_first):
            source = self.nearest(header)
            unit = self.unit(f"header_{self.relative(header)}", [header])
            yield Check("header", self.relative(header), self.syntax(source, unit, *self.with_set(header)), [], 1, source.directory,
                        (header,))
        batch = int(BATCH_SIZE.search((self.source / "CMakeLists.txt").read_text()).group(1))
        targets = {}
        for source in self.sources.values():
            targets.setdefault(source.target, []).append(source)
        for target, sources in sorted(targets.items()):
            if len(sources) > batch:
                unit = self.unit(f"whole_{target}", [source.path for source in sources])
                yield Check("whole", target, self.syntax(sources[0], unit, "-Wno-shadow"), [], 5, sources[0].directory,
                            tuple(source.path for source in sources))
            if not sources[0].path.is_relative_to(self.source / "tests"):
                for first in range(0, len(sources), TIDY_BATCH):
                    yield self.tidy(f"{target} {first // TIDY_BATCH}", sources[first:first + TIDY_BATCH])

    def typescript(self):
        web = self.source / "web"
        files = sorted((web / "src").glob("*.ts"))
        config = web / ".prettierrc.json"
        prettier = self.packages / "node_modules" / "prettier" / "bin" / "prettier.cjs"
        # The list of packages decides which prettier it is.
        return Check("web", "web/src/*.ts", ["node", str(prettier), "--config", str(config), "--check", *map(str, files)],
                     [config, web / "package-lock.json", *files], 3, str(self.source), (config, web / "package-lock.json", *files))

    def tidy(self, name, sources):
        unit = self.unit(f"tidy_{name.replace(' ', '_')}", [source.path for source in sources])
        config = self.source / ".clang-tidy"
        command = ["clang-tidy", "--quiet", f"--config-file={config}", f"--checks={NOT_IN_UNITS}", str(unit), "--",
                   *sources[0].flags[1:], f"-I{self.source}", "-Wno-shadow"]
        return Check("tidy", f"{name} ({self.relative(sources[0].path)} ...)", command,
                     [config, *(source.path for source in sources)], 2.5 * len(sources), sources[0].directory,
                     tuple(source.path for source in sources))


class Verdicts:
    """Checks that were found clean, with a digest of every file they had read."""

    def __init__(self, tree):
        self.tree = tree
        self.digests = {}
        self.versions = {}
        CACHE.mkdir(parents=True, exist_ok=True)

    def version(self, tool):
        if tool not in self.versions:
            self.versions[tool] = subprocess.run([tool, "--version"], capture_output=True, text=True, timeout=60).stdout
        return self.versions[tool]

    def portable(self, text):
        """The tree's own place must not matter: a fresh clone has the same verdicts."""
        return text.replace(str(self.tree.build), "BUILD").replace(str(self.tree.source), "SOURCE")

    def stamp(self, check):
        words = [check.kind, check.name, *check.command, self.version(check.command[0])]
        return CACHE / hashlib.sha256(self.portable("\0".join(words)).encode()).hexdigest()

    def digest(self, path):
        if path not in self.digests:
            try:
                self.digests[path] = hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()
            except OSError:
                self.digests[path] = None
        return self.digests[path]

    def holds(self, check):
        try:
            read = json.loads(self.stamp(check).read_text())
        except (OSError, ValueError):
            return False
        return all(self.digest(name.replace("SOURCE", str(self.tree.source), 1) if name.startswith("SOURCE") else name) == digest
                   for name, digest in read.items())

    def keep(self, check, dependencies):
        files = {str(path) for path in check.inputs} | set(dependencies)
        read = {self.portable(name): self.digest(name) for name in files if not name.startswith(str(self.tree.build))}
        stamp = self.stamp(check)
        partial = stamp.with_suffix(f".{os.getpid()}.{threading.get_ident()}")
        partial.write_text(json.dumps(read))
        partial.replace(stamp)


def dependencies_in(path, directory):
    """The files that a compiler says it read, in the words of make."""
    text = path.read_text().replace("\\\n", " ") if path.exists() else ""
    names = shlex.split(text.partition(":")[2])
    return [os.path.normpath(os.path.join(directory, name)) for name in names]


def made(check, tree, verdicts):
    """The complaints of a check; a clean verdict is cached."""
    dependencies = tree.units / f"{threading.get_ident()}.d"
    dependencies.unlink(missing_ok=True)
    words = [str(dependencies) if word == "DEPENDENCIES" else word for word in check.command]
    done = subprocess.run(words, cwd=check.directory, capture_output=True, text=True, timeout=WAIT_S)
    if done.returncode != 0:
        return done.stdout + done.stderr
    read = dependencies_in(dependencies, check.directory)
    if check.kind == "tidy":
        # clang-tidy does not report what it read, the compiler does.
        listing = [*verdicts.tree.sources[pathlib.Path(check.inputs[1])].flags, f"-I{tree.source}", "-M", "-MF", str(dependencies),
                   words[words.index("--") - 1]]
        subprocess.run(listing, cwd=check.directory, capture_output=True, timeout=WAIT_S, check=True)
        read = dependencies_in(dependencies, check.directory)
    dependencies.unlink(missing_ok=True)
    verdicts.keep(check, read)
    return ""


class Progress:
    """A progress line, or one every half minute without a terminal."""

    def __init__(self, checks):
        self.weight = sum(check.weight for check in checks)
        self.count, self.begun, self.said = len(checks), time.monotonic(), time.monotonic()
        self.done, self.done_weight = 0, 0.0
        self.moves = sys.stderr.isatty()

    def step(self, check):
        self.done += 1
        self.done_weight += check.weight
        now = time.monotonic()
        left = (now - self.begun) * (self.weight - self.done_weight) / self.done_weight
        line = f"  {self.done}/{self.count} checks, about {left / 60:.0f} min left" if left > 90 else \
               f"  {self.done}/{self.count} checks, about {left:.0f} s left"
        if self.moves:
            print(f"\r{line:<60}", end="\n" if self.done == self.count else "", file=sys.stderr, flush=True)
        elif now - self.said > 30:
            self.said = now
            print(line, file=sys.stderr, flush=True)


def main():
    options = argparse.ArgumentParser()
    for name in ("source", "build", "packages"):
        options.add_argument(name, type=lambda word: pathlib.Path(word).resolve())
    options.add_argument("--all", action="store_true")
    options.add_argument("--since")
    chosen = options.parse_args()
    tree = Tree(chosen.source, chosen.build, chosen.packages)
    verdicts = Verdicts(tree)
    scope = changes.scope_of(chosen.source, chosen.all, chosen.since)
    everything = [check for check in tree.checks() if scope.holds(map(tree.relative, check.reads))]
    checks = [check for check in everything if not verdicts.holds(check)]
    print(f"lint: {scope.why}: {len(everything)} checks, {len(everything) - len(checks)} of them clean before and unchanged",
          file=sys.stderr)
    tree.precompile(checks)
    # The longest first, so that no core is left with a long one at the end.
    checks.sort(key=lambda check: -check.weight)
    progress = Progress(checks)
    complaints = {}
    seconds = {}
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        def timed(check):
            begun = time.monotonic()
            return made(check, tree, verdicts), time.monotonic() - begun

        waiting = {pool.submit(timed, check): check for check in checks}
        for future in concurrent.futures.as_completed(waiting):
            check = waiting[future]
            text, took = future.result()
            seconds[check.kind] = seconds.get(check.kind, 0) + took
            if text:
                complaints[f"{check.kind} {check.name}"] = text
            progress.step(check)
    for name, text in sorted(complaints.items()):
        print(f"--- {name}\n{text[:6000]}")
    spent = ", ".join(f"{kind} {took:.0f} s" for kind, took in sorted(seconds.items()))
    print(f"lint: {len(everything) - len(complaints)} clean, {len(complaints)} not ({spent or 'nothing had changed'})")
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
