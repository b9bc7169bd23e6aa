"""Answers to a client whose connection ends, and the time that the client has to read them; real processes."""
from __future__ import annotations

import signal
import socket
import time
import unittest
from typing import Iterator, List, Tuple

from support.clients.large_listings import listings, many_groups
from support.clients.raw_connection import RawConnection
from support.clients.requests import lookup
from support.deployment import Deployment, eventually
from support.operations import is_draining, metrics, wait_metric
from support.system_test_case import SystemTestCase


class FinalAnswersTests(SystemTestCase):
    """A client that reads its answers late, over TCP and over a Unix socket."""

    def server(self, *flags: str) -> Deployment:
        """Starts a deployment with a Unix socket and answers of 200 KB."""
        deployment = self.deployment(simulator=None, flags=None)
        self.path = deployment.keys.path("s")
        deployment.start("--listen-unix-socket", self.path, *flags)
        many_groups(deployment)
        return deployment

    def each_kind(self, *flags: str) -> Iterator[Tuple[Deployment, RawConnection]]:
        """A connection of each kind, each to a server of its own."""
        for is_local in (False, True):
            deployment = self.server(*flags)
            raw = deployment.raw("open", path=self.path if is_local else "")
            self.addCleanup(raw.close)
            yield deployment, raw
            raw.close()
            deployment.stop()

    def read_all(self, raw: RawConnection) -> List[Tuple[str, int]]:
        """Reads to the end: messages with their ids, and GOAWAY with its `last_id`."""
        received = []
        while True:
            frame = raw.read_frame(60)
            if frame is None:
                return received
            received.append((frame.message, frame.fields["last_id"] if frame.message == "goaway" else frame.id))

    def test_answers_follow_the_end_of_the_requests(self) -> None:
        for _, raw in self.each_kind():
            raw.send(listings(20))
            raw.sock.shutdown(socket.SHUT_WR)
            raw.wait_until_stalled()
            self.assertEqual(self.read_all(raw), [("groups", 3 + index) for index in range(20)])

    def test_the_server_stops_after_its_answers(self) -> None:
        for deployment, raw in self.each_kind():
            raw.send(listings(40))
            raw.wait_until_stalled()
            deployment.server.send_signal(signal.SIGTERM)
            eventually(lambda: is_draining(deployment), "the server drains")
            raw.wait_until_stalled()
            self.assertTrue(deployment.is_alive, "the server waits for the client")
            received = self.read_all(raw)
            self.assertEqual([each for each in received if each[0] != "goaway"],
                             [("groups", 3 + index) for index in range(40)])
            self.assertEqual([each for each in received if each[0] == "goaway"],
                             [("goaway", 2**64 - 1), ("goaway", 42)])
            raw.close()
            self.assertEqual(deployment.server.wait(60), 0, "no client is connected any more")

    def test_a_client_that_reads_nothing_has_the_drain_time(self) -> None:
        drain_seconds = 2
        for deployment, raw in self.each_kind("--limits-drain-seconds", str(drain_seconds)):
            raw.send(listings(40))
            raw.wait_until_stalled()
            began = time.monotonic()
            deployment.server.send_signal(signal.SIGTERM)
            self.assertEqual(deployment.server.wait(60), 0)
            # The server may take the signal a moment before this clock is read.
            self.assertGreater(time.monotonic() - began, 0.9 * drain_seconds)

    def test_requests_after_the_end_take_no_answer_away(self) -> None:
        """The kernel has the answers, and the client sends more requests before it reads them."""
        for deployment, raw in self.each_kind():
            raw.send(listings(10))
            raw.wait_until_stalled()
            deployment.server.send_signal(signal.SIGTERM)
            eventually(lambda: is_draining(deployment), "the server drains")
            for id in range(13, 53):
                raw.send(lookup(id, bytes(32)))
                # A response of the metrics port: the server's event loops have run since the request.
                is_draining(deployment)
            received = self.read_all(raw)
            self.assertEqual([each for each in received if each[0] == "groups"],
                             [("groups", 3 + index) for index in range(10)])
            self.assertEqual([name for name, _ in received].count("goaway"), 2)


class UnreadAnswersTests(SystemTestCase):
    """Clients that read nothing."""

    def test_a_client_that_reads_nothing_is_closed_after_thirty_seconds(self) -> None:
        deployment = self.deployment(simulator=None, flags=None)
        path = deployment.keys.path("s")
        deployment.start("--listen-unix-socket", path)
        many_groups(deployment)
        wait_metric(deployment, "carillon_client_connections", 0)
        silent = [deployment.raw("open"), deployment.raw("open", path=path)]
        began = time.monotonic()
        for raw in silent:
            self.addCleanup(raw.close)
            raw.send(listings(100))
        for raw in silent:
            raw.wait_until_stalled()
        wait_metric(deployment, "carillon_client_connections", 2)
        eventually(lambda: metrics(deployment)["carillon_client_connections"] == 0, "both are closed", 120, 0.2)
        self.assertGreater(time.monotonic() - began, 29, "a client that reads late would lose answers")
        for raw in silent:
            answers = 0
            try:
                while raw.read_frame(60) is not None:
                    answers += 1
            except AssertionError as error:
                self.assertIn("closed in the middle", str(error))
            self.assertLess(answers, 100)


if __name__ == "__main__":
    unittest.main()
