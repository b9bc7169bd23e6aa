"""Plays the client's side of behaviour vectors, as `vectors/behaviour/README.md` describes.

    python -m tests.behaviour [--driver blocking|asyncio] [NAME…]
"""
from __future__ import annotations

import argparse
import json
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Dict, List, Tuple, Union

import carillon
from carillon import CarillonError
from carillon._calls import Call
from carillon._codec import EVENT_LAYOUT, OPERATIONS, RepeatClass
from carillon.answers import Event, Gap, NewHistory
from carillon.operations import random_key

from .drivers import DRIVERS, Driver
from .support import TESTING, answer_to_json, fields_from_json, fields_to_json, kinds

sys.path.insert(0, str(TESTING))
import vectors  # type: ignore  # noqa: E402  (a tool of the repository)

KEY = "test-key"
LIMIT = 10.0
ALL: Dict[str, Dict[str, Any]] = vectors.load()


class MismatchError(Exception):
    """The client gave something else than the vector expects."""


class Server:
    """The fake server of one vector, as a process."""

    def __init__(self, name: str) -> None:
        self.process = subprocess.Popen([sys.executable, "-B", str(TESTING / "fake_server.py"), name], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        first = self._line()
        self.addresses, self.files = first["listening"], first["files"]
        self.reached: List[str] = []
        self.has_failed = False
        self.verdict: Dict[str, Any] = {}
        self.changed = threading.Condition()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _line(self) -> Dict[str, Any]:
        assert self.process.stdout is not None
        line: Dict[str, Any] = json.loads(self.process.stdout.readline())
        return line

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            message = json.loads(line)
            with self.changed:
                self.reached += [message["reached"]] if "reached" in message else []
                self.has_failed = self.has_failed or "failed" in message
                self.verdict = message.get("verdict", self.verdict)
                self.changed.notify_all()

    def write(self, line: str) -> None:
        """Gives a command."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def wait_reached(self, name: str) -> None:
        """Waits for a step of the server."""
        with self.changed:
            self.changed.wait_for(lambda: name in self.reached or self.has_failed, LIMIT)
            if name not in self.reached:
                raise MismatchError(f"the step {name} of the server did not come")

    def finish(self) -> List[str]:
        """Asks for the verdict and returns what was wrong."""
        self.write("verdict")
        self.reader.join(4 * LIMIT)
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        status = self.process.wait(LIMIT)
        self.process.stdout.close()
        failures = [f"server {each['server']}, connection {each['connection']}, {each['step']}: {each['text']}"
                    for each in self.verdict.get("failures", [])]
        return failures or ([] if status == 0 and self.verdict.get("ok") else [f"exit status {status}, no verdict"])


class Play:
    """One vector and one client; `run` returns the problems."""

    def __init__(self, name: str, driver: str) -> None:
        self.vector, self.make = ALL[name], DRIVERS[driver]
        self.server = Server(name)
        self.credential: Union[str, None] = KEY
        self.drivers: List[Driver] = []
        self.begun: Dict[str, Any] = {}
        self.streams: Dict[str, Any] = {}
        self.states: List[str] = []
        self.skipped = 0

    def run(self) -> List[str]:
        """Performs all actions."""
        problems: List[str] = []
        try:
            for number, action in enumerate(self.vector["client"], 1):
                try:
                    getattr(self, "_" + action["do"])(action)
                except MismatchError as problem:
                    problems.append(f"action {number}, {action['do']}: {problem}")
                    break
        finally:
            for driver in self.drivers:
                driver.stop()
            problems += self.server.finish()
        return problems

    @property
    def driver(self) -> Driver:
        """The client that is used."""
        return self.drivers[-1]

    # Actions

    def _connect(self, action: Dict[str, Any]) -> None:
        values: Dict[str, Any] = {"api_key": KEY, **self.vector.get("options", {}), **action.get("options", {})}
        values.setdefault("addresses", list(self.vector["servers"]))
        values["addresses"] = [self.server.addresses.get(each, each) for each in values["addresses"]]
        options: Dict[str, Any] = {}
        for name, value in values.items():
            if isinstance(value, str) and value.startswith("$"):
                value = self.server.files[value[1:]]
            options[name[:-3] if name.endswith("_ms") else name] = value / 1000 if name.endswith("_ms") else value
        self.credential = options["api_key"]
        if options.pop("credential", None) == "function":
            options["api_key"] = lambda: self.credential
        options["on_state"] = self._note_state
        try:
            self.drivers.append(self.make(options))
        except CarillonError as error:
            self._compare(error, action)
            return
        if not options.get("lazy"):
            self._kept_or_compared(self.driver.begin_waiter("connect"), action)

    def _note_state(self, report: carillon.StateReport) -> None:
        names = {address: name for name, address in self.server.addresses.items()}
        if report.state not in ("connecting", "new_history"):
            self.states.append(" ".join([report.state] + ([names[report.address]] if report.address else [])))

    def _call(self, action: Dict[str, Any]) -> None:
        operation = OPERATIONS[action["operation"]]
        fields = fields_from_json(operation.request, action["fields"])
        if operation.repeat_class is RepeatClass.KEY:
            fields.setdefault("key", random_key())
        call: Call[Any] = Call.of(operation, fields, lambda data, at, end: fields_to_json(
            operation.answer, operation.answer.read(data, at, end)))
        timeout = action["timeout_ms"] / 1000 if "timeout_ms" in action else None
        try:
            begun = self.driver.begin(call, timeout, action.get("retry", True))
        except CarillonError as error:
            self._compare(error, action)
            return
        self._kept_or_compared(begun, action)

    def _send(self, action: Dict[str, Any]) -> None:
        """Uses the public method. What a program cannot write with it is left out if the vector allows that."""
        arguments = action["arguments"]
        options = dict(arguments.get("options", {}))
        if options.get("dry_run") == 1:
            options["dry_run"] = True
        method = self.driver.client.send
        result: Any
        try:
            if "audience" not in arguments:
                result = self.driver.run(lambda: method(arguments["app"], payload=arguments["payload"], **options))
            else:
                audience = self._audience(arguments["audience"])
                result = self.driver.run(lambda: method(arguments["app"], audience, arguments["payload"], **options))
            result = {name: answer_to_json(kind, getattr(result, name))
                      for name, kind in kinds(OPERATIONS["send"].answer).items()}
        except TypeError as error:
            wrong = next(iter(options), "audience")
            if not action.get("may_skip") or wrong not in str(error):
                raise MismatchError(f"TypeError: {error}") from error
            self.skipped += 1
            return
        except CarillonError as error:
            result = error
        self._compare(result, action)

    def _audience(self, argument: Any) -> Any:
        if not isinstance(argument, dict) or len(argument) != 1:
            return argument
        (kind, value), = argument.items()
        if kind == "all" and value is True:
            return carillon.all_devices()
        if kind == "devices":
            return carillon.devices([int(each["id"]) if "id" in each else carillon.Token(
                each["token"]["token"], each["token"]["environment"], each["token"]["kind"]) for each in value])
        makers = {"groups": carillon.groups, "topic": carillon.topic, "condition": carillon.condition}
        return makers[kind](value) if kind in makers else argument

    def _ping(self, action: Dict[str, Any]) -> None:
        self._kept_or_compared(self.driver.begin_waiter("ping"), action)

    def _kept_or_compared(self, begun: Any, action: Dict[str, Any]) -> None:
        if "as" in action:
            self.begun[action["as"]] = begun
        else:
            self._compare(self._result(begun), action)

    def _result(self, begun: Any) -> Any:
        try:
            result = self.driver.result(begun)
        except CarillonError as error:
            return error
        return result if isinstance(result, dict) else {}

    def _wait(self, action: Dict[str, Any]) -> None:
        begun = self.begun[action["for"]]
        if begun == "close":
            self.driver.run(self.driver.client.close)
            self._compare({}, action)
        else:
            self._compare(self._result(begun), action)

    def _cancel(self, action: Dict[str, Any]) -> None:
        self.driver.cancel(self.begun[action["call"]])

    def _events(self, action: Dict[str, Any]) -> None:
        options = {name: action[name] for name in ("name", "start", "window", "apps", "kinds") if name in action}
        if str(options.get("start", "")).isdigit():
            options["start"] = int(options["start"])
        try:
            self.streams[action["as"]] = self.driver.run(lambda: self.driver.client.events(**options))
            self._compare({}, action)
        except CarillonError as error:
            self._compare(error, action)

    def _take(self, action: Dict[str, Any]) -> None:
        stream = self.streams[action["from"]]
        try:
            element = self.driver.run(lambda: stream.take(timeout=LIMIT))
        except CarillonError as error:
            self._compare(error, action)
            return
        if element is None and not stream._stream.has_ended:
            raise MismatchError("no element came")
        self._compare(element_json(element), action)

    def _ack(self, action: Dict[str, Any]) -> None:
        try:
            self.driver.run(lambda: self.streams[action["from"]].acknowledge(int(action["sequence"])))
            self._compare({}, action)
        except CarillonError as error:
            self._compare(error, action)

    def _flush(self, action: Dict[str, Any]) -> None:
        self.driver.run(lambda: self.streams[action["from"]].flush())

    def _end_events(self, action: Dict[str, Any]) -> None:
        self.driver.run(lambda: self.streams[action["from"]].close())

    def _close(self, action: Dict[str, Any]) -> None:
        drain = action["drain_timeout_ms"] / 1000 if "drain_timeout_ms" in action else 5.0
        if "as" in action:
            self.driver.begin_close(drain)
            self.begun[action["as"]] = "close"
        else:
            self.driver.run(lambda: self.driver.client.close(drain))

    def _await(self, action: Dict[str, Any]) -> None:
        self.server.wait_reached(action["name"])

    def _signal(self, action: Dict[str, Any]) -> None:
        self.server.write("signal " + action["name"])

    def _credential(self, action: Dict[str, Any]) -> None:
        self.credential = action["value"]

    def _states(self, action: Dict[str, Any]) -> None:
        if self.states != action["expect"]:
            raise MismatchError(f"{action['expect']} was expected, {self.states} came")

    def _compare(self, result: Any, action: Dict[str, Any]) -> None:
        """Compares a result with `expect`; without one it must be no error."""
        expect = action.get("expect", {})
        outcome = {"error": error_json(result)} if isinstance(result, CarillonError) else result
        if isinstance(result, CarillonError) and "error" not in expect:
            raise MismatchError(f"success was expected, {result} came")
        if "fields" in expect:
            outcome = {"fields": outcome}
        pattern = {kind: {**value, "$others": True} if isinstance(value, dict) else value
                   for kind, value in expect.items()} or {"$others": True}
        text = vectors.mismatch(pattern, outcome)
        if text:
            raise MismatchError(text)


def error_json(error: CarillonError) -> Dict[str, Any]:
    """Returns the members of an error in the form of the vectors."""
    return {
        "code": error.code, "number": error.number, "effect": error.effect, "scope": error.scope,
        "field": error.field, "item": error.item, "column": error.column, "attempts": error.attempts,
        "retry_after_ms": None if error.retry_after is None else round(error.retry_after * 1000),
        "limit": None if error.limit is None else str(error.limit), "causes": len(error.causes),
        "key": None if error.key is None else error.key.hex, "is_not_executed": error.is_not_executed,
        "is_safe_to_retry": error.is_safe_to_retry, "is_transient": error.is_transient}


def element_json(element: Any) -> Dict[str, Any]:
    """Returns an element of a stream in the form of the vectors."""
    if element is None:
        return {"end": True}
    if isinstance(element, NewHistory):
        return {"new_history": True}
    if isinstance(element, Gap):
        return {"gap": {"missed_from": str(element.missed_from), "missed_to": str(element.missed_to)}}
    assert isinstance(element, Event)
    known = kinds(EVENT_LAYOUT)
    return {"event": {name: answer_to_json(known[name], value) for name, value in vars(element).items()
                      if value is not None}}


def play(name: str, driver: str) -> Tuple[List[str], int]:
    """Plays a vector; returns the problems, and how many actions a program cannot write in Python."""
    made = Play(name, driver)
    return made.run(), made.skipped


def play_all(names: List[str], driver: str, threads: int = 5) -> Dict[str, Tuple[List[str], int]]:
    """Plays vectors some at a time: they wait most of the time. More at once keep fake servers from the processor."""
    with ThreadPoolExecutor(threads) as pool:
        return dict(zip(names, pool.map(lambda name: play(name, driver), names)))


def main() -> int:
    """Plays the vectors that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--driver", choices=sorted(DRIVERS))
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    failed = 0
    for driver in [arguments.driver] if arguments.driver else sorted(DRIVERS):
        began = time.monotonic()
        results = play_all(arguments.names or list(ALL), driver)
        for name, (problems, _) in results.items():
            failed += bool(problems)
            if problems or arguments.names:
                print(f"{driver} {name}: {'; '.join(problems) or 'ok'}")
        print(f"{driver}: {len(results)} vectors in {time.monotonic() - began:.1f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
