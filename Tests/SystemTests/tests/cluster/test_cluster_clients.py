"""Clients of a cluster that have the addresses of all nodes: what they do when the node that serves them goes, and the
commands for operators."""
from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import threading
import unittest
from typing import Any, Dict, List, Set

from support.cluster.cluster import Cluster, Node
from support.environment import APP, ROOT, crln, eventually
from support.system_test_case import PAYLOAD, register, wait_finished

TOKEN = b"\x51" * 32
# The library for services, in a process of its own: its name is that of the client of these tests.
LIBRARY = ROOT / "Protocol" / "clients" / "python"
FOLLOWER = """
import sys, carillon
from carillon.answers import Event
with carillon.Client.from_environment() as client, client.events(name="feed", start="oldest",
                                                                 kinds=["message-finished"]) as events:
    print("node", client.server.node, flush=True)
    for event in events:
        assert isinstance(event, Event), event
        print(event.sequence, event.message_id, flush=True)
        events.acknowledge(event.sequence)
"""


class Lines:
    """The lines of a process, as they come."""

    def __init__(self, process: subprocess.Popen) -> None:
        self.process, self.lines = process, []  # type: subprocess.Popen, List[str]
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self.process.stdout:
            self.lines.append(line.rstrip())

    def stop(self) -> None:
        """Ends the process."""
        self.process.kill()
        self.process.wait(20)
        for stream in (self.process.stdout, self.process.stderr):
            if stream:
                stream.close()


class ClusterClientsTests(unittest.TestCase):
    """Three nodes, and clients that know them all."""

    def cluster(self, *names: str) -> Cluster:
        """Returns a cluster that has started, and ends with the test."""
        cluster = Cluster(*names)
        self.addCleanup(cluster.__exit__)
        cluster.start()
        return cluster

    def follow(self, command: subprocess.Popen) -> Lines:
        """Returns the lines of a command that ends with the test."""
        lines = Lines(command)
        self.addCleanup(lines.stop)
        return lines

    def send(self, node: Node, count: int) -> List[int]:
        """Sends messages at a node, one after the other, and returns their ids."""
        with node.client() as client:
            sent = [client.send(APP, [TOKEN], PAYLOAD)["message_id"] for _ in range(count)]
            for message in sent:
                wait_finished(client, message)
        return sent

    def test_a_named_subscription_goes_on_at_another_node(self) -> None:
        cluster = self.cluster("a", "b", "c")
        a, b, c = cluster.nodes
        with c.client() as client:
            client.register(APP, TOKEN)
        environment = {**cluster.environment, "PYTHONPATH": str(LIBRARY), "PATH": "/usr/bin:/bin"}
        library = self.follow(subprocess.Popen([sys.executable, "-u", "-c", FOLLOWER], stdout=subprocess.PIPE,
                                               text=True, env=environment))
        shell = self.follow(cluster.command(
            "events", "--follow", "--name", "shell", "--from", "oldest", "--kind", "message-finished", "--json"))
        sent = self.send(c, 20)
        eventually(lambda: len(library.lines) > 10 and len(shell.lines) > 10, "both get events")
        self.assertEqual(library.lines[0], "node a")
        # The first address is served by a. It is killed, and then b, which serves now, is stopped in order: GOAWAY.
        a.kill()
        sent += self.send(c, 20)
        eventually(lambda: len(library.lines) == 41 and len(shell.lines) == 40, "both go on at b")
        self.assertEqual(b.terminate(), 0)
        sent += self.send(c, 20)
        eventually(lambda: len(library.lines) >= 61 and len(shell.lines) >= 60, "both go on at c")
        for got in ([tuple(map(int, line.split())) for line in library.lines[1:]],
                    [(int(each["sequence"]), int(each["message_id"])) for each in map(json.loads, shell.lines)]):
            self.assertEqual(sorted(message for _, message in got), sent, "no event is lost, none comes twice")
            self.assertEqual(sorted(got), got)
        # What was acknowledged is part of the state: another process goes on after it, at any node.
        shell.stop()
        more = self.send(c, 1)
        again = cluster.run("events", "--name", "shell", "--kind", "message-finished", "--json")
        self.assertEqual(int(json.loads(again.splitlines()[-1])["message_id"]), more[0])

    def test_commands_that_wait_go_on_at_another_node(self) -> None:
        cluster = self.cluster("a", "b", "c")
        a, b, c = cluster.nodes
        with c.client() as client:
            register(client, 400)
            message = client.send_to(APP, PAYLOAD, all_devices=True, pace=100)["message_id"]
            position = client.position
        # The command knows no position, so the node that it asks must know the message.
        eventually(lambda: a.position() >= position, "a knows the message")
        watch = cluster.command("message", "watch", str(message), "--app", APP, "--json")
        wait = cluster.command("send", "--app", APP, "--all", "--yes", "--body", "Hello", "--pace", "100", "--wait",
                               "--wait-limit", "90", "--json")
        cluster.deployment.simulator.wait_until_accepted(150)
        # It serves both commands, and sends the second message.
        a.kill()
        for process in (watch, wait):
            output, errors = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 0, output + errors)
            last = json.loads(output.splitlines()[-1])
            self.assertEqual((last["state"], last["total"]), ("finished", 400))

    def status(self, cluster: Cluster, node: Node) -> Dict[str, Any]:
        """Returns what `carillon cluster status` says of the nodes, by name."""
        said = json.loads(cluster.run("cluster", "status", "--json", node=node))
        self.assertEqual(said["asked"], node.name)
        return {each["node"]: each for each in said["nodes"]}

    @staticmethod
    def are_live_and_equal(nodes: Dict[str, Any], names: Set[str]) -> bool:
        """True if these are the nodes that a node knows, all of them live and with the same hash."""
        return (set(nodes) == names and {each["state"] for each in nodes.values()} == {"live"}
                and len({each["hash"] for each in nodes.values()}) == 1)

    def test_operators_see_the_nodes_at_each_node(self) -> None:
        cluster = self.cluster("a", "b", "c")
        _, b, _ = cluster.nodes
        # All nodes say the same, once they have heard of the others.
        for node in cluster.nodes:
            eventually(lambda: self.are_live_and_equal(self.status(cluster, node), {"a", "b", "c"}),
                       "all are live and equal")
        shown = r"(?ms)^log at position \d+, \d+ entries kept.*^b \* +live +\d+ "
        eventually(lambda: re.search(shown, cluster.run("cluster", "status", node=b)), "b shows itself as live")
        self.assertRegex(cluster.run("ping", node=b), r"(?m)^node +b$")

    def test_the_metrics_count_what_a_node_appends_and_claims(self) -> None:
        a, b, _ = self.cluster("a", "b", "c").nodes
        with a.client() as client:
            register(client, 10)
        # That a node joins is an entry of the log, but not an append; the registrations are appends.
        for name, least in (("append_seconds_count", 1), ("append_seconds_sum", 1e-9),
                            ("log_bytes_total", 10 * 32 + 1)):
            eventually(lambda: a.metrics().get(f"carillon_cluster_{name}", 0) >= least, f"{name} is at least {least}")
        # What has not happened yet is there as well, as 0.
        for name in ("carillon_cluster_claimed_messages", "carillon_cluster_claimed_pages"):
            eventually(lambda: b.metrics().get(name) == 0, f"{name} is 0")

    def test_an_operator_removes_a_node_that_stands_still(self) -> None:
        """The node holds up an unregistration until it is removed."""
        cluster = self.cluster("a", "b", "c")
        a, b, c = cluster.nodes
        with a.client() as client:
            (token,) = register(client, 1)
        eventually(lambda: self.are_live_and_equal(self.status(cluster, a), {"a", "b", "c"}),
                   "all are live and equal")
        incarnation = self.status(cluster, a)["c"]["incarnation"]
        c.process.send_signal(signal.SIGSTOP)
        process = cluster.command("cluster", "remove", "c", "--yes", "--json", node=a)
        output, errors = process.communicate(timeout=60)
        if process.returncode == 0:
            self.assertEqual(json.loads(output), {"node": "c", "incarnation": incarnation})
        else:
            # On a busy machine the lease of c can end before the command arrives: then c is over already.
            self.assertIn("NOT_FOUND", output + errors)
        # The view of b can be older than the joining of c.
        eventually(lambda: self.status(cluster, b).get("c", {}).get("state") == "over", "b knows that c is over")
        with b.client() as client:
            client.unregister(APP, token)
        # It lives: it joins again as a new incarnation, and knows what has happened.
        c.process.send_signal(signal.SIGCONT)
        c.wait_until_ready()
        eventually(lambda: self.status(cluster, a)["c"]["incarnation"] > incarnation, "c has joined again")
        # Before, c may have said that it is ready because it did not know yet that it was over.
        c.wait_until_ready()
        with c.client() as client, self.assertRaises(crln.CarillonError) as caught:
            client.lookup(APP, token)
        self.assertEqual(caught.exception.code, "NOT_FOUND")

    def test_a_node_that_cannot_be_removed_is_named(self) -> None:
        cluster = self.cluster("a")
        a = cluster.nodes[0]
        for name, node, code in (("x", a, "NOT_FOUND"), ("a", a, "INVALID_ARGUMENT"), ("No Name", a, "NOT_FOUND")):
            process = cluster.command("cluster", "remove", name, "--yes", node=node)
            _, errors = process.communicate(timeout=60)
            self.assertNotEqual(process.returncode, 0)
            self.assertIn(code, errors)

    def test_a_single_server_has_no_nodes(self) -> None:
        cluster = Cluster("a")
        self.addCleanup(cluster.__exit__)
        (a,) = cluster.nodes
        a.start(in_cluster=False)
        for words in (("cluster", "status"), ("cluster", "remove", "b", "--yes")):
            process = cluster.command(*words)
            _, errors = process.communicate(timeout=60)
            self.assertNotEqual(process.returncode, 0)
            self.assertIn("belongs to no cluster", errors)


if __name__ == "__main__":
    unittest.main()
