"""The golden vectors: the dissector shows every field of every valid frame."""
from __future__ import annotations

import json
import unittest
from typing import Any, Dict, Iterator, List, Tuple

import tshark
from captures import Capture
from frames import KINDS
from tshark import Fields, values
from vector_fields import NOT_COMPARED, field_value, leaves, tree_names

VECTORS = tshark.PROTOCOL / "vectors"


def load(folder: str) -> List[Dict[str, Any]]:
    """Returns all cases of a folder."""
    cases: List[Dict[str, Any]] = []
    for path in sorted((VECTORS / folder).glob("*.json")):
        content = json.loads(path.read_text())
        cases += content if isinstance(content, list) else [content]
    return cases


class ValidVectorsTests(unittest.TestCase):
    """Each valid frame, on a connection of its own."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.cases = load("valid")
        capture = Capture()
        for case in cls.cases:
            capture.connect().prefaces().send(case["from"], bytes.fromhex(case["hex"]))
        cls.connections = tshark.merged_by_connection(tshark.dissect(capture), len(cls.cases))
        cls.known = tshark.field_names()

    def each(self, *, ignored: bool) -> Iterator[Tuple[Dict[str, Any], Fields]]:
        """Yields the cases that a receiver ignores, or the others, each with what tshark shows."""
        for case, fields in zip(self.cases, self.connections):
            if (case["message"] == "ignored") == ignored:
                yield case, fields

    def test_there_are_vectors(self) -> None:
        self.assertNotEqual(self.cases, [])

    def test_a_frame_has_its_kind_id_and_opcode(self) -> None:
        for case, fields in zip(self.cases, self.connections):
            with self.subTest(case["name"]):
                frame = case["frame"]
                self.assertEqual(values(fields, "frame.kind"), [str(frame["kind"])])
                self.assertEqual(values(fields, "frame.id"), [str(frame["id"])])
                self.assertEqual([int(opcode, 0) for opcode in values(fields, "frame.opcode")], [frame["opcode"]])

    def test_a_frame_that_a_receiver_ignores_is_shown_as_unknown(self) -> None:
        for case, fields in self.each(ignored=True):
            with self.subTest(case["name"]):
                self.assertIn("carillon.unknown", fields)

    def test_a_frame_has_the_name_of_its_message(self) -> None:
        for case, fields in self.each(ignored=False):
            if case["frame"]["kind"] in (KINDS["error"], KINDS["event"]):
                continue
            with self.subTest(case["name"]):
                self.assertEqual([name.lower() for name in values(fields, "frame.message")], [case["message"].lower()])

    def test_a_valid_frame_is_not_malformed(self) -> None:
        for case, fields in self.each(ignored=False):
            with self.subTest(case["name"]):
                faults = {name: values(fields, name) for name in ("malformed", "framing", "undecoded")}
                self.assertEqual(faults, {"malformed": [], "framing": [], "undecoded": []})

    def test_an_unknown_tag_is_shown(self) -> None:
        for case, fields in self.each(ignored=False):
            for unknown in case.get("unknown_tags", []):
                with self.subTest(case["name"], tag=unknown["tag"]):
                    self.assertIn(str(unknown["tag"]), values(fields, "tag"))

    def test_every_field_is_shown(self) -> None:
        for case, fields in self.each(ignored=False):
            kind = case["frame"]["kind"]
            message = "error" if kind == KINDS["error"] else case["message"].lower()
            for field, value in leaves(case["fields"]):
                if field in NOT_COMPARED or value == "":
                    continue
                is_ping = message == "ping" and kind == KINDS["control"]
                names = ["ping"] if is_ping else tree_names(message, field, self.known)
                shown = [each for name in names for each in values(fields, name)]
                if field == "topic":
                    shown = [each.removeprefix("/topics/") for each in shown]
                with self.subTest(case["name"], field=field):
                    self.assertIn(field_value(message, kind, field, value), shown)


class SessionVectorsTests(unittest.TestCase):
    """Whole sessions, each in a capture of its own."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.cases = load("sessions")
        cls.captures = []
        for case in cls.cases:
            capture = Capture()
            connection = capture.connect()
            for step in case["steps"]:
                connection.send(step["from"], bytes.fromhex(step["hex"]))
            cls.captures.append(capture)

    def test_there_are_sessions(self) -> None:
        self.assertNotEqual(self.cases, [])

    def test_nothing_of_a_session_is_malformed(self) -> None:
        for case, capture in zip(self.cases, self.captures):
            with self.subTest(case["name"]):
                fields = tshark.merged(tshark.dissect(capture))
                faults = {name: values(fields, name) for name in ("malformed", "framing", "order")}
                self.assertEqual(faults, {"malformed": [], "framing": [], "order": []})

    def test_every_step_of_a_session_has_a_line(self) -> None:
        for case, capture in zip(self.cases, self.captures):
            with self.subTest(case["name"]):
                self.assertEqual(len(tshark.info_lines(capture)), len(case["steps"]))


if __name__ == "__main__":
    unittest.main()
