"""Streams of events over any number of connections (EVT)."""
from __future__ import annotations

from collections import deque
from typing import Any, Deque, Dict, List, Optional

from reference.errors import Failure

NOW, OLDEST = 2**64 - 1, 2**64 - 2


class Stream:
    """One subscription: its position, the elements that wait to be taken, its credit and acknowledgements."""

    def __init__(self, name: str, start: Any, apps: List[str], kinds: List[int], window: int, deadline: float) -> None:
        self.name, self.start, self.apps, self.kinds = name, start, apps, kinds
        self.window, self.deadline = max(2, window), deadline
        # waiting, subscribing, subscribed, ended
        self.state = "waiting"
        self.connection: Any = None
        self.id = 0
        self.is_accepted = False
        self.epoch: Optional[str] = None
        self.position: Optional[int] = None
        self.queue: Deque[Dict[str, Any]] = deque()
        self.returned = 0
        # Frames of this subscription: granted in all, received, and taken. `taken` begins at minus the number of
        # elements that are still in memory: they count against the window too (EVT-3).
        self.granted = self.received = self.taken = 0
        self.acknowledged = self.durable = 0
        self.pending: Optional[Dict[str, int]] = None  # the EVENT_CREDIT that is not answered
        self.failures = 0
        self.not_before = 0.0
        self.failure: Optional[Failure] = None
        self.is_closing = False

    # Subscribing

    def subscription(self, epoch: str) -> Dict[str, Any]:
        """Returns the fields of SUBSCRIBE_EVENTS on a server of this epoch."""
        if self.epoch is not None and epoch != self.epoch:
            self.forget_history()
        self.epoch = epoch
        self.received, self.taken = 0, -len(self.queue)
        self.granted = self.next_credit()
        self.pending = None
        return {"name": self.name, "from": str(self.from_number()), "apps": self.apps, "kinds": self.kinds,
                "credit": str(self.granted)}

    def forget_history(self) -> None:
        """Another history: the numbers no longer mean anything (EVT-8)."""
        self.position, self.acknowledged, self.durable, self.returned = None, 0, 0, 0
        if self.start not in ("now", "oldest"):
            self.start = "acknowledged"
        self.queue.append({"new_history": True})

    def from_number(self) -> int:
        """Returns `from`: the position, or what the caller has asked for (EVT-2, EVT-7)."""
        if self.position is not None:
            return self.position or OLDEST
        if self.start == "acknowledged":
            return 0 if self.name else NOW
        return {"now": NOW, "oldest": OLDEST}.get(self.start) or int(self.start) or OLDEST

    def accepted(self, after: int) -> None:
        """SUBSCRIBE_EVENTS was answered."""
        self.state, self.is_accepted, self.failures = "subscribed", True, 0
        self.position = max(self.position or 0, after)

    def lost(self, not_before: float = 0.0) -> None:
        """The subscription has ended with its connection: it begins again on another one."""
        if self.state in ("subscribing", "subscribed"):
            self.state, self.connection, self.pending = "waiting", None, None
            self.not_before = not_before

    # Events

    def event(self, fields: Dict[str, Any]) -> bool:
        """Receives an event. Returns false if the server had no credit for it (EVT-4)."""
        self.received += 1
        if self.received > self.granted:
            return False
        sequence = int(fields["sequence"])
        before = self.position or 0
        if sequence <= before:
            self.taken += 1
            return True
        self.position = sequence
        if fields["kind"] == 0:
            missed_from = str(max(int(fields["missed_from"]), before + 1))
            self.queue.append({"gap": {"missed_from": missed_from, "missed_to": fields["missed_to"]},
                               "sequence": sequence})
        else:
            self.queue.append({"event": fields, "sequence": sequence})
        return True

    def take(self) -> Optional[Dict[str, Any]]:
        """Returns the next element; None if there is none now."""
        if not self.queue:
            return None
        element = self.queue.popleft()
        if "sequence" in element:
            self.taken += 1
            self.returned = max(self.returned, element.pop("sequence"))
        return element

    # Credit and acknowledgements

    def next_credit(self) -> int:
        """Returns the credit that fills the window."""
        return max(0, self.taken + self.window)

    def credit_due(self) -> Optional[Dict[str, Any]]:
        """Returns the fields of the EVENT_CREDIT that is due; None if none is (EVT-3, EVT-5)."""
        if self.state != "subscribed" or self.pending is not None:
            return None
        is_due = self.granted - self.taken <= self.window // 2
        if not is_due and self.acknowledged <= self.durable:
            return None
        if is_due:
            self.granted = self.next_credit()
        ack = self.acknowledged if self.acknowledged > self.durable else 0
        self.pending = {"ack": ack}
        return {"subscription": str(self.id), "credit": str(self.granted), "ack": str(ack)}

    def credit_answered(self) -> None:
        """EVENT_CREDIT was answered."""
        if self.pending is not None:
            self.durable = max(self.durable, self.pending["ack"])
            self.pending = None

    def acknowledge(self, sequence: int) -> None:
        """Everything up to the number is processed (EVT-5)."""
        if sequence > self.returned:
            raise Failure("INVALID_ARGUMENT", message=f"event {sequence} was not returned", field="sequence")
        if self.name:
            self.acknowledged = max(self.acknowledged, sequence)

    @property
    def is_flushed(self) -> bool:
        """True if everything acknowledged is durable."""
        return self.acknowledged <= self.durable

    def end(self, failure: Optional[Failure]) -> None:
        """The end; an error comes after what is in memory."""
        self.state, self.failure, self.connection = "ended", failure, None
