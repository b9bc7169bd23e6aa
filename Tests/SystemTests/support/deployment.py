"""A Carillon deployment: certificates, keys, configuration, simulator and server on free loopback ports, all in one
temporary folder that is removed at the end. System tests, proofs, ScenarioTests, the tests of the clients, Tools/demo
and Tools/bench use it."""
from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence

from support.clients.raw_connection import RawConnection
from support.environment import (ALL_ROLES, APP, LONGEST_APP, OTHER_APP, PROGRAMS, ROOT, TIMEOUT_SECONDS, VECTORS,
                                 crln, eventually, free_port)
from support.keys import Keys
from support.providers.simulator import Simulator

# C files that change what a server sees of the system.
PRELOADED = Path(__file__).with_name("preloaded")


class Deployment:
    """A simulator and a server in a temporary folder; `stop` ends both and removes the folder."""

    def __init__(self, *, apps: Optional[Dict[str, Any]] = None, principals: Optional[List[Dict[str, Any]]] = None,
                 simulator: Optional[Sequence[str]] = (), flags: Optional[Sequence[str]] = (),
                 clock: Optional[int] = None, names: Optional[Sequence[str]] = None, records: bool = True,
                 records_disk: bool = False) -> None:
        """Starts the deployment.

        `simulator` and `flags` are additional arguments of the two programs; None means that the program is not
        started yet. `clock` is the initial offset in seconds of the server's wall clock, for `set_clock`. With
        `names`, APNs is the host apns.test, which has these addresses at first, for `set_names`. With `records`
        the simulator writes a line for each push, for `pushes`. With `records_disk` the server writes a line for
        each call that changes data.mdb or data.wal, for `disk_calls`, and `fail_disk` lets one of them fail.
        """
        self.records = records
        self.folder = Path(tempfile.mkdtemp(prefix="carillon-deployment-"))
        self.environment: Dict[str, str] = {}
        self.disk_calls_read = 0
        self.processes: List[subprocess.Popen] = []
        self.simulator: Optional[Simulator] = None
        self.server: Optional[subprocess.Popen] = None
        try:
            self.keys = Keys(self.folder)
            self.port = free_port()
            self.api_key = "crln_" + os.urandom(32).hex()
            self.api_key_file = self.folder / "api-key"
            self.api_key_file.touch(0o600)
            self.api_key_file.write_text(self.api_key + "\n")
            self._configure(apps, principals)
            if clock is not None:
                self._fake_clock(clock)
            if names is not None:
                self._fake_names(names)
            if records_disk:
                self.preload("disk", DISK_LOG=self.keys.path("calls"), DISK_FAULT=self.keys.path("fault"))
            if simulator is not None:
                self.start_simulator(*simulator)
            if flags is not None:
                self.start(*flags)
        except BaseException:
            self.stop()
            raise

    def __enter__(self) -> Deployment:
        return self

    def __exit__(self, *_: Any) -> None:
        self.stop()

    def _configure(self, apps: Optional[Dict[str, Any]], principals: Optional[List[Dict[str, Any]]]) -> None:
        path = self.keys.path
        demo = {"name": "demo", "keySHA256": [sha256(self.api_key)], "grants": [{"app": "*", "roles": ALL_ROLES}]}
        served = {name: {"production": "main"} for name in (APP, OTHER_APP, LONGEST_APP)}
        self.write("principals.json", {"principals": [demo, *(principals or [])]})
        self.write("apps.json", {
            "credentials": {"main": {"teamID": "TEAM123456", "keyID": "KEY1234567", "keyFile": "AuthKey.p8"}},
            "apps": apps or served})
        self.write("carillon.json", {
            "listen": {"host": "127.0.0.1", "port": self.port, "portFile": path("server.port")},
            "metrics": {"port": 0, "portFile": path("metrics.port")},
            "data": {"path": path("data")},
            "apns": {"productionHost": "localhost", "port": 1, "productionChannelHost": "localhost",
                     "productionChannelPort": 1, "authoritiesFile": path("authority.pem")},
            "apps": {"file": path("apps.json")}, "principals": {"file": path("principals.json")}})

    def write(self, name: str, content: Any) -> None:
        """Writes a JSON file into the folder, which other users cannot change, whatever the umask."""
        (self.folder / name).write_text(json.dumps(content))
        (self.folder / name).chmod(0o644)

    # The clock

    def _fake_clock(self, offset: int) -> None:
        """Makes the server read its wall clock from a file; its monotonic clock is unchanged."""
        (self.folder / "clock").write_bytes(bytes(8))
        self.preload("wall_clock", WALL_CLOCK_OFFSET=self.keys.path("clock"))
        self.set_clock(offset)

    def preload(self, name: str, **environment: str) -> None:
        """Builds a C file of the folder `preloaded` and preloads it into the server. clang is a part of the Swift
        toolchain."""
        library = self.keys.path(name + ".so")
        subprocess.run(["clang", "-shared", "-fPIC", "-Wall", "-Werror", "-o", library,
                        str(PRELOADED / (name + ".c"))], check=True)
        self.environment = {"LD_PRELOAD": library, **environment}

    def set_clock(self, offset: int) -> None:
        """Sets the offset of the server's wall clock from the true time, in seconds."""
        with open(self.folder / "clock", "r+b") as file:
            file.write(offset.to_bytes(8, sys.byteorder, signed=True))

    # Names

    def _fake_names(self, addresses: Sequence[str]) -> None:
        """Makes the server resolve apns.test from a file, and connect to that host."""
        self.preload("names", NAMES_FILE=self.keys.path("names"))
        settings = json.loads((self.folder / "carillon.json").read_text())
        settings["apns"]["productionHost"] = "apns.test"
        self.write("carillon.json", settings)
        self.set_names(*addresses)

    def set_names(self, *addresses: str) -> None:
        """Gives apns.test these addresses; with none the name does not resolve."""
        whole = self.folder / "names.new"
        whole.write_text("".join(address + "\n" for address in addresses))
        whole.replace(self.folder / "names")

    # The disk

    def disk_calls(self) -> List[str]:
        """Returns the calls that have changed data.mdb or data.wal since the last `disk_calls`, as "fdatasync
        data.wal"."""
        file = self.folder / "calls"
        lines = file.read_text().split("\n")[:-1] if file.exists() else []
        calls = lines[self.disk_calls_read:]
        self.disk_calls_read = len(lines)
        return calls

    def fail_disk(self, call: str, error: int) -> None:
        """Makes the next call like `call`, for example "fdatasync data.mdb", fail with this errno."""
        whole = self.folder / "fault.new"
        whole.write_text(f"{call} {error}\n")
        whole.replace(self.folder / "fault")

    # Processes

    def spawn(self, program: str, log: str, *arguments: str, environment: Optional[Dict[str, str]] = None,
              cores: Sequence[int] = ()) -> subprocess.Popen:
        """Starts one of the built programs with additional environment variables, on these cores or on all."""
        pinned = ["taskset", "-c", ",".join(map(str, cores))] if cores else []
        with open(self.folder / log, "ab") as output:
            process = subprocess.Popen([*pinned, str(PROGRAMS / program), *arguments], stdout=output, stderr=output,
                                       stdin=subprocess.DEVNULL, env={**os.environ, **(environment or {})})
        self.processes.append(process)
        return process

    def port_from(self, name: str, process: subprocess.Popen) -> int:
        """Waits for the port number that a starting program writes to a file, and returns it."""
        file = self.folder / name

        def written() -> str:
            if process.poll() is not None:
                raise AssertionError(f"a program ended before it was ready: {self.log()[-2000:]}")
            return file.read_text().strip() if file.exists() else ""

        # Looks often, because Tools/bench measures the time of a start.
        return int(eventually(written, f"{name} is written", 60, pause=0.001))

    def start_simulator(self, *flags: str, port: int = 0) -> Simulator:
        """Starts the simulator, on `port` if that is not 0."""
        self.simulator = Simulator(self, flags, port)
        return self.simulator

    def start(self, *flags: str, apns_port: Optional[int] = None, wait: bool = True,
              cores: Sequence[int] = ()) -> subprocess.Popen:
        """Starts the server, on these cores or on all; with `wait`, returns when it listens."""
        (self.folder / "server.port").unlink(missing_ok=True)
        port = apns_port or (self.simulator.port if self.simulator else 1)
        channel_port = self.simulator.channel_port if self.simulator else 1
        self.server = self.spawn("carillond", "server.log", "--config", self.keys.path("carillon.json"),
                                 "--apns-port", str(port), "--apns-production-channel-port", str(channel_port),
                                 *flags, environment=self.environment, cores=cores)
        if wait:
            self.port = self.port_from("server.port", self.server)
        return self.server

    def refused_start(self, *flags: str, config: str = "carillon.json") -> str:
        """Starts a server that must refuse its configuration with exit status 1, and returns its output."""
        command = [str(PROGRAMS / "carillond"), "--config", self.keys.path(config), "--apns-port", "1", *flags]
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
        if done.returncode != 1:
            raise AssertionError(f"exit status {done.returncode}, not 1: {done.stderr}")
        return done.stderr

    def terminate(self, timeout: float = 60) -> int:
        """Sends SIGTERM and returns the exit status."""
        self.server.send_signal(signal.SIGTERM)
        return self.server.wait(timeout)

    def kill(self) -> None:
        """Sends SIGKILL and waits for the end of the process."""
        self.server.kill()
        self.server.wait(TIMEOUT_SECONDS)

    def stop_simulator(self) -> None:
        """Kills the simulator; its connections break."""
        self.simulator.stop()

    def stop(self) -> None:
        """Ends all processes and removes the folder."""
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.wait(TIMEOUT_SECONDS)
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def is_alive(self) -> bool:
        """True while the server runs."""
        return self.server is not None and self.server.poll() is None

    @property
    def resident_bytes(self) -> int:
        """The resident memory of the server in bytes."""
        for line in Path(f"/proc/{self.server.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
        raise AssertionError("the server has no memory: it is gone")

    @property
    def heap_bytes(self) -> int:
        """The anonymous memory of the server in bytes."""
        return heap_bytes_of(self.server)

    @property
    def cpu_seconds(self) -> float:
        """The processor time of the server so far, in seconds."""
        fields = Path(f"/proc/{self.server.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def cpu_share(self, seconds: float = 0.5) -> float:
        """Processor seconds a second of the server, measured over a while: a busy loop comes to about 1."""
        began, before = time.monotonic(), self.cpu_seconds
        time.sleep(seconds)  # pause: the time over which is measured
        return (self.cpu_seconds - before) / (time.monotonic() - began)

    def log(self) -> str:
        """Returns the server's log so far."""
        file = self.folder / "server.log"
        return file.read_text(errors="replace") if file.exists() else ""

    # Clients

    def client(self, api_key: Optional[str] = None, **options: Any) -> crln.Client:
        """Returns a plaintext client with the key of the principal that has all roles, unless `api_key` is given."""
        options.setdefault("timeout", TIMEOUT_SECONDS)
        return crln.Client.connect(port=self.port, plaintext=True, api_key=api_key or self.api_key, **options)

    def tls_client(self, certificate: Optional[str] = None, **options: Any) -> crln.Client:
        """Returns a client over TLS, with a certificate of `Keys.certificate` or with an `api_key`."""
        return crln.Client.connect(
            "localhost", self.port, ca_file=self.keys.path("authority.pem"),
            cert_file=self.keys.path(certificate + ".both") if certificate else None, **options)

    def raw(self, phase: str = "preface", source: str = "127.0.0.1", path: str = "") -> RawConnection:
        """Returns a connection of raw bytes that has reached a phase; with `path`, over a Unix socket."""
        return RawConnection(self.port, self.api_key, phase, source, path)

    @property
    def record(self) -> Path:
        """The file to which the simulator writes a line for each push."""
        return self.folder / "pushes.jsonl"

    def pushes(self) -> List[Dict[str, Any]]:
        """Returns the pushes that the simulator has recorded."""
        lines = self.record.read_text().splitlines() if self.record.exists() else []
        return [json.loads(line) for line in lines]


def heap_bytes_of(process: subprocess.Popen) -> int:
    """Returns the anonymous memory of a process in bytes. Pages of files are not counted: the system decides how many
    of LMDB's stay in memory."""
    for line in Path(f"/proc/{process.pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Anonymous:"):
            return int(line.split()[1]) * 1024
    raise AssertionError("the process has no memory: it is gone")


def sha256(key: str) -> str:
    """Returns the hash of a key, as the file of principals has it."""
    return hashlib.sha256(key.encode()).hexdigest()


