#!/usr/bin/env python3
"""Measures how many LOOKUPs and SENDs a client makes on one connection.

    tools/benchmark.py [SECONDS [IN_FLIGHT]] [--only PART] [--redis PORT [--pace N]…] [--profile]

`send` are messages of one content, each to one of 100 devices; those of `send_new` have a content of their own. `mixed`
are lookups and sends in turn, half of them each. The environment names the server, the app and the key, as for the
examples. It prints `RESULT NAME.per_second VALUE`, and `per_cpu_second`: for a second of processor time of this
process. `batch` are batches of IN_FLIGHT calls, `tasks` as many tasks of asyncio, `single` is one call after the other.
Each measurement follows a round of the same time that is not measured. With `--redis`, redis-py makes GETs and SETs of
100 bytes in pipelines of the same size, at the redis-server on that port; with `--pace` also N GETs a second, with
pauses between the pipelines, as `paced`, and as `paced_mixed` for a second `--pace`.
"""
from __future__ import annotations

import argparse
import asyncio
import cProfile
import importlib
import pstats
import resource
import sys
import time
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Any, List, Awaitable, Callable

sys.path[:0] = [str(Path(__file__).resolve().parent.parent)]

import carillon  # noqa: E402
from carillon import aio  # noqa: E402

TOKENS = [index.to_bytes(32, "big") for index in range(100)]
CONTENT = carillon.Notification(body="Hello")


def processor_time() -> float:
    """Returns the processor time of this process in seconds."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


class Meter:
    """Counts requests for a while; the lines are printed by `show`."""

    def __init__(self, seconds: float) -> None:
        self.requests, self.began, self.used = 0, time.monotonic(), processor_time()
        self.end = self.began + seconds

    def goes_on(self, requests: int) -> bool:
        """Adds requests; false when the time is over."""
        self.requests += requests
        return time.monotonic() < self.end

    def show(self, name: str) -> None:
        """Prints the lines."""
        seconds, used = time.monotonic() - self.began, processor_time() - self.used
        print(f"RESULT {name}.per_second {self.requests / seconds:.0f}")
        print(f"RESULT {name}.per_cpu_second {self.requests / used:.0f}", flush=True)


def measure(name: str, seconds: float, work: Callable[[], int]) -> None:
    """Repeats work, which returns the number of its requests."""
    for is_measured in (False, True):
        meter = Meter(seconds)
        while meter.goes_on(work()):
            pass
        if is_measured:
            meter.show(name)


async def measure_tasks(name: str, seconds: float, work: Callable[[], Awaitable[int]]) -> None:
    """Repeats work of asyncio, which returns the number of its requests."""
    for is_measured in (False, True):
        meter = Meter(seconds)
        while meter.goes_on(await work()):
            pass
        if is_measured:
            meter.show(name)


def blocking(seconds: float, in_flight: int, only_batches: bool) -> None:
    """Measures the blocking client."""
    with carillon.Client.from_environment() as client:
        app = client.app()
        devices = [app.register(token).device_id for token in TOKENS]
        device, recipients = devices[0], list(islice(cycle(devices), in_flight))

        def lookups() -> int:
            with client.batch() as batch:
                pending = [batch.lookup(app.name, device) for _ in range(in_flight)]
            return sum(each.result().device_id == device for each in pending)

        def sends() -> int:
            with client.batch() as batch:
                pending = [batch.send(app.name, carillon.devices([each]), CONTENT, lane="bulk") for each in recipients]
            return sum(each.result().total for each in pending)

        def new_sends() -> int:
            with client.batch() as batch:
                pending = [batch.send(app.name, carillon.devices([each]), carillon.Notification(body=f"Hello {each}"),
                                      lane="bulk") for each in recipients]
            return sum(each.result().total for each in pending)

        def mixed() -> int:
            pending: List[carillon.Pending[Any]] = []
            with client.batch() as batch:
                for lookup_of, send_to in zip(recipients[::2], recipients[1::2]):
                    pending.append(batch.lookup(app.name, lookup_of))
                    pending.append(batch.send(app.name, carillon.devices([send_to]), CONTENT, lane="bulk"))
            return len([each.result() for each in pending])

        def one() -> int:
            return int(app.lookup(device).device_id == device)

        measure("python.batch.lookup", seconds, lookups)
        measure("python.batch.send", seconds, sends)
        measure("python.batch.mixed", seconds, mixed)
        measure("python.batch.send_new", seconds, new_sends)
        if not only_batches:
            measure("python.single.lookup", seconds, one)


async def tasks(seconds: float, in_flight: int) -> None:
    """Measures the client for asyncio."""
    async with aio.Client.from_environment() as client:
        app = client.app()
        devices = [(await app.register(token)).device_id for token in TOKENS]
        device, recipients = devices[0], list(islice(cycle(devices), in_flight))

        async def lookups() -> int:
            return len(await asyncio.gather(*(app.lookup(device) for _ in range(in_flight))))

        async def batch() -> int:
            async with client.batch() as batch:
                pending = [batch.lookup(app.name, device) for _ in range(in_flight)]
            return len([each.result() for each in pending])

        async def sends() -> int:
            calls = (app.send(carillon.devices([each]), CONTENT, lane="bulk") for each in recipients)
            return len(await asyncio.gather(*calls))

        async def batch_sends() -> int:
            async with client.batch() as batch:
                pending = [batch.send(app.name, carillon.devices([each]), CONTENT, lane="bulk") for each in recipients]
            return len([each.result() for each in pending])

        await measure_tasks("python.asyncio.batch.lookup", seconds, batch)
        await measure_tasks("python.asyncio.batch.send", seconds, batch_sends)
        await measure_tasks("python.asyncio.tasks.lookup", seconds, lookups)
        await measure_tasks("python.asyncio.tasks.send", seconds, sends)


def redis_commands(port: int, seconds: float, in_flight: int, paces: List[int]) -> None:
    """Measures redis-py, with hiredis if that is installed."""
    redis: Any = importlib.import_module("redis")
    connected, value = redis.Redis(port=port), "x" * 100
    connected.set("k", value)
    next_at = 0.0

    def gets() -> int:
        pipeline = connected.pipeline(transaction=False)
        for _ in range(in_flight):
            pipeline.get("k")
        return len(pipeline.execute())

    def sets() -> int:
        pipeline = connected.pipeline(transaction=False)
        for _ in range(in_flight):
            pipeline.set("k", value)
        return len(pipeline.execute())

    def paced(pace: int) -> int:
        nonlocal next_at
        made, now = gets(), time.monotonic()
        next_at = max(next_at, now - 1) + in_flight / pace
        time.sleep(max(0.0, next_at - now))
        return made

    def one() -> int:
        return int(connected.get("k") is not None)

    measure("redis-py.batch.get", seconds, gets)
    measure("redis-py.batch.set", seconds, sets)
    for name, pace in zip(("paced", "paced_mixed"), paces):
        measure(f"redis-py.{name}", seconds, partial(paced, pace))
    measure("redis-py.single.get", seconds, one)


def main() -> None:
    """Measures all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seconds", type=float, nargs="?", default=3.0, metavar="SECONDS", help="3 if missing")
    parser.add_argument("in_flight", type=int, nargs="?", default=512, metavar="IN_FLIGHT", help="512 if missing")
    parser.add_argument("--only", choices=["batch", "asyncio", "redis"],
                        default="", help="what is measured; all if missing")
    parser.add_argument("--redis", type=int, default=0, metavar="PORT")
    parser.add_argument("--pace", type=int, action="append", default=[], metavar="N",
                        help="GETs a second, beside those without a pause; twice at most")
    parser.add_argument("--profile", action="store_true", help="print where the time goes")
    arguments = parser.parse_args()
    if not 0 < arguments.seconds <= 3600 or arguments.in_flight < 1 or min(arguments.pace, default=1) < 1:
        parser.error("SECONDS, IN_FLIGHT and N are positive")
    profile = cProfile.Profile() if arguments.profile else None
    if profile:
        profile.enable()
    if arguments.only in ("", "batch"):
        blocking(arguments.seconds, arguments.in_flight, arguments.only == "batch")
    if arguments.only in ("", "asyncio"):
        asyncio.run(tasks(arguments.seconds, arguments.in_flight))
    if profile:
        profile.disable()
        pstats.Stats(profile).sort_stats("tottime").print_stats(25)
    if arguments.redis:
        redis_commands(arguments.redis, arguments.seconds, arguments.in_flight, arguments.pace)


if __name__ == "__main__":
    main()
