"""Tools/bench sender, sender-fcm and sender-web: the connection pool alone, without a server."""

from __future__ import annotations

import json
import os
import subprocess

from common import (APP, CLIENT_CORE, KEY_ID, PAYLOAD, PROGRAMS, SERVER_CORE, TEAM, BenchFailed, Figures, Scale,
                    deployment, expect_accepted, file_path, on_core, pin, reset_simulator, start_nghttpd)
from h2load import H2Load
from support.providers.push_simulator import PushSimulator


def send(count: int, warm_up: int, *options: str) -> float:
    """Runs our pool, and returns its deliveries per CPU-second; each delivery must be accepted."""
    return json.loads(run_sender(count, warm_up, *options).splitlines()[-1])["per_cpu_second"]


def run_sender(count: int, warm_up: int, *options: str) -> str:
    """Runs our pool, and returns its output: a line with the figures; with the option --body-file nothing, because it
    only writes the body of a push to that file."""
    done = subprocess.run(
        on_core(CLIENT_CORE) + [
            f"{PROGRAMS}/carillon-bench", "sender", "--app", APP, "--payload-bytes", str(len(PAYLOAD)), "--count",
            str(count), "--warm-up", str(warm_up), *options],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )
    if done.returncode != 0:
        raise BenchFailed(f"carillon-bench failed:\n{done.stdout[-1000:]}")
    return done.stdout


class Sender:
    """Deliveries per CPU-second of the sending process: our pool, and two configurations of h2load."""

    name, unit = "sender", "deliveries per CPU-second of the sender"
    ratios = {
        "ratio_h2load": lambda round: round["deliveries_per_cpu_second"] / round["h2load_per_cpu_second"]}
    warm_up = 2_000

    def __init__(self, scale: Scale, h2load: H2Load) -> None:
        self.count, self.h2load = scale.pushes, h2load
        self.work = f"{self.count} pushes a run"
        self.measurements = [self.carillon, self.reference]

    def carillon(self) -> Figures:
        reset_simulator()
        figure = send(
            self.count, self.warm_up, "--port", str(deployment().simulator.port), "--authorities",
            file_path("authority.pem"), "--key", file_path("AuthKey.p8"), "--team", TEAM, "--key-id", KEY_ID)
        expect_accepted(self.count + self.warm_up)
        return {"deliveries_per_cpu_second": figure}

    def reference(self) -> Figures:
        return {"h2load_per_cpu_second": self.h2load.pushes_per_cpu_second(self.count)}


class SenderFCM:
    """Messages to FCM per CPU-second of the sending process: our pool, and h2load with a body of the same bytes.

    Both send to nghttpd, which allows 100 streams as Google does, and answers each message with a small file: h2load
    has one body for all requests, and push-simulator allows a device only 240 messages a minute.
    """

    name, unit = "sender-fcm", "messages per CPU-second of the sender"
    ratios = {"ratio_h2load": lambda round: round["messages_per_cpu_second"] / round["h2load_per_cpu_second"]}
    warm_up = 2_000
    path, token = "v1/projects/game/messages:send", "ya29." + "c" * 215

    def __init__(self, scale: Scale, h2load: H2Load) -> None:
        self.count, self.h2load = scale.pushes, h2load
        self.work = f"{self.count} messages a run"
        self.nghttpd, self.port = start_nghttpd("google", {
            self.path: '{"name":"projects/game/messages/1"}\n',
            "token": json.dumps({"access_token": self.token, "expires_in": 3599, "token_type": "Bearer"})}, streams=100)
        subprocess.run(["openssl", "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out",
                        file_path("google.key")], check=True, capture_output=True)
        with open(file_path("google.key"), encoding="ascii") as key, \
                open(file_path("account.json"), "w", encoding="ascii") as file:
            json.dump({"type": "service_account", "project_id": "game", "private_key_id": "key1",
                       "private_key": key.read(), "client_email": "bench@game.example",
                       "token_uri": f"https://localhost:{self.port}/token"}, file)
        os.chmod(file_path("account.json"), 0o600)
        self.options = ["--provider", "fcm", "--port", str(self.port), "--authorities", file_path("authority.pem"),
                        "--key", file_path("account.json")]
        run_sender(1, 0, *self.options, "--body-file", file_path("fcm.json"))
        self.measurements = [self.carillon, self.reference]

    def carillon(self) -> Figures:
        return {"messages_per_cpu_second": send(self.count, self.warm_up, *self.options)}

    def reference(self) -> Figures:
        request = ["-H", f"authorization: Bearer {self.token}", "-H", "content-type: application/json",
                   "-d", file_path("fcm.json")]
        address = [f"https://localhost:{self.port}/{self.path}"]
        fixed = self.h2load.run(1, connections=1, streams=1, addresses=address, request=request)
        used = min(self.h2load.run(self.count, connections=connections, streams=100, addresses=address, request=request)
                   for connections in (1, 4))
        return {"h2load_per_cpu_second": self.count / (used - fixed)}

    def close(self) -> None:
        self.nghttpd.terminate()
        self.nghttpd.wait()


class SenderWeb:
    """Pushes to browsers per CPU-second of the sending process: each is encrypted for its browser. push-simulator
    decrypts each as the browser would."""

    name, unit = "sender-web", "pushes per CPU-second of the sender"
    ratios = {}
    warm_up = 500
    browsers = 200

    def __init__(self, scale: Scale, _: object) -> None:
        # A push costs some ten times as much as a push to APNs, both here and in the simulator.
        self.count = scale.pushes // 10
        self.work = f"{self.count} pushes a run"
        self.simulator = PushSimulator(self.browsers, "--threads", "1")
        pin(self.simulator.process.pid, SERVER_CORE)
        subprocess.run([f"{PROGRAMS}/carillond", "make-vapid", self.simulator.path("vapid.pem")], check=True,
                       stdout=subprocess.DEVNULL)
        self.measurements = [self.carillon]

    def carillon(self) -> Figures:
        self.simulator.ask("reset")
        path = self.simulator.path
        figure = send(self.count, self.warm_up, "--provider", "web", "--port", str(self.simulator.port),
                      "--authorities",
                      path("authority.pem"), "--key", path("vapid.pem"), "--subscriptions", path("subscriptions.json"))
        web = self.simulator.stats()["web"]
        if (web["accepted"], web["unreadable"]) != (self.count + self.warm_up, 0):
            raise BenchFailed(f"the browsers should have read {self.count + self.warm_up} pushes: {web}")
        return {"pushes_per_cpu_second": figure}

    def close(self) -> None:
        self.simulator.stop()
