"""The faults of broadcast channels that `Tools/prove channel-faults` tries: the rows of its matrix."""
from __future__ import annotations

from dataclasses import replace
from typing import Any, Dict, List

from proofs.parts.fault_tables.fault import Fault, Rule, at, each, on, once

# So few that a fault meets pushes which wait.
STREAMS, CONNECTIONS = 4, 1
# After an error a broadcast push waits longer each time, up to a minute.
OUTAGE: Dict[str, Any] = {"duration_seconds": 3, "recovery_seconds": 60}


def lost(_: Dict[str, Any]) -> int:
    """Returns the pushes that were unanswered when the connections broke."""
    return STREAMS * CONNECTIONS


def answers(status: int, reason: str, share: float = 1, **keys: Any) -> Rule:
    """Returns an answer of APNs to a share of the requests about channels: management, and broadcast pushes."""
    return {"status": status, "reason": reason, "about": "channels",
            **({"probability": share} if share < 1 else {}), **keys}


def connection_faults() -> List[Fault]:
    """Returns what can happen to the connections, and to answers on their way."""
    return [
        Fault("GOAWAY: all, Shutdown", [once("goaway", reason="Shutdown")], is_short=True),
        Fault("GOAWAY: some, again and again", [on("goaway", form="some", every=20)], duration_seconds=1),
        Fault("GOAWAY: none, at once", at("open", "goaway", form="none", reason="Shutdown"), duration_seconds=2,
              recovery_seconds=15),
        Fault("RST: REFUSED_STREAM, 1 in 3", [on("reset", code="REFUSED_STREAM", every=3)], duration_seconds=1),
        Fault("RST: INTERNAL_ERROR, 1 in 5", [on("reset", code="INTERNAL_ERROR", every=5)], duration_seconds=2,
              excuses=each("reset"), is_short=True),
        Fault("RST: INTERNAL_ERROR, unprocessed", [
              on("reset", code="INTERNAL_ERROR", processed=False, every=5)], duration_seconds=1),
        Fault("stall: 1 in 10, processed", [on("silence", every=10)], duration_seconds=1, excuses=each("silence"),
              recovery_seconds=30),
        Fault("stall: 1 in 10, lost", [on("silence", every=10, processed=False)], duration_seconds=1,
              recovery_seconds=30),
        Fault("late: up to 0.5 s", [on("delay", min=0, max=500)], duration_seconds=2),
        Fault("frame: hpack-index", [once("frame", name="hpack-index")], excuses=lost),
        Fault("frame: garbage", [once("frame", name="garbage")], excuses=lost),
        Fault("TCP: close, TLS says goodbye", [once("close", ending="polite")], excuses=lost),
        Fault("TCP: reset", [once("close", ending="reset")], excuses=lost, is_short=True),
        Fault("TCP: accepted and reset", at("accept", "close", ending="reset"), duration_seconds=2,
              recovery_seconds=15),
        Fault("TCP: half-open", [once("freeze")], excuses=lost, recovery_seconds=40),
        Fault("TLS: the handshake never ends", at("accept", "freeze"), duration_seconds=2, recovery_seconds=25),
        Fault("TLS: SETTINGS never come", at("open", "freeze"), duration_seconds=2, recovery_seconds=20),
    ]


def answer_faults() -> List[Fault]:
    """Answers that ask to try again."""
    return [
        Fault("answer: 503, all", [answers(503, "ServiceUnavailable")], is_short=True, **OUTAGE),
        Fault("answer: 503, half, Retry-After 2",
              [answers(503, "ServiceUnavailable", 0.5, **{"retry-after": 2})], **OUTAGE),
        Fault("answer: 500, 1 in 5", [answers(500, "InternalServerError", 0.2)], **OUTAGE),
        Fault("answer: 429, half", [answers(429, "TooManyRequests", 0.5)], **OUTAGE),
        Fault("answer: an expired token, once", [answers(403, "ExpiredProviderToken", times=1)], **OUTAGE),
        Fault("answer: another connection, 1 in 5", [answers(503, "Shutdown", 0.2)], **OUTAGE),
    ]


def faults(kind: str) -> List[Fault]:
    """Returns all rows of a kind of request: `broadcast` or `management`."""
    return [replace(fault, name=f"{kind}: {fault.name}") for fault in [*connection_faults(), *answer_faults()]]
