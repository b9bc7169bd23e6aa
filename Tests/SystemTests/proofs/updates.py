"""During a large fan-out: the wait of an interactive push, and the time until cancel, pause, resume and pace take
effect. Started by Tools/prove updates."""
from __future__ import annotations

import argparse
import os
import sys
import time
from typing import Any, Callable, Dict, List, Tuple

from support.deployment import APP, Deployment, carillon, eventually
from support.device_fleet import ALL_DEVICES, CALL_SECONDS, DeviceFleet, Profile
from support.environment import require
from support.proof import Phases
from support.system_test_case import PAYLOAD

# The mean delay of APNs' answers in milliseconds.
ANSWER_MS = 40
# Streams of a connection: eight connections are 10,000 answers a second. With as many streams as APNs allows, the
# simulator on the same machine would use all the processor time.
STREAMS = 50
# The same in the short form, so that the fan-out to few devices lasts for a while.
SMOKE_STREAMS = 2
STEER = 0x54
ACTIONS = {"cancel": 1, "pause": 2, "resume": 3, "pace": 4}
# An update takes effect within so many milliseconds.
EFFECTIVE_MS = 1_000
# Pushes in flight at the response to an update are answered within so many seconds: delays are exponential, limited to
# ten times the mean.
FLIGHT_SECONDS = 10 * ANSWER_MS / 1000


class InteractiveDevice:
    """A device that is in no fan-out and gets interactive pushes."""

    def __init__(self, deployment: Deployment, client: carillon.Client, now: int) -> None:
        self.deployment, self.client = deployment, client
        self.token = os.urandom(32)
        client.register(APP, self.token, seen_at=now)
        self.count = 0

    def waits(self) -> Tuple[float, float]:
        """Sends once. Returns milliseconds until the response to SEND, and until the simulator has the push."""
        began = time.monotonic()
        self.client.send(APP, [self.token], PAYLOAD, lane="interactive")
        accepted = time.monotonic()
        self.count += 1
        eventually(lambda: self.deployment.simulator.count(self.token) >= self.count, "the device has it", 20, 0.0005)
        return (accepted - began) * 1000, (time.monotonic() - began) * 1000


def percentile(values: List[float], percent: int) -> float:
    """The value that `percent` of the values do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]


def measure(device: InteractiveDevice, count: int, goes_on: Callable[[], bool] = lambda: True) -> List[Tuple[float,
                                                                                                             float]]:
    """Measures `count` waits, or fewer if `goes_on` becomes false."""
    waits: List[Tuple[float, float]] = []
    while len(waits) < count and goes_on():
        waits.append(device.waits())
        time.sleep(0.01)
    return waits


class Steering:
    """Updates of one running message."""

    def __init__(self, deployment: Deployment, client: carillon.Client, message: int) -> None:
        self.deployment, self.client, self.message = deployment, client, message

    def steer(self, action: str, **tags: Any) -> None:
        """Sends one update."""
        self.client.call("steer", {"app": APP, "message_id": self.message, "action": ACTIONS[action], **tags})

    def requests(self) -> int:
        """The pushes that the simulator has received."""
        return self.deployment.simulator.stats()["requests"]

    def rate(self, seconds: float = 1.0) -> float:
        """The pushes a second, measured over `seconds`."""
        before, began = self.requests(), time.monotonic()
        time.sleep(seconds)
        return (self.requests() - before) / (time.monotonic() - began)

    def stops(self, action: str) -> float:
        """Milliseconds from the update to the last push, watched for two seconds longer than the limit."""
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
        """Milliseconds from the resume to the first push."""
        count, began = self.requests(), time.monotonic()
        self.steer("resume")
        eventually(lambda: self.requests() > count, "pushes come again", 20, 0.001)
        return (time.monotonic() - began) * 1000


def steered(deployment: Deployment, client: carillon.Client, message: int, results: Dict[str, float]) -> List[str]:
    """Pauses, resumes, paces and cancels a running message; returns the problems."""
    steering, wrong = Steering(deployment, client, message), []
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
    """Measures and returns the exit code: 0 if no claim is broken."""
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
    fleet = DeviceFleet(count, options.seed, without=[profile for profile in Profile if profile != Profile.PLAIN])
    results: Dict[str, float] = {}
    wrong: List[str] = []
    with Deployment(records=False, simulator=("--quiet", "--max-streams", str(streams))) as deployment:
        fleet.register(deployment, now, {})
        phases.done(f"{count} devices registered")
        deployment.simulator.rule(fault="delay", mean=ANSWER_MS)
        with deployment.client(timeout=CALL_SECONDS) as client:
            device = InteractiveDevice(deployment, client, now)
            measure(device, 5)
            idle = measure(device, waits)
            phases.done(f"{len(idle)} waits while nothing else goes on")
            message = client.send_to(APP, PAYLOAD, topic=ALL_DEVICES)["message_id"]
            eventually(lambda: deployment.simulator.stats()["devices"] > count // 100, "the fan-out runs")
            busy = measure(device, waits, lambda: deployment.simulator.stats()["devices"] < count * 9 // 10)
            phases.done(f"{len(busy)} waits while the fan-out runs")
            status = client.message_status(APP, message)["outcomes"]
            require(status.get("pending", 0) > 0 and len(busy) >= min(waits, 20), f"it was over too soon: {status}")
            can_steer = any(each["opcode"] == STEER for each in client.server["opcodes"])
            if can_steer:
                second = client.send_to(APP, PAYLOAD, topic=ALL_DEVICES)["message_id"]
                client.call("steer", {"app": APP, "message_id": message, "action": ACTIONS["cancel"]})
                time.sleep(1)
                wrong = steered(deployment, client, second, results)
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
