#!/usr/bin/env python3
"""Writes `carillon/_layouts.py` from `../../layouts.json`; with `--check`, says whether it is as it would write it."""
from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Dict, List

HERE = Path(__file__).resolve().parent
LAYOUTS = HERE.parents[2] / "layouts.json"
TARGET = HERE.parent / "carillon" / "_layouts.py"
COLUMNS = 120
HEAD = '''\
"""The fields of all messages. Generated from `Protocol/layouts.json` by `tools/generate_layouts.py`: do not edit."""
from __future__ import annotations

from typing import Any, Dict, List, Tuple

# A kind is the name of a type (§4.1), ("list", kind) or ("struct", fields). A field is a name and a kind.
Fields = Tuple[Tuple[str, Any], ...]
Tags = Tuple[Tuple[int, str, Any], ...]

'''


def kind(value: Any) -> str:
    """Returns the source of a kind."""
    if isinstance(value, str):
        return json.dumps(value)
    (word, inner), = value.items()
    return f'("{word}", {fields(inner) if word == "struct" else kind(inner)})'


def fields(rows: List[Any]) -> str:
    """Returns the source of fields, or of tags."""
    items = [f"({', '.join(json.dumps(each) for each in row[:-1])}, {kind(row[-1])})" for row in rows]
    return "(" + ", ".join(items) + ("," if len(items) == 1 else "") + ")"


def wrapped(text: str, indent: int) -> str:
    """Breaks a line at blanks so that it has at most 120 columns."""
    lines: List[str] = []
    while len(text) > COLUMNS:
        cut = text.rindex(", ", 0, COLUMNS) + 1
        lines.append(text[:cut])
        text = " " * indent + text[cut + 1:]
    return "\n".join([*lines, text])


def layout(value: Dict[str, Any], name: str) -> List[str]:
    """Returns the lines of one layout: its fields, then its tags."""
    return [wrapped(f'        {fields(value["fixed"])},', 9),
            wrapped(f'        {fields(value.get("tags", []))}),', 9)] if name else []


def source() -> str:
    """Returns the text of the file."""
    layouts = json.loads(LAYOUTS.read_text("utf-8"))
    lines = [f"COMMON_TAGS: Tags = {fields(layouts['common_tags'])}",
             "# By name: opcode, class (CONTRACT.md, RET-2), fields and tags of request and answer.",
             "REQUESTS: Dict[str, Tuple[int, str, Tuple[Fields, Tags], Tuple[Fields, Tags]]] = {"]
    for each in layouts["requests"]:
        lines.append(f'    "{each["name"]}": ({each["opcode"]}, "{each["repeat"]}", (')
        lines += layout(each["request"], "request")
        lines[-1] = lines[-1][:-1] + ", ("
        lines += layout(each["answer"], "answer")
        lines[-1] = lines[-1][:-1] + "),"
    lines.append("}")
    for name in ("event", "goaway", "ping", "position", "error"):
        lines += [f"{name.upper()}: Tuple[Fields, Tags] = ("]
        lines += layout(layouts[name], name)
        lines[-1] = lines[-1][:-1]
    lines.append(f'EVENT_OPCODE, GOAWAY_OPCODE, PING_OPCODE, POSITION_OPCODE = {layouts["event"]["opcode"]}, '
                 f'{layouts["goaway"]["opcode"]}, {layouts["ping"]["opcode"]}, {layouts["position"]["opcode"]}')
    codes = ", ".join(f'{number}: "{name}"' for number, name in layouts["enumerations"]["code"].items())
    lines += [wrapped(f"CODES: Dict[int, str] = {{{codes}}}", 4),
              f'EFFECTS: List[str] = {json.dumps(list(layouts["enumerations"]["effect"].values()))}']
    return HEAD + "\n".join(lines) + "\n"


def main(arguments: List[str]) -> int:
    """Writes or checks the file."""
    text = source()
    if arguments == ["--check"]:
        if TARGET.read_text("utf-8") == text:
            return 0
        print(f"{TARGET.name} is not as {Path(__file__).name} would write it", file=sys.stderr)
        return 1
    TARGET.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
