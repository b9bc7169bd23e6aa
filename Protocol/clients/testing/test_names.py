#!/usr/bin/env python3
"""Tests that each name in the table "One vocabulary" of the README is a public type of its client, and that each client
has the version of the server.
"""
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
    "Swift": ([*SOURCES.glob("Client/CarillonClient/**/*.swift"), *SOURCES.glob("Domain/CarillonCore/**/*.swift")],
              r"public (?:final class|struct|enum) NAME\b"),
    "Go": (list(CLIENTS.glob("go/*.go")), r"^type NAME\b"),
    "Node.js": ([CLIENTS / "node/index.d.ts"], r"^export (?:interface|type|declare class) NAME\b"),
    "Python": (list(CLIENTS.glob("python/carillon/[!_]*.py")), r"^(?:class NAME\b|NAME = )"),
    "Java": (list(CLIENTS.glob("java/src/main/java/carillon/client/*.java")),
             r"^public (?:final class|sealed interface|record) NAME\b"),
}


def rows() -> List[List[str]]:
    """Returns the cells of the table, with its head."""
    text = (CLIENTS / "README.md").read_text("utf-8").partition("## One vocabulary")[2].partition("\n## ")[0]
    lines = [line for line in text.splitlines() if line.startswith("|") and not line.startswith("|---")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


class VocabularyTests(unittest.TestCase):
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


class ClientVersionsTests(unittest.TestCase):
    """The clients are released with the server: `Version.swift` has the version of all (VER-1)."""

    def test_each_client_has_the_version_of_the_server(self) -> None:
        version = self.constant(SOURCES / "Platform/CarillonVersion/Version.swift", r'number = "(.+)"')
        beta = re.fullmatch(r"(.+)-beta\.(\d+)", version)
        of_python = f"{beta[1]}b{beta[2]}" if beta else version
        for name, declaration, expected in (
            ("go/options.go", r'Version = "(.+)"', version),
            ("node/src/options.js", r"VERSION = '(.+)'", version),
            ("node/package.json", r'"version": "(.+)"', version),
            ("python/carillon/options.py", r'VERSION = "(.+)"', of_python),
            ("java/src/main/java/carillon/client/CarillonClient.java", r'VERSION = "(.+)"', version),
            ("java/pom.xml", r"<artifactId>carillon-client</artifactId>\s+<version>(.+)</version>", version),
            ("java/README.md", r"<artifactId>carillon-client</artifactId>\s+<version>(.+)</version>", version),
            ("swift/README.md", r'exact: "(.+?)"', version),
        ):
            with self.subTest(file=name):
                self.assertEqual(self.constant(CLIENTS / name, declaration), expected)

    def constant(self, file: Path, declaration: str) -> str:
        """Returns the version that `declaration` finds first in a file."""
        found = re.search(declaration, file.read_text("utf-8"))
        if found is None:
            self.fail(f"{file} has no version")
        return found[1]


if __name__ == "__main__":
    sys.exit(unittest.main())
