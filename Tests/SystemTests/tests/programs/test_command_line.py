"""The command line as operators and scripts use it: exit statuses, the live screen, completions, and where settings
come from."""
from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

from support.deployment import APP, OTHER_APP, PROGRAMS, Deployment, eventually, sha256
from support.environment import VERSION
from support.programs.screen import CARILLON, Screen
from support.system_test_case import PAYLOAD, SystemTestCase, register

PROGRAM_NAMES = ("carillon", "carillond", "carillon-dump", "carillon-load", "apns-simulator", "push-simulator")

LEAVES_PAGE = b"\x1b[?1049l"


def environment(deployment: Optional[Deployment] = None, **more: str) -> Dict[str, str]:
    """Returns the environment of a shell that is configured for the deployment, without that of the test run."""
    variables = {"PATH": f"{PROGRAMS}:{os.environ['PATH']}", "HOME": "/nonexistent", "TERM": "xterm", **more}
    if deployment:
        (deployment.folder / "key").write_text(deployment.api_key)
        port = (deployment.folder / "server.port").read_text().strip()
        variables = {"CARILLON_SERVER": f"127.0.0.1:{port}", "CARILLON_API_KEY_FILE": deployment.keys.path("key"),
                     **variables}
    return variables


def run(arguments: List[str], variables: Dict[str, str], **options: Any) -> subprocess.CompletedProcess:
    """Runs one command to its end."""
    return subprocess.run([CARILLON, *arguments], env=variables, capture_output=True, text=True, timeout=60, **options)


class ExitStatusesTests(SystemTestCase):
    """Commands with their exit statuses and output."""

    SEND = ["send", "--app", APP, "--body", "Hi"]

    def setUp(self) -> None:
        """Starts a server with a device 1, and a device 2 whose pushes are refused."""
        server = self.deployment()
        server.simulator.add_rules(prefix="dd", status=400, reason="PayloadEmpty")
        with server.client() as client:
            register(client, 1)
            register(client, 1, b"\xdd")
        self.mine, self.authority = environment(server), server.keys.path("authority.pem")

    def check(self, status: int, cases: List[Tuple[str, List[str], Dict[str, str], str]]) -> None:
        """Runs commands that end with the status and print words. A case has a name, arguments and variables."""
        for name, arguments, variables, words in cases:
            with self.subTest(name):
                done = run(arguments, variables)
                self.assertEqual(done.returncode, status, done.stdout + done.stderr)
                self.assertIn(words, done.stdout + done.stderr)
                self.assertNotIn("\x1b", done.stdout + done.stderr, "colors without a terminal")

    def test_success_is_0(self) -> None:
        mine = self.mine
        self.check(0, [
            ("done", ["ping"], mine, "carillond/"),
            ("help", ["send", "--help"], environment(), "Examples:"),
            ("version", ["--version"], environment(), "carillon "),
            ("help with a misspelt variable", ["ping", "--help"], environment(CARILLON_SEVER="x"), "Examples:"),
            ("the app of the environment", ["topic", "list"], {**mine, "CARILLON_APP": APP}, "devices"),
            ("the second of two addresses", ["ping"],
             {**mine, "CARILLON_SERVER": f"127.0.0.1:1,{mine['CARILLON_SERVER']}"}, "carillond/"),
            ("delivered to all", [*self.SEND, "--wait", "--device", "1"], mine, "delivered"),
            ("no device, and no waiting", [*self.SEND, "--topic", "none"], mine, "the audience is empty")])

    def test_a_refusal_of_the_server_is_1(self) -> None:
        mine = self.mine
        self.check(1, [
            ("no such device", ["device", "show", "--app", APP, "--device", "99"], mine, "NOT_FOUND"),
            ("an app that is not served", ["topic", "list", "--app", "com.example.none"], mine, "NOT_FOUND"),
            ("a wrong key", ["ping"], {**mine, "CARILLON_API_KEY_FILE": "", "CARILLON_API_KEY": "wrong"},
             "--api-key-file")])

    def test_a_command_line_that_cannot_be_run_is_2(self) -> None:
        mine = self.mine
        self.check(2, [
            ("an unknown option", ["ping", "--fast"], mine, "--fast"),
            ("an option that is missing", ["device", "show", "--device", "1"], mine, "--app"),
            ("a misspelt variable", ["ping"], {**mine, "CARILLON_SEVER": "x"}, "Did you mean CARILLON_SERVER?"),
            ("a payload that is not there", ["send", "--app", APP, "--device", "1", "--payload-file", "/none"], mine,
             "carillon: /none cannot be read: No such file or directory\n"),
            ("a key file that is not there", ["ping", "--api-key-file", "/none"], mine, "/none"),
            ("a configuration that is not there", ["ping", "--config", "/none"], mine, "/none"),
            ("an empty address", ["ping", "--server", "127.0.0.1:1,"], mine, "neither HOST:PORT nor unix:PATH")])

    def test_a_server_that_cannot_be_reached_is_3(self) -> None:
        mine = self.mine
        self.check(3, [
            ("no server", ["ping"], {**mine, "CARILLON_SERVER": "127.0.0.1:1"}, "--server"),
            ("neither of two servers", ["ping", "--server", "127.0.0.1:1,127.0.0.1:2"], mine, "127.0.0.1:2"),
            ("TLS where there is none", ["ping", "--ca", self.authority], mine, "--plaintext")])

    def test_a_message_that_was_not_delivered_to_all_is_4(self) -> None:
        self.check(4, [
            ("not to one", [*self.SEND, "--wait", "--device", "1", "--device", "2"], self.mine, "bad-request"),
            ("no device", [*self.SEND, "--wait", "--topic", "none"], self.mine,
             "carillon topic list --app com.example.game")])

    def test_the_server_reports_its_own_errors(self) -> None:
        text = subprocess.run([str(PROGRAMS / "carillond"), "--help"], capture_output=True, text=True,
                              timeout=20).stdout
        self.assertIn("Exit status:", text)
        for status, arguments, words in (
                (1, ["--config", "/none"], "/none: cannot be read: No such file or directory"),
                (1, ["check-config"], "/etc/carillon"), (1, ["check-config", "/tmp"], "/tmp: is not a regular file"),
                (2, ["--fast"], "unknown option '--fast'"), (2, ["make-key"], "needs the name"),
                (2, ["chekc-config", "--config", "/none"], "Did you mean 'check-config'?"),
                (2, ["make-key", "a", "b"], "'b' is another word"), (2, ["carillon.json"], "--config carillon.json")):
            done = subprocess.run([str(PROGRAMS / "carillond"), *arguments], capture_output=True, env=environment(),
                                  text=True, timeout=20)
            with self.subTest(words):
                self.assertEqual(done.returncode, status, done.stderr)
                self.assertIn(words, done.stderr)


class CommandWordsTests(unittest.TestCase):
    """Words of the command line, the same in all programs."""

    def test_each_program_prints_its_version(self) -> None:
        for program in PROGRAM_NAMES:
            done = subprocess.run([PROGRAMS / program, "--version"], capture_output=True, text=True, timeout=60)
            self.assertEqual((done.returncode, done.stdout), (0, f"{program} {VERSION} (revision unknown)\n"))

    def test_each_program_prints_its_help(self) -> None:
        for program in PROGRAM_NAMES:
            done = subprocess.run([PROGRAMS / program, "--help"], capture_output=True, text=True, timeout=60)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("--version" if program != "carillond" else "carillond version", done.stdout, program)

    def test_a_typo_is_refused_with_the_word_that_was_meant(self) -> None:
        for program, word, meant in (("carillon", "sned", "send"), ("carillond", "chekc-config", "check-config"),
                                     ("carillon-dump", "bakcup", "backup"), ("carillon-load", "comapre", "compare"),
                                     ("carillon-load", "--conections", "--connections"),
                                     ("apns-simulator", "--hots", "--host"),
                                     ("carillond", "--client-treads", "--client-threads")):
            with self.subTest(program=program, word=word):
                done = subprocess.run([PROGRAMS / program, word], capture_output=True, text=True, timeout=60,
                                      env=environment())
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(f"'{word}'", done.stderr)
                self.assertIn(f"Did you mean '{meant}'?", done.stderr)

    def test_a_new_key_may_only_send_unless_more_is_asked_for(self) -> None:
        def made(*arguments: str) -> str:
            done = subprocess.run([PROGRAMS / "carillond", "make-key", *arguments], capture_output=True, text=True,
                                  timeout=20, check=True)
            return done.stdout

        entry = json.loads(re.search("{.*}", made("backend"))[0])
        self.assertEqual(entry["grants"], [{"app": APP, "roles": ["send"]}])
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "key"
            entry = json.loads(re.search("{.*}", made('a"b', "--app", "*", "--role", "admin", "--out", str(path)))[0])
            self.assertEqual((entry["name"], entry["grants"]), ('a"b', [{"app": "*", "roles": ["admin"]}]))
            self.assertEqual(entry["keySHA256"], [sha256(path.read_text().strip())])
            self.assertEqual(path.stat().st_mode & 0o777, 0o600)
            done = subprocess.run([PROGRAMS / "carillond", "make-key", "a", "--out", str(path)], capture_output=True,
                                  text=True, timeout=20)
            self.assertEqual(done.returncode, 1)
            self.assertIn("File exists", done.stderr)


class UnwritableOutputTests(unittest.TestCase):
    """Standard output whose reader has closed, or that has no space."""

    def test_output_without_a_reader_or_space_ends_a_program(self) -> None:
        for program in ("carillon", "carillon-dump", "carillon-load"):
            with self.subTest(program):
                reader, writer = os.pipe()
                os.close(reader)
                done = subprocess.run([PROGRAMS / program, "--help"], stdout=writer, stderr=subprocess.PIPE, timeout=60)
                os.close(writer)
                self.assertEqual((done.returncode, done.stderr), (-signal.SIGPIPE, b""), "as head(1) leaves others")
                with open("/dev/full", "wb") as full:
                    done = subprocess.run([PROGRAMS / program, "--help"], stdout=full, stderr=subprocess.PIPE,
                                          timeout=60)
                self.assertEqual(done.returncode, 2)
                self.assertEqual(
                    done.stderr.decode(),
                    f"{program}: standard output cannot be written: No space left on device\n")


class CommandSettingsTests(SystemTestCase):
    def test_a_file_says_where_the_server_is(self) -> None:
        deployment = self.deployment(simulator=None)
        variables = environment(deployment)
        home = deployment.folder / "home"
        (home / ".config/carillon").mkdir(parents=True)
        (home / ".config/carillon/config.json").write_text(json.dumps(
            {"server": variables.pop("CARILLON_SERVER"), "apiKeyFile": variables.pop("CARILLON_API_KEY_FILE")}))
        done = run(["ping"], {**variables, "HOME": str(home)})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(run(["ping", "--server", "127.0.0.1:1"], {**variables, "HOME": str(home)}).returncode, 3)


class ConfirmationTests(SystemTestCase):
    """send --all."""

    def test_a_send_to_all_devices_asks_for_a_yes(self) -> None:
        deployment = self.deployment()
        with deployment.client() as client:
            register(client, 1_200)
        send = ["send", "--app", APP, "--all", "--body", "Hi"]
        question = b"Send to all 1,200 devices of com.example.game? [y/N] "
        for answer, status, words in ((b"\n", 1, b"nothing was sent"), (b"no\n", 1, b"nothing was sent"),
                                      (b"\x04", 1, b"nothing was sent"), (b"y\n", 0, b"message 1  1,200 devices")):
            with self.subTest(answer=answer):
                screen = Screen(send, environment(deployment, NO_COLOR="1"))
                screen.wait(question)
                screen.press(answer)
                screen.wait(words)
                self.assertEqual(screen.status(), status)
        screen = Screen([*send, "--yes"], environment(deployment))
        screen.wait(b"message 2  1,200 devices")
        self.assertNotIn(b"[y/N]", screen.seen)
        self.assertEqual(screen.status(), 0)
        # A script is not asked.
        self.assertIn("message 3  1,200 devices", run(send, environment(deployment)).stdout)


class InterruptedWaitTests(SystemTestCase):
    """Commands that no longer wait for a message."""

    def test_a_message_goes_on_when_its_command_ends(self) -> None:
        deployment = self.deployment()
        # Longer than the test takes.
        deployment.simulator.add_rules(fault="delay", milliseconds=600_000)
        with deployment.client() as client:
            register(client, 1)
        send = ["send", "--app", APP, "--device", "1", "--body", "Hi"]
        note = "carillon message cancel 1 --app com.example.game"
        done = run([*send, "--wait", "--wait-limit", "100ms"], environment(deployment))
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn(note, done.stderr)
        variables = environment(deployment, NO_COLOR="1")
        # Control-C may come as soon as the number is shown; in the first milliseconds it is easily lost.
        for number, option in enumerate(["--wait"] * 20 + ["--watch"], start=2):
            with self.subTest(option, number=number):
                screen = Screen([*send, option], variables)
                screen.wait(b"%" if option == "--watch" else f"message {number}  1 device".encode())
                screen.press(b"\x03")
                screen.wait(f"carillon message watch {number} --app com.example.game".encode())
                self.assertEqual(screen.status(), 5)
        cancelled = run(["message", "cancel", "3", "--app", APP], environment(deployment))
        self.assertEqual(cancelled.stdout, "message 3  cancelled: devices without an outcome end as cancelled\n")


class CommandOutputTests(SystemTestCase):
    """What commands say about what they have done."""

    def test_restoring_a_device_that_is_in_no_quarantine_changes_nothing(self) -> None:
        deployment = self.deployment(simulator=None)
        with deployment.client() as client:
            register(client, 1)
        restore = ["device", "restore", "1", "--app", APP]
        self.assertEqual(run(restore, environment(deployment)).stdout,
                         "device 1  was not in quarantine: nothing has changed\n")
        self.assertEqual(json.loads(run([*restore, "--json"], environment(deployment)).stdout),
                         {"device_id": 1, "was_quarantined": False})

    def test_a_device_looks_the_same_in_both_programs(self) -> None:
        deployment = self.deployment(simulator=None)
        with deployment.client() as client:
            token = register(client, 1)[0].hex()
            client.update_device(APP, 1, locale="zh-Hant", attributes={"platform": "ios", "tier": "gold"}, muted=True)
            client.join(APP, "user/1", [1])
            client.subscribe(APP, ["level5", "news"], devices=[1], groups=["user/1"])
        variables = environment(deployment)
        for options in ([], ["--full-tokens"], ["--json"], ["--json", "--full-tokens"]):
            shown = run(["device", "show", "1", "--app", APP, *options], variables)
            dumped = subprocess.run([PROGRAMS / "carillon-dump", "show", "device", "1", "--app", APP, *options],
                                    env=variables, capture_output=True, text=True, timeout=60)
            without_ages = [re.sub(r", (just now|[0-9].* ago)$", "", text, flags=re.MULTILINE)
                            for text in (shown.stdout, dumped.stdout)]
            self.assertEqual(without_ages[0], without_ages[1])
            self.assertEqual(token in shown.stdout, "--full-tokens" in options)
            self.assertIn("level5", shown.stdout)

    def test_errors_have_one_form_in_json(self) -> None:
        deployment = self.deployment(simulator=None)
        variables = environment(deployment)
        done = [run(["device", "show", "--app", APP, "--device", "9", "--json", *more], variables)
                for more in ([], ["--server", "127.0.0.1:1"])]
        self.assertEqual([json.loads(each.stderr)["error"]["code"] for each in done], ["NOT_FOUND", "CANNOT_CONNECT"])
        self.assertEqual([each.stdout for each in done], ["", ""], "standard output has results only")

    def test_events_prints_the_last_events(self) -> None:
        deployment = self.deployment(simulator=None)
        variables = environment(deployment)
        empty = run(["events"], variables)
        self.assertEqual((empty.returncode, empty.stdout, empty.stderr), (0, "", "no such event is stored\n"))
        with deployment.client() as client:
            register(client, 1)
            sent = [client.send_to(APP, PAYLOAD, topic="none")["message_id"] for _ in range(30)]
            client.send(APP, [1], PAYLOAD, send_at=2**40)
            client.update_message(APP, 31, "cancel")
        names = f"message-finished  {APP}  message "

        def shown(*options: str, app: str = APP) -> List[str]:
            # There is no simulator: on a busy machine that becomes an event before the test has ended. It is of no app.
            lines = run(["events", "--app", app, *options], variables).stdout.splitlines()
            return [line.partition(names)[2].partition(" ")[0] or line.split()[2] for line in lines]

        last = ["message-updated", "delivery-failed", "31"]
        eventually(lambda: shown("--last", "1") == ["31"], "message 31 has finished")
        self.assertEqual(shown(), [str(id) for id in sent[-17:]] + last)
        self.assertEqual(shown("--last", "2"), last[1:])
        # The last events of a filter are further back than the last events.
        self.assertEqual(shown("--kind", "message-finished", "--last", "30"), [str(id) for id in sent[-29:]] + ["31"])
        self.assertEqual(shown(app=OTHER_APP), [])
        self.assertEqual(shown("--last", "1000"), [str(id) for id in sent] + last)


class CarillonTopTests(SystemTestCase):
    def test_the_screen_moves_and_gives_the_terminal_back(self) -> None:
        deployment = self.deployment()
        for name, keys in (("q", b"q"), ("Control-C", b"\x03")):
            with self.subTest(name):
                screen = Screen(["top", "--interval", "200ms"], environment(deployment))
                # Rates are known after the second reading.
                screen.wait(b"/s refused")
                screen.wait(b"MESSAGES")
                self.assertIn(b"\x1b[1m", screen.seen, "headings stand out")
                self.assertFalse(screen.echoes())
                screen.seen = b""
                screen.resize(50, 12)
                for _ in range(3):
                    screen.wait(b"\x1b[J")
                    screen.seen, last = b"", screen.seen
                screen.seen = last
                lines = screen.frame()
                self.assertLessEqual(len(lines), 12)
                self.assertLessEqual(max(map(len, lines)), 50)
                screen.press(b"?")
                screen.wait(b"any key closes it")
                screen.press(keys)
                screen.wait(LEAVES_PAGE)
                self.assertEqual(screen.status(), 0)

    def test_a_server_that_starts_again_is_waited_for(self) -> None:
        deployment = self.deployment()
        port = (deployment.folder / "server.port").read_text().strip()
        screen = Screen(["top", "--interval", "200ms", "--timeout", "1s"], environment(deployment, NO_COLOR="1"))
        screen.wait(b"/s refused")
        deployment.kill()
        screen.wait(b"no fresh statistics")
        deployment.start("--listen-port", port)
        screen.seen = b""
        screen.wait(f"carillond/{VERSION}  up".encode())
        screen.wait(b"/s refused")
        self.assertNotRegex(screen.seen.decode(errors="replace"), r"\x1b\[[0-9;]*m", "NO_COLOR was set")
        os.kill(screen.process, signal.SIGTERM)
        screen.wait(LEAVES_PAGE)
        self.assertEqual(screen.status(), 0)

    def test_without_a_terminal_top_prints_one_state(self) -> None:
        deployment = self.deployment()
        with deployment.client() as client:
            register(client, 3)
        done = run(["top", "--interval", "200ms"], environment(deployment))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"\ncom\.example\.game +3 +3 +0 +0 +0 +0 +0\n")
        self.assertNotIn("\x1b", done.stdout)
        output = json.loads(run(["top", "--once", "--json", "--interval", "200ms"], environment(deployment)).stdout)
        self.assertEqual(output["statistics"]["registry_counts"]["apps"][0]["devices"], 3)
        self.assertGreater(output["rates"]["seconds"], 0.1)

    def test_a_principal_without_the_role_is_refused(self) -> None:
        deployment = self.deployment(simulator=None, principals=[
            {"name": "sender", "keySHA256": [sha256("s")], "grants": [{"app": APP, "roles": ["send"]}]},
            {"name": "admin", "keySHA256": [sha256("a")], "grants": [{"app": "*", "roles": ["admin"]}]}])
        variables = {**environment(deployment), "CARILLON_API_KEY_FILE": ""}
        done = run(["top"], {**variables, "CARILLON_API_KEY": "s"})
        self.assertEqual(done.returncode, 1)
        self.assertIn("every app", done.stderr)
        done = run(["top", "--interval", "500ms"], {**variables, "CARILLON_API_KEY": "a"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("failures cannot be shown", done.stdout)


class CompletionsTests(SystemTestCase):
    """The shells themselves load the scripts and are asked for completions."""

    def script(self, shell: str) -> str:
        done = run(["completions", shell], environment())
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def ask(self, shell: List[str], program: str, variables: Optional[Dict[str, str]] = None) -> List[str]:
        # The script is passed on standard input: the longest is too long for an argument.
        done = subprocess.run(shell, input=program, env=variables or environment(), capture_output=True, text=True,
                              timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.split()

    def test_bash_completes_commands_and_values(self) -> None:
        script = self.script("bash")
        for words, wanted in ((["carillon", "message", "re"], {"resume", "resend", "receipts"}),
                              (["carillon", "to"], {"top", "topic"}),
                              (["carillon", "send", "--lane", ""], {"interactive", "bulk"}),
                              (["carillon", "message", "resend", "1", "--outcome", "gave"], {"gave-up"}),
                              (["carillon", "events", "--kind", "bad"], {"bad-tokens-began", "bad-tokens-ended"})):
            self.assertLessEqual(wanted, set(self.complete(script, words)), words)

    def complete(self, script: str, words: List[str], variables: Optional[Dict[str, str]] = None) -> List[str]:
        """Returns what bash offers for the last word."""
        line = " ".join(words)
        return self.ask(["bash", "--norc"], f"""
            {script}
            COMP_WORDS=({' '.join(f"'{word}'" for word in words)}); COMP_CWORD={len(words) - 1}
            COMP_LINE='{line}'; COMP_POINT={len(line)}
            _carillon carillon '{words[-1]}' '{words[-2]}'
            printf '%s\\n' "${{COMPREPLY[@]}}"
            """, variables)

    def test_bash_completes_names_that_the_server_knows(self) -> None:
        deployment = self.deployment(simulator=None)
        with deployment.client() as client:
            register(client, 2)
            client.subscribe(APP, ["level5", "level6", "news"], devices=[1])
            client.join(APP, "user/1", [1, 2])
            client.send(APP, [1], PAYLOAD, send_at=2**40)
        script = self.script("bash")
        mine = environment(deployment, CARILLON_APP=APP)
        without = {name: value for name, value in mine.items() if name not in ("CARILLON_APP", "CARILLON_SERVER")}
        for words, variables, wanted in (
                (["carillon", "send", "--topic", "lev"], mine, {"level5", "level6"}),
                (["carillon", "send", "--app", APP, "--server", mine["CARILLON_SERVER"], "--topic", "n"], without,
                 {"news"}),
                (["carillon", "group", "members", "us"], mine, {"user/1"}),
                (["carillon", "message", "cancel", ""], mine, {"1"}),
                # No server, or no app: no name, and no error on the line that is typed.
                (["carillon", "send", "--topic", "lev"], {**mine, "CARILLON_SERVER": "127.0.0.1:1"}, set()),
                (["carillon", "send", "--topic", "lev"], without, set())):
            found = {word for word in self.complete(script, words, variables) if not word.startswith("-")}
            self.assertEqual(found, wanted, words)

    def test_zsh_completes_commands(self) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="carillon-zsh-")
        self.addCleanup(temporary.cleanup)
        folder = temporary.name
        with open(f"{folder}/_carillon", "w") as file:
            file.write(self.script("zsh"))
        found = self.ask(["zsh", "-f"], f"""
            fpath=({folder} $fpath); autoload -Uz compinit; compinit -u -d {folder}/dump
            zmodload zsh/zpty
            zpty shell zsh -f -i
            zpty -w shell "PS1=; stty -echo; fpath=({folder} \\$fpath)"
            zpty -w shell "autoload -Uz compinit; compinit -u -d {folder}/dump"
            zpty -w shell "zstyle ':completion:*' list-colors ''; LISTMAX=9999; echo READY"
            zpty -r shell answer '*READY*READY*' 2>/dev/null || sleep 1
            zpty -n -w shell $'carillon message re\\t\\t'
            zpty -r shell answer '*resume*'; print -r -- "$answer"
            while zpty -r -t shell answer; do print -r -- "$answer"; done
            print -r -- "${{_comps[carillon]}}"
            exit 0
            """)
        self.assertIn("_carillon", found)
        text = " ".join(found)
        for word in ("resume", "resend", "receipts"):
            self.assertIn(word, text)

    def test_fish_completes_commands(self) -> None:
        script = self.script("fish")
        for line, wanted in (("carillon message re", {"resume", "resend", "receipts"}),
                             ("carillon to", {"top", "topic"})):
            found = self.ask(["fish", "--no-config"], f"{script}\ncomplete --do-complete '{line}'")
            self.assertLessEqual(wanted, set(found), line)


if __name__ == "__main__":
    unittest.main()
