"""The pages of Examples/web-pages show popups and take answers: on their own origin, in a real browser, with the real React."""

import glob
import http.server
import os
import sys
import threading
import unittest

from browser import BrowserTests

PAGES = os.path.join(os.path.dirname(__file__), "..", "..", "..", "Examples", "web-pages")
# React as modules, in the place of the addresses that the page names: the files are those of the wheel of Dash.
REACT = b"""
import "./react.umd.js";
export default window.React;
export const { createElement, useEffect, useRef, useState } = window.React;
"""
REACT_DOM = b"""
import "./react.js";
await import("./react-dom.umd.js");
export const { createRoot } = window.ReactDOM;
"""


def dash_file(name):
    """Returns a file of the wheel of Dash, which `make web-browser-test` installs for React."""
    found = [file for path in sys.path for file in glob.glob(os.path.join(path, "dash", "deps", name))]
    if not found:
        raise AssertionError(f"there is no {name}; install it with `pip install --no-deps dash==2.18.2`")
    with open(sorted(found)[-1], "rb") as file:
        return file.read()


class PagesTests(BrowserTests):
    @classmethod
    def setUpClass(cls):
        tests = cls

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                content = tests.file(self.path.lstrip("/"))
                self.send_response(200 if content is not None else 404)
                self.send_header("Content-Type", "text/javascript" if self.path.endswith(".js") else "text/html")
                self.end_headers()
                self.wfile.write(content or b"")

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        cls.addClassCleanup(server.server_close)
        cls.addClassCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        cls.site = f"http://127.0.0.1:{server.server_address[1]}"
        cls.environment = {"POPUP_GATEWAY_CORS_ORIGINS": cls.site}
        super().setUpClass()

    @classmethod
    def file(cls, name):
        if name == "react.js":
            return REACT
        if name == "react-dom.js":
            return REACT_DOM
        if name in ("react.umd.js", "react-dom.umd.js"):
            return dash_file(name.replace(".umd.js", "@18.*.min.js"))
        path = os.path.join(PAGES, name)
        if not os.path.isfile(path):
            return None
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for old, new in (
            ("http://127.0.0.1:8570", cls.origin), ("TOKEN", "all"), ("https://esm.sh/react@18", "./react.js"),
            ("https://esm.sh/react-dom@18/client", "./react-dom.js"),
        ):
            text = text.replace(old, new)
        return text.encode()

    def answer(self, title, label):
        """Presses a button of the popup that is shown, as a user who has seen it does."""
        self.until(f"shown() === '{title}' && button('{label}') && !button('{label}').disabled")
        self.until(f"(button('{label}')?.click(), document.getElementById('answer').textContent.includes(': '))")

    def test_the_plain_page(self):
        popup = self.show("Two cups", group="kitchen", actions=[{"id": "coming", "label": "Coming"}])
        self.driver.get(self.site + "/plain.html")
        self.answer("Two cups", "Coming")
        self.assertEqual(self.value("document.getElementById('answer').textContent"), f"{popup}: coming")
        closed = self.phase(popup)["closed"]
        self.assertEqual((closed["reason"], closed["action"]), ("DISMISSED", "coming"))

    def test_a_page_of_another_origin_without_a_token_is_told_so(self):
        self.driver.get(self.site + "/plain.html")
        self.until("element()?.connection === 'open'")
        self.run_script("window.before = sent.length; element().removeAttribute('token')")
        self.until("element().dataset.connection === 'denied'")
        self.assertEqual(self.value("sent.slice(before).length"), 1)

    def test_the_page_of_react(self):
        first = self.show("Two cups", group="kitchen", actions=[{"id": "coming", "label": "Coming"}])
        self.show("A queue", group="counter")
        self.driver.get(self.site + "/react.html")
        self.until("document.getElementById('connection')?.textContent === 'open'")
        self.answer("Two cups", "Coming")
        self.assertEqual(self.value("document.getElementById('answer').textContent"), f"{first}: coming")
        # A state of the page chooses another group.
        self.run_script("""
            const select = document.querySelector("select");
            Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, "value").set.call(select, "counter");
            select.dispatchEvent(new Event("change", { bubbles: true }));
        """)
        self.until("shown() === 'A queue'")


if __name__ == "__main__":
    unittest.main(verbosity=2)
