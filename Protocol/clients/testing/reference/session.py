"""One connection without a socket and without a clock: prefaces, HELLO, AUTH, ids, answers, PING (CON)."""
from __future__ import annotations

import enum
import os
from dataclasses import dataclass
from typing import Any, Dict, List, NamedTuple, Optional, Set, Tuple, Union

import wire
from reference.errors import Failure
from reference.options import Options

MAXIMUM_WRITE_BYTES = 1 << 16
PREFACE_BYTES = 16


class Phase(enum.Enum):
    """What a connection waits for, up to `OPEN`: the server's preface, then its answer to HELLO, then that to AUTH."""

    PREFACE = enum.auto()
    HELLO = enum.auto()
    AUTH = enum.auto()
    OPEN = enum.auto()
    CLOSED = enum.auto()


class Opened(NamedTuple):
    """The handshake is done."""


class Answered(NamedTuple):
    """The answer to a request has come."""

    id: int
    fields: Dict[str, Any]


class Refused(NamedTuple):
    """An error of a request has come."""

    id: int
    failure: Failure


class RoomFreed(NamedTuple):
    """A late answer to an abandoned request has come: its room is free."""


class EventReceived(NamedTuple):
    """An event of the subscription that began with the request of this id."""

    id: int
    fields: Dict[str, Any]


class PongReceived(NamedTuple):
    """The answer to a PING of this client has come."""


class PositionReceived(NamedTuple):
    """The server has said its position in the log of its cluster."""

    position: int


class GoingAway(NamedTuple):
    """A GOAWAY has come, with these fields."""

    fields: Dict[str, Any]


class Ended(NamedTuple):
    """The connection must be closed. The failure is that of the request `named_id`; with 0 it names none."""

    failure: Failure
    named_id: int


Notice = Union[Opened, Answered, Refused, RoomFreed, EventReceived, PongReceived, PositionReceived, GoingAway, Ended]


@dataclass
class Outstanding:
    """A request without an answer; `written_at` is None until it is written."""

    opcode: int
    written_at: Optional[float] = None


class Ping(NamedTuple):
    """A PING of this client without an answer."""

    data: str
    sent_at: float


class Session:
    """The state of one connection. Times are monotonic seconds."""

    def __init__(self, options: Options, key: Optional[bytes], now: float) -> None:
        self.options, self.key = options, key
        self.phase = Phase.PREFACE
        self.is_version_refused = False
        self.is_draining = False
        self.hello: Dict[str, Any] = {}
        self.principal: Dict[str, Any] = {}
        self.last_id = 0
        self.incoming = bytearray()
        # Frames that are not handed to the socket yet; the id is 0 for what is not a request.
        self.outgoing: List[Tuple[int, bytes]] = [(0, wire.MAGIC + bytes([1, 1]) + bytes(6))]
        self.outstanding: Dict[int, Outstanding] = {}
        self.abandoned: Set[int] = set()
        self.received_at = now
        self.ping: Optional[Ping] = None
        self.last_ping: Optional[float] = None
        self.has_worked = False
        # Since when every place is occupied by a request that is not waited for (PIP-5).
        self.stuck_since: Optional[float] = None
        self._request("hello", {"software": options.software, "receive_limit": options.maximum_receive_bytes})

    # Requests

    @property
    def in_flight_limit(self) -> int:
        """How many requests may be outstanding (PIP-4)."""
        return min(max(1, self.hello["in_flight_limit"]), self.options.maximum_in_flight)

    @property
    def has_room(self) -> bool:
        """True if a request may be queued now."""
        return self.phase is Phase.OPEN and not self.is_draining and len(self.outstanding) < self.in_flight_limit

    def refusal_of(self, message: str, fields: Dict[str, Any]) -> Optional[Failure]:
        """Returns why the server would refuse the request by its limits; None if it may be sent (CON-7)."""
        opcode = wire.REQUESTS[message]["opcode"]
        if not any(each["opcode"] == opcode and each["lowest"] <= 1 <= each["highest"]
                   for each in self.hello["opcodes"]):
            return Failure("UNSUPPORTED_OPCODE", message=f"the server does not serve {message}")
        size = len(wire.encode_payload(message, "client", fields))
        if size > self.hello["frame_limit"]:
            return Failure("FRAME_TOO_LARGE", message=f"{size} bytes", limit=str(self.hello["frame_limit"]))
        return None

    def request(self, message: str, fields: Dict[str, Any]) -> int:
        """Queues a request and returns its id."""
        id = self._request(message, fields)
        self.outstanding[id] = Outstanding(wire.REQUESTS[message]["opcode"])
        return id

    def _request(self, message: str, fields: Dict[str, Any]) -> int:
        self.last_id += 1
        self.outgoing.append((self.last_id, wire.encode("client", message, fields, self.last_id)))
        return self.last_id

    def abandon(self, id: int, now: float) -> bool:
        """Gives up an answer. Returns true if the request was not written: it never will be."""
        if id in self.outstanding and self.outstanding[id].written_at is None:
            self.outgoing = [each for each in self.outgoing if each[0] != id]
            del self.outstanding[id]
            return True
        if id in self.outstanding:
            self.abandoned.add(id)
            if len(self.abandoned) >= self.in_flight_limit and self.stuck_since is None:
                self.stuck_since = now
        return False

    @property
    def is_finished(self) -> bool:
        """True if no answer is waited for."""
        return len(self.outstanding) == len(self.abandoned)

    def take_output(self, now: float) -> Tuple[bytes, List[int]]:
        """Returns the bytes of the next write, and the ids of the requests that it contains (PIP-3)."""
        data, ids = bytearray(), []
        while self.outgoing and (not data or len(data) + len(self.outgoing[0][1]) <= MAXIMUM_WRITE_BYTES):
            id, piece = self.outgoing.pop(0)
            data += piece
            if id in self.outstanding:
                self.outstanding[id].written_at = now
                ids.append(id)
        return bytes(data), ids

    # Time

    def times(self) -> List[float]:
        """Returns when `tick` has something to do."""
        if self.phase is not Phase.OPEN:
            return []
        times = [] if self.stuck_since is None else [self.stuck_since + self.options.ping_timeout]
        if self.ping:
            return [*times, self.ping.sent_at + self.options.ping_timeout]
        return [at for at in (*times, self._ping_due_at()) if at is not None]

    def _ping_due_at(self) -> Optional[float]:
        interval = self.hello["ping_interval_ms"] / 1000
        keepalive = self.hello["keepalive_ms"] / 1000
        due = [self.received_at + max(keepalive, interval)] if keepalive else []
        written = [each.written_at for each in self.outstanding.values() if each.written_at is not None]
        if written:
            due.append(max(self.received_at, min(written)) + self.options.probe_after)
        if not due:
            return None
        return min(due) if self.last_ping is None else max(min(due), self.last_ping + interval)

    def tick(self, now: float) -> List[Notice]:
        """Sends the PING that is due, or finds that the server is dead (CON-12, CON-13)."""
        if self.phase is not Phase.OPEN:
            return []
        if self.stuck_since is not None and now >= self.stuck_since + self.options.ping_timeout:
            return [self.fault("the server answers no requests")]
        if self.ping and now >= self.ping.sent_at + self.options.ping_timeout:
            if self.received_at < self.ping.sent_at:
                return [self.fault("the server is silent")]
            self.ping = None
        due = self._ping_due_at()
        if self.ping is None and due is not None and now >= due:
            self.send_ping(now)
        return []

    def send_ping(self, now: float) -> None:
        """Queues a PING of the client, before the requests that wait."""
        data = os.urandom(8).hex()
        self.ping, self.last_ping = Ping(data, sent_at=now), now
        self._enqueue_first(wire.encode("client", "ping", {"data": data}))

    # Receiving

    def fault(self, text: str, failure: Optional[Failure] = None, named_id: int = 0) -> Ended:
        """Ends the session; without a failure the connection is lost because of `text`."""
        self.phase = Phase.CLOSED
        lost = Failure("CONNECTION_LOST", "unknown", 0.0, text, scope="connection")
        return Ended(failure or lost, named_id)

    def receive(self, data: bytes, now: float) -> List[Notice]:
        """Reads bytes in any division (CON-14) and returns what they mean."""
        self.received_at = now
        self.incoming += data
        notices: List[Notice] = []
        try:
            while self.phase is not Phase.CLOSED and self._read_one(notices, now):
                pass
        except wire.MalformedError as error:
            notices.append(self.fault(f"the server has sent what cannot be read: {error}"))
        return notices

    def _read_one(self, notices: List[Notice], now: float) -> bool:
        if self.phase is Phase.PREFACE:
            return self._read_preface(notices)
        if len(self.incoming) < wire.HEADER.size:
            return False
        length, kind, flags, opcode, id = wire.HEADER.unpack(self.incoming[:wire.HEADER.size])
        self.check_header(length, kind, flags, opcode, id)
        end = wire.HEADER.size + length
        if len(self.incoming) < end:
            return False
        data = bytes(self.incoming[:end])
        del self.incoming[:end]
        notices += self._frame(data, kind, id, opcode, now)
        return True

    def _read_preface(self, notices: List[Notice]) -> bool:
        start = bytes(self.incoming[:PREFACE_BYTES])
        expected = wire.MAGIC + start[8:9] + bytes(7)
        if start != expected[:len(start)] or len(start) > 8 and start[8] > 1:
            notices.append(self.fault("the peer does not speak the protocol of Carillon"))
        if self.phase is Phase.CLOSED or len(start) < PREFACE_BYTES:
            return False
        del self.incoming[:PREFACE_BYTES]
        self.is_version_refused = start[8] == 0
        self.phase = Phase.HELLO
        return True

    def check_header(self, length: int, kind: int, flags: int, opcode: int, id: int) -> None:
        """Raises MalformedError for a header that CON-8 refuses."""
        if length > self.options.maximum_receive_bytes:
            raise wire.MalformedError(f"a frame of {length} bytes")
        if kind not in (wire.ANSWER, wire.ERROR, wire.EVENT, wire.CONTROL):
            raise wire.MalformedError(f"kind {kind}")
        if flags & 0x0F and not (kind == wire.CONTROL and opcode == 3 and flags == wire.ACK):
            raise wire.MalformedError(f"flags {flags}")
        if kind == wire.CONTROL and id or kind in (wire.ANSWER, wire.EVENT) and not id:
            raise wire.MalformedError(f"id {id}")

    def _frame(self, data: bytes, kind: int, id: int, opcode: int, now: float) -> List[Notice]:
        if kind == wire.ANSWER and self.phase is Phase.OPEN and id not in self.outstanding:
            return []
        frame = wire.decode(data, "server")
        if kind == wire.CONTROL:
            return self._control(frame)
        if kind == wire.EVENT:
            self.has_worked = True
            return [EventReceived(id, frame.fields)] if frame.message else []
        if kind == wire.ERROR:
            return self._error(frame)
        if self.phase is not Phase.OPEN:
            return self._handshake_answer(frame)
        if self.outstanding[id].opcode != opcode or not frame.message:
            raise wire.MalformedError("the answer has another opcode than its request")
        return self._completed(id, Answered(id, frame.fields))

    def _completed(self, id: int, notice: Notice) -> List[Notice]:
        self.has_worked = True
        if self.outstanding.pop(id, None) is None:
            return []
        if id in self.abandoned:
            self.abandoned.discard(id)
            self.stuck_since = None
            return [RoomFreed()]
        return [notice]

    def _handshake_answer(self, frame: wire.Frame) -> List[Notice]:
        if (self.phase, frame.message, frame.id) == (Phase.HELLO, "hello", 1) and not self.is_version_refused:
            self.hello = frame.fields
            if self.hello["authenticated"]:
                self.phase = Phase.OPEN
                return [Opened()]
            if self.key is None:
                return [self.fault("", Failure("AUTHENTICATION_FAILED", message="the server requires a key"))]
            self.phase = Phase.AUTH
            self._request("auth", {"method": 1, "credential": self.key.hex()})
            return []
        if (self.phase, frame.message, frame.id) != (Phase.AUTH, "auth", 2):
            raise wire.MalformedError("an answer out of its phase")
        self.principal = frame.fields
        self.phase = Phase.OPEN
        return [Opened()]

    def _error(self, frame: wire.Frame) -> List[Notice]:
        failure = Failure.from_frame(frame.fields)
        if self.phase is not Phase.OPEN:
            return [self.fault("", failure)]
        if failure.scope == "connection":
            return [self.fault(f"{failure.code}: {failure.message}", failure, frame.id)]
        if frame.id == 0:
            raise wire.MalformedError("an error of scope request with id 0")
        if frame.id in self.outstanding and self.outstanding[frame.id].opcode != frame.opcode:
            raise wire.MalformedError("the error has another opcode than its request")
        return self._completed(frame.id, Refused(frame.id, failure))

    def _control(self, frame: wire.Frame) -> List[Notice]:
        if frame.message == "ping":
            if frame.flags & wire.ACK:
                return self._pong(frame.fields["data"])
            self.acknowledge(frame.fields["data"])
        if frame.message == "position" and self.phase is Phase.OPEN and self.cluster:
            return [PositionReceived(int(frame.fields["position"]))]
        if frame.message == "goaway":
            if self.phase is not Phase.OPEN:
                wait = frame.fields["reconnect_after_ms"] / 1000
                return [self.fault("", Failure("DRAINING", retry_after=wait, scope="connection"))]
            self.is_draining = True
            return [GoingAway(frame.fields)]
        return []

    @property
    def cluster(self) -> str:
        """The cluster of the server; empty if it belongs to none (POS-1)."""
        return self.hello.get("cluster", "")

    def send_position(self, position: int) -> None:
        """Lets the requests that follow see a position (POS-3)."""
        self._enqueue_first(wire.encode("client", "position", {"position": str(position)}))

    def acknowledge(self, data: str) -> None:
        """Answers a PING before the requests that wait (CON-11)."""
        self._enqueue_first(wire.encode("client", "ping", {"data": data}, flags=wire.ACK))

    def _enqueue_first(self, frame: bytes) -> None:
        # Before `open` nothing waits but the preface, HELLO and AUTH, which must stay first.
        self.outgoing.insert(0 if self.phase is Phase.OPEN else len(self.outgoing), (0, frame))

    def _pong(self, data: str) -> List[Notice]:
        if self.ping is None or self.ping.data != data:
            return []
        self.ping = None
        self.has_worked = True
        return [PongReceived()]
