"""Tools/bench clients: lookups and sends of the clients on one connection, each beside a program that does the same.

The server and the client have one core each. A client is measured by its requests in a CPU-second of its own: a service
pays for its client with its own processors. Beside the Swift client carillon-load makes the same lookups: it has no
calls, no tasks and no retries. Beside the others a Redis client of the language gets 100 bytes as often, in the same
form. Debian has none for Java.
"""

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from common import (APP, CLIENT_CORE, PROGRAMS, SERVER_CORE, BenchFailed, Server, children_cpu, file_path, on_core)
from mixed import rate_of, report_of, run_load
from protocol import Redis

CLIENTS = Path(__file__).resolve().parents[3] / "Protocol" / "clients"
# The calls that wait at once, as the requests in flight of carillon-load.
CALLS = 256
# Debian's, for which its packages are.
PYTHON = "/usr/bin/python3"
RESULT = re.compile(r"^RESULT (\S+)\.(per_second|per_cpu_second) (\d+)$", re.MULTILINE)


@dataclass(frozen=True)
class Language:
    """The benchmark program of a client, which takes SECONDS and CALLS, and its rival, which takes the port of Redis."""

    name: str
    command: tuple
    # What of its figures is compared: its lookups, and the rival's GETs.
    lookup: str
    rival: tuple = ()
    rival_get: str = ""
    # Commands that make it, in its folder, and what they and it add to the environment.
    made_by: tuple = ()
    environment: tuple = ()


LANGUAGES = [
    Language("swift", (f"{PROGRAMS}/carillon-client-benchmark",), "swift.lookup"),
    Language("go", (file_path("go-benchmark"),), "go.lookup",
             rival=(file_path("go-redis"), "127.0.0.1:{port}", "{requests}", "{calls}"), rival_get="redigo.calls",
             made_by=((("go", "build", "-o", file_path("go-benchmark"), "./benchmark"), ()),
                      (("go", "build", "-o", file_path("go-redis"), "benchmark/redis/main.go"),
                       (("GO111MODULE", "off"), ("GOPATH", "/usr/share/gocode"))))),
    Language("node", ("node", "benchmark/benchmark.js"), "node.lookup",
             rival=("node", "benchmark/redis.js", "{port}", "{seconds}", "{calls}"), rival_get="node-redis.get",
             environment=(("NODE_PATH", "/usr/share/nodejs"),)),
    Language("python", (PYTHON, "-B", "tools/benchmark.py"), "python.batch.lookup",
             rival=(PYTHON, "-B", "tools/benchmark.py", "{seconds}", "{calls}", "--redis", "{port}"),
             rival_get="redis-py.batch.get"),
    Language("java", ("support/run_benchmark.sh",), "java.lookup", made_by=((("./build.sh", "compile"), ()),)),
]


class Clients:
    """The clients, and their rivals."""

    name, unit = "clients", "requests a second and in a CPU-second of the client, on one connection"
    ratios = {"ratio_swift": lambda round: round["swift.lookup.per_cpu_second"] / round["load_per_cpu_second"],
              **{f"ratio_{each.name}": lambda round, each=each: round[f"{each.lookup}.per_cpu_second"]
                 / round[f"{each.rival_get}.per_cpu_second"] for each in LANGUAGES if each.rival}}

    def __init__(self, scale, _):
        self.seconds = 0.2 if scale.is_smoke else 1
        self.requests = 5_000 if scale.is_smoke else 400_000
        # A round takes most of a minute: each kind of request is measured once it has run as long without.
        self.rounds = min(scale.rounds, 3)
        self.work = f"{self.seconds} s of lookups and of sends for each language"
        for language in LANGUAGES:
            for command, variables in language.made_by:
                done = subprocess.run(command, cwd=CLIENTS / language.name, env={**os.environ, **dict(variables)},
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
                if done.returncode != 0:
                    raise BenchFailed(f"{' '.join(command)} failed:\n{done.stdout[-500:]}")
        self.server = Server("clients", cores=[SERVER_CORE])
        self.redis = Redis(1)
        self.sides = [self.load, *(lambda language=each: self.client(language) for each in LANGUAGES)]

    def client(self, language):
        """Measures a client, and then its rival."""
        found = self.run(language, [*language.command, str(self.seconds), str(CALLS)], [language.lookup])
        if language.rival:
            words = {"port": self.redis.port, "requests": self.requests, "seconds": self.seconds, "calls": CALLS}
            found |= self.run(language, [word.format(**words) for word in language.rival], [language.rival_get])
        return found

    def run(self, language, command, names):
        """Runs a benchmark program; returns its figures, which must have these names among them."""
        environment = {**os.environ, "CARILLON_SERVER": f"127.0.0.1:{self.server.port}", "CARILLON_APP": APP,
                       "CARILLON_API_KEY_FILE": file_path("api-key"), **dict(language.environment)}
        done = subprocess.run(on_core(CLIENT_CORE) + command, cwd=CLIENTS / language.name, env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        found = {f"{name}.{unit}": int(value) for name, unit, value in RESULT.findall(done.stdout)}
        if done.returncode != 0 or any(f"{name}.per_cpu_second" not in found for name in names):
            raise BenchFailed(f"{' '.join(command)} failed:\n{done.stdout[-500:]}")
        return found

    def load(self):
        """Measures the lookups of carillon-load."""
        path = Path(file_path("clients.json"))
        before, seconds = children_cpu(), max(1, int(self.seconds))
        run_load(path, "--server", f"127.0.0.1:{self.server.port}", "--api-key-file", file_path("api-key"), "--app",
                 APP, "--mix", "lookup", "--connections", "1", "--depth", str(CALLS), "--devices", "100", "--warm-up",
                 "0s", "--duration", f"{seconds}s", core=CLIENT_CORE)
        rate = rate_of(report_of(path))
        return {"load_per_second": rate, "load_per_cpu_second": rate * seconds / (children_cpu() - before)}

    def close(self):
        """Ends the servers."""
        self.server.stop()
        self.redis.stop()
