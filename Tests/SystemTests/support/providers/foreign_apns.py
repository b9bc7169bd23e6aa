#!/usr/bin/env python3
"""An APNs on Python's h2 that behaves as a scenario of foreign_scenarios.py says.

Needs the package python3-h2. Prints its port, then one line of JSON for each connection, {"connection", "at"}, and one
for each push, {"token", "topic", "connection", "fault"}; ends when its standard input ends.
"""
import argparse
import asyncio
import time
from collections import Counter
from typing import List

import h2.config
import h2.connection
import h2.events
import h2.exceptions
import h2.settings
from foreign_scenarios import SCENARIOS, Push, Scenario, Step
from h2_server import Connection, fault, report, serve


class SharedState:
    """The state of the APNs that all connections share."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.connections = 0
        self.tries: Counter = Counter()
        self.topics: Counter = Counter()


class ForeignConnection(Connection):
    """One connection of the scenario."""

    def __init__(self, shared: SharedState) -> None:
        super().__init__()
        self.shared = shared
        shared.connections += 1
        self.number = shared.connections
        self.pushes = 0
        settings = {h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS: shared.scenario.streams(self.number),
                    # Larger than the window of the connection, which is the one to run out.
                    h2.settings.SettingCodes.INITIAL_WINDOW_SIZE: 1 << 20}
        self.h2.local_settings = h2.settings.Settings(client=False, initial_values=settings)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        report(connection=self.number, at=time.monotonic())
        super().connection_made(transport)

    def handle(self, event: h2.events.Event) -> None:
        if isinstance(event, h2.events.DataReceived) and not self.shared.scenario.gives_window:
            self.requests[event.stream_id][1].extend(event.data)
        elif isinstance(event, h2.events.StreamReset):
            # A client may give up an attempt.
            self.requests.pop(event.stream_id, None)
        else:
            super().handle(event)

    def answer(self, stream: int, headers: List[tuple], body: bytearray) -> None:
        fields = dict(headers)
        token, topic = fields.get(":path", "")[len("/3/device/"):], fields.get("apns-topic", "")
        self.shared.tries[token] += 1
        self.shared.topics[topic] += 1
        self.pushes += 1
        report(token=token, topic=topic, connection=self.number, fault=fault(headers, bytes(body)))
        push = Push(self.number, self.pushes, self.shared.tries[token], self.shared.topics[topic], topic)
        for step in self.shared.scenario.reaction(push):
            self.perform(stream, step)

    def perform(self, stream: int, step: Step) -> None:
        """Does one step of a reaction."""
        kind, value = step
        if kind == "headers":
            self.h2.send_headers(stream, [(":status", str(value))])
        elif kind == "data":
            self.h2.send_data(stream, value)
        elif kind == "end":
            self.h2.send_data(stream, value, end_stream=True)
        elif kind == "reset":
            self.h2.reset_stream(stream, value)
        elif kind == "abort":
            self.transport.write(self.h2.data_to_send())
            self.transport.close()


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenario", choices=SCENARIOS)
    parser.add_argument("certificate")
    parser.add_argument("key")
    arguments = parser.parse_args()
    shared = SharedState(SCENARIOS[arguments.scenario])
    await serve(lambda: ForeignConnection(shared), arguments.certificate, arguments.key)


if __name__ == "__main__":
    asyncio.run(main())
