"""Finds folders of Swift that no target of Package.swift has: their files are never compiled."""
from __future__ import annotations

import re
from typing import Iterable, Iterator, Set, Tuple

# How Package.swift names the targets of tests, and those of other code.
TESTS = re.compile(r'\btests\(\s*"([\w-]+)"')
TEST_TARGET = re.compile(r'\.testTarget\(\s*name: "([\w-]+)"')
SOURCES = re.compile(r'(?:\b(?:library|program)|\.(?:target|executableTarget|systemLibrary))\(\s*'
                     r'(?:name: )?"([\w-]+)"')
PATH = re.compile(r'\bpath: "([\w/-]+)"')


def folders(package: str) -> Set[str]:
    """The folders of the targets of a manifest that are below Sources and Tests."""
    return {*PATH.findall(package), *(f"Tests/{name}Tests" for name in TESTS.findall(package)),
            *(f"Tests/{name}" for name in TEST_TARGET.findall(package)),
            *(f"Sources/{name}" for name in SOURCES.findall(package))}


def findings(paths: Iterable[str], package: str) -> Iterator[Tuple[str, str]]:
    """The folders below Sources and Tests that have Swift files and no target, and what is wrong."""
    used = {"/".join(path.split("/")[:2]) for path in paths if path.startswith(("Sources/", "Tests/"))}
    for folder in sorted(used - folders(package)):
        yield folder, "no target of Package.swift has this folder"
