"""A small server, made with the client's own codec: by bytes for the dispatcher, on a socket for the clients."""
from __future__ import annotations

import socket
import threading
from typing import Any, Dict, List, Optional, Tuple

from carillon import _codec as codec
from carillon._connection import Connection
from carillon._call_dispatcher import Action, CallDispatcher
from carillon._layouts import EVENT_OPCODE

EPOCH = bytes(range(16))
HELLO: Dict[str, Any] = {
    "software": "loopback/1.0", "epoch": EPOCH, "clock": 1_790_000_000_000, "frame_limit": 1 << 20,
    "in_flight_limit": 1024, "batch_limit": 1000, "keepalive_ms": 30_000, "ping_interval_ms": 10_000,
    "idempotency_window_s": 86_400, "authenticated": 1, "opcodes": [
        {"opcode": each.opcode, "lowest": 1, "highest": 1} for each in codec.OPERATIONS.values()]}
LOOKUP = codec.Layout(codec.OPERATIONS["lookup"].request.fixed, ((2, "deadline_ms", "u32"),))
# The answers to requests of streams, by opcode.
_ANSWERS: Dict[str, Dict[str, Any]] = {"subscribe_events": {"after": 0}, "event_credit": {}, "unsubscribe_events": {}}
STREAM_ANSWERS = {codec.OPERATIONS[name].opcode: (name, fields) for name, fields in _ANSWERS.items()}


def answer(name: str, id: int, fields: Dict[str, Any]) -> bytes:
    """Returns the frame of an answer."""
    operation = codec.OPERATIONS[name]
    payload = codec.without_deadline(operation.answer.write(fields))
    return codec.frame(codec.ANSWER, operation.opcode, id, payload)


def hello(**changes: Any) -> bytes:
    """Returns the server's preface and its answer to HELLO."""
    return codec.MAGIC + bytes([1]) + bytes(7) + answer("hello", 1, {**HELLO, **changes})


def error(opcode: int, id: int, code: int, retry_after_ms: int, scope: int = 0) -> bytes:
    """Returns the frame of an error, effect not executed."""
    payload = codec.without_deadline(codec.ERROR_LAYOUT.write(
        {"code": code, "scope": scope, "effect": 0, "retry_after_ms": retry_after_ms, "message": "no"}))
    return codec.frame(codec.ERROR, opcode, id, payload)


def event(subscription: int, sequence: int) -> bytes:
    """Returns the frame of an event."""
    payload = codec.without_deadline(codec.EVENT_LAYOUT.write({"sequence": sequence, "at": 1, "kind": 1}))
    return codec.frame(codec.EVENT, EVENT_OPCODE, subscription, payload)


def frames(data: bytes) -> List[Tuple[int, int, bytes]]:
    """Returns opcode, id and payload of the frames of a client, without its preface."""
    sent = []
    at = 16 if data.startswith(codec.MAGIC) else 0
    while at < len(data):
        length, _, _, opcode, id = codec.HEADER.unpack_from(data, at)
        sent.append((opcode, id, data[at + 16:at + 16 + length]))
        at += 16 + length
    return sent


def open_connection(dispatcher: CallDispatcher, now: float = 0.0, **changes: Any) -> Connection:
    """Answers the handshake of a dispatcher that wants a connection; returns the connection."""
    action, connection = dispatcher.commands.pop(0)
    assert action is Action.CONNECT
    dispatcher.output(connection, now)
    dispatcher.received(connection, hello(**changes), now)
    return connection


class LoopbackServer:
    """A server on loopback. It answers LOOKUP with the id of the device, and requests of streams, unless it is mute."""

    def __init__(self, **changes: Any) -> None:
        self.changes = changes
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.listener.getsockname()[1]}"
        self.is_mute = False
        # The last connection with a subscription, and the id of that.
        self.subscription: Optional[Tuple[socket.socket, int]] = None
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                connected, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connected,), daemon=True).start()

    def _serve(self, connected: socket.socket) -> None:
        with connected:
            connected.sendall(hello(**self.changes))
            pending = b""
            try:
                while True:
                    piece = connected.recv(1 << 16)
                    if not piece:
                        return
                    pending += piece
                    pending = self._answer(connected, pending[16:] if pending.startswith(codec.MAGIC) else pending)
            except OSError:
                return

    def _answer(self, connected: socket.socket, data: bytes) -> bytes:
        out = b""
        while len(data) >= 16 and len(data) >= 16 + codec.HEADER.unpack_from(data)[0]:
            length, kind, _, opcode, id = codec.HEADER.unpack_from(data)
            payload, data = data[16:16 + length], data[16 + length:]
            if kind == codec.CONTROL:
                out += codec.ping_frame(payload, codec.ACK)
            elif self.is_mute:
                continue
            elif opcode in STREAM_ANSWERS:
                name, fields = STREAM_ANSWERS[opcode]
                out += answer(name, id, fields)
                if name == "subscribe_events":
                    self.subscription = (connected, id)
            elif opcode == codec.OPERATIONS["lookup"].opcode:
                device = LOOKUP.read(payload)
                out += answer("lookup", id, {
                    "device_id": int.from_bytes(device["device"][1:9], "big"), "environment": 1, "kind": 1,
                    "token": b"t", "registered_at": 1, "seen_at": 1, "state": 1})
        connected.sendall(out)
        return data

    def event(self, sequence: int) -> None:
        """Sends an event to the last subscription."""
        assert self.subscription is not None
        connected, id = self.subscription
        connected.sendall(event(id, sequence))

    def close(self) -> None:
        """Accepts no more connections."""
        self.listener.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts
        self.listener.close()
