"""What the connections of one behaviour vector share: captures, marks, signals and failures."""
from __future__ import annotations

import threading
import time
from typing import Any, Callable, Dict, List, Optional, Set

from vectors import Captures


class Play:
    """One run of a vector. The threads of its connections use it."""

    def __init__(self, notify: Callable[[Dict[str, Any]], None], limit_ms: int) -> None:
        self.notify, self.limit = notify, limit_ms / 1000
        self.captures = Captures()
        self.changed = threading.Condition()
        self.marks: Dict[str, float] = {}
        self.signals: Set[str] = set()
        self.failures: List[Dict[str, Any]] = []
        self.ended = threading.Event()

    def mark(self, name: str) -> None:
        """Remembers the time of a step."""
        with self.changed:
            self.marks[name] = time.monotonic()

    def milliseconds_since(self, name: str) -> Optional[float]:
        """Returns the time since a mark; None if it was not made."""
        with self.changed:
            made = self.marks.get(name)
        return None if made is None else (time.monotonic() - made) * 1000

    def signal(self, name: str) -> None:
        """Releases the steps that await the name."""
        with self.changed:
            self.signals.add(name)
            self.changed.notify_all()

    def await_signal(self, name: str) -> bool:
        """Waits for a signal; False if it has not come in time."""
        with self.changed:
            return self.changed.wait_for(lambda: name in self.signals, self.limit)

    def reached(self, name: str) -> None:
        """Tells the runner that a step is done."""
        self.notify({"reached": name})

    def fail(self, server: str, connection: int, step: str, text: str) -> None:
        """Records a deviation of the client."""
        failure = {"server": server, "connection": connection, "step": step, "text": text}
        with self.changed:
            self.failures.append(failure)
        self.notify({"failed": failure})
