"""The invalid frames: a sound request of each operation, and how a case with one change is added."""
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import crln
from cases.samples import (APP, BY_ID, BY_TOKEN, CHANNEL, CONDITION, Case, SEEN, UUID, receipt, register_fields,
                           send_fields, subscribe_fields)

invalid: Dict[str, List[Case]] = {}
# The limit that the errors of these cases name; the others name none.
LIMITS: Dict[int, List[str]] = {
    0: ["SEND of audience 2 with a device", "SEND of audience 3 with a device", "SEND of audience 4 with a device",
        "SEND of audience 5 with a device", "SEND to a channel with a device"],
    16: ["REGISTER with attributes of 17 items", "UPDATE_DEVICE with attributes of 17 items"],
    64: ["SEND with bodies of 65 items", "SUBSCRIBE_EVENTS of 65 apps", "SUBSCRIBE_EVENTS of 65 kinds",
         "JOIN with bodies of 65 items", "SWITCH with bodies of 65 items", "REGISTER with topics of 65 items",
         "REGISTER with groups of 65 items", "RESEND with 65 outcomes"],
    1000: ["SEND with groups of 1,001 items", "REGISTER_BATCH of 1,001 items", "JOIN of 1,001 devices",
           "LEAVE of 1,001 devices", "SEND to 1,001 devices", "RECEIPTS of 1,001", "SUBSCRIBE of 1,001 topics",
           "SUBSCRIBE of 1,001 devices", "SUBSCRIBE of 1,001 groups", "UNSUBSCRIBE of 1,001 topics",
           "UNSUBSCRIBE of 1,001 devices", "UNSUBSCRIBE of 1,001 groups"],
    8192: ["SEND with android of 8,193 bytes", "SEND with android_raw of 8,193 bytes"],
    4096: ["SEND with web of 4,097 bytes", "SEND with web_raw of 4,097 bytes", "SEND with a body of 4,097 bytes",
           "SEND with a payload too large and a body too large",
           "length above the limit of the hello phase", "length above the limit of the auth phase",
           "JOIN with a body of 4,097 bytes", "JOIN with an announcement of 4,097 bytes",
           "SWITCH with a body of 4,097 bytes", "SWITCH with an announcement of 4,097 bytes",
           "SEND with 4,097 bytes", "SEND with mdm of 4,097 bytes", "SEND with 4,097 bytes that are no JSON",
           "SEND with a key for its id that has no room", "SEND with a key for its id that has no room in a body",
           "SEND with a key for its id and a payload of 4,097 bytes that is not JSON"],
    5120: ["SEND with voip of 5,121 bytes", "SEND to a channel with a payload of 5,121 bytes"],
    10000: ["SUBSCRIBE of 10,001 pairs", "SUBSCRIBE of 1,000 topics for 11 groups", "UNSUBSCRIBE of 10,001 pairs",
            "UNSUBSCRIBE of 1,000 topics for 11 groups"],
    1048576: ["length above the limit", "the largest length", "length above the limit before kind",
              "length above the limit of a control frame"],
}
LIMIT_OF = {name: limit for limit, names in LIMITS.items() for name in names}


def bad(file: str, name: str, *, section: str, phase: str, data: str, code: Optional[str], scope: str = "request",
        field: Optional[str] = None, item: Optional[int] = None) -> None:
    """Adds a case to invalid/<file>.json. No code: the server closes without sending a byte."""
    expect: Any = "close"
    if code:
        expect = {"code": code, "scope": scope}
        if field is not None:
            expect["field"] = field
        if item is not None:
            expect["item"] = item
        if name in LIMIT_OF:
            expect["limit"] = LIMIT_OF[name]
    invalid.setdefault(file, []).append(
        {"name": name, "section": section, "phase": phase, "hex": data.replace(" ", ""), "expect": expect})


# The phase of a request and its id there. Every other request comes in the phase "open" and has the id 3.
PHASES = {"hello": ("hello", 1), "auth": ("auth", 2)}


def request(message: str, payload: bytes) -> str:
    """The frame of a request, in hex."""
    _, id = PHASES.get(message, ("open", 3))
    return (crln.HEADER.pack(len(payload), 1, 0, crln.OPCODES[message], id) + payload).hex()


def bad_payload(message: str, name: str, payload: bytes, code: str, *, field: Optional[str] = None,
                item: Optional[int] = None, section: str = "", file: str = "") -> None:
    phase, _ = PHASES.get(message, ("open", 3))
    title = f"{message.upper()} {name}"
    bad(file or SOUND[message].file, title, section=section or SOUND[message].section, phase=phase,
        data=request(message, payload), code=code, field=field, item=item)


class Sound(NamedTuple):
    """A sound request of an operation: the section of the text, the file of its invalid cases, and the fields."""

    section: str
    file: str
    fields: Dict[str, Any]


HELLO = {"software": "py/1.0", "receive_limit": 0}
AUTH = {"method": 1, "credential": b"crln_key"}
PAGE = {"cursor": 0, "limit": 10}
SUBSCRIPTION = {"app": APP, "topics": ["level5"], "devices": [BY_ID], "groups": ["user/42"]}
# Every operation once.
SOUND: Dict[str, Sound] = {
    "hello": Sound("6.1", "connection", HELLO),
    "auth": Sound("6.2", "connection", AUTH),
    "register": Sound("7.1", "devices", register_fields()),
    "register_batch": Sound("7.2", "devices", {
        "items": [crln.encode_payload(crln.FROM_CLIENT["register"], register_fields())]}),
    "unregister": Sound("7.3", "devices", {"app": APP, "device": BY_TOKEN, "at": SEEN}),
    "lookup": Sound("7.4", "devices", {"app": APP, "device": BY_ID}),
    "update_device": Sound("7.5", "memberships", {"app": APP, "device": BY_ID}),
    "memberships": Sound("7.6", "memberships", {"app": APP, "device": BY_ID, "after": "level5", "limit": 10}),
    "restore": Sound("7.7", "quarantine", {"app": APP, "device": BY_ID}),
    "quarantine": Sound("7.8", "quarantine", {"app": APP, **PAGE}),
    "join": Sound("8.1", "groups", {"app": APP, "group": "user/42", "devices": [BY_ID]}),
    "leave": Sound("8.2", "groups", {"app": APP, "group": "user/42", "devices": [BY_ID]}),
    "switch": Sound("8.3", "groups", {"app": APP, "device": BY_ID, "from": "role/1", "to": "role/2"}),
    "group_devices": Sound("8.4", "groups", {"app": APP, "group": "user/42", **PAGE}),
    "groups": Sound("8.5", "groups", {"app": APP, "prefix": "user/", "after": "user/1", "limit": 10}),
    "update_group": Sound("8.6", "groups", {"app": APP, "group": "user/42"}),
    "group_topics": Sound("8.7", "groups", {"app": APP, "group": "user/42", "after": "level5", "limit": 10}),
    "subscribe": Sound("9.1", "topics", SUBSCRIPTION),
    "unsubscribe": Sound("9.1", "topics", SUBSCRIPTION),
    "topics": Sound("9.2", "topics", {"app": APP, "prefix": "guild/", "after": "guild/1", "limit": 10}),
    "topic_devices": Sound("9.3", "topics", {"app": APP, "topic": "level5", **PAGE}),
    "explain": Sound("9.4", "audiences", {"app": APP, "condition": CONDITION}),
    "send": Sound("10.1", "messages", send_fields()),
    "message_status": Sound("10.2", "messages", {"app": APP, "message_id": 7}),
    "message_outcomes": Sound("10.3", "messages", {"app": APP, "message_id": 7, **PAGE}),
    "messages": Sound("10.5", "messages", {"app": APP, "before": 0, "limit": 10}),
    "update_message": Sound("10.6", "messages", {"app": APP, "message_id": 7, "action": 4}),
    "resend": Sound("10.7", "messages", {"app": APP, "message_id": 7, "key": UUID, "outcomes": [4]}),
    "trace": Sound("10.8", "trace", {"app": APP, "message_id": 7, "device": BY_ID}),
    "subscribe_events": Sound("11.1", "events", subscribe_fields()),
    "event_credit": Sound("11.3", "events", {"subscription": 3, "credit": 200, "ack": 41}),
    "unsubscribe_events": Sound("11.4", "events", {"subscription": 3}),
    "forget_subscriber": Sound("11.5", "events", {"name": "billing"}),
    "receipts": Sound("12.1", "receipts", {"app": APP, "receipts": [receipt()]}),
    "receipt_devices": Sound("12.2", "receipts", {"app": APP, "message_id": 7, "kind": 1, **PAGE}),
    "statistics": Sound("13.1", "statistics", {"limit": 10}),
    "remove_node": Sound("13.3", "statistics", {"node": "a"}),
    "devices": Sound("13.2", "listing", {"app": APP, **PAGE}),
    "create_channel": Sound("14.1", "channels", {"app": APP, "environment": 1, "storage_policy": 2}),
    "channel": Sound("14.2", "channels", {"app": APP, "environment": 1, "channel": CHANNEL}),
    "channels": Sound("14.3", "channels", {"app": APP, "environment": 1, "after": "", "limit": 10}),
    "delete_channel": Sound("14.4", "channels", {"app": APP, "environment": 1, "channel": CHANNEL}),
}


def payload_of(message: str, **changes: Any) -> bytes:
    """Returns the payload of the sound request with changes, without `check`."""
    return crln.encode_payload(crln.FROM_CLIENT[message], {**SOUND[message].fields, **changes})


def refuse(message: str, name: str, code: str, field: str, *, item: Optional[int] = None, section: str = "",
           **changes: Any) -> None:
    bad_payload(message, name, payload_of(message, **changes), code, field=field, item=item, section=section)


def device_faults(message: str, field: str) -> None:
    """Adds the faults of one `device`; in a list as the second of two."""
    item = 1 if field == "devices" else None
    parts = {name: part.write({**SOUND[message].fields, "at": 0}[name])
             for name, part in crln.FROM_CLIENT[message].fixed.items()}
    place = list(parts).index(field)
    before = b"".join(list(parts.values())[:place])
    after = b"".join(list(parts.values())[place + 1:])
    if field == "devices":
        before += b"\0\0\0\2" + crln.DEVICE.write(BY_ID)

    def fault(name: str, data: str, code: str = "MALFORMED") -> None:
        bad_payload(message, f"with {name}", before + bytes.fromhex(data) + after, code, field=field, item=item,
                    section="4.1")

    fault("a device of form 0", "00 0000000000000007")
    fault("a device of form 3", "03 0000000000000007")
    fault("a device of form 255", "ff 0000000000000007")
    fault("a device with an empty token", "01 01 01 00")
    fault("a device of environment 0", "01 00 01 01 ab", "INVALID_ARGUMENT")
    fault("a device of environment 3", "01 03 01 01 ab", "INVALID_ARGUMENT")
    fault("a device of kind 0", "01 01 00 01 ab", "INVALID_ARGUMENT")
    fault("a device of kind 14", "01 01 0e 01 ab", "INVALID_ARGUMENT")
    fault("a device of kind fcm in the sandbox", "01 02 0b 01 61", "INVALID_ARGUMENT")
    fault("a device of kind fcm with a slash in its token", "01 01 0b 01 2f", "INVALID_ARGUMENT")


def tag(message: str, name: str, *, number: int, value: bytes, code: str, field: str, item: Optional[int] = None,
        section: str = "", file: str = "", **changes: Any) -> None:
    """Adds a sound request with one tagged field of these bytes."""
    payload = payload_of(message, **changes)
    bad_payload(message, f"with {name}", payload + b"\1" + crln.uvarint(number) + crln.uvarint(len(value)) + value,
                code, field=field, item=item, section=section, file=file)


def list_faults(message: str, *, number: int, field: str, item: bytes, most: int, least: int = 0, section: str = "",
                file: str = "", **changes: Any) -> None:
    """Adds faults of the form and the count of a list in a tag; `item` is a sound item."""
    def fault(name: str, value: bytes, code: str = "MALFORMED", index: Optional[int] = None) -> None:
        tag(message, f"{field} {name}", number=number, value=value, code=code, field=field, item=index, section=section,
            file=file, **changes)

    fault("of 0 bytes", b"")
    fault("of 3 bytes", b"\0\0\0")
    fault("with the largest count", b"\xff" * 4 + item)
    fault("that end within an item", b"\0\0\0\1" + item[:-1], index=0)
    fault("and a byte more", b"\0\0\0\1" + item + b"\0")
    fault(f"of {most + 1:,} items", (most + 1).to_bytes(4, "big") + item * (most + 1), "INVALID_ARGUMENT")
    if least:
        fault("of no items", bytes(4), "INVALID_ARGUMENT")


def flag_faults(message: str, *, number: int, field: str) -> None:
    for value, code in ((b"", "MALFORMED"), (b"\0\1", "MALFORMED"), (b"\2", "INVALID_ARGUMENT"),
                        (b"\xff", "INVALID_ARGUMENT")):
        tag(message, f"{field} of the bytes {value.hex() or 'none'}", number=number, value=value, code=code,
            field=field)


def attribute_faults(message: str) -> None:
    def fault(name: str, *attributes: Tuple[str, str], item: int = 0) -> None:
        value = crln.ATTRIBUTES.write([{"key": key, "value": value} for key, value in attributes])
        tag(message, f"an attribute {name}", number=23, value=value, code="INVALID_ARGUMENT", field="attributes",
            item=item, section="7.1", file="memberships")

    fault("of an empty key", ("", "v"))
    fault("of a key of 33 bytes", ("k" * 33, "v"))
    fault("of a key with a slash", ("a/b", "v"))
    fault("of a value of 65 bytes", ("k", "v" * 65))
    fault("of a value with a space", ("k", "a b"))
    fault("of a value beyond ASCII", ("k", "ä"))
    for key in ("locale", "environment", "kind"):
        fault(f"of the key {key}", ("k", "v"), (key, "v"), item=1)
    fault("that stands twice", ("k", "v"), ("l", "v"), ("k", "w"), item=2)
    fault("that is set and forgotten", ("k", "v"), ("k", ""), item=1)
    tag(message, "a surrogate in an attribute", number=23, value=b"\0\0\0\1\0\3\xed\xa0\x80\0\0", code="MALFORMED",
        field="attributes", item=0, section="4.1", file="memberships")
    list_faults(message, number=23, field="attributes", item=crln.STR.write("k") + crln.STR.write(""), most=16,
                section="7.1", file="memberships")


def body_faults(message: str, *, number: int, section: str, file: str, **changes: Any) -> None:
    def fault(name: str, code: str, item: int, *bodies: Tuple[str, bytes]) -> None:
        value = crln.BODIES.write([{"language": language, "payload": payload} for language, payload in bodies])
        tag(message, f"a body {name}", number=number, value=value, code=code, field="bodies", item=item,
            section=section, file=file, **changes)

    sound = ("de", b"{}")
    fault("of no language", "INVALID_ARGUMENT", 0, ("", b"{}"))
    fault("of a language of one letter", "INVALID_ARGUMENT", 1, sound, ("d", b"{}"))
    fault("of a language of 36 bytes", "INVALID_ARGUMENT", 0, ("x" * 36, b"{}"))
    fault("of a language with an underscore", "INVALID_ARGUMENT", 0, ("de_AT", b"{}"))
    fault("whose language stands twice", "INVALID_ARGUMENT", 1, sound, ("DE", b"{}"))
    fault("without a payload", "INVALID_ARGUMENT", 1, sound, ("fr", b""))
    fault("that is not an object", "INVALID_ARGUMENT", 1, sound, ("fr", b"[]"))
    fault("with a name twice", "INVALID_ARGUMENT", 0, ("de", b'{"a":1,"a":2}'))
    fault("of 4,097 bytes", "TOO_LARGE", 1, sound, ("fr", b'{"a":"' + b"x" * 4089 + b'"}'))
    fault("of 4,097 bytes before one that is not an object", "INVALID_ARGUMENT", 1, ("fr", b"x" * 4097), ("de", b"[]"))
    list_faults(message, number=number, field="bodies", item=crln.STR.write("de") + crln.BYTES.write(b"{}"), most=64,
                least=1, section=section, file=file, **changes)


def number_faults(message: str, *, number: int, field: str, size: int, refused: Sequence[int] = (),
                  **changes: Any) -> None:
    """Adds faults of a number in a tag."""
    for length in sorted({0, size - 1, size + 1}):
        tag(message, f"{field} of {length} bytes", number=number, value=bytes(length), code="MALFORMED", field=field,
            file="messages", **changes)
    for value in refused:
        tag(message, f"{field} {value}", number=number, value=value.to_bytes(size, "big"), code="INVALID_ARGUMENT",
            field=field, file="messages", **changes)


def largest_count(message: str, field: str) -> None:
    """Adds a list whose count is more than the payload has."""
    rest = SOUND[message].fields
    head = b"".join(crln.FROM_CLIENT[message].fixed[name].write(rest[name])
                    for name in list(rest)[:list(rest).index(field)])
    bad_payload(message, f"with the largest count of {field}", head + b"\xff" * 4 + bytes(40), "MALFORMED", field=field,
                section="4.1")
