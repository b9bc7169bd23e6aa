"""Finds tests of Swift that say badly what is wrong: expectations that join conditions by `&&`, tests with too many
expectations, and suites whose attribute says nothing."""
from __future__ import annotations

import re
from typing import Iterator, List, Tuple

from style_rules.swift_source import closing, split_parameters, without_text

EXPECTATION = re.compile(r"#(?:expect|require)\(")
# The most expectations of a test; one in a loop counts once. More should be one comparison, a table, or more tests.
MAXIMUM_EXPECTATIONS = 12
TEST = re.compile(r"@Test\b")
FUNCTION = re.compile(r"\bfunc (\w+)\s*(?:<[^(]*>)?\(")
PLAIN_SUITE = re.compile(r"@Suite\s+(?:@\w+\s+)*(?:public |package |private |fileprivate |final )*"
                         r"(?:struct|class|actor|enum)\b")


def joins_conditions(condition: str) -> bool:
    """Returns true if a condition has `&&` outside of brackets and closures."""
    depth = 0
    for index, character in enumerate(condition):
        if character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        elif depth == 0 and condition.startswith("&&", index):
            return True
    return False


def joined(source: str, text: str) -> Iterator[Tuple[int, str]]:
    """The lines of the expectations that must be split, each with a text."""
    for found in EXPECTATION.finditer(text):
        arguments: List[str] = split_parameters(text[found.end():closing(text, found.end() - 1, "()") - 1])
        if arguments and joins_conditions(arguments[0]):
            yield source.count("\n", 0, found.start()) + 1, "an expectation has one condition: split it at &&"


def long_tests(source: str, text: str) -> Iterator[Tuple[int, str]]:
    """The lines of the tests that have too many expectations."""
    for attribute in TEST.finditer(text):
        head = FUNCTION.search(text, attribute.end())
        if not head:
            continue
        body = text.find("{", closing(text, head.end() - 1, "()"))
        count = len(re.findall(r"#(?:expect|require)\b", text[body:closing(text, body, "{}")]))
        before = source[source.rfind("\n", 0, source.rfind("\n", 0, attribute.start())) + 1:attribute.start()]
        if count > MAXIMUM_EXPECTATIONS and not re.search(r"//.*style: expectations\W+\w", before):
            text_of_finding = f"{head[1]} has {count} expectations; {MAXIMUM_EXPECTATIONS} are the most"
            yield source.count("\n", 0, head.start()) + 1, text_of_finding


def findings(source: str) -> Iterator[Tuple[int, str]]:
    """The lines that break a rule, each with a text."""
    text = without_text(source)
    yield from joined(source, text)
    yield from long_tests(source, text)
    for suite in PLAIN_SUITE.finditer(text):
        yield source.count("\n", 0, suite.start()) + 1, "a suite has @Suite for its traits or a sentence, else none"
