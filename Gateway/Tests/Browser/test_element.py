"""What <popup-screen> must do on other pages: beside a gateway that answers anything, and in a local file of OBS."""

import http.server
import json
import os
import subprocess
import tempfile
import threading
import time
import unittest

from browser import BrowserTests

PAGE = b'<!doctype html><title>Page</title><script type=module src=/popup.js></script><popup-screen group=lobby>'
STATE = {"event": "state", "epoch": "1", "group": "lobby", "revision": "1",
         "active": {"id": "a", "group": "lobby", "sinceRevision": "1", "presentation": {"title": "At last"}}}


class Server:
    """A server whose answers to `/v1/stream` are given, one after the other; those without a body stay open, and silent."""

    def __init__(self, script, answers, heartbeat):
        self.asked = 0
        # When it was asked, in seconds.
        self.times = []
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                if self.path == "/popup.js":
                    return self.answer(200, "text/javascript", script)
                if not self.path.startswith("/v1/stream"):
                    return self.answer(200, "text/html", PAGE)
                status, kind, body = answers[min(server.asked, len(answers) - 1)]
                server.asked += 1
                server.times.append(time.monotonic())
                if body is not None:
                    return self.answer(status, kind, body)
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Connection", "close")
                self.end_headers()
                for item in ({"event": "hello", "heartbeatMs": heartbeat}, STATE, {"event": "synced"}):
                    self.wfile.write(json.dumps(item).encode() + b"\n")
                self.wfile.flush()
                server.ended.wait()

            def answer(self, status, kind, body):
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.ended = threading.Event()
        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.port = self.http.server_address[1]
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def end(self):
        self.ended.set()
        self.http.shutdown()
        self.http.server_close()


class ElementTests(BrowserTests):
    def server(self, *answers, heartbeat=15_000):
        server = Server(self.ask("GET", "/popup.js")[2], answers, heartbeat)
        self.addCleanup(server.end)
        self.driver.get(f"http://127.0.0.1:{server.port}/")
        return server

    def test_whatever_a_proxy_answers_the_element_tries_again(self):
        server = self.server(
            (502, "text/html", b"<h1>Bad gateway</h1>"), (503, "application/problem+json", b"{}"),
            (429, "application/problem+json", b"{}"), (200, "text/html", b"<h1>Please log in</h1>"),
            (200, "application/x-ndjson", b"no json\n"), (200, "application/x-ndjson", b'{"event":"hello"}\n'),
            (400, "text/html", b"<h1>Bad request</h1>"), (403, "text/html", b"<h1>Forbidden</h1>"),
            (404, "text/plain", b"404 page not found"), (200, "application/x-ndjson", None),
        )
        self.until("shown() === 'At last'")
        self.until("element().dataset.connection === 'open'")
        self.assertEqual(server.asked, 10)

    def test_a_refused_token_ends_it(self):
        server = self.server((401, "application/problem+json", b"{}"))
        self.until("element().dataset.connection === 'denied'")
        self.assertEqual(server.asked, 1)

    def test_a_busy_gateway_says_when_to_come_again(self):
        busy = b'{"event":"hello"}\n{"event":"busy","retryAfterMs":200}\n{"event":"retry","retryMs":200}\n'
        server = self.server((200, "application/x-ndjson", busy), (200, "application/x-ndjson", None))
        self.until("shown() === 'At last'")
        self.assertEqual(server.asked, 2)
        self.assertGreaterEqual(server.times[1] - server.times[0], 0.15)

    def test_a_stream_that_ends_says_when_to_come_again(self):
        # The page draws the shortest of its delays, then the longest: it is back after at most 4 s, whatever it is told.
        for drawn, told, least, most in ((0, 3000, 1.5, 3), (0.999, 10_000, 3.9, 5)):
            self.before_page(f"Math.random = () => {drawn}")
            ended = f'{{"event":"retry","retryMs":1}}\n{{"event":"hello"}}\n{{"event":"retry","retryMs":{told}}}\n'
            server = self.server((200, "application/x-ndjson", ended.encode()), (200, "application/x-ndjson", None))
            self.until("shown() === 'At last'")
            self.assertEqual(server.asked, 2)
            self.assertGreaterEqual(server.times[1] - server.times[0], least)
            self.assertLess(server.times[1] - server.times[0], most)

    def test_a_stream_that_breaks_off_is_not_bound_by_what_it_said_first(self):
        self.before_page("Math.random = () => 0")
        broken = b'{"event":"retry","retryMs":60000}\n{"event":"hello"}\n'
        server = self.server((200, "application/x-ndjson", broken), (200, "application/x-ndjson", None))
        self.until("shown() === 'At last'")
        self.assertLess(server.times[1] - server.times[0], 1)


    def test_a_stream_that_falls_silent_is_opened_again(self):
        # The page waits for two heartbeats and 5 s: the connection may be half open.
        self.before_page("Math.random = () => 0")
        server = self.server((200, "application/x-ndjson", None), heartbeat=1)
        self.until("shown() === 'At last' && element().dataset.connection === 'open'")
        self.wait(lambda: server.asked == 2, "the page does not come again")
        self.assertGreaterEqual(server.times[1] - server.times[0], 4.9)
        self.assertLess(server.times[1] - server.times[0], 8)


class LocalFileTests(BrowserTests):
    """The page in one file, under the origin of OBS' local files, which is not secure: no locks, no random UUIDs."""

    @classmethod
    def setUpClass(cls):
        cls.pages = http.server.ThreadingHTTPServer(("127.0.0.1", 0), cls.Page)
        threading.Thread(target=cls.pages.serve_forever, daemon=True).start()
        cls.addClassCleanup(cls.pages.server_close)
        cls.addClassCleanup(cls.pages.shutdown)
        cls.arguments = (f"--host-resolver-rules=MAP absolute:80 127.0.0.1:{cls.pages.server_address[1]}",)
        os.environ["POPUP_GATEWAY_CORS_ORIGINS"] = "http://absolute"
        cls.addClassCleanup(os.environ.pop, "POPUP_GATEWAY_CORS_ORIGINS")
        themes = tempfile.TemporaryDirectory()
        cls.addClassCleanup(themes.cleanup)
        with open(os.path.join(themes.name, "night.css"), "w", encoding="utf-8") as file:
            file.write("popup-screen { --popup-back: #010203; }\n")
        cls.environment = {"POPUP_GATEWAY_OVERLAY_THEMES": themes.name}
        super().setUpClass()

    class Page(http.server.BaseHTTPRequestHandler):
        text = b""

        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(self.text)))
            self.end_headers()
            self.wfile.write(self.text)

        def log_message(self, *_):
            pass

    def make_file(self, *arguments):
        """Makes the page that is one file."""
        folder = self.directory.name
        token, output = os.path.join(folder, "token"), os.path.join(folder, "overlay.html")
        with open(token, "w", encoding="utf-8") as file:
            file.write("all\n")
        subprocess.run(
            [os.environ["GATEWAY"], "overlay", "--group", self.group, "--src", self.origin, "--token-file", token,
             "--output", output, *arguments], check=True)
        self.assertEqual(os.stat(output).st_mode & 0o077, 0)
        with open(output, "rb") as file:
            self.Page.text = file.read()

    def test_the_file_shows_popups_and_answers_without_the_gateways_page(self):
        self.make_file("--mode", "render")
        popup = self.show("In OBS", actions=[{"id": "ok", "label": "OK"}])
        self.driver.get("http://absolute/")
        self.until("shown() === 'In OBS'")
        self.assertFalse(self.value("isSecureContext"))
        self.click("OK")
        self.until("boxes().length === 0")
        self.assertEqual(self.phase(popup)["closed"]["action"], "ok")

    def test_the_file_has_its_theme_once_the_gateway_is_there(self):
        self.make_file("--theme", "night")
        self.gateway.end()
        self.driver.get("http://absolute/")
        # The style sheet that was not there is gone again.
        self.until("element() && !document.querySelector('link[href*=\"/themes/\"]')")
        type(self).start_gateway(f"127.0.0.1:{self.gateway.port}")
        self.show("Themed", text="text")
        self.until("shown() === 'Themed'")
        self.until("getComputedStyle(box()).backgroundColor === 'rgb(1, 2, 3)'")


if __name__ == "__main__":
    unittest.main(verbosity=2)
