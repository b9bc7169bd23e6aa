"""The listener: TLS, certificates, addresses, the Unix socket, roles, rate limits, and invalid files."""
from __future__ import annotations

import os
import socket
import ssl
import unittest
from typing import Any, Dict, List, Optional

from support.clients.raw_connection import RawConnection
from support.clients.requests import register
from support.deployment import ALL_ROLES, APP, OTHER_APP, Deployment, crln, eventually, sha256
from support.operations import check_configuration

CarillonError = crln.CarillonError
CLIENT_USE = "\nextendedKeyUsage=clientAuth"


class ListeningTestCase(unittest.TestCase):
    """The assertion that all of these tests need."""

    def refuses(self, code: str, work: Any, field: Optional[str] = None) -> CarillonError:
        """Asserts that the call is refused with the code and was not executed."""
        with self.assertRaises(CarillonError) as caught:
            work()
        self.assertEqual((caught.exception.code, caught.exception.effect), (code, "not_executed"))
        if field:
            self.assertEqual(caught.exception.field, field)
        return caught.exception


class ListeningTLSTests(ListeningTestCase):
    """One server with TLS, client certificates and a Unix socket."""

    @classmethod
    def setUpClass(cls) -> None:
        backend = {"name": "backend", "certificateNames": ["backend.example.com", "spiffe://example.com/backend"],
                   "grants": [{"app": APP, "roles": ["register", "observe"]}]}
        cls.deployment = deployment = Deployment(simulator=None, flags=None, principals=[backend])
        cls.addClassCleanup(deployment.stop)
        keys, name = deployment.keys, "subjectAltName=DNS:backend.example.com"
        keys.authority("unknown-authority")
        keys.certificate("backend", name + CLIENT_USE)
        keys.certificate("uri", "subjectAltName=URI:spiffe://example.com/backend" + CLIENT_USE)
        # An authority that may sign DNS names of example.org only can sign these.
        keys.certificate("uri-like-dns", "subjectAltName=URI:backend.example.com" + CLIENT_USE)
        keys.certificate("dns-like-uri", "subjectAltName=DNS:spiffe\\://example.com/backend" + CLIENT_USE)
        keys.certificate("unknown", "subjectAltName=DNS:unknown.example.com" + CLIENT_USE)
        keys.certificate("common-name", "subjectAltName=DNS:other.example.com" + CLIENT_USE)
        keys.certificate("foreign", name + CLIENT_USE, authority="unknown-authority")
        keys.certificate("expired", name + CLIENT_USE, days=(-2, -1))
        keys.certificate("tomorrow", name + CLIENT_USE, days=(1, 2))
        keys.certificate("wrong-use", name + "\nextendedKeyUsage=serverAuth")
        cls.socket = keys.path("carillon.sock")
        deployment.start("--listen-certificate-file", keys.path("server.pem"),
                         "--listen-certificate-key-file", keys.path("server.key"),
                         "--listen-client-authorities-file", keys.path("authority.pem"),
                         "--listen-unix-socket", cls.socket)

    def handshake(self, protocols: Optional[List[str]]) -> ssl.SSLSocket:
        """Connects with TLS, offering these protocols."""
        context = ssl.create_default_context(cafile=self.deployment.keys.path("authority.pem"))
        if protocols:
            context.set_alpn_protocols(protocols)
        sock = socket.create_connection(("127.0.0.1", self.deployment.port), 10)
        self.addCleanup(sock.close)
        tls = context.wrap_socket(sock, server_hostname="localhost")
        self.addCleanup(tls.close)
        return tls

    def test_the_protocol_is_agreed(self) -> None:
        for offered, agreed in ((["carillon/1"], "carillon/1"), (["h2", "carillon/1"], "carillon/1"), (None, None)):
            with self.subTest(offered), self.handshake(offered) as tls:
                self.assertEqual(tls.selected_alpn_protocol(), agreed)
                self.assertIn(tls.version(), ("TLSv1.2", "TLSv1.3"))
                tls.sendall(crln.client_preface())
                self.assertEqual(tls.recv(16), crln.MAGIC + b"\1" + bytes(7))

    def test_another_protocol_is_refused(self) -> None:
        with self.assertRaises(ssl.SSLError) as caught:
            self.handshake(["h2"])
        self.assertIn("NO_APPLICATION_PROTOCOL", str(caught.exception).upper().replace(" ", "_"))

    def test_an_old_version_of_tls_is_refused(self) -> None:
        context = ssl.create_default_context(cafile=self.deployment.keys.path("authority.pem"))
        context.set_ciphers("ALL:@SECLEVEL=0")
        context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
        with socket.create_connection(("127.0.0.1", self.deployment.port), 10) as sock:
            with self.assertRaises((ssl.SSLError, ConnectionError)):
                context.wrap_socket(sock, server_hostname="localhost")

    def test_plaintext_to_a_port_with_tls_is_refused(self) -> None:
        with self.deployment.raw() as raw:
            raw.send(crln.client_preface())
            raw.sock.settimeout(10)
            self.assertNotIn(crln.MAGIC, self.rest(raw.sock))

    def rest(self, sock: socket.socket) -> bytes:
        """Reads to the end."""
        data = b""
        try:
            while piece := sock.recv(4096):
                data += piece
        except ConnectionResetError:
            pass
        return data

    def test_a_certificate_names_the_principal(self) -> None:
        for name in ("backend", "uri"):
            with self.subTest(name), self.deployment.tls_client(name) as client:
                self.assertEqual(client.server["authenticated"], 1)
                client.register(APP, os.urandom(32))
                self.refuses("FORBIDDEN", lambda: client.send(APP, [1], {"aps": {}}), "app")

    def test_a_certificate_of_an_unknown_name_needs_a_key(self) -> None:
        for name in ("unknown", "common-name", "uri-like-dns", "dns-like-uri"):
            with self.subTest(name):
                self.refuses("AUTHENTICATION_FAILED", lambda: self.deployment.tls_client(name))
                with self.deployment.tls_client(name, api_key=self.deployment.api_key) as client:
                    self.assertEqual(client.server["authenticated"], 0)
                    client.register(APP, os.urandom(32))

    def test_bad_certificates_are_refused(self) -> None:
        for name in ("foreign", "expired", "tomorrow", "wrong-use"):
            with self.subTest(name):
                self.refuses("CANNOT_CONNECT",
                             lambda: self.deployment.tls_client(name, api_key=self.deployment.api_key))
        self.assertTrue(self.deployment.is_alive)

    def test_a_key_authenticates_over_tls(self) -> None:
        with self.deployment.tls_client(api_key=self.deployment.api_key) as client:
            self.assertEqual(client.server["authenticated"], 0)
            self.assertEqual(client.register(APP, os.urandom(32))["result"], "created")
        self.refuses("AUTHENTICATION_FAILED", lambda: self.deployment.tls_client(api_key="crln_wrong"))

    def test_the_server_survives_an_end_without_close_notify(self) -> None:
        tls = self.handshake(["carillon/1"])
        tls.sendall(crln.client_preface())
        self.assertEqual(tls.recv(16)[8], 1)
        raw = socket.socket(fileno=tls.detach())
        self.addCleanup(raw.close)
        raw.shutdown(socket.SHUT_WR)
        raw.settimeout(10)
        self.rest(raw)
        self.assertTrue(self.deployment.is_alive)

    def test_requests_before_a_half_close_are_answered(self) -> None:
        """Requests and close_notify in one write: each request is answered before the server closes."""
        context = ssl.create_default_context(cafile=self.deployment.keys.path("authority.pem"))
        for count in (1, 1_500):
            with self.subTest(count), BareTLS(self.deployment.port, context) as tls:
                tls.send(crln.client_preface()
                         + crln.encode("client", "hello", {"software": "t", "receive_limit": 0}, 1))
                self.assertEqual(len(tls.read_exactly(16)), 16)
                self.assertEqual(tls.frame_kind(), (crln.ANSWER, 1))
                tls.send(crln.encode("client", "auth",
                                     {"method": 1, "credential": self.deployment.api_key.encode()}, 2))
                self.assertEqual(tls.frame_kind(), (crln.ANSWER, 2))
                tls.send(b"".join(crln.encode("client", "register", {
                    "app": APP, "environment": 1, "kind": 1, "token": os.urandom(32), "seen_at": 0}, 3 + index)
                                  for index in range(count)))
                tls.close_notify()
                answers = [tls.frame_kind() for _ in range(count)]
                self.assertEqual(set(answers), {(crln.ANSWER, 0x10)})
                self.assertEqual(tls.read_exactly(1), b"", "close_notify of the server")

    def test_a_key_authenticates_over_the_unix_socket(self) -> None:
        with crln.Client.connect(unix_path=self.socket, api_key=self.deployment.api_key) as client:
            token = os.urandom(32)
            client.register(APP, token)
            self.assertEqual(client.lookup(APP, token)["state"], "active")
        self.refuses("AUTHENTICATION_FAILED",
                     lambda: crln.Client.connect(unix_path=self.socket, api_key="crln_wrong"))


class BareTLS:
    """TLS that can close its sending direction alone; sockets of the standard library cannot."""

    def __init__(self, port: int, context: ssl.SSLContext) -> None:
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.incoming, self.outgoing, server_hostname="localhost")
        self.sock = socket.create_connection(("127.0.0.1", port), 10)
        self.buffer = b""
        self._until_done(self.tls.do_handshake)

    def __enter__(self) -> BareTLS:
        return self

    def __exit__(self, *_: Any) -> None:
        self.sock.close()

    def _until_done(self, work: Any, *arguments: Any) -> Any:
        while True:
            try:
                return work(*arguments)
            except ssl.SSLWantReadError:
                self.sock.sendall(self.outgoing.read())
                piece = self.sock.recv(65536)
                self.incoming.write(piece) if piece else self.incoming.write_eof()
            finally:
                self.sock.sendall(self.outgoing.read())

    def send(self, data: bytes) -> None:
        """Sends all bytes."""
        self._until_done(self.tls.write, data)

    def close_notify(self) -> None:
        """Ends sending; receiving goes on."""
        try:
            self.tls.unwrap()
        except ssl.SSLWantReadError:
            pass
        self.sock.sendall(self.outgoing.read())

    def read_exactly(self, count: int) -> bytes:
        """Reads `count` bytes, or fewer before the close_notify of the peer."""
        while len(self.buffer) < count:
            try:
                self.buffer += self._until_done(self.tls.read, 65536)
            except ssl.SSLZeroReturnError:
                break
        data, self.buffer = self.buffer[:count], self.buffer[count:]
        return data

    def frame_kind(self) -> Any:
        """Kind and opcode of the next frame."""
        header = self.read_exactly(16)
        self.read_exactly(int.from_bytes(header[:4], "big"))
        return header[4], int.from_bytes(header[6:8], "big")


class AccessRightsTests(ListeningTestCase):
    """Roles, apps and rate limits, over plaintext on loopback."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.keys = {name: "crln_" + name for name in (*ALL_ROLES, "slow", "narrow")}
        grants = {name: [{"app": "*", "roles": [name]}] for name in ALL_ROLES}
        grants["slow"] = [{"app": "*", "roles": ["register"]}]
        grants["narrow"] = [{"app": OTHER_APP, "roles": ALL_ROLES}]
        principals: List[Dict[str, Any]] = [{"name": name, "keySHA256": [sha256(key)], "grants": grants[name]}
                                            for name, key in cls.keys.items()]
        next(each for each in principals if each["name"] == "slow")["requestsPerSecond"] = 5
        cls.deployment = Deployment(simulator=None, principals=principals)
        cls.addClassCleanup(cls.deployment.stop)

    def as_principal(self, name: str, **options: Any) -> crln.Client:
        """Returns a client with the key of one principal."""
        client = self.deployment.client(self.keys[name], **options)
        self.addCleanup(client.close)
        return client

    def test_each_role_may_make_its_own_requests_only(self) -> None:
        token = os.urandom(32)
        with self.deployment.client() as client:
            client.register(APP, token)
            message = client.send(APP, [1 << 60], {"aps": {}})["message_id"]
        calls = {
            "register": (lambda c: c.register(APP, token), {"register"}),
            "unregister": (lambda c: c.unregister(APP, os.urandom(32)), {"register"}),
            "lookup": (lambda c: c.lookup(APP, token), {"register", "observe"}),
            "send": (lambda c: c.send(APP, [1 << 60], {"aps": {}}), {"send"}),
            "message_status": (lambda c: c.message_status(APP, message), {"send", "observe"}),
            "message_outcomes": (lambda c: c.message_outcomes(APP, message), {"send", "observe"})}
        for role in ALL_ROLES:
            client = self.as_principal(role)
            for name, (call, allowed) in calls.items():
                with self.subTest(f"{name} as {role}"):
                    if role in allowed:
                        call(client)
                    else:
                        self.refuses("FORBIDDEN", lambda: call(client), "app")

    def test_each_item_of_a_batch_needs_the_role(self) -> None:
        item = {"app": APP, "token": os.urandom(32)}
        self.assertEqual(self.as_principal("send").register_batch([item]), [{"error": "FORBIDDEN"}])
        mixed = self.as_principal("narrow").register_batch([item, {**item, "app": OTHER_APP}])
        self.assertEqual([each.get("error", each.get("result")) for each in mixed], ["FORBIDDEN", "created"])

    def test_the_role_of_another_app_allows_nothing(self) -> None:
        client = self.as_principal("narrow")
        client.register(OTHER_APP, os.urandom(32))
        self.refuses("FORBIDDEN", lambda: client.register(APP, os.urandom(32)), "app")

    def test_the_message_of_another_app_is_not_found(self) -> None:
        with self.deployment.client() as client:
            message = client.send(APP, [1 << 60], {"aps": {}})["message_id"]
        client = self.as_principal("narrow")
        self.refuses("NOT_FOUND", lambda: client.message_status(OTHER_APP, message))
        self.refuses("NOT_FOUND", lambda: client.message_outcomes(OTHER_APP, message))

    def test_an_unknown_app_is_not_found(self) -> None:
        with self.deployment.client() as client:
            self.refuses("NOT_FOUND", lambda: client.register("com.example.unserved", os.urandom(32)), "app")
        # The role is checked first: a principal without it does not learn which apps are served.
        client = self.as_principal("narrow")
        self.refuses("FORBIDDEN", lambda: client.register("com.example.unserved", os.urandom(32)), "app")

    def test_requests_above_the_rate_limit_are_refused(self) -> None:
        # In one packet: a client that waits for each answer may be slower than the limit.
        with RawConnection(self.deployment.port, self.keys["slow"], "open") as raw:
            raw.send(b"".join(register(id, token=os.urandom(32)) for id in range(3, 53)))
            errors = [frame.fields for frame in (raw.read_frame() for _ in range(50)) if frame.message == "error"]
        self.assertNotEqual(errors, [], "50 requests at 5 a second were not limited")
        for error in errors:
            self.assertEqual((crln.ERRORS[error["code"]], error["effect"], crln.SCOPES[error["scope"]]),
                             ("RATE_LIMITED", 0, "request"))
            self.assertTrue(0 < error["retry_after_ms"] <= 200, error)
        patient = self.as_principal("slow", timeout=20, attempts=10)
        for _ in range(3):
            patient.register(APP, os.urandom(32))

    def test_connections_above_the_limit_are_refused(self) -> None:
        with Deployment(simulator=None, flags=("--limits-connections", "3")) as deployment:
            open_ones = [deployment.raw("open") for _ in range(3)]
            with deployment.raw() as fourth:
                fourth.send(crln.client_preface() + crln.encode(
                    "client", "hello", {"software": "t", "receive_limit": 0}, 1))
                self.assertEqual(fourth.read_preface()[8], 0)
                fields = fourth.read_frame().fields
                self.assertEqual((crln.ERRORS[fields["code"]], fields["scope"]), ("TOO_MANY_CONNECTIONS", 1))
                self.assertEqual(fields["limit"], 3)
                self.assertIn("limits.connections is 3", fields["message"])
            open_ones.pop().close()

            def there_is_room() -> bool:
                with deployment.raw() as again:
                    again.send(crln.client_preface())
                    return again.read_preface()[8] == 1

            eventually(there_is_room, "a place is free again")
            for each in open_ones:
                each.close()


class ServerStartTests(ListeningTestCase):
    """Configurations that the server refuses, with its messages."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.deployment = Deployment(simulator=None, flags=None)
        cls.addClassCleanup(cls.deployment.stop)

    def refused(self, *flags: str, says: List[str]) -> str:
        """Asserts that the server ends with exit status 1 and names these things."""
        text = self.deployment.refused_start(*flags)
        for each in says:
            self.assertIn(each, text)
        self.assertLess(len(text), 4_000, "not a stack trace")
        return text

    def apps_file(self, text: str) -> str:
        """Writes an apps file with the text."""
        path = self.deployment.keys.path("broken.json")
        with open(path, "w") as file:
            file.write(text)
        return path

    def test_plaintext_outside_of_loopback_is_refused(self) -> None:
        for host in ("0.0.0.0", "::"):
            self.refused("--listen-host", host, says=["listen.host", "loopback", "listen.certificateFile"])

    def test_plaintext_is_served_where_it_is_allowed(self) -> None:
        with Deployment(simulator=None, flags=("--listen-host", "0.0.0.0", "--listen-allow-plaintext",
                                               "true")) as deployment:
            with deployment.client() as client:
                client.register(APP, os.urandom(32))

    def test_a_provider_key_that_others_can_read_is_refused(self) -> None:
        key = self.deployment.folder / "AuthKey.p8"
        key.chmod(0o644)
        self.addCleanup(key.chmod, 0o600)
        self.refused(says=["AuthKey.p8", "chmod 600"])

    def test_files_that_other_users_can_change_are_refused(self) -> None:
        """A principal, or an app with another credential, could be added by them."""
        for name in ("principals.json", "apps.json"):
            path = self.deployment.folder / name
            self.addCleanup(path.chmod, 0o644)
            for mode in (0o664, 0o646):
                with self.subTest(name, mode=oct(mode)):
                    path.chmod(mode)
                    self.refused(says=[name, f"mode {mode:o}", "chmod go-w"])
            # As with keys, for secret mounts.
            code, text = check_configuration(self.deployment, "--secrets-allow-access-by-others", "true")
            self.assertEqual(code, 0, text)
            path.chmod(0o644)
            if os.geteuid() == 0:
                os.chown(path, 65_534, 65_534)
                self.refused(says=[name, "belongs to another user"])
                os.chown(path, 0, 0)
        self.assertEqual(check_configuration(self.deployment)[0], 0)

    def test_a_file_that_is_not_regular_is_refused(self) -> None:
        fifo = self.deployment.folder / "fifo.json"
        os.mkfifo(fifo)
        self.refused("--apps-file", str(fifo), says=["fifo.json", "not a regular file"])
        self.refused("--apps-file", "/no/such/apps.json", says=["apps.json", "No such file or directory"])

    def test_a_tls_key_that_others_can_read_is_refused(self) -> None:
        keys = self.deployment.keys
        key = self.deployment.folder / "server.key"
        key.chmod(0o640)
        self.addCleanup(key.chmod, 0o600)
        self.refused("--listen-certificate-file", keys.path("server.pem"),
                     "--listen-certificate-key-file", keys.path("server.key"),
                     says=["server.key", "chmod 600"])

    def test_a_missing_key_is_refused(self) -> None:
        key = self.deployment.folder / "AuthKey.p8"
        key.rename(key.with_suffix(".away"))
        self.addCleanup(key.with_suffix(".away").rename, key)
        self.refused(says=["AuthKey.p8"])

    def test_the_key_of_another_certificate_is_refused(self) -> None:
        keys = self.deployment.keys
        self.refused("--listen-certificate-file", keys.path("server.pem"),
                     "--listen-certificate-key-file", keys.path("apns.key"),
                     says=["key"])

    def test_a_broken_apps_file_is_refused(self) -> None:
        cases = [
            ("{", ["broken.json", "JSON"]),
            ('{"credentials": {}}', ["broken.json", "apps"]),
            ('{"credentials": {"main": {"teamID": 5}}, "apps": {}}', ["broken.json", "credentials.main.teamID"]),
            ('{"credentials": {"main": {"keyFile": "k"}}, "apps": {"a": {}}}', ["credential main", "teamID"]),
            ('{"credentials": {}, "apps": {"a": {"production": "gone"}}}', ["app a", "gone"]),
            ('{"credentials": {}, "apps": {"a b": {}}}', ["a b", "bundle id"])]
        for text, says in cases:
            with self.subTest(text):
                self.refused("--apps-file", self.apps_file(text), says=says)

    def test_a_broken_principals_file_is_refused(self) -> None:
        cases = [
            ('{"principals": []}', ["broken.json", "no principal"]),
            ('{"principals": [{"name": "x", "keySHA256": ["12"], "grants": []}]}', ["principal x", "keySHA256"]),
            ('{"principals": [{"name": "x", "grants": [{"app": "*", "roles": ["root"]}]}]}', ["principal x", "root"]),
            ('{"principals": [{"name": "x"}]}', ["broken.json", "grants", "principals"])]
        for text, says in cases:
            with self.subTest(text):
                self.refused("--principals-file", self.apps_file(text), says=says)

    def test_settings_out_of_range_are_refused(self) -> None:
        for flag, value, name in (("--listen-port", "70000", "listen.port"), ("--client-threads", "0", "clientThreads"),
                                  ("--limits-drain-seconds", "0", "limits.drainSeconds")):
            with self.subTest(flag):
                self.refused(flag, value, says=[name, value])

    def test_a_missing_configuration_is_refused(self) -> None:
        text = self.deployment.refused_start(config="gone.json")
        self.assertIn("gone.json", text)

    def test_an_address_in_use_is_refused(self) -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            text = self.refused("--listen-port", str(port), says=["carillond:"])
            self.assertIn("use", text.lower())


if __name__ == "__main__":
    unittest.main()
