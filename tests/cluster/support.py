"""What the cluster tests share: a virtual cluster for a class of tests, and the built `fathom` started across it."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from retry import BUSY, tried  # for the tests

SOURCE = pathlib.Path(os.environ.get("FATHOM_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
BUILD = pathlib.Path(os.environ.get("FATHOM_BUILD_DIR", SOURCE / "build"))
VCLUSTER = SOURCE / "lab" / "vcluster"
NAME = f"fathomtest{os.getpid()}"


def vcluster(*words, check=True):
    return subprocess.run([VCLUSTER, *words], capture_output=True, text=True, timeout=60, check=check)


class ClusterTest(unittest.TestCase):
    """Its hosts are up while the tests of the class run."""

    hosts = ()  # words for `vcluster up`

    @classmethod
    def setUpClass(cls):
        vcluster("up", "--name", NAME, *cls.hosts)
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="fathom cluster "))

    @classmethod
    def tearDownClass(cls):
        vcluster("down", "--name", NAME, check=False)
        shutil.rmtree(cls.folder)

    def fathom(self, flavour, *words):
        """`fathom WORDS` with one library across the hosts."""
        if not (BUILD / "bin" / f"fathom-probe-{flavour}").exists():
            self.skipTest(f"no probe for {flavour}")
        launcher = f"'{VCLUSTER}' run --name {NAME} --mpi {flavour} -n {{n}} --"
        return subprocess.run([BUILD / "bin" / "fathom", *words, "--mpi", flavour, "--launcher", launcher, "--json"],
                              capture_output=True, text=True, timeout=120, cwd=self.folder)


def main():
    """unittest.main, or status 77 with the reason where no virtual hosts can be made."""
    possible = vcluster("check", check=False)
    if possible.returncode == 77:
        print(f"skipped: {(possible.stdout + possible.stderr).strip()}")
        sys.exit(77)
    unittest.main(module="__main__")
