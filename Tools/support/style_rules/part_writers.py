"""Finds extensions in other files that assign a variable of a large type, of which only its own file may."""
from __future__ import annotations

import re
from pathlib import PurePath
from typing import Dict, Iterator, List, Set, Tuple

from style_rules.modules import folder_of
from style_rules.swift_source import without_text

# A type with at least this many files of extensions is large. The extensions call functions of its parts.
MINIMUM_EXTENSIONS = 5
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
    """Finds the assignments of the extensions of large types."""
    extensions: Dict[Tuple[str, str], List[str]] = {}
    for path in files:
        stem, plus, _ = PurePath(path).stem.partition("+")
        if plus and path.startswith("Sources/"):
            extensions.setdefault((folder_of(path), stem), []).append(path)
    for path, lines in files.items():
        stem = PurePath(path).stem
        others = extensions.get((folder_of(path), stem), [])
        names = variables(lines) if len(others) >= MINIMUM_EXTENSIONS else set()
        for other in others if names else ():
            for number, name in assignments(without_text("\n".join(files[other])), names):
                yield other, number, f"assigns {name} of {stem}, whose extensions assign no variable"
