"""Connections to APNs through an HTTP proxy; real processes."""
from __future__ import annotations

import base64
import select
import socket
import threading
import time
import unittest
from typing import List, Optional

from support.deployment import APP, Deployment, eventually
from support.system_test_case import PAYLOAD, SystemTestCase, register, wait_finished


class ConnectProxy:
    """A small CONNECT proxy with threads; it records the requests."""

    def __init__(self, credentials: Optional[str] = None) -> None:
        self.expected = base64.b64encode(credentials.encode()).decode() if credentials else None
        self.asked: List[str] = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                peer, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(peer,), daemon=True).start()

    def _serve(self, peer: socket.socket) -> None:
        with peer:
            head = b""
            while b"\r\n\r\n" not in head:
                piece = peer.recv(4096)
                if not piece:
                    return
                head += piece
            self.asked.append(head.split(b"\r\n")[0].decode())
            if self.expected and f"Proxy-Authorization: Basic {self.expected}\r\n".encode() not in head:
                peer.sendall(b"HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n")
                return
            host, _, port = head.split()[1].decode().rpartition(":")
            with socket.create_connection((host, int(port))) as far:
                # The answer of a proxy can arrive in two pieces.
                peer.sendall(b"HTTP/1.1 200 Connection est")
                time.sleep(0.05)  # pause: two TCP segments
                peer.sendall(b"ablished\r\nVia: 1.1 test\r\n\r\n")
                while True:
                    for ready in select.select([peer, far], [], [])[0]:
                        data = ready.recv(65536)
                        if not data:
                            return
                        (far if ready is peer else peer).sendall(data)


class ProxiesTests(SystemTestCase):
    def deliver(self, deployment: Deployment) -> None:
        """Delivers three pushes."""
        with deployment.client() as client:
            sent = client.send(APP, register(client, 3), PAYLOAD)["message_id"]
            self.assertEqual(wait_finished(client, sent), {"delivered": 3})

    def test_pushes_go_through_a_proxy(self) -> None:
        proxy = ConnectProxy()
        deployment = self.deployment(flags=("--proxy-address", f"localhost:{proxy.port}"))
        self.deliver(deployment)
        self.assertEqual(proxy.asked, [f"CONNECT localhost:{deployment.simulator.port} HTTP/1.1"])

    def test_a_proxy_takes_the_right_password_only(self) -> None:
        proxy = ConnectProxy("carillon:open sesame")
        deployment = self.deployment(flags=None)
        secret = deployment.folder / "proxy.secret"
        secret.write_text("carillon:wrong\n")
        secret.chmod(0o600)
        flags = ("--proxy-address", f"127.0.0.1:{proxy.port}", "--proxy-credentials-file", str(secret))
        deployment.start(*flags)
        with deployment.client() as client:
            client.send(APP, register(client, 1), PAYLOAD)
        eventually(lambda: "(407)" in deployment.log(), "the log names the cause")
        self.assertEqual(deployment.terminate(), 0)
        secret.write_text("carillon:open sesame\n")
        deployment.start(*flags)
        self.deliver(deployment)
        self.assertNotIn("sesame", deployment.log())


if __name__ == "__main__":
    unittest.main()
