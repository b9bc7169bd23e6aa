"""Faults of APNs' broadcast channels, at three moments: pushes to channels, and the calls that manage them.

Tools/prove channel-faults [--smoke] [--moment idle|mid-batch|draining]… [--jobs N] [NAME…]

Each fault has a deployment of its own: a real carillond, and an apns-simulator that misbehaves. Each cell of
`broadcast` sends a push to each of many channels, and proves: every channel gets its push and its outcome is
`delivered`; the number of duplicates is within what the fault allows. Each cell of `management` creates, reads, lists
and deletes channels during the fault, and proves: every call is answered in time; what was answered is true afterwards;
a create or a delete that did not take effect, or may have, was said so; and calls succeed within a bounded time after
the fault. The columns are those of faults.

Programs: carillond apns-simulator
Build: debug
"""
from __future__ import annotations

import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Dict, List, Set

from proofs.parts import fault_matrix
from proofs.parts.fault_matrix import Cell, FaultNotMet
from proofs.parts.fault_tables import apns_faults
from proofs.parts.fault_tables.broadcast_faults import CONNECTIONS, STREAMS, faults
from support.deployment import APP, Deployment, crln, eventually
from support.environment import require

CHANNELS = 120
# The server gives up a call of management 20 seconds after it was made; its caller waits longer.
CALL_SECONDS = 30
# Callers at a time: each makes one call after the other.
CALLERS = 4


class ChannelRow(fault_matrix.Row):
    """Runs one fault in a deployment of its own."""

    kind = ""

    def _deploy_and_run(self) -> None:
        self.fault = faults(self.kind)[self.index]
        with Deployment(simulator=None, flags=None) as self.deployment:
            self.deployment.start_simulator("--delay-milliseconds", str(fault_matrix.DELAY_MS),
                                            "--max-streams", str(STREAMS), "--quiet")
            self._start()
            self._register()
            for moment in self.moments:
                self._run_moment(moment)

    def _start(self) -> None:
        self.deployment.start("--apns-maximum-connections", str(CONNECTIONS),
                              "--apns-answer-timeout-seconds", str(apns_faults.ANSWER_SECONDS))


class Broadcasts(ChannelRow):
    """Broadcast pushes, one to each channel; a message each."""

    kind, count = "broadcast", CHANNELS

    def _register(self) -> None:
        with self.deployment.client(timeout=CALL_SECONDS) as client:
            self.tokens = [client.create_channel(APP, "none") for _ in range(self.count)]
        self.deployment.simulator = Channels(self.deployment.simulator, self.tokens)
        with self.deployment.client() as client:
            self._wait_until_finished(client, self._send(client, self.tokens[:1]), 1, 10 * self.slack)

    def _send(self, client: crln.Client, tokens: List[Any]) -> List[int]:
        payload = {"aps": {"timestamp": int(time.time()), "event": "update", "content-state": {"home": 1}}}
        return [client.send_to(APP, payload, channel=channel, push_type="liveactivity", expiration=0)["message_id"]
                for channel in tokens]

    def _wait_for_pushes(self, count: int) -> None:
        eventually(lambda: self.deployment.simulator.broadcasts() >= count, f"{count} pushes", 30 * self.slack)

    @staticmethod
    def _is_finished(client: crln.Client, message: Any) -> bool:
        return all(client.message_status(APP, each)["state"] == "finished" for each in message)

    def _wait_until_finished(self, client: crln.Client, message: Any, count: int, timeout: float) -> None:
        waiting: Set[int] = set(message)

        def is_finished() -> bool:
            for each in list(waiting):
                status = client.message_status(APP, each)
                if status["state"] == "finished":
                    require(status["outcomes"] == {"delivered": 1}, f"the outcomes are {status['outcomes']}")
                    waiting.remove(each)
            return not waiting

        try:
            eventually(is_finished, "the messages are finished", timeout)
        except AssertionError as error:
            raise AssertionError(f"{error}: {len(waiting)} of {count} wait") from None


class Channels:
    """apns-simulator with the counters of broadcast pushes."""

    def __init__(self, simulator: Any, channels: List[str]) -> None:
        self.add_rules, self.simulator, self.channels = simulator.add_rules, simulator, channels
        self.port, self.channel_port = simulator.port, simulator.channel_port
        self._before: Dict[str, Any] = {}
        self._broadcasts = 0

    def ask(self, command: str, *arguments: Any) -> Any:
        """Gives a command."""
        answer = self.simulator.ask(command, *arguments)
        if command == "reset":
            # The simulator counts the pushes of a channel since it was created.
            self._before, self._broadcasts = self._all(), self.simulator.stats()["broadcasts"]
        return answer

    def broadcasts(self) -> int:
        """Returns the pushes since the last reset."""
        return self.simulator.stats()["broadcasts"] - self._broadcasts

    def _all(self) -> Dict[str, Any]:
        return {channel: self.simulator.ask(f"channel {channel}")[0] for channel in self.channels}

    def stats(self) -> Dict[str, Any]:
        """Returns the counters since the last reset: there was one push to each channel, with a request id of its
        own."""
        counts = {channel: now["count"] - self._before.get(channel, {"count": 0})["count"]
                  for channel, now in self._all().items()}
        reached = sum(count > 0 for count in counts.values())
        return {**self.simulator.stats(), "devices": reached, "duplicates": sum(counts.values()) - reached}


class Calls:
    """What callers were told about the channels that they asked for."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.present: Set[str] = set()
        # Channels whose delete may have taken effect, and the creates that may have.
        self.doubtful: Set[str] = set()
        self.unknown_creates = 0
        self.answered = self.failed = 0
        self.problems: List[str] = []
        self.longest = 0.0

    def check(self, listed: Set[str]) -> None:
        """Compares what was told with the channels that there are."""
        require(not self.problems, f"{len(self.problems)} wrong answers: {self.problems[:3]}")
        lost = self.present - listed
        require(not lost, f"{len(lost)} channels whose create was answered are gone")
        others = listed - self.present - self.doubtful
        require(len(others) <= self.unknown_creates,
                f"{len(others)} channels that no caller was told of; {self.unknown_creates} creates had an unknown "
                f"effect")


class Management(ChannelRow):
    """Calls of channel management by several callers at a time, from before the fault until after it."""

    kind = "management"

    def _register(self) -> None:
        with self.deployment.client(timeout=CALL_SECONDS) as client:
            client.create_channel(APP, "none")

    def _run_cell(self, moment: str) -> None:
        cell = Cell(self.fault, moment)
        self.cells.append(cell)
        simulator = self.deployment.simulator
        simulator.ask("reset")
        with self.deployment.client(timeout=CALL_SECONDS) as client:
            before = self._list(client)
        dialled, began = simulator.stats()["connections-ever"], time.monotonic()
        calls, ended = Calls(), threading.Event()
        calls.present = set(before)
        with ThreadPoolExecutor(CALLERS) as pool:
            callers = [pool.submit(self._call_until, ended, calls, number) for number in range(CALLERS)]
            try:
                self._fault_during_calls(moment, calls)
                over = time.monotonic()
                self._recover(calls, over)
            finally:
                ended.set()
                for caller in callers:
                    caller.result()
        stats = simulator.stats()
        cell.seconds, cell.connections_made = time.monotonic() - over, stats["connections-ever"] - dialled
        cell.times_met = sum(stats["faults"].values()) + sum(stats["rejected"].values())
        cell.memory_mib = self.deployment.resident_bytes >> 20
        if self._unmet_rules(stats):
            raise FaultNotMet(f"the fault was never met: {self._unmet_rules(stats)}")
        with self.deployment.client(timeout=CALL_SECONDS) as client:
            calls.check(self._list(client))
        require(calls.longest < CALL_SECONDS * self.slack, f"a call took {calls.longest:.0f} s")
        require(cell.memory_mib < fault_matrix.MAXIMUM_MEMORY_MIB, f"{cell.memory_mib} MiB of memory")
        require(stats["violations"] == 0, "the server violated HTTP/2")
        most = 2 * apns_faults.CONNECTIONS + 4 * (time.monotonic() - began)
        require(cell.connections_made <= most, f"{cell.connections_made} connections")

    def _fault_during_calls(self, moment: str, calls: Calls) -> None:
        if moment != "idle":
            eventually(lambda: calls.answered >= CALLERS, "calls are answered", 30 * self.slack)
        self._begin_fault(self.fault.rules)
        end = time.monotonic() + self.fault.duration_seconds + 1
        latest = end + 5
        while time.monotonic() < end or (
                time.monotonic() < latest and self._unmet_rules(self.deployment.simulator.stats())):
            time.sleep(0.05)  # pause: the fault lasts
        if moment == "draining":
            self._drain()
        self._end_fault()
        if not self.deployment.is_alive:
            self._start()

    def _recover(self, calls: Calls, over: float) -> None:
        """Waits until as many calls as there are callers are answered again."""
        answered = calls.answered
        eventually(lambda: calls.answered >= answered + CALLERS, "calls are answered again",
                   max(1.0, over + self.fault.recovery_seconds * self.slack - time.monotonic()))

    @staticmethod
    def _list(client: crln.Client) -> Set[str]:
        found: Set[str] = set()
        after = ""
        while True:
            page = client.channels(APP, after=after)
            found.update(page["channels"])
            after = page["next"]
            if not after:
                return found

    def _call_until(self, ended: threading.Event, calls: Calls, number: int) -> None:
        """Makes calls until the end, with a connection of its own: create, read, list, delete, and again."""
        own: List[str] = []
        step = number
        client = None
        while not ended.is_set():
            step += 1
            began = time.monotonic()
            try:
                client = client or self.deployment.client(timeout=CALL_SECONDS * self.slack, attempts=1)
                self._call(client, step % 4, own, calls)
                with calls.lock:
                    calls.answered += 1
            except (crln.CarillonError, OSError) as error:
                with calls.lock:
                    calls.failed += 1
                if not isinstance(error, crln.CarillonError) or error.code != "APNS_UNAVAILABLE":
                    client = None
                time.sleep(0.05)  # pause: the server is away, or APNs is
            finally:
                with calls.lock:
                    calls.longest = max(calls.longest, time.monotonic() - began)

    def _call(self, client: crln.Client, step: int, own: List[str], calls: Calls) -> None:
        if step == 0 or not own:
            try:
                made = client.create_channel(APP, "none")
            except Exception as error:
                if getattr(error, "effect", "unknown") != "not_executed":
                    with calls.lock:
                        calls.unknown_creates += 1
                raise
            own.append(made)
            with calls.lock:
                calls.present.add(made)
        elif step == 1:
            if client.channel(APP, own[-1]) != "none":
                calls.problems.append("another policy")
        elif step == 2:
            missing = set(own) - self._list(client)
            if missing:
                calls.problems.append(f"{len(missing)} own channels are not listed")
        else:
            channel = own.pop(0)
            with calls.lock:
                calls.present.remove(channel)
                calls.doubtful.add(channel)
            try:
                client.delete_channel(APP, channel)
            except Exception as error:
                if getattr(error, "effect", "unknown") == "not_executed":
                    with calls.lock:
                        calls.present.add(channel)
                        calls.doubtful.discard(channel)
                raise
            with calls.lock:
                calls.doubtful.discard(channel)


if __name__ == "__main__":
    sys.exit(fault_matrix.main([(Broadcasts, faults("broadcast")), (Management, faults("management"))],
                               "channel-faults"))
