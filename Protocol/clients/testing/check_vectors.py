#!/usr/bin/env python3
"""Runs the behaviour vectors with the reference client: `check_vectors.py [NAME…]`.

The loop of `Run` is what the runner of each language does: start the fake server, perform the actions of `client`,
compare what they give, ask for the verdict.
"""
from __future__ import annotations

import sys
import time
from typing import Any, Dict, List, Optional

import vectors
from fake_server import FakeServer
from reference.calls import Call, send_fields
from reference.client import CallDispatcher
from reference.errors import Failure
from reference.options import Options
from reference.shell import Shell
from reference.streams import Stream

KEY = "test-key"


class MismatchError(Exception):
    """The client gave something else than the vector expects."""


class Run:
    """One vector and one client. `problems` are what was wrong, on either side."""

    def __init__(self, vector: Dict[str, Any], limit_ms: int = 5000) -> None:
        self.vector, self.limit = vector, limit_ms / 1000
        self.reached: List[str] = []
        self.has_failed = False
        self.server = self._serve(vector, limit_ms)
        self.credential = KEY
        self.results: Dict[str, Any] = {}
        self.dispatcher: Optional[CallDispatcher] = None
        self.shell: Optional[Shell] = None
        self.problems: List[str] = []

    def _serve(self, vector: Dict[str, Any], limit_ms: int) -> Any:
        return FakeServer(vector, self._notified, limit_ms)

    def _notified(self, line: Dict[str, Any]) -> None:
        if "reached" in line:
            self.reached.append(line["reached"])
        self.has_failed = self.has_failed or "failed" in line

    def play(self) -> List[str]:
        """Performs all actions and returns the problems."""
        for number, action in enumerate(self.vector["client"], 1):
            try:
                getattr(self, "_" + action["do"])(action)
            except MismatchError as problem:
                self.problems.append(f"action {number}, {action['do']}: {problem}")
                break
        if self.shell is not None and self.dispatcher is not None:
            self.shell.run_until(
                lambda: all(connection.session.outgoing == [] for connection in self._connections()), 0.2)
            for wire in self.shell.wires.values():
                wire.close(time.monotonic(), self.dispatcher)
        verdict = self.server.verdict()
        self.problems += [f"server {each['server']}, connection {each['connection']}, {each['step']}: {each['text']}"
                          for each in verdict["failures"]]
        return self.problems

    def _connections(self) -> List[Any]:
        return [] if self.dispatcher is None else self.dispatcher._connections()

    # Actions

    def _connect(self, action: Dict[str, Any]) -> None:
        values = {"api_key": KEY, **self.vector.get("options", {}), **action.get("options", {})}
        values.setdefault("addresses", list(self.vector["servers"]))
        values["addresses"] = [self.server.addresses.get(each, each) for each in values["addresses"]]
        for name, value in values.items():
            if isinstance(value, str) and value.startswith("$"):
                values[name] = self.server.files[value[1:]]
        key = values.pop("api_key")
        source = values.pop("credential", None)
        self.credential = key
        try:
            options = Options.from_json(values, lambda: (self.credential if source else key or "").encode() or None)
        except Failure as failure:
            self._compare(failure, action)
            return
        self.dispatcher = CallDispatcher(options)
        self.shell = Shell(self.dispatcher)
        if not options.lazy:
            call = self.dispatcher.connect(time.monotonic())
            self.results[action.get("as", "connect")] = call
            if "as" not in action:
                self._compare(self._result(call), action)

    def _call(self, action: Dict[str, Any]) -> None:
        self._begin(action, action["operation"], action["fields"])

    def _send(self, action: Dict[str, Any]) -> None:
        try:
            fields = send_fields(action["arguments"])
        except Failure as failure:
            self._compare(failure, action)
            return
        self._begin(action, "send", fields)

    def _begin(self, action: Dict[str, Any], operation: str, fields: Dict[str, Any]) -> None:
        timeout = action["timeout_ms"] / 1000 if "timeout_ms" in action else None
        call = self.dispatcher.call(operation, dict(fields), time.monotonic(), timeout, action.get("retry", True))
        self._kept_or_compared(call, action)

    def _ping(self, action: Dict[str, Any]) -> None:
        call = self.dispatcher.ping(time.monotonic())
        self._kept_or_compared(call, action)

    def _kept_or_compared(self, call: Any, action: Dict[str, Any]) -> None:
        self.shell.step()
        if "as" in action:
            self.results[action["as"]] = call
        else:
            self._compare(self._result(call), action)

    def _wait(self, action: Dict[str, Any]) -> None:
        self._compare(self._result(self.results[action["for"]]), action)

    def _cancel(self, action: Dict[str, Any]) -> None:
        self.dispatcher.cancel(self.results[action["call"]], time.monotonic())
        self.shell.step()

    def _events(self, action: Dict[str, Any]) -> None:
        stream = Stream(action.get("name", ""), action.get("start", "acknowledged"), action.get("apps", []),
                        action.get("kinds", []), action.get("window", 256),
                        time.monotonic() + self.dispatcher.options.request_timeout)
        self.results[action["as"]] = self.dispatcher.events(stream)
        self._until(lambda: stream.is_accepted or stream.state == "ended", "the subscription")
        self._compare(stream.failure or {}, action)

    def _take(self, action: Dict[str, Any]) -> None:
        stream = self.results[action["from"]]
        self._until(lambda: stream.queue or stream.state == "ended", "an element")
        element = stream.take()
        self.shell.step()
        self._compare(element or stream.failure or {"end": True}, action)

    def _ack(self, action: Dict[str, Any]) -> None:
        try:
            self.results[action["from"]].acknowledge(int(action["sequence"]))
        except Failure as failure:
            self._compare(failure, action)
            return
        self._compare({}, action)
        self.shell.step()

    def _flush(self, action: Dict[str, Any]) -> None:
        stream = self.results[action["from"]]
        self._until(lambda: stream.is_flushed, "durable acknowledgements")

    def _end_events(self, action: Dict[str, Any]) -> None:
        stream = self.results[action["from"]]
        self.dispatcher.end_stream(stream)
        self.shell.step()
        self._until(lambda: stream.state == "ended", "the end of the stream")

    def _close(self, action: Dict[str, Any]) -> None:
        drain = action["drain_timeout_ms"] / 1000 if "drain_timeout_ms" in action else None
        self.dispatcher.close(time.monotonic(), drain)
        self.shell.step()
        if "as" in action:
            self.results[action["as"]] = "close"
        else:
            self._until(lambda: self.dispatcher.is_closed, "the end of close")
            self.shell.step()

    def _await(self, action: Dict[str, Any]) -> None:
        self._until(lambda: action["name"] in self.reached, f"the step {action['name']} of the server")

    def _signal(self, action: Dict[str, Any]) -> None:
        self.server.signal(action["name"])

    def _credential(self, action: Dict[str, Any]) -> None:
        self.credential = action["value"]

    def _states(self, action: Dict[str, Any]) -> None:
        names = {address: name for name, address in self.server.addresses.items()}
        states = [" ".join(names.get(word, word) for word in state.split()) for state in self.dispatcher.states]
        if states != action["expect"]:
            raise MismatchError(f"{action['expect']} was expected, {states} came")

    # Results

    def _until(self, is_done: Any, what: str) -> None:
        self.shell.run_until(lambda: is_done() or self.has_failed, 2 * self.limit)
        if not is_done():
            raise MismatchError(f"{what} did not come")

    def _result(self, call: Call) -> Any:
        if not isinstance(call, Call):
            self._until(lambda: self.dispatcher.is_closed, "the end of close")
            return {}
        self._until(lambda: call.is_done, f"the result of {call.operation}")
        return call.failure or call.result

    def _compare(self, result: Any, action: Dict[str, Any]) -> None:
        """Compares a result with `expect`: without one the call must succeed."""
        expect = action.get("expect", {})
        outcome = {"error": result.to_json()} if isinstance(result, Failure) else result
        if isinstance(result, Failure) and "error" not in expect:
            raise MismatchError(f"success was expected, {result} came")
        if "error" in expect:
            pattern: Any = {"error": {**expect["error"], "$others": True}}
        elif "fields" in expect:
            outcome, pattern = {"fields": outcome}, {"fields": {**expect["fields"], "$others": True}}
        else:
            pattern = expect or {"$others": True}
            if "event" in pattern:
                pattern = {"event": {**pattern["event"], "$others": True}}
        text = vectors.mismatch(pattern, outcome)
        if text:
            raise MismatchError(text)


def main(names: List[str]) -> int:
    """Runs the vectors named, or all."""
    known = vectors.load()
    failed = 0
    for name in names or known:
        began = time.monotonic()
        problems = Run(known[name]).play()
        failed += bool(problems)
        if problems or names:
            print(f"{name}: {'; '.join(problems) or 'ok'} ({time.monotonic() - began:.2f} s)")
    print(f"{len(names or known)} vectors, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
