"""The measuring part of Tools/bench, which starts it: rounds of our side and its yardstick, taking turns.

The other side of each comparison runs in the same minute on the same cores, so a ratio holds on a noisy machine where an
absolute figure does not. Needs a simulator that runs, and in the environment: PROGRAMS, WORLD, SIMULATOR, APNS_PORT,
CONTROL_PORT.
"""

import base64
import json
import os
import re
import resource
import socket
import statistics
import subprocess
import sys
import time

import bench_audience

APP, TEAM, KEY_ID = "com.example.game", "TEAM123456", "KEY1234567"
NOTIFICATION_ID = "8f2a9c1e-0000-4000-8000-000000000000"
PAYLOAD = b'{"aps":{"alert":"' + b"x" * 156 + b'"}}'
assert len(PAYLOAD) == 176

WORLD = os.environ["WORLD"]
SIMULATOR = int(os.environ["SIMULATOR"])
APNS_PORT = int(os.environ["APNS_PORT"])
CORES = sorted(os.sched_getaffinity(0))
CLIENT_CORE, SERVER_CORE = CORES[0], CORES[min(1, len(CORES) - 1)]


class BenchFailed(Exception):
    """A side did not do its work, so its figure means nothing."""


def words_of(command):
    """The first line that a program prints about itself."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    return (done.stdout.splitlines() or ["?"])[0].strip()


def machine():
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
        models = re.findall(r"^model name\s*:\s*(.+)$", file.read(), re.MULTILINE)
    return {
        "processors": os.cpu_count(),
        "cpu": models[0] if models else "unknown",
        "kernel": os.uname().release,
        "load": os.getloadavg()[0],
        "swift": words_of(["swift", "--version"]),
        "openssl": words_of(["openssl", "version"]),
        "h2load": words_of(["h2load", "--version"]),
        "nghttpd": words_of(["nghttpd", "--version"]),
        "programs": os.path.basename(os.environ["PROGRAMS"]),
    }


def provider_token():
    """A JWT as APNs wants it (ES256), signed by openssl."""

    def encoded(data):
        return base64.urlsafe_b64encode(data).rstrip(b"=")

    header = {"alg": "ES256", "kid": KEY_ID}
    claims = {"iss": TEAM, "iat": int(time.time())}
    signed = b".".join(encoded(json.dumps(part).encode()) for part in (header, claims))
    der = subprocess.run(
        ["openssl", "dgst", "-sha256", "-sign", f"{WORLD}/AuthKey.p8"], input=signed, stdout=subprocess.PIPE, check=True
    ).stdout
    first_end = 4 + der[3]
    halves = der[4:first_end], der[first_end + 2:]
    signature = b"".join(half.lstrip(b"\0").rjust(32, b"\0") for half in halves)
    return (signed + b"." + encoded(signature)).decode()


def push_headers():
    fields = {
        "authorization": "bearer " + provider_token(),
        "apns-topic": APP,
        "apns-push-type": "alert",
        "apns-priority": "10",
        "apns-id": NOTIFICATION_ID,
    }
    return [word for name, value in fields.items() for word in ("-H", f"{name}: {value}")]


def write_requests(count):
    """Writes the body and the addresses of `count` distinct devices; the same ones at every run."""
    with open(f"{WORLD}/body.json", "wb") as file:
        file.write(PAYLOAD)
    state = 7
    with open(f"{WORLD}/devices.txt", "w", encoding="ascii") as file:
        for _ in range(count):
            state = state * 0x5851F42D4C957F2D14057B7EF767814F + 0x9E3779B97F4A7C15 & (1 << 256) - 1
            file.write(f"https://localhost:{APNS_PORT}/3/device/{state:064x}\n")


class H2Load:
    """Runs h2load, with the same push for every server unless told otherwise."""

    def __init__(self):
        self.push = push_headers() + ["-d", f"{WORLD}/body.json"]

    def run(self, count, connections, streams, addresses, request=None):
        """Sends `count` requests and returns the CPU-seconds of h2load; each must be answered 200."""
        request = self.push if request is None else request
        command = ["taskset", "-c", str(CLIENT_CORE), "h2load", "-n", str(count), "-c", str(connections)]
        before = children_cpu()
        done = subprocess.run(
            command + ["-m", str(streams)] + request + addresses,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
        )
        used = children_cpu() - before
        found = re.search(r"status codes: (\d+) 2xx, 0 3xx, 0 4xx, 0 5xx", done.stdout)
        clean = re.search(r" 0 failed, 0 errored, 0 timeout", done.stdout)
        if done.returncode != 0 or not found or int(found[1]) != count or not clean:
            raise BenchFailed(f"h2load did not get {count} answers of 200:\n{done.stdout[-1000:]}")
        return used


def children_cpu():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def process_cpu(pid):
    """CPU-seconds of another process so far, all its threads, of user and system."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def pin(pid, core):
    for thread in os.listdir(f"/proc/{pid}/task"):
        os.sched_setaffinity(int(thread), {core})


def simulator_says(command):
    with socket.create_connection(("127.0.0.1", int(os.environ["CONTROL_PORT"])), timeout=60) as control:
        control.sendall(command.encode() + b"\n")
        return json.loads(control.makefile().readline())


def expect_accepted(count):
    stats = simulator_says("stats")
    if stats["accepted"] != count or stats["requests"] != count or stats["rejected"]:
        raise BenchFailed(f"the simulator should have accepted {count} pushes and nothing else: {stats}")


class Sender:
    """Deliveries per CPU-second of the sending process: our pool, and h2load in its two best shapes."""

    name, unit = "sender", "deliveries per CPU-second of the sender"
    results = {"carillon": "deliveries_per_cpu_second", "h2load": "h2load_per_cpu_second", "ratio": "ratio_h2load"}
    warm_up = 2_000

    def __init__(self, count, h2load):
        self.count, self.h2load = count, h2load
        self.devices = ["-i", f"{WORLD}/devices.txt"]
        self.sides = {"carillon": self.carillon, "h2load": self.yardstick}

    def carillon(self):
        simulator_says("reset")
        done = subprocess.run(
            ["taskset", "-c", str(CLIENT_CORE), os.environ["PROGRAMS"] + "/carillon-bench", "sender",
             "--port", str(APNS_PORT), "--authorities", f"{WORLD}/authority.pem", "--key", f"{WORLD}/AuthKey.p8",
             "--team", TEAM, "--key-id", KEY_ID, "--app", APP, "--payload-bytes", str(len(PAYLOAD)), "--count", str(self.count),
             "--warm-up", str(self.warm_up)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
        )
        if done.returncode != 0:
            raise BenchFailed(f"carillon-bench failed:\n{done.stdout[-1000:]}")
        expect_accepted(self.count + self.warm_up)
        return json.loads(done.stdout.splitlines()[-1])["per_cpu_second"]

    def yardstick(self):
        fixed = self.h2load.run(1, 1, 1, self.devices)
        figures = []
        for connections, streams in ((1, 1000), (4, 250)):
            simulator_says("reset")
            figures.append(self.count / (self.h2load.run(self.count, connections, streams, self.devices) - fixed))
            expect_accepted(self.count)
        return max(figures)


class Simulator:
    """Requests per CPU-second of the server process: the simulator, and nghttpd with a small static file.

    nghttpd is asked for it in the plainest way (GET, no headers of our own), and with the headers and the body of a push,
    but always for one path: it serves only files that exist.
    """

    name, unit = "simulator", "requests per CPU-second of the server"
    results = {"simulator": "per_cpu_second", "nghttpd": "nghttpd_per_cpu_second",
               "nghttpd-push": "nghttpd_push_per_cpu_second", "ratio": "ratio_nghttpd",
               "ratio-push": "ratio_nghttpd_push"}

    file = "3/device/" + "0" * 64

    def __init__(self, count, h2load):
        self.count, self.h2load = count, h2load
        self.nghttpd = None
        self.sides = {"simulator": self.simulator, "nghttpd": self.plain, "nghttpd-push": self.like_a_push}

    def simulator(self):
        simulator_says("reset")
        figure = self.served(SIMULATOR, ["-i", f"{WORLD}/devices.txt"])
        expect_accepted(self.count)
        return figure

    def plain(self):
        return self.yardstick("small", request=[])

    def like_a_push(self):
        return self.yardstick(self.file, request=None)

    def yardstick(self, path, request):
        if self.nghttpd is None:
            self.start_nghttpd()
        return self.served(self.nghttpd.pid, [f"https://localhost:{self.port}/{path}"], request)

    def served(self, server, addresses, request=None):
        before = process_cpu(server)
        self.h2load.run(self.count, 1, 1000, addresses, request)
        # A tick is the least that can be seen.
        return self.count / max(process_cpu(server) - before, 1 / os.sysconf("SC_CLK_TCK"))

    def start_nghttpd(self):
        os.makedirs(f"{WORLD}/files/3/device")
        for path in ("small", self.file):
            with open(f"{WORLD}/files/{path}", "w", encoding="ascii") as file:
                file.write("{}\n")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        # Streams and windows as the simulator announces them.
        self.nghttpd = subprocess.Popen(
            ["nghttpd", "-a", "127.0.0.1", "-d", f"{WORLD}/files", "-m", "1000", "-W", "24", str(self.port),
             f"{WORLD}/apns.key", f"{WORLD}/apns.pem"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                break
            except OSError:
                time.sleep(0.05)
        else:
            raise BenchFailed("nghttpd does not listen")
        pin(self.nghttpd.pid, SERVER_CORE)

    def close(self):
        if self.nghttpd is not None:
            self.nghttpd.terminate()
            self.nghttpd.wait()


BENCHES = {bench.name: bench for bench in (Sender, Simulator)}


def measure(bench, rounds):
    """All figures of each side, and of our ratio to each yardstick, by round; who goes first alternates."""
    figures = {side: [] for side in bench.sides}
    for number in range(rounds):
        order = list(bench.sides.items())
        for side, run in order if number % 2 == 0 else reversed(order):
            figures[side].append(run())
    ours, *yardsticks = figures
    for number, yardstick in enumerate(yardsticks):
        name = "ratio" if number == 0 else "ratio-" + yardstick.rpartition("-")[2]
        figures[name] = [one / other for one, other in zip(figures[ours], figures[yardstick])]
    return figures


def show(bench, figures):
    print(f"\n{bench.name}: {bench.unit}, {bench.count} pushes a run, {len(figures['ratio'])} rounds")
    print(f"  {'':<14}{'median':>12}{'least':>12}{'most':>12}")
    for side, values in figures.items():
        text = [f"{value:.2f}" if side.startswith("ratio") else f"{value:.0f}"
                for value in (statistics.median(values), min(values), max(values))]
        print(f"  {side:<14}" + "".join(f"{value:>12}" for value in text))
    sys.stdout.flush()


def main():
    names, devices, options = sys.argv[1].split(), sys.argv[2], sys.argv[3:]
    as_json, smoke = "--json" in options, "--smoke" in options
    rounds, count = (1, 2_000) if smoke else (5, 200_000)

    about = machine()
    if not as_json:
        print("\n".join(f"{name}: {value}" for name, value in about.items()), flush=True)
    pin(SIMULATOR, SERVER_CORE)
    write_requests(count)
    h2load = H2Load()

    report, results = {}, {}
    for name in names:
        if name == "audience":
            report[name] = bench_audience.run(int(devices or (20_000 if smoke else 10_000_000)), smoke)
            results |= bench_audience.results(report[name])
            if not as_json:
                bench_audience.show(report[name])
            continue
        bench = BENCHES[name](count, h2load)
        try:
            figures = measure(bench, rounds)
        finally:
            getattr(bench, "close", lambda: None)()
        report[name] = {"unit": bench.unit, "count": count, "rounds": figures}
        for side, result in bench.results.items():
            median = statistics.median(figures[side])
            results[f"{name}.{result}"] = round(median, 3) if side.startswith("ratio") else round(median)
        if not as_json:
            show(bench, figures)

    if as_json:
        print(json.dumps({"machine": about, "benches": report, "results": results}, indent=2))
    else:
        print()
        for name, value in results.items():
            print(f"RESULT {name} {value}")


if __name__ == "__main__":
    try:
        main()
    except (BenchFailed, bench_audience.AudienceFailed) as failure:
        sys.exit(f"bench: {failure}")
