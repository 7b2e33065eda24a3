"""Processes on loopback, for the tests and for the demo: free ports, a process that is ended with them, a member of etcd."""
import os
import random
import signal
import socket
import subprocess
import threading

# What Documentation/Fleet.md asks of etcd.
ETCD_OPTIONS = ["--quota-backend-bytes=8589934592", "--snapshot-count=1000", "--auto-compaction-mode=periodic",
                "--auto-compaction-retention=1m"]


def free_ports(count):
    """Ports of loopback for programs that bind them later, and again after a kill. They are below those that the system gives
    to connections: none of them gets one meanwhile."""
    dice = random.SystemRandom()
    sockets, ports = [], []
    while len(ports) < count:
        port = dice.randrange(12_000, 32_000)
        sockets.append(socket.socket())
        try:
            sockets[-1].bind(("127.0.0.1", port))
        except OSError:
            continue
        ports.append(port)
    for one in sockets:
        one.close()
    return ports


def member_of_etcd(number, folder, client, listener, peers):
    """The command line of a member.

    number: Its place among `peers`. client, listener: Where it listens to clients, and to the other members.
    peers: Where the members find one another."""
    return ["/usr/bin/etcd", "--name", f"m{number}", "--data-dir", os.path.join(folder, f"m{number}"),
            "--listen-client-urls", client, "--advertise-client-urls", client, "--listen-peer-urls", listener,
            "--initial-advertise-peer-urls", peers[number],
            "--initial-cluster", ",".join(f"m{one}={peer}" for one, peer in enumerate(peers)),
            "--log-level", "error", "--logger", "zap", *ETCD_OPTIONS]


def run_etcdctl(endpoint, *arguments, check=False):
    """Runs etcdctl for as long as a busy machine needs, and returns how it has ended."""
    return subprocess.run(
        ["etcdctl", "--endpoints", endpoint, "--dial-timeout", "30s", "--command-timeout", "60s", *arguments],
        capture_output=True, text=True, env={**os.environ, "ETCDCTL_API": "3"}, check=check)


class Process:
    """A process that is ended with the test."""

    every = []

    def __init__(self, name, arguments, folder, environment=None, hear=None, streams=None):
        """Starts it. It writes to files in `folder`; or its lines go to `hear`; or all goes to the descriptor `streams`."""
        self.output = os.path.join(folder, name + ".out")
        with open(self.output, "wb") as output, open(os.path.join(folder, name + ".err"), "wb") as errors:
            self.process = subprocess.Popen(arguments, stdout=subprocess.PIPE if hear else streams or output,
                                            stderr=streams or errors, stdin=subprocess.DEVNULL, env=environment)
        self.is_stopped = False
        Process.every.append(self)
        if hear:
            threading.Thread(target=self.listen, args=(hear,), daemon=True).start()

    def listen(self, hear):
        for line in self.process.stdout:
            hear(line.decode().rstrip())

    def send(self, number):
        self.process.send_signal(number)

    def stop(self):
        self.is_stopped = True
        self.send(signal.SIGSTOP)

    def go_on(self):
        self.is_stopped = False
        if self.is_running:
            self.send(signal.SIGCONT)

    def kill(self):
        if self.is_running:
            self.process.kill()
        self.process.wait()

    def said(self, end=".out"):
        """What it has written to its standard output so far, or with ".err" to its standard error."""
        with open(self.output.removesuffix(".out") + end, encoding="utf-8") as file:
            return file.read()

    @property
    def is_running(self):
        return self.process.poll() is None

    @classmethod
    def kill_all(cls):
        for process in cls.every:
            process.kill()
        cls.every.clear()
