#!/usr/bin/env python3
"""Stored runs: what is said of those that failed, labels, deletion."""

import os
import pty
import subprocess

import support
from support import BAD_INPUT, CHECK_FAILED, DONE, NOT_MEASURED, FathomTest


@support.needs("smpi")
class Runs(FathomTest):
    def measured(self, *more):
        return self.run_json("barrier", "--platform", "pure-16", "-n", "2", "--reps", "3", *more)["run"]

    def listed(self, *more):
        return self.fathom("list", "runs", "--json", *more, status=DONE).json["rows"]

    def failed(self):
        self.fathom("run", "barrier", "--mpi", support.a_real_flavour(), "-n", "2", "--launcher", "false", "--allow-run-as-root",
                    status=NOT_MEASURED)

    def test_one_whose_launch_failed_keeps_the_reason_and_is_not_the_last(self):
        good = self.measured()
        self.failed()
        reason = "the launcher ended with exit status 1"
        self.assertEqual(self.shown(2)["reason"], reason)
        self.assertEqual([row["reason"] for row in self.listed()], ["", reason])
        self.assertIn(f"Status: failed, {reason}\n", self.fathom("show", 2).stdout)
        self.assertRegex(self.fathom("list", "runs").stdout, rf"(?m)^ *2 .* failed .*{reason}$")
        self.assertEqual(self.shown("last")["run"], good)

    def test_one_whose_launcher_is_missing_keeps_the_reason(self):
        self.fathom("run", "barrier", "--mpi", support.a_real_flavour(), "-n", "2", "--launcher", "no-such-launcher",
                    status=NOT_MEASURED)
        self.assertRegex(self.shown(1)["reason"], "cannot start 'no-such-launcher'")

    def test_are_found_by_their_tags(self):
        self.measured("--tag", "switch=old", "--tag", "rev=a,b")
        self.measured("--tag", "switch=new", "--runs", "2")
        self.measured()
        self.assertEqual([(row["points_ok"], row["points"]) for row in self.listed()], [(1, 1)] * 3, "launches count no point twice")
        self.assertEqual([row["tags"] for row in self.listed()], [{"rev": "a,b", "switch": "old"}, {"switch": "new"}, {}])
        self.assertEqual([row["run"] for row in self.listed("--tag", "switch=old")], [1])
        self.assertEqual(self.listed("--tag", "switch=old", "--tag", "rev=c"), [])
        self.assertEqual(self.shown(1)["tags"], {"rev": "a,b", "switch": "old"})
        self.assertIn("\nTags: rev=a,b, switch=old\n", self.fathom("show", 1).stdout)
        compared = self.fathom("compare", 1, 2, "--json").json
        self.assertEqual(compared["second"]["tags"], {"switch": "new"})
        self.assertIn("(switch=new)\n", self.fathom("compare", 1, 2).stdout)
        self.assertRegex(self.fathom("list", "runs").stdout, r"(?m) rev=a,b, switch=old$")
        self.assert_refused(self.fathom("list", "runs", "--tag", "switch"), "--tag is \"switch\"; give KEY=VALUE")
        self.assert_refused(self.fathom("run", "barrier", "--tag", "a=1", "--tag", "a=2"), "give the key 'a' once")

    def test_get_another_label(self):
        self.measured("--label", "old")
        changed = self.fathom("label", "old", "new", "--json", status=DONE).json
        self.assertEqual(changed, {"schema": "fathom.label/1", "run": 1, "label": "new", "previous_label": "old"})
        self.assertEqual(self.shown("new")["run"], 1)
        self.assert_refused(self.fathom("label", "new", "last"), "neither a number nor 'last'")
        self.assert_refused(self.fathom("label", "neww", "x"), "Did you mean 'new'")
        self.assertEqual(self.fathom("label", "1", "", status=DONE).stdout, "Run 1 has no label now.\n")
        self.assertEqual(self.listed()[0]["label"], "")

    def test_are_deleted(self):
        for _ in range(3):
            self.measured()
        self.assert_refused(self.fathom("delete", "3"), "add --yes")
        gone = self.fathom("delete", "3", "1", "3", "--yes", "--json", status=DONE).json
        self.assertEqual(gone["schema"], "fathom.delete/1")
        self.assertEqual([run["run"] for run in gone["deleted"]], [3, 1])
        self.assertEqual([row["run"] for row in self.listed()], [2])
        self.assertEqual(self.measured(), 4, "numbers are not given again")
        self.assert_refused(self.fathom("delete", "2", "9", "--yes"), "no run '9'")
        self.assertEqual([row["run"] for row in self.listed()], [2, 4], "all or none")

    def answered(self, answer):
        """The exit status of `fathom delete 1` at a terminal where this is typed."""
        master, slave = pty.openpty()
        try:
            running = subprocess.Popen([support.FATHOM, "delete", "1"], cwd=self.dir, env=self.environment(), stdin=slave,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            os.write(master, answer.encode())
            _, asked = running.communicate(timeout=support.WAIT_S)
            self.assertIn("with all samples from fathom.db? [y/N]", asked)
            return running.returncode
        finally:
            os.close(master)
            os.close(slave)

    def test_are_deleted_after_a_yes_only(self):
        self.measured()
        self.assertEqual(self.answered("\n"), CHECK_FAILED)
        self.assertEqual(len(self.listed()), 1)
        self.assertEqual(self.answered("y\n"), DONE)
        self.assertEqual(self.listed(), [])

    def test_that_are_being_measured_are_refused(self):
        running = self.start("run", "barrier", "--platform", "pure-16", "-n", "2", "--reps", "100000000", "-q")
        self.journal_when(running, lambda records: len(records) > 3)
        for words in (("delete", "1", "--yes"), ("label", "1", "x")):
            self.assert_refused(self.fathom(*words), rf"run 1 is still being measured by process {running.pid}")
        self.assertEqual(self.fathom("delete", "1").status, BAD_INPUT)


if __name__ == "__main__":
    support.main()
