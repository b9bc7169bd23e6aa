"""A Debian 12 without anything that it does not need, booted with its own systemd, for tests of packages. Needs
root."""
from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Dict, List, Optional

from support.environment import ROOT, eventually

# The file system that machines begin with. debootstrap makes it in one or two minutes; later runs copy it.
BASE = ROOT / ".build" / "debian-root" / "bookworm"
MIRROR = "http://deb.debian.org/debian"
VARIABLES = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C.UTF-8",
             "DEBIAN_FRONTEND": "noninteractive"}


def base() -> Path:
    """Returns the base system, which is made if it is missing."""
    if not BASE.exists():
        BASE.parent.mkdir(parents=True, exist_ok=True)
        unfinished = Path(tempfile.mkdtemp(prefix="unfinished-", dir=BASE.parent))
        subprocess.run(["debootstrap", "--variant=minbase", "--include=systemd-sysv", "bookworm", str(unfinished),
                        MIRROR],
                       check=True, stdout=subprocess.DEVNULL)
        unfinished.chmod(0o755)
        unfinished.rename(BASE)
    return BASE


class DebianMachine:
    """A copy of the base system, which boots in namespaces of its own: it has no network but its loopback."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="carillon-machine-"))
        # The name of the machine, which may not have the underscores of a temporary folder.
        self.name = "carillon-" + os.urandom(6).hex()
        self.root = self.folder / "root"
        self.console = open(self.folder / "console", "wb")
        self.container: Optional[subprocess.Popen] = None
        self.groups: List[Path] = []
        subprocess.run(["cp", "--archive", "--reflink=auto", str(base()), str(self.root)], check=True)
        # The installer of Debian writes it; debootstrap does not.
        self.write("/etc/hosts", "127.0.0.1 localhost\n")

    def download(self, *packages: str) -> None:
        """Downloads what packages depend on, which `apt-get install` finds then."""
        # The machine has no network, so this is done before it boots, in the network of this process.
        shutil.copy("/etc/resolv.conf", self.root / "etc" / "resolv.conf")
        for words in (["update"], ["install", "--yes", "--no-install-recommends", "--download-only", *packages]):
            done = subprocess.run(["chroot", str(self.root), "apt-get", "--quiet=2", *words], env=VARIABLES, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            if done.returncode:
                raise AssertionError(f"apt-get {' '.join(words)}: {done.stdout}")

    def boot(self) -> None:
        """Boots, and returns when all units have started."""
        command = ["systemd-nspawn", "--quiet", "--directory", str(self.root), "--boot", "--private-network",
                   "--console=pipe", "--machine", self.name]
        if not Path("/run/systemd/system").exists():
            # There is no systemd that would give the container a place in its tree of control groups.
            command += ["--register=no", "--keep-unit"]
            self.groups = self._control_groups()
        pid = os.getpid

        def enter_groups() -> None:
            for group in self.groups:
                (group / "cgroup.procs").write_text(str(pid()))

        self.container = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self.console, stderr=self.console,
                                          preexec_fn=enter_groups)
        eventually(lambda: self._init() and self.result("systemctl", "is-system-running").stdout.strip() == "running",
                   "the machine has booted", 120, pause=0.1)

    def _control_groups(self) -> List[Path]:
        """New control groups for the container, in the trees that its systemd uses."""
        found = [Path("/sys/fs/cgroup") / name for name in ("systemd", "unified")]
        groups = [tree / self.name for tree in found if (tree / "cgroup.procs").exists()]
        for group in groups:
            group.mkdir()
        return groups

    def _init(self) -> Optional[int]:
        """Returns the process id of the machine's systemd; None while there is none."""
        if self.container.poll() is not None:
            raise AssertionError(f"systemd-nspawn ended: {(self.folder / 'console').read_text()}")
        children = Path(f"/proc/{self.container.pid}/task/{self.container.pid}/children").read_text().split()
        return int(children[-1]) if children else None

    def result(self, *command: str, user: str = "root", environment: Optional[Dict[str, str]] = None,
               ) -> subprocess.CompletedProcess:
        """Runs a command in the machine and returns how it ended."""
        identity = ["runuser", "--user", user, "--"] if user != "root" else []
        variables = [f"{name}={value}" for name, value in {**VARIABLES, **(environment or {})}.items()]
        return subprocess.run(
            ["nsenter", "--target", str(self._init()), "--all", "--root", "env", "--ignore-environment",
             "--chdir=/", *variables, *identity, *command], capture_output=True, text=True, stdin=subprocess.DEVNULL,
             check=False)

    def run(self, *command: str, user: str = "root", environment: Optional[Dict[str, str]] = None) -> str:
        """Runs a command in the machine, which must succeed, and returns what it prints."""
        done = self.result(*command, user=user, environment=environment)
        if done.returncode:
            raise AssertionError(f"{' '.join(command)}: exit status {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout

    def write(self, path: str, text: str, mode: int = 0o644) -> None:
        """Writes a file of the machine, which root owns."""
        file = self.root / path.lstrip("/")
        file.write_text(text)
        file.chmod(mode)

    def read(self, path: str) -> str:
        """Returns the text of a file of the machine. /run and /tmp are its own: use `run` for files there."""
        return (self.root / path.lstrip("/")).read_text()

    def stop(self) -> None:
        """Ends the machine and removes it."""
        if self.container and self.container.poll() is None:
            # systemd-nspawn makes the machine's systemd end everything.
            self.container.terminate()
            try:
                self.container.wait(60)
            except subprocess.TimeoutExpired:
                self.container.kill()
                self.container.wait(20)
        for group in self.groups:
            self._remove(group)
        self.console.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    @staticmethod
    def _remove(group: Path) -> None:
        """Removes a control group with those in it, once their last processes have ended."""
        deadline = time.monotonic() + 20
        for path in [*sorted((each for each in group.rglob("*") if each.is_dir()), reverse=True), group]:
            while path.exists():
                try:
                    path.rmdir()
                except OSError:
                    if time.monotonic() > deadline:
                        raise
                    time.sleep(0.05)  # pause: the kernel is still ending processes
