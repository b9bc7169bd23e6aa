"""Makes images of a disk after a power cut from the recorded calls of a server.

What was synced is there. Of what was written since, each piece of 512 bytes is there, or missing, or has what was
written before, or is torn; a size is the old one, the new one or one between; a name is there or not. LMDB relies on
whole pieces of 512 bytes in its meta pages, as DataFiles.md says: these are not torn.
"""
from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Callable, Dict, List, Optional, Tuple

from proofs.parts.power_cuts.disk_recording import Call, Kind

PIECE_BYTES = 512
PAGE_BYTES = 4_096
ZEROS = bytes(PIECE_BYTES)
# LMDB's file, and the bytes of its two meta pages.
DATABASE, META_BYTES = "data.mdb", 2 * PAGE_BYTES


def piece_count(byte_count: int) -> int:
    """Returns the number of pieces that the first `byte_count` bytes of a file take."""
    return (byte_count + PIECE_BYTES - 1) // PIECE_BYTES


class Version:
    """What a piece has after a call."""

    __slots__ = ("call", "content", "is_cut")

    def __init__(self, call: int, content: bytes, is_cut: bool = False) -> None:
        self.call, self.content = call, content
        # True for the zeros that a smaller size leaves: they are there if, and only if, that size is.
        self.is_cut = is_cut


class RecordedFile:
    """A file: what is surely on the disk, what was done since, and what a process reads."""

    def __init__(self) -> None:
        self.durable = bytearray()
        self.current = bytearray()
        # Pieces changed since: the versions in the order of the calls.
        self.pieces: Dict[int, List[Version]] = {}
        # Sizes set since, by a call.
        self.sizes: List[Tuple[int, int]] = []

    def write(self, call: int, offset: int, data: bytes) -> None:
        """A write."""
        end = offset + len(data)
        if end > len(self.current):
            self.current.extend(bytes(end - len(self.current)))
            self.sizes.append((call, end))
        self.current[offset:end] = data
        for piece in range(offset // PIECE_BYTES, piece_count(end)):
            self._add(piece, call)

    def resize(self, call: int, size: int) -> None:
        """A new size."""
        old = len(self.current)
        self.sizes.append((call, size))
        if size >= old:
            self.current.extend(bytes(size - old))
            return
        del self.current[size:]
        count = max(piece_count(old), piece_count(len(self.durable)), max(self.pieces, default=-1) + 1)
        for piece in range(size // PIECE_BYTES, count):
            self._add(piece, call, is_cut=True)

    def _add(self, piece: int, call: int, is_cut: bool = False) -> None:
        content = bytes(self.current[piece * PIECE_BYTES:(piece + 1) * PIECE_BYTES])
        if len(content) < PIECE_BYTES:
            content += bytes(PIECE_BYTES - len(content))
        self.pieces.setdefault(piece, []).append(Version(call, content, is_cut))

    def sync(self, before: int, pieces: Optional[range] = None) -> None:
        """Everything that was done before a call is on the disk, or what was done to these pieces."""
        count = sum(1 for call, _ in self.sizes if call < before)
        if count:
            size = self.sizes[count - 1][1]
            smallest = min(size for _, size in self.sizes[:count])
            del self.sizes[:count], self.durable[smallest:]
            self.durable.extend(bytes(size - len(self.durable)))
        for piece in [piece for piece in (self.pieces if pieces is None else pieces) if piece in self.pieces]:
            versions = self.pieces[piece]
            old = sum(1 for version in versions if version.call < before)
            if not old:
                continue
            start = piece * PIECE_BYTES
            room = min(PIECE_BYTES, len(self.durable) - start)
            if room > 0:
                self.durable[start:start + room] = versions[old - 1].content[:room]
            if old == len(versions):
                del self.pieces[piece]
            else:
                del versions[:old]

    def base(self, piece: int) -> bytes:
        """Returns what a piece surely has."""
        content = bytes(self.durable[piece * PIECE_BYTES:(piece + 1) * PIECE_BYTES])
        return content if len(content) == PIECE_BYTES else content + bytes(PIECE_BYTES - len(content))

    def image(self, choose: Choice, is_whole: Callable[[int], bool]) -> bytearray:
        """Returns the content after a power cut."""
        content = bytearray(self.durable)
        kept = choose.count(len(self.sizes))
        limit = self.sizes[kept - 1][0] if kept else 0
        size = self.sizes[kept - 1][1] if kept else len(content)
        content.extend(bytes(max(0, size - len(content))))
        for piece, versions in self.pieces.items():
            if piece * PIECE_BYTES >= size:
                continue
            candidates = [Version(0, self.base(piece))]
            for version in versions:
                if not version.is_cut:
                    candidates.append(version)
                elif version.call <= limit:
                    # The file was shorter: nothing from before is there again.
                    candidates = [version]
            chosen = choose.version(piece, candidates, may_tear=not is_whole(piece))
            start = piece * PIECE_BYTES
            content[start:start + PIECE_BYTES] = chosen[:max(0, min(PIECE_BYTES, len(content) - start))]
        del content[size:]
        return content


class Choice:
    """A way in which a drive loses what was not synced, chosen at random for one image."""

    def __init__(self, generator: random.Random, calls: Tuple[int, int]) -> None:
        """`calls` are the numbers of the oldest and the newest call that may be lost."""
        self.generator = generator
        self.way = generator.choices(
            ("all", "none", "first", "last", "pieces", "pages"), (1, 2, 3, 2, 4, 2))[0]
        self.bound = generator.randint(*calls)
        self.share = generator.choice((0.03, 0.3, 0.5, 0.7, 0.97))
        self.tears = generator.random() < 0.5
        self.salt = generator.getrandbits(32)

    def count(self, count: int) -> int:
        """How many of the sizes or names are there, in their order."""
        if self.way in ("all", "none"):
            return count if self.way == "all" else 0
        return self.generator.choice((0, count, self.generator.randint(0, count)))

    def names(self, changes: List[NameChange]) -> List[NameChange]:
        """Which changes of names are there: the first ones, or any."""
        if self.generator.random() < 0.5:
            return changes[:self.count(len(changes))]
        return [change for change in changes if self.generator.random() < 0.5]

    def version(self, piece: int, candidates: List[Version], *, may_tear: bool) -> bytes:
        """Returns what a piece has, of what it may have: oldest first."""
        index = self._index(piece, candidates)
        chosen = candidates[index].content
        if self.tears and may_tear and len(candidates) > 1 and self.generator.random() < 0.05:
            other = self.generator.choice(candidates).content
            at = self.generator.randint(1, PIECE_BYTES - 1)
            return chosen[:at] + other[at:]
        return chosen

    def _index(self, piece: int, candidates: List[Version]) -> int:
        last = len(candidates) - 1
        if self.way == "all":
            return last
        if self.way == "none":
            return 0
        if self.way == "first":
            # The calls up to one, of which a part of the pieces is there.
            return max(index for index, version in enumerate(candidates) if not index or version.call < self.bound
                       or version.call == self.bound and self.generator.random() < self.share)
        if self.way == "last":
            # Only what came late: the drive has changed the order.
            return last if candidates[last].call >= self.bound else 0
        if self.way == "pages":
            return last if random.Random(self.salt + piece // (PAGE_BYTES // PIECE_BYTES)).random() < self.share else 0
        return last if self.generator.random() < self.share else self.generator.randrange(last + 1)


class NameChange:
    """A change of the names in the directory that may not be on the disk."""

    __slots__ = ("call", "removed", "added", "file")

    def __init__(self, call: int, removed: Optional[str], added: Optional[str], file: Optional[RecordedFile]) -> None:
        self.call, self.removed, self.added, self.file = call, removed, added, file

    def apply(self, names: Dict[str, RecordedFile]) -> None:
        """Changes the names."""
        if self.removed is not None and (self.file is None or names.get(self.removed) is self.file):
            names.pop(self.removed, None)
        if self.added is not None and self.file is not None:
            names[self.added] = self.file


class Disk:
    """The data directory on a disk, call by call."""

    def __init__(self, directory: int, control: str = "") -> None:
        """`directory` is the inode of the data directory. `control` is the name of a fault in CONTROLS."""
        self.directory, self.control = directory, control
        # The number of the last call.
        self.number = 0
        self.files: Dict[int, RecordedFile] = {}
        self.names: Dict[str, RecordedFile] = {}
        self.durable_names: Dict[str, RecordedFile] = {}
        self.changes: List[NameChange] = []
        # The newest writes, by the numbers of their calls: WRITE_SYNCED names the write that it ends.
        self.begun: Dict[int, Call] = {}
        # Syncs that a control makes late: what they do when another one begins.
        self.late: List[Callable[[], None]] = []

    def apply(self, call: Call) -> None:
        """The next call."""
        self.number += 1
        kind = call.kind
        if kind == Kind.MADE:
            self.files[call.file] = RecordedFile()
            self._change_names(None, call.names[0], self.files[call.file])
        elif kind == Kind.WRITTEN:
            self._write(call)
        elif kind == Kind.RESIZED:
            self.files[call.file].resize(self.number, call.value)
        elif kind == Kind.RENAMED:
            self._change_names(call.names[0], call.names[1], self.files[call.file])
        elif kind == Kind.LINKED:
            self._change_names(None, call.names[0], self.files[call.file])
        elif kind == Kind.UNLINKED:
            self._change_names(call.names[0], None, self.names[call.names[0]])
        elif kind == Kind.SYNC_BEGUN:
            for sync in self.late:
                sync()
            self.late.clear()
        elif kind == Kind.SYNC_ENDED:
            self._sync(call)
        elif kind == Kind.WRITE_SYNCED:
            file, pieces = self.files[call.file], self._pieces(self.begun.pop(call.value))
            self._sync_now_or_late(lambda: file.sync(call.value + 1, pieces),
                                   is_late=self.control == "answer-before-sync")

    def _write(self, call: Call) -> None:
        file = self.files[call.file]
        file.write(self.number, call.value, call.data)
        self.begun[self.number] = call
        if len(self.begun) > 1_000:
            del self.begun[next(iter(self.begun))]
        if self.control == "position-before-pages" and call.value < META_BYTES and file is self.names.get(DATABASE):
            file.sync(self.number + 1, self._pieces(call))

    @staticmethod
    def _pieces(call: Call) -> range:
        return range(call.value // PIECE_BYTES, piece_count(call.value + len(call.data)))

    def _change_names(self, removed: Optional[str], added: Optional[str], file: RecordedFile) -> None:
        change = NameChange(self.number, removed, added, file)
        change.apply(self.names)
        self.changes.append(change)

    def _sync(self, call: Call) -> None:
        def sync() -> None:
            if call.file == self.directory:
                for change in self.changes:
                    if change.call < call.value:
                        change.apply(self.durable_names)
                self.changes = [change for change in self.changes if change.call > call.value]
            else:
                self.files[call.file].sync(call.value)

        self._sync_now_or_late(sync, is_late=self.control == "answer-before-sync" or (
            self.control == "position-before-pages" and self.files.get(call.file) is self.names.get(DATABASE)))

    def _sync_now_or_late(self, sync: Callable[[], None], *, is_late: bool) -> None:
        if is_late:
            self.late.append(sync)
        elif self.control != "no-sync":
            sync()

    def make_image(self, folder: Path, generator: random.Random) -> str:
        """Writes what the disk may have after a power cut now; returns the way in which it was chosen."""
        oldest = min((version.call for file in self.files.values() for versions in file.pieces.values()
                      for version in versions[:1]), default=self.number)
        choice = Choice(generator, (oldest, self.number))
        names = dict(self.durable_names)
        for change in choice.names(self.changes):
            change.apply(names)
        written: Dict[int, Path] = {}
        for name, file in sorted(names.items()):
            path = folder / name
            if id(file) in written:
                os.link(written[id(file)], path)
                continue
            written[id(file)] = path
            is_database = name.startswith(DATABASE)
            with open(path, "wb", buffering=0) as output:
                output.write(file.image(
                    choice, lambda piece, yes=is_database: yes and piece * PIECE_BYTES < META_BYTES))
        return choice.way

    def differences(self, folder: Path) -> List[str]:
        """How the files of a directory differ from what the calls have made of them: nothing may have escaped the
        recorder."""
        ignored = {"lock.mdb", "writer.lock"}
        found = {path.name: path for path in folder.iterdir() if path.name not in ignored}
        wrong = [f"{name} is only {where}" for name in found.keys() ^ self.names.keys()
                 for where in ["in the directory" if name in found else "in the record"]]
        wrong += [f"{name} differs" for name in found.keys() & self.names.keys()
                  if found[name].read_bytes() != self.names[name].current]
        return wrong


# Faults that must lose something: no call syncs; an answer comes before its sync; LMDB's meta page, which says up to
# where the log is stored, is on the disk before the pages of its commit.
CONTROLS = ("no-sync", "answer-before-sync", "position-before-pages")
