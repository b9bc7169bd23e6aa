"""Finds folders of Swift that no target of Package.swift has: their files are never compiled."""
from __future__ import annotations

import re
from typing import Iterable, Iterator, Set, Tuple

from style_rules.modules import folder_of

# How Package.swift names its targets. The functions of the manifest have the layer, which is a folder.
TESTS = re.compile(r'\btests\(\s*"([\w-]+)", in: \.(\w+)')
TEST_TARGET = re.compile(r'\.testTarget\(\s*name: "([\w-]+)"')
TEST_KIT = re.compile(r'\btestKit\(\s*"([\w-]+)"')
SOURCES = re.compile(r'\b(?:library|program|systemLibrary)\(\s*"([\w-]+)", in: \.(\w+)')
PATH = re.compile(r'\bpath: "([\w/-]+)"')


def folders(package: str) -> Set[str]:
    """The folders of the targets of a manifest that are below Sources and Tests."""
    return {*PATH.findall(package),
            *(f"Tests/{layer.capitalize()}/{name}Tests" for name, layer in TESTS.findall(package)),
            *(f"Tests/{name}" for name in TEST_TARGET.findall(package)),
            *(f"Tests/Kits/{name}" for name in TEST_KIT.findall(package)),
            *(f"Sources/{layer.capitalize()}/{name}" for name, layer in SOURCES.findall(package))}


def findings(paths: Iterable[str], package: str) -> Iterator[Tuple[str, str]]:
    """The folders below Sources and Tests that have Swift files and no target, and what is wrong."""
    used = {folder_of(path) for path in paths if path.startswith(("Sources/", "Tests/"))}
    for folder in sorted(used - folders(package)):
        yield folder, "no target of Package.swift has this folder"
