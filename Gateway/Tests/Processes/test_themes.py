"""Themes of the overlay: style sheets in a directory of the gateway."""

import os
import signal
import subprocess
import tempfile
import time
import unittest

from programs import DEADLINE, ask, broker, gateway

NIGHT = "popup-screen { --popup-back: #111; }\n"


class ThemeTests(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.folder = directory.name
        self.themes = os.path.join(self.folder, "themes")
        os.mkdir(self.themes)
        self.write("night.css", NIGHT)
        self.log = self.enterContext(open(os.path.join(self.folder, "log"), "w+", encoding="utf-8"))

    def logged(self):
        with open(self.log.name, encoding="utf-8") as file:
            return file.read()

    def write(self, name, text):
        with open(os.path.join(self.themes, name), "w", encoding="utf-8") as file:
            file.write(text)

    def start(self):
        self.broker = broker()
        self.addCleanup(self.broker.end)
        self.gateway = gateway(
            self.broker, {"all": {"watch": ["*"]}}, os.path.join(self.folder, "tokens.yaml"),
            env={"POPUP_GATEWAY_OVERLAY_THEMES": self.themes}, log=self.log)
        self.addCleanup(self.gateway.end)

    def theme(self, name, headers=None):
        return ask(self.gateway.port, "GET", f"/themes/{name}.css", token=None, headers=headers)

    def test_a_theme_is_served_without_a_token_and_again_only_if_it_has_changed(self):
        self.start()
        status, headers, text = self.theme("night")
        self.assertEqual((status, text.decode()), (200, NIGHT))
        self.assertEqual(headers["Content-Type"], "text/css; charset=utf-8")
        self.assertEqual(self.theme("night", {"If-None-Match": headers["ETag"]})[0], 304)
        self.assertEqual(self.theme("day")[0], 404)
        self.assertEqual(self.theme("..%2Ftokens")[0], 404)

    def test_a_reload_reads_the_themes_again_unless_one_is_a_mistake(self):
        self.start()
        self.write("day.css", "popup-screen { --popup-back: #fff; }\n")
        self.gateway.process.send_signal(signal.SIGHUP)
        self.wait(lambda: self.theme("day")[0] == 200)
        self.write("dark.css", "")
        self.write("late.css", "")
        self.gateway.process.send_signal(signal.SIGHUP)
        self.wait(lambda: "stay as they were: `overlay.themes` has `dark.css`" in self.logged())
        self.assertEqual([self.theme(name)[0] for name in ("night", "day", "late")], [200, 200, 404])
        os.remove(os.path.join(self.themes, "dark.css"))
        self.gateway.process.send_signal(signal.SIGHUP)
        self.wait(lambda: self.theme("late")[0] == 200)

    def wait(self, condition):
        end = time.monotonic() + DEADLINE
        while not condition():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)

    def test_check_config_names_what_cannot_be_a_theme(self):
        configuration, tokens = os.path.join(self.folder, "gateway.yaml"), os.path.join(self.folder, "tokens.yaml")
        with open(tokens, "w", encoding="utf-8") as file:
            file.write("tokens: []\n")
        with open(configuration, "w", encoding="utf-8") as file:
            file.write(f"tokens: {tokens}\noverlay: {{themes: {self.themes}}}\n")

        def check():
            return subprocess.run(
                [os.environ["GATEWAY"], "check-config", configuration], capture_output=True, text=True,
                timeout=DEADLINE)

        self.assertEqual(check().returncode, 0)
        self.write("dark.css", NIGHT)
        ended = check()
        self.assertEqual(ended.returncode, 78)
        self.assertIn("`overlay.themes` has `dark.css`", ended.stderr)


if __name__ == "__main__":
    unittest.main()
