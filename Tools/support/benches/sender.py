"""Tools/bench sender: the connection pool alone, without a server."""

import json
import subprocess

from common import (APNS_PORT, APP, CLIENT_CORE, KEY_ID, PAYLOAD, PROGRAMS, TEAM, DEPLOYMENT, BenchFailed,
                    expect_accepted,
                    on_core, simulator_says)


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
        simulator_says("reset")
        done = subprocess.run(
            on_core(CLIENT_CORE) + [
                f"{PROGRAMS}/carillon-bench", "sender", "--port", str(APNS_PORT), "--authorities",
                f"{DEPLOYMENT}/authority.pem", "--key", f"{DEPLOYMENT}/AuthKey.p8", "--team", TEAM, "--key-id", KEY_ID,
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
