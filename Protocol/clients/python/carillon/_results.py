"""What a client has for its shell: calls that have ended, streams that have changed, and reports for hooks."""
from __future__ import annotations

from typing import Any, Callable, List, Optional, Tuple, Union

from ._calls import DONE, Call, Waiter
from ._connection import Connection
from ._streams import Stream
from .errors import CarillonError
from .options import CallReport, Options, RetryReport, StateReport


class Results:
    """What has come about since the shell last looked; the shell empties the lists."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.finished: List[Union[Call[Any], Waiter]] = []
        self.changed_streams: List[Stream] = []
        self.reports: List[Tuple[Callable[[Any], None], Any]] = []

    def call_ended(self, call: Call[Any], error: Optional[CarillonError]) -> None:
        """Adds a call that has its result; its value is set already if there is no error."""
        call.state = DONE
        if error is not None:
            call.error = call.final(error)
        self.finished.append(call)
        if self.options.on_call is not None:
            self.reports.append((self.options.on_call, call))

    def waiter_ended(self, waiter: Waiter, error: Optional[CarillonError]) -> None:
        """Adds a waiter that has its result; its value is set already if there is no error."""
        waiter.state, waiter.error = DONE, None if error is None else error.copied()
        self.finished.append(waiter)

    def attempt_failed(self, call: Call[Any], pause: float, error: CarillonError) -> None:
        """Reports a failed attempt of a call that makes another one (CONTRACT.md, OBS-2)."""
        if self.options.on_retry is not None:
            report = RetryReport(call.operation.name, call.attempts, pause, error.copied())
            self.reports.append((self.options.on_retry, report))

    def state_changed(self, state: str, connection: Optional[Connection] = None, **members: Any) -> None:
        """Reports that the state of the client or of a connection has changed (OBS-3)."""
        if self.options.on_state is not None:
            address = None if connection is None else connection.address.text
            self.reports.append((self.options.on_state, StateReport(state, address, **members)))


def perform_reports(reports: List[Tuple[Callable[[Any], None], Any]], now: float) -> None:
    """Calls hooks, outside of all locks. What they raise is dropped (OBS-4)."""
    for hook, report in reports:
        if isinstance(report, Call):
            error = report.error
            report = CallReport(operation=report.operation.name, address=report.address,
                                duration=now - report.started_at, attempts=report.attempts,
                                code=None if error is None else error.code, effect=report.effect)
        try:
            hook(report)
        except Exception:  # of the program's own function
            pass
