"""Other systems, each started on a free port of the loopback interface with a directory of its own, and ended by its id."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import time

from .failure import Failure
from .servers import Server

SERVERS = {
    "nats": "nats-server", "jetstream": "nats-server", "redis": "redis-server", "mosquitto": "mosquitto",
    "rabbitmq": "/usr/lib/rabbitmq/bin/rabbitmq-server",
}


def is_installed(name):
    return shutil.which(SERVERS[name]) is not None


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class PeerServer(Server):
    def __init__(self, name, directory):
        self.directory = directory
        self.port = free_port()
        self.endpoints = (f"127.0.0.1:{self.port}",) * 2
        self.beside = []
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir()
        environment = dict(os.environ)
        command = {
            "nats": self._nats, "jetstream": self._jetstream, "redis": self._redis, "mosquitto": self._mosquitto,
            "rabbitmq": self._rabbitmq,
        }[name](environment)
        with open(directory / "log", "wb") as log:
            super().__init__(command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self._wait(name)

    def _nats(self, _):
        return [SERVERS["nats"], "-a", "127.0.0.1", "-p", str(self.port)]

    def _jetstream(self, _):
        return [*self._nats(_), "-js", "-sd", str(self.directory)]

    def _redis(self, _):
        return [
            SERVERS["redis"], "--bind", "127.0.0.1", "--port", str(self.port), "--dir", str(self.directory), "--save", "",
            "--appendonly", "no", "--client-output-buffer-limit", "pubsub 0 0 0",
        ]

    def _mosquitto(self, _):
        configuration = self.directory / "mosquitto.conf"
        configuration.write_text(
            f"listener {self.port} 127.0.0.1\nallow_anonymous true\npersistence false\nset_tcp_nodelay true\n"
            "max_queued_messages 0\nmax_inflight_messages 0\n" + ("user root\n" if os.geteuid() == 0 else ""))
        return [SERVERS["mosquitto"], "-c", str(configuration)]

    def _rabbitmq(self, environment):
        # Its directory of nodes would be started as a daemon that stays: so there is one beside it, for it alone.
        names = free_port()
        self.beside.append(subprocess.Popen(["epmd", "-address", "127.0.0.1", "-port", str(names)]))
        environment |= {
            "HOME": str(self.directory), "ERL_EPMD_PORT": str(names), "ERL_EPMD_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODENAME": f"bench{self.port}@localhost", "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODE_PORT": str(self.port), "RABBITMQ_DIST_PORT": str(free_port()),
            "RABBITMQ_MNESIA_BASE": str(self.directory / "mnesia"), "RABBITMQ_LOG_BASE": str(self.directory / "logs"),
            "RABBITMQ_LOGS": "-", "RABBITMQ_ENABLED_PLUGINS_FILE": str(self.directory / "plugins"),
            "RABBITMQ_CONF_ENV_FILE": "/dev/null", "RABBITMQ_CONFIG_FILE": str(self.directory / "none"),
            # Its script then becomes the server, instead of one that waits for it.
            "RUNNING_UNDER_SYSTEMD": "true",
        }
        return [SERVERS["rabbitmq"]]

    def _wait(self, name):
        """Until somebody listens."""
        give_up = time.monotonic() + 60
        while time.monotonic() < give_up and self.process.poll() is None:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1):
                self.ready = time.monotonic()
                return
            time.sleep(0.05)
        log = (self.directory / "log").read_text(errors="replace").strip().splitlines()
        self.stop()
        raise Failure(f"{name} did not become ready: {' / '.join(log[-3:]) or 'it said nothing'}")

    def stop(self, number=signal.SIGTERM):
        super().stop(number)
        for process in self.beside:
            process.kill()
            process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)
