"""The alarms of Tools/packaging: sound rules, a test for each, and nothing that the server does not export."""
from __future__ import annotations

import re
import subprocess
import unittest
from pathlib import Path
from typing import Any, Set

from support.environment import ROOT

PACKAGING = ROOT / "Tools/packaging"
SOURCES = ROOT / "Sources"
PAGES = SOURCES / "Documentation"


def names(pattern: str, path: Path) -> Set[Any]:
    """Returns what the group of the pattern matches in a file; of several groups, the tuples."""
    return set(re.findall(pattern, path.read_text(), re.MULTILINE))


class AlarmsTests(unittest.TestCase):
    """promtool, of the Debian package prometheus, and the pages."""

    def promtool(self, *arguments: str) -> None:
        done = subprocess.run(["promtool", *arguments], cwd=PACKAGING, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_each_alarm_rings_when_it_should(self) -> None:
        self.promtool("check", "rules", "alarms.yml")
        self.promtool("test", "rules", "alarms.test.yml")

    def test_each_alarm_has_a_test_and_a_row_of_the_page(self) -> None:
        alarms = names(r"alert: (\w+)", PACKAGING / "alarms.yml")
        self.assertGreater(len(alarms), 10)
        self.assertEqual(names(r"alertname: (\w+)", PACKAGING / "alarms.test.yml"), alarms)
        severities = names(r"alert: (\w+)\n(?:.*\n)*?.*severity: (\w+)", PACKAGING / "alarms.yml")
        self.assertEqual({name for name, _ in severities}, alarms)
        self.assertEqual(names(r"^\| `(Carillon\w+)` \| (\w+) \|", PAGES / "Alarms.md"), severities)

    def test_the_page_has_every_cause_and_every_kind_of_undecided_attempt(self) -> None:
        source = SOURCES / "Domain/CarillonCore/Administration/ConnectionFailureCause.swift"
        self.assertEqual(self.rows("### The causes"), names(r'\(rawValue: "([a-z0-9-]+)"\)', source))
        metrics = (SOURCES / "Delivery/CarillonTransport/Metrics/PoolMetrics.swift").read_text()
        counted = metrics.partition("func countUndecided")[2]
        kinds = set(re.findall(r'"([a-z-]+)"', counted.partition("guard let kind")[0]))
        self.assertGreater(len(kinds), 3)
        self.assertEqual(self.rows("### Deliveries stall"), kinds)

    @staticmethod
    def rows(heading: str) -> Set[str]:
        """The names in the first column of the table below a heading of the page."""
        section = (PAGES / "Alarms.md").read_text().partition(heading + "\n")[2].partition("\n#")[0]
        cells = re.findall(r"^\| (`[^|]+) \|", section, re.MULTILINE)
        return set(re.findall(r"`([a-z0-9-]+)`", " ".join(cells))) - {"cause", "kind"}

    def test_alarms_and_queries_name_metrics_that_there_are(self) -> None:
        known = names(r"^\| `(\w+)` \| ", PAGES / "Metrics.md")
        used = names(r"\b((?:carillon|process)_\w+)", PACKAGING / "alarms.yml")
        used |= names(r"\b((?:carillon|process)_\w+)[{\[]", PAGES / "Metrics.md")
        self.assertGreater(len(used), 15)
        self.assertEqual({re.sub("_(bucket|count|sum)$", "", name) for name in used} - known, set())


if __name__ == "__main__":
    unittest.main()
