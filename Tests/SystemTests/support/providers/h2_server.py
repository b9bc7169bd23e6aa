#!/usr/bin/env python3
"""An APNs built on Python's h2, which shares no code with Carillon. It checks each push and answers 200 or 400.

Needs the package python3-h2. Prints its port, then one line of JSON for each push; ends when its standard input ends.
"""
import argparse
import asyncio
import json
import re
import ssl
import sys
from typing import Callable, Dict, List, Optional

import h2.config
import h2.connection
import h2.events
import h2.exceptions

PATH = re.compile(r"/3/device/(?:[0-9a-f]{2}){1,200}")
UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
REQUIRED = {":method": re.compile("POST"), ":scheme": re.compile("https"), ":authority": re.compile("localhost"),
            ":path": PATH, "apns-id": UUID, "apns-topic": re.compile(r"[\w.-]+"),
            "apns-push-type": re.compile("[a-z]+"),
            "apns-priority": re.compile("1|5|10"), "authorization": re.compile(r"bearer [\w-]+\.[\w-]+\.[\w-]+")}
ALLOWED = {*REQUIRED, "apns-expiration", "apns-collapse-id"}


def fault(headers: List[tuple], body: bytes) -> Optional[str]:
    """Returns the fault of a push; None if there is none."""
    fields: Dict[str, str] = {}
    for name, value in headers:
        if name in fields or name not in ALLOWED:
            return f"{name} is there twice or not known"
        fields[name] = value
    for name, form in REQUIRED.items():
        if not form.fullmatch(fields.get(name, "")):
            return f"{name} is {fields.get(name)!r}"
    try:
        if "aps" not in json.loads(body):
            return "no aps"
    except ValueError:
        return "not JSON"
    return None


class Connection(asyncio.Protocol):
    """Serves one connection; h2 raises an error for each violation by the client."""

    def __init__(self) -> None:
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
        self.requests: Dict[int, tuple] = {}

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        agreed = transport.get_extra_info("ssl_object").selected_alpn_protocol()
        if agreed != "h2":
            report(fault=f"the protocol agreed upon is {agreed}")
        self.h2.initiate_connection()
        transport.write(self.h2.data_to_send())

    def data_received(self, data: bytes) -> None:
        try:
            for event in self.h2.receive_data(data):
                self.handle(event)
        except h2.exceptions.ProtocolError as error:
            report(fault=f"{type(error).__name__}: {error}")
        self.transport.write(self.h2.data_to_send())

    def handle(self, event: h2.events.Event) -> None:
        if isinstance(event, h2.events.RequestReceived):
            self.requests[event.stream_id] = (event.headers, bytearray())
        elif isinstance(event, h2.events.DataReceived):
            self.requests[event.stream_id][1].extend(event.data)
            self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
        elif isinstance(event, h2.events.StreamEnded):
            self.answer(event.stream_id, *self.requests.pop(event.stream_id))
        elif isinstance(event, h2.events.StreamReset):
            self.requests.pop(event.stream_id, None)
            report(fault=f"a stream was reset: {event.error_code}")

    def answer(self, stream: int, headers: List[tuple], body: bytearray) -> None:
        wrong = fault(headers, bytes(body))
        fields = dict(headers)
        report(fault=wrong, path=fields.get(":path"), id=fields.get("apns-id"), bytes=len(body))
        if not wrong:
            self.h2.send_headers(stream, [(":status", "200"), ("apns-id", fields["apns-id"])], end_stream=True)
            return
        self.h2.send_headers(stream, [(":status", "400")])
        self.h2.send_data(stream, b'{"reason":"BadPath"}', end_stream=True)


def report(**line: object) -> None:
    """Prints one line of JSON."""
    print(json.dumps(line), flush=True)


async def serve(make_connection: Callable[[], Connection], certificate: str, key: str) -> None:
    """Listens on a free port over TLS and prints the port; returns when standard input ends."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    context.set_alpn_protocols(["h2"])
    loop = asyncio.get_running_loop()
    server = await loop.create_server(make_connection, "127.0.0.1", 0, ssl=context)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("certificate")
    parser.add_argument("key")
    arguments = parser.parse_args()
    await serve(Connection, arguments.certificate, arguments.key)


if __name__ == "__main__":
    asyncio.run(main())
