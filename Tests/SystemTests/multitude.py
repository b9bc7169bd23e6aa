"""A great many devices, each with a lot of its own drawn from a seed; what APNs says to each, and whether the server's
account of one message agrees, device by device, with the simulator's own record."""
from __future__ import annotations

import enum
import json
import random
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Dict, Iterable, List, Optional, Sequence, Set, Tuple

from world import APP, ROOT, World, carillon, eventually

EVERYBODY, EARLY = "everybody", "early"
PAYLOAD = {"aps": {"alert": "hello"}}
BATCH = 1000
# Calls in flight at a time.
PIPELINE = 16
# For one call while the machine is busy, in seconds.
CALL_SECONDS = 120
ANSWER_SECONDS = 5
# Of all devices that APNs will accept a push for, how many have one when passing troubles end.
TROUBLE_ENDS = 0.6


class Lot(enum.IntEnum):
    """What is special about a device; the first byte of its token says it to the simulator's rules."""

    PLAIN = 0xA0
    # 410, dead since before it was registered: refused, and not put into quarantine.
    DEAD_BEFORE = 0xA1
    # 410, dead since: refused and put into quarantine.
    DEAD_SINCE = 0xA2
    # Passing troubles: 429, 500, 503, an answer that never comes.
    THROTTLED = 0xA3
    BROKEN = 0xA4
    BUSY = 0xA5
    SILENT = 0xA6
    # Before the message: muted, unregistered, in quarantine.
    MUTED = 0xA7
    UNREGISTERED = 0xA8
    QUARANTINED = 0xA9


DEAD = (Lot.DEAD_BEFORE, Lot.DEAD_SINCE, Lot.QUARANTINED)
OUTSIDE = (Lot.UNREGISTERED, Lot.QUARANTINED)
# In thousandths; the rest is plain.
SHARES = {Lot.DEAD_BEFORE: 20, Lot.DEAD_SINCE: 20, Lot.THROTTLED: 10, Lot.BROKEN: 20, Lot.BUSY: 20, Lot.SILENT: 5,
          Lot.MUTED: 10, Lot.UNREGISTERED: 10, Lot.QUARANTINED: 5}


class Multitude:
    """The devices: index, token and, once registered, id."""

    def __init__(self, count: int, seed: int, without: Sequence[Lot] = ()) -> None:
        """`without`: lots that nobody draws."""
        self.dice = random.Random(seed)
        shares = {lot: share for lot, share in SHARES.items() if lot not in without}
        lots = [Lot.PLAIN, *shares]
        weights = [1000 - sum(shares.values()), *shares.values()]
        self.lots: List[Lot] = self.dice.choices(lots, weights, k=count)
        self.tokens = [bytes([lot]) + index.to_bytes(4, "big") + self.dice.randbytes(27)
                       for index, lot in enumerate(self.lots)]
        self.ids: List[int] = []
        self.index: Dict[int, int] = {}

    def __len__(self) -> int:
        return len(self.lots)

    def of(self, *lots: Lot) -> List[int]:
        """Indices of the devices that drew one of these."""
        return [index for index, lot in enumerate(self.lots) if lot in lots]

    @property
    def addressed(self) -> int:
        """How many are in the audience of everybody."""
        return len(self) - len(self.of(*OUTSIDE))

    @property
    def acceptable(self) -> int:
        """How many APNs accepts a push for sooner or later."""
        return len(self) - len(self.of(Lot.MUTED, Lot.UNREGISTERED, *DEAD))

    # Before the message

    def write_dead(self, world: World, now: int) -> str:
        """The file of the simulator's special devices: those that are dead. Its path."""
        path = world.keys.path("devices.jsonl")
        with open(path, "w", encoding="ascii") as file:
            for index in self.of(*DEAD):
                since = now + (-1 if self.lots[index] == Lot.DEAD_BEFORE else 1) * 3_600_000
                line = {"token": self.tokens[index].hex(), "state": "unregistered", "timestamp": since}
                file.write(json.dumps(line) + "\n")
        return path

    def register(self, world: World, now: int, samples: Dict[str, int]) -> None:
        """Registers all, subscribed to EVERYBODY. `samples`: topics that so many plain devices are subscribed to as
        well."""
        plain = self.of(Lot.PLAIN)
        topics: Dict[int, List[str]] = {index: [EARLY] for index in self.of(Lot.QUARANTINED)}
        for topic, count in samples.items():
            for index in plain[:count]:
                topics.setdefault(index, []).append(topic)
        forms: Dict[Tuple[str, ...], List[bytes]] = {}

        def item(index: int) -> bytes:
            names = (EVERYBODY, *topics.get(index, ()))
            if names not in forms:
                # All items of a form are alike but for the token.
                stand_in = b"\xee" * 32
                fields = carillon.register_fields(APP, stand_in, seen_at=now, topics=list(names))
                forms[names] = carillon.encode_payload(carillon.FROM_CLIENT["register"], fields).split(stand_in)
            return self.tokens[index].join(forms[names])

        def batch(start: int) -> List[int]:
            items = [item(index) for index in range(start, min(start + BATCH, len(self)))]
            results = client.call("register_batch", {"items": items})["results"]
            require(len(results) == len(items) and not any(each["code"] for each in results), "devices are refused")
            return [each["device_id"] for each in results]

        with world.client(timeout=CALL_SECONDS) as client, ThreadPoolExecutor(PIPELINE) as pool:
            for ids in pool.map(batch, range(0, len(self), BATCH)):
                self.ids += ids
        self.index = {id: index for index, id in enumerate(self.ids)}
        require(len(self.index) == len(self), "two devices have one id")

    def set_apart(self, world: World) -> None:
        """Mutes, unregisters and puts into quarantine whose lot it is."""
        with world.client(timeout=CALL_SECONDS) as client, ThreadPoolExecutor(PIPELINE) as pool:
            for _ in pool.map(lambda index: client.update_device(APP, self.ids[index], muted=True), self.of(Lot.MUTED)):
                pass
            for _ in pool.map(lambda index: client.unregister(APP, self.ids[index]), self.of(Lot.UNREGISTERED)):
                pass
            dying = self.of(Lot.QUARANTINED)
            if dying:
                message = client.send_to(APP, PAYLOAD, topic=EARLY)["message_id"]
                outcomes = wait_finished(client, message, 120)
                require(outcomes == {"token-unregistered": len(dying)}, f"not all are in quarantine: {outcomes}")

    # The message's way

    def trouble(self, world: World, *, processed: bool) -> None:
        """Lets passing troubles begin. `processed`: pushes whose answer never comes were accepted all the same."""
        for lot, status, probability in ((Lot.THROTTLED, 429, 0.3), (Lot.BROKEN, 500, 0.5), (Lot.BUSY, 503, 0.5)):
            world.simulator.rule(prefix=f"{lot:02x}", status=status, probability=probability)
        world.simulator.rule(fault="silence", prefix=f"{Lot.SILENT:02x}", probability=0.5, processed=processed)

    def active(self, client: carillon.Client) -> Set[int]:
        """Ids of the devices that EVERYBODY holds."""
        found: Set[int] = set()
        cursor = 0
        while True:
            page = client.call("topic_devices", {"app": APP, "topic": EVERYBODY, "cursor": cursor, "limit": BATCH})
            found.update(device_id(each) for each in page["devices"])
            cursor = page["next"]
            if not cursor:
                return found

    def check_states(self, client: carillon.Client, unregistered: Iterable[int] = ()) -> List[str]:
        """What is wrong with who is in the topic, who in quarantine and who gone; `unregistered`: more of these."""
        gone = {*self.of(Lot.UNREGISTERED), *unregistered}
        out = gone.union(self.of(Lot.DEAD_SINCE, Lot.QUARANTINED))
        expected = {id for index, id in enumerate(self.ids) if index not in out}
        wrong = [f"device {id} in the topic: {id not in expected}" for id in self.active(client) ^ expected]

        def state(index: int) -> str:
            try:
                return client.lookup(APP, self.ids[index])["state"]
            except carillon.CarillonError as error:
                return error.code

        dead = self.of(*DEAD)
        with ThreadPoolExecutor(PIPELINE) as pool:
            for index, found in zip(dead, pool.map(state, dead)):
                right = "active" if self.lots[index] == Lot.DEAD_BEFORE else "quarantined"
                if found != right:
                    wrong.append(f"{self.lots[index].name} {self.ids[index]} is {found}")
        return wrong


def device_id(entry: Any) -> int:
    """The id in an entry of a list of devices."""
    return entry["device_id"] if isinstance(entry, dict) else entry


class Account:
    """The server's account of one message beside the simulator's record."""

    def __init__(self, world: World, client: carillon.Client, message: int, multitude: Multitude,
                 unregistered: Iterable[int] = ()) -> None:
        """`unregistered`: indices of devices that were unregistered while the message was on its way."""
        self.multitude = multitude
        self.unregistered = set(unregistered)
        self.outcomes: Dict[int, str] = {}
        # In words; only the first of them are for people.
        self.missing: List[str] = []
        self.disagreements: List[str] = []
        self.status = client.message_status(APP, message)
        self._list(client, message)
        self._compare({int(each["token"][2:10], 16): each for each in world.simulator.devices()})

    def _list(self, client: carillon.Client, message: int) -> None:
        cursor = 0
        while True:
            page = client.message_outcomes(APP, message, cursor, limit=BATCH)
            for each in page["recipients"]:
                index = self.multitude.index.get(each["device_id"])
                if index is None or index in self.outcomes:
                    self.disagreements.append(f"device {each['device_id']} is listed twice, or is nobody")
                else:
                    self.outcomes[index] = each["outcome"]
            cursor = page["next"]
            if not cursor:
                break
        counts, listed = self.status["outcomes"], Counter(self.outcomes.values())
        if counts != listed or sum(counts.values()) != self.status["total"]:
            self.disagreements.append(f"{self.status['total']} in all, counted {counts}, listed {dict(listed)}")
        # Who is unregistered before the fan-out comes to its page is in no audience any more.
        addressed = self.multitude.addressed - len(self.unregistered.difference(self.outcomes))
        if self.status["total"] != addressed:
            self.missing.append(f"{addressed} were addressed, {self.status['total']} in all")

    def _compare(self, records: Dict[int, Dict[str, Any]]) -> None:
        nothing = {"count": 0, "refused": 0, "status": 0}
        for index, lot in enumerate(self.multitude.lots):
            outcome, record = self.outcomes.get(index), records.get(index, nothing)
            if lot in OUTSIDE:
                right = outcome is None and record == nothing
            elif index in self.unregistered and outcome in (None, "unregistered", "left"):
                # What APNs had accepted when the server died, the server cannot know.
                right = True
            elif outcome is None or outcome == "pending":
                self.missing.append(f"{lot.name} {self.multitude.ids[index]} is {outcome}")
                continue
            else:
                right = self._is_right(lot, outcome, record)
            if not right:
                self.disagreements.append(f"{lot.name} {self.multitude.ids[index]} is {outcome}; APNs: {record}")

    @staticmethod
    def _is_right(lot: Lot, outcome: str, record: Dict[str, Any]) -> bool:
        if lot == Lot.MUTED:
            return outcome == "muted" and not record["count"] and not record["refused"]
        if lot in DEAD:
            return outcome == "token-unregistered" and not record["count"] and record["status"] == 410
        if outcome == "delivered":
            return record["count"] > 0
        return outcome == "gave-up" and not record["count"] and record["refused"] > 1


class Heap:
    """The most memory that the server occupies meanwhile, without pages of files, in bytes."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.peak = 0
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._sample, daemon=True)

    def __enter__(self) -> Heap:
        self.thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self.ended.set()
        self.thread.join()

    def _sample(self) -> None:
        while True:
            self.peak = max(self.peak, self.world.heap_bytes)
            if self.ended.wait(0.2):
                return


class Phases:
    """Says what goes on, and how long it took."""

    def __init__(self) -> None:
        self.began = time.monotonic()

    def done(self, what: str) -> None:
        """A phase has ended."""
        now = time.monotonic()
        print(f"{now - self.began:7.1f} s  {what}", flush=True)
        self.began = now


def wait_finished(client: carillon.Client, message: int, patience: float) -> Dict[str, int]:
    """The outcomes of a message once it has finished; the sum must be the total all the while."""

    def outcomes() -> Optional[Dict[str, int]]:
        status = client.message_status(APP, message)
        require(sum(status["outcomes"].values()) == status["total"], f"the sum is not the total: {status}")
        return status["outcomes"] if status["state"] == "finished" else None

    return eventually(outcomes, f"message {message} is finished", patience, 0.2)


def unrecorded_limit() -> int:
    """The stated bound of what one death of the server sends twice: in flight, and taken by APNs but not on disk."""
    source = (ROOT / "Sources" / "CarillonDelivery" / "DeliveryEngine.swift").read_text()
    _, _, rest = source.partition("package var unrecorded = ")
    return int(rest.split()[0])


def require(is_true: bool, what: str) -> None:
    """What must hold."""
    if not is_true:
        raise AssertionError(what)


def report(what: str, wrong: List[str]) -> int:
    """Shows the first of what is wrong; how many there are."""
    for each in wrong[:10]:
        print(f"{what}: {each}")
    return len(wrong)
