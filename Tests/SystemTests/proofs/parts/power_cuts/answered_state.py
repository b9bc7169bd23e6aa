"""What a server has answered, with the call of its record that sent each answer; and what must be there after a power
cut."""
from __future__ import annotations

from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Set, Tuple

GONE, ABSENT = "gone", "absent"
# The state of a message that is not due.
SCHEDULED = "4"
NEVER = 1 << 62


class AnswerEnd(NamedTuple):
    """Where an answer has ended: after a number of bytes that the server has sent to a port of a client."""

    # Which start of the server it was, from 1.
    start: int
    port: int
    byte_count: int


class Step:
    """A state of a device or another item: when it was asked for, and when it was answered."""

    __slots__ = ("state", "asked", "answered")

    def __init__(self, state: str, asked: int) -> None:
        # Numbers of calls: of the last one before the request, and of the one that sent the answer.
        self.state, self.asked, self.answered = state, asked, NEVER


class Item:
    """A device, a group or a message: its states one after the other. The next is asked for when the last is
    answered."""

    __slots__ = ("steps", "id")

    def __init__(self) -> None:
        self.steps = [Step(ABSENT, 0)]
        self.steps[0].answered = 0
        # Of a device; 0 until it is known.
        self.id = 0

    @property
    def is_settled(self) -> bool:
        """True if the last request was answered."""
        return self.steps[-1].answered != NEVER

    @property
    def state(self) -> str:
        """The last state."""
        return self.steps[-1].state

    def ask(self, state: str, asked: int) -> Step:
        """Adds a state for which a request was sent."""
        self.steps.append(Step(state, asked))
        return self.steps[-1]

    def refused(self, step: Step) -> None:
        """Removes a state whose request had no effect."""
        self.steps.remove(step)

    def allowed(self, call: int) -> List[str]:
        """Returns the states that there may be after a power cut that follows a call, the oldest first."""
        steps = self.steps
        if len(steps) == 2:
            step = steps[1]
            if step.answered <= call:
                return [step.state]
            return [ABSENT] if step.asked > call else [ABSENT, step.state]
        last = max(index for index, step in enumerate(steps) if step.answered <= call)
        return [step.state for step in steps[last:] if step.asked <= call]


class History:
    """Everything that was asked for and answered in one recording."""

    def __init__(self) -> None:
        self.devices: Dict[str, Item] = {}
        self.groups: Dict[str, Item] = {}
        # By id: the device ids of a message, and the number of the call with the answer.
        self.messages: Dict[int, Tuple[Optional[Set[int]], Step]] = {}
        # Scheduled messages that were cancelled.
        self.cancelled: List[Tuple[Step, int]] = []
        # Facts that stay: the call that told them, and what it was.
        self.outcomes: List[Tuple[Step, int, int, int]] = []
        self.receipts: List[Tuple[Step, int, int, int]] = []
        self.acknowledged: Dict[str, List[Tuple[Step, int]]] = {}
        self.events: List[Tuple[Step, int]] = []
        # Steps whose answer is known, but not yet the call that sent it.
        self.unresolved: List[Tuple[Step, AnswerEnd]] = []

    def answered(self, step: Step, end: AnswerEnd) -> None:
        """Takes note that an answer was read."""
        step.answered = 0
        self.unresolved.append((step, end))

    def fact(self, end: AnswerEnd) -> Step:
        """Adds something that an answer or an event has told."""
        step = Step("", asked=0)
        self.answered(step, end)
        return step

    def resolve(self, answers: Any) -> None:
        """Finds the calls that sent the answers."""
        for step, end in self.unresolved:
            step.answered = answers.call_number(end.start, end.port, end.byte_count)
        self.unresolved.clear()

    @property
    def changes(self) -> int:
        """The number of answered changes."""
        items = [*self.devices.values(), *self.groups.values()]
        others = [self.messages, self.cancelled, self.receipts, *self.acknowledged.values()]
        return sum(step.answered != NEVER for item in items for step in item.steps[1:]) + sum(map(len, others))


class Recovered:
    """What the recovery of one image has found: the lines of carillon-recover."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.refusal: Optional[str] = None
        # True if the write-ahead log had changes that the database lacked.
        self.is_replayed = False
        self.findings: List[str] = []
        self.devices: Dict[str, Tuple[int, str]] = {}
        self.groups: Dict[str, str] = {}
        self.messages: Dict[int, Tuple[str, Dict[int, int]]] = {}
        self.receipts: Dict[Tuple[int, int], Set[int]] = {}
        self.subscribers: Dict[str, int] = {}
        self.event = 0
        for line in lines:
            kind, _, rest = line.partition("\t")
            if kind == "device":
                token, id, state = rest.split("\t", 2)
                self.devices[token] = (int(id), state)
            elif kind == "tombstone":
                self.devices[rest] = (0, GONE)
            elif kind == "group":
                name, state = rest.split("\t", 1)
                self.groups[name] = state
            elif kind == "message":
                id, state, _, recipients = rest.split("\t")
                pairs = [pair.split("=") for pair in recipients.split(",") if pair]
                self.messages[int(id)] = (state, {int(device): int(outcome) for device, outcome in pairs})
            elif kind == "receipts":
                id, receipt, devices = rest.split("\t")
                self.receipts[int(id), int(receipt)] = {int(device) for device in devices.split(",")}
            elif kind == "subscriber":
                name, event = rest.split("\t")
                self.subscribers[name] = int(event)
            elif kind == "event":
                self.event = int(rest)
            elif kind == "finding":
                self.findings.append(rest)
            elif kind == "replayed":
                self.is_replayed = True
            elif kind == "refused":
                self.refusal = rest
            else:
                raise AssertionError(f"carillon-recover printed {line!r}")


class Judge:
    """Compares what was recovered with what had been answered."""

    def __init__(self, history: History) -> None:
        self.history = history
        answers = [step.answered for item in (*history.devices.values(), *history.groups.values())
                   for step in item.steps[1:]] + [step.answered for _, step in history.messages.values()]
        # The call of the first answer: before it nothing can be lost.
        self.first_answer = min(answers, default=NEVER)

    def losses(self, call: int, found: Recovered) -> List[str]:
        """Returns what is lost, or is there and should not be, after a power cut that follows a call."""
        if found.refusal is not None:
            return [f"refused: {found.refusal}"] if call >= self.first_answer else []
        return [f"finding: {finding}" for finding in found.findings] + [
            *self._items("device", self.history.devices, call, self._devices(found)),
            *self._items("group", self.history.groups, call, found.groups),
            *self._messages(call, found), *self._events(call, found)]

    def _devices(self, found: Recovered) -> Dict[str, str]:
        states = {}
        for token, (id, state) in found.devices.items():
            item = self.history.devices.get(token)
            known = item.id if item is not None else 0
            states[token] = state if not id or not known or id == known else f"{state} with the id {id}, not {known}"
        return states

    @staticmethod
    def _items(kind: str, items: Dict[str, Item], call: int, found: Dict[str, str]) -> List[str]:
        wrong = []
        for name, item in items.items():
            state, allowed = found.get(name, ABSENT), item.allowed(call)
            if state not in allowed:
                wrong.append(f"{kind} {name}: {state!r}, and not {' or '.join(map(repr, allowed))}")
        return wrong + [f"{kind} {name}: it was not asked for" for name in found.keys() - items.keys()]

    def _messages(self, call: int, found: Recovered) -> List[str]:
        wrong = []
        for id, (devices, step) in self.history.messages.items():
            if step.answered > call:
                continue
            if id not in found.messages:
                wrong.append(f"message {id}: missing")
            elif devices is not None and found.messages[id][1].keys() != devices:
                wrong.append(f"message {id}: other devices: {sorted(found.messages[id][1].keys() ^ devices)}")
        for step, id in self.history.cancelled:
            if step.answered <= call and found.messages.get(id, (SCHEDULED,))[0] == SCHEDULED:
                wrong.append(f"message {id}: it was cancelled, and is scheduled")
        for step, id, device, outcome in self.history.outcomes:
            if step.answered <= call and found.messages.get(id, ("", {}))[1].get(device) != outcome:
                wrong.append(f"message {id}: the outcome of device {device} was {outcome}")
        for step, id, device, kind in self.history.receipts:
            if step.answered <= call and device not in found.receipts.get((id, kind), ()):
                wrong.append(f"message {id}: the receipt {kind} of device {device} is missing")
        return wrong

    def _events(self, call: int, found: Recovered) -> List[str]:
        wrong = []
        for name, steps in self.history.acknowledged.items():
            least = max((event for step, event in steps if step.answered <= call), default=0)
            if found.subscribers.get(name, 0) < least:
                wrong.append(f"subscriber {name}: {found.subscribers.get(name)}, and not at least {least}")
        newest = max((event for step, event in self.history.events if step.answered <= call), default=0)
        if found.event < newest:
            wrong.append(f"events: the newest is {found.event}, and {newest} was sent")
        return wrong
