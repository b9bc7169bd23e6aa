"""The golden vectors through the codec, and through the values that programs get."""
from __future__ import annotations

import copy
import dataclasses
import json
import pickle
import random
import subprocess
import sys
import unittest
from datetime import datetime, timezone
from typing import Any, Dict, List, Optional, Tuple

from carillon import _codec as codec
from carillon import _layouts as layouts
from carillon import enums, operations
from carillon._calls import Call
from carillon._types import UNREADABLE, UNWRITABLE, uvarint
from carillon._values import LATEST, milliseconds, reader
from carillon.answers import DeviceRecord, Event
from carillon.errors import from_frame

from .support import (APP, CLIENT, VECTORS, answer_to_json, fields_from_json, fields_to_json, kinds, load)

# What a server sends besides the answers of methods.
OTHERS = ("hello", "auth", "ping", "goaway", "position", "error", "ignored", "event", "subscribe_events",
          "event_credit", "unsubscribe_events")
REQUESTS_AS_TAGGED = {name: codec.Layout(each.request.fixed, tuple(layouts.COMMON_TAGS) + tuple(each.request.tags))
                      for name, each in codec.OPERATIONS.items()}
BY_OPCODE = {each.opcode: each for each in codec.OPERATIONS.values()}


def layout_of(message: str, sender: str) -> codec.Layout:
    """Returns the layout of a message."""
    other = {"ping": codec.PING_LAYOUT, "goaway": codec.GOAWAY_LAYOUT, "position": codec.POSITION_LAYOUT,
             "event": codec.EVENT_LAYOUT, "error": codec.ERROR_LAYOUT}
    if message in other:
        return other[message]
    return REQUESTS_AS_TAGGED[message] if sender == "client" else codec.OPERATIONS[message].answer


def payload(layout: codec.Layout, fields: Dict[str, Any], unknown: List[Tuple[int, bytes]]) -> bytes:
    """Returns a payload, with tags that are not known among its own."""
    if not unknown:
        return codec.without_deadline(layout.write(fields))
    named = {name for name, _ in layout.fixed}
    tags = [(tag, codec.Layout((), ((tag, name, kind),)).write_tags(fields)[1])
            for tag, name, kind in layout.tags if name in fields]
    tags += [(tag, uvarint(tag) + uvarint(len(raw)) + raw) for tag, raw in unknown]
    fixed = layout.write_fixed({name: fields[name] for name in named})
    return bytes(fixed + uvarint(len(tags)) + b"".join(raw for _, raw in sorted(tags)))


class ValidPayloadsTests(unittest.TestCase):
    def test_each_case_decodes_to_its_fields_and_encodes_to_its_bytes(self) -> None:
        decoded = encoded = ignored = 0
        for case in load("valid"):
            with self.subTest(case["name"]):
                raw = bytes.fromhex(case["hex"])
                length, kind, flags, opcode, id = codec.HEADER.unpack_from(raw)
                self.assertEqual({"kind": kind, "flags": flags, "opcode": opcode, "id": str(id)}, case["frame"])
                self.assertEqual(length, len(raw) - codec.HEADER.size)
                if case["from"] == "server":
                    codec.check_header(length, kind, flags, opcode, id, 1 << 20)
                if case["message"] == "ignored":
                    ignored += 1
                    continue
                layout = layout_of(case["message"], case["from"])
                unknown: List[Tuple[int, bytes]] = []
                fields = layout.read(raw[16:], unknown=unknown)
                self.assertEqual(fields_to_json(layout, fields), case["fields"])
                self.assertEqual([{"tag": tag, "hex": value.hex()} for tag, value in unknown],
                                 case.get("unknown_tags", []))
                decoded += 1
                if case.get("decode_only"):
                    continue
                written = payload(layout, fields_from_json(layout, case["fields"]), unknown)
                self.assertEqual(codec.frame(kind, opcode, id, written, flags).hex(), case["hex"])
                encoded += 1
        self.assertEqual((decoded, encoded, ignored), (COUNTS["decoded"], COUNTS["encoded"], COUNTS["ignored"]))

    def test_answers_become_values_that_have_all_their_fields(self) -> None:
        checked = 0
        for case in load("valid"):
            message = case["message"]
            if case["from"] != "server" or message in ("hello", "auth", "ping", "goaway", "position", "error",
                                                       "ignored"):
                continue
            with self.subTest(case["name"]):
                layout = layout_of(message, "server")
                raw = bytes.fromhex(case["hex"])[16:]
                self.assertEqual(as_json(message, layout, raw), clamped(case["fields"]))
                checked += 1
        self.assertEqual(checked, COUNTS["answers"])

    def test_errors_become_errors_that_have_all_their_members(self) -> None:
        checked = 0
        for case in load("valid"):
            if case["message"] != "error":
                continue
            with self.subTest(case["name"]):
                fields = case["fields"]
                error = from_frame(codec.ERROR_LAYOUT.read(bytes.fromhex(case["hex"])[16:]))
                self.assertEqual((error.number, error.message), (fields["code"], fields["message"]))
                retry = None if fields["retry_after_ms"] == codec.NEVER else fields["retry_after_ms"] / 1000
                self.assertEqual(error.retry_after, retry)
                limit = None if "limit" not in fields else int(fields["limit"])
                self.assertEqual((error.field, error.item, error.limit, error.column),
                                 (fields.get("field"), fields.get("item"), limit, fields.get("column")))
                checked += 1
        self.assertEqual(checked, COUNTS["errors"])


def clamped(value: Any, name: str = "") -> Any:
    """Replaces times that a `datetime` cannot have by the last one that it can."""
    if isinstance(value, dict):
        return {each: clamped(part, each) for each, part in value.items()}
    if isinstance(value, list):
        return [clamped(each, name) for each in value]
    is_time = name == "at" or name.endswith("_at")
    return str(min(int(value), milliseconds(LATEST, name))) if is_time else value


def as_json(message: str, layout: codec.Layout, raw: bytes) -> Dict[str, Any]:
    """Turns the bytes of an answer into the value that programs get, and that into JSON."""
    fields = layout.read(raw)
    present = set(fields)
    if message == "event":
        if fields["kind"] == 0:
            return fields_to_json(layout, fields)  # a gap is a value of its own, see the behaviour vectors
        value: Any = reader(Event)(fields)
    elif message in ("subscribe_events", "event_credit", "unsubscribe_events"):
        return fields_to_json(layout, fields)
    else:
        value = example_request(message).read(b"before" + raw + b"behind", 6, 6 + len(raw))
    if message == "register_batch":
        return {"results": [{"code": each.number, "device_id": str(each.device_id), "result": int(each.result)}
                            for each in value]}
    if message == "devices":
        lookup = codec.OPERATIONS["lookup"].answer
        rows = [payload(lookup, fields_from_json(lookup, device_json(lookup, each)), []) for each in value.devices]
        return {"next": str(value.next), "devices": [each.hex() for each in rows]}
    members = {name: answer_to_json(kind, getattr(value, name)) for name, kind in kinds(layout).items()
               if name in present and name != "details"}
    if "details" in present:
        members["details"] = [{"delivered": str(each.details.delivered), "failed": str(each.details.failed),
                               "label": each.details.label, "sender": each.details.sender} for each in value.messages]
    return members


def device_json(layout: codec.Layout, device: Any) -> Dict[str, Any]:
    """Returns the fields of LOOKUP's answer; tags that are not given are left out."""
    fields = {name: answer_to_json(kind, getattr(device, name)) for name, kind in kinds(layout).items()}
    fixed = {name for name, _ in layout.fixed}
    return {name: value for name, value in fields.items() if name in fixed or value not in (None, [], 0)}


def example_request(message: str) -> Call[Any]:
    """Returns some request of a method, for what it makes of answers."""
    arguments: Dict[str, Tuple[Any, ...]] = {
        "register": ("ab",), "unregister": (1,), "lookup": (1,), "update_device": (1,), "memberships": (1,),
        "create_channel": ("none",), "channel": ("Y2g=",), "delete_channel": ("Y2g=",),
        "restore": (1,), "join": ("g", [1]), "leave": ("g", [1]), "switch": (1, "a", "b"), "group_devices": ("g",),
        "update_group": ("g",), "group_topics": ("g",), "subscribe": (["t"],), "unsubscribe": (["t"],),
        "topic_devices": ("t",), "send": (operations_audience(), "{}"), "message_status": (1,),
        "message_outcomes": (1,), "explain": ("all",), "update_message": (1, "cancel"), "resend": (1,), "trace": (1, 2),
        "receipts": ([],), "receipt_devices": (1, "opened")}
    server: Dict[str, Tuple[Any, ...]] = {"register_batch": ([],), "forget_subscriber": ("n",), "statistics": (),
                                          "remove_node": ("n",)}
    names = {"quarantine": "quarantined_devices", "receipts": "report_receipts", "update_group": "group_size"}
    method = getattr(operations.Operations, names.get(message, message))
    made: Call[Any] = method.build(operations.Operations(), *(server[message] if message in server else
                                                              (APP, *arguments.get(message, ()))))
    return made


def operations_audience() -> Any:
    from carillon import all_devices
    return all_devices()


class InvalidPayloadsTests(unittest.TestCase):
    """The client writes requests and does not judge values: what is wrong in the form cannot be read or written."""

    def test_a_malformed_payload_is_refused(self) -> None:
        counts: Dict[str, int] = {}
        for case in load("invalid"):
            expect = case["expect"]
            code = expect if isinstance(expect, str) else expect["code"]
            kind = self.judge(case, code)
            counts[kind] = counts.get(kind, 0) + 1
        self.assertEqual(counts, COUNTS["invalid"])

    def judge(self, case: Dict[str, Any], code: str) -> str:
        """Checks all that a client can check of a case; returns what it was."""
        raw = bytes.fromhex(case["hex"])
        if case["phase"] == "preface" or code == "close" or len(raw) < 16:
            return "preface or end"
        length, kind, flags, opcode, id = codec.HEADER.unpack_from(raw)
        scope = case["expect"].get("scope")
        if scope == "connection" or length != len(raw) - 16 or opcode not in BY_OPCODE or flags >> 4:
            return "frame"
        with self.subTest(case["name"]):
            layout = REQUESTS_AS_TAGGED[BY_OPCODE[opcode].name]
            unknown: List[Tuple[int, bytes]] = []
            if code == "MALFORMED":
                with self.assertRaises(UNREADABLE):
                    layout.read(raw[16:], unknown=unknown)
                return "malformed"
            fields = layout.read(raw[16:], unknown=unknown)
            if code == "UNSUPPORTED_FIELD":
                self.assertTrue(any(tag % 2 for tag, _ in unknown))
                return "unknown tag"
            if b"/topics/" not in raw:  # the reader drops FCM's prefix
                self.assertEqual(payload(layout, fields, unknown), raw[16:])
        return "value"


class SessionFramesTests(unittest.TestCase):
    def test_frames_of_sessions_are_read_and_written(self) -> None:
        frames = 0
        for session in load("sessions"):
            for step in session["steps"]:
                raw = bytes.fromhex(step["hex"])
                with self.subTest(session=session["name"], note=step["note"]):
                    if raw[:8] == codec.MAGIC:
                        self.assertEqual(len(raw), 16)
                        continue
                    length, kind, flags, opcode, id = codec.HEADER.unpack_from(raw)
                    name = {codec.EVENT: "event", codec.ERROR: "error"}.get(kind) or {3: "ping", 4: "goaway"}.get(
                        opcode) or BY_OPCODE[opcode].name
                    layout = layout_of(name, "client" if step["from"] == "client" else "server")
                    self.assertEqual(payload(layout, layout.read(raw[16:]), []), raw[16:])
                    frames += 1
        self.assertEqual(frames, COUNTS["frames of sessions"])


class EncodingTests(unittest.TestCase):
    def test_a_value_that_cannot_be_encoded_is_refused_by_its_field(self) -> None:
        layout = codec.OPERATIONS["memberships"].request
        good = {"app": APP, "device": b"\2" + bytes(8), "after": "", "limit": 1}
        for name, value in (("app", None), ("app", "a\0b"), ("app", "\ud800"), ("app", "x" * 65536), ("limit", -1),
                            ("limit", 2**32), ("limit", float("nan")), ("limit", "1"), ("device", None),
                            ("after", b"")):
            with self.subTest(name=name, value=str(value)[:9]):
                with self.assertRaises(UNWRITABLE):
                    layout.write({**good, name: value})
                self.assertEqual(layout.field_at_fault({**good, name: value}), name)

    def test_cut_and_changed_answers_never_raise_anything_else(self) -> None:
        seed = random.randrange(1 << 32)
        chance = random.Random(seed)
        cases = [case for case in load("valid") if case["from"] == "server" and case["message"] != "ignored"]
        for _ in range(3000):
            case = chance.choice(cases)
            raw = bytearray(bytes.fromhex(case["hex"])[16:])
            if raw and chance.random() < 0.5:
                raw[chance.randrange(len(raw))] = chance.randrange(256)
            raw = raw[:chance.randrange(len(raw) + 1)] if chance.random() < 0.5 else raw
            try:
                layout_of(case["message"], "server").read(bytes(raw))
            except UNREADABLE:
                continue
            except Exception as error:
                self.fail(f"seed {seed}, {case['name']}: {error!r}")

    def test_an_answer_is_read_alike_alone_and_among_other_bytes(self) -> None:
        seed = random.randrange(1 << 32)
        chance = random.Random(seed)
        cases = [case for case in load("valid") if case["from"] == "server" and case["message"] not in OTHERS]
        for _ in range(3000):
            case = chance.choice(cases)
            raw = bytearray(bytes.fromhex(case["hex"])[16:])
            if raw and chance.random() < 0.5:
                raw[chance.randrange(len(raw))] = chance.randrange(256)
            raw = raw[:chance.randrange(len(raw) + 1)] if chance.random() < 0.5 else raw
            before, behind = chance.randbytes(chance.randrange(9)), chance.randbytes(chance.randrange(300))
            results = []
            for data, at in ((bytes(raw), 0), (before + raw + behind, len(before))):
                try:
                    results.append(repr(example_request(case["message"]).read(data, at, at + len(raw))))
                except UNREADABLE:
                    results.append("unreadable")
            self.assertEqual(results[0], results[1], f"seed {seed}, {case['name']}")

    def test_times_that_were_not_looked_at_are_there_all_the_same(self) -> None:
        layout = codec.OPERATIONS["lookup"].answer
        fields = {"device_id": 7, "environment": 1, "kind": 1, "token": b"t", "registered_at": 1_700_000_000_123,
                  "seen_at": 2**63, "state": 1}
        raw = codec.without_deadline(layout.write(fields))

        def answer() -> DeviceRecord:
            made: DeviceRecord = operations._read["lookup"](raw, 0, len(raw))
            return made
        at = datetime(2023, 11, 14, 22, 13, 20, 123_000, tzinfo=timezone.utc)
        eager = reader(DeviceRecord)(layout.read(raw))
        self.assertEqual((eager.registered_at, eager.seen_at), (at, LATEST))
        self.assertEqual(answer(), eager)
        self.assertEqual(repr(answer()), repr(eager))
        self.assertEqual(dataclasses.asdict(answer()), dataclasses.asdict(eager))
        self.assertEqual(pickle.loads(pickle.dumps(answer())), eager)
        self.assertEqual(copy.deepcopy(answer()).registered_at, at)
        self.assertEqual(dataclasses.replace(answer(), device_id=8).seen_at, LATEST)
        changed = answer()
        changed.registered_at = LATEST
        self.assertEqual(changed.registered_at, LATEST)
        self.assertIs(changed.seen_at, changed.seen_at)

    def test_the_table_is_as_the_generator_writes_it(self) -> None:
        program = str(CLIENT / "tools" / "generate_layouts.py")
        done = subprocess.run([sys.executable, "-B", program, "--check"], check=False)
        self.assertEqual(done.returncode, 0)

    def test_enumerations_are_those_of_the_protocol(self) -> None:
        enumerations = json.loads((VECTORS.parent / "layouts.json").read_text("utf-8"))["enumerations"]
        names: Dict[str, Optional[type]] = {
            "environment": enums.Environment, "token_kind": enums.TokenKind, "push_type": enums.PushType,
            "lane": enums.Lane, "over_budget": enums.OverBudget, "registered": enums.RegisterResultKind,
            "unregistered": enums.UnregisterResultKind, "forgotten": enums.ForgetResultKind,
            "storage_policy": enums.StoragePolicy, "channel_deleted": enums.DeleteChannelResultKind,
            "device_state": enums.DeviceState, "message_state": enums.MessageState, "obstacle": enums.ObstacleKind,
            "action": enums.MessageUpdateAction, "addressing": enums.Addressing,
            "source": enums.SourceKind, "receipt": enums.ReceiptKind, "outcome": enums.Outcome,
            "event_kind": enums.EventKind, "roles": enums.Roles, "memberships_muted": enums.MutedBy,
            "switch_changed": enums.SwitchChanges, "trace_flags": enums.TraceFlags,
            "code": None, "effect": None, "scope": None, "audience": None}
        self.assertEqual(set(names), set(enumerations))
        for name, kind in names.items():
            if kind is None:
                continue
            members: Any = kind.__members__.values()  # type: ignore[attr-defined]
            spelled = {str(int(each)): str(each) if issubclass(kind, enums.ProtocolEnum) else
                       each.name.lower().replace("_", "-") for each in members}
            self.assertEqual(spelled, enumerations[name], name)

    def test_an_unknown_number_is_kept(self) -> None:
        self.assertEqual((int(enums.Outcome(200)), str(enums.Outcome(200))), (200, "unknown-200"))
        self.assertIs(enums.Outcome(200), enums.Outcome(200))
        self.assertEqual(f"{enums.Outcome.TOKEN_UNREGISTERED:>20}", "  token-unregistered")


# A change of the vectors changes these numbers: none is left out in silence.
COUNTS: Dict[str, Any] = {
    "decoded": 618, "encoded": 614, "ignored": 8, "answers": 193, "errors": 40, "frames of sessions": 23,
    "invalid": {"malformed": 659, "unknown tag": 52, "value": 839, "frame": 121, "preface or end": 23}}

if __name__ == "__main__":
    unittest.main()
