#!/usr/bin/env python3
"""Every number that decides in src/stats, src/analysis, src/tree and src/tune is in the table of constants in docs/method.md."""
import os
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import harness

ROOT = pathlib.Path(os.environ.get("FATHOM_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
NUMBERS = r"double|int|unsigned|std::(?:size_t|u?int64_t|ptrdiff_t)|Nanoseconds|Bytes"
CONSTANT = re.compile(rf"constexpr (?:{NUMBERS}) (\w+)(?: = ([^;]+)|\{{([^;]*)\}});")


def in_code():
    """(file, name, value) of every named number, also within functions."""
    for room in ("stats", "analysis", "tree", "tune"):
        for path in sorted((ROOT / "src" / room).rglob("*.?pp")):
            for name, value, braced in CONSTANT.findall(path.read_text()):
                yield str(path.relative_to(ROOT / "src")), name, " ".join((value or braced).split())


def in_table():
    for line in (ROOT / "docs" / "method.md").read_text().splitlines():
        cells = line.split(" | ")
        if re.match(r"\| `(?:stats|analysis|tree|tune)/", line):
            file = cells[0].strip("|` ")
            for name, value in re.findall(r"`(\w+) = ([^`]+)`", cells[1]):
                yield file, name, value


class Constants(unittest.TestCase):
    def test_all_are_in_the_table_with_their_value(self):
        missing = sorted(set(in_code()) - set(in_table()))
        self.assertEqual(missing, [], "add them to the table in docs/method.md, with what justifies them")

    def test_the_table_holds_no_others(self):
        self.assertEqual(sorted(set(in_table()) - set(in_code())), [])

    def test_each_row_says_what_it_decides_and_why(self):
        for line in (ROOT / "docs" / "method.md").read_text().splitlines():
            if re.match(r"\| `(?:stats|analysis|tree|tune)/", line):
                cells = [cell.strip() for cell in line.strip("| ").split(" | ")]
                self.assertEqual(len(cells), 4, line)
                self.assertTrue(all(cells), line)


if __name__ == "__main__":
    harness.main()
