"""Where the tree of tshark shows a field of a vector, and how."""
from __future__ import annotations

import re
from typing import Any, Dict, Iterator, List, Set, Tuple

from frames import KINDS
from tshark import with_colons

# Where the name of a field in the tree is neither carillon.<operation>.<field> nor carillon.<field>.
NAMES = {
    ("register_batch", "result"): "register.result", ("resend", "total"): "send.total",
    ("message_status", "devices"): "outcomes.devices", ("hello", "opcode"): "opcodes.opcode",
    ("resend", "outcomes"): "outcome", ("receipts", "kind"): "receipt.kind",
    ("receipt_devices", "kind"): "receipt.kind",
    ("subscribe_events", "name"): "subscriber", ("subscribe_events", "from"): "events.from",
    ("subscribe_events", "after"): "events.after", ("subscribe_events", "kinds"): "event.kind",
    ("subscribe_events", "apps"): "app",
    ("forget_subscriber", "name"): "subscriber", ("forget_subscriber", "result"): "forget.result",
    ("delete_channel", "result"): "channel.deleted",
    **{(operation, name): "message_status." + name
       for operation in ("messages", "update_message", "trace", "statistics") for name in ("state", "total")},
    **{("message_status", name): "obstacle." + name
       for name in ("kind", "credential", "began_at", "next_attempt_at", "cause", "reason")},
    **{("trace", name): "source." + name for name in ("kind", "name", "through")},
    **{("trace", name): "attempt." + name for name in ("at", "connection", "status", "reason")},
    **{(operation, "next"): "page.next" for operation in ("memberships", "groups", "group_topics", "topics",
                                                          "channels")},
    **{(operation, "devices"): "set.devices" for operation in ("groups", "update_group", "topics", "explain")},
    **{(operation, field): "attribute." + field
       for operation in ("register", "update_device", "lookup") for field in ("key", "value")},
}
# Where it is another name in every operation that has no field of its own.
GENERAL_NAMES = {"limit": "page.limit"}
# A second field of the tree with the same name.
SECOND_NAMES = {("memberships", "muted"): "muted", ("trace", "kind"): "kind", "payload": "body.payload",
                "id": "device_id"}
# The name of an item of a list of plain values.
ITEM_NAMES = {"topics": "topic", "groups": "group", "channels": "channel", "devices": "device_id",
              "muted_groups": "group", "unique_ids": "unique_id", "unknown": "unknown.index",
              "latest_batches": "statistics.batch"}
# Fields that the tree shows as bytes, those that it shows as JSON, and those that it shows in another form, which are
# not compared.
BYTE_FIELDS = {"token", "replaces"}
JSON_FIELDS = {"payload", "announcement", "android", "android_raw", "web_raw"}
NOT_COMPARED = {"credential", "unknown_tags", "items", "lowest_layout", "highest_layout", "lowest", "highest"}


def tree_names(message: str, field: str, known: Set[str]) -> List[str]:
    """Returns the names under which the tree can show a field of a message."""
    own = f"{message}.{field}"
    first = NAMES.get((message, field)) or (own if own in known else GENERAL_NAMES.get(field, field))
    second = SECOND_NAMES.get((message, field)) or SECOND_NAMES.get(field)
    return [first] + ([second] if second else [])


def leaves(fields: Dict[str, Any]) -> Iterator[Tuple[str, Any]]:
    """Yields name and value of everything below that is neither a list nor an object."""
    for name, value in fields.items():
        if name == "unknown_tags":
            continue
        if isinstance(value, dict):
            yield from leaves(value)
        elif isinstance(value, list):
            for item in value:
                if isinstance(item, dict):
                    yield from leaves(item)
                else:
                    yield ITEM_NAMES.get(name, name), item
        else:
            yield name, value


def as_shown(name: str, value: Any) -> str:
    """Returns a value of a vector as tshark writes it."""
    # The subscription of a browser is JSON, that of events a number; `web` is JSON in SEND, a number in STATISTICS.
    if name in JSON_FIELDS or name in ("subscription", "web") and value[:2] == "7b":
        return bytes.fromhex(value).decode("utf-8", "replace")
    if name in BYTE_FIELDS:
        return with_colons(bytes.fromhex(value))
    # The key of a message is a UUID, that of an attribute is not.
    if name in ("epoch", "cluster", "hash") or name == "key" and re.fullmatch("[0-9a-f]{32}", value):
        return "-".join([value[:8], value[8:12], value[12:16], value[16:20], value[20:]])
    return str(int(value)) if isinstance(value, bool) else str(value)


def field_value(message: str, kind: int, field: str, value: Any) -> str:
    """Returns a value of a vector as tshark shows it in a frame of this message."""
    if message == "devices" and field == "device_id":
        return str(int(value[:16], 16))  # a whole row, which begins with the id
    if kind == KINDS["control"] and message == "ping":
        return with_colons(bytes.fromhex(value))
    return as_shown(field, value)
