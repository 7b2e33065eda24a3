"""A real broker, a real gateway, and clients with nothing but Python's standard library."""

import contextlib
import hashlib
import html
import http.client
import json
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.parse

from programs import DEADLINE, EVERYTHING, Program, ask, broker, gateway, json_lines

TOKENS = {
    "all": EVERYTHING,
    "lobby": {"watch": ["lobby"], "render": ["lobby"]},
    "build": {"show": ["build/*"], "watch": ["build/*"], "update": ["build/*"], "dismiss": ["build/*"]},
    "solo": {"watch": ["solo"]},
    "own": {"show": ["producers"], "watch": ["producers"]},
    "half": {"show": ["half/*"], "control": ["half/*"]},
}


def shortest(measure, limit):
    """Returns the shortest of some times in seconds: the first one below the limit. A busy machine may delay the others."""
    times = []
    while not times or times[-1] >= limit and len(times) < 5:
        times.append(measure())
    return min(times)


def run_gateway(*arguments):
    """Runs the gateway's program to its end."""
    return subprocess.run([os.environ["GATEWAY"], *arguments], capture_output=True, text=True, timeout=DEADLINE)


class GatewayTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.broker = broker()
        cls.gateway = gateway(
            cls.broker, TOKENS, os.path.join(cls.directory.name, "tokens.yaml"), streams={"solo": 1},
            separate={"own"},
            env={
                # Longer than a busy machine keeps a reader from reading.
                "POPUP_GATEWAY_LIMITS_STALLMS": "5000", "POPUP_GATEWAY_PROXIES": "127.0.0.1",
                "POPUP_GATEWAY_LIMITS_REQUESTSPERADDRESS": "4",
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
        return json_lines(
            self, self.port, f"{path}?{query}", token, {"Accept": "application/x-ndjson", **(headers or {})})

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
        # What reaches other groups, or other producers' popups, needs control of all of them.
        show = {"group": "half/1", "text": "x", "exclusive": "GROUP"}
        self.addCleanup(self.ask, "POST", "/v1/clear", {"selector": {"group": "half/*"}})
        for command, status in (
            ({"show": show}, 200), ({"show": {**show, "exclusive": "ALL"}}, 403), ({"show": {**show, "quorumAll": True}}, 403),
            ({"clear": {"selector": {"group": "half/*"}}}, 200),
            ({"clear": {"selector": {"group": "half/*", "producer": "0" * 32}}}, 403),
        ):
            self.assertEqual(self.ask("POST", "/v1/commands", command, token="half")[0], status, command)
            if status == 403:
                self.assertEqual(self.ask("POST", "/v1/commands", command)[0], 200, command)
        self.assertEqual(self.ask("POST", "/v1/commands", {"commands": []})[0], 422)
        self.assertEqual(self.ask("POST", "/v1/commands", {"shov": {}})[0], 400)

    def test_a_batch_with_a_key_shows_each_of_its_popups_once(self):
        self.addCleanup(self.ask, "POST", "/v1/clear", {"selector": {"group": "keyed"}})
        batch = {"commands": [
            {"show": {"group": "keyed", "text": "x"}}, {"show": {"id": "middle", "group": "keyed", "text": "y"}},
            {"show": {"group": "keyed", "text": "z"}},
        ]}
        for _ in range(2):
            status, _, answer = self.ask("POST", "/v1/commands", batch, headers={"Idempotency-Key": "lunch"})
            self.assertEqual((status, [result.get("id") for result in answer["results"]]), (
                200, ["http-all~1:lunch", "middle", "http-all~3:lunch"]))
            self.assertEqual(self.ask("GET", "/v1/popups?group=keyed&count=1")[2], {"popups": 3})
        # One that is alone has no place, and whatever its key is, no id of a batch.
        lone = {"show": {"group": "keyed", "text": "x"}}
        for count, key in enumerate(("lunch", "lunch.1", "~1:lunch", "1:lunch"), start=4):
            answer = self.ask("POST", "/v1/commands", lone, headers={"Idempotency-Key": key})[2]
            self.assertEqual(answer["results"], [{"accepted": True, "id": f"http-all:{key}"}])
            self.assertEqual(self.ask("GET", "/v1/popups?group=keyed&count=1")[2], {"popups": count})

    def test_who_comes_back_gets_hundreds_of_events_without_a_gap(self):
        live = self.stream("group=missed/*", path="/v1/events")
        self.next(live, "hello")
        self.addCleanup(self.ask, "POST", "/v1/clear", {"selector": {"group": "missed/*"}})
        self.ask("PUT", "/v1/popups/missed-first", {"group": "missed/first", "text": "x"})
        last = self.next(live, "event")["id"]
        names = [f"missed-{number}" for number in range(400)]
        for begin in range(0, 400, 100):
            shows = [{"show": {"id": name, "group": f"missed/{name}", "text": "x"}} for name in names[begin:begin + 100]]
            self.assertEqual(self.ask("POST", "/v1/commands", {"commands": shows})[0], 200)
            expected = shows[-1]["show"]["id"]
            while (event := self.next(live, "event"))["data"]["popup"] != expected or "shown" not in event["data"]:
                pass
        again = self.stream(f"group=missed/*&last={last}", path="/v1/events")
        shown = []
        while len(shown) < len(names):
            item = next(again)
            self.assertIn(item["event"], ("retry", "hello", "event"), shown)
            if item["event"] == "event" and "shown" in item["data"] and item["data"]["popup"] in names:
                shown.append(item["data"]["popup"])
        self.assertEqual(shown, names)

    def stalled_reader(self, group):
        """A connection with a stream of a group from which nobody reads."""
        reader = socket.socket()
        self.addCleanup(reader.close)
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        reader.connect(("127.0.0.1", self.port))
        reader.sendall(
            f"GET /v1/stream?group={group} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer all\r\n\r\n".encode())
        self.assertTrue(reader.recv(1))

    def closed_as_slow(self):
        """How many streams were closed since their readers took nothing."""
        metrics = self.ask("GET", "/metrics", port=self.admin)[2].decode()
        return int(re.search(r'popup_gateway_streams_closed_total{kind="state",cause="slow"} (\d+)', metrics)[1])

    def wait_until_closed_as_slow(self, count):
        end = time.monotonic() + DEADLINE
        while self.closed_as_slow() < count:
            self.assertLess(time.monotonic(), end)
            time.sleep(0.5)

    def test_a_reader_that_takes_nothing_is_cut_off_and_the_others_go_on(self):
        before = self.closed_as_slow()
        self.stalled_reader("stall")
        other = self.stream("group=stall")
        self.next(other, "synced")
        self.ask("PUT", "/v1/popups/stall", {"group": "stall", "text": "0"})
        # Half a megabyte: the kernel would take more, and the stall would not show.
        for number in range(1, 9):
            self.ask("PATCH", "/v1/popups/stall", {"text": str(number) + " " * 60_000})
            while self.next(other, "state")["active"]["text"].split()[0] != str(number):
                pass
        self.wait_until_closed_as_slow(before + 1)

    def test_a_reader_that_takes_nothing_is_closed_as_slow_though_the_kernel_has_room_for_all_that_it_gets(self):
        before = self.closed_as_slow()
        self.stalled_reader("quiet-stall")
        other = self.stream("group=quiet-stall")
        self.next(other, "synced")
        self.ask("PUT", "/v1/popups/quiet-stall", {"group": "quiet-stall", "text": "0" * 20_000})
        self.next(other, "state")
        self.wait_until_closed_as_slow(before + 1)

    def test_a_mistake_in_the_configuration_is_named_with_its_file(self):
        for yaml, word in (("http: {listn: x}", "`http.listn`"), ("limits: {streams: many}", "`limits.streams`")):
            path = os.path.join(self.directory.name, "wrong.yaml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(yaml)
            for command in (["check-config", path], ["run", "--config", path]):
                done = run_gateway(*command)
                self.assertEqual(done.returncode, 78, done.stderr)
                self.assertTrue(done.stderr.startswith(f"popup-gateway: {path}: {word}"), done.stderr)

    def test_a_mistake_in_the_file_of_tokens_is_named_with_its_file(self):
        tokens, path = (os.path.join(self.directory.name, name) for name in ("wrong-tokens.yaml", "right.yaml"))
        with open(tokens, "w", encoding="utf-8") as file:
            file.write("tokens: [{nam: all}]\n")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"tokens": tokens, "http": {"listen": "127.0.0.1:0"}, "admin": {"listen": "127.0.0.1:0"}}, file)
        for command in (["check-config", path], ["run", "--config", path]):
            done = run_gateway(*command)
            # A service manager does not start it again.
            self.assertEqual(done.returncode, 78, done.stderr)
            self.assertTrue(done.stderr.startswith(f"popup-gateway: {tokens}: `tokens[0].nam`"), done.stderr)

    def test_the_page_in_one_file_has_the_settings_of_the_command(self):
        path = os.path.join(self.directory.name, "overlay.html")
        done = run_gateway(
            "overlay", "--group", "lobby", "--mode", "render", "--client", "desk", "--offer", "never", "--extend",
            "--image-hosts", "Icons.example", "images.example:8443", "--output", path)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        with open(path, encoding="utf-8") as file:
            [settings] = re.findall(r'"(\{&quot;[^"]*)"', file.read())
        self.assertEqual(json.loads(html.unescape(settings)), {
            "group": "lobby", "src": "http://127.0.0.1:8570", "mode": "render", "client": "desk", "offer": "never",
            "extend": "1", "image-hosts": "icons.example images.example:8443"})
        done = run_gateway("overlay", "--group", "lobby", "--image-hosts", "https://icons.example", "--output", path)
        self.assertEqual(done.returncode, 64)
        self.assertIn("`--image-hosts` has `https://icons.example`", done.stderr)

    def test_a_mistake_in_the_settings_of_the_page_in_one_file_is_named(self):
        path = os.path.join(self.directory.name, "wrong.html")
        empty = os.path.join(self.directory.name, "empty")
        open(empty, "w").close()
        for arguments in (
            ("--mode", "rendr"), ("--corner", "middle"), ("--offer", "maybe"), ("--group", "a//b"), ("--src", "kiosk"),
            ("--src", "http://"), ("--src", "http://kiosk?x"), ("--client", "my kiosk"), ("--theme", "../dark"),
            ("--token-file", empty),
        ):
            result = run_gateway("overlay", "--group", "lobby", "--output", path, *arguments)
            self.assertEqual(result.returncode, 64, arguments)
            self.assertIn(arguments[1], result.stderr)
            self.assertFalse(os.path.exists(path), arguments)

    @unittest.skipUnless(os.path.exists("/dev/full"), "there is no /dev/full")
    def test_a_gateway_that_cannot_say_that_it_is_ready_ends(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            result = subprocess.run(
                [os.environ["GATEWAY"], "run", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"], stdout=full,
                stderr=subprocess.PIPE, text=True, timeout=DEADLINE)
        self.assertEqual(result.returncode, 74, result.stderr)
        self.assertIn("standard output cannot be written", result.stderr)

    def test_a_misspelt_variable_of_the_environment_is_named(self):
        path = os.path.join(self.directory.name, "misspelt.log")
        with open(path, "w", encoding="utf-8") as log:
            other = gateway(
                self.broker, TOKENS, os.path.join(self.directory.name, "misspelt.yaml"), log=log,
                env={"POPUP_GATEWAY_LIMTS_STREAMS": "5"})
            other.end()
        with open(path, encoding="utf-8") as log:
            self.assertIn(
                "POPUP_GATEWAY_LIMTS_STREAMS is not known; did you mean `POPUP_GATEWAY_LIMITS_STREAMS`?", log.read())

    def test_a_misspelt_option_is_named_with_the_one_that_may_be_meant_and_not_what_is_missing_without_it(self):
        for arguments, usage, message in (
                (["overlay", "--gruop", "lobby", "--output", "page.html"], "overlay", "'--gruop'. Did you mean '--group'?"),
                (["check-config", "--confg=x"], "check-config", "'--confg'"),
                (["token", "--may", "watch", "--naem", "desk"], "token new", "'--naem'. Did you mean '--name'?"),
                # The default command.
                (["--config", "token", "--lisetn", "127.0.0.1:0"], "run", "'--lisetn'. Did you mean '--listen'?")):
            with self.subTest(arguments=arguments):
                done = run_gateway(*arguments)
                self.assertEqual((done.returncode, done.stdout), (64, ""), done.stderr)
                first, second = done.stderr.splitlines()[:2]
                self.assertEqual(first, f"Error: Unknown option {message}")
                self.assertTrue(second.startswith(f"Usage: popup-gateway {usage}"), done.stderr)

    def test_a_missing_option_is_named_if_every_other_one_is_known(self):
        done = run_gateway("overlay", "--group", "lobby")
        self.assertEqual(done.returncode, 64)
        self.assertEqual(done.stderr.splitlines()[0], "Error: Missing expected argument '--output <file>'")

    def test_a_mistake_in_the_values_of_an_option_is_one_line_without_the_usage_of_another_command(self):
        missing = os.path.join(self.directory.name, "missing")
        for arguments, message in (
                (["token", "new", "--may", "sing"], "`tokens[0].may.sing` is not a right;"),
                (["token", "new", "--tokens", f"{missing}/tokens.yaml"], f"the file `{missing}/tokens.yaml` cannot be written"),
                (["run", "--config", missing], f"the file `{missing}` cannot be read: it does not exist; check the path"),
                (["run", "--config", "/"], "the file `/` cannot be read: it is a directory; name a file"),
                (["overlay", "--group", "a", "--token-file", missing, "--output", os.devnull],
                 f"the file `{missing}` cannot be read: it does not exist")):
            with self.subTest(arguments=arguments):
                done = run_gateway(*arguments)
                self.assertEqual((done.returncode, done.stdout), (64, ""), done.stderr)
                [line] = done.stderr.splitlines()
                self.assertTrue(line.startswith(f"popup-gateway: {message}"), line)

    def test_a_port_that_is_in_use_is_the_only_problem_that_is_told(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            for option in ("--listen", "--admin"):
                addresses = {"--listen": "127.0.0.1:0", "--admin": "127.0.0.1:0", option: f"127.0.0.1:{port}"}
                done = run_gateway(
                    "run", *(word for pair in addresses.items() for word in pair), "--tokens",
                    os.path.join(self.directory.name, "tokens.yaml"))
                self.assertEqual((done.returncode, done.stdout), (69, ""), done.stderr)
                self.assertIn(f"127.0.0.1:{port}", done.stderr.splitlines()[-1])
                self.assertNotIn("the listener ended", done.stderr)
                self.assertNotIn("CancellationError", done.stderr)

    def test_without_a_file_of_tokens_the_log_says_that_every_request_is_refused(self):
        path = os.path.join(self.directory.name, "none.yaml")
        log = os.path.join(self.directory.name, "log")
        with open(log, "w+", encoding="utf-8") as file:
            program = Program(
                "popup-gateway ready", os.environ["GATEWAY"], "run", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0",
                "--tokens", path, env={"POPUP_GATEWAY_DRAINMS": "0"}, log=file)
            self.assertEqual(program.end(), 0)
            file.seek(0)
            self.assertIn(f"there is no file of tokens `{path}`: every request is refused", file.read())

    @unittest.skipUnless(os.path.exists("/dev/full"), "there is no /dev/full")
    def test_a_token_that_cannot_be_printed_is_a_failure(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run(
                [os.environ["GATEWAY"], "token", "new"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=DEADLINE)
        self.assertEqual(done.returncode, 74, done.stderr)
        self.assertIn("No space left on device", done.stderr)

    def test_a_token_without_a_standard_output_is_a_failure(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                ["sh", "-c", 'exec "$0" token new --tokens "$1" >&-', os.environ["GATEWAY"], os.path.join(folder, "tokens")],
                stderr=subprocess.PIPE, text=True, timeout=DEADLINE)
        self.assertEqual(done.returncode, 74, done.stderr)
        self.assertIn("standard output is closed", done.stderr)

    def test_a_misspelt_command_is_named_with_the_one_that_may_be_meant(self):
        for arguments, message in (
                (["rnu"], "there is no command `rnu`; did you mean `run`?"),
                (["frobnicate"], "there is no command `frobnicate`; see `popup-gateway --help`"),
                (["token", "nwe"], "there is no command `token nwe`; did you mean `new`?")):
            with self.subTest(arguments=arguments):
                done = run_gateway(*arguments)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (64, "", f"popup-gateway: {message}\n"))

    def test_the_values_of_a_default_command_are_no_misspelt_commands(self):
        done = run_gateway("token", "--may", "watch", "show", "--group", "lobby")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("watch", done.stdout)

    def test_an_endpoint_that_is_none_is_a_mistake_in_the_configuration(self):
        path = os.path.join(self.directory.name, "endpoint.yaml")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"broker": {"egress": "tcp://127.0.0.1"}, "http": {"listen": "127.0.0.1:0"},
                       "admin": {"listen": "127.0.0.1:0"}}, file)
        for command in (["check-config", path], ["run", "--config", path]):
            done = run_gateway(*command)
            # A service manager does not start it again.
            self.assertEqual(done.returncode, 78, done.stderr)
            self.assertTrue(done.stderr.startswith("popup-gateway: `broker.egress` has `tcp://127.0.0.1`"), done.stderr)

    def test_two_listeners_need_two_addresses(self):
        address = f"unix:{self.directory.name}/both.sock"
        done = run_gateway("run", "--listen", address, "--admin", address)
        self.assertEqual((done.returncode, done.stdout), (78, ""), done.stderr)
        self.assertIn(address, done.stderr)

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

    def test_groups_and_suspensions_are_told(self):
        for group in ("told/a", "told/b"):
            for number in range(2):
                self.ask("POST", "/v1/popups", {"group": group, "text": "x", "id": f"{group}/{number}"})
        found = self.ask("GET", "/v1/groups?group=told/*")[2]["groups"]
        self.assertEqual([(item["group"], item["active"], item["waiting"]) for item in found], [
            ("told/a", "told/a/0", 1), ("told/b", "told/b/0", 1)])
        later = self.ask("GET", "/v1/groups?group=told/*&after=told/a")[2]["groups"]
        self.assertEqual([item["group"] for item in later], ["told/b"])
        held = {"group": "told/*", "token": "night", "minPriority": 5}
        self.assertEqual(self.ask("POST", "/v1/suspend", held)[0], 200)
        self.addCleanup(self.ask, "POST", "/v1/clear", {"selector": {"group": "told/*"}})
        self.addCleanup(self.ask, "POST", "/v1/resume", {"token": "night"})
        [suspension] = self.ask("GET", "/v1/suspensions?group=told/b")[2]["suspensions"]
        self.assertEqual(
            [suspension[name] for name in ("token", "group", "minPriority")], ["all:night", "told/*", 5])
        self.assertNotIn("suspensions", self.ask("GET", "/v1/suspensions?group=other")[2])
        for path in ("groups", "suspensions"):
            self.assertEqual(self.ask("GET", f"/v1/{path}?group=told/*", token="lobby")[0], 403)
            self.assertEqual(self.ask("GET", f"/v1/{path}?group=a b".replace(" ", "%20"))[0], 422)

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

    def test_a_token_can_ask_what_it_may(self):
        status, headers, answer = self.ask("GET", "/v1/session-cookie", token="build")
        self.assertEqual((status, headers["Cache-Control"]), (200, "no-store"))
        self.assertEqual(answer, {"name": "build", "rights": TOKENS["build"]})
        cookie = {"Cookie": self.ask("POST", "/v1/session-cookie")[1]["Set-Cookie"].partition(";")[0]}
        answer = self.ask("GET", "/v1/session-cookie", token=None, headers=cookie)[2]
        self.assertEqual(answer, {"name": "all", "rights": EVERYTHING})
        self.assertEqual(self.ask("GET", "/v1/session-cookie", token="wrong")[0], 401)

    def test_a_popup_is_updated_and_cancelled_under_an_id_with_a_slash(self):
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
        accepted = self.accepted_shows()
        asking = threading.Thread(target=lambda: answers.append(self.ask("POST", "/v1/popups?wait=2s", body)))
        asking.start()
        self.next(stream, "state")
        # The state may be here before the acknowledgement.
        end = time.monotonic() + DEADLINE
        while self.accepted_shows() == accepted:
            self.assertLess(time.monotonic(), end)
        fields = type(self).broker.fields
        self.broker.end(signal.SIGKILL)
        asking.join(DEADLINE)
        type(self).broker = broker(fields["ingress"], fields["egress"])
        while not self.next(stream, "broker")["connected"]:
            pass
        status, headers, answer = answers[0]
        self.assertEqual((status, answer, headers["Location"]), (202, {"id": "kept"}, "/v1/popups/kept"))

    def accepted_shows(self):
        """How many popups the gateway knows to be accepted."""
        metrics = self.ask("GET", "/metrics", port=self.admin)[2].decode()
        return int(re.search(r'popup_gateway_commands_total{command="show",outcome="accepted"} (\d+)', metrics)[1])

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
        known = {"If-None-Match": headers["ETag"]}

        def ask():
            begin = time.monotonic()
            self.assertEqual(self.ask("GET", "/v1/state/quiet?wait=100ms", headers=known)[0], 304)
            return time.monotonic() - begin

        self.assertLess(shortest(ask, 4), 4)

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

    def test_streams_that_are_opened_too_often_are_busy_and_never_refused(self):
        program = gateway(
            self.broker, TOKENS, os.path.join(self.directory.name, "often.yaml"), streams={"solo": 5},
            env={"POPUP_GATEWAY_LIMITS_REQUESTS": "1"})
        self.addCleanup(program.end)
        words = []
        for _ in range(8):
            connection = http.client.HTTPConnection("127.0.0.1", program.port, timeout=DEADLINE)
            connection.request("GET", "/v1/stream?group=solo", headers={"Authorization": "Bearer solo"})
            answer = connection.getresponse()
            self.assertEqual(answer.status, 200)
            words.append([json.loads(answer.readline())["event"] for _ in range(2)])
            answer.close()
            connection.close()
        # A budget of 5 s has five of them; the others may have come later.
        self.assertEqual(words[:5], [["retry", "hello"]] * 5)
        self.assertIn(["hello", "busy"], words[5:])
        # Requests have a budget of their own.
        self.assertEqual(ask(program.port, "GET", "/v1/state/solo", token="solo")[0], 200)

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

        answers = [guess("192.0.2.9") for _ in range(10)]
        self.assertEqual([answer[0] for answer in answers], [401] * 10)
        # One more is allowed every few seconds: a busy machine may take them for ten.
        while len(answers) < 20 and answers[-1][0] == 401:
            answers.append(guess("192.0.2.9"))
        status, headers, problem = answers[-1]
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

    def test_a_client_of_http_1_0_gets_no_chunks_and_the_end_of_the_connection(self):
        def ask(path, fields=""):
            client = socket.create_connection(("127.0.0.1", self.port), DEADLINE)
            self.addCleanup(client.close)
            client.sendall(
                f"GET {path} HTTP/1.0\r\nHost: localhost\r\nAuthorization: Bearer all\r\n{fields}\r\n".encode())
            return client.makefile("rb")

        for fields in ("", "Connection: keep-alive\r\n"):
            head, body = ask("/v1/state/old", fields).read().split(b"\r\n\r\n")
            self.assertTrue(head.startswith(b"HTTP/1.0 200") and b"connection: close" in head.lower(), head)
            self.assertEqual(json.loads(body), {"group": "old"})
        stream = ask("/v1/stream?group=old")
        head = b"".join(iter(stream.readline, b"\r\n"))
        self.assertNotIn(b"chunked", head.lower())
        self.assertEqual([json.loads(stream.readline())["event"] for _ in range(3)], ["retry", "hello", "synced"])

    def test_a_body_in_chunks_of_unknown_size_is_read(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE)
        self.addCleanup(connection.close)
        for size, expected in ((3, 201), (200_000, 413), (3, 201)):
            connection.request(
                "POST", "/v1/show/chunks", body=iter([b"x" * size]), encode_chunked=True,
                headers={"Authorization": "Bearer all", "Host": "localhost", "Transfer-Encoding": "chunked"})
            response = connection.getresponse()
            response.read()
            self.assertEqual(response.status, expected)

    def test_bodies_that_are_held_at_once_have_a_limited_size_and_those_who_send_little_are_served(self):
        # Each batch may have a megabyte, and none arrives whole. A token may have 16 of them at once.
        slow = []
        for _ in range(20):
            client = socket.create_connection(("127.0.0.1", self.port), DEADLINE)
            self.addCleanup(client.close)
            client.sendall(
                b"POST /v1/commands HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer all\r\n"
                b"Content-Length: 1000000\r\n\r\n{")
            slow.append(client)
        answers, _, _ = select.select(slow, [], [], DEADLINE)
        self.assertTrue(answers)
        answer = answers[0].recv(4096)
        self.assertTrue(answer.startswith(b"HTTP/1.1 429 ") and b"bodies" in answer, answer)
        # Neither another token nor a body that has room.
        self.assertEqual(self.ask("POST", "/v1/show/build/bodies", "x", token="build")[0], 201)
        self.assertEqual(self.ask("POST", "/v1/show/bodies", "x")[0], 201)
        for client in slow:
            client.close()
        end = time.monotonic() + DEADLINE
        while self.ask("POST", "/v1/commands", {"commands": []})[0] == 429:
            self.assertLess(time.monotonic(), end)

    def test_a_batch_may_be_larger_than_other_bodies_with_a_query_too(self):
        self.addCleanup(self.ask, "POST", "/v1/clear", {"selector": {"group": "large/*"}})
        for query in ("", "?tab=desk"):
            shows = [{"show": {"group": f"large/{number}{len(query)}", "text": "x" * 4000}} for number in range(100)]
            status, _, answer = self.ask("POST", f"/v1/commands{query}", {"commands": shows})
            self.assertEqual((status, [result.get("accepted") for result in answer["results"]]), (200, [True] * 100), query)
            status, _, problem = self.ask("POST", f"/v1/commands{query}", "x" * (1024 * 1024 + 1))
            self.assertEqual((status, problem["reason"]), (413, "TOO_LARGE"), query)
            status, _, problem = self.ask("POST", f"/v1/popups{query}", "x" * (192 * 1024 + 1))
            self.assertEqual((status, problem["reason"]), (413, "TOO_LARGE"), query)

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
            (415, self.ask("POST", "/v1/show/x", {"text": "x"})),
            (422, self.ask("POST", "/v1/show/x", "")),
            (413, self.ask("POST", "/v1/show/x", "x" * 200_000)),
            (413, self.ask("POST", "/v1/show/x", "x" * 100_000)),
            (405, self.ask("DELETE", "/v1/stream")),
            (422, self.ask("GET", "/v1/state/a//b")),
            (422, self.ask("PUT", "/v1/policy", {"group": "a//b"})),
            (400, self.ask("GET", "/v1/stream?group=a//b")),
            (421, self.ask("GET", "/v1/stats", headers={"Host": "evil.example"})),
        ]
        for status, (actual, headers, problem) in cases:
            self.assertEqual((actual, headers["Content-Type"]), (status, "application/problem+json"), problem)
            self.assertTrue(problem["reason"] and problem["detail"])

    def test_a_parameter_that_is_unknown_or_twice_there_is_a_mistake_except_for_streams(self):
        cases = [
            ("POST", "/v1/popups?wiat=30s", "wiat"), ("GET", "/v1/popups?active=yes", "active"),
            ("GET", "/v1/popups?count=yes", "count"), ("GET", "/v1/popups?group=a&group=b", "group"),
            ("DELETE", "/v1/popups/x?acton=x", "acton"),
            ("DELETE", "/v1/popups/x?action=a&action=b", "action"), ("POST", "/v1/show/x?titel=x", "titel"),
            ("POST", "/v1/show/x?duration=5s&duration=9s", "duration"), ("GET", "/v1/stats?since=1h", "since"),
        ]
        for method, path, name in cases:
            body = {"group": "x", "text": "x"} if "/popups" in path else "x"
            status, _, problem = self.ask(method, path, body)
            self.assertEqual((status, problem["reason"]), (422, "INVALID"), path)
            self.assertIn(f"`{name}`", problem["detail"])
        self.next(self.stream("group=query&lastEventId=7"), "synced")

    def test_nobody_can_use_up_the_ids_that_the_gateway_makes_for_others(self):
        for name in ("http-build:k", "http-build~1:k", "hook-build:k"):
            status, _, problem = self.ask("PUT", f"/v1/popups/{name}", {"group": "x", "text": "x"})
            self.assertEqual((status, problem["reason"]), (403, "PERMISSION_DENIED"), name)
        status, _, answer = self.ask(
            "POST", "/v1/popups", {"group": "build/ids", "text": "x"}, token="build", headers={"Idempotency-Key": "k"})
        self.assertEqual((status, answer["id"]), (201, "http-build:k"))
        # Its own ones can be named, such as for a repetition; and others may withdraw what they may withdraw.
        status, _, _ = self.ask("PUT", "/v1/popups/http-build:k", {"group": "build/ids", "text": "x"}, token="build")
        self.assertEqual(status, 200)
        self.assertEqual(self.ask("DELETE", "/v1/popups/http-build:k")[0], 200)
        self.assertEqual(self.ask("PUT", "/v1/popups/http-and-more", {"group": "ids", "text": "x"})[0], 200)
        self.ask("DELETE", "/v1/popups/http-and-more")

    def test_a_policy_with_a_quorum_of_all_renderers_needs_control_of_all(self):
        policy = {"group": "half/*", "preset": "FIFO"}
        self.assertEqual(self.ask("PUT", "/v1/policy", policy, token="half")[0], 200)
        self.addCleanup(self.ask, "POST", "/v1/commands", {"unsetPolicy": {"group": "half/*"}})
        self.assertEqual(self.ask("PUT", "/v1/policy", {**policy, "quorumAll": True}, token="half")[0], 403)

    def speak(self, text, port=None):
        """Sends bytes over a connection of its own, and returns all that comes until the gateway ends it."""
        with socket.create_connection(("127.0.0.1", port or self.port), DEADLINE) as client:
            client.sendall(text.replace("\n", "\r\n").encode())
            with client.makefile("rb") as answer:
                return answer.read().decode()

    def test_a_connection_ends_after_the_response_to_whom_asks_for_it_or_offers_another_protocol(self):
        begin = "GET /v1/state/ends HTTP/1.1\nHost: localhost\nAuthorization: Bearer all\n"
        for fields in (
            "Connection: Close\n", "Connection: keep-alive, close\n", "Connection: te\nConnection: CLOSE\n",
            "Connection: Upgrade, HTTP2-Settings\nUpgrade: h2c\nHTTP2-Settings: AAMAAABkAAQAoAAA\n",
            "Connection: Upgrade\nUpgrade: websocket\n",
        ):
            # The one before does not end it, and has no word of it.
            first, second = self.speak(f"{begin}\n{begin}{fields}\n").split("HTTP/1.1 ")[1:]
            self.assertTrue(first.startswith("200"), first)
            self.assertNotIn("connection: close", first.lower())
            self.assertTrue(second.startswith("200"), second)
            self.assertIn("connection: close\r\n", second.lower())

        self.assertIn("connection: close\r\n", self.speak("CONNECT localhost:80 HTTP/1.1\nHost: localhost\n\n").lower())

    def test_a_request_is_for_one_host(self):
        end = "Authorization: Bearer all\nConnection: close\n\n"
        for head, status in (
            ("GET /v1/state/h HTTP/1.1\nHost: localhost\nHost: evil.example\n", 421),
            ("GET http://evil.example/v1/state/h HTTP/1.1\nHost: localhost\n", 421),
            ("GET http://localhost/v1/state/h?wait=0s HTTP/1.1\nHost: evil.example\n", 200),
        ):
            self.assertEqual(self.speak(head + end).split()[1], str(status), head)

    def test_a_transfer_coding_other_than_chunks_is_refused(self):
        begin = "POST /v1/show/coded HTTP/1.1\nHost: localhost\nAuthorization: Bearer all\nConnection: close\n"
        for fields, status in (
            ("Transfer-Encoding: gzip, chunked\n", 501), ("Transfer-Encoding: gzip\nTransfer-Encoding: chunked\n", 501),
            ("Transfer-Encoding: Chunked\n", 201),
        ):
            self.assertEqual(self.speak(f"{begin}{fields}\n1\nx\n0\n\n").split()[1], str(status), fields)

    def test_a_question_for_the_head_alone_has_the_length_of_the_whole(self):
        for port, path in ((self.port, "/popup.js"), (self.port, "/"), (self.admin, "/livez"), (self.port, "/nowhere")):
            lengths = []
            for method in ("GET", "HEAD"):
                answer = self.speak(f"{method} {path} HTTP/1.1\nHost: localhost\nConnection: close\n\n", port)
                head, body = answer.split("\r\n\r\n", 1)
                lengths.append(re.search(r"(?im)^content-length: (\d+)", head)[1])
                self.assertEqual(bool(body), method == "GET", path)
            self.assertEqual(*lengths, path)

    def test_health_and_metrics_are_only_read(self):
        for path in ("/livez", "/readyz", "/metrics"):
            status, headers, _ = self.ask("POST", path, port=self.admin)
            self.assertEqual((status, headers["Allow"]), (405, "GET, HEAD"))

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

    def test_a_restart_that_is_too_short_to_be_a_loss_is_told_with_its_states_and_the_gap_of_its_events(self):
        self.ask("PUT", "/v1/popups/short", {"group": "short", "text": "x"})
        stream = self.stream("group=short")
        epoch = int(self.next(stream, "synced")["epoch"])
        events = self.stream("group=short", path="/v1/events")
        self.next(events, "hello")
        # The first heartbeat after the loss of another test belongs to that.
        for _ in range(2):
            age = self.heartbeat_age()
            end = time.monotonic() + DEADLINE
            while self.heartbeat_age() >= age:
                age = self.heartbeat_age()
                self.assertLess(time.monotonic(), end)
        # On a busy machine, a restart may take long enough to be seen as a loss.
        for _ in range(10):
            fields = type(self).broker.fields
            self.broker.end(signal.SIGKILL)
            type(self).broker = broker(fields["ingress"], fields["egress"])
            items = []
            for item in stream:
                items.append(item)
                if item["event"] == "synced" and int(item["epoch"]) > epoch:
                    break
            self.assertIn({"event": "broker", "connected": True}, items)
            # A broker without a data directory has forgotten the popup.
            states = [item for item in items if item["event"] == "state"]
            self.assertFalse(states and "active" in states[-1])
            while not self.next(events, "broker")["connected"]:
                pass
            self.assertEqual(self.next(events, "gap"), {"event": "gap"})
            if {"event": "broker", "connected": False} not in items:
                return
            epoch = int(items[-1]["epoch"])
        self.fail("each restart took long enough to be seen as a loss")

    def test_a_broker_that_hangs_counts_as_lost(self):
        stream = self.stream("group=silent")
        self.next(stream, "synced")
        events = self.stream("group=silent", path="/v1/events")
        self.next(events, "hello")
        self.broker.process.send_signal(signal.SIGSTOP)
        try:
            begin = time.monotonic()
            self.assertFalse(self.next(stream, "broker")["connected"])
            self.assertFalse(self.next(events, "broker")["connected"])
            # 3 s, and what a busy machine adds to them.
            self.assertLess(time.monotonic() - begin, 20)

            def begin_stream(path):
                begin = time.monotonic()
                self.assertFalse(self.next(self.stream("group=silent", path=path), "hello")["connected"], path)
                return time.monotonic() - begin

            # A stream that begins now says so at once, of states and of events, without waiting 3 s for states.
            for path in ("/v1/stream", "/v1/events"):
                self.assertLess(shortest(lambda path=path: begin_stream(path), 2.5), 2.5, path)
            status, _, answer = self.ask("GET", "/readyz", port=self.admin)
            self.assertEqual(status, 503)
            # The states that the gateway has may be old.
            status, _, problem = self.ask("GET", "/v1/state/silent")
            self.assertEqual((status, problem["reason"]), (503, "UNAVAILABLE"))
            self.assertRegex(answer["checks"]["heartbeat"], r"^[0-9.]+ s old$")
        finally:
            self.broker.process.send_signal(signal.SIGCONT)
        # What is not ready has a reason: an old heartbeat, never a new one.
        end = time.monotonic() + DEADLINE
        while (answer := self.ask("GET", "/readyz", port=self.admin))[0] != 200:
            self.assertGreaterEqual(float(answer[2]["checks"]["heartbeat"].split()[0]), 3)
            self.assertLess(time.monotonic(), end)
        self.assertTrue(self.next(stream, "broker")["connected"])
        self.assertTrue(self.next(events, "broker")["connected"])
        self.assertEqual(self.next(events, "gap"), {"event": "gap"})
        end = time.monotonic() + DEADLINE
        while self.heartbeat_age() >= 3:
            self.assertLess(time.monotonic(), end)

    def heartbeat_age(self):
        """Returns the time since the broker's last heartbeat, in seconds."""
        metrics = self.ask("GET", "/metrics", port=self.admin)[2].decode()
        return float(re.search(r"^popup_gateway_heartbeat_age_seconds (.+)", metrics, re.MULTILINE)[1])

    def test_a_broker_that_hangs_for_long_makes_no_state_come_twice(self):
        for name in ("kept", "gone"):
            body = {"group": f"long/{name}", "text": "x", "durationMs": 600_000}
            self.assertEqual(self.ask("PUT", f"/v1/popups/long-{name}", body)[0], 200)
        self.addCleanup(self.ask, "POST", "/v1/clear", {"selector": {"group": "long/*"}})
        stream = self.stream("group=long/*")
        self.assertEqual(self.next(stream, "synced")["states"], 2)
        self.assertEqual(self.ask("DELETE", "/v1/popups/long-gone")[0], 200)
        empty = self.next(stream, "state")
        self.assertEqual((empty["group"], "active" in empty), ("long/gone", False))
        self.broker.process.send_signal(signal.SIGSTOP)
        try:
            self.assertFalse(self.next(stream, "broker")["connected"])
            # After 5 s, the client library says of each state that it is not confirmed any more.
            end = time.monotonic() + DEADLINE
            while self.heartbeat_age() < 7:
                self.assertLess(time.monotonic(), end)
                time.sleep(0.1)
        finally:
            self.broker.process.send_signal(signal.SIGCONT)

        def until(is_last):
            """Returns the further items of the stream up to one, in short."""
            items = []
            for item in stream:
                if item["event"] != "ping":
                    items.append(item.get("group") or item["event"])
                if is_last(item):
                    return items
            return self.fail(f"the stream has ended after {items}")

        # What groups show comes again once, after the word that the broker is back.
        self.assertEqual(until(lambda item: item["event"] == "synced"), ["broker", "long/kept", "synced"])
        body = {"group": "long/last", "text": "x"}
        self.assertEqual(self.ask("PUT", "/v1/popups/long-last", body)[0], 200)
        self.assertEqual(until(lambda item: item.get("group") == "long/last"), ["long/last"])

    def test_a_connection_whose_request_does_not_arrive_is_closed(self):
        head = b"POST /v1/show/x HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer all\r\nContent-Length: 100\r\n"
        for sent, limit, part in [(head, 5, "head"), (head + b"\r\nhalf", 10, "body")]:
            with socket.create_connection(("127.0.0.1", self.port), DEADLINE) as client:
                begin = time.monotonic()
                client.sendall(sent)
                answer = b"".join(iter(lambda: client.recv(65536), b""))
                self.assertGreater(time.monotonic() - begin, limit - 1)
                self.assertLess(time.monotonic() - begin, limit + 10)
            first, _, content = answer.partition(b"\r\n\r\n")
            self.assertIn(b"408", first.splitlines()[0])
            self.assertIn(part, json.loads(content)["detail"])
        self.assertEqual(self.ask("GET", "/v1/state/x")[0], 200)

    def open_files(self):
        """How many files the gateway has open, besides the connection that asks."""
        metrics = self.ask("GET", "/metrics", port=self.admin)[2].decode()
        return int(re.search(r"^process_open_fds (\d+)", metrics, re.MULTILINE)[1])

    def test_a_connection_whose_request_was_answered_before_it_arrived_is_closed(self):
        show = b"POST /v1/show/x HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer all\r\nContent-Length: 1000000\r\n\r\n"
        cases = [
            (self.port, show + b"x" * 200_000, b"413", 10),
            (self.admin, b"GET /livez HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n", b"200", 10),
            (self.port, b"no request at all\r\n\r\n", b"400", 5),
            (self.port, b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: " + b"x" * 20_000, b"400", 5),
        ]
        open_before = self.open_files()
        clients = []
        for port, sent, _, _ in cases:
            clients.append(socket.create_connection(("127.0.0.1", port), DEADLINE))
            self.addCleanup(clients[-1].close)
            clients[-1].sendall(sent)
        begin = time.monotonic()
        for client, (_, sent, status, limit) in zip(clients, cases):
            self.assertIn(status, client.recv(65536).splitlines()[0], sent[:40])
        # In the order of their ends.
        for client, (_, sent, _, limit) in reversed(list(zip(clients, cases))):
            rest = b"".join(iter(lambda: client.recv(65536), b""))
            self.assertNotIn(b"HTTP/1.1 408", rest, sent[:40])
            self.assertLess(time.monotonic() - begin, limit + 10, sent[:40])
        # The gateway does not keep its ends, which are half closed: the clients keep theirs.
        while self.open_files() > open_before:
            self.assertLess(time.monotonic() - begin, DEADLINE)
            time.sleep(0.2)

    def test_each_response_has_the_id_of_its_request(self):
        for path, port in (("/v1/state/tea", self.port), ("/", self.port), ("/nowhere", self.port), ("/livez", self.admin)):
            given = self.ask("GET", path, headers={"X-Request-Id": "trace-7/1"}, port=port)[1]
            self.assertEqual(given["X-Request-Id"], "trace-7/1", path)
            made = [self.ask("GET", path, port=port)[1]["X-Request-Id"] for _ in range(2)]
            self.assertRegex(made[0], "^[0-9a-f]{16}$")
            self.assertNotEqual(*made)

    def test_a_trusted_proxy_says_that_the_client_uses_tls(self):
        for scheme, name in (("https", "__Host-popup="), ("http, https", "__Host-popup="), ("http", "popup=")):
            headers = self.ask("POST", "/v1/session-cookie", headers={"X-Forwarded-Proto": scheme})[1]
            self.assertTrue(headers["Set-Cookie"].startswith(name), (scheme, headers["Set-Cookie"]))

    def test_an_address_without_a_token_has_to_wait_and_nobody_else(self):
        def ask(address, token=None):
            return self.ask("GET", "/v1/state/lobby", token=token, headers={"X-Forwarded-For": address})

        statuses = [ask("192.0.2.30")[0] for _ in range(40)]
        self.assertEqual(statuses[:20], [401] * 20)
        self.assertIn(429, statuses[20:])
        self.assertEqual(ask("192.0.2.30", token="all")[0], 200)
        self.assertEqual(ask("192.0.2.31")[0], 401)

    def test_a_token_with_a_connection_of_its_own_is_a_producer_of_its_own(self):
        for number, token in enumerate(("all", "own", "own", "all")):
            # A connection is made when the tokens are read, and may need a moment.
            end = time.monotonic() + DEADLINE
            while self.ask("PUT", f"/v1/popups/producer-{number}", {"group": "producers", "text": "x"}, token=token)[0] == 503:
                self.assertLess(time.monotonic(), end)
                time.sleep(0.05)
        self.addCleanup(self.ask, "POST", "/v1/clear", {"selector": {"group": "producers"}})
        popups = self.ask("GET", "/v1/popups?group=producers")[2]["popups"]
        producers = {popup["id"]: popup["producer"] for popup in popups}
        first, second, third, fourth = (producers[f"producer-{number}"] for number in range(4))
        self.assertEqual((first, second), (fourth, third))
        self.assertNotEqual(first, second)


class SocketTests(unittest.TestCase):
    """A gateway at a Unix socket, as behind a proxy on the same machine."""

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

    def begin(self):
        """Starts a further gateway at the same socket, which may end at once."""
        tokens = os.path.join(self.directory, "tokens.yaml")
        if not os.path.exists(tokens):
            with open(tokens, "w", encoding="utf-8") as file:
                file.write("tokens: []\n")
        process = subprocess.Popen(
            [os.environ["GATEWAY"], "run", "--listen", f"unix:{self.path}", "--admin", "127.0.0.1:0", "--tokens", tokens],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "POPUP_BROKER_INGRESS": self.broker.fields["ingress"],
                 "POPUP_BROKER_EGRESS": self.broker.fields["egress"], "POPUP_GATEWAY_DRAINMS": "0"})
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        return process

    def check_is_refused(self, why):
        """Checks that a further gateway does not get the socket."""
        process = self.begin()
        output, problem = process.communicate(timeout=DEADLINE)
        self.assertEqual((process.returncode, output), (69, ""), problem)
        self.assertIn(f"`http.listen` is unix:{self.path}, which cannot be used: {why}", problem)

    def test_a_socket_at_which_another_gateway_listens_is_left_alone(self):
        self.start()
        self.check_is_refused("Address already in use")
        self.assertEqual(self.ask("GET", "/v1/state/tea")[0], 200)

    def test_a_socket_at_which_a_busy_program_listens_is_left_alone(self):
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(self.path)
            listener.listen(0)
            inode = os.stat(self.path).st_ino
            clients = []
            # Until its queue is full.
            with self.assertRaises(BlockingIOError):
                for _ in range(100):
                    clients.append(socket.socket(socket.AF_UNIX))
                    self.addCleanup(clients[-1].close)
                    clients[-1].setblocking(False)
                    clients[-1].connect(self.path)
            self.check_is_refused("Address already in use")
            self.assertEqual(os.stat(self.path).st_ino, inode)

    def test_of_gateways_that_start_at_the_same_time_one_gets_the_socket(self):
        for _ in range(3):
            processes = [self.begin() for _ in range(3)]
            # The others end; the one that has the socket says so.
            end = time.monotonic() + DEADLINE
            while sum(process.poll() is None for process in processes) > 1:
                self.assertLess(time.monotonic(), end)
                time.sleep(0.01)
            running = [process for process in processes if process.poll() is None]
            self.assertEqual(len(running), 1)
            self.assertIn(f"ready http=unix:{self.path}", running[0].stdout.readline())
            for process in processes:
                if process not in running:
                    self.assertEqual(process.returncode, 69, process.communicate()[1])
            running[0].send_signal(signal.SIGTERM)
            running[0].communicate(timeout=DEADLINE)

    def test_a_file_that_is_no_socket_is_left_alone(self):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write("mine")
        self.check_is_refused("the path is that of a file which is not a socket; remove it")
        with open(self.path, encoding="utf-8") as file:
            self.assertEqual(file.read(), "mine")

    def test_the_address_of_a_client_comes_from_a_local_proxy_only_if_it_is_trusted(self):
        for proxies, refused in [("unix", True), ("192.0.2.1", False)]:
            program = self.start(PROXIES=proxies)
            strangers = [
                self.ask("GET", "/v1/state/tea", headers={
                    "Authorization": "Bearer nobody", "X-Forwarded-For": "198.51.100.7"})[0]
                for _ in range(20)
            ]
            self.assertEqual(strangers[:10], [401] * 10)
            # One more is allowed every few seconds: a busy machine may take them for ten.
            self.assertEqual(429 in strangers[10:], refused)
            program.end()

    def test_a_changed_configuration_is_read_on_sighup(self):
        path = os.path.join(self.directory, "gateway.yaml")

        def write(**settings):
            with open(path, "w", encoding="utf-8") as file:
                json.dump(settings, file)

        def request(host="localhost"):
            connection = http.client.HTTPConnection("127.0.0.1", program.port, timeout=DEADLINE)
            connection.request("GET", "/v1/state/tea", None, {
                "Authorization": "Bearer all", "Origin": "https://pages.example", "Host": host})
            answer = connection.getresponse()
            answer.read()
            connection.close()
            return answer.status, answer.headers["Access-Control-Allow-Origin"]

        def reload(*lines):
            """Has the file read, and checks what the log says, in this order."""
            program.process.send_signal(signal.SIGHUP)
            end = time.monotonic() + DEADLINE
            for expected in lines:
                while expected not in (line := log.readline()):
                    self.assertLess(time.monotonic(), end, f"the log does not say {expected!r}")
                    if not line:
                        time.sleep(0.01)

        def stream():
            """Returns the second event of a new stream."""
            client = http.client.HTTPConnection("127.0.0.1", program.port, timeout=DEADLINE)
            client.request("GET", "/v1/stream?group=tea", None, {"Authorization": "Bearer all"})
            answer = client.getresponse()
            self.addCleanup(client.close)
            self.addCleanup(answer.close)
            lines = [json.loads(answer.readline())["event"] for _ in range(3)]
            return next(event for event in lines if event not in ("retry", "hello"))

        write()
        tokens = os.path.join(self.directory, "tokens.yaml")
        written = open(os.path.join(self.directory, "log"), "w", encoding="utf-8")
        self.addCleanup(written.close)
        log = open(written.name, encoding="utf-8")
        self.addCleanup(log.close)
        program = gateway(self.broker, TOKENS, tokens, arguments=["--config", path], log=written, files=4096)
        self.addCleanup(program.end)
        self.assertEqual(request(), (200, None))
        self.assertEqual(request("popups.example")[0], 421)
        self.assertEqual(stream(), "synced")

        write(cors={"origins": ["https://pages.example"]}, http={"hosts": ["popups.example"]}, limits={"streams": 1})
        reload("are read again")
        self.assertEqual(request("popups.example"), (200, "https://pages.example"))
        self.assertEqual(stream(), "busy")

        # After a mistake, all stays, also what comes before the mistake.
        write(limits={"streams": 100}, cors={"origin": []})
        reload("stay as they were")
        self.assertEqual(request("popups.example"), (200, "https://pages.example"))
        self.assertEqual(stream(), "busy")

        # What needs a restart is named, and stays as it was: also the hosts that come from another address.
        write(admin={"listen": "127.0.0.1:1"}, metrics={"groups": ["tea"]}, limits={"streams": 50_000}, proxies=["192.0.2.4"])
        reload("the limit of open files is 4096, but `limits.streams` needs 50784",
               "proxies, metrics.groups changed", "are read again")
        self.assertEqual(request(), (200, None))
        self.assertEqual(stream(), "synced")
        self.assertNotIn(b"popup_group_active", ask(program.admin, "GET", "/metrics")[2])

    def test_what_came_from_a_pipe_is_not_read_again_and_stays(self):
        piped = {"name": "piped", "sha256": hashlib.sha256(b"piped").hexdigest(), "may": {"watch": ["*"]}}
        for option, content, token, host in (
            ("--config", {"http": {"hosts": ["popups.example"]}}, "all", "popups.example"),
            ("--tokens", {"tokens": [piped]}, "piped", "localhost"),
        ):
            pipe = os.path.join(self.directory, f"pipe{option}")
            os.mkfifo(pipe)

            def write():
                with open(pipe, "w", encoding="utf-8") as file:
                    json.dump(content, file)

            writing = threading.Thread(target=write, daemon=True)
            writing.start()
            with open(os.path.join(self.directory, f"log{option}"), "w", encoding="utf-8") as written:
                program = gateway(
                    self.broker, TOKENS, os.path.join(self.directory, "tokens.yaml"), arguments=[option, pipe], log=written)
                self.addCleanup(program.end)
                writing.join(DEADLINE)
                program.process.send_signal(signal.SIGHUP)
                end = time.monotonic() + DEADLINE
                expected = f"stay as they were: the file `{pipe}` is a pipe, which cannot be read again"
                with open(written.name, encoding="utf-8") as log:
                    while expected not in (line := log.readline()):
                        self.assertLess(time.monotonic(), end)
                        if not line:
                            time.sleep(0.05)
            self.assertEqual(
                ask(program.port, "GET", "/v1/state/tea", token=token, headers={"Host": host})[0], 200, option)

    def test_a_full_listener_closes_further_connections_and_health_answers(self):
        program = gateway(
            self.broker, TOKENS, os.path.join(self.directory, "tokens.yaml"),
            env={"POPUP_GATEWAY_LIMITS_CONNECTIONS": "16"})
        self.addCleanup(program.end)
        clients = []
        end = time.monotonic() + DEADLINE
        while len(clients) < 16:
            client = socket.create_connection(("127.0.0.1", program.port), DEADLINE)
            client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            self.addCleanup(client.close)
            self.assertTrue(client.recv(100).startswith(b"HTTP/1.1 200"))
            clients.append(client)
        for _ in range(3):
            with socket.create_connection(("127.0.0.1", program.port), DEADLINE) as further:
                with contextlib.suppress(ConnectionResetError):
                    self.assertEqual(further.recv(100), b"")
        self.assertEqual(ask(program.admin, "GET", "/livez")[0], 200)
        metrics = ask(program.admin, "GET", "/metrics")[2]
        self.assertIn(b'popup_gateway_limited_total{limit="connections"} 3\n', metrics)
        clients[0].close()
        while True:
            with contextlib.suppress(OSError):
                if ask(program.port, "GET", "/v1/state/tea")[0] == 200:
                    break
            self.assertLess(time.monotonic(), end)


if __name__ == "__main__":
    unittest.main()
