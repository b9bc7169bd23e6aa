"""Streams of events: by bytes what behaviour vectors do not show, and both clients with threads and tasks."""
from __future__ import annotations

import asyncio
import gc
import threading
import time
import unittest
from typing import Any, List

from carillon import CarillonError, Client, aio
from carillon import _codec as codec
from carillon._call_dispatcher import CallDispatcher
from carillon._streams import CREDIT, SUBSCRIBE, UNSUBSCRIBE, Stream, subscription_fields
from carillon.answers import Event
from carillon.options import Options

from .loopback_server import LoopbackServer, answer, error, event, frames, open_connection


def subscribed(window: int = 4, timeout: float = 10.0) -> Any:
    """Returns a dispatcher, its connection, and a stream that waits for the answer to its SUBSCRIBE_EVENTS, id 2."""
    dispatcher = CallDispatcher(Options(addresses="127.0.0.1:1", backoff=0.1))
    stream = Stream(subscription_fields("ops", [], []), "acknowledged", window, timeout)
    dispatcher.subscribe(stream, 0.0)
    connection = open_connection(dispatcher)
    sent = frames(dispatcher.output(connection, 0.0))
    assert [(opcode, id) for opcode, id, _ in sent] == [(SUBSCRIBE.opcode, 2)], sent
    return dispatcher, connection, stream


def requests(dispatcher: CallDispatcher, connection: Any, now: float) -> List[Any]:
    """Returns names and fields of the requests that are written now."""
    by_opcode = {each.opcode: each for each in (SUBSCRIBE, CREDIT, UNSUBSCRIBE)}
    written = []
    for opcode, _, payload in frames(dispatcher.output(connection, now)):
        operation = by_opcode[opcode]
        layout = codec.Layout(operation.request.fixed, ((2, "deadline_ms", "u32"),))
        fields = layout.read(payload)
        del fields["deadline_ms"]
        written.append((operation.name, fields))
    return written


class StreamBytesTests(unittest.TestCase):
    def test_a_credit_that_is_refused_for_a_time_is_granted_again_for_the_same_subscription(self) -> None:
        dispatcher, connection, stream = subscribed()
        dispatcher.received(connection, answer("subscribe_events", 2, {"after": 10}) + event(2, 11) + event(2, 12), 0.0)
        stream.take()
        stream.take()
        credit = ("event_credit", {"subscription": 2, "credit": 6, "ack": 0})
        self.assertEqual(requests(dispatcher, connection, 0.0), [credit])
        dispatcher.received(connection, error(CREDIT.opcode, 3, 16, 500), 1.0)
        self.assertEqual(requests(dispatcher, connection, 1.5), [])
        self.assertLessEqual(dispatcher.wake_at, 1.6)
        dispatcher.tick(1.6)
        self.assertEqual(requests(dispatcher, connection, 1.6), [credit])
        dispatcher.received(connection, answer("event_credit", 4, {}), 1.7)
        stream.acknowledge(12)
        credit = ("event_credit", {"subscription": 2, "credit": 6, "ack": 12})
        self.assertEqual(requests(dispatcher, connection, 1.7), [credit])

    def test_the_last_acknowledgement_is_sent_again_before_the_end(self) -> None:
        dispatcher, connection, stream = subscribed()
        dispatcher.received(connection, answer("subscribe_events", 2, {"after": 10}) + event(2, 11), 0.0)
        stream.take()
        stream.acknowledge(11)
        dispatcher.subscriptions.close(stream)
        credit = ("event_credit", {"subscription": 2, "credit": 4, "ack": 11})
        self.assertEqual(requests(dispatcher, connection, 0.0), [credit])
        dispatcher.received(connection, error(CREDIT.opcode, 3, 16, 0), 1.0)
        dispatcher.tick(1.1)
        self.assertEqual(requests(dispatcher, connection, 1.1), [credit])
        dispatcher.received(connection, answer("event_credit", 4, {}), 1.2)
        self.assertEqual(requests(dispatcher, connection, 1.2), [("unsubscribe_events", {"subscription": 2})])
        dispatcher.received(connection, answer("unsubscribe_events", 5, {}), 1.3)
        self.assertEqual((stream.has_ended, stream.error, dispatcher.subscriptions.streams), (True, None, []))

    def test_a_subscription_that_is_accepted_too_late_does_not_remain(self) -> None:
        dispatcher, connection, stream = subscribed(timeout=1.0)
        dispatcher.tick(1.0)
        self.assertEqual(stream.error.code, "NO_ANSWER")
        self.assertFalse(stream.is_awaited)
        self.assertGreater(dispatcher.wake_at, 1.1)
        dispatcher.received(connection, answer("subscribe_events", 2, {"after": 10}), 2.0)
        self.assertEqual(requests(dispatcher, connection, 2.0), [("unsubscribe_events", {"subscription": 2})])
        dispatcher.received(connection, answer("unsubscribe_events", 3, {}), 2.1)
        self.assertEqual((stream.has_ended, dispatcher.subscriptions.streams), (True, []))

    def test_a_closed_stream_ends_with_its_connection(self) -> None:
        dispatcher, connection, stream = subscribed()
        dispatcher.received(connection, answer("subscribe_events", 2, {"after": 10}), 0.0)
        dispatcher.subscriptions.close(stream)
        dispatcher.ended(connection, None, 0.1)
        self.assertEqual((stream.has_ended, stream.error, dispatcher.current), (True, None, None))
        self.assertEqual(dispatcher.subscriptions.streams, [])

    def test_a_client_that_closes_ends_streams_that_wait_for_a_connection(self) -> None:
        dispatcher, connection, stream = subscribed()
        dispatcher.received(connection, answer("subscribe_events", 2, {"after": 10}), 0.0)
        dispatcher.ended(connection, None, 0.1)
        dispatcher.close(0.2, 5.0)
        self.assertEqual((stream.has_ended, dispatcher.is_closed), (True, True))


class BlockingStreamTests(unittest.TestCase):
    def setUp(self) -> None:
        self.server = LoopbackServer()
        self.addCleanup(self.server.close)

    def test_each_event_goes_to_one_of_the_threads_that_wait(self) -> None:
        with Client(self.server.address) as client, client.events() as events:
            taken: List[Any] = []
            threads = [threading.Thread(target=lambda: taken.append(events.take(timeout=10))) for _ in range(4)]
            for thread in threads:
                thread.start()
            for sequence in range(1, 5):
                self.server.event(sequence)
                # All threads wake for each event, and one of them gets it.
                while len(taken) < sequence and any(thread.is_alive() for thread in threads):
                    time.sleep(0.001)  # pause: the threads run
            for thread in threads:
                thread.join(10)
            self.assertEqual([each and each.sequence for each in taken], [1, 2, 3, 4])
            self.assertIsNone(events.take(timeout=0))

    def test_a_stream_keeps_its_client(self) -> None:
        events = Client(self.server.address).events()
        gc.collect()
        self.server.event(1)
        element = events.take(timeout=10)
        assert isinstance(element, Event)
        self.assertEqual(element.sequence, 1)
        events.close()
        self.assertEqual(list(events), [])

    def test_a_client_that_is_closed_while_it_subscribes_says_so(self) -> None:
        self.server.is_mute = True
        client = Client(self.server.address).connect()
        threading.Timer(0.1, lambda: client.close(0)).start()
        with self.assertRaises(CarillonError) as caught:
            client.events()
        self.assertEqual((caught.exception.code, caught.exception.effect), ("CLOSED", "not_executed"))
        client.close()


class AsyncioStreamTests(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        asyncio.get_running_loop().set_debug(False)
        self.server = LoopbackServer()
        self.addCleanup(self.server.close)

    async def test_each_event_goes_to_one_of_the_tasks_that_wait(self) -> None:
        async with aio.Client(self.server.address) as client, client.events() as events:
            tasks = [asyncio.create_task(events.take(timeout=10)) for _ in range(4)]
            await asyncio.sleep(0)  # pause: the tasks begin
            taken: List[Any] = []
            rest = set(tasks)
            for sequence in range(1, 5):
                self.server.event(sequence)
                done, rest = await asyncio.wait(rest, return_when=asyncio.FIRST_COMPLETED)
                taken += [task.result() for task in done]
            self.assertEqual([each and each.sequence for each in taken], [1, 2, 3, 4])

    async def test_taking_nothing_leaves_nothing(self) -> None:
        async with aio.Client(self.server.address) as client, client.events() as events:
            for _ in range(50):
                self.assertIsNone(await events.take(timeout=0.001))
            self.assertEqual(len(events._stream.waiters), 0)


if __name__ == "__main__":
    unittest.main()
