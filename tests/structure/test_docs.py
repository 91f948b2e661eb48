#!/usr/bin/env python3
"""Documentation wraps at 100 characters, so that it is readable in a terminal and changes are readable as diffs."""
import os
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import harness

SOURCE = pathlib.Path(os.environ.get("FATHOM_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "lab/README.md", "docs/*.md", "docs/guide/*.md"]
LONGEST = 100
# One word or one link, perhaps as an item of a list: there is no place to break such a line.
UNBREAKABLE = re.compile(r"\s*([-*+] |\d+\. )?(\S+|!?\[[^\]]*\]\([^)]*\)\S?)$")


def long_lines(text):
    """The numbers of lines that are too long, but for tables, code blocks and lines that cannot be broken."""
    found = []
    in_code = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            in_code = not in_code
        elif len(line) > LONGEST and not in_code and not line.lstrip().startswith("|") and not UNBREAKABLE.match(line):
            found.append(number)
    return found


class Pages(unittest.TestCase):
    def test_wrap_at_100_characters(self):
        pages = [page for pattern in PAGES for page in sorted(SOURCE.glob(pattern))]
        self.assertGreaterEqual(len(pages), len(PAGES))
        found = {str(page.relative_to(SOURCE)): long_lines(page.read_text(encoding="utf-8")) for page in pages}
        self.assertEqual({page: lines for page, lines in found.items() if lines}, {})

    def test_long_prose_is_found_by_its_line(self):
        prose = "word " * 20 + "x"
        self.assertEqual(long_lines(f"short\n{prose}\n```\n{prose}\n```\n{prose}\n"), [2, 6])
        self.assertEqual(long_lines(f"- {prose}\n"), [1])
        self.assertEqual(long_lines(f"{prose[:99]}x\n"), [])

    def test_tables_code_and_links_may_be_longer(self):
        long = "x" * 120
        for line in (f"| {long} | b |", f"![{'word ' * 30}](picture.png)", f"- [page](docs/{long}.md).", long):
            self.assertEqual(long_lines(line), [], line)


if __name__ == "__main__":
    harness.main()
