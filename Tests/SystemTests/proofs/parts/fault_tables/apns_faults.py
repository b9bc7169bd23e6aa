"""The faults of APNs that `Tools/prove faults` tries: the rows of its matrix."""
from __future__ import annotations

from typing import Any, Dict, List, Optional

from proofs.parts.fault_tables.fault import Fault, Rule, at, each, harmless, on, once

STREAMS = 40
CONNECTIONS = 4
# The pushes that can be unanswered at a time.
FLIGHT = STREAMS * CONNECTIONS
ANSWER_SECONDS = 3
# Faults of answers, which last for a while.
OUTAGE = {"duration_seconds": 3, "recovery_seconds": 15}


def lost(_: Dict[str, Any]) -> int:
    """Returns the pushes that were unanswered when the connections broke."""
    return FLIGHT


def elsewhere(name: str, *names: str, **options: Any) -> Fault:
    """Other addresses for new connections."""
    return Fault(name, [once("goaway")], names=names, **{"duration_seconds": 2, "recovery_seconds": 15, **options})


# Addresses on which no program listens, and one that never answers.
CLOSED_ADDRESSES, UNANSWERING = ("127.0.0.7", "127.0.0.8"), "127.0.0.9"


def broken(frame: str, **options: Any) -> Fault:
    """Returns a frame after which a client must end the connection."""
    return Fault(f"frame: {frame}", [once("frame", name=frame)], excuses=lost, **options)


def goaway_faults() -> List[Fault]:
    """GOAWAY frames."""
    return [
        Fault("GOAWAY: all, Shutdown", [once("goaway", reason="Shutdown")], is_short=True),
        Fault("GOAWAY: graceful, twice", [once("goaway", form="graceful")]),
        Fault("GOAWAY: some, again and again", [on("goaway", form="some", every=60)], duration_seconds=1,
              is_short=True),
        Fault("GOAWAY: none, at once", at("open", "goaway", form="none", reason="Shutdown"), duration_seconds=2,
              recovery_seconds=15),
        Fault("GOAWAY: said five times", [once("goaway", count=5)]),
        Fault("GOAWAY: ENHANCE_YOUR_CALM", [once("goaway", code="ENHANCE_YOUR_CALM", reason="no JSON \"")]),
        Fault("GOAWAY: then silence", [once("goaway"), once("freeze")], excuses=lost, recovery_seconds=40),
        Fault("GOAWAY: BadCertificateEnvironment",
              at("open", "goaway", form="none", reason="BadCertificateEnvironment"), duration_seconds=8, stops=True,
              is_short=True, alarm="APNs refuses the credential"),
    ]


def stream_faults() -> List[Fault]:
    """Resets, and answers that are late or never come."""
    return [
        Fault("RST: REFUSED_STREAM, 1 in 3", [on("reset", code="REFUSED_STREAM", every=3)], duration_seconds=1,
              is_short=True),
        Fault("RST: REFUSED_STREAM, all", [on("reset", code="REFUSED_STREAM")], duration_seconds=2),
        Fault("RST: CANCEL, 10 %", [on("reset", code="CANCEL", probability=0.1)], duration_seconds=1,
              excuses=each("reset"), is_short=True),
        Fault("RST: INTERNAL_ERROR, all", [on("reset", code="INTERNAL_ERROR")], duration_seconds=2,
              excuses=each("reset")),
        Fault("RST: INTERNAL_ERROR, unprocessed", [on("reset", code="INTERNAL_ERROR", processed=False, every=5)],
              duration_seconds=1),
        Fault("RST: ENHANCE_YOUR_CALM, 10 %", [on("reset", code="ENHANCE_YOUR_CALM", probability=0.1)],
              duration_seconds=1, excuses=each("reset")),
        Fault("stall: 1 in 50, processed", [on("silence", every=50)], duration_seconds=1, excuses=each("silence"),
              is_short=True),
        Fault("stall: 1 in 50, lost", [on("silence", every=50, processed=False)], duration_seconds=1),
        Fault("stall: all", [on("silence")], duration_seconds=2, excuses=each("silence"), recovery_seconds=20),
        Fault("late: up to 0.5 s", [on("delay", min=0, max=500)], duration_seconds=2),
        Fault("late: exponential, 100 ms", [on("delay", mean=100)], duration_seconds=2),
        Fault("late: after our time-out", [on("delay", milliseconds=(ANSWER_SECONDS + 2) * 1000, every=20)],
              duration_seconds=1, excuses=each("delay")),
        Fault("late: in reversed order", [on("reverse", count=20)], duration_seconds=2),
    ]


def frame_faults() -> List[Fault]:
    """SETTINGS, PING, and frames that a client must refuse or ignore."""
    return [
        Fault("SETTINGS: 1 stream", [once("settings", **{"max-streams": 1})], duration_seconds=1,
              remedy=[once("settings", **{"max-streams": STREAMS})], is_short=True),
        Fault("SETTINGS: 0 streams", [once("settings", **{"max-streams": 0})], duration_seconds=2,
              remedy=[once("settings", **{"max-streams": STREAMS})], is_short=True),
        Fault("SETTINGS: 1, 0, 500 streams",
              [once("settings", after=200 * index, **{"max-streams": count})
               for index, count in enumerate((1, 0, 500))], duration_seconds=1),
        Fault("SETTINGS: window 0", [once("settings", window=0)], duration_seconds=1,
              remedy=[once("settings", window=65_535)]),
        Fault("SETTINGS: window 1", [once("settings", window=1)], duration_seconds=1,
              remedy=[once("settings", window=65_535)]),
        Fault("SETTINGS: window 0 for long", [once("settings", window=0)], duration_seconds=ANSWER_SECONDS + 2,
              remedy=[once("settings", window=65_535)]),
        Fault("SETTINGS: frames of 16 MB", [once("settings", **{"max-frame": 0xFFFFFF})]),
        Fault("SETTINGS: header table 0", [once("settings", **{"header-table": 0})]),
        Fault("SETTINGS: header table 64 KiB, unknown", [once("settings", unknown=1, **{"header-table": 65_536})]),
        Fault("answer: bodies of one byte a frame", [{"status": 503, "probability": 0.3}, on("split", bytes=1)],
              **OUTAGE),
        harmless("unknown"), harmless("junk"), broken("settings-frames"),
        broken("hpack-index", is_short=True), broken("hpack-padding"), broken("hpack-table"), broken("broken-headers"),
        broken("continuations"), broken("oversized"), broken("data-on-connection"), broken("strange-stream"),
        broken("push-promise"), broken("empty-window"), broken("huge-window"), broken("bad-settings"),
        broken("many-settings"), broken("idle-reset"), broken("garbage"),
        Fault("PING: never answered", [once("ignore-pings"), on("silence", times=STREAMS)], duration_seconds=2,
              excuses=each("silence"), recovery_seconds=20),
        Fault("PING: 50 at once", [once("pings", count=50)]),
        Fault("PING: 5000 at once", [once("pings", count=5000)], excuses=lost),
    ]


def connection_faults() -> List[Fault]:
    """Closed and reset connections, names and addresses."""
    return [
        Fault("TCP: close, TLS says goodbye", [once("close", ending="polite")], excuses=lost, is_short=True),
        Fault("TCP: close without a word", [once("close", ending="fin")], excuses=lost),
        Fault("TCP: reset", [once("close", ending="reset")], excuses=lost, is_short=True),
        Fault("TCP: reset, again and again", [on("close", ending="reset", every=50)], duration_seconds=1,
              excuses=lambda stats: stats["faults"].get("close", 0) * STREAMS),
        Fault("TCP: accepted and reset", at("accept", "close", ending="reset"), duration_seconds=2,
              recovery_seconds=15),
        Fault("TCP: reset before SETTINGS", at("open", "close", ending="reset"), duration_seconds=2,
              recovery_seconds=15),
        # One push ends each connection that carries it: two with all their streams in use, and then the isolated one,
        # with at most seven other pushes.
        Fault("TCP: one push resets its connection", [on("close", ending="reset", prefix="dead", processed=False)],
              duration_seconds=3, excuses=lambda stats: 2 * STREAMS + 7, is_short=True),
        elsewhere("DNS: the name does not resolve", alarm="DNS: "),
        elsewhere("DNS: other addresses", "127.0.0.2", "::1", is_everywhere=True, is_short=True),
        elsewhere("DNS: no address of it is right", *CLOSED_ADDRESSES, "::1", alarm="cannot connect to APNs"),
        elsewhere("connect: refused", CLOSED_ADDRESSES[0], is_short=True, alarm="refused"),
        elsewhere("connect: refused by three of four", *CLOSED_ADDRESSES, "::1", "127.0.0.1"),
        elsewhere("connect: no way there", "255.255.255.255", alarm="cannot connect to APNs"),
        elsewhere("connect: never answered", UNANSWERING, duration_seconds=4),
        elsewhere("connect: never answered by one of two", UNANSWERING, "127.0.0.1"),
        Fault("TCP: half-open", [once("freeze")], excuses=lost, recovery_seconds=25),
        Fault("TCP: 2000 bytes read a second", [once("slow-read", rate=2000)], duration_seconds=ANSWER_SECONDS + 3,
              excuses=lost, recovery_seconds=20),
    ]


def tls_faults(keys: Any) -> List[Fault]:
    """TLS; certificates are files of `keys`."""

    def certificate(name: str) -> Rule:
        return {"certificate": keys.path(name + ".pem"), "key": keys.path(name + ".key")}

    def handshake(name: str, *, recovery_seconds: float = 15, alarm: Optional[str] = None, is_short: bool = False,
                  **keys: Any) -> Fault:
        return Fault(f"TLS: {name}", at("accept", "tls", **keys), duration_seconds=2, recovery_seconds=recovery_seconds,
                     alarm=alarm, is_short=is_short)

    return [
        handshake("wrong name", alarm="certificate", **certificate("misnamed")),
        handshake("expired", alarm="certificate", **certificate("expired")),
        handshake("unknown authority", alarm="certificate", is_short=True, **certificate("untrusted")),
        handshake("no ALPN", protocols=[]), handshake("other ALPN", protocols=["http/1.1"]),
        handshake("1.1 only", hello="tls-1.1"), handshake("alert", hello="alert"),
        handshake("garbage", hello="garbage"),
        Fault("TLS: the handshake never ends", at("accept", "freeze"), duration_seconds=2, recovery_seconds=25),
        Fault("TLS: SETTINGS never come", at("open", "freeze"), duration_seconds=2, recovery_seconds=20),
    ]


def answer_faults() -> List[Fault]:
    """Refused pushes, and wrong clocks."""
    return [
        Fault("answer: 503, all", [{"status": 503}], is_short=True, **OUTAGE),
        Fault("answer: 503, half, Retry-After 2", [{"status": 503, "probability": 0.5, "retry-after": 2}], **OUTAGE),
        Fault("answer: 500, all, Retry-After is junk", [{"status": 500, "retry-after": "soon"}], **OUTAGE),
        Fault("answer: 500, 1 in 50", [{"status": 500, "every": 50}], **OUTAGE),
        Fault("answer: 429, half", [{"status": 429, "probability": 0.5}], duration_seconds=1, recovery_seconds=45),
        Fault("clock: a fresh token has expired", [on("skew", seconds=4000)], duration_seconds=2, recovery_seconds=20),
        Fault("clock: iat in the future", [on("skew", seconds=-1000)], duration_seconds=2, recovery_seconds=20),
    ]


def faults(keys: Any) -> List[Fault]:
    """Returns all rows of the matrix."""
    return [*goaway_faults(), *stream_faults(), *frame_faults(), *connection_faults(), *tls_faults(keys),
            *answer_faults()]
