#!/usr/bin/env python3
"""docs/operations.md says what the registry says."""
import subprocess
import sys

import support
from support import SOURCE, FathomTest


class OperationsPage(FathomTest):
    def test_is_what_the_script_writes(self):
        done = subprocess.run([sys.executable, SOURCE / "docs" / "operations.py", support.FATHOM, "--check"], capture_output=True, text=True,
                              timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    support.main()
