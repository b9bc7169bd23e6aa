"""Every fault of APNs at three moments: a real carillond pushes to a real apns-simulator that misbehaves.

Each cell proves: every device gets the message and its outcome is `delivered`; the number of duplicates is within what
the fault allows; the server never violates HTTP/2; it neither ends nor connects too often; and after the fault the rest
is delivered within a bounded time. Started by Tools/prove faults.
"""
from __future__ import annotations

import argparse
import os
import sys
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional, Sequence

from support.deployment import APP, Deployment, carillon, eventually
from support.environment import require
from support.raw_connection import DeafPort

DEVICES = 800
STREAMS = 40
CONNECTIONS = 4
# The pushes that can be unanswered at a time.
FLIGHT = STREAMS * CONNECTIONS
DELAY_MS = 60
ANSWER_SECONDS = 3
MOMENTS = ("idle", "mid-batch", "draining")
PAYLOAD = {"aps": {"alert": "hello"}, "filler": "x" * 1000}
# Seconds from SIGTERM to the exit: the server waits up to 20 s for pushes in flight.
DRAIN_SECONDS = 30
# All limits on time are so many times longer in the short form, which runs beside other programs.
SMOKE_SLACK = 8

# The limit on the server's memory: three times its memory at rest.
MEMORY_MIB = 128

Line = Dict[str, Any]


@dataclass
class Fault:
    """A row of the matrix."""

    name: str
    lines: List[Line]
    # The duration in seconds; 0 for a single event.
    lasts: float = 0
    # Rules that end the fault.
    remedy: List[Line] = field(default_factory=list)
    # The allowed number of duplicates, from the simulator's counters.
    excuses: Callable[[Dict[str, Any]], int] = lambda stats: 0
    # The limit in seconds from the end of the fault to the last outcome.
    recovers: float = 10
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


@dataclass
class Cell:
    """A fault at one moment, and its results."""

    fault: Fault
    moment: str
    problem: Optional[str] = None
    seconds: float = 0
    duplicates: int = 0
    excused: int = 0
    dials: int = 0
    met: int = 0
    memory: int = 0


def once(fault: str, /, **keys: Any) -> Line:
    """A fault on all open connections, at once."""
    return {"fault": fault, "at": "now", **keys}


def at(moment: str, fault: str, /, **keys: Any) -> List[Line]:
    """A fault of new connections; the open ones get a GOAWAY, so that new ones are made."""
    return [{"fault": fault, "at": moment, **keys}, once("goaway")]


def on(fault: str, /, **keys: Any) -> Line:
    """A fault of requests."""
    return {"fault": fault, **keys}


def lost(_: Dict[str, Any]) -> int:
    """The pushes that were unanswered when the connections broke."""
    return FLIGHT


def each(name: str) -> Callable[[Dict[str, Any]], int]:
    """One duplicate for each request that was processed and not answered."""
    return lambda stats: stats["faults"].get(name, 0)


def elsewhere(name: str, *names: str, **options: Any) -> Fault:
    """Other addresses for new connections."""
    return Fault(name, [once("goaway")], names=names, **{"lasts": 2, "recovers": 15, **options})


# No program listens on the first addresses; the second never answers.
CLOSED_ADDRESSES, DEAF = ("127.0.0.7", "127.0.0.8"), "127.0.0.9"


def broken(frame: str, **options: Any) -> Fault:
    """A frame after which a client must end the connection."""
    return Fault(f"frame: {frame}", [once("frame", name=frame)], excuses=lost, **options)


def harmless(frame: str) -> Fault:
    """A frame that a client must ignore."""
    return Fault(f"frame: {frame}", [once("frame", name=frame)])


def faults(keys: Any) -> List[Fault]:
    """The rows of the matrix; certificates are files of `keys`."""

    def certificate(name: str) -> Line:
        return {"certificate": keys.path(name + ".pem"), "key": keys.path(name + ".key")}

    def handshake(name: str, *, recovers: float = 15, alarm: Optional[str] = None, is_short: bool = False,
                  **keys: Any) -> Fault:
        return Fault(f"TLS: {name}", at("accept", "tls", **keys), lasts=2, recovers=recovers, alarm=alarm,
                     is_short=is_short)

    storm = {"lasts": 3, "recovers": 15}
    return [
        Fault("GOAWAY: all, Shutdown", [once("goaway", reason="Shutdown")], is_short=True),
        Fault("GOAWAY: graceful, twice", [once("goaway", form="graceful")]),
        Fault("GOAWAY: some, again and again", [on("goaway", form="some", every=60)], lasts=1, is_short=True),
        Fault("GOAWAY: none, at once", at("open", "goaway", form="none", reason="Shutdown"), lasts=2, recovers=15),
        Fault("GOAWAY: said five times", [once("goaway", count=5)]),
        Fault("GOAWAY: ENHANCE_YOUR_CALM", [once("goaway", code="ENHANCE_YOUR_CALM", reason="no JSON \"")]),
        Fault("GOAWAY: then silence", [once("goaway"), once("freeze")], excuses=lost, recovers=40),
        Fault("GOAWAY: BadCertificateEnvironment",
              at("open", "goaway", form="none", reason="BadCertificateEnvironment"), lasts=2, stops=True, is_short=True,
              alarm="APNs refuses the credential"),
        Fault("RST: REFUSED_STREAM, 1 in 3", [on("reset", code="REFUSED_STREAM", every=3)], lasts=1, is_short=True),
        Fault("RST: REFUSED_STREAM, all", [on("reset", code="REFUSED_STREAM")], lasts=2),
        Fault("RST: CANCEL, 10 %", [on("reset", code="CANCEL", probability=0.1)], lasts=1, excuses=each("reset"),
              is_short=True),
        Fault("RST: INTERNAL_ERROR, all", [on("reset", code="INTERNAL_ERROR")], lasts=2, excuses=each("reset")),
        Fault("RST: INTERNAL_ERROR, unprocessed", [on("reset", code="INTERNAL_ERROR", processed=False, every=5)],
              lasts=1),
        Fault("RST: ENHANCE_YOUR_CALM, 10 %", [on("reset", code="ENHANCE_YOUR_CALM", probability=0.1)], lasts=1,
              excuses=each("reset")),
        Fault("stall: 1 in 50, processed", [on("silence", every=50)], lasts=1, excuses=each("silence"), is_short=True),
        Fault("stall: 1 in 50, lost", [on("silence", every=50, processed=False)], lasts=1),
        Fault("stall: all", [on("silence")], lasts=2, excuses=each("silence"), recovers=20),
        Fault("late: up to 0.5 s", [on("delay", min=0, max=500)], lasts=2),
        Fault("late: exponential, 100 ms", [on("delay", mean=100)], lasts=2),
        Fault("late: after our time-out", [on("delay", milliseconds=(ANSWER_SECONDS + 2) * 1000, every=20)], lasts=1,
              excuses=each("delay")),
        Fault("late: in reversed order", [on("reverse", count=20)], lasts=2),
        Fault("SETTINGS: 1 stream", [once("settings", **{"max-streams": 1})], lasts=1,
              remedy=[once("settings", **{"max-streams": STREAMS})], is_short=True),
        Fault("SETTINGS: 0 streams", [once("settings", **{"max-streams": 0})], lasts=2,
              remedy=[once("settings", **{"max-streams": STREAMS})], is_short=True),
        Fault("SETTINGS: 1, 0, 500 streams",
              [once("settings", after=200 * index, **{"max-streams": count})
               for index, count in enumerate((1, 0, 500))], lasts=1),
        Fault("SETTINGS: window 0", [once("settings", window=0)], lasts=1, remedy=[once("settings", window=65_535)]),
        Fault("SETTINGS: window 1", [once("settings", window=1)], lasts=1, remedy=[once("settings", window=65_535)]),
        Fault("SETTINGS: window 0 for long", [once("settings", window=0)], lasts=ANSWER_SECONDS + 2,
              remedy=[once("settings", window=65_535)]),
        Fault("SETTINGS: frames of 16 MB", [once("settings", **{"max-frame": 0xFFFFFF})]),
        Fault("SETTINGS: header table 0", [once("settings", **{"header-table": 0})]),
        Fault("SETTINGS: header table 64 KiB, unknown", [once("settings", unknown=1, **{"header-table": 65_536})]),
        Fault("answer: bodies of one byte a frame", [{"status": 503, "probability": 0.3}, on("split", bytes=1)],
              **storm),
        harmless("unknown"), harmless("junk"), broken("settings-flood"),
        broken("hpack-index", is_short=True), broken("hpack-padding"), broken("hpack-table"), broken("broken-headers"),
        broken("continuations"), broken("oversized"), broken("data-on-connection"), broken("strange-stream"),
        broken("push-promise"), broken("empty-window"), broken("huge-window"), broken("bad-settings"),
        broken("many-settings"), broken("idle-reset"), broken("garbage"),
        Fault("PING: never answered", [once("ignore-pings"), on("silence", times=STREAMS)], lasts=2,
              excuses=each("silence"), recovers=20),
        Fault("PING: 50 at once", [once("pings", count=50)]),
        Fault("PING: 5000 at once", [once("pings", count=5000)], excuses=lost),
        Fault("TCP: close, TLS says goodbye", [once("close", ending="polite")], excuses=lost, is_short=True),
        Fault("TCP: close without a word", [once("close", ending="fin")], excuses=lost),
        Fault("TCP: reset", [once("close", ending="reset")], excuses=lost, is_short=True),
        Fault("TCP: reset, again and again", [on("close", ending="reset", every=50)], lasts=1,
              excuses=lambda stats: stats["faults"].get("close", 0) * STREAMS),
        Fault("TCP: accepted and reset", at("accept", "close", ending="reset"), lasts=2, recovers=15),
        Fault("TCP: reset before SETTINGS", at("open", "close", ending="reset"), lasts=2, recovers=15),
        # The fault applies to one push. Every other push can be duplicated at most twice, and seven of them once more.
        Fault("TCP: one push resets its connection", [on("close", ending="reset", prefix="dead", processed=False)],
              lasts=3, excuses=lambda stats: 2 * STREAMS + 7, is_short=True),
        elsewhere("DNS: the name does not resolve", alarm="DNS: "),
        elsewhere("DNS: other addresses", "127.0.0.2", "::1", is_everywhere=True, is_short=True),
        elsewhere("DNS: no address of it is right", *CLOSED_ADDRESSES, "::1", alarm="cannot connect to APNs"),
        elsewhere("connect: refused", CLOSED_ADDRESSES[0], is_short=True, alarm="refused"),
        elsewhere("connect: refused by three of four", *CLOSED_ADDRESSES, "::1", "127.0.0.1"),
        elsewhere("connect: no way there", "255.255.255.255", alarm="cannot connect to APNs"),
        elsewhere("connect: never answered", DEAF, lasts=4),
        elsewhere("connect: never answered by one of two", DEAF, "127.0.0.1"),
        Fault("TCP: half-open", [once("freeze")], excuses=lost, recovers=25),
        Fault("TCP: 2000 bytes read a second", [once("slow-read", rate=2000)], lasts=ANSWER_SECONDS + 3, excuses=lost,
              recovers=20),
        handshake("wrong name", alarm="certificate", **certificate("misnamed")),
        handshake("expired", alarm="certificate", **certificate("expired")),
        handshake("unknown authority", alarm="certificate", is_short=True, **certificate("untrusted")),
        handshake("no ALPN", protocols=[]), handshake("other ALPN", protocols=["http/1.1"]),
        handshake("1.1 only", hello="tls-1.1"), handshake("alert", hello="alert"),
        handshake("garbage", hello="garbage"),
        Fault("TLS: the handshake never ends", at("accept", "freeze"), lasts=2, recovers=25),
        Fault("TLS: SETTINGS never come", at("open", "freeze"), lasts=2, recovers=20),
        Fault("storm: 503, all", [{"status": 503}], is_short=True, **storm),
        Fault("storm: 503, half, Retry-After 2", [{"status": 503, "probability": 0.5, "retry-after": 2}], **storm),
        Fault("storm: 500, all, Retry-After is junk", [{"status": 500, "retry-after": "soon"}], **storm),
        Fault("storm: 500, 1 in 50", [{"status": 500, "every": 50}], **storm),
        Fault("storm: 429, half", [{"status": 429, "probability": 0.5}], lasts=1, recovers=45),
        Fault("clock: a fresh token has expired", [on("skew", seconds=4000)], lasts=2, recovers=20),
        Fault("clock: iat in the future", [on("skew", seconds=-1000)], lasts=2, recovers=20),
    ]


class Row:
    """Runs one fault in a deployment of its own."""

    def __init__(self, index: int, moments: List[str], slack: float) -> None:
        self.index = index
        self.moments = moments
        # By how much the limits on time are longer.
        self.slack = slack
        self.cells: List[Cell] = []

    def run(self) -> List[Cell]:
        """Runs the cells of all moments; after a failed cell the rest is skipped."""
        try:
            home = ["127.0.0.1"] if faults(NoKeys())[self.index].names is not None else None
            with Deployment(simulator=None, flags=None, names=home) as self.deployment:
                make_certificates(self.deployment.keys)
                self.fault = faults(self.deployment.keys)[self.index]
                self.deployment.start_simulator("--delay", str(DELAY_MS), "--max-streams", str(STREAMS), "--quiet",
                                                "--host", "::" if self.fault.is_everywhere else "127.0.0.1")
                deaf = DeafPort(DEAF, self.deployment.simulator.port) if DEAF in (self.fault.names or ()) else None
                self._start()
                self._register()
                for moment in self.moments:
                    self._try(moment)
                if deaf:
                    deaf.close()
        except Exception:
            if not self.cells:
                raise
            if self.cells[-1].problem is None:
                self.cells[-1].problem = traceback.format_exc().splitlines()[-1]
        return self.cells

    def _try(self, moment: str, tries: int = 3) -> None:
        """Runs a cell again if the message ended before the fault began: this program shares the machine, and
        such a cell shows nothing."""
        try:
            self._cell(moment)
        except Missed:
            if tries == 1:
                raise
            self.cells.pop()
            self._try(moment, tries - 1)

    def _start(self) -> None:
        self.deployment.start("--apns-connections", str(CONNECTIONS), "--apns-answer-seconds", str(ANSWER_SECONDS))

    def _register(self) -> None:
        self.tokens = [b"\x01" + os.urandom(31) for _ in range(DEVICES - 1)]
        # A token with a prefix that a fault can match; no other token has it.
        self.tokens.insert(DEVICES // 2, b"\xde\xad" + os.urandom(30))
        now = int(time.time() * 1000)
        with self.deployment.client() as client:
            results = client.register_batch([{"app": APP, "token": token, "seen_at": now} for token in self.tokens])
            require(not any("error" in result for result in results), "devices are refused")
            warm = self._send(client, self.tokens[:1])
            self._finish(client, warm, 1, 10 * self.slack)

    def _send(self, client: carillon.Client, tokens: List[bytes]) -> int:
        return client.send(APP, tokens, PAYLOAD, lane="bulk")["message_id"]

    def _cell(self, moment: str) -> None:
        cell = Cell(self.fault, moment)
        self.cells.append(cell)
        simulator = self.deployment.simulator
        simulator.ask("reset")
        dialled = simulator.stats()["connections-ever"]
        logged = len(self.deployment.log())
        began = time.monotonic()
        ended = self._meet(cell)
        try:
            with self.deployment.client(timeout=60) as client:
                self._finish(client, self.message, DEVICES, self.fault.recovers * self.slack)
        finally:
            stats = simulator.stats()
            cell.seconds = time.monotonic() - ended
            cell.duplicates, cell.excused = stats["duplicates"], self.fault.excuses(stats)
            cell.dials = stats["connections-ever"] - dialled
            cell.met = sum(stats["faults"].values()) + sum(stats["rejected"].values())
            cell.memory = self.deployment.resident_bytes >> 20
        if self._unmet(stats):
            raise Missed(f"the fault was never met: {self._unmet(stats)}")
        require(stats["devices"] == DEVICES, f"{stats['devices']} of {DEVICES} devices have the message")
        require(cell.duplicates <= cell.excused, f"{cell.duplicates} duplicates, {cell.excused} are excused")
        require(cell.memory < MEMORY_MIB, f"{cell.memory} MiB of memory")
        require(stats["violations"] == 0, "the server violated HTTP/2")
        most = 2 * CONNECTIONS + 4 * (time.monotonic() - began)
        require(cell.dials <= most, f"{cell.dials} connections in {time.monotonic() - began:.0f} s")
        if self.fault.alarm and moment != "draining":
            require(self.fault.alarm in self.deployment.log()[logged:],
                    f"the log does not speak of it: {self.fault.alarm}")

    def _meet(self, cell: Cell) -> float:
        """Sends, starts the fault at its moment, waits until it is over, and returns the time of its end."""
        with self.deployment.client() as client:
            if cell.moment == "idle":
                self._begin(self.fault.lines)
                time.sleep(0.1)
                self.message = self._send(client, self.tokens)
            else:
                self.message = self._send(client, self.tokens)
                self.deployment.simulator.ask(f"wait {DEVICES // 4}", 30 * self.slack)
                if cell.moment == "mid-batch":
                    self._begin(self.fault.lines)
        if cell.moment == "draining":
            self._drain_during_fault()
        else:
            time.sleep(self.fault.lasts)
            self._insist()
            if self.fault.stops:
                with self.deployment.client() as client:
                    state = client.message_status(APP, self.message)["state"]
                    require(state != "finished", "a refused credential sends")
                self._drain()
        self._end()
        ended = time.monotonic()
        if not self.deployment.is_alive:
            require(cell.moment == "draining" or self.fault.stops, "the server is gone")
            self._start()
        return ended

    def _begin(self, lines: Sequence[Line]) -> None:
        if self.fault.names is not None:
            self.deployment.set_names(*self.fault.names)
        self.deployment.simulator.rule(*lines)

    def _insist(self) -> None:
        """Sends a GOAWAY to the connections that were being made when the fault began: they can have taken all
        the pushes."""
        moments = {line.get("at") for line in self.fault.lines}
        if moments & {"accept", "open"} and self._unmet(self.deployment.simulator.stats()):
            self.deployment.simulator.rule(once("goaway"))
            time.sleep(self.fault.lasts)

    def _unmet(self, stats: Dict[str, Any]) -> List[str]:
        """The names of the rules that no connection or push has met yet."""
        counts = {**stats["faults"], "status": sum(stats["rejected"].values())}
        names = [line.get("fault", "status") for line in self.fault.lines]
        return [name for name in names if counts.get(name, 0) < names.count(name)]

    def _drain_during_fault(self) -> None:
        """Drains during the fault. Faults of new connections happen before SIGTERM; faults of requests during
        the pushes in flight; the others right after SIGTERM."""
        moments = {line.get("at", "request") for line in self.fault.lines}
        if moments & {"accept", "open"}:
            self._begin(self.fault.lines)
            eventually(lambda: not self._unmet(self.deployment.simulator.stats()), "a new connection meets the fault",
                       5)
            return self._drain()
        self._begin([line for line in self.fault.lines if line.get("at") != "now"])
        end = time.monotonic() + 1
        while "request" in moments and self._unmet(self.deployment.simulator.stats()) and time.monotonic() < end:
            time.sleep(DELAY_MS / 1000)
        self._drain([line for line in self.fault.lines if line.get("at") == "now"])

    def _drain(self, lines: Sequence[Line] = ()) -> None:
        process = self.deployment.server
        process.terminate()
        self.deployment.simulator.rule(*lines)
        require(process.wait(DRAIN_SECONDS * self.slack) == 0, "the server did not exit 0")

    def _end(self) -> None:
        if self.fault.names is not None:
            self.deployment.set_names("127.0.0.1")
        self.deployment.simulator.ask("calm")
        self.deployment.simulator.rule(*self.fault.remedy)

    def _finish(self, client: carillon.Client, message: int, count: int, timeout: float) -> None:
        last: Dict[str, Any] = {}

        def is_finished() -> bool:
            last.update(client.message_status(APP, message))
            return last["state"] == "finished"

        try:
            eventually(is_finished, "the message is finished", timeout)
        except AssertionError as error:
            raise AssertionError(f"{error}: {last.get('outcomes')}") from None
        require(last["outcomes"] == {"delivered": count}, f"the outcomes are {last['outcomes']}")


class Missed(AssertionError):
    """No connection or push met the fault."""


def make_certificates(keys: Any) -> None:
    """Makes certificates that a client must not accept."""
    keys.authority("unknown-authority")
    keys.certificate("untrusted", "subjectAltName=DNS:localhost", authority="unknown-authority")
    keys.certificate("expired", "subjectAltName=DNS:localhost", days=(-3, -1))
    keys.certificate("misnamed", "subjectAltName=DNS:elsewhere.example.com")


class NoKeys:
    """A replacement for `Keys` where only the names of the faults matter."""

    def path(self, name: str) -> str:
        """Returns the name as a path."""
        return name


def table_row(cell: Cell) -> str:
    """A line of the table."""
    verdict = "ok" if cell.problem is None else "FAILED " + cell.problem
    return (f"{cell.fault.name:<40} {cell.moment:<10} {cell.seconds:6.1f} {cell.duplicates:5d} {cell.excused:6d}"
            f" {cell.dials:7d} {cell.met:7d}  {verdict}")


def main() -> int:
    """Runs the matrix and returns the exit code: 0 if every cell passed."""
    parser = argparse.ArgumentParser(prog="Tools/prove faults", description=__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="some of the faults, within a minute")
    parser.add_argument("--jobs", type=int, default=6, help="deployments at a time (%(default)s)")
    parser.add_argument("--moment", choices=MOMENTS, action="append", help="only at this moment; repeatable")
    parser.add_argument("faults", nargs="*", help="only faults whose names contain one of these")
    options = parser.parse_args()
    slack = SMOKE_SLACK if options.smoke else 1
    rows = [Row(index, options.moment or list(MOMENTS), slack) for index, fault in enumerate(faults(NoKeys()))
            if (not options.faults or any(part in fault.name for part in options.faults))
            and (fault.is_short or not options.smoke)]
    print(f"{'fault':<40} {'moment':<10} {'after':>6} {'twice':>5} {'excuse':>6} {'dialled':>7} {'met':>7}")
    cells: List[Cell] = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for row in pool.map(Row.run, rows):
            cells += row
            for cell in row:
                print(table_row(cell), flush=True)
    failed = sum(cell.problem is not None for cell in cells)
    expected = sum(len(row.moments) for row in rows)
    print(f"RESULT faults.cells {expected}")
    print(f"RESULT faults.slowest_s {max((cell.seconds for cell in cells), default=0):.1f}")
    print(f"RESULT faults.most_memory_mib {max((cell.memory for cell in cells), default=0)}")
    print(f"RESULT faults.failed {failed + expected - len(cells)}")
    return 1 if failed or len(cells) < expected or not cells else 0


if __name__ == "__main__":
    sys.exit(main())
