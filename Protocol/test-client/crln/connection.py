"""A connection of the client."""
from __future__ import annotations

import os
import selectors
import socket
import ssl
import threading
import time
from concurrent.futures import Future
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple, Union

from crln.endpoint import Endpoint
from crln.errors import CarillonError, ProtocolError
from crln.frames import HEADER, Frame, check_header, client_preface, decode, encode
from crln.names import (ACK, ANSWER, ERROR, MAGIC, MAXIMUM_EARLY_FRAME_BYTES, MAXIMUM_FRAME_BYTES,
                        MAXIMUM_OUTGOING_BYTES)

PREFACE_BYTES = 16
# Takes an event of a subscription, or the error that ends it.
EventHandler = Callable[[Union[Dict[str, Any], CarillonError]], None]


class _Ping(NamedTuple):
    """A PING that has no answer yet."""

    data: bytes
    answer: Future


class Connection:
    """One socket from the prefaces to its end.

    One thread does all input and output, as TLS requires. It never waits for a server that has stopped reading.
    """

    def __init__(self, endpoint: Endpoint, timeout: float) -> None:
        self.lock = threading.Lock()
        self.pending: Dict[int, Future] = {}
        self.event_handlers: Dict[int, EventHandler] = {}  # by the id of SUBSCRIBE_EVENTS
        self.last_id = 0
        self.refusal: Optional[CarillonError] = None  # of new requests; None if the connection takes them
        self.reconnect_at = 0.0
        self.outgoing = bytearray()
        self.ping: Optional[_Ping] = None
        self.ping_sent_at = 0.0
        self.position = 0
        self.frame_limit = MAXIMUM_EARLY_FRAME_BYTES
        self.sock = endpoint.open(timeout)
        try:
            self._handshake(endpoint)
        except BaseException:
            self.sock.close()
            raise
        self.wake, self.woken = socket.socketpair()
        for each in (self.sock, self.wake, self.woken):
            each.setblocking(False)
        threading.Thread(target=self._run, name="carillon", daemon=True).start()

    def _handshake(self, endpoint: Endpoint) -> None:
        """Sends the preface, HELLO and, if the server wants a key, AUTH; and reads their answers (§5)."""
        hello = encode("client", "hello", {"software": endpoint.software, "receive_limit": MAXIMUM_FRAME_BYTES}, 1)
        self.sock.sendall(client_preface() + hello)
        preface = self._read_exactly(PREFACE_BYTES)
        if preface[:8] != MAGIC or any(preface[9:]) or preface[8] > 1:
            raise ProtocolError("MALFORMED", "connection")
        self.hello = self._first_answer("hello", 1)
        self.last_id = 1
        if not self.hello["authenticated"]:
            if endpoint.api_key is None:
                raise CarillonError("AUTHENTICATION_FAILED", "not_executed", "the server requires a key",
                                    retry_after=None)
            self.sock.sendall(encode("client", "auth", {"method": 1, "credential": endpoint.api_key}, 2))
            self.auth: Optional[Dict[str, Any]] = self._first_answer("auth", 2)
            self.last_id = 2
        self.frame_limit = self.hello["frame_limit"]
        self.slots = threading.Semaphore(max(1, self.hello["in_flight_limit"]))

    def _first_answer(self, message: str, id: int) -> Dict[str, Any]:
        """Returns the answer to a request of the handshake. Frames of the connection may come before it."""
        for _ in range(100):
            frame = self._read_frame()
            if frame.message == "ping" and not frame.flags:
                self.sock.sendall(encode("client", "ping", frame.fields, flags=ACK))
            elif frame.kind == ERROR:
                raise CarillonError.from_frame(frame.fields)
            elif frame.message == "goaway":
                raise CarillonError("DRAINING", "not_executed", retry_after=frame.fields["reconnect_after_ms"] / 1000)
            elif frame.kind == ANSWER:
                if (frame.message, frame.id) != (message, id):
                    raise ProtocolError("MALFORMED", "connection")
                return frame.fields
        raise ProtocolError("MALFORMED", "connection")

    def _read_exactly(self, count: int) -> bytes:
        """Reads this number of bytes."""
        data = bytearray()
        while len(data) < count:
            piece = self.sock.recv(min(count - len(data), 1 << 16))
            if not piece:
                raise ConnectionError("the server closed")
            data += piece
        return bytes(data)

    def _read_frame(self) -> Frame:
        header = self._read_exactly(HEADER.size)
        length, _ = check_header(header, "server")
        return decode(header + self._read_exactly(length), "server")

    def submit(self, message: str, fields: Dict[str, Any], timeout: float,
               on_event: Optional[EventHandler] = None) -> Tuple[int, Future]:
        """Sends a request and returns its id. The future has the fields of the answer or raises CarillonError.

        `on_event` gets the events that name the request.
        """
        frame = encode("client", message, fields, 0)
        if len(frame) - HEADER.size > self.frame_limit:
            raise CarillonError("FRAME_TOO_LARGE", "not_executed", retry_after=None, limit=self.frame_limit)
        if not self.slots.acquire(timeout=timeout):
            raise CarillonError("OVERLOADED", "not_executed", "too many requests outstanding")
        future: Future = Future()
        future.add_done_callback(lambda _: self.slots.release())
        with self.lock:
            refusal = self.refusal
            if refusal is None:
                self.last_id += 1
                id = self.last_id
                self.pending[id] = future
                if on_event is not None:
                    self.event_handlers[id] = on_event
                self._enqueue(frame[:8] + id.to_bytes(8, "big") + frame[16:])
        if refusal is not None:
            future.cancel()
            raise refusal
        return id, future

    def forget(self, id: int) -> None:
        """Ignores the answer when it comes: the caller no longer waits for it."""
        with self.lock:
            future = self.pending.pop(id, None)
        if future is not None:
            future.cancel()

    def submit_ping(self) -> Future:
        """Sends a PING. At most one waits for its answer; a second caller shares the answer."""
        with self.lock:
            if self.refusal is not None:
                raise self.refusal
            if self.ping is None:
                self.ping = _Ping(os.urandom(8), Future())
                self.ping_sent_at = time.monotonic()
                self._enqueue(encode("client", "ping", {"data": self.ping.data}))
            return self.ping.answer

    def send_position(self, position: int) -> None:
        """Requests that follow are answered from a state that contains this position (§6.5)."""
        with self.lock:
            self._enqueue(encode("client", "position", {"position": position}))

    def _enqueue(self, frame: bytes) -> None:
        """Queues bytes, in order. The caller holds the lock."""
        self.outgoing += frame
        try:
            self.wake.send(b"\0")
        except OSError:
            pass  # full: the thread is awake; closed: the connection has ended

    def _run(self) -> None:
        """Sends and receives, in the thread of the connection, until the connection ends."""
        end: Optional[CarillonError] = None
        incoming = bytearray()
        with selectors.DefaultSelector() as selector:
            selector.register(self.woken, selectors.EVENT_READ)
            selector.register(self.sock, selectors.EVENT_READ)
            try:
                while end is None:
                    writing = self._send_some()
                    if self._receive_some(incoming):
                        end = self._read_frames(incoming)
                        continue
                    selector.modify(self.sock, selectors.EVENT_READ | (selectors.EVENT_WRITE if writing else 0))
                    for key, _ in selector.select():
                        if key.fileobj is self.woken and not self.woken.recv(4096):
                            raise ConnectionError("closed")
            except (OSError, ProtocolError, ValueError) as error:
                end = CarillonError("CONNECTION_LOST", "unknown", str(error), scope="connection")
        self._fail(lambda id: True, end or CarillonError("CONNECTION_LOST", "unknown"))
        for each in (self.sock, self.wake, self.woken):
            each.close()

    def _send_some(self) -> bool:
        """Sends bytes. Returns True if the socket does not take all of them now."""
        with self.lock:
            piece = bytes(self.outgoing[:1 << 16])
        if piece:
            try:
                sent = self.sock.send(piece)
            except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
                sent = 0
            except OSError:
                sent = len(piece)  # reading will report why the connection has ended
            with self.lock:
                del self.outgoing[:sent]
        return len(self.outgoing) > 0

    def _receive_some(self, incoming: bytearray) -> bool:
        """Receives bytes. Returns True if there were any."""
        try:
            piece = self.sock.recv(1 << 16)
        except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return False
        if not piece:
            raise ConnectionError("the server closed")
        incoming += piece
        return True

    def _read_frames(self, incoming: bytearray) -> Optional[CarillonError]:
        """Removes and processes the whole frames. Returns the error that ends the connection."""
        while len(incoming) >= HEADER.size:
            length, _ = check_header(bytes(incoming[:HEADER.size]), "server")
            size = HEADER.size + length
            if len(incoming) < size:
                break
            frame = decode(bytes(incoming[:size]), "server")
            del incoming[:size]
            fatal = self._frame_received(frame)
            if fatal is not None:
                return fatal
        return None

    def _frame_received(self, frame: Frame) -> Optional[CarillonError]:
        """Processes a frame. Returns an error of scope connection, which ends the connection."""
        if frame.message == "ping":
            self._ping_received(frame)
        elif frame.message == "goaway":
            self._goaway_received(frame.fields)
        elif frame.message == "position":
            self.position = max(self.position, frame.fields["position"])
        elif frame.kind == ANSWER:
            self._complete(frame.id, frame.fields)
        elif frame.message == "event":
            with self.lock:
                on_event = self.event_handlers.get(frame.id)
            if on_event is not None:
                on_event(frame.fields)
        elif frame.kind == ERROR:
            error = CarillonError.from_frame(frame.fields)
            self._complete(frame.id, error)
            if error.scope == "connection":
                # The effect in the frame is that of its request; that of the others is unknown (§15).
                return CarillonError(error.code, "unknown", error.message, scope="connection",
                                     retry_after=error.retry_after or 0.0)
        return None

    def _ping_received(self, frame: Frame) -> None:
        if not frame.flags & ACK:
            with self.lock:
                # A server that pings and does not read gets no more answers.
                if len(self.outgoing) < MAXIMUM_OUTGOING_BYTES:
                    self._enqueue(encode("client", "ping", frame.fields, flags=ACK))
            return
        with self.lock:
            ping = self.ping
            if ping is None or ping.data != frame.fields["data"]:
                return
            self.ping = None
        ping.answer.set_result(None)

    def _goaway_received(self, fields: Dict[str, Any]) -> None:
        wait = fields["reconnect_after_ms"] / 1000
        self.reconnect_at = time.monotonic() + wait
        error = CarillonError("DRAINING", "not_executed", fields["reason"], scope="connection", retry_after=wait)
        with self.lock:
            self.refusal = error
        self._fail(lambda id: id > fields["last_id"], error, is_over=False)

    def _complete(self, id: int, result: Union[Dict[str, Any], CarillonError]) -> None:
        """Gives a request its result, unless its caller has given up."""
        with self.lock:
            future = self.pending.pop(id, None)
        if future is None or not future.set_running_or_notify_cancel():
            return
        if isinstance(result, CarillonError):
            future.set_exception(result)
        else:
            future.set_result(result)

    def _fail(self, is_failed: Callable[[int], bool], error: CarillonError, is_over: bool = True) -> None:
        """Fails the requests whose ids `is_failed` selects.

        If the connection is over, it takes no more requests, and its subscriptions and its PING fail too.
        """
        handlers: List[EventHandler] = []
        with self.lock:
            failed = [id for id in self.pending if is_failed(id)]
            ping = None
            if is_over:
                handlers, self.event_handlers = list(self.event_handlers.values()), {}
                retry = error.retry_after
                self.refusal = self.refusal or CarillonError(error.code, "not_executed", error.message,
                                                             scope="connection", retry_after=retry)
                ping, self.ping = self.ping, None
        for id in failed:
            self._complete(id, error)
        for on_event in handlers:
            on_event(error)
        if ping is not None:
            ping.answer.set_exception(error)

    def close(self) -> None:
        """Ends the connection. Outstanding requests fail with effect unknown."""
        self.wake.close()
