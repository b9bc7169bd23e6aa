"""Names and statistics of measured values, for the proofs and the benches."""
from __future__ import annotations

from typing import List


def label(count: int) -> str:
    """Returns a number as names of results have it: 10k, 1m."""
    for size, unit in ((1_000_000, "m"), (1_000, "k")):
        if count >= size and count % size == 0:
            return f"{count // size}{unit}"
    return str(count)


def percentile(values: List[float], percent: int) -> float:
    """Returns the value that at least `percent` per cent of the values do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]
