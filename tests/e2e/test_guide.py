#!/usr/bin/env python3
"""The outputs in docs/guide are what its commands print."""
import subprocess
import sys

import support
from support import SOURCE, FathomTest


@support.needs("smpi")
class Guide(FathomTest):
    def test_outputs_are_current(self):
        done = subprocess.run([sys.executable, SOURCE / "docs" / "guide.py", support.FATHOM, "--check"], capture_output=True, text=True,
                              timeout=600, env=self.environment())
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    support.main()
