"""Who gets a message, and how devices are named. The absence of an audience never means everybody."""
from __future__ import annotations

import enum
import struct
from dataclasses import dataclass, field
from typing import Any, Dict, Iterable, List, Sequence, Union

from ._types import check_token, writer
from .enums import Environment, TokenKind, enum_number
from .errors import CarillonError, invalid

# The first byte of a device on the wire says how it is named.
_BY_TOKEN, _BY_ID = 1, 2
_device_with_id = struct.Struct(">BQ").pack
_list_of_one_id = struct.Struct(">IBQ").pack
_write_devices = writer(("list", "device"))
_IDS_END = 1 << 64
_NO_TAGS: Dict[str, Any] = {}
_new = object.__new__


@dataclass(frozen=True)
class Token:
    """A device token with its environment and kind, as bytes or hexadecimal; one of FCM as the bytes of its text."""

    token: Union[bytes, str] = field(repr=False)
    environment: Union[Environment, str] = Environment.PRODUCTION
    kind: Union[TokenKind, str] = TokenKind.DEVICE


# A device: its id, its token (production, kind `device`) as bytes or hexadecimal, or a `Token`.
DeviceReference = Union[int, bytes, str, Token]


def token_bytes(token: Union[bytes, str], name: str = "token") -> bytes:
    """Returns a token; INVALID_ARGUMENT if it is not hexadecimal or has an impossible length."""
    try:
        return check_token(bytes.fromhex(token) if isinstance(token, str) else bytes(memoryview(token)))
    except (ValueError, TypeError):
        raise invalid(name, "a token is bytes or hexadecimal, 1 to 255 bytes") from None


def device_bytes(device: DeviceReference, name: str = "device") -> bytes:
    """Returns the form of a device on the wire."""
    if type(device) is int:
        try:
            return _device_with_id(_BY_ID, device)
        except struct.error:
            raise invalid(name, "a device id is a number of 64 bits") from None
    if isinstance(device, (bytes, bytearray, str)):
        raw = token_bytes(device, name)
        return bytes((_BY_TOKEN, Environment.PRODUCTION, TokenKind.DEVICE, len(raw))) + raw
    if not isinstance(device, Token):
        raise invalid(name, "a device is an id, a token or a Token")
    raw = token_bytes(device.token, name)
    try:
        return bytes((_BY_TOKEN, enum_number(Environment, device.environment, name),
                      enum_number(TokenKind, device.kind, name), len(raw))) + raw
    except ValueError:
        raise invalid(name, "an environment or a kind is not a number of 8 bits") from None


def device_list(references: Sequence[DeviceReference], name: str = "devices") -> List[bytes]:
    """Returns the forms of devices on the wire; a fault has the index of its item."""
    return _forms(checked_list(references, name), name)


def _forms(listed: List[DeviceReference], name: str) -> List[bytes]:
    """Returns the forms of devices on the wire: all at once, and one by one only to find a fault."""
    try:
        return [_device_with_id(_BY_ID, each) if type(each) is int else device_bytes(each, name) for each in listed]
    except (struct.error, CarillonError):
        pass
    for index, device in enumerate(listed):
        try:
            device_bytes(device, name)
        except CarillonError as error:
            error.item = index
            raise
    raise AssertionError("the fault was not found")


def checked_list(values: Iterable[Any], name: str) -> List[Any]:
    """Returns the items of a list; a single text, a mapping or None is INVALID_ARGUMENT."""
    if isinstance(values, (str, bytes, dict)) or not hasattr(values, "__iter__"):
        raise invalid(name, "a list is needed")
    return list(values)


def checked_texts(values: Iterable[str], name: str) -> List[str]:
    """Returns the texts of a list; an item of another type is INVALID_ARGUMENT."""
    texts = checked_list(values, name)
    for index, each in enumerate(texts):
        if not isinstance(each, str):
            raise invalid(name, "a text is needed", index)
    return texts


class AudienceKind(enum.IntEnum):
    """The numbers of the audiences on the wire (§10.1)."""

    DEVICES = 1
    GROUPS = 2
    TOPIC = 3
    CONDITION = 4
    ALL_DEVICES = 5
    CHANNEL = 6


# A name of the module, because each message reads it, and a member of an enumeration costs more.
DEVICES = AudienceKind.DEVICES


class Audience:
    """Who gets a message. Made by `devices`, `groups`, `topic`, `condition`, `channel` and `all_devices` here."""

    __slots__ = ("_kind", "_devices", "_tags")
    _kind: AudienceKind
    # The list of devices, as it is written.
    _devices: bytes
    # The fields that only this kind has.
    _tags: Dict[str, Any]

    def __init__(self) -> None:
        raise TypeError("use devices, groups, topic, condition, channel or all_devices")

    @classmethod
    def _of(cls, kind: AudienceKind, devices: Sequence[bytes] = (), **tags: Any) -> Audience:
        audience = cls.__new__(cls)
        audience._kind, audience._tags = kind, tags
        # Written once for all messages that are sent to them.
        audience._devices = _write_devices(devices)
        return audience

    def __repr__(self) -> str:
        kind = self._kind.name.lower()
        shown = f"{int.from_bytes(self._devices[:4], 'big')} devices" if kind == "devices" else self._tags.get(kind, "")
        return f"<Audience {kind} {shown}>".replace(" >", ">")


def devices(references: Sequence[DeviceReference]) -> Audience:
    """Devices that are named one by one, at least one."""
    if type(references) is list and len(references) == 1 and type(references[0]) is int \
            and 0 <= references[0] < _IDS_END:
        # Written out, as most messages are for one device.
        audience = _new(Audience)
        audience._kind, audience._tags = DEVICES, _NO_TAGS
        audience._devices = _list_of_one_id(1, _BY_ID, references[0])
        return audience
    listed = checked_list(references, "audience")
    if not listed:
        raise invalid("audience", "an empty list is not an audience")
    return Audience._of(DEVICES, _forms(listed, "devices"))


def groups(names: Sequence[str]) -> Audience:
    """Every device of any of the groups, once."""
    listed = checked_list(names, "audience")
    if not listed or not all(isinstance(each, str) and each for each in listed):
        raise invalid("audience", "a list of names of groups is needed")
    return Audience._of(AudienceKind.GROUPS, groups=listed)


def topic(name: str) -> Audience:
    """Every device of the topic."""
    if not isinstance(name, str) or not name:
        raise invalid("audience", "the name of a topic is needed")
    return Audience._of(AudienceKind.TOPIC, topic=name)


def condition(text: str) -> Audience:
    """Every device for which the condition holds (`Conditions.md`)."""
    if not isinstance(text, str) or not text:
        raise invalid("audience", "a condition is needed")
    return Audience._of(AudienceKind.CONDITION, condition=text)


def channel(id: str, environment: Union[Environment, str] = "production") -> Audience:
    """The devices that are subscribed to a broadcast channel at APNs.

    The push type is `liveactivity`, the event of the payload `update` or `end`, and `expiration` is needed.
    """
    if not isinstance(id, str) or not id:
        raise invalid("audience", "the id of a channel is needed")
    return Audience._of(AudienceKind.CHANNEL, channel=id,
                        environment=enum_number(Environment, environment, "environment"))


def all_devices() -> Audience:
    """Every device of the app. It must be said: nothing else stands for all devices."""
    return Audience._of(AudienceKind.ALL_DEVICES)
