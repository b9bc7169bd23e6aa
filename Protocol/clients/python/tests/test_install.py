"""The package installs with pip into a new environment, and brings its types."""
from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from carillon.options import VERSION

from .support import CLIENT

PROGRAM = """
import carillon, pathlib
client = carillon.Client("127.0.0.1:1", lazy=True)
print(carillon.__version__, (pathlib.Path(carillon.__file__).parent / "py.typed").exists(), client)
client.close()
"""


class InstallTests(unittest.TestCase):
    def test_pip_installs_it(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            source, target = Path(folder) / "source", Path(folder) / "environment"
            ignored = shutil.ignore_patterns("tests", "build", "*.egg-info", ".mypy_cache")
            shutil.copytree(CLIENT, source, ignore=ignored)
            subprocess.run([sys.executable, "-m", "venv", str(target)], check=True)
            python = str(target / "bin" / "python")
            install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(source)]
            done = subprocess.run(install, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            ran = subprocess.run([python, "-I", "-c", PROGRAM], cwd=folder, capture_output=True, text=True, check=False)
            self.assertEqual(ran.stdout.split(), [VERSION, "True", "<carillon.Client", "127.0.0.1:1>"], ran.stderr)


if __name__ == "__main__":
    unittest.main()
