"""What goes wrong with a frame, and with a request."""
from __future__ import annotations

from typing import Any, Dict, Optional

from crln.names import EFFECTS, ERRORS, NEVER, SCOPES, name_of


class ProtocolError(Exception):
    """A fault in bytes or values; `code` is a name of §15, `scope` is request or connection."""

    def __init__(self, code: str, scope: str, field: Optional[str] = None, item: Optional[int] = None) -> None:
        super().__init__(f"{code} ({scope})" + (f" in {field}" if field else ""))
        self.code, self.scope, self.field, self.item = code, scope, field, item


class NotCarillon(Exception):
    """The peer does not send the magic; the server closes without sending a byte (§2)."""


class CarillonError(Exception):
    """A request that failed.

    `code` is a name of §15, or CONNECTION_LOST, CANNOT_CONNECT or NO_ANSWER for a fault that the client itself found.
    `effect` is "not_executed", "unknown" or "executed". `retry_after` is in seconds; None: the same request will fail
    again. `column` is where a condition cannot be read, in bytes from 1. `reason` is APNs' word for a request to it.
    """

    def __init__(self, code: str, effect: str, message: str = "", *, scope: str = "request",
                 retry_after: Optional[float] = 0.0, field: Optional[str] = None, item: Optional[int] = None,
                 limit: Optional[int] = None, column: Optional[int] = None, reason: Optional[str] = None) -> None:
        where = f", field {field}" if field else ""
        super().__init__(f"{code}, {effect}{where}" + (f": {message}" if message else ""))
        self.code, self.effect, self.message, self.scope = code, effect, message, scope
        self.retry_after, self.field, self.item, self.limit = retry_after, field, item, limit
        self.column, self.reason = column, reason

    @classmethod
    def from_frame(cls, fields: Dict[str, Any]) -> CarillonError:
        """Makes the error of an error frame."""
        retry = fields["retry_after_ms"]
        return cls(name_of(ERRORS, fields["code"]), name_of(EFFECTS, fields["effect"], "unknown"), fields["message"],
                   scope=name_of(SCOPES, fields["scope"], "request"),
                   retry_after=None if retry == NEVER else retry / 1000,
                   field=fields.get("field"), item=fields.get("item"), limit=fields.get("limit"),
                   column=fields.get("column"), reason=fields.get("reason"))
