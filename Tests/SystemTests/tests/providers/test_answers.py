"""Each answer of APNs gives every device the outcome that the page “APNs verdicts” names; real processes."""
from __future__ import annotations

import os
import unittest
from collections import Counter
from typing import Any, Dict, List, Tuple

from support.deployment import APP, crln, eventually
from support.environment import free_port
from support.system_test_case import PAYLOAD, SystemTestCase, now, register, wait_finished


class AnswersTests(SystemTestCase):
    """Statuses, reasons and delays of APNs, each by a rule of the simulator."""

    def test_each_answer_of_apns_has_its_outcome(self) -> None:
        deployment = self.deployment()
        rules = {b"\xe1": (400, "BadDeviceToken"), b"\xe2": (400, "DeviceTokenNotForTopic"),
                 b"\xe3": (413, "PayloadTooLarge"), b"\xe4": (403, "Forbidden"), b"\xe5": (410, "Unregistered"),
                 b"\xe6": (410, "ExpiredToken"), b"\xe7": (400, "BadPriority"), b"\xe8": (418, "NewAndUnheardOf")}
        for prefix, (status, reason) in rules.items():
            deployment.simulator.add_rules(prefix=prefix.hex(), status=status, reason=reason)
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
        """Returns the outcomes, counted over all pages of recipients."""
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
        self.assertEqual([deployment.simulator.accepted_count(token) for token in tokens], [0] * 4 + [1] * 6)

    def test_only_a_410_after_the_registration_quarantines_a_device(self) -> None:
        deployment = self.deployment()
        with deployment.client() as client:
            old, new = register(client, 1, b"\xd1") + register(client, 1, b"\xd2")
            deployment.simulator.add_rules(prefix="d1", status=410, reason="Unregistered", timestamp=now() - 3_600_000)
            deployment.simulator.add_rules(prefix="d2", status=410, reason="Unregistered", timestamp=now() + 1_000)
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
                deployment.simulator.add_rules(prefix=prefix.hex(), status=status, reason=reason, times=times)
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


if __name__ == "__main__":
    unittest.main()
