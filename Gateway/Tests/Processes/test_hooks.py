"""Messages of other services become popups, with a real broker and a real gateway."""

import copy
import hashlib
import hmac
import json
import os
import signal
import socket
import tempfile
import time
import unittest

from programs import DEADLINE, ask, broker, gateway, wait_until_ready

SECRET = "not so secret, but long"

# What Alertmanager sends, by its documentation (version 4 of the message).
ALERTS = {
    "version": "4", "groupKey": "{}:{alertname=\"DiskFull\"}", "status": "firing", "receiver": "popups",
    "groupLabels": {"alertname": "DiskFull"}, "commonLabels": {}, "commonAnnotations": {},
    "externalURL": "http://alertmanager.example", "truncatedAlerts": 0,
    "alerts": [
        {
            "status": "firing", "startsAt": "2026-01-05T08:00:00Z", "endsAt": "0001-01-01T00:00:00Z",
            "generatorURL": "http://prometheus.example", "fingerprint": "8f2c0f0a1b3c4d5e",
            "labels": {"alertname": "DiskFull", "severity": "critical", "team": "web", "popup_priority": "7"},
            "annotations": {"summary": "/dev/sda1 of db-1 is 95 % full"},
        },
        {
            "status": "firing", "startsAt": "2026-01-05T08:01:00Z", "endsAt": "0001-01-01T00:00:00Z",
            "generatorURL": "http://prometheus.example", "fingerprint": "1a2b3c4d5e6f7a8b",
            "labels": {"alertname": "SlowDisk", "team": "web"}, "annotations": {},
        },
    ],
}

# What Grafana sends, by its documentation: the same, with fields of its own.
PANELS = {
    "receiver": "popups", "status": "firing", "orgId": 1, "groupLabels": {"alertname": "High load"},
    "commonLabels": {"alertname": "High load"}, "commonAnnotations": {}, "externalURL": "http://grafana.example/",
    "version": "1", "groupKey": "{}:{alertname=\"High load\"}", "truncatedAlerts": 0,
    "title": "[FIRING:1] High load", "state": "alerting", "message": "**Firing**",
    "alerts": [{
        "status": "firing", "labels": {"alertname": "High load", "grafana_folder": "hosts", "severity": "warning"},
        "annotations": {"summary": "db-1 is busy"}, "startsAt": "2026-01-05T09:51:03.157076+02:00",
        "endsAt": "0001-01-01T00:00:00Z", "generatorURL": "http://grafana.example/alerting/1/edit",
        "fingerprint": "c6eadffa33fcdf37", "silenceURL": "http://grafana.example/alerting/silence/new",
        "dashboardURL": "", "panelURL": "", "values": {"B": 44.23, "C": 1}, "valueString": "[ var='B' value=44.23 ]",
    }],
}

WORKFLOW = {
    "action": "completed", "repository": {"full_name": "example/shop"},
    "workflow_run": {
        "id": 30433642, "run_attempt": 1, "name": "build", "head_branch": "main", "conclusion": "failure"},
}


class Hooks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        secret = os.path.join(cls.directory.name, "secret")
        with open(secret, "w", encoding="utf-8") as file:
            file.write(SECRET + "\n")
        cls.broker = broker()
        cls.gateway = gateway(
            cls.broker,
            {
                "all": {right: ["*"] for right in ("show", "dismiss", "watch", "query", "control")},
                "alerts": {"show": ["alerts/*"], "dismiss": ["alerts/*"]},
                "builds": {"show": ["builds"]},
                "panels": {"show": ["panels"], "dismiss": ["panels"]},
            },
            os.path.join(cls.directory.name, "tokens.yaml"),
            hooks={
                "alerts": {"preset": "alertmanager", "group": "alerts/{/labels/team}"},
                "panels": {"preset": "grafana", "group": "panels"},
                "builds": {
                    "preset": "github", "group": "builds",
                    "signature": {"header": "X-Hub-Signature-256", "secretFile": secret},
                },
            },
        )

    @classmethod
    def tearDownClass(cls):
        code = cls.gateway.end()
        cls.broker.end()
        cls.directory.cleanup()
        assert code == 0, f"the gateway ended with {code}"

    def ask(self, method, path, body=None, token="all", headers=None):
        return ask(self.gateway.port, method, path, body, token, headers)

    def tearDown(self):
        self.ask("POST", "/v1/clear", {"selector": {"group": "*"}})

    def test_alerts_are_shown_once_and_closed_when_they_are_resolved(self):
        status, _, answer = self.ask("POST", "/v1/hooks/alerts", ALERTS, token="alerts")
        disk = "hook-alerts:8f2c0f0a1b3c4d5e@2026-01-05T08:00:00Z"
        self.assertEqual((status, answer["ids"][0]), (202, disk))
        state = self.ask("GET", "/v1/state/alerts/web")[2]
        self.assertEqual((state["active"]["id"], state["active"]["priority"], state["waiting"]), (disk, 7, 1))
        self.assertEqual(state["active"]["presentation"], {"title": "DiskFull", "style": "error"})
        self.assertEqual(state["active"]["text"], "/dev/sda1 of db-1 is 95 % full")

        self.assertEqual(self.ask("POST", "/v1/hooks/alerts", ALERTS, token="alerts")[0], 202)
        self.assertEqual(self.ask("GET", "/v1/state/alerts/web")[2]["waiting"], 1)

        over = copy.deepcopy(ALERTS)
        over["alerts"][0]["status"] = "resolved"
        for _ in range(2):
            self.assertEqual(self.ask("POST", "/v1/hooks/alerts", over, token="alerts")[0], 202)
        state = self.ask("GET", "/v1/state/alerts/web")[2]
        self.assertEqual((state["active"]["presentation"]["title"], state.get("waiting", 0)), ("SlowDisk", 0))

        over["alerts"][0].update(status="firing", startsAt="2026-01-05T09:30:00Z")
        self.assertEqual(self.ask("POST", "/v1/hooks/alerts", over, token="alerts")[0], 202)
        state = self.ask("GET", "/v1/state/alerts/web")[2]
        self.assertEqual((state["active"]["presentation"]["title"], state["paused"]), ("DiskFull", 1))

    def test_alerts_of_grafana_are_shown_and_closed(self):
        name = "hook-panels:c6eadffa33fcdf37@2026-01-05T09:51:03.157076+02:00"
        status, _, answer = self.ask("POST", "/v1/hooks/panels", PANELS, token="panels")
        self.assertEqual((status, answer), (202, {"ids": [name]}))
        active = self.ask("GET", "/v1/state/panels")[2]["active"]
        self.assertEqual((active["id"], active["text"]), (name, "db-1 is busy"))
        self.assertEqual(active["presentation"], {"title": "High load", "style": "warning"})
        over = copy.deepcopy(PANELS)
        over["status"] = over["alerts"][0]["status"] = "resolved"
        over["state"] = "ok"
        self.assertEqual(self.ask("POST", "/v1/hooks/panels", over, token="panels")[0], 202)
        self.assertNotIn("active", self.ask("GET", "/v1/state/panels")[2])

    def test_one_message_that_fails_keeps_no_other_back(self):
        broken = copy.deepcopy(ALERTS)
        broken["alerts"][0]["labels"]["team"] = "no group"
        broken["alerts"][1]["startsAt"] = "2026-01-06T00:00:00Z"
        status, _, problem = self.ask("POST", "/v1/hooks/alerts", broken, token="alerts")
        self.assertEqual((status, problem["reason"]), (422, "INVALID"), problem)
        self.assertEqual(
            self.ask("GET", "/v1/state/alerts/web")[2]["active"]["presentation"]["title"], "SlowDisk")
        for body, expected in (("no JSON", 400), ({"alerts": 3}, 422)):
            self.assertEqual(self.ask("POST", "/v1/hooks/alerts", body, token="alerts")[0], expected)

    def test_while_the_broker_hangs_the_service_is_told_soon_to_send_the_messages_again(self):
        many = copy.deepcopy(ALERTS)
        # The first one is refused: that it fails again must not keep the service from sending the others again.
        many["alerts"][0]["labels"]["team"] = "no group"
        for number in range(60):
            many["alerts"].append({**many["alerts"][1], "fingerprint": f"{number}"})
        self.broker.process.send_signal(signal.SIGSTOP)
        try:
            # Each message that is sent waits 5 s, and the connection of this test 100 s.
            status, _, problem = self.ask("POST", "/v1/hooks/alerts", many, token="alerts")
        finally:
            self.broker.process.send_signal(signal.SIGCONT)
        wait_until_ready(self.gateway.admin)
        self.assertEqual((status, problem["sent"]), (504, "unknown"), problem)

    def test_only_who_signs_or_has_the_token_is_heard(self):
        body = json.dumps(WORKFLOW)
        code = hmac.new(SECRET.encode(), body.encode(), hashlib.sha256).hexdigest()

        def send(signature, token=None, name="builds"):
            headers = {"X-Hub-Signature-256": signature} if signature else {}
            return self.ask("POST", f"/v1/hooks/{name}", body, token=token, headers=headers)

        self.assertEqual(send(None)[0], 401)
        self.assertEqual(send("sha256=" + "0" * 64)[0], 401)
        self.assertEqual(send(f"sha256={code}", name="alerts")[0], 401)
        self.assertEqual(send(None, token="alerts")[0], 401)
        self.assertEqual(send(None, token="all", name="all")[0], 403)
        self.assertEqual(self.ask("GET", "/v1/state/builds")[2].get("active"), None)
        self.assertEqual(send(f"sha256={code}")[2], {"ids": ["hook-builds:30433642.1"]})
        active = self.ask("GET", "/v1/state/builds")[2]["active"]
        self.assertEqual(active["presentation"], {"title": "build failed", "style": "error"})
        self.assertEqual(active["text"], "example/shop, main")

    def test_the_body_of_a_stranger_is_read_only_for_its_signature(self):
        signed = "X-Hub-Signature-256: sha256=" + "0" * 64
        for request, field, expected in (
            ("POST /v1/hooks/alerts", signed, 401), ("POST /v1/hooks/nobody", signed, 401),
            ("POST /v1/hooks/builds", "X-Other: 1", 401), ("PUT /v1/hooks/builds", signed, 405),
            ("POST /v1/hooks/builds/x", signed, 404),
        ):
            with socket.create_connection(("127.0.0.1", self.gateway.port), timeout=DEADLINE) as connection:
                began = time.monotonic()
                # Only the head: what is announced does not come.
                head = (f"{request} HTTP/1.1", "Host: localhost", "Content-Length: 150000", field, "", "")
                connection.sendall("\r\n".join(head).encode())
                self.assertEqual(int(connection.recv(100).split()[1]), expected, request)
                # What is read has 10 s to come.
                self.assertLess(time.monotonic() - began, 9, request)

    def test_messages_that_do_not_count_are_left_out(self):
        good = copy.deepcopy(WORKFLOW)
        good["workflow_run"]["conclusion"] = "success"
        body = json.dumps(good)
        code = hmac.new(SECRET.encode(), body.encode(), hashlib.sha256).hexdigest()
        answer = self.ask(
            "POST", "/v1/hooks/builds", body, token=None, headers={"X-Hub-Signature-256": f"sha256={code}"})
        self.assertEqual((answer[0], answer[2]), (202, {"ids": []}))
        self.assertEqual(self.ask("GET", "/v1/state/builds")[2].get("active"), None)


if __name__ == "__main__":
    unittest.main()
