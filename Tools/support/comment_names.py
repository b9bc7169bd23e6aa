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
TEXT = re.compile(r'"[^"\n]*"')
# Names of Apple's, Google's and browsers' interfaces.
FOREIGN = {"ActivityAttributes", "AndroidConfig", "PushMagic", "toJSON"}


def words_of_code(source: str, code: str) -> Set[str]:
    """The words of a Swift file that are in its code or in its strings.

    `code` is the source with blanks in place of comments and strings."""
    return {*WORD.findall(code), *WORD.findall(" ".join(TEXT.findall(source)))}


def findings(sources: Dict[str, List[str]], known: Set[str]) -> Iterator[Tuple[str, int, str]]:
    """The names in the comments of Swift files, by path, that are not among the known words."""
    for path, lines in sources.items():
        for number, line in enumerate(lines, 1):
            comment = COMMENT.search(line)
            for name in NAME.findall(comment[1]) if comment else ():
                if COMPOUND.search(name) and name not in known and name not in FOREIGN:
                    yield path, number, name
