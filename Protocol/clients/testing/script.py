"""One connection of the fake server: plays the steps of a script and judges what the client sends."""
from __future__ import annotations

import socket
import ssl
import struct
import time
from typing import Any, Dict, List, Optional, Set

import wire
from play import Play
from vectors import mismatch, zero_fields

# The key of the client, unless a step says otherwise.
KEY = "test-key"
EPOCH = "00112233445566778899aabbccddeeff"
# Milliseconds that a client may be early, because two processes read the clock.
TOLERANCE_MS = 5
# Length, kind, flags and opcode of a PING.
PING_START = bytes.fromhex("0000000805000003")
HELLO = {
    "software": "fake/1.0", "epoch": EPOCH, "clock": "1790000000000", "frame_limit": 1 << 20, "in_flight_limit": 1024,
    "batch_limit": 1000, "keepalive_ms": 30_000, "ping_interval_ms": 10_000, "idempotency_window_s": 86_400,
    "authenticated": 0,
    "opcodes": [{"opcode": opcode, "lowest": 1, "highest": 1} for opcode in sorted(wire.BY_OPCODE)]}


class DeviationError(Exception):
    """The client has not done what the step expects."""


class Script:
    """The steps of one connection; `run` plays them in a thread of its own."""

    def __init__(self, play: Play, connected: socket.socket, tls: Optional[ssl.SSLContext], *, server: str,
                 number: int, script: Dict[str, Any]) -> None:
        self.play, self.socket, self.tls = play, connected, tls
        self.server, self.number, self.script = server, number, script
        self.incoming = bytearray()
        self.has_ended = False
        self.last_id = 0
        self.frame_limit = 4096
        self.in_flight_limit = 1
        self.ping_interval_ms = 0
        self.outstanding: Set[int] = set()
        self.last_ping: Optional[float] = None

    def run(self) -> None:
        """Plays the script. The first deviation ends the connection."""
        step: Any = "connect"
        try:
            self._check_time(self.script)
            self._begin_tls(self.script["steps"])
            for step in self.script["steps"]:
                self._run_step(step)
            step = "after the last step"
            self._run_after_end()
        except (DeviationError, wire.MalformedError, KeyError, ValueError, OSError) as error:
            text = str(error) if isinstance(error, DeviationError) else repr(error)
            self.play.fail(server=self.server, connection=self.number, step=_short(step), text=text)
        finally:
            self._close()

    def _close(self) -> None:
        try:
            if isinstance(self.socket, ssl.SSLSocket):
                self.socket.settimeout(0.2)
                self.socket.unwrap()
        except (OSError, ValueError):
            pass
        self.socket.close()

    def _begin_tls(self, steps: List[Dict[str, Any]]) -> None:
        if self.socket.family != socket.AF_UNIX:
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.settimeout(self.play.limit)
        if self.tls is None:
            return
        if steps and steps[0].get("expect") == "handshake_failure":
            try:
                self.socket = self.tls.wrap_socket(self.socket, server_side=True)
                if self.socket.recv(1) == b"":  # TLS 1.3: the alert can come after the server's part of the handshake
                    self.has_ended = True
            except OSError:
                self.has_ended = True
            if self.has_ended:
                return
            raise DeviationError("the client has accepted the server's certificate")
        self.socket = self.tls.wrap_socket(self.socket, server_side=True)
        if self.socket.selected_alpn_protocol() != "carillon/1":
            raise DeviationError(f"ALPN carillon/1 was expected, {self.socket.selected_alpn_protocol()} came")

    def _run_step(self, step: Dict[str, Any]) -> None:
        # The time before a frame is sent: whatever the client does because of it comes later.
        if "mark" in step and "expect" not in step:
            self.play.mark(step["mark"])
        if "expect" in step:
            self._expect(step)
        elif "send" in step:
            self._send(step)
        else:
            self._do(step)
        if "mark" in step and "expect" in step:
            self.play.mark(step["mark"])

    def _check_time(self, step: Dict[str, Any]) -> None:
        if "not_before" not in step:
            return
        since = self.play.milliseconds_since(step["not_before"]["mark"])
        if since is None or since + TOLERANCE_MS < step["not_before"]["ms"]:
            raise DeviationError(f"{step['not_before']['ms']} ms after {step['not_before']['mark']} at the earliest, "
                            f"it was after {since} ms")

    # Receiving

    def _receive(self, timeout: float) -> bool:
        """Waits for more bytes; False if there are none in time, or the client has closed."""
        self.socket.settimeout(max(timeout, 0.001))
        try:
            piece = self.socket.recv(1 << 16)
        except (socket.timeout, ssl.SSLWantReadError):
            return False
        except (ConnectionError, ssl.SSLError):
            piece = b""
        self.has_ended = not piece
        self.incoming += piece
        self._answer_pings()
        return bool(piece)

    def _answer_pings(self) -> None:
        """Answers PINGs that nothing expects, if the script says so."""
        size = wire.HEADER.size + 8
        while self.script.get("pings") == "answer" and self.incoming[:8] == PING_START and len(self.incoming) >= size:
            data = self.incoming[wire.HEADER.size:size].hex()
            del self.incoming[:size]
            if not self.has_ended:
                self.socket.sendall(wire.encode("server", "ping", {"data": data}, flags=wire.ACK))

    def _take(self, count: int, what: str) -> bytes:
        end = time.monotonic() + self.play.limit
        while len(self.incoming) < count:
            if self.has_ended:
                raise DeviationError(f"{what} was expected, the client has closed")
            if not self._receive(end - time.monotonic()) and not self.has_ended and time.monotonic() >= end:
                raise DeviationError(f"{what} was expected, nothing came within {self.play.limit * 1000:.0f} ms")
        data = bytes(self.incoming[:count])
        del self.incoming[:count]
        return data

    def _frame(self, what: str) -> wire.Frame:
        self._answer_pings()
        header = self._take(wire.HEADER.size, what)
        length, kind, flags, opcode, id = wire.HEADER.unpack(header)
        if length > self.frame_limit:
            raise DeviationError(f"a frame of {length} bytes is above the limit of {self.frame_limit}")
        frame = wire.decode(header + self._take(length, "the payload"), "client")
        if kind == wire.REQUEST:
            self._check_request(frame)
        elif kind != wire.CONTROL or id or not frame.message or flags not in (0, wire.ACK):
            raise DeviationError(f"a frame of kind {kind}, flags {flags}, opcode {opcode}, id {id}")
        elif flags == 0 and frame.message == "ping":
            self._check_ping()
        return frame

    def _check_request(self, frame: wire.Frame) -> None:
        if frame.flags or not frame.message or frame.unknown or frame.id <= self.last_id:
            raise DeviationError(f"a request that the specification does not have: {frame}")
        self.last_id = frame.id
        self.outstanding.add(frame.id)
        if len(self.outstanding) > self.in_flight_limit:
            raise DeviationError(
                f"{len(self.outstanding)} requests are outstanding, the limit is {self.in_flight_limit}")

    def _check_ping(self) -> None:
        # Half of the interval: the first PING can have been read late.
        now = time.monotonic()
        if self.last_ping is not None and (now - self.last_ping) * 1000 < self.ping_interval_ms / 2:
            raise DeviationError(f"a PING sooner than ping_interval_ms {self.ping_interval_ms} after the last one")
        self.last_ping = now

    # Expecting

    def _expect(self, step: Dict[str, Any]) -> None:
        what = step["expect"]
        if what == "handshake_failure":
            return
        if what == "preface":
            preface = self._take(16, "the preface")
            if preface != wire.MAGIC + bytes([1, 1]) + bytes(6):
                raise DeviationError(f"the preface of version 1 was expected, {preface.hex()} came")
        elif what == "hex":
            expected = bytes.fromhex(step["hex"])
            came = self._take(len(expected), "bytes")
            if came != expected:
                raise DeviationError(f"the bytes {step['hex']} were expected, {came.hex()} came")
        elif what == "silence":
            self._expect_silence(step["ms"] / 1000)
        elif what == "end":
            self._expect_end()
        else:
            self._match(self._frame(what), step)
        self._check_time(step)

    def _expect_silence(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end and not self.incoming and not self.has_ended:
            self._receive(end - time.monotonic())
        if self.incoming or self.has_ended:
            raise DeviationError("silence was expected, " +
                            (f"{self._incoming_text()} came" if self.incoming else "the client has closed"))

    def _expect_end(self) -> None:
        end = time.monotonic() + self.play.limit
        while not self.has_ended and not self.incoming and time.monotonic() < end:
            self._receive(end - time.monotonic())
        if self.incoming:
            raise DeviationError(f"the end was expected, {self._incoming_text()} came")
        if not self.has_ended:
            raise DeviationError("the end was expected, the connection is open")

    def _incoming_text(self) -> str:
        """Returns what has come: the frame if it is one, else the bytes."""
        raw = bytes(self.incoming)
        try:
            return str(self._frame("a frame"))
        except (DeviationError, wire.MalformedError):
            return f"0x{raw.hex()}"

    def _match(self, frame: wire.Frame, step: Dict[str, Any]) -> None:
        came = f"{frame.message}{' ACK' if frame.flags else ''} {frame.fields}"
        if frame.message != step["expect"]:
            raise DeviationError(f"{step['expect']} was expected, {came} came")
        pattern = self.play.captures.fill(step.get("fields", {"$others": True}))
        text = mismatch(pattern, frame.fields)
        if text:
            raise DeviationError(f"{frame.message}{text}")
        if "id" in step and str(frame.id) != step["id"]:
            raise DeviationError(f"id {step['id']} was expected, {frame.id} came")
        if "as" in step:
            self.play.captures.values[step["as"]] = {
                "id": str(frame.id), "opcode": frame.opcode, "message": frame.message, "fields": frame.fields}

    # Sending

    def _send(self, step: Dict[str, Any]) -> None:
        data = self._bytes(step)
        if "truncate" in step:
            data = data[:step["truncate"]]
        size = step.get("split") or len(data) or 1
        stall = step.get("stall", {"at": -1})
        if stall["at"] >= 0:
            self.socket.sendall(data[:stall["at"]])
            time.sleep(stall["ms"] / 1000)
            data = data[stall["at"]:]
        for offset in range(0, len(data), size):
            self.socket.sendall(data[offset:offset + size])
            if "split" in step:
                time.sleep(0.0002)

    def _bytes(self, step: Dict[str, Any]) -> bytes:
        what = step["send"]
        if what == "hex" or what == "preface" and "hex" in step:
            return bytes.fromhex(step["hex"])
        if what == "preface":
            return wire.MAGIC + bytes([step.get("version", 1)]) + bytes(7)
        if what == "together":
            return b"".join(self._bytes(each) for each in step["of"])
        if what == "ping":
            return wire.encode("server", "ping", {"data": self.play.captures.fill(step["data"])},
                               flags=wire.ACK if step.get("ack") else step.get("flags", 0))
        return self._frame_bytes(step)

    def _frame_bytes(self, step: Dict[str, Any]) -> bytes:
        """Returns an answer, an error, an event, a GOAWAY or a POSITION."""
        what = step["send"]
        request = self.play.captures.values[step["to"]] if "to" in step else {"id": "0", "opcode": 0, "message": ""}
        message = request["message"] if what == "answer" else what
        fields = zero_fields(message, _numbered(self.play.captures.fill(step.get("fields", {}))))
        unknown = [(each["tag"], bytes.fromhex(each["hex"])) for each in step.get("unknown", [])]
        id = int(self.play.captures.fill(step.get("id", "0" if what in ("goaway", "position") else request["id"])))
        opcode = step.get("opcode", request["opcode"] if what in ("answer", "error") else None)
        if what in ("answer", "error"):
            self.outstanding.discard(id)
        return wire.encode("server", message, fields, id, opcode=opcode, flags=step.get("flags", 0),
                           unknown=unknown)

    # Doing

    def _do(self, step: Dict[str, Any]) -> None:
        what = step["do"]
        if what == "open":
            self._open(step)
        elif what == "close":
            if isinstance(self.socket, ssl.SSLSocket):
                self._close()
            else:
                self.socket.shutdown(socket.SHUT_WR)
        elif what == "reset":
            # With no time to linger, closing resets the connection.
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.socket.close()
            self.has_ended = True
        elif what == "reached":
            self.play.reached(step["name"])
        elif what == "pause":
            time.sleep(step["ms"] / 1000)
        elif what == "signal":
            self.play.signal(step["name"])
        elif what == "await" and not self.play.await_signal(step["name"]):
            raise DeviationError(f"no signal {step['name']}")

    def _open(self, step: Dict[str, Any]) -> None:
        """Plays the handshake: both prefaces, HELLO and AUTH."""
        hello = {**HELLO, **step.get("hello", {}), **({"authenticated": 1} if step.get("certificate") else {})}
        sending = {name: step[name] for name in ("split",) if name in step}
        self._expect({"expect": "preface"})
        self._expect({"expect": "hello", "as": "$hello", "id": "1"})
        self._send({"send": "preface", **sending})
        self._send({"send": "answer", "to": "$hello", "fields": hello, "unknown": step.get("unknown", []), **sending})
        if not hello["authenticated"]:
            key = step.get("key", KEY).encode().hex()
            self._expect({"expect": "auth", "as": "$auth", "id": "2", "fields": {"method": 1, "credential": key}})
            self._send({"send": "answer", "to": "$auth", **sending,
                        "fields": {"principal": "test", "grants": [{"app": "*", "roles": 15}]}})
        self.frame_limit = hello["frame_limit"]
        self.in_flight_limit = max(1, hello["in_flight_limit"])
        self.ping_interval_ms = hello["ping_interval_ms"]

    def _run_after_end(self) -> None:
        """Lets nothing more come but the end, until the play is over."""
        while not self.has_ended and not self.play.ended.is_set():
            self._receive(0.02)
            if self.incoming and self.script.get("then") != "ignore":
                raise DeviationError(f"nothing more was expected, {self._incoming_text()} came")
            if self.script.get("then") == "ignore":
                self.incoming.clear()


def _numbered(fields: Dict[str, Any]) -> Dict[str, Any]:
    """Replaces the names of codes by their numbers, and `never` by its number."""
    numbers = dict(fields)
    if isinstance(numbers.get("code"), str):
        numbers["code"] = wire.CODES[numbers["code"]]
    if numbers.get("retry_after_ms") == "never":
        numbers["retry_after_ms"] = wire.NEVER
    return numbers


def _short(step: Any) -> str:
    text = str(step)
    return text if len(text) <= 200 else text[:200] + "…"
