"""Tools/bench clients: lookups and sends of the clients on one connection, and the same lookups of carillon-load.

The server and the client have one core each. A client is measured by its requests in a CPU-second of its own: a service
pays for its client with its own processors. carillon-load has no calls, no tasks and no retries: it is the bound.
"""

import os
import re
import subprocess
from pathlib import Path

from common import (APP, CLIENT_CORE, PROGRAMS, SERVER_CORE, BenchFailed, Server, children_cpu, file_path, on_core)
from mixed import rate_of, report_of, run_load

# The calls that wait at once, as the requests in flight of carillon-load.
CALLS = 256
# The benchmark program of each language. Each takes REQUESTS and CALLS and prints lines "RESULT language operation …".
LANGUAGES = {"swift": [f"{PROGRAMS}/carillon-client-benchmark"]}
RESULT = re.compile(r"RESULT (\S+) (\S+) .*\bper_second (\d+) per_cpu_second (\d+)")


class Clients:
    """The clients, and carillon-load."""

    name, unit = "clients", "requests a second and in a CPU-second of the client, on one connection"
    ratios = {f"ratio_{language}": lambda round, language=language:
              round[f"{language}_lookup_per_cpu_second"] / round["load_per_cpu_second"] for language in LANGUAGES}

    def __init__(self, scale, _):
        self.count, self.seconds = scale.requests, 1 if scale.is_smoke else 5
        self.work = f"{self.count} lookups and {self.count // 10} sends a run"
        self.server = Server("clients", cores=[SERVER_CORE])
        self.sides = [self.clients, self.load]

    def clients(self):
        environment = {**os.environ, "CARILLON_SERVER": f"127.0.0.1:{self.server.port}", "CARILLON_APP": APP,
                       "CARILLON_API_KEY_FILE": file_path("api-key")}
        found = {}
        for language, command in LANGUAGES.items():
            done = subprocess.run(on_core(CLIENT_CORE) + [*command, str(self.count), str(CALLS)], env=environment,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            rows = RESULT.findall(done.stdout)
            if done.returncode != 0 or [row[1] for row in rows] != ["lookup", "send"]:
                raise BenchFailed(f"the client of {language} failed:\n{done.stdout[-500:]}")
            for _, operation, per_second, per_cpu_second in rows:
                found[f"{language}_{operation}_per_second"] = int(per_second)
                found[f"{language}_{operation}_per_cpu_second"] = int(per_cpu_second)
        return found

    def load(self):
        path = Path(file_path("clients.json"))
        before = children_cpu()
        run_load(path, "--server", f"127.0.0.1:{self.server.port}", "--api-key-file", file_path("api-key"), "--app",
                 APP, "--mix", "lookup", "--connections", "1", "--depth", str(CALLS), "--devices", "100", "--warm-up",
                 "0s", "--duration", f"{self.seconds}s", core=CLIENT_CORE)
        rate = rate_of(report_of(path))
        return {"load_per_second": rate, "load_per_cpu_second": rate * self.seconds / (children_cpu() - before)}

    def close(self):
        self.server.stop()
