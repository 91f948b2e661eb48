#!/usr/bin/env python3
"""Time limits within which something does not happen: what fathom says and does when they are over.

These tests wait and hardly compute, so they run beside others."""

import os
import signal
import time

import support
from support import NOT_MEASURED, FathomTest


class HangsInFinalize(FathomTest):
    """Everything was measured, but a rank does not return from MPI_Finalize."""

    def ended(self, flavour, **environment):
        document = self.run_json("barrier", "--mpi", flavour, "-n", "2", "--reps", "3",
                                 env={**support.may_run_openmpi(), **support.meddling(finalize=1, rank=1), **environment})
        self.assertEqual([point["status"] for point in document["points"]], ["ok"])
        self.assertEqual(document["status"], "done")
        self.assertEqual(self.processes_left(), [])
        return {warning["code"]: warning["text"] for warning in document["warnings"]}

    def test_one_is_reported_with_the_library_and_the_call(self):
        names = {"openmpi": "Open MPI", "mpich": "MPICH"}
        for flavour in support.flavours(*support.REAL):
            with self.subTest(flavour):
                self.assertRegex(self.ended(flavour).get("finalize-hang", ""),
                                 rf"\AMPI_Finalize of {names[flavour]} [^,;]* did not return within 15 s, so the job was ended")

    @support.needs("mpich")
    def test_mpich_over_tcp_leaves_by_itself_and_says_so(self):
        warnings = self.ended("mpich", UCX_TLS="tcp,self")
        self.assertNotIn("finalize-hang", warnings)
        self.assertRegex(warnings.get("ending", ""),
                         r"\Arank \d on \S+: MPI_Finalize of MPICH over UCX and TCP did not return within 5 s")


class StoppedRank(FathomTest):
    def probes(self):
        return [pid for pid, _ in support.processes_with(f"{support.MARK}={self.mark}")
                if support.contents(f"/proc/{pid}/comm").startswith(b"fathom-probe")]

    def test_a_rank_that_stops_answering_is_named(self):
        for flavour in support.flavours(*support.REAL):
            with self.subTest(flavour):
                running = self.start("clock", "sync", "-n", "2", "--repeat", "1000000", *support.options_for(flavour))
                deadline = time.monotonic() + 30
                while len(self.probes()) < 2 and time.monotonic() < deadline:
                    time.sleep(0.1)
                time.sleep(2)  # into the synchronisations
                os.kill(max(self.probes()), signal.SIGSTOP)
                result = running.finish()
                self.assertEqual(result.status, NOT_MEASURED, result)
                self.assertRegex(result.stderr, r"rank [01] did not (answer clock pings for 10\.0 s|report its clock)")
        self.assert_nothing_left()


if __name__ == "__main__":
    support.main()
