"""One message to a fleet of devices, each with its own behaviour of APNs: every outcome is right. Started by
Tools/prove accounting."""
from __future__ import annotations

import argparse
import os
import sys
import time
from typing import Dict

from support.deployment import APP, Deployment, eventually
from support.device_fleet import ALL_DEVICES, ANSWER_SECONDS, CALL_SECONDS, FAULTS_END, DeviceFleet, Profile
from support.environment import require
from support.figures import label
from support.proof import Heap, Phases, report, seed
from support.reconciliation import Reconciliation
from support.system_test_case import PAYLOAD, wait_finished

# Above this the memory depends on the size of the audience.
HEAP_MIB = 64
# Seconds from the end of the temporary faults to the last outcome: the longest wait of a retry.
TAIL_SECONDS = 900


def main() -> int:
    """Sends, compares, and returns the exit code: 0 if all outcomes are right."""
    parser = argparse.ArgumentParser(prog="Tools/prove accounting", description=__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="a few thousand devices, none with a 429")
    parser.add_argument("--devices", type=int, help="how many (1000000)")
    parser.add_argument("--seed", type=int, default=seed(1), help="of the devices' profiles (%(default)s)")
    options = parser.parse_args()
    count = options.devices or (8_000 if options.smoke else 1_000_000)
    print(f"{count} devices, seed {options.seed}, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors",
          flush=True)
    phases, now = Phases(), int(time.time() * 1000)
    fleet = DeviceFleet(count, options.seed, without=(Profile.THROTTLED,) if options.smoke else ())
    heaps: Dict[int, int] = {}
    with Deployment(simulator=None, flags=None, records=False) as deployment:
        deployment.start_simulator("--quiet", "--seed", str(options.seed), "--devices",
                                   fleet.write_dead(deployment, now))
        deployment.start()
        plain = len(fleet.of(Profile.PLAIN))
        samples = {label(size): size for size in (count // 100, count // 10, plain)}
        fleet.register(deployment, now, samples)
        phases.done(f"{count} devices registered")
        fleet.exclude(deployment)
        phases.done("devices muted, unregistered and quarantined by their profiles")
        require(deployment.terminate() == 0, "the server did not exit with 0")
        # The memory that the registrations needed is not counted.
        deployment.start("--apns-answer-seconds", str(ANSWER_SECONDS))
        with deployment.client(timeout=CALL_SECONDS) as client:
            idle = deployment.heap_bytes
            for topic, size in samples.items():
                with Heap(deployment) as heap:
                    outcomes = wait_finished(client, client.send_to(APP, PAYLOAD, topic=topic)["message_id"], 900)
                require(outcomes == {"delivered": size}, f"{topic}: {outcomes}")
                heaps[size] = heap.peak
            phases.done(f"sent to {' and '.join(samples)}")
            deployment.simulator.ask("reset")
            fleet.start_faults(deployment, processed=True)
            with Heap(deployment) as heap:
                message = client.send_to(APP, PAYLOAD, topic=ALL_DEVICES)["message_id"]
                most = FAULTS_END * fleet.acceptable
                eventually(lambda: deployment.simulator.stats()["devices"] >= most, "most have the message", 900, 0.2)
                deployment.simulator.ask("calm")
                phases.done("most devices have the message; the faults have ended")
                outcomes = wait_finished(client, message, TAIL_SECONDS)
            heaps[count] = heap.peak
            stats = deployment.simulator.stats()
            phases.done(f"finished: {outcomes}")
            print(f"           APNs: {stats}")
            account = Reconciliation(deployment, client, message, fleet)
            wrong = account.disagreements + fleet.check_states(client)
            phases.done("compared")
    if stats["violations"]:
        wrong.append("the server violated HTTP/2")
    missing, disagree = report("missing", account.missing), report("disagrees", wrong)
    most_heap = max(heaps.values()) >> 20
    print(f"RESULT accounting.devices {len(account.outcomes)}")
    print(f"RESULT accounting.missing {missing}")
    print(f"RESULT accounting.disagree {disagree}")
    print(f"RESULT memory.heap_mib_idle {idle / 2**20:.1f}")
    for size, peak in heaps.items():
        print(f"RESULT memory.heap_mib_{label(size)} {peak / 2**20:.1f}")
    return 1 if missing or disagree or most_heap > HEAP_MIB else 0


if __name__ == "__main__":
    sys.exit(main())
