"""Tools/bench memory: the server's memory during fan-outs to few and to many devices."""

from __future__ import annotations

import threading

from common import Figures, MeasuredFanout, Scale, Server, expect_accepted, label, reset_simulator


class Memory:
    """The peak of the heap of a new server during one message: anonymous memory, without pages of files."""

    name, unit = "memory", "MiB of heap at most while a message is sent"
    ratios = {}

    def __init__(self, scale: Scale, _: object) -> None:
        self.shared = scale.shared
        self.shared.register_all()
        self.work = "a message to " + ", ".join(str(size) for size in self.shared.sizes)
        self.measurements = [self.peaks]

    def peaks(self) -> Figures:
        figures = {}
        for size in self.shared.sizes:
            with Server(self.shared.folder) as server, server.client() as client:
                figures["heap_mib_idle"] = server.heap_bytes / 2**20
                reset_simulator()
                with HeapPeak(server) as heap:
                    MeasuredFanout(server, client, self.shared.topic(size), size)
                expect_accepted(size)
                figures[f"heap_mib_{label(size)}"] = heap.peak_bytes / 2**20
        return figures


class HeapPeak:
    """Samples the heap of a server, and keeps the peak."""

    def __init__(self, server: Server) -> None:
        self.server, self.peak_bytes = server, 0
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._sample, daemon=True)

    def _sample(self) -> None:
        while not self.ended.wait(0.05):
            self.peak_bytes = max(self.peak_bytes, self.server.heap_bytes)

    def __enter__(self) -> HeapPeak:
        self.peak_bytes = self.server.heap_bytes
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self.thread.join()
        self.peak_bytes = max(self.peak_bytes, self.server.heap_bytes)
