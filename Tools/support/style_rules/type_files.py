"""Finds types that stand in the file of another one."""
from __future__ import annotations

import re
from typing import Dict, Iterator, List, NamedTuple, Set, Tuple

from style_rules.modules import name_of
from style_rules.swift_source import closing, without_text

# A type of at most this many lines may stand beside the one that it belongs to.
MAXIMUM_LINES = 40
EXEMPT = "style: file"
# The files of operations have the request and the answer of one operation.
OPERATIONS = "Sources/Domain/CarillonWire/Operations/"
# The file of a table of the database has the row of the table too: MembershipTable and MembershipRecord.
TABLE_ROW = re.compile(r"/Tables/.*Table\.swift (?:\w+Record)$")
WORDS = r"(?:(?:public|package|internal|final|indirect|nonisolated) +)*"
DECLARATION = re.compile(rf"^(?P<before>(?:@\w+(?:\([^()\n]*\))?\s+)*{WORDS})"
                         r"(?:struct|enum|class|actor|protocol) +(?P<name>\w+)[^{;]*", re.MULTILINE)
IMPORT = re.compile(r"^(?:@\w+(?:\([^()]*\))? +)*(?:\w+ +)?import +(?:(?:struct|class|enum|protocol|func) +)?(\w+)",
                    re.MULTILINE)


class Type(NamedTuple):
    """A type at the top of a file that other files can use."""

    path: str
    name: str
    line: int
    lines: int
    is_exempt: bool
    is_exported: bool


def types(path: str, source: str) -> Iterator[Type]:
    """The types at the top of a file, without private ones."""
    code, lines = without_text(source), source.splitlines()
    for found in DECLARATION.finditer(code):
        end = closing(code, found.end(), "{}")
        first, last = (code.count("\n", 0, place) + 1 for place in (found.start(), end))
        before = "\n".join(lines[max(0, first - 4):first])
        yield Type(path, found["name"], first, last - first + 1, EXEMPT in before,
                   bool(re.search(r"public|package", found["before"])))


def findings(files: Dict[str, List[str]]) -> Iterator[Tuple[str, int, str]]:
    """The types of more than 40 lines that another file of Sources or Tools uses, and that stand in a file with another
    name; each with its path, its line and what is wrong."""
    words: Dict[str, Set[str]] = {}
    imports: Dict[str, Set[str]] = {}
    found: List[Type] = []
    for path, lines in files.items():
        if path.startswith(("Sources/", "Tools/")) and "/Generated/" not in path:
            source = "\n".join(lines)
            words[path] = set(re.findall(r"\w+", without_text(source)))
            imports[path] = set(IMPORT.findall(source))
            found += types(path, source)
    for each in found:
        has_own_file = each.path.endswith(f"/{each.name}.swift") or each.path.startswith(OPERATIONS) \
            or TABLE_ROW.search(f"{each.path} {each.name}")
        if has_own_file or each.lines <= MAXIMUM_LINES or each.is_exempt:
            continue
        home = name_of(each.path)
        if any(path != each.path and each.name in words[path]
               and (name_of(path) == home or each.is_exported and home in imports[path]) for path in words):
            yield each.path, each.line, f"{each.name}, {each.lines} lines, is used by another file: it has its own file"
