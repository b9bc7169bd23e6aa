"""Finds links of pages that lead nowhere, and pages that no reader finds."""
from __future__ import annotations

import re
from pathlib import Path
from typing import Dict, Iterator, List, Set, Tuple

# How many links a page is away from README.md at most: Modules, the root page of a module, a page of the module.
MAXIMUM_CLICKS = 3
LINK = re.compile(r"\[(?:[^\[\]]|\[[^\[\]]*\])*\]\(<?([^)\s>]+)>?[^)]*\)|^\s*\[[^\]]+\]:\s*(\S+)")
# A section that a line below names, as a link: `[§6.1]`.
SECTION = re.compile(r"\[(§[\d.]+)\](?![:(])")
HAS_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def prose(lines: List[str]) -> Iterator[Tuple[int, str]]:
    """The lines of a page outside of code blocks, with their numbers; code within a line is left out."""
    fence = ""
    for number, line in enumerate(lines, 1):
        mark = re.match(r"\s*(```+|~~~+)", line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence):
            fence = ""
        elif not fence:
            yield number, re.sub(r"(`+)[^`].*?\1", lambda found: "`" * len(found[0]), line)


def links(lines: List[str]) -> Iterator[Tuple[int, str]]:
    """The links of a page that lead to files or headings of the repository, with the numbers of their lines."""
    for number, line in prose(lines):
        for found in LINK.finditer(line):
            target = found[1] or found[2]
            if not HAS_SCHEME.match(target):
                yield number, target


def anchors(lines: List[str]) -> Set[str]:
    """The anchors of the headings of a page, as Git forges make them."""
    found: Set[str] = set()
    fence = False
    for line in lines:
        fence ^= line.lstrip().startswith("```")
        heading = None if fence else re.match(r"#{1,6} +(.+?) *#*$", line)
        if heading:
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1])
            anchor = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
            number = 0
            while (unique := anchor + (f"-{number}" if number else "")) in found:
                number += 1
            found.add(unique)
    return found


def findings(path: Path, lines: List[str]) -> Iterator[Tuple[int, str]]:
    """The links of a page that lead nowhere or that only DocC can follow, each with a line and what is wrong."""
    for number, line in prose(lines):
        if "<doc:" in line or "](doc:" in line:
            yield number, "a link of DocC; write [Page](Page.md)"
    for number, link in links(lines):
        target, _, anchor = link.partition("#")
        file = path.parent / target
        if target.startswith("/") or not file.exists():
            yield number, f"there is no {target}"
        elif anchor and anchor not in anchors(file.read_text().splitlines() if target else lines):
            yield number, f"there is no heading for #{anchor} in {target or 'this page'}"
    for number, line in prose(lines):
        for section in SECTION.findall(line):
            if not any(each.startswith(f"[{section}]: ") for each in lines):
                yield number, f"no line [{section}]: … says where the section is"


def far_pages(root: Path, pages: Dict[Path, List[str]]) -> Iterator[str]:
    """The names of the pages that are too far away from README.md."""
    reached = {root / "README.md"}
    for _ in range(MAXIMUM_CLICKS):
        reached |= {(page.parent / link.partition("#")[0]).resolve() for page in reached & pages.keys()
                    for _, link in links(pages[page])}
    for page in sorted(pages.keys() - reached):
        name = str(page.relative_to(root))
        if not name.startswith("Tests/SystemTests/"):
            yield name
