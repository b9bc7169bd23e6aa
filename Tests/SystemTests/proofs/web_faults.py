"""Every fault of a push service of browsers, at three moments: as faults does for APNs.

Tools/prove web-faults [--smoke] [--moment idle|mid-batch|draining]… [--jobs N] [NAME…]

Each fault has a deployment of its own: a real carillond, and a push-simulator that misbehaves, and that decrypts each
message as the browser would. Each cell proves: every browser gets the message and its outcome is `delivered`; none is
taken for dead; the number of duplicates is within what the fault allows; each message can be decrypted; and after the
fault the rest is delivered within a bounded time. The columns are those of faults.

Programs: carillond push-simulator
Build: debug
"""
from __future__ import annotations

import sys
from typing import Any, Dict, List, Sequence

from proofs.parts import fault_matrix
from proofs.parts.fault_tables.fault import Fault
from proofs.parts.fault_tables.http2_faults import CONNECTIONS, STREAMS
from proofs.parts.fault_tables.push_service_faults import ANSWER_SECONDS, faults
from proofs.parts.provider_row import ProviderCounters, ProviderRow
from support.deployment import crln
from support.environment import require
from support.providers.browsers import BrowserDeployment, register_browsers


class Row(ProviderRow):
    """Runs one fault of a push service in a deployment of its own."""

    streams = STREAMS

    def table(self) -> List[Fault]:
        return faults()

    def deploy(self, flags: Sequence[str]) -> BrowserDeployment:
        return BrowserDeployment(fault_matrix.DEVICES, simulator=None, flags=None, push_flags=flags)

    def register(self, client: crln.Client) -> List[Any]:
        return register_browsers(client, self.deployment.push_simulator.subscriptions)

    def check_rules(self, stats: Dict[str, Any]) -> None:
        require(stats["web"]["unreadable"] == 0, f"{stats['web']['unreadable']} messages cannot be decrypted")

    def counters(self) -> ProviderCounters:
        return PushService(self.deployment.push_simulator)

    def _start(self) -> None:
        self.deployment.start("--web-push-maximum-connections", str(CONNECTIONS),
                              "--web-push-answer-timeout-seconds", str(ANSWER_SECONDS))


class PushService(ProviderCounters):
    """push-simulator as a push service of browsers."""

    def stats(self) -> Dict[str, Any]:
        stats = self.simulator.stats()
        web = stats["web"]
        return {**stats, "duplicates": web["accepted"] - web["browsers"], "devices": web["browsers"]}


if __name__ == "__main__":
    sys.exit(fault_matrix.main([(Row, faults())], "web-faults"))
