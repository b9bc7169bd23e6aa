"""Every fault of FCM and of its token endpoint, at three moments: as faults does for APNs.

Tools/prove android-faults [--smoke] [--moment idle|mid-batch|draining]… [--jobs N] [NAME…]

Each fault has a deployment of its own: a real carillond, and a push-simulator that misbehaves. Each cell proves: every
device gets the message and its outcome is `delivered`; none is taken for dead; the number of duplicates is within what
the fault allows; the server never breaks a rule of Google's front end and never tries again before the pause that FCM
asks for; and after the fault the rest is delivered within a bounded time. The columns are those of faults.

Programs: carillond push-simulator
Build: debug
"""
from __future__ import annotations

import sys
import time
from typing import Any, Dict, List, Sequence

from proofs.parts import fault_matrix
from proofs.parts.fault_tables.fault import Fault
from proofs.parts.fault_tables.fcm_faults import ANSWER_SECONDS, faults
from proofs.parts.fault_tables.http2_faults import CONNECTIONS, STREAMS
from proofs.parts.provider_row import ProviderCounters, ProviderRow
from support.deployment import crln
from support.environment import require
from support.providers.android import APP, AndroidDeployment, android, android_token


class Row(ProviderRow):
    """Runs one fault of FCM in a deployment of its own."""

    streams = STREAMS

    def table(self) -> List[Fault]:
        return faults()

    def deploy(self, flags: Sequence[str]) -> AndroidDeployment:
        return AndroidDeployment(simulator=None, flags=None, push_flags=flags)

    def register(self, client: crln.Client) -> List[Any]:
        devices = android([android_token() for _ in range(fault_matrix.DEVICES)])
        seen = int(time.time() * 1000)
        results = client.register_batch([{"app": APP, "token": token, "kind": "fcm", "seen_at": seen}
                                         for token, _, _ in devices])
        require(not any("error" in result for result in results), "devices are refused")
        return devices

    def check_rules(self, stats: Dict[str, Any]) -> None:
        early = stats["early-requests"]
        require(early == 0, f"{early} messages were tried again before the pause was over")

    def counters(self) -> ProviderCounters:
        return FCM(self.deployment.push_simulator)

    def _start(self) -> None:
        self.deployment.start("--fcm-maximum-connections", str(CONNECTIONS),
                              "--fcm-answer-timeout-seconds", str(ANSWER_SECONDS))


class FCM(ProviderCounters):
    """push-simulator as FCM."""

    _issued = 0

    def ask(self, command: str, *arguments: Any) -> Any:
        answer = super().ask(command, *arguments)
        if command == "reset":
            # The simulator counts the access tokens since its start.
            self._issued = self.simulator.stats()["oauth"]["issued"]
        return answer

    def stats(self) -> Dict[str, Any]:
        stats = self.simulator.stats()
        fcm = stats["fcm"]
        # An answer of the token endpoint that has no token is a fault, whatever its status.
        others = {name: count for name, count in stats["rejected"].items() if not name.startswith("oauth-")}
        oauth = stats["oauth"]
        return {**stats, "duplicates": fcm["duplicates"], "devices": fcm["accepted"] - fcm["duplicates"],
                "rejected": {**others, "oauth": oauth["requests"] - (oauth["issued"] - self._issued)}}


if __name__ == "__main__":
    sys.exit(fault_matrix.main([(Row, faults())], "android-faults"))
