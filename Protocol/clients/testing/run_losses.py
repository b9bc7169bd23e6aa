#!/usr/bin/env python3
"""Loses servers while a client sends 1,000 messages at once: each has one outcome, and none is pushed twice beyond the
bound.

    CARILLON_PROGRAMS=FOLDER run_losses.py 'NAME=COMMAND'…

Each command is a program that sends; its arguments are LABEL, PREFIX and COUNT. It takes the server, the key and the
app from the environment. Message number N has the label "LABEL N" and goes to the device whose token is the hexadecimal
PREFIX and eight more digits, which are N. The program prints `connected ADDRESS` for each connection, `sent N MESSAGE`
for each answer, and `failed N CODE EFFECT` for each error.

When some messages are answered, the server goes. At first there is one server: it is ended with SIGTERM, then with
SIGKILL, and starts again. Then there is a cluster of three nodes with its log in PostgreSQL, and the program has the
addresses of all: the node to which it is connected is killed, and the others take over what it has not sent.
CARILLON_PROGRAMS is the folder of the built programs, as for the system tests.
"""
from __future__ import annotations

import contextlib
import fcntl
import os
import shlex
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Set

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "Tests" / "SystemTests"))

from support.cluster.cluster import Cluster  # noqa: E402  needs the path above, and CARILLON_PROGRAMS
from support.deployment import APP, Deployment  # noqa: E402
from support.environment import crln, eventually  # noqa: E402

MESSAGES = 1_000
# The number of sends that are answered before the server is lost.
SENDS_BEFORE_LOSS = 200
# Of Linux; the module has it from Python 3.10 on.
F_SETPIPE_SZ = 1031
# The time for one program, its start and a take-over included.
TIMEOUT_SECONDS = 120


@contextlib.contextmanager
def stopped(process: "subprocess.Popen[Any]") -> Iterator[None]:
    """The process does nothing during this time."""
    process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        process.send_signal(signal.SIGCONT)


class Sending:
    """A program that sends, and what it has printed."""

    def __init__(self, command: str, label: str, prefix: str, environment: Dict[str, str]) -> None:
        self.label, self.prefix = label, prefix
        self.addresses: List[str] = []
        self.sent: Dict[int, int] = {}
        self.failed: List[str] = []
        self.process = subprocess.Popen(
            [*shlex.split(command), label, prefix, str(MESSAGES)], stdout=subprocess.PIPE, text=True,
            env={**os.environ, **environment})
        # A page: the program waits when it is far ahead of its reader, so it has not sent all when the server is lost.
        fcntl.fcntl(self.process.stdout, F_SETPIPE_SZ, 4096)

    def finished(self, client: Any) -> Set[int]:
        """The numbers of the messages whose outcome is recorded. APNs must answer nothing, and the program waits."""
        with stopped(self.process):
            return numbers(listed(client, self.label + " ", "finished"))

    def read(self, lose: Callable[[str], None]) -> None:
        """Reads its lines until it ends; calls `lose` with the address of its connection when some are answered."""
        try:
            for line in self.process.stdout or ():
                kind, *words = line.split()
                if kind == "connected":
                    self.addresses.append(words[0])
                elif kind == "sent":
                    self._answered(int(words[0]), int(words[1]))
                    if len(self.sent) == SENDS_BEFORE_LOSS:
                        lose(self.addresses[-1])
                else:
                    self.failed.append(line.strip())
            code = self.process.wait(TIMEOUT_SECONDS)
        finally:
            self.process.kill()
        require(code == 0, f"exit status {code}")

    def _answered(self, number: int, message: int) -> None:
        require(number not in self.sent, f"message {number} has two outcomes")
        self.sent[number] = message

    def token(self, number: int) -> str:
        """The token of the device of a message."""
        return f"{self.prefix}{number:08x}"


def require(condition: bool, what: str) -> None:
    """Raises AssertionError with the text unless the condition holds."""
    if not condition:
        raise AssertionError(what)


def listed(client: Any, label: str, state: Any = None) -> List[Dict[str, Any]]:
    """All messages whose label begins so."""
    rows, before = [], 0
    while True:
        page = client.messages(APP, before, label=label, state=state)
        rows += page["messages"]
        before = page["next"]
        if not before:
            return rows


def numbers(rows: List[Dict[str, Any]]) -> Set[int]:
    """The numbers of messages by their labels."""
    return {int(row["label"].rpartition(" ")[2]) for row in rows}


def register(client: Any, prefix: str) -> None:
    """Registers the devices."""
    items = [{"app": APP, "token": bytes.fromhex(f"{prefix}{number:08x}"), "seen_at": int(time.time() * 1000)}
             for number in range(MESSAGES)]
    require(not any("error" in each for each in client.register_batch(items)), "a device is not registered")


def is_registered(client: Any, prefix: str) -> bool:
    """True if a node knows the last device."""
    try:
        return bool(client.lookup(APP, bytes.fromhex(f"{prefix}{MESSAGES - 1:08x}"))["device_id"])
    except crln.CarillonError as error:
        if error.code != "NOT_FOUND":
            raise
        return False


def check(sending: Sending, deployment: Deployment, client: Any, finished: Set[int]) -> str:
    """Compares the outcomes at the program with the messages of a server and the pushes at APNs; `finished` are those
    whose outcome was known before the loss. Returns a line."""
    require(not sending.failed, f"sends have failed: {sending.failed[:5]}")
    require(len(sending.sent) == MESSAGES, f"{len(sending.sent)} messages have an outcome")
    require(len(set(sending.sent.values())) == MESSAGES, "two answers have the same message")
    require(len(sending.addresses) >= 2, "the connection was not lost while messages were sent")
    label = sending.label + " "
    eventually(lambda: len(listed(client, label, "finished")) >= MESSAGES, "all messages are finished", 60)
    rows = listed(client, label)
    ids_by_index = {int(row["label"].rpartition(" ")[2]): row["message_id"] for row in rows}
    require(len(rows) == MESSAGES, f"the server has {len(rows)} messages")
    require(ids_by_index == sending.sent, "the messages of the server are not those of the answers")
    wrong = [row for row in rows if (row["delivered"], row["failed"]) != (1, 0)]
    require(not wrong, f"not delivered: {wrong[:3]}")
    pushes: Dict[str, List[str]] = {}
    for push in deployment.pushes():
        pushes.setdefault(push["token"], []).append(push["apns-id"])
    counts = Counter({number: len(pushes.get(sending.token(number), ())) for number in range(MESSAGES)})
    require(min(counts.values()) >= 1, "a device got nothing")
    twice = {number for number in counts if counts[number] > 1}
    # Only what was on the wire, or not recorded, when the server was lost is pushed again, and once.
    require(not twice & finished, f"pushed again although finished: {sorted(twice & finished)[:5]}")
    require(max(counts.values()) <= 2, "a device got a push three times")
    require(all(len(set(pushes[sending.token(number)])) == 1 for number in twice), "a repetition has another apns-id")
    return f"{MESSAGES} messages, each accepted once; {len(twice)} pushed twice"


def take_over(name: str, command: str, cluster: Cluster) -> str:
    """Kills the node to which the program is connected."""
    for node in cluster.nodes:
        if node.process is None or node.process.poll() is not None:
            node.start(waits=False)
    for node in cluster.nodes:
        node.wait_until_ready()
    nodes = {f"127.0.0.1:{node.port}": node for node in cluster.nodes}
    prefix = os.urandom(28).hex()
    first, observer = cluster.nodes[0], cluster.nodes[1]
    finished: Set[int] = set()
    with observer.client() as client:
        register(client, prefix)
        with first.client() as other:
            eventually(lambda: is_registered(other, prefix), "the first node knows the devices")
        label = f"take-over {name}"

        def lose(address: str) -> None:
            require(nodes[address] is first, f"connected to {address}, which is not the first address")
            with stopped(cluster.deployment.simulator.process):
                finished.update(sending.finished(client))
                first.kill()

        sending = Sending(command, label, prefix, variables(cluster.deployment, list(nodes)))
        sending.read(lose)
        require(nodes[sending.addresses[-1]] is not first, "the program has not gone on to another node")
        line = check(sending, cluster.deployment, client, finished)
    # The next program begins at another node: this one has just to start again.
    cluster.nodes.append(cluster.nodes.pop(0))
    first.start(waits=False)
    return line


def restart(name: str, command: str, deployment: Deployment, signal_name: str) -> str:
    """Ends the server and starts it again."""
    prefix, label, port = os.urandom(28).hex(), f"{signal_name} {name}", deployment.port
    finished: Set[int] = set()
    with deployment.client() as client:
        register(client, prefix)

        def lose(_: str) -> None:
            if signal_name == "SIGTERM":  # it waits for the answers of APNs
                finished.update(range(MESSAGES))
                deployment.terminate()
            else:
                with stopped(deployment.simulator.process):
                    finished.update(sending.finished(client))
                    deployment.kill()
            deployment.start("--listen-port", str(port))

        sending = Sending(command, label, prefix, variables(deployment, [f"127.0.0.1:{port}"]))
        sending.read(lose)
    with deployment.client() as client:
        return check(sending, deployment, client, finished)


def variables(deployment: Deployment, addresses: List[str]) -> Dict[str, str]:
    """The variables by which the program finds the servers."""
    return {"CARILLON_SERVER": ",".join(addresses), "CARILLON_APP": APP,
            "CARILLON_API_KEY_FILE": str(deployment.api_key_file)}


def main(arguments: List[str]) -> int:
    """Plays all; exit status 1 if an outcome is not as it must be."""
    if not arguments or not all("=" in each for each in arguments):
        print(__doc__, file=sys.stderr)
        return 2
    commands = [each.split("=", 1) for each in arguments]
    failed = 0

    def play(what: str, work: Callable[[], str]) -> None:
        nonlocal failed
        began = time.monotonic()
        try:
            line = work()
        except AssertionError as error:
            failed, line = failed + 1, f"FAILED: {error}"
        print(f"{what}: {line} ({time.monotonic() - began:.0f} s)", flush=True)

    with Deployment() as deployment:
        for name, command in commands:
            for signal_name in ("SIGTERM", "SIGKILL"):
                play(f"{name} through {signal_name}", lambda: restart(name, command, deployment, signal_name))
    with Cluster("a", "b", "c") as cluster:
        cluster.start()
        for name, command in commands:
            play(f"{name} through a take-over", lambda: take_over(name, command, cluster))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
