"""The fields of all messages. Generated from `Protocol/layouts.json` by `tools/generate_layouts.py`: do not edit."""
from __future__ import annotations

from typing import Any, Dict, List, Tuple

# A kind is the name of a type (§4.1), ("list", kind) or ("struct", fields). A field is a name and a kind.
Fields = Tuple[Tuple[str, Any], ...]
Tags = Tuple[Tuple[int, str, Any], ...]

COMMON_TAGS: Tags = ((2, "deadline_ms", "u32"),)
# By name: opcode, class (CONTRACT.md, RET-2), fields and tags of request and answer.
REQUESTS: Dict[str, Tuple[int, str, Tuple[Fields, Tags], Tuple[Fields, Tags]]] = {
    "hello": (1, "connection", (
        (("software", "str"), ("receive_limit", "u32")),
        ()), (
        (("software", "str"), ("epoch", "uuid"), ("clock", "u64"), ("frame_limit", "u32"), ("in_flight_limit", "u32"),
         ("batch_limit", "u32"), ("keepalive_ms", "u32"), ("ping_interval_ms", "u32"), ("idempotency_window_s", "u32"),
         ("authenticated", "u8"), ("opcodes", ("list", ("struct", (("opcode", "u16"), ("lowest", "u8"), ("highest",
         "u8")))))),
        ((20, "node", "str"), (22, "cluster", "uuid")))),
    "auth": (2, "connection", (
        (("method", "u8"), ("credential", "bytes")),
        ()), (
        (("principal", "str"), ("grants", ("list", ("struct", (("app", "str"), ("roles", "u8")))))),
        ())),
    "register": (16, "time", (
        (("app", "str"), ("environment", "u8"), ("kind", "u8"), ("token", "token"), ("seen_at", "u64")),
        ((17, "replaces", "token"), (18, "locale", "str"), (19, "topics", ("list", "topic")), (20, "time_zone", "str"),
         (21, "groups", ("list", "str")), (23, "attributes", ("list", ("struct", (("key", "str"), ("value", "str"))))),
         (25, "subscription", "bytes"))), (
        (("device_id", "u64"), ("result", "u8")),
        ())),
    "register_batch": (17, "time", (
        (("items", ("list", "bytes")),),
        ()), (
        (("results", ("list", ("struct", (("code", "u16"), ("device_id", "u64"), ("result", "u8"))))),),
        ())),
    "unregister": (18, "time", (
        (("app", "str"), ("device", "device"), ("at", "u64")),
        ()), (
        (("device_id", "u64"), ("result", "u8")),
        ())),
    "lookup": (19, "read", (
        (("app", "str"), ("device", "device")),
        ()), (
        (("device_id", "u64"), ("environment", "u8"), ("kind", "u8"), ("token", "token"), ("registered_at", "u64"),
         ("seen_at", "u64"), ("state", "u8")),
        ((18, "locale", "str"), (20, "time_zone", "str"), (22, "attributes", ("list", ("struct", (("key", "str"),
         ("value", "str"))))), (24, "muted", "u8")))),
    "update_device": (20, "state", (
        (("app", "str"), ("device", "device")),
        ((18, "locale", "str"), (20, "time_zone", "str"), (23, "attributes", ("list", ("struct", (("key", "str"),
         ("value", "str"))))), (25, "muted", "u8"))), (
        (("device_id", "u64"),),
        ())),
    "memberships": (21, "read", (
        (("app", "str"), ("device", "device"), ("after", "str"), ("limit", "u32")),
        ()), (
        (("device_id", "u64"), ("muted", "u8"), ("groups", ("list", ("struct", (("group", "str"), ("muted", "u8"))))),
         ("topics", ("list", ("struct", (("topic", "topic"), ("source", "str"))))), ("next", "str")),
        ())),
    "restore": (22, "state", (
        (("app", "str"), ("device", "device")),
        ()), (
        (("device_id", "u64"),),
        ())),
    "quarantine": (23, "read", (
        (("app", "str"), ("cursor", "u64"), ("limit", "u32")),
        ()), (
        (("next", "u64"), ("devices", ("list", "u64"))),
        ())),
    "join": (32, "state", (
        (("app", "str"), ("group", "str"), ("devices", ("list", "device"))),
        ((17, "announcement", "bytes"), (19, "bodies", ("list", ("struct", (("language", "str"), ("payload",
         "bytes"))))))), (
        (("joined", "u32"), ("message_id", "u64"), ("unknown", ("list", "u32"))),
        ())),
    "leave": (33, "state", (
        (("app", "str"), ("group", "str"), ("devices", ("list", "device"))),
        ((17, "clear_topics", "u8"),)), (
        (("left", "u32"), ("unknown", ("list", "u32"))),
        ())),
    "switch": (34, "state", (
        (("app", "str"), ("device", "device"), ("from", "str"), ("to", "str")),
        ((17, "announcement", "bytes"), (19, "bodies", ("list", ("struct", (("language", "str"), ("payload",
         "bytes"))))))), (
        (("device_id", "u64"), ("changed", "u8"), ("message_id", "u64")),
        ())),
    "group_devices": (35, "read", (
        (("app", "str"), ("group", "str"), ("cursor", "u64"), ("limit", "u32")),
        ()), (
        (("next", "u64"), ("devices", ("list", "u64"))),
        ())),
    "groups": (36, "read", (
        (("app", "str"), ("prefix", "str"), ("after", "str"), ("limit", "u32")),
        ()), (
        (("next", "str"), ("groups", ("list", ("struct", (("group", "str"), ("devices", "u64"), ("muted", "u8")))))),
        ())),
    "update_group": (37, "state", (
        (("app", "str"), ("group", "str")),
        ((25, "muted", "u8"),)), (
        (("devices", "u64"),),
        ())),
    "group_topics": (38, "read", (
        (("app", "str"), ("group", "str"), ("after", "str"), ("limit", "u32")),
        ()), (
        (("next", "str"), ("topics", ("list", "topic"))),
        ())),
    "subscribe": (48, "state", (
        (("app", "str"), ("topics", ("list", "topic")), ("devices", ("list", "device")), ("groups", ("list", "str"))),
        ()), (
        (("changed", "u32"), ("unknown", ("list", "u32"))),
        ())),
    "unsubscribe": (49, "state", (
        (("app", "str"), ("topics", ("list", "topic")), ("devices", ("list", "device")), ("groups", ("list", "str"))),
        ()), (
        (("changed", "u32"), ("unknown", ("list", "u32"))),
        ())),
    "topics": (50, "read", (
        (("app", "str"), ("prefix", "str"), ("after", "str"), ("limit", "u32")),
        ()), (
        (("next", "str"), ("topics", ("list", ("struct", (("topic", "topic"), ("devices", "u64")))))),
        ())),
    "topic_devices": (51, "read", (
        (("app", "str"), ("topic", "topic"), ("cursor", "u64"), ("limit", "u32")),
        ()), (
        (("next", "u64"), ("devices", ("list", "u64"))),
        ())),
    "explain": (64, "read", (
        (("app", "str"), ("condition", "str")),
        ()), (
        (("condition", "str"), ("devices", "u64"), ("sets", ("list", ("struct", (("set", "str"), ("devices",
         "u64")))))),
        ())),
    "send": (80, "key", (
        (("app", "str"), ("key", "uuid"), ("push_type", "u8"), ("priority", "u8"), ("audience", "u8"), ("devices",
         ("list", "device")), ("payload", "bytes")),
        ((17, "expiration", "u64"), (19, "collapse_id", "str"), (21, "not_after", "u64"), (22, "lane", "u8"), (23,
         "groups", ("list", "str")), (25, "topic", "topic"), (27, "condition", "str"), (29, "bodies", ("list",
         ("struct", (("language", "str"), ("payload", "bytes"))))), (31, "except", "device"), (33, "dry_run", "u8"),
         (35, "send_at", "u64"), (37, "pace", "u32"), (39, "over_budget", "u8"), (41, "id_key", "str"), (43, "label",
         "str"), (45, "android", "bytes"), (47, "android_raw", "bytes"), (49, "web", "bytes"), (51, "web_raw",
         "bytes"), (61, "channel", "str"), (63, "environment", "u8"), (66, "traceparent", "str"))), (
        (("message_id", "u64"), ("duplicate", "u8"), ("total", "u32"), ("ended", "u32")),
        ())),
    "message_status": (81, "read", (
        (("app", "str"), ("message_id", "u64")),
        ()), (
        (("state", "u8"), ("accepted_at", "u64"), ("finished_at", "u64"), ("total", "u64"), ("outcomes", ("list",
         ("struct", (("outcome", "u8"), ("devices", "u64")))))),
        ((16, "send_at", "u64"), (18, "pace", "u32"), (20, "rate", "u32"), (22, "remaining_ms", "u64"), (24,
         "received", "u64"), (26, "opened", "u64"), (28, "audience", "str"), (30, "label", "str"), (32, "sender",
         "str"), (34, "obstacles", ("list", ("struct", (("kind", "u8"), ("credential", "str"), ("environment", "u8"),
         ("began_at", "u64"), ("next_attempt_at", "u64"), ("cause", "str"), ("reason", "str"))))), (66, "traceparent",
         "str")))),
    "message_outcomes": (82, "read", (
        (("app", "str"), ("message_id", "u64"), ("cursor", "u64"), ("limit", "u32")),
        ()), (
        (("next", "u64"), ("recipients", ("list", ("struct", (("device_id", "u64"), ("outcome", "u8")))))),
        ())),
    "messages": (83, "read", (
        (("app", "str"), ("before", "u64"), ("limit", "u32")),
        ((17, "state", "u8"), (19, "sender", "str"), (21, "label", "str"))), (
        (("next", "u64"), ("messages", ("list", ("struct", (("message_id", "u64"), ("state", "u8"), ("accepted_at",
         "u64"), ("push_type", "u8"), ("lane", "u8"), ("total", "u64"), ("ended", "u64")))))),
        ((16, "details", ("list", ("struct", (("delivered", "u64"), ("failed", "u64"), ("label", "str"), ("sender",
         "str"))))),))),
    "update_message": (84, "state", (
        (("app", "str"), ("message_id", "u64"), ("action", "u8")),
        ((37, "pace", "u32"),)), (
        (("state", "u8"),),
        ())),
    "resend": (85, "key", (
        (("app", "str"), ("message_id", "u64"), ("key", "uuid"), ("outcomes", ("list", "u8"))),
        ((21, "not_after", "u64"),)), (
        (("message_id", "u64"), ("duplicate", "u8"), ("total", "u32"), ("ended", "u32")),
        ())),
    "trace": (86, "read", (
        (("app", "str"), ("message_id", "u64"), ("device", "device")),
        ()), (
        (("device_id", "u64"), ("state", "u8"), ("addressing", "u8"), ("outcome", "u8"), ("flags", "u8")),
        ((16, "sources", ("list", ("struct", (("kind", "u8"), ("name", "str"), ("through", "str"))))), (18,
         "muted_groups", ("list", "str")), (20, "language", "str"), (22, "silent_budget_left", "u32"), (24, "attempts",
         ("list", ("struct", (("at", "u64"), ("connection", "u32"), ("status", "u16"), ("reason", "str"))))), (26,
         "next_attempt_at", "u64"), (30, "unique_ids", ("list", "str"))))),
    "subscribe_events": (96, "connection", (
        (("name", "str"), ("from", "u64"), ("apps", ("list", "str")), ("kinds", ("list", "u16")), ("credit", "u64")),
        ()), (
        (("after", "u64"),),
        ())),
    "event_credit": (97, "connection", (
        (("subscription", "u64"), ("credit", "u64"), ("ack", "u64")),
        ()), (
        (),
        ())),
    "unsubscribe_events": (98, "connection", (
        (("subscription", "u64"),),
        ()), (
        (),
        ())),
    "forget_subscriber": (99, "always", (
        (("name", "str"),),
        ()), (
        (("result", "u8"),),
        ())),
    "receipts": (112, "always", (
        (("app", "str"), ("receipts", ("list", ("struct", (("message_id", "u64"), ("device", "device"), ("kind",
         "u8")))))),
        ()), (
        (("counted", "u32"), ("unknown", ("list", "u32"))),
        ())),
    "receipt_devices": (113, "read", (
        (("app", "str"), ("message_id", "u64"), ("kind", "u8"), ("cursor", "u64"), ("limit", "u32")),
        ()), (
        (("next", "u64"), ("devices", ("list", "u64"))),
        ())),
    "statistics": (128, "read", (
        (("limit", "u32"),),
        ()), (
        (("at", "u64"), ("started_at", "u64"), ("software", "str"), ("clients", "u32"), ("half_open", "u32"),
         ("requests", ("list", ("struct", (("opcode", "u16"), ("code", "u16"), ("count", "u64"), ("micros", "u64"))))),
         ("queued_changes", "u32"), ("batches", "u64"), ("changes", "u64"), ("batch_micros", "u64"), ("latest_batches",
         ("list", "u32")), ("lanes", ("list", ("struct", (("lane", "u8"), ("messages", "u32"), ("waiting", "u32"),
         ("delayed", "u32"), ("in_flight", "u32"))))), ("unrecorded", "u32"), ("sending", ("list", ("struct",
         (("message_id", "u64"), ("app", "str"), ("lane", "u8"), ("accepted_at", "u64"), ("total", "u64"), ("ended",
         "u64"), ("in_flight", "u32"), ("rate", "u32"))))), ("outcomes", ("list", ("struct", (("outcome", "u8"),
         ("devices", "u64"))))), ("pools", ("list", ("struct", (("credential", "str"), ("environment", "u8"),
         ("parked", "u8"), ("opening", "u32"), ("open", "u32"), ("draining", "u32"), ("in_flight", "u32"), ("streams",
         "u32"), ("throttle", "u32"), ("attempts", "u64"))))), ("answers", ("list", ("struct", (("pool", "u32"),
         ("status", "u16"), ("reason", "str"), ("count", "u64")))))),
        ((16, "database_bytes", "u64"), (18, "free_bytes", "u64"), (20, "map_bytes", "u64"), (22, "limit_bytes",
         "u64"), (24, "readers", "u32"), (26, "reader_age_commits", "u64"), (28, "kept", "u64"), (30, "unfinished",
         "u64"), (32, "scheduled", "u64"), (34, "counted_at", "u64"), (36, "apps", ("list", ("struct", (("app", "str"),
         ("devices", "u64"), ("quarantined", "u64"), ("groups", "u64"), ("topics", "u64"))))), (38, "failures",
         ("list", ("struct", (("pool", "u32"), ("unreachable", "u8"), ("count", "u64"), ("last_at", "u64"), ("reason",
         "str"))))), (40, "outages", ("list", ("struct", (("pool", "u32"), ("began_at", "u64"), ("next_attempt_at",
         "u64"), ("cause", "str"))))), (44, "nodes", ("list", ("struct", (("node", "str"), ("incarnation", "u64"),
         ("over", "u8"), ("position", "u64"), ("hash", "uuid"), ("silent_ms", "u32"), ("lease_ms", "u32"), ("format",
         "u16"), ("version", "str"), ("address", "str"))))), (46, "log_position", "u64"), (48, "log_entries", "u64"),
         (50, "snapshot_position", "u64"), (52, "claims", ("list", ("struct", (("messages", "u32"), ("blocks", "u32"),
         ("pages", "u64"))))), (54, "devices_by_provider", ("list", ("struct", (("apns", "u64"), ("fcm", "u64"),
         ("web", "u64")))))))),
    "devices": (129, "read", (
        (("app", "str"), ("cursor", "u64"), ("limit", "u32")),
        ()), (
        (("next", "u64"), ("devices", ("list", "bytes"))),
        ())),
    "remove_node": (130, "never", (
        (("node", "str"),),
        ()), (
        (("incarnation", "u64"),),
        ())),
    "create_channel": (144, "never", (
        (("app", "str"), ("environment", "u8"), ("storage_policy", "u8")),
        ()), (
        (("channel", "str"),),
        ())),
    "channel": (145, "read", (
        (("app", "str"), ("environment", "u8"), ("channel", "str")),
        ()), (
        (("storage_policy", "u8"),),
        ())),
    "channels": (146, "read", (
        (("app", "str"), ("environment", "u8"), ("after", "str"), ("limit", "u32")),
        ()), (
        (("next", "str"), ("channels", ("list", "str"))),
        ())),
    "delete_channel": (147, "always", (
        (("app", "str"), ("environment", "u8"), ("channel", "str")),
        ()), (
        (("result", "u8"),),
        ())),
}
EVENT: Tuple[Fields, Tags] = (
        (("sequence", "u64"), ("at", "u64"), ("kind", "u16")),
        ((16, "app", "str"), (18, "message_id", "u64"), (20, "device_id", "u64"), (22, "outcome", "u8"), (24, "count",
         "u64"), (26, "text", "str"), (28, "missed_from", "u64"), (30, "missed_to", "u64"), (66, "traceparent",
         "str")))
GOAWAY: Tuple[Fields, Tags] = (
        (("last_id", "u64"), ("code", "u16"), ("grace_ms", "u32"), ("reconnect_after_ms", "u32"), ("reason", "str")),
        ())
PING: Tuple[Fields, Tags] = (
        (("data", "data8"),),
        ())
POSITION: Tuple[Fields, Tags] = (
        (("position", "u64"),),
        ())
ERROR: Tuple[Fields, Tags] = (
        (("code", "u16"), ("scope", "u8"), ("effect", "u8"), ("retry_after_ms", "u32"), ("message", "str")),
        ((2, "field", "str"), (4, "limit", "u64"), (6, "item", "u32"), (8, "column", "u32"), (10, "reason", "str")))
EVENT_OPCODE, GOAWAY_OPCODE, PING_OPCODE, POSITION_OPCODE = 96, 4, 3, 5
CODES: Dict[int, str] = {1: "MALFORMED", 2: "FRAME_TOO_LARGE", 3: "UNSUPPORTED_VERSION", 4: "UNSUPPORTED_OPCODE",
    5: "UNSUPPORTED_FIELD", 6: "WRONG_PHASE", 7: "BAD_REQUEST_ID", 8: "AUTHENTICATION_FAILED", 9: "FORBIDDEN",
    10: "NOT_FOUND", 11: "INVALID_ARGUMENT", 12: "STALE", 13: "IDEMPOTENCY_CONFLICT", 14: "TOO_LARGE",
    15: "RATE_LIMITED", 16: "OVERLOADED", 17: "STORAGE_FULL", 18: "STORAGE_FAILED", 19: "DEADLINE", 20: "DRAINING",
    21: "TOO_MANY_PINGS", 22: "TOO_MANY_ERRORS", 23: "TIMEOUT", 24: "INTERNAL", 25: "TOO_MANY_CONNECTIONS",
    26: "APNS_REFUSED", 27: "APNS_UNAVAILABLE", 28: "BEHIND"}
EFFECTS: List[str] = ["not_executed", "unknown", "executed"]
