#!/usr/bin/env python3
"""CRLN/1 (short for Carillon), the protocol, for the tests of this repository: the codec of both sides, and connections
of tests.

The client for services is ../clients/python. This one is for tests only: it encodes the server's messages too and any
values (`encode`, `decode`), knows the server's rules (`check`), and hides neither numbers nor retries from a test.
../vectors/generate.py writes the golden vectors with it, so it shares no line with the clients that the vectors test.
Written from ../Carillon-v1.md alone, with the standard library only. § in comments means a section of it.
"""
# Long: it is one file so that every test can import it from one folder.
from __future__ import annotations

import base64
import hashlib
import json
import os
import queue
import random
import re
import selectors
import socket
import ssl
import string
import struct
import threading
import time
import uuid
from concurrent.futures import Future, TimeoutError as FutureTimeout
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Tuple, Union

MAGIC = bytes.fromhex("c343524c4e0d0a1a")
REQUEST, RESPONSE, ERROR, EVENT, CONTROL = 1, 2, 3, 4, 5
ACK = 1
NEVER = 2**32 - 1
NO_KEY = bytes(16)
# The default of an argument for which None is an error. Any, so that it fits the types of the arguments.
_NOT_GIVEN: Any = object()
EARLY_LIMIT, OPEN_LIMIT, BATCH_LIMIT = 4096, 1 << 20, 1000
OUTGOING_LIMIT = 1 << 26
TOPIC_PREFIX = "/topics/"

ERRORS = dict(enumerate((
    "MALFORMED FRAME_TOO_LARGE UNSUPPORTED_VERSION UNSUPPORTED_OPCODE UNSUPPORTED_FIELD WRONG_PHASE BAD_REQUEST_ID "
    "AUTHENTICATION_FAILED FORBIDDEN NOT_FOUND INVALID_ARGUMENT STALE IDEMPOTENCY_CONFLICT TOO_LARGE RATE_LIMITED "
    "OVERLOADED STORAGE_FULL STORAGE_FAILED DEADLINE DRAINING TOO_MANY_PINGS TOO_MANY_ERRORS TIMEOUT INTERNAL "
    "TOO_MANY_CONNECTIONS APNS_REFUSED APNS_UNAVAILABLE BEHIND").split(), 1))
SCOPES = {0: "request", 1: "connection"}
EFFECTS = {0: "not executed", 1: "unknown", 2: "executed"}
ENVIRONMENTS = {1: "production", 2: "sandbox"}
STORAGE_POLICIES = {1: "none", 2: "most-recent"}
KINDS = dict(enumerate((
    "device voip liveactivity widget control pushtotalk fileprovider location complication mdm fcm fid web").split(),
                       1))
PUSH_TYPES = dict(enumerate((
    "alert background location voip complication fileprovider mdm liveactivity pushtotalk widgets controls").split(),
    1))
# The kinds that are not APNs': they have no sandbox. Their tokens in full.
TOKEN_FORMS = {"fcm": re.compile(rb"[A-Za-z0-9_:.%~-]+"), "fid": re.compile(rb"[c-f][A-Za-z0-9_-]{21}"),
               "web": re.compile(rb".{32}", re.DOTALL)}
# An endpoint: https, a DNS name, no user, no address.
ENDPOINT = re.compile(r"https://[A-Za-z][A-Za-z0-9.-]*(:[0-9]{1,5})?([/?][!-~]*)?", re.ASCII)
LANES = {1: "interactive", 2: "bulk"}
REGISTERED = {1: "created", 2: "refreshed", 3: "replaced"}
UNREGISTERED = {1: "removed", 2: "not-registered"}
DEVICE_STATES = {1: "active", 2: "quarantined"}
MESSAGE_STATES = {1: "waiting", 2: "sending", 3: "finished", 4: "scheduled", 5: "paused"}
MESSAGE_UPDATE_ACTIONS = {1: "cancel", 2: "pause", 3: "resume", 4: "pace"}
ADDRESSINGS = {1: "addressed", 2: "not addressed", 3: "would be addressed", 4: "would not be addressed"}
SOURCES = {1: "device", 2: "group", 3: "topic", 4: "term", 5: "all"}
TRACE_QUARANTINED, TRACE_MUTED, TRACE_HAS_BODY = 1, 2, 4
OVER_BUDGET = {1: "drop", 2: "wait"}
RECEIPTS = {1: "received", 2: "opened"}
EVENT_KINDS = dict(enumerate((
    "gap message-finished delivery-failed device-quarantined token-replaced device-moved message-updated connection-up "
    "connection-down credential-refused bad-tokens-began bad-tokens-ended "
    "pool-unreachable pool-reachable").split()))
NOW = 2**64 - 1  # `start` of events: from now on
OLDEST = 2**64 - 2  # `start` of events: from the oldest event that is kept
ROLES = {1: "register", 2: "send", 4: "observe", 8: "admin"}
AUDIENCES = dict(devices=1, groups=2, topic=3, condition=4, all=5, channel=6)
OUTCOMES = {
    0: "pending", 1: "delivered", 2: "unregistered", 3: "expired", 4: "gave-up", 5: "wrong-kind", 6: "no-credential",
    7: "quarantined", 8: "muted", 9: "no-language", 10: "cancelled", 11: "over-budget", 12: "left",
    32: "token-unregistered", 33: "token-expired", 34: "bad-token", 35: "token-not-for-topic",
    36: "payload-too-large", 37: "topic-disallowed", 38: "bad-topic", 39: "bad-request", 40: "forbidden",
    41: "no-channel", 63: "refused"}


class ProtocolError(Exception):
    """A fault in bytes or values; `code` is a name of §15, `scope` is request or connection."""

    def __init__(self, code: str, scope: str, field: Optional[str] = None, item: Optional[int] = None) -> None:
        super().__init__(f"{code} ({scope})" + (f" in {field}" if field else ""))
        self.code, self.scope, self.field, self.item = code, scope, field, item


class NotCarillon(Exception):
    """The peer does not send the magic; the server closes without sending a byte (§2)."""


# ---------------------------------------------------------------------------------------------- types (§4.1)
#
# Each type of values has:
#   least_bytes            the fewest bytes of a value in a payload
#   read and write         a value in a payload
#   from_tag and to_tag    a value that is the whole value of a tag, which has the length itself
#   from_json and to_json  a value in the vectors

class _Fault(Exception):
    """A value that cannot be read. The layout adds the name of the field."""

    item: Optional[int] = None


class _Bytes:
    """A payload and the offset up to which it has been read."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    @property
    def left(self) -> int:
        return len(self.data) - self.at

    def take(self, count: int) -> bytes:
        if count > self.left:
            raise _Fault
        self.at += count
        return self.data[self.at - count:self.at]

    def number(self, size: int) -> int:
        return int.from_bytes(self.take(size), "big")

    def uvarint(self) -> int:
        value = 0
        for index in range(5):
            byte = self.number(1)
            value |= (byte & 0x7F) << 7 * index
            if byte < 0x80:
                if value >= 1 << 32 or (byte == 0 and index):
                    raise _Fault
                return value
        raise _Fault


def uvarint(value: int) -> bytes:
    """Returns the shortest form of a number below 2³²."""
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


class _Number:
    """A number of `size` bytes."""

    def __init__(self, size: int) -> None:
        self.size = self.least_bytes = size

    def read(self, data: _Bytes) -> int:
        return data.number(self.size)

    def write(self, value: int) -> bytes:
        return value.to_bytes(self.size, "big")

    def from_tag(self, raw: bytes) -> int:
        if len(raw) != self.size:
            raise _Fault
        return int.from_bytes(raw, "big")

    to_tag = write

    def to_json(self, value: int) -> Union[int, str]:
        return str(value) if self.size == 8 else value

    def from_json(self, value: Union[int, str]) -> int:
        return int(value)


class _Raw:
    """Bytes after their length of `prefix` bytes; with `prefix` 0 their number is always `low`."""

    def __init__(self, prefix: int, low: int = 0, high: int = 2**32 - 1) -> None:
        self.prefix, self.low, self.high = prefix, low, high
        self.least_bytes = prefix + low

    def read(self, data: _Bytes) -> Any:
        return self.from_tag(data.take(data.number(self.prefix) if self.prefix else self.low))

    def write(self, value: Any) -> bytes:
        raw = self.to_tag(value)
        return (len(raw).to_bytes(self.prefix, "big") if self.prefix else b"") + raw

    def from_tag(self, raw: bytes) -> Any:
        if not self.low <= len(raw) <= self.high:
            raise _Fault
        return raw

    def to_tag(self, value: Any) -> bytes:
        if not self.low <= len(value) <= self.high:
            raise ValueError("length outside of the type")
        return bytes(value)

    def to_json(self, value: Any) -> Any:
        return value.hex()

    def from_json(self, value: str) -> Any:
        return bytes.fromhex(value)


class _Text(_Raw):
    """UTF-8 without the character NUL."""

    def from_tag(self, raw: bytes) -> str:
        try:
            text = raw.decode("utf-8", "strict")
        except UnicodeDecodeError:
            raise _Fault from None
        if "\0" in text:
            raise _Fault
        return text

    def to_tag(self, value: str) -> bytes:
        return value.encode("utf-8")

    def to_json(self, value: str) -> str:
        return value

    from_json = to_json


def _bare_topic(name: str) -> str:
    """Returns a topic without FCM's prefix (§9)."""
    return name[len(TOPIC_PREFIX):] if name.startswith(TOPIC_PREFIX) else name


class _Topic(_Text):
    """A name without FCM's prefix (§9)."""

    def from_tag(self, raw: bytes) -> str:
        return _bare_topic(super().from_tag(raw))


class _Whole:
    """A type whose values can be the whole value of a tag."""

    def from_tag(self, raw: bytes) -> Any:
        data = _Bytes(raw)
        value = self.read(data)
        if data.left:
            raise _Fault
        return value

    def to_tag(self, value: Any) -> bytes:
        return self.write(value)


class _Struct:
    """Values one after the other, a dictionary by their names."""

    def __init__(self, **parts: Any) -> None:
        self.parts = parts
        self.least_bytes = sum(part.least_bytes for part in parts.values())

    def read(self, data: _Bytes) -> Dict[str, Any]:
        return {name: part.read(data) for name, part in self.parts.items()}

    def write(self, value: Dict[str, Any]) -> bytes:
        return b"".join(part.write(value[name]) for name, part in self.parts.items())

    def to_json(self, value: Dict[str, Any]) -> Any:
        return {name: part.to_json(value[name]) for name, part in self.parts.items()}

    def from_json(self, value: Dict[str, Any]) -> Any:
        return {name: part.from_json(value[name]) for name, part in self.parts.items()}


class _Device(_Whole):
    """A device: `{"token": {environment, kind, token}}` or `{"id": …}`."""

    least_bytes = 5

    def read(self, data: _Bytes) -> Dict[str, Any]:
        form = data.number(1)
        if form not in DEVICE_FORMS:
            raise _Fault
        name, part = DEVICE_FORMS[form]
        return {name: part.read(data)}

    def write(self, value: Dict[str, Any]) -> bytes:
        form = 1 if "token" in value else 2
        name, part = DEVICE_FORMS[form]
        return bytes([form]) + part.write(value[name])

    def to_json(self, value: Dict[str, Any]) -> Any:
        return {name: part.to_json(value[name]) for name, part in DEVICE_FORMS.values() if name in value}

    def from_json(self, value: Dict[str, Any]) -> Any:
        return {name: part.from_json(value[name]) for name, part in DEVICE_FORMS.values() if name in value}


class _List(_Whole):
    """Values of one type after their number."""

    least_bytes = 4

    def __init__(self, part: Any) -> None:
        self.part = part

    def read(self, data: _Bytes) -> List[Any]:
        count = data.number(4)
        if count * self.part.least_bytes > data.left:
            raise _Fault
        values: List[Any] = []
        for index in range(count):
            try:
                values.append(self.part.read(data))
            except _Fault as fault:
                fault.item = index
                raise
        return values

    def write(self, value: List[Any]) -> bytes:
        return len(value).to_bytes(4, "big") + b"".join(map(self.part.write, value))

    def to_json(self, value: List[Any]) -> Any:
        return [self.part.to_json(item) for item in value]

    def from_json(self, value: List[Any]) -> Any:
        return [self.part.from_json(item) for item in value]


U8, U16, U32, U64 = _Number(1), _Number(2), _Number(4), _Number(8)
UUID, STR, BYTES, TOKEN, TOPIC = _Raw(0, 16, 16), _Text(2), _Raw(4), _Raw(1, 1, 255), _Topic(2)
DEVICE_FORMS = {1: ("token", _Struct(environment=U8, kind=U8, token=TOKEN)), 2: ("id", U64)}
DEVICE = _Device()


# ---------------------------------------------------------------------------------------------- messages (§6 to §15)

_Tags = Dict[int, Tuple[str, Any]]  # by number: the name and the type


@dataclass(frozen=True)
class Layout:
    """The fixed part and the tags of one message in one direction."""

    message: str
    kind: int
    opcode: int
    fixed: Dict[str, Any]
    tags: _Tags = field(default_factory=dict)
    untagged: bool = False

    def parts(self) -> Dict[str, Any]:
        return {**self.fixed, **dict(self.tags.values())}


DEADLINE_TAG = {2: ("deadline_ms", U32)}
PLACE_TAGS = {18: ("locale", STR), 20: ("time_zone", STR)}
GROUPS, TOPICS = _List(STR), _List(TOPIC)
ATTRIBUTES = _List(_Struct(key=STR, value=STR))
BODIES = _List(_Struct(language=STR, payload=BYTES))
ANNOUNCEMENT_TAGS = {17: ("announcement", BYTES), 19: ("bodies", BODIES)}
PING = Layout("ping", CONTROL, 3, {"data": _Raw(0, 8, 8)}, untagged=True)
POSITION = Layout("position", CONTROL, 5, {"position": U64}, untagged=True)
ERROR_LAYOUT = Layout(
    "error", ERROR, 0, dict(code=U16, scope=U8, effect=U8, retry_after_ms=U32, message=STR),
    {2: ("field", STR), 4: ("limit", U64), 6: ("item", U32), 8: ("column", U32), 10: ("reason", STR)})

def _fields(tags: Optional[_Tags] = None, **fixed: Any) -> Tuple[Dict[str, Any], _Tags]:
    """Returns the fields of a payload: the fixed part in its order, and the tags by number."""
    return fixed, tags or {}


def _operation(message: str, opcode: int, request: Tuple[Dict[str, Any], _Tags],
               response: Tuple[Dict[str, Any], _Tags]) -> Tuple[Layout, Layout]:
    """Returns the layouts of an operation's request and response. Every request can have the common tags (§16.2)."""
    fixed, tags = request
    return (Layout(message, REQUEST, opcode, fixed, {**DEADLINE_TAG, **tags}),
            Layout(message, RESPONSE, opcode, *response))


# Every operation once: its name, its opcode, the fields of its request, the fields of its response.
OPERATIONS: Tuple[Tuple[Layout, Layout], ...] = (
    _operation("hello", 0x0001,
               _fields(software=STR, receive_limit=U32),
               _fields({20: ("node", STR), 22: ("cluster", UUID)},
                       software=STR, epoch=UUID, clock=U64, frame_limit=U32, in_flight_limit=U32, batch_limit=U32,
                       keepalive_ms=U32, ping_interval_ms=U32, idempotency_window_s=U32, authenticated=U8,
                       opcodes=_List(_Struct(opcode=U16, lowest=U8, highest=U8)))),
    _operation("auth", 0x0002,
               _fields(method=U8, credential=BYTES),
               _fields(principal=STR, grants=_List(_Struct(app=STR, roles=U8)))),
    _operation("register", 0x0010,
               _fields({17: ("replaces", TOKEN), 18: ("locale", STR), 19: ("topics", TOPICS), 20: ("time_zone", STR),
                       21: ("groups", GROUPS), 23: ("attributes", ATTRIBUTES), 25: ("subscription", BYTES)},
                       app=STR, environment=U8, kind=U8, token=TOKEN, seen_at=U64),
               _fields(device_id=U64, result=U8)),
    _operation("register_batch", 0x0011,
               _fields(items=_List(BYTES)),
               _fields(results=_List(_Struct(code=U16, device_id=U64, result=U8)))),
    _operation("unregister", 0x0012, _fields(app=STR, device=DEVICE, at=U64), _fields(device_id=U64, result=U8)),
    _operation("lookup", 0x0013,
               _fields(app=STR, device=DEVICE),
               _fields({**PLACE_TAGS, 22: ("attributes", ATTRIBUTES), 24: ("muted", U8)},
                       device_id=U64, environment=U8, kind=U8, token=TOKEN, registered_at=U64, seen_at=U64, state=U8)),
    _operation("update_device", 0x0014,
               _fields({**PLACE_TAGS, 23: ("attributes", ATTRIBUTES), 25: ("muted", U8)},
                       app=STR, device=DEVICE),
               _fields(device_id=U64)),
    _operation("memberships", 0x0015,
               _fields(app=STR, device=DEVICE, after=STR, limit=U32),
               _fields(device_id=U64, muted=U8, groups=_List(_Struct(group=STR, muted=U8)),
                       topics=_List(_Struct(topic=TOPIC, source=STR)), next=STR)),
    _operation("restore", 0x0016, _fields(app=STR, device=DEVICE), _fields(device_id=U64)),
    _operation("quarantine", 0x0017, _fields(app=STR, cursor=U64, limit=U32), _fields(next=U64, devices=_List(U64))),
    _operation("join", 0x0020,
               _fields(ANNOUNCEMENT_TAGS, app=STR, group=STR, devices=_List(DEVICE)),
               _fields(joined=U32, message_id=U64, unknown=_List(U32))),
    _operation("leave", 0x0021,
               _fields({17: ("clear_topics", U8)},
                       app=STR, group=STR, devices=_List(DEVICE)),
               _fields(left=U32, unknown=_List(U32))),
    _operation("switch", 0x0022,
               _fields(ANNOUNCEMENT_TAGS, **{"app": STR, "device": DEVICE, "from": STR, "to": STR}),
               _fields(device_id=U64, changed=U8, message_id=U64)),
    _operation("group_devices", 0x0023,
               _fields(app=STR, group=STR, cursor=U64, limit=U32),
               _fields(next=U64, devices=_List(U64))),
    _operation("groups", 0x0024,
               _fields(app=STR, prefix=STR, after=STR, limit=U32),
               _fields(next=STR, groups=_List(_Struct(group=STR, devices=U64, muted=U8)))),
    _operation("update_group", 0x0025, _fields({25: ("muted", U8)}, app=STR, group=STR), _fields(devices=U64)),
    _operation("group_topics", 0x0026,
               _fields(app=STR, group=STR, after=STR, limit=U32),
               _fields(next=STR, topics=TOPICS)),
    _operation("subscribe", 0x0030,
               _fields(app=STR, topics=TOPICS, devices=_List(DEVICE), groups=GROUPS),
               _fields(changed=U32, unknown=_List(U32))),
    _operation("unsubscribe", 0x0031,
               _fields(app=STR, topics=TOPICS, devices=_List(DEVICE), groups=GROUPS),
               _fields(changed=U32, unknown=_List(U32))),
    _operation("topics", 0x0032,
               _fields(app=STR, prefix=STR, after=STR, limit=U32),
               _fields(next=STR, topics=_List(_Struct(topic=TOPIC, devices=U64)))),
    _operation("topic_devices", 0x0033,
               _fields(app=STR, topic=TOPIC, cursor=U64, limit=U32),
               _fields(next=U64, devices=_List(U64))),
    _operation("explain", 0x0040,
               _fields(app=STR, condition=STR),
               _fields(condition=STR, devices=U64, sets=_List(_Struct(set=STR, devices=U64)))),
    _operation("send", 0x0050,
               _fields({17: ("expiration", U64), 19: ("collapse_id", STR), 21: ("not_after", U64), 22: ("lane", U8),
                       23: ("groups", GROUPS), 25: ("topic", TOPIC), 27: ("condition", STR), 29: ("bodies", BODIES),
                       31: ("except", DEVICE), 33: ("dry_run", U8), 35: ("send_at", U64), 37: ("pace", U32),
                       39: ("over_budget", U8), 41: ("id_key", STR), 43: ("label", STR), 45: ("android", BYTES),
                       47: ("android_raw", BYTES), 49: ("web", BYTES), 51: ("web_raw", BYTES), 61: ("channel", STR),
                        63: ("environment", U8),
                       66: ("traceparent", STR)},
                       app=STR, key=UUID, push_type=U8, priority=U8, audience=U8, devices=_List(DEVICE), payload=BYTES),
               _fields(message_id=U64, duplicate=U8, total=U32, ended=U32)),
    _operation("message_status", 0x0051,
               _fields(app=STR, message_id=U64),
               _fields({16: ("send_at", U64), 18: ("pace", U32), 20: ("rate", U32), 22: ("remaining_ms", U64),
                       24: ("received", U64), 26: ("opened", U64), 28: ("audience", STR), 30: ("label", STR),
                       32: ("sender", STR),
                       34: ("obstacles", _List(_Struct(kind=U8, credential=STR, environment=U8, began_at=U64,
                                                       next_attempt_at=U64, cause=STR, reason=STR))),
                       66: ("traceparent", STR)},
                       state=U8, accepted_at=U64, finished_at=U64, total=U64,
                       outcomes=_List(_Struct(outcome=U8, devices=U64)))),
    _operation("message_outcomes", 0x0052,
               _fields(app=STR, message_id=U64, cursor=U64, limit=U32),
               _fields(next=U64, recipients=_List(_Struct(device_id=U64, outcome=U8)))),
    _operation("messages", 0x0053,
               _fields({17: ("state", U8), 19: ("sender", STR), 21: ("label", STR)},
                       app=STR, before=U64, limit=U32),
               _fields({16: ("details", _List(_Struct(delivered=U64, failed=U64, label=STR, sender=STR)))},
                       next=U64,
                       messages=_List(_Struct(message_id=U64, state=U8, accepted_at=U64, push_type=U8, lane=U8,
                                              total=U64, ended=U64)))),
    _operation("update_message", 0x0054, _fields({37: ("pace", U32)}, app=STR, message_id=U64, action=U8),
               _fields(state=U8)),
    _operation("resend", 0x0055,
               _fields({21: ("not_after", U64)},
                       app=STR, message_id=U64, key=UUID, outcomes=_List(U8)),
               _fields(message_id=U64, duplicate=U8, total=U32, ended=U32)),
    _operation("trace", 0x0056,
               _fields(app=STR, message_id=U64, device=DEVICE),
               _fields({16: ("sources", _List(_Struct(kind=U8, name=STR, through=STR))), 18: ("muted_groups", GROUPS),
                       20: ("language", STR), 22: ("silent_budget_left", U32),
                       24: ("attempts", _List(_Struct(at=U64, connection=U32, status=U16, reason=STR))),
                       26: ("next_attempt_at", U64), 30: ("unique_ids", _List(STR))},
                       device_id=U64, state=U8, addressing=U8, outcome=U8, flags=U8)),
    _operation("subscribe_events", 0x0060,
               _fields(**{"name": STR, "from": U64, "apps": _List(STR), "kinds": _List(U16), "credit": U64}),
               _fields(after=U64)),
    _operation("event_credit", 0x0061, _fields(subscription=U64, credit=U64, ack=U64), _fields()),
    _operation("unsubscribe_events", 0x0062, _fields(subscription=U64), _fields()),
    _operation("forget_subscriber", 0x0063, _fields(name=STR), _fields(result=U8)),
    _operation("receipts", 0x0070,
               _fields(app=STR, receipts=_List(_Struct(message_id=U64, device=DEVICE, kind=U8))),
               _fields(counted=U32, unknown=_List(U32))),
    _operation("receipt_devices", 0x0071,
               _fields(app=STR, message_id=U64, kind=U8, cursor=U64, limit=U32),
               _fields(next=U64, devices=_List(U64))),
    _operation("statistics", 0x0080,
               _fields(limit=U32),
               _fields({16: ("database_bytes", U64), 18: ("free_bytes", U64), 20: ("map_bytes", U64),
                       22: ("limit_bytes", U64), 24: ("readers", U32), 26: ("reader_age", U64), 28: ("kept", U64),
                       30: ("unfinished", U64), 32: ("scheduled", U64), 34: ("counted_at", U64),
                       36: ("apps", _List(_Struct(app=STR, devices=U64, quarantined=U64, groups=U64, topics=U64))),
                       38: ("failures", _List(_Struct(pool=U32, unreachable=U8, count=U64, last_at=U64, reason=STR))),
                       40: ("outages", _List(_Struct(pool=U32, began_at=U64, next_attempt_at=U64, cause=STR))),
                       44: ("nodes",
                            _List(_Struct(node=STR, incarnation=U64, over=U8, position=U64, hash=UUID, silent_ms=U32,
                                                   lease_ms=U32, format=U16, version=STR, address=STR))),
                       46: ("log_position", U64), 48: ("log_entries", U64), 50: ("snapshot_position", U64),
                       52: ("claims", _List(_Struct(messages=U32, blocks=U32, pages=U64))),
                       54: ("devices_by_provider", _List(_Struct(apns=U64, fcm=U64, web=U64)))},
                       at=U64, started_at=U64, software=STR, clients=U32, half_open=U32,
                       requests=_List(_Struct(opcode=U16, code=U16, count=U64, micros=U64)), queued_changes=U32,
                       batches=U64, changes=U64, batch_micros=U64, latest_batches=_List(U32),
                       lanes=_List(_Struct(lane=U8, messages=U32, waiting=U32, delayed=U32, in_flight=U32)),
                       unrecorded=U32,
                       sending=_List(_Struct(message_id=U64, app=STR, lane=U8, accepted_at=U64, total=U64, ended=U64,
                                             in_flight=U32, rate=U32)),
                       outcomes=_List(_Struct(outcome=U8, devices=U64)),
                       pools=_List(_Struct(credential=STR, environment=U8, parked=U8, opening=U32, open=U32,
                                           draining=U32, in_flight=U32, streams=U32, throttle=U32, attempts=U64)),
                       answers=_List(_Struct(pool=U32, status=U16, reason=STR, count=U64)))),
    _operation("devices", 0x0081, _fields(app=STR, cursor=U64, limit=U32), _fields(next=U64, devices=_List(BYTES))),
    _operation("remove_node", 0x0082, _fields(node=STR), _fields(incarnation=U64)),
    _operation("create_channel", 0x0090, _fields(app=STR, environment=U8, storage_policy=U8), _fields(channel=STR)),
    _operation("channel", 0x0091, _fields(app=STR, environment=U8, channel=STR), _fields(storage_policy=U8)),
    _operation("channels", 0x0092,
               _fields(app=STR, environment=U8, after=STR, limit=U32), _fields(next=STR, channels=_List(STR))),
    _operation("delete_channel", 0x0093, _fields(app=STR, environment=U8, channel=STR), _fields(result=U8)),
)
OPCODES: Dict[str, int] = {request.message: request.opcode for request, _ in OPERATIONS}
FROM_CLIENT: Dict[str, Layout] = {layout.message: layout for layout in (
    *(request for request, _ in OPERATIONS), PING, POSITION)}
FROM_SERVER: Dict[str, Layout] = {layout.message: layout for layout in (
    *(response for _, response in OPERATIONS),
    Layout("event", EVENT, OPCODES["subscribe_events"], dict(sequence=U64, at=U64, kind=U16),
           {16: ("app", STR), 18: ("message_id", U64), 20: ("device_id", U64), 22: ("outcome", U8), 24: ("count", U64),
            26: ("text", STR), 28: ("missed_from", U64), 30: ("missed_to", U64), 66: ("traceparent", STR)}),
    Layout("goaway", CONTROL, 4, dict(last_id=U64, code=U16, grace_ms=U32, reconnect_after_ms=U32, reason=STR)),
    ERROR_LAYOUT, PING, POSITION)}
LAYOUTS = {"client": FROM_CLIENT, "server": FROM_SERVER}
BY_OPCODE = {(sender, kind): {layout.opcode: layout for layout in layouts.values() if layout.kind == kind}
             for sender, layouts in LAYOUTS.items() for kind in (REQUEST, RESPONSE, ERROR, EVENT, CONTROL)}


# ---------------------------------------------------------------------------------------------- payloads (§4)

def encode_payload(layout: Layout, fields: Dict[str, Any], unknown: Iterable[Tuple[int, bytes]] = ()) -> bytes:
    """Returns the fixed part and the tagged section. A section of no fields is left out. `check` judges values."""
    payload = b"".join(part.write(fields[name]) for name, part in layout.fixed.items())
    tags = [(tag, part.to_tag(fields[name])) for tag, (name, part) in layout.tags.items() if name in fields]
    tags = sorted([*tags, *unknown])
    if not tags:
        return payload
    section = b"".join(uvarint(tag) + uvarint(len(raw)) + raw for tag, raw in tags)
    return payload + uvarint(len(tags)) + section


def decode_payload(layout: Layout, payload: bytes, sender: str) -> Tuple[Dict[str, Any], List[Tuple[int, bytes]]]:
    """Returns the fields and the skipped tags of a payload.

    Faults in their order: the form, then unknown odd tags, then (of a request) the values.
    """
    if layout.untagged and len(payload) != 8:
        raise ProtocolError("MALFORMED", "connection")
    data = _Bytes(payload)
    fields: Dict[str, Any] = {}
    for name, part in layout.fixed.items():
        try:
            fields[name] = part.read(data)
        except _Fault as fault:
            raise ProtocolError("MALFORMED", "request", name, fault.item) from None
    unknown: List[Tuple[int, bytes]] = []
    for tag, raw in _section(data):
        if tag not in layout.tags:
            unknown.append((tag, raw))
            continue
        name, part = layout.tags[tag]
        try:
            fields[name] = part.from_tag(raw)
        except _Fault as fault:
            raise ProtocolError("MALFORMED", "request", name, fault.item) from None
    if layout.kind == REQUEST:
        if layout.message != "hello" and any(tag % 2 for tag, _ in unknown):
            raise ProtocolError("UNSUPPORTED_FIELD", "request")
        check(layout.message, fields)
    return fields, unknown


def _section(data: _Bytes) -> List[Tuple[int, bytes]]:
    """Reads the tagged section, which must end with the payload."""
    entries: List[Tuple[int, bytes]] = []
    try:
        count = data.uvarint() if data.left else 0
        if count > 64:
            raise _Fault
        for _ in range(count):
            tag = data.uvarint()
            if entries and tag <= entries[-1][0]:
                raise _Fault
            entries.append((tag, data.take(data.uvarint())))
        if data.left:
            raise _Fault
    except _Fault:
        raise ProtocolError("MALFORMED", "request") from None
    return entries


# ---------------------------------------------------------------------------------------------- values (§6 to §14)

APP_LETTERS = set(string.ascii_letters + string.digits + ".-")
LOCALE_LETTERS = set(string.ascii_letters + string.digits + "-")
ZONE_LETTERS = set(string.ascii_letters + string.digits + "/_+-")
CHANNEL_LETTERS = set(string.ascii_letters + string.digits + "+/=-_")
# By push type; 10, 5 and 1 for the others.
PRIORITIES = {1: (10, 5, 1), 2: (5, 1), 3: (10, 5), 4: (10,), 8: (10, 5), 9: (10,)}
NAME_LETTERS = set(string.ascii_letters + string.digits + "-_.~%/:@+")
KEY_LETTERS = set(string.ascii_letters + string.digits + "-_.")
RESERVED_KEYS = {"locale", "environment", "kind"}
PAIR_LIMIT = 10_000
BROADCAST_LIMIT = 5_120
# Fields of a SEND that choose among devices, or say what a device shows: a broadcast channel takes none.
CHOOSING_DEVICES = {"collapse_id", "bodies", "except", "id_key", "android", "android_raw", "web", "web_raw"}
# The fields that name an audience of a SEND, and the number of that audience.
AUDIENCE_FIELDS = {"groups": 2, "topic": 3, "condition": 4, "channel": 6}


def check(message: str, fields: Dict[str, Any], batch_limit: int = BATCH_LIMIT) -> None:
    """Raises ProtocolError for the first field, in the order of the tables, whose value is not allowed (§15.1).

    Conditions are judged by their length only: the server has the parser.
    """
    _Check(message, fields, batch_limit).run()


class _Check:
    """The check of one request. Each method refuses a value that is not allowed, or notes one that is too large."""

    def __init__(self, message: str, fields: Dict[str, Any], batch_limit: int) -> None:
        self.message, self.fields, self.batch_limit = message, fields, batch_limit
        # The error of the first field that is too large: it is raised if no value is refused.
        self.too_large: Optional[ProtocolError] = None

    def run(self) -> None:
        for name in FROM_CLIENT[self.message].parts():
            if self.message == "send" and not _fits_audience(name, self.fields):
                self._refuse(name)
            if name in self.fields:
                self._check_count(name, self.fields[name])
                self._check_field(name, self.fields[name])
        if self.message in ("subscribe", "unsubscribe"):
            self._check_subscriptions()
        if self.too_large:
            raise self.too_large

    def _refuse(self, field: str, item: Optional[int] = None) -> None:
        raise ProtocolError("INVALID_ARGUMENT", "request", field, item)

    def _note_too_large(self, field: str, item: Optional[int] = None) -> None:
        self.too_large = self.too_large or ProtocolError("TOO_LARGE", "request", field, item)

    def _check_count(self, name: str, value: Any) -> None:
        counts = _counts(self.message, name, self.fields, self.batch_limit)
        if counts and not counts[0] <= len(value) <= counts[1]:
            self._refuse(name)

    def _check_field(self, name: str, value: Any) -> None:
        if name in ("devices", "device", "except"):
            _check_devices(name, value)
        elif name in ITEM_RULES and isinstance(value, list):
            for index, each in enumerate(value):
                if not ITEM_RULES[name](each):
                    self._refuse(name, index)
        elif name == "id_key":
            self._check_id_key(value)
        elif name in PROVIDER_BYTES and len(value) > PROVIDER_BYTES[name]:
            self._note_too_large(name)
        elif name == "attributes":
            self._check_attributes(value)
        elif name == "bodies":
            self._check_bodies(value)
        elif name in ("payload", "announcement"):
            if name == "announcement" or value or "bodies" not in self.fields:
                self._check_payload(name, value)
        elif not _allowed(self.message, name, value, self.fields):
            self._refuse(name)

    def _check_id_key(self, key: str) -> None:
        if not _key_allowed(key):
            self._refuse("id_key")
        limit = payload_limit(self.fields["push_type"])
        for place, index, payload in _payloads(self.fields):
            if len(payload) <= limit:
                if key in parse_object(payload):
                    self._refuse("id_key")
                if len(payload) + len(key) + ID_ROOM > limit:
                    self._note_too_large(place, index)

    def _check_attributes(self, attributes: List[Dict[str, str]]) -> None:
        for index, each in enumerate(attributes):
            if not _attribute_allowed(each) or each["key"] in [other["key"] for other in attributes[:index]]:
                self._refuse("attributes", index)

    def _check_bodies(self, bodies: List[Dict[str, Any]]) -> None:
        for index, body in enumerate(bodies):
            language = body["language"]
            if not 2 <= len(language) <= 35 or not set(language) <= LOCALE_LETTERS:
                self._refuse("bodies", index)
            if language.lower() in [other["language"].lower() for other in bodies[:index]]:
                self._refuse("bodies", index)
            self._check_payload("bodies", body["payload"], index)

    def _check_payload(self, field: str, payload: bytes, item: Optional[int] = None) -> None:
        push_type = self.fields.get("push_type", 1)  # an announcement is an alert
        is_broadcast = self.fields.get("audience") == AUDIENCES["channel"]
        if len(payload) > (BROADCAST_LIMIT if is_broadcast else payload_limit(push_type)):
            self._note_too_large(field, item)
        elif not _payload_allowed(payload, push_type) or is_broadcast and starts_activity(payload):
            self._refuse(field, item)

    def _check_subscriptions(self) -> None:
        holders = len(self.fields["devices"]) + len(self.fields["groups"])
        if holders == 0:
            self._refuse("devices")
        if len(self.fields["topics"]) * holders > PAIR_LIMIT:
            self._refuse("topics")


def _payloads(fields: Dict[str, Any]) -> List[Tuple[str, Optional[int], bytes]]:
    """Returns every payload of a SEND, with its field and item."""
    bodies = [("bodies", index, body["payload"]) for index, body in enumerate(fields.get("bodies", []))]
    return [("payload", None, fields["payload"])] * bool(fields["payload"]) + bodies


def _counts(message: str, name: str, fields: Dict[str, Any], batch_limit: int) -> Optional[Tuple[int, int]]:
    """Returns the least and the largest number of items of a list; None if the field is not limited here."""
    if name in ("items", "receipts"):
        return 1, batch_limit
    if name in ("outcomes", "apps", "kinds"):
        return 0, 64
    if name == "devices":
        if message == "send":
            return (1, batch_limit) if fields["audience"] == AUDIENCES["devices"] else (0, 0)
        return (0 if "subscribe" in message else 1), batch_limit
    if name == "bodies":
        return 1, 64
    if name == "attributes":
        return 0, 16
    if name in ("groups", "topics"):
        if message == "register":
            return 0, 64
        return (1, 1000) if message == "send" or name == "topics" else (0, batch_limit)
    return None


def _name_allowed(name: str) -> bool:
    return 1 <= len(name) <= 200 and set(name) <= NAME_LETTERS and not name.startswith("/")


def _app_allowed(app: str) -> bool:
    return 1 <= len(app) <= 155 and set(app) <= APP_LETTERS


def _key_allowed(key: str) -> bool:
    return 1 <= len(key) <= 64 and set(key) <= KEY_LETTERS and key != "aps"


def _receipt_allowed(receipt: Dict[str, Any]) -> bool:
    return _device_allowed(receipt["device"]) and receipt["kind"] in RECEIPTS


# The rules for the items of lists.
ITEM_RULES: Dict[str, Callable[[Any], bool]] = {
    "groups": _name_allowed, "topics": _name_allowed, "apps": _app_allowed, "kinds": lambda kind: kind != 0,
    "outcomes": lambda outcome: outcome not in (0, 1), "receipts": _receipt_allowed}
# The most bytes of what Android devices or browsers get.
PROVIDER_BYTES = {"android": 8192, "android_raw": 8192, "web": 4096, "web_raw": 4096}
# Bytes that the message's id adds to a payload, without the length of its key.
ID_ROOM = 26


def _fits_audience(name: str, fields: Dict[str, Any]) -> bool:
    """Returns True if a field of a SEND may be there, or be absent, for its audience."""
    is_given = name in fields
    if name in AUDIENCE_FIELDS and is_given != (fields["audience"] == AUDIENCE_FIELDS[name]):
        return False
    if fields["audience"] != AUDIENCES["channel"]:
        return name != "environment" or not is_given
    if name == "audience":
        # A number that is not a push type is a fault of its own.
        return fields["push_type"] == 8 or fields["push_type"] not in PUSH_TYPES
    return is_given if name == "expiration" else name not in CHOOSING_DEVICES or not is_given


def _attribute_allowed(attribute: Dict[str, str]) -> bool:
    key, value = attribute["key"], attribute["value"]
    return (1 <= len(key) <= 32 and set(key) <= KEY_LETTERS and key not in RESERVED_KEYS
            and len(value) <= 64 and set(value) <= NAME_LETTERS)


def starts_activity(payload: bytes) -> bool:
    """Returns True if the payload starts a Live Activity, which a broadcast push cannot."""
    return parse_object(payload).get("aps", {}).get("event") == "start"


def payload_limit(push_type: int) -> int:
    """Returns the largest number of bytes of a payload of the push type."""
    return 5120 if push_type == 4 else 4096


def _check_devices(name: str, value: Any) -> None:
    """Raises ProtocolError for the first device of a field that is not allowed."""
    for index, device in enumerate(value if name == "devices" else [value]):
        if not _device_allowed(device):
            raise ProtocolError("INVALID_ARGUMENT", "request", name, index if name == "devices" else None)


def _device_allowed(device: Dict[str, Any]) -> bool:
    token = device.get("token")
    return token is None or (token["environment"] in ENVIRONMENTS and token["kind"] in KINDS
                             and _environment_allowed(token["environment"], token)
                             and _token_allowed(token["token"], token))


def _environment_allowed(environment: int, fields: Dict[str, Any]) -> bool:
    return environment in ENVIRONMENTS and (environment == 1 or KINDS.get(fields.get("kind", 0)) not in TOKEN_FORMS)


def _token_allowed(token: bytes, fields: Dict[str, Any]) -> bool:
    form = TOKEN_FORMS.get(KINDS.get(fields["kind"], ""))
    return form is None or form.fullmatch(token) is not None


def _is_text(low: int, high: int, letters: Optional[set] = None) -> Callable[[str, Any], bool]:
    """A rule for texts of `low` to `high` bytes, of these letters if there are any."""
    return lambda value, _: low <= len(value.encode()) <= high and (letters is None or set(value) <= letters)


def _is_one_of(values: Iterable[int]) -> Callable[[int, Any], bool]:
    """A rule for enumerations."""
    return lambda value, _: value in values


def _empty_or(rule: Callable[[str, Any], bool]) -> Callable[[str, Any], bool]:
    """A rule that accepts the empty text too."""
    return lambda value, fields: value == "" or rule(value, fields)


def _collapse_id_allowed(value: str, _: Any) -> bool:
    return _is_line(64)(value, _) and value.strip(" ") == value


def _is_line(high: int) -> Callable[[str, Any], bool]:
    """A rule for texts of 1 to `high` bytes without control characters."""
    return lambda value, _: (1 <= len(value.encode()) <= high
                             and not any(c < " " or "\x7f" <= c <= "\x9f" for c in value))


def _goes_to(push_types: Tuple[int, ...], without: str = "") -> Callable[[bytes, Dict[str, Any]], bool]:
    """A rule for what the devices of one provider get, a JSON object: such pushes go there, and another field is
    absent."""
    def is_allowed(value: bytes, fields: Dict[str, Any]) -> bool:
        try:
            parse_object(value)
        except ValueError:
            return False
        return without not in fields and fields["push_type"] in push_types
    return is_allowed


def _subscription_allowed(value: bytes, fields: Dict[str, Any]) -> bool:
    """A push subscription of a browser (§7.1)."""
    try:
        subscription = parse_object(value)
        keys = [base64.urlsafe_b64decode(subscription["keys"][name] + "==") for name in ("p256dh", "auth")]
        endpoint = subscription["endpoint"]
    except (ValueError, KeyError, TypeError):
        return False
    return (KINDS.get(fields["kind"]) == "web" and len(value) <= 4096 and ENDPOINT.fullmatch(endpoint) is not None
            and len(endpoint) <= 1024 and len(keys[0]) == 65 and keys[0][0] == 4 and len(keys[1]) == 16)


# The rules for single values, given the other fields of the request. A name is that of a field, or (message, field).
VALUE_RULES: Dict[Any, Callable[[Any, Dict[str, Any]], bool]] = {
    "app": lambda value, _: _app_allowed(value),
    "name": _is_text(0, 64),
    ("forget_subscriber", "name"): _is_text(1, 64),
    ("remove_node", "node"): _is_text(1, 64),
    "action": _is_one_of(MESSAGE_UPDATE_ACTIONS),
    "pace": lambda value, fields: value >= 1 and fields.get("action", 4) == 4,
    "over_budget": _is_one_of(OVER_BUDGET),
    "software": _is_text(1, 64),
    "receive_limit": lambda value, _: value == 0 or value >= 4096,
    "method": _is_one_of((1,)),
    "credential": lambda value, _: 1 <= len(value) <= 256,
    "environment": _environment_allowed,
    "kind": _is_one_of(KINDS),
    ("register", "token"): _token_allowed,
    ("register", "subscription"): _subscription_allowed,
    "android": _goes_to((1, 2)), "android_raw": _goes_to((1, 2), without="android"),
    "web": _goes_to((1,)), "web_raw": _goes_to((1,), without="web"),
    ("receipt_devices", "kind"): _is_one_of(RECEIPTS),
    "locale": _empty_or(_is_text(2, 35, LOCALE_LETTERS)),
    "time_zone": _empty_or(_is_text(1, 64, ZONE_LETTERS)),
    "push_type": _is_one_of(PUSH_TYPES),
    "priority": lambda value, fields: value == 0 or value in PRIORITIES.get(fields["push_type"], (10, 5, 1)),
    "audience": _is_one_of(AUDIENCES.values()),
    "group": lambda value, _: _name_allowed(value),
    "topic": lambda value, _: _name_allowed(value),
    "to": lambda value, fields: _name_allowed(value) and value != fields["from"],
    ("switch", "from"): lambda value, _: _name_allowed(value),
    "prefix": _is_text(0, 200),
    "after": _is_text(0, 200),
    ("channels", "after"): _is_text(0, 512),
    "storage_policy": _is_one_of(STORAGE_POLICIES),
    "channel": _is_text(1, 512, CHANNEL_LETTERS),
    "condition": _is_text(1, 16384),
    "muted": _is_one_of((0, 1)),
    "clear_topics": _is_one_of((0, 1)),
    "dry_run": _is_one_of((0, 1)),
    "expiration": lambda value, fields: fields["push_type"] != 9 or value == 0,
    "collapse_id": _collapse_id_allowed,
    "label": _is_line(100),
    ("send", "traceparent"): lambda value, _: _trace_allowed(value),
    "state": _is_one_of(MESSAGE_STATES),
    "sender": _is_text(1, 255),
    "lane": _is_one_of(LANES),
    "limit": lambda value, _: 1 <= value <= 1000,
}


def _trace_allowed(value: str) -> bool:
    """True for a traceparent of W3C Trace Context, also of a later version than 00."""
    found = re.fullmatch(r"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?", value, re.DOTALL)
    return (found is not None and found[1] != "ff" and set(found[2]) != {"0"} and set(found[3]) != {"0"}
            and (found[1] != "00" or found[4] is None))


def _allowed(message: str, name: str, value: Any, fields: Dict[str, Any]) -> bool:
    """True if no rule of VALUE_RULES refuses the value."""
    rule = VALUE_RULES.get((message, name)) or VALUE_RULES.get(name)
    return rule is None or rule(value, fields)


class PayloadFault(ValueError):
    """A payload that breaks a rule; `field` is the path, with dots: `payload.aps.sound.volume`."""

    def __init__(self, field: str, text: str) -> None:
        super().__init__(f"{field}: {text}")
        self.field, self.text = field, text


def _is_number(value: Any, lowest: float = float("-inf"), highest: float = float("inf")) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and lowest <= value <= highest


def _are_strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


# The rules for the known keys of `aps` (§16.4): a test, its description, and the keys inside an object.
_Shape = Tuple[Callable[[Any], bool], str, Dict[str, Any]]
_STRING: _Shape = (lambda v: isinstance(v, str), "a string", {})
_STRINGS: _Shape = (_are_strings, "an array of strings", {})
_STRING_OR_NULL: _Shape = (lambda v: v is None or isinstance(v, str), "a string or null", {})
_STRINGS_OR_NULL: _Shape = (lambda v: v is None or _are_strings(v), "an array of strings or null", {})
_COUNT: _Shape = (lambda v: _is_number(v, 0) and v == int(v), "a whole number, 0 or more", {})
_NUMBER: _Shape = (_is_number, "a number", {})
_PART: _Shape = (lambda v: _is_number(v, 0, 1), "a number from 0 to 1", {})
_TIME: _Shape = (lambda v: _is_number(v, 0), "a number, 0 or more", {})
_FLAG: _Shape = (lambda v: _is_number(v) and v in (0, 1), "the number 1 or 0", {})
_YES: _Shape = (lambda v: v is True, "true", {})
_OBJECT: _Shape = (lambda v: isinstance(v, dict), "an object", {})
EVENTS = ("start", "update", "end")
INTERRUPTION_LEVELS = ("passive", "active", "time-sensitive", "critical")


def _one_of(words: Tuple[str, ...]) -> _Shape:
    return lambda v: isinstance(v, str) and v in words, "one of " + ", ".join(words), {}


def _string_or(keys: Dict[str, Any]) -> _Shape:
    return lambda v: isinstance(v, (str, dict)), "a string or an object", keys


_SOUND = _string_or({"critical": _FLAG, "name": _STRING, "volume": _PART})
_TEXT = _string_or({"loc-key": _STRING, "loc-args": _STRINGS})
_COMMON: Dict[str, _Shape] = {
    "badge": _COUNT, "sound": _SOUND, "thread-id": _STRING, "category": _STRING, "content-available": _FLAG,
    "mutable-content": _FLAG, "interruption-level": _one_of(INTERRUPTION_LEVELS), "target-content-id": _STRING,
    "filter-criteria": _STRING, "content-changed": _YES, "url-args": _STRINGS}
_GENERAL: Dict[str, _Shape] = {
    "alert": _string_or({
        "title": _STRING, "title-loc-key": _STRING_OR_NULL, "title-loc-args": _STRINGS_OR_NULL, "subtitle": _STRING,
        "subtitle-loc-key": _STRING_OR_NULL, "subtitle-loc-args": _STRINGS_OR_NULL, "body": _STRING,
        "loc-key": _STRING_OR_NULL, "loc-args": _STRINGS_OR_NULL, "launch-image": _STRING}),
    "relevance-score": _PART, **_COMMON}
_LIVE_ACTIVITY: Dict[str, _Shape] = {
    "alert": _string_or({"title": _TEXT, "subtitle": _TEXT, "body": _TEXT, "sound": _SOUND}),
    "relevance-score": _NUMBER, "timestamp": _TIME, "event": _one_of(EVENTS), "content-state": _OBJECT,
    "stale-date": _TIME, "dismissal-date": _TIME, "attributes-type": _STRING, "attributes": _OBJECT,
    "input-push-channel": _STRING, "input-push-token": _FLAG, **_COMMON}


def _check_keys(members: Dict[str, Any], keys: Dict[str, Any], field: str) -> None:
    """Raises PayloadFault for the first known key, also of objects within, whose value does not fit."""
    for name, (fits, wording, inner) in keys.items():
        if name not in members:
            continue
        value, path = members[name], f"{field}.{name}"
        if not fits(value):
            raise PayloadFault(path, "must be " + wording)
        if isinstance(value, dict):
            _check_keys(value, inner, path)


def _payload_allowed(payload: bytes, push_type: int) -> bool:
    try:
        check_payload(payload, push_type)
    except ValueError:
        return False
    return True


def check_payload(payload: bytes, push_type: int) -> None:
    """Checks the rules of §10.1 and §16.4 except the size. Raises PayloadFault or another ValueError."""
    body = parse_object(payload)
    aps = body.get("aps", {})
    if not isinstance(aps, dict):
        raise PayloadFault("payload.aps", "must be an object")

    def need(fits: bool, name: str, text: str) -> None:
        if not fits:
            raise PayloadFault("payload." + name, text)

    if push_type == 2:
        need(_is_number(aps.get("content-available"), 1, 1), "aps.content-available", "must be the number 1")
        for name in ("alert", "badge", "sound"):
            need(name not in aps, "aps." + name, "a background push must not have it")
    if push_type == 6:
        need("aps" not in body, "aps", "a fileprovider push must not have it")
        for name in ("container-identifier", "domain"):
            need(isinstance(body.get(name), str), name, "must be a string")
    if push_type == 7:
        need(isinstance(body.get("mdm"), str), "mdm", "must be a string")
    if push_type == 8:
        event = aps.get("event")
        need(_is_number(aps.get("timestamp")), "aps.timestamp", "must be a number")
        need(event in EVENTS, "aps.event", "must be one of " + ", ".join(EVENTS))
        need(event == "end" or isinstance(aps.get("content-state"), dict), "aps.content-state", "must be an object")
        for name in ("attributes-type", "attributes", "alert"):
            need(event != "start" or name in aps, "aps." + name, "a start needs it")
    if push_type in (10, 11):
        need(aps.get("content-changed") is True, "aps.content-changed", "must be true")
    _check_keys(aps, _LIVE_ACTIVITY if push_type == 8 else _GENERAL, "payload.aps")


def parse_object(payload: bytes) -> Dict[str, Any]:
    """Returns the JSON object of a payload under the rules of §10.1; ValueError if it is not one."""
    text = payload.decode("utf-8", "strict")
    depth = 0
    quoted = escaped = False
    for letter in text:
        if quoted:
            quoted, escaped = escaped or letter != '"', letter == "\\" and not escaped
        elif letter == '"':
            quoted = True
        elif letter in "[{":
            depth += 1
            if depth > 32:
                raise ValueError("too deep")
        elif letter in "]}":
            depth -= 1

    def unique(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
        if len({name for name, _ in pairs}) != len(pairs):
            raise ValueError("duplicate name")
        return dict(pairs)

    def constant(name: str) -> Any:
        raise ValueError(f"{name} is not JSON")

    def number(digits: str) -> float:
        value = float(digits)
        if value in (float("inf"), float("-inf")):
            raise ValueError("a number beyond the range of a double")
        return value

    body = json.loads(text, object_pairs_hook=unique, parse_constant=constant, parse_int=number, parse_float=number)
    json.dumps(body,
               ensure_ascii=False).encode("utf-8")  # a lone surrogate does not encode: UnicodeError is a ValueError
    if not isinstance(body, dict):
        raise ValueError("not an object")
    return body


# ---------------------------------------------------------------------------------------------- frames (§2, §3)

HEADER = struct.Struct(">IBBHQ")


@dataclass
class Frame:
    """A frame that was read; `message` is "ignored" if the receiver must skip it."""

    kind: int
    flags: int
    opcode: int
    id: int
    message: str
    fields: Dict[str, Any]
    unknown_tags: List[Tuple[int, bytes]] = field(default_factory=list)


def encode(sender: str, message: str, fields: Dict[str, Any], id: int = 0, *, opcode: Optional[int] = None,
           flags: int = 0, unknown: Iterable[Tuple[int, bytes]] = ()) -> bytes:
    """Returns a whole frame. Only errors need `opcode`. `check` judges the values of requests."""
    layout = LAYOUTS[sender][message]
    try:
        payload = encode_payload(layout, fields, unknown)
    except (OverflowError, ValueError, TypeError, AttributeError) as error:
        raise ProtocolError("INVALID_ARGUMENT", "request") from error
    return HEADER.pack(len(payload), layout.kind, flags, layout.opcode if opcode is None else opcode, id) + payload


def check_header(header: bytes, sender: str, phase: str = "open", last_id: int = 0,
                 limit: Optional[int] = None) -> Tuple[int, Optional[Layout]]:
    """Returns the length and the layout, None if the frame is ignored. Raises the first fault of §3.1."""
    length, kind, flags, opcode, id = HEADER.unpack(header)
    if length > (limit if limit is not None else OPEN_LIMIT if phase == "open" else EARLY_LIMIT):
        raise ProtocolError("FRAME_TOO_LARGE", "connection")
    if kind not in ((REQUEST, CONTROL) if sender == "client" else (RESPONSE, ERROR, EVENT, CONTROL)):
        raise ProtocolError("MALFORMED", "connection")
    if flags & 0x0F and not (flags & 0x0F == ACK and kind == CONTROL and opcode == PING.opcode):
        raise ProtocolError("MALFORMED", "connection")
    if kind == CONTROL and id or kind in (RESPONSE, EVENT) and not id:
        raise ProtocolError("MALFORMED", "connection")
    layouts = BY_OPCODE[sender, kind]
    if kind in (CONTROL, EVENT):
        return length, None if flags >> 4 else layouts.get(opcode)
    if kind == ERROR:
        return length, ERROR_LAYOUT
    if kind == RESPONSE:
        if opcode not in layouts or flags >> 4:
            raise ProtocolError("MALFORMED", "connection")
        return length, layouts[opcode]
    if id <= last_id:
        raise ProtocolError("BAD_REQUEST_ID", "connection")
    if {1: "hello", 2: "auth"}.get(opcode, "open") != phase:
        raise ProtocolError("WRONG_PHASE", "connection")
    if opcode not in layouts:
        raise ProtocolError("UNSUPPORTED_OPCODE", "request")
    if flags >> 4:
        raise ProtocolError("UNSUPPORTED_VERSION", "request")
    return length, layouts[opcode]


def decode(data: bytes, sender: str, phase: str = "open", last_id: int = 0, limit: Optional[int] = None) -> Frame:
    """Reads one whole frame as its receiver does. ProtocolError for the first fault."""
    header = data[:HEADER.size]
    length, layout = check_header(header, sender, phase, last_id, limit)
    _, kind, flags, opcode, id = HEADER.unpack(header)
    if len(data) != HEADER.size + length:
        raise ValueError("not one whole frame")
    if layout is None:
        return Frame(kind, flags, opcode, id, "ignored", {})
    fields, unknown = decode_payload(layout, data[HEADER.size:], sender)
    return Frame(kind, flags, opcode, id, layout.message, fields, unknown)


def client_preface(lowest: int = 1, highest: int = 1) -> bytes:
    """Returns the first 16 bytes of a client."""
    return MAGIC + bytes([lowest, highest]) + bytes(6)


def answer_preface(preface: bytes) -> bytes:
    """Returns the server's preface. Raises NotCarillon, or ProtocolError after a preface of version 0."""
    if preface[:8] != MAGIC:
        raise NotCarillon
    lowest, highest = preface[8], preface[9]
    if lowest > highest or lowest == 0 or any(preface[10:16]):
        raise ProtocolError("MALFORMED", "connection")
    if lowest > 1:
        raise ProtocolError("UNSUPPORTED_VERSION", "connection")
    return MAGIC + bytes([1]) + bytes(7)


def fields_to_json(layout: Layout, fields: Dict[str, Any]) -> Dict[str, Any]:
    """Returns fields in the form of ../vectors/README.md."""
    return {name: part.to_json(fields[name]) for name, part in layout.parts().items() if name in fields}


def fields_from_json(layout: Layout, fields: Dict[str, Any]) -> Dict[str, Any]:
    """Reverses `fields_to_json`. KeyError for a name that the layout does not have."""
    return {name: layout.parts()[name].from_json(value) for name, value in fields.items()}


# ---------------------------------------------------------------------------------------------- client

Payload = Union[bytes, Dict[str, Any]]

class CarillonError(Exception):
    """A request that failed.

    `code` is a name of §15, or CONNECTION_LOST, CANNOT_CONNECT or NO_ANSWER for a fault that the client itself found.
    `effect` is "not executed", "unknown" or "executed". `retry_after` is in seconds; None: the same request will fail
    again. `column` is where a condition cannot be read, in bytes from 1. `reason` is APNs' word for a request to it.
    """

    def __init__(self, code: str, effect: str, message: str = "", *, scope: str = "request",
                 retry_after: Optional[float] = 0.0, field: Optional[str] = None, item: Optional[int] = None,
                 limit: Optional[int] = None, column: Optional[int] = None, reason: Optional[str] = None) -> None:
        where = f", field {field}" if field else ""
        super().__init__(f"{code}, {effect}{where}" + (f": {message}" if message else ""))
        self.code, self.effect, self.message, self.scope = code, effect, message, scope
        self.retry_after, self.field, self.item, self.limit = retry_after, field, item, limit
        self.column, self.reason = column, reason

    @classmethod
    def from_frame(cls, fields: Dict[str, Any]) -> CarillonError:
        """Makes the error of an error frame."""
        retry = fields["retry_after_ms"]
        return cls(_name(ERRORS, fields["code"]), _name(EFFECTS, fields["effect"], "unknown"), fields["message"],
                   scope=_name(SCOPES, fields["scope"], "request"),
                   retry_after=None if retry == NEVER else retry / 1000,
                   field=fields.get("field"), item=fields.get("item"), limit=fields.get("limit"),
                   column=fields.get("column"), reason=fields.get("reason"))


def _name(names: Dict[int, str], value: int, otherwise: Optional[str] = None) -> str:
    """Returns the name of a value. A newer server can send values without a name here."""
    return names.get(value) or otherwise or f"unknown-{value}"


def _value(names: Dict[int, str], name: str, field: str) -> int:
    """Returns the value of a name; CarillonError if there is none."""
    for value, known in names.items():
        if known == name:
            return value
    raise CarillonError("INVALID_ARGUMENT", "not executed", f"{name!r} is not a name of {field}", field=field,
                        retry_after=None)


def tls_context(ca_file: Optional[str] = None, cert_file: Optional[str] = None,
                key_file: Optional[str] = None) -> ssl.SSLContext:
    """Returns TLS for §1: 1.2 or later, ALPN carillon/1, a verified server, optionally a client certificate."""
    context = ssl.create_default_context(cafile=ca_file)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["carillon/1"])
    if cert_file:
        context.load_cert_chain(cert_file, key_file)
    return context


@dataclass(frozen=True)
class Endpoint:
    """The address of the server and the credential of the client. `tls` None: no TLS, for loopback and Unix sockets."""

    host: str = "127.0.0.1"
    port: int = 0
    unix_path: Optional[str] = None
    tls: Optional[ssl.SSLContext] = None
    api_key: Optional[bytes] = None
    software: str = "carillon-python/1.0"

    def open(self, timeout: float) -> socket.socket:
        """Returns a connected socket after the TLS handshake."""
        if self.unix_path is not None:
            sock = socket.socket(socket.AF_UNIX)
            sock.settimeout(timeout)
            try:
                sock.connect(self.unix_path)
            except OSError:
                sock.close()
                raise
            return sock
        sock = socket.create_connection((self.host, self.port), timeout)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self.tls is None:
            return sock
        try:
            return self.tls.wrap_socket(sock, server_hostname=self.host)
        except (OSError, ValueError):
            sock.close()
            raise


class _Connection:
    """One socket from the prefaces to its end.

    One thread does all input and output, as TLS requires. It never waits for a server that has stopped reading.
    """

    def __init__(self, endpoint: Endpoint, timeout: float) -> None:
        self.lock = threading.Lock()
        self.pending: Dict[int, Future] = {}
        self.streams: Dict[int, EventStream] = {}  # by the id of SUBSCRIBE_EVENTS
        self.last_id = 0
        self.leaving: Optional[CarillonError] = None  # not None: accepts no new request
        self.reconnect_at = 0.0
        self.outgoing = bytearray()
        self.ping: Optional[Tuple[bytes, Future]] = None
        self.ping_sent = 0.0
        self.position = 0
        self.frame_limit = EARLY_LIMIT
        self.sock = endpoint.open(timeout)
        try:
            self._handshake(endpoint)
        except BaseException:
            self.sock.close()
            raise
        self.wake, self.woken = socket.socketpair()
        for each in (self.sock, self.wake, self.woken):
            each.setblocking(False)
        threading.Thread(target=self._run, name="carillon", daemon=True).start()

    def _handshake(self, endpoint: Endpoint) -> None:
        """Sends the preface, HELLO and, if the server wants a key, AUTH; and reads their answers (§5)."""
        hello = encode("client", "hello", {"software": endpoint.software, "receive_limit": OPEN_LIMIT}, 1)
        self.sock.sendall(client_preface() + hello)
        preface = self._exactly(16)
        if preface[:8] != MAGIC or any(preface[9:]) or preface[8] > 1:
            raise ProtocolError("MALFORMED", "connection")
        self.hello = self._first_answer("hello", 1)
        self.last_id = 1
        if not self.hello["authenticated"]:
            if endpoint.api_key is None:
                raise CarillonError("AUTHENTICATION_FAILED", "not executed", "the server requires a key",
                                    retry_after=None)
            self.sock.sendall(encode("client", "auth", {"method": 1, "credential": endpoint.api_key}, 2))
            self.auth: Optional[Dict[str, Any]] = self._first_answer("auth", 2)
            self.last_id = 2
        self.frame_limit = self.hello["frame_limit"]
        self.slots = threading.Semaphore(max(1, self.hello["in_flight_limit"]))

    def _first_answer(self, message: str, id: int) -> Dict[str, Any]:
        """Returns the answer to a request of the handshake. Frames of the connection may come before it."""
        for _ in range(100):
            frame = self._frame()
            if frame.message == "ping" and not frame.flags:
                self.sock.sendall(encode("client", "ping", frame.fields, flags=ACK))
            elif frame.kind == ERROR:
                raise CarillonError.from_frame(frame.fields)
            elif frame.message == "goaway":
                raise CarillonError("DRAINING", "not executed", retry_after=frame.fields["reconnect_after_ms"] / 1000)
            elif frame.kind == RESPONSE:
                if (frame.message, frame.id) != (message, id):
                    raise ProtocolError("MALFORMED", "connection")
                return frame.fields
        raise ProtocolError("MALFORMED", "connection")

    def _exactly(self, count: int) -> bytes:
        """Reads this number of bytes."""
        data = bytearray()
        while len(data) < count:
            piece = self.sock.recv(min(count - len(data), 1 << 16))
            if not piece:
                raise ConnectionError("the server closed")
            data += piece
        return bytes(data)

    def _frame(self) -> Frame:
        header = self._exactly(HEADER.size)
        length, _ = check_header(header, "server")
        return decode(header + self._exactly(length), "server")

    def submit(self, message: str, fields: Dict[str, Any], timeout: float,
               stream: Optional[EventStream] = None) -> Tuple[int, Future]:
        """Sends a request and returns its id. The future has the fields of the response or raises CarillonError.

        The stream gets the events that name the request.
        """
        frame = encode("client", message, fields, 0)
        if len(frame) - HEADER.size > self.frame_limit:
            raise CarillonError("FRAME_TOO_LARGE", "not executed", retry_after=None, limit=self.frame_limit)
        if not self.slots.acquire(timeout=timeout):
            raise CarillonError("OVERLOADED", "not executed", "too many requests outstanding")
        future: Future = Future()
        future.add_done_callback(lambda _: self.slots.release())
        with self.lock:
            leaving = self.leaving
            if leaving is None:
                self.last_id += 1
                id = self.last_id
                self.pending[id] = future
                if stream is not None:
                    self.streams[id] = stream
                self._enqueue(frame[:8] + id.to_bytes(8, "big") + frame[16:])
        if leaving is not None:
            future.cancel()
            raise leaving
        return id, future

    def forget(self, id: int) -> None:
        """Ignores the answer when it comes: the caller no longer waits for it."""
        with self.lock:
            future = self.pending.pop(id, None)
        if future is not None:
            future.cancel()

    def submit_ping(self) -> Future:
        """Sends a PING. At most one waits for its answer; a second caller shares the answer."""
        with self.lock:
            if self.leaving is not None:
                raise self.leaving
            if self.ping is None:
                self.ping = os.urandom(8), Future()
                self.ping_sent = time.monotonic()
                self._enqueue(encode("client", "ping", {"data": self.ping[0]}))
            return self.ping[1]

    def send_position(self, position: int) -> None:
        """Requests that follow are answered from a state that contains this position (§6.5)."""
        with self.lock:
            self._enqueue(encode("client", "position", {"position": position}))

    def _enqueue(self, frame: bytes) -> None:
        """Queues bytes, in order. The caller holds the lock."""
        self.outgoing += frame
        try:
            self.wake.send(b"\0")
        except OSError:
            pass  # full: the thread is awake; closed: the connection has ended

    def _run(self) -> None:
        """The thread: sends and receives until the connection ends."""
        end: Optional[CarillonError] = None
        incoming = bytearray()
        with selectors.DefaultSelector() as selector:
            selector.register(self.woken, selectors.EVENT_READ)
            selector.register(self.sock, selectors.EVENT_READ)
            try:
                while end is None:
                    writing = self._send_some()
                    if self._receive_some(incoming):
                        end = self._read_frames(incoming)
                        continue
                    selector.modify(self.sock, selectors.EVENT_READ | (selectors.EVENT_WRITE if writing else 0))
                    for key, _ in selector.select():
                        if key.fileobj is self.woken and not self.woken.recv(4096):
                            raise ConnectionError("closed")
            except (OSError, ProtocolError, ValueError) as error:
                end = CarillonError("CONNECTION_LOST", "unknown", str(error), scope="connection")
        self._fail(lambda id: True, end or CarillonError("CONNECTION_LOST", "unknown"))
        for each in (self.sock, self.wake, self.woken):
            each.close()

    def _send_some(self) -> bool:
        """Sends bytes; returns true if the socket does not take all of them now."""
        with self.lock:
            piece = bytes(self.outgoing[:1 << 16])
        if piece:
            try:
                sent = self.sock.send(piece)
            except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
                sent = 0
            except OSError:
                sent = len(piece)  # reading will report why the connection has ended
            with self.lock:
                del self.outgoing[:sent]
        return len(self.outgoing) > 0

    def _receive_some(self, incoming: bytearray) -> bool:
        """Receives bytes; returns true if there were any."""
        try:
            piece = self.sock.recv(1 << 16)
        except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return False
        if not piece:
            raise ConnectionError("the server closed")
        incoming += piece
        return True

    def _read_frames(self, incoming: bytearray) -> Optional[CarillonError]:
        """Removes and processes the whole frames. Returns the error that ends the connection."""
        while len(incoming) >= HEADER.size:
            length, _ = check_header(bytes(incoming[:HEADER.size]), "server")
            size = HEADER.size + length
            if len(incoming) < size:
                break
            frame = decode(bytes(incoming[:size]), "server")
            del incoming[:size]
            fatal = self._frame_received(frame)
            if fatal is not None:
                return fatal
        return None

    def _frame_received(self, frame: Frame) -> Optional[CarillonError]:
        """Processes a frame. Returns an error of scope connection, which ends the connection."""
        if frame.message == "ping":
            self._ping_received(frame)
        elif frame.message == "goaway":
            self._goaway_received(frame.fields)
        elif frame.message == "position":
            self.position = max(self.position, frame.fields["position"])
        elif frame.kind == RESPONSE:
            self._complete(frame.id, frame.fields)
        elif frame.message == "event":
            with self.lock:
                stream = self.streams.get(frame.id)
            if stream is not None:
                stream._enqueue(frame.fields)
        elif frame.kind == ERROR:
            error = CarillonError.from_frame(frame.fields)
            self._complete(frame.id, error)
            if error.scope == "connection":
                # The effect in the frame is that of its request; that of the others is unknown (§15).
                return CarillonError(error.code, "unknown", error.message, scope="connection",
                                     retry_after=error.retry_after or 0.0)
        return None

    def _ping_received(self, frame: Frame) -> None:
        if not frame.flags & ACK:
            with self.lock:
                if len(self.outgoing) < OUTGOING_LIMIT:  # a server that pings and does not read gets no more answers
                    self._enqueue(encode("client", "ping", frame.fields, flags=ACK))
            return
        with self.lock:
            ping = self.ping
            if ping is None or ping[0] != frame.fields["data"]:
                return
            self.ping = None
        ping[1].set_result(None)

    def _goaway_received(self, fields: Dict[str, Any]) -> None:
        wait = fields["reconnect_after_ms"] / 1000
        self.reconnect_at = time.monotonic() + wait
        error = CarillonError("DRAINING", "not executed", fields["reason"], scope="connection", retry_after=wait)
        with self.lock:
            self.leaving = error
        self._fail(lambda id: id > fields["last_id"], error, leave=False)

    def _complete(self, id: int, result: Union[Dict[str, Any], CarillonError]) -> None:
        """Gives a request its result, unless its caller has given up."""
        with self.lock:
            future = self.pending.pop(id, None)
        if future is None or not future.set_running_or_notify_cancel():
            return
        if isinstance(result, CarillonError):
            future.set_exception(result)
        else:
            future.set_result(result)

    def _fail(self, which: Callable[[int], bool], error: CarillonError, leave: bool = True) -> None:
        """Fails the requests whose ids `which` selects. With `leave` the connection is over: it takes no more requests,
        and its subscriptions and its PING fail too."""
        streams: List[EventStream] = []
        with self.lock:
            failed = [id for id in self.pending if which(id)]
            ping = None
            if leave:
                streams, self.streams = list(self.streams.values()), {}
                retry = error.retry_after
                self.leaving = self.leaving or CarillonError(error.code, "not executed", error.message,
                                                             scope="connection", retry_after=retry)
                ping, self.ping = self.ping, None
        for id in failed:
            self._complete(id, error)
        for stream in streams:
            stream._enqueue(error)
        if ping is not None:
            ping[1].set_exception(error)

    def close(self) -> None:
        """Ends the connection. Outstanding requests fail with effect unknown."""
        self.wake.close()


class EventStream:
    """The events of one subscription, an iterator of dictionaries; made by `Client.events`.

    Each event has `sequence`, `at` (ms) and `kind` (a name), and depending on the kind `app`, `message_id`,
    `device_id`, `outcome` (a name), `count` and `text`. A gap has `missed_from` and `missed_to`. The stream grants more
    credit as the caller takes events, so that at most a window of them wait. When the connection ends, it raises
    CarillonError: subscribe again, by name or from the last `sequence`.
    """

    def __init__(self, timeout: float, window: int) -> None:
        self._timeout, self._window = timeout, max(2, window)
        self._waiting: "queue.SimpleQueue[Union[Dict[str, Any], CarillonError, None]]" = queue.SimpleQueue()
        self._taken = self._received = self._granted = 0
        self._end: Optional[CarillonError] = None
        self.after = 0

    def _begin(self, connection: _Connection, fields: Dict[str, Any]) -> None:
        """Subscribes on a connection."""
        self._connection = connection
        self._granted = self._window
        self._id, future = connection.submit("subscribe_events", {**fields, "credit": self._window}, self._timeout,
                                             self)
        try:
            self.after = self._result(future, self._id)["after"]
        except CarillonError:
            self._forget()
            raise

    def _result(self, future: Future, id: int) -> Dict[str, Any]:
        """Waits for the answer to a request of the subscription."""
        try:
            return future.result(self._timeout)
        except FutureTimeout:
            self._connection.forget(id)
            raise CarillonError("NO_ANSWER", "unknown", "no answer in time") from None

    def _forget(self) -> None:
        with self._connection.lock:
            self._connection.streams.pop(self._id, None)

    def _enqueue(self, event: Union[Dict[str, Any], CarillonError]) -> None:
        """Queues an event of the connection, or its end."""
        if not isinstance(event, CarillonError):
            self._received += 1
            if self._received > self._granted:
                raise ProtocolError("MALFORMED", "connection")  # a server that ignores the credit
        self._waiting.put(event)

    def _ask(self, message: str, **fields: int) -> Tuple[int, Future]:
        return self._connection.submit(message, {"subscription": self._id, **fields}, self._timeout)

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        return self

    def __next__(self) -> Dict[str, Any]:
        event = self.take()
        if event is None:
            raise StopIteration
        return event

    def take(self, timeout: Optional[float] = None) -> Optional[Dict[str, Any]]:
        """Returns the next event; None after `close`, or if none has come within `timeout` seconds."""
        if self._end is not None:
            raise self._end
        try:
            event = self._waiting.get(timeout=timeout)
        except queue.Empty:
            return None
        if isinstance(event, CarillonError):
            self._end = event
            raise event
        if event is None:
            return None
        self._taken += 1
        if self._granted - self._taken <= self._window // 2:
            self._grant_more()
        kind = EVENT_KINDS.get(event["kind"], f"event-{event['kind']}")
        outcome = {"outcome": _name(OUTCOMES, event["outcome"])} if "outcome" in event else {}
        return {**event, "kind": kind, **outcome}

    def _grant_more(self) -> None:
        """Grants a window of credit above what the caller has taken."""
        granted = self._granted
        self._granted = self._taken + self._window
        try:
            self._ask("event_credit", credit=self._granted, ack=0)
        except CarillonError:
            self._granted = granted  # the caller gets the queued events first, then the end of the connection

    def acknowledge(self, sequence: int) -> None:
        """Acknowledges every event up to this number, durably: a subscription of the same name begins after it."""
        id, future = self._ask("event_credit", credit=self._granted, ack=sequence)
        self._result(future, id)

    def close(self) -> None:
        """Ends the subscription and an iteration over it. What its name has acknowledged is kept."""
        self._forget()  # before the answer: the server may close the connection behind it
        id, future = self._ask("unsubscribe_events")
        self._waiting.put(None)
        self._result(future, id)

    def __enter__(self) -> EventStream:
        return self

    def __exit__(self, *_: Any) -> None:
        try:
            self.close()
        except CarillonError:
            pass  # the connection has ended, and the subscription with it


class Client:
    """A client that many threads can share. Each call waits for its answer; the calls of all threads are pipelined.

    The client repeats a call on a new connection only where that is safe (§18): the request was not executed, or
    repeating it has no second effect. `timeout` in seconds bounds a whole call, repetitions included.
    """

    def __init__(self, endpoint: Endpoint, *, timeout: float = 10.0, attempts: int = 6, backoff: float = 0.1,
                 backoff_limit: float = 5.0) -> None:
        self.endpoint, self.timeout, self.attempts = endpoint, timeout, attempts
        self.backoff, self.backoff_limit = backoff, backoff_limit
        self._lock = threading.Lock()
        self._connection: Optional[_Connection] = None
        self._closed = False

    @classmethod
    def connect(cls, host: str = "127.0.0.1", port: int = 0, *, unix_path: Optional[str] = None,
                plaintext: bool = False,
                ca_file: Optional[str] = None, cert_file: Optional[str] = None, key_file: Optional[str] = None,
                api_key: Union[str, bytes, None] = None, **options: Any) -> Client:
        """Connects now, so that a wrong address or key fails at once. TLS unless `unix_path` or `plaintext` is set."""
        tls = None if plaintext or unix_path else tls_context(ca_file, cert_file, key_file)
        key = api_key.encode() if isinstance(api_key, str) else api_key
        client = cls(Endpoint(host, port, unix_path, tls, key), **options)
        client._current(client.timeout)
        return client

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection."""
        with self._lock:
            self._closed = True
            if self._connection:
                self._connection.close()

    @property
    def server(self) -> Dict[str, Any]:
        """The server's answer to HELLO."""
        return self._current(self.timeout).hello

    @property
    def position(self) -> int:
        """How far the node of a cluster was before its last answer (§6.5); 0 if it belongs to none."""
        return self._current(self.timeout).position

    def observe(self, position: int) -> None:
        """Requests that follow on this connection see a position that another client has."""
        self._current(self.timeout).send_position(position)

    def _current(self, timeout: float) -> _Connection:
        """Returns the connection; a new one if there is none that takes requests."""
        with self._lock:
            if self._closed:
                raise CarillonError("CONNECTION_LOST", "not executed", "the client is closed", retry_after=None)
            old = self._connection
            if old is None or old.leaving is not None:
                wait = old.reconnect_at - time.monotonic() if old else 0
                if wait > 0:
                    raise CarillonError("DRAINING", "not executed", "reconnects later", retry_after=wait)
                self._connection = None
                try:
                    self._connection = _Connection(self.endpoint, timeout)
                except CarillonError:
                    raise
                except (OSError, ProtocolError) as error:
                    raise CarillonError("CANNOT_CONNECT", "not executed", str(error), scope="connection") from error
            return self._connection

    def _attempt(self, message: str, fields: Dict[str, Any], end: float) -> Dict[str, Any]:
        """Sends a request once, and waits for its answer until `end`."""
        left = end - time.monotonic()
        if left <= 0:
            raise CarillonError("NO_ANSWER", "not executed", "no time left")
        connection = self._current(left)
        left = max(0.001, end - time.monotonic())
        id, future = connection.submit(message, {**fields, "deadline_ms": min(NEVER, int(left * 1000))}, left)
        try:
            return future.result(left)
        except FutureTimeout:
            connection.forget(id)
            raise CarillonError("NO_ANSWER", "unknown", "no answer in time") from None

    def call(self, message: str, fields: Dict[str, Any], *, repeatable: bool = True,
             timeout: Optional[float] = None) -> Dict[str, Any]:
        """Sends one request with the codec's fields. `repeatable`: a second execution does no harm."""
        self._checked(message, fields)
        end = time.monotonic() + (self.timeout if timeout is None else timeout)
        tried = 0
        while True:
            try:
                return self._attempt(message, fields, end)
            except CarillonError as error:
                tried += 1
                safe = error.effect == "not executed" or error.effect == "unknown" and repeatable
                if not safe or error.retry_after is None or tried >= self.attempts:
                    raise
                ceiling = min(self.backoff_limit, self.backoff * 2 ** tried)
                pause = error.retry_after + random.uniform(0, ceiling)
                if time.monotonic() + pause >= end:
                    raise
            time.sleep(pause)

    @staticmethod
    def _checked(message: str, fields: Dict[str, Any]) -> None:
        """Raises CarillonError for a request that the server would refuse."""
        try:
            encode("client", message, fields)
            check(message, fields, batch_limit=NEVER)  # the server knows its own limit
        except ProtocolError as error:
            raise CarillonError(error.code, "not executed", field=error.field, item=error.item,
                                retry_after=None) from error

    def ping(self, timeout: Optional[float] = None) -> float:
        """Returns the seconds until a PING is answered. Waits first if the last PING was too recent (§6.3)."""
        end = time.monotonic() + (self.timeout if timeout is None else timeout)
        connection = self._current(max(0.001, end - time.monotonic()))
        pause = connection.ping_sent + connection.hello["ping_interval_ms"] / 1000 - time.monotonic()
        if connection.ping_sent and pause > 0:
            time.sleep(min(pause, max(0.0, end - time.monotonic())))
        try:
            connection.submit_ping().result(max(0.001, end - time.monotonic()))
        except FutureTimeout:
            raise CarillonError("NO_ANSWER", "unknown", "no answer to PING") from None
        return time.monotonic() - connection.ping_sent

    def register(self, app: str, token: Union[str, bytes], **options: Any) -> Dict[str, Any]:
        """Registers a device.

        Options: environment, kind (names), seen_at (ms; 0 = now), replaces, locale, time_zone, topics, groups,
        attributes (a dictionary; an empty value removes the key) and subscription (of a browser, kind web: what
        `PushSubscription.toJSON()` gives; the token is `browser_token` of its endpoint).
        """
        fields = register_fields(app, token, **options)
        return _registered(self.call("register", fields, repeatable=fields["seen_at"] != 0))

    def register_batch(self, items: List[Dict[str, Any]]) -> List[Dict[str, Any]]:
        """Registers devices; items are arguments of `register`. A refused item has `error`, a name of §15."""
        fields = [register_fields(**item) for item in items]
        payloads = [_item_payload(index, each) for index, each in enumerate(fields)]
        answer = self.call("register_batch", {"items": payloads}, repeatable=all(each["seen_at"] for each in fields))
        if len(answer["results"]) != len(items):
            raise CarillonError("CONNECTION_LOST", "unknown", "the answer does not fit the batch", retry_after=None)
        return [{"error": _name(ERRORS, result["code"])} if result["code"] else _registered(result)
                for result in answer["results"]]

    def unregister(self, app: str, device: Any, at: int = 0) -> Dict[str, Any]:
        """Unregisters a device (see `device_field`). `at` is in ms, 0 = now."""
        answer = self.call("unregister", {"app": app, "device": device_field(device), "at": at}, repeatable=at != 0)
        return {"device_id": answer["device_id"], "result": _name(UNREGISTERED, answer["result"])}

    def lookup(self, app: str, device: Any) -> Dict[str, Any]:
        """Returns the stored device, the token as bytes. `muted` is the switch of the device itself."""
        return _device(self.call("lookup", {"app": app, "device": device_field(device)}))

    def update_device(self, app: str, device: Any, *, locale: Optional[str] = None, time_zone: Optional[str] = None,
                      attributes: Optional[Dict[str, str]] = None, muted: Optional[bool] = None) -> int:
        """Changes the given values of a device and returns its id. Empty texts remove a value."""
        tags = {"locale": locale, "time_zone": time_zone, "attributes": _attributes(attributes),
                "muted": None if muted is None else int(muted)}
        answer = self.call("update_device", {"app": app, "device": device_field(device), **_given(tags)},
                           repeatable=False)
        return answer["device_id"]

    def memberships(self, app: str, device: Any, after: str = "", limit: int = 1000) -> Dict[str, Any]:
        """Returns the groups of a device, and a page of its topics with the source of each ("" = the device itself).

        `next` is the `after` of the following page, "" after the last. `muted` is a list of "device" and "group".
        """
        answer = self.call("memberships", {"app": app, "device": device_field(device), "after": after, "limit": limit})
        return {**answer, "muted": [name for bit, name in ((1, "device"), (2, "group")) if answer["muted"] & bit],
                "groups": {each["group"]: bool(each["muted"]) for each in answer["groups"]},
                "topics": [(each["topic"], each["source"]) for each in answer["topics"]]}

    def restore(self, app: str, device: Any) -> int:
        """Takes a device out of quarantine and returns its id."""
        return self.call("restore", {"app": app, "device": device_field(device)})["device_id"]

    def quarantine(self, app: str, cursor: int = 0, limit: int = 1000) -> Dict[str, Any]:
        """Returns a page of the ids of quarantined devices. `next` is the next cursor, 0 after the last page."""
        return self.call("quarantine", {"app": app, "cursor": cursor, "limit": limit})

    def join(self, app: str, group: str, devices: List[Any], *, announcement: Optional[Payload] = None,
             bodies: Optional[Dict[str, Payload]] = None) -> Dict[str, Any]:
        """Adds devices to a group.

        The announcement, an alert, goes to the *other* devices if a device is new. `bodies` are its languages by tag.
        `message_id` 0 = no announcement was sent. `unknown` are indices of devices that are not registered. Like every
        change without a time, this one is not repeated after effect "unknown": another change may have come between.
        """
        fields = {"app": app, "group": group, "devices": [device_field(device) for device in devices]}
        return self.call("join", {**fields, **_announced(announcement, bodies)}, repeatable=False)

    def leave(self, app: str, group: str, devices: List[Any], *, clear_topics: bool = False) -> Dict[str, Any]:
        """Removes devices from a group. With `clear_topics` their own subscriptions end too, as at a sign-out."""
        fields = {"app": app, "group": group, "devices": [device_field(device) for device in devices]}
        return self.call("leave", {**fields, **({"clear_topics": 1} if clear_topics else {})}, repeatable=False)

    def switch(self, app: str, device: Any, from_group: str, to_group: str, *,
               announcement: Optional[Payload] = None,
               bodies: Optional[Dict[str, Payload]] = None) -> Dict[str, Any]:
        """Moves a device from one group to another in one step. Announcement and bodies as in `join`."""
        fields = {"app": app, "device": device_field(device), "from": from_group, "to": to_group}
        answer = self.call("switch", {**fields, **_announced(announcement, bodies)}, repeatable=False)
        return {"device_id": answer["device_id"], "left": bool(answer["changed"] & 1),
                "joined": bool(answer["changed"] & 2), "message_id": answer["message_id"]}

    def group_devices(self, app: str, group: str, cursor: int = 0, limit: int = 1000) -> Dict[str, Any]:
        """Returns a page of the ids of a group's devices. `next` is the next cursor, 0 after the last page."""
        return self.call("group_devices", {"app": app, "group": group, "cursor": cursor, "limit": limit})

    def groups(self, app: str, prefix: str = "", after: str = "", limit: int = 1000) -> Dict[str, Any]:
        """Returns a page of groups with their numbers of devices. `next` is the next `after`, "" at the end."""
        answer = self.call("groups", {"app": app, "prefix": prefix, "after": after, "limit": limit})
        return {"next": answer["next"], "groups": [{**each, "muted": bool(each["muted"])} for each in answer["groups"]]}

    def update_group(self, app: str, group: str, muted: Optional[bool] = None) -> int:
        """Mutes or unmutes a group, and returns the number of its devices."""
        tags = {} if muted is None else {"muted": int(muted)}
        return self.call("update_group", {"app": app, "group": group, **tags}, repeatable=False)["devices"]

    def group_topics(self, app: str, group: str, after: str = "", limit: int = 1000) -> Dict[str, Any]:
        """Returns a page of the topics that a group is subscribed to."""
        return self.call("group_topics", {"app": app, "group": group, "after": after, "limit": limit})

    def subscribe(self, app: str, topics: List[str], devices: Iterable[Any] = (),
                  groups: Iterable[str] = ()) -> Dict[str, Any]:
        """Subscribes each device and group to each topic, at most 10,000 pairs. `changed` counts the new sources."""
        return self.call("subscribe", _subscription(app, topics, devices, groups), repeatable=False)

    def unsubscribe(self, app: str, topics: List[str], devices: Iterable[Any] = (),
                    groups: Iterable[str] = ()) -> Dict[str, Any]:
        """Reverses `subscribe`. `changed` counts the sources that are gone."""
        return self.call("unsubscribe", _subscription(app, topics, devices, groups), repeatable=False)

    def topics(self, app: str, prefix: str = "", after: str = "", limit: int = 1000) -> Dict[str, Any]:
        """Returns a page of topics with their numbers of devices."""
        return self.call("topics", {"app": app, "prefix": prefix, "after": after, "limit": limit})

    def topic_devices(self, app: str, topic: str, cursor: int = 0, limit: int = 1000) -> Dict[str, Any]:
        """Returns a page of the ids of a topic's devices."""
        return self.call("topic_devices", {"app": app, "topic": _bare_topic(topic), "cursor": cursor,
                                            "limit": limit})

    def explain(self, app: str, condition: str) -> Dict[str, Any]:
        """Returns a condition in its canonical form, its number of devices, and that of each of its sets."""
        answer = self.call("explain", {"app": app, "condition": condition})
        return {**answer, "sets": {each["set"]: each["devices"] for each in answer["sets"]}}

    def send(self, app: str, devices: List[Any], payload: Payload, *, push_type: str = "alert",
             priority: int = 0, key: Optional[bytes] = None, **options: Any) -> Dict[str, Any]:
        """Sends a push to named devices. Without `key` the client makes a random key; NO_KEY sends none.

        Options, as of `send_options`: lane, expiration (s), collapse_id, not_after (ms), bodies (payloads by language),
        except_device, dry_run, send_at (ms), pace (deliveries a second), over_budget ("drop" or "wait", of silent
        pushes), id_key (the key of the message's id in the payload), label (a text for listings and the server's log),
        android, android_raw (what Android devices get instead, §10.1), web, web_raw (the same of browsers), traceparent
        (the distributed trace that it belongs to). Another name is a TypeError.
        """
        if devices is None:
            raise _no_audience("devices is None")
        return self._send(app, AUDIENCES["devices"], {"devices": [device_field(device) for device in devices]}, payload,
                          push_type=push_type, priority=priority, key=key, options=options)

    def send_to(self, app: str, payload: Payload, *, groups: List[str] = _NOT_GIVEN, topic: str = _NOT_GIVEN,
                condition: str = _NOT_GIVEN, all_devices: bool = False, channel: str = _NOT_GIVEN,
                push_type: str = "alert", priority: int = 0, key: Optional[bytes] = None,
                **options: Any) -> Dict[str, Any]:
        """Sends a push to groups, a topic, a condition or a channel, or with `all_devices` to every device of the app.

        Exactly one of them must be given. None is not an audience: a value that is missing by accident, as of an
        environment variable, must not address all devices. With `bodies` the payload may be b"": devices without a
        fitting language then get no push. For the rest see `send`.
        """
        named = {name: value for name, value in (("groups", groups), ("topic", topic), ("condition", condition),
                                                  ("channel", channel)) if value is not _NOT_GIVEN}
        for name, value in named.items():
            if value is None:
                raise _no_audience(f"{name} is None")
        if not isinstance(all_devices, bool):
            raise _no_audience("all_devices must be True or False")
        if len(named) + all_devices != 1:
            raise _no_audience("more than one audience" if named else
                               "no audience: give groups, topic, condition or all_devices=True")
        if "topic" in named:
            named["topic"] = _bare_topic(topic)
        audience = AUDIENCES[next(iter(named), "all")]
        return self._send(app, audience, {"devices": [], **named}, payload, push_type=push_type, priority=priority,
                          key=key, options=options)

    def _send(self, app: str, audience: int, named: Dict[str, Any], payload: Payload, *, push_type: str, priority: int,
              key: Optional[bytes], options: Dict[str, Any]) -> Dict[str, Any]:
        key = uuid.uuid4().bytes if key is None else key
        fields = {"app": app, "key": key, "push_type": _value(PUSH_TYPES, push_type, "push_type"), "priority": priority,
                  "audience": audience, "payload": _payload(payload), **named,
                  **send_options(**options)}
        answer = self.call("send", fields, repeatable=key != NO_KEY or "dry_run" in fields)
        return {**answer, "duplicate": bool(answer["duplicate"])}

    def message_status(self, app: str, message_id: int) -> Dict[str, Any]:
        """Returns the state of a message and the number of devices of each outcome.

        `label` is there if it has one; `sender` is absent if it is not known.
        """
        answer = self.call("message_status", {"app": app, "message_id": message_id})
        return {**answer, "state": _name(MESSAGE_STATES, answer["state"]),
                "outcomes": {_name(OUTCOMES, entry["outcome"]): entry["devices"] for entry in answer["outcomes"]}}

    def message_outcomes(self, app: str, message_id: int, cursor: int = 0, limit: int = 1000) -> Dict[str, Any]:
        """Returns a page of recipients. `next` is the next cursor, 0 after the last page."""
        answer = self.call("message_outcomes", {"app": app, "message_id": message_id, "cursor": cursor, "limit": limit})
        return {"next": answer["next"], "recipients": [
            {"device_id": entry["device_id"], "outcome": _name(OUTCOMES, entry["outcome"])}
            for entry in answer["recipients"]]}

    def messages(self, app: str, before: int = 0, limit: int = 1000, *, state: Optional[str] = None,
                 sender: Optional[str] = None, label: Optional[str] = None) -> Dict[str, Any]:
        """Returns a page of the app's messages, the newest first. `next` is the next `before`, 0 at the end.

        Only messages in `state`, of `sender`, and with a label that begins with `label`. A page with filters can be
        empty although `next` is not 0. Without `details` there is no `delivered`, `failed`, `label` or
        `sender`.
        """
        number = None if state is None else _value(MESSAGE_STATES, state, "state")
        answer = self.call("messages", {"app": app, "before": before, "limit": limit, **_given(
            {"state": number, "sender": sender, "label": label})})
        details = answer.get("details", [{}] * len(answer["messages"]))
        if len(details) != len(answer["messages"]):
            raise ProtocolError("MALFORMED", "request", "details")
        return {"next": answer["next"], "messages": [
            {**each, "state": _name(MESSAGE_STATES, each["state"]), "push_type": _name(PUSH_TYPES, each["push_type"]),
             "lane": _name(LANES, each["lane"]), **more} for each, more in zip(answer["messages"], details)]}

    def update_message(self, app: str, message_id: int, action: str, pace: Optional[int] = None) -> str:
        """Updates a running message and returns its state afterwards.

        `action` is cancel, pause, resume or pace (at most `pace` deliveries a second; None = no bound). Like changes of
        groups and topics, this one is not repeated after effect "unknown".
        """
        fields = {"app": app, "message_id": message_id, "action": _value(MESSAGE_UPDATE_ACTIONS, action, "action")}
        answer = self.call("update_message", {**fields, **_given({"pace": pace})}, repeatable=False)
        return _name(MESSAGE_STATES, answer["state"])

    def resend(self, app: str, message_id: int, outcomes: Iterable[str] = (), key: Optional[bytes] = None,
               not_after: Optional[int] = None) -> Dict[str, Any]:
        """Sends a finished message again, to its devices with these outcomes. Without `outcomes` see §10.7.

        The answer and `key` are as in `send`. Without `not_after` that of the message holds.
        """
        key = uuid.uuid4().bytes if key is None else key
        numbers = [_value(OUTCOMES, name, "outcomes") for name in outcomes]
        fields = {"app": app, "message_id": message_id, "key": key, "outcomes": numbers}
        answer = self.call("resend", {**fields, **_given({"not_after": not_after})}, repeatable=key != NO_KEY)
        return {**answer, "duplicate": bool(answer["duplicate"])}

    def trace(self, app: str, message_id: int, device: Any) -> Dict[str, Any]:
        """Returns why one device did or did not get one message (§10.8).

        `addressing` says whether the device is a recipient, `sources` through what it is in the audience. `language` is
        "" for the payload without a language, and None if no body fits the device. `attempts` are the remembered
        requests to APNs, the oldest first, each with the `unique_id` that APNs gave, or "". `silent_budget_left` and
        `next_attempt_at` are there only if they apply. Of a broadcast push, device id 0 stands for the channel.
        """
        answer = self.call("trace", {"app": app, "message_id": message_id, "device": device_field(device)})
        flags = answer.pop("flags")
        sources = [{**each, "kind": _name(SOURCES, each["kind"])} for each in answer.get("sources", [])]
        given = answer.pop("unique_ids", [])
        for index, attempt in enumerate(answer.get("attempts", [])):
            attempt["unique_id"] = given[index] if index < len(given) else ""
        return {"muted_groups": [], "attempts": [], **answer, "state": _name(MESSAGE_STATES, answer["state"]),
                "addressing": _name(ADDRESSINGS, answer["addressing"]), "outcome": _name(OUTCOMES, answer["outcome"]),
                "sources": sources, "quarantined": bool(flags & TRACE_QUARANTINED),
                "muted": bool(flags & TRACE_MUTED),
                "language": answer.get("language", "") if flags & TRACE_HAS_BODY else None}

    def receipts(self, app: str, receipts: Iterable[Tuple[int, Any, str]]) -> Dict[str, Any]:
        """Reports receipts: (message id, device, "received" or "opened") each. `counted` is the number of new ones."""
        rows = [{"message_id": message_id, "device": device_field(device), "kind": _value(RECEIPTS, kind, "kind")}
                for message_id, device, kind in receipts]
        return self.call("receipts", {"app": app, "receipts": rows})

    def receipt_devices(self, app: str, message_id: int, kind: str, cursor: int = 0,
                        limit: int = 1000) -> Dict[str, Any]:
        """Returns a page of the ids of devices with such a receipt. `next` is the next cursor, 0 at the end."""
        return self.call("receipt_devices", {"app": app, "message_id": message_id, "cursor": cursor, "limit": limit,
                                             "kind": _value(RECEIPTS, kind, "kind")})

    def statistics(self, limit: int = 1000) -> Dict[str, Any]:
        """Returns the state of the server (§13.1), with names for numbers. Each pool has its `answers` and
        `failures`."""
        answer = self.call("statistics", {"limit": limit})
        operations = {opcode: message for message, opcode in OPCODES.items()}
        for row in answer["requests"]:
            row["operation"] = _name(operations, row.pop("opcode"))
            row["result"] = _name({0: "ok", **ERRORS}, row.pop("code"))
        for row in [*answer["lanes"], *answer["sending"]]:
            row["lane"] = _name(LANES, row["lane"])
        answer["outcomes"] = {_name(OUTCOMES, row["outcome"]): row["devices"] for row in answer["outcomes"]}
        for pool in answer["pools"]:
            pool.update(environment=_name(ENVIRONMENTS, pool["environment"]), parked=bool(pool["parked"]), answers=[],
                        unreachable=False, failures={"count": 0, "last_at": 0, "reason": ""})
        for row in answer.pop("answers"):
            answer["pools"][row.pop("pool")]["answers"].append(row)
        for row in answer.pop("failures", []):
            answer["pools"][row.pop("pool")].update(unreachable=bool(row.pop("unreachable")), failures=row)
        return answer

    def devices(self, app: str, cursor: int = 0, limit: int = 1000) -> Dict[str, Any]:
        """Returns a page of all devices of an app (§13.2), each as `lookup` returns it. The role is admin.

        `next` is the cursor of the following page, 0 after the last.
        """
        answer = self.call("devices", {"app": app, "cursor": cursor, "limit": limit})
        return {**answer, "devices": [_device(decode_payload(FROM_SERVER["lookup"], row, "server")[0])
                                      for row in answer["devices"]]}

    def events(self, *, name: str = "", start: int = 0, apps: Iterable[str] = (), kinds: Iterable[str] = (),
               window: int = 1000) -> EventStream:
        """Subscribes to events: after what `name` has acknowledged, after the number `start`, from OLDEST or from NOW.

        Without `apps`: of all apps that the client may observe. Without `kinds`: of every kind. At most `window` events
        wait for the caller.
        """
        fields = {"name": name, "from": start, "apps": list(apps), "credit": window,
                  "kinds": [_value(EVENT_KINDS, kind, "kinds") for kind in kinds]}
        self._checked("subscribe_events", fields)
        stream = EventStream(self.timeout, window)
        stream._begin(self._current(self.timeout), fields)
        return stream

    def create_channel(self, app: str, storage_policy: str, environment: str = "production") -> str:
        """Creates a broadcast channel (§14.1) and returns its id. It must not be repeated after a lost answer."""
        return self.call("create_channel", {
            "app": app, "environment": _value(ENVIRONMENTS, environment, "environment"),
            "storage_policy": _value(STORAGE_POLICIES, storage_policy, "storage_policy")}, repeatable=False)["channel"]

    def channel(self, app: str, channel: str, environment: str = "production") -> str:
        """Returns the storage policy of a broadcast channel (§14.2)."""
        answer = self.call("channel", {"app": app, "channel": channel,
                                       "environment": _value(ENVIRONMENTS, environment, "environment")})
        return _name(STORAGE_POLICIES, answer["storage_policy"])

    def channels(self, app: str, environment: str = "production", after: str = "",
                 limit: int = 1000) -> Dict[str, Any]:
        """Returns a page of the broadcast channels of an app (§14.3): `channels`, and `next`, empty after the last."""
        return self.call("channels", {"app": app, "after": after, "limit": limit,
                                      "environment": _value(ENVIRONMENTS, environment, "environment")})

    def delete_channel(self, app: str, channel: str, environment: str = "production") -> bool:
        """Deletes a broadcast channel (§14.4); False if APNs knows no such channel."""
        return self.call("delete_channel", {
            "app": app, "channel": channel,
            "environment": _value(ENVIRONMENTS, environment, "environment")})["result"] == 1

    def forget_subscriber(self, name: str) -> bool:
        """Removes a name of event subscriptions with what it has acknowledged; False if there was no such name."""
        return self.call("forget_subscriber", {"name": name})["result"] == 1

    def remove_node(self, node: str) -> int:
        """Ends the incarnation of a node of the cluster and returns its number. One that lives joins again."""
        return self.call("remove_node", {"node": node}, repeatable=False)["incarnation"]


def _device(answer: Dict[str, Any]) -> Dict[str, Any]:
    return {**answer, "environment": _name(ENVIRONMENTS, answer["environment"]),
            "kind": _name(KINDS, answer["kind"]), "state": _name(DEVICE_STATES, answer["state"]),
            "attributes": {each["key"]: each["value"] for each in answer.get("attributes", [])},
            "muted": bool(answer.get("muted", 0))}


def _registered(answer: Dict[str, Any]) -> Dict[str, Any]:
    return {"device_id": answer["device_id"], "result": _name(REGISTERED, answer["result"])}


def register_fields(app: str, token: Union[str, bytes], *, environment: str = "production", kind: str = "device",
                    seen_at: int = 0, replaces: Union[str, bytes, None] = None, locale: Optional[str] = None,
                    time_zone: Optional[str] = None, topics: Optional[List[str]] = None,
                    groups: Optional[List[str]] = None, attributes: Optional[Dict[str, str]] = None,
                    subscription: Union[Dict[str, Any], str, bytes, None] = None) -> Dict[str, Any]:
    """Returns the fields of a REGISTER. Tokens are bytes or hexadecimal. `subscription` is that of a browser."""
    fields = {"app": app, "environment": _value(ENVIRONMENTS, environment, "environment"),
              "kind": _value(KINDS, kind, "kind"), "token": _token(token), "seen_at": seen_at}
    tags = {"replaces": None if replaces is None else _token(replaces), "locale": locale, "time_zone": time_zone,
            "topics": None if topics is None else [_bare_topic(topic) for topic in topics], "groups": groups,
            "attributes": _attributes(attributes),
            "subscription": None if subscription is None else _payload(subscription)}
    return {**fields, **_given(tags)}


def browser_token(endpoint: str) -> bytes:
    """Returns the token of a browser: the SHA-256 of the endpoint of its subscription (§16.3)."""
    return hashlib.sha256(endpoint.encode()).digest()


def send_options(*, lane: Optional[str] = None, expiration: Optional[int] = None,
                 collapse_id: Optional[str] = None, not_after: Optional[int] = None,
                 bodies: Optional[Dict[str, Payload]] = None, except_device: Any = None, dry_run: bool = False,
                 send_at: Optional[int] = None, pace: Optional[int] = None, over_budget: Optional[str] = None,
                 id_key: Optional[str] = None, label: Optional[str] = None, android: Optional[Payload] = None,
                 android_raw: Optional[Payload] = None, web: Optional[Payload] = None,
                 web_raw: Optional[Payload] = None, traceparent: Optional[str] = None) -> Dict[str, Any]:
    """Returns the tags of a SEND. None = the option is not given; `dry_run` must be True or False."""
    if not isinstance(dry_run, bool):
        raise CarillonError("INVALID_ARGUMENT", "not executed", "dry_run must be True or False", field="dry_run",
                            retry_after=None)
    return _given({
        "lane": None if lane is None else _value(LANES, lane, "lane"), "expiration": expiration,
        "collapse_id": collapse_id, "not_after": not_after,
        "bodies": None if bodies is None else _bodies(bodies),
        "except": None if except_device is None else device_field(except_device), "dry_run": 1 if dry_run else None,
        "send_at": send_at, "pace": pace,
        "over_budget": None if over_budget is None else _value(OVER_BUDGET, over_budget, "over_budget"),
        "id_key": id_key, "label": label, "android": None if android is None else _payload(android),
        "android_raw": None if android_raw is None else _payload(android_raw),
        "web": None if web is None else _payload(web), "web_raw": None if web_raw is None else _payload(web_raw),
        "traceparent": traceparent})


def _no_audience(message: str) -> CarillonError:
    return CarillonError("INVALID_ARGUMENT", "not executed", message, field="audience", retry_after=None)


def _given(values: Dict[str, Any]) -> Dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _attributes(attributes: Optional[Dict[str, str]]) -> Optional[List[Dict[str, str]]]:
    return None if attributes is None else [{"key": key, "value": attributes[key]} for key in sorted(attributes)]


def _payload(payload: Payload) -> bytes:
    return payload if isinstance(payload, bytes) else json.dumps(payload, ensure_ascii=False).encode()


def _bodies(bodies: Dict[str, Payload]) -> List[Dict[str, Any]]:
    return [{"language": language, "payload": _payload(payload)} for language, payload in bodies.items()]


def _announced(announcement: Optional[Payload], bodies: Optional[Dict[str, Payload]]) -> Dict[str, Any]:
    return _given({"announcement": None if announcement is None else _payload(announcement),
                   "bodies": None if bodies is None else _bodies(bodies)})


def _subscription(app: str, topics: List[str], devices: Iterable[Any], groups: Iterable[str]) -> Dict[str, Any]:
    return {"app": app, "topics": [_bare_topic(topic) for topic in topics],
            "devices": [device_field(device) for device in devices], "groups": list(groups)}


def _item_payload(index: int, fields: Dict[str, Any]) -> bytes:
    try:
        return encode_payload(FROM_CLIENT["register"], fields)
    except (OverflowError, ValueError, TypeError, AttributeError):
        raise CarillonError("INVALID_ARGUMENT", "not executed", field="items", item=index, retry_after=None) from None


def device_field(device: Any) -> Dict[str, Any]:
    """Returns the field for a device.

    A device is an id (int), a token (bytes or hexadecimal; production, kind device), or (token, environment, kind).
    """
    if isinstance(device, int):
        return {"id": device}
    token, environment, kind = device if isinstance(device, tuple) else (device, "production", "device")
    return {"token": {"environment": _value(ENVIRONMENTS, environment, "environment"),
                      "kind": _value(KINDS, kind, "kind"), "token": _token(token)}}


def _token(token: Union[str, bytes]) -> bytes:
    try:
        return bytes.fromhex(token) if isinstance(token, str) else token
    except ValueError:
        raise CarillonError("INVALID_ARGUMENT", "not executed", "not hexadecimal", field="token",
                            retry_after=None) from None
