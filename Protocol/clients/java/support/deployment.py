#!/usr/bin/env python3
"""Runs a server and an APNs simulator for the end-to-end tests. CARILLON_PROGRAMS is the folder of the programs.

It prints one JSON object a line, at first `{"server": "127.0.0.1:…", "key_file": path, "app": name}`. Commands on
standard input: `terminate` and `kill` end the server, `start` starts it on the same port; each is answered by
`{"done": command}`. The end of the input ends everything.
"""
from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Dict

sys.path.insert(0, str(Path(__file__).resolve().parents[4] / "Tests" / "SystemTests"))

from support.deployment import APP, Deployment  # noqa: E402  needs the path above, and CARILLON_PROGRAMS


def tell(line: Dict[str, Any]) -> None:
    """Prints one object."""
    print(json.dumps(line), flush=True)


def main() -> int:
    """Runs until the end of the input."""
    with Deployment() as deployment:
        port = deployment.port
        tell({"server": f"127.0.0.1:{port}", "key_file": str(deployment.api_key_file), "app": APP})
        commands = {"terminate": deployment.terminate, "kill": deployment.kill,
                    "start": lambda: deployment.start("--listen-port", str(port))}
        for line in sys.stdin:
            commands[line.strip()]()
            tell({"done": line.strip()})
    return 0


if __name__ == "__main__":
    sys.exit(main())
