"""The programs of the tests: a broker and a gateway, and requests with nothing but Python's standard library.

BROKER and GATEWAY name the programs.
"""

import functools
import hashlib
import http.client
import json
import os
import random
import resource
import select
import shutil
import signal
import socket
import subprocess
import sys
import time
import unittest

# Seconds for what has to happen: only a hang takes so long, also on a machine that is slow and busy.
DEADLINE = 100

# Every right, in all groups.
EVERYTHING = {right: ["*"] for right in "show update dismiss watch render events query control".split()}


def free_port():
    """Returns a port that nobody listens on, for programs that cannot choose one. It is below those that the system gives to
    connections: none of them gets it before the program does."""
    while True:
        port = random.randrange(12_000, 32_000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue


def needs(tool, package):
    """Returns the decorator of a test that needs a program of the system. Without it, the test is skipped, and stderr tells
    that; with REQUIRE_TOOLS=yes, it fails."""
    if shutil.which(tool, path=os.environ.get("PATH", os.defpath) + ":/usr/sbin"):
        return lambda test: test
    why = f"{tool} is not installed (Debian package {package})"
    if os.environ.get("REQUIRE_TOOLS") == "yes":
        def fail(test):
            @functools.wraps(test)
            def failing(case):
                case.fail(f"{why}, and REQUIRE_TOOLS=yes")
            return failing
        return fail

    def skip(test):
        print(f"web-test: SKIPPED {test.__qualname__}: {why}", file=sys.stderr)
        return unittest.skip(why)(test)
    return skip


class Program:
    """A program that says on stdout when it is ready."""

    def __init__(self, words, *arguments, env=None, log=None, files=None):
        limit = files and (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files)))
        self.process = subprocess.Popen(
            arguments, stdout=subprocess.PIPE, stderr=log, env={**os.environ, **(env or {})}, text=True, bufsize=1,
            preexec_fn=limit
        )
        ready, _, _ = select.select([self.process.stdout], [], [], DEADLINE)
        line = self.process.stdout.readline() if ready else ""
        if not line.startswith(words):
            self.end()
            raise AssertionError(f"{arguments[0]} said {line!r} instead of {words!r}")
        self.fields = dict(word.split("=", 1) for word in line.split() if "=" in word)

    def end(self, number=signal.SIGTERM):
        """Ends the program, and returns its exit code."""
        self.process.send_signal(number)
        try:
            return self.process.wait(DEADLINE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()
        finally:
            self.process.stdout.close()


def broker(ingress="tcp://127.0.0.1:*", egress="tcp://127.0.0.1:*", directory=None):
    """Starts a broker, with a data directory or without."""
    return Program(
        "popup-broker ready", os.environ["BROKER"], "run", "--ingress", ingress, "--egress", egress,
        "--log-level", "warning", *(["--data-dir", directory] if directory else ["--durability", "memory"]),
    )


def gateway(broker, tokens, path, listen="127.0.0.1:0", env=None, streams=None, hooks=None, separate=(),
            arguments=(), log=None, files=None):
    """Starts a gateway of a broker, with tokens whose secrets are their names, and waits for the broker.

    `files`: its limit of open files.
    `separate`: the tokens with a connection of their own to the broker.
    `hooks`: the entries `hook` of some tokens. A token whose hook has a signature has no hash."""
    with open(path, "w", encoding="utf-8") as file:
        entries = [
            {"name": name, "sha256": hashlib.sha256(name.encode()).hexdigest(), "may": may,
             "streams": (streams or {}).get(name, 100), "separate": name in separate}
            for name, may in tokens.items()
        ]
        for entry in entries:
            if hook := (hooks or {}).get(entry["name"]):
                entry["hook"] = hook
                if "signature" in hook:
                    del entry["sha256"]
        json.dump({"tokens": entries}, file)
    program = Program(
        "popup-gateway ready", os.environ["GATEWAY"], "run", "--listen", listen, "--admin", "127.0.0.1:0",
        "--tokens", path, *arguments,
        env={
            "POPUP_BROKER_INGRESS": broker.fields["ingress"],
            "POPUP_BROKER_EGRESS": broker.fields["egress"],
            "POPUP_GATEWAY_DRAINMS": "200",
            "POPUP_GATEWAY_LIMITS_REQUESTS": "10000",
            **(env or {}),
        },
        log=log, files=files,
    )
    if program.fields["http"].startswith("http:"):
        program.port = int(program.fields["http"].rpartition(":")[2])
    program.admin = int(program.fields["admin"].rpartition(":")[2])
    wait_until_ready(program.admin)
    return program


def wait_until_ready(admin):
    """Waits until the gateway with this port for administration has reached the broker."""
    end = time.monotonic() + DEADLINE
    while ask(admin, "GET", "/readyz")[0] != 200:
        if time.monotonic() > end:
            raise AssertionError("the gateway does not reach the broker")
        time.sleep(0.05)


def ask(port, method, path, body=None, token="all", headers=None):
    """Returns status, headers and body of an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE)
    fields = {"Authorization": f"Bearer {token}"} if token else {}
    fields.update(headers or {})
    if isinstance(body, dict):
        body = json.dumps(body)
        fields.setdefault("Content-Type", "application/json")
    try:
        connection.request(method, path, body, fields)
        answer = connection.getresponse()
        content = answer.read()
        return answer.status, answer.headers, json.loads(content) if content[:1] in (b"{", b"[") else content
    finally:
        connection.close()


def json_lines(case, port, path, token="all", headers=None):
    """Opens a stream of JSON lines, which ends with the test: an iterator over its objects."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE)
    case.addCleanup(connection.close)
    connection.request("GET", path, None, {"Authorization": f"Bearer {token}", **(headers or {})})
    answer = connection.getresponse()
    case.addCleanup(answer.close)
    case.assertEqual(answer.status, 200)
    return (json.loads(line) for line in iter(answer.readline, b""))
