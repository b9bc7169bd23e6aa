"""Tools/bench clients: lookups and sends of the clients on one connection, each beside a program that does the same.

The server and the client have one core each. The figure of a client is the number of its requests in a CPU-second of
its own, because a service pays for its client with its own processors.

The Swift client is compared with carillon-load, which makes the same requests without calls, tasks and retries. The
clients in Go, Node.js and Python are compared with a Redis client of their language, which gets values of 100 bytes in
the same way: with calls that wait at the same time in Go and Node.js, with batches of calls in Python. The client in
Java is compared with none, because Debian has no Redis client for Java.

A ratio is the figure of the client divided by that of the other program. Its name says what was compared:

    ratio_         lookups, with GETs
    sends_         sends, with GETs. GETs are answered from memory, but a send waits for the server's disk, so the
                   client of sends works with cold caches
    durable_       sends, with SETs that the redis-server writes to its disk before it answers
    paced_         sends, with as many GETs a second. So both clients wait equally long
    mixed_         lookups and sends in turn, in one pipeline, with GETs
    mixed_paced_   the same, with as many GETs a second

The Redis client in Go makes GETs without a pace only, so Go has no `durable_`, `paced_` and `mixed_paced_`. All sends
that are compared have one content. Node.js and Python print `send_new` too: sends with a new content each.
"""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, List

from common import (APP, CLIENT_CORE, PROGRAMS, SERVER_CORE, BenchFailed, Figures, Scale, Server, children_cpu_seconds,
                    file_path, on_core)
from mixed import rate_of, report_of, run_load
from protocol import Redis

CLIENTS = Path(__file__).resolve().parents[3] / "Protocol" / "clients"
# The calls that wait at once, as the requests in flight of carillon-load.
CALLS = 256
# Debian's Python, because Debian's packages are made for it.
PYTHON = "/usr/bin/python3"
RESULT = re.compile(r"^RESULT (\S+)\.(per_second|per_cpu_second) (\d+)$", re.MULTILINE)


@dataclass(frozen=True)
class Language:
    """The benchmark program of a client, which takes SECONDS and CALLS, and its reference program, which takes the
    port of Redis."""

    name: str
    command: tuple
    # The names of the figures that are compared: lookups, sends and both in turn, and the reference program's GETs.
    lookup: str
    send: str
    mixed: str
    reference: tuple = ()
    reference_get: str = ""
    # Its durable SETs, and its GETs that are as many a second as the sends, and as both in turn; empty if it does not
    # make them.
    reference_set: str = ""
    reference_paced: str = ""
    reference_paced_mixed: str = ""
    # Commands that build the program, in its folder, and the variables that it and they add to the environment.
    made_by: tuple = ()
    environment: tuple = ()


LANGUAGES = [
    Language("swift", (f"{PROGRAMS}/carillon-client-benchmark",), "swift.lookup", "swift.send",
             "swift.mixed"),
    Language("go", (file_path("go-benchmark"),), "go.lookup", "go.send", "go.mixed",
             reference=(file_path("go-redis"), "127.0.0.1:{port}", "{requests}", "{calls}"),
             reference_get="redigo.calls",
             made_by=((("go", "build", "-o", file_path("go-benchmark"), "./benchmark"), ()),
                      (("go", "build", "-o", file_path("go-redis"), "benchmark/redis/main.go"),
                       (("GO111MODULE", "off"), ("GOPATH", "/usr/share/gocode"))))),
    Language("node", ("node", "benchmark/benchmark.js"), "node.lookup", "node.send", "node.mixed",
             reference=("node", "benchmark/redis.js", "{port}", "{seconds}", "{calls}", "{pace}", "{mixed_pace}"),
             reference_get="node-redis.get", reference_set="node-redis.set", reference_paced="node-redis.paced",
             reference_paced_mixed="node-redis.paced_mixed",
             environment=(("NODE_PATH", "/usr/share/nodejs"),)),
    Language("python", (PYTHON, "-B", "tools/benchmark.py", "--only", "batch"), "python.batch.lookup",
             "python.batch.send", "python.batch.mixed",
             reference=(PYTHON, "-B", "tools/benchmark.py", "--only", "redis", "{seconds}", "{calls}", "--redis",
                        "{port}", "--pace", "{pace}", "--pace", "{mixed_pace}"),
             reference_get="redis-py.batch.get", reference_set="redis-py.batch.set", reference_paced="redis-py.paced",
             reference_paced_mixed="redis-py.paced_mixed"),
    Language("java", ("support/run_benchmark.sh",), "java.lookup",
             "java.send", "java.mixed", made_by=((("./build.sh", "compile"), ()),)),
]


def _ratio(name: str, other: str) -> Callable[[Figures], float]:
    """Returns a function of a round: how many times as many requests a CPU-second makes."""
    return lambda round: round[f"{name}.per_cpu_second"] / round[f"{other}.per_cpu_second"]


class Clients:
    """The clients, and their reference programs."""

    name, unit = "clients", "requests a second and in a CPU-second of the client, on one connection"
    ratios = {"ratio_swift": _ratio("swift.lookup", "load.lookup"), "sends_swift": _ratio("swift.send", "load.send"),
              "mixed_swift": _ratio("swift.mixed", "load.mixed"),
              **{f"ratio_{each.name}": _ratio(each.lookup, each.reference_get) for each in LANGUAGES if each.reference},
              **{f"sends_{each.name}": _ratio(each.send, each.reference_get) for each in LANGUAGES if each.reference},
              **{f"durable_{each.name}": _ratio(each.send, each.reference_set)
                 for each in LANGUAGES if each.reference_set},
              **{f"paced_{each.name}": _ratio(each.send, each.reference_paced)
                 for each in LANGUAGES if each.reference_paced},
              **{f"mixed_{each.name}": _ratio(each.mixed, each.reference_get) for each in LANGUAGES if each.reference},
              **{f"mixed_paced_{each.name}": _ratio(each.mixed, each.reference_paced_mixed)
                 for each in LANGUAGES if each.reference_paced_mixed}}

    def __init__(self, scale: Scale, _: object) -> None:
        # Before each measurement the requests run unmeasured for the same time: long enough for the compilers of Java
        # and Node.js, and short enough for three rounds of two minutes.
        self.seconds = 0.2 if scale.is_smoke else 2
        self.requests = 5_000 if scale.is_smoke else 400_000
        self.rounds = min(scale.rounds, 3)
        self.work = f"{self.seconds} s of lookups, of sends and of both in turn for each language"
        for language in LANGUAGES:
            for command, variables in language.made_by:
                done = subprocess.run(command, cwd=CLIENTS / language.name, env={**os.environ, **dict(variables)},
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
                if done.returncode != 0:
                    raise BenchFailed(f"{' '.join(command)} failed:\n{done.stdout[-500:]}")
        self.server = Server("clients", cores=[SERVER_CORE])
        self.redis = Redis(1)
        self.measurements = [self.load, *(lambda language=each: self.client(language) for each in LANGUAGES)]

    def client(self, language: Language) -> Figures:
        """Measures a client, and then its reference program."""
        self.server.wait_until_idle()
        found = self.run(language, [*language.command, str(self.seconds), str(CALLS)],
                         [language.lookup, language.send, language.mixed])
        if language.reference:
            words = {"port": self.redis.port, "requests": self.requests, "seconds": self.seconds, "calls": CALLS,
                     "pace": max(1, found[f"{language.send}.per_second"]),
                     "mixed_pace": max(1, found[f"{language.mixed}.per_second"])}
            names = [name for name in (language.reference_get, language.reference_set, language.reference_paced,
                                       language.reference_paced_mixed) if name]
            found |= self.run(language, [word.format(**words) for word in language.reference], names)
        return found

    def run(self, language: Language, command: List[str], names: List[str]) -> Figures:
        """Runs a benchmark program; returns its figures, which must have these names among them."""
        environment = {**os.environ, "CARILLON_SERVER": f"127.0.0.1:{self.server.port}", "CARILLON_APP": APP,
                       "CARILLON_API_KEY_FILE": file_path("api-key"), **dict(language.environment)}
        done = subprocess.run(on_core(CLIENT_CORE) + command, cwd=CLIENTS / language.name, env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        found: Figures = {f"{name}.{unit}": int(value) for name, unit, value in RESULT.findall(done.stdout)}
        if done.returncode != 0 or any(f"{name}.per_cpu_second" not in found for name in names):
            raise BenchFailed(f"{' '.join(command)} failed:\n{done.stdout[-500:]}")
        return found

    def load(self) -> Figures:
        """Measures the lookups, the sends and both mixed of carillon-load."""
        return {**self.load_of("lookup", "lookup"), **self.load_of("send", "send-token", "--allow-apple"),
                **self.load_of("mixed", "lookup=50,send-token=50", "--allow-apple")}

    def load_of(self, name: str, mix: str, *more: str) -> Figures:
        """Measures one kind of request, or a mix."""
        self.server.wait_until_idle()
        path, seconds = Path(file_path("clients.json")), max(1, int(self.seconds))
        before = children_cpu_seconds()
        run_load(path, "--server", f"127.0.0.1:{self.server.port}", "--api-key-file", file_path("api-key"), "--app",
                 APP, "--mix", mix, "--connections", "1", "--depth", str(CALLS), "--devices", "100", "--warm-up",
                 "0s", "--duration", f"{seconds}s", *more, core=CLIENT_CORE)
        rate = rate_of(report_of(path))
        return {f"load.{name}.per_second": rate,
                f"load.{name}.per_cpu_second": rate * seconds / (children_cpu_seconds() - before)}

    def close(self) -> None:
        """Ends the servers."""
        self.server.stop()
        self.redis.stop()
