"""A device joins a group, and the group is subscribed to a topic."""
from common import example

import carillon


def main(token: str, group: str, topic: str) -> None:
    with carillon.Client.from_environment() as client:
        app = client.app()
        print("joined", app.join(group, [token]).joined)
        print("changed", app.subscribe([topic], groups=[group]).changed)


example(main)
