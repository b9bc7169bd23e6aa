"""The shell with threads: one background thread moves the bytes of a client's connections.

A thread that makes a blocking call writes the request itself if the socket has room, which saves a change of threads.
"""
from __future__ import annotations

import os
import selectors
import socket
import ssl
import threading
import time
from collections import deque
from typing import Any, Deque, Dict, List, Optional, Tuple, Union

from ._calls import DONE, Call, Request, Waiter
from ._core import Core, Link, perform_reports
from ._net import allowed, connect_error, server_name, tls_context
from ._streams import Stream
from .errors import CarillonError, lost
from .options import Options

READ_SIZE = 1 << 16
_BUSY = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError, InterruptedError)
_monotonic = time.monotonic
# Seconds after its deadline at which a thread stops to wait for a call, should the background thread have failed.
GRACE = 10.0


class Group:
    """Calls that one thread waits for together; `released` when none is left."""

    def __init__(self, size: int) -> None:
        self.left = size
        self.gate = threading.Lock()
        self.gate.acquire()

    def release(self) -> None:
        """One call has ended. The lock of the runner is held."""
        self.left -= 1
        if self.left == 0:
            self.gate.release()


class Transport:
    """A connected socket that does not block. The lock of the runner is held at each use."""

    def __init__(self, connected: socket.socket) -> None:
        self.socket = connected
        self.is_tls = isinstance(connected, ssl.SSLSocket)
        self.unsent = b""
        self.watches_writing = False

    def flush(self, core: Core, link: Link, now: float) -> None:
        """Writes what waits, as far as the socket has room."""
        try:
            while True:
                data = self.unsent or core.output(link, now)
                if not data:
                    return
                self.unsent = data
                sent = self.socket.send(data)
                self.unsent = data[sent:] if sent < len(data) else b""
        except _BUSY:
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


class Runner:
    """A core, its lock, and the thread that moves its bytes."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.core = Core(options)
        self.lock = threading.Lock()
        self.changed = threading.Condition(self.lock)
        self.process = os.getpid()
        self.selector = selectors.DefaultSelector()
        self.wake_reader, self.wake_writer = socket.socketpair()
        self.wake_reader.setblocking(False)
        self.wake_writer.setblocking(False)
        self.selector.register(self.wake_reader, selectors.EVENT_READ, None)
        self.selects_until = 0.0
        self.is_woken = False
        self.links: Dict[Link, None] = {}
        self.connected: Deque[Tuple[Link, Union[socket.socket, CarillonError]]] = deque()
        self.thread: Optional[threading.Thread] = None
        self.is_stopped = False

    # Programs

    def call(self, request: Request[Any], timeout: float, may_retry: bool) -> Any:
        """Makes a call and returns its value; raises its error."""
        call = Call(request, _monotonic(), timeout, may_retry)
        self.begin(call)
        return self.result(call)

    def begin(self, call: Call) -> None:
        """Begins a call; `result` waits for it."""
        call.waiter = gate = threading.Lock()
        gate.acquire()
        self._check_process()
        with self.lock:
            self.core.start(call, call.started_at)
            reports = self._settle(call.started_at)
        if reports:
            perform_reports(reports, call.started_at)

    def result(self, call: Union[Call, Waiter]) -> Any:
        """Waits for the end of what has begun. An interruption, such as KeyboardInterrupt, cancels it."""
        if call.state != DONE:
            try:
                if not call.waiter.acquire(timeout=max(0.0, call.deadline - _monotonic()) + GRACE):
                    self.cancel(call)
            except BaseException:
                self.cancel(call)
                raise
        if call.error is not None:
            raise call.error
        return call.value

    def cancel(self, call: Union[Call, Waiter]) -> None:
        """Ends a call that is not waited for any more."""
        self.use(lambda core, now: core.cancel(call, now))

    def wait_for(self, begin: Any, name: str, timeout: float) -> Any:
        """Begins what is no request (`connect`, `ping`) and waits for it."""
        waiter = Waiter(name, _monotonic(), timeout)
        waiter.waiter = threading.Lock()
        waiter.waiter.acquire()
        self.use(lambda core, now: begin(waiter, now))
        return self.result(waiter)

    def call_all(self, calls: List[Call]) -> None:
        """Makes calls together and waits for all of them; each has its value or its error afterwards."""
        group = Group(len(calls))
        for call in calls:
            call.waiter = group
        if not calls:
            return
        now = _monotonic()
        self._check_process()
        with self.lock:
            start = self.core.start
            for call in calls:
                start(call, now)
            reports = self._settle(now)
        perform_reports(reports, now)
        try:
            group.gate.acquire()
        except BaseException:
            for call in calls:
                self.cancel(call)
            raise

    def use(self, work: Any) -> None:
        """Runs `work(core, now)` under the lock."""
        now = _monotonic()
        self._check_process()
        with self.lock:
            work(self.core, now)
            reports = self._settle(now)
        perform_reports(reports, now)

    def _check_process(self) -> None:
        if self.process != os.getpid():
            raise CarillonError("CLOSED", "a client does not survive a fork: the child process makes its own")

    def close(self, drain: float) -> None:
        """Ends the client, and returns when its connections are closed (CLS)."""
        self.use(lambda core, now: core.close(now, drain))
        with self.changed:
            self.changed.wait_for(lambda: self.core.is_closed and (self.is_stopped or not self.links), drain + GRACE)
        self.stop()
        if self.thread is not None and self.thread is not threading.current_thread():
            self.thread.join(GRACE)

    def stop(self) -> None:
        """Ends the background thread."""
        with self.lock:
            self.is_stopped = True
            if self.thread is None:
                self._close_files()
            else:
                self._wake()

    # Under the lock

    def _settle(self, now: float) -> List[Any]:
        """Writes, wakes what waits, and wakes the background thread if it has something to do. Returns reports."""
        core = self.core
        link = core.current
        if link is not None and link.transport is not None:
            link.transport.flush(core, link, now)
            self._watch(link)
        for each in core.draining:
            if each.session.control and each.transport is not None:
                each.transport.flush(core, each, now)
                self._watch(each)
        if core.finished:
            finished, core.finished = core.finished, []
            for call in finished:
                call.waiter.release()
        if core.changed_streams:
            core.changed_streams.clear()
            self.changed.notify_all()
        if core.commands or core.wake_at < self.selects_until:
            self._start_thread()
            self._wake()
        if core.is_closed:
            self.changed.notify_all()
        if not core.reports:
            return []
        reports, core.reports = core.reports, []
        return reports

    def _start_thread(self) -> None:
        if self.thread is None and not self.is_stopped:
            self.thread = threading.Thread(target=self._run, name="carillon", daemon=True)
            self.thread.start()

    def _wake(self) -> None:
        if not self.is_woken and threading.current_thread() is not self.thread:
            self.is_woken = True
            try:
                self.wake_writer.send(b"\0")
            except OSError:
                pass

    def _watch(self, link: Link) -> None:
        """Watches a socket for room if something could not be written."""
        transport = link.transport
        if bool(transport.unsent) != transport.watches_writing and link in self.links:
            transport.watches_writing = bool(transport.unsent)
            events = selectors.EVENT_READ | (selectors.EVENT_WRITE if transport.watches_writing else 0)
            self.selector.modify(transport.socket, events, link)

    # The background thread

    def _run(self) -> None:
        try:
            while self._turn():
                pass
        except Exception as error:  # a defect: nothing may wait for ever
            self._abort(error)
        with self.lock:
            self._close_files()
            self.changed.notify_all()

    def _turn(self) -> bool:
        """Waits for sockets and times, and does what is due. Returns false when the thread is to end."""
        with self.lock:
            self.selects_until = self.core.wake_at
            seconds = max(0.0, self.core.wake_at - _monotonic()) if not self.core.commands else 0.0
        ready = self.selector.select(min(seconds, 3600.0))
        with self.lock:
            now = _monotonic()
            self.selects_until = 0.0
            for key, events in ready:
                if key.data is None:
                    self._drain_wakes()
                else:
                    self._move(key.data, events, now)
            while self.connected:
                self._take_connected(*self.connected.popleft(), now=now)
            if now >= self.core.wake_at:
                self.core.tick(now)
            reports = self._settle(now)
            self._perform_commands()
            if self.core.is_closed and not self.links:
                self.is_stopped = True
            goes_on = not self.is_stopped
        if reports:
            perform_reports(reports, now)
        return goes_on

    def _drain_wakes(self) -> None:
        self.is_woken = False
        try:
            self.wake_reader.recv(4096)
        except OSError:
            pass

    def _move(self, link: Link, events: int, now: float) -> None:
        transport: Transport = link.transport
        if events & selectors.EVENT_WRITE:
            transport.flush(self.core, link, now)
            self._watch(link)
        if not events & selectors.EVENT_READ and not transport.is_tls:
            return
        while not link.has_ended:
            try:
                data = transport.socket.recv(READ_SIZE)
            except _BUSY:
                return
            except OSError as error:
                return self.core.ended(link, lost(f"the connection has ended: {error}", error), now)
            if not data:
                return self.core.ended(link, None, now)
            self.core.received(link, data, now)
            if not transport.is_tls:  # with TLS, bytes can be there that the system does not know of
                return

    def _perform_commands(self) -> None:
        while self.core.commands:
            command, link = self.core.commands.pop(0)
            if command == "connect":
                threading.Thread(target=self._connect, args=(link,), name="carillon-connect", daemon=True).start()
            elif link in self.links:
                del self.links[link]
                self.selector.unregister(link.transport.socket)
                link.transport.flush(self.core, link, _monotonic())
                link.transport.close()
        if self.core.is_closed and not self.links:
            self.changed.notify_all()

    def _take_connected(self, link: Link, result: Union[socket.socket, CarillonError], now: float) -> None:
        if isinstance(result, CarillonError):
            self.core.ended(link, result, now)
        elif link.has_ended or self.is_stopped:
            result.close()
        else:
            result.setblocking(False)
            link.transport = Transport(result)
            self.links[link] = None
            self.selector.register(result, selectors.EVENT_READ, link)
            link.transport.flush(self.core, link, now)
            self._watch(link)

    def _abort(self, error: Exception) -> None:
        with self.lock:
            self.is_stopped = True
            core, now = self.core, _monotonic()
            core.is_closing = True
            for link in core.links():
                core.ended(link, lost(f"a defect of the client: {error!r}", error), now)
            core.close(now, 0.0)
            core.closes_at = now
            core.tick(now)
            reports = self._settle(now)
        perform_reports(reports, now)

    def _close_files(self) -> None:
        for link in self.links:
            link.transport.socket.close()
        self.links.clear()
        self.selector.close()
        self.wake_reader.close()
        self.wake_writer.close()

    # Connecting, in a thread of its own: resolving blocks

    def _connect(self, link: Link) -> None:
        result: Union[socket.socket, CarillonError]
        try:
            result = open_socket(self.options, link)
        except Exception as error:
            result = connect_error(error)
        self.connected.append((link, result))
        with self.lock:
            if not self.is_stopped:
                self._wake()
            elif isinstance(result, socket.socket):
                result.close()


def open_socket(options: Options, link: Link) -> socket.socket:
    """Resolves an address and connects, TLS included. Each resolved address gets its share of the time (ADR-7)."""
    address = link.address
    context = tls_context(options, address)
    if address.path:
        found: List[Tuple[int, Any]] = [(socket.AF_UNIX, address.path)]
    else:
        found = allowed(options, address, socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM))
    failure: Optional[BaseException] = None
    for index, (family, where) in enumerate(found):
        opened = socket.socket(family)
        try:
            opened.settimeout(max(0.01, (link.gives_up_at - _monotonic()) / (len(found) - index)))
            if family != socket.AF_UNIX:
                opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            opened.connect(where)
            if context is None:
                return opened
            return context.wrap_socket(opened, server_hostname=server_name(options, address))
        except OSError as error:
            failure = error
            opened.close()
            if isinstance(error, ssl.SSLCertVerificationError):
                break
    raise failure or OSError("no address")
