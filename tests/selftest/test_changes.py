#!/usr/bin/env python3
"""What lint and sanitizers look at after a change, and how results are counted."""
import contextlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "structure")]
import changes
import harness
import summary

HOUR = 3600
FILES = {
    "CMakeLists.txt": "",
    "src/base/text.hpp": "#pragma once\n",
    "src/base/text.cpp": '#include "base/text.hpp"\n',
    "src/stats/mean.hpp": '#pragma once\n#include "base/text.hpp"\n',
    "src/stats/mean.cpp": '#include "stats/mean.hpp"\n',
    "src/plan/plan.cpp": "#include <vector>\n",
    "tests/CMakeLists.txt": "foreach(room base stats)\n  fathom_unit_tests(${room})\nendforeach()\nfathom_unit_tests(plan LINK x)\n",
    "tests/base/text.cpp": '#include "base/text.hpp"\n',
    "tests/stats/mean.cpp": '#include "stats/mean.hpp"\n#include "series.hpp"\n',
    "tests/stats/series.hpp": "#pragma once\n",
    "tests/plan/plan.cpp": "",
    "tests/fuzz/CMakeLists.txt": "fathom_fuzz_target(mean 10)\nfathom_fuzz_target(plan 10)\n",
    "tests/fuzz/mean.cpp": '#include "fuzz/reading.hpp"\n',
    "tests/fuzz/reading.hpp": "#pragma once\n",
    "tests/fuzz/reading.cpp": '#include "fuzz/reading.hpp"\n#include "stats/mean.hpp"\n',
    "tests/fuzz/plan.cpp": "",
    "docs/method.md": "",
}


class Clone(unittest.TestCase):
    """A clone with one commit, forty hours old."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="fathom-changes-")
        self.addCleanup(folder.cleanup)
        self.source = pathlib.Path(folder.name)
        self.now = 1_000_000_000
        self.git("init", "-q", "-b", "main")
        for name, text in FILES.items():
            self.write(name, text)
        self.first = self.commit(hours_ago=40)
        environment = mock.patch.dict(os.environ)
        environment.start()
        self.addCleanup(environment.stop)
        os.environ.pop("FATHOM_SINCE", None)

    def git(self, *words, **more):
        done = subprocess.run(["git", "-C", self.source, "-c", "user.name=a", "-c", "user.email=a", *words], check=True, capture_output=True,
                              text=True, timeout=60, **more)
        return done.stdout.strip()

    def write(self, name, text):
        path = self.source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def commit(self, hours_ago):
        self.git("add", "-A")
        date = f"{self.now - hours_ago * HOUR} +0000"
        self.git("commit", "-q", "--allow-empty", "-m", "c", env={**os.environ, "GIT_COMMITTER_DATE": date, "GIT_AUTHOR_DATE": date})
        return self.git("rev-parse", "HEAD")

    def base(self, since=None):
        return changes.base_of(self.source, since)[0]

    def sanitized(self):
        targets, tests = changes.to_sanitize(self.source, changes.scope_of(self.source))
        if targets is None:
            return None
        self.assertEqual([name for name in targets if name != "make_seeds"], [name.replace("unit.", "test_").replace("fuzz.", "fuzz_") for name in tests])
        return tests


class Base(Clone):
    def test_a_series_of_commits_begins_after_the_last_one_that_is_hours_older(self):
        old = self.commit(hours_ago=25)
        for hours in (20, 3, 0):
            self.commit(hours)
        self.assertEqual(self.base(), old)

    def test_a_history_that_ends_before_means_everything(self):
        self.git("commit", "-q", "--amend", "--no-edit", env={**os.environ, "GIT_COMMITTER_DATE": f"{self.now} +0000"})
        self.commit(hours_ago=0)
        self.assertIsNone(self.base())
        self.assertIsNone(changes.scope_of(self.source).changed)

    def test_a_branch_is_compared_with_where_it_began(self):
        self.git("checkout", "-q", "-b", "mine")
        self.commit(hours_ago=30)
        self.assertEqual(self.base(), self.first)
        self.commit(hours_ago=0)
        self.assertEqual(self.base(), self.first)

    def test_a_branch_that_was_pushed_is_compared_with_where_it_began(self):
        self.git("checkout", "-q", "-b", "mine")
        self.commit(hours_ago=30)
        self.git("update-ref", "refs/remotes/origin/mine", "HEAD")
        self.git("config", "branch.mine.remote", "origin")
        self.git("config", "branch.mine.merge", "refs/heads/mine")
        self.commit(hours_ago=0)
        self.assertEqual(self.base(), self.first)

    def test_a_clone_without_the_main_branch_means_everything(self):
        self.commit(hours_ago=0)
        self.git("checkout", "-q", "--detach")
        self.git("branch", "-q", "-D", "main")
        self.assertIsNone(self.base())

    def test_a_revision_that_is_asked_for_goes_first(self):
        second = self.commit(hours_ago=9)
        self.commit(hours_ago=0)
        self.assertEqual(self.base("HEAD~2"), self.first)
        os.environ["FATHOM_SINCE"] = "HEAD~1"
        self.assertEqual(self.base(), second)
        with self.assertRaises(SystemExit):
            self.base("nothing")


class WhatDepends(Clone):
    def setUp(self):
        super().setUp()
        self.commit(hours_ago=0)

    def test_nothing_changed(self):
        self.assertEqual(changes.scope_of(self.source).affected, set())
        self.assertEqual(self.sanitized(), [])

    def test_all_that_include_a_changed_header_are_affected(self):
        self.write("src/stats/mean.hpp", "#pragma once\n")
        scope = changes.scope_of(self.source)
        self.assertEqual(scope.affected, {"src/stats/mean.hpp", "src/stats/mean.cpp", "tests/stats/mean.cpp", "tests/fuzz/reading.cpp"})
        self.assertTrue(scope.holds(["src/stats/mean.cpp"]))
        self.assertFalse(scope.holds(["src/base/text.cpp"]))
        self.assertEqual(self.sanitized(), ["unit.stats", "fuzz.mean"])

    def test_a_room_depends_on_all_sources_of_the_rooms_it_includes(self):
        self.write("src/base/other.cpp", "")  # new and not yet known to git
        self.assertEqual(self.sanitized(), ["unit.base", "unit.stats", "fuzz.mean"])

    def test_a_header_that_is_gone_is_still_missed(self):
        (self.source / "tests/stats/series.hpp").unlink()
        self.assertIn("tests/stats/mean.cpp", changes.scope_of(self.source).affected)

    def test_seeds_and_documents_concern_their_own(self):
        self.write("tests/fuzz/corpus/plan/findings/one", "")
        self.write("docs/method.md", "more")
        self.assertEqual(self.sanitized(), ["fuzz.plan"])

    def test_a_changed_rule_means_everything(self):
        for name in ("src/CMakeLists.txt", ".clang-tidy", "cmake/Rooms.cmake", "quickstart", "src/base/info.cpp.in"):
            with self.subTest(name):
                self.write(name, "")
                self.assertIsNone(changes.scope_of(self.source).changed)
                self.assertIsNone(self.sanitized())
                (self.source / name).unlink()


class Summary(unittest.TestCase):
    @staticmethod
    def case(name, **more):
        return {"name": name, "result": "COMPLETED", "time": "0.5s", **more}

    def summary(self, ctest, units=None):
        with tempfile.TemporaryDirectory(prefix="fathom-summary-") as folder:
            folder = pathlib.Path(folder)
            (folder / "ctest.xml").write_text(f"<testsuite>{ctest}</testsuite>")
            (folder / "unit").mkdir()
            for name, cases in (units or {}).items():
                document = {"testsuites": [{"name": "Suite", "testsuite": cases}]}
                (folder / "unit" / f"test_{name}.json").write_text(json.dumps(document))
            out = io.StringIO()
            with mock.patch.object(sys, "argv", ["summary.py", str(folder)]), mock.patch.dict(os.environ, {"CI": ""}), \
                    contextlib.redirect_stdout(out), self.assertRaises(SystemExit) as exit:
                summary.main()
            return exit.exception.code, out.getvalue()

    def test_unit_tests_are_counted_by_test_case(self):
        cases = [self.case("A"), self.case("B"), self.case("C", result="SUPPRESSED")]
        status, text = self.summary('<testcase name="unit.stats" status="run"/>', {"stats": cases})
        self.assertEqual((status, text.splitlines()[-1]), (0, "2 passed, 0 failed, 0 skipped"))

    def test_those_that_fail_are_named(self):
        cases = [self.case("A"), self.case("B", time="2.5s", failures=[{"failure": "no"}])]
        status, text = self.summary('<testcase name="unit.stats" status="fail"/>', {"stats": cases})
        self.assertEqual(status, 1)
        self.assertIn("failed: unit.stats Suite.B\n", text)
        self.assertIn("slow: unit.stats Suite.B: 2.5 s\nslow: unit.stats Suite.A: 0.5 s\n", text)
        self.assertIn("1 passed, 1 failed", text)

    def test_a_program_that_crashes_or_writes_no_report_has_failed(self):
        self.assertIn("0 passed, 1 failed", self.summary('<testcase name="unit.stats" status="fail"/>')[1])
        self.assertIn("0 passed, 1 failed", self.summary('<testcase name="unit.stats" status="run"/>')[1])
        cases = [self.case("A")]
        self.assertIn("1 passed, 1 failed", self.summary('<testcase name="unit.stats" status="fail"/>', {"stats": cases})[1])


if __name__ == "__main__":
    harness.main()
