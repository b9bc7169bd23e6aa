"""Browsers: a real carillond sends to push-simulator, which is as strict as push services and decrypts as browsers
do."""
from __future__ import annotations

import json
import os
import subprocess
import unittest
from typing import Any, Dict

from support.deployment import APP, OTHER_APP, crln, eventually
from support.environment import PROGRAMS
from support.operations import wait_metric
from support.providers.android import PAYLOAD, android, register_android
from support.providers.browsers import BrowserDeployment, browser_options, browsers, register_browsers
from support.system_test_case import SystemTestCase, now, register, wait_finished

TITLES = {"zh": {"aps": {"alert": {"title": "完成", "body": "城堡已建好"}}}}
MISMATCH = ("the VAPID credentials in the authorization header do not correspond to the credentials used to create the "
            "subscriptions.")


class BrowserTestCase(SystemTestCase):
    def browser_deployment(self, *arguments: Any, **options: Any) -> BrowserDeployment:
        """Starts a deployment that ends with the test."""
        deployment = BrowserDeployment(*arguments, **options)
        self.addCleanup(deployment.stop)
        return deployment


class BrowserSendingTests(BrowserTestCase):
    """One send for every provider."""

    def test_a_message_reaches_the_phones_and_the_browser_of_a_player(self) -> None:
        deployment = self.browser_deployment()
        with deployment.client() as client:
            phone = register(client, 1)
            [token] = register_android(client, 1, locale="zh-TW")
            [page] = register_browsers(client, deployment.push_simulator.subscriptions[:1], locale="zh-Hans-CN")
            client.join(APP, "player:7", [phone[0], *android([token]), page])
            message = client.send_to(APP, PAYLOAD, groups=["player:7"], bodies=TITLES, id_key="id")["message_id"]
            self.assertEqual(wait_finished(client, message), {"delivered": 3})
            # Signed out, the browser gets nothing more of the account.
            client.leave(APP, "player:7", [page])
            second = client.send_to(APP, PAYLOAD, groups=["player:7"])["message_id"]
            self.assertEqual(wait_finished(client, second), {"delivered": 2})
        self.assertEqual(deployment.simulator.accepted_count(phone[0]), 2)
        received = deployment.received(0)
        self.assertEqual(received["notification"], {
            "title": "完成", "body": "城堡已建好", "lang": "zh", "data": {"id": str(message)}})
        self.assertEqual(deployment.push_simulator.browser(0)["count"], 1)
        stats = deployment.push_simulator.stats()
        self.assertEqual((stats["violations"], stats["web"]["unreadable"]), (0, 0))

    def test_the_headers_follow_from_the_message(self) -> None:
        deployment = self.browser_deployment()
        with deployment.client() as client:
            [page] = register_browsers(client, deployment.push_simulator.subscriptions[:1])
            payload = {**PAYLOAD, "navigate": "https://game.example.com/castle"}
            for _ in range(2):
                message = client.send(APP, [page], payload, collapse_id="castle", priority=5,
                                      expiration=0)["message_id"]
                self.assertEqual(wait_finished(client, message), {"delivered": 1})
        browser = deployment.push_simulator.browser(0)
        self.assertEqual((browser["ttl"], browser["urgency"], len(browser["topic"])), ("0", "normal", 32))
        self.assertEqual(browser["replaced"], 1)
        received = deployment.received(0)
        self.assertEqual(received["web_push"], 8030)
        self.assertEqual(received["notification"]["navigate"], "https://game.example.com/castle")
        self.assertEqual(received["notification"]["tag"], "castle")

    def test_browsers_get_the_content_that_is_given_for_them_alone(self) -> None:
        deployment = self.browser_deployment()
        with deployment.client() as client:
            phone = register(client, 1)
            [page] = register_browsers(client, deployment.push_simulator.subscriptions[:1])
            own = {"ttl": 60, "urgency": "low", "topic": "castle7", "notification": {
                "navigate": "https://game.example.com/castle", "icon": "/icon.png", "title": "Built",
                "actions": [{"action": "visit", "title": "Visit"}]}}
            message = client.send(APP, [*phone, page], PAYLOAD, expiration=0, web=own)["message_id"]
            self.assertEqual(wait_finished(client, message), {"delivered": 2})
            browser = deployment.push_simulator.browser(0)
            self.assertEqual((browser["ttl"], browser["urgency"], browser["topic"]), ("60", "low", "castle7"))
            self.assertEqual(deployment.received(0), {"web_push": 8030, "notification": {
                "title": "Built", "body": "Your castle is ready", "data": {"castle": "7"}, **own["notification"]}})
            # It is on disk, so a server that starts again sends the same.
            message = client.send(APP, [*phone, page], PAYLOAD, web_raw={"castle": 7},
                                  send_at=now() + 3_000)["message_id"]
            deployment.kill()
        deployment.start()
        with deployment.client() as client:
            self.assertEqual(wait_finished(client, message), {"delivered": 2})
            self.assertEqual(deployment.received(0), {"castle": 7})
            for web in ({"ttl": "60s"}, {"notification": {"navigate": "/castle"}}):
                with self.assertRaises(crln.CarillonError) as caught:
                    client.send(APP, [page], PAYLOAD, web=web)
                self.assertEqual((caught.exception.code, caught.exception.field), ("INVALID_ARGUMENT", "web"))

    def test_many_browsers_get_the_message_once(self) -> None:
        deployment = self.browser_deployment(300, push_flags=["--delay-milliseconds", "20"])
        with deployment.client() as client:
            pages = register_browsers(client, deployment.push_simulator.subscriptions)
            message = client.send(APP, pages, PAYLOAD, lane="bulk")["message_id"]
            self.assertEqual(wait_finished(client, message), {"delivered": 300})
        stats = deployment.push_simulator.stats()
        self.assertEqual((stats["web"]["browsers"], stats["web"]["accepted"], stats["violations"]), (300, 300, 0))

    def test_a_push_service_out_of_reach_holds_up_no_other(self) -> None:
        deployment = self.browser_deployment(flags=["--web-push-hosts", "nowhere.invalid"])
        lost = {**deployment.push_simulator.subscriptions[1], "endpoint": "https://nowhere.invalid/push/1"}
        with deployment.client() as client:
            pages = register_browsers(client, [lost, deployment.push_simulator.subscriptions[0]])
            phone = register(client, 1)
            message = client.send(APP, [*pages, *phone], PAYLOAD)["message_id"]
            eventually(lambda: client.message_status(APP, message)["outcomes"] == {"delivered": 2, "pending": 1},
                       "the others have it")

    def test_a_silent_push_is_of_the_wrong_kind_for_a_browser(self) -> None:
        deployment = self.browser_deployment()
        with deployment.client() as client:
            pages = register_browsers(client, deployment.push_simulator.subscriptions[:1])
            message = client.send(APP, pages, {"aps": {"content-available": 1}}, push_type="background")["message_id"]
            self.assertEqual(wait_finished(client, message), {"wrong-kind": 1})

    def test_content_that_browsers_cannot_show_is_refused_by_its_name(self) -> None:
        deployment = self.browser_deployment()
        with deployment.client() as client, self.assertRaises(crln.CarillonError) as refused:
            client.send(APP, browsers(deployment.push_simulator.subscriptions), {"aps": {"alert": {"loc-key": "DONE"}}})
        self.assertEqual((refused.exception.code, refused.exception.field), ("INVALID_ARGUMENT", "payload"))

    def test_metrics_of_browsers_have_their_own_names(self) -> None:
        deployment = self.browser_deployment()
        with deployment.client() as client:
            pages = register_browsers(client, deployment.push_simulator.subscriptions)
            wait_finished(client, client.send(APP, pages, PAYLOAD)["message_id"])
        pool = 'credential="browsers",environment="production"'
        wait_metric(deployment, f'carillon_web_answers_total{{{pool},status="201",reason=""}}', 3)


class BrowserRegistrationTests(BrowserTestCase):
    """What is a subscription, and what becomes of it."""

    def refusal(self, deployment: BrowserDeployment, **changes: Any) -> Any:
        """Returns the code and the field of a registration that is refused."""
        with deployment.client() as client, self.assertRaises(crln.CarillonError) as refused:
            client.register(**{**browser_options(deployment.push_simulator.subscriptions[0]), **changes})
        return refused.exception.code, refused.exception.field

    def test_a_subscription_that_cannot_be_sent_to_is_refused(self) -> None:
        deployment = self.browser_deployment()
        subscription = deployment.push_simulator.subscriptions[0]

        def changed(**changes: Any) -> Dict[str, Any]:
            made: Dict[str, Any] = {**subscription, **changes}
            return {"subscription": made, "token": crln.browser_token(made["endpoint"])}

        off_curve = {**subscription["keys"], "p256dh": subscription["keys"]["p256dh"][:-4] + "AAAA"}
        for changes in (changed(endpoint="https://push.example.com/1"), changed(endpoint="https://localhost/push/1"),
                        changed(endpoint="http://fcm.googleapis.com/x"), changed(keys=off_curve),
                        {"subscription": None}):
            self.assertEqual(self.refusal(deployment, **changes), ("INVALID_ARGUMENT", "subscription"))
        self.assertEqual(self.refusal(deployment, token=bytes(32)), ("INVALID_ARGUMENT", "token"))
        self.assertEqual(self.refusal(deployment, app=OTHER_APP), ("INVALID_ARGUMENT", "kind"))

    def test_an_address_of_this_machine_is_never_connected_to(self) -> None:
        deployment = self.browser_deployment(allows=False, flags=None)
        # The name is allowed, and it is not said that its address may be one of the own network.
        deployment.start("--web-push-hosts", f"localhost:{deployment.push_simulator.port}")
        with deployment.client() as client:
            pages = register_browsers(client, deployment.push_simulator.subscriptions[:1])
            message = client.send(APP, pages, PAYLOAD)["message_id"]
            eventually(lambda: "addresses that are not public" in deployment.log(), "the log speaks of it")
            self.assertEqual(client.message_status(APP, message)["outcomes"], {"pending": 1})
        self.assertEqual(deployment.push_simulator.stats()["connections-ever"], 0)

    def test_a_new_subscription_takes_the_place_of_the_old_one(self) -> None:
        deployment = self.browser_deployment()
        old, new = deployment.push_simulator.subscriptions[:2]
        with deployment.client() as client:
            register_browsers(client, [old], groups=["player:7"])
            options = browser_options(new, replaces=crln.browser_token(old["endpoint"]))
            self.assertEqual(client.register(**options)["result"], "replaced")
            message = client.send_to(APP, PAYLOAD, groups=["player:7"])["message_id"]
            self.assertEqual(wait_finished(client, message), {"delivered": 1})
        self.assertEqual([deployment.push_simulator.browser(each)["count"] for each in (0, 1)], [0, 1])

    def test_subscriptions_survive_a_kill_an_export_and_a_check(self) -> None:
        deployment = self.browser_deployment()
        with deployment.client() as client:
            pages = register_browsers(client, deployment.push_simulator.subscriptions)
            client.unregister(APP, pages[2])
        deployment.kill()
        deployment.start()
        with deployment.client() as client:
            message = client.send(APP, pages[:2], PAYLOAD)["message_id"]
            self.assertEqual(wait_finished(client, message), {"delivered": 2})
        self.assertEqual(deployment.terminate(), 0)
        dump, data = str(PROGRAMS / "carillon-dump"), deployment.keys.path("data")
        archive, restored = deployment.keys.path("export.jsonl"), deployment.keys.path("restored")
        for command in (["verify", "--data", data],
                        ["export", archive, "--app", APP, "--data", data],
                        ["import", archive, "--data", restored], ["verify", "--data", restored]):
            subprocess.run([dump, *command], check=True, capture_output=True)
        text = (deployment.folder / "export.jsonl").read_text()
        self.assertEqual(text.count(deployment.push_simulator.subscriptions[0]["endpoint"]), 1)
        self.assertNotIn(deployment.push_simulator.subscriptions[2]["endpoint"], text)

    def test_a_browser_is_registered_and_imported_on_the_command_line(self) -> None:
        deployment = self.browser_deployment()
        server = ["--server", f"127.0.0.1:{deployment.port}", "--plaintext", "--api-key-file",
                  str(deployment.api_key_file)]
        one, other = deployment.push_simulator.subscriptions[:2]
        deployment.write("subscription.json", one)
        for command in (["register", "--app", APP, "--web-subscription", deployment.keys.path("subscription.json")],
                        ["register", "--app", APP, "--web-subscription", json.dumps(one)]):
            done = subprocess.run([str(PROGRAMS / "carillon"), *command, *server], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
        (deployment.folder / "devices.jsonl").write_text(json.dumps({"subscription": other}) + "\n")
        done = subprocess.run(
            [str(PROGRAMS / "carillon"), "import", "--app", APP, deployment.keys.path("devices.jsonl"), *server],
            capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        with deployment.client() as client:
            message = client.send_to(APP, PAYLOAD, condition="platform == 'web'")["message_id"]
            self.assertEqual(wait_finished(client, message), {"delivered": 2})


class BrowserAnswersTests(BrowserTestCase):
    """What a push service says about a subscription or a message."""

    def outcome_of(self, push_service: str = "google", **rule: Any) -> Any:
        """Sends to a browser that has a rule, and to another; returns the browser's outcome and its state."""
        deployment = self.browser_deployment(push_flags=["--push-service", push_service])
        with deployment.client() as client:
            first, other = register_browsers(client, deployment.push_simulator.subscriptions[:2])
            wait_finished(client, client.send(APP, [other], PAYLOAD)["message_id"])
            id = deployment.push_simulator.subscriptions[0]["endpoint"].rpartition("/")[2]
            if "state" in rule:
                deployment.push_simulator.add_rules(subscription=id, **rule)
            else:
                deployment.push_simulator.add_rules(prefix=id, service="web", **rule)
            message = client.send(APP, [first, other], PAYLOAD)["message_id"]
            outcomes = wait_finished(client, message)
            self.assertEqual(outcomes.pop("delivered"), 1)
            return outcomes, client.lookup(APP, first)["state"]

    def test_a_subscription_that_is_gone_is_quarantined(self) -> None:
        ended = ({"token-unregistered": 1}, "quarantined")
        for service in ("google", "mozilla", "apple", "windows"):
            self.assertEqual(self.outcome_of(service, state="gone"), ended, service)

    def test_a_subscription_of_another_key_is_quarantined_if_ours_is_known_to_be_good(self) -> None:
        self.assertEqual(self.outcome_of(status=403, message=MISMATCH), ({"token-not-for-topic": 1}, "quarantined"))

    def test_a_request_that_is_refused_keeps_the_browser(self) -> None:
        self.assertEqual(self.outcome_of(status=400, message="no"), ({"bad-request": 1}, "active"))

    def test_a_message_that_is_too_large_keeps_the_browser(self) -> None:
        self.assertEqual(self.outcome_of(status=413), ({"payload-too-large": 1}, "active"))

    def test_browsers_are_kept_when_most_of_them_seem_to_be_gone(self) -> None:
        deployment = self.browser_deployment(200)
        with deployment.client() as client:
            pages = register_browsers(client, deployment.push_simulator.subscriptions)
            for subscription in deployment.push_simulator.subscriptions:
                browser_id = subscription["endpoint"].rpartition("/")[2]
                deployment.push_simulator.add_rules(subscription=browser_id, state="gone")
            message = client.send(APP, pages, PAYLOAD)["message_id"]
            self.assertEqual(wait_finished(client, message), {"token-unregistered": 200})
            # Until the breaker opens, some are.
            self.assertLess(len(client.quarantine(APP)["devices"]), 150)
        self.assertIn("Web Push calls many tokens bad", deployment.log())

    def test_a_key_that_no_service_takes_stops_the_browsers_and_no_others(self) -> None:
        deployment = self.browser_deployment()
        deployment.push_simulator.add_rules(status=403, service="web", message="invalid JWT provided")
        with deployment.client() as client:
            pages, phone = register_browsers(client, deployment.push_simulator.subscriptions), register(client, 1)
            message = client.send(APP, [*pages, *phone], PAYLOAD)["message_id"]
            eventually(lambda: "Web Push refuses the credential" in deployment.log(), "the log speaks of it")
            eventually(lambda: client.message_status(APP, message)["outcomes"] == {"delivered": 1, "pending": 3},
                       "the phone has it")
            self.assertEqual(client.quarantine(APP)["devices"], [])


class VAPIDKeysTests(BrowserTestCase):
    """The keys that sign for browsers: made, read and replaced."""

    def test_a_key_is_made_once_and_only_its_owner_may_read_it(self) -> None:
        deployment = self.browser_deployment(flags=None)
        self.assertEqual(os.stat(deployment.keys.path("vapid.pem")).st_mode & 0o777, 0o600)
        self.assertEqual(len(deployment.public_key), 87)
        self.assertEqual(deployment.make_vapid("vapid.pem"), deployment.public_key)
        (deployment.folder / "vapid.pem").chmod(0o644)
        self.assertIn("vapid.pem", deployment.refused_start())

    def test_a_new_key_reaches_new_subscriptions_and_empties_no_registry(self) -> None:
        deployment = self.browser_deployment()
        with deployment.client() as client:
            pages = register_browsers(client, deployment.push_simulator.subscriptions[:2])
            # The simulator binds a subscription to the first key that it sees.
            wait_finished(client, client.send(APP, pages[:1], PAYLOAD)["message_id"])
            deployment.make_vapid("second.pem")
            apps = json.loads((deployment.folder / "apps.json").read_text())
            apps["credentials"]["browsers"]["vapidKeyFile"] = "second.pem"
            deployment.write("apps.json", apps)
            self.assertEqual(deployment.terminate(), 0)
        deployment.start()
        with deployment.client() as client:
            message = client.send(APP, pages[:1], PAYLOAD)["message_id"]
            # It is not known yet whether the key or the subscription is at fault.
            self.assertEqual(wait_finished(client, message), {"forbidden": 1})
            self.assertEqual(client.lookup(APP, pages[0])["state"], "active")
            wait_finished(client, client.send(APP, pages[1:], PAYLOAD)["message_id"])
            message = client.send(APP, pages[:1], PAYLOAD)["message_id"]
            self.assertEqual(wait_finished(client, message), {"token-not-for-topic": 1})
            self.assertEqual(client.lookup(APP, pages[0])["state"], "quarantined")


if __name__ == "__main__":
    unittest.main()
