"""Parts that the benches share: processes with their cores and CPU-seconds, a server, and devices in a database.

Needs the environment variables PROGRAMS, DEPLOYMENT, SIMULATOR, APNS_PORT and CONTROL_PORT, which Tools/bench sets.
"""

import json
import os
import resource
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

ROOT = str(Path(__file__).resolve().parents[3])
sys.path.insert(0, f"{ROOT}/Tests/SystemTests")

from support.environment import carillon, free_port  # noqa: E402, F401  (importable only now)
from support.figures import label, percentile  # noqa: E402, F401

DEPLOYMENT = os.environ["DEPLOYMENT"]
PROGRAMS = os.environ["PROGRAMS"]
SIMULATOR = int(os.environ["SIMULATOR"])
APNS_PORT = int(os.environ["APNS_PORT"])
CONTROL_PORT = int(os.environ["CONTROL_PORT"])

APP, TEAM, KEY_ID = "com.example.game", "TEAM123456", "KEY1234567"
# 176 bytes; h2load sends the same.
PAYLOAD = b'{"aps":{"alert":"' + b"x" * 156 + b'"}}'

CORES = sorted(os.sched_getaffinity(0))
# The core of the program that sends, and the core of the program that receives.
CLIENT_CORE, SERVER_CORE = CORES[0], CORES[min(1, len(CORES) - 1)]


class BenchFailed(Exception):
    """A program did not do its work, so its figure means nothing."""


# Processes

def children_cpu():
    """CPU-seconds of all child processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def process_cpu(pid):
    """CPU-seconds of another process so far: all threads, user and system time."""
    # The clock of a process (clock_getcpuclockid) is finer than the ticks of /proc.
    return time.clock_gettime(~pid << 3 | 2)


def pin(pid, *cores):
    """Restricts a process and all its threads to these cores."""
    for thread in os.listdir(f"/proc/{pid}/task"):
        os.sched_setaffinity(int(thread), cores)


def on_core(core):
    """The words before a command that runs on one core."""
    return ["taskset", "-c", str(core)]


def run_program(command, what):
    """Runs one of our programs; returns the JSON of its last line."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise BenchFailed(f"{what} failed:\n{done.stdout[-500:]}{done.stderr[-1000:]}")
    return json.loads(done.stdout.splitlines()[-1])


# The simulator

class OwnSimulator:
    """A simulator for one bench that needs other options than the shared one; ended by `stop`."""

    def __init__(self, *flags):
        ports = [f"{DEPLOYMENT}/other-{name}.port" for name in ("apns", "control")]
        for path in ports:
            if os.path.exists(path):
                os.remove(path)
        with open(f"{DEPLOYMENT}/simulator.log", "ab") as log:
            self.process = subprocess.Popen(
                on_core(SERVER_CORE) + [
                    f"{PROGRAMS}/apns-simulator", "--certificate", f"{DEPLOYMENT}/apns.pem", "--key",
                                        f"{DEPLOYMENT}/apns.key",
                    "--app", APP, "--team", TEAM, "--key-id", KEY_ID, "--public-key", f"{DEPLOYMENT}/AuthKey.pub",
                                        "--quiet",
                    "--port", "0", "--port-file", ports[0], "--control-port", "0", "--control-port-file", ports[1],
                    *flags],
                stdout=log, stderr=log)
        self.port, self.control_port = (wait_for_number(path, self.process) for path in ports)

    def stop(self):
        """Ends it."""
        self.process.terminate()
        self.process.wait()


def simulator_says(command, port=CONTROL_PORT):
    """Sends one command to a simulator's control port; returns the first line of the answer."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as control:
        control.sendall(command.encode() + b"\n")
        return json.loads(control.makefile().readline())


def expect_accepted(count):
    """Asserts that the simulator has accepted `count` pushes since its reset, and has received no others."""
    stats = simulator_says("stats")
    if stats["accepted"] != count or stats["requests"] != count or stats["rejected"]:
        raise BenchFailed(f"the simulator should have accepted {count} pushes and nothing else: {stats}")


def wait_for_number(path, process):
    """Waits for the port that a starting program writes to a file."""
    for _ in range(60_000):
        if os.path.exists(path) and os.path.getsize(path):
            with open(path, encoding="ascii") as file:
                return int(file.read())
        if process.poll() is not None:
            raise BenchFailed(f"a program ended before it was ready; see the logs in {DEPLOYMENT}")
        time.sleep(0.001)
    raise BenchFailed(f"{path} did not appear within a minute")


# The server

class Server:
    """carillond with the configuration of DEPLOYMENT, from its start until `stop` or `kill`."""

    def __init__(self, data="data", cores=tuple(CORES), apns_port=APNS_PORT):
        self.data = f"{DEPLOYMENT}/{data}"
        port_file = f"{DEPLOYMENT}/server.port"
        if os.path.exists(port_file):
            os.remove(port_file)
        with open(f"{DEPLOYMENT}/server.log", "ab") as log:
            self.process = subprocess.Popen(
                ["taskset", "-c", ",".join(map(str, cores)), f"{PROGRAMS}/carillond", "--config",
                 f"{DEPLOYMENT}/carillon.json", "--data-path", self.data, "--apns-port", str(apns_port)],
                stdout=log, stderr=log)
        self.port = wait_for_number(port_file, self.process)

    @property
    def cpu(self):
        """CPU-seconds so far."""
        return process_cpu(self.process.pid)

    def wait_until_idle(self):
        """Waits until the server has used almost no CPU for 0.2 s; returns the time when that began."""
        since, used = time.monotonic(), self.cpu
        limit = since + 60
        while time.monotonic() - since < 0.2:
            if time.monotonic() > limit:
                raise BenchFailed("the server does not come to rest")
            time.sleep(0.01)
            # Timers alone use less.
            if self.cpu - used > 0.002:
                since, used = time.monotonic(), self.cpu
        return since

    @property
    def heap(self):
        """The anonymous memory in bytes. Pages of files are not counted: the system decides how many of LMDB's
        stay in memory."""
        with open(f"/proc/{self.process.pid}/smaps_rollup", encoding="ascii") as file:
            return next(int(line.split()[1]) << 10 for line in file if line.startswith("Anonymous:"))

    def client(self):
        """A client of the server for calls that are not measured."""
        with open(f"{DEPLOYMENT}/api-key", encoding="ascii") as file:
            return carillon.Client.connect(port=self.port, plaintext=True, api_key=file.read().strip(), timeout=120)

    def access(self):
        """The options that tell our programs where the server is."""
        return ["--port", str(self.port), "--api-key-file", f"{DEPLOYMENT}/api-key", "--app", APP]

    def stop(self):
        """Ends the server with SIGTERM."""
        self.process.send_signal(signal.SIGTERM)
        if self.process.wait(timeout=120) != 0:
            raise BenchFailed("carillond did not end cleanly")

    def kill(self):
        """Kills the server."""
        self.process.kill()
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, failure, *_):
        if self.process.poll() is not None:
            return
        if failure is None:
            self.stop()
        else:
            self.kill()


class SharedDevices:
    """Many devices in a database that several benches use. The first 10,000, 100,000, … of them are in a topic each."""

    def __init__(self, devices, sizes=(), folder="shared"):
        self.devices, self.folder = devices, folder
        self.is_there = False
        self.sizes = sorted({size for size in sizes if size < devices} | {devices})
        # A device that is in no fan-out.
        self.single_device = devices

    @staticmethod
    def topic(size):
        """The topic of the first `size` devices."""
        return f"first/{size}"

    def gather(self):
        """Registers all devices, in pieces that fit into memory; the second call does nothing."""
        if self.is_there:
            return
        self.is_there = True
        topics = [word for size in self.sizes for word in ("--topic", f"{self.topic(size)}:{size}")]
        with Server(self.folder) as server:
            for first in range(0, self.devices + 1, 1_000_000):
                count = min(1_000_000, self.devices + 1 - first)
                run_program(
                    [f"{PROGRAMS}/carillon-bench", "requests", "--operation", "register-batch", *server.access(),
                     "--connections", "4", "--pipelined", "2", "--first", str(first), "--count", str(count), *topics],
                    "registering devices")


class Delivered:
    """The cost of one fan-out: seconds from its acceptance to its end, and CPU-seconds of the server."""

    def __init__(self, server, client, topic, count):
        before = server.cpu
        message = send_bulk(client, topic)
        while True:
            status = client.message_status(APP, message)
            if status["state"] == "finished":
                break
            time.sleep(0.05)
        self.cpu = server.cpu - before
        self.seconds = max(1, status["finished_at"] - status["accepted_at"]) / 1_000
        if status["outcomes"] != {"delivered": count}:
            raise BenchFailed(f"not all of {count} devices have the message: {status}")


def send_bulk(client, topic, **options):
    """Sends to a topic in the bulk lane and returns the message id."""
    return client.send_to(APP, PAYLOAD, topic=topic, lane="bulk", **options)["message_id"]
