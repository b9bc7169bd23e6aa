"""Finds types that stand in the file of another one."""
from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Dict, Iterator, List, NamedTuple, Set, Tuple

from style_rules.modules import name_of
from style_rules.swift_source import closing, without_text

# A type of at most this many lines may stand beside the one that it belongs to, if few files of other folders use it.
MAXIMUM_LINES = 40
MAXIMUM_USERS = 2
EXEMPT = "style: file"
# The files of operations have the request and the answer of one operation.
OPERATIONS = "Sources/Domain/CarillonWire/Operations/"
# The file of a table of the database has the row of the table too: MembershipTable and MembershipRecord.
TABLE = re.compile(r"/Tables/.*/(\w+)Table\.swift (?:\w+(?:Record|Row)|\1)$")
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
    """The types that stand in a file with another name, although they have more than 40 lines and another file of
    Sources or Tools uses them, or although three files of other folders do; each with its path, its line and what is
    wrong. The files of operations and of tables are exempt, and so is a type with the comment `style: file`."""
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
        if each.path.endswith(f"/{each.name}.swift") or each.path.startswith(OPERATIONS) or each.is_exempt \
                or TABLE.search(f"{each.path} {each.name}"):
            continue
        home, folder = name_of(each.path), PurePosixPath(each.path).parent
        users = [path for path in words if path != each.path and each.name in words[path]
                 and (name_of(path) == home or each.is_exported and home.replace("-", "_") in imports[path])]
        foreign = [path for path in users if PurePosixPath(path).parent != folder]
        if users and each.lines > MAXIMUM_LINES:
            yield each.path, each.line, f"{each.name}, {each.lines} lines, is used by another file: it has its own file"
        elif len(foreign) > MAXIMUM_USERS:
            yield each.path, each.line, f"{each.name} is used by {len(foreign)} files of other folders: it has its own"
