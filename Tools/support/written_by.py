"""Compares the comments “Written by …” beside a variable with the files of its type that write it."""
from __future__ import annotations

import re
from pathlib import PurePath
from typing import Dict, Iterator, List, NamedTuple, Set, Tuple

from swift_source import without_text

COMMENT = re.compile(r"Written by ([^.]*)")
VARIABLE = re.compile(r"^(?:    (?:///.*|@.*)\n)+    (?:(?:package|private\(set\)) +)*var (?P<name>\w+)\b",
                      re.MULTILINE)
METHOD = re.compile(r"\b(mutating )?func (\w+)")
# Methods of the standard library that write.
LIBRARY = {"append", "formUnion", "insert", "remove", "removeAll", "removeLast"}
# Methods of MessageQueues that are mutating only to read a value in place.
READS = {"context", "floor", "hasBlocks", "isDone", "terms"}
# The name of the file of the type itself in a set of extensions.
ITSELF = "this file"


class Variable(NamedTuple):
    """A variable with a comment that names its writers."""

    line: int
    name: str
    writers: Set[str]


def variables(lines: List[str]) -> Iterator[Variable]:
    """The variables of a file whose comment names the extensions that write them."""
    source = "\n".join(lines)
    for found in VARIABLE.finditer(source):
        comment = re.sub(r"\s*///\s*", " ", found[0])
        written = COMMENT.search(comment)
        named = set(re.findall(r"`\+(\w+)`", written[1])) if written else set()
        if written and named:
            own = {ITSELF} if ITSELF in written[1] else set()
            yield Variable(source.count("\n", 0, found.end()) + 1, found["name"], named | own)


def writes(code: str, name: str, mutating: Set[str], is_own: bool) -> bool:
    """True if code assigns a variable or a part of it, passes it on as `inout`, or calls a method that changes it.

    - `is_own`: the code is the file of the type: an assignment of the whole variable may be that of the initializer.
    """
    path = rf"(?<![\w.])(?:self\.)?{name}(?P<path>(?:\[[^\]]*\]|\?|\.\w+(?!\w|\())*)"
    if re.search(rf"&(?:self\.)?{name}\b", code):
        return True
    for found in re.finditer(path + r"(?:\s*(?:&?[-+*/|])?=(?![=])|\.(?P<method>\w+)(?=\s*[({]))", code):
        before = code[code.rfind("\n", 0, found.start()) + 1:found.start()]
        if found["method"]:
            if found["method"] in mutating:
                return True
        elif re.search(r"\b(?:let|var)\s+[(\w, ]*$", before) or re.match(rf"\s*{name}\b", code[found.end():]):
            continue  # another variable of that name: a declaration, or `self.name = name` in an initializer
        elif found["path"] or not is_own:
            return True
    return False


def mutating_methods(files: Dict[str, List[str]], folder: str) -> Set[str]:
    """The names of methods that change their value. What the module in a folder says of a name counts more than what
    others say."""
    everywhere, here, plain_here = set(LIBRARY), set(), set()
    for path, lines in files.items():
        for is_mutating, name in METHOD.findall("\n".join(lines)) if path.startswith("Sources/") else ():
            if is_mutating:
                everywhere.add(name)
            if path.startswith(folder):
                (here if is_mutating else plain_here).add(name)
    return everywhere - (plain_here - here) - READS


def findings(files: Dict[str, List[str]]) -> Iterator[Tuple[str, int, str]]:
    """Finds comments that name a file which does not write the variable, or that leave one out that does."""
    commented = {path: found for path, lines in files.items()
                 if path.startswith("Sources/") and (found := list(variables(lines)))}
    for path, found in commented.items():
        own = PurePath(path)
        mutating = mutating_methods(files, "/".join(own.parts[:2]) + "/")
        code = {PurePath(each).stem.partition("+")[2] or ITSELF: without_text("\n".join(lines))
                for each, lines in files.items() if PurePath(each).parent == own.parent
                and PurePath(each).stem.partition("+")[0] == own.stem}
        for each in found:
            writers = {name for name, text in code.items() if writes(text, each.name, mutating, name == ITSELF)}
            for name in sorted(writers ^ each.writers):
                text = "writes it, and the comment does not say so" if name in writers else "does not write it"
                yield path, each.line, f"{each.name}: {name} {text}"
