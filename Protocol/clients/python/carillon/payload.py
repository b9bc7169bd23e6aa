"""Payloads made of fields (`Payloads.md`): equal fields give equal bytes in every language."""
from __future__ import annotations

import dataclasses
import json
import struct
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple, Union

from ._payload_rules import (MAXIMUM_PAYLOAD_BYTES, check_payload, maximum_payload_bytes, write_json,
                             write_plain_json)
from .enums import PushType, enum_number
from .errors import CarillonError, invalid

# Types of values that cannot change.
CONSTANTS = frozenset([str, int, float, bool, type(None)])
_length_bytes = struct.Struct(">I").pack
# A name of the module, because each message reads it, and a member of an enumeration costs more.
ALERT = PushType.ALERT.value
_quoted = json.encoder.encode_basestring  # type: ignore[attr-defined]
# The values of the members of a notification that come after its sound, if it has none of these members.
_NOTHING_ELSE: List[Any] = [None, None, False, False, None, None, None, None, False, None, None, None, {}]
LOCALE_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-")


@dataclass(frozen=True)
class Localized:
    """The key of a text in the app's own tables; `loc_args` replace its `%@`."""

    loc_key: str
    loc_args: List[str] = field(default_factory=list)


@dataclass(frozen=True)
class CriticalSound:
    """A sound that plays although the device is silent. `volume` is 0 to 1; None: the volume of the device."""

    name: str = "default"
    volume: Optional[float] = None


Text = Union[str, Localized]


@dataclass(frozen=True)
class LiveActivity:
    """A change of a Live Activity, for the push type liveactivity. Times are whole seconds since 1970."""

    timestamp: int
    event: str
    content_state: Optional[Mapping[str, Any]] = None
    stale_date: Optional[int] = None
    dismissal_date: Optional[int] = None
    attributes_type: Optional[str] = None
    attributes: Optional[Mapping[str, Any]] = None
    input_push_channel: Optional[str] = None
    input_push_token: bool = False

    def _members(self) -> Dict[str, Any]:
        return {"timestamp": self.timestamp, "event": self.event, "content-state": self.content_state,
                "stale-date": self.stale_date, "dismissal-date": self.dismissal_date,
                "attributes-type": self.attributes_type, "attributes": self.attributes,
                "input-push-channel": self.input_push_channel, "input-push-token": _flag(self.input_push_token)}


@dataclass(frozen=True)
class Translation:
    """What differs from a notification in a language. None: it does not differ."""

    title: Optional[Text] = None
    subtitle: Optional[Text] = None
    body: Optional[Text] = None
    launch_image: Optional[str] = None


class _MadePayload(NamedTuple):
    """A notification as JSON for a push type."""

    push_type: int
    json: bytes
    # The JSON with its length before it, as a message has it.
    field: bytes


@dataclass(frozen=True)
class Notification:
    """The content of a push, in the fields of APNs. None: the field is not in the payload."""

    title: Optional[Text] = None
    subtitle: Optional[Text] = None
    body: Optional[Text] = None
    launch_image: Optional[str] = None
    badge: Optional[int] = None
    sound: Union[str, CriticalSound, None] = None
    thread_id: Optional[str] = None
    category: Optional[str] = None
    content_available: bool = False
    mutable_content: bool = False
    interruption_level: Optional[str] = None
    relevance_score: Optional[float] = None
    target_content_id: Optional[str] = None
    filter_criteria: Optional[str] = None
    content_changed: bool = False
    url_args: Optional[List[str]] = None
    live_activity: Optional[LiveActivity] = None
    mdm: Optional[str] = None
    data: Mapping[str, Any] = field(default_factory=dict)

    def payload(self, push_type: Union[PushType, str] = PushType.ALERT) -> bytes:
        """Returns the JSON for the push type. A fault is INVALID_ARGUMENT with its path as `field`."""
        return self._made(enum_number(PushType, push_type, "push_type")).json

    def _made(self, push_type: int) -> _MadePayload:
        # Made once for all messages that have this notification, unless something of it could change.
        members = self.__dict__
        last: Optional[_MadePayload] = members.get("_last")
        if last is not None and last.push_type == push_type and not members["data"]:
            return last
        raw = self._plain_alert_json() if push_type == ALERT else None
        is_constant = raw is not None or self._is_constant()
        if raw is None:
            raw = self._write(push_type, is_constant)
        made = _MadePayload(push_type, raw, _length_bytes(len(raw)) + raw)
        if is_constant:
            members["_last"] = made
        return made

    def _plain_alert_json(self) -> Optional[bytes]:
        """Returns the JSON of an alert that has texts, a badge and a sound and nothing else, as most have; None for
        others, and for what may be at fault. It is straight code, because it runs for each new notification."""
        title, subtitle, body, image, badge, sound, *others = self.__dict__.values()
        if image is not None or others != _NOTHING_ELSE:
            return None
        try:
            if title is None is subtitle:
                members = [] if body is None else ['"alert":' + _quoted(body)]
            else:
                texts = (("body", body), ("subtitle", subtitle), ("title", title))
                members = [",".join([f'"{name}":{_quoted(text)}' for name, text in texts if text is not None])]
                members[0] = '"alert":{' + members[0] + "}"
            if badge is not None:
                if type(badge) is not int or not 0 <= badge < 1 << 53:
                    return None
                members.append(f'"badge":{badge}')
            if sound is not None:
                members.append('"sound":' + _quoted(sound))
            raw = ('{"aps":{' + ",".join(members) + "}}").encode()
        except (TypeError, ValueError):  # no texts, or lone surrogates
            return None
        return raw if members and len(raw) <= MAXIMUM_PAYLOAD_BYTES else None

    def _is_constant(self) -> bool:
        """True if it has only texts, numbers and flags."""
        values = dict(vars(self), data=None, _last=None).values()
        return not self.data and CONSTANTS.issuperset(map(type, values))

    def _write(self, push_type: int, is_constant: bool) -> bytes:
        for name in ["aps"] + (["mdm"] if self.mdm is not None else []):
            if name in self.data:
                raise invalid("data." + name, "the name is not free")
        aps = self._aps()
        members = {**self.data, **({"aps": aps} if aps else {}), **({} if self.mdm is None else {"mdm": self.mdm})}
        # The form of large and of broken numbers is a matter of `write_json`.
        has_small = self.badge is None or type(self.badge) is int and abs(self.badge) < 1 << 53
        is_plain = is_constant and has_small and self.relevance_score is None
        raw = write_plain_json(members) if is_plain else write_json(members)
        limit = maximum_payload_bytes(push_type)
        if len(raw) > limit:
            raise invalid("payload", f"{len(raw)} bytes are above the limit of {limit}")
        check_payload(members if is_plain else json.loads(raw), push_type)
        return raw

    def translated(self, translations: Mapping[str, Translation], push_type: Union[PushType, str] = PushType.ALERT
                   ) -> List[Tuple[str, bytes]]:
        """Returns the payloads of the languages, ascending by the tag in small letters."""
        found: List[Tuple[str, bytes]] = []
        for tag in sorted_tags(translations):
            changes = {each.name: getattr(translations[tag], each.name) for each in dataclasses.fields(Translation)}
            differing = {name: value for name, value in changes.items() if value is not None}
            try:
                found.append((tag, dataclasses.replace(self, **differing).payload(push_type)))
            except CarillonError as error:
                path = error.field or ""
                raise invalid(f"bodies.{tag}{path[len('payload'):] if path.startswith('payload') else '.' + path}",
                              error.message) from None
        return found

    def _aps(self) -> Dict[str, Any]:
        alert, sound = self._alert(), self._sound()
        aps = {"alert": alert, "badge": self.badge, "thread-id": self.thread_id, "category": self.category,
               "content-available": _flag(self.content_available), "mutable-content": _flag(self.mutable_content),
               "interruption-level": self.interruption_level, "relevance-score": self.relevance_score,
               "target-content-id": self.target_content_id, "filter-criteria": self.filter_criteria,
               "content-changed": True if self.content_changed else None, "url-args": self.url_args}
        if self.live_activity is None:
            aps["sound"] = sound
        else:
            aps.update(self.live_activity._members())
            if alert is None and sound is not None:
                raise invalid("payload.aps.sound", "the sound of a Live Activity needs a text")
            if self.launch_image is not None:
                raise invalid("payload.aps.alert.launch-image", "the alert of a Live Activity has none")
        return {name: value for name, value in aps.items() if value is not None}

    def _alert(self) -> Union[str, Dict[str, Any], None]:
        fields = {"title": self.title, "subtitle": self.subtitle, "body": self.body}
        texts = {name: text for name, text in fields.items() if text is not None}
        if self.live_activity is not None:
            live = {name: _localized(text) if isinstance(text, Localized) else text for name, text in texts.items()}
            return {**live, "sound": self._sound()} if live and self.sound is not None else live or None
        alert: Dict[str, Any] = {} if self.launch_image is None else {"launch-image": self.launch_image}
        for name, text in texts.items():
            if isinstance(text, Localized):
                prefix = "" if name == "body" else name + "-"
                alert.update({prefix + key: value for key, value in _localized(text).items()})
            else:
                alert[name] = text
        body: str = alert.get("body", "")
        return body if set(alert) == {"body"} else alert or None

    def _sound(self) -> Union[str, Dict[str, Any], None]:
        if not isinstance(self.sound, CriticalSound):
            return self.sound
        volume = {} if self.sound.volume is None else {"volume": self.sound.volume}
        return {"critical": 1, "name": self.sound.name, **volume}


# A payload: a notification, a JSON object, or JSON as text or bytes, which are sent as they are.
Payload = Union[Notification, Mapping[str, Any], str, bytes]
# Languages: by tag, payloads, or translations of the notification.
Languages = Mapping[str, Union[Payload, Translation]]


def payload_bytes(payload: Payload, push_type: Union[PushType, str], name: str = "payload") -> bytes:
    """Returns the bytes of a payload."""
    if type(payload) is bytes:
        return payload
    if isinstance(payload, Notification):
        return payload.payload(push_type)
    if isinstance(payload, Mapping):
        return write_json(payload)
    try:
        return payload.encode() if isinstance(payload, str) else bytes(memoryview(payload))
    except (TypeError, ValueError):
        raise invalid(name, "a Notification, a mapping, a text or bytes are needed") from None


def object_bytes(value: Any, name: str) -> bytes:
    """Returns the bytes of a JSON object that is not a notification."""
    if isinstance(value, Notification):
        raise invalid(name, "a mapping, a text or bytes are needed")
    return payload_bytes(value, PushType.ALERT, name)


def sorted_tags(languages: Mapping[str, Any]) -> List[str]:
    """Returns language tags, ascending in small letters; INVALID_ARGUMENT for one that is none or occurs twice."""
    if not isinstance(languages, Mapping):
        raise invalid("bodies", "a mapping by language tag is needed")
    tags = sorted(languages, key=lambda tag: (str(tag).lower(), str(tag)))
    for index, tag in enumerate(tags):
        if not isinstance(tag, str) or not (2 <= len(tag) <= 35 and LOCALE_LETTERS.issuperset(tag)):
            raise invalid(f"bodies.{tag}", "a language tag (RFC 5646) is needed")
        if index and tags[index - 1].lower() == tag.lower():
            raise invalid(f"bodies.{tag}", "the language occurs twice")
    return tags


def bodies(payload: Payload, languages: Languages, push_type: Union[PushType, str]) -> List[Dict[str, Any]]:
    """Returns the bodies of the languages as fields of a SEND."""
    found: List[Dict[str, Any]] = []
    for tag in sorted_tags(languages):
        each = languages[tag]
        if not isinstance(each, Translation):
            raw = payload_bytes(each, push_type, f"bodies.{tag}")
        elif isinstance(payload, Notification):
            raw = payload.translated({tag: each}, push_type)[0][1]
        else:
            raise invalid(f"bodies.{tag}", "a translation needs a Notification as payload")
        found.append({"language": tag, "payload": raw})
    return found


def _flag(value: bool) -> Optional[int]:
    return 1 if value else None


def _localized(text: Localized) -> Dict[str, Any]:
    return {"loc-key": text.loc_key, **({"loc-args": text.loc_args} if text.loc_args else {})}
