"""What tshark must show of the session of frames.py, however it was captured."""
from __future__ import annotations

from typing import Dict, List

from frames import OLD_TOKEN, PUSH, SEEN_AT, TOKEN
from tshark import Fields, values, with_colons

REQUEST, ANSWER, ERROR, CONTROL = "1", "2", "3", "5"
# The message, the kind and the id of each frame of the session.
FRAMES = [
    ("HELLO", REQUEST, "1"),
    ("HELLO", ANSWER, "1"),
    ("AUTH", REQUEST, "2"),
    ("AUTH", ANSWER, "2"),
    ("REGISTER", REQUEST, "3"),
    ("REGISTER_BATCH", REQUEST, "4"),
    ("REGISTER_BATCH", ANSWER, "4"),
    ("REGISTER", ANSWER, "3"),
    ("UNREGISTER", REQUEST, "5"),
    ("UNREGISTER", ERROR, "5"),
    ("SEND", REQUEST, "6"),
    ("SEND", ANSWER, "6"),
    ("MESSAGE_STATUS", REQUEST, "7"),
    ("MESSAGE_STATUS", ANSWER, "7"),
    ("PING", CONTROL, "0"),
    ("PING", CONTROL, "0"),
    ("GOAWAY", CONTROL, "0"),
]


class SessionExpectations:
    """Tests for a suite that dissects the session, which is a `TestCase` too.

    `dissections` are the fields of its captures, by the names of the captures.
    """

    dissections: Dict[str, Fields] = {}

    def expect(self, **expected: List[str]) -> None:
        """Compares fields of every capture; `__` stands for a dot in a name."""
        for name, fields in self.dissections.items():
            shown = {field: values(fields, field.replace("__", ".")) for field in expected}
            with self.subTest(name):
                self.assertEqual(shown, expected)

    def test_each_frame_is_shown_with_its_message_kind_and_id(self) -> None:
        messages, kinds, ids = (list(each) for each in zip(*FRAMES))
        self.expect(frame__message=messages, frame__kind=kinds, frame__id=ids)

    def test_the_handshake_shows_versions_software_and_roles(self) -> None:
        self.expect(preface__lowest=["1"], preface__version=["1"], software=["py/1.0", "carillon/1.0"],
                    roles__register=["1"], roles__admin=["0"])

    def test_a_registration_shows_its_fields_also_in_a_batch(self) -> None:
        tokens = [with_colons(each) for each in (TOKEN, TOKEN, OLD_TOKEN, TOKEN)]
        self.expect(token=tokens, replaces=[with_colons(bytes([7]) * 32)] * 2, locale=["de-DE"] * 2,
                    time_zone=["Europe/Berlin"] * 2, seen_at=[str(SEEN_AT), str(SEEN_AT), "0"])

    def test_a_message_shows_its_options_and_its_outcomes(self) -> None:
        self.expect(key=["00112233-4455-6677-8899-aabbccddeeff"], payload=[PUSH], collapse_id=["score"], lane=["2"],
                    deadline_ms=["2000"], outcome=["32"], outcomes__devices=["2"])

    def test_errors_and_control_frames_show_their_fields(self) -> None:
        self.expect(code=["0", "12", "10", "20"], field=["device"], retry_after_ms=["4294967295"],
                    last_id=[str(2**64 - 1)], ping=[with_colons(b"whistle!")] * 2)

    def test_nothing_is_malformed(self) -> None:
        self.expect(malformed=[], framing=[], order=[], undecoded=[])

    def test_each_answer_names_its_request_and_its_time(self) -> None:
        for name, fields in self.dissections.items():
            with self.subTest(name):
                self.assertEqual([len(values(fields, "request_in")), len(values(fields, "time"))], [7, 7])
