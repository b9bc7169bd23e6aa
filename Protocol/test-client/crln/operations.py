"""The operations, and the layouts of all messages (§6 to §15)."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, Optional, Tuple

from crln.names import ANSWER, CONTROL, ERROR, EVENT, REQUEST
from crln.value_types import BYTES, DEVICE, STR, TOKEN, TOPIC, U16, U32, U64, U8, UUID, ListOf, RawBytes, Struct

Tags = Dict[int, Tuple[str, Any]]  # by number: the name and the type


@dataclass(frozen=True)
class Layout:
    """The fixed part and the tags of one message in one direction."""

    message: str
    kind: int
    opcode: int
    fixed: Dict[str, Any]
    tags: Tags = field(default_factory=dict)
    untagged: bool = False

    def parts(self) -> Dict[str, Any]:
        return {**self.fixed, **dict(self.tags.values())}


DEADLINE_TAG = {2: ("deadline_ms", U32)}
PLACE_TAGS = {18: ("locale", STR), 20: ("time_zone", STR)}
GROUPS, TOPICS = ListOf(STR), ListOf(TOPIC)
ATTRIBUTES = ListOf(Struct(key=STR, value=STR))
BODIES = ListOf(Struct(language=STR, payload=BYTES))
ANNOUNCEMENT_TAGS = {17: ("announcement", BYTES), 19: ("bodies", BODIES)}
PING = Layout("ping", CONTROL, 3, {"data": RawBytes(0, 8, 8)}, untagged=True)
POSITION = Layout("position", CONTROL, 5, {"position": U64}, untagged=True)
ERROR_LAYOUT = Layout(
    "error", ERROR, 0, dict(code=U16, scope=U8, effect=U8, retry_after_ms=U32, message=STR),
    {2: ("field", STR), 4: ("limit", U64), 6: ("item", U32), 8: ("column", U32), 10: ("reason", STR)})


def _fields(tags: Optional[Tags] = None, **fixed: Any) -> Tuple[Dict[str, Any], Tags]:
    """Returns the fields of a payload: the fixed part in its order, and the tags by number."""
    return fixed, tags or {}


def _operation(message: str, opcode: int, request: Tuple[Dict[str, Any], Tags],
               answer: Tuple[Dict[str, Any], Tags]) -> Tuple[Layout, Layout]:
    """Returns the layouts of an operation's request and answer. Every request can have the common tags (§16.2)."""
    fixed, tags = request
    return (Layout(message, REQUEST, opcode, fixed, {**DEADLINE_TAG, **tags}),
            Layout(message, ANSWER, opcode, *answer))


# Every operation once: its name, its opcode, the fields of its request, the fields of its answer.
OPERATIONS: Tuple[Tuple[Layout, Layout], ...] = (
    _operation("hello", 0x0001,
               _fields(software=STR, receive_limit=U32),
               _fields({20: ("node", STR), 22: ("cluster", UUID)},
                       software=STR, epoch=UUID, clock=U64, frame_limit=U32, in_flight_limit=U32, batch_limit=U32,
                       keepalive_ms=U32, ping_interval_ms=U32, idempotency_window_s=U32, authenticated=U8,
                       opcodes=ListOf(Struct(opcode=U16, lowest=U8, highest=U8)))),
    _operation("auth", 0x0002,
               _fields(method=U8, credential=BYTES),
               _fields(principal=STR, grants=ListOf(Struct(app=STR, roles=U8)))),
    _operation("register", 0x0010,
               _fields({17: ("replaces", TOKEN), 18: ("locale", STR), 19: ("topics", TOPICS), 20: ("time_zone", STR),
                       21: ("groups", GROUPS), 23: ("attributes", ATTRIBUTES), 25: ("subscription", BYTES)},
                       app=STR, environment=U8, kind=U8, token=TOKEN, seen_at=U64),
               _fields(device_id=U64, result=U8)),
    _operation("register_batch", 0x0011,
               _fields(items=ListOf(BYTES)),
               _fields(results=ListOf(Struct(code=U16, device_id=U64, result=U8)))),
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
               _fields(device_id=U64, muted=U8, groups=ListOf(Struct(group=STR, muted=U8)),
                       topics=ListOf(Struct(topic=TOPIC, source=STR)), next=STR)),
    _operation("restore", 0x0016, _fields(app=STR, device=DEVICE), _fields(device_id=U64)),
    _operation("quarantine", 0x0017, _fields(app=STR, cursor=U64, limit=U32), _fields(next=U64, devices=ListOf(U64))),
    _operation("join", 0x0020,
               _fields(ANNOUNCEMENT_TAGS, app=STR, group=STR, devices=ListOf(DEVICE)),
               _fields(joined=U32, message_id=U64, unknown=ListOf(U32))),
    _operation("leave", 0x0021,
               _fields({17: ("clear_topics", U8)},
                       app=STR, group=STR, devices=ListOf(DEVICE)),
               _fields(left=U32, unknown=ListOf(U32))),
    _operation("switch", 0x0022,
               _fields(ANNOUNCEMENT_TAGS, **{"app": STR, "device": DEVICE, "from": STR, "to": STR}),
               _fields(device_id=U64, changed=U8, message_id=U64)),
    _operation("group_devices", 0x0023,
               _fields(app=STR, group=STR, cursor=U64, limit=U32),
               _fields(next=U64, devices=ListOf(U64))),
    _operation("groups", 0x0024,
               _fields(app=STR, prefix=STR, after=STR, limit=U32),
               _fields(next=STR, groups=ListOf(Struct(group=STR, devices=U64, muted=U8)))),
    _operation("update_group", 0x0025, _fields({25: ("muted", U8)}, app=STR, group=STR), _fields(devices=U64)),
    _operation("group_topics", 0x0026,
               _fields(app=STR, group=STR, after=STR, limit=U32),
               _fields(next=STR, topics=TOPICS)),
    _operation("subscribe", 0x0030,
               _fields(app=STR, topics=TOPICS, devices=ListOf(DEVICE), groups=GROUPS),
               _fields(changed=U32, unknown=ListOf(U32))),
    _operation("unsubscribe", 0x0031,
               _fields(app=STR, topics=TOPICS, devices=ListOf(DEVICE), groups=GROUPS),
               _fields(changed=U32, unknown=ListOf(U32))),
    _operation("topics", 0x0032,
               _fields(app=STR, prefix=STR, after=STR, limit=U32),
               _fields(next=STR, topics=ListOf(Struct(topic=TOPIC, devices=U64)))),
    _operation("topic_devices", 0x0033,
               _fields(app=STR, topic=TOPIC, cursor=U64, limit=U32),
               _fields(next=U64, devices=ListOf(U64))),
    _operation("explain", 0x0040,
               _fields(app=STR, condition=STR),
               _fields(condition=STR, devices=U64, sets=ListOf(Struct(set=STR, devices=U64)))),
    _operation("send", 0x0050,
               _fields({17: ("expiration", U64), 19: ("collapse_id", STR), 21: ("not_after", U64), 22: ("lane", U8),
                       23: ("groups", GROUPS), 25: ("topic", TOPIC), 27: ("condition", STR), 29: ("bodies", BODIES),
                       31: ("except", DEVICE), 33: ("dry_run", U8), 35: ("send_at", U64), 37: ("pace", U32),
                       39: ("over_budget", U8), 41: ("id_key", STR), 43: ("label", STR), 45: ("android", BYTES),
                       47: ("android_raw", BYTES), 49: ("web", BYTES), 51: ("web_raw", BYTES), 61: ("channel", STR),
                       63: ("environment", U8), 66: ("traceparent", STR)},
                       app=STR, key=UUID, push_type=U8, priority=U8, audience=U8, devices=ListOf(DEVICE),
                       payload=BYTES),
               _fields(message_id=U64, duplicate=U8, total=U32, ended=U32)),
    _operation("message_status", 0x0051,
               _fields(app=STR, message_id=U64),
               _fields({16: ("send_at", U64), 18: ("pace", U32), 20: ("rate", U32), 22: ("remaining_ms", U64),
                       24: ("received", U64), 26: ("opened", U64), 28: ("audience", STR), 30: ("label", STR),
                       32: ("sender", STR),
                       34: ("obstacles", ListOf(Struct(kind=U8, credential=STR, environment=U8, began_at=U64,
                                                       next_attempt_at=U64, cause=STR, reason=STR))),
                       66: ("traceparent", STR)},
                       state=U8, accepted_at=U64, finished_at=U64, total=U64,
                       outcomes=ListOf(Struct(outcome=U8, devices=U64)))),
    _operation("message_outcomes", 0x0052,
               _fields(app=STR, message_id=U64, cursor=U64, limit=U32),
               _fields(next=U64, recipients=ListOf(Struct(device_id=U64, outcome=U8)))),
    _operation("messages", 0x0053,
               _fields({17: ("state", U8), 19: ("sender", STR), 21: ("label", STR)},
                       app=STR, before=U64, limit=U32),
               _fields({16: ("details", ListOf(Struct(delivered=U64, failed=U64, label=STR, sender=STR)))},
                       next=U64,
                       messages=ListOf(Struct(message_id=U64, state=U8, accepted_at=U64, push_type=U8, lane=U8,
                                              total=U64, ended=U64)))),
    _operation("update_message", 0x0054, _fields({37: ("pace", U32)}, app=STR, message_id=U64, action=U8),
               _fields(state=U8)),
    _operation("resend", 0x0055,
               _fields({21: ("not_after", U64)},
                       app=STR, message_id=U64, key=UUID, outcomes=ListOf(U8)),
               _fields(message_id=U64, duplicate=U8, total=U32, ended=U32)),
    _operation("trace", 0x0056,
               _fields(app=STR, message_id=U64, device=DEVICE),
               _fields({16: ("sources", ListOf(Struct(kind=U8, name=STR, through=STR))), 18: ("muted_groups", GROUPS),
                       20: ("language", STR), 22: ("silent_budget_left", U32),
                       24: ("attempts", ListOf(Struct(at=U64, connection=U32, status=U16, reason=STR))),
                       26: ("next_attempt_at", U64), 30: ("unique_ids", ListOf(STR))},
                       device_id=U64, state=U8, addressing=U8, outcome=U8, flags=U8)),
    _operation("subscribe_events", 0x0060,
               _fields(**{"name": STR, "from": U64, "apps": ListOf(STR), "kinds": ListOf(U16), "credit": U64}),
               _fields(after=U64)),
    _operation("event_credit", 0x0061, _fields(subscription=U64, credit=U64, ack=U64), _fields()),
    _operation("unsubscribe_events", 0x0062, _fields(subscription=U64), _fields()),
    _operation("forget_subscriber", 0x0063, _fields(name=STR), _fields(result=U8)),
    _operation("receipts", 0x0070,
               _fields(app=STR, receipts=ListOf(Struct(message_id=U64, device=DEVICE, kind=U8))),
               _fields(counted=U32, unknown=ListOf(U32))),
    _operation("receipt_devices", 0x0071,
               _fields(app=STR, message_id=U64, kind=U8, cursor=U64, limit=U32),
               _fields(next=U64, devices=ListOf(U64))),
    _operation("statistics", 0x0080,
               _fields(limit=U32),
               _fields({16: ("database_bytes", U64), 18: ("free_bytes", U64), 20: ("map_bytes", U64),
                       22: ("limit_bytes", U64), 24: ("readers", U32), 26: ("reader_age_commits", U64),
                       28: ("kept", U64), 30: ("unfinished", U64), 32: ("scheduled", U64), 34: ("counted_at", U64),
                       36: ("apps", ListOf(Struct(app=STR, devices=U64, quarantined=U64, groups=U64, topics=U64))),
                       38: ("failures", ListOf(Struct(pool=U32, unreachable=U8, count=U64, last_at=U64, reason=STR))),
                       40: ("outages", ListOf(Struct(pool=U32, began_at=U64, next_attempt_at=U64, cause=STR))),
                       44: ("nodes",
                            ListOf(Struct(node=STR, incarnation=U64, over=U8, position=U64, hash=UUID, silent_ms=U32,
                                                   lease_ms=U32, format=U16, version=STR, address=STR))),
                       46: ("log_position", U64), 48: ("log_entries", U64), 50: ("snapshot_position", U64),
                       52: ("claims", ListOf(Struct(messages=U32, blocks=U32, pages=U64))),
                       54: ("devices_by_provider", ListOf(Struct(apns=U64, fcm=U64, web=U64)))},
                       at=U64, started_at=U64, software=STR, clients=U32, half_open=U32,
                       requests=ListOf(Struct(opcode=U16, code=U16, count=U64, micros=U64)), queued_changes=U32,
                       batches=U64, changes=U64, batch_micros=U64, latest_batches=ListOf(U32),
                       lanes=ListOf(Struct(lane=U8, messages=U32, waiting=U32, delayed=U32, in_flight=U32)),
                       unrecorded=U32,
                       sending=ListOf(Struct(message_id=U64, app=STR, lane=U8, accepted_at=U64, total=U64, ended=U64,
                                             in_flight=U32, rate=U32)),
                       outcomes=ListOf(Struct(outcome=U8, devices=U64)),
                       pools=ListOf(Struct(credential=STR, environment=U8, parked=U8, opening=U32, open=U32,
                                           draining=U32, in_flight=U32, streams=U32, throttle=U32, attempts=U64)),
                       answers=ListOf(Struct(pool=U32, status=U16, reason=STR, count=U64)))),
    _operation("devices", 0x0081, _fields(app=STR, cursor=U64, limit=U32), _fields(next=U64, devices=ListOf(BYTES))),
    _operation("remove_node", 0x0082, _fields(node=STR), _fields(incarnation=U64)),
    _operation("create_channel", 0x0090, _fields(app=STR, environment=U8, storage_policy=U8), _fields(channel=STR)),
    _operation("channel", 0x0091, _fields(app=STR, environment=U8, channel=STR), _fields(storage_policy=U8)),
    _operation("channels", 0x0092,
               _fields(app=STR, environment=U8, after=STR, limit=U32), _fields(next=STR, channels=ListOf(STR))),
    _operation("delete_channel", 0x0093, _fields(app=STR, environment=U8, channel=STR), _fields(result=U8)),
)
OPCODES: Dict[str, int] = {request.message: request.opcode for request, _ in OPERATIONS}
FROM_CLIENT: Dict[str, Layout] = {layout.message: layout for layout in (
    *(request for request, _ in OPERATIONS), PING, POSITION)}
FROM_SERVER: Dict[str, Layout] = {layout.message: layout for layout in (
    *(answer for _, answer in OPERATIONS),
    Layout("event", EVENT, OPCODES["subscribe_events"], dict(sequence=U64, at=U64, kind=U16),
           {16: ("app", STR), 18: ("message_id", U64), 20: ("device_id", U64), 22: ("outcome", U8), 24: ("count", U64),
            26: ("text", STR), 28: ("missed_from", U64), 30: ("missed_to", U64), 66: ("traceparent", STR)}),
    Layout("goaway", CONTROL, 4, dict(last_id=U64, code=U16, grace_ms=U32, reconnect_after_ms=U32, reason=STR)),
    ERROR_LAYOUT, PING, POSITION)}
LAYOUTS = {"client": FROM_CLIENT, "server": FROM_SERVER}
BY_OPCODE = {(sender, kind): {layout.opcode: layout for layout in layouts.values() if layout.kind == kind}
             for sender, layouts in LAYOUTS.items() for kind in (REQUEST, ANSWER, ERROR, EVENT, CONTROL)}
