"""popup-fleet and popupctl as an operator uses them, and brokers that run at endpoints of their own.

POPUP_FLEET, POPUPCTL: the programs; with what harness.py needs."""
import os
import signal
import subprocess
import time

from harness import FLEET, Process, eventually, free_ports

POPUPCTL = os.environ["POPUPCTL"]


def fleet(*arguments, code=0, environment=None):
    """Runs popup-fleet, and returns what it prints and what it says on standard error.

    code: The exit code that is expected; None for any."""
    done = subprocess.run([FLEET, *arguments], capture_output=True, text=True, env=environment, check=False)
    assert code in (None, done.returncode), (arguments, done.returncode, done.stdout[-1000:], done.stderr[-1000:])
    return done.stdout + done.stderr


def popupctl(*arguments):
    """Runs popupctl, and returns how it has ended. It waits for longer than a machine needs that is busy."""
    patience = [] if "--timeout" in arguments else ["--timeout", "30s"]
    return subprocess.run([POPUPCTL, *arguments, *patience], capture_output=True, text=True, check=False)


class Broker:
    """A broker that runs: alone, or that of a node."""

    def __init__(self, folder, name, *program, ports=None, environment=None, streams=None):
        """Starts it.

        program: Its command line without endpoints. ports: Two or more; by default some that are free. streams: The
        descriptor to which it writes; by default, files."""
        self.name, self.ports = name, ports or free_ports(2)
        self.ingress, self.egress = (f"tcp://127.0.0.1:{port}" for port in self.ports[:2])
        self.here = ["--ingress", self.ingress, "--egress", self.egress]
        self.process = Process(f"{name}-{time.monotonic_ns()}", [*program, *self.here], folder, environment, streams=streams)

    def said(self, end=".out"):
        return self.process.said(end)

    def control(self, *arguments):
        return popupctl(*arguments, *self.here)

    def shows(self, popup, group="a"):
        shown = self.control("show", "--group", group, "--id", popup, "x")
        assert shown.returncode == 0, shown

    def knows(self, *popups):
        for popup in popups:
            found = self.control("explain", popup)
            assert found.returncode == 0, (popup, found)

    def ends(self, code=0, within=100):
        """Waits until it ends by itself, with an exit code."""
        assert self.process.process.wait(within) == code, self.said(".err")

    def end(self):
        """Asks it to end, and waits for that."""
        self.process.send(signal.SIGTERM)
        self.ends()


class Node(Broker):
    """A node of a shard, whose broker runs when it owns it."""

    def __init__(self, folder, where, name="left", *options, **others):
        """where: The options that say where the log is. others: Those of a broker."""
        super().__init__(folder, name, FLEET, "run", *where, "--node", name, *options, **others)

    def owns(self):
        eventually(f"{self.name} owns the shard", lambda: " ready " in self.said())
        return self

    def stands_by(self):
        eventually(f"{self.name} is a standby", lambda: " standby " in self.said())
        return self
