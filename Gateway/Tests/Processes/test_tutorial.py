"""The chapter of the tutorial about the gateway, as a reader walks through it: its commands, with free ports."""

import json
import os
import re
import subprocess
import tempfile
import threading
import time
import unittest

from programs import DEADLINE, ask, broker, free_port, wait_until_ready

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))


def commands():
    """Returns the commands of the chapter, without the answers that are printed below them."""
    with open(os.path.join(ROOT, "Documentation", "Tutorial.md"), encoding="utf-8") as file:
        chapter = re.search(r"^## 13\. From curl .*?^## ", file.read(), re.MULTILINE | re.DOTALL)[0]
    blocks = re.findall(r"^```console\n(.*?)^```", chapter, re.MULTILINE | re.DOTALL)
    return re.findall(r"^\$ ((?:.*\\\n)*.*)", "".join(blocks), re.MULTILINE)


class TutorialTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        os.symlink(os.path.join(ROOT, "Examples"), os.path.join(self.folder, "Examples"))
        self.broker = broker()
        self.addCleanup(self.broker.end)
        self.ports = {"8570": free_port(), "8571": free_port(), "8000": free_port()}
        self.shell = subprocess.Popen(
            ["bash"], cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, bufsize=1, env={
                **os.environ, "POPUP_BROKER_INGRESS": self.broker.fields["ingress"],
                "POPUP_BROKER_EGRESS": self.broker.fields["egress"],
                "POPUP_GATEWAY_HTTP_LISTEN": f"127.0.0.1:{self.ports['8570']}",
                "POPUP_GATEWAY_ADMIN_LISTEN": f"127.0.0.1:{self.ports['8571']}",
                "PATH": f"{os.path.dirname(os.path.abspath(os.environ['GATEWAY']))}:{os.environ['PATH']}",
            })
        self.addCleanup(self.end_shell)

    def end_shell(self):
        if self.shell.poll() is None:
            self.shell.stdin.write("kill $(jobs -p); wait; exit\n")
            self.shell.communicate(timeout=DEADLINE)
        self.shell.stdin.close()
        self.shell.stdout.close()

    def enter(self, command):
        """Enters a command."""
        for usual, port in self.ports.items():
            command = command.replace(f"127.0.0.1:{usual}", f"127.0.0.1:{port}").replace(f" {usual} ", f" {port} ")
        self.shell.stdin.write(command.replace("python3 -m", "python3 -u -m") + "\n")

    def line(self, pattern):
        """Reads what the shell prints, up to a line that matches."""
        text = ""
        watchdog = threading.Timer(DEADLINE, self.shell.kill)
        watchdog.start()
        try:
            for line in self.shell.stdout:
                text += line
                if found := re.search(pattern, line):
                    return found
        finally:
            watchdog.cancel()
        raise AssertionError(f"nothing matches {pattern}: {text}")

    def next(self, words):
        """Enters the next command of the chapter, which begins with these words."""
        command = self.commands.pop(0)
        self.assertTrue(command.startswith(words), command)
        self.enter(command)

    def get(self, port, path, **headers):
        """Gets a file; repeats it until the server listens."""
        deadline = time.monotonic() + DEADLINE
        while True:
            try:
                return ask(self.ports[port], "GET", path, token=None, headers=headers)
            except ConnectionRefusedError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)

    def test_its_commands_lead_from_curl_to_an_answer(self):
        self.commands = commands()
        # The programs are there.
        self.assertEqual(self.commands.pop(0), "make gateway")
        self.assertEqual(self.commands.pop(0), 'export PATH="$PWD/Gateway/.build/debug:$PATH"')
        self.next("TOKEN=$(popup-gateway token new")
        self.next("cat tokens.yaml")
        hash_in_file = self.line(r"sha256: ([0-9a-f]{64})")[1]
        groups = '["kitchen", "counter"]'
        self.line(re.escape(f"may: {{show: {groups}, watch: {groups}, render: {groups}}}"))
        self.next("POPUP_GATEWAY_CORS_ORIGINS=")
        self.line(r"^popup-gateway ready http=")
        self.next("echo")
        address, token = self.line(r"^(http://.*)#token=(pg_\w+)$").groups()
        self.enter("printf %s $TOKEN | sha256sum")
        self.assertEqual(self.line(r"^([0-9a-f]{64}) ")[1], hash_in_file)
        status, _, page = ask(self.ports["8570"], "GET", address.partition(str(self.ports["8570"]))[2], token=None)
        self.assertEqual((status, b"popup-screen" in page or b"<script" in page), (200, True))
        # A reader takes longer than the gateway needs to reach the broker.
        wait_until_ready(self.ports["8571"])
        self.next("curl")
        popup = self.state("kitchen", token)
        self.assertEqual(popup["presentation"]["title"], "Tea")
        # What the page does on a click.
        status, _, answer = ask(
            self.ports["8570"], "POST", f"/v1/popups/{popup['id']}/dismiss",
            {"action": "coming", "revision": popup["sinceRevision"], "client": "page", "group": "kitchen"}, token)
        self.assertEqual(status, 200, answer)
        # The answer has no end of line, and stands behind what curl says of its progress.
        self.enter("echo")
        result = json.loads(self.line(r"\{.*\}")[0])
        self.assertEqual((result["closed"]["reason"], result["closed"]["action"]), ("DISMISSED", "coming"))
        self.next("cp -r Examples/web-pages pages")
        self.next("sed")
        self.next("python3 -m http.server")
        origin = f"http://127.0.0.1:{self.ports['8000']}"
        for name in ("plain.html", "react.html"):
            status, _, page = self.get("8000", "/" + name)
            self.assertEqual((status, page.count(token.encode()), b"TOKEN" in page), (200, 1, False), name)
        self.assertEqual(self.get("8000", "/popup-screen.js")[0], 200)
        for path in ("/popup.js", "/v1/state/counter"):
            headers = {"Origin": origin, "Authorization": f"Bearer {token}"}
            status, fields, _ = ask(self.ports["8570"], "GET", path, token=None, headers=headers)
            self.assertEqual((status, fields["Access-Control-Allow-Origin"] in ("*", origin)), (200, True), path)
        self.assertEqual(self.commands, [])

    def state(self, group, token):
        """Returns the active popup of a group, as soon as there is one."""
        deadline = time.monotonic() + DEADLINE
        while True:
            answer = ask(self.ports["8570"], "GET", f"/v1/state/{group}", token=token)[2]
            if "active" in answer:
                return answer["active"]
            self.assertLess(time.monotonic(), deadline, answer)
            time.sleep(0.05)


if __name__ == "__main__":
    unittest.main(verbosity=2)
