#!/usr/bin/env python3
"""The TypeScript of the report page has no errors of type, and its list of packages names no server."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import harness

SOURCE = pathlib.Path(os.environ.get("FATHOM_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
BUILD = pathlib.Path(os.environ.get("FATHOM_BUILD_DIR", SOURCE / "build"))
PACKAGES = BUILD / "web" / "node_modules"


class Types(unittest.TestCase):
    def test_the_compiler_finds_nothing(self):
        with tempfile.TemporaryDirectory(prefix="fathom-types-") as folder:
            # Packages lie in the build folder, not beside the sources.
            settings = {"extends": str(SOURCE / "web" / "tsconfig.json"), "include": [str(SOURCE / "web" / "src")],
                        "compilerOptions": {"paths": {"echarts/*": [str(PACKAGES / "echarts" / "*")]}, "types": []}}
            file = pathlib.Path(folder) / "tsconfig.json"
            file.write_text(json.dumps(settings), encoding="utf-8")
            done = subprocess.run([PACKAGES / ".bin" / "tsc", "-p", file], capture_output=True, text=True, timeout=120)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_packages_come_from_wherever_npm_is_told(self):
        for name in ("package.json", "package-lock.json"):
            self.assertNotIn("://", (SOURCE / "web" / name).read_text(encoding="utf-8"), name)

    def test_versions_are_exact(self):
        package = json.loads((SOURCE / "web" / "package.json").read_text(encoding="utf-8"))
        for name, version in {**package["dependencies"], **package["devDependencies"]}.items():
            self.assertRegex(version, r"^\d+\.\d+\.\d+$", name)


if __name__ == "__main__":
    there = shutil.which("node") is not None and (PACKAGES / ".bin" / "tsc").exists()
    harness.main(skip_all=None if there else f"no TypeScript in {PACKAGES} (npm was not there)")
