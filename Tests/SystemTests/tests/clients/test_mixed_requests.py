"""Requests of one connection that arrive in one packet: each has its own answer; real processes."""
from __future__ import annotations

import unittest
from typing import Any, Dict, List, Tuple

from support.deployment import APP, crln, eventually
from support.system_test_case import SystemTestCase, register


class MixedRequestsTests(SystemTestCase):
    """Reads of rows among requests that take longer."""

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
                frames = {frame.id: frame for frame in (raw.read_frame() for _ in asked) if frame is not None}
            for id, (message, _, answer) in enumerate(asked, 10):
                frame = frames[id]
                if answer == "NOT_FOUND":
                    self.assertEqual((frame.message, crln.ERRORS[frame.fields["code"]]), ("error", answer))
                    continue
                self.assertEqual(frame.message, message)
                if message == "lookup":
                    self.assertEqual(frame.fields["token"], answer)
                    self.assertEqual(frame.fields.get("muted", 0), int(answer == other))
            counts = {("lookup", "ok"): 4, ("lookup", "NOT_FOUND"): 2, ("message_status", "NOT_FOUND"): 1}
            eventually(lambda: counts.items() <= {(row["operation"], row["result"]): row["count"] for row
                                                  in client.statistics()["requests"]}.items(), "all are counted")


if __name__ == "__main__":
    unittest.main()
