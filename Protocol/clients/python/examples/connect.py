"""Opens a connection, asks for a round trip, shows the server and the principal."""
from common import example

import carillon


def main() -> None:
    with carillon.Client.from_environment() as client:
        print("server", client.server.software)
        print("principal", client.server.principal)
        client.ping()
        print("round trip ok")


example(main)
