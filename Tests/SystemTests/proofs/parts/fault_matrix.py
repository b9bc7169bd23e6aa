"""A matrix of faults: each row is a fault with a deployment of its own, and each cell is the fault at one moment."""
from __future__ import annotations

import argparse
import sys
import tempfile
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Tuple, Type

from proofs.parts.fault_tables.apns_faults import CONNECTIONS
from proofs.parts.fault_tables.fault import Fault, Rule, once
from support.deployment import APP, Deployment, crln, eventually
from support.environment import require

DEVICES = 800
DELAY_MS = 60
MOMENTS = ("idle", "mid-batch", "draining")
PAYLOAD = {"aps": {"alert": "hello"}, "filler": "x" * 1000}
# Seconds from SIGTERM to the exit: the server waits up to 20 s for pushes in flight.
DRAIN_SECONDS = 30
# All limits on time are longer by this factor in the short form, which runs beside other programs.
SMOKE_SLACK = 8
# A recovery that may take longer is slow.
SLOW_RECOVERY_SECONDS = 60

# The limit on the server's memory: three times its memory at rest.
MAXIMUM_MEMORY_MIB = 128


@dataclass
class Cell:
    """A fault at one moment, and its results."""

    fault: Fault
    moment: str
    problem: Optional[str] = None
    # From the end of the fault to the last outcome.
    seconds: float = 0
    # Devices that got two pushes, and how many the fault allows.
    duplicates: int = 0
    excused: int = 0
    connections_made: int = 0
    times_met: int = 0
    memory_mib: int = 0


class Row:
    """Runs one fault in a deployment of its own."""

    # What the pushes go to; each gets one.
    count = DEVICES

    def __init__(self, index: int, moments: List[str], slack: float) -> None:
        self.index = index
        self.moments = moments
        # By how much the limits on time are longer.
        self.slack = slack
        self.cells: List[Cell] = []
        # What the server has logged, once a cell has ended.
        self.log = ""
        # The length of the server's log when the cell began.
        self.logged = 0

    def run(self) -> List[Cell]:
        """Runs the cells of all moments; after a failed cell the rest is skipped."""
        try:
            self._deploy_and_run()
        except Exception:
            if not self.cells:
                raise
            if self.cells[-1].problem is None:
                self.cells[-1].problem = f"{traceback.format_exc().splitlines()[-1]} ({self._kept_log()})"
        return self.cells

    def _kept_log(self) -> str:
        """Keeps the server's log of a failed cell, and says where."""
        with tempfile.NamedTemporaryFile("w", prefix="carillon-cell-", suffix=".log", delete=False) as file:
            file.write(self.log)
        return f"the server's log: {file.name}"

    deployment: Deployment
    fault: Fault
    tokens: List[Any]

    def _deploy_and_run(self) -> None:
        """Makes the deployment, and runs the cells in it."""
        raise NotImplementedError

    def _run_moment(self, moment: str, tries: int = 3) -> None:
        """Runs a cell, and again if no push has met the fault, which shows nothing: on a busy machine a message can
        end before the fault begins."""
        try:
            self._run_cell(moment)
        except FaultNotMet:
            if tries == 1:
                raise
            self.cells.pop()
            self._run_moment(moment, tries - 1)

    def _start(self) -> None:
        """Starts the server."""
        raise NotImplementedError

    def _register(self) -> None:
        """Makes what the pushes go to: devices or channels."""
        raise NotImplementedError

    def _send(self, client: crln.Client, tokens: List[Any]) -> int:
        return client.send(APP, tokens, PAYLOAD, lane="bulk")["message_id"]

    def _run_cell(self, moment: str) -> None:
        cell = Cell(self.fault, moment)
        self.cells.append(cell)
        simulator = self.deployment.simulator
        simulator.ask("reset")
        dialled = simulator.stats()["connections-ever"]
        self.logged = len(self.deployment.log())
        began = time.monotonic()
        ended = self._send_during_fault(cell)
        try:
            with self.deployment.client(timeout=60) as client:
                self._wait_until_finished(client, self.message, self.count, self.fault.recovery_seconds * self.slack)
        finally:
            stats = simulator.stats()
            cell.seconds = time.monotonic() - ended
            cell.duplicates, cell.excused = stats["duplicates"], self.fault.excuses(stats)
            cell.connections_made = stats["connections-ever"] - dialled
            cell.times_met = sum(stats["faults"].values()) + sum(stats["rejected"].values())
            cell.memory_mib = self.deployment.resident_bytes >> 20
            self.log = self.deployment.log()
        if self._unmet_rules(stats):
            raise FaultNotMet(f"the fault was never met: {self._unmet_rules(stats)}")
        require(stats["devices"] == self.count, f"{stats['devices']} of {self.count} devices have the message")
        require(cell.duplicates <= cell.excused, f"{cell.duplicates} duplicates, {cell.excused} are excused")
        require(cell.memory_mib < MAXIMUM_MEMORY_MIB, f"{cell.memory_mib} MiB of memory")
        require(stats["violations"] == 0, "the server violated HTTP/2")
        most = 2 * CONNECTIONS + 4 * (time.monotonic() - began)
        require(cell.connections_made <= most,
                f"{cell.connections_made} connections in {time.monotonic() - began:.0f} s")
        if self.fault.alarm and moment != "draining" and not self._has_alarmed():
            silence = f"the log does not speak of it: {self.fault.alarm}"
            # Connections that were made before the addresses changed can have taken all the pushes.
            raise FaultNotMet(silence) if self.fault.names is not None else AssertionError(silence)

    def _send_during_fault(self, cell: Cell) -> float:
        """Sends, starts the fault at its moment, waits until it is over, and returns the time of its end."""
        with self.deployment.client() as client:
            if cell.moment == "idle":
                self._begin_fault(self.fault.rules)
                time.sleep(0.1)  # pause: the fault meets a server without work
                self.message = self._send(client, self.tokens)
            else:
                self.message = self._send(client, self.tokens)
                self._wait_for_pushes(self.count // 4)
                if cell.moment == "mid-batch":
                    self._begin_fault(self.fault.rules)
                    if self.fault.names is not None and self.fault.alarm:
                        self._force_new_connections(client)
        if cell.moment == "draining":
            self._drain_during_fault()
        else:
            time.sleep(self.fault.duration_seconds)  # pause: the fault lasts
            self._provoke_fault()
            if self.fault.stops:
                with self.deployment.client() as client:
                    require(not self._is_finished(client, self.message), "a refused credential sends")
                self._drain()
        self._end_fault()
        ended = time.monotonic()
        if not self.deployment.is_alive:
            require(cell.moment == "draining" or self.fault.stops, "the server is gone")
            self._start()
        return ended

    def _wait_for_pushes(self, count: int) -> None:
        """Waits until APNs has accepted that number of pushes of the cell."""
        self.deployment.simulator.ask(f"wait {count}", 30 * self.slack)

    def _begin_fault(self, rules: Sequence[Rule]) -> None:
        if self.fault.names is not None:
            self.deployment.set_names(*self.fault.names)
        self.deployment.simulator.add_rules(*rules)

    def _force_new_connections(self, client: crln.Client) -> None:
        """Sends a GOAWAY to the connections that were being made when the addresses changed, too, until a new
        connection meets the fault or no push is left."""
        end = time.monotonic() + 10 * self.slack
        while time.monotonic() < end and not self._has_alarmed() and not self._is_finished(client, self.message):
            time.sleep(DELAY_MS / 1000)  # pause: between two looks
            self.deployment.simulator.add_rules(once("goaway"))

    def _has_alarmed(self) -> bool:
        """True if the server's log has spoken of the fault in this cell."""
        return self.fault.alarm in self.deployment.log()[self.logged:]

    def _provoke_fault(self) -> None:
        """Sends a GOAWAY to the connections that were being made when the fault began: they can have taken all
        the pushes."""
        moments = {rule.get("at") for rule in self.fault.rules}
        if moments & {"accept", "open"} and self._unmet_rules(self.deployment.simulator.stats()):
            self.deployment.simulator.add_rules(once("goaway"))
            time.sleep(self.fault.duration_seconds)  # pause: the fault lasts

    def _unmet_rules(self, stats: Dict[str, Any]) -> List[str]:
        """Returns the names of the rules that no connection or push has met yet."""
        counts = {**stats["faults"], "status": sum(stats["rejected"].values())}
        names = [rule.get("fault", "status") for rule in self.fault.rules]
        return [name for name in names if counts.get(name, 0) < names.count(name)]

    def _drain_during_fault(self) -> None:
        """Drains during the fault. Faults of new connections happen before SIGTERM; faults of requests during
        the pushes in flight; the others right after SIGTERM."""
        moments = {rule.get("at", "request") for rule in self.fault.rules}
        if moments & {"accept", "open"}:
            self._begin_fault(self.fault.rules)
            eventually(lambda: not self._unmet_rules(self.deployment.simulator.stats()),
                       "a new connection meets the fault", 20)
            return self._drain()
        self._begin_fault([rule for rule in self.fault.rules if rule.get("at") != "now"])
        end = time.monotonic() + 1
        while "request" in moments and self._unmet_rules(self.deployment.simulator.stats()) and time.monotonic() < end:
            time.sleep(DELAY_MS / 1000)  # pause: between two looks
        self._drain([rule for rule in self.fault.rules if rule.get("at") == "now"])

    def _drain(self, rules: Sequence[Rule] = ()) -> None:
        process = self.deployment.server
        process.terminate()
        self.deployment.simulator.add_rules(*rules)
        require(process.wait(DRAIN_SECONDS * self.slack) == 0, "the server did not exit 0")

    def _end_fault(self) -> None:
        if self.fault.names is not None:
            self.deployment.set_names("127.0.0.1")
        self.deployment.simulator.ask("calm")
        self.deployment.simulator.add_rules(*self.fault.remedy)

    @staticmethod
    def _is_finished(client: crln.Client, message: Any) -> bool:
        return client.message_status(APP, message)["state"] == "finished"

    def _wait_until_finished(self, client: crln.Client, message: int, count: int, timeout: float) -> None:
        last: Dict[str, Any] = {}

        def is_finished() -> bool:
            last.update(client.message_status(APP, message))
            return last["state"] == "finished"

        try:
            eventually(is_finished, "the message is finished", timeout)
        except AssertionError as error:
            raise AssertionError(f"{error}: {last.get('outcomes')}") from None
        require(last["outcomes"] == {"delivered": count}, f"the outcomes are {last['outcomes']}")


class FaultNotMet(AssertionError):
    """No connection or push met the fault."""


def table_row(cell: Cell) -> str:
    """Returns a line of the table."""
    verdict = "ok" if cell.problem is None else "FAILED " + cell.problem
    return (f"{cell.fault.name:<40} {cell.moment:<10} {cell.seconds:6.1f} {cell.duplicates:5d} {cell.excused:6d}"
            f" {cell.connections_made:7d} {cell.times_met:7d}  {verdict}")


def moments_of(fault: Fault, options: argparse.Namespace) -> List[str]:
    """Returns the moments at which a fault comes. In the short form one moment is enough for a fault with a slow
    recovery."""
    if options.moment:
        return list(options.moment)
    return ["mid-batch"] if options.smoke and fault.recovery_seconds > SLOW_RECOVERY_SECONDS else list(MOMENTS)


def main(kinds: List[Tuple[Type[Row], List[Fault]]], name: str) -> int:
    """Runs the matrix with rows of these kinds, and returns the exit status: 0 if every cell passed."""
    parser = argparse.ArgumentParser(
        prog=f"Tools/prove {name}", description=sys.modules[kinds[0][0].__module__].__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="some of the faults, within a minute")
    parser.add_argument("--jobs", type=int, default=6, help="deployments at a time (%(default)s)")
    parser.add_argument("--moment", choices=MOMENTS, action="append", help="only at this moment; repeatable")
    parser.add_argument("faults", nargs="*", help="only faults whose names contain one of these")
    options = parser.parse_args()
    slack = SMOKE_SLACK if options.smoke else 1
    rows = [kind(index, moments_of(fault, options), slack) for kind, table in kinds for index,
            fault in enumerate(table) if (not options.faults or any(part in fault.name for part in options.faults))
            and (fault.is_short or not options.smoke)]
    # The seconds until the message was finished, the duplicates, the duplicates that the fault allows, the opened
    # connections, and how often the fault was met.
    print(f"{'fault':<40} {'moment':<10} {'after':>6} {'twice':>5} {'excuse':>6} {'dialled':>7} {'met':>7}")
    cells: List[Cell] = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for row in pool.map(Row.run, rows):
            cells += row
            for cell in row:
                print(table_row(cell), flush=True)
    failed = sum(cell.problem is not None for cell in cells)
    expected = sum(len(row.moments) for row in rows)
    print(f"RESULT {name}.cells {expected}")
    print(f"RESULT {name}.slowest_s {max((cell.seconds for cell in cells), default=0):.1f}")
    print(f"RESULT {name}.most_memory_mib {max((cell.memory_mib for cell in cells), default=0)}")
    print(f"RESULT {name}.failed {failed + expected - len(cells)}")
    return 1 if failed or len(cells) < expected or not cells else 0
