#!/usr/bin/env python3
"""A Carillon server and an APNs simulator for the tests in Go: `server.py`, with CARILLON_PROGRAMS set.

It prints `{"address": …, "key_file": …, "app": …}` in one line. Each line that it reads is a command: `TERM` and `KILL`
end the server with that signal and start it again, on the same port; then it prints `{"restarted": …}`. The end of the
input ends everything.
"""
from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[4] / "Tests" / "SystemTests"))

from support.deployment import APP, Deployment  # noqa: E402  # needs the path above


def main() -> None:
    """Runs until the input ends."""
    with Deployment() as deployment:
        port = deployment.port
        settings = json.loads((deployment.folder / "carillon.json").read_text())
        settings["listen"]["port"] = port
        deployment.write("carillon.json", settings)
        print(json.dumps({"address": f"127.0.0.1:{port}", "key_file": str(
            deployment.api_key_file), "app": APP}), flush=True)
        for line in sys.stdin:
            if line.strip() == "TERM":
                deployment.terminate()
            else:
                deployment.kill()
            deployment.start()
            print(json.dumps({"restarted": line.strip()}), flush=True)


if __name__ == "__main__":
    main()
