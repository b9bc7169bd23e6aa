"""The scenes of `Tools/demo --cluster`: three servers on one PostgreSQL, all on loopback. What one accepts all know at
once; one is killed in the middle of a message; each is started again while a service sends. Everything is removed at
the end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Tests" / "SystemTests"), str(ROOT / "Protocol" / "clients" / "python")]
import carillon
from demo import DemoFailed, headline, print_indented, remark, show, wait_finished
from support.cluster.cluster import Cluster, Node
from support.environment import APP, PROGRAMS, crln, eventually
from support.system_test_case import register

# The devices of the message whose sender is killed, and how many get it in a second.
CROWD, PACE = 20_000, 2_000
# The most pushes of a node that may be on the wire or not recorded: another node sends them again.
MAXIMUM_UNRECORDED_PUSHES = 16_384
PAYLOAD = {"aps": {"alert": "The tower is open"}}
TOKEN = "a614f881" * 8


def command(node: Node, *words: str) -> None:
    """Shows a `carillon` command, runs it on a node and prints its lines."""
    show(["--server", node.name, *words])
    variables = {"CARILLON_SERVER": f"127.0.0.1:{node.port}",
                 "CARILLON_API_KEY_FILE": str(node.cluster.deployment.api_key_file)}
    done = subprocess.run([str(PROGRAMS / "carillon"), *words], stdout=subprocess.PIPE, text=True, check=False,
                          env={**os.environ, **variables})
    if done.returncode != 0:
        raise DemoFailed(f"carillon {' '.join(words)} ended with {done.returncode}")
    print_indented(done.stdout.splitlines())


def status(node: Node) -> None:
    """Prints what a node knows of all nodes."""
    command(node, "cluster", "status")


def all_know(cluster: Cluster) -> None:
    """Shows that all nodes know what one node has accepted."""
    headline("1. A phone registers at node a. Node c knows it at once, and sends to it.")
    a, _, c = cluster.nodes
    command(a, "register", "--app", APP, "--token", TOKEN, "--locale", "en-GB")
    unknown = 0
    with a.client() as writer, c.client() as reader:
        for number in range(200):
            token = number.to_bytes(4, "big") * 8
            writer.register(APP, token)
            # A client that changes nodes by itself takes the position with it.
            reader.observe(writer.position)
            unknown += not has_device(reader, token)
    if unknown:
        raise DemoFailed(f"node c did not know {unknown} phones that node a had just registered")
    remark("So it does with 200 more: each was looked up at c when a had answered.")
    command(c, "send", "--app", APP, "--token", TOKEN, "--body", "The tower is open", "--wait")


def has_device(client: crln.Client, token: bytes) -> bool:
    """True if there is a device with a token."""
    try:
        return bool(client.lookup(APP, token))
    except crln.CarillonError as error:
        if error.code != "NOT_FOUND":
            raise
        return False


def pushes_of(node: Node) -> int:
    """The number of pushes that a node has put on the wire."""
    with node.client() as client:
        return sum(pool["attempts"] for pool in client.statistics()["pools"])


def kill_the_sender(cluster: Cluster) -> None:
    """The node that sends a large message is killed; another one goes on."""
    headline(f"\n2. {CROWD:,} phones get a message. The node that sends it is killed with kill -9 in the middle.")
    simulator = cluster.deployment.simulator
    before = simulator.stats()["accepted"]
    with cluster.nodes[1].client() as client:
        tokens = register(client, CROWD)
        attempts = {node.name: pushes_of(node) for node in cluster.nodes}
        message = client.send_to(APP, PAYLOAD, all_devices=True, lane="bulk", pace=PACE)["message_id"]
    simulator.wait_until_accepted(before + CROWD // 4)
    sent = {node.name: pushes_of(node) - attempts[node.name] for node in cluster.nodes}
    chosen = max(cluster.nodes, key=lambda node: sent[node.name])
    chosen.kill()
    killed = time.monotonic()
    at_death = simulator.stats()["accepted"]
    remark(
        f"Pushes so far: {', '.join(f'{name} {count:,}' for name, count in sent.items())}. Node {chosen.name} is gone.")
    simulator.wait_until_accepted(at_death + 500)
    remark(f"Another node goes on: 500 pushes {time.monotonic() - killed:.1f} s after the kill.")
    other = next(node for node in cluster.nodes if node is not chosen)
    with other.client() as client:
        wait_finished(client, message)
    counts = Counter({bytes.fromhex(each["token"]): each["count"] for each in simulator.devices()})
    missed = sum(1 for token in tokens if not counts[token])
    twice = sum(1 for token in tokens if counts[token] > 1)
    print_indented([f"{CROWD - missed:,} of {CROWD:,} phones were reached, {twice:,} of them twice."])
    if missed:
        raise DemoFailed(f"{missed} phones were not reached")
    if twice > MAXIMUM_UNRECORDED_PUSHES:
        raise DemoFailed(f"{twice} phones were reached twice, more than {MAXIMUM_UNRECORDED_PUSHES}")
    status(other)
    chosen.start()
    remark(f"Node {chosen.name} has started again, and has applied what it missed.")


class Service:
    """A service that sends one message after the other to one phone, with the addresses of all nodes."""

    def __init__(self, cluster: Cluster) -> None:
        self.messages, self.refused, self.is_enough = [], [], threading.Event()
        self.client = carillon.Client(cluster.addresses, api_key=cluster.deployment.api_key)
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self) -> None:
        """Sends until it is enough."""
        with self.client:
            while not self.is_enough.is_set():
                try:
                    sent = self.client.send(APP, carillon.devices([TOKEN]), carillon.Notification(body="Still here"))
                    self.messages.append(sent.message_id)
                except carillon.CarillonError as error:
                    self.refused.append(error)

    def stop(self) -> None:
        """Waits for the last answer."""
        self.is_enough.set()
        self.thread.join()


def start_each_again(cluster: Cluster) -> None:
    """Each node is stopped with SIGTERM and started, while a service sends."""
    headline("\n3. Each node is stopped with SIGTERM and started again, while a service sends without a pause.")
    simulator = cluster.deployment.simulator
    before = simulator.accepted_count(bytes.fromhex(TOKEN))
    service = Service(cluster)
    try:
        for node in cluster.nodes:
            sent = len(service.messages)
            if node.terminate() != 0:
                raise DemoFailed(f"node {node.name} did not exit 0")
            eventually(lambda: len(service.messages) > sent + 20, "the service goes on at another node")
            node.start()
            remark(f"Node {node.name} left and is back; the service sent {len(service.messages) - sent} messages "
                   f"meanwhile.")
    finally:
        service.stop()
    with cluster.nodes[0].client() as client:
        for message in service.messages:
            wait_finished(client, message)
    got = simulator.accepted_count(bytes.fromhex(TOKEN)) - before
    print_indented(
        [f"{len(service.messages):,} messages were accepted, {len(service.refused)} were refused; the phone got "
         f"{got:,}."])
    if got < len(service.messages) or service.refused:
        raise DemoFailed(f"the phone missed a message, or one was refused: {service.refused[:1]}")
    status(cluster.nodes[2])


def main() -> int:
    """Plays the demo; removes everything at the end."""
    # SIGTERM removes everything too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with Cluster("a", "b", "c") as cluster:
        try:
            cluster.start()
            print(f"PostgreSQL keeps the log of three nodes: a, b and c. APP is {APP}.\n", flush=True)
            all_know(cluster)
            kill_the_sender(cluster)
            start_each_again(cluster)
        except (DemoFailed, AssertionError, crln.CarillonError) as problem:
            logs = "\n".join(node.log()[-1000:] for node in cluster.nodes)
            print(f"The demo failed: {problem}\n{logs}", file=sys.stderr)
            return 1
    headline("\nEverything is removed. Sources/Documentation/RunningACluster.md says how to run a cluster.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
