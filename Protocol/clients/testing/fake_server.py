#!/usr/bin/env python3
"""Plays the server's side of one behaviour vector, and judges the client.

    fake_server.py NAME      plays the vector NAME of ../../vectors/behaviour
    fake_server.py --list    prints the names of all vectors

It listens on loopback or on a Unix socket and prints one JSON object a line: at first
`{"listening": {"a": "127.0.0.1:40123"}, "files": {…}}`, then `{"reached": "x"}` for each step `reached` and
`{"failed": {…}}` for each deviation of the client. It reads commands from standard input: `signal x` releases a step
`await`, and `verdict`, or the end of the input, ends the play. The last line is
`{"verdict": {"ok": …, "failures": […], "connections": {"a": 2}}}`; the exit status is 0 if it is ok.

Python 3.9 or later, standard library only; TLS needs the program openssl. `../../vectors/behaviour/README.md`
describes the form.
"""
from __future__ import annotations

import json
import os
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional

import vectors
from play import Play
from script import Script

# Milliseconds within which each expected step must happen; many, because machines that test are busy.
STEP_LIMIT_MS = 30_000


class Certificates:
    """Self-made certificates in a folder: one of the server for localhost and 127.0.0.1, one of a client."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._make("server", "subjectAltName=DNS:localhost,IP:127.0.0.1")
        self._make("client", "subjectAltName=DNS:client")

    def path(self, name: str) -> str:
        """Returns the path of a file of the folder."""
        return str(self.folder / name)

    def _make(self, name: str, extension: str) -> None:
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
             "2", "-subj", f"/CN=carillon test {name}", "-addext", extension, "-keyout", self.path(f"{name}.key"),
             "-out", self.path(f"{name}.pem")], check=True, stderr=subprocess.DEVNULL)

    def context(self, asks_for_client: bool) -> ssl.SSLContext:
        """Returns the server's side of TLS."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.load_cert_chain(self.path("server.pem"), self.path("server.key"))
        context.set_alpn_protocols(["carillon/1"])
        if asks_for_client:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(self.path("client.pem"))
        return context

    def files(self) -> Dict[str, str]:
        """Returns the files that a client needs; `other_ca` has not signed the server's certificate."""
        return {"ca": self.path("server.pem"), "other_ca": self.path("client.pem"),
                "certificate": self.path("client.pem"), "certificate_key": self.path("client.key")}


class Listener:
    """One server of a vector: accepts connections and plays their scripts in the order in which they come."""

    def __init__(self, name: str, server: Dict[str, Any], play: Play, folder: Path,
                 certificates: Optional[Certificates]) -> None:
        self.name, self.play = name, play
        self.scripts = [each if isinstance(each, dict) else {"steps": each} for each in server.get("connections", [])]
        self.accepted = 0
        self.threads: List[threading.Thread] = []
        self.tls: Optional[ssl.SSLContext] = None
        transport = server.get("transport", "tcp")
        if transport == "tls" and certificates is not None:
            self.tls = certificates.context(server.get("client_certificate", False))
        if transport == "unix":
            path = str(folder / f"{name}.sock")
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.bind(path)
            self.address = "unix:" + path
        else:
            self.socket = socket.socket()
            self.socket.bind(("127.0.0.1", 0))
            self.address = f"{server.get('host', '127.0.0.1')}:{self.socket.getsockname()[1]}"
        if transport != "closed":  # a bound socket that does not listen refuses connections, and keeps its port
            self.socket.listen(64)
            self.socket.settimeout(0.05)
            threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while not self.play.ended.is_set():
            try:
                connected, _ = self.socket.accept()
            except socket.timeout:
                continue
            except OSError:
                return
            self.accepted += 1
            if self.accepted > len(self.scripts):
                if self.accepted == len(self.scripts) + 1:
                    self._fail(self.accepted, "no further connection was expected")
                connected.close()
                continue
            script = Script(self.play, connected, self.tls, server=self.name, number=self.accepted,
                            script=self.scripts[self.accepted - 1])
            thread = threading.Thread(target=script.run, daemon=True)
            thread.start()
            self.threads.append(thread)

    def _fail(self, connection: int, text: str) -> None:
        self.play.fail(server=self.name, connection=connection, step="connect", text=text)

    def finish(self) -> None:
        """Waits for the scripts, and records those that were never begun."""
        for thread in self.threads:
            thread.join(2 * self.play.limit + 5)
        self.socket.close()
        for index in range(self.accepted + 1, len(self.scripts) + 1):
            self._fail(index, "the client has not connected")


class FakeServer:
    """One vector that is being played; `verdict` ends it."""

    def __init__(self, vector: Dict[str, Any], notify: Callable[[Dict[str, Any]], None],
                 limit_ms: int = STEP_LIMIT_MS) -> None:
        self.vector = vector
        self.play = Play(notify, limit_ms)
        self.folder = tempfile.TemporaryDirectory(prefix="carillon-vector-")
        folder = Path(self.folder.name)
        has_tls = any(server.get("transport") == "tls" for server in vector["servers"].values())
        certificates = Certificates(folder) if has_tls else None
        self.files = certificates.files() if certificates else {}
        self.listeners = {name: Listener(name, server, self.play, folder, certificates)
                          for name, server in vector["servers"].items()}
        self.addresses = {name: listener.address for name, listener in self.listeners.items()}

    def signal(self, name: str) -> None:
        """Releases the steps that await the name."""
        self.play.signal(name)

    def verdict(self) -> Dict[str, Any]:
        """Waits for the scripts to end and says whether the client has done what the vector says."""
        self.play.ended.set()
        for listener in self.listeners.values():
            listener.finish()
        self.folder.cleanup()
        return {"ok": not self.play.failures, "vector": self.vector["name"], "failures": self.play.failures,
                "connections": {name: listener.accepted for name, listener in self.listeners.items()}}


_printing = threading.Lock()


def _print(line: Dict[str, Any]) -> None:
    with _printing:
        sys.stdout.write(json.dumps(line, ensure_ascii=False) + "\n")
        sys.stdout.flush()


def main(arguments: List[str]) -> int:
    """Plays one vector, or lists them."""
    known = vectors.load()
    if arguments == ["--list"]:
        print("\n".join(known))
        return 0
    if len(arguments) != 1 or arguments[0] not in known:
        print(f"usage: {os.path.basename(__file__)} NAME | --list", file=sys.stderr)
        return 2
    server = FakeServer(known[arguments[0]], _print)
    _print({"listening": server.addresses, "files": server.files})
    for line in sys.stdin:
        command, _, name = line.strip().partition(" ")
        if command == "verdict":
            break
        if command == "signal":
            server.signal(name)
    verdict = server.verdict()
    _print({"verdict": verdict})
    return 0 if verdict["ok"] else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
