"""Calls of the client: connections, errors, deadlines, and what is repeated."""
import os
import queue
import socket
import tempfile
import threading
import time
import unittest
from typing import Any

import crln
from crln import Client, Endpoint
from scripted_server import APP, ClientTestCase, ScriptedServer, ServerConnection, answer_created, at_once, serve_one


class CallsTests(ClientTestCase):
    """What becomes of a call when answers, errors and connections come and go."""

    def test_answers_out_of_order_find_their_requests(self) -> None:
        def script(connection: ServerConnection) -> None:
            frames = [connection.read_frame() for _ in range(20)]  # the client sends all before the first answer
            self.assertEqual([frame.id for frame in frames], sorted(frame.id for frame in frames))
            for frame in reversed(frames):
                answer_created(connection, frame, frame.fields["token"][0])

        with ScriptedServer(script) as server, server.client() as client:
            answers = at_once(20, lambda index: client.register(APP, bytes([index + 1]), seen_at=1))
        self.assertEqual([answer["device_id"] for answer in answers], list(range(1, 21)))

    def test_the_key_is_sent_and_a_wrong_one_is_refused(self) -> None:
        with ScriptedServer(serve_one, key=b"right") as server, server.client() as client:
            self.assertEqual(client.register(APP, "ab")["result"], "created")
        with ScriptedServer(serve_one, key=b"right") as server:
            port = server.listener.getsockname()[1]
            error = self.error_of(lambda: Client.connect(port=port, plaintext=True, api_key="wrong"),
                                  "AUTHENTICATION_FAILED", "not_executed")
            self.assertIsNone(error.retry_after)

    def test_a_client_connects_to_a_unix_socket(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "s")
            with ScriptedServer(serve_one, unix_path=path), Client.connect(unix_path=path, timeout=5) as client:
                self.assertEqual(client.register(APP, "ab")["device_id"], 1)

    def test_errors_are_typed(self) -> None:
        def script(connection: ServerConnection) -> None:
            connection.error(connection.read_frame().id, "STALE")
            connection.error(connection.read_frame().id, "INVALID_ARGUMENT", field="devices", item=3)

        with ScriptedServer(script) as server, server.client() as client:
            stale = self.error_of(lambda: client.register(APP, "ab", seen_at=1), "STALE", "not_executed")
            self.assertEqual((stale.scope, stale.retry_after), ("request", None))
            wrong = self.error_of(lambda: client.send(APP, [1], {}), "INVALID_ARGUMENT", "not_executed")
            self.assertEqual((wrong.field, wrong.item), ("devices", 3))

    def test_a_value_out_of_range_is_not_sent(self) -> None:
        with ScriptedServer() as server, server.client() as client:
            error = self.error_of(lambda: client.send(APP, [1], b"[]"), "INVALID_ARGUMENT", "not_executed")
            self.assertEqual(error.field, "payload")
            self.error_of(lambda: client.register(APP, "ab", kind="fax"), "INVALID_ARGUMENT", "not_executed")
            self.error_of(lambda: client.register(APP, "xyz"), "INVALID_ARGUMENT", "not_executed")
            self.error_of(lambda: client.register(APP, "ab", seen_at=-1), "INVALID_ARGUMENT", "not_executed")
            batch = [{"app": APP, "token": "ab"}, {"app": APP, "token": "cd", "seen_at": -1}]
            error = self.error_of(lambda: client.register_batch(batch), "INVALID_ARGUMENT", "not_executed")
            self.assertEqual((error.field, error.item), ("items", 1))

    def test_overload_is_retried_on_the_same_connection(self) -> None:
        def script(connection: ServerConnection) -> None:
            first = connection.read_frame()
            connection.error(first.id, "OVERLOADED", retry=20)
            begun = time.monotonic()
            again = connection.read_frame()
            self.assertGreaterEqual(time.monotonic() - begun, 0.015)
            self.assertGreater(again.id, first.id)
            answer_created(connection, again)

        with ScriptedServer(script) as server, server.client() as client:
            self.assertEqual(client.register(APP, "ab")["device_id"], 1)

    def test_a_lost_connection_repeats_only_what_is_safe(self) -> None:
        def lose(connection: ServerConnection) -> None:
            connection.read_frame()

        with ScriptedServer(lose, serve_one) as server, server.client() as client:
            self.assertEqual(client.register(APP, "ab", seen_at=5)["device_id"], 1)
        for unsafe in (lambda client: client.register(APP, "ab"), lambda client: client.unregister(APP, 7),
                       lambda client: client.send(APP, [1], {}, key=crln.NO_KEY),
                       lambda client: client.register_batch([{"app": APP, "token": "ab", "seen_at": 1},
                                                             {"app": APP, "token": "cd"}])):
            with ScriptedServer(lose) as server, server.client() as client:
                self.error_of(lambda: unsafe(client), "CONNECTION_LOST", "unknown")

    def test_a_repeated_send_has_the_same_key(self) -> None:
        keys: "queue.Queue[bytes]" = queue.Queue()

        def lose(connection: ServerConnection) -> None:
            keys.put(connection.read_frame().fields["key"])

        def answer(connection: ServerConnection) -> None:
            frame = connection.read_frame()
            keys.put(frame.fields["key"])
            connection.write("send", {"message_id": 7, "duplicate": 1, "total": 1, "ended": 0}, frame.id)

        with ScriptedServer(lose, answer) as server, server.client() as client:
            self.assertEqual(client.send(APP, [1], {}), {"message_id": 7, "duplicate": True, "total": 1, "ended": 0})
        first = keys.get()
        self.assertEqual(first, keys.get())
        self.assertNotEqual(first, crln.NO_KEY)

    def test_goaway_moves_new_requests_to_a_new_connection(self) -> None:
        goaway_read = threading.Event()
        moved = threading.Event()

        def old(connection: ServerConnection) -> None:
            frame = connection.read_frame()
            connection.goaway(2**64 - 1, wait=50)
            connection.write("ping", {"data": bytes(8)})
            connection.read_frame()  # the answer to PING says that GOAWAY has been read
            goaway_read.set()
            moved.wait(10)
            answer_created(connection, frame, 1)  # the outstanding request is answered on the old connection

        def new(connection: ServerConnection) -> None:
            moved.set()
            answer_created(connection, connection.read_frame(), 2)

        with ScriptedServer(old, new) as server, server.client() as client:
            def work(index: int) -> Any:
                if index:
                    goaway_read.wait(10)
                return client.register(APP, bytes([index + 1]))  # time 0: not safe to repeat after "unknown"

            begun = time.monotonic()
            answers = at_once(2, work)
        self.assertEqual([answer["device_id"] for answer in answers], [1, 2])
        self.assertGreaterEqual(server.accepted[1] - begun, 0.045)

    def test_requests_above_the_last_id_of_goaway_are_sent_again(self) -> None:
        def old(connection: ServerConnection) -> None:
            frames = [connection.read_frame(), connection.read_frame()]
            connection.goaway(frames[0].id)
            answer_created(connection, frames[0], frames[0].fields["token"][0])

        def new(connection: ServerConnection) -> None:
            frame = connection.read_frame()
            answer_created(connection, frame, frame.fields["token"][0] + 100)

        with ScriptedServer(old, new) as server, server.client() as client:
            answers = at_once(2, lambda index: client.register(APP, bytes([index + 1])))
        self.assertEqual(sorted(answer["device_id"] > 100 for answer in answers), [False, True])

    def test_an_error_of_scope_connection_leaves_the_others_unknown(self) -> None:
        def script(connection: ServerConnection) -> None:
            frames = [connection.read_frame(), connection.read_frame()]
            connection.error(frames[0].id, "WRONG_PHASE", scope=1)

        with ScriptedServer(script) as server, server.client() as client:
            errors = at_once(2, lambda index: client.register(APP, bytes([index + 1])))
        self.assertEqual(sorted((error.code, error.effect) for error in errors),
                         [("WRONG_PHASE", "not_executed"), ("WRONG_PHASE", "unknown")])

    def test_the_client_answers_ping_and_asks(self) -> None:
        def script(connection: ServerConnection) -> None:
            connection.write("ping", {"data": b"12345678"})
            received = [connection.read_frame() for _ in range(2)]  # in either order
            frames = {frame.flags: frame for frame in received}
            answer, question = frames[crln.ACK], frames[0]
            self.assertEqual(answer.fields, {"data": b"12345678"})
            connection.write("ping", {"data": b"unasked!"}, flags=crln.ACK)
            connection.write("ping", question.fields, flags=crln.ACK)

        with ScriptedServer(script) as server, server.client() as client:
            self.assertEqual(client.server["software"], "fake/1")
            began = time.monotonic()
            seconds = client.ping()
            self.assertTrue(0 <= seconds <= time.monotonic() - began, f"{seconds} seconds")

    def test_a_deadline_is_sent_and_kept(self) -> None:
        done = threading.Event()

        def script(connection: ServerConnection) -> None:
            late = connection.read_frame()
            self.assertLessEqual(late.fields["deadline_ms"], 100)
            following = connection.read_frame()
            answer_created(connection, late, 66)  # the client does not wait for it any longer
            answer_created(connection, following, 2)
            done.wait(10)

        with ScriptedServer(script) as server, server.client(timeout=0.1) as client:
            error = self.error_of(lambda: client.register(APP, "ab"), "NO_ANSWER", "unknown")
            self.assertEqual(error.scope, "request")
            client.timeout = 5.0
            self.assertEqual(client.register(APP, "cd")["device_id"], 2)
            done.set()

    def test_bytes_that_are_no_frame_end_the_connection(self) -> None:
        def script(connection: ServerConnection) -> None:
            connection.read_frame()
            connection.sock.sendall(b"\xff" * 64)

        with ScriptedServer(script) as server, server.client() as client:
            self.error_of(lambda: client.register(APP, "ab"), "CONNECTION_LOST", "unknown")

    def test_no_server_listens(self) -> None:
        listener = socket.create_server(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        listener.close()
        client = Client(Endpoint("127.0.0.1", port), timeout=2, attempts=3, backoff=0.001)
        self.error_of(lambda: client.lookup(APP, 1), "CANNOT_CONNECT", "not_executed")

    def test_a_change_without_a_time_is_not_repeated(self) -> None:
        def lose(connection: ServerConnection) -> None:
            connection.read_frame()

        for change in (lambda client: client.join(APP, "g", [1]), lambda client: client.leave(APP, "g", [1]),
                       lambda client: client.switch(APP, 1, "a", "b"), lambda client: client.subscribe(APP, ["t"], [1]),
                       lambda client: client.unsubscribe(APP, ["t"], [1]),
                       lambda client: client.update_device(APP, 1, muted=True),
                       lambda client: client.update_group(APP, "g", muted=True),
                       lambda client: client.update_message(APP, 7, "cancel"),
                       lambda client: client.resend(APP, 7, key=crln.NO_KEY)):
            with ScriptedServer(lose) as server, server.client() as client:
                self.error_of(lambda: change(client), "CONNECTION_LOST", "unknown")

    def test_many_long_answers_are_read_whole(self) -> None:
        count = 60

        def script(connection: ServerConnection) -> None:
            for _ in range(count):
                frame = connection.read_frame()
                connection.write("message_outcomes", {"next": 0, "recipients": [{"device_id": 1, "outcome": 1}] * 1000},
                                 frame.id)

        with ScriptedServer(script) as server, server.client(timeout=10) as client:
            pages = at_once(count, lambda index: client.message_outcomes(APP, index))
        self.assertTrue(all(len(page["recipients"]) == 1000 for page in pages))


if __name__ == "__main__":
    unittest.main()
