"""A TCP link that can be cut: one way, or both, without an end that either side would see."""
from __future__ import annotations

import selectors
import socket
import threading
from typing import Dict, NamedTuple, Optional

# The bytes that wait in one direction at most. The rest waits in the sender, as before a full link.
MAXIMUM_PENDING_BYTES = 1 << 16


class _Peer(NamedTuple):
    """What the proxy knows of one of its sockets."""

    other: socket.socket
    # True if what is read goes towards the target.
    is_forward: bool


class CuttableProxy:
    """Forwards connections to a port, unless it is cut. Bytes that were sent into a cut link arrive when it is whole
    again, as retransmissions do."""

    def __init__(self, target: int) -> None:
        self.target = target
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listener.getsockname()[1]
        self.listener.setblocking(False)
        # True for a direction that is cut: forward, which is towards the target, and backward. They are one value, so
        # that the thread of the proxy never sees only one of two changes.
        self.cuts = (False, False)
        self.selector = selectors.DefaultSelector()
        self.waker, self.woken = socket.socketpair()
        self.woken.setblocking(False)
        self.peers: Dict[socket.socket, _Peer] = {}
        self.pending: Dict[socket.socket, bytes] = {}
        self.is_closing = False
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def cut(self, *, forward: bool = True, backward: bool = True) -> None:
        """Cuts both directions, or one; the other is whole."""
        self.cuts = (forward, backward)
        self.waker.send(b"x")

    def restore(self) -> None:
        """Makes both directions whole."""
        self.cut(forward=False, backward=False)

    def close(self) -> None:
        """Ends all connections."""
        self.is_closing = True
        self.waker.send(b"x")
        self.thread.join(5)

    def _run(self) -> None:
        self.selector.register(self.listener, selectors.EVENT_READ)
        self.selector.register(self.woken, selectors.EVENT_READ)
        while not self.is_closing:
            for key, events in self.selector.select(0.5):
                if key.fileobj is self.listener:
                    self._accept()
                elif key.fileobj is self.woken:
                    self.woken.recv(1024)
                    self._watch_all()
                else:
                    self._serve(key.fileobj, events)
        for each in [*self.peers, self.listener, self.waker, self.woken]:
            each.close()

    def _accept(self) -> None:
        client, _ = self.listener.accept()
        try:
            server = socket.create_connection(("127.0.0.1", self.target), 1)
        except OSError:
            client.close()
            return
        for one, other, is_forward in ((client, server, True), (server, client, False)):
            one.setblocking(False)
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.peers[one] = _Peer(other, is_forward)
            self.pending[one] = b""
        self._watch_all()

    def _is_cut(self, is_forward: bool) -> bool:
        return self.cuts[0 if is_forward else 1]

    def _watch_all(self) -> None:
        for each in list(self.peers):
            self._watch(each)

    def _watch(self, one: socket.socket) -> None:
        """Reads where the direction is whole and nothing waits; writes where something waits."""
        other, is_forward = self.peers[one]
        reads = not self._is_cut(is_forward) and not self.pending[other]
        writes = bool(self.pending[one]) and not self._is_cut(not is_forward)
        events = (selectors.EVENT_READ if reads else 0) | (selectors.EVENT_WRITE if writes else 0)
        known: Optional[selectors.SelectorKey] = self.selector.get_map().get(one.fileno())
        if known and events:
            self.selector.modify(one, events)
        elif events:
            self.selector.register(one, events)
        elif known:
            self.selector.unregister(one)

    def _serve(self, one: socket.socket, events: int) -> None:
        if one not in self.peers:
            return
        other = self.peers[one].other
        try:
            if events & selectors.EVENT_READ:
                data = one.recv(MAXIMUM_PENDING_BYTES)
                if not data:
                    self._end(one)
                    return
                self.pending[other] = data
            if self.pending[one] and events & selectors.EVENT_WRITE:
                sent = one.send(self.pending[one])
                self.pending[one] = self.pending[one][sent:]
        except BlockingIOError:
            pass
        except OSError:
            self._end(one)
            return
        self._watch(one)
        self._watch(other)

    def _end(self, one: socket.socket) -> None:
        """Ends both sides, because one has ended."""
        other = self.peers[one].other
        for each in (one, other):
            if each.fileno() >= 0 and each.fileno() in self.selector.get_map():
                self.selector.unregister(each)
            self.peers.pop(each, None)
            self.pending.pop(each, None)
            each.close()
