"""The names of the protocol that the console's JavaScript repeats, compared with `Protocol/layouts.json`."""
from __future__ import annotations

import json
import re
import unittest
from pathlib import Path
from typing import Dict, Set

ROOT = Path(__file__).resolve().parents[4]
ASSETS = ROOT / "Sources/Server/CarillonHTTP/Assets"
# Outcomes from this number on are answers of providers.
FIRST_ANSWER = 32


def enumeration(name: str) -> Dict[int, str]:
    """Returns the names of an enumeration by number."""
    layouts = json.loads((ROOT / "Protocol/layouts.json").read_text())
    return {int(number): word for number, word in layouts["enumerations"][name].items()}


def words(asset: str, start: str, end: str) -> Set[str]:
    """Returns the quoted words and the keys between two texts of an asset."""
    text = (ASSETS / asset).read_text()
    part = text[text.index(start) + len(start):]
    part = part[:part.index(end)]
    keys = re.findall(r"^  '?([\w-]+)'?:", part, re.MULTILINE)
    return set(keys or re.findall(r"'([\w-]+)'", part))


class ConsoleNamesTests(unittest.TestCase):
    """A name that the protocol adds is missing in the console until it is added there."""

    def test_the_filter_of_events_offers_every_kind(self) -> None:
        kinds = set(enumeration("event_kind").values()) - {"gap"}
        self.assertEqual(words("events.js", "const KINDS = [", "]"), kinds)

    def test_a_trace_explains_each_outcome_that_the_server_gives(self) -> None:
        given = {name for number, name in enumeration("outcome").items() if 1 < number < FIRST_ANSWER}
        self.assertEqual(words("trace.js", "const REASONS = {", "};"), given)

    def test_each_refusal_of_a_provider_counts_as_failed(self) -> None:
        refusals = {name for number, name in enumeration("outcome").items() if number >= FIRST_ANSWER}
        self.assertEqual(words("dom.js", "const FAILED = new Set([", "]"), {"gave-up", "no-credential"} | refusals)


if __name__ == "__main__":
    unittest.main()
