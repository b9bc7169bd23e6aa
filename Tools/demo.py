"""The stories of Tools/demo, which starts it: a small game whose service speaks to Carillon through `carillon`.

After each send it shows, phone by phone, what APNs recorded, and why: from the outcomes and memberships that the server
tells. It ends with 1 if the two disagree. Needs in the environment: PROGRAMS, RECORD, APP, CARILLON_SERVER and
CARILLON_API_KEY_FILE.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import time
import unicodedata
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Protocol" / "python"))
import carillon

APP = os.environ["APP"]
IS_WATCHED = sys.stdout.isatty() and "NO_COLOR" not in os.environ
COLUMNS = 100
# The exit code of `carillon send --wait` when a device got nothing: muted, or without a language.
NOT_ALL_DELIVERED = 4


class DemoFailed(Exception):
    """Something did not happen as the story goes."""


def painted(text, code):
    return f"\033[{code}m{text}\033[0m" if IS_WATCHED else text


def headline(text):
    print(painted(text, 1), flush=True)


def note(text):
    print(painted("    … " + text, 2), flush=True)


def padded(text, columns):
    """The text with blanks behind it; a Chinese character takes two columns."""
    width = sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)
    return text + " " * (columns - width)


def quoted(word):
    """A word as a shell wants it."""
    if re.fullmatch(r"[\w./:=,$…–-]+", word):
        return word
    return "'" + word.replace("'", "'\\''") + "'" if re.search(r'["$\\`]|!(?![=(])', word) else f'"{word}"'


def show(words):
    """A command as it would be typed; broken before an option if it is long."""
    lines, line = [], "  $ carillon"
    for part in re.split(r" (?=--)", " ".join(quoted(shortened(word)) for word in words)):
        if len(line) + len(part) > COLUMNS:
            lines.append(line + " \\")
            line = "     "
        line += " " + part
    print(painted("\n".join([*lines, line]), 2), flush=True)


def shortened(word):
    """The app by its variable, a token by its beginning."""
    return "$APP" if word == APP else word[:8] + "…" if len(word) == 64 else word


class Phone:
    """A token of a device with the name that the story gives it."""

    def __init__(self, name, locale, kind="device"):
        self.name, self.locale, self.kind = name, locale, kind
        self.token = hashlib.sha256(name.encode()).hexdigest()
        self.id = 0


class Story:
    """The cast, and how it is told what happens."""

    def __init__(self, client):
        self.client = client
        self.record = open(os.environ["RECORD"], encoding="utf-8")
        self.phones = []
        self.iphone = Phone("Ada's iPhone", "en-GB")
        self.ipad = Phone("Ada's iPad", "zh-Hant-TW")
        self.ipod = Phone("Ada's iPod", "de-AT")
        self.new = Phone("Ada's new one", "en-GB")
        self.ben = Phone("Ben's iPhone", "fr-FR")

    # What the service does

    def run(self, *words, is_shown=True):
        """Runs `carillon`; its answers as objects."""
        words = [str(word) for word in words]
        if is_shown:
            show(words)
        return [json.loads(line) for line in self.output(*words, "--json")]

    def say(self, *words):
        """Runs `carillon` and shows what it says to people."""
        show(words)
        for line in self.output(*words):
            print("    " + line)

    @staticmethod
    def output(*words):
        """What `carillon` says, by lines."""
        done = subprocess.run([os.environ["PROGRAMS"] + "/carillon", *words], stdout=subprocess.PIPE, text=True)
        if done.returncode not in (0, NOT_ALL_DELIVERED):
            raise DemoFailed(f"carillon {' '.join(words)} ended with {done.returncode}")
        return done.stdout.splitlines()

    def register(self, phone, *more, is_shown=True):
        locale = ["--locale", phone.locale] if phone.locale else []
        kind = ["--kind", phone.kind] if phone.kind != "device" else []
        answer = self.run("register", "--app", APP, "--token", phone.token, *kind, *locale, *more, is_shown=is_shown)
        phone.id = answer[-1]["device_id"]
        self.phones.append(phone)

    def join(self, group, phone, *announcement):
        answer = self.run("group", "join", group, "--app", APP, "--device", phone.id, *announcement)[-1]
        if announcement:
            self.finish(answer["message_id"])
            self.table(answer["message_id"], ("group", group), left_out=phone, reason="it is the one that joined")

    def send(self, kind, name, *content, left_out=None, reason=""):
        """Sends to a group, a topic, a condition or all, and shows what came of it."""
        audience = ["--" + kind] + ([name] if name else [])
        left = ["--except", left_out.id] if left_out else []
        message = self.run("send", "--app", APP, *audience, *left, *content, "--wait")[-1]["message_id"]
        self.table(message, (kind, name), left_out, reason)

    def finish(self, message):
        """Waits for every outcome."""
        end = time.monotonic() + 30
        while self.client.message_status(APP, message)["state"] != "finished":
            if time.monotonic() > end:
                raise DemoFailed(f"message {message} was not finished in 30 s")
            time.sleep(0.01)

    # What the phones show

    def arrivals(self):
        """By token, what APNs received since this was asked last."""
        arrivals = {}
        for line in self.record:
            push = json.loads(line)
            arrivals.setdefault(push["token"], []).append(push)
        return arrivals

    def table(self, message, audience, left_out=None, reason=""):
        """One line for each phone: what it shows, and why."""
        outcomes = {entry["device_id"]: entry["outcome"]
                    for entry in self.client.message_outcomes(APP, message)["recipients"]}
        arrivals = self.arrivals()
        print()
        for phone in self.phones:
            pushes = arrivals.pop(phone.token, [])
            outcome = outcomes.get(phone.id)
            if (outcome == "delivered") != (len(pushes) == 1):
                raise DemoFailed(f"{phone.name}: the outcome is {outcome}, but APNs received {pushes}")
            shown = text_of(pushes[0]) if pushes else "·"
            why = reason if phone is left_out else self.why(phone, outcome, audience)
            cells = padded(f"{phone.id:4} {phone.name}", 20) + padded(phone.locale or "", 12)
            cells += painted(padded(shown, 34), 32) if pushes else padded(shown, 34)
            print((cells + painted(why, 2)).rstrip(), flush=True)
        print()
        if arrivals:
            raise DemoFailed(f"somebody else received {arrivals}")

    def why(self, phone, outcome, audience):
        """Why a phone got what it got, in the server's own facts."""
        kind, name = audience
        facts = self.client.memberships(APP, phone.id)
        if kind == "topic":
            sources = [source for topic, source in facts["topics"] if topic == name]
            belongs = "subscribed through " + ", ".join(source or "itself" for source in sources) if sources else ""
        elif kind == "group":
            belongs = f"in {name}" if name in facts["groups"] else ""
        else:
            belongs = {"condition": "the condition holds", "all": "everybody"}[kind] if outcome else ""
        if not outcome:
            return {"topic": "not in the topic", "group": f"not in {name}"}.get(kind, "the condition does not hold")
        if outcome == "muted":
            muted = [group for group, is_muted in facts["groups"].items() if is_muted]
            return f"{belongs}; muted: " + ", ".join(muted + ["the phone"] * ("device" in facts["muted"]))
        return belongs if outcome == "delivered" else f"{belongs}; {outcome}"


def text_of(push):
    """What a phone shows of a push."""
    alert = json.loads(push["payload"]).get("aps", {}).get("alert", "")
    return alert if isinstance(alert, str) else alert.get("body") or alert.get("loc-key", "")


def cut(text):
    """The text, as far as the line goes."""
    return text if len(text) <= 52 else text[:51] + "…"


def signing_in(story):
    headline("1. Ada signs in on one phone after the other. The others are told, each in its language.")
    for phone in (story.iphone, story.ipad, story.ipod, story.ben):
        story.register(phone, is_shown=phone is story.iphone)
    note("three more, and one of them is Ben's")
    story.join("user/ada", story.iphone)
    for phone, name in ((story.ipad, "iPad"), (story.ipod, "iPod")):
        story.join("user/ada", phone, "--body", f"New sign-in on {name}", "--body-in", f"zh={name} 上有新的登入")


def level_five(story):
    headline("2. Ada reaches level 5: so do all her phones, and the one that she buys tomorrow.")
    story.run("topic", "subscribe", "level5", "--app", APP, "--group", "user/ada")
    story.register(story.new, "--group", "user/ada")
    story.send("topic", "level5", "--body", "The tower is open")


def guild(story):
    headline("3. A guild of two characters: the master's words as he wrote them, then an official notice.")
    story.run("group", "join", "role/luna", "--app", APP, "--device", story.ipad.id, "--device", story.new.id)
    story.run("group", "join", "role/thor", "--app", APP, "--device", story.ben.id)
    story.run("topic", "subscribe", "guild/77", "--app", APP, "--group", "role/luna", "--group", "role/thor")
    story.send("topic", "guild/77", "--payload", '{"aps":{"alert":"Attack at 9 – 九點!"},"type":"guild"}',
               left_out=story.ben, reason="left out: he wrote it there")
    story.send("topic", "guild/77", "--body", "Guild war tonight", "--body-in", "zh-Hant=今晚公會戰",
               "--body-in", "fr=Guerre ce soir")


def chinese(story):
    headline("4. Ada switches the game to Chinese, and gets every push in Chinese from then on.")
    for phone in (story.iphone, story.ipad, story.ipod, story.new):
        phone.locale = "zh-Hans-CN"
        story.run("device", "update", "--app", APP, "--device", phone.id, "--locale", phone.locale,
                  is_shown=phone is story.iphone)
    note("and so her other phones")
    story.send("all", None, "--body", "Maintenance at 10", "--body-in", "zh=十點維護")


def switches(story):
    headline("5. One switch turns everything off, and on again.")
    story.run("group", "mute", "user/ada", "--app", APP)
    story.send("all", None, "--body", "Double points today", "--body-in", "zh=今天雙倍積分")
    story.run("group", "unmute", "user/ada", "--app", APP)
    story.send("group", "user/ada", "--body", "One hour left", "--body-in", "zh=還剩一小時")


def signing_out(story):
    headline("6. Ada signs out of the iPod and Ben takes it: nothing of hers reaches him.")
    story.run("group", "leave", "user/ada", "--app", APP, "--device", story.ipod.id, "--clear-topics")
    story.run("group", "join", "user/ben", "--app", APP, "--device", story.ipod.id, "--device", story.ben.id)
    story.ipod.name, story.ipod.locale = "Ben's iPod", "de-AT"
    story.run("device", "update", "--app", APP, "--device", story.ipod.id, "--locale", story.ipod.locale)
    story.send("topic", "level5", "--body", "The tower closes")
    story.send("group", "user/ben", "--body", "Welcome back, Ben")


def conditions(story):
    headline("7. Conditions: who is meant is said in one line; audiences that overlap give one copy.")
    condition = "'level5' in topics || 'guild/77' in topics && locale != 'de'"
    story.say("audience", "explain", condition, "--app", APP)
    story.say("send", "--app", APP, "--condition", condition, "--body", "Well played", "--dry-run")
    story.send("condition", condition, "--body", "Well played", "--body-in", "zh=打得好")
    story.send("all", None, "--body-in", "zh=只有中文", "--body-in", "de=Nur auf Deutsch", "--only-translations")


def kinds(story):
    headline("8. What else Apple's devices know.")
    call, match = Phone("calls", None, "voip"), Phone("match", None, "liveactivity")
    for phone in (call, match):
        story.register(phone, is_shown=False)
    pushes = [
        ("localised on the phone", story.iphone, "--title-loc-key", "RAID_TITLE", "--loc-key", "RAID_BODY",
         "--loc-arg", "Ada", "--badge", "3", "--sound", "horn.caf"),
        ("rich, replaces the last", story.ipad, "--body", "Tonight", "--mutable-content", "--thread-id", "guild-77",
         "--collapse-id", "guild-77", "--data", "image=banner.jpg"),
        ("silent", story.new, "--type", "background", "--content-available", "--data", "sync=inventory"),
        ("call (VoIP)", call, "--type", "voip", "--payload", '{"caller":"Grace","call":"0f2a"}'),
        ("Live Activity", match, "--type", "liveactivity", "--payload",
         '{"aps":{"timestamp":1790000000,"event":"update","content-state":{"home":2,"away":1}}}'),
    ]
    for index, (what, phone, *content) in enumerate(pushes):
        story.run("send", "--app", APP, "--device", phone.id, *content, "--wait", is_shown=index == 0)
        received = story.arrivals().get(phone.token, [])
        if len(received) != 1:
            raise DemoFailed(f"{what}: APNs received {received}")
        push = received[0]
        print(f"    {what:23} {push['push-type']:13} priority {push['priority']:3} {painted(cut(push['payload']), 32)}")


def main():
    """Tells all stories."""
    host, _, port = os.environ["CARILLON_SERVER"].rpartition(":")
    key = Path(os.environ["CARILLON_API_KEY_FILE"]).read_bytes().strip()
    try:
        print()
        with carillon.Client.connect(host, int(port), plaintext=True, api_key=key) as client:
            story = Story(client)
            for tell in (signing_in, level_five, guild, chinese, switches, signing_out, conditions, kinds):
                tell(story)
    except (DemoFailed, carillon.CarillonError) as problem:
        print(f"The demo failed: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
