#!/usr/bin/env python3
"""`fathom tune protocol`: a parameter whose effect is known is found, proposed and proven."""

import re

import support
from support import BAD_INPUT, DONE, REAL, FathomTest, flavours, options_for


class KnownSwitch(FathomTest):
    """Sending more than 1,024 bytes is later by 200 us, unless MEDDLE_LIMIT says otherwise."""

    def tuned(self, flavour, values, *words):
        env = support.meddling(switch=1024, delay_us=200)
        return self.fathom("tune", "protocol", "pingpong", *options_for(flavour), "-n", 2, "--sizes", "64,512,2k,8k,32k",
                           "--parameter", f"env:MEDDLE_LIMIT={values}", "--budget", "20s", "--quiet", *words,
                           status=DONE, env=env, timeout=120)

    def test_a_better_value_is_proposed_and_a_worse_one_is_not(self):
        for flavour in flavours(*REAL):
            with self.subTest(flavour):
                support.undisturbed(lambda: self.check_values(flavour))

    def check_values(self, flavour):
        document = self.tuned(flavour, "128,1000000", "--json").json
        self.assertEqual(document["schema"], "fathom.protocol/1")
        parameter, = document["parameters"]
        verdicts = {value["value"]: value["verdict"] for value in parameter["values"]}
        self.assertEqual(verdicts["1000000"], "better", parameter)
        self.assertEqual(verdicts["128"], "worse", parameter)
        self.assertEqual(document["proposed"], {"MEDDLE_LIMIT": "1000000"})
        proven = {point["size_bytes"]: point for point in document["proof"]}
        for size in (2048, 8192, 32768):
            self.assertEqual(proven[size]["verdict"], "faster", proven[size])
            self.assertGreater(proven[size]["speedup"], 2, proven[size])

    def test_nothing_is_proposed_that_is_slower_somewhere_and_resume_measures_nothing_again(self):
        flavour = flavours(*REAL)[0]
        result = self.tuned(flavour, "256")
        self.assertIn("worse", result.stdout)
        self.assertIn("Nothing to propose", result.stdout)
        self.assertNotIn("export ", result.stdout)
        runs = self.fathom("list", "runs", "--all", "--json", status=DONE).json["rows"]
        self.assertIn("Nothing to propose", self.tuned(flavour, "256", "--resume").stdout)
        self.assertEqual(len(self.fathom("list", "runs", "--all", "--json", status=DONE).json["rows"]), len(runs))


class Asked(FathomTest):

    def test_the_library_names_its_parameters(self):
        for flavour, least in (("openmpi", 5), ("mpich", 3)):
            if flavour not in flavours():
                continue
            with self.subTest(flavour):
                refused = self.fathom("tune", "protocol", *options_for(flavour), "-n", 2, "--budget", "2s", status=BAD_INPUT)
                said = re.search(r"--budget is too short for (\d+) parameters; give \d+s or more", refused.stderr)
                self.assertIsNotNone(said, refused.stderr)
                self.assertGreaterEqual(int(said[1]), least)

    def test_what_has_no_parameters_is_refused(self):
        for words, said in ((("barrier",), "barrier has no sizes"), (("pingpong", "--sizes", "8:1M:auto"), "fixed values"),
                            (("pingpong", "-n", "2,4"), "-n takes one"),
                            (("pingpong", "--parameter", "nothing"), "NAME=VALUE"),
                            (("pingpong", "--resume"), "no search with these settings")):
            with self.subTest(words):
                refused = self.fathom("tune", "protocol", *words, *options_for(flavours(*REAL)[0]), status=BAD_INPUT)
                self.assertIn(said, refused.stderr)

    @support.needs("smpi")
    def test_a_simulation_has_none(self):
        refused = self.fathom("tune", "protocol", "--platform", "pure-16", "-n", 2, status=BAD_INPUT)
        self.assertIn("reads no parameters", refused.stderr)


if __name__ == "__main__":
    support.main()
