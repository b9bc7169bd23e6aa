"""A fan-out that the nodes of a cluster send together: each has a part, and what a killed node had claimed the others
go on with."""
from __future__ import annotations

import json
import unittest
from collections import Counter
from typing import Any, Callable, Dict, List

from support.cluster.cluster import Cluster, Node, deliveries, require_kept_leases
from support.environment import APP, crln, eventually, stable
from proofs.parts.proof import unrecorded_limit
from support.system_test_case import PAYLOAD, register, wait_finished

# Recipients of one page, as the registry makes them.
PAGE = 4_096
DEVICES = 20_000
# Answers of APNs come so late, on so few streams, that a page takes about a second.
SLOW = ("--delay-milliseconds", "200", "--max-streams", "100")


class ClusterFanOutTests(unittest.TestCase):
    """Three processes on one PostgreSQL, and a slow APNs."""

    def setUp(self) -> None:
        self.cluster = Cluster("a", "b", "c", simulator=SLOW)
        self.addCleanup(self.cluster.__exit__)
        self.nodes = self.cluster.start()
        self.simulator = self.cluster.deployment.simulator

    def fleet(self) -> List[bytes]:
        """Registers devices at one node, and waits until all have them."""
        with self.nodes[0].client() as client:
            tokens = register(client, DEVICES)
        for node in self.nodes:
            with node.client() as client:
                eventually(lambda: self.is_there(lambda: client.lookup(
                    APP, tokens[-1])), f"{node.name} has all devices")
        return tokens

    @staticmethod
    def is_there(call: Callable[[], Any]) -> bool:
        """True if a node answers a call about something that another one has accepted."""
        try:
            return bool(call())
        except crln.CarillonError as error:
            if error.code != "NOT_FOUND":
                raise
            return False

    def send(self, node: Node) -> int:
        """Sends a bulk message to all at a node, and waits until all nodes know it; returns its id."""
        with node.client() as client:
            message = client.send_to(APP, PAYLOAD, all_devices=True, lane="bulk")["message_id"]
        for other in self.nodes:
            with other.client() as client:
                eventually(lambda: self.is_there(lambda: client.message_status(APP, message)), f"{other.name} knows it")
        return message

    def pushes(self) -> Counter:
        """Returns the number of accepted pushes to each device that got one."""
        return Counter({record["token"]: record["count"] for record in self.simulator.devices()})

    def test_each_node_sends_a_part(self) -> None:
        tokens = self.fleet()
        message = self.send(self.nodes[1])
        with self.nodes[2].client() as client:
            self.assertEqual(wait_finished(client, message, 90), {"delivered": DEVICES})
        counts = self.pushes()
        self.assertEqual(len(counts), len(tokens), "each device has a push")
        require_kept_leases(self.nodes)
        self.assertEqual(counts.total(), DEVICES, "each device has one push")
        # Each node sends at least one of the five pages. Only one that stands still for a second or two may send none:
        # then it sends a page of the next message, or of the one after it.
        for messages in (1, 2, 3):
            shares = deliveries(self.nodes, DEVICES * messages)
            if min(shares.values()) >= DEVICES % PAGE:
                return
            with self.nodes[2].client() as client:
                self.assertEqual(wait_finished(client, self.send(self.nodes[1]), 90), {"delivered": DEVICES})
        self.fail(f"a node has no page: {shares}")

    def assert_claims_are_shown(self, message: int) -> None:
        """Asserts that operators see what the nodes have claimed of the only message, at any node."""
        def claimed(node: Node) -> Dict[str, Any]:
            shown = json.loads(self.cluster.run("cluster", "status", "--json", node=node))["nodes"]
            return {each["node"]: each for each in shown if each["claimed_pages"] > 0}

        for node in self.nodes:
            found = eventually(lambda node=node: claimed(node), f"{node.name} shows claims of message {message}")
            for each in found.values():
                self.assertEqual(each["claimed_messages"], 1)
                self.assertGreaterEqual(each["claimed_pages"], each["claimed_blocks"])
                self.assertGreaterEqual(each["claimed_blocks"], 1)
            self.assertLessEqual(sum(each["claimed_pages"] for each in found.values()), -(-DEVICES // PAGE))
        text = self.cluster.run("cluster", "status", node=self.nodes[0])
        self.assertRegex(text, r"(?m)^NODE.* MESSAGES +PAGES ")
        eventually(lambda: sum(node.metrics().get("carillon_cluster_claimed_pages", 0) for node in self.nodes) > 0,
                   "the metrics show claims")

    def test_the_node_with_most_claims_is_killed(self) -> None:
        tokens = self.fleet()
        # APNs hardly answers, so that the nodes have their claims as long as the assertions take.
        self.simulator.add_rules(fault="delay", milliseconds=5_000)
        message = self.send(self.nodes[0])
        self.assert_claims_are_shown(message)
        self.simulator.ask("calm")
        self.simulator.wait_until_accepted(DEVICES // 4)
        chosen = max(self.nodes, key=Node.delivered)
        others = [node for node in self.nodes if node is not chosen]
        with others[0].client() as client:
            recorded = client.message_status(APP, message)["outcomes"].get("delivered", 0)
        recorded_by_chosen = chosen.delivered()
        chosen.kill()
        # What the others have sent since is counted too: the bound is not smaller than it must be.
        accepted = self.simulator.stats()["accepted"]
        with others[1].client() as client:
            self.assertEqual(wait_finished(client, message, 90), {"delivered": DEVICES})
        counts = self.pushes()
        self.assertEqual(len(counts), len(tokens), "each device is reached")
        require_kept_leases(self.nodes)
        twice = counts.total() - DEVICES
        self.assertEqual(max(counts.values(), default=0), 2 if twice else 1)
        self.assertLessEqual(twice, min(unrecorded_limit(), accepted - recorded + 4_000), f"{accepted}, {recorded}")
        # No node sends again what the killed node had recorded.
        recorded_by_others = stable(lambda: sum(node.delivered() for node in others), "deliveries are counted")
        self.assertGreater(recorded_by_others, 0)
        self.assertLessEqual(recorded_by_others, DEVICES - recorded_by_chosen)

    def test_a_pace_that_comes_later_leaves_one_sender_and_a_cancel_reaches_all(self) -> None:
        self.fleet()
        # So slow that the message is far from its end when the pace comes.
        self.simulator.add_rules(fault="delay", milliseconds=1_000)
        message = self.send(self.nodes[0])
        self.simulator.wait_until_accepted(DEVICES // 10)
        with self.nodes[1].client() as client:
            client.update_message(APP, message, "pace", pace=1)
            before = self.simulator.stats()["accepted"]
            # What was on the wire when the pace was answered has come when that of the only sender has.
            self.simulator.wait_until_accepted(before + 1)
            on_the_wire = self.simulator.stats()["accepted"] - before
            client.update_message(APP, message, "cancel")
            outcomes = wait_finished(client, message, 60)
        self.assertEqual(sum(outcomes.values()), DEVICES)
        self.assertEqual(set(outcomes), {"delivered", "cancelled"})
        self.assertLess(on_the_wire, DEVICES // 2)
        counts = self.pushes()
        self.assertEqual(len(counts), outcomes["delivered"])
        require_kept_leases(self.nodes)
        self.assertEqual(counts.total(), outcomes["delivered"])


class OlderNodeVersionsTests(unittest.TestCase):
    """A cluster with a node that does not know claims of pages."""

    def test_a_message_is_sent_as_a_whole_while_a_node_of_an_older_version_lives(self) -> None:
        cluster = Cluster("a", "b")
        self.addCleanup(cluster.__exit__)
        older, newer = cluster.nodes
        older.start(next_format=1)
        newer.start()
        with newer.client() as client:
            register(client, 9_000)
            message = client.send_to(APP, PAYLOAD, all_devices=True, lane="bulk")["message_id"]
            self.assertEqual(wait_finished(client, message, 60), {"delivered": 9_000})
        require_kept_leases(cluster.nodes)
        self.assertEqual(cluster.deployment.simulator.stats()["accepted"], 9_000)
        self.assertEqual(deliveries(cluster.nodes, 9_000), {"a": 0, "b": 9_000})


if __name__ == "__main__":
    unittest.main()
