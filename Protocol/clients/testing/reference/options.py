"""Options of the reference client, with the defaults of the contract."""
from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional, Tuple

from reference.errors import Failure

NAME = "carillon-reference/1.0.0"


@dataclass(frozen=True)
class Address:
    """`host:port` or `unix:path` (ADR-1)."""

    text: str
    host: str = ""
    port: int = 0
    path: str = ""

    @classmethod
    def parse(cls, text: str) -> Address:
        """Reads one address; INVALID_ARGUMENT if it is none."""
        if text.startswith("unix:") and len(text) > 5:
            return cls(text, path=text[5:])
        host, _, port = text.rpartition(":")
        if not host or not port.isascii() or not port.isdigit() or not 1 <= int(port) <= 65535:
            raise Failure("INVALID_ARGUMENT", message=f"{text!r} is not an address", field="addresses")
        return cls(text, host.strip("[]"), int(port))

    @property
    def is_literal(self) -> bool:
        """True if the host is an IP address."""
        return _ip(self.host) is not None

    @property
    def is_loopback(self) -> bool:
        """True for `localhost` and literal loopback addresses."""
        literal = _ip(self.host)
        return self.host == "localhost" or literal is not None and literal.is_loopback


def _ip(text: str) -> Any:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


@dataclass
class Options:
    """Options. Durations are in seconds."""

    addresses: List[Address] = field(default_factory=list)
    credential: Callable[[], Optional[bytes]] = lambda: None
    security: str = "auto"
    ca_file: Optional[str] = None
    certificate_file: Optional[str] = None
    certificate_key_file: Optional[str] = None
    server_name: Optional[str] = None
    software: str = NAME
    request_timeout: float = 10.0
    connect_timeout: float = 5.0
    probe_after: float = 3.0
    ping_timeout: float = 5.0
    backoff: float = 0.1
    maximum_backoff: float = 5.0
    refusal_pause: float = 60.0
    drain_timeout: float = 5.0
    maximum_attempts: int = 6
    maximum_in_flight: int = 1024
    maximum_waiting_calls: int = 10_000
    maximum_memory_bytes: int = 64 << 20
    maximum_receive_bytes: int = 1 << 20
    lazy: bool = False

    @classmethod
    def from_json(cls, values: Dict[str, Any], credential: Callable[[], Optional[bytes]]) -> Options:
        """Makes options of the form of the vectors; addresses are texts already. Unknown names are errors (AUD-3)."""
        texts: List[str] = [each.strip() for each in values["addresses"]]
        if not 1 <= len(texts) <= 32 or "" in texts:
            raise Failure("INVALID_ARGUMENT", message="no address, or an empty one", field="addresses")
        options = cls([Address.parse(text) for text in texts], credential)
        for name, value in values.items():
            if name in ("addresses", "api_key", "credential", "address_order"):
                continue
            name, value = (name[:-3], value / 1000) if name.endswith("_ms") else (name, value)
            if not hasattr(options, name):
                raise Failure("INVALID_ARGUMENT", message=f"there is no option {name}", field=name)
            setattr(options, name, value)
        options._check_security()
        return options

    def _check_security(self) -> None:
        for address in self.addresses:
            if self.security == "plaintext" and address.is_literal and not address.is_loopback:
                raise Failure("INVALID_ARGUMENT", message=f"{address.text} is not loopback", field="security")

    def has_tls(self, address: Address) -> bool:
        """True if connections to the address are protected by TLS (TLS-1)."""
        if address.path or self.security.startswith("plaintext"):
            return False
        is_asked_for = any((self.ca_file, self.certificate_file, self.server_name))
        return self.security == "tls" or is_asked_for or not address.is_loopback

    def backoff_bounds(self) -> Tuple[float, float]:
        """Returns the bounds of the random pauses."""
        return self.backoff, self.maximum_backoff
