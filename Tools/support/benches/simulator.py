"""Tools/bench simulator: the simulator of APNs itself."""

from __future__ import annotations

from typing import List, Optional

from common import (Figures, Scale, expect_accepted, file_path, process_cpu_seconds, reset_simulator,
                    simulator_process, start_nghttpd)
from h2load import H2Load


class Simulator:
    """Requests per CPU-second of the server process: the simulator, and nghttpd with a small static file.

    nghttpd gets the simplest requests (GET without headers), and requests with the headers and the body of a push,
    but always for one path: it serves only existing files.
    """

    name, unit = "simulator", "requests per CPU-second of the server"
    ratios = {
        "ratio_nghttpd": lambda round: round["per_cpu_second"] / round["nghttpd_per_cpu_second"],
        "ratio_nghttpd_push": lambda round: round["per_cpu_second"] / round["nghttpd_push_per_cpu_second"]}

    file = "3/device/" + "0" * 64

    def __init__(self, scale: Scale, h2load: H2Load) -> None:
        self.count, self.h2load = scale.pushes, h2load
        self.work = f"{self.count} pushes a run"
        self.nghttpd = None
        self.measurements = [self.simulator, self.plain, self.like_a_push]

    def simulator(self) -> Figures:
        reset_simulator()
        figure = self.served(simulator_process(), ["-i", file_path("devices.txt")])
        expect_accepted(self.count)
        return {"per_cpu_second": figure}

    def plain(self) -> Figures:
        return {"nghttpd_per_cpu_second": self.reference("small", request=[])}

    def like_a_push(self) -> Figures:
        return {"nghttpd_push_per_cpu_second": self.reference(self.file, request=None)}

    def reference(self, path: str, request: Optional[List[str]]) -> float:
        if self.nghttpd is None:
            # The same streams and windows as the simulator announces.
            self.nghttpd, self.port = start_nghttpd("files", {"small": "{}\n", self.file: "{}\n"}, streams=1000)
        return self.served(self.nghttpd.pid, [f"https://localhost:{self.port}/{path}"], request)

    def served(self, server: int, addresses: List[str], request: Optional[List[str]] = None) -> float:
        before = process_cpu_seconds(server)
        self.h2load.run(self.count, connections=1, streams=1000, addresses=addresses, request=request)
        return self.count / (process_cpu_seconds(server) - before)

    def close(self) -> None:
        if self.nghttpd is not None:
            self.nghttpd.terminate()
            self.nghttpd.wait()
