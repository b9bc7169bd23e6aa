"""Connections of raw bytes to the server, and a port that never answers."""
from __future__ import annotations

import array
import fcntl
import socket
import termios
import threading
import time
from typing import Any, List, Optional

from support.environment import crln, eventually, stable


class RawConnection:
    """A client that sends any bytes."""

    def __init__(self, port: int, api_key: str, phase: str = "preface", source: str = "127.0.0.1",
                 path: str = "") -> None:
        if path:
            self.sock = socket.socket(socket.AF_UNIX)
            self.sock.connect(path)
        else:
            self.sock = socket.create_connection(("127.0.0.1", port), 10, source_address=(source, 0))
            self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b""
        self.has_preface = False
        # Set if a thread sends slowly on this connection: the event ends that thread.
        self.slow_sender: Optional[threading.Event] = None
        try:
            if phase != "preface":
                self.send(crln.client_preface())
                self.read_preface()
            if phase in ("auth", "open"):
                self.send_request(1, "hello", software="bad/1", receive_limit=0)
                self.read_frame()
            if phase == "open":
                self.send_request(2, "auth", method=1, credential=api_key.encode())
                self.read_frame()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> RawConnection:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def send(self, data: bytes) -> None:
        """Sends bytes; a closed connection is noticed when reading."""
        try:
            self.sock.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            pass

    def send_request(self, id: int, message: str, **fields: Any) -> None:
        """Sends a request with well-formed fields."""
        self.send(crln.encode("client", message, fields, id))

    def _receive(self, count: int, deadline: float) -> bool:
        """Receives until this number of bytes is there. Returns False if the server has closed."""
        while len(self.buffer) < count:
            self.sock.settimeout(max(0.01, deadline - time.monotonic()))
            try:
                piece = self.sock.recv(1 << 18)
            except ConnectionResetError:
                return False
            except socket.timeout:
                raise AssertionError("the server neither answered nor closed") from None
            if not piece:
                return False
            self.buffer += piece
        return True

    def read_preface(self, timeout: float = 10) -> bytes:
        """Reads the server's preface."""
        if not self._receive(16, time.monotonic() + timeout):
            raise AssertionError("closed before the preface")
        preface, self.buffer = self.buffer[:16], self.buffer[16:]
        self.has_preface = True
        return preface

    def read_frame(self, timeout: float = 10) -> Optional[crln.Frame]:
        """Reads the next frame except PING; None if the server has closed."""
        deadline = time.monotonic() + timeout
        if not self.has_preface:
            if not self._receive(1, deadline):
                return None
            self.read_preface(timeout)
        while True:
            if not self._receive(16, deadline):
                if self.buffer:
                    raise AssertionError("closed in the middle of a header")
                return None
            size = 16 + int.from_bytes(self.buffer[:4], "big")
            if not self._receive(size, deadline):
                raise AssertionError("closed in the middle of a frame")
            data, self.buffer = self.buffer[:size], self.buffer[size:]
            frame = crln.decode(data, "server")
            if frame.message != "ping":
                return frame

    def unread_byte_count(self) -> int:
        """Returns the number of bytes that have arrived and are not read yet."""
        count = array.array("i", [0])
        fcntl.ioctl(self.sock, termios.FIONREAD, count)
        return count[0]

    def unread_frame_count(self) -> int:
        """Returns the number of whole frames that have arrived and are not read yet."""
        data = self.sock.recv(1 << 20, socket.MSG_PEEK) if self.unread_byte_count() else b""
        frames = end = 0
        while end + 16 <= len(data):
            end += 16 + int.from_bytes(data[end:end + 4], "big")
            frames += end <= len(data)
        return frames

    def wait_until_stalled(self) -> None:
        """Waits until answers have arrived and no more come, since the buffers between the peers are full."""
        eventually(self.unread_byte_count, "an answer arrives")
        stable(self.unread_byte_count, "more answers arrive")

    def reset(self) -> None:
        """Closes with an RST."""
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
        self.sock.close()

    def close(self) -> None:
        """Closes with a FIN."""
        self.sock.close()


class UnansweringPort:
    """A port of this machine that neither accepts nor refuses connections: its queue is full."""

    def __init__(self, address: str, port: int) -> None:
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind((address, port))
        self.listener.listen(0)
        self.fillers: List[socket.socket] = []
        while True:
            filler = socket.socket()
            self.fillers.append(filler)
            filler.settimeout(0.3)
            try:
                filler.connect((address, port))
            except (TimeoutError, socket.timeout):
                break

    def close(self) -> None:
        """Frees the port: connections are refused from now on."""
        for each in [*self.fillers, self.listener]:
            each.close()


def raw_frame(payload: bytes, opcode: int, id: int, *, kind: int = 1, flags: int = 0,
              length: Optional[int] = None) -> bytes:
    """Returns a frame whose header fields can all be wrong."""
    return crln.HEADER.pack(len(payload) if length is None else length, kind, flags, opcode, id) + payload
