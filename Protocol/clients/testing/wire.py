"""The codec of the fake server: frames of `../../layouts.json` to and from the JSON form of `../../vectors/README.md`.

It is written from the specification alone and shares nothing with a client of `..`, so that none is tested against
itself. The exception is the reference client, which uses this codec: the vectors of behaviour test its retries and its
addresses, and the vectors of bytes test the codec.

A `u64` is a decimal string, `bytes`, `token` and `uuid` are hexadecimal, a device is `{"token": …}` or `{"id": …}`.
"""
from __future__ import annotations

import json
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, Iterable, List, Optional, Tuple

MAGIC = bytes.fromhex("c343524c4e0d0a1a")
REQUEST, ANSWER, ERROR, EVENT, CONTROL = 1, 2, 3, 4, 5
ACK = 1
HEADER = struct.Struct(">IBBHQ")
NEVER = 2**32 - 1
LAYOUTS: Dict[str, Any] = json.loads((Path(__file__).resolve().parents[2] / "layouts.json").read_text("utf-8"))
NUMBERS = {"u8": 1, "u16": 2, "u32": 4, "u64": 8}
# The bytes of the length, and the bytes of a value whose length is fixed.
RAW = {"uuid": (0, 16), "data8": (0, 8), "bytes": (4, 0), "token": (1, 0), "str": (2, 0), "topic": (2, 0)}
DEVICE_TOKEN = {"struct": [["environment", "u8"], ["kind", "u8"], ["token", "token"]]}
REQUESTS: Dict[str, Dict[str, Any]] = {each["name"]: each for each in LAYOUTS["requests"]}
BY_OPCODE: Dict[int, str] = {each["opcode"]: name for name, each in REQUESTS.items()}
CODES: Dict[str, int] = {name: int(number) for number, name in LAYOUTS["enumerations"]["code"].items()}
CODE_NAMES: Dict[int, str] = {number: name for name, number in CODES.items()}
EFFECTS: Dict[int, str] = {int(number): name for number, name in LAYOUTS["enumerations"]["effect"].items()}


class MalformedError(Exception):
    """Bytes that are not as the specification says."""


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    @property
    def left(self) -> int:
        return len(self.data) - self.at

    def take(self, count: int) -> bytes:
        if count > self.left:
            raise MalformedError(f"{count} bytes are missing at {self.at}")
        self.at += count
        return self.data[self.at - count:self.at]

    def uvarint(self) -> int:
        value = 0
        for index in range(5):
            byte = self.take(1)[0]
            value |= (byte & 0x7F) << 7 * index
            if byte < 0x80:
                if value >= 1 << 32 or byte == 0 and index:
                    break
                return value
        raise MalformedError("a uvarint")


def uvarint(value: int) -> bytes:
    """Returns the shortest form of a number below 2³²."""
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


def _read(kind: Any, data: _Reader) -> Any:
    if isinstance(kind, dict) and "struct" in kind:
        return {name: _read(part, data) for name, part in kind["struct"]}
    if isinstance(kind, dict):
        return [_read(kind["list"], data) for _ in range(_count(kind, data))]
    if kind in NUMBERS:
        return _number(kind, data.take(NUMBERS[kind]))
    if kind == "device":
        form = data.take(1)[0]
        if form not in (1, 2):
            raise MalformedError(f"form {form} of a device")
        return {"token": _read(DEVICE_TOKEN, data)} if form == 1 else {"id": _read("u64", data)}
    prefix, fixed = RAW[kind]
    return _raw(kind, data.take(int.from_bytes(data.take(prefix), "big") if prefix else fixed))


def _count(kind: Dict[str, Any], data: _Reader) -> int:
    count = int.from_bytes(data.take(4), "big")
    if count * _minimum_bytes(kind["list"]) > data.left:
        raise MalformedError(f"a list of {count} items")
    return count


def _minimum_bytes(kind: Any) -> int:
    """Returns the smallest size of a value of this type."""
    if isinstance(kind, dict):
        return sum(_minimum_bytes(part) for _, part in kind["struct"]) if "struct" in kind else 4
    return 5 if kind == "device" else NUMBERS[kind] if kind in NUMBERS else sum(RAW[kind]) + (kind == "token")


def _number(kind: str, raw: bytes) -> Any:
    value = int.from_bytes(raw, "big")
    return str(value) if kind == "u64" else value


def _raw(kind: str, raw: bytes) -> str:
    if kind not in ("str", "topic"):
        if kind == "token" and not 1 <= len(raw) <= 255:
            raise MalformedError("a token")
        return raw.hex()
    try:
        text = raw.decode("utf-8", "strict")
    except UnicodeDecodeError:
        raise MalformedError("a str") from None
    if "\0" in text:
        raise MalformedError("a str with U+0000")
    return text[len("/topics/"):] if kind == "topic" and text.startswith("/topics/") else text


def _write(kind: Any, value: Any) -> bytes:
    if isinstance(kind, dict) and "struct" in kind:
        return b"".join(_write(part, value[name]) for name, part in kind["struct"])
    if isinstance(kind, dict):
        return struct.pack(">I", len(value)) + b"".join(_write(kind["list"], item) for item in value)
    if kind in NUMBERS:
        return int(value).to_bytes(NUMBERS[kind], "big")
    if kind == "device":
        return b"\1" + _write(DEVICE_TOKEN, value["token"]) if "token" in value else b"\2" + _write("u64", value["id"])
    raw = _bytes(kind, value)
    return (len(raw).to_bytes(RAW[kind][0], "big") if RAW[kind][0] else b"") + raw


def _bytes(kind: str, value: str) -> bytes:
    return value.encode() if kind in ("str", "topic") else bytes.fromhex(value)


def _read_tag(kind: Any, raw: bytes) -> Any:
    """Reads the value of a tag, which is without its own length."""
    if isinstance(kind, str) and kind in RAW:
        return _raw(kind, raw)
    data = _Reader(raw)
    value = _read(kind, data)
    if data.left:
        raise MalformedError("bytes left over in a tag")
    return value


def _write_tag(kind: Any, value: Any) -> bytes:
    """Returns the value of a tag, without its own length."""
    return _bytes(kind, value) if isinstance(kind, str) and kind in RAW else _write(kind, value)


def layout_of(message: str, sender: str) -> Dict[str, Any]:
    """Returns the fields of a message: `fixed`, and `tags` by number. KeyError if the sender has no such message."""
    if message in ("ping", "goaway", "position", "event", "error"):
        if sender == "client" and message not in ("ping", "position"):
            raise KeyError(message)
        return LAYOUTS[message]
    request = REQUESTS[message]
    if sender == "server":
        return request["answer"]
    return {**request["request"], "tags": [*LAYOUTS["common_tags"], *request["request"].get("tags", [])]}


def encode_payload(message: str, sender: str, fields: Dict[str, Any],
                   unknown: Iterable[Tuple[int, bytes]] = ()) -> bytes:
    """Returns the fixed part and the tagged section. KeyError for a field that is missing or that does not exist."""
    layout = layout_of(message, sender)
    named = {name for name, _ in layout["fixed"]} | {name for _, name, _ in layout.get("tags", [])}
    if not set(fields) <= named:
        raise KeyError(f"{message} has no field {sorted(set(fields) - named)}")
    payload = b"".join(_write(kind, fields[name]) for name, kind in layout["fixed"])
    known = [(tag, _write_tag(kind, fields[name])) for tag, name, kind in layout.get("tags", []) if name in fields]
    tags = sorted([*known, *unknown])
    if not tags:
        return payload
    return payload + uvarint(len(tags)) + b"".join(uvarint(tag) + uvarint(len(raw)) + raw for tag, raw in tags)


def decode_payload(message: str, sender: str, payload: bytes) -> Tuple[Dict[str, Any], List[Tuple[int, bytes]]]:
    """Returns the fields, and the tags that are not known."""
    layout = layout_of(message, sender)
    data = _Reader(payload)
    fields = {name: _read(kind, data) for name, kind in layout["fixed"]}
    known = {tag: (name, kind) for tag, name, kind in layout.get("tags", [])}
    unknown: List[Tuple[int, bytes]] = []
    last = -1
    count = data.uvarint() if data.left and not layout.get("untagged") else 0
    if count > 64:
        raise MalformedError("more than 64 tags")
    for _ in range(count):
        tag = data.uvarint()
        raw = data.take(data.uvarint())
        if tag <= last:
            raise MalformedError("tags out of order")
        last = tag
        if tag in known:
            fields[known[tag][0]] = _read_tag(known[tag][1], raw)
        else:
            unknown.append((tag, raw))
    if data.left:
        raise MalformedError("bytes left over")
    return fields, unknown


@dataclass
class Frame:
    """A frame that was read; `message` is empty for an opcode or a layout that is not known."""

    kind: int
    flags: int
    opcode: int
    id: int
    message: str
    fields: Dict[str, Any]
    unknown: List[Tuple[int, bytes]] = field(default_factory=list)


def message_of(kind: int, opcode: int, sender: str) -> str:
    """Returns the name of a message; empty if there is none."""
    if kind == CONTROL:
        return {3: "ping", 4: "goaway" if sender == "server" else "", 5: "position"}.get(opcode, "")
    if kind == EVENT:
        return "event" if opcode == LAYOUTS["event"]["opcode"] else ""
    return "error" if kind == ERROR else BY_OPCODE.get(opcode, "")


def decode(data: bytes, sender: str) -> Frame:
    """Reads one whole frame. MalformedError if its payload is not as the specification says."""
    length, kind, flags, opcode, id = HEADER.unpack(data[:HEADER.size])
    if len(data) != HEADER.size + length:
        raise MalformedError("not one whole frame")
    message = "" if flags >> 4 else message_of(kind, opcode, sender)
    if not message:
        return Frame(kind, flags, opcode, id, "", {})
    fields, unknown = decode_payload(message, sender, data[HEADER.size:])
    return Frame(kind, flags, opcode, id, message, fields, unknown)


def encode(sender: str, message: str, fields: Dict[str, Any], id: int = 0, *, opcode: Optional[int] = None,
           flags: int = 0, unknown: Iterable[Tuple[int, bytes]] = ()) -> bytes:
    """Returns a whole frame. Errors need the opcode of their request."""
    payload = encode_payload(message, sender, fields, unknown)
    if message in ("ping", "goaway", "position"):
        kind = CONTROL
    elif message in ("error", "event"):
        kind = ERROR if message == "error" else EVENT
    else:
        kind = REQUEST if sender == "client" else ANSWER
    if opcode is None:
        opcode = 0 if message == "error" else LAYOUTS[message]["opcode"] if message in LAYOUTS \
            else REQUESTS[message]["opcode"]
    return HEADER.pack(len(payload), kind, flags, opcode, id) + payload
