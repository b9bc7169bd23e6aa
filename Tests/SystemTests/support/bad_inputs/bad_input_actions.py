"""Bad inputs that need more than bytes: each is an `Action` that a row of the table names, or a function that makes
one."""
from __future__ import annotations

import errno
import os
import signal
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Callable, List, Tuple

from support.clients.raw_connection import RawConnection, raw_frame
from support.clients.requests import (BAD_ID, Refused, auth, batch, expect_answer, expect_error, lookup, ping,
                                      register, register_payload, send, tag, tags)
from support.deployment import Deployment
from support.environment import APP, LONGEST_APP, OTHER_APP, crln, eventually, require

encode = crln.encode

# An action plays a bad input on the connection of its row and judges the answers. It may open others to the server.
Action = Callable[[Deployment, RawConnection], None]


def in_pieces(data: bytes, pause: float) -> Action:
    """Sends bytes one at a time until the server closes the connection."""

    def play(deployment: Deployment, raw: RawConnection) -> None:
        stop = threading.Event()

        def send_slowly() -> None:
            for index in range(len(data)):
                raw.send(data[index:index + 1])
                if stop.wait(pause):
                    return

        thread = threading.Thread(target=send_slowly, daemon=True)
        thread.start()
        raw.slow_sender = stop

    return play


def half_frame(end: str) -> Action:
    """A frame whose length is larger than the bytes that follow, and then the end of the connection: `fin` or `rst`."""

    def play(deployment: Deployment, raw: RawConnection) -> None:
        raw.send(register()[:30])
        if end == "fin":
            raw.sock.shutdown(socket.SHUT_WR)
            require(raw.read_frame() is None, "the server answered half a frame")
        else:
            raw.reset()

    return play


def idle_connections(deployment: Deployment, raw: RawConnection) -> None:
    """Idle connections from many addresses, up to 10,000 if the descriptor limit allows them; none sends a byte."""
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
        refusals = 0
        for sock in connections:
            data = read_to_end(sock, 20)
            if data:
                require(data[:8] == crln.MAGIC and data[26:28] == b"\0\0" and len(data) > 32, f"said {data!r}")
                require(data[32:34] == b"\0\x19", f"not TOO_MANY_CONNECTIONS: {data!r}")
                refusals += 1
        admitted = len(connections) - refusals
        # At most 256 connections are in this phase at a time, and each is closed after 5 seconds. A busy server accepts
        # the last ones long after they have connected.
        took = time.monotonic() - began
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
    """5,000 connections that are reset at once."""
    for index in range(5_000):
        sock = socket.socket()
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
        try:
            sock.bind((f"127.0.{1 + index % 200}.1", 0))
            sock.connect(("127.0.0.1", deployment.port))
        except OSError:
            pass
        sock.close()


def half_close(count: int) -> Action:
    """Requests and a FIN in one write: each request is answered before the server closes."""

    def play(deployment: Deployment, raw: RawConnection) -> None:
        frames = b"".join(register(3 + index, token=os.urandom(32)) for index in range(count))
        writer = threading.Thread(target=lambda: (raw.send(frames), raw.sock.shutdown(socket.SHUT_WR)), daemon=True)
        writer.start()
        answered = 0
        while (frame := raw.read_frame(20)) is not None:
            require(frame.message == "register", f"{frame}")
            answered += 1
        writer.join(10)
        require(answered == count, f"{answered} of {count} requests were answered before the end")

    return play


def never_reading(deployment: Deployment, raw: RawConnection) -> None:
    """Pipelines requests and reads no answer: the server stops reading, and finally closes."""
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
    """Sends a byte without waiting; True if the peer has reset the connection."""
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
    while (frame := raw.read_frame()) is not None:
        code = crln.ERRORS[frame.fields["code"]]
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
        frame = raw.read_frame()
        require(frame is not None and frame.id == id, "no answer")
        if frame.message == "error":
            require(crln.ERRORS[frame.fields["code"]] == "DEADLINE" and frame.fields["effect"] == 0, f"{frame}")
            require(milliseconds <= 1, "a deadline far away has passed")


def same_token_in_batch(deployment: Deployment, raw: RawConnection) -> None:
    """One token 1,000 times in a batch is one device; the last item wins."""
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
    raw.send_request(5, "unregister", app=OTHER_APP, at=0,
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
        """Sends on one connection; returns the message and `duplicate` of each answer."""
        with deployment.raw("open") as each:
            each.send(b"".join(send(id=3 + index, key=key, devices=[device]) for index in range(20)))
            frames = [each.read_frame() for _ in range(20)]
            require(all(frame is not None and frame.message == "send" for frame in frames), f"{frames}")
            return [(frame.fields["message_id"], frame.fields["duplicate"]) for frame in frames]

    with ThreadPoolExecutor(50) as pool:
        answers = [answer for each in pool.map(pipelined, range(50)) for answer in each]
    require(len({message for message, _ in answers}) == 1, "several messages")
    require(sum(duplicate == 0 for _, duplicate in answers) == 1, "not exactly one is the first")
    eventually(lambda: deployment.simulator.accepted_count(token) == 1, "the push arrives")
    with deployment.client() as client:
        message = answers[0][0]
        eventually(lambda: client.message_status(APP, message)["state"] == "finished", "the message is finished")
    require(deployment.simulator.accepted_count(token) == 1, "more than one push")


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
    require(deployment.simulator.accepted_count(token) == 0, "a push went out")


def pings_without_pause(deployment: Deployment, raw: RawConnection) -> None:
    """Very many PINGs without a pause."""
    raw.send(ping() * 1_000)
    expect_error(raw, Refused("TOO_MANY_PINGS", "connection"))


def million_frames(deployment: Deployment, raw: RawConnection) -> None:
    """10⁶ tiny valid frames, as fast as possible; the request after them is answered."""
    frames = raw_frame(b"", 4, 0, kind=5) * 10_000  # The server ignores a GOAWAY of a client.
    for _ in range(100):
        raw.sock.settimeout(30)
        raw.sock.sendall(frames)
    raw.send(lookup(3, os.urandom(32)))
    expect_error(raw, Refused("NOT_FOUND", "request"), 30)


def registration_times(deployment: Deployment, raw: RawConnection) -> None:
    """REGISTER with an earlier time, the same time, and a time far in the future."""
    token = os.urandom(32)
    before = int(time.time() * 1000) - 60_000
    raw.send(register(3, token=token, seen_at=before))
    expect_answer(raw, 3, "register")
    raw.send(register(4, token=token, seen_at=before))
    require(expect_answer(raw, 4, "register").fields["result"] == 2, "not refreshed")
    raw.send(register(5, token=token, seen_at=before - 1))
    frame = raw.read_frame()
    require(frame.message == "error" and frame.fields["code"] == 12, f"an earlier registration: {frame}")
    raw.send(register(6, token=token, seen_at=(1 << 64) - 1))
    require(expect_answer(raw, 6, "register").fields["result"] == 2, "not refreshed")
    raw.send(lookup(7, token))
    seen = expect_answer(raw, 7, "lookup").fields["seen_at"]
    require(abs(seen - time.time() * 1000) < 60_000, f"a time ahead is taken as now, not as {seen}")


def longest_names(deployment: Deployment, raw: RawConnection) -> None:
    """The longest app and the longest tokens: both become keys of the database."""
    token, older = b"\xff" * 200, b"\xfe" * 200
    raw.send(register(3, app=LONGEST_APP.encode(), token=older))
    expect_answer(raw, 3, "register")
    raw.send(register(4, app=LONGEST_APP.encode(), token=token, tail=tags(b"\1", tag(17, older))))
    require(expect_answer(raw, 4, "register").fields["result"] == 3, "not replaced")


def signalled(*signals: int, pause: float = 0) -> Action:
    """Signals that the server gets in the middle of a frame; it stays stopped for `pause` seconds."""

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
    """Requests from a client that resets before it can get the answers."""
    raw.send(b"".join(register(3 + index, token=os.urandom(32)) for index in range(500)))
    raw.reset()
