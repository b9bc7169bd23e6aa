"""Compares the server's outcomes of one message, device by device, with the record of the simulator."""
from __future__ import annotations

from collections import Counter
from typing import Any, Dict, Iterable, List

from proofs.parts.device_fleet import BATCH, DEAD, OUTSIDE, DeviceFleet, Profile
from support.deployment import Deployment
from support.environment import APP, crln


class Reconciliation:
    """The outcomes of one message beside the simulator's record."""

    def __init__(self, deployment: Deployment, client: crln.Client, message: int, fleet: DeviceFleet,
                 unregistered: Iterable[int] = ()) -> None:
        """Compares. `unregistered` are indices of devices that were unregistered during the fan-out."""
        self.fleet = fleet
        self.unregistered = set(unregistered)
        self.outcomes: Dict[int, str] = {}
        # Texts; only the first of them are printed.
        self.missing: List[str] = []
        self.disagreements: List[str] = []
        self.status = client.message_status(APP, message)
        self._list(client, message)
        self._compare({int(each["token"][2:10], 16): each for each in deployment.simulator.devices()})

    def _list(self, client: crln.Client, message: int) -> None:
        cursor = 0
        while True:
            page = client.message_outcomes(APP, message, cursor, limit=BATCH)
            for each in page["recipients"]:
                index = self.fleet.index.get(each["device_id"])
                if index is None or index in self.outcomes:
                    self.disagreements.append(f"device {each['device_id']} is listed twice, or is unknown")
                else:
                    self.outcomes[index] = each["outcome"]
            cursor = page["next"]
            if not cursor:
                break
        counts, listed = self.status["outcomes"], Counter(self.outcomes.values())
        if counts != listed or sum(counts.values()) != self.status["total"]:
            self.disagreements.append(f"{self.status['total']} in all, counted {counts}, listed {dict(listed)}")
        # A device that is unregistered before the fan-out reaches its page is in no audience.
        addressed = self.fleet.addressed - len(self.unregistered.difference(self.outcomes))
        if self.status["total"] != addressed:
            self.missing.append(f"{addressed} were addressed, {self.status['total']} in all")

    def _compare(self, records: Dict[int, Dict[str, Any]]) -> None:
        nothing = {"count": 0, "refused": 0, "status": 0}
        for index, profile in enumerate(self.fleet.profiles):
            outcome, record = self.outcomes.get(index), records.get(index, nothing)
            if profile in OUTSIDE:
                right = outcome is None and record == nothing
            elif index in self.unregistered and outcome in (None, "unregistered", "left"):
                # The server cannot know what APNs had accepted when it was killed.
                right = True
            elif outcome is None or outcome == "pending":
                self.missing.append(f"{profile.name} {self.fleet.ids[index]} is {outcome}")
                continue
            else:
                right = self._is_right(profile, outcome, record)
            if not right:
                self.disagreements.append(f"{profile.name} {self.fleet.ids[index]} is {outcome}; APNs: {record}")

    @staticmethod
    def _is_right(profile: Profile, outcome: str, record: Dict[str, Any]) -> bool:
        if profile == Profile.MUTED:
            return outcome == "muted" and not record["count"] and not record["refused"]
        if profile in DEAD:
            return outcome == "token-unregistered" and not record["count"] and record["status"] == 410
        if outcome == "delivered":
            return record["count"] > 0
        return outcome == "gave-up" and not record["count"] and record["refused"] > 1
