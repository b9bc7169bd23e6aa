"""Finds long types that no test is named for, and suites that are named for no type, if the list of the other tests
lacks them."""
from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Dict, Iterator, List, Set, Tuple

# A file of at least this many lines has a test of its name, or is in the list.
MINIMUM_LINES = 100
LIST = "Tests/tested-types.txt"
# Four blanks: the line continues the one above.
CONTINUATION = re.compile(r"\n {4,}")
SUITE = re.compile(r"\b\w+Tests\b")
# `EngineXTests` in the list: every suite whose name begins with `Engine`.
FAMILY = re.compile(r"\b(\w+)XTests\b")
TYPE = re.compile(r"\b(?:struct|enum|class|actor|protocol) +(\w+)")
# The targets whose suites are stories, or the tests of a program of Tools.
OTHER_TARGETS = {"ScenarioTests", "APNsSimulatorTests", "PushSimulatorTests"}
# The beginning of the suites of extensions: `WriteContext+Outcomes.swift` has `WriteContextOutcomesTests`, in its folder.
PREFIXES = {"WriteContext": "Registry", "LMDBRegistry": "Registry"}
PLURAL = re.compile(r"(?:(?<=sh)es|s)$")


def entries(text: str) -> Iterator[Tuple[str, List[str], str]]:
    """The lines of the list: the module, its types, and their tests in words. A module stands above its lines."""
    module = ""
    for line in CONTINUATION.sub(" ", text).splitlines():
        if line.startswith("  "):
            types, _, tests = line.strip().partition(": ")
            yield module, types.split(", "), tests
        elif not line.startswith("#"):
            module = line


def extension_findings(
        sources: List[PurePosixPath], paths: List[PurePosixPath], text: str) -> Iterator[Tuple[str, int, str]]:
    """The extensions without a suite of their name in their folder, and that no line of the list names as `+X`."""
    suites = {(path.stem, path.parts[2:-1]) for path in paths if path.parts[0] == "Tests"}
    named = set(re.findall(r"\+(\w+)", text))
    for path in sources:
        extended, _, name = path.stem.partition("+")
        if not name or extended not in PREFIXES or name in named:
            continue
        suite = f"{PREFIXES[extended]}{PLURAL.sub('', name)}Tests"
        if (suite, path.parts[2:-1]) not in suites:
            yield str(path), 1, f"there is no {suite} in its folder, and {LIST} does not say what tests +{name}"


def begins_with_type(suite: str, types: Set[str]) -> bool:
    """Returns true for `PushPoolGrowthTests` if there is a type `PushPool`."""
    ends = [index for index in range(1, len(suite)) if suite[index].isupper()]
    return any(suite[:end] in types for end in ends)


def suite_findings(
        files: Dict[str, List[str]], paths: List[PurePosixPath], text: str) -> Iterator[Tuple[str, int, str]]:
    """The suites that are named for no type, and that the list lacks."""
    types = {name for path, lines in files.items() if not path.startswith("Tests/")
             for line in lines for name in TYPE.findall(line.partition("//")[0])}
    types |= {path.stem.replace("+", "") for path in paths if path.parts[0] != "Tests"}
    listed, families = set(SUITE.findall(text)), [*FAMILY.findall(text), *PREFIXES.values()]
    for path in paths:
        suite = path.stem
        if path.parts[0] != "Tests" or path.parts[1] in OTHER_TARGETS or not suite.endswith("Tests"):
            continue
        if not (begins_with_type(suite, types) or suite in listed or suite.startswith(tuple(families))):
            yield str(path), 1, f"no type has the name of {suite}, and {LIST} does not say what it tests"


def findings(files: Dict[str, List[str]], text: str) -> Iterator[Tuple[str, int, str]]:
    """The files of `Sources` that are long and neither have an `XTests.swift` nor stand in the list, and the names of
    the list that no file has; each with a path, a line and what is wrong."""
    listed = list(entries(text))
    named = {(module, name) for module, types, _ in listed for name in types}
    paths = [PurePosixPath(path) for path in files]
    tests = {path.stem for path in paths if path.parts[0] == "Tests"}
    targets = {path.parts[1] for path in paths if path.parts[0] == "Tests"}
    sources = [path for path in paths if path.parts[0] == "Sources" and len(path.parts) > 2]
    for path in sources:
        if len(files[str(path)]) < MINIMUM_LINES or "+" in path.stem or "Generated" in path.parts:
            continue
        if f"{path.stem}Tests" not in tests and (path.parts[1], path.stem) not in named:
            yield str(path), 1, f"there is no {path.stem}Tests, and {LIST} does not say what tests the type"
    yield from extension_findings(sources, paths, text)
    yield from suite_findings(files, paths, text)
    for module, name in sorted(named - {(path.parts[1], path.stem) for path in sources}):
        yield LIST, 1, f"{module} has no file {name}.swift"
    found = {suite for _, _, words in listed for suite in SUITE.findall(words) if not FAMILY.fullmatch(suite)}
    for suite in sorted(found - tests - targets):
        yield LIST, 1, f"there is no suite {suite}"
