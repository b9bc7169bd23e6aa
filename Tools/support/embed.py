#!/usr/bin/env python3
"""Writes the Swift source of embedded files: the protocol's layouts, the console's assets, the style of load reports.

    Tools/support/embed.py           writes the Swift files
    Tools/support/embed.py --check   says whether they are as it would write them; the exit status is 1 if not

A Swift string is compiled as it stands, so a build needs no other step, and a program no file beside it. Assets are
there as they are, and compressed with gzip, because the program has no library for that. Versions of zlib compress
differently: two files are the same if their assets are, whatever compressed them.
"""
from __future__ import annotations

import argparse
import base64
import gzip
import hashlib
import re
import sys
import textwrap
from pathlib import Path
from typing import Dict

ROOT = Path(__file__).resolve().parents[2]
ASSETS = ROOT / "Sources/Server/CarillonHTTP/Assets"
LOAD = ROOT / "Sources/Commands/carillon-load"
TYPES = {".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
         ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
HEAD = "// Long: Tools/support/embed.py writes this file. Do not edit it.\n// swift-format-ignore-file\n\n"


def literal(text: str, indent: str) -> str:
    """A text as a raw string of several lines. The newline at its end is a part of it."""
    marks = "#"
    while f'"""{marks}' in text or f"\\{marks}" in text:
        marks += "#"
    lines = "".join(f"{indent}{line}\n" if line else "\n" for line in text.split("\n"))
    return f'{marks}"""\n{lines}{indent}"""{marks}'


def layouts() -> str:
    """The source of `EmbeddedLayouts`."""
    text = (ROOT / "Protocol/layouts.json").read_text("utf-8").rstrip("\n")
    return (HEAD + "/// The text of `Protocol/layouts.json`.\nenum EmbeddedLayouts {\n    static let json = "
            + literal(text, "        ") + "\n}\n")


def style() -> str:
    """The source of `EmbeddedStyle`."""
    text = (LOAD / "Report/ReportPage.css").read_text("utf-8")
    return (HEAD + "/// The text of `ReportPage.css`.\nenum EmbeddedStyle {\n    static let css = "
            + literal(text, "        ") + "\n}\n")


def compressed(path: Path, text: str, indent: str) -> str:
    """A text as gzip in base64url, as a Swift string; nil for the first page, which the program completes."""
    if path.suffix == ".html":
        return "nil"
    encoded = base64.urlsafe_b64encode(gzip.compress(text.encode(), mtime=0)).decode().rstrip("=")
    return literal("\n".join(textwrap.wrap(encoded, 100)), indent)


GZIP = re.compile(r'gzip: #"""(.*?)"""#', re.DOTALL)


def comparable(source: str) -> str:
    """The source with digests of the plain texts in place of the compressed bytes, which differ by version of zlib."""
    def digest(found: re.Match) -> str:
        encoded = "".join(found[1].split())
        try:
            whole = gzip.decompress(base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)))
        except (ValueError, EOFError, OSError):
            return found[0]
        return f"gzip: {hashlib.sha256(whole).hexdigest()}"
    return GZIP.sub(digest, source)


def assets() -> str:
    """The source of `EmbeddedAssets`."""
    entries = []
    digest = hashlib.sha256()
    for path in sorted(each for each in ASSETS.rglob("*") if each.suffix in TYPES):
        text = path.read_text("utf-8")
        digest.update(f"{path.relative_to(ASSETS)} {text}".encode())
        entries.append(f'        EmbeddedAsset(\n            name: "{path.relative_to(ASSETS).as_posix()}", '
                       f'type: "{TYPES[path.suffix]}",\n            text: '
                       + literal(text, "                ") + ",\n            gzip: "
                       + compressed(path, text, "                ") + "),\n")
    return (HEAD + "/// The files of `Assets`.\nenum EmbeddedAssets {\n"
            f"    /// The first 16 digits of the SHA-256 of all files.\n    static let hash = "
            f"\"{digest.hexdigest()[:16]}\"\n"
            "    static let all: [EmbeddedAsset] = [\n"
            + "".join(entries) + "    ]\n}\n")


def sources() -> Dict[Path, str]:
    """The files and what they contain."""
    found = {ROOT / "Sources/Domain/CarillonGateway/Generated/EmbeddedLayouts.swift": layouts(),
             LOAD / "Generated/EmbeddedStyle.swift": style()}
    if ASSETS.exists():
        found[ROOT / "Sources/Server/CarillonHTTP/Generated/EmbeddedAssets.swift"] = assets()
    return found


def main() -> int:
    """Writes or checks the files."""
    parser = argparse.ArgumentParser(prog="Tools/support/embed.py", description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; the exit status is 1 if a file differs")
    check = parser.parse_args().check
    stale = [path for path, text in sources().items()
             if not path.exists() or comparable(path.read_text("utf-8")) != comparable(text)]
    for path in stale:
        if check:
            print(f"{path.relative_to(ROOT)} is not what Tools/support/embed.py writes")
        else:
            path.write_text(sources()[path], "utf-8")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
