"""A real broker, a real gateway, and clients with nothing but Python's standard library."""

import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.parse

from programs import DEADLINE, ask, broker, gateway

TOKENS = {
    "all": {right: ["*"] for right in "show update dismiss watch render events query control".split()},
    "lobby": {"watch": ["lobby"], "render": ["lobby"]},
    "build": {"show": ["build/*"], "watch": ["build/*"], "update": ["build/*"], "dismiss": ["build/*"]},
    "solo": {"watch": ["solo"]},
}


class GatewayTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.broker = broker()
        cls.gateway = gateway(
            cls.broker, TOKENS, os.path.join(cls.directory.name, "tokens.yaml"), streams={"solo": 1},
            env={
                "POPUP_GATEWAY_LIMITS_STALLMS": "1000", "POPUP_GATEWAY_PROXIES": "127.0.0.1",
                "POPUP_GATEWAY_LIMITS_STREAMSPERADDRESS": "2", "POPUP_GATEWAY_METRICS_GROUPS": "measured,idle",
            }
        )
        cls.port, cls.admin = cls.gateway.port, cls.gateway.admin

    @classmethod
    def tearDownClass(cls):
        code = cls.gateway.end()
        cls.broker.end()
        cls.directory.cleanup()
        assert code == 0, f"the gateway ended with {code}"

    @classmethod
    def ask(cls, method, path, body=None, token="all", headers=None, port=None):
        return ask(port or cls.port, method, path, body, token, headers)

    def stream(self, query, token="all", path="/v1/stream", headers=None):
        """Opens a stream of JSON lines: an iterator over its objects."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE)
        connection.request(
            "GET", f"{path}?{query}", None,
            {"Authorization": f"Bearer {token}", "Accept": "application/x-ndjson", **(headers or {})},
        )
        answer = connection.getresponse()
        self.addCleanup(connection.close)
        self.addCleanup(answer.close)
        self.assertEqual(answer.status, 200)
        return (json.loads(line) for line in iter(answer.readline, b""))

    def next(self, stream, event):
        """Returns the next object of a kind."""
        return next(item for item in stream if item["event"] == event)

    def test_curl_shows_a_popup_and_the_same_key_shows_it_once(self):
        key = {"Idempotency-Key": "tea"}
        status, headers, shown = self.ask("POST", "/v1/show/tea?title=Tea&priority=2", "Two cups", headers=key)
        self.assertEqual((status, shown), (201, {"id": "http-all:tea"}))
        self.assertEqual(headers["Location"], "/v1/popups/http-all%3Atea")
        self.assertEqual(self.ask("POST", "/v1/show/tea?title=Tea&priority=2", "Two cups", headers=key)[0], 201)
        self.assertEqual(self.ask("GET", "/v1/popups?group=tea&count=1")[2], {"popups": 1})
        status, headers, state = self.ask("GET", "/v1/state/tea")
        self.assertEqual((status, state["active"]["text"]), (200, "Two cups"))
        again = self.ask("GET", "/v1/state/tea", headers={"If-None-Match": headers["ETag"]})
        self.assertEqual(again[0], 304)

    def test_events_come_in_order_and_who_comes_back_misses_nothing(self):
        events = self.stream("group=log/*", path="/v1/events")
        self.next(events, "hello")
        for number in range(3):
            self.ask("POST", "/v1/show/log/a?id=log-%d" % number, "x")
        self.ask("DELETE", "/v1/popups/log-0?action=done")
        first = self.next(events, "event")
        self.assertEqual((first["data"]["popup"], first["data"]["group"]), ("log-0", "log/a"))
        found = [first]
        while "closed" not in found[-1]["data"]:
            found.append(self.next(events, "event"))
        self.assertEqual(found[-1]["data"]["closed"]["action"], "done")
        self.assertTrue(all(int(event["data"]["epoch"]) > 0 for event in found))
        again = self.stream(f"group=log/*&last={first['id']}", path="/v1/events")
        self.assertEqual([self.next(again, "event") for _ in found[1:]], found[1:])
        unknown = self.stream("group=log/*&last=another-7", path="/v1/events")
        self.assertEqual(self.next(unknown, "gap"), {"event": "gap"})
        self.assertEqual(self.ask("GET", "/v1/events?group=lobby", token="lobby")[0], 403)

    def test_a_batch_is_done_in_order_and_each_command_has_its_answer(self):
        batch = {"commands": [
            {"show": {"id": "b-1", "group": "batch", "text": "x"}}, {"show": {"group": "batch", "text": "y"}},
            {"dismiss": {"id": "b-1", "group": "other"}}, {"dismiss": {"id": "b-1", "action": "done"}},
            {"query": {"stats": {}}}, {"producer": "0" * 32, "sequence": "1", "clear": {}},
        ]}
        status, _, answer = self.ask("POST", "/v1/commands", batch)
        self.assertEqual(status, 200)
        results = answer["results"]
        self.assertEqual([result.get("status", 200) for result in results], [200, 200, 404, 200, 501, 422])
        self.assertEqual(results[0], {"accepted": True, "id": "b-1"})
        self.assertEqual(self.ask("GET", "/v1/popups/b-1")[2]["closed"]["action"], "done")
        self.assertEqual(self.ask("GET", "/v1/state/batch")[2]["active"]["id"], results[1]["id"])
        lone = {"show": {"group": "batch", "text": "z"}}
        self.assertEqual(self.ask("POST", "/v1/commands", lone)[0], 200)
        self.assertEqual(self.ask("POST", "/v1/commands", lone, token="lobby")[0], 403)
        for command in ({"clear": {}}, {"suspend": {"group": "*", "token": "t"}}, {"page": {"tree": "t", "clear": {}}}):
            self.assertEqual(self.ask("POST", "/v1/commands", command, token="build")[0], 403, command)
        self.assertEqual(self.ask("POST", "/v1/commands", {"commands": []})[0], 422)
        self.assertEqual(self.ask("POST", "/v1/commands", {"shov": {}})[0], 400)

    def test_a_reader_that_takes_nothing_is_cut_off_and_the_others_go_on(self):
        reader = socket.socket()
        self.addCleanup(reader.close)
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        reader.connect(("127.0.0.1", self.port))
        reader.sendall(
            b"GET /v1/stream?group=stall HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer all\r\n\r\n")
        self.assertTrue(reader.recv(1))
        other = self.stream("group=stall")
        self.next(other, "synced")
        self.ask("PUT", "/v1/popups/stall", {"group": "stall", "text": "0"})
        # Half a megabyte: the kernel would take more, and the stall would not show.
        for number in range(1, 9):
            self.ask("PATCH", "/v1/popups/stall", {"text": str(number) + " " * 60_000})
            while self.next(other, "state")["active"]["text"].split()[0] != str(number):
                pass
        end = time.monotonic() + DEADLINE
        while b'popup_gateway_streams_closed_total{kind="state",cause="slow"} 1' not in self.ask("GET", "/metrics", port=self.admin)[2]:
            self.assertLess(time.monotonic(), end)
            time.sleep(0.5)

    def test_a_mistake_in_the_configuration_is_named_with_its_file(self):
        for yaml, word in (("http: {listn: x}", "`http.listn`"), ("limits: {streams: many}", "`limits.streams`")):
            path = os.path.join(self.directory.name, "wrong.yaml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(yaml)
            for command in (["check-config", path], ["run", "--config", path]):
                done = subprocess.run([os.environ["GATEWAY"], *command], capture_output=True, text=True, timeout=DEADLINE)
                self.assertEqual(done.returncode, 78, done.stderr)
                self.assertTrue(done.stderr.startswith(f"popup-gateway: {path}: {word}"), done.stderr)

    def test_one_scrape_has_the_metrics_of_broker_gateway_and_process(self):
        self.ask("PUT", "/v1/popups/measured", {"group": "measured", "text": "x"})
        self.ask("DELETE", "/v1/popups/measured")
        self.ask("GET", "/v1/popups/nobody", token="stranger")
        deadline = time.monotonic() + DEADLINE
        while True:
            status, headers, body = self.ask("GET", "/metrics", port=self.admin)
            lines = body.decode().splitlines()
            series = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
            # The broker is asked at most once a second.
            if float(series['popup_broker_closed_total{reason="CLEARED"}']) > 0 or time.monotonic() > deadline:
                break
        self.assertEqual(status, 200)
        self.assertTrue(headers["Content-Type"].startswith("text/plain; version=0.0.4"))
        self.assertEqual(len(series), sum(not line.startswith("#") for line in lines), "each series once")
        self.assertLess(len(series), 2000)
        for name in [
            "popup_broker_up",
            'popup_gateway_http_requests_total{route="/v1/popups/{id}",method="PUT",code="202"}',
            'popup_gateway_commands_total{command="show",outcome="accepted"}',
            'popup_gateway_command_duration_seconds_count{command="show"}',
            'popup_gateway_auth_failures_total{cause="unknown"}',
            "process_cpu_seconds_total", "process_resident_memory_bytes", "process_open_fds", "process_max_fds",
        ]:
            self.assertGreater(float(series[name]), 0, name)
        self.assertLess(abs(float(series["process_start_time_seconds"]) - time.time()), 600)
        self.assertEqual(series['popup_gateway_limited_total{limit="held"}'], "0")
        promtool = shutil.which("promtool")
        if promtool:
            check = subprocess.run([promtool, "check", "metrics"], input=body, capture_output=True)
            self.assertEqual((check.returncode, check.stderr), (0, b""))

    def test_a_question_for_the_head_alone_leaves_the_connection_as_it_was(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE)
        self.addCleanup(connection.close)
        for path, status in (("/", 200), ("/popup.js", 200), ("/v1/stats", 405), ("/nowhere", 404)):
            connection.request("HEAD", path)
            answer = connection.getresponse()
            self.assertEqual((answer.status, answer.read()), (status, b""), path)
            # A body would be read as the beginning of this answer.
            connection.request("GET", "/")
            answer = connection.getresponse()
            self.assertEqual(answer.status, 200)
            self.assertTrue(answer.read().startswith(b"<!doctype html>"))

    def test_policies_in_force_are_told(self):
        self.assertEqual(self.ask("PUT", "/v1/policy", {"group": "polite/*", "preset": "POLITE"})[0], 200)
        status, _, all_policies = self.ask("GET", "/v1/policy")
        self.assertEqual(status, 200)
        self.assertIn("polite/*", [policy["policy"]["group"] for policy in all_policies["policies"]])
        one = self.ask("GET", "/v1/policy?group=polite/a")[2]
        self.assertEqual((one["source"], one["policy"]["group"]), ("CLIENT", "polite/*"))
        self.assertEqual(self.ask("GET", "/v1/policy", token="lobby")[0], 403)

    def test_a_cookie_stands_for_the_token_on_the_gateways_own_pages(self):
        status, headers, _ = self.ask("POST", "/v1/session-cookie")
        self.assertEqual(status, 204)
        cookie = {"Cookie": headers["Set-Cookie"].partition(";")[0]}
        self.assertEqual(self.ask("GET", "/v1/stats", token=None, headers=cookie)[0], 200)
        self.assertEqual(self.ask("POST", "/v1/show/tea", "x", token=None, headers=cookie)[0], 401)
        own = {**cookie, "Sec-Fetch-Site": "same-origin"}
        self.assertEqual(self.ask("POST", "/v1/show/tea", "x", token=None, headers=own)[0], 201)
        self.assertEqual(self.ask("POST", "/v1/session-cookie", token="wrong")[0], 401)
        self.assertIn("Max-Age=0", self.ask("DELETE", "/v1/session-cookie")[1]["Set-Cookie"])

    def test_a_popup_is_updated_and_withdrawn_under_an_id_with_a_slash(self):
        path = "/v1/popups/" + urllib.parse.quote("job/1", safe="")
        self.assertEqual(self.ask("PUT", path, {"group": "jobs", "text": "starts"})[0], 200)
        self.assertEqual(self.ask("PATCH", path, {"text": "runs"})[0], 200)
        self.assertEqual(self.ask("GET", "/v1/state/jobs")[2]["active"]["text"], "runs")
        self.assertEqual(self.ask("DELETE", path + "?action=done")[0], 200)
        explanation = self.ask("GET", path)[2]
        self.assertEqual((explanation["phase"], explanation["closed"]["action"]), ("CLOSED", "done"))

    def test_a_stream_has_the_present_states_then_changes(self):
        self.ask("PUT", "/v1/popups/present", {"group": "screen", "text": "now", "durationMs": 60000})
        stream = self.stream("group=screen")
        self.assertTrue(self.next(stream, "hello")["connected"])
        state = next(stream)
        self.assertEqual((state["event"], state["active"]["id"]), ("state", "present"))
        self.assertLessEqual(state["active"]["remainingMs"], 60000)
        self.assertEqual(self.next(stream, "synced")["states"], 1)
        self.ask("DELETE", "/v1/popups/present")
        self.assertNotIn("active", self.next(stream, "state"))

    def test_a_click_needs_the_revision_that_the_person_saw(self):
        stream = self.stream("group=lobby&client=kiosk", token="lobby")
        self.next(stream, "synced")
        self.ask("PUT", "/v1/popups/ask", {"group": "lobby", "text": "ok?", "actions": [{"id": "yes", "label": "Yes"}]})
        seen = self.next(stream, "state")["active"]["sinceRevision"]
        self.ask("PATCH", "/v1/popups/ask", {"text": "really?"})
        states = (item["active"] for item in stream if item["event"] == "state")
        now = next(popup for popup in states if popup["text"] == "really?")["sinceRevision"]
        dismiss = lambda body: self.ask("POST", "/v1/popups/ask/dismiss", body, token="lobby")
        self.assertEqual(dismiss({"action": "yes"})[0], 422)
        status, _, problem = dismiss({"action": "yes", "revision": seen, "client": "kiosk"})
        self.assertEqual((status, problem["reason"]), (409, "STALE"))
        self.assertEqual(dismiss({"action": "yes", "revision": now, "client": "kiosk"})[0], 200)

    def test_who_may_only_render_clicks_as_a_renderer_what_is_shown(self):
        self.ask("PUT", "/v1/popups/shown", {"group": "lobby", "text": "x", "quorum": 2, "priority": 9})
        self.ask("PUT", "/v1/popups/waits", {"group": "lobby", "text": "y"})
        self.addCleanup(self.ask, "POST", "/v1/clear", {"selector": {"group": "lobby"}})

        def click(popup, **fields):
            body = {"action": "ok", "revision": str(2**63), **fields}
            status, _, problem = self.ask("POST", f"/v1/popups/{popup}/dismiss", body, token="lobby")
            return status, problem.get("reason")

        # Without a renderer it would be the dismissal of an administrator, that needs no quorum.
        self.assertEqual(click("shown"), (422, "INVALID"))
        self.assertEqual(click("shown", client=""), (422, "INVALID"))
        self.assertEqual(click("waits", client="kiosk"), (409, "STALE"))
        self.assertEqual(click("shown", client="kiosk"), (200, None))
        for popup, phase in (("shown", "ACTIVE"), ("waits", "WAITING")):
            self.assertEqual(self.ask("GET", f"/v1/popups/{popup}")[2]["phase"], phase)
        # With the right to dismiss, both are allowed.
        body = {"action": "ok", "revision": str(2**63)}
        self.assertEqual(self.ask("POST", "/v1/popups/waits/dismiss", body)[0], 200)

    def test_a_clients_name_is_that_of_the_token_which_used_it_first(self):
        stream = self.stream("group=lobby&client=first", token="lobby")
        self.next(stream, "synced")
        self.ask("PUT", "/v1/popups/named", {"group": "lobby", "text": "x", "quorum": 2, "priority": 9})
        self.addCleanup(self.ask, "DELETE", "/v1/popups/named")

        def tell(client, token, verb, **fields):
            body = {"client": client, **fields}
            status, _, problem = self.ask("POST", f"/v1/popups/named/{verb}", body, token=token)
            return status, (problem or {}).get("reason")

        denied = (403, "PERMISSION_DENIED")
        vote = {"action": "ok", "revision": str(2**63)}
        self.assertEqual(tell("first", "all", "dismiss", **vote), denied)
        self.assertEqual(tell("first", "all", "report", hidden={}), denied)
        self.assertEqual(self.ask("GET", "/v1/stream?group=lobby&client=first")[0], 403)
        self.assertEqual(tell("second", "all", "dismiss", **vote), (200, None))
        self.assertEqual(tell("second", "lobby", "dismiss", **vote), denied)
        self.assertEqual(self.ask("GET", "/v1/popups/named")[2]["phase"], "ACTIVE")
        self.assertEqual(tell("first", "lobby", "dismiss", **vote), (200, None))
        self.assertEqual(self.ask("GET", "/v1/popups/named")[2]["phase"], "CLOSED")

    def test_a_show_with_the_id_of_another_group_learns_nothing_of_its_end(self):
        self.ask("PUT", "/v1/popups/theirs", {"group": "vault", "text": "x"})
        self.ask("DELETE", "/v1/popups/theirs?action=secret")
        status, _, answer = self.ask(
            "PUT", "/v1/popups/theirs?wait=20s", {"group": "build/1", "text": "x"}, token="build"
        )
        self.assertNotIn("closed", answer)
        self.assertIn(status, (202, 409), answer)

    def test_a_show_that_waits_tells_the_id_when_the_broker_is_lost(self):
        answers = []
        body = {"id": "kept", "group": "losses", "text": "x"}
        stream = self.stream("group=losses")
        asking = threading.Thread(target=lambda: answers.append(self.ask("POST", "/v1/popups?wait=2s", body)))
        asking.start()
        self.next(stream, "state")
        fields = type(self).broker.fields
        self.broker.end(signal.SIGKILL)
        asking.join(DEADLINE)
        type(self).broker = broker(fields["ingress"], fields["egress"])
        while not self.next(stream, "broker")["connected"]:
            pass
        status, headers, answer = answers[0]
        self.assertEqual((status, answer, headers["Location"]), (202, {"id": "kept"}, "/v1/popups/kept"))

    def test_commands_by_id_tell_nothing_of_other_groups(self):
        self.ask("PUT", "/v1/popups/live", {"group": "vault", "text": "x"})
        self.ask("PUT", "/v1/popups/over", {"group": "vault", "text": "x"})
        self.ask("DELETE", "/v1/popups/over")

        def problem(method, popup, path="", body=None):
            status, _, problem = self.ask(method, f"/v1/popups/{popup}{path}", body, token="build")
            return status, problem["reason"], problem["detail"].replace(popup, "ID")

        for request in (
            ("DELETE", "?group=build/1"), ("PATCH", "?group=build/1", {"text": "y"}), ("GET", "?group=build/1"),
            ("PATCH", "", {"text": "y", "group": "build/1"}), ("PATCH", "", {"text": "y"}),
        ):
            unknown = problem(request[0], "nothing", *request[1:])
            self.assertEqual(unknown[0], 404)
            self.assertEqual(problem(request[0], "live", *request[1:]), unknown, request)
            self.assertEqual(problem(request[0], "over", *request[1:]), unknown, request)
        begin = time.monotonic()
        self.assertEqual(self.ask("GET", "/v1/popups/live?group=build/1&wait=25s", token="build")[0], 404)
        self.assertLess(time.monotonic() - begin, 20)

    def test_a_state_waits_for_a_change_no_longer_than_asked(self):
        headers = self.ask("GET", "/v1/state/quiet")[1]
        begin = time.monotonic()
        known = {"If-None-Match": headers["ETag"]}
        self.assertEqual(self.ask("GET", "/v1/state/quiet?wait=100ms", headers=known)[0], 304)
        self.assertLess(time.monotonic() - begin, 4)

    def test_all_empty_states_of_a_group_have_one_tag(self):
        before = self.ask("GET", "/v1/state/emptied")[1]["ETag"]
        self.ask("PUT", "/v1/popups/emptied", {"group": "emptied", "text": "x"})
        shown = self.ask("GET", "/v1/state/emptied")[1]["ETag"]
        answers = []
        waiting = threading.Thread(
            target=lambda: answers.append(
                self.ask("GET", "/v1/state/emptied?wait=20s", headers={"If-None-Match": shown})
            )
        )
        waiting.start()
        self.ask("DELETE", "/v1/popups/emptied")
        waiting.join(DEADLINE)
        self.assertEqual((answers[0][0], answers[0][1]["ETag"]), (200, before))

    def test_a_client_that_leaves_gives_its_stream_back(self):
        self.open_solo().close()
        # Within less than the 15 s after which a ping would find the loss.
        self.open_solo(seconds=10).close()

    def open_solo(self, seconds=DEADLINE):
        """Opens the only stream that a token may have, as soon as nobody has it."""
        end = time.monotonic() + seconds
        while True:
            client = socket.create_connection(("127.0.0.1", self.port), DEADLINE)
            client.sendall(
                b"GET /v1/stream?group=solo HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer solo\r\n\r\n"
            )
            answer = b""
            while not any(word in answer for word in (b"synced", b"busy")):
                part = client.recv(4096)
                self.assertTrue(part, answer)
                answer += part
                self.assertTrue(answer.startswith(b"HTTP/1.1 200"), answer)
            if b"synced" in answer:
                return client
            client.close()
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)

    def test_too_many_streams_of_a_token_are_busy(self):
        stream = self.stream("group=solo", token="solo")
        self.next(stream, "synced")
        words = [item["event"] for item in self.stream("group=solo", token="solo")]
        self.assertEqual(words, ["hello", "busy", "retry"])

    def test_too_many_streams_of_an_address_behind_a_proxy_are_busy(self):
        def open_from(address):
            return self.stream("group=crowd", headers={"X-Forwarded-For": f"198.51.100.1, {address}"})

        streams = [open_from("192.0.2.7"), open_from("192.0.2.7")]
        for stream in streams:
            self.next(stream, "synced")
        self.assertEqual([item["event"] for item in open_from("192.0.2.7")], ["hello", "busy", "retry"])
        self.next(open_from("192.0.2.8"), "synced")

    def test_an_address_that_sends_unknown_tokens_has_to_wait_and_nobody_else(self):
        def guess(address, token="a guess"):
            return self.ask("GET", "/v1/state/lobby", token=token, headers={"X-Forwarded-For": address})

        self.assertEqual([guess("192.0.2.9")[0] for _ in range(10)], [401] * 10)
        status, headers, problem = guess("192.0.2.9")
        self.assertEqual((status, problem["reason"]), (429, "OVERLOAD"))
        self.assertTrue(1 <= int(headers["Retry-After"]) <= 60, headers["Retry-After"])
        self.assertEqual(guess("192.0.2.9", token="all")[0], 200)
        self.assertEqual(guess("192.0.2.10")[0], 401)

    def test_chosen_groups_have_metrics(self):
        self.ask("PUT", "/v1/popups/in-group", {"group": "measured", "text": "x"})
        self.ask("PUT", "/v1/popups/in-group-2", {"group": "measured", "text": "x"})
        self.addCleanup(self.ask, "POST", "/v1/clear", {"selector": {"group": "measured"}})
        expected = {
            'popup_group_active{group="measured"} 1', 'popup_group_active{group="idle"} 0',
            'popup_group_waiting_popups{group="measured"} 1', 'popup_group_waiting_popups{group="idle"} 0',
        }
        deadline = time.monotonic() + DEADLINE
        while True:
            lines = self.ask("GET", "/metrics", port=self.admin)[2].decode().splitlines()
            groups = {line for line in lines if line.startswith("popup_group_")}
            if groups == expected or time.monotonic() > deadline:
                break
        self.assertEqual(groups, expected)

    def test_streams_are_measured(self):
        def series(name):
            lines = self.ask("GET", "/metrics", port=self.admin)[2].decode().splitlines()
            return next(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith(name + " "))

        before = series("popup_gateway_delivery_seconds_count")
        stream = self.stream("group=delivered&client=delivered-1")
        self.next(stream, "synced")
        self.ask("PUT", "/v1/popups/delivered", {"group": "delivered", "text": "x"})
        self.addCleanup(self.ask, "DELETE", "/v1/popups/delivered")
        self.next(stream, "state")
        self.assertGreater(series("popup_gateway_delivery_seconds_count"), before)
        self.assertGreaterEqual(series("popup_gateway_renderers"), 1)

    def test_what_a_stream_has_written_is_reported(self):
        # Its time counts only while a renderer has reported it as visible.
        self.ask("PUT", "/v1/policy", {"group": "desk", "clock": "VISIBLE"})
        popup = {"id": "desk", "group": "desk", "text": "x", "durationMs": 100}
        self.assertEqual(self.ask("POST", "/v1/popups?wait=500ms", popup)[0], 202)
        stream = self.stream("group=desk&client=desk-1")
        self.next(stream, "synced")
        self.assertEqual(self.ask("GET", "/v1/popups/desk?wait=20s")[2]["phase"], "CLOSED")

    def test_a_batch_clicks_by_the_same_rules(self):
        self.ask("PUT", "/v1/popups/batched", {"group": "lobby", "text": "x", "quorum": 2})
        self.addCleanup(self.ask, "DELETE", "/v1/popups/batched")
        click = {"dismiss": {"id": "batched", "group": "lobby", "action": "ok", "revision": str(2**63)}}
        self.assertEqual(self.ask("POST", "/v1/commands", click, token="lobby")[0], 422)

    def test_a_body_that_is_too_large_is_refused_as_any_other_request(self):
        status, headers, problem = self.ask("POST", "/v1/show/x", "x" * 200_000, headers={"Host": "evil.example"})
        self.assertEqual((status, problem["reason"]), (421, "MISDIRECTED"))

    def test_a_show_waits_for_the_answer(self):
        answers = []
        body = {"id": "question", "group": "doors", "text": "Open?", "actions": [{"id": "yes", "label": "Yes"}]}
        asking = threading.Thread(target=lambda: answers.append(self.ask("POST", "/v1/popups?wait=20s", body)))
        stream = self.stream("group=doors")
        asking.start()
        self.next(stream, "state")
        self.ask("DELETE", "/v1/popups/question?action=yes")
        asking.join(DEADLINE)
        status, _, answer = answers[0]
        self.assertEqual((status, answer["closed"]["reason"], answer["closed"]["action"]), (201, "DISMISSED", "yes"))
        status, _, answer = self.ask("POST", "/v1/show/doors?wait=100ms", "Nobody answers")
        self.assertEqual((status, list(answer)), (202, ["id"]))

    def test_tokens_do_what_they_may_and_ids_are_no_oracle(self):
        self.assertEqual(self.ask("GET", "/v1/state/lobby", token="wrong")[0], 401)
        self.assertEqual(self.ask("GET", "/v1/state/kitchen", token="lobby")[0], 403)
        self.assertEqual(self.ask("GET", "/v1/stream?group=*", token="lobby")[0], 403)
        self.assertEqual(self.ask("POST", "/v1/show/build", "x", token="build")[0], 403)
        self.assertEqual(self.ask("POST", "/v1/show/build/1?id=b1", "x", token="build")[0], 201)
        self.ask("PUT", "/v1/popups/secret", {"group": "vault", "text": "x"})
        unknown = self.ask("GET", "/v1/popups/nothing", token="build")
        hidden = self.ask("GET", "/v1/popups/secret", token="build")
        self.assertEqual((unknown[0], hidden[0]), (404, 404))
        self.assertEqual(unknown[2]["detail"].replace("nothing", "secret"), hidden[2]["detail"])
        # The group in the query does not open a popup of another group.
        self.assertEqual(self.ask("GET", "/v1/popups/secret?group=build/1", token="build")[0], 404)

    def test_mistakes_are_problems_with_a_word_and_a_sentence(self):
        cases = [
            (400, self.ask("POST", "/v1/popups", "{", headers={"Content-Type": "application/json"})),
            (400, self.ask("POST", "/v1/popups", {"grup": "x"})),
            (422, self.ask("POST", "/v1/popups", {"text": "x"})),
            (415, self.ask("POST", "/v1/popups", "<p>", headers={"Content-Type": "text/html"})),
            (413, self.ask("POST", "/v1/show/x", "x" * 200_000)),
            (413, self.ask("POST", "/v1/show/x", "x" * 100_000)),
            (405, self.ask("DELETE", "/v1/stream")),
            (421, self.ask("GET", "/v1/stats", headers={"Host": "evil.example"})),
        ]
        for status, (actual, headers, problem) in cases:
            self.assertEqual((actual, headers["Content-Type"]), (status, "application/problem+json"), problem)
            self.assertTrue(problem["reason"] and problem["detail"])

    def test_a_stream_tells_that_the_broker_is_lost_and_back(self):
        self.ask("PUT", "/v1/popups/lost", {"group": "away", "text": "x"})
        stream = self.stream("group=away")
        self.next(stream, "synced")
        fields = type(self).broker.fields
        self.broker.end(signal.SIGKILL)
        self.assertFalse(self.next(stream, "broker")["connected"])
        status, headers, problem = self.ask("POST", "/v1/show/away", "x")
        self.assertEqual((status, problem["sent"], headers["Retry-After"]), (503, False, "1"))
        self.assertEqual(self.ask("GET", "/livez", port=self.admin)[0], 200)
        self.assertEqual(self.ask("GET", "/readyz", port=self.admin)[0], 503)
        type(self).broker = broker(fields["ingress"], fields["egress"])
        self.assertTrue(self.next(stream, "broker")["connected"])
        self.next(stream, "synced")
        self.assertEqual(self.ask("POST", "/v1/show/away", "again")[0], 201)
        self.assertEqual(self.next(stream, "state")["active"]["text"], "again")

    def test_a_broker_that_hangs_counts_as_lost(self):
        stream = self.stream("group=silent")
        self.next(stream, "synced")
        self.broker.process.send_signal(signal.SIGSTOP)
        try:
            begin = time.monotonic()
            self.assertFalse(self.next(stream, "broker")["connected"])
            self.assertLess(time.monotonic() - begin, 6)
            status, _, answer = self.ask("GET", "/readyz", port=self.admin)
            self.assertEqual(status, 503)
            self.assertRegex(answer["checks"]["heartbeat"], r"^[0-9.]+ s old$")
        finally:
            self.broker.process.send_signal(signal.SIGCONT)
        self.assertTrue(self.next(stream, "broker")["connected"])
        body = self.ask("GET", "/metrics", port=self.admin)[2].decode()
        age = next(line for line in body.splitlines() if line.startswith("popup_gateway_heartbeat_age_seconds "))
        self.assertLess(float(age.split()[1]), 3)

    def test_who_sends_half_a_request_is_sent_away(self):
        head = b"POST /v1/show/x HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer all\r\nContent-Length: 100\r\n"
        for sent, limit, part in [(head, 5, "head"), (head + b"\r\nhalf", 10, "body")]:
            with socket.create_connection(("127.0.0.1", self.port), DEADLINE) as client:
                client.sendall(sent)
                begin = time.monotonic()
                answer = b"".join(iter(lambda: client.recv(65536), b""))
                self.assertAlmostEqual(time.monotonic() - begin, limit, delta=2)
            first, _, content = answer.partition(b"\r\n\r\n")
            self.assertIn(b"408", first.splitlines()[0])
            self.assertIn(part, json.loads(content)["detail"])
        self.assertEqual(self.ask("GET", "/v1/state/x")[0], 200)

    def test_a_request_with_a_head_that_is_too_large_is_refused(self):
        with socket.create_connection(("127.0.0.1", self.port), DEADLINE) as client:
            client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: " + b"x" * 20_000)
            self.assertIn(b" 400 ", client.recv(65536).splitlines()[0])


class SocketTests(unittest.TestCase):
    """A gateway at a socket in the file system, as behind a proxy on the same machine."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name
        self.broker = broker()
        self.addCleanup(self.broker.end)
        self.path = os.path.join(self.directory, "gateway.sock")

    def start(self, **env):
        program = gateway(
            self.broker, TOKENS, os.path.join(self.directory, "tokens.yaml"), listen=f"unix:{self.path}",
            env={f"POPUP_GATEWAY_{key}": value for key, value in env.items()},
        )
        self.addCleanup(lambda: program.process.poll() is None and program.end())
        return program

    def ask(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection("localhost", timeout=DEADLINE)
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.connect(self.path)
        try:
            connection.request(method, path, body, {"Authorization": "Bearer all", **(headers or {})})
            answer = connection.getresponse()
            content = answer.read()
            return answer.status, json.loads(content)
        finally:
            connection.close()

    def test_requests_come_over_the_socket_and_a_killed_gateway_is_replaced(self):
        program = self.start()
        self.assertEqual(program.fields["http"], f"unix:{self.path}")
        self.assertEqual(self.ask("PUT", "/v1/popups/over", json.dumps({"group": "tea", "text": "x"}),
                                  {"Content-Type": "application/json"}), (200, {"id": "over"}))
        self.assertEqual(os.stat(self.path).st_mode & 0o777, 0o666)
        program.end(signal.SIGKILL)
        program = self.start()
        self.assertEqual(self.ask("GET", "/v1/state/tea")[1]["active"]["id"], "over")
        self.assertEqual(program.end(), 0)

    def test_a_socket_at_which_another_gateway_listens_is_left_alone(self):
        self.start()
        second = subprocess.run(
            [os.environ["GATEWAY"], "run", "--listen", f"unix:{self.path}", "--admin", "127.0.0.1:0",
             "--tokens", os.path.join(self.directory, "tokens.yaml")],
            capture_output=True, text=True, timeout=DEADLINE,
            env={**os.environ, "POPUP_BROKER_INGRESS": self.broker.fields["ingress"],
                 "POPUP_BROKER_EGRESS": self.broker.fields["egress"]},
        )
        self.assertEqual(second.returncode, 69, second.stderr)
        self.assertIn(self.path, second.stderr)
        self.assertEqual(self.ask("GET", "/v1/state/tea")[0], 200)

    def test_the_address_of_a_client_comes_from_a_local_proxy_only_if_it_is_trusted(self):
        for proxies, refused in [("unix", True), ("192.0.2.1", False)]:
            program = self.start(PROXIES=proxies)
            strangers = [
                self.ask("GET", "/v1/state/tea", headers={
                    "Authorization": "Bearer nobody", "X-Forwarded-For": "198.51.100.7"})[0]
                for _ in range(11)
            ]
            self.assertEqual(strangers[:10], [401] * 10)
            self.assertEqual(strangers[10], 429 if refused else 401)
            program.end()

    def test_a_changed_configuration_is_read_on_sighup(self):
        path = os.path.join(self.directory, "gateway.yaml")

        def write(text):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)

        def origin():
            connection = http.client.HTTPConnection("127.0.0.1", program.port, timeout=DEADLINE)
            connection.request("GET", "/v1/state/tea", None,
                               {"Authorization": "Bearer all", "Origin": "https://pages.example"})
            answer = connection.getresponse()
            answer.read()
            connection.close()
            return answer.headers["Access-Control-Allow-Origin"]

        write("cors: {origins: []}")
        tokens = os.path.join(self.directory, "tokens.yaml")
        written = open(os.path.join(self.directory, "log"), "w", encoding="utf-8")
        self.addCleanup(written.close)
        log = open(written.name, encoding="utf-8")
        self.addCleanup(log.close)
        program = gateway(self.broker, TOKENS, tokens, arguments=["--config", path], log=written)
        self.addCleanup(program.end)
        self.assertIsNone(origin())
        # After a mistake, the settings stay: the next reading, which is right, shows that the wrong one is over.
        for text, expected in [
            ('cors: {origins: ["https://pages.example"]}', "https://pages.example"),
            ("cors: {origin: []}", "https://pages.example"),
            ("cors: {origins: []}", None),
        ]:
            write(text)
            program.process.send_signal(signal.SIGHUP)
            told = "stay as they were" if "origin:" in text else "are read again"
            end = time.monotonic() + DEADLINE
            while told not in log.readline() and time.monotonic() < end:
                time.sleep(0.01)
            self.assertEqual(origin(), expected, text)


if __name__ == "__main__":
    unittest.main()
