#!/usr/bin/env python3
"""--vary: every combination of settings is measured in jobs of its own, in alternation, and compared."""

import csv
import io
import sqlite3

import support
from support import DONE, NOT_MEASURED, FathomTest

LIMIT = "OMPI_MCA_btl_vader_eager_limit"


class Vary(FathomTest):
    def query(self, text):
        with sqlite3.connect(self.dir / "fathom.db") as db:
            return db.execute(text).fetchall()

    @support.needs("openmpi")
    def test_settings_are_a_dimension_of_points_and_reach_the_ranks(self):
        run = self.fathom("run", "allreduce", *support.options_for("openmpi"), "--sizes", "1k,16k", "--runs", 3, "--reps", 30,
                          "--vary", "mca:btl_vader_eager_limit=4096,32768", status=DONE)
        self.assertRegex(run.stdout, r"(?m)^Settings compared: btl_vader_eager_limit\n"
                                     r"operation +procs +bytes +4096 +32768 +worst/best +best$")
        self.assertRegex(run.stderr, r"(?m)^launch 1 of 3: btl_vader_eager_limit=4096, 2 points$")
        seen = self.query("SELECT setting, trial, status, (SELECT value FROM environment WHERE environment.job = point.job AND "
                          f"host = '' AND key = 'vary.{LIMIT}') FROM point ORDER BY position")
        wanted = [(f"btl_vader_eager_limit={value}", trial, "ok", value)
                  for trial in range(3) for size in (1024, 16384) for value in ("4096", "32768")]
        self.assertEqual(seen, wanted)
        order = self.query(f"SELECT value FROM environment WHERE key = 'vary.{LIMIT}' ORDER BY job")
        self.assertEqual([value for (value,) in order], ["4096", "32768", "32768", "4096", "4096", "32768"])

        shown = self.shown()
        settings = ["btl_vader_eager_limit=4096", "btl_vader_eager_limit=32768"]
        self.assertEqual([(point["size_bytes"], point["setting"]) for point in shown["points"]],
                         [(size, setting) for size in (1024, 16384) for setting in settings])
        self.assertEqual([row["size_bytes"] for row in shown["vary"]], [1024, 16384])
        for row in shown["vary"]:
            self.assertEqual([one["setting"] for one in row["settings"]], settings)
            self.assertIn(row["verdict"], ("best", "no-difference", "undecided"))
            self.assertIn(row["best"], settings)
            self.assertGreaterEqual(row["ratio"], 1)
        rows = list(csv.DictReader(io.StringIO(self.fathom("export", "last", "--csv", status=DONE).stdout)))
        self.assertEqual([row["setting"] for row in rows], settings * 2)
        compared = self.fathom("compare", "last", "last", "--json", status=DONE).json
        self.assertEqual([point["setting"] for point in compared["points"]], settings * 2)

    @support.needs("openmpi")
    def test_combinations_of_several_set_what_they_need(self):
        self.fathom("run", "allreduce", "--vary", "coll_tuned_allreduce_algorithm=1,3", "--vary", "FATHOM_TEST_VARIABLE=a;b,c",
                    *support.options_for("openmpi"), "--sizes", "8", "--runs", 1, "--reps", 20, status=DONE)
        shown = self.shown()
        self.assertEqual([point["setting"] for point in shown["points"]],
                         [f"coll_tuned_allreduce_algorithm={one} FATHOM_TEST_VARIABLE={other}"
                          for one in (1, 3) for other in ("a", "b,c")])
        self.assertEqual(shown["vary"][0]["verdict"], "too-few-launches")
        rules = self.query("SELECT value FROM environment WHERE key = 'env.OMPI_MCA_coll_tuned_use_dynamic_rules'")
        self.assertEqual(rules, [("1",)] * 4)
        self.assertIn("vary-needs", [warning["code"] for warning in shown["warnings"]])

    @support.needs("openmpi")
    def test_a_launcher_that_passes_nothing_on_is_found_out(self):
        launcher = "env -u FATHOM_TEST_VARIABLE " + " ".join(support.launcher_words("openmpi", "{n}"))
        run = self.fathom("run", "allreduce", *support.options_for("openmpi"), "--sizes", "8", "--launcher", launcher,
                          "--vary", "FATHOM_TEST_VARIABLE=1,2", env=support.may_run_openmpi(), status=NOT_MEASURED)
        self.assertIn("FATHOM_TEST_VARIABLE=1 did not reach all processes", run.stderr)

    @support.needs("mpich")
    def test_parameters_of_mpich_are_varied_by_name(self):
        run = self.fathom("run", "allreduce", *support.options_for("mpich"), "--sizes", "8", "--runs", 1, "--reps", 20, "--vary",
                          "cvar:ALLREDUCE_INTRA_ALGORITHM=recursive_doubling,reduce_scatter_allgather", status=DONE)
        name = "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM"
        self.assertEqual([point["setting"] for point in self.shown()["points"]],
                         [f"{name}=recursive_doubling", f"{name}=reduce_scatter_allgather"])
        self.assertNotIn("has no parameter", run.stdout)

    def assert_named_as_lacking(self, flavour, given, variable):
        run = self.fathom("run", "allreduce", *support.options_for(flavour), "--sizes", "8", "--runs", 1, "--reps", 20, "--vary",
                          given, status=DONE)
        self.assertRegex(run.stdout, rf"the MPI library has no parameter that {variable} sets")
        warnings = [one for one in self.shown()["warnings"] if one["code"] == "unknown-parameter"]
        self.assertEqual([one["severity"] for one in warnings], ["serious"])

    @support.needs("mpich")
    def test_a_parameter_that_mpich_lacks_is_named(self):
        self.assert_named_as_lacking("mpich", "cvar:ALREDUCE=1,2", "MPIR_CVAR_ALREDUCE")

    @support.needs("openmpi")
    def test_a_parameter_that_open_mpi_lacks_is_named(self):
        self.assert_named_as_lacking("openmpi", "mca:btl_vader_eager_limt=1,2", "OMPI_MCA_btl_vader_eager_limt")

    def test_what_cannot_be_varied_is_refused(self):
        for text, *patterns in (("nonsense", r"give NAME=VALUE,VALUE,\.\.\. such as mca:btl_vader_eager_limit=4096,32768"),
                                ("A=1", "at least two values"), ("A=1,1", "each value of A once")):
            with self.subTest(text):
                self.assert_refused(self.fathom("run", "allreduce", "--vary", text), r"--vary is \[", *patterns)
        self.assert_refused(self.fathom("run", "allreduce", "--vary", "A=1,2", "--vary", "A=3,4"), "--vary names A twice")

    @support.needs("smpi")
    def test_a_simulation_has_nothing_to_vary(self):
        self.assert_refused(self.fathom("run", "allreduce", *support.options_for("smpi"), "--vary", "A=1,2"),
                            "a simulation does not read environment variables such as A")


if __name__ == "__main__":
    support.main()
