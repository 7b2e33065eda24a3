"""What the dashboard must show."""

import json
import os
import subprocess
import time
import unittest

from axe_playwright_python.base import AXE_FILE_PATH
from selenium.webdriver.common.keys import Keys

from browser import BrowserTests

MARKUP = "<img src=x onerror='window.hacked = 1'>"


class DashboardTests(BrowserTests):
    def setUp(self):
        super().setUp()
        self.driver.delete_all_cookies()

    def tearDown(self):
        super().tearDown()
        self.driver.execute_cdp_cmd("Network.clearBrowserCookies", {})

    def open(self, token="all"):
        self.driver.get(f"{self.origin}/#token={token}")
        self.until("document.getElementById('health').textContent.includes('connected')")

    def row(self, group=None):
        """Returns an expression for the row of a group."""
        return f"[...groups.tBodies[0].rows].find(row => row.cells[0].textContent === '{group or self.group}')"

    def press(self, label, within):
        """Presses a button within an element of the page."""
        button = f"[...{within}.querySelectorAll('button')].find(button => button.textContent === '{label}')"
        self.until(f"{within} && {button} && !{button}.disabled")
        self.run_script(f"{button}.focus(); {button}.click()")

    def test_a_token_is_asked_for_and_kept_where_no_script_reads_it(self):
        self.driver.get(self.origin + "/")
        self.until("!login.hidden")
        self.run_script("token.value = 'wrong'; login.requestSubmit()")
        self.until("document.getElementById('login-problem').textContent")
        self.run_script("token.value = 'all'; login.requestSubmit()")
        self.until("!work.hidden")
        self.assertEqual(self.value("document.cookie"), "")
        self.driver.get(self.origin + "/")
        self.until("!work.hidden")
        self.run_script("leave.click()")
        self.until("!document.getElementById('login').hidden")
        self.open()
        self.assertNotIn("token", self.driver.current_url)

    def test_groups_are_shown_dismissed_and_advanced(self):
        self.open()
        first = self.show("First", text="one")
        second = self.show("Second", text="two")
        self.until(f"{self.row()}?.cells[1].textContent === 'First' && {self.row()}.cells[3].textContent === '1'")
        self.press("Dismiss", self.row())
        self.press("No", "document.getElementById('confirm')")
        self.assertEqual(self.phase(first)["phase"], "ACTIVE")
        self.press("Dismiss", self.row())
        self.press("Yes", "document.getElementById('confirm')")
        self.until(f"{self.row()}?.cells[1].textContent === 'Second'")
        self.assertEqual(self.phase(first)["closed"]["reason"], "DISMISSED")
        self.press("Next", self.row())
        self.until(f"!{self.row()}")
        self.assertEqual(self.phase(second)["closed"]["reason"], "ADVANCED")

    def test_without_a_right_a_button_says_so(self):
        self.show("Shown")
        self.open("watcher")
        self.until(self.row())
        self.assertEqual(self.value("problem.textContent"), "")
        self.press("Next", self.row())
        self.until("problem.textContent.includes('control')")
        self.assertEqual(self.value(f"{self.row()}.cells[1].textContent"), "Shown")

    def test_why_says_what_explain_says(self):
        blocker = self.show("Blocks", priority=5)
        waiting = self.show("Waits")
        self.open()
        self.until(self.row())
        self.press(self.group, self.row())
        queue_row = "[...queue.tBodies[0].rows].find(row => row.cells[0].textContent === 'Waits')"
        self.until(queue_row)
        self.press("Why?", queue_row)
        self.until("!why.hidden")
        explanation = self.explain(waiting)
        self.assertEqual(self.value("document.getElementById('why-text').textContent"), explanation["text"])
        rules = self.value("[...document.getElementById('why-rules').children].map(item => item.textContent)")
        self.assertEqual(len(rules), len(explanation["rules"]))
        for text, rule in zip(rules, explanation["rules"]):
            self.assertTrue(text.startswith(f"{rule['rule']}: {rule['text']}"), (text, rule))
            for other in rule["blockers"]:
                self.assertIn(other, text)
        self.assertIn(blocker, explanation["rules"][0]["blockers"])
        self.press(blocker, "why")
        self.until("document.getElementById('why-title').textContent.includes('Blocks')")
        self.until("policy.textContent.includes('DEFAULT')")
        self.ask("DELETE", f"/v1/popups/{waiting}?action=gone")
        self.until("events.textContent.includes('closed') && events.textContent.includes('gone')")
        self.until(f"!{queue_row}")

    def explain(self, popup):
        """Returns what `popupctl explain` says."""
        program = os.path.join(os.path.dirname(os.environ["BROKER"]), "popupctl")
        ends = [word for name in ("ingress", "egress") for word in (f"--{name}", self.broker.fields[name])]
        output = subprocess.run(
            [os.environ.get("POPUPCTL", program), "explain", popup, "--json", *ends], check=True, capture_output=True)
        return json.loads(output.stdout)

    def tab_to(self, expression):
        """Presses Tab until an element has the focus."""
        for _ in range(60):
            self.keys(Keys.TAB)
            if self.value(f"document.activeElement === ({expression})"):
                return
        raise AssertionError(f"Tab does not reach `{expression}`")

    def test_everything_is_done_by_keys_alone(self):
        first = self.show("First", text="one", priority=5)
        self.show("Second", text="two")
        self.driver.get(self.origin + "/")
        self.until("document.activeElement === token")
        self.keys("all", Keys.ENTER)
        self.until(self.row())
        button = f"[...{self.row()}.querySelectorAll('button')].find(button => button.textContent === '%s')"
        dialog = "document.getElementById('confirm')"
        # Escape is no.
        self.tab_to(button % "Dismiss")
        self.keys(Keys.ENTER)
        self.until(f"{dialog}.open && {dialog}.contains(document.activeElement)")
        self.keys(Keys.ESCAPE)
        self.until(f"!{dialog}.open")
        self.assertTrue(self.value("document.activeElement === " + button % "Dismiss"))
        self.assertEqual(self.phase(first)["phase"], "ACTIVE")
        self.keys(Keys.ENTER)
        self.until(f"{dialog}.open")
        self.tab_to(f"{dialog}.querySelector('[value=yes]')")
        self.keys(Keys.ENTER)
        self.until(f"{self.row()}?.cells[1].textContent === 'Second'")
        self.assertEqual(self.phase(first)["closed"]["reason"], "DISMISSED")
        self.assertTrue(self.value("document.activeElement === " + button % "Dismiss"))
        # A group, its queue, and why.
        self.back_tab()
        self.keys(Keys.ENTER)
        self.until("queue.tBodies[0].rows.length === 1 && document.activeElement.id === 'detail-title'")
        self.tab_to("queue.tBodies[0].rows[0].querySelector('button')")
        self.keys(Keys.ENTER)
        self.until("document.activeElement.id === 'why-title'")
        # The form.
        self.tab_to("ask.elements.group")
        self.keys(self.group, Keys.TAB, "Third", Keys.TAB, "three", Keys.TAB, "7", Keys.ENTER)
        self.until(f"{self.row()}?.cells[1].textContent === 'Third'")

    def test_a_page_that_nobody_sees_has_no_streams_and_goes_on_when_it_is_seen(self):
        self.show("Before")
        self.open()
        self.press(self.group, self.row())
        self.addCleanup(self.close_tabs, self.driver.current_window_handle)
        self.show_unseen("Meanwhile", 5)
        self.until("events.textContent.includes('events may be missing here')")
        known = self.show("Seen", priority=6)
        self.until("events.textContent.includes(arguments[0])", known)
        self.run_script("events.replaceChildren()")
        popup = self.show_unseen("Again", 7)
        self.until("events.textContent.includes(arguments[0])", popup)
        self.assertNotIn("missing", self.value("events.textContent"))

    def show_unseen(self, title, priority):
        """Shows a popup while the page is hidden and has given its streams back, and returns its id."""
        self.wait(lambda: (self.streams(), self.streams("events")) == (1, 1), "the streams are not open")
        page = self.driver.current_window_handle
        self.new_tab()
        self.wait(lambda: (self.streams(), self.streams("events")) == (0, 0), "the streams are open")
        popup = self.show(title, priority=priority)
        self.driver.switch_to.window(page)
        self.until(f"{self.row()}?.cells[1].textContent === '{title}'")
        self.until("document.getElementById('health').textContent.includes('connected')")
        return popup

    def test_a_held_group_shows_nothing_until_it_is_resumed(self):
        self.show("Held")
        self.open()
        self.press(self.group, self.row())
        self.run_script("hold.click()")
        self.until(f"{self.row()}.cells[1].textContent === ''")
        self.run_script("resume.click()")
        self.until(f"{self.row()}.cells[1].textContent === 'Held'")

    def test_the_focus_stays_and_pause_holds_while_groups_change(self):
        names = [f"{self.group}/{number:02}" for number in range(60)]
        for name in names:
            self.show("Old", name, id=f"{name}-popup")
        self.open()
        self.until("groups.tBodies[0].rows.length === 60")
        focused = f"{self.row(names[30])}.querySelector('button')"
        self.run_script(f"{focused}.focus()")
        for name in names:
            self.ask("PATCH", f"/v1/popups/{name.replace('/', '%2F')}-popup", {"presentation": {"title": "New"}})
        self.until(f"[...groups.tBodies[0].rows].every(row => row.cells[1].textContent === 'New')")
        self.show("Other", self.group + "/0")
        self.until("groups.tBodies[0].rows.length === 61")
        self.assertTrue(self.value(f"document.activeElement === {focused}"))
        self.run_script("pause.click()")
        self.ask("DELETE", f"/v1/popups/{names[0].replace('/', '%2F')}-popup")
        self.ask("GET", f"/v1/state/{names[0]}")
        self.driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
        self.assertEqual(self.value("groups.tBodies[0].rows.length"), 61)
        self.run_script("pause.click()")
        self.until("groups.tBodies[0].rows.length === 60")

    def test_many_groups_that_change_leave_the_page_responsive(self):
        names = [f"{self.group}/{number:03}" for number in range(200)]
        for start in range(0, 200, 100):
            self.ask("POST", "/v1/commands", {"commands": [
                {"show": {"id": f"{name}-popup", "group": name, "text": "x", "presentation": {"title": "0"}}}
                for name in names[start:start + 100]]})
        self.open()
        self.until("groups.tBodies[0].rows.length === 200")
        focused = f"{self.row(names[30])}.querySelector('button')"
        self.run_script(f"{focused}.focus()")
        self.run_script("""
            window.tasks = [];
            new PerformanceObserver(list => tasks.push(...list.getEntries().map(entry => entry.duration)))
                .observe({ type: "longtask" });
        """)
        # Of 60 batches at most one in twenty makes the page wait for longer than 50 ms. The machine may do other work:
        # the best of three rounds counts.
        rounds = []
        for number in range(3):
            rounds.append(self.change(names, f"{number}."))
            self.assertTrue(self.value(f"document.activeElement === {focused}"))
            if rounds[-1][0] <= 3:
                break
        count, rate = rounds[-1]
        self.assertLessEqual(count, 3, rounds)
        if os.getloadavg()[0] < os.cpu_count():
            self.assertGreater(rate, 45, rounds)

    def change(self, names, prefix):
        """Changes all groups, 50 in a second, for 6 s. Returns how many long tasks the page had, and the rate."""
        self.run_script("window.tasks.length = 0")
        begin = time.monotonic()
        for step in range(60):
            changed = [names[(5 * step + offset) % len(names)] for offset in range(5)]
            self.ask("POST", "/v1/commands", {"commands": [
                {"update": {"id": f"{name}-popup", "group": name, "presentation": {"title": f"{prefix}{step}"}}}
                for name in changed]})
            time.sleep(max(0, begin + 0.1 * (step + 1) - time.monotonic()))
        rate = 300 / (time.monotonic() - begin)
        self.until(f"{self.row(changed[-1])}.cells[1].textContent === '{prefix}59'")
        self.until(f"[...groups.tBodies[0].rows].every(row => row.cells[1].textContent.startsWith('{prefix}'))")
        return self.value("tasks.length"), rate

    def test_another_policy_is_tried_on_what_has_happened(self):
        first = self.show("Low", priority=1)
        second = self.show("High", priority=9)
        for popup in (second, first):
            self.assertEqual(self.ask("DELETE", f"/v1/popups/{popup}")[0], 200)
        self.open()
        self.until("!document.getElementById('what-if').hidden")
        fill = "trial.elements.group.value = arguments[0]; trial.elements.preset.value = arguments[1]; trial.requestSubmit()"
        self.driver.execute_script(fill, self.group, "FIFO")
        rows = "[...differences.tBodies[0].rows].map(row => row.textContent)"
        self.until(f"{rows}.some(text => text.includes('High') && text.includes('never shown'))")
        self.assertIn("otherwise: ", self.value("document.getElementById('trial-summary').textContent"))
        self.assertEqual(self.value("document.activeElement.id"), "trial-summary")
        self.driver.execute_script(fill, self.group, "PRIORITY")
        self.until("document.getElementById('trial-summary').textContent.startsWith('No popup')")
        self.assertTrue(self.value("differences.hidden"))
        self.run_script("trial.elements.fields.value = 'overflow'; trial.requestSubmit()")
        self.until("document.getElementById('trial-summary').textContent.includes('not JSON')")
        self.run_script("trial.elements.fields.value = '{\"overflw\": \"DROP_OLDEST\"}'; trial.requestSubmit()")
        self.until("document.getElementById('trial-summary').textContent.includes('overflw')")
        self.assertTrue(self.value("differences.hidden"))

    def test_a_popup_is_asked_for_and_curl_is_told_the_same(self):
        self.open()
        self.run_script("""
            for (const [name, value] of Object.entries({ group: arguments[0], title: "It's", text: "now" })) {
                ask.elements[name].value = value;
            }
            ask.dispatchEvent(new Event("input"));
        """, self.group)
        self.assertIn("?title=It%27s&priority=0&duration=20s'", self.value("curl.textContent"))
        self.assertIn("-d 'now'", self.value("curl.textContent"))
        self.run_script("ask.requestSubmit()")
        self.until(f"{self.row()}?.cells[1].textContent === \"It's\"")

    def test_markup_stays_text_and_the_policy_of_content_holds(self):
        self.show(MARKUP, text=MARKUP, id="<b>id</b>")
        self.open()
        self.press(self.group, self.row())
        self.until("queue.tBodies[0].rows.length === 1")
        self.press("Why?", "queue.tBodies[0].rows[0]")
        self.until("!why.hidden")
        self.assertEqual(self.value("document.querySelectorAll('main img, main b').length"), 0)
        self.assertEqual(self.value("violations"), [])
        # Unlike the overlay, it takes no styles of others either.
        for name, text in (("style", "body { outline: 7px solid red }"), ("script", "window.hacked = 1")):
            before = self.value("violations.length")
            self.run_script("""
                const element = document.createElement(arguments[0]);
                element.textContent = arguments[1];
                document.head.append(element);
            """, name, text)
            self.until("violations.length > arguments[0]", before)
            self.assertIn(name, self.value("violations.at(-1)"))
        self.assertNotEqual(self.value("getComputedStyle(document.body).outlineWidth"), "7px")
        self.assertIsNone(self.value("window.hacked ?? null"))

    def test_it_is_accessible_and_fits_a_small_screen(self):
        self.addCleanup(self.driver.execute_cdp_cmd, "Emulation.clearDeviceMetricsOverride", {})
        self.addCleanup(self.driver.execute_cdp_cmd, "Emulation.setEmulatedMedia", {"features": []})
        self.show("Shown", text="text", presentation={"style": "warning"})
        self.show("Waits")
        self.open()
        self.press(self.group, self.row())
        self.until("queue.tBodies[0].rows.length === 2")
        self.press("Why?", "queue.tBodies[0].rows[1]")
        self.until("!why.hidden && policy.children.length")
        self.until("!document.getElementById('what-if').hidden")
        self.driver.execute_script(
            "trial.elements.group.value = arguments[0]; trial.elements.preset.value = 'LIFO'; trial.requestSubmit()", self.group)
        self.until("!differences.hidden")
        with open(AXE_FILE_PATH, encoding="utf-8") as file:
            self.run_script(file.read())
        for scheme, width in (("light", 1280), ("dark", 320)):
            self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
                "features": [{"name": "prefers-color-scheme", "value": scheme}]})
            self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
                "width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False})
            self.assertLessEqual(self.value("document.documentElement.scrollWidth"), width)
            found = self.driver.execute_async_script("""
                axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] })
                    .then(result => arguments[0](result.violations.map(v => [v.id, v.nodes.map(n => n.html)])));
            """)
            self.assertEqual(found, [], scheme)


if __name__ == "__main__":
    unittest.main(verbosity=2)
