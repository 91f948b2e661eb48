#!/usr/bin/env python3
"""Analyses return facts; sentences about them are made in src/report alone."""
import os
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import harness

ROOT = pathlib.Path(os.environ.get("FATHOM_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
ANALYSIS = ROOT / "src" / "analysis"
TREES = ROOT / "src" / "tree" / "analysis"

# Names of runs, `old.db run 3`, are no sentences.
NOT_YET_MOVED = {
    "across_runs/measured_run.cpp",
}

LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
# Three words or figures in a row; names such as "log-normal" or "2n bytes" have fewer.
WORDS = re.compile(r"[A-Za-z'}%][,;:]? [A-Za-z'{}.:0-9-]+,? [A-Za-z{]")


def without_errors(text):
    """Comments, includes and what is thrown: an error has a sentence for the user wherever it is found."""
    text = re.sub(r"//[^\n]*|#include[^\n]*", "", text)
    return re.sub(r'\bthrow\b(?:[^;"]|"(?:[^"\\\n]|\\.)*")*;', "", text)


def sentences_in(path):
    return [literal for literal in LITERAL.findall(without_errors(path.read_text())) if WORDS.search(literal)]


def analyses():
    """(path, name) of every source of an analysis."""
    for folder in (ANALYSIS, TREES):
        for path in sorted(folder.rglob("*.?pp")):
            yield path, str(path.relative_to(folder))


class Sentences(unittest.TestCase):
    def test_analyses_make_none(self):
        found = {}
        for path, name in analyses():
            if name not in NOT_YET_MOVED and (sentences := sentences_in(path)):
                found[name] = sentences
        self.assertEqual(found, {}, "return the facts, and write the sentence in src/report/sentences/")

    def test_text_is_formatted_for_errors_alone(self):
        formats = [name for path, name in analyses()
                   if name not in NOT_YET_MOVED and "#include <fmt/" in (text := path.read_text()) and "throw " not in text]
        self.assertEqual(formats, [])

    def test_the_list_of_files_to_be_moved_holds_no_others(self):
        moved = [name for name in sorted(NOT_YET_MOVED)
                 if not (ANALYSIS / name).exists() or not sentences_in(ANALYSIS / name)]
        self.assertEqual(moved, [], "they make no sentences any more: take them off the list")

    def test_a_sentence_is_recognised(self):
        self.assertTrue(WORDS.search("{} of {} points failed"))
        self.assertTrue(WORDS.search("no point was measured"))
        for other in ("full duplex", "shifted log-normal", "{}-{}", ", ", "pieces_per_s", "a <= b"):
            self.assertFalse(WORDS.search(other), other)


if __name__ == "__main__":
    harness.main()
