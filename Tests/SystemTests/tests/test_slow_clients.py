"""Clients that request much and read slowly, or not at all, and the effect on other connections; real processes."""
from __future__ import annotations

import os
import socket
import time
import unittest
from contextlib import ExitStack
from typing import List

from support.bad_audiences import LARGEST
from support.deployment import APP, Deployment, carillon
from support.environment import settled
from support.event_requests import events, happen, unsubscribe
from support.large_listings import GROUPS, listings, many_groups
from support.raw_connection import RawConnection
from support.requests import lookup
from support.system_test_case import SystemTestCase

LISTINGS = 1_024


def slow(raw: RawConnection) -> RawConnection:
    """Makes a connection read little at a time."""
    raw.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
    return raw


class Listings(SystemTestCase):
    """Listings of many rows."""

    def test_pages_are_not_read_for_a_client_that_does_not_read(self) -> None:
        deployment = self.deployment(simulator=None)
        many_groups(deployment)
        before = deployment.heap_bytes
        with deployment.raw("open") as raw:
            slow(raw).send(listings(LISTINGS))
            raw.wait_until_stalled()
            settled(lambda: deployment.heap_bytes, "the memory of the server grows")
            grown = deployment.heap_bytes - before
            self.assertLess(grown, 24 << 20, "the server buffers pages for a client that does not read")
            for index in range(LISTINGS):
                frame = raw.frame(30)
                self.assertEqual((frame.message, frame.id), ("groups", 3 + index))
                self.assertEqual(len(frame.fields["groups"]), GROUPS)

    def test_answers_after_the_end_of_the_requests_arrive_however_slowly(self) -> None:
        deployment = self.deployment(simulator=None)
        many_groups(deployment)
        count = 60
        with deployment.raw("open") as raw:
            slow(raw).send(listings(count))
            raw.sock.shutdown(socket.SHUT_WR)
            raw.wait_until_stalled()
            for index in range(count):
                frame = raw.frame(30)
                self.assertIsNotNone(frame, f"closed after {index} of {count}")
                time.sleep(0.01)  # pause: a slow reader
            self.assertIsNone(raw.frame())


class Neighbours(SystemTestCase):
    """Requests of one connection while others of its event loop have much to receive."""

    def waits(self, deployment: Deployment, neighbour: RawConnection, first: int, listing: bool) -> List[float]:
        """The durations of requests in seconds, ascending."""
        times = []
        for id in range(first, first + 300):
            began = time.monotonic()
            neighbour.send(carillon.encode("client", "topics", {"app": APP, "prefix": "", "after": "", "limit": 10}, id)
                           if listing else lookup(id, os.urandom(32)))
            self.assertIsNotNone(neighbour.frame(30))
            times.append(time.monotonic() - began)
        return sorted(times)

    def report(self, times: List[float]) -> None:
        """Prints waits; no test judges them, since other programs use the machine as well."""
        print(f"{self.id().rpartition('.')[2]}: 300 requests, median {times[150] * 1000:.0f} ms, "
              f"longest {times[-1] * 1000:.0f} ms")

    def test_subscriptions_that_end_before_the_response_leave_no_state(self) -> None:
        deployment = self.deployment(simulator=None, flags=("--threads", "1"))
        happen(deployment, 100)
        before = deployment.heap_bytes
        with deployment.raw("open") as raw, deployment.raw("open") as neighbour:
            for first in range(3, 16_003, 1_000):
                raw.send(b"".join(events(id, start=carillon.OLDEST, kinds=(), credit=LARGEST) + unsubscribe(id, id + 1)
                                  for id in range(first, first + 1_000, 2)))
                answers = 0
                while answers < 1_000:
                    answers += raw.frame(30).message != "event"
            happen(deployment, 500)
            self.report(self.waits(deployment, neighbour, 3, False))
            self.assertLess(deployment.heap_bytes - before, 16 << 20)

    def test_clients_that_catch_up_on_events_do_not_delay_others(self) -> None:
        """160 subscriptions from the oldest event on, by clients that never read: all events, or a filter that
        matches none."""
        deployment = self.deployment(simulator=None, flags=("--threads", "1"))
        happen(deployment, 20_000)
        for kinds in ((), (999,)):
            with self.subTest(kinds=kinds), ExitStack() as stack:
                neighbour = stack.enter_context(deployment.raw("open"))
                readers = [stack.enter_context(deployment.raw("open")) for _ in range(20)]
                for reader in readers:
                    reader.send(b"".join(events(id, start=carillon.OLDEST, kinds=kinds, credit=LARGEST)
                                         for id in range(3, 11)))
                for listing, first in ((False, 3), (True, 1_000)):
                    times = self.waits(deployment, neighbour, first, listing)
                    self.report(times)


if __name__ == "__main__":
    unittest.main()
