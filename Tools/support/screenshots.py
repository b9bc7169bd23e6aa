#!/usr/bin/env python3
"""Makes the pictures of the console in the manual: plays Tools/demo --console, and looks at it with Chromium.

    swift build && Tools/support/screenshots.py

The programs are those of the folder that CARILLON_PROGRAMS names, or of .build/debug. It takes some minutes: the charts
need time to have a past.
"""
from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
os.environ.setdefault("CARILLON_PROGRAMS", str(ROOT / ".build/debug"))
sys.path.insert(0, str(ROOT / "Tests/SystemTests"))

import demo
from support.console.browser import Browser
from support.deployment import Deployment
from support.environment import APP

FOLDER = ROOT / "Sources/Documentation/Resources"
SIZE = (1280, 800)
# All pictures together: they are in every clone and in the package.
MAXIMUM_BYTES = 400_000
# How long the message of the story is watched before its pictures are made, in samples of five seconds.
SAMPLES = 18
# The first phone of the story.
DEVICE = 1


def open_page(browser: Browser, page: str, text: str) -> None:
    """Opens a page of the console and waits until it shows a text."""
    browser.evaluate(f"location.hash = {json.dumps('#/' + page)}")
    browser.wait_for_text(text)


def has_reached(client: Any, message: int, device: int) -> bool:
    """Returns true if a message was delivered to a device."""
    return {"device_id": device, "outcome": "delivered"} in client.message_outcomes(APP, message)["recipients"]


def take(browser: Browser, name: str) -> None:
    """Writes a picture of the window."""
    browser.evaluate("scrollTo(0, 0)")
    browser.wait_until("[...document.querySelectorAll('main progress')].every(each => each.value > 0)",
                       "the progress is shown")
    browser.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")
    browser.screenshot(FOLDER / f"console-{name}.png", whole=False)


def take_all(browser: Browser, deployment: Deployment) -> None:
    """Logs in and makes the pictures."""
    browser.set_media(prefers_color_scheme="light", prefers_reduced_motion="reduce")
    browser.set_size(*SIZE)
    browser.open(demo.console_address(deployment))
    browser.fill("API key", deployment.api_key)
    browser.click("Log in")
    browser.wait_for_text("Messages under way")
    browser.click("Figures")
    browser.wait_until(
        f"document.querySelectorAll('main .chart tbody')[0].rows.length >= {SAMPLES}", "the chart has a past", 600)
    browser.click("Figures")
    take(browser, "overview")
    with deployment.client() as client:
        messages = client.messages(APP)["messages"]
        raid = next(each["message_id"] for each in messages if each["label"] == "raid")
        reached = next(each["message_id"] for each in messages if has_reached(client, each["message_id"], DEVICE))
    open_page(browser, f"message/{APP}/{raid}", "One point each five seconds")
    take(browser, "message")
    open_page(browser, f"lookup?q={DEVICE}", "Why did this device (not) get a message?")
    browser.fill("Message", str(reached))
    browser.click("Explain")
    browser.wait_for_text("Delivered: the provider has accepted it")
    take(browser, "lookup")


def main() -> int:
    """Plays the story, and replaces the pictures."""
    FOLDER.mkdir(exist_ok=True)
    with Deployment(apps={APP: {"production": "main"}}) as deployment:
        demo.play(deployment)
        demo.open_console(deployment)
        browser = Browser()
        try:
            take_all(browser, deployment)
        finally:
            browser.close()
    sizes = {path.name: path.stat().st_size for path in sorted(FOLDER.glob("console-*.png"))}
    print("\n".join(f"{size:7,} bytes  {name}" for name, size in sizes.items()))
    if sum(sizes.values()) > MAXIMUM_BYTES:
        print(f"together {sum(sizes.values()):,} bytes: more than {MAXIMUM_BYTES:,}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
