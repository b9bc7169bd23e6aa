"""Client certificates instead of provider keys, against the APNs simulator."""
from __future__ import annotations

import os
import subprocess
import unittest
from typing import Any, Dict, Optional, Sequence

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


class ClientCertificatesTests(SystemTestCase):
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


if __name__ == "__main__":
    unittest.main()
