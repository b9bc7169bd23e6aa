"""Requests as bytes, well-formed or not, and the answers that the server must give."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional, Tuple, Union

from support.bad_inputs.bad_input_kinds import Kind
from support.clients.raw_connection import RawConnection, raw_frame
from support.environment import APP, crln, require

encode, uvarint = crln.encode, crln.uvarint

CLOSED, ANSWERED = "closed", "answered"
TOKEN = bytes(range(1, 33))
NOW = 0


@dataclass(frozen=True)
class Refused:
    """An expected error frame: its code, its scope, and its field if the row names one."""

    code: str
    scope: str
    field: Optional[str] = None


@dataclass(frozen=True)
class Row:
    """A bad input of a kind. `play` is bytes to send in a phase, with the expected result, or a function that gets a
    connection in that phase. Without an expected result the function judges the answers itself."""

    kind: Kind
    name: str
    phase: str
    play: Union[bytes, Callable[..., None]]
    expected: Union[str, Refused, None] = None
    timeout: float = 10

    def __str__(self) -> str:
        return f"{self.kind.value}: {self.name}"


def malformed(field: Optional[str] = None) -> Refused:
    """Returns the error MALFORMED for a payload."""
    return Refused("MALFORMED", "request", field)


def invalid(field: str) -> Refused:
    """Returns the error INVALID_ARGUMENT for a field."""
    return Refused("INVALID_ARGUMENT", "request", field)


def string(raw: bytes) -> bytes:
    """Returns a `str` of the protocol with any bytes."""
    return len(raw).to_bytes(2, "big") + raw


def register_payload(app: bytes = APP.encode(), token: bytes = TOKEN, seen_at: int = NOW, tail: bytes = b"",
                     token_length: Optional[int] = None) -> bytes:
    """Returns the payload of a REGISTER."""
    length = len(token) if token_length is None else token_length
    return string(app) + b"\1\1" + bytes([length]) + token + seen_at.to_bytes(8, "big") + tail


def register(id: int = 3, **options: Any) -> bytes:
    """Returns a REGISTER."""
    return raw_frame(register_payload(**options), 0x10, id)


def batch(items: List[bytes], id: int = 3, count: Optional[int] = None) -> bytes:
    """Returns a REGISTER_BATCH."""
    number = len(items) if count is None else count
    payload = number.to_bytes(4, "big") + b"".join(len(item).to_bytes(4, "big") + item for item in items)
    return raw_frame(payload, 0x11, id)


def send(payload: bytes = b'{"aps":{"alert":"hi"}}', id: int = 3, *, app: str = APP, key: bytes = crln.NO_KEY,
         priority: int = 0, devices: Optional[List[Dict[str, Any]]] = None, **tags: Any) -> bytes:
    """Returns a SEND to a token that is not registered."""
    to = [{"id": 1 << 60}] if devices is None else devices
    return encode("client", "send", {"app": app, "key": key, "push_type": 1, "priority": priority, "audience": 1,
                                     "devices": to, "payload": payload, **tags}, id)


def lookup(id: int, token: bytes = TOKEN) -> bytes:
    """Returns a LOOKUP."""
    device = {"token": {"environment": 1, "kind": 1, "token": token}}
    return encode("client", "lookup", {"app": APP, "device": device}, id)


def hello(id: int = 1, unknown: Any = ()) -> bytes:
    """Returns a HELLO."""
    return encode("client", "hello", {"software": "bad/1", "receive_limit": 0}, id, unknown=unknown)


def auth(key: bytes = b"crln_wrong", id: int = 2, method: int = 1) -> bytes:
    """Returns an AUTH."""
    return encode("client", "auth", {"method": method, "credential": key}, id)


def ping(data: bytes = bytes(8), flags: int = 0) -> bytes:
    """Returns a PING."""
    return encode("client", "ping", {"data": data}, flags=flags)


def preface(low: int = 1, high: int = 1, reserved: bytes = bytes(6)) -> bytes:
    """Returns the preface of a client."""
    return crln.MAGIC + bytes([low, high]) + reserved


def tags(count: bytes, *fields: Tuple[bytes, bytes]) -> bytes:
    """Returns a tagged section; every number is written as given."""
    return count + b"".join(tag + rest for tag, rest in fields)


def tag(number: int, value: bytes) -> Tuple[bytes, bytes]:
    """One field of a tagged section."""
    return uvarint(number), uvarint(len(value)) + value


def expect_error(raw: RawConnection, wanted: Refused, timeout: float = 10) -> None:
    """Asserts that the next frame is the error; with scope "connection", that the server then closes."""
    frame = raw.read_frame(timeout)
    require(frame is not None, f"closed without a word instead of {wanted}")
    require(frame.message == "error", f"{frame.message} instead of {wanted}")
    fields = frame.fields
    found = Refused(crln.ERRORS[fields["code"]], crln.SCOPES[fields["scope"]],
                    fields.get("field") if wanted.field else None)
    require(found == wanted, f"{found} {fields['message']!r} instead of {wanted}")
    if wanted.scope == "connection":
        require(raw.read_frame(timeout) is None, "not closed after the error")


def expect_closed(raw: RawConnection, timeout: float = 10) -> None:
    """Asserts that the server closes without a byte."""
    raw.has_preface = True
    frame = raw.read_frame(timeout)
    require(frame is None and not raw.buffer, f"the server said {frame} before it closed")


def expect_answer(raw: RawConnection, id: int, message: str) -> crln.Frame:
    """Asserts that the next frame answers the request, and returns it."""
    frame = raw.read_frame()
    require(frame is not None, "closed instead of an answer")
    require((frame.message, frame.id) == (message, id), f"{frame} instead of an answer to {id}")
    return frame


def ask(raw: RawConnection, id: int, message: str, data: bytes) -> Dict[str, Any]:
    """Sends a request and returns the fields of its answer."""
    raw.send(data)
    return expect_answer(raw, id, message).fields


FRAMING = Refused("MALFORMED", "connection")
WRONG_PHASE = Refused("WRONG_PHASE", "connection")
BAD_ID = Refused("BAD_REQUEST_ID", "connection")
TOO_LARGE = Refused("FRAME_TOO_LARGE", "connection")
TIMEOUT = Refused("TIMEOUT", "connection")
