"""Compares the lists of files in AddingAnOperation.md with the files that mention the two operations of the page."""
from __future__ import annotations

import re
from pathlib import Path
from typing import Dict, Iterator, List, Set, Tuple

PAGE = "Sources/Documentation/AddingAnOperation.md"
# The operations of the page: the heading of the list, and the words in the code of a file that belongs to it.
OPERATIONS = {
    "## A read: TRACE": (r"\bTraceRequest\b|\bfunc trace\(|\bMessageTrace(Result)?\b", r"\btrace\b"),
    "## A change: RESTORE": (r"\bRestoreRequest\b|\.restore\b|\bcase restore\b|\bfunc restore\(", r"\brestore\b"),
}
FILE = re.compile(r"`([\w./+-]+\.(?:swift|md|json|lua|py))`")
PROTOCOL_PARTS = "The five files of the protocol"


def mentions(root: Path, swift: str, protocol: str) -> Set[str]:
    """The files of the modules and of the protocol whose code mentions an operation; no tests, vectors or references,
    and no program: what a command line has of an operation is a file of its own choice."""
    found = set()
    for path in (root / "Sources").glob("*/Carillon*/**/*.swift"):
        if re.search(swift, re.sub(r"//[^\n]*", "", path.read_text())):
            found.add(str(path.relative_to(root)))
    for path in (root / "Protocol").rglob("*"):
        name = str(path.relative_to(root))
        is_source = path.is_file() and path.suffix in (".md", ".json", ".lua", ".py")
        is_output = "/vectors/" in name and path.suffix != ".py" or "/reference/" in name or "test" in path.name
        is_output = is_output or name.startswith("Protocol/dissector-tests/")
        # The page names the generator, whose cases are in a folder beside it.
        if name.startswith("Protocol/vectors/cases/"):
            name = "Protocol/vectors/generate.py"
        # The page names the table of operations; the client of the tests is beside it.
        if name.startswith("Protocol/test-client/crln/"):
            name = "Protocol/test-client/crln/operations.py"
        # The client of a language, such as Protocol/clients/go: a part of the page of its own.
        is_output = is_output or len(path.relative_to(root).parts) > 3 and name.startswith("Protocol/clients/")
        if is_source and not is_output and re.search(protocol, path.read_text(errors="replace"), re.IGNORECASE):
            found.add(name)
    return found


def sections(lines: List[str]) -> Dict[str, List[Tuple[int, str]]]:
    """The lines of each part of the page, with their numbers, by its heading."""
    found: Dict[str, List[Tuple[int, str]]] = {}
    for number, line in enumerate(lines, 1):
        if line.startswith("## "):
            part = found.setdefault(line, [])
        elif found:
            part.append((number, line))
    return found


def findings(root: Path, page: str) -> Iterator[Tuple[int, str]]:
    """The faults of the text of the page, with the numbers of their lines."""
    lines = page.splitlines()
    parts = sections(lines)
    row = re.search(r"^\|[^|]*by hand \| (\d+) \| (\d+) \|$", page, re.MULTILINE)
    counts = [int(number) for number in row.groups()] if row else []
    for (heading, (swift, protocol)), count in zip(OPERATIONS.items(), counts + [0, 0]):
        part = parts.get(heading, [])
        start = part[0][0] if part else 1
        text = "\n".join(line for _, line in part)
        items = [int(number) for number in re.findall(r"^\| (\d+) \|", text, re.MULTILINE)]
        if not items or items[-1] != count:
            yield start, f"{heading[3:]}: the page begins with {count} files, the list ends with {items[-1:]}"
        if PROTOCOL_PARTS in text:
            text += "\n".join(line for _, line in parts["## A read: TRACE"] if "`Protocol/" in line)
        named = FILE.findall(text)
        mentioned = mentions(root, swift, protocol)
        for name in sorted(mentioned):
            if not any(name == each or name.endswith("/" + each) for each in named):
                yield start, f"{heading[3:]}: {name} mentions the operation, and the list lacks it"
        for number, line in part:
            for place, name in enumerate(FILE.findall(line)):
                exists = any(path for path in root.glob(f"*/**/{Path(name).name}"))
                if not exists:
                    yield number, f"there is no file {name}"
                elif place == 0 and re.match(r"\| \d+ \|", line) and not any(each.endswith(name) for each in mentioned):
                    yield number, f"{name} does not mention the operation"
