"""PostgreSQL with a synchronous standby, which takes over when the primary is killed."""
from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path
from typing import List, Optional

from support.cluster.cluster import PostgreSQL
from support.environment import eventually, free_port


def children(process: int) -> List[int]:
    """Returns the processes that a process has started."""
    try:
        return [int(each) for each in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    except OSError:
        return []


class PairedServer:
    """One server of the pair: a data folder and a port."""

    def __init__(self, database: "ReplicatedPostgreSQL", name: str) -> None:
        (self.database, self.name, self.port) = (database, name, free_port())
        self.data: Path = database.folder / name
        self.process: Optional[subprocess.Popen] = None

    def start(self) -> None:
        """Starts the server and waits until it answers."""
        # After a kill, a session that was just forked can still hold the shared memory: then the server ends at once.
        eventually(self._answers, "PostgreSQL answers", 60)

    def _answers(self) -> bool:
        if self.process is None or self.process.poll() is not None:
            self._spawn()
        return self.database.is_ready(self.port)

    def _spawn(self) -> None:
        with open(self.database.folder / f"{self.name}.log", "ab") as output:
            self.process = subprocess.Popen(
                [self.database.programs / "postgres", "-D", self.data, "-p", str(self.port), "-c",
                 "listen_addresses=127.0.0.1", "-c", f"unix_socket_directories={self.database.folder}", "-c",
                 "wal_level=replica", "-c", "hot_standby=on", "-c", "fsync=off"],
                stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd="/", **self.database.user)

    def kill(self) -> None:
        """Kills the server with all its sessions, as the loss of its machine does."""
        if self.process and self.process.poll() is None:
            sessions = children(self.process.pid)
            self.process.kill()
            for session in sessions:
                try:
                    os.kill(session, signal.SIGKILL)
                except ProcessLookupError:
                    continue
            self.process.wait()


class ReplicatedPostgreSQL(PostgreSQL):
    """A primary, and a standby that has each commit before it is acknowledged."""

    def start(self) -> None:
        """Called once, by the initializer, when the data folder is there."""
        self.servers: List[PairedServer] = [PairedServer(self, "one"), PairedServer(self, "two")]
        (self.folder / "data").rename(self.servers[0].data)
        with open(self.servers[0].data / "pg_hba.conf", "a", encoding="ascii") as file:
            file.write("host replication all 127.0.0.1/32 trust\n")
        self.servers[0].start()
        self.primary, self.standby = self.servers
        self._join()

    @property
    def url(self) -> str:
        """How nodes reach the primary."""
        return f"postgresql://owner@127.0.0.1:{self.primary.port}/postgres"

    def is_ready(self, port: int) -> bool:
        """True if a server answers."""
        ready = [self.programs / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(port)]
        return subprocess.run(ready, check=False).returncode == 0

    def _join(self) -> None:
        """Makes the standby anew from the primary; then commits wait for it."""
        standby = self.standby
        shutil.rmtree(standby.data, ignore_errors=True)
        subprocess.run(
            [self.programs / "pg_basebackup", "-D", standby.data, "-h", "127.0.0.1", "-p", str(self.primary.port),
             "-U", "owner", "-R", "-X", "stream", "-c", "fast", "--no-sync"], check=True, capture_output=True, cwd="/",
            **self.user)
        standby.start()
        eventually(lambda: self._standby_count("state = 'streaming'") == 1, "the standby follows", 30)
        self._set_synchronous("*")
        eventually(lambda: self._standby_count("sync_state = 'sync'") == 1, "the standby is synchronous", 30)

    def _standby_count(self, condition: str) -> int:
        """Returns the number of standbys of the primary for which a condition of SQL holds."""
        return int(self.query(f"select count(*) from pg_stat_replication where {condition}"))

    def _set_synchronous(self, names: str) -> None:
        self.query(f"alter system set synchronous_standby_names = '{names}'")
        self.query("select pg_reload_conf()")

    def restart(self) -> None:
        """Kills the primary and starts it again."""
        self.primary.kill()
        self.primary.start()

    def fail_over(self) -> None:
        """Kills the primary for good. From then on the standby is the primary, and has no standby until `complete`."""
        self.primary.kill()
        self.primary, self.standby = self.standby, self.primary
        # Its settings are those of the old primary: without a standby no commit would end.
        with open(self.primary.data / "postgresql.auto.conf", "a", encoding="ascii") as file:
            file.write("synchronous_standby_names = ''\n")
        subprocess.run([self.programs / "pg_ctl", "promote", "-D", self.primary.data, "-w"], check=True,
                       capture_output=True, cwd="/", **self.user)
        self.query("select pg_reload_conf()")

    def complete(self) -> None:
        """Makes a new standby after `fail_over`."""
        self._join()

    def stop(self) -> None:
        """Ends both servers."""
        for server in self.servers:
            server.kill()
