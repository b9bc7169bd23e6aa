"""Values that no request may have: texts, apps, subscriptions of browsers, numbers, lists and names."""
from typing import Any, Dict

import crln
from cases.invalid_cases import SOUND, bad_payload, device_faults, payload_of, refuse
from cases.samples import (ALERT, APP, BROWSER_KEY, BROWSER_SECRET, BROWSER_SUBSCRIPTION, BY_ID, DIGEST, FCM, FID,
                           MAX32, UUID, browser_subscription)


BAD_TEXT = [
    ("an overlong slash", b"com\xc0\xaf"), ("an overlong form of three bytes", b"\xe0\x80\xaf"),
    ("an overlong form of four bytes", b"\xf0\x80\x80\xaf"), ("an overlong zero", b"\xc0\x80"),
    ("a surrogate", b"\xed\xa0\x80"), ("a pair of surrogates", b"\xed\xa0\xbd\xed\xb8\x80"),
    ("a character cut short", b"abc\xe2\x82"), ("a lone continuation", b"a\x80b"), ("the byte ff", b"\xff"),
    ("a character above U+10FFFF", b"\xf4\x90\x80\x80"), ("a U+0000", b"a\0b"), ("nothing but U+0000", b"\0")]
NAMED_TEXT = BAD_TEXT[0], BAD_TEXT[4], BAD_TEXT[6], BAD_TEXT[10]


def invalid_text() -> None:
    for name, text in BAD_TEXT:
        field = len(text).to_bytes(2, "big") + text
        bad_payload("hello", f"with {name} in software", field + bytes(4), "MALFORMED", field="software", section="4.1",
                    file="text")
        rest = payload_of("message_status")[2 + len(APP):]
        bad_payload("message_status", f"with {name} in app", field + rest, "MALFORMED", field="app", section="4.1",
                    file="text")
    for message in ("register", "unregister", "lookup", "send", "message_outcomes"):
        rest = payload_of(message)[2 + len(APP):]
        bad_payload(message, "with a surrogate in app", b"\0\3\xed\xa0\x80" + rest, "MALFORMED", field="app",
                    section="4.1", file="text")
    for message, tag, field in (("register", 18, "locale"), ("register", 20, "time_zone"), ("send", 19, "collapse_id")):
        for name, text in NAMED_TEXT:
            section = bytes([1, tag, len(text)]) + text
            bad_payload(message, f"with {name} in {field}", payload_of(message) + section, "MALFORMED", field=field,
                        section="4.1", file="text")


BAD_APPS = [("empty", ""), ("of 156 bytes", "x" * 156), ("with a slash", "com/example"),
            ("with a space", "com example"), ("with an underscore", "com_example"), ("that is *", "*"),
            ("with a letter beyond ASCII", "com.exämple"), ("with an Arabic digit", "com.٣"),
            ("with a line feed", "com\n")]


def invalid_values() -> None:
    def wrong(message: str, field: str, name: str, section: str = "", **changes: Any) -> None:
        refuse(message, f"with {field} {name}", "INVALID_ARGUMENT", field, section=section, **changes)

    wrong("hello", "software", "empty", software="")
    wrong("hello", "software", "of 65 bytes", software="s" * 65)
    wrong("hello", "software", "of 65 bytes in 33 letters", software="ü" * 32 + "s")
    for limit in (1, 4095):
        wrong("hello", "receive_limit", str(limit), receive_limit=limit)
    for method in (0, 2, 255):
        wrong("auth", "method", str(method), method=method)
    wrong("auth", "credential", "empty", credential=b"")
    wrong("auth", "credential", "of 257 bytes", credential=b"k" * 257)
    for name, app in BAD_APPS:
        wrong("register", "app", name, "7", app=app)
    for message in ("unregister", "lookup", "send", "message_status", "message_outcomes"):
        wrong(message, "app", "empty", "7", app="")
        wrong(message, "app", "of 156 bytes", "7", app="x" * 156)
    for environment in (0, 3, 255):
        wrong("register", "environment", str(environment), "16.3", environment=environment)
    for kind in (0, 14, 255):
        wrong("register", "kind", str(kind), "16.3", kind=kind)
    for kind, token in ((11, FCM), (12, FID), (13, DIGEST)):
        wrong("register", "environment", f"2 of kind {kind}", "16.3", environment=2, kind=kind, token=token)
    for name, kind, token in (
            ("with a slash", 11, b"a/b"), ("with a quote", 11, b'a"b'), ("beyond ASCII", 11, "ä".encode()),
            ("of 21 bytes", 12, FID[:21]), ("of 23 bytes", 12, FID + b"x"), ("with a colon", 12, FID[:21] + b":"),
            ("that begins with g", 12, b"g" + FID[1:]), ("of 31 bytes", 13, DIGEST[:31]),
            ("of 33 bytes", 13, DIGEST + b"x")):
        wrong("register", "token", f"of kind {kind} {name}", "16.3", kind=kind, token=token)
    prefix = payload_of("register")[:2 + len(APP) + 2]
    bad_payload("register", "with a token of 0 bytes", prefix + b"\0" + bytes(8), "MALFORMED", field="token",
                section="4.1")
    for name, locale in (("of one letter", "d"), ("of 36 bytes", "x" * 36), ("with an underscore", "de_AT"),
                         ("beyond ASCII", "dé"), ("with a space", "de AT")):
        wrong("register", "locale", name, locale=locale)
    for name, zone in (("of 65 bytes", "Z" * 65), ("with a space", "Europe/ Vienna"), ("beyond ASCII", "Zürich"),
                       ("with a dot", "../etc")):
        wrong("register", "time_zone", name, time_zone=zone)
    device_faults("unregister", "device")
    device_faults("lookup", "device")
    for value in (12, 255):
        wrong("send", "push_type", str(value), "16.4", push_type=value)
    wrong("send", "push_type", "0", "16.4", push_type=0)
    for value in (2, 4, 6, 9, 11, 255):
        wrong("send", "priority", str(value), priority=value)
    for value in (0, 6, 255):
        wrong("send", "audience", str(value), audience=value)
    wrong("send", "collapse_id", "empty", collapse_id="")
    wrong("send", "collapse_id", "of 65 bytes", collapse_id="ü" * 32 + "c")
    for letter in ("\x01", "\n", "\x1f", "\x7f", "\x80", "\x9f"):
        wrong("send", "collapse_id", f"with U+{ord(letter):04X}", collapse_id=f"a{letter}")
    for name, value in (("a first space", " a"), ("a last space", "a "), ("one space alone", " "),
                        ("a first space under an accent", " \u0301a")):
        wrong("send", "collapse_id", f"with {name}", collapse_id=value)
    for value in (0, 3, 255):
        wrong("send", "lane", str(value), lane=value)
    for value in (0, 1001, MAX32):
        wrong("message_outcomes", "limit", str(value), limit=value)


def invalid_browsers() -> None:
    def wrong(name: str, **changes: Any) -> None:
        refuse("register", f"with subscription {name}", "INVALID_ARGUMENT", "subscription", section="7.1", **changes)

    for name, value in (
            ("no bytes", b""), ("no JSON", b"{"), ("a list", b"[]"), ("a name twice", b'{"a":1,"a":2}'),
            ("4,097 bytes", BROWSER_SUBSCRIPTION + b" " * (4097 - len(BROWSER_SUBSCRIPTION))),
            ("no keys", b'{"endpoint":"https://a.b/"}'),
            ("a key of 64 bytes", browser_subscription(key=BROWSER_KEY[:-2] + "A")),
            ("a compressed key", browser_subscription(key="A" + BROWSER_KEY[1:])),
            ("a secret of 15 bytes", browser_subscription(secret=BROWSER_SECRET[:-2])),
            ("no https", browser_subscription("http://a.b/")),
            ("an address", browser_subscription("https://127.0.0.1/")),
            ("a user", browser_subscription("https://u@a.b/")),
            ("an endpoint of 1,025 bytes", browser_subscription("https://push.example.com/" + "x" * 1000))):
        wrong(f"of {name}", kind=13, token=DIGEST, subscription=value)
    wrong("of an Apple device", subscription=BROWSER_SUBSCRIPTION)


def invalid_lists() -> None:
    device_faults("send", "devices")
    head = crln.STR.write(APP) + UUID + b"\1\0\1"
    tail = crln.BYTES.write(ALERT)
    refuse("send", "to no device", "INVALID_ARGUMENT", "devices", devices=[])
    tiny = {"token": {"environment": 1, "kind": 1, "token": b"t"}}
    refuse("send", "to 1,001 devices", "INVALID_ARGUMENT", "devices", devices=[tiny] * 1001)
    bad_payload("send", "with the largest count", head + b"\xff" * 4 + crln.DEVICE.write(BY_ID) + tail, "MALFORMED",
                field="devices", section="4.1")
    bad_payload("send", "with a count that the bytes left rule out", head + b"\0\0\0\x0a" + bytes(49), "MALFORMED",
                field="devices", section="4.1")
    bad_payload("send", "with a payload past the end",
                head + b"\0\0\0\1" + crln.DEVICE.write(BY_ID) + b"\0\0\0\x17" + ALERT, "MALFORMED", field="payload",
                section="4.1")
    bad_payload("send", "with the largest payload size",
                head + b"\0\0\0\1" + crln.DEVICE.write(BY_ID) + b"\xff" * 4 + ALERT, "MALFORMED", field="payload",
                section="4.1")
    refuse("register_batch", "of no items", "INVALID_ARGUMENT", "items", items=[])
    refuse("register_batch", "of 1,001 items", "INVALID_ARGUMENT", "items", items=[b""] * 1001)
    bad_payload("register_batch", "with the largest count", b"\xff" * 4 + bytes(12), "MALFORMED", field="items",
                section="4.1")
    bad_payload("register_batch", "with a count that the bytes left rule out", b"\0\0\0\4" + bytes(15), "MALFORMED",
                field="items", section="4.1")
    bad_payload("register_batch", "with the second item past the end", b"\0\0\0\2" + b"\0\0\0\1x" + b"\0\0\0\2x",
                "MALFORMED", field="items", item=1, section="4.1")
    bad_payload("register_batch", "with the largest item size", b"\0\0\0\1" + b"\xff" * 4 + b"x", "MALFORMED",
                field="items", item=0, section="4.1")
    bad_payload("auth", "with a credential past the end", b"\1" + b"\0\0\0\2k", "MALFORMED", field="credential",
                section="4.1")
    bad_payload("auth", "with the largest credential size", b"\1" + b"\xff" * 4 + b"k", "MALFORMED", field="credential",
                section="4.1")


BAD_NAMES = [("empty", ""), ("of 201 bytes", "x" * 201), ("beginning with a slash", "/user"), ("with a space", "a b"),
             ("beyond ASCII", "größe"), ("with a quote", "it's"), ("with a star", "level*"),
             ("with a line feed", "a\n")]
BAD_TOPICS = [*BAD_NAMES, ("that is FCM's prefix", "/topics/"), ("with FCM's prefix twice", "/topics//topics/a")]
NAMED = {"group": ("join", "leave", "group_devices", "update_group", "group_topics"), "from": ("switch",),
         "to": ("switch",), "topic": ("topic_devices",)}
LISTINGS = ("memberships", "group_devices", "groups", "group_topics", "topics", "topic_devices", "quarantine",
            "messages", "receipt_devices", "devices")


def invalid_names() -> None:
    """Adds faults of names of groups and topics, and of `prefix` and `after`."""
    for field, messages in NAMED.items():
        bad = BAD_TOPICS if field == "topic" else BAD_NAMES
        for message in messages:
            for name, value in bad if message in ("join", "switch", "topic_devices") else bad[:2]:
                refuse(message, f"with {field} {name}", "INVALID_ARGUMENT", field,
                       section="9" if field == "topic" else "8", **{field: value})
        rest = SOUND[messages[0]].fields
        head = b"".join(crln.FROM_CLIENT[messages[0]].fixed[name].write(rest[name])
                        for name in list(rest)[:list(rest).index(field)])
        bad_payload(messages[0], f"with a surrogate in {field}", head + b"\0\3\xed\xa0\x80" + bytes(30), "MALFORMED",
                    field=field, section="4.1")
    refuse("switch", "from a group to itself", "INVALID_ARGUMENT", "to", to="role/1")
    for message in ("subscribe", "unsubscribe"):
        for name, value in BAD_TOPICS if message == "subscribe" else BAD_TOPICS[:1]:
            refuse(message, f"with a topic {name}", "INVALID_ARGUMENT", "topics", item=1, section="9",
                   topics=["level5", value])
        for name, value in BAD_NAMES if message == "subscribe" else BAD_NAMES[:1]:
            refuse(message, f"with a group {name}", "INVALID_ARGUMENT", "groups", item=0, section="8", groups=[value])
    for message in LISTINGS:
        for limit in (0, 1001, MAX32):
            refuse(message, f"with limit {limit}", "INVALID_ARGUMENT", "limit", limit=limit)
        for field in ("prefix", "after"):
            if field in SOUND[message].fields:
                refuse(message, f"with {field} of 201 bytes", "INVALID_ARGUMENT", field, **{field: "ü" * 100 + "x"})
        refuse(message, "with app empty", "INVALID_ARGUMENT", "app", section="7", app="")
    for message in ("update_device", "join", "leave", "switch", "update_group", "subscribe", "unsubscribe", "explain",
                    "restore", "update_message", "resend", "receipts"):
        refuse(message, "with app empty", "INVALID_ARGUMENT", "app", section="7", app="")


def invalid_android() -> None:
    def wrong(name: str, code: str, field: str, **changes: Any) -> None:
        bad_payload("send", f"with {name}", payload_of("send", **changes), code, field=field, section="10.1",
                    file="android")

    call: Dict[str, Any] = {"push_type": 4, "payload": b"{}"}
    for field, most in (("android", 8192), ("android_raw", 8192)):
        for name, value in (("no bytes", b""), ("no JSON", b"{"), ("a list", b"[]"), ("a name twice", b'{"a":1,"a":2}'),
                            ("bytes that are no UTF-8", b'{"a":"\xff"}')):
            wrong(f"{field} of {name}", "INVALID_ARGUMENT", field, **{field: value})
        wrong(f"{field} of {most + 1:,} bytes", "TOO_LARGE", field, **{field: b" " * (most + 1)})
        wrong(f"{field} of a call", "INVALID_ARGUMENT", field, **{field: b"{}"}, **call)
    wrong("android and android_raw", "INVALID_ARGUMENT", "android_raw", android=b"{}", android_raw=b"{}")


def invalid_web() -> None:
    def wrong(name: str, code: str, field: str, **changes: Any) -> None:
        bad_payload("send", f"with {name}", payload_of("send", **changes), code, field=field, section="10.1",
                    file="web")

    silent: Dict[str, Any] = {"push_type": 2, "payload": b'{"aps":{"content-available":1}}'}
    for field in ("web", "web_raw"):
        for name, value in (("no bytes", b""), ("no JSON", b"{"), ("a list", b"[]"), ("a name twice", b'{"a":1,"a":2}'),
                            ("bytes that are no UTF-8", b'{"a":"\xff"}')):
            wrong(f"{field} of {name}", "INVALID_ARGUMENT", field, **{field: value})
        wrong(f"{field} of 4,097 bytes", "TOO_LARGE", field, **{field: b" " * 4097})
        wrong(f"{field} of a silent push", "INVALID_ARGUMENT", field, **{field: b"{}"}, **silent)
    wrong("web and web_raw", "INVALID_ARGUMENT", "web_raw", web=b"{}", web_raw=b"{}")
