"""Connections to APNs: certificates instead of keys, several addresses, pushes that break connections; real processes
and sockets."""
from __future__ import annotations

import os
import subprocess
import unittest
from typing import Any, Dict, Optional, Sequence

from support.clients.raw_connection import UnansweringPort
from support.deployment import APP, OTHER_APP, Deployment, crln, eventually
from support.environment import stable
from support.operations import check_configuration, wait_metric, write_apps
from support.system_test_case import PAYLOAD, SystemTestCase, register, wait_finished

SANDBOX, PRODUCTION = "1.2.840.113635.100.6.3.1=ASN1:NULL\n", "1.2.840.113635.100.6.3.2=ASN1:NULL\n"


def topics(*names: str) -> str:
    """Apple's list of topics as openssl writes it; each topic is followed by its purposes."""
    lines = ["1.2.840.113635.100.6.3.6=ASN1:SEQUENCE:topics", "[topics]"]
    for index, name in enumerate(names):
        lines += [f"a{index}=UTF8:{name}", f"b{index}=SEQUENCE:kind"]
    return "\n".join([*lines, "[kind]", "a=UTF8:app", ""])


class ProviderCertificatesTests(SystemTestCase):
    """Pushes without a key: the topics in the client's certificate decide."""

    def certificate(self, deployment: Deployment, extensions: str, uid: str = APP, archive: Optional[str] = None,
                    options: Sequence[str] = ()) -> Dict[str, str]:
        """Makes a certificate like Apple's and returns the credential: an archive if `archive` is its password."""
        deployment.keys.certificate("push", "extendedKeyUsage=clientAuth\n" + extensions, subject=f"/UID={uid}")
        if archive is None:
            return {"certificateFile": "push.pem", "certificateKeyFile": "push.key"}
        subprocess.run(["openssl", "pkcs12", "-export", *options, "-in", "push.pem", "-inkey", "push.key", "-passout",
                        f"pass:{archive}", "-out", "push.p12"], cwd=deployment.folder, check=True, capture_output=True)
        (deployment.folder / "push.password").write_text(archive + "\n")
        for name in ("push.p12", "push.password"):
            (deployment.folder / name).chmod(0o600)
        return {"certificateFile": "push.p12", "passwordFile": "push.password"}

    def start(self, deployment: Deployment, credential: Dict[str, Any], *flags: str) -> None:
        """Starts an APNs that accepts certificates and none of our keys, and the server."""
        deployment.start_simulator("--client-ca", deployment.keys.path("authority.pem"), "--key-id", "ELSEWHERE1",
                                   *flags)
        write_apps(deployment, {"main": credential}, {APP: {"production": "main"}})
        deployment.start()

    def send(self, client: crln.Client, kind: str, push_type: str, payload: Dict[str, Any]) -> Dict[str, int]:
        """Sends ten pushes of a type and returns the outcomes."""
        devices = [client.register(APP, os.urandom(32), kind=kind)["device_id"] for _ in range(10)]
        return wait_finished(client, client.send(APP, devices, payload, push_type=push_type)["message_id"])

    def test_every_file_format_is_read(self) -> None:
        extensions = SANDBOX + PRODUCTION + topics(APP, APP + ".voip")
        for archive, options in ((None, ()), ("open sesame", ()), ("", ()), ("old sesame", ("-legacy",))):
            with self.subTest(archive=archive, options=options):
                deployment = self.deployment(simulator=None, flags=None)
                self.start(deployment, self.certificate(deployment, extensions, archive=archive, options=options))
                with deployment.client() as client:
                    self.assertEqual(self.send(client, "device", "alert", PAYLOAD), {"delivered": 10})
                    self.assertEqual(self.send(client, "voip", "voip", {"call": 1}), {"delivered": 10})
                    with self.assertRaises(crln.CarillonError) as caught:
                        self.send(client, "location", "location", {})
                self.assertEqual((caught.exception.code, caught.exception.field), ("INVALID_ARGUMENT", "push_type"))
                self.assertIn("needs a key", str(caught.exception))
                stats = deployment.simulator.stats()
                self.assertEqual((stats["accepted"], stats["rejected"], stats["violations"]), (20, {}, 0))
                self.assertNotIn("sesame", deployment.log())

    def test_a_certificate_for_one_app_sends_to_no_other_topic(self) -> None:
        """An old certificate without a list: the subject's UID is the only topic."""
        deployment = self.deployment(simulator=None, flags=None)
        self.start(deployment, self.certificate(deployment, PRODUCTION))
        with deployment.client() as client:
            self.assertEqual(self.send(client, "device", "alert", PAYLOAD), {"delivered": 10})
            with self.assertRaises(crln.CarillonError) as caught:
                self.send(client, "voip", "voip", {"call": 1})
        self.assertEqual((caught.exception.code, caught.exception.field), ("INVALID_ARGUMENT", "push_type"))
        self.assertIn("no certificate of the app is for voip", str(caught.exception))

    def test_a_certificate_of_device_management_sends_to_its_topic(self) -> None:
        uid = "com.apple.mgmt.External.18a16429-886b"
        deployment = self.deployment(simulator=None, flags=None)
        self.start(deployment, self.certificate(deployment, PRODUCTION, uid=uid))
        with deployment.client() as client:
            self.assertEqual(self.send(client, "mdm", "mdm", {"mdm": "magic"}), {"delivered": 10})
        self.assertEqual({push["topic"] for push in deployment.pushes()}, {uid})

    def test_a_certificate_that_does_not_fit_is_refused_before_the_start(self) -> None:
        cases = [(PRODUCTION, OTHER_APP, "production", f"the certificate is for {OTHER_APP}"),
                 (PRODUCTION + topics(OTHER_APP, OTHER_APP + ".voip"), APP, "production",
                  f"the certificate is for {OTHER_APP}, {OTHER_APP}.voip"),
                 (SANDBOX, APP, "production", "the certificate is not for production"),
                 (PRODUCTION, APP, "sandbox", "the certificate is not for sandbox")]
        deployment = self.deployment(simulator=None, flags=None)
        for extensions, uid, environment, reason in cases:
            with self.subTest(reason):
                credential = self.certificate(deployment, extensions, uid=uid)
                write_apps(deployment, {"main": credential}, {APP: {environment: "main"}})
                code, text = check_configuration(deployment)
                self.assertEqual(code, 1, text)
                self.assertIn(f"app {APP}, credential main: {reason}", text)
                self.assertIn(reason, deployment.refused_start())

    def test_a_certificate_that_apns_refuses_stops_the_pool(self) -> None:
        """The server uses a certificate for production with an APNs that is a sandbox."""
        deployment = self.deployment(simulator=None, flags=None)
        self.start(deployment, self.certificate(deployment, PRODUCTION), "--environment", "sandbox")
        with deployment.client() as client:
            sent = client.send(APP, register(client, 10), PAYLOAD)["message_id"]
            eventually(lambda: "APNs refuses the credential" in deployment.log(), "the log says so")
            self.assertIn("BadCertificateEnvironment", deployment.log())
            wait_metric(deployment, 'carillon_apns_pool_parked{credential="main",environment="production"}', 1)
            # A connection that was being made when the pool stopped may still come.
            made = stable(lambda: deployment.simulator.stats()["connections-ever"], "connections are made")
            for _ in range(20):
                client.send(APP, register(client, 1), PAYLOAD)
            self.assertEqual(deployment.simulator.stats()["connections-ever"], made, "new messages make no connection")
            self.assertNotEqual(client.message_status(APP, sent)["state"], "finished")

    def test_a_certificate_of_an_unknown_authority_sends_nothing(self) -> None:
        deployment = self.deployment(simulator=None, flags=None)
        credential = self.certificate(deployment, PRODUCTION)
        deployment.keys.authority("unknown-authority")
        deployment.keys.certificate("push", PRODUCTION, authority="unknown-authority", subject=f"/UID={APP}")
        self.start(deployment, credential)
        with deployment.client() as client:
            sent = client.send(APP, register(client, 10), PAYLOAD)["message_id"]
            eventually(lambda: "unknown" in deployment.log(), "the log says so")
            self.assertNotEqual(client.message_status(APP, sent)["state"], "finished")
        self.assertEqual(deployment.simulator.stats()["requests"], 0)


class ProviderAddressesTests(SystemTestCase):
    """The host of APNs has several addresses, which change, and some do not answer."""

    def start(self, *names: str, host: str = "::", **options: Any) -> Deployment:
        """Starts a deployment whose APNs listens on all addresses of this machine and has these names."""
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
        """The server's connections to APNs, by address."""
        said = subprocess.run(["ss", "-Htnp", "state", "established", f"dport = :{deployment.simulator.port}"],
                              capture_output=True, text=True, check=True).stdout
        found: Dict[str, int] = {}
        for line in said.splitlines():
            if f"pid={deployment.server.pid}," in line:
                address = line.split()[3].rpartition(":")[0].strip("[]").replace("::ffff:", "")
                found[address] = found.get(address, 0) + 1
        return found

    def attempts(self, deployment: Deployment, address: str) -> int:
        """The connections of the server to an address that are being made now; each takes three seconds without an
        answer."""
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


class HarmfulPushTests(SystemTestCase):
    """A push that resets every connection that carries it."""

    def test_only_the_device_of_a_harmful_push_goes_without_the_message(self) -> None:
        streams, connections = 40, 4
        simulator = ("--delay-milliseconds", "60", "--max-streams", str(streams))
        deployment = self.deployment(simulator=simulator, flags=None)
        deployment.start("--apns-maximum-connections", str(connections))
        with deployment.client() as client:
            tokens = register(client, 400) + register(client, 1, b"\xde\xad") + register(client, 400)
            deployment.simulator.add_rules({"fault": "close", "ending": "reset", "prefix": "dead", "processed": False})
            # The push is retried for half a minute.
            sent = client.send(APP, tokens, PAYLOAD, expiration=0, lane="bulk")["message_id"]
            eventually(lambda: deployment.simulator.stats()["accepted"] >= 800, "all others have it", 60)
            outcomes = wait_finished(client, sent)
            self.assertEqual(outcomes, {"delivered": 800, "gave-up": 1})
            # From now on it affects no other push: the device is isolated.
            quick = register(client, 200)
            before = deployment.simulator.stats()
            poisoned = client.send(APP, [*tokens[400:401], *quick], PAYLOAD, expiration=0)["message_id"]
            self.assertEqual(wait_finished(client, poisoned), {"delivered": 200, "gave-up": 1})
        stats = deployment.simulator.stats()
        self.assertEqual(stats["duplicates"] - before["duplicates"], 0)
        # Twice with all pushes in flight, and once on the isolated connection.
        self.assertLessEqual(before["duplicates"], 2 * streams + 7)
        resets = stats["faults"]["close"]
        self.assertGreaterEqual(resets, 6)
        self.assertEqual(stats["violations"], 0)
        self.assertLess(stats["connections-ever"], 2 * connections + resets + 10)


if __name__ == "__main__":
    unittest.main()
