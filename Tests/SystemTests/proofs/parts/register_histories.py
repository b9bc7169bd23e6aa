"""Histories of registers, and whether they are linearizable.

A register is a device: its locale is its value, and no device is the value None. Each register has one writer, which
writes values that differ, one after the other, at any node; readers look it up at any node. A node may answer with a
state that is a bounded time old. So a read fits if its value was that of the register at one moment between its
beginning, less that bound, and its end; and of two reads at one node the later one must not see an older write."""
from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Dict, List, Optional

# A value of the register; None stands for no device.
Value = Optional[str]


@dataclass
class Write:
    """One write: when it began, and when it was answered."""
    value: Value
    began: float
    # None if the effect is not known: it may come at any later time.
    answered: Optional[float] = None


@dataclass
class Read:
    """One read at a node."""
    value: Value
    node: str
    began: float
    answered: float


class History:
    """What was written to one register, and what was read."""

    def __init__(self, bound: float) -> None:
        self.bound = bound
        self.writes: List[Write] = [Write(None, float("-inf"), float("-inf"))]
        self.reads: List[Read] = []
        self.lock = threading.Lock()

    def begin(self, value: Value, now: float) -> Write:
        """A write begins."""
        write = Write(value, now)
        with self.lock:
            self.writes.append(write)
        return write

    def refused(self, write: Write) -> None:
        """A write was refused without an effect."""
        with self.lock:
            self.writes.remove(write)

    def read(self, value: Value, node: str, began: float, answered: float) -> None:
        """A read was answered."""
        with self.lock:
            self.reads.append(Read(value, node, began, answered))

    def _last_moment(self, index: int) -> float:
        """Until when the value of a write may be that of the register: until a later one was answered."""
        if self.writes[index].answered is None:
            return float("inf")
        ends = [write.answered for write in self.writes[index + 1:] if write.answered is not None]
        return min(ends, default=float("inf"))

    def _fitting(self, read: Read) -> List[int]:
        """Returns the writes that a read may have seen."""
        return [index for index, write in enumerate(self.writes)
                if write.value == read.value and write.began <= read.answered
                and self._last_moment(index) >= read.began - self.bound]

    def wrong(self) -> List[str]:
        """Reads that no order of the writes explains."""
        found: List[str] = []
        latest: Dict[str, int] = {}
        for read in sorted(self.reads, key=lambda each: each.began):
            fitting = self._fitting(read)
            if not fitting:
                found.append(f"{read.value} was read at {read.node} at {read.began:.3f}, and was not the value then")
                continue
            before = latest.get(read.node)
            # An unknown write may come after a later one, so only answered ones have an order.
            if before is not None and max(fitting) < before and all(
                    self.writes[index].answered is not None for index in fitting):
                found.append(f"{read.value} was read at {read.node} at {read.began:.3f} after a later value")
            known = [index for index in fitting if self.writes[index].answered is not None]
            if known and len(fitting) == len(known):
                latest[read.node] = max(before or 0, min(known))
        return found

    def final(self) -> List[Value]:
        """Returns what the register may have at the end: the last answered value, and those whose effect is unknown."""
        known = [index for index, write in enumerate(self.writes) if write.answered is not None]
        return [self.writes[known[-1]].value] + [write.value for write in self.writes if write.answered is None]
