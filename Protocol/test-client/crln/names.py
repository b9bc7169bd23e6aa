"""The numbers of the protocol, and their names."""
from __future__ import annotations

import re
from typing import Dict, Optional

# The first bytes of both sides of a connection.
MAGIC = bytes.fromhex("c343524c4e0d0a1a")
REQUEST, ANSWER, ERROR, EVENT, CONTROL = 1, 2, 3, 4, 5
ACK = 1
NEVER = 2**32 - 1  # `retry_after_ms`: the same request will fail again
NO_KEY = bytes(16)  # `key` of a SEND without an idempotency key
# The payload of a frame before the end of the handshake, and after it.
MAXIMUM_EARLY_FRAME_BYTES, MAXIMUM_FRAME_BYTES = 4096, 1 << 20
MAXIMUM_BATCH_ITEMS = 1000
MAXIMUM_OUTGOING_BYTES = 1 << 26
TOPIC_PREFIX = "/topics/"

ERRORS = dict(enumerate((
    "MALFORMED FRAME_TOO_LARGE UNSUPPORTED_VERSION UNSUPPORTED_OPCODE UNSUPPORTED_FIELD WRONG_PHASE BAD_REQUEST_ID "
    "AUTHENTICATION_FAILED FORBIDDEN NOT_FOUND INVALID_ARGUMENT STALE IDEMPOTENCY_CONFLICT TOO_LARGE RATE_LIMITED "
    "OVERLOADED STORAGE_FULL STORAGE_FAILED DEADLINE DRAINING TOO_MANY_PINGS TOO_MANY_ERRORS TIMEOUT INTERNAL "
    "TOO_MANY_CONNECTIONS APNS_REFUSED APNS_UNAVAILABLE BEHIND").split(), 1))
SCOPES = {0: "request", 1: "connection"}
EFFECTS = {0: "not_executed", 1: "unknown", 2: "executed"}
ENVIRONMENTS = {1: "production", 2: "sandbox"}
STORAGE_POLICIES = {1: "none", 2: "most-recent"}
KINDS = dict(enumerate((
    "device voip liveactivity widget control pushtotalk fileprovider location complication mdm fcm fid web").split(),
                       1))
PUSH_TYPES = dict(enumerate((
    "alert background location voip complication fileprovider mdm liveactivity pushtotalk widgets controls").split(),
    1))
(ALERT, BACKGROUND, LOCATION, VOIP, COMPLICATION, FILEPROVIDER, MDM, LIVEACTIVITY, PUSHTOTALK, WIDGETS,
 CONTROLS) = PUSH_TYPES
# The forms of tokens of the kinds that are not APNs'. These kinds have no sandbox.
TOKEN_FORMS = {"fcm": re.compile(rb"[A-Za-z0-9_:.%~-]+"), "fid": re.compile(rb"[c-f][A-Za-z0-9_-]{21}"),
               "web": re.compile(rb".{32}", re.DOTALL)}
# An endpoint: https, a DNS name, no user, no address.
ENDPOINT = re.compile(r"https://[A-Za-z][A-Za-z0-9.-]*(:[0-9]{1,5})?([/?][!-~]*)?", re.ASCII)
LANES = {1: "interactive", 2: "bulk"}
REGISTERED = {1: "created", 2: "refreshed", 3: "replaced"}
UNREGISTERED = {1: "removed", 2: "not-registered"}
DEVICE_STATES = {1: "active", 2: "quarantined"}
MESSAGE_STATES = {1: "waiting", 2: "sending", 3: "finished", 4: "scheduled", 5: "paused"}
MESSAGE_UPDATE_ACTIONS = {1: "cancel", 2: "pause", 3: "resume", 4: "pace"}
ADDRESSINGS = {1: "recipient", 2: "no-recipient", 3: "would-be-recipient", 4: "would-be-no-recipient"}
SOURCES = {1: "device", 2: "group", 3: "topic", 4: "term", 5: "all"}
TRACE_QUARANTINED, TRACE_MUTED, TRACE_HAS_BODY = 1, 2, 4
OVER_BUDGET = {1: "drop", 2: "wait"}
RECEIPTS = {1: "received", 2: "opened"}
EVENT_KINDS = dict(enumerate((
    "gap message-finished delivery-failed device-quarantined token-replaced device-moved message-updated connection-up "
    "connection-down credential-refused bad-tokens-began bad-tokens-ended "
    "pool-unreachable pool-reachable").split()))
NOW = 2**64 - 1  # `start` of events: from now on
OLDEST = 2**64 - 2  # `start` of events: from the oldest event that is kept
ROLES = {1: "register", 2: "send", 4: "observe", 8: "admin"}
AUDIENCES = dict(devices=1, groups=2, topic=3, condition=4, all=5, channel=6)
OUTCOMES = {
    0: "pending", 1: "delivered", 2: "unregistered", 3: "expired", 4: "gave-up", 5: "wrong-kind", 6: "no-credential",
    7: "quarantined", 8: "muted", 9: "no-language", 10: "cancelled", 11: "over-budget", 12: "left",
    32: "token-unregistered", 33: "token-expired", 34: "bad-token", 35: "token-not-for-topic",
    36: "payload-too-large", 37: "topic-disallowed", 38: "bad-topic", 39: "bad-request", 40: "forbidden",
    41: "no-channel", 63: "refused"}


def name_of(names: Dict[int, str], value: int, otherwise: Optional[str] = None) -> str:
    """Returns the name of a value. A newer server can send values without a name here."""
    return names.get(value) or otherwise or f"unknown-{value}"
