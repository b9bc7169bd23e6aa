"""Valid frames about devices."""
from typing import Any

import crln
from cases.samples import (APP, ATTRIBUTES, BODIES, BROWSER_SUBSCRIPTION, BY_ID, BY_TOKEN, DIGEST, FCM, FID, LONG_NAME,
                           MANY_ATTRIBUTES, MAX32, MAX64, NAME_ALPHABET, OTHER, SEEN, TOKEN, TOKENS,
                           browser_subscription, lookup_fields, register_fields, send_fields)
from cases.valid_cases import decoded, device_pages, frame


def valid_devices() -> None:
    def register(name: str, id: int = 3, section: str = "7.1", **options: Any) -> None:
        keep = {key: options.pop(key) for key in ("unknown", "raw") if key in options}
        frame("devices", name, section=section, sender="client", message="register", fields=register_fields(**options),
              id=id, **keep)

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
        frame("devices", name, section="7.1", sender="server", message="register",
              fields={"device_id": device_id, "result": result}, **options)

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
        frame("devices", f"REGISTER_BATCH {name}", section="7.2", sender="client", message="register_batch",
              fields={"items": items})
    frame("devices", "REGISTER_BATCH with a deadline", section="7.2", sender="client", message="register_batch",
          fields={"items": [plain], "deadline_ms": 100})
    frame("devices", "REGISTER_BATCH answered", section="7.2", sender="server", message="register_batch",
          fields={"results": [{"code": 0, "device_id": 42, "result": 1}]})
    frame("devices", "REGISTER_BATCH answered, some refused", section="7.2", sender="server", message="register_batch",
          fields={"results": [{"code": 0, "device_id": 42, "result": 2}, {"code": 1, "device_id": 0, "result": 0},
                              {"code": 12, "device_id": 0, "result": 0}, {"code": 0, "device_id": 43, "result": 3}]})

    for title, device in (("by token", BY_TOKEN), ("by id", BY_ID), ("by the largest number", {"id": MAX64}),
                          ("by id 0, which is unknown", {"id": 0}),
                          ("by a token of 255 bytes", {"token": {"environment": 2, "kind": 10, "token": b"\1" * 255}}),
                          ("by a token of FCM", {"token": {"environment": 1, "kind": 11, "token": FCM}}),
                          ("by an installation id", {"token": {"environment": 1, "kind": 12, "token": FID}})):
        frame("devices", f"UNREGISTER {title}", section="7.3", sender="client", message="unregister",
              fields={"app": APP, "device": device, "at": SEEN})
        frame("devices", f"LOOKUP {title}", section="7.4", sender="client", message="lookup",
              fields={"app": APP, "device": device})
    frame("devices", "LOOKUP with a deadline", section="7.4", sender="client", message="lookup",
          fields={"app": APP, "device": BY_ID, "deadline_ms": 9})
    frame("devices", "UNREGISTER now", section="7.3", sender="client", message="unregister",
          fields={"app": APP, "device": BY_ID, "at": 0})
    frame("devices", "UNREGISTER at the largest time", section="7.3", sender="client", message="unregister",
          fields={"app": APP, "device": BY_ID, "at": MAX64, "deadline_ms": 1})
    frame("devices", "UNREGISTER answered: removed", section="7.3", sender="server", message="unregister",
          fields={"device_id": 42, "result": 1})
    frame("devices", "UNREGISTER answered: was not registered", section="7.3", sender="server", message="unregister",
          fields={"device_id": 0, "result": 2})

    def found(name: str, **options: Any) -> None:
        unknown = options.pop("unknown", [])
        frame("devices", name, section="7.4", sender="server", message="lookup", fields=lookup_fields(**options),
              unknown=unknown)

    found("LOOKUP answered")
    found("LOOKUP answered: quarantined", state=2, environment=2, kind=8)
    found("LOOKUP answered with a locale", locale="de-AT")
    found("LOOKUP answered with a time zone", time_zone="Europe/Vienna")
    found("LOOKUP answered with both", locale="de-AT", time_zone="Europe/Vienna")
    found("LOOKUP answered with tags of a later version", locale="fr", unknown=[(17, b"\0"), (19, b""), (30, b"x")])


def valid_memberships() -> None:
    def register(name: str, **options: Any) -> None:
        frame("memberships", f"REGISTER {name}", section="7.1", sender="client", message="register",
              fields=register_fields(**options))

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
    decoded("memberships", "REGISTER with a topic in FCM's form", section="9", message="register",
            fields=register_fields(topics=["level5"]),
            payload=crln.encode_payload(crln.FROM_CLIENT["register"], register_fields())
            + bytes.fromhex("01 13 14 00000001") + crln.STR.write("/topics/level5"))
    plain = crln.encode_payload(crln.FROM_CLIENT["register"], register_fields(groups=["user/42"]))
    frame("memberships", "REGISTER_BATCH of an item with groups", section="7.2", sender="client",
          message="register_batch", fields={"items": [plain]})

    def found(name: str, **options: Any) -> None:
        frame("memberships", f"LOOKUP answered {name}", section="7.4", sender="server", message="lookup",
              fields=lookup_fields(**options))

    found("with attributes", attributes=ATTRIBUTES)
    found("with 16 attributes", attributes=MANY_ATTRIBUTES)
    found("muted", muted=1)
    found("with every tag", locale="de", time_zone="Z", attributes=ATTRIBUTES, muted=1)

    def update(name: str, **options: Any) -> None:
        frame("memberships", f"UPDATE_DEVICE {name}", section="7.5", sender="client", message="update_device",
              fields={"app": APP, "device": BY_ID, **options})

    update("of nothing")
    update("by token", device=BY_TOKEN, locale="fr")
    update("that forgets locale and time zone", locale="", time_zone="")
    update("of attributes", attributes=ATTRIBUTES)
    update("that mutes", muted=1)
    update("that unmutes", muted=0)
    update("with every tag", locale="zh-Hant-TW", time_zone="Asia/Taipei", attributes=ATTRIBUTES, muted=1,
           deadline_ms=5)
    frame("memberships", "UPDATE_DEVICE answered", section="7.5", sender="server", message="update_device",
          fields={"device_id": 42})
    frame("memberships", "UPDATE_DEVICE answered with a tag of a later version", section="7.5", sender="server",
          message="update_device", fields={"device_id": 2**52 - 1}, unknown=[(17, b"\1")])

    def ask(name: str, **options: Any) -> None:
        frame("memberships", f"MEMBERSHIPS {name}", section="7.6", sender="client", message="memberships",
              fields={"app": APP, "device": BY_ID, "after": "", "limit": 1000, **options})

    ask("from the start")
    ask("by token", device=BY_TOKEN, limit=1)
    ask("after a topic", after="level5", deadline_ms=5)
    ask("after 200 bytes", after=LONG_NAME)

    def memberships(name: str, **options: Any) -> None:
        frame("memberships", f"MEMBERSHIPS answered: {name}", section="7.6", sender="server", message="memberships",
              fields={"device_id": 42, "muted": 0, "groups": [], "topics": [], "next": "", **options})

    memberships("nothing")
    memberships("muted itself", muted=1)
    memberships("muted by a group", muted=2, groups=[{"group": "role/9001", "muted": 0},
                                                     {"group": "user/42", "muted": 1}])
    memberships("both", muted=3, groups=[{"group": "user/42", "muted": 1}])
    memberships("topics and their sources", groups=[{"group": "user/42", "muted": 0}], topics=[
        {"topic": "guild/77", "source": "user/42"}, {"topic": "level5", "source": ""},
        {"topic": "level5", "source": "user/42"}], next="level5")


def valid_quarantine() -> None:
    def restore(name: str, **options: Any) -> None:
        frame("quarantine", f"RESTORE {name}", section="7.7", sender="client", message="restore",
              fields={"app": APP, "device": BY_ID, **options})

    restore("by id")
    restore("by token", device=BY_TOKEN, deadline_ms=5)
    frame("quarantine", "RESTORE answered", section="7.7", sender="server", message="restore", fields={"device_id": 42})
    frame("quarantine", "RESTORE answered with a tag of a later version", section="7.7", sender="server",
          message="restore", fields={"device_id": 2**52 - 1}, unknown=[(17, b"\1")])
    device_pages("quarantine", message="quarantine", section="7.8")


def valid_android() -> None:
    def send(name: str, **options: Any) -> None:
        frame("android", f"SEND {name}", section="10.1", sender="client", message="send", fields=send_fields(**options))

    channel = b'{"notification":{"channel_id":"raids"}}'
    send("with android", android=channel)
    send("with the shortest android", android=b"{}")
    send("with android of 8,192 bytes", android=b'{"data":{"k":"' + b"x" * (8192 - 17) + b'"}}')
    send("with android of a silent push", push_type=2, payload=b'{"aps":{"content-available":1}}', android=b"{}")
    send("with android_raw", android_raw=b'{"data":{"k":"v"}}')
    send("with android and all around it", id_key="id", label="raid", android=channel, deadline_ms=1)
    send("with android_raw and bodies", payload=b"", bodies=BODIES, android_raw=b"{}")


def valid_web() -> None:
    def send(name: str, **options: Any) -> None:
        frame("web", f"SEND {name}", section="10.1", sender="client", message="send", fields=send_fields(**options))

    page = b'{"notification":{"navigate":"https://example.com/5"},"ttl":60,"urgency":"low","topic":"score7"}'
    send("with web", web=page)
    send("with the shortest web", web=b"{}")
    send("with web of 4,096 bytes", web=b'{"notification":{"body":"' + b"x" * (4096 - 28) + b'"}}')
    send("with web_raw", web_raw=b'{"match":7}')
    send("with android, web and all around them", id_key="id", label="raid", android=b"{}", web=page, deadline_ms=1)
    send("with android_raw, web_raw and bodies", payload=b"", bodies=BODIES, android_raw=b"{}", web_raw=b"{}")
