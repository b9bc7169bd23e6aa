"""The events of a subscription."""
from __future__ import annotations

import queue
from concurrent.futures import Future, TimeoutError as FutureTimeout
from typing import Any, Dict, Iterator, Optional, Tuple, Union

from crln.connection import Connection
from crln.errors import CarillonError, ProtocolError
from crln.names import EVENT_KINDS, OUTCOMES, name_of


class EventStream:
    """The events of one subscription, an iterator of dictionaries; made by `Client.events`.

    Each event has `sequence`, `at` (ms) and `kind` (a name), and depending on the kind `app`, `message_id`,
    `device_id`, `outcome` (a name), `count` and `text`. A gap has `missed_from` and `missed_to`. The stream grants more
    credit as the caller takes events, so that at most a window of them wait. When the connection ends, it raises
    CarillonError: subscribe again, by name or from the last `sequence`.
    """

    def __init__(self, timeout: float, window: int) -> None:
        self._timeout, self._window = timeout, max(2, window)
        self._waiting: "queue.SimpleQueue[Union[Dict[str, Any], CarillonError, None]]" = queue.SimpleQueue()
        self._taken = self._received = self._granted = 0
        self._end: Optional[CarillonError] = None
        self.after = 0

    def begin(self, connection: Connection, fields: Dict[str, Any]) -> None:
        """Subscribes on a connection."""
        self._connection = connection
        self._granted = self._window
        self._id, future = connection.submit("subscribe_events", {**fields, "credit": self._window}, self._timeout,
                                             self._enqueue)
        try:
            self.after = self._result(future, self._id)["after"]
        except CarillonError:
            self._forget()
            raise

    def _result(self, future: Future, id: int) -> Dict[str, Any]:
        """Waits for the answer to a request of the subscription."""
        try:
            return future.result(self._timeout)
        except FutureTimeout:
            self._connection.forget(id)
            raise CarillonError("NO_ANSWER", "unknown", "no answer in time") from None

    def _forget(self) -> None:
        with self._connection.lock:
            self._connection.event_handlers.pop(self._id, None)

    def _enqueue(self, event: Union[Dict[str, Any], CarillonError]) -> None:
        """Queues an event of the connection, or its end."""
        if not isinstance(event, CarillonError):
            self._received += 1
            if self._received > self._granted:
                raise ProtocolError("MALFORMED", "connection")  # a server that ignores the credit
        self._waiting.put(event)

    def _submit(self, message: str, **fields: int) -> Tuple[int, Future]:
        return self._connection.submit(message, {"subscription": self._id, **fields}, self._timeout)

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        return self

    def __next__(self) -> Dict[str, Any]:
        event = self.take()
        if event is None:
            raise StopIteration
        return event

    def take(self, timeout: Optional[float] = None) -> Optional[Dict[str, Any]]:
        """Returns the next event; None after `close`, or if none has come within `timeout` seconds."""
        if self._end is not None:
            raise self._end
        try:
            event = self._waiting.get(timeout=timeout)
        except queue.Empty:
            return None
        if isinstance(event, CarillonError):
            self._end = event
            raise event
        if event is None:
            return None
        self._taken += 1
        if self._granted - self._taken <= self._window // 2:
            self._grant_more()
        kind = EVENT_KINDS.get(event["kind"], f"event-{event['kind']}")
        outcome = {"outcome": name_of(OUTCOMES, event["outcome"])} if "outcome" in event else {}
        return {**event, "kind": kind, **outcome}

    def _grant_more(self) -> None:
        """Grants a window of credit above what the caller has taken."""
        granted = self._granted
        self._granted = self._taken + self._window
        try:
            self._submit("event_credit", credit=self._granted, ack=0)
        except CarillonError:
            self._granted = granted  # the caller gets the queued events first, then the end of the connection

    def acknowledge(self, sequence: int) -> None:
        """Acknowledges every event up to this number, durably: a subscription of the same name begins after it."""
        id, future = self._submit("event_credit", credit=self._granted, ack=sequence)
        self._result(future, id)

    def close(self) -> None:
        """Ends the subscription and an iteration over it. What its name has acknowledged is kept."""
        self._forget()  # before the answer: the server may close the connection behind it
        id, future = self._submit("unsubscribe_events")
        self._waiting.put(None)
        self._result(future, id)

    def __enter__(self) -> EventStream:
        return self

    def __exit__(self, *_: Any) -> None:
        try:
            self.close()
        except CarillonError:
            pass  # the connection has ended, and the subscription with it
