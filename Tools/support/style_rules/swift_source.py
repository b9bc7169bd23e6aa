"""Reads Swift source as text: without comments and strings, by brackets."""
from __future__ import annotations

import re
from typing import List, Set


def without_text(source: str) -> str:
    """Swift source whose comments and string literals are blanks, so that braces can be counted.

    The sentences that name tests are words: `a device moves` is _a_device_moves_.
    """
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|(#*)"""(.*?)"""\1|#"(?:.*?)"#|'
                         r'"(?:\\\((?:[^()"]|"[^"]*"|\([^()]*\))*\)|\\.|[^"\\\n])*"|'
                         r"(?P<sentence>`\w[^`\n]* [^`\n]*`)",
                         re.DOTALL)
    return pattern.sub(
        lambda found: re.sub(r"\W", "_", found[0]) if found["sentence"] else re.sub(r"[^\n]", " ", found[0]), source)


def closing(text: str, start: int, pair: str) -> int:
    """The index behind the bracket that closes the one at `start`, or the end of the text."""
    depth = 0
    for found in re.compile("[" + re.escape(pair) + "]").finditer(text, start):
        depth += 1 if found[0] == pair[0] else -1
        if depth == 0:
            return found.end()
    return len(text)


def split_parameters(text: str) -> List[str]:
    """The parameters of a list, split at the commas outside of brackets."""
    parts, depth, last = [], 0, 0
    for index, character in enumerate(text):
        if character in "([{<":
            depth += 1
        elif character in ")]}" or character == ">" and text[index - 1] != "-":
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[last:index])
            last = index + 1
    return [part for part in [*parts, text[last:]] if part.strip()]


HEAD = re.compile(r"\b(?:func\s+(?P<name>\w+|[^\s\w(]+)\s*(?:<[^{(]*>)?|(?P<init>init)[?!]?\s*(?:<[^{(]*>)?|"
                  r"(?P<subscript>subscript)\s*(?:<[^{(]*>)?)\s*\(")


def parameterised_tests(text: str) -> Set[int]:
    """The places of `func` in the tests of a file that get their arguments from a table."""
    places = set()
    before = re.compile(r"(?:\s|@\w+(?:\([^()]*\))?|\b(?:private|fileprivate|static|mutating)\b)*(?=\bfunc\b)")
    for attribute in re.finditer(r"@Test\s*\(", text):
        end = closing(text, attribute.end() - 1, "()")
        function = before.match(text, end)
        if function and re.search(r"\barguments\s*:", text[attribute.end():end]):
            places.add(function.end())
    return places
