"""Finds tests of Swift that say badly what is wrong: names that are no sentences, expectations with more than one
condition, tests with too many expectations, and suites whose attribute says nothing."""
from __future__ import annotations

import re
from typing import Iterator, List, Tuple

from style_rules.swift_source import closing, split_parameters, without_text

EXPECTATION = re.compile(r"#(?:expect|require)\(")
# The most expectations of a test; one in a loop counts once. More should be one comparison, a table, or more tests.
MAXIMUM_EXPECTATIONS = 12
TEST = re.compile(r"@Test\b")
FUNCTION = re.compile(r"\bfunc (\w+)\s*(?:<[^(]*>)?\(")
# A name in camel case; a sentence is in backquotes: `a device moves`.
CAMEL_CASE = re.compile(r"(?:\s|@\w+|\w+\s)*?\bfunc `?(\w+)")
# `isDue ? a : b` as a condition. A type such as `Int?` has no space before its question mark.
CHOICE = re.compile(r"\s\?\s")
# `(a == b) == (c == d)`
COMPARISON = r"\((?:[^()]|\([^()]*\))*(?:==|!=| < | > | <= | >= )(?:[^()]|\([^()]*\))*\)"
COMPARED_COMPARISONS = re.compile(rf"\s*{COMPARISON}\s*[=!]=\s*{COMPARISON}")
PLAIN_SUITE = re.compile(r"@Suite\s+(?:@\w+\s+)*(?:public |package |private |fileprivate |final )*"
                         r"(?:struct|class|actor|enum)\b")


def outside(condition: str, brackets: str) -> str:
    """A condition without what is in such brackets: `a { b } c` without `{}` is `a  c`."""
    depth, found = 0, []
    for character in condition:
        if character in brackets[0::2]:
            depth += 1
        elif character in brackets[1::2]:
            depth -= 1
        elif depth == 0:
            found.append(character)
    return "".join(found)


def fault(condition: str) -> str:
    """What is wrong with the condition of an expectation; empty if it is one condition that a failure shows whole."""
    if "&&" in condition:
        return "an expectation has one condition: split it at &&"
    if "||" in outside(condition, "{}"):
        return "an expectation that one of two conditions holds is too weak: say when which holds"
    if CHOICE.search(outside(condition, "{}()[]")):
        return "an expectation has one condition: choose before it, by `if` or a column of the table"
    if COMPARED_COMPARISONS.match(condition):
        return "a failure shows true and false only: name a comparison before it is compared with another"
    return ""


def joined(source: str, text: str) -> Iterator[Tuple[int, str]]:
    """The lines of the expectations that must be split, each with a text."""
    for found in EXPECTATION.finditer(text):
        arguments: List[str] = split_parameters(text[found.end():closing(text, found.end() - 1, "()") - 1])
        if arguments and (text_of_fault := fault(arguments[0])):
            yield source.count("\n", 0, found.start()) + 1, text_of_fault


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


def camel_case(text: str) -> Iterator[Tuple[int, str]]:
    """The lines of the tests whose name is no sentence, each with a text."""
    for attribute in TEST.finditer(text):
        end = closing(text, attribute.end(), "()") if text.startswith("(", attribute.end()) else attribute.end()
        head = CAMEL_CASE.match(text, end)
        if head and not head[1].startswith("_"):
            yield text.count("\n", 0, head.end()) + 1, f"{head[1]} is the name of a test: write it as `a sentence`"


def findings(source: str) -> Iterator[Tuple[int, str]]:
    """The lines that break a rule, each with a text."""
    text = without_text(source)
    yield from joined(source, text)
    yield from long_tests(source, text)
    yield from camel_case(text)
    for suite in PLAIN_SUITE.finditer(text):
        yield source.count("\n", 0, suite.start()) + 1, "a suite has @Suite for its traits or a sentence, else none"
