"""A fleet of many devices. Each has a profile, drawn from a seed, that says how APNs answers pushes to it."""
from __future__ import annotations

import enum
import json
import random
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Dict, Iterable, List, Sequence, Set, Tuple

from support.deployment import Deployment
from support.environment import APP, crln, require
from support.system_test_case import PAYLOAD, wait_finished

ALL_DEVICES, EARLY = "all-devices", "early"
BATCH = 1000
# Calls in flight at a time.
PIPELINE = 16
# The timeout of one call while the machine is busy, in seconds.
CALL_SECONDS = 120
# For how long the server waits for an answer of APNs, in seconds.
ANSWER_SECONDS = 5
# The share of the acceptable devices that have a push when the temporary faults end.
FAULTS_END = 0.6


class Profile(enum.IntEnum):
    """The behaviour of a device. The first byte of its token is the profile, which the simulator's rules match."""

    PLAIN = 0xA0
    # 410, dead since before it was registered: refused, and not put into quarantine.
    DEAD_BEFORE = 0xA1
    # 410, dead since: refused and put into quarantine.
    DEAD_SINCE = 0xA2
    # Temporary faults: 429, 500, 503, and an answer that never comes.
    THROTTLED = 0xA3
    BROKEN = 0xA4
    BUSY = 0xA5
    SILENT = 0xA6
    # Before the message: muted, unregistered, in quarantine.
    MUTED = 0xA7
    UNREGISTERED = 0xA8
    QUARANTINED = 0xA9


# Profiles whose devices get a 410, and those whose devices are in no audience.
DEAD = (Profile.DEAD_BEFORE, Profile.DEAD_SINCE, Profile.QUARANTINED)
OUTSIDE = (Profile.UNREGISTERED, Profile.QUARANTINED)
# Shares in thousandths; the rest is PLAIN.
SHARES = {Profile.DEAD_BEFORE: 20, Profile.DEAD_SINCE: 20, Profile.THROTTLED: 10, Profile.BROKEN: 20, Profile.BUSY: 20,
          Profile.SILENT: 5,
          Profile.MUTED: 10, Profile.UNREGISTERED: 10, Profile.QUARANTINED: 5}


class DeviceFleet:
    """The devices: index, profile, token and, after registration, id."""

    def __init__(self, count: int, seed: int, without: Sequence[Profile] = ()) -> None:
        """Draws the profiles. No device has a profile of `without`."""
        self.generator = random.Random(seed)
        shares = {profile: share for profile, share in SHARES.items() if profile not in without}
        profiles = [Profile.PLAIN, *shares]
        weights = [1000 - sum(shares.values()), *shares.values()]
        self.profiles: List[Profile] = self.generator.choices(profiles, weights, k=count)
        self.tokens = [bytes([profile]) + index.to_bytes(4, "big") + self.generator.randbytes(27)
                       for index, profile in enumerate(self.profiles)]
        self.ids: List[int] = []
        self.index: Dict[int, int] = {}

    def __len__(self) -> int:
        return len(self.profiles)

    def of(self, *profiles: Profile) -> List[int]:
        """Returns the indices of the devices with one of these profiles."""
        return [index for index, profile in enumerate(self.profiles) if profile in profiles]

    @property
    def addressed(self) -> int:
        """The number of devices in the audience ALL_DEVICES."""
        return len(self) - len(self.of(*OUTSIDE))

    @property
    def acceptable(self) -> int:
        """The number of devices for which APNs accepts a push sooner or later."""
        return len(self) - len(self.of(Profile.MUTED, Profile.UNREGISTERED, *DEAD))

    # Before the message

    def write_dead(self, deployment: Deployment, now: int) -> str:
        """Writes the simulator's file of dead devices and returns its path."""
        path = deployment.keys.path("devices.jsonl")
        with open(path, "w", encoding="ascii") as file:
            for index in self.of(*DEAD):
                since = now + (-1 if self.profiles[index] == Profile.DEAD_BEFORE else 1) * 3_600_000
                line = {"token": self.tokens[index].hex(), "state": "unregistered", "timestamp": since}
                file.write(json.dumps(line) + "\n")
        return path

    def register(self, deployment: Deployment, now: int, samples: Dict[str, int]) -> None:
        """Registers all devices, subscribed to ALL_DEVICES. `samples` names more topics and the number of plain
        devices subscribed to each."""
        plain = self.of(Profile.PLAIN)
        topics: Dict[int, List[str]] = {index: [EARLY] for index in self.of(Profile.QUARANTINED)}
        for topic, count in samples.items():
            for index in plain[:count]:
                topics.setdefault(index, []).append(topic)
        # What is before and behind the token in an item, by the topics of the device.
        around_token: Dict[Tuple[str, ...], List[bytes]] = {}

        def item(index: int) -> bytes:
            names = (ALL_DEVICES, *topics.get(index, ()))
            if names not in around_token:
                # Items with the same topics differ only in the token.
                stand_in = b"\xee" * 32
                fields = crln.register_fields(APP, stand_in, seen_at=now, topics=list(names))
                around_token[names] = crln.encode_payload(crln.FROM_CLIENT["register"], fields).split(stand_in)
            return self.tokens[index].join(around_token[names])

        def batch(start: int) -> List[int]:
            items = [item(index) for index in range(start, min(start + BATCH, len(self)))]
            results = client.call("register_batch", {"items": items})["results"]
            require(len(results) == len(items) and not any(each["code"] for each in results), "devices are refused")
            return [each["device_id"] for each in results]

        with deployment.client(timeout=CALL_SECONDS) as client, ThreadPoolExecutor(PIPELINE) as pool:
            for ids in pool.map(batch, range(0, len(self), BATCH)):
                self.ids += ids
        self.index = {id: index for index, id in enumerate(self.ids)}
        require(len(self.index) == len(self), "two devices have one id")

    def exclude(self, deployment: Deployment) -> None:
        """Mutes, unregisters and quarantines the devices with these profiles."""
        with deployment.client(timeout=CALL_SECONDS) as client, ThreadPoolExecutor(PIPELINE) as pool:
            for _ in pool.map(lambda index: client.update_device(APP, self.ids[index], muted=True),
                              self.of(Profile.MUTED)):
                pass
            for _ in pool.map(lambda index: client.unregister(APP, self.ids[index]), self.of(Profile.UNREGISTERED)):
                pass
            dying = self.of(Profile.QUARANTINED)
            if dying:
                message = client.send_to(APP, PAYLOAD, topic=EARLY)["message_id"]
                outcomes = wait_finished(client, message, 120)
                require(outcomes == {"token-unregistered": len(dying)}, f"not all are in quarantine: {outcomes}")

    # During the message

    def start_faults(self, deployment: Deployment, *, processed: bool) -> None:
        """Starts the temporary faults. With `processed`, APNs accepts the pushes that it never answers."""
        for profile, status, probability in ((Profile.THROTTLED, 429, 0.3), (Profile.BROKEN, 500, 0.5),
                                             (Profile.BUSY, 503, 0.5)):
            deployment.simulator.add_rules(prefix=f"{profile:02x}", status=status, probability=probability)
        deployment.simulator.add_rules(fault="silence", prefix=f"{Profile.SILENT:02x}", probability=0.5,
                                       processed=processed)

    def subscribed_ids(self, client: crln.Client) -> Set[int]:
        """Returns the ids of the devices in the topic ALL_DEVICES."""
        found: Set[int] = set()
        cursor = 0
        while True:
            page = client.call("topic_devices", {"app": APP, "topic": ALL_DEVICES, "cursor": cursor, "limit": BATCH})
            found.update(device_id(each) for each in page["devices"])
            cursor = page["next"]
            if not cursor:
                return found

    def check_states(self, client: crln.Client, unregistered: Iterable[int] = ()) -> List[str]:
        """Differences between the expected and the stored state of the devices: in the topic, in quarantine, or
        gone. `unregistered` are indices of devices that were unregistered later."""
        gone = {*self.of(Profile.UNREGISTERED), *unregistered}
        out = gone.union(self.of(Profile.DEAD_SINCE, Profile.QUARANTINED))
        expected = {id for index, id in enumerate(self.ids) if index not in out}
        wrong = [f"device {id} in the topic: {id not in expected}" for id in self.subscribed_ids(client) ^ expected]

        def state(index: int) -> str:
            try:
                return client.lookup(APP, self.ids[index])["state"]
            except crln.CarillonError as error:
                return error.code

        dead = self.of(*DEAD)
        with ThreadPoolExecutor(PIPELINE) as pool:
            for index, found in zip(dead, pool.map(state, dead)):
                right = "active" if self.profiles[index] == Profile.DEAD_BEFORE else "quarantined"
                if found != right:
                    wrong.append(f"{self.profiles[index].name} {self.ids[index]} is {found}")
        return wrong


def device_id(entry: Any) -> int:
    """Returns the device id in an entry of a listing."""
    return entry["device_id"] if isinstance(entry, dict) else entry


