"""Every fault of FCM at three moments: a real carillond sends to a real push-simulator that misbehaves.

Each cell proves: every device gets the message and its outcome is `delivered`; none is taken for dead; the number of
duplicates is within what the fault allows; the server never breaks a rule of Google's front end and never tries again
before the pause that FCM asks for; and after the fault the rest is delivered within a bounded time. Started by
Tools/prove android-faults.
"""
from __future__ import annotations

import sys
import time
import traceback
from typing import Any, Dict, List

from proofs import faults as apns
from support.android import APP, AndroidDeployment, android, android_token
from support.android_faults import ANSWER_SECONDS, CONNECTIONS, STREAMS, faults
from support.deployment import carillon
from support.environment import require


class Row(apns.Row):
    """Runs one fault of FCM in a deployment of its own."""

    def run(self) -> List[apns.Cell]:
        """Runs the cells of all moments; after a failed cell the rest is skipped."""
        try:
            self.fault = faults()[self.index]
            flags = ["--delay", str(apns.DELAY_MS), "--max-streams", str(STREAMS)]
            with AndroidDeployment(simulator=None, flags=None, fcm=flags) as self.deployment:
                self.deployment.simulator = FCM(self.deployment.fcm)
                self._start()
                self._register()
                for moment in self.moments:
                    self._try(moment)
                    self._check_rules()
        except Exception:
            if not self.cells:
                raise
            if self.cells[-1].problem is None:
                self.cells[-1].problem = traceback.format_exc().splitlines()[-1]
        return self.cells

    def _check_rules(self) -> None:
        stats = self.deployment.fcm.stats()
        require(stats["hasty"] == 0, f"{stats['hasty']} messages were tried again before the pause was over")
        with self.deployment.client() as client:
            require(client.quarantine(APP)["devices"] == [], "a device was taken for dead")

    def _start(self) -> None:
        self.deployment.start("--fcm-connections", str(CONNECTIONS), "--fcm-answer-seconds", str(ANSWER_SECONDS))

    def _register(self) -> None:
        self.tokens = android([android_token() for _ in range(apns.DEVICES)])
        seen = int(time.time() * 1000)
        with self.deployment.client() as client:
            results = client.register_batch([{"app": APP, "token": token, "kind": "fcm", "seen_at": seen}
                                             for token, _, _ in self.tokens])
            require(not any("error" in result for result in results), "devices are refused")
            self._finish(client, self._send(client, self.tokens[:1]), 1, 10 * self.slack)

    def _send(self, client: carillon.Client, tokens: List[Any]) -> int:
        return client.send(APP, tokens, apns.PAYLOAD, lane="bulk")["message_id"]


class FCM:
    """push-simulator with the counters of apns-simulator."""

    # Nothing is sent to APNs.
    port = channel_port = 1

    def __init__(self, simulator: Any) -> None:
        self.rule, self._simulator = simulator.rule, simulator
        self._issued = 0

    def ask(self, command: str, *arguments: Any) -> Any:
        """Gives a command."""
        answer = self._simulator.ask(command, *arguments)
        if command == "reset":
            # The simulator counts the access tokens since its start.
            self._issued = self._simulator.stats()["oauth"]["issued"]
        return answer

    def stats(self) -> Dict[str, Any]:
        """The counters."""
        stats = self._simulator.stats()
        fcm = stats["fcm"]
        # An answer of the token endpoint that has no token is a fault, whatever its status.
        others = {name: count for name, count in stats["rejected"].items() if not name.startswith("oauth-")}
        oauth = stats["oauth"]
        return {**stats, "duplicates": fcm["duplicates"], "devices": fcm["accepted"] - fcm["duplicates"],
                "rejected": {**others, "oauth": oauth["requests"] - (oauth["issued"] - self._issued)}}


if __name__ == "__main__":
    sys.exit(apns.main(Row, faults(), "android-faults"))
