"""Follows events under a name with asyncio: takes the end of a message, and acknowledges it durably."""
import asyncio

from common import example

import carillon
from carillon import Notification, aio
from carillon.answers import Event


async def follow(token: str, name: str) -> None:
    async with aio.Client.from_environment() as client:
        app = client.app()
        async with client.events(name=name, apps=[app.name], kinds=["message-finished"]) as events:
            sent = await app.send(carillon.devices([token]), Notification(body="Seen?"), id_key="id")
            async for event in events:
                if not isinstance(event, Event) or event.message_id != sent.message_id:
                    continue
                print("message", event.message_id, "finished", event.count)
                counted = await app.report_receipts([(event.message_id, token, "opened")])
                print("opened", counted.counted)
                events.acknowledge(event.sequence)
                await events.flush()
                print("acknowledged")
                break


def main(token: str, name: str) -> None:
    asyncio.run(follow(token, name))


example(main)
