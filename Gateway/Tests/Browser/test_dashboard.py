"""What the dashboard must show."""

import json
import os
import subprocess
import time
import unittest

from axe_playwright_python.base import AXE_FILE_PATH
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from browser import OLDEST, BrowserTests

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

    def answer(self, label):
        """Answers the question that the page asks."""
        self.until("document.getElementById('confirm').open")
        self.press(label, "document.getElementById('confirm')")

    def queue_row(self, title):
        """Returns an expression for the row of a popup in the queue."""
        return f"[...queue.tBodies[0].rows].find(row => row.cells[0].textContent === '{title}')"

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

    def test_a_login_that_is_refused_for_another_reason_than_the_token_says_so(self):
        self.before_page("""
            window.answers = [];
            const send = window.fetch;
            window.fetch = (path, options = {}) => options.method === "POST" && answers.length
                ? Promise.resolve(answers.shift()) : send(path, options);
        """)
        self.driver.get(self.origin + "/")
        self.until("!login.hidden")
        for answer, words in (
            ("Response.json({ detail: 'you ask too often; wait' }, { status: 429, headers: { 'Retry-After': '42' } })",
             "you ask too often; wait (try again in 42 s)"),
            ("Response.json({ detail: 'the gateway ends' }, { status: 503, headers: { 'Retry-After': '300' } })",
             "the gateway ends (try again in 5 min)"),
            ("new Response('<h1>Bad gateway</h1>', { status: 502 })", "The gateway answers with the status 502"),
        ):
            self.run_script(f"answers.push({answer}); token.value = 'all'; login.requestSubmit()")
            self.until("document.getElementById('login-problem').textContent === arguments[0]", words)
        self.run_script("token.value = 'wrong'; login.requestSubmit()")
        self.until("document.getElementById('login-problem').textContent === 'The gateway does not know this token.'")

    def test_the_oldest_browsers_show_the_page(self):
        self.before_page(OLDEST)
        first = self.show("First", text="one")
        self.show("Second", text="two")
        self.open()
        self.press(self.group, self.row())
        self.press("Why?", self.queue_row("Second"))
        self.until("!why.hidden && policy.children.length && numbers.children.length")
        self.press("Dismiss", self.row())
        self.answer("Yes")
        self.until("events.textContent.includes('closed') && events.textContent.includes(arguments[0])", first)
        self.until(f"{self.row()}?.cells[1].textContent === 'Second'")

    def test_a_browser_that_keeps_no_cookie_is_told(self):
        self.before_page("const own = fetch; fetch = (path, options) => own(path, { ...options, credentials: 'omit' })")
        self.driver.get(self.origin + "/")
        self.until("!login.hidden")
        self.run_script("token.value = 'all'; login.requestSubmit()")
        self.until("document.getElementById('login-problem').textContent === 'The browser keeps no cookie for this page.'")
        self.assertTrue(self.value("work.hidden && !login.hidden"))

    def test_groups_are_shown_dismissed_and_advanced(self):
        self.open()
        first = self.show("First", text="one")
        second = self.show("Second", text="two")
        self.until(f"{self.row()}?.cells[1].textContent === 'First' && {self.row()}.cells[3].textContent === '1'")
        self.press("Dismiss", self.row())
        self.answer("No")
        self.assertEqual(self.phase(first)["phase"], "ACTIVE")
        self.press("Dismiss", self.row())
        self.answer("Yes")
        self.until(f"{self.row()}?.cells[1].textContent === 'Second'")
        self.assertEqual(self.phase(first)["closed"]["reason"], "DISMISSED")
        self.press("Next", self.row())
        self.answer("No")
        self.assertEqual(self.phase(second)["phase"], "ACTIVE")
        self.press("Next", self.row())
        self.answer("Yes")
        self.until(f"!{self.row()}")
        self.assertEqual(self.phase(second)["closed"]["reason"], "ADVANCED")

    def test_next_closes_no_other_popup_than_the_one_that_was_asked_about(self):
        self.open()
        first = self.show("First", text="one")
        second = self.show("Second", text="two")
        self.until(f"{self.row()}?.cells[1].textContent === 'First'")
        self.press("Next", self.row())
        self.until("document.getElementById('confirm-text').textContent.includes(arguments[0])", first)
        self.ask("DELETE", f"/v1/popups/{first}")
        self.until(f"{self.row()}.cells[1].textContent === 'Second'")
        self.answer("Yes")
        self.until("problem.textContent.includes(arguments[0])", first)
        self.assertEqual(self.phase(second)["phase"], "ACTIVE")

    def test_the_page_begins_with_the_groups_that_the_token_may_query(self):
        self.show("Seen", "demo/seen", text="text")
        self.show("Other", text="text")
        self.open("demo")
        self.until(self.row("demo/seen"))
        self.assertEqual(self.value("pattern.value"), "demo/*")
        offered = "[...document.getElementById('patterns').options].map(({ value }) => value)"
        self.assertEqual(self.value(offered), ["demo/*"])
        self.assertEqual(self.value("groups.tBodies[0].rows.length"), 1)
        # Numbers of the whole broker are not asked for.
        self.assertEqual(self.value("sent.filter(([, path]) => path.startsWith('/v1/stats')).length"), 0)
        # Of other groups, it says what right is missing.
        self.run_script("pattern.value = '*'; filter.requestSubmit()")
        self.until("document.getElementById('health').textContent.includes('the token `demo`')")
        self.assertEqual(self.value("groups.tBodies[0].rows.length"), 0)

    def test_a_pattern_stands_in_the_address_and_the_token_does_not_stay_there(self):
        self.show("One", "demo/one", text="text")
        self.show("Other", text="text")
        self.driver.get(f"{self.origin}/#token=all&group=demo/*")
        self.until(self.row("demo/one"))
        self.assertEqual(self.value("[location.hash, pattern.value]"), ["#group=demo/*", "demo/*"])
        self.run_script("pattern.value = arguments[0]; filter.requestSubmit()", self.group)
        self.until(self.row())
        self.driver.refresh()
        self.until(self.row())
        self.assertEqual(self.value("[location.hash, pattern.value]"), [f"#group={self.group}", self.group])
        self.assertEqual(self.value("groups.tBodies[0].rows.length"), 1)

    def test_without_scripts_the_page_says_what_it_needs(self):
        self.assertIn("The dashboard is a script. Please allow scripts for this page.", self.without_script("/"))

    def test_200_groups_are_listed_and_the_page_says_that_there_are_more(self):
        names = [f"{self.group}/{number:03}" for number in range(205)]
        for start in (0, 200):
            self.ask("POST", "/v1/commands", {"commands": [
                {"show": {"id": f"{name}-popup", "group": name, "text": "x"}} for name in names[start:start + 200]]})
        self.open()
        self.until("groups.tBodies[0].rows.length === 200")
        self.until("document.getElementById('groups-count').textContent.endsWith('200, and more: filter them')")
        self.run_script("pattern.value = arguments[0]; filter.requestSubmit()", names[204])
        self.until(self.row(names[204]))
        self.until("document.getElementById('groups-count').textContent.endsWith(': 1')")

    def test_the_order_that_a_column_names_is_that_of_the_rows(self):
        names = [f"{self.group}/{letter}" for letter in "abc"]
        for count, name in enumerate(names, 1):
            for number in range(count):
                self.show(f"{number}", name, text="text")
        self.open()
        self.run_script("""
            window.order = () => [...groups.tBodies[0].rows].map(row => row.cells[0].textContent.at(-1)).join("");
            window.sorts = () => [...groups.tHead.querySelectorAll("[aria-sort]")].map(head => head.ariaSort).join();
            document.querySelector("[data-sort=waiting]").click();
        """)
        self.until("order() === 'abc' && sorts() === 'none,ascending'")
        # The order holds after a change.
        for number in range(5):
            self.show(f"More {number}", names[0], text="text")
        self.until("order() === 'bca'")
        self.assertEqual(self.value("sorts()"), "none,ascending")
        # The row that the user is at does not move, and then there is no order.
        self.run_script(f"{self.row(names[1])}.querySelector('button').focus()")
        for number in range(9):
            self.show(f"More {number}", names[1], text="text")
        self.until(f"{self.row(names[1])}.cells[3].textContent === '10'")
        self.until("sorts() === 'none,none'")
        self.assertEqual(self.value("order()"), "bca")
        self.run_script("document.activeElement.blur()")
        self.until("order() === 'cab' && sorts() === 'none,ascending'")
        # Once more, and the other way round.
        self.run_script("document.querySelector('[data-sort=waiting]').click()")
        self.until("order() === 'bac' && sorts() === 'none,descending'")

    def test_without_a_right_a_button_says_so(self):
        self.show("Shown")
        self.open("reader")
        self.until(self.row())
        self.assertEqual(self.value("problem.textContent"), "")
        self.press("Next", self.row())
        self.answer("Yes")
        self.until("problem.textContent.includes('control')")
        self.assertEqual(self.value(f"{self.row()}.cells[1].textContent"), "Shown")

    def test_without_the_right_to_watch_the_page_says_what_is_missing(self):
        self.show("Shown")
        self.driver.get(f"{self.origin}/#token=asker")
        self.until(self.row())
        status, _, problem = self.ask("GET", f"/v1/stream?group={self.group}", token="asker")
        self.assertEqual(status, 403)
        self.until("health.textContent === arguments[0]", f"○ {problem['detail']}")

    def test_a_query_that_is_refused_is_told_in_the_words_of_the_gateway(self):
        self.open()
        self.run_script("pattern.value = 'two words'; filter.requestSubmit()")
        status, _, problem = self.ask("GET", "/v1/groups?group=two%20words")
        self.assertEqual(status, 422)
        self.until("health.textContent === arguments[0]", f"○ {problem['detail']}")
        self.run_script("pattern.value = '*'; filter.requestSubmit()")
        self.until("health.textContent.includes('connected')")

    # Answers queries for groups as `answerGroups(number, signal)` does, keeps their times, and the words about the
    # connection.
    ANSWER_GROUPS = """
        const before = window.fetch;
        window.asked = [];
        window.answerGroups = () => null;
        window.fetch = (path, options = {}) => {
            if (!String(path).startsWith("/v1/groups")) return before(path, options);
            asked.push({ at: performance.now(), path: String(path) });
            return answerGroups(asked.length, options.signal) ?? before(path, options);
        };
        window.words = [];
        new MutationObserver(() => words.push(health.textContent))
            .observe(health, { childList: true, characterData: true, subtree: true });
    """

    def test_the_page_says_that_it_is_old_while_a_query_hangs_and_asks_again(self):
        self.show("Shown")
        self.open()
        self.until(self.row())
        self.run_script(self.ANSWER_GROUPS + """
            window.answerGroups = (number, signal) => number > 1 ? null : new Promise((_, reject) => {
                signal?.addEventListener("abort", () => reject(signal.reason));
            });
        """)
        self.until("words.some(text => text.includes('may be old'))")
        # The one that hangs has a deadline.
        self.until("asked.length > 1 && health.textContent.includes('connected')")
        self.assertEqual(self.value(f"{self.row()}.cells[1].textContent"), "Shown")

    def test_the_page_asks_later_after_too_many_requests(self):
        self.open()
        self.run_script(self.ANSWER_GROUPS + """
            window.answerGroups = number => number > 3 ? null : Promise.resolve(new Response(
                "{}", { status: 429, headers: { "Retry-After": "3" } }));
        """)
        # For longer than a query may have no answer.
        self.until("asked.length > 3")
        times = self.value("asked.map(({ at }) => at)")
        for before, after in zip(times, times[1:4]):
            self.assertGreaterEqual(after - before, 2990)
        self.assertEqual(self.value("words"), [])

    def test_the_page_asks_the_more_rarely_the_more_pages_of_groups_there_are(self):
        self.open()
        self.run_script(self.ANSWER_GROUPS + """
            window.answerGroups = number => Promise.resolve(Response.json(
                { groups: [{ group: `empty/${number}` }], truncated: number % 3 > 0 }));
        """)
        self.until("asked.length > 3")
        asked = self.value("asked")
        after = ["after" in item["path"] for item in asked[:4]]
        self.assertEqual(after, [False, True, True, False])
        self.assertGreaterEqual(asked[3]["at"] - asked[2]["at"], 5990)

    def test_the_queue_shows_priorities_and_changes_them(self):
        self.show("Shown", text="text", priority=9)
        self.show("Second", text="text", priority=3)
        last = self.show("Last", text="text", priority=-2)
        self.open()
        self.until(self.row())
        self.press(self.group, self.row())
        table = "[...queue.tBodies[0].rows].map(row => [row.cells[0].textContent, row.cells[2].textContent])"
        self.until(f"{table}.length === 3")
        self.assertEqual(self.value(table), [["Shown", "9"], ["Second", "3"], ["Last", "-2"]])
        field = f"{self.queue_row('Last')}.querySelector('input')"
        self.assertEqual(self.value(f"{field}.value"), "-2")
        self.assertIn(last, self.value(f"{field}.getAttribute('aria-label')"))
        # What is being written stays, though the queue changes.
        self.run_script(f"{field}.focus(); {field}.select()")
        self.keys("5")
        self.show("Between", text="text", priority=0)
        self.until("queue.tBodies[0].rows.length === 4")
        self.assertEqual(self.value(f"{field}.value"), "5")
        self.keys(Keys.ENTER)
        self.until(f"{table}.join('|') === 'Shown,9|Last,5|Second,3|Between,0'")
        self.assertTrue(self.value(f"document.activeElement === {field}"))

    def test_under_the_name_of_a_group_stands_nothing_of_another_one(self):
        one, two = self.group + "/one", self.group + "/two"
        self.show("First", one)
        self.show("Second", two)
        self.open()
        self.run_script("""
            const send = window.fetch;
            window.fetch = (path, options) => String(path).includes("/v1/queue/") && String(path).endsWith("/two") && !window.free
                ? Promise.resolve(new Response("{}", { status: 503 })) : send(path, options);
        """)
        rows = "[...queue.tBodies[0].rows].map(row => row.cells[0].textContent).join()"
        for group in (one, two):
            self.until(self.row(group))
        self.press(one, self.row(one))
        self.until(f"{rows} === 'First' && policy.childElementCount > 0")
        self.press(two, self.row(two))
        self.assertEqual(self.value(rows), "")
        self.driver.execute_async_script("setTimeout(arguments[0], 1500)")
        self.assertEqual(self.value(rows), "")
        # It is asked again until it is answered.
        self.run_script("window.free = true")
        self.until(f"{rows} === 'Second'")

    def test_rows_of_the_queue_keep_focus_caret_and_clicks_while_the_group_changes(self):
        for number in (9, 3, 1):
            self.show(f"Popup {number}", text="text", priority=number)
        last = next(popup["id"] for popup in self.ask("GET", f"/v1/queue/{self.group}")[2]["popups"]
                    if popup["title"] == "Popup 1")
        self.open()
        self.press(self.group, self.row())
        self.until("queue.tBodies[0].rows.length === 3")
        field = f"{self.queue_row('Popup 3')}.querySelector('input')"
        self.run_script(f"""
            window.blurs = 0;
            window.field = {field};
            window.order = () => [...queue.tBodies[0].rows].map(row => row.cells[0].textContent.at(-1)).join("");
            window.count = () => document.getElementById("queue-count").textContent;
            field.focus();
            field.select();
            field.addEventListener("blur", () => blurs++);
        """)
        self.keys("12", Keys.ARROW_LEFT)
        # A popup between the others moves none of them.
        self.show("Popup 2", text="text", priority=2)
        self.until("order() === '9321' && count() === 'Popups, in their order: 4'")
        # One that comes before others waits for the user.
        self.ask("PATCH", f"/v1/popups/{last}", {"priority": 5, "group": self.group})
        self.show("Popup 7", text="text", priority=-7)
        self.until("order() === '93217' && count() === 'Popups: 5'")
        self.keys("5")
        self.assertEqual(self.value("[order(), field.value, blurs, document.activeElement === field]"),
                         ["93217", "152", 0, True])
        self.run_script("field.blur()")
        self.until("order() === '91327' && count() === 'Popups, in their order: 5'")
        # A click that has begun arrives, and the rows are sorted when the pointer has left them.
        why = f"{self.queue_row('Popup 3')}.querySelector('button')"
        ActionChains(self.driver).click_and_hold(self.value(why)).perform()
        self.ask("PATCH", f"/v1/popups/{last}", {"priority": 0, "group": self.group})
        self.show("Popup 8", text="text", priority=-8)
        self.until("order() === '913278' && count() === 'Popups: 6'")
        ActionChains(self.driver).release().perform()
        self.until("!why.hidden && document.activeElement.id === 'why-title'")
        ActionChains(self.driver).move_to_element(self.value("document.querySelector('h1')")).perform()
        self.until("order() === '932178' && count() === 'Popups, in their order: 6'")

    def test_suspensions_are_listed_until_they_end(self):
        groups, token = self.group + "/*", f"all:{self.group}"
        self.open()
        self.until("document.getElementById('suspensions-count').textContent === 'None is in force.'")
        for least in (None, 5):
            body = {"group": groups, "token": self.group, **({} if least is None else {"minPriority": least})}
            self.assertEqual(self.ask("POST", "/v1/suspend", body)[0], 200)
            self.until("suspensions.tBodies[0].rows[0]?.cells[2].textContent === arguments[0]",
                       "all popups" if least is None else "priorities below 5")
        cells = self.value("[...suspensions.tBodies[0].rows].map(row => [...row.cells].map(cell => cell.textContent))")
        self.assertEqual([row[:3] for row in cells], [[token, groups, "priorities below 5"]])
        self.assertRegex(cells[0][3], r"\d:\d\d")
        # It can be ended here, although its groups show nothing and are not listed.
        self.assertEqual(self.value("groups.tBodies[0].rows.length"), 0)
        self.press("Resume", "suspensions.tBodies[0].rows[0]")
        self.until("suspensions.tBodies[0].rows.length === 0")
        self.assertEqual(self.ask("GET", "/v1/suspensions")[2].get("suspensions", []), [])
        self.assertEqual(self.value("problem.textContent"), "")

    def test_a_suspension_of_another_token_is_listed_without_a_button(self):
        self.assertEqual(self.ask("POST", "/v1/suspend", {"group": self.group, "token": "own"})[0], 200)
        self.addCleanup(self.ask, "POST", "/v1/resume", {"token": "own"})
        self.open("reader")
        self.until("suspensions.tBodies[0].rows.length === 1")
        self.assertEqual(self.value("suspensions.querySelectorAll('tbody button').length"), 0)

    def test_refused_commands_are_counted_by_reason(self):
        counts = "Object.fromEntries([...refused.tBodies[0].rows].map(row => [...row.cells].map(c => c.textContent)))"
        before = self.refused("NOT_FOUND")
        for _ in range(3):
            self.assertEqual(self.ask("PATCH", f"/v1/popups/nothing?group={self.group}", {"priority": 1})[0], 404)
        self.open()
        self.until("!refusals.hidden && " + counts + ".NOT_FOUND === arguments[0]", str(before + 3))
        self.assertEqual(self.value(counts), {
            item["reason"]: item["count"] for item in self.ask("GET", "/v1/stats")[2]["refusedByReason"]
            if int(item.get("count", 0))})

    def refused(self, reason):
        """Returns how many commands the broker has refused for a reason."""
        counts = self.ask("GET", "/v1/stats")[2]["refusedByReason"]
        return next((int(item.get("count", 0)) for item in counts if item["reason"] == reason), 0)

    def test_the_stream_follows_the_groups_in_view_and_at_most_50(self):
        self.addCleanup(self.driver.execute_cdp_cmd, "Emulation.clearDeviceMetricsOverride", {})
        names = [f"{self.group}/{number:02}" for number in range(60)]
        self.ask("POST", "/v1/commands", {"commands": [
            {"show": {"id": f"{name}-popup", "group": name, "text": "x", "presentation": {"title": "Old"}}}
            for name in names]})
        self.open()
        self.until("groups.tBodies[0].rows.length === 60")
        self.run_script("""
            window.followed = () => new URLSearchParams(
                sent.filter(([, path]) => path.startsWith("/v1/stream")).at(-1)?.[1].split("?")[1]).getAll("group");
            window.inView = () => [...groups.tBodies[0].rows].filter(row => {
                const { top, bottom } = row.getBoundingClientRect();
                return bottom > 0 && top < innerHeight;
            }).map(row => row.cells[0].textContent);
        """)
        follows_view = "followed().length && followed().join() === inView().slice(0, 50).join()"
        self.until(follows_view)
        self.assertNotIn(names[59], self.value("followed()"))
        # Further down, others are in view.
        self.run_script(f"{self.row(names[59])}.scrollIntoView({{ block: 'center' }})")
        self.until(f"followed().includes('{names[59]}') && {follows_view}")
        self.assertNotIn(names[0], self.value("followed()"))
        self.ask("PATCH", f"/v1/popups/{names[59].replace('/', '%2F')}-popup", {"presentation": {"title": "New"}})
        self.until(f"{self.row(names[59])}.cells[1].textContent === 'New'")
        # The group whose detail is open stays followed, and a high window has more than 50 rows.
        self.press(names[59], self.row(names[59]))
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": 1280, "height": 6000, "deviceScaleFactor": 1, "mobile": False})
        self.until("inView().length === 60 && followed().length === 50 && followed().includes(inView()[0])")
        self.assertIn(names[59], self.value("followed()"))
        whole = "sent.filter(([, path]) => path.startsWith('/v1/stream') && path.includes('*'))"
        self.assertEqual(self.value(whole), [])
        self.wait(lambda: self.streams() == 1, "there are other streams than one")

    def test_why_says_what_explain_says(self):
        blocker = self.show("Blocks", priority=5)
        waiting = self.show("Waits")
        self.open()
        self.until(self.row())
        self.press(self.group, self.row())
        queue_row = self.queue_row("Waits")
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

    def test_a_stream_of_events_that_falls_silent_is_opened_again(self):
        # The first one is half open: it says hello, and then there are neither bytes nor an end.
        self.before_page("""
            const send = window.fetch;
            window.followed = 0;
            window.fetch = (path, options = {}) => {
                if (!String(path).startsWith("/v1/events") || followed++) return send(path, options);
                const body = new ReadableStream({ start(controller) {
                    controller.enqueue(new TextEncoder().encode('{"event":"hello","heartbeatMs":1}\\n'));
                    options.signal.addEventListener("abort", () => controller.error(options.signal.reason));
                } });
                return Promise.resolve(new Response(body, { headers: { "Content-Type": "application/x-ndjson" } }));
            };
        """)
        self.show("First")
        self.open()
        self.press(self.group, self.row())
        self.until("followed === 2 && events.textContent.includes('events may be missing here')")
        self.wait(lambda: self.streams("events") == 1, "the events are not followed")
        popup = self.show("Second", priority=1)
        self.until("events.textContent.includes(arguments[0])", popup)

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

    def test_the_focus_stays_in_the_row_when_its_button_is_disabled(self):
        popup = self.show("Goes")
        self.show("Comes", delayMs=3_600_000)
        self.open()
        self.until(f"{self.row()} && {self.row()}.cells[1].textContent === 'Goes'")
        self.run_script(
            f"[...{self.row()}.querySelectorAll('button')].find(button => button.textContent === 'Dismiss').focus()")
        self.show("Paused behind a hold")
        self.addCleanup(self.ask, "POST", "/v1/resume", {"token": "test"})
        self.assertEqual(self.ask("POST", "/v1/suspend", {"group": self.group, "token": "test"})[0], 200)
        self.ask("DELETE", f"/v1/popups/{popup}")
        self.until(f"{self.row()} && {self.row()}.cells[1].textContent === ''")
        self.assertEqual(self.value("document.activeElement.textContent"), self.group)

    def test_the_times_in_the_queue_go_on(self):
        self.show("Shown", durationMs=3_600_000, priority=5)
        self.show("Waits", durationMs=60_000)
        self.show("Comes", delayMs=90_000)
        self.before_page("""
            window.aged = 0;
            const now = performance.now.bind(performance);
            performance.now = () => now() + window.aged;
        """)
        self.open()
        self.until(self.row())
        self.press(self.group, self.row())
        times = "[...queue.tBodies[0].rows].map(row => row.cells[3].textContent).join('|')"
        self.until(f"queue.tBodies[0].rows.length === 3 && {times}.startsWith('60 min|60 s|')")
        self.run_script("window.aged = 80_000")
        # What is shown and what is delayed elapse; what waits keeps its time.
        self.until(f"/^58 min\\|60 s\\|\\d s$/.test({times})")

    def test_rates_are_drawn_and_numbers_stand_still_in_a_pause(self):
        # Its delays pass faster.
        self.before_page("""
            const later = window.setTimeout;
            window.setTimeout = (act, ms) => later(act, ms / 50);
            window.looks = () => sent.filter(([, path]) => path === "/v1/stats").length;
            window.points = () => [...document.querySelectorAll("#numbers polyline")]
                .map(line => line.getAttribute("points").split(" ").map(point => point.split(",").map(Number)));
        """)
        self.open()
        self.until("points().length === 2 && points()[0].length > 2")
        # A rate needs two looks. The newest one is on the right.
        self.assertEqual(self.value("points().map(line => line.at(-1)[0])"), [59, 59])
        self.show("Something")
        self.until("points()[0].some(([, height]) => height === 1)")
        self.assertRegex(self.value("numbers.querySelector('svg').getAttribute('aria-label')"), r"^The last \d+: at most [1-9]")
        # It keeps the last 60.
        self.until("looks() > 65")
        self.assertEqual(self.value("points().map(line => line.length)"), [60, 60])
        self.run_script("pause.click()")
        shown = "[numbers.textContent, points().join()].join()"
        # What was asked for before the pause is not shown.
        before, asked = self.value(shown), self.value("looks()")
        self.run_script("window.changed = 0; new MutationObserver(() => changed++).observe("
                        "numbers, { childList: true, characterData: true, attributes: true, subtree: true })")
        self.driver.execute_async_script("setTimeout(arguments[0], 50 * 500)")
        self.assertEqual(self.value("[changed, looks()]"), [0, asked])
        self.assertEqual(self.value(shown), before)
        self.run_script("pause.click()")
        self.until("looks() > arguments[0] && changed > 0", asked)

    def test_after_a_pause_the_events_say_that_some_are_missing(self):
        self.before_page("""
            window.heard = [];
            const parse = JSON.parse;
            JSON.parse = text => {
                const value = parse(text);
                if (value?.event === "event") heard.push(value.data.popup);
                return value;
            };
            const send = window.fetch;
            window.fetch = async (path, options) => {
                const answer = await send(path, options);
                window.isFollowing ||= String(path).includes("/v1/events");
                return answer;
            };
        """)
        self.open()
        self.show("First")
        self.press(self.group, self.row())
        # From here on, no event is missed.
        self.until("window.isFollowing")
        second = self.show("Second", priority=1)
        self.until("heard.includes(arguments[0]) && events.textContent.includes(arguments[0])", second)
        self.run_script("pause.click()")
        third = self.show("Third", priority=2)
        self.until("heard.includes(arguments[0])", third)
        self.assertNotIn("missing", self.value("events.textContent"))
        self.run_script("pause.click()")
        self.assertEqual(self.value("events.firstChild.textContent"), "… events are missing here")
        self.assertNotIn(third, self.value("events.textContent"))
        # Only once.
        fourth = self.show("Fourth", priority=3)
        self.until("events.textContent.includes(arguments[0])", fourth)
        self.assertEqual(self.value("events.textContent.split('missing').length"), 2)

    def test_a_page_that_asks_again_and_again_keeps_nothing_of_it(self):
        # Its delays pass faster.
        self.before_page("""
            window.kept = 0;
            const { addEventListener, removeEventListener } = EventTarget.prototype;
            AbortSignal.prototype.addEventListener = function (...options) {
                kept++;
                return addEventListener.apply(this, options);
            };
            AbortSignal.prototype.removeEventListener = function (...options) {
                kept--;
                return removeEventListener.apply(this, options);
            };
            const later = window.setTimeout;
            window.setTimeout = (act, ms) => later(act, ms / 20);
            window.looks = () => sent.filter(([, path]) => path.includes("/v1/suspensions")).length;
        """)
        self.open()
        self.until("looks() > 2")
        kept = self.value("kept")
        self.until("looks() > 22")
        self.assertLessEqual(self.value("kept"), kept + 2)

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
        self.assertIn("would differ: ", self.value("document.getElementById('trial-summary').textContent"))
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
        self.assertIn("--data-raw 'now'", self.value("curl.textContent"))
        self.run_script("ask.requestSubmit()")
        self.until(f"{self.row()}?.cells[1].textContent === \"It's\"")

    def test_the_command_for_curl_sends_the_text_that_was_typed(self):
        self.open()
        for text in ("@/etc/hostname", "it's & \\ \"$HOME\""):
            self.run_script("""
                ask.elements.group.value = arguments[0];
                ask.elements.text.value = arguments[1];
                ask.dispatchEvent(new Event("input"));
            """, self.group, text)
            answer = subprocess.run(["sh", "-c", self.value("curl.textContent")], check=True, capture_output=True,
                                    env={**os.environ, "TOKEN": "all"})
            popup = json.loads(answer.stdout)["id"]
            self.assertEqual(self.phase(popup)["phase"], "ACTIVE")
            self.assertEqual(self.ask("GET", f"/v1/state/{self.group}")[2]["active"]["text"], text)
            self.assertEqual(self.ask("DELETE", f"/v1/popups/{popup}")[0], 200)

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
