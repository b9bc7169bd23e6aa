"""During a large fan-out: the wait of an interactive push, and the time until a message update takes effect.

Tools/prove updates [--smoke] [--devices N] [--seed N] [--streams N]

The updates are cancel, pause, resume and pace. The waits are printed beside those of the same run before the fan-out.
The short form reports times and judges none.

Programs: carillond apns-simulator
"""
from __future__ import annotations

import argparse
import os
import sys
import time
from typing import Any, Callable, Dict, List, Tuple

from proofs.parts.device_fleet import ALL_DEVICES, CALL_SECONDS, DeviceFleet, Profile
from proofs.parts.proof import Phases, seed
from support.deployment import APP, Deployment, crln, eventually
from support.environment import require
from support.figures import percentile
from support.system_test_case import PAYLOAD

# The mean delay of APNs' answers in milliseconds.
ANSWER_MS = 40
# Streams of a connection: eight connections are 10,000 answers a second. With as many streams as APNs allows, the
# simulator on the same machine would use all the processor time.
STREAMS = 50
# The same in the short form, so that the fan-out to few devices lasts for a while.
SMOKE_STREAMS = 2
ACTIONS = {"cancel": 1, "pause": 2, "resume": 3, "pace": 4}
# An update takes effect within this number of milliseconds, on a machine without other work.
EFFECTIVE_MS = 1_000
# Pushes in flight at the answer to an update are answered within this number of seconds: delays are exponential,
# limited to ten times the mean.
FLIGHT_SECONDS = 10 * ANSWER_MS / 1000
# A wait that takes longer than this fails the run.
DEADLINE_SECONDS = 60


class InteractiveDevice:
    """A device that is in no fan-out and gets interactive pushes."""

    def __init__(self, deployment: Deployment, client: crln.Client, now: int) -> None:
        self.deployment, self.client = deployment, client
        self.token = os.urandom(32)
        client.register(APP, self.token, seen_at=now)
        self.count = 0

    def waits(self) -> Tuple[float, float]:
        """Sends once. Returns milliseconds until the answer to SEND, and until the simulator has the push."""
        began = time.monotonic()
        self.client.send(APP, [self.token], PAYLOAD, lane="interactive")
        accepted = time.monotonic()
        self.count += 1
        eventually(lambda: self.deployment.simulator.accepted_count(self.token) >= self.count, "the device has it", 20,
                   0.0005)
        return (accepted - began) * 1000, (time.monotonic() - began) * 1000


def measure(device: InteractiveDevice, count: int,
            goes_on: Callable[[], bool] = lambda: True) -> List[Tuple[float, float]]:
    """Measures `count` waits, or fewer if `goes_on` becomes false."""
    waits: List[Tuple[float, float]] = []
    while len(waits) < count and goes_on():
        waits.append(device.waits())
        time.sleep(0.01)  # pause: the rate of the measurement
    return waits


class RunningMessage:
    """A message whose fan-out runs, and updates of it."""

    def __init__(self, deployment: Deployment, client: crln.Client, message: int) -> None:
        self.deployment, self.client, self.message = deployment, client, message

    def update(self, action: str, **tags: Any) -> None:
        """Sends one update (UPDATE_MESSAGE)."""
        self.client.call("update_message", {"app": APP, "message_id": self.message, "action": ACTIONS[action], **tags})

    def requests(self) -> int:
        """Returns the pushes that the simulator has received."""
        return self.deployment.simulator.stats()["requests"]

    def rate(self, seconds: float = 1.0) -> float:
        """Returns the pushes a second, measured over `seconds`."""
        before, began = self.requests(), time.monotonic()
        time.sleep(seconds)  # pause: the time over which is measured
        return (self.requests() - before) / (time.monotonic() - began)

    def stop(self, action: str) -> float:
        """Sends an update and waits until no push has come for two seconds; milliseconds until the last one."""
        began = time.monotonic()
        self.update(action)
        last, count = began, self.requests()
        while time.monotonic() - last < 2:
            time.sleep(0.005)  # pause: between two looks
            now = self.requests()
            if now != count:
                last, count = time.monotonic(), now
            require(time.monotonic() - began < DEADLINE_SECONDS, f"pushes go on after {action}")
        return (last - began) * 1000

    def resume(self) -> float:
        """Resumes the message; milliseconds until the first push."""
        count, began = self.requests(), time.monotonic()
        self.update("resume")
        eventually(lambda: self.requests() > count, "pushes come again", DEADLINE_SECONDS, 0.001)
        return (time.monotonic() - began) * 1000

    def outcomes(self) -> Dict[str, int]:
        """Returns the outcomes if the message is finished; the sum must be the total at all times."""
        status = self.client.message_status(APP, self.message)
        require(sum(status["outcomes"].values()) == status["total"], f"the sum is not the total: {status}")
        return status["outcomes"] if status["state"] == "finished" else {}


def update_all(message: RunningMessage) -> Tuple[Dict[str, float], Dict[str, int]]:
    """Pauses, resumes, paces and cancels a running message; returns the figures and the outcomes."""
    figures = {"pause_ms": message.stop("pause")}
    pending = message.client.message_status(APP, message.message)["outcomes"].get("pending", 0)
    require(pending > 0, "the message was over too soon")
    figures["resume_ms"] = message.resume()
    pace = max(10, int(message.rate() / 10))
    message.update("pace", pace=pace)
    time.sleep(FLIGHT_SECONDS)  # pause: pushes in flight do not count for the pace
    figures["pace_asked"], figures["pace_kept"] = pace, message.rate(3)
    message.update("pace")
    eventually(lambda: message.rate(0.5) > 2 * pace, "the pace is removed", DEADLINE_SECONDS)
    figures["cancel_ms"] = message.stop("cancel")
    return figures, eventually(message.outcomes, "the cancelled message is finished", 120)


def slow_updates(figures: Dict[str, float], idle: List[Tuple[float, float]]) -> List[str]:
    """Returns the updates that took too long, or a pace that was not kept. The limit grows with the idle waits of
    the run."""
    limit = EFFECTIVE_MS + 10 * percentile([there for _, there in idle], 99)
    problems = [f"{name} took {figures[name]:.0f} ms, more than {limit:.0f}"
                for name in ("pause_ms", "resume_ms", "cancel_ms") if figures[name] > limit]
    asked, kept = figures["pace_asked"], figures["pace_kept"]
    if not 0.7 * asked <= kept <= 1.2 * asked:
        problems.append(f"a pace of {asked:.0f} a second comes to {kept:.0f}")
    return problems


def print_results(idle: List[Tuple[float, float]], busy: List[Tuple[float, float]], figures: Dict[str, float]) -> None:
    """Prints the RESULT lines."""
    for name, values in (("idle", idle), ("busy", busy)):
        for percent in (50, 99):
            accepted, there = (percentile([each[part] for each in values], percent) for part in (0, 1))
            print(f"RESULT updates.accepted_p{percent}_ms_{name} {accepted:.1f}")
            print(f"RESULT updates.interactive_p{percent}_ms_{name} {there:.1f}")
    for name, value in figures.items():
        print(f"RESULT updates.{name} {value:.0f}")


def parse_options() -> argparse.Namespace:
    """Returns the options of the command line."""
    parser = argparse.ArgumentParser(prog="Tools/prove updates", description=__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="few devices; times are reported, not judged")
    parser.add_argument("--devices", type=int, help="how many (1000000)")
    parser.add_argument("--seed", type=int, default=seed(1), help="of the devices (%(default)s)")
    parser.add_argument("--streams", type=int, help="of a connection: what APNs takes at a time (50)")
    return parser.parse_args()


def main() -> int:
    """Measures and returns the exit status: 0 if no claim is broken."""
    options = parse_options()
    count = options.devices or (20_000 if options.smoke else 1_000_000)
    streams = options.streams or (SMOKE_STREAMS if options.smoke else STREAMS)
    waits = 30 if options.smoke else 500
    print(f"{count} devices, {streams} streams, seed {options.seed}, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} "
          "processors", flush=True)
    phases, now = Phases(), int(time.time() * 1000)
    fleet = DeviceFleet(count, options.seed, without=[profile for profile in Profile if profile != Profile.PLAIN])
    with Deployment(records=False, simulator=("--quiet", "--max-streams", str(streams))) as deployment:
        fleet.register(deployment, now, {})
        phases.done(f"{count} devices registered")
        deployment.simulator.add_rules(fault="delay", mean=ANSWER_MS)
        with deployment.client(timeout=CALL_SECONDS) as client:
            device = InteractiveDevice(deployment, client, now)
            measure(device, 5)
            idle = measure(device, waits)
            phases.done(f"{len(idle)} waits without other work")
            first = client.send_to(APP, PAYLOAD, topic=ALL_DEVICES)["message_id"]
            eventually(lambda: deployment.simulator.stats()["devices"] > count // 100, "the fan-out runs", 120)
            busy = measure(device, waits, lambda: deployment.simulator.stats()["devices"] < count * 9 // 10)
            phases.done(f"{len(busy)} waits during the fan-out")
            status = client.message_status(APP, first)["outcomes"]
            require(status.get("pending", 0) > 0 and len(busy) >= min(waits, 20), f"it was over too soon: {status}")
            second = client.send_to(APP, PAYLOAD, topic=ALL_DEVICES)["message_id"]
            RunningMessage(deployment, client, first).update("cancel")
            eventually(RunningMessage(deployment, client, first).outcomes, "the first message is finished", 120)
            figures, outcomes = update_all(RunningMessage(deployment, client, second))
            phases.done("paused, resumed, paced and cancelled")
    problems = [] if set(outcomes) == {"delivered", "cancelled"} else [f"the outcomes are {outcomes}"]
    slow = slow_updates(figures, idle)
    for each in problems + slow:
        print(f"wrong: {each}")
    print_results(idle, busy, figures)
    print(f"RESULT updates.wrong {len(problems) + len(slow)}")
    return 1 if problems or (slow and not options.smoke) else 0


if __name__ == "__main__":
    sys.exit(main())
