"""The types of fields (§4.1), as bytes and as values of Python. `_codec` says which values they have."""
from __future__ import annotations

import struct
from typing import Any, Callable, Dict, List, Optional, Tuple

FORMATS = {"u8": "B", "u16": "H", "u32": "I", "u64": "Q"}
SIZES = {"u8": 1, "u16": 2, "u32": 4, "u64": 8}
# The type of the length before a value, and the size of a value without one.
PREFIXES = {"str": "H", "topic": "H", "bytes": "I", "token": "B"}
RAW_SIZES = {"uuid": 16, "data8": 8}
FCM_PREFIX = "/topics/"
ONE_BYTE = [bytes([value]) for value in range(0x80)]
# What a reader raises for bytes that are not as the protocol says.
UNREADABLE = (struct.error, IndexError, ValueError)
# What a writer raises for values that it cannot encode.
UNWRITABLE = (struct.error, KeyError, TypeError, ValueError, AttributeError, OverflowError)


class MalformedError(ValueError):
    """Bytes that are not as the protocol says, or a value that it cannot express."""


# Single values

def read_text(raw: bytes) -> str:
    """Returns a `str`; ValueError for bytes that are no UTF-8 or have U+0000."""
    text = raw.decode("utf-8")
    if "\0" in text:
        raise MalformedError("a text with U+0000")
    return text


def read_topic(raw: bytes) -> str:
    """Returns the name of a topic without FCM's prefix."""
    text = read_text(raw)
    return text[len(FCM_PREFIX):] if text.startswith(FCM_PREFIX) else text


def write_text(text: str) -> bytes:
    """Returns the bytes of a `str`; ValueError for one that UTF-8 or the protocol cannot express."""
    if "\0" in text:
        raise MalformedError("a text with U+0000")
    return text.encode("utf-8")


def check_token(raw: bytes) -> bytes:
    """Returns a token; ValueError if its length is impossible."""
    if not 1 <= len(raw) <= 255:
        raise MalformedError("a token has 1 to 255 bytes")
    return raw


def uvarint(value: int) -> bytes:
    """Returns the shortest form of a number below 2³²."""
    if value < 0x80:
        return ONE_BYTE[value]
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
    raise MalformedError("a number that is not in its shortest form")


def device_end(data: bytes, at: int) -> int:
    """Returns the offset behind a `device`."""
    form = data[at]
    if form == 2:
        end = at + 9
    elif form == 1 and data[at + 3] >= 1:
        end = at + 4 + data[at + 3]
    else:
        raise MalformedError("a device")
    if end > len(data):
        raise MalformedError("bytes are missing")
    return end


def raw_reader(kind: str) -> Callable[[bytes], Any]:
    """Returns a function that makes a value of its bytes, which have no length before them."""
    readers: Dict[str, Callable[[bytes], Any]] = {"str": read_text, "topic": read_topic, "token": check_token}
    return readers.get(kind, bytes)


def raw_writer(kind: str) -> Callable[[Any], bytes]:
    """Returns a function that makes the bytes of a value, without its length."""
    writers: Dict[str, Callable[[Any], bytes]] = {"str": write_text, "topic": write_text, "token": check_token}
    return writers.get(kind, as_bytes)


def as_bytes(raw: bytes) -> bytes:
    """Returns `bytes` as they are, and a `bytearray` as bytes; TypeError for anything else."""
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


def reader(kind: Any) -> Callable[[bytes, int], Tuple[Any, int]]:
    """Returns a function that reads a value at an offset, and says where it ends."""
    if kind[0] == "list":
        return _list_reader(kind[1])
    if kind[0] == "struct":
        parts = [(name, reader(part)) for name, part in kind[1]]

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
    convert, fixed = raw_reader(kind), RAW_SIZES.get(kind)

    def read_raw(data: bytes, at: int) -> Tuple[Any, int]:
        start = at + prefix.size
        end = start + (prefix.unpack_from(data, at)[0] if fixed is None else fixed)
        if end > len(data):
            raise MalformedError("bytes are missing")
        return convert(data[start:end]), end
    return read_raw


def _list_reader(kind: Any) -> Callable[[bytes, int], Tuple[Any, int]]:
    least = least_size(kind)
    parts = kind[1] if kind[0] == "struct" else [("", kind)]
    names = [name for name, _ in parts]
    row = struct.Struct(">" + "".join(FORMATS.get(part, "") for _, part in parts)) \
        if all(isinstance(part, str) and part in FORMATS for _, part in parts) else None
    read = reader(kind) if row is None else None

    def read_list(data: bytes, at: int) -> Tuple[Any, int]:
        count = int.from_bytes(data[at:at + 4], "big")
        at += 4
        if at > len(data) or count * least > len(data) - at:
            raise MalformedError(f"a list of {count} items")
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


def writer(kind: Any) -> Callable[[Any], bytes]:
    """Returns a function that writes a value with its own length."""
    if kind[0] == "list":
        write = writer(kind[1])
        if write is as_bytes:  # `join` checks their types too
            return lambda values: len(values).to_bytes(4, "big") + b"".join(values)
        return lambda values: len(values).to_bytes(4, "big") + b"".join([write(each) for each in values])
    if kind[0] == "struct":
        parts = [(name, writer(part)) for name, part in kind[1]]
        return lambda values: b"".join([write(values[name]) for name, write in parts])
    if kind in FORMATS:
        return struct.Struct(">" + FORMATS[kind]).pack
    convert = raw_writer(kind)
    if kind not in PREFIXES:
        return convert
    pack = struct.Struct(">" + PREFIXES[kind]).pack

    def write_raw(value: Any) -> bytes:
        raw = convert(value)
        return pack(len(raw)) + raw
    return write_raw


def tag_reader(kind: Any) -> Callable[[bytes], Any]:
    """Returns a function that reads the value of a tag, which fills its size."""
    if isinstance(kind, str) and kind in PREFIXES:
        return raw_reader(kind)
    read = reader(kind)

    def read_whole(raw: bytes) -> Any:
        value, end = read(raw, 0)
        if end != len(raw):
            raise MalformedError("bytes are left over in a tag")
        return value
    return read_whole


def tag_writer(kind: Any) -> Callable[[Any], bytes]:
    """Returns a function that writes the value of a tag: of a text or bytes without the length, which the tag has."""
    return raw_writer(kind) if isinstance(kind, str) and kind in PREFIXES else writer(kind)
