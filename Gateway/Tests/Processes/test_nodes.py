"""A gateway of a fleet: it has the endpoints of two nodes, of which one is the broker at a time."""

import hashlib
import json
import os
import signal
import tempfile
import time
import unittest

from programs import DEADLINE, EVERYTHING, Program, ask, broker, json_lines, wait_until_ready


class NodesTests(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.folder = directory.name
        # The epoch of a broker grows with each start.
        self.old, self.new = broker(), broker()
        self.new.end(signal.SIGKILL)
        self.addCleanup(lambda: self.old.process.poll() is None and self.old.end())

    def start_new(self):
        self.new = broker(self.new.fields["ingress"], self.new.fields["egress"])
        self.addCleanup(self.new.end)

    def endpoints(self, name):
        """Returns the endpoints of both nodes."""
        return [node.fields[name] for node in (self.old, self.new)]

    def start_gateway(self, configuration, env=None):
        """Starts a gateway with these parts of a configuration, which may be JSON: that is YAML, too."""
        tokens, path = (os.path.join(self.folder, name) for name in ("tokens.yaml", "gateway.yaml"))
        entry = {"name": "all", "sha256": hashlib.sha256(b"all").hexdigest(), "may": EVERYTHING}
        settings = {"tokens": tokens, "drainMs": 200, **configuration}
        for file, content in ((tokens, {"tokens": [entry]}), (path, settings)):
            with open(file, "w", encoding="utf-8") as target:
                json.dump(content, target)
        gateway = Program(
            "popup-gateway ready", os.environ["GATEWAY"], "run", "--config", path, "--listen", "127.0.0.1:0",
            "--admin", "127.0.0.1:0", env=env)
        self.addCleanup(gateway.end)
        self.port, self.admin = (int(gateway.fields[name].rpartition(":")[2]) for name in ("http", "admin"))
        wait_until_ready(self.admin)

    def ask(self, method, path, body=None):
        return ask(self.port, method, path, body)

    def show(self, popup, priority=0):
        """Requests a popup, again while the outcome is not known, and the gateway looks for the broker."""
        end = time.monotonic() + DEADLINE
        body = {"group": "lobby", "text": "Hello", "priority": priority}
        while (status := self.ask("PUT", f"/v1/popups/{popup}", body)[0]) != 200:
            self.assertIn(status, (503, 504))
            self.assertLess(time.monotonic(), end)
            time.sleep(0.1)

    def test_it_goes_on_with_the_next_node_when_one_is_gone(self):
        self.start_gateway({"broker": {name: self.endpoints(name) for name in ("ingress", "egress")}})
        states = json_lines(self, self.port, "/v1/stream?group=lobby", headers={"Accept": "application/x-ndjson"})
        self.show("A")
        before = next(item for item in states if item["event"] == "state" and item["active"]["id"] == "A")
        self.old.end(signal.SIGKILL)
        self.start_new()
        self.show("B", priority=9)
        after = next(item for item in states if item["event"] == "state" and item.get("active", {}).get("id") == "B")
        self.assertGreater(int(after["epoch"]), int(before["epoch"]))

    def test_an_older_owner_of_the_fleet_is_not_believed(self):
        self.start_gateway({"limits": {"requests": 10_000}}, env={
            f"POPUP_GATEWAY_BROKER_{name.upper()}": ",".join(self.endpoints(name)) for name in ("ingress", "egress")})
        self.show("A")
        self.assertEqual(self.ask("GET", "/v1/popups?count=1")[2], {"popups": 1})
        epoch = self.ask("GET", "/v1/stats")[2]["epoch"]
        self.start_new()
        end = time.monotonic() + DEADLINE
        # A problem, while the gateway reaches neither, has no epoch.
        while (answer := self.ask("GET", "/v1/stats"))[0] != 200 or answer[2]["epoch"] == epoch:
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)
        # Both reply: the older one has a popup.
        self.assertEqual([self.ask("GET", "/v1/popups?count=1")[2] for _ in range(20)], [{"popups": 0}] * 20)


if __name__ == "__main__":
    unittest.main()
