#!/usr/bin/env python3
"""What people read goes through the gate of src/report/output.hpp, which strips what a terminal would obey."""
import os
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import harness

SOURCE = pathlib.Path(os.environ.get("FATHOM_SOURCE_DIR", pathlib.Path(__file__).parents[2])) / "src"

PRINTING = re.compile(r"\bfmt::print\(|\bfmt::println\(|\bstd::(?:cout|cerr|clog)\b|"
                      r"\b(?:std::)?(?:puts|fputs|putchar|putc|fputc|printf|fprintf|vprintf|vfprintf|fwrite)\(|"
                      r"::write\(STD|::write\([12],")

# Other ways to print, each with what it may print.
ALLOWED = {
    "report/output.cpp": r"fmt::print\(out, \"\{\}\", printable_lines\(",  # the gate
    "report/progress.cpp": r"fmt::print\(stderr, \"\\r\\x1b\[K(?:\"\)|\{\}\", line\))",  # moves the cursor
    "report/csv.cpp": r"(?:fmt::print\(out,|std::fwrite\(rows\.data\(\), 1, rows\.size\(\), out\))",  # csv_cell()
    "report/merging.cpp": r"fmt::print\(\s*out,",  # the same
    "cli/export.cpp": r"fmt::print\((?:out|file\.get\(\)),",  # JSON: document(), document_line()
}


def without_comments(text):
    return re.sub(r"//[^\n]*", "", text)


class Output(unittest.TestCase):
    def test_commands_and_reports_print_through_the_gate_alone(self):
        wrong = []
        for room in ("cli", "report", "launch", "tune", "tree", "analysis", "store", "plan", "machine", "journal", "base"):
            for path in sorted((SOURCE / room).rglob("*.?pp")):
                name = str(path.relative_to(SOURCE))
                text = without_comments(path.read_text())
                if name in ALLOWED:
                    text = re.sub(ALLOWED[name], "", text)
                wrong += [f"{name}: {found.group(0)}" for found in PRINTING.finditer(text)]
        self.assertEqual(wrong, [], "use report::print (src/report/output.hpp)")

    def test_the_list_of_other_ways_holds_no_more(self):
        unused = [name for name, pattern in ALLOWED.items()
                  if not re.search(pattern, without_comments((SOURCE / name).read_text()))]
        self.assertEqual(unused, [])

    def test_printing_is_recognised(self):
        for text in ('fmt::print("x")', "std::cerr << x", 'std::puts("x")', 'fprintf(stderr, "x")', "::write(2, x, 1)"):
            self.assertTrue(PRINTING.search(text), text)
        for text in ('report::print("x")', "sprintf_like(x)", 'print(stderr, "x")'):
            self.assertFalse(PRINTING.search(text), text)


if __name__ == "__main__":
    harness.main()
