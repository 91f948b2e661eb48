#!/usr/bin/env python3
"""Memory of the measuring engine: rank 0 needs little more than the others, and more repetitions need no more."""

import support
from support import FathomTest

MIB = 2**20


class Memory(FathomTest):
    def peaks(self, *words, **more):
        """The peak memory of rank 0 and of any other rank."""
        facts = self.run_json(*words, **more)["environment"]["job"]
        return int(facts["memory.rank_0_peak_bytes"]), int(facts["memory.other_ranks_peak_bytes"])

    @support.needs("openmpi")
    def test_of_rank_0_is_little_more_than_that_of_others(self):
        first, others = self.peaks("barrier", *support.options_for("openmpi"), "-n", "16", "--reps", "20", "--warmup", "1")
        self.assertGreater(others, MIB)
        self.assertLess(first - others, 8 * MIB)

    @support.needs("mpich")
    def test_does_not_grow_with_repetitions(self):
        # Beside other programs, spinning ranks take a hundred times as long.
        few, many = (self.peaks("barrier", "--mpi", "mpich", "-n", "2", "--reps", reps, "--point-timeout", "280")[0]
                     for reps in (1000, 400_000))
        self.assertLess(many - few, 8 * MIB, "samples of 400000 repetitions would be more than that")

    @support.needs("smpi")
    def test_does_not_grow_with_the_repetitions_of_many_ranks(self):
        """All of them are one process there; what they keep adds up."""
        few, many = (self.peaks("bcast", "--platform", "flat-1024", "-n", "128", "--sizes", "8", "--reps", reps, "--warmup",
                                "1", "--start", "none", "--no-verify")[0] for reps in (10, 1000))
        self.assertLess(many - few, 64 * MIB)


if __name__ == "__main__":
    support.main()
