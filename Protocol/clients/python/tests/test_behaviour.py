"""All behaviour vectors with both clients."""
from __future__ import annotations

import unittest

from . import behaviour

# A change of the vectors changes this number: none is left out in silence.
COUNT = 125
# What a program cannot write in Python: no audience, and an option that does not exist, are TypeErrors.
SKIPPED = {"audience-is-missing": 1, "unknown-options": 1}


class BehaviourTests(unittest.TestCase):
    def test_the_blocking_client_behaves_as_the_vectors_say(self) -> None:
        self.check("blocking")

    def test_the_asyncio_client_behaves_as_the_vectors_say(self) -> None:
        self.check("asyncio")

    def check(self, driver: str) -> None:
        self.assertEqual(len(behaviour.ALL), COUNT)
        for name, (problems, skipped) in behaviour.play_all(list(behaviour.ALL), driver).items():
            with self.subTest(name):
                self.assertEqual(problems, [])
                self.assertEqual(skipped, SKIPPED.get(name, 0))


if __name__ == "__main__":
    unittest.main()
