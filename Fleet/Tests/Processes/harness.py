"""What the tests of processes share: members of etcd, nodes, a proxy between them that can be cut, and waiting.

FLEET_TRIAL, POPUP_FLEET: the programs. SEED: repeats the choice of faults. FAULTS: only these, separated by commas."""
import os
import random
import select
import signal
import socket
import subprocess
import threading
import time

SEED = int(os.environ.get("SEED") or random.randrange(1 << 32))
TRIAL = os.environ["FLEET_TRIAL"]
FLEET = os.environ["POPUP_FLEET"]
LONGEST_TAKE_OVER = 30  # seconds
PATIENCE = 60  # seconds for what has to happen; the design says 10 on a quiet machine


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def eventually(what, is_so):
    end = time.monotonic() + PATIENCE
    while True:
        found = is_so()
        if found:
            return found
        if time.monotonic() > end:
            raise AssertionError(f"not within {PATIENCE} s: {what} (SEED={SEED})")
        time.sleep(0.02)


class Process:
    """A process that is ended with the test."""

    every = []

    def __init__(self, name, arguments, folder):
        self.output = os.path.join(folder, name + ".out")
        with open(self.output, "wb") as output, open(os.path.join(folder, name + ".err"), "wb") as errors:
            self.process = subprocess.Popen(arguments, stdout=output, stderr=errors, stdin=subprocess.DEVNULL)
        self.is_stopped = False
        Process.every.append(self)

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

    @property
    def is_running(self):
        return self.process.poll() is None


class Etcd:
    """Three members. What the others say to one goes through a path that can be cut."""

    def __init__(self, folder, *options):
        self.folder, self.options = folder, options
        self.ports = free_ports(6)
        self.members = [None] * 3
        self.peer_paths = [Path(port) for port in self.ports[1::2]]
        for number in range(3):
            self.start(number)

    @property
    def endpoints(self):
        return [f"http://127.0.0.1:{self.ports[number * 2]}" for number in range(3)]

    def start(self, number):
        peers = [path.endpoint for path in self.peer_paths]
        listener = f"http://127.0.0.1:{self.ports[number * 2 + 1]}"
        client = self.endpoints[number]
        self.members[number] = Process(f"etcd-{number}-{time.monotonic_ns()}", [
            "/usr/bin/etcd", "--name", f"m{number}", "--data-dir", os.path.join(self.folder, f"m{number}"),
            "--listen-client-urls", client, "--advertise-client-urls", client, "--listen-peer-urls", listener,
            "--initial-advertise-peer-urls", peers[number],
            "--initial-cluster", ",".join(f"m{one}={peers[one]}" for one in range(3)),
            "--log-level", "error", "--logger", "zap", *self.options], self.folder)

    def leader(self):
        for number, endpoint in enumerate(self.endpoints):
            done = subprocess.run(
                ["etcdctl", "--endpoints", endpoint, "endpoint", "status", "-w", "fields"], capture_output=True,
                text=True, env={**os.environ, "ETCDCTL_API": "3"}, check=False)
            fields = dict(line.split(" : ", 1) for line in done.stdout.splitlines() if " : " in line)
            if fields and fields.get('"MemberID"') == fields.get('"Leader"'):
                return number
        return 0


class Path:
    """A TCP proxy to a port: the path of one node to a member of etcd, for example. Cut, nothing passes in either direction;
    half-cut, what is said arrives and no answer comes back. Connections stay open, as with a network that loses packets."""

    every = []

    def __init__(self, port):
        self.target = port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.loses_requests = self.loses_answers = False
        self.is_ended = False
        Path.every.append(self)
        threading.Thread(target=self.accept, daemon=True).start()

    @property
    def endpoint(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def tcp(self):
        return f"tcp://127.0.0.1:{self.port}"

    def cut(self):
        self.loses_requests = self.loses_answers = True

    def half_cut(self):
        self.loses_answers = True

    def restore(self):
        self.loses_requests = self.loses_answers = False

    def accept(self):
        while not self.is_ended:
            try:
                node, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(node,), daemon=True).start()

    def serve(self, node):
        try:
            member = socket.create_connection(("127.0.0.1", self.target), timeout=5)
        except OSError:
            node.close()
            return
        has_lost = False
        with node, member:
            while not self.is_ended:
                # What was lost on the way is lost for good: the connection must not go on without it.
                if has_lost and not (self.loses_requests or self.loses_answers):
                    return
                for source in select.select([node, member], [], [], 0.1)[0]:
                    try:
                        piece = source.recv(1 << 16)
                        if not piece:
                            return
                        if self.loses_requests if source is node else self.loses_answers:
                            has_lost = True
                            continue
                        (member if source is node else node).sendall(piece)
                    except OSError:
                        return


class Paths:
    """The paths of one node to all members, its favourite first."""

    def __init__(self, etcd, favourite):
        ports = etcd.ports[::2]
        self.paths = [Path(port) for port in ports[favourite:] + ports[:favourite]]

    @property
    def endpoints(self):
        return ",".join(path.endpoint for path in self.paths)

    def cut(self):
        for path in self.paths:
            path.cut()

    def half_cut(self):
        for path in self.paths:
            path.half_cut()

    def restore(self):
        for path in self.paths:
            path.restore()


class Nodes:
    """Three nodes, each with its own paths to etcd. A subclass says what a node is, and how it says that it owns."""

    def __init__(self, folder, etcd):
        self.folder, self.etcd = folder, etcd
        self.paths = [Paths(etcd, rank) for rank in range(3)]
        self.count = 0
        self.running = {}
        for rank in range(3):
            self.start(rank)

    def start(self, rank):
        self.count += 1
        self.running[rank] = Process(f"node-{self.count:03}", self.command(rank), self.folder)

    def command(self, rank):
        """The command line of a node."""
        raise NotImplementedError

    def epoch(self, line):
        """The epoch of the tenure that a line of a node tells of; None for another line."""
        raise NotImplementedError

    def lines(self, rank):
        with open(self.running[rank].output, encoding="utf-8") as file:
            return file.read().splitlines(keepends=True)

    def owner(self):
        """The rank of the running process that began the newest epoch, and that epoch."""
        newest, owner = 0, None
        for rank, process in self.running.items():
            if not process.is_running or process.is_stopped:
                continue
            for line in self.lines(rank):
                epoch = self.epoch(line) if line.endswith("\n") else None
                if epoch is not None and epoch > newest:
                    newest, owner = epoch, rank
        return owner, newest

    def known_owner(self):
        """The same, as soon as there is one."""
        def known():
            found = self.owner()
            return found if found[0] is not None else None
        return eventually("an owner", known)

    def revive(self):
        """Lets stopped nodes go on, restores all paths, and starts those again that have ended."""
        for path in Path.every:
            path.restore()
        for process in self.running.values():
            process.go_on()
        for rank, process in list(self.running.items()):
            if process.is_running:
                continue
            code = process.process.returncode
            with open(process.output.replace(".out", ".err"), encoding="utf-8") as file:
                said = file.read()[-2000:]
            assert code in (0, 76, -signal.SIGKILL), f"the node of rank {rank} ended with {code} (SEED={SEED}): {said}"
            self.start(rank)


def choice_of_faults(faults, rounds, dice):
    """Each fault once, in an order of the dice, before one comes again. FAULTS="kill owner,stop owner" has only these."""
    if os.environ.get("FAULTS"):
        wanted = os.environ["FAULTS"].split(",")
        assert set(wanted) <= set(faults), f"{wanted} are not all among {faults}"
        faults = wanted
    chosen = []
    while len(chosen) < rounds:
        chosen += dice.sample(faults, len(faults))
    return chosen[:rounds]


def check_takeovers(seconds):
    """A take-over takes as long as a lease and what follows it; the bound is for a machine that is busy with other things."""
    print(f"take-overs after a kill, a pause or a cut: {', '.join(f'{one:.1f}' for one in seconds)} s")
    assert max(seconds, default=0) < LONGEST_TAKE_OVER, f"{max(seconds):.1f} s (SEED={SEED})"


def end_all():
    """Ends all processes and paths of a test."""
    for process in Process.every:
        process.kill()
    for path in Path.every:
        path.is_ended = True
        path.listener.close()
    Process.every.clear()
    Path.every.clear()
