"""Compares the suites of a file of tests with its name, by which `swift test --filter` finds those of Swift."""
from __future__ import annotations

import ast
import re
from pathlib import PurePosixPath
from typing import Dict, Iterable, Iterator, List, Tuple

from style_rules.swift_source import without_text

# A type that stands at the beginning of a line, in or behind its attributes.
SUITE = re.compile(r"^(?![ \n]).*?\b(?:struct|class|actor|enum) (\w+Tests)\b", re.MULTILINE)


def findings(swift: Dict[str, List[str]]) -> Iterator[Tuple[str, int, str]]:
    """The files of tests that have another suite than that of their name, or more: path, line and text."""
    for path, lines in swift.items():
        name = PurePosixPath(path).stem
        if not path.startswith("Tests/") or not name.endswith("Tests"):
            continue
        suites = SUITE.findall(without_text("\n".join(lines)))
        if suites != [name]:
            yield path, 1, f"the file has one suite, {name}: it has {', '.join(suites) or 'none'}"


def python_suites(source: str) -> Iterator[Tuple[int, str]]:
    """The classes of tests in a source of Python, each with its line. A base of such classes is called `…TestCase`."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef) and not node.name.endswith("TestCase") \
                and any(ast.unparse(base).endswith("TestCase") for base in node.bases):
            yield node.lineno, node.name


def python_findings(suites: Iterable[Tuple[str, int, str]]) -> Iterator[Tuple[str, int, str]]:
    """The suites of Python (path, line and name) that have a name of another form, or the name of another suite: path,
    line and text. The only suite of test_slow_clients.py is called SlowClientsTests."""
    listed = list(suites)
    paths = [path for path, _, _ in listed]
    known: Dict[str, str] = {}
    for path, line, name in listed:
        expected = PurePosixPath(path).stem.removeprefix("test").replace("_", "") + "tests"
        if not name.endswith("Tests"):
            yield path, line, f"{name} is a suite: its name ends in Tests"
        elif paths.count(path) == 1 and name.lower() != expected:
            yield path, line, f"{name} is the only suite of its file, and has another name"
        if name in known:
            yield path, line, f"{known[name]} has a suite {name} too"
        known[name] = path
