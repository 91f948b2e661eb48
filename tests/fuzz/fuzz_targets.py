"""Where the fuzz targets, their seeds and their findings are, and how they are started: for short_run.py and lab/fuzz."""
import os
import pathlib
import shutil
import subprocess
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
FOLDER = SOURCE / "tests" / "fuzz"
CORPUS = FOLDER / "corpus"
# What takes longer or more is a finding. An input of a result file takes a tenth of a second, and the sanitizers a few
# hundred megabytes for themselves.
LIMITS = ("-timeout=20", "-rss_limit_mb=1024")
# More than any seed: libFuzzer cuts those that are longer. Long inputs are replayed whole.
LONGEST = "-max_len=16384"


def all_targets(build):
    """The names of those that were built, sorted."""
    return sorted(path.name.removeprefix("fuzz_") for path in (build / "fuzz").glob("fuzz_*"))


def program(build, target):
    return str(build / "fuzz" / f"fuzz_{target}")


def findings_of(target):
    return CORPUS / target / "findings"


def options_of(target):
    """Those of fuzzing, where the target has a dictionary with it."""
    dictionary = FOLDER / f"{target}.dict"
    return [LONGEST, *LIMITS, *([f"-dict={dictionary}"] if dictionary.exists() else [])]


class Scratch:
    """A folder in memory if there is one, removed with all that a killed target left there; and the environment to use it."""

    def __init__(self):
        parent = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="fathom-fuzz-", dir=parent))
        # A small quarantine, so that the memory of a process is that of the code under test.
        self.environment = {**os.environ, "TMPDIR": str(self.path), "ASAN_OPTIONS": "quarantine_size_mb=16"}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)

    def seeds(self, build, target):
        """The folders with the inputs of a target: in the tree, and made by this build. All are there."""
        made = self.path / "seeds"
        if not made.exists():
            subprocess.run([str(build / "fuzz" / "make_seeds"), str(made)], env=self.environment, check=True, timeout=60)
        folders = [CORPUS / target, made / target]
        for folder in folders:
            folder.mkdir(parents=True, exist_ok=True)
        return folders


def replay(build, target, files, environment, timeout=600):
    """Runs a target on these inputs and ends with the first that is a finding."""
    return subprocess.run([program(build, target), *LIMITS, *map(str, files)], env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=timeout)
