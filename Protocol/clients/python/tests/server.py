"""A deployment of the real server by the tools of the system tests. CARILLON_PROGRAMS is the folder of the programs."""
from __future__ import annotations

import sys
from typing import Any

from .support import ROOT


class Server:
    """A server and an APNs simulator on loopback; `with` ends them."""

    def __init__(self) -> None:
        tools = str(ROOT / "Tests" / "SystemTests")
        if tools not in sys.path:
            sys.path.append(tools)
        from support.deployment import APP, Deployment  # type: ignore

        self.deployment: Any = Deployment()
        self.address = f"127.0.0.1:{self.deployment.port}"
        self.key_file = str(self.deployment.api_key_file)
        self.app: str = APP

    def terminate(self) -> None:
        """Ends the server with SIGTERM."""
        self.deployment.terminate()

    def kill(self) -> None:
        """Ends the server with SIGKILL."""
        self.deployment.kill()

    def start(self) -> None:
        """Starts the server again, on the same port."""
        self.deployment.start("--listen-port", self.address.rpartition(":")[2])

    def stop(self) -> None:
        """Ends both and removes their files."""
        self.deployment.stop()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: Any) -> None:
        self.stop()
