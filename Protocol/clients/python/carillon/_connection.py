"""A connection, as the decisions of the client see it, and the key that it begins with."""
from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

from ._server_selection import Target
from ._session import Session
from ._streams import Stream
from .errors import CarillonError, cannot_connect
from .options import Options


class Connection:
    """A connection, from the attempt to its end. `transport` belongs to the shell."""

    def __init__(self, target: Target, session: Session, gives_up_at: float) -> None:
        self.target, self.session, self.gives_up_at = target, session, gives_up_at
        self.address = target.address
        self.streams: Dict[int, Stream] = {}  # by the id of SUBSCRIBE_EVENTS
        self.has_opened = self.has_worked = self.has_ended = False
        self.transport: Any = None


def read_key(options: Options) -> Tuple[Optional[bytes], Optional[CarillonError]]:
    """Returns the API key, or why it cannot be read; neither if the program has none."""
    try:
        return options.read_key(), None
    except Exception as error:  # the program's own file or function
        return None, cannot_connect(f"the key cannot be read: {type(error).__name__}")
