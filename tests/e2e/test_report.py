#!/usr/bin/env python3
"""`fathom report`: one file with everything in it, or nothing at all and a reason."""

import base64
import hashlib
import json
import math
import os
import re
import shutil
import sqlite3
import subprocess
import unittest

import support
from support import BAD_INPUT, BUILD, DONE, NOT_MEASURED, SOURCE, FathomTest, needs


def has_page():
    """Whether this build has the page."""
    text = (BUILD / "page_bundle.cpp")
    return text.exists() and "page-left-out" not in text.read_text(encoding="utf-8")[:4000]


def needs_page(test):
    return unittest.skipUnless(has_page(), "this build has no report page (npm was not there)")(test)


def unpacked(packed, bins):
    """Counts of bins, as docs/formats.md describes them."""
    data = base64.b64decode(packed)
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    counts = [0] * bins
    place = -1
    while at < len(data):
        place += 1 + varint()
        counts[place] = varint()
    return counts


@needs("smpi")
class Report(FathomTest):
    def measure(self, *words):
        self.fathom("run", *words, "--platform", "pure-16", "--reps", "10", status=DONE)

    def document(self, *words):
        return self.fathom("report", "--json", *words, status=DONE).json

    def page(self, name="report.html"):
        return (self.dir / name).read_text(encoding="utf-8")

    @needs_page
    def test_writes_one_file_and_one_line(self):
        self.measure("bcast", "-n", "4", "--sizes", "8,1k")
        result = self.fathom("report", status=DONE)
        self.assertRegex(result.stdout, r"\Areport.html: run 1, \d+\.\d MB in one file[^\n]*\n\Z")
        self.assertEqual(result.stderr, "")
        self.assert_nothing_left("fathom.db", "report.html")

    @needs_page
    def test_the_page_needs_nothing_else(self):
        self.measure("bcast", "-n", "2", "--sizes", "8", "--label", "10 us")
        self.fathom("report", "-o", "a page.html", status=DONE)
        page = self.page("a page.html")
        scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
        styles = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
        self.assertEqual((len(scripts), len(styles)), (1, 1))
        for kind, text in (("script", scripts[0]), ("style", styles[0])):
            digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
            self.assertIn(f"{kind}-src 'sha256-{digest}'", page, "the policy allows this and no other")
        self.assertNotRegex(page.split("<script", 1)[0], r"(src|href)=[\"']?(https?:)?//")
        data, document = support.data_of(page)[0], self.document()
        self.assertIn("10.0 \u00b5s", json.dumps(data, ensure_ascii=False))
        self.assertEqual(data["runs"][0]["label"], "10 us")
        self.assertEqual(json.loads(json.dumps(data, ensure_ascii=False).replace("\u00b5s", "us")), document)

    def test_the_data_are_those_of_show_and_of_the_samples(self):
        self.measure("bcast", "pingpong", "-n", "4", "--sizes", "8,64k")
        document = self.document()
        self.assertEqual(document["schema"], "fathom.report/1")
        shown = self.shown()
        run = document["runs"][0]
        self.assertEqual(run["name"], "run 1")
        for point, other in zip(run["points"], shown["points"], strict=True):
            for field in ("operation", "procs", "size_bytes", "median_ns", "median_ci95_ns", "status"):
                self.assertEqual(point[field], other[field])
            spread = point["spread"]
            counts = unpacked(spread["counts"], spread["bins"])
            self.assertEqual(sum(counts), point["reps"])
            # The bin of the median holds it.
            place = math.log(point["median_ns"] / spread["low_ns"]) / math.log(spread["ratio"]) if spread["bins"] > 1 else 0
            self.assertGreater(counts[min(int(place), spread["bins"] - 1)], 0)
            ranks = spread["ranks"]
            for packed, reps in zip(ranks["counts"], ranks["reps"], strict=True):
                self.assertEqual(sum(unpacked(packed, ranks["bins"])), reps)
        each = self.fathom("show", "last", "--json", "--over-ranks", "each", status=DONE).json
        own = {rank["rank"]: rank["median_ns"] for rank in each["points"][0]["ranks"]}
        ranks = run["points"][0]["spread"]["ranks"]
        for rank, median in zip(ranks["rank"], ranks["median_ns"], strict=True):
            self.assertAlmostEqual(median, own[rank], delta=max(1e-5 * own[rank], 1e-9))

    def test_runs_of_several_files_have_names_of_their_own(self):
        self.measure("bcast", "-n", "2", "--sizes", "8")
        shutil.copy(self.dir / "fathom.db", self.dir / "other.db")
        self.own_files.add("other.db")
        (self.dir / "more").mkdir()
        shutil.copy(self.dir / "fathom.db", self.dir / "more" / "fathom.db")
        self.own_files.add("more")
        document = self.document("1", "other.db:1", "more/fathom.db")
        self.assertEqual([run["name"] for run in document["runs"]],
                         ["run 1 of fathom.db", "run 1 of other.db", "run 1 of more/fathom.db"])
        self.assertEqual([comparison["run_index"] for comparison in document["comparisons"]], [1, 2])
        self.assert_refused(self.fathom("report", "1", "other.db", "./other.db:1"), "given twice")

    @needs_page
    def test_what_was_there_stays_until_the_page_is_whole(self):
        self.measure("bcast", "-n", "2", "--sizes", "8")
        before = self.write("report.html", "something older")
        self.assert_refused(self.fathom("report", "9"), "fathom.db has run 1")
        self.assertEqual(before.read_text(encoding="utf-8"), "something older")
        self.fathom("report", status=DONE)
        self.assertIn("<!doctype html>", self.page())
        self.assert_refused(self.fathom("report", "-o", "no/such/folder.html"), "no/such/folder.html", "-o")
        link = self.dir / "link.html"
        link.symlink_to("report.html")
        self.own_files.add("link.html")
        self.fathom("report", "-o", "link.html", status=DONE)
        self.assertTrue(link.is_symlink(), "a link stays one")
        self.fathom("report", "-o", "/dev/null", status=DONE)
        self.assertFalse(os.path.isfile("/dev/null"), "a device stays one")
        self.assert_nothing_left("fathom.db")

    def test_plans_of_a_newer_fathom_are_no_obstacle(self):
        self.measure("bcast", "-n", "2", "--sizes", "8")
        database = sqlite3.connect(self.dir / "fathom.db")
        with database:
            database.execute("UPDATE run SET plan_toml = plan_toml || char(10) || 'setting_to_come = 7'")
        database.close()
        run = self.document()["runs"][0]
        self.assertIn("unknown-plan", [warning["code"] for warning in run["warnings"]])
        self.assertEqual(self.fathom("compare", "1", "1", status=DONE).stdout.count("same"), 2)

    def test_operations_of_a_newer_fathom_are_named(self):
        self.measure("bcast", "barrier", "-n", "2", "--sizes", "8")
        with sqlite3.connect(self.dir / "fathom.db") as db:
            db.execute("UPDATE point SET operation = 'teleport' WHERE operation = 'barrier'")
        db.close()
        points = {point["operation"]: point for point in self.document()["runs"][0]["points"]}
        self.assertEqual(points["bcast"]["status"], "ok")
        self.assertEqual(points["teleport"]["status"], "unavailable")
        self.assertIn("does not know", points["teleport"]["reason"])
        self.assertIn("teleport", self.fathom("show", status=DONE).stdout)

    def test_bad_input_gets_one_line(self):
        self.assert_refused(self.fathom("report"), "fathom.db", status=BAD_INPUT)
        self.assert_refused(self.fathom("report", "--db", "none.db", "3"), "none.db")
        self.assertIn("fathom report last baseline", self.fathom("report", "--help", status=DONE).stdout)


class WithoutPage(FathomTest):
    """The whole program without web/ would take minutes: what differs is built instead."""

    def configured(self, *words):
        return subprocess.run(["cmake", "-S", SOURCE, "-B", self.dir / "build", *words, "-DFATHOM_PROBES=OFF", "-DFATHOM_TESTS=OFF",
                               "-DFATHOM_BENCH=OFF", "-DFATHOM_HEADER_CHECK=OFF"], capture_output=True, text=True, timeout=120)

    def check_left_out(self, why, *words):
        done = self.configured(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("report page: left out", done.stdout)
        self.assertIn(why, (self.dir / "build" / "no_page.cpp").read_text(encoding="utf-8"))

    def test_a_build_without_npm_says_so_and_has_the_data(self):
        self.check_left_out("FATHOM_WEB=OFF", "-DFATHOM_WEB=OFF")

    def test_a_node_that_is_too_old_leaves_out_the_page_and_nothing_else(self):
        node = self.write("node", "#!/bin/sh\necho v12.22.0\n")
        node.chmod(0o755)
        words = (f"-DFATHOM_NODE={node}", f"-DFATHOM_NPM={node}")
        self.check_left_out("node 18 or later is needed", "-DFATHOM_WEB=AUTO", *words)
        required = self.configured("-DFATHOM_WEB=ON", *words)
        self.assertNotEqual(required.returncode, 0, "requesting the page is an error")
        self.assertIn("node 18 or later is needed", required.stderr)

    def test_packages_that_cannot_be_fetched_leave_out_the_page_and_nothing_else(self):
        output = self.dir / "page_bundle.cpp"
        npm = self.write("npm", "#!/bin/sh\necho no network >&2\nexit 1\n")
        npm.chmod(0o755)
        script = ["cmake", f"-DSOURCE_DIR={SOURCE}", f"-DWORK_DIR={self.dir}/web", f"-DOUTPUT={output}", "-DNODE=node", f"-DNPM={npm}",
                  "-DWITH_TESTS=OFF"]
        built = subprocess.run([*script, "-DREQUIRED=AUTO", "-P", SOURCE / "cmake" / "BuildPage.cmake"], capture_output=True, text=True, timeout=60)
        self.assertEqual(built.returncode, 0, built.stderr)
        self.assertIn("left out", built.stderr)
        self.assertRegex(output.read_text(encoding="utf-8"), "npm could not fetch.*page-left-out")
        self.assertIn("no network", (self.dir / "web" / "npm.log").read_text(encoding="utf-8"))
        required = subprocess.run([*script, "-DREQUIRED=ON", "-P", SOURCE / "cmake" / "BuildPage.cmake"], capture_output=True, text=True, timeout=60)
        self.assertNotEqual(required.returncode, 0, "requesting the page is an error")

    @needs("smpi")
    def test_fathom_without_a_page_says_so_and_still_has_the_data(self):
        """The program of the build, linked once more with the file that stands for the page where there is none."""
        if shutil.which("ninja") is None or not (BUILD / "build.ninja").exists():
            self.skipTest("the build was not made with Ninja, whose link command is needed")
        text = (SOURCE / "cmake" / "no_page.cpp.in").read_text(encoding="utf-8").replace("@FATHOM_PAGE_MISSING@", "npm was not there; install it")
        source = self.write("no_page.cpp", text)
        self.own_files |= {"no_page.o", "fathom"}
        subprocess.run(["c++", "-std=c++20", f"-I{SOURCE}/src", "-c", source, "-o", self.dir / "no_page.o"], check=True, timeout=60)
        commands = subprocess.run(["ninja", "-C", BUILD, "-t", "commands", "bin/fathom"], capture_output=True, text=True, check=True, timeout=60)
        link = commands.stdout.splitlines()[-1]
        self.assertIn("-o bin/fathom ", link)
        # What an object defines is not looked for in libraries.
        link = link.replace("-o bin/fathom ", f"-o {self.dir}/fathom {self.dir}/no_page.o ")
        subprocess.run(link, shell=True, cwd=BUILD, check=True, timeout=60)
        self.fathom("run", "bcast", "-n", "2", "--sizes", "8", "--reps", "5", "--platform", "pure-16", status=DONE)

        def bare(*words):
            done = subprocess.run([self.dir / "fathom", *words], cwd=self.dir, env=self.environment(), capture_output=True, text=True, timeout=60)
            return support.Result(words, done.returncode, done.stdout, done.stderr)

        self.assert_refused(bare("report"), "no report page: npm was not there; install it", "--json", status=NOT_MEASURED)
        self.assertEqual(json.loads(bare("report", "--json").stdout)["schema"], "fathom.report/1")
        self.assertEqual(bare("show").status, DONE)
        self.assert_nothing_left("fathom.db")


if __name__ == "__main__":
    support.main()
