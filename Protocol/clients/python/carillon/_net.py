"""TLS, resolved names and errors of sockets, for both shells."""
from __future__ import annotations

import socket
import ssl
from typing import Any, List, Optional, Sequence, Tuple

from .errors import CarillonError, cannot_connect
from .options import Address, Options, is_loopback

ALPN = "carillon/1"
Candidate = Tuple[int, Any]


def tls_context(options: Options, address: Address) -> Optional[ssl.SSLContext]:
    """Returns the client's side of TLS (CONTRACT.md, TLS-3); None for an address without TLS. Files are read now."""
    if not options.has_tls(address):
        return None
    context = ssl.create_default_context(cafile=options.ca_file, cadata=options.ca_text)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols([ALPN])
    if options.certificate_file is not None:
        context.load_cert_chain(options.certificate_file, options.certificate_key_file)
    return context


def server_name(options: Options, address: Address) -> str:
    """Returns the name that the server's certificate must have."""
    return options.server_name or address.host


def allowed_candidates(options: Options, address: Address, resolved: Sequence[Tuple[Any, ...]]) -> List[Candidate]:
    """Returns families and socket addresses of a resolved name; in plaintext only those of loopback (TLS-2)."""
    is_free = options.has_tls(address) or options.security == "plaintext_anywhere"
    kept = [(family, where) for family, _, _, _, where in resolved if is_free or is_loopback(str(where[0]))]
    if not kept:
        raise cannot_connect(f"plaintext to {address.text} would leave the machine" if resolved else
                             f"{address.host} has no address")
    return kept


def connect_error(error: BaseException) -> CarillonError:
    """Returns the error of an attempt to connect."""
    if isinstance(error, CarillonError):
        return error
    if isinstance(error, ssl.SSLCertVerificationError):
        made = CarillonError("UNTRUSTED", f"the server's certificate was not accepted: {error.verify_message}")
    elif isinstance(error, ssl.CertificateError):
        made = CarillonError("UNTRUSTED", f"the server's certificate was not accepted: {error}")
    else:
        text = "no answer in time" if isinstance(error, (socket.timeout, TimeoutError)) else str(error)
        made = cannot_connect(text or type(error).__name__)
    made.__cause__ = error
    return made
