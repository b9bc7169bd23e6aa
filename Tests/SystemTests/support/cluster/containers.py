"""Containers without a container engine: processes with a network, a root and an identity of their own, as an image and
a manifest ask for. Needs root, and iproute2 and util-linux."""
from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence

from support.environment import eventually

# The network of all containers, which reaches nothing else.
NETWORK = "10.89.0"
TOOLS = ("unshare", "nsenter", "setpriv", "ip", "curl")


def _has_networks() -> bool:
    """True if the kernel gives this process network namespaces with a bridge: a container of CI may have none."""
    links = "ip link add bridge type bridge && ip link add one type veth peer name other"
    return subprocess.run(["unshare", "-n", "sh", "-c", links], check=False, capture_output=True).returncode == 0


AVAILABLE = os.getuid() == 0 and all(shutil.which(tool) for tool in TOOLS) and _has_networks()
# What the libraries of a program read in /etc.
HOST_FILES = ("passwd", "group", "nsswitch.conf", "ld.so.cache", "localtime")


class Network:
    """A bridge in a namespace of its own, and the names of the containers on it."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="carillon-containers-"))
        self.folder.chmod(0o755)
        self.hosts: Dict[str, str] = {"localhost": "127.0.0.1"}
        self.containers: List[Container] = []
        self.holder = namespace_holder()
        self.enter("ip", "link", "add", "bridge", "type", "bridge")
        self.enter("ip", "link", "set", "bridge", "up")

    def enter(self, *words: str) -> None:
        """Runs a command in the namespace of the bridge."""
        subprocess.run(["nsenter", "-t", str(self.holder.pid), "-n", *words], check=True, capture_output=True)

    def remove(self) -> None:
        """Ends all containers and the network."""
        for container in self.containers:
            container.end()
        self.holder.kill()
        self.holder.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def namespace_holder() -> subprocess.Popen:
    """Returns a process that keeps a network namespace."""
    own = os.readlink("/proc/self/ns/net")
    holder = subprocess.Popen(["unshare", "-n", "sleep", "infinity"])
    eventually(lambda: os.readlink(f"/proc/{holder.pid}/ns/net") != own, "there is a network namespace")
    return holder


class Container:
    """One container of a network."""

    def __init__(self, network: Network, name: str, *names: str, user: int) -> None:
        """`names` are those by which others reach it; `user` runs its commands, without a capability."""
        (self.network, self.name, self.user) = (network, name, user)
        self.address = f"{NETWORK}.{len(network.containers) + 2}"
        network.containers.append(self)
        network.hosts.update({each: self.address for each in (name, *names)})
        self.process: Optional[subprocess.Popen] = None
        self.etc = network.folder / f"{name}.etc"
        self.variable = network.folder / f"{name}.lib"
        for folder in (self.etc, self.variable):
            folder.mkdir()
        for file in HOST_FILES:
            if Path("/etc", file).exists():
                shutil.copy(Path("/etc", file), self.etc / file)
        self.holder = namespace_holder()
        link = f"to-{len(network.containers)}"
        network.enter("ip", "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", str(self.holder.pid))
        network.enter("ip", "link", "set", link, "master", "bridge", "up")
        for words in (("addr", "add", f"{self.address}/24", "dev", "eth0"), ("link", "set", "eth0", "up"),
                      ("link", "set", "lo", "up")):
            subprocess.run(["nsenter", "-t", str(self.holder.pid), "-n", "ip", *words], check=True)

    def command(self, words: Sequence[str], environment: Dict[str, str]) -> List[str]:
        """Returns a command as the container runs it: /etc and /var/lib are its own, and it may write to /var/lib
        only."""
        (self.etc / "hosts").write_text("".join(f"{address} {name}\n" for name, address in self.network.hosts.items()))
        script = (f"mount --bind {self.etc} /etc && mount -o remount,bind,ro /etc && "
                  f"mount --bind {self.variable} /var/lib && exec \"$@\"")
        identity = ["setpriv", "--reuid", str(self.user), "--regid", str(self.user), "--clear-groups",
                    "--inh-caps=-all", "--bounding-set=-all", "--no-new-privs"]
        variables = [f"{name}={value}" for name, value in environment.items()]
        return ["nsenter", "-t", str(self.holder.pid), "-n", "unshare", "-m", "--propagation", "private", "sh", "-c",
                script, "sh", *identity, "env", "-i", *variables, *words]

    def start(self, words: Sequence[str], environment: Dict[str, str]) -> None:
        """Starts its process."""
        with open(self.network.folder / f"{self.name}.log", "ab") as log:
            self.process = subprocess.Popen(self.command(words, environment), stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=log, cwd="/")

    def run(self, words: Sequence[str], environment: Dict[str, str]) -> subprocess.CompletedProcess:
        """Runs a command in it to the end."""
        return subprocess.run(self.command(words, environment), check=False, capture_output=True, text=True, cwd="/",
                              timeout=60)

    def status(self, probe: Dict[str, Any], port: int) -> int:
        """Returns the status of HTTP that a probe gets at its address; 0 without an answer in its time."""
        words = ["curl", "-s", "-o", "/dev/null", "-m", str(probe.get("timeoutSeconds", 1)), "-w", "%{http_code}",
                 f"http://{self.address}:{port}{probe['httpGet']['path']}"]
        done = subprocess.run(["nsenter", "-t", str(self.network.containers[0].holder.pid), "-n", *words], check=False,
                              capture_output=True, text=True)
        return int(done.stdout or 0)

    def stop(self, seconds: float, with_signal: signal.Signals = signal.SIGTERM) -> int:
        """Sends a signal and returns the exit status; AssertionError if the process has not ended in time."""
        self.process.send_signal(with_signal)
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired as error:
            raise AssertionError(f"{self.name} has not ended: {self.log()[-2000:]}") from error

    def log(self) -> str:
        """Returns what its process has written."""
        return (self.network.folder / f"{self.name}.log").read_text(errors="replace")

    def end(self) -> None:
        """Kills its process, and its network."""
        for process in (self.process, self.holder):
            if process and process.poll() is None:
                process.kill()
                process.wait()
