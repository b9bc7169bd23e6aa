"""The log: its forms, its audit lines, and no secret in it; real processes."""
from __future__ import annotations

import json
import os
import re
import unittest
from typing import List, Tuple

from support.deployment import APP, Deployment, crln
from support.system_test_case import SystemTestCase, register, wait_finished

CarillonError = crln.CarillonError


class AuditLinesTests(SystemTestCase):
    """The log says which client has sent to many devices."""

    def test_a_send_to_all_has_an_audit_line_whatever_the_level_of_the_log_is(self) -> None:
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


class LogFormsTests(SystemTestCase):
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
        self.assertNotEqual(lines, [])
        self.assertEqual([line for line in lines if not re.match(r"<[2-7]>", line)], [])


class SecretsTests(SystemTestCase):
    """Secrets must not be readable."""

    def run_with_secrets(self) -> Tuple[Deployment, List[bytes], List[str]]:
        """Runs a server that logs everything, with pushes, refusals and wrong keys, to its end. Returns it, the tokens
        of its devices, and the keys that nothing may show."""
        deployment = self.deployment(flags=("--log-level", "trace"))
        deployment.simulator.add_rules(prefix="b1", status=400, reason="BadDeviceToken")
        deployment.simulator.add_rules(prefix="b2", status=410, reason="Unregistered")
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
            raw.send_request(2, "hello", software="x", receive_limit=0)
            raw.read_frame()
        self.assertEqual(deployment.terminate(), 0)

        pem = (deployment.folder / "AuthKey.p8").read_text()
        key_lines = [line for line in pem.splitlines() if line and "-" not in line]
        return deployment, tokens, [deployment.api_key, wrong, *key_lines]

    def test_no_secret_is_in_the_log(self) -> None:
        deployment, tokens, keys = self.run_with_secrets()
        log = deployment.log()
        self.assertGreater(len(log), 200, "a log that says something")
        for secret in [*keys, "quite private"]:
            self.assertNotIn(secret, log, "a secret in the log")
        self.assertIsNone(re.search(r"eyJ[\w-]+\.", log), "a provider token in the log")
        for token in tokens:
            self.assertNotIn(token.hex(), log.lower(), "a whole token in the log")
            self.assertNotIn(str(list(token))[1:-1], log, "a whole token in the log, as numbers")

    def test_no_key_is_in_the_data_and_no_other_user_reads_them(self) -> None:
        deployment, _, keys = self.run_with_secrets()
        files = [file for file in (deployment.folder / "data").rglob("*") if file.is_file()]
        self.assertTrue(files)
        for file in files:
            content = file.read_bytes()
            self.assertEqual(file.stat().st_mode & 0o077, 0, f"{file.name} is open to others")
            for key in keys:
                self.assertNotIn(key.encode(), content, f"a secret in {file.name}")
            self.assertIsNone(re.search(rb"eyJ[\w-]+\.eyJ", content), f"a provider token in {file.name}")


if __name__ == "__main__":
    unittest.main()
