"""Tools/bench latency: the wait of one interactive push, alone and during a fan-out to all devices."""

from __future__ import annotations

import time

from common import (APP, CLIENT_CORE, PROGRAMS, SERVER_CORE, BenchFailed, Figures, Scale, Server, on_core,
                    own_simulator, percentile, run_program, send_bulk)

# The delay of the simulator in milliseconds, like the distance to APNs. It limits the rate of the fan-out, so that this
# does not take all of both cores: 8 connections of 1,000 streams make 40,000 pushes a second.
ANSWER_MS = 200


class Latency:
    """Milliseconds from the call of SEND until the simulator has the push. The server has one core, all other
    programs the other one."""

    name, unit = "latency", "milliseconds from SEND to the push at the simulator"
    ratios = {"p50_ratio": lambda round: round["busy_p50_ms"] / round["idle_p50_ms"],
              "p99_ratio": lambda round: round["busy_p99_ms"] / round["idle_p99_ms"]}

    def __init__(self, scale: Scale, _: object) -> None:
        self.shared, self.count, self.send_count = scale.shared, scale.devices, scale.send_count
        # As many streams as APNs allows; few in the short form, so that a fan-out to few devices lasts for a while.
        streams = 10 if scale.is_smoke else 1_000
        self.work = (f"{self.send_count} sends idle and busy; the bulk message to {self.count} devices, answers after "
                     f"{ANSWER_MS} ms, {streams} streams a connection")
        self.shared.register_all()
        self.simulator = own_simulator("--delay-milliseconds", str(ANSWER_MS), "--max-streams", str(streams))
        self.server = Server(self.shared.folder, cores=[CLIENT_CORE], apns_port=self.simulator.port)
        self.client = self.server.client()
        self.measurements = [self.idle, self.busy]

    def idle(self) -> Figures:
        return self.measure("idle")

    def busy(self) -> Figures:
        message = send_bulk(self.client, self.shared.topic(self.count))
        # Wait until all connections to the simulator are open.
        time.sleep(min(2.5, self.count / 20_000))
        before, cpu, began = self.delivered(message), self.server.cpu_seconds, time.monotonic()
        figures = self.measure("busy")
        seconds = time.monotonic() - began
        figures["bulk_per_second"] = (self.delivered(message) - before) / seconds
        figures["bulk_server_cores"] = (self.server.cpu_seconds - cpu) / seconds
        if self.client.message_status(APP, message)["state"] == "finished":
            raise BenchFailed("the bulk message was over before the sends were; give more --devices")
        self.client.update_message(APP, message, "cancel")
        while self.client.message_status(APP, message)["state"] != "finished":
            time.sleep(0.05)
        return figures

    def delivered(self, message: int) -> int:
        return self.client.message_status(APP, message)["outcomes"].get("delivered", 0)

    def measure(self, name: str) -> Figures:
        done = run_program(
            on_core(SERVER_CORE) + [
                f"{PROGRAMS}/carillon-bench", "latency", *self.server.access(), "--control-port",
                str(self.simulator.control_port), "--device", str(self.shared.single_device), "--count",
                                    str(self.send_count)],
            "carillon-bench latency")
        received, accepted = sorted(done["receivedMilliseconds"]), sorted(done["acceptedMilliseconds"])
        return {f"{name}_p50_ms": percentile(received, 50), f"{name}_p99_ms": percentile(received, 99),
                f"{name}_accepted_p50_ms": percentile(accepted, 50), f"{name}_accepted_p99_ms": percentile(accepted,
                                                                                                           99)}

    def close(self) -> None:
        self.client.close()
        self.server.stop()
        self.simulator.stop()
