"""Three nodes of a cluster with one fault after the other: nothing answered is lost, and no push comes that must not.

Tools/prove cluster [--smoke] [--rounds N] [--fault NAME]… [--seed N]

At the same time clients register, unregister, look up and send. Each recipient ends once, and all replicas are equal.

Real processes on loopback: PostgreSQL with a synchronous standby, three servers, the simulator of APNs. The link of
each server to PostgreSQL goes through a proxy that is cut one way or both. Nodes have no other link to each other. As
root, each has a small disk of its own (tmpfs), which is filled.

Programs: carillond carillon-dump apns-simulator
Packages: postgresql
"""
from __future__ import annotations

import argparse
import os
import random
import sys
import threading
import time
from collections import Counter
from typing import Any, Callable, Dict, List, Optional

from proofs.parts.cluster_faults import HARMLESS, ClusterFault, FaultyCluster, FaultyNode, exported, wait_until_ready
from proofs.parts.proof import Phases, report, seed, unrecorded_limit
from proofs.parts.register_histories import History
from support.environment import APP, PROGRAMS, crln, eventually, stable
from support.system_test_case import PAYLOAD, register

CarillonError = crln.CarillonError

# Devices of a fan-out: enough pages for three nodes.
FLEET, SMOKE_FLEET = 14_000, 9_000
# Milliseconds by which APNs delays each answer, so that pushes are on the wire when a fault comes.
DELAY_MS = 20
# How old the state that a node answers from may be: 1 s, and half a second until the node has the call.
STALENESS_SECONDS = 1.5
# Devices whose locales clients write and read as registers: see register_histories.py.
REGISTERS = 6
# Devices that are unregistered in each round.
UNREGISTERED = 6
FAULTS = ("kill", "stop", "leave", "cut-both", "cut-to-database", "cut-from-database", "cut-two", "kill-database",
          "fail-over", "fill-disk", "clock", "none")
SMOKE_FAULTS = ("kill", "cut-from-database", "kill-database")


class Registers:
    """Writers and readers of registers, each a device whose locale is the value."""

    def __init__(self, cluster: FaultyCluster, generator: random.Random) -> None:
        self.cluster = cluster
        self.histories: Dict[bytes, History] = {
            b"\x02" + bytes(30) + bytes([index]): History(STALENESS_SECONDS) for index in range(REGISTERS)}
        self.ends = threading.Event()
        self.seeds = [generator.random() for _ in range(2 * REGISTERS)]
        self.threads: List[threading.Thread] = []
        self.calls: Counter = Counter()

    def start(self) -> None:
        """Begins to write and to read."""
        for index, token in enumerate(self.histories):
            for number, body in enumerate((self._write, self._read)):
                generator = random.Random(self.seeds[2 * index + number])
                thread = threading.Thread(target=self._run, args=(body, token, generator), daemon=True)
                thread.start()
                self.threads.append(thread)

    def stop(self) -> None:
        """Ends all of them."""
        self.ends.set()
        for thread in self.threads:
            thread.join(60)

    def _run(self, body: Callable[..., None], token: bytes, generator: random.Random) -> None:
        clients: Dict[str, Any] = {}
        count = 0
        while not self.ends.wait(0.1):
            node = generator.choice(self.cluster.faulty)
            count += 1
            try:
                client = clients.get(node.name)
                if client is None:
                    client = crln.Client.connect(port=node.port, plaintext=True,
                                                 api_key=self.cluster.deployment.api_key, timeout=5, attempts=1)
                    clients[node.name] = client
                body(client, node, token, count, generator)
            except (CarillonError, OSError):
                client = clients.pop(node.name, None)
                if client is not None:
                    client.close()

    def _write(self, client: Any, _node: FaultyNode, token: bytes, count: int, generator: random.Random) -> None:
        history = self.histories[token]
        value = None if generator.random() < 0.3 else f"en-x-{count}"
        write = history.begin(value, time.monotonic())
        try:
            if value is None:
                client.unregister(APP, token)
            else:
                client.register(APP, token, locale=value)
            write.answered = time.monotonic()
            self.calls["write"] += 1
        except CarillonError as error:
            if error.code == "NOT_FOUND" and value is None:
                write.answered = time.monotonic()
            elif error.effect == "not_executed":
                history.refused(write)
                raise
            else:
                self.calls["unknown"] += 1
                raise

    def _read(self, client: Any, node: FaultyNode, token: bytes, _count: int, _generator: random.Random) -> None:
        began = time.monotonic()
        value: Optional[str] = None
        try:
            value = client.lookup(APP, token).get("locale")
        except CarillonError as error:
            if error.code != "NOT_FOUND":
                raise
        self.histories[token].read(value, node.name, began, time.monotonic())
        self.calls["read"] += 1


class Run:
    """The rounds, and what was found wrong."""

    def __init__(self, cluster: FaultyCluster, options: argparse.Namespace) -> None:
        self.cluster, self.generator = cluster, random.Random(options.seed)
        self.simulator = cluster.deployment.simulator
        # The tokens of the registered devices.
        self.fleet: List[bytes] = []
        # The pushes that each unregistered device has got, by its token.
        self.gone: Dict[str, int] = {}
        # The number of recipients of each fan-out, by the message.
        self.messages: Dict[int, int] = {}
        # The token of the only recipient of each such message of this round, by the message.
        self.singles: Dict[int, bytes] = {}
        # What was found wrong, as sentences: lost pushes and answers, pushes after an unregistration, and more
        # duplicates than allowed.
        self.lost: List[str] = []
        self.after_unregister: List[str] = []
        self.beyond: List[str] = []
        self.duplicates = 0
        # The value of joins() after the round before.
        self.joined = self.joins()
        # The number of rounds with each fault.
        self.kinds: Counter = Counter()

    def call(self, what: str, body: Callable[[Any], Any]) -> Any:
        """Makes a call at any node, again and again until it is answered. Its effect must be the same if it is made
        twice."""
        def attempt() -> Any:
            node = self.generator.choice(self.cluster.faulty)
            try:
                with crln.Client.connect(port=node.port, plaintext=True, timeout=5, attempts=1,
                                         api_key=self.cluster.deployment.api_key) as client:
                    return body(client) or True
            except (CarillonError, OSError):
                return None
        return eventually(attempt, what, 120, 0.05)

    def round(self, number: int, kind: str) -> None:
        """One fault during a fan-out, sends to one, unregistrations and updates."""
        self.kinds[kind] += 1
        before = self.counts()
        for token in self._victims():
            self._unregister(token, before)
        key = os.urandom(16)
        fan_out = self.call("a fan-out is accepted", lambda client: client.send_to(
            APP, PAYLOAD, all_devices=True, lane="bulk", key=key))["message_id"]
        total = len(self.fleet)
        accepted = self.simulator.stats()["accepted"]
        eventually(lambda: self.simulator.stats()["accepted"] > accepted + total // 20, "pushes begin", 60, 0.005)
        fault = ClusterFault(self.cluster, self.generator)
        faults = threading.Thread(target=self._fault, args=(fault, kind))
        faults.start()
        for _ in range(3):
            self._send_to_one()
            if self.generator.random() < 0.5:
                self._update(fan_out)
        faults.join()
        wait_until_ready(self.cluster)
        self._resume(fan_out)
        outcomes = self.call("the fan-out is finished", lambda client: self._outcomes(client, fan_out))
        self.messages[fan_out] = sum(outcomes.values())
        self._judge(number, kind, before, outcomes)

    def _fault(self, fault: ClusterFault, kind: str) -> None:
        try:
            fault.kinds[kind]()
        except AssertionError as error:
            self.lost.append(f"{kind} at {fault.node.name}: {error}")

    def _victims(self) -> List[bytes]:
        self.generator.shuffle(self.fleet)
        victims = self.fleet[:UNREGISTERED]
        del self.fleet[:UNREGISTERED]
        return victims

    def _unregister(self, token: bytes, counts: Counter) -> None:
        """Unregisters a device while nothing is being sent: from the answer on there is no push to it."""
        def body(client: Any) -> None:
            try:
                client.unregister(APP, token)
            except CarillonError as error:
                if error.code != "NOT_FOUND":
                    raise
        self.call("an unregistration is answered", body)
        self.gone[token.hex()] = counts[token.hex()]

    def _send_to_one(self) -> None:
        token, key = self.generator.choice(self.fleet), os.urandom(16)
        answer = self.call("a message to one is accepted", lambda client: client.send(APP, [token], PAYLOAD, key=key))
        self.singles[answer["message_id"]] = token

    def _update(self, message: int) -> None:
        action = self.generator.choice(["pause", "resume", "pace", "unpace"])
        options = {"pace": 4_000} if action == "pace" else {}

        def body(client: Any) -> None:
            client.update_message(APP, message, "pace" if action == "unpace" else action, **options)
        self.call(f"a message update is answered: {action}", body)

    def _resume(self, message: int) -> None:
        self.call("a message is resumed", lambda client: client.update_message(APP, message, "resume"))

    @staticmethod
    def _outcomes(client: Any, message: int) -> Optional[Dict[str, int]]:
        status = client.message_status(APP, message)
        if status["state"] != "finished":
            # It is asked again.
            raise OSError("unfinished")
        return status["outcomes"]

    def joins(self) -> int:
        """How often the nodes have joined. For each time but the first of a node, an incarnation of it has ended."""
        return sum(node.log().count("the node has joined the cluster") for node in self.cluster.faulty)

    def counts(self) -> Counter:
        """Returns the accepted pushes of each device."""
        return Counter({record["token"]: record["count"] for record in self.simulator.devices()})

    def _judge(self, number: int, kind: str, before: Counter, outcomes: Dict[str, int]) -> None:
        for message, token in list(self.singles.items()):
            found = self.call("a message to one is finished", lambda client, id=message: self._outcomes(client, id))
            if found != {"delivered": 1}:
                self.lost.append(f"round {number}: message {message} to {token.hex()} ended as {found}")
        singles = Counter(token.hex() for token in self.singles.values())
        self.singles.clear()
        stable(lambda: self.simulator.stats()["accepted"], "pushes arrive")
        after = self.counts()
        # The devices of the registers come and go during the fan-out: some of them may be recipients too.
        if outcomes.get("delivered", 0) < len(self.fleet):
            self.lost.append(f"round {number}: the fan-out to {len(self.fleet)} ended as {outcomes}")
        twice = 0
        for token in (each.hex() for each in self.fleet):
            pushes = after[token] - before[token]
            if pushes < 1 + singles[token]:
                self.lost.append(f"round {number}, {kind}: {token} got {pushes} of {1 + singles[token]} pushes")
            twice += max(0, pushes - 1 - singles[token])
        # What each incarnation that has ended had on the wire, or not recorded.
        joins = self.joins()
        bound = 0 if kind in HARMLESS else (joins - self.joined) * unrecorded_limit()
        self.joined = joins
        if twice > bound:
            self.beyond.append(f"round {number}, {kind}: {twice} pushes came twice, {bound} at most may")
        self.duplicates += twice
        for token, count in self.gone.items():
            if after[token] > count:
                self.after_unregister.append(f"round {number}, {kind}: {token} got a push after its unregistration")
        self.gone = {token: max(count, after[token]) for token, count in self.gone.items()}

    def finish(self, registers: Registers) -> None:
        """Compares what is there at the end with what was answered."""
        for message, total in self.messages.items():
            found = self.call("a message is known", lambda client, id=message: self._outcomes(client, id))
            if sum(found.values()) != total:
                self.lost.append(f"message {message}: {found} at the end, {total} before")
        for node in self.cluster.faulty:
            with node.client() as client:
                for token in [*self.fleet[:200], *registers.histories]:
                    self._check(client, node, token, registers)

    def _check(self, client: Any, node: FaultyNode, token: bytes, registers: Registers) -> None:
        try:
            value: Optional[str] = client.lookup(APP, token).get("locale")
        except CarillonError as error:
            if error.code != "NOT_FOUND":
                raise
            value = None
            if token not in registers.histories:
                self.lost.append(f"{node.name} does not know {token.hex()}")
        if token in registers.histories and value not in registers.histories[token].final():
            self.lost.append(f"{node.name}: register {token.hex()[-2:]} is {value} at the end")


def kinds(options: argparse.Namespace, generator: random.Random) -> List[str]:
    """Returns the faults of all rounds: each as often as the others."""
    names = list(options.fault or (SMOKE_FAULTS if options.smoke else FAULTS))
    chosen: List[str] = []
    while len(chosen) < options.rounds:
        generator.shuffle(names)
        chosen += names
    return chosen[:options.rounds]


def options() -> argparse.Namespace:
    """Returns the arguments of the command line."""
    parser = argparse.ArgumentParser(prog="Tools/prove cluster", description=__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="three rounds and fewer devices")
    parser.add_argument("--rounds", type=int, help="how many (200)")
    parser.add_argument("--fault", action="append", choices=FAULTS, help="only this fault; may be repeated")
    parser.add_argument("--seed", type=int, default=seed(random.SystemRandom().randrange(1 << 32)),
                        help="of the faults and the calls (%(default)s)")
    chosen = parser.parse_args()
    chosen.rounds = chosen.rounds or (len(SMOKE_FAULTS) if chosen.smoke else 200)
    return chosen


class Result:
    """What the rounds have found."""

    def __init__(self, run: Run, registers: Registers) -> None:
        self.run, self.registers = run, registers
        self.done, self.has_equal_dumps = 0, False

    def play(self, kinds: List[str], phases: Phases) -> None:
        """Plays the rounds, until one has no end."""
        try:
            for number, kind in enumerate(kinds, start=1):
                self.run.round(number, kind)
                self.done = number
                phases.done(f"round {number}: {kind}; {self.run.duplicates} pushes came twice so far")
        except AssertionError as error:
            self.run.lost.append(f"round {self.done + 1} has no end: {error}")

    def compare(self, cluster: FaultyCluster) -> None:
        """Compares what the nodes have in the end."""
        wait_until_ready(cluster)
        self.run.finish(self.registers)
        try:
            eventually(lambda: len({exported(node, PROGRAMS / "carillon-dump", APP) for node in cluster.faulty}) == 1,
                       "the exports of all nodes are equal", 60, 1)
            self.has_equal_dumps = True
        except AssertionError as error:
            self.run.lost.append(str(error))

    def report(self, rounds: int) -> int:
        """Prints the result, and returns the exit status: 0 if the claims hold after `rounds` rounds."""
        run, registers = self.run, self.registers
        print(f"RESULT cluster.rounds {self.done}")
        for kind, count in sorted(run.kinds.items()):
            print(f"RESULT cluster.rounds.{kind} {count}")
        wrong = [each for history in registers.histories.values() for each in history.wrong()]
        lost, stale = report("lost", run.lost), report("not linearizable", wrong)
        beyond, after = report("beyond", run.beyond), report("pushed", run.after_unregister)
        print(f"RESULT cluster.lost {lost}")
        print(f"RESULT cluster.duplicates {run.duplicates}")
        print(f"RESULT cluster.beyond_bound {beyond}")
        print(f"RESULT cluster.after_unregister {after}")
        print(f"RESULT cluster.not_linearizable {stale}")
        print(f"RESULT cluster.reads {registers.calls['read']}")
        print(f"RESULT cluster.equal_dumps {int(self.has_equal_dumps)}")
        return 1 if lost or beyond or after or stale or not self.has_equal_dumps or self.done < rounds else 0


def main() -> int:
    """Runs the rounds, and returns the exit status: 0 if the claims hold."""
    chosen = options()
    print(f"{chosen.rounds} rounds, seed {chosen.seed}, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors",
          flush=True)
    phases, generator = Phases(), random.Random(chosen.seed + 1)
    with FaultyCluster("a", "b", "c", simulator=("--quiet", "--delay-milliseconds", str(DELAY_MS))) as cluster:
        cluster.start()
        run, registers = Run(cluster, chosen), Registers(cluster, generator)
        with cluster.nodes[0].client() as client:
            run.fleet = register(client, SMOKE_FLEET if chosen.smoke else FLEET)
        phases.done(f"{len(run.fleet)} devices registered")
        registers.start()
        result = Result(run, registers)
        result.play(kinds(chosen, generator), phases)
        registers.stop()
        if result.done == chosen.rounds:
            result.compare(cluster)
        phases.done(f"compared; calls of registers: {dict(registers.calls)}")
    return result.report(chosen.rounds)


if __name__ == "__main__":
    sys.exit(main())
