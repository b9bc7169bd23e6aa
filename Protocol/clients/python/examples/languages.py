"""Sends to a topic in two languages; then only counts all devices of the app."""
from common import example

import carillon
from carillon import Notification, Translation


def main(topic: str) -> None:
    raid = Notification(title="Raid", body="It begins")
    languages = {"de": Translation(body="Es beginnt")}
    with carillon.Client.from_environment() as client:
        app = client.app()
        sent = app.send(carillon.topic(topic), raid, languages=languages)
        print("message", sent.message_id, "to", sent.total)
        for outcome, devices in app.wait_until_finished(sent.message_id).outcomes.items():
            print(outcome, devices)
        counted = app.send(carillon.all_devices(), raid, languages=languages, dry_run=True)
        print("all devices", counted.total)


example(main)
