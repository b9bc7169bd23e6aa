"""Bad inputs about many devices: groups, topics, conditions, and messages to them."""
from __future__ import annotations

import os
import time
from typing import Any, Dict, Iterable, List, Optional, Tuple

from support.bad_inputs.bad_input_actions import Action
from support.bad_inputs.bad_input_kinds import Kind
from support.bad_inputs.bad_inputs import APP_BYTES
from support.clients.raw_connection import RawConnection, raw_frame
from support.clients.requests import (ANSWERED, Refused, Row, ask, batch, expect_answer, expect_error, invalid,
                                      malformed, register_payload, send, string, tag, tags)
from support.deployment import Deployment
from support.environment import APP, crln, eventually, require

MORE_THAN_A_YEAR_MILLISECONDS = 367 * 86_400_000
# The largest number of 64 bits, and the largest count of a list.
LARGEST_NUMBER, LARGEST_COUNT = (1 << 64) - 1, (1 << 32) - 1
# The limit of a SUBSCRIBE: topics times devices.
MAXIMUM_PAIRS = 10_000
# The numbers of audiences, actions of UPDATE_MESSAGE and states of a message.
DEVICES, GROUPS, TOPIC, CONDITION, ALL = (
    crln.AUDIENCES[name] for name in ("devices", "groups", "topic", "condition", "all"))
ACTIONS = {name: number for number, name in crln.MESSAGE_UPDATE_ACTIONS.items()}
CANCEL, PAUSE, RESUME, PACE = (ACTIONS[name] for name in ("cancel", "pause", "resume", "pace"))
STATES = {name: number for number, name in crln.MESSAGE_STATES.items()}
WAITING, FINISHED = STATES["waiting"], STATES["finished"]


def request(message: str, id: int = 3, **fields: Any) -> bytes:
    """Returns a well-formed request, for the app unless `fields` names another."""
    return crln.encode("client", message, {"app": APP, **fields}, id)


def ids(devices: Iterable[int]) -> List[Dict[str, int]]:
    """Device references by id."""
    return [{"id": device} for device in devices]


def join(devices: Iterable[int], id: int = 3, group: str = "bad/group", **fields: Any) -> bytes:
    """Returns a JOIN of devices to a group."""
    return request("join", id, group=group, devices=ids(devices), **fields)


def join_named(group: bytes) -> bytes:
    """Returns a JOIN of device 1 to a group whose name is any bytes."""
    return raw_frame(string(APP_BYTES) + string(group) + b"\0\0\0\1\2" + (1).to_bytes(8, "big"), 0x20, 3)


def subscribe(topics: List[str], id: int = 3, devices: Iterable[int] = (), groups: Iterable[str] = ()) -> bytes:
    """Returns a SUBSCRIBE of devices and groups to topics."""
    return request("subscribe", id, topics=topics, devices=ids(devices), groups=list(groups))


def subscribe_named(topic: bytes) -> bytes:
    """Returns a SUBSCRIBE of device 1 to a topic whose name is any bytes."""
    payload = string(APP_BYTES) + b"\0\0\0\1" + string(topic) + b"\0\0\0\1\2" + (1).to_bytes(8, "big") + bytes(4)
    return raw_frame(payload, 0x30, 3)


def send_to(audience: int, id: int = 3, **options: Any) -> bytes:
    """Returns a SEND to an audience."""
    return crln.encode("client", "send", {
        "app": APP, "key": crln.NO_KEY, "push_type": 1, "priority": 0, "audience": audience, "devices": [],
        "payload": b'{"aps":{"alert":"hi"}}', **options}, id)


def send_to_raw_condition(condition: bytes) -> bytes:
    """Returns a SEND to a condition whose text is any bytes."""
    payload = send_to(CONDITION)[16:]
    return raw_frame(payload + tags(b"\1", tag(27, condition)), 0x50, 3)


def new_devices(raw: RawConnection, count: int, id: int = 3) -> Tuple[List[int], List[bytes]]:
    """Registers devices, 1,000 at a time, and returns their ids and tokens. The next free request id is `id` + 1 +
    count / 1,000."""
    tokens = [os.urandom(32) for _ in range(count)]
    devices: List[int] = []
    for begin in range(0, count, 1_000):
        some = [register_payload(token=token) for token in tokens[begin:begin + 1_000]]
        results = ask(raw, id, "register_batch", batch(some, id))["results"]
        require(all(each["code"] == 0 for each in results), "not registered")
        devices += [each["device_id"] for each in results]
        id += 1
    return devices, tokens


def finished_status(deployment: Deployment, message: int) -> Dict[str, Any]:
    """Waits until a message is finished and returns its status."""
    with deployment.client() as client:
        def ended() -> Optional[Dict[str, Any]]:
            status = client.message_status(APP, message)
            return status if status["state"] == "finished" else None

        return eventually(ended, f"message {message} is finished")


# Groups

def unknown_devices_only(deployment: Deployment, raw: RawConnection) -> None:
    """A JOIN of 1,000 unknown devices adds no member and creates no group."""
    group = "unknown/" + os.urandom(8).hex()
    unknown = [0, 1 << 52, LARGEST_NUMBER, *range(1 << 50, (1 << 50) + 997)]
    answer = ask(raw, 3, "join", join(unknown, group=group))
    require(answer == {"joined": 0, "message_id": 0, "unknown": list(range(1_000))}, f"{answer}")
    groups = ask(raw, 4, "groups", request("groups", 4, prefix=group, after="", limit=10))["groups"]
    require(groups == [], f"a group without members: {groups}")


def one_device_often(deployment: Deployment, raw: RawConnection) -> None:
    """One device 1,000 times in a JOIN is one member; a SEND to its group 1,000 times has one recipient."""
    group = "often/" + os.urandom(8).hex()
    devices, _ = new_devices(raw, 1)
    answer = ask(raw, 4, "join", join(devices * 1_000, 4, group))
    require((answer["joined"], answer["unknown"]) == (1, []), f"{answer}")
    total = ask(raw, 5, "send", send_to(GROUPS, 5, groups=[group] * 1_000, dry_run=1))["total"]
    require(total == 1, f"{total} recipients")


def too_many_groups(deployment: Deployment, raw: RawConnection) -> None:
    """A device in 1,000 groups cannot join another one, and no other device joins with it."""
    names = [f"many/{index:04}" for index in range(1_001)]
    devices, _ = new_devices(raw, 2)
    raw.send(b"".join(join(devices[:1], 4 + index, name) for index, name in enumerate(names[:1_000])))
    joined = sum(raw.read_frame(20).fields["joined"] for _ in range(1_000))
    require(joined == 1_000, f"{joined} of 1,000 groups joined")
    raw.send(join(reversed(devices), 1_004, names[1_000]))
    expect_error(raw, invalid("group"))
    answer = ask(raw, 1_005, "group_devices",
                 request("group_devices", 1_005, group=names[1_000], cursor=0, limit=10))
    require(answer == {"next": 0, "devices": []}, f"{answer}")


def ten_thousand_members(deployment: Deployment, raw: RawConnection) -> None:
    """A group of 10,000 devices that join at the same time: the listing is complete, and a message to the group
    ends once for each."""
    group = "crowd/" + os.urandom(8).hex()
    devices, _ = new_devices(raw, 10_000)
    pages = [devices[begin:begin + 1_000] for begin in range(0, 10_000, 1_000)]
    raw.send(b"".join(join(page, 100 + index, group) for index, page in enumerate(pages)))
    joined = sum(raw.read_frame(20).fields["joined"] for _ in pages)
    require(joined == 10_000, f"{joined} joined")
    cursor, listed = 0, []
    for id in range(200, 211):
        answer = ask(raw, id, "group_devices",
                     request("group_devices", id, group=group, cursor=cursor, limit=1_000))
        listed += answer["devices"]
        cursor = answer["next"]
        if cursor == 0:
            break
    require(listed == sorted(devices) and cursor == 0, f"{len(listed)} listed, next {cursor}")
    raw.send(request("update_group", 300, group=group, muted=1))
    require(expect_answer(raw, 300, "update_group").fields["devices"] == 10_000, "not counted")
    answer = ask(raw, 301, "send", send_to(GROUPS, 301, groups=[group]))
    require(answer["total"] == 10_000, f"{answer}")
    outcomes = finished_status(deployment, answer["message_id"])["outcomes"]
    require(outcomes == {"muted": 10_000}, f"{outcomes}")


def empty_group(deployment: Deployment, raw: RawConnection) -> None:
    """A message to a group that does not exist is finished at once."""
    answer = ask(raw, 3, "send", send_to(GROUPS, groups=["not/existing"]))
    require((answer["total"], answer["ended"]) == (0, 0) and answer["message_id"] != 0, f"{answer}")
    status = ask(raw, 4, "message_status", request("message_status", 4, message_id=answer["message_id"]))
    require((status["state"], status["total"], status["outcomes"]) == (FINISHED, 0, []), f"{status}")


def cursors_past_the_end(deployment: Deployment, raw: RawConnection) -> None:
    """A page after the last row is empty and is the last page."""
    raw.send(request("group_devices", 3, group="often", cursor=LARGEST_NUMBER, limit=1_000)
             + request("topic_devices", 4, topic="often", cursor=LARGEST_NUMBER, limit=1_000)
             + request("devices", 5, cursor=LARGEST_NUMBER, limit=1_000)
             + request("quarantine", 6, cursor=LARGEST_NUMBER, limit=1_000)
             + request("groups", 7, prefix="", after="~" * 200, limit=1_000)
             + request("topics", 8, prefix="~" * 200, after="", limit=1_000))
    for _ in range(6):
        frame = raw.read_frame()
        rows = [value for value in frame.fields.values() if isinstance(value, list)]
        require(rows == [[]] and not frame.fields["next"], f"{frame}")


# Conditions

def chain(count: int, operator: str = " || ") -> str:
    """Returns a condition of `count` terms."""
    return operator.join(f"'t{index}' in topics" for index in range(count))


def wide(terms: int) -> str:
    """Returns a condition without white space. Its canonical form has 6 bytes more for each term but the last."""
    return "||".join(["k=='12345678'"] * terms)


def refused_at(column: int, text: str) -> Action:
    """EXPLAIN and SEND refuse the condition and name the same column."""

    def play(deployment: Deployment, raw: RawConnection) -> None:
        for id, data in ((3, request("explain", 3, condition=text)), (4, send_to(CONDITION, 4, condition=text))):
            raw.send(data)
            frame = raw.read_frame()
            require(frame is not None and frame.message == "error", f"{frame}")
            found = (crln.ERRORS[frame.fields["code"]], frame.fields.get("field"), frame.fields.get("column"))
            require(found == ("INVALID_ARGUMENT", "condition", column) and frame.id == id, f"{found}")

    return play


def accepted(text: str) -> Action:
    """EXPLAIN and SEND accept the condition and count the same number of devices."""

    def play(deployment: Deployment, raw: RawConnection) -> None:
        explained = ask(raw, 3, "explain", request("explain", 3, condition=text))
        again = ask(raw, 4, "explain", request("explain", 4, condition=explained["condition"]))
        require(again == explained, "the canonical form is another condition")
        counted = ask(raw, 5, "send", send_to(CONDITION, 5, condition=text, dry_run=1))
        require(counted["total"] == explained["devices"], f"{counted} but {explained['devices']} explained")

    return play


def overlapping(deployment: Deployment, raw: RawConnection) -> None:
    """200 topics with the same 50 devices: every combination addresses each device once."""
    devices, tokens = new_devices(raw, 50)
    mark = os.urandom(4).hex()
    topics = [f"over/{mark}/{index}" for index in range(MAXIMUM_PAIRS // 50)]
    changed = ask(raw, 4, "subscribe", subscribe(topics, 4, devices))["changed"]
    require(changed == MAXIMUM_PAIRS, f"{changed} of {MAXIMUM_PAIRS} pairs")
    terms = [f"'{topic}' in topics" for topic in topics]
    union, common = " || ".join(terms), " && ".join(terms)
    for id, (text, wanted) in enumerate(((union, 50), (common, 50), (f"({union}) && ({common})", 50),
                                         (f"({common}) && !({union})", 0), (f"!(!({union}))", 50),
                                         (f"({union}) && all", 50)), 5):
        found = ask(raw, id, "explain", request("explain", id, condition=text))["devices"]
        require(found == wanted, f"{found} devices, not {wanted}: {text[:60]}")
    answer = ask(raw, 20, "send", send_to(CONDITION, 20, condition=f"{union} || {terms[0]} && {terms[1]}"))
    outcomes = finished_status(deployment, answer["message_id"])["outcomes"]
    require(answer["total"] == 50 and outcomes == {"delivered": 50}, f"{answer} {outcomes}")
    counts = {deployment.simulator.accepted_count(token) for token in tokens}
    require(counts == {1}, f"pushes for a device: {counts}")


def never_started(deployment: Deployment, raw: RawConnection) -> None:
    """1,000 scheduled messages to conditions, due in a year, need little memory, and end when they are cancelled."""
    before = deployment.resident_bytes
    later = int(time.time() * 1_000) + 365 * 86_400_000
    raw.send(b"".join(send_to(CONDITION, 3 + index, condition=chain(100), send_at=later) for index in range(1_000)))
    messages = [raw.read_frame(30).fields["message_id"] for _ in range(1_000)]
    require(len(set(messages)) == 1_000 and 0 not in messages, "not accepted")
    require(deployment.resident_bytes - before < 64 << 20, "the server grew")
    raw.send(b"".join(request("update_message", 2_000 + index, message_id=message, action=CANCEL)
                      for index, message in enumerate(messages)))
    states = {raw.read_frame(30).fields["state"] for _ in messages}
    require(states <= {WAITING, FINISHED}, f"cancelled, and then in states {states}")
    finished_status(deployment, messages[-1])
    raw.send(b"".join(request("message_status", 4_000 + index, message_id=message)
                      for index, message in enumerate(messages)))
    ends = {(fields["state"], fields["total"]) for fields in (raw.read_frame(30).fields for _ in messages)}
    require(ends == {(FINISHED, 0)}, f"states and totals of cancelled messages without recipients: {ends}")


# Messages and keys that are closed

def same_audience_again(deployment: Deployment, raw: RawConnection) -> None:
    """The same idempotency key gets the first answer, even if the audience has grown; with another audience it is
    a conflict."""
    devices, _ = new_devices(raw, 2)
    key, topic = os.urandom(16), "again/" + os.urandom(4).hex()
    ask(raw, 4, "subscribe", subscribe([topic], 4, devices[:1]))
    first = ask(raw, 5, "send", send_to(TOPIC, 5, topic=topic, key=key))
    ask(raw, 6, "subscribe", subscribe([topic], 6, devices[1:]))
    second = ask(raw, 7, "send", send_to(TOPIC, 7, topic=topic, key=key))
    require(second == {**first, "duplicate": 1} and first["total"] == 1, f"{first}, then {second}")
    raw.send(send_to(TOPIC, 8, topic=topic + "x", key=key))
    expect_error(raw, Refused("IDEMPOTENCY_CONFLICT", "request"))
    raw.send(send_to(ALL, 9, key=key))
    expect_error(raw, Refused("IDEMPOTENCY_CONFLICT", "request"))


def too_late_for(deployment: Deployment, raw: RawConnection) -> None:
    """A device that registers after the acceptance of a message is not addressed, even if it is in the topic before
    the fan-out."""
    topic = "late/" + os.urandom(4).hex()
    devices, _ = new_devices(raw, 3)
    ask(raw, 4, "subscribe", subscribe([topic], 4, devices))
    message = ask(raw, 5, "send", send_to(TOPIC, 5, topic=topic, pace=1))["message_id"]
    late, (token,) = new_devices(raw, 1, 6)
    ask(raw, 7, "subscribe", subscribe([topic], 7, late))
    status = finished_status(deployment, message)
    require(status["outcomes"] == {"delivered": 3} and status["total"] == 3, f"{status}")
    require(deployment.simulator.accepted_count(token) == 0, "a push to a device that came too late")


def updated_after_the_end(deployment: Deployment, raw: RawConnection) -> None:
    """A finished message stays finished after any number of updates."""
    message = ask(raw, 3, "send", send_to(GROUPS, groups=["not/existing"]))["message_id"]
    actions = [{"action": CANCEL}, {"action": PAUSE}, {"action": RESUME}, {"action": PACE, "pace": 1},
               {"action": PACE}] * 20
    raw.send(b"".join(request("update_message", 4 + index, message_id=message, **action)
                      for index, action in enumerate(actions)))
    states = [raw.read_frame().fields["state"] for _ in actions]
    require(set(states) == {FINISHED}, f"{states}")


def resent(deployment: Deployment, raw: RawConnection) -> None:
    """RESEND of an unfinished message is refused; two RESENDs with one key make one message."""
    later = int(time.time() * 1_000) + 86_400_000
    waiting = ask(raw, 3, "send", send_to(GROUPS, groups=["not/existing"], send_at=later))["message_id"]
    raw.send(request("resend", 4, message_id=waiting, key=crln.NO_KEY, outcomes=[]))
    expect_error(raw, invalid("message_id"))
    ask(raw, 5, "update_message", request("update_message", 5, message_id=waiting, action=CANCEL))
    ended = ask(raw, 6, "send", send(id=6))["message_id"]
    finished_status(deployment, ended)
    key = os.urandom(16)
    raw.send(b"".join(request("resend", 7 + index, message_id=ended, key=key, outcomes=[2]) for index in range(20)))
    answers = [raw.read_frame().fields for _ in range(20)]
    require(len({each["message_id"] for each in answers}) == 1, "several messages")
    require([each["duplicate"] for each in answers] == [0] + [1] * 19, "not one, and then the same again")


def receipts_twice(deployment: Deployment, raw: RawConnection) -> None:
    """A receipt counts once, even 1,000 times in one request; unknown devices are reported."""
    devices, _ = new_devices(raw, 1)
    message = ask(raw, 4, "send", send_to(DEVICES, 4, devices=ids(devices)))["message_id"]
    finished_status(deployment, message)

    def receipt(device: int, number: Optional[int] = None) -> Dict[str, Any]:
        return {"message_id": message if number is None else number, "device": {"id": device}, "kind": 1}

    own = receipt(devices[0])
    answer = ask(raw, 5, "receipts", request("receipts", 5, receipts=[own] * 1_000))
    require(answer == {"counted": 1, "unknown": []}, f"{answer}")
    unknown = [own, receipt(LARGEST_NUMBER), receipt(devices[0], LARGEST_NUMBER), receipt(0, 0)]
    answer = ask(raw, 6, "receipts", request("receipts", 6, receipts=unknown))
    require(answer == {"counted": 0, "unknown": [1, 2, 3]}, f"{answer}")


# Invalid names, and the fault of each.
NAMES: List[Tuple[str, bytes, bool]] = [
    ("not UTF-8", b"\xff\xfe", True), ("overlong", b"a\xc0\xaf", True), ("a surrogate", b"\xed\xa0\x80", True),
    ("cut short", b"a\xe2\x82", True), ("above U+10FFFF", b"\xf4\x90\x80\x80", True), ("with U+0000", b"a\0b", True),
    ("nothing", b"", False), ("201 bytes", b"a" * 201, False), ("65,535 bytes", b"a" * 65_535, False),
    ("beginning with a slash", b"/a", False), ("a byte order mark", b"\xef\xbb\xbf", False),
    ("with a space", b"a b", False), ("with a line feed", b"a\nb", False),
    ("a quote and a condition", b"a' || all", False),
]
MANY_IDS = list(range(1, 10_001))
LONGEST_TERM = "'" + "t" * 200 + "' in topics"

ROWS: List[Row] = [
    *(Row(Kind.GROUPS, f"JOIN to a group that is {name}", "open", join_named(group),
          malformed("group") if is_malformed else invalid("group")) for name, group, is_malformed in NAMES),
    Row(Kind.GROUPS, "JOIN to a group of 200 bytes", "open", join_named(b"~" * 200), ANSWERED),
    Row(Kind.GROUPS, "JOIN to a group past the end", "open", raw_frame(string(APP_BYTES) + b"\xff\xffa", 0x20, 3),
        malformed("group")),
    Row(Kind.GROUPS, "JOIN of no device", "open", join([]), invalid("devices")),
    Row(Kind.GROUPS, "JOIN of 1,001 devices", "open", join(MANY_IDS[:1_001]), invalid("devices")),
    Row(Kind.GROUPS, "JOIN of 10,000 devices", "open", join(MANY_IDS), invalid("devices")),
    Row(Kind.GROUPS, "JOIN of 2³²−1 devices", "open",
        raw_frame(string(APP_BYTES) + string(b"g") + LARGEST_COUNT.to_bytes(4, "big") + bytes(30), 0x20, 3),
        malformed("devices")),
    Row(Kind.GROUPS, "JOIN with an announcement of 4,097 bytes", "open",
        join([1], announcement=b'{"a":"' + b"x" * 4_089 + b'"}'), Refused("TOO_LARGE", "request", "announcement")),
    Row(Kind.GROUPS, "LEAVE of 10,000 devices", "open", request("leave", group="g", devices=ids(MANY_IDS)),
        invalid("devices")),
    Row(Kind.GROUPS, "SWITCH to the same group", "open",
        request("switch", device={"id": 1}, **{"from": "a", "to": "a"}), invalid("to")),
    Row(Kind.GROUPS, "SWITCH of a device that there is not", "open",
        request("switch", device={"id": LARGEST_NUMBER}, **{"from": "a", "to": "b"}),
        Refused("NOT_FOUND", "request", "device")),
    Row(Kind.GROUPS, "JOIN of 1,000 unknown devices", "open", unknown_devices_only),
    Row(Kind.GROUPS, "JOIN of one device 1,000 times", "open", one_device_often),
    Row(Kind.GROUPS, "a device in 1,001 groups", "open", too_many_groups),
    Row(Kind.GROUPS, "10,000 join at once", "open", ten_thousand_members),
    Row(Kind.GROUPS, "SEND to a group that there is not", "open", empty_group),
    Row(Kind.GROUPS, "SEND to 1,001 groups", "open", send_to(GROUPS, groups=["g"] * 1_001), invalid("groups")),
    Row(Kind.GROUPS, "SEND to no groups", "open", send_to(GROUPS, groups=[]), invalid("groups")),
    Row(Kind.GROUPS, "SEND to 2³²−1 groups", "open",
        raw_frame(send_to(GROUPS)[16:] + tags(b"\1", tag(23, LARGEST_COUNT.to_bytes(4, "big") + b"\0\1g")), 0x50, 3),
        malformed("groups")),
    Row(Kind.GROUPS, "cursors of 2⁶⁴−1", "open", cursors_past_the_end),
    *(Row(Kind.GROUPS, f"GROUP_DEVICES with limit {limit}", "open",
          request("group_devices", group="g", cursor=0, limit=limit), invalid("limit"))
      for limit in (0, 1_001, LARGEST_COUNT)),
    Row(Kind.AUDIENCE, "a condition of 16,384 bytes", "open", accepted("all".ljust(16_384))),
    Row(Kind.AUDIENCE, "a condition of 16,385 bytes", "open", refused_at(16_385, "all".ljust(16_385))),
    Row(Kind.AUDIENCE, "a condition of 65,535 bytes", "open", refused_at(16_385, "(" * 65_535)),
    Row(Kind.AUDIENCE, "1,000 terms", "open", accepted("||".join(["all"] * 1_000))),
    Row(Kind.AUDIENCE, "700 terms with nothing in common", "open",
        accepted("&&".join(f"k=='{index}'" for index in range(700)))),
    Row(Kind.AUDIENCE, "1,001 terms", "open", refused_at(5_001, "||".join(["all"] * 1_001))),
    Row(Kind.AUDIENCE, "64 parentheses", "open", accepted("(" * 64 + "all" + ")" * 64)),
    Row(Kind.AUDIENCE, "65 parentheses", "open", refused_at(65, "(" * 65 + "all" + ")" * 65)),
    Row(Kind.AUDIENCE, "64 complements", "open", accepted("!" * 64 + "all")),
    Row(Kind.AUDIENCE, "65 complements", "open", refused_at(65, "!" * 65 + "all")),
    Row(Kind.AUDIENCE, "32 complements of parentheses", "open",
        accepted("!(" * 32 + "all || 'a' in topics" + ")" * 32)),
    Row(Kind.AUDIENCE, "16,384 parentheses", "open", refused_at(65, "(" * 16_384)),
    Row(Kind.AUDIENCE, "16,384 complements", "open", refused_at(65, "!" * 16_384)),
    Row(Kind.AUDIENCE, "a canonical form that is too long", "open", refused_at(len(wide(1_000)) + 1, wide(1_000))),
    Row(Kind.AUDIENCE, "terms of 200 bytes up to the limit", "open", accepted(" || ".join([LONGEST_TERM] * 75))),
    Row(Kind.AUDIENCE, "a topic of 201 bytes", "open", refused_at(202, "'" + "t" * 201 + "' in topics")),
    Row(Kind.AUDIENCE, "a quote that does not end", "open", refused_at(16_385, "'".ljust(16_385, "t"))),
    Row(Kind.AUDIENCE, "a condition beyond ASCII", "open", refused_at(1, "\u00e9 == 'a'")),
    Row(Kind.AUDIENCE, "a condition with a no-break space", "open", refused_at(4, "all\u00a0&& all")),
    *(Row(Kind.AUDIENCE, f"a condition that is {name}", "open", send_to_raw_condition(text), malformed("condition"))
      for name, text, is_malformed in NAMES if is_malformed),
    Row(Kind.AUDIENCE, "all parts overlapping", "open", overlapping),
    Row(Kind.AUDIENCE, "1,000 messages that never start", "open", never_started),
    *(Row(Kind.AUDIENCE, f"SEND that starts {name}", "open", send_to(ALL, send_at=at), invalid("send_at"))
      for name, at in (("in 367 days", int(time.time() * 1_000) + MORE_THAN_A_YEAR_MILLISECONDS),
                       ("in 2⁶⁴−1 ms", LARGEST_NUMBER))),
    Row(Kind.AUDIENCE, "SEND to a condition and a topic", "open", send_to(CONDITION, condition="all", topic="a"),
        invalid("topic")),
    *(Row(Kind.AUDIENCE, f"audience {audience}", "open", send_to(audience), invalid("audience"))
      for audience in (0, 6, 255)),
    Row(Kind.MESSAGE_UPDATE, "a key with the same audience, grown", "open", same_audience_again),
    Row(Kind.MESSAGE_UPDATE, "a device that comes too late", "open", too_late_for),
    Row(Kind.MESSAGE_UPDATE, "UPDATE_MESSAGE of a finished message", "open", updated_after_the_end),
    *(Row(Kind.MESSAGE_UPDATE, f"UPDATE_MESSAGE with action {action}", "open",
          request("update_message", message_id=1, action=action), invalid("action"))
      for action in (0, 5, 255)),
    Row(Kind.MESSAGE_UPDATE, "UPDATE_MESSAGE with a pace that is none", "open",
        request("update_message", message_id=1, action=PACE, pace=0), invalid("pace")),
    Row(Kind.MESSAGE_UPDATE, "UPDATE_MESSAGE with a pace that does not belong", "open",
        request("update_message", message_id=1, action=CANCEL, pace=5), invalid("pace")),
    *(Row(Kind.MESSAGE_UPDATE, f"UPDATE_MESSAGE of message {message:#x}", "open",
          request("update_message", message_id=message, action=CANCEL), Refused("NOT_FOUND", "request", "message_id"))
      for message in (0, 1 << 52, LARGEST_NUMBER)),
    *(Row(Kind.MESSAGE_UPDATE, f"{message} of what there is not", "open", request(message, **fields),
          Refused("NOT_FOUND", "request", field))
      for message, field, fields in (
          ("resend", "message_id", {"message_id": LARGEST_NUMBER, "key": crln.NO_KEY, "outcomes": []}),
          ("message_status", "message_id", {"message_id": LARGEST_NUMBER}),
          ("message_outcomes", "message_id", {"message_id": LARGEST_NUMBER, "cursor": 0, "limit": 1}),
          ("receipt_devices", "message_id", {"message_id": LARGEST_NUMBER, "kind": 1, "cursor": 0, "limit": 1}),
          ("lookup", "device", {"device": {"id": LARGEST_NUMBER}}),
          ("restore", "device", {"device": {"id": LARGEST_NUMBER}}),
          ("memberships", "device", {"device": {"id": LARGEST_NUMBER}, "after": "", "limit": 1}))),
    Row(Kind.MESSAGE_UPDATE, "RESEND too early, and twice", "open", resent),
    *(Row(Kind.MESSAGE_UPDATE, f"RESEND of {name}", "open",
          request("resend", message_id=1, key=crln.NO_KEY, outcomes=outcomes), invalid("outcomes"))
      for name, outcomes in (("outcome 0", [0]), ("outcome 1", [1]), ("65 outcomes", [2] * 65))),
    Row(Kind.MESSAGE_UPDATE, "receipts twice", "open", receipts_twice),
]
