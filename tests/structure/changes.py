"""What `./quickstart lint` and `./quickstart sanitize` look at: what has changed since the last accepted state, and all that
depends on it.

usage: changes.py SOURCE [--all] [--since REVISION]: for `./quickstart sanitize`, the targets to build on one line and the
pattern of their tests on the next; nothing if no unit test and no fuzz target depends on what has changed

The last accepted state is
  1. the revision of --since, or of FATHOM_SINCE in the environment;
  2. where HEAD branched off origin/main (or main), if HEAD is not that state itself;
  3. on the main branch itself, the newest commit, along first parents, that is at least HOURS older than HEAD.
Without any of these, everything counts as changed; so does everything when a build file or a rule has.
"""
import argparse
import dataclasses
import fnmatch
import os
import pathlib
import re
import subprocess
import sys

# A series of commits is pushed as a whole, and CI sees a clone in which main is HEAD already. A series is a day's work, often
# much less. Looking at too much costs time, looking at too little misses mistakes.
HOURS = 24
# Files that decide how others are built or judged: if one of them changes, everything is looked at.
RULES = ("CMakeLists.txt", "*/CMakeLists.txt", "cmake/*", "CMakePresets.json", ".clang-tidy", ".clang-format", ".ci/*", "quickstart",
         "tests/structure/lint.py", "tests/structure/changes.py", "*.in")
FOLDERS = ("src", "tests", "bench")
ENDINGS = (".cpp", ".hpp", ".def")


def git(source, *words):
    """What git prints, or None if it fails."""
    done = subprocess.run(["git", "-C", str(source), *words], capture_output=True, text=True, timeout=60)
    return done.stdout.strip() if done.returncode == 0 else None


def base_of(source, since=None):
    """The last accepted state as a commit, or None; and why it is that one."""
    since = since or os.environ.get("FATHOM_SINCE")
    if since:
        found = git(source, "rev-parse", "--verify", "--quiet", f"{since}^{{commit}}")
        if found is None:
            sys.exit(f"no revision '{since}' in this clone")
        return found, f"since {since}, as asked for"
    head = git(source, "rev-parse", "--verify", "--quiet", "HEAD")
    if head is None:
        return None, "everything: this is no clone"
    known = False
    for main in ("origin/main", "main"):
        fork = git(source, "merge-base", main, "HEAD")
        if fork and fork != head:
            return fork, f"since HEAD branched off {main}"
        known = known or fork is not None
    if not known:
        return None, "everything: this clone has no main branch"
    committed = int(git(source, "log", "-1", "--format=%ct", "HEAD"))
    for line in (git(source, "log", "--first-parent", "--format=%H %ct", "HEAD") or "").splitlines():
        commit, when = line.split()
        if int(when) <= committed - HOURS * 3600:
            return commit, f"since {commit[:12]}, the last commit that is {HOURS} hours older than HEAD"
    return None, "everything: the history of this clone ends before that"


def changed_since(source, base):
    """The files that differ between a commit and the working tree, relative to the source; those that are gone too."""
    listed = [git(source, "diff", "--name-only", "--no-renames", base), git(source, "ls-files", "--others", "--exclude-standard")]
    if None in listed:
        return None
    return {line for text in listed for line in text.splitlines()}


def is_rule(name):
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in RULES)


class Includes:
    """Which file reads which, by a look at their #include lines: rather one too many than one too few."""

    LINE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)

    def __init__(self, source):
        self.source = source
        files = {str(path.relative_to(source)): path for folder in FOLDERS for path in (source / folder).rglob("*")
                 if path.suffix in ENDINGS}
        self.read_by = {}
        for name, path in files.items():
            for included in set(self.LINE.findall(path.read_text(encoding="utf-8"))):
                # Files that are gone stay in: whoever still includes one is looked at.
                for folder in (str(pathlib.PurePosixPath(name).parent), *FOLDERS, "."):
                    self.read_by.setdefault(os.path.normpath(f"{folder}/{included}"), set()).add(name)
        self.files = set(files)

    def readers(self, names):
        """These files and all that include them, directly or not."""
        found, todo = set(), list(names)
        while todo:
            name = todo.pop()
            if name not in found:
                found.add(name)
                todo += self.read_by.get(name, ())
        return found


@dataclasses.dataclass
class Scope:
    """What to look at: everything, or only these files (relative to the source) and their readers."""

    why: str
    changed: set | None = None  # None: everything
    affected: set = dataclasses.field(default_factory=set)

    def holds(self, names):
        return self.changed is None or not self.affected.isdisjoint(names)


def scope_of(source, everything=False, since=None):
    if everything:
        return Scope("everything, as asked for")
    base, why = base_of(source, since)
    changed = changed_since(source, base) if base else None
    if changed is None:
        return Scope(why)
    rules = sorted(filter(is_rule, changed))
    if rules:
        more = f" and {len(rules) - 1} more" if len(rules) > 1 else ""
        return Scope(f"everything: {rules[0]}{more} changed {why}")
    return Scope(f"what changed {why}", changed, Includes(source).readers(changed))


# --- Unit tests and fuzz targets

def node_of(name):
    """The part of the tree that a file belongs to; parts depend on each other as their includes do."""
    if name.startswith("src/tree/analysis/"):
        return "src/tree/analysis"  # a library of its own: what uses trees does not depend on it
    if name.startswith("lab/platforms/"):
        return "src/launch"  # whose tests read them
    return "/".join(name.split("/")[:2])


def closure(start, needs):
    found, todo = set(), list(start)
    while todo:
        one = todo.pop()
        if one not in found:
            found.add(one)
            todo += needs.get(one, ())
    return found


def needs_of(includes):
    """Which parts each part includes; a fuzz target is a part by itself."""
    needs = {}
    for included, readers in includes.read_by.items():
        for reader in readers if included in includes.files else ():
            part = part_of_fuzz(reader) or node_of(reader)
            needs.setdefault(part, set()).add(part_of_fuzz(included) or node_of(included))
    return needs


def part_of_fuzz(name):
    """`reading.cpp` and `reading.hpp` are one part, a target with its dictionary and its corpus another."""
    words = name.split("/")
    if words[:2] != ["tests", "fuzz"] or len(words) < 3:
        return None
    return "tests/fuzz/" + (words[3] if words[2] == "corpus" and len(words) > 3 else words[2].split(".")[0])


def unit_rooms(text):
    """The rooms that tests/CMakeLists.txt gives to fathom_unit_tests, in a loop or by themselves."""
    rooms = set()
    for loop in re.findall(r"^foreach\(room ([a-z_ ]+)\)$", text, re.MULTILINE):
        rooms.update(loop.split())
    return rooms | set(re.findall(r"^fathom_unit_tests\(([a-z_]+)", text, re.MULTILINE))


def to_sanitize(source, scope):
    """The build targets and names of tests that depend on what has changed; (None, None) for all."""
    if scope.changed is None:
        return None, None
    includes = Includes(source)
    needs = needs_of(includes)
    changed = {part_of_fuzz(name) or node_of(name) for name in scope.changed}
    targets, tests = [], []
    for room in sorted(unit_rooms((source / "tests" / "CMakeLists.txt").read_text())):
        if changed & closure({f"tests/{room}", f"src/{room}"}, needs):
            targets.append(f"test_{room}")
            tests.append(f"unit.{room}")
    for target in re.findall(r"^fathom_fuzz_target\((\w+)", (source / "tests" / "fuzz" / "CMakeLists.txt").read_text(), re.MULTILINE):
        if changed & (SEEDS | closure({f"tests/fuzz/{target}", *OF_ALL_FUZZ_TARGETS}, needs)):
            targets.append(f"fuzz_{target}")
            tests.append(f"fuzz.{target}")
    if any(target.startswith("fuzz_") for target in targets):
        targets.append("make_seeds")
    return targets, tests


OF_ALL_FUZZ_TARGETS = ("tests/fuzz/short_run", "tests/fuzz/fuzz_targets")
SEEDS = {"tests/fuzz/make_seeds", "tests/fuzz/sample_run"}  # what they write is where every target begins


def main():
    options = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split(":")[0])
    options.add_argument("source", type=pathlib.Path)
    options.add_argument("--all", action="store_true")
    options.add_argument("--since")
    chosen = options.parse_args()
    scope = scope_of(chosen.source.resolve(), chosen.all, chosen.since)
    targets, tests = to_sanitize(chosen.source.resolve(), scope)
    if targets is None:
        targets, tests = ["unit_tests", "fuzz_targets"], [".*"]
    print(f"{len(targets)} targets: {scope.why}", file=sys.stderr)
    if targets:
        print(" ".join(targets))
        print("^(" + "|".join(test if test == ".*" else re.escape(test) for test in tests) + ")$")


if __name__ == "__main__":
    main()
