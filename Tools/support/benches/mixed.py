"""Tools/bench mixed: registrations with lookups, subscriptions and pushes beside them.

carillon-load makes the mixes: 50 connections with 64 requests in flight each, 300,000 devices, a new data directory for
each part; server and generator share all cores, as `carillon-load --own` starts them. redis-benchmark cannot mix
commands, and Debian has no memtier-benchmark, so a small program in C (redis_mix.c) does the same to redis: 50
connections, 64 commands in flight on each, 5 % GET; redis and the program have a core each, for redis has one thread.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import shutil
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional

from common import (APP, CLIENT_CORE, PROGRAMS, SERVER_CORE, BenchFailed, Figures, Scale, Server, SharedDevices, crln,
                    file_path, on_core, run_program)
from latency import Latency
from protocol import CONNECTIONS, PIPELINED, VALUE_BYTES, Redis

MIXES = {
    "register": "register=100",
    "lookups": "register=95,lookup=5",
    "everything": "register=45,subscribe=45,lookup=8,send-token=2"}
GET_PERCENT = 5


@dataclasses.dataclass
class Sizes:
    """The sizes of a run."""

    # Devices of carillon-load, seconds of a measurement, registrations in the measurement of memory, and registrations
    # a second beside the pushes.
    devices: int
    seconds: int
    registrations: int
    rate: int


class Mixed:
    """Rates of mixes, the wait of a push beside registrations and a fan-out, and the memory of bulk ingest."""

    name, unit = "mixed", "requests a second, milliseconds, MiB; ratios to registrations alone, to redis, to idle"
    ratios = {
        "lookups_cost": lambda round: round["lookups_per_second"] / round["register_per_second"],
        "everything": lambda round: round["everything_per_second"] / round["register_per_second"],
        "ratio_redis": lambda round: round["lookups_per_second"] / round["redis_per_second"],
        "send_p99_ratio": lambda round: round["send_busy_p99_ms"] / round["send_idle_p99_ms"]}

    def __init__(self, scale: Scale, _: object) -> None:
        self.sizes = Sizes(2_000, 1, 20_000, 500) if scale.is_smoke else Sizes(300_000, 10, 3_000_000, 20_000)
        # Other devices than in the other benches: here the number grows.
        self.scale = dataclasses.replace(scale, shared=SharedDevices(scale.devices, folder="mixed"))
        self.latency = None
        self.work = (f"{CONNECTIONS} connections with {PIPELINED} in flight, {self.sizes.devices} devices; pushes "
                     f"beside {self.sizes.rate} registrations a second and a message to {scale.devices}; memory during "
                     f"{self.sizes.registrations} registrations")
        self.redis_mix = compiled("redis_mix")
        self.measurements = [self.register, self.lookups, self.everything, self.redis_commands, self.pushes,
                             self.memory]

    # Mixes

    def register(self) -> Figures:
        return {"register_per_second": rate_of(self.run_mix("register"))}

    def lookups(self) -> Figures:
        result = self.run_mix("lookups")
        return {"lookups_per_second": rate_of(result), "lookups_p99_ms": p99_ms_of(result)["lookup"]}

    def everything(self) -> Figures:
        result = self.run_mix("everything")
        p99_ms = p99_ms_of(result)
        return {"everything_per_second": rate_of(result), "everything_lookups_p99_ms": p99_ms["lookup"],
                "registrations_p99_ms": p99_ms["register"], "subscriptions_p99_ms": p99_ms["subscribe"]}

    def run_mix(self, name: str) -> Dict[str, Any]:
        """Runs a mix against a server with a new data directory; returns the report of carillon-load."""
        folder = Path(file_path(f"mix-{name}"))
        folder.mkdir()
        try:
            run_load(folder / "run.json", "--own", "--data", str(folder), "--mix", MIXES[name], "--connections",
                     str(CONNECTIONS), "--depth", str(PIPELINED), "--devices", str(self.sizes.devices), "--duration",
                     f"{self.sizes.seconds}s")
            return report_of(folder / "run.json")
        finally:
            shutil.rmtree(folder)

    def redis_commands(self) -> Figures:
        # A new directory each time, because its log gets hundreds of MiB.
        shutil.rmtree(file_path("redis"), ignore_errors=True)
        redis = Redis(self.sizes.devices)
        try:
            done = self.run_redis_mix(redis.port)
        finally:
            redis.stop()
            shutil.rmtree(file_path("redis"))
        return {"redis_per_second": done["answers"] / done["seconds"]}

    def run_redis_mix(self, port: int) -> Dict[str, Any]:
        return run_program(
            on_core(CLIENT_CORE) + [self.redis_mix, str(port), str(CONNECTIONS), str(PIPELINED),
                                    str(self.sizes.seconds), str(GET_PERCENT), str(self.sizes.devices),
                                    str(VALUE_BYTES)], "redis_mix")

    # Pushes

    def pushes(self) -> Figures:
        """Returns the wait of one push: alone, and beside registrations and a fan-out."""
        if self.latency is None:
            self.latency = Latency(self.scale, None)
        idle = self.latency.idle()
        with self.registrations() as load:
            busy = self.latency.busy()
        per_second = rate_of(load)
        # If the server cannot take the load, the result is about another load.
        if not self.scale.is_smoke and per_second < 0.95 * self.sizes.rate:
            raise BenchFailed(f"{per_second:.0f} registrations a second instead of {self.sizes.rate}")
        return {"send_idle_p99_ms": idle["idle_p99_ms"], "send_busy_p99_ms": busy["busy_p99_ms"],
                "send_bulk_per_second": busy["bulk_per_second"], "send_registrations_per_second": per_second}

    @contextlib.contextmanager
    def registrations(self) -> Iterator[Dict[str, Any]]:
        """Registers at a steady rate until the end of the block; yields a report, which is filled then."""
        path, report = Path(file_path("beside.json")), {}
        server, before = self.latency.server, registered(self.latency.client)
        process = subprocess.Popen(
            on_core(SERVER_CORE) + load_command(
                path, "--server", f"127.0.0.1:{server.port}", "--api-key-file", file_path("api-key"), "--app", APP,
                "--mix", MIXES["register"], "--rate", str(self.sizes.rate), "--devices", "100", "--warm-up", "1s",
                "--duration", "600s"),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            limit = time.monotonic() + 60
            # Past the warm-up.
            while registered(self.latency.client) < before + 2 * self.sizes.rate:
                if process.poll() is not None or time.monotonic() > limit:
                    raise BenchFailed(f"carillon-load does not register: {process.stdout.read()[-500:]}")
                time.sleep(0.2)
            yield report
            process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=60)[0]
            if not path.exists():
                raise BenchFailed(f"carillon-load failed: {said[-500:]}")
            report.update(report_of(path))
        finally:
            process.kill()
            process.communicate()
            path.unlink(missing_ok=True)

    # Memory

    def memory(self) -> Figures:
        """Returns the most memory of a new server during bulk ingest, without pages of files."""
        with Server("memory") as server:
            with AnonymousMemoryPeak(server.process.pid) as memory:
                run_program(
                    on_core(CLIENT_CORE) + [
                        f"{PROGRAMS}/carillon-bench", "requests", *server.access(), "--operation", "register",
                        "--count", str(self.sizes.registrations), "--connections", str(CONNECTIONS), "--pipelined",
                        str(PIPELINED)],
                    "registrations")
                server.wait_until_idle()
        shutil.rmtree(file_path("memory"))
        return {"rss_mib": memory.peak / 2**20}

    def close(self) -> None:
        if self.latency is not None:
            self.latency.close()


class AnonymousMemoryPeak:
    """Samples the peak of RssAnon of a process, in bytes: resident memory without pages of files, LMDB's among them."""

    def __init__(self, process: int) -> None:
        self.process, self.peak = process, 0
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._sample, daemon=True)

    def _now(self) -> int:
        with open(f"/proc/{self.process}/status", encoding="ascii") as file:
            return next(int(line.split()[1]) * 1024 for line in file if line.startswith("RssAnon:"))

    def _sample(self) -> None:
        while not self.ended.wait(0.02):
            self.peak = max(self.peak, self._now())

    def __enter__(self) -> AnonymousMemoryPeak:
        self.peak = self._now()
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self.thread.join()


def compiled(name: str) -> str:
    """Builds a C file of this folder; returns the path of the program."""
    program = file_path(name)
    done = subprocess.run(["clang", "-O2", "-Wall", "-Werror", "-o", program,
                           str(Path(__file__).with_name(name + ".c"))],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        raise BenchFailed(f"{name}.c cannot be built: {done.stdout[-500:]}")
    return program


def load_command(report: Path, *words: str) -> List[str]:
    """Returns the command of a run of carillon-load that writes a report."""
    return [f"{PROGRAMS}/carillon-load", "run", "--json", str(report), *words]


def run_load(report: Path, *words: str, core: Optional[int] = None) -> None:
    """Runs carillon-load, on one core if that is given."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CARILLON_")}
    pinned = [] if core is None else on_core(core)
    done = subprocess.run(pinned + load_command(report, *words), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False, env=environment)
    if done.returncode != 0:
        raise BenchFailed(f"carillon-load failed:\n{done.stdout[-1000:]}")


def report_of(path: Path) -> Dict[str, Any]:
    """Returns the report of a run; no request may have failed."""
    report = json.loads(path.read_text())
    for row in report["operations"]:
        if row["errors"]:
            raise BenchFailed(f"requests of the load failed: {row['name']} {row['errors']}")
    return report


def p99_ms_of(report: Dict[str, Any]) -> Figures:
    """Returns the 99th percentile of each operation's time to its answer, in milliseconds."""
    return {row["name"]: row["p99_ms"] for row in report["operations"]}


def rate_of(report: Dict[str, Any]) -> float:
    """Answered requests a second."""
    return report["all"]["answered_per_second"]


def registered(client: crln.Client) -> int:
    """Returns the number of answered registrations since the start of the server."""
    return sum(row["count"] for row in client.statistics()["requests"] if row["operation"] == "register")
