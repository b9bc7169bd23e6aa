"""Invalid requests about memberships, audiences and conditions."""
from typing import Any, Optional

import crln
from cases.invalid_cases import (SOUND, attribute_faults, bad_payload, body_faults, device_faults, flag_faults,
                                 invalid, list_faults, payload_of, refuse, tag)
from cases.invalid_values import BAD_NAMES, BAD_TOPICS, NAMED_TEXT
from cases.samples import BODIES, BY_ID


def invalid_memberships() -> None:
    for number, field in ((19, "topics"), (21, "groups")):
        list_faults("register", number=number, field=field, item=crln.STR.write("a"), most=64, section="7.1",
                    file="memberships")
        for name, value in BAD_TOPICS if field == "topics" else BAD_NAMES:
            tag("register", f"one of {field} {name}", number=number, value=crln.GROUPS.write(["a", value]),
                code="INVALID_ARGUMENT", field=field, item=1, section="9" if field == "topics" else "8",
                file="memberships")
        tag("register", f"a U+0000 in {field}", number=number, value=crln.GROUPS.write(["a\0"]), code="MALFORMED",
            field=field, item=0, section="4.1", file="memberships")
    for message in ("register", "update_device"):
        attribute_faults(message)
    for name, locale in (("of one letter", "d"), ("of 36 bytes", "x" * 36)):
        refuse("update_device", f"with locale {name}", "INVALID_ARGUMENT", "locale", locale=locale)
    refuse("update_device", "with time_zone with a space", "INVALID_ARGUMENT", "time_zone", time_zone="a b")
    flag_faults("update_device", number=25, field="muted")
    flag_faults("update_group", number=25, field="muted")
    flag_faults("leave", number=17, field="clear_topics")
    flag_faults("send", number=33, field="dry_run")
    device_faults("update_device", "device")
    device_faults("memberships", "device")
    device_faults("switch", "device")
    for message in ("join", "leave"):
        refuse(message, "of no devices", "INVALID_ARGUMENT", "devices", devices=[])
        refuse(message, "of 1,001 devices", "INVALID_ARGUMENT", "devices", devices=[BY_ID] * 1001)
        device_faults(message, "devices")
    for message in ("join", "switch"):
        section = SOUND[message].section
        body_faults(message, number=19, section=section, file="groups")
        for name, payload in (("an empty announcement", b""), ("an announcement that is not an object", b"[]")):
            tag(message, name, number=17, value=payload, code="INVALID_ARGUMENT", field="announcement")
        tag(message, "an announcement of 4,097 bytes", number=17, value=b'{"a":"' + b"x" * 4089 + b'"}',
            code="TOO_LARGE", field="announcement")
        refuse(message, "with an empty announcement and bodies", "INVALID_ARGUMENT", "announcement", announcement=b"",
               bodies=BODIES)
    for message in ("subscribe", "unsubscribe"):
        refuse(message, "of no topics", "INVALID_ARGUMENT", "topics", topics=[])
        refuse(message, "of 1,001 topics", "INVALID_ARGUMENT", "topics", topics=["t"] * 1001)
        refuse(message, "of 1,001 devices", "INVALID_ARGUMENT", "devices", devices=[BY_ID] * 1001)
        refuse(message, "of 1,001 groups", "INVALID_ARGUMENT", "groups", groups=["g"] * 1001)
        refuse(message, "for no devices", "INVALID_ARGUMENT", "devices", devices=[], groups=[])
        refuse(message, "of 10,001 pairs", "INVALID_ARGUMENT", "topics", topics=["t"] * 73, devices=[BY_ID] * 100,
               groups=["g"] * 37)
        refuse(message, "of 1,000 topics for 11 groups", "INVALID_ARGUMENT", "topics", topics=["t"] * 1000, devices=[],
               groups=["g"] * 11)
        device_faults(message, "devices")
        for field in ("topics", "devices", "groups"):
            rest = SOUND[message].fields
            head = b"".join(crln.FROM_CLIENT[message].fixed[name].write(rest[name])
                            for name in list(rest)[:list(rest).index(field)])
            bad_payload(message, f"with the largest count of {field}", head + b"\xff" * 4 + bytes(40), "MALFORMED",
                        field=field, section="4.1")


def invalid_audiences() -> None:
    def wrong(name: str, field: str, item: Optional[int] = None, **changes: Any) -> None:
        bad_payload("send", name, payload_of("send", **{"devices": [], **changes}), "INVALID_ARGUMENT", field=field,
                    item=item, file="audiences")

    named = {"groups": (2, ["user/42"]), "topic": (3, "level5"), "condition": (4, "all")}
    for field, (audience, value) in named.items():
        wrong(f"to {field} without them" if field == "groups" else f"to a {field} without one", field,
              audience=audience)
        for other in (1, 2, 3, 4, 5):
            if other != audience:
                own = {name: given for name, (number, given) in named.items() if number == other}
                wrong(f"of audience {other} with {field}", field, audience=other,
                      devices=[BY_ID] if other == 1 else [], **{field: value}, **own)
    for audience, own in ((2, {"groups": ["user/42"]}), (3, {"topic": "level5"}), (4, {"condition": "all"}), (5, {})):
        wrong(f"of audience {audience} with a device", "devices", audience=audience, devices=[BY_ID], **own)
    for name, value in BAD_TOPICS:
        wrong(f"to a topic {name}", "topic", audience=3, topic=value)
    for name, value in BAD_NAMES:
        wrong(f"to a group {name}", "groups", 1, audience=2, groups=["user/42", value])
    list_faults("send", number=23, field="groups", item=crln.STR.write("a"), most=1000, least=1, section="10.1",
                file="audiences", audience=2, devices=[])
    for number, audience, field in ((25, 3, "topic"), (27, 4, "condition")):
        for name, value in NAMED_TEXT:
            tag("send", f"{name} in {field}", number=number, value=value, code="MALFORMED", field=field, section="4.1",
                file="audiences", audience=audience, devices=[])
    body_faults("send", number=29, section="10.1", file="audiences")
    wrong("to every device without payload and bodies", "payload", audience=5, payload=b"")
    wrong("with a payload that is not an object and bodies", "payload", audience=5, payload=b"[]", bodies=BODIES)
    bad_payload("send", "with a background body without content-available",
                payload_of("send", push_type=2, payload=b'{"aps":{"content-available":1}}',
                           bodies=[{"language": "de", "payload": b"{}"}]), "INVALID_ARGUMENT", field="bodies", item=0,
                section="16.4", file="audiences")
    for name, value, code in (
            ("nothing", b"", "MALFORMED"), ("form 3", b"\3" + bytes(8), "MALFORMED"),
            ("an id cut short", b"\2" + bytes(7), "MALFORMED"), ("a byte more", b"\2" + bytes(9), "MALFORMED"),
            ("an empty token", b"\1\1\1\0", "MALFORMED"), ("environment 3", b"\1\3\1\1t", "INVALID_ARGUMENT"),
            ("kind 0", b"\1\1\0\1t", "INVALID_ARGUMENT")):
        tag("send", f"except of {name}", number=31, value=value, code=code, field="except", section="10.1",
            file="audiences")

    def first(name: str, field: str, code: str = "INVALID_ARGUMENT", *, item: Optional[int] = None,
              **changes: Any) -> None:
        bad_payload("send", name, payload_of("send", **{"devices": [], **changes}), code, field=field, item=item,
                    section="15.1", file="audiences")

    first("with lane wrong and groups missing", "lane", audience=2, lane=9)
    first("with groups missing and dry_run wrong", "groups", audience=2, dry_run=9)
    first("with a topic that does not belong and a condition missing", "topic", audience=4, topic="level5")
    first("with a groups list that does not belong and is wrong", "groups", audience=5, groups=["/"])
    first("with a payload too large and a body too large", "payload", "TOO_LARGE", audience=5, payload=b"x" * 4097,
          bodies=[{"language": "de", "payload": b"x" * 4097}])
    first("with a payload too large and dry_run wrong", "dry_run", audience=5, payload=b"x" * 4097, dry_run=2)
    first("with bodies wrong and except wrong", "bodies", item=0, audience=5,
          bodies=[{"language": "d", "payload": b"{}"}],
          **{"except": {"token": {"environment": 0, "kind": 1, "token": b"t"}}})
    for message in ("join", "switch"):
        bad_payload(message, "with an announcement too large and a body that is not an object",
                    payload_of(message, announcement=b"x" * 4097, bodies=[{"language": "de", "payload": b"[]"}]),
                    "INVALID_ARGUMENT", field="bodies", item=0, section="15.1", file="groups")
    for message in ("subscribe", "unsubscribe"):
        bad_payload(message, "for no devices and with a bad topic",
                    payload_of(message, topics=["/"], devices=[], groups=[]), "INVALID_ARGUMENT",
                    field="topics", item=0, section="15.1", file="topics")
        bad_payload(message, "of too many pairs and with a bad group",
                    payload_of(message, topics=["t"] * 1000, groups=["g"] * 11 + ["/"]), "INVALID_ARGUMENT",
                    field="groups", item=11, section="15.1", file="topics")


# A text, and the column that the error names. conditions.json has more.
BAD_CONDITIONS = [("empty", "", 1), ("of a name alone", "'level5'", 9), ("that ends after &&", "'a' in topics && ", 18),
                  ("of an open parenthesis", "('a' in topics", 15), ("in users", "'a' in users", 8)]


def invalid_conditions() -> None:
    for name, text, column in BAD_CONDITIONS:
        for message, payload in (("explain", payload_of("explain", condition=text)),
                                 ("send", payload_of("send", audience=4, devices=[], condition=text))):
            bad_payload(message, f"with a condition {name}", payload, "INVALID_ARGUMENT", field="condition",
                        file="audiences")
            invalid["audiences"][-1]["expect"]["column"] = column
    refuse("explain", "with a condition of 16,385 bytes", "INVALID_ARGUMENT", "condition", condition="!" * 16385)
    invalid["audiences"][-1]["expect"]["column"] = 16385
