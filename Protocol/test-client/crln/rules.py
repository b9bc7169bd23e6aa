"""The rules for the values of a request (§6 to §14)."""
from __future__ import annotations

import base64
import re
import string
from typing import Any, Callable, Dict, Iterable, List, Optional, Tuple

from crln.errors import ProtocolError
from crln.names import (ALERT, AUDIENCES, BACKGROUND, ENDPOINT, ENVIRONMENTS, KINDS, LANES, LIVEACTIVITY, LOCATION,
                        MAXIMUM_BATCH_ITEMS, MESSAGE_STATES, MESSAGE_UPDATE_ACTIONS, OVER_BUDGET, PUSH_TYPES,
                        PUSHTOTALK, RECEIPTS, STORAGE_POLICIES, TOKEN_FORMS, VOIP)
from crln.operations import FROM_CLIENT
from crln.push_content import check_payload, parse_object

APP_LETTERS = set(string.ascii_letters + string.digits + ".-")
LOCALE_LETTERS = set(string.ascii_letters + string.digits + "-")
ZONE_LETTERS = set(string.ascii_letters + string.digits + "/_+-")
CHANNEL_LETTERS = set(string.ascii_letters + string.digits + "+/=-_")
# By push type; the other types have all of them.
PRIORITIES = {BACKGROUND: (5, 1), LOCATION: (10, 5), VOIP: (10,), LIVEACTIVITY: (10, 5), PUSHTOTALK: (10,)}
ALL_PRIORITIES = (10, 5, 1)
NAME_LETTERS = set(string.ascii_letters + string.digits + "-_.~%/:@+")
KEY_LETTERS = set(string.ascii_letters + string.digits + "-_.")
RESERVED_KEYS = {"locale", "environment", "kind"}
MAXIMUM_PAIRS = 10_000
MAXIMUM_PAYLOAD_BYTES = 4096
MAXIMUM_VOIP_BYTES = MAXIMUM_BROADCAST_BYTES = 5120
# Fields of a SEND that choose among devices, or say what a device shows: a broadcast channel takes none.
CHOOSING_DEVICES = {"collapse_id", "bodies", "except", "id_key", "android", "android_raw", "web", "web_raw"}
# The fields that name an audience of a SEND, and the number of that audience.
AUDIENCE_FIELDS = {name: AUDIENCES[name] for name in ("groups", "topic", "condition", "channel")}


def check_request(message: str, fields: Dict[str, Any], maximum_items: int = MAXIMUM_BATCH_ITEMS) -> None:
    """Raises ProtocolError for the first field, in the order of the tables, whose value is not allowed (§15.1).

    Conditions are judged by their length only: the server has the parser.
    """
    RequestCheck(message, fields, maximum_items).run()


class RequestCheck:
    """The check of one request. Each method refuses a value that is not allowed, or notes one that is too large."""

    def __init__(self, message: str, fields: Dict[str, Any], maximum_items: int) -> None:
        self.message, self.fields, self.maximum_items = message, fields, maximum_items
        # The error of the first field that is too large: it is raised if no value is refused.
        self.too_large: Optional[ProtocolError] = None

    def run(self) -> None:
        for name in FROM_CLIENT[self.message].parts():
            if self.message == "send" and not _fits_audience(name, self.fields):
                self._refuse(name)
            if name in self.fields:
                self._check_count(name, self.fields[name])
                self._check_field(name, self.fields[name])
        if self.message in ("subscribe", "unsubscribe"):
            self._check_subscriptions()
        if self.too_large:
            raise self.too_large

    def _refuse(self, field: str, item: Optional[int] = None) -> None:
        raise ProtocolError("INVALID_ARGUMENT", "request", field, item)

    def _note_too_large(self, field: str, item: Optional[int] = None) -> None:
        self.too_large = self.too_large or ProtocolError("TOO_LARGE", "request", field, item)

    def _check_count(self, name: str, value: Any) -> None:
        counts = _allowed_counts(self.message, name, self.fields, self.maximum_items)
        if counts and not counts[0] <= len(value) <= counts[1]:
            self._refuse(name)

    def _check_field(self, name: str, value: Any) -> None:
        if name in ("devices", "device", "except"):
            _check_devices(name, value)
        elif name in ITEM_RULES and isinstance(value, list):
            for index, each in enumerate(value):
                if not ITEM_RULES[name](each):
                    self._refuse(name, index)
        elif name == "id_key":
            self._check_id_key(value)
        elif name in MAXIMUM_PROVIDER_BYTES and len(value) > MAXIMUM_PROVIDER_BYTES[name]:
            self._note_too_large(name)
        elif name == "attributes":
            self._check_attributes(value)
        elif name == "bodies":
            self._check_bodies(value)
        elif name in ("payload", "announcement"):
            if name == "announcement" or value or "bodies" not in self.fields:
                self._check_payload(name, value)
        elif not _is_allowed(self.message, name, value, self.fields):
            self._refuse(name)

    def _check_id_key(self, key: str) -> None:
        if not _is_allowed_key(key):
            self._refuse("id_key")
        limit = maximum_payload_bytes(self.fields["push_type"])
        for place, index, payload in _payloads(self.fields):
            if len(payload) <= limit:
                if key in parse_object(payload):
                    self._refuse("id_key")
                if len(payload) + len(key) + MESSAGE_ID_BYTES > limit:
                    self._note_too_large(place, index)

    def _check_attributes(self, attributes: List[Dict[str, str]]) -> None:
        for index, each in enumerate(attributes):
            if not _is_allowed_attribute(each) or each["key"] in [other["key"] for other in attributes[:index]]:
                self._refuse("attributes", index)

    def _check_bodies(self, bodies: List[Dict[str, Any]]) -> None:
        for index, body in enumerate(bodies):
            language = body["language"]
            if not 2 <= len(language) <= 35 or not set(language) <= LOCALE_LETTERS:
                self._refuse("bodies", index)
            if language.lower() in [other["language"].lower() for other in bodies[:index]]:
                self._refuse("bodies", index)
            self._check_payload("bodies", body["payload"], index)

    def _check_payload(self, field: str, payload: bytes, item: Optional[int] = None) -> None:
        push_type = self.fields.get("push_type", ALERT)  # an announcement is an alert
        is_broadcast = self.fields.get("audience") == AUDIENCES["channel"]
        if len(payload) > (MAXIMUM_BROADCAST_BYTES if is_broadcast else maximum_payload_bytes(push_type)):
            self._note_too_large(field, item)
        elif not _is_allowed_payload(payload, push_type) or is_broadcast and starts_activity(payload):
            self._refuse(field, item)

    def _check_subscriptions(self) -> None:
        holders = len(self.fields["devices"]) + len(self.fields["groups"])
        if holders == 0:
            self._refuse("devices")
        if len(self.fields["topics"]) * holders > MAXIMUM_PAIRS:
            self._refuse("topics")


def _payloads(fields: Dict[str, Any]) -> List[Tuple[str, Optional[int], bytes]]:
    """Returns every payload of a SEND, with its field and item."""
    bodies = [("bodies", index, body["payload"]) for index, body in enumerate(fields.get("bodies", []))]
    return [("payload", None, fields["payload"])] * bool(fields["payload"]) + bodies


def _allowed_counts(message: str, name: str, fields: Dict[str, Any], maximum_items: int) -> Optional[Tuple[int, int]]:
    """Returns the least and the largest number of items of a list; None if the field is not limited here."""
    if name in ("items", "receipts"):
        return 1, maximum_items
    if name in ("outcomes", "apps", "kinds"):
        return 0, 64
    if name == "devices":
        if message == "send":
            return (1, maximum_items) if fields["audience"] == AUDIENCES["devices"] else (0, 0)
        return (0 if "subscribe" in message else 1), maximum_items
    if name == "bodies":
        return 1, 64
    if name == "attributes":
        return 0, 16
    if name in ("groups", "topics"):
        if message == "register":
            return 0, 64
        return (1, 1000) if message == "send" or name == "topics" else (0, maximum_items)
    return None


def _is_allowed_name(name: str) -> bool:
    return 1 <= len(name) <= 200 and set(name) <= NAME_LETTERS and not name.startswith("/")


def _is_allowed_app(app: str) -> bool:
    return 1 <= len(app) <= 155 and set(app) <= APP_LETTERS


def _is_allowed_key(key: str) -> bool:
    return 1 <= len(key) <= 64 and set(key) <= KEY_LETTERS and key != "aps"


def _is_allowed_receipt(receipt: Dict[str, Any]) -> bool:
    return _is_allowed_device(receipt["device"]) and receipt["kind"] in RECEIPTS


# The rules for the items of lists.
ITEM_RULES: Dict[str, Callable[[Any], bool]] = {
    "groups": _is_allowed_name, "topics": _is_allowed_name, "apps": _is_allowed_app, "kinds": lambda kind: kind != 0,
    "outcomes": lambda outcome: outcome not in (0, 1), "receipts": _is_allowed_receipt}
# The most bytes of what Android devices or browsers get.
MAXIMUM_PROVIDER_BYTES = {"android": 8192, "android_raw": 8192, "web": 4096, "web_raw": 4096}
# Bytes that the message's id adds to a payload, without the length of its key.
MESSAGE_ID_BYTES = 26


def _fits_audience(name: str, fields: Dict[str, Any]) -> bool:
    """Returns True if a field of a SEND may be there, or be absent, for its audience."""
    is_given = name in fields
    if name in AUDIENCE_FIELDS and is_given != (fields["audience"] == AUDIENCE_FIELDS[name]):
        return False
    if fields["audience"] != AUDIENCES["channel"]:
        return name != "environment" or not is_given
    if name == "audience":
        # A number that is not a push type is a fault of its own.
        return fields["push_type"] == LIVEACTIVITY or fields["push_type"] not in PUSH_TYPES
    return is_given if name == "expiration" else name not in CHOOSING_DEVICES or not is_given


def _is_allowed_attribute(attribute: Dict[str, str]) -> bool:
    key, value = attribute["key"], attribute["value"]
    return (1 <= len(key) <= 32 and set(key) <= KEY_LETTERS and key not in RESERVED_KEYS
            and len(value) <= 64 and set(value) <= NAME_LETTERS)


def starts_activity(payload: bytes) -> bool:
    """Returns True if the payload starts a Live Activity, which a broadcast push cannot."""
    return parse_object(payload).get("aps", {}).get("event") == "start"


def maximum_payload_bytes(push_type: int) -> int:
    """Returns the largest number of bytes of a payload of the push type."""
    return MAXIMUM_VOIP_BYTES if push_type == VOIP else MAXIMUM_PAYLOAD_BYTES


def _check_devices(name: str, value: Any) -> None:
    """Raises ProtocolError for the first device of a field that is not allowed."""
    for index, device in enumerate(value if name == "devices" else [value]):
        if not _is_allowed_device(device):
            raise ProtocolError("INVALID_ARGUMENT", "request", name, index if name == "devices" else None)


def _is_allowed_device(device: Dict[str, Any]) -> bool:
    token = device.get("token")
    return token is None or (token["environment"] in ENVIRONMENTS and token["kind"] in KINDS
                             and _is_allowed_environment(token["environment"], token)
                             and _is_allowed_token(token["token"], token))


def _is_allowed_environment(environment: int, fields: Dict[str, Any]) -> bool:
    return environment in ENVIRONMENTS and (environment == 1 or KINDS.get(fields.get("kind", 0)) not in TOKEN_FORMS)


def _is_allowed_token(token: bytes, fields: Dict[str, Any]) -> bool:
    form = TOKEN_FORMS.get(KINDS.get(fields["kind"], ""))
    return form is None or form.fullmatch(token) is not None


def _text_of(least: int, most: int, letters: Optional[set] = None) -> Callable[[str, Any], bool]:
    """Returns a rule for texts of `least` to `most` bytes, of these letters if there are any."""
    return lambda value, _: least <= len(value.encode()) <= most and (letters is None or set(value) <= letters)


def _one_of(values: Iterable[int]) -> Callable[[int, Any], bool]:
    """Returns a rule for enumerations."""
    return lambda value, _: value in values


def _empty_or(rule: Callable[[str, Any], bool]) -> Callable[[str, Any], bool]:
    """Returns a rule that accepts the empty text too."""
    return lambda value, fields: value == "" or rule(value, fields)


def _is_line(value: str, maximum_bytes: int) -> bool:
    """Returns True for a text of 1 to `maximum_bytes` bytes without control characters."""
    has_control = any(letter < " " or "\x7f" <= letter <= "\x9f" for letter in value)
    return 1 <= len(value.encode()) <= maximum_bytes and not has_control


def _content_for(push_types: Tuple[int, ...], without: str = "") -> Callable[[bytes, Dict[str, Any]], bool]:
    """Returns a rule for what the devices of one provider get, a JSON object: such pushes go there, and another field
    is absent."""
    def is_allowed(value: bytes, fields: Dict[str, Any]) -> bool:
        try:
            parse_object(value)
        except ValueError:
            return False
        return without not in fields and fields["push_type"] in push_types
    return is_allowed


def _is_allowed_subscription(value: bytes, fields: Dict[str, Any]) -> bool:
    """Returns True for a push subscription of a browser (§7.1)."""
    try:
        subscription = parse_object(value)
        keys = [base64.urlsafe_b64decode(subscription["keys"][name] + "==") for name in ("p256dh", "auth")]
        endpoint = subscription["endpoint"]
    except (ValueError, KeyError, TypeError):
        return False
    return (KINDS.get(fields["kind"]) == "web" and len(value) <= 4096 and ENDPOINT.fullmatch(endpoint) is not None
            and len(endpoint) <= 1024 and len(keys[0]) == 65 and keys[0][0] == 4 and len(keys[1]) == 16)


# The rules for single values, given the other fields of the request. A name is that of a field, or (message, field).
VALUE_RULES: Dict[Any, Callable[[Any, Dict[str, Any]], bool]] = {
    "app": lambda value, _: _is_allowed_app(value),
    "name": _text_of(0, 64),
    ("forget_subscriber", "name"): _text_of(1, 64),
    ("remove_node", "node"): _text_of(1, 64),
    "action": _one_of(MESSAGE_UPDATE_ACTIONS),
    "pace": lambda value, fields: value >= 1 and fields.get("action", 4) == 4,
    "over_budget": _one_of(OVER_BUDGET),
    "software": _text_of(1, 64),
    "receive_limit": lambda value, _: value == 0 or value >= 4096,
    "method": _one_of((1,)),
    "credential": lambda value, _: 1 <= len(value) <= 256,
    "environment": _is_allowed_environment,
    "kind": _one_of(KINDS),
    ("register", "token"): _is_allowed_token,
    ("register", "subscription"): _is_allowed_subscription,
    "android": _content_for((ALERT, BACKGROUND)), "android_raw": _content_for((ALERT, BACKGROUND), without="android"),
    "web": _content_for((ALERT,)), "web_raw": _content_for((ALERT,), without="web"),
    ("receipt_devices", "kind"): _one_of(RECEIPTS),
    "locale": _empty_or(_text_of(2, 35, LOCALE_LETTERS)),
    "time_zone": _empty_or(_text_of(1, 64, ZONE_LETTERS)),
    "push_type": _one_of(PUSH_TYPES),
    "priority": lambda value, fields: value == 0 or value in PRIORITIES.get(fields["push_type"], ALL_PRIORITIES),
    "audience": _one_of(AUDIENCES.values()),
    "group": lambda value, _: _is_allowed_name(value),
    "topic": lambda value, _: _is_allowed_name(value),
    "to": lambda value, fields: _is_allowed_name(value) and value != fields["from"],
    ("switch", "from"): lambda value, _: _is_allowed_name(value),
    "prefix": _text_of(0, 200),
    "after": _text_of(0, 200),
    ("channels", "after"): _text_of(0, 512),
    "storage_policy": _one_of(STORAGE_POLICIES),
    "channel": _text_of(1, 512, CHANNEL_LETTERS),
    "condition": _text_of(1, 16384),
    "muted": _one_of((0, 1)),
    "clear_topics": _one_of((0, 1)),
    "dry_run": _one_of((0, 1)),
    "expiration": lambda value, fields: fields["push_type"] != PUSHTOTALK or value == 0,
    "collapse_id": lambda value, _: _is_line(value, 64) and value.strip(" ") == value,
    "label": lambda value, _: _is_line(value, 100),
    ("send", "traceparent"): lambda value, _: _is_allowed_traceparent(value),
    "state": _one_of(MESSAGE_STATES),
    "sender": _text_of(1, 255),
    "lane": _one_of(LANES),
    "limit": lambda value, _: 1 <= value <= 1000,
}


def _is_allowed_traceparent(value: str) -> bool:
    """Returns True for a traceparent of W3C Trace Context, also of a later version than 00."""
    found = re.fullmatch(r"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?", value, re.DOTALL)
    return (found is not None and found[1] != "ff" and set(found[2]) != {"0"} and set(found[3]) != {"0"}
            and (found[1] != "00" or found[4] is None))


def _is_allowed(message: str, name: str, value: Any, fields: Dict[str, Any]) -> bool:
    """Returns True if no rule of VALUE_RULES refuses the value."""
    rule = VALUE_RULES.get((message, name)) or VALUE_RULES.get(name)
    return rule is None or rule(value, fields)


def _is_allowed_payload(payload: bytes, push_type: int) -> bool:
    try:
        check_payload(payload, push_type)
    except ValueError:
        return False
    return True
