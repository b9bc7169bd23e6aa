"""Android devices: a real carillond sends to push-simulator, which is as strict as FCM."""
from __future__ import annotations

import json
import time
import unittest
from typing import Any

from support.deployment import APP, OTHER_APP, crln, eventually
from support.operations import wait_metrics
from support.providers.android import PAYLOAD, AndroidDeployment, android, android_token, register_android
from support.system_test_case import SystemTestCase, register, wait_finished

REFUSAL = json.dumps({"error": "invalid_grant", "error_description": "Invalid JWT Signature."})


class AndroidTestCase(SystemTestCase):
    """A test with Android devices."""

    def android_deployment(self, **options: Any) -> AndroidDeployment:
        """Starts a deployment that ends with the test."""
        deployment = AndroidDeployment(**options)
        self.addCleanup(deployment.stop)
        return deployment


class AndroidSendingTests(AndroidTestCase):
    """One send for both providers."""

    def test_a_message_reaches_the_iphone_and_the_android_phone_of_a_player(self) -> None:
        deployment = self.android_deployment()
        with deployment.client() as client:
            phone = register(client, 1)
            [token] = register_android(client, 1)
            client.join(APP, "player:7", [phone[0], *android([token])])
            message = client.send_to(APP, PAYLOAD, groups=["player:7"], id_key="id")["message_id"]
            self.assertEqual(wait_finished(client, message), {"delivered": 2})
        self.assertEqual(deployment.simulator.accepted_count(phone[0]), 1)
        record = deployment.push_simulator.ask("device " + token)
        self.assertEqual(record["count"], 1)
        sent = json.loads(record["payload"])["message"]
        self.assertEqual(sent["token"], token)
        self.assertEqual(sent["notification"], PAYLOAD["aps"]["alert"])
        self.assertEqual(sent["data"], {"castle": "7", "id": str(message)})
        # No rule of Google's front end was broken, and there was one access token.
        stats = deployment.push_simulator.stats()
        self.assertEqual((stats["violations"], stats["early-requests"], stats["oauth"]["issued"]), (0, 0, 1))

    def test_each_device_gets_its_language_and_a_phone_that_signed_out_gets_nothing(self) -> None:
        deployment = self.android_deployment()
        with deployment.client() as client:
            phone = register(client, 1)
            chinese, english, gone = (register_android(client, 1, locale=locale)[0] for locale in ("zh-TW", "en", "en"))
            client.join(APP, "player:7", [phone[0], *android([chinese, english, gone])])
            client.leave(APP, "player:7", android([gone]))
            bodies = {"zh": {"aps": {"alert": {"title": "完成", "body": "城堡已建好"}}}}
            message = client.send_to(APP, PAYLOAD, groups=["player:7"], bodies=bodies)["message_id"]
            self.assertEqual(wait_finished(client, message), {"delivered": 3})
        for token, title in ((chinese, "完成"), (english, "Build done")):
            message = json.loads(deployment.push_simulator.ask("device " + token)["payload"])["message"]
            self.assertEqual(message["notification"]["title"], title)
        self.assertEqual(deployment.push_simulator.ask("device " + gone).get("count", 0), 0)

    def test_a_project_with_a_small_quota_holds_up_no_phone_of_apple(self) -> None:
        deployment = self.android_deployment(messages_per_minute=60)
        with deployment.client() as client:
            phones, tokens = register(client, 200), register_android(client, 50)
            began = time.monotonic()
            message = client.send(APP, [*android(tokens), *phones], PAYLOAD, lane="bulk")["message_id"]
            status = eventually(lambda: (lambda now: now if now["outcomes"].get("delivered", 0) >= 200 else None)(
                client.message_status(APP, message)), "Apple's phones have the message")
            # New traffic begins with a sixtieth of the quota: one message a second at most comes to it.
            allowed = 10 + time.monotonic() - began
            self.assertLess(deployment.push_simulator.stats()["fcm"]["accepted"], allowed)
            self.assertGreater(status["outcomes"].get("pending", 0), 50 - allowed)

    def test_many_devices_get_the_message_once(self) -> None:
        deployment = self.android_deployment(push_flags=["--delay-milliseconds", "20"])
        with deployment.client() as client:
            tokens = register_android(client, 300)
            message = client.send(APP, android(tokens), PAYLOAD, lane="bulk")["message_id"]
            self.assertEqual(wait_finished(client, message), {"delivered": 300})
        stats = deployment.push_simulator.stats()
        self.assertEqual((stats["fcm"]["devices"], stats["fcm"]["duplicates"], stats["violations"]), (300, 0, 0))

    def test_an_app_without_a_service_account_takes_no_android_device(self) -> None:
        deployment = self.android_deployment()
        with deployment.client() as client, self.assertRaises(crln.CarillonError) as refused:
            client.register(OTHER_APP, android_token().encode(), kind="fcm")
        self.assertEqual(refused.exception.code, "INVALID_ARGUMENT")

    def test_metrics_of_each_provider_have_their_own_names(self) -> None:
        deployment = self.android_deployment()
        with deployment.client() as client:
            phones, tokens = register(client, 2), register_android(client, 3)
            message = client.send(APP, [*phones, *android(tokens)], PAYLOAD)["message_id"]
            wait_finished(client, message)
        pool = 'credential="firebase",environment="production"'
        now = wait_metrics(deployment, {
            f'carillon_outcomes_total{{app="{APP}",outcome="delivered"}}': 5,
            f'carillon_fcm_answers_total{{{pool},status="200",reason=""}}': 3,
            'carillon_apns_answers_total{credential="main",environment="production",status="200",reason=""}': 2})
        self.assertGreater(now[f"carillon_fcm_access_token_remaining_seconds{{{pool}}}"], 3_000)
        self.assertGreater(now[f"carillon_fcm_quota_messages_per_minute{{{pool}}}"], 0)


class AndroidAnswersTests(AndroidTestCase):
    """What FCM says about a device or a message."""

    def outcome_of(self, **rule: Any) -> Any:
        """Sends to a device that has a rule, and to another; returns the device's outcome and its state."""
        deployment = self.android_deployment()
        with deployment.client() as client:
            [token] = register_android(client, 1, "d")
            [other] = register_android(client, 1)
            if "state" in rule:
                deployment.push_simulator.add_rules(token=token, **rule)
            else:
                deployment.push_simulator.add_rules(prefix="d", service="fcm", **rule)
            message = client.send(APP, android([token, other]), PAYLOAD)["message_id"]
            outcomes = wait_finished(client, message)
            self.assertEqual(outcomes.pop("delivered"), 1)
            return outcomes, client.lookup(APP, android([token])[0])["state"]

    def test_an_unregistered_device_is_quarantined(self) -> None:
        self.assertEqual(self.outcome_of(state="unregistered"), ({"token-unregistered": 1}, "quarantined"))

    def test_a_device_of_another_project_is_kept(self) -> None:
        self.assertEqual(self.outcome_of(state="sender-mismatch"), ({"forbidden": 1}, "active"))

    def test_an_invalid_argument_elsewhere_keeps_the_device(self) -> None:
        self.assertEqual(self.outcome_of(status=400, code="INVALID_ARGUMENT"), ({"bad-request": 1}, "active"))

    def test_devices_are_kept_when_most_of_them_seem_to_be_gone(self) -> None:
        deployment = self.android_deployment()
        with deployment.client() as client:
            tokens = register_android(client, 200, "d")
            for token in tokens:
                deployment.push_simulator.add_rules(token=token, state="unregistered")
            message = client.send(APP, android(tokens), PAYLOAD)["message_id"]
            self.assertEqual(wait_finished(client, message), {"token-unregistered": 200})
            # Until the breaker opens, some are.
            self.assertLess(len(client.quarantine(APP)["devices"]), 100)
        self.assertIn("FCM calls many tokens bad", deployment.log())

    def test_a_quota_is_respected(self) -> None:
        deployment = self.android_deployment()
        deployment.push_simulator.add_rules({"status": 429, "service": "fcm", "info": "RATE_LIMIT_EXCEEDED", "times": 3,
                                             "retry-after": 2})
        with deployment.client() as client:
            tokens = register_android(client, 20)
            message = client.send(APP, android(tokens), PAYLOAD)["message_id"]
            self.assertEqual(wait_finished(client, message), {"delivered": 20})
        stats = deployment.push_simulator.stats()
        self.assertEqual((stats["early-requests"], stats["fcm"]["duplicates"]), (0, 0))


class AndroidAccessTokensTests(AndroidTestCase):
    """Access tokens of the service account."""

    def test_messages_wait_for_the_token_endpoint(self) -> None:
        deployment = self.android_deployment()
        deployment.push_simulator.add_rules(status=503, service="oauth")
        with deployment.client() as client:
            tokens = register_android(client, 3)
            message = client.send(APP, android(tokens), PAYLOAD)["message_id"]
            eventually(lambda: "no access token could be requested" in deployment.log(), "the log speaks of it")
            self.assertEqual(client.message_status(APP, message)["outcomes"], {"pending": 3})
            deployment.push_simulator.ask("calm")
            self.assertEqual(wait_finished(client, message), {"delivered": 3})

    def test_a_revoked_token_is_replaced(self) -> None:
        deployment = self.android_deployment()
        with deployment.client() as client:
            tokens = register_android(client, 2)
            for _ in range(2):
                message = client.send(APP, android(tokens), PAYLOAD)["message_id"]
                self.assertEqual(wait_finished(client, message), {"delivered": 2})
                deployment.push_simulator.ask("revoke")
        self.assertEqual(deployment.push_simulator.stats()["oauth"]["issued"], 2)

    def test_a_refused_service_account_stops_its_messages_and_no_others(self) -> None:
        deployment = self.android_deployment()
        deployment.push_simulator.add_rules(status=400, service="oauth", message=REFUSAL)
        with deployment.client() as client:
            phone, tokens = register(client, 1), register_android(client, 3)
            message = client.send(APP, android(tokens), PAYLOAD)["message_id"]
            eventually(lambda: "FCM refuses the credential" in deployment.log(), "the log speaks of it")
            self.assertIn("Invalid JWT Signature", deployment.log())
            other = client.send(APP, phone, PAYLOAD)["message_id"]
            self.assertEqual(wait_finished(client, other), {"delivered": 1})
            self.assertEqual(client.message_status(APP, message)["outcomes"], {"pending": 3})
            self.assertEqual(client.quarantine(APP)["devices"], [])

    def test_two_quotas_for_one_project_are_refused(self) -> None:
        deployment = self.android_deployment(flags=None)
        apps = json.loads((deployment.folder / "apps.json").read_text())
        apps["credentials"]["second"] = {**apps["credentials"]["firebase"], "messagesPerMinute": 6_000}
        deployment.write("apps.json", apps)
        self.assertIn("a project has one quota", deployment.refused_start())

    def test_a_key_file_that_others_can_read_is_refused(self) -> None:
        deployment = self.android_deployment(flags=None)
        (deployment.push_simulator.folder / "account.json").chmod(0o644)
        self.assertIn("account.json", deployment.refused_start())


if __name__ == "__main__":
    unittest.main()
