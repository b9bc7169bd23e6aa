"""Tools/bench fanout and scaling: the whole server, from a topic in its database to outcomes on the disk."""

from __future__ import annotations


from common import (CLIENT_CORE, CORES, SERVER_CORE, Figures, MeasuredFanout, Scale, Server, crln, expect_accepted,
                    label, pin, process_cpu_seconds, reset_simulator, simulator_process)
from h2load import H2Load


def deliver(server: Server, client: crln.Client, topic: str, count: int) -> MeasuredFanout:
    """Sends to a topic and returns the cost; each device must have the message."""
    reset_simulator()
    fanout = MeasuredFanout(server, client, topic, count)
    expect_accepted(count)
    return fanout


class Fanout:
    """Deliveries per CPU-second of the server, with all its work for them, and of h2load."""

    name, unit = "fanout", "deliveries per CPU-second of the sender"
    ratios = {"ratio_h2load": lambda round: round["deliveries_per_cpu_second"] / round["h2load_per_cpu_second"]}

    def __init__(self, scale: Scale, h2load: H2Load) -> None:
        self.shared, self.h2load, self.pushes = scale.shared, h2load, scale.pushes
        self.count = scale.devices
        self.work = f"a topic of {self.count} devices; {self.pushes} pushes of h2load"
        self.shared.register_all()
        self.server = Server(self.shared.folder, cores=[CLIENT_CORE])
        self.client = self.server.client()
        # Connections to the simulator are opened one by one.
        self.fan_out()
        self.measurements = [self.fan_out, self.reference]

    def fan_out(self) -> Figures:
        fanout = deliver(self.server, self.client, self.shared.topic(self.count), self.count)
        return {"deliveries_per_cpu_second": self.count / fanout.cpu_seconds,
                "deliveries_per_second": self.count / fanout.seconds}

    def reference(self) -> Figures:
        return {"h2load_per_cpu_second": self.h2load.pushes_per_cpu_second(self.pushes)}

    def close(self) -> None:
        self.client.close()
        self.server.stop()


class Scaling:
    """The cost of a recipient with ten times as many recipients, and the gain of a second core."""

    name, unit = "scaling", "microseconds of CPU a delivery of the server; deliveries a second of the wall clock"

    def __init__(self, scale: Scale, _: object) -> None:
        self.shared = scale.shared
        self.shared.register_all()
        self.count = self.shared.sizes[-1]
        # Enough to open all connections.
        self.warm_up = self.shared.sizes[max(0, len(self.shared.sizes) - 2)]
        self.work = "topics of " + ", ".join(str(size) for size in self.shared.sizes)
        self.measurements = [self.sizes, self.cores]
        self.ratios = {
            "ratio_largest_to_smallest": lambda round: round[f"cpu_us_{label(self.shared.sizes[-1])}"]
            / round[f"cpu_us_{label(self.shared.sizes[0])}"],
            "ratio_two_cores": lambda round: round["two_cores_per_second"] / round["one_core_per_second"]}

    def sizes(self) -> Figures:
        figures = {}
        with Server(self.shared.folder, cores=[CLIENT_CORE]) as server, server.client() as client:
            deliver(server, client, self.shared.topic(self.warm_up), self.warm_up)
            for size in self.shared.sizes:
                # Small fan-outs are repeated, so that the work of timers does not count much.
                times = max(1, 100_000 // size)
                fanouts = [deliver(server, client, self.shared.topic(size), size) for _ in range(times)]
                figures[f"cpu_us_{label(size)}"] = sum(each.cpu_seconds for each in fanouts) / (size * times) * 1e6
        return figures

    def cores(self) -> Figures:
        """Runs server and simulator together on one core, then together on two."""
        figures = {}
        for name, cores in (("one_core", CORES[:1]), ("two_cores", CORES[:2])):
            pin(simulator_process(), *cores)
            with Server(self.shared.folder, cores=cores) as server, server.client() as client:
                deliver(server, client, self.shared.topic(self.warm_up), self.warm_up)
                before = process_cpu_seconds(simulator_process())
                fanout = deliver(server, client, self.shared.topic(self.count), self.count)
                simulator_cpu_seconds = process_cpu_seconds(simulator_process()) - before
                figures |= {f"{name}_per_second": self.count / fanout.seconds,
                            f"{name}_server_cpu_us": fanout.cpu_seconds / self.count * 1e6,
                            f"{name}_simulator_cpu_us": simulator_cpu_seconds / self.count * 1e6}
        pin(simulator_process(), SERVER_CORE)
        return figures
