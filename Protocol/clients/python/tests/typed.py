"""What a type checker must refuse. mypy reports an ignored error that is none: this file is never run."""
from __future__ import annotations

from typing import Optional

import carillon
from carillon import Client, Notification, aio
from carillon.answers import DeviceRecord, GroupSummary, SendResult


def blocking(client: Client, missing: Optional[str]) -> None:
    device: DeviceRecord = client.lookup("app", 7)
    sent: SendResult = client.app("app").send(carillon.topic("t"), Notification(body="x"), dry_run=True)
    groups = [group.devices for group in client.iter_groups("app", prefix="user/")]
    numbers: int = groups[0] + sent.total + device.device_id
    print(numbers)
    client.lookup("app")  # type: ignore[call-arg]
    client.lookup("app", None)  # type: ignore[arg-type]
    client.send("app", "{}")  # type: ignore[call-arg, arg-type]
    client.send("app", None, "{}")  # type: ignore[arg-type]
    client.send("app", "all", "{}")  # type: ignore[arg-type]
    client.send("app", carillon.topic(missing), "{}")  # type: ignore[arg-type]
    client.send("app", carillon.all_devices(), "{}", dryrun=True)  # type: ignore[call-arg]
    client.send("app", carillon.all_devices(), "{}", label=missing)  # type: ignore[arg-type]
    client.lookup("app", 7).state_of  # type: ignore[attr-defined]
    client.with_options(retries=3)  # type: ignore[call-arg]
    Client("127.0.0.1:7474", api_kee="x")  # type: ignore[call-arg]
    Client("127.0.0.1:7474", maximum_attempts="x")  # type: ignore[arg-type]
    with client.batch() as batch:
        pending = batch.lookup("app", 7)
        pending.state  # type: ignore[attr-defined]
    later: DeviceRecord = pending.result()
    print(later)


async def awaited(client: aio.Client) -> None:
    device: DeviceRecord = await client.lookup("app", 7)
    print(device.state)
    group: GroupSummary
    async for group in client.app("app").iter_groups():
        print(group.group)
