#!/usr/bin/env python3
"""clang-tidy finds nothing in src/ and bench/. A clean file is not looked at again until anything it includes changes."""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(os.environ.get("FATHOM_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
BUILD = pathlib.Path(os.environ.get("FATHOM_BUILD_DIR", SOURCE / "build"))
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "fathom-tidy"


def units():
    """One entry a source file; a file compiled for several MPI libraries is looked at once."""
    seen = {}
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["file"])
        if path.is_relative_to(SOURCE / "src") or path.is_relative_to(SOURCE / "bench"):
            seen.setdefault(path, entry)
    return seen


def fingerprint(path, entry):
    """Of the file after preprocessing, the command and the configuration: what the verdict depends on."""
    words = [word for word in shlex.split(entry["command"]) if not word.endswith("ccache")]
    words = [*words[: words.index("-o")], "-E", str(path)]
    text = subprocess.run(words, cwd=entry["directory"], capture_output=True, timeout=100, check=True).stdout
    config = (SOURCE / ".clang-tidy").read_bytes()
    # The tree's own place must not matter: a fresh clone has the same verdicts.
    return hashlib.sha256(text.replace(str(SOURCE).encode(), b"") + path.read_bytes() + config).hexdigest()


def examine(item):
    path, entry = item
    mark = CACHE / fingerprint(path, entry)
    if mark.exists():
        return ""
    result = subprocess.run(["clang-tidy", "-p", str(BUILD), "--quiet", str(path)], capture_output=True, text=True, timeout=600)
    if result.returncode == 0:
        CACHE.mkdir(parents=True, exist_ok=True)
        mark.touch()
        return ""
    return result.stdout


class Tidy(unittest.TestCase):
    def test_clang_tidy_finds_nothing(self):
        found = units()
        self.assertGreater(len(found), 30)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            complaints = [text for text in pool.map(examine, found.items()) if text]
        self.assertEqual(complaints, [], "\n".join(complaints)[:8000])


if __name__ == "__main__":
    if shutil.which("clang-tidy") is None:
        print("skipped: clang-tidy is not installed")
        sys.exit(77)
    unittest.main()
