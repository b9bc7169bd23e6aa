"""Tools/bench start: how soon the server serves again after it died in the middle of a message."""

import os
import time

from common import APP, DEPLOYMENT, BenchFailed, Server, send_bulk


class Start:
    """Seconds from exec until a client has an answer, with an unfinished message; the database in memory, and not."""

    name, unit = "start", "seconds from exec to the first answer"
    ratios = {}

    def __init__(self, scale, _):
        self.crowd = scale.crowd
        self.crowd.gather()
        self.count = min(self.crowd.devices, 1_000_000)
        self.work = f"{self.crowd.devices} devices, a message to {self.count} of them unfinished"
        # So slow that it does not end while this is measured.
        with Server(self.crowd.folder) as server, server.client() as client:
            self.message = send_bulk(client, self.crowd.topic(self.count), pace=max(100, self.count // 60))
            while client.message_status(APP, self.message)["outcomes"].get("delivered", 0) < self.count // 20:
                time.sleep(0.1)
            server.kill()
        self.sides = [self.warm, self.cold]

    def warm(self):
        return {"seconds": self.start()}

    def cold(self):
        with open(f"{DEPLOYMENT}/{self.crowd.folder}/data.mdb", "rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        return {"cold_seconds": self.start()}

    def start(self):
        began = time.monotonic()
        server = Server(self.crowd.folder)
        client = server.client()
        client.lookup(APP, 1)
        seconds = time.monotonic() - began
        status = client.message_status(APP, self.message)
        client.close()
        server.kill()
        if status["state"] == "finished" or status["total"] != self.count:
            raise BenchFailed(f"the message should be unfinished: {status}")
        return seconds

    def close(self):
        # Whoever comes next sends alone.
        with Server(self.crowd.folder) as server, server.client() as client:
            client.steer(APP, self.message, "cancel")
            while client.message_status(APP, self.message)["state"] != "finished":
                time.sleep(0.05)
