"""The client without sockets and without a clock: addresses, calls, retries and streams (RET, ADR, GO, CRED, CLS)."""
# Long: it is one state machine; its parts would only pass each other the same state.
from __future__ import annotations

import random
from collections import deque
from typing import Any, Deque, Dict, List, Optional, Set, Tuple

import wire
from reference.calls import Call, with_key
from reference.errors import Failure
from reference.options import Address, Options
from reference.session import (Answered, Ended, EventReceived, GoingAway, Notice, Opened, Phase, PongReceived,
                               PositionReceived, Refused, Session)
from reference.streams import Stream


class Target:
    """One address and what is known of it."""

    def __init__(self, index: int, address: Address) -> None:
        self.index, self.address = index, address
        self.not_before = 0.0
        self.refusal: Optional[Failure] = None
        self.refused_until = 0.0
        self.refused_key: Optional[bytes] = None


class Connection:
    """A connection, from the attempt to its end. The shell moves its bytes."""

    def __init__(self, target: Target, session: Session, key: Optional[bytes], gives_up_at: float) -> None:
        self.target, self.session, self.key, self.gives_up_at = target, session, key, gives_up_at
        self.calls: Dict[int, Call] = {}
        self.streams: Dict[int, Stream] = {}  # by the id of SUBSCRIBE_EVENTS
        self.stream_requests: Dict[int, Tuple[str, Stream]] = {}
        self.was_open = False
        self.has_ended = False

    @property
    def is_open(self) -> bool:
        """True if requests may be sent or answered."""
        return self.session.phase is Phase.OPEN


class CallDispatcher:
    """Decides which request is written on which connection and when, and ends each call with one result.

    The shell calls it with what has happened, and performs `commands`.
    """

    def __init__(self, options: Options) -> None:
        self.options = options
        self.random = random.Random()
        self.targets = [Target(index, address) for index, address in enumerate(options.addresses)]
        self.commands: List[Tuple[str, Connection]] = []
        self.states: List[str] = []
        self.current: Optional[Connection] = None
        self.draining: List[Connection] = []
        self.last_connected = -1
        # The cluster and the greatest position in its log that were seen (POS-2).
        self.seen: Tuple[str, int] = ("", 0)
        self.round: List[Target] = []
        self.failed_rounds = 0
        self.pause_until = 0.0
        self.causes: List[str] = []
        self.last_cause: Optional[Failure] = None
        self.waiting: Deque[Call] = deque()
        self.calls: Set[Call] = set()
        self.streams: List[Stream] = []
        self.connects: List[Call] = []
        self.pings: List[Call] = []
        self.is_closing = False
        self.closes_at = 0.0
        self.is_closed = False

    # Callers

    def connect(self, now: float) -> Call:
        """Begins to connect; done when the first connection is open (ADR-8)."""
        call = Call("connect", {}, now + self.options.request_timeout)
        self.connects.append(call)
        return call

    def call(self, operation: str, fields: Dict[str, Any], now: float, timeout: Optional[float] = None,
             retry: bool = True) -> Call:
        """Begins a call; its result is there when it is done."""
        deadline = now + (self.options.request_timeout if timeout is None else timeout)
        call = Call(operation, with_key(operation, fields), deadline, retry)
        try:
            call.size = len(wire.encode_payload(operation, "client", call.fields))
        except (KeyError, ValueError, OverflowError) as error:
            self._finish(call, Failure("INVALID_ARGUMENT", message=str(error)))
            return call
        if self.is_closing:
            self._finish(call, Failure("CLOSED", message="the client was closed"))
        elif self.is_full(call):
            self._finish(call, Failure("OVERLOADED", retry_after=0.1, message="too many calls wait"))
        else:
            self.calls.add(call)
            self.waiting.append(call)
        return call

    def is_full(self, call: Call) -> bool:
        """True if one more call would exceed the bounds (PIP-6)."""
        return len(self.waiting) >= self.options.maximum_waiting_calls or \
            sum(each.size for each in self.calls) + call.size > self.options.maximum_memory_bytes

    def ping(self, now: float) -> Call:
        """Begins a PING."""
        call = Call("ping", {}, now + self.options.request_timeout)
        self.pings.append(call)
        return call

    def cancel(self, call: Call, now: float) -> None:
        """Ends a call that its caller no longer waits for (DL-5)."""
        self._give_up(call, Failure("CANCELLED", retry_after=0.0, message="cancelled"), now)

    def events(self, stream: Stream) -> Stream:
        """Begins a subscription."""
        self.streams.append(stream)
        return stream

    def end_stream(self, stream: Stream) -> None:
        """Sends the last acknowledgement, then ends the subscription (EVT-11)."""
        stream.is_closing = True

    def close(self, now: float, drain: Optional[float] = None) -> None:
        """Accepts no more calls; ends when all that remain are finished (CLS-1)."""
        if self.is_closing:
            return
        self.is_closing = True
        self.closes_at = now + (self.options.drain_timeout if drain is None else drain)
        has_room = self.current is not None and self.current.is_open
        for call in [*self.calls, *self.connects, *self.pings]:
            if call.state == "pausing" or call.state == "waiting" and not has_room:
                self._give_up(call, Failure("CLOSED", message="the client was closed"), now)
        for stream in self.streams:
            self.end_stream(stream)

    # Time

    def times(self, now: float) -> List[float]:
        """Returns when `tick` has something to do."""
        times = [call.deadline for call in [*self.calls, *self.connects, *self.pings]]
        times += [call.resumes_at for call in self.calls if call.state == "pausing"]
        times += [stream.not_before for stream in self.streams if stream.not_before > now]
        times += [stream.deadline for stream in self.streams if not stream.is_accepted]
        for connection in self._connections():
            times += connection.session.times() if connection.is_open else [connection.gives_up_at]
            if self.pings and connection.is_open and connection.session.last_ping:
                times.append(connection.session.last_ping + connection.session.hello["ping_interval_ms"] / 1000)
        if self._wants_connection(now):
            times += [at for at in (self.pause_until, *(each.not_before for each in self.targets)) if at > now]
        return times + ([self.closes_at] if self.is_closing else [])

    def tick(self, now: float) -> None:
        """Does everything that is due."""
        for call in [*self.calls, *self.connects, *self.pings]:
            if call.deadline <= now:
                self._expired(call, now)
            elif call.state == "pausing" and call.resumes_at <= now:
                call.state = "waiting"
                self.waiting.append(call)
        for stream in self.streams:
            if not stream.is_accepted and stream.deadline <= now:
                self._end(stream, Failure("NO_ANSWER", retry_after=0.0, message="not accepted in time"))
        for connection in self._connections():
            if not connection.is_open and now >= connection.gives_up_at:
                cause = Failure("CANNOT_CONNECT", retry_after=0.0, message="the server does not answer in time")
                self.ended(connection, cause, now)
            else:
                self._handle(connection, connection.session.tick(now), now)
        if self.is_closing:
            self._finish_closing(now)
        self.send_waiting(now)

    def _connections(self) -> List[Connection]:
        return [*([self.current] if self.current else []), *self.draining]

    def _expired(self, call: Call, now: float) -> None:
        if call.state == "written":
            failure = Failure("NO_ANSWER", "unknown", 0.0, "no answer in time")
        elif call.last_failure is not None:
            failure = call.last_failure
        elif self.current is not None and self.current.is_open:
            failure = Failure("NO_ANSWER", retry_after=0.0, message="not written in time")
        else:
            cause = self.last_cause.message if self.last_cause else "no connection in time"
            failure = Failure("CANNOT_CONNECT", retry_after=0.0, message=cause, causes=self.causes)
        self._give_up(call, failure, now)

    def _give_up(self, call: Call, failure: Failure, now: float) -> None:
        """Ends a call whatever its state; if it was written its effect is unknown (DL-4, DL-5)."""
        if call.is_done:
            return
        if call.state in ("queued", "written") and call.connection is not None:
            connection = call.connection
            connection.calls.pop(call.id, None)
            if not connection.session.abandon(call.id, now) and call.state == "written":
                failure = failure.with_effect("unknown")
        self._finish(call, failure)

    def _finish(self, call: Call, result: Any) -> None:
        call.state = "done"
        self.calls.discard(call)
        for calls in (self.waiting, self.connects, self.pings):
            if call in calls:
                calls.remove(call)
        if isinstance(result, Failure):
            call.failure = call.final(result) if call.operation in wire.REQUESTS else result
        else:
            call.result = result

    # Writing

    def send_waiting(self, now: float) -> None:
        """Connects if that is needed, and queues what there is room for."""
        self._connect_if_due(now)
        connection = self.current
        if connection is None or not connection.is_open:
            return
        for stream in list(self.streams):
            self._send_due(stream, connection, now)
        if self.pings and connection.session.ping is None:
            last = connection.session.last_ping
            if last is None or now >= last + connection.session.hello["ping_interval_ms"] / 1000:
                connection.session.send_ping(now)
        while self.waiting and connection.session.has_room:
            self._queue(self.waiting.popleft(), connection, now)

    def _queue(self, call: Call, connection: Connection, now: float) -> None:
        fields = call.attempt_fields(now)
        refusal = connection.session.refusal_of(call.operation, fields)
        if refusal is not None:
            self._finish(call, refusal)
        elif not self.key_is_remembered(call, connection, now):
            call.is_key_forgotten = True
            self._finish(call, call.last_failure)
        else:
            call.state, call.connection = "queued", connection
            call.id = connection.session.request(call.operation, fields)
            connection.calls[call.id] = call

    def key_is_remembered(self, call: Call, connection: Connection, now: float) -> bool:
        """True unless the server could have forgotten the key of an earlier attempt (RET-4)."""
        if call.repeat_class != "key" or call.effect != "unknown" or call.first_written is None:
            return True
        window = connection.session.hello["idempotency_window_s"]
        return connection.session.hello["epoch"] == call.first_epoch and now - call.first_written < window

    def take_output(self, connection: Connection, now: float) -> bytes:
        """Returns the bytes to write now; their requests count as written from here on."""
        data, ids = connection.session.take_output(now)
        for id in ids:
            call = connection.calls.get(id)
            if call is not None:
                call.state = "written"
                call.attempts += 1
                if call.first_written is None:
                    call.first_written, call.first_epoch = now, connection.session.hello["epoch"]
        return data

    # Connections

    def _wants_connection(self, now: float) -> bool:
        if self.current is not None or self.is_closed:
            return False
        return bool(self.waiting or self.connects or self.pings or
                    any(each.state == "waiting" and each.not_before <= now and not each.is_closing
                        for each in self.streams))

    def _connect_if_due(self, now: float) -> None:
        if not self._wants_connection(now):
            return
        self.lift_refusals(now)
        if all(each.refusal for each in self.targets):
            self._fail_refused()
            return
        if now < self.pause_until:
            return
        self.round = [each for each in self.round if self.is_available(each, now)]
        if not self.round:
            start = (self.last_connected + 1) % len(self.targets)
            self.round = self.targets[start:] + self.targets[:start]
            self.round = [each for each in self.round if self.is_available(each, now)]
        if not self.round:
            return
        target = self.round.pop(0)
        key = self.options.credential()
        connection = Connection(target, Session(self.options, key, now), key, now + self.options.connect_timeout)
        self.current = connection
        self.commands.append(("connect", connection))

    def is_available(self, target: Target, now: float) -> bool:
        """True if the address may be tried now (ADR-4)."""
        return target.refusal is None and target.not_before <= now

    def lift_refusals(self, now: float) -> None:
        """Makes refused addresses available again when that is allowed (CRED-3)."""
        key = None
        for target in self.targets:
            if target.refusal is None:
                continue
            if target.refusal.code == "AUTHENTICATION_FAILED":
                key = key or self.options.credential()
            has_new_key = target.refusal.code == "AUTHENTICATION_FAILED" and key != target.refused_key
            if now >= target.refused_until or has_new_key:
                target.refusal = None

    def _fail_refused(self) -> None:
        refusal = min((each for each in self.targets), key=lambda each: each.refused_until).refusal
        for call in [*self.waiting, *self.connects, *self.pings]:
            self._finish(call, refusal)
        for stream in list(self.streams):
            if stream.state == "waiting":
                self._end(stream, refusal)

    def received(self, connection: Connection, data: bytes, now: float) -> None:
        """Bytes have come."""
        if not connection.has_ended:
            self._handle(connection, connection.session.receive(data, now), now)

    def ended(self, connection: Connection, failure: Optional[Failure], now: float) -> None:
        """The connection has ended, or could not be made; no failure: the server has closed."""
        if connection.has_ended:
            return
        if failure is None and connection.session.is_version_refused:
            failure = Failure("UNSUPPORTED_VERSION", message="the server speaks no version of this client")
        failure = failure or Failure("CONNECTION_LOST", "unknown", 0.0, "the connection has ended")
        self._lost(connection, failure, 0, now)

    def _handle(self, connection: Connection, notices: List[Notice], now: float) -> None:
        for notice in notices:
            self._note_work(connection)
            if isinstance(notice, Opened):
                self._opened(connection)
            elif isinstance(notice, Answered):
                self._answered(connection, notice.id, notice.fields)
            elif isinstance(notice, Refused):
                self._refused(connection, notice.id, notice.failure, now)
            elif isinstance(notice, EventReceived):
                self._event(connection, notice.id, notice.fields, now)
            elif isinstance(notice, PositionReceived):
                self._position(connection, notice.position)
            elif isinstance(notice, GoingAway):
                self._going_away(connection, notice.fields, now)
            elif isinstance(notice, PongReceived):
                for call in list(self.pings):
                    self._finish(call, {})
            elif isinstance(notice, Ended):
                self._lost(connection, notice.failure, notice.named_id, now)
        if connection in self.draining and connection.session.is_finished and not connection.session.outgoing:
            self._drop(connection)

    def _note_work(self, connection: Connection) -> None:
        if connection.session.has_worked and connection is self.current:
            self.failed_rounds, self.round, self.causes, self.last_cause = 0, [], [], None

    def _opened(self, connection: Connection) -> None:
        connection.was_open = True
        self.last_connected = connection.target.index
        self.states.append(f"connected {connection.target.address.text}")
        self._send_position(connection)
        for call in list(self.connects):
            self._finish(call, {})

    def _position(self, connection: Connection, number: int) -> None:
        """A node has said how far it is (POS-2)."""
        cluster = connection.session.cluster
        if self.seen[0] != cluster or self.seen[1] < number:
            self.seen = (cluster, number)
            if self.current is not None and self.current is not connection:
                self._send_position(self.current)

    def _send_position(self, connection: Connection) -> None:
        session = connection.session
        if session.phase is Phase.OPEN and self.seen[0] and self.seen[0] == session.cluster:
            session.send_position(self.seen[1])

    def asks_another_node(self, failure: Failure) -> bool:
        """True if the client must ask another node (POS-5)."""
        return failure.code == "BEHIND" and len(self.targets) > 1

    def _drop(self, connection: Connection) -> None:
        connection.has_ended = True
        connection.session.phase = Phase.CLOSED
        if connection in self.draining:
            self.draining.remove(connection)
        if self.current is connection:
            self.current = None
        self.commands.append(("close", connection))

    def _lost(self, connection: Connection, failure: Failure, named: int, now: float) -> None:
        """The connection is gone. `failure` is that of the request `named`; of the others the effect is unknown."""
        if connection.has_ended:
            return
        was_current, has_worked = self.current is connection, connection.session.has_worked
        self._drop(connection)
        self._attempts_lost(connection, failure, named, now)
        if was_current:
            state = "disconnected" if connection.was_open else "failed"
            self.states.append(f"{state} {connection.target.address.text}")
        if failure.retry_after is None and not connection.was_open:
            self.refuse(connection, failure, now)
        elif failure.retry_after and failure.scope == "connection":
            connection.target.not_before = max(connection.target.not_before, now + failure.retry_after)
        if was_current and not has_worked:
            self._attempt_of_round_failed(connection, failure, now)
        self.send_waiting(now)

    def refuse(self, connection: Connection, failure: Failure, now: float) -> None:
        """Rules an address out (CRED-3)."""
        target = connection.target
        target.refusal, target.refused_key = failure.with_effect("not_executed"), connection.key
        target.refused_until = now + self.options.refusal_pause
        self.states.append(f"refused {target.address.text}")

    def _attempt_of_round_failed(self, connection: Connection, failure: Failure, now: float) -> None:
        self.causes.append(f"{connection.target.address.text}: {failure.code} {failure.message}")
        self.last_cause = failure
        if self.round:
            return
        self.failed_rounds += 1
        self.pause_until = now + self.spread(self.failed_rounds)
        refusal = next((each.refusal for each in self.targets if each.refusal), None)
        for call in list(self.connects):
            self._finish(call, refusal or Failure("CANNOT_CONNECT", retry_after=0.0, message=failure.message,
                                                  causes=self.causes))
        if not all(each.refusal for each in self.targets):
            self.causes = []

    def spread(self, count: int) -> float:
        """Returns the random part of a pause (RET-5)."""
        first, limit = self.options.backoff_bounds()
        whole = min(limit, first * 2 ** (count - 1))
        return self.random.uniform(whole / 2, whole)

    def _attempts_lost(self, connection: Connection, failure: Failure, named: int, now: float) -> None:
        lost = failure if failure.code == "CONNECTION_LOST" else Failure(
            "CONNECTION_LOST", "unknown", 0.0, f"{failure.code}: {failure.message}", scope="connection")
        again: List[Call] = []
        for id, call in sorted(connection.calls.items()):
            if call.state == "queued":
                again.append(call)
            elif id == named:
                self._attempt_of_call_failed(call, failure, now)
            elif self._may_try_again(call, lost):
                again.append(call)
            else:
                self._finish(call, lost)
        connection.calls = {}
        self._requeue(again)
        for stream in self.streams:
            if stream.connection is connection:
                stream.lost()
        connection.streams, connection.stream_requests = {}, {}

    def _requeue(self, calls: List[Call]) -> None:
        for call in reversed(calls):
            call.state, call.connection = "waiting", None
            self.waiting.appendleft(call)
        if self.is_closing:
            for call in calls:
                self._finish(call, Failure("CLOSED", message="the client was closed"))

    # Answers

    def _answered(self, connection: Connection, id: int, fields: Dict[str, Any]) -> None:
        call = connection.calls.pop(id, None)
        if call is not None:
            self._finish(call, fields)
        what, stream = connection.stream_requests.pop(id, ("", None))
        if stream is None or stream.connection is not connection:
            return
        if what == "subscribe":
            stream.accepted(int(fields["after"]))
        elif what == "credit":
            stream.credit_answered()
        elif what == "unsubscribe":
            self._end(stream, None)

    def _may_try_again(self, call: Call, failure: Failure) -> bool:
        call.record(failure)
        return call.may_repeat(failure) and call.attempts < self.options.maximum_attempts and not self.is_closing

    def _attempt_of_call_failed(self, call: Call, failure: Failure, now: float) -> None:
        may = self._may_try_again(call, failure)
        pause = (failure.retry_after or 0.0) + self.spread(max(1, call.attempts))
        if not may or now + pause >= call.deadline:
            self._finish(call, failure)
        else:
            call.state, call.connection, call.resumes_at = "pausing", None, now + pause

    def _refused(self, connection: Connection, id: int, failure: Failure, now: float) -> None:
        call = connection.calls.pop(id, None)
        if failure.code == "DRAINING":
            self._drain(connection, failure.retry_after or 0.0, now)
        if call is not None and failure.code == "DRAINING" and self._may_try_again(call, failure):
            self._requeue([call])
        elif call is not None:
            self._attempt_of_call_failed(call, failure, now)
        _, stream = connection.stream_requests.pop(id, ("", None))
        if stream is not None and stream.connection is connection:
            self._stream_refused(stream, failure, now)
        if self.asks_another_node(failure) and connection is self.current:
            self._drain(connection, failure.retry_after or 0.0, now)

    def _going_away(self, connection: Connection, fields: Dict[str, Any], now: float) -> None:
        if fields["code"] == wire.CODES["AUTHENTICATION_FAILED"] and connection.target.refusal is None:
            self.refuse(connection, Failure("AUTHENTICATION_FAILED", message=fields["reason"]), now)
        above = [call for id, call in sorted(connection.calls.items()) if self.is_above(id, fields)]
        for call in above:
            del connection.calls[call.id]
            connection.session.outstanding.pop(call.id, None)
            connection.session.outgoing = [each for each in connection.session.outgoing if each[0] != call.id]
            call.attempts -= call.state == "written"
        never_written = [call for call in connection.calls.values() if call.state == "queued"]
        for call in never_written:
            del connection.calls[call.id]
            connection.session.abandon(call.id, now)
        self._requeue(sorted([*above, *never_written], key=lambda call: call.id))
        self._drain(connection, fields["reconnect_after_ms"] / 1000, now)

    def is_above(self, id: int, fields: Dict[str, Any]) -> bool:
        """True if a GOAWAY says that the request was not executed (GO-3)."""
        return id > int(fields["last_id"])

    def _drain(self, connection: Connection, wait: float, now: float) -> None:
        """No new request on this connection (GO-1, GO-2)."""
        connection.session.is_draining = True
        connection.target.not_before = max(connection.target.not_before, now + wait)
        for stream in self.streams:
            if stream.connection is connection:
                stream.lost()
        if self.current is connection:
            self.states.append(f"draining {connection.target.address.text}")
            self.current = None
            self.draining.append(connection)
            if not connection.session.has_worked:
                self._attempt_of_round_failed(connection, Failure("DRAINING", message="the server drains"), now)

    # Streams

    def _send_due(self, stream: Stream, connection: Connection, now: float) -> None:
        session = connection.session
        if stream.state == "waiting" and stream.is_closing:
            self._end(stream, None)
        elif stream.state == "waiting" and stream.not_before <= now and session.has_room:
            stream.state, stream.connection = "subscribing", connection
            stream.id = session.request("subscribe_events", stream.subscription(session.hello["epoch"]))
            connection.streams[stream.id] = stream
            connection.stream_requests[stream.id] = ("subscribe", stream)
        elif stream.state == "subscribed" and stream.connection is connection and session.has_room:
            self._send_credit(stream, connection)

    def _send_credit(self, stream: Stream, connection: Connection) -> None:
        credit = stream.credit_due() if not stream.is_closing or not stream.is_flushed else None
        if credit is not None:
            connection.stream_requests[connection.session.request("event_credit", credit)] = ("credit", stream)
        elif stream.is_closing and stream.is_flushed and stream.pending is None:
            stream.pending = {"ack": 0}
            id = connection.session.request("unsubscribe_events", {"subscription": str(stream.id)})
            connection.streams.pop(stream.id, None)
            connection.stream_requests[id] = ("unsubscribe", stream)

    def _event(self, connection: Connection, id: int, fields: Dict[str, Any], now: float) -> None:
        stream = connection.streams.get(id)
        if stream is not None and stream.connection is connection and not stream.event(fields):
            self._handle(connection, [connection.session.fault("more events than the credit allows")], now)

    def _stream_refused(self, stream: Stream, failure: Failure, now: float) -> None:
        if stream.state == "subscribed" and failure.code == "NOT_FOUND":
            failure.retry_after = 0.0
        if failure.retry_after is None:
            self._end(stream, failure)
            return
        stream.failures += 1
        stream.lost(now + failure.retry_after + self.spread(stream.failures))

    def _end(self, stream: Stream, failure: Optional[Failure]) -> None:
        stream.end(failure)
        if stream in self.streams:
            self.streams.remove(stream)

    # Closing

    def _finish_closing(self, now: float) -> None:
        if now >= self.closes_at:
            for call in list(self.calls):
                self._give_up(call, Failure("CLOSED", message="the client was closed"), now)
            for stream in list(self.streams):
                self._end(stream, None)
        if self.current is None or not self.current.is_open:
            for stream in list(self.streams):
                self._end(stream, None)
        if not self.calls and not self.streams and not self.is_closed:
            self.is_closed = True
            self.states.append("closed")
            for connection in self._connections():
                self._drop(connection)
