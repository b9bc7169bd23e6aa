"""The background thread of a blocking client: sockets, timers, connecting."""
from __future__ import annotations

import os
import selectors
import socket
import threading
import time
from collections import deque
from typing import Any, Deque, Dict, List, Optional, Tuple, Union

from ._calls import Call
from ._connection import Connection
from ._call_dispatcher import Action, CallDispatcher
from ._results import perform_reports
from ._leading_thread import LeadingThread
from ._net import connect_error
from ._sockets import BUSY, Transport, Waker, open_socket
from .errors import CarillonError, connection_lost
from .options import Options

READ_BYTES = 1 << 16
_monotonic = time.monotonic
# The time that `close` waits for the background thread.
JOIN_TIMEOUT_SECONDS = 10.0
# The time after which the background thread looks at the clock at the latest.
MAXIMUM_SELECT_SECONDS = 3600.0


class CallGroup:
    """Calls that one thread waits for together; the gate opens when none is left."""

    __slots__ = ("left", "gate")

    def __init__(self, calls: List[Call[Any]]) -> None:
        self.left = len(calls)
        self.gate = threading.Lock()
        self.gate.acquire()

    def end(self, count: int) -> None:
        """Takes away calls that have ended."""
        self.left -= count
        if not self.left:
            self.gate.release()

    def may_be_answered_on(self, connection: Any) -> bool:
        """True while one of them has no result."""
        return self.left > 0


class BackgroundThread:
    """A dispatcher, its lock, and the thread that moves its bytes. It starts with the first connection."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.dispatcher = CallDispatcher(options)
        self.lock = threading.Lock()
        self.changed = threading.Condition(self.lock)
        self.process = os.getpid()
        self.selector = selectors.DefaultSelector()
        self.waker = Waker()
        self.selector.register(self.waker.reader, selectors.EVENT_READ, None)
        # Until when the thread waits for sockets; 0 while it works.
        self.selects_until = 0.0
        self.connections: Dict[Connection, None] = {}
        self.connected: Deque[Tuple[Connection, Union[socket.socket, CarillonError]]] = deque()
        self.thread: Optional[threading.Thread] = None
        self.is_stopped = False
        self.leading_thread = LeadingThread(self)

    # The ends

    def wait_until_closed(self, timeout: float) -> None:
        """Returns when the dispatcher is closed, its connections too, and the thread has ended."""
        with self.changed:
            self.changed.wait_for(
                lambda: self.dispatcher.is_closed and (self.is_stopped or not self.connections), timeout)
            self.is_stopped = True
            if self.thread is None:
                self._close_files()
            else:
                self.waker.set()
        if self.thread is not None and self.thread is not threading.current_thread():
            self.thread.join(JOIN_TIMEOUT_SECONDS)

    def abandon(self) -> None:
        """Ends the thread of a client that was forgotten.

        The garbage collector calls it, in any thread and at any line: so it takes no lock. The child of a fork has the
        parent's sockets and must not touch them.
        """
        if self.process != os.getpid():
            return
        self.is_stopped = True
        if self.thread is None:
            self._close_files()
        else:
            self.waker.set()

    # Under the lock

    def settle(self, now: float) -> List[Any]:
        """Does what the last step of the dispatcher asks for: writes, ends calls, and wakes threads.

        Returns the reports, which are made without the lock.
        """
        dispatcher, results = self.dispatcher, self.dispatcher.results
        self._flush(now)
        if results.finished:
            self._end_finished()
        self.leading_thread.wake_if_over()
        if results.changed_streams or dispatcher.is_closed:
            results.changed_streams.clear()
            self.changed.notify_all()
        if dispatcher.commands or dispatcher.wake_at < self.selects_until:
            self._start_thread()
            self.wake()
        if not results.reports:
            return []
        reports, results.reports = results.reports, []
        return reports

    def _flush(self, now: float) -> None:
        """Writes what the connections have to say."""
        dispatcher = self.dispatcher
        connection = dispatcher.current
        if connection is not None and connection.transport is not None:
            connection.transport.flush(dispatcher, connection, now)
            self.watch(connection)
        for each in dispatcher.draining:
            if each.session.control and each.transport is not None:
                each.transport.flush(dispatcher, each, now)
                self.watch(each)

    def _end_finished(self) -> None:
        """Tells the threads that wait for them that calls have ended."""
        finished, self.dispatcher.results.finished = self.dispatcher.results.finished, []
        group, count = None, 0
        for call in finished:
            signal = call.end_signal
            if signal is group:  # most often they are of one batch
                count += 1
                continue
            if group is not None:
                group.end(count)
            group, count = None, 0
            if type(signal) is CallGroup:
                group, count = signal, 1
            else:
                signal.release()
        if group is not None:
            group.end(count)

    def _start_thread(self) -> None:
        if self.thread is None and not self.is_stopped:
            thread = threading.Thread(target=self._run, name="carillon", daemon=True)
            thread.start()  # it waits for the lock
            self.thread = thread

    def wake(self) -> None:
        """Lets the thread look at what has changed."""
        if threading.current_thread() is not self.thread:
            self.waker.set()

    def watch(self, connection: Connection) -> None:
        """Lets the thread watch a socket for what it has to do there."""
        transport: Transport = connection.transport
        events = 0 if self.leading_thread.keeps(connection) else selectors.EVENT_READ
        if transport.unsent:
            events |= selectors.EVENT_WRITE
        if events == transport.watched or connection not in self.connections:
            return
        if not transport.watched:
            self.selector.register(transport.socket, events, connection)
        elif events:
            self.selector.modify(transport.socket, events, connection)
        else:
            self.selector.unregister(transport.socket)
        transport.watched = events

    def read(self, connection: Connection, now: float) -> None:
        """Reads what has come on a connection."""
        transport: Transport = connection.transport
        while not connection.has_ended:
            try:
                data = transport.socket.recv(READ_BYTES)
            except BUSY:
                return
            except OSError as error:
                lost = connection_lost(f"the connection has ended: {error}", error)
                return self.dispatcher.ended(connection, lost, now)
            if not data:
                return self.dispatcher.ended(connection, None, now)
            self.dispatcher.received(connection, data, now)
            if not transport.is_tls:  # with TLS, bytes can be there that the system does not know of
                return

    # The thread

    def _run(self) -> None:
        """Works until the client is closed; a defect ends everything that waits."""
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
            now = _monotonic()
            self.selects_until = min(self.dispatcher.wake_at, self.leading_thread.look_again(now))
            seconds = max(0.0, self.selects_until - now) if not self.dispatcher.commands else 0.0
        ready = self.selector.select(min(seconds, MAXIMUM_SELECT_SECONDS))
        with self.lock:
            now = _monotonic()
            self.selects_until = 0.0
            for key, events in ready:
                if key.data is None:
                    self.waker.clear()
                else:
                    self._move(key.data, events, now)
            while self.connected:
                self._take_connected(*self.connected.popleft(), now=now)
            if now >= self.dispatcher.wake_at:
                self.dispatcher.tick(now)
            reports = self.settle(now)
            self._perform_commands()
            if self.dispatcher.is_closed and not self.connections:
                self.is_stopped = True
            goes_on = not self.is_stopped
        if reports:
            perform_reports(reports, now)
        return goes_on

    def _move(self, connection: Connection, events: int, now: float) -> None:
        """Writes and reads what a socket is ready for."""
        transport: Transport = connection.transport
        if events & selectors.EVENT_WRITE:
            transport.flush(self.dispatcher, connection, now)
            self.watch(connection)
        if (events & selectors.EVENT_READ or transport.is_tls) and connection is not self.leading_thread.connection:
            self.read(connection, now)

    def _perform_commands(self) -> None:
        """Performs what the dispatcher asks for: begins to connect, closes connections."""
        while self.dispatcher.commands:
            action, connection = self.dispatcher.commands.pop(0)
            if action is Action.CONNECT:
                threading.Thread(target=self._connect, args=(connection,), name="carillon-connect", daemon=True).start()
            elif connection in self.connections:
                del self.connections[connection]
                if connection.transport.watched:
                    self.selector.unregister(connection.transport.socket)
                connection.transport.flush(self.dispatcher, connection, _monotonic())
                connection.transport.close()
        if self.dispatcher.is_closed and not self.connections:
            self.changed.notify_all()

    def _take_connected(self, connection: Connection, result: Union[socket.socket, CarillonError], now: float) -> None:
        """Takes what a thread has connected, or why it could not."""
        if isinstance(result, CarillonError):
            self.dispatcher.ended(connection, result, now)
        elif connection.has_ended or self.is_stopped:
            result.close()
        else:
            result.setblocking(False)
            connection.transport = Transport(result)
            self.connections[connection] = None
            self.leading_thread.ended_at = 0.0
            connection.transport.flush(self.dispatcher, connection, now)
            self.watch(connection)

    def _abort(self, error: Exception) -> None:
        """Ends everything with the error of a defect."""
        with self.lock:
            self.is_stopped = True
            dispatcher, now = self.dispatcher, _monotonic()
            dispatcher.is_closing = True
            for connection in dispatcher.connections():
                dispatcher.ended(connection, connection_lost(f"a defect of the client: {error!r}", error), now)
            dispatcher.close(now, 0.0)
            dispatcher.closes_at = now
            dispatcher.tick(now)
            reports = self.settle(now)
        perform_reports(reports, now)

    def _close_files(self) -> None:
        for connection in self.connections:
            connection.transport.socket.close()
        self.connections.clear()
        for _, result in self.connected:
            if isinstance(result, socket.socket):
                result.close()
        self.connected.clear()
        self.selector.close()
        self.waker.close()
        self.leading_thread.waker.close()

    # Connecting, in a thread of its own: resolving blocks

    def _connect(self, connection: Connection) -> None:
        """Connects one address, and hands the socket or the error to the background thread."""
        result: Union[socket.socket, CarillonError]
        try:
            result = open_socket(self.options, connection)
        except Exception as error:
            result = connect_error(error)
        with self.lock:
            if not self.is_stopped:
                self.connected.append((connection, result))
                self.waker.set()
            elif isinstance(result, socket.socket):
                result.close()
