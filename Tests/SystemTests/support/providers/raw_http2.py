"""A connection to apns-simulator that writes and reads frames of HTTP/2 by hand (RFC 9113)."""
from __future__ import annotations

import socket
import ssl
import struct
from typing import Any, List, Optional

from support.deployment import APP, Deployment
from support.environment import TIMEOUT_SECONDS

# Types of frames, and the flags that are used here.
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8
END_STREAM, ACKNOWLEDGEMENT, END_HEADERS = 1, 1, 4
FRAME_HEADER_BYTES = 9
ERROR_CODES = {0: "NO_ERROR", 1: "PROTOCOL_ERROR", 2: "INTERNAL_ERROR", 7: "REFUSED_STREAM", 8: "CANCEL",
               11: "ENHANCE_YOUR_CALM"}
PUSH_BODY = b'{"aps":{"alert":"hello"}}'


class RawHTTP2Connection:
    """A connection with a client certificate. It answers PINGs, and describes each received frame in words."""

    def __init__(self, deployment: Deployment) -> None:
        path = deployment.keys.path
        context = ssl.create_default_context(cafile=path("authority.pem"))
        context.load_cert_chain(path("client.pem"), path("client.key"))
        context.set_alpn_protocols(["h2"])
        raw = socket.create_connection(("127.0.0.1", deployment.simulator.port), TIMEOUT_SECONDS)
        self.sock = context.wrap_socket(raw, server_hostname="localhost", suppress_ragged_eofs=False)
        self.buffer = b""
        self.last_stream = -1
        self.sock.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(SETTINGS, 0, 0, b""))

    def __enter__(self) -> RawHTTP2Connection:
        return self

    def __exit__(self, *_: Any) -> None:
        self.sock.close()

    def push(self, count: int = 1, prefix: str = "ab") -> None:
        """Sends `count` pushes in one write, to different devices whose tokens begin with the prefix."""
        data = b""
        for _ in range(count):
            self.last_stream += 2
            # The static table of HPACK has `:method: POST` at 3 and `:scheme: https` at 7.
            headers = b"\x83\x87" + literal(":path", "/3/device/" + prefix + f"{self.last_stream:030x}")
            headers += literal(":authority", "localhost") + literal("apns-topic", APP)
            data += frame(HEADERS, END_HEADERS, self.last_stream, headers)
            data += frame(DATA, END_STREAM, self.last_stream, PUSH_BODY)
        self.sock.sendall(data)

    def received(self, least: int = 0, timeout: float = 0.3) -> List[str]:
        """Returns the descriptions of at least `least` frames, and then of all that come until nothing has come for
        `timeout` seconds. WINDOW_UPDATE and acknowledgements are left out. The last word says how the connection
        ended, if it did: “end” with TLS' close_notify, “cut” without it, “reset” with a reset of TCP."""
        words: List[str] = []
        while True:
            try:
                self.sock.settimeout(timeout if len(words) >= least else TIMEOUT_SECONDS)
                piece = self.sock.recv(65_536)
            except (TimeoutError, socket.timeout):
                return words
            except OSError:
                return words + ["reset" if self.is_reset else "cut"]
            if not piece:
                return words + ["end"]
            self.buffer += piece
            words += filter(None, self._frames())

    @property
    def is_reset(self) -> bool:
        """True if TCP was reset: after a FIN alone there is still a peer."""
        try:
            self.sock.getpeername()
            return False
        except OSError:
            return True

    def begin(self) -> None:
        """Makes the first push and reads its answer, and the settings before and after it."""
        self.push()
        words: List[str] = []
        while "200 1" not in words:
            words += self.received(1, 0.1)
        self.received()

    def _frames(self) -> List[Optional[str]]:
        """Takes the whole frames out of the buffer, answers PINGs, and returns the descriptions."""
        words = []
        while len(self.buffer) >= FRAME_HEADER_BYTES:
            end = FRAME_HEADER_BYTES + int.from_bytes(self.buffer[:3], "big")
            type, flags, stream = struct.unpack(">BBI", self.buffer[3:FRAME_HEADER_BYTES])
            if len(self.buffer) < end:
                break
            payload, self.buffer = self.buffer[FRAME_HEADER_BYTES:end], self.buffer[end:]
            if type == PING and not flags & ACKNOWLEDGEMENT:
                self.sock.sendall(frame(PING, ACKNOWLEDGEMENT, 0, payload))
            words.append(description(type, flags, stream, payload))
        return words


def literal(name: str, value: str) -> bytes:
    """Returns a header field that HPACK neither compresses nor stores; name and value have less than 127 bytes."""
    return b"\0" + bytes([len(name)]) + name.encode() + bytes([len(value)]) + value.encode()


def frame(type: int, flags: int, stream: int, payload: bytes) -> bytes:
    """Returns the bytes of a frame."""
    return len(payload).to_bytes(3, "big") + struct.pack(">BBI", type, flags, stream) + payload


def description(type: int, flags: int, stream: int, payload: bytes) -> Optional[str]:
    """Returns a frame in words. None for WINDOW_UPDATE and acknowledgements, which tests do not judge."""
    if type == WINDOW_UPDATE or type in (SETTINGS, PING) and flags & ACKNOWLEDGEMENT:
        return None
    if type == DATA:
        return f"DATA {stream} {payload.decode()}"
    if type == HEADERS:
        # The static table of HPACK has `:status: 200` at 8.
        return f"200 {stream}" if payload[:1] == b"\x88" else f"HEADERS {stream}"
    if type == RST_STREAM:
        return f"RST_STREAM {stream} {ERROR_CODES[int.from_bytes(payload, 'big')]}"
    if type == SETTINGS:
        pairs = [struct.unpack(">HI", payload[at:at + 6]) for at in range(0, len(payload), 6)]
        return " ".join(["SETTINGS", *(f"{id:x}={value}" for id, value in pairs)])
    if type == GOAWAY:
        last, code = struct.unpack(">II", payload[:8])
        reason = " " + payload[8:].decode() if payload[8:] else ""
        return f"GOAWAY {'max' if last == 0x7FFFFFFF else last} {ERROR_CODES[code]}{reason}"
    return "PING" if type == PING else f"frame {type:x}"
