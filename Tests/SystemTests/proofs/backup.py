"""A backup of a busy server with a million devices is a snapshot of one moment; what is restored from it is equal.

Tools/prove backup [--smoke] [--devices N] [--seed N]

At the same time messages are in flight and other devices register. Backup, restore, export and import are verified, and
their exports are compared. Then a server starts on the restored data, and the message in flight ends for every
device.

Programs: carillond apns-simulator carillon-dump
"""
from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, Dict, List

from proofs.parts.device_fleet import ALL_DEVICES, CALL_SECONDS, DeviceFleet, Profile
from proofs.parts.proof import Phases, seed
from support.deployment import APP, OTHER_APP, PROGRAMS, Deployment, eventually
from support.environment import require
from support.system_test_case import PAYLOAD, wait_finished

GROUP_SIZE = 1_000
# The longest time that the settings allow for an answer of APNs. The server gives a delivery up after twelve attempts
# without an answer: after an hour or more.
LONGEST_ANSWER_SECONDS = 300


class OtherRegistrations:
    """Registers devices of another app, one batch after another, until it is closed."""

    def __init__(self, deployment: Deployment) -> None:
        self.deployment = deployment
        self.count = 0
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._register, daemon=True)

    def __enter__(self) -> OtherRegistrations:
        self.thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self.ended.set()
        self.thread.join()

    def _register(self) -> None:
        with self.deployment.client(timeout=CALL_SECONDS) as client:
            while not self.ended.is_set():
                items = [{"app": OTHER_APP, "token": os.urandom(32)} for _ in range(100)]
                client.register_batch(items)
                self.count += len(items)


class Dump:
    """Runs carillon-dump and records the duration of each command."""

    def __init__(self) -> None:
        self.seconds: Dict[str, float] = {}
        self.findings = 0

    def run(self, command: str, *arguments: Any) -> str:
        """Runs a command and returns its output. It must succeed, except that `verify` can have findings."""
        began = time.monotonic()
        done = subprocess.run([str(PROGRAMS / "carillon-dump"), command, *map(str, arguments)], capture_output=True,
                              text=True, check=False)
        self.seconds.setdefault(command, time.monotonic() - began)
        if command == "verify" and done.returncode == 1:
            print(done.stdout)
            self.findings += 1
        else:
            require(done.returncode == 0, f"carillon-dump {command}: {done.returncode}: {done.stderr}")
        return done.stdout

    def export(self, data: Path) -> str:
        """Returns the checksum of an export of the app, without its first line, which contains the time."""
        path = data.with_suffix(".jsonl")
        self.run("export", path, "--app", APP, "--data", data)
        checksum = hashlib.sha256()
        with open(path, "rb") as file:
            file.readline()
            for line in file:
                checksum.update(line)
        return checksum.hexdigest()


def options() -> argparse.Namespace:
    """Returns the arguments of the command line."""
    parser = argparse.ArgumentParser(prog="Tools/prove backup", description=__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="a few thousand devices")
    parser.add_argument("--devices", type=int, help="how many (1000000)")
    parser.add_argument("--seed", type=int, default=seed(1), help="of the devices' profiles (%(default)s)")
    chosen = parser.parse_args()
    chosen.devices = chosen.devices or (20_000 if chosen.smoke else 1_000_000)
    return chosen


class Run:
    """One run: devices are registered, a backup is made while a message is in flight, and what is restored is used."""

    def __init__(self, deployment: Deployment, chosen: argparse.Namespace) -> None:
        self.deployment, self.count, self.folder = deployment, chosen.devices, Path(deployment.folder)
        passing = (Profile.DEAD_BEFORE, Profile.DEAD_SINCE, Profile.THROTTLED, Profile.BROKEN, Profile.BUSY)
        self.fleet = DeviceFleet(self.count, chosen.seed, without=passing)
        self.phases, self.dump = Phases(), Dump()
        self.exports: List[str] = []
        self.grown = self.message = 0
        self.outcomes: Dict[str, int] = {}

    def register(self) -> None:
        """Registers the devices."""
        now = int(time.time() * 1000)
        self.deployment.start_simulator("--quiet", "--devices", self.fleet.write_dead(self.deployment, now))
        self.deployment.start("--apns-answer-timeout-seconds", str(LONGEST_ANSWER_SECONDS))
        self.fleet.register(self.deployment, now, {"tenth": self.count // 10})
        self.fleet.exclude(self.deployment)
        with self.deployment.client(timeout=CALL_SECONDS) as client:
            for start in range(0, self.count, self.count // 20):
                client.join(APP, f"user/{start}", self.fleet.ids[start:start + GROUP_SIZE])
        self.phases.done(f"{self.count} devices registered, in topics and groups, some muted, some in quarantine")

    def back_up(self) -> None:
        """Backs the directory up, and exports it, while a message is in flight and others register."""
        folder, dump = self.folder, self.dump
        # The simulator answers no push to these devices, so the message is in flight until `restore` starts another
        # simulator.
        self.deployment.simulator.add_rules(fault="silence", prefix=f"{Profile.SILENT:02x}")
        with self.deployment.client(timeout=CALL_SECONDS) as client, \
                OtherRegistrations(self.deployment) as registrations:
            self.message = client.send_to(APP, PAYLOAD, topic=ALL_DEVICES, lane="bulk")["message_id"]
            least = self.count // 100
            eventually(lambda: client.message_status(APP, self.message)["outcomes"].get("delivered", 0) >= least,
                       "the message is on its way", 300)
            size = (folder / "data" / "data.mdb").stat().st_size
            before = registrations.count
            dump.run("backup", folder / "backup", "--data", folder / "data")
            self.phases.done(f"backed up, while {registrations.count - before} devices of another app were registered")
            self.exports.append(dump.export(folder / "data"))
            dump.run("verify", "--data", folder / "data")
            self.grown = (folder / "data" / "data.mdb").stat().st_size - size
            status = client.message_status(APP, self.message)
            require(status["state"] == "sending", f"the message is not in flight any more: {status}")
            self.phases.done(f"exported and verified beside the server; message: {status['outcomes']}")

    def restore(self) -> None:
        """Restores and imports what was written, and lets a server go on with it."""
        folder, dump, deployment = self.folder, self.dump, self.deployment
        dump.run("verify", "--data", folder / "backup")
        dump.run("restore", folder / "backup", folder / "restored")
        dump.run("verify", "--data", folder / "restored")
        self.phases.done("restored and verified")
        dump.run("import", folder / "data.jsonl", "--data", folder / "imported")
        dump.run("verify", "--data", folder / "imported")
        self.phases.done("imported and verified")
        self.exports += [dump.export(folder / name) for name in ("backup", "restored", "imported")]
        self.phases.done("exported three times more")
        deployment.kill()
        deployment.stop_simulator()
        deployment.start_simulator("--quiet")
        deployment.start("--data-path", str(folder / "restored"))
        with deployment.client(timeout=CALL_SECONDS) as client:
            self.outcomes = wait_finished(client, self.message, 300)
        self.phases.done(f"a server on what was restored has finished the message: {self.outcomes}")

    def report(self) -> int:
        """Prints the result, and returns the exit status: 0 if all exports are equal."""
        differences = len(set(self.exports)) - 1
        unfinished = self.fleet.addressed - sum(self.outcomes.get(name, 0) for name in ("delivered", "muted"))
        print(f"RESULT backup.devices {self.count}")
        for command, seconds in self.dump.seconds.items():
            print(f"RESULT backup.{command}_s {seconds:.1f}")
        print(f"RESULT backup.grown_mib {self.grown / 2**20:.1f}")
        print(f"RESULT backup.findings {self.dump.findings}")
        print(f"RESULT backup.differences {differences}")
        print(f"RESULT backup.unfinished {unfinished}")
        return 1 if self.dump.findings or differences or unfinished else 0


def main() -> int:
    """Backs up, restores, compares, and returns the exit status: 0 if all exports are equal."""
    chosen = options()
    print(f"{chosen.devices} devices, seed {chosen.seed}", flush=True)
    with Deployment(simulator=None, flags=None, records=False) as deployment:
        run = Run(deployment, chosen)
        run.register()
        run.back_up()
        run.restore()
    return run.report()


if __name__ == "__main__":
    sys.exit(main())
