"""What can happen to a cluster: each fault begins, lasts for a while, and ends."""
from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from pathlib import Path
from typing import Callable, Dict, List, Tuple

from support.cluster.cluster import Cluster, Node
from support.cluster.cuttable_proxy import CuttableProxy
from support.cluster.replicated_postgresql import ReplicatedPostgreSQL
from support.environment import eventually

# Longer than a lease and its margin (7 s), so that a node is expired.
SECONDS_BEYOND_THE_LEASE = 9.0
# A node that applies this number of entries works. The cluster writes them in a second or more.
ENTRIES = 50
# The data directory of a node that runs out of disk.
DISK_MEBIBYTES = 512


class FaultyNode(Node):
    """A node with a wall clock, a disk and a link to the log database of its own."""

    def __init__(self, cluster: FaultyCluster, name: str) -> None:
        super().__init__(cluster, name)
        self.link = CuttableProxy(cluster.postgresql.primary.port)
        self.clock = cluster.deployment.folder / f"{name}.clock"
        self.clock.write_bytes(bytes(8))
        self.disk = cluster.deployment.folder / f"{name}.data"
        self.disk.mkdir()
        self.has_disk = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={DISK_MEBIBYTES}m", "carillon", str(self.disk)], check=False,
            capture_output=True).returncode == 0

    def start(self, *, in_cluster: bool = True, waits: bool = True) -> None:
        """Starts the server with its clock, through its link."""
        self.cluster.deployment.environment = {
            "LD_PRELOAD": self.cluster.deployment.keys.path("wall_clock.so"), "WALL_CLOCK_OFFSET": str(self.clock)}
        self.link.target = self.cluster.postgresql.primary.port
        super().start(in_cluster=in_cluster, waits=waits)

    def set_clock(self, seconds: int) -> None:
        """Sets the wall clock of the node off by a number of seconds."""
        with open(self.clock, "r+b") as file:
            file.write(seconds.to_bytes(8, "little", signed=True))

    def url(self) -> str:
        """How the node reaches the log database."""
        return f"postgresql://owner@127.0.0.1:{self.link.port}/postgres"

    def end(self) -> None:
        """Removes its disk and its link."""
        self.link.close()
        if self.has_disk:
            subprocess.run(["umount", "-l", str(self.disk)], check=False, capture_output=True)


class FaultyCluster(Cluster):
    """Three nodes whose links, disks and clocks can fail, on a PostgreSQL with a synchronous standby."""

    def __init__(self, *names: str, simulator: Tuple[str, ...] = ()) -> None:
        self.postgresql = ReplicatedPostgreSQL()
        super().__init__(simulator=simulator, database=self.postgresql)
        self.deployment.preload("wall_clock", WALL_CLOCK_OFFSET=self.deployment.keys.path("none"))
        self.faulty: List[FaultyNode] = [FaultyNode(self, name) for name in names]
        self.nodes = list(self.faulty)

    def __exit__(self, *_: object) -> None:
        for node in self.faulty:
            node.set_clock(0)
        for process in self.deployment.processes:
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
                process.wait()
        for node in self.faulty:
            node.end()
        super().__exit__()


class ClusterFault:
    """One fault of a round, and the node that it happens to. A fault of the log database happens to all nodes."""

    def __init__(self, cluster: FaultyCluster, generator: random.Random) -> None:
        self.cluster, self.generator = cluster, generator
        self.node = generator.choice(cluster.faulty)

    def kill(self) -> None:
        """The node is killed and starts again."""
        self.node.kill()
        time.sleep(self.generator.choice([0.0, SECONDS_BEYOND_THE_LEASE]))  # pause: the others do without it
        self.node.start()

    def stop(self) -> None:
        """The process stands still for longer than its lease."""
        self.node.process.send_signal(signal.SIGSTOP)
        time.sleep(SECONDS_BEYOND_THE_LEASE)  # pause: that long the fault lasts
        self.node.process.send_signal(signal.SIGCONT)

    def leave(self) -> None:
        """The node ends in order and starts again, as in a rolling restart."""
        if self.node.terminate() != 0:
            raise AssertionError(f"{self.node.name} did not end in order: {self.node.log()[-2000:]}")
        self.node.start()

    def _cut(self, *, forward: bool = True, backward: bool = True) -> None:
        self.node.link.cut(forward=forward, backward=backward)
        time.sleep(self.generator.choice([2.0, SECONDS_BEYOND_THE_LEASE]))  # pause: that long the fault lasts
        self.node.link.restore()

    def cut_both(self) -> None:
        """No bytes pass between the node and the log database."""
        self._cut()

    def cut_to_database(self) -> None:
        """No bytes of the node reach the log database."""
        self._cut(backward=False)

    def cut_from_database(self) -> None:
        """No bytes of the log database reach the node: calls take effect, and no answer comes."""
        self._cut(forward=False)

    def cut_two(self) -> None:
        """Only one node reaches the log database."""
        others = [node for node in self.cluster.faulty if node is not self.node]
        for other in others:
            other.link.cut()
        time.sleep(SECONDS_BEYOND_THE_LEASE)  # pause: that long the fault lasts
        for other in others:
            other.link.restore()

    def kill_database(self) -> None:
        """The log database is killed and starts again."""
        self.cluster.postgresql.restart()

    def fail_over(self) -> None:
        """The log database is lost, and its standby takes over."""
        self.cluster.postgresql.fail_over()
        for node in self.cluster.faulty:
            node.link.target = self.cluster.postgresql.primary.port
        self.cluster.postgresql.complete()

    def fill_disk(self) -> None:
        """The disk of the node is full, and the node ends or works on. Then there is room again."""
        if not self.node.has_disk:
            return
        ballast = self.node.disk / "ballast"
        with open(ballast, "wb") as file:
            try:
                while True:
                    file.write(bytes(1 << 20))
                    file.flush()
            except OSError:
                pass
        position = self.node.position()
        eventually(lambda: self.node.process.poll() is not None or self.node.readiness() != "ready"
                   or self._has_gone_on(position), f"{self.node.name} ends, says why it cannot serve, or goes on", 60)
        ballast.unlink()
        if self.node.process.poll() is not None:
            self.node.start()

    def set_clock(self) -> None:
        """The wall clock of the node is an hour off."""
        position = self.node.position()
        self.node.set_clock(self.generator.choice([-3_600, 3_600]))
        eventually(lambda: self._has_gone_on(position), f"{self.node.name} works with another clock", 60)
        self.node.set_clock(0)

    def _has_gone_on(self, position: int) -> bool:
        """True if the node has applied ENTRIES more entries of the log since a position."""
        return self.node.position() >= position + ENTRIES

    def none(self) -> None:
        """Nothing happens."""

    @property
    def kinds(self) -> Dict[str, Callable[[], None]]:
        """All faults by name."""
        return {
            "kill": self.kill, "stop": self.stop, "leave": self.leave, "cut-both": self.cut_both,
            "cut-to-database": self.cut_to_database, "cut-from-database": self.cut_from_database,
            "cut-two": self.cut_two, "kill-database": self.kill_database, "fail-over": self.fail_over,
            "fill-disk": self.fill_disk, "clock": self.set_clock, "none": self.none}


# Faults that lose no push in flight: after them, a push that comes twice is wrong.
HARMLESS = {"none", "clock", "leave"}


def wait_until_ready(cluster: FaultyCluster) -> None:
    """Waits until every node serves; starts those that have ended because of a fault."""
    def is_ready(node: FaultyNode) -> bool:
        if node.process.poll() is not None:
            if "has another state" in node.log() or "differs" in node.log()[-3000:]:
                raise AssertionError(f"{node.name} has another state: {node.log()[-3000:]}")
            node.start(waits=False)
            return False
        return node.readiness().split("\n")[0] == "ready"

    for node in cluster.faulty:
        eventually(lambda node=node: is_ready(node), f"{node.name} is ready: {node.log()[-1500:]}", 120, 0.1)


def exported(node: FaultyNode, program: Path, app: str) -> str:
    """Returns the SHA-256 of what an export of the data of a running node has."""
    file = node.disk.parent / f"{node.name}.jsonl"
    file.unlink(missing_ok=True)
    subprocess.run([program, "export", str(file), "--app", app, "--data", str(node.disk), "--work",
                    str(node.disk.parent)], check=True, capture_output=True)
    lines = file.read_text().splitlines()
    os.unlink(file)
    return lines[-1]
