"""The checker of register histories refuses what cannot be explained. It has no server."""
from __future__ import annotations

import unittest

from proofs.parts.register_histories import History


class RegisterHistoriesTests(unittest.TestCase):
    """Hand-made histories with a bound of one second."""

    def setUp(self) -> None:
        self.history = History(1.0)
        for value, began, answered in (("a", 10.0, 11.0), ("b", 20.0, 21.0)):
            self.history.begin(value, began).answered = answered

    def read(self, value: object, at: float, node: str = "x") -> None:
        """A read that takes a tenth of a second."""
        self.history.read(value, node, at, at + 0.1)  # type: ignore[arg-type]

    def test_a_value_that_was_there_at_its_time_fits(self) -> None:
        for value, at in ((None, 5), (None, 10.5), ("a", 10.5), ("a", 15), ("a", 20.5), ("b", 20.5), ("a", 21.5),
                          ("b", 30)):
            self.read(value, at, node=f"{value}{at}")
        self.assertEqual(self.history.wrong(), [])

    def test_a_lost_write_is_found(self) -> None:
        self.read("a", 22.5)
        self.assertEqual(len(self.history.wrong()), 1)

    def test_a_value_from_the_future_is_found(self) -> None:
        self.read("b", 19)
        self.assertEqual(len(self.history.wrong()), 1)

    def test_a_node_that_goes_back_is_found(self) -> None:
        self.read("b", 21.2)
        self.read("a", 21.4)
        self.assertEqual(len(self.history.wrong()), 1)

    def test_a_write_without_an_answer_may_come_late_or_never(self) -> None:
        self.history.begin("c", 40)
        for value, at in (("b", 60), ("c", 70)):
            self.read(value, at, node=value)
        self.assertEqual(self.history.wrong(), [])
        self.assertEqual(self.history.final(), ["b", "c"])

    def test_a_refused_write_was_never_there(self) -> None:
        self.history.refused(self.history.begin("c", 40))
        self.read("c", 50)
        self.assertEqual(len(self.history.wrong()), 1)


if __name__ == "__main__":
    unittest.main()
