"""Parts that the proofs share: timed phases, the peak of memory, reports."""
from __future__ import annotations

import os
import threading
import time
from typing import Any, List

from support.deployment import Deployment
from support.environment import ROOT


class Heap:
    """Samples the server's memory without pages of files, and keeps the peak in bytes."""

    def __init__(self, deployment: Deployment) -> None:
        self.deployment = deployment
        self.peak = 0
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._sample, daemon=True)

    def __enter__(self) -> Heap:
        self.thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self.ended.set()
        self.thread.join()

    def _sample(self) -> None:
        while True:
            self.peak = max(self.peak, self.deployment.heap_bytes)
            if self.ended.wait(0.2):
                return


def seed(default: int) -> int:
    """Returns the seed of a run: the environment variable CARILLON_SEED, or a default. Each proof prints it."""
    return int(os.environ.get("CARILLON_SEED") or default)


class Phases:
    """Prints each phase with its duration."""

    def __init__(self) -> None:
        self.began = time.monotonic()

    def done(self, what: str) -> None:
        """Prints the phase that has ended."""
        now = time.monotonic()
        print(f"{now - self.began:7.1f} s  {what}", flush=True)
        self.began = now


def unrecorded_limit() -> int:
    """Returns the bound on duplicates after one kill of the server, from the source of the delivery engine: pushes in
    flight, and pushes that APNs took and that are not on disk."""
    source = (ROOT / "Sources" / "Delivery" / "CarillonDelivery" / "Engine" / "DeliveryEngine.swift").read_text()
    return int(source.partition("package var unrecordedDeliveries = ")[2].partition("\n")[0])


def report(what: str, wrong: List[str]) -> int:
    """Prints the first ten problems and returns the number of all."""
    for each in wrong[:10]:
        print(f"{what}: {each}")
    return len(wrong)
