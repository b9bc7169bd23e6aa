"""Finds tests of Python that say badly what is wrong: assertions with more than one condition, and tests with too many
assertions."""
from __future__ import annotations

import ast
from typing import Iterator, Tuple

from style_rules.expectations import MAXIMUM_EXPECTATIONS

TRUTHS = ("assertTrue", "assertFalse")
EQUALITIES = ("assertEqual", "assertNotEqual")


def is_assertion(node: ast.AST) -> bool:
    """Returns true for `self.assert…(…)`."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) \
        and isinstance(node.func.value, ast.Name) and node.func.value.id == "self" \
        and node.func.attr.startswith("assert")


def is_condition(node: ast.AST) -> bool:
    """Returns true for an expression that is true or false by its form: `a in b`, `a and b`, `not a`."""
    is_negation = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    return is_negation or isinstance(node, (ast.Compare, ast.BoolOp))


def joins_conditions(call: ast.Call) -> bool:
    """Returns true for `assertTrue(a and b)`, and for `assertEqual((a, b in c), …)`: a failure hides `b` and `c`."""
    if not call.args:
        return False
    if call.func.attr in TRUTHS:
        return isinstance(call.args[0], ast.BoolOp)
    tuples = [each for each in call.args[:2] if isinstance(each, (ast.Tuple, ast.List))]
    return call.func.attr in EQUALITIES and any(is_condition(item) for each in tuples for item in each.elts)


def findings(source: str) -> Iterator[Tuple[int, str]]:
    """The lines that break a rule, each with a text."""
    for node in ast.walk(ast.parse(source)):
        if is_assertion(node) and joins_conditions(node):
            yield node.lineno, "an assertion has one condition: split it"
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            count = sum(is_assertion(each) for each in ast.walk(node))
            if count > MAXIMUM_EXPECTATIONS:
                yield node.lineno, f"{node.name} has {count} assertions; {MAXIMUM_EXPECTATIONS} are the most"
