"""Tools/bench simulator: the simulator of APNs itself."""

import os
import socket
import subprocess
import time

from common import (SERVER_CORE, BenchFailed, expect_accepted, file_path, free_port, pin, process_cpu, reset_simulator,
                    simulator_process)


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

    def __init__(self, scale, h2load):
        self.count, self.h2load = scale.pushes, h2load
        self.work = f"{self.count} pushes a run"
        self.nghttpd = None
        self.sides = [self.simulator, self.plain, self.like_a_push]

    def simulator(self):
        reset_simulator()
        figure = self.served(simulator_process(), ["-i", file_path("devices.txt")])
        expect_accepted(self.count)
        return {"per_cpu_second": figure}

    def plain(self):
        return {"nghttpd_per_cpu_second": self.yardstick("small", request=[])}

    def like_a_push(self):
        return {"nghttpd_push_per_cpu_second": self.yardstick(self.file, request=None)}

    def yardstick(self, path, request):
        if self.nghttpd is None:
            self.start_nghttpd()
        return self.served(self.nghttpd.pid, [f"https://localhost:{self.port}/{path}"], request)

    def served(self, server, addresses, request=None):
        before = process_cpu(server)
        self.h2load.run(self.count, 1, 1000, addresses, request)
        return self.count / (process_cpu(server) - before)

    def start_nghttpd(self):
        os.makedirs(file_path("files/3/device"))
        for path in ("small", self.file):
            with open(file_path(f"files/{path}"), "w", encoding="ascii") as file:
                file.write("{}\n")
        self.port = free_port()
        # The same streams and windows as the simulator announces.
        self.nghttpd = subprocess.Popen(
            ["nghttpd", "-a", "127.0.0.1", "-d", file_path("files"), "-m", "1000", "-W", "24", str(self.port),
             file_path("apns.key"), file_path("apns.pem")],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                break
            except OSError:
                time.sleep(0.05)
        else:
            raise BenchFailed("nghttpd does not listen")
        pin(self.nghttpd.pid, SERVER_CORE)

    def close(self):
        if self.nghttpd is not None:
            self.nghttpd.terminate()
            self.nghttpd.wait()
