"""A deployment with an app that browsers use too: a server, push-simulator as FCM and as a push service of browsers,
and apns-simulator."""
from __future__ import annotations

import json
import subprocess
import time
from typing import Any, Dict, List, Optional, Sequence

from support.deployment import APP, crln
from support.environment import PROGRAMS
from support.providers.android import AndroidDeployment

# The contact of the sender, which each VAPID token names (RFC 8292).
SUBJECT = "mailto:push@example.com"


class BrowserDeployment(AndroidDeployment):
    """A deployment whose app has credentials for APNs, FCM and browsers."""

    def __init__(self, browsers: int = 3, *, push_flags: Sequence[str] = (), allows: bool = True,
                 **options: Any) -> None:
        """`push_flags` are additional arguments of push-simulator. Without `allows` the server may not send to it: its
        host is not in the setting webPush.internalHosts."""
        self.allows = allows
        super().__init__(browsers=browsers, push_flags=push_flags, **options)

    def _configure(self, apps: Optional[Dict[str, Any]], principals: Optional[List[Dict[str, Any]]]) -> None:
        super()._configure(apps, principals)
        self.public_key = self.make_vapid("vapid.pem")
        named = json.loads((self.folder / "apps.json").read_text())
        named["credentials"]["browsers"] = {"vapidKeyFile": "vapid.pem", "subject": SUBJECT}
        if apps is None:
            named["apps"][APP]["web"] = "browsers"
        self.write("apps.json", named)
        settings = json.loads((self.folder / "carillon.json").read_text())
        settings["webPush"] = {"authoritiesFile": self.push_simulator.path("authority.pem")}
        if self.allows:
            settings["webPush"]["internalHosts"] = f"localhost:{self.push_simulator.port}"
        self.write("carillon.json", settings)

    def make_vapid(self, name: str) -> str:
        """Makes a VAPID key, and returns its public half."""
        done = subprocess.run([str(PROGRAMS / "carillond"), "make-vapid", self.keys.path(name)], capture_output=True,
                              text=True, check=True)
        return done.stdout.rpartition("applicationServerKey:")[2].strip()

    def received(self, number: int) -> Dict[str, Any]:
        """Returns the newest message that a browser could read."""
        return json.loads(self.push_simulator.browser(number)["payload"])


def browser_options(subscription: Dict[str, Any], **options: Any) -> Dict[str, Any]:
    """Returns the arguments of a registration of a browser."""
    return {"app": APP, "token": crln.browser_token(subscription["endpoint"]), "kind": "web",
            "subscription": subscription, "seen_at": int(time.time() * 1000), **options}


def register_browsers(client: crln.Client, subscriptions: Sequence[Dict[str, Any]], **options: Any) -> List[Any]:
    """Registers browsers, and returns them as the client names them."""
    for start in range(0, len(subscriptions), 500):
        items = [browser_options(each, **options) for each in subscriptions[start:start + 500]]
        results = client.register_batch(items)
        if any("error" in result for result in results):
            raise AssertionError(f"not registered: {results}")
    return browsers(subscriptions)


def browsers(subscriptions: Sequence[Dict[str, Any]]) -> List[Any]:
    """Returns the devices with these subscriptions, as the client names them."""
    return [(crln.browser_token(each["endpoint"]), "production", "web") for each in subscriptions]
