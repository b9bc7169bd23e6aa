"""Bad inputs of who asks for events: places, filters, credit, acknowledgements, and not reading; kinds 53 to 57."""
from __future__ import annotations

import os
import socket
import threading
import time
from contextlib import ExitStack
from typing import Any, Dict, Iterable, List

from bad_audiences import COUNT, LARGEST, NAMES, answer, request, subscribe, subscribe_named
from bad_inputs import (ANSWERED, Refused, Row, batch, expect_error, invalid, malformed, register_payload, require,
                        string)
from world import APP, OTHER_APP, RawConnection, World, carillon, raw_frame, sha256

# Who may see the other app only.
OTHER_KEY = "crln_" + "53" * 32
PRINCIPALS = [{"name": "other", "keySHA256": [sha256(OTHER_KEY)],
               "grants": [{"app": OTHER_APP, "roles": ["observe", "admin"]}]}]
REPLACED = 4
NO_SUBSCRIPTION = Refused("NOT_FOUND", "request", "subscription")


def events(id: int = 3, *, name: str = "", start: int = carillon.NOW, apps: Iterable[str] = (),
           kinds: Iterable[int] = (REPLACED,), credit: int = 0) -> bytes:
    """A SUBSCRIBE_EVENTS, of replaced tokens if it says no other kinds."""
    return carillon.encode("client", "subscribe_events", {
        "name": name, "from": start, "apps": list(apps), "kinds": list(kinds), "credit": credit}, id)


def events_named(name: bytes) -> bytes:
    """A SUBSCRIBE_EVENTS with a name of any bytes."""
    return raw_frame(string(name) + carillon.NOW.to_bytes(8, "big") + bytes(4 + 4 + 8), 0x60, 3)


def credit(subscription: int, amount: int, id: int, ack: int = 0) -> bytes:
    """An EVENT_CREDIT."""
    return carillon.encode("client", "event_credit", {"subscription": subscription, "credit": amount, "ack": ack}, id)


def unsubscribe(subscription: int, id: int) -> bytes:
    """An UNSUBSCRIBE_EVENTS."""
    return carillon.encode("client", "unsubscribe_events", {"subscription": subscription}, id)


def begin(raw: RawConnection, data: bytes, id: int = 3) -> int:
    """Subscribes; the number after which events follow."""
    return answer(raw, id, "subscribe_events", data)["after"]


def happen(world: World, count: int, app: str = APP) -> None:
    """Makes so many events: a device takes that many new tokens, one after another, 1,000 in a request."""
    with world.raw("open") as raw:
        last, id = os.urandom(32), 3
        answer(raw, id, "register_batch", batch([register_payload(app.encode(), last)], id))
        while count > 0:
            items = []
            for _ in range(min(count, 1_000)):
                following = os.urandom(32)
                items.append(register_payload(app.encode(), following, tail=b"\1\x11\x20" + last))
                last = following
            count, id = count - len(items), id + 1
            results = answer(raw, id, "register_batch", batch(items, id))["results"]
            require({each["result"] for each in results} == {3}, "not replaced")


def take(raw: RawConnection, count: int, id: int = 3) -> List[carillon.Frame]:
    """So many events of a subscription."""
    frames = [raw.frame(20) for _ in range(count)]
    require(all(frame is not None and frame.message == "event" and frame.id == id for frame in frames),
            f"not events of {id}: {[frame for frame in frames if frame is None or frame.message != 'event'][:3]}")
    return frames


def nothing_follows(raw: RawConnection, id: int) -> None:
    """No event is under way: the next frame, after a little while, is the answer to something else."""
    time.sleep(0.3)
    raw.send(carillon.encode("client", "event_credit", {"subscription": id, "credit": 0, "ack": 0}, id))
    expect_error(raw, NO_SUBSCRIPTION)


# Where a subscription begins

def from_the_future(start: int) -> Any:
    """A number that no event has yet is the newest: from another history, it would be silence for ever."""

    def play(world: World, raw: RawConnection) -> None:
        now = begin(raw, events(), 3)
        after = begin(raw, events(5, start=start, credit=LARGEST), 5)
        require(after == now, f"after {after}, not {now}")
        happen(world, 10)
        take(raw, 10, 5)
        nothing_follows(raw, 9)

    return play


def named_from_the_future(world: World, raw: RawConnection) -> None:
    """A name that begins far ahead is told, the next time, what happens after that."""
    name = "ahead/" + os.urandom(4).hex()
    begin(raw, events(name=name, start=1 << 63, credit=LARGEST))
    happen(world, 1)
    answer(raw, 4, "unsubscribe_events", unsubscribe(3, 4))
    begin(raw, events(5, name=name, start=carillon.NOW, credit=LARGEST), 5)
    happen(world, 3)
    take(raw, 3, 5)


def before_the_oldest(world: World, raw: RawConnection) -> None:
    """What is no longer kept is told as a gap, and the events after it without a hole; whatever the place."""
    with World(simulator=None, flags=["--events-limit", "1000"]) as small:
        happen(small, 3_500)
        with small.raw("open") as reader:
            for id, start in ((3, 1), (4, 2_000), (5, carillon.OLDEST)):
                after = begin(reader, events(id, start=start, credit=5), id)
                first, *others = take(reader, 5, id)
                if start != carillon.OLDEST:
                    require(after == start and first.fields["kind"] == 0, f"no gap after {start}: {first}")
                    gap = first.fields
                    require((gap["missed_from"], gap["sequence"]) == (start + 1, gap["missed_to"] - 1), f"{gap}")
                    after = gap["sequence"]
                    require(after >= 2_000, f"only {after} are gone")
                else:
                    others = [first, *others]
                told = [frame.fields["sequence"] for frame in others]
                require(told == list(range(after + 1, after + 1 + len(told))), f"after {after}: {told}")


def name_of_another(world: World, raw: RawConnection) -> None:
    """A name belongs to a principal: another one with the same name has a place of its own, and sees its own apps."""
    name = "shared/" + os.urandom(4).hex()
    before = begin(raw, events(name=name))
    with RawConnection(world.port, OTHER_KEY, "open") as other:
        begin(other, events(name=name, credit=LARGEST))
        happen(world, 2)
        happen(world, 1, OTHER_APP)
        (told,) = take(other, 1)
        require(told.fields["app"] == OTHER_APP, f"{told}")
        answer(other, 4, "event_credit", credit(3, LARGEST, 4, ack=told.fields["sequence"]))
        nothing_follows(other, 9)
    answer(raw, 4, "unsubscribe_events", unsubscribe(3, 4))
    require(begin(raw, events(5, name=name, start=0), 5) == before, "another principal has moved the place")


def of_another(data: bytes, expected: Refused) -> Any:
    """A request of who may see the other app only."""

    def play(world: World, raw: RawConnection) -> None:
        with RawConnection(world.port, OTHER_KEY, "open") as other:
            other.send(data)
            expect_error(other, expected)

    return play


def unknown_kinds(world: World, raw: RawConnection) -> None:
    """Of kinds that there are not nothing is told; beside one that there is they do no harm."""
    begin(raw, events(kinds=range(65_472, 65_536), credit=LARGEST))
    begin(raw, events(4, kinds=[65_535, REPLACED, 999, REPLACED], credit=LARGEST), 4)
    happen(world, 3)
    take(raw, 3, 4)
    nothing_follows(raw, 9)


# Credit

def credit_backwards(world: World, raw: RawConnection) -> None:
    """Credit that is less than before takes nothing back and gives nothing."""
    begin(raw, events(credit=2))
    happen(world, 5)
    first = take(raw, 2)
    for id, amount in enumerate((1, 0, 2), 4):
        answer(raw, id, "event_credit", credit(3, amount, id))
    nothing_follows(raw, 9)
    answer(raw, 10, "event_credit", credit(3, 3, 10))
    second = take(raw, 1)
    nothing_follows(raw, 11)
    numbers = [frame.fields["sequence"] for frame in first + second]
    require(numbers == list(range(numbers[0], numbers[0] + 3)), f"{numbers}")


def largest_credit(world: World, raw: RawConnection) -> None:
    """Credit of 2⁶⁴−1, from the beginning, by steps and once more; then less, which changes nothing."""
    begin(raw, events(credit=LARGEST))
    begin(raw, events(4, credit=1), 4)
    for id, amount in enumerate((LARGEST - 1, LARGEST, LARGEST, 5), 5):
        answer(raw, id, "event_credit", credit(4, amount, id))
    happen(world, 300)
    frames = [raw.frame(20) for _ in range(600)]
    for id in (3, 4):
        numbers = [frame.fields["sequence"] for frame in frames if frame.id == id]
        require(len(numbers) == 300 and numbers == sorted(set(numbers)), f"{len(numbers)} events of {id}")


def credit_for_nobody(world: World, raw: RawConnection) -> None:
    """Credit for what is no subscription of this connection: never one, refused, ended, or of another connection."""
    with world.raw("open") as other:
        begin(other, events(1_000), 1_000)
        raw.send(events(3, kinds=[0]))
        expect_error(raw, invalid("kinds"))
        begin(raw, events(4), 4)
        answer(raw, 5, "unsubscribe_events", unsubscribe(4, 5))
        for id, subscription in enumerate((0, 2, 3, 4, 99, 1_000, LARGEST), 5):
            raw.send(credit(subscription, 1, 2 * id) + unsubscribe(subscription, 2 * id + 1))
            expect_error(raw, NO_SUBSCRIPTION)
            expect_error(raw, NO_SUBSCRIPTION)


def credit_flood(world: World, raw: RawConnection) -> None:
    """A flood of credit for a subscription that there is not is stopped."""
    raw.send(b"".join(credit(1, index, 3 + index) for index in range(3_000)))
    errors = 0
    while (frame := raw.frame()) is not None:
        code = carillon.ERRORS[frame.fields["code"]]
        if code == "TOO_MANY_ERRORS":
            require(1_000 <= errors <= 1_200, f"{errors} errors before the end")
            return
        require(code == "NOT_FOUND", code)
        errors += 1
    raise AssertionError(f"closed after {errors} errors without TOO_MANY_ERRORS")


def everything_at_once(world: World, raw: RawConnection) -> None:
    """Subscribing, credit, the end and credit again in one write: each is answered for what it finds."""
    raw.send(events(3) + credit(3, 5, 4) + unsubscribe(3, 5) + credit(3, 9, 6))
    found: Dict[int, str] = {}
    for _ in range(4):
        frame = raw.frame()
        require(frame is not None and frame.id not in found, f"{frame}")
        found[frame.id] = frame.message
    require(found[6] == "error" and found[3] == "subscribe_events", f"{found}")


def credit_by_ones(world: World, raw: RawConnection) -> None:
    """2,000 grants of one more in one write bring 2,000 events, and not one more."""
    begin(raw, events())
    happen(world, 2_100)
    reader = threading.Thread(target=lambda: raw.send(b"".join(credit(3, index, 3 + index)
                                                               for index in range(1, 2_001))), daemon=True)
    reader.start()
    frames = [raw.frame(20) for _ in range(4_000)]
    reader.join(10)
    told = [frame.fields["sequence"] for frame in frames if frame.message == "event"]
    require(len(told) == 2_000 and told == list(range(told[0], told[0] + 2_000)), f"{len(told)} events")
    nothing_follows(raw, 9_000)


# Acknowledgements

def acknowledged_unsent(number: int) -> Any:
    """Who acknowledges what has not happened yet is told it all the same when it happens: nothing is lost."""

    def play(world: World, raw: RawConnection) -> None:
        name = "eager/" + os.urandom(4).hex()
        begin(raw, events(name=name))
        happen(world, 2)
        answer(raw, 4, "event_credit", credit(3, 0, 4, ack=number))
        answer(raw, 5, "unsubscribe_events", unsubscribe(3, 5))
        happen(world, 2)
        begin(raw, events(6, name=name, start=0, credit=LARGEST), 6)
        take(raw, 2, 6)
        nothing_follows(raw, 9)

    return play


def acknowledged_backwards(world: World, raw: RawConnection) -> None:
    """An acknowledgement of less than before, or of 0, moves no place back."""
    name = "back/" + os.urandom(4).hex()
    begin(raw, events(name=name, credit=4))
    happen(world, 4)
    numbers = [frame.fields["sequence"] for frame in take(raw, 4)]
    for id, number in enumerate((numbers[2], numbers[0], 0, 1), 4):
        answer(raw, id, "event_credit", credit(3, 4, id, ack=number))
    answer(raw, 8, "unsubscribe_events", unsubscribe(3, 8))
    require(begin(raw, events(9, name=name, start=0), 9) == numbers[2], "the place has moved")


def acknowledged_without_a_name(world: World, raw: RawConnection) -> None:
    """Without a name there is nothing to acknowledge, and the events go on."""
    begin(raw, events(credit=LARGEST))
    answer(raw, 4, "event_credit", credit(3, LARGEST, 4, ack=LARGEST))
    happen(world, 3)
    take(raw, 3)


def acknowledged_by_two(world: World, raw: RawConnection) -> None:
    """Two connections with one name: the greater acknowledgement counts, whoever comes last."""
    name = "two/" + os.urandom(4).hex()
    begin(raw, events(name=name, credit=9))
    with world.raw("open") as other:
        begin(other, events(name=name, credit=9))
        happen(world, 4)
        numbers = [frame.fields["sequence"] for frame in take(raw, 4)]
        require(numbers == [frame.fields["sequence"] for frame in take(other, 4)], "told differently")
        answer(raw, 4, "event_credit", credit(3, 9, 4, ack=numbers[3]))
        answer(other, 4, "event_credit", credit(3, 9, 4, ack=numbers[0]))
    answer(raw, 5, "unsubscribe_events", unsubscribe(3, 5))
    require(begin(raw, events(6, name=name, start=0), 6) == numbers[3], "the place has moved")


# Many

def ninth_subscription(world: World, raw: RawConnection) -> None:
    """A ninth subscription is refused, with the limit; when one has ended there is room again."""
    for id in range(3, 11):
        begin(raw, events(id), id)
    raw.send(events(11))
    frame = raw.frame()
    found = (carillon.ERRORS[frame.fields["code"]], frame.fields.get("field"), frame.fields.get("limit"))
    require(found == ("INVALID_ARGUMENT", None, 8), f"{found}")
    answer(raw, 12, "unsubscribe_events", unsubscribe(3, 12))
    begin(raw, events(13), 13)


def ten_thousand_subscriptions(world: World, raw: RawConnection) -> None:
    """Of 10,000 in one write at most eight are taken; the flood of the others is stopped, maybe before those are
    answered."""
    frames = b"".join(events(3 + index, credit=LARGEST) for index in range(10_000))
    writer = threading.Thread(target=raw.send, args=(frames,), daemon=True)
    writer.start()
    taken, refused = 0, 0
    while (frame := raw.frame()) is not None:
        if frame.message == "subscribe_events":
            taken += 1
        elif carillon.ERRORS[frame.fields["code"]] == "TOO_MANY_ERRORS":
            break
        else:
            require(carillon.ERRORS[frame.fields["code"]] == "INVALID_ARGUMENT", f"{frame}")
            refused += 1
    writer.join(10)
    require(taken <= 8 and 1_000 <= refused <= 1_200, f"{taken} taken, {refused} refused")


def over_and_over(world: World, raw: RawConnection) -> None:
    """5,000 subscriptions that end at once leave nothing behind."""
    before = world.resident_bytes
    for first in range(3, 10_003, 500):
        raw.send(b"".join(events(id, credit=LARGEST) + unsubscribe(id, id + 1)
                          for id in range(first, first + 500, 2)))
        frames = [raw.frame(20) for _ in range(500)]
        require(all(frame.message != "error" for frame in frames), f"{[f for f in frames if f.message == 'error'][:1]}")
    require(world.resident_bytes - before < 16 << 20, "the server grew")


def thousand_and_one_names(world: World, raw: RawConnection) -> None:
    """The server keeps 1,000 names; one more is refused with the limit, one that it knows is not."""
    with World(simulator=None) as other, other.raw("open") as reader:
        for index in range(1_000):
            id = 3 + 2 * index
            reader.send(events(id, name=f"name/{index}") + unsubscribe(id, id + 1))
            require({reader.frame().message, reader.frame().message} == {"subscribe_events", "unsubscribe_events"},
                    f"name {index}")
        reader.send(events(5_000, name="one more"))
        frame = reader.frame()
        found = (carillon.ERRORS[frame.fields["code"]], frame.fields.get("field"), frame.fields.get("limit"))
        require(found == ("INVALID_ARGUMENT", "name", 1_000), f"{found}")
        begin(reader, events(5_001, name="name/7", start=0), 5_001)


def too_many_topics(world: World, raw: RawConnection) -> None:
    """A device holds 2,000 topics itself; of a request that would make it more nothing happens. So does a group."""
    mark = os.urandom(4).hex()
    topics = [f"full/{mark}/{index:04}" for index in range(2_001)]
    token = os.urandom(32)
    device = answer(raw, 3, "register", raw_frame(register_payload(token=token), 0x10, 3))["device_id"]
    for id, holders in ((10, {"devices": [device]}), (20, {"groups": [f"full/{mark}"]})):
        for step, page in enumerate((topics[:1_000], topics[1_000:2_000]), id):
            require(answer(raw, step, "subscribe", subscribe(page, step, **holders))["changed"] == 1_000, "not all")
        raw.send(subscribe([topics[2_000]], id + 2, **holders))
        expect_error(raw, invalid("topics"))
        raw.send(subscribe([topics[0], topics[2_000]], id + 3, **holders))
        expect_error(raw, invalid("topics"))
        require(answer(raw, id + 4, "subscribe", subscribe(topics[:9], id + 4, **holders))["changed"] == 0, "not there")
    told = answer(raw, 30, "topics", request("topics", 30, prefix=topics[2_000], after="", limit=10))
    require(told["topics"] == [], f"{told}")


# Not reading

def without_reading(count: int, subscriptions: int, connections: int) -> Any:
    """Clients that grant all credit and read nothing while events come: the server keeps none for them, and has all of
    them, in order and without a hole, when they read at last."""

    def play(world: World, raw: RawConnection) -> None:
        with ExitStack() as stack:
            stalled = [stack.enter_context(world.raw("open")) for _ in range(connections)]
            for each in stalled:
                each.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
                for id in range(3, 3 + subscriptions):
                    begin(each, events(id, credit=LARGEST), id)
            happen(world, 1_000)
            before = world.heap_bytes
            happen(world, count - 1_000)
            time.sleep(1)
            grown = world.heap_bytes - before
            require(grown < 24 << 20, f"the server has grown by {grown >> 20} MiB for who does not read")
            reader = stalled[0]
            told: Dict[int, List[int]] = {}
            while len(told.get(3, [])) < count:
                frame = reader.frame(20)
                require(frame is not None, f"closed after {len(told.get(3, []))} events")
                if frame.message == "event":
                    told.setdefault(frame.id, []).append(frame.fields["sequence"])
            numbers = told[3]
            require(numbers == list(range(numbers[0], numbers[0] + count)), "not in order, or not all")

    return play


def reset_in_the_flood(world: World, raw: RawConnection) -> None:
    """Readers that reset while they are told everything from the oldest on."""
    happen(world, 2_000)
    for _ in range(50):
        reader = world.raw("open")
        reader.send(events(start=carillon.OLDEST, kinds=(), credit=LARGEST))
        reader.reset()


def no_credit(world: World, raw: RawConnection) -> None:
    """Without credit nothing comes, however much happens; requests are answered beside it."""
    begin(raw, events())
    happen(world, 2_000)
    nothing_follows(raw, 9)
    answer(raw, 10, "event_credit", credit(3, 1, 10))
    take(raw, 1)
    nothing_follows(raw, 11)


def while_requests_flow(world: World, raw: RawConnection) -> None:
    """Events in plenty do not keep the answers of the same connection from coming."""
    begin(raw, events(credit=LARGEST))
    happen(world, 5_000)
    began = time.monotonic()
    raw.send(b"".join(request("groups", 100 + index, prefix="~", after="", limit=1) for index in range(100)))
    answered = told = 0
    while answered < 100 or told < 5_000:
        frame = raw.frame(20)
        require(frame is not None, "closed")
        answered += frame.message == "groups"
        told += frame.message == "event"
    require(time.monotonic() - began < 10, "slow")


ROWS: List[Row] = [
    *(Row(53, f"events after {start:#x}", "open", from_the_future(start)) for start in (1 << 40, 1 << 63, LARGEST - 2)),
    Row(53, "a name that begins after 2⁶³", "open", named_from_the_future),
    Row(53, "events that are no longer kept", "open", before_the_oldest),
    Row(53, "a name of another principal", "open", name_of_another),
    Row(53, "events of an app that one may not observe", "open",
        of_another(events(apps=[APP]), Refused("FORBIDDEN", "request", "apps"))),
    Row(53, "events of an app that one may, and of one that one may not, observe", "open",
        of_another(events(apps=[OTHER_APP, APP]), Refused("FORBIDDEN", "request", "apps"))),
    Row(53, "STATISTICS without the right", "open",
        of_another(carillon.encode("client", "statistics", {"limit": 1}, 3), Refused("FORBIDDEN", "request"))),
    Row(53, "DEVICES without the right", "open",
        of_another(request("devices", cursor=0, limit=1), Refused("FORBIDDEN", "request"))),
    *(Row(53, f"STATISTICS with limit {limit}", "open", carillon.encode("client", "statistics", {"limit": limit}, 3),
          invalid("limit")) for limit in (0, 1_001, COUNT)),
    *(Row(53, f"DEVICES with limit {limit}", "open", request("devices", cursor=0, limit=limit), invalid("limit"))
      for limit in (0, 1_001, COUNT)),
    Row(53, "kinds that there are not", "open", unknown_kinds),
    Row(53, "kind 0", "open", events(kinds=[1, 0]), invalid("kinds")),
    Row(53, "65 kinds", "open", events(kinds=range(1, 66)), invalid("kinds")),
    Row(53, "2³²−1 kinds", "open",
        raw_frame(string(b"") + bytes(8) + bytes(4) + COUNT.to_bytes(4, "big") + bytes(8), 0x60, 3),
        malformed("kinds")),
    Row(53, "65 apps", "open", events(apps=[APP] * 65), invalid("apps")),
    Row(53, "one app 64 times", "open", events(apps=[APP] * 64), ANSWERED),
    Row(53, "an app of 65,535 bytes", "open", events(apps=["a" * 65_535]), invalid("apps")),
    Row(53, "an app that is not served", "open", events(apps=["com.example.nowhere"]),
        Refused("NOT_FOUND", "request", "apps")),
    Row(53, "2³²−1 apps", "open", raw_frame(string(b"") + bytes(8) + COUNT.to_bytes(4, "big") + bytes(12), 0x60, 3),
        malformed("apps")),
    *(Row(53, f"a name that is {name}", "open", events_named(text), malformed("name"))
      for name, text, is_malformed in NAMES if is_malformed),
    Row(53, "a name of 65 bytes", "open", events_named(b"n" * 65), invalid("name")),
    Row(53, "a name of 65,535 bytes", "open", events_named(b"n" * 65_535), invalid("name")),
    Row(53, "a name of 16 characters in 64 bytes", "open", events_named("\U0001f514".encode() * 16), ANSWERED),
    Row(53, "a name of control characters", "open", events_named(bytes(range(1, 32))), ANSWERED),
    Row(54, "credit that goes backwards", "open", credit_backwards),
    Row(54, "credit of 2⁶⁴−1", "open", largest_credit),
    Row(54, "credit for no subscription", "open", credit_for_nobody),
    Row(54, "a flood of credit for no subscription", "open", credit_flood),
    Row(54, "subscribing, credit and the end at once", "open", everything_at_once),
    Row(54, "credit one by one", "open", credit_by_ones),
    Row(54, "credit cut short", "open", raw_frame(bytes(15), 0x61, 3), malformed("credit")),
    Row(54, "credit and a byte more", "open", raw_frame(bytes(24) + b"\1", 0x61, 3), malformed()),
    *(Row(55, f"acknowledging {number:#x}", "open", acknowledged_unsent(number))
      for number in (1 << 40, 1 << 63, LARGEST)),
    Row(55, "acknowledging backwards", "open", acknowledged_backwards),
    Row(55, "acknowledging without a name", "open", acknowledged_without_a_name),
    Row(55, "acknowledging on two connections", "open", acknowledged_by_two),
    Row(56, "a ninth subscription", "open", ninth_subscription),
    Row(56, "10,000 subscriptions", "open", ten_thousand_subscriptions),
    Row(56, "5,000 subscriptions that end", "open", over_and_over),
    Row(56, "1,001 names", "open", thousand_and_one_names),
    Row(56, "more topics than a device and a group may hold", "open", too_many_topics),
    Row(56, "SUBSCRIBE of 1,001 topics", "open", subscribe([f"t{index}" for index in range(1_001)], devices=[1]),
        invalid("topics")),
    Row(56, "SUBSCRIBE of 10,001 pairs", "open",
        subscribe([f"t{index}" for index in range(73)], devices=range(1, 138)), invalid("topics")),
    Row(56, "SUBSCRIBE of 10,000 devices", "open", subscribe(["t"], devices=range(1, 10_001)), invalid("devices")),
    Row(56, "SUBSCRIBE of 1,001 groups", "open", subscribe(["t"], groups=["g"] * 1_001), invalid("groups")),
    Row(56, "SUBSCRIBE of nobody", "open", subscribe(["t"]), invalid("devices")),
    Row(56, "SUBSCRIBE to nothing", "open", subscribe([], devices=[1]), invalid("topics")),
    *(Row(56, f"SUBSCRIBE to a topic that is {name}", "open", subscribe_named(topic),
          malformed("topics") if is_malformed else invalid("topics")) for name, topic, is_malformed in NAMES),
    Row(56, "SUBSCRIBE to FCM's prefix and 200 bytes", "open", subscribe_named(b"/topics/" + b"a" * 200), ANSWERED),
    Row(56, "SUBSCRIBE to FCM's prefix and 201 bytes", "open", subscribe_named(b"/topics/" + b"a" * 201),
        invalid("topics")),
    Row(57, "20,000 events and a client that does not read", "open", without_reading(20_000, 1, 1)),
    Row(57, "3,000 events and 20 clients with 8 subscriptions that do not read", "open", without_reading(3_000, 8, 20)),
    Row(57, "50 readers that reset", "open", reset_in_the_flood),
    Row(57, "2,000 events without credit", "open", no_credit),
    Row(57, "events and answers at once", "open", while_requests_flow),
]
