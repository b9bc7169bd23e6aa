#!/usr/bin/env python3
"""Writes the vectors beside it. With --check it says whether they are as it would write them.

The cases are in the folder `cases`. The codec of ../test-client builds valid frames from their fields. Invalid frames
are spelled out, or are a sound payload with one change. No expectation is computed: each is written beside its case.
"""
import json
import pathlib
import sys
from typing import Dict, List

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "test-client"))

from cases.invalid_audiences import invalid_audiences, invalid_conditions, invalid_memberships  # noqa: E402
from cases.invalid_cases import LIMIT_OF, invalid  # noqa: E402
from cases.invalid_frames import (  # noqa: E402
    invalid_framing, invalid_phases, invalid_precedence, invalid_prefaces,
    invalid_sections, invalid_truncated)
from cases.invalid_messages import (  # noqa: E402
    invalid_broadcasts, invalid_channels, invalid_events, invalid_message_options,
    invalid_receipts, invalid_statistics, invalid_trace)
from cases.invalid_payloads import invalid_payloads  # noqa: E402
from cases.invalid_values import (  # noqa: E402
    invalid_android, invalid_browsers, invalid_lists, invalid_names, invalid_text,
    invalid_values, invalid_web)
from cases.payload_table import payload_rows  # noqa: E402
from cases.samples import Case  # noqa: E402
from cases.sessions import events, first_push  # noqa: E402
from cases.valid_audiences import valid_audiences, valid_groups, valid_topics  # noqa: E402
from cases.valid_cases import valid  # noqa: E402
from cases.valid_connections import (  # noqa: E402
    valid_connection, valid_control, valid_errors, valid_events, valid_listing,
    valid_statistics)
from cases.valid_devices import (  # noqa: E402
    valid_android, valid_batches_and_lookups, valid_devices, valid_memberships,
    valid_quarantine, valid_web)
from cases.valid_messages import (  # noqa: E402
    valid_channels, valid_message_options, valid_messages, valid_messages_and_updates,
    valid_payloads, valid_receipts, valid_trace)


def write_valid() -> None:
    valid_connection()
    valid_control()
    valid_devices()
    valid_batches_and_lookups()
    valid_memberships()
    valid_groups()
    valid_topics()
    valid_messages()
    valid_audiences()
    valid_quarantine()
    valid_message_options()
    valid_android()
    valid_web()
    valid_messages_and_updates()
    valid_trace()
    valid_events()
    valid_receipts()
    valid_channels()
    valid_statistics()
    valid_listing()
    valid_payloads()
    valid_errors()


def write_invalid() -> None:
    invalid_prefaces()
    invalid_framing()
    invalid_phases()
    invalid_truncated()
    invalid_text()
    invalid_sections()
    invalid_values()
    invalid_browsers()
    invalid_lists()
    invalid_names()
    invalid_memberships()
    invalid_audiences()
    invalid_conditions()
    invalid_message_options()
    invalid_android()
    invalid_web()
    invalid_trace()
    invalid_events()
    invalid_receipts()
    invalid_channels()
    invalid_broadcasts()
    invalid_statistics()
    invalid_payloads()
    invalid_precedence()


def files() -> Dict[pathlib.Path, str]:
    write_valid()
    write_invalid()
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
