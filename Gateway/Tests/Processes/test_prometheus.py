"""Prometheus scrapes a real gateway: the alerts and each panel of the dashboard have something to show."""

import json
import os
import re
import subprocess
import tempfile
import time
import unittest
import urllib.parse

from programs import DEADLINE, EVERYTHING, Program, ask, free_port, gateway, needs

PACKAGING = os.path.join(os.path.dirname(__file__), "..", "..", "..", "Packaging")
RULES = os.path.join(PACKAGING, "prometheus", "popup.rules.yaml")
FLEET_RULES = os.path.join(PACKAGING, "prometheus", "popup-fleet.rules.yaml")
TOKENS = {"all": EVERYTHING}
TOOLS = ("prometheus", "promtool")


def expressions_of_rules():
    with open(RULES, encoding="utf-8") as file:
        return re.findall(r"^ +expr: (.+)$", file.read(), re.MULTILINE)


def expressions_of_dashboard():
    """Returns the queries by the titles of their panels, with the variables as Grafana fills them in."""
    with open(os.path.join(PACKAGING, "grafana", "popup.json"), encoding="utf-8") as file:
        panels = json.load(file)["panels"]
    return [
        (panel["title"], target["expr"].replace("$__rate_interval", "30s").replace("$instance", ".*"))
        for panel in panels for target in panel.get("targets", [])
    ]


def names(expression):
    return set(re.findall(r"\b(?:popup|process)_[a-z_]+", expression))


class AlertTests(unittest.TestCase):
    @needs("promtool", "prometheus")
    def test_each_alert_comes_when_it_should(self):
        for rules in (RULES, FLEET_RULES):
            name = os.path.basename(rules)
            for words in (["check", "rules", name], ["test", "rules", name.replace(".rules.", ".rules.test.")]):
                with self.subTest(words):
                    result = subprocess.run(
                        ["promtool", *words], cwd=os.path.dirname(rules), capture_output=True, text=True, timeout=60)
                    self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_each_alert_has_a_test(self):
        for rules in (RULES, FLEET_RULES):
            with self.subTest(rules):
                with open(rules, encoding="utf-8") as file:
                    alerts = set(re.findall(r"- alert: (\w+)", file.read()))
                with open(rules.replace(".rules.", ".rules.test."), encoding="utf-8") as file:
                    tested = set(re.findall(r"alertname: (\w+)\n +exp_alerts", file.read()))
                self.assertTrue(alerts)
                self.assertEqual(alerts, tested)

    def test_each_alert_of_a_fleet_is_documented(self):
        with open(FLEET_RULES, encoding="utf-8") as file:
            alerts = re.findall(r"- alert: (\w+)", file.read())
        with open(os.path.join(PACKAGING, "..", "Documentation", "Fleet.md"), encoding="utf-8") as file:
            self.assertEqual(re.findall(r"^\| `(PopupFleet\w+)` \|", file.read(), re.MULTILINE), alerts)


class ScrapeTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        broker = Program(
            "popup-broker ready", os.environ["BROKER"], "run", "--ingress", "tcp://127.0.0.1:*", "--egress",
            "tcp://127.0.0.1:*", "--data-dir", os.path.join(self.folder, "data"), "--log-level", "warning")
        self.addCleanup(broker.end)
        self.gateway = gateway(broker, TOKENS, os.path.join(self.folder, "tokens.yaml"))
        self.addCleanup(self.gateway.end)
        for number in range(3):
            self.assertIn(self.send("PUT", f"/v1/popups/p{number}", {"group": "lobby", "text": "x"})[0], (200, 202))
        self.send("DELETE", "/v1/popups/p0")

    def send(self, method, path, body=None):
        return ask(self.gateway.port, method, path, body)

    def test_what_alerts_and_dashboard_ask_for_is_in_the_scrape(self):
        lines = ask(self.gateway.admin, "GET", "/metrics")[2].decode().splitlines()
        present = {re.split(r"[{ ]", line)[0] for line in lines if not line.startswith("#")}
        for expression in expressions_of_rules() + [query for _, query in expressions_of_dashboard()]:
            self.assertTrue(names(expression), expression)
            self.assertLessEqual(names(expression), present, expression)

    @needs("prometheus", "prometheus")
    def test_prometheus_answers_each_query_of_the_dashboard(self):
        port = free_port()
        with open(os.path.join(self.folder, "prometheus.yaml"), "w", encoding="utf-8") as file:
            json.dump({
                "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
                "rule_files": [os.path.abspath(RULES)],
                "scrape_configs": [{
                    "job_name": "popup", "static_configs": [{"targets": [f"127.0.0.1:{self.gateway.admin}"]}]}],
            }, file)
        prometheus = subprocess.Popen(
            ["prometheus", f"--config.file={file.name}", f"--storage.tsdb.path={self.folder}/tsdb",
             f"--web.listen-address=127.0.0.1:{port}", "--log.level=error"], stderr=subprocess.DEVNULL)
        self.addCleanup(prometheus.wait, DEADLINE)
        self.addCleanup(prometheus.terminate)

        def query(expression):
            """Returns what Prometheus knows; nothing before it listens."""
            try:
                status, _, answer = ask(port, "GET", "/api/v1/query?" + urllib.parse.urlencode({"query": expression}))
            except OSError:
                return []
            if status == 503:
                return []
            self.assertEqual((status, answer["status"]), (200, "success"), expression)
            return answer["data"]["result"]

        # A rate needs two samples.
        deadline = time.monotonic() + DEADLINE
        while not any(int(sample["value"][1]) >= 3 for sample in query('count_over_time(popup_broker_up[30s])')):
            self.assertLess(time.monotonic(), deadline, "Prometheus does not scrape the gateway")
            self.assertIsNone(prometheus.poll())
            time.sleep(0.1)
        for title, expression in expressions_of_dashboard():
            with self.subTest(title):
                self.assertTrue(query(expression), expression)
        for expression in expressions_of_rules():
            query(expression)
        self.assertEqual(query("popup_broker_popups")[0]["value"][1], "2")
        self.assertEqual([alert["metric"]["alertname"] for alert in query('ALERTS{alertstate="firing"}')], [])
        self.assertEqual(query('ALERTS{alertname="PopupGatewayDown"}'), [])
        self.gateway.end()
        deadline = time.monotonic() + DEADLINE
        while not (alerts := query('ALERTS{alertname="PopupGatewayDown"}')):
            self.assertLess(time.monotonic(), deadline, "nobody is told that the gateway is gone")
            time.sleep(0.1)
        self.assertEqual([alert["metric"]["instance"] for alert in alerts], [f"127.0.0.1:{self.gateway.admin}"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
