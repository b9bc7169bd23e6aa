"""The sessions of sessions/*.json."""
from typing import Any, Dict, List

import crln
from cases.invalid_cases import AUTH, HELLO
from cases.samples import APP, SEEN, hello_fields, register_fields, send_fields, subscribe_fields


class Session:
    """A session of sessions/*.json, built step by step; it begins with the prefaces, HELLO and AUTH."""

    def __init__(self) -> None:
        self.steps: List[Dict[str, str]] = []
        self.step("client", crln.client_preface(), "preface, versions 1 to 1")
        self.step("server", bytes.fromhex("c343524c4e0d0a1a0100000000000000"), "preface, version 1")
        self.exchange("hello", 1, HELLO, hello_fields(), "AUTH must follow")
        self.exchange("auth", 2, AUTH, {"principal": "game-backend", "grants": [{"app": APP, "roles": 7}]},
                      "register, send and observe for one app")

    def step(self, sender: str, data: bytes, note: str) -> None:
        self.steps.append({"from": sender, "hex": data.hex(), "note": note})

    def exchange(self, message: str, id: int, asked: Dict[str, Any], answered: Dict[str, Any], note: str) -> None:
        self.step("client", crln.encode("client", message, asked, id), f"{message.upper()}, id {id}")
        self.step("server", crln.encode("server", message, answered, id), note)

    def event(self, id: int, note: str, sequence: int, kind: int, **tags: Any) -> None:
        fields = {"sequence": sequence, "at": SEEN, "kind": kind, **tags}
        self.step("server", crln.encode("server", "event", fields, id), note)


def first_push() -> Dict[str, Any]:
    session = Session()
    session.exchange("register", 3, register_fields(), {"device_id": 42, "result": 1}, "created as device 42")
    session.exchange("send", 4, send_fields(), {"message_id": 7, "duplicate": 0, "total": 1, "ended": 0},
                     "message 7, one device")
    session.exchange("message_status", 5, {"app": APP, "message_id": 7}, {
        "state": 3, "accepted_at": SEEN + 100, "finished_at": SEEN + 250, "total": 1,
        "outcomes": [{"outcome": 1, "devices": 1}]}, "finished: one delivered")
    return {"name": "first push", "steps": session.steps}


def events() -> Dict[str, Any]:
    session = Session()
    session.exchange("subscribe_events", 3, subscribe_fields(kinds=[], credit=2), {"after": 10},
                     "ops had acknowledged up to 10")
    session.event(3, "11 to 37 are gone: a gap is said", 37, 0, missed_from=11, missed_to=38)
    session.event(3, "a delivery has failed; the credit is spent", 41, 2, app=APP, message_id=7, device_id=42,
                  outcome=4)
    session.exchange("event_credit", 4, {"subscription": 3, "credit": 4, "ack": 41}, {}, "41 is done with, durably")
    session.event(3, "the message has finished", 43, 1, app=APP, message_id=7, count=1)
    session.exchange("unsubscribe_events", 5, {"subscription": 3}, {}, "no more events; ops begins after 41 again")
    return {"name": "events", "steps": session.steps}
