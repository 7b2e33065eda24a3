"""The processes in the middle: each of its own for one run."""

import os
import re
import signal
import subprocess
import time

from .failure import Failure

FREE = ("tcp://127.0.0.1:*",) * 2

CONFIGURATION = """\
# Each show takes its group's slot at once: one command in, one state out. Only below `l` all of them wait.
policies:
  - group: "*"
    peers: STOP
  - group: "l/*"
    higher: DEFER
    peers: DEFER
    lower: DEFER
ingress:
  highWaterMark: 10000
egress:
  refreshIntervalMs: 3600000
  highWaterMark: 10000
"""


class Server:
    """A process that was started, and is ended by its id."""

    def __init__(self, command, **options):
        self.started = time.monotonic()
        self.process = subprocess.Popen(command, **options)

    def cpu_seconds(self):
        """What all its threads have used up to now."""
        # The clock of another process, as clock_getcpuclockid(3) names it.
        return time.clock_gettime(~self.process.pid << 3 | 2)

    def resident_bytes(self):
        return self._memory("VmRSS")

    def most_resident_bytes(self):
        """The most that it had until now."""
        return self._memory("VmHWM")

    def _memory(self, name):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return int(re.search(rf"{name}:\s+(\d+)", status.read()).group(1)) * 1024

    def stop(self, number=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class ReadyServer(Server):
    """A relay or broker: it says where it is ready."""

    # What the environment of its clients has besides.
    client_environment = {}

    def __init__(self, command, **options):
        super().__init__(command, stdout=subprocess.PIPE, text=True, **options)
        line = self.process.stdout.readline()
        self.ready = time.monotonic()
        found = re.search(r"ready ingress=(\S+) egress=(\S+)", line)
        if not found:
            self.stop()
            raise Failure(f"{command[0]} did not become ready: {line.strip() or 'it ended'}")
        self.endpoints = found.groups()

    def stop(self, number=signal.SIGTERM):
        super().stop(number)
        self.process.stdout.close()


class Disk:
    """A directory on the disk of the durable broker, in the place of a server: its load writes there itself."""

    def __init__(self, directory):
        self.endpoints = (str(directory),)

    def cpu_seconds(self):
        return 0

    def stop(self):
        """Nothing runs."""


def settings(**limits):
    """Arguments that raise limits: `groups=2000000`."""
    return [argument for name, value in limits.items() for argument in ("--set", f"limits.{name}={value}")]


class Keys:
    """The keys of a relay or broker and of its client, in a directory."""

    def __init__(self, broker, directory):
        self.directory = directory
        self.server_public, self.server_secret = self._made(broker, "server")
        self.public, self.secret = self._made(broker, "client")

    def _made(self, broker, name):
        file = self.directory / f"{name}.key"
        subprocess.run([broker, "keys", "new", "--output", str(file)], check=True, stdout=subprocess.DEVNULL)
        text = file.read_text()
        return [re.search(f'{kind}-key = "(.{{40}})"', text).group(1) for kind in ("public", "secret")]

    @property
    def server_environment(self):
        return os.environ | {"BENCH_SERVER_KEY": self.server_secret}

    @property
    def client_environment(self):
        return {"BENCH_KEYS": f"{self.public} {self.secret} {self.server_public}"}

    def configuration(self, roles=""):
        """The section of a broker with these keys, at which the client has these roles; without any it may do all."""
        return CONFIGURATION + f"""\
security:
  curve: {{secretKeyFile: "{self.directory / 'server.key'}"}}
  users:
    - {{name: client, publicKey: "{self.public}"{roles}}}
  roles:
    limited:
      - {{groups: ["freight/*"], may: [show]}}
      - {{groups: ["b/*", "p/*"], may: [show, update, watch], maxPriority: 100, own: true}}
      - {{groups: ["*"], may: [watch]}}
"""


def room(groups):
    """Arguments with room for a number of groups of one producer, each with a popup. It may hold eight ninths of a limit."""
    return settings(groups=groups * 9 // 8 + 1000, popups=groups * 9 // 8 + 1000)
