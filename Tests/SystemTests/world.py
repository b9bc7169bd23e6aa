"""A Carillon world of one's own: certificates, keys, configuration, simulator and server on free loopback ports, all in
one temporary folder that goes away at the end. The twin of Tools/playground.sh for tests in Python.

The built programs are where the environment variable CARILLON_PROGRAMS says, else in .build/debug.
"""
from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(os.environ.get("CARILLON_PROGRAMS") or ROOT / ".build" / "debug")
VECTORS = ROOT / "Protocol" / "vectors"
sys.path.insert(0, str(ROOT / "Protocol" / "python"))

import carillon  # noqa: E402  (its folder is known only now)

APP = "com.example.game"
OTHER_APP = "com.example.other"
LONGEST_APP = "a" * 155
ALL_ROLES = ["register", "send", "observe", "admin"]
PATIENCE = 20.0


def eventually(condition: Callable[[], Any], what: str, patience: float = PATIENCE, pause: float = 0.02) -> Any:
    """The first true value of a condition that is asked every `pause` seconds; AssertionError after `patience`."""
    end = time.monotonic() + patience
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"not within {patience:.0f} s: {what}")
        time.sleep(pause)


class Keys:
    """Certificates and keys in a folder, made with the openssl command."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.authority("authority")
        for name in ("apns", "server"):
            self.certificate(name, "subjectAltName=DNS:localhost,DNS:apns.test,IP:127.0.0.1")
        self._openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "provider.key")
        self._openssl("pkcs8", "-topk8", "-nocrypt", "-in", "provider.key", "-out", "AuthKey.p8")
        self._openssl("pkey", "-in", "AuthKey.p8", "-pubout", "-out", "AuthKey.pub")
        (folder / "AuthKey.p8").chmod(0o600)

    def path(self, name: str) -> str:
        """The path of a file in the folder."""
        return str(self.folder / name)

    def authority(self, name: str) -> None:
        """Makes NAME.key and NAME.pem, a certificate that signs others."""
        self._key(name)
        self._openssl("req", "-x509", "-new", "-key", f"{name}.key", "-subj", f"/CN={name}", "-days", "2",
                      "-out", f"{name}.pem")

    def certificate(self, name: str, extensions: str, authority: str = "authority",
                    days: Tuple[int, int] = (0, 2), subject: str = "") -> None:
        """Makes NAME.key and NAME.pem, valid between two days from now, and NAME.both with the two of them. `subject` is
        what the subject has before its common name, as `/UID=x`."""
        self._key(name)
        (self.folder / f"{name}.ext").write_text(extensions + "\n")
        self._openssl("req", "-new", "-key", f"{name}.key", "-subj", f"{subject}/CN={name}", "-out", f"{name}.csr")
        (self.folder / "index.txt").write_text("")
        (self.folder / "ca.conf").write_text("[ca]\ndefault_ca=d\n[d]\ndatabase=index.txt\nserial=serial\n"
                                             "new_certs_dir=.\ndefault_md=sha256\npolicy=p\n[p]\nUID=optional\ncommonName=supplied\n")
        start, end = (time.strftime("%Y%m%d%H%M%SZ", time.gmtime(time.time() + day * 86_400 - 60)) for day in days)
        self._openssl("ca", "-batch", "-notext", "-create_serial", "-config", "ca.conf", "-in", f"{name}.csr",
                      "-cert", f"{authority}.pem", "-keyfile", f"{authority}.key", "-startdate", start,
                      "-enddate", end, "-extfile", f"{name}.ext", "-out", f"{name}.pem")
        both = (self.folder / f"{name}.pem").read_text() + (self.folder / f"{name}.key").read_text()
        (self.folder / f"{name}.both").write_text(both)

    def _key(self, name: str) -> None:
        self._openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", f"{name}.key")
        (self.folder / f"{name}.key").chmod(0o600)

    def _openssl(self, *arguments: str) -> None:
        done = subprocess.run(["openssl", *arguments], cwd=self.folder, capture_output=True, text=True)
        if done.returncode:
            raise AssertionError(f"openssl {arguments[0]}: {done.stderr}")


class Simulator:
    """The running APNs simulator and its control port."""

    def __init__(self, world: World, flags: Sequence[str], port: int) -> None:
        for name in ("apns.port", "control.port"):
            (world.folder / name).unlink(missing_ok=True)
        path = world.keys.path
        self.process = world.spawn(
            "apns-simulator", "simulator.log", "--certificate", path("apns.pem"), "--key", path("apns.key"),
            "--app", APP, "--team", "TEAM123456", "--key-id", "KEY1234567", "--public-key", path("AuthKey.pub"),
            *(("--record", path("pushes.jsonl")) if world.records else ()), "--port", str(port),
            "--port-file", path("apns.port"), "--control-port", "0", "--control-port-file", path("control.port"),
            *flags)
        self.port = world.port_from("apns.port", self.process)
        self.control_port = world.port_from("control.port", self.process)

    def ask(self, command: str, timeout: float = PATIENCE) -> List[Dict[str, Any]]:
        """One command to the control port; the lines of its answer."""
        with socket.create_connection(("127.0.0.1", self.control_port), timeout) as control:
            control.sendall(command.encode() + b"\n")
            answer = b""
            while not answer.endswith(b"\n\n") and answer != b"\n":
                piece = control.recv(65536)
                if not piece:
                    break
                answer += piece
        return [json.loads(line) for line in answer.splitlines() if line]

    def stats(self) -> Dict[str, Any]:
        """Counters."""
        return self.ask("stats")[0]

    def rule(self, *lines: Dict[str, Any], **line: Any) -> None:
        """Adds rules or faults, as lines or as one given by its keys."""
        for each in [*lines, *([line] if line else [])]:
            answer = self.ask("rule " + json.dumps(each))
            if answer != [{"ok": True}]:
                raise AssertionError(f"the simulator refused a rule: {answer}")

    def devices(self) -> Iterator[Dict[str, Any]]:
        """Every device that a push came for: token, pushes accepted (count) and refused, last refusal's status."""
        with socket.create_connection(("127.0.0.1", self.control_port), PATIENCE) as control:
            control.sendall(b"dump\n")
            for line in control.makefile("rb"):
                if line == b"\n":
                    return
                record = json.loads(line)
                if "error" in record:
                    break
                yield record
            raise AssertionError(f"the simulator's record is not whole: {line!r}")

    def count(self, token: bytes) -> int:
        """Pushes accepted for a device."""
        return self.ask("device " + token.hex())[0]["count"]

    def wait(self, count: int) -> None:
        """Returns when so many pushes were accepted."""
        eventually(lambda: self.stats()["accepted"] >= count, f"{count} pushes accepted", 60)


class World:
    """Simulator and server; ended, and their folder removed, by `stop`."""

    def __init__(self, *, apps: Optional[Dict[str, Any]] = None, principals: Optional[List[Dict[str, Any]]] = None,
                 simulator: Optional[Sequence[str]] = (), flags: Optional[Sequence[str]] = (),
                 clock: Optional[int] = None, names: Optional[Sequence[str]] = None, records: bool = True) -> None:
        """`simulator` and `flags` are more arguments of the two programs; None: not started yet. `clock` is how many
        seconds the server's wall clock is off at first, for `set_clock`. `names`: APNs is the host apns.test, which has
        these addresses at first, for `set_names`. `records`: the simulator writes a line
        for each push, for `pushes`."""
        self.records = records
        self.folder = Path(tempfile.mkdtemp(prefix="carillon-world-"))
        self.environment: Dict[str, str] = {}
        self.processes: List[subprocess.Popen] = []
        self.simulator: Optional[Simulator] = None
        self.server: Optional[subprocess.Popen] = None
        try:
            self.keys = Keys(self.folder)
            self.api_key = "crln_" + os.urandom(32).hex()
            self._configure(apps, principals)
            if clock is not None:
                self._fake_clock(clock)
            if names is not None:
                self._fake_names(names)
            if simulator is not None:
                self.start_simulator(*simulator)
            if flags is not None:
                self.start(*flags)
        except BaseException:
            self.stop()
            raise

    def __enter__(self) -> World:
        return self

    def __exit__(self, *_: Any) -> None:
        self.stop()

    def _configure(self, apps: Optional[Dict[str, Any]], principals: Optional[List[Dict[str, Any]]]) -> None:
        path = self.keys.path
        demo = {"name": "demo", "keySHA256": [sha256(self.api_key)], "grants": [{"app": "*", "roles": ALL_ROLES}]}
        served = {name: {"production": "main"} for name in (APP, OTHER_APP, LONGEST_APP)}
        self.write("principals.json", {"principals": [demo, *(principals or [])]})
        self.write("apps.json", {
            "credentials": {"main": {"teamID": "TEAM123456", "keyID": "KEY1234567", "keyFile": "AuthKey.p8"}},
            "apps": apps or served})
        self.write("carillon.json", {
            "listen": {"host": "127.0.0.1", "port": 0, "portFile": path("server.port")},
            "metrics": {"port": 0, "portFile": path("metrics.port")},
            "data": {"path": path("data")},
            "apns": {"productionHost": "localhost", "port": 1, "authorities": path("authority.pem")},
            "apps": {"file": path("apps.json")}, "principals": {"file": path("principals.json")}})

    def write(self, name: str, content: Any) -> None:
        """Writes a file of the folder as JSON."""
        (self.folder / name).write_text(json.dumps(content))

    # The clock

    def _fake_clock(self, offset: int) -> None:
        """Has the server take its wall clock from here; its monotonic one stays. clang comes with Swift."""
        (self.folder / "clock").write_bytes(bytes(8))
        self._preload("wall_clock", WALL_CLOCK_OFFSET=self.keys.path("clock"))
        self.set_clock(offset)

    def _preload(self, name: str, **environment: str) -> None:
        """Puts a library of this folder between the server and the system."""
        library = self.keys.path(name + ".so")
        subprocess.run(["clang", "-shared", "-fPIC", "-Wall", "-Werror", "-o", library,
                        str(Path(__file__).with_name(name + ".c"))], check=True)
        self.environment = {"LD_PRELOAD": library, **environment}

    def set_clock(self, offset: int) -> None:
        """Sets the server's wall clock so many seconds off the true time."""
        with open(self.folder / "clock", "r+b") as file:
            file.write(offset.to_bytes(8, sys.byteorder, signed=True))

    # Names

    def _fake_names(self, addresses: Sequence[str]) -> None:
        """Has the server take the addresses of apns.test from here, which is where it connects to."""
        self._preload("names", NAMES_FILE=self.keys.path("names"))
        settings = json.loads((self.folder / "carillon.json").read_text())
        settings["apns"]["productionHost"] = "apns.test"
        self.write("carillon.json", settings)
        self.set_names(*addresses)

    def set_names(self, *addresses: str) -> None:
        """Gives apns.test these addresses; none: it does not resolve."""
        whole = self.folder / "names.new"
        whole.write_text("".join(address + "\n" for address in addresses))
        whole.replace(self.folder / "names")

    # Processes

    def spawn(self, program: str, log: str, *arguments: str, environment: Optional[Dict[str, str]] = None
              ) -> subprocess.Popen:
        """Starts one of the built programs, with more variables in its environment."""
        with open(self.folder / log, "ab") as output:
            process = subprocess.Popen([str(PROGRAMS / program), *arguments], stdout=output, stderr=output,
                                       stdin=subprocess.DEVNULL, env={**os.environ, **(environment or {})})
        self.processes.append(process)
        return process

    def port_from(self, name: str, process: subprocess.Popen) -> int:
        """Waits for the port that a starting program writes to a file."""
        file = self.folder / name

        def written() -> str:
            if process.poll() is not None:
                raise AssertionError(f"a program ended before it was ready: {self.log()[-2000:]}")
            return file.read_text().strip() if file.exists() else ""

        return int(eventually(written, f"{name} is written", 30))

    def start_simulator(self, *flags: str, port: int = 0) -> Simulator:
        """Starts the simulator, on a given port if it is to be found again."""
        self.simulator = Simulator(self, flags, port)
        return self.simulator

    def start(self, *flags: str, apns_port: Optional[int] = None, wait: bool = True) -> subprocess.Popen:
        """Starts the server; `wait` until it listens."""
        (self.folder / "server.port").unlink(missing_ok=True)
        port = apns_port or (self.simulator.port if self.simulator else 1)
        self.server = self.spawn("carillond", "server.log", "--config", self.keys.path("carillon.json"),
                                 "--apns-port", str(port), *flags, environment=self.environment)
        if wait:
            self.port = self.port_from("server.port", self.server)
        return self.server

    def refused_start(self, *flags: str, config: str = "carillon.json") -> str:
        """Starts a server that must refuse; what it said. Its exit code must be 1."""
        command = [str(PROGRAMS / "carillond"), "--config", self.keys.path(config), "--apns-port", "1", *flags]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
        if done.returncode != 1:
            raise AssertionError(f"exit code {done.returncode}, not 1: {done.stderr}")
        return done.stderr

    def terminate(self, patience: float = 30) -> int:
        """SIGTERM, and the exit code."""
        self.server.send_signal(signal.SIGTERM)
        return self.server.wait(patience)

    def kill(self) -> None:
        """SIGKILL: no last words."""
        self.server.kill()
        self.server.wait(PATIENCE)

    def stop_simulator(self) -> None:
        """Ends the simulator; connections to it break."""
        self.simulator.process.kill()
        self.simulator.process.wait(PATIENCE)

    def stop(self) -> None:
        """Ends everything and removes the folder."""
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.wait(PATIENCE)
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def is_alive(self) -> bool:
        """Whether the server runs."""
        return self.server is not None and self.server.poll() is None

    @property
    def resident_bytes(self) -> int:
        """Memory that the server occupies."""
        for line in Path(f"/proc/{self.server.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
        raise AssertionError("the server has no memory: it is gone")

    @property
    def heap_bytes(self) -> int:
        """Memory that the server occupies, without pages of files: LMDB's are the system's to keep or take back."""
        for line in Path(f"/proc/{self.server.pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Anonymous:"):
                return int(line.split()[1]) * 1024
        raise AssertionError("the server has no memory: it is gone")

    @property
    def cpu_seconds(self) -> float:
        """Processor time that the server has used."""
        fields = Path(f"/proc/{self.server.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def log(self) -> str:
        """What the server has written so far."""
        file = self.folder / "server.log"
        return file.read_text(errors="replace") if file.exists() else ""

    # Clients

    def client(self, api_key: Optional[str] = None, **options: Any) -> carillon.Client:
        """A plaintext client; with the key of the principal that may do everything."""
        return carillon.Client.connect(port=self.port, plaintext=True, api_key=api_key or self.api_key, **options)

    def tls_client(self, certificate: Optional[str] = None, **options: Any) -> carillon.Client:
        """A client over TLS, with a certificate made by `Keys.certificate` or an `api_key`."""
        return carillon.Client.connect(
            "localhost", self.port, ca_file=self.keys.path("authority.pem"),
            cert_file=self.keys.path(certificate + ".both") if certificate else None, **options)

    def raw(self, phase: str = "preface", source: str = "127.0.0.1", path: str = "") -> RawConnection:
        """A connection of bare bytes that has come up to a phase; with `path` to a Unix socket."""
        return RawConnection(self.port, self.api_key, phase, source, path)

    def pushes(self) -> List[Dict[str, Any]]:
        """What the simulator has recorded."""
        file = self.folder / "pushes.jsonl"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


class DeafPort:
    """A port of an address of this machine that neither takes connections nor refuses them: its queue is full."""

    def __init__(self, address: str, port: int) -> None:
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind((address, port))
        self.listener.listen(0)
        self.fillers: List[socket.socket] = []
        while True:
            filler = socket.socket()
            self.fillers.append(filler)
            filler.settimeout(0.3)
            try:
                filler.connect((address, port))
            except (TimeoutError, socket.timeout):
                break

    def close(self) -> None:
        """Refuses from now on."""
        for each in [*self.fillers, self.listener]:
            each.close()


class RawConnection:
    """A client that says whatever it is told, byte by byte."""

    def __init__(self, port: int, api_key: str, phase: str = "preface", source: str = "127.0.0.1",
                 path: str = "") -> None:
        if path:
            self.sock = socket.socket(socket.AF_UNIX)
            self.sock.connect(path)
        else:
            self.sock = socket.create_connection(("127.0.0.1", port), 10, source_address=(source, 0))
            self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b""
        self.has_preface = False
        try:
            if phase != "preface":
                self.send(carillon.client_preface())
                self.preface()
            if phase in ("auth", "open"):
                self.request(1, "hello", software="bad/1", receive_limit=0)
                self.frame()
            if phase == "open":
                self.request(2, "auth", method=1, credential=api_key.encode())
                self.frame()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> RawConnection:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def send(self, data: bytes) -> None:
        """Sends bytes; a peer that has gone is noticed when reading."""
        try:
            self.sock.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            pass

    def request(self, id: int, message: str, **fields: Any) -> None:
        """Sends a request of well-formed fields."""
        self.send(carillon.encode("client", message, fields, id))

    def _fill(self, count: int, end: float) -> bool:
        while len(self.buffer) < count:
            self.sock.settimeout(max(0.01, end - time.monotonic()))
            try:
                piece = self.sock.recv(1 << 18)
            except ConnectionResetError:
                return False
            except socket.timeout:
                raise AssertionError("the server neither answered nor closed") from None
            if not piece:
                return False
            self.buffer += piece
        return True

    def preface(self, patience: float = 10) -> bytes:
        """The server's preface."""
        if not self._fill(16, time.monotonic() + patience):
            raise AssertionError("closed before the preface")
        preface, self.buffer = self.buffer[:16], self.buffer[16:]
        self.has_preface = True
        return preface

    def frame(self, patience: float = 10) -> Optional[carillon.Frame]:
        """The next frame but PING, or None when the server has closed."""
        end = time.monotonic() + patience
        if not self.has_preface:
            if not self._fill(1, end):
                return None
            self.preface(patience)
        while True:
            if not self._fill(16, end):
                if self.buffer:
                    raise AssertionError("closed in the middle of a header")
                return None
            size = 16 + int.from_bytes(self.buffer[:4], "big")
            if not self._fill(size, end):
                raise AssertionError("closed in the middle of a frame")
            data, self.buffer = self.buffer[:size], self.buffer[size:]
            frame = carillon.decode(data, "server")
            if frame.message != "ping":
                return frame

    def reset(self) -> None:
        """Closes with an RST."""
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
        self.sock.close()

    def close(self) -> None:
        """Closes politely."""
        self.sock.close()


def sha256(key: str) -> str:
    """What the file of principals holds of a key."""
    return hashlib.sha256(key.encode()).hexdigest()


def raw_frame(payload: bytes, opcode: int, id: int, *, kind: int = 1, flags: int = 0,
              length: Optional[int] = None) -> bytes:
    """A frame of which every field may be wrong."""
    return carillon.HEADER.pack(len(payload) if length is None else length, kind, flags, opcode, id) + payload
