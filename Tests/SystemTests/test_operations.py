"""Operations: metrics and health over HTTP, SIGHUP, credentials, proxies, and what --check-config says; real processes."""
from __future__ import annotations

import base64
import json
import os
import re
import select
import signal
import socket
import subprocess
import threading
import time
import unittest
import urllib.error
import urllib.request
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

from test_lifecycle import Case, PAYLOAD, finished, register
from world import APP, OTHER_APP, PROGRAMS, RawConnection, World, carillon, eventually, sha256

TOKEN_CREDENTIAL = {"teamID": "TEAM123456", "keyID": "KEY1234567", "keyFile": "AuthKey.p8"}


def get(world: World, path: str) -> Tuple[int, str]:
    """Status and body of a GET on the metrics port."""
    port = int((world.folder / "metrics.port").read_text())
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def metrics(world: World) -> Dict[str, float]:
    """Every series by name and labels, fresh; each line must be as Prometheus reads it."""
    time.sleep(0.25)
    series: Dict[str, float] = {}
    typed: Dict[str, str] = {}
    explained = set()
    for line in get(world, "/metrics")[1].splitlines():
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            if name in typed:
                raise AssertionError(f"{name} has two TYPE lines")
            typed[name] = kind
            if name not in explained:
                raise AssertionError(f"{name} has no HELP line")
        elif line.startswith("# HELP "):
            explained.add(line.split(" ")[2])
        elif not line.startswith("#"):
            found = re.fullmatch(r'([a-zA-Z_:][\w:]*(?:\{(?:\w+="(?:[^"\\]|\\.)*",?)*\})?) (\S+)', line)
            if not found:
                raise AssertionError(f"not a line of Prometheus: {line}")
            series[found[1]] = float(found[2])
    return series


def hang_up(world: World, says: str = "settings and files are read again") -> None:
    """SIGHUP, and waits until the log says what came of it."""
    before = world.log().count(says)
    world.server.send_signal(signal.SIGHUP)
    eventually(lambda: world.log().count(says) > before, says)


def apps(world: World, credentials: Dict[str, Any], served: Dict[str, Any]) -> None:
    """Writes the file of apps."""
    world.write("apps.json", {"credentials": credentials, "apps": served})


def check(world: World, *flags: str) -> Tuple[int, str]:
    """Exit code and words of --check-config."""
    done = subprocess.run([str(PROGRAMS / "carillond"), "--check-config", "--config", world.keys.path("carillon.json"),
                           *flags], capture_output=True, text=True, timeout=20)
    return done.returncode, done.stdout + done.stderr


class Watching(Case):
    """The HTTP port."""

    def test_what_is_counted(self) -> None:
        def counted(now: Dict[str, float]) -> Optional[Dict[str, float]]:
            # An outcome is on disk, and so in the status, a moment before it is counted.
            ended = [now.get(f'carillon_outcomes_total{{app="{APP}",outcome="{outcome}"}}', 0)
                     for outcome in ("delivered", "token-unregistered")]
            return now if sum(ended) == 25 and now["carillon_outcomes_unrecorded"] == 0 else None

        world = self.world()
        with world.client() as client:
            tokens = register(client, 20) + register(client, 5, b"\xdd")
            world.simulator.rule(prefix="dd", status=410, reason="Unregistered", timestamp=int(time.time() * 1000) + 1_000)
            sent = client.send(APP, tokens, PAYLOAD)["message_id"]
            finished(client, sent)
            with self.assertRaises(carillon.CarillonError):
                client.lookup(APP, b"\x01" * 32)
            now = eventually(lambda: counted(metrics(world)), "every outcome is counted")
        pool = 'credential="main",environment="production"'
        self.assertEqual(now[f'carillon_outcomes_total{{app="{APP}",outcome="delivered"}}'], 20)
        self.assertEqual(now[f'carillon_outcomes_total{{app="{APP}",outcome="token-unregistered"}}'], 5)
        self.assertEqual(now[f"carillon_apns_attempts_total{{{pool}}}"], 25)
        self.assertEqual(now[f'carillon_apns_answers_total{{{pool},status="200",reason=""}}'], 20)
        self.assertEqual(now[f'carillon_apns_answers_total{{{pool},status="410",reason="Unregistered"}}'], 5)
        self.assertEqual(now[f"carillon_apns_in_flight{{{pool}}}"], 0)
        self.assertGreaterEqual(now[f'carillon_apns_connections{{{pool},state="open"}}'], 1)
        self.assertGreaterEqual(now[f"carillon_apns_token_age_seconds{{{pool}}}"], 0)
        each = {name: sum(value for key, value in now.items() if key.startswith(f"carillon_apns_connection_{name}{{{pool},"))
                for name in ("in_flight", "streams", "answers")}
        self.assertEqual((each["in_flight"], each["answers"]), (0, 25))
        self.assertGreaterEqual(each["streams"], 1_000)
        self.assertEqual(now[f'carillon_apns_connection_rate{{{pool},connection="1"}}'], -1)
        self.assertEqual(now['carillon_requests_total{operation="register-batch",result="ok"}'], 2)
        self.assertEqual(now['carillon_requests_total{operation="lookup",result="NOT_FOUND"}'], 1)
        self.assertEqual(now['carillon_request_seconds_count{operation="send"}'], 1)
        self.assertGreaterEqual(now["carillon_commit_seconds_count"], 3)
        self.assertEqual(now["carillon_commit_seconds_count"], now["carillon_commit_changes_count"])
        self.assertGreaterEqual(now["carillon_commit_changes_sum"], 25)
        self.assertEqual(now["carillon_client_connections"], 1)
        self.assertEqual(now["carillon_ready"], 1)
        for name in ("carillon_database_bytes", "carillon_database_map_bytes", "carillon_database_limit_bytes",
                     "process_resident_memory_bytes", "process_cpu_seconds_total", "process_open_fds"):
            self.assertGreater(now[name], 0, name)
        for name in ("carillon_outcomes_unrecorded", "carillon_deliveries_in_flight", "carillon_queue_changes"):
            self.assertEqual(now[name], 0, name)
        text = get(world, "/metrics")[1]
        self.assertNotIn(tokens[0].hex()[:16], text)
        self.assertNotIn(world.api_key[:12], text)

    def test_statistics(self) -> None:
        def settled(client: carillon.Client) -> Optional[Dict[str, Any]]:
            time.sleep(0.25)
            told = client.statistics()
            return told if sum(told["outcomes"].values()) == 25 and told["unrecorded"] == 0 else None

        world = self.world()
        with world.client() as client:
            tokens = register(client, 20) + register(client, 5, b"\xdd")
            client.join(APP, "user/1", [tokens[0]])
            client.subscribe(APP, ["level5"], [tokens[1]])
            world.simulator.rule(prefix="dd", status=410, reason="Unregistered", timestamp=int(time.time() * 1000) + 1_000)
            finished(client, client.send(APP, tokens, PAYLOAD)["message_id"])
            client.send(APP, tokens[:1], PAYLOAD, send_at=int(time.time() * 1000) + 60_000)
            told = eventually(lambda: settled(client), "every outcome is counted")
            self.assertEqual(told["outcomes"], {"delivered": 20, "token-unregistered": 5})
            self.assertEqual((told["clients"], told["handshakes"]), (1, 0))
            counts = {(row["operation"], row["result"]): row for row in told["requests"]}
            self.assertEqual(counts["register_batch", "ok"]["count"], 2)
            self.assertGreater(counts["send", "ok"]["micros"], 0)
            self.assertGreaterEqual(told["commits"], len(told["latest_commits"]))
            self.assertGreaterEqual(told["changes"], 27)
            self.assertGreaterEqual(told["commit_micros"], sum(told["latest_commits"][:3]))
            self.assertEqual([lane["lane"] for lane in told["lanes"]], ["interactive", "bulk"])
            self.assertEqual(told["sending"], [])
            pool, = told["pools"]
            self.assertEqual((pool["credential"], pool["environment"], pool["attempts"]), ("main", "production", 25))
            self.assertGreaterEqual(pool["open"], 1)
            self.assertGreaterEqual(pool["streams"], 1)
            self.assertEqual(pool["answers"], [{"status": 200, "reason": "", "count": 20},
                                               {"status": 410, "reason": "Unregistered", "count": 5}])
            self.assertEqual((told["kept"], told["unfinished"], told["scheduled"]), (2, 0, 1))
            self.assertGreater(told["database_bytes"], told["free_bytes"])
            self.assertEqual([row["app"] for row in told["apps"]], [APP])
            self.assertLess(told["at"] - told["started_at"], 60_000)
            self.assertEqual(len(client.statistics(1)["requests"]), 1)

    def test_statistics_of_what_is_under_way(self) -> None:
        world = self.world(flags=("--apns-connections", "2"))
        with world.client() as client:
            tokens = register(client, 50)
            world.simulator.rule(fault="delay", milliseconds=1_500)
            sent = client.send(APP, tokens, PAYLOAD, lane="bulk")["message_id"]
            told = eventually(lambda: (now := client.statistics())["sending"] and now, "it is under way", pause=0.25)
            message, = told["sending"]
            self.assertEqual((message["message_id"], message["app"], message["lane"]), (sent, APP, "bulk"))
            self.assertEqual(message["total"], 50)
            self.assertLess(message["ended"], 50)
            bulk = told["lanes"][1]
            self.assertEqual(bulk["messages"], 1)
            self.assertEqual(bulk["waiting"] + bulk["delayed"] + bulk["in_flight"], 50 - message["ended"])
            finished(client, sent)

    def test_statistics_are_for_those_who_see_every_app(self) -> None:
        def principal(name: str, app: str, *roles: str) -> Dict[str, Any]:
            return {"name": name, "keySHA256": [sha256(name)], "grants": [{"app": app, "roles": list(roles)}]}

        world = self.world(simulator=None, principals=[
            principal("watcher", "*", "observe"), principal("admin", "*", "admin"),
            principal("sender", "*", "send", "register"), principal("own", APP, "observe", "admin")])
        for name, code in (("watcher", None), ("admin", None), ("sender", "FORBIDDEN"), ("own", "FORBIDDEN")):
            with self.subTest(name), world.client(name) as client:
                if code is None:
                    self.assertEqual(client.statistics()["outcomes"], {})
                else:
                    with self.assertRaises(carillon.CarillonError) as refused:
                        client.statistics()
                    self.assertEqual((refused.exception.code, refused.exception.effect), (code, "not executed"))

    def test_health(self) -> None:
        world = self.world(simulator=None)
        self.assertEqual(get(world, "/healthz"), (200, "ready\n"))
        self.assertEqual(get(world, "/readyz?full=1"), (200, "ready\n"))
        self.assertEqual(get(world, "/elsewhere")[0], 404)
        raw = world.raw("open")
        world.server.send_signal(signal.SIGTERM)
        eventually(lambda: get(world, "/readyz") == (503, "draining\n"), "not ready while it drains")
        self.assertEqual(get(world, "/healthz")[0], 200)
        raw.close()
        self.assertEqual(world.server.wait(30), 0)

    def test_bad_peers_cost_themselves_their_connection(self) -> None:
        world = self.world(simulator=None)
        port = int((world.folder / "metrics.port").read_text())
        cases = {"a method that is none": b"DELETE /metrics HTTP/1.1\r\nhost: x\r\n\r\n", "garbage": b"\x16\x03\x01\xff" * 99,
                 "endless headers": b"GET / HTTP/1.1\r\n" + b"x: " + b"y" * 200_000,
                 "a body": b"POST /metrics HTTP/1.1\r\nhost: x\r\ncontent-length: 9999999\r\n\r\n" + b"z" * 100_000}
        for name, data in cases.items():
            with self.subTest(name), socket.create_connection(("127.0.0.1", port), 15) as peer:
                answer = b""
                try:
                    peer.sendall(data)
                    while piece := peer.recv(65536):
                        answer += piece
                except (ConnectionResetError, BrokenPipeError):
                    pass
                self.assertNotIn(b" 200 ", answer)
        # Forty that say nothing: those above the limit are closed, the others after ten seconds; then there is room.
        silent = [socket.create_connection(("127.0.0.1", port), 15) for _ in range(40)]
        began = time.monotonic()
        closed = 0
        while closed < 40 and time.monotonic() - began < 15:
            for peer in select.select(silent, [], [], 1)[0]:
                closed += 1
                silent.remove(peer)
                peer.close()
        self.assertEqual(closed, 40)
        self.assertEqual(get(world, "/healthz")[0], 200)

    def test_a_port_that_is_taken_or_not_wanted(self) -> None:
        world = self.world(simulator=None, flags=None)
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = str(taken.getsockname()[1])
            for setting in ("listen", "metrics"):
                said = f"{setting}.host, {setting}.port: 127.0.0.1:{port} is in use"
                self.assertIn(said, world.refused_start(f"--{setting}-port", port))
        said = "listen.unixSocket: cannot listen on /no/such/folder/s: "
        self.assertIn(said, world.refused_start("--listen-unix-socket", "/no/such/folder/s"))
        (world.folder / "metrics.port").unlink()
        world.start("--metrics-host", "")
        self.assertFalse((world.folder / "metrics.port").exists())


class Reload(Case):
    """SIGHUP."""

    def test_a_key_is_rotated_while_a_fan_out_runs(self) -> None:
        world = self.world(simulator=None, flags=None)
        path = world.keys.path
        for arguments in (("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", path("second.key")),
                          ("pkcs8", "-topk8", "-nocrypt", "-in", path("second.key"), "-out", path("Second.p8")),
                          ("pkey", "-in", path("Second.p8"), "-pubout", "-out", path("Second.pub"))):
            subprocess.run(["openssl", *arguments], check=True, capture_output=True)
        Path(path("Second.p8")).chmod(0o600)
        world.start_simulator("--signer", f"TEAM123456:KEY7654321:{path('Second.pub')}", "--delay", "40",
                              "--max-streams", "50")
        world.start("--apns-connections", "2")
        with world.client() as client:
            tokens = register(client, 6_000)
            sent = [client.send(APP, tokens[at:at + 500], PAYLOAD)["message_id"] for at in range(0, 6_000, 500)]
            eventually(lambda: world.simulator.stats()["accepted"] > 500, "the fan-out runs")
            apps(world, {"main": {**TOKEN_CREDENTIAL, "keyID": "KEY7654321", "keyFile": "Second.p8"}},
                 {APP: {"production": "main"}})
            hang_up(world)
            at_reload = world.simulator.stats()["accepted"]
            self.assertLess(at_reload, 6_000, "the fan-out ended before the reload")
            outcomes = [finished(client, message) for message in sent]
        self.assertEqual(outcomes, [{"delivered": 500}] * 12)
        self.assertEqual(world.simulator.stats()["accepted"], 6_000, "lost or twice")
        self.assertIn("pools-replaced=1", world.log())
        self.assertEqual(metrics(world)['carillon_reloads_total{result="ok"}'], 1)
        self.assertNotIn("PRIVATE", world.log())

    def test_a_refused_credential_starts_again(self) -> None:
        world = self.world(flags=None)
        apps(world, {"main": {**TOKEN_CREDENTIAL, "keyID": "WRONG12345"}}, {APP: {"production": "main"}})
        world.start()
        pool = 'credential="main",environment="production"'
        with world.client() as client:
            tokens = register(client, 30)
            sent = client.send(APP, tokens, PAYLOAD)["message_id"]
            eventually(lambda: "APNs refuses the credential" in world.log(), "the alarm")
            eventually(lambda: metrics(world)[f"carillon_apns_pool_stopped{{{pool}}}"] == 1, "the metric says so")
            apps(world, {"main": TOKEN_CREDENTIAL}, {APP: {"production": "main"}})
            hang_up(world)
            self.assertEqual(finished(client, sent), {"delivered": 30})
        self.assertEqual(metrics(world)[f"carillon_apns_pool_stopped{{{pool}}}"], 0)

    def test_apps_come_and_go(self) -> None:
        world = self.world(flags=None)
        apps(world, {"main": TOKEN_CREDENTIAL}, {OTHER_APP: {"production": "main"}})
        world.start()
        with world.client() as client:
            with self.assertRaises(carillon.CarillonError) as caught:
                client.register(APP, b"\x01" * 32)
            self.assertEqual(caught.exception.code, "NOT_FOUND")
            apps(world, {"main": TOKEN_CREDENTIAL}, {APP: {"production": "main"}})
            hang_up(world)
            token, = register(client, 1)
            self.assertEqual(finished(client, client.send(APP, [token], PAYLOAD)["message_id"]), {"delivered": 1})
            with self.assertRaises(carillon.CarillonError) as caught:
                client.register(OTHER_APP, b"\x01" * 32)
            self.assertEqual(caught.exception.code, "NOT_FOUND")
        self.assertIn("pools-renewed=1", world.log())

    def test_keys_and_limits(self) -> None:
        world = self.world(simulator=None)
        with world.client() as old:
            new = "crln_" + "ab" * 32
            world.write("principals.json", {"principals": [
                {"name": "demo", "keySHA256": [sha256(new)], "grants": [{"app": "*", "roles": ["register", "observe"]}]}]})
            hang_up(world)
            with self.assertRaises(carillon.CarillonError):
                register(old, 1)
            with self.assertRaises(carillon.CarillonError):
                world.client()
            with world.client(api_key=new) as client:
                register(client, 1)
        settings = json.loads((world.folder / "carillon.json").read_text())
        settings["limits"] = {"connections": 1}
        world.write("carillon.json", settings)
        hang_up(world)
        with world.client(api_key=new):
            with self.assertRaises((carillon.CarillonError, OSError)):
                world.client(api_key=new)
        settings["threads"] = 3
        world.write("carillon.json", settings)
        hang_up(world, "take effect at the next start only")

    def test_open_connections_of_those_who_may_do_less(self) -> None:
        """Whose key is gone is executed nothing more; who has other grants has them at once; the others go on."""
        keys = ["crln_" + digit * 64 for digit in "abc"]
        everything = [{"app": "*", "roles": ["register", "send", "observe"]}]
        principals = [{"name": f"client-{key[-1]}", "keySHA256": [sha256(key)], "grants": everything} for key in keys]
        world = self.world(simulator=None, principals=principals)

        def ask(raw: RawConnection, id: int) -> str:
            raw.send(carillon.encode("client", "register", {
                "app": APP, "environment": 1, "kind": 1, "token": bytes([id]) * 32, "seen_at": 0}, id))
            frame = raw.frame()
            return carillon.ERRORS[frame.fields["code"]] if frame.message == "error" else frame.message

        with ExitStack() as stack:
            gone, less, same = (stack.enter_context(RawConnection(world.port, key, "open")) for key in keys)
            for raw in (gone, less, same):
                raw.send(carillon.encode("client", "subscribe_events", {
                    "name": "", "from": carillon.NOW, "apps": [], "kinds": [4], "credit": 9}, 3))
                self.assertEqual(raw.frame().message, "subscribe_events")
            principals[1]["grants"] = [{"app": APP, "roles": ["send"]}]
            world.write("principals.json", {"principals": principals[1:]})
            hang_up(world)
            farewell = gone.frame().fields
            self.assertEqual((carillon.ERRORS[farewell["code"]], farewell["last_id"]), ("AUTHENTICATION_FAILED", 3))
            self.assertIsNone(gone.frame(), "closed at once: nothing was outstanding")
            farewell = less.frame().fields
            self.assertEqual((carillon.ERRORS[farewell["code"]], farewell["last_id"]), ("DRAINING", 2**64 - 1))
            self.assertEqual(ask(less, 4), "FORBIDDEN")
            self.assertEqual(ask(same, 4), "register")
            # A token is replaced: that is told to those who may know of it.
            token = carillon.encode("client", "register", {
                "app": APP, "environment": 1, "kind": 1, "token": b"\x09" * 32, "seen_at": 0,
                "replaces": b"\x04" * 32}, 5)
            same.send(token)
            self.assertEqual({same.frame().message, same.frame().message}, {"register", "event"})
            farewell = less.frame().fields
            self.assertEqual((farewell["last_id"], less.frame()), (4, None), "no event, and then the end")
            self.assertEqual(ask(same, 6), "register")

    def test_a_bad_file_leaves_everything_as_it_was(self) -> None:
        world = self.world()
        good = (world.folder / "apps.json").read_text()
        cases = [("apps.json", "not JSON", "is not JSON"),
                 ("apps.json", good.replace("AuthKey.p8", "missing.p8"), "cannot read"),
                 ("apps.json", good.replace("KEY1234567", "short"), "keyID must be"),
                 ("principals.json", '{"principals": []}', "names no principal"),
                 ("carillon.json", '{"limits": {"connections": 0}}', "limits.connections")]
        with world.client() as client:
            for file, text, reason in cases:
                with self.subTest(reason):
                    before = (world.folder / file).read_text()
                    (world.folder / file).write_text(text)
                    hang_up(world, "nothing is read again: everything stays as it was")
                    self.assertIn(reason, world.log())
                    (world.folder / file).write_text(before)
            token, = register(client, 1)
            self.assertEqual(finished(client, client.send(APP, [token], PAYLOAD)["message_id"]), {"delivered": 1})
        world.client().close()
        self.assertEqual(metrics(world)['carillon_reloads_total{result="refused"}'], len(cases))


    def test_certificates_of_an_authority_that_is_believed_no_longer_end(self) -> None:
        names = "subjectAltName=DNS:{}.example.com\nextendedKeyUsage=clientAuth"
        grants = [{"app": APP, "roles": ["register"]}]
        world = self.world(simulator=None, flags=None, principals=[
            {"name": name, "certificateNames": [f"{name}.example.com"], "grants": grants} for name in ("good", "gone")])
        path, believed = world.keys.path, world.folder / "believed.pem"
        world.keys.authority("stranger")
        world.keys.certificate("good", names.format("good"))
        world.keys.certificate("gone", names.format("gone"), authority="stranger")
        ours, theirs = (Path(path(name)).read_text() for name in ("authority.pem", "stranger.pem"))
        believed.write_text(ours + theirs)
        world.start("--listen-certificate", path("server.pem"), "--listen-key", path("server.key"),
                    "--listen-client-authorities", str(believed), "--limits-drain-seconds", "1")
        token = os.urandom(32)
        with world.tls_client("good") as good, world.tls_client("gone") as gone, \
                world.tls_client(api_key=world.api_key) as key:
            hang_up(world)
            for client in (good, gone, key):
                client.register(APP, token)
            believed.write_text(ours)
            hang_up(world)
            # A client connects again by itself.
            eventually(lambda: is_refused(gone, token), "whose certificate is believed no longer does not come back")
            for client in (good, key):
                self.assertEqual(client.register(APP, token)["result"], "refreshed")
            self.assertEqual(world.log().count("the client is to come again"), 2)


def is_refused(client: carillon.Client, token: bytes) -> bool:
    """Whether the client cannot connect."""
    try:
        client.register(APP, token)
        return False
    except carillon.CarillonError as error:
        return error.code == "CANNOT_CONNECT"


class Credentials(Case):
    """Keys, certificates and archives, several at once."""

    def archive(self, world: World, password: str) -> None:
        """push.p12 with a client certificate for the app, and its password beside it."""
        world.keys.certificate("push", "extendedKeyUsage=clientAuth\n" + "".join(
            f"1.2.840.113635.100.6.3.{number}=ASN1:NULL\n" for number in (1, 2)))
        subprocess.run(["openssl", "pkcs12", "-export", "-in", "push.pem", "-inkey", "push.key", "-passout",
                        f"pass:{password}", "-out", "push.p12"], cwd=world.folder, check=True, capture_output=True)
        (world.folder / "push.password").write_text(password + "\n")
        for name in ("push.p12", "push.password"):
            (world.folder / name).chmod(0o600)

    def test_each_kind_at_once(self) -> None:
        world = self.world(simulator=None, flags=None)
        self.archive(world, "open sesame")
        apps(world, {"key": TOKEN_CREDENTIAL, "archive": {"certificate": "push.p12", "passwordFile": "push.password"},
                     "pair": {"certificate": "push.pem", "key": "push.key"}},
             {APP: {"production": "key", "sandbox": "archive"}, OTHER_APP: {"production": "pair", "sandbox": "key"}})
        code, text = check(world)
        self.assertEqual(code, 0, text)
        self.assertIn("2 apps, 3 credentials, 1 principals", text)
        # Two days are left of the certificates.
        self.assertIn("credential archive: the certificate expires in 1 days", text)
        world.start()
        now = metrics(world)
        pools = {name for name in now if name.startswith("carillon_apns_pool_stopped")}
        self.assertEqual(len(pools), 4)
        self.assertLess(now['carillon_certificate_days_left{certificate="credential pair"}'], 2.1)
        self.assertIn("a certificate expires within 7 days", world.log())

    def test_what_cannot_be_used_says_why(self) -> None:
        world = self.world(simulator=None, flags=None)
        self.archive(world, "open sesame")
        cases: List[Tuple[Dict[str, Any], str, int, str]] = [
            (TOKEN_CREDENTIAL, "AuthKey.p8", 0o640, "chmod 600"),
            (TOKEN_CREDENTIAL, "AuthKey.p8", 0o604, "chmod 600"),
            ({"certificate": "push.p12", "passwordFile": "push.password"}, "push.password", 0o644, "chmod 600"),
            ({"certificate": "push.p12", "passwordFile": "push.password"}, "push.p12", 0o660, "chmod 600"),
            ({"certificate": "push.pem", "key": "push.key"}, "push.key", 0o644, "chmod 600"),
            ({"certificate": "push.p12"}, "push.p12", 0o600, "another password"),
            ({"certificate": "push.pem", "key": "apns.key"}, "push.key", 0o600, "does not belong"),
        ]
        for credential, file, mode, reason in cases:
            with self.subTest(file=file, mode=oct(mode), reason=reason):
                apps(world, {"main": credential}, {APP: {"production": "main"}})
                (world.folder / file).chmod(mode)
                code, text = check(world)
                self.assertEqual(code, 1, text)
                self.assertIn(reason, text)
                self.assertIn("credential main", text)
                self.assertNotIn("sesame", text)
                self.assertIn(reason, world.refused_start())
                if mode != 0o600:
                    self.assertEqual(check(world, "--secrets-allow-open-files", "true")[0], 0)
                (world.folder / file).chmod(0o600)


class Checking(Case):
    """carillond --check-config."""

    def test_everything_wrong_is_said_at_once(self) -> None:
        world = self.world(simulator=None, flags=None)
        (world.folder / "principals.json").write_text('{"principals": []}')
        (world.folder / "AuthKey.p8").chmod(0o644)
        code, text = check(world, "--data-path", "/nowhere/at/all", "--threads", "900", "--metrics-host", "192.0.2.1",
                           "--apns-authorities", "/nowhere.pem", "--apns-proxy", "proxy")
        self.assertEqual(code, 1)
        for words in ("threads: is 900; it must be 1 to 64", "names no principal", "chmod 600", "data.path: /nowhere",
                      "192.0.2.1 is no address of this machine", "apns.authorities: ", "apns.proxy: is proxy"):
            self.assertIn(words, text)

    def test_a_running_server_is_not_disturbed(self) -> None:
        world = self.world(simulator=None)
        port = (world.folder / "server.port").read_text().strip()
        code, text = check(world, "--listen-port", port)
        self.assertEqual(code, 0, text)
        self.assertIn("is in use; by a carillond that runs already?", text)
        self.assertTrue(world.is_alive)

    def test_the_example_file_is_read(self) -> None:
        world = self.world(simulator=None, flags=None)
        example = subprocess.run([str(PROGRAMS / "carillond"), "--example-config"], capture_output=True, text=True,
                                 check=True).stdout
        (world.folder / "example.json").write_text(example)
        done = subprocess.run([str(PROGRAMS / "carillond"), "--check-config", "--config", world.keys.path("example.json"),
                               "--apps-file", world.keys.path("apps.json"), "--principals-file",
                               world.keys.path("principals.json"), "--data-path", world.keys.path("data")],
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_misspelt_setting_is_refused(self) -> None:
        world = self.world(simulator=None, flags=None)
        settings = json.loads((world.folder / "carillon.json").read_text())
        settings["listen"]["prot"] = 1
        world.write("carillon.json", settings)
        self.assertIn("listen.prot is no setting", world.refused_start())
        code, text = check(world)
        self.assertEqual((code, "listen.prot is no setting" in text), (1, True))

    def test_precedence(self) -> None:
        world = self.world(simulator=None, flags=None)
        settings = json.loads((world.folder / "carillon.json").read_text())
        settings["threads"] = 100
        world.write("carillon.json", settings)

        def said(environment: Dict[str, str], *flags: str) -> str:
            command = [str(PROGRAMS / "carillond"), "--check-config", "--config", world.keys.path("carillon.json"), *flags]
            return subprocess.run(command, capture_output=True, text=True, env=environment).stderr

        self.assertIn("threads: is 100", said({}))
        self.assertIn("threads: is 200", said({"CARILLON_THREADS": "200"}))
        self.assertIn("threads: is 300", said({"CARILLON_THREADS": "200"}, "--threads", "300"))


class ConnectProxy:
    """A small CONNECT proxy on threads; remembers what it was asked."""

    def __init__(self, credentials: Optional[str] = None) -> None:
        self.expected = base64.b64encode(credentials.encode()).decode() if credentials else None
        self.asked: List[str] = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                peer, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(peer,), daemon=True).start()

    def _serve(self, peer: socket.socket) -> None:
        with peer:
            head = b""
            while b"\r\n\r\n" not in head:
                piece = peer.recv(4096)
                if not piece:
                    return
                head += piece
            self.asked.append(head.split(b"\r\n")[0].decode())
            if self.expected and f"Proxy-Authorization: Basic {self.expected}\r\n".encode() not in head:
                peer.sendall(b"HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n")
                return
            host, _, port = head.split()[1].decode().rpartition(":")
            with socket.create_connection((host, int(port))) as far:
                # In two pieces: the answer of a proxy may come as it likes.
                peer.sendall(b"HTTP/1.1 200 Connection est")
                time.sleep(0.05)
                peer.sendall(b"ablished\r\nVia: 1.1 test\r\n\r\n")
                while True:
                    for ready in select.select([peer, far], [], [])[0]:
                        data = ready.recv(65536)
                        if not data:
                            return
                        (far if ready is peer else peer).sendall(data)


class Proxies(Case):
    """The way to APNs through a proxy."""

    def deliver(self, world: World) -> None:
        """Three pushes."""
        with world.client() as client:
            sent = client.send(APP, register(client, 3), PAYLOAD)["message_id"]
            self.assertEqual(finished(client, sent), {"delivered": 3})

    def test_connect(self) -> None:
        proxy = ConnectProxy()
        world = self.world(flags=("--apns-proxy", f"localhost:{proxy.port}"))
        self.deliver(world)
        self.assertEqual(proxy.asked, [f"CONNECT localhost:{world.simulator.port} HTTP/1.1"])

    def test_basic_authentication(self) -> None:
        proxy = ConnectProxy("carillon:open sesame")
        world = self.world(flags=None)
        secret = world.folder / "proxy.secret"
        secret.write_text("carillon:wrong\n")
        secret.chmod(0o600)
        flags = ("--apns-proxy", f"127.0.0.1:{proxy.port}", "--apns-proxy-credentials-file", str(secret))
        world.start(*flags)
        with world.client() as client:
            client.send(APP, register(client, 1), PAYLOAD)
        eventually(lambda: "(407)" in world.log(), "the log names the cause")
        self.assertEqual(world.terminate(), 0)
        secret.write_text("carillon:open sesame\n")
        world.start(*flags)
        self.deliver(world)
        self.assertNotIn("sesame", world.log())


if __name__ == "__main__":
    unittest.main()
