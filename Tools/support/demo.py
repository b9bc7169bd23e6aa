"""The scenes of Tools/demo, which builds and starts this program: a small game whose service uses the command
`carillon`.

After each send a table shows what each phone received and why. The left side is the record of APNs, the right side is
the outcomes and memberships of the server. The exit status is 1 if the two disagree. Then the server is killed during a
send. With --keep, everything keeps running at the end; with --console, the console too.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time
import unicodedata
from pathlib import Path
from typing import Any, Dict, Iterable, List, Optional, Tuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Tests" / "SystemTests"))
from support.deployment import Deployment
from support.environment import APP, PROGRAMS, crln, eventually, stable

# The devices of the send during which the server is killed.
CROWD = 5_000
LOCALES = ("en-GB", "de-AT", "fr-FR")
# In the story of the console every 40th phone of the crowd is muted.
MUTED_PHONE_STEP = 40
# In the story of the console the phones whose tokens begin with this digit have removed the app.
REMOVED_APP_PREFIX = "d"
IS_WATCHED = sys.stdout.isatty() and "NO_COLOR" not in os.environ
COLUMNS = 100
# The exit status of `carillon send --wait` when a device got nothing: muted, or without a language.
NOT_ALL_DELIVERED = 4


class DemoFailed(Exception):
    """The result of a step is not the expected one."""


def run_carillon(deployment: Deployment, *words: str) -> List[str]:
    """Runs `carillon` on a deployment and returns the lines that it prints."""
    variables = {"CARILLON_SERVER": f"127.0.0.1:{deployment.port}",
                 "CARILLON_API_KEY_FILE": str(deployment.api_key_file)}
    done = subprocess.run([str(PROGRAMS / "carillon"), *words], stdout=subprocess.PIPE, text=True, check=False,
                          env={**os.environ, **variables})
    if done.returncode not in (0, NOT_ALL_DELIVERED):
        raise DemoFailed(f"carillon {' '.join(words)} ended with {done.returncode}")
    return done.stdout.splitlines()


def painted(text: str, code: int) -> str:
    return f"\033[{code}m{text}\033[0m" if IS_WATCHED else text


def headline(text: str) -> None:
    print(painted(text, 1), flush=True)


def remark(text: str) -> None:
    print(painted("    … " + text, 2), flush=True)


def padded(text: str, columns: int) -> str:
    """The text, filled with blanks to a width; a Chinese character takes two columns."""
    width = sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)
    return text + " " * (columns - width)


def quoted(word: str) -> str:
    """A word, quoted for a shell."""
    if re.fullmatch(r"[\w./:=,$…–-]+", word):
        return word
    return "'" + word.replace("'", "'\\''") + "'" if re.search(r'["$\\`]|!(?![=(])', word) else f'"{word}"'


def show(words: Iterable[str]) -> None:
    """Prints a command as an operator would type it; a long one is broken before an option."""
    lines, line = [], "  $ carillon"
    for part in re.split(r" (?=--)", " ".join(quoted(shortened(word)) for word in words)):
        if len(line) + len(part) > COLUMNS:
            lines.append(line + " \\")
            line = "     "
        line += " " + part
    print(painted("\n".join([*lines, line]), 2), flush=True)


def shortened(word: str) -> str:
    """The app as its variable, a token as its first characters."""
    return "$APP" if word == APP else word[:8] + "…" if len(word) == 64 else word


class Phone:
    """A phone of the demo: a name, a language and a device token."""

    def __init__(self, name: str, locale: Optional[str], kind: str = "device") -> None:
        self.name, self.locale, self.kind = name, locale, kind
        self.token = hashlib.sha256(name.encode()).hexdigest()
        self.id = 0


class Game:
    """The phones of the game, and the steps of its service."""

    def __init__(self, deployment: Deployment, client: crln.Client) -> None:
        self.deployment, self.client = deployment, client
        self.record = open(deployment.record, encoding="utf-8")
        self.phones = []
        self.iphone = Phone("Ada's iPhone", "en-GB")
        self.ipad = Phone("Ada's iPad", "zh-Hant-TW")
        self.ipod = Phone("Ada's iPod", "de-AT")
        self.new = Phone("Ada's new one", "en-GB")
        self.ben = Phone("Ben's iPhone", "fr-FR")

    # The service

    def run(self, *words: object, is_shown: bool = True) -> List[Dict[str, Any]]:
        """Runs `carillon` and returns its JSON output."""
        words = [str(word) for word in words]
        if is_shown:
            show(words)
        return [json.loads(line) for line in self.output(*words, "--json")]

    def run_as_text(self, *words: str) -> None:
        """Runs `carillon` and prints its text output."""
        show(words)
        for line in self.output(*words):
            print("    " + line)

    def output(self, *words: str) -> List[str]:
        """The lines that `carillon` prints."""
        return run_carillon(self.deployment, *words)

    def register(self, phone: Phone, *more: str, is_shown: bool = True) -> None:
        locale = ["--locale", phone.locale] if phone.locale else []
        kind = ["--kind", phone.kind] if phone.kind != "device" else []
        answer = self.run("register", "--app", APP, "--token", phone.token, *kind, *locale, *more, is_shown=is_shown)
        phone.id = answer[-1]["device_id"]
        self.phones.append(phone)

    def join(self, group: str, phone: Phone, *announcement: str) -> None:
        answer = self.run("group", "join", group, "--app", APP, "--device", phone.id, *announcement)[-1]
        if announcement:
            wait_finished(self.client, answer["message_id"])
            self.table(answer["message_id"], ("group", group), left_out=phone, reason="this phone joined")

    def send(self, kind: str, name: Optional[str], *content: str, left_out: Optional[Phone] = None,
             reason: str = "") -> None:
        """Sends to a group, a topic, a condition or all, and prints the table."""
        audience = ["--" + kind] + ([name] if name else [])
        left = ["--except", left_out.id] if left_out else []
        message = self.run("send", "--app", APP, *audience, *left, *content, "--wait")[-1]["message_id"]
        self.table(message, (kind, name), left_out, reason)

    # The phones

    def arrivals(self) -> Dict[str, List[Dict[str, Any]]]:
        """The pushes that APNs received since the last call, by token."""
        arrivals = {}
        for line in self.record:
            push = json.loads(line)
            arrivals.setdefault(push["token"], []).append(push)
        return arrivals

    def table(self, message: int, audience: Tuple[str, Optional[str]], left_out: Optional[Phone] = None,
              reason: str = "") -> None:
        """Prints one line for each phone: the text that it shows, and the reason."""
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
            raise DemoFailed(f"other devices received {arrivals}")

    def why(self, phone: Phone, outcome: Optional[str], audience: Tuple[str, Optional[str]]) -> str:
        """The reason why a phone got the message or not, from the server's data."""
        kind, name = audience
        facts = self.client.memberships(APP, phone.id)
        if kind == "topic":
            sources = [source for topic, source in facts["topics"] if topic == name]
            belongs = "subscribed through " + ", ".join(source or "itself" for source in sources) if sources else ""
        elif kind == "group":
            belongs = f"in {name}" if name in facts["groups"] else ""
        else:
            belongs = {"condition": "the condition holds", "all": "all devices"}[kind] if outcome else ""
        if not outcome:
            return {"topic": "not in the topic", "group": f"not in {name}"}.get(kind, "the condition does not hold")
        if outcome == "muted":
            muted = [group for group, is_muted in facts["groups"].items() if is_muted]
            return f"{belongs}; muted: " + ", ".join(muted + ["the phone"] * ("device" in facts["muted"]))
        return belongs if outcome == "delivered" else f"{belongs}; {outcome}"


def text_of(push: Dict[str, Any]) -> str:
    """The text of a push that a phone shows."""
    alert = json.loads(push["payload"]).get("aps", {}).get("alert", "")
    return alert if isinstance(alert, str) else alert.get("body") or alert.get("loc-key", "")


def cut(text: str) -> str:
    """The text, cut to the width of the line."""
    return text if len(text) <= 52 else text[:51] + "…"


def signing_in(game: Game) -> None:
    headline("1. Ada signs in on several phones. Her other phones get an announcement, each in its language.")
    for phone in (game.iphone, game.ipad, game.ipod, game.ben):
        game.register(phone, is_shown=phone is game.iphone)
    remark("three more phones; one of them is Ben's")
    game.join("user/ada", game.iphone)
    for phone, name in ((game.ipad, "iPad"), (game.ipod, "iPod")):
        game.join("user/ada", phone, "--body", f"New sign-in on {name}", "--body-in", f"zh={name} 上有新的登入")


def level_five(game: Game) -> None:
    headline("2. Ada reaches level 5. All her phones are in the topic, and so is a phone that she adds later.")
    game.run("topic", "subscribe", "level5", "--app", APP, "--group", "user/ada")
    game.register(game.new, "--group", "user/ada")
    game.send("topic", "level5", "--body", "The tower is open")


def guild(game: Game) -> None:
    headline("3. A guild of two characters: a chat message in its original language, then a notice in the language of "
             "each phone.")
    game.run("group", "join", "role/luna", "--app", APP, "--device", game.ipad.id, "--device", game.new.id)
    game.run("group", "join", "role/thor", "--app", APP, "--device", game.ben.id)
    game.run("topic", "subscribe", "guild/77", "--app", APP, "--group", "role/luna", "--group", "role/thor")
    game.send("topic", "guild/77", "--payload", '{"aps":{"alert":"Attack at 9 – 九點!"},"type":"guild"}',
              left_out=game.ben, reason="excluded: the sender")
    game.send("topic", "guild/77", "--body", "Guild war tonight", "--body-in", "zh-Hant=今晚公會戰",
              "--body-in", "fr=Guerre ce soir")


def chinese(game: Game) -> None:
    headline("4. Ada switches the game to Chinese. From then on every push to her is in Chinese.")
    for phone in (game.iphone, game.ipad, game.ipod, game.new):
        phone.locale = "zh-Hans-CN"
        game.run("device", "update", "--app", APP, "--device", phone.id, "--locale", phone.locale,
                 is_shown=phone is game.iphone)
    remark("the same for her other phones")
    game.send("all", None, "--body", "Maintenance at 10", "--body-in", "zh=十點維護")


def muting(game: Game) -> None:
    headline("5. Mute stops all pushes to an account; unmute starts them again.")
    game.run("group", "mute", "user/ada", "--app", APP)
    game.send("all", None, "--body", "Double points today", "--body-in", "zh=今天雙倍積分")
    game.run("group", "unmute", "user/ada", "--app", APP)
    game.send("group", "user/ada", "--body", "One hour left", "--body-in", "zh=還剩一小時")


def signing_out(game: Game) -> None:
    headline("6. Ada signs out of the iPod and Ben signs in. No push for Ada reaches it.")
    game.run("group", "leave", "user/ada", "--app", APP, "--device", game.ipod.id, "--clear-topics")
    game.run("group", "join", "user/ben", "--app", APP, "--device", game.ipod.id, "--device", game.ben.id)
    game.ipod.name, game.ipod.locale = "Ben's iPod", "de-AT"
    game.run("device", "update", "--app", APP, "--device", game.ipod.id, "--locale", game.ipod.locale)
    game.send("topic", "level5", "--body", "The tower closes")
    game.send("group", "user/ben", "--body", "Welcome back, Ben")


def conditions(game: Game) -> None:
    headline("7. A condition describes the audience in one line. A phone that matches twice gets one push.")
    condition = "'level5' in topics || 'guild/77' in topics && locale != 'de'"
    game.run_as_text("audience", "explain", condition, "--app", APP)
    game.run_as_text("send", "--app", APP, "--condition", condition, "--body", "Well played", "--dry-run")
    game.send("condition", condition, "--body", "Well played", "--body-in", "zh=打得好")
    game.send("all", None, "--body-in", "zh=只有中文", "--body-in", "de=Nur auf Deutsch", "--only-translations")


def kinds(game: Game) -> None:
    headline("8. Other kinds of pushes.")
    call, match = Phone("calls", None, "voip"), Phone("match", None, "liveactivity")
    for phone in (call, match):
        game.register(phone, is_shown=False)
    pushes = [
        ("localised on the phone", game.iphone, "--title-loc-key", "RAID_TITLE", "--loc-key", "RAID_BODY",
         "--loc-arg", "Ada", "--badge", "3", "--sound", "horn.caf"),
        ("rich, replaces the last", game.ipad, "--body", "Tonight", "--mutable-content", "--thread-id", "guild-77",
         "--collapse-id", "guild-77", "--data", "image=banner.jpg"),
        ("silent", game.new, "--type", "background", "--content-available", "--data", "sync=inventory"),
        ("call (VoIP)", call, "--type", "voip", "--payload", '{"caller":"Grace","call":"0f2a"}'),
        ("Live Activity", match, "--type", "liveactivity", "--payload",
         '{"aps":{"timestamp":1790000000,"event":"update","content-state":{"home":2,"away":1}}}'),
    ]
    for index, (what, phone, *content) in enumerate(pushes):
        game.run("send", "--app", APP, "--device", phone.id, *content, "--wait", is_shown=index == 0)
        received = game.arrivals().get(phone.token, [])
        if len(received) != 1:
            raise DemoFailed(f"{what}: APNs received {received}")
        push = received[0]
        print(f"    {what:23} {push['push-type']:13} priority {push['priority']:3} {painted(cut(push['payload']), 32)}")
    print()


def broadcasting(game: Game) -> None:
    headline("9. A match is broadcast. One push reaches every Live Activity that follows its channel at APNs.")
    channel = game.run("channel", "create", "--app", APP, "--storage-policy", "most-recent")[-1]["channel"]
    for number, (event, away) in enumerate((("update", 1), ("update", 2), ("end", 2))):
        aps = {"timestamp": 1_790_000_000 + number, "event": event, "content-state": {"away": away}}
        content = json.dumps({"aps": aps}, separators=(",", ":"))
        game.run("send", "--app", APP, "--channel", channel, "--type", "liveactivity", "--expiration", "1h",
                 "--payload", content, "--wait", is_shown=number == 0)
        received = [push for pushes in game.arrivals().values() for push in pushes]
        if [push.get("channel-id") for push in received] != [channel]:
            raise DemoFailed(f"a broadcast push: APNs received {received}")
        print(f"    {received[0]['push-type']:13} priority {received[0]['priority']:3} "
              f"{painted(cut(received[0]['payload']), 32)}")
    game.run("channel", "delete", channel, "--app", APP)


def crowd_token(number: int) -> bytes:
    """The token of a phone of the crowd."""
    return hashlib.sha256(b"crowd %d" % number).digest()


def kill_during_a_send(deployment: Deployment) -> None:
    """Kills the server while it sends to a crowd; every device must be reached, and few of them twice."""
    simulator = deployment.simulator
    headline("\n10. kill -9 during a send.")
    crowd = deployment.folder / "crowd.jsonl"
    crowd.write_text("".join(
        json.dumps({"token": crowd_token(number).hex(), "topics": ["crowd"],
                    "locale": LOCALES[number % len(LOCALES)]}) + "\n"
        for number in range(CROWD)))
    show(["import", "--app", APP, "crowd.jsonl"])
    print_indented(run_carillon(deployment, "import", "--app", APP, str(crowd)))
    simulator.ask("reset")
    send = ["send", "--app", APP, "--topic", "crowd", "--body", "It begins", "--lane", "bulk"]
    show(send)
    message = json.loads(run_carillon(deployment, *send, "--json")[-1])["message_id"]
    answered = stall_and_kill(deployment, message)
    unanswered = simulator.stats()["accepted"] - answered
    print_indented([
        f"Message {message} is accepted. APNs stalls during the fan-out, and the server is killed:",
        f"{answered} devices have their outcome on disk, {unanswered} pushes are in flight without an answer."])
    deployment.start()
    print_indented(["APNs continues, and the server starts again:"])
    with deployment.client() as client:
        wait_finished(client, message)
    print_indented(run_carillon(deployment, "message", "status", str(message), "--app", APP))
    stats = simulator.stats()
    reached, twice = stats["devices"], stats["duplicates"]
    print_indented([f"APNs: {reached} of {CROWD} devices reached; {twice} of the {unanswered} in flight were sent "
                    "twice, with the same apns-id."])
    if reached != CROWD:
        raise DemoFailed("not every device was reached")
    if twice > unanswered:
        raise DemoFailed("more pushes were sent twice than were in flight")


def stall_and_kill(deployment: Deployment, message: int) -> int:
    """APNs stops after a part of the pushes, then the server is killed. Returns the number of outcomes on disk."""
    simulator = deployment.simulator
    with deployment.client() as client:

        def delivered() -> int:
            return client.message_status(APP, message)["outcomes"].get("delivered", 0)

        simulator.wait_until_accepted(CROWD // 5)
        simulator.process.send_signal(signal.SIGSTOP)
        # The server writes the outcomes of the pushes that were answered.
        eventually(delivered, "outcomes are on disk", 60)
        answered = stable(delivered, "outcomes are written")
    deployment.kill()
    # APNs reads what the killed server had written.
    simulator.process.send_signal(signal.SIGCONT)
    simulator.wait_for_connections_to_end()
    return answered


def wait_finished(client: crln.Client, message: int) -> None:
    """Waits for every outcome of a message."""
    end = time.monotonic() + 300
    while client.message_status(APP, message)["state"] != "finished":
        if time.monotonic() > end:
            raise DemoFailed(f"message {message} was not finished in 300 s")
        time.sleep(0.01)


def print_indented(lines: Iterable[str]) -> None:
    for line in lines:
        print("    " + line, flush=True)


def end(deployment: Deployment) -> None:
    """Ends the server with SIGTERM."""
    headline("\nThe end: SIGTERM drains and exits 0.")
    if deployment.terminate() != 0:
        raise DemoFailed("the server did not exit 0")
    print_indented(["The exit status is 0. All files are removed."])
    headline("\nHow to go on")
    programs = os.path.relpath(PROGRAMS)
    for name, what in (("Tools/demo --keep", "keeps everything running and prints how to use it"),
                       ("README.md", "how to send from code"),
                       ("Sources/Documentation/Operating.md", "how to use a real key"),
                       (f"{programs}/carillon --help", "every command and option"),
                       ("Protocol/Carillon-v1.md", "the protocol; Protocol/Conditions.md the conditions")):
        print_indented([f"{name:<34}  {what}"])


def keep(deployment: Deployment) -> None:
    """Prints how to use the deployment, which keeps running."""
    token = hashlib.sha256(b"yours").hexdigest()
    headline(f"\nHow to go on: everything keeps running in {deployment.folder}")
    print(f"""
  export APP={APP} CARILLON_APP={APP} PATH={PROGRAMS}:$PATH
  export CARILLON_SERVER=127.0.0.1:{deployment.port} CARILLON_API_KEY_FILE={deployment.api_key_file}
  carillon register --app $APP --token {token} --locale en --group user/ada
  carillon send --app $APP --group user/ada --title Hello --body "from me" --wait
  carillon group members user/ada --app $APP
  carillon topic list --app $APP
  tail -f {deployment.record}          what the devices receive
  kill {deployment.server.pid} {deployment.simulator.process.pid}; rm -r {deployment.folder}  the end""")


def console_address(deployment: Deployment) -> str:
    """The address of the console that `open_console` has opened."""
    return f"http://127.0.0.1:{(deployment.folder / 'console.port').read_text().strip()}/"


def open_console(deployment: Deployment) -> None:
    """Starts the server again with a console and a message under way, and prints how to log in."""
    with deployment.client() as client:
        for number in range(0, CROWD, MUTED_PHONE_STEP):
            client.update_device(APP, crowd_token(number), muted=True)
    deployment.simulator.add_rules(prefix=REMOVED_APP_PREFIX, status=410, reason="Unregistered")
    deployment.terminate()
    deployment.start("--console-port", "0", "--console-port-file", str(deployment.folder / "console.port"))
    send = ["send", "--app", APP, "--topic", "crowd", "--title", "Raid", "--body", "Tonight at 21:00", "--body-in",
            "de=Heute um 21 Uhr", "--body-in", "fr=Ce soir à 21 h", "--lane", "bulk", "--label", "raid", "--pace", "5"]
    run_carillon(deployment, *send)
    run_carillon(deployment, "send", "--app", APP, "--all", "--body", "The season ends", "--lane", "bulk",
                     "--label", "season", "--at", "+1d")
    headline("\nThe console")
    print_indented([f"Open     {console_address(deployment)}",
                    f"API key  {deployment.api_key}",
                    "The message “raid” takes about 15 minutes: watch, pause, or cancel it. Some phones are muted, and",
                    "from some the app is gone: its page has their outcomes, Look up says why. “season” waits until",
                    "tomorrow."])


def play(deployment: Deployment) -> None:
    """Plays all scenes."""
    print(f"A simulated APNs listens on 127.0.0.1:{deployment.simulator.port}, Carillon on "
          f"127.0.0.1:{deployment.port}, with new keys and certificates.")
    print(f"APP is {APP}. After each send, a table shows the text on each phone, and the reason.\n", flush=True)
    with deployment.client() as client:
        game = Game(deployment, client)
        for scene in (signing_in, level_five, guild, chinese, muting, signing_out, conditions, kinds,
                      broadcasting):
            scene(game)
    kill_during_a_send(deployment)


def main(arguments: List[str]) -> int:
    """Plays the demo; removes everything at the end unless the arguments are `--keep` or `--console`."""
    # SIGTERM removes everything too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    deployment = Deployment(apps={APP: {"production": "main"}})
    try:
        play(deployment)
        if arguments:
            if arguments == ["--console"]:
                open_console(deployment)
            keep(deployment)
            deployment = None
        else:
            end(deployment)
    except (DemoFailed, AssertionError, crln.CarillonError) as problem:
        print(f"The demo failed: {problem}\n{deployment.log()[-2000:]}", file=sys.stderr)
        return 1
    finally:
        if deployment:
            deployment.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
