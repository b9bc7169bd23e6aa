"""The table of bad inputs: what a peer can do to the server, and how the server must respond.

Each row has a `Kind`; a kind can have several rows. A row is bytes that are sent in a phase, or a small function if
bytes are not enough.
"""
from __future__ import annotations

import errno
import os
import signal
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Callable, Dict, List, Tuple

from support.bad_input_kinds import Kind
from support.deployment import Deployment
from support.environment import APP, LONGEST_APP, OTHER_APP, carillon, eventually, require
from support.raw_connection import RawConnection, raw_frame
from support.requests import (ANSWERED, BAD_ID, CLOSED, FRAMING, TIMEOUT, TOO_LARGE, WRONG_PHASE, Refused, Row, auth,
                              batch, expect_answer, expect_error, hello, invalid, lookup, malformed, ping, preface,
                              register, register_payload, send, tag, tags)

# Long: half of it is one table, whose rows name the functions above it.


encode, uvarint = carillon.encode, carillon.uvarint


# Payloads and frames, well-formed unless an argument says otherwise. In phase "open" the next request id is 3.


# Functions for rows that bytes alone cannot express

def in_pieces(data: bytes, pause: float) -> Callable[..., None]:
    """Sends bytes one at a time until the server closes the connection."""

    def play(deployment: Deployment, raw: RawConnection) -> None:
        stop = threading.Event()

        def dribble() -> None:
            for index in range(len(data)):
                raw.send(data[index:index + 1])
                if stop.wait(pause):
                    return

        thread = threading.Thread(target=dribble, daemon=True)
        thread.start()
        raw.dribble = stop  # The runner ends the row when it has its result.

    return play


def half_frame(end: str) -> Callable[..., None]:
    """A frame whose length is larger than the bytes that follow, and then the end of the connection."""

    def play(deployment: Deployment, raw: RawConnection) -> None:
        raw.send(register()[:30])
        if end == "fin":
            raw.sock.shutdown(socket.SHUT_WR)
            require(raw.frame() is None, "the server answered half a frame")
        else:
            raw.reset()

    return play


def idle_connections(deployment: Deployment, raw: RawConnection) -> None:
    """As many idle connections as the descriptor limit allows, up to 10 000, from many addresses; none sends a byte."""
    import resource
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    count = min(10_000, limit - 500)
    connections: List[socket.socket] = []
    refused = 0
    began = time.monotonic()
    try:
        for index in range(count):
            sock = socket.socket()
            try:
                sock.bind((f"127.0.{1 + index % 200}.1", 0))
                sock.settimeout(10)
                sock.connect(("127.0.0.1", deployment.port))
            except OSError as error:
                sock.close()
                require(error.errno in (errno.ECONNREFUSED, errno.ECONNRESET), f"connect: {error}")
                refused += 1
            else:
                connections.append(sock)
        took = time.monotonic() - began
        refusals = 0
        for sock in connections:
            data = read_to_end(sock, 20)
            if data:
                require(data[:8] == carillon.MAGIC and data[26:28] == b"\0\0" and len(data) > 32, f"said {data!r}")
                require(data[32:34] == b"\0\x19", f"not TOO_MANY_CONNECTIONS: {data!r}")
                refusals += 1
        admitted = len(connections) - refusals
        # At most 256 connections are in this phase at a time, and each is closed after 5 seconds.
        most = 256 * (2 + int(took / 5))
        require(0 < admitted <= most, f"{admitted} of {count} were let in in {took:.1f} s, not {most}")
    finally:
        for sock in connections:
            sock.close()


def read_to_end(sock: socket.socket, timeout: float) -> bytes:
    """Reads until the peer closes or resets the connection."""
    data = b""
    sock.settimeout(timeout)
    while True:
        try:
            piece = sock.recv(65536)
        except ConnectionResetError:
            return data
        except socket.timeout:
            raise AssertionError("the connection was not closed") from None
        if not piece:
            return data
        data += piece


def connect_and_reset(deployment: Deployment, raw: RawConnection) -> None:
    """5 000 connections that are reset at once."""
    for index in range(5_000):
        sock = socket.socket()
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
        try:
            sock.bind((f"127.0.{1 + index % 200}.1", 0))
            sock.connect(("127.0.0.1", deployment.port))
        except OSError:
            pass
        sock.close()


def half_close(count: int) -> Callable[..., None]:
    """Requests and a FIN in one write: each request is answered before the server closes."""

    def play(deployment: Deployment, raw: RawConnection) -> None:
        frames = b"".join(register(3 + index, token=os.urandom(32)) for index in range(count))
        writer = threading.Thread(target=lambda: (raw.send(frames), raw.sock.shutdown(socket.SHUT_WR)), daemon=True)
        writer.start()
        answered = 0
        while (frame := raw.frame(20)) is not None:
            require(frame.message == "register", f"{frame}")
            answered += 1
        writer.join(10)
        require(answered == count, f"{answered} of {count} requests were answered before the end")

    return play


def never_reading(deployment: Deployment, raw: RawConnection) -> None:
    """Pipelines requests and reads no response: the server stops reading, and finally closes."""
    raw.send(register())
    expect_answer(raw, 3, "register")
    raw.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    raw.sock.settimeout(1)
    before, sent, id = deployment.resident_bytes, 0, 4
    began = time.monotonic()
    blocked = False
    while time.monotonic() - began < 45:
        chunk = b"".join(lookup(id + index) for index in range(200))
        id += 200
        try:
            raw.sock.sendall(chunk)
            sent += len(chunk)
        except socket.timeout:
            blocked = True
            break
    require(blocked, f"the server has read {sent} bytes of a client that never reads")
    require(deployment.resident_bytes - before < 64 << 20, "the server grew")

    def closed() -> bool:
        # Finds out without reading: an error of the socket, or an RST in response to more bytes.
        return raw.sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) != 0 or _probe(raw.sock)

    eventually(closed, "the client that never reads is closed", 45)


def _probe(sock: socket.socket) -> bool:
    try:
        sock.send(b"\0", socket.MSG_DONTWAIT)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return False


def unknown_opcodes(deployment: Deployment, raw: RawConnection) -> None:
    """Very many refused requests end the connection."""
    raw.send(b"".join(raw_frame(b"", 0x0FFF, 3 + index) for index in range(3_000)))
    errors = 0
    while (frame := raw.frame()) is not None:
        code = carillon.ERRORS[frame.fields["code"]]
        if code == "TOO_MANY_ERRORS":
            require(frame.fields["scope"] == 1, "TOO_MANY_ERRORS is of scope connection")
            require(1_000 <= errors <= 1_200, f"{errors} errors before the end")
            return
        require(code == "UNSUPPORTED_OPCODE", code)
        errors += 1
    raise AssertionError(f"closed after {errors} errors without TOO_MANY_ERRORS")


def largest_id(deployment: Deployment, raw: RawConnection) -> None:
    """The largest request id, and one after it."""
    raw.send(lookup((1 << 64) - 1, os.urandom(32)))
    expect_error(raw, Refused("NOT_FOUND", "request"))
    raw.send(lookup(1, os.urandom(32)))
    expect_error(raw, BAD_ID)


def short_deadlines(deployment: Deployment, raw: RawConnection) -> None:
    """Very short deadlines are kept or reported; a deadline of 49 days does no harm."""
    for id, milliseconds in enumerate((0, 1, (1 << 32) - 1), 3):
        raw.send(encode("client", "register", {
            "app": APP, "environment": 1, "kind": 1, "token": os.urandom(32), "seen_at": 0,
            "deadline_ms": milliseconds}, id))
        frame = raw.frame()
        require(frame is not None and frame.id == id, "no answer")
        if frame.message == "error":
            require(carillon.ERRORS[frame.fields["code"]] == "DEADLINE" and frame.fields["effect"] == 0, f"{frame}")
            require(milliseconds <= 1, "a deadline far away has passed")


def same_token_in_batch(deployment: Deployment, raw: RawConnection) -> None:
    """One token 1 000 times in a batch is one device; the last item wins."""
    token = os.urandom(32)
    items = [register_payload(token=token, seen_at=1_000_000 + index) for index in range(1_000)]
    raw.send(batch(items))
    results = expect_answer(raw, 3, "register_batch").fields["results"]
    require(len({each["device_id"] for each in results}) == 1, "several devices")
    require([each["result"] for each in results] == [1] + [2] * 999, "not created once and refreshed 999 times")
    raw.send(lookup(4, token))
    require(expect_answer(raw, 4, "lookup").fields["seen_at"] == 1_000_999, "the last item did not win")


def token_of_another_app(deployment: Deployment, raw: RawConnection) -> None:
    """The same token bytes in another app are another device; removing one leaves the other."""
    token = os.urandom(32)
    raw.send(register(3, token=token) + register(4, token=token, app=OTHER_APP.encode()))
    for id in (3, 4):
        require(expect_answer(raw, id, "register").fields["result"] == 1, "not created")
    raw.request(5, "unregister", app=OTHER_APP, at=0,
                device={"token": {"environment": 1, "kind": 1, "token": token}})
    expect_answer(raw, 5, "unregister")
    raw.send(lookup(6, token))
    expect_answer(raw, 6, "lookup")


def wrong_keys(deployment: Deployment, raw: RawConnection) -> None:
    """Three wrong keys end the connection."""
    for id in (2, 3):
        raw.send(auth(id=id))
        expect_error(raw, Refused("AUTHENTICATION_FAILED", "request"))
    raw.send(auth(id=4))
    expect_error(raw, Refused("AUTHENTICATION_FAILED", "connection"))


def conflict(deployment: Deployment, raw: RawConnection) -> None:
    """The same idempotency key with another body is a conflict."""
    key = os.urandom(16)
    raw.send(send(id=3, key=key))
    expect_answer(raw, 3, "send")
    raw.send(send(b"{}", id=4, key=key))
    expect_error(raw, Refused("IDEMPOTENCY_CONFLICT", "request"))


def same_key_from_fifty(deployment: Deployment, raw: RawConnection) -> None:
    """One key, 20 times on each of 50 connections: one message, one push."""
    token, key = os.urandom(32), os.urandom(16)
    raw.send(register(3, token=token))
    expect_answer(raw, 3, "register")
    device = {"token": {"environment": 1, "kind": 1, "token": token}}

    def pipelined(_: int) -> List[Tuple[int, int]]:
        with deployment.raw("open") as each:
            each.send(b"".join(send(id=3 + index, key=key, devices=[device]) for index in range(20)))
            frames = [each.frame() for _ in range(20)]
            require(all(frame is not None and frame.message == "send" for frame in frames), f"{frames}")
            return [(frame.fields["message_id"], frame.fields["duplicate"]) for frame in frames]

    with ThreadPoolExecutor(50) as pool:
        answers = [answer for each in pool.map(pipelined, range(50)) for answer in each]
    require(len({message for message, _ in answers}) == 1, "several messages")
    require(sum(duplicate == 0 for _, duplicate in answers) == 1, "not exactly one is the first")
    eventually(lambda: deployment.simulator.count(token) == 1, "the push arrives")
    with deployment.client() as client:
        message = answers[0][0]
        eventually(lambda: client.message_status(APP, message)["state"] == "finished", "the message is finished")
    require(deployment.simulator.count(token) == 1, "more than one push")


def past_not_after(deployment: Deployment, raw: RawConnection) -> None:
    """A message whose `not_after` has passed ends as expired, without a push."""
    token = os.urandom(32)
    raw.send(register(3, token=token))
    expect_answer(raw, 3, "register")
    raw.send(send(id=4, devices=[{"token": {"environment": 1, "kind": 1, "token": token}}], not_after=1))
    message = expect_answer(raw, 4, "send").fields["message_id"]
    with deployment.client() as client:
        status = eventually(lambda: next((s for s in [client.message_status(APP, message)] if s["state"] == "finished"),
                                         None), "the message is finished")
    require(status["outcomes"] == {"expired": 1}, f"{status}")
    require(deployment.simulator.count(token) == 0, "a push went out")


def pings_without_pause(deployment: Deployment, raw: RawConnection) -> None:
    """Very many PINGs without a pause."""
    raw.send(ping() * 1_000)
    expect_error(raw, Refused("TOO_MANY_PINGS", "connection"))


def million_frames(deployment: Deployment, raw: RawConnection) -> None:
    """10⁶ tiny valid frames, as fast as possible, with a reader of all responses; neighbours are served meanwhile."""
    frames = raw_frame(b"", 4, 0, kind=5) * 10_000  # The server ignores a GOAWAY of a client.
    for _ in range(100):
        raw.sock.settimeout(30)
        raw.sock.sendall(frames)
    raw.send(lookup(3, os.urandom(32)))
    expect_error(raw, Refused("NOT_FOUND", "request"), 30)


def versions(deployment: Deployment, raw: RawConnection) -> None:
    """REGISTER with an earlier time, the same time, and a time far in the future."""
    token = os.urandom(32)
    before = int(time.time() * 1000) - 60_000
    raw.send(register(3, token=token, seen_at=before))
    expect_answer(raw, 3, "register")
    raw.send(register(4, token=token, seen_at=before))
    require(expect_answer(raw, 4, "register").fields["result"] == 2, "not refreshed")
    raw.send(register(5, token=token, seen_at=before - 1))
    frame = raw.frame()
    require(frame.message == "error" and frame.fields["code"] == 12, f"an earlier registration: {frame}")
    raw.send(register(6, token=token, seen_at=(1 << 64) - 1))
    require(expect_answer(raw, 6, "register").fields["result"] == 2, "not refreshed")
    raw.send(lookup(7, token))
    seen = expect_answer(raw, 7, "lookup").fields["seen_at"]
    require(abs(seen - time.time() * 1000) < 60_000, f"a time ahead is taken as now, not as {seen}")


def longest_names(deployment: Deployment, raw: RawConnection) -> None:
    """The longest value of each field that becomes a key in the database."""
    token, older = b"\xff" * 200, b"\xfe" * 200
    raw.send(register(3, app=LONGEST_APP.encode(), token=older))
    expect_answer(raw, 3, "register")
    raw.send(register(4, app=LONGEST_APP.encode(), token=token, tail=tags(b"\1", tag(17, older))))
    require(expect_answer(raw, 4, "register").fields["result"] == 3, "not replaced")


def signalled(*signals: int, pause: float = 0) -> Callable[..., None]:
    """Signals during a connection."""

    def play(deployment: Deployment, raw: RawConnection) -> None:
        raw.send(lookup(3, os.urandom(32))[:20])
        for each in signals:
            deployment.server.send_signal(each)
            if pause and each == signal.SIGSTOP:
                threading.Event().wait(pause)
        raw.send(lookup(3, os.urandom(32))[20:])
        expect_error(raw, Refused("NOT_FOUND", "request"))

    return play


def after_reset(deployment: Deployment, raw: RawConnection) -> None:
    """Requests from a client that resets before it can get the responses."""
    raw.send(b"".join(register(3 + index, token=os.urandom(32)) for index in range(500)))
    raw.reset()


HTTP2 = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(9)
KAFKA = bytes.fromhex("0000001400120003000000010005") + b"kafka" + bytes(5)
DEEP = b'{"a":' * 600 + b"1" + b"}" * 600
APP_BYTES = APP.encode()

ROWS: List[Row] = [
    Row(Kind.TLS, "TLS ClientHello", "preface", bytes.fromhex("16030100c8010000c40303") + bytes(194), CLOSED),
    Row(Kind.TLS, "TLS alert", "preface", bytes.fromhex("15030300020228"), CLOSED),
    Row(Kind.OTHER_PROTOCOL, "HTTP/1.1", "preface", b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", CLOSED),
    Row(Kind.OTHER_PROTOCOL, "HTTP/2", "preface", HTTP2, CLOSED),
    Row(Kind.OTHER_PROTOCOL, "Kafka ApiVersions", "preface", KAFKA, CLOSED),
    Row(Kind.OTHER_PROTOCOL, "Redis PING", "preface", b"*1\r\n$4\r\nPING\r\n", CLOSED),
    Row(Kind.PREFACE_IN_PIECES, "preface in 16 writes", "preface", in_pieces(preface() + hello(), 0.02), ANSWERED),
    Row(Kind.PREFACE_IN_PIECES, "preface in 16 writes, 1 s apart", "preface", in_pieces(preface(), 1), CLOSED),
    Row(Kind.SILENCE, "preface and then nothing", "preface", preface(), TIMEOUT),
    Row(Kind.SILENCE, "nothing at all", "preface", b"", CLOSED),
    Row(Kind.SILENCE, "HELLO and then nothing", "auth", b"", TIMEOUT),
    Row(Kind.VERSION, "versions 9 to 9", "preface", preface(9, 9), Refused("UNSUPPORTED_VERSION", "connection")),
    Row(Kind.VERSION, "versions 2 to 1", "preface", preface(2, 1), FRAMING),
    Row(Kind.VERSION, "versions 0 to 1", "preface", preface(0, 1), FRAMING),
    *(Row(Kind.VERSION, f"reserved byte {at} set", "preface", preface(reserved=bytes(at) + b"\1" + bytes(5 - at)),
          FRAMING)
      for at in range(6)),
    *(Row(Kind.MAGIC, f"bit {bit} of the magic flipped", "preface",
          (int.from_bytes(preface(), "big") ^ 1 << 127 - bit).to_bytes(16, "big"), CLOSED) for bit in range(64)),
    *(Row(Kind.LONG_FRAME, f"length {length:#x}", phase, raw_frame(b"", 0x10, 3, length=length), TOO_LARGE)
      for length in (0xFFFFFFFF, 1 << 31, (1 << 20) + 1) for phase in ("hello", "auth", "open")),
    Row(Kind.LONG_FRAME, "length 4,097 before HELLO", "hello", raw_frame(b"", 1, 1, length=4097), TOO_LARGE),
    Row(Kind.LONG_FRAME, "length 4,097 before AUTH", "auth", raw_frame(b"", 2, 2, length=4097), TOO_LARGE),
    *(Row(Kind.NO_PAYLOAD, f"no payload for opcode {opcode:#x}", "open", raw_frame(b"", opcode, 3), malformed(field))
      for opcode, field in ((0x10, "app"), (0x11, "items"), (0x12, "app"), (0x13, "app"), (0x50, "app"), (0x51, "app"),
                            (0x52, "app"))),
    Row(Kind.NO_PAYLOAD, "no payload for HELLO", "hello", raw_frame(b"", 1, 1), malformed("software")),
    Row(Kind.NO_PAYLOAD, "no payload for AUTH", "auth", raw_frame(b"", 2, 2), malformed("method")),
    Row(Kind.HALF_FRAME, "half a frame and FIN", "open", half_frame("fin")),
    Row(Kind.HALF_FRAME, "half a frame and RST", "open", half_frame("rst")),
    Row(Kind.HALF_FRAME, "half a frame and silence", "open", register()[:30], TIMEOUT),
    Row(Kind.SLOW_HEADER, "a header of one byte each 900 ms", "open", in_pieces(register(), 0.9), TIMEOUT),
    Row(Kind.SLOW_PAYLOAD, "a payload of one byte a second", "open", register()[:16], TIMEOUT),
    Row(Kind.SLOW_PAYLOAD, "a payload that dribbles", "open", in_pieces(send(b"{" + b" " * 4000 + b"}"), 0.5), TIMEOUT),
    Row(Kind.IDLE_CONNECTIONS, "10,000 connections that say nothing", "", idle_connections),
    Row(Kind.RESET_CONNECTIONS, "5,000 connections that are reset", "", connect_and_reset),
    Row(Kind.EARLY_END, "half-close with 1 request out", "open", half_close(1)),
    Row(Kind.EARLY_END, "half-close with 1,000 requests out", "open", half_close(1_000)),
    Row(Kind.EARLY_END, "half-close with 5,000 requests out", "open", half_close(5_000)),
    Row(Kind.EARLY_END, "RST with 500 requests out", "open", after_reset),
    Row(Kind.NEVER_READING, "a client that never reads", "open", never_reading),
    *(Row(Kind.FRAME_KIND, f"kind {kind}", "open", raw_frame(b"", 0x13, 3, kind=kind), FRAMING)
      for kind in (0, 6, 255)),
    *(Row(Kind.KIND_OF_SERVER, f"kind {kind} from a client", "open", raw_frame(b"", 0x13, 3, kind=kind), FRAMING)
      for kind in (2, 3, 4)),
    *(Row(Kind.FLAGS, f"flags {flags:#x} of a request", "open", raw_frame(register_payload(), 0x10, 3, flags=flags),
          FRAMING)
      for flags in (2, 4, 8, 15)),
    *(Row(Kind.FLAGS, f"flags {flags:#x} of PING", "open", ping(flags=flags), FRAMING) for flags in (2, 4, 8)),
    Row(Kind.FLAGS, "layout 2 of REGISTER", "open", raw_frame(register_payload(), 0x10, 3, flags=0x10),
        Refused("UNSUPPORTED_VERSION", "request")),
    Row(Kind.FLAG_OF_PING, "flag 1 of a request", "open", raw_frame(register_payload(), 0x10, 3, flags=1), FRAMING),
    Row(Kind.FLAG_OF_SEND, "flag 2 of SEND", "open", send()[:5] + b"\2" + send()[6:], FRAMING),
    Row(Kind.UNKNOWN_OPCODE, "an unknown opcode", "open", raw_frame(b"", 0x0FFF, 3),
        Refused("UNSUPPORTED_OPCODE", "request")),
    Row(Kind.UNKNOWN_OPCODE, "very many unknown opcodes", "open", unknown_opcodes),
    Row(Kind.PRIVATE_OPCODE, "an opcode of private use", "open", raw_frame(b"x", 0x7001, 3),
        Refused("UNSUPPORTED_OPCODE", "request")),
    Row(Kind.ZERO_ID, "request id 0", "open", lookup(0), BAD_ID),
    Row(Kind.ZERO_ID, "request id 0 of HELLO", "hello", hello(0), BAD_ID),
    Row(Kind.USED_ID, "a repeated id", "open", lookup(2), BAD_ID),
    Row(Kind.USED_ID, "a smaller id", "open", lookup(1), BAD_ID),
    Row(Kind.LARGEST_ID, "the largest id and one after it", "open", largest_id),
    Row(Kind.DEADLINE, "deadlines of 0, 1 and 2³²−1 ms", "open", short_deadlines),
    Row(Kind.MORE_BYTES, "bytes after the tagged section", "open", register(tail=b"\0\0"), malformed()),
    Row(Kind.TAG_COUNT, "2³²−1 tags with 3 bytes left", "open", register(tail=b"\xff\xff\xff\xff\x0f\1\1\1"),
        malformed()),
    Row(Kind.TAGS, "tags out of order", "open", register(tail=tags(b"\2", tag(20, b"UTC"), tag(18, b"de"))),
        malformed()),
    Row(Kind.TAGS, "a tag twice", "open", register(tail=tags(b"\2", tag(18, b"de"), tag(18, b"de"))), malformed()),
    Row(Kind.TAGS, "a tag past the end", "open", register(tail=b"\1\x12\x7fde"), malformed()),
    Row(Kind.TAGS, "a number not in its shortest form", "open", register(tail=b"\1\x92\0\2de"), malformed()),
    Row(Kind.TAGS, "a number of 6 bytes", "open", register(tail=b"\1\x92\x80\x80\x80\x80\0\2de"), malformed()),
    Row(Kind.TAGS, "65 tags", "open",
        register(tail=b"\x41" + b"".join(uvarint(100 + 2 * i) + b"\0" for i in range(65))),
        malformed()),
    Row(Kind.EVEN_TAG, "an unknown even tag", "open", register(tail=tags(b"\1", tag(100, b"x"))), ANSWERED),
    Row(Kind.ODD_TAG, "an unknown odd tag", "open", register(tail=tags(b"\1", tag(101, b"x"))),
        Refused("UNSUPPORTED_FIELD", "request")),
    Row(Kind.TAG_OF_HELLO, "a tag on HELLO", "hello", hello(unknown=[(101, b"x"), (102, b"y")]), ANSWERED),
    *(Row(Kind.STRING, f"app that is {name}", "open", register(app=app), expected) for name, app, expected in (
        ("not UTF-8", b"\xff\xfe", malformed("app")), ("overlong", b"\xc0\xaf", malformed("app")),
        ("a surrogate", b"\xed\xa0\x80", malformed("app")), ("cut short", b"a\xe2\x82", malformed("app")),
        ("above U+10FFFF", b"\xf4\x90\x80\x80", malformed("app")), ("with U+0000", b"com\0a", malformed("app")),
        ("a byte order mark", b"\xef\xbb\xbf", invalid("app")), ("65,535 bytes", b"a" * 65_535, invalid("app")),
        ("156 bytes", b"a" * 156, invalid("app")), ("nothing", b"", invalid("app")))),
    Row(Kind.STRING, "a str past the end", "open", raw_frame(b"\xff\xff" + APP_BYTES, 0x10, 3), malformed("app")),
    Row(Kind.LIST, "a list longer than the payload", "open", batch([], count=1 << 30), malformed("items")),
    Row(Kind.LIST, "a list of 2³²−1 items", "open", batch([], count=(1 << 32) - 1), malformed("items")),
    Row(Kind.BATCH, "a batch of nothing", "open", batch([]), invalid("items")),
    Row(Kind.BATCH, "a batch of 1,001", "open", batch([register_payload()] * 1_001), invalid("items")),
    Row(Kind.BATCH, "a batch of one token 1,000 times", "open", same_token_in_batch),
    Row(Kind.TOKEN, "a token of 0 bytes", "open", register(token=b""), malformed("token")),
    Row(Kind.TOKEN, "the token of another app", "open", token_of_another_app),
    Row(Kind.PHASE, "REGISTER before HELLO", "hello", register(1), WRONG_PHASE),
    Row(Kind.PHASE, "SEND before AUTH", "auth", send(id=2), WRONG_PHASE),
    Row(Kind.PHASE, "a second HELLO", "open", hello(3), WRONG_PHASE),
    Row(Kind.PHASE, "a second AUTH", "open", auth(id=3), WRONG_PHASE),
    Row(Kind.PHASE, "a second preface", "open", preface(), TOO_LARGE),
    Row(Kind.AUTHENTICATION, "three wrong keys", "auth", wrong_keys),
    Row(Kind.AUTHENTICATION, "an unknown method", "auth", auth(method=2), invalid("method")),
    Row(Kind.AUTHENTICATION, "an empty key", "auth", auth(b""), invalid("credential")),
    Row(Kind.AUTHENTICATION, "a key of 257 bytes", "auth", auth(b"k" * 257), invalid("credential")),
    Row(Kind.CONTENT, "a payload of 4,097 bytes", "open", send(b"{" + b" " * 4_095 + b"}"),
        Refused("TOO_LARGE", "request", "payload")),
    *(Row(Kind.CONTENT, f"a payload that is {name}", "open", send(payload), invalid("payload")) for name, payload in (
        ("no JSON", b"hello"), ("cut short", b'{"a":'), ("an array", b"[]"), ("nothing", b""),
        ("of a duplicate name", b'{"a":1,"a":2}'), ("of a name twice after escapes", b'{"a":1,"\\u0061":2}'),
        ("600 deep", DEEP), ("4,096 brackets", b"[" * 4096), ("a lone surrogate", b'{"a":"\\ud800"}'),
        ("not UTF-8", b'{"a":"\xff"}'), ("with a byte order mark", b'\xef\xbb\xbf{}'))),
    Row(Kind.CONTENT, "an expiration in 1970", "open", send(expiration=1), ANSWERED),
    Row(Kind.CONTENT, "an expiration in the year 9999", "open", send(expiration=253_402_300_799), ANSWERED),
    Row(Kind.CONTENT, "an expiration of 2⁶⁴−1", "open", send(expiration=(1 << 64) - 1), ANSWERED),
    Row(Kind.CONTENT, "priority 255", "open", send(priority=255), invalid("priority")),
    Row(Kind.CONTENT, "priority 0", "open", send(priority=0), ANSWERED),
    Row(Kind.CONTENT, "a collapse id of 65 bytes", "open", send(collapse_id="c" * 65), invalid("collapse_id")),
    *(Row(Kind.CONTENT, f"{name} in a collapse id", "open", send(collapse_id=f"a{letter}b"), expected)
      for name, letter, expected in (("CR", "\r", invalid("collapse_id")), ("LF", "\n", invalid("collapse_id")),
                                     ("NUL", "\0", malformed("collapse_id")))),
    *(Row(Kind.CONTENT, f"{name} in the app", "open", send(app=f"com{letter}x"), expected)
      for name, letter, expected in (("CR LF", "\r\n", invalid("app")), ("NUL", "\0", malformed("app")))),
    Row(Kind.KEY_OF_OTHER_BODY, "a key with another body", "open", conflict),
    Row(Kind.KEY_AT_ONCE, "a key from 50 connections", "open", same_key_from_fifty),
    Row(Kind.LATE_MESSAGE, "a message past its time", "open", past_not_after),
    Row(Kind.PING, "PINGs without a pause", "open", pings_without_pause),
    Row(Kind.PING, "a PING of 7 bytes", "open", raw_frame(bytes(7), 3, 0, kind=5), FRAMING),
    Row(Kind.PING, "a PING with an id", "open", raw_frame(bytes(8), 3, 9, kind=5), FRAMING),
    Row(Kind.PING, "ACKs without a PING", "open", ping(flags=1) * 100, ANSWERED),
    Row(Kind.TINY_FRAMES, "10⁶ tiny frames", "open", million_frames),
    Row(Kind.EMPTY_ITEMS, "1 MiB of items without bytes", "open", batch([b""] * 262_143), invalid("items")),
    Row(Kind.EMPTY_ITEMS, "1,000 items without bytes", "open", batch([b""] * 1_000), ANSWERED),
    Row(Kind.SEEN_AT, "times that are earlier, the same and far ahead", "open", versions),
    Row(Kind.LONGEST_NAMES, "the longest app and tokens", "open", longest_names),
    Row(Kind.SIGNAL, "SIGPIPE", "open", signalled(signal.SIGPIPE)),
    Row(Kind.SIGNAL, "SIGSTOP, 3 s, SIGCONT", "open", signalled(signal.SIGSTOP, signal.SIGCONT, pause=3)),
]

NOT_IN_THIS_PROTOCOL: Dict[Kind, str] = {
    Kind.CHECKSUM: "frames carry no checksum (Protocol 3)",
    Kind.CANCEL: "there is no CANCEL",
    Kind.RECORDED_AUTH: "AUTH has no challenge that could be recorded; TLS protects the key",
    Kind.PROOF_OF_SERVER: "AUTH has no proof of the server; TLS gives it",
    Kind.ENVIRONMENT: "HELLO names no environment; REGISTER does",
    Kind.LIMITS: "there is no LIMITS",
}

ELSEWHERE: Dict[Kind, str] = {
    Kind.CERTIFICATE:
        "test_listening: certificates expired, of tomorrow, of the wrong use, of another authority, of unknown names",
    Kind.AFTER_GOAWAY: "test_lifecycle: requests after GOAWAY",
    Kind.CLOCK: "test_clock: steps of two hours and ten years, forwards and back",
}
