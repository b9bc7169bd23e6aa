"""The running APNs simulator and its control port."""
from __future__ import annotations

import json
import socket
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Sequence

from support.environment import APP, TIMEOUT_SECONDS, eventually, free_port

if TYPE_CHECKING:
    from support.deployment import Deployment


class Simulator:
    """An apns-simulator, which a deployment starts and ends."""

    def __init__(self, deployment: Deployment, flags: Sequence[str], port: int = 0, cores: Sequence[int] = ()) -> None:
        for name in ("apns.port", "channels.port", "control.port"):
            (deployment.folder / name).unlink(missing_ok=True)
        path = deployment.keys.path
        self.process = deployment.spawn(
            "apns-simulator", "simulator.log", "--certificate", path("apns.pem"), "--key", path("apns.key"),
            "--app", APP, "--team", "TEAM123456", "--key-id", "KEY1234567", "--public-key", path("AuthKey.pub"),
            *(("--record", str(deployment.record)) if deployment.records else ()), "--port", str(port or free_port()),
            "--port-file", path("apns.port"), "--channel-port", "0", "--channel-port-file", path("channels.port"),
            "--control-port", "0", "--control-port-file", path("control.port"),
            *flags, cores=cores)
        self.port = deployment.port_from("apns.port", self.process)
        self.channel_port = deployment.port_from("channels.port", self.process)
        self.control_port = deployment.port_from("control.port", self.process)

    def ask(self, command: str, timeout: float = TIMEOUT_SECONDS) -> List[Dict[str, Any]]:
        """Sends one command to the control port and returns the lines of the answer."""
        with socket.create_connection(("127.0.0.1", self.control_port), timeout) as control:
            control.sendall(command.encode() + b"\n")
            answer = b""
            while not answer.endswith(b"\n\n") and answer != b"\n":
                piece = control.recv(65536)
                if not piece:
                    break
                answer += piece
        return [json.loads(line) for line in answer.splitlines() if line]

    def stats(self) -> Dict[str, Any]:
        """Returns the simulator's counters."""
        return self.ask("stats")[0]

    def add_rules(self, *lines: Dict[str, Any], **line: Any) -> None:
        """Adds rules or faults: lines, or one line given by its keys."""
        for each in [*lines, *([line] if line else [])]:
            answer = self.ask("rule " + json.dumps(each))
            if answer != [{"ok": True}]:
                raise AssertionError(f"the simulator refused a rule: {answer}")

    def devices(self) -> Iterator[Dict[str, Any]]:
        """All devices that got a push: token, accepted pushes (count), refused pushes, status of the last refusal."""
        with socket.create_connection(("127.0.0.1", self.control_port), TIMEOUT_SECONDS) as control:
            control.sendall(b"dump\n")
            for line in control.makefile("rb"):
                if line == b"\n":
                    return
                record = json.loads(line)
                if "error" in record:
                    break
                yield record
            raise AssertionError(f"the simulator's record is not whole: {line!r}")

    def accepted_count(self, token: bytes) -> int:
        """Returns the number of accepted pushes to a device."""
        return self.ask("device " + token.hex())[0]["count"]

    def stop(self) -> None:
        """Kills the simulator; its connections break."""
        self.process.kill()
        self.process.wait(TIMEOUT_SECONDS)

    def wait_for_connections_to_end(self) -> None:
        """Waits until there is no connection: the simulator has read all that a killed server had written."""
        eventually(lambda: self.stats()["connections"] == 0, "connections to the simulator end", 60)

    def wait_until_accepted(self, count: int) -> None:
        """Waits until `count` pushes were accepted."""
        eventually(lambda: self.stats()["accepted"] >= count, f"{count} pushes accepted", 60)
