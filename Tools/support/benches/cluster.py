"""Tools/bench cluster: three nodes on one PostgreSQL beside a single server, and beside a table of that PostgreSQL.

All programs share the cores of one machine, so CPU-seconds say more than the wall clock. Each of three nodes sends
about a third as fast as a server alone, so it does less at a time. Three servers without a cluster show how much that
costs. The programs share the caches of the machine, too. A single server that may have as many connections to APNs as
three nodes shows how much connections cost; a server opens another only while its event loops have time left. The
fan-outs of all take turns, because what the machine does in a second changes from minute to minute.

The CPU of PostgreSQL is a figure of its own (postgresql_cpu_us), and is in no ratio. The simulator of APNs keeps no
record of each push: to write it costs several times the CPU of a server, and would decide how fast the nodes send."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import List, Tuple

from common import APP, PAYLOAD, PROGRAMS, BenchFailed, Figures, Scale, percentile, process_cpu_seconds, run_program
from support.cluster.cluster import Cluster, Node, PostgreSQL
from support.cluster.replicated_postgresql import children

# The same number of connections for pgbench, and for the three nodes together.
CONNECTIONS, PIPELINED = 50, 64
TOPIC = "first/all"
# Deliveries a second of the message whose only sender is killed.
PACE = 500
# The most connections to APNs of the second single server: as many as three nodes may have by default.
MANY_CONNECTIONS = 24

# The usual way elsewhere: a row for each device, with the columns of a registration.
TABLE = """create table devices (token bytea primary key, app text not null, environment smallint not null,
    kind smallint not null, locale text, seen_at bigint not null)"""
INSERT = """\\set id random(1, {devices})
insert into devices values
(decode(lpad(to_hex(:id::bigint), 64, '0'), 'hex'), 'com.example.game', 1, 1, 'en-GB', :id::bigint)
on conflict (token) do update set seen_at = excluded.seen_at, locale = excluded.locale;
"""


class ClusterBench:
    """Registrations, fan-outs, sends to one, and a take-over."""

    # What is compared takes turns, because the speed of one machine changes from minute to minute.
    TURNS = 3
    FAN_OUTS = 7

    name, unit = "cluster", "registrations a second; microseconds of CPU a delivery; milliseconds to the push"
    rounds = 1
    ratios = {
        "ratio_pgbench": lambda round: round["registrations_per_second"] / round["pgbench_per_second"],
        "ratio_cpu": lambda round: round["cluster_cpu_us"] / round["single_cpu_us"],
        "ratio_cpu_equal_connections": lambda round: round["cluster_cpu_us"] / round["many_connections_cpu_us"],
        "ratio_cpu_three_servers": lambda round: round["cluster_cpu_us"] / round["three_servers_cpu_us"],
        "send_p50_more_ms": lambda round: max(1e-3, round["cluster_p50_ms"] - round["single_p50_ms"])}

    def __init__(self, scale: Scale, _: object) -> None:
        self.is_smoke, self.send_count = scale.is_smoke, scale.send_count
        self.count = 9_000 if scale.is_smoke else min(scale.devices, 1_000_000)
        self.requests = 3_000 if scale.is_smoke else 400_000
        self.seconds = 1 if scale.is_smoke else 5
        self.work = (f"{self.FAN_OUTS} turns of a fan-out to {self.count} devices; {self.TURNS} turns of "
                     f"{self.requests} registrations and pgbench for {self.seconds} s, {CONNECTIONS} connections each; "
                     f"{self.send_count} sends to one")
        self.database = PostgreSQL(is_durable=True)
        self.cluster = Cluster(
            "a", "b", "c", "single", "many", "first", "second", "third", database=self.database, records=False)
        self.nodes, self.separate_servers = self.cluster.nodes[:3], self.cluster.nodes[5:]
        self.single_server, self.many_connections_server = self.cluster.nodes[3:5]
        self.all_servers = [self.single_server, self.many_connections_server, *self.separate_servers]
        self.many_connections_server.flags = ["--apns-maximum-connections", str(MANY_CONNECTIONS)]
        self.simulator = self.cluster.deployment.simulator
        self.measurements = [self.measure_all]

    def access(self, node: Node) -> List[str]:
        """Returns the options that tell our programs where a node is."""
        return ["--port", str(node.port), "--api-key-file", str(self.cluster.deployment.api_key_file), "--app", APP]

    # What others do

    def psql(self, program: str, *words: str) -> str:
        """Runs a program of PostgreSQL on the log database; returns its output."""
        access = ["-h", "127.0.0.1", "-p", str(self.database.port), "-U", "owner"]
        return subprocess.run([self.database.programs / program, *access, *words], check=True, capture_output=True,
                              text=True).stdout

    def rows_per_second(self, script: Path) -> float:
        """Registrations a second as rows of a table of the same PostgreSQL."""
        printed = self.psql("pgbench", "-n", "-M", "prepared", "-f", str(script), "-c", str(CONNECTIONS), "-j", "2",
                            "-T", str(self.seconds), "postgres")
        found = [line for line in printed.splitlines() if line.startswith("tps = ")]
        return float(found[0].split()[2])

    def measure_registrations(self) -> Figures:
        """Registrations through all nodes and rows of a table, in turns."""
        self.psql("psql", "-d", "postgres", "-qc", TABLE)
        script = self.cluster.deployment.folder / "insert.sql"
        script.write_text(INSERT.format(devices=10_000_000))
        through_nodes, rows = [], []
        for turn in range(self.TURNS):
            rows.append(self.rows_per_second(script))
            through_nodes.append(self.registrations_per_second(2_000_000 + turn * self.requests))
        return {"registrations_per_second": statistics.median(through_nodes),
                "pgbench_per_second": statistics.median(rows)}

    # One server, three servers, and three nodes

    def measure_all(self) -> Figures:
        """Returns all figures. The take-over is the last, because it ends a node."""
        for node in self.nodes:
            node.start(waits=False)
        for node in self.nodes:
            node.wait_until_ready()
        figures = self.measure_fan_outs() | self.measure_registrations()
        figures |= {"single_p50_ms": self.latency_ms(self.single_server),
                    "cluster_p50_ms": self.latency_ms(self.nodes[1])}
        if any(server.terminate() != 0 for server in self.all_servers):
            raise BenchFailed("a single server did not end cleanly")
        figures["take_over_seconds"] = self.take_over_seconds()
        return figures

    def measure_fan_outs(self) -> Figures:
        """Returns the cost of a delivery, from single servers, three servers and three nodes in turn, and shares of
        the nodes.

        Each of the three servers has a third of the devices. All of them send at the same time."""
        third = self.count // len(self.separate_servers)
        for server in self.all_servers:
            server.start(in_cluster=False)
            self.register_all(server, third if server in self.separate_servers else self.count)
        self.register_all(self.nodes[0], self.count)
        turns = [self.measure_turn() for _ in range(1 + self.FAN_OUTS)]
        # The first turn opens the connections.
        return {name: statistics.median(turn[name] for turn in turns[1:]) for name in turns[0]}

    def measure_turn(self) -> Figures:
        """One fan-out of each; the figures by name."""
        third = self.count // len(self.separate_servers)
        single, _ = self.fan_out([self.single_server], [self.single_server], self.count)
        many, _ = self.fan_out([self.many_connections_server], [self.many_connections_server], self.count)
        three, _ = self.fan_out(self.separate_servers, self.separate_servers, third)
        delivered, database = [node.delivered() for node in self.nodes], self.database_cpu_seconds()
        cluster, seconds = self.fan_out(self.nodes[:1], self.nodes, self.count)
        shares = [node.delivered() - before for node, before in zip(self.nodes, delivered)]
        return {"single_cpu_us": single / self.count * 1e6,
                "many_connections_cpu_us": many / self.count * 1e6,
                "three_servers_cpu_us": three / third / len(self.separate_servers) * 1e6,
                "cluster_cpu_us": cluster / self.count * 1e6,
                "postgresql_cpu_us": (self.database_cpu_seconds() - database) / self.count * 1e6,
                "cluster_deliveries_per_second": self.count / seconds,
                "least_share_percent": max(1e-3, 100 * min(shares) / self.count)}

    def registrations_per_second(self, first: int) -> float:
        """Registrations a second through all nodes at once, each answered by the log, from a device on."""
        share = self.requests // len(self.nodes)

        def run(index: int) -> None:
            run_program(
                [f"{PROGRAMS}/carillon-bench", "requests", *self.access(self.nodes[index]), "--operation", "register",
                 "--count", str(share), "--first", str(first + index * share), "--connections", str(CONNECTIONS // 3),
                 "--pipelined", str(PIPELINED)], "registrations")
        began = time.monotonic()
        with ThreadPoolExecutor(len(self.nodes)) as pool:
            list(pool.map(run, range(len(self.nodes))))
        return share * len(self.nodes) / (time.monotonic() - began)

    def take_over_seconds(self) -> float:
        """Seconds without a push when the only sender of a message is killed."""
        chosen, other = self.nodes[0], self.nodes[1]
        with chosen.client() as client:
            message = client.send_to(APP, PAYLOAD, topic=TOPIC, lane="bulk", pace=PACE)["message_id"]
        accepted = self.simulator.stats()["accepted"]
        self.wait_for_pushes(accepted + PACE)
        chosen.kill()
        last, count = time.monotonic(), self.simulator.stats()["accepted"]
        end = last + 60
        longest = 0.0
        # The take-over is the longest gap: pushes that were on the wire come after the kill.
        while longest < 2 or self.simulator.stats()["accepted"] == count:
            now, seen = time.monotonic(), self.simulator.stats()["accepted"]
            if seen > count:
                longest, last, count = max(longest, now - last), now, seen
            if now > end:
                raise BenchFailed("no node has taken the message over")
            time.sleep(0.01)
        with other.client() as client:
            client.update_message(APP, message, "cancel")
        return longest

    # Parts

    def register_all(self, node: Node, count: int) -> None:
        """Registers the devices of a fan-out, and one more."""
        run_program(
            [f"{PROGRAMS}/carillon-bench", "requests", "--operation", "register-batch", *self.access(node),
             "--connections", "4", "--pipelined", "2", "--first", "0", "--count", str(count + 1), "--topic",
             f"{TOPIC}:{count}"], "registering devices")

    def fan_out(self, senders: List[Node], nodes: List[Node], count: int) -> Tuple[float, float]:
        """Sends to all devices of each of some nodes at once; returns CPU-seconds of the servers, and seconds."""
        self.simulator.ask("reset", timeout=60)
        before = sum(process_cpu_seconds(each.process.pid) for each in nodes)
        with ThreadPoolExecutor(len(senders)) as pool:
            seconds = max(pool.map(lambda sender: self.send_to_all(sender, count), senders))
        return sum(process_cpu_seconds(each.process.pid) for each in nodes) - before, seconds

    @staticmethod
    def send_to_all(node: Node, count: int) -> float:
        """Sends to all devices of a node; returns the seconds until each has an outcome."""
        with node.client() as client:
            message = client.send_to(APP, PAYLOAD, topic=TOPIC, lane="bulk")["message_id"]
            while True:
                status = client.message_status(APP, message)
                if status["state"] == "finished":
                    break
                time.sleep(0.05)
        if status["outcomes"] != {"delivered": count}:
            raise BenchFailed(f"not all of {count} devices have the message: {status}")
        return max(1, status["finished_at"] - status["accepted_at"]) / 1_000

    def latency_ms(self, node: Node) -> float:
        """Milliseconds from SEND at a node to the push at the simulator, the median."""
        done = run_program(
            [f"{PROGRAMS}/carillon-bench", "latency", *self.access(node), "--control-port",
             str(self.simulator.control_port), "--device", str(self.count), "--count", str(self.send_count)],
            "carillon-bench latency")
        return percentile(sorted(done["receivedMilliseconds"]), 50)

    def database_cpu_seconds(self) -> float:
        """CPU-seconds of PostgreSQL and its sessions so far, ended sessions included."""
        parent = self.database.process.pid
        ended = sum(map(int, Path(f"/proc/{parent}/stat").read_text().rpartition(")")[2].split()[13:15]))
        return ended / os.sysconf("SC_CLK_TCK") + sum(process_cpu_seconds(each) for each in [parent, *children(parent)])

    def wait_for_pushes(self, count: int) -> None:
        """Waits until the simulator has accepted this number of pushes."""
        end = time.monotonic() + 60
        while self.simulator.stats()["accepted"] < count:
            if time.monotonic() > end:
                raise BenchFailed("pushes do not come")
            time.sleep(0.01)

    def close(self) -> None:
        """Ends everything."""
        self.cluster.__exit__()
