"""The parts that the proofs share."""
from __future__ import annotations

import unittest

from proofs.parts.proof import unrecorded_limit


class ProofTests(unittest.TestCase):
    def test_the_source_of_the_delivery_engine_has_the_limit(self) -> None:
        self.assertGreater(unrecorded_limit(), 0)


if __name__ == "__main__":
    unittest.main()
