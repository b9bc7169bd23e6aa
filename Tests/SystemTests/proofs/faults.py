"""Every fault of APNs, at three moments: each device gets its message, duplicates are bounded, the server recovers.

Tools/prove faults [--smoke] [--moment idle|mid-batch|draining]… [--jobs N] [NAME…]

Each fault has a deployment of its own: a real carillond, and a simulator that misbehaves. A cell is one fault at one
moment, and proves: every device gets the message and its outcome is `delivered`; the number of duplicates is within
what the fault allows; the server never violates HTTP/2; it does not end, and does not connect too often; and after the
fault the rest is delivered within a bounded time. The columns: seconds from the end of the fault to the last outcome;
devices that got two pushes, and the allowed number; connections made; how often the fault was met.

Programs: carillond apns-simulator
Build: debug
"""
from __future__ import annotations

import os
import sys
import time
from typing import Any

from proofs.parts import fault_matrix
from proofs.parts.fault_matrix import DELAY_MS, DEVICES
from proofs.parts.fault_tables.apns_faults import ANSWER_SECONDS, CONNECTIONS, STREAMS, UNANSWERING, faults
from support.clients.raw_connection import UnansweringPort
from support.deployment import APP, Deployment
from support.environment import require


class Row(fault_matrix.Row):
    """Runs one fault of APNs in a deployment of its own."""

    def _deploy_and_run(self) -> None:
        home = ["127.0.0.1"] if faults(NoKeys())[self.index].names is not None else None
        with Deployment(simulator=None, flags=None, names=home) as self.deployment:
            make_certificates(self.deployment.keys)
            self.fault = faults(self.deployment.keys)[self.index]
            self.deployment.start_simulator("--delay-milliseconds", str(DELAY_MS), "--max-streams", str(STREAMS),
                                            "--quiet", "--host", "::" if self.fault.is_everywhere else "127.0.0.1")
            port = self.deployment.simulator.port
            is_needed = UNANSWERING in (self.fault.names or ())
            unanswering = UnansweringPort(UNANSWERING, port) if is_needed else None
            self._start()
            self._register()
            for moment in self.moments:
                self._run_moment(moment)
            if unanswering:
                unanswering.close()

    def _start(self) -> None:
        self.deployment.start("--apns-maximum-connections", str(CONNECTIONS),
                              "--apns-answer-timeout-seconds", str(ANSWER_SECONDS))

    def _register(self) -> None:
        self.tokens = [b"\x01" + os.urandom(31) for _ in range(DEVICES - 1)]
        # A token with a prefix that a fault can match; no other token has it.
        self.tokens.insert(DEVICES // 2, b"\xde\xad" + os.urandom(30))
        now = int(time.time() * 1000)
        with self.deployment.client() as client:
            results = client.register_batch([{"app": APP, "token": token, "seen_at": now} for token in self.tokens])
            require(not any("error" in result for result in results), "devices are refused")
            warm = self._send(client, self.tokens[:1])
            self._wait_until_finished(client, warm, 1, 10 * self.slack)


def make_certificates(keys: Any) -> None:
    """Makes certificates that a client must not accept."""
    keys.authority("unknown-authority")
    keys.certificate("untrusted", "subjectAltName=DNS:localhost", authority="unknown-authority")
    keys.certificate("expired", "subjectAltName=DNS:localhost", days=(-3, -1))
    keys.certificate("misnamed", "subjectAltName=DNS:elsewhere.example.com")


class NoKeys:
    """A replacement for `Keys` where only the names of the faults matter."""

    def path(self, name: str) -> str:
        """Returns the name as a path."""
        return name


if __name__ == "__main__":
    sys.exit(fault_matrix.main([(Row, faults(NoKeys()))], "faults"))
