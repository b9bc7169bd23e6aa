"""Calls: what may be repeated, keys, and the audience of a SEND (RET, AUD)."""
from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from typing import Any, Dict, Optional

import wire
from reference.errors import Failure, worst

NO_KEY = "00" * 16
ZERO_TIMES = {"register": "seen_at", "unregister": "at"}


@dataclass(eq=False)
class Call:
    """One use of a method: from its beginning to its one result, over all its attempts."""

    operation: str
    fields: Dict[str, Any]
    deadline: float
    # False if the program has switched repeating off (RET-1).
    repeats: bool = True
    # The state: waiting, queued (it has an id on the open connection, and is not written), written, pausing or done.
    state: str = "waiting"
    connection: Any = None
    id: int = 0
    attempts: int = 0
    effect: str = "not_executed"
    last_failure: Optional[Failure] = None
    resumes_at: float = 0.0
    first_written: Optional[float] = None
    first_epoch: str = ""
    is_key_forgotten: bool = False
    result: Optional[Dict[str, Any]] = None
    failure: Optional[Failure] = None
    size: int = field(default=0)

    @property
    def is_done(self) -> bool:
        """True if the call has its result."""
        return self.state == "done"

    @property
    def has_key(self) -> bool:
        """True if an idempotency key protects the request."""
        return self.fields.get("key", NO_KEY) != NO_KEY

    @property
    def repeat_class(self) -> str:
        """The class of RET-2."""
        if self.operation == "send" and self.fields.get("dry_run") == 1:
            return "read"
        if self.operation == "update_group" and "muted" not in self.fields:
            return "read"
        return wire.REQUESTS[self.operation]["repeat"]

    @property
    def is_repeatable(self) -> bool:
        """True if repeating is safe after effect unknown (RET-2)."""
        kind = self.repeat_class
        if kind == "key":
            return self.has_key
        if kind == "time":
            return self._has_times()
        if self.operation == "update_message":
            return self.fields["action"] != 3
        return kind in ("read", "always", "state")

    def _has_times(self) -> bool:
        if self.operation == "register_batch":
            items = [wire.decode_payload("register", "client", bytes.fromhex(item))[0] for item in self.fields["items"]]
            return all(item["seen_at"] != "0" for item in items)
        return self.fields[ZERO_TIMES[self.operation]] != "0"

    def attempt_fields(self, now: float) -> Dict[str, Any]:
        """Returns the fields of the next attempt: the same each time but for the deadline (DL-2, RET-3)."""
        left = round((self.deadline - now) * 1000)
        return {**self.fields, "deadline_ms": min(wire.NEVER, max(1, left))}

    def may_repeat(self, failure: Failure) -> bool:
        """Returns true if the request may be made again after this error of an attempt (RET-1)."""
        if not self.repeats or failure.retry_after is None:
            return False
        if failure.effect == "not_executed" or self.repeat_class == "read" and failure.effect == "unknown":
            return True
        return failure.effect == "unknown" and self.is_repeatable

    def record(self, failure: Failure) -> None:
        """Remembers why an attempt failed."""
        self.last_failure = failure
        self.effect = worst(self.effect, failure.effect)

    def final(self, failure: Failure) -> Failure:
        """Returns the error of the call: with the effect of all attempts (ERR-3)."""
        effect = "not_executed" if self.repeat_class == "read" else worst(self.effect, failure.effect)
        final = failure.with_effect(effect)
        final.attempts = self.attempts
        final.key = self.fields["key"] if self.has_key else None
        final.is_safe_to_retry = effect == "not_executed" or (
            effect == "unknown" and self.is_repeatable and not self.is_key_forgotten)
        return final


def with_key(operation: str, fields: Dict[str, Any]) -> Dict[str, Any]:
    """Returns the fields with a random key if the request can have one and has none (RET-3)."""
    return {"key": uuid.uuid4().hex, **fields} if operation in ("send", "resend") else fields


# Options of `send`, by the names of the tags into which their values go as they are.
SEND_OPTIONS = {"expiration", "collapse_id", "not_after", "lane", "bodies", "except", "dry_run", "send_at", "pace",
                "over_budget", "id_key", "label", "traceparent", "key", "priority", "push_type"}
AUDIENCES = {"devices": 1, "groups": 2, "topic": 3, "condition": 4, "all": 5}


def send_fields(arguments: Dict[str, Any]) -> Dict[str, Any]:
    """Returns the fields of a SEND. The absence of an audience never means everybody (AUD)."""
    for name in set(arguments) - {"app", "audience", "payload", "options"}:
        raise Failure("INVALID_ARGUMENT", message=f"there is no argument {name}", field=name)
    options = arguments.get("options", {})
    for name, value in options.items():
        if name not in SEND_OPTIONS or value is None:
            raise Failure("INVALID_ARGUMENT", message=f"the option {name}", field=name)
    audience = arguments.get("audience")
    if not isinstance(audience, dict) or len(audience) != 1:
        raise Failure("INVALID_ARGUMENT", message="exactly one audience must be given", field="audience")
    (kind, value), = audience.items()
    if kind not in AUDIENCES or (value is not True if kind == "all" else not value):
        raise Failure("INVALID_ARGUMENT", message=f"{kind}: {value!r} is not an audience", field="audience")
    named = {kind: value} if kind in ("groups", "topic", "condition") else {}
    return {"app": arguments["app"], "push_type": 1, "priority": 0, "audience": AUDIENCES[kind],
            "devices": value if kind == "devices" else [], "payload": arguments["payload"].encode().hex(),
            **named, **options}
