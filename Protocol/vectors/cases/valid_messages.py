"""Valid frames about messages, channels and receipts."""
from typing import Any, Dict, Tuple

import crln
from cases.samples import (APP, BODIES, BY_ID, BY_TOKEN, CHANNEL, CONDITION, LONG_NAME, MAX32, MAX64, SEEN,
                           SOUND_PAYLOADS, TRACE, UUID, attempt, receipt, send_fields, source, trace_fields)
from cases.valid_cases import device_pages, frame


def valid_messages() -> None:
    def send(name: str, section: str = "10.1", **options: Any) -> None:
        unknown = options.pop("unknown", [])
        frame("messages", name, section=section, sender="client", message="send", fields=send_fields(**options),
              unknown=unknown)

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
        frame("messages", name, section="10.1", sender="server", message="send",
              fields={"message_id": message_id, "duplicate": duplicate, "total": total, "ended": ended})

    frame("messages", "MESSAGE_STATUS", section="10.2", sender="client", message="message_status",
          fields={"app": APP, "message_id": 7})
    frame("messages", "MESSAGE_STATUS of the largest id", section="10.2", sender="client", message="message_status",
          fields={"app": APP, "message_id": MAX64, "deadline_ms": 50})

    def status(name: str, state: int, finished_at: int, *outcomes: Tuple[int, int], **tags: str) -> None:
        total = sum(devices for _, devices in outcomes)
        counts = [{"outcome": outcome, "devices": devices} for outcome, devices in outcomes]
        frame("messages", name, section="10.2", sender="server", message="message_status",
              fields={**tags, "state": state, "accepted_at": SEEN, "finished_at": finished_at, "total": total,
                      "outcomes": counts})

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

    def outcomes(name: str, *, message_id: int, cursor: int, limit: int, **tags: int) -> None:
        frame("messages", name, section="10.3", sender="client", message="message_outcomes",
              fields={"app": APP, "message_id": message_id, "cursor": cursor, "limit": limit, **tags})

    outcomes("MESSAGE_OUTCOMES from the start", message_id=7, cursor=0, limit=1000)
    outcomes("MESSAGE_OUTCOMES one by one", message_id=7, cursor=43, limit=1)
    outcomes("MESSAGE_OUTCOMES with the largest cursor", message_id=7, cursor=MAX64, limit=500, deadline_ms=70)

    def page(name: str, following: int, *recipients: Tuple[int, int]) -> None:
        rows = [{"device_id": id, "outcome": outcome} for id, outcome in recipients]
        frame("messages", name, section="10.3", sender="server", message="message_outcomes",
              fields={"next": following, "recipients": rows})

    page("MESSAGE_OUTCOMES answered, the last page", 0, (42, 1))
    page("MESSAGE_OUTCOMES answered, more to come", 43, (0, 2), (0, 2), (42, 1))
    page("MESSAGE_OUTCOMES answered, nothing", 0)


def valid_message_options() -> None:
    def send(name: str, **options: Any) -> None:
        frame("messages", f"SEND {name}", section="10.1", sender="client", message="send",
              fields=send_fields(**options))

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
        total = sum(devices for _, devices in outcomes)
        counts = [{"outcome": outcome, "devices": devices} for outcome, devices in outcomes]
        frame("messages", f"MESSAGE_STATUS answered: {name}", section="10.2", sender="server", message="message_status",
              fields={"state": state, "accepted_at": SEEN, "finished_at": 0, "total": total, "outcomes": counts,
                      **tags})

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
        frame("messages", f"MESSAGES {name}", section="10.5", sender="client", message="messages",
              fields={"app": APP, "before": before, "limit": limit, **options})

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

    def row(message_id: int, *, state: int, push_type: int, lane: int, total: int, ended: int) -> Dict[str, int]:
        return {"message_id": message_id, "state": state, "accepted_at": SEEN, "push_type": push_type, "lane": lane,
                "total": total, "ended": ended}

    finished = row(7, state=3, push_type=1, lane=1, total=3, ended=3)
    two = [row(9, state=5, push_type=2, lane=2, total=1_000_000, ended=70),
           row(5, state=4, push_type=11, lane=2, total=0, ended=0)]
    largest = row(MAX64, state=2, push_type=4, lane=1, total=MAX64, ended=MAX64)
    for name, following, rows in (("nothing", 0, []), ("the last page", 0, [finished]), ("more to come", 5, two),
                                  ("the largest numbers", MAX64, [largest])):
        frame("messages", f"MESSAGES answered, {name}", section="10.5", sender="server", message="messages",
              fields={"next": following, "messages": rows})

    def detail(*, delivered: int, failed: int, label: str = "", sender: str = "") -> Dict[str, Any]:
        return {"delivered": delivered, "failed": failed, "label": label, "sender": sender}

    for name, following, rows, details in (
            ("details", 0, [finished],
             [detail(delivered=2, failed=1, label="Raid at 21:00", sender="live-ops")]),
            ("details of messages of before", 5, two,
             [detail(delivered=70, failed=0, sender="game-backend"), detail(delivered=0, failed=0)]),
            ("the largest details", MAX64, [largest],
             [detail(delivered=MAX64, failed=MAX64, label="ü" * 50, sender="s" * 255)])):
        frame("messages", f"MESSAGES answered, {name}", section="10.5", sender="server", message="messages",
              fields={"next": following, "messages": rows, "details": details})

    def update(name: str, action: int, **options: Any) -> None:
        frame("messages", f"UPDATE_MESSAGE {name}", section="10.6", sender="client", message="update_message",
              fields={"app": APP, "message_id": 7, "action": action, **options})

    update("that cancels", 1)
    update("that pauses", 2, message_id=MAX64)
    update("that resumes", 3, deadline_ms=5)
    update("that sets the pace", 4, pace=100)
    update("that lifts the pace", 4)
    for state, name in crln.MESSAGE_STATES.items():
        frame("messages", f"UPDATE_MESSAGE answered: {name}", section="10.6", sender="server", message="update_message",
              fields={"state": state})

    def resend(name: str, **options: Any) -> None:
        frame("messages", f"RESEND {name}", section="10.7", sender="client", message="resend",
              fields={"app": APP, "message_id": 7, "key": UUID, "outcomes": [], **options})

    resend("to all that it can help")
    resend("to some", outcomes=[4, 34])
    resend("without a key", key=bytes(16), deadline_ms=9)
    resend("with outcomes of later versions", outcomes=[200, 255])
    resend("with 64 outcomes", outcomes=list(range(2, 66)))
    resend("with a time after which no attempt starts", not_after=SEEN, deadline_ms=9)
    frame("messages", "RESEND answered", section="10.7", sender="server", message="resend",
          fields={"message_id": 8, "duplicate": 0, "total": 12, "ended": 0})
    frame("messages", "RESEND answered again", section="10.7", sender="server", message="resend",
          fields={"message_id": 8, "duplicate": 1, "total": 12, "ended": 2})


def valid_trace() -> None:
    def ask(name: str, **options: Any) -> None:
        frame("trace", f"TRACE {name}", section="10.8", sender="client", message="trace",
              fields={"app": APP, "message_id": 7, "device": BY_ID, **options})

    ask("by id")
    ask("by token", device=BY_TOKEN, deadline_ms=9)
    ask("of the largest ids", message_id=MAX64, device={"id": MAX64})
    ask("of ids that were never given", message_id=0, device={"id": 0})

    def answer(name: str, unknown: Any = (), **changes: Any) -> None:
        frame("trace", f"TRACE answered: {name}", section="10.8", sender="server", message="trace",
              fields=trace_fields(**changes), unknown=unknown)

    answer("delivered, named by the device", sources=[source(1)], attempts=[attempt(SEEN, connection=1, status=200)])
    answer("no recipient", addressing=2, outcome=0)
    answer("would be a recipient", state=4, addressing=3, outcome=0, sources=[source(5)])
    answer("would be no recipient", state=5, addressing=4, outcome=0)
    answer("quarantined", outcome=32, flags=5, sources=[source(2, "user/42")],
           attempts=[attempt(SEEN, connection=3, status=410, reason="Unregistered")])
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
    answer("attempts, and another to come", state=2, outcome=0, next_attempt_at=SEEN + 9000,
           attempts=[attempt(SEEN, connection=0, status=0, reason="refused-stream"),
                     attempt(SEEN + 1000, connection=4, status=503, reason="ServiceUnavailable"),
                     attempt(SEEN + 3000, connection=5, status=0, reason="timeout")])
    answer("8 attempts", attempts=[
        attempt(SEEN + index, connection=index, status=429, reason="r" * 64) for index in range(8)])
    answer("every tag at its largest", device_id=MAX64, state=5, addressing=4, outcome=255, flags=7,
           sources=[source(3, LONG_NAME, LONG_NAME)], muted_groups=[LONG_NAME], language="d" * 35,
           silent_budget_left=MAX32, attempts=[attempt(MAX64, connection=MAX32, status=65535, reason="r" * 64)],
           next_attempt_at=MAX64)
    answer("fields of later versions", unknown=[(17, b""), (28, b"later")])
    answer("a broadcast push", device_id=0, outcome=41,
           unique_ids=["", "0e9a64d6-7b38-4b6d-9d8f-0a1b2c3d4e5f"],
           attempts=[attempt(SEEN, connection=3, status=429, reason="TooManyRequests"),
                     attempt(SEEN + 1000, connection=3, status=400, reason="ChannelNotRegistered")])
    answer("the longest ids of APNs", attempts=[attempt(SEEN, connection=3, status=200)], unique_ids=["u" * 64])


def valid_receipts() -> None:
    def report(name: str, *receipts: Dict[str, Any], **options: Any) -> None:
        frame("receipts", f"RECEIPTS {name}", section="12.1", sender="client", message="receipts",
              fields={"app": APP, "receipts": list(receipts), **options})

    report("of one that was received", receipt())
    report("of both kinds by token", receipt(7, BY_TOKEN, 1), receipt(7, BY_TOKEN, 2), deadline_ms=7)
    report("of several messages", receipt(7), receipt(MAX64, {"id": MAX64}, 2), receipt(0, {"id": 0}))
    report("of 1,000", *(receipt(7, {"id": index + 1}) for index in range(1000)))
    frame("receipts", "RECEIPTS answered", section="12.1", sender="server", message="receipts",
          fields={"counted": 2, "unknown": []})
    frame("receipts", "RECEIPTS answered: some are unknown", section="12.1", sender="server", message="receipts",
          fields={"counted": MAX32, "unknown": [0, MAX32]})
    for kind, name in crln.RECEIPTS.items():
        frame("receipts", f"RECEIPT_DEVICES that have {name}", section="12.2", sender="client",
              message="receipt_devices", fields={"app": APP, "message_id": 7, "kind": kind, "cursor": 0, "limit": 1000})
    device_pages("receipts", message="receipt_devices", section="12.2", message_id=7, kind=1)


def valid_channels() -> None:
    def ask(message: str, section: str, name: str, **options: Any) -> None:
        upper = message.upper()
        frame("channels", f"{upper} {name}".rstrip(), section=section, sender="client", message=message,
              fields={"app": APP, "environment": 1, **options})

    def answer(message: str, section: str, name: str, **fields: Any) -> None:
        frame("channels", f"{message.upper()} answered {name}".rstrip().replace(" :", ":"), section=section,
              sender="server", message=message, fields=fields)

    later = [(17, b"")]
    for policy, name in ((1, "that stores nothing"), (2, "that stores the most recent message")):
        ask("create_channel", "14.1", name, storage_policy=policy)
    ask("create_channel", "14.1", "in the sandbox with a deadline", environment=2, storage_policy=1, deadline_ms=5000)
    answer("create_channel", "14.1", "", channel=CHANNEL)
    answer("create_channel", "14.1", "with the longest id", channel="A" * 510 + "==")
    frame("channels", "CREATE_CHANNEL answered with a tag of a later version", section="14.1", sender="server",
          message="create_channel", fields={"channel": CHANNEL}, unknown=later)
    for message, section in (("channel", "14.2"), ("delete_channel", "14.4")):
        ask(message, section, "", channel=CHANNEL)
        ask(message, section, "of the shortest id in the sandbox", channel="a", environment=2)
        ask(message, section, "of every character that an id may have",
            channel="ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_==", deadline_ms=3)
    for policy, name in ((1, "nothing is stored"), (2, "the most recent message is stored")):
        answer("channel", "14.2", f": {name}", storage_policy=policy)
    frame("channels", "CHANNEL answered with a tag of a later version", section="14.2", sender="server",
          message="channel", fields={"storage_policy": 1}, unknown=later)
    ask("channels", "14.3", "from the start", after="", limit=1000)
    ask("channels", "14.3", "after an id", after=CHANNEL, limit=1, environment=2, deadline_ms=3)
    ask("channels", "14.3", "after the longest text", after="ü" * 256, limit=10)
    answer("channels", "14.3", "with none", next="", channels=[])
    answer("channels", "14.3", "with two and a next page", next=CHANNEL, channels=["a", CHANNEL])
    answer("channels", "14.3", "with the longest ids", next="z" * 512, channels=["y" * 512, "z" * 512])
    frame("channels", "CHANNELS answered with a tag of a later version", section="14.3", sender="server",
          message="channels", fields={"next": "", "channels": [CHANNEL]}, unknown=later)
    for result, name in ((1, ": deleted"), (2, ": there was no such channel")):
        answer("delete_channel", "14.4", name, result=result)
    frame("channels", "DELETE_CHANNEL answered with a tag of a later version", section="14.4", sender="server",
          message="delete_channel", fields={"result": 1}, unknown=later)


def valid_payloads() -> None:
    for name, push_type, priority, payload in SOUND_PAYLOADS:
        frame("payloads", f"SEND with {name}", section="10.1" if push_type == 1 else "16.4", sender="client",
              message="send", fields=send_fields(push_type=push_type, priority=priority, payload=payload))
    frame("payloads", "SEND with pushtotalk that expires at once", section="16.4", sender="client", message="send",
          fields=send_fields(push_type=9, payload=b"{}", expiration=0))
