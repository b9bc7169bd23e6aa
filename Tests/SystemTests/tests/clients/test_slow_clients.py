"""Clients that request much and read slowly, or not at all, and the effect on other connections; real processes."""
from __future__ import annotations

import os
import socket
import time
import unittest
from contextlib import ExitStack

from support.bad_inputs.bad_audiences import LARGEST_NUMBER
from support.clients.event_requests import events, make_events, unsubscribe
from support.clients.large_listings import GROUPS, listings, many_groups
from support.clients.raw_connection import RawConnection
from support.clients.requests import lookup
from support.deployment import APP, OTHER_APP, crln
from support.environment import stable
from support.system_test_case import SystemTestCase

LISTINGS = 1_024
# A busy machine may need longer than the usual 30 s, after which the server closes a connection whose client is silent.
PATIENT = ("--limits-keepalive-seconds", "3600")


def slow(raw: RawConnection) -> RawConnection:
    """Makes a connection read little at a time."""
    raw.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
    return raw


class SlowClientsTests(SystemTestCase):
    """Listings of many rows that are not read, and requests of one connection while others of its event loop have much
    to receive."""

    def ask(self, neighbour: RawConnection, id: int, listing: bool) -> None:
        """Makes a request and reads its answer."""
        neighbour.send(crln.encode("client", "topics", {"app": APP, "prefix": "", "after": "", "limit": 10}, id)
                       if listing else lookup(id, os.urandom(32)))
        self.assertEqual(neighbour.read_frame(30).id, id)

    def test_pages_are_not_read_for_a_client_that_does_not_read(self) -> None:
        deployment = self.deployment(simulator=None, flags=PATIENT)
        many_groups(deployment)
        before = deployment.heap_bytes
        with deployment.raw("open") as raw:
            slow(raw).send(listings(LISTINGS))
            raw.wait_until_stalled()
            stable(lambda: deployment.heap_bytes, "the memory of the server grows")
            grown = deployment.heap_bytes - before
            self.assertLess(grown, 24 << 20, "the server buffers pages for a client that does not read")
            for index in range(LISTINGS):
                frame = raw.read_frame(30)
                self.assertEqual((frame.message, frame.id), ("groups", 3 + index))
                self.assertEqual(len(frame.fields["groups"]), GROUPS)

    def test_answers_after_the_end_of_the_requests_arrive_however_slowly(self) -> None:
        deployment = self.deployment(simulator=None, flags=PATIENT)
        many_groups(deployment)
        count = 60
        with deployment.raw("open") as raw:
            slow(raw).send(listings(count))
            raw.sock.shutdown(socket.SHUT_WR)
            raw.wait_until_stalled()
            for index in range(count):
                frame = raw.read_frame(30)
                self.assertIsNotNone(frame, f"closed after {index} of {count}")
                time.sleep(0.01)  # pause: a slow reader
            self.assertIsNone(raw.read_frame())

    def test_subscriptions_that_end_before_the_answer_leave_no_state(self) -> None:
        deployment = self.deployment(simulator=None, flags=("--client-threads", "1", *PATIENT))
        make_events(deployment, 100)
        before = deployment.heap_bytes
        with deployment.raw("open") as raw, deployment.raw("open") as neighbour:
            for first in range(3, 16_003, 1_000):
                raw.send(b"".join(
                    events(id, start=crln.OLDEST, kinds=(), credit=LARGEST_NUMBER) + unsubscribe(id, id + 1)
                    for id in range(first, first + 1_000, 2)))
                answers = 0
                while answers < 1_000:
                    answers += raw.read_frame(30).message != "event"
            make_events(deployment, 500)
            self.ask(neighbour, 3, listing=False)
            self.assertLess(deployment.heap_bytes - before, 16 << 20)

    def test_clients_that_catch_up_on_events_do_not_delay_others(self) -> None:
        """160 subscriptions, of clients that never read, look for the only event of an app, behind 20,000 of another.
        A neighbour gets many answers before all have found it. It would get one if the subscriptions came first."""
        deployment = self.deployment(simulator=None, flags=("--client-threads", "1", *PATIENT))
        make_events(deployment, 20_000)
        make_events(deployment, 1, OTHER_APP)

        def catch_up(reader: RawConnection) -> RawConnection:
            reader.send(b"".join(events(id, start=crln.OLDEST, apps=(OTHER_APP,), credit=LARGEST_NUMBER)
                                 for id in range(3, 11)))
            return reader

        for listing in (False, True):
            with self.subTest(listing=listing), ExitStack() as stack:
                neighbour = stack.enter_context(deployment.raw("open"))
                readers = [stack.enter_context(deployment.raw("open")) for _ in range(20)]
                for reader in readers:
                    catch_up(reader)
                answers = 0
                while any(reader.unread_frame_count() < 16 for reader in readers):
                    self.ask(neighbour, 3 + answers, listing)
                    answers += 1
                self.assertGreater(answers, 20)


if __name__ == "__main__":
    unittest.main()
