"""The files of Tools/packaging: they name what exists, and do what they say."""
from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any, Dict, Iterator, List, Set, Tuple

from support.deployment import APP, ROOT
from support.operations import get
from support.system_test_case import PAYLOAD, SystemTestCase, register, wait_finished

PACKAGING = ROOT / "Tools" / "packaging"


def strings(value: Any, key: str) -> Iterator[str]:
    """All strings under a key, in any depth of a JSON value."""
    if isinstance(value, dict):
        for name, member in value.items():
            if name == key and isinstance(member, str):
                yield member
            yield from strings(member, key)
    elif isinstance(value, list):
        for member in value:
            yield from strings(member, key)


def metric_names(expression: str) -> Set[str]:
    """The metrics of the server that an expression of Prometheus names; a histogram without the suffix of its series."""
    names = re.findall(r"\b(?:carillon|process)_[a-z0-9_]+", re.sub(r'"[^"]*"', "", expression))
    return {re.sub(r"_(bucket|sum|count)$", "", name) for name in names}


def known_metrics() -> Set[str]:
    """The metrics that the server has."""
    source = (ROOT / "Sources/CarillonServer/Metrics/MetricName.swift").read_text()
    return set(re.findall(r'^\s+"(\w+)":', source, re.MULTILINE))


class Dashboard(SystemTestCase):
    """The dashboard of Grafana."""

    def setUp(self) -> None:
        self.dashboard = json.loads((PACKAGING / "grafana.json").read_text())

    def expressions(self) -> List[str]:
        """The expressions of panels, of annotations and of variables."""
        return [*strings(self.dashboard, "expr"), *strings(self.dashboard, "definition")]

    def test_every_metric_exists(self) -> None:
        known = known_metrics()
        self.assertGreater(len(known), 40)
        used = {name for expression in self.expressions() for name in metric_names(expression)}
        self.assertGreater(len(used), 25)
        self.assertEqual(used - known, set())

    def test_panels_do_not_overlap(self) -> None:
        numbers = [panel["id"] for panel in self.dashboard["panels"]]
        self.assertEqual(len(numbers), len(set(numbers)))
        cells: Set[Tuple[int, int]] = set()
        for panel in self.dashboard["panels"]:
            place = panel["gridPos"]
            own = {(place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])}
            self.assertTrue(all(x < 24 for x, _ in own) and not own & cells, panel["title"])
            cells |= own

    def test_every_label_exists(self) -> None:
        deployment = self.deployment()
        with deployment.client() as client:
            wait_finished(client, client.send(APP, register(client, 3), PAYLOAD)["message_id"])
        served: Dict[str, Set[str]] = {}
        for name, labels in re.findall(r"^(\w+?)(?:_bucket|_sum|_count)?\{(.*)\} ", get(deployment, "/metrics")[1],
                                       re.MULTILINE):
            served.setdefault(name, set()).update(re.findall(r'(\w+)="', labels))
        for expression in self.expressions():
            for name in metric_names(expression) & served.keys():
                wanted = set(re.findall(r"(\w+)(?:=~|!=|=)\"", expression))
                wanted |= {word for words in re.findall(r"by \(([^)]*)\)", expression) for word in words.split(", ")}
                # Prometheus adds the instance; answers have more labels than those of other metrics of a panel.
                self.assertLessEqual(wanted - {"instance"}, served[name] | {"le"}, f"{name}: {expression}")


class Alarms(unittest.TestCase):
    """The alarms of Prometheus."""

    def test_every_metric_exists(self) -> None:
        rules = re.findall(r"expr: ((?:>-\n(?:\s{10}.*\n)+)|.*)", (PACKAGING / "alarms.yml").read_text())
        self.assertGreater(len(rules), 10)
        used = {name for rule in rules for name in metric_names(rule)}
        self.assertEqual(used - known_metrics(), set())


class Image(SystemTestCase):
    """The container image, as far as it can be tried without one."""

    dockerfile = (PACKAGING / "Dockerfile").read_text()

    def test_the_health_check(self) -> None:
        deployment = self.deployment(simulator=None)
        port = (deployment.folder / "metrics.port").read_text().strip()
        words = re.search(r"^HEALTHCHECK .*?CMD (\[.*?\"\])$", self.dockerfile, re.MULTILINE | re.DOTALL)[1]
        command = json.loads(words.replace("\\\n", "").replace("/7475", f"/{port}"))
        self.assertEqual(subprocess.run(command, check=False, timeout=20).returncode, 0)
        deployment.kill()
        self.assertNotEqual(subprocess.run(command, check=False, timeout=20, stderr=subprocess.DEVNULL).returncode, 0)

    def test_the_context_has_what_the_manifest_names(self) -> None:
        ignored = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and line[0] != "#"]
        with tempfile.TemporaryDirectory(prefix="carillon-context-") as folder:
            def skipped(directory: str, names: List[str]) -> List[str]:
                path = Path(directory).relative_to(ROOT)
                return [name for name in names if any(
                    (path / name).match(pattern.removeprefix("**/")) if pattern.startswith("**/") or "*" in pattern
                    else str(path / name) == pattern for pattern in ignored)]

            context = Path(folder) / "context"
            shutil.copytree(ROOT, context, ignore=skipped, symlinks=True)
            self.assertFalse((context / ".git").exists() or (context / ".build").exists())
            described = subprocess.run(["swift", "package", "dump-package"], cwd=context, capture_output=True, text=True,
                                       check=True)
            for target in json.loads(described.stdout)["targets"]:
                place = target.get("path") or f"{'Tests' if target['type'] == 'test' else 'Sources'}/{target['name']}"
                self.assertTrue((context / place).is_dir(), target["name"])

    def test_every_program_is_a_product(self) -> None:
        programs = re.search(r"for program in ([\w\- ]+);", self.dockerfile)[1].split()
        manifest = (ROOT / "Package.swift").read_text()
        self.assertEqual(programs, ["carillond", "carillon", "carillon-dump", "carillon-load"])
        for program in programs:
            self.assertIn(f'.executable(name: "{program}"', manifest)


if __name__ == "__main__":
    unittest.main()
