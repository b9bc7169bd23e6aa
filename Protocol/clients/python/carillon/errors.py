"""The one type of error."""
from __future__ import annotations

import uuid
from typing import Any, Dict, List, Optional

from ._codec import NEVER
from ._layouts import CODES, EFFECTS

NOT_EXECUTED, UNKNOWN, EXECUTED = "not_executed", "unknown", "executed"
NUMBERS: Dict[str, int] = {name: number for number, name in CODES.items()}
_OF_CONNECTION = ("CANNOT_CONNECT", "CONNECTION_LOST", "UNTRUSTED")


class CarillonError(Exception):
    """Why a call failed.

    `code` is a name of §15 of the protocol or one of the client: CANNOT_CONNECT, CONNECTION_LOST, NO_ANSWER, CANCELLED,
    CLOSED, UNTRUSTED. A number without a name is `UNKNOWN_4711`. The text never has a key, a payload or a whole token.

    Attributes:
        code: the name of the error.
        number: its number; 0 for the client's own codes without one.
        effect: `not_executed`, `unknown` or `executed`: of the call, over all its attempts.
        scope: `request` or `connection`.
        retry_after: seconds after which the call may succeed; None: the same call will fail again.
        field, item, limit, column: which argument is at fault, and how; None if the error does not say it.
        reason: the reason that APNs gave to a request about broadcast channels, or the server's word for an end
            without one; else None.
        key: the idempotency key of a send or resend. A program repeats the call safely with the same key.
        attempts: how many requests were written.
        causes: with CANNOT_CONNECT, one text for each address that was tried.
        message: a text for engineers. Do not parse it.
    """

    def __init__(self, code: str, message: str = "", *, effect: str = NOT_EXECUTED,
                 retry_after: Optional[float] = None, number: Optional[int] = None, scope: Optional[str] = None,
                 field: Optional[str] = None, item: Optional[int] = None, limit: Optional[int] = None,
                 column: Optional[int] = None, reason: Optional[str] = None,
                 causes: Optional[List[str]] = None) -> None:
        super().__init__(code, message)
        self.code, self.message, self.effect, self.retry_after = code, message, effect, retry_after
        self.number = NUMBERS.get(code, 0) if number is None else number
        self.scope = scope or ("connection" if code in _OF_CONNECTION else "request")
        self.field, self.item, self.limit, self.column = field, item, limit, column
        self.reason = reason
        self.key: Optional[uuid.UUID] = None
        self.attempts = 0
        self.causes: List[str] = list(causes or [])
        self._is_repeatable = False

    @property
    def is_not_executed(self) -> bool:
        """True if the server certainly has not executed the call."""
        return self.effect == NOT_EXECUTED

    @property
    def is_safe_to_retry(self) -> bool:
        """True if the same call, a send or resend with `key`, can be made again without doing it twice (ERR-4)."""
        return self.effect == NOT_EXECUTED or self.effect == UNKNOWN and self._is_repeatable

    @property
    def is_transient(self) -> bool:
        """True if the same call can succeed later."""
        return self.retry_after is not None

    def __str__(self) -> str:
        parts = [f"{self.code} ({self.effect})"]
        if self.field is not None:
            parts.append(f"field {self.field}" + ("" if self.item is None else f", item {self.item}"))
        if self.message:
            parts.append(self.message)
        parts += self.causes
        return ": ".join(parts)

    def __repr__(self) -> str:
        return f"CarillonError({str(self)!r})"

    def __reduce__(self) -> Any:
        return _restored, (self.__dict__,)

    def copied(self, effect: Optional[str] = None) -> CarillonError:
        """Returns a copy of its own for one call, with another effect if one is given."""
        copy = _restored(self.__dict__)
        copy.causes = list(self.causes)
        copy.effect = effect or self.effect
        return copy


def _restored(members: Dict[str, Any]) -> CarillonError:
    error = CarillonError(members["code"], members["message"])
    error.__dict__.update(members)
    return error


def invalid(field: str, message: str, item: Optional[int] = None) -> CarillonError:
    """Returns INVALID_ARGUMENT: the client refuses an argument before anything is written."""
    return CarillonError("INVALID_ARGUMENT", message, field=field, item=item)


def connection_lost(message: str, cause: Optional[BaseException] = None) -> CarillonError:
    """Returns CONNECTION_LOST: the connection ended before the answer."""
    error = CarillonError("CONNECTION_LOST", message, effect=UNKNOWN, retry_after=0.0)
    error.__cause__ = cause
    return error


def cannot_connect(message: str, causes: Optional[List[str]] = None) -> CarillonError:
    """Returns CANNOT_CONNECT: no connection was opened."""
    return CarillonError("CANNOT_CONNECT", message, retry_after=0.0, causes=causes)


def code_name(number: int) -> str:
    """Returns the name of a code; UNKNOWN_ and the number if the client does not know it."""
    return CODES.get(number) or f"UNKNOWN_{number}"


def from_frame(fields: Dict[str, Any]) -> CarillonError:
    """Returns the error of an error frame. What the client does not know is kept (CONTRACT.md, ERR-5)."""
    effect, retry = fields["effect"], fields["retry_after_ms"]
    return CarillonError(
        code_name(fields["code"]), fields["message"], number=fields["code"],
        effect=EFFECTS[effect] if effect < len(EFFECTS) else UNKNOWN,
        scope="connection" if fields["scope"] == 1 else "request", retry_after=None if retry == NEVER else retry / 1000,
        field=fields.get("field"), item=fields.get("item"), limit=fields.get("limit"), column=fields.get("column"),
        reason=fields.get("reason"))


def worst(first: str, second: str) -> str:
    """Returns the worse of two effects: `executed` is worse than `unknown`, that than `not_executed` (ERR-3)."""
    return first if EFFECTS.index(first) >= EFFECTS.index(second) else second
