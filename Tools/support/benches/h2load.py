"""h2load, the reference program for sending: the same pushes as ours, to distinct devices."""

from __future__ import annotations

import random
import re
import subprocess
from typing import List, Optional

from common import (APP, CLIENT_CORE, PAYLOAD, BenchFailed, children_cpu_seconds, deployment, expect_accepted,
                    file_path, on_core, provider_token, reset_simulator)

NOTIFICATION_ID = "8f2a9c1e-0000-4000-8000-000000000000"


def push_headers() -> List[str]:
    fields = {
        "authorization": "bearer " + provider_token(file_path("AuthKey.p8")),
        "apns-topic": APP,
        "apns-push-type": "alert",
        "apns-priority": "10",
        "apns-id": NOTIFICATION_ID,
    }
    return [word for name, value in fields.items() for word in ("-H", f"{name}: {value}")]


def write_requests(count: int) -> None:
    """Writes the body and the paths of `count` distinct devices, the same in every run."""
    with open(file_path("body.json"), "wb") as file:
        file.write(PAYLOAD)
    port = deployment().simulator.port
    generator = random.Random(7)
    with open(file_path("devices.txt"), "w", encoding="ascii") as file:
        for _ in range(count):
            file.write(f"https://localhost:{port}/3/device/{generator.randbytes(32).hex()}\n")


class H2Load:
    """Runs h2load, with the same push for every server unless `run` gets another `request`."""

    def __init__(self) -> None:
        self.push = push_headers() + ["-d", file_path("body.json")]

    def run(self, count: int, *, connections: int, streams: int, addresses: List[str],
            request: Optional[List[str]] = None) -> float:
        """Sends `count` requests and returns the CPU-seconds of h2load; each must be answered 200."""
        request = self.push if request is None else request
        command = on_core(CLIENT_CORE) + ["h2load", "-n", str(count), "-c", str(connections), "-m", str(streams)]
        before = children_cpu_seconds()
        done = subprocess.run(
            command + request + addresses,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
        )
        used = children_cpu_seconds() - before
        found = re.search(r"status codes: (\d+) 2xx, 0 3xx, 0 4xx, 0 5xx", done.stdout)
        clean = re.search(r" 0 failed, 0 errored, 0 timeout", done.stdout)
        if done.returncode != 0 or not found or int(found[1]) != count or not clean:
            raise BenchFailed(f"h2load did not get {count} answers of 200:\n{done.stdout[-1000:]}")
        return used

    def pushes_per_cpu_second(self, count: int) -> float:
        """Returns the better result of two configurations of h2load, without the cost of reading the paths."""
        devices = ["-i", file_path("devices.txt")]
        fixed = self.run(1, connections=1, streams=1, addresses=devices)
        figures = []
        for connections, streams in ((1, 1000), (4, 250)):
            reset_simulator()
            used = self.run(count, connections=connections, streams=streams, addresses=devices)
            figures.append(count / (used - fixed))
            expect_accepted(count)
        return max(figures)
