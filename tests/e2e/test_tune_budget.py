#!/usr/bin/env python3
"""What `fathom tune` does with little time: its launches take as long as a launcher that sleeps."""

import support
from support import DONE, NOT_MEASURED, FathomTest

# A library whose own decision costs 3 ms more than any algorithm that is forced.
SLOW = support.meddling(slow_us=3000, choice="MPIR_CVAR_BCAST_INTRA_ALGORITHM", unless="MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE")


@support.needs("mpich")
class Budget(FathomTest):
    def test_rounds_launch_no_more_than_there_is_time_for(self):
        """Of the budget, the first round has 8.4 s, a later one 5.6 s at most: 3 launches, and then 1, if each takes 3 s."""
        self.write("slowly", 'sleep 3\nexec "$@"\n')
        launcher = " ".join(["sh", str(self.dir / "slowly"), *support.launcher_words("mpich", 2)])
        self.fathom("tune", "bcast", "--mpi", "mpich", "-n", "2", "--sizes", "16k,64k,256k", "--launcher", launcher, "--runs", 5, "--reps", 10, "--budget",
                    "40s", "--no-files", "--quiet", env=SLOW, status=DONE, timeout=200)
        cut = {}
        for row in self.fathom("list", "runs", "--all", "--json", status=DONE).json["rows"]:
            shown = self.fathom("show", row["run"], "--json", status=DONE).json
            cut[row["tags"]["round"]] = [one["text"] for one in shown["warnings"] if one["code"] == "few-launches"]
        self.assertTrue(cut.pop("bcast-2-1"), "not enough time for 5")
        self.assertGreater(len(cut), 0)
        self.assertEqual(set(map(len, cut.values())), {0}, cut)

    def test_too_little_time_is_called_that(self):
        said = self.fathom("tune", "bcast", "--mpi", "mpich", "-n", "2", "--sizes", "16k,64k", "--reps", 1, "--runs", 1, "--budget", "20s",
                           "--quiet", status=NOT_MEASURED, timeout=200).stderr
        self.assertIn("no point had enough repetitions for an interval; give a longer --budget, fewer --sizes or fewer launches (--runs).", said)


if __name__ == "__main__":
    support.main()
