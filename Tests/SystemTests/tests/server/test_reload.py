"""SIGHUP, credentials that change, several credentials at once; real processes."""
from __future__ import annotations

import json
import os
import subprocess
import time
import unittest
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Dict, List, Tuple

from support.clients.held_handshake import HeldHandshake
from support.clients.raw_connection import RawConnection
from support.deployment import APP, OTHER_APP, Deployment, crln, eventually, sha256
from support.operations import TOKEN_CREDENTIAL, check_configuration, metrics, reload, wait_metric, write_apps
from support.system_test_case import PAYLOAD, SystemTestCase, register, wait_finished


def is_refused(client: crln.Client, token: bytes) -> bool:
    """True if the client cannot connect."""
    try:
        client.register(APP, token)
        return False
    except crln.CarillonError as error:
        return error.code == "CANNOT_CONNECT"


class ReloadTests(SystemTestCase):
    """Reloads with SIGHUP."""

    def test_a_key_is_rotated_while_a_fan_out_runs(self) -> None:
        deployment = self.deployment(simulator=None, flags=None)
        path = deployment.keys.path
        for arguments in (("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", path("second.key")),
                          ("pkcs8", "-topk8", "-nocrypt", "-in", path("second.key"), "-out", path("Second.p8")),
                          ("pkey", "-in", path("Second.p8"), "-pubout", "-out", path("Second.pub"))):
            subprocess.run(["openssl", *arguments], check=True, capture_output=True)
        Path(path("Second.p8")).chmod(0o600)
        deployment.start_simulator("--signer", f"TEAM123456:KEY7654321:{path('Second.pub')}", "--max-streams", "50")
        # So slow that the fan-out is far from its end at the reload.
        deployment.simulator.add_rules(fault="delay", milliseconds=1_000)
        deployment.start("--apns-maximum-connections", "2")
        with deployment.client() as client:
            tokens = register(client, 6_000)
            sent = [client.send(APP, tokens[at:at + 500], PAYLOAD)["message_id"] for at in range(0, 6_000, 500)]
            eventually(lambda: deployment.simulator.stats()["accepted"] > 200, "the fan-out runs")
            write_apps(deployment, {"main": {**TOKEN_CREDENTIAL, "keyID": "KEY7654321", "keyFile": "Second.p8"}},
                       {APP: {"production": "main"}})
            reload(deployment)
            at_reload = deployment.simulator.stats()["accepted"]
            self.assertLess(at_reload, 6_000, "the fan-out ended before the reload")
            deployment.simulator.ask("calm")
            outcomes = [wait_finished(client, message) for message in sent]
        self.assertEqual(outcomes, [{"delivered": 500}] * 12)
        self.assertEqual(deployment.simulator.stats()["accepted"], 6_000, "lost or twice")
        self.assertIn("pools_replaced=1", deployment.log())
        wait_metric(deployment, 'carillon_reloads_total{result="ok"}', 1)
        self.assertNotIn("PRIVATE", deployment.log())

    def test_a_refused_credential_starts_again(self) -> None:
        deployment = self.deployment(flags=None)
        write_apps(deployment, {"main": {**TOKEN_CREDENTIAL, "keyID": "WRONG12345"}}, {APP: {"production": "main"}})
        deployment.start()
        pool = 'credential="main",environment="production"'
        with deployment.client() as client:
            tokens = register(client, 30)
            sent = client.send(APP, tokens, PAYLOAD)["message_id"]
            eventually(lambda: "APNs refuses the credential" in deployment.log(), "the alarm")
            wait_metric(deployment, f"carillon_apns_pool_parked{{{pool}}}", 1)
            write_apps(deployment, {"main": TOKEN_CREDENTIAL}, {APP: {"production": "main"}})
            reload(deployment)
            self.assertEqual(wait_finished(client, sent), {"delivered": 30})
        wait_metric(deployment, f"carillon_apns_pool_parked{{{pool}}}", 0)

    def test_apps_come_and_go(self) -> None:
        deployment = self.deployment(flags=None)
        write_apps(deployment, {"main": TOKEN_CREDENTIAL}, {OTHER_APP: {"production": "main"}})
        deployment.start()
        with deployment.client() as client:
            with self.assertRaises(crln.CarillonError) as caught:
                client.register(APP, b"\x01" * 32)
            self.assertEqual(caught.exception.code, "NOT_FOUND")
            write_apps(deployment, {"main": TOKEN_CREDENTIAL}, {APP: {"production": "main"}})
            reload(deployment)
            token, = register(client, 1)
            self.assertEqual(wait_finished(client, client.send(APP, [token], PAYLOAD)["message_id"]), {"delivered": 1})
            with self.assertRaises(crln.CarillonError) as caught:
                client.register(OTHER_APP, b"\x01" * 32)
            self.assertEqual(caught.exception.code, "NOT_FOUND")
        self.assertIn("pools_renewed=1", deployment.log())

    def test_a_reload_changes_keys_and_limits(self) -> None:
        deployment = self.deployment(simulator=None)
        with deployment.client() as old:
            new = "crln_" + "ab" * 32
            deployment.write("principals.json", {"principals": [
                {"name": "demo", "keySHA256": [sha256(new)], "grants": [{"app": "*", "roles": ["register",
                                                                                               "observe"]}]}]})
            reload(deployment)
            with self.assertRaises(crln.CarillonError):
                register(old, 1)
            with self.assertRaises(crln.CarillonError):
                deployment.client()
            with deployment.client(api_key=new) as client:
                register(client, 1)
        settings = json.loads((deployment.folder / "carillon.json").read_text())
        settings["limits"] = {"connections": 1}
        deployment.write("carillon.json", settings)
        reload(deployment)
        wait_metric(deployment, "carillon_client_connections", 0)
        with deployment.client(api_key=new):
            with self.assertRaises((crln.CarillonError, OSError)):
                deployment.client(api_key=new)
        settings["clientThreads"] = 3
        deployment.write("carillon.json", settings)
        reload(deployment, "take effect only at the next start")

    def reload_with_other_grants(self, stack: ExitStack) -> List[RawConnection]:
        """Reloads principals of which one is gone, one has fewer roles and one is the same. Returns their connections,
        which were open before and have a subscription to events under the id 3."""
        keys = ["crln_" + digit * 64 for digit in "abc"]
        everything = [{"app": "*", "roles": ["register", "send", "observe"]}]
        principals = [{"name": f"client-{key[-1]}", "keySHA256": [sha256(key)], "grants": everything} for key in keys]
        deployment = self.deployment(simulator=None, principals=principals)
        connections = [stack.enter_context(RawConnection(deployment.port, key, "open")) for key in keys]
        for raw in connections:
            raw.send(crln.encode("client", "subscribe_events", {
                "name": "", "from": crln.NOW, "apps": [], "kinds": [4], "credit": 9}, 3))
            self.assertEqual(raw.read_frame().message, "subscribe_events")
        principals[1]["grants"] = [{"app": APP, "roles": ["send"]}]
        deployment.write("principals.json", {"principals": principals[1:]})
        reload(deployment)
        return connections

    @staticmethod
    def register_on(raw: RawConnection, id: int, **fields: Any) -> None:
        """Sends a REGISTER of the device whose token is 32 bytes with the value of the id."""
        raw.send(crln.encode("client", "register", {
            "app": APP, "environment": 1, "kind": 1, "token": bytes([id]) * 32, "seen_at": 0, **fields}, id))

    def answer_to_register(self, raw: RawConnection, id: int) -> str:
        """Registers a device, and returns the name of the answer or of the error."""
        self.register_on(raw, id)
        frame = raw.read_frame()
        return crln.ERRORS[frame.fields["code"]] if frame.message == "error" else frame.message

    def test_a_reload_takes_roles_from_open_connections(self) -> None:
        """No more requests of a principal whose key was removed are executed. Other grants hold at once. The
        connections of other principals go on."""
        with ExitStack() as stack:
            gone, less, same = self.reload_with_other_grants(stack)
            last = gone.read_frame().fields
            self.assertEqual((crln.ERRORS[last["code"]], last["last_id"]), ("AUTHENTICATION_FAILED", 3))
            self.assertIsNone(gone.read_frame(), "closed at once: nothing was outstanding")
            last = less.read_frame().fields
            self.assertEqual((crln.ERRORS[last["code"]], last["last_id"]), ("DRAINING", 2**64 - 1))
            self.assertEqual(self.answer_to_register(less, 4), "FORBIDDEN")
            self.assertEqual(self.answer_to_register(same, 4), "register")

    def test_after_a_reload_only_principals_that_may_observe_get_events(self) -> None:
        with ExitStack() as stack:
            _, less, same = self.reload_with_other_grants(stack)
            self.assertEqual(less.read_frame().fields["last_id"], 2**64 - 1, "a first GOAWAY")
            self.assertEqual(self.answer_to_register(less, 4), "FORBIDDEN")
            self.assertEqual(self.answer_to_register(same, 4), "register")
            # A token is replaced, which is an event.
            self.register_on(same, 5, replaces=bytes([4]) * 32)
            self.assertEqual({same.read_frame().message, same.read_frame().message}, {"register", "event"})
            last = less.read_frame().fields
            self.assertEqual((last["last_id"], less.read_frame()), (4, None), "no event, and then the end")
            self.assertEqual(self.answer_to_register(same, 6), "register")

    def test_a_bad_file_leaves_everything_as_it_was(self) -> None:
        deployment = self.deployment()
        good = (deployment.folder / "apps.json").read_text()
        cases = [("apps.json", "not JSON", "is not JSON"),
                 ("apps.json", good.replace("AuthKey.p8", "missing.p8"), "cannot read"),
                 ("apps.json", good.replace("KEY1234567", "short"), "keyID must be"),
                 ("principals.json", '{"principals": []}', "names no principal"),
                 ("carillon.json", '{"limits": {"connections": 0}}', "limits.connections")]
        with deployment.client() as client:
            for file, text, reason in cases:
                with self.subTest(reason):
                    before = (deployment.folder / file).read_text()
                    (deployment.folder / file).write_text(text)
                    reload(deployment, "nothing is read again: everything stays as it was")
                    self.assertIn(reason, deployment.log())
                    (deployment.folder / file).write_text(before)
            token, = register(client, 1)
            self.assertEqual(wait_finished(client, client.send(APP, [token], PAYLOAD)["message_id"]), {"delivered": 1})
        deployment.client().close()
        wait_metric(deployment, 'carillon_reloads_total{result="refused"}', len(cases))

    def deployment_that_trusts_two_authorities(self) -> Deployment:
        """Starts a server over TLS, whose principals `good` and `gone` have certificates of two authorities."""
        names = "subjectAltName=DNS:{}.example.com\nextendedKeyUsage=clientAuth"
        grants = [{"app": APP, "roles": ["register"]}]
        deployment = self.deployment(simulator=None, flags=None, principals=[
            {"name": name, "certificateNames": [f"{name}.example.com"], "grants": grants} for name in ("good", "gone")])
        path = deployment.keys.path
        deployment.keys.authority("unknown-authority")
        deployment.keys.certificate("good", names.format("good"))
        deployment.keys.certificate("gone", names.format("gone"), authority="unknown-authority")
        trusted = [Path(path(name)).read_text() for name in ("authority.pem", "unknown-authority.pem")]
        Path(path("trusted.pem")).write_text("".join(trusted))
        deployment.start("--listen-certificate-file", path("server.pem"),
                         "--listen-certificate-key-file", path("server.key"),
                         "--listen-client-authorities-file", path("trusted.pem"), "--limits-drain-seconds", "1")
        return deployment

    def trust_one_authority(self, deployment: Deployment) -> None:
        """Removes the authority of `gone` from the file of the server, which has not read it yet."""
        Path(deployment.keys.path("trusted.pem")).write_text(Path(deployment.keys.path("authority.pem")).read_text())

    def test_connections_with_certificates_of_a_removed_authority_end(self) -> None:
        deployment = self.deployment_that_trusts_two_authorities()
        token = os.urandom(32)
        with deployment.tls_client("good") as good, deployment.tls_client("gone") as gone, \
                deployment.tls_client(api_key=deployment.api_key) as key:
            reload(deployment)
            for client in (good, gone, key):
                client.register(APP, token)
            self.trust_one_authority(deployment)
            reload(deployment)
            # The client reconnects without help.
            eventually(lambda: is_refused(gone, token),
                       "a client with a certificate of the removed authority is refused")
            for client in (good, key):
                self.assertEqual(client.register(APP, token)["result"], "refreshed")
            self.assertEqual(deployment.log().count("the client must connect again"), 2)

    def test_a_handshake_under_a_removed_authority_opens_no_connection(self) -> None:
        """The server has sent its part under the old authorities; the client's certificate comes after the reload."""
        deployment = self.deployment_that_trusts_two_authorities()
        with HeldHandshake(deployment, "gone") as gone, HeldHandshake(deployment, "") as key:
            self.trust_one_authority(deployment)
            reload(deployment)
            self.assertEqual(gone.finish(), b"", "closed without a preface")
            self.assertEqual(key.finish(), crln.MAGIC + b"\1" + bytes(7), "without a certificate it goes on")
        self.assertIn("the trusted authorities have changed during the handshake", deployment.log())
        with deployment.tls_client("good") as good:
            good.register(APP, os.urandom(32))


class CredentialsTests(SystemTestCase):
    """Keys, certificates and archives, several at once."""

    def archive(self, deployment: Deployment, password: str) -> None:
        """Makes push.p12 with a client certificate for the app, and a file with its password."""
        deployment.keys.certificate("push", "extendedKeyUsage=clientAuth\n" + "".join(
            f"1.2.840.113635.100.6.3.{number}=ASN1:NULL\n" for number in (1, 2)))
        subprocess.run(["openssl", "pkcs12", "-export", "-in", "push.pem", "-inkey", "push.key", "-passout",
                        f"pass:{password}", "-out", "push.p12"], cwd=deployment.folder, check=True, capture_output=True)
        (deployment.folder / "push.password").write_text(password + "\n")
        for name in ("push.p12", "push.password"):
            (deployment.folder / name).chmod(0o600)

    def test_one_server_uses_credentials_of_each_kind(self) -> None:
        deployment = self.deployment(simulator=None, flags=None)
        self.archive(deployment, "open sesame")
        write_apps(deployment, {"key": TOKEN_CREDENTIAL, "archive": {"certificateFile": "push.p12",
                                                                     "passwordFile": "push.password"},
                                "pair": {"certificateFile": "push.pem", "certificateKeyFile": "push.key"}},
                   {APP: {"production": "key", "sandbox": "archive"},
                    OTHER_APP: {"production": "pair", "sandbox": "key"}})
        code, text = check_configuration(deployment)
        self.assertEqual(code, 0, text)
        self.assertIn("2 apps, 3 credentials, 1 principal", text)
        # The certificates are valid for two more days.
        self.assertIn("credential archive: the certificate expires in 1 days", text)
        deployment.start()
        pools = {name for name in metrics(deployment) if name.startswith("carillon_apns_pool_parked")}
        self.assertEqual(len(pools), 4)
        # The server looks at its certificates when it has started.
        expiry = 'carillon_certificate_expiry_timestamp_seconds{certificate="credential pair"}'
        end = eventually(lambda: metrics(deployment).get(expiry), "the certificate has been looked at")
        self.assertLess(end - time.time(), 2.1 * 86_400)
        eventually(lambda: "a certificate expires within 7 days" in deployment.log(), "the log says so")

    def test_an_unusable_credential_says_why(self) -> None:
        deployment = self.deployment(simulator=None, flags=None)
        self.archive(deployment, "open sesame")
        cases: List[Tuple[Dict[str, Any], str, int, str]] = [
            (TOKEN_CREDENTIAL, "AuthKey.p8", 0o640, "chmod 600"),
            (TOKEN_CREDENTIAL, "AuthKey.p8", 0o604, "chmod 600"),
            ({"certificateFile": "push.p12", "passwordFile": "push.password"}, "push.password", 0o644, "chmod 600"),
            ({"certificateFile": "push.p12", "passwordFile": "push.password"}, "push.p12", 0o660, "chmod 600"),
            ({"certificateFile": "push.pem", "certificateKeyFile": "push.key"}, "push.key", 0o644, "chmod 600"),
            ({"certificateFile": "push.p12"}, "push.p12", 0o600, "another password"),
            ({"certificateFile": "push.pem", "certificateKeyFile": "apns.key"}, "push.key", 0o600, "does not belong"),
        ]
        for credential, file, mode, reason in cases:
            with self.subTest(file=file, mode=oct(mode), reason=reason):
                write_apps(deployment, {"main": credential}, {APP: {"production": "main"}})
                (deployment.folder / file).chmod(mode)
                code, text = check_configuration(deployment)
                self.assertEqual(code, 1, text)
                self.assertIn(reason, text)
                self.assertIn("credential main", text)
                self.assertNotIn("sesame", text)
                self.assertIn(reason, deployment.refused_start())
                if mode != 0o600:
                    self.assertEqual(check_configuration(deployment, "--secrets-allow-access-by-others", "true")[0], 0)
                (deployment.folder / file).chmod(0o600)


if __name__ == "__main__":
    unittest.main()
