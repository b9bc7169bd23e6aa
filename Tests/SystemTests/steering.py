"""While a great fan-out runs: how long a person waits, and how soon cancel, pause, resume and pace take effect. Started
by Tools/prove steering."""
from __future__ import annotations

import argparse
import os
import sys
import time
from typing import Any, Callable, Dict, List, Tuple

from multitude import APP, CALL_SECONDS, EVERYBODY, PAYLOAD, Lot, Multitude, Phases, require
from world import World, carillon, eventually

# Milliseconds that APNs takes for an answer, on the average.
ANSWER_MS = 40
# Streams of a connection: eight of them are 10,000 answers a second. With as many as APNs allows the simulator on the
# same machine has no time left, and a wait is that for a processor.
STREAMS = 50
# The same in the short form, so that few devices last for a while.
SMOKE_STREAMS = 2
STEER = 0x54
ACTIONS = {"cancel": 1, "pause": 2, "resume": 3, "pace": 4}
# A steering decision takes effect within so many milliseconds.
EFFECTIVE_MS = 1_000
# What is on its way when the decision is answered is over within so many seconds: answers are exponential, cut at ten
# times the mean.
FLIGHT_SECONDS = 10 * ANSWER_MS / 1000


class Person:
    """One who waits: a device in nobody's fan-out, pushed to again and again."""

    def __init__(self, world: World, client: carillon.Client, now: int) -> None:
        self.world, self.client = world, client
        self.token = os.urandom(32)
        client.register(APP, self.token, seen_at=now)
        self.count = 0

    def waits(self) -> Tuple[float, float]:
        """Milliseconds from the call of SEND until it is acknowledged, and until the simulator has the push."""
        began = time.monotonic()
        self.client.send(APP, [self.token], PAYLOAD, lane="interactive")
        accepted = time.monotonic()
        self.count += 1
        eventually(lambda: self.world.simulator.count(self.token) >= self.count, "the person has it", 20, 0.0005)
        return (accepted - began) * 1000, (time.monotonic() - began) * 1000


def percentile(values: List[float], percent: int) -> float:
    """The value that so many percent do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]


def measure(person: Person, count: int, goes_on: Callable[[], bool] = lambda: True) -> List[Tuple[float, float]]:
    """So many waits, or as many as there are while something goes on."""
    waits: List[Tuple[float, float]] = []
    while len(waits) < count and goes_on():
        waits.append(person.waits())
        time.sleep(0.01)
    return waits


class Steering:
    """Decisions about one running message."""

    def __init__(self, world: World, client: carillon.Client, message: int) -> None:
        self.world, self.client, self.message = world, client, message

    def steer(self, action: str, **tags: Any) -> None:
        """Decides."""
        self.client.call("steer", {"app": APP, "message_id": self.message, "action": ACTIONS[action], **tags})

    def requests(self) -> int:
        """Pushes that have come to the simulator."""
        return self.world.simulator.stats()["requests"]

    def rate(self, seconds: float = 1.0) -> float:
        """Pushes a second that come now."""
        before, began = self.requests(), time.monotonic()
        time.sleep(seconds)
        return (self.requests() - before) / (time.monotonic() - began)

    def stops(self, action: str) -> float:
        """Milliseconds from the decision to the last push that came, watched for two seconds more than it may take."""
        began = time.monotonic()
        self.steer(action)
        last, count = began, self.requests()
        while time.monotonic() - began < EFFECTIVE_MS / 1000 + 2:
            now = self.requests()
            if now != count:
                last, count = time.monotonic(), now
            time.sleep(0.005)
        return (last - began) * 1000

    def starts(self) -> float:
        """Milliseconds from resuming to the first push that comes."""
        count, began = self.requests(), time.monotonic()
        self.steer("resume")
        eventually(lambda: self.requests() > count, "pushes come again", 20, 0.001)
        return (time.monotonic() - began) * 1000


def steered(world: World, client: carillon.Client, message: int, results: Dict[str, float]) -> List[str]:
    """Pauses, resumes, paces and cancels a running message; what is wrong."""
    steering, wrong = Steering(world, client, message), []
    results["pause_ms"] = steering.stops("pause")
    require(client.message_status(APP, message)["outcomes"].get("pending", 0) > 0, "the message was over too soon")
    results["resume_ms"] = steering.starts()
    free = steering.rate()
    pace = max(10, int(free / 10))
    steering.steer("pace", pace=pace)
    time.sleep(FLIGHT_SECONDS)
    paced = steering.rate(3)
    results["pace_asked"], results["pace_kept"] = pace, paced
    if not 0.7 * pace <= paced <= 1.2 * pace:
        wrong.append(f"a pace of {pace} a second comes to {paced:.0f}")
    steering.steer("pace")
    eventually(lambda: steering.rate(0.5) > 2 * pace, "the message is free again", 10)
    results["cancel_ms"] = steering.stops("cancel")
    wrong += [f"{name} took {results[name]:.0f} ms" for name in ("pause_ms", "resume_ms", "cancel_ms")
              if results[name] > EFFECTIVE_MS]

    def ended() -> Dict[str, int]:
        status = client.message_status(APP, message)
        require(sum(status["outcomes"].values()) == status["total"], f"the sum is not the total: {status}")
        return status["outcomes"] if status["state"] == "finished" else {}

    outcomes = eventually(ended, "the cancelled message is finished", 120)
    if set(outcomes) != {"delivered", "cancelled"}:
        wrong.append(f"the outcomes are {outcomes}")
    return wrong


def main() -> int:
    """Measures and steers; the exit code says whether all is in time."""
    parser = argparse.ArgumentParser(prog="Tools/prove steering", description=__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="a few thousand devices")
    parser.add_argument("--devices", type=int, help="how many (1000000)")
    parser.add_argument("--seed", type=int, default=1, help="of the devices (%(default)s)")
    parser.add_argument("--streams", type=int, help="of a connection: what APNs takes at a time (50)")
    options = parser.parse_args()
    count = options.devices or (20_000 if options.smoke else 1_000_000)
    streams = options.streams or (SMOKE_STREAMS if options.smoke else STREAMS)
    waits = 30 if options.smoke else 500
    print(f"{count} devices, {streams} streams, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors",
          flush=True)
    phases, now = Phases(), int(time.time() * 1000)
    multitude = Multitude(count, options.seed, without=[lot for lot in Lot if lot != Lot.PLAIN])
    results: Dict[str, float] = {}
    wrong: List[str] = []
    with World(records=False, simulator=("--quiet", "--max-streams", str(streams))) as world:
        multitude.register(world, now, {})
        phases.done(f"{count} devices registered")
        world.simulator.rule(fault="delay", mean=ANSWER_MS)
        with world.client(timeout=CALL_SECONDS) as client:
            person = Person(world, client, now)
            measure(person, 5)
            idle = measure(person, waits)
            phases.done(f"{len(idle)} waits while nothing else goes on")
            message = client.send_to(APP, PAYLOAD, topic=EVERYBODY)["message_id"]
            eventually(lambda: world.simulator.stats()["devices"] > count // 100, "the fan-out runs")
            busy = measure(person, waits, lambda: world.simulator.stats()["devices"] < count * 9 // 10)
            phases.done(f"{len(busy)} waits while the fan-out runs")
            status = client.message_status(APP, message)["outcomes"]
            require(status.get("pending", 0) > 0 and len(busy) >= min(waits, 20), f"it was over too soon: {status}")
            can_steer = any(each["opcode"] == STEER for each in client.server["opcodes"])
            if can_steer:
                second = client.send_to(APP, PAYLOAD, topic=EVERYBODY)["message_id"]
                client.call("steer", {"app": APP, "message_id": message, "action": ACTIONS["cancel"]})
                time.sleep(1)
                wrong = steered(world, client, second, results)
                phases.done("paused, resumed, paced and cancelled")
            else:
                print("This server does not steer (no STEER in HELLO): cancel, pause, resume and pace are not proved.")
    for each in wrong:
        print(f"wrong: {each}")
    for name, values in (("idle", idle), ("busy", busy)):
        for percent in (50, 99):
            accepted, there = (percentile([each[part] for each in values], percent) for part in (0, 1))
            print(f"RESULT steering.accepted_p{percent}_ms_{name} {accepted:.1f}")
            print(f"RESULT steering.interactive_p{percent}_ms_{name} {there:.1f}")
    for name, value in results.items():
        print(f"RESULT steering.{name} {value:.0f}")
    if can_steer:
        print(f"RESULT steering.wrong {len(wrong)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
