"""The faults of HTTP/2 connections that FCM and push services share: rows of two matrices."""
from __future__ import annotations

from typing import Any, Dict, List

from proofs.parts.fault_tables.fault import Fault, at, each, harmless, on, once

STREAMS, CONNECTIONS = 100, 3


def lost(_: Dict[str, Any]) -> int:
    """Returns the messages that were unanswered when the connections broke."""
    return STREAMS * CONNECTIONS


def connection_faults(*, reconnection_seconds: float, handshake_seconds: float) -> List[Fault]:
    """GOAWAY, resets, silence, and frames that a client must refuse or ignore.

    The recovery from refused connections may take `reconnection_seconds`, that from handshakes that never end
    `handshake_seconds`.
    """
    def broken(frame: str) -> Fault:
        return Fault(f"frame: {frame}", [once("frame", name=frame)], excuses=lost)

    return [
        Fault("GOAWAY: session_timed_out", [once("goaway", reason="session_timed_out")], is_short=True),
        Fault("GOAWAY: graceful, twice", [once("goaway", form="graceful")]),
        Fault("GOAWAY: some, again and again", [on("goaway", form="some", every=60)], duration_seconds=1),
        Fault("GOAWAY: none, at once", at("open", "goaway", form="none"), duration_seconds=2, recovery_seconds=15),
        Fault("GOAWAY: ENHANCE_YOUR_CALM", [once("goaway", code="ENHANCE_YOUR_CALM", reason="too_many_pings")]),
        Fault("RST: REFUSED_STREAM, 1 in 3", [on("reset", code="REFUSED_STREAM", every=3)], duration_seconds=1,
              is_short=True),
        Fault("RST: REFUSED_STREAM, all", [on("reset", code="REFUSED_STREAM")], duration_seconds=2,
              recovery_seconds=40),
        Fault("RST: CANCEL, 10 %", [on("reset", code="CANCEL", probability=0.1)], duration_seconds=1,
              excuses=each("reset"), recovery_seconds=20),
        Fault("RST: INTERNAL_ERROR, all", [on("reset", code="INTERNAL_ERROR")], duration_seconds=2,
              excuses=each("reset"), recovery_seconds=20),
        Fault("stall: 1 in 50, processed", [on("silence", every=50)], duration_seconds=1, excuses=each("silence"),
              recovery_seconds=30),
        Fault("stall: 1 in 50, lost", [on("silence", every=50, processed=False)], duration_seconds=1,
              recovery_seconds=30),
        Fault("late: up to 0.5 s", [on("delay", min=0, max=500)], duration_seconds=2),
        Fault("late: in reversed order", [on("reverse", count=20)], duration_seconds=2),
        Fault("SETTINGS: 1 stream", [once("settings", **{"max-streams": 1})], duration_seconds=1,
              remedy=[once("settings", **{"max-streams": 100})]),
        Fault("SETTINGS: 0 streams", [once("settings", **{"max-streams": 0})], duration_seconds=2,
              remedy=[once("settings", **{"max-streams": 100})]),
        Fault("SETTINGS: window 0", [once("settings", window=0)], duration_seconds=1,
              remedy=[once("settings", window=65_535)]),
        Fault("SETTINGS: header table 0", [once("settings", **{"header-table": 0})]),
        harmless("unknown"), harmless("junk"),
        broken("hpack-index"), broken("broken-headers"), broken("oversized"), broken("push-promise"),
        broken("bad-settings"), broken("garbage"),
        Fault("TCP: close, TLS says goodbye", [once("close", ending="polite")], excuses=lost),
        Fault("TCP: reset", [once("close", ending="reset")], excuses=lost, is_short=True),
        Fault("TCP: accepted and reset", at("accept", "close", ending="reset"), duration_seconds=2,
              recovery_seconds=reconnection_seconds),
        Fault("TCP: reset before SETTINGS", at("open", "close", ending="reset"), duration_seconds=2,
              recovery_seconds=reconnection_seconds),
        Fault("TCP: half-open", [once("freeze")], excuses=lost, recovery_seconds=60),
        Fault("TLS: the handshake never ends", at("accept", "freeze"), duration_seconds=2,
              recovery_seconds=handshake_seconds),
        Fault("TLS: SETTINGS never come", at("open", "freeze"), duration_seconds=2, recovery_seconds=handshake_seconds),
    ]
