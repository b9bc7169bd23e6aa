"""Calls: a connection that is opened again, and requests that are repeated where that is safe."""
from __future__ import annotations

import random
import threading
import time
from concurrent.futures import TimeoutError as FutureTimeout
from typing import Any, Dict, Optional, Type, TypeVar, Union

from crln.connection import Connection
from crln.endpoint import Endpoint, tls_context
from crln.errors import CarillonError, ProtocolError
from crln.frames import encode
from crln.names import NEVER
from crln.rules import check_request

Self = TypeVar("Self", bound="Caller")


class Caller:
    """Calls of many threads on one connection. Each call waits for its answer; the calls of all threads are pipelined.

    A call is repeated on a new connection only where that is safe (§18): the request was not executed, or repeating it
    has no second effect. `timeout` in seconds bounds a whole call, repetitions included.
    """

    def __init__(self, endpoint: Endpoint, *, timeout: float = 10.0, attempts: int = 6, backoff: float = 0.1,
                 maximum_backoff: float = 5.0) -> None:
        self.endpoint, self.timeout, self.attempts = endpoint, timeout, attempts
        self.backoff, self.maximum_backoff = backoff, maximum_backoff
        self._lock = threading.Lock()
        self._connection: Optional[Connection] = None
        self._closed = False

    @classmethod
    def connect(cls: Type[Self], host: str = "127.0.0.1", port: int = 0, *, unix_path: Optional[str] = None,
                plaintext: bool = False,
                ca_file: Optional[str] = None, cert_file: Optional[str] = None, key_file: Optional[str] = None,
                api_key: Union[str, bytes, None] = None, **options: Any) -> Self:
        """Connects now, so that a wrong address or key fails at once. TLS unless `unix_path` or `plaintext` is set."""
        tls = None if plaintext or unix_path else tls_context(ca_file, cert_file, key_file)
        key = api_key.encode() if isinstance(api_key, str) else api_key
        client = cls(Endpoint(host, port, unix_path, tls, key), **options)
        client._current(client.timeout)
        return client

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection."""
        with self._lock:
            self._closed = True
            if self._connection:
                self._connection.close()

    @property
    def server(self) -> Dict[str, Any]:
        """The server's answer to HELLO."""
        return self._current(self.timeout).hello

    @property
    def position(self) -> int:
        """How far the node of a cluster was before its last answer (§6.5); 0 if it belongs to none."""
        return self._current(self.timeout).position

    def observe(self, position: int) -> None:
        """Requests that follow on this connection see a position that another client has."""
        self._current(self.timeout).send_position(position)

    def _current(self, timeout: float) -> Connection:
        """Returns the connection; a new one if there is none that takes requests."""
        with self._lock:
            if self._closed:
                raise CarillonError("CONNECTION_LOST", "not_executed", "the client is closed", retry_after=None)
            old = self._connection
            if old is None or old.refusal is not None:
                wait = old.reconnect_at - time.monotonic() if old else 0
                if wait > 0:
                    raise CarillonError("DRAINING", "not_executed", "reconnects later", retry_after=wait)
                self._connection = None
                try:
                    self._connection = Connection(self.endpoint, timeout)
                except CarillonError:
                    raise
                except (OSError, ProtocolError) as error:
                    raise CarillonError("CANNOT_CONNECT", "not_executed", str(error), scope="connection") from error
            return self._connection

    def _attempt(self, message: str, fields: Dict[str, Any], deadline: float) -> Dict[str, Any]:
        """Sends a request once, and waits for its answer until the deadline."""
        left = deadline - time.monotonic()
        if left <= 0:
            raise CarillonError("NO_ANSWER", "not_executed", "no time left")
        connection = self._current(left)
        left = max(0.001, deadline - time.monotonic())
        id, future = connection.submit(message, {**fields, "deadline_ms": min(NEVER, int(left * 1000))}, left)
        try:
            return future.result(left)
        except FutureTimeout:
            connection.forget(id)
            raise CarillonError("NO_ANSWER", "unknown", "no answer in time") from None

    def call(self, message: str, fields: Dict[str, Any], *, repeatable: bool = True,
             timeout: Optional[float] = None) -> Dict[str, Any]:
        """Sends one request with the codec's fields. `repeatable`: a second execution does no harm."""
        self._check(message, fields)
        deadline = time.monotonic() + (self.timeout if timeout is None else timeout)
        attempts = 0
        while True:
            try:
                return self._attempt(message, fields, deadline)
            except CarillonError as error:
                attempts += 1
                is_safe = error.effect == "not_executed" or error.effect == "unknown" and repeatable
                if not is_safe or error.retry_after is None or attempts >= self.attempts:
                    raise
                ceiling = min(self.maximum_backoff, self.backoff * 2 ** attempts)
                pause = error.retry_after + random.uniform(0, ceiling)
                if time.monotonic() + pause >= deadline:
                    raise
            time.sleep(pause)

    @staticmethod
    def _check(message: str, fields: Dict[str, Any]) -> None:
        """Raises CarillonError for a request that the server would refuse."""
        try:
            encode("client", message, fields)
            check_request(message, fields, maximum_items=NEVER)  # the server knows its own limit
        except ProtocolError as error:
            raise CarillonError(error.code, "not_executed", field=error.field, item=error.item,
                                retry_after=None) from error

    def ping(self, timeout: Optional[float] = None) -> float:
        """Returns the seconds until a PING is answered. Waits first if the last PING was too recent (§6.3)."""
        deadline = time.monotonic() + (self.timeout if timeout is None else timeout)
        connection = self._current(max(0.001, deadline - time.monotonic()))
        pause = connection.ping_sent_at + connection.hello["ping_interval_ms"] / 1000 - time.monotonic()
        if connection.ping_sent_at and pause > 0:
            time.sleep(min(pause, max(0.0, deadline - time.monotonic())))
        try:
            connection.submit_ping().result(max(0.001, deadline - time.monotonic()))
        except FutureTimeout:
            raise CarillonError("NO_ANSWER", "unknown", "no answer to PING") from None
        return time.monotonic() - connection.ping_sent_at
