"""Compares the folders of tests with the folders of the code that they test."""
from __future__ import annotations

from pathlib import PurePosixPath
from typing import Dict, Iterable, Iterator, List, Set, Tuple

from style_rules.modules import folder_of, name_of

# The modules of the targets whose names do not say them: the tests of programs are called after the main types.
MODULES = {
    "APNsSimulatorTests": ("apns-simulator", "CarillonSimulator"),
    "CarillonTests": ("carillon",),
    "CarillonDumpTests": ("carillon-dump",),
    "CarillonHTTP2Tests": ("CarillonHTTP2", "CarillonHTTP2Server"),
    "CarillonLoadTests": ("carillon-load",),
    "CarillondTests": ("carillond",),
    "PushSimulatorTests": ("push-simulator",),
}


def modules_of(target: str) -> Tuple[str, ...]:
    """The names of the modules that a target tests."""
    return MODULES.get(target, (target[:-len("Tests")],))


def folders_of_sources(paths: Iterable[str]) -> Dict[str, Dict[str, Set[str]]]:
    """The folders of each file of Swift within its module, by the module's name and the file's name without `+`."""
    found: Dict[str, Dict[str, Set[str]]] = {}
    for path in map(PurePosixPath, paths):
        folder, name = folder_of(str(path)), path.stem.replace("+", "")
        module = found.setdefault(name_of(str(path)), {})
        module.setdefault(name, set()).add(str(path.parent.relative_to(folder)))
    return found


def findings(paths: Iterable[str]) -> Iterator[Tuple[str, str]]:
    """The files `XTests.swift` that do not stand in the folder of `X.swift` within its module, and what is wrong."""
    swift: List[str] = [path for path in paths if path.endswith(".swift")]
    sources = folders_of_sources(path for path in swift if path.startswith(("Sources/", "Tools/")))
    for path in map(PurePosixPath, swift):
        if path.parts[0] != "Tests" or not path.stem.endswith("Tests"):
            continue
        target = folder_of(str(path))
        modules = modules_of(name_of(str(path)))
        judged = path.stem[:-len("Tests")]
        folders = set().union(*(sources.get(module, {}).get(judged, set()) for module in modules))
        folder = str(path.parent.relative_to(target))
        if folders and folder not in folders:
            places = " or ".join(f"{target}/{each}".removesuffix("/.") for each in sorted(folders))
            yield str(path), f"the file of {judged} is in another folder: the test belongs to {places}"
