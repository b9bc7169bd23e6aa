#!/usr/bin/env python3
"""Measures the client against a server on this machine, and Debian's node-redis against redis-server if both are there.

CARILLON_PROGRAMS is the folder of the programs, release builds. Arguments go to node, for example --cpu-prof.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[3] / "Tests" / "SystemTests"))
from support.deployment import APP, Deployment  # noqa: E402

COUNT = os.environ.get("COUNT", "200000")
# Where Debian has the packages of Node.js.
MODULES = os.environ.get("NODE_PATH", "/usr/share/nodejs")


def redis() -> None:
    """Runs redis.js with a server of its own, without a disk."""
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen(["redis-server", "--port", "7479", "--save", "", "--dir", folder],
                                  stdout=subprocess.DEVNULL)
        try:
            while subprocess.run(["redis-cli", "-p", "7479", "ping"], capture_output=True).returncode:
                time.sleep(0.01)  # pause: until it listens
            subprocess.run(["node", str(HERE / "redis.js"), "7479", COUNT], check=True,
                           env={**os.environ, "NODE_PATH": MODULES})
        finally:
            server.kill()
            server.wait()


with Deployment() as deployment:
    environment = {"CARILLON_SERVER": f"127.0.0.1:{deployment.port}", "CARILLON_APP": APP,
                   "CARILLON_API_KEY_FILE": str(deployment.api_key_file)}
    subprocess.run(["node", *sys.argv[1:], str(HERE / "bench.js"), COUNT], check=True,
                   env={**os.environ, **environment})
if shutil.which("redis-server") and Path(MODULES, "redis").exists():
    redis()
