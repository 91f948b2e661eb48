#!/usr/bin/env python3
"""What fathom prints, whole, against approved files; and the contract of its JSON.

A wanted change of an output is approved with one command, whose result `git diff` shows:
    FATHOM_APPROVE=1 python3 tests/e2e/test_outputs.py
"""

import csv
import io
import json
import re

import support
from support import DONE, NOT_MEASURED, FathomTest

# Simulated times are the same everywhere, so they stand in the approved files as they are.
SIMULATED = ("run", *support.OPERATIONS, "--platform", "pure-16", "-n", "4", "--sizes", "0,8,64k", "--reps", "7",
             "--order", "planned", "--label", "approved")
# Something that cannot be measured is a row in every output.
ALONE = ("run", *support.OPERATIONS, "--platform", "pure-16", "-n", "1", "--sizes", "8", "--reps", "2")

NUMBER_OR_NONE = (int, float, type(None))
POINT_FIELDS = {
    "operation": str, "pattern": str, "procs": int, "size_bytes": int, "status": str, "reason": str, "reps": int,
    "invalid_reps": int, "median_ns": NUMBER_OR_NONE, "median_ci95_ns": (list, type(None)), "min_ns": NUMBER_OR_NONE,
    "mean_ns": NUMBER_OR_NONE, "p99_ns": NUMBER_OR_NONE, "max_ns": NUMBER_OR_NONE,
    "start_skew_median_ns": NUMBER_OR_NONE, "clock_bound_ns": NUMBER_OR_NONE, "warnings": list, "start": str,
    "warmup_calls": int, "cache": str, "calls_in_a_row": int, "over_ranks": str, "over_reps": str,
    "value_ns": NUMBER_OR_NONE, "value_ci95_ns": (list, type(None)), "subtracted_ns": int,
}
RUN_FIELDS = {"schema": str, "run": int, "mpi": str, "points": list}


def masked(text):
    """The text without what differs between machines, days and builds of the same sources."""
    replacements = (
        (r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\dZ| \d\d:\d\d)", "DATE"),
        (r"SMPI (?:Version )?\d[^\n\",]*?(?= with |,|\"|$)", "SMPI VERSION"),
        ("'?" + re.escape(support.FATHOM) + "'?", "FATHOM"),  # quoted where its path has blanks
        (re.escape(str(support.BUILD)), "BUILD"),
        (r'("fathom_commit": )"[^"]*"', r'\1"COMMIT"'),
        (r'("fathom_version": )"[^"]*"', r'\1"VERSION"'),
        (r'("compiler": )"[^"]*"', r'\1"COMPILER"'),
        (r'("flags": )"[^"]*"', r'\1"FLAGS"'),
        (r'("build_type": )"[^"]*"', r'\1"BUILD_TYPE"'),
        (r'("memory\.\w+_peak_bytes": )"[^"]*"', r'\1"BYTES"'),
    )
    for pattern, replacement in replacements:
        text = re.sub(pattern, replacement, text)
    return text


def since_point_began(csv):
    """Samples whose starts count from the first of their point: what the job said before depends on the length of names."""
    head, *rows = [line.split(",") for line in csv.splitlines()]
    start = head.index("start_ns")
    first = {}
    for row in rows:
        first[row[1]] = min(first.get(row[1], int(row[start])), int(row[start]))
    for row in rows:
        row[start] = str(int(row[start]) - first[row[1]])
    return "".join(",".join(row) + "\n" for row in (head, *rows))


@support.needs("smpi")
class ApprovedOutputs(FathomTest):
    def assert_approved(self, name, text):
        support.approve_or_compare(self, name, masked(text))

    def test_a_run_prints_progress_and_a_table(self):
        result = self.fathom(*SIMULATED, "--verbose", status=DONE)
        self.assert_approved("run.txt", result.stdout)
        self.assert_approved("run-progress.txt", result.stderr)

    def test_a_run_as_json(self):
        result = self.fathom(*SIMULATED, "--json", "--quiet", status=DONE)
        self.assert_approved("run.json", result.stdout)
        self.assertEqual(result.stderr, "")

    def test_a_run_that_cannot_be_measured_in_part(self):
        self.assert_approved("run-alone.txt", self.fathom(*ALONE, status=DONE).stdout)
        self.assert_approved("export-alone.csv", self.fathom("export", "--csv", status=DONE).stdout)

    def test_showing_a_stored_run(self):
        stored = self.fathom(*SIMULATED, status=DONE).stdout
        shown = self.fathom("show", status=DONE).stdout
        self.assert_approved("show.txt", shown)
        self.assertTrue(stored.startswith(shown), "a run and its repetition from the store look the same")
        self.assert_approved("show-environment.txt",
                             re.sub(r"(?m)^(  [a-z_A-Z0-9.]+): .*$", r"\1: VALUE",
                                    self.fathom("show", "approved", "--environment", status=DONE).stdout))
        self.assert_approved("show-plan.toml", self.fathom("show", "1", "--plan", status=DONE).stdout)

    def test_showing_as_json_is_what_the_run_said(self):
        said = self.fathom(*SIMULATED, "--json", status=DONE).json
        for words in (("show", "last"), ("show", "1"), ("show", "approved"), ("export",), ("export", "approved")):
            self.assertEqual(self.fathom(*words, "--json", status=DONE).json, said, words)

    def test_exports(self):
        self.fathom(*SIMULATED, status=DONE)
        self.assert_approved("export.csv", self.fathom("export", "--csv", status=DONE).stdout)
        samples = self.fathom("export", "--samples", "--csv", status=DONE).stdout
        self.assert_approved("export-samples.csv", since_point_began(samples))
        result = self.fathom("export", "last", "--samples", "--csv", "-o", "out.csv", status=DONE)
        self.assertEqual((result.stdout, (self.dir / "out.csv").read_text(encoding="utf-8")), ("", samples))

    def test_samples_as_json_are_those_of_csv(self):
        self.fathom(*SIMULATED, status=DONE)
        rows = csv.DictReader(io.StringIO(self.fathom("export", "--samples", "--csv", status=DONE).stdout))
        document = self.fathom("export", "--samples", "--json", status=DONE).json
        self.assertEqual((document["schema"], document["run"]), ("fathom.samples/1", 1))
        flat = []
        for block in document["blocks"]:
            for i, (start, duration, valid) in enumerate(zip(block["start_ns"], block["duration_ns"], block["valid"])):
                flat.append((block["point"], block["operation"], block["procs"], block["size_bytes"], block["rank"],
                             block["first_rep"] + i, start, duration, valid))
        self.assertEqual(flat, [(int(row["point"]), row["operation"], int(row["procs"]), int(row["size_bytes"]),
                                 int(row["rank"]), int(row["rep"]), int(row["start_ns"]), float(row["duration_ns"]),
                                 row["valid"] == "1") for row in rows])

    def test_listings(self):
        for what in ("ops", "algorithms", "presets", "platforms", "schemes"):
            self.assert_approved(f"list-{what}.txt", self.fathom("list", what, status=DONE).stdout)
            self.assert_approved(f"list-{what}.json", self.fathom("list", what, "--json", status=DONE).stdout)
        self.assert_nothing_left()

    def test_the_listing_of_runs(self):
        self.fathom(*SIMULATED, status=DONE)
        self.fathom(*ALONE, status=DONE)
        self.assert_approved("list-runs.txt", self.fathom("list", "runs", status=DONE).stdout)
        self.assert_approved("list-runs.json", self.fathom("list", "runs", "--json", status=DONE).stdout)
        self.assert_nothing_left("fathom.db")


class Contract(FathomTest):
    """The shapes that scripts rely on, with every library."""

    def run_all(self, flavour, *more):
        return self.fathom("run", *support.OPERATIONS, *support.options_for(flavour), "-n", "2", "--sizes", "0,8,1k",
                           "--reps", "9", "--json", *more, status=DONE)

    def check_point(self, point):
        for field, kind in POINT_FIELDS.items():
            self.assertIn(field, point)
            self.assertIsInstance(point[field], kind, field)
            self.assertNotIsInstance(point[field], bool, field)
        self.assertIn(point["status"], ("ok", "failed", "unavailable"))
        for field in point:
            if field.endswith("_ns") and isinstance(point[field], (int, float)):
                self.assertGreaterEqual(point[field], 0, field)
        if point["status"] == "ok":
            if point["median_ci95_ns"] is None:  # repetitions of a busy machine may be strongly correlated
                self.assertTrue(any("95 % interval" in warning for warning in point["warnings"]), point["warnings"])
            else:
                low, high = point["median_ci95_ns"]
                self.assertLessEqual(low, point["median_ns"])
                self.assertGreaterEqual(high, point["median_ns"])
            self.assertLessEqual(point["min_ns"], point["median_ns"])
            self.assertLessEqual(point["median_ns"], point["p99_ns"])
            self.assertLessEqual(point["p99_ns"], point["max_ns"])
            self.assertTrue(point["min_ns"] <= point["mean_ns"] <= point["max_ns"])
            # On a busy machine some repetitions are invalid; others were made in their place.
            self.assertEqual((point["reps"], point["reason"]), (9, ""))

    def test_json_of_a_run_has_the_fields_of_the_contract(self):
        for flavour in support.flavours():
            with self.subTest(flavour):
                result = self.run_all(flavour)
                document = json.loads(result.stdout)  # one document, or this would fail
                for field, kind in RUN_FIELDS.items():
                    self.assertIsInstance(document[field], kind, field)
                self.assertEqual((document["schema"], document["mpi"]), ("fathom.run/1", flavour))
                expected = [(operation, 2, size) for operation in support.OPERATIONS
                            for size in ((0,) if operation == "barrier" else (0, 8, 1024))]
                self.assertEqual(support.points_of(document), expected)
                for point in document["points"]:
                    self.check_point(point)
                    self.assertEqual(point["status"], "ok")
                self.assertEqual(self.shown(document["run"]), document)
                self.assertEqual([rank["rank"] for rank in document["ranks"]], [0, 1])

    def test_the_environment_of_a_run_is_stored(self):
        for flavour in support.flavours(*support.REAL):
            with self.subTest(flavour):
                document = self.run_all(flavour).json
                hosts = {rank["host"] for rank in document["ranks"]}
                for rank in document["ranks"]:
                    self.assertRegex(rank["binding"], r"^\d[\d,-]*$")
                    self.assertGreater(rank["pid"], 0)
                for host in hosts:
                    self.assertLessEqual({"kernel", "cores", "processors"},
                                         set(document["environment"][host]))
                self.assertLessEqual({"compiler", "flags", "fathom_commit", "fathom_version", "build_type"},
                                     set(document["environment"]["job"]))
                self.assertIn({"openmpi": "Open MPI", "mpich": "MPICH"}.get(flavour, ""), document["mpi_version"])
                self.assertIn("--json", document["command_line"])
                self.assertRegex(document["created_utc"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
                self.assertNotEqual(document["time_source"], "")

    def test_mpi_settings_in_the_environment_reach_the_store(self):
        settings = {"openmpi": ("OMPI_MCA_btl", "self,vader"), "mpich": ("MPIR_CVAR_BCAST_INTRA_ALGORITHM", "binomial")}
        for flavour in support.flavours(*settings):
            with self.subTest(flavour):
                name, value = settings[flavour]
                document = self.run_json("bcast", *support.options_for(flavour), "-n", "2", "--sizes", "8", "--reps",
                                         "2", env={name: value})
                self.assertEqual(document["environment"]["job"].get(f"env.{name}"), value)

    def test_what_cannot_be_measured_is_a_row_with_a_reason_in_every_output(self):
        for flavour in support.flavours():
            with self.subTest(flavour):
                words = ("run", "pingpong", "barrier", *support.options_for(flavour), "-n", "1", "--sizes", "8",
                         "--reps", "9")
                document = self.fathom(*words, "--json", status=DONE).json
                alone, barrier = document["points"]
                self.check_point(alone)
                self.assertEqual((alone["status"], alone["reps"], alone["median_ns"]), ("unavailable", 0, None))
                self.assertIn("2 processes", alone["reason"])
                self.check_point(barrier)
                self.assertEqual(barrier["status"], "ok")
                table = self.fathom("show", status=DONE).stdout
                self.assertRegex(table, r"(?m)^pingpong +1 +8 B +unavailable: .*2 processes")
                rows = list(csv.DictReader(io.StringIO(self.fathom("export", "--csv", status=DONE).stdout)))
                self.assertEqual([(row["operation"], row["status"], row["reason"]) for row in rows],
                                 [("pingpong", "unavailable", alone["reason"]), ("barrier", "ok", "")])

    @support.needs("smpi")
    def test_a_run_without_any_result_ends_with_status_3_and_keeps_its_rows(self):
        result = self.fathom("run", "pingpong", "--platform", "pure-16", "-n", "1", "--sizes", "8,64", "--json",
                             status=NOT_MEASURED)
        self.assertEqual([point["status"] for point in result.json["points"]], ["unavailable"] * 2)
        self.assertRegex(result.stderr, r"(?m)^fathom: no point could be measured")

    @support.needs("smpi")
    def test_csv_of_points_says_what_json_says(self):
        document = self.fathom(*SIMULATED, "--json", status=DONE).json
        rows = list(csv.DictReader(io.StringIO(self.fathom("export", "--csv", status=DONE).stdout)))
        self.assertEqual(len(rows), len(document["points"]))
        for row, point in zip(rows, document["points"]):
            for field in ("operation", "pattern", "status", "reason"):
                self.assertEqual(row[field], point[field])
            for field in ("procs", "size_bytes", "reps", "invalid_reps", "median_ns", "min_ns", "mean_ns", "p99_ns", "max_ns"):
                self.assertEqual(float(row[field]), point[field], field)

    @support.needs("smpi")
    def test_text_with_commas_and_quotes_survives_csv(self):
        script = self.write("say.py", "import sys; print('no, \"never\"'); sys.exit(1)\n")
        result = self.fathom("run", "barrier", "--mpi", "smpi", "--launcher", f"python3 {script}", "--json",
                             status=NOT_MEASURED)
        row, = csv.DictReader(io.StringIO(self.fathom("export", "--csv", status=DONE).stdout))
        self.assertEqual(row["reason"], result.json["points"][0]["reason"])
        self.assertEqual(row["status"], result.json["points"][0]["status"])

    @support.needs("smpi")
    def test_samples_columns_are_those_of_the_contract(self):
        self.fathom(*SIMULATED, status=DONE)
        header = self.fathom("export", "--samples", "--csv", status=DONE).stdout.splitlines()[0]
        self.assertEqual(header, "run,point,operation,procs,size_bytes,rank,rep,start_ns,duration_ns,valid")


if __name__ == "__main__":
    support.main()
