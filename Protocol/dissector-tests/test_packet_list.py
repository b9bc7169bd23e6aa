"""The lines of the list of packets, and the tree of a packet."""
from __future__ import annotations

import unittest

import tshark
from captures import capture_frames, capture_session
from example_frames import EVENT_FRAMES, EVENT_LINES, GROUP_FRAMES, GROUP_LINES
from frames import SECRET


class PacketListTests(unittest.TestCase):
    """The line of a packet says what its frame is about."""

    def test_a_frame_has_a_line_with_its_main_fields(self) -> None:
        lines = tshark.info_lines(capture_session())
        self.assertEqual([lines[index] for index in (0, 6, 7, 9, 11, 12)], [
            "Client preface, versions 1 to 1",
            "REGISTER request id 3: com.example.game, token 00010203…, replaces 07070707…",
            "REGISTER_BATCH request id 4: 2 items",
            "REGISTER answer id 3: device_id 41, created",
            "UNREGISTER error id 5: NOT_FOUND, request, no such device, field device",
            "SEND request id 6: com.example.game, alert, the devices that follow, 2 devices",
        ])

    def test_updates_events_receipts_and_traces_have_lines(self) -> None:
        self.assertEqual(tshark.info_lines(capture_frames(EVENT_FRAMES)), EVENT_LINES)

    def test_groups_and_topics_have_lines(self) -> None:
        self.assertEqual(tshark.info_lines(capture_frames(GROUP_FRAMES)), GROUP_LINES)

    def test_frames_that_share_a_packet_share_its_line(self) -> None:
        self.assertEqual(tshark.info_lines(capture_session(is_joined=True))[0],
                         "Client preface, versions 1 to 1 | HELLO request id 1: py/1.0")


class PacketTreeTests(unittest.TestCase):
    """The tree of a packet."""

    def test_a_credential_is_not_shown_but_its_length_is(self) -> None:
        tree = tshark.read(capture_session(), "-V", "-Y", "carillon")
        self.assertNotIn(SECRET.decode(), tree)
        self.assertIn(f"credential: {len(SECRET)} bytes, not shown", tree)

    def test_a_result_of_a_batch_has_its_name(self) -> None:
        self.assertIn("code: done (0)", tshark.read(capture_session(), "-V", "-Y", "carillon"))

    def test_a_request_names_its_answer_in_the_second_pass(self) -> None:
        packets = tshark.dissect(capture_session(), "-2")
        answers = [packet["carillon.answer_in"] for packet in packets if "carillon.answer_in" in packet]
        # The prefaces and HELLO come before.
        self.assertEqual(answers[0], packets[3]["frame.number"])


if __name__ == "__main__":
    unittest.main()
