"""Finds long types that no test is named for, and that no row of Tests/README.md has."""
from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Dict, Iterator, List, Set, Tuple

# A file of at least this many lines has a test of its name, or a row.
LINES = 100
PAGE = "Tests/README.md"
HEADING = "## Where a type is tested"
CODE = re.compile(r"`([^`]+)`")


def rows(page: List[str]) -> Dict[str, Set[str]]:
    """The types that the table names for each module: the first column is "`Module`: words, `Type`, `Type`"."""
    found: Dict[str, Set[str]] = {}
    lines = iter(page)
    for line in lines:
        if line == HEADING:
            break
    for line in lines:
        if line.startswith("#"):
            break
        if line.startswith("| `"):
            module, *types = CODE.findall(line.split("|")[1])
            found.setdefault(module, set()).update(types)
    return found


def findings(files: Dict[str, List[str]], page: List[str]) -> Iterator[Tuple[str, int, str]]:
    """The files of `Sources` that are long and neither have an `XTests.swift` nor a row, and the types of rows that no
    file of their module has; each with a path, a line and what is wrong."""
    named = rows(page)
    paths = [PurePosixPath(path) for path in files]
    tests = {path.stem for path in paths if path.parts[0] == "Tests"}
    sources = [path for path in paths if path.parts[0] == "Sources" and len(path.parts) > 2]
    for path in sources:
        if len(files[str(path)]) < LINES or "+" in path.stem or "Generated" in path.parts:
            continue
        if f"{path.stem}Tests" not in tests and path.stem not in named.get(path.parts[1], ()):
            yield str(path), 1, f"there is no {path.stem}Tests, and no row of {PAGE} names the type"
    for module, types in named.items():
        known = {path.stem for path in sources if path.parts[1] == module}
        for name in sorted(types - known):
            yield PAGE, 1, f"{module} has no file {name}.swift: the row says where nothing is tested"
