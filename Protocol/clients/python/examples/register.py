"""Registers a device with its language and an attribute. With a time, the request is repeated safely."""
from datetime import datetime, timezone

from common import example

import carillon


def main(token: str) -> None:
    with carillon.Client.from_environment() as client:
        answer = client.app().register(token, environment="production", seen_at=datetime.now(timezone.utc),
                                       locale="de-AT", attributes={"platform": "ios"})
        print("device", answer.device_id, answer.result)


example(main)
