"""Calls: one use of a method, over all its attempts, and what may be repeated (CONTRACT.md, RET)."""
from __future__ import annotations

import enum
import uuid
from typing import Any, Dict, Generic, Optional, TypeVar

from . import _codec as codec
from ._codec import RepeatClass
from ._session import Sendable, Session
from ._types import UNWRITABLE
from .enums import MessageUpdateAction
from .errors import EXECUTED, NOT_EXECUTED, UNKNOWN, CarillonError, invalid, worst

T = TypeVar("T")
NO_KEY_BYTES = bytes(16)


class CallState(enum.Enum):
    """The state of a call, as CONTRACT.md names it."""

    WAITING = enum.auto()
    WRITTEN = enum.auto()
    PAUSING = enum.auto()
    DONE = enum.auto()


# Names of the module: each call reads them several times, and a member of an enumeration costs more.
WAITING, WRITTEN, PAUSING, DONE = CallState.WAITING, CallState.WRITTEN, CallState.PAUSING, CallState.DONE


class Pending(Generic[T]):
    """The answer to one request of a batch. It can be asked for when the batch has been performed."""

    __slots__ = ()

    def result(self) -> T:
        """Returns the answer, or raises the error of this request."""
        raise NotImplementedError


class Failures:
    """What a call remembers of attempts that have failed."""

    __slots__ = ("effect", "last_error", "first_written", "first_epoch", "is_key_forgotten")

    def __init__(self, first_written: float, first_epoch: bytes) -> None:
        # When and to which history the first of them was written.
        self.first_written, self.first_epoch = first_written, first_epoch
        # The worst of their effects, and the last of their errors.
        self.effect = NOT_EXECUTED
        self.last_error: Optional[CarillonError] = None
        # True if the server could have forgotten the key.
        self.is_key_forgotten = False


class Call(Sendable, Pending[T]):
    """A call of a program, from its beginning to its one result: an operation and its fields, and how the bytes of the
    answer become a value. `end_signal` belongs to the shell, which tells the program by it that the call has ended."""

    __slots__ = ("started_at", "is_repeated", "state", "connection", "attempts", "failures", "resumes_at", "error",
                 "end_signal")
    started_at: float
    is_repeated: bool
    # When the pause between two attempts ends.
    resumes_at: float

    def __init__(self, operation: codec.Operation, read: codec.Reader, fixed: bytes, tag_count: int,
                 tags: bytes) -> None:
        # Written out, not by super(): this runs once for each call.
        self.operation, self.read = operation, read
        self.fixed, self.tag_count, self.tags = fixed, tag_count, tags
        self.size = len(fixed) + len(tags)
        self.state = WAITING
        self.attempts = 0
        self.is_abandoned = False
        # The connection of the last attempt.
        self.connection: Any = None
        self.failures: Optional[Failures] = None
        self.error: Optional[CarillonError] = None
        self.end_signal: Any = None

    @classmethod
    def of(cls, operation: codec.Operation, fields: Dict[str, Any], read: codec.Reader) -> Call[Any]:
        """Encodes a request of these fields; INVALID_ARGUMENT of the field that cannot be encoded."""
        try:
            return cls(operation, read, *operation.request.write(fields))
        except UNWRITABLE as error:
            raise unwritable(operation, fields, error) from None

    def begin_at(self, now: float, timeout: float, is_repeated: bool = True) -> None:
        """Sets the time of the beginning and the deadline."""
        self.started_at, self.deadline, self.is_repeated = now, now + timeout, is_repeated

    def result(self) -> T:
        """See `Pending`."""
        if self.state != DONE:
            raise RuntimeError("the batch has not been performed")
        if self.error is not None:
            raise self.error
        answer: T = self.value
        return answer

    @property
    def effect(self) -> str:
        """The effect of the call, when it has ended (CONTRACT.md, OBS-1)."""
        if self.error is not None:
            return self.error.effect
        return NOT_EXECUTED if self.repeat_class is RepeatClass.READ else EXECUTED

    @property
    def address(self) -> Optional[str]:
        """The address of the last attempt."""
        return None if self.connection is None else self.connection.address.text

    def may_be_answered_on(self, connection: Any) -> bool:
        """True while the answer can come on this connection."""
        return self.state == WRITTEN and self.connection is connection

    # Repeating

    @property
    def fields(self) -> Dict[str, Any]:
        """The fields of the request. They are seldom needed, so they are read from its bytes."""
        return self.operation.request.read(codec.without_deadline((self.fixed, self.tag_count, self.tags)))

    @property
    def repeat_class(self) -> RepeatClass:
        """The class of the request, which says whether it may be repeated after effect unknown (RET-2)."""
        name = self.operation.name
        is_read = name == "send" and self.tag_count > 0 and self.fields.get("dry_run") == 1 or \
            name == "update_group" and "muted" not in self.fields
        return RepeatClass.READ if is_read else self.operation.repeat_class

    @property
    def key(self) -> Optional[uuid.UUID]:
        """The idempotency key; None if the request has none."""
        raw = self.fields.get("key") if self.operation.repeat_class is RepeatClass.KEY else None
        return None if raw is None or raw == NO_KEY_BYTES else uuid.UUID(bytes=raw)

    @property
    def is_repeatable(self) -> bool:
        """True if the request may be repeated after effect unknown (RET-2)."""
        repeat_class = self.repeat_class
        if repeat_class is RepeatClass.KEY:
            return self.key is not None
        if repeat_class is RepeatClass.TIME:
            return self._has_times()
        if self.operation.name == "update_message":
            return bool(self.fields["action"] != MessageUpdateAction.RESUME)
        return repeat_class in (RepeatClass.READ, RepeatClass.ALWAYS, RepeatClass.STATE)

    def _has_times(self) -> bool:
        if self.operation.name == "unregister":
            return bool(self.fields["at"])
        if self.operation.name == "register":
            return bool(self.fields["seen_at"])
        items = [codec.OPERATIONS["register"].request.read(item) for item in self.fields["items"]]
        return all(item["seen_at"] for item in items)

    def may_repeat(self, error: CarillonError, maximum_attempts: int) -> bool:
        """Returns true if the request may be made again after this error of an attempt: it had no effect, or a second
        request does no harm (RET-1)."""
        if not self.is_repeated or error.retry_after is None or self.attempts >= maximum_attempts:
            return False
        return error.effect == NOT_EXECUTED or error.effect == UNKNOWN and self.is_repeatable

    def key_is_remembered(self, session: Session, now: float) -> bool:
        """Returns true unless the server could have forgotten the key of an earlier attempt (RET-4)."""
        if self.failures is None or self.repeat_class is not RepeatClass.KEY or self.failures.effect != UNKNOWN:
            return True
        window: int = session.hello["idempotency_window_s"]
        return bool(session.hello["epoch"] == self.failures.first_epoch) and now - self.failures.first_written < window

    def record(self, error: CarillonError) -> None:
        """Remembers why an attempt failed."""
        failures = self.failures
        if failures is None:
            self.failures = failures = Failures(self.written_at, self.connection.session.hello["epoch"])
        failures.last_error = error
        failures.effect = worst(failures.effect, error.effect)

    def final(self, error: CarillonError) -> CarillonError:
        """Returns the error of the call. Its effect is the worst of all attempts: an earlier one may have taken effect
        (ERR-3)."""
        failures = self.failures or Failures(0.0, b"")
        is_read = self.repeat_class is RepeatClass.READ
        final = error.copied(NOT_EXECUTED if is_read else worst(failures.effect, error.effect))
        final.attempts, final.key = self.attempts, self.key
        final._is_repeatable = self.is_repeatable and not failures.is_key_forgotten
        final.__cause__ = error.__cause__
        return final


def unwritable(operation: codec.Operation, fields: Dict[str, Any], error: Exception) -> CarillonError:
    """Returns the error of fields that cannot be encoded."""
    field = operation.request.field_at_fault(fields) or "fields"
    return invalid(field, f"the value cannot be encoded: {type(error).__name__}")


class Waiter:
    """Something that is not a request and waits for the client: `connect` or `ping`."""

    __slots__ = ("operation_name", "started_at", "deadline", "state", "value", "error", "end_signal")

    def __init__(self, name: str, now: float, timeout: float) -> None:
        self.operation_name, self.started_at, self.deadline = name, now, now + timeout
        self.state = WAITING
        self.value: Any = None
        self.error: Optional[CarillonError] = None
        self.end_signal: Any = None

    def may_be_answered_on(self, connection: Any) -> bool:
        """Returns false: a thread that waits for it does not read the socket itself."""
        return False
