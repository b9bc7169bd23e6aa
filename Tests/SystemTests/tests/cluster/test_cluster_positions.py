"""Requests that wait for a position at a node that is cut off from the log: they end with what was written, or are
refused without an effect, also when the node stops before that."""
from __future__ import annotations

import signal
import unittest
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Dict, Optional, Tuple

from support.clients.web import PendingAnswer, ServiceAPI
from support.cluster.cluster import Cluster, Node
from support.cluster.cuttable_proxy import CuttableProxy
from support.environment import APP, crln, eventually

CarillonError = crln.CarillonError


class LinkedNode(Node):
    """A node with a link of its own to PostgreSQL, which can be cut, and the HTTP port for services."""

    def __init__(self, cluster: Cluster, name: str) -> None:
        super().__init__(cluster, name)
        self.link = CuttableProxy(cluster.database.port)
        self.http_file = cluster.deployment.folder / f"{name}.http"
        self.flags = ["--http-port", "0", "--http-port-file", str(self.http_file)]

    def url(self) -> str:
        """How the node reaches the log database."""
        return f"postgresql://owner@127.0.0.1:{self.link.port}/postgres"

    def service_api(self) -> ServiceAPI:
        """Returns a connection to the HTTP port."""
        return ServiceAPI(lambda: int(self.http_file.read_text()), self.cluster.deployment.api_key)


class ClusterPositionsTests(unittest.TestCase):
    """Two nodes. While its link is cut, node b hears nothing of what a writes."""

    def setUp(self) -> None:
        cluster = Cluster()
        self.addCleanup(cluster.__exit__)
        self.a, self.b = LinkedNode(cluster, "a"), LinkedNode(cluster, "b")
        cluster.nodes = [self.a, self.b]
        self.writer, self.reader, self.other = (node.service_api() for node in (self.a, self.b, self.b))
        for each in (self.writer, self.reader, self.other, self.a.link, self.b.link):
            self.addCleanup(each.close)
        cluster.start()
        self.devices = 0

    def written(self) -> Tuple[Dict[str, Any], int, str]:
        """Cuts b off and registers a device at a: its lookup, its id, and the position."""
        self.b.link.cut()
        self.devices += 1
        device = {"environment": "production", "kind": "device", "token": self.devices.to_bytes(32, "big").hex()}
        answer = self.writer.call("register", {"app": APP, **device})
        self.assertEqual(answer.status, 200, answer.body)
        return {"app": APP, "device": device}, answer.json()["device_id"], answer.headers["carillon-position"]

    def held(self) -> Optional[Tuple[PendingAnswer, int]]:
        """Asks b for a device that only a knows: the answer to come, and the id of the device. None if b was so slow
        that it knows by now that it is behind."""
        lookup, written, position = self.written()
        pending = self.reader.begin("lookup", lookup, carillon_position=position)
        # A request that came later, without a position, is answered from the state before.
        meanwhile = self.other.call("lookup", lookup)
        if meanwhile.code == "NOT_FOUND":
            return pending, written
        self.assertEqual(meanwhile.code, "BEHIND")
        self.b.link.restore()
        self.assertIn(pending.take().status, (200, 503))
        self.b.wait_until_ready()
        return None

    def test_over_http_a_request_waits_until_the_node_is_at_its_position(self) -> None:
        def found() -> bool:
            held = self.held()
            if held is None:
                return False
            (pending, written) = held
            self.b.link.restore()
            answer = pending.take()
            if answer.status == 200:
                self.assertEqual(answer.json()["device_id"], written)
                return True
            # More than a second has passed on a busy machine.
            self.assertEqual(answer.code, "BEHIND")
            self.b.wait_until_ready()
            return False

        eventually(found, "a request is answered that has waited")

    def test_over_http_a_node_that_stops_refuses_what_waits_for_a_position(self) -> None:
        pending, _ = eventually(self.held, "a request waits")
        self.b.process.send_signal(signal.SIGTERM)
        answer = pending.take()
        self.assertEqual((answer.status, answer.code), (503, "BEHIND"))
        self.assertEqual(answer.json()["error"]["effect"], "not_executed")
        self.assertIn("retry-after", answer.headers)
        self.assertEqual(self.b.process.wait(60), 0)

    def test_a_node_that_stops_refuses_what_waits_for_a_position(self) -> None:
        lookup, _, position = self.written()
        with self.b.client() as reader, ThreadPoolExecutor(1) as pool:
            reader.attempts = 1
            reader.observe(int(position.rpartition(":")[2]))
            pending = pool.submit(reader.lookup, APP, bytes.fromhex(lookup["device"]["token"]))
            self.b.process.send_signal(signal.SIGTERM)
            with self.assertRaises(CarillonError) as caught:
                pending.result(60)
        self.assertIn(caught.exception.code, ("BEHIND", "DRAINING"))
        self.assertEqual(caught.exception.effect, "not_executed")
        self.assertEqual(self.b.process.wait(60), 0)


if __name__ == "__main__":
    unittest.main()
