"""What serves streams over HTTP, and what follows them: each of its own for one run, ended by its id."""

import contextlib
import hashlib
import os
import pathlib
import re
import shutil
import socket
import subprocess
import threading
import time
import urllib.request

from .failure import Failure
from .peers import free_port
from .servers import ReadyServer, Server

TOKEN = "pg_benchmark"
TOKENS = f"""\
tokens:
  - name: bench
    sha256: {hashlib.sha256(TOKEN.encode()).hexdigest()}
    may: {{show: ["*"], watch: ["*"]}}
    streams: 100000
    requests: 1000000
"""
PROGRAMS = {"nchan": "nginx", "pushpin": "pushpin"}
NCHAN_MODULE = pathlib.Path("/usr/lib/nginx/modules/ngx_nchan_module.so")


def is_installed(name):
    return shutil.which(PROGRAMS[name]) is not None and (name != "nchan" or NCHAN_MODULE.exists())


def processes(pid):
    """A process and all that it started."""
    found = [pid]
    with contextlib.suppress(OSError):
        for children in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
            for child in children.read_text(encoding="ascii").split():
                found += processes(int(child))
    return found


def resident_bytes(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    found = re.search(r"VmRSS:\s+(\d+)", status)
    return int(found.group(1)) * 1024 if found else 0


def kernel_bytes():
    """What the sockets of this machine hold in the kernel."""
    sockets = pathlib.Path("/proc/net/sockstat").read_text(encoding="ascii")
    return int(re.search(r"TCP:.* mem (\d+)", sockets).group(1)) * os.sysconf("SC_PAGE_SIZE")


class StreamServer:
    """A server of streams: where they are, and where messages for them go."""

    path = "/streams/b/%07u"
    header = ""
    # Then all send about as many bytes as a state with a text of 200 bytes has.
    text_bytes = 420

    def __init__(self):
        self.running = []

    def started(self, command, directory, port):
        """Starts a server that does not say when it is ready, and waits until somebody listens."""
        with open(directory / "log", "ab") as log:
            server = Server(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.running.append(server)
        give_up = time.monotonic() + 30
        while time.monotonic() < give_up and server.process.poll() is None:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                return
            time.sleep(0.05)
        said = (directory / "log").read_text(errors="replace").strip().splitlines()
        self.stop()
        raise Failure(f"{command[0]} did not become ready: {' / '.join(said[-3:]) or 'it said nothing'}")

    def resident_bytes(self):
        return sum(resident_bytes(pid) for server in self.running for pid in processes(server.process.pid))

    def cpu_seconds(self):
        """What the server's processes have used; those that it started stand beside it in the system's table."""
        ticks = 0
        for server in self.running:
            for pid in processes(server.process.pid):
                fields = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
                ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def stop(self):
        for server in reversed(self.running):
            server.stop()
            if server.process.stdout:
                server.process.stdout.close()
        self.running = []


class BareRelay(StreamServer):
    """One process that does nothing but to write each message to all."""

    def __init__(self, bench, directory):
        super().__init__()
        server = Server([str(bench.built / "stream-relay")], stdout=subprocess.PIPE, text=True)
        self.running.append(server)
        self.address = server.process.stdout.readline().removeprefix("ready ").strip()
        self.publish = f"{self.address}/b"


class Nchan(StreamServer):
    """nginx with nchan, one process for all streams: with two, each message goes from the one to the other, too."""

    def __init__(self, bench, directory):
        super().__init__()
        port = free_port()
        self.address = f"127.0.0.1:{port}"
        self.publish = f"{self.address}/publish/b/%07u"
        configuration = directory / "nginx.conf"
        configuration.write_text(f"""\
load_module {NCHAN_MODULE};
{"user root;" if os.geteuid() == 0 else ""}
daemon off; pid {directory}/pid; error_log stderr error;
worker_processes 1; worker_rlimit_nofile 60000;
events {{ worker_connections 50000; multi_accept on; }}
http {{
  access_log off; client_body_temp_path {directory}/body; proxy_temp_path {directory}/proxy; fastcgi_temp_path {directory}/fastcgi;
  uwsgi_temp_path {directory}/uwsgi; scgi_temp_path {directory}/scgi; client_body_buffer_size 16k;
  keepalive_requests 100000000; keepalive_timeout 1h; nchan_shared_memory_size 256m;
  server {{
    listen {self.address} backlog=4096;
    location ~ ^/streams/(.+)$ {{ nchan_subscriber eventsource; nchan_channel_id $1; nchan_subscriber_first_message newest; }}
    location ~ ^/publish/(.+)$ {{ nchan_publisher; nchan_channel_id $1; nchan_message_buffer_length 1; }}
  }}
}}
""")
        self.started([PROGRAMS["nchan"], "-p", str(directory), "-c", str(configuration)], directory, port)


class Pushpin(StreamServer):
    """pushpin, with the streams that it has for tests: they need no server behind it."""

    path = "/stream"

    def __init__(self, bench, directory):
        super().__init__()
        port, intake = free_port(), free_port()
        self.address = f"127.0.0.1:{port}"
        self.publish = f"grip:127.0.0.1:{intake}/publish/"
        (directory / "routes").write_text("* test\n")
        configuration = directory / "pushpin.conf"
        configuration.write_text(f"""\
[global]
include=/usr/lib/pushpin/internal.conf
rundir={directory}/run
ipc_prefix=bench-
port_offset=0
[runner]
services=condure,pushpin-proxy,pushpin-handler
http_port=127.0.0.1:{port}
logdir={directory}
log_level=1
client_buffer_size=4096
client_maxconn=50000
[proxy]
routesfile={directory}/routes
updates_check=off
[handler]
push_in_spec=tcp://127.0.0.1:{free_port()}
push_in_sub_specs=tcp://127.0.0.1:{free_port()}
push_in_http_addr=127.0.0.1
push_in_http_port={intake}
push_in_http_max_headers_size=10000
push_in_http_max_body_size=1000000
command_spec=tcp://127.0.0.1:{free_port()}
message_rate=100000000
message_hwm=10000000
""")
        self.started([PROGRAMS["pushpin"], f"--config={configuration}"], directory, port)
        # It listens before its parts have found each other.
        time.sleep(2)


class Gateway(StreamServer):
    """A gateway, with a broker of its own."""

    path = "/v1/stream?group=b/%07u"
    header = f"Authorization: Bearer {TOKEN}"
    text_bytes = 200

    def __init__(self, bench, directory):
        super().__init__()
        self.broker = ReadyServer(bench.broker_command("--durability", "memory"))
        self.endpoints = self.broker.endpoints
        self.publish = self.endpoints[0]
        tokens, configuration = directory / "tokens.yaml", directory / "gateway.yaml"
        tokens.write_text(TOKENS)
        configuration.write_text(f"""\
http: {{listen: "127.0.0.1:0"}}
admin: {{listen: "127.0.0.1:0"}}
broker: {{ingress: "{self.endpoints[0]}", egress: "{self.endpoints[1]}"}}
tokens: "{tokens}"
""")
        # It complains of streams that leave when it ends.
        with open(directory / "log", "wb") as log:
            gateway = Server(
                [bench.gateway, "run", "--config", str(configuration)], stdout=subprocess.PIPE, stderr=log, text=True)
        self.running.append(gateway)
        ready = re.search(r"http=http://(\S+) admin=http://(\S+)", gateway.process.stdout.readline())
        if not ready:
            said = (directory / "log").read_text(errors="replace").strip().splitlines()
            self.stop()
            raise Failure(f"the gateway did not become ready: {' / '.join(said[-3:]) or 'it said nothing'}")
        self.address, self.admin = ready.groups()
        self.process = gateway.process
        self.wait_for("popup_gateway_broker_connected", 1)

    def metric(self, name):
        with urllib.request.urlopen(f"http://{self.admin}/metrics", timeout=30) as answer:
            text = answer.read().decode()
        return sum(float(value) for value in re.findall(rf"^{re.escape(name)} (\S+)$", text, re.MULTILINE))

    def wait_for(self, name, value, seconds=30):
        """Waits until a metric has at least a value. Returns the time that it took; `None` if it did not come."""
        start = time.monotonic()
        while time.monotonic() < start + seconds:
            if self.metric(name) >= value:
                return time.monotonic() - start
            time.sleep(0.1)
        return None

    def stop(self):
        super().stop()
        self.broker.stop()


SERVERS = {"bare": BareRelay, "nchan": Nchan, "pushpin": Pushpin, "gateway": Gateway}


@contextlib.contextmanager
def serving(bench, name):
    """One of its own for a run."""
    directory = bench.directory / name
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir()
    server = SERVERS[name](bench, directory)
    try:
        yield server
    finally:
        server.stop()
        shutil.rmtree(directory, ignore_errors=True)


class Readers:
    """The streams of a server, in one process, and the publisher."""

    PATIENCE = 120

    def __init__(self, bench, server, path=None, text_bytes=None):
        self.process = subprocess.Popen(
            [str(bench.built / "load-streams"), server.address, path or server.path, server.header, server.publish,
             str(text_bytes or server.text_bytes)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, command, **options):
        """The figures of a command."""
        line = " ".join([command, *(f"{name}={value}" for name, value in options.items())])
        # Whatever hangs ends within bounds.
        watchdog = threading.Timer(self.PATIENCE, self.process.kill)
        watchdog.start()
        try:
            self.process.stdin.write(f"{line}\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        finally:
            watchdog.cancel()
        if not answer:
            raise Failure(f"load-streams: `{line}` had no answer")
        return {name: float(value) for name, value in (pair.split("=") for pair in answer.split())}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # It has no files, and its streams close with it.
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()
