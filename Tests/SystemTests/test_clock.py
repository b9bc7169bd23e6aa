"""A wall clock that steps while the server runs, as bad input 65: waiting goes by the monotonic clock and does not notice,
and what goes by the wall clock does as the specification says. The simulator's clock is the true one."""
from __future__ import annotations

import os
import time
import unittest
from typing import Any, Dict, List

from test_lifecycle import PAYLOAD, Case, finished, now, register
from world import APP, World, carillon, eventually

HOUR, YEAR = 3_600, 31_557_600
STEPS = [2 * HOUR, -2 * HOUR, 10 * YEAR, 0]


class Steps(Case):
    """The clock is right when the server starts, then steps."""

    def setUp(self) -> None:
        self.world = World(clock=0)
        self.addCleanup(self.world.stop)
        self.client = self.world.client(attempts=1)
        self.addCleanup(self.client.close)

    def send(self, tokens: List[bytes], **options: Any) -> Dict[str, Any]:
        """Accepts a message."""
        return self.client.send(APP, tokens, PAYLOAD, **options)

    def test_the_clock_that_is_faked(self) -> None:
        """The server believes the offset at once; else nothing here would prove anything."""
        for offset in STEPS:
            self.world.set_clock(offset)
            with self.world.client() as other:
                self.assertLess(abs(other.server["clock"] - now() - offset * 1000), 5_000, offset)

    def test_deliveries_go_on(self) -> None:
        """On the same connections, with the same provider token, without haste."""
        tokens = register(self.client, 50)
        connection = self.client._connection
        self.assertEqual(finished(self.client, self.send(tokens)["message_id"]), {"delivered": 50})
        for offset in STEPS:
            with self.subTest(offset):
                self.world.set_clock(offset)
                before = self.world.cpu_seconds
                time.sleep(1)
                self.assertLess(self.world.cpu_seconds - before, 0.3, "the server is busy with nothing")
                self.assertEqual(finished(self.client, self.send(tokens)["message_id"]), {"delivered": 50})
                self.assertLess(self.client.ping(), 1)
        stats = self.world.simulator.stats()
        self.assertEqual((stats["accepted"], stats["rejected"]), (50 * (1 + len(STEPS)), {}))
        self.assertEqual(stats["connections-ever"], 1, "a connection to APNs was given up")
        self.assertIs(self.client._connection, connection, "the client's connection was closed")
        self.assertEqual(self.world.terminate(), 0)

    def test_a_try_waits_by_the_monotonic_clock(self) -> None:
        """A push that APNs puts off is tried again after the seconds that APNs named, whatever the clock says."""
        for offset in STEPS:
            with self.subTest(offset):
                self.world.set_clock(0)
                token = register(self.client, 1)[0]
                self.world.simulator.rule(prefix=token.hex(), status=503, times=1, **{"retry-after": 2})
                began = time.monotonic()
                message = self.send([token])["message_id"]
                eventually(lambda: self.world.simulator.stats()["rejected"], "the first try")
                self.world.set_clock(offset)
                self.assertEqual(finished(self.client, message), {"delivered": 1})
                self.assertTrue(1.9 < time.monotonic() - began < 10, time.monotonic() - began)

    def refused(self, code: str, call: Any, *arguments: Any, **options: Any) -> None:
        """The call is refused so, and had no effect."""
        with self.assertRaises(carillon.CarillonError) as refusal:
            call(*arguments, **options)
        self.assertEqual((refusal.exception.code, refusal.exception.effect), (code, "not executed"))

    def test_times_of_registrations(self) -> None:
        """The later time wins; a time ahead of the server's clock is taken as now, a stored one too (Protocol 7)."""
        register_at = lambda token, at: self.client.register(APP, token, seen_at=at)["result"]
        first, ahead, gone, left = (os.urandom(32) for _ in range(4))
        for token in (first, gone):
            self.assertEqual(register_at(token, now()), "created")
        self.world.set_clock(2 * HOUR)
        self.assertEqual(register_at(first, now() + 1), "refreshed")
        for token in (ahead, left):
            self.assertEqual(register_at(token, 0), "created")
        self.assertEqual(self.client.unregister(APP, gone)["result"], "removed")

        self.world.set_clock(0)
        self.assertEqual(register_at(first, now()), "refreshed")
        for token in (ahead, gone):
            self.refused("STALE", register_at, token, now() - 60_000)
        self.assertEqual(self.client.lookup(APP, ahead)["state"], "active")
        self.assertEqual(finished(self.client, self.send([ahead, gone])["message_id"]),
                         {"delivered": 1, "unregistered": 1})
        # What comes now does not wait for two hours to pass.
        self.assertEqual(register_at(ahead, 0), "refreshed")
        self.assertEqual(register_at(gone, 0), "created")
        self.assertEqual(self.client.unregister(APP, left)["result"], "removed")

        self.world.set_clock(-2 * HOUR)
        # By that clock everything is to come: what comes now wins, and is taken as now.
        self.assertEqual(register_at(first, now()), "refreshed")

    def test_idempotency(self) -> None:
        """A key is remembered for its window by the wall clock, and longer if that goes back."""
        tokens, key = register(self.client, 3), os.urandom(16)
        first = self.send(tokens, key=key)
        for offset in (2 * HOUR, -2 * HOUR, 0):
            self.world.set_clock(offset)
            again = self.send(tokens, key=key)
            self.assertEqual((again["message_id"], again["duplicate"]), (first["message_id"], True), offset)
        finished(self.client, first["message_id"])
        self.assertEqual(self.world.simulator.stats()["accepted"], 3)

    def test_not_after(self) -> None:
        """An end is a time of the wall clock: before it pushes begin, after it none."""
        token = register(self.client, 1)
        # A new connection to APNs would need a clock that the certificate is valid by.
        self.assertEqual(finished(self.client, self.send(token)["message_id"]), {"delivered": 1})
        for offset, outcome in zip(STEPS, ("expired", "delivered", "expired", "delivered")):
            with self.subTest(offset):
                self.world.set_clock(offset)
                message = self.send(token, not_after=now() + HOUR * 1000)["message_id"]
                self.assertEqual(finished(self.client, message), {outcome: 1})


class WrongAtFirst(Case):
    """The clock is wrong when the server starts, as before the time has come from the network."""

    def test_the_provider_token_is_right_again(self) -> None:
        """APNs refuses the token; once the clock is set a new one goes out, within seconds and not 20 minutes."""
        world = self.world(clock=2 * HOUR)
        with world.client() as client:
            tokens = register(client, 20)
            message = client.send(APP, tokens, PAYLOAD)["message_id"]
            refused = eventually(lambda: world.simulator.stats()["rejected"], "APNs refuses the token")
            self.assertEqual(list(refused), ["ExpiredProviderToken"])
            before = world.cpu_seconds
            time.sleep(5)
            self.assertLess(world.cpu_seconds - before, 1, "the server is busy with nothing")
            stats = world.simulator.stats()
            self.assertEqual(stats["accepted"], 0)
            self.assertLess(stats["connections-ever"], 10, "APNs was stormed")
            self.assertEqual(client.message_status(APP, message)["outcomes"], {"pending": 20})

            world.set_clock(0)
            self.assertEqual(finished(client, message), {"delivered": 20})
            self.assertEqual(world.simulator.stats()["duplicates"], 0)


if __name__ == "__main__":
    unittest.main()
