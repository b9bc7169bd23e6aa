"""2,000 hostile connections of each kind: the server's memory stays bounded, and a neighbour is answered in time.

Tools/prove hostile [--smoke] [--connections N] [KIND…]

The kinds: statuses and pages (large answers that stay unread), dry-runs (queued listings), explains (long reads),
half-frames, half-handshakes (of TLS). Every hostile connection sends as much as the server takes, and reads nothing;
all but the half-handshakes log in first, with the same valid key. A connection that the server closes is made again.
The neighbour has a key of its own and sends short requests at a steady rate, first alone. The limits: 512 MiB of
resident memory; the neighbour's p99 at most 5 times as long as alone, and at most 50 ms. The short form has few
connections and judges no times.

Programs: carillond
Build: debug
"""
from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import selectors
import socket
import ssl
import sys
import time
from typing import Any, Callable, Dict, List, Optional

from support.deployment import APP, Deployment, crln, sha256
from support.environment import require
from support.figures import percentile

CONNECTIONS = 2_000
SMOKE_CONNECTIONS = 100
RSS_LIMIT_MIB = 512
NEIGHBOUR_RATIO = 5
NEIGHBOUR_MS = 50
# Requests of the neighbour a second, and the seconds for which it is measured.
RATE = 200
SECONDS = 15
SMOKE_SECONDS = 2
# Where the hostile connections come from.
ADDRESSES = [f"127.0.1.{number}" for number in range(1, 21)]

# Long names: an audience that names 18 of them is nearly as long as it may be.
GROUPS = [f"{number:04}" + "g" * 190 for number in range(1_000)]


def requests(frames: Callable[[int], bytes], count: int) -> bytes:
    """Requests with the ids from 3 on."""
    return b"".join(frames(3 + index) for index in range(count))


def frame(message: str, id: int, **fields: Any) -> bytes:
    """One request."""
    return crln.encode("client", message, fields, id)


def statuses(message: int) -> bytes:
    """MESSAGE_STATUS of a message with a long audience."""
    return requests(lambda id: frame("message_status", id, app=APP, message_id=message), 1_024)


def pages(_: int) -> bytes:
    """GROUPS with large pages."""
    return requests(lambda id: frame("groups", id, app=APP, prefix="", after="", limit=1_000), 1_024)


def dry_runs(_: int) -> bytes:
    """SEND as a dry run to 1,000 tokens of one byte: five bytes each on the wire."""
    devices = [crln.device_field("78")] * 1_000
    return requests(
        lambda id: frame("send", id, app=APP, key=bytes(16), push_type=1, priority=0, audience=1, devices=devices,
                         payload=b'{"aps":{"alert":"x"}}', dry_run=1), 200)


def explains(_: int) -> bytes:
    """EXPLAIN of a condition with 700 terms."""
    condition = " || ".join(f"'t{number}' in topics" for number in range(700))
    return requests(lambda id: frame("explain", id, app=APP, condition=condition), 300)


def half_frames(_: int) -> bytes:
    """Returns a frame of 1 MB without its last bytes."""
    whole = crln.HEADER.pack(1_000_000, 1, 0, 0x0012, 3)
    return whole + bytes(999_000)


# The kinds that log in, with the function that makes what each sends then; its argument is the id of a message.
ATTACKS: Dict[str, Callable[[int], bytes]] = {
    "statuses": statuses, "pages": pages, "dry-runs": dry_runs, "explains": explains, "half-frames": half_frames,
}
# The kind that sends the first bytes of a TLS handshake, to a server with TLS.
HALF_HANDSHAKES = "half-handshakes"
KINDS = [*ATTACKS, HALF_HANDSHAKES]


class HostileConnection:
    """A connection that sends all that the server takes, and reads nothing."""

    def __init__(self, port: int, number: int, opening: bytes, attack: bytes) -> None:
        self.sock = socket.socket()
        # The neighbour has another address: the half-open connections of one address displace each other.
        self.sock.bind((ADDRESSES[number % len(ADDRESSES)], 0))
        self.sock.setblocking(False)
        # The bytes that are not read stay with the server, not with the kernel.
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65_536)
        self.left = memoryview(opening + attack)
        try:
            self.sock.connect(("127.0.0.1", port))
        except BlockingIOError:
            pass

    def advance(self) -> bool:
        """Sends what the server takes; false if the connection has ended."""
        try:
            while self.left:
                self.left = self.left[self.sock.send(self.left[:65_536]):]
        except BlockingIOError:
            pass
        except OSError:
            return False
        return True

    def is_closed(self) -> bool:
        """True if the server has reset the connection, or has closed it without having sent a byte."""
        try:
            return self.sock.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True


def attack(port: int, count: int, opening: bytes, bytes_of_attack: bytes, opened: Any, ended: Any) -> None:
    """Keeps `count` hostile connections until `ended` is set. Runs in a process of its own."""
    # Attackers are on other machines. Here they must not take the processor from the neighbour's client.
    os.nice(19)
    selector = selectors.DefaultSelector()
    connections: List[HostileConnection] = []
    made = 0
    while not ended.is_set():
        # A few at a time, as a client would: the rest of the time is the server's.
        for _ in range(min(50, count - len(connections))):
            hostile = HostileConnection(port, made, opening, bytes_of_attack)
            made += 1
            connections.append(hostile)
            selector.register(hostile.sock, selectors.EVENT_WRITE, hostile)
        # The server closes the oldest half-open ones: `count` may never be there at once.
        if made >= count:
            opened.set()
        for key, _ in selector.select(0.05):
            if not key.data.advance():
                drop(key.data, connections, selector)
            elif not key.data.left:
                selector.unregister(key.data.sock)
        for hostile in [each for each in connections if not each.left and each.is_closed()]:
            drop(hostile, connections, selector)
        time.sleep(0.02)  # pause: the attack has no rate of its own


def drop(hostile: HostileConnection, connections: List[HostileConnection], selector: selectors.BaseSelector) -> None:
    """Forgets a connection that has ended."""
    try:
        selector.unregister(hostile.sock)
    except KeyError:
        pass
    hostile.sock.close()
    connections.remove(hostile)


def neighbour(port: int, key: str, tls: Optional[str], seconds: float, result: Any) -> None:
    """Sends short requests at a steady rate, and puts the milliseconds of all into `result`. It runs in a process of
    its own."""
    # A long wait is a figure, which only the full proof judges.
    options: Dict[str, Any] = {"timeout": 60.0, **({"ca_file": tls} if tls else {"plaintext": True})}
    times: List[float] = []
    with crln.Client.connect("localhost" if tls else "127.0.0.1", port, api_key=key, **options) as client:
        due = time.monotonic()
        end = due + seconds
        number = 0
        while due < end:
            time.sleep(max(0, due - time.monotonic()))  # pause: the rate
            # One registration, then lookups of that device.
            token = (number // 10).to_bytes(32, "big").hex()
            # Measured from the time at which the request was due, so that a stall counts for all that it delays.
            if number % 10 == 0:
                client.register(APP, token)
            else:
                client.lookup(APP, token)
            times.append((time.monotonic() - due) * 1_000)
            number += 1
            due += 1 / RATE
    result.put(times)


class Proof:
    """The kinds one after the other, each with a deployment of its own, and the worst of their figures."""

    def __init__(self, connections: int, seconds: float, judges_times: bool) -> None:
        self.connections = connections
        self.seconds = seconds
        self.judges_times = judges_times
        self.key = "crln_" + os.urandom(32).hex()
        self.failed = False
        self.worst_rss = 0.0
        self.worst_ratio = 0.0
        self.worst_p99 = 0.0

    def run(self, kinds: List[str]) -> None:
        """Runs the kinds and prints the results."""
        print("kind              resident  neighbour's p99: alone  beside   ratio  connections")
        for kind in kinds:
            self._run(kind)
        print(f"RESULT hostile.rss_mib {self.worst_rss:.0f}")
        print(f"RESULT hostile.neighbour_p99_ratio {self.worst_ratio:.2f}")
        print(f"RESULT hostile.neighbour_p99_ms {self.worst_p99:.2f}")
        require(self.worst_rss <= RSS_LIMIT_MIB, f"more than {RSS_LIMIT_MIB} MiB are resident")
        if self.judges_times:
            require(self.worst_ratio <= NEIGHBOUR_RATIO, "the neighbour waits too much longer than alone")
            require(self.worst_p99 <= NEIGHBOUR_MS, "the neighbour waits too long")

    def _run(self, kind: str) -> None:
        principals = [{"name": "neighbour", "keySHA256": [sha256(self.key)],
                       "grants": [{"app": APP, "roles": ["register", "observe"]}]}]
        uses_tls = kind == HALF_HANDSHAKES
        with Deployment(simulator=None, flags=None, principals=principals) as deployment:
            keys = deployment.keys
            flags = ["--limits-connections", str(2 * self.connections + 100)]
            if uses_tls:
                flags += ["--listen-certificate-file", keys.path("server.pem"),
                          "--listen-certificate-key-file", keys.path("server.key")]
            deployment.start(*flags)
            tls = keys.path("authority.pem") if uses_tls else None
            message = 0 if uses_tls else prepare(deployment)
            alone = self._neighbour(deployment, tls)
            if uses_tls:
                opening, attacked = b"", client_hello()[:-20]
            else:
                opening, attacked = handshake(deployment.api_key), ATTACKS[kind](message)
            opened, ended = multiprocessing.Event(), multiprocessing.Event()
            process = multiprocessing.Process(
                target=attack, args=(deployment.port, self.connections, opening, attacked, opened, ended), daemon=True)
            process.start()
            require(opened.wait(300), "the hostile connections were not made")
            beside = self._neighbour(deployment, tls)
            rss = peak_mib(deployment)
            open_now = len(os.listdir(f"/proc/{deployment.server.pid}/fd"))
            ended.set()
            process.join(30)
            process.kill()
            require(deployment.is_alive, f"the server has ended: {deployment.log()[-2000:]}")
        ratio = beside / alone
        self.worst_rss = max(self.worst_rss, rss)
        self.worst_ratio = max(self.worst_ratio, ratio)
        self.worst_p99 = max(self.worst_p99, beside)
        print(f"{kind:16}{rss:6.0f} MiB{alone:21.2f} ms{beside:7.2f} ms{ratio:7.2f}{open_now:9,}", flush=True)

    def _neighbour(self, deployment: Deployment, tls: Optional[str]) -> float:
        """Returns the p99 of the neighbour in milliseconds."""
        result: Any = multiprocessing.Queue()
        process = multiprocessing.Process(
            target=neighbour, args=(deployment.port, self.key, tls, self.seconds, result), daemon=True)
        process.start()
        times = result.get(timeout=self.seconds + 120)
        process.join(30)
        return percentile(times, 99)


def prepare(deployment: Deployment) -> int:
    """Makes groups with long names, and a scheduled message with a long audience; returns its id."""
    with deployment.client() as client:
        phone = client.register(APP, "ab" * 32)["device_id"]
        for first in range(0, len(GROUPS), 100):
            for group in GROUPS[first:first + 100]:
                client.join(APP, group, [phone])
        audience = " || ".join(f"'{name}' in groups" for name in GROUPS[:18])
        later = int(time.time() * 1_000) + 86_400_000
        sent = client.send_to(APP, {"aps": {"alert": "x"}}, condition=audience, send_at=later)
        require(sent["message_id"] > 0, "the message was not accepted")
        return sent["message_id"]


def handshake(key: str) -> bytes:
    """Returns the preface, HELLO and AUTH of a client."""
    return (crln.client_preface() + frame("hello", 1, software="hostile/1", receive_limit=0)
            + frame("auth", 2, method=1, credential=key.encode()))


def client_hello() -> bytes:
    """Returns the first message of a TLS handshake."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    tls = ssl.create_default_context().wrap_bio(incoming, outgoing, server_hostname="localhost")
    try:
        tls.do_handshake()
    except ssl.SSLWantReadError:
        pass
    return outgoing.read()


def peak_mib(deployment: Deployment) -> float:
    """Returns the most memory that was ever resident, in MiB."""
    with open(f"/proc/{deployment.server.pid}/status", encoding="ascii") as status:
        line = next(line for line in status if line.startswith("VmHWM:"))
    return int(line.split()[1]) / 1_024


def main() -> int:
    """Runs the proof; the exit status is 1 if a limit is passed."""
    parser = argparse.ArgumentParser(prog="Tools/prove hostile", description=__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true")
    parser.add_argument("--connections", type=int)
    parser.add_argument("kinds", nargs="*", choices=[*KINDS, []], metavar="KIND")
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(65_536, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),) * 2)
    connections = options.connections or (SMOKE_CONNECTIONS if options.smoke else CONNECTIONS)
    try:
        Proof(connections, SMOKE_SECONDS if options.smoke else SECONDS, not options.smoke).run(
            options.kinds or KINDS)
    except AssertionError as error:
        print(f"wrong: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
