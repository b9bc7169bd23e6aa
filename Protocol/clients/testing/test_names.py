#!/usr/bin/env python3
"""Tests that each name in the table "One vocabulary" of the README is a public type of its client."""
from __future__ import annotations

import re
import sys
import unittest
from pathlib import Path
from typing import Dict, List, Tuple

CLIENTS = Path(__file__).resolve().parents[1]
SOURCES = CLIENTS.parents[1] / "Sources"
# By language: the files that declare its public types, and how a declaration looks.
DECLARATIONS: Dict[str, Tuple[List[Path], str]] = {
    "Swift": ([*SOURCES.glob("CarillonClient/**/*.swift"), *SOURCES.glob("CarillonCore/**/*.swift")],
              r"public (?:final class|struct|enum) NAME\b"),
    "Go": (list(CLIENTS.glob("go/*.go")), r"^type NAME\b"),
    "Node.js": ([CLIENTS / "node/index.d.ts"], r"^export (?:interface|type) NAME\b"),
    "Python": (list(CLIENTS.glob("python/carillon/[!_]*.py")), r"^(?:class NAME\b|NAME = )"),
    "Java": (list(CLIENTS.glob("java/src/main/java/carillon/client/*.java")),
             r"^public (?:final class|sealed interface|record) NAME\b"),
}


def rows() -> List[List[str]]:
    """Returns the cells of the table, with its head."""
    text = (CLIENTS / "README.md").read_text("utf-8").partition("## One vocabulary")[2].partition("\n## ")[0]
    lines = [line for line in text.splitlines() if line.startswith("|") and not line.startswith("|---")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


class Names(unittest.TestCase):
    def test_each_name_is_a_public_type(self) -> None:
        head, *table = rows()
        self.assertEqual(head[1:], list(DECLARATIONS))
        self.assertGreater(len(table), 5)
        for index, (language, (files, declaration)) in enumerate(DECLARATIONS.items(), 1):
            text = "\n".join(file.read_text("utf-8") for file in files)
            for row in table:
                name = re.fullmatch(r"`(\w+)`", row[index])  # other cells are words, or methods
                if name:
                    with self.subTest(language=language, name=name[1]):
                        self.assertRegex(text, re.compile(declaration.replace("NAME", name[1]), re.MULTILINE))


if __name__ == "__main__":
    sys.exit(unittest.main())
