"""A stream of events over any number of connections (CONTRACT.md, EVT). No sockets, no clock."""
from __future__ import annotations

import enum
import uuid
from collections import deque
from typing import Any, Deque, Dict, List, Optional, Set, Union

from . import _codec as codec
from ._session import Sendable
from ._values import reader
from .answers import Event, Gap, NewHistory
from .enums import EventKind
from .errors import CarillonError, invalid

NOW, OLDEST = 2**64 - 1, 2**64 - 2
Element = Union[Event, Gap, NewHistory]
SUBSCRIBE, CREDIT, UNSUBSCRIBE = (codec.OPERATIONS[name] for name in
                                  ("subscribe_events", "event_credit", "unsubscribe_events"))
_read_event = reader(Event)


class StreamRequest(Sendable):
    """A request of a stream; its answer is for the stream."""

    __slots__ = ("stream",)

    def __init__(self, stream: Stream, operation: codec.Operation, fields: Dict[str, Any]) -> None:
        self.stream, self.operation, self.read = stream, operation, operation.answer.read
        self.fixed, self.tag_count, self.tags = operation.request.write(fields)
        self.size = len(self.fixed) + len(self.tags)
        self.is_abandoned = False


class StreamState(enum.Enum):
    """The state of a stream. After a lost connection it waits again."""

    WAITING = enum.auto()
    SUBSCRIBING = enum.auto()
    SUBSCRIBED = enum.auto()
    ENDED = enum.auto()


class Stream:
    """One stream: its position, the elements that wait to be taken, its credit and its acknowledgements."""

    def __init__(self, fields: Dict[str, Any], start: Union[str, int], window: int, deadline: float) -> None:
        self.fields, self.start, self.window, self.deadline = fields, start, max(2, window), deadline
        self.name: str = fields["name"]
        self.state = StreamState.WAITING
        self.connection: Any = None
        self.id = 0
        self.is_accepted = self.is_closing = False
        self.epoch: Optional[bytes] = None
        self.position: Optional[int] = None
        self.queue: Deque[Element] = deque()
        self.returned = 0
        # Frames of this subscription: granted in all, and received. `taken` counts all elements, and begins at minus
        # the number of those in memory, so that no more than a window is there (CONTRACT.md, EVT-3).
        self.granted = self.received = self.taken = 0
        self.granted_before = 0
        self.acknowledged = self.durable = 0
        self.pending: Optional[StreamRequest] = None
        self.pending_ack = 0
        self.failures = 0
        self.not_before = 0.0
        self.error: Optional[CarillonError] = None
        # Futures of the shell with asyncio, for tasks that wait until something changes.
        self.waiters: Set[Any] = set()

    # Requests

    def subscription(self, epoch: bytes) -> StreamRequest:
        """Returns the SUBSCRIBE_EVENTS for a server of this epoch."""
        if self.epoch is not None and epoch != self.epoch:
            self._forget_history(epoch)
        self.epoch = epoch
        self.received, self.taken = 0, -len(self.queue)
        self.granted, self.pending = self._whole_credit(), None
        self.state = StreamState.SUBSCRIBING
        return StreamRequest(self, SUBSCRIBE, {**self.fields, "from": self._from(), "credit": self.granted})

    def _forget_history(self, epoch: bytes) -> None:
        """Forgets numbers that mean nothing in another history (EVT-8)."""
        self.position, self.acknowledged, self.durable, self.returned = None, 0, 0, 0
        if not isinstance(self.start, str):
            self.start = "acknowledged"
        self.queue.append(NewHistory(uuid.UUID(bytes=epoch)))

    def _from(self) -> int:
        """Returns `from`: after the position, or what the program has asked for (EVT-2, EVT-7)."""
        if self.position is not None:
            return self.position or OLDEST
        if self.start == "acknowledged":
            return 0 if self.name else NOW
        if isinstance(self.start, str):
            return NOW if self.start == "now" else OLDEST
        return self.start or OLDEST

    def _whole_credit(self) -> int:
        return max(0, self.taken + self.window)

    def due_request(self, now: float) -> Optional[StreamRequest]:
        """Returns the request that is due on the stream's connection; None if there is none (EVT-3, EVT-5, EVT-11)."""
        if self.state is not StreamState.SUBSCRIBED or self.pending is not None or now < self.not_before:
            return None
        if self.is_closing and self.is_durable:
            self.pending = StreamRequest(self, UNSUBSCRIBE, {"subscription": self.id})
            return self.pending
        is_due = self.granted - self.taken <= self.window // 2 and not self.is_closing
        if not is_due and self.is_durable:
            return None
        self.granted_before = self.granted
        if is_due:
            self.granted = self._whole_credit()
        self.pending_ack = 0 if self.is_durable else self.acknowledged
        self.pending = StreamRequest(self, CREDIT, {
            "subscription": self.id, "credit": self.granted, "ack": self.pending_ack})
        return self.pending

    # Answers

    def answered(self, request: StreamRequest, fields: Dict[str, Any]) -> None:
        """Takes the answer to a request of the stream."""
        if request.operation is SUBSCRIBE:
            self.state, self.is_accepted, self.failures = StreamState.SUBSCRIBED, True, 0
            self.position = max(self.position or 0, fields["after"])
        elif request.operation is CREDIT:
            self.durable, self.pending = max(self.durable, self.pending_ack), None
            self.failures = 0

    def credit_refused(self, not_before: float) -> None:
        """Makes an EVENT_CREDIT due again that was refused for a time, for the same subscription (EVT-10)."""
        self.granted, self.pending, self.not_before = self.granted_before, None, not_before

    def lost(self, not_before: float = 0.0) -> None:
        """Waits for another connection, because the subscription has ended with its own, or before."""
        if not self.has_ended:
            self.state, self.not_before = StreamState.WAITING, not_before
            self.connection = self.pending = None

    def end(self, error: Optional[CarillonError]) -> None:
        """Ends the stream. The program gets the error after the elements that are in memory."""
        if not self.has_ended:
            self.state, self.error = StreamState.ENDED, self.error or error
            self.connection = self.pending = None

    @property
    def has_ended(self) -> bool:
        """True if nothing more comes than the elements in memory."""
        return self.state is StreamState.ENDED

    @property
    def is_awaited(self) -> bool:
        """True until the server has accepted the first subscription, or the program has given up."""
        return not self.is_accepted and self.error is None

    def raise_unless_accepted(self) -> None:
        """Raises why the first subscription was not accepted."""
        if self.error is not None:
            raise self.error
        if not self.is_accepted:
            raise CarillonError("CLOSED", "the client was closed")

    def give_up(self, error: CarillonError) -> None:
        """Gives up a first subscription that was not accepted in time. If it is accepted later, UNSUBSCRIBE_EVENTS ends
        it."""
        self.error = error

    # Events

    def receive(self, fields: Dict[str, Any]) -> bool:
        """Receives an event. Returns false if the server had no credit for it (EVT-4)."""
        self.received += 1
        if self.received > self.granted:
            return False
        sequence, before = fields["sequence"], self.position or 0
        if sequence <= before:
            self.taken += 1
            return True
        self.position = sequence
        if fields["kind"] == EventKind.GAP:
            missed_from = max(fields.get("missed_from", 0), before + 1)
            self.queue.append(Gap(sequence, missed_from, fields.get("missed_to", sequence + 1)))
        else:
            self.queue.append(_read_event(fields))
        return True

    def has_element_or_end(self) -> bool:
        """True if there is an element, or never will be."""
        return bool(self.queue) or self.has_ended

    def take(self) -> Optional[Element]:
        """Returns the next element; None if there is none now."""
        if not self.queue:
            return None
        element = self.queue.popleft()
        if not isinstance(element, NewHistory):
            self.returned = max(self.returned, element.sequence)
        self.taken += 1
        return element

    def acknowledge(self, sequence: int) -> None:
        """Records that the program has processed all events up to the number (EVT-5)."""
        if isinstance(sequence, bool) or not isinstance(sequence, int) or not 0 <= sequence <= self.returned:
            raise invalid("sequence", f"the stream has returned events up to {self.returned}")
        if self.name:
            self.acknowledged = max(self.acknowledged, sequence)

    @property
    def is_durable(self) -> bool:
        """True if everything acknowledged is durable."""
        return self.acknowledged <= self.durable


def subscription_fields(name: str, apps: List[str], kinds: List[int]) -> Dict[str, Any]:
    """Returns the fields of SUBSCRIBE_EVENTS that stay the same."""
    return {"name": name, "apps": apps, "kinds": kinds}
