#!/usr/bin/env python3
"""`fathom doctor`: what disturbs measurements here, each with a remedy."""

import os

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


if __name__ == "__main__":
    support.main()
