"""Stops, kills and restarts: answered changes are stored, and accepted messages arrive."""
from __future__ import annotations

import os
import signal
import socket
import unittest
from collections import Counter
from typing import Dict, List

from support.clients.register_load import RegisterLoad
from support.deployment import APP, crln, eventually
from support.system_test_case import PAYLOAD, SystemTestCase, now, register, wait_finished

CarillonError = crln.CarillonError


class LifecycleTests(SystemTestCase):
    """SIGTERM, SIGKILL, and the data afterwards."""

    def test_a_drain_under_load_answers_what_it_executed(self) -> None:
        deployment = self.deployment(simulator=None)
        loads = [RegisterLoad(deployment) for _ in range(3)]
        eventually(lambda: all(len(load.answered) > 300 for load in loads), "load", 30)
        self.assertEqual(deployment.terminate(), 0)
        for load in loads:
            load.join()
            self.assertEqual(load.problem, "")
            self.assertEqual(len(load.goaways), 2, "GOAWAY comes twice")
            first, second = load.goaways
            self.assertEqual(first["last_id"], 2**64 - 1)
            self.assertEqual([crln.ERRORS[goaway["code"]] for goaway in load.goaways], ["DRAINING", "DRAINING"])
            last = second["last_id"]
            self.assertEqual(sorted(load.answered), list(range(3, last + 1)), "all up to last_id are answered")
            self.assertTrue(all(id > last for id in load.refused))
        deployment.start()
        with deployment.client() as client:
            for load in loads:
                last = load.goaways[1]["last_id"]
                for id, token in load.tokens.items():
                    if id > last:
                        with self.assertRaises(CarillonError) as caught:
                            client.lookup(APP, token)
                        self.assertEqual(caught.exception.code, "NOT_FOUND", f"{id} above last_id was executed")
                        continue
                    self.assertEqual(client.lookup(APP, token)["state"], "active", f"{id} was answered")

    def test_a_drain_closes_idle_and_unfinished_connections(self) -> None:
        deployment = self.deployment(simulator=None)
        idle, early, late = deployment.raw("open"), deployment.raw("hello"), deployment.raw()
        self.assertEqual(deployment.terminate(), 0)
        self.assertEqual([idle.read_frame().fields["last_id"] for _ in range(2)], [2**64 - 1, 2])
        for raw in (idle, early, late):
            raw.has_preface = True
            self.assertIsNone(raw.read_frame())
            raw.close()

    def test_a_drain_ends_although_a_client_never_reads(self) -> None:
        deployment = self.deployment(simulator=None, flags=("--limits-drain-seconds", "1"))
        with deployment.client() as client:
            token, = register(client, 1)
        with deployment.raw("open") as raw:
            raw.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            raw.sock.settimeout(1)
            device = {"token": {"environment": 1, "kind": 1, "token": token}}
            id = 3
            try:
                while id < 500_000:
                    raw.sock.sendall(b"".join(crln.encode("client", "lookup", {"app": APP, "device": device}, each)
                                              for each in range(id, id + 100)))
                    id += 100
            except socket.timeout:
                pass
            self.assertEqual(deployment.terminate(), 0)

    def test_an_interrupt_drains_as_well(self) -> None:
        deployment = self.deployment(simulator=None)
        raw = deployment.raw("open")
        deployment.server.send_signal(signal.SIGINT)
        self.assertEqual([raw.read_frame().message for _ in range(2)], ["goaway", "goaway"])
        self.assertEqual(deployment.server.wait(20), 0)
        raw.close()

    def test_the_same_data_has_no_second_server(self) -> None:
        deployment = self.deployment(simulator=None)
        with deployment.client() as client:
            token, = register(client, 1)
            text = deployment.refused_start()
            self.assertIn("is in use by another process", text)
            self.assertEqual(client.lookup(APP, token)["state"], "active")

    def test_a_hang_up_disturbs_no_client(self) -> None:
        deployment = self.deployment(simulator=None)
        with deployment.client() as client:
            token, = register(client, 1)
            deployment.server.send_signal(signal.SIGHUP)
            self.assertEqual(client.lookup(APP, token)["state"], "active")
            self.assertTrue(deployment.is_alive)

    def test_a_drain_waits_for_pushes(self) -> None:
        deployment = self.deployment(simulator=("--delay-milliseconds", "700"))
        with deployment.client() as client:
            tokens = register(client, 50)
            message = client.send(APP, tokens, PAYLOAD)["message_id"]
            eventually(lambda: deployment.simulator.stats()["requests"] > 0, "pushes are under way")
        self.assertEqual(deployment.terminate(), 0)
        deployment.start()
        with deployment.client() as client:
            self.assertEqual(wait_finished(client, message), {"delivered": 50})
        self.assertEqual(deployment.simulator.stats()["duplicates"], 0, "an orderly stop loses no answer")

    def test_a_kill_before_delivery_loses_no_message(self) -> None:
        deployment = self.deployment(simulator=None)
        with deployment.client() as client:
            tokens = register(client, 20)
            messages = [client.send(APP, tokens, {"aps": {"alert": str(index)}})["message_id"] for index in range(50)]
        deployment.kill()
        deployment.start_simulator()
        deployment.start()
        deployment.simulator.wait_until_accepted(1000)
        with deployment.client() as client:
            for message in messages:
                self.assertEqual(wait_finished(client, message), {"delivered": 20})
        pushes = Counter((push["token"], push["payload"]) for push in deployment.pushes())
        self.assertEqual(len(pushes), 1000, "every message reached every device")
        self.assertEqual(set(pushes.values()), {1}, "nothing was sent before, so nothing twice")

    def test_a_kill_during_delivery_loses_no_device(self) -> None:
        deployment = self.deployment(simulator=("--max-streams", "20"), flags=("--apns-maximum-connections", "1"))
        # Twenty of the first hundred are not answered: nothing more can be sent, and the kill does not come too late.
        deployment.simulator.add_rules(fault="delay", milliseconds=600_000, every=5)
        with deployment.client() as client:
            tokens = register(client, 400)
            message = client.send(APP, tokens, PAYLOAD)["message_id"]
        deployment.simulator.wait_until_accepted(100)
        deployment.kill()
        self.assertLess(deployment.simulator.stats()["accepted"], 400, "the kill came too late")
        deployment.simulator.ask("calm")
        deployment.start("--apns-maximum-connections", "1")
        with deployment.client() as client:
            self.assertEqual(wait_finished(client, message), {"delivered": 400})
        ids: Dict[str, set] = {}
        for push in deployment.pushes():
            ids.setdefault(push["token"], set()).add(push["apns-id"])
        self.assertEqual(set(ids), {token.hex() for token in tokens}, "every device has its push")
        self.assertTrue(all(len(each) == 1 for each in ids.values()), "a repeated push bears the same apns-id")

    def test_a_kill_under_load_loses_no_answered_change(self) -> None:
        """An answered change is on disk, even after SIGKILL."""
        deployment = self.deployment(simulator=None)
        loads = [RegisterLoad(deployment) for _ in range(2)]
        eventually(lambda: all(len(load.answered) > 500 for load in loads), "load", 30)
        deployment.kill()
        all_answered: List[bytes] = []
        for load in loads:
            load.join()
            all_answered += [load.tokens[id] for id in load.answered]
        deployment.start()
        with deployment.client() as client:
            for token in all_answered:
                self.assertEqual(client.lookup(APP, token)["state"], "active")

    def test_keys_and_tombstones_survive_a_restart_and_a_kill(self) -> None:
        deployment = self.deployment()
        begun = now() - 60_000
        with deployment.client() as client:
            kept, gone = register(client, 2)
            epoch = client.server["epoch"]
            client.unregister(APP, gone, now())
            key = os.urandom(16)
            first = client.send(APP, [kept, gone], PAYLOAD, key=key)
        self.assertEqual((first["total"], first["ended"]), (2, 1))
        for how in (deployment.terminate, deployment.kill):
            how()
            deployment.start()
            with self.subTest(how.__name__), deployment.client() as client:
                self.assertEqual(client.server["epoch"], epoch, "the same history")
                self.assertEqual(client.send(APP, [kept, gone], PAYLOAD, key=key), {**first, "duplicate": True})
                with self.assertRaises(CarillonError) as caught:
                    client.send(APP, [kept], PAYLOAD, key=key)
                self.assertEqual(caught.exception.code, "IDEMPOTENCY_CONFLICT")
                with self.assertRaises(CarillonError) as caught:
                    client.register(APP, gone, seen_at=begun + 1)
                self.assertEqual(caught.exception.code, "STALE")
                self.assertEqual(wait_finished(client, first["message_id"]), {"delivered": 1, "unregistered": 1})
        self.assertEqual(deployment.simulator.accepted_count(kept), 1)
        self.assertEqual(deployment.simulator.accepted_count(gone), 0)


if __name__ == "__main__":
    unittest.main()
