"""Compares the folders of tests with the folders of the code that they test."""
from __future__ import annotations

from pathlib import PurePosixPath
from typing import Dict, Iterable, Iterator, List, Set, Tuple

# The modules of the targets whose names do not say them: the tests of programs are called after the main types.
MODULES = {
    "APNsSimulatorTests": (
        "Tools/apns-simulator", "Tools/libraries/CarillonSimulator", "Sources/CarillonSimulatorControl"),
    "CarillonTests": ("Sources/carillon",),
    "CarillonDumpTests": ("Sources/carillon-dump",),
    "CarillonHTTP2Tests": ("Sources/CarillonHTTP2", "Tools/libraries/CarillonHTTP2Server"),
    "CarillonLoadTests": ("Sources/carillon-load",),
    "CarillondTests": ("Sources/carillond",),
    "PushSimulatorTests": ("Tools/push-simulator",),
}


def modules_of(target: str) -> Tuple[str, ...]:
    """The folders of the modules that a target tests."""
    return MODULES.get(target, (f"Sources/{target[:-len('Tests')]}",))


def folders_of_sources(paths: Iterable[str]) -> Dict[str, Dict[str, Set[str]]]:
    """The folders of each file of Swift within its module, by the module's path and the file's name without `+`."""
    found: Dict[str, Dict[str, Set[str]]] = {}
    for path in map(PurePosixPath, paths):
        module = "/".join(path.parts[:3 if path.parts[:2] == ("Tools", "libraries") else 2])
        name = path.stem.replace("+", "")
        found.setdefault(module, {}).setdefault(name, set()).add(str(path.parent.relative_to(module)))
    return found


def findings(paths: Iterable[str]) -> Iterator[Tuple[str, str]]:
    """The files `XTests.swift` that do not stand in the folder of `X.swift` within its module, and what is wrong."""
    swift: List[str] = [path for path in paths if path.endswith(".swift")]
    sources = folders_of_sources(path for path in swift if path.startswith(("Sources/", "Tools/")))
    for path in map(PurePosixPath, swift):
        if path.parts[0] != "Tests" or not path.stem.endswith("Tests"):
            continue
        target = path.parts[1]
        modules = modules_of(target)
        judged = path.stem[:-len("Tests")]
        folders = set().union(*(sources.get(module, {}).get(judged, set()) for module in modules))
        folder = str(path.parent.relative_to(f"Tests/{target}"))
        if folders and folder not in folders:
            places = " or ".join(f"Tests/{target}/{each}".removesuffix("/.") for each in sorted(folders))
            yield str(path), f"the file of {judged} is in another folder: the test belongs to {places}"
