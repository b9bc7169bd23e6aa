"""A deployment with an app that has users on Android too: a server, push-simulator as FCM, and apns-simulator."""
from __future__ import annotations

import json
import os
import time
from typing import Any, Dict, List, Optional, Sequence

from support.deployment import APP, Deployment, crln
from support.providers.push_simulator import PushSimulator

# A payload that both providers take.
PAYLOAD = {"aps": {"alert": {"title": "Build done", "body": "Your castle is ready"}}, "castle": "7"}


class AndroidDeployment(Deployment):
    """A deployment whose app has a key for APNs and a service account for FCM."""

    def __init__(self, *, push_flags: Sequence[str] = (), messages_per_minute: Optional[int] = None,
                 browsers: int = 0, **options: Any) -> None:
        """`push_flags` are additional arguments of push-simulator, and `browsers` is the number of its browsers.
        Without `messages_per_minute` the quota is Google's."""
        self.messages_per_minute = messages_per_minute
        self.push_simulator = PushSimulator(browsers, *push_flags)
        try:
            (self.push_simulator.folder / "account.json").chmod(0o600)
            super().__init__(**options)
        except BaseException:
            self.push_simulator.stop()
            raise

    def _configure(self, apps: Optional[Dict[str, Any]], principals: Optional[List[Dict[str, Any]]]) -> None:
        super()._configure(apps, principals)
        named = json.loads((self.folder / "apps.json").read_text())
        named["credentials"]["firebase"] = {"serviceAccountFile": self.push_simulator.path("account.json")}
        if self.messages_per_minute is not None:
            named["credentials"]["firebase"]["messagesPerMinute"] = self.messages_per_minute
        if apps is None:
            named["apps"][APP]["fcm"] = "firebase"
        self.write("apps.json", named)
        settings = json.loads((self.folder / "carillon.json").read_text())
        settings["fcm"] = {"host": "localhost", "port": self.push_simulator.port,
                           "authoritiesFile": self.push_simulator.path("authority.pem")}
        self.write("carillon.json", settings)

    def stop(self) -> None:
        super().stop()
        self.push_simulator.stop()


def android_token(start: str = "c") -> str:
    """Returns a new registration token of FCM; no other has its beginning, an installation id of 22 characters."""
    return f"{start}{os.urandom(11).hex()[1:]}:APA91b{os.urandom(60).hex()}"


def register_android(client: crln.Client, count: int, start: str = "c", **options: Any) -> List[str]:
    """Registers new devices of Android and returns their tokens."""
    tokens = [android_token(start) for _ in range(count)]
    seen = int(time.time() * 1000)
    items = [{"app": APP, "token": token.encode(), "kind": "fcm", "seen_at": seen, **options} for token in tokens]
    results = client.register_batch(items)
    if any("error" in result for result in results):
        raise AssertionError(f"not registered: {results}")
    return tokens


def android(tokens: Sequence[str]) -> List[Any]:
    """Returns the devices with these tokens, as the client names them."""
    return [(token.encode(), "production", "fcm") for token in tokens]
