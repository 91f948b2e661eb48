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
            self.assertEqual(result.stderr, "launch 1 of 1: 26 points\n")

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
        self.assertEqual(result.stderr, "launch 1 of 1: 2 points\n")

    def test_a_coloured_table_stands_as_straight_as_a_plain_one(self):
        self.fathom(*ALONE, status=DONE)
        coloured = self.on_terminal("show").stdout
        self.assertEqual(re.sub(r"\x1b\[[0-9;]*m", "", coloured), self.fathom("show", status=DONE).stdout)

    def test_a_line_for_each_launch_without_a_terminal_and_for_each_point_on_request(self):
        result = self.fathom(*RUN, "--runs", 2, status=DONE, env={"TERM": "xterm"})
        self.assertNotIn(ESCAPE, result.stderr + result.stdout)
        self.assertEqual(result.stderr, "launch 1 of 2: 26 points\nlaunch 2 of 2: 26 points\n")
        first, *lines = self.fathom(*RUN, "--verbose", status=DONE).stderr.splitlines()
        self.assertEqual((first, len(lines)), ("launch 1 of 1: 26 points", 26))
        for number, line in enumerate(lines, 1):
            self.assertRegex(line, rf"^\[{number}/26\] (allreduce|pingpong) .*: median ")
        self.assert_refused(self.fathom(*RUN, "-q", "-v"), r"--quiet.*excludes|excludes.*--quiet")

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



def widest(text):
    return max((len(line) for line in text.splitlines()), default=0)


@support.needs("smpi")
class Columns(FathomTest):
    """80 columns is a design size."""

    def at(self, columns, *words, **options):
        return self.fathom(*words, env={"COLUMNS": str(columns)}, **options)

    def test_what_people_read_fits_80_columns(self):
        run = self.at(80, "run", "allreduce", "--platform", "pure-16", "-n", "3", "--sizes", "1:4k", "--reps", "9", "--via",
                      "library,reference:recursive_doubling", "--quiet", status=DONE)
        again = self.at(80, "run", "allreduce", "pingpong", "--platform", "pure-16", "-n", "3", "--sizes", "1:4k", "--reps", "9",
                        "--quiet", status=DONE)
        self.fathom("run", "allreduce", "--platform", "pure-16", "-n", "3", "--sizes", "1:4k", "--reps", "3", "--quiet")
        for words in (("show", "1"), ("compare", "2", "3"), ("list",), ("list", "ops"), ("list", "ops", "collective"),
                      ("list", "ops", "overlap"), ("list", "algorithms"), ("list", "algorithms", "--mpi", "smpi"),
                      ("list", "presets"), ("list", "schemes"), ("list", "platforms"), ("list", "runs"), ("run", "--help"),
                      ("run", "--help-all"), ("show", "--help"), ("tune", "--help"), ("help",), ("help", "results"), ("doctor",),
                      ("doctor", "-n", "999"), ("show", "1", "--plot"), ("show", "1", "--explain", "--distribution", "--tails")):
            with self.subTest(words=words):
                result = self.at(80, *words, status=None)
                self.assertLessEqual(widest(result.stdout), 80, result.stdout)
                self.assertTrue(result.stdout)
        for result in (run, again):
            long = [line for line in result.stdout.splitlines() if len(line) > 80 and "fathom.db" not in line]
            self.assertEqual(long, [])

    def test_columns_that_do_not_fit_are_named_and_shown_by_wide(self):
        self.fathom(*RUN, "--quiet")
        narrow = self.at(60, "show").stdout
        self.assertRegex(narrow, r"(?m)^operation +procs +bytes .*median +95% interval")
        self.assertRegex(narrow, r"\(--wide also shows .*skew.*\.\)")
        self.assertNotRegex(narrow, r"(?m)^operation.*skew")
        for text in (self.at(60, "show", "--wide").stdout, self.fathom("show").stdout):
            self.assertRegex(text, r"(?m)^operation.* skew +rate$")
            self.assertNotIn("--wide", text)

    def test_help_shows_ten_options_and_the_rest_by_topic(self):
        short, whole = self.fathom("run", "--help").stdout, self.fathom("run", "--help-all").stdout
        options = re.search(r"(?s)\nOptions:\n(.*?)\n\n", short).group(1)
        self.assertEqual(len(re.findall(r"(?m)^  -", options)), 11, "ten, and --help")
        self.assertNotIn("\n\n\n", short)
        for option in ("--procs", "--sizes", "--runs", "--budget", "--mpi", "--platform", "--dry-run", "--resume"):
            self.assertIn(option, short)
        self.assertRegex(short, r"\d+ more options, by topic: fathom run --help-all")
        self.assertNotIn("--clock-arity", short)
        for title in ("Clocks:", "What operations do:", "Points and searches:", "The job:"):
            self.assertIn(title, whole)
        self.assertIn("--clock-arity", whole)
        self.assertEqual(self.fathom("help", "run").stdout, short)
        of_trees = self.fathom("tree", "optimize", "--help").stdout
        self.assertRegex(of_trees, r"(?m)^Usage: fathom tree optimize ")
        self.assertIn("more options, by topic: fathom tree optimize --help-all", of_trees)

    def test_topics_are_explained_and_misspellings_recognised(self):
        self.assertIn("results", self.fathom("help").stdout)
        self.assertRegex(self.fathom("help", "results").stdout, r"(?s)median.*95 %")
        for topic in re.findall(r"(?m)^(\w+)  ", self.fathom("help").stdout):
            self.assertNotIn("Usage:", self.fathom("help", topic).stdout, "a command of that name hides it")
        wrong = self.fathom("help", "result", status=support.BAD_INPUT)
        self.assertIn("Did you mean 'results'?", wrong.stderr)

    def test_operations_are_folded_and_described_on_demand(self):
        folded = self.fathom("list", "ops").stdout
        self.assertLess(len(folded.splitlines()), 30)
        self.assertRegex(folded, r"bcast\+2")
        one = self.fathom("list", "ops", "bcast").stdout
        for name in ("bcast ", "ibcast ", "bcast_init "):
            self.assertRegex(one, rf"(?m)^{name}")
        self.assertNotIn("allreduce", one)
        callers = self.fathom("list", "ops", "mpi_put", "--json").json["rows"]
        self.assertEqual([row["operation"] for row in callers], ["put.fence", "put.pscw", "put.lock", "put.flush"])
        family = self.fathom("list", "ops", "stream", "--json").json["rows"]
        self.assertEqual({row["family"] for row in family}, {"stream"})
        wrong = self.fathom("list", "ops", "bcsat", status=support.BAD_INPUT)
        self.assertIn("Did you mean 'bcast'?", wrong.stderr)

    def test_a_dry_run_says_what_would_be_done_and_does_nothing(self):
        result = self.fathom("run", "allreduce", "barrier", "--platform", "pure-16", "-n", "2,4", "--sizes", "8,64k", "--dry-run")
        self.assertRegex(result.stdout, r"Would measure 6 points in 1 launch; nothing is started\.")
        self.assertRegex(result.stdout, r"allreduce at 2 sizes from 8 B to 64 KiB, 2, 4 processes: 4 points")
        self.assertIn("smpirun", result.stdout)
        narrow = self.at(80, "run", "allreduce", "--platform", "pure-16", "-n", "2", "--dry-run").stdout
        self.assertRegex(narrow, r"(?m)^  \S*smpirun .* \\$", "lines that a shell joins")
        self.assertIn("of simulated time", narrow)
        whole = self.fathom("run", "allreduce", "--platform", "pure-16", "-n", "2", "--sizes", "8,64k", "--dry-run", "--json").json
        self.assertEqual(whole["schema"], "fathom.dry_run/1")
        self.assertEqual(len(whole["points"]), 2)
        self.assertFalse((self.dir / "fathom.db").exists())
        refused = self.fathom("run", "--resume", "last", "--dry-run", status=support.BAD_INPUT)
        self.assertIn("--dry-run is for a new run", refused.stderr)

    def test_several_runs_are_exported_together(self):
        for label in ("first", "second"):
            self.fathom(*ALONE, "--label", label, "--quiet", status=None)
        rows = self.fathom("export", "first", "second", "--csv").stdout.splitlines()
        self.assertEqual(sum(row.startswith("run,") for row in rows), 1)
        self.assertEqual({row.split(",")[0] for row in rows[1:]}, {"1", "2"})
        both = self.fathom("export", "1", "2", "--json").json
        self.assertEqual([run["run"] for run in both["runs"]], [1, 2])
        self.assertEqual(self.fathom("show", "1", "--csv").stdout, self.fathom("export", "1", "--csv").stdout)


if __name__ == "__main__":
    support.main()
