"""Requests of HTTP to the ports of the server, with the standard library, and raw bytes for hostile ones."""
from __future__ import annotations

import http.client
import json
import socket
from typing import Any, Callable, Dict, Optional, Tuple, Union

from support.environment import TIMEOUT_SECONDS


class Answer:
    """An answer of HTTP: status, headers by lower-case name, body."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.body = response.read()

    def json(self) -> Any:
        """Returns the body as JSON."""
        return json.loads(self.body)

    @property
    def code(self) -> str:
        """The code of an error."""
        return self.json()["error"]["code"]


def hyphenated(headers: Dict[str, str]) -> Dict[str, str]:
    """Headers whose names have underscores for hyphens, with hyphens."""
    return {name.replace("_", "-"): value for name, value in headers.items()}


class HTTPClient:
    """A client of a port of HTTP. One connection serves all requests until the server closes it."""

    def __init__(self, port: Union[int, Callable[[], int]]) -> None:
        """`port` may be a function, for a server that starts later."""
        self._port = port
        self.connection: Optional[http.client.HTTPConnection] = None

    @property
    def port(self) -> int:
        """The port that the server listens on."""
        return self._port if isinstance(self._port, int) else self._port()

    def request(self, method: str, path: str, body: bytes = b"", **headers: str) -> Answer:
        """Makes a request, on a new connection if the server has closed the old one. The names of headers have
        underscores for hyphens."""
        for is_last in (False, True):
            connection = self.connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_SECONDS)
            self.connection = connection
            try:
                connection.request(method, path, body or None, hyphenated(headers))
                found = connection.getresponse()
                answer = Answer(found)
                if found.will_close:
                    self.close()
                return answer
            except (http.client.RemoteDisconnected, ConnectionError):
                self.close()
                if is_last:
                    raise
        raise AssertionError("unreachable")

    def close(self) -> None:
        """Closes the connection."""
        if self.connection:
            self.connection.close()
        self.connection = None

    def raw(self, data: bytes, timeout: float = TIMEOUT_SECONDS) -> bytes:
        """Sends bytes on a connection of their own and returns all that comes until the server closes it."""
        with socket.create_connection(("127.0.0.1", self.port), timeout) as peer:
            received = b""
            try:
                peer.sendall(data)
                while more := peer.recv(65_536):
                    received += more
            except ConnectionError:
                pass
            return received


class PendingAnswer:
    """The answer to a request that was sent on a connection of its own."""

    def __init__(self, connection: http.client.HTTPConnection) -> None:
        self.connection = connection

    def take(self) -> Answer:
        """Waits for the answer, and closes the connection."""
        answer = Answer(self.connection.getresponse())
        self.connection.close()
        return answer


class ServiceAPI(HTTPClient):
    """The service API: HTTP with JSON for services."""

    def __init__(self, port: Union[int, Callable[[], int]], key: str) -> None:
        super().__init__(port)
        self.key = key

    def call(self, name: str, fields: Any, key: Optional[str] = None, **headers: str) -> Answer:
        """Makes a request of the protocol."""
        return self.request("POST", f"/v1/{name}", json.dumps(fields).encode(),
                            **self._with_key(headers, key or self.key))

    def begin(self, name: str, fields: Any, **headers: str) -> PendingAnswer:
        """Sends a request of the protocol on a connection of its own, and does not wait for its answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_SECONDS)
        connection.request("POST", f"/v1/{name}", json.dumps(fields).encode(),
                           hyphenated(self._with_key(headers, self.key)))
        return PendingAnswer(connection)

    @staticmethod
    def _with_key(headers: Dict[str, str], key: str) -> Dict[str, str]:
        """The headers of a request of the service API: those that every request has, changed or completed by others."""
        return {"Authorization": f"Bearer {key}", "Content-Type": "application/json", **headers}


def status_line(received: bytes) -> Tuple[str, bytes]:
    """Returns the first line of an answer, and its body."""
    head, _, body = received.partition(b"\r\n\r\n")
    return head.split(b"\r\n")[0].decode(), body


class Console(HTTPClient):
    """The console as a browser calls it."""

    def __init__(self, port: int) -> None:
        super().__init__(port)
        self.cookie = ""

    def api(self, path: str, fields: Any = None, **headers: str) -> Answer:
        """Returns a request of a page of the console."""
        sent: Dict[str, str] = {"Content-Type": "application/json", "Sec-Fetch-Site": "same-origin", **headers}
        if self.cookie and "Cookie" not in sent:
            sent["Cookie"] = self.cookie
        return self.request("POST", f"/api/{path}", json.dumps(fields or {}).encode(), **sent)

    def log_in(self, key: str) -> Answer:
        """Logs in and keeps the cookie."""
        answer = self.api("login", {"key": key})
        if answer.status == 200:
            self.cookie = answer.headers["set-cookie"].partition(";")[0]
        return answer
