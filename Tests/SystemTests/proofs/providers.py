"""A message to a million devices of three providers, of which FCM is slow: outcomes are exact, Apple's part is quick.

Tools/prove providers [--smoke] [--devices N] [--rounds N]

60 % of the devices are Android, 35 % Apple, 5 % browsers. Apple's part is timed alone and beside the others, in
alternation; beside them it takes at most 1.1 times as long. The short form has no limit on time.

Programs: carillond apns-simulator push-simulator
"""
from __future__ import annotations

import argparse
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Dict, List

from proofs.parts.proof import Phases, report
from support.deployment import APP, crln, eventually
from support.environment import require
from support.providers.android import android_token
from support.providers.browsers import BrowserDeployment, browser_options
from support.system_test_case import PAYLOAD, wait_finished

# Shares in hundredths; the rest is Android.
APPLE, BROWSERS = 35, 5
BATCH, PIPELINE = 1_000, 8
CALL_SECONDS = 120
# How much longer Apple's part may take beside the other parts than alone.
MAXIMUM_RATIO = 1.1


class Fleet:
    """Devices of the three providers."""

    def __init__(self, count: int) -> None:
        self.apple, self.browsers = count * APPLE // 100, count * BROWSERS // 100
        self.android = count - self.apple - self.browsers

    def register(self, deployment: BrowserDeployment) -> None:
        """Registers all devices."""
        now = int(time.time() * 1000)
        items: List[Dict[str, Any]] = [
            {"app": APP, "token": os.urandom(32), "seen_at": now} for _ in range(self.apple)]
        items += [{"app": APP, "token": android_token().encode(), "kind": "fcm", "seen_at": now}
                  for _ in range(self.android)]
        items += [browser_options(each) for each in deployment.push_simulator.subscriptions]

        def batch(start: int) -> None:
            results = client.register_batch(items[start:start + BATCH])
            require(not any("error" in result for result in results), "devices are refused")

        with deployment.client(timeout=CALL_SECONDS) as client, ThreadPoolExecutor(PIPELINE) as pool:
            for _ in pool.map(batch, range(0, len(items), BATCH)):
                pass


def apple_seconds(deployment: BrowserDeployment, client: crln.Client, count: int, condition: str) -> Any:
    """Sends to a condition; returns the message, and the seconds until APNs has accepted the last push."""
    deployment.simulator.ask("reset")
    deployment.push_simulator.ask("reset")
    began = time.monotonic()
    message = client.send_to(APP, PAYLOAD, condition=condition, lane="bulk")["message_id"]
    eventually(lambda: deployment.simulator.stats()["devices"] >= count, "APNs has every push", 900, 0.02)
    return message, time.monotonic() - began


def disagreements(deployment: BrowserDeployment, fleet: Fleet, status: Dict[str, Any]) -> List[str]:
    """Returns what does not agree with what the providers did."""
    everything = fleet.apple + fleet.android + fleet.browsers
    apns, push = deployment.simulator.stats(), deployment.push_simulator.stats()
    fcm, web = push["fcm"], push["web"]
    table = [("outcomes", status["outcomes"], {"delivered": everything}), ("total", status["total"], everything),
             ("APNs: devices, pushes", (apns["devices"], apns["accepted"]), (fleet.apple, fleet.apple)),
             ("FCM: messages, duplicates", (fcm["accepted"], fcm["duplicates"]), (fleet.android, 0)),
             ("browsers, pushes, unreadable", (web["browsers"], web["accepted"], web["unreadable"]),
              (fleet.browsers, fleet.browsers, 0)),
             ("refused by APNs", apns["rejected"], {}), ("before the pause was over", push["early-requests"], 0),
             ("violations of HTTP/2", (apns["violations"], push["violations"]), (0, 0))]
    return [f"{name}: {found}, not {right}" for name, found, right in table if found != right]


def main() -> int:
    """Sends, compares, and returns the exit status: 0 if all outcomes are right, and Apple's part is held up by
    nothing."""
    parser = argparse.ArgumentParser(prog="Tools/prove providers", description=__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="some thousand devices, and no limit on time")
    parser.add_argument("--devices", type=int, help="how many (1000000)")
    parser.add_argument("--rounds", type=int, help="how often Apple's part is timed (3)")
    options = parser.parse_args()
    count = options.devices or (4_000 if options.smoke else 1_000_000)
    rounds = options.rounds or (1 if options.smoke else 3)
    # Google's default; few devices get a quota that takes them some seconds too.
    quota = 600_000 if count >= 200_000 else count * 6
    fleet = Fleet(count)
    print(f"{count} devices, {quota} messages a minute to FCM, load {os.getloadavg()[0]:.1f}", flush=True)
    phases = Phases()
    alone: List[float] = []
    beside: List[float] = []
    wrong: List[str] = []
    with BrowserDeployment(fleet.browsers, simulator=("--quiet",), flags=(), messages_per_minute=quota,
                           records=False) as deployment:
        fleet.register(deployment)
        phases.done(f"registered: {fleet.apple} of Apple, {fleet.android} of Android, {fleet.browsers} browsers")
        with deployment.client(timeout=CALL_SECONDS) as client:
            apple_seconds(deployment, client, fleet.apple, "platform == 'ios'")
            for _ in range(rounds):
                message, seconds = apple_seconds(deployment, client, fleet.apple, "platform == 'ios'")
                wait_finished(client, message, 900)
                alone.append(seconds)
                message, seconds = apple_seconds(deployment, client, fleet.apple, "all")
                beside.append(seconds)
                began = time.monotonic()
                wait_finished(client, message, 900)
                rest = time.monotonic() - began
                phases.done(
                    f"Apple's part: {alone[-1]:.2f} s alone, {seconds:.2f} s beside; all {seconds + rest:.1f} s")
                wrong += disagreements(deployment, fleet, client.message_status(APP, message))
    ratio = min(beside) / min(alone)
    print(f"RESULT providers.devices {count}")
    print(f"RESULT providers.disagree {report('disagrees', wrong)}")
    print(f"RESULT providers.apple_alone_s {min(alone):.2f}")
    print(f"RESULT providers.apple_beside_s {min(beside):.2f}")
    print(f"RESULT providers.apple_ratio {ratio:.2f}")
    return 1 if wrong or not options.smoke and ratio > MAXIMUM_RATIO else 0


if __name__ == "__main__":
    sys.exit(main())
