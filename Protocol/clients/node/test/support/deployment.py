#!/usr/bin/env python3
"""A server and an APNs simulator for the tests of this client: one JSON object a line, commands on standard input.

The first line is {"port", "key", "app", "pid"}. `restart` waits until the server has ended, starts it again on the same
port and prints {"pid"}; `pushes` prints {"pushes": {token: accepted pushes}}. The end of the input ends everything.
CARILLON_PROGRAMS is the folder of the programs.
"""
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[5] / "Tests" / "SystemTests"))
from support.deployment import APP, Deployment  # noqa: E402


def say(**values: object) -> None:
    """Prints one line."""
    print(json.dumps(values), flush=True)


with Deployment() as deployment:
    settings = json.loads((deployment.folder / "carillon.json").read_text())
    settings["listen"]["port"] = deployment.port
    deployment.write("carillon.json", settings)
    say(port=deployment.port, key=deployment.api_key, app=APP, pid=deployment.server.pid)
    for line in sys.stdin:
        if line.strip() == "restart":
            deployment.server.wait(60)
            say(pid=deployment.start().pid)
        elif line.strip() == "pushes":
            say(pushes={device["token"]: device["count"] for device in deployment.simulator.devices()})
