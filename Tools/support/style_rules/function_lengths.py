"""The functions of Swift, Python and JavaScript files: their lengths, and their parameters that lack a label."""
from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator

from style_rules.javascript_source import javascript_functions
from style_rules.swift_source import HEAD, closing, parameterised_tests, split_parameters, without_text

ROOT = Path(__file__).resolve().parents[3]
# The limit of functions in Swift tests.
MAXIMUM_TEST_LINES = 70
# The limit of functions in the Swift and JavaScript of the product, and in Python, where a docstring does not count.
MAXIMUM_PRODUCT_LINES = 45
# Functions that are lists of vectors, whatever their length.
VECTORS = "Protocol/vectors/"
MAXIMUM_UNLABELLED = 2


@dataclass
class Function:
    """A function: its place, its length, its parameters that lack a label, and whether it is exempt, or exempt without
    need."""

    path: str
    line: int
    name: str
    lines: int
    unlabelled: int
    needs_no_exemption: bool = False
    is_table: bool = False
    # True if it has more parameters without a label than it may, and is exempt: by a comment, as an operator, as the
    # function of a parameterised test.
    has_excuse: bool = False

    @property
    def is_too_long(self) -> bool:
        """True if it has more lines than functions of its kind may have."""
        is_test = self.path.endswith(".swift") and not self.path.startswith(("Sources/", "Tools/"))
        limit = MAXIMUM_TEST_LINES if is_test else MAXIMUM_PRODUCT_LINES
        return self.lines > limit and not self.is_table and not self.path.startswith(VECTORS)


def swift_functions(path: Path, source: str) -> Iterator[Function]:
    """The functions, initializers and subscripts of a Swift file."""
    text = without_text(source)
    lines = source.splitlines()
    tests = parameterised_tests(text)
    for head in HEAD.finditer(text):
        if head["init"] and re.search(r"[.\w]$", text[:head.start()]):
            continue  # a call: Type.init(…), self.init(…)
        opened = head.end() - 1
        closed = closing(text, opened, "()")
        parameters = split_parameters(text[opened + 1:closed - 1])
        body = re.compile(r"[^{}\n]*(?:\n[ \t]*(?:where|->|throws|async)[^{}\n]*)*\{").match(text, closed)
        end = closing(text, body.end() - 1, "{}") if body else closed
        first = text.count("\n", 0, head.start()) + 1
        unlabelled = sum(bool(re.match(r"\s*_\s", parameter)) for parameter in parameters)
        is_operator = bool(head["name"]) and not head["name"][0].isalnum() and head["name"][0] != "_"
        has_exemption = any(re.search(r"//.*style: unlabelled\W+\w", line) for line in lines[max(0, first - 2):first])
        is_table = any(re.search(r"//.*style: table\W+\w", line) for line in lines[max(0, first - 2):first])
        is_exempt = is_operator or head.start() in tests or has_exemption
        yield Function(str(path.relative_to(ROOT)), first, head["name"] or head["init"] or "subscript",
                       text.count("\n", head.start(), end) + 1, 0 if is_exempt else unlabelled,
                       has_exemption and unlabelled <= MAXIMUM_UNLABELLED, is_table,
                       is_exempt and unlabelled > MAXIMUM_UNLABELLED)


def functions(path: Path, source: str) -> Iterator[Function]:
    """The functions of a Swift, Python or JavaScript file; only Swift has labels to count."""
    if path.suffix == ".swift":
        yield from swift_functions(path, source)
    elif path.suffix == ".py":
        yield from python_functions(path, source)
    elif path.suffix == ".js":
        for each in javascript_functions(source):
            yield Function(str(path.relative_to(ROOT)), each.line, each.name, each.lines, 0)


def python_functions(path: Path, source: str) -> Iterator[Function]:
    """The functions of a Python file; the lines of their docstrings do not count."""
    lines = source.splitlines()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            first = node.body[0]
            has_text = ast.get_docstring(node) is not None
            counted = node.end_lineno - node.lineno + 1 - (first.end_lineno - first.lineno + 1 if has_text else 0)
            is_table = bool(re.search(r"#.*style: table\W+\w", lines[node.lineno - 2]))
            yield Function(str(path.relative_to(ROOT)), node.lineno, node.name, counted, 0, is_table=is_table)


def unlabelled_text(function: Function) -> str:
    """The finding about a function with too many parameters that lack a label."""
    return f"{function.name} has {function.unlabelled} parameters without a label"
