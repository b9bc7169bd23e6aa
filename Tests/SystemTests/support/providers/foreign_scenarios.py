"""What a foreign APNs does: a table of scenarios. Written from Apple's pages and the RFCs, without Carillon's code."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Dict, List, Tuple, Union

INTERNAL_ERROR = 2
HALF_A_REASON = b'{"reason":"BadDev'


@dataclass(frozen=True)
class Push:
    """A push that has come."""

    # The number of its connection, from 1.
    connection: int
    # Its number among the pushes of this connection, from 1.
    number: int
    # Its number among the pushes to this device, from 1.
    tries: int
    # Its number among the pushes of this topic, from 1.
    of_topic: int
    topic: str


# What the peer does after a push: ("headers", status), ("end", body), ("reset", code), ("abort", 0), in this order. An
# answer without a body is ("end", b"").
Step = Tuple[str, Union[int, bytes]]


def answer(status: int, reason: str = "") -> List[Step]:
    """Returns a whole answer."""
    return [("headers", status), ("end", b'{"reason":"%s"}' % reason.encode() if reason else b"")]


OK = answer(200)
INVALID = answer(403, "InvalidProviderToken")


@dataclass(frozen=True)
class Scenario:
    """One behaviour of the peer."""

    reaction: Callable[[Push], List[Step]] = lambda push: OK
    # The streams that a connection allows, by its number.
    streams: Callable[[int], int] = lambda connection: 100
    # False: bytes that were read are never given back to the window of the connection.
    gives_window: bool = True


SCENARIOS: Dict[str, Scenario] = {
    "StreamsZeroForEverOnFour": Scenario(streams=lambda connection: 0 if connection <= 4 else 100),
    "ConnectionWindowNeverGiven": Scenario(gives_window=False),
    "InvalidOnce": Scenario(lambda push: INVALID if push.of_topic == 5 else OK),
    "InvalidForOneApp": Scenario(
        lambda push: INVALID if push.topic == "com.example.game" and push.of_topic <= 2 else OK),
    "InvalidForEver": Scenario(lambda push: INVALID),
    "OtherSuccess": Scenario(lambda push: answer(204)),
    "Cut400": Scenario(
        lambda push: [("headers", 400), ("data", HALF_A_REASON), ("reset", INTERNAL_ERROR)] if push.tries == 1 else OK),
    "DiesAfterTheFirstAnswer": Scenario(lambda push: [*OK, ("abort", 0)]),
}
