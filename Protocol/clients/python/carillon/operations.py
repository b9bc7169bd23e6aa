"""All operations of the protocol, each defined once. The clients have them as methods.

A device is named by its id, by its token (bytes or hexadecimal; environment production, kind `device`), or by a
`Token`. Times are a `datetime` with a zone or milliseconds since 1970. An option that is not given is left out; None is
an error.
Section numbers are those of `Carillon-v1.md`; it has the limits and the errors of each request.
"""
# Long: it is the one list of all operations, with their documentation.
from __future__ import annotations

import os
import uuid
from dataclasses import dataclass
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from . import answers
from ._calls import Request
from ._codec import OPERATIONS, Operation, without_deadline
from ._methods import AppOperation, Listing, Pages, ServerOperation
from ._values import UNSET, Time, flag, given, milliseconds, pairs, reader
from .audience import Audience, DeviceLike, audience_fields, device_bytes, device_list, items, texts, token_bytes
from .enums import (Action, Environment, Lane, MessageState, Outcome, OverBudget, PushType, ReceiptKind, TokenKind,
                    number)
from .errors import CarillonError, code_name, invalid
from .payload import Languages, Payload, bodies, payload_bytes

# An idempotency key: a UUID, its 16 bytes, or its text.
Key = Union[uuid.UUID, bytes, str]
# Says that a send has no idempotency key: it is not repeated when its effect is unknown.
NO_KEY = uuid.UUID(int=0)
# The time limit of `resend` that lifts that of the message.
NO_LIMIT = 2**64 - 1
PAGE = 1000

_ops: Dict[str, Operation] = OPERATIONS
_device_ids = reader(answers.DeviceIds)
_device = reader(answers.Device)
_subscribed = reader(answers.Subscribed)
_sent = reader(answers.Sent)
_registered = reader(answers.Registered)
_device_id = reader(answers.DeviceId)
_readers: Dict[str, Any] = {
    "unregister": answers.Unregistered, "memberships": answers.Memberships, "join": answers.Joined,
    "leave": answers.Left, "switch": answers.Switched, "groups": answers.Groups, "update_group": answers.GroupSize,
    "group_topics": answers.GroupTopics, "topics": answers.Topics, "explain": answers.Explanation,
    "message_status": answers.MessageStatus, "message_outcomes": answers.Recipients, "steer": answers.Steered,
    "trace": answers.Trace, "forget_subscriber": answers.Forgotten, "receipts": answers.Counted,
    "statistics": answers.Statistics}
_read = {name: reader(kind) for name, kind in _readers.items()}
_message, _details = reader(answers.Message), reader(answers.MessageDetails)
_lookup_request, _send_request = _ops["lookup"], _ops["send"]


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

    def __repr__(self) -> str:
        return f"Registration(app={self.app!r})"

    def _fields(self) -> Dict[str, Any]:
        tags = given({name: getattr(self, name) for name in
                      ("replaces", "locale", "topics", "time_zone", "groups", "attributes")})
        if "replaces" in tags:
            tags["replaces"] = token_bytes(tags["replaces"], "replaces")
        return {"app": self.app, "environment": number(Environment, self.environment, "environment"),
                "kind": number(TokenKind, self.kind, "kind"), "token": token_bytes(self.token),
                "seen_at": milliseconds(self.seen_at, "seen_at"), **_lists(tags)}


def _lists(tags: Dict[str, Any]) -> Dict[str, Any]:
    """Checks the lists among tags, and makes rows of attributes."""
    for name in ("topics", "groups"):
        if name in tags:
            tags[name] = texts(tags[name], name)
    if "attributes" in tags:
        tags["attributes"] = pairs(tags["attributes"], "attributes")
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
        raw = bytearray(_random.pop())
    except IndexError:
        data = os.urandom(4096)
        raw = bytearray(data[:16])
        _random.extend([data[at:at + 16] for at in range(16, 4096, 16)])
    raw[6], raw[8] = raw[6] & 0x0F | 0x40, raw[8] & 0x3F | 0x80
    return bytes(raw)


_random: List[bytes] = []
# A child process must not have the keys of its parent.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_random.clear)


def _batch(fields: Dict[str, Any]) -> List[answers.BatchResult]:
    return [answers.BatchResult(each["code"], each["device_id"], _registered(each).result,
                                code_name(each["code"]) if each["code"] else None) for each in fields["results"]]


def _messages(fields: Dict[str, Any]) -> answers.Messages:
    found = [_message(each) for each in fields["messages"]]
    for message, details in zip(found, fields.get("details", ())):
        message.details = _details(details)
    return answers.Messages(fields["next"], found)


def _devices(fields: Dict[str, Any]) -> answers.Devices:
    read = _ops["lookup"].response.read
    return answers.Devices(fields["next"], [_device(read(raw)) for raw in fields["devices"]])


def _announcement(announcement: Payload, languages: Languages) -> Dict[str, Any]:
    tags = given({"announcement": announcement, "languages": languages})
    found: Dict[str, Any] = {}
    if "announcement" in tags:
        found["announcement"] = payload_bytes(announcement, PushType.ALERT, "announcement")
    if "languages" in tags:
        found["bodies"] = bodies(tags.get("announcement", b""), languages, PushType.ALERT)
    return found


def _build(name: str, app: str, *arguments: Any, **options: Any) -> Request[Any]:
    """Returns the request of a page, by the operation's own definition."""
    made: Request[Any] = AppOperations.__dict__[name].build(None, app, *arguments, **options)
    return made


class AppOperations:
    """The operations that concern one app."""

    # Devices

    @AppOperation
    def register(self, app: str, token: Union[bytes, str], *, environment: Union[Environment, str] = "production",
                 kind: Union[TokenKind, str] = "device", seen_at: Time = 0, replaces: Union[bytes, str] = UNSET,
                 locale: str = UNSET, topics: Sequence[str] = UNSET, time_zone: str = UNSET,
                 groups: Sequence[str] = UNSET, attributes: Mapping[str, str] = UNSET) -> Request[answers.Registered]:
        """Registers a device (§7.1). `seen_at` is when the app saw the token; 0: now, by the server's clock.

        With a `seen_at` the request is repeated safely after a lost connection, without one it is not. `replaces` is
        the old token of the same device. An empty `locale` or `time_zone`, and an empty value of an attribute, is
        forgotten.
        """
        item = Registration(app, token, environment, kind, seen_at, replaces, locale, topics, time_zone, groups,
                            attributes)
        return Request(_ops["register"], item._fields(), _registered)

    @AppOperation
    def unregister(self, app: str, device: DeviceLike, *, at: Time = 0) -> Request[answers.Unregistered]:
        """Ends a registration (§7.3). `at` is when the device was unregistered; 0: now. With a time it is repeated."""
        return Request(_ops["unregister"], {"app": app, "device": device_bytes(device), "at": milliseconds(at, "at")},
                       _read["unregister"])

    @AppOperation
    def lookup(self, app: str, device: DeviceLike) -> Request[answers.Device]:
        """Returns what is stored of a device (§7.4). NOT_FOUND of `device` if there is none."""
        return Request(_lookup_request, {"app": app, "device": device_bytes(device)}, _device)

    @AppOperation
    def update_device(self, app: str, device: DeviceLike, *, locale: str = UNSET, time_zone: str = UNSET,
                      attributes: Mapping[str, str] = UNSET, muted: bool = UNSET) -> Request[answers.DeviceId]:
        """Changes what is stored of a device (§7.5). What is not given stays; an empty text is forgotten."""
        tags = given({"locale": locale, "time_zone": time_zone, "attributes": attributes, "muted": muted})
        if "muted" in tags:
            tags["muted"] = flag(muted, "muted")
        return Request(_ops["update_device"], {"app": app, "device": device_bytes(device), **_lists(tags)}, _device_id)

    @AppOperation
    def memberships(self, app: str, device: DeviceLike, *, after: str = "", limit: int = PAGE
                    ) -> Request[answers.Memberships]:
        """Returns the groups of a device and a page of its topics (§7.6)."""
        return Request(_ops["memberships"], {"app": app, "device": device_bytes(device), "after": after,
                                             "limit": limit}, _read["memberships"])

    @AppOperation
    def restore(self, app: str, device: DeviceLike) -> Request[answers.DeviceId]:
        """Takes a device out of quarantine (§7.7)."""
        return Request(_ops["restore"], {"app": app, "device": device_bytes(device)}, _device_id)

    @AppOperation
    def quarantine(self, app: str, *, cursor: int = 0, limit: int = PAGE) -> Request[answers.DeviceIds]:
        """Returns a page of the devices whose tokens APNs has declared dead (§7.8)."""
        return Request(_ops["quarantine"], {"app": app, "cursor": cursor, "limit": limit}, _device_ids)

    @AppOperation
    def devices(self, app: str, *, cursor: int = 0, limit: int = PAGE) -> Request[answers.Devices]:
        """Returns a page of all devices of an app (§8c.2); role admin."""
        return Request(_ops["devices"], {"app": app, "cursor": cursor, "limit": limit}, _devices)

    # Groups

    @AppOperation
    def join(self, app: str, group: str, devices: Sequence[DeviceLike], *, announcement: Payload = UNSET,
             languages: Languages = UNSET) -> Request[answers.Joined]:
        """Adds devices to a group (§7a.1). `announcement` is an alert for the other devices of the group.

        `languages` are its payloads by language tag, or translations of a notification.
        """
        return Request(_ops["join"], {"app": app, "group": group, "devices": device_list(devices),
                                      **_announcement(announcement, languages)}, _read["join"])

    @AppOperation
    def leave(self, app: str, group: str, devices: Sequence[DeviceLike], *, clear_topics: bool = UNSET
              ) -> Request[answers.Left]:
        """Removes devices from a group (§7a.2). With `clear_topics` their own subscriptions end too."""
        tags = {} if clear_topics is UNSET else {"clear_topics": flag(clear_topics, "clear_topics")}
        return Request(_ops["leave"], {"app": app, "group": group, "devices": device_list(devices), **tags},
                       _read["leave"])

    @AppOperation
    def switch(self, app: str, device: DeviceLike, from_group: str, to_group: str, *, announcement: Payload = UNSET,
               languages: Languages = UNSET) -> Request[answers.Switched]:
        """Moves a device from one group to another in one step (§7a.3); for the rest see `join`."""
        return Request(_ops["switch"], {"app": app, "device": device_bytes(device), "from": from_group, "to": to_group,
                                        **_announcement(announcement, languages)}, _read["switch"])

    @AppOperation
    def group_devices(self, app: str, group: str, *, cursor: int = 0, limit: int = PAGE) -> Request[answers.DeviceIds]:
        """Returns a page of the devices of a group (§7a.4)."""
        return Request(_ops["group_devices"], {"app": app, "group": group, "cursor": cursor, "limit": limit},
                       _device_ids)

    @AppOperation
    def groups(self, app: str, *, prefix: str = "", after: str = "", limit: int = PAGE) -> Request[answers.Groups]:
        """Returns a page of groups whose names begin with `prefix` (§7a.5)."""
        return Request(_ops["groups"], {"app": app, "prefix": prefix, "after": after, "limit": limit}, _read["groups"])

    @AppOperation
    def update_group(self, app: str, group: str, *, muted: bool = UNSET) -> Request[answers.GroupSize]:
        """Mutes or unmutes a group (§7a.6), and returns its number of devices. Without `muted` it only counts."""
        tags = {} if muted is UNSET else {"muted": flag(muted, "muted")}
        return Request(_ops["update_group"], {"app": app, "group": group, **tags}, _read["update_group"])

    @AppOperation
    def group_topics(self, app: str, group: str, *, after: str = "", limit: int = PAGE) -> Request[answers.GroupTopics]:
        """Returns a page of the topics that a group itself is subscribed to (§7a.7)."""
        return Request(_ops["group_topics"], {"app": app, "group": group, "after": after, "limit": limit},
                       _read["group_topics"])

    # Topics

    @AppOperation
    def subscribe(self, app: str, topics: Sequence[str], *, devices: Sequence[DeviceLike] = (),
                  groups: Sequence[str] = ()) -> Request[answers.Subscribed]:
        """Subscribes devices, and groups with all their devices, to topics (§7b.1)."""
        return Request(_ops["subscribe"], {"app": app, "topics": texts(topics, "topics"),
                                           "devices": device_list(devices), "groups": texts(groups, "groups")},
                       _subscribed)

    @AppOperation
    def unsubscribe(self, app: str, topics: Sequence[str], *, devices: Sequence[DeviceLike] = (),
                    groups: Sequence[str] = ()) -> Request[answers.Subscribed]:
        """Ends subscriptions (§7b.1)."""
        return Request(_ops["unsubscribe"], {"app": app, "topics": texts(topics, "topics"),
                                             "devices": device_list(devices), "groups": texts(groups, "groups")},
                       _subscribed)

    @AppOperation
    def topics(self, app: str, *, prefix: str = "", after: str = "", limit: int = PAGE) -> Request[answers.Topics]:
        """Returns a page of topics whose names begin with `prefix` (§7b.2)."""
        return Request(_ops["topics"], {"app": app, "prefix": prefix, "after": after, "limit": limit}, _read["topics"])

    @AppOperation
    def topic_devices(self, app: str, topic: str, *, cursor: int = 0, limit: int = PAGE) -> Request[answers.DeviceIds]:
        """Returns a page of the devices of a topic (§7b.3)."""
        return Request(_ops["topic_devices"], {"app": app, "topic": topic, "cursor": cursor, "limit": limit},
                       _device_ids)

    # Messages

    @AppOperation
    def send(self, app: str, audience: Audience, payload: Payload, *, languages: Languages = UNSET,
             only_languages: bool = False, push_type: Union[PushType, str] = "alert", priority: int = 0,
             key: Key = UNSET, expiration: Time = UNSET, collapse_id: str = UNSET, not_after: Time = UNSET,
             lane: Union[Lane, str] = UNSET, except_device: DeviceLike = UNSET, dry_run: bool = False,
             send_at: Time = UNSET, pace: int = UNSET, over_budget: Union[OverBudget, str] = UNSET,
             id_key: str = UNSET, label: str = UNSET) -> Request[answers.Sent]:
        """Sends a message (§8.1). It is on disk when this returns; `wait_until_finished` says what became of it.

        Args:
            app: the bundle id.
            audience: `devices`, `groups`, `topic`, `condition` or `all_devices` of this package. There is no default.
            payload: a `Notification`, a JSON object, or JSON as text or bytes.
            languages: by language tag, payloads, or a `Translation` of the notification.
            only_languages: True: devices without a fitting language get no push, and `payload` only serves the
                translations.
            push_type: what the push is (§10.4).
            priority: 10, 5 or 1; 0: the usual one of the push type.
            key: the idempotency key; without it the client makes one. `NO_KEY`: the request is never repeated when its
                effect is unknown.
            expiration: until when APNs stores the push; 0: APNs tries once. Whole seconds count.
            collapse_id: a later push of the same id replaces this one on the device.
            not_after: no attempt starts after this time.
            lane: `interactive` (default) or `bulk`.
            except_device: a device that is left out of the audience.
            dry_run: True: everything is checked and counted, nothing is sent.
            send_at: when it is sent, at most 366 days ahead.
            pace: deliveries a second at most.
            over_budget: `drop` or `wait`: what becomes of a silent push for a device that had enough of them.
            id_key: each payload gets the id of the message under this key, for receipts.
            label: a short description for listings; it is not sent to devices.
        """
        fields = audience_fields(audience)
        kind = number(PushType, push_type, "push_type")
        fields.update(app=app, key=random_key() if key is UNSET else key_bytes(key), push_type=kind, priority=priority,
                      payload=b"" if flag(only_languages, "only_languages") else
                      payload_bytes(payload, push_type))
        if flag(dry_run, "dry_run"):
            fields["dry_run"] = 1
        tags = given({
            "expiration": expiration, "collapse_id": collapse_id, "not_after": not_after, "lane": lane,
            "bodies": languages, "except": except_device, "send_at": send_at, "pace": pace, "over_budget": over_budget,
            "id_key": id_key, "label": label})
        return Request(_send_request, {**fields, **_send_tags(tags, payload, push_type)} if tags else fields, _sent)

    @AppOperation
    def message_status(self, app: str, message_id: int) -> Request[answers.MessageStatus]:
        """Returns the state of a message (§8.2)."""
        return Request(_ops["message_status"], {"app": app, "message_id": message_id}, _read["message_status"])

    @AppOperation
    def message_outcomes(self, app: str, message_id: int, *, cursor: int = 0, limit: int = PAGE
                         ) -> Request[answers.Recipients]:
        """Returns a page of the recipients of a message with their outcomes (§8.3)."""
        return Request(_ops["message_outcomes"], {"app": app, "message_id": message_id, "cursor": cursor,
                                                  "limit": limit}, _read["message_outcomes"])

    @AppOperation
    def explain(self, app: str, condition: str) -> Request[answers.Explanation]:
        """Counts the devices of a condition and of its sets (§8.4)."""
        return Request(_ops["explain"], {"app": app, "condition": condition}, _read["explain"])

    @AppOperation
    def messages(self, app: str, *, before: int = 0, limit: int = PAGE, state: Union[MessageState, str] = UNSET,
                 sender: str = UNSET, label: str = UNSET) -> Request[answers.Messages]:
        """Returns a page of messages, the newest first (§8.5). A message must meet all filters."""
        tags = given({"state": state, "sender": sender, "label": label})
        if "state" in tags:
            tags["state"] = number(MessageState, state, "state")
        return Request(_ops["messages"], {"app": app, "before": before, "limit": limit, **tags}, _messages)

    @AppOperation
    def steer(self, app: str, message_id: int, action: Union[Action, str], *, pace: int = UNSET
              ) -> Request[answers.Steered]:
        """Cancels, pauses, resumes or paces a message (§8.6). `pace` without a number lifts the bound."""
        return Request(_ops["steer"], {"app": app, "message_id": message_id,
                                       "action": number(Action, action, "action"), **given({"pace": pace})},
                       _read["steer"])

    @AppOperation
    def resend(self, app: str, message_id: int, *, outcomes: Sequence[Union[Outcome, str]] = UNSET, key: Key = UNSET,
               not_after: Time = UNSET) -> Request[answers.Sent]:
        """Sends a finished message again to those of its devices that ended in `outcomes` (§8.7).

        Without `outcomes`: in every outcome that a second attempt can improve. `NO_LIMIT` as `not_after` lifts the
        limit of the old message.
        """
        tags = given({"outcomes": outcomes, "not_after": not_after})
        if "outcomes" in tags and not items(outcomes, "outcomes"):
            raise invalid("outcomes", "leave it out: an empty list would mean all")
        fields: Dict[str, Any] = {
            "app": app, "message_id": message_id, "key": random_key() if key is UNSET else key_bytes(key),
            "outcomes": [number(Outcome, each, "outcomes") for each in tags.get("outcomes", ())]}
        if "not_after" in tags:
            fields["not_after"] = milliseconds(not_after, "not_after")
        return Request(_ops["resend"], fields, _sent)

    @AppOperation
    def trace(self, app: str, message_id: int, device: DeviceLike) -> Request[answers.Trace]:
        """Says why a device did or did not get a message (§8.8)."""
        return Request(_ops["trace"], {"app": app, "message_id": message_id, "device": device_bytes(device)},
                       _read["trace"])

    # Receipts

    @AppOperation
    def receipts(self, app: str, receipts: Iterable[Tuple[int, DeviceLike, Union[ReceiptKind, str]]]
                 ) -> Request[answers.Counted]:
        """Reports what apps have told about pushes (§8b.1): message id, device, and `received` or `opened`."""
        rows = []
        for index, each in enumerate(items(receipts, "receipts")):
            try:
                message_id, device, kind = each
                rows.append({"message_id": message_id, "device": device_bytes(device, "receipts"),
                             "kind": number(ReceiptKind, kind, "receipts")})
            except (TypeError, ValueError):
                raise invalid("receipts", "a message id, a device and a kind are needed", index) from None
            except CarillonError as error:
                error.item = index
                raise
        return Request(_ops["receipts"], {"app": app, "receipts": rows}, _read["receipts"])

    @AppOperation
    def receipt_devices(self, app: str, message_id: int, kind: Union[ReceiptKind, str], *, cursor: int = 0,
                        limit: int = PAGE) -> Request[answers.DeviceIds]:
        """Returns a page of the devices with such a receipt (§8b.2)."""
        return Request(_ops["receipt_devices"], {"app": app, "message_id": message_id, "cursor": cursor, "limit": limit,
                                                 "kind": number(ReceiptKind, kind, "kind")}, _device_ids)

    # Iterators over all pages of a listing: they ask for the next page when it is needed

    @Listing
    def iter_topics_of(self, app: str, device: DeviceLike) -> Pages[answers.MemberTopic]:
        """Iterates over the topics of a device."""
        return Pages("", lambda after: _build("memberships", app, device, after=after),
                     lambda page: page.topics)

    @Listing
    def iter_quarantine(self, app: str) -> Pages[int]:
        """Iterates over the ids of the devices in quarantine."""
        return Pages(0, lambda cursor: _build("quarantine", app, cursor=cursor),
                     lambda page: page.devices)

    @Listing
    def iter_devices(self, app: str) -> Pages[answers.Device]:
        """Iterates over all devices of an app; role admin."""
        return Pages(0, lambda cursor: _build("devices", app, cursor=cursor), lambda page: page.devices)

    @Listing
    def iter_group_devices(self, app: str, group: str) -> Pages[int]:
        """Iterates over the ids of the devices of a group."""
        return Pages(0, lambda cursor: _build("group_devices", app, group, cursor=cursor),
                     lambda page: page.devices)

    @Listing
    def iter_groups(self, app: str, *, prefix: str = "") -> Pages[answers.Group]:
        """Iterates over groups."""
        return Pages("", lambda after: _build("groups", app, prefix=prefix, after=after),
                     lambda page: page.groups)

    @Listing
    def iter_group_topics(self, app: str, group: str) -> Pages[str]:
        """Iterates over the topics that a group itself is subscribed to."""
        return Pages("", lambda after: _build("group_topics", app, group, after=after),
                     lambda page: page.topics)

    @Listing
    def iter_topics(self, app: str, *, prefix: str = "") -> Pages[answers.Topic]:
        """Iterates over topics."""
        return Pages("", lambda after: _build("topics", app, prefix=prefix, after=after),
                     lambda page: page.topics)

    @Listing
    def iter_topic_devices(self, app: str, topic: str) -> Pages[int]:
        """Iterates over the ids of the devices of a topic."""
        return Pages(0, lambda cursor: _build("topic_devices", app, topic, cursor=cursor),
                     lambda page: page.devices)

    @Listing
    def iter_message_outcomes(self, app: str, message_id: int) -> Pages[answers.Recipient]:
        """Iterates over the recipients of a message."""
        return Pages(0, lambda cursor: _build("message_outcomes", app, message_id, cursor=cursor),
                     lambda page: page.recipients)

    @Listing
    def iter_messages(self, app: str, *, state: Union[MessageState, str] = UNSET, sender: str = UNSET,
                      label: str = UNSET) -> Pages[answers.Message]:
        """Iterates over messages, the newest first."""
        filters = {"state": state, "sender": sender, "label": label}
        return Pages(0, lambda before: _build("messages", app, before=before, **filters), lambda page: page.messages)

    @Listing
    def iter_receipt_devices(self, app: str, message_id: int, kind: Union[ReceiptKind, str]) -> Pages[int]:
        """Iterates over the ids of the devices with such a receipt."""
        return Pages(0, lambda cursor: _build("receipt_devices", app, message_id, kind, cursor=cursor),
                     lambda page: page.devices)


class Operations(AppOperations):
    """All operations, each with the app as first argument where it concerns one."""

    @ServerOperation
    def register_batch(self, registrations: Iterable[Registration]) -> Request[List[answers.BatchResult]]:
        """Registers many devices in one durable step (§7.2). An item that is refused does not affect the others."""
        payloads = []
        for index, each in enumerate(items(registrations, "items")):
            if not isinstance(each, Registration):
                raise invalid("items", "a Registration is needed", index)
            try:
                payloads.append(without_deadline(_ops["register"].request.write(each._fields())))
            except CarillonError as error:
                raise invalid("items", f"{error.field}: {error.message}", index) from None
            except (ValueError, TypeError, AttributeError, OverflowError, ArithmeticError) as error:
                raise invalid("items", f"the item cannot be encoded: {type(error).__name__}", index) from None
        return Request(_ops["register_batch"], {"items": payloads}, _batch)

    @ServerOperation
    def forget_subscriber(self, name: str) -> Request[answers.Forgotten]:
        """Removes a name of event subscriptions with what it has acknowledged (§8a.5)."""
        return Request(_ops["forget_subscriber"], {"name": name}, _read["forget_subscriber"])

    @ServerOperation
    def statistics(self, *, limit: int = PAGE) -> Request[answers.Statistics]:
        """Returns the state of the server (§8c.1); each list has at most `limit` rows."""
        return Request(_ops["statistics"], {"limit": limit}, _read["statistics"])


def _send_tags(tags: Dict[str, Any], payload: Payload, push_type: Union[PushType, str]) -> Dict[str, Any]:
    """Returns the tags of a SEND as they are encoded."""
    if "bodies" in tags:
        tags["bodies"] = bodies(payload, tags["bodies"], push_type)
    if "expiration" in tags:
        tags["expiration"] = milliseconds(tags["expiration"], "expiration") // 1000
    for name in ("not_after", "send_at"):
        if name in tags:
            tags[name] = milliseconds(tags[name], name)
    if "lane" in tags:
        tags["lane"] = number(Lane, tags["lane"], "lane")
    if "over_budget" in tags:
        tags["over_budget"] = number(OverBudget, tags["over_budget"], "over_budget")
    if "except" in tags:
        tags["except"] = device_bytes(tags["except"], "except")
    return tags


def all_pages(page: Any) -> Optional[Any]:
    """Returns the cursor of the next page; None if this was the last."""
    return page.next or None
