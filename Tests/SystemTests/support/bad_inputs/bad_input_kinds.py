"""The kinds of bad input. The tables `bad_inputs`, `bad_audiences` and `bad_events` have the rows of each kind."""
from __future__ import annotations

from enum import Enum


class Kind(Enum):
    """What is wrong with an input. The value is the text in the name of a subtest."""

    # Before the first frame
    OTHER_PROTOCOL = "another protocol"
    TLS = "TLS"
    PREFACE_IN_PIECES = "a preface in pieces"
    SILENCE = "silence"
    VERSION = "a version or a reserved byte"
    MAGIC = "a wrong magic"

    # Connections
    IDLE_CONNECTIONS = "idle connections"
    RESET_CONNECTIONS = "connections that are reset"
    EARLY_END = "an end with requests out"
    NEVER_READING = "a client that never reads"
    AFTER_GOAWAY = "a request after GOAWAY"
    SIGNAL = "a signal"

    # Frames
    LONG_FRAME = "a frame that is too long"
    NO_PAYLOAD = "a frame without its payload"
    HALF_FRAME = "half a frame"
    SLOW_HEADER = "a slow header"
    SLOW_PAYLOAD = "a slow payload"
    TINY_FRAMES = "tiny frames"
    FRAME_KIND = "an unknown frame kind"
    KIND_OF_SERVER = "a frame kind of the server"
    FLAGS = "flags"
    FLAG_OF_PING = "the flag of PING on a request"
    FLAG_OF_SEND = "a flag of SEND"
    UNKNOWN_OPCODE = "an unknown opcode"
    PRIVATE_OPCODE = "an opcode of private use"
    PING = "PING"

    # Request ids and deadlines
    ZERO_ID = "request id 0"
    USED_ID = "a request id that was used"
    LARGEST_ID = "the largest request id"
    DEADLINE = "a deadline"

    # Fields and tags
    MORE_BYTES = "bytes after the tagged section"
    TAG_COUNT = "a wrong number of tags"
    TAGS = "wrong tags"
    EVEN_TAG = "an unknown even tag"
    ODD_TAG = "an unknown odd tag"
    TAG_OF_HELLO = "a tag on HELLO"
    STRING = "a string"
    LIST = "a list"
    BATCH = "a batch"
    EMPTY_ITEMS = "items without bytes"
    TOKEN = "a token"
    SEEN_AT = "the time of a registration"
    LONGEST_NAMES = "the longest names"
    CLOCK = "a clock that steps"

    # Phases and access
    PHASE = "a frame in the wrong phase"
    AUTHENTICATION = "authentication"
    CERTIFICATE = "a certificate"

    # Messages
    CONTENT = "the content of a push"
    KEY_OF_OTHER_BODY = "an idempotency key with another body"
    KEY_AT_ONCE = "an idempotency key many times at once"
    LATE_MESSAGE = "a message past its time"
    GROUPS = "groups"
    AUDIENCE = "an audience"
    MESSAGE_UPDATE = "a change of a message"

    # Events and topics
    EVENTS = "events and statistics"
    CREDIT = "credit"
    ACKNOWLEDGEMENT = "an acknowledgement"
    SUBSCRIPTIONS = "subscriptions"
    UNREAD_EVENTS = "events that are not read"
