"""Finds names of files, types, functions and folders on pages that do not exist, and folders that no page names."""
from __future__ import annotations

import re
from pathlib import Path
from typing import Dict, Iterator, List, Set, Tuple

# Names that pages mention and that are not Carillon's.
FOREIGN_NAMES = {"CancellationError", "InlineArray", "LimitNOFILE"}
NAMED_FILE = re.compile(r"`((?:Sources|Tests|Tools|Protocol)/[\w./+-]*\w|[A-Z]\w+/[\w./+-]+\.swift)`")
NAMED_TYPE = re.compile(r"`([A-Z]+[a-z]+[A-Z]\w*)\b[^`]*`")
SPAN = re.compile(r"`+([^`]+)`+")
# A name with a small first letter and a capital inside. An X at its end stands for any word: `maximumX`.
NAMED_MEMBER = re.compile(r"\b[a-z]+[A-Z]\w*(?<![a-z]X)\b")


def is_about_code(page: Path) -> bool:
    """True if a page is in a catalogue of a module or in Documentation: its names are those of Carillon's code."""
    return any(folder.suffix == ".docc" or folder.name == "Documentation" for folder in page.parents)


def folder_findings(
        root: Path, pages: Dict[Path, List[str]], modules: List[Path]) -> Iterator[Tuple[str, int, str]]:
    """The folders of a module that its root page does not name in code, and the modules without a page that no row of
    Modules.md has; each with a path, a line and what is wrong."""
    modules_page = "\n".join(pages[root / "Sources/Documentation/Modules.md"])
    for module in modules:
        page = module / f"{module.name}.docc" / f"{module.name}.md"
        if page not in pages:
            if f"`{module.name}`" not in modules_page:
                yield str(module.relative_to(root)), 1, "no root page, and no row in Modules.md"
            continue
        text = "\n".join(pages[page])
        for folder in sorted(each.name for each in module.iterdir() if each.is_dir() and each.suffix != ".docc"):
            if not re.search(f"`{re.escape(folder)}/?`", text):
                yield str(page.relative_to(root)), 1, f"does not name the folder {folder}"


def findings(root: Path, pages: Dict[Path, List[str]], known: Set[str],
             code_words: Set[str]) -> Iterator[Tuple[str, int, str]]:
    """The files that pages name and that do not exist, the types that no source file mentions, and the functions and
    properties that no code has; each with a path, a line and what is wrong. A page may leave out the folder of a
    layer: `CarillonCore/Names/Name.swift`."""
    parents = [root, *(each for top in ("Sources", "Tests") for each in (root / top, *(root / top).iterdir()))]
    for page, lines in pages.items():
        name = str(page.relative_to(root))
        in_catalogue = is_about_code(page)
        for number, line in enumerate(lines, 1):
            for file in NAMED_FILE.findall(line):
                if not any((folder / file).exists() for folder in parents):
                    yield name, number, f"there is no file {file}"
            for word in NAMED_TYPE.findall(line) if in_catalogue else ():
                if word not in known and word not in FOREIGN_NAMES:
                    yield name, number, f"no source file mentions {word}"
            for word in NAMED_MEMBER.findall(" ".join(SPAN.findall(line))) if in_catalogue else ():
                if word not in code_words:
                    yield name, number, f"no code has the name {word}"
