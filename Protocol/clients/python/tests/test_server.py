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


class Restarts(unittest.TestCase):
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
            found = Counter(each.details.label for each in client.app(self.server.app).iter_messages(label=label)
                            if each.details is not None)
            self.assertEqual(found, Counter(f"{label}{index}" for index in range(SENDS)))

    def options(self) -> Dict[str, Any]:
        self.states = Counter[str]()
        return {"addresses": self.server.address, "api_key_file": self.server.key_file, "request_timeout": 60.0,
                "tries": 100, "backoff": 0.02, "backoff_limit": 0.2,
                "on_state": lambda state: self.states.update([state.kind])}

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


class Operations(unittest.TestCase):
    """Every listing is iterated over all its pages, and every operation has an answer of its type."""

    def test_the_life_of_devices_and_messages(self) -> None:
        with Server() as server, carillon.Client(server.address, api_key_file=server.key_file) as client:
            app = client.app(server.app)
            answers = client.register_batch([carillon.Registration(server.app, os.urandom(32)) for _ in range(1000)])
            self.assertEqual({str(each.result) for each in answers}, {"created"})
            ids = [each.device_id for each in answers]
            app.register(os.urandom(32), topics=["solo"], groups=["user/1"], locale="de", time_zone="Europe/Vienna")
            self.assertEqual(app.join("all", ids[:1000]).joined, 1000)
            self.assertEqual((len(list(app.iter_devices())), list(app.iter_group_devices("all"))), (1001, ids))
            self.assertEqual(app.subscribe(["t1", "t2"], groups=["all"]).changed, 2)
            self.assertEqual([each.topic for each in app.iter_topics()], ["solo", "t1", "t2"])
            self.assertEqual({each.group for each in app.iter_groups()}, {"all", "user/1"})
            self.assertEqual(list(app.iter_group_topics("all")), ["t1", "t2"])
            self.assertEqual(len(list(app.iter_topic_devices("t1"))), 1000)
            self.assertEqual([(each.topic, each.source) for each in app.iter_topics_of(ids[0])],
                             [("t1", "all"), ("t2", "all")])
            self.assertEqual((list(app.iter_quarantined_devices()), app.explain("'t1' in topics").devices), ([], 1000))
            muted = (app.set_group_muted("all", True).devices, app.group_size("all").devices)
            self.assertEqual(muted, (1000, 1000))
            self.assertEqual(app.update_device(ids[0], attributes={"platform": "ios"}).device_id, ids[0])
            self.assertEqual(app.switch(ids[0], "all", "user/2").changed, carillon.Switched(3))
            self.assertEqual(app.leave("user/2", [ids[0]]).left, 1)
            sent = app.send(carillon.topic("solo"), Notification(body="x"), label="one", push_type="alert")
            status = app.wait_until_finished(sent.message_id)
            self.assertEqual(status.outcomes, {carillon.Outcome.DELIVERED: 1})
            self.assertEqual([each.outcome for each in app.iter_message_outcomes(sent.message_id)],
                             [carillon.Outcome.DELIVERED])
            self.assertEqual([each.message_id for each in app.iter_messages(label="one")], [sent.message_id])
            device = next(app.iter_topic_devices("solo"))
            self.assertEqual(app.trace(sent.message_id, device).outcome, carillon.Outcome.DELIVERED)
            self.assertEqual(app.report_receipts([(sent.message_id, device, "opened")]).counted, 1)
            self.assertEqual(list(app.iter_receipt_devices(sent.message_id, "opened")), [device])
            resent = app.resend(sent.message_id, outcomes=["expired"])
            self.assertEqual(app.wait_until_finished(resent.message_id).total, 0)
            changed = (app.restore(device).device_id, app.unsubscribe(["t2"], groups=["all"]).changed)
            self.assertEqual(changed, (device, 1))
            self.assertEqual(str(app.unregister(ids[1], at=2**63).result), "removed")
            self.assertEqual(client.forget_subscriber("unused").result, carillon.Forgotten.NO_SUCH_NAME)
            self.assertIn(server.app, [each.app for each in client.statistics().apps])
            with client.batch() as batch:
                found = [batch.lookup(server.app, each) for each in ids[:3]]
            self.assertEqual(found[0].result().attributes, {"platform": "ios"})
            with self.assertRaises(carillon.CarillonError) as caught:
                found[1].result()
            self.assertEqual((caught.exception.code, caught.exception.field), ("NOT_FOUND", "device"))


class ServedStory(unittest.TestCase):
    def test_the_story_plays_against_a_server(self) -> None:
        lines = io.StringIO()
        with Server() as server, carillon.Client(server.address, api_key_file=server.key_file) as client:
            story = Story(client, server.app)
            with contextlib.redirect_stdout(lines):
                story.play()
        self.assertEqual(lines.getvalue().count("\n"), len(story.steps()))


class Examples(unittest.TestCase):
    def test_all_eight_examples_run(self) -> None:
        command = f"{sys.executable} -B {CLIENT}/examples/{{name}}.py"
        done = subprocess.run([sys.executable, "-B", str(TESTING / "run_examples.py"), command], check=False, text=True,
                              capture_output=True, env={**os.environ, "PYTHONPATH": str(CLIENT)})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
