"""20,000 images of the disk after a power cut under a mixed load: no answered change is missing, and verify is sound.

Tools/prove powercut [--smoke] [--images N] [--seed N] [--control NAME] [--jobs N]

The server's writes, syncs and changes of names are recorded, and so are its answers. An image has what was synced; of
the rest each piece of 512 bytes is there, missing, older or torn, in any order. A server start recovers each image,
and what it has is compared with what had been answered. With a control (no-sync, answer-before-sync,
position-before-pages) the proof must fail; without, all of them run for a moment and must lose something. What was
lost can be made again with --replay.

Programs: carillond apns-simulator carillon-recover
"""
from __future__ import annotations

import argparse
import os
import pickle
import random
import shutil
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

from proofs.parts.power_cuts.answered_state import History, Judge, Recovered
from proofs.parts.power_cuts.disk_images import CONTROLS, DATABASE, Disk
from proofs.parts.power_cuts.disk_recording import Answers, Call, Kind, read_calls
from proofs.parts.power_cuts.mixed_load import SUBSCRIBER, CallCount, MixedLoad
from proofs.parts.power_cuts.recovery import Recovery
from proofs.parts.proof import Phases, report, seed
from support.deployment import Deployment

# Images of one recording, and images in which a control must lose something; both also in the short form.
IMAGES_OF_RECORDING, SMOKE_IMAGES_OF_RECORDING = 1_000, 150
CONTROL_IMAGES, SMOKE_CONTROL_IMAGES = 200, 60
NAMES = (Kind.MADE, Kind.RENAMED, Kind.LINKED, Kind.UNLINKED, Kind.RESIZED)
SYNCS = (Kind.SYNC_BEGUN, Kind.SYNC_ENDED, Kind.WRITE_SYNCED)


@dataclass
class Recording:
    """What a server did, and what it answered."""

    seed: str
    calls: List[Call]
    history: History
    # The inode of the data directory.
    directory: int


@dataclass
class Found:
    """What was found in some images."""

    images: int = 0
    changes: int = 0
    calls: int = 0
    # Images that a server would refuse, before anything was answered; images whose write-ahead log was needed.
    refused: int = 0
    replayed: int = 0
    # Images in which something is lost, and sentences about them.
    lost: int = 0
    losses: List[str] = field(default_factory=list)
    # What the controls have lost.
    controls: Dict[str, Found] = field(default_factory=dict)

    def add(self, other: Found) -> None:
        """Adds what was found in the images of another recording."""
        self.images += other.images
        self.changes += other.changes
        self.calls += other.calls
        self.refused += other.refused
        self.replayed += other.replayed
        self.lost += other.lost
        self.losses += other.losses
        self.controls.update(other.controls)


# The recording

class Session:
    """One data directory, and one server after the other on it."""

    def __init__(self, deployment: Deployment, generator: random.Random, *, is_short: bool) -> None:
        self.deployment, self.generator, self.is_short = deployment, generator, is_short
        self.data = Path(os.path.realpath(deployment.folder)) / "data"
        self.record, counts = deployment.folder / "record", deployment.folder / "counts"
        counts.write_bytes(bytes(16))
        deployment.preload("disk_recorder", RECORD_DIRECTORY=str(self.data), RECORD_FILE=str(self.record),
                           RECORD_STATE=str(counts))
        self.calls = CallCount(str(counts))
        self.history = History()
        self.load = MixedLoad(generator, self.history, self.calls)
        self.starts = 0
        self.disk: Optional[Disk] = None

    def start(self) -> None:
        """Starts a server and connects."""
        self.calls.kill_at(0)
        self.starts += 1
        self.deployment.start("--data-path", str(self.data))
        self.load.connect(self.deployment.port, self.deployment.api_key, self.starts, 6)

    def stop(self) -> None:
        """Ends the server in order."""
        self.load.disconnect()
        if self.deployment.terminate():
            raise AssertionError(f"the server did not end in order: {self.deployment.log()[-2000:]}")
        self.check()

    def kill(self, load: Callable[[], None]) -> None:
        """Ends the server after one of its next calls, under a load."""
        self.calls.kill_at(self.calls.value + self.generator.randint(1, 300))
        while self.load.is_connected:
            load()
        self.deployment.server.wait(60)
        self.load.disconnect()
        self.check()

    def check(self) -> None:
        """Compares the files with what the recorded calls have made of them, between two servers."""
        if self.disk is None:
            self.disk = Disk(self.data.stat().st_ino)
        for call in read_calls(self.record)[self.disk.number:]:
            self.disk.apply(call)
        wrong = self.disk.differences(self.data)
        if wrong:
            raise AssertionError(f"the record is not what the server did: {wrong}")

    def bulk_ingest(self) -> None:
        """Many registrations at once, then other changes of devices in great number."""
        self.load.run([self.load.register_batch], 2 if self.is_short else 4, 1)
        changes = [self.load.register, self.load.register, self.load.subscribe, self.load.join, self.load.update,
                   self.load.unregister]
        self.load.run(changes, 200 if self.is_short else 600, self.generator.choice((16, 64)))

    def single(self) -> None:
        """One change after the other."""
        self.load.run([self.load.register, self.load.subscribe], 12, 1)

    def mixed(self) -> None:
        """All kinds of requests."""
        load = self.load
        load.run([load.register, load.register, load.subscribe, load.subscribe, load.join, load.update, load.unregister,
                  load.change_group, load.send, load.send, load.outcomes, load.outcomes, load.receipt, load.cancel],
                 150 if self.is_short else 400, self.generator.choice((1, 4, 16)))

    def run(self) -> None:
        """The whole life of the data directory: empty, restarted, idle, killed with a log, killed under mixed load."""
        self.start()
        self.single()
        self.bulk_ingest()
        self.load.subscribe_events()
        self.mixed()
        self.stop()
        self.start()
        self.stop()
        self.start()
        self.bulk_ingest()
        self.kill(self.bulk_ingest)
        self.start()
        self.load.subscribe_events()
        self.mixed()
        self.kill(self.mixed)
        self.start()
        self.single()
        self.stop()


def record(seed_text: str, *, is_short: bool) -> Recording:
    """Runs servers under load and returns what they did."""
    with Deployment(flags=None, records=False) as deployment:
        session = Session(deployment, random.Random(seed_text), is_short=is_short)
        session.run()
        calls = read_calls(session.record)
        session.history.resolve(Answers(calls))
    return Recording(seed_text, calls, session.history, session.disk.directory)


# The images

def calls_ahead(recording: Recording) -> List[int]:
    """Returns the calls during which another file than the database has what was synced last: the write-ahead log,
    whose changes the database lacks. Those before the first answer are left out."""
    first, database, is_ahead, numbers = Judge(recording.history).first_answer, 0, False, []
    for number, call in enumerate(recording.calls, 1):
        if call.kind == Kind.RENAMED and call.names[1] == DATABASE:
            database = call.file
        elif call.kind == Kind.SYNC_ENDED and call.file not in (database, recording.directory):
            is_ahead = True
        elif call.kind in (Kind.SYNC_ENDED, Kind.WRITE_SYNCED) and call.file == database:
            is_ahead = False
        if is_ahead and number >= first:
            numbers.append(number)
    return numbers


def choose_calls(recording: Recording, count: int, generator: random.Random) -> List[int]:
    """Returns the calls after which the power is cut, ascending: near syncs, changes of names and answers, while the
    log is ahead of the database, and anywhere."""
    calls = recording.calls
    places = [[number for number, call in enumerate(calls, 1) if call.kind in kinds]
              for kinds in (SYNCS, NAMES, (Kind.SENT,), tuple(Kind))] + [calls_ahead(recording)]
    weights = [weight if place else 0 for weight, place in zip((30, 10, 20, 20, 20), places)]
    chosen = []
    for _ in range(count):
        number = generator.choice(generator.choices(places, weights)[0]) + generator.choice((-1, 0, 0, 1))
        chosen.append(min(max(number, 1), len(calls)))
    return sorted(chosen)


def image_root() -> Path:
    """Returns a directory in memory for images, if there is room; else an ordinary one."""
    memory = Path("/dev/shm")
    has_room = memory.is_dir() and os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 1 << 30
    return Path(tempfile.mkdtemp(prefix="carillon-powercut-", dir=memory if has_room else None))


def images(recording: Recording, count: int, control: str, root: Path,
           only: Optional[int] = None) -> Iterator[Tuple[int, int, str, Path]]:
    """Makes images one after the other: the number of each, the call, the way in which pieces were chosen, and the
    directory. A directory may be removed when the one after the next is asked for."""
    disk, done = Disk(recording.directory, control), 0
    numbers = choose_calls(recording, count, random.Random(f"{recording.seed}/calls"))
    first = Judge(recording.history).first_answer if control else 0
    for image, number in enumerate(numbers):
        if number < first:
            continue
        while done < number:
            disk.apply(recording.calls[done])
            done += 1
        if only in (None, image):
            folder = root / str(image)
            folder.mkdir()
            yield image, number, disk.make_image(folder, random.Random(f"{recording.seed}/{image}")), folder


def examine(recording: Recording, count: int, *, control: str = "", only: Optional[int] = None) -> Found:
    """Recovers images, or only one, and judges each."""
    judge, found, root = Judge(recording.history), Found(), image_root()
    recovery = Recovery([SUBSCRIBER])
    waiting: List[Tuple[int, int, str, Path]] = []

    def finish() -> None:
        image, number, way, folder = waiting.pop(0)
        recovered = Recovered(recovery.end())
        losses = judge.losses(number, recovered)
        found.images += 1
        found.refused += recovered.refusal is not None and not losses
        found.replayed += recovered.is_replayed
        if losses:
            found.lost += 1
            found.losses.append(f"image {image}, after call {number} of {len(recording.calls)}, {way}: {len(losses)} "
                                f"losses, such as {losses[0][:300]}")
        if only is None:
            shutil.rmtree(folder)

    try:
        for made in images(recording, count, control, root, only):
            if waiting:
                finish()
            if only is not None:
                # The image itself stays as it is, for a closer look.
                made = (*made[:3], Path(shutil.copytree(made[3], f"{made[3]}-recovered")))
            waiting.append(made)
            recovery.begin(made[3])
        if waiting:
            finish()
    finally:
        recovery.stop()
        if only is None:
            shutil.rmtree(root, ignore_errors=True)
        else:
            print(f"the image: {root / str(only)}")
    return found


# The proof

def prove(number: int, options: argparse.Namespace, count: int) -> Found:
    """One recording and its images. The first is examined with the controls, too."""
    recording = record(f"{options.seed}/{number}", is_short=options.smoke)
    found = examine(recording, count, control=options.control or "")
    found.changes, found.calls = recording.history.changes, len(recording.calls)
    if found.lost:
        folder = Path(tempfile.mkdtemp(prefix="carillon-powercut-lost-"))
        with open(folder / "recording", "wb") as file:
            pickle.dump((recording, count, options.control or ""), file)
        found.losses = [f"recording {number}, {each}" for each in found.losses[:5]]
        found.losses.append(
            f"Tools/prove powercut --replay {folder}/recording --image N makes one of these images again")
    if number == 0 and not options.control:
        for control in CONTROLS:
            found.controls[control] = examine(
                recording, SMOKE_CONTROL_IMAGES if options.smoke else CONTROL_IMAGES, control=control)
    return found


def replay(options: argparse.Namespace) -> int:
    """Makes and judges one image of a kept recording again."""
    with open(options.replay, "rb") as file:
        recording, count, control = pickle.load(file)
    found = examine(recording, count, control=control, only=options.image)
    return 1 if report("lost", found.losses) else 0


def parse() -> argparse.Namespace:
    """Returns the options."""
    parser = argparse.ArgumentParser(prog="Tools/prove powercut", description=__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="two short recordings, 300 images")
    parser.add_argument("--images", type=int, help="how many (20,000)")
    parser.add_argument("--seed", type=int, default=seed(1), help="of the load and the images (%(default)s)")
    parser.add_argument("--control", choices=CONTROLS, help="a fault with which the proof must fail")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="recordings at once (%(default)s)")
    parser.add_argument("--replay", metavar="FILE", help="a recording that was kept because something was lost")
    parser.add_argument("--image", type=int, default=0, help="the image of it to make again (%(default)s)")
    return parser.parse_args()


def main() -> int:
    """Records, examines, and returns the exit status: 0 if nothing is lost, and every control loses something."""
    options = parse()
    if options.replay:
        return replay(options)
    count = options.images or (300 if options.smoke else 20_000)
    most = SMOKE_IMAGES_OF_RECORDING if options.smoke else IMAGES_OF_RECORDING
    sizes = [min(most, count - first) for first in range(0, count, most)]
    print(f"{count} images of {len(sizes)} recordings, seed {options.seed}, load {os.getloadavg()[0]:.1f} on "
          f"{os.cpu_count()} processors", flush=True)
    phases, all_found = Phases(), Found()
    with ProcessPoolExecutor(options.jobs, mp_context=get_context("fork")) as pool:
        results: List[Any] = [pool.submit(prove, number, options, size) for number, size in enumerate(sizes)]
        for number, result in enumerate(results):
            found = result.result()
            phases.done(f"recording {number}: {found.calls} calls, {found.changes} answered changes, {found.images} "
                        f"images, {found.lost} with losses")
            all_found.add(found)
    for control, shown in all_found.controls.items():
        print(f"control {control}: something is lost in {shown.lost} of {shown.images} images")
    if not all_found.replayed:
        print("no image needed the write-ahead log: little is proved")
    if all_found.refused:
        print(f"{all_found.refused} images from before the first answer are refused by a start")
    report("lost", all_found.losses)
    print(f"RESULT powercut.images {all_found.images}")
    print(f"RESULT powercut.answered {all_found.changes}")
    print(f"RESULT powercut.replayed {all_found.replayed}")
    print(f"RESULT powercut.lost {all_found.lost}")
    print(f"RESULT powercut.controls {sum(shown.lost > 0 for shown in all_found.controls.values())}")
    print(f"RESULT powercut.seed {options.seed}")
    is_proved = all_found.replayed and not all_found.lost and all(
        shown.lost for shown in all_found.controls.values())
    return 0 if is_proved else 1


if __name__ == "__main__":
    sys.exit(main())
