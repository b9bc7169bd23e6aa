"""Finds functions and properties that a page or a comment gives to a Swift type, and that the type does not have."""
from __future__ import annotations

import re
from pathlib import Path
from typing import Dict, Iterable, Iterator, List, Set, Tuple

from style_rules.page_names import is_about_code
from style_rules.swift_source import closing, without_text

HEAD = re.compile(r"(?<!import )\b(?:struct|enum|class|actor|protocol|extension) +`?(?P<name>[A-Z][\w.]*)`?"
                  r"(?:<[^{>]*>)?(?:\s*:(?P<parents>[^{]*?))?\s*(?:\bwhere\b[^{]*)?\{")
ALIAS = re.compile(r"\btypealias +(\w+)(?:<[^=>]*>)? *= *(?:any +)?([\w.& ]+)")
# The names that a type declares: functions, properties, nested types, and cases.
NAME = re.compile(r"\b(?:func|var|let|struct|enum|class|actor|typealias|associatedtype) +`?(\w+)|\b(init|subscript)\b")
CASES = re.compile(r"(?:^|\{)\s*(?:indirect +)?case +([^:\n]*(?:\([^\n]*\))?[^:\n]*)", re.MULTILINE)
# `Type.name`, perhaps with labels or arguments, and “`name` of `Type`”.
AFTER_TYPE = re.compile(r"`(?:[\w.]+\.)?(?P<type>[A-Z]\w*[a-z]\w*)\.(?P<member>[a-z]\w*)\b[^`\n]*`")
BEFORE_TYPE = re.compile(
    r"`(?P<member>[a-z]\w*)(?:\([^`\n]*\))?` of\s(?:(?:the|an?|each|every)\s)?`(?P<type>[A-Z]\w*[a-z]\w*)`")
# Members that the compiler or the standard library gives, and suffixes of files, as in `Setting.swift`.
GIVEN = {"allCases", "count", "debugDescription", "description", "hash", "hashValue", "init", "isEmpty", "isSubset",
         "rawValue", "self"}
SUFFIXES = {"css", "docc", "html", "java", "js", "json", "md", "resolved", "swift", "yml"}
COMMENT = re.compile(r"(?<![:\"])//+(.*)")


class Members:
    """The names that each type of some Swift files has, with those of the types and protocols that it conforms to.

    What is declared within a function counts too: no name is missed, and a local one is taken for a property."""

    def __init__(self, sources: Iterable[str]) -> None:
        self._names: Dict[str, Set[str]] = {}
        self._parents: Dict[str, Set[str]] = {}
        for source in sources:
            self._read(without_text(source))

    def _read(self, code: str) -> None:
        for found in HEAD.finditer(code):
            body = code[found.end() - 1:closing(code, found.end() - 1, "{}")]
            name = found["name"].rpartition(".")[2]
            names = self._names.setdefault(name, set())
            names.update(first or second for first, second in NAME.findall(body))
            for line in CASES.findall(body):
                names.update(re.findall(r"\w+", line))
            self._parents.setdefault(name, set()).update(re.findall(r"\w+", found["parents"] or ""))
        for name, parents in ALIAS.findall(code):
            self._names.setdefault(name, set())
            self._parents.setdefault(name, set()).update(re.findall(r"\w+", parents))

    def lacks(self, name: str, member: str) -> bool:
        """True if a type with this name is declared, and neither it nor what it conforms to has the member."""
        seen, following = set(), [name]
        if name not in self._names or member in GIVEN:
            return False
        while following:
            each = following.pop()
            if each not in seen:
                seen.add(each)
                if member in self._names.get(each, ()):
                    return False
                following += self._parents.get(each, ())
        return True


def missing(text: str, members: Members) -> Iterator[Tuple[int, str]]:
    """The members that a text gives to a type and that the type lacks; each with its line and what is wrong."""
    for pattern in (AFTER_TYPE, BEFORE_TYPE):
        for found in pattern.finditer(text):
            if found["member"] not in SUFFIXES and members.lacks(found["type"], found["member"]):
                yield text.count("\n", 0, found.start()) + 1, f"{found['type']} has no {found['member']}"


def findings(root: Path, pages: Dict[Path, List[str]], swift: Dict[str, List[str]]) -> Iterator[Tuple[str, int, str]]:
    """The members that pages about the Swift code, and comments of it, give to a type that lacks them; each with a
    path, a line and what is wrong."""
    members = Members("\n".join(lines) for lines in swift.values())
    texts = {path: "\n".join(found[1] if (found := COMMENT.search(line)) else "" for line in lines)
             for path, lines in swift.items()}
    texts.update((str(page.relative_to(root)), "\n".join(lines)) for page, lines in pages.items()
                 if is_about_code(page))
    for path, text in texts.items():
        yield from ((path, *each) for each in missing(text, members))
