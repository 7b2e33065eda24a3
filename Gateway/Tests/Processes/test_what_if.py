"""Another policy is tried on what a real broker has committed."""

import os
import tempfile
import threading
import time
import unittest

from programs import DEADLINE, ask, broker, gateway

EVERYTHING = {right: ["*"] for right in ("show", "dismiss", "watch", "query", "control")}


class WhatIf(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.data = os.path.join(cls.directory.name, "data")
        cls.broker = broker(directory=cls.data)
        cls.gateway = cls.start(cls.data)

    @classmethod
    def tearDownClass(cls):
        cls.gateway.end()
        cls.broker.end()
        cls.directory.cleanup()

    @classmethod
    def start(cls, data, program=os.environ["BROKER"]):
        return gateway(
            cls.broker, {"all": EVERYTHING, "one": {"query": ["lobby"], "watch": ["lobby"]}},
            os.path.join(cls.directory.name, "tokens.yaml"),
            env={"POPUP_GATEWAY_WHATIF_DATADIRECTORY": data, "POPUP_GATEWAY_WHATIF_PROGRAM": program})

    def script(self, name, *lines):
        """Writes a shell script, and returns its path."""
        path = os.path.join(self.directory.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(("#!/bin/sh", *lines, "")))
        os.chmod(path, 0o755)
        return path

    def ask(self, body, query="", token="all", port=None):
        return ask(port or self.gateway.port, "POST", "/v1/what-if" + query, body, token)

    def show(self, group, name, priority):
        status, _, answer = ask(
            self.gateway.port, "POST", "/v1/popups",
            {"group": group, "id": f"{group}-{name}", "text": name, "priority": priority, "durationMs": 600000})
        self.assertEqual(status, 201, answer)

    def dismiss(self, group, name):
        status, _, answer = ask(self.gateway.port, "DELETE", f"/v1/popups/{group}-{name}")
        self.assertEqual(status, 200, answer)

    def test_the_popups_whose_outcome_would_differ(self):
        for name, priority in (("A", 1), ("B", 9)):
            self.show("lobby", name, priority)
        # B interrupts A, and is dismissed: A goes on.
        self.dismiss("lobby", "B")
        status, _, answer = self.ask({"group": "lobby", "preset": "FIFO"})
        self.assertEqual(status, 200, answer)
        changed = {entry["popup"]: entry for entry in answer["differences"] if entry["group"] == "lobby"}
        self.assertEqual(changed["lobby-B"]["changes"], ["NEVER"])
        self.assertEqual(changed["lobby-B"]["content"], "B")
        self.assertEqual(len(changed["lobby-B"]["was"]["shownAt"]), 1)
        self.assertEqual(answer["more"], 0)
        # What the policy does not concern, and the policy in force: nothing differs.
        for policy in ({"group": "elsewhere", "preset": "FIFO"}, {"group": "lobby", "preset": "PRIORITY"}):
            self.assertEqual(self.ask(policy)[2]["differences"], [], policy)
        # Nothing was set, and nothing is set.
        self.assertNotEqual(ask(self.gateway.port, "GET", "/v1/policy?group=lobby")[2]["source"], "CLIENT")

    def test_the_policies_of_other_groups_stay_as_they_are(self):
        status, _, answer = ask(self.gateway.port, "PUT", "/v1/policy", {"group": "hall", "preset": "FIFO"})
        self.assertEqual(status, 200, answer)
        self.addCleanup(ask, self.gateway.port, "POST", "/v1/commands", {"unsetPolicy": {"group": "hall"}})
        for name, priority in (("A", 1), ("B", 9)):
            self.show("hall", name, priority)
        self.dismiss("hall", "A")
        self.dismiss("hall", "B")
        answer = self.ask({"group": "elsewhere", "preset": "LIFO"})[2]
        self.assertEqual([entry for entry in answer["differences"] if entry["group"] == "hall"], [])

    def test_at_most_200_popups_are_listed(self):
        for number in range(230):
            self.show("many", f"{number:03}", number)
            self.dismiss("many", f"{number:03}")
            self.show("many", f"{number:03}-low", 0)
        # Each interrupts the low one that is shown; with FIFO it is never shown.
        answer = self.ask({"group": "many", "preset": "FIFO"})[2]
        self.assertEqual(len(answer["differences"]), 200)
        self.assertGreater(answer["more"], 20)

    def test_mistakes(self):
        for body, query, status, word in (
            ({"group": "lobby", "prezet": "FIFO"}, "", 400, "prezet"),
            ({"group": "a//b"}, "", 422, "a//b"),
            ({"group": "lobby", "gapMinMs": 5, "gapMaxMs": 1}, "", 422, "gap"),
            ({"group": "lobby"}, "?since=yesterday", 422, "yesterday"),
        ):
            got, _, answer = self.ask(body, query)
            self.assertEqual(got, status, answer)
            self.assertIn(word, answer["detail"])
        status, _, answer = self.ask({"group": "lobby"}, token="one")
        self.assertEqual((status, answer["reason"]), (403, "PERMISSION_DENIED"))

    def test_a_gateway_without_the_data_directory(self):
        for data, program, status, word in (
            ("", "popup-broker", 404, "whatIf.dataDirectory"), ("/nowhere", os.environ["BROKER"], 503, "/nowhere"),
            (self.data, "/nowhere/popup-broker", 503, "whatIf.program"),
        ):
            other = self.start(data, program) if data else gateway(
                self.broker, {"all": EVERYTHING}, os.path.join(self.directory.name, "others.yaml"))
            try:
                got, _, answer = self.ask({"group": "lobby"}, port=other.port)
                self.assertEqual(got, status, answer)
                self.assertIn(word, answer["detail"])
                self.assertEqual(ask(other.port, "GET", "/v1/stats")[2]["gateway"]["whatIf"], bool(data))
            finally:
                other.end()

    def test_programs_that_read_the_policy_late_or_not_at_all(self):
        # Larger than a pipe: it is written while the program runs.
        large = {"group": "lobby", "caps": [{"most": 1, "perMs": 1000}] * 4000}
        for number, (script, status) in enumerate((
            ("exit 0", 200), ("exit 1", 503), ("exec 0<&-; sleep 0.2; exit 1", 503),
            ("yes '{}' | head -n 100000; cat >/dev/null", 200), ("head -c 10 >/dev/null; exit 0", 200),
        )):
            other = self.start(self.data, self.script(f"program-{number}", script))
            try:
                for policy in ({"group": "lobby"}, large) * 5:
                    got, _, answer = self.ask(policy, port=other.port)
                    self.assertEqual(got, status, (script, answer))
            finally:
                self.assertEqual(other.end(), 0)

    def test_one_comparison_at_a_time(self):
        begun, mayend = (os.path.join(self.directory.name, name) for name in ("begun", "may-end"))
        other = self.start(self.data, self.script(
            "slow", f"touch '{begun}'", f"until [ -e '{mayend}' ]; do sleep 0.02; done"))
        try:
            answers = []
            first = threading.Thread(
                target=lambda: answers.append(self.ask({"group": "lobby"}, port=other.port)[0]))
            first.start()
            end = time.monotonic() + DEADLINE
            while not os.path.exists(begun):
                self.assertLess(time.monotonic(), end)
                time.sleep(0.01)
            self.assertEqual(self.ask({"group": "lobby"}, port=other.port)[0], 429)
            with open(mayend, "w", encoding="utf-8"):
                pass
            first.join(DEADLINE)
            self.assertEqual(answers, [200])
            self.assertEqual(self.ask({"group": "lobby"}, port=other.port)[0], 200)
        finally:
            other.end()


if __name__ == "__main__":
    unittest.main()
