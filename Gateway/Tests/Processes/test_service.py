"""The gateway under a service manager as systemd is one: notifications, the watchdog, a socket that is open before it."""

import http.client
import os
import re
import signal
import socket
import subprocess
import tempfile
import time
import unittest

from programs import DEADLINE, Program, ask, broker

TOKENS = "tokens: [{name: all, sha256: %s, may: {watch: [lobby]}}]\n"
HASH = "eb2a5d39b14ac2fcba7ad5e4d6bed5a2e2f05e40e9b7e4ef2d8b6d5c1d7cbd21"


def has_stopped(process):
    """Returns whether all threads of a process have stopped."""
    states = []
    for thread in os.listdir(f"/proc/{process}/task"):
        with open(f"/proc/{process}/task/{thread}/stat", encoding="utf-8") as file:
            states.append(file.read().rpartition(")")[2].split()[0])
    return set(states) == {"T"}


class ServiceTests(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.folder = directory.name
        self.broker = broker()
        self.addCleanup(self.broker.end)
        self.tokens = os.path.join(self.folder, "tokens.yaml")
        self.write_tokens(TOKENS % HASH)
        self.manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(self.manager.close)
        self.manager.bind(os.path.join(self.folder, "notify"))
        self.manager.settimeout(DEADLINE)

    def write_tokens(self, text):
        with open(self.tokens, "w", encoding="utf-8") as file:
            file.write(text)

    def arguments(self):
        return [
            os.environ["GATEWAY"], "run", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--tokens", self.tokens]

    def environment(self, **more):
        return {
            "POPUP_BROKER_INGRESS": self.broker.fields["ingress"], "POPUP_BROKER_EGRESS": self.broker.fields["egress"],
            "POPUP_GATEWAY_DRAINMS": "200", "NOTIFY_SOCKET": os.path.join(self.folder, "notify"), **more}

    def next(self, name):
        """Returns the next notification that has a variable, other than beats."""
        while True:
            fields = dict(line.split("=", 1) for line in self.manager.recv(4096).decode().splitlines())
            if name in fields:
                return fields

    def test_it_tells_when_it_is_ready_reads_its_tokens_again_and_stops(self):
        gateway = Program("popup-gateway ready", *self.arguments(), env=self.environment())
        self.addCleanup(gateway.process.kill)
        self.assertTrue(self.next("EXTEND_TIMEOUT_USEC")["STATUS"].startswith("Starting"))
        self.assertEqual(self.next("READY")["STATUS"], f"Ready at {gateway.fields['http']}")

        gateway.process.send_signal(signal.SIGHUP)
        before = time.monotonic_ns() // 1000
        self.assertLess(abs(int(self.next("RELOADING")["MONOTONIC_USEC"]) - before), DEADLINE * 1_000_000)
        self.assertEqual(self.next("READY")["STATUS"], "Ready, with the configuration and tokens that were read again")
        self.write_tokens("tokens: [{nam: all}]\n")
        gateway.process.send_signal(signal.SIGHUP)
        self.next("RELOADING")
        self.assertTrue(self.next("READY")["STATUS"].startswith("Ready, with the previous configuration and tokens"))

        self.assertEqual(gateway.end(), 0)
        self.assertEqual(self.next("STOPPING"), {"STOPPING": "1", "STATUS": "Stopping"})

    def test_the_watchdog_hears_of_it_while_it_does_not_hang(self):
        gateway = Program("popup-gateway ready", *self.arguments(), env=self.environment(WATCHDOG_USEC="600000"))
        self.addCleanup(gateway.end)
        for _ in range(3):
            self.next("WATCHDOG")
        gateway.process.send_signal(signal.SIGSTOP)
        end = time.monotonic() + DEADLINE
        while not has_stopped(gateway.process.pid):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)
        # What it has said before.
        self.manager.setblocking(False)
        with self.assertRaises(BlockingIOError):
            while True:
                self.manager.recv(4096)
        self.manager.settimeout(1)
        with self.assertRaises(TimeoutError):
            self.next("WATCHDOG")
        gateway.process.send_signal(signal.SIGCONT)
        self.manager.settimeout(DEADLINE)
        self.next("WATCHDOG")

    def test_a_socket_that_is_open_before_it_refuses_nobody(self):
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        port = listener.getsockname()[1]
        # As systemd starts it: the socket is descriptor 3, for this process alone.
        script = f'exec 3<&{listener.fileno()}; LISTEN_PID=$$ LISTEN_FDS=1 exec "$@"'

        def start():
            process = subprocess.Popen(
                ["sh", "-c", script, "sh", *self.arguments()], stdout=subprocess.PIPE, text=True,
                env={**os.environ, **self.environment()}, pass_fds=(listener.fileno(),))
            self.addCleanup(process.stdout.close)
            self.addCleanup(process.kill)
            return process

        def begin():
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE)
            self.addCleanup(connection.close)
            connection.request("GET", "/v1/state/lobby", headers={"Authorization": "Bearer a guess"})
            return connection

        for _ in range(2):
            early = begin()
            process = start()
            answer = early.getresponse()
            self.assertEqual((answer.status, answer.headers["Server"]), (401, "popup-gateway"))
            self.assertRegex(answer.headers["Date"], r"^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$")
            answer.read()
            self.assertIn(f"http=http://127.0.0.1:{port} ", process.stdout.readline())
            self.assertEqual(ask(port, "GET", "/openapi.json", token=None)[0], 200)
            # Its connections are closed, and the socket stays open.
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(DEADLINE), 0)

    def test_with_systemd_as_its_listener_it_needs_the_socket(self):
        arguments = self.arguments()
        arguments[arguments.index("--listen") + 1] = "systemd"
        ended = subprocess.run(
            arguments, capture_output=True, text=True, timeout=DEADLINE, env={**os.environ, **self.environment()})
        self.assertEqual(ended.returncode, 69)
        self.assertIn("`http.listen` is systemd, but systemd has opened no socket", ended.stderr)

        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        port = listener.getsockname()[1]
        script = f'exec 3<&{listener.fileno()}; LISTEN_PID=$$ LISTEN_FDS=1 exec "$@"'
        process = subprocess.Popen(
            ["sh", "-c", script, "sh", *arguments], stdout=subprocess.PIPE, text=True,
            env={**os.environ, **self.environment()}, pass_fds=(listener.fileno(),))
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        self.assertIn(f"http=http://127.0.0.1:{port} ", process.stdout.readline())
        self.assertEqual(ask(port, "GET", "/openapi.json", token=None)[0], 200)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(DEADLINE), 0)

    def test_the_address_is_that_of_the_socket_which_was_open_before(self):
        path = os.path.join(self.folder, "open.sock")
        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(listener.close)
        listener.bind(path)
        listener.listen()
        script = f'exec 3<&{listener.fileno()}; LISTEN_PID=$$ LISTEN_FDS=1 exec "$@"'
        process = subprocess.Popen(
            ["sh", "-c", script, "sh", *self.arguments()], stdout=subprocess.PIPE, text=True,
            env={**os.environ, **self.environment()}, pass_fds=(listener.fileno(),))
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        self.assertIn(f"http=unix:{path} ", process.stdout.readline())
        self.assertEqual(self.next("READY")["STATUS"], f"Ready at unix:{path}")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(DEADLINE), 0)

    def test_the_unit_has_a_directory_for_the_socket_of_the_documents(self):
        root = os.path.join(os.path.dirname(__file__), "..", "..", "..")
        with open(os.path.join(root, "Packaging", "systemd", "popup-gateway.service"), encoding="utf-8") as file:
            self.assertIn("\nRuntimeDirectory=popup-gateway\n", file.read())
        with open(os.path.join(root, "Documentation", "Gateway.md"), encoding="utf-8") as file:
            for path in re.findall(r"unix:(/run/[^`: ]+)", file.read()):
                self.assertEqual(os.path.dirname(path), "/run/popup-gateway")

    def test_several_sockets_are_a_mistake(self):
        script = 'LISTEN_PID=$$ LISTEN_FDS=2 exec "$@"'
        ended = subprocess.run(
            ["sh", "-c", script, "sh", *self.arguments()], capture_output=True, text=True, timeout=DEADLINE,
            env={**os.environ, **self.environment()})
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn("only one socket is used", ended.stderr)


if __name__ == "__main__":
    unittest.main()
