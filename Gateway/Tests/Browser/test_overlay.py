"""What the overlay must show."""

import base64
import http.client
import http.server
import json
import os
import signal
import tempfile
import threading
import time
import unittest
import urllib.parse

from axe_playwright_python.base import AXE_FILE_PATH
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.wheel_input import ScrollOrigin
from selenium.webdriver.common.keys import Keys

from browser import DEADLINE, OLDEST, BrowserTests
from programs import broker

OK = [{"id": "ok", "label": "OK"}]
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
MARKUP = "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'>"


class Icons:
    """A server of icons, which keeps the path and the referrer of each request."""

    def __init__(self):
        self.requests = requests = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                requests.append((self.path, self.headers["Referer"]))
                self.send_response(200)
                self.send_header("Content-Type", "image/png")
                self.end_headers()
                self.wfile.write(PIXEL)

            def log_message(self, *_):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.http.server_address[1]
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def end(self):
        self.http.shutdown()
        self.http.server_close()


class OverlayTests(BrowserTests):
    @classmethod
    def setUpClass(cls):
        cls.icons = Icons()
        cls.addClassCleanup(cls.icons.end)
        themes = tempfile.TemporaryDirectory()
        cls.addClassCleanup(themes.cleanup)
        with open(os.path.join(themes.name, "night.css"), "w", encoding="utf-8") as file:
            file.write("popup-screen { --popup-back: #010203; }\npopup-screen::part(title) { letter-spacing: 3px; }\n")
        cls.environment = {
            "POPUP_GATEWAY_OVERLAY_THEMES": themes.name,
            "POPUP_GATEWAY_OVERLAY_IMAGEHOSTS": f"127.0.0.1:{cls.icons.port}",
        }
        super().setUpClass()

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

    def test_an_icon_is_loaded_from_a_listed_host_and_from_no_other(self):
        self.overlay()
        self.show("Other", text="text", presentation={"icon": f"http://localhost:{self.icons.port}/other.png"})
        self.until("shown() === 'Other'")
        self.assertTrue(self.value("box().querySelector('.icon').hidden"))
        self.show("Listed", text="text", priority=1,
                  presentation={"icon": f"http://127.0.0.1:{self.icons.port}/listed.png"})
        self.until("shown() === 'Listed' && box().querySelector('.icon').naturalWidth === 1")
        self.assertFalse(self.value("box().querySelector('.icon').hidden"))
        self.assertEqual(self.icons.requests, [("/listed.png", None)])
        self.assertEqual(self.value("violations"), [])

    def test_the_oldest_browsers_show_popups_and_take_answers(self):
        self.before_page(OLDEST)
        self.overlay(mode="render")
        for modal in (False, True):
            popup = self.show(f"Old {modal}", actions=OK, durationMs=60_000, data=base64.b64encode(PIXEL).decode(),
                              contentType="image/png", presentation={
                                  "icon": f"http://127.0.0.1:{self.icons.port}/old.png", "backdrop": modal})
            self.until("shown() === arguments[0] && box().querySelector('.icon').naturalWidth === 1", f"Old {modal}")
            self.click("OK")
            self.until("boxes().length === 0")
            self.assertEqual(self.phase(popup)["closed"]["action"], "ok")

    def test_behind_a_modal_box_the_page_is_dimmed_also_where_the_backdrop_inherits_no_variables(self):
        self.overlay(mode="render")
        self.show("Stop", actions=OK, presentation={"backdrop": True})
        self.until("box()?.open")
        shade = "getComputedStyle(box(), '::backdrop').backgroundColor"
        default = self.value(shade)
        self.assertRegex(default, r"^rgba\(0, 0, 0, 0\.5")
        self.run_script("document.head.append(document.createElement('style'))")
        for style, color in (("popup-screen { --popup-shade: rgb(1, 2, 3) }", "rgb(1, 2, 3)"),
                             ("popup-screen::part(box) { --popup-shade: initial }", default)):
            self.run_script("document.head.lastChild.textContent = arguments[0]", style)
            self.assertEqual(self.value(shade), color)

    def test_content_is_an_image_if_it_is_one_and_other_content_is_named(self):
        self.overlay()
        self.show("A map", data=base64.b64encode(PIXEL).decode(), contentType="image/png")
        self.until("shown() === 'A map' && box().querySelector('.image').naturalWidth === 1")
        self.assertTrue(self.value("box().querySelector('.image').src").startswith("blob:"))
        self.assertEqual(self.value("box().querySelector('.image').alt"), "A map")
        self.assertTrue(self.value("box().querySelector('.text').hidden"))
        for kind, priority in (("application/pdf", 1), ("image/tiff", 2), ("text/html", 3)):
            self.show(kind, data=base64.b64encode(MARKUP.encode()).decode(), contentType=kind, priority=priority)
            self.until("shown() === arguments[0]", kind)
            self.assertEqual(self.value("box().querySelector('.text').textContent"),
                             f"This content ({kind}) cannot be shown here.")
            self.assertTrue(self.value("box().querySelector('.image').hidden"))
        # Text may come as data, too.
        for kind, priority in ((None, 4), ("text/plain; charset=utf-8", 5)):
            self.show(
                f"Text {priority}", data=base64.b64encode("Grüße <b>".encode()).decode(), priority=priority,
                **({"contentType": kind} if kind else {}))
            self.until("shown() === arguments[0]", f"Text {priority}")
            self.assertEqual(self.value("box().querySelector('.text').textContent"), "Grüße <b>")
        self.assertEqual(self.value("violations"), [])

    def test_an_address_without_a_group_says_so(self):
        for path in ("/overlay", "/overlay/%", "/overlay/"):
            self.driver.get(f"{self.origin}{path}#token=all")
            self.until("document.body.textContent.includes('names no group')")

    def test_a_popup_without_a_scene_is_in_the_corner_that_the_page_names(self):
        self.show("Here", text="text")
        for corner in ("bottom-right", "bottom-left", "top-right", "top-left", ""):
            self.overlay(**({"corner": corner} if corner else {}))
            self.until("shown() === 'Here'")
            area = self.value("box().getBoundingClientRect().toJSON()")
            height = self.value("innerHeight")
            found = ("top" if area["top"] == 16 else "bottom" if area["bottom"] == height - 16 else "",
                     "left" if area["left"] == 16 else "right" if area["right"] == 1280 - 16 else "")
            self.assertEqual("-".join(found), corner or "bottom-right")

    def test_each_text_has_the_direction_of_its_own_script(self):
        self.overlay(mode="render")
        self.show("שלום", text="Good morning", actions=[{"id": "yes", "label": "نعم"}, {"id": "no", "label": "No"}])
        self.until("shown() === 'שלום'")
        directions = self.value(
            "[...box().querySelectorAll('.title, .text, .action')].map(part => getComputedStyle(part).direction)")
        self.assertEqual(directions, ["rtl", "ltr", "rtl", "ltr"])

    def test_on_a_page_from_right_to_left_the_accent_is_on_the_right(self):
        self.overlay()
        self.run_script("document.documentElement.dir = 'rtl'")
        for scene in ("TOP_BAR", "CENTER", "BOTTOM_SHEET", "SCENE_UNSPECIFIED"):
            popup = self.show(scene, text="text", presentation={"scene": scene})
            self.until("shown() === arguments[0]", scene)
            left, right = self.value(
                "(({ borderLeftWidth, borderRightWidth }) => [borderLeftWidth, borderRightWidth])(getComputedStyle(box()))")
            self.assertEqual((left, right), ("0px" if scene == "TOP_BAR" else "1px", "6px"), scene)
            self.ask("DELETE", f"/v1/popups/{popup}")
            self.until("boxes().length === 0")

    def test_nothing_moves_when_the_system_asks_for_that(self):
        self.addCleanup(self.driver.execute_cdp_cmd, "Emulation.setEmulatedMedia", {"features": []})
        for motion, animation, display in (("no-preference", "slide", "block"), ("reduce", "none", "none")):
            self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
                "features": [{"name": "prefers-reduced-motion", "value": motion}]})
            self.overlay()
            popup = self.show("Offer", text="text", durationMs=60_000, presentation={"animation": "SLIDE"})
            self.until("shown() === 'Offer'")
            self.assertEqual(self.value("getComputedStyle(box()).animationName"), animation)
            self.assertEqual(self.value("getComputedStyle(box().querySelector('.bar')).display"), display)
            if motion == "reduce":
                self.assertEqual(self.value("box().getAnimations().length"), 0)
            self.ask("DELETE", f"/v1/popups/{popup}")
            self.until("boxes().length === 0")

    def test_without_scripts_the_page_says_what_it_needs(self):
        self.assertEqual(
            self.without_script("/overlay"), ["This page shows popups by a script. Please allow scripts for it."])

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
        self.new_tab()
        self.overlay(mode="render")
        seen = self.ask("GET", f"/v1/state/{self.group}")[2]["active"]
        self.click("OK")
        self.until("boxes().length === 0")
        self.assertEqual(self.phase(popup)["closed"]["action"], "ok")
        [(_, path, body)] = self.dismissals()
        self.assertIn(popup, urllib.parse.unquote(path))
        self.assertEqual(json.loads(body)["revision"], seen["sinceRevision"])
        self.driver.switch_to.window(watching)
        self.until("boxes().length === 0")
        self.driver.switch_to.window(self.driver.window_handles[-1])
        self.driver.close()
        self.driver.switch_to.window(watching)

    def test_where_a_popup_has_just_gone_a_click_has_no_effect(self):
        modal = {"backdrop": True, "dismissOnOutside": True}
        # What cannot be answered, and what has no buttons; a modal box had taken the clicks of the whole page.
        for query, presentation, beside in (({}, {}, [[5, 5]]), ({"mode": "render"}, {}, [[5, 5]]),
                                            ({"mode": "render", "extend": "0"}, modal, [])):
            self.overlay(**query)
            self.run_script("""
                document.body.insertAdjacentHTML(
                    "afterbegin", "<div id=below style='position: fixed; inset: 0'></div>");
                window.clicks = [];
                below.addEventListener("click", ({ clientX, clientY }) => clicks.push([clientX, clientY]));
                window.clickAt = (clientX, clientY) => document.elementFromPoint(clientX, clientY).dispatchEvent(
                    new MouseEvent("click", { clientX, clientY, detail: 1, bubbles: true, cancelable: true }));
                element().addEventListener("popup-closed", () => {
                    clickAt(...place);
                    clickAt(5, 5);
                });
            """)
            popup = self.show("Goes", text="text", presentation=presentation)
            self.until("shown() === 'Goes'")
            self.run_script("""
                const { x, y, width, height } = box().getBoundingClientRect();
                window.place = [Math.round(x + width / 2), Math.round(y + height / 2)];
            """)
            self.ask("DELETE", f"/v1/popups/{popup}")
            self.until("boxes().length === 0")
            self.assertEqual(self.value("clicks"), beside)
            self.past_guard()
            self.run_script("clickAt(...place)")
            self.assertEqual(self.value("clicks.at(-1)"), self.value("place"))

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
            window.states = [];
            const show = element().show.bind(element());
            element().show = entry => { states.push(entry.state); show(entry); };
            element().addEventListener("popup-shown", () => announced.push("new"));
            for (const region of shadow().querySelectorAll("[aria-live]")) new MutationObserver(
                () => announced.push(region.textContent)).observe(region, { childList: true });
        """)
        self.ask("PATCH", f"/v1/popups/{popup}", {"text": "done"})
        self.until("box().querySelector('.text').textContent === 'done'")
        # Five more states with the same popup: the queue behind it grows.
        for number in range(1, 6):
            self.show(f"Waits {number}", text="later", priority=-1)
            self.until("states.at(-1).waiting === arguments[0]", number)
        # The same state again, on another stream.
        count, revision = self.value("[states.length, states.at(-1).revision]")
        self.gateway.end(9)
        type(self).start_gateway(f"127.0.0.1:{self.gateway.port}")
        self.until("states.length > arguments[0] && element().connection === 'open'", count)
        self.assertEqual(self.value("states.at(-1).revision"), revision)
        self.assertTrue(self.value("box().isTheSame"))
        announced = [text for text in self.value("announced") if "connection" not in text]
        self.assertEqual(announced, ["Build. done"])

    def test_all_that_comes_at_once_is_announced(self):
        for name in ("one", "two", "three"):
            self.show(f"Title {name}", f"{self.group}/{name}", text=f"text {name}")
        # What the regions have said, also before the page was looked at.
        self.before_page("""
            window.announced = [];
            const attach = Element.prototype.attachShadow;
            Element.prototype.attachShadow = function(options) {
                const root = attach.call(this, options);
                new MutationObserver(changes => {
                    for (const { target } of changes) if (target.ariaLive) announced.push(target.textContent);
                }).observe(root, { childList: true, subtree: true });
                return root;
            };
        """)
        self.overlay(f"{self.group}/*")
        self.until("boxes().length === 3")
        for name in ("one", "two", "three"):
            self.until("announced.some(text => text.includes(arguments[0]))", f"Title {name}. text {name}")
        self.assertEqual(len(self.value("announced")), 1)

    def test_an_answer_to_what_has_changed_is_said_not_to_count_also_when_another_popup_is_there(self):
        # The click arrives after an update and after the next popup.
        self.before_page("""
            const send = window.fetch;
            window.fetch = (path, options = {}) => !String(path).includes("/dismiss") ? send(path, options)
                : new Promise(resolve => { window.go = () => resolve(send(path, options)); });
        """)
        self.overlay(mode="render")
        first = self.show("A", actions=OK)
        self.click("OK")
        self.until("!!window.go")
        self.ask("PATCH", f"/v1/popups/{first}", {"text": "more"})
        self.show("B", priority=5, actions=OK)
        self.until("shown() === 'B'")
        self.run_script("go()")
        self.until("box().querySelector('.note').textContent.startsWith('Your answer did not count')")
        self.until("shadow().getElementById('assertive').textContent.startsWith('Your answer did not count')")
        self.assertEqual(self.phase(first)["phase"], "PAUSED")

    def test_who_has_only_keys_can_close_and_read_what_has_no_buttons(self):
        self.overlay(mode="render")
        self.run_script("document.body.insertAdjacentHTML('beforeend', '<input id=field>'); field.focus()")
        # There is nothing to do with it: the key stays the browser's.
        popup = self.show("Plain", text="short")
        self.until("shown() === 'Plain'")
        self.keys(Keys.F6)
        self.assertEqual(self.value("document.activeElement.id"), "field")
        self.ask("DELETE", f"/v1/popups/{popup}")
        self.until("boxes().length === 0")
        popup = self.show("News", text="short", presentation={"dismissOnOutside": True})
        self.until("shown() === 'News'")
        self.past_guard()
        self.keys(Keys.F6)
        self.assertTrue(self.value("shadow().activeElement === box()"))
        self.keys(Keys.ESCAPE)
        self.until("boxes().length === 0")
        self.assertEqual(self.phase(popup)["closed"]["action"], "outside")
        self.assertEqual(self.value("document.activeElement.id"), "field")
        self.show("Long", text="word " * 3000)
        self.until("shown() === 'Long'")
        self.keys(Keys.F6)
        self.assertTrue(self.value("shadow().activeElement === box()"))
        self.keys(Keys.END)
        self.until("box().scrollTop > 0")
        self.keys(Keys.F6)
        self.assertEqual(self.value("document.activeElement.id"), "field")

    def test_more_popups_than_there_is_room_for_are_whole_and_can_be_scrolled_to(self):
        for number in range(12):
            self.show(f"Popup {number}", f"{self.group}/{number:02}", text="Each has two lines of text, or what is about that much.")
        self.overlay(f"{self.group}/*")
        self.until("boxes().length === 12")
        self.assertTrue(self.value("boxes().every(box => box.scrollHeight <= box.clientHeight)"))
        in_view = "boxes().filter(box => box.getBoundingClientRect().bottom <= innerHeight).length"
        self.assertLess(self.value(in_view), 12)
        last = "boxes().find(box => box.getBoundingClientRect().bottom > innerHeight)"
        self.run_script(f"window.last = {last}")
        # By keys, and by a wheel.
        for _ in range(12):
            self.keys(Keys.F6)
            if self.value("shadow().activeElement === last"):
                break
        self.until("last.getBoundingClientRect().bottom <= innerHeight")
        ActionChains(self.driver).scroll_from_origin(
            ScrollOrigin.from_element(self.value("boxes()[6]")), 0, 5000).perform()
        self.until("boxes().at(-1).getBoundingClientRect().bottom <= innerHeight")

    def test_a_screen_reader_finds_a_box_with_its_title_its_text_and_its_buttons(self):
        self.overlay(mode="render")
        for backdrop, role in ((False, "dialog"), (True, "alertdialog")):
            popup = self.show(
                "Visitor", text="at the desk", durationMs=60_000,
                actions=[{"id": "coming", "label": "Coming"}, {"id": "later", "label": "Later"}],
                presentation={"backdrop": backdrop, "style": "warning", "countdown": True})
            self.until("shown() === 'Visitor' && box().matches(':modal') === arguments[0]", backdrop)
            [box] = [node for node in self.accessible() if node["role"] in ("dialog", "alertdialog")]
            self.assertEqual((box["role"], box["name"], box["description"]), (role, "Visitor", "at the desk"))
            self.assertEqual(box["states"].get("modal", False), backdrop)
            names = {}
            for node in box["within"]:
                names.setdefault(node["role"], []).append(node["name"])
                self.assertFalse(node["states"].get("disabled", False), node)
            self.assertEqual(names["button"], ["Coming", "Later"])
            self.assertEqual((names["heading"], names["image"]), (["Visitor"], ["Warning"]))
            self.assertEqual(len(names["timer"]), 1)
            self.ask("DELETE", f"/v1/popups/{popup}")
            self.until("boxes().length === 0")
        # What only informs is found, too, and is no dialog.
        self.show("Build", text="done")
        self.until("shown() === 'Build'")
        nodes = self.accessible()
        self.assertIn(("heading", "Build"), [(node["role"], node["name"]) for node in nodes])
        self.assertEqual([node for node in nodes if node["role"] in ("dialog", "alertdialog", "button")], [])

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
        reached = []
        for press in [lambda: self.keys(Keys.TAB)] * 5 + [self.back_tab] * 5:
            press()
            self.assertTrue(self.value("box().contains(shadow().activeElement)"))
            reached.append(self.value("shadow().activeElement.textContent"))
        self.assertEqual(reached, ["OK", "No", "OK", "No", "OK", "No", "OK", "No", "OK", "No"])
        self.past_guard()
        self.keys(Keys.ESCAPE)
        self.assertEqual(self.dismissals(), [])
        self.assertTrue(self.value("box().open"))
        self.ask("DELETE", f"/v1/popups/{popup}")
        self.until("boxes().length === 0")
        self.assertEqual(self.value("document.activeElement.id"), "field")

    def test_a_popup_that_cannot_be_answered_dims_the_page_and_leaves_it_usable(self):
        for query in ({}, {"mode": "render"}):
            self.overlay(**query)
            self.run_script("document.body.insertAdjacentHTML('beforeend', '<input id=one><input id=two>'); one.focus()")
            # Who only looks on cannot answer, whatever the popup has; a renderer cannot if it has nothing.
            popup = self.show("Stop", presentation={"backdrop": True}, **({} if query else {"actions": OK}))
            self.until("shown() === 'Stop'")
            self.assertEqual(self.value("shadow().querySelectorAll('dialog').length"), 0)
            self.assertEqual(self.value("box().parentElement.id"), "place-center")
            self.assertNotIn(self.value("getComputedStyle(box()).boxShadow"), ("", "none"))
            self.assertEqual(self.value("document.activeElement.id"), "one")
            self.keys(Keys.TAB)
            self.assertEqual(self.value("document.activeElement.id"), "two")
            self.value("document.getElementById('one')").click()
            self.assertEqual(self.value("document.activeElement.id"), "one")
            if query:
                # Once Escape answers it, it is modal.
                self.ask("PATCH", f"/v1/popups/{popup}", {
                    "presentation": {"title": "Stop", "backdrop": True, "dismissOnOutside": True}})
                self.until("box()?.tagName === 'DIALOG' && box().open")
                self.past_guard()
                self.keys(Keys.ESCAPE)
                self.until("boxes().length === 0")
                self.assertEqual(self.phase(popup)["closed"]["action"], "outside")
                self.assertEqual(self.value("document.activeElement.id"), "one")
            else:
                self.ask("DELETE", f"/v1/popups/{popup}")
                self.until("boxes().length === 0")

    def test_the_countdown_needs_no_clock(self):
        self.before_page("const now = Date.now; Date.now = () => now() + 3_600_000;")
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

    def test_the_bar_ends_when_the_broker_closes_the_popup(self):
        self.overlay()
        events = http.client.HTTPConnection("127.0.0.1", self.gateway.port, timeout=DEADLINE)
        self.addCleanup(events.close)
        events.request("GET", f"/v1/events?group={self.group}", headers={"Authorization": "Bearer all"})
        answer = events.getresponse()
        while json.loads(answer.readline())["event"] != "hello":
            pass
        # Each frame says when its bar ends. The time is the machine's, as that of the broker, and not that of `Date`.
        self.run_script("""
            const look = () => {
                const [bar] = box()?.querySelector(".bar i").getAnimations() ?? [];
                if (bar?.playState === "running") {
                    const left = bar.effect.getTiming().duration - bar.currentTime;
                    window.end = performance.timeOrigin + performance.now() + left;
                }
                requestAnimationFrame(look);
            };
            look();
        """)
        popup = self.show("Ten seconds", durationMs=10_000)
        closed = None
        while not closed:
            item = json.loads(answer.readline())
            if item["event"] == "event" and item["data"].get("closed"):
                closed = item["data"]
        self.assertEqual((closed["popup"], closed["closed"]["reason"]), (popup, "TIMED_OUT"))
        self.until("boxes().length === 0")
        self.assertAlmostEqual(self.value("end"), int(closed["time"]), delta=150)

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

    def test_the_countdown_is_that_of_the_broker_after_its_clock_stood_still(self):
        policy = {"group": self.group, "clock": "VISIBLE", "rendererLost": "HOLD"}
        self.assertEqual(self.ask("PUT", "/v1/policy", policy)[0], 200)
        self.show("Offer", durationMs=120_000, presentation={"countdown": True})
        self.overlay(mode="render")
        self.until("box()?.querySelector('.bar i').getAnimations().length")
        page = self.driver.current_window_handle
        self.addCleanup(self.close_tabs, page)
        # The page keeps its stream for 3 s. A page that is opened later gets a state that the gateway has held.
        for seconds, is_another in ((1, False), (6, False), (6, True)):
            self.new_tab()
            self.wait(lambda: self.stands_still(self.group), "the hidden popup counts as visible")
            time.sleep(seconds)
            self.driver.close()
            self.driver.switch_to.window(page)
            if is_another:
                self.overlay(mode="render")
            self.until("!document.hidden && element().connection === 'open' && box()")
            self.wait(lambda: self.agrees(self.group), "the countdown is another than that of the broker")
            left = self.left(self.group)
            self.wait(lambda: self.left(self.group) < left, "the popup that is seen does not count as visible")

    def agrees(self, group):
        """Returns whether the bar shows what the popup has left by the broker."""
        before, told, after = self.remaining(), self.left(group), self.remaining()
        return after - 150 <= told <= before + 150

    def test_a_copied_page_neither_hides_nor_ends_what_the_other_shows(self):
        policy = {"group": self.group, "clock": "VISIBLE", "rendererLost": "CLOSE"}
        self.assertEqual(self.ask("PUT", "/v1/policy", policy)[0], 200)
        popup = self.show("Shared", actions=OK, durationMs=600_000)
        first = self.driver.current_window_handle
        self.addCleanup(self.close_tabs, first)
        self.overlay(mode="render", client="desk")
        self.until("shown() === 'Shared'")
        self.new_tab("window")
        self.overlay(mode="render", client="desk")
        self.until("shown() === 'Shared'")
        self.assertEqual(self.streams(), 2)
        # The copy says that nobody sees it, and then leaves.
        self.hide_page()
        self.wait(lambda: self.streams() == 1, "the hidden copy has a stream")
        self.assertFalse(self.stands_still(self.group))
        self.driver.close()
        self.driver.switch_to.window(first)
        # For longer than its lease lasts.
        self.assertEqual(self.ask("GET", f"/v1/popups/{popup}?wait=9s")[2]["phase"], "ACTIVE")
        self.assertFalse(self.stands_still(self.group))
        self.hide_page()
        self.wait(lambda: self.stands_still(self.group), "a popup that no page shows counts as visible")

    def hide_page(self):
        """Makes the page believe that its window is minimized."""
        self.run_script("""
            Object.defineProperty(document, "hidden", { get: () => true });
            document.dispatchEvent(new Event("visibilitychange"));
        """)

    def test_nothing_overflows_and_nothing_is_inaccessible_in_any_style_and_medium(self):
        self.addCleanup(self.driver.execute_cdp_cmd, "Emulation.clearDeviceMetricsOverride", {})
        self.addCleanup(self.driver.execute_cdp_cmd, "Emulation.setEmulatedMedia", {"features": []})
        self.overlay(mode="render", extend="1")
        with open(AXE_FILE_PATH, encoding="utf-8") as file:
            self.run_script(file.read())
        title = "A long title with aVeryLongWordThatGoesOnAndOnAndOnWithoutAnyPlaceToBreakItForAWhile"
        actions = [{"id": str(number), "label": f"Action number {number}"} for number in range(5)]
        for style, scene in [
            ("info", "TOP_BAR"), ("warning", "CENTER"), ("error", "BOTTOM_SHEET"), ("success", "SCENE_UNSPECIFIED"),
            ("", "FULL_SCREEN"),
        ]:
            popup = self.show(
                title, text="Text " * 20, actions=actions, durationMs=120_000,
                presentation={"scene": scene, "style": style, "backdrop": style == "warning", "countdown": True})
            self.until("box()?.dataset.style === arguments[0]", style)
            for medium, value in [
                ("prefers-color-scheme", "light"), ("prefers-color-scheme", "dark"), ("prefers-reduced-motion", "reduce"),
                ("forced-colors", "active"),
            ]:
                self.driver.execute_cdp_cmd(
                    "Emulation.setEmulatedMedia", {"features": [{"name": medium, "value": value}]})
                self.assertTrue(self.value(f"matchMedia('({medium}: {value})').matches"))
                # Zoomed to 200 %, a window of 1280 × 800 has half as many pixels of CSS.
                for width, height in ((320, 640), (640, 400)):
                    with self.subTest(style=style, medium=value, width=width):
                        self.check_look(width, height)
            self.ask("DELETE", f"/v1/popups/{popup}")
            self.until("boxes().length === 0")

    def check_look(self, width, height):
        """Checks that the box fits into a window, its buttons can be hit, and axe finds nothing."""
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 2, "mobile": False})
        self.until("box().getAnimations().every(animation => animation.playState === 'finished')")
        self.until("innerWidth === arguments[0] && innerHeight === arguments[1]", width, height)
        self.assertLessEqual(self.value("document.documentElement.scrollWidth"), width)
        self.assertLessEqual(self.value("box().scrollWidth - box().clientWidth"), 0)
        area = self.value("box().getBoundingClientRect().toJSON()")
        self.assertGreaterEqual(min(area["left"], area["top"]), 0)
        self.assertLessEqual(area["right"], width)
        self.assertLessEqual(area["bottom"], height)
        # What does not fit can be scrolled to.
        self.assertGreaterEqual(self.value("box().querySelector('.head').getBoundingClientRect().top"), area["top"])
        for size in self.value("[...box().querySelectorAll('button')].filter(b => !b.hidden)"
                               ".map(b => b.getBoundingClientRect()).map(r => [r.width, r.height])"):
            self.assertGreaterEqual(min(size), 44)
        found = self.driver.execute_async_script("""
            axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] })
                .then(result => arguments[0](result.violations.map(v => [v.id, v.nodes.map(n => n.html)])));
        """)
        self.assertEqual(found, [])

    def test_a_theme_is_a_style_sheet_of_the_gateway(self):
        self.overlay(theme="night")
        self.show("Themed", text="text")
        self.until("shown() === 'Themed'")
        self.until("getComputedStyle(box()).backgroundColor === 'rgb(1, 2, 3)'")
        self.assertEqual(self.value("getComputedStyle(box().querySelector('.title')).letterSpacing"), "3px")
        self.assertEqual(self.value("violations"), [])

    def test_20_s_after_the_gateway_was_killed_an_old_page_is_right_within_5_s(self):
        # The page draws the longest of its delays, and its clock can be put forward.
        self.before_page("""
            window.aged = 0;
            const now = performance.now.bind(performance);
            performance.now = () => now() + window.aged;
            Math.random = () => 0.999;
        """)
        self.overlay()
        self.show("Before")
        self.until("shown() === 'Before'")
        self.run_script("window.aged = 3_600_000; window.isTheSamePage = true")
        self.gateway.end(9)
        killed = time.monotonic()
        self.until("element().dataset.connection === 'lost'")
        self.assertLess(time.monotonic() - killed, 35)
        self.assertFalse(self.value("shadow().getElementById('lost').hidden"))
        time.sleep(max(0, killed + 20 - time.monotonic()))
        type(self).start_gateway(f"127.0.0.1:{self.gateway.port}")
        back = time.monotonic()
        self.show("After", priority=5)
        self.until("shown() === 'After' && element().dataset.connection === 'open'")
        self.assertLess(time.monotonic() - back, 5)
        self.assertTrue(self.value("window.isTheSamePage"))
        self.assertTrue(self.value("shadow().getElementById('lost').hidden"))
        self.assertEqual(self.streams(), 1)

    def test_after_a_restart_of_the_gateway_the_page_is_right_within_5_s(self):
        # The page draws the longest of its delays, and comes back while the gateway that it leaves still ends.
        self.before_page("Math.random = () => 0.999")
        port = self.gateway.port
        self.gateway.end(9)
        type(self).start_gateway(f"127.0.0.1:{port}", POPUP_GATEWAY_DRAINMS="5000")
        self.overlay()
        self.show("Before")
        self.until("shown() === 'Before'")
        self.run_script("window.isTheSamePage = true")
        self.gateway.process.send_signal(signal.SIGTERM)
        self.until("sent.filter(([, path]) => path.includes('/v1/stream')).length === 2")
        self.assertIsNone(self.gateway.process.poll())
        # It ends by itself.
        self.assertEqual(self.gateway.end(0), 0)
        type(self).start_gateway(f"127.0.0.1:{port}")
        back = time.monotonic()
        self.show("After", priority=5)
        self.until("shown() === 'After' && element().dataset.connection === 'open'")
        # Its delays leave it at most 5 s; the rest is for the machine.
        self.assertLess(time.monotonic() - back, 8)
        self.assertTrue(self.value("window.isTheSamePage"))
        self.assertEqual(self.streams(), 1)

    def test_after_the_broker_was_killed_the_page_is_right_within_5_s_on_the_same_stream(self):
        self.overlay()
        self.show("Before")
        self.until("shown() === 'Before'")
        self.run_script("window.isTheSamePage = true")
        self.broker.end(9)
        self.until("element().dataset.connection === 'lost'")
        self.assertFalse(self.value("shadow().getElementById('lost').hidden"))
        type(self).broker = broker(self.broker.fields["ingress"], self.broker.fields["egress"], self.data)
        back = time.monotonic()
        self.until("shown() === 'Before' && element().dataset.connection === 'open'")
        self.show("After", priority=5)
        self.until("shown() === 'After'")
        self.assertLess(time.monotonic() - back, 5)
        self.assertTrue(self.value("window.isTheSamePage"))
        self.assertTrue(self.value("shadow().getElementById('lost').hidden"))
        self.assertEqual(self.streams(), 1)
        self.assertEqual(self.value("sent.filter(([, path]) => path.includes('/v1/stream')).length"), 1)

    def test_a_page_that_is_loaded_while_the_broker_is_away_says_so(self):
        self.overlay(mode="render")
        self.show("Question", actions=OK)
        self.until("shown() === 'Question'")
        self.broker.end(9)
        self.until("element().dataset.connection === 'lost'")
        # The gateway still has the state for a new page.
        self.run_script("location.reload()")
        self.until("shown() === 'Question' && element().dataset.connection === 'lost'")
        self.assertFalse(self.value("shadow().getElementById('lost').hidden"))
        self.assertTrue(self.value("button('OK').disabled"))
        type(self).broker = broker(self.broker.fields["ingress"], self.broker.fields["egress"], self.data)
        self.until("shown() === 'Question' && element().dataset.connection === 'open' && !button('OK').disabled")

    def test_a_group_that_became_empty_while_the_page_was_away_is_empty(self):
        popup = self.show("Before")
        self.overlay()
        self.until("shown() === 'Before'")
        self.gateway.end(9)
        self.until("element().dataset.connection === 'lost'")
        type(self).start_gateway(f"127.0.0.1:{self.gateway.port}")
        self.ask("DELETE", f"/v1/popups/{popup}")
        self.until("boxes().length === 0")

    def test_a_popup_whose_time_was_over_before_the_gateway_was_lost_goes(self):
        # The page's clock can be put forward.
        self.before_page("""
            window.aged = 0;
            const now = performance.now.bind(performance);
            performance.now = () => now() + window.aged;
        """)
        self.overlay()
        self.show("Over", durationMs=600_000)
        self.until("shown() === 'Over'")
        # For longer than a box stays when the gateway is away. While the connection counts as open, the broker decides.
        self.run_script("window.aged = 700_000; dispatchEvent(new Event('pageshow'))")
        self.assertEqual(self.value("[element().connection, shown()]"), ["open", "Over"])
        self.gateway.end(9)
        self.until("element().dataset.connection === 'lost'")
        self.until("boxes().length === 0")
        # A screen that knows the old state only now does not keep it either.
        self.run_script("""
            element().addEventListener("popup-shown", () => { window.isShownAgain = true; });
            element().setAttribute("group", `${element().getAttribute("group")} other`);
        """)
        self.until("window.isShownAgain && boxes().length === 0")
        type(self).start_gateway(f"127.0.0.1:{self.gateway.port}")
        self.until("shown() === 'Over' && element().dataset.connection === 'open'")

    def test_a_listener_that_throws_ends_neither_the_stream_nor_the_call_of_the_others(self):
        self.overlay()
        self.run_script("""
            window.errors = [];
            console.error = error => errors.push(error.message);
            element().show = () => { throw new Error("a listener throws"); };
            window.other = element().cloneNode();
            document.body.append(other);
        """)
        for number in range(3):
            self.show(f"Popup {number}", priority=number, text="text")
            self.until("other.shadowRoot.querySelector('.title')?.textContent === arguments[0]", f"Popup {number}")
        self.assertEqual(self.value("[...new Set(errors)]"), ["a listener throws"])
        self.assertEqual(self.value("sent.filter(([, path]) => path.includes('/v1/stream')).length"), 1)
        # One that throws at once follows as well.
        self.run_script("""
            window.late = element().cloneNode();
            late.setConnection = () => { throw new Error("at once"); };
            document.body.append(late);
        """)
        self.assertEqual(self.value("errors.at(-1)"), "at once")
        self.assertEqual(self.value("late.shadowRoot.querySelector('.title').textContent"), "Popup 2")

    def test_groups_that_have_come_and_gone_are_forgotten_with_their_stream(self):
        self.overlay(self.group + "/*")
        self.run_script("""
            window.groups = new Set();
            const show = element().show.bind(element());
            element().show = entry => { groups.add(entry.state.group); show(entry); };
        """)
        for number in range(20):
            popup = self.show(f"Group {number}", f"{self.group}/{number}", text="text")
            self.until("shown() === arguments[0]", f"Group {number}")
            self.ask("DELETE", f"/v1/popups/{popup}")
            self.until("boxes().length === 0")
        self.assertEqual(self.value("groups.size"), 20)
        for _ in range(2):
            self.run_script("groups.clear()")
            self.gateway.end(9)
            self.until("element().dataset.connection === 'lost'")
            type(self).start_gateway(f"127.0.0.1:{self.gateway.port}")
            self.until("element().dataset.connection === 'open'")
        self.assertEqual(self.value("[...groups]"), [])
        # One that comes again is shown.
        self.show("Again", self.group + "/7", text="text")
        self.until("shown() === 'Again'")

    def test_an_unknown_token_is_said_and_not_tried_again(self):
        self.driver.get(f"{self.origin}/overlay?group={self.group}#token=wrong")
        self.until("element().dataset.connection === 'denied'")
        self.assertIn("refuses", self.value("shadow().getElementById('lost').textContent"))
        self.assertEqual(self.value("sent.length"), 1)

    def test_a_screen_that_is_refused_for_its_groups_or_rights_says_why(self):
        for group, query, token, expected in ((self.group, {"mode": "render", "client": "desk"}, "reader", 403),
                                              ("a//b", {"client": "desk"}, "all", 400)):
            self.driver.get(f"{self.origin}/overlay?{urllib.parse.urlencode({'group': group, **query})}#token={token}")
            self.until("element().dataset.connection === 'denied'")
            asked = urllib.parse.urlencode({"group": group, "client": "desk"})
            status, _, problem = self.ask("GET", f"/v1/stream?{asked}", token=token)
            self.assertEqual(status, expected)
            self.assertEqual(self.value("shadow().getElementById('lost').textContent"),
                             f"The gateway refuses this screen: {problem['detail']}")
            # A screen that comes later is told the same.
            self.run_script("window.other = element().cloneNode(); document.body.append(other)")
            self.assertEqual(self.value("other.shadowRoot.getElementById('lost').textContent"),
                             self.value("shadow().getElementById('lost').textContent"))

    def test_of_two_modal_boxes_one_is_open_and_then_the_other(self):
        one, two = self.group + "/one", self.group + "/two"
        self.assertEqual(self.ask("PUT", "/v1/policy", {"group": one, "clock": "VISIBLE"})[0], 200)
        self.overlay(self.group + "/*", mode="render")
        first = self.show("First", one, presentation={"backdrop": True}, actions=OK, priority=1, durationMs=120_000)
        self.until("shown() === 'First'")
        second = self.show("Second", two, presentation={"backdrop": True}, actions=OK, priority=9)
        self.until("shown() === 'Second'")
        self.assertEqual(self.value("shadow().querySelectorAll('dialog[open]').length"), 1)
        self.until("sent.some(([, path, body]) => path.includes('/report') && body.includes('hidden'))")
        self.wait(lambda: self.stands_still(one), "the hidden popup counts as visible")
        # After an update and on another stream, the gateway reports what it has sent as visible.
        self.ask("PATCH", f"/v1/popups/{urllib.parse.quote(first, safe='')}", {"text": "new"})
        self.until("[...shadow().querySelectorAll('.text')].some(text => text.textContent === 'new')")
        self.wait(lambda: self.stands_still(one), "the hidden popup counts as visible after an update")
        self.gateway.end(9)
        type(self).start_gateway(f"127.0.0.1:{self.gateway.port}")
        self.wait(lambda: self.streams() == 1, "the page does not come back")
        self.until("element().dataset.connection === 'open'")
        self.wait(lambda: self.stands_still(one), "the hidden popup counts as visible on another stream")
        self.ask("DELETE", f"/v1/popups/{second}")
        self.until("shown() === 'First' && box().open")
        left = self.left(one)
        self.wait(lambda: self.left(one) < left, "the popup that is seen does not count as visible")
        self.ask("DELETE", f"/v1/popups/{first}")
        self.until("boxes().length === 0")

    def left(self, group):
        """Returns the time that the popup of a group has left, by the broker."""
        return self.ask("GET", f"/v1/queue/{group}")[2]["popups"][0]["remainingMs"]

    def stands_still(self, group):
        before = self.left(group)
        time.sleep(0.5)
        return self.left(group) == before

    def test_the_policy_of_content_holds_and_lets_obs_add_a_style(self):
        for path in ("/", "/overlay", "/overlay/lobby"):
            self.assertEqual(self.ask("GET", path)[1]["Referrer-Policy"], "no-referrer")
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

    def test_20000_popups_leave_nothing_behind(self):
        # Each takes the place of the one before.
        self.assertEqual(self.ask("PUT", "/v1/policy", {"group": self.group, "preset": "LIFO"})[0], 200)
        self.overlay()
        self.run_script("window.count = 0; element().addEventListener('popup-shown', () => count++)")
        measured = []
        for last in (2000, 20_000):
            first = 1 if not measured else 2001
            for start in range(first, last + 1, 100):
                status, _, answer = self.ask("POST", "/v1/commands", {"commands": [
                    {"show": {"id": f"{self.group}/{number}", "group": self.group, "text": "Text", "durationMs": 5000,
                              "presentation": {"title": f"Popup {number}", "countdown": True}}}
                    for number in range(start, start + 100)]})
                self.assertEqual(status, 200, answer)
                self.assertEqual([result for result in answer["results"] if not result.get("accepted")], [])
            self.until("shown() === arguments[0]", f"Popup {last}")
            self.driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
            self.driver.execute_cdp_cmd("HeapProfiler.collectGarbage", {})
            heap = self.driver.execute_cdp_cmd("Runtime.getHeapUsage", {})["usedSize"]
            nodes = self.driver.execute_cdp_cmd("Memory.getDOMCounters", {})["nodes"]
            measured.append((heap, nodes))
            self.assertEqual(self.value("boxes().length"), 1)
        (heap_before, nodes_before), (heap, nodes) = measured
        # 18,000 popups more: not 32 bytes of each are left.
        self.assertLess(heap, heap_before + 18_000 * 32)
        self.assertLess(nodes, nodes_before * 1.5)
        # Those that the page has not drawn were gone before it was told.
        self.assertGreater(self.value("count"), 10_000)
        self.assertEqual(self.value("sent.filter(([, path]) => path.includes('/v1/stream')).length"), 1)
        self.assertEqual(self.streams(), 1)

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

    def test_offers_are_answered_by_the_page_itself_or_never(self):
        self.before_page("window.offers = []; addEventListener('popup-offer', ({ detail }) => offers.push(detail))")
        self.overlay(mode="render", offer="manual")
        popup = self.show("Offered", offerMs=60_000)
        self.until("offers.length === 1")
        self.assertEqual(self.value("[offers[0].popup.id, offers[0].group]"), [popup, self.group])
        self.assertEqual(self.value("boxes().length"), 0)
        self.assertEqual(self.phase(popup)["phase"], "OFFERED")
        self.run_script("offers[0].answer('accept')")
        self.until("shown() === 'Offered'")
        self.ask("DELETE", f"/v1/popups/{popup}")
        popup = self.show("Vetoed", offerMs=60_000)
        self.until("offers.length === 2")
        self.run_script("offers[1].answer('veto')")
        self.wait(lambda: "closed" in self.phase(popup), "the popup is not vetoed")
        self.assertEqual(self.phase(popup)["closed"]["reason"], "VETOED")

        self.overlay(self.group, self.group + "/later", mode="render", offer="never")
        popup = self.show("Unanswered", offerMs=60_000)
        # A later popup of another group arrives after the offer has.
        self.show("Later", self.group + "/later")
        self.until("shown() === 'Later'")
        self.assertEqual(self.phase(popup)["phase"], "OFFERED")
        self.assertEqual(self.value("[offers.length, sent.filter(([, path]) => path.includes('/answer')).length]"), [0, 0])

    def test_more_time_is_not_offered_if_the_page_does_not_want_that(self):
        for query in ({"extend": "0"}, {}):
            self.overlay(mode="render", **query)
            popup = self.show("Question", actions=OK, durationMs=20_000, presentation={"countdown": True})
            self.until("box()?.querySelector('.time').textContent")
            self.assertIsNone(self.value("button('More time') ?? null"))
            self.ask("DELETE", f"/v1/popups/{popup}")

    def test_more_time_takes_no_click_that_was_meant_for_another_popup(self):
        self.overlay(mode="render", extend="1")
        self.run_script("""
            window.asked = () => sent.filter(([method]) => method === "PATCH").length;
            element().addEventListener("popup-shown", () => {
                button("More time").click();
                window.isClicked = true;
            });
        """)
        self.show("Question", actions=OK, durationMs=20_000)
        self.until("window.isClicked")
        self.assertEqual(self.value("asked()"), 0)
        self.click("More time")
        self.until("asked() === 1")

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
            self.assertEqual(self.streams(), 1)
            # Browsers keep such a page, with its connections, for the way back.
            self.run_script("window.isTheSamePage = true")
            self.driver.get("about:blank")
            self.wait(lambda: self.streams() == 0, "the stream is open")
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

    def test_after_its_answer_a_modal_box_waits_in_the_corner_and_the_page_can_be_used(self):
        self.overlay(mode="render")
        self.run_script("document.body.insertAdjacentHTML('beforeend', '<input id=one><input id=two>'); one.focus()")
        for scene in ("CENTER", "FULL_SCREEN"):
            popup = self.show(f"Vote {scene}", actions=OK, quorum=2, presentation={"backdrop": True, "scene": scene})
            self.until("shown() === arguments[0] && box().open", f"Vote {scene}")
            self.past_guard()
            self.keys(Keys.TAB, Keys.ENTER)
            self.until("box().querySelector('.note').textContent === 'Answered. Waiting for others.'")
            self.assertEqual(self.phase(popup)["phase"], "ACTIVE")
            self.assertIsNone(self.value("button('OK') ?? null"))
            # It is modal no more: the focus is where it was, Tab goes on, and a click reaches the page.
            self.assertEqual(self.value("document.activeElement.id"), "one")
            self.keys(Keys.TAB)
            self.assertEqual(self.value("document.activeElement.id"), "two")
            # Where the box was, clicks count for nothing at first.
            self.past_guard()
            self.value("document.getElementById('one')").click()
            self.assertEqual(self.value("document.activeElement.id"), "one")
            self.assertFalse(self.value("box().matches(':modal')"))
            self.assertEqual(self.value("box().getAttribute('role')"), "dialog")
            self.assertEqual(self.value("box().parentElement.id"), "place-corner")
            self.until("shadow().getElementById('polite').textContent === 'Answered. Waiting for others.'")
            self.keys(Keys.F6)
            self.assertTrue(self.value("shadow().activeElement === box()"))
            self.keys(Keys.F6)
            self.assertEqual(self.value("document.activeElement.id"), "one")
            self.ask("DELETE", f"/v1/popups/{popup}")
            self.until("boxes().length === 0")
            self.assertEqual(self.value("document.activeElement.id"), "one")

    def test_an_answered_modal_box_that_is_updated_asks_again(self):
        self.overlay(mode="render")
        popup = self.show("Vote", text="old", actions=OK, quorum=2, presentation={"backdrop": True})
        self.until("box()?.open")
        self.click("OK")
        self.until("!box().matches(':modal')")
        # A repetition of the same state on another stream changes nothing.
        self.run_script("box().isTheSame = true")
        self.gateway.end(9)
        type(self).start_gateway(f"127.0.0.1:{self.gateway.port}")
        self.wait(lambda: self.streams() == 1, "the page does not come back")
        self.until("element().dataset.connection === 'open'")
        self.assertTrue(self.value("box().isTheSame && !box().matches(':modal')"))
        self.ask("PATCH", f"/v1/popups/{popup}", {"text": "new"})
        self.until("box()?.matches(':modal') && box().querySelector('.text').textContent === 'new'")
        self.assertTrue(self.value("shadow().activeElement === box()"))
        self.click("OK")
        self.until("!box().matches(':modal')")
        self.assertEqual(self.phase(popup)["phase"], "ACTIVE")

    def test_a_modal_box_leaves_the_page_to_the_user_while_gateway_or_broker_is_away(self):
        self.overlay(mode="render")
        self.run_script("document.body.insertAdjacentHTML('beforeend', '<input id=one><input id=two>'); one.focus()")
        self.show("Stop", actions=OK, presentation={"backdrop": True})
        look = "[box().parentElement.id, box().getAttribute('role'), getComputedStyle(box()).borderTopStyle]"
        for lose, bring_back, before, after in (
            (self.lose_gateway, self.bring_gateway_back, "one", "two"),
            (self.lose_broker, self.bring_broker_back, "two", "one"),
        ):
            self.until("box()?.matches(':modal') && !button('OK').disabled")
            self.keys(Keys.TAB)
            self.assertEqual(self.value("shadow().activeElement.textContent"), "OK")
            lose()
            self.until("element().dataset.connection === 'lost' && !box().matches(':modal')")
            # What it shows may be old, and cannot be answered; the focus is where it was.
            self.assertEqual(self.value("document.activeElement.id"), before)
            self.assertTrue(self.value("button('OK').disabled"))
            self.assertEqual(self.value(look), ["place-corner", "dialog", "dashed"])
            self.until("shadow().getElementById('polite').textContent.startsWith('The connection is lost.')")
            # Where the box was, clicks count for nothing at first.
            self.past_guard()
            self.value("document.getElementById(arguments[0])", after).click()
            self.assertEqual(self.value("document.activeElement.id"), after)
            self.keys(Keys.F6)
            self.assertTrue(self.value("shadow().activeElement === box()"))
            bring_back()
            self.until("box()?.matches(':modal') && element().dataset.connection === 'open'")
            self.assertEqual(self.value(look), ["place-center", "alertdialog", "solid"])
            self.assertTrue(self.value("shadow().activeElement === box()"))
        self.click("OK")
        self.until("boxes().length === 0")
        self.assertEqual(self.value("document.activeElement.id"), "one")

    def lose_gateway(self):
        self.gateway.end(9)

    def bring_gateway_back(self):
        type(self).start_gateway(f"127.0.0.1:{self.gateway.port}")

    def lose_broker(self):
        self.broker.end(9)

    def bring_broker_back(self):
        type(self).broker = broker(self.broker.fields["ingress"], self.broker.fields["egress"], self.data)

    def test_during_an_outage_no_other_modal_box_takes_the_place_of_the_open_one(self):
        one, two = self.group + "/one", self.group + "/two"
        self.overlay(self.group + "/*", mode="render")
        self.show("First", one, presentation={"backdrop": True}, actions=OK, priority=1)
        self.until("shown() === 'First'")
        self.show("Second", two, presentation={"backdrop": True}, actions=OK, priority=9)
        self.until("shown() === 'Second'")
        self.gateway.end(9)
        self.until("element().dataset.connection === 'lost' && !shadow().querySelector('dialog:modal')")
        self.assertEqual(self.value("shown()"), "Second")
        self.run_script("""
            window.modal = [];
            const show = HTMLDialogElement.prototype.showModal;
            HTMLDialogElement.prototype.showModal = function () {
                modal.push(this.querySelector(".title").textContent);
                show.call(this);
            };
        """)
        type(self).start_gateway(f"127.0.0.1:{self.gateway.port}")
        self.until("element().dataset.connection === 'open' && box()?.matches(':modal')")
        self.assertEqual(self.value("[modal.join(), shown()]"), ["Second", "Second"])
        self.past_guard()
        self.keys(Keys.TAB, Keys.ENTER)
        self.until("shown() === 'First' && box().matches(':modal')")

    def test_an_answered_modal_box_makes_way_for_the_next(self):
        one, two = self.group + "/one", self.group + "/two"
        self.overlay(self.group + "/*", mode="render")
        self.show("First", one, presentation={"backdrop": True}, actions=OK, quorum=2, priority=9)
        self.until("shown() === 'First'")
        second = self.show("Second", two, presentation={"backdrop": True}, actions=OK)
        self.until("shadow().querySelectorAll('dialog').length === 2")
        self.click("OK")
        self.until("shadow().querySelector('dialog:modal .title')?.textContent === 'Second'")
        self.assertEqual(self.value("boxes().length"), 2)
        self.past_guard()
        self.keys(Keys.TAB, Keys.ENTER)
        self.until("shown() === 'First'")
        self.assertEqual(self.phase(second)["closed"]["action"], "ok")

    def test_who_answers_by_keyboard_is_back_where_f6_was_pressed(self):
        self.overlay(mode="render")
        self.run_script("document.body.insertAdjacentHTML('beforeend', '<input id=field>'); field.focus()")
        for quorum in (2, 1):
            popup = self.show("Call", actions=OK, quorum=quorum)
            self.until("button('OK')")
            self.past_guard()
            self.keys(Keys.F6, Keys.TAB, Keys.ENTER)
            if quorum > 1:
                self.until("box().querySelector('.note').textContent === 'Answered. Waiting for others.'")
                # The button has gone; the user has not left the box.
                self.assertTrue(self.value("shadow().activeElement === box()"))
                self.keys(Keys.F6)
                self.assertEqual(self.value("document.activeElement.id"), "field")
                self.ask("DELETE", f"/v1/popups/{popup}")
            self.until("boxes().length === 0")
            self.assertEqual(self.value("document.activeElement.id"), "field")

    def test_f6_goes_through_the_boxes_of_all_screens_and_back(self):
        other = self.group + "/other"
        self.overlay(mode="render")
        self.run_script("""
            document.body.insertAdjacentHTML('beforeend', '<input id=field>');
            const second = element().cloneNode();
            second.setAttribute("group", arguments[0]);
            second.setAttribute("corner", "top-left");
            document.body.append(second);
            window.inside = () => [...document.querySelectorAll("popup-screen")]
                .findIndex(screen => screen.shadowRoot.activeElement?.matches(".box"));
            window.second = second;
            field.focus();
        """, other)
        self.show("First", actions=OK, presentation={"dismissOnOutside": True})
        self.show("Second", other, actions=OK)
        self.until("boxes().length === 1 && second.shadowRoot.querySelectorAll('.box').length === 1")
        order = []
        for _ in range(4):
            self.keys(Keys.F6)
            order.append(self.value("inside()"))
        self.assertEqual(order, [0, 1, -1, 0])
        self.keys(Keys.F6, Keys.F6)
        self.assertEqual(self.value("document.activeElement.id"), "field")
        # What lies in another screen is not outside.
        self.past_guard()
        ActionChains(self.driver).click(self.value("second.shadowRoot.querySelector('.title')")).perform()
        self.driver.execute_async_script("setTimeout(arguments[0], 200)")
        self.assertEqual(self.dismissals(), [])
        field = self.value("field")
        ActionChains(self.driver).click(field).perform()
        self.until("boxes().length === 0")

    def test_a_press_where_a_popup_has_just_gone_is_outside_of_no_other(self):
        other = self.group + "/other"
        self.overlay(self.group + "/*", mode="render", corner="bottom-right")
        self.show("Stays", other, presentation={"scene": "TOP_BAR", "dismissOnOutside": True})
        gone = self.show("Goes", self.group + "/one", actions=OK)
        self.until("boxes().length === 2")
        self.past_guard()
        self.run_script("""
            const box = boxes().find(box => box.querySelector(".title").textContent === "Goes");
            const { x, y, width, height } = box.getBoundingClientRect();
            element().addEventListener("popup-closed", () => document.elementFromPoint(x + width / 2, y + height / 2)
                .dispatchEvent(new PointerEvent("pointerdown", {
                    clientX: x + width / 2, clientY: y + height / 2, bubbles: true, composed: true, cancelable: true })));
        """)
        self.ask("DELETE", f"/v1/popups/{gone}")
        self.until("boxes().length === 1")
        self.driver.execute_async_script("setTimeout(arguments[0], 200)")
        self.assertEqual(self.dismissals(), [])

    def test_an_older_answer_does_not_enable_the_buttons_of_a_newer_one(self):
        # The first answer is refused for a moment, and waits for 2 s; the second one has no answer until the test lets it go.
        self.before_page("""
            const send = window.fetch;
            let answers = 0;
            Math.random = () => 4;
            window.fetch = async (path, options = {}) => {
                if (!String(path).includes("/dismiss")) return send(path, options);
                answers += 1;
                if (answers === 1) return new Response("{}", { status: 503 });
                await new Promise(free => { window.free = free; });
                return send(path, options);
            };
        """)
        self.overlay(mode="render")
        popup = self.show("Question", text="old", actions=OK)
        self.click("OK")
        self.ask("PATCH", f"/v1/popups/{popup}", {"text": "new"})
        self.until("box().querySelector('.text').textContent === 'new'")
        self.click("OK")
        self.until("Boolean(window.free)")
        self.driver.execute_async_script("setTimeout(arguments[0], 2500)")
        self.assertTrue(self.value("button('OK').disabled"))
        self.run_script("free()")
        self.until("boxes().length === 0")
        self.assertEqual(self.phase(popup)["closed"]["action"], "ok")

    def test_a_popup_that_moves_to_another_place_is_neither_shown_nor_closed_anew(self):
        self.overlay()
        self.run_script("""
            window.told = [];
            for (const name of ["popup-shown", "popup-closed"]) element().addEventListener(name, () => told.push(name));
        """)
        popup = self.show("Moves", text="text")
        self.until("shown() === 'Moves'")
        presentation = {"title": "Moves", "scene": "TOP_BAR"}
        self.assertEqual(self.ask("PATCH", f"/v1/popups/{popup}", {"presentation": presentation})[0], 200)
        self.until("box()?.dataset.place === 'top'")
        self.ask("DELETE", f"/v1/popups/{popup}")
        self.until("boxes().length === 0")
        self.assertEqual(self.value("told"), ["popup-shown", "popup-closed"])

    def test_a_modal_box_says_what_has_changed_and_stays_when_the_browser_closes_it(self):
        self.overlay(mode="render")
        popup = self.show("Stop", text="old", presentation={"backdrop": True}, actions=OK)
        self.until("box()?.matches(':modal')")
        # Outside, nothing is heard while it is modal.
        self.assertEqual(self.value("box().querySelector('.text').getAttribute('aria-live')"), "assertive")
        self.run_script("box().close()")
        self.until("box().matches(':modal')")
        self.ask("DELETE", f"/v1/popups/{popup}")
        self.until("boxes().length === 0")
        self.show("Next", text="text", actions=OK)
        self.until("shown() === 'Next'")
        self.assertIsNone(self.value("box().querySelector('.text').getAttribute('aria-live')"))

    def test_an_answer_that_gets_no_answer_is_sent_again(self):
        # A connection that is half open: the first dismissal vanishes. The page's time for that passes faster.
        self.before_page("""
            const limit = AbortSignal.timeout;
            AbortSignal.timeout = ms => limit.call(AbortSignal, ms / 100);
            const send = window.fetch;
            let isLost = false;
            window.fetch = (path, options = {}) => {
                if (isLost || !String(path).includes("/dismiss")) return send(path, options);
                isLost = true;
                return new Promise((_, reject) => {
                    options.signal?.addEventListener("abort", () => reject(options.signal.reason));
                });
            };
        """)
        self.overlay(mode="render")
        popup = self.show("Question", actions=OK)
        self.click("OK")
        self.until("boxes().length === 0")
        self.assertEqual(self.phase(popup)["closed"]["action"], "ok")

    def test_reports_are_sent_one_after_the_other(self):
        # The first report has no answer until the test lets it go.
        self.before_page("""
            const send = window.fetch;
            window.fetch = async (path, options = {}) => {
                if (!window.free && String(path).includes("/report")) await new Promise(free => { window.free = free; });
                return send(path, options);
            };
            window.reports = () => sent.filter(([, path]) => path.includes("/report"))
                .map(([, , body]) => Object.keys(JSON.parse(body)).find(name => ["hidden", "visible"].includes(name)));
        """)
        one, two = self.group + "/one", self.group + "/two"
        self.assertEqual(self.ask("PUT", "/v1/policy", {"group": one, "clock": "VISIBLE"})[0], 200)
        self.overlay(self.group + "/*", mode="render")
        self.show("First", one, presentation={"backdrop": True}, actions=OK, durationMs=120_000)
        self.until("shown() === 'First'")
        # Hidden by another modal box, and seen again, before the first report is on its way.
        second = self.show("Second", two, presentation={"backdrop": True}, actions=OK, priority=9)
        self.until("shown() === 'Second' && Boolean(window.free)")
        self.ask("DELETE", f"/v1/popups/{second}")
        self.until("shown() === 'First' && box().open")
        self.assertEqual(self.value("reports()"), [])
        self.run_script("free()")
        self.until("reports().length === 2")
        self.assertEqual(self.value("reports()"), ["hidden", "visible"])
        left = self.left(one)
        self.wait(lambda: self.left(one) < left, "the popup that is seen does not count as visible")

    def test_a_screen_whose_token_is_gone_shows_nothing_old(self):
        self.overlay(mode="render")
        self.run_script("document.body.insertAdjacentHTML('beforeend', '<input id=field>'); field.focus()")
        self.show("Stop", presentation={"backdrop": True}, actions=OK)
        self.until("box()?.open")
        path = os.path.join(self.directory.name, "tokens.yaml")
        with open(path, encoding="utf-8") as file:
            before = file.read()
        try:
            with open(path, "w", encoding="utf-8") as file:
                json.dump({"tokens": []}, file)
            self.gateway.process.send_signal(signal.SIGHUP)
            self.until("element().dataset.connection === 'denied'")
            self.assertEqual(self.value("boxes().length"), 0)
            self.assertEqual(self.value("document.activeElement.id"), "field")
            self.assertIn("refuses", self.value("shadow().getElementById('lost').textContent"))
            # Nor after it was moved: nobody would take it off again.
            self.run_script("document.body.append(element())")
            self.driver.execute_async_script("setTimeout(arguments[0], 100)")
            self.assertEqual(self.value("boxes().length"), 0)
        finally:
            with open(path, "w", encoding="utf-8") as file:
                file.write(before)
            self.gateway.process.send_signal(signal.SIGHUP)
            self.wait(lambda: self.ask("GET", "/v1/session-cookie")[0] == 200, "the token is still unknown")

    def test_a_refused_screen_that_is_corrected_while_nobody_sees_it_connects_when_it_is_seen(self):
        self.show("Here", text="text")
        self.driver.get(f"{self.origin}/overlay?group=a//b#token=all")
        self.until("element().dataset.connection === 'denied'")
        before = self.driver.current_window_handle
        self.new_tab()
        try:
            self.driver.switch_to.window(before)
            self.run_script("""
                Object.defineProperty(document, "hidden", { configurable: true, get: () => true });
                document.dispatchEvent(new Event("visibilitychange"));
            """)
            # A page that is away for a moment keeps its stream.
            self.driver.execute_async_script("setTimeout(arguments[0], 4000)")
            self.run_script("element().setAttribute('group', arguments[0])", self.group)
            self.driver.execute_async_script("setTimeout(arguments[0], 100)")
            self.run_script("""
                delete document.hidden;
                document.dispatchEvent(new Event("visibilitychange"));
            """)
            self.until("shown() === 'Here' && element().dataset.connection === 'open'")
        finally:
            self.close_tabs(before)

    def test_a_page_that_may_store_nothing_has_a_stream_of_its_own(self):
        self.before_page("navigator.locks.request = () => Promise.reject(new DOMException('denied', 'SecurityError'));")
        self.show("Here", text="text")
        self.overlay()
        self.until("shown() === 'Here'")
        self.assertEqual(self.streams(), 1)

    def test_seven_tabs_share_one_stream_and_another_takes_over(self):
        self.wait(lambda: self.streams() == 0, "a stream of another test is open")
        self.show("For all")
        first = self.driver.current_window_handle
        self.addCleanup(self.close_tabs, first)
        tabs = []
        for _ in range(7):
            tabs.append(self.new_tab())
            self.overlay()
            self.until("shown() === 'For all'")
            self.assertEqual(self.streams(), 1)
        status = self.driver.execute_async_script(
            "fetch('/v1/stats', { headers: { Authorization: 'Bearer all' } }).then(a => arguments[0](a.status))")
        self.assertEqual(status, 200)
        self.driver.close()
        self.show("Next", priority=5)
        for tab in tabs[:-1]:
            self.driver.switch_to.window(tab)
            self.until("shown() === 'Next'")
            self.assertEqual(self.streams(), 1)

    def test_seven_renderers_in_tabs_all_show_and_answer(self):
        popup = self.show("For all", actions=OK)
        first = self.driver.current_window_handle
        self.addCleanup(self.close_tabs, first)
        tabs = []
        for _ in range(7):
            tabs.append(self.new_tab())
            self.overlay(mode="render")
            self.until("shown() === 'For all'")
        self.wait(lambda: self.streams() == 1, "pages that nobody sees have streams")
        self.driver.switch_to.window(tabs[0])
        self.until("element().connection === 'open'")
        self.click("OK")
        self.until("boxes().length === 0")
        self.assertEqual(self.phase(popup)["closed"]["action"], "ok")
        self.show("Next", actions=OK)
        for tab in tabs[1:]:
            self.driver.switch_to.window(tab)
            self.until("shown() === 'Next' && element().connection === 'open'")

    def test_a_page_that_nobody_sees_is_no_renderer_until_it_is_seen_again(self):
        self.assertEqual(self.ask("PUT", "/v1/policy", {"group": self.group, "rendererLost": "CLOSE"})[0], 200)
        seen = self.show("Seen", actions=OK)
        self.overlay(mode="render")
        self.until("shown() === 'Seen'")
        page = self.driver.current_window_handle
        self.addCleanup(self.close_tabs, page)
        self.new_tab()
        self.wait(lambda: "closed" in self.phase(seen), "the hidden page is a renderer")
        self.assertEqual(self.phase(seen)["closed"]["reason"], "RENDERER_LOST")
        offered = self.show("Offered", offerMs=60_000)
        self.assertEqual(self.phase(offered)["phase"], "OFFERED")
        self.driver.switch_to.window(page)
        self.until("shown() === 'Offered'")
        self.assertEqual(self.phase(offered)["phase"], "ACTIVE")


if __name__ == "__main__":
    unittest.main(verbosity=2)
