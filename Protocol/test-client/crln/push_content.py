"""The rules for the payload of a push to Apple devices: its JSON, and the keys of `aps` (§10.1, §16.4)."""
from __future__ import annotations

import json
from typing import Any, Callable, Dict, List, NamedTuple, Tuple

from crln.names import BACKGROUND, CONTROLS, FILEPROVIDER, LIVEACTIVITY, MDM, WIDGETS


class PayloadFault(ValueError):
    """A payload that breaks a rule; `field` is the path, with dots: `payload.aps.sound.volume`."""

    def __init__(self, field: str, text: str) -> None:
        super().__init__(f"{field}: {text}")
        self.field, self.text = field, text


def _is_number(value: Any, lowest: float = float("-inf"), highest: float = float("inf")) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and lowest <= value <= highest


def _are_strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


class _Rule(NamedTuple):
    """What the value of a known key of `aps` must be (§16.4): a test, and its wording behind "must be"."""

    fits: Callable[[Any], bool]
    wording: str
    # The rules of the members, if the value is an object.
    members: Dict[str, Any] = {}


_STRING = _Rule(lambda value: isinstance(value, str), "a string")
_STRINGS = _Rule(_are_strings, "an array of strings")
_STRING_OR_NULL = _Rule(lambda value: value is None or isinstance(value, str), "a string or null")
_STRINGS_OR_NULL = _Rule(lambda value: value is None or _are_strings(value), "an array of strings or null")
_COUNT = _Rule(lambda value: _is_number(value, 0) and value == int(value), "a whole number, 0 or more")
_NUMBER = _Rule(_is_number, "a number")
_FRACTION = _Rule(lambda value: _is_number(value, 0, 1), "a number from 0 to 1")
_TIME = _Rule(lambda value: _is_number(value, 0), "a number, 0 or more")
_FLAG = _Rule(lambda value: _is_number(value) and value in (0, 1), "the number 1 or 0")
_TRUE = _Rule(lambda value: value is True, "true")
_OBJECT = _Rule(lambda value: isinstance(value, dict), "an object")
MAXIMUM_DEPTH = 32
EVENTS = ("start", "update", "end")
INTERRUPTION_LEVELS = ("passive", "active", "time-sensitive", "critical")


def _one_of(words: Tuple[str, ...]) -> _Rule:
    return _Rule(lambda value: isinstance(value, str) and value in words, "one of " + ", ".join(words))


def _string_or(members: Dict[str, Any]) -> _Rule:
    return _Rule(lambda value: isinstance(value, (str, dict)), "a string or an object", members)


_SOUND = _string_or({"critical": _FLAG, "name": _STRING, "volume": _FRACTION})
_TEXT = _string_or({"loc-key": _STRING, "loc-args": _STRINGS})
_COMMON: Dict[str, _Rule] = {
    "badge": _COUNT, "sound": _SOUND, "thread-id": _STRING, "category": _STRING, "content-available": _FLAG,
    "mutable-content": _FLAG, "interruption-level": _one_of(INTERRUPTION_LEVELS), "target-content-id": _STRING,
    "filter-criteria": _STRING, "content-changed": _TRUE, "url-args": _STRINGS}
_GENERAL: Dict[str, _Rule] = {
    "alert": _string_or({
        "title": _STRING, "title-loc-key": _STRING_OR_NULL, "title-loc-args": _STRINGS_OR_NULL, "subtitle": _STRING,
        "subtitle-loc-key": _STRING_OR_NULL, "subtitle-loc-args": _STRINGS_OR_NULL, "body": _STRING,
        "loc-key": _STRING_OR_NULL, "loc-args": _STRINGS_OR_NULL, "launch-image": _STRING}),
    "relevance-score": _FRACTION, **_COMMON}
_LIVE_ACTIVITY: Dict[str, _Rule] = {
    "alert": _string_or({"title": _TEXT, "subtitle": _TEXT, "body": _TEXT, "sound": _SOUND}),
    "relevance-score": _NUMBER, "timestamp": _TIME, "event": _one_of(EVENTS), "content-state": _OBJECT,
    "stale-date": _TIME, "dismissal-date": _TIME, "attributes-type": _STRING, "attributes": _OBJECT,
    "input-push-channel": _STRING, "input-push-token": _FLAG, **_COMMON}


def _check_members(members: Dict[str, Any], rules: Dict[str, _Rule], field: str) -> None:
    """Raises PayloadFault for the first known key, also of objects within, whose value does not fit."""
    for name, rule in rules.items():
        if name not in members:
            continue
        value, path = members[name], f"{field}.{name}"
        if not rule.fits(value):
            raise PayloadFault(path, "must be " + rule.wording)
        if isinstance(value, dict):
            _check_members(value, rule.members, path)


def check_payload(payload: bytes, push_type: int) -> None:
    """Checks the rules of §10.1 and §16.4 except the size. Raises PayloadFault or another ValueError."""
    body = parse_object(payload)
    aps = body.get("aps", {})
    if not isinstance(aps, dict):
        raise PayloadFault("payload.aps", "must be an object")

    def need(fits: bool, name: str, text: str) -> None:
        if not fits:
            raise PayloadFault("payload." + name, text)

    if push_type == BACKGROUND:
        need(_is_number(aps.get("content-available"), 1, 1), "aps.content-available", "must be the number 1")
        for name in ("alert", "badge", "sound"):
            need(name not in aps, "aps." + name, "a background push must not have it")
    if push_type == FILEPROVIDER:
        need("aps" not in body, "aps", "a fileprovider push must not have it")
        for name in ("container-identifier", "domain"):
            need(isinstance(body.get(name), str), name, "must be a string")
    if push_type == MDM:
        need(isinstance(body.get("mdm"), str), "mdm", "must be a string")
    if push_type == LIVEACTIVITY:
        event = aps.get("event")
        need(_is_number(aps.get("timestamp")), "aps.timestamp", "must be a number")
        need(event in EVENTS, "aps.event", "must be one of " + ", ".join(EVENTS))
        need(event == "end" or isinstance(aps.get("content-state"), dict), "aps.content-state", "must be an object")
        for name in ("attributes-type", "attributes", "alert"):
            need(event != "start" or name in aps, "aps." + name, "a start needs it")
    if push_type in (WIDGETS, CONTROLS):
        need(aps.get("content-changed") is True, "aps.content-changed", "must be true")
    _check_members(aps, _LIVE_ACTIVITY if push_type == LIVEACTIVITY else _GENERAL, "payload.aps")


def parse_object(payload: bytes) -> Dict[str, Any]:
    """Returns the JSON object of a payload under the rules of §10.1; ValueError if it is not one."""
    text = payload.decode("utf-8", "strict")
    _check_depth(text)
    body = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse_constant, parse_int=_double,
                      parse_float=_double)
    # A lone surrogate does not encode: UnicodeError is a ValueError.
    json.dumps(body, ensure_ascii=False).encode("utf-8")
    if not isinstance(body, dict):
        raise ValueError("not an object")
    return body


def _check_depth(text: str) -> None:
    depth = 0
    quoted = escaped = False
    for letter in text:
        if quoted:
            quoted, escaped = escaped or letter != '"', letter == "\\" and not escaped
        elif letter == '"':
            quoted = True
        elif letter in "[{":
            depth += 1
            if depth > MAXIMUM_DEPTH:
                raise ValueError("too deep")
        elif letter in "]}":
            depth -= 1


def _unique(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
    if len({name for name, _ in pairs}) != len(pairs):
        raise ValueError("duplicate name")
    return dict(pairs)


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _double(digits: str) -> float:
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise ValueError("a number beyond the range of a double")
    return value
