"""The client without sockets and without a clock: connections, calls, retries, streams, closing.

A shell calls it with what has happened and the time, writes what `output` returns, performs `commands`, wakes it at
`wake_at`, and passes on what is in `finished`, `changed_streams` and `reports`. Times are monotonic seconds. A shell
with threads holds one lock around every use.
"""
# Long: it is one state machine; its parts would only pass each other the same state.
from __future__ import annotations

from collections import deque
from typing import Any, Callable, Deque, Dict, List, Optional, Sequence, Tuple, Union

from ._addresses import Addresses, Target
from ._calls import DONE, PAUSING, WAITING, WRITTEN, Call, Failures, Waiter
from ._codec import DEADLINE_SIZE, HEADER
from ._session import Notice, Session
from ._streams import CREDIT, SUBSCRIBE, UNSUBSCRIBE, Stream, StreamRequest
from ._values import seconds
from .errors import NUMBERS, UNKNOWN, CarillonError, cannot_connect, lost
from .options import CallReport, Options, RetryReport, State

WRITE_SIZE = 1 << 16
# What a frame adds to an encoded request.
OVERHEAD = HEADER.size + DEADLINE_SIZE
# Deadlines are judged together, at most so late, in seconds.
GRAIN = 0.005
FOREVER = float("inf")


class Connection:
    """A connection, from the attempt to its end. `transport` belongs to the shell."""

    def __init__(self, target: Target, session: Session, gives_up_at: float) -> None:
        self.target, self.session, self.gives_up_at = target, session, gives_up_at
        self.address = target.address
        self.streams: Dict[int, Stream] = {}  # by the id of SUBSCRIBE_EVENTS
        self.was_open = self.has_worked = self.has_ended = False
        self.transport: Any = None


class Core:
    """The decisions of a client."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.addresses = Addresses(options)
        self.request_timeout = seconds(options.request_timeout, "request_timeout")
        self.connect_timeout = seconds(options.connect_timeout, "connect_timeout")
        # For the shell.
        self.commands: List[Tuple[str, Connection]] = []
        self.finished: List[Union[Call[Any], Waiter]] = []
        self.changed_streams: List[Stream] = []
        self.reports: List[Tuple[Callable[[Any], None], Any]] = []
        self.wake_at = FOREVER
        # Connections: the one for new requests, and those that only wait for answers.
        self.current: Optional[Connection] = None
        self.draining: List[Connection] = []
        self.epoch: Optional[bytes] = None
        # The cluster and the greatest position in its log that were seen (POS-2).
        self.position: Optional[Tuple[bytes, int]] = None
        # Calls that are not written, in their order, and those that pause between two attempts.
        self.waiting: Deque[Call[Any]] = deque()
        self.pausing: Dict[Call[Any], None] = {}
        self.memory = 0
        self.connects: List[Waiter] = []
        self.pings: List[Waiter] = []
        self.streams: List[Stream] = []
        self.is_closing = self.is_closed = False
        self.closes_at = FOREVER

    # What programs want

    def start(self, call: Call[Any], now: float) -> None:
        """Begins a call. Its result is in `finished` later."""
        self.memory += call.size
        if self.is_closing:
            return self._finish(call, CarillonError("CLOSED", "the client is closed"))
        if len(self.waiting) >= self.options.waiting_limit and self._waits_without_room() or \
                self.memory > self.options.memory_limit:
            return self._finish(call, CarillonError("OVERLOADED", "too many calls wait", retry_after=0.1))
        self.waiting.append(call)
        if call.deadline < self.wake_at:
            self.wake_at = call.deadline
        if self.current is None:
            self.pump(now)

    def start_all(self, calls: List[Call[Any]], now: float) -> None:
        """Begins calls that have the same deadline."""
        size = sum([call.size for call in calls])
        if self.is_closing or self.memory + size > self.options.memory_limit or \
                len(self.waiting) + len(calls) > self.options.waiting_limit:
            for call in calls:  # not all of them can begin
                self.start(call, now)
            return
        self.memory += size
        self.waiting += calls
        self._wake_by(calls[0].deadline)
        if self.current is None:
            self.pump(now)

    def _waits_without_room(self) -> bool:
        room = self.current.session.room if self.current is not None else 0
        return len(self.waiting) - room >= self.options.waiting_limit

    def connect(self, waiter: Waiter, now: float) -> None:
        """Begins to connect; the waiter is done when a connection is open (ADR-8)."""
        self._wait(waiter, self.connects, now)

    def ping(self, waiter: Waiter, now: float) -> None:
        """Begins a round trip; the waiter's value is its duration in seconds."""
        self._wait(waiter, self.pings, now)

    def _wait(self, waiter: Waiter, waiters: List[Waiter], now: float) -> None:
        if self.is_closing:
            self._finish_waiter(waiter, CarillonError("CLOSED", "the client is closed"))
        elif waiters is self.connects and self.current is not None and self.current.session.is_open:
            self._finish_waiter(waiter, None)
        else:
            waiters.append(waiter)
            self._wake_by(waiter.deadline)
            self.pump(now)

    def cancel(self, waiting: Union[Call[Any], Waiter], now: float) -> None:
        """Ends what its caller no longer waits for (DL-5)."""
        self._give_up(waiting, CarillonError("CANCELLED", "the program has cancelled the call", retry_after=0.0), now)
        self.pump(now)

    def subscribe(self, stream: Stream, now: float) -> None:
        """Begins a stream of events."""
        if self.is_closing:
            stream.end(CarillonError("CLOSED", "the client is closed"))
            self.changed_streams.append(stream)
            return
        self.streams.append(stream)
        self._wake_by(stream.deadline)
        self.pump(now)

    def drop_stream(self, stream: Stream) -> None:
        """Ends a stream at once: the server has not answered in time."""
        self._end_stream(stream, None)

    def end_stream(self, stream: Stream, now: float) -> None:
        """Sends the last acknowledgement, then ends the subscription (EVT-11)."""
        stream.is_closing = True
        if stream.state == "waiting":
            self._end_stream(stream, None)

    def close(self, now: float, drain: float) -> None:
        """Accepts no more calls; `is_closed` when all that remain are finished (CLS-1)."""
        if self.is_closing:
            return
        self.is_closing, self.closes_at = True, now + drain
        self._wake_by(self.closes_at)
        closed = CarillonError("CLOSED", "the client was closed")
        has_room = self.current is not None and self.current.session.is_open
        self._give_up_all([*self.connects, *self.pausing], closed, now)
        if not has_room:
            self._give_up_all([*self.waiting, *self.pings], closed, now)
        for stream in list(self.streams):
            self.end_stream(stream, now)
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
                self._end_connection(connection, cannot_connect(timeout), 0, now)
            else:
                self._handle(connection, connection.session.tick(now), now)
        if self.is_closing:
            self._finish_closing(now)
        self.pump(now)
        self.wake_at = max(self._next_time(now), now + GRAIN)

    def connections(self) -> List[Connection]:
        """All connections, attempts included."""
        return [*([] if self.current is None else [self.current]), *self.draining]

    def _expire(self, now: float) -> None:
        for call in [call for call in self.pausing if call.resumes_at <= now and call.deadline > now]:
            del self.pausing[call]
            call.state = WAITING
            self.waiting.append(call)
        late = [call for call in self.waiting if call.deadline <= now]
        if late:  # all at once: removed one by one, many would take long
            self.waiting = deque(call for call in self.waiting if call.deadline > now)
        for call in late:
            self._finish(call, self._deadline_error(call))
        due = [each for connection in self.connections() for each in connection.session.outstanding.values()
               if isinstance(each, Call) and not each.is_abandoned and each.deadline <= now]
        due += [call for call in self.pausing if call.deadline <= now]
        for call in due:
            self._give_up(call, self._deadline_error(call), now)
        for waiter in [each for each in (*self.connects, *self.pings) if each.deadline <= now]:
            self._finish_waiter(waiter, self._deadline_error(waiter))
        for stream in [each for each in self.streams if each.begins and each.deadline <= now]:
            stream.give_up(self._deadline_error(None))
            self.end_stream(stream, now)
            self.changed_streams.append(stream)

    def _deadline_error(self, waiting: Union[Call[Any], Waiter, None]) -> CarillonError:
        """Why a call has no result when its deadline passes (DL-3, DL-4)."""
        if isinstance(waiting, Call) and waiting.state == WRITTEN:
            return CarillonError("NO_ANSWER", "the deadline has passed", effect=UNKNOWN, retry_after=0.0)
        if isinstance(waiting, Call) and waiting.failures is not None and waiting.failures.last_error is not None:
            return waiting.failures.last_error
        if self.current is not None and self.current.session.is_open:
            return CarillonError("NO_ANSWER", "the deadline has passed before the request was written", retry_after=0.0)
        return self.addresses.error()

    def _next_time(self, now: float) -> float:
        times = [self.closes_at]
        times += [call.deadline for call in self.waiting]
        times += [min(call.deadline, call.resumes_at) for call in self.pausing]
        times += [each.deadline for each in (*self.connects, *self.pings)]
        for stream in self.streams:
            times.append(stream.not_before if stream.not_before > now else FOREVER)
            times.append(stream.deadline if stream.begins else FOREVER)
        for connection in self.connections():
            times.append(connection.session.next_time() if connection.session.is_open else connection.gives_up_at)
            times += [each.deadline for each in connection.session.outstanding.values()
                      if isinstance(each, Call) and not each.is_abandoned]
            if self.pings and connection.session.last_ping is not None:
                times.append(connection.session.last_ping + connection.session.ping_interval)
        if self.current is None and self._wants_connection(now):
            times.append(self.addresses.next_time(now))
        return min(times)

    # Results

    def _finish(self, call: Call[Any], error: Optional[CarillonError]) -> None:
        """Ends a call; its value is set already if there is no error."""
        call.state = DONE
        self.memory -= call.size
        if error is not None:
            call.error = call.final(error)
        self.finished.append(call)
        if self.options.on_call is not None:
            self.reports.append((self.options.on_call, call))

    def _finish_waiter(self, waiter: Waiter, error: Optional[CarillonError]) -> None:
        waiter.state, waiter.error = DONE, None if error is None else error.copied()
        for waiters in (self.connects, self.pings):
            if waiter in waiters:
                waiters.remove(waiter)
        self.finished.append(waiter)

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
        elif waiting.state == PAUSING:
            del self.pausing[waiting]
        elif self.waiting and self.waiting[0] is waiting:  # all of them end in their order
            self.waiting.popleft()
        elif waiting in self.waiting:
            self.waiting.remove(waiting)
        self._finish(waiting, error)

    def _give_up_all(self, waiting: Sequence[Union[Call[Any], Waiter]], error: CarillonError, now: float) -> None:
        for each in waiting:
            self._give_up(each, error, now)

    def _state(self, kind: str, connection: Optional[Connection] = None, **members: Any) -> None:
        if self.options.on_state is not None:
            address = None if connection is None else connection.address.text
            self.reports.append((self.options.on_state, State(kind, address, **members)))

    # Connecting

    def _wants_connection(self, now: float) -> bool:
        if self.is_closing:
            return False
        return bool(self.waiting or self.connects or self.pings) or \
            any(each.state == "waiting" and each.not_before <= now and not each.is_closing for each in self.streams)

    def pump(self, now: float) -> None:
        """Connects if that is needed."""
        if self.current is not None:
            if self.pings:
                self._begin_ping(self.current, now)
            return
        if not self._wants_connection(now):
            return
        refusal = self.addresses.all_refused(now)
        if refusal is not None:
            return self._fail_refused(refusal, now)
        target = self.addresses.next(now)
        if target is None:
            return self._wake_by(self.addresses.next_time(now))
        try:
            key, problem = self.options.read_key(), None
        except Exception as error:  # the program's own file or function
            key, problem = None, cannot_connect(f"the key cannot be read: {type(error).__name__}")
        connection = Connection(target, Session(self.options, key, now), now + self.connect_timeout)
        self.current = connection
        self._wake_by(connection.gives_up_at)
        self._state("connecting", connection)
        if problem is not None:
            return self._end_connection(connection, problem, 0, now)
        self.commands.append(("connect", connection))

    def _fail_refused(self, refusal: CarillonError, now: float) -> None:
        """All addresses are refused: everything that waits for a connection fails (CRED-4)."""
        self._give_up_all([*self.waiting, *self.connects, *self.pings], refusal, now)
        for stream in list(self.streams):
            if stream.state == "waiting":
                self._end_stream(stream, refusal.copied())

    def _begin_ping(self, connection: Connection, now: float) -> None:
        session = connection.session
        if not session.is_open or session.ping is not None:
            return
        earliest = now if session.last_ping is None else session.last_ping + session.ping_interval
        if now >= earliest:
            session.send_ping(now)
        self._wake_by(now + session.ping_timeout if now >= earliest else earliest)

    # Writing

    def output(self, connection: Connection, now: float) -> bytes:
        """Returns the bytes to write next, at most 64 KiB but for a single request; empty if there are none (PIP-3).

        The requests in them count as written from here on.
        """
        session = connection.session
        pieces, session.control = session.control, []
        if session.phase != "open" or session.is_draining or connection is not self.current:
            return b"".join(pieces)
        size = len(session.outstanding)
        if self.streams:
            self._write_streams(connection, pieces, now)
        if self.waiting:
            self._write_calls(connection, pieces, now)
        if len(session.outstanding) > size:
            self._wake_by(now + session.probe_after)
        return b"".join(pieces)

    def _write_calls(self, connection: Connection, pieces: List[bytes], now: float) -> None:
        session, waiting = connection.session, self.waiting
        room, size, taken = session.room, 0, 0
        served, longest = session.served, session.frame_limit - DEADLINE_SIZE
        calls: List[Call[Any]] = []
        for call in waiting:
            more = call.size + OVERHEAD
            if len(calls) == room or size and size + more > WRITE_SIZE:
                break
            taken += 1
            if (call.operation.opcode not in served or call.size > longest or call.failures is not None) and \
                    self._ends_unwritten(call, session, now):
                continue
            call.state, call.connection = WRITTEN, connection
            call.attempts += 1
            calls.append(call)
            size += more
        if taken == len(waiting):
            waiting.clear()
        else:
            for _ in range(taken):
                waiting.popleft()
        pieces += session.write(calls, now)

    def _ends_unwritten(self, call: Call[Any], session: Session, now: float) -> bool:
        """Ends a call that may not be sent; false if it may."""
        refusal = session.refusal(call)
        if refusal is None and call.failures is not None and not self._key_is_remembered(call, call.failures, session,
                                                                                         now):
            call.failures.is_key_forgotten = True
            refusal = call.failures.last_error
        if refusal is None:
            return False
        self._finish(call, refusal)
        return True

    def _key_is_remembered(self, call: Call[Any], failures: Failures, session: Session, now: float) -> bool:
        """True unless the server could have forgotten the key of an earlier attempt (RET-4)."""
        if call.repeat_class != "key" or failures.effect != UNKNOWN:
            return True
        window: int = session.hello["idempotency_window_s"]
        return bool(session.hello["epoch"] == failures.first_epoch) and now - failures.first_written < window

    def _write_streams(self, connection: Connection, pieces: List[bytes], now: float) -> None:
        session = connection.session
        for stream in list(self.streams):
            request: Optional[StreamRequest] = None
            if session.room <= 0 or session.is_draining:
                return
            if stream.state == "waiting" and stream.not_before <= now:
                request = stream.subscription(session.hello["epoch"])
                stream.connection = connection
            elif stream.connection is connection:
                request = stream.due_request(now)
            if request is None:
                continue
            refusal = session.refusal(request)
            if refusal is not None:
                self._end_stream(stream, refusal)
                continue
            is_first = request.operation is SUBSCRIBE and not stream.is_accepted
            request.deadline = stream.deadline if is_first else now + self.request_timeout
            pieces += session.write([request], now)
            if request.operation is SUBSCRIBE:
                stream.id = request.id
                connection.streams[request.id] = stream
            elif request.operation is UNSUBSCRIBE:
                connection.streams.pop(stream.id, None)

    # What connections bring

    def received(self, connection: Connection, data: bytes, now: float) -> None:
        """Bytes have come."""
        if not connection.has_ended:
            self._handle(connection, connection.session.receive(data, now), now)

    def ended(self, connection: Connection, error: Optional[CarillonError], now: float) -> None:
        """The connection has ended or could not be made. Without an error the server has closed it."""
        if connection.has_ended:
            return
        if error is None and connection.session.is_version_refused:
            error = CarillonError("UNSUPPORTED_VERSION", "the server speaks no version of this client")
        self._end_connection(connection, error or lost("the server has closed the connection"), 0, now)

    def _handle(self, connection: Connection, notices: List[Notice], now: float) -> None:
        if not notices:
            return
        session = connection.session
        if session.has_worked and not connection.has_worked and connection is self.current:
            connection.has_worked = True
            self.addresses.worked()
        finish, on_call = self.finished.append, self.options.on_call
        for notice in notices:
            if type(notice) is Call:  # almost all are
                notice.state = DONE
                self.memory -= notice.size
                finish(notice)
                if on_call is not None:
                    self.reports.append((on_call, notice))
                continue
            if isinstance(notice, StreamRequest):
                self._stream_answered(connection, notice)
                continue
            assert isinstance(notice, tuple)
            kind, subject, value = notice
            if kind == "event":
                self._event(connection, subject, value, now)
            elif kind == "error":
                self._refused(connection, subject, value, now)
            elif kind == "open":
                self._opened(connection)
            elif kind == "position":
                self._position_reported(connection, value)
            elif kind == "goaway":
                self._going_away(connection, value, now)
            elif kind == "pong":
                for waiter in list(self.pings):
                    waiter.value = value
                    self._finish_waiter(waiter, None)
            elif kind == "fault":
                self._end_connection(connection, value, subject, now)
        if connection in self.draining and session.is_finished:
            self._drop(connection)
        if self.is_closing:
            self._finish_closing(now)
        if self.current is None or self.pings:
            self.pump(now)

    def _opened(self, connection: Connection) -> None:
        connection.was_open = True
        self.addresses.connected(connection.target)
        epoch: bytes = connection.session.hello["epoch"]
        if self.epoch is not None and epoch != self.epoch:
            self._state("new_history", connection, epoch=epoch.hex(), previous_epoch=self.epoch.hex())
        self.epoch = epoch
        self._send_position(connection)
        self._state("connected", connection, software=connection.session.hello["software"], epoch=epoch.hex())
        for waiter in list(self.connects):
            self._finish_waiter(waiter, None)
        self._wake_by(connection.session.next_time())

    # Positions (POS)

    def observe(self, cluster: bytes, position: int, now: float) -> None:
        """The program has had a position from another client."""
        current = self.current if self.current is not None and self.current.session.is_open else None
        if current is not None and current.session.cluster != cluster:
            return
        if self._has_seen(cluster, position) and current is not None:
            self._send_position(current)

    def _position_reported(self, connection: Connection, position: int) -> None:
        cluster, current = connection.session.cluster, self.current
        if cluster is not None and self._has_seen(cluster, position) and current is not connection and \
                current is not None and current.session.is_open:
            self._send_position(current)

    def _has_seen(self, cluster: bytes, position: int) -> bool:
        """Keeps a position that is greater, or of another cluster."""
        if self.position is not None and self.position[0] == cluster and self.position[1] >= position:
            return False
        self.position = (cluster, position)
        return True

    def _send_position(self, connection: Connection) -> None:
        if self.position is not None and self.position[0] == connection.session.cluster:
            connection.session.send_position(self.position[1])

    def _refused(self, connection: Connection, request: Union[Call[Any], StreamRequest], error: CarillonError,
                 now: float) -> None:
        """A request was answered with an error of scope request."""
        if error.code == "DRAINING":
            self._drain(connection, error.retry_after or 0.0, error.message, now)
        if isinstance(request, StreamRequest):
            if request.stream.connection is connection:
                self._stream_refused(request, error, now)
        elif error.code == "DRAINING" and self._may_try_again(request, error):
            self._requeue([request])
        else:
            self._attempt_failed(request, error, now)
        if error.code == "BEHIND" and connection is self.current and len(self.options.addresses) > 1:
            # The next requests go to another node (POS-5).
            self._drain(connection, error.retry_after or 0.0, error.message, now)

    def _may_try_again(self, call: Call[Any], error: CarillonError) -> bool:
        call.record(error)
        return not self.is_closing and call.may_repeat(error, self.options.tries)

    def _attempt_failed(self, call: Call[Any], error: CarillonError, now: float) -> None:
        """Pauses before the next attempt if there may be one in time (RET-5)."""
        if not self._may_try_again(call, error):
            return self._finish(call, error)
        pause = self.addresses.pause(max(1, call.attempts))
        if error.scope == "request":  # that of a connection rules out its address (ADR-6)
            pause += error.retry_after or 0.0
        if now + pause >= call.deadline:
            return self._finish(call, error)
        call.state, call.resumes_at = PAUSING, now + pause
        self.pausing[call] = None
        self._wake_by(call.resumes_at)
        self._report_retry(call, pause, error)

    def _report_retry(self, call: Call[Any], pause: float, error: CarillonError) -> None:
        if self.options.on_retry is not None:
            report = RetryReport(call.operation.name, call.attempts, pause, error.copied())
            self.reports.append((self.options.on_retry, report))

    def _requeue(self, calls: List[Call[Any]]) -> None:
        """Puts calls before those that were never written, in their order (RET-6, RET-7)."""
        for call in reversed(calls):
            call.state = WAITING
            self.waiting.appendleft(call)
        if self.is_closing and (self.current is None or not self.current.session.is_open):
            for call in calls:
                self.waiting.remove(call)
                self._finish(call, CarillonError("CLOSED", "the client was closed"))

    # The end of connections

    def _drop(self, connection: Connection) -> None:
        """Closes a connection that nothing waits for."""
        connection.has_ended = True
        if connection in self.draining:
            self.draining.remove(connection)
        if self.current is connection:
            self.current = None
        self.commands.append(("close", connection))

    def _end_connection(self, connection: Connection, error: CarillonError, named: int, now: float) -> None:
        """The connection is gone. The error is that of the request `named`; the others have lost their connection."""
        if connection.has_ended:
            return
        was_current = self.current is connection
        connection.session.phase = "closed"
        self._drop(connection)
        if was_current:
            self._state("disconnected" if connection.was_open else "failed", connection, error=error)
        if error.retry_after is None and not connection.was_open:
            self._refuse(connection, error, now)
        elif error.retry_after and error.scope == "connection":
            self.addresses.rule_out(connection.target, now + error.retry_after)
        if was_current and not connection.session.has_worked:
            self._round_failed(connection, error, now)
        self._fail_attempts(connection, error, named, now)
        if self.is_closing:
            self._finish_closing(now)
        self.pump(now)

    def _refuse(self, connection: Connection, error: CarillonError, now: float) -> None:
        refusal = self.addresses.refuse(connection.target, error, connection.session.key, now)
        self._state("refused", connection, error=refusal)

    def _round_failed(self, connection: Connection, error: CarillonError, now: float) -> None:
        if self.addresses.failed(connection.target, error, now):
            for waiter in list(self.connects):
                self._finish_waiter(waiter, self.addresses.round_error())

    def _fail_attempts(self, connection: Connection, error: CarillonError, named: int, now: float) -> None:
        """Decides what becomes of each request without an answer (ERR-6, RET-1)."""
        other = error if error.code == "CONNECTION_LOST" else lost(f"{error.code}: {error.message}", error)
        again: List[Call[Any]] = []
        for id, call in connection.session.outstanding.items():
            if not isinstance(call, Call) or call.is_abandoned:
                continue
            if id == named:
                self._attempt_failed(call, error, now)
            elif self._may_try_again(call, other):
                again.append(call)
                self._report_retry(call, 0.0, other)
            else:
                self._finish(call, other)
        connection.session.outstanding = {}
        self._requeue(again)
        self._lose_streams(connection)

    def _going_away(self, connection: Connection, fields: Dict[str, Any], now: float) -> None:
        if fields["code"] == NUMBERS["AUTHENTICATION_FAILED"] and connection.target.refusal is None:
            self._refuse(connection, CarillonError("AUTHENTICATION_FAILED", fields["reason"]), now)
        session = connection.session
        above = [call for id, call in session.outstanding.items() if id > fields["last_id"]]
        for request in above:
            del session.outstanding[request.id]
            session.abandoned -= request.is_abandoned
        calls = [each for each in above if isinstance(each, Call) and not each.is_abandoned]
        for call in calls:
            call.attempts -= 1  # it was no attempt (RET-7)
        self._requeue(calls)
        self._drain(connection, fields["reconnect_after_ms"] / 1000, fields["reason"], now)

    def _drain(self, connection: Connection, wait: float, reason: str, now: float) -> None:
        """No new request on this connection, and none to this address for a while (GO-1, GO-2)."""
        connection.session.is_draining = True
        self.addresses.rule_out(connection.target, now + wait)
        for request in connection.session.outstanding.values():
            if isinstance(request, StreamRequest) and not request.is_abandoned:
                connection.session.abandon(request, now)
        self._lose_streams(connection)
        if self.current is connection:
            self.current = None
            self.draining.append(connection)
            self._state("draining", connection, reason=reason)
            if not connection.session.has_worked:
                self._round_failed(connection, CarillonError("DRAINING", reason, retry_after=wait), now)

    # Streams

    def _lose_streams(self, connection: Connection) -> None:
        """The subscriptions of a connection are gone. They begin again on the next one, unless they are closed."""
        for stream in [each for each in self.streams if each.connection is connection]:
            if stream.is_closing:
                self._end_stream(stream, None)
            else:
                stream.lost()
        connection.streams = {}

    def _stream_answered(self, connection: Connection, request: StreamRequest) -> None:
        stream = request.stream
        if stream.connection is not connection:
            return
        if request.operation is UNSUBSCRIBE:
            return self._end_stream(stream, None)
        stream.answered(request, request.value)
        self.changed_streams.append(stream)

    def _event(self, connection: Connection, id: int, fields: Dict[str, Any], now: float) -> None:
        stream = connection.streams.get(id)
        if stream is None or stream.connection is not connection:
            return
        if not stream.receive(fields):
            self._handle(connection, [connection.session.fault("more events than the credit allows")], now)
        self.changed_streams.append(stream)

    def _stream_refused(self, request: StreamRequest, error: CarillonError, now: float) -> None:
        """A request of a stream was refused: for a time, or for ever (EVT-10)."""
        stream, retry_after = request.stream, error.retry_after
        is_credit = request.operation is CREDIT
        if stream.is_closing and not (is_credit and retry_after is not None):
            return self._end_stream(stream, None)
        is_unknown = is_credit and error.code == "NOT_FOUND"
        if retry_after is None and not is_unknown:
            return self._end_stream(stream, error)
        stream.failures += 1
        not_before = now + (retry_after or 0.0) + self.addresses.pause(stream.failures)
        if is_credit and not is_unknown:
            stream.credit_refused(not_before)
        else:
            if stream.connection is not None:
                stream.connection.streams.pop(stream.id, None)
            stream.lost(not_before)
        self._wake_by(not_before)

    def _end_stream(self, stream: Stream, error: Optional[CarillonError]) -> None:
        if stream.connection is not None:
            stream.connection.streams.pop(stream.id, None)
        stream.end(error)
        if stream in self.streams:
            self.streams.remove(stream)
        self.changed_streams.append(stream)

    # Closing

    def _finish_closing(self, now: float) -> None:
        if self.is_closed:
            return
        is_open = self.current is not None and self.current.session.is_open
        if now >= self.closes_at:
            closed = CarillonError("CLOSED", "the client was closed")
            written = [each for connection in self.connections() for each in connection.session.outstanding.values()
                       if isinstance(each, Call) and not each.is_abandoned]
            self._give_up_all([*self.waiting, *self.pausing, *written, *self.pings], closed, now)
        for stream in list(self.streams):
            if not is_open or now >= self.closes_at:
                self._end_stream(stream, None)
        written_left = any(not connection.session.is_finished for connection in self.connections())
        if self.waiting or self.pausing or self.pings or self.streams or written_left and now < self.closes_at:
            return
        self.is_closed = True
        self.closes_at = FOREVER
        for connection in self.connections():
            self._drop(connection)
        self._state("closed")


def perform_reports(reports: List[Tuple[Callable[[Any], None], Any]], now: float) -> None:
    """Calls hooks, outside of all locks. What they raise is dropped (OBS-4)."""
    for hook, report in reports:
        if isinstance(report, Call):
            error = report.error
            report = CallReport(report.operation.name, report.address, now - report.started_at, report.attempts,
                                None if error is None else error.code, report.effect)
        try:
            hook(report)
        except Exception:  # of the program's own function
            pass
