"""Both clients against the real server: restarts lose nothing and double nothing, and the eight examples."""
from __future__ import annotations

import asyncio
import contextlib
import io
import os
import subprocess
import sys
import threading
import unittest
import uuid
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Dict, List

import carillon
from carillon import Notification, aio

from .server import Server
from .story import Story
from .support import CLIENT, TESTING

SENDS = 1000
# The number of sends that are answered before the server goes.
BEFORE = 200


class ServerRestartsTests(unittest.TestCase):
    """1,000 sends at the same time, each with a key of its own, while the server goes and comes back."""

    server: Server
    states: Counter[str]

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = Server()

    @classmethod
    def tearDownClass(cls) -> None:
        cls.server.stop()

    def test_sigterm_loses_and_doubles_no_send_of_asyncio(self) -> None:
        self.check(self.send_with_tasks, self.server.terminate)

    def test_sigkill_loses_and_doubles_no_send_of_asyncio(self) -> None:
        self.check(self.send_with_tasks, self.server.kill)

    def test_sigterm_loses_and_doubles_no_send_of_threads(self) -> None:
        self.check(self.send_with_threads, self.server.terminate)

    def test_sigkill_loses_and_doubles_no_send_of_threads(self) -> None:
        self.check(self.send_with_threads, self.server.kill)

    def check(self, send_all: Callable[[str, List[int], Any], List[carillon.answers.SendResult]],
              stop: Callable[[], None]) -> None:
        label = f"restart {uuid.uuid4()} "
        with carillon.Client(self.server.address, api_key_file=self.server.key_file) as client:
            device = client.app(self.server.app).register(os.urandom(32)).device_id
            answered = Counter[str]()
            progress = threading.Event()

            def note() -> None:
                answered["sends"] += 1
                if answered["sends"] >= BEFORE:
                    progress.set()

            def restart() -> None:
                progress.wait(60)
                stop()
                self.server.start()

            restarting = threading.Thread(target=restart)
            restarting.start()
            try:
                sent = send_all(label, [device], note)
            finally:
                progress.set()
                restarting.join(60)
            self.assertGreaterEqual(self.states["connected"], 2, "the restart has touched no connection")
            self.assertEqual(len({each.message_id for each in sent}), SENDS)
            labels = Counter(each.details.label for each in client.app(self.server.app).iter_messages(label=label)
                             if each.details is not None)
            self.assertEqual(labels, Counter(f"{label}{index}" for index in range(SENDS)))

    def options(self) -> Dict[str, Any]:
        self.states = Counter[str]()
        return {"addresses": self.server.address, "api_key_file": self.server.key_file, "request_timeout": 60.0,
                "maximum_attempts": 100, "backoff": 0.02, "maximum_backoff": 0.2,
                "on_state": lambda report: self.states.update([report.state])}

    def send_with_tasks(self, label: str, devices: List[int], note: Callable[[], None]
                        ) -> List[carillon.answers.SendResult]:
        async def run() -> List[carillon.answers.SendResult]:
            async with aio.Client(**self.options()) as client:
                async def one(index: int) -> carillon.answers.SendResult:
                    sent = await client.send(self.server.app, carillon.devices(devices), Notification(body="x"),
                                             label=f"{label}{index}")
                    note()
                    return sent
                # Half of them at once, the others one after the other: some are written while the server goes.
                first = [asyncio.create_task(one(index)) for index in range(SENDS // 2)]
                rest = [await one(index) for index in range(SENDS // 2, SENDS)]
                return [*await asyncio.gather(*first), *rest]
        return asyncio.run(run())

    def send_with_threads(self, label: str, devices: List[int], note: Callable[[], None]
                          ) -> List[carillon.answers.SendResult]:
        with carillon.Client(**self.options()) as client, ThreadPoolExecutor(64) as pool:
            def one(index: int) -> carillon.answers.SendResult:
                sent = client.send(self.server.app, carillon.devices(devices), Notification(body="x"),
                                   label=f"{label}{index}")
                note()
                return sent
            return list(pool.map(one, range(SENDS)))


class ServedOperationsTests(unittest.TestCase):
    """Every listing is iterated over all its pages, and every operation has an answer of its type.

    The tests share the app of one server, and each has devices and names of its own.
    """

    server: Server
    client: carillon.Client
    app: carillon.App

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = Server()
        cls.client = carillon.Client(cls.server.address, api_key_file=cls.server.key_file)
        cls.app = cls.client.app(cls.server.app)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.client.close()
        cls.server.stop()

    def registered(self, **options: Any) -> int:
        return self.app.register(os.urandom(32), **options).device_id

    def delivered(self, device: int, label: str = "unlisted") -> int:
        """Sends a message to a device; returns its id when it is delivered."""
        sent = self.app.send(carillon.devices([device]), Notification(body="x"), label=label, push_type="alert")
        outcomes = self.app.wait_until_finished(sent.message_id).outcomes
        self.assertEqual(outcomes, {carillon.Outcome.DELIVERED: 1})
        return sent.message_id

    def test_a_thousand_devices_are_listed_over_several_pages(self) -> None:
        batch = [carillon.Registration(self.server.app, os.urandom(32)) for _ in range(1000)]
        results = self.client.register_batch(batch)
        self.assertEqual({str(each.result) for each in results}, {"created"})
        ids = [each.device_id for each in results]
        self.assertEqual(self.app.join("thousand", ids).joined, 1000)
        self.assertEqual(list(self.app.iter_group_devices("thousand")), ids)
        self.assertLessEqual(set(ids), {each.device_id for each in self.app.iter_devices()})
        self.assertEqual(self.app.subscribe(["many"], groups=["thousand"]).changed, 1)
        self.assertEqual(len(list(self.app.iter_topic_devices("many"))), 1000)
        self.assertEqual(self.app.explain("'many' in topics").devices, 1000)

    def test_groups_and_topics_are_listed(self) -> None:
        device = self.registered(topics=["listed-own"], groups=["listed/1"], locale="de", time_zone="Europe/Vienna")
        self.app.subscribe(["listed-1", "listed-2"], groups=["listed/1"])
        self.assertEqual([each.group for each in self.app.iter_groups(prefix="listed/")], ["listed/1"])
        topics = [each.topic for each in self.app.iter_topics(prefix="listed-")]
        self.assertEqual(topics, ["listed-1", "listed-2", "listed-own"])
        self.assertEqual(list(self.app.iter_group_topics("listed/1")), ["listed-1", "listed-2"])
        sources = {each.topic: each.source for each in self.app.iter_topics_of(device)}
        self.assertEqual([sources["listed-1"], sources["listed-2"]], ["listed/1", "listed/1"])
        self.assertEqual(self.app.unsubscribe(["listed-2"], groups=["listed/1"]).changed, 1)

    def test_a_group_is_muted_and_counted(self) -> None:
        self.registered(groups=["muted/1"])
        self.assertEqual(self.app.set_group_muted("muted/1", True).devices, 1)
        self.assertEqual([each.muted for each in self.app.iter_groups(prefix="muted/")], [True])
        self.assertEqual(self.app.group_size("muted/1").devices, 1)

    def test_a_device_is_updated_switched_and_unregistered(self) -> None:
        device = self.registered(groups=["moved/1"])
        self.assertEqual(self.app.update_device(device, attributes={"platform": "ios"}).device_id, device)
        self.assertEqual(self.app.lookup(device).attributes, {"platform": "ios"})
        self.assertEqual(self.app.switch(device, "moved/1", "moved/2").changed, carillon.SwitchChanges(3))
        self.assertEqual(self.app.leave("moved/2", [device]).left, 1)
        self.assertEqual(self.app.restore(device).device_id, device)
        self.assertEqual(list(self.app.iter_quarantined_devices()), [])
        self.assertEqual(str(self.app.unregister(device, at=2**63).result), "removed")

    def test_a_message_is_listed_with_its_outcomes(self) -> None:
        message = self.delivered(self.registered(), label="listed message")
        outcomes = [each.outcome for each in self.app.iter_message_outcomes(message)]
        self.assertEqual(outcomes, [carillon.Outcome.DELIVERED])
        labelled = [each.message_id for each in self.app.iter_messages(label="listed message")]
        self.assertEqual(labelled, [message])
        resent = self.app.resend(message, outcomes=["expired"])
        self.assertEqual(self.app.wait_until_finished(resent.message_id).total, 0)

    def test_a_delivery_is_traced_and_its_receipt_counted(self) -> None:
        device = self.registered()
        message = self.delivered(device)
        self.assertEqual(self.app.trace(message, device).outcome, carillon.Outcome.DELIVERED)
        self.assertEqual(self.app.report_receipts([(message, device, "opened")]).counted, 1)
        self.assertEqual(list(self.app.iter_receipt_devices(message, "opened")), [device])

    def test_a_batch_keeps_the_result_of_each_call(self) -> None:
        device = self.registered()
        with self.client.batch() as batch:
            known, missing = batch.lookup(self.server.app, device), batch.lookup(self.server.app, 2**40)
        self.assertEqual(known.result().device_id, device)
        with self.assertRaises(carillon.CarillonError) as caught:
            missing.result()
        self.assertEqual((caught.exception.code, caught.exception.field), ("NOT_FOUND", "device"))

    def test_statistics_name_the_app(self) -> None:
        self.registered()
        self.assertIn(self.server.app, [each.app for each in self.client.statistics().apps])

    def test_a_subscriber_that_is_not_there_is_not_forgotten(self) -> None:
        self.assertEqual(self.client.forget_subscriber("unused").result, carillon.ForgetResultKind.NO_SUCH_NAME)


class ServedStoryTests(unittest.TestCase):
    def test_the_story_plays_against_a_server(self) -> None:
        lines = io.StringIO()
        with Server() as server, carillon.Client(server.address, api_key_file=server.key_file) as client:
            story = Story(client, server.app)
            with contextlib.redirect_stdout(lines):
                story.play()
        self.assertEqual(lines.getvalue().count("\n"), len(story.steps()))


class ClientExamplesTests(unittest.TestCase):
    def test_all_eight_examples_run(self) -> None:
        command = f"{sys.executable} -B {CLIENT}/examples/{{name}}.py"
        done = subprocess.run([sys.executable, "-B", str(TESTING / "run_examples.py"), command], check=False, text=True,
                              capture_output=True, env={**os.environ, "PYTHONPATH": str(CLIENT)})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
