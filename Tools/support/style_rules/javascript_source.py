"""Finds functions in the text of a JavaScript file."""
from __future__ import annotations

import re
from typing import Iterator, NamedTuple

from style_rules.swift_source import closing

# A regular expression begins where a value is expected; elsewhere a slash divides.
BEFORE_VALUE = re.compile(r"(?:^|[(,=:\[!&|?{};+\-*<>]|\b(?:return|typeof|case))\s*$")
LITERAL = re.compile(r"//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"", re.DOTALL)
REGULAR_EXPRESSION = re.compile(r"/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/\w*")
NO_FUNCTION = r"(?!(?:if|for|while|switch|catch|with|function)\b)"
HEAD = re.compile(r"\bfunction\b\s*\*?\s*(?P<name>\w*)\s*(?P<list>\()|"
                  rf"(?<![\w.])(?P<method>{NO_FUNCTION}#?[A-Za-z_]\w*)\s*(?P<parameters>\()|"
                  r"(?:\b(?P<variable>\w+)\s*[=:]\s*)?(?:\basync\s+)?(?:(?P<arrow>\()|\b\w+\s*=>)")
BODY = re.compile(r"\s*\{")
ARROW_BODY = re.compile(r"\s*=>\s*\{")


class JavaScriptFunction(NamedTuple):
    """A function: the number of its first line, its name, and the number of its lines."""

    line: int
    name: str
    lines: int


def template_end(source: str, start: int) -> int:
    """The index behind the template literal that begins at `start`; what stands in `${…}` belongs to it."""
    index, depth = start + 1, 0
    while index < len(source):
        found = None if depth == 0 else LITERAL.match(source, index)
        if found:
            index = found.end()
        elif source[index] == "\\":
            index += 2
        elif source[index] == "`":
            if depth == 0:
                return index + 1
            index = template_end(source, index)
        else:
            if depth == 0 and source.startswith("${", index):
                index, depth = index + 1, 1
            elif depth:
                depth += {"{": 1, "}": -1}.get(source[index], 0)
            index += 1
    return len(source)


def without_text(source: str) -> str:
    """JavaScript whose comments, strings, templates and regular expressions are blanks, to count braces."""
    parts, index = [], 0
    while index < len(source):
        found = LITERAL.match(source, index)
        if not found and source[index] == "/" and BEFORE_VALUE.search("".join(parts[-80:])):
            found = REGULAR_EXPRESSION.match(source, index)
        end = template_end(source, index) if source[index] == "`" else found.end() if found else index + 1
        is_text = end > index + 1
        parts.extend(re.sub(r"[^\n]", " ", source[index:end]) if is_text else source[index])
        index = end
    return "".join(parts)


def javascript_functions(source: str) -> Iterator[JavaScriptFunction]:
    """The functions of a file that have a body in braces: declarations, methods and arrow functions."""
    text = without_text(source)
    index = 0
    while head := HEAD.search(text, index):
        index = head.start() + 1
        opened = next((head.start(group) for group in ("list", "parameters", "arrow") if head[group]), None)
        is_arrow = not head["list"] and not head["parameters"]
        if opened is None:
            closed = text.rindex("=>", 0, head.end())
        else:
            closed = closing(text, opened, "()")
        body = (ARROW_BODY if is_arrow else BODY).match(text, closed)
        if not body:
            continue
        end = closing(text, body.end() - 1, "{}")
        name = head["name"] or head["method"] or head["variable"] or "a function"
        yield JavaScriptFunction(text.count("\n", 0, head.start()) + 1, name,
                                 text.count("\n", head.start(), end) + 1)
        # The search goes on behind this head, so functions within its parameters and its body are found too.
        index = closed if opened is None else opened + 1
