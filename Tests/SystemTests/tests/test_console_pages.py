"""The pages of the console in Chromium, used as an operator uses them; real processes.

Pictures of the pages are written to the folder that CARILLON_SCREENSHOTS names, or to one that is removed.
"""
from __future__ import annotations

import json
import os
import tempfile
import unittest
from pathlib import Path
from typing import Any, Dict

from support.browser import Browser
from support.deployment import APP, Deployment
from support.environment import eventually
from support.system_test_case import SystemTestCase
from support.web import ServiceAPI

DEVICES = 600
PAGES = ["overview", "messages", f"message/{APP}/1", "lookup?q=user/7", "audience", "compose", "events", "credentials",
         "settings"]


def token(number: int) -> str:
    """The token of a device of the story; that of every fiftieth is bad."""
    return ("dd" if number % 50 == 0 else "01") + f"{number:062x}"


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
        cls.server.simulator.rule({"prefix": "dd", "status": 400, "reason": "BadDeviceToken"},
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
        cls.call("send", app=APP, push_type="alert", audience="topic", topic="level5", lane="bulk", label="raid",
                 payload={"aps": {"alert": "x"}})

    @classmethod
    def call(cls, name: str, **fields: Any) -> Dict[str, Any]:
        """A request over HTTP, which must succeed."""
        answer = cls.api.call(name, fields)
        if answer.status != 200:
            raise AssertionError(f"{name}: {answer.status} {answer.body!r}")
        return answer.json()

    def setUp(self) -> None:
        self.browser.errors.clear()
        self.browser.size(1280, 900)
        self.browser.media()
        self.browser.open("about:blank")
        self.browser.open(self.url)
        self.browser.wait("!document.getElementById('header').hidden || !!document.getElementById('key')", "the page is there")
        if self.browser.evaluate("!!document.getElementById('key')"):
            self.browser.fill("API key", self.server.api_key)
            self.browser.press("Log in")
        self.browser.shows("Messages that are sent")

    def tearDown(self) -> None:
        self.assertEqual(self.browser.errors, [])

    def go(self, page: str, text: str) -> None:
        """Opens a page of the console and waits until it shows a text."""
        self.browser.evaluate(f"location.hash = {json.dumps('#/' + page)}")
        self.browser.shows(text)

    def send_slowly(self, label: str) -> int:
        """A message that takes long."""
        return self.call("send", app=APP, push_type="alert", audience="topic", topic="level5", lane="bulk", label=label,
                         pace=1, payload={"aps": {"alert": "x"}})["message_id"]


class Actions(PagesTestCase):
    """What an operator does."""

    def test_a_wrong_key_is_refused_in_words_and_the_key_is_nowhere(self) -> None:
        browser = self.browser
        browser.press("Log out")
        browser.fill("API key", "wrong")
        browser.press("Log in")
        browser.shows("The server does not know this key.")
        browser.fill("API key", self.server.api_key)
        browser.key("Enter")
        browser.shows("Messages that are sent")
        stored = browser.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie, location.href])")
        self.assertNotIn(self.server.api_key, stored)
        self.assertEqual(browser.evaluate("document.cookie"), "")

    def test_the_overview_shows_connections_outcomes_and_a_running_message(self) -> None:
        message = self.send_slowly("slow")
        self.browser.shows("main / production")
        self.browser.shows("delivered")
        self.browser.wait(f"[...document.querySelectorAll('main a')].some(a => a.textContent === '{message}')", "it runs")
        self.browser.wait("document.querySelector('.line-delivered').getAttribute('d').length > 10", "the chart is drawn")
        # The simulator gives a window that is larger than the bodies of the story.
        row = "[...document.querySelectorAll('main table')].find(t => t.caption.textContent === 'Each open connection').tBodies[0].rows[0]"
        self.browser.wait(f"/^[\\d.]+ (KiB|MiB|GiB)$/.test({row}?.cells[4].textContent)", "a connection has its window")
        self.browser.wait(f"/^[\\d.]+ (µs|ms)$/.test({row}.cells[5].textContent)", "and its round-trip time")
        self.browser.screenshot(self.pictures / "overview.png")
        self.call("steer", app=APP, message_id=message, action="cancel")

    def test_the_overview_warns_of_a_wave_of_bad_tokens(self) -> None:
        self.call("register_batch", items=[{"app": APP, "environment": "production", "kind": "device", "token": f"ee{number:062x}",
                                            "topics": ["old"]} for number in range(DEVICES)])
        message = self.call("send", app=APP, push_type="alert", audience="topic", topic="old", lane="bulk",
                            payload={"aps": {"alert": "x"}})["message_id"]
        eventually(lambda: self.call("message_status", app=APP, message_id=message)["state"] == "finished", "it is finished")
        self.browser.shows(f"Many tokens of {APP} are called bad (production)")
        self.assertFalse(self.browser.evaluate("document.querySelector('main > .fine').offsetParent"))
        self.browser.screenshot(self.pictures / "bad-tokens.png")

    def test_a_message_is_paused_paced_resumed_cancelled_and_sent_again(self) -> None:
        browser = self.browser
        message = self.send_slowly("steered")
        self.go("messages", "steered")
        browser.screenshot(self.pictures / "messages.png")
        browser.press(str(message))
        browser.shows(f"Message {message}")
        browser.press("Pause")
        browser.shows("The message is paused.")
        browser.shows("paused")
        browser.press("Pace…")
        browser.fill("Deliveries a second at most", "2")
        browser.press("Set the pace")
        browser.shows("at most 2/s")
        browser.press("Resume")
        browser.shows("The message goes on.")
        browser.press("Cancel…")
        browser.wait("/Cancel for [\\d,]+ devices?/.test(document.querySelector('dialog').innerText)", "the question names the number")
        browser.screenshot(self.pictures / "question.png")
        browser.press("Back")
        self.assertNotEqual(self.call("message_status", app=APP, message_id=message)["state"], "finished")
        browser.press("Cancel…")
        browser.press("Cancel for")
        browser.shows("finished")
        browser.press("Send again…")
        browser.wait("/Send again to [\\d,]+ devices/.test(document.querySelector('dialog').innerText)", "the number is named")
        browser.press("Send again to")
        browser.shows(f"Message {message + 1}")
        status = eventually(lambda: self.call("message_status", app=APP, message_id=message + 1), "it was made")
        self.assertEqual(status["label"], "steered")
        self.call("steer", app=APP, message_id=message + 1, action="cancel")

    def test_messages_are_filtered_by_type_and_the_older_ones_are_reached(self) -> None:
        silent = [self.call("send", app=APP, push_type="background", audience="devices", devices=[4],
                            payload={"aps": {"content-available": 1}})["message_id"] for _ in range(60)]
        self.go("messages", str(silent[-1]))
        shown = "[...document.querySelectorAll('main table')].at(-1).tBodies[0].rows"
        types = f"[...new Set([...{shown}].map(row => row.cells[5].textContent))].join()"
        self.browser.fill("Type", "background")
        self.browser.wait(f"{shown}.length === 50 && {types} === 'background'", "only background is shown")
        self.assertIn("type=background", self.browser.evaluate("location.hash"))
        self.browser.press("Older")
        self.browser.wait(f"{shown}.length === 10 && {types} === 'background'", "the older ones are reached")
        numbers = self.browser.evaluate(f"[...{shown}].map(row => Number(row.cells[0].textContent))")
        self.assertEqual(numbers, sorted(silent[:10], reverse=True))
        self.browser.fill("Type", "voip")
        self.browser.shows("No message matches.")
        self.browser.fill("Type", "alert")
        self.browser.wait(f"{shown}.length > 0 && {types} === 'alert'", "only alert is shown")

    def test_a_message_shows_its_failures_and_why(self) -> None:
        eventually(lambda: self.call("message_status", app=APP, message_id=1)["state"] == "finished", "it is finished")
        self.go(f"message/{APP}/1", "bad-token")
        self.browser.press("List recipients")
        self.browser.shows(f"{DEVICES // 50} recipients without delivery")
        self.browser.fill("Device", "1")
        self.browser.press("Explain")
        self.browser.shows("APNs has refused it: BadDeviceToken.")
        self.browser.screenshot(self.pictures / "message.png")

    def test_a_running_message_shows_its_outcomes_over_time(self) -> None:
        self.call("update_device", app=APP, device=3, muted=True)
        message = self.call("send", app=APP, push_type="alert", audience="topic", topic="level5", lane="bulk",
                            label="over time", pace=40, payload={"aps": {"alert": "x"}})["message_id"]
        self.go(f"message/{APP}/{message}", "One point each five seconds while the message is sent.")
        figures = "[...document.querySelectorAll('main .chart tbody tr')].map(r => [...r.cells].map(c => c.textContent))"
        self.browser.press("Figures")
        self.browser.wait(f"{figures}.length >= 3", "there are points of the time between")
        self.browser.screenshot(self.pictures / "over-time.png")
        rows = self.browser.evaluate(figures)
        self.assertTrue(all(len(row) == 4 for row in rows), rows)
        kinds = self.browser.evaluate("[...document.querySelectorAll('main .chart .legend li')].map(each => each.textContent.split(' ')[0])")
        self.assertEqual(kinds, ["delivered", "failed", "not"])
        eventually(lambda: self.call("message_status", app=APP, message_id=message)["state"] == "finished", "it is finished", 120)
        self.browser.wait("document.querySelector('.line-not_sent').getAttribute('d').length > 10", "the muted device is in the chart")
        status = self.call("message_status", app=APP, message_id=message)
        delivered = sum(each["devices"] for each in status["outcomes"] if each["outcome"] == "delivered")
        self.browser.wait(f"document.querySelector('main .chart svg').getAttribute('aria-label').includes('delivered {delivered},')",
                          "the last point is the result")
        self.call("update_device", app=APP, device=3, muted=False)

    def test_a_device_is_found_by_token_muted_and_unmuted(self) -> None:
        browser = self.browser
        self.go("lookup", "Look up")
        browser.fill("Device id, token", token(15))
        browser.press("Look up")
        browser.shows("Device 16")
        browser.shows("guild/7")
        browser.wait("[...document.querySelectorAll('td')].some(td => td.textContent === 'group user/7')", "where it comes from")
        browser.press("Mute")
        browser.shows("The device gets no pushes.")
        self.assertTrue(self.call("lookup", app=APP, device=16)["muted"])
        browser.screenshot(self.pictures / "lookup.png")
        browser.press("Unmute")
        browser.shows("The device gets pushes again.")
        self.assertNotIn("muted", self.call("lookup", app=APP, device=16))

    def test_a_group_and_a_topic_are_found_by_the_beginning_of_their_names(self) -> None:
        self.go("lookup?q=guild", "guild/7")
        self.browser.press("guild/7")
        self.browser.shows("Topic guild/7")
        self.browser.shows("2 devices")
        self.go("lookup?q=user/7", "Group user/7")
        self.browser.shows("Topics of the group")

    def test_a_condition_is_counted_completed_and_its_error_stands_under_its_column(self) -> None:
        browser = self.browser
        self.go("audience", "Would be addressed now")
        browser.fill("Condition", "'level5' in topics && !('ne")
        browser.wait("document.querySelectorAll('#suggestions li').length > 0", "names are suggested")
        browser.key("ArrowDown")
        browser.key("Enter")
        browser.wait("document.querySelector('textarea').value.endsWith(\"'news' in topics\")", "the name is taken")
        browser.shows("column 41")
        caret = browser.evaluate("document.querySelector('.caret').textContent.split('\\n').map(line => line.indexOf('^'))")
        self.assertEqual(caret[1], 40)
        browser.command("Input.insertText", text=")")
        browser.shows(f"{DEVICES // 2 - DEVICES // 50} devices")
        browser.screenshot(self.pictures / "audience.png")

    def test_a_message_is_composed_tried_and_sent(self) -> None:
        browser = self.browser
        self.go("compose", "As a phone shows it")
        browser.fill("Title", "Raid <b>&amp;")
        browser.fill("Body", "Tonight at 21:00")
        browser.wait("document.querySelector('.push').innerText.includes('Raid <b>&amp;')", "the preview has the title as text")
        browser.press("Add a language")
        browser.fill("Language", "de")
        browser.evaluate("document.querySelector('fieldset input:nth-of-type(1)').closest('.field').nextElementSibling.querySelector('input').focus()")
        browser.command("Input.insertText", text="Überfall")
        browser.wait("document.querySelectorAll('.push').length === 2", "each language has a preview")
        browser.fill("Topic", "news")
        browser.press("Dry run")
        browser.shows("would be addressed now. Nothing was sent.")
        before = self.call("messages", app=APP)["messages"][0]["message_id"]
        browser.fill("Test device", "2")
        browser.press("Send to this device")
        browser.shows("The test is sent.")
        browser.screenshot(self.pictures / "compose.png")
        browser.press("Send…")
        browser.wait("!!document.querySelector('dialog[open]')", "the question is there")
        number = browser.evaluate("document.querySelector('dialog').innerText.match(/Send to ([\\d,]+) devices/)[1]")
        self.assertTrue(browser.evaluate("document.querySelector('dialog .primary').disabled"))
        browser.fill("Type", number)
        browser.press("Send to")
        browser.shows("The message is on its way.")
        sent = self.call("messages", app=APP)["messages"]
        self.assertEqual(sent[0]["message_id"], before + 2)
        self.assertEqual(sent[0]["total"], int(number.replace(",", "")))

    def test_events_come_as_they_happen(self) -> None:
        self.go("events", "live")
        self.browser.shows("message-finished")
        message = self.call("send", app=APP, push_type="alert", audience="devices", devices=[2],
                            payload={"aps": {"alert": "x"}})["message_id"]
        self.browser.shows(f"message {message}")
        self.browser.screenshot(self.pictures / "events.png")

    def test_credentials_and_settings_are_read_only(self) -> None:
        refused = self.call("register", app=APP, environment="production", kind="device", token=f"ff{1:062x}")["device_id"]
        self.call("send", app=APP, push_type="alert", audience="devices", devices=[refused], payload={"aps": {"alert": "x"}})
        self.go("credentials", "KEY1234567")
        self.browser.shows("accepted")
        self.browser.shows("403 Forbidden")
        row = "[...document.querySelectorAll('main table')][1].tBodies[0].rows[0]"
        used, refused_at = self.browser.evaluate(f"[2, 3].map(cell => Date.now() - new Date({row}.cells[cell].querySelector('time').dateTime))")
        self.assertLess(max(used, refused_at), 600_000)
        self.browser.screenshot(self.pictures / "credentials.png")
        self.go("settings", "console.port")
        self.browser.fill("Filter", "retention")
        self.browser.wait("!document.body.innerText.includes('limits.connections') && document.body.innerText.includes('retention.messageDays')", "it filters")
        self.browser.screenshot(self.pictures / "settings.png")
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('main button, main input:not([data-search])').length"), 0)


class Reach(PagesTestCase):
    """Everyone can use it: keys, screen readers, narrow and dark screens."""

    def test_keys_lead_to_every_page(self) -> None:
        for key, title in [("m", "Messages"), ("l", "Look up"), ("a", "Audience"), ("c", "Compose"), ("e", "Events"),
                           ("k", "Credentials"), ("s", "Settings"), ("o", "Overview")]:
            self.browser.evaluate("document.activeElement.blur()")
            self.browser.key("g", "g")
            self.browser.key(key, key)
            self.browser.wait(f"document.title.startsWith('{title}')", f"g {key} leads to {title}")
        self.browser.evaluate("document.activeElement.blur()")
        self.browser.key("?", "?")
        self.browser.wait("!!document.querySelector('dialog[open]')", "? shows the keys")
        self.browser.key("Escape")

    def test_everything_has_a_name_for_screen_readers(self) -> None:
        named = {"button", "link", "textbox", "combobox", "checkbox", "image", "progressbar", "table", "navigation",
                 "dialog", "spinbutton", "region", "searchbox", "img"}
        for page in PAGES:
            with self.subTest(page):
                self.browser.evaluate(f"location.hash = {json.dumps('#/' + page)}")
                self.browser.wait("!!document.querySelector('main h1')", "the page has a heading")
                tree = self.browser.tree()
                without = [node for node in tree if node["role"] in named and not node["name"].strip()]
                self.assertEqual(without, [])
                headings = self.browser.evaluate("[...document.querySelectorAll('main h1')].filter(h => h.offsetParent).length")
                self.assertEqual(headings, 1)
                self.assertIn("status", {node["role"] for node in tree})
                ids = self.browser.evaluate("[...document.querySelectorAll('[id]')].map(node => node.id)")
                self.assertEqual(len(ids), len(set(ids)))

    def test_focus_stays_while_figures_change(self) -> None:
        message = self.send_slowly("focus")
        self.go(f"message/{APP}/{message}", "Pause")
        self.browser.wait("[...document.querySelectorAll('button')].some(b => b.textContent === 'Pause' && b.offsetParent)", "it can be paused")
        self.browser.evaluate("[...document.querySelectorAll('button')].find(b => b.textContent === 'Pause').focus()")
        before = self.browser.evaluate("document.querySelector('main .nowrap').textContent")
        self.browser.wait(f"document.querySelector('main .nowrap').textContent !== {json.dumps(before)}", "the figures change")
        self.assertEqual(self.browser.evaluate("document.activeElement.textContent"), "Pause")
        self.call("steer", app=APP, message_id=message, action="cancel")

    def test_pages_fit_a_phone_and_a_zoom_of_200_percent(self) -> None:
        for name, width, height, scale in [("phone", 320, 700, 1.0), ("zoom", 1280, 900, 2.0)]:
            self.browser.size(width, height, scale)
            for page in PAGES:
                with self.subTest(f"{name} {page}"):
                    self.browser.evaluate(f"location.hash = {json.dumps('#/' + page)}")
                    self.browser.wait("!!document.querySelector('main h1')", "the page has a heading")
                    wide = self.browser.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
                    self.assertLessEqual(wide, 0)
                    small = self.browser.evaluate("[...document.querySelectorAll('button, select, input:not([type=checkbox])')]"
                                                  ".filter(each => each.offsetParent && each.getBoundingClientRect().height < 24)"
                                                  ".map(each => each.outerHTML.slice(0, 80))")
                    self.assertEqual(small, [])
                    self.browser.screenshot(self.pictures / f"{name}-{page.partition('/')[0].partition('?')[0]}.png")

    def test_text_has_contrast_in_light_and_dark(self) -> None:
        script = """(() => {
            const rgb = (text) => (text.match(/[\\d.]+/g) ?? [0, 0, 0]).map(Number);
            const light = (c) => c.slice(0, 3).map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
                .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
            const ground = (node) => { for (let n = node; n; n = n.parentElement) { const c = getComputedStyle(n).backgroundColor;
                if (rgb(c)[3] !== 0 && c !== 'transparent') return c; } return 'rgb(255, 255, 255)'; };
            const found = [];
            for (const node of document.querySelectorAll('main *, header *, footer *')) {
                if (!node.offsetParent || ![...node.childNodes].some(c => c.nodeType === 3 && c.textContent.trim()) || node.disabled || node.closest('.phone')) continue;
                const [a, b] = [light(rgb(getComputedStyle(node).color)), light(rgb(ground(node)))];
                const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
                if (ratio < 4.5) found.push(`${node.tagName}.${node.className} ${node.textContent.slice(0, 30)} ${ratio.toFixed(2)}`);
            }
            return found;
        })()"""
        for scheme in ("light", "dark"):
            self.browser.media(prefers_color_scheme=scheme)
            for page in PAGES:
                with self.subTest(f"{scheme} {page}"):
                    self.browser.evaluate(f"location.hash = {json.dumps('#/' + page)}")
                    self.browser.wait("!!document.querySelector('main h1')", "the page has a heading")
                    self.assertEqual(self.browser.evaluate(script), [])
            self.browser.screenshot(self.pictures / f"{scheme}.png")

    def test_a_page_that_is_hidden_or_left_asks_nothing(self) -> None:
        polls = "Number(document.documentElement.dataset.polls)"
        self.go("messages", "raid")
        self.browser.wait(f"{polls} > 0", "the page polls")
        self.browser.evaluate("Object.defineProperty(document, 'hidden', { configurable: true, value: true })")
        self.browser.wait(f"{polls} === 0", "a hidden page polls nothing")
        self.browser.evaluate("delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))")
        self.browser.wait(f"{polls} > 0", "a page that is shown again polls")
        self.go("settings", "console.port")
        self.browser.wait(f"{polls} === 0", "a page that is left polls nothing")


if __name__ == "__main__":
    unittest.main()
