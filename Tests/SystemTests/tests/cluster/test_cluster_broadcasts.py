"""Broadcast pushes of a cluster: one node sends each, and another one sends again only what a killed node had not
recorded."""
from __future__ import annotations

import unittest
from typing import Any, Dict, List

from support.cluster.cluster import Cluster, Node, deliveries, require_kept_leases
from support.environment import APP, eventually
from support.system_test_case import now, wait_finished

# Answers of APNs come so late that a node can be killed while it waits for them.
SLOW = ("--delay-milliseconds", "3000")


class ClusterBroadcastsTests(unittest.TestCase):
    """Three processes on one PostgreSQL, and APNs with its channels."""

    def start(self, *simulator: str) -> List[Node]:
        """Starts a cluster that ends with the test; its nodes manage channels."""
        self.cluster = Cluster("a", "b", "c", simulator=simulator)
        self.addCleanup(self.cluster.__exit__)
        self.simulator = self.cluster.deployment.simulator
        for node in self.cluster.nodes:
            node.flags = ["--apns-production-channel-port", str(self.simulator.channel_port)]
        return self.cluster.start()

    def send(self, node: Node, channels: List[str]) -> Dict[str, int]:
        """Sends a push to each of these channels at a node; returns the messages by channel."""
        with node.client() as client:
            return {channel: client.send_to(
                APP, {"aps": {"timestamp": now() // 1000, "event": "update", "content-state": {"home": home}}},
                channel=channel, push_type="liveactivity", expiration=0)["message_id"]
                    for home, channel in enumerate(channels)}

    def channels(self, node: Node, count: int) -> List[str]:
        """Creates channels at a node."""
        with node.client() as client:
            return [client.create_channel(APP, "none") for _ in range(count)]

    def pushes(self, channel: str) -> Dict[str, Any]:
        """Returns what APNs has counted of a channel."""
        return self.simulator.ask(f"channel {channel}")[0]

    def test_each_push_is_sent_by_one_node(self) -> None:
        nodes = self.start()
        channels = self.channels(nodes[0], 30)
        # What a node has created, all can list and send to: APNs keeps it.
        with nodes[2].client() as client:
            self.assertEqual(client.channels(APP)["channels"], sorted(channels))
        messages = {}
        for index, node in enumerate(nodes):
            messages.update(self.send(node, channels[index * 10:index * 10 + 10]))
        with nodes[1].client() as client:
            for message in messages.values():
                self.assertEqual(wait_finished(client, message, 60), {"delivered": 1})
        counts = [self.pushes(channel) for channel in channels]
        require_kept_leases(nodes)
        self.assertEqual([count["count"] for count in counts], [1] * 30)
        self.assertEqual(self.simulator.stats()["broadcasts"], 30)
        self.assertEqual(deliveries(nodes, 30), {"a": 10, "b": 10, "c": 10}, "each sends what it has accepted")

    def test_a_push_that_a_killed_node_had_not_recorded_is_sent_again(self) -> None:
        nodes = self.start(*SLOW)
        chosen, other, third = nodes
        channels = self.channels(chosen, 40)
        messages = self.send(other, channels[30:])
        messages.update(self.send(chosen, channels[:30]))
        eventually(lambda: self.simulator.stats()["broadcasts"] >= len(channels), "every push is on its way", 60)
        with third.client() as client:
            recorded = sum(client.message_status(APP, messages[channel])["state"] == "finished"
                           for channel in channels[:30])
        chosen.kill()
        accepted = self.simulator.stats()["broadcasts"]
        with third.client() as client:
            for message in messages.values():
                self.assertEqual(wait_finished(client, message, 90), {"delivered": 1})
        counts = {channel: self.pushes(channel) for channel in channels}
        for channel, count in counts.items():
            # The request id is that of the first attempt, so a node that sends again sends the same push.
            self.assertEqual(count["duplicates"], count["count"] - 1, channel)
        require_kept_leases(nodes)
        self.assertLessEqual(max(count["count"] for count in counts.values()), 2)
        twice = sum(count["count"] - 1 for count in counts.values())
        self.assertLessEqual(twice, 30 - recorded, f"{accepted} accepted, {recorded} recorded before")
        self.assertEqual([counts[channel]["count"] for channel in channels[30:]], [1] * 10)


if __name__ == "__main__":
    unittest.main()
