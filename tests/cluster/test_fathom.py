#!/usr/bin/env python3
"""`fathom run` across the hosts of a virtual cluster, over real TCP, with both libraries."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("FATHOM_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
BUILD = pathlib.Path(os.environ.get("FATHOM_BUILD_DIR", SOURCE / "build"))
VCLUSTER = SOURCE / "lab" / "vcluster"
NAME = f"fathomtest{os.getpid()}"


def vcluster(*words, check=True):
    return subprocess.run([VCLUSTER, *words], capture_output=True, text=True, timeout=60, check=check)


class AcrossHosts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        vcluster("up", "--hosts", "3", "--name", NAME)
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="fathom cluster "))

    @classmethod
    def tearDownClass(cls):
        vcluster("down", "--name", NAME, check=False)
        shutil.rmtree(cls.folder)

    def run_fathom(self, flavour, *words):
        if not (BUILD / "bin" / f"fathom-probe-{flavour}").exists():
            self.skipTest(f"no probe for {flavour}")
        launcher = f"'{VCLUSTER}' run --name {NAME} --mpi {flavour} -n {{n}} --"
        return subprocess.run([BUILD / "bin" / "fathom", "run", "--mpi", flavour, "--launcher", launcher, "--json", *words],
                              capture_output=True, text=True, timeout=120, cwd=self.folder)

    def check_run(self, flavour):
        result = self.run_fathom(flavour, "pingpong", "allreduce", "-n", "3", "--sizes", "8,1k", "--reps", "10")
        self.assertEqual(result.returncode, 0, result.stderr)
        run = json.loads(result.stdout)
        self.assertEqual([rank["host"] for rank in run["ranks"]], ["h0", "h1", "h2"])
        self.assertEqual({point["status"] for point in run["points"]}, {"ok"})
        self.assertEqual({"h0", "h1", "h2"} - set(run["environment"]), set())
        pingpong = run["points"][0]
        # Over TCP between hosts a message cannot be as fast as shared memory: this is no time limit but a check of the path.
        self.assertGreater(pingpong["min_ns"], 1000)

    def test_openmpi_measures_across_hosts(self):
        self.check_run("openmpi")

    def test_mpich_measures_across_hosts_though_its_finalize_may_hang(self):
        self.check_run("mpich")


if __name__ == "__main__":
    possible = vcluster("check", check=False)
    if possible.returncode == 77:
        print(f"skipped: {(possible.stdout + possible.stderr).strip()}")
        sys.exit(77)
    unittest.main()
