"""Sessions with damaged bytes: the dissector must not fail on any."""
from __future__ import annotations

import os
import random
import re
import struct
import unittest

import tshark
from captures import Capture
from example_frames import EVENT_FRAMES, GROUP_FRAMES
from frames import SESSION

SESSION_COUNT = 500


def mutate(generator: random.Random, data: bytes) -> bytes:
    """Flips, replaces, removes, repeats or inserts bytes."""
    mutant = bytearray(data)
    for _ in range(generator.randint(1, 6)):
        position = generator.randrange(len(mutant))
        kind = generator.randrange(6)
        if kind == 0:
            mutant[position] ^= 1 << generator.randrange(8)
        elif kind == 1:
            mutant[position] = generator.choice([0, 1, 2, 0x7F, 0x80, 0xFF])
        elif kind == 2 and len(mutant) > 20:
            del mutant[position:position + generator.randint(1, 9)]
        elif kind == 3:
            mutant[position:position] = mutant[position:position + generator.randint(1, 40)]
        elif kind == 4:
            mutant[position:position] = generator.randbytes(generator.randint(1, 9))
        else:
            mutant[position:position + 4] = struct.pack(">I", generator.choice([0, 1, 255, 65536, 2**31, 2**32 - 1]))
        if not mutant:
            mutant = bytearray(data)
    return bytes(mutant)


def capture_damaged_sessions(generator: random.Random) -> Capture:
    """Returns many sessions in which some frames are damaged."""
    capture = Capture()
    for _ in range(SESSION_COUNT):
        connection = capture.connect()
        rate = generator.choice([0.1, 0.3, 1])
        segment_bytes = generator.choice([13, 50, 1400, 1400])
        kept_bytes = generator.choice([None, None, None, 5, 30])
        for step, (sender, data) in enumerate(SESSION + GROUP_FRAMES + EVENT_FRAMES):
            # Most sessions keep their prefaces: without them nothing is dissected.
            is_spared = step in (0, 2) and generator.random() < 0.9
            if not is_spared and generator.random() < rate:
                data = mutate(generator, data)
            connection.send(sender, data, segment_bytes, kept_bytes)
    return capture


class DamagedBytesTests(unittest.TestCase):
    """The dissector on damaged sessions, in one pass, in two, and without reassembly."""

    def test_the_dissector_survives_damaged_bytes(self) -> None:
        seed = int(os.environ.get("CARILLON_SEED", "7474"))
        print(f"damaged bytes: CARILLON_SEED={seed}")
        capture = capture_damaged_sessions(random.Random(seed))
        for arguments in (["-V"], ["-2", "-V"], ["-V", "-o", "tcp.desegment_tcp_streams:FALSE"]):
            with self.subTest(arguments=arguments):
                shown = tshark.read(capture, *arguments)
                self.assertGreater(shown.count("Carillon, "), SESSION_COUNT)
                self.assertNotIn("Dissector bug", shown)
                # Damaged bytes can look like another protocol (rpcap, SMPP), whose own dissector then fails.
                self.assertIsNone(re.search(r"(?i)\[Malformed Packet: carillon", shown))


if __name__ == "__main__":
    unittest.main()
