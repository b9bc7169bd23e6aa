"""One message to a million devices, with every kind of answer of APNs: each outcome agrees with what APNs did.

Tools/prove accounting [--smoke] [--devices N] [--seed N]

Some devices are muted, unregistered or in quarantine. APNs answers 200, 410 with a time before or after the
registration, 429, 500 or 503, or not at all. The server's memory is measured for audiences of four sizes.

Programs: carillond apns-simulator
"""
from __future__ import annotations

import argparse
import os
import sys
import time
from typing import Dict, List

from proofs.parts.device_fleet import ALL_DEVICES, ANSWER_SECONDS, CALL_SECONDS, FAULTS_END, DeviceFleet, Profile
from proofs.parts.proof import Heap, Phases, report, seed
from proofs.parts.reconciliation import Reconciliation
from support.deployment import APP, Deployment, eventually
from support.environment import crln, require
from support.figures import label
from support.system_test_case import PAYLOAD, wait_finished

# The heap that the server may need, whatever the size of the audience.
MAXIMUM_HEAP_MIB = 64
# Seconds from the end of the temporary faults within which the last outcome comes.
TAIL_SECONDS = 900


def options() -> argparse.Namespace:
    """Returns the arguments of the command line."""
    parser = argparse.ArgumentParser(prog="Tools/prove accounting", description=__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="a few thousand devices, none with a 429")
    parser.add_argument("--devices", type=int, help="how many (1000000)")
    parser.add_argument("--seed", type=int, default=seed(1), help="of the devices' profiles (%(default)s)")
    chosen = parser.parse_args()
    chosen.devices = chosen.devices or (8_000 if chosen.smoke else 1_000_000)
    return chosen


class Run:
    """One run: the fleet is registered, gets messages to a part of it, and then the one whose outcomes are compared."""

    def __init__(self, deployment: Deployment, chosen: argparse.Namespace) -> None:
        self.deployment, self.chosen, self.phases = deployment, chosen, Phases()
        self.fleet = DeviceFleet(chosen.devices, chosen.seed, without=(Profile.THROTTLED,) if chosen.smoke else ())
        # Bytes of the server's heap: idle, and the peak while a message was sent, by the size of its audience.
        self.idle, self.heaps = 0, {}  # type: int, Dict[int, int]
        self.wrong: List[str] = []

    def register(self) -> Dict[str, int]:
        """Registers the devices; returns topics that have a part of them, with its size."""
        now, count = int(time.time() * 1000), self.chosen.devices
        self.deployment.start_simulator("--quiet", "--seed", str(self.chosen.seed), "--devices",
                                        self.fleet.write_dead(self.deployment, now))
        self.deployment.start()
        plain = len(self.fleet.of(Profile.PLAIN))
        samples = {label(size): size for size in (count // 100, count // 10, plain)}
        self.fleet.register(self.deployment, now, samples)
        self.phases.done(f"{count} devices registered")
        self.fleet.exclude(self.deployment)
        self.phases.done("devices muted, unregistered and quarantined by their profiles")
        require(self.deployment.terminate() == 0, "the server did not exit with 0")
        return samples

    def send_samples(self, client: crln.Client, samples: Dict[str, int]) -> None:
        """Sends to each part."""
        self.idle = self.deployment.heap_bytes
        for topic, size in samples.items():
            with Heap(self.deployment) as heap:
                outcomes = wait_finished(client, client.send_to(APP, PAYLOAD, topic=topic)["message_id"], 900)
            require(outcomes == {"delivered": size}, f"{topic}: {outcomes}")
            self.heaps[size] = heap.peak
        self.phases.done(f"sent to {' and '.join(samples)}")

    def send(self, client: crln.Client) -> None:
        """Sends to all devices, and compares."""
        simulator = self.deployment.simulator
        simulator.ask("reset")
        self.fleet.start_faults(self.deployment, processed=True)
        with Heap(self.deployment) as heap:
            message = client.send_to(APP, PAYLOAD, topic=ALL_DEVICES)["message_id"]
            most = FAULTS_END * self.fleet.acceptable
            eventually(lambda: simulator.stats()["devices"] >= most, "most have the message", 900, 0.2)
            simulator.ask("calm")
            self.phases.done("most devices have the message; the faults have ended")
            outcomes = wait_finished(client, message, TAIL_SECONDS)
        self.heaps[self.chosen.devices] = heap.peak
        stats = simulator.stats()
        self.phases.done(f"finished: {outcomes}")
        print(f"           APNs: {stats}")
        self.account = Reconciliation(self.deployment, client, message, self.fleet)
        self.wrong = self.account.disagreements + self.fleet.check_states(client)
        if stats["violations"]:
            self.wrong.append("the server violated HTTP/2")
        self.phases.done("compared")

    def report(self) -> int:
        """Prints the result, and returns the exit status: 0 if all outcomes are right and the heap was small enough."""
        missing, disagree = report("missing", self.account.missing), report("disagrees", self.wrong)
        print(f"RESULT accounting.devices {len(self.account.outcomes)}")
        print(f"RESULT accounting.missing {missing}")
        print(f"RESULT accounting.disagree {disagree}")
        print(f"RESULT memory.heap_mib_idle {self.idle / 2**20:.1f}")
        for size, peak in self.heaps.items():
            print(f"RESULT memory.heap_mib_{label(size)} {peak / 2**20:.1f}")
        most_heap = max(self.heaps.values()) >> 20
        return 1 if missing or disagree or most_heap > MAXIMUM_HEAP_MIB else 0


def main() -> int:
    """Sends, compares, and returns the exit status: that of `Run.report`."""
    chosen = options()
    print(f"{chosen.devices} devices, seed {chosen.seed}, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors",
          flush=True)
    with Deployment(simulator=None, flags=None, records=False) as deployment:
        run = Run(deployment, chosen)
        samples = run.register()
        # The memory that the registrations needed is not counted.
        deployment.start("--apns-answer-timeout-seconds", str(ANSWER_SECONDS))
        with deployment.client(timeout=CALL_SECONDS) as client:
            run.send_samples(client, samples)
            run.send(client)
    return run.report()


if __name__ == "__main__":
    sys.exit(main())
