#!/usr/bin/env python3
"""Writes the vectors beside it. With --check it says whether they are as it would write them.

The cases are in the folder `cases`. The codec of ../test-client builds valid frames from their fields. Invalid frames
are spelled out, or are a sound payload with one change. No expectation is computed: each is written beside its case.
"""
import json
import pathlib
import sys
from types import ModuleType
from typing import Dict, List

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "test-client"))

from cases import (  # noqa: E402
    invalid_audiences, invalid_frames, invalid_messages, invalid_payloads, invalid_values,
    valid_audiences, valid_connections, valid_devices, valid_messages)
from cases.invalid_cases import LIMIT_OF, invalid  # noqa: E402
from cases.payload_table import payload_rows  # noqa: E402
from cases.samples import Case  # noqa: E402
from cases.sessions import events, first_push  # noqa: E402
from cases.valid_cases import valid  # noqa: E402

# The order of the cases in a file is that of these modules, and of the functions in a module.
MODULES = (valid_connections, valid_devices, valid_audiences, valid_messages,
           invalid_frames, invalid_values, invalid_audiences, invalid_messages, invalid_payloads)


def add_cases(module: ModuleType) -> None:
    """Calls each function of a module that adds cases: its name begins with valid_ or invalid_."""
    for name, value in vars(module).items():
        if name.startswith(("valid_", "invalid_")) and callable(value):
            value()


def files() -> Dict[pathlib.Path, str]:
    for module in MODULES:
        add_cases(module)
    unknown = set(LIMIT_OF) - {case["name"] for cases in invalid.values() for case in cases}
    if unknown:
        sys.exit(f"LIMITS of cases/invalid_cases.py names cases that do not exist: {sorted(unknown)}")
    out = {HERE / "sessions" / f"{file}.json": json.dumps(session, indent=2, ensure_ascii=False) + "\n"
           for file, session in (("first-push", first_push()), ("events", events()))}
    tables: Dict[pathlib.Path, List[Case]] = {HERE / "payloads.json": payload_rows()}
    for folder, cases in (("valid", valid), ("invalid", invalid)):
        tables.update({HERE / folder / f"{file}.json": entries for file, entries in cases.items()})
    for path, entries in tables.items():
        lines = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in entries)
        out[path] = f"[\n{lines}\n]\n"
    return out


# Files of vectors that this program does not write.
WRITTEN_BY_HAND = {"conditions.json"}


def main() -> int:
    wanted = files()
    present = {path for folder in (".", "valid", "invalid", "sessions") for path in (HERE / folder).glob("*.json")
               if path.name not in WRITTEN_BY_HAND}
    if "--check" in sys.argv[1:]:
        wrong = [path for path in sorted(present | set(wanted))
                 if path not in present or path.read_text("utf-8") != wanted.get(path)]
        for path in wrong:
            print(f"differs: {path.relative_to(HERE)}")
        return 1 if wrong else 0
    for path, text in wanted.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    for path in present - set(wanted):
        path.unlink()
    print(f"{sum(map(len, valid.values()))} valid, {sum(map(len, invalid.values()))} invalid")
    return 0


if __name__ == "__main__":
    sys.exit(main())
