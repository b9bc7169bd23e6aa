"""Tools/bench sender: the connection pool alone, without a server."""

import json
import subprocess

from common import (APP, CLIENT_CORE, KEY_ID, PAYLOAD, PROGRAMS, TEAM, BenchFailed, deployment, expect_accepted,
                    file_path, on_core, reset_simulator)


class Sender:
    """Deliveries per CPU-second of the sending process: our pool, and two configurations of h2load."""

    name, unit = "sender", "deliveries per CPU-second of the sender"
    ratios = {
        "ratio_h2load": lambda round: round["deliveries_per_cpu_second"] / round["h2load_per_cpu_second"]}
    warm_up = 2_000

    def __init__(self, scale, h2load):
        self.count, self.h2load = scale.pushes, h2load
        self.work = f"{self.count} pushes a run"
        self.sides = [self.carillon, self.yardstick]

    def carillon(self):
        reset_simulator()
        done = subprocess.run(
            on_core(CLIENT_CORE) + [
                f"{PROGRAMS}/carillon-bench", "sender", "--port", str(deployment().simulator.port), "--authorities",
                file_path("authority.pem"), "--key", file_path("AuthKey.p8"), "--team", TEAM, "--key-id", KEY_ID,
                                    "--app", APP,
                "--payload-bytes", str(len(PAYLOAD)), "--count", str(self.count), "--warm-up", str(self.warm_up)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
        )
        if done.returncode != 0:
            raise BenchFailed(f"carillon-bench failed:\n{done.stdout[-1000:]}")
        expect_accepted(self.count + self.warm_up)
        return {"deliveries_per_cpu_second": json.loads(done.stdout.splitlines()[-1])["per_cpu_second"]}

    def yardstick(self):
        return {"h2load_per_cpu_second": self.h2load.pushes_per_cpu_second(self.count)}
