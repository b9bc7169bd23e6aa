"""A cluster: PostgreSQL and some nodes on loopback, which send to one simulator of APNs."""
from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, Dict, Iterable, List, Optional, Sequence

from support.deployment import Deployment
from support.environment import PROGRAMS, TIMEOUT_SECONDS, crln, eventually, free_port


class PostgreSQL:
    """A PostgreSQL server in a temporary folder. It refuses to run as root, so root runs it as the user postgres."""

    def __init__(self, *, is_durable: bool = False) -> None:
        """With `is_durable`, a commit is on disk when it is answered, as it is outside of tests."""
        self.is_durable = is_durable
        found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
        if not found:
            raise AssertionError("PostgreSQL is missing: Tools/test installs it (postgresql-15)")
        self.programs = found[-1].parent
        self.folder = Path(tempfile.mkdtemp(prefix="carillon-postgresql-"))
        self.port = free_port()
        self.process: Optional[subprocess.Popen] = None
        self.user: Dict[str, Any] = {}
        if os.getuid() == 0:
            owner = pwd.getpwnam("postgres")
            os.chown(self.folder, owner.pw_uid, owner.pw_gid)
            self.user = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
        subprocess.run([self.programs / "initdb", "--pgdata", self.folder / "data", "--username", "owner", "--auth",
                        "trust", "--encoding", "UTF8", "--no-sync"], check=True, capture_output=True, cwd="/",
                       **self.user)
        self.start()

    @property
    def url(self) -> str:
        """How nodes reach it."""
        return f"postgresql://owner@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        """Starts the server and waits until it answers."""
        with open(self.folder / "log", "ab") as output:
            self.process = subprocess.Popen(
                [self.programs / "postgres", "-D", self.folder / "data", "-p", str(self.port), "-c",
                 "listen_addresses=127.0.0.1", "-c", f"unix_socket_directories={self.folder}", "-c",
                 f"fsync={'on' if self.is_durable else 'off'}"],
                stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd="/", **self.user)
        ready = [self.programs / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        eventually(lambda: subprocess.run(ready, check=False).returncode == 0, "PostgreSQL answers", 60)

    def stop(self) -> None:
        """Ends all sessions and the server; its data stay."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(TIMEOUT_SECONDS)

    def query(self, statement: str) -> str:
        """Returns the rows of a statement, as psql prints them."""
        return subprocess.run([str(self.programs / "psql"), "--no-psqlrc", "-qAt", self.url, "-c", statement],
                              check=True, capture_output=True, text=True).stdout

    def remove(self) -> None:
        """Stops it and removes its data."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


class Node:
    """One node of a cluster, or a single server: a data directory and the server that runs on it."""

    def __init__(self, cluster: Cluster, name: str) -> None:
        (self.cluster, self.name) = (cluster, name)
        self.process: Optional[subprocess.Popen] = None
        # The same after each start, so that clients with several addresses find it again.
        self.port = free_port()
        # Further options of the server.
        self.flags: List[str] = []

    def start(self, *, in_cluster: bool = True, waits: bool = True, next_format: Optional[int] = None) -> None:
        """Starts the server; with `waits`, returns when it is ready. With `next_format` it acts as a later version,
        which knows log entries of this format."""
        deployment, path = self.cluster.deployment, self.cluster.deployment.keys.path
        for file in ("port", "metrics"):
            (deployment.folder / f"{self.name}.{file}").unlink(missing_ok=True)
        flags = ["--cluster-url", self.url(), "--cluster-node", self.name] if in_cluster else []
        flags += [] if next_format is None else ["--test-log-format", str(next_format)]
        self.process = deployment.spawn(
            "carillond", f"{self.name}.log", "--config", path("carillon.json"), "--apns-port",
            str(deployment.simulator.port), "--data-path", path(f"{self.name}.data"), "--listen-port-file",
            path(f"{self.name}.port"), "--listen-port", str(self.port), "--metrics-port-file",
            path(f"{self.name}.metrics"), *flags, *self.flags, environment=deployment.environment)
        if waits:
            self.wait_until_ready()

    def url(self) -> str:
        """How the node reaches the log database."""
        return self.cluster.database.url

    def wait_until_ready(self, timeout: float = 60) -> None:
        """Waits until /readyz says so. The port of the metrics can change in this time: a node that has to begin with
        other data starts again."""
        eventually(lambda: self.readiness().split("\n")[0] == "ready", f"{self.name} is ready", timeout)

    def readiness(self) -> str:
        """Returns what /readyz says; empty without an answer."""
        if self.process.poll() is not None:
            raise AssertionError(f"{self.name} has ended: {self.log()[-2000:]}")
        file = self.cluster.deployment.folder / f"{self.name}.metrics"
        try:
            port = int(file.read_text())
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5) as answer:
                return answer.read().decode().strip()
        except urllib.error.HTTPError as error:
            return error.read().decode().strip()
        except (OSError, ValueError):
            return ""

    def metrics(self) -> Dict[str, float]:
        """Returns the series of the node by name and labels, as /metrics has them; empty without an answer."""
        try:
            port = int((self.cluster.deployment.folder / f"{self.name}.metrics").read_text())
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
                lines = answer.read().decode().splitlines()
        except (OSError, ValueError):
            return {}
        found = (line.rpartition(" ") for line in lines if line and not line.startswith("#"))
        return {name: float(value) for name, _, value in found}

    def delivered(self) -> int:
        """Returns the deliveries that this node has recorded since its start; 0 if it does not say."""
        return sum(int(value) for name, value in self.metrics().items()
                   if name.startswith("carillon_outcomes_total") and '"delivered"' in name)

    def position(self) -> int:
        """How far it is in the log of the cluster; 0 if it does not say."""
        return int(self.metrics().get("carillon_cluster_position", 0))

    def client(self) -> crln.Client:
        """Returns a client of this node."""
        return crln.Client.connect(port=self.port, plaintext=True, api_key=self.cluster.deployment.api_key,
                                   timeout=TIMEOUT_SECONDS)

    def terminate(self) -> int:
        """Lets it leave and end; returns the exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(TIMEOUT_SECONDS)

    def log(self) -> str:
        """Its log so far."""
        file = self.cluster.deployment.folder / f"{self.name}.log"
        return file.read_text(errors="replace") if file.exists() else ""


def has_kept_lease(log: str) -> bool:
    """True if a node has joined once since it started with the data of the cluster. A new node that is not the first
    one starts again once, with these data; only after that its lease counts."""
    before, _, since = log.rpartition("] starting again")
    return "] starting again" not in before and since.count("the node has joined the cluster") == 1


def require_kept_leases(nodes: Iterable[Node]) -> None:
    """Skips the rest of a test if a node has lost its lease, as one may on a busy machine: what it had on the wire then
    may be sent twice, and by another node."""
    if not all(has_kept_lease(node.log()) for node in nodes):
        raise unittest.SkipTest("a node has lost its lease, so pushes may be sent twice: the machine is too busy")


def deliveries(nodes: Iterable[Node], total: int) -> Dict[str, int]:
    """Returns what each node has delivered, by name, as soon as all of it is counted: an outcome is in the status of
    its message before it is in the metrics."""
    def counted() -> Dict[str, int]:
        shares = {node.name: node.delivered() for node in nodes}
        return shares if sum(shares.values()) == total else {}

    return eventually(counted, f"{total} deliveries are counted")


class Cluster:
    """PostgreSQL, a simulator and nodes that are not started yet."""

    def __init__(self, *names: str, simulator: Sequence[str] = (), database: Optional[PostgreSQL] = None,
                 records: bool = True) -> None:
        """`simulator` are more arguments of the simulator, which writes a line for each push if it `records`; without
        `database`, a PostgreSQL is started."""
        self.database = database or PostgreSQL()
        try:
            self.deployment = Deployment(simulator=simulator, flags=None, records=records)
        except BaseException:
            self.database.remove()
            raise
        self.nodes: List[Node] = [Node(self, name) for name in names]

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: Any) -> None:
        self.deployment.stop()
        self.database.remove()

    def start(self) -> List[Node]:
        """Starts all nodes and waits until they are ready."""
        for node in self.nodes:
            node.start(waits=False)
        for node in self.nodes:
            node.wait_until_ready()
        return self.nodes

    @property
    def addresses(self) -> str:
        """All nodes, as clients take them."""
        return ",".join(f"127.0.0.1:{node.port}" for node in self.nodes)

    @property
    def environment(self) -> Dict[str, str]:
        """The variables of a client of all nodes."""
        return {"CARILLON_SERVER": self.addresses, "CARILLON_API_KEY_FILE": str(self.deployment.api_key_file)}

    def command(self, *words: str, node: Optional[Node] = None) -> subprocess.Popen:
        """Starts `carillon` as a client of all nodes, or of one."""
        server = {"CARILLON_SERVER": f"127.0.0.1:{node.port}"} if node else {}
        return subprocess.Popen([str(PROGRAMS / "carillon"), *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, stdin=subprocess.DEVNULL,
                                env={**os.environ, **self.environment, **server})

    def run(self, *words: str, node: Optional[Node] = None) -> str:
        """Runs `carillon` to its end and returns what it prints; AssertionError if it fails."""
        process = self.command(*words, node=node)
        output, errors = process.communicate(timeout=120)
        if process.returncode != 0:
            raise AssertionError(f"carillon {' '.join(words)} ended with {process.returncode}: {output}{errors}")
        return output
