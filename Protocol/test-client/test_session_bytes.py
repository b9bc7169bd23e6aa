"""The bytes of the session that the specification shows (§20) are those of the vector."""
from __future__ import annotations

import json
import re
import unittest
from pathlib import Path
from typing import List, Tuple

PROTOCOL = Path(__file__).resolve().parents[1]
DIRECTIONS = {"C → S": "client", "S → C": "server"}
# A byte, a text up to the quote that ends its field, or the sign of bytes that are left out.
BYTES = re.compile(r'([0-9A-F]{2})\b|"(.*?)"(?= |$)|(…)')


def drawn_steps(page: str) -> List[Tuple[str, str]]:
    """Returns the steps of §20: who writes, and the bytes in hexadecimal, up to those that are left out."""
    block = page.partition("## 20. A session in hexadecimal")[2].split("```")[1]
    steps: List[Tuple[str, str]] = []
    for line in filter(None, block.splitlines()):
        direction, fields = line[:5], re.split(" {3,}", line[8:].strip())[0]
        if direction.strip():
            steps.append((DIRECTIONS[direction], ""))
        digits = "".join(byte.lower() or text.encode().hex() or gap for byte, text, gap in BYTES.findall(fields))
        steps[-1] = (steps[-1][0], steps[-1][1] + digits)
    return steps


class SessionBytesTests(unittest.TestCase):
    def test_the_session_in_hexadecimal_is_the_vector(self) -> None:
        drawn = drawn_steps((PROTOCOL / "Carillon-v1.md").read_text("utf-8"))
        vector = json.loads((PROTOCOL / "vectors/sessions/first-push.json").read_text("utf-8"))
        self.assertGreaterEqual(len(drawn), 10)
        expected = []
        for (_, data), step in zip(drawn, vector["steps"]):
            end = data.find("…")
            expected.append((step["from"], step["hex"] if end < 0 else step["hex"][:end] + "…"))
        self.assertEqual(drawn, expected)


if __name__ == "__main__":
    unittest.main()
