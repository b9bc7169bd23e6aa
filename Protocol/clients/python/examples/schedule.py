"""Schedules a message in an hour, shows its state, and cancels it."""
from datetime import datetime, timedelta, timezone

from common import example

import carillon
from carillon import Notification


def main(token: str) -> None:
    with carillon.Client.from_environment() as client:
        app = client.app()
        sent = app.send(carillon.devices([token]), Notification(body="Later"), label="later",
                        send_at=datetime.now(timezone.utc) + timedelta(hours=1))
        print("message", sent.message_id, app.message_status(sent.message_id).state)
        app.update_message(sent.message_id, "cancel")
        status = app.wait_until_finished(sent.message_id)
        print(status.state)
        for outcome, devices in status.outcomes.items():
            print(outcome, devices)


example(main)
