"""The way to APNs: certificates in place of keys, several addresses, pushes that are poison; real processes and sockets."""
from __future__ import annotations

import os
import subprocess
import time
import unittest
from typing import Any, Dict, Optional, Sequence

from test_lifecycle import Case, PAYLOAD, finished, register
from test_operations import apps, check
from world import APP, OTHER_APP, DeafPort, World, carillon, eventually

SANDBOX, PRODUCTION = "1.2.840.113635.100.6.3.1=ASN1:NULL\n", "1.2.840.113635.100.6.3.2=ASN1:NULL\n"


def topics(*names: str) -> str:
    """Apple's list of topics, each followed by what it is for, as openssl writes it."""
    lines = ["1.2.840.113635.100.6.3.6=ASN1:SEQUENCE:topics", "[topics]"]
    for index, name in enumerate(names):
        lines += [f"a{index}=UTF8:{name}", f"b{index}=SEQUENCE:kind"]
    return "\n".join([*lines, "[kind]", "a=UTF8:app", ""])


class Certificates(Case):
    """Pushes without a key: the client's certificate says what may be pushed."""

    def certificate(self, world: World, extensions: str, uid: str = APP, archive: Optional[str] = None,
                    options: Sequence[str] = ()) -> Dict[str, str]:
        """Makes a certificate as Apple does; the credential, which is an archive if there is a password for one."""
        world.keys.certificate("push", "extendedKeyUsage=clientAuth\n" + extensions, subject=f"/UID={uid}")
        if archive is None:
            return {"certificate": "push.pem", "key": "push.key"}
        subprocess.run(["openssl", "pkcs12", "-export", *options, "-in", "push.pem", "-inkey", "push.key", "-passout",
                        f"pass:{archive}", "-out", "push.p12"], cwd=world.folder, check=True, capture_output=True)
        (world.folder / "push.password").write_text(archive + "\n")
        for name in ("push.p12", "push.password"):
            (world.folder / name).chmod(0o600)
        return {"certificate": "push.p12", "passwordFile": "push.password"}

    def start(self, world: World, credential: Dict[str, Any], *flags: str) -> None:
        """An APNs that knows certificates and no key of ours, and the server."""
        world.start_simulator("--client-ca", world.keys.path("authority.pem"), "--key-id", "ELSEWHERE1", *flags)
        apps(world, {"main": credential}, {APP: {"production": "main"}})
        world.start()

    def send(self, client: carillon.Client, kind: str, push_type: str, payload: Dict[str, Any]) -> Dict[str, int]:
        """Ten pushes of a type; how they ended."""
        devices = [client.register(APP, os.urandom(32), kind=kind)["device_id"] for _ in range(10)]
        return finished(client, client.send(APP, devices, payload, push_type=push_type)["message_id"])

    def test_every_file_format(self) -> None:
        extensions = SANDBOX + PRODUCTION + topics(APP, APP + ".voip")
        for archive, options in ((None, ()), ("open sesame", ()), ("", ()), ("old sesame", ("-legacy",))):
            with self.subTest(archive=archive, options=options):
                world = self.world(simulator=None, flags=None)
                self.start(world, self.certificate(world, extensions, archive=archive, options=options))
                with world.client() as client:
                    self.assertEqual(self.send(client, "device", "alert", PAYLOAD), {"delivered": 10})
                    self.assertEqual(self.send(client, "voip", "voip", {"call": 1}), {"delivered": 10})
                    with self.assertRaises(carillon.CarillonError) as caught:
                        self.send(client, "location", "location", {})
                self.assertEqual((caught.exception.code, caught.exception.field), ("INVALID_ARGUMENT", "push_type"))
                self.assertIn("needs a key", str(caught.exception))
                stats = world.simulator.stats()
                self.assertEqual((stats["accepted"], stats["rejected"], stats["violations"]), (20, {}, 0))
                self.assertNotIn("sesame", world.log())

    def test_one_of_a_single_app(self) -> None:
        """As they were before there were lists: the subject's UID is the only topic."""
        world = self.world(simulator=None, flags=None)
        self.start(world, self.certificate(world, PRODUCTION))
        with world.client() as client:
            self.assertEqual(self.send(client, "device", "alert", PAYLOAD), {"delivered": 10})
            with self.assertRaises(carillon.CarillonError) as caught:
                self.send(client, "voip", "voip", {"call": 1})
        self.assertEqual((caught.exception.code, caught.exception.field), ("INVALID_ARGUMENT", "push_type"))
        self.assertIn("no certificate of the app is for voip", str(caught.exception))

    def test_management(self) -> None:
        uid = "com.apple.mgmt.External.18a16429-886b"
        world = self.world(simulator=None, flags=None)
        self.start(world, self.certificate(world, PRODUCTION, uid=uid))
        with world.client() as client:
            self.assertEqual(self.send(client, "mdm", "mdm", {"mdm": "magic"}), {"delivered": 10})
        self.assertEqual({push["topic"] for push in world.pushes()}, {uid})

    def test_what_does_not_fit_is_said_before_the_start(self) -> None:
        cases = [(PRODUCTION, OTHER_APP, "production", f"the certificate is for {OTHER_APP}"),
                 (PRODUCTION + topics(OTHER_APP, OTHER_APP + ".voip"), APP, "production",
                  f"the certificate is for {OTHER_APP}, {OTHER_APP}.voip"),
                 (SANDBOX, APP, "production", "the certificate is not for production"),
                 (PRODUCTION, APP, "sandbox", "the certificate is not for sandbox")]
        world = self.world(simulator=None, flags=None)
        for extensions, uid, environment, reason in cases:
            with self.subTest(reason):
                credential = self.certificate(world, extensions, uid=uid)
                apps(world, {"main": credential}, {APP: {environment: "main"}})
                code, text = check(world)
                self.assertEqual(code, 1, text)
                self.assertIn(f"app {APP}, credential main: {reason}", text)
                self.assertIn(reason, world.refused_start())

    def test_one_that_apns_refuses_stops_and_says_so(self) -> None:
        """The server takes production's certificate to what is a sandbox in truth."""
        world = self.world(simulator=None, flags=None)
        self.start(world, self.certificate(world, PRODUCTION), "--environment", "sandbox")
        with world.client() as client:
            sent = client.send(APP, register(client, 10), PAYLOAD)["message_id"]
            eventually(lambda: "APNs refuses the credential" in world.log(), "the log says so")
            self.assertIn("BadCertificateEnvironment", world.log())
            made = world.simulator.stats()["connections-ever"]
            time.sleep(2)
            self.assertEqual(world.simulator.stats()["connections-ever"], made, "it does not try on and on")
            self.assertNotEqual(client.message_status(APP, sent)["state"], "finished")

    def test_one_of_an_authority_that_apns_does_not_know(self) -> None:
        world = self.world(simulator=None, flags=None)
        credential = self.certificate(world, PRODUCTION)
        world.keys.authority("stranger")
        world.keys.certificate("push", PRODUCTION, authority="stranger", subject=f"/UID={APP}")
        self.start(world, credential)
        with world.client() as client:
            sent = client.send(APP, register(client, 10), PAYLOAD)["message_id"]
            eventually(lambda: "unknown" in world.log(), "the log says so")
            self.assertNotEqual(client.message_status(APP, sent)["state"], "finished")
        self.assertEqual(world.simulator.stats()["requests"], 0)


class Addresses(Case):
    """The host of APNs has several addresses, which change, and not all of them answer."""

    def start(self, *names: str, host: str = "::", **options: Any) -> World:
        """A world whose APNs listens on all addresses of this machine, and has these."""
        world = self.world(simulator=("--host", host, "--delay", "20", "--max-streams", "4"), flags=None, names=names)
        world.start("--apns-connections", "4")
        return world

    def deliver(self, world: World, count: int = 400) -> float:
        """Pushes to so many devices; the seconds it took."""
        with world.client() as client:
            tokens = register(client, count)
            began = time.monotonic()
            self.assertEqual(finished(client, client.send(APP, tokens, PAYLOAD)["message_id"]), {"delivered": count})
            return time.monotonic() - began

    def peers(self, world: World) -> Dict[str, int]:
        """The server's connections to APNs, by address."""
        said = subprocess.run(["ss", "-Htnp", "state", "established", f"dport = :{world.simulator.port}"],
                              capture_output=True, text=True, check=True).stdout
        found: Dict[str, int] = {}
        for line in said.splitlines():
            if f"pid={world.server.pid}," in line:
                address = line.split()[3].rpartition(":")[0].strip("[]").replace("::ffff:", "")
                found[address] = found.get(address, 0) + 1
        return found

    def test_connections_are_spread(self) -> None:
        world = self.start("127.0.0.1", "127.0.0.2", "::1", "127.0.0.4")
        self.deliver(world, 1_000)
        self.assertEqual(self.peers(world), {"127.0.0.1": 1, "127.0.0.2": 1, "::1": 1, "127.0.0.4": 1})

    def test_ipv6_alone(self) -> None:
        world = self.start("::1", host="::1")
        self.deliver(world)
        self.assertEqual(set(self.peers(world)), {"::1"})

    def test_one_that_refuses_is_passed_over(self) -> None:
        # It listens on IPv4 only.
        world = self.start("::1", "127.0.0.1", host="127.0.0.1")
        self.assertLess(self.deliver(world), 10)
        self.assertEqual(set(self.peers(world)), {"127.0.0.1"})

    def test_one_that_does_not_answer_is_passed_over_and_then_avoided(self) -> None:
        world = self.start("127.0.0.1", "127.0.0.9", host="127.0.0.1")
        deaf = DeafPort("127.0.0.9", world.simulator.port)
        self.addCleanup(deaf.close)
        self.assertLess(self.deliver(world, 1_000), 15)
        # Three seconds were given to it once or twice; then it comes last.
        for _ in range(3):
            world.simulator.rule({"fault": "goaway", "at": "now"})
            self.assertLess(self.deliver(world, 100), 2.5)
        self.assertEqual(set(self.peers(world)), {"127.0.0.1"})

    def test_a_name_that_is_not_known_yet(self) -> None:
        world = self.start()
        with world.client() as client:
            sent = client.send(APP, register(client, 10), PAYLOAD)["message_id"]
            eventually(lambda: "DNS: " in world.log(), "the log says so")
            world.set_names("127.0.0.1")
            self.assertEqual(finished(client, sent, 20), {"delivered": 10})

    def test_addresses_that_change(self) -> None:
        world = self.start("127.0.0.1")
        self.deliver(world)
        self.assertEqual(set(self.peers(world)), {"127.0.0.1"})
        world.set_names("127.0.0.2", "::1")
        world.simulator.rule({"fault": "goaway", "at": "now"})
        self.deliver(world)
        eventually(lambda: "127.0.0.1" not in self.peers(world), "the old ones are gone")
        self.assertLessEqual(set(self.peers(world)), {"127.0.0.2", "::1"})
        self.assertTrue(self.peers(world))


class Poison(Case):
    """A push that resets each connection which carries it."""

    def test_only_its_device_does_not_get_it(self) -> None:
        streams, connections = 40, 4
        world = self.world(simulator=("--delay", "60", "--max-streams", str(streams)), flags=None)
        world.start("--apns-connections", str(connections))
        with world.client() as client:
            tokens = register(client, 400) + register(client, 1, b"\xde\xad") + register(client, 400)
            world.simulator.rule({"fault": "close", "ending": "reset", "prefix": "dead", "processed": False})
            # It may be tried for half a minute.
            sent = client.send(APP, tokens, PAYLOAD, expiration=0, lane="bulk")["message_id"]
            began = time.monotonic()
            eventually(lambda: world.simulator.stats()["accepted"] >= 800, "all others have it", 15)
            outcomes = finished(client, sent)
            self.assertEqual(outcomes, {"delivered": 800, "gave-up": 1})
            # Meanwhile it disturbs nobody: it is known already.
            quick = register(client, 200)
            before = world.simulator.stats()
            poisoned = client.send(APP, [*tokens[400:401], *quick], PAYLOAD, expiration=0)["message_id"]
            self.assertEqual(finished(client, poisoned), {"delivered": 200, "gave-up": 1})
        stats = world.simulator.stats()
        self.assertEqual(stats["duplicates"] - before["duplicates"], 0)
        # Twice among all that was on its way, and once in company.
        self.assertLessEqual(before["duplicates"], 2 * streams + 7)
        resets = stats["faults"]["close"]
        self.assertGreaterEqual(resets, 6)
        self.assertEqual(stats["violations"], 0)
        self.assertLess(stats["connections-ever"], 2 * connections + resets + 10)
        self.assertLess(time.monotonic() - began, 90)


if __name__ == "__main__":
    unittest.main()
