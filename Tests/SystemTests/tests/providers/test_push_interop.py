"""Web Push and FCM against programs that share no code with Carillon: http_ece, pywebpush, py-vapid and google-auth,
both ways. What CarillonFCM and CarillonWebPush make is printed by push-vectors; push-simulator judges what the others
make."""
from __future__ import annotations

import base64
import json
import os
import subprocess
import time
import unittest
from typing import Any, Dict, Tuple

from support.environment import ROOT
from support.providers.push_simulator import PushSimulator, run_peers, run_push_vectors

VECTORS = json.loads((ROOT / "Tests/ProviderVectors/web-push.json").read_text())
CONTACT = "mailto:push@example.com"
TOKEN = "cTarget1234567890abcde:APA91b" + "x" * 134


def encode(data: bytes) -> str:
    """Base64 with the URL alphabet and without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode(text: str) -> bytes:
    """Returns the bytes of a text that `encode` has made."""
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


# A browser of cryptography: its keys, or the plaintext that http_ece reads with them.
BROWSERS = """
import base64, json, sys
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives import serialization
encode = lambda data: base64.urlsafe_b64encode(data).rstrip(b"=").decode()
browsers = []
for number in range(json.load(sys.stdin)[0]):
    key = ec.generate_private_key(ec.SECP256R1())
    point = key.public_key().public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
    browsers.append({"key": encode(key.private_numbers().private_value.to_bytes(32, "big")), "point": encode(point)})
print(json.dumps(browsers))
"""
DECRYPT = """
import base64, json, sys
import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
decode = lambda text: base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
result = []
for order in json.load(sys.stdin):
    key = ec.derive_private_key(int.from_bytes(decode(order["key"]), "big"), ec.SECP256R1())
    text = http_ece.decrypt(decode(order["body"]), private_key=key, auth_secret=decode(order["auth"]),
                            version="aes128gcm")
    result.append(base64.urlsafe_b64encode(text).rstrip(b"=").decode())
print(json.dumps(result))
"""
ENCRYPT = """
import base64, json, sys
from pywebpush import WebPusher
result = []
for order in json.load(sys.stdin):
    encoded = WebPusher(order["subscription"]).encode(order["plaintext"].encode(), content_encoding="aes128gcm")
    result.append(base64.b64encode(encoded["body"]).decode())
print(json.dumps(result))
"""
SIGN = """
import json, sys
from py_vapid import Vapid02
result = []
for order in json.load(sys.stdin):
    vapid = Vapid02.from_file(order["key"])
    result.append(vapid.sign({"sub": order["contact"], "aud": order["origin"], "exp": order["end"]})["Authorization"])
print(json.dumps(result))
"""
VERIFY = """
import json, sys
from py_vapid import Vapid02
# Its parser takes no space between the parameters, which RFC 9110, section 11.4, allows.
print(json.dumps([bool(Vapid02.verify(text.replace(", k=", ",k="))) for text in json.load(sys.stdin)]))
"""
ASSERT = """
import json, sys
from google.oauth2 import service_account
result = []
for order in json.load(sys.stdin):
    credentials = service_account.Credentials.from_service_account_info(order, scopes=[
        "https://www.googleapis.com/auth/firebase.messaging"])
    # It names Google's own endpoint whatever the key file says.
    service_account._GOOGLE_OAUTH2_TOKEN_ENDPOINT = order["token_uri"]
    made = credentials._make_authorization_grant_assertion()
    result.append(made.decode() if isinstance(made, bytes) else made)
print(json.dumps(result))
"""
CLAIMS = """
import json, sys
from google.auth import jwt
certificate, token, audience = json.load(sys.stdin)
print(json.dumps([jwt.decode_header(token), dict(jwt.decode(token, certs={"key1": certificate}, audience=audience))]))
"""


class PushEncryptionTests(unittest.TestCase):
    """Messages that are encrypted here and read there, and the other way round."""

    def test_http_ece_reads_what_we_encrypt(self) -> None:
        browsers = run_peers(BROWSERS, 20)
        texts = [os.urandom(number * 208) for number in range(len(browsers))]
        secrets = [encode(os.urandom(16)) for _ in browsers]
        orders = [{"make": "body", "plaintext": encode(text), "padding": number % 3 * 10, "subscription": json.dumps(
            {"endpoint": "https://push.example.net/x", "keys": {"p256dh": browser["point"], "auth": secret}})}
                  for number, (browser, text, secret) in enumerate(zip(browsers, texts, secrets))]
        bodies = run_push_vectors(*orders)
        read = run_peers(DECRYPT, *[{"key": browser["key"], "auth": secret, "body": body}
                                    for browser, secret, body in zip(browsers, secrets, bodies)])
        self.assertEqual([decode(text) for text in read], texts)

    def test_http_ece_reads_the_vector_of_the_rfc(self) -> None:
        vector = VECTORS["rfc8291"]
        read = run_peers(DECRYPT, {"key": vector["ua_private"], "auth": vector["auth"], "body": vector["body"]})
        self.assertEqual(read, [vector["plaintext"]])


class PushSimulatorTests(unittest.TestCase):
    """Requests of other implementations that the simulator takes, and ours beside them."""

    def setUp(self) -> None:
        self.simulator = PushSimulator(browsers=4)
        self.addCleanup(self.simulator.stop)
        self.origin = f"https://localhost:{self.simulator.port}"

    def push(self, number: int, body: bytes, authorization: str, **headers: str) -> int:
        """Sends a message to a browser and returns the status."""
        path = self.simulator.subscriptions[number]["endpoint"].removeprefix(self.origin)
        fields = {"authorization": authorization, "ttl": "60", "content-encoding": "aes128gcm",
                  "content-type": "application/octet-stream"}
        fields.update({name.replace("_", "-"): value for name, value in headers.items()})
        answer = self.simulator.curl(path, body, fields)
        self.assertEqual(answer.version, "2")
        return answer.status

    def vapid(self, end: int, origin: str = "") -> str:
        """Returns an authorization of py-vapid."""
        return run_peers(SIGN, {"key": self.simulator.path("AuthKey.p8"), "contact": CONTACT,
                                "origin": origin or self.origin, "end": end})[0]

    def test_browsers_read_what_pywebpush_encrypts_and_py_vapid_signs(self) -> None:
        texts = ["a", "Grüße 你好", "x" * 3_993]
        bodies = run_peers(ENCRYPT, *[{"subscription": self.simulator.subscriptions[number], "plaintext": text}
                                      for number, text in enumerate(texts)])
        authorization = self.vapid(int(time.time()) + 3_600)
        for number, (text, body) in enumerate(zip(texts, bodies)):
            self.assertEqual(self.push(number, base64.b64decode(body), authorization), 201)
            self.assertEqual(self.simulator.browser(number)["payload"], text)
        self.assertEqual(self.simulator.ask("stats")["web"], {"accepted": 3, "unreadable": 0, "browsers": 3})

    def test_browsers_read_what_we_encrypt_and_sign_and_py_vapid_verifies_it(self) -> None:
        subscription = json.dumps(self.simulator.subscriptions[0])
        body, authorization = run_push_vectors(
            {"make": "body", "subscription": subscription, "plaintext": encode("Grüße".encode()), "padding": 9},
            {"make": "authorization", "subscription": subscription, "key": self.simulator.path("AuthKey.p8"),
             "contact": CONTACT, "now": int(time.time())})
        self.assertEqual(run_peers(VERIFY, authorization), [True])
        self.assertEqual(self.push(0, decode(body), authorization, urgency="high", topic="A" * 32), 201)
        browser = self.simulator.browser(0)
        self.assertEqual((browser["payload"], browser["urgency"], browser["topic"]), ("Grüße", "high", "A" * 32))

    def test_a_token_that_is_too_long_or_for_another_origin_is_refused(self) -> None:
        [body] = run_peers(ENCRYPT, {"subscription": self.simulator.subscriptions[0], "plaintext": "x"})
        for authorization in (self.vapid(int(time.time()) + 90_000), self.vapid(int(time.time()) - 1),
                              self.vapid(int(time.time()) + 60, origin="https://push.example.net")):
            self.assertEqual(self.push(0, base64.b64decode(body), authorization), 403)

    # FCM

    def access_token(self, form: str) -> Dict[str, Any]:
        """Exchanges an assertion for an access token; returns the status beside the members of the answer."""
        answer = self.simulator.curl("/token", form.encode(), {"content-type": "application/x-www-form-urlencoded"})
        return {"status": answer.status, **json.loads(answer.body)}

    def test_google_auth_makes_an_assertion_that_the_simulator_takes(self) -> None:
        [assertion] = run_peers(ASSERT, self.simulator.account)
        grant = "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"
        answer = self.access_token(f"grant_type={grant}&assertion={assertion}")
        self.assertEqual((answer["status"], answer["token_type"]), (200, "Bearer"))

    def test_google_auth_verifies_our_assertion_and_the_simulator_takes_it(self) -> None:
        now = int(time.time())
        [form] = run_push_vectors({"make": "assertion", "account": self.simulator.path("account.json"), "now": now})
        token = form.partition("assertion=")[2]
        public = self.simulator.path("google.pub")
        subprocess.run(["openssl", "pkey", "-in", self.simulator.path("google.key"), "-pubout", "-out", public],
                       check=True)
        with open(public, encoding="ascii") as file:
            header, claims = run_peers(CLAIMS, file.read(), token, self.simulator.account["token_uri"])
        self.assertEqual(header, {"alg": "RS256", "typ": "JWT", "kid": "key1"})
        self.assertEqual(claims, {
            "iss": "sender@game.example", "scope": "https://www.googleapis.com/auth/firebase.messaging",
            "aud": self.simulator.account["token_uri"], "iat": now, "exp": now + 3_600})
        self.assertEqual(self.access_token(form)["status"], 200)

    def send(self, body: str, token: str) -> Any:
        """Sends a message to FCM, without authorization if there is no token."""
        headers = {"content-type": "application/json", **({"authorization": f"Bearer {token}"} if token else {})}
        return self.simulator.curl("/v1/projects/game/messages:send", body.encode(), headers)

    def message_and_access_token(self) -> Tuple[str, str]:
        """Returns a message that Carillon has made, and an access token for it."""
        [form, message] = run_push_vectors(
            {"make": "assertion", "account": self.simulator.path("account.json"), "now": int(time.time())},
            {"make": "message", "token": TOKEN, "payload": json.dumps(
                {"aps": {"alert": {"title": "T", "loc-key": "K", "loc-args": ["a"]}, "badge": 2, "sound": "s"},
                 "level": 5}), "android": '{"ttl":"60s","notification":{"channelId":"c","color":"#ff00aa"}}'})
        return message, self.access_token(form)["access_token"]

    def test_the_simulator_takes_our_message(self) -> None:
        message, token = self.message_and_access_token()
        answer = self.send(message, token)
        self.assertEqual((answer.status, answer.version), (200, "2"))
        payload = json.loads(self.simulator.ask(f"device {TOKEN}")["payload"])["message"]
        self.assertEqual(payload["data"], {"level": "5"})
        self.assertEqual(payload["android"]["notification"]["channel_id"], "c")

    def test_every_answer_of_the_simulator_has_its_verdict(self) -> None:
        message, token = self.message_and_access_token()
        for rule, body, bearer, verdict in (
                ({"token": TOKEN, "state": "unregistered"}, message, token, "token-unregistered none"),
                ({"token": TOKEN, "state": "sender-mismatch"}, message, token, "forbidden none"),
                ({"token": TOKEN, "state": "third-party"}, message, token, "forbidden none"),
                ({"token": TOKEN, "state": "device-quota"}, message, token, "later none"),
                ({"token": TOKEN, "state": "apns-unregistered"}, message, token, "token-unregistered none"),
                ({"status": 429, "times": 1, "info": "RATE_LIMIT_EXCEEDED"}, message, token,
                 "later slowDown(afterMilliseconds: nil)"),
                ({"status": 503, "times": 1}, message, token, "later countServerError"),
                ({"status": 500, "times": 1}, message, token, "later countServerError"),
                ({"status": 502, "times": 1, "html": True}, message, token, "later countServerError"),
                (None, message.replace(TOKEN, "abc"), token, "bad-token none"),
                (None, message.replace('"60s"', '"60"'), token, "bad-request none"),
                (None, message.replace("title", "titel"), token, "bad-request none"),
                (None, message, "", "notProcessed replaceAccessToken"),
                (None, message, "x", "notProcessed replaceAccessToken")):
            with self.subTest(rule=rule, bearer=bearer, verdict=verdict):
                if rule:
                    self.assertEqual(self.simulator.ask("rule " + json.dumps(rule)), {"ok": True})
                answer = self.send(body, bearer)
                found = run_push_vectors({"make": "verdict", "status": answer.status, "body": answer.body})
                self.assertEqual(found, [verdict])


if __name__ == "__main__":
    unittest.main()
