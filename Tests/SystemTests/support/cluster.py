"""A cluster: PostgreSQL and some nodes on loopback, which send to one simulator of APNs."""
from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, Dict, List, Optional

from support.deployment import Deployment
from support.environment import TIMEOUT_SECONDS, carillon, eventually, free_port


class PostgreSQL:
    """A PostgreSQL server in a temporary folder, as a user without privileges, which it refuses to be."""

    def __init__(self) -> None:
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
                 "listen_addresses=127.0.0.1", "-c", f"unix_socket_directories={self.folder}", "-c", "fsync=off"],
                stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd="/", **self.user)
        ready = [self.programs / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        eventually(lambda: subprocess.run(ready, check=False).returncode == 0, "PostgreSQL answers", 60)

    def stop(self) -> None:
        """Ends all sessions and the server; its data stay."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(TIMEOUT_SECONDS)

    def remove(self) -> None:
        """Stops it and removes its data."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


class Node:
    """One node of a cluster, or a single server: a data directory and the server that runs on it."""

    def __init__(self, cluster: Cluster, name: str) -> None:
        (self.cluster, self.name) = (cluster, name)
        self.process: Optional[subprocess.Popen] = None
        self.port = 0

    def start(self, *, in_cluster: bool = True, waits: bool = True) -> None:
        """Starts the server; with `waits`, returns when it is ready."""
        deployment, path = self.cluster.deployment, self.cluster.deployment.keys.path
        for file in ("port", "metrics"):
            (deployment.folder / f"{self.name}.{file}").unlink(missing_ok=True)
        flags = ["--cluster-url", self.cluster.engine.url, "--cluster-node", self.name] if in_cluster else []
        self.process = deployment.spawn(
            "carillond", f"{self.name}.log", "--config", path("carillon.json"), "--apns-port",
            str(deployment.simulator.port), "--data-path", path(f"{self.name}.data"), "--listen-port-file",
            path(f"{self.name}.port"), "--metrics-port-file", path(f"{self.name}.metrics"), *flags)
        if waits:
            self.wait_until_ready()

    def wait_until_ready(self, timeout: float = 60) -> None:
        """Waits until /readyz says so. A node that begins with other data starts again, with other ports."""
        eventually(lambda: self.readiness().split("\n")[0] == "ready", f"{self.name} is ready", timeout)
        self.port = int((self.cluster.deployment.folder / f"{self.name}.port").read_text())

    def readiness(self) -> str:
        """What /readyz says; empty without an answer."""
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

    def client(self) -> carillon.Client:
        """A client of this node."""
        return carillon.Client.connect(port=self.port, plaintext=True, api_key=self.cluster.deployment.api_key)

    def terminate(self) -> int:
        """Lets it leave and end; returns the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)

    def kill(self) -> None:
        """Kills it."""
        self.process.kill()
        self.process.wait(TIMEOUT_SECONDS)

    def log(self) -> str:
        """Its log so far."""
        file = self.cluster.deployment.folder / f"{self.name}.log"
        return file.read_text(errors="replace") if file.exists() else ""


class Cluster:
    """PostgreSQL, a simulator and nodes that are not started yet."""

    def __init__(self, *names: str) -> None:
        self.engine = PostgreSQL()
        try:
            self.deployment = Deployment(flags=None)
        except BaseException:
            self.engine.remove()
            raise
        self.nodes: List[Node] = [Node(self, name) for name in names]

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: Any) -> None:
        self.deployment.stop()
        self.engine.remove()

    def start(self) -> List[Node]:
        """Starts all nodes and waits until they are ready."""
        for node in self.nodes:
            node.start(waits=False)
        for node in self.nodes:
            node.wait_until_ready()
        return self.nodes
