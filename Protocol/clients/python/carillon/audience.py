"""Who gets a message, and how devices are named. The absence of an audience never means everybody."""
from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Any, Dict, Iterable, List, Sequence, Union

from ._types import check_token, writer
from .enums import Environment, TokenKind, number
from .errors import CarillonError, invalid

_ID = struct.Struct(">BQ").pack
# A list of one id.
_ONE_ID = struct.Struct(">IBQ").pack
_write_devices = writer(("list", "device"))
_IDS_END = 1 << 64
_NO_TAGS: Dict[str, Any] = {}
_new = object.__new__


@dataclass(frozen=True)
class Token:
    """A device token of APNs, as bytes or hexadecimal, with its environment and kind."""

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
        raise invalid(name, "a token is bytes or hexadecimal, 1 to 200 bytes") from None


def device_bytes(device: DeviceReference, name: str = "device") -> bytes:
    """Returns the form of a device on the wire."""
    if type(device) is int:
        try:
            return _ID(2, device)
        except struct.error:
            raise invalid(name, "a device id is a number of 64 bits") from None
    if isinstance(device, (bytes, bytearray, str)):
        raw = token_bytes(device, name)
        return b"\1\1\1" + bytes((len(raw),)) + raw
    if not isinstance(device, Token):
        raise invalid(name, "a device is an id, a token or a Token")
    raw = token_bytes(device.token, name)
    try:
        return bytes((1, number(Environment, device.environment, name), number(TokenKind, device.kind, name),
                      len(raw))) + raw
    except ValueError:
        raise invalid(name, "an environment or a kind is not a number of 8 bits") from None


def device_list(given: Sequence[DeviceReference], name: str = "devices") -> List[bytes]:
    """Returns the forms of devices; a fault has the index of its item."""
    return _forms(items(given, name), name)


def _forms(listed: List[DeviceReference], name: str) -> List[bytes]:
    """Returns the forms of devices: all at once, and one by one only to find a fault."""
    try:
        return [_ID(2, each) if type(each) is int else device_bytes(each, name) for each in listed]
    except (struct.error, CarillonError):
        pass
    for index, device in enumerate(listed):
        try:
            device_bytes(device, name)
        except CarillonError as error:
            error.item = index
            raise
    raise AssertionError("the fault was not found")


def items(given: Iterable[Any], name: str) -> List[Any]:
    """Returns the items of a list; a single text or None is INVALID_ARGUMENT."""
    if isinstance(given, (str, bytes, dict)) or not hasattr(given, "__iter__"):
        raise invalid(name, "a list is needed")
    return list(given)


def texts(given: Iterable[str], name: str) -> List[str]:
    """Returns the texts of a list."""
    found = items(given, name)
    for index, each in enumerate(found):
        if not isinstance(each, str):
            raise invalid(name, "a text is needed", index)
    return found


class Audience:
    """Who gets a message. Made by `devices`, `groups`, `topic`, `condition`, `channel` and `all_devices` here."""

    # Its number, the bytes of the list of devices, and the fields that only this kind has.
    __slots__ = ("_kind", "_devices", "_tags")
    _kind: int
    _devices: bytes
    _tags: Dict[str, Any]

    def __init__(self) -> None:
        raise TypeError("use devices, groups, topic, condition, channel or all_devices")

    @classmethod
    def _of(cls, kind: int, devices: Sequence[bytes] = (), **tags: Any) -> Audience:
        audience = cls.__new__(cls)
        audience._kind, audience._tags = kind, tags
        # Written once for all messages that are sent to them.
        audience._devices = _write_devices(devices)
        return audience

    def __repr__(self) -> str:
        kind = ("", "devices", "groups", "topic", "condition", "all_devices", "channel")[self._kind]
        shown = f"{int.from_bytes(self._devices[:4], 'big')} devices" if kind == "devices" else self._tags.get(kind, "")
        return f"<Audience {kind} {shown}>".replace(" >", ">")


def devices(given: Sequence[DeviceReference]) -> Audience:
    """These devices, at least one."""
    if type(given) is list and len(given) == 1 and type(given[0]) is int and 0 <= given[0] < _IDS_END:
        # Written out, as most messages are for one device.
        audience = _new(Audience)
        audience._kind, audience._devices, audience._tags = 1, _ONE_ID(1, 2, given[0]), _NO_TAGS
        return audience
    listed = items(given, "audience")
    if not listed:
        raise invalid("audience", "an empty list is not an audience")
    return Audience._of(1, _forms(listed, "devices"))


def groups(names: Sequence[str]) -> Audience:
    """Every device of any of the groups, once."""
    found = items(names, "audience")
    if not found or not all(isinstance(each, str) and each for each in found):
        raise invalid("audience", "a list of names of groups is needed")
    return Audience._of(2, groups=found)


def topic(name: str) -> Audience:
    """Every device of the topic."""
    if not isinstance(name, str) or not name:
        raise invalid("audience", "the name of a topic is needed")
    return Audience._of(3, topic=name)


def condition(text: str) -> Audience:
    """Every device for which the condition holds (`Conditions.md`)."""
    if not isinstance(text, str) or not text:
        raise invalid("audience", "a condition is needed")
    return Audience._of(4, condition=text)


def channel(id: str, environment: Union[Environment, str] = "production") -> Audience:
    """The devices that are subscribed to a broadcast channel at APNs.

    The push type is `liveactivity`, the event of the payload `update` or `end`, and `expiration` is needed.
    """
    if not isinstance(id, str) or not id:
        raise invalid("audience", "the id of a channel is needed")
    return Audience._of(6, channel=id, environment=number(Environment, environment, "environment"))


def all_devices() -> Audience:
    """Every device of the app. It must be said: nothing else stands for all devices."""
    return Audience._of(5)
