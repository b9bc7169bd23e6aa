"""A fault of a matrix, and the rules of a simulator that make it."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional, Sequence

# A rule of a simulator.
Rule = Dict[str, Any]


@dataclass
class Fault:
    """A row of the matrix."""

    name: str
    rules: List[Rule]
    # 0 for a single event.
    duration_seconds: float = 0
    # Rules that end the fault.
    remedy: List[Rule] = field(default_factory=list)
    # The allowed number of duplicates, from the simulator's counters.
    excuses: Callable[[Dict[str, Any]], int] = lambda stats: 0
    # The longest time from the end of the fault to the last outcome.
    recovery_seconds: float = 10
    # APNs refuses the credential: the server sends nothing more, and the log says why, until it is started again.
    stops: bool = False
    # True if the short form includes this fault.
    is_short: bool = False
    # A text that must be in the log.
    alarm: Optional[str] = None
    # The addresses of APNs during the fault; before and after it is 127.0.0.1.
    names: Optional[Sequence[str]] = None
    # True if APNs listens on every address of the machine.
    is_everywhere: bool = False


def once(fault: str, /, **keys: Any) -> Rule:
    """Returns a fault on all open connections, at once."""
    return {"fault": fault, "at": "now", **keys}


def at(moment: str, fault: str, /, **keys: Any) -> List[Rule]:
    """Returns a fault of new connections; the open ones get a GOAWAY, so that new ones are made."""
    return [{"fault": fault, "at": moment, **keys}, once("goaway")]


def on(fault: str, /, **keys: Any) -> Rule:
    """Returns a fault of requests."""
    return {"fault": fault, **keys}


def each(name: str) -> Callable[[Dict[str, Any]], int]:
    """One duplicate for each request that was processed and not answered."""
    return lambda stats: stats["faults"].get(name, 0)


def harmless(frame: str) -> Fault:
    """Returns a frame that a client must ignore."""
    return Fault(f"frame: {frame}", [once("frame", name=frame)])
