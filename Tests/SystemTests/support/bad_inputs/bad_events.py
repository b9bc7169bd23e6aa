"""Bad inputs about events: positions, filters, credit, acknowledgements, and clients that do not read."""
from __future__ import annotations

import os
import socket
import threading
from contextlib import ExitStack
from typing import Dict, List

from support.bad_inputs.bad_audiences import LARGEST_COUNT, LARGEST_NUMBER, NAMES, request, subscribe, subscribe_named
from support.bad_inputs.bad_input_actions import Action
from support.bad_inputs.bad_input_kinds import Kind
from support.clients.event_requests import (NO_SUBSCRIPTION, REPLACED, begin_subscription, credit, events,
                                            events_named, expect_no_event, make_events, take_events, unsubscribe)
from support.clients.raw_connection import RawConnection, raw_frame
from support.clients.requests import (ANSWERED, Refused, Row, ask, expect_error, invalid, malformed, register_payload,
                                      string)
from support.deployment import Deployment, sha256
from support.environment import APP, OTHER_APP, crln, require, stable

# A principal that may see the other app only.
OTHER_KEY = "crln_" + "53" * 32
PRINCIPALS = [{"name": "other", "keySHA256": [sha256(OTHER_KEY)],
               "grants": [{"app": OTHER_APP, "roles": ["observe", "admin"]}]}]


# Where a subscription begins

def from_the_future(start: int) -> Action:
    """A start after the newest event is taken as the newest event. Else a subscription that begins with a number of
    another history would stay silent."""

    def play(deployment: Deployment, raw: RawConnection) -> None:
        now = begin_subscription(raw, events(), 3)
        after = begin_subscription(raw, events(5, start=start, credit=LARGEST_NUMBER), 5)
        require(after == now, f"after {after}, not {now}")
        make_events(deployment, 10)
        take_events(raw, 10, 5)
        expect_no_event(raw, 9)

    return play


def named_from_the_future(deployment: Deployment, raw: RawConnection) -> None:
    """A named subscription that begins far ahead gets, at its next start, the events after that start."""
    name = "ahead/" + os.urandom(4).hex()
    begin_subscription(raw, events(name=name, start=1 << 63, credit=0))
    make_events(deployment, 1)
    ask(raw, 4, "unsubscribe_events", unsubscribe(3, 4))
    begin_subscription(raw, events(5, name=name, start=crln.NOW, credit=LARGEST_NUMBER), 5)
    make_events(deployment, 3)
    take_events(raw, 3, 5)


def before_the_oldest(deployment: Deployment, raw: RawConnection) -> None:
    """A subscription whose start is no longer kept begins with a gap, and then gets every kept event. One that starts
    with the oldest kept event gets no gap."""
    with Deployment(simulator=None, flags=["--retention-maximum-events", "1000"]) as small:
        make_events(small, 3_500)
        with small.raw("open") as reader:
            for id, start in ((3, 1), (4, 2_000), (5, crln.OLDEST)):
                after = begin_subscription(reader, events(id, start=start, credit=5), id)
                first, *others = take_events(reader, 5, id)
                if start != crln.OLDEST:
                    require(after == start and first.fields["kind"] == 0, f"no gap after {start}: {first}")
                    gap = first.fields
                    require((gap["missed_from"], gap["sequence"]) == (start + 1, gap["missed_to"] - 1), f"{gap}")
                    after = gap["sequence"]
                    require(after >= 2_000, f"only {after} are gone")
                else:
                    others = [first, *others]
                numbers = [frame.fields["sequence"] for frame in others]
                require(numbers == list(range(after + 1, after + 1 + len(numbers))), f"after {after}: {numbers}")


def name_of_another(deployment: Deployment, raw: RawConnection) -> None:
    """A subscription name belongs to one principal: another principal with the same name has a position of its own
    and sees its own apps."""
    name = "shared/" + os.urandom(4).hex()
    before = begin_subscription(raw, events(name=name))
    with RawConnection(deployment.port, OTHER_KEY, "open") as other:
        begin_subscription(other, events(name=name, credit=LARGEST_NUMBER))
        make_events(deployment, 2)
        make_events(deployment, 1, OTHER_APP)
        (event,) = take_events(other, 1)
        require(event.fields["app"] == OTHER_APP, f"{event}")
        ask(other, 4, "event_credit", credit(3, LARGEST_NUMBER, 4, ack=event.fields["sequence"]))
        expect_no_event(other, 9)
    ask(raw, 4, "unsubscribe_events", unsubscribe(3, 4))
    after = begin_subscription(raw, events(5, name=name, start=0), 5)
    require(after == before, "another principal has moved the position")


def of_another(data: bytes, expected: Refused) -> Action:
    """A request of a principal that may see the other app only."""

    def play(deployment: Deployment, raw: RawConnection) -> None:
        with RawConnection(deployment.port, OTHER_KEY, "open") as other:
            other.send(data)
            expect_error(other, expected)

    return play


def unknown_kinds(deployment: Deployment, raw: RawConnection) -> None:
    """A filter with only unknown kinds gets no event; unknown kinds beside a known one do no harm."""
    begin_subscription(raw, events(kinds=range(65_472, 65_536), credit=LARGEST_NUMBER))
    begin_subscription(raw, events(4, kinds=[65_535, REPLACED, 999, REPLACED], credit=LARGEST_NUMBER), 4)
    make_events(deployment, 3)
    take_events(raw, 3, 4)
    expect_no_event(raw, 9)


# Credit

def credit_backwards(deployment: Deployment, raw: RawConnection) -> None:
    """Credit lower than before neither takes back nor grants events."""
    begin_subscription(raw, events(credit=2))
    make_events(deployment, 5)
    first = take_events(raw, 2)
    for id, amount in enumerate((1, 0, 2), 4):
        ask(raw, id, "event_credit", credit(3, amount, id))
    expect_no_event(raw, 9)
    ask(raw, 11, "event_credit", credit(3, 3, 11))
    second = take_events(raw, 1)
    expect_no_event(raw, 12)
    numbers = [frame.fields["sequence"] for frame in first + second]
    require(numbers == list(range(numbers[0], numbers[0] + 3)), f"{numbers}")


def largest_credit(deployment: Deployment, raw: RawConnection) -> None:
    """Credit of 2⁶⁴−1: at the start, in steps, and repeated; then a lower value, which changes nothing."""
    begin_subscription(raw, events(credit=LARGEST_NUMBER))
    begin_subscription(raw, events(4, credit=1), 4)
    for id, amount in enumerate((LARGEST_NUMBER - 1, LARGEST_NUMBER, LARGEST_NUMBER, 5), 5):
        ask(raw, id, "event_credit", credit(4, amount, id))
    make_events(deployment, 300)
    frames = [raw.read_frame(20) for _ in range(600)]
    for id in (3, 4):
        numbers = [frame.fields["sequence"] for frame in frames if frame.id == id]
        require(len(numbers) == 300 and numbers == sorted(set(numbers)), f"{len(numbers)} events of {id}")


def credit_without_subscription(deployment: Deployment, raw: RawConnection) -> None:
    """Credit for an id that is not a subscription of this connection: never was one, was refused, has ended, or
    belongs to another connection."""
    with deployment.raw("open") as other:
        begin_subscription(other, events(1_000), 1_000)
        raw.send(events(3, kinds=[0]))
        expect_error(raw, invalid("kinds"))
        begin_subscription(raw, events(4), 4)
        ask(raw, 5, "unsubscribe_events", unsubscribe(4, 5))
        for id, subscription in enumerate((0, 2, 3, 4, 99, 1_000, LARGEST_NUMBER), 5):
            raw.send(credit(subscription, 1, 2 * id) + unsubscribe(subscription, 2 * id + 1))
            expect_error(raw, NO_SUBSCRIPTION)
            expect_error(raw, NO_SUBSCRIPTION)


def many_credits_without_subscription(deployment: Deployment, raw: RawConnection) -> None:
    """Very many grants of credit for a subscription that does not exist end the connection."""
    raw.send(b"".join(credit(1, index, 3 + index) for index in range(3_000)))
    errors = 0
    while (frame := raw.read_frame()) is not None:
        code = crln.ERRORS[frame.fields["code"]]
        if code == "TOO_MANY_ERRORS":
            require(1_000 <= errors <= 1_200, f"{errors} errors before the end")
            return
        require(code == "NOT_FOUND", code)
        errors += 1
    raise AssertionError(f"closed after {errors} errors without TOO_MANY_ERRORS")


def everything_at_once(deployment: Deployment, raw: RawConnection) -> None:
    """SUBSCRIBE, credit, UNSUBSCRIBE and credit again in one write: each gets the answer for the state it finds."""
    raw.send(events(3) + credit(3, 5, 4) + unsubscribe(3, 5) + credit(3, 9, 6))
    found: Dict[int, str] = {}
    for _ in range(4):
        frame = raw.read_frame()
        require(frame is not None and frame.id not in found, f"{frame}")
        found[frame.id] = frame.message
    require(found[6] == "error" and found[3] == "subscribe_events", f"{found}")


def credit_by_ones(deployment: Deployment, raw: RawConnection) -> None:
    """2,000 grants of one event each, in one write, bring exactly 2,000 events."""
    begin_subscription(raw, events())
    make_events(deployment, 2_100)
    reader = threading.Thread(target=lambda: raw.send(b"".join(credit(3, index, 3 + index)
                                                               for index in range(1, 2_001))), daemon=True)
    reader.start()
    frames = [raw.read_frame(20) for _ in range(4_000)]
    reader.join(10)
    numbers = [frame.fields["sequence"] for frame in frames if frame.message == "event"]
    require(len(numbers) == 2_000 and numbers == list(range(numbers[0], numbers[0] + 2_000)),
            f"{len(numbers)} events")
    expect_no_event(raw, 9_000)


# Acknowledgements

def acknowledged_unsent(number: int) -> Action:
    """An acknowledgement of an event that has not happened yet does not suppress it: no event is lost."""

    def play(deployment: Deployment, raw: RawConnection) -> None:
        name = "eager/" + os.urandom(4).hex()
        begin_subscription(raw, events(name=name))
        make_events(deployment, 2)
        ask(raw, 4, "event_credit", credit(3, 0, 4, ack=number))
        ask(raw, 5, "unsubscribe_events", unsubscribe(3, 5))
        make_events(deployment, 2)
        begin_subscription(raw, events(6, name=name, start=0, credit=LARGEST_NUMBER), 6)
        take_events(raw, 2, 6)
        expect_no_event(raw, 9)

    return play


def acknowledged_backwards(deployment: Deployment, raw: RawConnection) -> None:
    """An acknowledgement lower than before, or of 0, does not move the position back."""
    name = "back/" + os.urandom(4).hex()
    begin_subscription(raw, events(name=name, credit=4))
    make_events(deployment, 4)
    numbers = [frame.fields["sequence"] for frame in take_events(raw, 4)]
    for id, number in enumerate((numbers[2], numbers[0], 0, 1), 4):
        ask(raw, id, "event_credit", credit(3, 4, id, ack=number))
    ask(raw, 8, "unsubscribe_events", unsubscribe(3, 8))
    require(begin_subscription(raw, events(9, name=name, start=0), 9) == numbers[2], "the position has moved")


def acknowledged_without_a_name(deployment: Deployment, raw: RawConnection) -> None:
    """A subscription without a name has nothing to acknowledge; its events continue."""
    begin_subscription(raw, events(credit=LARGEST_NUMBER))
    ask(raw, 4, "event_credit", credit(3, LARGEST_NUMBER, 4, ack=LARGEST_NUMBER))
    make_events(deployment, 3)
    take_events(raw, 3)


def acknowledged_by_two(deployment: Deployment, raw: RawConnection) -> None:
    """Two connections with one name: the higher acknowledgement counts, in either order."""
    name = "two/" + os.urandom(4).hex()
    begin_subscription(raw, events(name=name, credit=9))
    with deployment.raw("open") as other:
        begin_subscription(other, events(name=name, credit=9))
        make_events(deployment, 4)
        numbers = [frame.fields["sequence"] for frame in take_events(raw, 4)]
        require(numbers == [frame.fields["sequence"] for frame in take_events(other, 4)], "the events come differently")
        ask(raw, 4, "event_credit", credit(3, 9, 4, ack=numbers[3]))
        ask(other, 4, "event_credit", credit(3, 9, 4, ack=numbers[0]))
    ask(raw, 5, "unsubscribe_events", unsubscribe(3, 5))
    require(begin_subscription(raw, events(6, name=name, start=0), 6) == numbers[3], "the position has moved")


# Large numbers

def ninth_subscription(deployment: Deployment, raw: RawConnection) -> None:
    """A ninth subscription is refused with the limit; when one has ended, a new one is accepted."""
    for id in range(3, 11):
        begin_subscription(raw, events(id), id)
    raw.send(events(11))
    frame = raw.read_frame()
    found = (crln.ERRORS[frame.fields["code"]], frame.fields.get("field"), frame.fields.get("limit"))
    require(found == ("INVALID_ARGUMENT", None, 8), f"{found}")
    ask(raw, 12, "unsubscribe_events", unsubscribe(3, 12))
    begin_subscription(raw, events(13), 13)


def ten_thousand_subscriptions(deployment: Deployment, raw: RawConnection) -> None:
    """Of 10,000 subscriptions in one write at most eight are accepted; the refused ones end the connection, maybe
    before all are answered."""
    frames = b"".join(events(3 + index, credit=LARGEST_NUMBER) for index in range(10_000))
    writer = threading.Thread(target=raw.send, args=(frames,), daemon=True)
    writer.start()
    taken, refused = 0, 0
    while (frame := raw.read_frame()) is not None:
        if frame.message == "subscribe_events":
            taken += 1
        elif crln.ERRORS[frame.fields["code"]] == "TOO_MANY_ERRORS":
            break
        else:
            require(crln.ERRORS[frame.fields["code"]] == "INVALID_ARGUMENT", f"{frame}")
            refused += 1
    writer.join(10)
    require(taken <= 8 and 1_000 <= refused <= 1_200, f"{taken} taken, {refused} refused")


def over_and_over(deployment: Deployment, raw: RawConnection) -> None:
    """5,000 subscriptions that end at once leave no state behind."""
    before = deployment.resident_bytes
    for first in range(3, 10_003, 500):
        raw.send(b"".join(events(id, credit=LARGEST_NUMBER) + unsubscribe(id, id + 1)
                          for id in range(first, first + 500, 2)))
        frames = [raw.read_frame(20) for _ in range(500)]
        require(all(frame.message != "error" for frame in frames), f"{[f for f in frames if f.message == 'error'][:1]}")
    require(deployment.resident_bytes - before < 16 << 20, "the server grew")


def hundred_and_one_names(deployment: Deployment, raw: RawConnection) -> None:
    """The server keeps 100 names of a principal; a new one above that is refused with the limit, a known one is
    accepted."""
    with Deployment(simulator=None) as other, other.raw("open") as reader:
        for index in range(100):
            id = 3 + 2 * index
            reader.send(events(id, name=f"name/{index}") + unsubscribe(id, id + 1))
            messages = {reader.read_frame().message, reader.read_frame().message}
            require(messages == {"subscribe_events", "unsubscribe_events"}, f"name {index}")
        reader.send(events(5_000, name="one more"))
        frame = reader.read_frame()
        found = (crln.ERRORS[frame.fields["code"]], frame.fields.get("field"), frame.fields.get("limit"))
        require(found == ("INVALID_ARGUMENT", "name", 100), f"{found}")
        begin_subscription(reader, events(5_001, name="name/7", start=0), 5_001)


def too_many_topics(deployment: Deployment, raw: RawConnection) -> None:
    """A device can have 2,000 topics; a request that would exceed that changes nothing. The same holds for a group."""
    mark = os.urandom(4).hex()
    topics = [f"full/{mark}/{index:04}" for index in range(2_001)]
    token = os.urandom(32)
    device = ask(raw, 3, "register", raw_frame(register_payload(token=token), 0x10, 3))["device_id"]
    for id, holders in ((10, {"devices": [device]}), (20, {"groups": [f"full/{mark}"]})):
        for step, page in enumerate((topics[:1_000], topics[1_000:2_000]), id):
            require(ask(raw, step, "subscribe", subscribe(page, step, **holders))["changed"] == 1_000, "not all")
        raw.send(subscribe([topics[2_000]], id + 2, **holders))
        expect_error(raw, invalid("topics"))
        raw.send(subscribe([topics[0], topics[2_000]], id + 3, **holders))
        expect_error(raw, invalid("topics"))
        require(ask(raw, id + 4, "subscribe", subscribe(topics[:9], id + 4, **holders))["changed"] == 0, "not there")
    answer = ask(raw, 30, "topics", request("topics", 30, prefix=topics[2_000], after="", limit=10))
    require(answer["topics"] == [], f"{answer}")


# Clients that do not read

def without_reading(count: int, subscriptions: int, connections: int) -> Action:
    """Clients grant unlimited credit and read nothing while events happen: the server buffers none for them. When the
    first of them reads, its first subscription gets all events in order."""

    def play(deployment: Deployment, raw: RawConnection) -> None:
        with ExitStack() as stack:
            stalled = [stack.enter_context(deployment.raw("open")) for _ in range(connections)]
            for each in stalled:
                each.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
                for id in range(3, 3 + subscriptions):
                    begin_subscription(each, events(id, credit=LARGEST_NUMBER), id)
            make_events(deployment, 1_000)
            before = deployment.heap_bytes
            make_events(deployment, count - 1_000)
            stalled[0].wait_until_stalled()
            grown = stable(lambda: deployment.heap_bytes, "the memory of the server grows") - before
            require(grown < 24 << 20, f"the server has grown by {grown >> 20} MiB for clients that do not read")
            reader = stalled[0]
            found: Dict[int, List[int]] = {}
            while len(found.get(3, [])) < count:
                frame = reader.read_frame(20)
                require(frame is not None, f"closed after {len(found.get(3, []))} events")
                if frame.message == "event":
                    found.setdefault(frame.id, []).append(frame.fields["sequence"])
            numbers = found[3]
            require(numbers == list(range(numbers[0], numbers[0] + count)), "not in order, or not all")

    return play


def reset_while_receiving(deployment: Deployment, raw: RawConnection) -> None:
    """Readers reset their connections while they receive all events from the oldest on."""
    make_events(deployment, 2_000)
    for _ in range(50):
        reader = deployment.raw("open")
        reader.send(events(start=crln.OLDEST, kinds=(), credit=LARGEST_NUMBER))
        reader.reset()


def no_credit(deployment: Deployment, raw: RawConnection) -> None:
    """Without credit no event comes, however many happen; requests are still answered."""
    begin_subscription(raw, events())
    make_events(deployment, 2_000)
    expect_no_event(raw, 9)
    ask(raw, 11, "event_credit", credit(3, 1, 11))
    take_events(raw, 1)
    expect_no_event(raw, 12)


def while_requests_flow(deployment: Deployment, raw: RawConnection) -> None:
    """A large number of events does not delay the answers on the same connection."""
    begin_subscription(raw, events(credit=LARGEST_NUMBER))
    make_events(deployment, 5_000)
    raw.send(b"".join(request("groups", 100 + index, prefix="~", after="", limit=1) for index in range(100)))
    answered = arrived = 0
    while answered < 100 or arrived < 5_000:
        frame = raw.read_frame(20)
        require(frame is not None, "closed")
        answered += frame.message == "groups"
        arrived += frame.message == "event"


ROWS: List[Row] = [
    *(Row(Kind.EVENTS, f"events after {start:#x}", "open", from_the_future(start))
      for start in (1 << 40, 1 << 63, LARGEST_NUMBER - 2)),
    Row(Kind.EVENTS, "a name that begins after 2⁶³", "open", named_from_the_future),
    Row(Kind.EVENTS, "events that are no longer kept", "open", before_the_oldest),
    Row(Kind.EVENTS, "a name of another principal", "open", name_of_another),
    Row(Kind.EVENTS, "events of an app that one may not observe", "open",
        of_another(events(apps=[APP]), Refused("FORBIDDEN", "request", "apps"))),
    Row(Kind.EVENTS, "events of an app that one may, and of one that one may not, observe", "open",
        of_another(events(apps=[OTHER_APP, APP]), Refused("FORBIDDEN", "request", "apps"))),
    Row(Kind.EVENTS, "STATISTICS without the right", "open",
        of_another(crln.encode("client", "statistics", {"limit": 1}, 3), Refused("FORBIDDEN", "request"))),
    Row(Kind.EVENTS, "DEVICES without the right", "open",
        of_another(request("devices", cursor=0, limit=1), Refused("FORBIDDEN", "request"))),
    *(Row(Kind.EVENTS, f"STATISTICS with limit {limit}", "open",
          crln.encode("client", "statistics", {"limit": limit}, 3),
          invalid("limit")) for limit in (0, 1_001, LARGEST_COUNT)),
    *(Row(Kind.EVENTS, f"DEVICES with limit {limit}", "open", request("devices", cursor=0, limit=limit),
          invalid("limit"))
      for limit in (0, 1_001, LARGEST_COUNT)),
    Row(Kind.EVENTS, "kinds that there are not", "open", unknown_kinds),
    Row(Kind.EVENTS, "kind 0", "open", events(kinds=[1, 0]), invalid("kinds")),
    Row(Kind.EVENTS, "65 kinds", "open", events(kinds=range(1, 66)), invalid("kinds")),
    Row(Kind.EVENTS, "2³²−1 kinds", "open",
        raw_frame(string(b"") + bytes(8) + bytes(4) + LARGEST_COUNT.to_bytes(4, "big") + bytes(8), 0x60, 3),
        malformed("kinds")),
    Row(Kind.EVENTS, "65 apps", "open", events(apps=[APP] * 65), invalid("apps")),
    Row(Kind.EVENTS, "one app 64 times", "open", events(apps=[APP] * 64), ANSWERED),
    Row(Kind.EVENTS, "an app of 65,535 bytes", "open", events(apps=["a" * 65_535]), invalid("apps")),
    Row(Kind.EVENTS, "an app that is not served", "open", events(apps=["com.example.nowhere"]),
        Refused("NOT_FOUND", "request", "apps")),
    Row(Kind.EVENTS, "2³²−1 apps", "open",
        raw_frame(string(b"") + bytes(8) + LARGEST_COUNT.to_bytes(4, "big") + bytes(12), 0x60, 3),
        malformed("apps")),
    *(Row(Kind.EVENTS, f"a name that is {name}", "open", events_named(text), malformed("name"))
      for name, text, is_malformed in NAMES if is_malformed),
    Row(Kind.EVENTS, "a name of 65 bytes", "open", events_named(b"n" * 65), invalid("name")),
    Row(Kind.EVENTS, "a name of 65,535 bytes", "open", events_named(b"n" * 65_535), invalid("name")),
    Row(Kind.EVENTS, "a name of 16 characters in 64 bytes", "open", events_named("\U0001f514".encode() * 16), ANSWERED),
    Row(Kind.EVENTS, "a name of control characters", "open", events_named(bytes(range(1, 32))), ANSWERED),
    Row(Kind.CREDIT, "credit that goes backwards", "open", credit_backwards),
    Row(Kind.CREDIT, "credit of 2⁶⁴−1", "open", largest_credit),
    Row(Kind.CREDIT, "credit for no subscription", "open", credit_without_subscription),
    Row(Kind.CREDIT, "very many credits for no subscription", "open", many_credits_without_subscription),
    Row(Kind.CREDIT, "subscribing, credit and the end at once", "open", everything_at_once),
    Row(Kind.CREDIT, "credit one by one", "open", credit_by_ones),
    Row(Kind.CREDIT, "credit cut short", "open", raw_frame(bytes(15), 0x61, 3), malformed("credit")),
    Row(Kind.CREDIT, "credit and a byte more", "open", raw_frame(bytes(24) + b"\1", 0x61, 3), malformed()),
    *(Row(Kind.ACKNOWLEDGEMENT, f"acknowledging {number:#x}", "open", acknowledged_unsent(number))
      for number in (1 << 40, 1 << 63, LARGEST_NUMBER)),
    Row(Kind.ACKNOWLEDGEMENT, "acknowledging backwards", "open", acknowledged_backwards),
    Row(Kind.ACKNOWLEDGEMENT, "acknowledging without a name", "open", acknowledged_without_a_name),
    Row(Kind.ACKNOWLEDGEMENT, "acknowledging on two connections", "open", acknowledged_by_two),
    Row(Kind.SUBSCRIPTIONS, "a ninth subscription", "open", ninth_subscription),
    Row(Kind.SUBSCRIPTIONS, "10,000 subscriptions", "open", ten_thousand_subscriptions),
    Row(Kind.SUBSCRIPTIONS, "5,000 subscriptions that end", "open", over_and_over),
    Row(Kind.SUBSCRIPTIONS, "101 names", "open", hundred_and_one_names),
    Row(Kind.SUBSCRIPTIONS, "more topics than a device and a group may hold", "open", too_many_topics),
    Row(Kind.SUBSCRIPTIONS, "SUBSCRIBE of 1,001 topics", "open",
        subscribe([f"t{index}" for index in range(1_001)], devices=[1]),
        invalid("topics")),
    Row(Kind.SUBSCRIPTIONS, "SUBSCRIBE of 10,001 pairs", "open",
        subscribe([f"t{index}" for index in range(73)], devices=range(1, 138)), invalid("topics")),
    Row(Kind.SUBSCRIPTIONS, "SUBSCRIBE of 10,000 devices", "open", subscribe(["t"], devices=range(1, 10_001)),
        invalid("devices")),
    Row(Kind.SUBSCRIPTIONS, "SUBSCRIBE of 1,001 groups", "open", subscribe(["t"], groups=["g"] * 1_001),
        invalid("groups")),
    Row(Kind.SUBSCRIPTIONS, "SUBSCRIBE of no device", "open", subscribe(["t"]), invalid("devices")),
    Row(Kind.SUBSCRIPTIONS, "SUBSCRIBE to nothing", "open", subscribe([], devices=[1]), invalid("topics")),
    *(Row(Kind.SUBSCRIPTIONS, f"SUBSCRIBE to a topic that is {name}", "open", subscribe_named(topic),
          malformed("topics") if is_malformed else invalid("topics")) for name, topic, is_malformed in NAMES),
    Row(Kind.SUBSCRIPTIONS, "SUBSCRIBE to FCM's prefix and 200 bytes", "open",
        subscribe_named(b"/topics/" + b"a" * 200), ANSWERED),
    Row(Kind.SUBSCRIPTIONS, "SUBSCRIBE to FCM's prefix and 201 bytes", "open",
        subscribe_named(b"/topics/" + b"a" * 201),
        invalid("topics")),
    Row(Kind.UNREAD_EVENTS, "20,000 events and a client that does not read", "open", without_reading(20_000, 1, 1)),
    Row(Kind.UNREAD_EVENTS, "3,000 events and 20 clients with 8 subscriptions that do not read", "open",
        without_reading(3_000, 8, 20)),
    Row(Kind.UNREAD_EVENTS, "50 readers that reset", "open", reset_while_receiving),
    Row(Kind.UNREAD_EVENTS, "2,000 events without credit", "open", no_credit),
    Row(Kind.UNREAD_EVENTS, "events and answers at once", "open", while_requests_flow),
]
