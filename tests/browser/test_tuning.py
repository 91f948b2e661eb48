#!/usr/bin/env python3
"""The page of a tuning in a real browser: maps of winners, tables, curves, the lines for a job script, several files side by side."""
import json

import support
import tunings
from support import fathom

NBSP = "\u00a0"
ATTACK = "<img src=x onerror=\"window.attacked=1;alert(1)\"></script><script>window.attacked=1;alert(2)</script><b>bold</b>{a|b}\u2028\u0001\u001b[31m'\"="
BLUE, ORANGE, GREEN, NEUTRAL = "#0072b2", "#d55e00", "#009e73", "#e6e9ed"  # the first three series, and cells of the library
EXPORTS = ("export OMPI_MCA_coll_tuned_dynamic_rules_filename='/home/a user/tuned-openmpi.rules'\n"
           "export OMPI_MCA_coll_tuned_use_dynamic_rules=1")


class TuningTest(support.PageCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.one = cls.page("one", tunings.tuning())
        older = tunings.tuning(library="Open MPI v4.1.4", procs_per_host=1, proof=None, files=None)
        newer = tunings.tuning(library="Open MPI v5.0.1")
        newer["operations"] = [one for one in newer["operations"] if one["operation"] == "bcast"]
        cls.two = cls.page("two", older, newer)

    @classmethod
    def page(cls, name, *documents):
        files = [f"{name}-{number}.json" for number in range(1, len(documents) + 1)]
        for file, document in zip(files, documents):
            (cls.folder / file).write_text(json.dumps(document), encoding="utf-8")
        fathom(cls.folder, "tune", "report", *files, "-o", f"{name}.html")
        return cls.folder / f"{name}.html"

    _words = None

    def words(self):
        """What the page of one tuning says; it is read once."""
        type(self)._words = self._words or self.seen("tuning", self.one)
        return self._words

    def test_every_chart_draws_at_every_width(self):
        titles = set()
        for page, charts in ((self.one, 4), (self.two, 6)):
            found = self.seen("look", page)
            titles = titles or {(chart["section"], chart["title"]) for chart in found["1200"]["charts"]}
            for width, at in found.items():
                self.assertLessEqual(at["overflow"], 0, f"no overflow at {width}")
                self.assertEqual(at["grew"], 0, f"nothing jumps while charts are drawn, at {width}")
                self.assertGreaterEqual(len(at["charts"]), charts)
                for chart in at["charts"]:
                    self.assertGreater(chart["coloured"], 20, f"{width}: {chart} is empty")
                    self.assertGreater(len(chart["label"]), len(chart["title"]) + 20, f"{chart} has words")
        self.assertEqual(titles, {("winners", "Winners of bcast"), ("winners", "Winners of allreduce"), ("bcast", "Before and after, 8 processes"),
                                  ("bcast", "Predicted and measured, 8 processes")})

    def test_maps_have_the_winner_in_every_cell(self):
        charts = self.words()["sections"]["winners"]["charts"]
        for operation in ("bcast", "allreduce"):
            rows = {(int(row[0]), row[1]): row for row in charts[f"Winners of {operation}"]["rows"][1:]}
            self.assertEqual(len(rows), 2 * len(tunings.SIZES))
            for procs in (4, 8):
                for size, (name, gain) in zip(("8 B", "64 B", "512 B", "4 KiB", "16 KiB", "32 KiB", "256 KiB"), tunings.GAINS[operation, procs] or [("-", 1)] * 7):
                    row = rows[procs, size.replace(" ", NBSP)]
                    self.assertEqual(row[2], name if gain > 1.03 else "library", row)
                    self.assertEqual(row[4], name)
                    self.assertEqual(row[9], name if gain >= tunings.PROPOSED[operation, procs] else "-")
        self.assertIn("at 7 of 14 sizes, at most 1.62 times as fast (1.56 .. 1.68): pipeline, 256\u00a0KiB, 8 processes. Proposed at 6.",
                      charts["Winners of bcast"]["caption"])

    def test_a_cell_has_its_colour_its_letter_and_a_tooltip(self):
        edges = tunings.edges()
        middle = [(low + high) / 2 for low, high in zip(edges, edges[1:])]
        upper, lower = 0.25, 0.75  # 8 and 4 processes
        places = [("winners", "Winners of bcast", middle[place], row, 21) for place, row in ((0, upper), (3, upper), (6, upper), (0, lower), (6, lower))]
        found = self.seen("places", self.one, places)
        self.assertEqual([one["colour"] for one in found], [BLUE, NEUTRAL, ORANGE, NEUTRAL, GREEN])
        tips = ["\n".join(one["drawn"]) for one in found]
        self.assertIn(f"8{NBSP}B, 8 processes: binomial", tips[0])
        self.assertIn(f"library: 12.0{NBSP}\u00b5s  (11.8{NBSP}\u00b5s .. 12.3{NBSP}\u00b5s)", tips[0])
        self.assertIn("1.30 times as fast (1.25 .. 1.35)", tips[0])
        self.assertIn("Proposed: binomial", tips[0])
        self.assertIn("less than 3 %: left to the library", tips[1])
        self.assertIn("Nothing is proposed.", tips[1])
        self.assertIn("256\u00a0KiB, 8 processes: pipeline", tips[2])
        self.assertIn("256\u00a0KiB, 4 processes: chain", tips[4])
        self.assertIn("Nothing is proposed.", tips[4])
        drawn = self.seen("painted", self.one)["drawn"]
        for text in ("A", "B", "C", "lib", "1.62"):
            self.assertIn(text, drawn, "a map can be read without colours")
        legends = self.words()["legends"]
        self.assertEqual(legends[0][:4], ["lib library: its own decision, or within 3 % of it", "A binomial", "B pipeline", "C chain"])

    def test_tables_mark_the_fastest_and_dash_what_was_not_measured(self):
        tables = self.words()["tables"]
        self.assertEqual(list(tables), [f"{operation}: Times, {procs} processes" for operation in ("bcast", "allreduce") for procs in (4, 8)])
        self.assertEqual([row["best"] for row in tables["bcast: Times, 8 processes"]["rows"]], [[2], [2], [2], [5], [3], [3], [3]])
        self.assertEqual(tables["allreduce: Times, 8 processes"]["titles"][:4], ["size", "library", "recursive doubling", "ring"])
        self.assertEqual([row["best"] for row in tables["allreduce: Times, 8 processes"]["rows"]], [[2], [2], [2], [1], [1], [3], [3]])
        first, second = (row["cells"] for row in tables["allreduce: Times, 8 processes"]["rows"][:2])
        self.assertEqual(first[2], f"* 18.3{NBSP}\u00b5s")
        self.assertEqual(first[4:], ["recursive_doubling", "1.15", "1.10", "1.20", "recursive_doubling"])
        self.assertEqual(second[3], "-", "not in the race at this size")
        alone = tables["allreduce: Times, 4 processes"]
        self.assertEqual(alone["titles"], ["size", "library", "best", "times as fast", "low95", "high95", "use"])
        self.assertTrue(all(row["best"] == [1] for row in alone["rows"]))
        text = self.words()["sections"]["allreduce"]["text"]
        self.assertIn("Dropped, because they ended the job or gave wrong data: recursive_doubling, ring.", text)

    def test_the_summary_says_what_is_gained_and_what_a_job_script_needs(self):
        found = self.words()
        text = found["summaries"][0]
        self.assertIn("Open MPI v4.1.4, 4 hosts x 2 processes", text)
        self.assertIn("Another algorithm is proposed at 10 of 28 sizes: bcast up to 1.62 times as fast (256\u00a0KiB, 8 processes); "
                      "allreduce up to 1.34 times as fast (256\u00a0KiB, 8 processes).", text)
        self.assertIn("Proven, but not everywhere. Measured before and after at 7 sizes: 5 faster, 1 the same, 1 slower.", text)
        self.assertEqual(found["scripts"], [EXPORTS])
        self.assertEqual(found["copied"], EXPORTS + "\n")

    def test_before_and_after_are_drawn_and_slower_sizes_are_named(self):
        found = self.words()["sections"]
        chart = found["bcast"]["charts"]["Before and after, 8 processes"]
        self.assertIn("Of 7 sizes: 5 faster, 1 the same, 1 slower. At most 1.62 times as fast (1.57 .. 1.67), at 256\u00a0KiB. "
                      "Slower: 512\u00a0B, 0.93 times as fast (0.90 .. 0.96).", chart["caption"])
        self.assertEqual([row[-1] for row in chart["rows"][1:]], ["faster", "faster", "slower", "same", "faster", "faster", "faster"])
        self.assertIn("bcast with 4 processes is not proven yet. fathom tune --prove one-1.json measures it before and after.", found["bcast"]["text"])
        drawn = self.seen("painted", self.one)
        for name in ("before", "after", "slower"):
            self.assertIn(name, drawn["drawn"])

    def test_predictions_are_compared_in_words(self):
        chart = self.words()["sections"]["bcast"]["charts"]["Predicted and measured, 8 processes"]
        self.assertIn("is 10\u00a0%; the largest is 10\u00a0% too ", chart["caption"])
        self.assertIn("Dashed lines are predictions, solid ones measured.", chart["caption"])
        errors = {row[0]: row[4] for row in chart["rows"][1:]}
        self.assertEqual(errors, {"binomial": f"10{NBSP}%", "pipeline": f"-10{NBSP}%", "chain": f"10{NBSP}%", "knomial": f"10{NBSP}%"})

    def test_two_files_stand_side_by_side(self):
        found = self.seen("tuning", self.two)
        self.assertEqual(found["columns"], {"360": 1, "1200": 2})
        first, second = found["summaries"]
        self.assertIn("Open MPI v4.1.4, 4 hosts x 1 process", first)
        self.assertNotIn("--prove", first, "without files there is nothing to prove")
        self.assertIn("No rules were written for the library.", first)
        self.assertIn("Open MPI v5.0.1, 4 hosts x 2 processes", second)
        self.assertEqual(found["scripts"], [EXPORTS])
        maps = found["sections"]["winners"]["charts"]
        self.assertEqual(list(maps), ["bcast: Open MPI v4.1.4, 4 hosts x 1 process", "bcast: Open MPI v5.0.1, 4 hosts x 2 processes",
                                      "allreduce: Open MPI v4.1.4, 4 hosts x 1 process"])
        for name in ("Open MPI v4.1.4, 4 hosts x 1 process", "Open MPI v5.0.1, 4 hosts x 2 processes"):
            self.assertIn(f"bcast: Times, 8 processes: {name}", found["tables"])

    def test_the_same_file_twice_is_called_by_its_file(self):
        page = self.page("same", tunings.tuning(), tunings.tuning())
        texts = self.seen("tuning", page)["summaries"]
        for number in (1, 2):
            self.assertIn(f"Open MPI v4.1.4, 4 hosts x 2 processes (same-{number}.json)", texts[number - 1])

    def test_both_themes_and_paper(self):
        found = self.seen("print", self.two)
        self.assertEqual(found["drawn"], found["charts"])
        self.assertEqual(found["ground"], "rgb(255, 255, 255)")

    def test_everything_is_reached_by_keyboard(self):
        found = self.seen("keyboard", self.one)
        self.assertEqual((found["unnamed"], found["undescribed"], found["unreached"]), (0, 0, []))

    def test_an_empty_and_an_unfinished_tuning_are_no_blank_page(self):
        self.assertIn("Nothing was measured.", self.seen("tuning", self.page("empty", tunings.tuning(operations=[], files=None, proof=None)))["summaries"][0])
        document = tunings.tuning(proof=None)
        document["operations"][1].update(finished=False, sizes=[], times=[], proposals=[], predictions=[])
        found = self.seen("tuning", self.page("unfinished", document))
        self.assertIn("The search ended before it was finished: bcast with 8 processes.", found["summaries"][0])
        self.assertIn("Nothing was measured.", found["sections"]["bcast"]["text"])
        one = tunings.tuning(proof=None)
        one["operations"] = one["operations"][1:2]
        one["operations"][0].update(sizes=one["operations"][0]["sizes"][:1], predictions=[])
        one["operations"][0]["sizes"][0]["size_bytes"] = 0  # as of barrier
        self.assertEqual(self.seen("look", self.page("single", one))["1200"]["charts"][0]["title"], "Winners of bcast")

    def test_text_from_a_tuning_stays_text(self):
        text = json.dumps(tunings.tuning())
        document = json.loads(text.replace("library:binomial", json.dumps("library:" + ATTACK)[1:-1]).replace('"bcast"', json.dumps("op " + ATTACK)))
        document.update(library="lib " + ATTACK, date="date " + ATTACK, platform="platform " + ATTACK, metric="metric " + ATTACK, fathom="version " + ATTACK)
        document["files"][0]["path"] = "path " + ATTACK
        document["files"][0]["variables"] = {"A": "$(touch x)`id`'\"<b>bold</b>"}
        document["operations"][2]["dropped"] = ["dropped " + ATTACK]
        page = self.page("attack", document)
        found = self.seen("attacked", page)
        self.assertFalse(found["attacked"])
        self.assertEqual((found["foreign"], found["scripts"]), (0, 2))
        self.assertLessEqual(found["overflow"], 0)
        self.assertNotIn("bold", found["bolds"])
        shown = found["text"].replace("\u2028", "").replace("\n", "")
        for where in ("op ", "lib ", "date ", "platform ", "metric ", "version ", "path ", "dropped "):
            self.assertIn(where + ATTACK[:60], shown, f"{where} is shown as it is")
        self.assertIn("""export A='$(touch x)`id`'\\''"<b>bold</b>'""", shown)
        self.assertTrue(any("{a|b}" in text.replace("\u200b", "") for text in found["drawn"]), "a tooltip shows a name as it is")
        self.assertNotIn("\u001b", page.read_text(encoding="utf-8"), "no control character is in the file")


if __name__ == "__main__":
    support.main()
