"""A foreign APNs, on Python's h2, that behaves oddly: carillond must deliver all the same. The table of its behaviours
is support/providers/foreign_scenarios.py."""
from __future__ import annotations

import json
import subprocess
import threading
import unittest
from collections import Counter
from typing import Any, Dict, List, Tuple

from support.deployment import APP, OTHER_APP, ROOT, Deployment, crln, eventually
from support.environment import SYSTEM_PYTHON, TIMEOUT_SECONDS
from support.operations import metrics, reload, wait_metric
from support.system_test_case import PAYLOAD, SystemTestCase, register, wait_finished

POOL = 'credential="main",environment="production"'


class ForeignAPNs:
    """A foreign APNs that runs, and what it has reported."""

    def __init__(self, scenario: str, deployment: Deployment) -> None:
        self.process = subprocess.Popen(
            [SYSTEM_PYTHON, str(ROOT / "Tests/SystemTests/support/providers/foreign_apns.py"), scenario,
             deployment.keys.path("apns.pem"), deployment.keys.path("apns.key")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        port = self.process.stdout.readline()
        if not port:
            raise AssertionError("the foreign APNs did not start: is python3-h2 installed?")
        self.port = int(port)
        self.lines: List[Dict[str, Any]] = []
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self) -> None:
        for line in self.process.stdout:
            self.lines.append(json.loads(line))

    @property
    def pushes(self) -> List[Dict[str, Any]]:
        """The pushes that have come."""
        return [line for line in list(self.lines) if "token" in line]

    def wait(self, count: int) -> None:
        """Waits until it has reported `count` pushes: its lines come after its answers."""
        eventually(lambda: len(self.pushes) >= count, f"{count} pushes are reported")

    @property
    def connections(self) -> List[float]:
        """When each connection was made, by its own clock."""
        return [line["at"] for line in list(self.lines) if "at" in line]

    def stop(self) -> None:
        """Ends the process."""
        self.process.kill()
        self.process.communicate()


class ForeignAPNsTests(SystemTestCase):
    """One scenario a test."""

    def start(self, scenario: str, *flags: str) -> Tuple[Deployment, ForeignAPNs]:
        """Starts a foreign APNs and a server that pushes to it."""
        deployment = self.deployment(simulator=None, flags=None)
        apns = ForeignAPNs(scenario, deployment)
        self.addCleanup(apns.stop)
        deployment.start(*flags, apns_port=apns.port)
        return deployment, apns

    def deliver(self, deployment: Deployment, count: int, payload: Any = PAYLOAD) -> Dict[str, int]:
        """Sends to new devices and returns the outcomes."""
        with deployment.client() as client:
            return wait_finished(client, client.send(APP, register(client, count), payload)["message_id"])

    def check_pushes(self, apns: ForeignAPNs, least: int) -> None:
        """Waits until `least` pushes have come, and asserts that none was malformed."""
        apns.wait(least)
        self.assertEqual([push["fault"] for push in apns.pushes if push["fault"]], [])

    # Connections that take nothing, or end soon

    def test_a_fifth_connection_delivers_if_four_allow_no_stream(self) -> None:
        deployment, apns = self.start("StreamsZeroForEverOnFour", "--apns-answer-timeout-seconds", "2")
        self.assertEqual(self.deliver(deployment, 10), {"delivered": 10})
        self.check_pushes(apns, 10)
        self.assertEqual({push["connection"] for push in apns.pushes}, {5})
        self.assertIn("APNs takes no pushes on it", deployment.log())

    def test_other_connections_deliver_if_a_window_is_never_given_back(self) -> None:
        deployment, apns = self.start("ConnectionWindowNeverGiven", "--apns-answer-timeout-seconds", "2",
                                      "--apns-maximum-connections", "2")
        large = {"aps": {"alert": "x" * 4_000}}
        self.assertEqual(self.deliver(deployment, 60, large), {"delivered": 60})
        self.check_pushes(apns, 60)
        # Sixteen such bodies fit into a window that is never opened again.
        self.assertLessEqual(max(Counter(push["connection"] for push in apns.pushes).values()), 16)
        self.assertEqual(len({push["token"] for push in apns.pushes}), len(apns.pushes), "a push came twice")

    def test_pauses_double_between_connections_that_die(self) -> None:
        deployment, apns = self.start("DiesAfterTheFirstAnswer")
        self.assertEqual(self.deliver(deployment, 4), {"delivered": 4})
        apns.wait(4)
        made = apns.connections
        # The pauses double: at least half of one, two and four seconds. A busy APNs notes a connection late.
        self.assertGreaterEqual(made[3] - made[0], 1)
        self.assertIn("APNs closed the connection", deployment.log())

    def test_an_idle_server_has_no_connection(self) -> None:
        deployment, apns = self.start("OtherSuccess")
        with deployment.client() as client:
            register(client, 10)
            statistics = client.statistics()
        pool, = statistics["pools"]
        self.assertEqual((pool["opening"], pool["open"], apns.connections), (0, 0, []))
        self.assertEqual(self.deliver(deployment, 1), {"delivered": 1})
        apns.wait(1)
        self.assertEqual(len(apns.connections), 1)

    # Credentials

    def test_a_credential_that_is_refused_once_is_tried_again(self) -> None:
        deployment, apns = self.start("InvalidOnce")
        self.assertEqual(self.deliver(deployment, 40), {"delivered": 40})
        self.assertNotIn("APNs refuses the credential", deployment.log())
        self.assertEqual(metrics(deployment)[f"carillon_apns_pool_parked{{{POOL}}}"], 0)
        self.check_pushes(apns, 40)

    def test_an_app_that_is_refused_does_not_stop_another(self) -> None:
        deployment, apns = self.start("InvalidForOneApp")
        with deployment.client() as client, client.events(kinds=["credential-refused"]) as events:
            refused = client.send(APP, register(client, 3), PAYLOAD)["message_id"]
            wait_metric(deployment, f"carillon_apns_parked_apps{{{POOL}}}", 1)
            others = [client.register(OTHER_APP, bytes([number]) * 32)["device_id"] for number in range(1, 21)]
            sent = client.send(OTHER_APP, others, PAYLOAD)["message_id"]
            eventually(lambda: client.message_status(OTHER_APP, sent)["state"] == "finished", "the other app goes on")
            self.assertEqual(client.message_status(OTHER_APP, sent)["outcomes"], {"delivered": 20})
            event = events.take(TIMEOUT_SECONDS)
            self.assertEqual((event["app"], event["text"]), (APP, "main/production"))
            self.assertEqual(client.message_status(APP, refused)["outcomes"], {"pending": 3})
            self.assertEqual(metrics(deployment)[f"carillon_apns_pool_parked{{{POOL}}}"], 0)
            # One push and one trial, and nothing more for a minute. The operator need not wait for it.
            apns.wait(22)
            self.assertEqual([push["topic"] for push in apns.pushes].count(APP), 2)
            reload(deployment)
            self.assertEqual(wait_finished(client, refused), {"delivered": 3})
        wait_metric(deployment, f"carillon_apns_parked_apps{{{POOL}}}", 0)
        self.check_pushes(apns, 25)

    def test_a_refused_credential_holds_no_device_beyond_its_time(self) -> None:
        deployment, apns = self.start("InvalidForEver")
        with deployment.client() as client:
            tokens = register(client, 3)
            first = client.send(APP, tokens, PAYLOAD)["message_id"]
            wait_metric(deployment, f"carillon_apns_parked_apps{{{POOL}}}", 1)
            now = client.statistics()["at"]
            late = client.send(APP, tokens, PAYLOAD, not_after=now + 1_500)["message_id"]
            past = client.send(APP, tokens, PAYLOAD, expiration=now // 1_000 - 60)["message_id"]
            self.assertEqual(wait_finished(client, past), {"expired": 3})
            self.assertEqual(wait_finished(client, late), {"expired": 3})
            self.assertEqual(client.message_status(APP, first)["outcomes"], {"pending": 3})
        apns.wait(2)
        self.assertEqual(len(apns.pushes), 2)

    # Answers

    def test_a_status_of_success_other_than_200_is_a_success(self) -> None:
        deployment, apns = self.start("OtherSuccess")
        self.assertEqual(self.deliver(deployment, 20), {"delivered": 20})
        self.check_pushes(apns, 20)
        self.assertEqual(len(apns.pushes), 20)

    def test_an_answer_that_is_cut_off_is_asked_for_again(self) -> None:
        deployment, apns = self.start("Cut400")
        self.assertEqual(self.deliver(deployment, 9), {"delivered": 9})
        self.check_pushes(apns, 18)
        self.assertEqual(len(apns.pushes), 18)

    def test_a_collapse_id_with_spaces_at_an_end_is_refused(self) -> None:
        deployment, apns = self.start("OtherSuccess")
        with deployment.client() as client:
            device, = register(client, 1)
            for collapse_id in (" x", "x "):
                with self.assertRaises(crln.CarillonError) as caught:
                    client.send(APP, [device], PAYLOAD, collapse_id=collapse_id)
                self.assertEqual((caught.exception.code, caught.exception.field), ("INVALID_ARGUMENT", "collapse_id"))
            sent = client.send(APP, [device], PAYLOAD, collapse_id="x y")["message_id"]
            self.assertEqual(wait_finished(client, sent), {"delivered": 1})
        self.check_pushes(apns, 1)


if __name__ == "__main__":
    unittest.main()
