"""One send to a multitude, with APNs answering whatever each device's lot says: every outcome is right. Started by
Tools/prove accounting."""
from __future__ import annotations

import argparse
import os
import sys
import time
from typing import Dict

from multitude import (ANSWER_SECONDS, APP, CALL_SECONDS, EVERYBODY, PAYLOAD, TROUBLE_ENDS, Account, Heap, Lot,
                       Multitude, Phases, eventually, report, require, wait_finished)
from world import World

# More heap than this is not flat.
HEAP_MIB = 64
# From the end of passing troubles to the last outcome: the longest wait of a retry that came of them.
TAIL_SECONDS = 900


def label(count: int) -> str:
    """A number as in names of results: 10k, 1m."""
    for size, unit in ((1_000_000, "m"), (1_000, "k")):
        if count >= size and count % size == 0:
            return f"{count // size}{unit}"
    return str(count)


def main() -> int:
    """Sends and compares; the exit code says whether all is right."""
    parser = argparse.ArgumentParser(prog="Tools/prove accounting", description=__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="a few thousand devices, none with a 429")
    parser.add_argument("--devices", type=int, help="how many (1000000)")
    parser.add_argument("--seed", type=int, default=1, help="of the devices' lots (%(default)s)")
    options = parser.parse_args()
    count = options.devices or (8_000 if options.smoke else 1_000_000)
    print(f"{count} devices, seed {options.seed}, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors",
          flush=True)
    phases, now = Phases(), int(time.time() * 1000)
    multitude = Multitude(count, options.seed, without=(Lot.THROTTLED,) if options.smoke else ())
    heaps: Dict[int, int] = {}
    with World(simulator=None, flags=None, records=False) as world:
        world.start_simulator("--quiet", "--seed", str(options.seed), "--devices", multitude.write_dead(world, now))
        world.start()
        plain = len(multitude.of(Lot.PLAIN))
        samples = {label(size): size for size in (count // 100, count // 10, plain)}
        multitude.register(world, now, samples)
        phases.done(f"{count} devices registered")
        multitude.set_apart(world)
        phases.done("muted, unregistered and in quarantine whose lot it is")
        require(world.terminate() == 0, "the server did not end well")
        # What the registrations needed is no part of the figures.
        world.start("--apns-answer-seconds", str(ANSWER_SECONDS))
        with world.client(timeout=CALL_SECONDS) as client:
            idle = world.heap_bytes
            for topic, size in samples.items():
                with Heap(world) as heap:
                    outcomes = wait_finished(client, client.send_to(APP, PAYLOAD, topic=topic)["message_id"], 900)
                require(outcomes == {"delivered": size}, f"{topic}: {outcomes}")
                heaps[size] = heap.peak
            phases.done(f"sent to {' and '.join(samples)}")
            world.simulator.ask("reset")
            multitude.trouble(world, processed=True)
            with Heap(world) as heap:
                message = client.send_to(APP, PAYLOAD, topic=EVERYBODY)["message_id"]
                most = TROUBLE_ENDS * multitude.acceptable
                eventually(lambda: world.simulator.stats()["devices"] >= most, "most have the message", 900, 0.2)
                world.simulator.ask("calm")
                phases.done("most devices have the message; APNs is well again")
                outcomes = wait_finished(client, message, TAIL_SECONDS)
            heaps[count] = heap.peak
            stats = world.simulator.stats()
            phases.done(f"finished: {outcomes}")
            print(f"           APNs: {stats}")
            account = Account(world, client, message, multitude)
            wrong = account.disagreements + multitude.check_states(client)
            phases.done("compared")
    if stats["violations"]:
        wrong.append("HTTP/2 was broken by us")
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
