"""Programs that share no code with Carillon: carillond pushes to nghttpd, to a server on Python's h2 and through
nghttpx; curl and h2load push to apns-simulator; tshark reads the bytes between a client and carillond."""
from __future__ import annotations

import json
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

from support.deployment import APP, ROOT, Deployment, crln, eventually
from support.environment import SYSTEM_PYTHON, free_port
from support.keys import provider_token
from support.system_test_case import SystemTestCase

DEVICES = 200
PAYLOAD = {"aps": {"alert": "hello"}}
TOKEN = "ab" * 32


def listens(port: int) -> bool:
    """True if a program listens on the port."""
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    except OSError:
        return False


def token(number: int) -> bytes:
    """Returns a device token."""
    return number.to_bytes(32, "big")


class InteropTestCase(SystemTestCase):
    """A test that starts programs of other projects."""

    def program(self, *command: str, **options: Any) -> subprocess.Popen:
        """Starts a program of another project; it ends with the test."""
        if not shutil.which(command[0]):
            self.fail(f"{command[0]} is not installed: Tools/test names its package")
        process = subprocess.Popen(command, **options)

        def end() -> None:
            process.kill()
            process.communicate()

        self.addCleanup(end)
        return process

    def deliver(self, deployment: Deployment) -> Dict[str, int]:
        """Sends small and large messages to many devices and returns the outcomes."""
        with deployment.client() as client:
            devices = [client.register(APP, token(number + 1))["device_id"] for number in range(DEVICES)]
            large = {"aps": {"alert": "x" * 4_000}}
            sent = [client.send(APP, devices, payload)["message_id"] for payload in (PAYLOAD, large)]

            def ended() -> List[Dict[str, Any]]:
                states = [client.message_status(APP, message) for message in sent]
                return states if all(state["state"] == "finished" for state in states) else []

            states = eventually(ended, "both messages are finished")
        total: Dict[str, int] = {}
        for state in states:
            for outcome, count in state["outcomes"].items():
                total[outcome] = total.get(outcome, 0) + count
        return total


class OutboundInteropTests(InteropTestCase):
    """carillond as the client."""

    def test_nghttpd_takes_every_push(self) -> None:
        deployment = self.deployment(simulator=None, flags=None)
        port = free_port()
        self.program("nghttpd", "--address=127.0.0.1", "--echo-upload", str(port), deployment.keys.path("apns.key"),
                     deployment.keys.path("apns.pem"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        eventually(lambda: listens(port), "nghttpd listens")
        deployment.start(apns_port=port)
        self.assertEqual(self.deliver(deployment), {"delivered": 2 * DEVICES})

    def test_python_h2_takes_every_push_and_finds_no_fault(self) -> None:
        deployment = self.deployment(simulator=None, flags=None)
        server = self.program(SYSTEM_PYTHON, str(ROOT / "Tests/SystemTests/support/providers/h2_server.py"),
                              deployment.keys.path("apns.pem"),
                              deployment.keys.path("apns.key"), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              text=True)
        port = int(server.stdout.readline() or self.fail("the server on h2 did not start: is python3-h2 installed?"))
        lines: List[Dict[str, Any]] = []
        reader = threading.Thread(target=lambda: lines.extend(json.loads(line) for line in server.stdout), daemon=True)
        reader.start()
        deployment.start(apns_port=port)
        self.assertEqual(self.deliver(deployment), {"delivered": 2 * DEVICES})

        eventually(lambda: len(lines) >= 2 * DEVICES, "every push is recorded")
        self.assertEqual([line for line in lines if line["fault"]], [])
        expected = {f"/3/device/{token(number + 1).hex()}" for number in range(DEVICES)}
        self.assertEqual({line["path"] for line in lines}, expected)
        self.assertEqual(len({line["id"] for line in lines}), 2 * DEVICES)

    def test_pushes_pass_through_nghttpx(self) -> None:
        deployment = self.deployment(flags=None)
        port = free_port()
        self.program("nghttpx", f"--frontend=127.0.0.1,{port}", "--workers=1", "--errorlog-file=/dev/null",
                     f"--backend=127.0.0.1,{deployment.simulator.port};;proto=h2;tls;sni=localhost",
                     f"--cacert={deployment.keys.path('authority.pem')}", deployment.keys.path("apns.key"),
                     deployment.keys.path("apns.pem"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        eventually(lambda: listens(port), "nghttpx listens")
        deployment.start(apns_port=port)
        self.assertEqual(self.deliver(deployment), {"delivered": 2 * DEVICES})
        self.assertEqual(deployment.simulator.stats()["accepted"], 2 * DEVICES)


class InboundInteropTests(InteropTestCase):
    """apns-simulator as the server."""

    def setUp(self) -> None:
        self.apns = self.deployment(flags=None)
        self.key = self.apns.keys.path("AuthKey.p8")
        self.headers = {"apns-topic": APP, "apns-push-type": "alert",
                        "authorization": "bearer " + provider_token(self.key)}

    def curl(self, path: str = f"/3/device/{TOKEN}", body: str = json.dumps(PAYLOAD), method: str = "POST",
             **changed: Optional[str]) -> Tuple[int, str, str]:
        """Pushes with curl; returns status, HTTP version and reason. Options change headers by name, with _ for
        -; None omits one."""
        headers = {**self.headers, **{name.replace("_", "-"): value for name, value in changed.items()}}
        command = ["curl", "--silent", "--show-error", "--http2", "--cacert", self.apns.keys.path("authority.pem"),
                   "--request", method, "--data-binary", "@-", "--header", "content-type:",
                   "--write-out", "\n%{http_code} %{http_version}",
                   f"https://localhost:{self.apns.simulator.port}{path}"]
        for name, value in headers.items():
            if value is not None:
                command += ["--header", f"{name}: {value}"]
        done = subprocess.run(command, input=body, capture_output=True, text=True, timeout=20)
        self.assertEqual(done.returncode, 0, done.stderr)
        answer, _, figures = done.stdout.rpartition("\n")
        status, version = figures.split()
        return int(status), version, json.loads(answer)["reason"] if answer else ""

    def test_the_simulator_answers_curl_as_apns_does(self) -> None:
        self.apns.simulator.add_rules(prefix="dead", status=410, reason="Unregistered", timestamp=1_700_000_000_000)
        stale = "bearer " + provider_token(self.key, int(time.time()) - 7_200)
        foreign = "bearer " + provider_token(self.key, team="OTHER12345")
        table: List[Tuple[Dict[str, Any], int, str]] = [
            ({}, 200, ""),
            ({"path": "/3/device/xyz"}, 400, "BadDeviceToken"),
            ({"path": "/3/device/" + "dead" * 16}, 410, "Unregistered"),
            ({"path": "/elsewhere"}, 404, "BadPath"),
            ({"method": "PUT"}, 405, "MethodNotAllowed"),
            ({"body": ""}, 400, "PayloadEmpty"),
            ({"body": json.dumps({"aps": {"alert": "x" * 4_096}})}, 413, "PayloadTooLarge"),
            ({"apns_priority": "7"}, 400, "BadPriority"),
            ({"apns_topic": None}, 400, "MissingTopic"),
            ({"apns_collapse_id": "x" * 65}, 400, "BadCollapseId"),
            ({"authorization": None}, 403, "MissingProviderToken"),
            ({"authorization": stale}, 403, "ExpiredProviderToken"),
            ({"authorization": foreign}, 403, "InvalidProviderToken"),
        ]
        for push, status, reason in table:
            with self.subTest(reason or "a good push"):
                self.assertEqual(self.curl(**push), (status, "2", reason))

    def test_the_simulator_accepts_the_pushes_of_h2load(self) -> None:
        body = self.apns.folder / "body.json"
        body.write_text(json.dumps(PAYLOAD))
        headers = [f"--header={name}: {value}" for name, value in self.headers.items()]
        # One stream for each client: h2load does not wait for SETTINGS, and those allow one until a token was accepted.
        done = subprocess.run(["h2load", "--requests=1000", "--clients=4", "--max-concurrent-streams=1",
                               f"--data={body}", *headers,
                               f"https://localhost:{self.apns.simulator.port}/3/device/{TOKEN}"],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1000 succeeded, 0 failed, 0 errored, 0 timeout", done.stdout)
        self.assertIn("status codes: 1000 2xx", done.stdout)
        self.assertEqual(self.apns.simulator.stats()["accepted"], 1_000)


class PacketCaptureTests(InteropTestCase):
    """Carillon's own protocol, as tshark sees it."""

    def test_tshark_understands_a_session(self) -> None:
        deployment = self.deployment()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        file = str(Path(folder.name) / "session.pcapng")
        with open(Path(folder.name) / "tshark.log", "wb") as output:
            capture = self.program("dumpcap", "-i", "lo", "-f", f"tcp port {deployment.port}", "-w", file,
                                   stdout=output,
                                   stderr=output)
        said = Path(folder.name, "tshark.log")
        eventually(lambda: "Capturing on" in said.read_text() or capture.poll() is not None, "dumpcap captures")
        if capture.poll() is not None:
            self.skipTest("capturing on lo is not permitted here: " + said.read_text().strip().splitlines()[-1])

        self.capture_began(deployment, file)
        with deployment.client() as client:
            device = client.register(APP, token(1), locale="zh-Hant-TW")["device_id"]
            sent = client.send(APP, [device], PAYLOAD)["message_id"]
            eventually(lambda: client.message_status(APP, sent)["state"] == "finished", "the message is finished")
            with self.assertRaises(crln.CarillonError):
                client.lookup("com.example.unknown", device)
            client.unregister(APP, device)
            client.ping()
        eventually(lambda: len(self.read(deployment, file, "carillon.frame.message")) >= 12, "the session is captured")
        capture.send_signal(signal.SIGINT)
        capture.wait(20)

        messages = self.read(deployment, file, "carillon.frame.message", whole=True)
        self.assertGreaterEqual(len(messages), 12)
        # The severity "error".
        broken = self.read(deployment, file, "frame.number", "_ws.malformed || _ws.expert.severity == 8388608",
                           whole=True)
        self.assertEqual(broken, [])

    def capture_began(self, deployment: Deployment, file: str) -> None:
        """Waits until the capture sees packets: tshark says that it captures before it does."""
        def seen() -> bool:
            listens(deployment.port)
            return Path(file).exists() and bool(self.read(deployment, file, "frame.number", "tcp"))

        eventually(seen, "packets are captured")

    def read(self, deployment: Deployment, file: str, field: str, condition: str = "carillon",
             whole: bool = False) -> List[str]:
        """Returns a field of each packet that matches a filter; a file that is not `whole` can end anywhere."""
        done = subprocess.run(["tshark", "-X", f"lua_script:{ROOT / 'Protocol' / 'carillon.lua'}", "-r", file, "-d",
                               f"tcp.port=={deployment.port},carillon", "-Y", condition, "-T", "fields", "-e", field],
                              capture_output=True, text=True, timeout=60)
        if whole:
            self.assertEqual(done.returncode, 0, done.stderr)
        return [line for line in done.stdout.splitlines() if line]


if __name__ == "__main__":
    unittest.main()
