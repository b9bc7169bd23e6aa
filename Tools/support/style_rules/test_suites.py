"""Compares the suites of a file of Swift tests with its name, by which `swift test --filter` finds them."""
from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Dict, Iterator, List, Tuple

from style_rules.swift_source import without_text

# A type that stands at the beginning of a line, in or behind its attributes.
SUITE = re.compile(r"^(?![ \n]).*?\b(?:struct|class|actor|enum) (\w+Tests)\b", re.MULTILINE)


def findings(swift: Dict[str, List[str]]) -> Iterator[Tuple[str, int, str]]:
    """The files of tests that have another suite than that of their name, or more: path, line and text."""
    for path, lines in swift.items():
        name = PurePosixPath(path).stem
        if not path.startswith("Tests/") or not name.endswith("Tests"):
            continue
        suites = SUITE.findall(without_text("\n".join(lines)))
        if suites != [name]:
            yield path, 1, f"the file has one suite, {name}: it has {', '.join(suites) or 'none'}"
