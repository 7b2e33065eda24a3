"""A gateway with nearly as many groups as it follows, over a restart of the broker."""

import os
import signal
import tempfile
import time
import unittest

from programs import DEADLINE, EVERYTHING, ask, broker, gateway, json_lines

IN_STREAM = 60
STREAMS_OF_TOKEN = 25
# A token may follow a quarter of all.
TOKENS = [f"token-{number}" for number in range(4)]
GROUPS = [f"hall-{number}" for number in range(len(TOKENS) * STREAMS_OF_TOKEN * IN_STREAM)]
IN_BATCH = 250


class ManyGroupsTests(unittest.TestCase):
    def show(self, text):
        """Shows a popup in each group, as soon as the gateway has reached the broker again."""
        end = time.monotonic() + DEADLINE
        for first in range(0, len(GROUPS), IN_BATCH):
            commands = [{"show": {"group": group, "text": text}} for group in GROUPS[first:first + IN_BATCH]]
            refused = True
            while refused and time.monotonic() < end:
                _, _, answer = ask(
                    self.gateway.port, "POST", "/v1/commands", {"commands": commands},
                    TOKENS[first // IN_BATCH % len(TOKENS)])
                results = answer.get("results", [answer])
                refused = next((result for result in results if not result.get("accepted")), None)
                if refused:
                    time.sleep(0.05)
            self.assertIsNone(refused)

    def assert_all_shown(self, text):
        """Reads each stream until all of its groups show a popup with this text."""
        for groups, stream in self.streams:
            missing = set(groups)
            while missing:
                item = next(stream, None)
                self.assertIsNotNone(item, f"the stream ended before {sorted(missing)[:3]} came")
                if item["event"] == "state" and item.get("active", {}).get("text") == text:
                    missing.discard(item["group"])

    def test_every_group_comes_to_its_stream_also_after_a_restart_of_the_broker(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.broker = broker()
        self.addCleanup(lambda: self.broker.end())
        self.gateway = gateway(
            self.broker, dict.fromkeys(TOKENS, EVERYTHING), os.path.join(directory.name, "tokens.yaml"),
            env={"POPUP_GATEWAY_LIMITS_REQUESTSPERADDRESS": "10000"})
        self.addCleanup(self.gateway.end)
        self.streams = []
        for first in range(0, len(GROUPS), IN_STREAM):
            groups = GROUPS[first:first + IN_STREAM]
            path = f"/v1/stream?{'&'.join(f'group={group}' for group in groups)}"
            token = TOKENS[first // IN_STREAM // STREAMS_OF_TOKEN]
            stream = json_lines(self, self.gateway.port, path, token, {"Accept": "application/x-ndjson"})
            self.streams.append((groups, stream))
        for _, stream in self.streams:
            word = next(item["event"] for item in stream if item["event"] in ("synced", "busy"))
            self.assertEqual(word, "synced")
        self.show("first")
        self.assert_all_shown("first")
        fields = self.broker.fields
        self.broker.end(signal.SIGKILL)
        self.broker = broker(fields["ingress"], fields["egress"])
        self.show("second")
        self.assert_all_shown("second")


if __name__ == "__main__":
    unittest.main()
