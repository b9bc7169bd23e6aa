"""A row of a fault matrix whose provider is push-simulator: FCM, or a push service of browsers."""
from __future__ import annotations

from typing import Any, Dict, List, Sequence

from proofs.parts import fault_matrix
from proofs.parts.fault_tables.fault import Fault
from support.deployment import crln
from support.environment import require
from support.providers.android import APP, AndroidDeployment


class ProviderRow(fault_matrix.Row):
    """Runs one fault of a provider in a deployment of its own."""

    # The stream limit of push-simulator.
    streams = 100
    deployment: AndroidDeployment
    tokens: List[Any]

    def table(self) -> Sequence[Fault]:
        """Returns all faults of the provider."""
        raise NotImplementedError

    def deploy(self, flags: Sequence[str]) -> AndroidDeployment:
        """Makes the deployment; `flags` are arguments of push-simulator."""
        raise NotImplementedError

    def register(self, client: crln.Client) -> List[Any]:
        """Registers the devices, and returns them as the client names them."""
        raise NotImplementedError

    def check_rules(self, stats: Dict[str, Any]) -> None:
        """Checks what the provider asks for at all times, by the simulator's counters."""
        raise NotImplementedError

    def counters(self) -> ProviderCounters:
        """Returns the simulator with the counters that a cell reads."""
        raise NotImplementedError

    def _deploy_and_run(self) -> None:
        self.fault = self.table()[self.index]
        options = ["--delay-milliseconds", str(fault_matrix.DELAY_MS), "--max-streams", str(self.streams)]
        with self.deploy(options) as self.deployment:
            self.deployment.simulator = self.counters()
            self._start()
            self._register()
            for moment in self.moments:
                self._run_moment(moment)
                self.check_rules(self.deployment.push_simulator.stats())
                with self.deployment.client() as client:
                    require(client.quarantine(APP)["devices"] == [], "a device was taken for dead")

    def _register(self) -> None:
        with self.deployment.client() as client:
            self.tokens = self.register(client)
            self._wait_until_finished(client, self._send(client, self.tokens[:1]), 1, 10 * self.slack)


class ProviderCounters:
    """push-simulator with the counters of apns-simulator."""

    # Nothing is sent to APNs.
    port = channel_port = 1

    def __init__(self, simulator: Any) -> None:
        self.add_rules, self.simulator = simulator.add_rules, simulator

    def ask(self, command: str, *arguments: Any) -> Any:
        """Gives a command."""
        return self.simulator.ask(command, *arguments)

    def stats(self) -> Dict[str, Any]:
        """Returns the counters; since the last reset there was one message."""
        raise NotImplementedError
