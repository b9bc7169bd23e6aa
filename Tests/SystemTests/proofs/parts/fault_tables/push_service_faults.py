"""The faults of push services that `Tools/prove web-faults` tries: the rows of its matrix."""
from __future__ import annotations

from dataclasses import replace
from typing import Any, Dict, List

from proofs.parts.fault_tables.fault import Fault, Rule, at, each, harmless, on, once

# After an error a message waits for half a minute, and a service that fails twenty times in a row is delayed.
OUTAGE: Dict[str, Any] = {"lasts": 2, "recovers": 90}
HTML: Dict[str, Any] = {"html": True}
STREAMS, CONNECTIONS = 100, 3
ANSWER_SECONDS = 5


def lost(_: Dict[str, Any]) -> int:
    """The messages that were unanswered when the connections broke."""
    return STREAMS * CONNECTIONS


def answers(status: int, share: float = 1, **keys: Any) -> Rule:
    """An answer of the push service to a share of the messages."""
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
        Fault("answer: 421, 1 in 20", [answers(421, 0.05)], lasts=1, recovers=60),
        Fault("answer: 429", [answers(429, times=5, **later)], lasts=1, recovers=90, is_short=True),
        Fault("answer: 429 as HTML", [answers(429, times=5, **HTML, **later)], lasts=1, recovers=90),
        # The key is known to be good: others were accepted before.
        Fault("answer: 401 once", [answers(401, times=1)], lasts=1, recovers=120, is_short=True),
        Fault("answer: 403 once", [answers(403, times=1, message="invalid JWT provided")], lasts=1, recovers=120),
        Fault("answer: bodies of one byte a frame", [answers(503, 0.3), on("split", bytes=1)], **OUTAGE),
    ]


def connection_faults() -> List[Fault]:
    """GOAWAY, resets, silence, and frames that a client must refuse or ignore."""
    def broken(frame: str) -> Fault:
        return Fault(f"frame: {frame}", [once("frame", name=frame)], excuses=lost)

    return [
        Fault("GOAWAY: session_timed_out", [once("goaway", reason="session_timed_out")], is_short=True),
        Fault("GOAWAY: graceful, twice", [once("goaway", form="graceful")]),
        Fault("GOAWAY: some, again and again", [on("goaway", form="some", every=60)], lasts=1),
        Fault("GOAWAY: none, at once", at("open", "goaway", form="none"), lasts=2, recovers=15),
        Fault("GOAWAY: ENHANCE_YOUR_CALM", [once("goaway", code="ENHANCE_YOUR_CALM", reason="too_many_pings")]),
        Fault("RST: REFUSED_STREAM, 1 in 3", [on("reset", code="REFUSED_STREAM", every=3)], lasts=1, is_short=True),
        Fault("RST: REFUSED_STREAM, all", [on("reset", code="REFUSED_STREAM")], lasts=2, recovers=40),
        Fault("RST: CANCEL, 10 %", [on("reset", code="CANCEL", probability=0.1)], lasts=1, excuses=each("reset"),
              recovers=20),
        Fault("RST: INTERNAL_ERROR, all", [on("reset", code="INTERNAL_ERROR")], lasts=2, excuses=each("reset"),
              recovers=20),
        Fault("stall: 1 in 50, processed", [on("silence", every=50)], lasts=1, excuses=each("silence"), recovers=30),
        Fault("stall: 1 in 50, lost", [on("silence", every=50, processed=False)], lasts=1, recovers=30),
        Fault("late: up to 0.5 s", [on("delay", min=0, max=500)], lasts=2),
        Fault("late: in reversed order", [on("reverse", count=20)], lasts=2),
        Fault("SETTINGS: 1 stream", [once("settings", **{"max-streams": 1})], lasts=1,
              remedy=[once("settings", **{"max-streams": 100})]),
        Fault("SETTINGS: 0 streams", [once("settings", **{"max-streams": 0})], lasts=2,
              remedy=[once("settings", **{"max-streams": 100})]),
        Fault("SETTINGS: window 0", [once("settings", window=0)], lasts=1, remedy=[once("settings", window=65_535)]),
        Fault("SETTINGS: header table 0", [once("settings", **{"header-table": 0})]),
        harmless("unknown"), harmless("junk"),
        broken("hpack-index"), broken("broken-headers"), broken("oversized"), broken("push-promise"),
        broken("bad-settings"), broken("garbage"),
        Fault("TCP: close, TLS says goodbye", [once("close", ending="polite")], excuses=lost),
        Fault("TCP: reset", [once("close", ending="reset")], excuses=lost, is_short=True),
        Fault("TCP: accepted and reset", at("accept", "close", ending="reset"), lasts=2, recovers=90),
        Fault("TCP: reset before SETTINGS", at("open", "close", ending="reset"), lasts=2, recovers=90),
        Fault("TCP: half-open", [once("freeze")], excuses=lost, recovers=60),
        Fault("TLS: the handshake never ends", at("accept", "freeze"), lasts=2, recovers=90),
        Fault("TLS: SETTINGS never come", at("open", "freeze"), lasts=2, recovers=90),
    ]


def faults() -> List[Fault]:
    """All rows. A push that a slow service has no room for waits 10 to 12.5 s, and may do so twice after a fault."""
    return [replace(fault, recovers=max(fault.recovers, 30)) for fault in [*answer_faults(), *connection_faults()]]
