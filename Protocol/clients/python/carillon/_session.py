"""One connection without a socket and without a clock: prefaces, HELLO, AUTH, ids, answers, PING (CONTRACT.md, CON).

The dispatcher gives it bytes that have come and takes bytes to write. Times are monotonic seconds.
"""
from __future__ import annotations

import enum
import os
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Set, Union

from . import _codec as codec
from ._codec import DEADLINE_SIZE, HEADER, MAGIC, Operation
from ._layouts import EVENT_OPCODE, GOAWAY_OPCODE, PING_OPCODE, POSITION_OPCODE
from ._types import UNREADABLE, MalformedError
from ._values import FOREVER, seconds
from .errors import UNKNOWN, CarillonError, connection_lost, from_frame
from .options import Options

PREFACE_SIZE = len(codec.PREFACE)
HELLO_ID, AUTH_ID = 1, 2
MAXIMUM_PINGS = 100
_HELLO, _AUTH = codec.OPERATIONS["hello"], codec.OPERATIONS["auth"]
_REQUEST, _ANSWER = codec.REQUEST, codec.ANSWER
_PACK, _UNPACK = HEADER.pack, HEADER.unpack_from


class Sendable:
    """A request that a connection can send: a call, or a request of a stream. `read` makes the value of its answer."""

    # The encoded request is its fixed part, the number of tags and the tags; `size` are the bytes of both.
    __slots__ = ("operation", "read", "value", "fixed", "tag_count", "tags", "size", "id", "deadline", "written_at",
                 "is_abandoned")
    operation: Operation
    read: codec.Reader
    value: Any
    fixed: bytes
    tag_count: int
    tags: bytes
    size: int
    id: int
    deadline: float
    written_at: float
    is_abandoned: bool


class Phase(enum.Enum):
    """What a connection waits for, up to `OPEN`: the server's preface, then its answer to HELLO, then that to AUTH."""

    PREFACE = enum.auto()
    HELLO = enum.auto()
    AUTH = enum.auto()
    OPEN = enum.auto()
    CLOSED = enum.auto()


# A name of the module: each call reads it, and a member of an enumeration costs more.
_OPEN = Phase.OPEN


class Opened(NamedTuple):
    """The handshake is done: requests may be sent."""


class RequestFailed(NamedTuple):
    """The server has answered a request with an error."""

    request: Sendable
    error: CarillonError


class RoomFreed(NamedTuple):
    """A late answer to an abandoned request has come: its room is free."""


class EventReceived(NamedTuple):
    """An event of the subscription that began with the request of this id."""

    subscription_id: int
    fields: Dict[str, Any]


class PongReceived(NamedTuple):
    """The answer to a PING of this client."""

    round_trip_seconds: float


class PositionReceived(NamedTuple):
    """The position of the server in the log of its cluster."""

    position: int


class GoingAway(NamedTuple):
    """The fields of a GOAWAY: the server takes no more requests."""

    fields: Dict[str, Any]


class Ended(NamedTuple):
    """The session has ended. The error is that of the request `named_id`; with 0 it names none."""

    error: CarillonError
    named_id: int


# What bytes have meant. A request stands for itself: its answer has come, and it has its value.
Notice = Union[Sendable, Opened, RequestFailed, RoomFreed, EventReceived, PongReceived, PositionReceived, GoingAway,
               Ended]


class _Frame(NamedTuple):
    """A whole frame."""

    kind: int
    flags: int
    opcode: int
    id: int
    payload: bytes

    @property
    def known_opcode(self) -> int:
        """The opcode; 0 if the frame has a layout that this client does not know."""
        return self.opcode if self.flags < 16 else 0


class _Ping(NamedTuple):
    """A PING of this client that has no answer yet."""

    data: bytes
    sent_at: float


class Session:
    """The state of one connection."""

    def __init__(self, options: Options, key: Optional[bytes], now: float) -> None:
        self.options, self.key = options, key
        self.ping_timeout = seconds(options.ping_timeout, "ping_timeout")
        self.probe_after = seconds(options.probe_after, "probe_after")
        self.phase = Phase.PREFACE
        self.is_version_refused = self.is_draining = self.has_worked = False
        self.hello: Dict[str, Any] = {}
        self.auth: Dict[str, Any] = {}
        self.in_flight_limit = self.frame_limit = 0
        self.keepalive = self.ping_interval = 0.0
        # The opcodes that the server serves in layout 1.
        self.served: Set[int] = set()
        # Requests without an answer, by id and so in the order of their writing.
        self.outstanding: Dict[int, Any] = {}
        self.abandoned_count = 0
        self.stuck_since: Optional[float] = None
        self.last_id = HELLO_ID
        # Frames to write before all requests: the handshake and PINGs.
        payload = codec.without_deadline(_HELLO.request.write(
            {"software": options.software_text, "receive_limit": options.maximum_receive_bytes}))
        self.control: List[bytes] = [codec.PREFACE + codec.frame(codec.REQUEST, _HELLO.opcode, HELLO_ID, payload)]
        self.pieces: List[bytes] = []
        self.buffered_size, self.needed_size = 0, PREFACE_SIZE
        self.received_at = now
        self.ping: Optional[_Ping] = None
        self.last_ping: Optional[float] = None
        self.pings_counted_since, self.ping_count = now, 0

    # Writing

    @property
    def is_open(self) -> bool:
        """True if requests may be answered, and, unless it drains, sent."""
        return self.phase is _OPEN

    @property
    def room(self) -> int:
        """How many more requests the server and the program allow to be outstanding (CONTRACT.md, PIP-4)."""
        return self.in_flight_limit - len(self.outstanding) if self.phase is _OPEN and not self.is_draining else 0

    def refusal(self, request: Sendable) -> Optional[CarillonError]:
        """Returns why the server would refuse a request by its limits; None if it may be sent (CON-7)."""
        if request.operation.opcode not in self.served:
            return CarillonError("UNSUPPORTED_OPCODE", f"the server does not serve {request.operation.name}")
        if request.size + DEADLINE_SIZE > self.frame_limit:
            return CarillonError("FRAME_TOO_LARGE", f"the request has {request.size} bytes", limit=self.frame_limit)
        return None

    def write(self, requests: Sequence[Sendable], now: float) -> List[bytes]:
        """Returns the frames of requests, in pieces; the requests are outstanding from now on. Each attempt of a
        request has the same frame but for the deadline (DL-2, RET-3)."""
        frames: List[bytes] = []
        outstanding, id, deadline = self.outstanding, self.last_id, -1.0
        tails: Dict[int, bytes] = {}
        for request in requests:
            id += 1
            request.id, request.written_at = id, now
            outstanding[id] = request
            if request.deadline != deadline:  # many have the same
                deadline = request.deadline
                tails.clear()
            count = request.tag_count
            tail = tails.get(count)
            if tail is None:
                tail = tails[count] = codec.deadline_bytes(count, deadline - now)
            header = _PACK(request.size + DEADLINE_SIZE, _REQUEST, 0, request.operation.opcode, id)
            frames += header, request.fixed, tail, request.tags
        self.last_id = id
        return frames

    def take_unread(self, last_id: int) -> List[Sendable]:
        """Removes the requests that the server has not read, and returns them: those above the last id of GOAWAY."""
        unread = [request for id, request in self.outstanding.items() if id > last_id]
        for request in unread:
            del self.outstanding[request.id]
            self.abandoned_count -= request.is_abandoned
        return unread

    def abandon(self, request: Sendable, now: float) -> None:
        """Stops to wait for an answer. Its room stays occupied until it comes, because the server still counts the
        request (PIP-5)."""
        request.is_abandoned = True
        self.abandoned_count += 1
        if self.abandoned_count >= self.in_flight_limit and self.stuck_since is None:
            self.stuck_since = now

    @property
    def is_finished(self) -> bool:
        """True if no answer is waited for."""
        return len(self.outstanding) == self.abandoned_count

    def begin_ping(self, now: float) -> float:
        """Begins a round trip if one may begin now. Returns when to look again."""
        if not self.is_open or self.ping is not None:
            return FOREVER
        earliest = now if self.last_ping is None else self.last_ping + self.ping_interval
        if now < earliest:
            return earliest
        self.send_ping(now)
        return now + self.ping_timeout

    def send_ping(self, now: float) -> None:
        """Queues a PING of the client."""
        data = os.urandom(8)
        self.ping, self.last_ping = _Ping(data, sent_at=now), now
        self.control.append(codec.ping_frame(data))

    @property
    def cluster(self) -> Optional[bytes]:
        """The cluster that the server belongs to; None if there is none (POS-1)."""
        return self.hello.get("cluster")

    def send_position(self, position: int) -> None:
        """Queues a POSITION before all requests that are not written yet, so that they see what it names (POS-3)."""
        self.control.append(codec.position_frame(position))

    # Time

    def next_time(self) -> float:
        """Returns when `tick` has something to do."""
        times = [] if self.stuck_since is None else [self.stuck_since + self.ping_timeout]
        if self.ping:
            return min([*times, self.ping.sent_at + self.ping_timeout])
        return min([*times, self._ping_due_at()])

    def _ping_due_at(self) -> float:
        """Returns when a PING is due: after silence, sooner if a request waits, never sooner than the server allows."""
        due = self.received_at + max(self.keepalive, self.ping_interval) if self.keepalive else FOREVER
        oldest = next(iter(self.outstanding.values()), None)
        if oldest is not None:
            probe = max(self.received_at, oldest.written_at) + self.probe_after
            due = min(due, probe)
        return due if self.last_ping is None else max(due, self.last_ping + self.ping_interval)

    def tick(self, now: float) -> List[Notice]:
        """Queues the PING that is due (CON-12), or finds that the server is dead: it sends nothing after a PING
        (CON-13), or only answers to PINGs (PIP-5)."""
        if not self.is_open:
            return []
        timeout = self.ping_timeout
        if self.stuck_since is not None and now >= self.stuck_since + timeout:
            return [self.fault("the server answers no requests")]
        if self.ping and now >= self.ping.sent_at + timeout:
            if self.received_at < self.ping.sent_at:
                return [self.fault(f"nothing has come for {timeout:g} s after a PING")]
            self.ping = None
        if self.ping is None and now >= self._ping_due_at():
            self.send_ping(now)
        return []

    # Reading

    def fault(self, text: str) -> Ended:
        """Ends the session: the server has done what it must not."""
        return self.end(connection_lost(text))

    def end(self, error: CarillonError, named_id: int = 0) -> Ended:
        """Ends the session with an error; `named_id` is the request that it names."""
        self.phase = Phase.CLOSED
        return Ended(error, named_id)

    def receive(self, data: bytes, now: float) -> List[Notice]:
        """Reads bytes in any division and returns what they mean: a frame can come in parts, and several at once
        (CON-14)."""
        self.received_at = now
        if self.pieces:
            self.pieces.append(data)
            self.buffered_size += len(data)
            if self.buffered_size < self.needed_size:
                return []
            data = b"".join(self.pieces)
            self.pieces.clear()
        notices: List[Notice] = []
        try:
            at = self._read(data, notices, now)
        except UNREADABLE as error:
            notices.append(self.fault(f"the server has sent what cannot be read: {error}"))
            return notices
        self.buffered_size = len(data) - at
        if self.buffered_size:
            self.pieces.append(data[at:])
        return notices

    def _read(self, data: bytes, notices: List[Notice], now: float) -> int:
        """Reads whole frames; returns where the first that is not whole begins."""
        at, size = 0, len(data)
        if self.phase is Phase.PREFACE:
            at = self._read_preface(data, notices)
        limit, outstanding, is_open = self.options.maximum_receive_bytes, self.outstanding, self.is_open
        note = notices.append
        while size - at >= HEADER.size and (is_open or self.phase in (Phase.HELLO, Phase.AUTH)):
            length, kind, flags, opcode, id = _UNPACK(data, at)
            # Almost all frames are answers; their headers need fewer checks.
            if kind != _ANSWER or flags & 0x0F or length > limit or not id:
                codec.check_header(length, kind, flags, opcode, id, limit)
            start = at + HEADER.size
            at = start + length
            if at > size:
                self.needed_size = HEADER.size + length
                return start - HEADER.size
            request = outstanding.get(id) if is_open and kind == _ANSWER else None
            if request is None:
                self._read_other(_Frame(kind, flags, opcode, id, data[start:at]), notices, now)
                is_open = self.is_open
                continue
            if opcode != request.operation.opcode or flags:
                raise MalformedError("an answer to another request")
            # It is outstanding until its answer is read: it is not answered if that cannot be read.
            request.value = request.read(data, start, at)
            self.has_worked = True
            del outstanding[id]
            if request.is_abandoned:
                self._free_room(notices)
            else:
                note(request)
        self.needed_size = HEADER.size
        return at

    def _read_preface(self, data: bytes, notices: List[Notice]) -> int:
        """Reads the first bytes of the server; returns how many, 0 if some are missing or wrong."""
        start = data[:PREFACE_SIZE]
        expected = MAGIC + start[8:9] + bytes(7)
        if start != expected[:len(start)] or len(start) > 8 and start[8] > 1:
            notices.append(self.fault("the peer does not speak the protocol of Carillon"))
            return 0
        if len(start) < PREFACE_SIZE:
            self.needed_size = len(start) + 1
            return 0
        self.is_version_refused = start[8] == 0
        self.phase = Phase.HELLO
        return PREFACE_SIZE

    def _free_room(self, notices: List[Notice]) -> None:
        self.abandoned_count -= 1
        self.stuck_since = None
        notices.append(RoomFreed())

    def _read_other(self, frame: _Frame, notices: List[Notice], now: float) -> None:
        """Reads a frame that is no answer to a request of an open connection."""
        if frame.kind == codec.CONTROL:
            self._read_control(frame, notices, now)
        elif frame.kind == codec.ERROR:
            self._read_error(frame, notices)
        elif frame.kind == codec.EVENT:
            if frame.known_opcode == EVENT_OPCODE:
                self.has_worked = True
                notices.append(EventReceived(frame.id, codec.EVENT_LAYOUT.read(frame.payload)))
        elif not self.is_open:
            self._read_handshake(frame, notices)

    def _read_handshake(self, frame: _Frame, notices: List[Notice]) -> None:
        """Reads the answer to HELLO or AUTH; after HELLO, sends AUTH if the server asks for it."""
        answered = (self.phase, frame.known_opcode, frame.id)
        if answered == (Phase.HELLO, _HELLO.opcode, HELLO_ID) and not self.is_version_refused:
            self._take_hello(_HELLO.answer.read(frame.payload))
            if self.hello["authenticated"]:
                self._open(notices)
            else:
                self._send_key(notices)
        elif answered == (Phase.AUTH, _AUTH.opcode, AUTH_ID):
            self.auth = _AUTH.answer.read(frame.payload)
            self._open(notices)
        else:
            raise MalformedError("an answer that nothing waits for in the handshake")

    def _open(self, notices: List[Notice]) -> None:
        self.phase = Phase.OPEN
        notices.append(Opened())

    def _send_key(self, notices: List[Notice]) -> None:
        """Queues AUTH; without a key the session ends."""
        if self.key is None:
            error = CarillonError("AUTHENTICATION_FAILED", "the server requires a key and none is configured")
            notices.append(self.end(error))
            return
        self.phase, self.last_id = Phase.AUTH, AUTH_ID
        payload = codec.without_deadline(_AUTH.request.write({"method": 1, "credential": self.key}))
        self.control.append(codec.frame(codec.REQUEST, _AUTH.opcode, AUTH_ID, payload))

    def _take_hello(self, hello: Dict[str, Any]) -> None:
        """Takes the limits of the answer to HELLO (CON-6)."""
        self.hello = hello
        self.in_flight_limit = min(max(1, hello["in_flight_limit"]), self.options.maximum_in_flight)
        self.frame_limit = hello["frame_limit"]
        self.keepalive, self.ping_interval = hello["keepalive_ms"] / 1000, hello["ping_interval_ms"] / 1000
        self.served = {each["opcode"] for each in hello["opcodes"] if each["lowest"] <= 1 <= each["highest"]}

    def _read_error(self, frame: _Frame, notices: List[Notice]) -> None:
        """Reads an error: of the handshake, of the connection, or of a request."""
        error = from_frame(codec.ERROR_LAYOUT.read(frame.payload))
        if not self.is_open:
            notices.append(self.end(error))
            return
        if error.scope == "connection":
            notices.append(self.end(error, named_id=frame.id))
            return
        if frame.id == 0:
            raise MalformedError("an error of scope request that names none")
        self.has_worked = True
        request = self.outstanding.get(frame.id)
        if request is None:
            return
        if frame.opcode != request.operation.opcode:
            raise MalformedError("an error of another request")
        del self.outstanding[frame.id]
        if request.is_abandoned:
            self._free_room(notices)
        else:
            notices.append(RequestFailed(request, error))

    def _read_control(self, frame: _Frame, notices: List[Notice], now: float) -> None:
        """Reads a PING, its answer, a POSITION or a GOAWAY; others are ignored."""
        if frame.known_opcode == PING_OPCODE:
            data = codec.PING_LAYOUT.read(frame.payload)["data"]
            if not frame.flags:
                self._answer_ping(data, notices, now)
            elif self.ping is not None and self.ping.data == data:
                notices.append(PongReceived(now - self.ping.sent_at))
                self.ping, self.has_worked = None, True
        elif frame.known_opcode == POSITION_OPCODE:
            position = codec.POSITION_LAYOUT.read(frame.payload)["position"]
            if self.is_open and self.cluster is not None:
                notices.append(PositionReceived(position))
        elif frame.known_opcode == GOAWAY_OPCODE:
            self._take_goaway(codec.GOAWAY_LAYOUT.read(frame.payload), notices)

    def _take_goaway(self, fields: Dict[str, Any], notices: List[Notice]) -> None:
        """Begins to drain. In the handshake the session ends: the connection will not open."""
        if self.is_open:
            self.is_draining = True
            notices.append(GoingAway(fields))
        else:
            error = CarillonError("DRAINING", fields["reason"], retry_after=fields["reconnect_after_ms"] / 1000,
                                  scope="connection", effect=UNKNOWN)
            notices.append(self.end(error))

    def _answer_ping(self, data: bytes, notices: List[Notice], now: float) -> None:
        """Answers at once and before the requests; a server that does nothing but ask is closed (CON-11)."""
        if now - self.pings_counted_since >= 1:
            self.pings_counted_since, self.ping_count = now, 0
        self.ping_count += 1
        if self.ping_count > MAXIMUM_PINGS:
            notices.append(self.fault(f"more than {MAXIMUM_PINGS} PINGs in a second"))
            return
        self.control.append(codec.ping_frame(data, codec.ACK))
