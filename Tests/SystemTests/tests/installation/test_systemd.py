"""The server under systemd: what it reports, what the unit allows it, and the mode of its Unix socket."""
from __future__ import annotations

import os
import shutil
import signal
import socket
import stat
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Set

from support.deployment import APP, PROGRAMS, ROOT, Deployment, crln, eventually
from support.operations import reload
from support.system_test_case import SystemTestCase

UNIT = ROOT / "Tools/packaging/carillon.service"
UNPRIVILEGED = 65_534


class Manager:
    """The socket of a service manager."""

    def __init__(self, path: str) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(path)
        self.socket.settimeout(30)

    def next(self, but: str = "WATCHDOG=1") -> str:
        """Returns the next datagram that is not `but`."""
        while (text := self.socket.recv(4096).decode()) == but:
            pass
        return text


class SystemdNotificationsTests(SystemTestCase):
    """Type=notify: sd_notify(3) in plain datagrams."""

    def start(self, path: str, **environment: str) -> Deployment:
        deployment = self.deployment(simulator=None, flags=None)
        deployment.environment = {"NOTIFY_SOCKET": path, **environment}
        deployment.start()
        return deployment

    def test_the_manager_hears_of_each_change(self) -> None:
        folder = self.deployment(simulator=None, flags=None).folder
        for path in (str(folder / "notify"), f"\0carillon-{os.getpid()}"):
            manager = Manager(path)
            self.addCleanup(manager.socket.close)
            with self.subTest(path):
                deployment = self.start(path.replace("\0", "@"))
                self.assertEqual(manager.next(), "READY=1")
                with deployment.client() as client:
                    client.register(APP, os.urandom(32))
                reload(deployment)
                reloading, _, clock = manager.next().partition("\n")
                self.assertEqual(reloading, "RELOADING=1")
                self.assertRegex(clock, r"^MONOTONIC_USEC=\d+$")
                self.assertEqual(manager.next(), "READY=1")
                deployment.server.send_signal(signal.SIGTERM)
                self.assertEqual(manager.next(), "STOPPING=1")
                self.assertEqual(deployment.server.wait(30), 0)

    def test_the_watchdog_is_fed_while_the_server_answers(self) -> None:
        folder = self.deployment(simulator=None, flags=None).folder
        manager = Manager(str(folder / "notify"))
        self.addCleanup(manager.socket.close)
        deployment = self.start(str(folder / "notify"), WATCHDOG_USEC="200000")
        self.assertEqual([manager.next(but="READY=1") for _ in range(3)], ["WATCHDOG=1"] * 3)
        # A process that is stopped is as silent as one that is stuck.
        deployment.server.send_signal(signal.SIGSTOP)
        manager.socket.settimeout(1)
        with self.assertRaises(socket.timeout):
            while True:
                manager.next(but="")
        deployment.server.send_signal(signal.SIGCONT)
        manager.socket.settimeout(30)
        self.assertEqual(manager.next(but=""), "WATCHDOG=1")

    def test_a_watchdog_of_another_process_is_not_fed(self) -> None:
        folder = self.deployment(simulator=None, flags=None).folder
        manager = Manager(str(folder / "notify"))
        self.addCleanup(manager.socket.close)
        deployment = self.start(str(folder / "notify"), WATCHDOG_USEC="10000", WATCHDOG_PID="1")
        self.assertEqual(manager.next(but=""), "READY=1")
        deployment.server.send_signal(signal.SIGTERM)
        self.assertEqual(manager.next(but=""), "STOPPING=1")


class SystemdUnitTests(unittest.TestCase):
    """carillon.service."""

    def allowed(self) -> Set[str]:
        """Returns the system calls that the unit allows: the lines are applied in their order."""
        def expand(name: str) -> Set[str]:
            if not name.startswith("@"):
                return {name}
            text = subprocess.run(["systemd-analyze", "syscall-filter", name], check=True, capture_output=True,
                                  text=True).stdout
            members = [line.strip() for line in text.splitlines()[1:] if line.strip()
                       and not line.strip().startswith("#")]
            self.assertTrue(members, name)
            return {call for member in members for call in expand(member)}

        calls: Set[str] = set()
        for line in UNIT.read_text().splitlines():
            if line.startswith("SystemCallFilter="):
                value = line.partition("=")[2]
                change = {call for name in value.lstrip("~").split() for call in expand(name)}
                calls = calls - change if value.startswith("~") else calls | change
        return calls

    def test_the_service_allows_the_system_calls_that_it_needs(self) -> None:
        allowed = self.allowed()
        needed = {"setpriority", "prlimit64", "prctl", "chmod", "socket", "sendto", "fdatasync", "mmap", "flock"}
        self.assertEqual(needed - allowed, set())
        self.assertEqual({"mount", "reboot", "setuid", "chroot", "bpf"} & allowed, set())

    def test_systemd_understands_the_files(self) -> None:
        folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="carillon-unit-")))
        (folder / "carillond").symlink_to("/bin/true")
        text = UNIT.read_text().replace("/usr/bin/carillond", str(folder / "carillond"))
        (folder / "carillon.service").write_text(text)
        done = subprocess.run(["systemd-analyze", "verify", "--man=no", str(folder / "carillon.service")],
                              capture_output=True, text=True, check=False)
        complaints = [line for line in done.stderr.splitlines() if "carillon.service" in line]
        self.assertEqual(complaints, [])
        for tool, name in (("systemd-sysusers", "carillon.sysusers"), ("systemd-tmpfiles", "carillon.tmpfiles")):
            root = folder / tool
            for each in ("etc", "var/lib"):
                (root / each).mkdir(parents=True)
            (root / "etc/passwd").write_text("root:x:0:0::/root:/bin/sh\ncarillon:x:990:990::/:/bin/false\n"
                                             if tool.endswith("tmpfiles") else "")
            (root / "etc/group").write_text("root:x:0:\ncarillon:x:990:\n" if tool.endswith("tmpfiles") else "")
            create = ["--create"] if tool.endswith("tmpfiles") else []
            done = subprocess.run([tool, *create, f"--root={root}", str(ROOT / "Tools/packaging" / name)],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
        made = folder / "systemd-tmpfiles"
        self.assertEqual([stat.S_IMODE((made / path).stat().st_mode) for path in ("etc/carillon", "var/lib/carillon")],
                         [0o750, 0o700])
        self.assertIn("carillon:", (folder / "systemd-sysusers/etc/passwd").read_text())


class ServerProcessTests(SystemTestCase):
    """What the server asks of the kernel."""

    def test_a_niceness_that_is_not_allowed_is_logged(self) -> None:
        deployment = self.deployment(simulator=None, flags=None)
        deployment.preload("no_priority")
        deployment.start()
        said = "bulk.niceness has no effect"
        eventually(lambda: said in deployment.log(), "the log says that bulk does not yield")
        self.assertIn("Operation not permitted", deployment.log())
        deployment.terminate()
        deployment.start("--bulk-niceness", "0")
        deployment.client().close()
        self.assertEqual(deployment.log().count(said), 1, "nothing was asked for")

    def test_the_unix_socket_has_the_mode_of_the_settings(self) -> None:
        deployment = self.deployment(simulator=None, flags=None)
        path = deployment.keys.path("carillon.sock")
        before = os.umask(0o077)
        self.addCleanup(os.umask, before)
        for flags, mode in (((), 0o660), (("--listen-unix-socket-mode", "0666"), 0o666),
                            (("--listen-unix-socket-mode", "600"), 0o600)):
            with self.subTest(flags):
                deployment.start("--listen-unix-socket", path, *flags)
                self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), mode)
                crln.Client.connect(unix_path=path, api_key=deployment.api_key).close()
                deployment.terminate()
        for bad in ("rw", "0888", "01777", "+7", ""):
            text = deployment.refused_start("--listen-unix-socket", path, "--listen-unix-socket-mode", bad)
            self.assertIn("listen.unixSocketMode", text)

    @unittest.skipUnless(os.geteuid() == 0, "only root can run the server as another user")
    def test_other_processes_of_the_user_do_not_see_the_memory(self) -> None:
        """What a process that can be dumped has in /proc belongs to its user; else it belongs to root."""
        deployment = self.deployment(simulator=None, flags=None)
        for each in (deployment.folder, *deployment.folder.iterdir()):
            shutil.chown(each, UNPRIVILEGED, UNPRIVILEGED)
        deployment.folder.chmod(0o711)
        server = subprocess.Popen(
            [str(PROGRAMS / "carillond"), "--config", deployment.keys.path("carillon.json"), "--apns-port", "1"],
            user=UNPRIVILEGED, group=UNPRIVILEGED, extra_groups=[], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deployment.processes.append(server)
        deployment.port_from("server.port", server)
        self.assertEqual(os.stat(f"/proc/{server.pid}/mem").st_uid, 0)


if __name__ == "__main__":
    unittest.main()
