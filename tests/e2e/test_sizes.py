#!/usr/bin/env python3
"""Odd sizes and odd numbers of processes."""

import support
from support import DONE, NOT_MEASURED, FathomTest

OVER_2_GIB = 2_200_000_000
MEMORY_FOR_IT = 10 * 2**30


class OddSizes(FathomTest):
    def check(self, flavour, procs, sizes, reps="3", env=None):
        document = self.run_json(*support.OPERATIONS, *support.options_for(flavour), "-n", procs, "--sizes",
                                 ",".join(map(str, sizes)), "--reps", reps, "--warmup", "1", env=env)
        expected = [(operation, procs, size) for operation in support.OPERATIONS
                    for size in ((0,) if operation == "barrier" else sizes)]
        self.assertEqual(support.points_of(document), expected)
        for point in document["points"]:
            alone = procs == 1 and point["operation"] == "pingpong"
            self.assertEqual(point["status"], "unavailable" if alone else "ok", point)
            self.assertEqual(point["reps"], 0 if alone else int(reps), point)
        return document

    def test_0_1_and_3_bytes_with_every_operation(self):
        for flavour in support.flavours():
            with self.subTest(flavour):
                self.check(flavour, 2, [0, 1, 3])

    def test_sizes_around_powers_of_two(self):
        for flavour in support.flavours():
            with self.subTest(flavour):
                self.check(flavour, 2, [4, 5, 4095, 4096, 4097, 65535, 65537, 1000003])

    def test_one_process(self):
        for flavour in support.flavours():
            with self.subTest(flavour):
                self.check(flavour, 1, [0, 1, 3, 4096])

    @support.needs("smpi")
    def test_three_processes_simulated(self):
        self.check("smpi", 3, [0, 1, 3, 70000])

    def test_more_ranks_than_cores_work_and_are_warned_of(self):
        procs = support.processors() + 2
        for flavour in support.flavours(*support.REAL):
            with self.subTest(flavour):
                document = self.check(flavour, procs, [0, 3, 1024], reps="2", env=support.patient())
                found = [warning for warning in document["warnings"] if warning["code"] == "oversubscription"]
                self.assertEqual(len(found), 1, document["warnings"])
                self.assertEqual(found[0]["severity"], "serious")
                self.assertIn(f"{procs} ranks", found[0]["text"])
                self.assertNotEqual(found[0]["remedy"], "")
                self.assertEqual(len(document["ranks"]), procs)
                self.assertIn(found[0]["text"], self.fathom("show", status=DONE).stdout)

    def test_as_many_ranks_as_cores_are_not_warned_of(self):
        for flavour in support.flavours(*support.REAL):
            document = self.run_json("barrier", *support.options_for(flavour), "-n", support.processors(), "--bind", "core", "--reps", "3")
            self.assertNotIn("oversubscription", [warning["code"] for warning in document["warnings"]])
            self.assertNotIn("unbound", [warning["code"] for warning in document["warnings"]])


class LargeSizes(FathomTest):
    def require_memory(self):
        if support.memory_available_bytes() < MEMORY_FOR_IT:
            self.skipTest(f"needs {MEMORY_FOR_IT >> 30} GiB of free memory, "
                          f"{support.memory_available_bytes() >> 30} GiB are there")

    def check(self, flavour, operation):
        self.require_memory()
        document = self.run_json(operation, *support.options_for(flavour), "-n", "2", "--sizes", OVER_2_GIB, "--reps",
                                 "1", "--warmup", "0", timeout=200)
        point, = document["points"]
        self.assertEqual((point["status"], point["size_bytes"], point["reps"]), ("ok", OVER_2_GIB, 1), point)
        self.assertIn("2200000000 B", self.fathom("show", status=DONE).stdout)

    @support.needs("openmpi")
    def test_over_2_gib_with_open_mpi(self):
        self.check("openmpi", "bcast")

    @support.needs("mpich")
    def test_over_2_gib_with_mpich(self):
        self.check("mpich", "pingpong")

    def test_more_than_memory_is_unavailable_with_a_reason(self):
        for flavour in support.flavours():
            for size in ("512T", "1024T", "4194304T"):
                with self.subTest(flavour=flavour, size=size):
                    result = self.fathom("run", "pingpong", "bcast", "allreduce", *support.options_for(flavour), "-n",
                                         "2", "--sizes", size, "--json", status=NOT_MEASURED)
                    for point in result.json["points"]:
                        self.assertEqual(point["status"], "unavailable", point)
                        self.assertRegex(point["reason"], r"needs|more than", point)
                    self.assertRegex(result.stderr, r"(?m)^fathom: no point could be measured")

    def test_what_fits_is_measured_beside_what_does_not(self):
        for flavour in support.flavours():
            with self.subTest(flavour):
                document = self.run_json("bcast", *support.options_for(flavour), "-n", "2", "--sizes", "8,512T,64",
                                         "--reps", "3", status=DONE)
                self.assertEqual([(point["size_bytes"], point["status"]) for point in document["points"]],
                                 [(8, "ok"), (64, "ok"), (2**49, "unavailable")])
                self.assert_nothing_left("fathom.db")


if __name__ == "__main__":
    support.main()
