"""Valid frames of connections, events, statistics and errors."""
from typing import Any, Dict, Tuple

import crln
from cases.samples import (APP, MAX32, MAX64, SEEN, TRACE, UUID, error_fields, hello_fields, lane_fields,
                           lookup_fields, pool_fields, statistics_fields, subscribe_fields)
from cases.valid_cases import frame, ignored


def valid_connection() -> None:
    def hello(name: str, id: int = 1, **options: Any) -> None:
        fields = {"software": "py/1.0", "receive_limit": 0, **options.pop("fields", {})}
        frame("connection", name, section=options.pop("section", "6.1"), sender="client", message="hello",
              fields=fields, id=id, **options)

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
        frame("connection", name, section="6.1", sender="server", message="hello",
              fields=hello_fields(**options.pop("fields", {})), id=1, **options)

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
        frame("connection", name, section="6.2", sender="client", message="auth",
              fields={"method": 1, "credential": credential, **options}, id=2)

    auth("AUTH", b"crln_key")
    auth("AUTH with a key of one byte", b"k")
    auth("AUTH with a key of 256 bytes that is not a text", bytes(range(256)))
    auth("AUTH with a deadline", b"crln_key", deadline_ms=1000)

    def granted(name: str, principal: str, *grants: Tuple[str, int], **options: Any) -> None:
        frame("connection", name, section="6.2", sender="server", message="auth",
              fields={"principal": principal, "grants": [{"app": app, "roles": roles} for app, roles in grants]}, id=2,
              **options)

    granted("AUTH answered with all roles for every app", "game-backend", ("*", 15))
    granted("AUTH answered with several grants", "shop", (APP, 1), ("com.example.shop", 6), ("com.example.ops", 8))
    granted("AUTH answered without grants", "nobody")  # style: old names, the bytes of a vector stay
    granted("AUTH answered with roles of later versions", "later", ("*", 255), unknown=[(19, b"\0")])


def valid_control() -> None:
    for sender in ("client", "server"):
        frame("control", f"PING from the {sender}", section="6.3", sender=sender, message="ping",
              fields={"data": bytes.fromhex("0102030405060708")})
        frame("control", f"PING with ACK from the {sender}", section="6.3", sender=sender, message="ping",
              fields={"data": bytes.fromhex("0102030405060708")}, flags=1)
    frame("control", "PING of zeros", section="6.3", sender="client", message="ping", fields={"data": bytes(8)})
    frame("control", "PING of ones", section="6.3", sender="server", message="ping", fields={"data": b"\xff" * 8})

    def goaway(name: str, *, last_id: int, code: int, grace_ms: int, reconnect_after_ms: int, reason: str,
               **options: Any) -> None:
        frame("control", name, section="6.4", sender="server", message="goaway",
              fields={"last_id": last_id, "code": code, "grace_ms": grace_ms, "reconnect_after_ms": reconnect_after_ms,
                      "reason": reason}, **options)

    goaway("GOAWAY, the first", last_id=MAX64, code=20, grace_ms=30000, reconnect_after_ms=1000, reason="restart")
    goaway("GOAWAY, the second", last_id=17, code=20, grace_ms=29000, reconnect_after_ms=1000, reason="restart")
    goaway("GOAWAY that executed nothing", last_id=0, code=20, grace_ms=0, reconnect_after_ms=0, reason="")
    goaway("GOAWAY with a reason of 512 bytes", last_id=3, code=24, grace_ms=MAX32, reconnect_after_ms=MAX32,
           reason="r" * 512)
    goaway("GOAWAY with a code of a later version", last_id=3, code=999, grace_ms=0, reconnect_after_ms=0, reason="x",
           unknown=[(17, b"?")])
    for sender, number in (("client", 0), ("client", 7), ("server", 1), ("server", MAX64)):
        frame("control", f"POSITION {number} from the {sender}", section="6.5", sender=sender, message="position",
              fields={"position": number})
    ignored("POSITION of layout 2", section="3", sender="client", kind=crln.CONTROL, flags=0x10, opcode=5,
            payload="0102")
    ignored("GOAWAY from a client", section="6.4", sender="client", kind=crln.CONTROL, flags=0, opcode=4, payload="00")
    ignored("an unknown control opcode from a client", section="3", sender="client", kind=crln.CONTROL, flags=0,
            opcode=0x00FF, payload="cafe")
    ignored("an unknown control opcode from a server", section="3", sender="server", kind=crln.CONTROL, flags=0,
            opcode=0x7000, payload="")
    ignored("REGISTER as a control frame", section="3", sender="client", kind=crln.CONTROL, flags=0, opcode=0x0010,
            payload="00")
    ignored("PING of layout 2", section="3", sender="client", kind=crln.CONTROL, flags=0x10, opcode=3, payload="0102")
    ignored("an event of an unknown opcode", section="11.2", sender="server", kind=crln.EVENT, flags=0, opcode=0x0064,
            payload="0102", id=9)
    ignored("an event of layout 2", section="11.2", sender="server", kind=crln.EVENT, flags=0x10, opcode=0x0060,
            payload="0102", id=9)


def valid_events() -> None:
    def subscribe(case: str, **options: Any) -> None:
        frame("events", f"SUBSCRIBE_EVENTS {case}", section="11.1", sender="client", message="subscribe_events",
              fields=subscribe_fields(**options))

    subscribe("by name")
    subscribe("to everything from now on", **{"name": "", "apps": [], "kinds": [], "from": MAX64})
    subscribe("after a number", **{"name": "", "from": 41, "deadline_ms": 7})
    subscribe("without credit yet", credit=0)
    subscribe("with the longest name", name="ü" * 32)
    subscribe("with 64 apps and kinds", apps=[f"com.example.a{index}" for index in range(64)],
              kinds=list(range(1, 65)), credit=MAX64)
    subscribe("to a kind of a later version", kinds=[65535])
    frame("events", "SUBSCRIBE_EVENTS answered", section="11.1", sender="server", message="subscribe_events",
          fields={"after": 40})
    frame("events", "SUBSCRIBE_EVENTS answered: before the first event", section="11.1", sender="server",
          message="subscribe_events", fields={"after": 0})

    def event(name: str, kind: int, unknown: Any = (), id: int = 3, **tags: Any) -> None:
        frame("events", f"event: {name}", section="11.2", sender="server", message="event",
              fields={"sequence": tags.pop("sequence", 41), "at": SEEN, "kind": kind, **tags}, id=id, unknown=unknown)

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
        frame("events", f"EVENT_CREDIT: {name}", section="11.3", sender="client", message="event_credit",
              fields={"subscription": 3, "credit": credit, "ack": ack, **options}, id=4)
    frame("events", "EVENT_CREDIT answered", section="11.3", sender="server", message="event_credit", fields={}, id=4)
    frame("events", "EVENT_CREDIT answered with a tag of a later version", section="11.3", sender="server",
          message="event_credit", fields={}, id=4, unknown=[(17, b"")])
    frame("events", "UNSUBSCRIBE_EVENTS", section="11.4", sender="client", message="unsubscribe_events",
          fields={"subscription": 3}, id=4)
    frame("events", "UNSUBSCRIBE_EVENTS with a deadline", section="11.4", sender="client", message="unsubscribe_events",
          fields={"subscription": MAX64, "deadline_ms": 3}, id=4)
    frame("events", "UNSUBSCRIBE_EVENTS answered", section="11.4", sender="server", message="unsubscribe_events",
          fields={}, id=4)
    for name, options in (("", {"name": "billing"}), (" with the shortest name", {"name": "a"}),
                          (" with the longest name and a deadline", {"name": "ü" * 32, "deadline_ms": 3})):
        frame("events", f"FORGET_SUBSCRIBER{name}", section="11.5", sender="client", message="forget_subscriber",
              fields=options)
    for result, name in ((1, "forgotten"), (2, "there was no such name")):
        frame("events", f"FORGET_SUBSCRIBER answered: {name}", section="11.5", sender="server",
              message="forget_subscriber", fields={"result": result})
    frame("events", "FORGET_SUBSCRIBER answered with a tag of a later version", section="11.5", sender="server",
          message="forget_subscriber", fields={"result": 1}, unknown=[(17, b"")])


def valid_listing() -> None:
    for case, options in (("from the start", {"cursor": 0, "limit": 1000}), ("one by one", {"cursor": 43, "limit": 1}),
                          ("with the largest cursor", {"cursor": MAX64, "limit": 500, "deadline_ms": 4})):
        frame("listing", f"DEVICES {case}", section="13.2", sender="client", message="devices",
              fields={"app": APP, **options})

    def answer(name: str, following: int, *devices: Dict[str, Any]) -> None:
        rows = [crln.encode_payload(crln.FROM_SERVER["lookup"], lookup_fields(**each)) for each in devices]
        frame("listing", f"DEVICES answered, {name}", section="13.2", sender="server", message="devices",
              fields={"next": following, "devices": rows})

    answer("nothing", 0)
    answer("the last page", 0, {})
    answer("more to come, each of another form", 2**52 - 1, {"state": 2},
           {"device_id": 43, "environment": 2, "kind": 10},
           {"device_id": 44, "token": b"\xff" * 255, "locale": "zh-Hant-TW", "time_zone": "Asia/Taipei",
            "attributes": [{"key": "platform", "value": "ios"}, {"key": "tier", "value": "gold"}], "muted": 1})


def valid_statistics() -> None:
    def ask(name: str, limit: int, **options: Any) -> None:
        frame("statistics", f"STATISTICS {name}", section="13.1", sender="client", message="statistics",
              fields={"limit": limit, **options})

    ask("of one row", 1)
    ask("of 1,000 rows with a deadline", 1000, deadline_ms=5000)

    def answer(name: str, unknown: Any = (), **changes: Any) -> None:
        frame("statistics", f"STATISTICS answered: {name}", section="13.1", sender="server", message="statistics",
              fields=statistics_fields(**changes), unknown=unknown)

    answer("nothing has happened")
    answer("requests", requests=[
        {"opcode": 0x50, "code": 0, "count": 1200, "micros": 340_000},
        {"opcode": 0x13, "code": 10, "count": 7, "micros": 99},
        {"opcode": 0xFFFF, "code": 0xFFFF, "count": MAX64, "micros": MAX64}])
    answer("batches", queued_changes=12, batches=40, changes=4000, batch_micros=81_000,
           latest_batches=[0, 1900, MAX32])
    answer("64 batches", latest_batches=list(range(64)))
    answer("lanes and messages", unrecorded=17,
           lanes=[lane_fields(1, messages=2, waiting=1, delayed=0, in_flight=1),
                  lane_fields(2, messages=1, waiting=3896, delayed=4, in_flight=100)],
           sending=[{"message_id": 9, "app": APP, "lane": 2, "accepted_at": SEEN, "total": 5000, "ended": 1000,
                     "in_flight": 100, "rate": 2400},
                    {"message_id": MAX64, "app": "a", "lane": 1, "accepted_at": 0, "total": 0, "ended": 0,
                     "in_flight": 0, "rate": 0}])
    answer("outcomes", outcomes=[{"outcome": 1, "devices": 9000}, {"outcome": 32, "devices": 3},
                                 {"outcome": 200, "devices": MAX64}])
    answer("pools",
           pools=[pool_fields("game", opening=1, open=2, draining=3, in_flight=150, streams=2000, attempts=12_000),
                  pool_fields("game", environment=2, throttle=400), pool_fields("shop", parked=1)],
           answers=[{"pool": 0, "status": 200, "reason": "", "count": 11_000},
                    {"pool": 0, "status": 410, "reason": "Unregistered", "count": 3},
                    {"pool": 2, "status": 0, "reason": "other", "count": MAX64}])
    answer("pools that failed",
           pools=[pool_fields("game", open=2), pool_fields("game", environment=2), pool_fields("shop")],
           failures=[{"pool": 0, "unreachable": 0, "count": 1, "last_at": 0, "reason": ""},
                     {"pool": 2, "unreachable": 1, "count": MAX64, "last_at": SEEN, "reason": "Connection refused"}])
    answer("pools without a connection", pools=[pool_fields("game"), pool_fields("shop")],
           failures=[{"pool": 0, "unreachable": 1, "count": 7, "last_at": SEEN + 9, "reason": "it has expired"},
                     {"pool": 1, "unreachable": 0, "count": 1, "last_at": SEEN, "reason": ""}],
           outages=[{"pool": 0, "began_at": SEEN, "next_attempt_at": SEEN + 60_000, "cause": "certificate-expired"},
                    {"pool": 1, "began_at": MAX64, "next_attempt_at": 0, "cause": "a cause of a later version"}])
    answer("the database", database_bytes=1 << 30, free_bytes=1 << 20, map_bytes=1 << 31, limit_bytes=1 << 36,
           readers=2, reader_age_commits=7, kept=30, unfinished=4, scheduled=1)
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
    frame("statistics", "REMOVE_NODE", section="13.3", sender="client", message="remove_node", fields={"node": "a"})
    frame("statistics", "REMOVE_NODE with a deadline", section="13.3", sender="client", message="remove_node",
          fields={"node": "n" * 64, "deadline_ms": 1000})
    frame("statistics", "REMOVE_NODE answered", section="13.3", sender="server", message="remove_node",
          fields={"incarnation": 7})


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
        frame("errors", crln.ERRORS[code], section="15", sender="server", message="error",
              fields=error_fields(code, scope=scope, effect=effect, retry=retry, message="because"),
              id=0 if unnamed else 3, opcode=0 if unnamed else 0x50)
    for code in (1, 3, 8, 18, 20):
        frame("errors", f"{crln.ERRORS[code]} of scope connection", section="15", sender="server", message="error",
              fields=error_fields(code, scope=1, effect=1 if code == 18 else 0,
                                  retry=1000 if code in (18, 20) else MAX32), id=0, opcode=0)
    frame("errors", "an error of a field", section="15", sender="server", message="error",
          fields=error_fields(11, field="push_type"), opcode=0x50)
    frame("errors", "an error of an item", section="15", sender="server", message="error",
          fields=error_fields(11, field="devices", item=999), opcode=0x50)
    frame("errors", "an error with a limit", section="15", sender="server", message="error",
          fields=error_fields(14, field="payload", limit=4096), opcode=0x50)
    frame("errors", "an error with every tag at its largest", section="15", sender="server", message="error",
          fields=error_fields(11, scope=0, effect=2, retry=0, message="m" * 512, field="items", limit=MAX64, item=MAX32,
                              column=MAX32, reason="r" * 64), id=MAX64, opcode=0x11)
    frame("errors", "APNs refuses a channel", section="15", sender="server", message="error",
          fields=error_fields(26, message="no", reason="FeatureNotEnabled"), opcode=0x90)
    frame("errors", "APNs does not answer", section="15", sender="server", message="error",
          fields=error_fields(27, effect=1, retry=1000, reason="timeout"), opcode=0x90)
    frame("errors", "BEHIND", section="15", sender="server", message="error",
          fields=error_fields(28, scope=0, effect=0, retry=500, message="because"), opcode=0x13)
    frame("errors", "BEHIND of scope connection", section="15", sender="server", message="error",
          fields=error_fields(28, scope=1, effect=0, retry=500, message="because"), id=0, opcode=0)
    frame("errors", "an error of a later version", section="15", sender="server", message="error",
          fields=error_fields(999, scope=0, effect=2, retry=0, message="new"), opcode=0x10,
          unknown=[(1, b"\0"), (16, b"x")])
