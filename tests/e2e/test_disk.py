#!/usr/bin/env python3
"""Result files that cannot be written, belong to another program, are damaged, or are on a file system without locks."""

import os
import pathlib
import re
import shutil
import signal
import sqlite3
import subprocess
import unittest

import support
from support import BAD_INPUT, DONE, NOT_MEASURED, FathomTest

QUICK = ("barrier", "bcast", "--platform", "pure-16", "-n", "2", "--sizes", "8", "--reps", "3")


def private_mounts_work():
    """Whether this user may mount a tmpfs in a mount namespace of its own."""
    try:
        done = subprocess.run(["unshare", "-m", "sh", "-c", "mount -t tmpfs -o size=64k none /mnt"], capture_output=True,
                              text=True, timeout=20)
    except OSError as error:
        return str(error)
    return "" if done.returncode == 0 else done.stderr.strip()


NO_MOUNTS = private_mounts_work()


@support.needs("smpi")
@unittest.skipIf(NO_MOUNTS, f"private mounts are not allowed here: {NO_MOUNTS}")
class SmallDisk(FathomTest):
    """`here` is where a file system of our own is mounted, seen by the script only."""

    def in_mount(self, options, script):
        place = self.dir / "here"
        place.mkdir()
        self.write("script.sh", f"set -u\nmount -t tmpfs -o {options} none here\n{script}\n")
        return subprocess.run(["unshare", "-m", "sh", "script.sh"], cwd=self.dir, env=self.environment(),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=support.WAIT_S)

    def section(self, text, name):
        return re.search(rf"(?ms)^BEGIN {name}\n(.*?)^END {name} (\d+)$", text).groups()

    def step(self, name, words):
        """A line of script that runs fathom and keeps output and status apart from others."""
        command = support.shlex.join([support.FATHOM, *words])
        return f"echo BEGIN {name}; {command} 2>&1; echo END {name} $?\n"

    def check_full(self, size, words):
        run = ("run", "--db", "here/r.db", *QUICK, "--quiet", "--label", "kept")
        done = self.in_mount(f"size={size}", self.step("first", run) + self.step("big", ("run", "--db", "here/r.db", *words, "--quiet"))
                             + self.step("show", ("show", "kept", "--json", "--db", "here/r.db"))
                             + self.step("list", ("list", "runs", "--db", "here/r.db"))
                             + "cp here/r.db copy.db; mount -o remount,size=100m here\n"
                             + self.step("resume", ("run", "--resume", "2", "--db", "here/r.db", "--json", "--quiet"))
                             + "echo BEGIN files; ls -A here; echo END files 0\n")
        self.own_files.add("copy.db")
        self.assertEqual(self.section(done.stdout, "first")[1], "0", done.stdout)
        text, status = self.section(done.stdout, "big")
        self.assertEqual(status, str(NOT_MEASURED), done.stdout)
        complaints = [line for line in text.splitlines() if line.startswith("fathom:")]
        self.assertEqual(len(complaints), 1, text)
        self.assertRegex(complaints[0], r"[Nn]o space left", text)
        text, status = self.section(done.stdout, "show")
        self.assertEqual(status, str(DONE), done.stdout)
        self.assertEqual([point["status"] for point in support.json.loads(text)["points"]], ["ok", "ok"])
        self.assertEqual(self.section(done.stdout, "list")[1], "0", done.stdout)
        check = sqlite3.connect(self.dir / "copy.db")
        self.assertEqual(check.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
        check.close()
        self.assertEqual(simulation_folders(self), [])
        text, status = self.section(done.stdout, "resume")
        self.assertEqual(status, str(DONE), "there is room again: " + done.stdout)
        self.assertEqual({point["status"] for point in support.json.loads(text)["points"]}, {"ok"})
        self.assertEqual(self.section(done.stdout, "files")[0], "r.db\n")

    @support.needs("mpich")
    def test_a_disk_that_fills_up_ends_the_run_and_keeps_earlier_ones(self):
        self.check_full("300k", ("bcast", "--mpi", "mpich", "-n", "2", "--sizes", "8:256", "--start", "barrier",
                                 "--reps", "50000"))
        self.assertEqual(self.processes_left(), [])

    def test_a_disk_that_is_full_from_the_start(self):
        done = self.in_mount("size=16k", "dd if=/dev/zero of=here/fill bs=1k count=64 2>/dev/null\n"
                             + self.step("run", ("run", "--db", "here/r.db", *QUICK, "--quiet")))
        text, status = self.section(done.stdout, "run")
        self.assertEqual(status, str(NOT_MEASURED), done.stdout)
        self.assertRegex(text, r"\Afathom: [^\n]*([Nn]o space left)[^\n]*\n\Z")

    def test_a_disk_that_fills_up_under_an_export(self):
        run = ("run", "--db", "r.db", *QUICK[:-1], "20000", "--quiet")
        done = self.in_mount("size=64k", self.step("run", run)
                             + self.step("export", ("export", "--db", "r.db", "--samples", "--csv", "-o", "here/s.csv")))
        self.own_files.add("r.db")
        text, status = self.section(done.stdout, "export")
        self.assertEqual(status, str(NOT_MEASURED), done.stdout)
        self.assertRegex(text, r"\Afathom: cannot write here/s\.csv: No space left[^\n]*\n\Z")

    def test_a_read_only_directory(self):
        done = self.in_mount("size=1m", self.step("first", ("run", "--db", "here/old.db", *QUICK, "--quiet"))
                             + "mount -o remount,ro here\n"
                             + self.step("new", ("run", "--db", "here/r.db", *QUICK, "--quiet"))
                             + self.step("old", ("run", "--db", "here/old.db", *QUICK, "--quiet"))
                             + self.step("show", ("show", "--db", "here/old.db", "--json"))
                             + self.step("export", ("export", "--db", "here/old.db", "--csv", "-o", "here/x.csv")))
        for name in ("new", "old", "export"):
            text, status = self.section(done.stdout, name)
            self.assertEqual(status, str(BAD_INPUT), (name, done.stdout))
            self.assertRegex(text, r"\Afathom: cannot write here/[^\n]*\n\Z", name)
        text, status = self.section(done.stdout, "show")
        self.assertEqual(status, str(DONE), "reading needs no writing: " + done.stdout)
        self.assertEqual(len(support.json.loads(text)["points"]), 2)
        self.assert_nothing_left()


def simulation_folders(test):
    return support.simulation_folders_of(test.dir)


@support.needs("smpi")
@unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full here")
class FullOutput(FathomTest):
    def test_output_that_could_not_be_written_is_told(self):
        self.fathom("run", *QUICK[:-1], "5000", status=DONE)
        for words in (("export", "--csv"), ("export", "--samples", "--csv"), ("show",), ("show", "--json"),
                      ("list", "ops"), ("list", "runs", "--json"), ("run", *QUICK, "--json", "--quiet"),
                      ("run", *QUICK, "--quiet")):
            with self.subTest(words), open("/dev/full", "wb") as full:
                done = subprocess.run([support.FATHOM, *words], cwd=self.dir, env=self.environment(), stdout=full,
                                      stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, timeout=support.WAIT_S)
                self.assertEqual(done.returncode, NOT_MEASURED, done.stderr)
                self.assertRegex(done.stderr, r"\Afathom: cannot write[^\n]*No space left[^\n]*\n\Z")


@support.needs("smpi")
class OtherPeoplesFiles(FathomTest):
    COMMANDS = (("run", *QUICK), ("show",), ("list", "runs"), ("export", "--csv"), ("run", "--resume", "1"))

    def assert_all_refuse(self, path, *patterns):
        before = path.read_bytes()
        for words in self.COMMANDS:
            with self.subTest(words):
                self.assert_refused(self.fathom(*words, "--db", path), re.escape(str(path)), *patterns)
                self.assertEqual(path.read_bytes(), before, "the file stays as it was")
        self.own_files.add(path.name)
        self.assert_nothing_left()

    def good(self, name):
        self.fathom("run", *QUICK, "--db", name, status=DONE)
        self.own_files.add(name)
        return self.dir / name

    def test_a_text_file(self):
        self.assert_all_refuse(self.write("notes.db", "my notes, not yours\n" * 200), r"not a fathom result file", r"--db")

    def test_a_short_text_file(self):
        self.assert_all_refuse(self.write("short.db", "hello\n"), r"not a fathom result file", r"--db")

    def test_a_database_of_another_program(self):
        path = self.dir / "foreign.db"
        database = sqlite3.connect(path)
        database.execute("CREATE TABLE customers (name TEXT)")
        database.commit()
        database.close()
        self.assert_all_refuse(path, r"another program", r"--db")

    def test_a_database_of_another_program_with_our_table_names(self):
        path = self.dir / "foreign.db"
        database = sqlite3.connect(path)
        database.execute("CREATE TABLE run (id INTEGER PRIMARY KEY)")
        database.execute("PRAGMA user_version = 1")
        database.commit()
        database.close()
        self.assert_all_refuse(path, r"another program", r"--db")

    def test_a_file_of_a_newer_fathom(self):
        path = self.good("newer.db")
        database = sqlite3.connect(path)
        database.execute("PRAGMA user_version = 1000")
        database.commit()
        database.close()
        self.assert_all_refuse(path, r"newer fathom", r"1000")

    def test_a_damaged_file(self):
        path = self.good("damaged.db")
        data = bytearray(path.read_bytes())
        data[100:len(data)] = bytes((byte ^ 0xA5) for byte in data[100:])
        path.write_bytes(data)
        self.assert_all_refuse(path, r"damaged", r"--db")

    def test_a_file_cut_short(self):
        path = self.good("cut.db")
        path.write_bytes(path.read_bytes()[:6000])
        self.assert_all_refuse(path, r"damaged|not a fathom result file", r"--db")

    def test_a_directory(self):
        (self.dir / "folder.db").mkdir()
        for words in self.COMMANDS:
            self.assert_refused(self.fathom(*words, "--db", "folder.db"), r"folder\.db")
        self.assert_nothing_left()

    def test_a_directory_that_is_not_there(self):
        self.assert_refused(self.fathom("run", *QUICK, "--db", "no/such/r.db"), r"no directory no/such", r"--db")
        self.assert_refused(self.fathom("show", "--db", "no/such/r.db"), r"no results in no/such/r\.db")
        self.assert_nothing_left()

    def test_samples_damaged_in_the_store_are_told_not_invented(self):
        path = self.good("bits.db")
        database = sqlite3.connect(path)
        database.execute("UPDATE sample_block SET data = x'00112233'")
        database.commit()
        database.close()
        for words in (("show",), ("export", "--csv"), ("export", "--samples", "--csv", "-o", "out.csv")):
            result = self.fathom(*words, "--db", path)
            self.assertEqual(result.status, BAD_INPUT, result)
            self.assertRegex(result.stderr, r"\A(fathom: [^\n]*bits\.db: table sample_block, row [^\n]*damaged[^\n]*\n){2}\Z")

    def test_an_empty_file_becomes_a_result_file(self):
        self.write("empty.db", "")
        self.fathom("run", *QUICK, "--db", "empty.db", status=DONE)
        self.assertEqual(len(self.shown("last", "--db", "empty.db")["points"]), 2)


@support.needs("smpi")
class NoLocks(FathomTest):
    def without_locks(self):
        """A command that starts fathom on such a file system; what fathom starts has locks again."""
        return {"LD_PRELOAD": support.preload("nolocks")}

    def test_it_works_says_so_and_cleans_up(self):
        result = self.fathom("run", *QUICK, "--db", "r.db", "--json", env=self.without_locks(), status=DONE)
        self.assertEqual([point["status"] for point in result.json["points"]], ["ok", "ok"])
        self.assertRegex(result.stderr, r"(?m)^note: the file system of r\.db has no working locks")
        self.assertEqual(len(self.shown("last", "--db", "r.db", env=self.without_locks())["points"]), 2)
        self.assertEqual(len(self.shown("last", "--db", "r.db")["points"]), 2)
        self.assert_nothing_left("r.db")

    def test_a_second_process_is_refused_while_the_first_measures(self):
        running = self.start("run", "-v", "allreduce", "--platform", "pure-16", "-n", "4", "--sizes", "1:256k", "--reps",
                             "1000", "--db", "r.db", env=self.without_locks())
        running.wait_for(r"^\[1/")
        self.assertTrue((self.dir / "r.db.lock").exists())
        for words in (("run", *QUICK), ("show",)):
            second = self.fathom(*words, "--db", "r.db", env=self.without_locks())
            self.assertIn(second.status, (BAD_INPUT, NOT_MEASURED))
            self.assertRegex(second.stderr, rf"\Afathom: r\.db is in use by process {running.pid} on \S+\.[^\n]*\n\Z")
        os.kill(running.pid, signal.SIGINT)
        running.finish(30)
        self.assert_nothing_left("r.db")

    def test_the_lock_of_a_killed_process_does_not_stay_in_the_way(self):
        running = self.start("run", "-v", "allreduce", "--platform", "pure-16", "-n", "4", "--sizes", "1:256k", "--reps",
                             "1000", "--db", "r.db", env=self.without_locks())
        running.wait_for(r"^\[1/")
        os.kill(running.pid, signal.SIGKILL)
        running.finish(20)
        self.assertEqual(self.processes_left(), [])
        for job in simulation_folders(self):
            shutil.rmtree(pathlib.Path(job).parent)
        self.assertTrue((self.dir / "r.db.lock").exists())
        self.fathom("run", *QUICK, "--db", "r.db", env=self.without_locks(), status=DONE)
        self.assertFalse((self.dir / "r.db.lock").exists())
        self.assertEqual(len(self.fathom("list", "runs", "--json", "--db", "r.db", status=DONE).json["rows"]), 2)


@support.needs("smpi")
class TwoAtOnce(FathomTest):
    def test_two_runs_share_a_file(self):
        words = ("run", "allreduce", "--platform", "pure-16", "-n", "4", "--sizes", "1:4k", "--reps", "200")
        both = [self.start(*words, "--label", label) for label in ("left", "right")]
        for running in both:
            self.assertEqual(running.finish().status, DONE)
        for label in ("left", "right"):
            self.assertEqual([point["status"] for point in self.shown(label)["points"]], ["ok"] * 13)
        self.assert_nothing_left("fathom.db")


if __name__ == "__main__":
    support.main()
