"""Nodes of a cluster: what one has accepted all know, each message has one sender, and what a node leaves others go on
with."""
from __future__ import annotations

import signal
import threading
import unittest
import uuid
from collections import Counter
from typing import Any, Callable, Dict, List, Optional, Set

from support.clients.web import Answer, Console, ServiceAPI
from support.cluster.cluster import Cluster, Node, has_kept_lease, require_kept_leases
from support.environment import APP, crln, eventually
from support.providers.simulator import Simulator
from support.system_test_case import PAYLOAD, register, wait_finished

CarillonError = crln.CarillonError
# The format of entries that a program of the next version knows.
NEXT_FORMAT = 7


def until_accepted(call: Callable[[], int]) -> int:
    """Repeats a call that is refused for a moment, and returns its answer."""
    def attempt() -> int:
        try:
            return call()
        except CarillonError:
            return 0
    return eventually(attempt, "a call is accepted", 60)


def pushes(simulator: Simulator) -> Counter:
    """Returns the number of accepted pushes to each device that got one."""
    return Counter({bytes.fromhex(record["token"]): record["count"] for record in simulator.devices()})


def device(client: crln.Client, token: bytes) -> int:
    """Returns the id of the device with a token; 0 if there is none."""
    try:
        return client.lookup(APP, token)["device_id"]
    except CarillonError as error:
        if error.code != "NOT_FOUND":
            raise
        return 0


class Sending:
    """A service that sends messages to one device, at one node after the other."""

    def __init__(self, nodes: List[Node], token: bytes) -> None:
        self.nodes, self.token = nodes, token
        self.sent: List[int] = []
        # The errors of sends that were carried out all the same.
        self.failures: List[str] = []
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self._send)

    def __enter__(self) -> Sending:
        self.thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self.stop.set()
        self.thread.join()

    def _send(self) -> None:
        while not self.stop.is_set():
            for node in self.nodes:
                try:
                    with node.client() as client:
                        self.sent.append(client.send(APP, [self.token], PAYLOAD)["message_id"])
                except (CarillonError, OSError) as error:
                    if getattr(error, "effect", "not_executed") == "executed":
                        self.failures.append(str(error))


class ClusterTests(unittest.TestCase):
    """Three processes on one PostgreSQL."""

    def cluster(self, *names: str) -> Cluster:
        """Returns a cluster that ends with the test."""
        cluster = Cluster(*names)
        self.addCleanup(cluster.__exit__)
        return cluster

    def test_the_console_of_a_node_shows_all_nodes(self) -> None:
        cluster = self.cluster("a", "b")
        file = cluster.deployment.keys.path("console.port")
        cluster.nodes[0].flags = ["--console-port", "0", "--console-port-file", file]
        _, b = cluster.start()
        with open(file, encoding="utf-8") as number:
            console = Console(int(number.read()))
        self.addCleanup(console.close)
        self.assertEqual(console.log_in(cluster.deployment.api_key).status, 200)

        def nodes(states: Dict[str, bool]) -> Optional[List[Dict[str, Any]]]:
            # A node tells its version with the first renewal of its lease.
            found = [each for each in console.api("overview", {}).json()["nodes"] if each["version"]]
            return found if {each["node"]: each["is_live"] for each in found} == states else None

        def nodes_and_lease() -> Optional[List[Dict[str, Any]]]:
            # On a busy machine the lease may have run out for a moment, before it is renewed.
            found = nodes({"a": True, "b": True})
            return found if found and found[0]["lease_ms"] > 0 and found[1]["lag_entries"] < 1_000 else None

        first, second = eventually(nodes_and_lease, "both are there, and the first has its lease")
        self.assertEqual((first["is_this"], second["is_this"]), (True, False))
        self.assertNotIn("lease_ms", second)
        self.assertTrue(second["version"].startswith("carillond/"))
        b.terminate()
        eventually(lambda: nodes({"a": True, "b": False}), "b has left")

    def test_all_nodes_know_a_message_that_one_has_accepted(self) -> None:
        cluster = self.cluster("a", "b", "c")
        a, b, c = cluster.start()
        with a.client() as client:
            tokens = register(client, 30)
        simulator = cluster.deployment.simulator
        with b.client() as client:
            eventually(lambda: device(client, tokens[-1]), "b knows a device that a has registered")
            self.assertEqual(device(client, tokens[0]), 1)
            client.unregister(APP, tokens[0])
        # The unregistration is answered: no node sends to the device from now on.
        for count, node in enumerate((a, b, c), start=1):
            with node.client() as client:
                message = client.send(APP, tokens, PAYLOAD)["message_id"]
                outcomes = wait_finished(client, message)
            self.assertEqual(outcomes, {"delivered": 29, "unregistered": 1}, node.name)
            counts = [simulator.accepted_count(token) for token in tokens]
            self.assertEqual(counts[0], 0, counts)
            self.assertGreaterEqual(min(counts[1:]), count, counts)
        require_kept_leases(cluster.nodes)
        self.assertEqual(counts, [0] + [len(cluster.nodes)] * 29)

    def test_a_fan_out_goes_on_when_its_sender_is_killed(self) -> None:
        cluster = self.cluster("a", "b", "c")
        a, b, _ = cluster.start()
        with a.client() as client:
            tokens = register(client, 4_000)
            simulator = cluster.deployment.simulator
            message = client.send_to(APP, PAYLOAD, all_devices=True, pace=500)["message_id"]
            simulator.wait_until_accepted(1_000)
        a.kill()
        with b.client() as client:
            outcomes = wait_finished(client, message, 90)
            self.assertEqual(outcomes, {"delivered": 4_000})
        counts = pushes(simulator)
        self.assertEqual(len(counts), len(tokens), "each device is reached")
        # Sent twice is what was on the wire or not recorded when the node died: a small part at this pace.
        require_kept_leases(cluster.nodes)
        self.assertLess(counts.total() - len(tokens), 2_000)

    def test_no_push_begins_after_an_unregistration_at_another_node(self) -> None:
        cluster = self.cluster("a", "b")
        a, b = cluster.start()
        simulator = cluster.deployment.simulator
        with a.client() as sender, b.client() as client:
            tokens = register(sender, 2_000)
            eventually(lambda: device(client, tokens[-1]), "b knows all devices")
            message = sender.send_to(APP, PAYLOAD, all_devices=True, pace=100)["message_id"]
            simulator.wait_until_accepted(100)
            gone = []
            # From both ends, as long as the message is far from its end.
            for token in (token for pair in zip(tokens[::40], tokens[::-40]) for token in pair):
                if simulator.stats()["accepted"] > 1_200:
                    break
                client.unregister(APP, token)
                gone.append(token)
            # What was on the wire when the last of them was answered has arrived when a later push has.
            later = simulator.stats()["accepted"] + 100
            eventually(lambda: simulator.stats()["accepted"] >= later
                       or sender.message_status(APP, message)["state"] == "finished", "later pushes have arrived")
            before = pushes(simulator)
            outcomes = wait_finished(sender, message)
        after = pushes(simulator)
        self.assertEqual([after[token] for token in gone], [before[token] for token in gone])
        reached = sum(after[token] for token in gone)
        self.assertLess(reached, len(gone), "some were unregistered before their push")
        self.assertEqual(sum(outcomes.values()) - outcomes["delivered"], len(gone) - reached)

    def test_nodes_go_on_when_the_log_database_is_back(self) -> None:
        cluster = self.cluster("a", "b")
        a, b = cluster.start()
        with a.client() as client:
            tokens = register(client, 10)
            cluster.database.stop()
            eventually(lambda: a.readiness() != "ready" and b.readiness() != "ready", "no node is ready")
            client.attempts = 1
            with self.assertRaises(CarillonError) as caught:
                client.unregister(APP, tokens[0])
            client.attempts = 20
            self.assertEqual((caught.exception.code, caught.exception.effect), ("BEHIND", "not_executed"))
            cluster.database.start()
            a.wait_until_ready()
            message = until_accepted(lambda: client.send(APP, tokens, PAYLOAD)["message_id"])
            self.assertEqual(wait_finished(client, message), {"delivered": 10})
        b.wait_until_ready()
        with b.client() as client:
            self.assertEqual(len([token for token in tokens if device(client, token)]), 10)

    def test_a_change_at_one_node_is_read_at_another_at_once(self) -> None:
        cluster = self.cluster("a", "b", "c")
        nodes = cluster.start()
        clients = [node.client() for node in nodes]
        for client in clients:
            self.addCleanup(client.close)
        self.assertEqual([client.server["node"] for client in clients], ["a", "b", "c"])
        self.assertEqual(len({client.server["cluster"] for client in clients}), 1)
        stale = 0
        for number in range(1_000):
            token = number.to_bytes(4, "big") * 8
            (writer, reader) = (clients[number % 3], clients[(number + 1 + number % 2) % 3])
            written = writer.register(APP, token)["device_id"]
            reader.observe(writer.position)
            stale += device(reader, token) != written
        self.assertEqual(stale, 0)

    def found(self, client: crln.Client, token: bytes) -> List[int]:
        """Returns the id of the device with a token, 0 if there is none; an empty list if the node does not answer
        now: it is behind, or joins again because it was silent for longer than its lease."""
        try:
            return [device(client, token)]
        except CarillonError as error:
            self.assertIsNotNone(error.retry_after, error)
            return []

    def test_a_node_that_has_not_reached_a_position_says_that_it_is_behind(self) -> None:
        cluster = self.cluster("a", "b")
        a, b = cluster.start()
        with a.client() as writer, b.client() as reader:
            reader.attempts = 1
            (token,) = register(writer, 1)
            # No node has this position: the read waits a second, and is refused.
            reader.observe(writer.position + 1_000)
            with self.assertRaises(CarillonError) as caught:
                device(reader, token)
            self.assertEqual((caught.exception.code, caught.exception.effect), ("BEHIND", "not_executed"))
            self.assertGreater(caught.exception.retry_after, 0)
        with a.client() as writer, b.client() as reader:
            # The node stands still while the other goes on. A read that comes in this time sees what was written before
            # it.
            b.process.send_signal(signal.SIGSTOP)
            fresh = b"\x07" * 32
            written = writer.register(APP, fresh)["device_id"]
            reader.observe(writer.position)
            b.process.send_signal(signal.SIGCONT)
            self.assertEqual(eventually(lambda: self.found(reader, fresh), "b answers"), [written])

    def service_api(self, node: Node) -> ServiceAPI:
        """Returns the HTTP port for services of a node; to be called before it starts."""
        file = node.cluster.deployment.folder / f"{node.name}.http"
        node.flags += ["--http-port", "0", "--http-port-file", str(file)]
        api = ServiceAPI(lambda: int(file.read_text()), node.cluster.deployment.api_key)
        self.addCleanup(api.close)
        return api

    def answered(self, api: ServiceAPI, name: str, fields: Dict[str, Any], **headers: str) -> Answer:
        """Returns the answer to a request over HTTP, which is repeated while the node is behind, as services do."""
        def attempt() -> Optional[Answer]:
            answer = api.call(name, fields, **headers)
            return None if answer.status == 503 and answer.code == "BEHIND" else answer

        return eventually(attempt, f"{name} is answered")

    def test_over_http_a_header_brings_the_position_to_another_node(self) -> None:
        cluster = self.cluster("a", "b")
        apis = [self.service_api(node) for node in cluster.nodes]
        cluster.start()
        for number in range(200):
            token = number.to_bytes(4, "big") * 8
            (writer, reader) = (apis[number % 2], apis[1 - number % 2])
            device = {"environment": "production", "kind": "device", "token": token.hex()}
            written = self.answered(writer, "register", {"app": APP, **device})
            found = self.answered(reader, "lookup", {"app": APP, "device": device},
                                  carillon_position=written.headers["carillon-position"])
            self.assertEqual(found.json()["device_id"], written.json()["device_id"])
        cluster_id, _, seen = found.headers["carillon-position"].rpartition(":")
        lookup = {"app": APP, "device": device}
        # No node has this position: the request waits a second, and is refused. The next one is not held up.
        ahead = reader.call("lookup", lookup, carillon_position=f"{cluster_id}:{int(seen) + 100_000}")
        self.assertEqual((ahead.status, ahead.code), (503, "BEHIND"))
        self.assertEqual(ahead.json()["error"]["effect"], "not_executed")
        self.assertIn("retry-after", ahead.headers)
        self.assertEqual(self.answered(reader, "lookup", lookup).status, 200)
        # An error shows a state as well.
        unknown = self.answered(reader, "lookup", {"app": APP, "device": 10_000})
        self.assertEqual(unknown.code, "NOT_FOUND")
        self.assertIn("carillon-position", unknown.headers)
        # That of another cluster counts for nothing.
        other = self.answered(reader, "lookup", lookup, carillon_position=f"{uuid.uuid4()}:{1 << 60}")
        self.assertEqual(other.status, 200)
        wrong = reader.call("lookup", lookup, carillon_position="7")
        self.assertEqual((wrong.status, wrong.json()["error"]["field"]), (400, "carillon-position"))

    def test_a_single_server_becomes_a_cluster_and_a_node_a_single_server(self) -> None:
        cluster = self.cluster("a", "b")
        a, b = cluster.nodes
        a.start(in_cluster=False)
        with a.client() as client:
            tokens = register(client, 20)
        self.assertEqual(a.terminate(), 0)
        a.start()
        b.start()
        with b.client() as client:
            self.assertEqual(device(client, tokens[-1]), 20)
            message = client.send(APP, tokens, PAYLOAD)["message_id"]
            self.assertEqual(wait_finished(client, message), {"delivered": 20})
        self.assertEqual(a.terminate(), 0)
        self.assertEqual(b.terminate(), 0)
        b.start(in_cluster=False)
        with b.client() as client:
            self.assertEqual(device(client, tokens[-1]), 20)

    def test_a_rolling_upgrade_goes_forward_and_back(self) -> None:
        """The next version stands for a program that knows one more format of entries."""
        cluster = self.cluster("a", "b", "c")
        nodes = cluster.start()
        simulator = cluster.deployment.simulator
        token = b"\x21" * 32
        with nodes[0].client() as client:
            client.register(APP, token)
        with Sending(nodes, token) as sending:
            # Forward and back, one node after the other, while messages are sent. One stays as it was.
            for next_format in (NEXT_FORMAT, None):
                for node in nodes[:2]:
                    self.assertEqual(node.terminate(), 0)
                    node.start(next_format=next_format)
            self.assertNotIn(NEXT_FORMAT, self.formats(cluster), "a node does not know the new form, so none writes it")
            for node in nodes:
                self.assertEqual(node.terminate(), 0)
                node.start(next_format=NEXT_FORMAT)
            count = len(sending.sent)
            eventually(lambda: len(sending.sent) > count + 10, "messages are sent by the new version")
            eventually(lambda: NEXT_FORMAT in self.formats(cluster), "all know the new form, so it is written")
        self.assertEqual(sending.failures, [])
        with nodes[0].client() as client:
            for message in sending.sent:
                self.assertEqual(wait_finished(client, message), {"delivered": 1})
        self.assertGreaterEqual(simulator.accepted_count(token), len(sending.sent))
        # A node of the old version cannot go on from here: it stops, and says why.
        self.assertEqual(nodes[2].terminate(), 0)
        left = nodes[0].position()
        with nodes[0].client() as client:
            def is_written() -> bool:
                wait_finished(client, client.send(APP, [token], PAYLOAD)["message_id"])
                return NEXT_FORMAT in self.formats(cluster, after=left)
            # A node writes the new form from its next renewal on: before, it may not have heard that all know it.
            eventually(is_written, "what the node does not have is in the new form")
        nodes[2].start(waits=False)
        self.assertNotEqual(nodes[2].process.wait(60), 0)
        self.assertIn("a later version has written it", nodes[2].log())

    def formats(self, cluster: Cluster, after: int = 0) -> Set[int]:
        """Returns the formats of the entries of the log after a position that have changes."""
        return {int(row) for row in cluster.database.query(
            # The third and the fourth byte of an entry of kind 1.
            "SELECT DISTINCT get_byte(body, 2) * 256 + get_byte(body, 3) FROM carillon_body "
            "JOIN carillon_entry USING (incarnation, sequence) "
            f"WHERE get_byte(body, 1) = 1 AND position > {after}"
        ).split()}


class KeptLeaseTests(unittest.TestCase):
    """The tests judge the number of pushes only if no node has lost its lease. They must see that."""

    JOINED = "notice carillond: member=a/1 [CarillonServer] the node has joined the cluster\n"
    STARTED_AGAIN = "notice carillond: [carillond] starting again, because the registry was replaced\n"

    def test_the_first_node_joins_once(self) -> None:
        self.assertTrue(has_kept_lease(self.JOINED))

    def test_another_new_node_starts_again_with_the_data_of_the_cluster(self) -> None:
        self.assertTrue(has_kept_lease(self.STARTED_AGAIN + self.JOINED))
        self.assertTrue(has_kept_lease(self.JOINED + self.STARTED_AGAIN + self.JOINED))

    def test_a_node_that_joins_again_has_lost_its_lease(self) -> None:
        self.assertFalse(has_kept_lease(self.JOINED * 2))
        self.assertFalse(has_kept_lease((self.JOINED + self.STARTED_AGAIN) * 2 + self.JOINED))

    def test_a_node_that_has_not_joined_has_no_lease(self) -> None:
        self.assertFalse(has_kept_lease(""))


if __name__ == "__main__":
    unittest.main()
