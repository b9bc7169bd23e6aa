"""A server of a few lines, and what the tests of the client share."""
import socket
import threading
import time
import unittest
from typing import Any, Callable, Dict, List, Optional

import crln
from crln import CarillonError, Client, Endpoint

APP = "com.example.game"


class ServerConnection:
    """The server's side of one connection, after the handshake."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        sock.settimeout(10)

    def read_exactly(self, count: int) -> bytes:
        """Returns the next `count` bytes; ConnectionError if the client closes before."""
        data = b""
        while len(data) < count:
            piece = self.sock.recv(count - len(data))
            if not piece:
                raise ConnectionError
            data += piece
        return data

    def read_frame(self, phase: str = "open", last_id: int = 0) -> crln.Frame:
        """Returns the next frame of the client. `last_id` is the id of its last request before it."""
        header = self.read_exactly(16)
        payload = self.read_exactly(int.from_bytes(header[:4], "big"))
        return crln.decode(header + payload, "client", phase, last_id)

    def write(self, message: str, fields: Dict[str, Any], id: int = 0, **options: Any) -> None:
        self.sock.sendall(crln.encode("server", message, fields, id, **options))

    def error(self, id: int, code: str, scope: int = 0, effect: int = 0, retry: int = crln.NEVER, **tags: Any) -> None:
        number = next(number for number, name in crln.ERRORS.items() if name == code)
        self.write("error", {"code": number, "scope": scope, "effect": effect, "retry_after_ms": retry, "message": "",
                             **tags}, id, opcode=0x10 if id else 0)

    def goaway(self, last_id: int, wait: int = 0) -> None:
        self.write("goaway", {"last_id": last_id, "code": 20, "grace_ms": 1000, "reconnect_after_ms": wait,
                              "reason": "restart"})

    def hello(self, key: Optional[bytes]) -> None:
        self.sock.sendall(crln.answer_preface(self.read_exactly(16)))
        frame = self.read_frame("hello")
        self.write("hello", {
            "software": "fake/1", "epoch": bytes(16), "clock": 1_790_000_000_000, "frame_limit": 1 << 20,
            "in_flight_limit": 64, "batch_limit": 1000, "keepalive_ms": 30000, "ping_interval_ms": 1,
            "idempotency_window_s": 60, "authenticated": int(key is None), "opcodes": []}, frame.id)
        if key is None:
            return
        frame = self.read_frame("auth", frame.id)
        if frame.fields["credential"] != key:
            self.error(frame.id, "AUTHENTICATION_FAILED")
            raise ConnectionError
        self.write("auth", {"principal": "test", "grants": []}, frame.id)


Script = Callable[[ServerConnection], None]


class ScriptedServer:
    """Accepts one connection for each script, one after the other, and plays it."""

    def __init__(self, *scripts: Script, key: Optional[bytes] = None, unix_path: Optional[str] = None) -> None:
        self.scripts, self.key = scripts, key
        self.failures: List[BaseException] = []
        self.accepted: List[float] = []
        if unix_path:
            self.listener = socket.socket(socket.AF_UNIX)
            self.listener.bind(unix_path)
            self.listener.listen()
        else:
            self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(10)
        self.threads: List[threading.Thread] = []
        self.acceptor = threading.Thread(target=self._accept, daemon=True)
        self.acceptor.start()

    def _accept(self) -> None:
        try:
            for script in self.scripts:
                sock, _ = self.listener.accept()
                self.accepted.append(time.monotonic())
                thread = threading.Thread(target=self._play, args=(sock, script), daemon=True)
                thread.start()
                self.threads.append(thread)
        except BaseException as failure:
            self.failures.append(failure)

    def _play(self, sock: socket.socket, script: Script) -> None:
        try:
            with sock:
                connection = ServerConnection(sock)
                connection.hello(self.key)
                script(connection)
        except ConnectionError:
            pass
        except BaseException as failure:
            self.failures.append(failure)

    def client(self, **options: Any) -> Client:
        options = {"timeout": 5.0, "backoff": 0.005, **options}
        return Client(Endpoint("127.0.0.1", self.listener.getsockname()[1], api_key=self.key), **options)

    def __enter__(self) -> "ScriptedServer":
        return self

    def __exit__(self, *_: Any) -> None:
        self.acceptor.join(10)
        for thread in self.threads:
            thread.join(10)
        self.listener.close()
        if self.failures:
            raise self.failures[0]


def answer_created(connection: ServerConnection, frame: crln.Frame, device_id: int = 1) -> None:
    """Answers a REGISTER: the device was created, with this id."""
    connection.write("register", {"device_id": device_id, "result": 1}, frame.id)


def serve_one(connection: ServerConnection) -> None:
    answer_created(connection, connection.read_frame())


def at_once(count: int, work: Callable[[int], Any]) -> List[Any]:
    """Runs `work(0)`, `work(1)`, … on threads. Returns results or exceptions in order."""
    results: List[Any] = [None] * count

    def run(index: int) -> None:
        try:
            results[index] = work(index)
        except CarillonError as error:
            results[index] = error

    threads = [threading.Thread(target=run, args=(index,)) for index in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    return results


class ClientTestCase(unittest.TestCase):
    """Tests of the client against a server of a few lines."""

    def error_of(self, work: Callable[[], Any], code: str, effect: str) -> CarillonError:
        with self.assertRaises(CarillonError) as caught:
            work()
        self.assertEqual((caught.exception.code, caught.exception.effect), (code, effect))
        return caught.exception

    def asked(self, answer: Dict[str, Any], work: Callable[[Client], Any]) -> Any:
        """Returns the result of a call, and the message and the fields that it sent, without its deadline."""
        seen: List[Any] = []

        def script(connection: ServerConnection) -> None:
            frame = connection.read_frame()
            seen.append((frame.message, {name: value for name, value in frame.fields.items() if name != "deadline_ms"}))
            connection.write(frame.message, answer, frame.id)

        with ScriptedServer(script) as server, server.client() as client:
            return (work(client), *seen[0])
