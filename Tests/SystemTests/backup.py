"""A backup beside a busy server with a message in flight, and all ways back: nothing is lost or added. Started by
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

from multitude import APP, CALL_SECONDS, EVERYBODY, PAYLOAD, Lot, Multitude, Phases, eventually, require, wait_finished
from world import OTHER_APP, PROGRAMS, World, carillon

# Of the audience, how many have the message when the backup is made: APNs keeps one answer in so many to itself.
KEPT_BACK = 0.02
GROUP = 1_000


class Newcomers:
    """Registers devices of another app, one after another, as long as it lasts."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.count = 0
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._register, daemon=True)

    def __enter__(self) -> Newcomers:
        self.thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self.ended.set()
        self.thread.join()

    def _register(self) -> None:
        with self.world.client(timeout=CALL_SECONDS) as client:
            while not self.ended.is_set():
                items = [{"app": OTHER_APP, "token": os.urandom(32)} for _ in range(100)]
                client.register_batch(items)
                self.count += len(items)


class Dump:
    """Runs carillon-dump and notes how long it takes."""

    def __init__(self) -> None:
        self.seconds: Dict[str, float] = {}
        self.findings = 0

    def run(self, command: str, *arguments: Any) -> str:
        """What it prints; it must succeed, but `verify` may find something."""
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
        """The checksum of all that an export of the app says, but for the time in its first line."""
        path = data.with_suffix(".jsonl")
        self.run("export", path, "--app", APP, "--data", data)
        checksum = hashlib.sha256()
        with open(path, "rb") as file:
            file.readline()
            for line in file:
                checksum.update(line)
        return checksum.hexdigest()


def main() -> int:
    """Backs up, brings back and compares; the exit code says whether all is equal."""
    parser = argparse.ArgumentParser(prog="Tools/prove backup", description=__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="a few thousand devices")
    parser.add_argument("--devices", type=int, help="how many (1000000)")
    parser.add_argument("--seed", type=int, default=1, help="of the devices' lots (%(default)s)")
    options = parser.parse_args()
    count = options.devices or (20_000 if options.smoke else 1_000_000)
    phases, dump = Phases(), Dump()
    passing = (Lot.DEAD_BEFORE, Lot.DEAD_SINCE, Lot.THROTTLED, Lot.BROKEN, Lot.BUSY, Lot.SILENT)
    multitude = Multitude(count, options.seed, without=passing)
    exports: List[str] = []
    with World(simulator=None, flags=None, records=False) as world:
        folder, now = Path(world.folder), int(time.time() * 1000)
        world.start_simulator("--quiet", "--devices", multitude.write_dead(world, now))
        world.start()
        multitude.register(world, now, {"tenth": count // 10})
        multitude.set_apart(world)
        with world.client(timeout=CALL_SECONDS) as client:
            for start in range(0, count, count // 20):
                client.join(APP, f"user/{start}", multitude.ids[start:start + GROUP])
        phases.done(f"{count} devices registered, in topics and groups, some muted, some in quarantine")
        world.simulator.rule(fault="delay", milliseconds=600_000, probability=KEPT_BACK)
        with world.client(timeout=CALL_SECONDS) as client, Newcomers(world) as newcomers:
            message = client.send_to(APP, PAYLOAD, topic=EVERYBODY, lane="bulk")["message_id"]
            eventually(lambda: client.message_status(APP, message)["outcomes"].get("delivered", 0) >= count // 100,
                       "the message is on its way", 60)
            size = (folder / "data" / "data.mdb").stat().st_size
            before = newcomers.count
            dump.run("backup", folder / "backup", "--data", folder / "data")
            phases.done(f"backed up, while {newcomers.count - before} devices of another app were registered")
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
        world.kill()
        world.stop_simulator()
        world.start_simulator("--quiet")
        world.start("--data-path", str(folder / "restored"))
        with world.client(timeout=CALL_SECONDS) as client:
            outcomes = wait_finished(client, message, 300)
        phases.done(f"a server on what was restored has finished the message: {outcomes}")
    differences = len(set(exports)) - 1
    unfinished = multitude.addressed - sum(outcomes.get(name, 0) for name in ("delivered", "muted"))
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
