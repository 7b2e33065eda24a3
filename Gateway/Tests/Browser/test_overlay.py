"""What the overlay must show."""

import time
import unittest

from axe_playwright_python.base import AXE_FILE_PATH
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from browser import DEADLINE, HELPERS, BrowserTests

OK = [{"id": "ok", "label": "OK"}]
MARKUP = "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'>"


class OverlayTests(BrowserTests):
    def test_a_popup_is_shown_at_the_place_of_its_scene_and_goes(self):
        self.overlay()
        for scene, place in [
            ("TOP_BAR", "top"), ("BOTTOM_SHEET", "bottom"), ("CENTER", "center"), ("FULL_SCREEN", "full"),
            ("SCENE_UNSPECIFIED", "corner"),
        ]:
            popup = self.show(scene, text="Text", presentation={"scene": scene})
            self.until("shown() === arguments[0]", scene)
            self.assertEqual(self.value("box().parentElement.id"), f"place-{place}")
            area = self.value("box().getBoundingClientRect().toJSON()")
            if place == "top":
                self.assertEqual((area["x"], area["y"], area["width"]), (0, 0, 1280))
            if place == "full":
                self.assertGreaterEqual(area["width"] * area["height"], 0.9 * 1280 * self.value("innerHeight"))
            self.ask("DELETE", f"/v1/popups/{popup}")
            self.until("boxes().length === 0")

    def test_markup_stays_text(self):
        self.overlay(mode="render")
        self.show(MARKUP, text=MARKUP, actions=[{"id": "a", "label": MARKUP}], presentation={"icon": "javascript:1"})
        self.until("shown() === arguments[0]", MARKUP)
        self.assertEqual(self.value("box().querySelector('.text').textContent"), MARKUP)
        self.assertEqual(self.value("box().querySelector('.action').textContent"), MARKUP)
        self.assertEqual(self.value("box().querySelectorAll('script, [onerror]').length"), 0)
        self.assertIsNone(self.value("window.hacked ?? null"))

    def test_the_interrupted_popup_comes_back_with_the_time_it_had_left(self):
        self.overlay()
        self.show("A", durationMs=60_000, text="a")
        self.until("shown() === 'A'")
        other = self.show("B", priority=5, text="b")
        self.until("shown() === 'B'")
        left = self.phase_of_paused("A")
        self.ask("DELETE", f"/v1/popups/{other}")
        self.until("shown() === 'A'")
        drawn = self.remaining()
        self.assertLessEqual(drawn, left)
        self.assertGreater(drawn, left - 10_000)

    def phase_of_paused(self, title):
        popups = self.ask("GET", f"/v1/queue/{self.group}")[2]["popups"]
        return next(popup["remainingMs"] for popup in popups if popup["title"] == title)

    def remaining(self):
        """Returns what the bar shows as left, in ms."""
        return self.value(
            "(([bar]) => bar.effect.getTiming().duration - bar.currentTime)"
            "(box().querySelector('.bar i').getAnimations())")

    def test_a_click_answers_and_every_screen_closes(self):
        popup = self.show("Visitor", text="at the desk", actions=OK)
        self.overlay()
        self.assertEqual(self.value("shadow().querySelectorAll('.action').length"), 0)
        watching = self.driver.current_window_handle
        self.driver.switch_to.new_window("tab")
        self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": HELPERS})
        self.overlay(mode="render")
        self.click("OK")
        self.until("boxes().length === 0")
        self.assertEqual(self.phase(popup)["closed"]["action"], "ok")
        self.assertEqual(len(self.dismissals()), 1)
        self.driver.switch_to.window(watching)
        self.until("boxes().length === 0")
        self.driver.switch_to.window(self.driver.window_handles[-1])
        self.driver.close()
        self.driver.switch_to.window(watching)

    def test_a_click_that_began_on_another_popup_is_not_sent(self):
        self.show("A", actions=OK)
        self.overlay(mode="render")
        self.until("button('OK')")
        self.past_guard()
        ActionChains(self.driver).click_and_hold(self.value("button('OK')")).perform()
        other = self.show("B", priority=5, actions=OK)
        self.until("shown() === 'B'")
        ActionChains(self.driver).release().perform()
        # At once after the swap, a whole click counts for nothing either.
        self.run_script("button('OK').click()")
        self.assertEqual(self.dismissals(), [])
        self.assertEqual(self.phase(other)["phase"], "ACTIVE")
        self.click("OK")
        self.until("shown() === 'A'")
        self.assertEqual(self.phase(other)["closed"]["action"], "ok")

    def test_an_update_keeps_the_box_and_repetitions_are_not_announced(self):
        popup = self.show("Build", text="runs")
        self.overlay()
        self.until("shown() === 'Build'")
        self.run_script("""
            box().isTheSame = true;
            window.announced = [];
            element().addEventListener("popup-shown", () => announced.push("new"));
            for (const region of shadow().querySelectorAll("[aria-live]")) new MutationObserver(
                () => announced.push(region.textContent)).observe(region, { childList: true });
        """)
        self.ask("PATCH", f"/v1/popups/{popup}", {"text": "done"})
        self.until("box().querySelector('.text').textContent === 'done'")
        self.assertTrue(self.value("box().isTheSame"))
        state = self.ask("GET", f"/v1/state/{self.group}")[2]
        for _ in range(5):
            self.run_script("element().show({ state: arguments[0], received: performance.now() })", state)
        self.until("announced.length > 0")
        self.assertEqual(self.value("announced"), ["Build. done"])

    def test_a_box_without_a_backdrop_leaves_the_focus_and_f6_reaches_it(self):
        self.overlay(mode="render")
        self.run_script("document.body.insertAdjacentHTML('beforeend', '<input id=field>'); field.focus()")
        popup = self.show("Call", actions=OK, presentation={"dismissOnOutside": True})
        self.until("shown() === 'Call'")
        self.assertEqual(self.value("document.activeElement.id"), "field")
        self.assertEqual(self.value("box().getAttribute('role')"), "dialog")
        self.keys(Keys.F6)
        self.assertTrue(self.value("shadow().activeElement === box()"))
        self.keys(Keys.TAB)
        self.assertEqual(self.value("shadow().activeElement.textContent"), "OK")
        self.keys(Keys.F6)
        self.assertEqual(self.value("document.activeElement.id"), "field")
        self.past_guard()
        self.keys(Keys.F6)
        self.keys(Keys.ESCAPE)
        self.until("boxes().length === 0")
        self.assertEqual(self.phase(popup)["closed"]["action"], "outside")
        self.assertEqual(self.value("document.activeElement.id"), "field")

    def test_a_modal_box_takes_the_focus_keeps_it_and_gives_it_back(self):
        self.overlay(mode="render")
        self.run_script("document.body.insertAdjacentHTML('beforeend', '<input id=field>'); field.focus()")
        popup = self.show("Stop", actions=OK + [{"id": "no", "label": "No"}], presentation={"backdrop": True})
        self.until("shown() === 'Stop'")
        self.assertEqual(self.value("box().getAttribute('role')"), "alertdialog")
        self.assertTrue(self.value("shadow().activeElement === box()"))
        for _ in range(6):
            self.keys(Keys.TAB)
            self.assertNotEqual(self.value("document.activeElement.id"), "field")
        self.past_guard()
        self.keys(Keys.ESCAPE)
        self.assertEqual(self.dismissals(), [])
        self.assertTrue(self.value("box().open"))
        self.ask("DELETE", f"/v1/popups/{popup}")
        self.until("boxes().length === 0")
        self.assertEqual(self.value("document.activeElement.id"), "field")

    def keys(self, *keys):
        ActionChains(self.driver).send_keys(*keys).perform()

    def test_the_countdown_needs_no_clock(self):
        script = self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {
            "source": "const now = Date.now; Date.now = () => now() + 3_600_000;"})
        self.addCleanup(
            self.driver.execute_cdp_cmd, "Page.removeScriptToEvaluateOnNewDocument", script)
        self.show("Offer", durationMs=20_000, presentation={"countdown": True})
        self.overlay()
        self.until("box()?.querySelector('.bar i').getAnimations().length")
        # The broker's word and the page's, one within the other.
        before = self.remaining()
        told = self.ask("GET", f"/v1/state/{self.group}")[2]["active"]["remainingMs"]
        after = self.remaining()
        self.assertLessEqual(told, before + 150)
        self.assertGreaterEqual(told, after - 150)
        self.assertRegex(self.value("box().querySelector('.time').textContent"), r"^(20|1?\d) s$")

    def test_the_countdown_is_right_after_the_page_was_hidden(self):
        self.show("Offer", durationMs=40_000, presentation={"countdown": True})
        self.overlay()
        self.until("box()?.querySelector('.bar i').getAnimations().length")
        self.run_script("document.addEventListener('visibilitychange', () => { window.wasHidden ||= document.hidden })")
        page = self.driver.current_window_handle
        self.driver.switch_to.new_window("tab")
        # Browsers slow the timers of hidden pages down after ten seconds.
        time.sleep(20)
        self.driver.close()
        self.driver.switch_to.window(page)
        self.until("window.wasHidden && !document.hidden")
        before = self.remaining()
        told = self.ask("GET", f"/v1/state/{self.group}")[2]["active"]["remainingMs"]
        after = self.remaining()
        self.assertLessEqual(told, before + 150)
        self.assertGreaterEqual(told, after - 150)

    def test_nothing_overflows_and_nothing_is_inaccessible(self):
        self.addCleanup(self.driver.execute_cdp_cmd, "Emulation.clearDeviceMetricsOverride", {})
        self.addCleanup(self.driver.execute_cdp_cmd, "Emulation.setEmulatedMedia", {"features": []})
        self.overlay(mode="render", extend="1")
        with open(AXE_FILE_PATH, encoding="utf-8") as file:
            axe = file.read()
        self.run_script(axe)
        title = "A long title with aVeryLongWordThatGoesOnAndOnAndOnWithoutAnyPlaceToBreakItForAWhile"
        actions = [{"id": str(number), "label": f"Action number {number}"} for number in range(5)]
        looks = [
            [{"name": "prefers-color-scheme", "value": "dark"}], [{"name": "prefers-reduced-motion", "value": "reduce"}],
            [{"name": "forced-colors", "value": "active"}], [],
        ]
        for number, (style, scene) in enumerate([
            ("info", "TOP_BAR"), ("warning", "CENTER"), ("error", "BOTTOM_SHEET"), ("success", "SCENE_UNSPECIFIED"),
        ]):
            self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": looks[number]})
            self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
                "width": 320, "height": 640, "deviceScaleFactor": 2, "mobile": False})
            popup = self.show(
                title, text="Text " * 20, actions=actions, durationMs=30_000,
                presentation={"scene": scene, "style": style, "backdrop": number == 1, "countdown": True})
            self.until("box()?.dataset.style === arguments[0]", style)
            self.until("box().getAnimations().every(animation => animation.playState === 'finished')")
            self.assertLessEqual(self.value("document.documentElement.scrollWidth"), 320)
            area = self.value("box().getBoundingClientRect().toJSON()")
            self.assertGreaterEqual(area["left"], 0)
            self.assertLessEqual(area["right"], 320)
            for size in self.value("[...box().querySelectorAll('button')].filter(b => !b.hidden)"
                                   ".map(b => b.getBoundingClientRect()).map(r => [r.width, r.height])"):
                self.assertGreaterEqual(min(size), 44)
            found = self.driver.execute_async_script("""
                axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] })
                    .then(result => arguments[0](result.violations.map(v => [v.id, v.nodes.map(n => n.html)])));
            """)
            self.assertEqual(found, [], style)
            self.ask("DELETE", f"/v1/popups/{popup}")
            self.until("boxes().length === 0")

    def test_when_the_gateway_comes_back_the_page_is_right_again(self):
        self.overlay()
        self.show("Before")
        self.until("shown() === 'Before'")
        self.run_script("window.isTheSamePage = true")
        self.gateway.end(9)
        self.until("element().dataset.connection === 'lost'")
        self.assertFalse(self.value("shadow().getElementById('lost').hidden"))
        type(self).start_gateway(f"127.0.0.1:{self.gateway.port}")
        self.show("After", priority=5)
        back = time.monotonic()
        self.until("shown() === 'After' && element().dataset.connection === 'open'")
        self.assertLess(time.monotonic() - back, 10)
        self.assertTrue(self.value("window.isTheSamePage"))
        self.assertTrue(self.value("shadow().getElementById('lost').hidden"))

    def test_a_group_that_became_empty_while_the_page_was_away_is_empty(self):
        popup = self.show("Before")
        self.overlay()
        self.until("shown() === 'Before'")
        self.gateway.end(9)
        self.until("element().dataset.connection === 'lost'")
        type(self).start_gateway(f"127.0.0.1:{self.gateway.port}")
        self.ask("DELETE", f"/v1/popups/{popup}")
        self.until("boxes().length === 0")

    def test_an_unknown_token_is_said_and_not_tried_again(self):
        self.driver.get(f"{self.origin}/overlay?group={self.group}#token=wrong")
        self.until("element().dataset.connection === 'denied'")
        self.assertIn("refuses", self.value("shadow().getElementById('lost').textContent"))
        self.assertEqual(self.value("sent.length"), 1)

    def test_of_two_modal_boxes_one_is_open_and_then_the_other(self):
        one, two = self.group + "/one", self.group + "/two"
        self.overlay(self.group + "/*", mode="render")
        first = self.show("First", one, presentation={"backdrop": True}, actions=OK, priority=1)
        self.until("shown() === 'First'")
        second = self.show("Second", two, presentation={"backdrop": True}, actions=OK, priority=9)
        self.until("shown() === 'Second'")
        self.assertEqual(self.value("shadow().querySelectorAll('dialog[open]').length"), 1)
        self.until("sent.some(([, path, body]) => path.includes('/report') && body.includes('hidden'))")
        self.ask("DELETE", f"/v1/popups/{second}")
        self.until("shown() === 'First' && box().open")
        self.ask("DELETE", f"/v1/popups/{first}")
        self.until("boxes().length === 0")

    def test_the_policy_of_content_holds_and_lets_obs_add_a_style(self):
        self.overlay()
        self.show("Safe", text=MARKUP)
        self.until("shown() === 'Safe'")
        self.assertEqual(self.value("violations"), [])
        self.run_script("""
            const style = document.createElement("style");
            style.textContent = "body { outline: 7px solid red }";
            document.head.append(style);
        """)
        self.assertEqual(self.value("getComputedStyle(document.body).outlineWidth"), "7px")
        self.assertEqual(self.value("violations"), [])
        self.run_script("""
            const script = document.createElement("script");
            script.textContent = "window.hacked = 1";
            document.head.append(script);
        """)
        self.until("violations.length > 0")
        self.assertIsNone(self.value("window.hacked ?? null"))

    def test_many_popups_leave_nothing_behind(self):
        self.overlay()
        self.run_script("""
            window.flood = (from, count) => {
                for (let number = from; number < from + count; number++) element().show({
                    received: performance.now(),
                    state: { epoch: "9", group: groupName, revision: String(number), active: {
                        id: "p" + number, group: groupName, text: "Text", sinceRevision: String(number),
                        remainingMs: 5000, durationMs: 5000, presentation: { title: "Popup " + number } } },
                });
            };
            window.groupName = arguments[0];
        """, self.group)
        nodes = []
        for start in (0, 2000, 10_000):
            self.run_script("flood(arguments[0], arguments[1])", start, 2000 if start == 0 else 8000)
            self.driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
            self.driver.execute_cdp_cmd("HeapProfiler.collectGarbage", {})
            nodes.append(self.driver.execute_cdp_cmd("Memory.getDOMCounters", {})["nodes"])
            self.assertEqual(self.value("boxes().length"), 1)
        self.assertLess(nodes[2], nodes[0] * 1.5)
        self.assertEqual(self.value("sent.filter(([, path]) => path.includes('/v1/stream')).length"), 1)

    def test_a_renderer_accepts_an_offer_and_a_watcher_does_not_draw_it(self):
        self.overlay(self.group, self.group + "/later")
        popup = self.show("Offered", offerMs=60_000)
        # A later popup of another group arrives after the offer has.
        self.show("Later", self.group + "/later")
        self.until("shown() === 'Later'")
        self.assertEqual(self.phase(popup)["phase"], "OFFERED")
        self.overlay(mode="render")
        self.until("shown() === 'Offered'")
        self.assertEqual(self.phase(popup)["phase"], "ACTIVE")

    def test_more_time_is_given_before_it_is_over(self):
        self.overlay(mode="render", extend="1")
        popup = self.show("Question", actions=OK, durationMs=30_000, presentation={"countdown": True})
        self.until("button('More time')")
        self.until("parseInt(box().querySelector('.time').textContent) <= 28")
        before = self.remaining()
        self.run_script("button('More time').click()")
        self.until("parseInt(box().querySelector('.time').textContent) >= 29")
        self.assertEqual(self.phase(popup)["phase"], "ACTIVE")
        self.assertGreater(self.remaining(), before)

    def test_a_page_that_is_left_gives_its_stream_back_and_is_right_when_it_is_back(self):
        for query in ({"mode": "render"}, {}):
            self.overlay(**query)
            self.assertEqual(self.state_streams(), 1)
            # Browsers keep such a page, with its connections, for the way back.
            self.run_script("window.isTheSamePage = true")
            self.driver.get("about:blank")
            WebDriverWait(self.driver, DEADLINE, 0.02).until(lambda _: self.state_streams() == 0)
            popup = self.show("Meanwhile")
            self.driver.back()
            self.until("shown() === 'Meanwhile' && element().connection === 'open'")
            self.ask("DELETE", f"/v1/popups/{popup}")
            self.until("boxes().length === 0")

    def test_one_of_several_answers_waits_for_the_others(self):
        self.overlay(mode="render", client="first")
        popup = self.show("Vote", actions=OK, quorum=2)
        self.click("OK")
        self.until("box().querySelector('.note').textContent === 'Answered. Waiting for others.'")
        self.assertIsNone(self.value("button('OK') ?? null"))
        self.assertEqual(self.phase(popup)["phase"], "ACTIVE")

    def test_seven_tabs_share_one_stream_and_another_takes_over(self):
        self.show("For all")
        first = self.driver.current_window_handle
        tabs = [first]
        self.addCleanup(self.driver.switch_to.window, first)
        for _ in range(7):
            self.driver.switch_to.new_window("tab")
            tabs.append(self.driver.current_window_handle)
            self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": HELPERS})
            self.overlay()
            self.until("shown() === 'For all'")
        streams = "sent.filter(([, path]) => path.includes('/v1/stream')).length"
        counts = []
        for tab in tabs[1:]:
            self.driver.switch_to.window(tab)
            counts.append(self.value(streams))
        self.assertEqual(counts, [1, 0, 0, 0, 0, 0, 0])
        status = self.driver.execute_async_script(
            "fetch('/v1/stats', { headers: { Authorization: 'Bearer all' } }).then(a => arguments[0](a.status))")
        self.assertEqual(status, 200)
        self.driver.switch_to.window(tabs[1])
        self.driver.close()
        self.show("Next", priority=5)
        for tab in tabs[2:]:
            self.driver.switch_to.window(tab)
            self.until("shown() === 'Next'")
            self.driver.close()
        self.driver.switch_to.window(first)


if __name__ == "__main__":
    unittest.main(verbosity=2)
