"""What the tests of processes share: members of etcd, nodes, a proxy between them that can be cut, and waiting.

FLEET_TRIAL, POPUP_FLEET: the programs. SEED: repeats the choice of faults. FAULTS: only these, separated by commas.
LONGEST_TAKE_OVER: the seconds that a take-over may take (10). SLACK: a factor for all such limits, for a machine that is busy
with other things (1)."""
import os
import random
import re
import select
import signal
import socket
import statistics
import subprocess
import threading
import time
from collections import deque

from processes import Process, free_ports, member_of_etcd

SEED = int(os.environ.get("SEED") or random.randrange(1 << 32))
TRIAL = os.environ["FLEET_TRIAL"]
FLEET = os.environ["POPUP_FLEET"]
SLACK = float(os.environ.get("SLACK") or 1)
LONGEST_TAKE_OVER = float(os.environ.get("LONGEST_TAKE_OVER") or 10) * SLACK  # seconds
LONGEST_HAND_OVER = 1.0 * SLACK  # seconds
USUAL_TAKE_OVER = 5.0 * SLACK  # seconds that half of them may take
LEAST_FOR_HALF = 5  # take-overs of which half are looked at
PATIENCE = 180  # seconds for what has to happen, without a limit of its own


def eventually(what, is_so):
    end = time.monotonic() + PATIENCE
    while True:
        found = is_so()
        if found:
            return found
        if time.monotonic() > end:
            raise AssertionError(f"not within {PATIENCE} s: {what} (SEED={SEED})")
        time.sleep(0.02)


class Pauses(threading.Thread):
    """How long this machine let a thread wait that wanted to run: such time is no product's, and does not count as that of a
    take-over. A thread sleeps for a short time, again and again, and is late."""

    STEP, LEAST = 0.05, 0.2  # seconds: that it sleeps, and that it has to be late so that it counts

    def __init__(self):
        super().__init__(daemon=True)
        self.found = []
        self.start()

    def run(self):
        before = time.monotonic()
        while True:
            time.sleep(self.STEP)
            now = time.monotonic()
            if now - before - self.STEP > self.LEAST:
                self.found.append((before + self.STEP, now))
            before = now

    def within(self, began, ended):
        """The seconds of pauses in a time."""
        return sum(max(0.0, min(ended, end) - max(began, begin)) for begin, end in self.found)

    def without(self, began, ended):
        """The seconds of a time without its pauses."""
        return ended - began - self.within(began, ended)


PAUSES = Pauses()


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
            *member_of_etcd(number, self.folder, client, listener, peers), *self.options], self.folder)

    def create(self):
        """Creates the log of the shard, as soon as a quorum answers. Returns the options that say where it is."""
        where = ["--endpoints", ",".join(self.endpoints)]
        eventually("the log is created", lambda: subprocess.run(
            [FLEET, "create", *where], capture_output=True, check=False).returncode in (0, 73))
        return where

    def restore(self, backup):
        """Stops all members, and starts them with the content of a backup."""
        for member in self.members:
            member.kill()
        peers = [path.endpoint for path in self.peer_paths]
        for number, peer in enumerate(peers):
            data = os.path.join(self.folder, f"m{number}")
            os.rename(data, data + ".old")
            subprocess.run([
                "etcdctl", "snapshot", "restore", backup, "--name", f"m{number}", "--data-dir", data,
                "--initial-cluster", ",".join(f"m{one}={other}" for one, other in enumerate(peers)),
                "--initial-advertise-peer-urls", peer], capture_output=True, env={**os.environ, "ETCDCTL_API": "3"},
                check=True)
            self.start(number)

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
    half-cut, what is said arrives and no answer comes back. Connections stay open, as with a network that loses packets. Slow,
    each piece comes after a while, in its order."""

    every = []

    def __init__(self, port):
        self.target = port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.loses_requests = self.loses_answers = False
        self.delay = None
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

    def slow(self, least, most):
        """Delays what is said by some seconds; also the answers, so that the way there and back takes that."""
        self.delay = (least / 2, most / 2)

    def restore(self):
        self.loses_requests = self.loses_answers = False
        self.delay = None

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
        # What is on its way, and when it arrives: to the member, and to the node.
        ways = {member: deque(), node: deque()}
        with node, member:
            while not self.is_ended:
                # What was lost on the way is lost for good: the connection must not go on without it.
                if has_lost and not (self.loses_requests or self.loses_answers):
                    return
                try:
                    now = time.monotonic()
                    for target, way in ways.items():
                        while way and way[0][0] <= now:
                            target.sendall(way.popleft()[1])
                    due = min((way[0][0] for way in ways.values() if way), default=now + 0.1)
                    for source in select.select([node, member], [], [], min(max(0, due - now), 0.1))[0]:
                        piece = source.recv(1 << 16)
                        if not piece:
                            return
                        if self.loses_requests if source is node else self.loses_answers:
                            has_lost = True
                            continue
                        target = member if source is node else node
                        # Read once: a test sets it meanwhile.
                        delay = self.delay
                        arrival = time.monotonic() + (random.uniform(*delay) if delay else 0)
                        if ways[target]:
                            ways[target].append((max(arrival, ways[target][-1][0]), piece))
                        elif delay:
                            ways[target].append((arrival, piece))
                        else:
                            target.sendall(piece)
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

    def slow(self, least, most):
        for path in self.paths:
            path.slow(least, most)

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
        self.texts = {}
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
        """The whole lines of a node so far. What was read before is not read again."""
        output = self.running[rank].output
        lines, rest, place = self.texts.get(output, ([], "", 0))
        with open(output, encoding="utf-8") as file:
            file.seek(place)
            new = file.read()
            place = file.tell()
        parts = (rest + new).split("\n")
        lines += parts[:-1]
        self.texts[output] = lines, parts[-1], place
        return lines

    def owner(self):
        """The rank of the running process that began the newest epoch, and that epoch."""
        newest, owner = 0, None
        for rank, process in self.running.items():
            if not process.is_running or process.is_stopped:
                continue
            for line in self.lines(rank):
                epoch = self.epoch(line)
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
        newest = self.owner()[1]
        for rank, process in list(self.running.items()):
            # One that has owned the log before ends when it learns of its successor: it is no standby for the next fault.
            if any(epoch < newest for epoch in map(self.epoch, self.lines(rank)) if epoch is not None):
                eventually(f"the owner of rank {rank} that was overtaken ends", lambda process=process: not process.is_running)
            if process.is_running:
                continue
            code = process.process.returncode
            said = process.said(".err")[-2000:]
            assert code in (0, 76, -signal.SIGKILL), f"the node of rank {rank} ended with {code} (SEED={SEED}): {said}"
            self.start(rank)


def ask_to_hand_over(where):
    """Asks the owner of a shard to hand over. Returns its name and that of the next owner, and when the command asked: the
    start of the command does not count."""
    done = subprocess.run([FLEET, "hand-over", *where], capture_output=True, text=True, check=False)
    ended = time.monotonic()
    found = re.fullmatch(r"(\S+) has handed over to (\S+), epoch \d+, in ([0-9.]+) s\n", done.stdout)
    assert done.returncode == 0 and found, done
    return found[1], found[2], ended - float(found[3])


def choice_of_faults(plain, others, rounds, dice):
    """Each fault once before one comes again: first the plain ones, so that few rounds have them, then the others; each part
    in an order of the dice. FAULTS="kill owner,stop owner" has only these."""
    if os.environ.get("FAULTS"):
        wanted = os.environ["FAULTS"].split(",")
        assert set(wanted) <= {*plain, *others}, f"{wanted} are not all among {plain + others}"
        plain, others = wanted, []
    chosen = []
    while len(chosen) < rounds:
        chosen += dice.sample(plain, len(plain)) + dice.sample(others, len(others))
    return chosen[:rounds]


class TakeOvers:
    """How long the take-overs of a test took, by what came before them."""

    def __init__(self):
        self.after_faults, self.after_leaders, self.handed_over = [], [], []

    def check(self):
        """Fails if one took too long, or half of them did: see "How it is tested" in Documentation/Fleet.md."""
        for name, seconds, longest in [("a kill, a pause or a cut", self.after_faults, LONGEST_TAKE_OVER),
                                       ("a kill with etcd's leader", self.after_leaders, LONGEST_TAKE_OVER),
                                       ("a request to hand over", self.handed_over, LONGEST_HAND_OVER)]:
            if not seconds:
                continue
            print(f"after {name}: {', '.join(f'{one:.1f}' for one in sorted(seconds))} s; up to {longest:g} s are allowed")
            assert max(seconds) <= longest, f"after {name}: {max(seconds):.1f} s (SEED={SEED})"
        if len(self.after_faults) >= LEAST_FOR_HALF:
            half = statistics.median(self.after_faults)
            assert half <= USUAL_TAKE_OVER, f"half of the take-overs took {half:.1f} s or more (SEED={SEED})"


def end_all():
    """Ends all processes and paths of a test."""
    Process.kill_all()
    for path in Path.every:
        path.is_ended = True
        path.listener.close()
    Path.every.clear()
