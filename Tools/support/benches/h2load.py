"""h2load, the reference program for sending: the same pushes as ours, to distinct devices."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import time
from typing import List, Optional

from common import (APP, CLIENT_CORE, KEY_ID, PAYLOAD, TEAM, BenchFailed, children_cpu_seconds, deployment,
                    expect_accepted, file_path, on_core, reset_simulator)

NOTIFICATION_ID = "8f2a9c1e-0000-4000-8000-000000000000"


def provider_token() -> str:
    """A JWT for APNs (ES256), signed by openssl."""

    def encoded(data: bytes) -> bytes:
        return base64.urlsafe_b64encode(data).rstrip(b"=")

    header = {"alg": "ES256", "kid": KEY_ID}
    claims = {"iss": TEAM, "iat": int(time.time())}
    signed = b".".join(encoded(json.dumps(part).encode()) for part in (header, claims))
    der = subprocess.run(["openssl", "dgst", "-sha256", "-sign", file_path("AuthKey.p8")], input=signed,
                         stdout=subprocess.PIPE, check=True).stdout
    first_end = 4 + der[3]
    halves = der[4:first_end], der[first_end + 2:]
    signature = b"".join(half.lstrip(b"\0").rjust(32, b"\0") for half in halves)
    return (signed + b"." + encoded(signature)).decode()


def push_headers() -> List[str]:
    fields = {
        "authorization": "bearer " + provider_token(),
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
    state, port = 7, deployment().simulator.port
    with open(file_path("devices.txt"), "w", encoding="ascii") as file:
        for _ in range(count):
            state = state * 0x5851F42D4C957F2D14057B7EF767814F + 0x9E3779B97F4A7C15 & (1 << 256) - 1
            file.write(f"https://localhost:{port}/3/device/{state:064x}\n")


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
        """The better result of two configurations of h2load, without the cost of reading the paths."""
        devices = ["-i", file_path("devices.txt")]
        fixed = self.run(1, connections=1, streams=1, addresses=devices)
        figures = []
        for connections, streams in ((1, 1000), (4, 250)):
            reset_simulator()
            used = self.run(count, connections=connections, streams=streams, addresses=devices)
            figures.append(count / (used - fixed))
            expect_accepted(count)
        return max(figures)
