"""Finds names in comments of Swift files that no code has."""
from __future__ import annotations

import re
from typing import Dict, Iterator, List, Set, Tuple

# A name in backquotes, with the type before it and the labels of a function behind it: `Link.close(_:)`.
NAME = re.compile(r"`+(?:\w+\.)*(\w+)(?:\([\w:]*\))?`+")
COMMENT = re.compile(r"(?<![:\"])//+(.*)")
# Two words in one: a single word is too often a key, a value or a command.
COMPOUND = re.compile(r"[a-z][A-Z]")
WORD = re.compile(r"\w+")
# A single word that a comment calls: it must be a function or a closure of the type, unless "of" names another type.
CALLED = re.compile(r"\b(?:[Cc]all(?:s|ed|ing)?(?: of| by| (?:it|them) through)?|[Uu]ntil)"
                    r" `+([a-z]+)(?:\([\w:]*\))?`+(?! of\b)")
TEXT = re.compile(r'"[^"\n]*"')
# Names of Apple's, Google's and browsers' interfaces.
FOREIGN = {"ActivityAttributes", "AndroidConfig", "PushMagic", "toJSON"}


def words_of_code(source: str, code: str) -> Set[str]:
    """The words of a Swift file that are in its code or in its strings.

    `code` is the source with blanks in place of comments and strings."""
    return {*WORD.findall(code), *WORD.findall(" ".join(TEXT.findall(source)))}


def type_of(path: str) -> str:
    """The path of the type that a Swift file, or an extension in it, belongs to."""
    return path.removesuffix(".swift").partition("+")[0]


def uncalled(types: Dict[str, str], path: str, comment: str) -> Iterator[str]:
    """The single words that a comment calls, and that the files of its type neither declare nor use as a call."""
    for name in CALLED.findall(comment):
        use = re.compile(rf"(?<![.\w]){name}(?:[?!]?\(|[:<]| [{{=])|\.{name}[?!]?\(")
        if not use.search(types[type_of(path)]):
            yield name


def findings(sources: Dict[str, List[str]], known: Set[str]) -> Iterator[Tuple[str, int, str]]:
    """The names in the comments of Swift files, by path, that are not among the known words."""
    types: Dict[str, str] = {}
    for path, lines in sources.items():
        code = "\n".join(COMMENT.sub("", line) for line in lines)
        types[type_of(path)] = types.get(type_of(path), "") + code
    for path, lines in sources.items():
        for number, line in enumerate(lines, 1):
            comment = COMMENT.search(line)
            for name in NAME.findall(comment[1]) if comment else ():
                if COMPOUND.search(name) and name not in known and name not in FOREIGN:
                    yield path, number, name
            for name in uncalled(types, path, comment[1]) if comment else ():
                yield path, number, name
