"""The addresses of APNs: several of them, and names that change."""
from __future__ import annotations

import subprocess
import unittest
from typing import Dict

from support.clients.raw_connection import UnansweringPort
from support.deployment import APP, Deployment, eventually
from support.system_test_case import PAYLOAD, SystemTestCase, register, wait_finished


class AddressesTests(SystemTestCase):
    """The host of APNs has several addresses, which change, and some do not answer."""

    def start(self, *names: str, host: str = "::") -> Deployment:
        """Starts a deployment whose APNs has these addresses, and listens on `host`: on all addresses of the machine if
        none is given."""
        simulator = ("--host", host, "--delay-milliseconds", "20", "--max-streams", "4")
        deployment = self.deployment(simulator=simulator, flags=None, names=names)
        deployment.start("--apns-maximum-connections", "4")
        return deployment

    def deliver(self, deployment: Deployment, count: int = 400) -> None:
        """Pushes to `count` new devices and waits for the outcomes."""
        with deployment.client() as client:
            tokens = register(client, count)
            self.assertEqual(wait_finished(client, client.send(APP, tokens, PAYLOAD)["message_id"]),
                             {"delivered": count})

    def peers(self, deployment: Deployment) -> Dict[str, int]:
        """Returns the server's connections to APNs, by address."""
        said = subprocess.run(["ss", "-Htnp", "state", "established", f"dport = :{deployment.simulator.port}"],
                              capture_output=True, text=True, check=True).stdout
        found: Dict[str, int] = {}
        for line in said.splitlines():
            if f"pid={deployment.server.pid}," in line:
                address = line.split()[3].rpartition(":")[0].strip("[]").replace("::ffff:", "")
                found[address] = found.get(address, 0) + 1
        return found

    def attempts(self, deployment: Deployment, address: str) -> int:
        """Returns the connections of the server to an address that are being made now; each takes three seconds
        without an answer."""
        found = subprocess.run(["ss", "-Htnp", "state", "syn-sent", f"dst {address}"], capture_output=True, text=True,
                               check=True).stdout
        return found.count(f"pid={deployment.server.pid},")

    def test_connections_are_spread(self) -> None:
        deployment = self.start("127.0.0.1", "127.0.0.2", "::1", "127.0.0.4")
        expected = {"127.0.0.1": 1, "127.0.0.2": 1, "::1": 1, "127.0.0.4": 1}

        def are_spread() -> bool:
            self.deliver(deployment, 1_000)
            return self.peers(deployment) == expected

        eventually(are_spread, "there is one connection to each address")

    def test_apns_is_reached_over_ipv6_alone(self) -> None:
        deployment = self.start("::1", host="::1")
        self.deliver(deployment)
        self.assertEqual(set(self.peers(deployment)), {"::1"})

    def test_an_address_that_refuses_is_skipped(self) -> None:
        # APNs listens on IPv4 only.
        deployment = self.start("::1", "127.0.0.1", host="127.0.0.1")
        self.deliver(deployment)
        self.assertEqual(set(self.peers(deployment)), {"127.0.0.1"})

    def test_an_address_that_does_not_answer_is_skipped_and_then_avoided(self) -> None:
        deployment = self.start("127.0.0.1", "127.0.0.9", host="127.0.0.1")
        unanswering = UnansweringPort("127.0.0.9", deployment.simulator.port)
        self.addCleanup(unanswering.close)
        self.deliver(deployment, 1_000)
        # The connect timeout of three seconds passes once or twice; then this address is tried last.
        eventually(lambda: not self.attempts(deployment, "127.0.0.9"), "the attempts have timed out")
        # On a busy machine the first address may be so slow once that this one, the last, is tried beside it.
        tried = []
        for _ in range(4):
            deployment.simulator.add_rules({"fault": "goaway", "at": "now"})
            self.deliver(deployment, 100)
            tried.append(self.attempts(deployment, "127.0.0.9"))
        self.assertGreaterEqual(tried.count(0), 3, f"the address that does not answer is tried again: {tried}")
        self.assertEqual(set(self.peers(deployment)), {"127.0.0.1"})

    def test_a_name_that_is_not_known_yet_is_looked_up_again(self) -> None:
        deployment = self.start()
        with deployment.client() as client:
            sent = client.send(APP, register(client, 10), PAYLOAD)["message_id"]
            eventually(lambda: "DNS: " in deployment.log(), "the log says so")
            deployment.set_names("127.0.0.1")
            self.assertEqual(wait_finished(client, sent), {"delivered": 10})

    def test_new_connections_use_the_addresses_that_have_changed(self) -> None:
        deployment = self.start("127.0.0.1")
        self.deliver(deployment)
        self.assertEqual(set(self.peers(deployment)), {"127.0.0.1"})
        deployment.set_names("127.0.0.2", "::1")
        deployment.simulator.add_rules({"fault": "goaway", "at": "now"})
        self.deliver(deployment)
        eventually(lambda: "127.0.0.1" not in self.peers(deployment), "the old ones are gone")
        self.assertLessEqual(set(self.peers(deployment)), {"127.0.0.2", "::1"})
        self.assertTrue(self.peers(deployment))


if __name__ == "__main__":
    unittest.main()
