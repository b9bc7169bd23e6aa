"""Sends an alert to one device, waits until the message is finished, shows its outcomes."""
from common import example

import carillon
from carillon import Notification


def main(token: str, text: str) -> None:
    with carillon.Client.from_environment() as client:
        app = client.app()
        sent = app.send(carillon.devices([token]), Notification(body=text))
        print("message", sent.message_id, "to", sent.total)
        for outcome, devices in app.wait_until_finished(sent.message_id).outcomes.items():
            print(outcome, devices)


example(main)
