"""The Swift client over HTTP, as the example web-screen uses it, with a real gateway that is killed meanwhile; and each of its
calls."""

import contextlib
import http.server
import os
import queue
import select
import signal
import subprocess
import tempfile
import threading
import time
import types
import unittest

from programs import DEADLINE, ask, broker, gateway

TOKENS = {
    "all": {right: ["*"] for right in ("show", "update", "dismiss", "watch", "render", "events", "query", "control")},
    "watcher": {"watch": ["desk"]},
}


class Screen:
    """web-screen, and the lines that it prints."""

    def __init__(self, gateway, *arguments, token="all"):
        self.process = subprocess.Popen(
            [os.environ["WEB_SCREEN"], "--gateway", f"http://127.0.0.1:{gateway.port}", *arguments],
            env={**os.environ, "POPUP_GATEWAY_TOKEN": token}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def next(self, *words):
        """Returns the next line that has all words; fails at the end and when none comes."""
        seen = []
        while True:
            try:
                line = self.lines.get(timeout=DEADLINE)
            except queue.Empty:
                raise AssertionError(f"no line has {words}: {seen}") from None
            if line is None:
                raise AssertionError(f"web-screen ended before {words}: {seen}")
            if all(word in line for word in words):
                return line
            seen.append(line)

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class WebClient(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.broker = broker()
        self.addCleanup(self.broker.end)
        self.gateway = self.start()

    def start(self, listen="127.0.0.1:0", **env):
        program = gateway(
            self.broker, TOKENS, os.path.join(self.directory.name, "tokens.yaml"), listen=listen, env=env)
        self.addCleanup(lambda: program.process.poll() is None and program.end())
        return program

    def screen(self, *arguments, **further):
        screen = Screen(self.gateway, *arguments, **further)
        self.addCleanup(screen.end)
        return screen

    def show(self, name, **further):
        body = {"group": "desk", "text": f"text of {name}", **further}
        self.assertEqual(ask(self.gateway.port, "PUT", f"/v1/popups/{name}", body)[0], 200)

    def test_it_shows_what_is_there_then_every_change_and_answers(self):
        self.show("first", durationMs=60_000)
        self.show("second")
        screen = self.screen("--group", "desk", "--answer", "ok", "--until", "second")
        self.assertIn("s left, 1 to come", screen.next("desk: first “text of first”"))
        screen.next("desk: second “text of second”, 0 to come")
        screen.next("desk: nothing")
        self.assertEqual(screen.process.wait(DEADLINE), 0)
        for name in ("first", "second"):
            closed = ask(self.gateway.port, "GET", f"/v1/popups/{name}")[2]["closed"]
            self.assertEqual((closed["reason"], closed["action"]), ("DISMISSED", "ok"))

    def test_it_asks_for_a_popup_and_sees_it(self):
        screen = self.screen("--group", "desk", "--show", "Grüße 😀")
        name = screen.next("asked for").split()[-1]
        screen.next(f"desk: {name} “Grüße 😀”")

    def test_it_goes_on_after_the_gateway_was_killed(self):
        self.show("before")
        screen = self.screen("--group", "desk", "--watch")
        screen.next("before")
        port = self.gateway.port
        self.gateway.end(signal.SIGKILL)
        self.gateway = self.start(f"127.0.0.1:{port}")
        # What has changed before it is back.
        self.assertEqual(ask(port, "DELETE", "/v1/popups/before")[0], 200)
        screen.next("desk: nothing")
        self.show("after")
        screen.next("desk: after")

    def test_after_a_clean_restart_every_screen_is_right_within_5_s(self):
        self.gateway.end()
        # Long enough for screens to come back while it ends.
        drain = {"POPUP_GATEWAY_DRAINMS": "2000"}
        self.gateway = self.start(**drain)
        port = self.gateway.port
        screens = [self.screen("--group", "desk", "--watch") for _ in range(5)]
        times = []
        # Its delays leave it at most 5 s. The rest is for the machine, which may need more when it is busy.
        while not times or times[-1] >= 8 and len(times) < 3:
            name = f"before-{len(times)}"
            self.show(name)
            for screen in screens:
                screen.next(name)
            self.assertEqual(self.gateway.end(), 0)
            self.gateway = self.start(f"127.0.0.1:{port}", **drain)
            ready = time.monotonic()
            self.assertEqual(ask(port, "DELETE", f"/v1/popups/{name}")[0], 200)
            for screen in screens:
                screen.next("desk: nothing")
            times.append(time.monotonic() - ready)
        self.assertLess(min(times), 8)

    def test_without_the_broker_what_it_shows_is_not_confirmed(self):
        self.show("kept", durationMs=600_000)
        screen = self.screen("--group", "desk", "--watch")
        self.assertNotIn("not confirmed", screen.next("desk: kept"))
        self.broker.process.send_signal(signal.SIGSTOP)
        # It must end, whatever fails.
        self.addCleanup(self.broker.process.send_signal, signal.SIGCONT)
        screen.next("desk: kept", "not confirmed")
        # Who begins now learns it at once.
        self.screen("--group", "desk", "--watch").next("desk: kept", "not confirmed")
        self.broker.process.send_signal(signal.SIGCONT)
        while "not confirmed" in screen.next("desk: kept"):
            pass

    def test_without_the_gateway_for_5_s_what_it_shows_is_not_confirmed(self):
        self.show("kept", durationMs=600_000)
        screen = self.screen("--group", "desk", "--watch")
        screen.next("desk: kept")
        port = self.gateway.port
        lost = time.monotonic()
        self.gateway.end(signal.SIGKILL)
        screen.next("desk: kept", "not confirmed")
        self.assertGreater(time.monotonic() - lost, 4)
        self.gateway = self.start(f"127.0.0.1:{port}")
        while "not confirmed" in screen.next("desk: kept"):
            pass

    def test_a_token_without_the_right_is_told_and_the_stream_ends(self):
        screen = self.screen("--group", "desk", token="nobody")
        screen.next("401", "UNAUTHENTICATED")
        self.assertNotEqual(screen.process.wait(DEADLINE), 0)
        screen = self.screen("--group", "desk", token="watcher")
        screen.next("403", "render")
        self.assertNotEqual(screen.process.wait(DEADLINE), 0)
        self.show("seen")
        self.screen("--group", "desk", "--watch", token="watcher").next("desk: seen")


def start_calls(case, port, token, **env):
    """Starts the program web-client-calls for the gateway at a port, which ends with the test."""
    program = os.environ.get("WEB_CLIENT_CALLS") or os.path.join(os.path.dirname(os.environ["BROKER"]), "web-client-calls")
    process = subprocess.Popen(
        [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
        env={**os.environ, "POPUP_GATEWAY": f"http://127.0.0.1:{port}", "POPUP_GATEWAY_TOKEN": token, **env})
    case.addCleanup(process.stdout.close)
    case.addCleanup(process.wait, DEADLINE)
    case.addCleanup(process.stdin.close)
    return process


def call_client(case, process, line):
    """Returns the answer of web-client-calls to a call."""
    process.stdin.write(line + "\n")
    ready, _, _ = select.select([process.stdout], [], [], DEADLINE)
    case.assertTrue(ready, f"{line} has no answer")
    return process.stdout.readline().rstrip("\n")


class WebClientCalls(unittest.TestCase):
    """Each call of the client, by the program web-client-calls, and what the gateway then says without it."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.broker = broker()
        self.addCleanup(self.broker.end)
        self.gateway = gateway(self.broker, TOKENS, os.path.join(directory.name, "tokens.yaml"))
        self.addCleanup(self.gateway.end)
        self.client = self.start("all")

    def start(self, token):
        return start_calls(self, self.gateway.port, token)

    def call(self, line, client=None):
        """Returns the answer to a call."""
        return call_client(self, client or self.client, line)

    def explain(self, name):
        return ask(self.gateway.port, "GET", f"/v1/popups/{name}")[2]

    def state(self, group="desk"):
        return ask(self.gateway.port, "GET", f"/v1/state/{group}")[2]

    def test_a_producer_shows_updates_explains_and_cancels(self):
        self.assertEqual(self.call("show job/1 desk starts"), "job/1")
        self.assertEqual(self.call("state desk"), "job/1 starts 0")
        self.assertEqual(self.call("update job/1 runs"), "done")
        self.assertEqual(self.state()["active"]["text"], "runs")
        self.assertEqual(self.call("show job/2 desk waits"), "job/2")
        self.assertEqual(self.call("state desk"), "job/1 runs 1")
        self.assertEqual((self.call("explain job/1"), self.call("explain job/2 desk")), ("active", "waiting"))
        self.assertEqual(self.call("list desk"), "job/1 job/2")
        self.assertEqual(self.call("list other/*"), "")
        self.assertEqual(self.call("cancel job/2 desk"), "done")
        self.assertEqual(self.call("list desk"), "job/1")
        self.assertEqual(self.call("cancel job/1"), "done")
        self.assertEqual(self.explain("job%2F1")["closed"]["reason"], "DISMISSED")
        self.assertEqual(self.call("explain job/1"), "CLOSED DISMISSED")
        self.assertEqual(self.call("state desk"), "nothing")

    def test_a_producer_waits_for_the_end(self):
        def close_when_shown():
            while self.state("door/front").get("active", {}).get("id") != "bell":
                time.sleep(0.02)
            ask(self.gateway.port, "DELETE", "/v1/popups/bell?action=open")

        closing = threading.Thread(target=close_when_shown, daemon=True)
        closing.start()
        self.assertEqual(self.call("show-waiting bell door/front 20000"), "bell DISMISSED open")
        closing.join(DEADLINE)
        self.assertEqual(self.call("explain bell door/front 20000"), "CLOSED DISMISSED")
        # The time is over: it stays.
        self.assertEqual(self.call("show-waiting knock door/front 100"), "knock open")
        self.assertEqual(self.explain("knock")["phase"], "ACTIVE")

    def test_a_renderer_answers_what_it_has_seen(self):
        self.call("show asked desk really?")
        self.assertEqual(self.call("state desk"), "asked really? 0")
        self.call("update asked sure?")
        self.assertEqual(self.call("dismiss yes"), "refused 409 STALE")
        self.assertEqual(self.explain("asked")["phase"], "ACTIVE")
        self.assertEqual(self.call("state desk"), "asked sure? 0")
        self.assertEqual(self.call("dismiss yes"), "done")
        closed = self.explain("asked")["closed"]
        self.assertEqual((closed["reason"], closed["action"]), ("DISMISSED", "yes"))

    def test_a_renderer_accepts_and_vetoes_offers(self):
        policy = {"group": "offers/*", "offerMs": 60_000}
        self.assertEqual(ask(self.gateway.port, "PUT", "/v1/policy", policy)[0], 200)
        for name, answer, phase in (("taken", "accept", "ACTIVE"), ("left", "veto", "CLOSED")):
            self.call(f"show {name} offers/{name} x")
            self.assertEqual(self.call(f"state offers/{name}"), f"offers {name}")
            self.assertEqual(self.explain(name)["phase"], "OFFERED")
            self.assertEqual(self.call(answer), "done")
            self.assertEqual(self.explain(name)["phase"], phase)
        self.assertEqual(self.explain("left")["closed"]["reason"], "VETOED")
        self.assertEqual(self.call("state offers/taken"), "taken x 0")

    def test_a_console_advances(self):
        self.call("show one desk x")
        self.call("show two desk y")
        self.assertEqual(self.call("advance desk"), "done")
        self.assertEqual(self.state()["active"]["id"], "two")
        self.assertEqual(self.explain("one")["closed"]["reason"], "ADVANCED")

    def test_refusals_are_those_of_the_gateway(self):
        watcher = self.start("watcher")
        self.assertEqual(self.call("show denied desk x", watcher), "refused 403 PERMISSION_DENIED")
        self.assertEqual(self.call("list *", watcher), "refused 403 PERMISSION_DENIED")
        self.assertEqual(self.call("state desk", watcher), "nothing")
        self.assertEqual(self.call("update nothing x"), "refused 404 NOT_FOUND")
        self.assertEqual(self.call("state desk", self.start("nobody")), "refused 401 UNAUTHENTICATED")


class OtherServers(unittest.TestCase):
    """What the client does with a server that is no gateway, or a gateway that fails."""

    def serve(self, answer):
        """Starts a server, and returns its port. `answer` answers each request, which it gets as a handler."""
        class Handler(http.server.BaseHTTPRequestHandler):
            def handle_one_request(self):
                # A client that has enough closes its connection.
                with contextlib.suppress(OSError):
                    super().handle_one_request()
                self.close_connection = True

            def do_GET(self):
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                answer(self)

            do_PUT = do_GET

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server.server_address[1]

    def client(self, port, timeout=10_000):
        return start_calls(self, port, "secret", POPUP_GATEWAY_TIMEOUT_MS=str(timeout))

    @staticmethod
    def reply(handler, body, status=200, **headers):
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    def test_the_token_goes_to_no_other_place(self):
        found = []
        other = self.serve(lambda handler: (found.append(handler.headers["Authorization"]), self.reply(handler, b"{}")))
        asked = threading.Semaphore(0)

        def redirect(handler):
            self.reply(handler, b"", 307, Location=f"http://127.0.0.1:{other}{handler.path}")
            asked.release()

        port = self.serve(redirect)
        client = self.client(port)
        for call in ("show one desk x", "state desk"):
            self.assertIn("status 307", call_client(self, client, call))
        screen = Screen(types.SimpleNamespace(port=port), "--group", "desk", "--watch")
        self.addCleanup(screen.end)
        # The stream tries again.
        for _ in range(4):
            self.assertTrue(asked.acquire(timeout=DEADLINE))
        self.assertEqual(found, [])

    def test_an_answer_without_end_is_given_up(self):
        def pour(handler):
            handler.send_response(200)
            handler.end_headers()
            while True:
                handler.wfile.write(b" " * 65536)

        answer = call_client(self, self.client(self.serve(pour)), "state desk")
        self.assertEqual(
            answer, f"failed the answer has more than {16 << 20} bytes; ask for fewer groups, or check the address")

    def test_an_answer_that_comes_too_slowly_is_given_up(self):
        is_over = threading.Event()
        self.addCleanup(is_over.set)

        def drip(handler):
            handler.send_response(200)
            handler.end_headers()
            # Never as long as the silence that is allowed.
            while not is_over.wait(0.2):
                handler.wfile.write(b" ")

        answer = call_client(self, self.client(self.serve(drip), timeout=1000), "state desk")
        self.assertEqual(answer, "failed the gateway is not reached: the whole answer has taken more than 3.0 seconds")

    def test_the_id_of_a_popup_that_was_accepted_is_told_though_the_wait_for_its_end_fails(self):
        shown = []

        def accept(handler):
            if handler.command == "PUT":
                shown.append(handler.path.rpartition("/")[2])
                return self.reply(handler, b"{}")
            self.reply(handler, b"broken", 502)

        answer = call_client(self, self.client(self.serve(accept)), "show-waiting - desk 1000")
        self.assertEqual(answer, f"{shown[0]} open")


if __name__ == "__main__":
    unittest.main()
