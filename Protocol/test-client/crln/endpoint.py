"""The address of a server."""
from __future__ import annotations

import socket
import ssl
from dataclasses import dataclass
from typing import Optional


def tls_context(ca_file: Optional[str] = None, cert_file: Optional[str] = None,
                key_file: Optional[str] = None) -> ssl.SSLContext:
    """Returns TLS for §1: 1.2 or later, ALPN carillon/1, a verified server, optionally a client certificate."""
    context = ssl.create_default_context(cafile=ca_file)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["carillon/1"])
    if cert_file:
        context.load_cert_chain(cert_file, key_file)
    return context


@dataclass(frozen=True)
class Endpoint:
    """The address of the server and the credential of the client. `tls` None: no TLS, for loopback and Unix sockets."""

    host: str = "127.0.0.1"
    port: int = 0
    unix_path: Optional[str] = None
    tls: Optional[ssl.SSLContext] = None
    api_key: Optional[bytes] = None
    software: str = "carillon-python/1.0"

    def open(self, timeout: float) -> socket.socket:
        """Returns a connected socket after the TLS handshake."""
        if self.unix_path is not None:
            sock = socket.socket(socket.AF_UNIX)
            sock.settimeout(timeout)
            try:
                sock.connect(self.unix_path)
            except OSError:
                sock.close()
                raise
            return sock
        sock = socket.create_connection((self.host, self.port), timeout)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self.tls is None:
            return sock
        try:
            return self.tls.wrap_socket(sock, server_hostname=self.host)
        except (OSError, ValueError):
            sock.close()
            raise
