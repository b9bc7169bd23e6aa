#!/usr/bin/env python3
"""How many requests a client makes on one connection, a second and a second of its own processor time.

    CARILLON_PROGRAMS=FOLDER tools/benchmark.py [--seconds S] [--redis PORT] [--profile]

LOOKUP and SEND with batches, with tasks of asyncio, and one call after the other. With `--redis`, GET of redis-py with
pipelines of the same size, against the redis-server on that port.
"""
from __future__ import annotations

import argparse
import asyncio
import cProfile
import importlib
import os
import pstats
import resource
import sys
import time
from pathlib import Path
from typing import Any, Awaitable, Callable, List

HERE = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(HERE)]

import carillon  # noqa: E402
from carillon import aio  # noqa: E402
from tests.server import Server  # noqa: E402

BATCH = 1000
PAYLOAD = b'{"aps":{"alert":"Hello"}}'


def processor_time() -> float:
    """Returns the processor time of this process in seconds."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


class Meter:
    """Counts requests for a while and prints the line."""

    def __init__(self, name: str, seconds: float) -> None:
        self.name, self.seconds = name, seconds

    def __enter__(self) -> Meter:
        self.requests, self.began, self.used = 0, time.monotonic(), processor_time()
        return self

    def goes_on(self, requests: int) -> bool:
        """Adds requests; false when the time is over."""
        self.requests += requests
        return time.monotonic() - self.began < self.seconds

    def __exit__(self, *_: Any) -> None:
        seconds, used = time.monotonic() - self.began, processor_time() - self.used
        print(f"RESULT {self.name}: {self.requests / seconds:.0f} requests/s, "
              f"{self.requests / used:.0f} requests per CPU-second", flush=True)


def measure(name: str, seconds: float, work: Callable[[], int]) -> None:
    """Repeats work, which returns the number of its requests."""
    work()
    with Meter(name, seconds) as meter:
        while meter.goes_on(work()):
            pass


async def measure_tasks(name: str, seconds: float, work: Callable[[], Awaitable[int]]) -> None:
    """The same for asyncio."""
    await work()
    with Meter(name, seconds) as meter:
        while meter.goes_on(await work()):
            pass


def blocking(server: Server, seconds: float) -> None:
    """The blocking client."""
    with carillon.Client(server.address, api_key_file=server.key_file) as client:
        app = server.app
        device = client.app(app).register(os.urandom(32)).device_id
        audience = carillon.devices([device])

        def lookups() -> int:
            with client.batch() as batch:
                found = [batch.lookup(app, device) for _ in range(BATCH)]
            return sum(each.result().device_id == device for each in found)

        def sends() -> int:
            with client.batch() as batch:
                found = [batch.send(app, audience, PAYLOAD, lane="bulk") for _ in range(BATCH)]
            return sum(each.result().total for each in found)

        def one() -> int:
            return int(client.lookup(app, device).device_id == device)

        measure("python batch LOOKUP", seconds, lookups)
        measure("python batch SEND", seconds, sends)
        measure("python one by one LOOKUP", seconds, one)


async def tasks(server: Server, seconds: float) -> None:
    """The client for asyncio."""
    async with aio.Client(server.address, api_key_file=server.key_file) as client:
        app = server.app
        device = (await client.app(app).register(os.urandom(32))).device_id
        audience = carillon.devices([device])

        async def lookups() -> int:
            return len(await asyncio.gather(*(client.lookup(app, device) for _ in range(BATCH))))

        async def batch() -> int:
            async with client.batch() as batch:
                found = [batch.lookup(app, device) for _ in range(BATCH)]
            return len([each.result() for each in found])

        async def sends() -> int:
            return len(await asyncio.gather(*(client.send(app, audience, PAYLOAD, lane="bulk") for _ in range(BATCH))))

        await measure_tasks("python asyncio batch LOOKUP", seconds, batch)
        await measure_tasks("python asyncio tasks LOOKUP", seconds, lookups)
        await measure_tasks("python asyncio tasks SEND", seconds, sends)


def redis_gets(port: int, seconds: float) -> None:
    """redis-py, with hiredis if that is installed."""
    redis: Any = importlib.import_module("redis")
    connected = redis.Redis(port=port)
    connected.set("k", "x" * 100)

    def gets() -> int:
        pipeline = connected.pipeline(transaction=False)
        for _ in range(BATCH):
            pipeline.get("k")
        found: List[Any] = pipeline.execute()
        return len(found)

    def one() -> int:
        return int(connected.get("k") is not None)

    measure("redis-py pipeline GET", seconds, gets)
    measure("redis-py one by one GET", seconds, one)


def main() -> None:
    """Measures all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--redis", type=int, default=0, metavar="PORT")
    parser.add_argument("--profile", action="store_true", help="print where the time goes")
    arguments = parser.parse_args()
    with Server() as server:
        profile = cProfile.Profile() if arguments.profile else None
        if profile:
            profile.enable()
        blocking(server, arguments.seconds)
        asyncio.run(tasks(server, arguments.seconds))
        if profile:
            profile.disable()
            pstats.Stats(profile).sort_stats("tottime").print_stats(25)
    if arguments.redis:
        redis_gets(arguments.redis, arguments.seconds)


if __name__ == "__main__":
    main()
