"""Calls: one use of a method, over all its attempts, and what may be repeated (RET of the contract)."""
from __future__ import annotations

import uuid
from typing import Any, Callable, Dict, Generic, Optional, TypeVar

from . import _codec as codec
from ._session import Sendable
from .enums import Action
from .errors import NOT_EXECUTED, UNKNOWN, CarillonError, invalid, worst

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
NO_KEY_BYTES = bytes(16)
WAITING, WRITTEN, PAUSING, DONE = "waiting", "written", "pausing", "done"


class Request(Generic[T_co]):
    """What a method asks for: an operation, its fields, and how the fields of the answer become a value."""

    __slots__ = ("operation", "fields", "convert")

    def __init__(self, operation: codec.Operation, fields: Dict[str, Any],
                 convert: Callable[[Dict[str, Any]], T_co]) -> None:
        self.operation, self.fields, self.convert = operation, fields, convert


class Call(Sendable):
    """A call of a program, from its beginning to its one result. `waiter` belongs to the shell."""

    __slots__ = ("fields", "convert", "deadline", "may_retry", "started_at", "state", "link", "attempts", "effect",
                 "last_error", "resumes_at", "first_written", "first_epoch", "is_key_forgotten", "value", "error",
                 "waiter", "address")

    def __init__(self, request: Request[Any], now: float, timeout: float, may_retry: bool = True) -> None:
        """Encodes the request; INVALID_ARGUMENT of the field that cannot be encoded."""
        # Written out, not by super(): this runs once for each call.
        operation = request.operation
        try:
            encoded = operation.request.write(request.fields)
        except codec.UNWRITABLE as error:
            field = operation.request.field_at_fault(request.fields) or "fields"
            raise invalid(field, f"the value cannot be encoded: {type(error).__name__}") from None
        self.operation, self.encoded, self.size = operation, encoded, len(encoded[0]) + len(encoded[2])
        self.fields, self.convert = request.fields, request.convert
        self.started_at, self.deadline, self.may_retry = now, now + timeout, may_retry
        self.state, self.effect, self.attempts = WAITING, NOT_EXECUTED, 0
        self.is_abandoned = self.is_key_forgotten = False
        self.resumes_at = 0.0
        self.first_epoch = b""
        self.link: Any = None
        self.last_error: Optional[CarillonError] = None
        self.first_written: Optional[float] = None
        self.value: Any = None
        self.error: Optional[CarillonError] = None
        self.waiter: Any = None
        self.address: Optional[str] = None

    def begin_at(self, now: float, timeout: float) -> None:
        """Sets the deadline of a call that was made before it begins."""
        self.started_at, self.deadline = now, now + timeout

    def may_be_answered_on(self, link: Any) -> bool:
        """True while the answer can come on this connection."""
        return self.state == WRITTEN and self.link is link

    # Repeating

    @property
    def repeat_class(self) -> str:
        """The class of RET-2."""
        name = self.operation.name
        is_read = name == "send" and self.fields.get("dry_run") == 1 or \
            name == "update_group" and "muted" not in self.fields
        return "read" if is_read else self.operation.repeat

    @property
    def key(self) -> Optional[uuid.UUID]:
        """The idempotency key; None if the request has none."""
        raw = self.fields.get("key") if self.operation.repeat == "key" else None
        return None if raw is None or raw == NO_KEY_BYTES else uuid.UUID(bytes=raw)

    @property
    def is_repeatable(self) -> bool:
        """True if the request may be repeated after effect unknown (RET-2)."""
        kind = self.repeat_class
        if kind == "key":
            return self.key is not None
        if kind == "time":
            return self._has_times()
        if self.operation.name == "steer":
            return bool(self.fields["action"] != Action.RESUME)
        return kind in ("read", "always", "state")

    def _has_times(self) -> bool:
        if self.operation.name == "unregister":
            return bool(self.fields["at"])
        if self.operation.name == "register":
            return bool(self.fields["seen_at"])
        items = [codec.OPERATIONS["register"].request.read(item) for item in self.fields["items"]]
        return all(item["seen_at"] for item in items)

    def may_repeat(self, error: CarillonError, tries: int) -> bool:
        """Returns true if the request may be made again after this error of an attempt (RET-1)."""
        if not self.may_retry or error.retry_after is None or self.attempts >= tries:
            return False
        return error.effect == NOT_EXECUTED or error.effect == UNKNOWN and self.is_repeatable

    def record(self, error: CarillonError) -> None:
        """Remembers why an attempt failed."""
        self.last_error = error
        self.effect = worst(self.effect, error.effect)

    def final(self, error: CarillonError) -> CarillonError:
        """Returns the error of the call, with the effect of all its attempts (ERR-3)."""
        final = error.copied(NOT_EXECUTED if self.repeat_class == "read" else worst(self.effect, error.effect))
        final.attempts, final.key = self.attempts, self.key
        final._may_repeat = self.is_repeatable and not self.is_key_forgotten
        final.__cause__ = error.__cause__
        return final


class Waiter:
    """Something that is no request and waits for the client: `connect` or `ping`."""

    __slots__ = ("operation_name", "started_at", "deadline", "state", "value", "error", "waiter")

    def __init__(self, name: str, now: float, timeout: float) -> None:
        self.operation_name, self.started_at, self.deadline, self.state = name, now, now + timeout, WAITING
        self.value: Any = None
        self.error: Optional[CarillonError] = None
        self.waiter: Any = None

    def may_be_answered_on(self, link: Any) -> bool:
        """Returns false: a thread that waits for it does not read the socket itself."""
        return False
