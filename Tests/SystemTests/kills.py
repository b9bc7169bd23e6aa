"""One send to a multitude while the server is killed again and again: nobody is missed, few get it twice, and nobody
who was unregistered. Started by Tools/prove kill."""
from __future__ import annotations

import argparse
import os
import random
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Dict, List

from multitude import (ANSWER_SECONDS, APP, CALL_SECONDS, EVERYBODY, PAYLOAD, TROUBLE_ENDS, Account, Lot, Multitude,
                       Phases, carillon, eventually, report, require, unrecorded_limit, wait_finished)
from world import World

# Milliseconds that each answer takes, so that there is always something in flight.
DELAY_MS = 20
# Streams of a connection in the short form: so few devices would all have their message before the first kill.
SMOKE_STREAMS = 20
# Devices unregistered just before each kill.
UNREGISTERED = 20
# From the last kill to the last outcome.
TAIL_SECONDS = 900


class Ordeal:
    """The message, the kills and the devices unregistered meanwhile."""

    def __init__(self, world: World, multitude: Multitude, kills: int) -> None:
        self.world, self.multitude = world, multitude
        dice = multitude.dice
        # Shares of the devices that will have the message; some lie in the long end, when only retries are left.
        self.moments = sorted(dice.uniform(0.01, 0.98) * multitude.acceptable for _ in range(kills))
        self.dice = random.Random(dice.random())
        self.victims = multitude.of(Lot.PLAIN)
        # Requests for each of the unregistered, when the server that may still have sent to them was dead.
        self.requests: Dict[int, int] = {}
        self.kills = 0
        self.duplicates: List[int] = []
        self.is_troubled = True

    def run(self, message: int) -> None:
        """Kills at every moment and starts again."""
        for moment in self.moments:
            with self.world.client(timeout=CALL_SECONDS) as client:
                if not self._await(client, message, moment):
                    return
                chosen = [self._victim() for _ in range(min(UNREGISTERED, len(self.victims)))]
                with ThreadPoolExecutor(UNREGISTERED) as pool:
                    for _ in pool.map(lambda index: client.unregister(APP, self.multitude.ids[index]), chosen):
                        pass
            self.world.kill()
            self.kills += 1
            # What was on the wire has come to the simulator, or never will.
            eventually(lambda: self.world.simulator.stats()["connections"] == 0, "the connections have ended")
            for index in chosen:
                self.requests[index] = self._requests(index)
            self.duplicates.append(self.world.simulator.stats()["duplicates"])
            self.world.start("--apns-answer-seconds", str(ANSWER_SECONDS))

    def _await(self, client: carillon.Client, message: int, moment: float) -> bool:
        """Whether so many devices have the message now; false if it has finished before."""

        def has_come() -> bool:
            devices = self.world.simulator.stats()["devices"]
            if self.is_troubled and devices >= TROUBLE_ENDS * self.multitude.acceptable:
                self.is_troubled = False
                self.world.simulator.ask("calm")
            return devices >= moment or client.message_status(APP, message)["state"] == "finished"

        eventually(has_come, "more devices have the message", 600, 0.005)
        return client.message_status(APP, message)["state"] != "finished"

    def _victim(self) -> int:
        return self.victims.pop(self.dice.randrange(len(self.victims)))

    def _requests(self, index: int) -> int:
        record = self.world.simulator.ask("device " + self.multitude.tokens[index].hex())[0]
        return record["count"] + record["refused"]

    def pushed_after(self) -> List[str]:
        """Who was pushed to after the restart that followed the unregistration."""
        return [f"device {self.multitude.ids[index]}" for index, requests in self.requests.items()
                if self._requests(index) != requests]


def main() -> int:
    """Kills and compares; the exit code says whether all is right."""
    parser = argparse.ArgumentParser(prog="Tools/prove kill", description=__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="a few thousand devices, three kills, and no 429")
    parser.add_argument("--devices", type=int, help="how many (1000000)")
    parser.add_argument("--kills", type=int, help="how often (20)")
    parser.add_argument("--seed", type=int, default=1, help="of the devices' lots and the moments (%(default)s)")
    options = parser.parse_args()
    count = options.devices or (20_000 if options.smoke else 1_000_000)
    kills = options.kills or (3 if options.smoke else 20)
    print(f"{count} devices, {kills} kills, seed {options.seed}, load {os.getloadavg()[0]:.1f} on {os.cpu_count()}"
          " processors", flush=True)
    phases, now = Phases(), int(time.time() * 1000)
    multitude = Multitude(count, options.seed, without=(Lot.THROTTLED,) if options.smoke else ())
    with World(simulator=None, flags=None, records=False) as world:
        world.start_simulator("--quiet", "--seed", str(options.seed), "--delay", str(DELAY_MS),
                              "--max-streams", str(SMOKE_STREAMS if options.smoke else 1000),
                              "--devices", multitude.write_dead(world, now))
        world.start("--apns-answer-seconds", str(ANSWER_SECONDS))
        multitude.register(world, now, {})
        multitude.set_apart(world)
        phases.done(f"{count} devices registered")
        world.simulator.ask("reset")
        # Pushes that are never answered were not accepted: whatever comes twice is the kills' doing.
        multitude.trouble(world, processed=False)
        with world.client(timeout=CALL_SECONDS) as client:
            message = client.send_to(APP, PAYLOAD, topic=EVERYBODY)["message_id"]
        ordeal = Ordeal(world, multitude, kills)
        ordeal.run(message)
        phases.done(f"killed {ordeal.kills} times; duplicates seen after each: {ordeal.duplicates}")
        world.simulator.ask("calm")
        with world.client(timeout=CALL_SECONDS) as client:
            outcomes = wait_finished(client, message, TAIL_SECONDS)
            stats: Dict[str, Any] = world.simulator.stats()
            phases.done(f"finished: {outcomes}")
            print(f"           APNs: {stats}")
            account = Account(world, client, message, multitude, ordeal.requests)
            wrong = account.disagreements + multitude.check_states(client, ordeal.requests)
        pushed = ordeal.pushed_after()
        phases.done("compared")
    if stats["accepted"] - stats["duplicates"] != stats["devices"]:
        wrong.append("a push came again with another apns-id")
    if ordeal.kills != kills:
        wrong.append(f"the message had finished after {ordeal.kills} kills")
    bound = ordeal.kills * unrecorded_limit()
    missing, disagree, after = report("missing", account.missing), report("disagrees", wrong), report("pushed", pushed)
    beyond = max(0, stats["duplicates"] - bound)
    print(f"RESULT kill.devices {len(account.outcomes)}")
    print(f"RESULT kill.kills {ordeal.kills}")
    print(f"RESULT kill.missing {missing}")
    print(f"RESULT kill.disagree {disagree}")
    print(f"RESULT kill.duplicates {stats['duplicates']}")
    print(f"RESULT kill.bound {bound}")
    print(f"RESULT kill.beyond_bound {beyond}")
    print(f"RESULT kill.unregistered {len(ordeal.requests)}")
    print(f"RESULT kill.after_unregister {after}")
    return 1 if missing or disagree or beyond or after else 0


if __name__ == "__main__":
    sys.exit(main())
