"""The fields of requests, from the arguments of the client's methods; and answers with names for numbers."""
from __future__ import annotations

import hashlib
import json
from typing import Any, Dict, Iterable, List, Optional, Union

from crln.errors import CarillonError
from crln.names import DEVICE_STATES, ENVIRONMENTS, KINDS, LANES, OVER_BUDGET, REGISTERED, name_of
from crln.operations import FROM_CLIENT
from crln.payloads import encode_payload
from crln.value_types import bare_topic

Payload = Union[bytes, Dict[str, Any]]


def value_of(names: Dict[int, str], name: str, field: str) -> int:
    """Returns the value of a name; CarillonError if there is none."""
    for value, known in names.items():
        if known == name:
            return value
    raise CarillonError("INVALID_ARGUMENT", "not_executed", f"{name!r} is not a name of {field}", field=field,
                        retry_after=None)


def stored_device(answer: Dict[str, Any]) -> Dict[str, Any]:
    """Returns the answer to LOOKUP with names for numbers."""
    return {**answer, "environment": name_of(ENVIRONMENTS, answer["environment"]),
            "kind": name_of(KINDS, answer["kind"]), "state": name_of(DEVICE_STATES, answer["state"]),
            "attributes": {each["key"]: each["value"] for each in answer.get("attributes", [])},
            "muted": bool(answer.get("muted", 0))}


def registration_result(answer: Dict[str, Any]) -> Dict[str, Any]:
    """Returns the answer to REGISTER, or an item of that to REGISTER_BATCH, with a name for the result."""
    return {"device_id": answer["device_id"], "result": name_of(REGISTERED, answer["result"])}


def register_fields(app: str, token: Union[str, bytes], *, environment: str = "production", kind: str = "device",
                    seen_at: int = 0, replaces: Union[str, bytes, None] = None, locale: Optional[str] = None,
                    time_zone: Optional[str] = None, topics: Optional[List[str]] = None,
                    groups: Optional[List[str]] = None, attributes: Optional[Dict[str, str]] = None,
                    subscription: Union[Dict[str, Any], str, bytes, None] = None) -> Dict[str, Any]:
    """Returns the fields of a REGISTER. Tokens are bytes or hexadecimal. `subscription` is that of a browser."""
    fields = {"app": app, "environment": value_of(ENVIRONMENTS, environment, "environment"),
              "kind": value_of(KINDS, kind, "kind"), "token": token_bytes(token), "seen_at": seen_at}
    tags = {"replaces": None if replaces is None else token_bytes(replaces), "locale": locale, "time_zone": time_zone,
            "topics": None if topics is None else [bare_topic(topic) for topic in topics], "groups": groups,
            "attributes": attribute_fields(attributes),
            "subscription": None if subscription is None else payload_bytes(subscription)}
    return {**fields, **without_none(tags)}


def browser_token(endpoint: str) -> bytes:
    """Returns the token of a browser: the SHA-256 of the endpoint of its subscription (§16.3)."""
    return hashlib.sha256(endpoint.encode()).digest()


def send_options(*, lane: Optional[str] = None, expiration: Optional[int] = None,
                 collapse_id: Optional[str] = None, not_after: Optional[int] = None,
                 bodies: Optional[Dict[str, Payload]] = None, except_device: Any = None, dry_run: bool = False,
                 send_at: Optional[int] = None, pace: Optional[int] = None, over_budget: Optional[str] = None,
                 id_key: Optional[str] = None, label: Optional[str] = None, android: Optional[Payload] = None,
                 android_raw: Optional[Payload] = None, web: Optional[Payload] = None,
                 web_raw: Optional[Payload] = None, traceparent: Optional[str] = None) -> Dict[str, Any]:
    """Returns the tags of a SEND. None = the option is not given; `dry_run` must be True or False."""
    if not isinstance(dry_run, bool):
        raise CarillonError("INVALID_ARGUMENT", "not_executed", "dry_run must be True or False", field="dry_run",
                            retry_after=None)
    return without_none({
        "lane": None if lane is None else value_of(LANES, lane, "lane"), "expiration": expiration,
        "collapse_id": collapse_id, "not_after": not_after,
        "bodies": None if bodies is None else body_fields(bodies),
        "except": None if except_device is None else device_field(except_device), "dry_run": 1 if dry_run else None,
        "send_at": send_at, "pace": pace,
        "over_budget": None if over_budget is None else value_of(OVER_BUDGET, over_budget, "over_budget"),
        "id_key": id_key, "label": label, "android": None if android is None else payload_bytes(android),
        "android_raw": None if android_raw is None else payload_bytes(android_raw),
        "web": None if web is None else payload_bytes(web),
        "web_raw": None if web_raw is None else payload_bytes(web_raw),
        "traceparent": traceparent})


def audience_error(message: str) -> CarillonError:
    """Returns the error of a SEND that names no audience, or more than one."""
    return CarillonError("INVALID_ARGUMENT", "not_executed", message, field="audience", retry_after=None)


def without_none(values: Dict[str, Any]) -> Dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def attribute_fields(attributes: Optional[Dict[str, str]]) -> Optional[List[Dict[str, str]]]:
    return None if attributes is None else [{"key": key, "value": attributes[key]} for key in sorted(attributes)]


def payload_bytes(payload: Payload) -> bytes:
    return payload if isinstance(payload, bytes) else json.dumps(payload, ensure_ascii=False).encode()


def body_fields(bodies: Dict[str, Payload]) -> List[Dict[str, Any]]:
    return [{"language": language, "payload": payload_bytes(payload)} for language, payload in bodies.items()]


def announcement_fields(announcement: Optional[Payload], bodies: Optional[Dict[str, Payload]]) -> Dict[str, Any]:
    return without_none({"announcement": None if announcement is None else payload_bytes(announcement),
                         "bodies": None if bodies is None else body_fields(bodies)})


def subscription_fields(app: str, topics: List[str], devices: Iterable[Any], groups: Iterable[str]) -> Dict[str, Any]:
    return {"app": app, "topics": [bare_topic(topic) for topic in topics],
            "devices": [device_field(device) for device in devices], "groups": list(groups)}


def item_payload(index: int, fields: Dict[str, Any]) -> bytes:
    """Returns the payload of a REGISTER as an item of a batch; `index` is its place in the batch."""
    try:
        return encode_payload(FROM_CLIENT["register"], fields)
    except (OverflowError, ValueError, TypeError, AttributeError):
        raise CarillonError("INVALID_ARGUMENT", "not_executed", field="items", item=index, retry_after=None) from None


def device_field(device: Any) -> Dict[str, Any]:
    """Returns the field for a device.

    A device is an id (int), a token (bytes or hexadecimal; production, kind device), or (token, environment, kind).
    """
    if isinstance(device, int):
        return {"id": device}
    token, environment, kind = device if isinstance(device, tuple) else (device, "production", "device")
    return {"token": {"environment": value_of(ENVIRONMENTS, environment, "environment"),
                      "kind": value_of(KINDS, kind, "kind"), "token": token_bytes(token)}}


def token_bytes(token: Union[str, bytes]) -> bytes:
    try:
        return bytes.fromhex(token) if isinstance(token, str) else token
    except ValueError:
        raise CarillonError("INVALID_ARGUMENT", "not_executed", "not hexadecimal", field="token",
                            retry_after=None) from None
