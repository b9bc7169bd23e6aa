"""Metrics, health and statistics; real processes."""
from __future__ import annotations

import select
import signal
import socket
import subprocess
import time
import unittest
from typing import AbstractSet, Any, Dict, Optional, Tuple

from support.deployment import APP, OTHER_APP, Deployment, crln, eventually, sha256
from support.environment import VERSION
from support.operations import ask_metrics_port, is_draining, metrics, wait_metrics
from support.providers.android import register_android
from support.providers.browsers import BrowserDeployment, register_browsers
from support.system_test_case import PAYLOAD, SystemTestCase, register, wait_finished


class ExportedMetricsTests(SystemTestCase):
    """The metrics port."""

    POOL = 'credential="main",environment="production"'
    # What a message to 25 devices leaves, of which five are unregistered.
    COUNTED = {
        f'carillon_outcomes_total{{app="{APP}",outcome="delivered"}}': 20,
        f'carillon_outcomes_total{{app="{APP}",outcome="token-unregistered"}}': 5,
        f"carillon_apns_attempts_total{{{POOL}}}": 25,
        f'carillon_apns_answers_total{{{POOL},status="200",reason=""}}': 20,
        f'carillon_apns_answers_total{{{POOL},status="410",reason="Unregistered"}}': 5,
        f"carillon_apns_in_flight{{{POOL}}}": 0,
        f'carillon_apns_connection_limit_pushes_per_second{{{POOL},connection="1"}}': -1,
        'carillon_requests_total{operation="register-batch",result="ok"}': 2,
        'carillon_requests_total{operation="lookup",result="NOT_FOUND"}': 1,
        'carillon_request_seconds_count{operation="send"}': 1,
        "carillon_client_connections": 1, "carillon_ready": 1,
        f'carillon_build_info{{version="{VERSION}",revision="unknown"}}': 1,
        # What an objective of the service is measured by.
        f"carillon_apns_answer_seconds_count{{{POOL}}}": 25,
        'carillon_delivery_seconds_count{lane="interactive",provider="apns"}': 25,
        'carillon_delivery_seconds_count{lane="bulk",provider="apns"}': 0,
        'carillon_delivery_seconds_count{lane="interactive",provider="fcm"}': 0,
        f'carillon_messages_accepted_total{{app="{APP}",lane="interactive"}}': 1,
        "carillon_messages_stored": 1, "carillon_messages_sendable": 0, "carillon_messages_scheduled": 0,
        **{f'carillon_lane_recipients{{lane="bulk",state="{state}"}}': 0
           for state in ("waiting", "delayed", "in-flight")},
        "carillon_outcomes_unrecorded": 0, "carillon_deliveries_in_flight": 0, "carillon_queue_changes": 0}
    # The smallest values that these have then.
    LEAST = {
        f'carillon_apns_connections{{{POOL},state="open"}}': 1,
        f"carillon_apns_provider_token_age_seconds{{{POOL}}}": 0,
        "carillon_batch_seconds_count": 3, "carillon_batch_changes_sum": 25,
        'carillon_principal_requests_total{principal="demo"}': 5, "carillon_database_bytes": 1,
        "carillon_database_map_bytes": 1, "carillon_database_limit_bytes": 1, "process_resident_memory_bytes": 1,
        "process_cpu_seconds_total": 0.001, "process_open_fds": 1}

    def test_each_counter_counts_its_event(self) -> None:
        deployment = self.deployment()
        with deployment.client() as client:
            tokens = register(client, 20) + register(client, 5, b"\xdd")
            deployment.simulator.add_rules(prefix="dd", status=410, reason="Unregistered",
                                           timestamp=int(time.time() * 1000) + 1_000)
            sent = client.send(APP, tokens, PAYLOAD)["message_id"]
            wait_finished(client, sent)
            with self.assertRaises(crln.CarillonError):
                client.lookup(APP, b"\x01" * 32)
            now = wait_metrics(deployment, self.COUNTED)
            self.assertEqual({name: now[name] for name, least in self.LEAST.items() if now[name] < least}, {})
            self.assertEqual(now["carillon_batch_seconds_count"], now["carillon_batch_changes_count"])
            # The connection samples these four times a second.
            connection = f'{{{self.POOL},connection="1"}}'
            for name in ("window_bytes", "round_trip_seconds"):
                eventually(lambda name=name: metrics(deployment)[f"carillon_apns_connection_{name}{connection}"] > 0,
                           f"{name} is sampled", pause=0.1)
            eventually(lambda: self.connections(deployment) >= {"in_flight": 0, "answers_total": 25}.items(),
                       "the answers are counted by connection")
            self.assertGreaterEqual(dict(self.connections(deployment))["streams"], 1_000)
        text = ask_metrics_port(deployment, "/metrics")[1]
        self.assertNotIn(tokens[0].hex()[:16], text)
        self.assertNotIn(deployment.api_key[:12], text)

    def connections(self, deployment: Deployment) -> AbstractSet[Tuple[str, float]]:
        """Sums over all connections."""
        found = metrics(deployment).items()
        return {name: sum(value for key,
                          value in found if key.startswith(f"carillon_apns_connection_{name}{{{self.POOL},"))
                for name in ("in_flight", "streams", "answers_total")}.items()

    def test_series_of_alarms_are_there_from_the_start(self) -> None:
        """A series that is born with its first event shows no increase: an alarm on it would stay silent."""
        now = metrics(self.deployment(simulator=None))
        for result in ("ok", "refused"):
            self.assertEqual(now[f'carillon_reloads_total{{result="{result}"}}'], 0)
        for app in (APP, OTHER_APP):
            for outcome in ("delivered", "gave-up", "no-credential", "refused"):
                self.assertEqual(now[f'carillon_outcomes_total{{app="{app}",outcome="{outcome}"}}'], 0)
            self.assertEqual(now[f'carillon_messages_accepted_total{{app="{app}",lane="bulk"}}'], 0)

    def test_devices_are_counted_by_app(self) -> None:
        deployment = self.deployment(simulator=None)
        devices, groups = f'carillon_devices{{app="{APP}",state="active"}}', f'carillon_groups{{app="{APP}"}}'
        with deployment.client() as client:
            token, = register(client, 1)
            client.join(APP, "user/1", [token])
            # A count is kept for five seconds.
            wait_metrics(deployment, {devices: 1, groups: 1})
            client.unregister(APP, token)
            wait_metrics(deployment, {devices: 0, groups: 0})

    def test_devices_are_counted_by_provider(self) -> None:
        deployment = BrowserDeployment()
        self.addCleanup(deployment.stop)

        def counted(apns: int, fcm: int, web: int) -> Dict[str, float]:
            counts = {"apns": apns, "fcm": fcm, "web": web}
            return {f'carillon_devices{{app="{APP}",state="active"}}': sum(counts.values()),
                    **{f'carillon_devices_by_provider{{app="{APP}",provider="{provider}"}}': count
                       for provider, count in counts.items()}}

        with deployment.client() as client:
            tokens = register(client, 3)
            wait_metrics(deployment, counted(3, 0, 0))
            register_android(client, 2)
            register_browsers(client, deployment.push_simulator.subscriptions[:1])
            client.unregister(APP, tokens[0])
            wait_metrics(deployment, counted(2, 2, 1))
            answer = client.statistics()
            self.assertEqual([row["devices"] for row in answer["apps"]], [5])
            self.assertEqual(answer["devices_by_provider"], [{"apns": 2, "fcm": 2, "web": 1}])

    def test_names_follow_the_conventions(self) -> None:
        deployment = self.deployment(simulator=None)
        with deployment.client() as client:
            register(client, 1)
        text = ask_metrics_port(deployment, "/metrics")[1]
        done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))

    def test_statistics_tell_of_running_messages(self) -> None:
        deployment = self.deployment(flags=("--apns-maximum-connections", "2"))
        with deployment.client() as client:
            tokens = register(client, 50)
            deployment.simulator.add_rules(fault="delay", milliseconds=6_000)
            sent = client.send(APP, tokens, PAYLOAD, lane="bulk")["message_id"]
            statistics = eventually(lambda: (now := client.statistics())["sending"] and now, "it is under way")
            message, = statistics["sending"]
            self.assertEqual((message["message_id"], message["app"], message["lane"]), (sent, APP, "bulk"))
            self.assertEqual(message["total"], 50)
            self.assertLess(message["ended"], 50)
            bulk = statistics["lanes"][1]
            self.assertEqual(bulk["messages"], 1)
            self.assertEqual(bulk["waiting"] + bulk["delayed"] + bulk["in_flight"], 50 - message["ended"])
            wait_finished(client, sent)

    def test_statistics_need_a_role_for_every_app(self) -> None:
        def principal(name: str, app: str, *roles: str) -> Dict[str, Any]:
            return {"name": name, "keySHA256": [sha256(name)], "grants": [{"app": app, "roles": list(roles)}]}

        deployment = self.deployment(simulator=None, principals=[
            principal("watcher", "*", "observe"), principal("admin", "*", "admin"),
            principal("sender", "*", "send", "register"), principal("own", APP, "observe", "admin")])
        for name, code in (("watcher", None), ("admin", None), ("sender", "FORBIDDEN"), ("own", "FORBIDDEN")):
            with self.subTest(name), deployment.client(name) as client:
                if code is None:
                    self.assertEqual(client.statistics()["outcomes"], {})
                else:
                    with self.assertRaises(crln.CarillonError) as refused:
                        client.statistics()
                    self.assertEqual((refused.exception.code, refused.exception.effect), (code, "not_executed"))

    def test_the_health_checks_follow_the_state(self) -> None:
        deployment = self.deployment(simulator=None)
        eventually(lambda: ask_metrics_port(deployment, "/readyz?full=1") == (200, "ready\n"), "the server is ready")
        self.assertEqual(ask_metrics_port(deployment, "/healthz"), (200, "ready\n"))
        self.assertEqual(ask_metrics_port(deployment, "/elsewhere")[0], 404)
        raw = deployment.raw("open")
        deployment.server.send_signal(signal.SIGTERM)
        eventually(lambda: is_draining(deployment), "not ready while it drains")
        self.assertEqual(ask_metrics_port(deployment, "/healthz")[0], 200)
        raw.close()
        self.assertEqual(deployment.server.wait(30), 0)

    def test_bad_peers_cost_themselves_their_connection(self) -> None:
        deployment = self.deployment(simulator=None)
        port = int((deployment.folder / "metrics.port").read_text())
        cases = {"a method that is none": b"DELETE /metrics HTTP/1.1\r\nhost: x\r\n\r\n",
                 "garbage": b"\x16\x03\x01\xff" * 99,
                 "endless headers": b"GET / HTTP/1.1\r\n" + b"x: " + b"y" * 200_000,
                 "a body": b"POST /metrics HTTP/1.1\r\nhost: x\r\ncontent-length: 9999999\r\n\r\n" + b"z" * 100_000}
        for name, data in cases.items():
            with self.subTest(name), socket.create_connection(("127.0.0.1", port), 15) as peer:
                answer = b""
                try:
                    peer.sendall(data)
                    while piece := peer.recv(65536):
                        answer += piece
                except (ConnectionResetError, BrokenPipeError):
                    pass
                self.assertNotIn(b" 200 ", answer)
        self.assertEqual(ask_metrics_port(deployment, "/healthz")[0], 200)

    def test_forty_silent_connections_are_closed(self) -> None:
        """The oldest are closed at once for those above the limit, the others later."""
        deployment = self.deployment(simulator=None)
        port = int((deployment.folder / "metrics.port").read_text())
        silent = [socket.create_connection(("127.0.0.1", port), 15) for _ in range(40)]
        began = time.monotonic()
        closed = 0
        while closed < 40 and time.monotonic() - began < 60:
            for peer in select.select(silent, [], [], 1)[0]:
                closed += 1
                silent.remove(peer)
                peer.close()
        self.assertEqual(closed, 40)
        self.assertEqual(ask_metrics_port(deployment, "/healthz")[0], 200)

    def test_silent_connections_do_not_keep_the_health_checks_out(self) -> None:
        """A liveness probe that fails restarts the server."""
        deployment = self.deployment(simulator=None)
        port = int((deployment.folder / "metrics.port").read_text())
        silent = [socket.create_connection(("127.0.0.1", port), 15) for _ in range(31)]
        slow = socket.create_connection(("127.0.0.1", port), 15)
        slow.sendall(b"GET /healthz HTTP/1.1\r\n")
        for _ in range(3):
            self.assertEqual(ask_metrics_port(deployment, "/healthz"), (200, "ready\n"))
        silent[0].settimeout(15)
        self.assertEqual(silent[0].recv(1), b"", "the oldest was closed for the first probe")
        slow.sendall(b"host: x\r\n\r\n")
        self.assertIn(b" 200 ", slow.recv(4096), "a later one is still served")
        for peer in (*silent, slow):
            peer.close()

    def test_a_port_that_is_taken_refuses_the_start(self) -> None:
        deployment = self.deployment(simulator=None, flags=None)
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = str(taken.getsockname()[1])
            for setting in ("listen", "metrics"):
                said = f"{setting}.host, {setting}.port: 127.0.0.1:{port} is in use"
                self.assertIn(said, deployment.refused_start(f"--{setting}-port", port))

    def test_a_socket_in_a_folder_that_does_not_exist_refuses_the_start(self) -> None:
        deployment = self.deployment(simulator=None, flags=None)
        said = "listen.unixSocket: cannot listen on /no/such/folder/s: "
        self.assertIn(said, deployment.refused_start("--listen-unix-socket", "/no/such/folder/s"))

    def test_a_server_without_a_host_for_metrics_has_no_port_for_them(self) -> None:
        deployment = self.deployment(simulator=None, flags=None)
        deployment.start("--metrics-host", "")
        self.assertFalse((deployment.folder / "metrics.port").exists())


class FinishedStatisticsTests(SystemTestCase):
    """The statistics of a server whose messages are finished: one to 25 devices, of which five are unregistered."""

    deployment_of_all: Deployment
    statistics: Dict[str, Any]

    @classmethod
    def setUpClass(cls) -> None:
        cls.deployment_of_all = deployment = Deployment()
        cls.addClassCleanup(deployment.stop)
        with deployment.client() as client:
            tokens = register(client, 20) + register(client, 5, b"\xdd")
            client.join(APP, "user/1", [tokens[0]])
            client.subscribe(APP, ["level5"], [tokens[1]])
            deployment.simulator.add_rules(prefix="dd", status=410, reason="Unregistered",
                                           timestamp=int(time.time() * 1000) + 1_000)
            wait_finished(client, client.send(APP, tokens, PAYLOAD)["message_id"])
            client.send(APP, tokens[:1], PAYLOAD, send_at=int(time.time() * 1000) + 60_000)
            cls.statistics = eventually(lambda: cls.complete(client), "every outcome is counted", pause=0.1)

    @staticmethod
    def complete(client: crln.Client) -> Optional[Dict[str, Any]]:
        """The statistics, once they have every answer and every outcome."""
        statistics = client.statistics()
        answers = sum(row["count"] for pool in statistics["pools"] for row in pool["answers"])
        is_complete = sum(statistics["outcomes"].values()) == answers == 25 and statistics["unrecorded"] == 0
        return statistics if is_complete and not statistics["sending"] else None

    def test_each_outcome_is_counted(self) -> None:
        self.assertEqual(self.statistics["outcomes"], {"delivered": 20, "token-unregistered": 5})

    def test_each_client_is_counted(self) -> None:
        self.assertEqual((self.statistics["clients"], self.statistics["half_open"]), (1, 0))

    def test_each_request_is_counted_by_its_operation_and_result(self) -> None:
        counts = {(row["operation"], row["result"]): row for row in self.statistics["requests"]}
        self.assertEqual(counts["register_batch", "ok"]["count"], 2)
        self.assertGreater(counts["send", "ok"]["micros"], 0)

    def test_the_number_of_requests_can_be_limited(self) -> None:
        with self.deployment_of_all.client() as client:
            self.assertEqual(len(client.statistics(1)["requests"]), 1)

    def test_the_batches_of_changes_have_their_times(self) -> None:
        statistics = self.statistics
        self.assertGreaterEqual(statistics["batches"], len(statistics["latest_batches"]))
        # 25 devices, a member and a subscription.
        self.assertGreaterEqual(statistics["changes"], 27)
        self.assertGreaterEqual(statistics["batch_micros"], sum(statistics["latest_batches"][:3]))

    def test_each_pool_has_its_attempts_and_answers(self) -> None:
        pool, = self.statistics["pools"]
        self.assertEqual((pool["credential"], pool["environment"], pool["attempts"]), ("main", "production", 25))
        self.assertGreaterEqual(pool["open"], 1)
        self.assertGreaterEqual(pool["streams"], 1)
        self.assertEqual(pool["answers"], [{"status": 200, "reason": "", "count": 20},
                                           {"status": 410, "reason": "Unregistered", "count": 5}])

    def test_messages_are_counted_by_their_state(self) -> None:
        statistics = self.statistics
        self.assertEqual([lane["lane"] for lane in statistics["lanes"]], ["interactive", "bulk"])
        self.assertEqual((statistics["kept"], statistics["unfinished"], statistics["scheduled"]), (2, 0, 1))

    def test_the_database_and_its_apps_are_counted(self) -> None:
        statistics = self.statistics
        self.assertGreater(statistics["database_bytes"], statistics["free_bytes"])
        self.assertEqual([row["app"] for row in statistics["apps"]], [APP])

    def test_the_time_of_the_start_is_that_of_the_process(self) -> None:
        self.assertLess(self.statistics["at"] - self.statistics["started_at"], 60_000)


if __name__ == "__main__":
    unittest.main()
