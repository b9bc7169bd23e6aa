"""HTTP for services: requests as JSON, refusals, bounds, events; real processes."""
from __future__ import annotations

import json
import signal
import socket
import threading
import time
import unittest
from typing import Any, Dict, List

from support.clients.web import Answer, HTTPClient, ServiceAPI, status_line
from support.deployment import APP, Deployment, eventually, sha256
from support.environment import TIMEOUT_SECONDS, crln
from support.system_test_case import SystemTestCase

TOKEN = "ab" * 32


class HTTPTestCase(SystemTestCase):
    """A test with HTTP for services."""

    def api(self, **options: Any) -> ServiceAPI:
        """Starts a deployment with the port."""
        self.server = self.deployment(flags=None, **options)
        file = self.server.keys.path("http.port")
        self.server.start("--http-port", "0", "--http-port-file", file)
        with open(file, encoding="utf-8") as number:
            api = ServiceAPI(int(number.read()), self.server.api_key)
        self.addCleanup(api.close)
        return api

    def assert_refused(self, answer: Answer, status: int, code: str) -> None:
        """Asserts that a request was refused with this status and code."""
        self.assertEqual((answer.status, answer.code), (status, code), answer.body)


class HTTPRequestsTests(HTTPTestCase):
    """The requests of the protocol."""

    def test_a_message_goes_from_registration_to_outcome(self) -> None:
        api = self.api()
        added = api.call("register", {"app": APP, "environment": "production", "kind": "device", "token": TOKEN,
                                       "groups": ["user/ada"], "attributes": [{"key": "platform", "value": "ios"}]})
        self.assertEqual(added.json(), {"device_id": 1, "result": "created"})
        self.assertNotIn("carillon-position", added.headers)
        found = api.call("lookup", {"app": APP, "device": {"token": TOKEN}}).json()
        self.assertEqual((found["device_id"], found["state"], found["attributes"]),
                         (1, "active", [{"key": "platform", "value": "ios"}]))
        payload = {"aps": {"alert": {"title": "Ada", "body": "a  b"}}, "n": 9007199254740993}
        message = {"app": APP, "push_type": "alert", "audience": "condition", "condition": "'user/ada' in groups",
                   "payload": payload, "label": "raid"}
        self.assertEqual(api.call("send", {**message, "dry_run": True}).json()["total"], 1)
        sent = api.call("send", message).json()
        self.assertEqual(sent, {"message_id": 1, "duplicate": False, "total": 1, "ended": 0})

        def finished() -> Any:
            status = api.call("message_status", {"app": APP, "message_id": 1}).json()
            return status if status["state"] == "finished" else None

        status = eventually(finished, "the message is finished")
        self.assertEqual(status["outcomes"], [{"outcome": "delivered", "devices": 1}])
        self.assertEqual((status["label"], status["sender"], status["audience"]),
                         ("raid", "demo", "'user/ada' in groups"))
        # A number beyond the range of a double goes to APNs as it stands.
        self.assertEqual(self.server.pushes()[0]["payload"], json.dumps(payload, separators=(",", ":")))
        trace = api.call("trace", {"app": APP, "message_id": 1, "device": 1}).json()
        self.assertEqual((trace["outcome"], trace["attempts"][0]["status"]), ("delivered", 200))

    def test_the_trace_of_a_request_is_in_the_log_the_status_and_the_events(self) -> None:
        api = self.api()
        ids = [f"{number:032x}" for number in (0xABC, 0xDEF)]
        traces = [f"00-{each}-b7ad6b7169203331-01" for each in ids]
        api.call("register", {"app": APP, "environment": "production", "kind": "device", "token": TOKEN,
                              "topics": ["level5"]})
        message = {"app": APP, "push_type": "alert", "audience": "topic", "topic": "level5",
                   "payload": {"aps": {"alert": "x"}}}
        api.call("send", message, traceparent=traces[0])
        # What the body says is nearer to the message than the header.
        api.call("send", {**message, "traceparent": traces[1]}, traceparent=traces[0])
        # As W3C Trace Context asks: a header that is not valid counts for nothing, and neither does one of another
        # request.
        self.assertEqual(api.call("send", message, traceparent="00-" + "0" * 32 + "-1-01").status, 200)
        self.assertEqual(api.call("topics", {"app": APP}, traceparent=traces[0]).status, 200)
        self.assertEqual(api.call("send", {**message, "traceparent": "x"}).json()["error"]["field"], "traceparent")
        found = [api.call("message_status", {"app": APP, "message_id": number}).json().get("traceparent")
                 for number in (1, 2, 3)]
        self.assertEqual(found, [*traces, None])
        lines = [line for line in self.server.log().splitlines() if "message accepted" in line]
        self.assertEqual([next((each for each in ids if f"trace_id={each}" in line), None) for line in lines],
                         [*ids, None])
        self.assertIn("span_id=b7ad6b7169203331", lines[0])
        with self.server.client() as client, \
                client.events(kinds=["message-finished"], start=crln.OLDEST) as stream:
            finished = [stream.take(60) for _ in range(3)]
        self.assertEqual({event["message_id"]: event.get("traceparent") for event in finished},
                         {1: traces[0], 2: traces[1], 3: None})
        # The same message of another span is the same message: a key is not refused for it.
        key = "6f1c9a52-0d5e-4b7c-9a31-2f60e3f6f001"
        first = api.call("send", {**message, "key": key, "traceparent": traces[0]}).json()
        again = api.call("send", {**message, "key": key, "traceparent": traces[1]}).json()
        self.assertEqual((again["message_id"], again["duplicate"]), (first["message_id"], True))

    def test_an_idempotency_key_is_a_header_or_a_field(self) -> None:
        api = self.api()
        key = "6f1c9a52-0d5e-4b7c-9a31-2f60e3f6f001"
        message = {"app": APP, "push_type": "alert", "audience": "all", "payload": {"aps": {"alert": "x"}}}
        first = api.call("send", message, Idempotency_Key=key).json()
        self.assertEqual(api.call("send", {**message, "key": key}).json(), {**first, "duplicate": True})
        other = {**message, "payload": {"aps": {"alert": "y"}}}
        self.assert_refused(api.call("send", other, Idempotency_Key=key), 409, "IDEMPOTENCY_CONFLICT")
        self.assert_refused(api.call("send", message, Idempotency_Key="no"), 400, "INVALID_ARGUMENT")

    def test_pages_go_on_where_the_last_one_ended(self) -> None:
        api = self.api()
        items = [{"app": APP, "environment": "production", "kind": "device", "token": f"{number:064x}",
                  "topics": [f"level{number}"]} for number in range(1, 6)]
        self.assertEqual([each["code"] for each in api.call("register_batch", {"items": items}).json()["results"]],
                         [None] * 5)
        found: List[str] = []
        after = ""
        while True:
            page = api.call("topics", {"app": APP, "limit": 2, "after": after}).json()
            found += [each["topic"] for each in page["topics"]]
            after = page["next"]
            if not after:
                break
        self.assertEqual(found, [f"level{number}" for number in range(1, 6)])
        page = api.call("devices", {"app": APP, "limit": 3}).json()
        self.assertEqual([each["device_id"] for each in page["devices"]], [1, 2, 3])
        page = api.call("devices", {"app": APP, "cursor": page["next"]}).json()
        self.assertEqual(([each["device_id"] for each in page["devices"]], page["next"]), ([4, 5], "0"))

    def test_errors_are_those_of_the_protocol(self) -> None:
        reader = "crln_reader"
        api = self.api(principals=[{"name": "reader", "keySHA256": [sha256(reader)],
                                      "grants": [{"app": APP, "roles": ["observe"]}]}])
        self.assert_refused(api.call("lookup", {"app": APP, "device": 7}), 404, "NOT_FOUND")
        self.assert_refused(api.call("lookup", {"app": "no.such", "device": 7}), 404, "NOT_FOUND")
        self.assert_refused(api.call("lookup", {"app": "no.such", "device": 7}, key=reader), 403, "FORBIDDEN")
        self.assert_refused(api.call("statistics", {}, key=reader), 403, "FORBIDDEN")
        refused = api.call("explain", {"app": APP, "condition": "'a' in topics &&"})
        self.assert_refused(refused, 400, "INVALID_ARGUMENT")
        self.assertEqual((refused.json()["error"]["column"], refused.json()["error"]["field"]), (17, "condition"))
        long = api.call("send", {"app": APP, "push_type": "alert", "audience": "all", "payload": {"x": "y" * 5000}})
        self.assert_refused(long, 413, "TOO_LARGE")
        self.assertEqual(long.json()["error"]["limit"], 4096)

    def test_the_description_has_every_request(self) -> None:
        api = self.api()
        answer = api.request("GET", "/v1/openapi.json")
        document = answer.json()
        self.assertEqual((answer.status, document["openapi"]), (200, "3.1.0"))
        for path, methods in document["paths"].items():
            self.assertEqual(list(methods), ["post"], path)
            if path != "/v1/events":
                # Each path is served: either an empty object is such a request, or it is refused for its fields.
                answer = api.call(path.removeprefix("/v1/"), {})
                self.assertNotEqual(answer.json().get("error", {}).get("message"), "there is no such request", path)


class HTTPRefusalsTests(HTTPTestCase):
    """What is not a request of a service."""

    def test_bad_heads_are_refused(self) -> None:
        api = self.api()
        bearer = f"Bearer {api.key}"
        kind = "application/json"
        cases: List[Any] = [
            ("GET", "/", {}, 404, "NOT_FOUND"),
            ("GET", "/v1/statistics", {}, 405, "METHOD_NOT_ALLOWED"),
            ("DELETE", "/v1/statistics", {}, 405, "METHOD_NOT_ALLOWED"),
            ("OPTIONS", "/v1/statistics", {"Origin": "http://evil.example"}, 405, "METHOD_NOT_ALLOWED"),
            ("POST", "/v1/openapi.json", {}, 405, "METHOD_NOT_ALLOWED"),
            ("POST", "/v1/statistics", {"Authorization": bearer}, 415, "UNSUPPORTED_MEDIA_TYPE"),
            ("POST", "/v1/statistics", {"Authorization": bearer, "Content_Type": "text/plain"}, 415,
             "UNSUPPORTED_MEDIA_TYPE"),
            ("POST", "/v1/statistics", {"Content_Type": kind}, 401, "AUTHENTICATION_FAILED"),
            ("POST", "/v1/statistics", {"Content_Type": kind, "Authorization": "Basic YTpi"}, 401,
             "AUTHENTICATION_FAILED"),
            ("POST", "/v1/statistics", {"Content_Type": kind, "Cookie": f"key={api.key}"}, 401,
             "AUTHENTICATION_FAILED"),
            ("POST", "/v1/hello", {"Content_Type": kind, "Authorization": bearer}, 404, "NOT_FOUND"),
            ("POST", "/v1/auth", {"Content_Type": kind, "Authorization": bearer}, 404, "NOT_FOUND"),
            ("POST", "/v1/../metrics", {"Content_Type": kind, "Authorization": bearer}, 404, "NOT_FOUND"),
        ]
        for method, path, headers, status, code in cases:
            with self.subTest(f"{method} {path} {headers}"):
                answer = api.request(method, path, **headers)
                self.assert_refused(answer, status, code)
                self.assertNotIn("access-control-allow-origin", answer.headers)

    def test_bad_bodies_are_refused(self) -> None:
        api = self.api()
        headers = {"Authorization": f"Bearer {api.key}", "Content-Type": "application/json"}
        for body, code in [(b"{", "MALFORMED"), (b"[]", "MALFORMED"), (b"null", "MALFORMED"), (b"\xff", "MALFORMED"),
                           (b"[" * 100_000, "MALFORMED"), (b'{"limit":1,"limit":1}', "MALFORMED"),
                           (b"[" + b"0," * 300_000 + b"0]", "MALFORMED"), (b'{"color":1}', "INVALID_ARGUMENT")]:
            with self.subTest(body[:20]):
                self.assert_refused(api.request("POST", "/v1/statistics", body, **headers), 400, code)
        self.assertEqual(api.call("statistics", {}).status, 200)

    def test_wrong_keys_are_slow_and_a_good_one_in_use_is_not(self) -> None:
        api = self.api()
        self.assertEqual(api.call("statistics", {}).status, 200)
        began = time.monotonic()
        seen = [api.call("statistics", {}, key=f"wrong{number}") for number in range(1_000)]
        statuses = [answer.status for answer in seen]
        self.assertEqual((statuses[:5], set(statuses)), ([401] * 5, {401, 429}))
        # Five at once, and one more each six seconds.
        self.assertLessEqual(statuses.count(401), 6 + (time.monotonic() - began) / 6)
        self.assertGreater(min(int(answer.headers["retry-after"]) for answer in seen if answer.status == 429), 0)
        # The link of this key is open already.
        self.assertEqual(api.call("statistics", {}).status, 200)

    def test_a_withdrawn_key_is_refused_at_once(self) -> None:
        api = self.api()
        other = "crln_other"
        grants = [{"app": APP, "roles": ["observe"]}]
        everyone = json.loads((self.server.folder / "principals.json").read_text())
        with_other = {"principals": [*everyone["principals"],
                                     {"name": "other", "keySHA256": [sha256(other)], "grants": grants}]}
        self.server.write("principals.json", with_other)
        self.server.server.send_signal(signal.SIGHUP)
        eventually(lambda: api.call("topics", {"app": APP}, key=other).status == 200, "the key is known", pause=0.5)
        self.server.write("principals.json", everyone)
        self.server.server.send_signal(signal.SIGHUP)
        eventually(lambda: api.call("topics", {"app": APP}, key=other).status == 401, "the key is withdrawn")


class HTTPBoundsTests(HTTPTestCase):
    """What a peer sends costs memory and time within bounds."""

    def test_heads_and_bodies_have_limits(self) -> None:
        api = self.api()
        head = (f"POST /v1/statistics HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {api.key}\r\n"
                "Content-Type: application/json\r\n")
        for what, data, expected in [
                ("a long field", f"{head}X: {'y' * 20_000}\r\n\r\n".encode(), "HTTP/1.1 431"),
                ("many fields", (head + "".join(f"X{number}: y\r\n" for number in range(80)) + "\r\n").encode(),
                 "HTTP/1.1 431"),
                ("a long path", f"GET /{'y' * 20_000} HTTP/1.1\r\nHost: x\r\n\r\n".encode(), "HTTP/1.1 431"),
                ("a long body", f"{head}Content-Length: 4000000\r\n\r\n".encode(), "HTTP/1.1 413"),
                ("a length below zero", f"{head}Content-Length: -1\r\n\r\n".encode(), "HTTP/1.1 400"),
                ("two lengths", f"{head}Content-Length: 1\r\nContent-Length: 2\r\n\r\n".encode(), "HTTP/1.1 400"),
                ("a length and chunks", f"{head}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n".encode(),
                 "HTTP/1.1 400"),
                ("an old version", b"GET /v1/openapi.json HTTP/1.0\r\n\r\n", "HTTP/1.1 400"),
                ("no HTTP", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc", "HTTP/1.1 400"),
        ]:
            with self.subTest(what):
                self.assertEqual(status_line(api.raw(data))[0][:12], expected)
        chunks = b"".join(b"10000\r\n" + b" " * 65_536 + b"\r\n" for _ in range(60))
        # The server may close before the client has sent all, and the answer is lost then; the next one is not.
        received = api.raw(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode() + chunks)
        self.assertIn(status_line(received)[0][:12], ("HTTP/1.1 413", ""))
        self.assertEqual(api.call("statistics", {}).status, 200)

    def test_idle_connections_keep_no_request_out(self) -> None:
        api = self.api()
        peers = [socket.create_connection(("127.0.0.1", api.port), TIMEOUT_SECONDS) for _ in range(400)]
        try:
            self.assertEqual(api.call("statistics", {}).status, 200)
        finally:
            for peer in peers:
                peer.close()

    def test_a_reader_of_events_that_reads_nothing_costs_no_memory(self) -> None:
        api = self.api()
        head = (f"POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {api.key}\r\n"
                "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
        with socket.socket() as peer:
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            peer.connect(("127.0.0.1", api.port))
            peer.sendall(head.encode())
            self.assertIn(b"200 OK", peer.recv(15))
            message = {"app": APP, "push_type": "alert", "audience": "devices", "payload": {"aps": {"alert": "x"}}}
            before = self.server.heap_bytes
            for _ in range(30):
                devices = [{"token": f"{number:064x}"} for number in range(1, 60)]
                self.assertEqual(api.call("send", {**message, "devices": devices}).status, 200)
            self.assertLess(self.server.heap_bytes - before, 32 << 20)


class HTTPEventsTests(HTTPTestCase):
    """Events as lines of JSON."""

    def test_events_come_as_they_happen_and_begin_where_the_caller_was(self) -> None:
        api = self.api()
        first: Dict[str, Any] = {}
        subscribed = threading.Event()

        def read() -> None:
            body = json.dumps({"kinds": ["message-finished"]}).encode()
            with socket.create_connection(("127.0.0.1", api.port), TIMEOUT_SECONDS) as peer:
                peer.sendall((f"POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {api.key}\r\n"
                              f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n").encode() + body)
                lines = peer.makefile("rb")
                while lines.readline() != b"\r\n":
                    pass
                subscribed.set()
                for line in lines:
                    if line.startswith(b"{"):
                        first.update(json.loads(line))
                        return

        reader = threading.Thread(target=read)
        reader.start()
        self.assertTrue(subscribed.wait(TIMEOUT_SECONDS))
        message = {"app": APP, "push_type": "alert", "audience": "all", "payload": {"aps": {"alert": "x"}}}
        self.assertEqual(api.call("send", message).json()["message_id"], 1)
        reader.join(TIMEOUT_SECONDS)
        self.assertEqual((first["kind"], first["message_id"]), ("message-finished", 1))

    def test_a_subscription_that_cannot_be_is_refused(self) -> None:
        api = self.api()
        self.assert_refused(api.call("events", {"name": "a"}), 400, "INVALID_ARGUMENT")
        self.assert_refused(api.call("events", {"kinds": ["no-such"]}), 400, "INVALID_ARGUMENT")
        self.assert_refused(api.call("events", {"apps": ["no.such.app"]}), 404, "NOT_FOUND")


class HTTPExposureTests(SystemTestCase):
    """Where the port may listen."""

    def test_outside_loopback_it_needs_a_certificate(self) -> None:
        deployment = Deployment(flags=None)
        self.addCleanup(deployment.stop)
        self.assertIn("http.host", deployment.refused_start("--http-port", "0", "--http-host", "0.0.0.0"))
        self.assertIn("console.host", deployment.refused_start("--console-port", "0", "--console-host", "0.0.0.0"))

    def test_the_http_port_is_closed_by_default(self) -> None:
        deployment = self.deployment()
        self.assertNotIn("HTTP for services", deployment.log())
        self.assertEqual(HTTPClient(deployment.port).raw(b"GET / HTTP/1.1\r\n\r\n"), b"")


if __name__ == "__main__":
    unittest.main()
