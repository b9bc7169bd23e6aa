"""The behaviour vectors: their form, the reference client on all of them, and defects that they must find."""
from __future__ import annotations

import json
import multiprocessing
import re
import subprocess
import sys
import threading
import unittest
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, List, Tuple
from unittest import mock

HERE = Path(__file__).resolve().parent
CLIENTS = HERE.parent
PROTOCOL = CLIENTS.parent
sys.path.insert(0, str(HERE))

import check_vectors  # noqa: E402
import vectors  # noqa: E402
import wire  # noqa: E402
from reference import calls, client, errors, options, session, shell, streams  # noqa: E402

VECTORS = vectors.load()
# Rules that a play on loopback cannot show. Each language tests them in its own way.
NOT_SHOWN = {
    "PIP-3": "the division of writes is not seen by a receiver", "PIP-8": "threads are of a language",
    "DL-6": "the clock of a machine", "ERR-7": "the encoder of a language", "ADR-2": "random",
    "EVT-12": "iterators are of a language", "TLS-4": "printed forms are of a language", "CLS-4": "threads",
    "OBS-1": "hooks are of a language", "VER-2": "the name of a language", "OBS-2": "hooks are of a language",
    "OBS-4": "hooks are of a language", "TYP-1": "names", "TYP-4": "names", "AUD-5": "names",
    "PAY-1": "../../vectors/payloads.json", "PAY-3": "../../vectors/payloads.json", "VER-3": "releases",
    "ENV-1": "the environment of a process",
    "POS-4": "tests of each language"}


class ReferenceLayoutsTests(unittest.TestCase):
    def test_valid_vectors_decode_and_encode(self) -> None:
        encoded = 0
        for path in sorted((PROTOCOL / "vectors" / "valid").glob("*.json")):
            for case in json.loads(path.read_text("utf-8")):
                with self.subTest(case["name"]):
                    frame = wire.decode(bytes.fromhex(case["hex"]), case["from"])
                    self.assertEqual(frame.message or "ignored", case["message"])
                    if not frame.message or case.get("decode_only"):
                        continue
                    self.assertEqual(frame.fields, case["fields"])
                    unknown = [(each["tag"], bytes.fromhex(each["hex"])) for each in case.get("unknown_tags", [])]
                    self.assertEqual(wire.encode(case["from"], case["message"], case["fields"], frame.id,
                                                 opcode=frame.opcode, flags=frame.flags, unknown=unknown).hex(),
                                     case["hex"])
                    encoded += 1
        self.assertGreaterEqual(encoded, 500)

    def test_the_contract_has_the_class_of_every_request_that_does_more_than_read(self) -> None:
        contract = vectors.CONTRACT.read_text("utf-8")
        rules = contract.partition("- **RET-2**")[2].partition("- **RET-3**")[0]
        rows = [line.split("|") for line in rules.splitlines() if line.startswith("  | ")][1:]
        listed = [(name.strip().lower(), row[1].strip()) for row in rows for name in row[2].split(",")]
        expected = [(name, request["repeat"]) for name, request in wire.REQUESTS.items() if request["repeat"] != "read"]
        self.assertEqual(sorted(listed), sorted([*expected, ("every request that only reads", "read")]))


class ContractExamplesTests(unittest.TestCase):
    def test_the_contract_shows_their_lines(self) -> None:
        contract = vectors.CONTRACT.read_text("utf-8")
        for example in json.loads((HERE / "examples.json").read_text("utf-8")):
            lines = " · ".join(f"`{line}`" for line in example["lines"])
            row = next(line for line in contract.splitlines() if line.startswith(f"| `{example['name']}` |"))
            self.assertTrue(row.endswith(f"| {lines} |"), row)
            self.assertEqual(row.split("|")[2].split(), example["arguments"])


class VectorFormTests(unittest.TestCase):
    def test_there_are_enough(self) -> None:
        self.assertGreaterEqual(len(VECTORS), 120)

    def test_every_rule_has_a_vector_or_a_reason(self) -> None:
        self.assertEqual(set(vectors.rules_without_vector(VECTORS)), set(NOT_SHOWN))

    def test_mistakes_of_the_form_are_found(self) -> None:
        good = VECTORS["answers-out-of-order"]
        for name, value in (("rulse", []), ("rules", ["PIP-99"]), ("client", [{"do": "cal"}]),
                            ("client", [{"do": "wait", "for": "c", "expect": {"feilds": {}}}]),
                            ("servers", {"a": {"connections": [[{"expect": "lookpu"}]]}}),
                            ("servers", {"a": {"connections": [[{"send": "answer", "too": "c"}]]}})):
            with self.subTest(name=name, value=value), self.assertRaises(vectors.FormError):
                vectors.check_form({**good, name: value}, vectors.rules())


def in_processes(work: Callable[[Any], List[str]], items: Iterable[Any]) -> List[Tuple[Any, List[str]]]:
    """Plays vectors in some processes at once: most of the time they wait."""
    items = list(items)
    with multiprocessing.get_context("fork").Pool(8) as pool:
        return list(zip(items, pool.map(work, items, chunksize=1)))


def play(name: str) -> List[str]:
    """Plays a vector with the reference client and returns the problems."""
    return check_vectors.Run(VECTORS[name]).play()


def play_defect(index: int) -> List[str]:
    """Plays the vector of a defect with the defect."""
    _, owner, name, replacement, vector = DEFECTS[index]
    is_property = isinstance(getattr(owner, name, None), property)
    defect = property(lambda _, value=replacement: value) if is_property else replacement
    with mock.patch.object(owner, name, defect):
        return check_vectors.Run(VECTORS[vector], limit_ms=1500).play()


class ReferenceClientTests(unittest.TestCase):
    def test_the_reference_client_passes_all_vectors(self) -> None:
        for name, problems in in_processes(play, VECTORS):
            with self.subTest(name):
                self.assertEqual(problems, [])


class Program:
    """The fake server as a process, as runners of other languages use it."""

    def __init__(self, name: str, notify: Callable[[Dict[str, Any]], None]) -> None:
        self.notify = notify
        self.process = subprocess.Popen([sys.executable, "-B", str(HERE / "fake_server.py"), name], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        first = json.loads(self.process.stdout.readline())
        self.addresses, self.files = first["listening"], first["files"]
        self.last: Dict[str, Any] = {}
        self.reader = threading.Thread(target=self._read)
        self.reader.start()

    def _read(self) -> None:
        for line in self.process.stdout:
            message = json.loads(line)
            self.last = message.get("verdict", self.last)
            self.notify(message)

    def _write(self, line: str) -> None:
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def signal(self, name: str) -> None:
        self._write("signal " + name)

    def verdict(self) -> Dict[str, Any]:
        self._write("verdict")
        self.reader.join()
        self.process.stdin.close()
        self.process.stdout.close()
        ok = self.process.wait() == 0
        return {**self.last, "failures": self.last["failures"] or ([] if ok else [{"text": "exit status"}])}


class ProgramRun(check_vectors.Run):
    def _serve(self, vector: Dict[str, Any], limit_ms: int) -> Any:
        return Program(vector["name"], self._notified)


class FakeServerTests(unittest.TestCase):
    def test_a_vector_with_signals(self) -> None:
        self.assertEqual(ProgramRun(VECTORS["close-drains"]).play(), [])

    def test_a_vector_with_certificates(self) -> None:
        self.assertEqual(ProgramRun(VECTORS["certificate-needs-no-auth"]).play(), [])

    def test_a_deviation_is_in_the_verdict(self) -> None:
        with mock.patch.object(calls.Call, "may_repeat", lambda *_: False):
            problems = ProgramRun(VECTORS["lost-after-writing-safe"]).play()
        self.assertTrue(any("has not connected" in each for each in problems), problems)


# Defects. Each row: what is wrong, what is replaced by what, and the vectors that must find it.

def _answers_in_order(self: Any, id: int, notice: Any) -> Any:
    """Gives each answer to the request that has waited for the longest time."""
    first = min(self.outstanding, default=id)
    self.outstanding.pop(first, None)
    return [notice._replace(id=first)]


def _new_key(self: Any, now: float) -> Dict[str, Any]:
    return calls.with_key("send", {**{name: self.fields[name] for name in self.fields if name != "key"},
                                   "deadline_ms": 1000})


def _later_times(self: Any, now: float) -> Dict[str, Any]:
    times = {"send_at": str(int(self.fields["send_at"]) + self.attempts)} if "send_at" in self.fields else {}
    return {**self.fields, **times, "deadline_ms": 1000}


def _forget_refusals(self: Any, now: float) -> None:
    for target in self.targets:
        target.refusal = None


def _drain_all(self: Any, connection: Any, wait: float, now: float) -> None:
    _real_drain(self, connection, wait, now)
    for target in self.targets:
        target.not_before = max(target.not_before, now + wait)


def _restart_at_first(self: Any, connection: Any) -> None:
    _real_opened(self, connection)
    self.last_connected = -1


def _worked_at_once(self: Any, connection: Any) -> None:
    connection.session.has_worked = True
    _real_opened(self, connection)


def _refuse_unknown_tags(message: str, sender: str, payload: bytes) -> Any:
    fields, unknown = _real_decode(message, sender, payload)
    if unknown:
        raise wire.MalformedError("an unknown tag")
    return fields, unknown


def _cut_at_once(self: Any, now: float, drain: Any = None) -> None:
    _real_close(self, now, 0.0)


def _any_audience(arguments: Dict[str, Any]) -> Dict[str, Any]:
    try:
        return _real_send_fields(arguments)
    except errors.Failure:
        return {"app": arguments["app"], "push_type": 1, "priority": 0, "audience": 5, "devices": [], "payload": "7b7d"}


def _without_values(arguments: Dict[str, Any]) -> Dict[str, Any]:
    known = {name: value for name, value in arguments.get("options", {}).items()
             if value is not None and name in calls.SEND_OPTIONS}
    return _real_send_fields({**arguments, "options": known})


def _abandon_freely(self: Any, id: int, now: float) -> bool:
    was_written = id in self.outstanding and self.outstanding[id].written_at is not None
    self.outgoing = [each for each in self.outgoing if each[0] != id]
    self.outstanding.pop(id, None)
    return not was_written


def _credit_at_once(self: Any) -> Any:
    if self.state != "subscribed" or self.pending is not None or self.received * 2 <= self.granted - 4:
        return None
    self.granted += self.window
    self.pending = {"ack": 0}
    return {"subscription": str(self.id), "credit": str(self.granted), "ack": "0"}


def _every_acknowledgement(self: Any) -> Any:
    ack = self.acknowledged if self.acknowledged > self.durable else 0
    self.durable = max(self.durable, ack)
    fields = {"subscription": str(self.id), "credit": str(self.granted), "ack": str(ack)}
    return fields if ack and self.state == "subscribed" else None


def _open_context(client_options: Any) -> Any:
    context = _real_tls_context(client_options)
    context.check_hostname = False
    context.verify_mode = shell.ssl.CERT_NONE
    return context


def _as_internal(fields: Dict[str, Any]) -> Any:
    known = fields["code"] in wire.CODE_NAMES
    return _real_from_frame(fields if known else {**fields, "code": wire.CODES["INTERNAL"], "effect": 1})


def _as_double(self: Any, call: Any, result: Any) -> None:
    if isinstance(result, dict) and "device_id" in result:
        result = {**result, "device_id": str(int(float(result["device_id"])))}
    _real_finish(self, call, result)


Call, CallDispatcher, Session, Stream = calls.Call, client.CallDispatcher, session.Session, streams.Stream
_real_drain, _real_opened, _real_close = CallDispatcher._drain, CallDispatcher._opened, CallDispatcher.close
_real_finish, _real_decode, _real_send_fields = CallDispatcher._finish, wire.decode_payload, calls.send_fields
_real_tls_context, _real_from_frame = shell.tls_context, errors.Failure.from_frame

DEFECTS: List[Tuple[str, Any, str, Any, str]] = [
    ("loops on a wrong key", CallDispatcher, "refuse", lambda *_: None, "wrong-key-never-loops"),
    ("tries a refused version again", CallDispatcher, "lift_refusals", _forget_refusals, "version-refused"),
    ("repeats unsafe requests", Call, "is_repeatable", True, "lost-after-writing-unsafe"),
    ("repeats resume", Call, "is_repeatable", True, "resume-is-never-repeated"),
    ("repeats a send without a key", Call, "is_repeatable", True, "send-without-a-key"),
    ("repeats a batch without times", Call, "is_repeatable", True, "batch-with-one-item-without-a-time"),
    ("repeats what was executed", Call, "may_repeat", lambda *_: True, "internal-fault"),
    ("repeats what never helps", Call, "may_repeat", lambda *_: True, "never-is-never"),
    ("repeats nothing", Call, "may_repeat", lambda *_: False, "lost-after-writing-safe"),
    ("ignores last_id", CallDispatcher, "is_above", lambda *_: False, "twice-with-last-id"),
    ("repeats all at GOAWAY", CallDispatcher, "is_above", lambda *_: True, "once-with-requests-in-flight"),
    ("asks no node for what it has seen", CallDispatcher, "_send_position", lambda *_: None,
     "the-next-node-is-asked-for-a-position"),
    ("keeps no position", CallDispatcher, "_position", lambda *_: None, "a-position-of-a-draining-connection"),
    ("stays with a node that is behind", CallDispatcher, "asks_another_node", lambda *_: False,
     "a-node-that-is-behind-is-left"),
    ("ignores GOAWAY", CallDispatcher, "_going_away", lambda *_: None, "first-address-drains"),
    ("waits at all addresses after GOAWAY", CallDispatcher, "_drain", _drain_all, "first-address-drains"),
    ("makes a new key for each attempt", Call, "attempt_fields", _new_key, "send-keeps-its-key-and-times"),
    ("computes times anew", Call, "attempt_fields", _later_times, "send-keeps-its-key-and-times"),
    ("sends no deadline", Call, "attempt_fields", lambda self, now: self.fields, "deadline-goes-to-the-server"),
    ("makes no key", client, "with_key", lambda operation, fields: {
     "key": calls.NO_KEY, **fields}, "two-sends-two-keys"),
    ("forgets the epoch of a key", CallDispatcher, "key_is_remembered", lambda *_: True,
     "another-epoch-has-forgotten-the-key"),
    ("forgets the window of a key", CallDispatcher, "key_is_remembered", lambda *_: True, "window-of-the-key-is-over"),
    ("makes no pauses", CallDispatcher, "spread", lambda *_: 0.0, "pauses-double"),
    ("connects in a loop", CallDispatcher, "spread", lambda *_: 0.0, "server-that-accepts-and-closes"),
    ("takes an open connection for one that works", CallDispatcher, "_opened", _worked_at_once,
     "server-that-accepts-and-closes"),
    ("ignores the limit in HELLO", Session, "in_flight_limit", 1024, "in-flight-limit-waits"),
    ("frees the room of a cancelled request", Session, "abandon", _abandon_freely,
     "cancelled-request-keeps-its-room"),
    ("ignores frame_limit", Session, "refusal_of", lambda *_: None, "limits-of-the-server"),
    ("does not answer PING", Session, "acknowledge", lambda *_: None, "ping-is-answered"),
    ("never pings", Session, "_ping_due_at", lambda *_: None, "silent-server-is-found"),
    ("never probes", Session, "_ping_due_at", lambda *_: None, "probe-finds-a-dead-server"),
    ("matches answers by their order", Session, "_completed", _answers_in_order, "answers-out-of-order"),
    ("accepts every header", Session, "check_header", lambda *_: None, "faults-of-frames"),
    ("reads frames over the limit", Session, "check_header", lambda *_: None, "frame-over-the-limit"),
    ("refuses unknown tags", wire, "decode_payload", _refuse_unknown_tags, "unknown-tags-are-skipped"),
    ("drops unknown codes", errors.Failure, "from_frame", _as_internal, "unknown-codes"),
    ("has numbers of 53 bits", CallDispatcher, "_finish", _as_double, "largest-numbers"),
    ("judges the last effect only", calls, "worst", lambda *effects: effects[-1], "worst-effect-counts"),
    ("has no bound on waiting calls", CallDispatcher, "is_full", lambda *_: False, "too-many-calls-wait"),
    ("has no bound on memory", CallDispatcher, "is_full", lambda *_: False, "too-many-bytes-wait"),
    ("goes back to the first address", CallDispatcher, "_opened", _restart_at_first, "round-goes-on-after-the-last"),
    ("grants credit that is not taken", Stream, "credit_due", _credit_at_once, "slow-program-gets-no-credit"),
    ("grants no credit", Stream, "credit_due", lambda *_: None, "credit-is-granted-again"),
    ("sends every acknowledgement", Stream, "credit_due", _every_acknowledgement, "acknowledgements-are-batched"),
    ("begins anew after a loss", Stream, "from_number", lambda *_: 0, "goes-on-after-a-loss"),
    ("ignores the epoch of events", Stream, "forget_history", lambda *_: None, "another-epoch"),
    ("acknowledges what was not returned", Stream, "acknowledge", lambda *_: None, "acknowledging-the-future"),
    ("cuts at close", CallDispatcher, "close", _cut_at_once, "close-drains"),
    ("does not verify the server", shell, "tls_context", _open_context, "untrusted-server"),
    ("does not verify the name", shell, "tls_context", _open_context, "wrong-name"),
    ("sends keys in plaintext", options.Options, "_check_security", lambda *_: None, "plaintext-leaves-no-machine"),
    ("takes no audience for all", check_vectors, "send_fields", _any_audience, "audience-is-missing"),
    ("drops unknown options", check_vectors, "send_fields", _without_values, "unknown-options"),
]


class ProtocolVersionsTests(unittest.TestCase):
    def test_each_client_says_the_newest_version_of_the_protocol(self) -> None:
        newest = re.search(r"This is version (1\.\d+)", (PROTOCOL / "Carillon-v1.md").read_text("utf-8"))
        assert newest is not None
        for name in ("go/README.md", "go/options.go", "node/README.md", "node/index.d.ts", "java/README.md",
                     "java/src/main/java/carillon/client/CarillonClient.java", "python/README.md",
                     "python/carillon/__init__.py",
                     "../../Sources/Client/CarillonClient/CarillonClient.docc/CarillonClient.md"):
            with self.subTest(name):
                said = re.findall(r"knows version\s+(1\.\d+)", (CLIENTS / name).read_text("utf-8"))
                self.assertEqual(said, [newest[1]])


class ClientDefectsTests(unittest.TestCase):
    def test_each_is_found_by_its_vector(self) -> None:
        for index, problems in in_processes(play_defect, range(len(DEFECTS))):
            with self.subTest(DEFECTS[index][0]):
                self.assertNotEqual(problems, [])


if __name__ == "__main__":
    unittest.main()
