"""Frames and prefaces (§2, §3)."""
from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Any, Dict, Iterable, List, Optional, Tuple

from crln.errors import NotCarillon, ProtocolError
from crln.names import (ACK, ANSWER, CONTROL, ERROR, EVENT, MAGIC, MAXIMUM_EARLY_FRAME_BYTES, MAXIMUM_FRAME_BYTES,
                        REQUEST)
from crln.operations import BY_OPCODE, ERROR_LAYOUT, LAYOUTS, OPCODES, PING, Layout
from crln.payloads import decode_payload, encode_payload

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
    """Returns a whole frame. Only errors need `opcode`. `check_request` judges the values of requests."""
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
    if length > (limit if limit is not None else MAXIMUM_FRAME_BYTES if phase == "open" else MAXIMUM_EARLY_FRAME_BYTES):
        raise ProtocolError("FRAME_TOO_LARGE", "connection")
    if kind not in ((REQUEST, CONTROL) if sender == "client" else (ANSWER, ERROR, EVENT, CONTROL)):
        raise ProtocolError("MALFORMED", "connection")
    if flags & 0x0F and not (flags & 0x0F == ACK and kind == CONTROL and opcode == PING.opcode):
        raise ProtocolError("MALFORMED", "connection")
    if kind == CONTROL and id or kind in (ANSWER, EVENT) and not id:
        raise ProtocolError("MALFORMED", "connection")
    layouts = BY_OPCODE[sender, kind]
    if kind in (CONTROL, EVENT):
        return length, None if flags >> 4 else layouts.get(opcode)
    if kind == ERROR:
        return length, ERROR_LAYOUT
    if kind == ANSWER:
        if opcode not in layouts or flags >> 4:
            raise ProtocolError("MALFORMED", "connection")
        return length, layouts[opcode]
    if id <= last_id:
        raise ProtocolError("BAD_REQUEST_ID", "connection")
    if {OPCODES["hello"]: "hello", OPCODES["auth"]: "auth"}.get(opcode, "open") != phase:
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
    fields, unknown = decode_payload(layout, data[HEADER.size:])
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
