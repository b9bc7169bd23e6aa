"""The types of values in a payload (§4.1).

Each type of values has:
  minimum_encoded_bytes  the fewest bytes of a value in a payload
  read and write         a value in a payload
  from_tag and to_tag    a value that is the whole value of a tag, which has the length itself
  from_json and to_json  a value in the vectors
"""
from __future__ import annotations

from typing import Any, Dict, List, Optional, Union

from crln.names import TOPIC_PREFIX


class UnreadableValue(Exception):
    """A value that cannot be read. The layout adds the name of the field."""

    item: Optional[int] = None


class PayloadReader:
    """A payload and the offset up to which it has been read."""

    def __init__(self, data: bytes) -> None:
        self.data, self.offset = data, 0

    @property
    def left(self) -> int:
        return len(self.data) - self.offset

    def take(self, count: int) -> bytes:
        if count > self.left:
            raise UnreadableValue
        self.offset += count
        return self.data[self.offset - count:self.offset]

    def number(self, size: int) -> int:
        return int.from_bytes(self.take(size), "big")

    def uvarint(self) -> int:
        value = 0
        for index in range(5):
            byte = self.number(1)
            value |= (byte & 0x7F) << 7 * index
            if byte < 0x80:
                if value >= 1 << 32 or (byte == 0 and index):
                    raise UnreadableValue
                return value
        raise UnreadableValue


def uvarint(value: int) -> bytes:
    """Returns the shortest form of a number below 2³²."""
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


class Number:
    """A number of `size` bytes."""

    def __init__(self, size: int) -> None:
        self.size = self.minimum_encoded_bytes = size

    def read(self, data: PayloadReader) -> int:
        return data.number(self.size)

    def write(self, value: int) -> bytes:
        return value.to_bytes(self.size, "big")

    def from_tag(self, raw: bytes) -> int:
        if len(raw) != self.size:
            raise UnreadableValue
        return int.from_bytes(raw, "big")

    to_tag = write

    def to_json(self, value: int) -> Union[int, str]:
        return str(value) if self.size == 8 else value

    def from_json(self, value: Union[int, str]) -> int:
        return int(value)


class RawBytes:
    """Bytes after their length, which takes `prefix_bytes`; without a prefix there are always `minimum_bytes`."""

    def __init__(self, prefix_bytes: int, minimum_bytes: int = 0, maximum_bytes: int = 2**32 - 1) -> None:
        self.prefix_bytes, self.minimum_bytes, self.maximum_bytes = prefix_bytes, minimum_bytes, maximum_bytes
        self.minimum_encoded_bytes = prefix_bytes + minimum_bytes

    def read(self, data: PayloadReader) -> Any:
        return self.from_tag(data.take(data.number(self.prefix_bytes) if self.prefix_bytes else self.minimum_bytes))

    def write(self, value: Any) -> bytes:
        raw = self.to_tag(value)
        return (len(raw).to_bytes(self.prefix_bytes, "big") if self.prefix_bytes else b"") + raw

    def from_tag(self, raw: bytes) -> Any:
        if not self.minimum_bytes <= len(raw) <= self.maximum_bytes:
            raise UnreadableValue
        return raw

    def to_tag(self, value: Any) -> bytes:
        if not self.minimum_bytes <= len(value) <= self.maximum_bytes:
            raise ValueError("length outside of the type")
        return bytes(value)

    def to_json(self, value: Any) -> Any:
        return value.hex()

    def from_json(self, value: str) -> Any:
        return bytes.fromhex(value)


class Text(RawBytes):
    """UTF-8 without the character NUL."""

    def from_tag(self, raw: bytes) -> str:
        try:
            text = raw.decode("utf-8", "strict")
        except UnicodeDecodeError:
            raise UnreadableValue from None
        if "\0" in text:
            raise UnreadableValue
        return text

    def to_tag(self, value: str) -> bytes:
        return value.encode("utf-8")

    def to_json(self, value: str) -> str:
        return value

    from_json = to_json


def bare_topic(name: str) -> str:
    """Returns a topic without FCM's prefix (§9)."""
    return name[len(TOPIC_PREFIX):] if name.startswith(TOPIC_PREFIX) else name


class Topic(Text):
    """A name without FCM's prefix (§9)."""

    def from_tag(self, raw: bytes) -> str:
        return bare_topic(super().from_tag(raw))


class TagValue:
    """A type whose values can be the whole value of a tag."""

    def from_tag(self, raw: bytes) -> Any:
        data = PayloadReader(raw)
        value = self.read(data)
        if data.left:
            raise UnreadableValue
        return value

    def to_tag(self, value: Any) -> bytes:
        return self.write(value)


class Struct:
    """Values one after the other, a dictionary by their names."""

    def __init__(self, **parts: Any) -> None:
        self.parts = parts
        self.minimum_encoded_bytes = sum(part.minimum_encoded_bytes for part in parts.values())

    def read(self, data: PayloadReader) -> Dict[str, Any]:
        return {name: part.read(data) for name, part in self.parts.items()}

    def write(self, value: Dict[str, Any]) -> bytes:
        return b"".join(part.write(value[name]) for name, part in self.parts.items())

    def to_json(self, value: Dict[str, Any]) -> Any:
        return {name: part.to_json(value[name]) for name, part in self.parts.items()}

    def from_json(self, value: Dict[str, Any]) -> Any:
        return {name: part.from_json(value[name]) for name, part in self.parts.items()}


class DeviceReference(TagValue):
    """A device: `{"token": {environment, kind, token}}` or `{"id": …}`."""

    minimum_encoded_bytes = 5

    def read(self, data: PayloadReader) -> Dict[str, Any]:
        form = data.number(1)
        if form not in DEVICE_FORMS:
            raise UnreadableValue
        name, part = DEVICE_FORMS[form]
        return {name: part.read(data)}

    def write(self, value: Dict[str, Any]) -> bytes:
        form = 1 if "token" in value else 2
        name, part = DEVICE_FORMS[form]
        return bytes([form]) + part.write(value[name])

    def to_json(self, value: Dict[str, Any]) -> Any:
        return {name: part.to_json(value[name]) for name, part in DEVICE_FORMS.values() if name in value}

    def from_json(self, value: Dict[str, Any]) -> Any:
        return {name: part.from_json(value[name]) for name, part in DEVICE_FORMS.values() if name in value}


class ListOf(TagValue):
    """Values of one type after their number."""

    minimum_encoded_bytes = 4

    def __init__(self, part: Any) -> None:
        self.part = part

    def read(self, data: PayloadReader) -> List[Any]:
        count = data.number(4)
        if count * self.part.minimum_encoded_bytes > data.left:
            raise UnreadableValue
        values: List[Any] = []
        for index in range(count):
            try:
                values.append(self.part.read(data))
            except UnreadableValue as fault:
                fault.item = index
                raise
        return values

    def write(self, value: List[Any]) -> bytes:
        return len(value).to_bytes(4, "big") + b"".join(map(self.part.write, value))

    def to_json(self, value: List[Any]) -> Any:
        return [self.part.to_json(item) for item in value]

    def from_json(self, value: List[Any]) -> Any:
        return [self.part.from_json(item) for item in value]


U8, U16, U32, U64 = Number(1), Number(2), Number(4), Number(8)
UUID, TOKEN = RawBytes(0, 16, 16), RawBytes(1, 1, 255)
STR, TOPIC, BYTES = Text(2), Topic(2), RawBytes(4)
DEVICE_FORMS = {1: ("token", Struct(environment=U8, kind=U8, token=TOKEN)), 2: ("id", U64)}
DEVICE = DeviceReference()
