"""The calls that are on no connection: those that wait to be written, and those that pause between two attempts."""
from __future__ import annotations

from collections import deque
from typing import Any, Deque, Dict, List, Optional, Tuple

from ._calls import PAUSING, WAITING, WRITTEN, Call
from ._codec import DEADLINE_SIZE, HEADER
from ._connection import Connection
from ._session import Session
from ._values import FOREVER
from .errors import CarillonError
from .options import Options

MAXIMUM_WRITE_BYTES = 1 << 16
# The bytes that a frame adds to an encoded request.
FRAME_OVERHEAD_BYTES = HEADER.size + DEADLINE_SIZE


class CallQueue:
    """The calls that wait, in their order, those that pause, and the memory of all that have not ended."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.waiting: Deque[Call[Any]] = deque()
        self.pausing: Dict[Call[Any], None] = {}
        # The bytes of all calls, also of those that are written. Who ends a call subtracts its size.
        self.request_bytes = 0

    # What programs want

    def add(self, call: Call[Any], room: int) -> bool:
        """Adds a call. Returns false if too many wait; `room` is the number that the connection can take at once."""
        maximum_calls = self.options.maximum_waiting_calls
        if len(self.waiting) >= maximum_calls and len(self.waiting) - room >= maximum_calls \
                or self.request_bytes + call.size > self.options.maximum_memory_bytes:
            return False
        self.request_bytes += call.size
        self.waiting.append(call)
        return True

    def add_all(self, calls: List[Call[Any]]) -> bool:
        """Adds calls. Returns false, and adds none, if they are too many together."""
        size = sum([call.size for call in calls])
        if self.request_bytes + size > self.options.maximum_memory_bytes or \
                len(self.waiting) + len(calls) > self.options.maximum_waiting_calls:
            return False
        self.request_bytes += size
        self.waiting += calls
        return True

    def remove(self, call: Call[Any]) -> None:
        """Removes a call that waits or pauses; nothing happens if it does neither."""
        if call.state == PAUSING:
            del self.pausing[call]
        elif self.waiting and self.waiting[0] is call:  # all of them end in their order
            self.waiting.popleft()
        elif call in self.waiting:
            self.waiting.remove(call)

    # Time

    def pause(self, call: Call[Any], until: float) -> None:
        """Keeps a call until its next attempt."""
        call.state, call.resumes_at = PAUSING, until
        self.pausing[call] = None

    def resume(self, now: float) -> None:
        """Lets calls wait whose pause is over."""
        for call in [call for call in self.pausing if call.resumes_at <= now and call.deadline > now]:
            del self.pausing[call]
            call.state = WAITING
            self.waiting.append(call)

    def take_expired(self, now: float) -> List[Call[Any]]:
        """Removes the waiting calls whose deadline has passed, and returns them."""
        expired = [call for call in self.waiting if call.deadline <= now]
        if expired:  # all at once: removed one by one, many would take long
            self.waiting = deque(call for call in self.waiting if call.deadline > now)
        return expired

    def next_time(self) -> float:
        """Returns the next time at which a call is late or resumes."""
        times = [FOREVER, *(call.deadline for call in self.waiting)]
        return min(times + [min(call.deadline, call.resumes_at) for call in self.pausing])

    # Writing

    def put_first(self, calls: List[Call[Any]]) -> None:
        """Puts calls before those that were never written, in their order (CONTRACT.md, RET-6, RET-7)."""
        for call in reversed(calls):
            call.state = WAITING
            self.waiting.appendleft(call)

    def take(self, connection: Connection, now: float) -> Tuple[List[Call[Any]], List[Tuple[Call[Any], CarillonError]]]:
        """Removes the calls of the next write, at most 64 KiB but for a single request, and those that may not be sent.

        Returns both; each of the latter with the reason.
        """
        session, waiting = connection.session, self.waiting
        room, size, taken = session.room, 0, 0
        served, longest = session.served, session.frame_limit - DEADLINE_SIZE
        calls: List[Call[Any]] = []
        refused: List[Tuple[Call[Any], CarillonError]] = []
        for call in waiting:
            more = call.size + FRAME_OVERHEAD_BYTES
            if len(calls) == room or size and size + more > MAXIMUM_WRITE_BYTES:
                break
            taken += 1
            if call.operation.opcode not in served or call.size > longest or call.failures is not None:
                refusal = _refusal(call, session, now)
                if refusal is not None:
                    refused.append((call, refusal))
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
        return calls, refused


def _refusal(call: Call[Any], session: Session, now: float) -> Optional[CarillonError]:
    """Returns why a call may not be sent; None if it may."""
    refusal = session.refusal(call)
    if refusal is None and call.failures is not None and not call.key_is_remembered(session, now):
        call.failures.is_key_forgotten = True
        refusal = call.failures.last_error
    return refusal
