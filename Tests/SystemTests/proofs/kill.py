"""One message to a million devices with twenty kills of the server: no device is missed, and duplicates are bounded.

Tools/prove kill [--smoke] [--devices N] [--kills N] [--seed N]

APNs answers as in the proof "accounting". The bound on duplicates after a kill is Limits.unrecordedDeliveries of
the delivery engine: pushes in flight, and pushes that APNs took and that are not on disk. Devices that are unregistered
before a kill get no push after it.

Programs: carillond apns-simulator
"""
from __future__ import annotations

import argparse
import os
import random
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Dict, List

from proofs.parts.device_fleet import ALL_DEVICES, ANSWER_SECONDS, CALL_SECONDS, FAULTS_END, DeviceFleet, Profile
from proofs.parts.proof import Phases, report, seed, unrecorded_limit
from proofs.parts.reconciliation import Reconciliation
from support.deployment import APP, Deployment, crln, eventually
from support.system_test_case import PAYLOAD, wait_finished

# The delay of each answer in milliseconds, so that pushes are always in flight.
DELAY_MS = 20
# Streams of a connection in the short form: with more, all its devices would have the message before the first kill.
SMOKE_STREAMS = 20
# Devices unregistered just before each kill.
UNREGISTERED = 20
# Seconds from the last kill to the last outcome.
TAIL_SECONDS = 900


class Run:
    """The message, the kills, and the devices that were unregistered just before the kills."""

    def __init__(self, deployment: Deployment, fleet: DeviceFleet, kills: int) -> None:
        self.deployment, self.fleet = deployment, fleet
        generator = fleet.generator
        # A kill comes when this number of devices have the message. Some come near the end, when only retries remain.
        self.moments = sorted(generator.uniform(0.01, 0.98) * fleet.acceptable for _ in range(kills))
        self.generator = random.Random(generator.random())
        self.victims = fleet.of(Profile.PLAIN)
        # The requests for each unregistered device, counted after the end of the server that could still send to it.
        self.requests: Dict[int, int] = {}
        self.kills = 0
        self.duplicates: List[int] = []
        self.has_faults = True

    def run(self, message: int) -> None:
        """Kills the server at every moment and starts it again."""
        for moment in self.moments:
            with self.deployment.client(timeout=CALL_SECONDS) as client:
                if not self._await(client, message, moment):
                    return
                chosen = [self._victim() for _ in range(min(UNREGISTERED, len(self.victims)))]
                with ThreadPoolExecutor(UNREGISTERED) as pool:
                    for _ in pool.map(lambda index: client.unregister(APP, self.fleet.ids[index]), chosen):
                        pass
            self.deployment.kill()
            self.kills += 1
            # The pushes in flight have reached the simulator, or are lost.
            eventually(lambda: self.deployment.simulator.stats()["connections"] == 0, "the connections have ended")
            for index in chosen:
                self.requests[index] = self._requests(index)
            self.duplicates.append(self.deployment.simulator.stats()["duplicates"])
            self.deployment.start("--apns-answer-timeout-seconds", str(ANSWER_SECONDS))

    def _await(self, client: crln.Client, message: int, moment: float) -> bool:
        """Waits until `moment` devices have the message; false if it has finished before."""

        def has_come() -> bool:
            devices = self.deployment.simulator.stats()["devices"]
            if self.has_faults and devices >= FAULTS_END * self.fleet.acceptable:
                self.has_faults = False
                self.deployment.simulator.ask("calm")
            return devices >= moment or client.message_status(APP, message)["state"] == "finished"

        eventually(has_come, "more devices have the message", 600, 0.005)
        return client.message_status(APP, message)["state"] != "finished"

    def _victim(self) -> int:
        return self.victims.pop(self.generator.randrange(len(self.victims)))

    def _requests(self, index: int) -> int:
        record = self.deployment.simulator.ask("device " + self.fleet.tokens[index].hex())[0]
        return record["count"] + record["refused"]

    def pushed_after(self) -> List[str]:
        """Returns the devices that got a push after the restart that followed their unregistration."""
        return [f"device {self.fleet.ids[index]}" for index, requests in self.requests.items()
                if self._requests(index) != requests]


def options() -> argparse.Namespace:
    """Returns the arguments of the command line."""
    parser = argparse.ArgumentParser(prog="Tools/prove kill", description=__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="a few thousand devices, three kills, and no 429")
    parser.add_argument("--devices", type=int, help="how many (1000000)")
    parser.add_argument("--kills", type=int, help="how often (20)")
    parser.add_argument("--seed", type=int, default=seed(1),
                        help="of the devices' profiles and the moments (%(default)s)")
    chosen = parser.parse_args()
    chosen.devices = chosen.devices or (20_000 if chosen.smoke else 1_000_000)
    chosen.kills = chosen.kills or (3 if chosen.smoke else 20)
    return chosen


class Result:
    """What the run has found."""

    def __init__(self, run: Run, account: Reconciliation, stats: Dict[str, Any], wrong: List[str]) -> None:
        self.run, self.account, self.stats, self.wrong = run, account, stats, wrong
        self.pushed = run.pushed_after()

    def report(self, kills: int) -> int:
        """Prints the result, and returns the exit status: 0 if the claims hold after `kills` kills."""
        stats, run = self.stats, self.run
        if stats["accepted"] - stats["duplicates"] != stats["devices"]:
            self.wrong.append("a push came again with another apns-id")
        if run.kills != kills:
            self.wrong.append(f"the message had finished after {run.kills} kills")
        bound = run.kills * unrecorded_limit()
        missing, disagree = report("missing", self.account.missing), report("disagrees", self.wrong)
        after = report("pushed", self.pushed)
        beyond = max(0, stats["duplicates"] - bound)
        print(f"RESULT kill.devices {len(self.account.outcomes)}")
        print(f"RESULT kill.kills {run.kills}")
        print(f"RESULT kill.missing {missing}")
        print(f"RESULT kill.disagree {disagree}")
        print(f"RESULT kill.duplicates {stats['duplicates']}")
        print(f"RESULT kill.bound {bound}")
        print(f"RESULT kill.beyond_bound {beyond}")
        print(f"RESULT kill.unregistered {len(run.requests)}")
        print(f"RESULT kill.after_unregister {after}")
        return 1 if missing or disagree or beyond or after else 0


def begin(deployment: Deployment, chosen: argparse.Namespace, fleet: DeviceFleet) -> int:
    """Registers the devices and sends the message; returns its id."""
    now = int(time.time() * 1000)
    deployment.start_simulator("--quiet", "--seed", str(chosen.seed), "--delay-milliseconds", str(DELAY_MS),
                               "--max-streams", str(SMOKE_STREAMS if chosen.smoke else 1000),
                               "--devices", fleet.write_dead(deployment, now))
    deployment.start("--apns-answer-timeout-seconds", str(ANSWER_SECONDS))
    fleet.register(deployment, now, {})
    fleet.exclude(deployment)
    deployment.simulator.ask("reset")
    # Unanswered pushes are not accepted, so that all duplicates come from the kills.
    fleet.start_faults(deployment, processed=False)
    with deployment.client(timeout=CALL_SECONDS) as client:
        return client.send_to(APP, PAYLOAD, topic=ALL_DEVICES)["message_id"]


def kill(deployment: Deployment, chosen: argparse.Namespace) -> Result:
    """Sends, kills, and compares."""
    phases = Phases()
    fleet = DeviceFleet(chosen.devices, chosen.seed, without=(Profile.THROTTLED,) if chosen.smoke else ())
    message = begin(deployment, chosen, fleet)
    phases.done(f"{chosen.devices} devices registered")
    run = Run(deployment, fleet, chosen.kills)
    run.run(message)
    phases.done(f"killed {run.kills} times; duplicates seen after each: {run.duplicates}")
    deployment.simulator.ask("calm")
    with deployment.client(timeout=CALL_SECONDS) as client:
        outcomes = wait_finished(client, message, TAIL_SECONDS)
        stats: Dict[str, Any] = deployment.simulator.stats()
        phases.done(f"finished: {outcomes}")
        print(f"           APNs: {stats}")
        account = Reconciliation(deployment, client, message, fleet, run.requests)
        wrong = account.disagreements + fleet.check_states(client, run.requests)
    result = Result(run, account, stats, wrong)
    phases.done("compared")
    return result


def main() -> int:
    """Kills, compares, and returns the exit status: 0 if the claims hold."""
    chosen = options()
    print(f"{chosen.devices} devices, {chosen.kills} kills, seed {chosen.seed}, load {os.getloadavg()[0]:.1f} on "
          f"{os.cpu_count()} processors", flush=True)
    with Deployment(simulator=None, flags=None, records=False) as deployment:
        return kill(deployment, chosen).report(chosen.kills)


if __name__ == "__main__":
    sys.exit(main())
