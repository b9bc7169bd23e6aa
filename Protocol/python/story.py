#!/usr/bin/env python3
"""The life of devices, groups and topics against a real server: `story.py --server HOST:PORT --key-file F --app A`.

Prints one line for each step. Exits with 1 at the first step that is not as the specification says. The key needs the
roles register, send and observe for the app. Tokens are random; any outcome of a push is accepted if there is one.
"""
from __future__ import annotations

import argparse
import os
import sys
import time
from typing import Any, Callable, Dict, List

from carillon import CarillonError, Client, add_connection_arguments, connect_from


class Deviation(Exception):
    """A result that is not as the specification says."""


def expect(found: Any, wanted: Any, what: str) -> None:
    """Raises Deviation unless the two are equal."""
    if found != wanted:
        raise Deviation(f"{what}: expected {wanted!r}, found {found!r}")


def expect_error(code: str, work: Callable[[], Any]) -> None:
    """Raises Deviation unless the call is refused with the code and was not executed."""
    try:
        answer = work()
    except CarillonError as error:
        expect((error.code, error.effect), (code, "not executed"), "error")
        return
    raise Deviation(f"expected {code}, found the answer {answer!r}")


class Story:
    """The steps; each returns the text of its line."""

    def __init__(self, client: Client, app: str, timeout: float) -> None:
        self.client, self.app, self.timeout = client, app, timeout
        self.tokens = [os.urandom(32) for _ in range(3)]
        self.ids: List[int] = []
        self.key = os.urandom(16)
        self.begun = client.server["clock"] - 60_000
        self.answer: Dict[str, Any] = {}
        # New names, so that the story can run again on the same server.
        mark = os.urandom(4).hex()
        self.account, self.character, self.topic = f"user/{mark}", f"role/{mark}", f"level5-{mark}"

    def steps(self) -> List[Callable[[], str]]:
        """Returns the steps in order."""
        return [self.ping, self.register_three, self.look_up, self.replace_a_token, self.send, self.send_again,
                self.send_another_body, self.wait_until_finished, self.page_outcomes, self.unregister,
                self.register_too_late, self.send_to_an_unregistered_token, self.sign_in, self.announce,
                self.inherit_a_topic, self.explain_a_condition, self.count_without_sending, self.send_in_languages,
                self.send_in_one_language, self.mute_the_account, self.switch_to_a_character, self.sign_out]

    def ping(self) -> str:
        return f"{self.client.ping() * 1000:.1f} ms"

    def register_three(self) -> str:
        results = self.client.register_batch([{"app": self.app, "token": token, "seen_at": self.begun}
                                              for token in self.tokens])
        expect([result.get("result", result) for result in results], ["created"] * 3, "results")
        self.ids = [result["device_id"] for result in results]
        expect(len(set(self.ids)), 3, "different ids")
        return f"devices {self.ids}"

    def look_up(self) -> str:
        found = self.client.lookup(self.app, self.tokens[0])
        expect({name: found[name] for name in ("device_id", "environment", "kind", "token", "seen_at", "state")},
               {"device_id": self.ids[0], "environment": "production", "kind": "device", "token": self.tokens[0],
                "seen_at": self.begun, "state": "active"}, "device")
        expect("locale" in found, False, "a locale")
        return f"device {self.ids[0]} by its token"

    def replace_a_token(self) -> str:
        old, new = self.tokens[1], os.urandom(32)
        answer = self.client.register(self.app, new, seen_at=self.begun + 1000, replaces=old, locale="de-AT")
        expect(answer, {"device_id": self.ids[1], "result": "replaced"}, "answer")
        found = self.client.lookup(self.app, self.ids[1])
        expect((found["token"], found.get("locale")), (new, "de-AT"), "token and locale")
        expect_error("NOT_FOUND", lambda: self.client.lookup(self.app, old))
        self.tokens[1] = new
        return f"device {self.ids[1]} kept its id"

    def _send(self, text: str) -> Dict[str, Any]:
        return self.client.send(self.app, [self.tokens[0], self.ids[1], self.ids[2], self.ids[2]],
                                {"aps": {"alert": text}}, key=self.key)

    def send(self) -> str:
        self.answer = self._send("story")
        expect((self.answer["duplicate"], self.answer["total"], self.answer["ended"]), (False, 3, 0), "answer")
        return f"message {self.answer['message_id']} to 3 devices"

    def send_again(self) -> str:
        expect(self._send("story"), {**self.answer, "duplicate": True}, "answer")
        return "a duplicate"

    def send_another_body(self) -> str:
        expect_error("IDEMPOTENCY_CONFLICT", lambda: self._send("another"))
        return "a conflict"

    def _finished(self, message_id: int) -> Dict[str, Any]:
        end = time.monotonic() + self.timeout
        while True:
            status = self.client.message_status(self.app, message_id)
            expect(sum(status["outcomes"].values()), status["total"], "sum of the outcomes")
            if status["state"] == "finished":
                expect("pending" in status["outcomes"], False, "something pending")
                return status
            if time.monotonic() > end:
                raise Deviation(f"not finished after {self.timeout:.0f} s: {status}")
            time.sleep(0.2)

    def wait_until_finished(self) -> str:
        status = self._finished(self.answer["message_id"])
        expect(status["total"], 3, "total")
        return str(status["outcomes"])

    def page_outcomes(self) -> str:
        recipients: List[Dict[str, Any]] = []
        cursor = 0
        for _ in range(3):
            page = self.client.message_outcomes(self.app, self.answer["message_id"], cursor, limit=2)
            expect(len(page["recipients"]) <= 2, True, "a page of at most 2")
            recipients += page["recipients"]
            cursor = page["next"]
            if cursor == 0:
                break
        expect([entry["device_id"] for entry in recipients], sorted(self.ids), "recipients")
        return str({entry["device_id"]: entry["outcome"] for entry in recipients})

    def unregister(self) -> str:
        at = self.begun + 2000
        answer = self.client.unregister(self.app, self.ids[2], at)
        expect(answer, {"device_id": self.ids[2], "result": "removed"}, "answer")
        expect_error("NOT_FOUND", lambda: self.client.lookup(self.app, self.ids[2]))
        again = self.client.unregister(self.app, self.tokens[2], at)
        expect(again, {"device_id": 0, "result": "was not registered"}, "the second answer")
        return f"device {self.ids[2]} is gone"

    def register_too_late(self) -> str:
        for seen_at in (self.begun + 1000, self.begun + 2000):
            expect_error("STALE", lambda: self.client.register(self.app, self.tokens[2], seen_at=seen_at))
        return "stale, as it should be"

    def send_to_an_unregistered_token(self) -> str:
        answer = self.client.send(self.app, [self.tokens[2]], {"aps": {"alert": "no device"}})
        expect((answer["total"], answer["ended"]), (1, 1), "total and ended")
        status = self.client.message_status(self.app, answer["message_id"])
        expect((status["state"], status["outcomes"]), ("finished", {"unregistered": 1}), "status")
        return f"message {answer['message_id']} ended at once"

    def sign_in(self) -> str:
        answer = self.client.join(self.app, self.account, self.ids[:2])
        expect(answer, {"joined": 2, "message_id": 0, "unknown": []}, "answer")
        expect(self.client.group_devices(self.app, self.account), {"next": 0, "devices": self.ids[:2]}, "members")
        return f"two devices in {self.account}"

    def announce(self) -> str:
        self.tokens[2] = os.urandom(32)
        self.ids[2] = self.client.register(self.app, self.tokens[2], locale="zh-Hant-TW")["device_id"]
        announcement: Dict[str, Any] = {"announcement": {"aps": {"alert": "new sign-in"}},
                                        "bodies": {"de": {"aps": {"alert": "neue Anmeldung"}}}}
        answer = self.client.join(self.app, self.account, self.ids[2:], **announcement)
        expect(self._finished(answer["message_id"])["total"], 2, "devices of the announcement")
        again = self.client.join(self.app, self.account, self.ids[2:], **announcement)
        expect(again, {"joined": 0, "message_id": 0, "unknown": []}, "the second answer")
        return "the two others get the announcement, once"

    def inherit_a_topic(self) -> str:
        answer = self.client.subscribe(self.app, ["/topics/" + self.topic], groups=[self.account])
        expect(answer, {"changed": 1, "unknown": []}, "answer")
        expect(self.client.topic_devices(self.app, self.topic), {"next": 0, "devices": sorted(self.ids)}, "devices")
        found = self.client.memberships(self.app, self.ids[2])
        expect((found["groups"], found["topics"]), ({self.account: False}, [(self.topic, self.account)]), "memberships")
        return f"three devices in {self.topic}"

    def explain_a_condition(self) -> str:
        condition = f"'{self.topic}' in topics && (locale == 'de' || locale == 'zh-Hant')"
        expect(self.client.explain(self.app, condition)["devices"], 2, "devices")
        expect_error("INVALID_ARGUMENT", lambda: self.client.explain(self.app, condition + " &&"))
        return condition

    def count_without_sending(self) -> str:
        answer = self.client.send_to(self.app, {"aps": {"alert": "never"}}, dry_run=True,
                                     condition=f"'{self.topic}' in topics && !(locale == 'de')")
        expect((answer["message_id"], answer["total"]), (0, 2), "message and total")
        return "two devices"

    def _send_to(self, payload: Any, **tags: Any) -> Dict[str, int]:
        answer = self.client.send_to(self.app, payload, **tags)
        return self._finished(answer["message_id"])["outcomes"]

    def send_in_languages(self) -> str:
        outcomes = self._send_to({"aps": {"alert": "hello"}}, bodies={"zh": {"aps": {"alert": "你好"}}},
                                 groups=[self.account, self.account], except_device=self.ids[0])
        expect(sum(outcomes.values()), 2, "total")
        return str(outcomes)

    def send_in_one_language(self) -> str:
        outcomes = self._send_to(b"", bodies={"zh": {"aps": {"alert": "你好"}}}, topic=self.topic)
        expect(outcomes.get("no-language"), 2, "devices of other languages")
        return str(outcomes)

    def mute_the_account(self) -> str:
        expect(self.client.update_group(self.app, self.account, muted=True), 3, "devices")
        expect(self._send_to({"aps": {"alert": "hush"}}, topic=self.topic), {"muted": 3}, "outcomes")
        self.client.update_group(self.app, self.account, muted=False)
        return "three devices got no push"

    def switch_to_a_character(self) -> str:
        answer = self.client.switch(self.app, self.ids[2], self.account, self.character)
        expect(answer, {"device_id": self.ids[2], "left": True, "joined": True, "message_id": 0}, "answer")
        expect(self.client.topic_devices(self.app, self.topic)["devices"], self.ids[:2], "devices in the topic")
        return f"device {self.ids[2]} is in {self.character}"

    def sign_out(self) -> str:
        self.client.subscribe(self.app, [self.topic], devices=self.ids[:2])
        for group, devices in ((self.account, self.ids[:2]), (self.character, self.ids[2:])):
            answer = self.client.leave(self.app, group, devices, clear_topics=True)
            expect(answer, {"left": len(devices), "unknown": []}, "answer")
        expect(self._send_to({"aps": {"alert": "no device"}}, topic=self.topic), {}, "outcomes")
        self.client.unsubscribe(self.app, [self.topic], groups=[self.account])
        return f"no device is in {self.topic}"


def main() -> int:
    """Runs the story."""
    parser = argparse.ArgumentParser(description="Runs the life of some devices against a server.")
    add_connection_arguments(parser)
    parser.add_argument("--app", required=True)
    parser.add_argument("--finish-timeout", type=float, default=60.0, help="seconds until a message must be finished")
    options = parser.parse_args()
    name = "connect"
    try:
        with connect_from(options) as client:
            for step in Story(client, options.app, options.finish_timeout).steps():
                name = step.__name__.replace("_", " ")
                print(f"{name}: {step()}", flush=True)
    except (Deviation, CarillonError) as problem:
        print(f"{name}: FAILED, {problem}", flush=True)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
