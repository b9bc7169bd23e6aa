"""The output of check-config; real processes."""
from __future__ import annotations

import json
import subprocess
import unittest
from typing import Dict

from support.deployment import PROGRAMS
from support.operations import check_configuration
from support.system_test_case import SystemTestCase


class ConfigurationTests(SystemTestCase):
    """carillond check-config."""

    def test_all_errors_are_reported_at_once(self) -> None:
        deployment = self.deployment(simulator=None, flags=None)
        (deployment.folder / "principals.json").write_text('{"principals": []}')
        (deployment.folder / "AuthKey.p8").chmod(0o644)
        code, text = check_configuration(deployment, "--data-path", "/nowhere/at/all", "--client-threads", "900",
                                         "--metrics-host", "192.0.2.1", "--apns-authorities-file", "/nowhere.pem",
                                         "--proxy-address", "proxy")
        self.assertEqual(code, 1)
        for words in ("clientThreads: is 900; it must be 1 to 64", "names no principal", "chmod 600",
                      "data.path: /nowhere", "192.0.2.1 is not an address of this machine", "apns.authoritiesFile: ",
                      "proxy.address: is proxy"):
            self.assertIn(words, text)

    def test_a_running_server_is_not_disturbed(self) -> None:
        deployment = self.deployment(simulator=None)
        port = (deployment.folder / "server.port").read_text().strip()
        code, text = check_configuration(deployment, "--listen-port", port)
        self.assertEqual(code, 0, text)
        self.assertIn("is in use, perhaps by a carillond that runs already", text)
        self.assertTrue(deployment.is_alive)

    def test_the_example_file_is_read(self) -> None:
        deployment = self.deployment(simulator=None, flags=None)
        example = subprocess.run([str(PROGRAMS / "carillond"), "--example-config"], capture_output=True, text=True,
                                 check=True).stdout
        (deployment.folder / "example.json").write_text(example)
        done = subprocess.run([str(PROGRAMS / "carillond"), "check-config", "--config",
                               deployment.keys.path("example.json"),
                               "--apps-file", deployment.keys.path("apps.json"), "--principals-file",
                               deployment.keys.path("principals.json"), "--data-path", deployment.keys.path("data")],
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_the_file_is_an_argument_of_check_config(self) -> None:
        deployment = self.deployment(simulator=None, flags=None)
        for arguments in (["check-config", deployment.keys.path("carillon.json")],
                          ["check-config", "--config", deployment.keys.path("carillon.json")]):
            done = subprocess.run([str(PROGRAMS / "carillond"), *arguments], capture_output=True, text=True, timeout=20)
            self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)

    def test_a_fault_of_json_is_named_with_its_line_and_column(self) -> None:
        deployment = self.deployment(simulator=None, flags=None)
        apps = deployment.folder / "apps.json"
        text = apps.read_text()
        for name, broken, words in (
                ("apps.json", text.rstrip()[:-1] + ",}",
                 f"apps.json: is not JSON: line 1, column {len(text.rstrip()) + 1}"),
                ("carillon.json", '{\n  // a comment\n  "listen": {"port": 1,\n}}',
                 "carillon.json: is not JSON: line 4, column 1"),
                ("carillon.json", '{"clientThreads": 1,\n "clientThreads": 2}',
                 "has the same name twice in an object: line 2, column 2"),
                ("principals.json", "[]", "principals.json: is not a JSON object")):
            with self.subTest(words):
                before = (deployment.folder / name).read_text()
                (deployment.folder / name).write_text(broken)
                code, said = check_configuration(deployment)
                self.assertEqual(code, 1, said)
                self.assertIn(words, said)
                (deployment.folder / name).write_text(before)
        apps.unlink()
        self.assertIn("apps.json: cannot be read: No such file or directory", check_configuration(deployment)[1])

    def test_a_misspelt_variable_is_refused(self) -> None:
        deployment = self.deployment(simulator=None, flags=None)
        command = [str(PROGRAMS / "carillond"), "check-config", deployment.keys.path("carillon.json")]
        done = subprocess.run(command, capture_output=True, text=True, env={"CARILLON_LISTEN_PROT": "3"})
        self.assertEqual(done.returncode, 1)
        self.assertIn("CARILLON_LISTEN_PROT: is not a setting. Did you mean CARILLON_LISTEN_PORT?", done.stderr)
        # What Kubernetes sets for a service called carillon is no fault.
        done = subprocess.run(command, capture_output=True, text=True, env={"CARILLON_PORT": "tcp://10.0.0.1:7474"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("note: CARILLON_PORT: is not a setting and has no effect", done.stdout)

    def test_a_misspelt_setting_is_refused(self) -> None:
        deployment = self.deployment(simulator=None, flags=None)
        settings = json.loads((deployment.folder / "carillon.json").read_text())
        settings["listen"]["prot"] = 1
        deployment.write("carillon.json", settings)
        self.assertIn("listen.prot is not a setting", deployment.refused_start())
        code, text = check_configuration(deployment)
        self.assertEqual(code, 1)
        self.assertIn("listen.prot is not a setting. Did you mean 'listen.port'?", text)

    def test_an_option_overrides_a_variable_and_a_variable_the_file(self) -> None:
        deployment = self.deployment(simulator=None, flags=None)
        settings = json.loads((deployment.folder / "carillon.json").read_text())
        settings["clientThreads"] = 100
        deployment.write("carillon.json", settings)

        def said(environment: Dict[str, str], *flags: str) -> str:
            command = [str(PROGRAMS / "carillond"), "check-config", "--config", deployment.keys.path("carillon.json"),
                       *flags]
            return subprocess.run(command, capture_output=True, text=True, env=environment).stderr

        self.assertIn("clientThreads: is 100", said({}))
        self.assertIn("clientThreads: is 200", said({"CARILLON_CLIENT_THREADS": "200"}))
        self.assertIn("clientThreads: is 300", said({"CARILLON_CLIENT_THREADS": "200"}, "--client-threads", "300"))


if __name__ == "__main__":
    unittest.main()
