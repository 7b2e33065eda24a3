"""`make web` as a new user sees it: addresses that answer, and one Ctrl-C that ends everything."""

import os
import re
import signal
import subprocess
import time
import unittest
import urllib.parse

from programs import DEADLINE, ask

ROOT = os.path.join(os.path.dirname(__file__), "..", "..", "..")


class WebTests(unittest.TestCase):
    def test_its_addresses_answer_and_one_signal_ends_everything(self):
        script = subprocess.Popen(
            [os.path.join(ROOT, "Scripts", "web.sh")], stdout=subprocess.PIPE, text=True, start_new_session=True,
            env={**os.environ, "BIN": os.path.dirname(os.environ["BROKER"])},
            # A test that runs in the background inherits SIGINT as ignored; in a terminal it is not.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        try:
            text = ""
            while "Ctrl-C" not in text:
                line = script.stdout.readline()
                self.assertTrue(line, text)
                text += line
            port = int(re.search(r"127\.0\.0\.1:(\d+)", text).group(1))
            for address in re.findall(r"^.*: +(http://\S+)", text, re.MULTILINE):
                status, headers, _ = ask(port, "GET", urllib.parse.urlsplit(address).path, token=None)
                self.assertEqual((status, headers["Content-Type"]), (200, "text/html; charset=utf-8"), address)
            token = re.search(r"Bearer (\S+)'", text).group(1)
            # Held until the group is not empty any more.
            nothing = {"If-None-Match": 'W/"0:0"'}
            state = ask(port, "GET", "/v1/state/demo/lobby?wait=30s", token=token, headers=nothing)[2]
            self.assertIn("active", state)
            members = processes(script.pid)
            self.assertGreaterEqual(len(members), 4, members)
            # As a terminal does.
            os.killpg(script.pid, signal.SIGINT)
            self.assertEqual(script.wait(DEADLINE), 130)
            # Those that its programs had started may need a moment to end.
            end = time.monotonic() + DEADLINE
            while left := processes(script.pid):
                self.assertLess(time.monotonic(), end, left)
                time.sleep(0.05)
        finally:
            script.stdout.close()
            if processes(script.pid):
                os.killpg(script.pid, signal.SIGKILL)
            script.wait()


def processes(group):
    """Returns the living processes of a process group."""
    listed = subprocess.run(["ps", "-eo", "pgid=,stat=,args="], capture_output=True, text=True, check=True).stdout
    lines = (line.split(None, 2) for line in listed.splitlines())
    return [line[2] for line in lines if int(line[0]) == group and not line[1].startswith("Z")]


if __name__ == "__main__":
    unittest.main()
