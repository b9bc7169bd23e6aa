"""Frames of many operations, and the line that tshark must print for each."""
from __future__ import annotations

import struct

from frames import (APP, EVENT_CREDIT, EXPLAIN, JOIN, KEY, RECEIPTS, SEEN_AT, SEND, STATISTICS, SUBSCRIBE,
                    SUBSCRIBE_EVENTS, TRACE, UPDATE_MESSAGE, frame, tags, text)

# A JOIN, a SUBSCRIBE, a SEND to a topic and a failed EXPLAIN as (sender, frame), and the lines of a session with them.
GROUP_FRAMES = [
    ("client", frame("request", JOIN, 3, text(APP) + text("user/42") + struct.pack(">IBQ", 1, 2, 42)
                     + tags((17, b"{}"), (19, struct.pack(">I", 1) + text("de") + b"\0\0\0\2{}")))),
    ("server", frame("answer", JOIN, 3, struct.pack(">IQI", 1, 7, 0))),
    ("client", frame("request", SUBSCRIBE, 4, text(APP) + struct.pack(">I", 1) + text("level5") + bytes(4)
                     + struct.pack(">I", 1) + text("user/42"))),
    ("client", frame("request", SEND, 5, text(APP) + KEY + bytes([1, 0, 3]) + bytes(8)
                     + tags((25, b"level5"), (31, b"\2" + struct.pack(">Q", 42)), (33, b"\1")))),
    ("server", frame("error", EXPLAIN, 6, struct.pack(">HBBI", 11, 0, 0, 0xFFFFFFFF) + text("no")
                     + tags((2, b"condition"), (8, struct.pack(">I", 24))))),
]
GROUP_LINES = [
    "Client preface, versions 1 to 1", "Server preface, version 1",
    "JOIN request id 3: com.example.game, user/42, 1 devices, 1 bodies",
    "JOIN answer id 3: joined 1, message_id 7",
    "SUBSCRIBE request id 4: com.example.game, 1 topics, 0 devices, 1 groups",
    "SEND request id 5: com.example.game, alert, topic, 0 devices, level5, device_id 42, dry_run yes",
    "EXPLAIN error id 6: INVALID_ARGUMENT, request, no, field condition, column 24",
]


# Message updates, events, receipts, STATISTICS and TRACE as (sender, frame), and the lines of a session with them.
EVENT_FRAMES = [
    ("client", frame("request", UPDATE_MESSAGE, 3, text(APP) + struct.pack(">QB", 7, 4)
                     + tags((37, struct.pack(">I", 100))))),
    ("server", frame("answer", UPDATE_MESSAGE, 3, b"\x05")),
    ("client", frame("request", SUBSCRIBE_EVENTS, 4, text("ops") + struct.pack(">QIIHQ", 2**64 - 1, 0, 1, 2, 10))),
    ("server", frame("answer", SUBSCRIBE_EVENTS, 4, struct.pack(">Q", 40))),
    ("server", frame("event", SUBSCRIBE_EVENTS, 4, struct.pack(">QQH", 41, SEEN_AT, 2)
                     + tags((16, APP.encode()), (18, struct.pack(">Q", 7)), (20, struct.pack(">Q", 42)),
                            (22, b"\x04")))),
    ("server", frame("event", SUBSCRIBE_EVENTS, 4, struct.pack(">QQH", 59, SEEN_AT, 0)
                     + tags((28, struct.pack(">Q", 42)), (30, struct.pack(">Q", 60))))),
    ("client", frame("request", EVENT_CREDIT, 5, struct.pack(">QQQ", 4, 20, 59))),
    ("server", frame("answer", EVENT_CREDIT, 5, b"")),
    ("client", frame("request", RECEIPTS, 6, text(APP) + struct.pack(">IQBQB", 1, 7, 2, 42, 2))),
    ("server", frame("answer", RECEIPTS, 6, struct.pack(">II", 1, 0))),
    ("client", frame("request", STATISTICS, 7, struct.pack(">I", 10))),
    ("server", frame("answer", STATISTICS, 7, struct.pack(">QQ", SEEN_AT, SEEN_AT) + text("carillond/1.0")
                     + struct.pack(">II", 3, 0) + bytes(4) + struct.pack(">IQQQ", 0, 0, 0, 0) + bytes(28)
                     + tags((34, struct.pack(">Q", SEEN_AT))))),
    ("client", frame("request", TRACE, 8, text(APP) + struct.pack(">QBQ", 7, 2, 42))),
    ("server", frame("answer", TRACE, 8, struct.pack(">QBBBB", 42, 2, 1, 0, 6) + tags(
        (16, struct.pack(">IB", 1, 3) + text("level5") + text("user/42")), (18, struct.pack(">I", 1) + text("user/42")),
        (20, b"de"), (24, struct.pack(">IQIH", 1, SEEN_AT, 3, 503) + text("Busy")),
        (26, struct.pack(">Q", SEEN_AT))))),
]
EVENT_LINES = [
    "Client preface, versions 1 to 1", "Server preface, version 1",
    "UPDATE_MESSAGE request id 3: com.example.game, message_id 7, pace, pace 100",
    "UPDATE_MESSAGE answer id 3: paused",
    "SUBSCRIBE_EVENTS request id 4: ops, 0 apps, 1 kinds, credit 10",
    "SUBSCRIBE_EVENTS answer id 4: after 40",
    "SUBSCRIBE_EVENTS event id 4: sequence 41, delivery-failed, com.example.game, message_id 7, device_id 42, gave-up",
    "SUBSCRIBE_EVENTS event id 4: sequence 59, gap, missed_from 42, missed_to 60",
    "EVENT_CREDIT request id 5: subscription 4, credit 20, ack 59",
    "EVENT_CREDIT answer id 5",
    "RECEIPTS request id 6: com.example.game, 1 receipts",
    "RECEIPTS answer id 6: counted 1",
    "STATISTICS request id 7",
    "STATISTICS answer id 7: carillond/1.0, clients 3, 0 sending, 0 pools",
    "TRACE request id 8: com.example.game, message_id 7, device_id 42",
    "TRACE answer id 8: device_id 42, sending, recipient, pending, 1 sources, 1 muted_groups, language de, "
    "1 attempts",
]
