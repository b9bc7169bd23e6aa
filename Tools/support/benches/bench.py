"""The measuring part of Tools/bench: rounds of Carillon and a reference program, in alternation.

The reference program runs in the same minutes on the same cores, so a ratio is valid on a noisy machine where an
absolute figure is not. Tools/bench builds and starts this program.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import signal
import statistics
import subprocess
import sys
from typing import Any, Dict, List, Tuple

import audience
from clients import Clients
from cluster import ClusterBench
from common import PROGRAMS, SERVER_CORE, BenchFailed, Figures, Scale, deployment, pin, simulator_process
from console import Console
from fanout import Fanout, Scaling
from h2load import H2Load, write_requests
from latency import Latency
from memory import Memory
from mixed import Mixed
from protocol import Ingest, Lookups
from sender import Sender, SenderFCM, SenderWeb
from simulator import Simulator
from start import Start

BENCHES = {bench.name: bench for bench in
           (Sender, SenderFCM, SenderWeb, Simulator, Fanout, Ingest, Mixed, Lookups, Clients, Latency, Memory, Start,
            Scaling, ClusterBench, Console)}

# The goals for some results: least and most. A result without a unit is a ratio.
GOALS = {
    "sender.ratio_h2load": (1.2, math.inf),
    "sender-fcm.ratio_h2load": (1.2, math.inf),
    "fanout.ratio_h2load": (0.8, math.inf),
    "ingest.ratio_redis": (0.4, math.inf),
    "mixed.lookups_cost": (0.85, math.inf),
    "mixed.everything": (0.6, math.inf),
    "mixed.ratio_redis": (0.45, math.inf),
    "mixed.lookups_p99_ms": (0, 10),
    "mixed.send_p99_ratio": (0, 3),
    "mixed.rss_mib": (0, 128),
    "rpc.ratio_redis": (0.5, math.inf),
    "clients.ratio_swift": (0.5, math.inf),
    "clients.ratio_go": (1.0, math.inf),
    "clients.ratio_node": (1.0, math.inf),
    "clients.ratio_python": (1.0, math.inf),
    "clients.sends_go": (1.0, math.inf),
    "clients.paced_node": (1.0, math.inf),
    "clients.paced_python": (1.0, math.inf),
    "clients.mixed_go": (1.0, math.inf),
    "clients.mixed_node": (1.0, math.inf),
    "clients.mixed_python": (1.0, math.inf),
    "audience.import_per_second": (50_000, math.inf),
    "audience.count_ms": (0, 20),
    "audience.first_delivery_ms": (0, 20),
    "audience.bytes_per_subscription_dense": (0, 0.5),
    "latency.p99_ratio": (0, 2),
    "memory.heap_mib_10m": (0, 64),
    "start.seconds": (0, 1),
    "scaling.ratio_two_cores": (1.7, math.inf),
    "cluster.ratio_pgbench": (4, math.inf),
    "cluster.ratio_cpu": (0, 1.15),
    "cluster.send_p50_more_ms": (0, 8),
    "cluster.take_over_seconds": (0, 10),
    "cluster.least_share_percent": (20, 100),
    "console.ratio_open": (0.98, math.inf),
    "console.page_p95_ms": (0, 200),
    "console.poll_percent_overview": (0, 1),
    "console.poll_percent_messages": (0, 1),
}


def first_line_of(command: List[str]) -> str:
    """Returns the first line that a command prints."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    return (done.stdout.splitlines() or ["?"])[0].strip()


def machine() -> Dict[str, Any]:
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
        models = re.findall(r"^model name\s*:\s*(.+)$", file.read(), re.MULTILINE)
    return {
        "processors": os.cpu_count(),
        "cpu": models[0] if models else "unknown",
        "kernel": os.uname().release,
        "load": os.getloadavg()[0],
        "swift": first_line_of(["swift", "--version"]),
        "openssl": first_line_of(["openssl", "version"]),
        "h2load": first_line_of(["h2load", "--version"]),
        "nghttpd": first_line_of(["nghttpd", "--version"]),
        "redis": first_line_of(["redis-server", "--version"]),
        "programs": PROGRAMS.name,
    }


def measure(bench: Any, rounds: int) -> Dict[str, List[float]]:
    """Returns all figures by name, with one value a round; the first measurement alternates."""
    figures = {}
    for number in range(rounds):
        found = {}
        for measurement in bench.measurements if number % 2 == 0 else reversed(bench.measurements):
            found |= measurement()
        for name, ratio in bench.ratios.items():
            found[name] = ratio(found)
        for name, value in found.items():
            if not 0 < value < math.inf:
                raise BenchFailed(f"{bench.name}.{name} cannot be {value}")
            figures.setdefault(name, []).append(value)
    return figures


def text(value: float) -> str:
    """Returns a figure with three decimals if it is less than 10, with one if it is less than 1,000."""
    return f"{value:.3f}" if value < 10 else f"{value:.1f}" if value < 1_000 else f"{value:.0f}"


def show(bench: Any, figures: Dict[str, List[float]], rounds: int) -> None:
    print(f"\n{bench.name}: {bench.unit}; {bench.work}; rounds: {rounds}")
    print(f"  {'':<34}{'median':>12}{'least':>12}{'most':>12}")
    for name, values in figures.items():
        columns = (text(value) for value in (statistics.median(values), min(values), max(values)))
        print(f"  {name:<34}" + "".join(f"{column:>12}" for column in columns))
    sys.stdout.flush()


def show_all(results: Figures) -> None:
    """Prints the goals and the results."""
    print(f"\n{'':<38}{'is':>12}  goal")
    for name, (least, most) in GOALS.items():
        if name not in results:
            continue
        value = results[name]
        goal = f"at least {least}" if most == math.inf else f"at most {most}"
        print(f"  {name:<36}{text(value):>12}  {goal}{'' if least <= value <= most else ': missed'}")


def run(name: str, scale: Scale, h2load: H2Load, as_json: bool) -> Tuple[Dict[str, Any], Figures]:
    """Runs one bench; returns a report, and its results by name."""
    if name == "audience":
        report = audience.run(scale.audience, scale.is_smoke)
        if not as_json:
            audience.show(report)
        return report, audience.results(report)
    bench = BENCHES[name](scale, h2load)
    rounds = getattr(bench, "rounds", scale.rounds)
    try:
        figures = measure(bench, rounds)
    finally:
        getattr(bench, "close", lambda: None)()
    if not as_json:
        show(bench, figures, rounds)
    medians = {f"{name}.{figure}": float(text(statistics.median(values))) for figure, values in figures.items()}
    return {"unit": bench.unit, "work": bench.work, "figures": figures}, medians


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", type=str.split)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--smoke", action="store_true")
    parser.add_argument("--devices", type=int)
    options = parser.parse_args()
    with deployment():
        run_all(options)


def run_all(options: argparse.Namespace) -> None:
    """Runs the benches and prints their reports."""
    scale = Scale.of(options.devices, options.smoke)
    about = machine()
    if not options.json:
        print("\n".join(f"{name}: {value}" for name, value in about.items()), flush=True)
    pin(simulator_process(), SERVER_CORE)
    write_requests(scale.pushes)
    h2load = H2Load()

    report, results = {}, {}
    for name in options.names:
        report[name], found = run(name, scale, h2load, options.json)
        results |= found
    if options.json:
        print(json.dumps({"machine": about, "benches": report, "results": results}, indent=2))
        return
    if len(options.names) > 1 and not options.smoke:
        show_all(results)
    print()
    for name, value in results.items():
        print(f"RESULT {name} {value:g}" if abs(value) < 1e6 else f"RESULT {name} {value:.0f}")


if __name__ == "__main__":
    # SIGTERM ends the deployment too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        main()
    except (BenchFailed, AssertionError) as failure:
        sys.exit(f"bench: {failure}")
