#!/usr/bin/env python3
"""What users read: the words of the field, not translations. CONTRIBUTING.md has the glossary."""
import os
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import harness

ROOT = pathlib.Path(os.environ.get("FATHOM_SOURCE_DIR", pathlib.Path(__file__).parents[2]))

# What not to say, and what to say instead.
WORDS = {
    r"To know\b": "Notes",
    r"Hold one run against": "Compare two runs",
    r"leave that out": "disable X",
    r"take alike": "take the same time",
    r"others getting the processor": "preemption",
    r"\bmend(ed)?\b": "fix, fixed",
    r"\bso many\b": "this many, or the number",
    r"\btold\b": "reported, known, estimated",
    r"of the kind\b": "like this",
    r"\bworth\b": "effective sample size, or another word",
    r"\bthrice\b": "three times",
    r"\balike\b": "the same, equal",
    r"\bso long\b": "this long, or the time",
    r"\basked for\b": "requested",
    r"(?<!there )is no (size|time|range|list|journal)\b": "is not a",
    r"\b(block|column|field|file|line|picture|points|processes|row|transaction) a "
    r"(curve|host|line|point|rank|repetition|side|sub-command)\b": "per",
    r"worse than (it|they) claim": "exceeds its error bound",
    r"not belong together": "do not measure the same thing",
    r"\blast words\b": "last output",
    r"\bword too many\b": "unexpected argument",
    r"\bthe making of\b": "the creation of",
    r"\bh[eo]ld against\b": "compare with, check against",
    r"\ball the same\b": "nevertheless",
    r"\banew\b": "again",
    r"\btime-outs?\b": "timeout",
    r"usual business": "ordinary system activity",
    r"calls of MPI_": "calls to MPI_",
    r"between starts\b": "between launches",
    r"\b(come|comes|came) to: ": "say what it is: result over repetitions",
}
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
INCLUDE = re.compile(r"^\s*#\s*include.*$", re.MULTILINE)
TYPESCRIPT = re.compile(r"'((?:[^'\\\n]|\\.)*)'|\"((?:[^\"\\\n]|\\.)*)\"|`([^`]*)`")
COMMENT = re.compile(r"//[^\n]*")
CODE = re.compile(r"`[^`\n]*`")


def texts():
    """(where, text) of everything that users read."""
    for path in sorted((ROOT / "src").rglob("*")):
        if path.suffix in (".cpp", ".hpp", ".def"):
            source = COMMENT.sub("", INCLUDE.sub("", path.read_text()))
            # Neighbouring literals are one sentence.
            source = re.sub(r'"\s*\n\s*"', "", source)
            yield from ((path, match.group(1)) for match in LITERAL.finditer(source))
    for path in sorted((ROOT / "web" / "src").rglob("*.ts")):
        for match in TYPESCRIPT.finditer(COMMENT.sub("", path.read_text())):
            text = next(group for group in match.groups() if group is not None)
            yield path, re.sub(r"\$\{[^}]*\}", "", text)  # what stands in ${} is code
    pages = (ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "lab/README.md"))
    for path in (*pages, *sorted((ROOT / "docs").glob("*.md"))):
        yield path, CODE.sub("", path.read_text())


class Words(unittest.TestCase):
    def test_none_that_a_native_reader_would_have_to_translate(self):
        found = [f"{path.relative_to(ROOT)}: '{match.group(0)}' in \"{text[max(0, match.start() - 40):match.end() + 40]}\"; say {better}"
                 for path, text in texts() for word, better in WORDS.items() for match in re.finditer(word, text)]
        self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_the_texts_are_found_at_all(self):
        everything = list(texts())
        self.assertTrue(any("Compare two runs" in text for _, text in everything))
        self.assertTrue(any(path.suffix == ".ts" for path, _ in everything))


if __name__ == "__main__":
    harness.main()
