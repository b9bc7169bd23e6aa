"""Streams of events of the client."""
import time
import unittest
from typing import Any

import crln
from crln import CarillonError
from scripted_server import APP, ClientTestCase, ScriptedServer, ServerConnection, serve_one


class EventsTests(ClientTestCase):
    """Credit, gaps, acknowledgements, and the end of a stream."""

    @staticmethod
    def event(connection: ServerConnection, id: int, sequence: int, kind: int = 1, **tags: Any) -> None:
        connection.write("event", {"sequence": sequence, "at": 5, "kind": kind, **tags}, id)

    def test_a_stream_has_events_and_gaps_and_sends_credit_and_acknowledgements(self) -> None:
        def script(connection: ServerConnection) -> None:
            asked = connection.read_frame()
            self.assertEqual(asked.fields, {"name": "ops", "from": 0, "apps": [APP], "kinds": [2], "credit": 4})
            connection.write("subscribe_events", {"after": 40}, asked.id)
            self.event(connection, asked.id, 41, 2, app=APP, message_id=7, outcome=4)
            self.event(connection, asked.id, 49, 0, missed_from=42, missed_to=50)
            credit = connection.read_frame()
            self.assertEqual(credit.fields, {"subscription": asked.id, "credit": 6, "ack": 0})
            connection.write("event_credit", {}, credit.id)
            acknowledgement = connection.read_frame()
            self.assertEqual(acknowledgement.fields, {"subscription": asked.id, "credit": 6, "ack": 49})
            connection.write("event_credit", {}, acknowledgement.id)
            self.event(connection, asked.id, 50, 999)
            end = connection.read_frame()
            self.assertEqual((end.message, end.fields), ("unsubscribe_events", {"subscription": asked.id}))
            self.event(connection, asked.id, 51)  # sent before the server read the request
            connection.write("unsubscribe_events", {}, end.id)

        with ScriptedServer(script) as server, server.client() as client:
            with client.events(name="ops", apps=[APP], kinds=["delivery-failed"], window=4) as stream:
                self.assertEqual(stream.after, 40)
                self.assertEqual(next(stream), {"sequence": 41, "at": 5, "kind": "delivery-failed", "app": APP,
                                                "message_id": 7, "outcome": "gave-up"})
                gap = next(stream)
                self.assertEqual((gap["kind"], gap["missed_from"], gap["missed_to"]), ("gap", 42, 50))
                stream.acknowledge(gap["sequence"])
                self.assertEqual(next(stream)["kind"], "event-999")
                self.assertIsNone(stream.take(timeout=0.01))
            self.assertEqual(list(stream), [])

    def test_a_lost_connection_ends_the_stream(self) -> None:
        def script(connection: ServerConnection) -> None:
            asked = connection.read_frame()
            connection.write("subscribe_events", {"after": 0}, asked.id)
            self.event(connection, asked.id, 1)

        with ScriptedServer(script) as server, server.client() as client:
            stream = client.events(start=crln.NOW)
            self.assertEqual(next(stream)["kind"], "message-finished")
            for _ in range(2):
                self.error_of(lambda: next(stream), "CONNECTION_LOST", "unknown")

    def test_a_server_that_ignores_the_credit_loses_its_connection(self) -> None:
        def script(connection: ServerConnection) -> None:
            asked = connection.read_frame()
            connection.write("subscribe_events", {"after": 0}, asked.id)
            for sequence in range(1, 4):
                self.event(connection, asked.id, sequence)
            connection.read_exactly(1)

        with ScriptedServer(script) as server, server.client() as client:
            stream = client.events(window=2)
            connection, end = stream._connection, time.monotonic() + 5
            while connection.refusal is None and time.monotonic() < end:
                time.sleep(0.001)  # pause: between two looks at the connection
            self.assertEqual([next(stream)["sequence"]], [1])
            with self.assertRaises(CarillonError):
                list(stream)

    def test_a_refused_subscription_is_an_error_of_the_call(self) -> None:
        def script(connection: ServerConnection) -> None:
            connection.error(connection.read_frame().id, "FORBIDDEN")
            serve_one(connection)

        with ScriptedServer(script) as server, server.client() as client:
            self.error_of(lambda: client.events(), "FORBIDDEN", "not_executed")
            self.error_of(lambda: client.events(apps=["*"]), "INVALID_ARGUMENT", "not_executed")
            self.assertEqual(client._current(1).event_handlers, {})
            self.assertEqual(client.register(APP, "ab")["device_id"], 1)


if __name__ == "__main__":
    unittest.main()
