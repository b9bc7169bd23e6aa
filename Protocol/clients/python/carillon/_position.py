"""The position in the log of a cluster that a client has seen (CONTRACT.md, POS)."""
from __future__ import annotations

from typing import NamedTuple, Optional

from ._session import Session


class SeenPosition(NamedTuple):
    """A position in the log of a cluster."""

    cluster: bytes
    number: int


class LogPosition:
    """The cluster and the greatest position in its log that were seen (CONTRACT.md, POS-2)."""

    def __init__(self) -> None:
        self.seen: Optional[SeenPosition] = None

    def read_after(self, cluster: bytes, number: int, current: Optional[Session]) -> None:
        """Keeps a position that the program has from another client; `current` is the open session for new requests."""
        if current is not None and current.cluster != cluster:
            return
        if self._keep_if_newer(cluster, number) and current is not None:
            self.send(current)

    def reported(self, session: Session, number: int, current: Optional[Session]) -> None:
        """Keeps the position that a node has sent, and passes it on to another node."""
        if session.cluster is not None and self._keep_if_newer(session.cluster, number) and current is not None and \
                current is not session:
            self.send(current)

    def _keep_if_newer(self, cluster: bytes, number: int) -> bool:
        """Keeps a position that is greater, or of another cluster. Returns false if it is neither."""
        if self.seen is not None and self.seen.cluster == cluster and self.seen.number >= number:
            return False
        self.seen = SeenPosition(cluster, number)
        return True

    def send(self, session: Session) -> None:
        """Tells a node of the same cluster the position, before the next requests."""
        if self.seen is not None and self.seen.cluster == session.cluster:
            session.send_position(self.seen.number)
