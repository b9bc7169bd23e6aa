#!/usr/bin/env python3
"""Tests carillon.lua: writes captures by hand, runs tshark on them and compares its output.

Needs Python 3.9 and tshark 4.0; takes no arguments. The vectors of vectors/ must be there: without them it fails.
"""
# Long: a third of it is tables of frames and of the lines that tshark must print for them.

import json
import os
import pathlib
import random
import re
import ssl
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
DISSECTOR = HERE / "carillon.lua"
VECTORS = HERE / "vectors"
LAYOUTS = json.loads((HERE / "layouts.json").read_text("utf-8"))
MAGIC = b"\xc3CRLN\r\n\x1a"
CLIENT_PREFACE = MAGIC + b"\x01\x01" + bytes(6)
SERVER_PREFACE = MAGIC + b"\x01\x00" + bytes(6)
KINDS = {"request": 1, "response": 2, "error": 3, "event": 4, "control": 5}
PORT = 7474
MUTATIONS = 500

passed = failed = 0


def check(name, actual, expected):
    """Counts one comparison and prints it if it fails."""
    global passed, failed
    if actual == expected:
        passed += 1
    else:
        failed += 1
        print(f"FAILED {name}\n    expected {expected!r}\n    actual   {actual!r}")


# Captures

class Capture:
    """A pcap of TCP connections over IPv4 and Ethernet, with true sequence numbers and no checksums."""

    def __init__(self):
        self.packets = []
        self.connections = 0
        self.clock = 1_800_000_000_000_000

    def connect(self, server_port=PORT):
        self.connections += 1
        return Connection(self, self.connections, server_port)

    def add(self, packet, kept=None):
        self.clock += 1000
        seconds, micros = divmod(self.clock, 1_000_000)
        kept = packet if kept is None else packet[:kept]
        self.packets.append(struct.pack("<IIII", seconds, micros, len(kept), len(packet)) + kept)

    def write(self, path):
        path.write_bytes(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 1) + b"".join(self.packets))


class Connection:
    """One connection of a capture; its number gives it its own addresses and ports."""

    def __init__(self, capture, number, server_port):
        self.capture = capture
        self.ports = {"client": 20000 + number % 40000, "server": server_port}
        self.addresses = {"client": bytes([10, 0, number >> 8 & 255, number & 255]), "server": bytes([10, 1, 0, 1])}
        self.sequence = {"client": 1000, "server": 5000}
        self._packet("client", 0x02)
        self._packet("server", 0x12)
        self._packet("client", 0x10)

    def _packet(self, sender, flags, data=b"", kept=None):
        receiver = "server" if sender == "client" else "client"
        acknowledged = 0 if flags == 0x02 else self.sequence[receiver]
        tcp = struct.pack(">HHIIBBHHH", self.ports[sender], self.ports[receiver], self.sequence[sender], acknowledged,
                          0x50, flags, 65535, 0, 0)
        ip = struct.pack(">BBHHHBBH", 0x45, 0, 40 + len(data), 0, 0, 64, 6, 0)
        ip += self.addresses[sender] + self.addresses[receiver]
        headers = bytes(12) + b"\x08\x00" + ip + tcp
        self.capture.add(headers + data, None if kept is None else len(headers) + kept)
        self.sequence[sender] += len(data) + (1 if flags & 0x02 else 0)

    def send(self, sender, data, segment=1400, kept=None):
        """Sends the data in segments of the given size; kept cuts each captured packet."""
        for start in range(0, len(data), segment):
            self._packet(sender, 0x18, data[start:start + segment], kept)

    def prefaces(self):
        self.send("client", CLIENT_PREFACE)
        self.send("server", SERVER_PREFACE)
        return self


# tshark

def tshark(path, *arguments):
    """Returns the output of tshark. A run that fails is a failed check."""
    command = ["tshark", "-X", f"lua_script:{DISSECTOR}", "-r", str(path), *arguments]
    result = subprocess.run(command, capture_output=True, timeout=300)
    check(f"exit status of tshark {' '.join(arguments)}", result.returncode, 0)
    errors = result.stderr.decode("utf-8", "replace")
    output = result.stdout.decode("utf-8", "replace")
    check("no Lua error", "lua error" in (output + errors).lower() or "lua:" in errors.lower(), False)
    return output


def flatten(value, into):
    """Collects all leaves of tshark's JSON by field name, in order. Names may repeat."""
    for name, inner in value:
        for leaf in inner if isinstance(inner, list) and not is_object(inner) else [inner]:
            if is_object(leaf):
                flatten(leaf, into)
            else:
                into.setdefault(name, []).append(leaf)
    return into


def is_object(value):
    return isinstance(value, list) and all(isinstance(item, tuple) for item in value)


def dissect(path, *arguments):
    """Returns the fields of each packet in which Carillon was found."""
    output = tshark(path, "-T", "json", "-Y", "carillon", *arguments)
    packets = json.loads(output, object_pairs_hook=lambda pairs: pairs)
    return [flatten(packet, {}) for packet in packets]


def info_lines(path, *arguments):
    return tshark(path, "-Y", "carillon", "-T", "fields", "-e", "_ws.col.Info", *arguments).splitlines()


# Frames, from the text of the specification

def frame(kind, opcode, number, payload, flags=0):
    return struct.pack(">IBBHQ", len(payload), KINDS[kind], flags, opcode, number) + payload


def text(value):
    encoded = value.encode()
    return struct.pack(">H", len(encoded)) + encoded


def tags(*fields):
    """Returns a tagged section; all tags and sizes are below 128."""
    return bytes([len(fields)]) + b"".join(bytes([tag, len(value)]) + value for tag, value in fields)


APP = "com.example.game"
TOKEN = bytes(range(32))
OLD_TOKEN = bytes(range(100, 132))
KEY = bytes.fromhex("00112233445566778899aabbccddeeff")
SEEN_AT = 1_780_000_000_123
SECRET = b"car_live_0123456789"
PUSH = '{"aps":{"alert":"Grüße"}}'

REGISTER = (text(APP) + bytes([1, 1, 32]) + TOKEN + struct.pack(">Q", SEEN_AT)
            + tags((17, bytes([7]) * 32), (18, b"de-DE"), (20, b"Europe/Berlin")))
SHORT_REGISTER = text(APP) + bytes([2, 2, 32]) + OLD_TOKEN + struct.pack(">Q", 0)
SEND_TAGS = tags((2, struct.pack(">I", 2000)), (17, struct.pack(">Q", 0)), (19, b"score"), (22, b"\x02"))
SEND = (text(APP) + KEY + bytes([1, 10, 1]) + struct.pack(">I", 2)
        + bytes([1, 1, 1, 32]) + TOKEN + bytes([2]) + struct.pack(">Q", 41)
        + struct.pack(">I", len(PUSH.encode())) + PUSH.encode() + SEND_TAGS)

#: (sender, bytes) in the order of the wire.
SESSION = [
    ("client", CLIENT_PREFACE),
    ("client", frame("request", 0x01, 1, text("py/1.0") + bytes(4))),
    ("server", SERVER_PREFACE),
    ("server", frame("response", 0x01, 1, text("carillon/1.0") + KEY + struct.pack(">QIIIIIIB", SEEN_AT, 1048576, 1024,
                                                                               1000, 30000, 5000, 86400, 0)
                     + struct.pack(">IHBBHBB", 2, 0x01, 1, 1, 0x50, 1, 1))),
    ("client", frame("request", 0x02, 2, b"\x01" + struct.pack(">I", len(SECRET)) + SECRET)),
    ("server", frame("response", 0x02, 2, text("backend") + struct.pack(">I", 1) + text("*") + b"\x03")),
    ("client", frame("request", 0x10, 3, REGISTER)),
    ("client", frame("request", 0x11, 4, struct.pack(">I", 2) + struct.pack(">I", len(REGISTER)) + REGISTER
                     + struct.pack(">I", len(SHORT_REGISTER)) + SHORT_REGISTER)),
    ("server", frame("response", 0x11, 4, struct.pack(">IHQBHQB", 2, 0, 41, 2, 12, 0, 0))),
    ("server", frame("response", 0x10, 3, struct.pack(">QB", 41, 1))),
    ("client", frame("request", 0x12, 5, text(APP) + b"\x02" + struct.pack(">QQ", 42, SEEN_AT))),
    ("server", frame("error", 0x12, 5, struct.pack(">HBBI", 10, 0, 0, 0xFFFFFFFF) + text("no such device")
                     + tags((2, b"device")))),
    ("client", frame("request", 0x50, 6, SEND)),
    ("server", frame("response", 0x50, 6, struct.pack(">QBII", 9001, 0, 2, 0))),
    ("client", frame("request", 0x51, 7, text(APP) + struct.pack(">Q", 9001))),
    ("server", frame("response", 0x51, 7, struct.pack(">BQQQIBQ", 3, SEEN_AT, SEEN_AT, 2, 1, 32, 2))),
    ("server", frame("control", 0x03, 0, b"whistle!")),
    ("client", frame("control", 0x03, 0, b"whistle!", flags=1)),
    ("server", frame("control", 0x04, 0, struct.pack(">QHII", 2**64 - 1, 20, 60000, 1000) + text("restart"))),
]


def merged(packets):
    """Returns all fields of several packets together."""
    together = {}
    for packet in packets:
        for name, values in packet.items():
            together.setdefault(name, []).extend(values)
    return together


def colons(data):
    return data.hex(":")


def expect_session(name, packets):
    """Checks the session, which must look the same for every division into segments."""
    fields = merged(packets)

    def values(field):
        return fields.get("carillon." + field, [])

    check(f"{name}: messages", values("frame.message"),
          ["HELLO", "HELLO", "AUTH", "AUTH", "REGISTER", "REGISTER_BATCH", "REGISTER_BATCH", "REGISTER", "UNREGISTER",
           "UNREGISTER", "SEND", "SEND", "MESSAGE_STATUS", "MESSAGE_STATUS", "PING", "PING", "GOAWAY"])
    check(f"{name}: kinds", values("frame.kind"), list("12121122131212555"))
    check(f"{name}: ids", values("frame.id"), list("11223443556677000"))
    check(f"{name}: versions", [values("preface.lowest"), values("preface.version")], [["1"], ["1"]])
    check(f"{name}: software", values("software"), ["py/1.0", "carillon/1.0"])
    check(f"{name}: tokens", values("token"), [colons(TOKEN), colons(TOKEN), colons(OLD_TOKEN), colons(TOKEN)])
    check(f"{name}: replaces", values("replaces"), [colons(bytes([7]) * 32)] * 2)
    check(f"{name}: locale", values("locale"), ["de-DE"] * 2)
    check(f"{name}: time zone", values("time_zone"), ["Europe/Berlin"] * 2)
    check(f"{name}: seen_at", values("seen_at"), [str(SEEN_AT), str(SEEN_AT), "0"])
    check(f"{name}: key", values("key"), ["00112233-4455-6677-8899-aabbccddeeff"])
    check(f"{name}: payload", values("payload"), [PUSH])
    check(f"{name}: codes", values("code"), ["0", "12", "10", "20"])
    check(f"{name}: field of the error", values("field"), ["device"])
    check(f"{name}: retry", values("retry_after_ms"), ["4294967295"])
    check(f"{name}: last id", values("last_id"), [str(2**64 - 1)])
    check(f"{name}: collapse id, lane, deadline", [values("collapse_id"), values("lane"), values("deadline_ms")],
          [["score"], ["2"], ["2000"]])
    check(f"{name}: outcome", [values("outcome"), values("outcomes.devices")], [["32"], ["2"]])
    check(f"{name}: roles", [values("roles.register"), values("roles.admin")], [["1"], ["0"]])
    check(f"{name}: ping", values("ping"), [colons(b"whistle!")] * 2)
    check(f"{name}: nothing malformed", [values("malformed"), values("framing"), values("order"), values("undecoded")],
          [[], [], [], []])
    check(f"{name}: answers find their requests", len(values("request_in")), 7)
    check(f"{name}: answers have a time", len(values("time")), 7)


def write_session(path, segment=1400, together=False, port=PORT):
    """Writes the session: a packet for each frame, small segments, or all frames of one side together."""
    capture = Capture()
    connection = capture.connect(port)
    waiting, last = b"", None
    for sender, data in SESSION:
        if together and sender != last and waiting:
            connection.send(last, waiting, segment)
            waiting = b""
        waiting, last = waiting + data, sender
        if not together:
            connection.send(sender, data, segment)
            waiting = b""
    if waiting:
        connection.send(last, waiting, segment)
    capture.write(path)
    return path


def test_session(folder):
    for name, segment, together in [("one frame a packet", 1400, False), ("several frames a packet", 1400, True),
                                    ("small segments", 11, False), ("frames across segments", 37, True),
                                    ("single bytes", 1, True)]:
        path = write_session(folder / "session.pcap", segment, together)
        expect_session(name, dissect(path))
        expect_session(name + ", two passes", dissect(path, "-2"))
    path = write_session(folder / "port.pcap", port=9999)
    expect_session("recognised by the magic", dissect(path))
    expect_session("port of the preferences", dissect(path, "-o", "carillon.port:9999"))


def test_info(folder):
    path = write_session(folder / "info.pcap")
    lines = info_lines(path)
    check("info: preface", lines[0], "Client preface, versions 1 to 1")
    check("info: token is short", lines[6],
          "REGISTER request id 3: com.example.game, token 00010203…, replaces 07070707…")
    check("info: batch", lines[7], "REGISTER_BATCH request id 4: 2 items")
    check("info: result", lines[9], "REGISTER response id 3: device_id 41, created")
    check("info: error", lines[11], "UNREGISTER error id 5: NOT_FOUND, request, no such device, field device")
    check("info: send", lines[12], "SEND request id 6: com.example.game, alert, the devices that follow, 2 devices")
    check("info: events", info_lines(write_frames(folder / "events.pcap", EVENT_FRAMES)), EVENT_LINES)
    check("info: groups and topics", info_lines(write_frames(folder / "groups.pcap", GROUP_FRAMES)), GROUP_LINES)
    together = info_lines(write_session(folder / "info.pcap", together=True))
    check("info: two frames of a packet", together[0],
          "Client preface, versions 1 to 1 | HELLO request id 1: py/1.0")
    shown = tshark(path, "-V", "-Y", "carillon")
    check("a credential is not shown", SECRET.decode() in shown, False)
    check("a result of a batch", "code: done (0)" in shown, True)
    check("its length is", f"credential: {len(SECRET)} bytes, not shown" in shown, True)
    forward = dissect(path, "-2")
    check("the request names its answer", [packet["carillon.response_in"] for packet in forward
                                           if "carillon.response_in" in packet][0], forward[1]["frame.number"])


#: (sender, frame) of groups and topics, and the lines that they make.
GROUP_FRAMES = [
    ("client", frame("request", 0x20, 3, text(APP) + text("user/42") + struct.pack(">IBQ", 1, 2, 42)
                     + tags((17, b"{}"), (19, struct.pack(">I", 1) + text("de") + b"\0\0\0\2{}")))),
    ("server", frame("response", 0x20, 3, struct.pack(">IQI", 1, 7, 0))),
    ("client", frame("request", 0x30, 4, text(APP) + struct.pack(">I", 1) + text("level5") + bytes(4)
                     + struct.pack(">I", 1) + text("user/42"))),
    ("client", frame("request", 0x50, 5, text(APP) + KEY + bytes([1, 0, 3]) + bytes(8)
                     + tags((25, b"level5"), (31, b"\2" + struct.pack(">Q", 42)), (33, b"\1")))),
    ("server", frame("error", 0x40, 6, struct.pack(">HBBI", 11, 0, 0, 0xFFFFFFFF) + text("no")
                     + tags((2, b"condition"), (8, struct.pack(">I", 24))))),
]
GROUP_LINES = [
    "Client preface, versions 1 to 1", "Server preface, version 1",
    "JOIN request id 3: com.example.game, user/42, 1 devices, 1 bodies",
    "JOIN response id 3: joined 1, message_id 7",
    "SUBSCRIBE request id 4: com.example.game, 1 topics, 0 devices, 1 groups",
    "SEND request id 5: com.example.game, alert, topic, 0 devices, level5, device_id 42, dry_run yes",
    "EXPLAIN error id 6: INVALID_ARGUMENT, request, no, field condition, column 24",
]


#: (sender, frame) of message updates, events, receipts, STATISTICS and TRACE, and the lines that they make.
EVENT_FRAMES = [
    ("client", frame("request", 0x54, 3, text(APP) + struct.pack(">QB", 7, 4) + tags((37, struct.pack(">I", 100))))),
    ("server", frame("response", 0x54, 3, b"\x05")),
    ("client", frame("request", 0x60, 4, text("ops") + struct.pack(">QIIHQ", 2**64 - 1, 0, 1, 2, 10))),
    ("server", frame("response", 0x60, 4, struct.pack(">Q", 40))),
    ("server", frame("event", 0x60, 4, struct.pack(">QQH", 41, SEEN_AT, 2)
                     + tags((16, APP.encode()), (18, struct.pack(">Q", 7)), (20, struct.pack(">Q", 42)),
                            (22, b"\x04")))),
    ("server", frame("event", 0x60, 4, struct.pack(">QQH", 59, SEEN_AT, 0)
                     + tags((28, struct.pack(">Q", 42)), (30, struct.pack(">Q", 60))))),
    ("client", frame("request", 0x61, 5, struct.pack(">QQQ", 4, 20, 59))),
    ("server", frame("response", 0x61, 5, b"")),
    ("client", frame("request", 0x70, 6, text(APP) + struct.pack(">IQBQB", 1, 7, 2, 42, 2))),
    ("server", frame("response", 0x70, 6, struct.pack(">II", 1, 0))),
    ("client", frame("request", 0x80, 7, struct.pack(">I", 10))),
    ("server", frame("response", 0x80, 7, struct.pack(">QQ", SEEN_AT, SEEN_AT) + text("carillond/1.0")
                     + struct.pack(">II", 3, 0) + bytes(4) + struct.pack(">IQQQ", 0, 0, 0, 0) + bytes(28)
                     + tags((34, struct.pack(">Q", SEEN_AT))))),
    ("client", frame("request", 0x56, 8, text(APP) + struct.pack(">QBQ", 7, 2, 42))),
    ("server", frame("response", 0x56, 8, struct.pack(">QBBBB", 42, 2, 1, 0, 6) + tags(
        (16, struct.pack(">IB", 1, 3) + text("level5") + text("user/42")), (18, struct.pack(">I", 1) + text("user/42")),
        (20, b"de"), (24, struct.pack(">IQIH", 1, SEEN_AT, 3, 503) + text("Busy")),
        (26, struct.pack(">Q", SEEN_AT))))),
]
EVENT_LINES = [
    "Client preface, versions 1 to 1", "Server preface, version 1",
    "UPDATE_MESSAGE request id 3: com.example.game, message_id 7, pace, pace 100",
    "UPDATE_MESSAGE response id 3: paused",
    "SUBSCRIBE_EVENTS request id 4: ops, 0 apps, 1 kinds, credit 10",
    "SUBSCRIBE_EVENTS response id 4: after 40",
    "SUBSCRIBE_EVENTS event id 4: sequence 41, delivery-failed, com.example.game, message_id 7, device_id 42, gave-up",
    "SUBSCRIBE_EVENTS event id 4: sequence 59, gap, missed_from 42, missed_to 60",
    "EVENT_CREDIT request id 5: subscription 4, credit 20, ack 59",
    "EVENT_CREDIT response id 5",
    "RECEIPTS request id 6: com.example.game, 1 receipts",
    "RECEIPTS response id 6: counted 1",
    "STATISTICS request id 7",
    "STATISTICS response id 7: carillond/1.0, clients 3, 0 sending, 0 pools",
    "TRACE request id 8: com.example.game, message_id 7, device_id 42",
    "TRACE response id 8: device_id 42, sending, addressed, pending, 1 sources, 1 muted_groups, language de, "
    "1 attempts",
]


def write_frames(path, frames):
    """Writes a connection of prefaces and these frames, a packet each."""
    capture = Capture()
    connection = capture.connect().prefaces()
    for sender, data in frames:
        connection.send(sender, data)
    capture.write(path)
    return path


FAULTS = [
    # name, sender, bytes after the prefaces, field of the expert info that must be there, part of its text
    ("length above the limit", "client", b"\x7f\xff\xff\xff" + bytes(40), "framing", "FRAME_TOO_LARGE"),
    ("unknown kind", "client", b"\0\0\0\0\x09\0\0\x01" + bytes(7) + b"\1", "framing", "Unknown kind"),
    ("kind of the other side", "client", frame("response", 0x10, 1, struct.pack(">QB", 1, 1)), "framing", "may not"),
    ("ACK on a request", "client", frame("request", 0x13, 1, text(APP) + b"\2" + bytes(8), 1), "framing", "flag"),
    ("request without id", "client", frame("request", 0x13, 0, text(APP) + b"\2" + bytes(8)), "framing", "id"),
    ("control with id", "client", frame("control", 0x03, 4, bytes(8)), "framing", "id 0"),
    ("repeated id", "client", frame("request", 0x13, 1, text(APP) + b"\2" + bytes(8)) * 2, "order", "repeated"),
    ("smaller id", "client", frame("request", 0x13, 5, text(APP) + b"\2" + bytes(8))
     + frame("request", 0x13, 4, text(APP) + b"\2" + bytes(8)), "order", "greater"),
    ("short PING", "client", frame("control", 0x03, 0, bytes(7)), "malformed", "8 bytes wanted, 7 left"),
    ("long PING", "client", frame("control", 0x03, 0, bytes(9)), "malformed", "left over"),
    ("field past the end", "client", frame("request", 0x10, 1, b"\xff\xffab"), "malformed", "app"),
    ("overlong UTF-8", "client", frame("request", 0x13, 1, b"\0\2\xc0\x80\2" + bytes(8)), "malformed", "UTF-8"),
    ("surrogate", "client", frame("request", 0x13, 1, b"\0\3\xed\xa0\x80\2" + bytes(8)), "malformed", "UTF-8"),
    ("U+0000", "client", frame("request", 0x13, 1, b"\0\2a\0\2" + bytes(8)), "malformed", "UTF-8"),
    ("form of a device", "client", frame("request", 0x13, 1, text(APP) + b"\3" + bytes(8)), "malformed", "form 3"),
    ("list too long", "client", frame("request", 0x11, 1, b"\xff\xff\xff\xff"), "malformed", "4294967295 items"),
    ("tags out of order", "client", frame("request", 0x10, 1, SHORT_REGISTER + tags((20, b"a"), (18, b"de"))),
     "malformed", "ascend"),
    ("tag twice", "client", frame("request", 0x10, 1, SHORT_REGISTER + tags((18, b"de"), (18, b"de"))), "malformed",
     "ascend"),
    ("size of a tag", "client", frame("request", 0x13, 1, text(APP) + b"\2" + bytes(8) + tags((2, b"abc"))),
     "malformed", "deadline_ms"),
    ("uvarint not shortest", "client", frame("request", 0x10, 1, SHORT_REGISTER + b"\x81\x00"), "malformed", "uvarint"),
    ("uvarint too long", "client", frame("request", 0x10, 1, SHORT_REGISTER + b"\xff" * 6), "malformed", "uvarint"),
    ("uvarint too large", "client", frame("request", 0x10, 1, SHORT_REGISTER + b"\xff\xff\xff\xff\x7f"), "malformed",
     "uvarint"),
    ("too many tags", "client", frame("request", 0x10, 1, SHORT_REGISTER + b"\x41" + bytes(130)), "malformed", "64"),
    ("bytes left over", "client", frame("request", 0x10, 1, SHORT_REGISTER + b"\0\0"), "malformed", "left over"),
    ("unknown odd tag", "client", frame("request", 0x10, 1, SHORT_REGISTER + tags((33, b"x"))), "invalid", "odd"),
    ("unknown even tag", "client", frame("request", 0x10, 1, SHORT_REGISTER + tags((34, b"x"))), "unknown", "skipped"),
    ("odd tag of a server", "server", frame("response", 0x10, 1, struct.pack(">QB", 1, 1) + tags((33, b""))),
     "unknown", "skipped"),
    ("unknown opcode", "client", frame("request", 0x27, 1, b"abc"), "unknown", "No such frame"),
    ("list in a tag past its end", "client",
     frame("request", 0x10, 1, SHORT_REGISTER + tags((19, b"\0\0\0\1\0\5abc"))), "malformed", "5 bytes wanted, 3 left"),
    ("list in a tag of too many", "client", frame("request", 0x10, 1, SHORT_REGISTER + tags((21, b"\xff" * 4))),
     "malformed", "4294967295 items"),
    ("byte after a list in a tag", "client",
     frame("request", 0x10, 1, SHORT_REGISTER + tags((19, b"\0\0\0\0\0"))), "malformed", "topics: 1 bytes left over"),
    ("device in a tag past its end", "client",
     frame("request", 0x50, 1, SEND[:-len(SEND_TAGS)] + tags((31, b"\2" + bytes(7)))), "malformed", "8 bytes wanted"),
    ("empty group", "client", frame("request", 0x23, 1, text(APP) + text("") + bytes(12)), "invalid",
     "group of 0 bytes"),
    ("muted 2", "client", frame("request", 0x25, 1, text(APP) + text("g") + tags((25, b"\2"))), "unknown", "muted 2"),
    ("event of no request", "server", frame("event", 0x60, 0, struct.pack(">QQH", 1, 1, 8)), "framing", "id of its"),
    ("event cut short", "server", frame("event", 0x60, 3, struct.pack(">QQ", 1, 1)), "malformed", "kind"),
    ("unknown kind of event", "server", frame("event", 0x60, 3, struct.pack(">QQH", 1, 1, 999)), "unknown", "kind 999"),
    ("unknown event", "server", frame("event", 0x64, 3, b"abc"), "unknown", "No such frame"),
    ("id key too long", "client", frame("request", 0x50, 1, SEND[:-len(SEND_TAGS)] + tags((41, b"k" * 65))), "invalid",
     "id_key of 65 bytes"),
    ("label too long", "client", frame("request", 0x50, 1, SEND[:-len(SEND_TAGS)] + tags((43, b"l" * 101))), "invalid",
     "label of 101 bytes"),
    ("unknown layout", "client", frame("request", 0x10, 1, SHORT_REGISTER, 0x10), "unknown", "Layout 2"),
    ("empty token", "client", frame("request", 0x13, 1, text(APP) + b"\1\1\1\0"), "malformed", "1 to 255 bytes"),
    ("environment 3", "client", frame("request", 0x10, 1, text(APP) + b"\3" + SHORT_REGISTER[19:]), "unknown",
     "environment 3"),
    ("empty app", "client", frame("request", 0x13, 1, b"\0\0\2" + bytes(8)), "invalid", "app of 0 bytes"),
    ("item of a batch", "client", frame("request", 0x11, 1, struct.pack(">II", 1, 3) + b"\0\5a"), "malformed_item",
     "app"),
    ("preface without range", "preface", MAGIC + b"\x02\x01" + bytes(6), "malformed", "range"),
    ("reserved byte of the preface", "preface", MAGIC + b"\x01\x01\0\0\0\0\0\1", "malformed", "reserved"),
    ("layout 16 of an error", "server", frame("error", 0x10, 1, struct.pack(">HBBI", 3, 0, 0, 0) + text(""), 0xF0),
     "refused", "UNSUPPORTED_VERSION"),
]


def test_faults(folder):
    capture = Capture()
    for name, sender, data, _, _ in FAULTS:
        connection = capture.connect()
        if sender == "preface":
            connection.send("client", data)
        else:
            connection.prefaces().send(sender, data)
            connection.send(sender, frame("control", 0x03, 0, b"the next"))
    path = folder / "faults.pcap"
    capture.write(path)
    packets = dissect(path)
    for stream, (name, sender, _, field, part) in enumerate(FAULTS):
        own = merged(packet for packet in packets if packet["tcp.stream"] == [str(stream)])
        messages = own.get("_ws.expert.message", [])
        check(f"fault {name}", ("carillon." + field in own, any(part in message for message in messages), messages),
              (True, True, messages))
        if sender != "preface" and name != "length above the limit":
            check(f"fault {name}: the next frame", colons(b"the next") in own.get("carillon.ping", []), True)


def test_limits(folder):
    capture = Capture()
    long_list = struct.pack(">QI", 0, 60000) + struct.pack(">QB", 7, 1) * 60000
    capture.connect().prefaces().send("server", frame("response", 0x52, 1, long_list), 60000)
    capture.connect().send("client", b"GET / HTTP/1.1\r\nHost: example.com\r\n\r\n")
    capture.connect().prefaces().send("client", SESSION[6][1], kept=60)
    path = folder / "limits.pcap"
    capture.write(path)
    packets = dissect(path)
    streams = {stream: merged(packet for packet in packets if packet["tcp.stream"] == [stream]) for stream in "012"}
    check("a long list is cut", [len(streams["0"]["carillon.outcome"]), "carillon.cut" in streams["0"]], [4096, True])
    check("another protocol on the port is left alone", streams["1"], {})
    check("a cut packet is reported", "carillon.cut" in streams["2"], True)


# TLS

def test_tls(folder):
    """Tests the session inside TLS 1.2 without certificates: decrypted with the key log, found by ALPN alone."""
    keys, path = folder / "keys.log", folder / "tls.pcap"
    contexts = {"client": ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), "server": ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)}
    for context in contexts.values():
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        context.set_ciphers("AECDH-AES128-SHA:@SECLEVEL=0")
        context.set_alpn_protocols(["carillon/1"])
    contexts["client"].keylog_filename = str(keys)
    inbox = {"client": ssl.MemoryBIO(), "server": ssl.MemoryBIO()}
    outbox = {"client": ssl.MemoryBIO(), "server": ssl.MemoryBIO()}
    ends = {name: contexts[name].wrap_bio(inbox[name], outbox[name], server_side=name == "server") for name in contexts}
    capture = Capture()
    connection = capture.connect()
    other = {"client": "server", "server": "client"}

    def carry(sender):
        data = outbox[sender].read()
        if data:
            connection.send(sender, data, 500)
            inbox[other[sender]].write(data)

    for _ in range(6):
        for name in ("client", "server"):
            try:
                ends[name].do_handshake()
            except ssl.SSLWantReadError:
                pass
            carry(name)
    for sender, data in SESSION:
        for start in range(0, len(data), 50):
            ends[sender].write(data[start:start + 50])
        carry(sender)
    capture.write(path)
    expect_session("inside TLS", dissect(path, "-o", f"tls.keylog_file:{keys}"))
    check("TLS on the port without keys is left alone", dissect(path), [])


# Vectors

#: Where the name of a field in the tree is neither carillon.<operation>.<field> nor carillon.<field>.
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
#: Where it is another name in every operation that has no field of its own.
GENERAL_NAMES = {"limit": "page.limit"}
#: A second field of the tree with the same name.
SECOND_NAMES = {("memberships", "muted"): "muted", ("trace", "kind"): "kind", "payload": "body.payload",
                "id": "device_id"}
#: The name of an item of a list of plain values.
ITEM_NAMES = {"topics": "topic", "groups": "group", "channels": "channel", "devices": "device_id",
              "muted_groups": "group",
              "unique_ids": "unique_id", "unknown": "unknown.index", "latest_batches": "statistics.batch"}
TAGS_OF_BYTES = {"token", "replaces"}
NOT_COMPARED = {"credential", "unknown_tags", "items", "lowest_layout", "highest_layout", "lowest", "highest"}


def known_fields():
    """Returns the names of all fields that the dissector registers, without the prefix."""
    command = ["tshark", "-G", "fields", "-X", f"lua_script:{DISSECTOR}"]
    lines = subprocess.run(command, capture_output=True, timeout=300, check=True).stdout.decode().splitlines()
    return {line.split("\t")[2].removeprefix("carillon.") for line in lines if "\tcarillon." in line}


def tree_names(message, field, known):
    """Returns the names under which the tree can show a field of a message."""
    own = f"{message}.{field}"
    first = NAMES.get((message, field)) or (own if own in known else GENERAL_NAMES.get(field, field))
    second = SECOND_NAMES.get((message, field)) or SECOND_NAMES.get(field)
    return [first] + ([second] if second else [])


def leaves(fields):
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


def as_shown(name, value):
    """Returns a value of a vector as tshark writes it."""
    # The subscription of a browser is JSON, that of events a number; `web` is JSON in SEND, a number in STATISTICS.
    is_json = name in ("payload", "announcement", "android", "android_raw",
                       "web_raw") or name in ("subscription", "web") and value[:2] == "7b"
    if is_json:
        return bytes.fromhex(value).decode("utf-8", "replace")
    if name in TAGS_OF_BYTES:
        return colons(bytes.fromhex(value))
    # not the key of an attribute
    if name in ("epoch", "cluster", "hash") or name == "key" and re.fullmatch("[0-9a-f]{32}", value):
        return "-".join([value[:8], value[8:12], value[12:16], value[16:20], value[20:]])
    return str(int(value)) if isinstance(value, bool) else str(value)


def load(folder):
    """Returns all cases of a folder. An empty folder is a failure."""
    cases = []
    for path in sorted((VECTORS / folder).glob("*.json")):
        content = json.loads(path.read_text())
        cases += content if isinstance(content, list) else [content]
    check(f"vectors/{folder} is not empty", len(cases) > 0, True)
    return cases


def test_valid_vectors(folder):
    cases = load("valid")
    capture = Capture()
    for case in cases:
        capture.connect().prefaces().send(case["from"], bytes.fromhex(case["hex"]))
    path = folder / "valid.pcap"
    capture.write(path)
    packets = {}
    for packet in dissect(path):
        packets.setdefault(packet["tcp.stream"][0], []).append(packet)
    known = known_fields()
    for stream, case in enumerate(cases):
        expect_vector(case, merged(packets.get(str(stream), [])), known)


def expect_vector(case, shown, known):
    def values(name):
        return shown.get("carillon." + name, [])

    name, expected = case["name"], case["frame"]
    kind = KINDS.get(expected["kind"], expected["kind"])
    check(f"{name}: kind", values("frame.kind"), [str(kind)])
    check(f"{name}: id", values("frame.id"), [str(expected["id"])])
    check(f"{name}: opcode", [int(value, 0) for value in values("frame.opcode")], [opcode_of(expected["opcode"])])
    if case["message"] == "ignored":
        check(f"{name}: shown as unknown", "carillon.unknown" in shown, True)
        return
    if kind not in (KINDS["error"], KINDS["event"]):
        check(f"{name}: message", [value.lower() for value in values("frame.message")], [case["message"].lower()])
    check(f"{name}: not malformed", [values("malformed"), values("framing"), values("undecoded")], [[], [], []])
    for unknown in case.get("unknown_tags", case["fields"].get("unknown_tags", [])):
        check(f"{name}: unknown tag", str(unknown["tag"]) in values("tag"), True)
    message = "error" if kind == KINDS["error"] else case["message"].lower()
    for field, value in leaves(case["fields"]):
        if field in NOT_COMPARED or value == "":
            continue
        names = tree_names(message, field, known)
        if message == "devices" and field == "device_id":
            value = str(int(value[:16], 16))  # a whole row, which begins with the id
        elif kind == KINDS["control"] and message == "ping":
            names, value = ["ping"], colons(bytes.fromhex(value))
        else:
            value = as_shown(field, value)
        found = sum((values(each) for each in names), [])
        if field == "topic":
            found = [each.removeprefix("/topics/") for each in found]
        check(f"{name}: {field}", (value in found, found), (True, found))


def opcode_of(value):
    return int(value, 0) if isinstance(value, str) else value


def test_session_vectors(folder):
    for case in load("sessions"):
        capture = Capture()
        connection = capture.connect()
        for step in case["steps"]:
            connection.send(step["from"], bytes.fromhex(step["hex"]))
        path = folder / "vector.pcap"
        capture.write(path)
        fields = merged(dissect(path))
        check(f"session {case['name']}: nothing malformed",
              [fields.get("carillon." + name, []) for name in ("malformed", "framing", "order")], [[], [], []])
        check(f"session {case['name']}: every step", len(info_lines(path)), len(case["steps"]))


# Layouts

#: Appended to a copy of the dissector: prints each field of its table of operations. The locals of the file are
#: visible.
PRINT_TABLE = """
local function shape(field)
    if field.type ~= "list" then return field.type end
    local items = {}
    for index, item in ipairs(not field.nested and field.items or {}) do
        items[index] = item.name .. ":" .. shape(item)
    end
    return "list(" .. table.concat(items, ",") .. ")"
end
local function show(operation, part, schema)
    for place, field in ipairs(schema and schema.fixed or {}) do
        print("FIELD", operation, part, "fixed " .. place, field.name, shape(field))
    end
    for tag, field in pairs(schema and schema.tags or {}) do
        print("FIELD", operation, part, "tag " .. tag, field.name, shape(field))
    end
end
for opcode, operation in pairs(OPERATIONS) do
    local name = opcode .. " " .. operation.name
    for _, part in ipairs({ "request", "response", "event", "control" }) do show(name, part, operation[part]) end
end
show("0 ERROR", "error", ERROR)
"""
#: How the dissector shows bytes of these types, and the names that it gives to fields of the file.
SHOWN_AS = {"topic": ("str",), "bytes": ("bytes", "text", "secret"), "data8": ("eight",)}
SHOWN_NAMES = {"opcodes.lowest": "lowest layout", "opcodes.highest": "highest layout", "ping.data": "opaque"}


def same_shape(name, layout, shown):
    """Returns true if the dissector's type of a field is that of the layout."""
    if isinstance(layout, str):
        return shown in SHOWN_AS.get(layout, (layout,))
    if not shown.startswith("list("):
        return False
    item = layout["list"]
    items = [item.partition(":")[::2] for item in re.findall(r"[^(),]+(?:\([^()]*\))?", shown[5:-1])]
    if item == "bytes":  # The payload of another operation, which the dissector shows field by field.
        return not items
    fields = item["struct"] if isinstance(item, dict) else [[items[0][0], item]]
    return (len(fields) == len(items)
            and all(SHOWN_NAMES.get(f"{name}.{field}", field) == label and same_shape(f"{name}.{field}", kind, shape)
                    for (field, kind), (label, shape) in zip(fields, items)))


def test_layouts(folder):
    """The dissector's table of operations is that of layouts.json, field by field."""
    parts = {(0, "error"): LAYOUTS["error"], (4, "control"): LAYOUTS["goaway"], (3, "control"): LAYOUTS["ping"],
             (5, "control"): LAYOUTS["position"], (LAYOUTS["event"]["opcode"], "event"): LAYOUTS["event"]}
    names = {}
    for operation in LAYOUTS["requests"]:
        names[operation["opcode"]] = operation["name"].upper()
        request = operation["request"]
        parts[operation["opcode"], "request"] = {**request, "tags": LAYOUTS["common_tags"] + request.get("tags", [])}
        parts[operation["opcode"], "response"] = operation["response"]
    expected = {}
    for (opcode, part), layout in parts.items():
        for place, (name, kind) in enumerate(layout["fixed"], 1):
            expected[opcode, part, f"fixed {place}"] = (name, kind)
        for tag, name, kind in layout.get("tags", []):
            expected[opcode, part, f"tag {tag}"] = (name, kind)
    copy = folder / "table.lua"
    copy.write_text(DISSECTOR.read_text("utf-8") + PRINT_TABLE, "utf-8")
    empty = folder / "empty.pcap"
    Capture().write(empty)
    output = subprocess.run(["tshark", "-X", f"lua_script:{copy}", "-r", str(empty)], capture_output=True, text=True,
                            timeout=300, check=True).stdout
    rows = [line.split("\t")[1:] for line in output.splitlines() if line.startswith("FIELD\t")]
    found = {(int(operation.split()[0]), part, place): (name, shape) for operation, part, place, name, shape in rows}
    check("layouts: fields that the dissector lacks", sorted(expected.keys() - found.keys()), [])
    check("layouts: fields that only the dissector has", sorted(found.keys() - expected.keys()), [])
    check("layouts: the same operations", {int(row[0].split()[0]): row[0].split()[1] for row in rows}
          | {opcode: names[opcode] for opcode in names}, {0: "ERROR", 3: "PING", 4: "GOAWAY", 5: "POSITION", **names})
    for key in sorted(found.keys() & expected.keys()):
        (name, shape), (layout_name, kind) = found[key], expected[key]
        path = f"ping.{layout_name}" if key[0] == 3 else layout_name
        check(f"layouts: the name of {key}", name, SHOWN_NAMES.get(path, layout_name))
        check(f"layouts: the type of {key}, {name}: {shape}", same_shape(layout_name, kind, shape), True)


# Fuzzing

def mutate(generator, data):
    """Flips, replaces, removes, repeats or inserts bytes."""
    mutant = bytearray(data)
    for _ in range(generator.randint(1, 6)):
        position = generator.randrange(len(mutant))
        kind = generator.randrange(6)
        if kind == 0:
            mutant[position] ^= 1 << generator.randrange(8)
        elif kind == 1:
            mutant[position] = generator.choice([0, 1, 2, 0x7F, 0x80, 0xFF])
        elif kind == 2 and len(mutant) > 20:
            del mutant[position:position + generator.randint(1, 9)]
        elif kind == 3:
            mutant[position:position] = mutant[position:position + generator.randint(1, 40)]
        elif kind == 4:
            mutant[position:position] = generator.randbytes(generator.randint(1, 9))
        else:
            mutant[position:position + 4] = struct.pack(">I", generator.choice([0, 1, 255, 65536, 2**31, 2**32 - 1]))
        if not mutant:
            mutant = bytearray(data)
    return bytes(mutant)


def test_fuzz(folder):
    seed = int(os.environ.get("CARILLON_SEED", "7474"))
    print(f"fuzz: CARILLON_SEED={seed}")
    generator = random.Random(seed)
    capture = Capture()
    for _ in range(MUTATIONS):
        connection = capture.connect()
        rate = generator.choice([0.1, 0.3, 1])
        segment = generator.choice([13, 50, 1400, 1400])
        kept = generator.choice([None, None, None, 5, 30])
        for step, (sender, data) in enumerate(SESSION + GROUP_FRAMES + EVENT_FRAMES):
            spared = step in (0, 2) and generator.random() < 0.9
            if not spared and generator.random() < rate:
                data = mutate(generator, data)
            connection.send(sender, data, segment, kept)
    path = folder / "fuzz.pcap"
    capture.write(path)
    for arguments in (["-V"], ["-2", "-V"], ["-V", "-o", "tcp.desegment_tcp_streams:FALSE"]):
        shown = tshark(path, *arguments)
        check("fuzz: the dissector has run", shown.count("Carillon, ") > MUTATIONS, True)
        # Damaged bytes can look like another protocol (rpcap, SMPP) to tshark, whose own dissector then fails.
        check("fuzz: no fault of the dissector",
              "Dissector bug" in shown or re.search(r"(?i)\[Malformed Packet: carillon", shown) is not None, False)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for test in (test_session, test_info, test_faults, test_limits, test_tls, test_layouts, test_valid_vectors,
                     test_session_vectors, test_fuzz):
            test(folder)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
