"""Options of a client, with the defaults of the contract, and its addresses."""
from __future__ import annotations

import ipaddress
import os
from dataclasses import dataclass, field, fields
from typing import Any, Callable, Dict, List, Optional, Sequence, Union

from ._values import Seconds, seconds
from .errors import CarillonError, invalid

# The version of the server with which the client is released, as Python writes it.
VERSION = "1.0.0b1"
MAXIMUM_SOFTWARE_BYTES = 64
MAXIMUM_ADDRESSES = 32
SECURITIES = ("auto", "tls", "plaintext", "plaintext_anywhere")
Key = Union[str, bytes, Callable[[], Union[str, bytes]]]


@dataclass(frozen=True)
class Address:
    """`host:port`, `[v6]:port` or `unix:path` (CONTRACT.md, ADR-1)."""

    text: str
    host: str = ""
    port: int = 0
    path: str = ""

    @classmethod
    def parse(cls, text: str) -> Address:
        """Reads one address; INVALID_ARGUMENT if it is none."""
        if text.startswith("unix:") and len(text) > len("unix:"):
            return cls(text, path=text[len("unix:"):])
        host, _, port = text.rpartition(":")
        bracketed = host.startswith("[") and host.endswith("]")
        bare = host[1:-1] if bracketed else host
        is_host = bool(bare) and (ip_address(bare) is not None if bracketed else ":" not in bare)
        if not is_host or not (port.isascii() and port.isdigit() and len(port) <= 5 and 1 <= int(port) <= 65535):
            raise invalid("addresses", f"{text!r} is not host:port, [v6]:port or unix:path")
        return cls(text, bare, int(port))

    @property
    def is_literal(self) -> bool:
        """True if the host is an IP address."""
        return ip_address(self.host) is not None

    @property
    def is_loopback(self) -> bool:
        """True for `localhost` and literal loopback addresses."""
        return self.host == "localhost" or is_loopback(self.host)


def ip_address(text: str) -> Any:
    """Returns the IP address of a text; None if it is none."""
    try:
        return ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None


def is_loopback(text: str) -> bool:
    """True for the text of a loopback IP address."""
    found = ip_address(text)
    return found is not None and bool(found.is_loopback)


@dataclass(frozen=True)
class CallReport:
    """The end of a call (OBS-1). `code` is None if it has succeeded; `duration` is in seconds. The effect of a call
    that only reads is always `not_executed`."""

    operation: str
    address: Optional[str]
    duration: float
    attempts: int
    code: Optional[str]
    effect: str


@dataclass(frozen=True)
class RetryReport:
    """A request will be made again after `pause` seconds (OBS-2)."""

    operation: str
    attempt: int
    pause: float
    error: CarillonError


@dataclass(frozen=True)
class StateReport:
    """A change of the client's connections (OBS-3).

    `state` is `connecting`, `connected`, `failed`, `draining`, `disconnected`, `refused`, `new_history` or `closed`.
    """

    state: str
    address: Optional[str] = None
    error: Optional[CarillonError] = None
    reason: Optional[str] = None
    software: Optional[str] = None
    epoch: Optional[str] = None
    previous_epoch: Optional[str] = None


@dataclass(frozen=True)
class Options:
    """All options of a client. Durations are seconds or a `timedelta`; an impossible value is INVALID_ARGUMENT.

    Attributes:
        addresses: `host:port`, `[v6]:port` or `unix:path`: a list, or one text with commas.
        address_order: `listed`, or `shuffled` once when the client is made.
        api_key: the key, or a function that returns it; it is called at each connection and must not use the client.
        api_key_file: a file with the key, read at each connection.
        security: `auto` (TLS but on loopback), `tls`, `plaintext` (loopback only) or `plaintext_anywhere`.
        ca_file, ca_text: the authorities to trust, PEM; without both, those of the system.
        certificate_file, certificate_key_file: a client certificate and its key, PEM, read at each connection.
        server_name: the name in the server's certificate, if it is not the host.
        program_name: follows the client's name in the server's log.
        request_timeout: the deadline of a call, with all its attempts and pauses.
        connect_timeout: from the beginning of an attempt to connect until the connection is open.
        probe_after: the silence after which the client asks with a PING whether the server of a waiting request lives.
        ping_timeout: how long the server may stay silent after a PING.
        backoff, maximum_backoff: the pause before the second attempt, which doubles for each further one, and the
            longest pause.
        maximum_attempts: how many attempts a call may make; 1: none is repeated.
        maximum_in_flight: how many requests may be outstanding on a connection.
        maximum_waiting_calls, maximum_memory_bytes: how many calls may wait, and how many bytes the requests of all
            calls may have.
        maximum_receive_bytes: the largest answer in bytes; at least 4,096.
        refusal_pause: how long an address that refused the client is left alone.
        drain_timeout: how long `close` waits for calls.
        lazy: the client connects when the first call needs it.
        on_call, on_retry, on_state: hooks. They are called outside of locks, and what they raise is dropped.
    """

    addresses: Union[str, Sequence[str]] = "127.0.0.1:7474"
    address_order: str = "listed"
    api_key: Optional[Key] = field(default=None, repr=False)
    api_key_file: Optional[str] = None
    security: str = "auto"
    ca_file: Optional[str] = None
    ca_text: Optional[str] = field(default=None, repr=False)
    certificate_file: Optional[str] = None
    certificate_key_file: Optional[str] = None
    server_name: Optional[str] = None
    program_name: Optional[str] = None
    request_timeout: Seconds = 10.0
    connect_timeout: Seconds = 5.0
    probe_after: Seconds = 3.0
    ping_timeout: Seconds = 5.0
    backoff: Seconds = 0.1
    maximum_backoff: Seconds = 5.0
    maximum_attempts: int = 6
    maximum_in_flight: int = 1024
    maximum_waiting_calls: int = 10_000
    maximum_memory_bytes: int = 64 << 20
    maximum_receive_bytes: int = 1 << 20
    refusal_pause: Seconds = 60.0
    drain_timeout: Seconds = 5.0
    lazy: bool = False
    on_call: Optional[Callable[[CallReport], None]] = field(default=None, repr=False)
    on_retry: Optional[Callable[[RetryReport], None]] = field(default=None, repr=False)
    on_state: Optional[Callable[[StateReport], None]] = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for name in DURATIONS:
            object.__setattr__(self, name, seconds(getattr(self, name), name))
        for name, minimum in MINIMUMS.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < minimum:
                raise invalid(name, f"a whole number from {minimum} on is needed")
        if self.address_order not in ("listed", "shuffled"):
            raise invalid("address_order", "listed or shuffled is needed")
        if self.maximum_receive_bytes >= 1 << 32:
            raise invalid("maximum_receive_bytes", "a number of 32 bits is needed")
        object.__setattr__(self, "addresses", tuple(parse_addresses(self.addresses)))
        self._check_key()
        self._check_security()

    def _check_key(self) -> None:
        if self.api_key is not None and self.api_key_file is not None:
            raise invalid("api_key", "api_key and api_key_file exclude each other")
        if isinstance(self.api_key, (str, bytes)):
            key_bytes(self.api_key)
        elif self.api_key is not None and not callable(self.api_key):
            raise invalid("api_key", "a key or a function is needed")

    def _check_security(self) -> None:
        if self.security not in SECURITIES:
            raise invalid("security", f"one of {', '.join(SECURITIES)} is needed")
        if self.ca_file is not None and self.ca_text is not None:
            raise invalid("ca_file", "ca_file and ca_text exclude each other")
        if self.certificate_key_file is not None and self.certificate_file is None:
            raise invalid("certificate_file", "a certificate belongs to certificate_key_file")
        for address in self.parsed_addresses:
            if self.security == "plaintext" and address.is_literal and not address.is_loopback:
                raise invalid("security", f"plaintext to {address.text} would leave the machine")

    @property
    def parsed_addresses(self) -> List[Address]:
        """The addresses in the order of the list."""
        return [Address.parse(text) for text in self.addresses]

    @property
    def software_text(self) -> str:
        """The name of the client for HELLO, at most 64 bytes (VER-2)."""
        text = f"carillon-python/{VERSION}" + (f" {self.program_name}" if self.program_name else "")
        return text.encode()[:MAXIMUM_SOFTWARE_BYTES].decode("utf-8", "ignore")

    def has_tls(self, address: Address) -> bool:
        """True if connections to the address use TLS (TLS-1)."""
        if address.path or self.security.startswith("plaintext"):
            return False
        is_asked_for = any((self.ca_file, self.ca_text, self.certificate_file, self.server_name))
        return self.security == "tls" or is_asked_for or not address.is_loopback

    def read_key(self) -> Optional[bytes]:
        """Returns the key for a connection; None if there is none. CarillonError or OSError if it cannot be read."""
        if self.api_key_file is not None:
            with open(self.api_key_file, "rb") as file:
                return key_bytes(file.read(), "api_key_file")
        if self.api_key is None or isinstance(self.api_key, (str, bytes)):
            return None if self.api_key is None else key_bytes(self.api_key)
        return key_bytes(self.api_key())

    @classmethod
    def from_environment(cls, **options: Any) -> Options:
        """Makes options of the environment; an option that is given here overrides a variable."""
        return cls(**with_environment(options))


DURATIONS = ("request_timeout", "connect_timeout", "probe_after", "ping_timeout", "backoff", "maximum_backoff",
             "refusal_pause", "drain_timeout")
MINIMUMS = {"maximum_attempts": 1, "maximum_in_flight": 1, "maximum_waiting_calls": 0, "maximum_memory_bytes": 0,
            "maximum_receive_bytes": 4096}
# The variables of the environment and their options. The file of the key comes before the key.
VARIABLES = {"CARILLON_SERVER": "addresses", "CARILLON_API_KEY_FILE": "api_key_file", "CARILLON_API_KEY": "api_key",
             "CARILLON_CA_FILE": "ca_file", "CARILLON_CERTIFICATE_FILE": "certificate_file",
             "CARILLON_CERTIFICATE_KEY_FILE": "certificate_key_file", "CARILLON_SECURITY": "security"}
APP_VARIABLE = "CARILLON_APP"


def parse_addresses(addresses: Union[str, Sequence[str]]) -> List[str]:
    """Returns the texts of addresses; INVALID_ARGUMENT if one is none, or there are none (ADR-1)."""
    if not isinstance(addresses, (str, list, tuple)) or not all(isinstance(each, str) for each in addresses):
        raise invalid("addresses", "a text or a list of texts is needed")
    texts = [text.strip() for text in (addresses.split(",") if isinstance(addresses, str) else addresses)]
    if not 1 <= len(texts) <= MAXIMUM_ADDRESSES:
        raise invalid("addresses", f"1 to {MAXIMUM_ADDRESSES} addresses are needed")
    for text in texts:
        Address.parse(text)
    return texts


def key_bytes(key: Union[str, bytes, None], name: str = "api_key") -> bytes:
    """Returns a key without white space at its ends; INVALID_ARGUMENT if it has not 1 to 256 bytes."""
    raw = key.encode() if isinstance(key, str) else key
    raw = raw.strip() if isinstance(raw, bytes) else b""
    if not 1 <= len(raw) <= 256:
        raise invalid(name, "a key has 1 to 256 bytes")
    return raw


def with_environment(options: Dict[str, Any]) -> Dict[str, Any]:
    """Returns options with those of the environment; an impossible value has the name of its variable (ENV-1)."""
    known = {each.name for each in fields(Options)}
    for name in options:
        if name not in known:
            raise TypeError(f"there is no option {name!r}")
    found = dict(options)
    has_key = "api_key" in options or "api_key_file" in options
    for variable, option in VARIABLES.items():
        value = os.environ.get(variable, "")
        is_key = option.startswith("api_key")
        if not value or option in found or is_key and (has_key or "api_key_file" in found):
            continue
        try:
            Options(**_options_to_check(option, value))
        except CarillonError as error:
            raise CarillonError("INVALID_ARGUMENT", error.message, field=variable) from None
        found[option] = value
    return found


def _options_to_check(option: str, value: str) -> Dict[str, Any]:
    # A key file alone is INVALID_ARGUMENT: so it stands for the certificate, too. Whether there is a certificate is
    # judged when all options are known.
    return {"certificate_file": value, option: value} if option == "certificate_key_file" else {option: value}


def app_of_environment() -> Optional[str]:
    """Returns the default app of the environment; None if there is none."""
    return os.environ.get(APP_VARIABLE) or None
