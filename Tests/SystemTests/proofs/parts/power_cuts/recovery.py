"""Runs carillon-recover: a process that opens one data directory after the other, as a start of the server does."""
from __future__ import annotations

import os
import select
import subprocess
from pathlib import Path
from typing import List, Sequence

from support.environment import APP, PROGRAMS

# Seconds after which a recovery is taken for one that never ends.
RECOVERY_SECONDS = 120


class Recovery:
    """The running program. It opens a directory while its caller prepares the next."""

    def __init__(self, subscribers: Sequence[str]) -> None:
        self.arguments = [word for name in subscribers for word in ("--subscriber", name)]
        self._start()

    def _start(self) -> None:
        self.rest = b""
        self.process = subprocess.Popen([str(PROGRAMS / "carillon-recover"), "--app", APP, *self.arguments],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def begin(self, folder: Path) -> None:
        """Begins to open a directory."""
        self.process.stdin.write(f"{folder}\n".encode())
        self.process.stdin.flush()

    def end(self) -> List[str]:
        """Returns the lines about the directory. A program that trapped or hangs is started anew, and the only line
        says so."""
        while not self.rest.endswith(b"end\n"):
            readable, _, _ = select.select([self.process.stdout], [], [], RECOVERY_SECONDS)
            piece = os.read(self.process.stdout.fileno(), 1 << 20) if readable else b""
            if not piece:
                self.process.kill()
                said = self.process.communicate()[1].decode(errors="replace").strip().splitlines()
                self._start()
                return ["refused\t" + ("the recovery does not end" if not readable else
                                       f"the recovery ended the process: {' '.join(said[:3])}")]
            self.rest += piece
        text, self.rest = self.rest.decode(), b""
        return text.split("\n")[:-2]

    def stop(self) -> None:
        """Ends the program."""
        self.process.kill()
        self.process.communicate()
