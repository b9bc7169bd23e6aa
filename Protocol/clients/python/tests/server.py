"""A deployment of the real server in a process of its own, because its tools import another `carillon`.

`python server.py` prints one JSON object when the server listens, then obeys lines on its input: `terminate`, `kill`,
`start`, and answers each with a line. The end of the input ends it.
"""
from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict

ROOT = Path(__file__).resolve().parents[4]


class Server:
    """The process; `with` ends it."""

    def __init__(self) -> None:
        self.process = subprocess.Popen([sys.executable, "-B", __file__], text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        first = self._answer()
        self.address: str = first["address"]
        self.key_file: str = first["key_file"]
        self.app: str = first["app"]

    def _answer(self) -> Dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError("the server has not started; CARILLON_PROGRAMS names the folder of the programs")
        found: Dict[str, Any] = json.loads(line)
        return found

    def do(self, command: str) -> None:
        """Performs a command and waits for it."""
        assert self.process.stdin is not None
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        self._answer()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: Any) -> None:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait(60)
        self.process.stdout.close()


def main() -> None:
    """Serves until the end of the input."""
    sys.path.insert(0, str(ROOT / "Tests" / "SystemTests"))
    from support.deployment import APP, Deployment  # type: ignore

    with Deployment() as deployment:
        port = str(deployment.port)
        print(json.dumps({"address": f"127.0.0.1:{port}", "app": APP, "key_file": str(deployment.api_key_file)}),
              flush=True)
        for line in sys.stdin:
            if line.strip() == "terminate":
                deployment.terminate()
            elif line.strip() == "kill":
                deployment.kill()
            elif line.strip() == "start":
                deployment.start("--listen-port", port)
            print("{}", flush=True)


if __name__ == "__main__":
    main()
