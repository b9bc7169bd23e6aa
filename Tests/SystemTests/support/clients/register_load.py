"""A client that registers devices without a pause, also while its server drains."""
from __future__ import annotations

import os
import threading
from typing import Any, Dict, List

from support.deployment import Deployment
from support.environment import APP, crln


class RegisterLoad:
    """Sends REGISTERs on one connection until the connection ends, at most 300 without an answer, and remembers which
    were answered."""

    def __init__(self, deployment: Deployment) -> None:
        self.raw = deployment.raw("open")
        self.tokens: Dict[int, bytes] = {}
        self.answered: List[int] = []
        self.refused: List[int] = []
        self.goaways: List[Dict[str, Any]] = []
        self.room = threading.Semaphore(300)
        self.ended = False
        self.problem = ""
        self.threads = [threading.Thread(target=work, daemon=True) for work in (self._write, self._read)]
        for thread in self.threads:
            thread.start()

    def _write(self) -> None:
        id = 3
        while not self.ended:
            if not self.room.acquire(timeout=0.1):
                continue
            self.tokens[id] = os.urandom(32)
            self.raw.send_request(id, "register", app=APP, environment=1, kind=1, token=self.tokens[id], seen_at=0)
            id += 1

    def _read(self) -> None:
        try:
            while (frame := self.raw.read_frame(30)) is not None:
                if frame.message == "register":
                    self.answered.append(frame.id)
                elif frame.message == "goaway":
                    self.goaways.append(frame.fields)
                elif (frame.message == "error" and frame.fields["effect"] == 0
                      and crln.ERRORS[frame.fields["code"]] == "DRAINING"):
                    self.refused.append(frame.id)
                else:
                    self.problem = f"{frame}"
                if frame.id:
                    self.room.release()
        except BaseException as error:
            self.problem = repr(error)
        self.ended = True

    def join(self) -> None:
        """Waits until the connection has ended."""
        for thread in self.threads:
            thread.join(30)
        self.raw.close()
