"""Where streams of events begin, and who may have them; a real server."""
from __future__ import annotations

import unittest
from typing import List

from test_lifecycle import Case, PAYLOAD, finished, register
from world import APP, World, carillon, sha256


def finish_one(world: World) -> int:
    """Sends to a device that there is not, and waits for the end: the number of the message."""
    with world.client() as client:
        message = client.send(APP, [9_999], PAYLOAD)["message_id"]
        finished(client, message)
        return message


class Places(Case):
    """The place of a subscription."""

    def messages(self, world: World, count: int, **options: object) -> List[int]:
        """The messages of the next events of a subscription, which are acknowledged."""
        with world.client() as client, client.events(kinds=["message-finished"], **options) as events:
            told = []
            for _ in range(count):
                event = events.take(10)
                assert event is not None
                told.append(event["message_id"])
                events.acknowledge(event["sequence"])
            self.assertIsNone(events.take(0.2))
            return told

    def test_a_new_name_keeps_its_place(self) -> None:
        world = self.world()
        finish_one(world)
        self.assertEqual(self.messages(world, 0, name="billing"), [])
        second, third = finish_one(world), finish_one(world)
        self.assertEqual(self.messages(world, 2, name="billing"), [second, third])
        self.assertEqual(self.messages(world, 0, name="billing"), [])

    def test_from_the_oldest(self) -> None:
        world = self.world()
        first, second = finish_one(world), finish_one(world)
        self.assertEqual(self.messages(world, 2, start=carillon.OLDEST), [first, second])
        self.assertEqual(self.messages(world, 0, start=carillon.NOW), [])

    def test_there_are_so_many_names(self) -> None:
        world = self.world()
        with world.client() as client:
            for number in range(1_000):
                client.events(name=f"name-{number}").close()
            with self.assertRaises(carillon.CarillonError) as refused:
                client.events(name="one-more")
            self.assertEqual(refused.exception.code, "INVALID_ARGUMENT")
            client.events(name="name-7").close()


class Connections(Case):
    """What is told of connections to APNs."""

    def test_up_and_down(self) -> None:
        key = "crln_" + "8" * 64
        world = self.world(principals=[{"name": "one-app", "keySHA256": [sha256(key)],
                                        "grants": [{"app": APP, "roles": ["observe"]}]}])
        kinds = ["connection-up", "connection-down"]
        with world.client() as client, client.events(kinds=kinds) as events, \
                world.client(key) as other, other.events(kinds=kinds) as nothing:
            register(client, 1)
            client.send_to(APP, PAYLOAD)
            up = events.take(10)
            self.assertIsNotNone(up, "no event of a connection that works")
            self.assertEqual((up["kind"], up["text"]), ("connection-up", "main/production"))
            world.stop_simulator()
            down = events.take(10)
            self.assertIsNotNone(down, "no event of a connection that has ended")
            self.assertEqual((down["kind"], down["text"]), ("connection-down", "main/production"))
            self.assertIsNone(events.take(0.5), "attempts that come to nothing are neither")
            self.assertIsNone(nothing.take(0.1), "it concerns no app")


class Rights(Case):
    """Who may have events."""

    def test_who_observes_nothing_has_no_events(self) -> None:
        key = "crln_" + "7" * 64
        world = self.world(principals=[{"name": "sender", "keySHA256": [sha256(key)],
                                        "grants": [{"app": APP, "roles": ["send"]}]}])
        with world.client(key) as client:
            for apps in ([], [APP]):
                with self.assertRaises(carillon.CarillonError) as refused:
                    client.events(apps=apps)
                self.assertEqual(refused.exception.code, "FORBIDDEN")


if __name__ == "__main__":
    unittest.main()
