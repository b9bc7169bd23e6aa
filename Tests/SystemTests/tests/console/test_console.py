"""The console without a browser: who gets in, who may do what, what every answer has; real processes."""
from __future__ import annotations

import gzip
import http.client
import json
import re
import signal
import ssl
import time
import unittest
from typing import Any, Dict, List, Optional

from support.clients.web import Console, HTTPClient, status_line
from support.deployment import APP, OTHER_APP, Deployment, eventually, sha256
from support.system_test_case import SystemTestCase

# The roles of principals that have some for APP only.
ROLES = {"observer": ["observe"], "sender": ["send"], "registrar": ["register"]}


class ConsoleTestCase(SystemTestCase):
    def console(self, *flags: str, principals: Optional[List[Dict[str, Any]]] = None, http: bool = False) -> Console:
        """Starts a deployment with a console, and with `http` the service API; its principals have one role each for
        APP."""
        grants = [{"name": name, "keySHA256": [sha256(f"crln_{name}")], "grants": [{"app": APP, "roles": roles}]}
                  for name, roles in ROLES.items()]
        everywhere = {"name": "watcher", "keySHA256": [sha256("crln_watcher")],
                      "grants": [{"app": "*", "roles": ["observe"]}]}
        self.server = self.deployment(flags=None, principals=principals or [*grants, everywhere])
        file = self.server.keys.path("console.port")
        if http:
            flags += ("--http-port", "0", "--http-port-file", self.server.keys.path("http.port"))
        self.server.start("--console-port", "0", "--console-port-file", file, *flags)
        with open(file, encoding="utf-8") as number:
            console = Console(int(number.read()))
        self.addCleanup(console.close)
        return console

    def keys(self) -> Dict[str, str]:
        """Returns the key of each principal."""
        return {"demo": self.server.api_key, **{name: f"crln_{name}" for name in ("watcher", *ROLES)}}

    def other(self, console: Console) -> Console:
        """Another browser."""
        other = Console(console.port)
        self.addCleanup(other.close)
        return other


class ConsoleFilesTests(ConsoleTestCase):
    """The files of the pages."""

    def test_every_answer_forbids_what_the_pages_do_not_need(self) -> None:
        console = self.console()
        page = console.request("GET", "/")
        self.assertEqual((page.status, page.headers["content-type"]), (200, "text/html; charset=utf-8"))
        found = [page, console.request("GET", "/no-such-page"), console.api("session"),
                 console.api("login", {"key": "x"}),
                 console.request("PUT", "/"), console.request("GET", "/api/session")]
        assets = re.findall(r'(?:href|src)="(/assets/[^"]+)"', page.body.decode())
        self.assertEqual(len(assets), 4)
        found += [console.request("GET", path) for path in assets]
        for answer in found:
            policy = answer.headers["content-security-policy"]
            for part in ("default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'",
                         "base-uri 'none'", "form-action 'self'", "require-trusted-types-for 'script'"):
                self.assertIn(part, policy)
            self.assertNotIn("unsafe", policy)
            self.assertEqual((answer.headers["x-content-type-options"], answer.headers["x-frame-options"],
                              answer.headers["referrer-policy"], answer.headers["cross-origin-opener-policy"]),
                             ("nosniff", "DENY", "no-referrer", "same-origin"))
            self.assertFalse([name for name in answer.headers if name.startswith("access-control")])
        for answer in found[-4:]:
            self.assertIn("immutable", answer.headers["cache-control"])
        self.assertEqual(console.api("session").headers["cache-control"], "no-store")

    def test_a_compressed_page_is_the_same_file(self) -> None:
        console = self.console()
        page = console.request("GET", "/").body.decode()
        files = set(re.findall(r'"(/assets/[^"]+)"', page))
        app = next(path for path in files if path.endswith("/app.js"))
        imported = re.findall(r"from '\./([\w.]+)'", console.request("GET", app).body.decode())
        files |= {app.replace("app.js", name) for name in imported}
        self.assertGreater(len(files), 10)
        total, sent = 0, 0
        for path in files:
            plain, short = console.request("GET", path), console.request("GET", path, Accept_Encoding="gzip, br")
            self.assertEqual((plain.headers.get("content-encoding"), short.headers["content-encoding"]), (None, "gzip"))
            self.assertEqual((plain.headers["vary"], short.headers["vary"]), ("accept-encoding", "accept-encoding"))
            self.assertEqual(gzip.decompress(short.body), plain.body)
            total, sent = total + len(plain.body), sent + len(short.body)
        self.assertLess(sent, total / 2)

    def test_pages_have_nothing_inline_and_nothing_from_elsewhere(self) -> None:
        console = self.console()
        page = console.request("GET", "/").body.decode()
        self.assertFalse(re.findall(r"<script(?![^>]*src=)|\son\w+=|\sstyle=|https?://", page))
        for path in re.findall(r'"(/assets/[^"]+)"', page):
            text = console.request("GET", path).body.decode()
            self.assertFalse(re.findall(
                r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\(|new Function", text), path)
            self.assertFalse(re.findall(r"https?://(?!www\.w3\.org)", text), path)


class ConsoleLogInTests(ConsoleTestCase):
    """Sessions."""

    def test_a_session_begins_with_a_key_and_ends_with_the_log_out(self) -> None:
        console = self.console()
        self.assertEqual(console.api("session").status, 401)
        answer = console.log_in(self.server.api_key)
        self.assertEqual((answer.status, answer.json()["principal"]), (200, "demo"))
        cookie = answer.headers["set-cookie"]
        for part in ("HttpOnly", "SameSite=Strict", "Path=/"):
            self.assertIn(part, cookie)
        self.assertNotIn("Domain", cookie)
        self.assertNotIn(self.server.api_key, cookie + answer.body.decode())
        self.assertEqual(console.api("v1/statistics").status, 200)
        old = console.cookie
        self.assertIn("Max-Age=0", console.api("logout").headers["set-cookie"])
        self.assertEqual(console.api("session", Cookie=old).status, 401)
        self.assertIn("a session of the console has begun", self.server.log())

    def test_a_cookie_that_is_planted_beside_the_right_one_logs_out(self) -> None:
        console = self.console()
        console.log_in(self.server.api_key)
        name = console.cookie.partition("=")[0]
        self.assertEqual(console.api("session", Cookie=f"{name}=evil; {console.cookie}").status, 401)
        self.assertEqual(console.api("session", Cookie=f"a=b; {console.cookie}").status, 200)
        self.assertEqual(console.api("session", Cookie=f"{name}=").status, 401)

    def test_a_thousand_log_ins_with_wrong_keys_are_slow_and_end_no_session(self) -> None:
        console = self.console()
        console.log_in(self.server.api_key)
        wrong = self.other(console)
        began = time.monotonic()
        seen = [wrong.log_in(f"wrong{number}").status for number in range(1_000)]
        self.assertEqual(set(seen), {401, 429})
        # Five at once, and one more each six seconds.
        self.assertLessEqual(seen.count(401), 6 + (time.monotonic() - began) / 6)
        # The session that has begun goes on.
        self.assertEqual(console.api("session").status, 200)

    def test_sessions_are_bounded_and_the_one_used_least_gives_way(self) -> None:
        console = self.console()
        console.log_in(self.server.api_key)
        before = self.server.heap_bytes
        others = self.other(console)
        for _ in range(1_000):
            self.assertEqual(others.log_in(self.server.api_key).status, 200)
        self.assertEqual(console.api("session").status, 401)
        self.assertEqual(others.api("session").status, 200)
        self.assertLess(self.server.heap_bytes - before, 64 << 20)

    def test_a_withdrawn_key_ends_its_sessions(self) -> None:
        console = self.console()
        self.assertEqual(console.log_in("crln_observer").status, 200)
        everyone = json.loads((self.server.folder / "principals.json").read_text())
        self.server.write("principals.json", {
            "principals": [each for each in everyone["principals"] if each["name"] != "observer"]})
        self.server.server.send_signal(signal.SIGHUP)
        eventually(lambda: console.api("session").status == 401, "the session has ended")


class ConsoleOriginsTests(ConsoleTestCase):
    """Pages of other sites."""

    def test_a_request_of_another_site_is_refused(self) -> None:
        console = self.console()
        console.log_in(self.server.api_key)
        here = f"http://127.0.0.1:{console.port}"
        for headers, status in [
                ({"Sec-Fetch-Site": "cross-site"}, 403), ({"Sec-Fetch-Site": "same-site"}, 403),
                ({"Sec-Fetch-Site": "none"}, 403),
                ({"Sec-Fetch-Site": "same-origin", "Origin": "http://evil.example"}, 403),
                ({"Sec-Fetch-Site": "same-origin", "Origin": "null"}, 403), ({"Origin": "null"}, 403), ({}, 403),
                ({"Origin": f"http://127.0.0.1:{console.port + 1}"}, 403), ({"Origin": here}, 200),
                ({"Sec-Fetch-Site": "same-origin", "Origin": here}, 200)]:
            with self.subTest(headers):
                given = {"Content-Type": "application/json", "Cookie": console.cookie, **headers}
                self.assertEqual(console.request("POST", "/api/v1/statistics", b"{}", **given).status, status)
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
            self.assertEqual(console.api("v1/statistics", {}, **{"Content-Type": kind}).status, 415)

    def test_a_request_to_another_host_name_is_refused(self) -> None:
        console = self.console("--console-names", "push.internal carillon.example")
        for host, status in [("evil.example", 421), ("127.0.0.1.evil.example", 421), ("push.internal", 200),
                             ("carillon.example:8443", 200), (f"localhost:{console.port}", 200), ("[::1]:1", 200),
                             ("", 421)]:
            with self.subTest(host):
                received = console.raw(f"GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
                self.assertEqual(int(status_line(received)[0].split()[1]), status)
        received = console.raw(b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
        self.assertIn(status_line(received)[0].split()[1], ("400", "421"))


class ConsoleRightsTests(ConsoleTestCase):
    """Each route for each role: what a page may do is what the key may do."""

    ROUTES = [("v1/statistics", {}, {"demo", "watcher"}), ("overview", {}, {"demo", "watcher"}),
              ("settings", {}, {"demo", "watcher"}),
              ("v1/messages", {"app": APP}, {"demo", "watcher", "observer", "sender"}),
              ("message", {"app": APP, "message_id": 1}, {"demo", "watcher", "observer", "sender"}),
              ("content", {"app": APP, "message_id": 1}, {"demo", "watcher", "observer", "sender"}),
              ("v1/lookup", {"app": APP, "device": 1}, {"demo", "watcher", "observer", "registrar"}),
              ("v1/topics", {"app": APP}, {"demo", "watcher", "observer", "registrar"}),
              ("v1/topics", {"app": OTHER_APP}, {"demo", "watcher"}),
              ("v1/update_message", {"app": APP, "message_id": 1, "action": "pause"}, {"demo", "sender"}),
              ("v1/send", {"app": APP, "push_type": "alert", "audience": "all", "payload": {"aps": {}},
                           "dry_run": True},
               {"demo", "sender"}),
              ("v1/update_device", {"app": APP, "device": 1, "muted": True}, {"demo", "registrar"}),
              ("v1/unregister", {"app": APP, "device": 99}, {"demo", "registrar"}),
              ("v1/devices", {"app": APP}, {"demo"}),
              ("v1/explain", {"app": APP, "condition": "'a' in topics"}, {"demo", "watcher", "observer", "sender"})]

    def test_each_route_is_served_to_its_roles_and_methods(self) -> None:
        console = self.console()
        with self.server.client() as client:
            client.register(APP, b"\x01" * 32)
            client.send(APP, [b"\x01" * 32], {"aps": {"alert": "x"}})
        for name, key in self.keys().items():
            browser = self.other(console)
            self.assertEqual(browser.log_in(key).status, 200)
            for path, fields, allowed in self.ROUTES:
                with self.subTest(f"{name} {path}"):
                    answer = browser.api(path, fields)
                    is_refused = answer.status == 403
                    self.assertEqual(is_refused, name not in allowed, answer.body[:200])
                    self.assertIn(answer.status, (200, 403, 404))
                    for method in ("GET", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"):
                        self.assertEqual(browser.request(method, f"/api/{path}", Cookie=browser.cookie,
                                                         Sec_Fetch_Site="same-origin").status, 405)
        logged_out = self.other(console)
        for path, fields, _ in self.ROUTES:
            self.assertEqual(logged_out.api(path, fields).status, 401)

    def test_each_request_of_the_service_api_is_served_to_its_roles_and_methods(self) -> None:
        console = self.console(http=True)
        with self.server.client() as client:
            client.register(APP, b"\x01" * 32)
            client.send(APP, [b"\x01" * 32], {"aps": {"alert": "x"}})
        with open(self.server.keys.path("http.port"), encoding="utf-8") as number:
            api = HTTPClient(int(number.read()))
        self.addCleanup(api.close)
        requests = [each for each in self.ROUTES if each[0].startswith("v1/")]
        self.assertGreater(len(requests), 8)
        for name, key in self.keys().items():
            for path, fields, allowed in requests:
                with self.subTest(f"{name} {path}"):
                    head = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
                    answer = api.request("POST", f"/{path}", json.dumps(fields).encode(), **head)
                    self.assertEqual(answer.status == 403, name not in allowed, answer.body[:200])
                    self.assertIn(answer.status, (200, 403, 404))
                    for method in ("GET", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"):
                        self.assertEqual(api.request(method, f"/{path}", **head).status, 405)
        # The cookie of the console opens nothing here, and a key opens nothing of the console.
        console.log_in(self.server.api_key)
        for path, fields, _ in requests:
            body, kind = json.dumps(fields).encode(), {"Content-Type": "application/json"}
            self.assertEqual(api.request("POST", f"/{path}", body, Cookie=console.cookie, **kind).status, 401)
            bearer = {"Authorization": f"Bearer {self.server.api_key}", "Sec-Fetch-Site": "same-origin", **kind}
            self.assertEqual(self.other(console).request("POST", f"/api/{path}", body, **bearer).status, 401)

    def test_the_content_of_a_message_is_what_was_sent(self) -> None:
        console = self.console()
        console.log_in(self.server.api_key)
        with self.server.client() as client:
            client.send_to(APP, {"aps": {"alert": "Hello"}}, all_devices=True, collapse_id="c",
                           bodies={"de": {"aps": {"alert": "Hallo"}}})
        found = console.api("content", {"app": APP, "message_id": 1}).json()
        self.assertEqual(found, {"push_type": "alert", "collapse_id": "c", "payload": {"aps": {"alert": "Hello"}},
                                 "bodies": [{"language": "de", "payload": {"aps": {"alert": "Hallo"}}}]})
        for fields in ({"app": APP, "message_id": 2}, {"app": OTHER_APP, "message_id": 1}):
            self.assertEqual(console.api("content", fields).status, 404)
        self.assertEqual(console.api("content", {"app": "", "message_id": 1}).status, 400)

    def test_each_change_is_logged_with_its_principal_and_reads_are_not(self) -> None:
        console = self.console()
        console.log_in(self.server.api_key)
        with self.server.client() as client:
            client.register(APP, b"\x01" * 32)
        console.api("v1/lookup", {"app": APP, "device": 1})
        console.api("v1/update_device", {"app": APP, "device": 1, "muted": True})
        line = eventually(lambda: next((each for each in self.server.log().splitlines()
                                        if "operation=update_device" in each), None), "the change is logged")
        self.assertIn("principal=demo", line)
        self.assertIn("result=ok", line)
        self.assertNotIn("operation=lookup", self.server.log())

    def test_settings_show_no_secret(self) -> None:
        console = self.console()
        console.log_in(self.server.api_key)
        text = console.api("settings").body.decode()
        self.assertIn('"console.port"', text)
        for secret in (self.server.api_key, sha256(self.server.api_key), "PRIVATE KEY"):
            self.assertNotIn(secret, text)


class ConsoleTLSTests(ConsoleTestCase):
    """The console outside loopback."""

    def test_the_console_uses_the_certificate_of_the_server_and_a_host_cookie(self) -> None:
        server = Deployment(flags=None)
        self.addCleanup(server.stop)
        path = server.keys.path
        file = path("console.port")
        server.start("--listen-certificate-file", path("server.pem"),
                     "--listen-certificate-key-file", path("server.key"),
                     "--console-host", "0.0.0.0", "--console-port", "0", "--console-port-file", file)
        with open(file, encoding="utf-8") as number:
            port = int(number.read())
        context = ssl.create_default_context(cafile=path("authority.pem"))
        connection = http.client.HTTPSConnection("localhost", port, context=context, timeout=30)
        self.addCleanup(connection.close)
        connection.request("POST", "/api/login", json.dumps({"key": server.api_key}),
                           {"Content-Type": "application/json", "Sec-Fetch-Site": "same-origin"})
        answer = connection.getresponse()
        answer.read()
        self.assertEqual(answer.status, 200)
        self.assertTrue(answer.getheader("set-cookie").startswith("__Host-carillon="))
        self.assertIn("Secure", answer.getheader("set-cookie"))
        self.assertIn("max-age", answer.getheader("strict-transport-security"))


if __name__ == "__main__":
    unittest.main()
