"""Shows a device and its memberships; then handles the error of an unknown one."""
from common import example

import carillon
from carillon import CarillonError


def main(token: str, unknown: str) -> None:
    with carillon.Client.from_environment() as client:
        app = client.app()
        device = app.lookup(token)
        attributes = " ".join(f"{key}={value}" for key, value in device.attributes.items())
        print("device", device.device_id, device.state, device.locale, attributes)
        for member in app.memberships(token).groups:
            print("group", member.group)
        for held in app.iter_topics_of(token):
            print("topic", held.topic, "through", held.source)
        try:
            app.lookup(unknown)
        except CarillonError as error:
            print(error.code, error.effect, error.field)


example(main)
