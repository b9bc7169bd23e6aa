"""Tools/bench start: the time until the server answers again after it was killed during a fan-out."""

from __future__ import annotations

import os
import time

from common import APP, BenchFailed, Figures, Scale, Server, file_path, send_bulk


class Start:
    """Seconds from exec to the first answer, with an unfinished message; with the database in memory and without."""

    name, unit = "start", "seconds from exec to the first answer"
    ratios = {}

    def __init__(self, scale: Scale, _: object) -> None:
        self.shared = scale.shared
        self.shared.register_all()
        self.count = min(self.shared.devices, 1_000_000)
        self.work = f"{self.shared.devices} devices, a message to {self.count} of them unfinished"
        # So slow that the fan-out does not end during the measurement.
        with Server(self.shared.folder) as server, server.client() as client:
            self.message = send_bulk(client, self.shared.topic(self.count), pace=max(100, self.count // 60))
            while client.message_status(APP, self.message)["outcomes"].get("delivered", 0) < self.count // 20:
                time.sleep(0.1)
            server.kill()
        self.measurements = [self.warm, self.cold]

    def warm(self) -> Figures:
        return {"seconds": self.start()}

    def cold(self) -> Figures:
        with open(file_path(f"{self.shared.folder}/data.mdb"), "rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        return {"cold_seconds": self.start()}

    def start(self) -> float:
        began = time.monotonic()
        server = Server(self.shared.folder)
        client = server.client()
        client.lookup(APP, 1)
        seconds = time.monotonic() - began
        status = client.message_status(APP, self.message)
        client.close()
        server.kill()
        if status["state"] == "finished" or status["total"] != self.count:
            raise BenchFailed(f"the message should be unfinished: {status}")
        return seconds

    def close(self) -> None:
        # The next bench sends alone.
        with Server(self.shared.folder) as server, server.client() as client:
            client.update_message(APP, self.message, "cancel")
            while client.message_status(APP, self.message)["state"] != "finished":
                time.sleep(0.05)
