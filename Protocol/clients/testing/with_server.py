#!/usr/bin/env python3
"""Runs a command with a new server and an APNs simulator on loopback, and ends them after it.

    CARILLON_PROGRAMS=FOLDER with_server.py COMMAND [ARGUMENT…]

The command finds the server in the environment: CARILLON_SERVER, CARILLON_API_KEY_FILE and CARILLON_APP, as examples
and benchmarks of the clients need them. The exit status is that of the command. CARILLON_PROGRAMS is the folder of the
built programs, `.build/debug` if it is missing.
"""
from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, List

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "Tests" / "SystemTests"))


def variables(deployment: Any) -> Dict[str, str]:
    """Returns the variables by which a client finds this deployment."""
    from support.deployment import APP

    return {"CARILLON_SERVER": f"127.0.0.1:{deployment.port}", "CARILLON_APP": APP,
            "CARILLON_API_KEY_FILE": str(deployment.api_key_file)}


def main(command: List[str]) -> int:
    """Runs the command; returns its exit status."""
    if not command or command[0] in ("-h", "--help"):
        print(__doc__, file=sys.stderr)
        return 2
    from support.deployment import Deployment  # needs CARILLON_PROGRAMS

    with Deployment() as deployment:
        try:
            return subprocess.run(command, env={**os.environ, **variables(deployment)}, check=False).returncode
        except OSError as error:
            print(f"{command[0]}: {error.strerror}", file=sys.stderr)
            return 127


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
