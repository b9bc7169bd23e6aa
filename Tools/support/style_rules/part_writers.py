"""Finds extensions in other files that assign a variable of a large type, of which only its own file may."""
from __future__ import annotations

import re
from pathlib import PurePath
from typing import Dict, Iterator, List, Set, Tuple

from style_rules.modules import folder_of
from style_rules.swift_source import without_text

# Types of many files: their extensions call functions of their parts.
TYPES = {"ClientSession", "ClusterNode", "DeliveryEngine", "RequestDispatcher", "ServerSession", "Writer"}
VARIABLE = re.compile(r"^    (?:(?:package|private\(set\)) +)*var (\w+)\b[^{\n]*$", re.MULTILINE)
# A name of a variable is declared here, so it is another one.
DECLARATION = re.compile(r"\b(?:let|var)\s+[(\w, ]*$")


def variables(lines: List[str]) -> Set[str]:
    """The stored variables of the type of a file."""
    return set(VARIABLE.findall("\n".join(lines)))


def assignments(code: str, names: Set[str]) -> Iterator[Tuple[int, str]]:
    """The lines that assign one of the variables or a part of it, with the name of the variable."""
    name = "|".join(sorted(names))
    path = rf"(?<![\w.])(?:self\.|engine\.)?({name})(?:\[[^\]]*\]|\?|\.\w+(?!\w|\())*\s*(?:&?[-+*/|])?=(?!=)"
    for number, line in enumerate(code.split("\n"), 1):
        for found in re.finditer(path, line):
            # `self.name = name` is in the initializer of a nested type.
            is_initializer = found[0].startswith("self.") and re.match(rf"\s*{found[1]}\b", line[found.end():])
            if not is_initializer and not DECLARATION.search(line[:found.start()]):
                yield number, found[1]


def findings(files: Dict[str, List[str]]) -> Iterator[Tuple[str, int, str]]:
    """Finds the assignments of the extensions of these types."""
    for path, lines in files.items():
        module, stem = folder_of(path), PurePath(path).stem
        names = variables(lines) if path.startswith("Sources/") and stem in TYPES else set()
        if not names:
            continue
        for other, code in files.items():
            if folder_of(other) == module and PurePath(other).stem.startswith(stem + "+"):
                for number, name in assignments(without_text("\n".join(code)), names):
                    yield other, number, f"assigns {name} of {stem}, whose extensions assign no variable"
