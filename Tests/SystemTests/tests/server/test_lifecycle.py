"""Stops, kills, restarts and answers of APNs: acknowledged changes are stored, accepted messages arrive, every device
has one outcome, and no secret is in the log."""
from __future__ import annotations

import json
import os
import re
import signal
import socket
import threading
import unittest
from collections import Counter
from typing import Any, Dict, List, Tuple

from support.deployment import APP, Deployment, crln, eventually
from support.environment import free_port
from support.system_test_case import PAYLOAD, SystemTestCase, now, register, wait_finished

CarillonError = crln.CarillonError


class Load:
    """Sends REGISTERs without a pause on one connection until it ends, and remembers the acknowledged ones."""

    def __init__(self, deployment: Deployment) -> None:
        self.raw = deployment.raw("open")
        self.tokens: Dict[int, bytes] = {}
        self.acknowledged: List[int] = []
        self.refused: List[int] = []
        self.goaways: List[Dict[str, Any]] = []
        self.room = threading.Semaphore(300)
        self.ended = False
        self.problem = ""
        self.threads = [threading.Thread(target=work, daemon=True) for work in (self._write, self._read)]
        for thread in self.threads:
            thread.start()

    def _write(self) -> None:
        id = 3
        while not self.ended:
            if not self.room.acquire(timeout=0.1):
                continue
            self.tokens[id] = os.urandom(32)
            self.raw.request(id, "register", app=APP, environment=1, kind=1, token=self.tokens[id], seen_at=0)
            id += 1

    def _read(self) -> None:
        try:
            while (frame := self.raw.frame(30)) is not None:
                if frame.message == "register":
                    self.acknowledged.append(frame.id)
                elif frame.message == "goaway":
                    self.goaways.append(frame.fields)
                elif (frame.message == "error" and frame.fields["effect"] == 0
                      and crln.ERRORS[frame.fields["code"]] == "DRAINING"):
                    self.refused.append(frame.id)
                else:
                    self.problem = f"{frame}"
                if frame.id:
                    self.room.release()
        except BaseException as error:
            self.problem = repr(error)
        self.ended = True

    def join(self) -> None:
        """Waits until the connection has ended."""
        for thread in self.threads:
            thread.join(30)
        self.raw.close()


class Stops(SystemTestCase):
    """SIGTERM, SIGKILL, and the data afterwards."""

    def test_a_drain_under_load_answers_what_it_executed(self) -> None:
        deployment = self.deployment(simulator=None)
        loads = [Load(deployment) for _ in range(3)]
        eventually(lambda: all(len(load.acknowledged) > 300 for load in loads), "load", 30)
        self.assertEqual(deployment.terminate(), 0)
        for load in loads:
            load.join()
            self.assertEqual(load.problem, "")
            self.assertEqual(len(load.goaways), 2, "GOAWAY comes twice")
            first, second = load.goaways
            self.assertEqual(first["last_id"], 2**64 - 1)
            self.assertEqual({first["code"], second["code"]}, {20})
            last = second["last_id"]
            self.assertEqual(sorted(load.acknowledged), list(range(3, last + 1)), "all up to last_id are answered")
            self.assertTrue(all(id > last for id in load.refused))
        deployment.start()
        with deployment.client() as client:
            for load in loads:
                last = load.goaways[1]["last_id"]
                for id, token in load.tokens.items():
                    if id > last:
                        with self.assertRaises(CarillonError) as caught:
                            client.lookup(APP, token)
                        self.assertEqual(caught.exception.code, "NOT_FOUND", f"{id} above last_id was executed")
                        continue
                    self.assertEqual(client.lookup(APP, token)["state"], "active", f"{id} was acknowledged")

    def test_a_drain_closes_idle_and_unfinished_connections(self) -> None:
        deployment = self.deployment(simulator=None)
        idle, early, late = deployment.raw("open"), deployment.raw("hello"), deployment.raw()
        self.assertEqual(deployment.terminate(), 0)
        self.assertEqual([idle.frame().fields["last_id"] for _ in range(2)], [2**64 - 1, 2])
        for raw in (idle, early, late):
            raw.has_preface = True
            self.assertIsNone(raw.frame())
            raw.close()

    def test_a_drain_ends_although_a_client_never_reads(self) -> None:
        deployment = self.deployment(simulator=None, flags=("--limits-drain-seconds", "1"))
        with deployment.client() as client:
            token, = register(client, 1)
        with deployment.raw("open") as raw:
            raw.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            raw.sock.settimeout(1)
            device = {"token": {"environment": 1, "kind": 1, "token": token}}
            id = 3
            try:
                while id < 500_000:
                    raw.sock.sendall(b"".join(crln.encode("client", "lookup", {"app": APP, "device": device}, each)
                                              for each in range(id, id + 100)))
                    id += 100
            except socket.timeout:
                pass
            self.assertEqual(deployment.terminate(), 0)

    def test_an_interrupt_drains_as_well(self) -> None:
        deployment = self.deployment(simulator=None)
        raw = deployment.raw("open")
        deployment.server.send_signal(signal.SIGINT)
        self.assertIsNotNone(raw.frame())
        self.assertEqual(deployment.server.wait(20), 0)
        raw.close()

    def test_the_same_data_has_no_second_server(self) -> None:
        deployment = self.deployment(simulator=None)
        with deployment.client() as client:
            token, = register(client, 1)
            text = deployment.refused_start()
            self.assertIn("is in use by another process", text)
            self.assertEqual(client.lookup(APP, token)["state"], "active")

    def test_a_hang_up_disturbs_no_client(self) -> None:
        deployment = self.deployment(simulator=None)
        with deployment.client() as client:
            token, = register(client, 1)
            deployment.server.send_signal(signal.SIGHUP)
            self.assertEqual(client.lookup(APP, token)["state"], "active")
            self.assertTrue(deployment.is_alive)

    def test_a_drain_waits_for_pushes(self) -> None:
        deployment = self.deployment(simulator=("--delay-milliseconds", "700"))
        with deployment.client() as client:
            tokens = register(client, 50)
            message = client.send(APP, tokens, PAYLOAD)["message_id"]
            eventually(lambda: deployment.simulator.stats()["requests"] > 0, "pushes are under way")
        self.assertEqual(deployment.terminate(), 0)
        deployment.start()
        with deployment.client() as client:
            self.assertEqual(wait_finished(client, message), {"delivered": 50})
        self.assertEqual(deployment.simulator.stats()["duplicates"], 0, "an orderly stop loses no answer")

    def test_a_kill_before_delivery_loses_no_message(self) -> None:
        deployment = self.deployment(simulator=None)
        with deployment.client() as client:
            tokens = register(client, 20)
            messages = [client.send(APP, tokens, {"aps": {"alert": str(index)}})["message_id"] for index in range(50)]
        deployment.kill()
        deployment.start_simulator()
        deployment.start()
        deployment.simulator.wait(1000)
        with deployment.client() as client:
            for message in messages:
                self.assertEqual(wait_finished(client, message), {"delivered": 20})
        pushes = Counter((push["token"], push["payload"]) for push in deployment.pushes())
        self.assertEqual(len(pushes), 1000, "every message reached every device")
        self.assertEqual(set(pushes.values()), {1}, "nothing was sent before, so nothing twice")

    def test_a_kill_during_delivery_loses_no_device(self) -> None:
        deployment = self.deployment(simulator=("--max-streams", "20"), flags=("--apns-connections", "1"))
        # Twenty of the first hundred are not answered: nothing more can be sent, and the kill does not come too late.
        deployment.simulator.rule(fault="delay", milliseconds=600_000, every=5)
        with deployment.client() as client:
            tokens = register(client, 400)
            message = client.send(APP, tokens, PAYLOAD)["message_id"]
        deployment.simulator.wait(100)
        deployment.kill()
        self.assertLess(deployment.simulator.stats()["accepted"], 400, "the kill came too late")
        deployment.simulator.ask("calm")
        deployment.start("--apns-connections", "1")
        with deployment.client() as client:
            self.assertEqual(wait_finished(client, message), {"delivered": 400})
        ids: Dict[str, set] = {}
        for push in deployment.pushes():
            ids.setdefault(push["token"], set()).add(push["apns-id"])
        self.assertEqual(set(ids), {token.hex() for token in tokens}, "every device has its push")
        self.assertTrue(all(len(each) == 1 for each in ids.values()), "a repeated push bears the same apns-id")

    def test_a_kill_under_load_loses_no_acknowledged_change(self) -> None:
        """An acknowledged change is on disk, even after SIGKILL."""
        deployment = self.deployment(simulator=None)
        loads = [Load(deployment) for _ in range(2)]
        eventually(lambda: all(len(load.acknowledged) > 500 for load in loads), "load", 30)
        deployment.kill()
        all_acknowledged: List[bytes] = []
        for load in loads:
            load.join()
            all_acknowledged += [load.tokens[id] for id in load.acknowledged]
        deployment.start()
        with deployment.client() as client:
            for token in all_acknowledged:
                self.assertEqual(client.lookup(APP, token)["state"], "active")

    def test_keys_and_tombstones_survive_a_restart_and_a_kill(self) -> None:
        deployment = self.deployment()
        begun = now() - 60_000
        with deployment.client() as client:
            kept, gone = register(client, 2)
            epoch = client.server["epoch"]
            client.unregister(APP, gone, now())
            key = os.urandom(16)
            first = client.send(APP, [kept, gone], PAYLOAD, key=key)
        self.assertEqual((first["total"], first["ended"]), (2, 1))
        for how in (deployment.terminate, deployment.kill):
            how()
            deployment.start()
            with self.subTest(how.__name__), deployment.client() as client:
                self.assertEqual(client.server["epoch"], epoch, "the same history")
                self.assertEqual(client.send(APP, [kept, gone], PAYLOAD, key=key), {**first, "duplicate": True})
                with self.assertRaises(CarillonError) as caught:
                    client.send(APP, [kept], PAYLOAD, key=key)
                self.assertEqual(caught.exception.code, "IDEMPOTENCY_CONFLICT")
                with self.assertRaises(CarillonError) as caught:
                    client.register(APP, gone, seen_at=begun + 1)
                self.assertEqual(caught.exception.code, "STALE")
                self.assertEqual(wait_finished(client, first["message_id"]), {"delivered": 1, "unregistered": 1})
        self.assertEqual(deployment.simulator.count(kept), 1)
        self.assertEqual(deployment.simulator.count(gone), 0)


class Answers(SystemTestCase):
    """The answers of APNs and the outcomes that follow."""

    def test_each_answer_of_apns_has_its_outcome(self) -> None:
        deployment = self.deployment()
        rules = {b"\xe1": (400, "BadDeviceToken"), b"\xe2": (400, "DeviceTokenNotForTopic"),
                 b"\xe3": (413, "PayloadTooLarge"), b"\xe4": (403, "Forbidden"), b"\xe5": (410, "Unregistered"),
                 b"\xe6": (410, "ExpiredToken"), b"\xe7": (400, "BadPriority"), b"\xe8": (418, "NewAndUnheardOf")}
        for prefix, (status, reason) in rules.items():
            deployment.simulator.rule(prefix=prefix.hex(), status=status, reason=reason)
        with deployment.client() as client:
            devices: List[Any] = []
            for count, prefix in enumerate(rules, 1):
                devices += register(client, count, prefix)
            devices += register(client, 500)
            sandbox, voip = b"\x01" + os.urandom(31), os.urandom(32)
            client.register(APP, sandbox, environment="sandbox")
            client.register(APP, voip, kind="voip")
            devices += [(sandbox, "sandbox", "device"), (voip, "production", "voip"), os.urandom(32), 1 << 51]
            answer = client.send(APP, devices + devices[:10], PAYLOAD)
            # A token of the wrong kind is known at once as well.
            self.assertEqual((answer["total"], answer["ended"]), (len(devices), 3))
            found = wait_finished(client, answer["message_id"])
            self.assertEqual(found, {
                "bad-token": 1, "token-not-for-topic": 2, "payload-too-large": 3, "forbidden": 4,
                "token-unregistered": 5, "token-expired": 6, "bad-request": 7, "refused": 8, "delivered": 500,
                "no-credential": 1, "wrong-kind": 1, "unregistered": 2})
            self.assertEqual(sum(found.values()), answer["total"])
            self.assertEqual(self.paged(client, answer["message_id"]), found)
        self.assertEqual(deployment.simulator.stats()["accepted"], 500)

    def paged(self, client: crln.Client, message: int) -> Dict[str, int]:
        """The outcomes, counted over all pages of recipients."""
        counts: Counter = Counter()
        cursor, pages = 0, 0
        while True:
            page = client.message_outcomes(APP, message, cursor, limit=100)
            counts.update(each["outcome"] for each in page["recipients"])
            cursor, pages = page["next"], pages + 1
            if not cursor:
                return dict(counts)
            self.assertLess(pages, 100, "pages without an end")

    def test_an_unregistered_device_gets_no_push(self) -> None:
        port = free_port()
        deployment = self.deployment(simulator=None, flags=None)
        deployment.start(apns_port=port)
        with deployment.client() as client:
            tokens = register(client, 10)
            message = client.send(APP, tokens, PAYLOAD)["message_id"]
            for token in tokens[:4]:
                client.unregister(APP, token)
            eventually(lambda: "cannot connect" in deployment.log(), "an attempt that is refused")
            deployment.start_simulator(port=port)
            self.assertEqual(wait_finished(client, message), {"delivered": 6, "unregistered": 4})
        self.assertEqual([deployment.simulator.count(token) for token in tokens], [0] * 4 + [1] * 6)

    def test_only_a_410_after_the_registration_quarantines_a_device(self) -> None:
        """Only a 410 whose time is not before the registration quarantines a device."""
        deployment = self.deployment()
        with deployment.client() as client:
            old, new = register(client, 1, b"\xd1") + register(client, 1, b"\xd2")
            deployment.simulator.rule(prefix="d1", status=410, reason="Unregistered", timestamp=now() - 3_600_000)
            deployment.simulator.rule(prefix="d2", status=410, reason="Unregistered", timestamp=now() + 1_000)
            message = client.send(APP, [old, new], PAYLOAD)["message_id"]
            self.assertEqual(wait_finished(client, message), {"token-unregistered": 2})
            self.assertEqual([client.lookup(APP, token)["state"] for token in (old, new)], ["active", "quarantined"])
            requests = deployment.simulator.stats()["requests"]
            message = client.send(APP, [new], PAYLOAD)["message_id"]
            self.assertEqual(wait_finished(client, message), {"quarantined": 1})
            self.assertEqual(deployment.simulator.stats()["requests"], requests, "no push to a device in quarantine")
        self.assertEqual(deployment.terminate(), 0)
        deployment.start()
        with deployment.client() as client:
            self.assertEqual(client.lookup(APP, new)["state"], "quarantined", "after a restart")
            client.register(APP, new)
            self.assertEqual(client.lookup(APP, new)["state"], "active", "the app has seen it again")

    def test_pushes_are_delivered_after_temporary_errors(self) -> None:
        """After 503, 500 and 429 the push is delivered in the end, with the same apns-id."""
        deployment = self.deployment()
        rules = [(b"\xc1", 503, "ServiceUnavailable", 2), (b"\xc2", 500, "InternalServerError", 2),
                 (b"\xc3", 429, "TooManyRequests", 1)]
        tokens = {}
        with deployment.client(timeout=60) as client:
            for prefix, status, reason, times in rules:
                deployment.simulator.rule(prefix=prefix.hex(), status=status, reason=reason, times=times)
                tokens[register(client, 1, prefix)[0].hex()] = times
            message = client.send(APP, list(tokens), PAYLOAD)["message_id"]
            self.assertEqual(wait_finished(client, message, 90), {"delivered": 3})
        tries: Dict[str, List[Tuple[str, int]]] = {}
        for push in deployment.pushes():
            tries.setdefault(push["token"], []).append((push["apns-id"], push["status"]))
        for token, times in tokens.items():
            self.assertEqual(len(tries[token]), times + 1)
            self.assertEqual(len({id for id, _ in tries[token]}), 1, "one apns-id for all attempts")
            self.assertEqual([status for _, status in tries[token]].count(200), 1)

    def test_messages_wait_while_apns_is_away(self) -> None:
        deployment = self.deployment()
        with deployment.client() as client:
            tokens = register(client, 30)
            first = client.send(APP, tokens, PAYLOAD)["message_id"]
            self.assertEqual(wait_finished(client, first), {"delivered": 30})
            port = deployment.simulator.port
            deployment.stop_simulator()
            second = client.send(APP, tokens, PAYLOAD)["message_id"]
            eventually(lambda: "cannot connect" in deployment.log(), "an attempt that is refused")
            deployment.start_simulator(port=port)
            self.assertEqual(wait_finished(client, second), {"delivered": 30})


class ReadTogether(SystemTestCase):
    """Requests of one connection that arrive in one packet."""

    def test_lookups_are_answered_among_other_requests(self) -> None:
        deployment = self.deployment(simulator=None)
        with deployment.client() as client:
            token, other = register(client, 2)
            client.update_device(APP, other, muted=True)
            known = {"environment": 1, "kind": 1, "token": token}
            asked: List[Tuple[str, Dict[str, Any], Any]] = [
                ("lookup", {"app": APP, "device": crln.device_field(token)}, token),
                ("lookup", {"app": APP, "device": crln.device_field(other)}, other),
                ("lookup", {"app": APP, "device": crln.device_field(b"unknown")}, "NOT_FOUND"),
                ("lookup", {"app": "com.example.unknown", "device": crln.device_field(token)}, "NOT_FOUND"),
                ("message_status", {"app": APP, "message_id": 99}, "NOT_FOUND"),
                ("register", {"app": APP, "seen_at": 0, **known}, None),
                ("lookup", {"app": APP, "device": crln.device_field(token)}, token),
                ("memberships", {"app": APP, "device": crln.device_field(token), "after": "", "limit": 1}, None),
                ("lookup", {"app": APP, "device": crln.device_field(other)}, other),
            ]
            with deployment.raw("open") as raw:
                raw.send(b"".join(crln.encode("client", message, fields, id)
                                  for id, (message, fields, _) in enumerate(asked, 10)))
                frames = {frame.id: frame for frame in (raw.frame() for _ in asked) if frame is not None}
            for id, (message, _, expected) in enumerate(asked, 10):
                frame = frames[id]
                if expected == "NOT_FOUND":
                    self.assertEqual((frame.message, crln.ERRORS[frame.fields["code"]]), ("error", expected))
                    continue
                self.assertEqual(frame.message, message)
                if message == "lookup":
                    self.assertEqual(frame.fields["token"], expected)
                    self.assertEqual(frame.fields.get("muted", 0), int(expected == other))
            expected = {("lookup", "ok"): 4, ("lookup", "NOT_FOUND"): 2, ("message_status", "NOT_FOUND"): 1}
            eventually(lambda: expected.items() <= {(row["operation"], row["result"]): row["count"] for row
                                                    in client.statistics()["requests"]}.items(), "all are counted")


class AuditLines(SystemTestCase):
    """The log says which client has sent to many devices."""

    def test_a_broadcast_has_an_audit_line_whatever_the_level_of_the_log_is(self) -> None:
        deployment = self.deployment(flags=("--log-level", "error"))
        with deployment.client() as client:
            tokens = register(client, 2)
            client.send(APP, tokens, {"aps": {"alert": "one by one"}})
            message = client.send_to(APP, {"aps": {"alert": "Raid"}}, all_devices=True,
                                     label='Raid "21:00"')["message_id"]
            wait_finished(client, message)
            self.assertEqual(client.message_status(APP, message)["sender"], "demo")
            self.assertEqual([row["message_id"] for row in client.messages(APP, label="Raid")["messages"]], [message])
            client.resend(APP, message, ["gave-up"])
        self.assertEqual(deployment.terminate(), 0)
        lines = [line for line in deployment.log().splitlines() if " audit" in line]
        self.assertEqual(len(lines), 2, lines)
        for part in ("info", "principal=demo", "address=127.0.0.1", "operation=send", f"app={APP}",
                     f"message={message}", r'label="Raid \"21:00\""', "audience=all", "total=2"):
            self.assertIn(part, lines[0])
        for part in ("operation=resend", f"message={message + 1}", f"resent={message}"):
            self.assertIn(part, lines[1])


class LogForms(SystemTestCase):
    """The lines of the log."""

    def test_json_has_an_object_a_line_and_debug_names_each_answer(self) -> None:
        deployment = self.deployment(simulator=None, flags=("--log-format", "json", "--log-level", "debug"))
        with deployment.client() as client:
            tokens = register(client, 1)
            message = client.send(APP, tokens, {"aps": {"alert": "quite private"}}, label='Raid "21:00"')["message_id"]
            with self.assertRaises(CarillonError):
                client.message_status(APP, 99)
        self.assertEqual(deployment.terminate(), 0)
        records = [json.loads(line) for line in deployment.log().splitlines() if line.startswith("{")]
        self.assertTrue(all(record.keys() >= {"time", "level", "logger", "source", "msg"} for record in records))
        answered = [record for record in records if record["msg"] == "request answered"]
        self.assertEqual([(record["operation"], record["result"], record.get("message")) for record in answered[-3:]],
                         [("register-batch", "ok", None), ("send", "ok", str(message)),
                          ("message-status", "NOT_FOUND", None)])
        self.assertEqual({record["principal"] for record in answered[-3:]}, {"demo"})
        self.assertEqual(len({record["request"] for record in answered[-3:]}), 3)

    def test_journald_gets_priorities(self) -> None:
        deployment = self.deployment(simulator=None, flags=None)
        with open(deployment.folder / "server.log", "wb") as log:
            status = os.fstat(log.fileno())
        deployment.environment["JOURNAL_STREAM"] = f"{status.st_dev}:{status.st_ino}"
        deployment.start()
        deployment.terminate()
        lines = [line for line in deployment.log().splitlines() if "[CarillonServer]" in line]
        self.assertTrue(lines and all(re.match(r"<[2-7]>", line) for line in lines), lines)


class Secrets(SystemTestCase):
    """Secrets must not be readable."""

    def test_secrets_are_not_readable(self) -> None:
        deployment = self.deployment(flags=("--log-level", "trace"))
        deployment.simulator.rule(prefix="b1", status=400, reason="BadDeviceToken")
        deployment.simulator.rule(prefix="b2", status=410, reason="Unregistered")
        with deployment.client() as client:
            tokens = register(client, 5) + register(client, 2, b"\xb1") + register(client, 2, b"\xb2")
            client.register(APP, os.urandom(32), replaces=tokens[0], locale="de")
            message = client.send(APP, tokens, {"aps": {"alert": "quite private"}})["message_id"]
            wait_finished(client, message)
            client.unregister(APP, tokens[1])
            with self.assertRaises(CarillonError):
                client.lookup(APP, tokens[1])
        wrong = "crln_" + os.urandom(32).hex()
        with self.assertRaises(CarillonError):
            deployment.client(wrong)
        with deployment.raw("auth") as raw:
            raw.request(2, "hello", software="x", receive_limit=0)
            raw.frame()
        self.assertEqual(deployment.terminate(), 0)

        pem = (deployment.folder / "AuthKey.p8").read_text()
        key_lines = [line for line in pem.splitlines() if line and "-" not in line]
        secrets = [deployment.api_key, wrong, *key_lines, "quite private"]
        log = deployment.log()
        self.assertGreater(len(log), 200, "a log that says something")
        for secret in secrets:
            self.assertNotIn(secret, log, "a secret in the log")
        self.assertIsNone(re.search(r"eyJ[\w-]+\.", log), "a provider token in the log")
        for token in tokens:
            self.assertNotIn(token.hex(), log.lower(), "a whole token in the log")
            self.assertNotIn(str(list(token))[1:-1], log, "a whole token in the log, as numbers")

        files = [file for file in (deployment.folder / "data").rglob("*") if file.is_file()]
        self.assertTrue(files)
        for file in files:
            content = file.read_bytes()
            self.assertEqual(file.stat().st_mode & 0o077, 0, f"{file.name} is open to others")
            for secret in [deployment.api_key, wrong, *key_lines]:
                self.assertNotIn(secret.encode(), content, f"a secret in {file.name}")
            self.assertIsNone(re.search(rb"eyJ[\w-]+\.eyJ", content), f"a provider token in {file.name}")


if __name__ == "__main__":
    unittest.main()
