"""What the server answers, as values. Later versions of the protocol add fields.

Times are `datetime` with the zone UTC. An enumeration that the client does not know keeps its number. Pages of listings
have `next`, the cursor of the next page: 0 or an empty text if this was the last. Section numbers are those of
`Carillon-v1.md` and `Registries.md`.
"""
# Long: it has one small class for each answer.
from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from datetime import datetime
from typing import Dict, List, Optional

from .enums import (Addressing, DeleteChannelResultKind, DeviceState, Environment, EventKind, ForgetResultKind, Lane,
                    MessageState, MutedBy, ObstacleKind, Outcome, PushType, RegisterResultKind, Roles, SourceKind,
                    StoragePolicy, SwitchChanges, TokenKind, TraceFlags, UnregisterResultKind)


@dataclass(frozen=True)
class ServerInfo:
    """The server of a connection, its limits, and who the client is (§6.1, §6.2). Durations are in seconds."""

    address: str
    software: str
    epoch: uuid.UUID
    clock: datetime
    frame_limit: int
    in_flight_limit: int
    batch_limit: int
    keepalive: float
    ping_interval: float
    idempotency_window: float
    principal: Optional[str] = None
    grants: Dict[str, Roles] = field(default_factory=dict)
    # The node of a cluster that the server is, and the cluster; None if it belongs to none.
    node: Optional[str] = None
    cluster: Optional[uuid.UUID] = None


# Devices

@dataclass
class RegisterResult:
    """The device of a registration, and what the registration has done."""

    device_id: int
    result: RegisterResultKind


@dataclass
class BatchResult:
    """The result of one item of a batch. `code` is the name of its error; None if the item is done."""

    number: int
    device_id: int
    result: RegisterResultKind
    code: Optional[str] = None


@dataclass
class UnregisterResult:
    """The device of an unregistration; `device_id` is 0 if there was none."""

    device_id: int
    result: UnregisterResultKind


@dataclass
class DeviceRecord:
    """What is stored of a device (§7.4)."""

    device_id: int
    environment: Environment
    kind: TokenKind
    token: bytes = field(repr=False)
    registered_at: datetime
    seen_at: datetime
    state: DeviceState
    locale: Optional[str] = None
    time_zone: Optional[str] = None
    attributes: Dict[str, str] = field(default_factory=dict)
    muted: bool = False


@dataclass
class DeviceId:
    """The id of the device that a request was about."""

    device_id: int


@dataclass
class GroupMembership:
    """A group of a device, and whether the group is muted."""

    group: str
    muted: bool


@dataclass
class TopicMembership:
    """A topic of a device, and the group through which it has it; empty: the device itself."""

    topic: str
    source: str


@dataclass
class Memberships:
    """The groups of a device, and a page of its topics (§7.6)."""

    device_id: int
    muted: MutedBy
    groups: List[GroupMembership]
    topics: List[TopicMembership]
    next: str


@dataclass
class DeviceIdPage:
    """A page of device ids, ascending."""

    next: int
    devices: List[int]


@dataclass
class DevicePage:
    """A page of the devices of an app (§13.2)."""

    next: int
    devices: List[DeviceRecord]


# Groups and topics

@dataclass
class JoinResult:
    """How many devices were not members before. `message_id` of the announcement; 0: there is none. `unknown` are the
    indices of devices that are not registered."""

    joined: int
    message_id: int
    unknown: List[int]


@dataclass
class LeaveResult:
    """How many devices were members. `unknown` are the indices of devices that are not registered."""

    left: int
    unknown: List[int]


@dataclass
class SwitchGroupResult:
    """What changed for a device; `message_id` of the announcement, 0: there is none."""

    device_id: int
    changed: SwitchChanges
    message_id: int


@dataclass
class GroupSummary:
    """A group, and how many devices it has."""

    group: str
    devices: int
    muted: bool


@dataclass
class GroupPage:
    """A page of groups, ascending by bytes of the name."""

    next: str
    groups: List[GroupSummary]


@dataclass
class GroupSize:
    """How many devices a group has."""

    devices: int


@dataclass
class GroupTopicPage:
    """A page of the topics that a group itself is subscribed to."""

    next: str
    topics: List[str]


@dataclass
class SubscribeResult:
    """How many subscriptions are new, or have ended: one for each topic and each device or group. `unknown` are the
    indices of devices that are not registered."""

    changed: int
    unknown: List[int]


@dataclass
class TopicSummary:
    """A topic, and how many devices it has."""

    topic: str
    devices: int


@dataclass
class TopicPage:
    """A page of topics, ascending by bytes of the name."""

    next: str
    topics: List[TopicSummary]


# Messages

@dataclass
class SendResult:
    """A message that is accepted, on disk (§10.1). `duplicate`: it was so before, with the same key. `total` devices
    are addressed; of these, `ended` had an outcome at once."""

    message_id: int
    duplicate: bool
    total: int
    ended: int


@dataclass
class Obstacle:
    """A pool of the app that cannot be used now, so that devices of its environment wait (§10.2).

    `cause` is a word for programs, `reason` a text for operators; both may be empty.
    """

    kind: ObstacleKind
    credential: str
    environment: Environment
    began_at: Optional[datetime]
    next_attempt_at: Optional[datetime]
    cause: str
    reason: str


@dataclass
class MessageStatus:
    """The state of a message (§10.2). `outcomes` are numbers of devices."""

    state: MessageState
    accepted_at: datetime
    finished_at: Optional[datetime]
    total: int
    outcomes: Dict[Outcome, int]
    send_at: Optional[datetime] = None
    pace: Optional[int] = None
    rate: Optional[int] = None
    remaining_ms: Optional[int] = None
    received: int = 0
    opened: int = 0
    audience: Optional[str] = None
    label: Optional[str] = None
    sender: Optional[str] = None
    obstacles: List[Obstacle] = field(default_factory=list)
    traceparent: Optional[str] = None


@dataclass
class RecipientOutcome:
    """How the delivery to a device ended; a token that was not registered has the id 0."""

    device_id: int
    outcome: Outcome


@dataclass
class OutcomePage:
    """A page of the recipients of a message."""

    next: int
    recipients: List[RecipientOutcome]


@dataclass
class MessageDetails:
    """More of a message. `label` is empty if there is none, `sender` if it is not known."""

    delivered: int
    failed: int
    label: str
    sender: str


@dataclass
class MessageSummary:
    """A message, and how far it is: `ended` of `total` devices have an outcome. `details` is None if there are none."""

    message_id: int
    state: MessageState
    accepted_at: datetime
    push_type: PushType
    lane: Lane
    total: int
    ended: int
    details: Optional[MessageDetails] = None


@dataclass
class MessagePage:
    """A page of messages, the newest first. With filters a page can be empty although there are more."""

    next: int
    messages: List[MessageSummary]


@dataclass
class UpdateMessageResult:
    """The state of the message afterwards; `FINISHED`: there was nothing left to change."""

    state: MessageState


@dataclass
class TraceSource:
    """What puts a device into an audience (§10.8)."""

    kind: SourceKind
    name: str
    through: str


@dataclass
class TraceAttempt:
    """An attempt of a delivery (§10.8). `status` 0: there was no answer."""

    at: datetime
    connection: int
    status: int
    reason: str


@dataclass
class Trace:
    """Why a device did or did not get a message (§10.8)."""

    device_id: int
    state: MessageState
    addressing: Addressing
    outcome: Outcome
    flags: TraceFlags
    sources: List[TraceSource] = field(default_factory=list)
    muted_groups: List[str] = field(default_factory=list)
    language: Optional[str] = None
    silent_budget_left: Optional[int] = None
    attempts: List[TraceAttempt] = field(default_factory=list)
    next_attempt_at: Optional[datetime] = None
    # What APNs calls each attempt (`apns-unique-id`), "" where it gave no id; empty if it gave none at all.
    unique_ids: List[str] = field(default_factory=list)


@dataclass
class ExplainedSet:
    """A set that a condition names, as a condition of its own, and its number of devices."""

    set: str
    devices: int


@dataclass
class Explanation:
    """A condition in its canonical form, and how many devices a message would address now (§9.4)."""

    condition: str
    devices: int
    sets: List[ExplainedSet]


@dataclass
class ReceiptResult:
    """How many receipts are new. `unknown` are the indices of receipts that belong to no delivery."""

    counted: int
    unknown: List[int]


# Events

@dataclass
class Event:
    """Something that has happened (§11.2). Which of the optional fields an event has depends on its kind (§16.6)."""

    sequence: int
    at: datetime
    kind: EventKind
    app: Optional[str] = None
    message_id: Optional[int] = None
    device_id: Optional[int] = None
    outcome: Optional[Outcome] = None
    count: Optional[int] = None
    text: Optional[str] = None
    traceparent: Optional[str] = None


@dataclass
class Gap:
    """Events that the server removed before they could be sent: from `missed_from` to before `missed_to`."""

    sequence: int
    missed_from: int
    missed_to: int


@dataclass
class NewHistory:
    """The server has another history: ids and sequences from before mean nothing (CONTRACT.md, EVT-8)."""

    epoch: uuid.UUID


@dataclass
class ForgetResult:
    """Whether there was a name to forget."""

    result: ForgetResultKind


# Broadcast channels (§14)

@dataclass
class CreateChannelResult:
    """A new broadcast channel: its id, as APNs made it."""

    channel: str


@dataclass
class Channel:
    """What APNs stores of the messages of a broadcast channel."""

    storage_policy: StoragePolicy


@dataclass
class ChannelPage:
    """A page of broadcast channels."""

    next: str
    channels: List[str]


@dataclass
class DeleteChannelResult:
    """Whether there was a broadcast channel to delete."""

    result: DeleteChannelResultKind


# Statistics (§13.1)

@dataclass
class RequestCount:
    """Answered requests of one opcode and code (0: no error), and their time together in microseconds."""

    opcode: int
    code: int
    count: int
    micros: int


@dataclass
class LaneLoad:
    """What a lane has in memory now."""

    lane: Lane
    messages: int
    waiting: int
    delayed: int
    in_flight: int


@dataclass
class SendingMessage:
    """A message that is being sent."""

    message_id: int
    app: str
    lane: Lane
    accepted_at: datetime
    total: int
    ended: int
    in_flight: int
    rate: int


@dataclass
class Pool:
    """The connections of one credential, for APNs in one environment."""

    credential: str
    environment: Environment
    parked: bool
    opening: int
    open: int
    draining: int
    in_flight: int
    streams: int
    throttle: int
    attempts: int


@dataclass
class AnswerCount:
    """Answers of a provider of one kind; `pool` is an index in `pools`."""

    pool: int
    status: int
    reason: str
    count: int


@dataclass
class AppCount:
    """What an app has."""

    app: str
    devices: int
    quarantined: int
    groups: int
    topics: int


@dataclass
class ProviderCounts:
    """The active devices of an app by the provider that delivers to them."""

    apns: int
    fcm: int
    web: int


@dataclass
class PoolFailure:
    """A pool that could not connect; `pool` is an index in `pools`."""

    pool: int
    unreachable: bool
    count: int
    last_at: Optional[datetime]
    reason: str


@dataclass
class PoolOutage:
    """A pool without a working connection; `pool` is an index in `pools`. `next_attempt_at` None: it is being made."""

    pool: int
    began_at: Optional[datetime]
    next_attempt_at: Optional[datetime]
    cause: str


@dataclass
class RemoveNodeResult:
    """The incarnation that is over."""

    incarnation: int


@dataclass
class ClusterNode:
    """A node of a cluster, in its last incarnation. `hash` is that of its state at `position`."""

    node: str
    incarnation: int
    over: bool
    position: int
    hash: uuid.UUID
    silent_ms: int
    lease_ms: int
    format: int
    version: str
    address: str


@dataclass
class NodeClaims:
    """What a node has claimed: messages of which it sends the whole or a part; blocks of pages, and pages in them, of
    messages that several nodes send."""

    messages: int
    blocks: int
    pages: int


@dataclass
class Statistics:
    """The state of the server (§13.1). Totals count from `started_at`."""

    at: datetime
    started_at: datetime
    software: str
    clients: int
    half_open: int
    requests: List[RequestCount]
    queued_changes: int
    batches: int
    changes: int
    batch_micros: int
    latest_batches: List[int]
    lanes: List[LaneLoad]
    unrecorded: int
    sending: List[SendingMessage]
    outcomes: Dict[Outcome, int]
    pools: List[Pool]
    answers: List[AnswerCount]
    database_bytes: Optional[int] = None
    free_bytes: Optional[int] = None
    map_bytes: Optional[int] = None
    limit_bytes: Optional[int] = None
    readers: Optional[int] = None
    reader_age_commits: Optional[int] = None
    kept: Optional[int] = None
    unfinished: Optional[int] = None
    scheduled: Optional[int] = None
    counted_at: Optional[datetime] = None
    apps: List[AppCount] = field(default_factory=list)
    failures: List[PoolFailure] = field(default_factory=list)
    outages: List[PoolOutage] = field(default_factory=list)
    # The nodes of the cluster and its log; without a cluster none.
    nodes: List[ClusterNode] = field(default_factory=list)
    log_position: Optional[int] = None
    log_entries: Optional[int] = None
    snapshot_position: Optional[int] = None
    # As many as `nodes` and in their order; none if the server does not say.
    claims: List[NodeClaims] = field(default_factory=list)
    # As many as `apps` and in their order; none if the server does not say.
    devices_by_provider: List[ProviderCounts] = field(default_factory=list)
