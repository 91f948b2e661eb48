"""docs/operations.md says what the registry says."""
import os
import pathlib
import subprocess
import sys

import support

source = pathlib.Path(os.environ["FATHOM_SOURCE_DIR"])
done = subprocess.run([sys.executable, source / "docs/operations.py", support.FATHOM, "--check"], timeout=60)
sys.exit(done.returncode)
