"""A wall clock that steps while the server runs. Timeouts use the monotonic clock and are not affected; times of the
wall clock behave as the specification says. The simulator has the true time."""
from __future__ import annotations

import os
import time
import unittest
from typing import Any, Dict, List

from support.deployment import APP, Deployment, crln, eventually
from support.system_test_case import PAYLOAD, SystemTestCase, now, register, wait_finished

HOUR, YEAR = 3_600, 31_557_600
STEPS = [2 * HOUR, -2 * HOUR, 10 * YEAR, 0]


class ClockStepsTests(SystemTestCase):
    """The clock is right at the start of the server, then it steps."""

    def setUp(self) -> None:
        self.deployment = Deployment(clock=0)
        self.addCleanup(self.deployment.stop)
        self.client = self.deployment.client(attempts=1)
        self.addCleanup(self.client.close)

    def send(self, tokens: List[bytes], **options: Any) -> Dict[str, Any]:
        """Accepts a message."""
        return self.client.send(APP, tokens, PAYLOAD, **options)

    def test_the_fake_clock_is_used(self) -> None:
        """The server uses the offset at once; without that the other tests would prove nothing."""
        for offset in STEPS:
            self.deployment.set_clock(offset)
            before = now()
            with self.deployment.client() as other:
                told = other.server["clock"] - offset * 1000
            self.assertTrue(before - 1 <= told <= now() + 1, offset)

    def test_deliveries_go_on(self) -> None:
        """Pushes go on over the same connections, with the same provider token, without a busy loop."""
        tokens = register(self.client, 50)
        # Each connection has an answer to HELLO of its own.
        server = self.client.server
        self.assertEqual(wait_finished(self.client, self.send(tokens)["message_id"]), {"delivered": 50})
        for offset in STEPS:
            with self.subTest(offset):
                self.deployment.set_clock(offset)
                self.assertLess(self.deployment.cpu_share(), 0.5, "the server is busy without work")
                self.assertEqual(wait_finished(self.client, self.send(tokens)["message_id"]), {"delivered": 50})
        stats = self.deployment.simulator.stats()
        self.assertEqual((stats["accepted"], stats["rejected"]), (50 * (1 + len(STEPS)), {}))
        self.assertEqual(stats["connections-ever"], 1, "a connection to APNs was given up")
        self.assertIs(self.client.server, server, "the client's connection was closed")
        self.assertEqual(self.deployment.terminate(), 0)

    def rejected(self) -> int:
        """Returns the pushes that APNs has refused so far."""
        return sum(self.deployment.simulator.stats()["rejected"].values())

    def test_a_retry_waits_by_the_monotonic_clock(self) -> None:
        """A push that APNs delays with Retry-After is tried again after these seconds, whatever the wall clock says."""
        for offset in STEPS:
            with self.subTest(offset):
                self.deployment.set_clock(0)
                token = register(self.client, 1)[0]
                refused = self.rejected()
                self.deployment.simulator.add_rules(prefix=token.hex(), status=503, times=1, **{"retry-after": 2})
                began = time.monotonic()
                message = self.send([token])["message_id"]
                eventually(lambda refused=refused: self.rejected() > refused, "the first try")
                self.deployment.set_clock(offset)
                self.assertEqual(wait_finished(self.client, message), {"delivered": 1})
                self.assertGreater(time.monotonic() - began, 1.9, "the second try was too early")

    def refused(self, code: str, call: Any, *arguments: Any, **options: Any) -> None:
        """Asserts that the call is refused with the code and was not executed."""
        with self.assertRaises(crln.CarillonError) as refusal:
            call(*arguments, **options)
        self.assertEqual((refusal.exception.code, refusal.exception.effect), (code, "not_executed"))

    def test_the_later_registration_wins_by_the_time_it_names(self) -> None:
        """The later time wins; a time ahead of the server's clock is taken as now, even if it is stored
        (Protocol 7)."""
        register_at = lambda token, at: self.client.register(APP, token, seen_at=at)["result"]
        first, ahead, gone, left = (os.urandom(32) for _ in range(4))
        for token in (first, gone):
            self.assertEqual(register_at(token, now()), "created")
        self.deployment.set_clock(2 * HOUR)
        self.assertEqual(register_at(first, now() + 1), "refreshed")
        for token in (ahead, left):
            self.assertEqual(register_at(token, 0), "created")
        self.assertEqual(self.client.unregister(APP, gone)["result"], "removed")

        self.deployment.set_clock(0)
        self.assertEqual(register_at(first, now()), "refreshed")
        for token in (ahead, gone):
            self.refused("STALE", register_at, token, now() - 60_000)
        self.assertEqual(self.client.lookup(APP, ahead)["state"], "active")
        self.assertEqual(wait_finished(self.client, self.send([ahead, gone])["message_id"]),
                         {"delivered": 1, "unregistered": 1})
        # A registration of now does not have to wait for two hours.
        self.assertEqual(register_at(ahead, 0), "refreshed")
        self.assertEqual(register_at(gone, 0), "created")
        self.assertEqual(self.client.unregister(APP, left)["result"], "removed")

        self.deployment.set_clock(-2 * HOUR)
        # By that clock all times are in the future: the present registration wins, and is taken as now.
        self.assertEqual(register_at(first, now()), "refreshed")

    def test_a_repeated_key_sends_once(self) -> None:
        """An idempotency key is remembered for its window by the wall clock, and longer if the clock goes back."""
        tokens, key = register(self.client, 3), os.urandom(16)
        first = self.send(tokens, key=key)
        for offset in (2 * HOUR, -2 * HOUR, 0):
            self.deployment.set_clock(offset)
            again = self.send(tokens, key=key)
            self.assertEqual((again["message_id"], again["duplicate"]), (first["message_id"], True), offset)
        wait_finished(self.client, first["message_id"])
        self.assertEqual(self.deployment.simulator.stats()["accepted"], 3)

    def test_no_push_is_sent_after_not_after(self) -> None:
        """`not_after` is a time of the wall clock: before it pushes start, after it none."""
        token = register(self.client, 1)
        # A new connection to APNs would need a clock within the validity of the certificate.
        self.assertEqual(wait_finished(self.client, self.send(token)["message_id"]), {"delivered": 1})
        for offset, outcome in zip(STEPS, ("expired", "delivered", "expired", "delivered")):
            with self.subTest(offset):
                self.deployment.set_clock(offset)
                message = self.send(token, not_after=now() + HOUR * 1000)["message_id"]
                self.assertEqual(wait_finished(self.client, message), {outcome: 1})


class WrongClockAtStartTests(SystemTestCase):
    """The clock is wrong at the start of the server, as before the first synchronization."""

    def test_the_provider_token_is_right_again(self) -> None:
        """APNs refuses the provider token; when the clock is right, a new token is sent within seconds, not
        after 20 minutes."""
        deployment = self.deployment(clock=2 * HOUR)
        with deployment.client() as client:
            tokens = register(client, 20)
            message = client.send(APP, tokens, PAYLOAD)["message_id"]
            refused = eventually(lambda: deployment.simulator.stats()["rejected"], "APNs refuses the token")
            self.assertEqual(list(refused), ["ExpiredProviderToken"])
            self.assertLess(deployment.cpu_share(1), 0.5, "the server is busy without work")
            stats = deployment.simulator.stats()
            self.assertEqual(stats["accepted"], 0)
            self.assertLess(stats["connections-ever"], 10, "too many connections to APNs")
            self.assertEqual(client.message_status(APP, message)["outcomes"], {"pending": 20})

            deployment.set_clock(0)
            self.assertEqual(wait_finished(client, message), {"delivered": 20})
            self.assertEqual(deployment.simulator.stats()["duplicates"], 0)


if __name__ == "__main__":
    unittest.main()
