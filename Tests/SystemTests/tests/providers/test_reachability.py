"""Why nothing goes: a pool that cannot connect is named with its cause, and so is a refused credential."""
from __future__ import annotations

import json
import re
import socket
import subprocess
import unittest
from typing import Any, Dict, List, Tuple

from support.deployment import APP, PROGRAMS, Deployment
from support.environment import eventually
from support.operations import ask_metrics_port, wait_metric
from support.system_test_case import PAYLOAD, SystemTestCase, register, wait_finished


class ReachabilityTests(SystemTestCase):
    """The commands, the port of health and the metrics while there is no way to APNs."""

    def stopped(self, **options: Any) -> Deployment:
        """Returns a server whose APNs is not running yet."""
        return self.deployment(simulator=None, flags=None, **options)

    def carillon(self, deployment: Deployment, *words: str) -> subprocess.CompletedProcess:
        """Runs the command of operators."""
        return subprocess.run(
            [str(PROGRAMS / "carillon"), *words, "--server", f"127.0.0.1:{deployment.port}", "--api-key-file",
             str(deployment.api_key_file)], capture_output=True, text=True, check=False, timeout=60)

    def status(self, deployment: Deployment, message: int) -> Dict[str, Any]:
        """Returns the status of a message as the command prints it for programs."""
        done = self.carillon(deployment, "message", "status", str(message), "--app", APP, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def obstacles(self, deployment: Deployment, message: int) -> List[Dict[str, Any]]:
        """Returns the obstacles of a message; none if there are none."""
        return self.status(deployment, message).get("obstacles", [])

    def failures(self, deployment: Deployment) -> Dict[str, float]:
        """Returns the failed attempts by cause."""
        rows = re.findall(r'^carillon_apns_connection_failures_total\{.*cause="([\w-]+)".*\} (\S+)$',
                          ask_metrics_port(deployment, "/metrics")[1], re.MULTILINE)
        return {cause: float(count) for cause, count in rows}

    def check_cause(self, deployment: Deployment, cause: str, words: str) -> int:
        """A message waits for APNs, for this cause; returns the message."""
        with deployment.client() as client:
            message = client.send(APP, register(client, 1), PAYLOAD)["message_id"]
        [obstacle] = eventually(lambda: self.obstacles(deployment, message), "the message has an obstacle")
        self.assertEqual((obstacle["kind"], obstacle["credential"], obstacle["environment"], obstacle["cause"]),
                         ("unreachable", "main", "production", cause), obstacle)
        self.assertIn(words, obstacle["reason"])
        eventually(lambda: self.failures(deployment)[cause] > 0, "the failure is counted")
        return message

    def test_each_bad_certificate_is_named_as_the_cause(self) -> None:
        for cause, names, days, words in (
                ("certificate-expired", "DNS:localhost", (-3, -1), "it has expired"),
                ("certificate-not-yet-valid", "DNS:localhost", (2, 4), "not valid yet"),
                ("certificate-name", "DNS:proxy.example.com", (0, 2), "for another name")):
            with self.subTest(cause=cause):
                deployment = self.stopped()
                deployment.keys.certificate("apns", "subjectAltName=" + names, days=days)
                deployment.start_simulator()
                deployment.start()
                self.check_cause(deployment, cause, words)
                deployment.stop()

    def test_messages_wait_until_the_issuer_is_known(self) -> None:
        deployment = self.stopped()
        deployment.keys.authority("proxy")
        deployment.keys.certificate("apns", "subjectAltName=DNS:localhost", authority="proxy")
        deployment.start_simulator()
        deployment.start()
        eventually(lambda: ask_metrics_port(deployment, "/readyz") == (200, "ready\n"), "the server is ready")
        message = self.check_cause(deployment, "certificate-issuer", "")
        warning = r"ready\nwarning: main/production is unreachable since \S+Z: certificate-issuer: .+\n"
        eventually(lambda: re.fullmatch(warning, ask_metrics_port(deployment, "/readyz")[1]), "there is a warning")
        self.assertEqual(ask_metrics_port(deployment, "/readyz")[0], 200)
        top = json.loads(self.carillon(deployment, "top", "--once", "--json").stdout)
        [pool] = [pool for pool in top["statistics"]["pools"] if pool["environment"] == "production"]
        self.assertEqual(pool["outage"]["cause"], "certificate-issuer")
        self.assertIn("certificate-issuer", json.dumps(self.obstacles(deployment, message)))
        port = deployment.simulator.port
        deployment.stop_simulator()
        deployment.keys.certificate("apns", "subjectAltName=DNS:localhost")
        deployment.start_simulator(port=port)
        with deployment.client() as client:
            self.assertEqual(wait_finished(client, message), {"delivered": 1})
        self.assertEqual(self.obstacles(deployment, message), [])
        eventually(lambda: ask_metrics_port(deployment, "/readyz") == (200, "ready\n"), "the warning is gone")
        wait_metric(deployment, 'carillon_apns_pool_outage_seconds{credential="main",environment="production"}', 0)

    def test_a_waiting_message_names_each_cause_once(self) -> None:
        deployment = self.stopped()
        with socket.socket() as taken:
            # No process listens on this port, and no other can take it.
            taken.bind(("127.0.0.1", 0))
            deployment.start(apns_port=taken.getsockname()[1])
            with deployment.client() as client:
                register(client, 1)
            # A busy machine may need more than four seconds for the first attempt.
            for limit in ("4s", "40s"):
                done = self.carillon(deployment, "send", "--app", APP, "--all", "--title", "x", "--wait",
                                     "--wait-limit", limit)
                self.assertEqual(done.returncode, 4, done.stderr)
                told = [line for line in done.stderr.splitlines() if "the message waits" in line]
                if told:
                    break
        self.assertEqual(len(told), 1, done.stderr)
        self.assertIn(
            "main production, cannot connect: Connection refused (is a firewall in the way?), since ", told[0])
        self.assertRegex(done.stdout,
                         r"\nwaits for +main production, cannot connect: Connection refused .*next attempt ")

    def test_the_series_of_all_causes_are_there_from_the_start(self) -> None:
        failures = self.failures(self.deployment())
        self.assertEqual(set(failures.values()), {0})
        self.assertLessEqual({"dns", "refused", "timeout", "proxy",
                             "certificate-expired", "tls", "other"}, set(failures))

    def test_a_refused_credential_has_a_next_attempt(self) -> None:
        deployment = self.deployment()
        deployment.simulator.add_rules(status=403, reason="InvalidProviderToken")
        with deployment.client() as client:
            message = client.send(APP, register(client, 1), PAYLOAD)["message_id"]

        def parked() -> Tuple[Dict[str, Any], ...]:
            return tuple(each for each in self.obstacles(deployment, message) if "next_attempt_ms" in each)

        [obstacle] = eventually(parked, "the credential is refused")
        self.assertEqual(obstacle["kind"], "credential-refused")
        self.assertGreater(obstacle["next_attempt_ms"], obstacle["since_ms"])


if __name__ == "__main__":
    unittest.main()
