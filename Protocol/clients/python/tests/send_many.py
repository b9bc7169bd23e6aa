"""Sends COUNT messages at once while servers go and come: `python -m tests.send_many KIND LABEL PREFIX COUNT`, for
run_losses.py, which says what is printed. KIND is `threads` or `asyncio`."""
from __future__ import annotations

import asyncio
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Dict

import carillon
from carillon import CarillonError, Notification, aio
from carillon.answers import SendResult

THREADS = 64


def note_state(report: carillon.StateReport) -> None:
    """Prints the connections."""
    if report.state == "connected":
        print("connected", report.address, flush=True)


# `maximum_in_flight` bounds what the server has accepted before the first answers are read.
OPTIONS: Dict[str, Any] = {"request_timeout": 60.0, "maximum_in_flight": 16, "on_state": note_state}


def note(index: int, result: Callable[[], SendResult]) -> None:
    """Prints the outcome of a send."""
    try:
        print(f"sent {index} {result().message_id}\n", end="", flush=True)
    except CarillonError as error:
        print(f"failed {index} {error.code} {error.effect}\n", end="", flush=True)


def arguments(label: str, prefix: str, index: int) -> Dict[str, Any]:
    """The message of this index."""
    return {"audience": carillon.devices([f"{prefix}{index:08x}"]), "payload": Notification(body="Hello"),
            "label": f"{label} {index}"}


def with_threads(label: str, prefix: str, count: int) -> None:
    """The blocking client."""
    with carillon.Client.from_environment(**OPTIONS) as client, ThreadPoolExecutor(THREADS) as pool:
        app = client.app()
        for _ in pool.map(lambda index: note(index, lambda: app.send(**arguments(label, prefix, index))), range(count)):
            pass


async def with_tasks(label: str, prefix: str, count: int) -> None:
    """The client for asyncio."""
    async with aio.Client.from_environment(**OPTIONS) as client:
        app = client.app()

        async def one(index: int) -> None:
            task = asyncio.ensure_future(app.send(**arguments(label, prefix, index)))
            await asyncio.wait([task])
            note(index, task.result)
        await asyncio.gather(*(one(index) for index in range(count)))


def main(kind: str, label: str, prefix: str, count: str) -> None:
    """Sends."""
    if kind == "threads":
        with_threads(label, prefix, int(count))
    else:
        asyncio.run(with_tasks(label, prefix, int(count)))


if __name__ == "__main__":
    main(*sys.argv[1:])
