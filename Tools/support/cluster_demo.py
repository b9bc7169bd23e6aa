"""The scenes of `Tools/demo --cluster`: three servers on one PostgreSQL, all on loopback. What one accepts all know; one is
killed in the middle of a message; each is started again while messages are sent. Everything is removed at the end."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Tests" / "SystemTests"))
from demo import DemoFailed, headline, print_indented, remark, show, wait_finished
from support.cluster import Cluster
from support.environment import APP, PROGRAMS, carillon, eventually
from support.system_test_case import register

# The devices of the message whose sender is killed, and how many get it in a second.
CROWD, PACE = 20_000, 2_000
PAYLOAD = {"aps": {"alert": "The tower is open"}}
TOKEN = "a614f881" * 8


def command(node, *words):
    """Shows a `carillon` command, runs it on a node and prints its lines."""
    show(["--server", node.name, *words])
    variables = {"CARILLON_SERVER": f"127.0.0.1:{node.port}",
                 "CARILLON_API_KEY_FILE": str(node.cluster.deployment.api_key_file)}
    done = subprocess.run([str(PROGRAMS / "carillon"), *words], stdout=subprocess.PIPE, text=True, check=False,
                          env={**os.environ, **variables})
    if done.returncode != 0:
        raise DemoFailed(f"carillon {' '.join(words)} ended with {done.returncode}")
    print_indented(done.stdout.splitlines())


def status(cluster):
    """Prints what PostgreSQL knows of the nodes."""
    words = [str(PROGRAMS / "carillond"), "cluster-status", "--cluster-url", cluster.engine.url]
    print_indented(subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines())


def all_know(cluster):
    """What one node has accepted the others know."""
    headline("1. A phone registers at node a. Node c knows it, and sends to it.")
    a, _, c = cluster.nodes
    command(a, "register", "--app", APP, "--token", TOKEN, "--locale", "en-GB")
    with c.client() as client:
        eventually(lambda: knows(client, bytes.fromhex(TOKEN)), "node c knows the phone")
    command(c, "send", "--app", APP, "--token", TOKEN, "--body", "The tower is open", "--wait")


def knows(client, token):
    """True if there is a device with a token."""
    try:
        return bool(client.lookup(APP, token))
    except carillon.CarillonError as error:
        if error.code != "NOT_FOUND":
            raise
        return False


def kill_the_sender(cluster):
    """The node that sends a large message is killed; another goes on."""
    headline(f"\n2. Node b sends to {CROWD:,} phones, and is killed with kill -9 in the middle.")
    a, b, _ = cluster.nodes
    simulator = cluster.deployment.simulator
    before = simulator.stats()["accepted"]
    with b.client() as client:
        tokens = register(client, CROWD)
        message = client.send_to(APP, PAYLOAD, all_devices=True, lane="bulk", pace=PACE)["message_id"]
    simulator.wait(before + CROWD // 4)
    b.kill()
    killed = time.monotonic()
    at_death = simulator.stats()["accepted"]
    remark(f"{at_death - before:,} phones were reached. The others wait until the lease of node b has ended.")
    simulator.wait(at_death + 500)
    remark(f"Another node goes on: 500 pushes {time.monotonic() - killed:.1f} s after the kill.")
    with a.client() as client:
        wait_finished(client, message)
    counts = Counter({bytes.fromhex(each["token"]): each["count"] for each in simulator.devices()})
    missed = sum(1 for token in tokens if not counts[token])
    twice = sum(1 for token in tokens if counts[token] > 1)
    print_indented([f"{CROWD - missed:,} of {CROWD:,} phones were reached, {twice:,} of them twice."])
    if missed:
        raise DemoFailed(f"{missed} phones were not reached")
    status(cluster)
    b.start()
    remark("Node b has started again, and has applied what it missed.")


def start_each_again(cluster):
    """Each node is stopped with SIGTERM and started, while the others take messages."""
    headline("\n3. Each node is stopped with SIGTERM and started again while the others send.")
    simulator = cluster.deployment.simulator
    for node in cluster.nodes:
        others = [other for other in cluster.nodes if other is not node]
        before = simulator.count(bytes.fromhex(TOKEN))
        if node.terminate() != 0:
            raise DemoFailed(f"node {node.name} did not exit 0")
        for other in others:
            with other.client() as client:
                wait_finished(client, client.send(APP, [bytes.fromhex(TOKEN)], PAYLOAD)["message_id"])
        if simulator.count(bytes.fromhex(TOKEN)) != before + len(others):
            raise DemoFailed("the phone did not get each message once")
        node.start()
        remark(f"Node {node.name} left and is back; {' and '.join(each.name for each in others)} sent meanwhile.")
    status(cluster)


def main():
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
        except (DemoFailed, AssertionError, carillon.CarillonError) as problem:
            logs = "\n".join(node.log()[-1000:] for node in cluster.nodes)
            print(f"The demo failed: {problem}\n{logs}", file=sys.stderr)
            return 1
    headline("\nEverything is removed. Sources/carillond/carillond.docc/RunningACluster.md says how to run a cluster.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
