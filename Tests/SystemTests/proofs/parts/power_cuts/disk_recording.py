"""Reads what disk_recorder.c has recorded: the calls of a server that changed files of its data directory."""
from __future__ import annotations

import bisect
import struct
from enum import IntEnum
from pathlib import Path
from typing import Dict, List, NamedTuple, Tuple

HEAD = struct.Struct("=BBHIQQ")


class Kind(IntEnum):
    """What a call did; the numbers of disk_recorder.c."""

    STARTED = 1
    MADE = 2
    WRITTEN = 3
    SYNC_BEGUN = 4
    SYNC_ENDED = 5
    WRITE_SYNCED = 6
    RESIZED = 7
    RENAMED = 8
    LINKED = 9
    UNLINKED = 10
    SENT = 11


class Call(NamedTuple):
    """One recorded call. Its number is its place in the record, from 1."""

    kind: Kind
    # The inode of the file; of SENT the port of the peer.
    file: int
    # WRITTEN: the offset. RESIZED: the size. SENT: bytes. SYNC_ENDED and WRITE_SYNCED: the number of the call that
    # began it.
    value: int
    names: Tuple[str, ...]
    data: bytes


def read_calls(path: Path) -> List[Call]:
    """Returns all calls of a record, in their order."""
    record = path.read_bytes()
    calls, offset = [], 0
    while offset < len(record):
        kind, _, name_bytes, count, file, value = HEAD.unpack_from(record, offset)
        offset += HEAD.size
        names = record[offset:offset + name_bytes].decode().split("\0")[:-1]
        offset += name_bytes
        calls.append(Call(Kind(kind), file, value, tuple(names), record[offset:offset + count]))
        offset += count
    return calls


class Answers:
    """When a server wrote which bytes to which connection."""

    def __init__(self, calls: List[Call]) -> None:
        # By server process and port of the client: the bytes so far, and the number of the call that wrote the last.
        self.sent: Dict[Tuple[int, int], Tuple[List[int], List[int]]] = {}
        starts = 0
        for number, call in enumerate(calls, 1):
            if call.kind == Kind.STARTED:
                starts += 1
            elif call.kind == Kind.SENT:
                ends, numbers = self.sent.setdefault((starts, call.file), ([], []))
                ends.append(call.value + (ends[-1] if ends else 0))
                numbers.append(number)

    def call_number(self, start: int, port: int, end: int) -> int:
        """Returns the number of the call that wrote byte `end` of a connection.

        Raises an AssertionError if there is none: the recorder has not seen what the client has got.
        """
        ends, numbers = self.sent.get((start, port), ([], []))
        index = bisect.bisect_left(ends, end)
        if index == len(ends):
            raise AssertionError(f"no recorded call wrote byte {end} to port {port}")
        return numbers[index]
