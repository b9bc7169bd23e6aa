"""Finds imports of modules of which a file of Swift uses no name.

A module of the project counts as used if the file has any word that the module declares, of whatever kind. So an import
that is found is certainly not needed; one that is not found may be. Of other modules, only those are judged whose names
are few.
"""
from __future__ import annotations

import re
from typing import Dict, Iterator, List, Set, Tuple

from style_rules.modules import name_of
from style_rules.swift_source import without_text

IMPORT = re.compile(r"^(?P<before>(?:@\w+(?:\(\w+\))? +)*)(?:(?:public|package|internal|private) +)?"
                    r"import +(?P<name>\w+)$", re.MULTILINE)
DECLARATION = re.compile(r"\b(?:func|var|let|case|struct|class|enum|protocol|actor|typealias|associatedtype)\s+`?(\w+)")
CASES = re.compile(r"\bcase\s+([^\n:{]*)")
INITIALIZER = re.compile(r"\binit[?!]?\s*(?:<[^>]*>)?\(([^)]*)\)")
OPERATOR = re.compile(r"\bfunc\s+([^\w\s(]+)\s*[(<]")
# The names of modules that the project does not have.
OTHERS = {
    "DequeModule": re.compile(r"\bDeque\b|\bpopFirst\b|\bprepend\b"),
    "Synchronization": re.compile(r"\b(?:Mutex|Atomic\w*|withLock\w*|load|store|exchange|compareExchange|wrappingAdd|"
                                  r"add|ordering)\b"),
    "Testing": re.compile(r"@Test\b|@Suite\b|#expect|#require|CustomTestString|Trait\b|\bconfirmation\b|"
                          r"\b(?:Test|Issue|SourceLocation|Confirmation)\w*"),
}


def module(path: str) -> str:
    """The module of a file, as an import names it."""
    return name_of(path).replace("-", "_")


def declared(source: str) -> Set[str]:
    """The words that a file declares: names, cases, labels of initialisers, operators."""
    code = without_text(source)
    words = {*DECLARATION.findall(code), *OPERATOR.findall(code)}
    for text in CASES.findall(code):
        words.update(re.findall(r"\w+", text))
    for text in INITIALIZER.findall(code):
        words.update(re.findall(r"(\w+)(?=\s*\w*\s*:)", text))
    return words


def uses(text: str, words: Set[str], names: Set[str]) -> bool:
    """Whether a file uses one of the names of a module; `words` are the words of its text."""
    return bool(words & names) or any(not re.match(r"\w", name) and name in text for name in names)


def findings(files: Dict[str, List[str]]) -> Iterator[Tuple[str, int, str]]:
    """The imports that no name in the file needs; each with its path, its line and what is wrong."""
    sources = {path: "\n".join(lines) for path, lines in files.items()
               if path.startswith(("Sources/", "Tests/", "Tools/")) and "/Generated/" not in path}
    names: Dict[str, Set[str]] = {}
    exports: Dict[str, Set[str]] = {}
    for path, source in sources.items():
        names.setdefault(module(path), set()).update(declared(source))
        exports.setdefault(module(path), set()).update(
            found["name"] for found in IMPORT.finditer(source) if "@_exported" in found["before"])
    for path, source in sources.items():
        text = re.sub(r"//[^\n]*", "", IMPORT.sub("", source))
        words = set(re.findall(r"\w+", text))
        for found in IMPORT.finditer(source):
            name = found["name"]
            if "@_exported" in found["before"]:
                continue
            if name in OTHERS:
                is_used = bool(OTHERS[name].search(text))
            elif name in names:
                is_used = any(uses(text, words, names[each]) for each in {name, *exports[name]} if each in names)
            else:
                continue
            if not is_used:
                yield path, source.count("\n", 0, found.start()) + 1, f"no name of {name} is used"
