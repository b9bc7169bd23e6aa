"""A push that ends the connections that carry it: all other pushes are delivered."""
from __future__ import annotations

import unittest

from support.deployment import APP, eventually
from support.system_test_case import PAYLOAD, SystemTestCase, register, wait_finished


class HarmfulPushTests(SystemTestCase):
    """A push that resets every connection that carries it."""

    def test_only_the_device_of_a_harmful_push_goes_without_the_message(self) -> None:
        streams, connections = 40, 4
        simulator = ("--delay-milliseconds", "60", "--max-streams", str(streams))
        deployment = self.deployment(simulator=simulator, flags=None)
        deployment.start("--apns-maximum-connections", str(connections))
        with deployment.client() as client:
            tokens = register(client, 400) + register(client, 1, b"\xde\xad") + register(client, 400)
            deployment.simulator.add_rules({"fault": "close", "ending": "reset", "prefix": "dead", "processed": False})
            # The push is retried for half a minute.
            sent = client.send(APP, tokens, PAYLOAD, expiration=0, lane="bulk")["message_id"]
            eventually(lambda: deployment.simulator.stats()["accepted"] >= 800, "all others have it", 60)
            outcomes = wait_finished(client, sent)
            self.assertEqual(outcomes, {"delivered": 800, "gave-up": 1})
            # From now on it affects no other push: the device is isolated.
            quick = register(client, 200)
            before = deployment.simulator.stats()
            poisoned = client.send(APP, [*tokens[400:401], *quick], PAYLOAD, expiration=0)["message_id"]
            self.assertEqual(wait_finished(client, poisoned), {"delivered": 200, "gave-up": 1})
        stats = deployment.simulator.stats()
        self.assertEqual(stats["duplicates"] - before["duplicates"], 0)
        # Twice with all pushes in flight, and once on the isolated connection, with seven others.
        self.assertLessEqual(before["duplicates"], 2 * streams + 7)
        resets = stats["faults"]["close"]
        self.assertGreaterEqual(resets, 6)
        self.assertEqual(stats["violations"], 0)
        self.assertLess(stats["connections-ever"], 2 * connections + resets + 10)


if __name__ == "__main__":
    unittest.main()
