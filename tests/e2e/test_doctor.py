#!/usr/bin/env python3
"""`fathom doctor`: what disturbs measurements here, each with a remedy."""

import mmap
import os
import pathlib
import socket
import subprocess

import support
from support import CHECK_FAILED, DONE, FathomTest


class Doctor(FathomTest):
    def check(self, *words):
        result = self.fathom("doctor", "--json", *words)
        document = result.json
        self.assertEqual(document["schema"], "fathom.doctor/1")
        self.assertIsInstance(document["facts"], dict)
        self.assertLessEqual({"kernel", "cores", "processors", "architecture"}, set(document["facts"]))
        for finding in document["findings"]:
            self.assertEqual(set(finding) & {"severity", "code", "text", "remedy"}, {"severity", "code", "text", "remedy"})
            self.assertIn(finding["severity"], ("serious", "note"))
            self.assertNotEqual(finding["remedy"], "")
        serious = [finding for finding in document["findings"] if finding["severity"] == "serious"]
        self.assertEqual(result.status, CHECK_FAILED if serious else DONE, result)
        self.assertEqual(result.stderr, "")
        return document

    def test_json_has_its_schema_and_findings_with_a_remedy(self):
        document = self.check()
        self.assertEqual(set(document["flavours"]), set(support.flavours()))
        self.assertNotIn("oversubscription", [finding["code"] for finding in document["findings"]])
        self.assert_nothing_left()

    def test_more_processes_than_processors_are_found(self):
        processes = 2 * os.cpu_count()
        document = self.check("-n", str(processes))
        finding, = [finding for finding in document["findings"] if finding["code"] == "oversubscription"]
        self.assertEqual(finding["severity"], "serious")
        self.assertIn(f"{processes} ranks", finding["text"])
        self.fathom("doctor", "-n", str(processes), status=CHECK_FAILED)

    def test_text_says_what_json_says(self):
        processes = 2 * os.cpu_count()
        document = self.check("-n", str(processes))
        text = self.fathom("doctor", "-n", str(processes)).stdout
        for finding in document["findings"]:
            if finding["code"] != "load":  # changes from one moment to the next
                self.assertIn(finding["text"], text)
                self.assertIn(f"Fix: {finding['remedy']}", text)
        self.assertIn(document["host"], text)
        self.assertNotIn("\x1b", text)

    def test_one_process_on_an_undisturbed_machine_would_not_be_unbound(self):
        self.assertNotIn("unbound", [finding["code"] for finding in self.check("-n", "1")["findings"]])


class Leftovers(FathomTest):
    """What killed MPI jobs left behind, in places of the test's own: FATHOM_SHARED_MEMORY and TMPDIR."""

    def setUp(self):
        super().setUp()
        self.memory = self.tmp / "shm"
        self.memory.mkdir()
        self.sessions = self.tmp / f"ompi.{socket.gethostname()}.{os.geteuid()}"
        self.sessions.mkdir()

    def doctor(self, *words):
        return self.fathom("doctor", *words, env={"FATHOM_SHARED_MEMORY": str(self.memory)})

    def segment(self, name, age_s=3600):
        path = self.memory / name
        path.write_bytes(b"x" * 8192)
        written = path.stat().st_mtime - age_s
        os.utime(path, (written, written))
        return path

    def session(self, pid):
        path = self.sessions / f"pid.{pid}"
        (path / "1").mkdir(parents=True)
        (path / "contact.txt").write_text("x")
        written = path.stat().st_mtime - 3600
        os.utime(path, (written, written))
        return path

    @staticmethod
    def ended_process():
        process = subprocess.Popen(["true"])
        process.wait()
        return process.pid

    def paths(self, document, field):
        return sorted(pathlib.Path(leftover["path"]) for leftover in document[field])

    def test_warnings_fail_a_strict_check_alone(self):
        self.segment("mpich_shar_tmpMCilHL")
        self.assertRegex(self.doctor().stdout, r"(?m)^\d+\. warning: .*killed MPI jobs left 1 shared-memory segment")
        self.assertEqual(self.doctor("--strict").status, CHECK_FAILED)

    def test_they_are_named_and_those_in_use_are_not(self):
        stale = [self.segment("vader_segment.h.0.1b570001.0"), self.segment("mpich_shar_tmpMCilHL"),
                 self.session(self.ended_process())]
        kept = [self.segment("vader_segment.h.0.1b570001.1", age_s=0), self.segment("sem.other"), self.session(os.getpid())]
        precious = self.write("precious", "x")
        kept.append(self.memory / "open_mpi.0000")
        kept[-1].symlink_to(precious)
        used = self.segment("vader_segment.h.0.1b570001.2")
        with open(used, "r+b") as file:
            mapped = mmap.mmap(file.fileno(), 8192)
        self.addCleanup(mapped.close)

        document = self.doctor("--json").json
        self.assertEqual(self.paths(document, "leftovers"), sorted(stale))
        self.assertEqual({leftover["kind"] for leftover in document["leftovers"]}, {"segment", "session-folder"})
        self.assertEqual({leftover["library"] for leftover in document["leftovers"]}, {"Open MPI", "MPICH"})
        self.assertNotIn("removed", document)
        finding, = [finding for finding in document["findings"] if finding["code"] == "leftovers"]
        self.assertEqual(finding["severity"], "note")
        self.assertEqual(finding["remedy"], "fathom doctor --clean")
        self.assertIn("2 shared-memory segments and 1 session folder", finding["text"])
        for path in stale:
            self.assertTrue(path.exists(), "naming removes nothing")

        text = self.doctor("--clean").stdout
        self.assertIn("Removed 2 shared-memory segments and 1 session folder", text)
        for path in stale:
            self.assertIn(f"  {path}\n", text)
            self.assertFalse(path.exists())
        for path in [*kept, used, precious]:
            self.assertTrue(os.path.lexists(path), path)

        mapped.close()
        document = self.doctor("--clean", "--json").json
        self.assertEqual(self.paths(document, "removed"), [used])
        self.assertEqual(document["leftovers"], [])
        self.assertNotIn("leftovers", [finding["code"] for finding in document["findings"]])
        self.assertIn("Nothing to remove", self.doctor("--clean").stdout)

    @support.needs_root
    def test_those_of_another_user_stay(self):
        theirs = self.segment("open_mpi.0001")
        os.chown(theirs, 65534, 65534)
        self.assertEqual(self.doctor("--clean", "--json").json["removed"], [])
        self.assertTrue(theirs.exists())


if __name__ == "__main__":
    support.main()
