"""The life of devices, groups and topics against a real server: `python -m tests.story ADDRESS KEY_FILE APP`.

Prints one line for each step. Exits with 1 at the first step that is not as the specification says. The key needs the
roles register, send and observe for the app. Tokens are random; any outcome of a push is accepted if there is one.
ScenarioTests of the Swift package plays it, and then its steps with the Swift client on the same server.
"""
from __future__ import annotations

import os
import sys
import uuid
from datetime import datetime, timedelta
from typing import Any, Callable, Dict, List

import carillon
from carillon import Audience, CarillonError, Client
from carillon.answers import MessageStatus, SendResult


class DeviationError(Exception):
    """A result that is not as the specification says."""


def expect(found: Any, wanted: Any, what: str) -> None:
    """Raises DeviationError unless the two are equal."""
    if found != wanted:
        raise DeviationError(f"{what}: expected {wanted!r}, found {found!r}")


def expect_error(code: str, work: Callable[[], object]) -> None:
    """Raises DeviationError unless the call is refused with the code and was not executed."""
    try:
        answer = work()
    except CarillonError as error:
        expect((error.code, error.effect), (code, "not_executed"), "error")
        return
    raise DeviationError(f"expected {code}, found the answer {answer!r}")


class Story:
    """The steps; each returns the text of its line."""

    def __init__(self, client: Client, app: str, timeout: float = 60.0) -> None:
        self.client, self.app, self.timeout = client, client.app(app), timeout
        self.tokens = [os.urandom(32) for _ in range(3)]
        self.ids: List[int] = []
        self.key = uuid.uuid4()
        self.begun = client.server.clock - timedelta(minutes=1)
        # New names, so that the story can be played again on the same server.
        mark = os.urandom(4).hex()
        self.account, self.character, self.topic = f"user/{mark}", f"role/{mark}", f"level5-{mark}"

    def steps(self) -> List[Callable[[], str]]:
        """Returns the steps in order."""
        return [self.ping, self.register_three, self.look_up, self.replace_a_token, self.send_once,
                self.send_another_body, self.page_outcomes, self.unregister,
                self.register_too_late, self.send_to_an_unregistered_token, self.sign_in, self.announce,
                self.inherit_a_topic, self.explain_a_condition, self.count_without_sending, self.send_in_languages,
                self.send_in_one_language, self.mute_the_account, self.switch_to_a_character, self.sign_out]

    def play(self) -> None:
        """Performs the steps and prints their lines; DeviationError or CarillonError at the first that fails."""
        for step in self.steps():
            print(f"{step.__name__.replace('_', ' ')}: {step()}", flush=True)

    def later(self, seconds: int) -> datetime:
        """A time of the story."""
        return self.begun + timedelta(seconds=seconds)

    def ping(self) -> str:
        return f"{self.client.ping() * 1000:.1f} ms"

    def register_three(self) -> str:
        results = self.client.register_batch([carillon.Registration(self.app.name, token, seen_at=self.begun)
                                              for token in self.tokens])
        expect([(each.code, str(each.result)) for each in results], [(None, "created")] * 3, "results")
        self.ids = [each.device_id for each in results]
        expect(len(set(self.ids)), 3, "different ids")
        return f"devices {self.ids}"

    def look_up(self) -> str:
        found = self.app.lookup(self.tokens[0])
        expect((found.device_id, str(found.environment), str(found.kind), found.token, found.seen_at, str(found.state)),
               (self.ids[0], "production", "device", self.tokens[0], self.begun, "active"), "device")
        expect(found.locale, None, "a locale")
        return f"device {self.ids[0]} by its token"

    def replace_a_token(self) -> str:
        old, new = self.tokens[1], os.urandom(32)
        answer = self.app.register(new, seen_at=self.later(1), replaces=old, locale="de-AT")
        expect((answer.device_id, str(answer.result)), (self.ids[1], "replaced"), "answer")
        found = self.app.lookup(self.ids[1])
        expect((found.token, found.locale), (new, "de-AT"), "token and locale")
        expect_error("NOT_FOUND", lambda: self.app.lookup(old))
        self.tokens[1] = new
        return f"device {self.ids[1]} kept its id"

    def _send(self, text: str) -> SendResult:
        devices = carillon.devices([self.tokens[0], self.ids[1], self.ids[2], self.ids[2]])
        return self.app.send(devices, carillon.Notification(body=text), key=self.key)

    def send_once(self) -> str:
        sent = self._send("story")
        expect((sent.duplicate, sent.total, sent.ended), (False, 3, 0), "answer")
        again = self._send("story")
        expect((again.message_id, again.duplicate, again.total), (sent.message_id, True, 3), "the second answer")
        self.message_id = sent.message_id
        return f"message {sent.message_id} to 3 devices, and a duplicate"

    def send_another_body(self) -> str:
        expect_error("IDEMPOTENCY_CONFLICT", lambda: self._send("another"))
        return "a conflict"

    def _finished(self, message_id: int) -> MessageStatus:
        status = self.app.wait_until_finished(message_id, timeout=self.timeout)
        expect(sum(status.outcomes.values()), status.total, "sum of the outcomes")
        expect(carillon.Outcome.PENDING in status.outcomes, False, "something pending")
        return status

    def page_outcomes(self) -> str:
        status = self._finished(self.message_id)
        expect(status.total, 3, "total")
        page = self.app.message_outcomes(self.message_id, limit=2)
        expect((len(page.recipients), page.next > 0), (2, True), "a page of 2 and a next one")
        last = self.app.message_outcomes(self.message_id, cursor=page.next, limit=2)
        recipients = [*page.recipients, *last.recipients]
        expect([each.device_id for each in recipients], sorted(self.ids), "recipients")
        return str({each.device_id: str(each.outcome) for each in recipients})

    def unregister(self) -> str:
        answer = self.app.unregister(self.ids[2], at=self.later(2))
        expect((answer.device_id, str(answer.result)), (self.ids[2], "removed"), "answer")
        expect_error("NOT_FOUND", lambda: self.app.lookup(self.ids[2]))
        again = self.app.unregister(self.tokens[2], at=self.later(2))
        expect((again.device_id, str(again.result)), (0, "not-registered"), "the second answer")
        return f"device {self.ids[2]} is gone"

    def register_too_late(self) -> str:
        for seconds in (1, 2):
            expect_error("STALE", lambda: self.app.register(self.tokens[2], seen_at=self.later(seconds)))
        return "stale, as it should be"

    def send_to_an_unregistered_token(self) -> str:
        sent = self.app.send(carillon.devices([self.tokens[2]]), carillon.Notification(body="no device"))
        expect((sent.total, sent.ended), (1, 1), "total and ended")
        status = self.app.message_status(sent.message_id)
        expect((str(status.state), status.outcomes), ("finished", {carillon.Outcome.UNREGISTERED: 1}), "status")
        return f"message {sent.message_id} ended at once"

    def sign_in(self) -> str:
        answer = self.app.join(self.account, self.ids[:2])
        expect((answer.joined, answer.message_id, answer.unknown), (2, 0, []), "answer")
        expect(list(self.app.iter_group_devices(self.account)), self.ids[:2], "members")
        return f"two devices in {self.account}"

    def announce(self) -> str:
        self.tokens[2] = os.urandom(32)
        self.ids[2] = self.app.register(self.tokens[2], locale="zh-Hant-TW").device_id
        announcement: Dict[str, Any] = {"announcement": carillon.Notification(body="new sign-in"),
                                        "languages": {"de": carillon.Translation(body="neue Anmeldung")}}
        answer = self.app.join(self.account, self.ids[2:], **announcement)
        expect(self._finished(answer.message_id).total, 2, "devices of the announcement")
        again = self.app.join(self.account, self.ids[2:], **announcement)
        expect((again.joined, again.message_id, again.unknown), (0, 0, []), "the second answer")
        return "the two others get the announcement, once"

    def inherit_a_topic(self) -> str:
        answer = self.app.subscribe(["/topics/" + self.topic], groups=[self.account])
        expect((answer.changed, answer.unknown), (1, []), "answer")
        expect(list(self.app.iter_topic_devices(self.topic)), sorted(self.ids), "devices")
        found = self.app.memberships(self.ids[2])
        expect([(each.group, each.muted) for each in found.groups], [(self.account, False)], "groups")
        expect([(each.topic, each.source) for each in found.topics], [(self.topic, self.account)], "topics")
        return f"three devices in {self.topic}"

    def explain_a_condition(self) -> str:
        condition = f"'{self.topic}' in topics && (locale == 'de' || locale == 'zh-Hant')"
        expect(self.app.explain(condition).devices, 2, "devices")
        expect_error("INVALID_ARGUMENT", lambda: self.app.explain(condition + " &&"))
        return condition

    def count_without_sending(self) -> str:
        audience = carillon.condition(f"'{self.topic}' in topics && !(locale == 'de')")
        counted = self.app.send(audience, carillon.Notification(body="never"), dry_run=True)
        expect((counted.message_id, counted.total), (0, 2), "message and total")
        return "two devices"

    def _outcomes(self, audience: Audience, text: str, **options: Any) -> Dict[str, int]:
        sent = self.app.send(audience, carillon.Notification(body=text), **options)
        return {str(outcome): devices for outcome, devices in self._finished(sent.message_id).outcomes.items()}

    def send_in_languages(self) -> str:
        outcomes = self._outcomes(carillon.groups([self.account, self.account]), "hello", excluded_device=self.ids[0],
                                  languages={"zh": carillon.Translation(body="你好")})
        expect(sum(outcomes.values()), 2, "total")
        return str(outcomes)

    def send_in_one_language(self) -> str:
        outcomes = self._outcomes(carillon.topic(self.topic), "", only_languages=True,
                                  languages={"zh": carillon.Translation(body="你好")})
        expect(outcomes.get("no-language"), 2, "devices of other languages")
        return str(outcomes)

    def mute_the_account(self) -> str:
        expect(self.app.set_group_muted(self.account, True).devices, 3, "devices")
        expect(self._outcomes(carillon.topic(self.topic), "hush"), {"muted": 3}, "outcomes")
        self.app.set_group_muted(self.account, False)
        return "three devices got no push"

    def switch_to_a_character(self) -> str:
        answer = self.app.switch(self.ids[2], self.account, self.character)
        both = carillon.SwitchChanges.LEFT | carillon.SwitchChanges.JOINED
        expect((answer.device_id, answer.changed, answer.message_id), (self.ids[2], both, 0), "answer")
        expect(list(self.app.iter_topic_devices(self.topic)), self.ids[:2], "devices in the topic")
        return f"device {self.ids[2]} is in {self.character}"

    def sign_out(self) -> str:
        self.app.subscribe([self.topic], devices=self.ids[:2])
        for group, devices in ((self.account, self.ids[:2]), (self.character, self.ids[2:])):
            answer = self.app.leave(group, devices, clear_topics=True)
            expect((answer.left, answer.unknown), (len(devices), []), "answer")
        expect(self._outcomes(carillon.topic(self.topic), "no device"), {}, "outcomes")
        self.app.unsubscribe([self.topic], groups=[self.account])
        return f"no device is in {self.topic}"


def main(address: str, key_file: str, app: str) -> int:
    """Plays the story; returns the exit status."""
    try:
        with Client(address, api_key_file=key_file) as client:
            Story(client, app).play()
    except (DeviationError, CarillonError) as problem:
        print(f"FAILED, {problem}", flush=True)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
