"""Subscriptions of events: where they begin, their limits, the events of connections and the rights; a real server."""
from __future__ import annotations

import unittest
from typing import List

from support.clients.event_requests import begin_subscription, credit, events
from support.clients.raw_connection import RawConnection
from support.deployment import APP, Deployment, crln, eventually, sha256
from support.environment import TIMEOUT_SECONDS, free_port
from support.operations import metrics, wait_metric
from support.system_test_case import PAYLOAD, SystemTestCase, register, wait_finished


def finish_one(deployment: Deployment) -> int:
    """Sends to an unknown device, waits for the end, and returns the id of the message."""
    with deployment.client() as client:
        message = client.send(APP, [9_999], PAYLOAD)["message_id"]
        wait_finished(client, message)
        return message


class SubscriptionPositionsTests(SystemTestCase):
    """The first event of a subscription: by its name, or without one."""

    def messages(self, deployment: Deployment, count: int, **options: object) -> List[int]:
        """Reads and acknowledges the next events of a subscription; returns their messages."""
        with deployment.client() as client, client.events(kinds=["message-finished"], **options) as events:
            messages = []
            for _ in range(count):
                event = events.take(TIMEOUT_SECONDS)
                assert event is not None
                messages.append(event["message_id"])
                events.acknowledge(event["sequence"])
            self.assertIsNone(events.take(0.2))
            return messages

    def test_a_new_name_keeps_its_place(self) -> None:
        deployment = self.deployment()
        finish_one(deployment)
        self.assertEqual(self.messages(deployment, 0, name="billing"), [])
        second, third = finish_one(deployment), finish_one(deployment)
        self.assertEqual(self.messages(deployment, 2, name="billing"), [second, third])
        self.assertEqual(self.messages(deployment, 0, name="billing"), [])

    def test_a_subscription_begins_with_the_oldest_event_or_now(self) -> None:
        deployment = self.deployment()
        first, second = finish_one(deployment), finish_one(deployment)
        self.assertEqual(self.messages(deployment, 2, start=crln.OLDEST), [first, second])
        self.assertEqual(self.messages(deployment, 0, start=crln.NOW), [])

    def test_a_forgotten_name_begins_anew(self) -> None:
        deployment = self.deployment()
        finish_one(deployment)
        self.assertEqual(self.messages(deployment, 0, name="billing"), [])
        finish_one(deployment)
        with deployment.client() as client:
            self.assertTrue(client.forget_subscriber("billing"))
        self.assertEqual(self.messages(deployment, 0, name="billing"), [], "a new name begins now")
        third = finish_one(deployment)
        self.assertEqual(self.messages(deployment, 1, name="billing"), [third])


class SubscriberNamesTests(SystemTestCase):
    """The limit of the names that one principal may have."""

    def test_one_principal_cannot_take_the_names_of_all(self) -> None:
        key = "crln_" + "6" * 64
        deployment = self.deployment(principals=[{"name": "other", "keySHA256": [sha256(key)],
                                                  "grants": [{"app": APP, "roles": ["observe"]}]}])
        with deployment.client() as client, deployment.client(key) as other:
            for number in range(100):
                other.events(name=f"name-{number}").close()
            with self.assertRaises(crln.CarillonError) as refused:
                other.events(name="one-more")
            error = refused.exception
            self.assertEqual((error.code, error.field, error.limit), ("INVALID_ARGUMENT", "name", 100))
            other.events(name="name-7").close()
            client.events(name="one-more").close()
            # A name that is no longer needed makes room.
            self.assertTrue(other.forget_subscriber("name-7"))
            self.assertFalse(other.forget_subscriber("name-7"))
            other.events(name="one-more").close()


class AcknowledgementRateTests(SystemTestCase):
    """The limit of the writes that acknowledgements cause."""

    def test_acknowledgements_have_a_rate_limit(self) -> None:
        """1,000 acknowledgements by a principal with 5 requests a second are answered and are few writes."""
        key = "crln_" + "5" * 64
        deployment = self.deployment(principals=[{
            "name": "slow", "keySHA256": [sha256(key)], "grants": [{"app": APP, "roles": ["observe"]}],
            "requestsPerSecond": 5}])
        finish_one(deployment)
        with RawConnection(deployment.port, key, "open") as raw:
            begin_subscription(raw, events(3, name="billing"))
            before = metrics(deployment)["carillon_batch_changes_sum"]
            raw.send(b"".join(credit(3, 0, id, ack=1) for id in range(4, 1_004)))
            answers = {raw.read_frame(30).id for _ in range(1_000)}
            self.assertEqual(answers, set(range(4, 1_004)))
            written = eventually(lambda: metrics(deployment)["carillon_batch_changes_sum"] - before, "a write")
        self.assertLess(written, 500)


class ProviderConnectionEventsTests(SystemTestCase):
    """Events about connections to APNs."""

    def test_events_tell_when_a_provider_is_lost_and_found(self) -> None:
        key = "crln_" + "8" * 64
        deployment = self.deployment(principals=[{"name": "one-app", "keySHA256": [sha256(key)],
                                                  "grants": [{"app": APP, "roles": ["observe"]}]}])
        kinds = ["connection-up", "connection-down"]
        with deployment.client() as client, client.events(kinds=kinds) as events, \
                deployment.client(key) as other, other.events(kinds=kinds) as nothing:
            register(client, 1)
            client.send_to(APP, PAYLOAD, all_devices=True)
            up = events.take(TIMEOUT_SECONDS)
            self.assertIsNotNone(up, "no event of a connection that works")
            self.assertEqual((up["kind"], up["text"]), ("connection-up", "main/production"))
            deployment.stop_simulator()
            down = events.take(TIMEOUT_SECONDS)
            self.assertIsNotNone(down, "no event of a connection that has ended")
            self.assertEqual((down["kind"], down["text"]), ("connection-down", "main/production"))
            self.assertIsNone(events.take(0.5), "attempts that come to nothing are neither")
            self.assertIsNone(nothing.take(0.1), "it concerns no app")

    def test_a_pool_that_never_connected_is_reported(self) -> None:
        """That no message can go out is in statistics, metrics and events, not in the log alone."""
        port = free_port()
        deployment = self.deployment(simulator=None, flags=None)
        deployment.start(apns_port=port)
        label = '{credential="main",environment="production"}'
        with deployment.client() as client, \
                client.events(kinds=["pool-unreachable", "pool-reachable"], start=crln.OLDEST) as stream:
            token, = register(client, 1)
            sent = client.send(APP, [token], PAYLOAD)["message_id"]
            lost = stream.take(60)
            self.assertIsNotNone(lost, "no event of a pool that has never connected")
            self.assertEqual((lost["kind"], lost["text"]), ("pool-unreachable", "main/production: refused"))
            pool, = client.statistics()["pools"]
            self.assertTrue(pool["unreachable"])
            self.assertGreater(pool["failures"]["count"], 0)
            self.assertEqual(pool["failures"]["reason"], "Connection refused")
            self.assertGreater(pool["failures"]["last_at"], 0)
            wait_metric(deployment, f"carillon_apns_pool_unreachable{label}", 1)
            deployment.start_simulator(port=port)
            found = stream.take(60)
            self.assertIsNotNone(found, "no event of a pool that can connect again")
            self.assertEqual((found["kind"], found["text"]), ("pool-reachable", "main/production"))
            self.assertEqual(wait_finished(client, sent), {"delivered": 1})
            eventually(lambda: not client.statistics()["pools"][0]["unreachable"], "the pool is reachable")
            wait_metric(deployment, f"carillon_apns_pool_unreachable{label}", 0)

    def test_a_certificate_that_is_not_trusted_is_named(self) -> None:
        deployment = self.deployment(flags=None)
        deployment.keys.authority("unknown-authority")
        deployment.start("--apns-authorities-file", deployment.keys.path("unknown-authority.pem"))
        with deployment.client() as client:
            # The first connection is opened when there is work.
            client.send(APP, register(client, 1), PAYLOAD)
            reason = eventually(lambda: client.statistics()["pools"][0]["failures"]["reason"], "a reason")
            self.assertIn("certificate", reason)


class EventRightsTests(SystemTestCase):
    """Permission for events."""

    def test_a_principal_without_observe_has_no_events(self) -> None:
        key = "crln_" + "7" * 64
        deployment = self.deployment(principals=[{"name": "sender", "keySHA256": [sha256(key)],
                                                  "grants": [{"app": APP, "roles": ["send"]}]}])
        with deployment.client(key) as client:
            for apps in ([], [APP]):
                with self.assertRaises(crln.CarillonError) as refused:
                    client.events(apps=apps)
                self.assertEqual(refused.exception.code, "FORBIDDEN")
            with self.assertRaises(crln.CarillonError) as refused:
                client.forget_subscriber("billing")
            self.assertEqual(refused.exception.code, "FORBIDDEN")


if __name__ == "__main__":
    unittest.main()
