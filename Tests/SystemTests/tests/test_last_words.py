"""Responses to a client whose connection ends, and the time that the client has to read them; real processes."""
from __future__ import annotations

import signal
import socket
import time
import unittest
from typing import Iterator, List, Tuple

from support.deployment import Deployment
from support.large_listings import listings, many_groups
from support.raw_connection import RawConnection
from support.requests import lookup
from support.system_test_case import SystemTestCase


class LastWords(SystemTestCase):
    """A client that reads its responses late, over TCP and over a Unix socket."""

    def server(self, *flags: str) -> Deployment:
        """Starts a deployment with a Unix socket and responses of 200 KB."""
        deployment = self.deployment(simulator=None, flags=None)
        self.path = deployment.keys.path("s")
        deployment.start("--listen-unix-socket", self.path, *flags)
        many_groups(deployment)
        return deployment

    def ways(self, *flags: str) -> Iterator[Tuple[Deployment, RawConnection]]:
        """A connection of each kind, each to a server of its own."""
        for is_local in (False, True):
            deployment = self.server(*flags)
            raw = deployment.raw("open", path=self.path if is_local else "")
            self.addCleanup(raw.close)
            yield deployment, raw
            raw.close()
            deployment.stop()

    def told(self, raw: RawConnection) -> List[Tuple[str, int]]:
        """Reads to the end: messages with their ids, and GOAWAY with its `last_id`."""
        told = []
        while True:
            frame = raw.frame(30)
            if frame is None:
                return told
            told.append((frame.message, frame.fields["last_id"] if frame.message == "goaway" else frame.id))

    def test_answers_after_the_end_of_the_requests(self) -> None:
        for wait in (0.5, 3):
            for _, raw in self.ways():
                raw.send(listings(20))
                raw.sock.shutdown(socket.SHUT_WR)
                time.sleep(wait)
                self.assertEqual(self.told(raw), [("groups", 3 + index) for index in range(20)])

    def test_answers_when_the_server_stops(self) -> None:
        for deployment, raw in self.ways():
            raw.send(listings(40))
            time.sleep(0.5)
            deployment.server.send_signal(signal.SIGTERM)
            time.sleep(4)
            self.assertTrue(deployment.is_alive, "it has 20 s")
            told = self.told(raw)
            self.assertEqual([each for each in told if each[0] != "goaway"],
                             [("groups", 3 + index) for index in range(40)])
            self.assertEqual([each for each in told if each[0] == "goaway"], [("goaway", 2**64 - 1), ("goaway", 42)])
            raw.close()
            self.assertEqual(deployment.server.wait(3), 0, "nobody is there any more")

    def test_who_takes_nothing_has_the_time_that_was_said(self) -> None:
        for deployment, raw in self.ways("--limits-drain-seconds", "4"):
            raw.send(listings(40))
            time.sleep(0.5)
            began = time.monotonic()
            deployment.server.send_signal(signal.SIGTERM)
            self.assertEqual(deployment.server.wait(10), 0)
            self.assertTrue(3.8 < time.monotonic() - began < 6, time.monotonic() - began)

    def test_what_comes_after_the_end_takes_no_answer_away(self) -> None:
        """The kernel has the responses, and the client sends more requests before it reads them."""
        for deployment, raw in self.ways():
            raw.send(listings(10))
            time.sleep(0.5)
            deployment.server.send_signal(signal.SIGTERM)
            for id in range(13, 53):
                time.sleep(0.1)
                raw.send(lookup(id, bytes(32)))
            told = self.told(raw)
            self.assertEqual([each for each in told if each[0] == "groups"],
                             [("groups", 3 + index) for index in range(10)])
            self.assertEqual([name for name, _ in told].count("goaway"), 2)


class SlowReaders(SystemTestCase):
    """A client that reads nothing for a while."""

    def test_thirty_seconds(self) -> None:
        deployment = self.deployment(simulator=None, flags=None)
        path = deployment.keys.path("s")
        deployment.start("--listen-unix-socket", path)
        many_groups(deployment)
        late, never = ([deployment.raw("open"), deployment.raw("open", path=path)] for _ in range(2))
        for raw in late + never:
            self.addCleanup(raw.close)
            raw.send(listings(100))
        time.sleep(25)
        for raw in late:
            for index in range(100):
                frame = raw.frame(30)
                self.assertIsNotNone(frame, f"dropped after {index}")
                self.assertEqual(frame.id, 3 + index)
        time.sleep(8)
        for raw in never:
            answers = 0
            try:
                while raw.frame(10) is not None:
                    answers += 1
            except AssertionError as error:
                self.assertIn("closed in the middle", str(error))
            self.assertLess(answers, 100)


if __name__ == "__main__":
    unittest.main()
