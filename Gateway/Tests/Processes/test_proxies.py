"""The configurations of proxies that are shipped, each with the real proxy before a real gateway: states come at once, ids
keep their slashes, and the gateway learns the client's address."""

import http.client
import json
import os
import re
import signal
import socket
import ssl
import subprocess
import tempfile
import time
import unittest

from programs import DEADLINE, EVERYTHING, broker, free_port, gateway, needs

PACKAGING = os.path.join(os.path.dirname(__file__), "..", "..", "..", "Packaging", "proxy")
TOKENS = {"all": EVERYTHING}


def shipped(name, replacements):
    """Returns a file as it is shipped, with other addresses and files. Each replacement must fit."""
    with open(os.path.join(PACKAGING, name), encoding="utf-8") as file:
        text = file.read()
    for old, new in replacements:
        if old not in text:
            raise AssertionError(f"{name} does not have {old!r}")
        text = text.replace(old, new)
    return text


class ProxyTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.folder = directory.name
        cls.broker = broker()
        cls.addClassCleanup(cls.broker.end)
        cls.gateway = gateway(
            cls.broker, TOKENS, os.path.join(cls.folder, "tokens.yaml"),
            env={
                "POPUP_GATEWAY_PROXIES": "127.0.0.1", "POPUP_GATEWAY_HTTP_HOSTS": "popups.example",
                "POPUP_GATEWAY_LIMITS_STREAMSPERADDRESS": "3",
            })
        cls.addClassCleanup(cls.gateway.end)
        cls.certificate, cls.key = (os.path.join(cls.folder, name) for name in ("certificate.pem", "key.pem"))
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
             "-subj", "/CN=popups.example", "-keyout", cls.key, "-out", cls.certificate],
            check=True, capture_output=True, timeout=DEADLINE)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def start(self, *command):
        log = open(os.path.join(self.folder, "proxy.log"), "w+", encoding="utf-8")
        self.addCleanup(log.close)
        process = subprocess.Popen(
            command, stdout=log, stderr=log, cwd=self.folder, env={**os.environ, "HOME": self.folder})
        self.addCleanup(process.wait, DEADLINE)
        self.addCleanup(process.send_signal, signal.SIGTERM)
        end = time.monotonic() + DEADLINE
        while True:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            if process.poll() is not None or time.monotonic() > end:
                log.seek(0)
                self.fail(f"{command[0]} does not listen: {log.read()}")
            time.sleep(0.05)

    def connect(self):
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=DEADLINE, context=context)
        self.addCleanup(connection.close)
        return connection

    def ask(self, method, path, body=None):
        connection = self.connect()
        connection.request(method, path, body, {"Authorization": "Bearer all", "Host": "popups.example"})
        answer = connection.getresponse()
        content = answer.read()
        return answer.status, json.loads(content) if content[:1] == b"{" else content

    def stream(self, form, address=None):
        """Opens a stream, and returns its lines."""
        connection = self.connect()
        fields = {"Authorization": "Bearer all", "Host": "popups.example", "Accept": form}
        if address:
            fields["X-Forwarded-For"] = address
        connection.request("GET", "/v1/stream?group=hall", None, fields)
        answer = connection.getresponse()
        self.addCleanup(answer.close)
        self.assertEqual(answer.status, 200)
        return iter(answer.readline, b"")

    def find(self, words, lines):
        """Reads a stream until a line has these words. It sends something every 15 s."""
        end = time.monotonic() + DEADLINE
        for line in lines:
            if words in line:
                return
            self.assertLess(time.monotonic(), end, f"the stream does not have {words}")
        self.fail(f"the stream ended without {words}")

    def check_streams(self):
        """Checks that states come at once, and that an id with a slash is one."""
        for name, form, synced in (
            ("lines", "application/x-ndjson", b'"event":"synced"'), ("events", "text/event-stream", b"event: synced"),
        ):
            lines = self.stream(form)
            self.find(synced, lines)
            began = time.monotonic()
            # An id is shown once.
            proxy = self._testMethodName
            status, shown = self.ask("POST", f"/v1/show/hall?duration=60s&id={proxy}%2F{name}", f"As {name}")
            self.assertEqual((status, shown), (201, {"id": f"{proxy}/{name}"}))
            self.find(f"As {name}".encode(), lines)
            # A proxy that buffers sends it with a `ping`, 15 s later, at the earliest.
            self.assertLess(time.monotonic() - began, 12, "the proxy holds states back")
            # The id is one segment.
            self.assertEqual(self.ask("DELETE", f"/v1/popups/{proxy}%2F{name}")[0], 200)

    def check(self):
        """Checks what a gateway behind the proxy must do."""
        self.check_streams()
        # The proxy says that the client uses TLS, whatever the client says.
        connection = self.connect()
        connection.request("POST", "/v1/session-cookie", None, {
            "Authorization": "Bearer all", "Host": "popups.example", "X-Forwarded-Proto": "http"})
        answer = connection.getresponse()
        answer.read()
        self.assertTrue(answer.headers["Set-Cookie"].startswith("__Host-popup="), answer.headers["Set-Cookie"])
        # A client cannot name an address of its choice: the last one counts, which the proxy has added. It is that of this
        # machine, which has no limit.
        for _ in range(4):
            self.find(b'"event":"synced"', self.stream("application/x-ndjson", address="192.0.2.7"))

    def start_nginx(self, site):
        """Starts nginx with Debian's main file in short: buffering and the rest have their defaults."""
        paths = "".join(
            f"{name}_temp_path {self.folder}/{name};" for name in
            ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        main = self.write("main.conf", (
            f"daemon off; pid {self.folder}/nginx.pid; error_log stderr;\n"
            f"events {{}}\nhttp {{ access_log off; gzip on; {paths}\n{site}}}\n"))
        self.start("/usr/sbin/nginx", "-e", "stderr", "-p", self.folder, "-c", main)

    @needs("nginx", "nginx")
    def test_nginx_with_nothing_but_the_address_of_the_gateway(self):
        # It asks by HTTP/1.0, and buffers what does not ask it to refrain.
        self.port = free_port()
        self.start_nginx(
            f"server {{ listen 127.0.0.1:{self.port} ssl; ssl_certificate {self.certificate};\n"
            f"ssl_certificate_key {self.key}; location / {{ proxy_pass http://127.0.0.1:{self.gateway.port}; }} }}\n")
        self.check_streams()

    @needs("nginx", "nginx")
    def test_nginx(self):
        self.port = free_port()
        site = shipped("nginx.conf", [
            ("listen 443", f"listen 127.0.0.1:{self.port}"), ("    listen [::]:443 ssl http2;\n", ""),
            ("/etc/ssl/certs/popups.example.pem", self.certificate), ("/etc/ssl/private/popups.example.key", self.key),
            ("127.0.0.1:8570", f"127.0.0.1:{self.gateway.port}"),
        ])
        self.start_nginx(site)
        self.check()

    @needs("caddy", "caddy")
    def test_caddy(self):
        self.port = free_port()
        site = shipped("Caddyfile", [
            ("\npopups.example {", f"\nhttps://popups.example:{self.port}, https://127.0.0.1:{self.port} {{\n"
             f"\ttls {self.certificate} {self.key}"),
            ("127.0.0.1:8570", f"127.0.0.1:{self.gateway.port}"),
        ])
        path = self.write("Caddyfile", f"{{\n\tadmin off\n\tauto_https disable_redirects\n\tgrace_period 1s\n}}\n{site}")
        self.start("caddy", "run", "--adapter", "caddyfile", "--config", path)
        self.check()

    @needs("haproxy", "haproxy")
    def test_haproxy(self):
        self.port = free_port()
        with open(self.certificate, encoding="utf-8") as certificate, open(self.key, encoding="utf-8") as key:
            both = self.write("both.pem", certificate.read() + key.read())
        path = self.write("haproxy.cfg", shipped("haproxy.cfg", [
            ("bind :443", f"bind 127.0.0.1:{self.port}"), ("/etc/haproxy/popups.example.pem", both),
            ("127.0.0.1:8570", f"127.0.0.1:{self.gateway.port}"), ("maxconn 20000", "maxconn 200"),
        ]))
        self.start("/usr/sbin/haproxy", "-db", "-f", path)
        self.check()

    def test_each_file_is_documented(self):
        with open(os.path.join(PACKAGING, "..", "..", "Documentation", "Gateway.md"), encoding="utf-8") as file:
            text = file.read()
        for name in os.listdir(PACKAGING):
            self.assertTrue(re.search(rf"\(\.\./Packaging/proxy/{re.escape(name)}\)", text), name)


if __name__ == "__main__":
    unittest.main()
