"""The enumerations of the protocol. A number of a later version is kept: `Outcome(200).name` is `UNKNOWN_200`.

`str` of a member is its name in the protocol: `str(Outcome.TOKEN_UNREGISTERED)` is `token-unregistered`. Methods take a
member or that name. A name that the protocol does not have is INVALID_ARGUMENT.
"""
from __future__ import annotations

import enum
from typing import Any, Dict, Type, TypeVar, Union

from .errors import invalid

_E = TypeVar("_E", bound="ProtocolEnum")


class ProtocolEnum(enum.IntEnum):
    """A number of the protocol that has a name."""

    @classmethod
    def _missing_(cls, value: object) -> Any:
        if not isinstance(value, int) or not 0 <= value < 1 << 16:
            return None
        member = int.__new__(cls, value)
        member._name_, member._value_ = f"UNKNOWN_{value}", value
        known: Any = cls._value2member_map_.setdefault(value, member)
        return known

    def __str__(self) -> str:
        return self.name.lower().replace("_", "-")

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)


class ProtocolFlag(enum.IntFlag):
    """A sum of bits of the protocol. Bits that the client does not know are kept."""


class _Names(Dict[Type[ProtocolEnum], Dict[str, int]]):
    """The numbers of the members of an enumeration by their names in the protocol."""

    def __missing__(self, kind: Type[ProtocolEnum]) -> Dict[str, int]:
        self[kind] = numbers = {str(member): member.value for member in kind.__members__.values()}
        return numbers


_NUMBERS = _Names()


def enum_number(kind: Type[_E], value: Union[_E, str, int], field: str) -> int:
    """Returns the number of a member of an enumeration, or of its name in the protocol; a number stays as it is."""
    if isinstance(value, str):
        number = _NUMBERS[kind].get(value)
        if number is None:
            raise invalid(field, f"there is no {kind.__name__} of this name")
        return number
    if not isinstance(value, int) or isinstance(value, bool):
        raise invalid(field, f"a {kind.__name__} or its name is needed")
    return int(value)


class Environment(ProtocolEnum):
    """Where a token is valid."""

    PRODUCTION = 1
    SANDBOX = 2


class TokenKind(ProtocolEnum):
    """What a token is for (§16.3)."""

    DEVICE = 1
    VOIP = 2
    LIVEACTIVITY = 3
    WIDGET = 4
    CONTROL = 5
    PUSHTOTALK = 6
    FILEPROVIDER = 7
    LOCATION = 8
    COMPLICATION = 9
    MDM = 10
    FCM = 11
    FID = 12
    WEB = 13


class PushType(ProtocolEnum):
    """What a push is (§16.4)."""

    ALERT = 1
    BACKGROUND = 2
    LOCATION = 3
    VOIP = 4
    COMPLICATION = 5
    FILEPROVIDER = 6
    MDM = 7
    LIVEACTIVITY = 8
    PUSHTOTALK = 9
    WIDGETS = 10
    CONTROLS = 11


class Lane(ProtocolEnum):
    """How urgent a message is: the interactive lane goes first."""

    INTERACTIVE = 1
    BULK = 2


class OverBudget(ProtocolEnum):
    """What becomes of a silent push for a device that had enough of them (§10.1)."""

    DROP = 1
    WAIT = 2


class RegisterResultKind(ProtocolEnum):
    """What a registration has done."""

    CREATED = 1
    REFRESHED = 2
    REPLACED = 3


class UnregisterResultKind(ProtocolEnum):
    """What an unregistration has done."""

    REMOVED = 1
    NOT_REGISTERED = 2


class ForgetResultKind(ProtocolEnum):
    """Whether there was a name to forget."""

    FORGOTTEN = 1
    NO_SUCH_NAME = 2


class StoragePolicy(ProtocolEnum):
    """What APNs stores of the messages of a broadcast channel; `MOST_RECENT` for 8 hours at most."""

    NONE = 1
    MOST_RECENT = 2


class DeleteChannelResultKind(ProtocolEnum):
    """Whether there was a broadcast channel to delete."""

    DELETED = 1
    NO_SUCH_CHANNEL = 2


class DeviceState(ProtocolEnum):
    """`QUARANTINED`: the provider has declared the token dead."""

    ACTIVE = 1
    QUARANTINED = 2


class ObstacleKind(ProtocolEnum):
    """Why devices of a message wait for a pool (§10.2)."""

    UNREACHABLE = 1
    CREDENTIAL_REFUSED = 2


class MessageState(ProtocolEnum):
    """How far a message is (§10.2)."""

    WAITING = 1
    SENDING = 2
    FINISHED = 3
    SCHEDULED = 4
    PAUSED = 5


class MessageUpdateAction(ProtocolEnum):
    """What `update_message` does with a message (§10.6)."""

    CANCEL = 1
    PAUSE = 2
    RESUME = 3
    PACE = 4


class Addressing(ProtocolEnum):
    """Whether a device is a recipient of a message (§10.8)."""

    RECIPIENT = 1
    NO_RECIPIENT = 2
    WOULD_BE_RECIPIENT = 3
    WOULD_BE_NO_RECIPIENT = 4


class SourceKind(ProtocolEnum):
    """What puts a device into the audience of a message (§10.8)."""

    DEVICE = 1
    GROUP = 2
    TOPIC = 3
    TERM = 4
    ALL = 5


class ReceiptKind(ProtocolEnum):
    """What an app has reported about a push (§12)."""

    RECEIVED = 1
    OPENED = 2


class Outcome(ProtocolEnum):
    """How the delivery to a device ended; `PENDING` if it has not (§16.5)."""

    PENDING = 0
    DELIVERED = 1
    UNREGISTERED = 2
    EXPIRED = 3
    GAVE_UP = 4
    WRONG_KIND = 5
    NO_CREDENTIAL = 6
    QUARANTINED = 7
    MUTED = 8
    NO_LANGUAGE = 9
    CANCELLED = 10
    OVER_BUDGET = 11
    LEFT = 12
    TOKEN_UNREGISTERED = 32
    TOKEN_EXPIRED = 33
    BAD_TOKEN = 34
    TOKEN_NOT_FOR_TOPIC = 35
    PAYLOAD_TOO_LARGE = 36
    TOPIC_DISALLOWED = 37
    BAD_TOPIC = 38
    BAD_REQUEST = 39
    FORBIDDEN = 40
    NO_CHANNEL = 41
    REFUSED = 63


class EventKind(ProtocolEnum):
    """What has happened (§16.6)."""

    GAP = 0
    MESSAGE_FINISHED = 1
    DELIVERY_FAILED = 2
    DEVICE_QUARANTINED = 3
    TOKEN_REPLACED = 4
    DEVICE_MOVED = 5
    MESSAGE_UPDATED = 6
    CONNECTION_UP = 7
    CONNECTION_DOWN = 8
    CREDENTIAL_REFUSED = 9
    BAD_TOKENS_BEGAN = 10
    BAD_TOKENS_ENDED = 11
    POOL_UNREACHABLE = 12
    POOL_REACHABLE = 13


class Roles(ProtocolFlag):
    """What a principal may do with an app (§6.2)."""

    REGISTER = 1
    SEND = 2
    OBSERVE = 4
    ADMIN = 8


class MutedBy(ProtocolFlag):
    """Why a device gets no pushes (§7.6)."""

    DEVICE = 1
    GROUP = 2


class SwitchChanges(ProtocolFlag):
    """What `switch` has changed (§8.3)."""

    LEFT = 1
    JOINED = 2


class TraceFlags(ProtocolFlag):
    """What `trace` says of the device as it is now (§10.8)."""

    QUARANTINED = 1
    MUTED = 2
    HAS_BODY = 4
