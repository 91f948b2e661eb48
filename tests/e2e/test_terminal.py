#!/usr/bin/env python3
"""What a person sees: a bar and colours on a terminal, plain lines elsewhere, nothing when asked to be quiet."""

import fcntl
import os
import pty
import re
import select
import subprocess
import termios
import time

import support
from support import DONE, FathomTest

RUN = ("run", "allreduce", "pingpong", "--platform", "pure-16", "-n", "3", "--sizes", "1:4k", "--reps", "100",
       "--order", "planned")
ALONE = ("run", "pingpong", "barrier", "--platform", "pure-16", "-n", "1", "--sizes", "8", "--reps", "9")
ESCAPE = "\x1b"
BAR = re.compile(r"\[[#-]+\] +\d+/\d+ +\w+")


@support.needs("smpi")
class Terminal(FathomTest):
    def test_a_bar_on_stderr_and_a_table_on_stdout(self):
        result = self.on_terminal(*RUN)
        self.assertEqual(result.status, DONE)
        self.assertRegex(result.stderr, BAR)
        self.assertIn("allreduce", result.stderr)
        self.assertRegex(result.stderr, r"/26 ")
        self.assertNotRegex(result.stderr, r"(?m)^\[1/26\]", "no plain lines besides the bar")
        self.assertNotRegex(result.stdout, BAR)
        self.assertIn("median", result.stdout)
        # The bar is gone at the end: the last thing is the erasing of its line.
        self.assertRegex(result.stderr, r"\r\x1b\[K\Z")

    def test_the_bar_fits_a_narrow_terminal(self):
        result = self.on_terminal(*RUN, columns=40)
        for line in re.split(r"\r(?:\x1b\[K)?|\n", result.stderr):
            self.assertLess(len(re.sub(r"\x1b\[[0-9;]*m", "", line)), 40, line)

    def test_a_bar_does_not_get_into_json(self):
        result = self.on_terminal(*RUN, "--json", streams=("stderr",))
        self.assertEqual(result.json["schema"], "fathom.run/1")
        self.assertRegex(result.stderr, BAR)

    def test_a_dumb_terminal_gets_plain_lines(self):
        for term in ("dumb", ""):
            result = self.on_terminal(*RUN, TERM=term)
            self.assertNotIn(ESCAPE, result.stderr + result.stdout)
            self.assertNotIn("\r", result.stderr)
            self.assertRegex(result.stderr, r"(?m)^\[1/26\] allreduce 1 B +3 procs: median ")

    def test_colours_obey_no_color(self):
        coloured, plain = self.on_terminal(*ALONE), self.on_terminal(*ALONE, NO_COLOR="1")
        self.assertRegex(coloured.stdout, r"\x1b\[31munavailable")
        self.assertNotRegex(plain.stdout + plain.stderr, r"\x1b\[[0-9;]*m")
        self.assertRegex(plain.stderr, BAR, "the bar is no colour")
        empty = self.on_terminal(*ALONE, NO_COLOR="")
        self.assertRegex(empty.stdout, r"\x1b\[31munavailable", "an empty NO_COLOR means nothing, as no-color.org has it")

    def test_colours_depend_on_the_stream_they_go_to(self):
        result = self.on_terminal(*ALONE, streams=("stderr",))
        self.assertNotIn(ESCAPE, result.stdout)
        result = self.on_terminal(*ALONE, streams=("stdout",))
        self.assertIn(ESCAPE, result.stdout)
        self.assertNotIn(ESCAPE, result.stderr)
        self.assertRegex(result.stderr, r"(?m)^\[1/2\] ")

    def test_a_coloured_table_stands_as_straight_as_a_plain_one(self):
        self.fathom(*ALONE, status=DONE)
        coloured = self.on_terminal("show").stdout
        self.assertEqual(re.sub(r"\x1b\[[0-9;]*m", "", coloured), self.fathom("show", status=DONE).stdout)

    def test_plain_lines_without_a_terminal(self):
        result = self.fathom(*RUN, status=DONE, env={"TERM": "xterm"})
        self.assertNotIn(ESCAPE, result.stderr + result.stdout)
        lines = result.stderr.splitlines()
        self.assertEqual(len(lines), 26)
        for number, line in enumerate(lines, 1):
            self.assertRegex(line, rf"^\[{number}/26\] (allreduce|pingpong) .*: median ")

    def test_quiet_says_nothing(self):
        result = self.fathom(*RUN, "--quiet", status=DONE)
        self.assertEqual(result.stderr, "")
        self.assertIn("median", result.stdout)
        self.assertEqual(self.on_terminal(*RUN, "-q", streams=("stderr",)).stderr, "")

    def test_ctrl_c_at_the_terminal_gives_the_line_back(self):
        master, slave = pty.openpty()
        process = subprocess.Popen([support.FATHOM, "run", "allreduce", "--platform", "pure-16", "--sizes", "1:256k",
                                    "--reps", "1000"], cwd=self.dir, stdin=slave, stdout=subprocess.DEVNULL, stderr=slave,
                                   env=self.environment({"TERM": "xterm"}), start_new_session=True,
                                   preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(slave)
        seen = b""
        deadline = time.monotonic() + 60
        sent = False
        try:
            while time.monotonic() < deadline:
                if select.select([master], [], [], 1)[0]:
                    try:
                        piece = os.read(master, 65536)
                    except OSError:
                        break
                    seen += piece
                    if not piece:
                        break
                if not sent and re.search(rb"\[[#-]+\] +[1-9]", seen):
                    os.write(master, b"\x03")  # the terminal makes a SIGINT of it for everything in front
                    sent = True
            status = process.wait(30)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
            os.close(master)
        self.assertEqual(status, support.INTERRUPTED, seen)
        self.assertRegex(seen.decode(), r"\r\x1b\[Kfathom: interrupted while measuring allreduce", "the bar is wiped first")
        self.assert_nothing_left("fathom.db")


if __name__ == "__main__":
    support.main()
