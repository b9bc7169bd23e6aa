"""The pages of the console in Chromium: keys, screen readers, narrow and dark screens, other sites; real processes."""
from __future__ import annotations

import json
import unittest

from support.console.console_pages import PAGES, OtherOrigin, PagesTestCase
from support.deployment import APP

# What the tab key has reached: a fault, or at the end of the page what it has not reached. Of a closed part only the
# summary is reached.
STEP_OF_TAB = """(() => {
    const kinds = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';
    const isOpen = (each) => each.matches('summary') || !each.closest('details:not([open])');
    const all = [...document.querySelectorAll(kinds)]
        .filter(each => each.getClientRects().length && !each.disabled && isOpen(each));
    const now = document.activeElement;
    const last = window.tabbed.at(-1);
    const isEnd = !now || now === document.body || now === window.tabbed[0] && window.tabbed.length > 1;
    const text = (each) => each.outerHTML.slice(0, 60);
    const missing = all.filter(each => !window.tabbed.includes(each) && !each.closest('tbody'));
    if (isEnd) return { missing: missing.map(text) };
    if (now === last) return {};
    window.tabbed.push(now);
    const isAfter = !last || last.compareDocumentPosition(now) & Node.DOCUMENT_POSITION_FOLLOWING;
    const isSeen = getComputedStyle(now).outlineStyle !== 'none' || now.matches('.skip');
    const fault = isAfter ? 'the focus is not seen' : 'out of order';
    return { fault: isAfter && isSeen ? null : `${fault}: ${text(now)}` };
})()"""

# The faults of a page for readers of screens: its levels, tables, pointers to elements, and nested elements.
FAULTS_OF_A_PAGE = """(() => {
    const found = [];
    const shown = (each) => each.getClientRects().length > 0;
    let last = 0;
    for (const each of document.querySelectorAll('h1, h2, h3, h4')) {
        if (!shown(each)) continue;
        const level = Number(each.tagName[1]);
        if (level > last + 1) found.push(`level ${level} after ${last}: ${each.textContent}`);
        last = level;
    }
    for (const each of document.querySelectorAll('table')) {
        if (!each.caption?.textContent.trim()) found.push('a table without a caption');
        for (const head of each.tHead?.rows[0].cells ?? []) {
            if (!head.scope) found.push('a column without a scope');
        }
    }
    const pointers = '[aria-describedby], [aria-controls], [aria-labelledby], label[for]';
    for (const each of document.querySelectorAll(pointers)) {
        for (const name of ['aria-describedby', 'aria-controls', 'aria-labelledby', 'for']) {
            for (const id of (each.getAttribute(name) ?? '').split(' ').filter(Boolean)) {
                if (!document.getElementById(id)) found.push(`${name} names ${id}, which is not there`);
            }
        }
    }
    for (const each of document.querySelectorAll('[tabindex]')) {
        if (each.tabIndex > 0) found.push('a tabindex above 0');
    }
    const nested = 'a a, a button, button a, button button, label label';
    for (const each of document.querySelectorAll(nested)) {
        found.push(`nested: ${each.outerHTML.slice(0, 60)}`);
    }
    if (document.documentElement.lang !== 'en') found.push('no language');
    return found;
})()"""


class ConsoleReachTests(PagesTestCase):
    """Everyone can use it: keys, screen readers, narrow and dark screens."""

    def test_keys_lead_to_every_page(self) -> None:
        for key, title in [("m", "Messages"), ("l", "Look up"), ("a", "Audience"), ("c", "Compose"), ("e", "Events"),
                           ("k", "Credentials"), ("s", "Settings"), ("o", "Overview")]:
            self.browser.evaluate("document.activeElement.blur()")
            self.browser.press_key("g", "g")
            self.browser.press_key(key, key)
            self.browser.wait_until(f"document.title.startsWith('{title}')", f"g {key} leads to {title}")
        self.browser.evaluate("document.activeElement.blur()")
        self.browser.press_key("?", "?")
        self.browser.wait_until("!!document.querySelector('dialog[open]')", "? shows the keys")
        self.browser.press_key("Escape")

    def test_no_other_page_can_put_it_into_a_frame(self) -> None:
        with OtherOrigin(f'<!doctype html><title>bait</title><iframe src="{self.url}"></iframe>') as address:
            self.browser.open(address)
            self.browser.wait_until("document.title === 'bait' && !!document.querySelector('iframe')",
                                    "the page is there")
            frames = self.browser.command("Page.getFrameTree")["frameTree"].get("childFrames", [])
            inner = [each["frame"].get("unreachableUrl") or each["frame"]["url"] for each in frames]
            self.assertEqual(self.browser.evaluate("document.querySelector('iframe').contentDocument"), None)
            self.assertTrue(all(each["frame"]["url"].startswith("chrome-error:")
                                or each["frame"]["url"] == "about:blank" for each in frames), inner)
        # Chromium says that it has refused: that is no fault of a page.
        self.browser.errors.clear()

    def test_the_tab_key_reaches_everything_in_order_and_leaves_again(self) -> None:
        self.browser.fill("Refresh", "0")
        for page in PAGES:
            with self.subTest(page):
                self.open_page(page)
                self.browser.evaluate("document.getElementById('skip').focus(); window.tabbed = []")
                found = self.browser.evaluate(STEP_OF_TAB)
                for _ in range(500):
                    self.assertIsNone(found.get("fault"))
                    if "missing" in found:
                        break
                    self.browser.press_key("Tab")
                    found = self.browser.evaluate(STEP_OF_TAB)
                # Rows of a table may have come after their place was passed.
                self.assertEqual(found.get("missing"), [], "everything is reached, and the end leaves the page")
        self.browser.fill("Refresh", "2000")

    def test_pages_have_landmarks_levels_and_tables_that_are_explained(self) -> None:
        for page in PAGES:
            with self.subTest(page):
                self.open_page(page)
                roles = [node["role"] for node in self.browser.accessibility_tree()]
                for role in ("banner", "navigation", "main", "contentinfo"):
                    self.assertEqual(roles.count(role), 1, role)
                faults = self.browser.evaluate(FAULTS_OF_A_PAGE)
                self.assertEqual(faults, [])

    def test_every_control_has_a_name_for_screen_readers(self) -> None:
        named = {"button", "link", "textbox", "combobox", "checkbox", "image", "progressbar", "table", "navigation",
                 "dialog", "spinbutton", "region", "searchbox", "img"}
        for page in PAGES:
            with self.subTest(page):
                self.open_page(page)
                tree = self.browser.accessibility_tree()
                without = [node for node in tree if node["role"] in named and not node["name"].strip()]
                self.assertEqual(without, [])
                headings = self.browser.evaluate(
                    "[...document.querySelectorAll('main h1')].filter(h => h.offsetParent).length")
                self.assertEqual(headings, 1)
                self.assertIn("status", {node["role"] for node in tree})
                ids = self.browser.evaluate("[...document.querySelectorAll('[id]')].map(node => node.id)")
                self.assertEqual(len(ids), len(set(ids)))

    def test_focus_stays_while_figures_change(self) -> None:
        message = self.send_slowly("focus")
        self.go(f"message/{APP}/{message}", "Pause")
        self.browser.wait_until(
            "[...document.querySelectorAll('button')].some(b => b.textContent === 'Pause' && b.offsetParent)",
            "it can be paused")
        self.browser.evaluate("[...document.querySelectorAll('button')].find(b => b.textContent === 'Pause').focus()")
        before = self.browser.evaluate("document.querySelector('main .nowrap').textContent")
        self.browser.wait_until(
            f"document.querySelector('main .nowrap').textContent !== {json.dumps(before)}", "the figures change")
        self.assertEqual(self.browser.evaluate("document.activeElement.textContent"), "Pause")
        self.call("update_message", app=APP, message_id=message, action="cancel")

    def test_no_element_moves_while_figures_change(self) -> None:
        message = self.call("send", app=APP, push_type="alert", audience="topic", topic="level5", lane="bulk",
                            label="steady", pace=8, payload={"aps": {"alert": "x"}})["message_id"]
        for page, figure in (("overview", ".tile b"), ("messages", "main td.number"),
                             (f"message/{APP}/{message}", "main .nowrap")):
            with self.subTest(page):
                self.go(page, str(message))
                self.browser.wait_until_drawn()
                text = f"[...document.querySelectorAll({json.dumps(figure)})].map(each => each.textContent).join()"
                # The first figures make place for themselves.
                before = self.browser.evaluate(text)
                self.browser.wait_until(f"{text} !== {json.dumps(before)}", "the first figures have come")
                self.browser.evaluate("window.moved = []; new PerformanceObserver(list => "
                                      "window.moved.push(...list.getEntries()"
                                      ".map(each => each.value))).observe({type: 'layout-shift'})")
                for _ in range(3):
                    before = self.browser.evaluate(text)
                    self.browser.wait_until(f"{text} !== {json.dumps(before)}", "the figures change")
                # 0.1 counts as good; a table that fits its columns to a new digit moves far less.
                self.assertLess(self.browser.evaluate("window.moved.reduce((sum, each) => sum + each, 0)"), 0.01)
        self.call("update_message", app=APP, message_id=message, action="cancel")

    def test_pages_fit_a_phone_and_a_zoom_of_200_percent(self) -> None:
        for name, width, height, scale in [("phone", 320, 700, 1.0), ("zoom", 1280, 900, 2.0)]:
            self.browser.set_size(width, height, scale)
            for page in PAGES:
                with self.subTest(f"{name} {page}"):
                    self.open_page(page)
                    wide = self.browser.evaluate(
                        "document.documentElement.scrollWidth - document.documentElement.clientWidth")
                    self.assertLessEqual(wide, 0)
                    small = self.browser.evaluate("[...document.querySelectorAll('button, select, "
                                                  "input:not([type=checkbox])')]"
                                                  ".filter(each => each.offsetParent && "
                                                  "each.getBoundingClientRect().height < 24)"
                                                  ".map(each => each.outerHTML.slice(0, 80))")
                    self.assertEqual(small, [])
                    self.browser.screenshot(self.pictures / f"{name}-{page.partition('/')[0].partition('?')[0]}.png")

    def test_text_has_contrast_in_light_and_dark(self) -> None:
        script = """(() => {
            const rgb = (text) => (text.match(/[\\d.]+/g) ?? [0, 0, 0]).map(Number);
            const linear = (v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
            const light = (c) => c.slice(0, 3).map(v => linear(v / 255))
                .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
            const ground = (node) => { for (let n = node; n; n = n.parentElement) {
                const c = getComputedStyle(n).backgroundColor;
                if (rgb(c)[3] !== 0 && c !== 'transparent') return c; } return 'rgb(255, 255, 255)'; };
            const found = [];
            for (const node of document.querySelectorAll('main *, header *, footer *')) {
                const hasText = [...node.childNodes].some(c => c.nodeType === 3 && c.textContent.trim());
                if (!node.offsetParent || !hasText || node.disabled || node.closest('.phone')) continue;
                const [a, b] = [light(rgb(getComputedStyle(node).color)), light(rgb(ground(node)))];
                const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
                const name = `${node.tagName}.${node.className} ${node.textContent.slice(0, 30)}`;
                if (ratio < 4.5) found.push(`${name} ${ratio.toFixed(2)}`);
            }
            return found;
        })()"""
        for scheme in ("light", "dark"):
            self.browser.set_media(prefers_color_scheme=scheme)
            for page in PAGES:
                with self.subTest(f"{scheme} {page}"):
                    self.open_page(page)
                    self.assertEqual(self.browser.evaluate(script), [])
            self.browser.screenshot(self.pictures / f"{scheme}.png")

    def test_a_page_that_is_hidden_or_left_asks_nothing(self) -> None:
        polls = "Number(document.documentElement.dataset.polls)"
        self.go("messages", "raid")
        self.browser.wait_until(f"{polls} > 0", "the page polls")
        self.browser.evaluate("Object.defineProperty(document, 'hidden', { configurable: true, value: true })")
        self.browser.wait_until(f"{polls} === 0", "a hidden page polls nothing")
        self.browser.evaluate("delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))")
        self.browser.wait_until(f"{polls} > 0", "a page that is shown again polls")
        self.go("settings", "console.port")
        self.browser.wait_until(f"{polls} === 0", "a page that is left polls nothing")


if __name__ == "__main__":
    unittest.main()
