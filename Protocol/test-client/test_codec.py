"""The vectors through the codec."""
import json
import pathlib
import unittest
from typing import Any, Dict, List, Tuple

import crln
from crln import ProtocolError

VECTORS = pathlib.Path(__file__).resolve().parent.parent / "vectors"
LAST_IDS = {"preface": 0, "hello": 0, "auth": 1, "open": 2}


def load(folder: str) -> List[Dict[str, Any]]:
    paths = sorted((VECTORS / folder).glob("*.json"))
    if not paths:
        raise AssertionError(f"no vectors in {folder}")
    cases: List[Dict[str, Any]] = []
    for path in paths:
        content = json.loads(path.read_text("utf-8"))
        cases += content if isinstance(content, list) else [content]
    return cases


NAMES_OF_TYPES = {id(part): name for name, part in (
    ("u8", crln.U8), ("u16", crln.U16), ("u32", crln.U32), ("u64", crln.U64), ("uuid", crln.UUID),
    ("str", crln.STR), ("bytes", crln.BYTES), ("token", crln.TOKEN), ("topic", crln.TOPIC),
    ("device", crln.DEVICE), ("data8", crln.PING.fixed["data"]))}


def shape(part: Any) -> Any:
    """Returns the type of a field, as layouts.json writes it."""
    if hasattr(part, "parts"):
        return {"struct": [[name, shape(each)] for name, each in part.parts.items()]}
    return NAMES_OF_TYPES.get(id(part)) or {"list": shape(part.part)}


def described(layout: crln.Layout) -> Any:
    """Returns the opcode of a layout, its fixed fields and its tags."""
    tags = [[tag, name, shape(part)] for tag, (name, part) in sorted(layout.tags.items())]
    return layout.opcode, [[name, shape(part)] for name, part in layout.fixed.items()], tags


def layouts_of_file() -> Dict[Tuple[str, str], Any]:
    """Returns the opcode, the fixed fields and the tags of each message in layouts.json, by its sender and its name."""
    layouts = json.loads((VECTORS.parent / "layouts.json").read_text("utf-8"))
    by_name = {("client", "ping"): (3, layouts["ping"]["fixed"], []),
               ("server", "ping"): (3, layouts["ping"]["fixed"], []),
               ("client", "position"): (5, layouts["position"]["fixed"], []),
               ("server", "position"): (5, layouts["position"]["fixed"], []),
               ("server", "goaway"): (4, layouts["goaway"]["fixed"], []),
               ("server", "error"): (0, layouts["error"]["fixed"], layouts["error"]["tags"]),
               ("server", "event"): (layouts["event"]["opcode"], layouts["event"]["fixed"], layouts["event"]["tags"])}
    for each in layouts["requests"]:
        request, answer = each["request"], each["answer"]
        by_name["client", each["name"]] = (
            each["opcode"], request["fixed"], sorted(layouts["common_tags"] + request.get("tags", [])))
        by_name["server", each["name"]] = (each["opcode"], answer["fixed"], sorted(answer.get("tags", [])))
    return by_name


class CodecTests(unittest.TestCase):
    def test_there_are_enough_and_names_are_unique(self) -> None:
        for folder, least in (("valid", 120), ("invalid", 200)):
            names = [case["name"] for case in load(folder)]
            self.assertGreaterEqual(len(names), least)
            self.assertEqual(sorted(names), sorted(set(names)))

    def test_the_vectors_written_by_hand_are_there(self) -> None:
        self.assertGreater(len(json.loads((VECTORS / "conditions.json").read_text("utf-8"))), 100)

    def test_valid_decodes_to_its_fields(self) -> None:
        for case in load("valid"):
            with self.subTest(case["name"]):
                frame = read_valid(case)
                self.assertEqual(frame.message, case["message"])
                self.assertEqual({"kind": frame.kind, "flags": frame.flags, "opcode": frame.opcode,
                                  "id": str(frame.id)},
                                 case["frame"])
                fields = {}
                if frame.message != "ignored":
                    fields = crln.fields_to_json(crln.LAYOUTS[case["from"]][frame.message], frame.fields)
                self.assertEqual(fields, case["fields"])
                self.assertEqual([{"tag": tag, "hex": raw.hex()} for tag, raw in frame.unknown_tags],
                                 case.get("unknown_tags", []))

    def test_valid_encodes_to_its_bytes(self) -> None:
        encoded = 0
        for case in load("valid"):
            if case.get("decode_only") or "unknown_tags" in case:
                continue
            with self.subTest(case["name"]):
                layout = crln.LAYOUTS[case["from"]][case["message"]]
                fields = crln.fields_from_json(layout, case["fields"])
                data = crln.encode(case["from"], case["message"], fields, int(case["frame"]["id"]),
                                   opcode=case["frame"]["opcode"], flags=case["frame"]["flags"])
                self.assertEqual(data.hex(), case["hex"])
                encoded += 1
        self.assertGreaterEqual(encoded, 120)

    def test_the_codec_is_that_of_the_layouts(self) -> None:
        """crln repeats layouts.json in Python: field by field the same."""
        expected = layouts_of_file()
        by_name = {(sender, message): described(layout) for sender, messages in crln.LAYOUTS.items()
                   for message, layout in messages.items()}
        self.assertEqual(set(by_name), set(expected))
        for key in sorted(by_name):
            with self.subTest(key):
                self.assertEqual(by_name[key], expected[key])

    def test_every_message_and_error_code_is_there(self) -> None:
        cases = load("valid")
        for sender, layouts in crln.LAYOUTS.items():
            present = {case["message"] for case in cases if case["from"] == sender}
            self.assertEqual(present, set(layouts) | {"ignored"})
            for layout in layouts.values():
                names = {name for case in cases if case["from"] == sender and case["message"] == layout.message
                         for name in case["fields"]}
                self.assertEqual(names, set(layout.parts()), layout.message)
        codes = {case["fields"]["code"] for case in cases if case["message"] == "error"}
        self.assertLessEqual(set(crln.ERRORS), codes)

    def test_invalid_gives_exactly_its_error(self) -> None:
        for case in load("invalid"):
            if "column" in case["expect"]:
                continue  # a condition: see test_conditions_are_left_to_the_server
            with self.subTest(case["name"]):
                data, expect = bytes.fromhex(case["hex"]), case["expect"]
                if expect == "close":
                    with self.assertRaises(crln.NotCarillon):
                        crln.answer_preface(data[:16])
                    continue
                with self.assertRaises(ProtocolError) as caught:
                    if case["phase"] == "preface":
                        crln.answer_preface(data)
                    else:
                        crln.decode(data, "client", case["phase"], LAST_IDS[case["phase"]])
                error = caught.exception
                answer = {"code": error.code, "scope": error.scope, "field": error.field, "item": error.item}
                # The limits are the server's: this reader does not say them.
                expected = {name: value for name, value in expect.items() if name != "limit"}
                self.assertEqual({name: value for name, value in answer.items() if value is not None}, expected)

    def test_conditions_are_left_to_the_server(self) -> None:
        cases = [case for case in load("invalid") if "column" in case["expect"]]
        self.assertGreater(len(cases), 5)
        for case in cases:
            with self.subTest(case["name"]):
                self.assertEqual(case["expect"]["field"], "condition")
                data = bytes.fromhex(case["hex"])
                message = crln.BY_OPCODE["client", crln.REQUEST][int.from_bytes(data[6:8], "big")]
                try:
                    self.assertIn("condition", crln.decode(data, "client", "open", 2).fields)
                except ProtocolError as error:  # its length is wrong
                    self.assertEqual((error.code, error.field, message.message),
                                     ("INVALID_ARGUMENT", "condition", message.message))

    def test_a_payload_cut_short_is_malformed_or_ends_with_the_fixed_part(self) -> None:
        for case in load("valid"):
            data, sender = bytes.fromhex(case["hex"]), case["from"]
            layout = crln.LAYOUTS[sender].get(case["message"])
            if layout is None or layout.untagged or len(data) > 700 or case.get("decode_only"):
                continue
            fixed = len(crln.encode_payload(layout, {
                name: value for name,
                value in crln.fields_from_json(layout, case["fields"]).items() if name in layout.fixed}))
            # A SEND without its tags can lack the name of its audience, or a payload.
            lacking = case["message"] == "send" and sender == "client" and (
                case["fields"]["audience"] in crln.AUDIENCE_FIELDS.values() or not case["fields"]["payload"])
            for size in range(len(data) - crln.HEADER.size):
                payload = data[crln.HEADER.size:][:size]
                with self.subTest(case["name"], size=size):
                    if size == fixed and not lacking:
                        crln.decode_payload(layout, payload)
                    else:
                        with self.assertRaises(ProtocolError) as caught:
                            crln.decode_payload(layout, payload)
                        wanted = "INVALID_ARGUMENT" if size == fixed else "MALFORMED"
                        self.assertEqual(caught.exception.code, wanted)

    def test_sessions_are_prefaces_and_whole_frames(self) -> None:
        for session in load("sessions"):
            first, second, *rest = session["steps"]
            answer = crln.answer_preface(bytes.fromhex(first["hex"]))
            self.assertEqual((first["from"], second["from"], answer.hex()), ("client", "server", second["hex"]))
            phases = {"hello": ("hello", 0), "auth": ("auth", 1)}
            asked: Dict[int, str] = {}
            subscriptions = set()
            for step in rest:
                data = bytes.fromhex(step["hex"])
                opcode = int.from_bytes(data[6:8], "big")
                phase, last_id = {1: phases["hello"], 2: phases["auth"]}.get(opcode, ("open", 2))
                frame = crln.decode(data, step["from"], phase, last_id)
                if step["from"] == "client":
                    asked[frame.id] = frame.message
                elif frame.message == "event":
                    self.assertIn(frame.id, subscriptions)
                else:
                    if frame.message == "subscribe_events":
                        subscriptions.add(frame.id)
                    self.assertEqual(asked.pop(frame.id), frame.message)
            self.assertEqual(asked, {})

    def test_the_example_of_the_text(self) -> None:
        data = crln.client_preface() + crln.encode("client", "hello", {"software": "py/1.0", "receive_limit": 0}, 1)
        self.assertEqual(data.hex(" ").upper(), (
            "C3 43 52 4C 4E 0D 0A 1A 01 01 00 00 00 00 00 00 "
            "00 00 00 0C 01 00 00 01 00 00 00 00 00 00 00 01 00 06 70 79 2F 31 2E 30 00 00 00 00"))


def read_valid(case: Dict[str, Any]) -> crln.Frame:
    phase = {"hello": "hello", "auth": "auth"}.get(case["message"], "open")
    return crln.decode(bytes.fromhex(case["hex"]), case["from"], phase, LAST_IDS[phase])


if __name__ == "__main__":
    unittest.main()
