"""A client over TLS that stops in the middle of its handshake."""
from __future__ import annotations

import socket
import ssl
from typing import Any

from support.deployment import Deployment
from support.environment import crln


class HeldHandshake:
    """A TLS handshake in which the last flight of the client, with its certificate, is held back."""

    def __init__(self, deployment: Deployment, certificate: str) -> None:
        context = ssl.create_default_context(cafile=deployment.keys.path("authority.pem"))
        if certificate:
            context.load_cert_chain(deployment.keys.path(certificate + ".both"))
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.incoming, self.outgoing, server_hostname="localhost")
        self.sock = socket.create_connection(("127.0.0.1", deployment.port), 10)
        while True:
            try:
                self.tls.do_handshake()
                break
            except ssl.SSLWantReadError:
                self.sock.sendall(self.outgoing.read())
                self.incoming.write(self.sock.recv(65536))

    def __enter__(self) -> HeldHandshake:
        return self

    def __exit__(self, *_: Any) -> None:
        self.sock.close()

    def finish(self) -> bytes:
        """Sends the last flight and a preface; returns 16 bytes of the answer, or fewer if the server closes."""
        self.tls.write(crln.client_preface())
        self.sock.sendall(self.outgoing.read())
        answer = b""
        while len(answer) < 16:
            try:
                piece = self.tls.read(16 - len(answer))
                answer += piece
            except ssl.SSLWantReadError:
                try:
                    piece = self.sock.recv(65536)
                except ConnectionResetError:
                    piece = b""
                self.incoming.write(piece)
            if not piece:
                break
        return answer
