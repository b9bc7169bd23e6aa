"""Bulk ingest with twenty kills and a torn write-ahead log: no registration that was answered is missing.

Tools/prove ingest [--smoke] [--kills N] [--seed N]

The server answers a change when it is in the write-ahead log, before LMDB commits it. After each kill the log gets a
torn record behind its last complete one.

Programs: carillond carillon-dump
"""
from __future__ import annotations

import argparse
import json
import os
import random
import struct
import sys
import threading
from typing import Dict, List, Optional, Set, Tuple

from proofs.parts.proof import Phases, report, seed
from support.deployment import APP, Deployment, crln, eventually
from support.programs.dump_command import dump

WORKERS, BATCH = 6, 500
TOPICS = [f"ingest/{number}" for number in range(20)]
# The secret of the log, in its head. The body of each record begins with it, and the LSN follows.
SECRET = slice(24, 32)
# Records of the log begin at multiples of this number of bytes; bytes of a record before its body.
ALIGNMENT, PREFIX_BYTES = 4_096, 24
LSN_OFFSET, LEAST_BODY_BYTES = PREFIX_BYTES + 8, 32
# The bytes that the torn record says its body has, and those that it has after its LSN.
TORN_BODY_BYTES, TORN_REST_BYTES = 5_000, 999
# The range of answered changes from the first record of the log to the kill.
CHANGES_BEFORE_KILL = (0, 30_000)


class Device:
    """The state of a device as its worker knows it: answered changes, and changes without an answer."""

    def __init__(self, device_id: int) -> None:
        self.id = device_id
        self.topics: Set[str] = set()
        self.is_gone = False
        # Topics whose membership is unknown, and whether the registration is unknown: the server was killed before it
        # answered.
        self.doubtful: Set[str] = set()
        self.is_doubtful = False


class Worker:
    """A client that changes its own devices as fast as it can, until the server is gone."""

    def __init__(self, number: int, seed: int) -> None:
        self.generator = random.Random(f"{seed}/{number}")
        self.number, self.token_count = number, 0
        self.devices: Dict[bytes, Device] = {}
        self.answered = 0
        self.fault: Optional[BaseException] = None

    def run(self, deployment: Deployment) -> None:
        """Makes changes until the connection breaks."""
        try:
            with deployment.client(attempts=1, timeout=30) as client:
                while True:
                    self._step(client)
        except (crln.CarillonError, OSError):
            pass
        except BaseException as error:  # noqa: B902  (the main thread raises it)
            self.fault = error

    def _step(self, client: crln.Client) -> None:
        what = self.generator.random()
        if what < 0.6 or len(self.devices) < BATCH:
            self._register(client)
        elif what < 0.9:
            self._subscribe(client)
        else:
            self._unregister(client)

    def _register(self, client: crln.Client) -> None:
        tokens = []
        for _ in range(BATCH):
            self.token_count += 1
            tokens.append(struct.pack(">BQ", self.number, self.token_count) + self.generator.randbytes(23))
        topic = self.generator.choice(TOPICS)
        answers = client.register_batch([{"app": APP, "token": token, "topics": [topic]} for token in tokens])
        for token, answer in zip(tokens, answers):
            device = Device(answer["device_id"])
            device.topics.add(topic)
            self.devices[token] = device
        self.answered += len(tokens)

    def _devices_to_change(self, count: int) -> List[Tuple[bytes, Device]]:
        """At most `count` devices at random that are not unregistered."""
        return [(token, self.devices[token]) for token in self.generator.sample(sorted(self.devices), count)
                if not self.devices[token].is_gone]

    def _subscribe(self, client: crln.Client) -> None:
        chosen = self._devices_to_change(100)
        topic, enters = self.generator.choice(TOPICS), self.generator.random() < 0.7
        for _, device in chosen:
            device.doubtful.add(topic)
        (client.subscribe if enters else client.unsubscribe)(APP, [topic], devices=[token for token, _ in chosen])
        for _, device in chosen:
            device.doubtful.discard(topic)
            (device.topics.add if enters else device.topics.discard)(topic)
        self.answered += 1

    def _unregister(self, client: crln.Client) -> None:
        for _, device in self._devices_to_change(3):
            device.is_doubtful = True
            client.unregister(APP, device.id)
            device.is_doubtful, device.is_gone = False, True
            self.answered += 1


def answered(workers: List[Worker]) -> int:
    """Returns the number of answered changes."""
    return sum(worker.answered for worker in workers)


def failure(workers: List[Worker]) -> Optional[BaseException]:
    """Returns the first error of a worker that is not a broken connection, or None."""
    return next((worker.fault for worker in workers if worker.fault is not None), None)


def tear(log: str, generator: random.Random) -> int:
    """Writes half a record behind the last complete one, like a process that is killed while it writes. Returns the
    number of complete records."""
    if not os.path.exists(log):
        return 0
    with open(log, "r+b") as file:
        data, offset, records, last = file.read(), ALIGNMENT, 0, 0
        secret = data[SECRET]
        while offset + PREFIX_BYTES + LEAST_BODY_BYTES <= len(data):
            count, zero = struct.unpack_from(">II", data, offset)
            number = struct.unpack_from(">Q", data, offset + LSN_OFFSET)[0]
            if zero or count < LEAST_BODY_BYTES or offset + PREFIX_BYTES + count > len(data) or number <= last:
                break
            end = offset + PREFIX_BYTES + count
            offset, records, last = -(-end // ALIGNMENT) * ALIGNMENT, records + 1, number
        file.seek(offset)
        file.write(struct.pack(">II", TORN_BODY_BYTES, 0) + generator.randbytes(16) + secret
                   + struct.pack(">Q", last + 1) + generator.randbytes(TORN_REST_BYTES))
    return records


def compare(export: str, workers: List[Worker]) -> List[str]:
    """Returns the differences between an export and the devices of the workers."""
    stored = {}
    with open(export, encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if "device" in row:
                stored[row["token"]] = row
    wrong = []
    for worker in workers:
        for token, device in worker.devices.items():
            row = stored.get(token.hex())
            if row is None or device.is_gone:
                if (row is None) != device.is_gone and not device.is_doubtful:
                    wrong.append(f"device {device.id}: " + ("missing" if row is None else "is there again"))
                continue
            differs = (set(row.get("topics", [])) ^ device.topics) - device.doubtful
            if row["device"] != device.id or differs:
                wrong.append(f"device {device.id}: {row} {sorted(device.topics)}")
    return wrong


def accept_unknown(export: str, workers: List[Worker]) -> None:
    """Takes the stored state of each device as its known state, now that all that was known is compared."""
    with open(export, encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    stored = {row["token"]: set(row.get("topics", [])) for row in rows if "device" in row}
    for worker in workers:
        for token, device in worker.devices.items():
            device.is_gone = token.hex() not in stored
            device.topics = stored.get(token.hex(), set())
            device.doubtful, device.is_doubtful = set(), False


def options() -> argparse.Namespace:
    """Returns the arguments of the command line."""
    parser = argparse.ArgumentParser(prog="Tools/prove ingest", description=__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="three kills")
    parser.add_argument("--kills", type=int, help="how often (20)")
    parser.add_argument("--seed", type=int, default=seed(1), help="of the changes and the moments (%(default)s)")
    chosen = parser.parse_args()
    chosen.kills = chosen.kills or (3 if chosen.smoke else 20)
    return chosen


class Run:
    """Kills during bulk ingest, each followed by a comparison."""

    def __init__(self, deployment: Deployment, chosen: argparse.Namespace) -> None:
        self.deployment, self.kills, self.phases = deployment, chosen.kills, Phases()
        self.generator = random.Random(chosen.seed)
        self.workers = [Worker(number, chosen.seed) for number in range(WORKERS)]
        self.data, self.export = deployment.folder / "data", deployment.folder / "export.jsonl"
        self.wrong: List[str] = []
        # Kills after which the write-ahead log had records, and databases that carillon-dump called not sound.
        self.kills_with_records = self.findings = 0

    def kill(self) -> None:
        """Starts the server, and kills it in the middle of the changes."""
        workers, log = self.workers, self.data / "data.wal"
        self.deployment.start()
        threads = [threading.Thread(target=worker.run, args=(self.deployment,)) for worker in workers]
        for thread in threads:
            thread.start()
        # The kill comes during bulk ingest: after the answers to a random number of further changes. A start empties
        # the log.
        eventually(lambda: os.path.getsize(log) > ALIGNMENT or failure(workers), "the log is used", 300)
        enough = answered(workers) + self.generator.randint(*CHANGES_BEFORE_KILL)
        eventually(lambda: answered(workers) >= enough or failure(workers), "more changes are answered", 300)
        self.deployment.kill()
        for thread in threads:
            thread.join()
        if failure(workers) is not None:
            raise failure(workers)

    def round(self, number: int) -> None:
        """One kill, and the comparison."""
        self.kill()
        records = tear(str(self.data / "data.wal"), self.generator)
        self.kills_with_records += records > 0
        # The next program that opens the database commits the log: carillon-dump, or the server, which is killed at
        # its start.
        if number % 2:
            self.deployment.start()
            self.deployment.kill()
        self.findings += "sound" not in dump("verify", "--data", self.data).stdout
        self.export.unlink(missing_ok=True)
        dump("export", self.export, "--app", APP, "--data", self.data)
        self.wrong += compare(str(self.export), self.workers)
        accept_unknown(str(self.export), self.workers)
        self.phases.done(f"kill {number + 1}: {sum(len(worker.devices) for worker in self.workers)} devices, "
                         f"{records} records in the write-ahead log")

    def report(self) -> int:
        """Prints the result, and returns the exit status: 0 if no change is missing."""
        missing = report("missing", self.wrong)
        if not self.kills_with_records:
            print("the write-ahead log was never used: nothing is proved")
        print(f"RESULT ingest.kills {self.kills}")
        print(f"RESULT ingest.answered {answered(self.workers)}")
        print(f"RESULT ingest.kills_with_records {self.kills_with_records}")
        print(f"RESULT ingest.missing {missing}")
        print(f"RESULT ingest.findings {self.findings}")
        return 1 if missing or self.findings or not self.kills_with_records else 0


def main() -> int:
    """Kills, compares, and returns the exit status: 0 if no change is missing."""
    chosen = options()
    print(f"{chosen.kills} kills, seed {chosen.seed}, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors",
          flush=True)
    with Deployment(simulator=None, flags=None, records=False) as deployment:
        run = Run(deployment, chosen)
        for number in range(chosen.kills):
            run.round(number)
    return run.report()


if __name__ == "__main__":
    sys.exit(main())
