"""Sockets, TLS and the clock of the reference client: runs the commands of `CallDispatcher` in one thread."""
from __future__ import annotations

import selectors
import socket
import ssl
import time
from typing import Any, Callable, Dict, List, Optional, Tuple

from reference.client import CallDispatcher, Connection
from reference.errors import Failure
from reference.options import Address, Options

# How long one resolved address may take before the next one is tried (ADR-7).
STAGGER = 0.25


class Wire:
    """The socket of a connection: TCP, then TLS, then bytes."""

    def __init__(self, connection: Connection, options: Options, now: float) -> None:
        self.connection, self.options = connection, options
        address = connection.target.address
        self.context = tls_context(options) if options.has_tls(address) else None
        self.candidates = resolved(address, options)
        self.failure: Optional[Failure] = None
        self.socket: Optional[socket.socket] = None
        # connecting, handshaking, ready, ended
        self.state = "connecting"
        self.next_candidate_at = 0.0
        self.unsent = b""
        self._try_next(now)

    def _try_next(self, now: float) -> None:
        """Begins to connect to the next resolved address."""
        if self.socket is not None:
            self.socket.close()
        while self.candidates:
            family, where = self.candidates.pop(0)
            self.next_candidate_at = now + STAGGER
            self.socket = socket.socket(family)
            self.socket.setblocking(False)
            if family != socket.AF_UNIX:
                self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            try:
                self.socket.connect(where)
            except BlockingIOError:
                pass
            except OSError as error:
                self._failed(error)
                continue
            return
        self.state = "ended"
        self.failure = self.failure or Failure("CANNOT_CONNECT", retry_after=0.0, message="no address is allowed")

    def _failed(self, error: Exception) -> None:
        is_untrusted = isinstance(error, ssl.SSLCertVerificationError)
        self.failure = Failure("UNTRUSTED" if is_untrusted else "CANNOT_CONNECT", message=str(error),
                               retry_after=None if is_untrusted else 0.0)

    def step(self, now: float, dispatcher: CallDispatcher) -> None:
        """Does what the socket allows now."""
        if self.state == "connecting":
            self._step_connecting(now)
        if self.state == "handshaking":
            self._step_handshake()
        if self.state == "ready":
            self._write(now, dispatcher)
            self._read(now, dispatcher)
        if self.state == "ended" and not self.connection.has_ended:
            dispatcher.ended(self.connection, self.failure, now)

    def _step_connecting(self, now: float) -> None:
        if self.socket is None:
            return
        error = self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if error:
            self._failed(OSError(error, "connect"))
            self._try_next(now)
            return
        try:
            self.socket.getpeername()
        except OSError:
            if self.candidates and now >= self.next_candidate_at:
                self._try_next(now)
            return
        self.state = "ready"
        if self.context is not None:
            name = self.options.server_name or self.connection.target.address.host
            self.socket = self.context.wrap_socket(self.socket, server_hostname=name, do_handshake_on_connect=False)
            self.state = "handshaking"

    def _step_handshake(self) -> None:
        assert isinstance(self.socket, ssl.SSLSocket)
        try:
            self.socket.do_handshake()
            self.state = "ready"
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            pass
        except OSError as error:
            self._failed(error)
            self.state = "ended"

    def _write(self, now: float, dispatcher: CallDispatcher) -> None:
        assert self.socket is not None
        try:
            while self.unsent or self.connection.session.outgoing:
                self.unsent = self.unsent or dispatcher.take_output(self.connection, now)
                self.unsent = self.unsent[self.socket.send(self.unsent):]
        except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
            pass
        except OSError:
            self.unsent = b""  # reading says why the connection has ended

    def _read(self, now: float, dispatcher: CallDispatcher) -> None:
        assert self.socket is not None
        while not self.connection.has_ended:
            try:
                data = self.socket.recv(1 << 16)
            except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
                return
            except OSError as error:
                self.failure = Failure("CONNECTION_LOST", "unknown", 0.0, str(error), scope="connection")
                data = b""
            if not data:
                self.state = "ended"
                return
            dispatcher.received(self.connection, data, now)

    @property
    def wants_to_write(self) -> bool:
        """True if the shell must wait for room in the socket."""
        return self.state == "connecting" or bool(self.unsent)

    def close(self, now: float, dispatcher: CallDispatcher) -> None:
        """Sends what is queued, then closes."""
        if self.socket is None:
            return
        if self.state == "ready":
            self._write(now, dispatcher)
            if isinstance(self.socket, ssl.SSLSocket):
                try:
                    self.socket.unwrap()
                except (OSError, ValueError):
                    pass
        self.socket.close()
        self.state = "ended"


def tls_context(options: Options) -> ssl.SSLContext:
    """Returns the client's side of TLS (TLS-3)."""
    context = ssl.create_default_context(cafile=options.ca_file)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["carillon/1"])
    if options.certificate_file:
        context.load_cert_chain(options.certificate_file, options.certificate_key_file)
    return context


def resolved(address: Address, options: Options) -> List[Tuple[int, Any]]:
    """Returns the socket families and addresses of an address; without TLS only loopback ones (TLS-2)."""
    if address.path:
        return [(socket.AF_UNIX, address.path)]
    try:
        candidates = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
    except OSError:
        return []
    is_open = options.has_tls(address) or options.security == "plaintext_anywhere"
    return [(family, where) for family, _, _, _, where in candidates
            if is_open or str(where[0]).startswith("127.") or where[0] == "::1"]


class Shell:
    """Runs a dispatcher until a condition is true."""

    def __init__(self, dispatcher: CallDispatcher) -> None:
        self.dispatcher = dispatcher
        self.wires: Dict[Connection, Wire] = {}

    def run_until(self, is_done: Callable[[], bool], limit: float) -> bool:
        """Runs until the condition is true; False if that takes longer than the limit, in seconds."""
        end = time.monotonic() + limit
        while True:
            self.step()
            if is_done():
                return True
            now = time.monotonic()
            if now >= end:
                return False
            self._wait(min([end, now + 0.05, *self.dispatcher.times(now)]) - now)

    def step(self) -> None:
        """Does everything that can be done without waiting."""
        for _ in range(8):
            now = time.monotonic()
            self.dispatcher.tick(now)
            self._run_commands(now)
            for wire in list(self.wires.values()):
                wire.step(now, self.dispatcher)
            self._run_commands(now)
            if not self.dispatcher.commands and not any(wire.state == "ready" and wire.connection.session.outgoing
                                                  and not wire.unsent for wire in self.wires.values()):
                return

    def _run_commands(self, now: float) -> None:
        while self.dispatcher.commands:
            command, connection = self.dispatcher.commands.pop(0)
            if command == "connect":
                self.wires[connection] = Wire(connection, self.dispatcher.options, now)
            elif connection in self.wires:
                self.wires.pop(connection).close(now, self.dispatcher)

    def _wait(self, seconds: float) -> None:
        with selectors.DefaultSelector() as selector:
            for wire in self.wires.values():
                if wire.socket is not None and wire.state != "ended":
                    selector.register(wire.socket, selectors.EVENT_READ |
                                      (selectors.EVENT_WRITE if wire.wants_to_write else 0))
            if selector.get_map():
                selector.select(max(0.0, seconds))
            else:
                time.sleep(max(0.0, min(seconds, 0.05)))
