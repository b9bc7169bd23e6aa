"""Captures of TCP connections, written by hand."""
from __future__ import annotations

import struct
from pathlib import Path
from typing import Iterable, List, Optional, Tuple

from frames import CLIENT_PREFACE, SERVER_PREFACE, SESSION

PORT = 7474
# Flags of TCP.
SYN, ACK, PUSH_AND_ACK = 0x02, 0x10, 0x18


class Capture:
    """A pcap of TCP connections over IPv4 and Ethernet, with true sequence numbers and no checksums."""

    def __init__(self) -> None:
        self.packets: List[bytes] = []
        self.connections = 0
        self.clock_microseconds = 1_800_000_000_000_000

    def connect(self, server_port: int = PORT) -> Connection:
        """Adds the handshake of a TCP connection."""
        self.connections += 1
        return Connection(self, self.connections, server_port)

    def add(self, packet: bytes, kept_bytes: Optional[int] = None) -> None:
        """Adds a packet; `kept_bytes` cuts what the capture has of it."""
        self.clock_microseconds += 1000
        seconds, micros = divmod(self.clock_microseconds, 1_000_000)
        kept = packet[:kept_bytes]
        self.packets.append(struct.pack("<IIII", seconds, micros, len(kept), len(packet)) + kept)

    def write(self, path: Path) -> None:
        """Writes the file."""
        path.write_bytes(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 1) + b"".join(self.packets))


class Connection:
    """One connection of a capture; its number gives it its own addresses and ports."""

    def __init__(self, capture: Capture, number: int, server_port: int) -> None:
        self.capture = capture
        self.ports = {"client": 20000 + number % 40000, "server": server_port}
        self.addresses = {"client": bytes([10, 0, number >> 8 & 255, number & 255]), "server": bytes([10, 1, 0, 1])}
        self.sequence = {"client": 1000, "server": 5000}
        self._packet("client", SYN)
        self._packet("server", SYN | ACK)
        self._packet("client", ACK)

    def _packet(self, sender: str, flags: int, data: bytes = b"", kept_bytes: Optional[int] = None) -> None:
        receiver = "server" if sender == "client" else "client"
        acknowledged = 0 if flags == SYN else self.sequence[receiver]
        tcp = struct.pack(">HHIIBBHHH", self.ports[sender], self.ports[receiver], self.sequence[sender], acknowledged,
                          0x50, flags, 65535, 0, 0)
        ip = struct.pack(">BBHHHBBH", 0x45, 0, 40 + len(data), 0, 0, 64, 6, 0)
        ip += self.addresses[sender] + self.addresses[receiver]
        headers = bytes(12) + b"\x08\x00" + ip + tcp
        self.capture.add(headers + data, None if kept_bytes is None else len(headers) + kept_bytes)
        self.sequence[sender] += len(data) + (1 if flags & SYN else 0)

    def send(self, sender: str, data: bytes, segment_bytes: int = 1400, kept_bytes: Optional[int] = None) -> None:
        """Sends the data in segments. `kept_bytes` is how much of each segment the capture has."""
        for start in range(0, len(data), segment_bytes):
            self._packet(sender, PUSH_AND_ACK, data[start:start + segment_bytes], kept_bytes)

    def prefaces(self) -> Connection:
        """Sends the prefaces of both sides."""
        self.send("client", CLIENT_PREFACE)
        self.send("server", SERVER_PREFACE)
        return self


def capture_frames(frames: Iterable[Tuple[str, bytes]]) -> Capture:
    """Returns a connection of prefaces and these frames, a packet each."""
    capture = Capture()
    connection = capture.connect().prefaces()
    for sender, data in frames:
        connection.send(sender, data)
    return capture


def capture_session(segment_bytes: int = 1400, *, is_joined: bool = False, port: int = PORT) -> Capture:
    """Returns the session in segments. If it is joined, frames that follow each other from one side share segments."""
    capture = Capture()
    connection = capture.connect(port)
    runs: List[Tuple[str, bytes]] = []
    for sender, data in SESSION:
        if is_joined and runs and runs[-1][0] == sender:
            data = runs.pop()[1] + data
        runs.append((sender, data))
    for sender, data in runs:
        connection.send(sender, data, segment_bytes)
    return capture
