"""The error of a call (ERR)."""
from __future__ import annotations

from typing import Any, Dict, List, Optional

import wire

ORDER = ("not_executed", "unknown", "executed")


class Failure(Exception):
    """Why a call failed. `retry_after` is in seconds; None: the same call will fail again."""

    def __init__(self, code: str, effect: str = "not_executed", retry_after: Optional[float] = None,
                 message: str = "", **members: Any) -> None:
        super().__init__(f"{code}, {effect}: {message}")
        self.code, self.effect, self.retry_after, self.message = code, effect, retry_after, message
        self.number: int = members.get("number", wire.CODES.get(code, 0))
        of_connection = code in ("CANNOT_CONNECT", "CONNECTION_LOST", "UNTRUSTED")
        self.scope: str = members.get("scope", "connection" if of_connection else "request")
        self.field: Optional[str] = members.get("field")
        self.item: Optional[int] = members.get("item")
        self.limit: Optional[str] = members.get("limit")
        self.column: Optional[int] = members.get("column")
        self.key: Optional[str] = None
        self.attempts = 0
        self.causes: List[str] = members.get("causes", [])
        self.is_safe_to_retry = effect == "not_executed"

    @classmethod
    def from_frame(cls, fields: Dict[str, Any]) -> Failure:
        """Makes the error of an error frame; unknown numbers are kept (ERR-1, ERR-5)."""
        retry = fields["retry_after_ms"]
        return cls(wire.CODE_NAMES.get(fields["code"], f"UNKNOWN_{fields['code']}"),
                   wire.EFFECTS.get(fields["effect"], "unknown"), None if retry == wire.NEVER else retry / 1000,
                   fields["message"], number=fields["code"], scope="connection" if fields["scope"] == 1 else "request",
                   **{name: fields[name] for name in ("field", "item", "limit", "column") if name in fields})

    def with_effect(self, effect: str) -> Failure:
        """Returns a copy with another effect."""
        copy = Failure(self.code, effect, self.retry_after, self.message, number=self.number, scope=self.scope,
                       field=self.field, item=self.item, limit=self.limit, column=self.column, causes=self.causes)
        return copy

    def to_json(self) -> Dict[str, Any]:
        """Returns the members in the form of the vectors."""
        return {
            "code": self.code, "number": self.number, "effect": self.effect, "scope": self.scope, "field": self.field,
            "retry_after_ms": None if self.retry_after is None else round(self.retry_after * 1000),
            "item": self.item, "limit": self.limit, "column": self.column, "key": self.key, "attempts": self.attempts,
            "causes": len(self.causes), "is_not_executed": self.effect == "not_executed",
            "is_safe_to_retry": self.is_safe_to_retry, "is_transient": self.retry_after is not None}


def worst(*effects: str) -> str:
    """Returns the worst of some effects (ERR-3)."""
    return max(effects, key=ORDER.index)
