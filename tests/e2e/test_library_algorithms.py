#!/usr/bin/env python3
"""--via library:NAME: the library performs a collective by an algorithm of its own that we name; list algorithms --mpi."""
import json

import support
from support import BAD_INPUT, DONE, FathomTest, needs

KNOWN = {"openmpi": ("allreduce", {"recursive_doubling", "ring", "basic"}),
         "mpich": ("allreduce", {"recursive_doubling", "reduce_scatter_allgather", "posix_release_gather"}),
         "smpi": ("allreduce", {"rdb", "lr", "mpich"})}


class LibraryAlgorithms(FathomTest):
    def median(self, document, size, implementation):
        return next(point["median_ns"] for point in document["points"]
                    if point["size_bytes"] == size and point.get("implementation", "library") == implementation)

    def test_each_library_says_which_it_has(self):
        for flavour in support.flavours():
            with self.subTest(flavour):
                done = self.fathom("list", "algorithms", "--mpi", flavour, "--json", status=DONE)
                rows = {row["operation"]: row for row in json.loads(done.stdout)["rows"]}
                operation, names = KNOWN[flavour]
                self.assertLessEqual(names, set(rows[operation]["algorithms"]))
                self.assertEqual(rows[operation]["mpi"], flavour)
                self.assertFalse({"ignore", "auto", "default", "automatic"} & set(rows[operation]["algorithms"]))
                self.assertIn(operation, self.fathom("list", "algorithms", "--mpi", flavour, status=DONE).stdout)

    def test_they_are_measured_in_alternation_with_right_data(self):
        for flavour in support.flavours():
            with self.subTest(flavour):
                operation, names = KNOWN[flavour]
                via = ["library", *(f"library:{name}" for name in sorted(names))]
                document = self.run_json(operation, *support.options_for(flavour), "-n", 2, "--sizes", "8,4k", "--reps", 20,
                                         "--runs", 1, "--start", "barrier", "--via", ",".join(via))
                self.assertEqual({point["status"] for point in document["points"]}, {"ok"}, document["points"])
                self.assertEqual({point.get("implementation", "library") for point in document["points"]}, set(via))

    @needs("smpi")
    def test_in_simulation_they_cost_what_their_formulas_say(self):
        # pure-16: 10 us and 1 ns a byte. Messages of 64 KiB leave one after the other, those of 8 B at once.
        document = self.run_json("bcast", "--platform", "pure-16", "-n", 16, "--sizes", "8,64k", "--via",
                                 "library:binomial_tree,library:flattree,library")
        def message(size, messages=1):
            return 10e3 + messages * size

        for size in (8, 65536):
            self.assertAlmostEqual(self.median(document, size, "library:binomial_tree") / (4 * message(size)), 1, delta=0.01)
        self.assertAlmostEqual(self.median(document, 65536, "library:flattree") / message(65536, 15), 1, delta=0.01)

    @needs("openmpi")
    def test_an_algorithm_that_is_not_for_so_many_processes_is_no_result(self):
        document = self.run_json("barrier", *support.options_for("openmpi"), "-n", 3, "--reps", 5, "--runs", 1, "--via",
                                 "library:linear,library:two_proc", status=None)
        status = {point["implementation"]: point["status"] for point in document["points"]}
        self.assertEqual(status, {"library:linear": "ok", "library:two_proc": "unavailable"})

    @needs("mpich")
    def test_names_and_parameters_that_it_does_not_have_are_refused(self):
        for via, expected in (("library:binomal", "Did you mean 'binomial'?"), ("library:auto", "no algorithm 'auto'"),
                              ("library:binomial+size=4", "no parameter 'size'"), ("library:", "library:NAME"),
                              ("library:binomial+", "library:NAME+PARAMETER=VALUE")):
            done = self.fathom("run", "bcast", "--mpi", "mpich", "-n", 2, "--via", via, status=BAD_INPUT)
            self.assertIn(expected, done.stderr)
        done = self.fathom("run", "pingpong", "--mpi", "mpich", "-n", 2, "--via", "library:binomial", status=BAD_INPUT)
        self.assertIn("pingpong cannot be performed via library:binomial", done.stderr)


if __name__ == "__main__":
    support.main()
