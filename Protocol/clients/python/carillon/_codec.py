"""Bytes and the values of messages (§3, §4 of the protocol), without connections.

Values are those of Python: numbers are `int`; `str` and `topic` are `str`; `bytes`, `token`, `uuid` and `data8` are
`bytes`; a `device` is the `bytes` of its form; a struct is a dictionary. The fields of a message are a dictionary; a
tag that is absent is not in it. For each message a reader and a writer are made at their first use from the table of
its fields, as straight code: that is several times faster than walking the table for each frame.
"""
from __future__ import annotations

import struct
from typing import Any, Callable, Dict, List, Optional, Tuple

from . import _layouts as layouts
from ._layouts import Fields, Tags

MAGIC = bytes.fromhex("c343524c4e0d0a1a")
REQUEST, RESPONSE, ERROR, EVENT, CONTROL = 1, 2, 3, 4, 5
ACK = 1
NEVER = 2**32 - 1
MOST_TAGS = 64
HEADER = struct.Struct(">IBBHQ")
FORMATS = {"u8": "B", "u16": "H", "u32": "I", "u64": "Q"}
SIZES = {"u8": 1, "u16": 2, "u32": 4, "u64": 8}
# The type of the length before a value, and the size of a value without one.
PREFIXES = {"str": "H", "topic": "H", "bytes": "I", "token": "B"}
RAW_SIZES = {"uuid": 16, "data8": 8}
FCM_PREFIX = "/topics/"

Values = Dict[str, Any]
# What a reader raises for bytes that are not as the protocol says.
UNREADABLE = (struct.error, IndexError, ValueError)
# What a writer raises for values that it cannot encode.
UNWRITABLE = (struct.error, KeyError, TypeError, ValueError, AttributeError, OverflowError)


class Malformed(ValueError):
    """Bytes that are not as the protocol says, or a value that it cannot express."""


# Single values

def read_text(raw: bytes) -> str:
    """Returns a `str`; ValueError for bytes that are no UTF-8 or have U+0000."""
    text = raw.decode("utf-8")
    if "\0" in text:
        raise Malformed("a text with U+0000")
    return text


def read_topic(raw: bytes) -> str:
    """Returns the name of a topic without FCM's prefix."""
    text = read_text(raw)
    return text[len(FCM_PREFIX):] if text.startswith(FCM_PREFIX) else text


def write_text(text: str) -> bytes:
    """Returns the bytes of a `str`; ValueError for one that UTF-8 or the protocol cannot express."""
    raw = text.encode("utf-8")
    if b"\0" in raw:
        raise Malformed("a text with U+0000")
    return raw


def check_token(raw: bytes) -> bytes:
    """Returns a token; ValueError if its length is impossible."""
    if not 1 <= len(raw) <= 200:
        raise Malformed("a token has 1 to 200 bytes")
    return raw


def uvarint(value: int) -> bytes:
    """Returns the shortest form of a number below 2³²."""
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def read_uvarint(data: bytes, at: int) -> Tuple[int, int]:
    """Returns a number and the offset behind it."""
    value = data[at]
    if value < 0x80:
        return value, at + 1
    value &= 0x7F
    for index in range(1, 5):
        byte = data[at + index]
        value |= (byte & 0x7F) << 7 * index
        if byte < 0x80:
            if byte == 0 or value >= 1 << 32:
                break
            return value, at + index + 1
    raise Malformed("a number that is not in its shortest form")


def device_end(data: bytes, at: int) -> int:
    """Returns the offset behind a `device`."""
    form = data[at]
    if form == 2:
        end = at + 9
    elif form == 1 and 1 <= data[at + 3] <= 200:
        end = at + 4 + data[at + 3]
    else:
        raise Malformed("a device")
    if end > len(data):
        raise Malformed("bytes are missing")
    return end


def _text_reader(kind: str) -> Callable[[bytes], Any]:
    readers: Dict[str, Callable[[bytes], Any]] = {"str": read_text, "topic": read_topic, "token": check_token}
    return readers.get(kind, bytes)


def _raw_writer(kind: str) -> Callable[[Any], bytes]:
    writers: Dict[str, Callable[[Any], bytes]] = {"str": write_text, "topic": write_text, "token": check_token}
    return writers.get(kind, _same)


def _same(raw: bytes) -> bytes:
    if type(raw) is bytes:
        return raw
    if not isinstance(raw, (bytes, bytearray)):
        raise TypeError("bytes are needed")
    return bytes(raw)


# Values inside of lists and tags

def least_size(kind: Any) -> int:
    """Returns the smallest size of a value of this kind."""
    if kind[0] == "struct":
        return sum(least_size(part) for _, part in kind[1])
    if kind[0] == "list":
        return 4
    if kind == "device":
        return 5
    if kind in SIZES:
        return SIZES[kind]
    return RAW_SIZES.get(kind) or struct.calcsize(">" + PREFIXES[kind]) + (kind == "token")


def _reader(kind: Any) -> Callable[[bytes, int], Tuple[Any, int]]:
    """Returns a function that reads a value at an offset, and says where it ends."""
    if kind[0] == "list":
        return _list_reader(kind[1])
    if kind[0] == "struct":
        parts = [(name, _reader(part)) for name, part in kind[1]]

        def read_struct(data: bytes, at: int) -> Tuple[Any, int]:
            values = {}
            for name, read in parts:
                values[name], at = read(data, at)
            return values, at
        return read_struct
    if kind == "device":
        return lambda data, at: (data[at:device_end(data, at)], device_end(data, at))
    if kind in FORMATS:
        unpack, size = struct.Struct(">" + FORMATS[kind]).unpack_from, SIZES[kind]
        return lambda data, at: (unpack(data, at)[0], at + size)
    prefix = struct.Struct(">" + PREFIXES.get(kind, "0s"))
    convert, fixed = _text_reader(kind), RAW_SIZES.get(kind)

    def read_raw(data: bytes, at: int) -> Tuple[Any, int]:
        start = at + prefix.size
        end = start + (prefix.unpack_from(data, at)[0] if fixed is None else fixed)
        if end > len(data):
            raise Malformed("bytes are missing")
        return convert(data[start:end]), end
    return read_raw


def _list_reader(kind: Any) -> Callable[[bytes, int], Tuple[Any, int]]:
    least = least_size(kind)
    parts = kind[1] if kind[0] == "struct" else [("", kind)]
    names = [name for name, _ in parts]
    row = struct.Struct(">" + "".join(FORMATS.get(part, "") for _, part in parts)) \
        if all(isinstance(part, str) and part in FORMATS for _, part in parts) else None
    read = _reader(kind) if row is None else None

    def read_list(data: bytes, at: int) -> Tuple[Any, int]:
        count = int.from_bytes(data[at:at + 4], "big")
        at += 4
        if at > len(data) or count * least > len(data) - at:
            raise Malformed(f"a list of {count} items")
        if row is not None:
            end = at + count * row.size
            rows = row.iter_unpack(data[at:end])
            return ([each[0] for each in rows] if names == [""] else [dict(zip(names, each)) for each in rows]), end
        values = []
        for _ in range(count):
            value, at = read(data, at)  # type: ignore[misc]
            values.append(value)
        return values, at
    return read_list


def _writer(kind: Any) -> Callable[[Any], bytes]:
    """Returns a function that writes a value with its own length."""
    if kind[0] == "list":
        write = _writer(kind[1])
        return lambda values: len(values).to_bytes(4, "big") + b"".join([write(each) for each in values])
    if kind[0] == "struct":
        parts = [(name, _writer(part)) for name, part in kind[1]]
        return lambda values: b"".join([write(values[name]) for name, write in parts])
    if kind in FORMATS:
        return struct.Struct(">" + FORMATS[kind]).pack
    convert = _raw_writer(kind)
    if kind not in PREFIXES:
        return convert
    pack = struct.Struct(">" + PREFIXES[kind]).pack

    def write_raw(value: Any) -> bytes:
        raw = convert(value)
        return pack(len(raw)) + raw
    return write_raw


def _unbox(kind: Any) -> Callable[[bytes], Any]:
    """Returns a function that reads the value of a tag, which fills its size."""
    if isinstance(kind, str) and kind in PREFIXES:
        return _text_reader(kind)
    read = _reader(kind)

    def unbox(raw: bytes) -> Any:
        value, end = read(raw, 0)
        if end != len(raw):
            raise Malformed("bytes are left over in a tag")
        return value
    return unbox


def _box(kind: Any) -> Callable[[Any], bytes]:
    return _raw_writer(kind) if isinstance(kind, str) and kind in PREFIXES else _writer(kind)


# Messages

class Layout:
    """The fields of one message. `read` and `write` are made at their first use."""

    def __init__(self, fixed: Fields, tags: Tags = (), has_section: bool = True) -> None:
        self.fixed, self.tags, self.has_section = fixed, tags, has_section
        self.names = {name for name, _ in fixed} | {name for _, name, _ in tags}
        self._boxes: Optional[List[Tuple[str, bytes, Callable[[Any], bytes]]]] = None
        self._unboxes: Dict[int, Tuple[str, Callable[[bytes], Any]]] = {}

    def __getattr__(self, name: str) -> Any:
        if name == "read":
            self._unboxes = {tag: (field, _unbox(kind)) for tag, field, kind in self.tags}
            self.read = _compiled_reader(self)
        elif name == "write_fixed":
            self.write_fixed = _compiled_writer(self.fixed)
        else:
            raise AttributeError(name)
        return self.__dict__[name]

    def read_tags(self, data: bytes, at: int, values: Values, unknown: Optional[List[Tuple[int, bytes]]]) -> None:
        """Reads the tagged section, which fills the rest. Adds tags that are not known to `unknown`."""
        count, at = read_uvarint(data, at) if self.has_section else (0, at)
        if count > MOST_TAGS:
            raise Malformed("too many tags")
        last = -1
        for _ in range(count):
            tag, at = read_uvarint(data, at)
            size, at = read_uvarint(data, at)
            end = at + size
            if tag <= last or end > len(data):
                raise Malformed("tags out of order, or bytes are missing")
            last = tag
            known = self._unboxes.get(tag)
            if known is not None:
                values[known[0]] = known[1](data[at:end])
            elif unknown is not None:
                unknown.append((tag, data[at:end]))
            at = end
        if at != len(data):
            raise Malformed("bytes are left over")

    def write_tags(self, values: Values) -> Tuple[int, bytes]:
        """Returns the number of the tags that are given, and their bytes without that number."""
        if self._boxes is None:
            ascending = sorted(self.tags, key=lambda each: each[0])
            self._boxes = [(name, uvarint(tag), _box(kind)) for tag, name, kind in ascending]
        pieces: List[bytes] = []
        count = 0
        for name, tag, box in self._boxes:
            if name in values:
                raw = box(values[name])
                pieces += (tag, uvarint(len(raw)), raw)
                count += 1
        return count, b"".join(pieces)

    def write(self, values: Values) -> Tuple[bytes, int, bytes]:
        """Returns the fixed part, the number of tags, and their bytes. UNWRITABLE for values that it cannot encode."""
        fixed: bytes = self.write_fixed(values)
        if len(values) == len(self.fixed):
            return fixed, 0, b""
        return (fixed, *self.write_tags(values))

    def field_at_fault(self, values: Values) -> Optional[str]:
        """Returns the first field that cannot be encoded; None if none of them alone is at fault."""
        for name in values:
            if name not in self.names:
                return name
        for name, kind in [*self.fixed, *((name, kind) for _, name, kind in self.tags if name in values)]:
            try:
                _writer(kind)(values[name])
            except UNWRITABLE:
                return name
        return None


def _compiled(name: str, lines: List[str], scope: Dict[str, Any]) -> Callable[..., Any]:
    exec("\n".join([f"def {name}:", *(f"    {line}" for line in lines)]), scope)
    made: Callable[..., Any] = scope[name.partition("(")[0]]
    return made


def _compiled_reader(layout: Layout) -> Callable[..., Values]:
    """Returns `read(data, unknown=None)`, straight code for the fixed part and the call for the tags."""
    lines: List[str] = ["n = len(data)"]
    scope: Dict[str, Any] = {"Malformed": Malformed, "tags": layout.read_tags, "read_text": read_text}
    at = "0"
    run: List[Tuple[str, str]] = []

    def end_run(extra: str = "") -> None:
        nonlocal at
        if not run and not extra:
            return
        packed = struct.Struct(">" + "".join(FORMATS[kind] for _, kind in run) + extra)
        scope[f"unpack{len(lines)}"] = packed.unpack_from
        names = [f"v_{name}" for name, _ in run] + (["size"] if extra else [])
        lines.append(f"{', '.join(names)}, = unpack{len(lines)}(data, {at})")
        lines.append(f"at = {at} + {packed.size}")
        at = "at"
        run.clear()

    for name, kind in layout.fixed:
        if isinstance(kind, str) and kind in FORMATS:
            run.append((name, kind))
        elif isinstance(kind, str) and (kind in PREFIXES or kind in RAW_SIZES):
            end_run(PREFIXES.get(kind, ""))
            scope[f"convert_{name}"] = _text_reader(kind)
            lines += [f"end = {at} + {RAW_SIZES.get(kind, 'size')}", "if end > n: raise Malformed('bytes are missing')",
                      f"v_{name} = convert_{name}(data[{at}:end])", "at = end"]
            at = "at"
        else:
            end_run()
            scope[f"read_{name}"] = _reader(kind)
            lines.append(f"v_{name}, at = read_{name}(data, {at})")
            at = "at"
    end_run()
    lines += ["values = {" + ", ".join(f"'{name}': v_{name}" for name, _ in layout.fixed) + "}",
              f"if {at} != n: tags(data, {at}, values, unknown)", "return values"]
    return _compiled("read(data, unknown=None)", lines, scope)


def _compiled_writer(fixed: Fields) -> Callable[[Values], bytes]:
    """Returns `write_fixed(values)`."""
    lines: List[str] = []
    scope: Dict[str, Any] = {}
    pieces: List[str] = []
    run: List[Tuple[str, str]] = []

    def end_run() -> None:
        if run:
            scope[f"pack{len(pieces)}"] = struct.Struct(">" + "".join(format for format, _ in run)).pack
            pieces.append(f"pack{len(pieces)}({', '.join(value for _, value in run)})")
            run.clear()

    for index, (name, kind) in enumerate(fixed):
        if isinstance(kind, str) and kind in FORMATS:
            run.append((FORMATS[kind], f"values['{name}']"))
            continue
        if isinstance(kind, str) and kind in PREFIXES:
            scope[f"raw{index}"] = _raw_writer(kind)
            lines.append(f"r{index} = raw{index}(values['{name}'])")
            run.append((PREFIXES[kind], f"len(r{index})"))
            end_run()
            pieces.append(f"r{index}")
        else:
            end_run()
            scope[f"raw{index}"] = _writer(kind)
            pieces.append(f"raw{index}(values['{name}'])")
    end_run()
    lines.append("return " + (" + ".join(pieces) or "b''"))
    return _compiled("write_fixed(values)", lines, scope)


class Operation:
    """One request of the protocol: its name, opcode, class of RET-2, and the layouts of request and response."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.opcode, self.repeat, request, response = layouts.REQUESTS[name]
        # The common tags are not here: the client adds the deadline to each attempt (`request_frame`).
        self.request, self.response = Layout(*request), Layout(*response)

    def __repr__(self) -> str:
        return f"Operation({self.name!r})"


OPERATIONS: Dict[str, Operation] = {name: Operation(name) for name in layouts.REQUESTS}
EVENT_LAYOUT, GOAWAY_LAYOUT, ERROR_LAYOUT = Layout(*layouts.EVENT), Layout(*layouts.GOAWAY), Layout(*layouts.ERROR)
PING_LAYOUT = Layout(layouts.PING[0], (), has_section=False)
PREFACE = MAGIC + bytes([1, 1]) + bytes(6)
_PACK_HEADER = HEADER.pack
_DEADLINE = struct.Struct(">BBBI").pack


def frame(kind: int, opcode: int, id: int, payload: bytes, flags: int = 0) -> bytes:
    """Returns a whole frame."""
    return HEADER.pack(len(payload), kind, flags, opcode, id) + payload


# The bytes that the count of tags and tag 2 add to a request.
DEADLINE_SIZE = 7


def request_frame(opcode: int, id: int, encoded: Tuple[bytes, int, bytes], seconds: float) -> bytes:
    """Returns the frame of a request with tag 2, the lowest of all: how many seconds are left for it."""
    fixed, count, tags = encoded
    left = int(seconds * 1000)
    return (_PACK_HEADER(len(fixed) + len(tags) + DEADLINE_SIZE, REQUEST, 0, opcode, id) + fixed +
            _DEADLINE(count + 1, 2, 4, 1 if left < 1 else left if left < NEVER else NEVER) + tags)


def without_deadline(encoded: Tuple[bytes, int, bytes]) -> bytes:
    """Returns the payload of a request without common tags."""
    fixed, count, tags = encoded
    return fixed + uvarint(count) + tags if count else fixed


def ping_frame(data: bytes, flags: int = 0) -> bytes:
    """Returns a PING, or with the flag ACK the answer to one."""
    return frame(CONTROL, layouts.PING_OPCODE, 0, data, flags)


def check_header(length: int, kind: int, flags: int, opcode: int, id: int, receive_limit: int) -> None:
    """Raises Malformed for the header of a frame that a server must not send (CON-8)."""
    if length > receive_limit:
        raise Malformed(f"a frame of {length} bytes is above the limit of {receive_limit}")
    if not RESPONSE <= kind <= CONTROL:
        raise Malformed(f"a frame of kind {kind}")
    if flags & 0x0F and (flags, kind, opcode) != (ACK, CONTROL, layouts.PING_OPCODE):
        raise Malformed(f"a frame with the flags {flags}")
    if (kind == CONTROL) == bool(id) and kind != ERROR:
        raise Malformed(f"a frame of kind {kind} with the id {id}")
