"""Sockets of the shell with threads: connecting, which blocks, and moving bytes, which does not."""
from __future__ import annotations

import select
import socket
import ssl
import time
from typing import Any, List, Optional, Tuple

from ._connection import Connection
from ._call_dispatcher import CallDispatcher
from ._net import allowed_candidates, server_name, tls_context
from .options import Options

# What a socket that does not block raises when it cannot go on now.
BUSY = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError, InterruptedError)
_monotonic = time.monotonic


class Waker:
    """Wakes a thread that waits for sockets: a pair of sockets of which it watches one."""

    def __init__(self) -> None:
        self.reader, self._writer = socket.socketpair()
        self.reader.setblocking(False)
        self._writer.setblocking(False)
        self._is_set = False

    def fileno(self) -> int:
        """Returns the descriptor that has something to read while the waker is set."""
        return self.reader.fileno()

    def set(self) -> None:
        """Wakes the thread; it is no fault if that has ended."""
        if not self._is_set:
            self._is_set = True
            try:
                self._writer.send(b"\0")
            except OSError:
                pass

    def clear(self) -> None:
        """Takes the wake-up back, because the thread is awake."""
        self._is_set = False
        try:
            self.reader.recv(4096)
        except OSError:
            pass

    def close(self) -> None:
        """Closes both sockets."""
        self.reader.close()
        self._writer.close()


class Transport:
    """A connected socket that does not block. The lock of the runner is held at each use."""

    def __init__(self, connected: socket.socket) -> None:
        self.socket = connected
        self.is_tls = isinstance(connected, ssl.SSLSocket)
        self.unsent = b""
        # What the background thread watches the socket for.
        self.watched = 0
        self._poll: Any = None

    def poller(self, waker: Waker) -> Any:
        """Returns what a leading thread waits on: this socket, and what wakes it."""
        if self._poll is None:
            self._poll = select.poll()
            self._poll.register(self.socket, select.POLLIN)
            self._poll.register(waker, select.POLLIN)
        return self._poll

    @property
    def has_pending(self) -> bool:
        """True if TLS has bytes that the system does not know of."""
        return isinstance(self.socket, ssl.SSLSocket) and self.socket.pending() > 0

    def flush(self, dispatcher: CallDispatcher, connection: Connection, now: float) -> None:
        """Writes as many of the waiting bytes as the socket takes."""
        try:
            while True:
                data = self.unsent or dispatcher.output(connection, now)
                if not data:
                    return
                self.unsent = data
                sent = self.socket.send(data)
                self.unsent = data[sent:] if sent < len(data) else b""
        except BUSY:
            pass
        except OSError:
            self.unsent = b""  # reading says why the connection has ended

    def close(self) -> None:
        """Sends close_notify with TLS, then closes."""
        if isinstance(self.socket, ssl.SSLSocket):
            try:
                self.socket.unwrap()
            except (OSError, ValueError):
                pass
        self.socket.close()


def open_socket(options: Options, connection: Connection) -> socket.socket:
    """Resolves an address and connects, TLS included. Each resolved address gets its share of the time (CONTRACT.md,
    ADR-7)."""
    address = connection.address
    context = tls_context(options, address)
    if address.path:
        candidates: List[Tuple[int, Any]] = [(socket.AF_UNIX, address.path)]
    else:
        candidates = allowed_candidates(
            options, address, socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM))
    failure: Optional[BaseException] = None
    for index, (family, where) in enumerate(candidates):
        opened = socket.socket(family)
        try:
            opened.settimeout(max(0.01, (connection.gives_up_at - _monotonic()) / (len(candidates) - index)))
            if family != socket.AF_UNIX:
                opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            opened.connect(where)
            if context is None:
                return opened
            return context.wrap_socket(opened, server_hostname=server_name(options, address))
        except BaseException as error:
            opened.close()
            if not isinstance(error, OSError) or isinstance(error, ssl.SSLCertVerificationError):
                raise
            failure = error
    raise failure or OSError("no address")
