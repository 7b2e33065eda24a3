"""What the parts measure with: servers, the load, and a directory on the disk that is meant."""

import contextlib
import os
import shutil
import subprocess
import sys

from .failure import Failure
from .peers import PeerServer
from .servers import CONFIGURATION, FREE, Disk, Keys, ReadyServer


class Bench:
    def __init__(self, options, scale, directory):
        self.built = options.built
        self.broker = options.broker
        self.gateway = options.gateway
        # The directory of its programs.
        self.fleet = options.fleet
        self.scale = scale
        self.directory = directory
        self.data = directory / "data"
        self.configuration = directory / "bench.yaml"
        self.configuration.write_text(CONFIGURATION)
        self.keys = None

    def broker_command(self, *arguments, endpoints=FREE, configuration=None):
        return [
            self.broker, "run", "--config", str(configuration or self.configuration), "--log-level", "error",
            "--ingress", endpoints[0], "--egress", endpoints[1], *arguments,
        ]

    def durable_command(self, *arguments, endpoints=FREE):
        return self.broker_command("--durability", "full", "--data-dir", str(self.data), *arguments, endpoints=endpoints)

    def start(self, name, arguments=()):
        if name == "relay":
            return ReadyServer([str(self.built / "relay"), *FREE])
        if name == "split-relay":
            return ReadyServer([str(self.built / "relay"), *FREE, "split"])
        if name == "broker":
            return ReadyServer(self.broker_command("--durability", "memory", *arguments))
        if name == "durable":
            return ReadyServer(self.durable_command(*arguments))
        if name == "disk":
            return Disk(self.data)
        if name.startswith("curve-"):
            return self.start_with_keys(name)
        return PeerServer(name, self.directory / name)

    def start_with_keys(self, name):
        if self.keys is None:
            self.keys = Keys(self.broker, self.directory)
        if name == "curve-relay":
            server = ReadyServer([str(self.built / "relay"), *FREE], env=self.keys.server_environment)
        else:
            configuration = self.directory / f"{name}.yaml"
            configuration.write_text(self.keys.configuration(", roles: [limited]" if name == "curve-limited" else ""))
            server = ReadyServer(self.broker_command("--durability", "memory", configuration=configuration))
        server.client_environment = self.keys.client_environment
        return server

    def forget_data(self):
        shutil.rmtree(self.data, ignore_errors=True)

    def data_bytes(self):
        return sum(file.stat().st_size for file in self.data.iterdir() if file.is_file())

    @contextlib.contextmanager
    def running(self, name, arguments=()):
        """One of its own for a run; a durable one begins with an empty directory."""
        self.forget_data()
        server = self.start(name, arguments)
        try:
            yield server
        finally:
            server.stop()
            self.forget_data()

    def load(self, server, workload, program="load-zeromq", **options):
        """Figures of a run, which failed if anything was lost or came twice."""
        arguments = [f"{name}={value}" for name, value in options.items()]
        command = [str(self.built / program), *([workload] if workload else []), *server.endpoints, *arguments]
        environment = os.environ | getattr(server, "client_environment", {})
        load = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=900, env=environment)
        figures = {name: float(value) for name, value in (pair.split("=") for pair in load.stdout.split())}
        if load.returncode != 0:
            found = load.stdout.strip() or "it printed nothing"
            raise Failure(f"{' '.join([program, workload or '', *arguments])} failed: {found}")
        return figures


def tell(text):
    """What is being done, where somebody watches."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
