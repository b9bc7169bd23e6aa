"""Checks the Swift of the product: the first words of doc comments, names of bounds and of errors, ignored errors,
comments of extensions and of parameters, and the words for providers.

Each check gets the path of a file within the repository and its text, and gives the number of a line and what is wrong
with it.
"""
from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Dict, Iterator, List, Tuple

from style_rules.swift_source import closing, without_text

PROTOCOL = Path(__file__).resolve().parents[3] / "Protocol/Carillon-v1.md"

BOUND = re.compile(r"\b(?:let|var|case) `?((?:most|least|max|min)[A-Z]\w*|[a-z]\w*Limit)\b")
# Words that others have chosen, most for bounds: HTTP/2 and HPACK, the fields of HELLO, names of settings, and
# options of programs.
FOREIGN_BOUNDS = {"maxConcurrentStreams", "maxFrameSize", "maxHeaderListSize", "maxStreams", "maxFrame", "tableLimit",
                  "resetLimit", "receiveLimit", "frameLimit", "inFlightLimit", "batchLimit", "dataLimit",
                  "minDevices", "waitLimit", "rateLimit", "hasLimit", "mostRecent"}


def bounds(name: str, source: str) -> Iterator[Tuple[int, str]]:
    """Finds bounds of the product that are not named `maximum…` or `minimum…`."""
    if name.startswith("Tests/"):
        return
    for number, line in enumerate(source.splitlines(), 1):
        found = BOUND.search(line)
        if found and found[1] not in FOREIGN_BOUNDS:
            yield number, f"{found[1]}; a bound is maximum… or minimum…, with its unit at the end"


ERROR_TYPE = re.compile(r"\b(?:struct|enum|class|actor|extension)\s+([\w.]+)(?:<[^>{]*>)?\s*:\s*([^{]*)\{")
# Types that are thrown and have other names. ExitStatus is no fault: a program exits with it.
OTHER_ERRORS = {"ExitStatus"}


def errors(name: str, source: str) -> Iterator[Tuple[int, str]]:
    """Finds types of the product that conform to Error and whose names do not end so."""
    if not name.startswith("Sources/"):
        return
    text = without_text(source)
    for found in ERROR_TYPE.finditer(text):
        kinds = {kind.strip() for kind in found[2].split("where")[0].split(",")}
        is_other = found[1].endswith("Error") or found[1].rpartition(".")[2] in OTHER_ERRORS
        if kinds & {"Error", "LocalizedError", "Swift.Error"} and not is_other:
            yield text.count("\n", 0, found.start()) + 1, f"{found[1]} is thrown: its name ends in Error"


TRY = re.compile(r"\btry\?")


def ignored_errors(name: str, source: str) -> Iterator[Tuple[int, str]]:
    """Finds each `try?` of the programs without a `// Why try?:`. That stands within the three lines before it, or
    before the lines with `try?` that follow each other."""
    if not name.startswith(("Sources/", "Tools/")):
        return
    lines, code = source.splitlines(), without_text(source).splitlines()
    first = 0
    for number, line in enumerate(code):
        if not TRY.search(line):
            continue
        if not number or not TRY.search(code[number - 1]):
            first = number
        if not any("// Why try?: " in each for each in lines[max(0, first - 3):first + 1]):
            yield number + 1, "a try? without `// Why try?:`"


# The modules that serve all providers.
SHARED = re.compile(r"Sources/\w+/Carillon(?:Core|Wire|Session|Gateway|Provider|Delivery|Cluster|ClusterNode|Registry|"
                    r"HTTP|Server|Transport|Client)/")
# Things that only APNs has, or words that say that others do not do the same.
ONLY_APNS = re.compile(r"FCM|Firebase|browser|Apple|provider|apns-|Channel|broadcast|sandbox|environment|production|"
                       r"certificate|push type|[Cc]redentials? for APNs|APNs \d{3}|only APNs", re.IGNORECASE)
COMMENT = re.compile(r"^\s*///?(.*)")


def comments(lines: List[str]) -> Iterator[Tuple[int, List[str]]]:
    """The comments that have lines of their own, each with the number of its first line."""
    block: List[str] = []
    for number, line in enumerate([*lines, ""], 1):
        found = COMMENT.match(line)
        if found:
            block.append(found[1])
        elif block:
            yield number - len(block), block
            block = []


def providers(name: str, source: str) -> Iterator[Tuple[int, str]]:
    """Finds comments that speak of APNs in modules for all providers, without a word that says why of APNs alone."""
    if not SHARED.match(name) or ONLY_APNS.search(name):
        return
    for first, block in comments(source.splitlines()):
        if not ONLY_APNS.search(" ".join(block)):
            for number, line in enumerate(block, first):
                if re.search(r"\bAPNs\b", line):
                    yield number, "APNs, or any provider? Say what only APNs has, or “the provider”"


SECTIONS = re.compile(r"\(Protocol (\d+\.\d+(?:(?:, | and )\d+\.\d+)*)\)")


@lru_cache(maxsize=None)
def operations() -> Dict[str, str]:
    """The names of the operations, by the numbers of their sections in the protocol."""
    return dict(re.findall(r"^### (\d+\.\d+) ([A-Z_]+) \(0x", PROTOCOL.read_text(), re.MULTILINE))


def sections(_: str, source: str) -> Iterator[Tuple[int, str]]:
    """Finds comments that name an operation, and the section of another one."""
    for first, block in comments(source.splitlines()):
        text = " ".join(block)
        named = set(re.findall(r"\b[A-Z][A-Z_]+\b", text)) & set(operations().values())
        for found in SECTIONS.finditer(text) if named else ():
            for number in re.split(", | and ", found[1]):
                if operations().get(number, next(iter(named))) not in named:
                    yield first, f"Protocol {number} is {operations()[number]}"


DECLARATION = re.compile(r"(?:@?\w+(?:\([^)]*\))?\s+)*?"
                         r"(extension|actor|class|enum|func|let|protocol|struct|typealias|var)\b")


def extensions(name: str, source: str) -> Iterator[Tuple[int, str]]:
    """Finds extensions of the product that are the first declaration of a file, and that no comment explains."""
    if not name.startswith(("Sources/", "Tools/")):
        return
    lines = source.splitlines()
    for number, line in enumerate(without_text(source).splitlines()):
        found = DECLARATION.match(line)
        if not found or line.startswith(("import", "package import", "public import")):
            continue
        before = number - 1
        while before >= 0 and lines[before].startswith(("@", "// ")):
            before -= 1
        if found[1] == "extension" and not lines[before].startswith("///"):
            yield number + 1, "no comment says what is in this extension"
        return


DOCUMENTED = re.compile(r"^\s*/// (?:- Parameter |  - )`?(\w+)`?:")
SIGNATURE = re.compile(r"\b(?:func\b|init\b|subscript\b|case\b|macro\b)")


def parameters(_: str, source: str) -> Iterator[Tuple[int, str]]:
    """Finds `- Parameter` lines with a name that no parameter of the declaration has."""
    lines, code = source.splitlines(), without_text(source).splitlines()
    documented: List[Tuple[int, str]] = []
    for number, line in enumerate(lines):
        if line.lstrip().startswith("///"):
            found = DOCUMENTED.match(line)
            documented += [(number + 1, found[1])] if found else []
        elif documented and not line.lstrip().startswith(("//", "@")):
            signature = signature_from(code, number)
            names = set(re.findall(r"(\w+)\s*:", signature)) if SIGNATURE.search(signature) else set()
            for where, name in documented:
                if names and name not in names:
                    yield where, f"no parameter has the name {name}"
            documented = []


def signature_from(code: List[str], number: int) -> str:
    """The declaration that begins in a line, up to its body or the end of its parameters."""
    text = "\n".join(code[number:number + 40])
    start = text.find("(")
    return text[:closing(text, start, "()")] if start >= 0 else text.partition("\n")[0]


# “How long” names a duration.
FIRST_WORD = re.compile(r"^\s*/// +(?:- )?(?!How long\b)([A-Z][a-z]*)\b")
# A first line that begins so can only be read after the declaration below it.
NO_FIRST_WORDS = set("What It Of That Those These Which Whether How Who Where When Why None Nothing In If On At"
                     " For Nil Parameter Parameters".split())


def first_words(_: str, source: str) -> Iterator[Tuple[int, str]]:
    """Finds doc comments whose first word names neither the thing nor the effect."""
    before = ""
    for number, line in enumerate(source.splitlines(), 1):
        found = None if before.lstrip().startswith("///") else FIRST_WORD.match(line)
        if found and found[1] in NO_FIRST_WORDS:
            yield number, (f"“{found[1]}” begins a doc comment: it begins with the thing, what is done, “True if”, "
                           "“Called when”, “Called with” or “How long”")
        before = line


CHECKS = {"first words": first_words, "bounds": bounds, "errors": errors, "ignored errors": ignored_errors,
          "providers": providers, "sections": sections, "extensions": extensions, "parameters": parameters}
