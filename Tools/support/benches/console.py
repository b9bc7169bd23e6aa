"""Tools/bench console: what the console costs the server, and the service API beside the protocol.

It has 10,000 topics, 100,000 messages (1,000 of each in the short form) and the devices of the run. An open console is
a thread that makes the requests of its pages at their refresh interval: no browser takes a core from the server.
"""

from __future__ import annotations

import http.client
import json
import selectors
import shutil
import socket
import threading
import time
from typing import Any, Dict, Iterable, List, Tuple

from common import (APP, CLIENT_CORE, CORES, PROGRAMS, BenchFailed, Figures, MeasuredFanout, Scale, Server, crln,
                    deployment, file_path, percentile, run_program)
from fanout import deliver

# The refresh interval of a page unless a user chooses another one.
REFRESH_SECONDS = 2
# A request to the console: its path and its fields.
Request = Tuple[str, Dict[str, Any]]
# The server takes a sample at this interval: a shorter measurement might contain none.
SAMPLE_SECONDS = 5


class Session:
    """A user of the console who has logged in."""

    def __init__(self, port: int, key: str) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.head = {"Content-Type": "application/json", "Sec-Fetch-Site": "same-origin", "X-Carillon-Poll": "1"}
        self.head["Cookie"] = self.request("login", {"key": key})[1].partition(";")[0]

    def request(self, path: str, fields: Dict[str, Any]) -> Tuple[Dict[str, Any], str]:
        """Makes a request; returns the answer, and its cookie."""
        self.connection.request("POST", f"/api/{path}", json.dumps(fields), self.head)
        answer = self.connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            raise BenchFailed(f"the console answers {path} with {answer.status}: {body[:300]}")
        return json.loads(body), answer.getheader("set-cookie") or ""


class Pages:
    """The requests that each page makes when it is opened, and the requests that it repeats."""

    def __init__(self, message: int, device: int, topic: str) -> None:
        app, never = {"app": APP}, 2**53 - 1
        self.opened = {
            "overview": [("settings", {}), ("overview", {"after": 0})],
            "messages": [("v1/messages", {**app, "before": "0", "limit": 50}), ("v1/statistics", {})],
            "message": [("message", {**app, "message_id": message}), ("content", {**app, "message_id": message}),
                        ("v1/message_outcomes", {**app, "message_id": message, "cursor": "0", "limit": 1000})],
            "lookup": [("v1/lookup", {**app, "device": device}),
                       ("v1/memberships", {**app, "device": device, "limit": 1000}),
                       ("v1/groups", {**app, "prefix": topic[:3], "limit": 20}),
                       ("v1/topics", {**app, "prefix": topic[:3], "limit": 20}),
                       ("v1/topic_devices", {**app, "topic": topic, "cursor": "0", "limit": 100}),
                       ("v1/trace", {**app, "message_id": message, "device": device})],
            "audience": [("v1/explain", {**app, "condition": f"'{topic}' in topics && !('none' in groups)"}),
                         ("v1/topics", {**app, "prefix": "t", "limit": 8})],
            "compose": [("v1/send", {**app, "push_type": "alert", "audience": "topic", "topic": topic, "dry_run": True,
                                     "payload": {"aps": {"alert": "x"}}})],
            "credentials": [("settings", {}), ("overview", {"after": never})],
            "settings": [("settings", {})],
        }
        self.repeated = {
            "overview": self.opened["overview"][1:], "messages": self.opened["messages"],
            "message": self.opened["message"][:1], "credentials": self.opened["credentials"],
        }


class OpenConsole:
    """The pages of `names`, open until `close`."""

    def __init__(self, port: int, key: str, pages: Pages, names: List[str]) -> None:
        self.ended = threading.Event()
        self.failure = None
        self.requests = 0
        self.threads = [threading.Thread(target=self.poll, args=(Session(port, key), pages.repeated[name]))
                        for name in names]
        for thread in self.threads:
            thread.start()

    def poll(self, session: Session, requests: List[Request]) -> None:
        after = 0
        try:
            while not self.ended.wait(REFRESH_SECONDS):
                for path, fields in requests:
                    found, _ = session.request(path, {**fields, "after": after} if path == "overview" else fields)
                    self.requests += 1
                    if path == "overview":
                        after = found["history"]["last"]
        except (OSError, BenchFailed) as failure:
            self.failure = failure

    def close(self) -> None:
        """Closes the pages."""
        self.ended.set()
        for thread in self.threads:
            thread.join()
        if self.failure:
            raise BenchFailed(f"the open console: {self.failure}")


def make_requests(port: int, key: str, path: str, bodies: Iterable[bytes], connections: int) -> float:
    """Makes requests of the service API, one at a time on each connection; returns the seconds."""
    head = (f"POST /v1/{path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\n"
            "Content-Type: application/json\r\nContent-Length: ").encode()
    waiting = iter(bodies)
    began = time.monotonic()
    with selectors.DefaultSelector() as selector:
        def next_request(peer: socket.socket) -> None:
            body = next(waiting, None)
            if body is None:
                selector.unregister(peer)
                peer.close()
            else:
                peer.sendall(head + str(len(body)).encode() + b"\r\n\r\n" + body)

        for _ in range(connections):
            peer = socket.create_connection(("127.0.0.1", port))
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            selector.register(peer, selectors.EVENT_READ, bytearray())
            next_request(peer)
        while selector.get_map():
            for ready, _ in selector.select(60):
                ready.data.extend(ready.fileobj.recv(65_536))
                fields, separator, body = bytes(ready.data).partition(b"\r\n\r\n")
                if not separator or len(body) < int(fields.lower().partition(b"content-length: ")[2].split(b"\r")[0]):
                    continue
                if not fields.startswith(b"HTTP/1.1 200"):
                    raise BenchFailed(f"the service API answers {bytes(ready.data)[:300]}")
                ready.data.clear()
                next_request(ready.fileobj)
    return time.monotonic() - began


class Console:
    """The server with an open console and without, its answers to pages, and JSON over HTTP beside the protocol."""

    name, unit = "console", "deliveries per CPU-second of the server; milliseconds of an answer; microseconds of CPU"
    ratios = {"ratio_open": lambda round: round["open_per_cpu_second"] / round["closed_per_cpu_second"]}

    def __init__(self, scale: Scale, _: object) -> None:
        self.shared, self.is_smoke = scale.shared, scale.is_smoke
        self.devices, self.requests = scale.devices, scale.requests
        self.topics, self.messages = (1_000, 1_000) if scale.is_smoke else (10_000, 100_000)
        self.count = self.shared.sizes[-1]
        self.work = f"{self.devices} devices, {self.topics} topics, {self.messages} messages; a topic of {self.count}"
        self.folder = "console"
        self.ports = {name: file_path(f"{name}.port") for name in ("console", "http")}
        self.flags = [word for name, file in self.ports.items()
                      for word in (f"--{name}-port", "0", f"--{name}-port-file", file)]
        self.pages = Pages(self.messages // 2, self.devices // 2, "t00042")
        self.shared.register_all()
        shutil.copytree(file_path(self.shared.folder), file_path(self.folder))
        self.fill()
        self.is_first = True
        # An open console costs less than the difference between two fan-outs, so this bench has more rounds.
        self.rounds = 15 if scale.rounds > 1 else 1
        self.measurements = [self.measured_once, self.open_console, self.closed_console]

    def port(self, name: str) -> int:
        """Returns the port of the console or of the service API."""
        with open(self.ports[name], encoding="ascii") as file:
            return int(file.read())

    def server(self) -> Server:
        """Returns a server with both ports, on the core of the fan-outs."""
        return Server(self.folder, cores=[CLIENT_CORE], flags=self.flags)

    def fill(self) -> None:
        """Makes the topics, and the messages, each to one device."""
        key = deployment().api_key
        with Server(self.folder, cores=CORES, flags=self.flags) as server, server.client() as client:
            for first in range(0, self.topics, 100):
                client.subscribe(APP, [f"t{first + number:05}" for number in range(100)], [1 + first % self.devices])
            bodies = (json.dumps({"app": APP, "push_type": "alert", "audience": "devices", "label": f"message {number}",
                                  "devices": [1 + number % self.devices],
                                  "payload": {"aps": {"alert": "Hello"}}}).encode()
                      for number in range(self.messages))
            make_requests(self.port("http"), key, "send", bodies, 100)
            server.wait_until_idle()

    def fan_out(self, names: List[str]) -> float:
        """Returns the deliveries per CPU-second of a fan-out while these pages are open."""
        with self.server() as server, server.client() as client:
            # Connections to the simulator are opened one by one.
            self.deliver(server, client, self.shared.sizes[0])
            server.wait_until_idle()
            pages = OpenConsole(self.port("console"), deployment().api_key, self.pages, names)
            try:
                return self.count / self.deliver(server, client, self.count).cpu_seconds
            finally:
                pages.close()

    def deliver(self, server: Server, client: crln.Client, count: int) -> MeasuredFanout:
        """Sends to the topic of the first `count` devices, and returns the cost; each must have the message."""
        return deliver(server, client, self.shared.topic(count), count)

    def open_console(self) -> Figures:
        return {"open_per_cpu_second": self.fan_out(["overview", "messages"])}

    def closed_console(self) -> Figures:
        return {"closed_per_cpu_second": self.fan_out([])}

    def measured_once(self) -> Figures:
        """Returns the figures that are no ratio of two programs, measured once."""
        figures = self.idle() | self.answers() | self.http() if self.is_first else {}
        self.is_first = False
        return figures

    def idle(self) -> Figures:
        """Returns the share of a core that an open page takes, beyond what the server takes without one; in percent."""
        seconds = SAMPLE_SECONDS if self.is_smoke else 2 * SAMPLE_SECONDS
        figures = {}
        with self.server() as server:
            key, used = deployment().api_key, {}
            for name in (None, *self.pages.repeated):
                server.wait_until_idle()
                pages = OpenConsole(self.port("console"), key, self.pages, [name] if name else [])
                before, began = server.cpu_seconds, time.monotonic()
                time.sleep(seconds)
                used[name] = (server.cpu_seconds - before) / (time.monotonic() - began) * 100
                pages.close()
            for name in self.pages.repeated:
                # A result of 0 would be no figure, and the cost of a page may be too small to measure.
                figures[f"poll_percent_{name}"] = max(0.001, used[name] - used[None])
        return figures

    def answers(self) -> Figures:
        """How long the requests of each page take when it is opened: the 95th percentile of some rounds, in
        milliseconds."""
        figures = {}
        with self.server():
            session = Session(self.port("console"), deployment().api_key)
            for name, requests in self.pages.opened.items():
                times = []
                for _ in range(3 if self.is_smoke else 20):
                    began = time.monotonic()
                    for path, fields in requests:
                        session.request(path, fields)
                    times.append((time.monotonic() - began) * 1_000)
                figures[f"page_p95_ms_{name}"] = percentile(times, 95)
        figures["page_p95_ms"] = max(figures.values())
        return figures

    def http(self) -> Figures:
        """Returns the CPU of the server for a LOOKUP by HTTP, and by the protocol."""
        count = self.requests // 10
        with self.server() as server:
            server.wait_until_idle()
            body = json.dumps({"app": APP, "device": 1 + self.devices // 2}).encode()
            before = server.cpu_seconds
            seconds = make_requests(self.port("http"), deployment().api_key, "lookup", (body for _ in range(count)), 16)
            by_http = (server.cpu_seconds - before) / count * 1e6
            before = server.cpu_seconds
            run_program([f"{PROGRAMS}/carillon-bench", "requests", "--operation", "lookup", *server.access(),
                         "--connections", "16", "--pipelined", "1", "--count", str(count), "--devices",
                         str(self.devices)], "lookups")
            by_protocol = (server.cpu_seconds - before) / count * 1e6
        return {"http_lookups_per_second": count / seconds, "http_lookup_cpu_us": by_http,
                "protocol_lookup_cpu_us": by_protocol, "http_costs": by_http / by_protocol}
