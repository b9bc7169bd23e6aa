"""The pages of the console in Chromium, used as an operator uses them; real processes.

Pictures of the pages are written to the folder that CARILLON_SCREENSHOTS names, or to one that is removed.
"""
from __future__ import annotations

import unittest
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from support.console.console_pages import DEVICES, PagesTestCase, token
from support.deployment import APP
from support.environment import eventually


class ConsolePagesTests(PagesTestCase):
    """What an operator does."""

    def test_a_wrong_key_is_refused_in_words_and_the_key_is_nowhere(self) -> None:
        browser = self.browser
        browser.click("Log out")
        browser.fill("API key", "wrong")
        browser.click("Log in")
        browser.wait_for_text("The server does not know this key.")
        browser.fill("API key", self.server.api_key)
        browser.press_key("Enter")
        browser.wait_for_text("Messages under way")
        stored = browser.evaluate(
            "JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie, location.href])")
        self.assertNotIn(self.server.api_key, stored)
        self.assertEqual(browser.evaluate("document.cookie"), "")

    def test_the_overview_shows_connections_outcomes_and_a_running_message(self) -> None:
        message = self.send_slowly("slow")
        self.browser.wait_for_text("main / production")
        self.browser.wait_for_text("delivered")
        self.browser.wait_until(
            f"[...document.querySelectorAll('main a')].some(a => a.textContent === '{message}')", "it runs")
        self.browser.wait_until("document.querySelector('.line-delivered').getAttribute('d').length > 10",
                                "the chart is drawn")
        # The simulator gives a window that is larger than the bodies of the story.
        row = ("[...document.querySelectorAll('main table')]"
               ".find(t => t.caption.textContent === 'Each open connection').tBodies[0].rows[0]")
        self.browser.wait_until(f"/^[\\d.]+ (KiB|MiB|GiB)$/.test({row}?.cells[4].textContent)",
                                "a connection has its window")
        self.browser.wait_until(f"/^[\\d.]+ (µs|ms)$/.test({row}.cells[5].textContent)", "and its round-trip time")
        self.browser.screenshot(self.pictures / "overview.png")
        self.call("update_message", app=APP, message_id=message, action="cancel")

    def test_the_overview_warns_of_a_wave_of_bad_tokens(self) -> None:
        self.call("register_batch",
                  items=[{"app": APP, "environment": "production", "kind": "device", "token": f"ee{number:062x}",
                          "topics": ["old"]} for number in range(DEVICES)])
        message = self.call("send", app=APP, push_type="alert", audience="topic", topic="old", lane="bulk",
                            payload={"aps": {"alert": "x"}})["message_id"]
        eventually(lambda: self.call("message_status", app=APP, message_id=message)
                   ["state"] == "finished", "it is finished")
        self.browser.wait_for_text(f"Many tokens of {APP} are called bad (production)")
        self.assertFalse(self.browser.evaluate("document.querySelector('main > .fine').offsetParent"))
        self.browser.screenshot(self.pictures / "bad-tokens.png")

    def test_a_message_is_paused_paced_resumed_cancelled_and_sent_again(self) -> None:
        browser = self.browser
        message = self.send_slowly("updated")
        self.go("messages", "updated")
        browser.screenshot(self.pictures / "messages.png")
        browser.click(str(message))
        browser.wait_for_text(f"Message {message}")
        browser.click("Pause")
        browser.wait_for_text("The message is paused.")
        browser.wait_for_text("paused")
        browser.click("Pace…")
        browser.fill("Deliveries a second at most", "2")
        browser.click("Set the pace")
        browser.wait_for_text("at most 2/s")
        browser.click("Resume")
        browser.wait_for_text("The message goes on.")
        browser.click("Cancel…")
        browser.wait_until(
            "/Cancel for [\\d,]+ devices?/.test(document.querySelector('dialog').innerText)",
            "the question names the number")
        browser.screenshot(self.pictures / "question.png")
        browser.click("Back")
        self.assertNotEqual(self.call("message_status", app=APP, message_id=message)["state"], "finished")
        browser.click("Cancel…")
        browser.click("Cancel for")
        browser.wait_for_text("finished")
        browser.click("Send again…")
        browser.wait_until(
            "/Send again to [\\d,]+ devices/.test(document.querySelector('dialog').innerText)", "the number is named")
        browser.click("Send again to")
        browser.wait_for_text(f"Message {message + 1}")
        status = eventually(lambda: self.call("message_status", app=APP, message_id=message + 1), "it was made")
        self.assertEqual(status["label"], "updated")
        self.call("update_message", app=APP, message_id=message + 1, action="cancel")

    def test_messages_are_filtered_by_type_and_the_older_ones_are_reached(self) -> None:
        silent = [self.call("send", app=APP, push_type="background", audience="devices", devices=[4],
                            payload={"aps": {"content-available": 1}})["message_id"] for _ in range(60)]
        self.go("messages", str(silent[-1]))
        shown = "[...document.querySelectorAll('main table')].at(-1).tBodies[0].rows"
        types = f"[...new Set([...{shown}].map(row => row.cells[5].textContent))].join()"
        self.browser.fill("Type", "background")
        self.browser.wait_until(f"{shown}.length === 50 && {types} === 'background'", "only background is shown")
        self.assertIn("type=background", self.browser.evaluate("location.hash"))
        self.browser.click("Older")
        self.browser.wait_until(f"{shown}.length === 10 && {types} === 'background'", "the older ones are reached")
        numbers = self.browser.evaluate(f"[...{shown}].map(row => Number(row.cells[0].textContent))")
        self.assertEqual(numbers, sorted(silent[:10], reverse=True))
        self.browser.fill("Type", "voip")
        self.browser.wait_for_text("No message matches.")
        self.browser.fill("Type", "alert")
        self.browser.wait_until(f"{shown}.length > 0 && {types} === 'alert'", "only alert is shown")

    def test_a_message_shows_its_content_by_language(self) -> None:
        trace = "0af7651916cd43dd8448eb211c80319c"
        message = self.call("send", app=APP, push_type="alert", audience="devices", devices=[4], label="languages",
                            payload={"aps": {"alert": {"title": "Raid <b>", "body": "Tonight"}}, "mode": 7},
                            traceparent=f"00-{trace}-b7ad6b7169203331-01",
                            bodies=[{"language": "de", "payload": {"aps": {"alert": "Heute"}}},
                                    {"language": "zh-Hant",
                                     "payload": {"aps": {"alert": {"loc-key": "RAID"}}}}])["message_id"]
        self.go(f"message/{APP}/{message}", "every other language")
        self.browser.wait_until("document.querySelectorAll('.phone').length === 3", "each language is shown")
        shown = self.browser.evaluate("[...document.querySelectorAll('.phone')]"
                                      ".map(each => each.innerText.split('\\n').filter(Boolean))")
        self.assertEqual([each[0] for each in shown], ["every other language", "de", "zh-Hant"])
        self.assertIn("Raid <b>", " ".join(shown[0]))
        self.assertIn("Heute", " ".join(shown[1]))
        self.assertIn("‹RAID›", " ".join(shown[2]))
        self.browser.wait_for_text(trace)
        self.browser.click("Content as JSON")
        self.browser.wait_until(
            "document.querySelector('.payload').offsetParent && "
            "document.querySelector('.payload').textContent.includes('\"mode\": 7')", "the payload is there")
        self.browser.screenshot(self.pictures / "content.png")
        self.go("events", "live")
        self.browser.wait_for_text(f"trace {trace}")

    def test_deliveries_are_shown_by_provider(self) -> None:
        self.send_slowly("by provider")
        self.browser.wait_until("document.querySelector('.line-apns').getAttribute('d').length > 10",
                                "the chart is drawn")
        names = self.browser.evaluate("[...document.querySelectorAll('figure')][1].querySelector('.legend').innerText")
        for name in ("APNs", "FCM", "browsers"):
            self.assertIn(name, names)

    def test_a_message_shows_its_failures_and_why(self) -> None:
        eventually(lambda: self.call("message_status", app=APP, message_id=1)["state"] == "finished", "it is finished")
        self.go(f"message/{APP}/1", "bad-token")
        self.browser.click("List recipients")
        self.browser.wait_for_text(f"{DEVICES // 50} recipients without delivery")
        self.browser.fill("Device", "1")
        self.browser.click("Explain")
        self.browser.wait_for_text("The provider has refused it: BadDeviceToken.")
        self.browser.screenshot(self.pictures / "message.png")
        # The link beside a recipient explains it on the page of the device.
        self.browser.click("why")
        self.browser.wait_for_text("Device 1")
        self.browser.wait_for_text("Not delivered: bad-token.")

    def test_a_running_message_shows_its_outcomes_over_time(self) -> None:
        self.call("update_device", app=APP, device=3, muted=True)
        message = self.call("send", app=APP, push_type="alert", audience="topic", topic="level5", lane="bulk",
                            label="over time", pace=40, payload={"aps": {"alert": "x"}})["message_id"]
        self.go(f"message/{APP}/{message}", "One point each five seconds while the message is sent.")
        figures = ("[...document.querySelectorAll('main .chart tbody tr')]"
                   ".map(r => [...r.cells].map(c => c.textContent))")
        self.browser.click("Figures")
        self.browser.wait_until(f"{figures}.length >= 3", "there are points of the time between")
        self.browser.screenshot(self.pictures / "over-time.png")
        rows = self.browser.evaluate(figures)
        self.assertTrue(all(len(row) == 4 for row in rows), rows)
        kinds = self.browser.evaluate(
            "[...document.querySelectorAll('main .chart .legend li')].map(each => each.textContent.split(' ')[0])")
        self.assertEqual(kinds, ["delivered", "failed", "not"])
        eventually(lambda: self.call("message_status", app=APP, message_id=message)
                   ["state"] == "finished", "it is finished", 120)
        self.browser.wait_until("document.querySelector('.line-not_sent').getAttribute('d').length > 10",
                                "the muted device is in the chart")
        status = self.call("message_status", app=APP, message_id=message)
        delivered = sum(each["devices"] for each in status["outcomes"] if each["outcome"] == "delivered")
        self.browser.wait_until("document.querySelector('main .chart svg').getAttribute('aria-label')"
                                f".includes('delivered {delivered},')", "the last point is the result")
        self.call("update_device", app=APP, device=3, muted=False)

    def test_a_device_is_found_by_token_muted_and_unmuted(self) -> None:
        browser = self.browser
        self.go("lookup", "Look up")
        browser.fill("Device id, token", token(15))
        browser.click("Look up")
        browser.wait_for_text("Device 16")
        browser.wait_for_text("guild/7")
        browser.wait_until("[...document.querySelectorAll('td')].some(td => td.textContent === 'group user/7')",
                           "where it comes from")
        browser.click("Mute")
        browser.wait_for_text("The device gets no pushes.")
        self.assertTrue(self.call("lookup", app=APP, device=16)["muted"])
        browser.screenshot(self.pictures / "lookup.png")
        browser.click("Unmute")
        browser.wait_for_text("The device gets pushes again.")
        self.assertNotIn("muted", self.call("lookup", app=APP, device=16))

    def test_a_quarantined_device_is_restored_and_removed(self) -> None:
        browser = self.browser
        # No topic of another test holds it, so none sends to it again.
        device = self.call("register", app=APP, environment="production", kind="device", token=f"dd{99:062x}",
                           groups=["user/lost"])["device_id"]
        self.call("send", app=APP, push_type="alert", audience="devices", devices=[device],
                  payload={"aps": {"alert": "x"}})
        eventually(lambda: self.call("lookup", app=APP, device=device)["state"] == "quarantined", "it is quarantined")
        self.go(f"lookup?q={device}", "quarantined")
        browser.click("Restore")
        browser.wait_for_text("The device is in its audiences again.")
        self.assertEqual(self.call("lookup", app=APP, device=device)["state"], "active")
        buttons = ("[...document.querySelectorAll('main button')].filter(each => each.offsetParent)"
                   ".map(each => each.textContent)")
        browser.wait_until(f"!{buttons}.includes('Restore')", "there is nothing left to restore")
        browser.click("Remove…")
        browser.wait_for_text("It comes back only when its app registers it again.")
        browser.screenshot(self.pictures / "remove.png")
        browser.press_key("Escape")
        browser.wait_until("!document.querySelector('dialog[open]')", "the question is gone")
        self.assertEqual(self.call("lookup", app=APP, device=device)["state"], "active")
        browser.click("Remove…")
        browser.click("Remove 1 device")
        browser.wait_for_text("The device is removed.")
        self.assertEqual(self.api.call("lookup", {"app": APP, "device": device}).status, 404)
        browser.wait_until(f"!document.body.innerText.includes('Device {device}')", "it is not shown any more")
        browser.click("Look up")
        browser.click("Look up")
        browser.wait_for_text("No such device is registered in this app.")
        self.assertNotIn("The device is removed.", browser.evaluate("document.body.innerText"))

    def test_a_group_and_a_topic_are_found_by_the_beginning_of_their_names(self) -> None:
        self.go("lookup?q=guild", "guild/7")
        self.browser.click("guild/7")
        self.browser.wait_for_text("Topic guild/7")
        self.browser.wait_for_text("2 devices")
        self.go("lookup?q=user/7", "Group user/7")
        self.browser.wait_for_text("Topics of the group")

    def test_a_condition_is_counted_completed_and_its_error_stands_under_its_column(self) -> None:
        browser = self.browser
        self.go("audience", "Would be addressed now")
        browser.fill("Condition", "'level5' in topics && !('ne")
        browser.wait_until("document.querySelectorAll('#suggestions li').length > 0", "names are suggested")
        browser.press_key("ArrowDown")
        browser.press_key("Enter")
        browser.wait_until("document.querySelector('textarea').value.endsWith(\"'news' in topics\")",
                           "the name is taken")
        browser.wait_for_text("column 41")
        caret = browser.evaluate(
            "document.querySelector('.caret').textContent.split('\\n').map(line => line.indexOf('^'))")
        self.assertEqual(caret[1], 40)
        browser.command("Input.insertText", text=")")
        browser.wait_for_text(f"{DEVICES // 2 - DEVICES // 50} devices")
        browser.screenshot(self.pictures / "audience.png")

    def test_a_message_is_composed_tried_and_sent(self) -> None:
        browser = self.browser
        self.go("compose", "As a phone shows it")
        browser.fill("Title", "Raid <b>&amp;")
        browser.fill("Body", "Tonight at 21:00")
        browser.wait_until("document.querySelector('.push').innerText.includes('Raid <b>&amp;')",
                           "the preview has the title as text")
        browser.click("Add a language")
        browser.fill("Language", "de")
        browser.evaluate(
            "document.querySelector('fieldset "
            "input:nth-of-type(1)').closest('.field').nextElementSibling.querySelector('input').focus()")
        browser.command("Input.insertText", text="Überfall")
        browser.wait_until("document.querySelectorAll('.push').length === 2", "each language has a preview")
        browser.fill("Topic", "news")
        browser.click("Dry run")
        browser.wait_for_text("would be addressed now. Nothing was sent.")
        before = self.call("messages", app=APP)["messages"][0]["message_id"]
        browser.fill("Test device", "2")
        browser.click("Send to this device")
        browser.wait_for_text("The test is sent.")
        browser.screenshot(self.pictures / "compose.png")
        browser.click("Send…")
        browser.wait_until("!!document.querySelector('dialog[open]')", "the question is there")
        number = browser.evaluate("document.querySelector('dialog').innerText.match(/Send to ([\\d,]+) devices/)[1]")
        self.assertTrue(browser.evaluate("document.querySelector('dialog .primary').disabled"))
        browser.fill("Type", number)
        browser.click("Send to")
        browser.wait_for_text("The message is on its way.")
        sent = self.call("messages", app=APP)["messages"]
        self.assertEqual(sent[0]["message_id"], before + 2)
        self.assertEqual(sent[0]["total"], int(number.replace(",", "")))

    def test_a_message_is_scheduled_started_and_paced(self) -> None:
        browser = self.browser
        # The browser is in Berlin.
        when = datetime.now(ZoneInfo("Europe/Berlin")).replace(
            hour=21, minute=30, second=0, microsecond=0) + timedelta(days=40)
        self.go("compose", "As a phone shows it")
        browser.wait_for_text("in Europe/Berlin")
        browser.fill("Title", "Later")
        browser.fill("Topic", "level5")
        browser.fill("Label", "later")
        browser.fill("Deliveries a second at most", "3")
        browser.fill_time("Send at", when)
        browser.click("Send…")
        browser.wait_for_text("at most 3 a second")
        # The name of the month is that of the browser.
        time = when.strftime(r"%d \w+ %Y, 21:30:00 CES?T")
        self.assertRegex(browser.evaluate("document.querySelector('dialog').innerText"), time)
        browser.screenshot(self.pictures / "schedule.png")
        browser.fill("Type", browser.evaluate(
            "document.querySelector('dialog').innerText.match(/Send to ([\\d,]+) devices/)[1]"))
        browser.click("Send to")
        browser.wait_for_text("The message is scheduled.")
        message = self.call("messages", app=APP)["messages"][0]["message_id"]
        status = self.call("message_status", app=APP, message_id=message)
        self.assertEqual((status["state"], status["pace"], status["send_at"]),
                         ("scheduled", 3, when.timestamp() * 1000))
        browser.click(f"Message {message}")
        browser.wait_for_text("at most 3/s")
        self.assertRegex(browser.evaluate("document.querySelector('main').innerText"), time)
        browser.click("Start now…")
        browser.wait_for_text("It is scheduled for")
        browser.click("Start now for")
        browser.wait_until("[...document.querySelectorAll('main .chip')].some(each => each.textContent === 'sending')",
                           "it is sent")
        self.call("update_message", app=APP, message_id=message, action="cancel")

    def test_events_come_as_they_happen(self) -> None:
        self.go("events", "live")
        self.browser.wait_for_text("message-finished")
        message = self.call("send", app=APP, push_type="alert", audience="devices", devices=[2],
                            payload={"aps": {"alert": "x"}})["message_id"]
        self.browser.wait_for_text(f"message {message}")
        self.browser.screenshot(self.pictures / "events.png")

    def test_credentials_and_settings_are_read_only(self) -> None:
        refused = self.call("register", app=APP, environment="production",
                            kind="device", token=f"ff{1:062x}")["device_id"]
        self.call("send", app=APP, push_type="alert", audience="devices",
                  devices=[refused], payload={"aps": {"alert": "x"}})
        self.go("credentials", "KEY1234567")
        self.browser.wait_for_text("accepted")
        self.browser.wait_for_text("403 Forbidden")
        row = "[...document.querySelectorAll('main table')][1].tBodies[0].rows[0]"
        used, refused_at = self.browser.evaluate(
            f"[2, 3].map(cell => Date.now() - new Date({row}.cells[cell].querySelector('time').dateTime))")
        self.assertLess(max(used, refused_at), 600_000)
        self.browser.screenshot(self.pictures / "credentials.png")
        self.go("settings", "console.port")
        self.browser.fill("Filter", "retention")
        self.browser.wait_until(
            "!document.body.innerText.includes('limits.connections') && "
            "document.body.innerText.includes('retention.messageDays')", "it filters")
        self.browser.screenshot(self.pictures / "settings.png")
        self.assertEqual(self.browser.evaluate(
            "document.querySelectorAll('main button, main input:not([data-search])').length"), 0)


if __name__ == "__main__":
    unittest.main()
