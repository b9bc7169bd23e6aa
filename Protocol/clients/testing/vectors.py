"""The behaviour vectors: loading, the check of their form, and the patterns of their fields.

`../../vectors/behaviour/README.md` describes the form. A name that the form does not have is an error, so that a vector
with a typing mistake cannot pass by testing nothing.
"""
from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Set

import wire

FOLDER = Path(__file__).resolve().parents[2] / "vectors" / "behaviour"
CONTRACT = Path(__file__).resolve().parents[1] / "CONTRACT.md"

VECTOR_KEYS = {"name", "rules", "about", "servers", "options", "client"}
SERVER_KEYS = {"transport", "host", "client_certificate", "connections"}
CONNECTION_KEYS = {"steps", "not_before", "then", "pings"}
TRANSPORTS = {"tcp", "unix", "tls", "closed"}
TIME_KEYS = {"not_before", "mark"}
# The keys of each step of a server, by the word that it begins with.
STEPS: Dict[str, Dict[str, Set[str]]] = {
    "expect": {"preface": set(), "end": {"clean"}, "silence": {"ms"}, "hex": {"hex"}, "handshake_failure": set()},
    "send": {"preface": {"version", "hex"}, "answer": {"to", "fields", "unknown", "opcode", "id"},
             "error": {"to", "fields", "unknown", "opcode", "id"}, "event": {"to", "fields", "unknown", "id"},
             "goaway": {"fields", "unknown", "id"}, "position": {"fields"}, "ping": {"data", "ack"}, "hex": {"hex"},
             "together": {"of"}},
    "do": {"open": {"hello", "unknown", "key", "certificate", "split"}, "close": set(), "reset": set(),
           "reached": {"name"}, "await": {"name"}, "signal": {"name"}, "pause": {"ms"}, "mark": set()},
}
SENDING_KEYS = {"split", "truncate", "stall", "flags"}
EXPECT_FRAME_KEYS = {"fields", "as", "id"}
# The keys of each action of a client.
ACTIONS: Dict[str, Set[str]] = {
    "connect": {"options", "as", "expect"}, "call": {"as", "operation", "fields", "timeout_ms", "retry", "expect"},
    "send": {"as", "arguments", "expect", "may_skip"}, "wait": {"for", "expect"}, "cancel": {"call"},
    "ping": {"as", "expect"}, "events": {"as", "name", "start", "window", "apps", "kinds", "expect"},
    "take": {"from", "expect"}, "ack": {"from", "sequence", "expect"}, "flush": {"from", "as", "expect"},
    "end_events": {"from", "as", "expect"}, "close": {"as", "drain_timeout_ms", "expect"}, "await": {"name"},
    "signal": {"name"}, "credential": {"value"}, "states": {"expect"},
}
OPTIONS = {
    "addresses", "address_order", "api_key", "credential", "security", "ca_file", "certificate_file",
    "certificate_key_file", "server_name", "request_timeout_ms", "connect_timeout_ms", "probe_after_ms",
    "ping_timeout_ms", "backoff_ms", "maximum_backoff_ms", "maximum_attempts", "maximum_in_flight",
    "maximum_waiting_calls", "maximum_memory_bytes", "maximum_receive_bytes", "refusal_pause_ms", "drain_timeout_ms",
    "lazy"}
EXPECTATIONS = {"fields", "error", "event", "gap", "new_history", "end"}
ERROR_MEMBERS = {
    "code", "number", "effect", "scope", "retry_after_ms", "field", "item", "limit", "column", "key", "attempts",
    "is_not_executed", "is_safe_to_retry", "is_transient", "causes"}


class FormError(Exception):
    """A vector that is not as the README says."""


def load() -> Dict[str, Dict[str, Any]]:
    """Returns all vectors by name, in the order of the files. FormError for the first that is wrong."""
    vectors: Dict[str, Dict[str, Any]] = {}
    known = rules()
    for path in sorted(FOLDER.glob("*.json")):
        for vector in json.loads(path.read_text("utf-8")):
            try:
                check_form(vector, known)
                if vector["name"] in vectors:
                    raise FormError("the name occurs twice")
            except (FormError, KeyError, TypeError) as error:
                raise FormError(f"{path.name}, {vector.get('name')}: {error!r}") from error
            vectors[vector["name"]] = vector
    return vectors


def rules() -> List[str]:
    """Returns the numbers of the contract's rules in their order."""
    return re.findall(r"^- \*\*([A-Z]+-\d+)\*\*", CONTRACT.read_text("utf-8"), re.MULTILINE)


def _check_names(members: Any, allowed: Set[str], where: str) -> None:
    if not isinstance(members, dict) or not set(members) <= allowed:
        raise FormError(f"{where}: {sorted(set(members) - allowed) if isinstance(members, dict) else members!r}")


def check_form(vector: Dict[str, Any], known_rules: List[str]) -> None:
    """Raises FormError for a name that the form does not have."""
    _check_names(vector, VECTOR_KEYS, "vector")
    if not re.fullmatch(r"[a-z0-9-]+", vector["name"]) or not vector["about"].endswith("."):
        raise FormError("name or about")
    if not vector["rules"] or not set(vector["rules"]) <= set(known_rules):
        raise FormError(f"rules {vector['rules']}")
    _check_names(vector.get("options", {}), OPTIONS, "options")
    for server in vector["servers"].values():
        _check_names(server, SERVER_KEYS, "server")
        if server.get("transport", "tcp") not in TRANSPORTS:
            raise FormError(f"transport {server['transport']}")
        for connection in server.get("connections", []):
            steps = connection
            if isinstance(connection, dict):
                _check_names(connection, CONNECTION_KEYS, "connection")
                steps = connection["steps"]
            for step, before in zip(steps, [{}, *steps]):
                _check_step(step)
                if step.get("do") == "reached" and "send" in before:
                    raise FormError("a step reached after a send: the client might not have read that yet")
    for action in vector["client"]:
        _check_action(action)


def _check_step(step: Dict[str, Any]) -> None:
    word = next((word for word in STEPS if word in step), None)
    if word is None:
        raise FormError(f"step {step}")
    allowed = {word} | TIME_KEYS
    if step[word] in STEPS[word]:
        allowed |= STEPS[word][step[word]] | (SENDING_KEYS if word == "send" else set())
    elif word == "expect" and (step[word] in wire.REQUESTS or step[word] in ("ping", "position")):
        allowed |= EXPECT_FRAME_KEYS
    else:
        raise FormError(f"step {step}")
    _check_names(step, allowed, f"step {step[word]}")
    for each in step.get("of", []):
        _check_step(each)


def _check_action(action: Dict[str, Any]) -> None:
    if action.get("do") not in ACTIONS:
        raise FormError(f"action {action}")
    _check_names(action, ACTIONS[action["do"]] | {"do"}, f"action {action['do']}")
    _check_names(action.get("options", {}), OPTIONS, "options")
    expect = action.get("expect", {})
    if action["do"] == "states":
        return
    _check_names(expect, EXPECTATIONS, "expect")
    _check_names(expect.get("error", {}), ERROR_MEMBERS, "error")
    if action["do"] == "call":
        layout = wire.layout_of(action["operation"], "client")
        names = {name for name, _ in layout["fixed"]} | {name for _, name, _ in layout.get("tags", [])}
        if not {name for name, _ in layout["fixed"]} - {"key"} <= set(action["fields"]) <= names:
            raise FormError(f"fields of {action['operation']}")


# Patterns

class Captures:
    """What earlier frames of a vector contained, by the name that `as` gave them."""

    def __init__(self) -> None:
        self.values: Dict[str, Any] = {}

    def fill(self, value: Any) -> Any:
        """Replaces texts such as `$first.fields.key` by what they name."""
        if isinstance(value, dict):
            return {name: self.fill(each) for name, each in value.items()}
        if isinstance(value, list):
            return [self.fill(each) for each in value]
        if not isinstance(value, str) or not value.startswith("$") or value in ("$any", "$key"):
            return value
        known: Any = self.values
        for part in value[1:].split("."):
            if not isinstance(known, dict) or part not in known:
                raise KeyError(f"nothing is known as {value}")
            known = known[part]
        return known


def mismatch(pattern: Any, value: Any, path: str = "") -> Optional[str]:
    """Returns what differs; None if the value fits the pattern."""
    if pattern == "$any":
        return None
    if pattern == "$key":
        is_key = isinstance(value, str) and len(value) == 32 and value[12] == "4" and value[16] in "89ab"
        return None if is_key else f"{path}: a random UUID of version 4 was expected, {value!r} came"
    if isinstance(pattern, dict) and "$from" in pattern:
        is_within = pattern["$from"] <= int(value) <= pattern["$to"]
        return None if is_within else f"{path}: {pattern['$from']} to {pattern['$to']} was expected, {value!r} came"
    if isinstance(pattern, dict) and isinstance(value, dict):
        return _mismatch_of_members(pattern, value, path)
    if isinstance(pattern, list) and isinstance(value, list) and len(pattern) == len(value):
        return next((text for text in (mismatch(each, item, f"{path}[{index}]")
                                       for index, (each, item) in enumerate(zip(pattern, value))) if text), None)
    return None if pattern == value else f"{path}: {pattern!r} was expected, {value!r} came"


def _mismatch_of_members(pattern: Dict[str, Any], value: Dict[str, Any], path: str) -> Optional[str]:
    others = "$others" in pattern
    for name in [*pattern, *value]:
        if name in ("$others", "deadline_ms") and name not in pattern or name == "$others":
            continue
        if name not in value:
            return f"{path}.{name} is missing"
        if name not in pattern:
            if others:
                continue
            return f"{path}.{name} was not expected: {value[name]!r}"
        text = mismatch(pattern[name], value[name], f"{path}.{name}")
        if text:
            return text
    return None


def zero_fields(message: str, fields: Dict[str, Any]) -> Dict[str, Any]:
    """Returns the fields of a frame from the server, those of the fixed part that are not given as 0 or empty.

    A device that is looked up has an environment, a kind and a state: 0 is none of them.
    """
    usual = {name: _zero(kind) for name, kind in wire.layout_of(message, "server")["fixed"]}
    if message == "lookup":
        usual = {**usual, "environment": 1, "kind": 1, "state": 1}
    return {**usual, **fields}


def _zero(kind: Any) -> Any:
    if isinstance(kind, dict):
        return []
    if kind == "u64":
        return "0"
    return 0 if kind in wire.NUMBERS else "00" if kind == "token" else "00" * wire.RAW[kind][1]


def rules_without_vector(vectors: Dict[str, Dict[str, Any]]) -> Iterator[str]:
    """Yields the rules that no vector names."""
    named = {rule for vector in vectors.values() for rule in vector["rules"]}
    yield from (rule for rule in rules() if rule not in named)
