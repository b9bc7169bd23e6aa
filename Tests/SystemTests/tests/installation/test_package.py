"""The packages that Tools/package has made in .build/package: installed, upgraded and removed in a clean Debian, and
the files of the container image. Needs root; `Tools/test package` makes the packages and runs this."""
from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any, Dict, List, Tuple

from support.deployment import Deployment
from support.environment import APP, ROOT, eventually
from support.programs.debian_machine import DebianMachine

PACKAGES = ROOT / ".build" / "package"
# Devices of the message that is under way during the upgrade, and how many of them get it in a second.
DEVICES, PACE = 3_000, 100
APPS = {"credentials": {"main": {"teamID": "ABCDE12345", "keyID": "KEY1234567", "keyFile": "AuthKey_KEY1234567.p8"}},
        "apps": {APP: {"production": "main"}}}
SETTINGS = {"apns": {"productionHost": "localhost", "port": 2197, "authoritiesFile": "/etc/carillon/apns.pem"}}
OPERATOR = {"CARILLON_SERVER": "127.0.0.1:7474", "CARILLON_API_KEY_FILE": "/root/api-key", "CARILLON_APP": APP}
# A service that sends one message after the other. It repeats a send without an answer, with the same key, until it
# gets one.
SENDER = """
number=0
until [ -e /root/enough ]; do
    number=$((number + 1))
    until carillon send --group user/ada --title "number $number" --id-key "key-$number" --json \\
        >>/root/accepted 2>>/root/refused
    do sleep 0.02; done
done
echo $number >/root/sent
"""


def package(name: str) -> Path:
    """Returns the package with this name; there must be one."""
    [found] = PACKAGES.glob(f"{name}_*.deb")
    return found


def repacked(path: Path, folder: Path, number: int) -> Path:
    """Returns the package with another number, as a later build of the same version has it."""
    version = subprocess.run(["dpkg-deb", "--field", str(path), "Version"], capture_output=True, text=True,
                             check=True).stdout.strip()
    later = re.sub(r"\+\d+$", f"+{number}", version)
    tree = folder / f"tree-{number}"
    subprocess.run(["dpkg-deb", "--raw-extract", str(path), str(tree)], check=True)
    control = tree / "DEBIAN" / "control"
    control.write_text(control.read_text().replace(version, later))
    made = folder / path.name.replace(version, later)
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Znone", "--build", str(tree), str(made)], check=True,
                   stdout=subprocess.DEVNULL)
    shutil.rmtree(tree)
    return made


class DebianPackagesTests(unittest.TestCase):
    def machine(self) -> DebianMachine:
        """Returns a machine that ends with the test, with the packages in /root and their dependencies at hand."""
        machine = DebianMachine()
        self.addCleanup(machine.stop)
        names = []
        for path in (package("carillon"), package("carillon-simulators")):
            shutil.copy(path, machine.root / "root")
            names.append(f"/root/{path.name}")
        machine.download(*names)
        self.names = names
        return machine

    def install(self, machine: DebianMachine, *names: str) -> None:
        """Installs packages as an operator does."""
        machine.run("apt-get", "install", "--yes", "--no-install-recommends", *names)

    def test_lintian_has_no_complaint(self) -> None:
        done = subprocess.run(["lintian", "--allow-root", "--fail-on", "error,warning", str(package("carillon")),
                               str(package("carillon-simulators"))], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stdout)

    def test_the_first_push_needs_one_command(self) -> None:
        machine = self.machine()
        machine.boot()
        began = time.monotonic()
        self.install(machine, *self.names)
        printed = machine.run("carillon-demo", user="daemon")
        print(f"RESULT package.first_push_seconds {time.monotonic() - began:.1f}")
        self.assertIn("delivered  1\n", printed)
        self.assertRegex(printed, r'"payload":"\{.*Your first push.*"status":200\}')
        self.assertEqual(machine.run("find", "/tmp", "-name", "carillon-demo-*"), "")
        # The server of the package waits for its settings.
        self.assertEqual(machine.result("systemctl", "is-active", "carillon").stdout, "inactive\n")
        self.assertEqual(machine.result("systemctl", "is-enabled", "carillon").stdout, "disabled\n")
        self.assertEqual(machine.run("stat", "--format=%a %U %G", "/etc/carillon", "/var/lib/carillon"),
                         "750 root carillon\n700 carillon carillon\n")
        self.assertEqual(machine.run("systemd-analyze", "verify", "--man=no", "carillon.service"), "")

    def configure(self, machine: DebianMachine) -> None:
        """Writes the settings of an operator, and starts the simulator and the server as services."""
        script = """
            set -e
            cd /etc/carillon
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout /root/apns.key \
                -out apns.pem -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost
            openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:prime256v1 -out AuthKey_KEY1234567.p8
            openssl pkey -in AuthKey_KEY1234567.p8 -pubout -out /root/AuthKey.pub
            chown carillon:carillon AuthKey_KEY1234567.p8
            chmod 600 AuthKey_KEY1234567.p8
            carillond make-key operator --app '*' --role register --role send --role observe --role admin \
                --out /root/api-key |
                sed -n 's/^for the principals file: \\(.*\\)/{"principals": [\\1]}/p' >principals.json
        """
        machine.run("sh", "-c", script)
        machine.write("/etc/carillon/apps.json", json.dumps(APPS))
        machine.write("/etc/carillon/carillon.json", json.dumps(SETTINGS))
        machine.run("systemd-run", "--unit=simulator", "apns-simulator", "--certificate", "/etc/carillon/apns.pem",
                    "--key", "/root/apns.key", "--app", APP, "--team", "ABCDE12345", "--key-id", "KEY1234567",
                    "--public-key", "/root/AuthKey.pub", "--port", "2197", "--record", "/root/pushes.jsonl")
        machine.run("systemctl", "enable", "--now", "carillon")

    def server(self, machine: DebianMachine) -> str:
        """Returns the process id of the service; "0" without one."""
        return machine.run("systemctl", "show", "--property=MainPID", "--value", "carillon").strip()

    def status(self, machine: DebianMachine, message: int) -> Dict[str, Any]:
        """Returns the status of a message."""
        return json.loads(machine.run("carillon", "message", "status", str(message), "--json", environment=OPERATOR))

    def test_an_upgrade_under_load_loses_nothing_and_a_purge_leaves_nothing(self) -> None:
        machine = self.machine()
        self.run_machine(machine)
        with self.subTest("a reload"):
            self.reload(machine)
        with self.subTest("an upgrade under load"):
            self.upgrade_under_load(machine)
        with self.subTest("an upgrade to a version that refuses the settings"):
            self.upgrade_with_faulty_settings(machine)
        with self.subTest("remove, and purge"):
            self.remove_and_purge(machine)

    def run_machine(self, machine: DebianMachine) -> None:
        """Installs and starts everything, and registers the devices."""
        folder = Path(tempfile.mkdtemp(prefix="carillon-packages-"))
        self.addCleanup(shutil.rmtree, folder)
        self.later = []
        for number in (2, 3):
            path = repacked(package("carillon"), folder, number)
            shutil.move(path, machine.root / "root" / path.name)
            self.later.append(f"/root/{path.name}")
        machine.boot()
        self.before = self.traces(machine)
        self.install(machine, *self.names)
        self.configure(machine)
        self.tokens = [hashlib.sha256(str(number).encode()).hexdigest() for number in range(DEVICES)]
        machine.write("/root/devices.jsonl", "".join(
            json.dumps({"app": APP, "token": token, "groups": ["user/ada"] if number < 3 else []}) + "\n"
            for number, token in enumerate(self.tokens)))
        machine.run("carillon", "import", "/root/devices.jsonl", environment=OPERATOR)

    def reload(self, machine: DebianMachine) -> None:
        """Reads the settings again, without another process."""
        before = self.server(machine)
        machine.run("systemctl", "reload", "carillon")
        eventually(lambda: "settings and files are read again" in machine.run("journalctl", "--unit=carillon",
                                                                              "--output=cat", "--no-pager"),
                   "it reads its files")
        self.assertEqual(self.server(machine), before)

    def upgrade_under_load(self, machine: DebianMachine) -> None:
        """Installs the next version while a message to all devices is under way and a service sends others."""
        [large] = [json.loads(line)["message_id"] for line in machine.run(
            "carillon", "send", "--all", "--yes", "--title", "to all", "--pace", str(PACE), "--json",
            environment=OPERATOR).splitlines()]
        machine.run("systemd-run", "--unit=sender", *(f"--setenv={name}={value}" for name, value in OPERATOR.items()),
                    "sh", "-c", SENDER)
        accepted = machine.root / "root" / "accepted"
        eventually(lambda: accepted.exists() and accepted.read_text().count("\n") > 3, "messages are sent")
        before = self.server(machine)
        printed = machine.run("dpkg", "--install", self.later[0])
        self.assertNotIn("onfiguration file", printed)
        after = self.server(machine)
        self.assertNotIn("0", (before, after))
        self.assertNotEqual(before, after)
        self.assertEqual(json.loads(machine.read("/etc/carillon/carillon.json")), SETTINGS)
        self.assertNotEqual(self.status(machine, large)["state"], "finished", "the upgrade came too late to be a test")
        count = accepted.read_text().count("\n")
        eventually(lambda: accepted.read_text().count("\n") > count + 3, "messages are sent after the upgrade")
        machine.write("/root/enough", "")
        eventually(lambda: (machine.root / "root" / "sent").exists(), "the service ends")
        self.assertEqual(self.kill_count(machine, before), 0, "the old server did not end by itself")
        self.check_messages(machine, large)

    def kill_count(self, machine: DebianMachine, process: str) -> int:
        """How often systemd says that this process of the service was killed, or that the service has failed."""
        lines = machine.run("journalctl", "--unit=carillon", "--output=cat", "--no-pager").splitlines()
        return sum(f"Killing process {process}" in line or "Failed with result" in line for line in lines)

    def check_messages(self, machine: DebianMachine, large: int) -> None:
        """Compares what the server has answered with what APNs has got."""
        accepted = [json.loads(line) for line in machine.read("/root/accepted").splitlines()]
        sent = int(machine.read("/root/sent"))
        ids = [answer["message_id"] for answer in accepted]
        self.assertEqual(len(set(ids)), sent)
        for message in [large, *ids]:
            eventually(lambda message=message: self.status(machine, message)["state"] == "finished", f"{message} ends",
                       120)
            self.assertIn(self.status(machine, message)["outcomes"], ({"delivered": 3}, {"delivered": DEVICES}))
        got: Dict[str, List[str]] = {}
        for line in machine.read("/root/pushes.jsonl").splitlines():
            push = json.loads(line)
            got.setdefault(json.loads(push["payload"])["aps"]["alert"]["title"], []).append(push["token"])
        self.assertEqual(sorted(set(got["to all"])), sorted(self.tokens))
        pushes = sum(map(len, got.values()))
        print(
            f"RESULT package.upgrade_messages {sent}\n"
            f"RESULT package.upgrade_pushes_twice {pushes - DEVICES - 3 * sent}")
        # A server that drains waits for the answers of APNs, so no push is repeated.
        self.assertEqual(len(got["to all"]), DEVICES)
        for number in range(1, sent + 1):
            self.assertEqual(sorted(got[f"number {number}"]), sorted(self.tokens[:3]), f"number {number}")

    def upgrade_with_faulty_settings(self, machine: DebianMachine) -> None:
        """A server goes on if the next version could not start."""
        before = self.server(machine)
        machine.write("/etc/carillon/apps.json", "{}")
        done = machine.result("dpkg", "--install", self.later[1])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("the running server is still the old one", done.stderr)
        self.assertEqual(self.server(machine), before)
        machine.run("carillon", "ping", environment=OPERATOR)
        machine.write("/etc/carillon/apps.json", json.dumps(APPS))
        machine.run("systemctl", "restart", "carillon")

    def remove_and_purge(self, machine: DebianMachine) -> None:
        """A removal keeps settings and data, a purge removes all."""
        machine.run("systemctl", "stop", "simulator")
        machine.run("apt-get", "remove", "--yes", "carillon", "carillon-simulators")
        self.assertEqual(machine.result("systemctl", "is-active", "carillon").stdout, "inactive\n")
        for path in ("/etc/carillon/apps.json", "/var/lib/carillon/data.mdb"):
            self.assertTrue((machine.root / path.lstrip("/")).exists(), path)
        self.assertFalse((machine.root / "usr/bin/carillond").exists())
        machine.run("apt-get", "purge", "--yes", "carillon", "carillon-simulators")
        self.assertEqual(self.traces(machine), self.before)
        self.assertNotIn("carillon", machine.read("/etc/passwd") + machine.read("/etc/group"))
        self.assertEqual(machine.result("systemctl", "cat", "carillon").returncode, 1)

    def traces(self, machine: DebianMachine) -> List[str]:
        """Files and folders that are named for Carillon."""
        printed = machine.run("find", "/", "-xdev", "-name", "*carillon*", "-not", "-path", "/root/*", "-not", "-path",
                              "/proc/*", "-not", "-path", "/var/log/*")
        return sorted(printed.splitlines())


class ContainerImageTests(unittest.TestCase):
    """The files of the container image, run by chroot as its user, on a file system that is read-only."""

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="carillon-image-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.root = self.folder / "root"
        self.root.mkdir()
        subprocess.run(["tar", "--extract", "--file", str(PACKAGES / "image" / "root.tar"), "--directory",
                        str(self.root), "--same-owner", "--same-permissions"], check=True)

    def command(self, *words: str) -> List[str]:
        """Returns a program of the image, with the folder of the settings in its place and one that it may write to."""
        script = """
            mount --make-rprivate / && mount --bind "$1" "$1" && mount --bind -o remount,ro "$1"
            mount --bind "$2" "$1/var/lib/carillon" && mount --bind "$3" "$1/etc/carillon"
            mount -t proc proc "$1/proc"
            root=$1 && shift 3
            exec env --ignore-environment CARILLON_METRICS_HOST=127.0.0.1 CARILLON_CONFIG=/etc/carillon/carillon.json \
                /usr/sbin/chroot --userspec=10001:10001 "$root" "$@"
        """
        return ["unshare", "--mount", "sh", "-ec", script, "sh", str(self.root), str(self.folder / "data"),
                str(self.folder / "settings"), *words]

    def test_the_image_has_the_programs_and_no_shell(self) -> None:
        names = sorted(path.name for path in (self.root / "usr/bin").iterdir())
        self.assertEqual(names, ["carillon", "carillon-dump", "carillon-load", "carillond"])
        for path in self.root.rglob("*"):
            if path.is_file() and not path.is_symlink():
                self.assertEqual(path.stat().st_mode & 0o6022, 0, path)
        owner = (self.root / "var/lib/carillon").stat()
        self.assertEqual((owner.st_uid, owner.st_gid, owner.st_mode & 0o777), (10001, 10001, 0o700))

    def check_health(self) -> Tuple[int, str]:
        """Returns the exit status and the output of `check-health` in the container."""
        done = subprocess.run(self.command("/usr/bin/carillond", "check-health"), capture_output=True, text=True,
                              check=False)
        return done.returncode, done.stdout

    def write_settings(self, deployment: Deployment) -> None:
        """Gives the container the folders of its data and settings, with the keys of the deployment."""
        data, settings = self.folder / "data", self.folder / "settings"
        data.mkdir(mode=0o700)
        settings.mkdir()
        shutil.chown(data, 10001, 10001)
        for name in ("apps.json", "principals.json", "AuthKey.p8"):
            shutil.copy(deployment.folder / name, settings)
        for path in (settings, *settings.iterdir()):
            shutil.chown(path, 10001, 10001)
        (settings / "AuthKey.p8").chmod(0o600)
        # The authorities are those of the image, to which an operator has added one.
        with open(self.root / "etc/ssl/certs/ca-certificates.crt", "a", encoding="utf-8") as authorities:
            authorities.write((deployment.folder / "authority.pem").read_text())
        (settings / "carillon.json").write_text(json.dumps({
            "listen": {"port": 0, "portFile": "/var/lib/carillon/server.port"},
            "metrics": {"port": 0, "portFile": "/var/lib/carillon/metrics.port"},
            "apns": {"productionHost": "localhost", "port": deployment.simulator.port}}))
        (settings / "carillon.json").chmod(0o644)
        # glibc asks the name server for localhost, unless it has the name here.
        (self.root / "etc/hosts").write_text("127.0.0.1 localhost\n")

    def test_a_server_in_a_container_serves_and_pushes(self) -> None:
        deployment = Deployment(flags=None)
        self.addCleanup(deployment.stop)
        self.write_settings(deployment)
        self.assertEqual(self.check_health()[0], 1, "no server is there")
        with open(self.folder / "log", "wb") as log:
            server = subprocess.Popen(self.command("/usr/bin/carillond"), stdout=log, stderr=log)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        port_file = self.folder / "data" / "server.port"
        deployment.port = int(eventually(lambda: port_file.exists() and port_file.read_text().strip(),
                                         "the server listens"))
        with deployment.client() as client:
            device = client.register_batch([{"app": APP, "token": bytes(32), "seen_at": int(time.time() * 1000)}])[0]
            message = client.send(APP, [bytes(32)], {"aps": {"alert": "from the image"}})["message_id"]
            outcomes = eventually(lambda: (status := client.message_status(APP, message))["state"] == "finished"
                                  and status["outcomes"], f"message to {device} ends")
        self.assertEqual(outcomes, {"delivered": 1}, (self.folder / "log").read_text())
        self.assertEqual(self.check_health(), (0, "ready\n"))
        server.terminate()
        self.assertEqual(server.wait(30), 0)


if __name__ == "__main__":
    unittest.main()
