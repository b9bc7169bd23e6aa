"""The recorder and the images of Tools/prove powercut, with a small program in the place of the server."""
from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Dict, List

from support.environment import ROOT
from proofs.parts.power_cuts.disk_images import CONTROLS, PIECE_BYTES, Disk
from proofs.parts.power_cuts.disk_recording import Call, Kind, read_calls

IMAGES = 300
SEED = int(os.environ.get("CARILLON_SEED") or 1)


class DiskImagesTests(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="carillon-images-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(os.path.realpath(folder.name))
        self.data = self.folder / "data"
        self.data.mkdir()

    def recorded(self, program: str, kill_at: int = 0, status: int = 0) -> List[Call]:
        """Runs a program in Python whose working directory is the data directory; returns its calls."""
        library = self.folder / "recorder.so"
        source = ROOT / "Tests/SystemTests/support/preloaded/disk_recorder.c"
        subprocess.run(["clang", "-shared", "-fPIC", "-Wall", "-Werror", "-o", str(library), str(source)], check=True)
        counts = self.folder / "counts"
        counts.write_bytes(bytes(8) + kill_at.to_bytes(8, sys.byteorder))
        environment = {**os.environ, "LD_PRELOAD": str(library), "RECORD_DIRECTORY": str(self.data),
                       "RECORD_FILE": str(self.folder / "record"), "RECORD_STATE": str(counts)}
        done = subprocess.run([sys.executable, "-B", "-c", "import os, mmap\n" + program], cwd=self.data,
                              env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stderr)
        calls = read_calls(self.folder / "record")
        self.assertEqual(int.from_bytes(counts.read_bytes()[:8], sys.byteorder), len(calls))
        return calls

    def disk(self, calls: List[Call], control: str = "") -> Disk:
        """Returns the disk after all calls."""
        disk = Disk(self.data.stat().st_ino, control)
        for call in calls:
            disk.apply(call)
        return disk

    def images(self, disk: Disk) -> List[Dict[str, bytes]]:
        """Returns the files of many images, by name."""
        made = []
        for number in range(IMAGES):
            with tempfile.TemporaryDirectory(dir=self.folder) as folder:
                disk.make_image(Path(folder), random.Random(f"{SEED}/{number}"))
                made.append({path.name: path.read_bytes() for path in Path(folder).iterdir()})
        return made

    def test_the_record_has_every_change(self) -> None:
        calls = self.recorded("""
file = os.open("a.new", os.O_RDWR | os.O_CREAT | os.O_EXCL)
os.write(file, b"one" * 500)
os.pwrite(file, b"two", 5000)
os.lseek(file, 100, os.SEEK_SET)
os.writev(file, [b"three", b"four" * 300])
os.pwritev(file, [b"five", b"six"], 3000)
os.ftruncate(file, 4000)
os.posix_fallocate(file, 0, 6000)
synced = os.open("a.new", os.O_RDWR | os.O_DSYNC)
os.pwrite(synced, b"seven", 700)
os.fdatasync(file)
os.rename("a.new", "a")
os.link("a", "b")
folder = os.open(".", os.O_RDONLY)
other = os.open("c", os.O_RDWR | os.O_CREAT, dir_fd=folder)
os.write(other, b"gone")
os.unlink("c", dir_fd=folder)
os.rename("b", "d", src_dir_fd=folder, dst_dir_fd=folder)
os.truncate("d", 5500)
open("e", "w").write("eight")
os.open("e", os.O_RDWR | os.O_TRUNC)
os.fsync(folder)
""")
        self.assertEqual(self.disk(calls).differences(self.data), [])
        self.assertEqual(sorted(path.name for path in self.data.iterdir()), ["a", "d", "e"])
        kinds = [call.kind for call in calls]
        self.assertEqual((kinds[0], kinds.count(Kind.SYNC_ENDED), kinds.count(Kind.WRITE_SYNCED)), (Kind.STARTED, 2, 1))

    def test_a_process_ends_after_a_call(self) -> None:
        calls = self.recorded("""
file = os.open("a", os.O_RDWR | os.O_CREAT)
for number in range(100):
    os.write(file, b"x" * 100)
""", kill_at=10, status=-9)
        self.assertEqual(len(calls), 10)
        self.assertEqual((self.data / "a").stat().st_size, 800)
        self.assertEqual(self.disk(calls).differences(self.data), [])

    def test_a_process_does_not_end_in_a_synchronous_write(self) -> None:
        """It is recorded before it is done."""
        calls = self.recorded("""
file = os.open("a", os.O_RDWR | os.O_CREAT | os.O_DSYNC)
os.write(file, b"x" * 100)
os.write(file, b"y" * 100)
""", kill_at=3, status=-9)
        self.assertEqual([call.kind for call in calls[2:]], [Kind.WRITTEN, Kind.WRITE_SYNCED])
        self.assertEqual(self.disk(calls).differences(self.data), [])

    def test_a_write_that_cannot_be_seen_is_refused(self) -> None:
        self.recorded("""
file = os.open("a", os.O_RDWR | os.O_CREAT)
os.ftruncate(file, 4096)
mmap.mmap(file, 4096)
""", status=-6)

    def test_synced_bytes_are_in_every_image(self) -> None:
        calls = self.recorded("""
file = os.open("a", os.O_RDWR | os.O_CREAT)
os.write(file, b"o" * 2048)
os.fdatasync(file)
folder = os.open(".", os.O_RDONLY)
os.fsync(folder)
os.write(file, b"n" * 2048)
os.pwrite(file, b"w" * 512, 512)
""")
        images = self.images(self.disk(calls))
        self.assertTrue(all(image["a"][:512] == b"o" * 512 for image in images), SEED)
        # What was not synced: there, missing, torn, and in any order.
        pieces = {image["a"][512:1024] for image in images}
        self.assertIn(b"o" * PIECE_BYTES, pieces)
        self.assertIn(b"w" * PIECE_BYTES, pieces)
        self.assertTrue(any(set(piece) == set(b"ow") for piece in pieces), SEED)
        sizes = {len(image["a"]) for image in images}
        self.assertEqual(sizes, {2048, 4096}, SEED)
        ends = [image["a"][2048:] for image in images if len(image["a"]) == 4096]
        self.assertTrue(any(end[:512] == bytes(512) and end[-512:] == b"n" * 512 for end in ends), SEED)

    def test_a_synchronous_write_keeps_its_own_bytes_only(self) -> None:
        calls = self.recorded("""
file = os.open("a", os.O_RDWR | os.O_CREAT)
os.write(file, b"o" * 1024)
os.fsync(file)
os.fsync(os.open(".", os.O_RDONLY))
os.pwrite(file, b"n" * 512, 512)
os.pwrite(os.open("a", os.O_RDWR | os.O_DSYNC), b"s" * 512, 0)
""")
        images = self.images(self.disk(calls))
        self.assertEqual({image["a"][:512] for image in images}, {b"s" * 512}, SEED)
        self.assertLessEqual({b"o" * 512, b"n" * 512}, {image["a"][512:] for image in images}, SEED)

    def test_a_name_may_be_missing_until_the_directory_is_synced(self) -> None:
        calls = self.recorded("""
file = os.open("a", os.O_RDWR | os.O_CREAT)
folder = os.open(".", os.O_RDONLY)
os.fsync(folder)
os.rename("a", "b")
os.open("c", os.O_RDWR | os.O_CREAT)
os.fsync(folder)
os.unlink("c")
""")
        ends = [number for number, call in enumerate(calls, 1) if call.kind == Kind.SYNC_ENDED]
        before = {tuple(sorted(image)) for image in self.images(self.disk(calls[:ends[0] - 1]))}
        self.assertEqual(before, {(), ("a",)}, SEED)
        between = {tuple(sorted(image)) for image in self.images(self.disk(calls[:ends[1] - 1]))}
        self.assertEqual(between, {("a",), ("b",), ("a", "c"), ("b", "c")}, SEED)
        after = {tuple(sorted(image)) for image in self.images(self.disk(calls))}
        self.assertEqual(after, {("b",), ("b", "c")}, SEED)

    def test_a_smaller_size_leaves_nothing_from_before(self) -> None:
        calls = self.recorded("""
file = os.open("a", os.O_RDWR | os.O_CREAT)
os.write(file, b"o" * 2048)
os.fsync(file)
os.fsync(os.open(".", os.O_RDONLY))
os.ftruncate(file, 512)
os.pwrite(file, b"n" * 512, 1536)
""")
        found = {image["a"] for image in self.images(self.disk(calls))}
        old, new = b"o" * 2048, b"o" * 512 + bytes(1024) + b"n" * 512
        self.assertLessEqual({old, old[:512], new}, found, SEED)
        self.assertFalse(any(len(each) == 2048
                             and each[512:1536] not in (old[512:1536], bytes(1024)) for each in found),
                         SEED)

    def test_each_control_loses_what_was_synced(self) -> None:
        calls = self.recorded("""
folder = os.open(".", os.O_RDONLY)
file = os.open("data.mdb", os.O_RDWR | os.O_CREAT)
os.write(file, b"o" * 12288)
os.fsync(file)
os.fsync(folder)
os.pwrite(file, b"p" * 4096, 8192)
os.fdatasync(file)
os.pwrite(os.open("data.mdb", os.O_RDWR | os.O_DSYNC), b"m" * 64, 0)
""")
        whole = b"m" * 64 + b"o" * 8128 + b"p" * 4096
        self.assertEqual({image["data.mdb"] for image in self.images(self.disk(calls))}, {whole})
        for control in CONTROLS:
            with self.subTest(control):
                images = self.images(self.disk(calls, control))
                self.assertTrue(any(image.get("data.mdb") != whole for image in images))


if __name__ == "__main__":
    unittest.main()
