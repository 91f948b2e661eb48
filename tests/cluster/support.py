"""What the cluster tests share: a virtual cluster for a class of tests, and the built `fathom` started across it."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import harness
from harness import BUILD, SOURCE, needs, undisturbed  # for the tests

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
        """`fathom WORDS` with one library across the hosts, whose ranks share this machine's cores."""
        launcher = f"'{VCLUSTER}' run --name {NAME} --mpi {flavour} -n {{n}} --"
        return subprocess.run([BUILD / "bin" / "fathom", *words, "--mpi", flavour, "--launcher", launcher, "--json"],
                              capture_output=True, text=True, timeout=120, cwd=self.folder,
                              env={**os.environ, **harness.patient()})


def main():
    """Runs the test cases of a file, or skips them with the reason where no virtual hosts can be made."""
    possible = vcluster("check", check=False)
    harness.main(skip_all=(possible.stdout + possible.stderr).strip() if possible.returncode == 77 else None)
