"""Requests about event subscriptions as bytes, and reading of events."""
from __future__ import annotations

import os
from typing import Iterable, List

from support.clients.raw_connection import RawConnection, raw_frame
from support.clients.requests import Refused, ask, batch, register_payload, string
from support.deployment import Deployment
from support.environment import APP, crln, require

REPLACED = 4
NO_SUBSCRIPTION = Refused("NOT_FOUND", "request", "subscription")


def events(id: int = 3, *, name: str = "", start: int = crln.NOW, apps: Iterable[str] = (),
           kinds: Iterable[int] = (REPLACED,), credit: int = 0) -> bytes:
    """Returns a SUBSCRIBE_EVENTS; the kind is "token replaced" unless `kinds` names others."""
    return crln.encode("client", "subscribe_events", {
        "name": name, "from": start, "apps": list(apps), "kinds": list(kinds), "credit": credit}, id)


def events_named(name: bytes) -> bytes:
    """Returns a SUBSCRIBE_EVENTS whose name is any bytes."""
    return raw_frame(string(name) + crln.NOW.to_bytes(8, "big") + bytes(4 + 4 + 8), 0x60, 3)


def credit(subscription: int, amount: int, id: int, ack: int = 0) -> bytes:
    """Returns an EVENT_CREDIT."""
    return crln.encode("client", "event_credit", {"subscription": subscription, "credit": amount, "ack": ack}, id)


def unsubscribe(subscription: int, id: int) -> bytes:
    """Returns an UNSUBSCRIBE_EVENTS."""
    return crln.encode("client", "unsubscribe_events", {"subscription": subscription}, id)


def begin_subscription(raw: RawConnection, data: bytes, id: int = 3) -> int:
    """Subscribes and returns the number after which events follow."""
    return ask(raw, id, "subscribe_events", data)["after"]


def make_events(deployment: Deployment, count: int, app: str = APP) -> None:
    """Makes `count` events: a device gets that many new tokens, one after another, 1,000 in a request."""
    with deployment.raw("open") as raw:
        last, id = os.urandom(32), 3
        ask(raw, id, "register_batch", batch([register_payload(app.encode(), last)], id))
        while count > 0:
            items = []
            for _ in range(min(count, 1_000)):
                following = os.urandom(32)
                items.append(register_payload(app.encode(), following, tail=b"\1\x11\x20" + last))
                last = following
            count, id = count - len(items), id + 1
            results = ask(raw, id, "register_batch", batch(items, id))["results"]
            require({each["result"] for each in results} == {3}, "not replaced")


def take_events(raw: RawConnection, count: int, id: int = 3) -> List[crln.Frame]:
    """Returns the next `count` events of a subscription."""
    frames = [raw.read_frame(20) for _ in range(count)]
    require(all(frame is not None and frame.message == "event" and frame.id == id for frame in frames),
            f"not events of {id}: {[frame for frame in frames if frame is None or frame.message != 'event'][:3]}")
    return frames


def expect_no_event(raw: RawConnection, id: int) -> None:
    """Asserts that no event of the subscriptions of a connection comes; takes the request ids `id` and `id` + 1.

    It begins two subscriptions, one after the other, which get the oldest event each. The server reads events for the
    subscriptions of a connection in turn. So an event that is due would come before the event of the second
    subscription, where `take_events` does not accept it.
    """
    for other in (id, id + 1):
        begin_subscription(raw, events(other, start=crln.OLDEST, kinds=(), credit=1), other)
        take_events(raw, 1, other)
