"""Finds nested types whose names repeat what the name of the type around them says."""
from __future__ import annotations

import re
from typing import Iterator, List, Tuple

from style_rules.swift_source import closing, without_text

EXEMPT = re.compile(r"style: nested\W+\w")
HEAD = re.compile(r"(?<!import )\b(?P<kind>struct|enum|class|actor|protocol|extension) +`?(?P<name>[A-Z][\w.]*)")
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def repeated_word(name: str, outer: str) -> str:
    """The word that the name of a nested type repeats, or an empty text.

    A name of several words does not begin with a word of the type around it (`LayoutTable.LayoutError`), and no name
    ends with the last word of that type (`Settings.ProxySettings`). A word in between says what the nested type is:
    `SessionTable.Session` is what the table has, and `PoolManager.OpenPool` is not any pool. A plural
    outside of tests is the same word: `Frames.FrameType`."""
    words, outer_words = WORD.findall(name), WORD.findall(outer)
    singulars = {word.removesuffix("s") for word in outer_words if not outer.endswith("Tests")}
    if len(words) > 1 and words[0] in singulars.union(outer_words):
        return words[0]
    return words[-1] if words[-1] == outer_words[-1] else ""


def findings(source: str) -> Iterator[Tuple[int, str]]:
    """The nested types of a Swift file that repeat a word of the type around them; each with its line and what is
    wrong."""
    code, lines = without_text(source), source.splitlines()
    # The types around the place that is read, from the outer to the inner: where each ends, and its name.
    around: List[Tuple[int, str]] = []
    for found in HEAD.finditer(code):
        around = [each for each in around if each[0] > found.start()]
        name = found["name"].rpartition(".")[2]
        word = repeated_word(name, around[-1][1]) if around and found["kind"] != "extension" else ""
        line = code.count("\n", 0, found.start()) + 1
        if word and not any(EXEMPT.search(each) for each in lines[max(0, line - 4):line]):
            yield line, f"{around[-1][1]}.{name} says “{word}” twice"
        around.append((closing(code, found.end(), "{}"), name))
