"""The faults of apns-simulator, frame by frame, read by a client of raw bytes."""
from __future__ import annotations

import socket
import time
import unittest
from contextlib import contextmanager
from typing import Any, Dict, Iterator, List, Tuple

from support.deployment import Deployment, eventually
from support.environment import TIMEOUT_SECONDS
from support.providers.raw_http2 import ACKNOWLEDGEMENT, PING, RawHTTP2Connection, frame


class FaultsTests(unittest.TestCase):
    """One simulator. Each test sets faults, and reads what a client receives."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.deployment = Deployment(simulator=None, flags=None)
        cls.deployment.keys.certificate("client", "subjectAltName=DNS:client")
        cls.deployment.keys.authority("unknown-authority")
        cls.deployment.keys.certificate("untrusted", "subjectAltName=DNS:localhost", authority="unknown-authority")
        cls.deployment.keys.certificate("expired", "subjectAltName=DNS:localhost", days=(-3, -1))
        cls.deployment.keys.certificate("misnamed", "subjectAltName=DNS:elsewhere.example.com")
        cls.deployment.start_simulator("--client-ca", cls.deployment.keys.path("authority.pem"))

    @classmethod
    def tearDownClass(cls) -> None:
        cls.deployment.stop()

    def setUp(self) -> None:
        self.reset_simulator()

    def reset_simulator(self) -> None:
        """Removes the rules of the simulator, and sets its counters to 0."""
        self.deployment.simulator.ask("calm")
        self.deployment.simulator.ask("reset")

    @contextmanager
    def case(self, *lines: Dict[str, Any]) -> Iterator[None]:
        """A case of a test: these faults, with a simulator as at the beginning of a test."""
        self.reset_simulator()
        with self.subTest(lines):
            yield

    def received_during(self, *lines: Dict[str, Any], pushes: int = 4, least: int = 0) -> List[str]:
        """Returns what a client receives during these faults, `least` words at least, after the first push and the
        SETTINGS."""
        with RawHTTP2Connection(self.deployment) as connection:
            connection.begin()
            self.deployment.simulator.add_rules(*lines)
            connection.push(pushes)
            return connection.received(least)

    def assert_answers(self, *lines: Dict[str, Any], expected: List[str], accepted: int,
                       is_ordered: bool = True) -> None:
        """Four pushes during these faults get the expected answers; the simulator accepts `accepted` of them."""
        with self.case(*lines):
            received = self.received_during(*lines, least=len(expected))
            self.assertEqual(received if is_ordered else sorted(received),
                             expected if is_ordered else sorted(expected))
            first_push = 1
            self.assertEqual(self.deployment.simulator.stats()["accepted"], accepted + first_push)

    def test_a_reset_ends_its_stream_alone(self) -> None:
        self.assert_answers({"fault": "reset", "code": "REFUSED_STREAM", "nth": 2}, accepted=3,
                            expected=["200 3", "RST_STREAM 5 REFUSED_STREAM", "200 7", "200 9"])
        self.assert_answers({"fault": "reset", "code": "ENHANCE_YOUR_CALM", "every": 2}, accepted=4,
                            expected=["200 3", "RST_STREAM 5 ENHANCE_YOUR_CALM", "200 7",
                                      "RST_STREAM 9 ENHANCE_YOUR_CALM"])

    def test_a_reset_push_counts_as_accepted_unless_it_was_not_processed(self) -> None:
        self.assert_answers({"fault": "reset", "code": "CANCEL", "nth": 2}, accepted=4,
                            expected=["200 3", "RST_STREAM 5 CANCEL", "200 7", "200 9"])
        self.assert_answers({"fault": "reset", "processed": False, "nth": 2}, accepted=3,
                            expected=["200 3", "RST_STREAM 5 INTERNAL_ERROR", "200 7", "200 9"])

    def test_silence_keeps_an_answer_back(self) -> None:
        self.assert_answers({"fault": "silence", "every": 3}, accepted=4, expected=["200 3", "200 5", "200 9"])

    def test_a_delayed_answer_comes_after_the_others(self) -> None:
        self.assert_answers({"fault": "delay", "milliseconds": 100, "nth": 1}, accepted=4,
                            expected=["200 5", "200 7", "200 9", "200 3"])

    def test_random_delays_lose_no_answer(self) -> None:
        self.assert_answers({"fault": "delay", "mean": 5}, accepted=4, is_ordered=False,
                            expected=["200 3", "200 5", "200 7", "200 9"])

    def test_reverse_turns_the_order_of_some_answers_round(self) -> None:
        self.assert_answers({"fault": "reverse", "count": 3}, accepted=4,
                            expected=["200 7", "200 5", "200 3", "200 9"])

    # Answers with bodies are sent after the others, in any order: frames of one stream keep theirs.

    def test_split_divides_the_body_of_an_answer_into_frames(self) -> None:
        self.assert_answers({"status": 503, "nth": 4}, {"fault": "split", "bytes": 12}, accepted=3, is_ordered=False,
                            expected=["200 3", "200 5", "200 7", "HEADERS 9",
                                      'DATA 9 {"reason":"S', "DATA 9 erviceUnavai", 'DATA 9 lable"}'])

    def test_a_status_is_for_pushes_with_its_prefix(self) -> None:
        self.assert_answers({"status": 429, "times": 1, "prefix": "ab"}, {"status": 500, "prefix": "cd"}, accepted=3,
                            is_ordered=False,
                            expected=["200 5", "200 7", "200 9", "HEADERS 3", 'DATA 3 {"reason":"TooManyRequests"}'])

    def test_a_fault_that_is_not_due_changes_no_answer(self) -> None:
        for line in ({"fault": "silence", "probability": 0}, {"fault": "silence", "after": 60_000}):
            self.assert_answers(line, accepted=4, expected=["200 3", "200 5", "200 7", "200 9"])

    def test_a_connection_that_ends_waits_for_the_end_of_the_client(self) -> None:
        # A closed socket answers what still comes with a reset: a client may then lose answers that it has not read.
        with RawHTTP2Connection(self.deployment) as connection:
            connection.begin()
            self.deployment.simulator.add_rules({"fault": "goaway", "at": "now"})
            self.assertEqual(connection.received(2), ["GOAWAY 1 NO_ERROR", "end"])
            for _ in range(2):
                connection.sock.sendall(frame(PING, 0, 0, bytes(8)))
            self.assertFalse(connection.is_reset)
        eventually(lambda: self.deployment.simulator.stats()["connections"] == 0, "the connection has ended")

    def test_each_goaway_names_its_last_stream_and_ends_the_connection(self) -> None:
        at = {"fault": "goaway", "nth": 3}
        cases = [
            ({**at, "form": "some"}, ["200 3", "200 5", "GOAWAY 5 NO_ERROR"]),
            ({**at, "form": "none", "reason": "BadCertificateEnvironment"},
             ["200 3", "200 5", 'GOAWAY 0 NO_ERROR {"reason":"BadCertificateEnvironment"}']),
            ({**at, "form": "all", "reason": "Shutdown", "count": 2},
             ["200 3", "200 5", "200 7", "200 9"] + ['GOAWAY 9 NO_ERROR {"reason":"Shutdown"}'] * 2),
            ({**at, "form": "graceful"},
             ["200 3", "200 5", "200 7", "200 9", "GOAWAY max NO_ERROR", "GOAWAY 9 NO_ERROR"]),
        ]
        for line, expected in cases:
            with self.case(line):
                received = self.received_during(line, least=len(expected) + 1)
                self.assertEqual(sorted(received), sorted(expected + ["end"]))
                self.assertEqual(received[-1], "end", "with its streams the connection ends")

    def test_each_fault_with_frames_sends_its_frames(self) -> None:
        cases: List[Tuple[Dict[str, Any], List[str]]] = [
            ({"fault": "settings", "max-streams": 0, "window": 1, "max-frame": 65_536, "header-table": 0, "unknown": 9},
             ["SETTINGS 1=0 3=0 4=1 5=65536 f0f0=9"]),
            ({"fault": "pings", "count": 3}, ["PING"] * 3),
            ({"fault": "frame", "name": "unknown"}, ["frame bb", "frame bc"]),
            ({"fault": "frame", "name": "junk"}, ["frame 2", "frame a", "frame c"]),
            ({"fault": "frame", "name": "empty-window"}, []),
            ({"fault": "frame", "name": "push-promise"}, ["frame 5"]),
            ({"fault": "frame", "name": "many-settings"}, ["SETTINGS" + " f0f0=0" * 33]),
        ]
        for line, expected in cases:
            with self.case(line):
                received = self.received_during({**line, "nth": 1}, pushes=1, least=len(expected) + 1)
                others = [word for word in received if word != "200 3"]
                self.assertEqual(sorted(others if line["fault"] == "pings" else set(others)), expected)

    def test_each_ending_closes_the_connection_in_its_way(self) -> None:
        # The last TLS record can reach a closed socket: then a reset follows the FIN.
        for ending, expected in (("polite", {"end"}), ("fin", {"cut", "reset"}), ("reset", {"reset"})):
            close = {"fault": "close", "nth": 3, "ending": ending}
            with self.case(close):
                # Fewer come: the end is waited for.
                received = self.received_during(close, least=99)
                self.assertIn(received[-1], expected)
                self.assertLessEqual(set(received[:-1]), {"200 3", "200 5"}, "only the first two are answered")

    def test_the_freeze_fault_silences_the_connection(self) -> None:
        self.assertEqual(self.received_during({"fault": "freeze", "nth": 1}), [])

    def test_faults_at_now_need_no_push(self) -> None:
        with RawHTTP2Connection(self.deployment) as connection:
            connection.begin()
            self.deployment.simulator.add_rules({"fault": "settings", "at": "now", "max-streams": 1})
            self.deployment.simulator.add_rules({"fault": "goaway", "at": "now", "after": 100})
            self.assertEqual(connection.received(3), ["SETTINGS 3=1", "GOAWAY 1 NO_ERROR", "end"])
        self.assertEqual(self.deployment.simulator.stats()["faults"], {"goaway": 1, "settings": 1})

    def test_the_simulator_ignores_pings_only_during_the_fault(self) -> None:
        with RawHTTP2Connection(self.deployment) as connection:
            connection.received()
            ping = frame(PING, 0, 0, b"12345678")
            answer = frame(PING, ACKNOWLEDGEMENT, 0, b"12345678")

            def answer_to(request: bytes) -> bytes:
                connection.sock.sendall(request)
                connection.sock.settimeout(0.3)
                try:
                    return connection.sock.recv(100)
                except (TimeoutError, socket.timeout):
                    return b""

            for is_mute in (False, True, False):
                self.deployment.simulator.ask("calm")
                if is_mute:
                    self.deployment.simulator.add_rules({"fault": "ignore-pings", "at": "now"})
                    eventually(lambda: self.deployment.simulator.stats()["faults"].get("ignore-pings"), "it begins")
                    # The first may have come before the fault.
                    eventually(lambda: answer_to(ping) == b"", "no PING is answered")
                    self.assertEqual([answer_to(ping) for _ in range(2)][1:], [b""])
                else:
                    eventually(lambda: answer_to(ping) == answer, "the PING is answered")

    def test_the_simulator_reads_at_the_rate_of_the_fault(self) -> None:
        with RawHTTP2Connection(self.deployment) as connection:
            connection.begin()
            self.deployment.simulator.add_rules({"fault": "slow-read", "at": "now", "rate": 1000})
            eventually(lambda: self.deployment.simulator.stats()["faults"].get("slow-read"), "the fault begins")
            connection.push(10)
            started = time.monotonic()
            received: List[str] = []
            while len(received) < 10 and time.monotonic() < started + TIMEOUT_SECONDS:
                received += connection.received(timeout=0.1)
            self.assertGreater(time.monotonic() - started, 0.9, "ten pushes are more than a thousand bytes")
            self.assertEqual(len(received), 10)

    def test_each_fault_of_a_handshake_fails_it(self) -> None:
        def certificate(name: str) -> Dict[str, Any]:
            return {"certificate": self.deployment.keys.path(name + ".pem"),
                    "key": self.deployment.keys.path(name + ".key")}

        cases: List[Tuple[Dict[str, Any], str]] = [
            ({"fault": "tls", **certificate("untrusted")}, "unable to get local issuer certificate"),
            ({"fault": "tls", **certificate("expired")}, "certificate has expired"),
            ({"fault": "tls", **certificate("misnamed")}, "Hostname mismatch"),
            ({"fault": "tls", "protocols": ["http/1.1"]}, "no application protocol"),
            ({"fault": "tls", "hello": "tls-1.1"}, "protocol"),
            ({"fault": "tls", "hello": "alert"}, "handshake failure"),
            ({"fault": "tls", "hello": "garbage"}, "wrong version number"),
            ({"fault": "close", "at": "accept", "ending": "reset"}, "reset by peer"),
            ({"fault": "close", "at": "accept", "ending": "fin"}, ""),
            ({"fault": "freeze", "at": "accept", "milliseconds": 200}, ""),
        ]
        for line, expected in cases:
            with self.case(line):
                self.deployment.simulator.add_rules(line)
                with self.assertRaises(OSError) as caught:
                    RawHTTP2Connection(self.deployment).received(1)
                self.assertIn(expected, str(caught.exception))

    def test_the_tls_fault_can_agree_on_no_protocol(self) -> None:
        self.deployment.simulator.add_rules({"fault": "tls", "protocols": []})
        with RawHTTP2Connection(self.deployment) as connection:
            self.assertIsNone(connection.sock.selected_alpn_protocol())

    def test_the_freeze_fault_can_keep_back_the_settings(self) -> None:
        self.deployment.simulator.add_rules({"fault": "freeze", "at": "open"})
        with RawHTTP2Connection(self.deployment) as connection:
            self.assertEqual(connection.received(), [], "not even SETTINGS")

    def test_invalid_rules_are_refused(self) -> None:
        for line in ('{"fault":"unknown"}', '{"fault":"silence","probabilty":1}', '{"fault":"silence","at":"accept"}',
                     '{"fault":"reset","code":"OOPS"}', '{"fault":"frame","name":"nice"}', '{"fault":"settings"}',
                     '{"fault":"delay"}', '{"fault":"delay","min":5,"max":4}', '{"fault":"silence","probability":2}',
                     '{"fault":"silence","nth":0}', '{"fault":"tls","certificate":"/nowhere"}',
                     '{"fault":"settings","window":2147483648}', '{"fault":"pings","count":1000000}', '{"status":99}',
                     '{"status":410,"prefx":"dead"}', '{"status":410,"token":"00"}',
                     '{"token":"00","state":"unregistered","after":5}'):
            with self.subTest(line):
                self.assertIn("error", self.deployment.simulator.ask("rule " + line)[0])


if __name__ == "__main__":
    unittest.main()
