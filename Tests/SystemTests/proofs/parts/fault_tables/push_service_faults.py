"""The faults of push services that `Tools/prove web-faults` tries: the rows of its matrix."""
from __future__ import annotations

from dataclasses import replace
from typing import Any, Dict, List

from proofs.parts.fault_tables.fault import Fault, Rule, on
from proofs.parts.fault_tables.http2_faults import connection_faults

# After an error a message waits for half a minute, and a service that fails twenty times in a row is delayed.
OUTAGE: Dict[str, Any] = {"duration_seconds": 2, "recovery_seconds": 90}
HTML: Dict[str, Any] = {"html": True}
ANSWER_SECONDS = 5


def answers(status: int, share: float = 1, **keys: Any) -> Rule:
    """Returns an answer of the push service to a share of the messages."""
    return {"status": status, "service": "web", **({"probability": share} if share < 1 else {}), **keys}


def answer_faults() -> List[Fault]:
    """Answers of a push service, or of what stands in its place."""
    later = {"retry-after": 2}
    return [
        Fault("answer: 503, 1 in 5", [answers(503, 0.2)], is_short=True, **OUTAGE),
        Fault("answer: 503, all", [answers(503)], **OUTAGE),
        Fault("answer: 503, retry-after 3", [answers(503, 0.3, **{"retry-after": 3})], **OUTAGE),
        Fault("answer: 500, 1 in 5", [answers(500, 0.2)], **OUTAGE),
        Fault("answer: 502 as HTML", [answers(502, 0.3, **HTML)], is_short=True, **OUTAGE),
        Fault("answer: 504, all", [answers(504)], **OUTAGE),
        Fault("answer: 408, 1 in 5", [answers(408, 0.2)], **OUTAGE),
        Fault("answer: 302 as HTML", [answers(302, 0.3, **HTML)], **OUTAGE),
        Fault("answer: 307 as HTML", [answers(307, 0.3, **HTML)], **OUTAGE),
        Fault("answer: 421, 1 in 20", [answers(421, 0.05)], duration_seconds=1, recovery_seconds=60),
        Fault("answer: 429", [answers(429, times=5, **later)], duration_seconds=1, recovery_seconds=90, is_short=True),
        Fault("answer: 429 as HTML", [answers(429, times=5, **HTML, **later)], duration_seconds=1, recovery_seconds=90),
        # The key is known to be good: others were accepted before.
        Fault("answer: 401 once", [answers(401, times=1)], duration_seconds=1, recovery_seconds=120, is_short=True),
        Fault("answer: 403 once", [answers(403, times=1, message="invalid JWT provided")], duration_seconds=1,
              recovery_seconds=120),
        Fault("answer: bodies of one byte a frame", [answers(503, 0.3), on("split", bytes=1)], **OUTAGE),
    ]


def faults() -> List[Fault]:
    """Returns all rows. A push that a slow service has no room for waits 10 to 12.5 s, and may do so twice after a
    fault."""
    return [replace(fault, recovery_seconds=max(fault.recovery_seconds, 30))
            for fault in [*answer_faults(), *connection_faults(reconnection_seconds=90, handshake_seconds=90)]]
