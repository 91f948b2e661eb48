#!/usr/bin/env python3
"""The harness itself: what it counts and reports, when it tries again, and that no flavour is left out."""
import contextlib
import dataclasses
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS))
import harness

HEAD = f"import sys, time, unittest\nsys.path.insert(0, {str(TESTS)!r})\nimport harness\n"


class Outcome:
    """Of a test file: its exit status, output and report."""

    def __init__(self, text, name="test_sample.py", words=(), ci=False, flavours="", probes=(), part=None):
        with tempfile.TemporaryDirectory(prefix="fathom-harness-") as folder:
            folder = pathlib.Path(folder)
            file = folder / "kind" / name
            file.parent.mkdir()
            file.write_text(HEAD + textwrap.dedent(text) + "\nif __name__ == '__main__':\n    harness.main()\n")
            (folder / "tests").mkdir()
            (folder / "bin").mkdir()
            (folder / "tests" / "flavours.txt").write_text(flavours)
            for flavour in probes:
                (folder / "bin" / f"fathom-probe-{flavour}").touch()
            env = {key: value for key, value in os.environ.items() if key not in ("CI", "FATHOM_SOURCE_DIR", "FATHOM_TEST_PART")}
            if part:
                env["FATHOM_TEST_PART"] = part
            env.update({"FATHOM_TEST_REPORTS": str(folder / "reports"), "FATHOM_BUILD_DIR": str(folder), **({"CI": "true"} if ci else {})})
            done = subprocess.run([sys.executable, file, *words], capture_output=True, text=True, timeout=60, env=env)
            self.status, self.text = done.returncode, done.stdout + done.stderr
            reports = list((folder / "reports").iterdir())
            self.report_name, = (path.name for path in reports)
            self.report = json.loads(reports[0].read_text())

    def counts(self):
        return self.report["passed"], self.report["failed"], len(self.report["skipped"])


SKIPS = """
    class Some(unittest.TestCase):
        def test_that_passes(self):
            pass
        @unittest.skip("no reason")
        def test_that_is_skipped(self):
            pass
"""


PARTS = """
    class Some(unittest.TestCase):
        @harness.alone
        def test_that_judges_times(self):
            pass
        def test_that_does_not(self):
            pass
    @harness.alone
    class Judges(unittest.TestCase):
        def test_everything(self):
            pass
"""


class Parts(unittest.TestCase):
    def test_marked_test_cases_and_classes_run_by_themselves(self):
        marked, other = {"Some.test_that_judges_times", "Judges.test_everything"}, {"Some.test_that_does_not"}
        for part, name, expected in ((None, "kind.sample.json", marked | other), ("beside", "kind.sample.json", other),
                                     ("alone", "kind.sample.alone.json", marked)):
            with self.subTest(part=part):
                outcome = Outcome(PARTS, part=part)
                self.assertEqual((outcome.status, outcome.report_name), (0, name))
                self.assertEqual(set(outcome.report["seconds"]), expected)
                self.assertEqual(outcome.counts(), (len(expected), 0, 0))

    def test_a_part_without_test_cases_fails(self):
        self.assertEqual(Outcome(SKIPS, part="alone").status, 1)


class Counting(unittest.TestCase):
    def test_skips_are_counted_by_test_case_and_told(self):
        outcome = Outcome(SKIPS)
        self.assertEqual((outcome.status, outcome.report_name), (0, "kind.sample.json"))
        self.assertEqual(set(outcome.report.pop("seconds")), {"Some.test_that_passes", "Some.test_that_is_skipped"})
        self.assertEqual(outcome.report, {"file": "test_sample.py", "passed": 1, "failed": 0, "retries": [],
                                          "skipped": [{"test": "Some.test_that_is_skipped", "reason": "no reason"}]})
        self.assertIn("SKIPPED Some.test_that_is_skipped: no reason", outcome.text)
        self.assertIn("passed 1, failed 0, skipped 1, retries 0", outcome.text)

    def test_in_ci_a_skip_is_a_failure(self):
        outcome = Outcome(SKIPS, ci=True)
        self.assertEqual((outcome.status, outcome.counts()), (1, (1, 0, 1)))
        self.assertRegex(outcome.text, "SKIPPED Some.test_that_is_skipped: no reason .*a skip is a failure")

    def test_a_file_with_nothing_but_skips_says_so(self):
        self.assertEqual(Outcome(SKIPS, words=["Some.test_that_is_skipped"]).status, harness.ALL_SKIPPED)

    def test_a_class_that_skips_itself_counts_every_test_case(self):
        outcome = Outcome("""
            class Some(unittest.TestCase):
                @classmethod
                def setUpClass(cls):
                    raise unittest.SkipTest("nothing here")
                def test_a(self): pass
                def test_b(self): pass
            class SomeOther(unittest.TestCase):
                def test_c(self): pass
        """)
        self.assertEqual((outcome.status, outcome.counts()), (0, (1, 0, 2)))

    def test_a_file_can_skip_all_of_its_test_cases(self):
        outcome = Outcome(SKIPS + "    harness.main(skip_all='no hosts here')\n")
        self.assertEqual((outcome.status, outcome.counts()), (harness.ALL_SKIPPED, (0, 0, 2)))
        self.assertEqual({skip["reason"] for skip in outcome.report["skipped"]} - {"no reason"}, {"no hosts here"})

    def test_a_class_that_cannot_be_set_up_has_failed(self):
        outcome = Outcome("""
            class Some(unittest.TestCase):
                @classmethod
                def setUpClass(cls):
                    raise RuntimeError("no hosts")
                def test_a(self): pass
                def test_b(self): pass
        """)
        self.assertEqual((outcome.status, outcome.counts()), (1, (0, 2, 0)))

    def test_a_file_that_cannot_be_loaded_or_is_killed_has_failed(self):
        for text in ("raise RuntimeError('at module level')", "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", ""):
            with self.subTest(text):
                outcome = Outcome(text)
                self.assertNotEqual(outcome.status, 0)
                self.assertEqual(outcome.report["passed"], 0)
        self.assertEqual(outcome.report["failed"], 0, "there was nothing to fail, but the exit status says so")

    def test_a_sub_test_that_fails_or_is_skipped_is_seen(self):
        outcome = Outcome("""
            class Some(unittest.TestCase):
                def test_a(self):
                    for number in range(3):
                        with self.subTest(number=number):
                            self.assertLess(number, 2)
                def test_b(self):
                    for number in range(3):
                        with self.subTest(number=number):
                            if number == 1:
                                self.skipTest("not this one")
        """)
        self.assertEqual((outcome.status, outcome.counts()), (1, (0, 1, 1)))
        self.assertIn("number=1", outcome.report["skipped"][0]["test"])


# Its parent ends at once: it is nobody's descendant. It ends by itself.
STRANGER = """
    import os, subprocess
    def stranger(seconds):
        if os.fork() == 0:
            code = f"import time; end = time.monotonic() + {seconds}\\nwhile time.monotonic() < end: pass"
            child = subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
            os._exit(0)
        os.wait()
    def work(seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            pass
"""


class Retries(unittest.TestCase):
    def numbers(self, wall_s=2.0, busy_s=1.0, stolen_s=0.0, own_s=0.9, processors=2):
        return harness.Disturbance(wall_s, processors, busy_s, stolen_s, own_s)

    def test_evidence_is_a_tenth_of_a_processor_beyond_the_error_of_counting(self):
        least = 0.2 + (2 * 2 * harness.TICKS_PER_S) ** 0.5 / harness.TICKS_PER_S
        self.assertAlmostEqual(self.numbers().least_s, least)
        self.assertFalse(self.numbers(own_s=1.0 - 0.99 * least).is_evidence)
        self.assertTrue(self.numbers(own_s=1.0 - 1.01 * least).is_evidence)
        self.assertTrue(self.numbers(own_s=1.0, stolen_s=1.01 * least).is_evidence)
        self.assertEqual(self.numbers(own_s=1.5).others_s, 0, "sampled counts may be below what was used")

    def test_evidence_is_a_processor_whose_speed_varies(self):
        quiet = self.numbers(own_s=1.0)
        self.assertFalse(quiet.is_evidence)
        self.assertFalse(dataclasses.replace(quiet, speeds=1.2).is_evidence)
        self.assertTrue(dataclasses.replace(quiet, speeds=1.3).is_evidence)
        self.assertGreaterEqual(harness._speeds(), 1)

    def judged(self, *disturbances, passes_at=99):
        """How many attempts were made if one passes, with these disturbances measured, and how it ended."""
        made = []

        class Known:
            def disturbance(self):
                return disturbances[len(made) - 1]

        def attempt():
            made.append(1)
            if len(made) < passes_at:
                raise AssertionError("too slow")
            return "passed"

        real, harness.Watch, known = harness.Watch, Known, list(harness._retries)
        try:
            with contextlib.redirect_stderr(io.StringIO()):
                return harness.undisturbed(attempt), len(made), len(harness._retries) - len(known)
        except AssertionError as failure:
            return str(failure).splitlines()[1].split(",")[0], len(made), len(harness._retries) - len(known)
        finally:
            harness.Watch, harness._retries[:] = real, known

    def test_a_failure_without_evidence_stands(self):
        quiet, disturbed = self.numbers(), self.numbers(own_s=0.0)
        self.assertEqual(self.judged(quiet), ("Not tried again", 1, 0))
        self.assertEqual(self.judged(disturbed, quiet), ("Not tried again", 2, 1))

    def test_a_disturbed_try_is_repeated_and_counted(self):
        disturbed = self.numbers(own_s=0.0)
        self.assertEqual(self.judged(disturbed, passes_at=1), ("passed", 1, 0))
        self.assertEqual(self.judged(disturbed, disturbed, passes_at=3), ("passed", 3, 2))
        self.assertEqual(self.judged(disturbed, disturbed, disturbed), ("The machine was disturbed in each of 3 tries", 3, 2))

    def test_other_errors_are_never_tried_again(self):
        def attempt():
            raise RuntimeError("broken")
        with self.assertRaisesRegex(RuntimeError, "broken"):
            harness.undisturbed(attempt)

    def test_a_busy_stranger_is_evidence_and_the_retry_is_told(self):
        outcome = Outcome(STRANGER + """
    class Some(unittest.TestCase):
        def test_a(self):
            tries = []
            def attempt():
                tries.append(1)
                if len(tries) == 1:
                    stranger(2)
                    time.sleep(2)
                    self.fail("it was slow")
            harness.undisturbed(attempt)
        """)
        self.assertEqual((outcome.status, outcome.counts()), (0, (1, 0, 0)), outcome.text)
        retry, = outcome.report["retries"]
        self.assertEqual(retry["test"], "Some.test_a")
        self.assertRegex(retry["evidence"], r"others had \d\.\d\d s of \d+ processors in")
        self.assertRegex(outcome.text, "RETRY Some.test_a: others had .* try 1 of 3 failed: it was slow")
        self.assertIn("passed 1, failed 0, skipped 0, retries 1", outcome.text)

    def test_the_own_processes_are_not_others_living_or_ended(self):
        """Compared with what the same children leave out: no machine needs to be quiet for it."""
        code = "import time; end = time.process_time() + 1\nwhile time.process_time() < end: pass\nprint(flush=True); time.sleep(60)"
        watch = harness.Watch()
        child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
        self.addCleanup(child.stdout.close)
        self.addCleanup(child.wait, 20)
        self.addCleanup(child.kill)
        child.stdout.readline()
        living = watch.disturbance().own_s
        child.kill()
        child.wait(20)
        ended = watch.disturbance().own_s
        self.assertGreater(living, 0.95)
        self.assertGreater(ended, 0.95)
        self.assertLess(abs(ended - living), 0.5, "it is counted once")


LOOP = """
    class Some(unittest.TestCase):
        def test_a(self):
            for flavour in harness.flavours("openmpi", "mpich"):
                print("ran", flavour)
                {body}
        @harness.needs("mpich")
        def test_b(self):
            pass
"""


class Flavours(unittest.TestCase):
    def test_all_that_were_configured_are_run(self):
        outcome = Outcome(LOOP.format(body="pass"), flavours="openmpi mpich smpi", probes=("openmpi", "mpich"))
        self.assertEqual((outcome.status, outcome.counts()), (0, (2, 0, 0)), outcome.text)
        self.assertEqual(outcome.text.count("ran "), 2)

    def test_one_whose_probe_is_missing_fails(self):
        outcome = Outcome(LOOP.format(body="pass").replace('@harness.needs("mpich")', ""), flavours="openmpi mpich", probes=("openmpi",))
        self.assertEqual((outcome.status, outcome.counts()), (1, (1, 1, 0)), outcome.text)
        self.assertIn("the build was configured with mpich, but there is no", outcome.text)
        self.assertEqual(Outcome(LOOP.format(body="pass"), flavours="mpich").status, 1)

    def test_one_that_was_not_configured_is_no_loss_in_a_loop_and_a_skip_where_it_is_needed(self):
        outcome = Outcome(LOOP.format(body="pass"), flavours="openmpi", probes=("openmpi",))
        self.assertEqual((outcome.status, outcome.counts()), (0, (1, 0, 1)), outcome.text)

    def test_a_loop_over_none_is_a_skip(self):
        outcome = Outcome(LOOP.format(body="pass"), flavours="smpi", probes=("smpi",))
        self.assertEqual((outcome.status, outcome.counts()), (harness.ALL_SKIPPED, (0, 0, 2)), outcome.text)

    def test_a_loop_that_is_left_early_fails(self):
        outcome = Outcome(LOOP.format(body="return"), flavours="openmpi mpich", probes=("openmpi", "mpich"))
        self.assertEqual((outcome.status, outcome.counts()), (1, (1, 1, 0)), outcome.text)
        self.assertIn("the loop over flavours ended before mpich", outcome.text)


if __name__ == "__main__":
    harness.main()
