"""Valid frames about groups, topics and conditions."""
from typing import Any, List

import crln
from cases.samples import (ALERT, APP, BODIES, BROADCAST, BROADCAST_END, BY_ID, BY_TOKEN, CHANNEL, CONDITION,
                           LONG_NAME, MAX32, MAX64, NAME_ALPHABET, SEEN, error_fields, send_fields)
from cases.valid_cases import decoded, device_pages, frame, listings


def valid_groups() -> None:
    def join(name: str, **options: Any) -> None:
        frame("groups", f"JOIN {name}", section="8.1", sender="client", message="join",
              fields={"app": APP, "group": "user/42", "devices": [BY_TOKEN], **options})

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

    def joined(name: str, *, joined: int, message_id: int, unknown: List[int]) -> None:
        frame("groups", f"JOIN answered: {name}", section="8.1", sender="server", message="join",
              fields={"joined": joined, "message_id": message_id, "unknown": unknown})

    joined("one", joined=1, message_id=0, unknown=[])
    joined("with an announcement", joined=2, message_id=7, unknown=[])
    joined("two are not registered", joined=0, message_id=0, unknown=[0, 999])
    joined("the largest numbers", joined=MAX32, message_id=MAX64, unknown=[MAX32])

    def leave(name: str, **options: Any) -> None:
        frame("groups", f"LEAVE {name}", section="8.2", sender="client", message="leave",
              fields={"app": APP, "group": "user/42", "devices": [BY_ID], **options})

    leave("by id")
    leave("of several", devices=[BY_ID, BY_TOKEN])
    leave("that ends the devices' own topics", clear_topics=1, deadline_ms=6)
    frame("groups", "LEAVE answered: one", section="8.2", sender="server", message="leave",
          fields={"left": 1, "unknown": []})
    frame("groups", "LEAVE answered: some are not registered", section="8.2", sender="server", message="leave",
          fields={"left": 0, "unknown": [0, 3]})

    def switch(name: str, **options: Any) -> None:
        frame("groups", f"SWITCH {name}", section="8.3", sender="client", message="switch",
              fields={"app": APP, "device": BY_ID, "from": "role/1", "to": "role/2", **options})

    switch("by id")
    switch("by token", device=BY_TOKEN)
    switch("with an announcement", announcement=ALERT)
    switch("with every tag", announcement=ALERT, bodies=BODIES, deadline_ms=8)
    for name, changed, message_id in (("nothing changed", 0, 0), ("left", 1, 0), ("joined", 2, 7),
                                      ("left and joined", 3, MAX64)):
        frame("groups", f"SWITCH answered: {name}", section="8.3", sender="server", message="switch",
              fields={"device_id": 42, "changed": changed, "message_id": message_id})

    device_pages("groups", message="group_devices", section="8.4", group="user/42")
    listings("groups", message="groups", section="8.5", column="groups",
             rows=[{"group": "role/9001", "devices": 1, "muted": 0},
                   {"group": "user/42", "devices": MAX64, "muted": 1}])
    for name, options in (("that only counts", {}), ("that mutes", {"muted": 1}),
                          ("that unmutes", {"muted": 0, "deadline_ms": 9})):
        frame("groups", f"UPDATE_GROUP {name}", section="8.6", sender="client", message="update_group",
              fields={"app": APP, "group": "user/42", **options})
    frame("groups", "UPDATE_GROUP answered", section="8.6", sender="server", message="update_group",
          fields={"devices": 3})
    frame("groups", "UPDATE_GROUP answered: no devices yet", section="8.6", sender="server", message="update_group",
          fields={"devices": 0})
    listings("groups", message="group_topics", section="8.7", column="topics", rows=["guild/77", "level5"])


def valid_topics() -> None:
    for message, did in (("subscribe", "new"), ("unsubscribe", "gone")):
        title = message.upper()

        def change(name: str, **options: Any) -> None:
            frame("topics", f"{title} {name}", section="9.1", sender="client", message=message,
                  fields={"app": APP, "topics": ["level5"], "devices": [BY_ID], "groups": [], **options})

        change("a device")
        change("a group", devices=[], groups=["user/42"])
        change("devices and groups", topics=["level5", "guild/77"], devices=[BY_TOKEN, BY_ID],
               groups=["user/42", "role/1"], deadline_ms=9)
        change("of 1,000 topics", topics=[f"t{index}" for index in range(1000)])
        change("of 10,000 pairs", topics=[f"t{index}" for index in range(100)],
               devices=[{"id": index + 1} for index in range(100)])
        change("of 1,000 groups", devices=[], groups=[f"g{index}" for index in range(1000)])
        frame("topics", f"{title} answered: {did}", section="9.1", sender="server", message=message,
              fields={"changed": 2, "unknown": []})
        frame("topics", f"{title} answered: some are not registered", section="9.1", sender="server", message=message,
              fields={"changed": MAX32, "unknown": [0, 2]})
    decoded("topics", "SUBSCRIBE to a topic in FCM's form", section="9", message="subscribe",
            fields={"app": APP, "topics": ["level5"], "devices": [BY_ID], "groups": []},
            payload=crln.encode_payload(crln.FROM_CLIENT["subscribe"], {
                "app": APP, "topics": ["/topics/level5"], "devices": [BY_ID], "groups": []}))
    listings("topics", message="topics", section="9.2", column="topics",
             rows=[{"topic": "guild/77", "devices": 1}, {"topic": "level5", "devices": MAX64}])
    device_pages("topics", message="topic_devices", section="9.3", topic="level5")


def valid_audiences() -> None:
    def send(name: str, section: str = "10.1", **options: Any) -> None:
        frame("audiences", f"SEND {name}", section=section, sender="client", message="send",
              fields=send_fields(**{"audience": 1, "devices": [] if options.get("audience", 1) > 1 else [BY_TOKEN],
                                    **options}))

    send("to groups", audience=2, groups=["user/42", "role/9001"])
    send("to 1,000 groups", audience=2, groups=[f"g{index}" for index in range(1000)])
    send("to a topic", audience=3, topic="level5")
    send("to the longest topic", audience=3, topic=LONG_NAME)
    decoded("audiences", "SEND to a topic in FCM's form", section="9", message="send",
            fields=send_fields(audience=3, devices=[], topic="level5"),
            payload=crln.encode_payload(
                crln.FROM_CLIENT["send"], send_fields(audience=3, devices=[], topic="/topics/level5")))
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
    frame("audiences", "SEND answered: a dry run", section="10.1", sender="server", message="send",
          fields={"message_id": 0, "duplicate": 0, "total": 1000000, "ended": 0})

    frame("audiences", "EXPLAIN", section="9.4", sender="client", message="explain",
          fields={"app": APP, "condition": CONDITION})
    frame("audiences", "EXPLAIN with a deadline", section="9.4", sender="client", message="explain",
          fields={"app": APP, "condition": "all", "deadline_ms": 2})
    frame("audiences", "EXPLAIN answered", section="9.4", sender="server", message="explain",
          fields={"condition": CONDITION, "devices": 3, "sets": [
              {"set": "'level5' in topics", "devices": 5}, {"set": "'en' in topics", "devices": MAX64},
              {"set": "'zh' in topics", "devices": 0}]})
    frame("audiences", "EXPLAIN answered: all", section="9.4", sender="server", message="explain",
          fields={"condition": "all", "devices": 9, "sets": [{"set": "all", "devices": 9}]})
    frame("audiences", "an error with a column", section="15", sender="server", message="error",
          fields=error_fields(11, field="condition", column=24), opcode=0x40)
