"""Frames from the text of the specification, written by hand: the session that most tests dissect, and its parts."""
from __future__ import annotations

import struct
from typing import Tuple

MAGIC = b"\xc3CRLN\r\n\x1a"
CLIENT_PREFACE = MAGIC + b"\x01\x01" + bytes(6)
SERVER_PREFACE = MAGIC + b"\x01\x00" + bytes(6)
KINDS = {"request": 1, "answer": 2, "error": 3, "event": 4, "control": 5}
# The opcodes of the operations and of the control frames.
HELLO, AUTH, PING, GOAWAY = 0x01, 0x02, 0x03, 0x04
REGISTER, REGISTER_BATCH, UNREGISTER, LOOKUP = 0x10, 0x11, 0x12, 0x13
JOIN, GROUP_DEVICES, UPDATE_GROUP = 0x20, 0x23, 0x25
SUBSCRIBE, EXPLAIN = 0x30, 0x40
SEND, MESSAGE_STATUS, MESSAGE_OUTCOMES, UPDATE_MESSAGE, TRACE = 0x50, 0x51, 0x52, 0x54, 0x56
SUBSCRIBE_EVENTS, EVENT_CREDIT, RECEIPTS, STATISTICS = 0x60, 0x61, 0x70, 0x80


def frame(kind: str, opcode: int, id: int, payload: bytes, flags: int = 0) -> bytes:
    """Returns a whole frame."""
    return struct.pack(">IBBHQ", len(payload), KINDS[kind], flags, opcode, id) + payload


def text(value: str) -> bytes:
    """Returns a text after its length."""
    encoded = value.encode()
    return struct.pack(">H", len(encoded)) + encoded


def tags(*fields: Tuple[int, bytes]) -> bytes:
    """Returns a tagged section; all tags and sizes are below 128."""
    return bytes([len(fields)]) + b"".join(bytes([tag, len(value)]) + value for tag, value in fields)


APP = "com.example.game"
TOKEN = bytes(range(32))
OLD_TOKEN = bytes(range(100, 132))
KEY = bytes.fromhex("00112233445566778899aabbccddeeff")
SEEN_AT = 1_780_000_000_123
SECRET = b"crln_0123456789abcd"
PUSH = '{"aps":{"alert":"Grüße"}}'

REGISTER_PAYLOAD = (text(APP) + bytes([1, 1, 32]) + TOKEN + struct.pack(">Q", SEEN_AT)
                    + tags((17, bytes([7]) * 32), (18, b"de-DE"), (20, b"Europe/Berlin")))
SHORT_REGISTER_PAYLOAD = text(APP) + bytes([2, 2, 32]) + OLD_TOKEN + struct.pack(">Q", 0)
SEND_TAGS = tags((2, struct.pack(">I", 2000)), (17, struct.pack(">Q", 0)), (19, b"score"), (22, b"\x02"))
SEND_PAYLOAD = (text(APP) + KEY + bytes([1, 10, 1]) + struct.pack(">I", 2)
                + bytes([1, 1, 1, 32]) + TOKEN + bytes([2]) + struct.pack(">Q", 41)
                + struct.pack(">I", len(PUSH.encode())) + PUSH.encode() + SEND_TAGS)

# (sender, bytes) in the order of the wire.
SESSION = [
    ("client", CLIENT_PREFACE),
    ("client", frame("request", HELLO, 1, text("py/1.0") + bytes(4))),
    ("server", SERVER_PREFACE),
    ("server", frame("answer", HELLO, 1, text("carillon/1.0") + KEY
                     + struct.pack(">QIIIIIIB", SEEN_AT, 1048576, 1024, 1000, 30000, 5000, 86400, 0)
                     + struct.pack(">IHBBHBB", 2, HELLO, 1, 1, SEND, 1, 1))),
    ("client", frame("request", AUTH, 2, b"\x01" + struct.pack(">I", len(SECRET)) + SECRET)),
    ("server", frame("answer", AUTH, 2, text("backend") + struct.pack(">I", 1) + text("*") + b"\x03")),
    ("client", frame("request", REGISTER, 3, REGISTER_PAYLOAD)),
    ("client", frame("request", REGISTER_BATCH, 4, struct.pack(">II", 2, len(REGISTER_PAYLOAD)) + REGISTER_PAYLOAD
                     + struct.pack(">I", len(SHORT_REGISTER_PAYLOAD)) + SHORT_REGISTER_PAYLOAD)),
    ("server", frame("answer", REGISTER_BATCH, 4, struct.pack(">IHQBHQB", 2, 0, 41, 2, 12, 0, 0))),
    ("server", frame("answer", REGISTER, 3, struct.pack(">QB", 41, 1))),
    ("client", frame("request", UNREGISTER, 5, text(APP) + b"\x02" + struct.pack(">QQ", 42, SEEN_AT))),
    ("server", frame("error", UNREGISTER, 5, struct.pack(">HBBI", 10, 0, 0, 0xFFFFFFFF) + text("no such device")
                     + tags((2, b"device")))),
    ("client", frame("request", SEND, 6, SEND_PAYLOAD)),
    ("server", frame("answer", SEND, 6, struct.pack(">QBII", 9001, 0, 2, 0))),
    ("client", frame("request", MESSAGE_STATUS, 7, text(APP) + struct.pack(">Q", 9001))),
    ("server", frame("answer", MESSAGE_STATUS, 7, struct.pack(">BQQQIBQ", 3, SEEN_AT, SEEN_AT, 2, 1, 32, 2))),
    ("server", frame("control", PING, 0, b"whistle!")),
    ("client", frame("control", PING, 0, b"whistle!", flags=1)),
    ("server", frame("control", GOAWAY, 0, struct.pack(">QHII", 2**64 - 1, 20, 60000, 1000) + text("restart"))),
]
