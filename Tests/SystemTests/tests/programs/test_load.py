"""carillon-load as its user starts it: against a server of its own, against a given server, and against one that
stalls."""
from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any, Dict, List, Tuple

from support.deployment import APP, PROGRAMS, Deployment, eventually
from support.environment import VERSION
from support.system_test_case import SystemTestCase

MIX = "lookup=50,register=10,subscribe=10,send-token=20,send-group=9,send-topic=1"


def start_run(folder: Path, *arguments: str) -> subprocess.Popen:
    """Starts a run that writes run.json and run.html into a folder."""
    command = [str(PROGRAMS / "carillon-load"), "run", "--json", str(folder / "run.json"), "--report",
               str(folder / "run.html"), "--warm-up", "500ms", *arguments]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CARILLON_")}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env={**environment, "HOME": str(folder)})


def finish_run(folder: Path, *arguments: str) -> Tuple[Dict[str, Any], str]:
    """Runs to the end; returns the JSON report and the output."""
    process = start_run(folder, *arguments)
    said, complained = process.communicate(timeout=120)
    if (process.returncode, complained) != (0, ""):
        raise AssertionError(f"status {process.returncode}: {said}{complained}")
    return json.loads((folder / "run.json").read_text()), said


class OwnServerLoadTests(unittest.TestCase):
    """The report of a run with a server of its own."""

    folder: Path
    result: Dict[str, Any]
    said: str

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory(prefix="carillon-load-test-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.result, cls.said = finish_run(cls.folder, "--own", "--rate", "300", "--duration", "3s", "--devices", "1000",
                                          "--mix", MIX, "--data", str(cls.folder), "--grace", "60s")

    def test_each_operation_of_the_mix_is_answered_without_errors(self) -> None:
        operations = self.result["operations"]
        self.assertEqual([row["errors"] for row in operations], [{}] * MIX.count("="))
        answered = sum(row["answered"] for row in operations)
        self.assertEqual(self.result["all"]["answered"], answered)
        # 300 requests in a second, for 3.5 seconds with the warm-up.
        self.assertTrue(0 < answered < 1050, answered)

    def test_the_histogram_of_each_operation_has_all_of_its_answers(self) -> None:
        for row in self.result["operations"]:
            self.assertEqual(sum(count for _, count in row["histogram"]["buckets"]), row["answered"], row["name"])

    def test_the_percentiles_of_each_operation_ascend(self) -> None:
        names = ("p50_ms", "p90_ms", "p99_ms", "p99_9_ms")
        for row in self.result["operations"]:
            for metrics in (row, row.get("to_device", row)):
                percentiles = [metrics[name] for name in names]
                self.assertGreater(percentiles[0], 0, row["name"])
                self.assertEqual(percentiles, sorted(percentiles), row["name"])

    def test_every_push_has_arrived(self) -> None:
        pushes = [row["to_device"] for row in self.result["operations"] if "to_device" in row]
        self.assertEqual(len(pushes), MIX.count("send-"))
        for metrics in pushes:
            self.assertEqual((metrics["arrived"], metrics["missing"]), (metrics["addressed"], 0))
            self.assertEqual(sum(count for _, count in metrics["histogram"]["buckets"]), metrics["addressed"])

    def test_each_process_has_used_the_processor(self) -> None:
        self.assertEqual({use["name"] for use in self.result["usage"]}, {"server", "simulator", "carillon-load"})
        self.assertEqual([use for use in self.result["usage"] if use["cpu_seconds"] <= 0], [])

    def test_the_report_says_how_the_programs_were_built(self) -> None:
        # Both programs are in the same folder.
        self.assertEqual(self.result["build"], self.result["server_build"])
        self.assertEqual("debug builds" in self.said, self.result["build"] == "debug")

    def test_the_output_and_the_page_are_there_and_nothing_else(self) -> None:
        self.assertIn("send-topic → device", self.said)
        self.assertTrue((self.folder / "run.html").read_text().startswith("<!doctype html>"))
        # Neither a folder nor a process remains.
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["run.html", "run.json"])


class LoadRunsTests(SystemTestCase):
    """Short runs; their reports must agree with the server and the simulator."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="carillon-load-test-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def start(self, *arguments: str) -> subprocess.Popen:
        """Starts a run that writes run.json and run.html."""
        return start_run(self.folder, *arguments)

    def run_load(self, *arguments: str) -> Tuple[Dict[str, Any], str]:
        """Runs to the end; returns the JSON report and the output."""
        return finish_run(self.folder, *arguments)

    def given(self, deployment: Deployment, *arguments: str) -> List[str]:
        """Returns the options for the server and the simulator of a deployment."""
        return ["--server", f"127.0.0.1:{deployment.port}", "--api-key-file", str(deployment.api_key_file),
                "--app", APP,
                "--simulator-control", f"127.0.0.1:{deployment.simulator.control_port}", *arguments]

    def wait_lookups(self, deployment: Deployment, count: int) -> None:
        """Waits until a server has answered `count` LOOKUPs: the run is past its warm-up."""
        with deployment.client() as client:
            eventually(lambda: sum(row["count"] for row in client.statistics()["requests"]
                                   if row["operation"] == "lookup") >= count, "the run makes lookups", 60, 0.1)

    def test_two_runs_measure_a_given_server_and_are_compared(self) -> None:
        deployment = self.deployment()
        result, said = self.run_load(*self.given(deployment), "--duration", "2s", "--devices", "500", "--connections",
                                     "3",
                                     "--depth", "4", "--threads", "2", "--mix", MIX, "--keys", "zipf")
        self.assertIn("closed loop, 3 × 4", said)
        self.assertEqual([row["errors"] for row in result["operations"]], [{}] * 6)
        pushes = result["all"]["to_device"]["addressed"]
        self.assertGreater(pushes, 0)
        # One more shows that the simulator is behind the server.
        self.assertGreater(deployment.simulator.stats()["accepted"], pushes)
        self.assertEqual({use["name"] for use in result["usage"]}, {"server", "carillon-load"})
        with deployment.client() as client:
            self.assertEqual(len(client.topic_devices(APP, "load/topic/1")["devices"]), 5)
        # A second run on the same server with the same seed, compared with the first.
        first = self.folder / "first.json"
        (self.folder / "run.json").rename(first)
        result, _ = self.run_load(*self.given(deployment), "--duration", "1s", "--devices", "500", "--mix",
                                  "lookup,send-token")
        self.assertEqual([row["errors"] for row in result["operations"]], [{}] * 2)
        compared = subprocess.run(
            [str(PROGRAMS / "carillon-load"), "compare", str(first), str(self.folder / "run.json"), "--report",
             str(self.folder / "compare.html")], capture_output=True, text=True, check=True, timeout=30)
        self.assertIn("different settings", compared.stdout)
        self.assertIn("Two load tests compared", (self.folder / "compare.html").read_text())

    def test_a_stall_is_seen(self) -> None:
        deployment = self.deployment()
        process = self.start(*self.given(deployment), "--rate", "200", "--duration", "1h", "--devices", "100",
                             "--mix", "lookup")
        self.wait_lookups(deployment, 300)
        deployment.server.send_signal(signal.SIGSTOP)
        time.sleep(1)  # pause: the stall
        deployment.server.send_signal(signal.SIGCONT)
        self.wait_lookups(deployment, 600)
        process.send_signal(signal.SIGINT)
        said, complained = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, complained)
        lookup = json.loads((self.folder / "run.json").read_text())["operations"][0]
        # Some of the requests were due while the server was stopped; their latencies show it.
        self.assertGreater(lookup["p99_ms"], 100, said)
        self.assertGreater(lookup["max_ms"], 800)
        self.assertEqual(lookup["errors"], {})

    def test_a_run_goes_on_when_the_server_dies(self) -> None:
        deployment = self.deployment()
        process = self.start(*self.given(deployment), "--rate", "200", "--duration", "6s", "--grace", "1s",
                             "--devices", "100", "--mix", "lookup")
        self.wait_lookups(deployment, 200)
        deployment.kill()
        said, complained = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, complained)
        lookup = json.loads((self.folder / "run.json").read_text())["operations"][0]
        self.assertGreater(lookup["errors"].get("UNANSWERED", 0), 0, said)
        self.assertIn("were not answered by the end", said)

    def test_an_interrupted_run_has_a_report(self) -> None:
        deployment = self.deployment()
        process = self.start(*self.given(deployment), "--rate", "100", "--duration", "1h", "--devices", "100",
                             "--mix", "lookup")
        self.wait_lookups(deployment, 200)
        process.send_signal(signal.SIGINT)
        said, complained = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, complained)
        self.assertIn("The run was interrupted", said)
        self.assertLess(json.loads((self.folder / "run.json").read_text())["seconds"], 3_600)

    def test_a_condition_of_fail_if_fails_the_run(self) -> None:
        run = self.start("--own", "--rate", "300", "--duration", "1s", "--grace", "60s", "--devices", "100", "--data",
                         str(self.folder), "--fail-if", "all.failed > 0", "--fail-if", "lookup.p99_ms > 0.0001")
        said, complained = run.communicate(timeout=120)
        self.assertEqual(run.returncode, 4, complained)
        self.assertRegex(complained, r"^carillon-load: failed: lookup\.p99_ms > 0\.0001 \(is [0-9.]+\)\n$")
        # The result is there nevertheless.
        self.assertIn("lookup", said)
        conditions = json.loads((self.folder / "run.json").read_text())["fail_if"]
        self.assertEqual([(each["condition"], each["holds"]) for each in conditions],
                         [("all.failed > 0", False), ("lookup.p99_ms > 0.0001", True)])

    def test_the_report_goes_to_standard_output(self) -> None:
        deployment = self.deployment()
        command = [str(PROGRAMS / "carillon-load"), *self.given(deployment), "--duration", "500ms", "--warm-up", "0",
                   "--devices", "100", "--json", "-"]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
        result = json.loads(done.stdout)
        self.assertEqual([row["name"] for row in result["operations"]], ["lookup", "send-token", "register"])
        self.assertEqual((result["settings"]["server_software"], result["software"]),
                         (f"carillond/{VERSION}", f"carillon-load/{VERSION}"))

    def search(self, *arguments: str) -> subprocess.CompletedProcess:
        """Runs a search that writes search.json."""
        return subprocess.run(
            [str(PROGRAMS / "carillon-load"), "search", "--own", "--data", str(self.folder), "--devices", "100",
             "--warm-up", "100ms", "--duration", "300ms", "--json", str(self.folder / "search.json"), *arguments],
            capture_output=True, text=True, timeout=300, check=False)

    def test_a_search_finds_a_rate(self) -> None:
        # A rate of 400 holds on no machine: either 400 are answered in a second, which breaks the limit, or fewer.
        done = self.search("--mix", "lookup", "--arrivals", "even", "--duration", "1s", "--precision", "0.2", "--limit",
                           "lookup.answered_per_second < 290")
        result = json.loads((self.folder / "search.json").read_text())
        steps = result["steps"]
        self.assertEqual(done.returncode, 0 if result["rate"] else 4, done.stdout + done.stderr)
        self.assertEqual((steps[0]["rate"], result["limits"]), (100, ["lookup.answered_per_second < 290"]))
        self.assertLessEqual(result["fails_at"], 400)
        self.assertEqual(result["rate"], max((step["rate"] for step in steps if step["holds"]), default=None))
        for step in steps:
            self.assertEqual(step["holds"], not step["reasons"])
            self.assertIn(f"{step['rate']:.0f}/s", done.stdout.replace(".0/s", "/s"))
        self.assertIn("fails.", done.stdout)

    def test_a_search_may_find_no_rate(self) -> None:
        done = self.search("--mix", "lookup", "--start", "1600", "--limit", "lookup.p50_ms < 0.0001")
        self.assertEqual(done.returncode, 4, done.stdout + done.stderr)
        self.assertIn("No rate holds: 100/s, the lowest, fails.", done.stdout)
        result = json.loads((self.folder / "search.json").read_text())
        self.assertEqual((result["rate"], result["fails_at"]), (None, 100))

    def test_an_interrupted_search_has_no_result(self) -> None:
        deployment = self.deployment()
        process = subprocess.Popen(
            [str(PROGRAMS / "carillon-load"), "search", *self.given(deployment), "--devices", "100", "--duration", "1h",
             "--mix", "lookup", "--limit", "lookup.p99_ms < 1000", "--json", str(self.folder / "search.json")],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.wait_lookups(deployment, 100)
        process.send_signal(signal.SIGINT)
        said, complained = process.communicate(timeout=60)
        self.assertEqual((process.returncode, complained), (1, "carillon-load: The search was interrupted.\n"))
        self.assertIn("The search has no result.", said)
        self.assertEqual(json.loads((self.folder / "search.json").read_text())["steps"], [])

    def test_pushes_to_a_server_without_a_simulator_are_refused(self) -> None:
        deployment = self.deployment(apps={APP: {"production": "main"}})
        options = ["--warm-up", "0", "--duration", "500ms", "--devices", "20", "--mix", "send-token"]
        given = self.given(deployment)
        without = given[:given.index("--simulator-control")]
        refused = self.start(*without, *options)
        said, complained = refused.communicate(timeout=60)
        self.assertEqual((refused.returncode, said), (2, ""))
        self.assertIn("may be connected to Apple", complained)
        self.assertEqual(deployment.simulator.stats()["requests"], 0)
        self.run_load(*without, *options, "--allow-apple")
        self.assertGreater(deployment.simulator.stats()["accepted"], 0)
        # A simulator that is not behind this server.
        other = self.deployment()
        wrong = self.start(*without, "--simulator-control", f"127.0.0.1:{other.simulator.control_port}", *options,
                           "--devices", "1000", "--grace", "1s")
        said, complained = wrong.communicate(timeout=60)
        self.assertEqual((wrong.returncode, said), (1, ""))
        self.assertIn("it is not behind this server", complained)
        # It has registered no more than the device of that push.
        with deployment.client() as client:
            self.assertEqual(len(client.topics(APP, "load/topic/")["topics"]), 20)

    def test_invalid_options_are_refused(self) -> None:
        cases = [([], 2, "No server is given"), (["--own", "--mix", "nothing"], 2, "'nothing' is not an operation"),
                 (["--own", "--mix", "lokup"], 2, "Did you mean 'lookup'?"),
                 (["--own", "--fail-if", "lookup.p99 > 3"], 2, "Did you mean 'lookup.p99_ms'?"),
                 (["--own", "--rate", "0"], 2, "--rate"), (["--own", "--devices", "0"], 2, "--devices"),
                 (["--server", "127.0.0.1:1", "--mix", "lookup"], 3, "CANNOT_CONNECT"),
                 (["--own", "--data", "/nonexistent/folder"], 1, "carillon-load")]
        for arguments, code, word in cases:
            with self.subTest(arguments=arguments):
                process = self.start(*arguments)
                said, complained = process.communicate(timeout=60)
                self.assertEqual((process.returncode, said), (code, ""))
                self.assertRegex(complained, re.escape(word))


if __name__ == "__main__":
    unittest.main()
