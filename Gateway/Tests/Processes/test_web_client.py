"""The Swift client over HTTP, as the example web-screen uses it, with a real gateway that is killed meanwhile."""

import os
import queue
import signal
import subprocess
import tempfile
import threading
import unittest

from programs import DEADLINE, ask, broker, gateway

TOKENS = {
    "all": {right: ["*"] for right in ("show", "update", "dismiss", "watch", "render", "events", "query", "control")},
    "watcher": {"watch": ["desk"]},
}


class Screen:
    """web-screen, and the lines that it prints."""

    def __init__(self, gateway, *arguments, token="all"):
        self.process = subprocess.Popen(
            [os.environ["WEB_SCREEN"], "--gateway", f"http://127.0.0.1:{gateway.port}", *arguments],
            env={**os.environ, "POPUP_GATEWAY_TOKEN": token}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def next(self, *words):
        """Returns the next line that has all words; fails at the end and when none comes."""
        seen = []
        while True:
            try:
                line = self.lines.get(timeout=DEADLINE)
            except queue.Empty:
                raise AssertionError(f"no line has {words}: {seen}") from None
            if line is None:
                raise AssertionError(f"web-screen ended before {words}: {seen}")
            if all(word in line for word in words):
                return line
            seen.append(line)

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class WebClient(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.broker = broker()
        self.addCleanup(self.broker.end)
        self.gateway = self.start()

    def start(self, listen="127.0.0.1:0"):
        program = gateway(
            self.broker, TOKENS, os.path.join(self.directory.name, "tokens.yaml"), listen=listen)
        self.addCleanup(lambda: program.process.poll() is None and program.end())
        return program

    def screen(self, *arguments, **further):
        screen = Screen(self.gateway, *arguments, **further)
        self.addCleanup(screen.end)
        return screen

    def show(self, name, **further):
        body = {"group": "desk", "text": f"text of {name}", **further}
        self.assertEqual(ask(self.gateway.port, "PUT", f"/v1/popups/{name}", body)[0], 200)

    def test_it_shows_what_is_there_then_every_change_and_answers(self):
        self.show("first", durationMs=60_000)
        self.show("second")
        screen = self.screen("--group", "desk", "--answer", "ok", "--until", "second")
        self.assertIn("s left, 1 to come", screen.next("desk: first “text of first”"))
        screen.next("desk: second “text of second”, 0 to come")
        screen.next("desk: nothing")
        self.assertEqual(screen.process.wait(DEADLINE), 0)
        for name in ("first", "second"):
            closed = ask(self.gateway.port, "GET", f"/v1/popups/{name}")[2]["closed"]
            self.assertEqual((closed["reason"], closed["action"]), ("DISMISSED", "ok"))

    def test_it_asks_for_a_popup_and_sees_it(self):
        screen = self.screen("--group", "desk", "--show", "Grüße 😀")
        name = screen.next("asked for").split()[-1]
        screen.next(f"desk: {name} “Grüße 😀”")

    def test_it_goes_on_after_the_gateway_was_killed(self):
        self.show("before")
        screen = self.screen("--group", "desk", "--watch")
        screen.next("before")
        port = self.gateway.port
        self.gateway.end(signal.SIGKILL)
        self.gateway = self.start(f"127.0.0.1:{port}")
        # What has changed before it is back.
        self.assertEqual(ask(port, "DELETE", "/v1/popups/before")[0], 200)
        screen.next("desk: nothing")
        self.show("after")
        screen.next("desk: after")

    def test_a_token_without_the_right_is_told_and_the_stream_ends(self):
        screen = self.screen("--group", "desk", token="nobody")
        screen.next("401", "UNAUTHENTICATED")
        self.assertNotEqual(screen.process.wait(DEADLINE), 0)
        screen = self.screen("--group", "desk", token="watcher")
        screen.next("403", "render")
        self.assertNotEqual(screen.process.wait(DEADLINE), 0)
        self.show("seen")
        self.screen("--group", "desk", "--watch", token="watcher").next("desk: seen")


if __name__ == "__main__":
    unittest.main()
