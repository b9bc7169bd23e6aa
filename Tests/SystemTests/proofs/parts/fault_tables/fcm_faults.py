"""The faults of FCM that `Tools/prove android-faults` tries: the rows of its matrix."""
from __future__ import annotations

import json
from typing import Any, Dict, List

from proofs.parts.fault_tables.fault import Fault, Rule, at, each, harmless, on, once

# After an error of FCM ten seconds pass before a message is tried again, and then at most as many more.
OUTAGE = {"lasts": 2, "recovers": 40}
HTML: Dict[str, Any] = {"html": True}
STREAMS, CONNECTIONS = 100, 3
# The shortest wait that the server allows.
ANSWER_SECONDS = 10
# A refused access token is replaced at most every 10 s.
REFRESH_SECONDS = 12


def lost(_: Dict[str, Any]) -> int:
    """The messages that were unanswered when the connections broke."""
    return STREAMS * CONNECTIONS


def answers(status: int, share: float = 1, **keys: Any) -> Rule:
    """An answer of FCM to a share of the messages."""
    return {"status": status, "service": "fcm", **({"probability": share} if share < 1 else {}), **keys}


def endpoint(status: int, **keys: Any) -> Rule:
    """An answer of the token endpoint."""
    return {"status": status, "service": "oauth", **keys}


def refusal(error: str) -> Rule:
    """A refusal of the service account."""
    return endpoint(400, message=json.dumps({"error": error, "error_description": "no"}))


def answer_faults() -> List[Fault]:
    """Answers of FCM, or of what stands in its place."""
    later = {"retry-after": 2}
    return [
        Fault("answer: 503, 1 in 5", [answers(503, 0.2)], is_short=True, **OUTAGE),
        Fault("answer: 503, all", [answers(503)], **OUTAGE),
        Fault("answer: 503, retry-after 12", [answers(503, 0.3, **{"retry-after": 12})], **OUTAGE),
        Fault("answer: 500, 1 in 5", [answers(500, 0.2)], **OUTAGE),
        Fault("answer: 500 UNSPECIFIED_ERROR", [answers(500, 0.3, code="UNSPECIFIED_ERROR")], **OUTAGE),
        Fault("answer: 502 as HTML", [answers(502, 0.3, **HTML)], is_short=True, **OUTAGE),
        Fault("answer: 404 as HTML", [answers(404, 0.3, **HTML)], **OUTAGE),
        Fault("answer: 403 as HTML", [answers(403, 0.3, **HTML)], **OUTAGE),
        Fault("answer: 400 as HTML", [answers(400, 0.3, **HTML)], **OUTAGE),
        Fault("answer: 302 as HTML", [answers(302, 0.3, **HTML)], **OUTAGE),
        Fault("answer: 429 of the project", [answers(429, info="RATE_LIMIT_EXCEEDED", times=5, **later)],
              lasts=1, recovers=40, is_short=True),
        Fault("answer: 429 of the project, HTML", [answers(429, times=5, **HTML, **later)], lasts=1, recovers=40),
        Fault("answer: 429 of devices", [answers(429, code="QUOTA_EXCEEDED", times=50, **later)], lasts=1, recovers=60),
        Fault("answer: 401 once", [answers(401, times=1)], lasts=1, recovers=20, is_short=True),
        Fault("answer: bodies of one byte a frame", [answers(503, 0.3), on("split", bytes=1)], **OUTAGE),
    ]


def token_faults() -> List[Fault]:
    """The token endpoint. A token is in use when the fault begins, so most of these are met by a revoked one."""
    gone = answers(401, times=1)
    return [
        Fault("token: endpoint answers 503", [gone, endpoint(503)], lasts=REFRESH_SECONDS, recovers=30, is_short=True),
        Fault("token: endpoint answers 500 as HTML", [gone, endpoint(500, **HTML)], lasts=REFRESH_SECONDS,
              recovers=30),
        Fault("token: endpoint answers 429", [gone, endpoint(429, **{"retry-after": 1})], lasts=REFRESH_SECONDS,
              recovers=30),
        Fault("token: endpoint answers nonsense", [gone, endpoint(200, message="no JSON")], lasts=REFRESH_SECONDS,
              recovers=30),
        Fault("token: endpoint answers without a token", [gone, endpoint(200, message="{}")], lasts=REFRESH_SECONDS,
              recovers=30),
        Fault("token: service account refused", [gone, refusal("invalid_grant")], lasts=6, stops=True, is_short=True,
              alarm="FCM refuses the credential"),
        Fault("token: scope refused", [gone, refusal("invalid_scope")], lasts=6, stops=True,
              alarm="FCM refuses the credential"),
        Fault("project: permission denied", [answers(403, code="", info="IAM_PERMISSION_DENIED")], lasts=6, stops=True,
              alarm="FCM refuses the credential"),
        Fault("project: not found", [answers(404, code="", info="NOT_FOUND")], lasts=6, stops=True,
              alarm="FCM refuses the credential"),
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
        Fault("SETTINGS: header table 64 KiB", [once("settings", **{"header-table": 65_536})]),
        harmless("unknown"), harmless("junk"),
        broken("hpack-index"), broken("broken-headers"), broken("oversized"), broken("push-promise"),
        broken("bad-settings"), broken("garbage"),
        Fault("TCP: close, TLS says goodbye", [once("close", ending="polite")], excuses=lost),
        Fault("TCP: reset", [once("close", ending="reset")], excuses=lost, is_short=True),
        Fault("TCP: accepted and reset", at("accept", "close", ending="reset"), lasts=2, recovers=15),
        Fault("TCP: reset before SETTINGS", at("open", "close", ending="reset"), lasts=2, recovers=15),
        Fault("TCP: half-open", [once("freeze")], excuses=lost, recovers=60),
        Fault("TLS: the handshake never ends", at("accept", "freeze"), lasts=2, recovers=30),
        Fault("TLS: SETTINGS never come", at("open", "freeze"), lasts=2, recovers=30),
    ]


def faults() -> List[Fault]:
    """All rows."""
    return [*answer_faults(), *token_faults(), *connection_faults()]
