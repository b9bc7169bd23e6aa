"""Parts that the benches share: processes with their cores and CPU-seconds, a server, and devices in a database."""

from __future__ import annotations

import functools
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Tuple

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "Tests" / "SystemTests"))

from support.deployment import Deployment, heap_bytes_of  # noqa: E402  (importable only now)
from support.environment import APP, PROGRAMS, crln, free_port  # noqa: E402, F401
from support.figures import label, percentile  # noqa: E402, F401
from support.keys import KEY_ID, TEAM, provider_token  # noqa: E402, F401
from support.providers.simulator import Simulator  # noqa: E402, F401

# 176 bytes; h2load sends the same.
PAYLOAD = b'{"aps":{"alert":"' + b"x" * 156 + b'"}}'

CORES = sorted(os.sched_getaffinity(0))
# The core of the program that sends, and the core of the program that receives.
CLIENT_CORE, SERVER_CORE = CORES[0], CORES[min(1, len(CORES) - 1)]


# Figures by their names.
Figures = Dict[str, float]


class BenchFailed(Exception):
    """A program did not do its work, so its figure means nothing."""


# Processes

def children_cpu_seconds() -> float:
    """CPU-seconds of all child processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def process_cpu_seconds(pid: int) -> float:
    """CPU-seconds of another process so far: all threads, user and system time."""
    # The clock of a process (clock_getcpuclockid) is finer than the ticks of /proc.
    return time.clock_gettime(~pid << 3 | 2)


def pin(pid: int, *cores: int) -> None:
    """Restricts a process and all its threads to these cores."""
    for thread in os.listdir(f"/proc/{pid}/task"):
        os.sched_setaffinity(int(thread), cores)


def on_core(core: int) -> List[str]:
    """Returns the words before a command that runs on one core."""
    return ["taskset", "-c", str(core)]


def run_program(command: List[str], what: str) -> Dict[str, Any]:
    """Runs one of our programs; returns the JSON of its last line."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise BenchFailed(f"{what} failed:\n{done.stdout[-500:]}{done.stderr[-1000:]}")
    return json.loads(done.stdout.splitlines()[-1])


# The deployment

@functools.cache
def deployment() -> Deployment:
    """The deployment of this run: keys, configuration and a simulator, without a server. The main program ends it."""
    return Deployment(apps={APP: {"production": "main"}}, flags=None, records=False)


def file_path(name: str) -> str:
    """Returns the path of a file in the folder of the deployment."""
    return deployment().keys.path(name)


def own_simulator(*flags: str) -> Simulator:
    """Returns a further simulator, with other options than the shared one, on the core of the server."""
    return Simulator(deployment(), flags, cores=[SERVER_CORE])


def simulator_process() -> int:
    """Returns the process id of the shared simulator."""
    return deployment().simulator.process.pid


def reset_simulator() -> None:
    """Sets all counts of the shared simulator to 0."""
    deployment().simulator.ask("reset", timeout=60)


def expect_accepted(count: int) -> None:
    """Asserts that the simulator has accepted `count` pushes since its reset, and has received no others."""
    stats = deployment().simulator.stats()
    if stats["accepted"] != count or stats["requests"] != count or stats["rejected"]:
        raise BenchFailed(f"the simulator should have accepted {count} pushes and nothing else: {stats}")


def start_nghttpd(folder: str, files: Dict[str, str], streams: int) -> Tuple[subprocess.Popen[bytes], int]:
    """Starts nghttpd with files of these paths and texts, on the core of the server; returns its process and port."""
    for path, text in files.items():
        place = Path(file_path(folder)) / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="ascii")
    port = free_port()
    process = subprocess.Popen(
        ["nghttpd", "-a", "127.0.0.1", "-d", file_path(folder), "-m", str(streams), "-W", "24", str(port),
         file_path("apns.key"), file_path("apns.pem")],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            break
        except OSError:
            time.sleep(0.05)
    else:
        raise BenchFailed("nghttpd does not listen")
    pin(process.pid, SERVER_CORE)
    return process, port


# The server

class Server:
    """carillond with the configuration of the deployment, from its start until `stop` or `kill`. A bench may have two
    at a time. So the methods use the process and the port of this one: the deployment has those of the last one."""

    def __init__(self, data: str = "data", cores: Sequence[int] = tuple(CORES), apns_port: Optional[int] = None,
                 flags: Sequence[str] = ()) -> None:
        shared = deployment()
        self.data = file_path(data)
        self.process = shared.start("--data-path", self.data, "--listen-port", str(free_port()), *flags, cores=cores,
                                    apns_port=apns_port)
        self.port = shared.port

    @property
    def cpu_seconds(self) -> float:
        """CPU-seconds so far."""
        return process_cpu_seconds(self.process.pid)

    def wait_until_idle(self) -> float:
        """Waits until the server has used almost no CPU for 0.2 s; returns the time when that began."""
        since, used = time.monotonic(), self.cpu_seconds
        deadline = since + 60
        while time.monotonic() - since < 0.2:
            if time.monotonic() > deadline:
                raise BenchFailed("the server does not come to rest")
            time.sleep(0.01)
            # Timers alone use less CPU than this.
            if self.cpu_seconds - used > 0.002:
                since, used = time.monotonic(), self.cpu_seconds
        return since

    @property
    def heap_bytes(self) -> int:
        """The anonymous memory in bytes."""
        return heap_bytes_of(self.process)

    def client(self) -> crln.Client:
        """Returns a client of the server for calls that are not measured."""
        return crln.Client.connect(port=self.port, plaintext=True, api_key=deployment().api_key, timeout=120)

    def access(self) -> List[str]:
        """Returns the options that tell our programs where the server is."""
        return ["--port", str(self.port), "--api-key-file", file_path("api-key"), "--app", APP]

    def stop(self) -> None:
        """Ends the server with SIGTERM."""
        self.process.send_signal(signal.SIGTERM)
        if self.process.wait(120) != 0:
            raise BenchFailed("carillond did not end cleanly")

    def kill(self) -> None:
        """Kills the server."""
        self.process.kill()
        self.process.wait(60)

    def __enter__(self) -> Server:
        return self

    def __exit__(self, failure: Optional[BaseException], *_: object) -> None:
        if self.process.poll() is not None:
            return
        if failure is None:
            self.stop()
        else:
            self.kill()


class SharedDevices:
    """Many devices in a database that several benches use. The first 10,000, 100,000, … of them are in a topic each."""

    def __init__(self, devices: int, sizes: Sequence[int] = (), folder: str = "shared") -> None:
        self.devices, self.folder = devices, folder
        self.are_registered = False
        self.sizes = sorted({size for size in sizes if size < devices} | {devices})
        # A device that is in no fan-out.
        self.single_device = devices

    @staticmethod
    def topic(size: int) -> str:
        """The topic of the first `size` devices."""
        return f"first/{size}"

    def register_all(self) -> None:
        """Registers all devices, in pieces that fit into memory; the second call does nothing."""
        if self.are_registered:
            return
        self.are_registered = True
        topics = [word for size in self.sizes for word in ("--topic", f"{self.topic(size)}:{size}")]
        with Server(self.folder) as server:
            for first in range(0, self.devices + 1, 1_000_000):
                count = min(1_000_000, self.devices + 1 - first)
                run_program(
                    [f"{PROGRAMS}/carillon-bench", "requests", "--operation", "register-batch", *server.access(),
                     "--connections", "4", "--pipelined", "2", "--first", str(first), "--count", str(count), *topics],
                    "registering devices")


@dataclass
class Scale:
    """The sizes of a run."""

    rounds: int
    is_smoke: bool
    # Pushes of h2load and of the sender, requests of a run, sends of the latency bench.
    pushes: int
    requests: int
    send_count: int
    # Devices in the registry, and devices of the bench "audience".
    devices: int
    audience: int
    # The devices that several benches share.
    shared: SharedDevices

    @staticmethod
    def of(devices: int, smoke: bool) -> Scale:
        """The full sizes or the sizes of the short form, with `devices` if that is given."""
        count = devices or (6_000 if smoke else 1_000_000)
        shared = SharedDevices(count, (500,) if smoke else (10_000, 100_000, 1_000_000))
        if smoke:
            return Scale(rounds=1, is_smoke=True, pushes=2_000, requests=3_000, send_count=20, devices=count,
                         audience=devices or 20_000, shared=shared)
        # With tens of millions of devices each round takes minutes.
        rounds = 5 if count <= 2_000_000 else 1
        return Scale(rounds=rounds, is_smoke=False, pushes=200_000, requests=200_000, send_count=1_200, devices=count,
                     audience=devices or 10_000_000, shared=shared)


class MeasuredFanout:
    """The cost of one fan-out: seconds from its acceptance to its end, and CPU-seconds of the server."""

    def __init__(self, server: Server, client: crln.Client, topic: str, count: int) -> None:
        before = server.cpu_seconds
        message = send_bulk(client, topic)
        while True:
            status = client.message_status(APP, message)
            if status["state"] == "finished":
                break
            time.sleep(0.05)
        self.cpu_seconds = server.cpu_seconds - before
        self.seconds = max(1, status["finished_at"] - status["accepted_at"]) / 1_000
        if status["outcomes"] != {"delivered": count}:
            raise BenchFailed(f"not all of {count} devices have the message: {status}")


def send_bulk(client: crln.Client, topic: str, **options: Any) -> int:
    """Sends to a topic in the bulk lane; returns the message id."""
    return client.send_to(APP, PAYLOAD, topic=topic, lane="bulk", **options)["message_id"]
