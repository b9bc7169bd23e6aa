"""All operations of the protocol, each defined once. The clients have them as methods.

A device is named by its id, by its token (bytes or hexadecimal; environment production, kind `device`), or by a
`Token`. Times are a `datetime` with a zone or milliseconds since 1970. An option that is not given is left out; None is
an error.
Section numbers are those of `Carillon-v1.md` and `Registries.md`, which have the limits and the errors of each request.
"""
# Long: it is the one list of all operations, with their documentation.
from __future__ import annotations

import hashlib
import json
import os
import struct
import uuid
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from . import answers
from ._calls import Call, unwritable
from ._codec import APPS, OPERATIONS, Layout, Operation, Reader, without_deadline
from ._methods import AppListing, AppOperation, Listing, ServerOperation
from ._types import UNWRITABLE
from ._values import UNSET, Time, answer_reader, bool_number, given_options, mapping_rows, milliseconds, reader
from .audience import (DEVICES, Audience, AudienceKind, DeviceReference, checked_list, checked_texts, device_bytes,
                       device_list, token_bytes)
from .enums import (Environment, Lane, MessageState, MessageUpdateAction, Outcome, OverBudget, PushType, ReceiptKind,
                    StoragePolicy, TokenKind, enum_number)
from .errors import CarillonError, code_name, invalid
from .payload import ALERT, Languages, Notification, Payload, bodies, object_bytes, payload_bytes

# An idempotency key: a UUID, its 16 bytes, or its text.
Key = Union[uuid.UUID, bytes, str]
# Says that a send has no idempotency key: it is not repeated when its effect is unknown.
NO_KEY = uuid.UUID(int=0)
# The time limit of `resend` that lifts that of the message.
NO_LIMIT = 2**64 - 1
PAGE = 1000

_ops: Dict[str, Operation] = OPERATIONS
_ANSWERS: Dict[str, Any] = {
    "register": answers.RegisterResult, "unregister": answers.UnregisterResult, "lookup": answers.DeviceRecord,
    "update_device": answers.DeviceId, "memberships": answers.Memberships, "restore": answers.DeviceId,
    "quarantine": answers.DeviceIdPage, "join": answers.JoinResult, "leave": answers.LeaveResult,
    "switch": answers.SwitchGroupResult, "group_devices": answers.DeviceIdPage, "groups": answers.GroupPage,
    "update_group": answers.GroupSize, "group_topics": answers.GroupTopicPage, "subscribe": answers.SubscribeResult,
    "unsubscribe": answers.SubscribeResult, "topics": answers.TopicPage, "topic_devices": answers.DeviceIdPage,
    "send": answers.SendResult, "explain": answers.Explanation, "message_status": answers.MessageStatus,
    "message_outcomes": answers.OutcomePage, "update_message": answers.UpdateMessageResult,
    "resend": answers.SendResult, "trace": answers.Trace, "receipts": answers.ReceiptResult,
    "receipt_devices": answers.DeviceIdPage, "forget_subscriber": answers.ForgetResult,
    "statistics": answers.Statistics, "remove_node": answers.RemoveNodeResult,
    "create_channel": answers.CreateChannelResult, "channel": answers.Channel, "channels": answers.ChannelPage,
    "delete_channel": answers.DeleteChannelResult}


class _Readers(Dict[str, Reader]):
    """What reads the answer of an operation; it is made at its first use."""

    def __missing__(self, name: str) -> Reader:
        self[name] = read = answer_reader(_ops[name].answer, _ANSWERS[name])
        return read


_read = _Readers()
_registered = reader(answers.RegisterResult)
_message, _details = reader(answers.MessageSummary), reader(answers.MessageDetails)
_LOOKUP, _SEND = _ops["lookup"], _ops["send"]
_read_lookup, _read_send = _read["lookup"], _read["send"]


def _call(client: AppOperations, name: str, fields: Dict[str, Any]) -> Call[Any]:
    """Returns a call of an operation."""
    return client._made(Call.of(_ops[name], fields, _read[name]))


def _expiration(value: Time, name: str) -> int:
    return milliseconds(value, name) // 1000


def _over_budget(value: Any, name: str) -> int:
    return enum_number(OverBudget, value, name)


def _lane(value: Any, name: str) -> int:
    return enum_number(Lane, value, name)


# What makes the field of a message from an option and its name. The options that are not here are sent as they are.
_FROM_OPTION: Dict[str, Callable[[Any, str], Any]] = {
    "expiration": _expiration, "not_after": milliseconds, "send_at": milliseconds, "over_budget": _over_budget,
    "except": device_bytes, "android": object_bytes, "android_raw": object_bytes, "web": object_bytes,
    "web_raw": object_bytes, "lane": _lane}


def _message_options(options: Dict[str, Any]) -> Dict[str, Any]:
    """Returns the fields of the options that are given."""
    fields = {}
    for name, value in options.items():
        if value is not UNSET:
            convert = _FROM_OPTION.get(name)
            fields[name] = value if convert is None else convert(value, name)
    return fields


@dataclass(frozen=True)
class Registration:
    """One item of `register_batch`; see `register`."""

    app: str
    token: Union[bytes, str]
    environment: Union[Environment, str] = Environment.PRODUCTION
    kind: Union[TokenKind, str] = TokenKind.DEVICE
    seen_at: Time = 0
    replaces: Union[bytes, str] = UNSET
    locale: str = UNSET
    topics: Sequence[str] = UNSET
    time_zone: str = UNSET
    groups: Sequence[str] = UNSET
    attributes: Mapping[str, str] = UNSET
    subscription: Any = UNSET

    @classmethod
    def of_browser(cls, app: str, subscription: Any, **options: Any) -> "Registration":
        """Makes the registration of a browser from its push subscription: what `PushSubscription.toJSON()` gives, as a
        dictionary or JSON. Its token is the SHA-256 of the endpoint."""
        return cls(app, browser_token(subscription), kind=TokenKind.WEB, subscription=subscription, **options)

    def __repr__(self) -> str:
        return f"Registration(app={self.app!r})"

    def _fields(self) -> Dict[str, Any]:
        """Returns the fields of REGISTER; INVALID_ARGUMENT for a value that is not allowed."""
        tags = given_options({name: getattr(self, name) for name in
                      ("replaces", "locale", "topics", "time_zone", "groups", "attributes", "subscription")})
        if "replaces" in tags:
            tags["replaces"] = token_bytes(tags["replaces"], "replaces")
        if "subscription" in tags:
            tags["subscription"] = object_bytes(tags["subscription"], "subscription")
        return {"app": self.app, "environment": enum_number(Environment, self.environment, "environment"),
                "kind": enum_number(TokenKind, self.kind, "kind"), "token": token_bytes(self.token),
                "seen_at": milliseconds(self.seen_at, "seen_at"), **_lists(tags)}


def browser_token(subscription: Any) -> bytes:
    """Returns the token of a browser with this push subscription: the SHA-256 of its endpoint (§16.3)."""
    endpoint = json.loads(object_bytes(subscription, "subscription")).get("endpoint")
    if not isinstance(endpoint, str):
        raise ValueError("the subscription has no endpoint")
    return hashlib.sha256(endpoint.encode()).digest()


def _lists(tags: Dict[str, Any]) -> Dict[str, Any]:
    """Checks the lists among tags, and makes rows of attributes."""
    for name in ("topics", "groups"):
        if name in tags:
            tags[name] = checked_texts(tags[name], name)
    if "attributes" in tags:
        tags["attributes"] = mapping_rows(tags["attributes"], "attributes")
    return tags


def key_bytes(key: Key) -> bytes:
    """Returns the bytes of an idempotency key."""
    try:
        raw = key.bytes if isinstance(key, uuid.UUID) else uuid.UUID(key).bytes if isinstance(key, str) else bytes(key)
    except (ValueError, TypeError, AttributeError):
        raw = b""
    if len(raw) != 16:
        raise invalid("key", "a UUID is needed")
    return raw


def random_key() -> bytes:
    """Returns a UUID of version 4 from the random source of the system, which is asked for 256 at a time."""
    try:
        return _random_keys.pop()
    except IndexError:
        raw = int.from_bytes(os.urandom(4096), "big") & _RANDOM_BITS | _FIXED_BITS
        first, *others = _divided(raw.to_bytes(4096, "big"))
        _random_keys.extend(others)
        return first


# The bits of 256 UUIDs that are random, and those that say version and variant.
_RANDOM_BITS = int.from_bytes(256 * uuid.UUID("ffffffff-ffff-0fff-3fff-ffffffffffff").bytes, "big")
_FIXED_BITS = int.from_bytes(256 * uuid.UUID("00000000-0000-4000-8000-000000000000").bytes, "big")
_divided: Callable[[bytes], Tuple[bytes, ...]] = struct.Struct(256 * "16s").unpack
_random_keys: List[bytes] = []
# A child process must not have the keys of its parent.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_random_keys.clear)


def _batch(fields: Dict[str, Any]) -> List[answers.BatchResult]:
    return [answers.BatchResult(each["code"], each["device_id"], _registered(each).result,
                                code_name(each["code"]) if each["code"] else None) for each in fields["results"]]


def _messages(fields: Dict[str, Any]) -> answers.MessagePage:
    messages = [_message(each) for each in fields["messages"]]
    for message, details in zip(messages, fields.get("details", ())):
        message.details = _details(details)
    return answers.MessagePage(fields["next"], messages)


def _devices(fields: Dict[str, Any]) -> answers.DevicePage:
    read = _read["lookup"]
    return answers.DevicePage(fields["next"], [read(raw, 0, len(raw)) for raw in fields["devices"]])


def _converted(layout: Layout, convert: Callable[[Dict[str, Any]], Any]) -> Reader:
    """Returns a reader that makes a value of the fields of an answer."""
    return lambda data, at, end: convert(layout.read(data, at, end))


for _name, _convert in (("register_batch", _batch), ("messages", _messages), ("devices", _devices)):
    _read[_name] = _converted(_ops[_name].answer, _convert)


def _announcement(announcement: Payload, languages: Languages) -> Dict[str, Any]:
    """Returns the fields of the announcement of a `join` or `switch`."""
    tags = given_options({"announcement": announcement, "languages": languages})
    fields: Dict[str, Any] = {}
    if "announcement" in tags:
        fields["announcement"] = payload_bytes(announcement, PushType.ALERT, "announcement")
    if "languages" in tags:
        fields["bodies"] = bodies(tags.get("announcement", b""), languages, PushType.ALERT)
    return fields


def _build(name: str, app: str, *arguments: Any, **options: Any) -> Call[Any]:
    """Returns the request of a page, by the operation's own definition."""
    made: Call[Any] = AppOperations.__dict__[name].build(AppOperations(), app, *arguments, **options)
    return made


class AppOperations:
    """The operations that concern one app."""

    def _made(self, call: Call[Any]) -> Call[Any]:
        """Returns a call that has just been made; a batch keeps it."""
        return call

    # Devices

    @AppOperation
    def register(self, app: str, token: Union[bytes, str], *, environment: Union[Environment, str] = "production",
                 kind: Union[TokenKind, str] = "device", seen_at: Time = 0, replaces: Union[bytes, str] = UNSET,
                 locale: str = UNSET, topics: Sequence[str] = UNSET, time_zone: str = UNSET,
                 groups: Sequence[str] = UNSET, attributes: Mapping[str, str] = UNSET,
                 subscription: Any = UNSET) -> Call[answers.RegisterResult]:
        """Registers a device (§7.1). `seen_at` is when the app saw the token; 0: now, by the server's clock.

        With a `seen_at` the client repeats the request after a lost connection, without one it does not. `replaces` is
        the old token of the same device. An empty `locale` or `time_zone` forgets what is stored, and an empty value of
        an attribute removes it. `subscription` is the push subscription of a browser, whose kind is `web` and whose
        token is `browser_token(subscription)`: what `PushSubscription.toJSON()` gives, as a dictionary or JSON.
        """
        item = Registration(app, token, environment=environment, kind=kind, seen_at=seen_at, replaces=replaces,
                            locale=locale, topics=topics, time_zone=time_zone, groups=groups, attributes=attributes,
                            subscription=subscription)
        return _call(self, "register", item._fields())

    @AppOperation
    def unregister(self, app: str, device: DeviceReference, *, at: Time = 0) -> Call[answers.UnregisterResult]:
        """Ends a registration (§7.3). `at` is when the device was unregistered; 0: now, by the server's clock.

        Without a time the request is not repeated after a lost answer.
        """
        return _call(self, "unregister", {"app": app, "device": device_bytes(device), "at": milliseconds(at, "at")})

    @AppOperation
    def lookup(self, app: str, device: DeviceReference) -> Call[answers.DeviceRecord]:
        """Returns what is stored of a device (§7.4). NOT_FOUND of `device` if there is none."""
        raw = device_bytes(device)
        try:
            fixed = _LOOKUP.request.write_values(app, raw)
        except UNWRITABLE as error:
            raise unwritable(_LOOKUP, {"app": app, "device": raw}, error) from None
        return self._made(Call(_LOOKUP, _read_lookup, fixed, 0, b""))

    @AppOperation
    def update_device(self, app: str, device: DeviceReference, *, locale: str = UNSET, time_zone: str = UNSET,
                      attributes: Mapping[str, str] = UNSET, muted: bool = UNSET) -> Call[answers.DeviceId]:
        """Changes what is stored of a device (§7.5). What is not given stays; an empty text removes what is stored."""
        tags = given_options({"locale": locale, "time_zone": time_zone, "attributes": attributes, "muted": muted})
        if "muted" in tags:
            tags["muted"] = bool_number(muted, "muted")
        return _call(self, "update_device", {"app": app, "device": device_bytes(device), **_lists(tags)})

    @AppOperation
    def memberships(self, app: str, device: DeviceReference, *, after: str = "", limit: int = PAGE
                    ) -> Call[answers.Memberships]:
        """Returns the groups of a device and a page of its topics (§7.6)."""
        return _call(self, "memberships", {"app": app, "device": device_bytes(device), "after": after,
                                           "limit": limit})

    @AppOperation
    def restore(self, app: str, device: DeviceReference) -> Call[answers.DeviceId]:
        """Takes a device out of quarantine (§7.7)."""
        return _call(self, "restore", {"app": app, "device": device_bytes(device)})

    @AppOperation
    def quarantined_devices(self, app: str, *, cursor: int = 0, limit: int = PAGE) -> Call[answers.DeviceIdPage]:
        """Returns a page of the devices whose tokens the provider has declared dead (§7.8)."""
        return _call(self, "quarantine", {"app": app, "cursor": cursor, "limit": limit})

    @AppOperation
    def devices(self, app: str, *, cursor: int = 0, limit: int = PAGE) -> Call[answers.DevicePage]:
        """Returns a page of all devices of an app (§13.2); role admin."""
        return _call(self, "devices", {"app": app, "cursor": cursor, "limit": limit})

    # Groups

    @AppOperation
    def join(self, app: str, group: str, devices: Sequence[DeviceReference], *, announcement: Payload = UNSET,
             languages: Languages = UNSET) -> Call[answers.JoinResult]:
        """Adds devices to a group (§8.1). `announcement` is an alert for the other devices of the group.

        `languages` are its payloads by language tag, or translations of a notification.
        """
        return _call(self, "join", {"app": app, "group": group, "devices": device_list(devices),
                                    **_announcement(announcement, languages)})

    @AppOperation
    def leave(self, app: str, group: str, devices: Sequence[DeviceReference], *, clear_topics: bool = UNSET
              ) -> Call[answers.LeaveResult]:
        """Removes devices from a group (§8.2). With `clear_topics` their own subscriptions end too."""
        tags = {} if clear_topics is UNSET else {"clear_topics": bool_number(clear_topics, "clear_topics")}
        return _call(self, "leave", {"app": app, "group": group, "devices": device_list(devices), **tags})

    @AppOperation
    def switch(self, app: str, device: DeviceReference, from_group: str, to_group: str, *,
               announcement: Payload = UNSET, languages: Languages = UNSET) -> Call[answers.SwitchGroupResult]:
        """Moves a device from one group to another in one step (§8.3); for the rest see `join`."""
        return _call(self, "switch", {"app": app, "device": device_bytes(device), "from": from_group, "to": to_group,
                                      **_announcement(announcement, languages)})

    @AppOperation
    def group_devices(self, app: str, group: str, *, cursor: int = 0, limit: int = PAGE) -> Call[answers.DeviceIdPage]:
        """Returns a page of the devices of a group (§8.4)."""
        return _call(self, "group_devices", {"app": app, "group": group, "cursor": cursor, "limit": limit})

    @AppOperation
    def groups(self, app: str, *, prefix: str = "", after: str = "", limit: int = PAGE) -> Call[answers.GroupPage]:
        """Returns a page of groups whose names begin with `prefix` (§8.5)."""
        return _call(self, "groups", {"app": app, "prefix": prefix, "after": after, "limit": limit})

    @AppOperation
    def group_size(self, app: str, group: str) -> Call[answers.GroupSize]:
        """Returns the number of devices of a group (§8.6)."""
        return _call(self, "update_group", {"app": app, "group": group})

    @AppOperation
    def set_group_muted(self, app: str, group: str, muted: bool) -> Call[answers.GroupSize]:
        """Mutes or unmutes a group (§8.6), and returns its number of devices."""
        return _call(self, "update_group", {"app": app, "group": group, "muted": bool_number(muted, "muted")})

    @AppOperation
    def group_topics(self, app: str, group: str, *, after: str = "", limit: int = PAGE) -> Call[answers.GroupTopicPage]:
        """Returns a page of the topics that a group itself is subscribed to (§8.7)."""
        return _call(self, "group_topics", {"app": app, "group": group, "after": after, "limit": limit})

    # Topics

    @AppOperation
    def subscribe(self, app: str, topics: Sequence[str], *, devices: Sequence[DeviceReference] = (),
                  groups: Sequence[str] = ()) -> Call[answers.SubscribeResult]:
        """Subscribes devices, and groups with all their devices, to topics (§9.1)."""
        return _call(self, "subscribe", {"app": app, "topics": checked_texts(topics, "topics"),
                                         "devices": device_list(devices), "groups": checked_texts(groups, "groups")})

    @AppOperation
    def unsubscribe(self, app: str, topics: Sequence[str], *, devices: Sequence[DeviceReference] = (),
                    groups: Sequence[str] = ()) -> Call[answers.SubscribeResult]:
        """Ends subscriptions (§9.1)."""
        return _call(self, "unsubscribe", {"app": app, "topics": checked_texts(topics, "topics"),
                                           "devices": device_list(devices), "groups": checked_texts(groups, "groups")})

    @AppOperation
    def topics(self, app: str, *, prefix: str = "", after: str = "", limit: int = PAGE) -> Call[answers.TopicPage]:
        """Returns a page of topics whose names begin with `prefix` (§9.2)."""
        return _call(self, "topics", {"app": app, "prefix": prefix, "after": after, "limit": limit})

    @AppOperation
    def topic_devices(self, app: str, topic: str, *, cursor: int = 0, limit: int = PAGE) -> Call[answers.DeviceIdPage]:
        """Returns a page of the devices of a topic (§9.3)."""
        return _call(self, "topic_devices", {"app": app, "topic": topic, "cursor": cursor, "limit": limit})

    # Messages

    @AppOperation
    def send(self, app: str, audience: Audience, payload: Payload, *, languages: Languages = UNSET,
             only_languages: bool = False, push_type: Union[PushType, str] = "alert", priority: int = 0,
             key: Key = UNSET, expiration: Time = UNSET, collapse_id: str = UNSET, not_after: Time = UNSET,
             lane: Union[Lane, str] = UNSET, excluded_device: DeviceReference = UNSET, dry_run: bool = False,
             send_at: Time = UNSET, pace: int = UNSET, over_budget: Union[OverBudget, str] = UNSET, id_key: str = UNSET,
             label: str = UNSET, android: Any = UNSET, android_raw: Any = UNSET, web: Any = UNSET,
             web_raw: Any = UNSET, traceparent: str = UNSET) -> Call[answers.SendResult]:
        """Sends a message (§10.1). It is on disk when this returns; `wait_until_finished` says what became of it.

        Args:
            app: the bundle id.
            audience: `devices`, `groups`, `topic`, `condition`, `channel` or `all_devices` of this package.
            payload: a `Notification`, a JSON object, or JSON as text or bytes.
            languages: by language tag, payloads, or a `Translation` of the notification.
            only_languages: True: devices without a fitting language get no push, and `payload` only serves the
                translations.
            push_type: what the push is (§16.4).
            priority: 10, 5 or 1; 0: the usual one of the push type.
            key: the idempotency key; without it the client makes one. `NO_KEY`: the request is never repeated when its
                effect is unknown.
            expiration: until when the provider stores the push; 0: it tries once. Whole seconds count.
            collapse_id: a later push of the same id replaces this one on the device.
            not_after: no attempt starts after this time.
            lane: `interactive` (default) or `bulk`.
            excluded_device: a device that is left out of the audience.
            dry_run: True: everything is checked and counted, nothing is sent.
            send_at: when it is sent, at most 366 days ahead.
            pace: deliveries a second at most.
            over_budget: `drop` or `wait`: what becomes of a silent push for a device that had enough of them.
            id_key: each payload gets the id of the message under this key, for receipts.
            label: a short description for listings; it is not sent to devices.
            android: members of FCM's `message.android`, a JSON object: they override what is made of the payload.
            android_raw: FCM's `message` without its target, a JSON object: nothing is made of the payload.
            web: overrides what browsers get, a JSON object: `notification`, `mutable`, `ttl`, `urgency`, `topic`.
            web_raw: what the service worker of a browser gets, a JSON object: nothing is made of the payload.
            traceparent: the distributed trace that it belongs to, as W3C Trace Context writes it: the server's log,
                `message_status` and events have it.
        """
        if type(audience) is not Audience:
            raise invalid("audience", "use devices, groups, topic, condition, channel or all_devices")
        fields = {"app": app, "key": random_key() if key is UNSET else key_bytes(key),
                  "push_type": enum_number(PushType, push_type, "push_type"), "priority": priority,
                  "audience": audience._kind, "devices": audience._devices,
                  "payload": payload_bytes(payload, push_type), **audience._tags}
        if bool_number(only_languages, "only_languages"):
            fields["payload"] = b""
        if bool_number(dry_run, "dry_run"):
            fields["dry_run"] = 1
        if languages is not UNSET:
            fields["bodies"] = bodies(payload, languages, push_type)
        fields.update(_message_options({
            "expiration": expiration, "not_after": not_after, "send_at": send_at, "over_budget": over_budget,
            "except": excluded_device, "android": android, "android_raw": android_raw, "web": web, "web_raw": web_raw,
            "collapse_id": collapse_id, "pace": pace, "id_key": id_key, "label": label, "traceparent": traceparent,
            "lane": lane}))
        return _call(self, "send", fields)

    @AppOperation
    def message_status(self, app: str, message_id: int) -> Call[answers.MessageStatus]:
        """Returns the state of a message (§10.2)."""
        return _call(self, "message_status", {"app": app, "message_id": message_id})

    @AppOperation
    def message_outcomes(self, app: str, message_id: int, *, cursor: int = 0, limit: int = PAGE
                         ) -> Call[answers.OutcomePage]:
        """Returns a page of the recipients of a message with their outcomes (§10.3)."""
        return _call(self, "message_outcomes", {"app": app, "message_id": message_id, "cursor": cursor,
                                                "limit": limit})

    @AppOperation
    def explain(self, app: str, condition: str) -> Call[answers.Explanation]:
        """Counts the devices of a condition and of its sets (§9.4)."""
        return _call(self, "explain", {"app": app, "condition": condition})

    @AppOperation
    def messages(self, app: str, *, before: int = 0, limit: int = PAGE, state: Union[MessageState, str] = UNSET,
                 sender: str = UNSET, label: str = UNSET) -> Call[answers.MessagePage]:
        """Returns a page of messages, the newest first (§10.5). A message must meet all filters."""
        tags = given_options({"state": state, "sender": sender, "label": label})
        if "state" in tags:
            tags["state"] = enum_number(MessageState, state, "state")
        return _call(self, "messages", {"app": app, "before": before, "limit": limit, **tags})

    @AppOperation
    def update_message(self, app: str, message_id: int, action: Union[MessageUpdateAction, str], *,
                       pace: int = UNSET) -> Call[answers.UpdateMessageResult]:
        """Cancels, pauses, resumes or paces a message (§10.6): `pace` is deliveries a second at most.

        The action `pace` without `pace` lifts that bound. `resume` is not repeated after a lost answer.
        """
        return _call(self, "update_message", {
            "app": app, "message_id": message_id, "action": enum_number(MessageUpdateAction, action, "action"),
            **given_options({"pace": pace})})

    @AppOperation
    def resend(self, app: str, message_id: int, *, outcomes: Sequence[Union[Outcome, str]] = UNSET, key: Key = UNSET,
               not_after: Time = UNSET) -> Call[answers.SendResult]:
        """Sends a finished message again to those of its devices that ended in `outcomes` (§10.7).

        Without `outcomes`: in every outcome that a second attempt can improve. `NO_LIMIT` as `not_after` lifts the
        limit of the old message.
        """
        tags = given_options({"outcomes": outcomes, "not_after": not_after})
        if "outcomes" in tags and not checked_list(outcomes, "outcomes"):
            raise invalid("outcomes", "leave it out: an empty list would mean all")
        fields: Dict[str, Any] = {
            "app": app, "message_id": message_id, "key": random_key() if key is UNSET else key_bytes(key),
            "outcomes": [enum_number(Outcome, each, "outcomes") for each in tags.get("outcomes", ())]}
        if "not_after" in tags:
            fields["not_after"] = milliseconds(not_after, "not_after")
        return _call(self, "resend", fields)

    @AppOperation
    def trace(self, app: str, message_id: int, device: DeviceReference) -> Call[answers.Trace]:
        """Says why a device did or did not get a message (§10.8)."""
        return _call(self, "trace", {"app": app, "message_id": message_id, "device": device_bytes(device)})

    # Receipts

    @AppOperation
    def report_receipts(self, app: str, receipts: Iterable[Tuple[int, DeviceReference, Union[ReceiptKind, str]]]
                        ) -> Call[answers.ReceiptResult]:
        """Reports what apps have told about pushes (§12.1): message id, device, and `received` or `opened`."""
        rows = []
        for index, each in enumerate(checked_list(receipts, "receipts")):
            try:
                message_id, device, kind = each
                rows.append({"message_id": message_id, "device": device_bytes(device, "receipts"),
                             "kind": enum_number(ReceiptKind, kind, "receipts")})
            except (TypeError, ValueError):
                raise invalid("receipts", "a message id, a device and a kind are needed", index) from None
            except CarillonError as error:
                error.item = index
                raise
        return _call(self, "receipts", {"app": app, "receipts": rows})

    @AppOperation
    def receipt_devices(self, app: str, message_id: int, kind: Union[ReceiptKind, str], *, cursor: int = 0,
                        limit: int = PAGE) -> Call[answers.DeviceIdPage]:
        """Returns a page of the devices with such a receipt (§12.2)."""
        return _call(self, "receipt_devices", {"app": app, "message_id": message_id, "cursor": cursor, "limit": limit,
                                               "kind": enum_number(ReceiptKind, kind, "kind")})

    # Broadcast channels

    @AppOperation
    def create_channel(self, app: str, storage_policy: Union[StoragePolicy, str], *,
                       environment: Union[Environment, str] = "production") -> Call[answers.CreateChannelResult]:
        """Creates a broadcast channel (§14.1). It is not repeated after a lost answer: APNs would create another."""
        return _call(self, "create_channel", {
            "app": app, "environment": enum_number(Environment, environment, "environment"),
            "storage_policy": enum_number(StoragePolicy, storage_policy, "storage_policy")})

    @AppOperation
    def channel(self, app: str, channel: str, *,
                environment: Union[Environment, str] = "production") -> Call[answers.Channel]:
        """Returns what APNs stores of the messages of a broadcast channel (§14.2)."""
        return _call(self, "channel", {"app": app, "environment": enum_number(Environment, environment, "environment"),
                                 "channel": channel})

    @AppOperation
    def channels(self, app: str, *, environment: Union[Environment, str] = "production", after: str = "",
                 limit: int = PAGE) -> Call[answers.ChannelPage]:
        """Returns a page of the broadcast channels (§14.3)."""
        return _call(self, "channels", {"app": app, "environment": enum_number(Environment, environment, "environment"),
                                  "after": after, "limit": limit})

    @AppOperation
    def delete_channel(self, app: str, channel: str, *,
                       environment: Union[Environment, str] = "production") -> Call[answers.DeleteChannelResult]:
        """Deletes a broadcast channel for ever (§14.4)."""
        return _call(self, "delete_channel", {
            "app": app, "environment": enum_number(Environment, environment, "environment"), "channel": channel})

    # Iterators over all pages of a listing: they ask for the next page when it is needed

    @AppListing
    def iter_topics_of(self, app: str, device: DeviceReference) -> Listing[answers.TopicMembership]:
        """Iterates over the topics of a device."""
        return Listing("", lambda after: _build("memberships", app, device, after=after),
                       lambda page: page.topics)

    @AppListing
    def iter_quarantined_devices(self, app: str) -> Listing[int]:
        """Iterates over the ids of the devices in quarantine."""
        return Listing(0, lambda cursor: _build("quarantined_devices", app, cursor=cursor),
                       lambda page: page.devices)

    @AppListing
    def iter_devices(self, app: str) -> Listing[answers.DeviceRecord]:
        """Iterates over all devices of an app; role admin."""
        return Listing(0, lambda cursor: _build("devices", app, cursor=cursor), lambda page: page.devices)

    @AppListing
    def iter_group_devices(self, app: str, group: str) -> Listing[int]:
        """Iterates over the ids of the devices of a group."""
        return Listing(0, lambda cursor: _build("group_devices", app, group, cursor=cursor),
                       lambda page: page.devices)

    @AppListing
    def iter_groups(self, app: str, *, prefix: str = "") -> Listing[answers.GroupSummary]:
        """Iterates over groups."""
        return Listing("", lambda after: _build("groups", app, prefix=prefix, after=after),
                       lambda page: page.groups)

    @AppListing
    def iter_group_topics(self, app: str, group: str) -> Listing[str]:
        """Iterates over the topics that a group itself is subscribed to."""
        return Listing("", lambda after: _build("group_topics", app, group, after=after),
                       lambda page: page.topics)

    @AppListing
    def iter_channels(self, app: str, *, environment: Union[Environment, str] = "production") -> Listing[str]:
        """Iterates over the ids of the broadcast channels."""
        return Listing("", lambda after: _build("channels", app, environment=environment, after=after),
                       lambda page: page.channels)

    @AppListing
    def iter_topics(self, app: str, *, prefix: str = "") -> Listing[answers.TopicSummary]:
        """Iterates over topics."""
        return Listing("", lambda after: _build("topics", app, prefix=prefix, after=after),
                       lambda page: page.topics)

    @AppListing
    def iter_topic_devices(self, app: str, topic: str) -> Listing[int]:
        """Iterates over the ids of the devices of a topic."""
        return Listing(0, lambda cursor: _build("topic_devices", app, topic, cursor=cursor),
                       lambda page: page.devices)

    @AppListing
    def iter_message_outcomes(self, app: str, message_id: int) -> Listing[answers.RecipientOutcome]:
        """Iterates over the recipients of a message."""
        return Listing(0, lambda cursor: _build("message_outcomes", app, message_id, cursor=cursor),
                       lambda page: page.recipients)

    @AppListing
    def iter_messages(self, app: str, *, state: Union[MessageState, str] = UNSET, sender: str = UNSET,
                      label: str = UNSET) -> Listing[answers.MessageSummary]:
        """Iterates over messages, the newest first."""
        filters = {"state": state, "sender": sender, "label": label}
        return Listing(0, lambda before: _build("messages", app, before=before, **filters), lambda page: page.messages)

    @AppListing
    def iter_receipt_devices(self, app: str, message_id: int, kind: Union[ReceiptKind, str]) -> Listing[int]:
        """Iterates over the ids of the devices with such a receipt."""
        return Listing(0, lambda cursor: _build("receipt_devices", app, message_id, kind, cursor=cursor),
                       lambda page: page.devices)


class Operations(AppOperations):
    """All operations, each with the app as first argument where it concerns one."""

    @ServerOperation
    def register_batch(self, registrations: Iterable[Registration]) -> Call[List[answers.BatchResult]]:
        """Registers many devices in one durable step (§7.2). An item that is refused does not affect the others."""
        payloads = []
        for index, each in enumerate(checked_list(registrations, "items")):
            if not isinstance(each, Registration):
                raise invalid("items", "a Registration is needed", index)
            try:
                payloads.append(without_deadline(_ops["register"].request.write(each._fields())))
            except CarillonError as error:
                raise invalid("items", f"{error.field}: {error.message}", index) from None
            except (ValueError, TypeError, AttributeError, OverflowError, ArithmeticError) as error:
                raise invalid("items", f"the item cannot be encoded: {type(error).__name__}", index) from None
        return _call(self, "register_batch", {"items": payloads})

    @ServerOperation
    def forget_subscriber(self, name: str) -> Call[answers.ForgetResult]:
        """Removes a name of event subscriptions with what it has acknowledged (§11.5)."""
        return _call(self, "forget_subscriber", {"name": name})

    @ServerOperation
    def statistics(self, *, limit: int = PAGE) -> Call[answers.Statistics]:
        """Returns the state of the server (§13.1); each list has at most `limit` rows."""
        return _call(self, "statistics", {"limit": limit})

    @ServerOperation
    def remove_node(self, node: str) -> Call[answers.RemoveNodeResult]:
        """Ends the incarnation of a node of the cluster at once (§13.3). One that lives joins again by itself."""
        return _call(self, "remove_node", {"node": node})


# The number of tags and their bytes, for the options that most messages have: none, or a lane.
_LANE_TAGS: Dict[Any, Tuple[int, bytes]] = {
    UNSET: (0, b""), **{str(lane): _SEND.request.write_tags({"lane": lane.value}) for lane in Lane}}
_USUAL_PRIORITY = 0
_ALERT_TO_DEVICES = bytes((PushType.ALERT, _USUAL_PRIORITY, AudienceKind.DEVICES))
_length_bytes = struct.Struct(">I").pack
_join = b"".join


def _plain_send(self: Any, app: str, audience: Audience, payload: Payload, *, lane: Union[Lane, str] = UNSET,
                **options: Any) -> Call[answers.SendResult]:
    """Makes most messages: a notification or bytes for devices, with no option but the lane. Leaves the others to the
    definition of `send`. It is straight code, because it runs for each message."""
    try:
        app_field, (tag_count, tags) = APPS[app], _LANE_TAGS[lane]
    except (KeyError, TypeError):  # an app that has not been named yet, a member of `Lane`, or a fault
        return _send(self, app, audience, payload, lane=lane, **options)
    if options or type(audience) is not Audience or audience._kind is not DEVICES:
        return _send(self, app, audience, payload, lane=lane, **options)
    if type(payload) is Notification:
        payload_field = payload._made(ALERT).field
    elif type(payload) is bytes:
        payload_field = _length_bytes(len(payload)) + payload
    else:
        return _send(self, app, audience, payload, lane=lane)
    try:
        key = _random_keys.pop()
    except IndexError:
        key = random_key()
    fixed = _join((app_field, key, _ALERT_TO_DEVICES, audience._devices, payload_field))
    made: Call[answers.SendResult] = self._made(Call(_SEND, _read_send, fixed, tag_count, tags))
    return made


_send: Callable[..., Call[answers.SendResult]] = AppOperations.__dict__["send"].build
AppOperations.__dict__["send"].implementation = _plain_send


def next_cursor(page: Any) -> Optional[Any]:
    """Returns the cursor of the next page; None if this was the last."""
    return page.next or None
