"""The sessions of sessions/*.json."""
from typing import Any, Dict, List

import crln
from cases.invalid_cases import AUTH, HELLO
from cases.samples import APP, SEEN, hello_fields, register_fields, send_fields, subscribe_fields

SUBSCRIPTION_ID = 3


class Session:
    """A session of sessions/*.json, built step by step; it begins with the prefaces, HELLO and AUTH."""

    def __init__(self) -> None:
        self.steps: List[Dict[str, str]] = []
        self.step("client", crln.client_preface(), "preface, versions 1 to 1")
        self.step("server", bytes.fromhex("c343524c4e0d0a1a0100000000000000"), "preface, version 1")
        self.exchange("hello", id=1, asked=HELLO, answered=hello_fields(), note="AUTH must follow")
        self.exchange("auth", id=2, asked=AUTH, note="register, send and observe for one app",
                      answered={"principal": "game-backend", "grants": [{"app": APP, "roles": 7}]})

    def step(self, sender: str, data: bytes, note: str) -> None:
        self.steps.append({"from": sender, "hex": data.hex(), "note": note})

    def exchange(self, message: str, *, id: int, asked: Dict[str, Any], answered: Dict[str, Any], note: str) -> None:
        self.step("client", crln.encode("client", message, asked, id), f"{message.upper()}, id {id}")
        self.step("server", crln.encode("server", message, answered, id), note)

    def event(self, note: str, *, sequence: int, kind: int, **tags: Any) -> None:
        fields = {"sequence": sequence, "at": SEEN, "kind": kind, **tags}
        self.step("server", crln.encode("server", "event", fields, SUBSCRIPTION_ID), note)


def first_push() -> Dict[str, Any]:
    session = Session()
    session.exchange("register", id=3, asked=register_fields(), answered={"device_id": 42, "result": 1},
                     note="created as device 42")
    session.exchange("send", id=4, asked=send_fields(), note="message 7, one device",
                     answered={"message_id": 7, "duplicate": 0, "total": 1, "ended": 0})
    session.exchange("message_status", id=5, asked={"app": APP, "message_id": 7}, note="finished: one delivered",
                     answered={"state": 3, "accepted_at": SEEN + 100, "finished_at": SEEN + 250, "total": 1,
                               "outcomes": [{"outcome": 1, "devices": 1}]})
    return {"name": "first push", "steps": session.steps}


def events() -> Dict[str, Any]:
    session = Session()
    session.exchange("subscribe_events", id=SUBSCRIPTION_ID, asked=subscribe_fields(kinds=[], credit=2),
                     answered={"after": 10}, note="ops had acknowledged up to 10")
    session.event("11 to 37 are gone: a gap is said", sequence=37, kind=0, missed_from=11, missed_to=38)
    session.event("a delivery has failed; the credit is spent", sequence=41, kind=2, app=APP, message_id=7,
                  device_id=42, outcome=4)
    session.exchange("event_credit", id=4, asked={"subscription": SUBSCRIPTION_ID, "credit": 4, "ack": 41},
                     answered={}, note="41 is done with, durably")
    session.event("the message has finished", sequence=43, kind=1, app=APP, message_id=7, count=1)
    session.exchange("unsubscribe_events", id=5, asked={"subscription": SUBSCRIPTION_ID}, answered={},
                     note="no more events; ops begins after 41 again")
    return {"name": "events", "steps": session.steps}
