"""The files of Tools/packaging: they name what exists, and do what they say."""
from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any, Dict, Iterator, List, Set, Tuple

from support.deployment import APP, PROGRAMS, ROOT
from support.operations import ask_metrics_port
from support.system_test_case import PAYLOAD, SystemTestCase, register, wait_finished

sys.path.insert(0, str(ROOT / "Tools" / "support"))

import manual_pages  # noqa: E402  (importable only now)

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
    """Returns the metrics of the server that an expression of Prometheus names; a histogram without the suffix of its
    series."""
    names = re.findall(r"\b(?:carillon|process)_[a-z0-9_]+", re.sub(r'"[^"]*"', "", expression))
    return {re.sub(r"_(bucket|sum|count)$", "", name) for name in names}


def known_metrics() -> Set[str]:
    """Returns the metrics that the server has."""
    source = (ROOT / "Sources/Server/CarillonServer/Metrics/MetricName.swift").read_text()
    return set(re.findall(r'^\s+"(\w+)":', source, re.MULTILINE))


class DashboardTests(SystemTestCase):
    """The dashboard of Grafana."""

    def setUp(self) -> None:
        self.dashboard = json.loads((PACKAGING / "grafana.json").read_text())

    def expressions(self) -> List[str]:
        """Returns the expressions of panels, of annotations and of variables."""
        return [*strings(self.dashboard, "expr"), *strings(self.dashboard, "definition")]

    def test_every_metric_exists(self) -> None:
        known = known_metrics()
        self.assertGreater(len(known), 40)
        used = {name for expression in self.expressions() for name in metric_names(expression)}
        self.assertGreater(len(used), 25)
        self.assertEqual(used - known, set())

    def test_prometheus_reads_every_expression(self) -> None:
        rules = []
        for number, expression in enumerate(strings(self.dashboard, "expr")):
            # Grafana puts values in place of its variables.
            plain = re.sub(r"\$\{?\w+\}?", "x", expression.replace("$__rate_interval", "5m").replace("$__range", "1h"))
            rules.append({"record": f"expression:{number}", "expr": plain})
        self.assertGreater(len(rules), 30)
        with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
            # JSON is YAML.
            json.dump({"groups": [{"name": "dashboard", "rules": rules}]}, file)
            file.flush()
            done = subprocess.run(["promtool", "check", "rules", file.name],
                                  capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_panels_do_not_overlap(self) -> None:
        numbers = [panel["id"] for panel in self.dashboard["panels"]]
        self.assertEqual(len(numbers), len(set(numbers)))
        cells: Set[Tuple[int, int]] = set()
        for panel in self.dashboard["panels"]:
            place = panel["gridPos"]
            own = {(place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])}
            self.assertEqual({x for x, _ in own if x >= 24}, set(), f"{panel['title']}: a row has 24 columns")
            self.assertEqual(own & cells, set(), panel["title"])
            cells |= own

    def test_every_label_exists(self) -> None:
        deployment = self.deployment()
        with deployment.client() as client:
            wait_finished(client, client.send(APP, register(client, 3), PAYLOAD)["message_id"])
        served: Dict[str, Set[str]] = {}
        _, text = ask_metrics_port(deployment, "/metrics")
        for name, labels in re.findall(r"^(\w+?)(?:_bucket|_sum|_count)?\{(.*)\} ", text, re.MULTILINE):
            served.setdefault(name, set()).update(re.findall(r'(\w+)="', labels))
        for expression in self.expressions():
            for name in metric_names(expression) & served.keys():
                wanted = set(re.findall(r"(\w+)(?:=~|!=|=)\"", expression))
                wanted |= {word for words in re.findall(r"by \(([^)]*)\)", expression) for word in words.split(", ")}
                # Prometheus adds the instance; answers have more labels than those of other metrics of a panel.
                self.assertLessEqual(wanted - {"instance"}, served[name] | {"le"}, f"{name}: {expression}")


class AlarmMetricsTests(unittest.TestCase):
    """The alarms of Prometheus."""

    def test_every_metric_exists(self) -> None:
        rules = re.findall(r"expr: ((?:>-\n(?:\s{10}.*\n)+)|.*)", (PACKAGING / "alarms.yml").read_text())
        self.assertGreater(len(rules), 10)
        used = {name for rule in rules for name in metric_names(rule)}
        self.assertEqual(used - known_metrics(), set())


class ImageDefinitionTests(SystemTestCase):
    """What can be tried of the container image without one."""

    dockerfile = (PACKAGING / "Dockerfile").read_text()

    def test_the_health_check_of_the_image_follows_the_state(self) -> None:
        words = re.search(r"^HEALTHCHECK .* CMD (\[.*\])$", self.dockerfile, re.MULTILINE)[1]
        self.assertEqual(json.loads(words), ["/usr/bin/carillond", "check-health"])
        deployment = self.deployment(simulator=None)
        config = deployment.keys.path("carillon.json")

        def check(*flags: str) -> Tuple[int, str, str]:
            done = subprocess.run([str(PROGRAMS / "carillond"), "check-health", "--config", config, *flags],
                                  capture_output=True, text=True, check=False, timeout=30)
            return done.returncode, done.stdout, done.stderr

        # The port is in the file that metrics.portFile names.
        self.assertEqual(check(), (0, "ready\n", ""))
        port = (deployment.folder / "metrics.port").read_text().strip()
        self.assertEqual(check("--metrics-port", port, "--metrics-host", "0.0.0.0"), (0, "ready\n", ""))
        # The server ends a connection without its preface after five seconds, as the check ends one without an answer.
        self.assertRegex(check("--metrics-port", str(deployment.port))[2], "does not speak HTTP|has not answered")
        self.assertIn("metrics.host: is empty", check("--metrics-host", "")[2])
        deployment.kill()
        status, _, text = check()
        self.assertEqual(status, 1)
        self.assertIn("has not answered", text)

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
            self.assertFalse((context / ".git").exists())
            self.assertFalse((context / ".build").exists())
            described = subprocess.run(["swift", "package", "dump-package"], cwd=context, capture_output=True,
                                       text=True, check=True)
            for target in json.loads(described.stdout)["targets"]:
                place = target.get("path") or f"{'Tests' if target['type'] == 'test' else 'Sources'}/{target['name']}"
                self.assertTrue((context / place).is_dir(), target["name"])

    def test_every_program_is_a_product(self) -> None:
        script = (ROOT / "Tools/package").read_text()
        programs = [name for words in re.findall(r"^(?:SERVER|SIMULATORS)=\((.*)\)$", script, re.MULTILINE)
                    for name in words.split()]
        manifest = (ROOT / "Package.swift").read_text()
        self.assertEqual(programs, ["carillond", "carillon", "carillon-dump", "carillon-load", "apns-simulator",
                                    "push-simulator"])
        for program in programs:
            self.assertIn(f'.executable(name: "{program}"', manifest)


class ManualPagesTests(unittest.TestCase):
    """The manual pages and completion scripts, which are made from the help of the programs."""

    def test_groff_and_the_shells_read_them(self) -> None:
        with tempfile.TemporaryDirectory(prefix="carillon-manual-") as folder:
            manual, completions = Path(folder) / "manual", Path(folder) / "completions"
            subprocess.run([sys.executable, "-B", str(ROOT / "Tools/support/manual_pages.py"), "--programs",
                            str(PROGRAMS), "--manual", str(manual), "--completions", str(completions), "--date",
                            "2026-07-01", "carillond", "carillon", "carillon-dump", "carillon-load", "apns-simulator",
                            "push-simulator"], check=True)
            names = {path.name for path in manual.iterdir()}
            self.assertLessEqual({"carillond.8", "carillon.1", "carillon-message-status.1", "carillon-dump-backup.1",
                                  "push-simulator.1"}, names)
            for path in sorted(manual.iterdir()):
                done = subprocess.run(["groff", "-Kutf8", "-Tutf8", "-man", "-ww", "-z", str(path)],
                                      capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""), path.name)
            for name, shell in (("carillond", "bash"), ("carillon", "bash"), ("_carillond", "zsh"),
                                ("_carillon", "zsh"), ("carillond.fish", "fish"), ("push-simulator.fish", "fish")):
                subprocess.run([shell, "-n", str(completions / name)], check=True)
            self.assertIn("--listen-port", (completions / "carillond").read_text())

    def test_a_page_has_the_help(self) -> None:
        edition = manual_pages.Edition("1.0", "2026-07-01")
        option = {"kind": "option", "shouldDisplay": True, "isOptional": False, "isRepeating": False,
                  "valueName": "file", "names": [{"kind": "long", "name": "data"}],
                  "preferredName": {"kind": "long", "name": "data"},
                  "abstract": "Where it is.", "defaultValue": "/var"}
        command = {"commandName": "tool", "abstract": "Does a thing.", "discussion": "First.\n\n  tool --data '.x'\n",
                   "arguments": [option],
                   "subcommands": [{"commandName": "sub", "abstract": "More.", "shouldDisplay": True}]}
        pages = manual_pages.command_pages(edition, command)
        self.assertEqual(set(pages), {"tool.1", "tool-sub.1"})
        self.assertEqual(pages["tool.1"].split("\n"), [
            '.TH "TOOL" "1" 2026-07-01 "Carillon 1.0" "Carillon"', ".nh", ".ad l", '.SH "NAME"',
            r"tool \- does a thing", '.SH "SYNOPSIS"', r"\fBtool\fP \fIcommand\fP \fB\-\-data\fP \fIfile\fP",
            '.SH "DESCRIPTION"', "Does a thing.", ".PP", "First.", ".PP", ".RS 2", ".nf",
            r"tool \-\-data \(aq.x\(aq", ".fi", ".RE", '.SH "OPTIONS"', ".TP",
            r"\fB\-\-data\fP \fIfile\fP", "Where it is. (default: /var)", '.SH "COMMANDS"', ".TP",
            r"\fBtool\-sub\fP(1)", "More.", ""])


if __name__ == "__main__":
    unittest.main()
