"""A backup of a busy server with a message in flight, and every way to restore it: nothing is lost or added. Started by
Tools/prove backup."""
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

from support.deployment import APP, OTHER_APP, PROGRAMS, Deployment, eventually
from support.device_fleet import ALL_DEVICES, CALL_SECONDS, DeviceFleet, Profile
from support.environment import require
from support.proof import Phases, seed
from support.system_test_case import PAYLOAD, wait_finished

# The share of the pushes that APNs does not answer, so that the message is still in flight during the backup.
KEPT_BACK = 0.02
GROUP = 1_000


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
        """The checksum of an export of the app, without its first line, which contains the time."""
        path = data.with_suffix(".jsonl")
        self.run("export", path, "--app", APP, "--data", data)
        checksum = hashlib.sha256()
        with open(path, "rb") as file:
            file.readline()
            for line in file:
                checksum.update(line)
        return checksum.hexdigest()


def main() -> int:
    """Backs up, restores, compares, and returns the exit code: 0 if all exports are equal."""
    parser = argparse.ArgumentParser(prog="Tools/prove backup", description=__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="a few thousand devices")
    parser.add_argument("--devices", type=int, help="how many (1000000)")
    parser.add_argument("--seed", type=int, default=seed(1), help="of the devices' profiles (%(default)s)")
    options = parser.parse_args()
    count = options.devices or (20_000 if options.smoke else 1_000_000)
    print(f"{count} devices, seed {options.seed}", flush=True)
    phases, dump = Phases(), Dump()
    passing = (Profile.DEAD_BEFORE, Profile.DEAD_SINCE, Profile.THROTTLED, Profile.BROKEN, Profile.BUSY, Profile.SILENT)
    fleet = DeviceFleet(count, options.seed, without=passing)
    exports: List[str] = []
    with Deployment(simulator=None, flags=None, records=False) as deployment:
        folder, now = Path(deployment.folder), int(time.time() * 1000)
        deployment.start_simulator("--quiet", "--devices", fleet.write_dead(deployment, now))
        deployment.start()
        fleet.register(deployment, now, {"tenth": count // 10})
        fleet.exclude(deployment)
        with deployment.client(timeout=CALL_SECONDS) as client:
            for start in range(0, count, count // 20):
                client.join(APP, f"user/{start}", fleet.ids[start:start + GROUP])
        phases.done(f"{count} devices registered, in topics and groups, some muted, some in quarantine")
        deployment.simulator.rule(fault="delay", milliseconds=600_000, probability=KEPT_BACK)
        with deployment.client(timeout=CALL_SECONDS) as client, OtherRegistrations(deployment) as registrations:
            message = client.send_to(APP, PAYLOAD, topic=ALL_DEVICES, lane="bulk")["message_id"]
            eventually(lambda: client.message_status(APP, message)["outcomes"].get("delivered", 0) >= count // 100,
                       "the message is on its way", 300)
            size = (folder / "data" / "data.mdb").stat().st_size
            before = registrations.count
            dump.run("backup", folder / "backup", "--data", folder / "data")
            phases.done(f"backed up, while {registrations.count - before} devices of another app were registered")
            exports.append(dump.export(folder / "data"))
            dump.run("verify", "--data", folder / "data")
            grown = (folder / "data" / "data.mdb").stat().st_size - size
            status = client.message_status(APP, message)
            require(status["state"] == "sending", f"the message is not in flight any more: {status}")
            phases.done(f"exported and verified beside the server; message: {status['outcomes']}")
        dump.run("verify", "--data", folder / "backup")
        dump.run("restore", folder / "backup", folder / "restored")
        dump.run("verify", "--data", folder / "restored")
        phases.done("restored and verified")
        dump.run("import", folder / "data.jsonl", "--data", folder / "imported")
        dump.run("verify", "--data", folder / "imported")
        phases.done("imported and verified")
        exports += [dump.export(folder / name) for name in ("backup", "restored", "imported")]
        phases.done("exported three times more")
        deployment.kill()
        deployment.stop_simulator()
        deployment.start_simulator("--quiet")
        deployment.start("--data-path", str(folder / "restored"))
        with deployment.client(timeout=CALL_SECONDS) as client:
            outcomes = wait_finished(client, message, 300)
        phases.done(f"a server on what was restored has finished the message: {outcomes}")
    differences = len(set(exports)) - 1
    unfinished = fleet.addressed - sum(outcomes.get(name, 0) for name in ("delivered", "muted"))
    print(f"RESULT backup.devices {count}")
    for command, seconds in dump.seconds.items():
        print(f"RESULT backup.{command}_s {seconds:.1f}")
    print(f"RESULT backup.grown_mib {grown / 2**20:.1f}")
    print(f"RESULT backup.findings {dump.findings}")
    print(f"RESULT backup.differences {differences}")
    print(f"RESULT backup.unfinished {unfinished}")
    return 1 if dump.findings or differences or unfinished else 0


if __name__ == "__main__":
    sys.exit(main())
