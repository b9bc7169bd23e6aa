#!/usr/bin/env python3
"""Writes the vectors beside it. With --check it says whether they are as it would write them.

The codec of ../python builds valid frames from the fields here. Invalid frames are spelled out, or are a sound payload
with one change. No expectation is computed: each is written beside its case.
"""
# Long: it is a table of some 2,000 cases.
import json
import pathlib
import sys
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "python"))

import crln  # noqa: E402

APP = "com.example.game"
TOKEN = bytes(range(1, 33))
OTHER = bytes(range(101, 133))
UUID = bytes.fromhex("00112233445566778899aabbccddeeff")
SEEN = 1_790_000_000_000
TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
MAX64, MAX32 = 2**64 - 1, 2**32 - 1
ALERT = b'{"aps":{"alert":"Hi"}}'
# Tokens of the kinds that are not APNs', and a token of each kind.
FCM = b"cNab-_1234567890abcdef:APA91bHun4Mxp_zP.%~"
FID = b"cNabcdefghijklmnopqr-_"
DIGEST = bytes(range(32))
# The key and the secret of RFC 8291, appendix A.
BROWSER_KEY = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
BROWSER_SECRET = "BTBZMqHH6r4Tts7J_aSIgg"
TOKENS = {"fcm": FCM, "fid": FID, "web": DIGEST}
BY_TOKEN = {"token": {"environment": 1, "kind": 1, "token": TOKEN}}
BY_ID = {"id": 42}

Case = Dict[str, Any]
valid: Dict[str, List[Case]] = {}
invalid: Dict[str, List[Case]] = {}


# ---------------------------------------------------------------------------------------------- valid

def frame(file: str, name: str, section: str, sender: str, message: str, fields: Dict[str, Any], id: int = 3,
          **options: Any) -> None:
    """Adds a case to valid/<file>.json. Options: opcode (of errors), flags, unknown (tags), raw (payload to decode)."""
    unknown: List[Tuple[int, bytes]] = sorted(options.get("unknown", ()))
    layout = crln.LAYOUTS[sender][message]
    opcode = options.get("opcode", layout.opcode)
    flags = options.get("flags", 0)
    id = 0 if layout.kind == crln.CONTROL else id
    data = crln.encode(sender, message, fields, id, opcode=opcode, flags=flags, unknown=unknown)
    if "raw" in options:
        data = crln.HEADER.pack(len(options["raw"]), layout.kind, flags, opcode, id) + options["raw"]
    case = {"name": name, "section": section, "from": sender, "hex": data.hex(),
            "frame": {"kind": layout.kind, "flags": flags, "opcode": opcode, "id": str(id)},
            "message": message, "fields": crln.fields_to_json(layout, fields)}
    if unknown:
        case["unknown_tags"] = [{"tag": tag, "hex": raw.hex()} for tag, raw in unknown]
    if "raw" in options:
        case["decode_only"] = True
    valid.setdefault(file, []).append(case)


def ignored(name: str, section: str, sender: str, kind: int, flags: int, opcode: int, payload: str,
            id: int = 0) -> None:
    data = crln.HEADER.pack(len(payload) // 2, kind, flags, opcode, id).hex() + payload
    valid.setdefault("control", []).append({
        "name": name, "section": section, "from": sender, "hex": data,
        "frame": {"kind": kind, "flags": flags, "opcode": opcode, "id": str(id)}, "message": "ignored", "fields": {},
        "decode_only": True})


def hello_fields(**changes: Any) -> Dict[str, Any]:
    return {"software": "carillon/1.0", "epoch": UUID, "clock": SEEN, "frame_limit": 1048576, "in_flight_limit": 1024,
            "batch_limit": 1000, "keepalive_ms": 30000, "ping_interval_ms": 10000, "idempotency_window_s": 86400,
            "authenticated": 0, "opcodes": [
                {"opcode": code, "lowest": 1, "highest": 1} for code in sorted(crln.OPCODES.values())], **changes}


def browser_subscription(endpoint: str = "https://push.example.com/p/1", key: str = BROWSER_KEY,
                 secret: str = BROWSER_SECRET) -> bytes:
    """A push subscription in the form in which clients of this project write it."""
    text = '{"endpoint":"%s","keys":{"auth":"%s","p256dh":"%s"}}' % (endpoint, secret, key)
    return text.encode()


BROWSER_SUBSCRIPTION = browser_subscription()


def register_fields(**changes: Any) -> Dict[str, Any]:
    return {"app": APP, "environment": 1, "kind": 1, "token": TOKEN, "seen_at": SEEN, **changes}


def send_fields(**changes: Any) -> Dict[str, Any]:
    return {"app": APP, "key": UUID, "push_type": 1, "priority": 0, "audience": 1, "devices": [BY_TOKEN],
            "payload": ALERT, **changes}


def lookup_fields(**changes: Any) -> Dict[str, Any]:
    return {"device_id": 42, "environment": 1, "kind": 1, "token": TOKEN, "registered_at": SEEN + 5, "seen_at": SEEN,
            "state": 1, **changes}


def error_fields(code: int, scope: int = 0, effect: int = 0, retry: int = MAX32, message: str = "",
                 **tags: Any) -> Dict[str, Any]:
    return {"code": code, "scope": scope, "effect": effect, "retry_after_ms": retry, "message": message, **tags}


def write_valid() -> None:
    valid_connection()
    valid_control()
    valid_devices()
    valid_batches_and_lookups()
    valid_memberships()
    valid_groups()
    valid_topics()
    valid_messages()
    valid_audiences()
    valid_quarantine()
    valid_message_options()
    valid_android()
    valid_web()
    valid_messages_and_updates()
    valid_trace()
    valid_events()
    valid_receipts()
    valid_channels()
    valid_statistics()
    valid_listing()
    valid_payloads()
    valid_errors()


def valid_connection() -> None:
    def hello(name: str, id: int = 1, **options: Any) -> None:
        fields = {"software": "py/1.0", "receive_limit": 0, **options.pop("fields", {})}
        frame("connection", name, options.pop("section", "6.1"), "client", "hello", fields, id, **options)

    hello("HELLO of the example", section="20")
    hello("HELLO with the shortest software", fields={"software": "a"})
    hello("HELLO with software of 64 bytes", fields={"software": "s" * 64})
    hello("HELLO with software beyond ASCII", fields={"software": "Glöckner/1 🔔"})
    hello("HELLO with the smallest receive limit", fields={"receive_limit": 4096})
    hello("HELLO with the largest receive limit", fields={"receive_limit": MAX32})
    hello("HELLO with the largest id", id=MAX64)
    hello("HELLO skips an unknown even tag", unknown=[(16, b"\1")])
    hello("HELLO skips an unknown odd tag", section="4.2", unknown=[(17, b"")])
    hello("HELLO skips reserved tags", section="4.2", unknown=[(1, b"x"), (4, b""), (15, b"yz")])
    hello("HELLO with a deadline", section="16.2", fields={"deadline_ms": 5000})

    def answer(name: str, **options: Any) -> None:
        frame("connection", name, "6.1", "server", "hello", hello_fields(**options.pop("fields", {})), 1, **options)

    answer("HELLO answered, AUTH must follow")
    answer("HELLO answered to a certificate", fields={"authenticated": 1})
    answer("HELLO answered with no opcodes", fields={"opcodes": []})
    answer("HELLO answered with a range of layouts", fields={"opcodes": [{"opcode": 80, "lowest": 1, "highest": 16}]})
    answer("HELLO answered with an empty software", fields={"software": ""})
    answer("HELLO answered with the largest numbers", fields={
        "epoch": b"\xff" * 16, "clock": MAX64, "frame_limit": MAX32, "in_flight_limit": MAX32, "batch_limit": MAX32,
        "keepalive_ms": MAX32, "ping_interval_ms": MAX32, "idempotency_window_s": MAX32, "authenticated": 1,
        "opcodes": [{"opcode": 65535, "lowest": 255, "highest": 255}]})
    answer("HELLO answered with tags of later versions", unknown=[(16, b"\0\1"), (17, b"new")])
    answer("HELLO answered by a node of a cluster", fields={"node": "a", "cluster": bytes(range(16))})
    answer("HELLO answered by a node with the longest name", fields={"node": "n" * 64, "cluster": b"\xff" * 16})

    def auth(name: str, credential: bytes, **options: Any) -> None:
        frame("connection", name, "6.2", "client", "auth", {"method": 1, "credential": credential, **options}, 2)

    auth("AUTH", b"crln_key")
    auth("AUTH with a key of one byte", b"k")
    auth("AUTH with a key of 256 bytes that is not a text", bytes(range(256)))
    auth("AUTH with a deadline", b"crln_key", deadline_ms=1000)

    def granted(name: str, principal: str, *grants: Tuple[str, int], **options: Any) -> None:
        frame("connection", name, "6.2", "server", "auth",
              {"principal": principal, "grants": [{"app": app, "roles": roles} for app, roles in grants]}, 2, **options)

    granted("AUTH answered with all roles for every app", "game-backend", ("*", 15))
    granted("AUTH answered with several grants", "shop", (APP, 1), ("com.example.shop", 6), ("com.example.ops", 8))
    granted("AUTH answered without grants", "nobody")  # style: old names, the bytes of a vector stay
    granted("AUTH answered with roles of later versions", "later", ("*", 255), unknown=[(19, b"\0")])


def valid_control() -> None:
    for sender in ("client", "server"):
        frame("control", f"PING from the {sender}", "6.3", sender, "ping", {"data": bytes.fromhex("0102030405060708")})
        frame("control", f"PING with ACK from the {sender}", "6.3", sender, "ping",
              {"data": bytes.fromhex("0102030405060708")}, flags=1)
    frame("control", "PING of zeros", "6.3", "client", "ping", {"data": bytes(8)})
    frame("control", "PING of ones", "6.3", "server", "ping", {"data": b"\xff" * 8})

    def goaway(name: str, last_id: int, code: int, grace: int, wait: int, reason: str, **options: Any) -> None:
        frame("control", name, "6.4", "server", "goaway", {
            "last_id": last_id, "code": code, "grace_ms": grace, "reconnect_after_ms": wait, "reason": reason},
            **options)

    goaway("GOAWAY, the first", MAX64, 20, 30000, 1000, "restart")
    goaway("GOAWAY, the second", 17, 20, 29000, 1000, "restart")
    goaway("GOAWAY that executed nothing", 0, 20, 0, 0, "")
    goaway("GOAWAY with a reason of 512 bytes", 3, 24, MAX32, MAX32, "r" * 512)
    goaway("GOAWAY with a code of a later version", 3, 999, 0, 0, "x", unknown=[(17, b"?")])
    for sender, number in (("client", 0), ("client", 7), ("server", 1), ("server", MAX64)):
        frame("control", f"POSITION {number} from the {sender}", "6.5", sender, "position", {"position": number})
    ignored("POSITION of layout 2", "3", "client", 5, 0x10, 5, "0102")
    ignored("GOAWAY from a client", "6.4", "client", 5, 0, 4, "00")
    ignored("an unknown control opcode from a client", "3", "client", 5, 0, 0x00FF, "cafe")
    ignored("an unknown control opcode from a server", "3", "server", 5, 0, 0x7000, "")
    ignored("REGISTER as a control frame", "3", "client", 5, 0, 0x0010, "00")
    ignored("PING of layout 2", "3", "client", 5, 0x10, 3, "0102")
    ignored("an event of an unknown opcode", "11.2", "server", 4, 0, 0x0064, "0102", 9)
    ignored("an event of layout 2", "11.2", "server", 4, 0x10, 0x0060, "0102", 9)


def valid_devices() -> None:
    def register(name: str, id: int = 3, section: str = "7.1", **options: Any) -> None:
        keep = {key: options.pop(key) for key in ("unknown", "raw") if key in options}
        frame("devices", name, section, "client", "register", register_fields(**options), id, **keep)

    register("REGISTER")
    for number, kind in crln.KINDS.items():
        register(f"REGISTER of kind {kind}", section="16.3", kind=number, token=TOKENS.get(kind, TOKEN))
    register("REGISTER in the sandbox", environment=2)
    register("REGISTER of a browser", kind=13, token=DIGEST, subscription=BROWSER_SUBSCRIPTION)
    register("REGISTER of a browser with the shortest endpoint", kind=13, token=DIGEST,
             subscription=browser_subscription("https://a"))
    register("REGISTER of a browser with an endpoint of 1,024 bytes", kind=13, token=DIGEST,
             subscription=browser_subscription("https://push.example.com/" + "x" * 999))
    register("REGISTER with a token of one byte", token=b"\0")
    register("REGISTER with a token of 255 bytes", token=b"\xff" * 255)
    register("REGISTER of kind fcm with a token of 255 bytes", section="16.3", kind=11, token=b"a" * 255)
    register("REGISTER of kind fcm with a token of one byte", section="16.3", kind=11, token=b"~")
    register("REGISTER seen now", seen_at=0)
    register("REGISTER with the largest time and id", id=MAX64, seen_at=MAX64)
    register("REGISTER with an app of one letter", app="a")
    register("REGISTER with an app of 155 bytes", app="a-Z.09" + "x" * 149)
    register("REGISTER with replaces", replaces=OTHER)
    register("REGISTER with replaces of one byte", replaces=b"\0")
    register("REGISTER with replaces of 255 bytes", replaces=b"\x80" * 255)
    register("REGISTER with a locale", locale="zh-Hans-CN")
    register("REGISTER with the shortest locale", locale="de")
    register("REGISTER with a locale of 35 bytes", locale="de-" + "x" * 32)
    register("REGISTER forgets the locale", locale="")
    register("REGISTER with a time zone", time_zone="America/Port-au-Prince")
    register("REGISTER with a time zone and a plus", time_zone="Etc/GMT+5")
    register("REGISTER with a time zone of one letter", time_zone="Z")
    register("REGISTER with a time zone of 64 bytes", time_zone="Z" * 64)
    register("REGISTER forgets the time zone", time_zone="")
    register("REGISTER with every tag", replaces=OTHER, locale="de-AT", time_zone="Europe/Vienna", deadline_ms=2000)
    register("REGISTER with a deadline of 0", section="16.2", deadline_ms=0)
    register("REGISTER with the longest deadline", section="16.2", deadline_ms=MAX32)
    register("REGISTER skips unknown even tags", section="4.2", locale="de", unknown=[(0, b""), (4, b"a"), (22, b"bc")])
    register("REGISTER skips a private even tag", section="4.2", unknown=[(65536, b"private")])
    register("REGISTER skips the largest even tag", section="4.2", unknown=[(MAX32 - 1, b"\0")])
    register("REGISTER skips a tag of 128 bytes", section="4.2", unknown=[(128, bytes(128))])
    register("REGISTER with 64 tags", section="4.2", unknown=[(100 + 2 * index, b"") for index in range(64)])
    plain = crln.encode_payload(crln.FROM_CLIENT["register"], register_fields())
    register("REGISTER with an empty section", section="4.2", raw=plain + b"\0")

    def registered(name: str, device_id: int, result: int, **options: Any) -> None:
        frame("devices", name, "7.1", "server", "register", {"device_id": device_id, "result": result}, **options)

    registered("REGISTER answered: created", 1, 1)
    registered("REGISTER answered: refreshed", 42, 2)
    registered("REGISTER answered: replaced, the largest id", 2**52 - 1, 3)
    registered("REGISTER answered with a tag of a later version", 42, 1, unknown=[(17, b"\1")])
    registered("REGISTER answered with a result of a later version", 42, 200)


def valid_batches_and_lookups() -> None:
    plain = crln.encode_payload(crln.FROM_CLIENT["register"], register_fields())
    other = crln.encode_payload(crln.FROM_CLIENT["register"], register_fields(token=OTHER, replaces=TOKEN, locale="fr"))
    for name, items in (("of one item", [plain]), ("of two items", [plain, other]),
                        ("of three items, the middle one refused alone", [plain, b"\xff\xff", other]),
                        ("with an empty item, refused alone", [b""])):
        frame("devices", f"REGISTER_BATCH {name}", "7.2", "client", "register_batch", {"items": items})
    frame("devices", "REGISTER_BATCH with a deadline", "7.2", "client", "register_batch",
          {"items": [plain], "deadline_ms": 100})
    frame("devices", "REGISTER_BATCH answered", "7.2", "server", "register_batch",
          {"results": [{"code": 0, "device_id": 42, "result": 1}]})
    frame("devices", "REGISTER_BATCH answered, some refused", "7.2", "server", "register_batch", {"results": [
        {"code": 0, "device_id": 42, "result": 2}, {"code": 1, "device_id": 0, "result": 0},
        {"code": 12, "device_id": 0, "result": 0}, {"code": 0, "device_id": 43, "result": 3}]})

    for title, device in (("by token", BY_TOKEN), ("by id", BY_ID), ("by the largest number", {"id": MAX64}),
                          ("by id 0, which is unknown", {"id": 0}),
                          ("by a token of 255 bytes", {"token": {"environment": 2, "kind": 10, "token": b"\1" * 255}}),
                          ("by a token of FCM", {"token": {"environment": 1, "kind": 11, "token": FCM}}),
                          ("by an installation id", {"token": {"environment": 1, "kind": 12, "token": FID}})):
        frame("devices", f"UNREGISTER {title}", "7.3", "client", "unregister",
              {"app": APP, "device": device, "at": SEEN})
        frame("devices", f"LOOKUP {title}", "7.4", "client", "lookup", {"app": APP, "device": device})
    frame("devices", "LOOKUP with a deadline", "7.4", "client", "lookup",
          {"app": APP, "device": BY_ID, "deadline_ms": 9})
    frame("devices", "UNREGISTER now", "7.3", "client", "unregister", {"app": APP, "device": BY_ID, "at": 0})
    frame("devices", "UNREGISTER at the largest time", "7.3", "client", "unregister",
          {"app": APP, "device": BY_ID, "at": MAX64, "deadline_ms": 1})
    frame("devices", "UNREGISTER answered: removed", "7.3", "server", "unregister", {"device_id": 42, "result": 1})
    frame("devices", "UNREGISTER answered: was not registered", "7.3", "server", "unregister",
          {"device_id": 0, "result": 2})

    def found(name: str, **options: Any) -> None:
        unknown = options.pop("unknown", [])
        frame("devices", name, "7.4", "server", "lookup", lookup_fields(**options), unknown=unknown)

    found("LOOKUP answered")
    found("LOOKUP answered: quarantined", state=2, environment=2, kind=8)
    found("LOOKUP answered with a locale", locale="de-AT")
    found("LOOKUP answered with a time zone", time_zone="Europe/Vienna")
    found("LOOKUP answered with both", locale="de-AT", time_zone="Europe/Vienna")
    found("LOOKUP answered with tags of a later version", locale="fr", unknown=[(17, b"\0"), (19, b""), (30, b"x")])


LONG_NAME = "g" * 200
NAME_ALPHABET = "Az09-_.~%/:@+"
ATTRIBUTES = [{"key": "Tier_1.x-y", "value": NAME_ALPHABET}, {"key": "platform", "value": "ios"}]
MANY_ATTRIBUTES = [{"key": f"k{index:02}", "value": "v"} for index in range(16)]
BODIES = [{"language": "zh", "payload": '{"aps":{"alert":"你好"}}'.encode()},
          {"language": "de-AT", "payload": b'{"aps":{"alert":"Servus"}}'}]


def valid_memberships() -> None:
    def register(name: str, **options: Any) -> None:
        frame("memberships", f"REGISTER {name}", "7.1", "client", "register", register_fields(**options))

    register("with topics", topics=["level5", "guild/77"])
    register("with 64 topics", topics=[f"t{index}" for index in range(64)])
    register("with a topic of every letter", topics=[NAME_ALPHABET])
    register("with groups", groups=["user/42", "role/9001"])
    register("with 64 groups", groups=[f"g{index}" for index in range(64)])
    register("with attributes", attributes=ATTRIBUTES)
    register("with 16 attributes", attributes=MANY_ATTRIBUTES)
    register("forgets an attribute", attributes=[{"key": "platform", "value": ""}])
    register("with the longest attribute", attributes=[{"key": "k" * 32, "value": "v" * 64}])
    register("with every tag of groups and topics", replaces=OTHER, locale="de", topics=["a"], time_zone="Z",
             groups=["b"], attributes=ATTRIBUTES, deadline_ms=7)
    decoded("memberships", "REGISTER with a topic in FCM's form", "9", "register", register_fields(topics=["level5"]),
            crln.encode_payload(crln.FROM_CLIENT["register"], register_fields())
            + bytes.fromhex("01 13 14 00000001") + crln.STR.write("/topics/level5"))
    plain = crln.encode_payload(crln.FROM_CLIENT["register"], register_fields(groups=["user/42"]))
    frame("memberships", "REGISTER_BATCH of an item with groups", "7.2", "client", "register_batch",
          {"items": [plain]})

    def found(name: str, **options: Any) -> None:
        frame("memberships", f"LOOKUP answered {name}", "7.4", "server", "lookup", lookup_fields(**options))

    found("with attributes", attributes=ATTRIBUTES)
    found("with 16 attributes", attributes=MANY_ATTRIBUTES)
    found("muted", muted=1)
    found("with every tag", locale="de", time_zone="Z", attributes=ATTRIBUTES, muted=1)

    def update(name: str, **options: Any) -> None:
        frame("memberships", f"UPDATE_DEVICE {name}", "7.5", "client", "update_device",
              {"app": APP, "device": BY_ID, **options})

    update("of nothing")
    update("by token", device=BY_TOKEN, locale="fr")
    update("that forgets locale and time zone", locale="", time_zone="")
    update("of attributes", attributes=ATTRIBUTES)
    update("that mutes", muted=1)
    update("that unmutes", muted=0)
    update("with every tag", locale="zh-Hant-TW", time_zone="Asia/Taipei", attributes=ATTRIBUTES, muted=1,
           deadline_ms=5)
    frame("memberships", "UPDATE_DEVICE answered", "7.5", "server", "update_device", {"device_id": 42})
    frame("memberships", "UPDATE_DEVICE answered with a tag of a later version", "7.5", "server", "update_device",
          {"device_id": 2**52 - 1}, unknown=[(17, b"\1")])

    def ask(name: str, **options: Any) -> None:
        frame("memberships", f"MEMBERSHIPS {name}", "7.6", "client", "memberships",
              {"app": APP, "device": BY_ID, "after": "", "limit": 1000, **options})

    ask("from the start")
    ask("by token", device=BY_TOKEN, limit=1)
    ask("after a topic", after="level5", deadline_ms=5)
    ask("after 200 bytes", after=LONG_NAME)

    def memberships(name: str, **options: Any) -> None:
        frame("memberships", f"MEMBERSHIPS answered: {name}", "7.6", "server", "memberships",
              {"device_id": 42, "muted": 0, "groups": [], "topics": [], "next": "", **options})

    memberships("nothing")
    memberships("muted itself", muted=1)
    memberships("muted by a group", muted=2, groups=[{"group": "role/9001", "muted": 0},
                                                     {"group": "user/42", "muted": 1}])
    memberships("both", muted=3, groups=[{"group": "user/42", "muted": 1}])
    memberships("topics and their sources", groups=[{"group": "user/42", "muted": 0}], topics=[
        {"topic": "guild/77", "source": "user/42"}, {"topic": "level5", "source": ""},
        {"topic": "level5", "source": "user/42"}], next="level5")


def decoded(file: str, name: str, section: str, message: str, fields: Dict[str, Any], payload: bytes) -> None:
    """Adds a form of a request that readers accept and writers do not choose."""
    frame(file, name, section, "client", message, fields, raw=payload)


def listings(file: str, message: str, section: str, column: str, rows: List[Any]) -> None:
    """Adds the cases of a listing by name: GROUPS, TOPICS or GROUP_TOPICS."""
    title = message.upper()
    given = {"group": "user/42"} if message == "group_topics" else {"prefix": ""}

    def ask(name: str, **options: Any) -> None:
        frame(file, f"{title} {name}", section, "client", message,
              {"app": APP, **given, "after": "", "limit": 1000, **options})

    ask("from the start")
    ask("one by one", after="user/41", limit=1)
    ask("after 200 bytes", after=LONG_NAME, deadline_ms=3)
    if message != "group_topics":
        ask("of a prefix", prefix="user/")
        ask("of the longest prefix, which need not be a name", prefix="/ü" * 66 + "ab")

    def page(name: str, following: str, found: List[Any]) -> None:
        frame(file, f"{title} answered, {name}", section, "server", message, {"next": following, column: found})

    page("nothing", "", [])
    page("the last page", "", rows)
    page("more to come", LONG_NAME, rows[:1])


def device_pages(file: str, message: str, section: str, **named: Any) -> None:
    title = message.upper()
    for case, options in (("from the start", {"cursor": 0, "limit": 1000}), ("one by one", {"cursor": 43, "limit": 1}),
                          ("with the largest cursor", {"cursor": MAX64, "limit": 500, "deadline_ms": 4})):
        frame(file, f"{title} {case}", section, "client", message, {"app": APP, **named, **options})
    for case, following, devices in (("nothing", 0, []), ("the last page", 0, [42]),
                                     ("more to come", MAX64, [1, 42, 2**52 - 1])):
        frame(file, f"{title} answered, {case}", section, "server", message, {"next": following, "devices": devices})


def valid_groups() -> None:
    def join(name: str, **options: Any) -> None:
        frame("groups", f"JOIN {name}", "8.1", "client", "join",
              {"app": APP, "group": "user/42", "devices": [BY_TOKEN], **options})

    join("by token")
    join("of several, one of them twice", devices=[BY_ID, BY_TOKEN, {"id": 43}, BY_ID])
    join("of the longest name", group=LONG_NAME)
    join("of a name of every letter", group=NAME_ALPHABET)
    join("of a name of one letter", group="g")
    join("of 1,000 devices", devices=[{"id": index + 1} for index in range(1000)])
    join("with an announcement", announcement=ALERT)
    join("with an announcement of 4,096 bytes", announcement=b'{"a":"' + b"x" * 4088 + b'"}')
    join("with an announcement in languages without a default", bodies=BODIES)
    join("with every tag", announcement=ALERT, bodies=BODIES, deadline_ms=100)

    def joined(name: str, joined: int, message_id: int, unknown: List[int]) -> None:
        frame("groups", f"JOIN answered: {name}", "8.1", "server", "join",
              {"joined": joined, "message_id": message_id, "unknown": unknown})

    joined("one", 1, 0, [])
    joined("with an announcement", 2, 7, [])
    joined("two are not registered", 0, 0, [0, 999])
    joined("the largest numbers", MAX32, MAX64, [MAX32])

    def leave(name: str, **options: Any) -> None:
        frame("groups", f"LEAVE {name}", "8.2", "client", "leave",
              {"app": APP, "group": "user/42", "devices": [BY_ID], **options})

    leave("by id")
    leave("of several", devices=[BY_ID, BY_TOKEN])
    leave("that ends the devices' own topics", clear_topics=1, deadline_ms=6)
    frame("groups", "LEAVE answered: one", "8.2", "server", "leave", {"left": 1, "unknown": []})
    frame("groups", "LEAVE answered: some are not registered", "8.2", "server", "leave",
          {"left": 0, "unknown": [0, 3]})

    def switch(name: str, **options: Any) -> None:
        frame("groups", f"SWITCH {name}", "8.3", "client", "switch",
              {"app": APP, "device": BY_ID, "from": "role/1", "to": "role/2", **options})

    switch("by id")
    switch("by token", device=BY_TOKEN)
    switch("with an announcement", announcement=ALERT)
    switch("with every tag", announcement=ALERT, bodies=BODIES, deadline_ms=8)
    for name, changed, message_id in (("nothing changed", 0, 0), ("left", 1, 0), ("joined", 2, 7),
                                      ("left and joined", 3, MAX64)):
        frame("groups", f"SWITCH answered: {name}", "8.3", "server", "switch",
              {"device_id": 42, "changed": changed, "message_id": message_id})

    device_pages("groups", "group_devices", "8.4", group="user/42")
    listings("groups", "groups", "8.5", "groups", [{"group": "role/9001", "devices": 1, "muted": 0},
                                                     {"group": "user/42", "devices": MAX64, "muted": 1}])
    for name, options in (("that only counts", {}), ("that mutes", {"muted": 1}),
                          ("that unmutes", {"muted": 0, "deadline_ms": 9})):
        frame("groups", f"UPDATE_GROUP {name}", "8.6", "client", "update_group",
              {"app": APP, "group": "user/42", **options})
    frame("groups", "UPDATE_GROUP answered", "8.6", "server", "update_group", {"devices": 3})
    frame("groups", "UPDATE_GROUP answered: no devices yet", "8.6", "server", "update_group", {"devices": 0})
    listings("groups", "group_topics", "8.7", "topics", ["guild/77", "level5"])


def valid_topics() -> None:
    for message, did in (("subscribe", "new"), ("unsubscribe", "gone")):
        title = message.upper()

        def change(name: str, **options: Any) -> None:
            frame("topics", f"{title} {name}", "9.1", "client", message,
                  {"app": APP, "topics": ["level5"], "devices": [BY_ID], "groups": [], **options})

        change("a device")
        change("a group", devices=[], groups=["user/42"])
        change("devices and groups", topics=["level5", "guild/77"], devices=[BY_TOKEN, BY_ID],
               groups=["user/42", "role/1"], deadline_ms=9)
        change("of 1,000 topics", topics=[f"t{index}" for index in range(1000)])
        change("of 10,000 pairs", topics=[f"t{index}" for index in range(100)],
               devices=[{"id": index + 1} for index in range(100)])
        change("of 1,000 groups", devices=[], groups=[f"g{index}" for index in range(1000)])
        frame("topics", f"{title} answered: {did}", "9.1", "server", message, {"changed": 2, "unknown": []})
        frame("topics", f"{title} answered: some are not registered", "9.1", "server", message,
              {"changed": MAX32, "unknown": [0, 2]})
    decoded("topics", "SUBSCRIBE to a topic in FCM's form", "9", "subscribe",
            {"app": APP, "topics": ["level5"], "devices": [BY_ID], "groups": []},
            crln.encode_payload(crln.FROM_CLIENT["subscribe"], {
                "app": APP, "topics": ["/topics/level5"], "devices": [BY_ID], "groups": []}))
    listings("topics", "topics", "9.2", "topics", [{"topic": "guild/77", "devices": 1},
                                                     {"topic": "level5", "devices": MAX64}])
    device_pages("topics", "topic_devices", "9.3", topic="level5")


def valid_quarantine() -> None:
    def restore(name: str, **options: Any) -> None:
        frame("quarantine", f"RESTORE {name}", "7.7", "client", "restore", {"app": APP, "device": BY_ID, **options})

    restore("by id")
    restore("by token", device=BY_TOKEN, deadline_ms=5)
    frame("quarantine", "RESTORE answered", "7.7", "server", "restore", {"device_id": 42})
    frame("quarantine", "RESTORE answered with a tag of a later version", "7.7", "server", "restore",
          {"device_id": 2**52 - 1}, unknown=[(17, b"\1")])
    device_pages("quarantine", "quarantine", "7.8")


def valid_android() -> None:
    def send(name: str, **options: Any) -> None:
        frame("android", f"SEND {name}", "10.1", "client", "send", send_fields(**options))

    channel = b'{"notification":{"channel_id":"raids"}}'
    send("with android", android=channel)
    send("with the shortest android", android=b"{}")
    send("with android of 8,192 bytes", android=b'{"data":{"k":"' + b"x" * (8192 - 17) + b'"}}')
    send("with android of a silent push", push_type=2, payload=b'{"aps":{"content-available":1}}', android=b"{}")
    send("with android_raw", android_raw=b'{"data":{"k":"v"}}')
    send("with android and all around it", id_key="id", label="raid", android=channel, deadline_ms=1)
    send("with android_raw and bodies", payload=b"", bodies=BODIES, android_raw=b"{}")


def invalid_android() -> None:
    def wrong(name: str, code: str, field: str, **changes: Any) -> None:
        bad_payload("send", f"with {name}", payload_of("send", **changes), code, field, None, "10.1", "android")

    call: Dict[str, Any] = {"push_type": 4, "payload": b"{}"}
    for field, most in (("android", 8192), ("android_raw", 8192)):
        for name, value in (("no bytes", b""), ("no JSON", b"{"), ("a list", b"[]"), ("a name twice", b'{"a":1,"a":2}'),
                            ("bytes that are no UTF-8", b'{"a":"\xff"}')):
            wrong(f"{field} of {name}", "INVALID_ARGUMENT", field, **{field: value})
        wrong(f"{field} of {most + 1:,} bytes", "TOO_LARGE", field, **{field: b" " * (most + 1)})
        wrong(f"{field} of a call", "INVALID_ARGUMENT", field, **{field: b"{}"}, **call)
    wrong("android and android_raw", "INVALID_ARGUMENT", "android_raw", android=b"{}", android_raw=b"{}")


def valid_web() -> None:
    def send(name: str, **options: Any) -> None:
        frame("web", f"SEND {name}", "10.1", "client", "send", send_fields(**options))

    page = b'{"notification":{"navigate":"https://example.com/5"},"ttl":60,"urgency":"low","topic":"score7"}'
    send("with web", web=page)
    send("with the shortest web", web=b"{}")
    send("with web of 4,096 bytes", web=b'{"notification":{"body":"' + b"x" * (4096 - 28) + b'"}}')
    send("with web_raw", web_raw=b'{"match":7}')
    send("with android, web and all around them", id_key="id", label="raid", android=b"{}", web=page, deadline_ms=1)
    send("with android_raw, web_raw and bodies", payload=b"", bodies=BODIES, android_raw=b"{}", web_raw=b"{}")


def invalid_web() -> None:
    def wrong(name: str, code: str, field: str, **changes: Any) -> None:
        bad_payload("send", f"with {name}", payload_of("send", **changes), code, field, None, "10.1", "web")

    silent: Dict[str, Any] = {"push_type": 2, "payload": b'{"aps":{"content-available":1}}'}
    for field in ("web", "web_raw"):
        for name, value in (("no bytes", b""), ("no JSON", b"{"), ("a list", b"[]"), ("a name twice", b'{"a":1,"a":2}'),
                            ("bytes that are no UTF-8", b'{"a":"\xff"}')):
            wrong(f"{field} of {name}", "INVALID_ARGUMENT", field, **{field: value})
        wrong(f"{field} of 4,097 bytes", "TOO_LARGE", field, **{field: b" " * 4097})
        wrong(f"{field} of a silent push", "INVALID_ARGUMENT", field, **{field: b"{}"}, **silent)
    wrong("web and web_raw", "INVALID_ARGUMENT", "web_raw", web=b"{}", web_raw=b"{}")


def valid_message_options() -> None:
    def send(name: str, **options: Any) -> None:
        frame("messages", f"SEND {name}", "10.1", "client", "send", send_fields(**options))

    send("at a time", send_at=SEEN + 60_000)
    send("at a time that has passed", send_at=0)
    send("with a pace", pace=500)
    send("with the least pace", pace=1)
    send("with the greatest pace", pace=MAX32)
    send("of a silent push that waits for its budget", push_type=2, payload=b'{"aps":{"content-available":1}}',
         over_budget=2)
    send("with a key for its id", id_key="carillon-id")
    send("with the shortest key for its id", id_key="m")
    send("with the longest key for its id", id_key="Az09-_." + "k" * 57)
    send("with a key for its id and bodies", payload=b"", bodies=BODIES, id_key="id")
    send("with a key for its id that stands deeper in the payload", payload=b'{"aps":{"id":1},"x":{"id":2}}',
         id_key="id")
    send("with a key for its id and just enough room", payload=b'{"a":"' + b"x" * (4096 - 8 - 28) + b'"}', id_key="id")
    send("with every tag of 1.2", lane=2, dry_run=1, send_at=SEEN + 1, pace=10, over_budget=2, id_key="id",
         deadline_ms=1)
    send("with a label", label="Raid at 21:00")
    send("with a label of one letter", label="r")
    send("with a label of 100 bytes", label="ü" * 50)
    send("with a label, a key for its id and a deadline", id_key="id", label="公會戰", deadline_ms=1)
    send("with a traceparent", traceparent=TRACE)
    send("with a label, android and a traceparent", label="raid", android=b"{}", traceparent=TRACE, deadline_ms=1)

    def status(name: str, state: int, *outcomes: Tuple[int, int], **tags: Any) -> None:
        frame("messages", f"MESSAGE_STATUS answered: {name}", "10.2", "server", "message_status", {
            "state": state, "accepted_at": SEEN, "finished_at": 0, "total": sum(n for _, n in outcomes),
            "outcomes": [{"outcome": outcome, "devices": count} for outcome, count in outcomes], **tags})

    status("scheduled", 4, (0, 3), send_at=SEEN + 60_000)
    status("paused", 5, (0, 1), (1, 2), pace=10)
    status("at a rate", 2, (0, 5000), (1, 1000), rate=400, remaining_ms=12_500)
    status("standing still", 2, (0, 5000), rate=0)
    status("receipts", 3, (1, 9), received=7, opened=3)
    status("an audience", 2, (0, 1), audience=CONDITION)
    status("with every tag", 2, (0, 1), (10, 1), (11, 1), send_at=SEEN, pace=MAX32, rate=1, remaining_ms=1000,
           received=MAX64, opened=MAX64, audience="all")
    status("a label and a sender", 3, (1, 2), label="Raid at 21:00", sender="game-backend")
    status("a sender", 3, (1, 2), sender="game-backend")
    status("a traceparent", 3, (1, 2), sender="game-backend", traceparent=TRACE)
    obstacle = {"kind": 1, "credential": "main", "environment": 1, "began_at": SEEN, "next_attempt_at": SEEN + 900,
                "cause": "certificate-name", "reason": "the peer's certificate was rejected: it is for another name"}
    refused = {"kind": 2, "credential": "k" * 64, "environment": 2, "began_at": 0, "next_attempt_at": 0, "cause": "",
               "reason": ""}
    status("waiting for a pool", 2, (0, 3), obstacles=[obstacle])
    status("waiting for a refused credential, and for a kind of a later version", 1, (0, 3),
           obstacles=[refused, {**obstacle, "kind": 9, "cause": "later", "reason": "r" * 128}])
    status("with every tag and obstacles", 2, (0, 1), send_at=SEEN, pace=MAX32, rate=1, remaining_ms=1000,
           received=MAX64, opened=MAX64, audience="all", label="l", sender="s", obstacles=[obstacle, refused])
    status("with the longest texts", 2, (0, 1), send_at=SEEN, pace=MAX32, rate=1, remaining_ms=1000, received=MAX64,
           opened=MAX64, audience="all", label="ü" * 50, sender="s" * 255)


def valid_messages_and_updates() -> None:
    def ask(name: str, before: int, limit: int, **options: Any) -> None:
        frame("messages", f"MESSAGES {name}", "10.5", "client", "messages",
              {"app": APP, "before": before, "limit": limit, **options})

    ask("from the newest", 0, 1000)
    ask("one by one", 7, 1)
    ask("before the largest id", MAX64, 500, deadline_ms=9)
    for number, name in crln.MESSAGE_STATES.items():
        ask(f"in state {name}", 0, 1000, state=number)
    ask("of a sender", 0, 1000, sender="game-backend")
    ask("of the longest sender", 0, 1000, sender="ü" * 127 + "s")
    ask("with a label", 0, 1000, label="Raid")
    ask("with the longest label", 0, 1000, label="ü" * 50)
    ask("with every filter", 7, 10, state=3, sender="live-ops", label="Raid at", deadline_ms=9)

    def row(message_id: int, state: int, push_type: int, lane: int, total: int, ended: int) -> Dict[str, int]:
        return {"message_id": message_id, "state": state, "accepted_at": SEEN, "push_type": push_type, "lane": lane,
                "total": total, "ended": ended}

    for name, following, rows in (
            ("nothing", 0, []), ("the last page", 0, [row(7, 3, 1, 1, 3, 3)]),
            ("more to come", 5, [row(9, 5, 2, 2, 1_000_000, 70), row(5, 4, 11, 2, 0, 0)]),
            ("the largest numbers", MAX64, [row(MAX64, 2, 4, 1, MAX64, MAX64)])):
        frame("messages", f"MESSAGES answered, {name}", "10.5", "server", "messages",
              {"next": following, "messages": rows})

    def detail(delivered: int, failed: int, label: str = "", sender: str = "") -> Dict[str, Any]:
        return {"delivered": delivered, "failed": failed, "label": label, "sender": sender}

    for name, following, rows, details in (
            ("details", 0, [row(7, 3, 1, 1, 3, 3)], [detail(2, 1, "Raid at 21:00", "live-ops")]),
            ("details of messages of before", 5, [row(9, 5, 2, 2, 1_000_000, 70), row(5, 4, 11, 2, 0, 0)],
             [detail(70, 0, "", "game-backend"), detail(0, 0)]),
            ("the largest details", MAX64, [row(MAX64, 2, 4, 1, MAX64, MAX64)],
             [detail(MAX64, MAX64, "ü" * 50, "s" * 255)])):
        frame("messages", f"MESSAGES answered, {name}", "10.5", "server", "messages",
              {"next": following, "messages": rows, "details": details})

    def update(name: str, action: int, **options: Any) -> None:
        frame("messages", f"UPDATE_MESSAGE {name}", "10.6", "client", "update_message",
              {"app": APP, "message_id": 7, "action": action, **options})

    update("that cancels", 1)
    update("that pauses", 2, message_id=MAX64)
    update("that resumes", 3, deadline_ms=5)
    update("that sets the pace", 4, pace=100)
    update("that lifts the pace", 4)
    for state, name in crln.MESSAGE_STATES.items():
        frame("messages", f"UPDATE_MESSAGE answered: {name}", "10.6", "server", "update_message", {"state": state})

    def resend(name: str, **options: Any) -> None:
        frame("messages", f"RESEND {name}", "10.7", "client", "resend",
              {"app": APP, "message_id": 7, "key": UUID, "outcomes": [], **options})

    resend("to all that it can help")
    resend("to some", outcomes=[4, 34])
    resend("without a key", key=bytes(16), deadline_ms=9)
    resend("with outcomes of later versions", outcomes=[200, 255])
    resend("with 64 outcomes", outcomes=list(range(2, 66)))
    resend("with a time after which no attempt starts", not_after=SEEN, deadline_ms=9)
    frame("messages", "RESEND answered", "10.7", "server", "resend",
          {"message_id": 8, "duplicate": 0, "total": 12, "ended": 0})
    frame("messages", "RESEND answered again", "10.7", "server", "resend",
          {"message_id": 8, "duplicate": 1, "total": 12, "ended": 2})


def trace_fields(**changes: Any) -> Dict[str, Any]:
    return {"device_id": 42, "state": 3, "addressing": 1, "outcome": 1, "flags": 4, **changes}


def source(kind: int, name: str = "", through: str = "") -> Dict[str, Any]:
    return {"kind": kind, "name": name, "through": through}


def attempt(at: int, connection: int, status: int, reason: str = "") -> Dict[str, Any]:
    return {"at": at, "connection": connection, "status": status, "reason": reason}


def valid_trace() -> None:
    def ask(name: str, **options: Any) -> None:
        frame("trace", f"TRACE {name}", "10.8", "client", "trace",
              {"app": APP, "message_id": 7, "device": BY_ID, **options})

    ask("by id")
    ask("by token", device=BY_TOKEN, deadline_ms=9)
    ask("of the largest ids", message_id=MAX64, device={"id": MAX64})
    ask("of ids that were never given", message_id=0, device={"id": 0})

    def answer(name: str, unknown: Any = (), **changes: Any) -> None:
        frame("trace", f"TRACE answered: {name}", "10.8", "server", "trace", trace_fields(**changes), unknown=unknown)

    answer("delivered, named by the device", sources=[source(1)], attempts=[attempt(SEEN, 1, 200)])
    answer("not addressed", addressing=2, outcome=0)
    answer("would be addressed", state=4, addressing=3, outcome=0, sources=[source(5)])
    answer("would not be addressed", state=5, addressing=4, outcome=0)
    answer("quarantined", outcome=32, flags=5, sources=[source(2, "user/42")],
           attempts=[attempt(SEEN, 3, 410, "Unregistered")])
    answer("muted itself", outcome=8, flags=6, sources=[source(3, "level5")])
    answer("muted by groups", outcome=8, flags=4, sources=[source(3, "level5", "user/42"), source(3, "level5")],
           muted_groups=["role/9001", "user/42"])
    answer("no body fits the language", outcome=9, flags=0, sources=[source(2, "user/42")])
    answer("the body of a language", language="zh-Hant", sources=[source(1)])
    answer("terms of a condition", sources=[source(4, "'level5' in topics"), source(4, "platform != 'ios'")])
    answer("the budget of silent pushes", outcome=11, silent_budget_left=0)
    answer("every kind of source", sources=[
        source(1), source(2, LONG_NAME), source(3, LONG_NAME, LONG_NAME), source(4, "all"), source(5)])
    answer("32 sources and muted groups", sources=[source(2, f"g{index:02}") for index in range(32)],
           muted_groups=[f"g{index:02}" for index in range(32)])
    answer("attempts, and another to come", state=2, outcome=0, attempts=[
        attempt(SEEN, 0, 0, "refused-stream"), attempt(SEEN + 1000, 4, 503, "ServiceUnavailable"),
        attempt(SEEN + 3000, 5, 0, "timeout")], next_attempt_at=SEEN + 9000)
    answer("8 attempts", attempts=[attempt(SEEN + index, index, 429, "r" * 64) for index in range(8)])
    answer("every tag at its largest", device_id=MAX64, state=5, addressing=4, outcome=255, flags=7,
           sources=[source(3, LONG_NAME, LONG_NAME)], muted_groups=[LONG_NAME], language="d" * 35,
           silent_budget_left=MAX32, attempts=[attempt(MAX64, MAX32, 65535, "r" * 64)], next_attempt_at=MAX64)
    answer("fields of later versions", unknown=[(17, b""), (28, b"later")])
    answer("a broadcast push", device_id=0, outcome=41, attempts=[
        attempt(SEEN, 3, 429, "TooManyRequests"), attempt(SEEN + 1000, 3, 400, "ChannelNotRegistered")],
        unique_ids=["", "0e9a64d6-7b38-4b6d-9d8f-0a1b2c3d4e5f"])
    answer("the longest ids of APNs", attempts=[attempt(SEEN, 3, 200)], unique_ids=["u" * 64])


def subscribe_fields(**changes: Any) -> Dict[str, Any]:
    return {"name": "ops", "from": 0, "apps": [APP], "kinds": [1, 2], "credit": 100, **changes}


def valid_events() -> None:
    def subscribe(case: str, **options: Any) -> None:
        frame("events", f"SUBSCRIBE_EVENTS {case}", "11.1", "client", "subscribe_events", subscribe_fields(**options))

    subscribe("by name")
    subscribe("to everything from now on", **{"name": "", "apps": [], "kinds": [], "from": MAX64})
    subscribe("after a number", **{"name": "", "from": 41, "deadline_ms": 7})
    subscribe("without credit yet", credit=0)
    subscribe("with the longest name", name="ü" * 32)
    subscribe("with 64 apps and kinds", apps=[f"com.example.a{index}" for index in range(64)],
              kinds=list(range(1, 65)), credit=MAX64)
    subscribe("to a kind of a later version", kinds=[65535])
    frame("events", "SUBSCRIBE_EVENTS answered", "11.1", "server", "subscribe_events", {"after": 40})
    frame("events", "SUBSCRIBE_EVENTS answered: before the first event", "11.1", "server", "subscribe_events",
          {"after": 0})

    def event(name: str, kind: int, unknown: Any = (), id: int = 3, **tags: Any) -> None:
        frame("events", f"event: {name}", "11.2", "server", "event",
              {"sequence": tags.pop("sequence", 41), "at": SEEN, "kind": kind, **tags}, id, unknown=unknown)

    event("a message has finished", 1, app=APP, message_id=7, count=3)
    event("a delivery has failed", 2, app=APP, message_id=7, device_id=42, outcome=4)
    event("a delivery to a token that was not registered has failed", 2, app=APP, message_id=7, outcome=2)
    event("a device is quarantined", 3, app=APP, device_id=42, outcome=32)
    event("a token was replaced", 4, app=APP, device_id=42)
    event("a device was moved", 5, app=APP, device_id=42)
    event("a message of a trace has finished", 1, app=APP, message_id=7, count=3, traceparent=TRACE)
    event("a message was updated", 6, app=APP, message_id=7, text="pause")
    event("a connection is up", 7, app=APP, text="production")
    event("a connection is down", 8, text="production")
    event("a credential was refused", 9, app=APP, text="production")
    event("bad tokens began", 10, app=APP, text="sandbox")
    event("bad tokens ended", 11, app=APP, text="sandbox")
    event("a pool is unreachable", 12, text="main/production")
    event("a pool is reachable again", 13, text="main/production")
    event("the longest text and the largest numbers", 65535, id=MAX64, sequence=MAX64, app="a" * 155,
          message_id=MAX64, device_id=MAX64, outcome=255, count=MAX64, text="ü" * 127 + "x")
    event("a kind of a later version", 999, unknown=[(17, b"new"), (32, b"")], count=0)
    event("of no app", 8)
    event("a gap", 0, sequence=37, missed_from=11, missed_to=38)
    event("a gap of one", 0, sequence=11, missed_from=11, missed_to=12)
    event("the largest gap", 0, sequence=MAX64 - 1, missed_from=1, missed_to=MAX64)

    for name, credit, ack, options in (("more", 200, 0, {}), ("an acknowledgement", 100, 41, {}),
                                       ("the largest numbers", MAX64, MAX64, {"deadline_ms": 3})):
        frame("events", f"EVENT_CREDIT: {name}", "11.3", "client", "event_credit",
              {"subscription": 3, "credit": credit, "ack": ack, **options}, 4)
    frame("events", "EVENT_CREDIT answered", "11.3", "server", "event_credit", {}, 4)
    frame("events", "EVENT_CREDIT answered with a tag of a later version", "11.3", "server", "event_credit", {}, 4,
          unknown=[(17, b"")])
    frame("events", "UNSUBSCRIBE_EVENTS", "11.4", "client", "unsubscribe_events", {"subscription": 3}, 4)
    frame("events", "UNSUBSCRIBE_EVENTS with a deadline", "11.4", "client", "unsubscribe_events",
          {"subscription": MAX64, "deadline_ms": 3}, 4)
    frame("events", "UNSUBSCRIBE_EVENTS answered", "11.4", "server", "unsubscribe_events", {}, 4)
    for name, options in (("", {"name": "billing"}), (" with the shortest name", {"name": "a"}),
                          (" with the longest name and a deadline", {"name": "ü" * 32, "deadline_ms": 3})):
        frame("events", f"FORGET_SUBSCRIBER{name}", "11.5", "client", "forget_subscriber", options)
    for result, name in ((1, "forgotten"), (2, "there was no such name")):
        frame("events", f"FORGET_SUBSCRIBER answered: {name}", "11.5", "server", "forget_subscriber",
              {"result": result})
    frame("events", "FORGET_SUBSCRIBER answered with a tag of a later version", "11.5", "server", "forget_subscriber",
          {"result": 1}, unknown=[(17, b"")])


CHANNEL = "dHN0LXNyY2gtY2hubA=="
BROADCAST = b'{"aps":{"timestamp":1790000000,"event":"update","content-state":{"home":1}}}'
BROADCAST_END = b'{"aps":{"timestamp":1790000000,"event":"end","dismissal-date":1790000000}}'
BROADCAST_START = (b'{"aps":{"timestamp":1,"event":"start","content-state":{},"attributes-type":"Match",'
                   b'"attributes":{},"alert":{"title":"a"}}}')


def valid_channels() -> None:
    def ask(message: str, section: str, name: str, **options: Any) -> None:
        upper = message.upper()
        frame("channels", f"{upper} {name}".rstrip(), section, "client", message,
              {"app": APP, "environment": 1, **options})

    def answer(message: str, section: str, name: str, **fields: Any) -> None:
        frame("channels", f"{message.upper()} answered {name}".rstrip().replace(
            " :", ":"), section, "server", message, fields)

    later = [(17, b"")]
    for policy, name in ((1, "that stores nothing"), (2, "that stores the most recent message")):
        ask("create_channel", "14.1", name, storage_policy=policy)
    ask("create_channel", "14.1", "in the sandbox with a deadline", environment=2, storage_policy=1, deadline_ms=5000)
    answer("create_channel", "14.1", "", channel=CHANNEL)
    answer("create_channel", "14.1", "with the longest id", channel="A" * 510 + "==")
    frame("channels", "CREATE_CHANNEL answered with a tag of a later version", "14.1", "server", "create_channel",
          {"channel": CHANNEL}, unknown=later)
    for message, section in (("channel", "14.2"), ("delete_channel", "14.4")):
        ask(message, section, "", channel=CHANNEL)
        ask(message, section, "of the shortest id in the sandbox", channel="a", environment=2)
        ask(message, section, "of every character that an id may have",
            channel="ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_==", deadline_ms=3)
    for policy, name in ((1, "nothing is stored"), (2, "the most recent message is stored")):
        answer("channel", "14.2", f": {name}", storage_policy=policy)
    frame("channels", "CHANNEL answered with a tag of a later version", "14.2", "server", "channel",
          {"storage_policy": 1}, unknown=later)
    ask("channels", "14.3", "from the start", after="", limit=1000)
    ask("channels", "14.3", "after an id", after=CHANNEL, limit=1, environment=2, deadline_ms=3)
    ask("channels", "14.3", "after the longest text", after="ü" * 256, limit=10)
    answer("channels", "14.3", "with none", next="", channels=[])
    answer("channels", "14.3", "with two and a next page", next=CHANNEL, channels=["a", CHANNEL])
    answer("channels", "14.3", "with the longest ids", next="z" * 512, channels=["y" * 512, "z" * 512])
    frame("channels", "CHANNELS answered with a tag of a later version", "14.3", "server", "channels",
          {"next": "", "channels": [CHANNEL]}, unknown=later)
    for result, name in ((1, ": deleted"), (2, ": there was no such channel")):
        answer("delete_channel", "14.4", name, result=result)
    frame("channels", "DELETE_CHANNEL answered with a tag of a later version", "14.4", "server", "delete_channel",
          {"result": 1}, unknown=later)


def receipt(message_id: int = 7, device: Any = None, kind: int = 1) -> Dict[str, Any]:
    return {"message_id": message_id, "device": device or BY_ID, "kind": kind}


def valid_receipts() -> None:
    def report(name: str, *receipts: Dict[str, Any], **options: Any) -> None:
        frame("receipts", f"RECEIPTS {name}", "12.1", "client", "receipts",
              {"app": APP, "receipts": list(receipts), **options})

    report("of one that was received", receipt())
    report("of both kinds by token", receipt(7, BY_TOKEN, 1), receipt(7, BY_TOKEN, 2), deadline_ms=7)
    report("of several messages", receipt(7), receipt(MAX64, {"id": MAX64}, 2), receipt(0, {"id": 0}))
    report("of 1,000", *(receipt(7, {"id": index + 1}) for index in range(1000)))
    frame("receipts", "RECEIPTS answered", "12.1", "server", "receipts", {"counted": 2, "unknown": []})
    frame("receipts", "RECEIPTS answered: some are unknown", "12.1", "server", "receipts",
          {"counted": MAX32, "unknown": [0, MAX32]})
    for kind, name in crln.RECEIPTS.items():
        frame("receipts", f"RECEIPT_DEVICES that have {name}", "12.2", "client", "receipt_devices",
              {"app": APP, "message_id": 7, "kind": kind, "cursor": 0, "limit": 1000})
    device_pages("receipts", "receipt_devices", "12.2", message_id=7, kind=1)


def statistics_fields(**changes: Any) -> Dict[str, Any]:
    return {"at": SEEN, "started_at": SEEN - 5000, "software": "carillon/1.0", "clients": 3, "half_open": 1,
            "requests": [], "queued_changes": 0, "batches": 0, "changes": 0, "batch_micros": 0, "latest_batches": [],
            "lanes": [], "unrecorded": 0, "sending": [], "outcomes": [], "pools": [], "answers": [], **changes}


def lane_fields(lane: int, messages: int = 0, waiting: int = 0, delayed: int = 0, in_flight: int = 0) -> Dict[str, Any]:
    return {"lane": lane, "messages": messages, "waiting": waiting, "delayed": delayed, "in_flight": in_flight}


def pool_fields(credential: str, environment: int = 1, **changes: Any) -> Dict[str, Any]:
    return {"credential": credential, "environment": environment, "parked": 0, "opening": 0, "open": 0, "draining": 0,
            "in_flight": 0, "streams": 0, "throttle": 0, "attempts": 0, **changes}


def valid_listing() -> None:
    for case, options in (("from the start", {"cursor": 0, "limit": 1000}), ("one by one", {"cursor": 43, "limit": 1}),
                          ("with the largest cursor", {"cursor": MAX64, "limit": 500, "deadline_ms": 4})):
        frame("listing", f"DEVICES {case}", "13.2", "client", "devices", {"app": APP, **options})

    def answer(name: str, following: int, *devices: Dict[str, Any]) -> None:
        rows = [crln.encode_payload(crln.FROM_SERVER["lookup"], lookup_fields(**each)) for each in devices]
        frame("listing", f"DEVICES answered, {name}", "13.2", "server", "devices", {"next": following, "devices": rows})

    answer("nothing", 0)
    answer("the last page", 0, {})
    answer("more to come, each of another form", 2**52 - 1, {"state": 2},
           {"device_id": 43, "environment": 2, "kind": 10},
           {"device_id": 44, "token": b"\xff" * 255, "locale": "zh-Hant-TW", "time_zone": "Asia/Taipei",
          "attributes": [{"key": "platform", "value": "ios"}, {"key": "tier", "value": "gold"}], "muted": 1})


def valid_statistics() -> None:
    def ask(name: str, limit: int, **options: Any) -> None:
        frame("statistics", f"STATISTICS {name}", "13.1", "client", "statistics", {"limit": limit, **options})

    ask("of one row", 1)
    ask("of 1,000 rows with a deadline", 1000, deadline_ms=5000)

    def answer(name: str, unknown: Any = (), **changes: Any) -> None:
        frame("statistics", f"STATISTICS answered: {name}", "13.1", "server", "statistics",
              statistics_fields(**changes), unknown=unknown)

    answer("nothing has happened")
    answer("requests", requests=[
        {"opcode": 0x50, "code": 0, "count": 1200, "micros": 340_000},
        {"opcode": 0x13, "code": 10, "count": 7, "micros": 99},
        {"opcode": 0xFFFF, "code": 0xFFFF, "count": MAX64, "micros": MAX64}])
    answer("batches", queued_changes=12, batches=40, changes=4000, batch_micros=81_000,
           latest_batches=[0, 1900, MAX32])
    answer("64 batches", latest_batches=list(range(64)))
    answer("lanes and messages", unrecorded=17, lanes=[lane_fields(1, 2, 1, 0, 1), lane_fields(2, 1, 3896, 4, 100)],
           sending=[{"message_id": 9, "app": APP, "lane": 2, "accepted_at": SEEN, "total": 5000, "ended": 1000,
                   "in_flight": 100, "rate": 2400},
                  {"message_id": MAX64, "app": "a", "lane": 1, "accepted_at": 0, "total": 0, "ended": 0, "in_flight": 0,
                   "rate": 0}])
    answer("outcomes", outcomes=[{"outcome": 1, "devices": 9000}, {"outcome": 32, "devices": 3},
                               {"outcome": 200, "devices": MAX64}])
    answer("pools", pools=[
        pool_fields("game", opening=1, open=2, draining=3, in_flight=150, streams=2000, attempts=12_000),
        pool_fields("game", 2, throttle=400), pool_fields("shop", parked=1)],
           answers=[{"pool": 0, "status": 200, "reason": "", "count": 11_000},
                  {"pool": 0, "status": 410, "reason": "Unregistered", "count": 3},
                  {"pool": 2, "status": 0, "reason": "other", "count": MAX64}])
    answer("pools that failed", pools=[
        pool_fields("game", open=2), pool_fields("game", 2), pool_fields("shop")],
           failures=[{"pool": 0, "unreachable": 0, "count": 1, "last_at": 0, "reason": ""},
                     {"pool": 2, "unreachable": 1, "count": MAX64, "last_at": SEEN, "reason": "Connection refused"}])
    answer("pools without a connection", pools=[pool_fields("game"), pool_fields("shop")],
           failures=[{"pool": 0, "unreachable": 1, "count": 7, "last_at": SEEN + 9, "reason": "it has expired"},
                     {"pool": 1, "unreachable": 0, "count": 1, "last_at": SEEN, "reason": ""}],
           outages=[{"pool": 0, "began_at": SEEN, "next_attempt_at": SEEN + 60_000, "cause": "certificate-expired"},
                    {"pool": 1, "began_at": MAX64, "next_attempt_at": 0, "cause": "a cause of a later version"}])
    answer("the database", database_bytes=1 << 30, free_bytes=1 << 20, map_bytes=1 << 31, limit_bytes=1 << 36,
           readers=2, reader_age=7, kept=30, unfinished=4, scheduled=1)
    answer("the counts of two apps", counted_at=SEEN, apps=[
        {"app": "a", "devices": 0, "quarantined": 0, "groups": 0, "topics": 0},
        {"app": APP, "devices": 1_000_000, "quarantined": 12, "groups": 800_000, "topics": MAX64}])
    answer("the counts of no app", counted_at=SEEN)
    answer("the devices of two apps by provider", counted_at=SEEN, apps=[
        {"app": "a", "devices": 0, "quarantined": 3, "groups": 0, "topics": 0},
        {"app": APP, "devices": 1_000_000, "quarantined": 12, "groups": 800_000, "topics": 9}],
           devices_by_provider=[{"apns": 0, "fcm": 0, "web": 0}, {"apns": 600_000, "fcm": 399_999, "web": 1}])
    answer("fields of later versions", unknown=[(17, b""), (42, b"later")])
    node = {"node": "a", "incarnation": 3, "over": 0, "position": 900, "hash": UUID, "silent_ms": 700, "lease_ms": 3300,
            "format": 1, "version": "carillond/1.0.0", "address": "push-1.internal:7474"}
    answer("a cluster of two nodes", log_position=901, log_entries=900, snapshot_position=1, nodes=[
        node, {**node, "node": "b" * 63, "over": 1, "silent_ms": MAX32, "lease_ms": 0, "version": "", "address": ""}])
    answer("the claims of the nodes", log_position=901, log_entries=900, nodes=[node, {**node, "node": "b"}],
           claims=[{"messages": 2, "blocks": 1, "pages": 16}, {"messages": MAX32, "blocks": MAX32, "pages": MAX64}])
    answer("a cluster without a snapshot", log_position=MAX64, log_entries=MAX64, nodes=[node])
    frame("statistics", "REMOVE_NODE", "13.3", "client", "remove_node", {"node": "a"})
    frame("statistics", "REMOVE_NODE with a deadline", "13.3", "client", "remove_node",
          {"node": "n" * 64, "deadline_ms": 1000})
    frame("statistics", "REMOVE_NODE answered", "13.3", "server", "remove_node", {"incarnation": 7})


CONDITION = "'level5' in topics && ('en' in topics || 'zh' in topics)"


def valid_audiences() -> None:
    def send(name: str, section: str = "10.1", **options: Any) -> None:
        frame("audiences", f"SEND {name}", section, "client", "send",
              send_fields(**{"audience": 1, "devices": [] if options.get("audience", 1) > 1 else [BY_TOKEN],
                             **options}))

    send("to groups", audience=2, groups=["user/42", "role/9001"])
    send("to 1,000 groups", audience=2, groups=[f"g{index}" for index in range(1000)])
    send("to a topic", audience=3, topic="level5")
    send("to the longest topic", audience=3, topic=LONG_NAME)
    decoded("audiences", "SEND to a topic in FCM's form", "9", "send",
            send_fields(audience=3, devices=[], topic="level5"),
            crln.encode_payload(crln.FROM_CLIENT["send"], send_fields(audience=3, devices=[], topic="/topics/level5")))
    send("to a condition", audience=4, condition=CONDITION)
    send("to every device", audience=5)
    send("to a channel", audience=6, push_type=8, channel=CHANNEL, expiration=0, payload=BROADCAST)
    send("to a channel of the sandbox, with all that it takes", audience=6, push_type=8, priority=5, channel="a",
         environment=2, expiration=1_790_000_000, payload=BROADCAST_END, not_after=SEEN, lane=2, send_at=SEEN, pace=1,
         label="goal", deadline_ms=5)
    send("to a channel with the longest payload", audience=6, push_type=8, channel="A" * 512, expiration=0,
         payload=BROADCAST.replace(b"1}", b'"' + b"x" * (5120 - len(BROADCAST) - 1) + b'"}'))
    send("with bodies", bodies=BODIES)
    send("with bodies and without a default", audience=5, payload=b"", bodies=BODIES)
    send("with 64 bodies", bodies=[{"language": f"x{index:02}", "payload": b"{}"} for index in range(64)])
    send("with bodies of the shortest and longest language", bodies=[{"language": "de", "payload": b"{}"},
                                                                     {"language": "d" * 35, "payload": b"{}"}])
    send("with a voip body of 5,120 bytes", push_type=4, bodies=[
        {"language": "de", "payload": b'{"a":"' + b"x" * 5112 + b'"}'}])
    send("to all but a device by id", audience=3, topic="level5", **{"except": BY_ID})
    send("to all but a device by token", audience=5, **{"except": BY_TOKEN})
    send("as a dry run", audience=3, topic="level5", dry_run=1)
    send("with every tag to groups", audience=2, expiration=1, collapse_id="c", not_after=SEEN, lane=2,
         groups=["user/42"], bodies=BODIES, dry_run=1, deadline_ms=1, **{"except": BY_ID})
    frame("audiences", "SEND answered: a dry run", "10.1", "server", "send",
          {"message_id": 0, "duplicate": 0, "total": 1000000, "ended": 0})

    frame("audiences", "EXPLAIN", "10.4", "client", "explain", {"app": APP, "condition": CONDITION})
    frame("audiences", "EXPLAIN with a deadline", "10.4", "client", "explain",
          {"app": APP, "condition": "all", "deadline_ms": 2})
    frame("audiences", "EXPLAIN answered", "10.4", "server", "explain", {
        "condition": CONDITION, "devices": 3, "sets": [
            {"set": "'level5' in topics", "devices": 5}, {"set": "'en' in topics", "devices": MAX64},
            {"set": "'zh' in topics", "devices": 0}]})
    frame("audiences", "EXPLAIN answered: all", "10.4", "server", "explain",
          {"condition": "all", "devices": 9, "sets": [{"set": "all", "devices": 9}]})
    frame("audiences", "an error with a column", "15", "server", "error",
          error_fields(11, field="condition", column=24), opcode=0x40)


def valid_messages() -> None:
    def send(name: str, section: str = "10.1", **options: Any) -> None:
        unknown = options.pop("unknown", [])
        frame("messages", name, section, "client", "send", send_fields(**options), unknown=unknown)

    send("SEND")
    send("SEND without a key", key=bytes(16))
    send("SEND by id", devices=[BY_ID])
    send("SEND to several, one of them twice", devices=[BY_TOKEN, BY_ID, {"id": 43}, BY_TOKEN])
    send("SEND of priority 10", priority=10)
    send("SEND of priority 5", priority=5)
    send("SEND of priority 1", priority=1)
    send("SEND with expiration 0", expiration=0)
    send("SEND with an expiration", expiration=1_790_000_600)
    send("SEND with the largest expiration", expiration=MAX64)
    send("SEND with a collapse id of one letter", collapse_id="c")
    send("SEND with a collapse id of 64 bytes", collapse_id="ü" * 32)
    send("SEND with a space within the collapse id", collapse_id="a b")
    send("SEND with not_after", not_after=SEEN)
    send("SEND with not_after 0", not_after=0)
    send("SEND in the bulk lane with a deadline", lane=2, deadline_ms=5)
    send("SEND in the bulk lane", lane=2)
    send("SEND with every tag", expiration=1, collapse_id="score", not_after=SEEN, lane=2, deadline_ms=500)
    send("SEND skips an unknown even tag", section="4.2", lane=2, unknown=[(24, b"later")])

    for name, message_id, duplicate, total, ended in (
            ("SEND answered", 7, 0, 3, 0), ("SEND answered again", 7, 1, 3, 1),
            ("SEND answered with the largest numbers", MAX64, 1, MAX32, MAX32)):
        frame("messages", name, "10.1", "server", "send",
              {"message_id": message_id, "duplicate": duplicate, "total": total, "ended": ended})

    frame("messages", "MESSAGE_STATUS", "10.2", "client", "message_status", {"app": APP, "message_id": 7})
    frame("messages", "MESSAGE_STATUS of the largest id", "10.2", "client", "message_status",
          {"app": APP, "message_id": MAX64, "deadline_ms": 50})

    def status(name: str, state: int, finished_at: int, *outcomes: Tuple[int, int], **tags: str) -> None:
        frame("messages", name, "10.2", "server", "message_status", {
            **tags,
            "state": state, "accepted_at": SEEN, "finished_at": finished_at, "total": sum(n for _, n in outcomes),
            "outcomes": [{"outcome": outcome, "devices": count} for outcome, count in outcomes]})

    status("MESSAGE_STATUS answered: waiting", 1, 0, (0, 3))
    status("MESSAGE_STATUS answered: sending", 2, 0, (0, 1), (1, 2))
    status("MESSAGE_STATUS answered: finished", 3, SEEN + 900, (1, 2), (2, 1))
    # A vector does not change: outcomes of later versions have vectors of their own.
    status("MESSAGE_STATUS answered with every outcome", 3, MAX64,
           *((outcome, 1) for outcome in crln.OUTCOMES if outcome != 41))
    status("MESSAGE_STATUS answered: a channel that does not exist", 3, SEEN, (41, 1),
           audience="channel dHN0LXNyY2gtY2hubA== of production")
    status("MESSAGE_STATUS answered with an outcome of a later version", 3, SEEN, (13, 1))
    status("MESSAGE_STATUS answered without outcomes", 1, 0)

    def outcomes(name: str, message_id: int, cursor: int, limit: int, **tags: int) -> None:
        frame("messages", name, "10.3", "client", "message_outcomes",
              {"app": APP, "message_id": message_id, "cursor": cursor, "limit": limit, **tags})

    outcomes("MESSAGE_OUTCOMES from the start", 7, 0, 1000)
    outcomes("MESSAGE_OUTCOMES one by one", 7, 43, 1)
    outcomes("MESSAGE_OUTCOMES with the largest cursor", 7, MAX64, 500, deadline_ms=70)

    def page(name: str, following: int, *recipients: Tuple[int, int]) -> None:
        frame("messages", name, "10.3", "server", "message_outcomes", {
            "next": following, "recipients": [{"device_id": id, "outcome": outcome} for id, outcome in recipients]})

    page("MESSAGE_OUTCOMES answered, the last page", 0, (42, 1))
    page("MESSAGE_OUTCOMES answered, more to come", 43, (0, 2), (0, 2), (42, 1))
    page("MESSAGE_OUTCOMES answered, nothing", 0)


LIVE_START = (b'{"aps":{"timestamp":1,"event":"start","content-state":{},"attributes-type":"T","attributes":{},'
              b'"alert":{"title":"t"}}}')
LIVE_UPDATE = b'{"aps":{"timestamp":1,"event":"update","content-state":{},%s}}'
NESTED = b'{"a":' * 31 + b"[]" + b"}" * 31
SOUND_PAYLOADS: List[Tuple[str, int, int, bytes]] = [
    ("an empty object", 1, 0, b"{}"),
    ("white space around", 1, 0, b' \t\r\n{ "aps" : { } } '),
    ("escapes", 1, 0, b'{"a":"\\ud83d\\ude00\\u0000\\"\\\\\\/\\b\\f\\n\\r\\t"}'),
    ("UTF-8", 1, 0, '{"aps":{"alert":"Glöckchen 🔔"}}'.encode()),
    ("numbers", 1, 0, b'{"n":[0,-0,1.5,-2e10,1E-3,123456789012345678901234567890]}'),
    ("literals", 1, 0, b'{"l":[true,false,null]}'),
    ("the same name in two objects", 1, 0, b'{"a":{"b":1},"c":{"b":2},"b":3}'),
    ("brackets in a string", 1, 0, b'{"a":"' + b"[{" * 40 + b'"}'),
    ("a depth of 32", 1, 0, NESTED),
    ("4,096 bytes", 1, 0, b'{"a":"' + b"x" * 4088 + b'"}'),
    ("background", 2, 0, b'{"aps":{"content-available":1}}'),
    ("background of priority 1", 2, 1, b'{"aps":{"content-available":1},"alert":"of the app"}'),
    ("location", 3, 10, b"{}"),
    ("voip", 4, 10, b'{"call":"x"}'),
    ("voip of 5,120 bytes", 4, 0, b'{"a":"' + b"x" * 5112 + b'"}'),
    ("complication", 5, 1, b"{}"),
    ("fileprovider", 6, 5, b'{"container-identifier":"c","domain":"d"}'),
    ("mdm", 7, 0, b'{"mdm":"magic"}'),
    ("liveactivity start", 8, 10, LIVE_START),
    ("liveactivity update", 8, 5, b'{"aps":{"timestamp":1.5,"event":"update","content-state":{"a":1}}}'),
    ("liveactivity end", 8, 0, b'{"aps":{"timestamp":1,"event":"end"}}'),
    ("pushtotalk", 9, 10, b"{}"),
    ("widgets", 10, 0, b'{"aps":{"content-changed":true}}'),
    ("controls", 11, 1, b'{"aps":{"content-changed":true}}'),
    ("every key of aps", 1, 0, b'{"aps":{"alert":{"title":"t","subtitle":"s","body":"b","launch-image":"i"},"badge":0,'
     b'"sound":"default","thread-id":"x","category":"c","content-available":1,"mutable-content":1,'
     b'"target-content-id":"w","interruption-level":"time-sensitive","relevance-score":0.5,"filter-criteria":"f",'
     b'"content-changed":true,"url-args":["a","b"]}}'),
    ("every key of localisation", 1, 0, b'{"aps":{"alert":{"title-loc-key":"T","title-loc-args":["1"],'
     b'"subtitle-loc-key":"S","subtitle-loc-args":[],"loc-key":"B","loc-args":["1","2"]}}}'),
    ("keys of localisation that are null", 1, 0, b'{"aps":{"alert":{"body":"b","title-loc-key":null,"title-loc-args":'
     b'null,"subtitle-loc-key":null,"subtitle-loc-args":null,"loc-key":null,"loc-args":null}}}'),
    ("keys that are not known", 1, 0, b'{"aps":{"alert":{"new":1},"sound":{"new":[]},"newer":null}}'),
    ("an empty alert", 1, 0, b'{"aps":{"alert":{}}}'),
    ("a badge of a whole number with a fraction", 1, 0, b'{"aps":{"badge":3.0}}'),
    ("a critical sound", 1, 0, b'{"aps":{"sound":{"critical":1,"name":"a.caf","volume":0.25}}}'),
    ("a critical sound of full volume", 1, 0, b'{"aps":{"sound":{"critical":1,"name":"a.caf","volume":1}}}'),
    ("a sound that is not critical", 1, 0, b'{"aps":{"sound":{"critical":0,"volume":0}}}'),
    ("flags of 0", 1, 0, b'{"aps":{"content-available":0,"mutable-content":0}}'),
    ("interruption-level passive", 1, 0, b'{"aps":{"interruption-level":"passive","relevance-score":0}}'),
    ("interruption-level active", 1, 0, b'{"aps":{"interruption-level":"active","relevance-score":1}}'),
    ("interruption-level critical", 1, 0, b'{"aps":{"interruption-level":"critical"}}'),
    ("keys of Live Activities in an alert", 1, 0, b'{"aps":{"event":7,"timestamp":"x","attributes":null}}'),
    ("known names outside of aps", 1, 0, b'{"badge":"x","sound":[],"alert":null}'),
    ("liveactivity start by a channel", 8, 0, LIVE_START[:-2] + b',"input-push-channel":"dHN0"}}'),
    ("liveactivity start by a token", 8, 0, LIVE_START[:-2] + b',"input-push-token":1}}'),
    ("liveactivity start with an alert that is a string", 8, 0, LIVE_START.replace(b'{"title":"t"}', b'"t"')),
    ("liveactivity with every key", 8, 0, LIVE_UPDATE % (
        b'"stale-date":2,"dismissal-date":0,"relevance-score":100,"alert":{"title":{"loc-key":"K","loc-args":["a"]},'
        b'"body":{"loc-key":"L"},"sound":"chime.aiff"}')),
    ("liveactivity of negative relevance", 8, 0, LIVE_UPDATE % b'"relevance-score":-1.5'),
]


def valid_payloads() -> None:
    for name, push_type, priority, payload in SOUND_PAYLOADS:
        frame("payloads", f"SEND with {name}", "10.1" if push_type == 1 else "16.4", "client", "send",
              send_fields(push_type=push_type, priority=priority, payload=payload))
    frame("payloads", "SEND with pushtotalk that expires at once", "16.4", "client", "send",
          send_fields(push_type=9, payload=b"{}", expiration=0))


# code: scope, effect, retry; for codes with both scopes those of scope request.
ERROR_TABLE = {
    1: (0, 0, MAX32), 2: (1, 0, MAX32), 3: (0, 0, MAX32), 4: (0, 0, MAX32), 5: (0, 0, MAX32), 6: (1, 0, MAX32),
    7: (1, 0, MAX32), 8: (0, 0, MAX32), 9: (0, 0, MAX32), 10: (0, 0, MAX32), 11: (0, 0, MAX32), 12: (0, 0, MAX32),
    13: (0, 0, MAX32), 14: (0, 0, MAX32), 15: (0, 0, 250), 16: (0, 0, 100), 17: (0, 0, 60000), 18: (0, 1, 5000),
    19: (0, 0, 0), 20: (0, 0, 1000), 21: (1, 0, 10000), 22: (1, 0, 1000), 23: (1, 0, 0), 24: (0, 1, 1000),
    25: (1, 0, 5000)}


def valid_errors() -> None:
    for code, (scope, effect, retry) in ERROR_TABLE.items():
        unnamed = code in (2, 7, 21, 22, 23, 25)
        frame("errors", crln.ERRORS[code], "15", "server", "error", error_fields(code, scope, effect, retry, "because"),
              0 if unnamed else 3, opcode=0 if unnamed else 0x50)
    for code in (1, 3, 8, 18, 20):
        frame("errors", f"{crln.ERRORS[code]} of scope connection", "15", "server", "error",
              error_fields(code, 1, 1 if code == 18 else 0, 1000 if code in (18, 20) else MAX32), 0, opcode=0)
    frame("errors", "an error of a field", "15", "server", "error", error_fields(11, field="push_type"), opcode=0x50)
    frame("errors", "an error of an item", "15", "server", "error", error_fields(11, field="devices", item=999),
          opcode=0x50)
    frame("errors", "an error with a limit", "15", "server", "error", error_fields(14, field="payload", limit=4096),
          opcode=0x50)
    frame("errors", "an error with every tag at its largest", "15", "server", "error",
          error_fields(11, 0, 2, 0, "m" * 512, field="items", limit=MAX64, item=MAX32, column=MAX32,
                       reason="r" * 64), MAX64, opcode=0x11)
    frame("errors", "APNs refuses a channel", "15", "server", "error",
          error_fields(26, message="no", reason="FeatureNotEnabled"), opcode=0x90)
    frame("errors", "APNs does not answer", "15", "server", "error",
          error_fields(27, effect=1, retry=1000, reason="timeout"), opcode=0x90)
    frame("errors", "BEHIND", "15", "server", "error", error_fields(28, 0, 0, 500, "because"), opcode=0x13)
    frame("errors", "BEHIND of scope connection", "15", "server", "error", error_fields(28, 1, 0, 500, "because"), 0,
          opcode=0)
    frame("errors", "an error of a later version", "15", "server", "error", error_fields(999, 0, 2, 0, "new"),
          opcode=0x10, unknown=[(1, b"\0"), (16, b"x")])


# ---------------------------------------------------------------------------------------------- invalid

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


def bad(file: str, name: str, section: str, phase: str, data: str, code: Optional[str], scope: str = "request",
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


PHASES = {"hello": ("hello", 1), "auth": ("auth", 2)}


def request(message: str, payload: bytes) -> str:
    _, id = PHASES.get(message, ("open", 3))
    return (crln.HEADER.pack(len(payload), 1, 0, crln.OPCODES[message], id) + payload).hex()


def bad_payload(message: str, name: str, payload: bytes, code: str, field: Optional[str] = None,
                item: Optional[int] = None, section: str = "", file: str = "") -> None:
    phase, _ = PHASES.get(message, ("open", 3))
    title = f"{message.upper()} {name}"
    bad(file or SOUND[message].file, title, section or SOUND[message].section, phase, request(message, payload),
        code, "request", field, item)

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
    "explain": Sound("10.4", "audiences", {"app": APP, "condition": CONDITION}),
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


def refuse(message: str, name: str, code: str, field: str, item: Optional[int] = None, section: str = "",
           **changes: Any) -> None:
    bad_payload(message, name, payload_of(message, **changes), code, field, item, section)


def write_invalid() -> None:
    invalid_prefaces()
    invalid_framing()
    invalid_phases()
    invalid_truncated()
    invalid_text()
    invalid_sections()
    invalid_values()
    invalid_browsers()
    invalid_lists()
    invalid_names()
    invalid_memberships()
    invalid_audiences()
    invalid_conditions()
    invalid_message_options()
    invalid_android()
    invalid_web()
    invalid_trace()
    invalid_events()
    invalid_receipts()
    invalid_channels()
    invalid_broadcasts()
    invalid_statistics()
    invalid_payloads()
    invalid_precedence()


def invalid_prefaces() -> None:
    magic = "c343524c4e0d0a1a"
    for index in range(8):
        changed = bytearray.fromhex(magic)
        changed[index] ^= 0x20
        bad("preface", f"magic with byte {index} changed", "2", "preface", changed.hex() + "0101" + "00" * 6, None)
    for name, data in (
            ("an HTTP request", b"GET / HTTP/1.1\r\n"), ("the HTTP/2 preface", b"PRI * HTTP/2.0\r\n"),
            ("a Redis command", b"*1\r\n$4\r\nPING\r\n\r\n"), ("zeros", bytes(16)),
            ("a TLS handshake", bytes.fromhex("16030100c8010000c40303aabbccddee"))):
        bad("preface", name, "2", "preface", data.hex(), None)
    for name, tail in (
            ("lowest above highest", "0201000000000000"), ("lowest 0", "0001000000000000"),
            ("both 0", "0000000000000000"), ("reserved byte 10", "0101010000000000"),
            ("reserved byte 11", "0101000100000000"), ("reserved byte 12", "0101000001000000"),
            ("reserved byte 15", "0101000000000001"), ("reserved byte and no common version", "0203000000000001")):
        bad("preface", name, "2", "preface", magic + tail, "MALFORMED", "connection")
    bad("preface", "only version 2", "2", "preface", magic + "0202000000000000", "UNSUPPORTED_VERSION", "connection")
    bad("preface", "versions 2 to 255", "2", "preface", magic + "02ff000000000000", "UNSUPPORTED_VERSION", "connection")


def invalid_framing() -> None:
    # length | kind | flags | opcode | id
    def header(name: str, data: str, code: str, scope: str = "connection", phase: str = "open",
               section: str = "3.1") -> None:
        bad("framing", name, section, phase, data, code, scope)

    header("length above the limit", "00100001 01 00 0013 0000000000000003", "FRAME_TOO_LARGE")
    header("the largest length", "ffffffff 01 00 0013 0000000000000003", "FRAME_TOO_LARGE")
    header("length above the limit of the hello phase", "00001001 01 00 0001 0000000000000001", "FRAME_TOO_LARGE",
           phase="hello")
    header("length above the limit of the auth phase", "00001001 01 00 0002 0000000000000002", "FRAME_TOO_LARGE",
           phase="auth")
    header("length above the limit before kind", "ffffffff 09 ff ffff 0000000000000000", "FRAME_TOO_LARGE")
    header("length above the limit of a control frame", "00100001 05 00 0003 0000000000000000", "FRAME_TOO_LARGE")
    for kind in (0, 2, 3, 4, 6, 127, 255):
        header(f"kind {kind} from a client", f"00000000 {kind:02x} 00 0013 0000000000000003", "MALFORMED")
    header("kind 2 in the hello phase", "00000000 02 00 0001 0000000000000001", "MALFORMED", phase="hello")
    header("kind before flags and id", "00000000 00 0f 0013 0000000000000000", "MALFORMED")
    for flags in (1, 2, 4, 8, 0x0F, 0x11):
        header(f"flags {flags:#04x} of a request", f"00000000 01 {flags:02x} 0013 0000000000000003", "MALFORMED")
    header("flags of a request before its id", "00000000 01 02 0013 0000000000000000", "MALFORMED")
    for flags in (2, 3, 4, 8):
        header(f"flags {flags:#04x} of PING", f"00000008 05 {flags:02x} 0003 0000000000000000 0102030405060708",
               "MALFORMED")
    header("ACK on an unknown control frame", "00000000 05 01 00ff 0000000000000000", "MALFORMED")
    header("ACK on GOAWAY", "00000000 05 01 0004 0000000000000000", "MALFORMED")
    header("PING with an id", "00000008 05 00 0003 0000000000000001 0102030405060708", "MALFORMED")
    header("PING with ACK and an id", "00000008 05 01 0003 0000000000000003 0102030405060708", "MALFORMED")
    header("an unknown control frame with an id", "00000000 05 00 00ff 0000000000000003", "MALFORMED")
    header("GOAWAY with an id", "00000000 05 00 0004 0000000000000003", "MALFORMED")
    for size in (0, 1, 7, 9, 16):
        header(f"PING of {size} bytes", f"{size:08x} 05 00 0003 0000000000000000" + "ab" * size, "MALFORMED",
               section="6.3")
    for size in (0, 7, 9):
        header(f"POSITION of {size} bytes", f"{size:08x} 05 00 0005 0000000000000000" + "ab" * size, "MALFORMED",
               section="6.5")
    header("POSITION with an id", "00000008 05 00 0005 0000000000000001 0102030405060708", "MALFORMED")
    header("ACK on POSITION", "00000008 05 01 0005 0000000000000000 0102030405060708", "MALFORMED")
    header("PING with a tagged section", "00000009 05 00 0003 0000000000000000 0102030405060708 00", "MALFORMED",
           section="6.3")
    header("PING with ACK of 7 bytes", "00000007 05 01 0003 0000000000000000 01020304050607", "MALFORMED",
           section="6.3")
    header("PING of 7 bytes in the hello phase", "00000007 05 00 0003 0000000000000000 01020304050607", "MALFORMED",
           phase="hello", section="6.3")
    header("id 0", "00000000 01 00 0013 0000000000000000", "BAD_REQUEST_ID")
    header("id 0 in the hello phase", "00000000 01 00 0001 0000000000000000", "BAD_REQUEST_ID", phase="hello")
    header("id of HELLO again in the auth phase", "00000000 01 00 0002 0000000000000001", "BAD_REQUEST_ID",
           phase="auth")
    header("id of AUTH again", "00000000 01 00 0013 0000000000000002", "BAD_REQUEST_ID")
    header("a smaller id", "00000000 01 00 0013 0000000000000001", "BAD_REQUEST_ID")
    header("id before phase", "00000000 01 00 0001 0000000000000002", "BAD_REQUEST_ID")
    header("id before opcode and layout", "00000000 01 f0 ffff 0000000000000000", "BAD_REQUEST_ID")
    for opcode in (0x0000, 0x0003, 0x0004, 0x0005, 0x0018, 0x0027, 0x0034, 0x0041, 0x0057, 0x0064, 0x0072, 0x7000,
                   0xFFFF):
        header(f"opcode {opcode:#06x} in a request", f"00000000 01 00 {opcode:04x} 0000000000000003",
               "UNSUPPORTED_OPCODE", "request")
    header("opcode before layout", "00000002 01 10 00ff 0000000000000003 0000", "UNSUPPORTED_OPCODE", "request")
    for flags in (0x10, 0x20, 0xF0):
        header(f"layout {(flags >> 4) + 1} of LOOKUP", f"00000000 01 {flags:02x} 0013 0000000000000003",
               "UNSUPPORTED_VERSION", "request")
    header("layout 2 of HELLO", "00000000 01 10 0001 0000000000000001", "UNSUPPORTED_VERSION", "request", "hello")
    header("layout 2 of AUTH", "00000000 01 10 0002 0000000000000002", "UNSUPPORTED_VERSION", "request", "auth")


def invalid_phases() -> None:
    sound = {message: payload_of(message).hex() for message in crln.OPCODES}

    def early(name: str, message: str, phase: str, id: int, flags: int = 0, payload: Optional[str] = None) -> None:
        body = sound[message] if payload is None else payload
        data = crln.HEADER.pack(len(body) // 2, 1, flags, crln.OPCODES[message], id).hex() + body
        bad("phases", name, "5", phase, data, "WRONG_PHASE", "connection")

    early("AUTH before HELLO", "auth", "hello", 1)
    early("REGISTER before HELLO", "register", "hello", 1)
    early("SEND before HELLO", "send", "hello", 1)
    early("a second HELLO in the auth phase", "hello", "auth", 2)
    for message in sorted(set(crln.OPCODES) - {"hello", "auth"}):
        early(f"{message.upper()} before AUTH", message, "auth", 2)
    early("a second HELLO", "hello", "open", 3)
    early("a second AUTH", "auth", "open", 3)
    early("phase before layout", "lookup", "auth", 2, flags=0x10)
    early("phase before payload", "lookup", "auth", 2, payload="")
    bad("phases", "phase before opcode", "5", "hello", "00000000 01 00 00ff 0000000000000001", "WRONG_PHASE",
        "connection")
    bad("phases", "PING as a request before HELLO", "5", "hello", "00000000 01 00 0003 0000000000000001", "WRONG_PHASE",
        "connection")


def invalid_truncated() -> None:
    """Cuts each field of each request short by a byte, and leaves it out."""
    for message in crln.OPCODES:
        layout = crln.FROM_CLIENT[message]
        before = b""
        for name, part in layout.fixed.items():
            whole = part.write(SOUND[message].fields[name])
            bad_payload(message, f"that ends before {name}", before, "MALFORMED", name)
            if len(whole) > 1:
                bad_payload(message, f"that ends within {name}", before + whole[:-1], "MALFORMED", name,
                            CUT_ITEMS.get((message, name)))
            before += whole
        bad_payload(message, "with a byte left over", before + b"\0\0", "MALFORMED", section="4.2")


# The item of a list that is cut short by a byte, for lists that the count alone does not refuse.
CUT_ITEMS = {("send", "devices"): 0, ("register_batch", "items"): 0, ("join", "devices"): 0, ("leave", "devices"): 0,
             ("subscribe", "topics"): 0, ("subscribe", "devices"): 0, ("subscribe", "groups"): 0,
             ("unsubscribe", "topics"): 0, ("unsubscribe", "devices"): 0, ("unsubscribe", "groups"): 0,
             ("subscribe_events", "apps"): 0, ("receipts", "receipts"): 0}


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
        bad_payload("hello", f"with {name} in software", field + bytes(4), "MALFORMED", "software", section="4.1",
                    file="text")
        rest = payload_of("message_status")[2 + len(APP):]
        bad_payload("message_status", f"with {name} in app", field + rest, "MALFORMED", "app", section="4.1",
                    file="text")
    for message in ("register", "unregister", "lookup", "send", "message_outcomes"):
        rest = payload_of(message)[2 + len(APP):]
        bad_payload(message, "with a surrogate in app", b"\0\3\xed\xa0\x80" + rest, "MALFORMED", "app", section="4.1",
                    file="text")
    for message, tag, field in (("register", 18, "locale"), ("register", 20, "time_zone"), ("send", 19, "collapse_id")):
        for name, text in NAMED_TEXT:
            section = bytes([1, tag, len(text)]) + text
            bad_payload(message, f"with {name} in {field}", payload_of(message) + section, "MALFORMED", field,
                        section="4.1", file="text")


def invalid_sections() -> None:
    def section(name: str, data: str, code: str = "MALFORMED", field: Optional[str] = None, message: str = "register",
                where: str = "4.2") -> None:
        payload = payload_of(message) + bytes.fromhex(data)
        bad_payload(message, f"with {name}", payload, code, field, section=where, file="tags")

    section("a count and no tag", "01")
    section("a tag and no size", "01 12")
    section("a size and no value", "01 12 02")
    section("a value cut short", "01 12 02 64")
    section("a size past the end", "01 12 ff01 64")
    section("the largest size", "01 12 ffffffff0f 64")
    section("a byte after the empty section", "00 00")
    section("a byte after the last tag", "01 12 02 6465 00")
    section("fewer tags than counted", "02 12 02 6465")
    section("more tags than counted", "01 12 02 6465 14 01 5a")
    section("65 tags", "41" + "".join(f"{tag:02x}00" for tag in range(0, 128, 2)) + "800100")
    section("a count of 65 and nothing else", "41")
    section("the largest count", "ffffffff0f")
    for name, form in (("of two bytes not shortest", "8000"), ("1 not shortest", "8100"),
                       ("of five bytes not shortest", "8080808000"), ("of 6 bytes", "808080808001"),
                       ("of 6 bytes, all ones", "ffffffffffff"), ("of 2³²", "8080808010"),
                       ("above 32 bits", "ffffffff1f"), ("cut short", "80"), ("cut short after 4 bytes", "ffffffff")):
        section(f"a count {name}", form)
        section(f"a tag {name}", "01" + form + ("" if "cut short" in name else "00"))
        section(f"a size {name}", "0112" + form)
    section("tags out of order", "02 14 01 5a 12 02 6465")
    section("a tag twice", "02 12 02 6465 12 02 6672")
    section("an unknown even tag twice", "02 16 00 16 00")
    section("unknown tags out of order", "02 18 00 16 00")
    section("tag 0 twice", "02 00 00 00 00")
    section("tags out of order before unknown odd tags", "02 1b 00 12 02 6465")
    section("a tag cut short before an unknown odd tag", "02 0f 00 14 05 5a")
    for tag, form in ((1, "01"), (3, "03"), (15, "0f"), (27, "1b"), (29, "1d"), (65537, "818004"),
                      (MAX32, "ffffffff0f")):
        section(f"the unknown odd tag {tag}", f"01 {form} 00", "UNSUPPORTED_FIELD")
    section("an unknown odd tag before known ones", "03 0f 01 00 12 02 6465 14 01 5a", "UNSUPPORTED_FIELD")
    for message in crln.OPCODES:
        if message != "hello":
            section("the unknown odd tag 127", "01 7f 00", "UNSUPPORTED_FIELD", message=message)
        section("tags in no order", "02 04 00 02 04 00000001", message=message)
        section("a deadline of 3 bytes", "01 02 03 000001", "MALFORMED", "deadline_ms", message, "16.2")
    section("a deadline of 0 bytes", "01 02 00", "MALFORMED", "deadline_ms", where="16.2")
    section("a deadline of 5 bytes", "01 02 05 0000000001", "MALFORMED", "deadline_ms", where="16.2")
    section("replaces of 0 bytes", "01 11 00", "MALFORMED", "replaces", where="7.1")
    section("replaces of 256 bytes", "01 11 8002" + "ab" * 256, "MALFORMED", "replaces", where="7.1")
    for tag, name in ((0x11, "expiration"), (0x15, "not_after")):
        section(f"{name} of 7 bytes", f"01 {tag:02x} 07 00000000000001", "MALFORMED", name, "send", "10.1")
        section(f"{name} of 9 bytes", f"01 {tag:02x} 09 000000000000000001", "MALFORMED", name, "send", "10.1")
        section(f"{name} of 0 bytes", f"01 {tag:02x} 00", "MALFORMED", name, "send", "10.1")
    section("lane of 0 bytes", "01 16 00", "MALFORMED", "lane", "send", "10.1")
    section("lane of 2 bytes", "01 16 02 0001", "MALFORMED", "lane", "send", "10.1")


BAD_APPS = [("empty", ""), ("of 156 bytes", "x" * 156), ("with a slash", "com/example"),
            ("with a space", "com example"),
            ("with an underscore", "com_example"), ("that is *", "*"), ("with a letter beyond ASCII", "com.exämple"),
            ("with an Arabic digit", "com.٣"), ("with a line feed", "com\n")]


def invalid_browsers() -> None:
    def wrong(name: str, **changes: Any) -> None:
        refuse("register", f"with subscription {name}", "INVALID_ARGUMENT", "subscription", None, "7.1", **changes)

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


def invalid_values() -> None:
    def wrong(message: str, field: str, name: str, section: str = "", **changes: Any) -> None:
        refuse(message, f"with {field} {name}", "INVALID_ARGUMENT", field, None, section, **changes)

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
    bad_payload("register", "with a token of 0 bytes", prefix + b"\0" + bytes(8), "MALFORMED", "token", section="4.1")
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
        bad_payload(message, f"with {name}", before + bytes.fromhex(data) + after, code, field, item, section="4.1")

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


def invalid_lists() -> None:
    device_faults("send", "devices")
    head = crln.STR.write(APP) + UUID + b"\1\0\1"
    tail = crln.BYTES.write(ALERT)
    refuse("send", "to no device", "INVALID_ARGUMENT", "devices", devices=[])
    tiny = {"token": {"environment": 1, "kind": 1, "token": b"t"}}
    refuse("send", "to 1,001 devices", "INVALID_ARGUMENT", "devices", devices=[tiny] * 1001)
    bad_payload("send", "with the largest count", head + b"\xff" * 4 + crln.DEVICE.write(BY_ID) + tail, "MALFORMED",
                "devices", section="4.1")
    bad_payload("send", "with a count that the bytes left rule out", head + b"\0\0\0\x0a" + bytes(49), "MALFORMED",
                "devices", section="4.1")
    bad_payload("send", "with a payload past the end",
                head + b"\0\0\0\1" + crln.DEVICE.write(BY_ID) + b"\0\0\0\x17" + ALERT,
                "MALFORMED", "payload", section="4.1")
    bad_payload("send", "with the largest payload size",
                head + b"\0\0\0\1" + crln.DEVICE.write(BY_ID) + b"\xff" * 4 + ALERT,
                "MALFORMED", "payload", section="4.1")
    refuse("register_batch", "of no items", "INVALID_ARGUMENT", "items", items=[])
    refuse("register_batch", "of 1,001 items", "INVALID_ARGUMENT", "items", items=[b""] * 1001)
    bad_payload("register_batch", "with the largest count", b"\xff" * 4 + bytes(12), "MALFORMED", "items",
                section="4.1")
    bad_payload("register_batch", "with a count that the bytes left rule out", b"\0\0\0\4" + bytes(15), "MALFORMED",
                "items", section="4.1")
    bad_payload("register_batch", "with the second item past the end", b"\0\0\0\2" + b"\0\0\0\1x" + b"\0\0\0\2x",
                "MALFORMED", "items", 1, section="4.1")
    bad_payload("register_batch", "with the largest item size", b"\0\0\0\1" + b"\xff" * 4 + b"x", "MALFORMED", "items",
                0,
                section="4.1")
    bad_payload("auth", "with a credential past the end", b"\1" + b"\0\0\0\2k", "MALFORMED", "credential",
                section="4.1")
    bad_payload("auth", "with the largest credential size", b"\1" + b"\xff" * 4 + b"k", "MALFORMED", "credential",
                section="4.1")


FAULTY_PAYLOADS: List[Tuple[str, int, bytes]] = [
    ("no bytes", 1, b""), ("white space", 1, b"  "), ("an array", 1, b"[]"), ("a string", 1, b'"a"'),
    ("a number", 1, b"1"),
    ("true", 1, b"true"), ("null", 1, b"null"), ("an open object", 1, b'{"a":1'), ("two objects", 1, b"{}{}"),
    ("text behind the object", 1, b"{} x"), ("a comma too many", 1, b'{"a":1,}'),
    ("a comma too few", 1, b'{"a":1 "b":2}'),
    ("an array with a comma too many", 1, b'{"a":[1,]}'), ("single quotes", 1, b"{'a':1}"),
    ("a bare name", 1, b"{a:1}"),
    ("no colon", 1, b'{"a" 1}'), ("a comment", 1, b'{/* */"a":1}'), ("NaN", 1, b'{"a":NaN}'),
    ("Infinity", 1, b'{"a":-Infinity}'), ("a leading zero", 1, b'{"a":01}'), ("a leading plus", 1, b'{"a":+1}'),
    ("a number without a fraction", 1, b'{"a":1.}'), ("a number without a whole", 1, b'{"a":.5}'),
    ("an exponent without digits", 1, b'{"a":1e}'), ("a hexadecimal number", 1, b'{"a":0x1}'),
    ("True", 1, b'{"a":True}'),
    ("a raw control character", 1, b'{"a":"\n"}'), ("a raw U+0000", 1, b'{"a":"\0"}'),
    ("a bad escape", 1, b'{"a":"\\x41"}'), ("a number beyond a double", 1, b'{"a":1e309}'),
    ("a negative number beyond a double", 1, b'{"a":-1e999}'),
    ("an escape cut short", 1, b'{"a":"\\u12"}'), ("an escape that is not hexadecimal", 1, b'{"a":"\\u12g4"}'),
    ("a string without an end", 1, b'{"a":"b}'), ("a byte order mark", 1, b"\xef\xbb\xbf{}"),
    ("a form feed as white space", 1, b"{\x0c}"), ("UTF-16", 1, '{"a":1}'.encode("utf-16-le")),
    ("a lone high surrogate", 1, b'{"a":"\\ud800"}'), ("a lone low surrogate", 1, b'{"a":"\\udc00"}'),
    ("surrogates in the wrong order", 1, b'{"a":"\\udc00\\ud800"}'),
    ("a lone surrogate in a name", 1, b'{"\\ud800":1}'),
    ("a high surrogate before a letter", 1, b'{"a":"\\ud83dx"}'), ("an encoded surrogate", 1, b'{"a":"\xed\xa0\x80"}'),
    ("an overlong form", 1, b'{"a":"\xc0\xaf"}'), ("a character cut short", 1, b'{"a":"\xe2\x82"}'),
    ("the byte ff", 1, b'{"a":"\xff"}'), ("a name twice", 1, b'{"a":1,"a":1}'),
    ("a name twice, once escaped", 1, b'{"a":1,"\\u0061":2}'), ("a name twice within", 1, b'{"aps":{"b":1,"b":2}}'),
    ("a name twice in an array", 1, b'{"l":[{"b":1,"b":2}]}'), ("an empty name twice", 1, b'{"":1,"":2}'),
    ("a depth of 33", 1, b'{"a":' * 32 + b"[]" + b"}" * 32),
    ("a depth of 33 in arrays", 1, b'{"a":' + b"[" * 32 + b"]" * 32 + b"}"),
    ("a depth of 2,000 without an end", 1, b'{"a":' + b"[" * 2000),
    ("background without aps", 2, b"{}"), ("background with an aps that is not an object", 2, b'{"aps":1}'),
    ("background without content-available", 2, b'{"aps":{}}'),
    ("background with content-available 0", 2, b'{"aps":{"content-available":0}}'),
    ("background with content-available 2", 2, b'{"aps":{"content-available":2}}'),
    ("background with content-available true", 2, b'{"aps":{"content-available":true}}'),
    ("background with content-available a string", 2, b'{"aps":{"content-available":"1"}}'),
    ("background with an alert", 2, b'{"aps":{"content-available":1,"alert":"a"}}'),
    ("background with a badge", 2, b'{"aps":{"content-available":1,"badge":0}}'),
    ("background with a sound", 2, b'{"aps":{"content-available":1,"sound":null}}'),
    ("fileprovider with aps", 6, b'{"aps":{},"container-identifier":"c","domain":"d"}'),
    ("fileprovider without container-identifier", 6, b'{"domain":"d"}'),
    ("fileprovider without domain", 6, b'{"container-identifier":"c"}'),
    ("fileprovider with a domain that is not a string", 6, b'{"container-identifier":"c","domain":1}'),
    ("mdm without mdm", 7, b"{}"), ("mdm with an mdm that is not a string", 7, b'{"mdm":{}}'),
    ("liveactivity without aps", 8, b"{}"),
    ("liveactivity without timestamp", 8, b'{"aps":{"event":"update","content-state":{}}}'),
    ("liveactivity with a timestamp that is not a number", 8,
     b'{"aps":{"timestamp":"1","event":"update","content-state":{}}}'),
    ("liveactivity without event", 8, b'{"aps":{"timestamp":1,"content-state":{}}}'),
    ("liveactivity with another event", 8, b'{"aps":{"timestamp":1,"event":"stop","content-state":{}}}'),
    ("liveactivity start without content-state", 8, b'{"aps":{"timestamp":1,"event":"start"}}'),
    ("liveactivity update with a content-state that is not an object", 8,
     b'{"aps":{"timestamp":1,"event":"update","content-state":[]}}'),
    ("widgets without content-changed", 10, b'{"aps":{}}'),
    ("widgets with content-changed false", 10, b'{"aps":{"content-changed":false}}'),
    ("widgets with content-changed 1", 10, b'{"aps":{"content-changed":1}}'),
    ("controls without aps", 11, b'{"content-changed":true}'),
]
FAULTY_KEYS: List[Tuple[str, int, bytes]] = [
    ("alert a number", 1, b'{"aps":{"alert":1}}'),
    ("alert null", 1, b'{"aps":{"alert":null}}'),
    ("alert an array", 1, b'{"aps":{"alert":["a"]}}'),
    ("title a number", 1, b'{"aps":{"alert":{"title":1}}}'),
    ("subtitle a number", 1, b'{"aps":{"alert":{"subtitle":1}}}'),
    ("body a number", 1, b'{"aps":{"alert":{"body":1}}}'),
    ("launch-image a number", 1, b'{"aps":{"alert":{"launch-image":1}}}'),
    ("title null", 1, b'{"aps":{"alert":{"title":null}}}'),
    ("title an object outside of a Live Activity", 1, b'{"aps":{"alert":{"title":{"loc-key":"K"}}}}'),
    ("title-loc-key a number", 1, b'{"aps":{"alert":{"title-loc-key":1}}}'),
    ("title-loc-args a string", 1, b'{"aps":{"alert":{"title-loc-args":"a"}}}'),
    ("title-loc-args with a number", 1, b'{"aps":{"alert":{"title-loc-args":["a",1]}}}'),
    ("subtitle-loc-key a number", 1, b'{"aps":{"alert":{"subtitle-loc-key":1}}}'),
    ("subtitle-loc-args a string", 1, b'{"aps":{"alert":{"subtitle-loc-args":"a"}}}'),
    ("subtitle-loc-args with a number", 1, b'{"aps":{"alert":{"subtitle-loc-args":["a",1]}}}'),
    ("loc-key a number", 1, b'{"aps":{"alert":{"loc-key":1}}}'),
    ("loc-args a string", 1, b'{"aps":{"alert":{"loc-args":"a"}}}'),
    ("loc-args with a number", 1, b'{"aps":{"alert":{"loc-args":["a",1]}}}'),
    ("badge a string", 1, b'{"aps":{"badge":"1"}}'),
    ("badge negative", 1, b'{"aps":{"badge":-1}}'),
    ("badge a fraction", 1, b'{"aps":{"badge":1.5}}'),
    ("badge true", 1, b'{"aps":{"badge":true}}'),
    ("badge null", 1, b'{"aps":{"badge":null}}'),
    ("sound a number", 1, b'{"aps":{"sound":1}}'),
    ("sound null", 1, b'{"aps":{"sound":null}}'),
    ("sound an array", 1, b'{"aps":{"sound":[]}}'),
    ("a sound with critical true", 1, b'{"aps":{"sound":{"critical":true}}}'),
    ("a sound with critical 2", 1, b'{"aps":{"sound":{"critical":2}}}'),
    ("a sound with name a number", 1, b'{"aps":{"sound":{"name":1}}}'),
    ("a sound with volume above 1", 1, b'{"aps":{"sound":{"volume":1.01}}}'),
    ("a sound with volume negative", 1, b'{"aps":{"sound":{"volume":-0.1}}}'),
    ("a sound with volume a string", 1, b'{"aps":{"sound":{"volume":"1"}}}'),
    ("thread-id a number", 1, b'{"aps":{"thread-id":1}}'),
    ("category a number", 1, b'{"aps":{"category":1}}'),
    ("target-content-id a number", 1, b'{"aps":{"target-content-id":1}}'),
    ("filter-criteria a number", 1, b'{"aps":{"filter-criteria":1}}'),
    ("thread-id null", 1, b'{"aps":{"thread-id":null}}'),
    ("content-available true in an alert", 1, b'{"aps":{"content-available":true}}'),
    ("content-available 2 in an alert", 1, b'{"aps":{"content-available":2}}'),
    ("content-available a string in an alert", 1, b'{"aps":{"content-available":"1"}}'),
    ("mutable-content true in an alert", 1, b'{"aps":{"mutable-content":true}}'),
    ("mutable-content 2 in an alert", 1, b'{"aps":{"mutable-content":2}}'),
    ("mutable-content a string in an alert", 1, b'{"aps":{"mutable-content":"1"}}'),
    ("interruption-level another", 1, b'{"aps":{"interruption-level":"urgent"}}'),
    ("interruption-level a number", 1, b'{"aps":{"interruption-level":1}}'),
    ("interruption-level in capitals", 1, b'{"aps":{"interruption-level":"Active"}}'),
    ("relevance-score above 1", 1, b'{"aps":{"relevance-score":1.5}}'),
    ("relevance-score negative", 1, b'{"aps":{"relevance-score":-0.5}}'),
    ("relevance-score a string", 1, b'{"aps":{"relevance-score":"1"}}'),
    ("content-changed false in an alert", 1, b'{"aps":{"content-changed":false}}'),
    ("content-changed 1 in an alert", 1, b'{"aps":{"content-changed":1}}'),
    ("url-args a string", 1, b'{"aps":{"url-args":"a"}}'),
    ("url-args with a number", 1, b'{"aps":{"url-args":[1]}}'),
    ("voip with a badge that is a string", 4, b'{"aps":{"badge":"1"}}'),
    ("background with a category that is a number", 2, b'{"aps":{"content-available":1,"category":1}}'),
    ("liveactivity start without attributes-type", 8, LIVE_START.replace(b'"attributes-type":"T",', b'')),
    ("liveactivity start without attributes", 8, LIVE_START.replace(b'"attributes":{},', b'')),
    ("liveactivity start without an alert", 8, LIVE_START.replace(b',"alert":{"title":"t"}', b'')),
    ("liveactivity start with attributes-type a number", 8,
     LIVE_START.replace(b'"attributes-type":"T"', b'"attributes-type":1')),
    ("liveactivity start with attributes an array", 8, LIVE_START.replace(b'"attributes":{}', b'"attributes":[]')),
    ("input-push-channel a number", 8, LIVE_UPDATE % b'"input-push-channel":1'),
    ("input-push-token true", 8, LIVE_UPDATE % b'"input-push-token":true'),
    ("stale-date a string", 8, LIVE_UPDATE % b'"stale-date":"1"'),
    ("stale-date negative", 8, LIVE_UPDATE % b'"stale-date":-1'),
    ("dismissal-date null", 8, LIVE_UPDATE % b'"dismissal-date":null'),
    ("relevance-score a string in a Live Activity", 8, LIVE_UPDATE % b'"relevance-score":"1"'),
    ("a Live Activity title that is a number", 8, LIVE_UPDATE % b'"alert":{"title":1}'),
    ("a Live Activity title with loc-key a number", 8, LIVE_UPDATE % b'"alert":{"title":{"loc-key":1}}'),
    ("a Live Activity body with loc-args of numbers", 8,
     LIVE_UPDATE % b'"alert":{"body":{"loc-key":"K","loc-args":[1]}}'),
    ("a Live Activity subtitle that is null", 8, LIVE_UPDATE % b'"alert":{"subtitle":null}'),
    ("a Live Activity sound that is a number", 8, LIVE_UPDATE % b'"alert":{"sound":1}'),
    ("a Live Activity sound of volume 2", 8, LIVE_UPDATE % b'"alert":{"sound":{"volume":2}}'),
    ("badge a string in a Live Activity", 8, LIVE_UPDATE % b'"badge":"1"'),
    ("liveactivity with a negative timestamp", 8,
     b'{"aps":{"timestamp":-1,"event":"update","content-state":{}}}'),
    ("liveactivity end with a content-state that is null", 8,
     b'{"aps":{"timestamp":1,"event":"end","content-state":null}}'),
]
SOUND_BY_TYPE = {push_type: payload for _, push_type, _, payload in reversed(SOUND_PAYLOADS)}


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
                    field, section="4.1")
    refuse("switch", "from a group to itself", "INVALID_ARGUMENT", "to", to="role/1")
    for message in ("subscribe", "unsubscribe"):
        for name, value in BAD_TOPICS if message == "subscribe" else BAD_TOPICS[:1]:
            refuse(message, f"with a topic {name}", "INVALID_ARGUMENT", "topics", 1, "9", topics=["level5", value])
        for name, value in BAD_NAMES if message == "subscribe" else BAD_NAMES[:1]:
            refuse(message, f"with a group {name}", "INVALID_ARGUMENT", "groups", 0, "8", groups=[value])
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


def tag(message: str, name: str, number: int, value: bytes, code: str, field: str, item: Optional[int] = None,
        section: str = "", file: str = "", **changes: Any) -> None:
    """Adds a sound request with one tagged field of these bytes."""
    payload = payload_of(message, **changes)
    bad_payload(message, f"with {name}", payload + b"\1" + crln.uvarint(number) + crln.uvarint(len(value)) + value,
                code, field, item, section, file)


def list_faults(message: str, number: int, field: str, item: bytes, most: int, least: int = 0, section: str = "",
                file: str = "", **changes: Any) -> None:
    """Adds faults of the form and the count of a list in a tag; `item` is a sound item."""
    def fault(name: str, value: bytes, code: str = "MALFORMED", index: Optional[int] = None) -> None:
        tag(message, f"{field} {name}", number, value, code, field, index, section, file, **changes)

    fault("of 0 bytes", b"")
    fault("of 3 bytes", b"\0\0\0")
    fault("with the largest count", b"\xff" * 4 + item)
    fault("that end within an item", b"\0\0\0\1" + item[:-1], index=0)
    fault("and a byte more", b"\0\0\0\1" + item + b"\0")
    fault(f"of {most + 1:,} items", (most + 1).to_bytes(4, "big") + item * (most + 1), "INVALID_ARGUMENT")
    if least:
        fault("of no items", bytes(4), "INVALID_ARGUMENT")


def flag_faults(message: str, number: int, field: str) -> None:
    for value, code in ((b"", "MALFORMED"), (b"\0\1", "MALFORMED"), (b"\2", "INVALID_ARGUMENT"),
                        (b"\xff", "INVALID_ARGUMENT")):
        tag(message, f"{field} of the bytes {value.hex() or 'none'}", number, value, code, field)


def attribute_faults(message: str) -> None:
    def fault(name: str, *attributes: Tuple[str, str], item: int = 0) -> None:
        value = crln.ATTRIBUTES.write([{"key": key, "value": value} for key, value in attributes])
        tag(message, f"an attribute {name}", 23, value, "INVALID_ARGUMENT", "attributes", item, "7.1", "memberships")

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
    tag(message, "a surrogate in an attribute", 23, b"\0\0\0\1\0\3\xed\xa0\x80\0\0", "MALFORMED", "attributes", 0,
        "4.1", "memberships")
    list_faults(message, 23, "attributes", crln.STR.write("k") + crln.STR.write(""), 16, section="7.1",
                file="memberships")


def body_faults(message: str, number: int, section: str, file: str, **changes: Any) -> None:
    def fault(name: str, code: str, item: int, *bodies: Tuple[str, bytes]) -> None:
        value = crln.BODIES.write([{"language": language, "payload": payload} for language, payload in bodies])
        tag(message, f"a body {name}", number, value, code, "bodies", item, section, file, **changes)

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
    list_faults(message, number, "bodies", crln.STR.write("de") + crln.BYTES.write(b"{}"), 64, 1, section, file,
                **changes)


def invalid_memberships() -> None:
    for number, field in ((19, "topics"), (21, "groups")):
        list_faults("register", number, field, crln.STR.write("a"), 64, section="7.1", file="memberships")
        for name, value in BAD_TOPICS if field == "topics" else BAD_NAMES:
            tag("register", f"one of {field} {name}", number, crln.GROUPS.write(["a", value]), "INVALID_ARGUMENT",
                field, 1, "9" if field == "topics" else "8", "memberships")
        tag("register", f"a U+0000 in {field}", number, crln.GROUPS.write(["a\0"]), "MALFORMED", field, 0, "4.1",
            "memberships")
    for message in ("register", "update_device"):
        attribute_faults(message)
    for name, locale in (("of one letter", "d"), ("of 36 bytes", "x" * 36)):
        refuse("update_device", f"with locale {name}", "INVALID_ARGUMENT", "locale", locale=locale)
    refuse("update_device", "with time_zone with a space", "INVALID_ARGUMENT", "time_zone", time_zone="a b")
    flag_faults("update_device", 25, "muted")
    flag_faults("update_group", 25, "muted")
    flag_faults("leave", 17, "clear_topics")
    flag_faults("send", 33, "dry_run")
    device_faults("update_device", "device")
    device_faults("memberships", "device")
    device_faults("switch", "device")
    for message in ("join", "leave"):
        refuse(message, "of no devices", "INVALID_ARGUMENT", "devices", devices=[])
        refuse(message, "of 1,001 devices", "INVALID_ARGUMENT", "devices", devices=[BY_ID] * 1001)
        device_faults(message, "devices")
    for message in ("join", "switch"):
        section = SOUND[message].section
        body_faults(message, 19, section, "groups")
        for name, payload in (("an empty announcement", b""), ("an announcement that is not an object", b"[]")):
            tag(message, name, 17, payload, "INVALID_ARGUMENT", "announcement")
        tag(message, "an announcement of 4,097 bytes", 17, b'{"a":"' + b"x" * 4089 + b'"}', "TOO_LARGE", "announcement")
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
                        field, section="4.1")


def invalid_audiences() -> None:
    def wrong(name: str, field: str, item: Optional[int] = None, **changes: Any) -> None:
        bad_payload("send", name, payload_of("send", **{"devices": [], **changes}), "INVALID_ARGUMENT", field, item,
                    file="audiences")

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
    list_faults("send", 23, "groups", crln.STR.write("a"), 1000, 1, "10.1", "audiences", audience=2, devices=[])
    for number, audience, field in ((25, 3, "topic"), (27, 4, "condition")):
        for name, value in NAMED_TEXT:
            tag("send", f"{name} in {field}", number, value, "MALFORMED", field, None, "4.1", "audiences",
                audience=audience, devices=[])
    body_faults("send", 29, "10.1", "audiences")
    wrong("to every device without payload and bodies", "payload", audience=5, payload=b"")
    wrong("with a payload that is not an object and bodies", "payload", audience=5, payload=b"[]", bodies=BODIES)
    bad_payload("send", "with a background body without content-available", payload_of(
        "send", push_type=2, payload=b'{"aps":{"content-available":1}}',
        bodies=[{"language": "de", "payload": b"{}"}]), "INVALID_ARGUMENT", "bodies", 0, "16.4", "audiences")
    for name, value, code in (
            ("nothing", b"", "MALFORMED"), ("form 3", b"\3" + bytes(8), "MALFORMED"),
            ("an id cut short", b"\2" + bytes(7), "MALFORMED"), ("a byte more", b"\2" + bytes(9), "MALFORMED"),
            ("an empty token", b"\1\1\1\0", "MALFORMED"), ("environment 3", b"\1\3\1\1t", "INVALID_ARGUMENT"),
            ("kind 0", b"\1\1\0\1t", "INVALID_ARGUMENT")):
        tag("send", f"except of {name}", 31, value, code, "except", None, "10.1", "audiences")

    def first(name: str, field: str, code: str = "INVALID_ARGUMENT", item: Optional[int] = None,
              **changes: Any) -> None:
        bad_payload("send", name, payload_of("send", **{"devices": [], **changes}), code, field, item, "15.1",
                    "audiences")

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
        bad_payload(message, "with an announcement too large and a body that is not an object", payload_of(
            message, announcement=b"x" * 4097, bodies=[{"language": "de", "payload": b"[]"}]), "INVALID_ARGUMENT",
            "bodies", 0, "15.1", "groups")
    for message in ("subscribe", "unsubscribe"):
        bad_payload(message, "for no devices and with a bad topic", payload_of(
            message, topics=["/"], devices=[], groups=[]), "INVALID_ARGUMENT", "topics", 0, "15.1", "topics")
        bad_payload(
            message, "of too many pairs and with a bad group",
            payload_of(message, topics=["t"] * 1000, groups=["g"] * 11 + ["/"]), "INVALID_ARGUMENT", "groups", 11,
            "15.1", "topics")


# A text, and the column that the error names. conditions.json has more.
BAD_CONDITIONS = [("empty", "", 1), ("of a name alone", "'level5'", 9), ("that ends after &&", "'a' in topics && ", 18),
                  ("of an open parenthesis", "('a' in topics", 15), ("in users", "'a' in users", 8)]


def invalid_conditions() -> None:
    for name, text, column in BAD_CONDITIONS:
        for message, payload in (("explain", payload_of("explain", condition=text)),
                                 ("send", payload_of("send", audience=4, devices=[], condition=text))):
            bad_payload(message, f"with a condition {name}", payload, "INVALID_ARGUMENT", "condition", file="audiences")
            invalid["audiences"][-1]["expect"]["column"] = column
    refuse("explain", "with a condition of 16,385 bytes", "INVALID_ARGUMENT", "condition", condition="!" * 16385)
    invalid["audiences"][-1]["expect"]["column"] = 16385


def number_faults(message: str, number: int, field: str, size: int, *refused: int, **changes: Any) -> None:
    """Adds faults of a number in a tag."""
    for length in sorted({0, size - 1, size + 1}):
        tag(message, f"{field} of {length} bytes", number, bytes(length), "MALFORMED", field, None, "", "messages",
            **changes)
    for value in refused:
        tag(message, f"{field} {value}", number, value.to_bytes(size, "big"), "INVALID_ARGUMENT", field, None, "",
            "messages", **changes)


def invalid_message_options() -> None:
    for name, text in (("of no bytes", ""), ("of version ff", "ff" + TRACE[2:]),
                       ("without a trace", TRACE[:3] + "0" * 32 + TRACE[35:]),
                       ("without a parent", TRACE[:36] + "0" * 16 + TRACE[52:]), ("in upper case", TRACE.upper()),
                       ("that is cut", TRACE[:54]), ("of version 00 with more", TRACE + "-00"),
                       ("of a later version with more that is not set apart", "01" + TRACE[2:] + "00"),
                       ("with a space", TRACE[:10] + " " + TRACE[11:])):
        tag("send", f"a traceparent {name}", 66, text.encode(),
            "INVALID_ARGUMENT", "traceparent", None, "10.1", "messages")
    for name, text in NAMED_TEXT:
        tag("send", f"{name} in traceparent", 66, text, "MALFORMED", "traceparent", None, "4.1", "messages")
    number_faults("send", 35, "send_at", 8)
    number_faults("send", 37, "pace", 4, 0)
    number_faults("send", 39, "over_budget", 1, 0, 3, 255)
    number_faults("update_message", 37, "pace", 4, 0)
    number_faults("messages", 17, "state", 1, 0, 6, 255)
    for message, number in (("send", 43), ("messages", 21)):
        for name, text in (("of no bytes", b""), ("of 101 bytes", b"l" * 101), ("with a line feed", b"a\nb"),
                           ("with an escape", b"\x1b[1m"), ("with a C1 control", "a\x85".encode())):
            tag(message, f"a label {name}", number, text, "INVALID_ARGUMENT", "label", None, "", "messages")
        for name, text in NAMED_TEXT:
            tag(message, f"{name} in label", number, text, "MALFORMED", "label", None, "4.1", "messages")
    for name, text in (("of no bytes", b""), ("of 256 bytes", b"s" * 256)):
        tag("messages", f"a sender {name}", 19, text, "INVALID_ARGUMENT", "sender", None, "", "messages")
    for name, text in NAMED_TEXT:
        tag("messages", f"{name} in sender", 19, text, "MALFORMED", "sender", None, "4.1", "messages")
    bad_payload("messages", "with a bad state and a bad label", payload_of("messages", state=9, label="\n"),
                "INVALID_ARGUMENT", "state", section="15.1", file="messages")

    def bad_key(name: str, key: str, code: str = "INVALID_ARGUMENT", field: str = "id_key", item: Optional[int] = None,
                section: str = "10.1", **changes: Any) -> None:
        bad_payload("send", f"with a key for its id {name}", payload_of("send", id_key=key, **changes), code, field,
                    item, section, "messages")

    for name, key in (("of no bytes", ""), ("of 65 bytes", "k" * 65), ("that is aps", "aps"), ("with a slash", "a/b"),
                      ("with a space", "a b"), ("with a quote", 'a"'), ("beyond ASCII", "ä")):
        bad_key(name, key)
    for name, text in NAMED_TEXT:
        tag("send", f"{name} in id_key", 41, text, "MALFORMED", "id_key", None, "4.1", "messages")
    long = b'{"a":"' + b"x" * (4096 - 8 - 27) + b'"}'
    bad_key("that stands in the payload", "id", payload=b'{"id":1}')
    bad_key("that stands in the payload, escaped", "id", payload=b'{"\\u0069d":1}')
    bad_key("that stands in a body", "id", bodies=[*BODIES, {"language": "fr", "payload": b'{"id":null}'}])
    bad_key("that has no room", "id", "TOO_LARGE", "payload", payload=long)
    bad_key("that has no room in a body", "id", "TOO_LARGE", "bodies", 1,
            bodies=[BODIES[0], {"language": "fr", "payload": long}])
    bad_key("that stands in a body and has no room in the payload", "id", section="15.1", payload=long,
            bodies=[{"language": "fr", "payload": b'{"id":1}'}])
    bad_key("that is wrong and a payload that is none", "a b", field="payload", section="15.1", payload=b"[]")
    bad_key("and a payload of 4,097 bytes that is not JSON", "id", "TOO_LARGE", "payload", section="15.1",
            payload=b"x" * 4097)
    bad_key("and an unknown push type", "id", field="push_type", section="15.1", push_type=12, payload=b'{"id":1}')
    for action in (0, 5, 255):
        refuse("update_message", f"with action {action}", "INVALID_ARGUMENT", "action", action=action)
    for action in (1, 2, 3):
        refuse("update_message", f"of action {action} with a pace", "INVALID_ARGUMENT", "pace", action=action, pace=5)
    refuse("update_message", "of an unknown action with a pace", "INVALID_ARGUMENT", "action", section="15.1", action=9,
           pace=5)
    for outcome in (0, 1):
        refuse("resend", f"with outcome {outcome}", "INVALID_ARGUMENT", "outcomes", 1, outcomes=[4, outcome])
    refuse("resend", "with 65 outcomes", "INVALID_ARGUMENT", "outcomes", outcomes=[4] * 65)
    largest_count("resend", "outcomes")
    device_faults("restore", "device")


def invalid_trace() -> None:
    for name, app in BAD_APPS:
        refuse("trace", f"with app {name}", "INVALID_ARGUMENT", "app", None, "7", app=app)
    device_faults("trace", "device")


def largest_count(message: str, field: str) -> None:
    """Adds a list whose count is more than the payload has."""
    rest = SOUND[message].fields
    head = b"".join(crln.FROM_CLIENT[message].fixed[name].write(rest[name])
                    for name in list(rest)[:list(rest).index(field)])
    bad_payload(message, f"with the largest count of {field}", head + b"\xff" * 4 + bytes(40), "MALFORMED", field,
                section="4.1")


def invalid_events() -> None:
    def wrong(case: str, field: str, item: Optional[int] = None, section: str = "", **changes: Any) -> None:
        bad_payload("subscribe_events", case, payload_of("subscribe_events", **changes), "INVALID_ARGUMENT", field,
                    item, section)

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
        bad_payload("subscribe_events", f"with {name} in name", len(text).to_bytes(2, "big") + text + rest,
                    "MALFORMED", "name", section="4.1")
        bad_payload("forget_subscriber", f"with {name} in name", len(text).to_bytes(2, "big") + text, "MALFORMED",
                    "name", section="4.1")
    for case, text in (("without a name", ""), ("with a name of 65 bytes", "ü" * 32 + "x")):
        bad_payload("forget_subscriber", case, payload_of("forget_subscriber", name=text), "INVALID_ARGUMENT", "name")


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
        bad_payload("send", name, crln.encode_payload(crln.FROM_CLIENT["send"], fields), code, field, None, "10.1",
                    "channels")

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
        refuse("receipts", f"of kind {kind}", "INVALID_ARGUMENT", "receipts", 1,
               receipts=[receipt(), receipt(kind=kind)])
        refuse("receipt_devices", f"of kind {kind}", "INVALID_ARGUMENT", "kind", kind=kind)
    for name, device in (("environment 3", {"environment": 3, "kind": 1, "token": b"t"}),
                         ("kind 0", {"environment": 1, "kind": 0, "token": b"t"})):
        refuse("receipts", f"of a device of {name}", "INVALID_ARGUMENT", "receipts", 0,
               receipts=[receipt(device={"token": device})])
    head = crln.STR.write(APP) + b"\0\0\0\1" + bytes(8)
    for name, device in (("form 3", b"\3" + bytes(8)), ("an empty token", b"\1\1\1\0\1\1\1\1\1")):
        bad_payload("receipts", f"of a device of {name}", head + device + b"\1", "MALFORMED", "receipts", 0, "4.1")


def invalid_statistics() -> None:
    for limit in (0, 1001, MAX32):
        refuse("statistics", f"with limit {limit}", "INVALID_ARGUMENT", "limit", limit=limit)
    for name in ("", "n" * 65):
        refuse("remove_node", f"with a node of {len(name)} bytes", "INVALID_ARGUMENT", "node", node=name)
    bad_payload("statistics", "with an unknown odd tag", payload_of("statistics") + b"\1\x11\0", "UNSUPPORTED_FIELD",
                section="4.2")
    bad_payload("statistics", "with a short deadline and limit 0", payload_of("statistics", limit=0) + b"\1\2\1x",
                "MALFORMED", "deadline_ms", section="15.1")


def invalid_payloads() -> None:
    def faulty(name: str, code: str, field: str, section: str, **changes: Any) -> None:
        bad_payload("send", f"with {name}", payload_of("send", **changes), code, field, section=section,
                    file="payloads")

    for name, push_type, payload in FAULTY_PAYLOADS:
        faulty(name, "INVALID_ARGUMENT", "payload", "10.1" if push_type == 1 else "16.4", push_type=push_type,
               payload=payload)
    for name, push_type, payload in FAULTY_KEYS:
        faulty(name, "INVALID_ARGUMENT", "payload", "16.4", push_type=push_type, payload=payload)
    for name, push_type, size in (("4,097 bytes", 1, 4097), ("voip of 5,121 bytes", 4, 5121),
                                  ("mdm of 4,097 bytes", 7, 4097)):
        faulty(name, "TOO_LARGE", "payload", "10.1", push_type=push_type, payload=b'{"a":"' + b"x" * (size - 8) + b'"}')
    faulty("4,097 bytes that are no JSON", "TOO_LARGE", "payload", "10.1", payload=b"x" * 4097)
    for push_type, priority in ((2, 10), (3, 1), (4, 5), (4, 1), (8, 1), (9, 5), (9, 1)):
        faulty(f"{crln.PUSH_TYPES[push_type]} of priority {priority}", "INVALID_ARGUMENT", "priority", "16.4",
               push_type=push_type, priority=priority, payload=SOUND_BY_TYPE[push_type])
    for expiration in (1, MAX64):
        faulty(f"pushtotalk with expiration {expiration}", "INVALID_ARGUMENT", "expiration", "16.4", push_type=9,
               payload=b"{}", expiration=expiration)


def invalid_precedence() -> None:
    def first(message: str, name: str, payload: bytes, code: str, field: Optional[str] = None,
              item: Optional[int] = None) -> None:
        bad_payload(message, name, payload, code, field, item, section="15.1", file="precedence")

    first("register", "with app empty and a section cut short", payload_of("register", app="") + b"\1", "MALFORMED")
    first("register", "with app empty and an unknown odd tag", payload_of("register", app="") + b"\1\x1b\0",
          "UNSUPPORTED_FIELD")
    first("register", "with a bad locale and an unknown odd tag", payload_of("register") + b"\2\x12\1\xff\x1b\0",
          "MALFORMED", "locale")
    first("register", "with two bad values of tags", payload_of("register") + b"\2\x11\0\x12\1\xff", "MALFORMED",
          "replaces")
    first("register", "with a bad tag value and a section cut short", payload_of("register") + b"\2\x11\0\x12\5de",
          "MALFORMED")
    first("register", "with app, environment and kind wrong", payload_of("register", app="", environment=0, kind=0),
          "INVALID_ARGUMENT", "app")
    first("register", "with environment and locale wrong", payload_of("register", environment=9, locale="x"),
          "INVALID_ARGUMENT", "environment")
    first("register", "with locale and time_zone wrong", payload_of("register", locale="x", time_zone=" "),
          "INVALID_ARGUMENT", "locale")
    first("register", "with environment wrong and an empty token",
          crln.STR.write(APP) + b"\0\1\0" + bytes(8), "MALFORMED", "token")
    first("unregister", "with app empty and an unknown device form", b"\0\0\3" + bytes(16), "MALFORMED", "device")
    first("send", "with push_type and priority wrong", payload_of("send", push_type=0, priority=3), "INVALID_ARGUMENT",
          "push_type")
    first("send", "with priority and devices wrong", payload_of("send", priority=3, devices=[]), "INVALID_ARGUMENT",
          "priority")
    two_wrong = [BY_ID, {"token": {"environment": 0, "kind": 1, "token": b"t"}},
                 {"token": {"environment": 1, "kind": 0, "token": b"t"}}]
    first("send", "with two devices wrong", payload_of("send", devices=two_wrong), "INVALID_ARGUMENT", "devices", 1)
    first("send", "with devices and payload wrong", payload_of("send", devices=[], payload=b"x"), "INVALID_ARGUMENT",
          "devices")
    first("send", "with payload and lane wrong", payload_of("send", payload=b"x", lane=0), "INVALID_ARGUMENT",
          "payload")
    first("send", "with payload too large and lane wrong", payload_of("send", payload=b"x" * 4097, lane=0),
          "INVALID_ARGUMENT", "lane")
    first("send", "with collapse_id and lane wrong", payload_of("send", collapse_id="", lane=0), "INVALID_ARGUMENT",
          "collapse_id")
    first("send", "with payload too large and an unknown odd tag",
          payload_of("send", payload=b"x" * 4097) + b"\1\x7f\0",
          "UNSUPPORTED_FIELD")
    first("auth", "with method and credential wrong", payload_of("auth", method=0, credential=b""), "INVALID_ARGUMENT",
          "method")
    first("hello", "with software and receive_limit wrong", payload_of("hello", software="", receive_limit=1),
          "INVALID_ARGUMENT", "software")


# ---------------------------------------------------------------------------------------------- payloads of fields

UPDATE: Dict[str, Any] = {"timestamp": 1_790_000_000, "event": "update", "content_state": {"home": 2, "away": 1}}
START: Dict[str, Any] = {"timestamp": 1_790_000_000, "event": "start", "content_state": {}, "attributes_type": "Match",
                         "attributes": {"id": "m1"}}
END: Dict[str, Any] = {"timestamp": 1_790_000_000, "event": "end"}
SCORE = '"content-state":{"away":1,"home":2}'
BEGUN = '"attributes":{"id":"m1"},"attributes-type":"Match","content-state":{},"event":"start"'

# Name, fields, JSON; then the push type if it is not alert.
COMPOSED: List[Tuple[Any, ...]] = [
    ("nothing", {}, "{}"),
    ("a body alone", {"body": "Hi"}, '{"aps":{"alert":"Hi"}}'),
    ("an empty body", {"body": ""}, '{"aps":{"alert":""}}'),
    ("a title alone", {"title": "Hi"}, '{"aps":{"alert":{"title":"Hi"}}}'),
    ("title, subtitle and body", {"title": "a", "subtitle": "b", "body": "c"},
     '{"aps":{"alert":{"body":"c","subtitle":"b","title":"a"}}}'),
    ("a body and a launch image", {"body": "c", "launch_image": "raid.png"},
     '{"aps":{"alert":{"body":"c","launch-image":"raid.png"}}}'),
    ("a launch image alone", {"launch_image": "raid.png"}, '{"aps":{"alert":{"launch-image":"raid.png"}}}'),
    ("a localised title", {"title": {"loc_key": "RAID"}}, '{"aps":{"alert":{"title-loc-key":"RAID"}}}'),
    ("a localised subtitle", {"subtitle": {"loc_key": "S", "loc_args": ["1"]}},
     '{"aps":{"alert":{"subtitle-loc-args":["1"],"subtitle-loc-key":"S"}}}'),
    ("a localised body", {"body": {"loc_key": "B", "loc_args": ["Ada", "21:00"]}},
     '{"aps":{"alert":{"loc-args":["Ada","21:00"],"loc-key":"B"}}}'),
    ("all texts localised, one plain", {"title": {"loc_key": "T", "loc_args": ["x"]}, "subtitle": "s",
                                        "body": {"loc_key": "B"}},
     '{"aps":{"alert":{"loc-key":"B","subtitle":"s","title-loc-args":["x"],"title-loc-key":"T"}}}'),
    ("a badge", {"badge": 3}, '{"aps":{"badge":3}}'),
    ("a badge of 0", {"badge": 0}, '{"aps":{"badge":0}}'),
    ("a sound", {"sound": "horn.caf"}, '{"aps":{"sound":"horn.caf"}}'),
    ("the system's sound", {"body": "Hi", "sound": "default"}, '{"aps":{"alert":"Hi","sound":"default"}}'),
    ("a critical sound", {"sound": {"name": "siren.caf", "volume": 0.8}},
     '{"aps":{"sound":{"critical":1,"name":"siren.caf","volume":0.8}}}'),
    ("a critical sound of the device's volume", {"sound": {"name": "default"}},
     '{"aps":{"sound":{"critical":1,"name":"default"}}}'),
    ("a critical sound of full volume", {"sound": {"name": "default", "volume": 1.0}},
     '{"aps":{"sound":{"critical":1,"name":"default","volume":1}}}'),
    ("a critical sound of no volume", {"sound": {"name": "default", "volume": 0}},
     '{"aps":{"sound":{"critical":1,"name":"default","volume":0}}}'),
    ("thread and category", {"thread_id": "guild/77", "category": "INVITE"},
     '{"aps":{"category":"INVITE","thread-id":"guild/77"}}'),
    ("a mutable notification", {"body": "x", "mutable_content": True}, '{"aps":{"alert":"x","mutable-content":1}}'),
    ("an alert that wakes the app too", {"body": "x", "content_available": True},
     '{"aps":{"alert":"x","content-available":1}}'),
    ("flags that are not set", {"content_available": False, "mutable_content": False, "content_changed": False}, "{}"),
    ("passive", {"interruption_level": "passive"}, '{"aps":{"interruption-level":"passive"}}'),
    ("active", {"interruption_level": "active"}, '{"aps":{"interruption-level":"active"}}'),
    ("time-sensitive", {"interruption_level": "time-sensitive"}, '{"aps":{"interruption-level":"time-sensitive"}}'),
    ("critical", {"interruption_level": "critical"}, '{"aps":{"interruption-level":"critical"}}'),
    ("relevance", {"relevance_score": 0.1}, '{"aps":{"relevance-score":0.1}}'),
    ("the least relevance", {"relevance_score": 0.0}, '{"aps":{"relevance-score":0}}'),
    ("a target window", {"target_content_id": "chat"}, '{"aps":{"target-content-id":"chat"}}'),
    ("filter criteria", {"filter_criteria": "work"}, '{"aps":{"filter-criteria":"work"}}'),
    ("arguments of a URL", {"url_args": ["boarding", "A998"]}, '{"aps":{"url-args":["boarding","A998"]}}'),
    ("no arguments of a URL", {"url_args": []}, '{"aps":{"url-args":[]}}'),
    ("data", {"data": {"type": 7, "content": "x", "showMode": None}}, '{"content":"x","showMode":null,"type":7}'),
    ("data beside an alert", {"body": "Hi", "data": {"z": True, "a": False}},
     '{"a":false,"aps":{"alert":"Hi"},"z":true}'),
    ("data within data", {"data": {"o": {"b": [], "a": {}}, "l": [1, [2, {"k": "v"}], None]}},
     '{"l":[1,[2,{"k":"v"}],null],"o":{"a":{},"b":[]}}'),
    ("the names of APNs within data", {"data": {"mdm": "x", "o": {"aps": 1}}}, '{"mdm":"x","o":{"aps":1}}'),
    ("capitals before small letters", {"data": {"b": 1, "a": 1, "B": 1, "": 1, "aa": 1, "é": 1, "10": 1, "9": 1}},
     '{"":1,"10":1,"9":1,"B":1,"a":1,"aa":1,"b":1,"é":1}'),
    # U+1F514 is written with surrogates in UTF-16, which are smaller than U+FF21.
    ("names by their UTF-16 code units", {"data": {"\uff21": 1, "🔔": 2, "漢": 3}}, '{"漢":3,"🔔":2,"\uff21":1}'),
    ("letters beyond ASCII", {"body": "Glöckchen 🔔 公會戰"}, '{"aps":{"alert":"Glöckchen 🔔 公會戰"}}'),
    ("what must be escaped", {"body": "\"\\/\b\f\n\r\t\0\x1f\x7f\u2028"},
     '{"aps":{"alert":"\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\x7f\u2028"}}'),
    ("an escaped name", {"data": {'"\n': 1}}, '{"\\"\\n":1}'),
    ("whole numbers of 64 bits", {"data": {"n": [0, -1, 2**53 + 1, 2**63 - 1, -2**63]}},
     '{"n":[0,-1,9007199254740993,9223372036854775807,-9223372036854775808]}'),
    ("whole numbers beyond 64 bits", {"data": {"n": [2**63, 10**20, 10**21]}},
     '{"n":[9223372036854776000,100000000000000000000,1e+21]}'),
    ("whole numbers with a fraction", {"data": {"n": [1.0, -0.0, 100.0, 1e15, 123456789012345680000.0]}},
     '{"n":[1,0,100,1000000000000000,123456789012345680000]}'),
    ("fractions", {"data": {"n": [0.5, -1.5, 0.1, 3.141592653589793, 0.000001, 123.456, 100.25]}},
     '{"n":[0.5,-1.5,0.1,3.141592653589793,0.000001,123.456,100.25]}'),
    ("exponents", {"data": {"n": [1e-7, 1.5e-9, 1.25e25, -1e300, 5e-324, 1.7976931348623157e308]}},
     '{"n":[1e-7,1.5e-9,1.25e+25,-1e+300,5e-324,1.7976931348623157e+308]}'),
    ("a silent push", {"content_available": True, "data": {"sync": "inventory"}},
     '{"aps":{"content-available":1},"sync":"inventory"}', "background"),
    ("a call", {"data": {"caller": "Ada"}}, '{"caller":"Ada"}', "voip"),
    ("a File Provider's change", {"data": {"domain": "d", "container-identifier": "c"}},
     '{"container-identifier":"c","domain":"d"}', "fileprovider"),
    ("a managed device", {"mdm": "magic"}, '{"mdm":"magic"}', "mdm"),
    ("widgets", {"content_changed": True}, '{"aps":{"content-changed":true}}', "widgets"),
    ("controls", {"content_changed": True}, '{"aps":{"content-changed":true}}', "controls"),
    ("an update of a Live Activity", {"live_activity": UPDATE},
     '{"aps":{%s,"event":"update","timestamp":1790000000}}' % SCORE, "liveactivity"),
    ("an update with every field", {
        "title": {"loc_key": "GOAL", "loc_args": ["Ada"]}, "subtitle": "s", "body": {"loc_key": "B"},
        "sound": "chime.aiff", "relevance_score": 75, "live_activity": {**UPDATE, "stale_date": 1_790_000_600,
                                                                        "dismissal_date": 0}},
     '{"aps":{"alert":{"body":{"loc-key":"B"},"sound":"chime.aiff","subtitle":"s","title":{"loc-args":["Ada"],'
     '"loc-key":"GOAL"}},%s,"dismissal-date":0,"event":"update","relevance-score":75,"stale-date":1790000600,'
     '"timestamp":1790000000}}' % SCORE, "liveactivity"),
    ("a Live Activity's body alone", {"body": "Goal!", "live_activity": UPDATE},
     '{"aps":{"alert":{"body":"Goal!"},%s,"event":"update","timestamp":1790000000}}' % SCORE, "liveactivity"),
    ("a Live Activity's critical sound", {"body": "Goal!", "sound": {"name": "default"}, "live_activity": UPDATE},
     '{"aps":{"alert":{"body":"Goal!","sound":{"critical":1,"name":"default"}},%s,"event":"update",'
     '"timestamp":1790000000}}' % SCORE, "liveactivity"),
    ("the start of a Live Activity", {"title": "Kick-off", "live_activity": START},
     '{"aps":{"alert":{"title":"Kick-off"},%s,"timestamp":1790000000}}' % BEGUN, "liveactivity"),
    ("a start with updates by a channel", {"title": "t", "live_activity": {**START, "input_push_channel": "dHN0"}},
     '{"aps":{"alert":{"title":"t"},%s,"input-push-channel":"dHN0","timestamp":1790000000}}' % BEGUN, "liveactivity"),
    ("a start with updates by a token", {"title": "t", "live_activity": {**START, "input_push_token": True}},
     '{"aps":{"alert":{"title":"t"},%s,"input-push-token":1,"timestamp":1790000000}}' % BEGUN, "liveactivity"),
    ("the end of a Live Activity", {"live_activity": END}, '{"aps":{"event":"end","timestamp":1790000000}}',
     "liveactivity"),
    ("the end with a last state", {"live_activity": {**END, "content_state": {"over": True},
                                                     "dismissal_date": 1_790_000_060}},
     '{"aps":{"content-state":{"over":true},"dismissal-date":1790000060,"event":"end","timestamp":1790000000}}',
     "liveactivity"),
    ("everything of an alert", {
        "title": "t", "subtitle": "s", "body": "b", "launch_image": "l", "badge": 1, "sound": "n", "thread_id": "th",
        "category": "c", "content_available": True, "mutable_content": True, "interruption_level": "active",
        "relevance_score": 1, "target_content_id": "w", "filter_criteria": "f", "content_changed": True,
        "url_args": ["u"], "mdm": "m", "data": {"d": 1}},
     '{"aps":{"alert":{"body":"b","launch-image":"l","subtitle":"s","title":"t"},"badge":1,"category":"c",'
     '"content-available":1,"content-changed":true,"filter-criteria":"f","interruption-level":"active",'
     '"mutable-content":1,"relevance-score":1,"sound":"n","target-content-id":"w","thread-id":"th","url-args":["u"]},'
     '"d":1,"mdm":"m"}'),
]
# Name, fields, the field at fault; then the push type if it is not alert.
REFUSED: List[Tuple[Any, ...]] = [
    ("data named aps", {"data": {"aps": {}}}, "data.aps"),
    ("data named mdm beside mdm", {"mdm": "m", "data": {"mdm": "n"}}, "data.mdm"),
    ("a negative badge", {"badge": -1}, "payload.aps.badge"),
    ("a volume above 1", {"sound": {"name": "a", "volume": 1.5}}, "payload.aps.sound.volume"),
    ("a relevance above 1", {"relevance_score": 2}, "payload.aps.relevance-score"),
    ("a silent push that does not wake the app", {"data": {"x": 1}}, "payload.aps.content-available", "background"),
    ("a silent push with a body", {"body": "x", "content_available": True}, "payload.aps.alert", "background"),
    ("a body for a File Provider", {"body": "x"}, "payload.aps", "fileprovider"),
    ("a managed device without its magic", {}, "payload.mdm", "mdm"),
    ("widgets without a change", {"body": "x"}, "payload.aps.content-changed", "widgets"),
    ("a Live Activity that says nothing", {"body": "x"}, "payload.aps.timestamp", "liveactivity"),
    ("an update without a state", {"live_activity": {"timestamp": 1, "event": "update"}}, "payload.aps.content-state",
     "liveactivity"),
    ("a start without an alert", {"live_activity": START}, "payload.aps.alert", "liveactivity"),
    ("a Live Activity's sound without an alert", {"sound": "a", "live_activity": UPDATE}, "payload.aps.sound",
     "liveactivity"),
    ("a Live Activity's launch image", {"body": "b", "launch_image": "a", "live_activity": UPDATE},
     "payload.aps.alert.launch-image", "liveactivity"),
    ("a body too long", {"body": "x" * 4_080}, "payload"),
]
# Name, the path in `data`, the value there that JSON cannot contain, and the field at fault, or the payload.
SPECIAL: List[Tuple[str, List[Any], str, str]] = [
    ("a number that is none", ["x"], "nan", "payload.x"),
    ("a number without end", ["x", "y"], "infinity", "payload.x.y"),
    ("a negative number without end in a list", ["x", "y", 0], "-infinity", "payload.x.y"),
    ("a lone surrogate", ["x"], "lone-surrogate", "payload.x"),
    ("a lone surrogate in a list of an object", ["x", 0, "y"], "lone-surrogate", "payload.x.y"),
    ("a name with a lone surrogate", ["x"], "lone-surrogate-name", "payload.x"),
    ("31 levels of lists", ["x"], "nested-31", '{"x":' + "[" * 31 + "]" * 31 + "}"),
    ("32 levels of lists", ["x"], "nested-32", "payload.x"),
    ("32 levels, of which one is an object", ["x", "y"], "nested-31", "payload.x.y"),
]
RAID = {"title": "Raid", "body": "at nine", "badge": 1, "data": {"raid": 77}}
# Name, fields, translations, default payload, bodies.
TRANSLATED: List[Tuple[Any, ...]] = [
    ("two languages and a default", RAID, {
        "zh-Hant": {"title": "公會戰", "body": "今晚九點"}, "de": {"title": "Überfall", "body": "um neun"}},
     '{"aps":{"alert":{"body":"at nine","title":"Raid"},"badge":1},"raid":77}',
     [("de", '{"aps":{"alert":{"body":"um neun","title":"Überfall"},"badge":1},"raid":77}'),
      ("zh-Hant", '{"aps":{"alert":{"body":"今晚九點","title":"公會戰"},"badge":1},"raid":77}')]),
    ("what a translation leaves out", RAID, {"de": {"body": "um neun"}},
     '{"aps":{"alert":{"body":"at nine","title":"Raid"},"badge":1},"raid":77}',
     [("de", '{"aps":{"alert":{"body":"um neun","title":"Raid"},"badge":1},"raid":77}')]),
    ("languages without a default", {"badge": 1}, {"en": {"body": "Hi"}, "DE": {"body": "Hallo"}, "fr": {"title": "S"}},
     None,
     [("DE", '{"aps":{"alert":"Hallo","badge":1}}'), ("en", '{"aps":{"alert":"Hi","badge":1}}'),
      ("fr", '{"aps":{"alert":{"title":"S"},"badge":1}}')]),
    ("no languages", {"body": "Hi"}, {}, '{"aps":{"alert":"Hi"}}', []),
]
# Name, fields, translations, the field at fault.
UNTRANSLATABLE: List[Tuple[Any, ...]] = [
    ("a language that is none", RAID, {"de_AT": {"body": "x"}}, "bodies.de_AT"),
    ("a language twice", RAID, {"de": {"body": "x"}, "DE": {"body": "y"}}, "bodies.de"),
    ("a translation too long", RAID, {"de": {"body": "x"}, "fr": {"body": "x" * 4_080}}, "bodies.fr"),
]


def payload_rows() -> List[Dict[str, Any]]:
    """Returns the rows of payloads.json."""
    rows: List[Dict[str, Any]] = []
    for result, table in (("payload", COMPOSED), ("fault", REFUSED)):
        for name, fields, expected, *push_type in table:
            rows.append({"name": name, "push_type": (push_type or ["alert"])[0], "fields": fields, result: expected})
    for name, path, value, expected in SPECIAL:
        rows.append({"name": name, "push_type": "alert", "fields": {}, "special": {"path": path, "value": value},
                     "payload" if expected.startswith("{") else "fault": expected})
    for name, fields, translations, payload, bodies in TRANSLATED:
        rows.append({"name": name, "push_type": "alert", "fields": fields, "translations": translations,
                     "default": payload is not None, "payload": payload, "bodies": bodies})
    for name, fields, translations, fault in UNTRANSLATABLE:
        rows.append({"name": name, "push_type": "alert", "fields": fields, "translations": translations,
                     "default": True, "fault": fault})
    return rows


# ---------------------------------------------------------------------------------------------- session, files

class Session:
    """A session of sessions/*.json, built step by step; it begins with the prefaces, HELLO and AUTH."""

    def __init__(self) -> None:
        self.steps: List[Dict[str, str]] = []
        self.step("client", crln.client_preface(), "preface, versions 1 to 1")
        self.step("server", bytes.fromhex("c343524c4e0d0a1a0100000000000000"), "preface, version 1")
        self.exchange("hello", 1, HELLO, hello_fields(), "AUTH must follow")
        self.exchange("auth", 2, AUTH, {"principal": "game-backend", "grants": [{"app": APP, "roles": 7}]},
                      "register, send and observe for one app")

    def step(self, sender: str, data: bytes, note: str) -> None:
        self.steps.append({"from": sender, "hex": data.hex(), "note": note})

    def exchange(self, message: str, id: int, asked: Dict[str, Any], answered: Dict[str, Any], note: str) -> None:
        self.step("client", crln.encode("client", message, asked, id), f"{message.upper()}, id {id}")
        self.step("server", crln.encode("server", message, answered, id), note)

    def event(self, id: int, note: str, sequence: int, kind: int, **tags: Any) -> None:
        fields = {"sequence": sequence, "at": SEEN, "kind": kind, **tags}
        self.step("server", crln.encode("server", "event", fields, id), note)


def first_push() -> Dict[str, Any]:
    session = Session()
    session.exchange("register", 3, register_fields(), {"device_id": 42, "result": 1}, "created as device 42")
    session.exchange("send", 4, send_fields(), {"message_id": 7, "duplicate": 0, "total": 1, "ended": 0},
                     "message 7, one device")
    session.exchange("message_status", 5, {"app": APP, "message_id": 7}, {
        "state": 3, "accepted_at": SEEN + 100, "finished_at": SEEN + 250, "total": 1,
        "outcomes": [{"outcome": 1, "devices": 1}]}, "finished: one delivered")
    return {"name": "first push", "steps": session.steps}


def events() -> Dict[str, Any]:
    session = Session()
    session.exchange("subscribe_events", 3, subscribe_fields(kinds=[], credit=2), {"after": 10},
                     "ops had acknowledged up to 10")
    session.event(3, "11 to 37 are gone: a gap is said", 37, 0, missed_from=11, missed_to=38)
    session.event(3, "a delivery has failed; the credit is spent", 41, 2, app=APP, message_id=7, device_id=42,
                  outcome=4)
    session.exchange("event_credit", 4, {"subscription": 3, "credit": 4, "ack": 41}, {}, "41 is done with, durably")
    session.event(3, "the message has finished", 43, 1, app=APP, message_id=7, count=1)
    session.exchange("unsubscribe_events", 5, {"subscription": 3}, {}, "no more events; ops begins after 41 again")
    return {"name": "events", "steps": session.steps}


def files() -> Dict[pathlib.Path, str]:
    write_valid()
    write_invalid()
    unknown = set(LIMIT_OF) - {case["name"] for cases in invalid.values() for case in cases}
    if unknown:
        sys.exit(f"LIMITS names cases that there are not: {sorted(unknown)}")
    out = {HERE / "sessions" / f"{file}.json": json.dumps(session, indent=2, ensure_ascii=False) + "\n"
           for file, session in (("first-push", first_push()), ("events", events()))}
    tables: Dict[pathlib.Path, List[Case]] = {HERE / "payloads.json": payload_rows()}
    for folder, cases in (("valid", valid), ("invalid", invalid)):
        tables.update({HERE / folder / f"{file}.json": entries for file, entries in cases.items()})
    for path, entries in tables.items():
        lines = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in entries)
        out[path] = f"[\n{lines}\n]\n"
    return out


WRITTEN_BY_HAND = {"conditions.json"}


def main() -> int:
    wanted = files()
    present = {path for folder in (".", "valid", "invalid", "sessions") for path in (HERE / folder).glob("*.json")
               if path.name not in WRITTEN_BY_HAND}
    if "--check" in sys.argv[1:]:
        wrong = [path for path in sorted(present | set(wanted))
                 if path not in present or path.read_text("utf-8") != wanted.get(path)]
        for path in wrong:
            print(f"differs: {path.relative_to(HERE)}")
        return 1 if wrong else 0
    for path, text in wanted.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    for path in present - set(wanted):
        path.unlink()
    print(f"{sum(map(len, valid.values()))} valid, {sum(map(len, invalid.values()))} invalid")
    return 0


if __name__ == "__main__":
    sys.exit(main())
