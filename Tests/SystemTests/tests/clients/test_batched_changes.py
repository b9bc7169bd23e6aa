"""Changes that arrive in one packet are committed together, each with its own result, and before the requests behind
them; real processes."""
from __future__ import annotations

import os
import unittest
from typing import Any, Dict, List, Tuple

from support.clients.raw_connection import RawConnection
from support.clients.requests import lookup, register
from support.deployment import APP, OTHER_APP, crln, eventually
from support.system_test_case import SystemTestCase


def named(token: bytes) -> Dict[str, Any]:
    """Returns a device reference by token."""
    return {"token": {"environment": 1, "kind": 1, "token": token}}


def subscribe(id: int, token: bytes, **tags: Any) -> bytes:
    """Returns a SUBSCRIBE of one device to the topic `news`."""
    return crln.encode("client", "subscribe", {
        "app": APP, "topics": ["news"], "devices": [named(token)], "groups": [], **tags}, id)


def unregister(id: int, token: bytes, **tags: Any) -> bytes:
    """Returns an UNREGISTER."""
    return crln.encode("client", "unregister", {"app": APP, "device": named(token), "at": 0, **tags}, id)


class BatchedChangesTests(SystemTestCase):
    """One connection that sends all its requests at once."""

    def answers(self, raw: RawConnection, count: int) -> Dict[int, Tuple[str, Dict[str, Any]]]:
        """Reads `count` frames, by request id."""
        found = {}
        for _ in range(count):
            frame = raw.read_frame()
            assert frame is not None, "closed"
            text = crln.ERRORS[frame.fields["code"]] if frame.message == "error" else frame.message
            found[frame.id] = (text, frame.fields)
        return found

    def test_a_failed_change_does_not_affect_the_others(self) -> None:
        deployment = self.deployment(simulator=None)
        tokens: List[bytes] = [os.urandom(32) for _ in range(3)]
        with deployment.raw("open") as raw:
            raw.send(b"".join([
                register(3, token=tokens[0]),
                crln.encode("client", "restore", {"app": APP, "device": {"id": 1 << 40}}, 4),
                register(5, token=tokens[1]),
                register(6, token=tokens[2], app=b"com.example.unserved"),
                subscribe(7, tokens[0]),
                register(8, token=tokens[2], app=OTHER_APP.encode()),
                unregister(9, tokens[1]),
                # A malformed payload, and a change behind it.
                register(10, token=tokens[2], token_length=33),
                crln.encode("client", "join", {"app": APP, "group": "g", "devices": [named(tokens[0])]}, 11)]))
            found = self.answers(raw, 9)
        self.assertEqual(
            {id: text for id, (text, _) in found.items()},
            {3: "register", 4: "NOT_FOUND", 5: "register", 6: "NOT_FOUND", 7: "subscribe", 8: "register",
             9: "unregister", 10: "MALFORMED", 11: "join"})
        self.assertEqual([found[id][1]["result"] for id in (3, 5, 8, 9)], [1, 1, 1, 1])
        self.assertEqual((found[7][1]["changed"], found[11][1]["joined"]), (1, 1))

    def test_changes_are_made_before_later_requests(self) -> None:
        deployment = self.deployment(simulator=None)
        token = os.urandom(32)
        with deployment.raw("open") as raw:
            raw.send(b"".join([
                register(3, token=token), subscribe(4, token),
                crln.encode("client", "send", {
                    "app": APP, "key": crln.NO_KEY, "push_type": 1, "priority": 0, "audience": 3, "devices": [],
                    "payload": b"{}", "topic": "news"}, 5),
                unregister(6, token)]))
            found = self.answers(raw, 4)
            self.assertEqual([found[id][0] for id in (3, 4, 5, 6)], ["register", "subscribe", "send", "unregister"])
            self.assertEqual(found[5][1]["total"], 1)
            raw.send(lookup(7, token))
            self.assertEqual(self.answers(raw, 1)[7][0], "NOT_FOUND")

    def test_each_of_many_changes_has_its_answer(self) -> None:
        deployment = self.deployment(simulator=None)
        tokens = [os.urandom(32) for _ in range(1_000)]
        with deployment.raw("open") as raw:
            raw.send(b"".join(register(3 + index, token=token) for index, token in enumerate(tokens)))
            found = self.answers(raw, len(tokens))
            self.assertEqual({text for text, _ in found.values()}, {"register"})
            self.assertEqual(len({fields["device_id"] for _, fields in found.values()}), len(tokens))

    def test_changes_of_a_client_that_has_gone_are_made(self) -> None:
        deployment = self.deployment(simulator=None)
        tokens = [os.urandom(32) for _ in range(50)]
        raw = deployment.raw("open")
        raw.send(b"".join(register(3 + index, token=token) for index, token in enumerate(tokens)))
        raw.close()
        with deployment.raw("open") as other:
            ids = iter(range(3, 10_000))

            def is_there() -> bool:
                id = next(ids)
                other.send(lookup(id, tokens[-1]))
                return self.answers(other, 1)[id][0] == "lookup"

            eventually(is_there, "the last is registered")
        self.assertTrue(deployment.is_alive)


if __name__ == "__main__":
    unittest.main()
