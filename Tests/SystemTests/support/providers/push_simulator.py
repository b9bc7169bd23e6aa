"""The running push simulator and its control port, and calls of push-vectors and of the libraries of other projects."""
from __future__ import annotations

import json
import os
import socket
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Optional

from support.environment import PROGRAMS, ROOT, TIMEOUT_SECONDS, eventually, free_port
from support.keys import Keys

# The interpreter with the packages of Tests/SystemTests/requirements.txt: `Tools/test` makes it.
PEERS = Path(os.environ.get("CARILLON_PYTHON_PEERS") or ROOT / ".build/python-peers") / "bin/python3"


class PushSimulator:
    """A push simulator with certificates, a service account and browsers of its own, in a temporary folder."""

    def __init__(self, browsers: int = 3, *flags: str) -> None:
        self._temporary = tempfile.TemporaryDirectory(prefix="push-")
        self.folder = Path(self._temporary.name)
        self.keys = Keys(self.folder)
        subprocess.run(["openssl", "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out",
                        self.path("google.key")], check=True, capture_output=True)
        self.port = free_port()
        self.account = {
            "type": "service_account", "project_id": "game", "private_key_id": "key1",
            "private_key": (self.folder / "google.key").read_text(), "client_email": "sender@game.example",
            "token_uri": f"https://localhost:{self.port}/token"}
        (self.folder / "account.json").write_text(json.dumps(self.account))
        self.process = subprocess.Popen(
            [str(PROGRAMS / "push-simulator"), "--certificate", self.path("apns.pem"), "--key", self.path("apns.key"),
             "--port", str(self.port), "--control-port", "0", "--control-port-file", self.path("control.port"),
             "--service-account", self.path("account.json"), "--browsers", str(browsers), "--subscriptions-file",
             self.path("subscriptions.json"), "--quiet", *flags])
        port = self.folder / "control.port"
        self.control_port = int(eventually(lambda: port.exists() and port.read_text(), "the simulator listens"))
        self.subscriptions: List[Dict[str, Any]] = [
            json.loads(line) for line in (self.folder / "subscriptions.json").read_text().splitlines()]

    def path(self, name: str) -> str:
        """Returns the path of a file in the folder."""
        return str(self.folder / name)

    def stop(self) -> None:
        """Ends the simulator and removes its folder."""
        self.process.terminate()
        self.process.wait(TIMEOUT_SECONDS)
        self._temporary.cleanup()

    def ask(self, command: str, timeout: float = TIMEOUT_SECONDS) -> Dict[str, Any]:
        """Sends one command to the control port and returns its answer."""
        with socket.create_connection(("127.0.0.1", self.control_port), timeout) as control:
            control.sendall(command.encode() + b"\n")
            return json.loads(control.makefile("rb").readline())

    def stats(self) -> Dict[str, Any]:
        """Returns the counters."""
        return self.ask("stats")

    def add_rules(self, *lines: Dict[str, Any], **line: Any) -> None:
        """Adds rules or faults: lines, or one line given by its keys."""
        for each in [*lines, *([line] if line else [])]:
            answer = self.ask("rule " + json.dumps(each))
            if answer != {"ok": True}:
                raise AssertionError(f"push-simulator refused a rule: {answer}")

    def browser(self, number: int) -> Dict[str, Any]:
        """Returns what a browser has received."""
        return self.ask("subscription " + self.subscriptions[number]["endpoint"].rpartition("/")[2])

    def curl(self, path: str, body: Optional[bytes], headers: Dict[str, str]) -> "Answer":
        """Sends a request with curl over HTTP/2."""
        command = ["curl", "-s", "--http2", "--cacert", self.path("authority.pem"), "-X", "POST", "-w",
                   "\n%{http_code} %{http_version}", f"https://localhost:{self.port}{path}"]
        for name, value in headers.items():
            command += ["-H", f"{name}: {value}"]
        if body is not None:
            command += ["--data-binary", "@-"]
        done = subprocess.run(command, input=body, capture_output=True, check=True)
        text, _, end = done.stdout.decode().rpartition("\n")
        status, version = end.split()
        return Answer(int(status), version, text)


class Answer:
    """The answer to a request: status, version of HTTP, body."""

    def __init__(self, status: int, version: str, body: str) -> None:
        self.status, self.version, self.body = status, version, body


def run_push_vectors(*orders: Dict[str, Any]) -> List[str]:
    """Returns what CarillonFCM and CarillonWebPush make of orders: see Tools/push-vectors."""
    lines = "".join(json.dumps(order) + "\n" for order in orders)
    done = subprocess.run([str(PROGRAMS / "push-vectors")], input=lines, capture_output=True, text=True, check=True)
    return [json.loads(line)["made"] for line in done.stdout.splitlines()]


def run_peers(script: str, *orders: Any) -> List[Any]:
    """Runs a script with the packages of other projects. It gets the orders as a list in JSON, and answers with one."""
    if not PEERS.exists():
        raise AssertionError(f"there is no {PEERS}: Tools/test makes it")
    done = subprocess.run([str(PEERS), "-c", script], input=json.dumps(orders), capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)
