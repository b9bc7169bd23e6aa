"""A thread of the program that reads the socket itself while it waits alone.

A change of threads costs more than all the rest of a call. So a thread that makes a call writes the request itself if
the socket has room; and if it is the only one that waits, it *leads*: it also reads the socket until it has its answer.
The background thread does not watch the socket until then, and takes it back when nothing has led for a moment. Timers
and connecting are always its work.
"""
from __future__ import annotations

import select
import threading
import time
from typing import Any, Dict, List, Optional, Protocol

from ._connection import Connection
from ._call_dispatcher import CallDispatcher
from ._results import perform_reports
from ._sockets import Transport, Waker
from ._values import FOREVER

_monotonic = time.monotonic
CAN_LEAD = hasattr(select, "poll")
# The time without a leading thread after which the background thread watches the socket again.
IDLE_SECONDS = 0.1
# The time after which a leading thread looks at the clock at the latest.
MAXIMUM_POLL_SECONDS = 60.0


class Waited(Protocol):
    """What a thread waits for: a call, several of them, or `connect` and `ping`."""

    def may_be_answered_on(self, connection: Connection) -> bool:
        """True while its end can come with bytes of this connection."""


class Background(Protocol):
    """What a leading thread needs of the background thread."""

    dispatcher: CallDispatcher
    lock: threading.Lock
    connections: Dict[Connection, None]
    selects_until: float

    def settle(self, now: float) -> List[Any]:
        """Does what the last step of the dispatcher asks for; returns the reports."""

    def read(self, connection: Connection, now: float) -> None:
        """Reads what has come on a connection."""

    def watch(self, connection: Connection) -> None:
        """Lets the background thread watch a socket for what it has to do there."""

    def wake(self) -> None:
        """Lets the background thread look at what has changed."""


class LeadingThread:
    """Which thread leads, and for what. The lock of the background thread is held at each use, but for `read`."""

    def __init__(self, background: Background) -> None:
        self.background = background
        self.connection: Optional[Connection] = None
        self.waited: Optional[Waited] = None
        self.thread = 0
        self.waker = Waker()
        # When a thread has led last; 0 if the background thread watches the socket.
        self.ended_at = 0.0
        # How many threads wait and do not lead.
        self.followers = 0

    def begin(self, waited: Waited) -> bool:
        """Begins to wait in this thread. Returns true if it leads, and must `read`; else it counts as a follower."""
        connection = self.background.dispatcher.current
        if connection is not None and self._may_begin(waited, connection):
            self.connection, self.waited, self.thread = connection, waited, threading.get_ident()
            if connection.transport.watched:
                self.background.watch(connection)
            return True
        self.followers += 1
        if self.connection is None and self.ended_at:
            self.give_back()
        return False

    def _may_begin(self, waited: Waited, connection: Connection) -> bool:
        streams = self.background.dispatcher.subscriptions.streams
        is_alone = self.connection is None and not self.followers and not streams
        return CAN_LEAD and is_alone and connection.transport is not None and self._may_go_on(waited, connection)

    def _may_go_on(self, waited: Waited, connection: Connection) -> bool:
        is_current = not connection.has_ended and connection is self.background.dispatcher.current
        return is_current and waited.may_be_answered_on(connection)

    def read(self, end: float) -> None:
        """Reads the socket until what is waited for has ended, or cannot come on this connection, or the time is over.

        The lock is not held.
        """
        background, connection, waited = self.background, self.connection, self.waited
        assert connection is not None and waited is not None
        transport: Transport = connection.transport
        goes_on = True
        try:
            poller = transport.poller(self.waker)
            while goes_on:
                ready = () if transport.has_pending else \
                    poller.poll(1000 * max(0.0, min(end - _monotonic(), MAXIMUM_POLL_SECONDS)))
                with background.lock:
                    now = _monotonic()
                    for file, _ in ready:
                        if file == self.waker.fileno():
                            self.waker.clear()
                    if not connection.has_ended:
                        background.read(connection, now)
                    reports = background.settle(now)
                    goes_on = self._may_go_on(waited, connection) and now < end
                    if not goes_on:
                        self._end(now)
                if reports:
                    perform_reports(reports, now)
        finally:
            if goes_on:  # an interruption, such as KeyboardInterrupt
                with background.lock:
                    self._end(_monotonic())

    def _end(self, now: float) -> None:
        connection, self.connection, self.waited = self.connection, None, None
        self.ended_at = now
        background, dispatcher = self.background, self.background.dispatcher
        if connection is None or connection not in background.connections:
            return
        has_work = self.followers or dispatcher.subscriptions.streams or dispatcher.draining
        if has_work or connection.session.outstanding or dispatcher.queue.waiting:
            self.ended_at = 0.0
            background.watch(connection)  # which may drain now
            background.wake()
        elif background.selects_until > now + IDLE_SECONDS:
            background.wake()

    def wake_if_over(self) -> None:
        """Wakes the leading thread if another one has ended what it waits for."""
        if self.connection is not None and self.waited is not None and threading.get_ident() != self.thread and \
                not self._may_go_on(self.waited, self.connection):
            self.waker.set()

    def keeps(self, connection: Connection) -> bool:
        """True if the background thread does not watch this connection for bytes that come."""
        return connection is self.connection or bool(self.ended_at) and connection is self.background.dispatcher.current

    def look_again(self, now: float) -> float:
        """Gives the socket back if nothing has led for a moment; returns when to look again."""
        if self.connection is not None or not self.ended_at:
            return FOREVER
        if now < self.ended_at + IDLE_SECONDS:
            return self.ended_at + IDLE_SECONDS
        self.give_back()
        return FOREVER

    def give_back(self) -> None:
        """Lets the background thread watch the socket again."""
        self.ended_at = 0.0
        current = self.background.dispatcher.current
        if current is not None and current.transport is not None:
            self.background.watch(current)
