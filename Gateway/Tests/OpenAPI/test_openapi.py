"""Schemathesis asks a real gateway for everything that its description has, rightly and wrongly.

Streams are left out: they do not end. BROKER and GATEWAY name the programs; EXAMPLES says how many requests an operation
gets, SEED which ones.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Processes"))

from programs import ask, broker, gateway  # noqa: E402

EVERYTHING = {right: ["*"] for right in (
    "show", "update", "dismiss", "watch", "render", "events", "query", "control")}

# A command that the gateway does not take is answered 501 by the protocol.
SETTINGS = """
[checks]
not_a_server_error.expected-statuses = ["2xx", "3xx", "4xx", 501]
"""
# What proto3 JSON takes and the description does not say: null for each field, numbers as strings. And what only the broker
# can judge: whether names, ids and times belong together.
LEFT_OUT = "negative_data_rejection,positive_data_acceptance"


class Description(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.broker = broker()
        self.addCleanup(self.broker.end)
        self.gateway = gateway(self.broker, {"all": EVERYTHING}, f"{self.folder.name}/tokens.yaml")
        self.addCleanup(self.gateway.end)

    def test_every_answer_is_as_described(self):
        settings = pathlib.Path(self.folder.name, "schemathesis.toml")
        settings.write_text(SETTINGS, encoding="utf-8")
        result = subprocess.run(
            [
                pathlib.Path(sys.executable).with_name("schemathesis"), "--config-file", settings, "run",
                f"http://127.0.0.1:{self.gateway.port}/openapi.json", "--header", "Authorization: Bearer all",
                "--exclude-path-regex", "^/v1/(stream|events)$", "--exclude-checks", LEFT_OUT,
                "--phases", "examples,coverage,fuzzing", "--max-examples", os.environ.get("EXAMPLES") or "30",
                "--seed", os.environ.get("SEED") or "1", "--request-timeout", "70", "--continue-on-failure",
                "--generation-database", "none", "--warnings", "off",
            ],
            cwd=self.folder.name, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=900,
        )
        self.assertEqual(result.returncode, 0, result.stdout)
        print(*result.stdout.splitlines()[-12:], sep="\n")
        # Nothing that was sent has harmed either of them.
        self.assertEqual(ask(self.gateway.port, "GET", "/v1/stats")[0], 200)


if __name__ == "__main__":
    unittest.main()
