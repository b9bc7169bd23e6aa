"""Broadcast channels: a real server, the command line and the simulator's port of channel management."""
from __future__ import annotations

import json
import os
import subprocess
import unittest
from typing import Any, Dict, Optional

from support.deployment import APP, PROGRAMS, Deployment, crln, eventually, sha256
from support.system_test_case import PAYLOAD, SystemTestCase, now, register, wait_finished


def command(deployment: Deployment, *arguments: str, status: int = 0) -> str:
    """Runs `carillon` and returns its output; the exit status must be `status`."""
    variables = {"PATH": os.environ["PATH"], "CARILLON_SERVER": f"127.0.0.1:{deployment.port}",
                 "CARILLON_API_KEY": deployment.api_key, "CARILLON_APP": APP}
    done = subprocess.run([str(PROGRAMS / "carillon"), *arguments], env=variables, capture_output=True, text=True,
                          timeout=60)
    if done.returncode != status:
        raise AssertionError(f"{arguments}: status {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout if status == 0 else done.stdout + done.stderr


class ChannelManagementTests(SystemTestCase):
    """Create, read, list and delete."""

    def refused(self, call: Any, code: str, reason: Optional[str] = None, effect: str = "not_executed") -> Any:
        with self.assertRaises(crln.CarillonError) as caught:
            call()
        error = caught.exception
        self.assertEqual((error.code, error.reason, error.effect), (code, reason, effect))
        return error

    def test_the_command_creates_shows_lists_and_deletes_channels(self) -> None:
        deployment = self.deployment()
        channel = command(deployment, "channel", "create", "--storage-policy", "most-recent").strip()
        created = json.loads(command(deployment, "channel", "create", "--storage-policy", "none", "--json"))
        self.assertEqual((created["environment"], created["storage_policy"]), ("production", "none"))
        both = sorted([channel, created["channel"]])
        self.assertEqual(command(deployment, "channel", "list").split(), both)
        self.assertEqual(command(deployment, "channel", "list", "--limit", "1").split(), both[:1])
        self.assertIn("most-recent", command(deployment, "channel", "show", channel))
        self.assertEqual(command(deployment, "channel", "delete", channel), f"{channel}  deleted\n")
        self.assertEqual(command(deployment, "channel", "delete", channel),
                         f"{channel}  APNs knows no such channel\n")
        self.assertIn("NOT_FOUND", command(deployment, "channel", "show", channel, status=1))
        self.assertEqual(command(deployment, "channel", "list").split(), [created["channel"]])
        lines = [line for line in deployment.log().splitlines() if " audit" in line and "channel" in line]
        self.assertEqual(len(lines), 3, "two that were created, one that was deleted")
        for each in lines:
            self.assertIn("demo", each)

    def test_pages_follow_one_another(self) -> None:
        deployment = self.deployment()
        with deployment.client() as client:
            made = sorted(client.create_channel(APP, "none") for _ in range(5))
            first = client.channels(APP, limit=2)
            self.assertEqual((first["channels"], first["next"]), (made[:2], made[1]))
            rest = client.channels(APP, after=first["next"])
            self.assertEqual((rest["channels"], rest["next"]), (made[2:], ""))

    def test_each_refusal_of_apns_has_its_code_and_its_effect(self) -> None:
        deployment = self.deployment()
        rule = deployment.simulator.add_rules
        with deployment.client(attempts=1) as client:
            table = [(400, "FeatureNotEnabled", "APNS_REFUSED", "not_executed"),
                     (400, "CannotCreateChannelConfig", "APNS_REFUSED", "not_executed"),
                     (403, "TopicMismatch", "APNS_REFUSED", "not_executed"),
                     (403, "InvalidProviderToken", "APNS_REFUSED", "not_executed"),
                     (429, "TooManyRequests", "APNS_UNAVAILABLE", "not_executed"),
                     (500, "InternalServerError", "APNS_UNAVAILABLE", "unknown"),
                     (503, "ServiceUnavailable", "APNS_UNAVAILABLE", "not_executed")]
            for status, reason, code, effect in table:
                with self.subTest(reason):
                    rule(status=status, reason=reason, about="channels", times=1)
                    self.refused(lambda: client.create_channel(APP, "none"), code, reason, effect)
            rule(status=429, reason="TooManyRequests", about="channels", times=1, **{"retry-after": 7})
            error = self.refused(lambda: client.channels(APP), "APNS_UNAVAILABLE", "TooManyRequests")
            self.assertEqual(error.retry_after, 7)
            self.refused(lambda: client.channel(APP, "not+there"), "NOT_FOUND", "BadChannelId")
            self.refused(lambda: client.channel(APP, "bm90LXRoZXJl"), "NOT_FOUND", "ChannelNotRegistered")
            self.assertEqual(client.channels(APP)["channels"], [], "no create has taken effect")
            # What concerns the sandbox has no credential here.
            error = self.refused(lambda: client.channels(APP, "sandbox"), "INVALID_ARGUMENT")
            self.assertEqual(error.field, "environment")

    def test_a_lost_answer_has_an_unknown_effect(self) -> None:
        deployment = self.deployment()
        with deployment.client() as client:
            deployment.simulator.add_rules(fault="reset", nth=1)
            self.refused(lambda: client.create_channel(APP, "none"), "APNS_UNAVAILABLE", "stream-reset-2", "unknown")

    def test_an_expired_token_is_renewed(self) -> None:
        deployment = self.deployment()
        deployment.simulator.add_rules(status=403, reason="ExpiredProviderToken", about="channels", times=1)
        with deployment.client() as client:
            self.assertTrue(client.create_channel(APP, "none"))

    def test_a_silent_host_holds_nothing_up(self) -> None:
        deployment = self.deployment()
        with deployment.client() as client:
            token = register(client, 1)[0]
            client.channels(APP)
            deployment.simulator.add_rules(fault="freeze", nth=1)
            pending = subprocess.Popen(
                [str(PROGRAMS / "carillon"), "channel", "list", "--server", f"127.0.0.1:{deployment.port}",
                 "--app", APP, "--timeout", "120s"], env={**os.environ, "CARILLON_API_KEY": deployment.api_key},
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            try:
                eventually(lambda: deployment.simulator.stats()["faults"].get("freeze"), "the host is silent")
                for _ in range(20):
                    client.lookup(APP, token)
                message = client.send(APP, [token], PAYLOAD)["message_id"]
                self.assertEqual(wait_finished(client, message), {"delivered": 1})
                self.assertIsNone(pending.poll(), "the list still waits")
            finally:
                pending.kill()
                pending.communicate()

    def test_observers_read_and_change_nothing(self) -> None:
        deployment = self.deployment(principals=[{
            "name": "watcher", "keySHA256": [sha256("crln_" + "7" * 64)],
            "grants": [{"app": APP, "roles": ["observe"]}]}])
        with deployment.client() as client, deployment.client("crln_" + "7" * 64) as watcher:
            made = client.create_channel(APP, "most-recent")
            self.assertEqual(watcher.channel(APP, made), "most-recent")
            self.refused(lambda: watcher.create_channel(APP, "none"), "FORBIDDEN")
            self.refused(lambda: watcher.delete_channel(APP, made), "FORBIDDEN")


def goal(home: int, event: str = "update") -> Dict[str, Any]:
    """Returns the payload of a Live Activity."""
    return {"aps": {"timestamp": now() // 1000, "event": event, "content-state": {"home": home}}}


class ChannelBroadcastsTests(SystemTestCase):
    """Pushes to a channel."""

    def send(self, client: Any, channel: str, payload: Dict[str, Any], **options: Any) -> int:
        """Sends to a channel and returns the id of the message."""
        answer = client.send_to(APP, payload, channel=channel, push_type="liveactivity",
                                **{"expiration": 0, **options})
        self.assertEqual((answer["total"], answer["ended"]), (1, 0))
        return answer["message_id"]

    def play_match(self, deployment: Deployment) -> str:
        """Creates a channel, sends two updates and an end to it, and returns it."""
        channel = command(deployment, "channel", "create", "--storage-policy", "most-recent").strip()
        send = ["send", "--channel", channel, "--type", "liveactivity", "--expiration", "1h", "--wait"]
        for home, event in ((1, "update"), (2, "update"), (2, "end")):
            self.assertIn("delivered", command(deployment, *send, "--payload", json.dumps(goal(home, event))))
        return channel

    def test_a_channel_gets_the_broadcasts_of_a_match(self) -> None:
        deployment = self.deployment(records=True)
        channel = self.play_match(deployment)
        pushes = deployment.pushes()
        self.assertEqual([json.loads(push["payload"])["aps"]["event"] for push in pushes], ["update", "update", "end"])
        self.assertEqual({push["channel-id"] for push in pushes}, {channel})
        self.assertEqual({push["push-type"] for push in pushes}, {"liveactivity"})
        self.assertTrue(all(int(push["expiration"]) > now() // 1000 for push in pushes))
        self.assertEqual(len({push["apns-id"] for push in pushes}), 3, "each push has a request id of its own")

    def test_a_channel_gets_each_broadcast_once(self) -> None:
        deployment = self.deployment()
        channel = self.play_match(deployment)
        self.assertEqual(deployment.simulator.stats()["broadcasts"], 3)
        seen = deployment.simulator.ask(f"channel {channel}")[0]
        self.assertEqual((seen["count"], seen["duplicates"], seen["refused"]), (3, 0, 0))
        self.assertEqual(json.loads(seen["payload"])["aps"]["event"], "end")

    def test_an_operator_sees_what_apple_calls_a_broadcast(self) -> None:
        deployment = self.deployment(records=True)
        self.play_match(deployment)
        pushes = deployment.pushes()
        trace = json.loads(command(deployment, "message", "trace", "1", "--channel", "--json"))
        self.assertEqual(trace["attempts"][0]["unique_id"], pushes[0]["unique-id"])
        self.assertIn(pushes[2]["unique-id"], command(deployment, "message", "trace", "3", "--channel"))

    def test_a_broadcast_to_a_deleted_channel_ends_without_a_channel(self) -> None:
        deployment = self.deployment()
        with deployment.client() as client:
            channel = client.create_channel(APP, "none")
            client.delete_channel(APP, channel)
            message = self.send(client, channel, goal(3))
            self.assertEqual(wait_finished(client, message), {"no-channel": 1})
            status = client.message_status(APP, message)
            self.assertEqual(status["audience"], f"channel {channel} of production")
            page = client.message_outcomes(APP, message)["recipients"]
            self.assertEqual([(each["device_id"], each["outcome"]) for each in page], [(0, "no-channel")])
            trace = client.trace(APP, message, 0)
            self.assertEqual((trace["outcome"], trace["attempts"][0]["reason"]), ("no-channel", "ChannelNotRegistered"))

    def test_a_push_in_the_sandbox_shows_what_apns_calls_it(self) -> None:
        deployment = self.deployment(records=True, simulator=("--environment", "sandbox"))
        with deployment.client() as client:
            token = register(client, 1)[0]
            message = client.send(APP, [token], PAYLOAD)["message_id"]
            self.assertEqual(wait_finished(client, message), {"delivered": 1})
            unique = client.trace(APP, message, token)["attempts"][0]["unique_id"]
            self.assertEqual([unique], [push["unique-id"] for push in deployment.pushes()])
        deployment.kill()
        deployment.start()
        with deployment.client() as client:
            self.assertEqual(client.trace(APP, message, token)["attempts"][0]["unique_id"], unique)

    def test_a_message_that_no_channel_can_get_is_refused_at_once(self) -> None:
        deployment = self.deployment()
        with deployment.client() as client:
            channel = client.create_channel(APP, "none")

            def refused(field: str, payload: Any = None, push_type: str = "liveactivity", **options: Any) -> None:
                with self.assertRaises(crln.CarillonError) as caught:
                    client.send_to(APP, payload or goal(1), channel=channel, push_type=push_type, **options)
                self.assertEqual((caught.exception.code, caught.exception.field), ("INVALID_ARGUMENT", field))

            start = goal(1, "start")
            start["aps"].update({"attributes-type": "Match", "attributes": {}, "alert": {"title": "Kick-off"}})
            refused("expiration")
            refused("audience", PAYLOAD, "alert", expiration=0)
            refused("payload", start, expiration=0)
            refused("collapse_id", expiration=0, collapse_id="score")
            refused("except", expiration=0, except_device=1)
            # The start of an activity that follows a channel names one that can be.
            start["aps"]["input-push-channel"] = "no channel"
            with self.assertRaises(crln.CarillonError) as caught:
                client.send_to(APP, start, all_devices=True, push_type="liveactivity")
            self.assertEqual(caught.exception.field, "payload")
            self.assertEqual(deployment.simulator.stats()["broadcasts"], 0)

    def test_a_broadcast_is_tried_again_until_apns_accepts_it(self) -> None:
        deployment = self.deployment()
        with deployment.client() as client:
            channel = client.create_channel(APP, "none")
            deployment.simulator.add_rules(status=503, reason="ServiceUnavailable", about="channels", times=2)
            deployment.simulator.add_rules(status=429, reason="TooManyRequests", about="channels", times=1)
            message = self.send(client, channel, goal(1))
            self.assertEqual(wait_finished(client, message), {"delivered": 1})
            self.assertEqual(deployment.simulator.ask(f"channel {channel}")[0]["count"], 1)
            attempts = client.trace(APP, message, 0)["attempts"]
            self.assertEqual(sorted(each["status"] for each in attempts), [200, 429, 503, 503])

    def test_a_lost_answer_is_asked_for_again_with_the_same_id(self) -> None:
        deployment = self.deployment(records=True)
        with deployment.client() as client:
            channel = client.create_channel(APP, "none")
            deployment.simulator.add_rules(fault="reset", nth=1)
            message = self.send(client, channel, goal(1))
            self.assertEqual(wait_finished(client, message), {"delivered": 1})
            self.assertEqual(len({push["apns-id"] for push in deployment.pushes()}), 1)

    def test_a_broadcast_survives_a_crash(self) -> None:
        deployment = self.deployment()
        with deployment.client() as client:
            channel = client.create_channel(APP, "none")
            deployment.simulator.add_rules(status=503, reason="ServiceUnavailable", about="channels")
            message = self.send(client, channel, goal(1))
            eventually(lambda: deployment.simulator.stats()["rejected"].get("ServiceUnavailable"), "it was tried")
        deployment.kill()
        deployment.simulator.ask("calm")
        deployment.start()
        with deployment.client() as client:
            self.assertEqual(wait_finished(client, message), {"delivered": 1})

    def test_a_broadcast_that_apns_refuses_ends(self) -> None:
        deployment = self.deployment()
        with deployment.client() as client:
            channel = client.create_channel(APP, "none")
            for reason, status, outcome in (("FeatureNotEnabled", 400, "topic-disallowed"),
                                            ("TopicMismatch", 403, "topic-disallowed"),
                                            ("BadChannelId", 400, "bad-request")):
                deployment.simulator.add_rules(status=status, reason=reason, about="channels", times=1)
                self.assertEqual(wait_finished(client, self.send(client, channel, goal(1))), {outcome: 1})
            # The channel stores nothing, so APNs takes 0 only.
            late = self.send(client, channel, goal(1), expiration=now() // 1000 + 3600)
            self.assertEqual(wait_finished(client, late), {"bad-request": 1})

    def test_a_broadcast_is_scheduled_cancelled_and_repeated_like_other_messages(self) -> None:
        deployment = self.deployment()
        with deployment.client() as client:
            channel = client.create_channel(APP, "none")
            key = os.urandom(16)
            message = self.send(client, channel, goal(1), key=key, send_at=now() + 3_600_000)
            self.assertEqual(client.message_status(APP, message)["state"], "scheduled")
            client.update_message(APP, message, "cancel")
            self.assertEqual(wait_finished(client, message), {"cancelled": 1})
            payload = goal(2)
            first = client.send_to(APP, payload, channel=channel, push_type="liveactivity", expiration=0, key=bytes(
                reversed(key)))
            again = client.send_to(APP, payload, channel=channel, push_type="liveactivity", expiration=0, key=bytes(
                reversed(key)))
            self.assertEqual((first["message_id"], True), (again["message_id"], again["duplicate"]))
            self.assertEqual(wait_finished(client, first["message_id"]), {"delivered": 1})
            trial = client.send_to(APP, payload, channel=channel, push_type="liveactivity", expiration=0, dry_run=True)
            self.assertEqual((trial["message_id"], trial["total"]), (0, 1))
            resent = client.resend(APP, message, ["cancelled"])
            self.assertEqual(resent["total"], 0)


if __name__ == "__main__":
    unittest.main()
