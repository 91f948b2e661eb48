#!/usr/bin/env python3
"""The transports of known overlap that replace the library's in tests: FATHOM_TRANSPORT."""
from support import DONE, NOT_MEASURED, FathomTest, flavours, main, needs, options_for

MESSAGES = ("overlap.isend", "overlap.irecv")
COLLECTIVES = ("overlap.iallreduce", "overlap.ibcast", "overlap.igather")


class TransportTest(FathomTest):

    def medians(self, flavour, transport, *words):
        env = {"FATHOM_TRANSPORT": transport} if transport else {}
        points = self.run_json(*options_for(flavour), "-n", 3, "--reps", 20, "--runs", 1, "--sizes", "0,1000,1M", *words, env=env)["points"]
        self.assertEqual({point["status"] for point in points}, {"ok"}, points)
        return {(point["operation"], point["size_bytes"]): point["median_ns"] for point in points}

    @needs("smpi")
    def test_unaided_takes_its_made_up_time_whatever_the_network(self):
        for (operation, size), median in self.medians("smpi", "unaided", *MESSAGES, *COLLECTIVES).items():
            self.assertAlmostEqual(median, 10000 + size, delta=2, msg=f"{operation} {size}")

    @needs("smpi")
    def test_in_wait_at_once_takes_what_the_library_takes(self):
        words = (*MESSAGES, *COLLECTIVES)
        self.assertEqual(self.medians("smpi", "in-wait", *words), self.medians("smpi", None, *words))

    def test_data_are_those_of_a_true_transfer(self):
        for flavour in flavours():
            for transport in ("in-wait", "unaided"):
                with self.subTest(flavour=flavour, transport=transport):
                    env = {"FATHOM_TRANSPORT": transport}
                    ends = {"overlap.isend": "1", "overlap.irecv": "0", "overlap.iallreduce": "1", "overlap.ibcast": "1"}
                    for operation, receiver in ends.items():
                        words = (*options_for(flavour), "-n", 2, "--reps", 5, "--runs", 1, "--sizes", 1000, operation)
                        self.run_json(*words, env=env, status=DONE)
                        spoilt = self.run_json(*words, env={**env, "FATHOM_SPOIL": receiver}, status=NOT_MEASURED)
                        self.assertRegex(spoilt["points"][0]["reason"], "wrong data before timing", spoilt)

    def test_an_unknown_one_is_refused(self):
        for flavour in flavours():
            with self.subTest(flavour=flavour):
                document = self.run_json("overlap.isend", *options_for(flavour), "-n", 2, "--reps", 5, "--runs", 1, "--sizes", 8,
                                         env={"FATHOM_TRANSPORT": "magic"}, status=NOT_MEASURED)
                self.assertRegex(document["points"][0]["reason"], "FATHOM_TRANSPORT is 'magic', neither in-wait nor unaided")


if __name__ == "__main__":
    main()
