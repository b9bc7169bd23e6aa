"""The client without sockets and without a clock: connections, calls, retries, streams, closing.

A shell calls the dispatcher with what has happened and the time, writes what `output` returns, performs `commands`,
calls `tick` at `wake_at`, and passes on what is in `results`. The dispatcher decides about connections and the results
of calls. `CallQueue` has the calls that are on no connection, and `Subscriptions` decides about streams of events.
Times are monotonic seconds. A shell with threads holds one lock around every use.
"""
# Long: the decisions about calls and connections share their state.
from __future__ import annotations

import enum
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Union

from ._calls import DONE, WRITTEN, Call, Waiter
from ._connection import Connection, read_key
from ._position import LogPosition
from ._queue import CallQueue
from ._results import Results
from ._server_selection import ServerSelection
from ._session import (Ended, EventReceived, GoingAway, Notice, Opened, Phase, PongReceived, PositionReceived,
                       RequestFailed, Sendable, Session)
from ._streams import Stream, StreamRequest
from ._subscriptions import Subscriptions
from ._values import FOREVER, seconds
from .errors import NUMBERS, UNKNOWN, CarillonError, cannot_connect, connection_lost
from .options import Options

# The largest delay of a deadline: so long is the least time between two ticks.
MAXIMUM_DELAY_SECONDS = 0.005


class Action(enum.Enum):
    """What a shell does with a connection."""

    CONNECT = enum.auto()
    CLOSE = enum.auto()


class Command(NamedTuple):
    """What the dispatcher asks its shell for."""

    action: Action
    connection: Connection


class CallDispatcher:
    """Decides which request is written on which connection and when, and ends each call with one result."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.servers = ServerSelection(options)
        self.request_timeout = seconds(options.request_timeout, "request_timeout")
        self.connect_timeout = seconds(options.connect_timeout, "connect_timeout")
        # For the shell.
        self.commands: List[Command] = []
        self.results = Results(options)
        self.wake_at = FOREVER
        # Connections: the one for new requests, and those that only wait for answers.
        self.current: Optional[Connection] = None
        self.draining: List[Connection] = []
        self.epoch: Optional[bytes] = None
        self.position = LogPosition()
        self.queue = CallQueue(options)
        self.connect_waiters: List[Waiter] = []
        self.ping_waiters: List[Waiter] = []
        self.subscriptions = Subscriptions(self.servers, self.results, self.request_timeout)
        self.is_closing = self.is_closed = False
        self.closes_at = FOREVER

    # What programs want

    def start(self, call: Call[Any], now: float) -> None:
        """Begins a call. When it has its result, it is in `results.finished`."""
        if self.is_closing:
            return self.results.call_ended(call, CarillonError("CLOSED", "the client is closed"))
        if not self.queue.add(call, room=0 if self.current is None else self.current.session.room):
            return self.results.call_ended(call, CarillonError("OVERLOADED", "too many calls wait", retry_after=0.1))
        if call.deadline < self.wake_at:
            self.wake_at = call.deadline
        if self.current is None:
            self.connect_if_due(now)

    def start_all(self, calls: List[Call[Any]], now: float) -> None:
        """Begins calls that have the same deadline."""
        if self.is_closing or not self.queue.add_all(calls):
            for call in calls:  # not all of them can begin
                self.start(call, now)
            return
        self._wake_by(calls[0].deadline)
        if self.current is None:
            self.connect_if_due(now)

    def connect(self, waiter: Waiter, now: float) -> None:
        """Begins to connect; the waiter is done when a connection is open (CONTRACT.md, ADR-8)."""
        self._wait(waiter, self.connect_waiters, now)

    def ping(self, waiter: Waiter, now: float) -> None:
        """Begins a round trip; the waiter's value is its duration in seconds."""
        self._wait(waiter, self.ping_waiters, now)

    def _wait(self, waiter: Waiter, waiters: List[Waiter], now: float) -> None:
        """Begins to wait for a connection or a round trip, unless it is there."""
        if self.is_closing:
            self._finish_waiter(waiter, CarillonError("CLOSED", "the client is closed"))
        elif waiters is self.connect_waiters and self._open_session() is not None:
            self._finish_waiter(waiter, None)
        else:
            waiters.append(waiter)
            self._wake_by(waiter.deadline)
            self.connect_if_due(now)

    def cancel(self, waiting: Union[Call[Any], Waiter], now: float) -> None:
        """Ends a call or a wait that the program has cancelled (DL-5)."""
        self._give_up(waiting, CarillonError("CANCELLED", "the program has cancelled the call", retry_after=0.0), now)
        self.connect_if_due(now)

    def read_after(self, cluster: bytes, position: int, now: float) -> None:
        """Keeps a position that the program has from another client (POS-4)."""
        self.position.read_after(cluster, position, self._open_session())

    def subscribe(self, stream: Stream, now: float) -> None:
        """Begins a stream of events."""
        if self.is_closing:
            return self.subscriptions.end(stream, CarillonError("CLOSED", "the client is closed"))
        self.subscriptions.streams.append(stream)
        self._wake_by(stream.deadline)
        self.connect_if_due(now)

    def close(self, now: float, drain: float) -> None:
        """Accepts no more calls. Those on an open connection have `drain` seconds to end; then `is_closed` (CLS-1)."""
        if self.is_closing:
            return
        self.is_closing, self.closes_at = True, now + drain
        self._wake_by(self.closes_at)
        closed = CarillonError("CLOSED", "the client was closed")
        has_room = self._open_session() is not None
        self._give_up_all([*self.connect_waiters, *self.queue.pausing], closed, now)
        if not has_room:
            self._give_up_all([*self.queue.waiting, *self.ping_waiters], closed, now)
        for stream in list(self.subscriptions.streams):
            self.subscriptions.close(stream)
        self.tick(now)

    # Time

    def _wake_by(self, at: float) -> None:
        if at < self.wake_at:
            self.wake_at = at

    def tick(self, now: float) -> None:
        """Does everything that is due, and says in `wake_at` when it wants to be called again."""
        self._expire(now)
        for connection in self.connections():
            if not connection.session.is_open and now >= connection.gives_up_at:
                timeout = f"the connection was not open within {self.connect_timeout:g} s"
                self._end_connection(connection, cannot_connect(timeout), now)
            else:
                self._handle(connection, connection.session.tick(now), now)
        if self.is_closing:
            self._finish_closing(now)
        self.connect_if_due(now)
        self.wake_at = max(self._next_time(now), now + MAXIMUM_DELAY_SECONDS)

    def connections(self) -> List[Connection]:
        """All connections, attempts included."""
        return [*([] if self.current is None else [self.current]), *self.draining]

    def _expire(self, now: float) -> None:
        """Ends the pauses that are over, and everything whose deadline has passed."""
        self.queue.resume(now)
        for call in self.queue.take_expired(now):
            self._finish(call, self._deadline_error(call))
        due = [call for call in self._written_calls() if call.deadline <= now]
        due += [call for call in self.queue.pausing if call.deadline <= now]
        for call in due:
            self._give_up(call, self._deadline_error(call), now)
        for waiter in [each for each in (*self.connect_waiters, *self.ping_waiters) if each.deadline <= now]:
            self._finish_waiter(waiter, self._deadline_error(waiter))
        for stream in self.subscriptions.expired(now):
            self.subscriptions.give_up(stream, self._deadline_error(None))

    def _open_session(self) -> Optional[Session]:
        return self.current.session if self.current is not None and self.current.session.is_open else None

    def _written_calls(self) -> List[Call[Any]]:
        return [each for connection in self.connections() for each in connection.session.outstanding.values()
                if isinstance(each, Call) and not each.is_abandoned]

    def _deadline_error(self, waiting: Union[Call[Any], Waiter, None]) -> CarillonError:
        """Returns why a call has no result when its deadline passes: a request that is written may have taken effect
        (DL-4); else the error of the last attempt, or why there is no connection (DL-3)."""
        if isinstance(waiting, Call) and waiting.state == WRITTEN:
            return CarillonError("NO_ANSWER", "the deadline has passed", effect=UNKNOWN, retry_after=0.0)
        if isinstance(waiting, Call) and waiting.failures is not None and waiting.failures.last_error is not None:
            return waiting.failures.last_error
        if self._open_session() is not None:
            return CarillonError("NO_ANSWER", "the deadline has passed before the request was written", retry_after=0.0)
        return self.servers.error()

    def _next_time(self, now: float) -> float:
        """Returns when `tick` has something to do."""
        times = [self.closes_at, self.queue.next_time(), self.subscriptions.next_time(now)]
        times += [waiter.deadline for waiter in (*self.connect_waiters, *self.ping_waiters)]
        times += [call.deadline for call in self._written_calls()]
        for connection in self.connections():
            times.append(connection.session.next_time() if connection.session.is_open else connection.gives_up_at)
            if self.ping_waiters and connection.session.last_ping is not None:
                times.append(connection.session.last_ping + connection.session.ping_interval)
        if self.current is None and self._wants_connection(now):
            times.append(self.servers.next_time(now))
        return min(times)

    # Results

    def _finish(self, call: Call[Any], error: Optional[CarillonError]) -> None:
        """Ends a call; its value is set already if there is no error."""
        self.queue.request_bytes -= call.size
        self.results.call_ended(call, error)

    def _finish_waiter(self, waiter: Waiter, error: Optional[CarillonError]) -> None:
        for waiters in (self.connect_waiters, self.ping_waiters):
            if waiter in waiters:
                waiters.remove(waiter)
        self.results.waiter_ended(waiter, error)

    def _give_up(self, waiting: Union[Call[Any], Waiter], error: CarillonError, now: float) -> None:
        """Ends a call whatever its state; if it is written, its effect is unknown (DL-4, DL-5, CLS-2)."""
        if waiting.state == DONE:
            return
        if isinstance(waiting, Waiter):
            return self._finish_waiter(waiting, error)
        if waiting.state == WRITTEN:
            error = error.copied(UNKNOWN)
            connection: Connection = waiting.connection
            connection.session.abandon(waiting, now)
            self._wake_by(now + connection.session.ping_timeout)
        else:
            self.queue.remove(waiting)
        self._finish(waiting, error)

    def _give_up_all(self, waiting: Sequence[Union[Call[Any], Waiter]], error: CarillonError, now: float) -> None:
        for each in waiting:
            self._give_up(each, error, now)

    # Connecting

    def _wants_connection(self, now: float) -> bool:
        if self.is_closing:
            return False
        has_waiters = self.queue.waiting or self.connect_waiters or self.ping_waiters
        return bool(has_waiters) or self.subscriptions.want_connection(now)

    def connect_if_due(self, now: float) -> None:
        """Connects if that is needed; sends the PING that is due on an open connection."""
        if self.current is not None:
            if self.ping_waiters:
                self._wake_by(self.current.session.begin_ping(now))
            return
        if not self._wants_connection(now):
            return
        refusal = self.servers.all_refused(now)
        if refusal is not None:
            return self._fail_refused(refusal, now)
        target = self.servers.next(now)
        if target is None:
            return self._wake_by(self.servers.next_time(now))
        key, problem = read_key(self.options)
        connection = Connection(target, Session(self.options, key, now), now + self.connect_timeout)
        self.current = connection
        self._wake_by(connection.gives_up_at)
        self.results.state_changed("connecting", connection)
        if problem is not None:
            return self._end_connection(connection, problem, now)
        self.commands.append(Command(Action.CONNECT, connection))

    def _fail_refused(self, refusal: CarillonError, now: float) -> None:
        """Fails everything that waits for a connection, because all addresses are refused (CRED-4)."""
        self._give_up_all([*self.queue.waiting, *self.connect_waiters, *self.ping_waiters], refusal, now)
        self.subscriptions.end_waiting(refusal)

    # Writing

    def output(self, connection: Connection, now: float) -> bytes:
        """Returns the bytes to write next, at most 64 KiB but for a single request; empty if there are none (PIP-3).

        The requests in them count as written from here on.
        """
        session = connection.session
        pieces, session.control = session.control, []
        if not session.is_open or session.is_draining or connection is not self.current:
            return b"".join(pieces)
        size = len(session.outstanding)
        if self.subscriptions.streams:
            self.subscriptions.write(connection, pieces, now)
        if self.queue.waiting:
            calls, refused = self.queue.take(connection, now)
            pieces += session.write(calls, now)
            for call, error in refused:
                self._finish(call, error)
        if len(session.outstanding) > size:
            self._wake_by(now + session.probe_after)
        return b"".join(pieces)

    # What connections bring

    def received(self, connection: Connection, data: bytes, now: float) -> None:
        """Reads bytes that have come on a connection."""
        if not connection.has_ended:
            self._handle(connection, connection.session.receive(data, now), now)

    def ended(self, connection: Connection, error: Optional[CarillonError], now: float) -> None:
        """Takes note that a connection has ended or could not be made. Without an error the server has closed it."""
        if connection.has_ended:
            return
        if error is None and connection.session.is_version_refused:
            error = CarillonError("UNSUPPORTED_VERSION", "the server speaks no version of this client")
        self._end_connection(connection, error or connection_lost("the server has closed the connection"), now)

    def _handle(self, connection: Connection, notices: List[Notice], now: float) -> None:
        """Handles the notices of a session, in their order."""
        if not notices:
            return
        session = connection.session
        if session.has_worked and not connection.has_worked and connection is self.current:
            connection.has_worked = True
            self.servers.worked()
        finish, on_call = self.results.finished.append, self.options.on_call
        for notice in notices:
            if type(notice) is Call:  # almost all are
                notice.state = DONE
                self.queue.request_bytes -= notice.size
                finish(notice)
                if on_call is not None:
                    self.results.reports.append((on_call, notice))
            else:
                self._handle_rare(connection, notice, now)
        if connection in self.draining and session.is_finished:
            self._drop(connection)
        if self.is_closing:
            self._finish_closing(now)
        if self.current is None or self.ping_waiters:
            self.connect_if_due(now)

    def _handle_rare(self, connection: Connection, notice: Notice, now: float) -> None:
        """Handles a notice other than the answer to a call."""
        session = connection.session
        if isinstance(notice, StreamRequest):
            self.subscriptions.answered(connection, notice)
        elif isinstance(notice, EventReceived):
            if not self.subscriptions.received(connection, notice.subscription_id, notice.fields):
                self._handle(connection, [session.fault("more events than the credit allows")], now)
        elif isinstance(notice, RequestFailed):
            self._refused(connection, notice.request, notice.error, now)
        elif isinstance(notice, Opened):
            self._opened(connection)
        elif isinstance(notice, PositionReceived):
            self.position.reported(session, notice.position, self._open_session())
        elif isinstance(notice, GoingAway):
            self._going_away(connection, notice.fields, now)
        elif isinstance(notice, PongReceived):
            for waiter in list(self.ping_waiters):
                waiter.value = notice.round_trip_seconds
                self._finish_waiter(waiter, None)
        elif isinstance(notice, Ended):
            self._end_connection(connection, notice.error, now, notice.named_id)

    def _opened(self, connection: Connection) -> None:
        """Uses a connection whose handshake is done: it takes requests, and what waits for `connect` ends."""
        connection.has_opened = True
        self.servers.connected(connection.target)
        epoch: bytes = connection.session.hello["epoch"]
        if self.epoch is not None and epoch != self.epoch:
            self.results.state_changed("new_history", connection, epoch=epoch.hex(), previous_epoch=self.epoch.hex())
        self.epoch = epoch
        self.position.send(connection.session)
        self.results.state_changed(
            "connected", connection, software=connection.session.hello["software"], epoch=epoch.hex())
        for waiter in list(self.connect_waiters):
            self._finish_waiter(waiter, None)
        self._wake_by(connection.session.next_time())

    # Requests that fail

    def _refused(self, connection: Connection, request: Sendable, error: CarillonError, now: float) -> None:
        """Decides about a request that was answered with an error of scope request."""
        if error.code == "DRAINING":
            self._drain(connection, error.retry_after or 0.0, error.message, now)
        if isinstance(request, StreamRequest):
            if request.stream.connection is connection:
                self._wake_by(self.subscriptions.refused(request, error, now))
        elif isinstance(request, Call):
            if error.code == "DRAINING" and self._record_failure(request, error):
                self._requeue([request])
            else:
                self._attempt_failed(request, error, now)
        if error.code == "BEHIND" and connection is self.current and len(self.options.addresses) > 1:
            # The node lacks what this client has seen; another one may have it (POS-5).
            self._drain(connection, error.retry_after or 0.0, error.message, now)

    def _record_failure(self, call: Call[Any], error: CarillonError) -> bool:
        """Records a failed attempt of a call; returns whether the call may make another one."""
        call.record(error)
        return not self.is_closing and call.may_repeat(error, self.options.maximum_attempts)

    def _attempt_failed(self, call: Call[Any], error: CarillonError, now: float) -> None:
        """Pauses before the next attempt if there may be one before the deadline; else the call ends (RET-5)."""
        if not self._record_failure(call, error):
            return self._finish(call, error)
        pause = self.servers.random_pause(max(1, call.attempts))
        if error.scope == "request":  # that of a connection rules out its address (ADR-6)
            pause += error.retry_after or 0.0
        if now + pause >= call.deadline:
            return self._finish(call, error)
        self.queue.pause(call, now + pause)
        self._wake_by(call.resumes_at)
        self.results.attempt_failed(call, pause, error)

    def _requeue(self, calls: List[Call[Any]]) -> None:
        """Puts calls before those that were never written, in their order (RET-6, RET-7)."""
        self.queue.put_first(calls)
        if self.is_closing and self._open_session() is None:
            for call in calls:
                self.queue.remove(call)
                self._finish(call, CarillonError("CLOSED", "the client was closed"))

    # The end of connections

    def _drop(self, connection: Connection) -> None:
        """Closes a connection that nothing waits for."""
        connection.has_ended = True
        if connection in self.draining:
            self.draining.remove(connection)
        if self.current is connection:
            self.current = None
        self.commands.append(Command(Action.CLOSE, connection))

    def _end_connection(self, connection: Connection, error: CarillonError, now: float, named_id: int = 0) -> None:
        """Ends a connection and the attempts on it. The error is that of the request `named_id`, if there is one; the
        others have lost their connection."""
        if connection.has_ended:
            return
        was_current = self.current is connection
        connection.session.phase = Phase.CLOSED
        self._drop(connection)
        if was_current:
            self.results.state_changed("disconnected" if connection.has_opened else "failed", connection, error=error)
        if error.retry_after is None and not connection.has_opened:
            self._refuse(connection, error, now)
        elif error.retry_after and error.scope == "connection":
            self.servers.rule_out(connection.target, now + error.retry_after)
        if was_current and not connection.session.has_worked:
            self._attempt_of_round_failed(connection, error, now)
        self._attempts_lost(connection, error, now, named_id)
        if self.is_closing:
            self._finish_closing(now)
        self.connect_if_due(now)

    def _refuse(self, connection: Connection, error: CarillonError, now: float) -> None:
        """Records that an address refuses this client."""
        refusal = self.servers.refuse(connection.target, error, connection.session.key, now)
        self.results.state_changed("refused", connection, error=refusal)

    def _attempt_of_round_failed(self, connection: Connection, error: CarillonError, now: float) -> None:
        """Records a connection that has not worked. After the last of a round the `connect` calls fail (ADR-8)."""
        if self.servers.failed(connection.target, error, now):
            for waiter in list(self.connect_waiters):
                self._finish_waiter(waiter, self.servers.round_error())

    def _attempts_lost(self, connection: Connection, error: CarillonError, now: float, named_id: int) -> None:
        """Makes another attempt, or ends the call, for each request without an answer (ERR-6, RET-1)."""
        other = error if error.code == "CONNECTION_LOST" else connection_lost(f"{error.code}: {error.message}", error)
        again: List[Call[Any]] = []
        for id, call in connection.session.outstanding.items():
            if not isinstance(call, Call) or call.is_abandoned:
                continue
            if id == named_id:
                self._attempt_failed(call, error, now)
            elif self._record_failure(call, other):
                again.append(call)
                self.results.attempt_failed(call, 0.0, other)
            else:
                self._finish(call, other)
        connection.session.outstanding = {}
        self._requeue(again)
        self.subscriptions.lose(connection)

    def _going_away(self, connection: Connection, fields: Dict[str, Any], now: float) -> None:
        """Obeys a GOAWAY: the requests above its last id go to another connection."""
        if fields["code"] == NUMBERS["AUTHENTICATION_FAILED"] and connection.target.refusal is None:
            self._refuse(connection, CarillonError("AUTHENTICATION_FAILED", fields["reason"]), now)
        unread = connection.session.take_unread(fields["last_id"])
        calls = [each for each in unread if isinstance(each, Call) and not each.is_abandoned]
        for call in calls:
            call.attempts -= 1  # it was no attempt: the server has not executed it (RET-7)
        self._requeue(calls)
        self._drain(connection, fields["reconnect_after_ms"] / 1000, fields["reason"], now)

    def _drain(self, connection: Connection, wait: float, reason: str, now: float) -> None:
        """Makes no new request on this connection, because its server is going to close it (GO-1), and none to its
        address for the time that the server has asked for (GO-2)."""
        connection.session.is_draining = True
        self.servers.rule_out(connection.target, now + wait)
        for request in connection.session.outstanding.values():
            if isinstance(request, StreamRequest) and not request.is_abandoned:
                connection.session.abandon(request, now)
        self.subscriptions.lose(connection)
        if self.current is connection:
            self.current = None
            self.draining.append(connection)
            self.results.state_changed("draining", connection, reason=reason)
            if not connection.session.has_worked:
                self._attempt_of_round_failed(
                    connection, CarillonError("DRAINING", reason, retry_after=wait), now)

    # Closing

    def _finish_closing(self, now: float) -> None:
        """Ends all calls and streams when the time of `close` is over; closes the connections when none is left."""
        if self.is_closed:
            return
        if now >= self.closes_at:
            closed = CarillonError("CLOSED", "the client was closed")
            calls = [*self.queue.waiting, *self.queue.pausing, *self._written_calls()]
            self._give_up_all([*calls, *self.ping_waiters], closed, now)
        if self._open_session() is None or now >= self.closes_at:
            self.subscriptions.end_all()
        written_left = any(not connection.session.is_finished for connection in self.connections())
        if self.queue.waiting or self.queue.pausing or self.ping_waiters or self.subscriptions.streams or \
                written_left and now < self.closes_at:
            return
        self.is_closed, self.closes_at = True, FOREVER
        for connection in self.connections():
            self._drop(connection)
        self.results.state_changed("closed")
