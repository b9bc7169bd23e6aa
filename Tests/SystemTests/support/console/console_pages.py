"""A console with a story in it, and Chromium that has logged in."""
from __future__ import annotations

import http.server
import json
import os
import tempfile
import threading
from pathlib import Path
from typing import Any, Dict

from support.clients.web import ServiceAPI
from support.console.browser import Browser
from support.deployment import APP, Deployment
from support.environment import eventually
from support.system_test_case import SystemTestCase

DEVICES = 600
PAGES = ["overview", "messages", f"message/{APP}/1", "lookup?q=user/7", "audience", "compose", "events", "credentials",
         "settings"]


def token(number: int) -> str:
    """Returns the token of a device of the story. The simulator refuses that of every fiftieth."""
    return ("dd" if number % 50 == 0 else "01") + f"{number:062x}"


class OtherOrigin:
    """A web server of another origin, with one page."""

    def __init__(self, page: str) -> None:
        class Handler(http.server.BaseHTTPRequestHandler):
            """Answers with the page."""

            def do_GET(self) -> None:  # The name is that of the base class.
                """Answers with the page."""
                self.send_response(200)
                self.send_header("content-type", "text/html")
                self.end_headers()
                self.wfile.write(page.encode())

            def log_message(self, format: str, *arguments: Any) -> None:  # Of the base class.
                """Says nothing."""

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    def __enter__(self) -> str:
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return f"http://localhost:{self.server.server_port}/"

    def __exit__(self, *_: Any) -> None:
        self.server.shutdown()
        self.server.server_close()


class PagesTestCase(SystemTestCase):
    """A console with a story in it, and a browser that has logged in."""

    server: Deployment
    browser: Browser

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory(prefix="carillon-screenshots-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.pictures = Path(os.environ.get("CARILLON_SCREENSHOTS") or cls.folder.name)
        cls.pictures.mkdir(parents=True, exist_ok=True)
        cls.server = Deployment(apps={APP: {"production": "main"}}, flags=None)
        cls.addClassCleanup(cls.server.stop)
        ports = {name: cls.server.keys.path(f"{name}.port") for name in ("console", "http")}
        cls.server.start(*(word for name, file in ports.items()
                           for word in (f"--{name}-port", "0", f"--{name}-port-file", file)))
        cls.url = f"http://127.0.0.1:{Path(ports['console']).read_text().strip()}/"
        cls.api = ServiceAPI(int(Path(ports["http"]).read_text()), cls.server.api_key)
        cls.addClassCleanup(cls.api.close)
        cls.server.simulator.add_rules({"prefix": "dd", "status": 400, "reason": "BadDeviceToken"},
                                       {"prefix": "ee", "status": 400, "reason": "BadDeviceToken"},
                                       {"prefix": "ff", "status": 403, "reason": "Forbidden"})
        cls.tell_story()
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    @classmethod
    def tell_story(cls) -> None:
        """Registers devices and sends a message to them."""
        items = [{"app": APP, "environment": "production", "kind": "device", "token": token(number),
                  "locale": ["en", "de", "zh-Hant"][number % 3], "groups": [f"user/{number // 2}"],
                  "topics": ["level5"] + (["news"] if number % 2 else [])} for number in range(DEVICES)]
        cls.call("register_batch", items=items)
        cls.call("subscribe", app=APP, topics=["guild/7"], groups=["user/7"])
        raid = cls.call("send", app=APP, push_type="alert", audience="topic", topic="level5", lane="bulk", label="raid",
                        payload={"aps": {"alert": "x"}})
        eventually(lambda: cls.call("message_status", app=APP, message_id=raid["message_id"])["state"] == "finished",
                   "the first message is finished")

    @classmethod
    def call(cls, name: str, **fields: Any) -> Dict[str, Any]:
        """A request over HTTP, which must succeed."""
        answer = cls.api.call(name, fields)
        if answer.status != 200:
            raise AssertionError(f"{name}: {answer.status} {answer.body!r}")
        return answer.json()

    def setUp(self) -> None:
        self.browser.errors.clear()
        self.browser.set_size(1280, 900)
        self.browser.set_media()
        self.browser.open("about:blank")
        self.browser.open(self.url)
        self.browser.wait_until("!document.getElementById('header').hidden || !!document.getElementById('key')",
                                "the page is there")
        if self.browser.evaluate("!!document.getElementById('key')"):
            self.browser.fill("API key", self.server.api_key)
            self.browser.click("Log in")
        self.browser.wait_for_text("Messages under way")

    def tearDown(self) -> None:
        self.assertEqual(self.browser.errors, [])

    def go(self, page: str, text: str) -> None:
        """Opens a page of the console and waits until it shows a text."""
        self.browser.evaluate(f"location.hash = {json.dumps('#/' + page)}")
        self.browser.wait_for_text(text)

    def open_page(self, page: str) -> None:
        """Opens a page of the console and waits until it has what it asks the server for."""
        self.browser.evaluate(f"location.hash = {json.dumps('#/' + page)}")
        self.browser.wait_until_drawn()
        self.browser.wait_until("!!document.querySelector('main h1')", "the page has a heading")

    def send_slowly(self, label: str) -> int:
        """A message that takes long."""
        return self.call("send", app=APP, push_type="alert", audience="topic", topic="level5", lane="bulk", label=label,
                         pace=1, payload={"aps": {"alert": "x"}})["message_id"]
