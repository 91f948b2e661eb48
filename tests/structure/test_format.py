#!/usr/bin/env python3
"""Every C++ file is as clang-format would write it. Mend: clang-format -i FILE."""
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(os.environ.get("FATHOM_SOURCE_DIR", pathlib.Path(__file__).parents[2]))


class Format(unittest.TestCase):
    def test_clang_format_would_change_nothing(self):
        files = [str(path) for folder in ("src", "tests", "bench") for path in sorted((SOURCE / folder).rglob("*.[ch]pp"))]
        self.assertGreater(len(files), 50)
        result = subprocess.run(["clang-format", "--dry-run", "--Werror", *files], capture_output=True, text=True, timeout=100)
        self.assertEqual(result.returncode, 0, result.stderr[-4000:])


if __name__ == "__main__":
    if shutil.which("clang-format") is None:
        print("skipped: clang-format is not installed")
        sys.exit(77)
    unittest.main()
