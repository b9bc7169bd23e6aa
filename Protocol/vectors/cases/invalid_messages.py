"""Invalid requests about messages, events, channels, receipts and statistics."""
from typing import Any, Optional

import crln
from cases.invalid_cases import SOUND, bad_payload, device_faults, largest_count, number_faults, payload_of, refuse, tag
from cases.invalid_values import BAD_APPS, NAMED_TEXT
from cases.samples import APP, BODIES, BROADCAST, BROADCAST_START, BY_ID, CHANNEL, MAX32, TRACE, receipt


def invalid_message_options() -> None:
    for name, text in (("of no bytes", ""), ("of version ff", "ff" + TRACE[2:]),
                       ("without a trace", TRACE[:3] + "0" * 32 + TRACE[35:]),
                       ("without a parent", TRACE[:36] + "0" * 16 + TRACE[52:]), ("in upper case", TRACE.upper()),
                       ("that is cut", TRACE[:54]), ("of version 00 with more", TRACE + "-00"),
                       ("of a later version with more that is not set apart", "01" + TRACE[2:] + "00"),
                       ("with a space", TRACE[:10] + " " + TRACE[11:])):
        tag("send", f"a traceparent {name}", number=66, value=text.encode(), code="INVALID_ARGUMENT",
            field="traceparent", section="10.1", file="messages")
    for name, text in NAMED_TEXT:
        tag("send", f"{name} in traceparent", number=66, value=text, code="MALFORMED", field="traceparent",
            section="4.1", file="messages")
    number_faults("send", number=35, field="send_at", size=8)
    number_faults("send", number=37, field="pace", size=4, refused=[0])
    number_faults("send", number=39, field="over_budget", size=1, refused=[0, 3, 255])
    number_faults("update_message", number=37, field="pace", size=4, refused=[0])
    number_faults("messages", number=17, field="state", size=1, refused=[0, 6, 255])
    for message, number in (("send", 43), ("messages", 21)):
        for name, text in (("of no bytes", b""), ("of 101 bytes", b"l" * 101), ("with a line feed", b"a\nb"),
                           ("with an escape", b"\x1b[1m"), ("with a C1 control", "a\x85".encode())):
            tag(message, f"a label {name}", number=number, value=text, code="INVALID_ARGUMENT", field="label",
                file="messages")
        for name, text in NAMED_TEXT:
            tag(message, f"{name} in label", number=number, value=text, code="MALFORMED", field="label", section="4.1",
                file="messages")
    for name, text in (("of no bytes", b""), ("of 256 bytes", b"s" * 256)):
        tag("messages", f"a sender {name}", number=19, value=text, code="INVALID_ARGUMENT", field="sender",
            file="messages")
    for name, text in NAMED_TEXT:
        tag("messages", f"{name} in sender", number=19, value=text, code="MALFORMED", field="sender", section="4.1",
            file="messages")
    bad_payload("messages", "with a bad state and a bad label", payload_of("messages", state=9, label="\n"),
                "INVALID_ARGUMENT", field="state", section="15.1", file="messages")

    def bad_key(name: str, key: str, code: str = "INVALID_ARGUMENT", *, field: str = "id_key",
                item: Optional[int] = None, section: str = "10.1", **changes: Any) -> None:
        bad_payload("send", f"with a key for its id {name}", payload_of("send", id_key=key, **changes), code,
                    field=field, item=item, section=section, file="messages")

    for name, key in (("of no bytes", ""), ("of 65 bytes", "k" * 65), ("that is aps", "aps"), ("with a slash", "a/b"),
                      ("with a space", "a b"), ("with a quote", 'a"'), ("beyond ASCII", "ä")):
        bad_key(name, key)
    for name, text in NAMED_TEXT:
        tag("send", f"{name} in id_key", number=41, value=text, code="MALFORMED", field="id_key", section="4.1",
            file="messages")
    long = b'{"a":"' + b"x" * (4096 - 8 - 27) + b'"}'
    bad_key("that stands in the payload", "id", payload=b'{"id":1}')
    bad_key("that stands in the payload, escaped", "id", payload=b'{"\\u0069d":1}')
    bad_key("that stands in a body", "id", bodies=[*BODIES, {"language": "fr", "payload": b'{"id":null}'}])
    bad_key("that has no room", "id", "TOO_LARGE", field="payload", payload=long)
    bad_key("that has no room in a body", "id", "TOO_LARGE", field="bodies", item=1,
            bodies=[BODIES[0], {"language": "fr", "payload": long}])
    bad_key("that stands in a body and has no room in the payload", "id", section="15.1", payload=long,
            bodies=[{"language": "fr", "payload": b'{"id":1}'}])
    bad_key("that is wrong and a payload that is none", "a b", field="payload", section="15.1", payload=b"[]")
    bad_key("and a payload of 4,097 bytes that is not JSON", "id", "TOO_LARGE", field="payload", section="15.1",
            payload=b"x" * 4097)
    bad_key("and an unknown push type", "id", field="push_type", section="15.1", push_type=12, payload=b'{"id":1}')
    for action in (0, 5, 255):
        refuse("update_message", f"with action {action}", "INVALID_ARGUMENT", "action", action=action)
    for action in (1, 2, 3):
        refuse("update_message", f"of action {action} with a pace", "INVALID_ARGUMENT", "pace", action=action, pace=5)
    refuse("update_message", "of an unknown action with a pace", "INVALID_ARGUMENT", "action", section="15.1", action=9,
           pace=5)
    for outcome in (0, 1):
        refuse("resend", f"with outcome {outcome}", "INVALID_ARGUMENT", "outcomes", item=1, outcomes=[4, outcome])
    refuse("resend", "with 65 outcomes", "INVALID_ARGUMENT", "outcomes", outcomes=[4] * 65)
    largest_count("resend", "outcomes")
    device_faults("restore", "device")


def invalid_trace() -> None:
    for name, app in BAD_APPS:
        refuse("trace", f"with app {name}", "INVALID_ARGUMENT", "app", section="7", app=app)
    device_faults("trace", "device")


def invalid_events() -> None:
    def wrong(case: str, field: str, item: Optional[int] = None, section: str = "", **changes: Any) -> None:
        bad_payload("subscribe_events", case, payload_of("subscribe_events", **changes), "INVALID_ARGUMENT",
                    field=field, item=item, section=section)

    wrong("with a name of 65 bytes", "name", name="ü" * 32 + "x")
    for name, app in BAD_APPS:
        wrong(f"with an app {name}", "apps", 1, apps=[APP, app])
    wrong("of 65 apps", "apps", apps=[APP] * 65)
    wrong("with kind 0", "kinds", 1, kinds=[1, 0])
    wrong("of 65 kinds", "kinds", kinds=[1] * 65)
    wrong("with a bad app and kind 0", "apps", 0, "15.1", apps=["*"], kinds=[0])
    largest_count("subscribe_events", "apps")
    largest_count("subscribe_events", "kinds")
    rest = payload_of("subscribe_events", name="")[2:]
    for name, text in NAMED_TEXT:
        bad_payload("subscribe_events", f"with {name} in name", len(text).to_bytes(2, "big") + text + rest, "MALFORMED",
                    field="name", section="4.1")
        bad_payload("forget_subscriber", f"with {name} in name", len(text).to_bytes(2, "big") + text, "MALFORMED",
                    field="name", section="4.1")
    for case, text in (("without a name", ""), ("with a name of 65 bytes", "ü" * 32 + "x")):
        bad_payload("forget_subscriber", case, payload_of("forget_subscriber", name=text), "INVALID_ARGUMENT",
                    field="name")


BAD_CHANNELS = (("empty", ""), ("of 513 bytes", "A" * 513), ("with a space", "a b"), ("with a line feed", "a\nb"),
                ("with an umlaut", "ü"), ("with a dot", "a.b"))


def invalid_channels() -> None:
    for message in ("create_channel", "channel", "channels", "delete_channel"):
        for environment in (0, 3):
            refuse(message, f"in environment {environment}", "INVALID_ARGUMENT", "environment",
                   environment=environment)
    for policy in (0, 3, 255):
        refuse("create_channel", f"with storage policy {policy}", "INVALID_ARGUMENT", "storage_policy",
               storage_policy=policy)
    for message in ("channel", "delete_channel"):
        for name, channel in BAD_CHANNELS:
            refuse(message, f"of an id {name}", "INVALID_ARGUMENT", "channel", channel=channel)
    refuse("channels", "after a text of 513 bytes", "INVALID_ARGUMENT", "after", after="A" * 513)
    for limit in (0, 1001):
        refuse("channels", f"with a limit of {limit}", "INVALID_ARGUMENT", "limit", limit=limit)


def invalid_broadcasts() -> None:
    sound = {"audience": 6, "push_type": 8, "devices": [], "channel": CHANNEL, "expiration": 0, "payload": BROADCAST}

    def wrong(name: str, field: str, code: str = "INVALID_ARGUMENT", without: str = "", **changes: Any) -> None:
        fields = {name: value for name, value in {**SOUND["send"].fields, **sound, **changes}.items()
                  if name != without}
        bad_payload("send", name, crln.encode_payload(crln.FROM_CLIENT["send"], fields), code, field=field,
                    section="10.1", file="channels")

    wrong("to a channel without one", "channel", without="channel")
    wrong("to a channel without an expiration", "expiration", without="expiration")
    wrong("to a channel of another push type", "audience", push_type=1, payload=b"{}")
    wrong("to a channel with a device", "devices", devices=[BY_ID])
    wrong("to a channel with a start", "payload", payload=BROADCAST_START)
    wrong("to a channel without payload", "payload", payload=b"")
    wrong("to a channel with a payload of 5,121 bytes", "payload", "TOO_LARGE",
          payload=BROADCAST[:-1] + b" " * (5121 - len(BROADCAST)) + b"}")
    wrong("to a channel with a collapse id", "collapse_id", collapse_id="a")
    wrong("to a channel with bodies", "bodies", bodies=[{"language": "de", "payload": BROADCAST}])
    wrong("to a channel without a device", "except", **{"except": BY_ID})
    wrong("to a channel with an id key", "id_key", id_key="mid")
    wrong("to a channel with a content for Android", "android", android=b"{}")
    wrong("to a channel with a raw content for Android", "android_raw", android_raw=b"{}")
    wrong("to a channel with a content for browsers", "web", web=b"{}")
    wrong("to a channel with a raw content for browsers", "web_raw", web_raw=b"{}")
    wrong("to a channel in environment 3", "environment", environment=3)
    wrong("to every device with a channel", "channel", audience=5)
    wrong("to every device with an environment", "environment", audience=5, environment=1, without="channel")
    for name, channel in BAD_CHANNELS:
        wrong(f"to a channel {name}", "channel", channel=channel)


def invalid_receipts() -> None:
    refuse("receipts", "of none", "INVALID_ARGUMENT", "receipts", receipts=[])
    refuse("receipts", "of 1,001", "INVALID_ARGUMENT", "receipts", receipts=[receipt()] * 1001)
    largest_count("receipts", "receipts")
    for kind in (0, 3, 255):
        refuse("receipts", f"of kind {kind}", "INVALID_ARGUMENT", "receipts", item=1,
               receipts=[receipt(), receipt(kind=kind)])
        refuse("receipt_devices", f"of kind {kind}", "INVALID_ARGUMENT", "kind", kind=kind)
    for name, device in (("environment 3", {"environment": 3, "kind": 1, "token": b"t"}),
                         ("kind 0", {"environment": 1, "kind": 0, "token": b"t"})):
        refuse("receipts", f"of a device of {name}", "INVALID_ARGUMENT", "receipts", item=0,
               receipts=[receipt(device={"token": device})])
    head = crln.STR.write(APP) + b"\0\0\0\1" + bytes(8)
    for name, device in (("form 3", b"\3" + bytes(8)), ("an empty token", b"\1\1\1\0\1\1\1\1\1")):
        bad_payload("receipts", f"of a device of {name}", head + device + b"\1", "MALFORMED", field="receipts", item=0,
                    section="4.1")


def invalid_statistics() -> None:
    for limit in (0, 1001, MAX32):
        refuse("statistics", f"with limit {limit}", "INVALID_ARGUMENT", "limit", limit=limit)
    for name in ("", "n" * 65):
        refuse("remove_node", f"with a node of {len(name)} bytes", "INVALID_ARGUMENT", "node", node=name)
    bad_payload("statistics", "with an unknown odd tag", payload_of("statistics") + b"\1\x11\0", "UNSUPPORTED_FIELD",
                section="4.2")
    bad_payload("statistics", "with a short deadline and limit 0", payload_of("statistics", limit=0) + b"\1\2\1x",
                "MALFORMED", field="deadline_ms", section="15.1")
