"""What the behaviour vectors cannot show: writes, bounds, hooks, by bytes and without a socket."""
from __future__ import annotations

import unittest
from typing import Any, List

from carillon import CarillonError
from carillon import _codec as codec
from carillon._calls import DONE, Call, Waiter
from carillon._call_dispatcher import Action, CallDispatcher
from carillon._queue import MAXIMUM_WRITE_BYTES
from carillon._results import perform_reports
from carillon.client import parse_position
from carillon.operations import Operations
from carillon.options import CallReport, Options, RetryReport

from .loopback_server import answer, error, frames, open_connection
from .support import APP

LOOKUP = codec.OPERATIONS["lookup"]
DEVICE = {"device_id": 7, "environment": 1, "kind": 1, "token": b"t", "registered_at": 0, "seen_at": 0, "state": 1}


def lookup(now: float = 0.0, timeout: float = 10.0, app: str = APP) -> Call[Any]:
    call: Call[Any] = Call.of(LOOKUP, {"app": app, "device": b"\2" + bytes(8)}, LOOKUP.answer.read)
    call.begin_at(now, timeout)
    return call


def opened(**options: Any) -> Any:
    dispatcher = CallDispatcher(Options(addresses="127.0.0.1:1", **options))
    dispatcher.connect(Waiter("connect", 0.0, 10.0), 0.0)
    connection = open_connection(dispatcher)
    dispatcher.results.finished.clear()
    return dispatcher, connection


CLUSTER, POSITION = b"c" * 16, 5


def node(name: str, cluster: bytes = CLUSTER) -> Any:
    """What HELLO of a node of a cluster has besides."""
    return {"node": name, "cluster": cluster}


class LogPositionsTests(unittest.TestCase):
    """POS of the contract: what was seen at one node is asked for at the next."""

    def setUp(self) -> None:
        self.dispatcher = CallDispatcher(Options(addresses="127.0.0.1:1,127.0.0.1:2"))

    def connected(self, now: float = 0.0, **hello: Any) -> Any:
        self.dispatcher.start(lookup(now), now)
        self.dispatcher.commands = [each for each in self.dispatcher.commands if each.action is Action.CONNECT]
        return open_connection(self.dispatcher, now, **hello)

    def written(self, connection: Any, now: float = 0.0) -> List[Any]:
        """The opcodes that are written, POSITION with its number."""
        return [(opcode, int.from_bytes(payload, "big")) if opcode == POSITION else opcode
                for opcode, _, payload in frames(self.dispatcher.output(connection, now))]

    def test_the_position_of_one_node_is_sent_to_the_next(self) -> None:
        first = self.connected(**node("a"))
        self.assertEqual(self.written(first), [LOOKUP.opcode])
        self.dispatcher.received(first, codec.position_frame(41) + codec.position_frame(40), 0.0)
        self.dispatcher.ended(first, None, 0.1)
        second = self.connected(0.2, **node("b"))
        self.assertEqual(self.written(second, 0.2), [(POSITION, 41), LOOKUP.opcode, LOOKUP.opcode])

    def test_another_cluster_and_a_single_server_get_no_position(self) -> None:
        first = self.connected(**node("a"))
        self.dispatcher.received(first, codec.position_frame(41), 0.0)
        self.dispatcher.ended(first, None, 0.1)
        other = self.connected(0.2, **node("x", b"x" * 16))
        self.assertEqual(set(self.written(other, 0.2)), {LOOKUP.opcode})
        self.dispatcher.received(other, codec.position_frame(3), 0.2)
        self.assertEqual(self.dispatcher.position.seen, (b"x" * 16, 3))
        self.dispatcher.ended(other, None, 0.3)
        single = self.connected(0.4)
        self.dispatcher.received(single, codec.position_frame(9), 0.4)
        self.assertEqual(set(self.written(single, 0.4)), {LOOKUP.opcode})
        self.assertEqual(self.dispatcher.position.seen, (b"x" * 16, 3))

    def test_the_observed_position_of_another_client_is_sent(self) -> None:
        connection = self.connected(**node("a"))
        self.dispatcher.read_after(CLUSTER, 7, 0.0)
        self.dispatcher.read_after(CLUSTER, 6, 0.0)
        self.dispatcher.read_after(b"x" * 16, 8, 0.0)
        self.assertEqual(self.written(connection), [(POSITION, 7), LOOKUP.opcode])

    def test_a_node_that_is_behind_is_left_for_another(self) -> None:
        first = self.connected(**node("a"))
        _, id, _ = frames(self.dispatcher.output(first, 0.0))[-1]
        self.dispatcher.received(first, error(LOOKUP.opcode, id, 28, 500), 0.0)
        self.dispatcher.tick(1.0)
        second = next(each.connection for each in self.dispatcher.commands if each.action is Action.CONNECT)
        self.assertEqual(second.address.text, "127.0.0.1:2")

    def test_a_text_that_is_no_position_is_refused(self) -> None:
        self.assertEqual(parse_position("63636363-6363-6363-6363-636363636363:7"), (CLUSTER, 7))
        for text in ("", "7", "x:7", "63636363-6363-6363-6363-636363636363:",
                     "63636363-6363-6363-6363-636363636363:-1"):
            with self.subTest(text), self.assertRaises(CarillonError):
                parse_position(text)


class RequestWritesTests(unittest.TestCase):
    def test_all_waiting_requests_go_out_in_one_write_of_at_most_64_kib(self) -> None:
        dispatcher, connection = opened()
        for _ in range(600):
            dispatcher.start(lookup(app="a" * 155), 0.0)
        sizes = []
        while True:
            data = dispatcher.output(connection, 0.0)
            if not data:
                break
            sizes.append(len(data))
        self.assertEqual(len(sizes), 2)
        self.assertLessEqual(max(sizes), MAXIMUM_WRITE_BYTES)
        self.assertEqual(sum(sizes), 600 * (16 + 2 + 155 + 9 + 7))

    def test_ids_ascend_by_one_in_the_order_of_the_calls(self) -> None:
        dispatcher, connection = opened()
        calls = [lookup() for _ in range(5)]
        for call in calls:
            dispatcher.start(call, 0.0)
        dispatcher.cancel(calls[2], 0.0)
        self.assertEqual([id for _, id, _ in frames(dispatcher.output(connection, 0.0))], [2, 3, 4, 5])
        self.assertEqual([call.id for call in calls[:2] + calls[3:]], [2, 3, 4, 5])

    def test_a_ping_of_the_server_is_answered_before_the_requests(self) -> None:
        dispatcher, connection = opened()
        dispatcher.start(lookup(), 0.0)
        dispatcher.received(connection, codec.ping_frame(b"12345678"), 0.0)
        self.assertEqual([opcode for opcode, _, _ in frames(dispatcher.output(connection, 0.0))], [3, LOOKUP.opcode])

    def test_a_server_that_only_pings_is_closed(self) -> None:
        dispatcher, connection = opened()
        for _ in range(101):
            dispatcher.received(connection, codec.ping_frame(b"12345678"), 0.5)
        self.assertTrue(connection.has_ended)

    def test_memory_is_given_back(self) -> None:
        dispatcher, connection = opened(maximum_waiting_calls=1, maximum_in_flight=1)
        calls = [lookup(timeout=1.0 + index) for index in range(4)]
        for call in calls:
            dispatcher.start(call, 0.0)
            dispatcher.output(connection, 0.0)
        self.assertEqual([call.error.code for call in calls if call.error], ["OVERLOADED", "OVERLOADED"])
        dispatcher.received(connection, answer("lookup", calls[0].id, DEVICE), 0.1)
        dispatcher.tick(20.0)
        self.assertEqual((dispatcher.queue.request_bytes, [call.state for call in calls]), (0, [DONE] * 4))

    def test_late_calls_end_together(self) -> None:
        dispatcher, connection = opened(maximum_in_flight=1)
        calls = [lookup(timeout=1.0) for _ in range(5000)]
        for call in calls:
            dispatcher.start(call, 0.0)
        dispatcher.output(connection, 0.0)
        dispatcher.tick(1.0)
        self.assertEqual([call.error.effect if call.error else "" for call in calls[:2]],
                         ["not_executed", "not_executed"])  # the first is written, and only reads
        self.assertEqual({call.error.code for call in calls if call.error}, {"NO_ANSWER"})
        self.assertEqual(len(dispatcher.results.finished), 5000)


class ClientTimersTests(unittest.TestCase):
    def test_the_client_wakes_for_the_first_deadline_and_not_earlier(self) -> None:
        dispatcher, connection = opened()
        dispatcher.start(lookup(timeout=1.0), 0.0)
        dispatcher.output(connection, 0.0)
        self.assertEqual(dispatcher.wake_at, 1.0)
        dispatcher.tick(dispatcher.wake_at)
        self.assertGreater(dispatcher.wake_at, 2.0)  # the probe of a server that does not answer

    def test_a_client_without_work_does_not_wake(self) -> None:
        dispatcher = CallDispatcher(Options(addresses="127.0.0.1:1"))
        dispatcher.tick(5.0)
        self.assertEqual(dispatcher.wake_at, float("inf"))


class HooksTests(unittest.TestCase):
    def test_calls_and_retries_are_reported_and_what_hooks_raise_is_dropped(self) -> None:
        calls: List[CallReport] = []
        retries: List[RetryReport] = []

        def on_call(report: CallReport) -> None:
            calls.append(report)
            raise ValueError

        dispatcher, connection = opened(on_call=on_call, on_retry=retries.append, backoff=0.1, maximum_attempts=2)
        call = lookup()
        dispatcher.start(call, 0.0)
        dispatcher.output(connection, 0.0)
        dispatcher.received(connection, error(LOOKUP.opcode, 2, 16, 500), 1.0)
        dispatcher.tick(2.0)
        dispatcher.output(connection, 2.0)
        dispatcher.received(connection, error(LOOKUP.opcode, 3, 16, 500), 3.0)
        perform_reports(dispatcher.results.reports, 3.0)
        self.assertEqual([(each.operation, each.address, each.duration, each.attempts, each.code, each.effect)
                          for each in calls], [("lookup", "127.0.0.1:1", 3.0, 2, "OVERLOADED", "not_executed")])
        self.assertEqual([(each.operation, each.attempt, each.error.code) for each in retries],
                         [("lookup", 1, "OVERLOADED")])
        self.assertTrue(0.55 <= retries[0].pause <= 0.6, retries[0].pause)

    def test_a_success_has_no_code(self) -> None:
        calls: List[CallReport] = []
        dispatcher, connection = opened(on_call=calls.append)
        dispatcher.start(lookup(), 0.0)
        dispatcher.output(connection, 0.0)
        dispatcher.received(connection, answer("lookup", 2, DEVICE), 0.5)
        perform_reports(dispatcher.results.reports, 0.5)
        self.assertEqual([(each.code, each.effect, each.duration) for each in calls], [(None, "not_executed", 0.5)])

    def test_a_call_that_changes_something_is_reported_as_executed(self) -> None:
        calls: List[CallReport] = []
        dispatcher, connection = opened(on_call=calls.append)
        operation = codec.OPERATIONS["forget_subscriber"]
        call: Call[Any] = Call.of(operation, {"name": "n"}, operation.answer.read)
        call.begin_at(0.0, 10.0)
        dispatcher.start(call, 0.0)
        dispatcher.output(connection, 0.0)
        dispatcher.received(connection, answer("forget_subscriber", 2, {"result": 1}), 0.5)
        perform_reports(dispatcher.results.reports, 0.5)
        self.assertEqual([(each.code, each.effect) for each in calls], [(None, "executed")])


class ConnectionFaultsTests(unittest.TestCase):
    def test_an_answer_with_a_row_that_cannot_be_read_ends_the_connection_and_not_the_client(self) -> None:
        dispatcher, connection = opened(maximum_attempts=2)
        call = Operations.devices.build(Operations(), APP)
        call.begin_at(0.0, 10.0)
        dispatcher.start(call, 0.0)
        dispatcher.output(connection, 0.0)
        dispatcher.received(connection, answer("devices", 2, {"next": 0, "devices": [b"\0"]}), 0.1)
        self.assertTrue(connection.has_ended)
        dispatcher.tick(1.0)
        dispatcher.commands.pop(0)  # to close the first connection
        connection = open_connection(dispatcher, 1.0)
        self.assertEqual([(opcode, id) for opcode, id, _ in frames(dispatcher.output(connection, 1.0))],
                         [(codec.OPERATIONS["devices"].opcode, 2)])
        dispatcher.received(connection, answer("devices", 2, {"next": 0, "devices": [b"\0"]}), 1.1)
        assert call.error is not None
        self.assertEqual((call.error.code, call.error.effect, call.attempts), ("CONNECTION_LOST", "not_executed", 2))

    def test_the_time_of_an_error_of_the_connection_is_no_part_of_the_pause(self) -> None:
        dispatcher = CallDispatcher(Options(addresses="127.0.0.1:1,127.0.0.1:2", backoff=0.1))
        call = lookup()
        dispatcher.start(call, 0.0)
        connection = open_connection(dispatcher)
        dispatcher.output(connection, 0.0)
        dispatcher.received(connection, error(LOOKUP.opcode, 2, 16, 5000, scope=1), 1.0)
        self.assertTrue(1.05 <= call.resumes_at <= 1.1, call.resumes_at)
        dispatcher.tick(1.1)
        dispatcher.commands.pop(0)  # to close the first connection
        connection = open_connection(dispatcher, 1.1)
        self.assertEqual(connection.address.text, "127.0.0.1:2")
        self.assertEqual([opcode for opcode, _, _ in frames(dispatcher.output(connection, 1.1))], [LOOKUP.opcode])


class AddressSelectionTests(unittest.TestCase):
    def test_shuffled_addresses_are_drawn_once(self) -> None:
        texts = [f"127.0.0.1:{port}" for port in range(1, 33)]
        orders = set()
        for _ in range(5):
            dispatcher = CallDispatcher(Options(addresses=texts, address_order="shuffled"))
            order = tuple(each.address.text for each in dispatcher.servers.targets)
            self.assertEqual(sorted(order), sorted(texts))
            orders.add(order)
        self.assertEqual(len(orders), 5)  # of 32! orders: the same twice would be no chance

    def test_pauses_have_a_certain_half_and_a_limit(self) -> None:
        dispatcher = CallDispatcher(Options(addresses="127.0.0.1:1", backoff=0.1, maximum_backoff=1.0))
        for count, whole in ((1, 0.1), (2, 0.2), (4, 0.8), (5, 1.0), (5000, 1.0)):
            pause = dispatcher.servers.random_pause(count)
            self.assertTrue(whole / 2 <= pause <= whole, (count, pause))

    def test_a_key_that_cannot_be_read_is_a_failed_attempt(self) -> None:
        dispatcher = CallDispatcher(Options(addresses="127.0.0.1:1", api_key_file=__file__ + ".missing"))
        waiter = Waiter("connect", 0.0, 10.0)
        dispatcher.connect(waiter, 0.0)
        assert waiter.error is not None
        self.assertEqual((waiter.error.code, waiter.error.causes),
                         ("CANNOT_CONNECT", ["127.0.0.1:1: CANNOT_CONNECT: the key cannot be read: FileNotFoundError"]))


class ClientErrorsTests(unittest.TestCase):
    def test_an_unknown_number_has_a_name(self) -> None:
        dispatcher, connection = opened()
        call = lookup()
        dispatcher.start(call, 0.0)
        dispatcher.output(connection, 0.0)
        dispatcher.received(connection, error(LOOKUP.opcode, 2, 4711, codec.NEVER), 0.1)
        assert call.error is not None
        self.assertEqual((call.error.code, call.error.number, call.error.is_transient), ("UNKNOWN_4711", 4711, False))

    def test_each_call_has_an_error_of_its_own(self) -> None:
        dispatcher, connection = opened()
        calls = [lookup(), lookup()]
        for call in calls:
            dispatcher.start(call, 0.0)
        dispatcher.close(0.0, 0.0)
        self.assertIsNot(calls[0].error, calls[1].error)
        self.assertEqual({type(call.error) for call in calls}, {CarillonError})


if __name__ == "__main__":
    unittest.main()
