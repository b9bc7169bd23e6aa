"""Chromium over its debugging pipe, with the standard library: pages as a user sees and uses them."""
from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from datetime import datetime
from pathlib import Path
from typing import Any, Dict, List, Optional, Set

# A busy machine is slow; a condition that does not come ends the test.
WAIT_SECONDS = 60


class BrowserError(AssertionError):
    """The browser or a page has not done what was expected."""


class Browser:
    """A headless Chromium with one page."""

    def __init__(self) -> None:
        program = shutil.which("chromium")
        if program is None:
            raise BrowserError("chromium is not installed")
        self.folder = Path(tempfile.mkdtemp(prefix="carillon-browser-"))
        down_read, self._out = os.pipe()
        self._in, up_write = os.pipe()
        flags = ["--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--no-first-run",
                 "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update",
                 "--disable-sync", "--hide-scrollbars", "--force-color-profile=srgb", "--lang=en-US",
                 f"--user-data-dir={self.folder}", "about:blank"]

        # Chromium reads commands from descriptor 3 and writes to 4. The two are moved there by a shell, because the
        # numbers of the pipes may be 3 or 4 already.
        command = f'exec "$0" "$@" 3<&{down_read} 4>&{up_write}'
        self.process = subprocess.Popen(["bash", "-c", command, program, *flags], pass_fds=(down_read, up_write),
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        start_new_session=True, env={**os.environ, "TZ": "Europe/Berlin"})
        os.close(down_read)
        os.close(up_write)
        self._last = 0
        self._buffer = b""
        self._session = ""
        # The exceptions of the page, and the errors in the log of the browser but for those of requests.
        self.errors: List[str] = []
        # The requests of the page that have no answer yet, but for the stream of events, which has no end.
        self._requests: Set[str] = set()
        target = self.command("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.command("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Accessibility", "Network"):
            self.command(f"{domain}.enable")
        self.set_size(1280, 900)

    # The pipe

    def command(self, method: str, **parameters: Any) -> Dict[str, Any]:
        """Sends a command and returns its result."""
        self._last += 1
        message: Dict[str, Any] = {"id": self._last, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._out, data):]
        wanted = self._last
        deadline = time.monotonic() + WAIT_SECONDS
        while True:
            found = self._read(deadline)
            if found.get("id") == wanted:
                if "error" in found:
                    raise BrowserError(f"{method}: {found['error']}")
                return found["result"]

    def _read(self, deadline: float) -> Dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._in], [], [], max(0.0, deadline - time.monotonic()))
            more = os.read(self._in, 1 << 20) if ready else b""
            if not more:
                raise BrowserError("the browser does not answer" if not ready else "the browser has ended")
            self._buffer += more
        line, _, self._buffer = self._buffer.partition(b"\0")
        message = json.loads(line)
        self._note(message)
        return message

    def _note(self, message: Dict[str, Any]) -> None:
        parameters = message.get("params", {})
        is_request = message.get("method") == "Network.requestWillBeSent"
        if is_request and not parameters["request"]["url"].endswith("/events"):
            self._requests.add(parameters["requestId"])
        if message.get("method") in ("Network.loadingFinished", "Network.loadingFailed"):
            self._requests.discard(parameters["requestId"])
        if message.get("method") == "Runtime.exceptionThrown":
            detail = parameters["exceptionDetails"]
            self.errors.append(detail.get("exception", {}).get("description", detail["text"]))
        if message.get("method") == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            entry = parameters["entry"]
            # A refused request is an answer of the server, which the page shows.
            if entry["source"] != "network":
                self.errors.append(entry["text"])

    def close(self) -> None:
        """Ends the browser and removes its folder."""
        os.close(self._out)
        os.close(self._in)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    # Pages

    def set_size(self, width: int, height: int, scale: float = 1) -> None:
        """Sets the size of the window in pixels of CSS; `scale` zooms."""
        self.command("Emulation.setDeviceMetricsOverride", width=round(width / scale), height=round(height / scale),
                     deviceScaleFactor=scale, mobile=False)

    def set_media(self, **features: str) -> None:
        """Sets features of the user, for example prefers_color_scheme."""
        self.command("Emulation.setEmulatedMedia", features=[
            {"name": name.replace("_", "-"), "value": value} for name, value in features.items()])

    def open(self, url: str) -> None:
        """Opens a page and waits until it is loaded."""
        self._requests.clear()
        self.command("Page.navigate", url=url)
        self.wait_until("document.readyState === 'complete'", f"{url} is loaded")

    def wait_until_drawn(self) -> None:
        """Waits until the page has the answers to its requests, and has drawn them."""
        deadline = time.monotonic() + WAIT_SECONDS
        quiet = 0
        while quiet < 2:
            if time.monotonic() > deadline:
                raise BrowserError("the page waits for an answer")
            self.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
            quiet = 0 if self._requests else quiet + 1

    def evaluate(self, expression: str) -> Any:
        """Returns the value of an expression in the page; a promise is awaited."""
        found = self.command("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in found:
            raise BrowserError(f"{expression}: {found['exceptionDetails']}")
        return found["result"].get("value")

    def wait_until(self, expression: str, what: str, seconds: float = WAIT_SECONDS) -> Any:
        """Waits until an expression is true, and returns its value."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                value = self.evaluate(expression)
            except BrowserError as error:
                # The page may be about to be another one.
                value = None
                if "Cannot find context" not in str(error) and "exceptionDetails" not in str(error) and \
                        "Error" not in str(error):
                    raise
            if value:
                return value
            if time.monotonic() > deadline:
                raise BrowserError(f"not so: {what}\n{expression}\n{self.evaluate('document.body.innerText')[:3000]}\n"
                                   f"{self.errors}")
            time.sleep(0.05)  # pause: until the page is asked again

    def wait_for_text(self, text: str) -> None:
        """Waits until the page shows a text."""
        self.wait_until(f"document.body.innerText.includes({json.dumps(text)})", f"the page shows “{text}”")

    def field_expression(self, label: str) -> str:
        """Returns an expression for the field with a label."""
        return ("[...document.querySelectorAll('label')].filter(each => each.textContent.trim().startsWith("
                f"{json.dumps(label)}) && each.offsetParent).map(each => each.control)[0]")

    def fill(self, label: str, text: str) -> None:
        """Types a text into the field with a label, in place of what is in it."""
        self.wait_until(f"!!({self.field_expression(label)})", f"there is a field “{label}”")
        kind = self.evaluate(f"({self.field_expression(label)}).tagName + ({self.field_expression(label)}).type")
        if kind.startswith("SELECT") or "date" in kind:
            self.evaluate(f"(() => {{ const f = {self.field_expression(label)}; f.value = {json.dumps(text)};"
                          "f.dispatchEvent(new Event('input', {bubbles: true}));"
                          "f.dispatchEvent(new Event('change', {bubbles: true})); })()")
            return
        self.evaluate(f"(() => {{ const f = {self.field_expression(label)}; f.focus(); f.select(); }})()")
        self.press_key("Delete")
        self.command("Input.insertText", text=text)

    def click(self, text: str) -> None:
        """Clicks the button, link, summary or check box with a text, with the mouse, as a user does."""
        button = ("[...document.querySelectorAll('dialog[open] *, main *'), ...document.querySelectorAll('*')]"
                  ".filter(each => each.matches('button, a, summary, label.check'))"
                  f".filter(each => each.textContent.trim().startsWith({json.dumps(text)}) && each.offsetParent "
                  "&& !each.disabled && (!document.querySelector('dialog[open]') || each.closest('dialog')))[0]")
        self.wait_until(f"!!({button})", f"there is a button “{text}”")
        box = self.evaluate(f"(() => {{ const b = {button}; b.scrollIntoView({{block: 'center'}});"
                            "const r = b.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()")
        for kind in ("mousePressed", "mouseReleased"):
            self.command("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left", clickCount=1)

    def press_key(self, name: str, text: Optional[str] = None) -> None:
        """Presses a key."""
        codes = {"Enter": 13, "Tab": 9, "Escape": 27, "ArrowDown": 40, "ArrowUp": 38, "ArrowLeft": 37, "ArrowRight": 39,
                 "Delete": 46}
        typed = text or ("\r" if name == "Enter" else "")
        parameters = {"key": name, "windowsVirtualKeyCode": codes.get(name, ord(name[0].upper()))}
        self.command("Input.dispatchKeyEvent", type="keyDown", text=typed, **parameters)
        self.command("Input.dispatchKeyEvent", type="keyUp", **parameters)

    def fill_time(self, label: str, when: datetime) -> None:
        """Types a time into the field with a label, part by part as a user of American English does."""
        self.wait_until(f"!!({self.field_expression(label)})", f"there is a field “{label}”")
        self.evaluate(f"(() => {{ const f = {self.field_expression(label)};"
                      " f.scrollIntoView({block: 'center'}); f.focus(); })()")
        for digit in when.strftime("%m%d%Y"):
            self.press_key(digit, digit)
        # The year may have six digits, so it does not lead to the hour by itself.
        self.press_key("ArrowRight")
        for letter in when.strftime("%I%M%p")[:5]:
            self.press_key(letter, letter)

    def screenshot(self, path: Path, whole: bool = True) -> None:
        """Writes a picture of the whole page, or of the window."""
        found = self.command("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(found["data"]))

    def accessibility_tree(self) -> List[Dict[str, str]]:
        """Returns the accessibility tree: role and name of each node that is not ignored."""
        nodes = self.command("Accessibility.getFullAXTree")["nodes"]
        return [{"role": node.get("role", {}).get("value", ""), "name": node.get("name", {}).get("value", "")}
                for node in nodes if not node.get("ignored")]
