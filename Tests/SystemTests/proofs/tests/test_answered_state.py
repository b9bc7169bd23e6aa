"""The judge of Tools/prove powercut: what must be there after a power cut, and what may be."""
from __future__ import annotations

import unittest
from typing import List

from proofs.parts.power_cuts.answered_state import GONE, History, Item, Judge, Recovered, Step

FIRST, SECOND = "1\tde\t0\t\t", "1\tde\t0\ttopic/1\t"


def step(item: Item, state: str, asked: int, answered: int) -> Step:
    """Returns a state that was asked for and answered by these calls."""
    made = item.ask(state, asked)
    made.answered = answered
    return made


class AnsweredStateTests(unittest.TestCase):
    def setUp(self) -> None:
        self.history = History()
        device = self.history.devices["aa"] = Item()
        device.id = 7
        step(device, FIRST, 10, 20)
        step(device, SECOND, 30, 40)
        step(device, GONE, 50, 60)

    def losses(self, call: int, *lines: str) -> List[str]:
        """Returns what a directory with these lines has lost in a power cut after a call."""
        return Judge(self.history).losses(call, Recovered(lines))

    def test_the_answered_state_or_a_later_one_that_was_asked_for_is_allowed(self) -> None:
        first, second, gone = f"device\taa\t7\t{FIRST}", f"device\taa\t7\t{SECOND}", "tombstone\taa"
        for call, allowed in ((5, [None]), (10, [None, first]), (20, [first]), (35, [first, second]), (40, [second]),
                              (55, [second, gone]), (60, [gone])):
            for line in (None, first, second, gone):
                with self.subTest(call=call, line=line):
                    lines = [line] if line else []
                    self.assertEqual(self.losses(call, *lines) == [], line in allowed)

    def test_a_device_under_another_id_is_a_loss(self) -> None:
        self.assertEqual(len(self.losses(20, f"device\taa\t8\t{FIRST}")), 1)

    def test_a_device_that_was_not_asked_for_is_a_loss(self) -> None:
        self.assertEqual(len(self.losses(60, "tombstone\taa", f"device\tbb\t8\t{FIRST}")), 1)

    def test_a_request_without_an_answer_may_have_taken_effect(self) -> None:
        self.history.devices["aa"].ask("1\tde\t1\t\t", 70)
        for call, count in ((60, 1), (70, 0)):
            self.assertEqual(len(self.losses(call, "device\taa\t7\t1\tde\t1\t\t")), count)

    def test_a_refused_start_loses_everything_that_was_answered(self) -> None:
        self.assertEqual(self.losses(19, "refused\tno"), [])
        self.assertEqual(self.losses(20, "refused\tno"), ["refused: no"])

    def test_each_missing_part_of_a_message_is_a_loss(self) -> None:
        told = Step("", 0)
        told.answered = 100
        self.history.messages[5] = ({1, 2}, told)
        self.history.cancelled.append((told, 5))
        self.history.outcomes.append((told, 5, 1, 3))
        self.history.receipts.append((told, 5, 1, 2))
        self.history.acknowledged["s"] = [(told, 9)]
        self.history.events.append((told, 11))
        whole = ["tombstone\taa", "message\t5\t2\t2\t1=3,2=0", "receipts\t5\t2\t1", "subscriber\ts\t9", "event\t11"]
        self.assertEqual(self.losses(100, *whole), [])
        self.assertEqual(self.losses(99, whole[0]), [])
        for index, other in ((1, None), (1, "message\t5\t4\t2\t1=3,2=0"), (1, "message\t5\t2\t2\t1=0,2=0"),
                             (1, "message\t5\t2\t1\t1=3"), (2, None),
                             (2, "receipts\t5\t1\t1"), (3, "subscriber\ts\t8"), (4, "event\t10")):
            with self.subTest(other):
                lines = whole[:index] + ([other] if other else []) + whole[index + 1:]
                self.assertNotEqual(self.losses(100, *lines), [])

    def test_a_finding_is_a_loss(self) -> None:
        self.assertEqual(len(self.losses(60, "tombstone\taa", "finding\tcountsDiffer(1)")), 1)


if __name__ == "__main__":
    unittest.main()
