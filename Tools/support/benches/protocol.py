"""Tools/bench ingest and rpc: requests of many clients, and the same number of redis commands.

The server and the generator have one core each. Both generators have 50 connections with 64 requests in flight on each,
and continue when all 64 are answered. Their own CPU time is reported: a generator that is always busy would be the
limit instead of the server.
"""

from __future__ import annotations

import os
import subprocess
import time
from typing import List

from common import (CLIENT_CORE, PROGRAMS, SERVER_CORE, BenchFailed, Figures, Scale, Server, SharedDevices,
                    children_cpu_seconds, file_path, free_port, on_core, process_cpu_seconds, run_program)

CONNECTIONS, PIPELINED, VALUE_BYTES = 50, 64, 64


class Redis:
    """redis-server, which writes each command to disk before it answers, and redis-benchmark."""

    def __init__(self, keys: int) -> None:
        self.keys = keys
        folder = file_path("redis")
        os.makedirs(folder, exist_ok=True)
        self.port = free_port()
        self.process = subprocess.Popen(
            on_core(SERVER_CORE) + [
                "redis-server", "--bind", "127.0.0.1", "--port", str(self.port), "--dir", folder, "--save", "",
                "--appendonly", "yes", "--appendfsync", "always", "--auto-aof-rewrite-percentage", "0"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(200):
            if self._says(["ping"]) == "PONG":
                return
            time.sleep(0.05)
        raise BenchFailed("redis-server does not answer")

    def _says(self, words: List[str]) -> str:
        done = subprocess.run(["redis-cli", "-p", str(self.port), *words], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, check=False)
        return done.stdout.strip()

    def run(self, command: str, count: int) -> Cost:
        """Runs `count` commands, SET or GET, and returns their cost."""
        server_before, generator_before = process_cpu_seconds(self.process.pid), children_cpu_seconds()
        done = subprocess.run(
            on_core(CLIENT_CORE) + [
                "redis-benchmark", "-p", str(self.port), "-t", command, "-n", str(count), "-r", str(self.keys), "-d",
                str(VALUE_BYTES), "-c", str(CONNECTIONS), "-P", str(PIPELINED), "--csv"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        rows = [line for line in done.stdout.splitlines() if line.upper().startswith(f'"{command.upper()}"')]
        if done.returncode != 0 or len(rows) != 1:
            raise BenchFailed(f"redis-benchmark failed:\n{done.stdout[-500:]}")
        per_second = float(rows[0].split(",")[1].strip('"'))
        return Cost(count, count / per_second,
                    server_cpu_seconds=process_cpu_seconds(self.process.pid) - server_before,
                    generator_cpu_seconds=children_cpu_seconds() - generator_before)

    def stop(self) -> None:
        """Ends it."""
        self.process.kill()
        self.process.wait()


class Cost:
    """The cost of requests: seconds, and CPU-seconds of the server and of the generator."""

    def __init__(self, count: int, seconds: float, *, server_cpu_seconds: float, generator_cpu_seconds: float) -> None:
        self.count, self.seconds = count, seconds
        self.server_cpu_seconds, self.generator_cpu_seconds = server_cpu_seconds, generator_cpu_seconds

    def figures(self, name: str) -> Figures:
        """Returns the figures by the names of the results."""
        return {
            f"{name}_per_second": self.count / self.seconds,
            f"{name}_per_cpu_second": self.count / self.server_cpu_seconds,
            f"{name}_server_cores": self.server_cpu_seconds / self.seconds,
            f"{name}_generator_cores": self.generator_cpu_seconds / self.seconds,
        }


class Requests:
    """One server for all rounds, and requests to it."""

    def __init__(self, folder: str) -> None:
        self.server = Server(folder, cores=[SERVER_CORE])

    def run(self, operation: str, count: int, *more: str) -> Cost:
        """Makes `count` requests and returns their cost, with the server's work after the last answer: it may
        have deferred a commit."""
        before = self.server.cpu_seconds
        done = run_program(
            on_core(CLIENT_CORE) + [
                f"{PROGRAMS}/carillon-bench", "requests", *self.server.access(), "--operation", operation, "--count",
                str(count), "--connections", str(CONNECTIONS), "--pipelined", str(PIPELINED), *more],
            f"{operation} requests")
        answered_at = time.monotonic()
        late_seconds = self.server.wait_until_idle() - answered_at
        return Cost(count, done["seconds"] + max(0, late_seconds), server_cpu_seconds=self.server.cpu_seconds - before,
                    generator_cpu_seconds=done["cpuSeconds"])


class Ingest:
    """Durable registrations and subscriptions, one a request, and SET of redis."""

    name, unit = "ingest", "requests a second of the wall clock, server and generator on a core each; cores busy"
    ratios = {
        "ratio_registrations": lambda round: round["registrations_per_second"] / round["redis_set_per_second"],
        "ratio_subscriptions": lambda round: round["subscriptions_per_second"] / round["redis_set_per_second"],
        "ratio_redis": lambda round: min(round["ratio_registrations"], round["ratio_subscriptions"]),
        "ratio_redis_cpu": lambda round: min(
            round["registrations_per_cpu_second"], round["subscriptions_per_cpu_second"])
        / round["redis_set_per_cpu_second"]}

    def __init__(self, scale: Scale, _: object) -> None:
        # The server defers its last commit by a fixed time after the last change: a short run would measure that time.
        self.count, self.devices = scale.requests * 3, scale.devices
        self.work = f"{self.count} requests a run, with {self.devices} devices there"
        # Not the shared devices: here the number grows.
        self.shared = SharedDevices(self.devices, folder="ingest")
        self.shared.register_all()
        self.registered, self.seed = self.devices + 1, 0
        self.requests, self.redis = Requests("ingest"), Redis(self.devices)
        self.measurements = [self.registrations, self.subscriptions, self.sets]

    def registrations(self) -> Figures:
        cost = self.requests.run("register", self.count, "--first", str(self.registered))
        self.registered += self.count
        return cost.figures("registrations")

    def subscriptions(self) -> Figures:
        # Other devices in each round: a repeated subscription costs less.
        self.seed += 1
        cost = self.requests.run("subscribe", self.count, "--devices", str(self.devices), "--seed", str(self.seed))
        return cost.figures("subscriptions")

    def sets(self) -> Figures:
        return self.redis.run("set", self.count * 2).figures("redis_set")

    def close(self) -> None:
        self.redis.stop()
        self.requests.server.stop()


class Lookups:
    """Lookups of devices by their tokens, and GET of redis."""

    name, unit = "rpc", Ingest.unit
    ratios = {
        "ratio_redis": lambda round: round["lookups_per_second"] / round["redis_get_per_second"],
        "ratio_redis_cpu": lambda round: round["lookups_per_cpu_second"] / round["redis_get_per_cpu_second"]}

    def __init__(self, scale: Scale, _: object) -> None:
        self.count, self.devices = scale.requests * 2, scale.devices
        self.work = f"{self.count} requests a run, with {self.devices} devices there"
        scale.shared.register_all()
        self.requests, self.redis = Requests(scale.shared.folder), Redis(self.devices)
        # Some of the keys do not exist yet; that makes GET cheaper, if anything.
        self.redis.run("set", self.devices)
        self.measurements = [self.lookups, self.gets]

    def lookups(self) -> Figures:
        return self.requests.run("lookup", self.count, "--devices", str(self.devices)).figures("lookups")

    def gets(self) -> Figures:
        return self.redis.run("get", self.count * 2).figures("redis_get")

    def close(self) -> None:
        self.redis.stop()
        self.requests.server.stop()
