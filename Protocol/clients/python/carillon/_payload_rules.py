"""The form of JSON (`Payloads.md` §4) and the rules of the push types (§10.1 and §16.4 of the protocol)."""
from __future__ import annotations

import json
from decimal import Decimal
from typing import Any, Callable, Dict, Mapping, NamedTuple

from .enums import PushType
from .errors import invalid

MAXIMUM_PAYLOAD_BYTES = 4096
MAXIMUM_VOIP_PAYLOAD_BYTES = 5120
MAXIMUM_DEPTH = 32


# Writing

def write_json(value: Any, path: str = "payload", depth: int = 1) -> bytes:
    """Returns a value in the canonical form; INVALID_ARGUMENT with the path of what JSON cannot express."""
    if isinstance(value, (Mapping, list, tuple)) and depth > MAXIMUM_DEPTH:
        raise invalid(path, f"nested deeper than {MAXIMUM_DEPTH}")
    if isinstance(value, Mapping):
        for name in value:
            if not isinstance(name, str):
                raise invalid(path, "the name of a member must be a text")
        names = sorted(value, key=_code_units)
        members = [write_json(name, path) + b":" + write_json(value[name], f"{path}.{name}", depth + 1)
                   for name in names]
        return b"{" + b",".join(members) + b"}"
    if isinstance(value, (list, tuple)):
        return b"[" + b",".join([write_json(item, path, depth + 1) for item in value]) + b"]"
    if value is None or isinstance(value, bool):
        return b"null" if value is None else b"true" if value else b"false"
    try:
        if isinstance(value, int):
            return b"%d" % value if -2**63 <= value < 2**63 else _double(float(value))
        if isinstance(value, float):
            return _double(value)
        if isinstance(value, str):
            return json.dumps(value, ensure_ascii=False).encode()
    except (OverflowError, ValueError):
        pass
    raise invalid(path, "JSON cannot express the value")


def write_plain_json(value: Dict[str, Any]) -> bytes:
    """Does the same as `write_json`, much faster, for objects with names in ASCII, texts, flags and small whole
    numbers."""
    try:
        return _encode(value).encode()
    except ValueError:  # lone surrogates
        return write_json(value)


_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode


def _code_units(name: str) -> bytes:
    return name.encode("utf-16-be", "surrogatepass")


def _double(value: float) -> bytes:
    """Returns the shortest digits that read back as the same number, in ECMAScript's form."""
    if not float("-inf") < value < float("inf"):
        raise ValueError("not finite")
    if value == 0:
        return b"0"
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    text, point = "".join(map(str, digits)), len(digits) + int(exponent)
    if len(text) <= point <= 21:
        text += "0" * (point - len(text))
    elif 0 < point <= 21:
        text = f"{text[:point]}.{text[point:]}"
    elif -6 < point <= 0:
        text = "0." + "0" * -point + text
    else:
        text = text[0] + ("." + text[1:] if len(text) > 1 else "") + f"e{point - 1:+d}"
    return (("-" if sign else "") + text).encode()


# Rules

def maximum_payload_bytes(push_type: int) -> int:
    """Returns how many bytes a payload of this push type has at most."""
    return MAXIMUM_VOIP_PAYLOAD_BYTES if push_type == PushType.VOIP else MAXIMUM_PAYLOAD_BYTES


class _Rule(NamedTuple):
    """What a value must be: a test, and its wording behind "must be"."""

    accepts: Callable[[Any], bool]
    wording: str
    # The rules of the members, if the value is an object.
    members: Mapping[str, Any] = {}


def _is_number(value: Any, lowest: float = float("-inf"), highest: float = float("inf")) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and lowest <= value <= highest


def _are_strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _one_of(*words: str) -> _Rule:
    return _Rule(lambda value: isinstance(value, str) and value in words, "one of " + ", ".join(words))


def _string_or(members: Dict[str, _Rule]) -> _Rule:
    return _Rule(lambda value: isinstance(value, (str, dict)), "a string or an object", members)


_STRING = _Rule(lambda value: isinstance(value, str), "a string")
_STRINGS = _Rule(_are_strings, "an array of strings")
_STRING_OR_NULL = _Rule(lambda value: value is None or isinstance(value, str), "a string or null")
_STRINGS_OR_NULL = _Rule(lambda value: value is None or _are_strings(value), "an array of strings or null")
_OBJECT = _Rule(lambda value: isinstance(value, dict), "an object")
_FLAG = _Rule(lambda value: _is_number(value) and value in (0, 1), "the number 1 or 0")
_YES = _Rule(lambda value: value is True, "true")
_COUNT = _Rule(lambda value: _is_number(value, 0) and value == int(value), "a whole number, 0 or more")
_PART = _Rule(lambda value: _is_number(value, 0, 1), "a number from 0 to 1")
_NUMBER = _Rule(_is_number, "a number")
_TIME = _Rule(lambda value: _is_number(value, 0), "a number, 0 or more")
_EVENT = _one_of("start", "update", "end")
_SOUND = _string_or({"critical": _FLAG, "name": _STRING, "volume": _PART})
_LIVE_TEXT = _string_or({"loc-key": _STRING, "loc-args": _STRINGS})
_COMMON: Dict[str, _Rule] = {
    "badge": _COUNT, "sound": _SOUND, "thread-id": _STRING, "category": _STRING, "content-available": _FLAG,
    "mutable-content": _FLAG, "interruption-level": _one_of("passive", "active", "time-sensitive", "critical"),
    "target-content-id": _STRING, "filter-criteria": _STRING, "content-changed": _YES, "url-args": _STRINGS}
_GENERAL: Dict[str, _Rule] = {
    "alert": _string_or({
        "title": _STRING, "title-loc-key": _STRING_OR_NULL, "title-loc-args": _STRINGS_OR_NULL, "subtitle": _STRING,
        "subtitle-loc-key": _STRING_OR_NULL, "subtitle-loc-args": _STRINGS_OR_NULL, "body": _STRING,
        "loc-key": _STRING_OR_NULL, "loc-args": _STRINGS_OR_NULL, "launch-image": _STRING}),
    "relevance-score": _PART, **_COMMON}
_LIVE_ACTIVITY: Dict[str, _Rule] = {
    "alert": _string_or({"title": _LIVE_TEXT, "subtitle": _LIVE_TEXT, "body": _LIVE_TEXT, "sound": _SOUND}),
    "relevance-score": _NUMBER, "timestamp": _TIME, "event": _EVENT, "content-state": _OBJECT, "stale-date": _TIME,
    "dismissal-date": _TIME, "attributes-type": _STRING, "attributes": _OBJECT, "input-push-channel": _STRING,
    "input-push-token": _FLAG, **_COMMON}


def _check_members(members: Dict[str, Any], rules: Mapping[str, _Rule], path: str) -> None:
    for name, rule in rules.items():
        if name not in members:
            continue
        if not rule.accepts(members[name]):
            raise invalid(f"{path}.{name}", "must be " + rule.wording)
        if isinstance(members[name], dict):
            _check_members(members[name], rule.members, f"{path}.{name}")


def check_payload(body: Dict[str, Any], push_type: int) -> None:
    """Checks a payload as the server does, for its push type; INVALID_ARGUMENT with the path of a fault."""
    aps = body.get("aps", {})

    def need(is_met: bool, name: str, wording: str) -> None:
        if not is_met:
            raise invalid("payload." + name, wording)

    if push_type == PushType.BACKGROUND:
        need(_is_number(aps.get("content-available"), 1, 1), "aps.content-available", "must be the number 1")
        for name in ("alert", "badge", "sound"):
            need(name not in aps, "aps." + name, "a silent push must not have it")
    elif push_type == PushType.FILEPROVIDER:
        need("aps" not in body, "aps", "a push to a File Provider must not have it")
        for name in ("container-identifier", "domain"):
            need(isinstance(body.get(name), str), name, "must be a string")
    elif push_type == PushType.MDM:
        need(isinstance(body.get("mdm"), str), "mdm", "must be a string")
    elif push_type == PushType.LIVEACTIVITY:
        event = aps.get("event")
        need(_is_number(aps.get("timestamp")), "aps.timestamp", "must be a number")
        need(_EVENT.accepts(event), "aps.event", "must be " + _EVENT.wording)
        need(event == "end" or isinstance(aps.get("content-state"), dict), "aps.content-state", "must be an object")
        for name in ("attributes-type", "attributes", "alert"):
            need(event != "start" or name in aps, "aps." + name, "a start needs it")
    elif push_type in (PushType.WIDGETS, PushType.CONTROLS):
        need(aps.get("content-changed") is True, "aps.content-changed", "must be true")
    _check_members(aps, _LIVE_ACTIVITY if push_type == PushType.LIVEACTIVITY else _GENERAL, "payload.aps")
