"""The streams of a client: each is subscribed on the current connection and again on the next (CONTRACT.md, EVT)."""
from __future__ import annotations

from typing import Any, Dict, List, Optional

from ._connection import Connection
from ._results import Results
from ._server_selection import ServerSelection
from ._streams import CREDIT, SUBSCRIBE, UNSUBSCRIBE, Stream, StreamRequest, StreamState
from ._values import FOREVER
from .errors import CarillonError


class Subscriptions:
    """The decisions about the streams that have not ended."""

    def __init__(self, servers: ServerSelection, results: Results, request_timeout: float) -> None:
        self.servers, self.results, self.request_timeout = servers, results, request_timeout
        self.streams: List[Stream] = []

    # Time

    def want_connection(self, now: float) -> bool:
        """True if a stream waits for a connection and may begin now."""
        return any(each.state is StreamState.WAITING and each.not_before <= now and not each.is_closing
                   for each in self.streams)

    def expired(self, now: float) -> List[Stream]:
        """Returns the streams whose first subscription was not accepted before its deadline."""
        return [each for each in self.streams if each.is_awaited and each.deadline <= now]

    def next_time(self, now: float) -> float:
        """Returns the next time at which a stream has something to do."""
        times = [FOREVER]
        for stream in self.streams:
            times.append(stream.not_before if stream.not_before > now else FOREVER)
            times.append(stream.deadline if stream.is_awaited else FOREVER)
        return min(times)

    # Writing

    def write(self, connection: Connection, pieces: List[bytes], now: float) -> None:
        """Adds the requests that are due on the current connection."""
        session = connection.session
        for stream in list(self.streams):
            if session.room <= 0 or session.is_draining:
                return
            request = self._due_request(stream, connection, now)
            if request is None:
                continue
            refusal = session.refusal(request)
            if refusal is not None:
                self.end(stream, refusal)
                continue
            is_first = request.operation is SUBSCRIBE and not stream.is_accepted
            request.deadline = stream.deadline if is_first else now + self.request_timeout
            pieces += session.write([request], now)
            if request.operation is SUBSCRIBE:
                stream.id = request.id
                connection.streams[request.id] = stream
            elif request.operation is UNSUBSCRIBE:
                connection.streams.pop(stream.id, None)

    def _due_request(self, stream: Stream, connection: Connection, now: float) -> Optional[StreamRequest]:
        if stream.state is StreamState.WAITING and stream.not_before <= now:
            stream.connection = connection
            return stream.subscription(connection.session.hello["epoch"])
        return stream.due_request(now) if stream.connection is connection else None

    # What connections bring

    def answered(self, connection: Connection, request: StreamRequest) -> None:
        """Passes the answer to a request on to its stream."""
        stream = request.stream
        if stream.connection is not connection:
            return
        if request.operation is UNSUBSCRIBE:
            return self.end(stream, None)
        stream.answered(request, request.value)
        self.results.changed_streams.append(stream)

    def received(self, connection: Connection, id: int, fields: Dict[str, Any]) -> bool:
        """Passes an event on to its stream. Returns false if the server had no credit for it (CONTRACT.md, EVT-4)."""
        stream = connection.streams.get(id)
        if stream is None or stream.connection is not connection:
            return True
        self.results.changed_streams.append(stream)
        return stream.receive(fields)

    def refused(self, request: StreamRequest, error: CarillonError, now: float) -> float:
        """Repeats a request that was refused for a time, or ends its stream (EVT-10). Returns when it is due again."""
        stream, retry_after = request.stream, error.retry_after
        is_credit = request.operation is CREDIT
        is_unknown = is_credit and error.code == "NOT_FOUND"
        if stream.is_closing and not (is_credit and retry_after is not None):
            self.end(stream, None)
            return FOREVER
        if retry_after is None and not is_unknown:
            self.end(stream, error)
            return FOREVER
        stream.failures += 1
        not_before = now + (retry_after or 0.0) + self.servers.random_pause(stream.failures)
        if is_credit and not is_unknown:
            stream.credit_refused(not_before)
        else:
            if stream.connection is not None:
                stream.connection.streams.pop(stream.id, None)
            stream.lost(not_before)
        return not_before

    def lose(self, connection: Connection) -> None:
        """Takes a connection from its streams. They subscribe again on the next one, unless they are closed."""
        for stream in [each for each in self.streams if each.connection is connection]:
            if stream.is_closing:
                self.end(stream, None)
            else:
                stream.lost()
        connection.streams = {}

    # The end

    def close(self, stream: Stream) -> None:
        """Ends a stream when its last acknowledgement is answered (EVT-11)."""
        stream.is_closing = True
        if stream.state is StreamState.WAITING:
            self.end(stream, None)

    def give_up(self, stream: Stream, error: CarillonError) -> None:
        """Ends a stream that was not accepted in time."""
        stream.give_up(error)
        self.close(stream)
        self.results.changed_streams.append(stream)

    def end_waiting(self, error: CarillonError) -> None:
        """Ends the streams that wait for a connection."""
        for stream in [each for each in self.streams if each.state is StreamState.WAITING]:
            self.end(stream, error.copied())

    def end_all(self) -> None:
        """Ends every stream at once."""
        for stream in list(self.streams):
            self.end(stream, None)

    def end(self, stream: Stream, error: Optional[CarillonError]) -> None:
        """Ends a stream at once. The program gets the error after the elements that are in memory."""
        if stream.connection is not None:
            stream.connection.streams.pop(stream.id, None)
        stream.end(error)
        if stream in self.streams:
            self.streams.remove(stream)
        self.results.changed_streams.append(stream)
