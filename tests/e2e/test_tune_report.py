#!/usr/bin/env python3
"""`fathom tune report`: tunings as one page, and wrong files refused with the place."""

import copy
import json
import re

import support
from support import BAD_INPUT, BUILD, DONE, FathomTest


def has_page():
    text = BUILD / "page_bundle.cpp"
    return text.exists() and "page-left-out" not in text.read_text(encoding="utf-8")[:4000]


def a_time(implementation, size, time_ns):
    return {"implementation": implementation, "size_bytes": size, "time_ns": time_ns, "ci95_ns": [0.98 * time_ns, 1.02 * time_ns]}


TUNING = {
    "schema": "fathom.tune/1", "fathom": "0.1.0", "date": "2026-11-17T13:40:26Z", "library": "Open MPI v4.1.4, package: x", "flavour": "openmpi",
    "platform": None, "hosts": 4, "procs_per_host": 2, "metric": "median",
    "operations": [{"operation": "bcast", "procs": 8, "implementations": ["library", "library:binomial"], "finished": True, "rounds": 2,
                    "points_measured": 2, "points_all": 2, "dropped": [],
                    "sizes": [{"size_bytes": 8, "library": a_time("library", 8, 1300), "best": a_time("library:binomial", 8, 1000), "speedup": 1.3,
                               "speedup_ci95": [1.2, 1.4], "proposed": "library:binomial"}],
                    "proposals": [], "times": [a_time("library", 8, 1300), a_time("library:binomial", 8, 1000)]}],
}


class TuneReport(FathomTest):
    def setUp(self):
        super().setUp()
        if not has_page():
            self.skipTest("this build has no report page (npm was not there)")

    def write(self, document, name="t.json"):
        (self.dir / name).write_text(document if isinstance(document, str) else json.dumps(document), encoding="utf-8")
        return name

    def test_writes_one_file_and_one_line(self):
        result = self.fathom("tune", "report", self.write(TUNING), status=DONE)
        self.assertRegex(result.stdout, r"\Atuning.html: t.json, \d+\.\d MB in one file. Open it in any browser.\n\Z")
        self.assertEqual(result.stderr, "")
        self.assertEqual(sorted(path.name for path in self.dir.iterdir()), ["t.json", "tuning.html"])
        page = (self.dir / "tuning.html").read_text(encoding="utf-8")
        self.assertIn("<title>fathom: tuning t.json</title>", page)
        data = support.data_of(page)[0]
        self.assertEqual(data["schema"], "fathom.tuning-page/1")
        self.assertEqual(data["tunings"][0]["operations"], [{**TUNING["operations"][0], "predictions": []}])

    def test_several_files_are_one_page(self):
        result = self.fathom("tune", "report", self.write(TUNING, "a.json"), self.write(TUNING, "b.json"), "-o", "two.html", status=DONE)
        self.assertRegex(result.stdout, r"\Atwo.html: 2 tunings, ")
        data = support.data_of((self.dir / "two.html").read_text(encoding="utf-8"))[0]
        self.assertEqual([tuning["file"] for tuning in data["tunings"]], ["a.json", "b.json"])

    def refused(self, *words):
        result = self.fathom("tune", "report", *words, status=BAD_INPUT)
        self.assertEqual(result.stdout, "")
        self.assertFalse((self.dir / "tuning.html").exists())
        return result.stderr

    def test_wrong_files_are_refused_with_the_place(self):
        self.assertRegex(self.refused("missing.json"), r"\Afathom: .*missing\.json.*No such file")
        self.assertRegex(self.refused("."), r"\Afathom: ")
        self.assertRegex(self.refused(self.write("not JSON")), r"\Afathom: t\.json:1: this is not JSON")
        self.assertRegex(self.refused(self.write("")), r"\Afathom: t\.json:1: this is not JSON")
        self.assertIn('t.json: schema is "fathom.run/1", not "fathom.tune/1".', self.refused(self.write({**TUNING, "schema": "fathom.run/1"})))
        self.assertIn("t.json: schema is missing.", self.refused(self.write({})))
        wrong = copy.deepcopy(TUNING)
        wrong["operations"][0]["sizes"][0]["library"]["time_ns"] = "fast"
        self.assertIn("t.json: operations[0].sizes[0].library.time_ns is not a number.", self.refused(self.write(wrong)))
        self.write(TUNING, "good.json")
        self.assertIn("t.json: operations[0]", self.refused("good.json", "t.json"), "one bad file spoils the page")
        self.assertIn("files is required", self.refused())
        self.assertIn("9 files are too many", self.refused(*["good.json"] * 9))

    def test_a_page_that_cannot_be_written_is_refused(self):
        result = self.fathom("tune", "report", self.write(TUNING), "-o", "no/such/folder.html", status=BAD_INPUT)
        self.assertIn("name another with -o", result.stderr)

    def test_hostile_words_are_shown_as_escapes(self):
        result = self.refused(self.write({**TUNING, "schema": "\x1b[31m\u202e"}))
        self.assertIn(r'schema is "\x1b[31m\u202e"', result)
        name = self.write({**TUNING, "hosts": 0}, "a\x1b[31mb.json")
        self.assertNotIn("\x1b", self.refused(name))

    def test_help_shows_an_example(self):
        text = self.fathom("tune", "report", "--help", status=DONE).stdout
        self.assertIn("fathom tune report openmpi.json mpich.json -o tuning.html", re.sub(r"\s+", " ", text))


if __name__ == "__main__":
    support.main()
