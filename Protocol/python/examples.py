#!/usr/bin/env python3
"""The eight examples of `../clients/CONTRACT.md` with the client of this folder: `examples.py NAME ARGUMENT…`."""
from __future__ import annotations

import os
import sys
import time
from typing import Callable, Dict, List

from carillon import CarillonError, Client, Notification

APP = os.environ.get("CARILLON_APP", "")
HOUR = 3_600_000


def from_environment() -> Client:
    """Connects to the server that the environment names."""
    host, _, port = os.environ.get("CARILLON_SERVER", "127.0.0.1:7474").rpartition(":")
    key = os.environ.get("CARILLON_API_KEY", "")
    if os.environ.get("CARILLON_API_KEY_FILE"):
        with open(os.environ["CARILLON_API_KEY_FILE"], encoding="utf-8") as file:
            key = file.read().strip()
    return Client.connect(host, int(port), plaintext=True, api_key=key)


def wait_until_finished(client: Client, message_id: int) -> None:
    """Waits until every device of a message has its outcome, and prints the numbers."""
    while True:
        status = client.message_status(APP, message_id)
        if status["state"] == "finished":
            break
        time.sleep(0.05)
    for outcome, devices in status["outcomes"].items():
        print(outcome, devices)


def connect(client: Client) -> None:
    print("server", client.server["software"])
    print("principal", client._current(1).auth["principal"])
    client.ping()
    print("round trip ok")


def register(client: Client, token: str) -> None:
    answer = client.register(APP, token, locale="de-AT", attributes={"platform": "ios"},
                             seen_at=int(time.time() * 1000))
    print("device", answer["device_id"], answer["result"])


def subscribe(client: Client, token: str, group: str, topic: str) -> None:
    print("joined", client.join(APP, group, [token])["joined"])
    print("changed", client.subscribe(APP, [topic], groups=[group])["changed"])


def send(client: Client, token: str, text: str) -> None:
    answer = client.send(APP, [token], Notification(body=text))
    print("message", answer["message_id"], "to", answer["total"])
    wait_until_finished(client, answer["message_id"])


def languages(client: Client, topic: str) -> None:
    notification = Notification(title="Raid", body="It begins")
    payload, bodies = notification.localized({"de": {"body": "Es beginnt"}})
    answer = client.send_to(APP, payload, topic=topic, bodies=dict(bodies))
    print("message", answer["message_id"], "to", answer["total"])
    wait_until_finished(client, answer["message_id"])
    print("all devices", client.send_to(APP, payload, all_devices=True, bodies=dict(bodies), dry_run=True)["total"])


def look_up(client: Client, token: str, unknown: str) -> None:
    device = client.lookup(APP, token)
    attributes = " ".join(f"{key}={value}" for key, value in device["attributes"].items())
    print("device", device["device_id"], device["state"], device["locale"], attributes)
    found = client.memberships(APP, token)
    for group in found["groups"]:
        print("group", group)
    for topic, source in found["topics"]:
        print("topic", topic, "through", source)
    try:
        client.lookup(APP, unknown)
    except CarillonError as error:
        print(error.code, error.effect.replace(" ", "_"), error.field)


def schedule(client: Client, token: str) -> None:
    answer = client.send(APP, [token], Notification(body="Later"), label="later",
                         send_at=int(time.time() * 1000) + HOUR)
    print("message", answer["message_id"], client.message_status(APP, answer["message_id"])["state"])
    client.steer(APP, answer["message_id"], "cancel")
    while client.message_status(APP, answer["message_id"])["state"] != "finished":
        time.sleep(0.05)
    print("finished")
    wait_until_finished(client, answer["message_id"])


def follow(client: Client, token: str, name: str) -> None:
    with client.events(name=name, apps=[APP], kinds=["message-finished"]) as events:
        message_id = client.send(APP, [token], Notification(body="Seen?"), id_key="id")["message_id"]
        for event in events:
            if event.get("message_id") == message_id:
                print("message", message_id, "finished", event["count"])
                break
        print("opened", client.receipts(APP, [(message_id, token, "opened")])["counted"])
        events.acknowledge(event["sequence"])
        print("acknowledged")


EXAMPLES: Dict[str, Callable[..., None]] = {each.__name__: each for each in (
    connect, register, subscribe, send, languages, look_up, schedule, follow)}


def main(arguments: List[str]) -> int:
    """Runs one example; an error is one line, and exit status 1."""
    try:
        with from_environment() as client:
            EXAMPLES[arguments[0]](client, *arguments[1:])
        return 0
    except CarillonError as error:
        print(f"{error.code} {error.effect.replace(' ', '_')}: {error.field or ''}".rstrip(" "), file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
