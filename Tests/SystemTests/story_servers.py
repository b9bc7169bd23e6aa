#!/usr/bin/env python3
"""Starts a server and a simulator for ScenarioTests, and performs the actions that standard input names.

Usage: story_servers.py [--python-story]   With the option, the Python client first runs its story.

It prints the server's port, the API key and the path of the simulator's record. Then each line of standard input is an
action, and its name is printed when it is done. At the end of standard input the server and the simulator end.

    kill, start      the server
    stop, continue   the simulator, with SIGSTOP and SIGCONT
    finish           waits until the simulator has read all that a killed server had sent
    wait COUNT       waits until the simulator has accepted COUNT pushes since its start
"""
from __future__ import annotations

import signal
import subprocess
import sys

from support.deployment import Deployment
from support.environment import APP, ROOT


def play_story(deployment: Deployment) -> None:
    """Runs the story of the Python client; CalledProcessError if it fails. Its output goes to standard error."""
    subprocess.run(
        [sys.executable, "-B", "-m", "tests.story", f"127.0.0.1:{deployment.port}", str(deployment.api_key_file), APP],
        cwd=ROOT / "Protocol/clients/python", check=True, stdout=sys.stderr)


def perform(line: str, deployment: Deployment) -> str:
    """Performs an action and returns its name when it is done."""
    action, _, argument = line.partition(" ")
    apns = deployment.simulator
    if action == "kill":
        deployment.kill()
    elif action == "start":
        deployment.start("--listen-port", str(deployment.port))
    elif action == "stop":
        apns.process.send_signal(signal.SIGSTOP)
    elif action == "continue":
        apns.process.send_signal(signal.SIGCONT)
    elif action == "finish":
        apns.wait_for_connections_to_end()
    elif action == "wait":
        apns.wait_until_accepted(int(argument))
    else:
        raise ValueError(f"there is no action {action!r}")
    return action


def main() -> None:
    """Starts the deployment and performs actions until standard input ends."""
    with Deployment(apps={APP: {"production": "main"}}) as deployment:
        if sys.argv[1:] == ["--python-story"]:
            play_story(deployment)
        print(deployment.port, deployment.api_key, deployment.record, flush=True)
        for line in sys.stdin:
            print(perform(line.strip(), deployment), flush=True)


if __name__ == "__main__":
    main()
