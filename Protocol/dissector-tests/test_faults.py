"""Frames that break a rule: the dissector says which one, and goes on with the next frame."""
from __future__ import annotations

import struct
import unittest
from typing import NamedTuple

import tshark
from captures import Capture
from frames import (APP, GROUP_DEVICES, LOOKUP, MAGIC, MESSAGE_OUTCOMES, PING, REGISTER, REGISTER_BATCH, SEND,
                    SEND_PAYLOAD, SEND_TAGS, SESSION, SHORT_REGISTER_PAYLOAD, SUBSCRIBE_EVENTS, UPDATE_GROUP, frame,
                    tags, text)

LOOKUP_PAYLOAD = text(APP) + b"\2" + bytes(8)


def registration(tagged: bytes) -> bytes:
    """Returns a REGISTER with this tagged section."""
    return frame("request", REGISTER, 1, SHORT_REGISTER_PAYLOAD + tagged)


def send_request(tagged: bytes) -> bytes:
    """Returns a SEND with this tagged section."""
    return frame("request", SEND, 1, SEND_PAYLOAD[:-len(SEND_TAGS)] + tagged)


class Fault(NamedTuple):
    """Bytes after the prefaces, or a preface, and the expert info that they must get."""

    name: str
    sender: str  # client, server, or preface: the preface of a client
    data: bytes
    field: str  # of the expert info
    text: str  # a part of the expert info


FAULTS = [Fault(*row) for row in (
    ("length above the limit", "client", b"\x7f\xff\xff\xff" + bytes(40), "framing", "FRAME_TOO_LARGE"),
    ("unknown kind", "client", b"\0\0\0\0\x09\0\0\x01" + bytes(7) + b"\1", "framing", "Unknown kind"),
    ("kind of the other side", "client", frame("answer", REGISTER, 1, struct.pack(">QB", 1, 1)), "framing", "may not"),
    ("ACK on a request", "client", frame("request", LOOKUP, 1, LOOKUP_PAYLOAD, 1), "framing", "flag"),
    ("request without id", "client", frame("request", LOOKUP, 0, LOOKUP_PAYLOAD), "framing", "id"),
    ("control with id", "client", frame("control", PING, 4, bytes(8)), "framing", "id 0"),
    ("repeated id", "client", frame("request", LOOKUP, 1, LOOKUP_PAYLOAD) * 2, "order", "repeated"),
    ("smaller id", "client",
     frame("request", LOOKUP, 5, LOOKUP_PAYLOAD) + frame("request", LOOKUP, 4, LOOKUP_PAYLOAD), "order", "greater"),
    ("short PING", "client", frame("control", PING, 0, bytes(7)), "malformed", "8 bytes wanted, 7 left"),
    ("long PING", "client", frame("control", PING, 0, bytes(9)), "malformed", "left over"),
    ("field past the end", "client", frame("request", REGISTER, 1, b"\xff\xffab"), "malformed", "app"),
    ("overlong UTF-8", "client", frame("request", LOOKUP, 1, b"\0\2\xc0\x80\2" + bytes(8)), "malformed", "UTF-8"),
    ("surrogate", "client", frame("request", LOOKUP, 1, b"\0\3\xed\xa0\x80\2" + bytes(8)), "malformed", "UTF-8"),
    ("U+0000", "client", frame("request", LOOKUP, 1, b"\0\2a\0\2" + bytes(8)), "malformed", "UTF-8"),
    ("form of a device", "client", frame("request", LOOKUP, 1, text(APP) + b"\3" + bytes(8)), "malformed", "form 3"),
    ("list too long", "client", frame("request", REGISTER_BATCH, 1, b"\xff\xff\xff\xff"), "malformed",
     "4294967295 items"),
    ("tags out of order", "client", registration(tags((20, b"a"), (18, b"de"))), "malformed", "ascend"),
    ("tag twice", "client", registration(tags((18, b"de"), (18, b"de"))), "malformed", "ascend"),
    ("size of a tag", "client", frame("request", LOOKUP, 1, LOOKUP_PAYLOAD + tags((2, b"abc"))),
     "malformed", "deadline_ms"),
    ("uvarint not shortest", "client", registration(b"\x81\x00"), "malformed", "uvarint"),
    ("uvarint too long", "client", registration(b"\xff" * 6), "malformed", "uvarint"),
    ("uvarint too large", "client", registration(b"\xff\xff\xff\xff\x7f"), "malformed", "uvarint"),
    ("too many tags", "client", registration(b"\x41" + bytes(130)), "malformed", "64"),
    ("bytes left over", "client", registration(b"\0\0"), "malformed", "left over"),
    ("unknown odd tag", "client", registration(tags((33, b"x"))), "invalid", "odd"),
    ("unknown even tag", "client", registration(tags((34, b"x"))), "unknown", "skipped"),
    ("odd tag of a server", "server", frame("answer", REGISTER, 1, struct.pack(">QB", 1, 1) + tags((33, b""))),
     "unknown", "skipped"),
    ("unknown opcode", "client", frame("request", 0x27, 1, b"abc"), "unknown", "No such frame"),
    ("list in a tag past its end", "client", registration(tags((19, b"\0\0\0\1\0\5abc"))), "malformed",
     "5 bytes wanted, 3 left"),
    ("list in a tag of too many", "client", registration(tags((21, b"\xff" * 4))), "malformed", "4294967295 items"),
    ("byte after a list in a tag", "client", registration(tags((19, b"\0\0\0\0\0"))), "malformed",
     "topics: 1 bytes left over"),
    ("device in a tag past its end", "client", send_request(tags((31, b"\2" + bytes(7)))), "malformed",
     "8 bytes wanted"),
    ("empty group", "client", frame("request", GROUP_DEVICES, 1, text(APP) + text("") + bytes(12)), "invalid",
     "group of 0 bytes"),
    ("muted 2", "client", frame("request", UPDATE_GROUP, 1, text(APP) + text("g") + tags((25, b"\2"))), "unknown",
     "muted 2"),
    ("event of no request", "server", frame("event", SUBSCRIBE_EVENTS, 0, struct.pack(">QQH", 1, 1, 8)), "framing",
     "id of its"),
    ("event cut short", "server", frame("event", SUBSCRIBE_EVENTS, 3, struct.pack(">QQ", 1, 1)), "malformed", "kind"),
    ("unknown kind of event", "server", frame("event", SUBSCRIBE_EVENTS, 3, struct.pack(">QQH", 1, 1, 999)), "unknown",
     "kind 999"),
    ("unknown event", "server", frame("event", 0x64, 3, b"abc"), "unknown", "No such frame"),
    ("id key too long", "client", send_request(tags((41, b"k" * 65))), "invalid", "id_key of 65 bytes"),
    ("label too long", "client", send_request(tags((43, b"l" * 101))), "invalid", "label of 101 bytes"),
    ("unknown layout", "client", frame("request", REGISTER, 1, SHORT_REGISTER_PAYLOAD, 0x10), "unknown", "Layout 2"),
    ("empty token", "client", frame("request", LOOKUP, 1, text(APP) + b"\1\1\1\0"), "malformed", "1 to 255 bytes"),
    ("environment 3", "client", frame("request", REGISTER, 1, text(APP) + b"\3" + SHORT_REGISTER_PAYLOAD[19:]),
     "unknown", "environment 3"),
    ("empty app", "client", frame("request", LOOKUP, 1, b"\0\0\2" + bytes(8)), "invalid", "app of 0 bytes"),
    ("item of a batch", "client", frame("request", REGISTER_BATCH, 1, struct.pack(">II", 1, 3) + b"\0\5a"),
     "malformed_item", "app"),
    ("preface without range", "preface", MAGIC + b"\x02\x01" + bytes(6), "malformed", "range"),
    ("reserved byte of the preface", "preface", MAGIC + b"\x01\x01\0\0\0\0\0\1", "malformed", "reserved"),
    ("layout 16 of an error", "server", frame("error", REGISTER, 1, struct.pack(">HBBI", 3, 0, 0, 0) + text(""), 0xF0),
     "refused", "UNSUPPORTED_VERSION"),
)]


class DissectorFaultsTests(unittest.TestCase):
    """Each fault on a connection of its own."""

    @classmethod
    def setUpClass(cls) -> None:
        capture = Capture()
        for fault in FAULTS:
            connection = capture.connect()
            if fault.sender == "preface":
                connection.send("client", fault.data)
            else:
                connection.prefaces().send(fault.sender, fault.data)
                connection.send(fault.sender, frame("control", PING, 0, b"the next"))
        cls.connections = tshark.merged_by_connection(tshark.dissect(capture), len(FAULTS))

    def test_a_fault_is_named(self) -> None:
        for fault, fields in zip(FAULTS, self.connections):
            with self.subTest(fault.name):
                self.assertIn("carillon." + fault.field, fields)
                self.assertIn(fault.text, "\n".join(fields.get("_ws.expert.message", [])))

    def test_the_frame_after_a_fault_is_shown(self) -> None:
        for fault, fields in zip(FAULTS, self.connections):
            if fault.sender == "preface" or fault.name == "length above the limit":
                continue
            with self.subTest(fault.name):
                self.assertIn(tshark.with_colons(b"the next"), tshark.values(fields, "ping"))


class DissectorBoundsTests(unittest.TestCase):
    """What the dissector leaves out, and what it leaves alone."""

    def dissect_one(self, capture: Capture) -> tshark.Fields:
        """Returns the fields of a capture of one connection."""
        return tshark.merged(tshark.dissect(capture))

    def test_a_long_list_is_cut(self) -> None:
        capture = Capture()
        long_list = struct.pack(">QI", 0, 60000) + struct.pack(">QB", 7, 1) * 60000
        capture.connect().prefaces().send("server", frame("answer", MESSAGE_OUTCOMES, 1, long_list), 60000)
        fields = self.dissect_one(capture)
        self.assertEqual(len(tshark.values(fields, "outcome")), 4096)
        self.assertIn("carillon.cut", fields)

    def test_another_protocol_on_the_port_is_left_alone(self) -> None:
        capture = Capture()
        capture.connect().send("client", b"GET / HTTP/1.1\r\nHost: example.com\r\n\r\n")
        self.assertEqual(self.dissect_one(capture), {})

    def test_a_packet_that_the_capture_has_only_in_part_is_reported(self) -> None:
        capture = Capture()
        capture.connect().prefaces().send("client", SESSION[6][1], kept_bytes=60)
        self.assertIn("carillon.cut", self.dissect_one(capture))


if __name__ == "__main__":
    unittest.main()
