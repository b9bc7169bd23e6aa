"""A load of every kind of change on several connections. One thread makes it, and notes where each answer has ended."""
from __future__ import annotations

import mmap
import random
import selectors
import socket
import struct
import time
from typing import Any, Callable, Dict, List, Optional, Tuple

from proofs.parts.power_cuts.answered_state import ABSENT, GONE, AnswerEnd, History, Item
from support.environment import APP, crln

TOPICS = [f"topic/{number}" for number in range(12)]
GROUPS = [f"group/{number}" for number in range(8)]
LOCALES = ["de", "en", "fr", "pt-BR"]
SUBSCRIBER = "powercut"
PAYLOAD = b'{"aps":{"alert":"hi"}}'
CREDIT = 1 << 20
# The outcome of a recipient that has none yet.
PENDING = 0
# Numbers of the protocol: a push type, two audiences and a message update.
ALERT, DEVICE_LIST, TOPIC_AUDIENCE, CANCEL = 1, 1, 3, 1
PREFACE_BYTES = 16
# Seconds for which a server may be silent.
ANSWER_SECONDS = 60
# The places of the lists in the state of a device.
TOPICS_FIELD, GROUPS_FIELD = 3, 4

# What is done with the fields of an answer, None if it is an error, and where it has ended.
Reaction = Callable[[Optional[Dict[str, Any]], AnswerEnd], None]


class CallCount:
    """The number of calls that the recorder has recorded so far, in the memory that it shares; and the number of the
    call after which it ends the server."""

    def __init__(self, path: str) -> None:
        with open(path, "r+b") as file:
            self.memory = mmap.mmap(file.fileno(), 16)

    @property
    def value(self) -> int:
        """The number of calls."""
        return struct.unpack_from("=Q", self.memory)[0]

    def kill_at(self, number: int) -> None:
        """Ends the server after that call; 0 never."""
        struct.pack_into("=Q", self.memory, 8, number)


class LoadConnection:
    """A connection whose answers are known by the byte at which they end."""

    def __init__(self, port: int, api_key: str, start: int) -> None:
        self.sock = socket.create_connection(("127.0.0.1", port), ANSWER_SECONDS)
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.start, self.port = start, self.sock.getsockname()[1]
        self.buffer, self.consumed = bytearray(), 0
        self.output = bytearray()
        self.waiting: Dict[int, Reaction] = {}
        self.last_id = 0
        # Called with each event, and where it has ended.
        self.on_event: Optional[Reaction] = None
        self.is_open = True
        self._handshake(api_key)
        self.sock.setblocking(False)

    def _handshake(self, api_key: str) -> None:
        self.sock.sendall(crln.client_preface())
        while len(self.buffer) < PREFACE_BYTES:
            self._fill()
        self._consume(PREFACE_BYTES)
        for message, fields in (("hello", {"software": "powercut/1", "receive_limit": 0}),
                                ("auth", {"method": 1, "credential": api_key.encode()})):
            self.request(message, fields, lambda fields, end: None)
            self.sock.sendall(self.output)
            self.output.clear()
            while self.waiting:
                self._fill()
                self._read_frames()

    def request(self, message: str, fields: Dict[str, Any], reaction: Reaction) -> int:
        """Queues a request; the reaction gets its answer, or None if it was refused."""
        self.last_id += 1
        self.output += crln.encode("client", message, fields, self.last_id)
        self.waiting[self.last_id] = reaction
        return self.last_id

    def _fill(self) -> None:
        piece = self.sock.recv(1 << 18)
        if not piece:
            raise ConnectionError("closed")
        self.buffer += piece

    def _consume(self, count: int) -> None:
        del self.buffer[:count]
        self.consumed += count

    def _read_frames(self) -> None:
        while len(self.buffer) >= crln.HEADER.size:
            size = crln.HEADER.size + int.from_bytes(self.buffer[:4], "big")
            if len(self.buffer) < size:
                return
            frame = crln.decode(bytes(self.buffer[:size]), "server")
            self._consume(size)
            end = AnswerEnd(self.start, self.port, self.consumed)
            if frame.message == "ping":
                if not frame.flags & crln.ACK:
                    self.output += crln.encode("client", "ping", frame.fields, flags=crln.ACK)
            elif frame.message == "event":
                if self.on_event is not None:
                    self.on_event(frame.fields, end)
            elif frame.message == "goaway":
                continue
            elif frame.message == "error" and not frame.id:
                raise ConnectionError(f"the server ended the connection: {frame.fields}")
            else:
                self.waiting.pop(frame.id)(None if frame.message == "error" else frame.fields, end)

    def serve(self, mask: int) -> None:
        """Reads and writes what is possible; ends when the server is gone."""
        try:
            if mask & selectors.EVENT_WRITE and self.output:
                del self.output[:self.sock.send(self.output)]
            if mask & selectors.EVENT_READ:
                self._fill()
                self._read_frames()
        except BlockingIOError:
            pass
        except OSError:
            self.close()

    def close(self) -> None:
        """Closes; what was not answered stays so."""
        self.is_open = False
        self.sock.close()


class MixedLoad:
    """The clients of one recording. Their knowledge outlives the server; their connections do not."""

    def __init__(self, generator: random.Random, history: History, calls: CallCount) -> None:
        self.generator, self.history, self.calls = generator, history, calls
        self.connections: List[LoadConnection] = []
        self.selector = selectors.DefaultSelector()
        # Tokens of devices that may be changed, and of those that only get messages.
        self.changing: List[str] = []
        self.addressed: List[str] = []
        self.groups = list(GROUPS)
        # Messages to a list of devices, and scheduled ones.
        self.sent: List[int] = []
        self.scheduled: List[int] = []
        self.delivered: List[Tuple[int, int]] = []
        self.newest_event = 0

    # Connections

    def connect(self, port: int, api_key: str, start: int, count: int) -> None:
        """Opens connections to a server that has just started."""
        self.connections = [LoadConnection(port, api_key, start) for _ in range(count)]
        self.selector = selectors.DefaultSelector()
        for connection in self.connections:
            self.selector.register(connection.sock, selectors.EVENT_READ, connection)

    def disconnect(self) -> None:
        """Closes all connections."""
        for connection in self.connections:
            if connection.is_open:
                connection.close()
        self.selector.close()
        self.connections = []

    @property
    def is_connected(self) -> bool:
        """True while the server has not ended a connection."""
        return all(connection.is_open for connection in self.connections)

    def run(self, makers: List[Callable[[LoadConnection], None]], changes: int, depth: int) -> None:
        """Makes `changes` requests, by makers chosen at random, with at most `depth` in flight on a connection; returns
        when all are answered, or when the server is gone."""
        end = time.monotonic() + ANSWER_SECONDS
        while changes or any(connection.waiting for connection in self.connections):
            for connection in self.connections:
                while changes and connection.is_open and len(connection.waiting) < depth:
                    changes -= 1
                    self.generator.choice(makers)(connection)
            if not self._serve():
                return
            if time.monotonic() > end:
                raise AssertionError(f"no answer for {ANSWER_SECONDS} s")

    def _serve(self) -> bool:
        """Waits for bytes and handles them; returns false if the server is gone."""
        for connection in self.connections:
            if connection.is_open:
                wants = selectors.EVENT_READ | (selectors.EVENT_WRITE if connection.output else 0)
                self.selector.modify(connection.sock, wants, connection)
        for key, mask in self.selector.select(0.2):
            connection = key.data
            sock = connection.sock
            if connection.is_open:
                connection.serve(mask)
            if not connection.is_open:
                self.selector.unregister(sock)
        return any(connection.is_open for connection in self.connections)

    # Changes

    def _change(self, connection: LoadConnection, message: str, fields: Dict[str, Any],
                states: List[Tuple[Item, str]], done: Optional[Callable[[Dict[str, Any]], None]] = None) -> None:
        """Sends a request after which the items have these states."""
        asked = self.calls.value
        steps = [(item, item.ask(state, asked)) for item, state in states]

        def react(answer: Optional[Dict[str, Any]], end: AnswerEnd) -> None:
            for item, step in steps:
                if answer is None:
                    item.refused(step)
                else:
                    self.history.answered(step, end)
            if answer is not None and done is not None:
                done(answer)

        connection.request(message, {"app": APP, **fields}, react)

    def _new_device(self) -> Tuple[bytes, Item, Dict[str, Any], str]:
        """Returns a token, its item, and the fields and the state of its registration."""
        token = self.generator.randbytes(32)
        item = self.history.devices.setdefault(token.hex(), Item())
        topics = sorted(self.generator.sample(TOPICS, self.generator.choice((0, 1, 1, 2))))
        groups = [self.generator.choice(GROUPS)] if self.generator.random() < 0.2 else []
        locale = self.generator.choice(LOCALES)
        fields = {"environment": 1, "kind": 1, "token": token, "seen_at": 0, "locale": locale, "topics": topics,
                  "groups": groups}
        return token, item, fields, device_state(locale, "0", topics, groups)

    def _note_id(self, tokens: List[str], token: bytes, item: Item, id: int) -> None:
        """Records that a device is registered, under this id."""
        item.id = id
        tokens.append(token.hex())

    def register(self, connection: LoadConnection) -> None:
        """Registers a device."""
        token, item, fields, state = self._new_device()
        tokens = self.addressed if len(self.addressed) < 40 else self.changing
        self._change(connection, "register", fields, [(item, state)],
                     lambda answer: self._note_id(tokens, token, item, answer["device_id"]))

    def register_batch(self, connection: LoadConnection, count: int = 300) -> None:
        """Registers many devices with one request."""
        devices = [self._new_device() for _ in range(count)]
        asked = self.calls.value
        steps = [item.ask(state, asked) for _, item, _, state in devices]
        items = [crln.encode_payload(crln.FROM_CLIENT["register"], {"app": APP, **fields})
                 for _, _, fields, _ in devices]

        def react(answer: Optional[Dict[str, Any]], end: AnswerEnd) -> None:
            results = answer["results"] if answer is not None else [{"code": 1}] * count
            for (token, item, _, _), step, result in zip(devices, steps, results):
                if result["code"]:
                    item.refused(step)
                else:
                    self.history.answered(step, end)
                    self._note_id(self.changing, token, item, result["device_id"])

        connection.request("register_batch", {"items": items}, react)

    def _settled_items(self, count: int) -> List[Item]:
        """Devices that are registered, and for which no request is in flight."""
        chosen = self.generator.sample(self.changing, min(count, len(self.changing)))
        items = [self.history.devices[token] for token in chosen]
        return [item for item in items if item.is_settled and item.state not in (GONE, ABSENT)]

    def subscribe(self, connection: LoadConnection) -> None:
        """Subscribes or unsubscribes some devices."""
        items, topic = self._settled_items(self.generator.choice((1, 1, 5, 20))), self.generator.choice(TOPICS)
        if not items:
            return self.register(connection)
        is_in = self.generator.random() < 0.6
        states = [(item, changed_state(item.state, TOPICS_FIELD, topic, is_in)) for item in items]
        self._change(connection, "subscribe" if is_in else "unsubscribe",
                     {"topics": [topic], "devices": [{"id": item.id} for item in items], "groups": []}, states)

    def join(self, connection: LoadConnection) -> None:
        """Lets some devices join or leave a group."""
        items, group = self._settled_items(self.generator.choice((1, 3))), self.generator.choice(GROUPS)
        if not items:
            return self.register(connection)
        is_in = self.generator.random() < 0.6
        states = [(item, changed_state(item.state, GROUPS_FIELD, group, is_in)) for item in items]
        self._change(connection, "join" if is_in else "leave",
                     {"group": group, "devices": [{"id": item.id} for item in items]}, states)

    def update(self, connection: LoadConnection) -> None:
        """Mutes a device or changes its language."""
        items = self._settled_items(1)
        if not items:
            return self.register(connection)
        fields = items[0].state.split("\t")
        muted = self.generator.choice("01")
        locale = self.generator.choice(LOCALES)
        self._change(connection, "update_device",
                     {"device": {"id": items[0].id}, "muted": int(muted), "locale": locale},
                     [(items[0], "\t".join([fields[0], locale, muted, *fields[3:]]))])

    def unregister(self, connection: LoadConnection) -> None:
        """Unregisters a device."""
        items = self._settled_items(1)
        if not items:
            return self.register(connection)
        self._change(connection, "unregister", {"device": {"id": items[0].id}, "at": 0}, [(items[0], GONE)])

    def change_group(self, connection: LoadConnection) -> None:
        """Mutes a group, or subscribes it to a topic."""
        name = self.generator.choice(self.groups)
        item = self.history.groups.setdefault(name, Item())
        if not item.is_settled:
            return self.subscribe(connection)
        muted, _, topics = ("0\t" if item.state == ABSENT else item.state).partition("\t")
        if self.generator.random() < 0.5:
            muted = self.generator.choice("01")
            self._change(connection, "update_group", {"group": name, "muted": int(muted)},
                         [(item, group_state(muted, topics))])
        else:
            topic, is_in = self.generator.choice(TOPICS), self.generator.random() < 0.6
            self._change(connection, "subscribe" if is_in else "unsubscribe",
                         {"topics": [topic], "devices": [], "groups": [name]},
                         [(item, group_state(muted, changed_list(topics, topic, is_in)))])

    # Messages

    def send(self, connection: LoadConnection) -> None:
        """Sends a message to some devices that stay registered, to a topic, or at a later time."""
        tokens = self.generator.sample(self.addressed, min(len(self.addressed), 6))
        if not tokens:
            return self.register(connection)
        fields: Dict[str, Any] = {"key": self.generator.randbytes(16), "push_type": ALERT, "priority": 0,
                                  "audience": DEVICE_LIST, "devices": [], "payload": PAYLOAD}
        ids: Optional[set] = {self.history.devices[token].id for token in tokens}
        way = self.generator.random()
        if way < 0.3:
            fields.update(audience=TOPIC_AUDIENCE, topic=self.generator.choice(TOPICS))
            ids = None
        else:
            fields["devices"] = [{"id": id} for id in ids]
        is_scheduled = way > 0.8
        if is_scheduled:
            fields["send_at"] = int(time.time() * 1_000) + 3_600_000

        def accepted(answer: Optional[Dict[str, Any]], end: AnswerEnd) -> None:
            if answer is None:
                raise AssertionError("a message was refused")
            id = answer["message_id"]
            self.history.messages[id] = (ids, self.history.fact(end))
            if is_scheduled:
                self.scheduled.append(id)
            elif ids is not None:
                self.sent.append(id)

        connection.request("send", {"app": APP, **fields}, accepted)

    def cancel(self, connection: LoadConnection) -> None:
        """Cancels a message that is not due yet."""
        if not self.scheduled:
            return self.send(connection)
        id = self.scheduled.pop(self.generator.randrange(len(self.scheduled)))

        def updated(answer: Optional[Dict[str, Any]], end: AnswerEnd) -> None:
            if answer is not None:
                self.history.cancelled.append((self.history.fact(end), id))

        connection.request("update_message", {"app": APP, "message_id": id, "action": CANCEL}, updated)

    def outcomes(self, connection: LoadConnection) -> None:
        """Reads the outcomes of a message: what was shown must stay."""
        if not self.sent:
            return self.send(connection)
        id = self.generator.choice(self.sent[-10:])

        def read(answer: Optional[Dict[str, Any]], end: AnswerEnd) -> None:
            if answer is None:
                raise AssertionError("the outcomes of a message cannot be read")
            known = self.history.fact(end)
            for each in answer["recipients"]:
                if each["outcome"] != PENDING:
                    self.history.outcomes.append((known, id, each["device_id"], each["outcome"]))
                    self.delivered.append((id, each["device_id"]))

        connection.request("message_outcomes", {"app": APP, "message_id": id, "cursor": 0, "limit": 100}, read)

    def receipt(self, connection: LoadConnection) -> None:
        """Says that a device has received or opened a message."""
        if not self.delivered:
            return self.outcomes(connection)
        id, device = self.generator.choice(self.delivered)
        kind = self.generator.choice((1, 2))

        def counted(answer: Optional[Dict[str, Any]], end: AnswerEnd) -> None:
            if answer is not None and not answer["unknown"]:
                self.history.receipts.append((self.history.fact(end), id, device, kind))

        receipts = [{"message_id": id, "device": {"id": device}, "kind": kind}]
        connection.request("receipts", {"app": APP, "receipts": receipts}, counted)

    # Events

    def subscribe_events(self) -> None:
        """Subscribes to events on the first connection, which acknowledges some of them."""
        connection = self.connections[0]
        acknowledged = self.history.acknowledged.setdefault(SUBSCRIBER, [])

        def subscribed(answer: Optional[Dict[str, Any]], end: AnswerEnd) -> None:
            if answer is None:
                raise AssertionError("events cannot be subscribed to")
            acknowledged.append((self.history.fact(end), answer["after"]))

        subscription = connection.request(
            "subscribe_events", {"name": SUBSCRIBER, "from": 0, "apps": [], "kinds": [], "credit": CREDIT}, subscribed)

        def received(event: Optional[Dict[str, Any]], end: AnswerEnd) -> None:
            number = event["sequence"] if event is not None else 0
            self.history.events.append((self.history.fact(end), number))
            if number > self.newest_event:
                self.newest_event = number
                if self.generator.random() < 0.2:
                    self._acknowledge(connection, subscription, number)

        connection.on_event = received

    def _acknowledge(self, connection: LoadConnection, subscription: int, number: int) -> None:
        def done(answer: Optional[Dict[str, Any]], end: AnswerEnd) -> None:
            if answer is not None:
                self.history.acknowledged[SUBSCRIBER].append((self.history.fact(end), number))

        connection.request("event_credit", {"subscription": subscription, "credit": CREDIT, "ack": number}, done)


def device_state(locale: str, muted: str, topics: List[str], groups: List[str]) -> str:
    """Returns the state of an active device, as carillon-recover prints it."""
    return "\t".join(["1", locale, muted, ",".join(topics), ",".join(groups)])


def group_state(muted: str, topics: str) -> str:
    """Returns the state of a group; one without a mute and topics has no row."""
    return f"{muted}\t{topics}" if muted == "1" or topics else ABSENT


def changed_list(text: str, name: str, is_in: bool) -> str:
    """Returns a list of names with or without one."""
    names = set(text.split(",")) - {"", name}
    return ",".join(sorted(names | {name} if is_in else names))


def changed_state(state: str, place: int, name: str, is_in: bool) -> str:
    """Returns the state of a device with a name more or less in one of its lists."""
    fields = state.split("\t")
    fields[place] = changed_list(fields[place], name, is_in)
    return "\t".join(fields)

