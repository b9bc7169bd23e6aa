"""The command `carillon` on a terminal, as a user has one."""
from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import termios
import time
from typing import Any, Dict, List

from support.deployment import PROGRAMS, eventually

CARILLON = str(PROGRAMS / "carillon")


class Screen:
    """A run of `carillon` on a terminal of its own."""

    def __init__(self, arguments: List[str], variables: Dict[str, str], columns: int = 100, rows: int = 30) -> None:
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.execve(CARILLON, [CARILLON, *arguments], variables)
        self.seen = b""
        self.resize(columns, rows)

    def resize(self, columns: int, rows: int) -> None:
        """Changes the size of the window."""
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def frame(self) -> List[str]:
        """Returns the lines of the last whole drawing, without colors. The newest drawing may not have arrived whole
        yet."""
        frames = self.seen.split(b"\x1b[H")
        text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", frames[-2 if len(frames) > 2 else -1].decode(errors="replace"))
        return [line.rstrip("\r") for line in text.split("\n")]

    def wait(self, wanted: bytes, timeout: float = 20) -> None:
        """Reads until these bytes were written."""
        end = time.monotonic() + timeout
        while wanted not in self.seen:
            ready, _, _ = select.select([self.terminal], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise AssertionError(f"{wanted!r} did not come; last was {self.seen[-300:]!r}")
            try:
                self.seen += os.read(self.terminal, 65536)
            except OSError as error:
                raise AssertionError(f"it ended without {wanted!r}: {self.seen[-300:]!r}") from error

    def press(self, keys: bytes) -> None:
        os.write(self.terminal, keys)

    def echoes(self) -> bool:
        """True if the terminal echoes keys, as in a shell."""
        return bool(termios.tcgetattr(self.terminal)[3] & termios.ECHO)

    def status(self) -> int:
        """Waits and returns the exit status."""
        def ended() -> Any:
            try:
                select.select([self.terminal], [], [], 0)[0] and os.read(self.terminal, 65536)
            except OSError:
                pass
            process, status = os.waitpid(self.process, os.WNOHANG)
            return process and (status,)

        return os.waitstatus_to_exitcode(eventually(ended, "the command ends")[0])
