"""The processes in the middle: each of its own for one run."""

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
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1)) * 1024

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

    def __init__(self, command):
        super().__init__(command, stdout=subprocess.PIPE, text=True)
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


def settings(**limits):
    """Arguments that raise limits: `groups=2000000`."""
    return [argument for name, value in limits.items() for argument in ("--set", f"limits.{name}={value}")]
