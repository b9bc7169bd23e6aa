"""Tools/bench audience: many devices in the registry, imported with `carillon import` as an operator would. Server
and client share all cores; the simulator has one of them."""

from __future__ import annotations

import os
import random
import statistics
import time
from typing import Any, Dict, List, Sequence

from common import APP, PROGRAMS, BenchFailed, Figures, Server, children_cpu_seconds, deployment, file_path, run_program

TOPICS = ["half", "tenth", "thousandth"]
LOCALES = ["en-US", "en-GB", "de", "fr", "es-MX", "pt-BR", "ja", "zh-Hant-TW"]
PLATFORMS = ["ios", "ios", "ios", "ios", "ios", "ios", "ipados", "macos"]


def write_devices(path: str, count: int) -> List[int]:
    """Writes one registration a line; returns the number of devices that each condition of carillon-bench selects."""
    generator = random.Random(7)
    selected = [0, 0, 0, 0]
    with open(path, "w", encoding="ascii") as file:
        for start in range(0, count, 10_000):
            size = min(10_000, count - start)
            tokens = generator.randbytes(32 * size).hex()
            lines = []
            for index in range(size):
                draw = generator.getrandbits(40)
                locale, platform = LOCALES[draw & 7], PLATFORMS[draw >> 3 & 7]
                # Independent bits for each attribute.
                half, tenth, thousandth = draw & 64 == 0, (draw >> 7 & 0x3FF) % 10 == 0, (draw >> 17) % 1_000 == 0
                topics = [topic for topic, is_in in zip(TOPICS, (half, tenth, thousandth)) if is_in]
                selected[0] += half and tenth and thousandth
                selected[1] += half and (tenth or thousandth)
                selected[2] += half and tenth and locale == "de"
                selected[3] += half and not tenth and platform == "ios"
                names = '","'.join(topics)
                lines.append(
                    f'{{"token":"{tokens[64 * index:64 * index + 64]}","locale":"{locale}","platform":"{platform}"'
                    + (f',"topics":["{names}"]}}\n' if topics else "}\n"))
            file.write("".join(lines))
    return selected


def import_devices(server: Server, count: int, path: str) -> Figures:
    """Imports the file; returns registrations per second, and the CPU-seconds of server and client."""
    before, children, start = server.cpu_seconds, children_cpu_seconds(), time.monotonic()
    done = run_program(
        [f"{PROGRAMS}/carillon", "import", path, "--app", APP, "--json", "--server", f"127.0.0.1:{server.port}",
         "--api-key-file", file_path("api-key")],
        "carillon import")
    seconds = time.monotonic() - start
    if done["registered"] != count or done["refused"]:
        raise BenchFailed(f"not all of {count} devices came in: {done}")
    return {"per_second": count / seconds, "seconds": seconds, "client_cpu_seconds": children_cpu_seconds() - children,
            "server_cpu_seconds": server.cpu_seconds - before}


def run(devices: int, smoke: bool) -> Dict[str, Any]:
    """Runs all steps in order and returns a report."""
    path = file_path("devices.jsonl")
    selected = write_devices(path, devices)
    server = Server()
    try:
        imported = import_devices(server, devices, path)
        os.remove(path)
        database = os.stat(file_path("data/data.mdb")).st_size
        measured = run_program(
            [f"{PROGRAMS}/carillon-bench", "audience", "--port", str(server.port), "--api-key-file",
             file_path("api-key"),
             "--control-port", str(deployment().simulator.control_port), "--app", APP, "--devices", str(devices),
             "--subscriptions", str(min(devices // 10, 500_000)), "--single", str(min(devices // 10, 100_000))]
            + (["--counts", "5", "--sends", "1"] if smoke else []),
            "carillon-bench audience")
    finally:
        server.stop()
    postings = {topic: run_program(
        [f"{PROGRAMS}/carillon-bench", "postings", "--data", file_path("data"), "--app", APP, "--topic", topic],
        "carillon-bench postings") for topic in TOPICS}

    counted = [count["devices"] for count in measured["counts"]]
    if counted != selected:
        raise BenchFailed(f"the conditions hold for {selected} devices, not for {counted}")
    return {"devices": devices, "import": imported, "database_bytes": database, "postings": postings, **measured}


def results(report: Dict[str, Any]) -> Figures:
    """Returns the figures by their names."""
    page = os.sysconf("SC_PAGESIZE")
    dense, devices = report["postings"]["half"], report["devices"]
    counts = [statistics.median(count["milliseconds"]) for count in report["counts"]]
    first = [statistics.median(send["firstDeliveryMilliseconds"]) for send in report["sends"]]
    return {
        "audience.import_per_second": round(report["import"]["per_second"]),
        "audience.subscriptions_per_second": round(report["subscriptionsPerSecond"]),
        "audience.single_subscriptions_per_second": round(report["singleSubscriptionsPerSecond"]),
        "audience.count_ms": round(max(counts), 3),
        "audience.first_delivery_ms": round(max(first), 3),
        "audience.bytes_per_device": round(report["database_bytes"] / devices, 1),
        "audience.bytes_per_subscription_dense": round(dense["pages"] * page / dense["devices"], 3),
    }


def show(report: Dict[str, Any]) -> None:
    imported = report["import"]
    print(f"\naudience: {report['devices']} devices, {imported['seconds']:.1f} s to import "
          f"(CPU-seconds: server {imported['server_cpu_seconds']:.1f}, client {imported['client_cpu_seconds']:.1f}), "
          f"database {report['database_bytes'] / 1e6:.0f} MB")

    def row(name: str, values: Sequence[float], more: str = "") -> None:
        print(f"  {name:<68}{statistics.median(values):>9.3f}{min(values):>9.3f}{max(values):>9.3f}{more}")

    print(f"  {'count, milliseconds':<68}{'median':>9}{'least':>9}{'most':>9}")
    for count in report["counts"]:
        row(count["condition"], count["milliseconds"], f"  of {count['devices']}")
    print("  from SEND to the first push at the simulator, milliseconds (to the answer)")
    for send in report["sends"]:
        row(send["topic"], send["firstDeliveryMilliseconds"],
            f"  ({statistics.median(send['acceptedMilliseconds']):.3f})")
    for topic, taken in report["postings"].items():
        print(f"  postings of {topic}: {taken['devices']} devices, {taken['chunks']} chunks, {taken['bytes']} bytes, "
              f"{taken['pages']} pages")
