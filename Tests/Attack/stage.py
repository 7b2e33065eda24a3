"""What an attack is given, and the list of attacks."""

import contextlib
import json
import os
import random
import struct
import subprocess
import tempfile
import time
import uuid
from dataclasses import dataclass, field

import zmq

from bounds import FAMILIES_OF_LIBZMQ, KEPT, LONGEST_TURN, MOST_MEMORY, TURN_OF_LIBZMQ
from good_client import INTERVAL
from keyring import secure

PATIENCE_MS = 60_000
PAGE = os.sysconf("SC_PAGE_SIZE")
SETTLED_SECONDS = 0.2
SLOW_SECONDS = 30  # a debug build on a busy machine: what an attack does is seen within these, mostly at once
SETTLED = 10  # commands that the good client and the queries themselves bring in that time


@dataclass(frozen=True)
class Attack:
    """A named attack, what it does, and where its bounds differ from all others'."""

    name: str
    family: str
    about: str
    run: object
    settings: tuple = ()  # of the broker's configuration
    durability: str = "memory"
    descriptors: int = 0  # the broker's limit of open files; 0: the system's
    reads_log: bool = True  # whether anybody reads the broker's standard error
    kept: int = KEPT  # memory that may stay; 0: only the most memory counts, what was sent is live
    most: int = MOST_MEMORY  # memory that the broker may take, where the attack sets a smaller limit
    holdup: float = 0  # seconds for which it may hold up everybody, where Configuration.md says so
    is_fairness: bool = False  # whether it is producers at full speed with small commands, for which the floor is lower
    longest_turn: float = LONGEST_TURN  # seconds that one turn of the broker's loop may take
    judges_client: bool = True  # whether the good client's latency counts; it does not where the broker has to refuse
    may_refuse: bool = False  # whether a table is full of what is live, so that others are refused; told as `lost`
    exit_codes: tuple = (0,)  # what the broker may end with after SIGTERM
    limit: float = 90  # seconds after which the attack itself is given up
    settling: float = 0  # seconds after which memory and descriptors are back, where that is longer than the mode's
    needs_speed: bool = False  # whether a debug build takes too long for it, so that only the long mode has it
    durations: tuple = (0, 0)  # seconds in short and in long mode; 0: the mode's own
    keys: bool = False  # whether the broker has keys, and the good client is a user

    @property
    def needs_own_broker(self):
        return bool(self.settings or self.descriptors or self.keys) or not self.reads_log or self.durability != "memory"


ATTACKS = []


def attack(name, **options):
    """Adds a function to the attacks; the first line of its documentation says what it does."""

    def add(run):
        family = run.__module__.rpartition(".")[2]
        about = (run.__doc__ or "").strip().splitlines()[0].rstrip(".")
        options.setdefault("longest_turn", TURN_OF_LIBZMQ if family in FAMILIES_OF_LIBZMQ else LONGEST_TURN)
        ATTACKS.append(Attack(name=name, family=family, about=about, run=run, **options))
        return run

    return add


@dataclass
class Stage:
    """An attack's surroundings: the broker's ports, how long and how large, and what it found."""

    ingress: int
    egress: int
    pid: int
    is_long: bool
    seconds: float
    flooder: str
    folder: str  # the broker's data directory, where it has one
    log_file: int  # the descriptor of the broker's log
    random: random.Random
    keys: dict = field(default_factory=dict)  # of each user, where the broker has keys
    failures: list = field(default_factory=list)
    notes: dict = field(default_factory=dict)

    def rounds(self, most=1 << 30):
        """Counts rounds until the attack's time is over."""
        end, count = time.monotonic() + self.seconds, 0
        while time.monotonic() < end and count < most:
            yield count
            count += 1

    def pick(self, short, long):
        return long if self.is_long else short

    def expect(self, is_right, otherwise):
        """Notes a failure unless something is as it should be."""
        if not is_right and len(self.failures) < 20:
            self.failures.append(otherwise)

    def log(self):
        size = os.fstat(self.log_file).st_size
        return os.pread(self.log_file, size, 0).decode(errors="replace")

    def memory(self):
        """Returns the bytes of memory that the broker has; 0 when it is gone."""
        try:
            with open(f"/proc/{self.pid}/statm") as file:
                return int(file.read().split()[1]) * PAGE
        except OSError:
            return 0

    def descriptors(self):
        """Returns how many the broker has open; 0 when it is gone."""
        try:
            return len(os.listdir(f"/proc/{self.pid}/fd"))
        except OSError:
            return 0

    def flood(self, frames, seconds=None, count=0, connections=1, user=None):
        """Sends frames at full speed by so many connections at once, as a user. Returns how many were sent."""
        with self.flooding(frames, seconds, count, connections, user) as flood:
            return flood.wait()

    def flooding(self, frames, seconds=None, count=0, connections=1, user=None):
        """The same beside what is done in a `with`."""
        return Flood(self, frames, seconds or self.seconds, count, connections, user and self.keys[user])

    def fill(self, frames, count):
        """Sends so many frames and waits until the broker has handled them all. Returns its statistics."""
        self.flood(frames, seconds=self.pick(60, 80), count=count)
        return self.statistics(self.pick(60, 80), settled=True)

    def statistics(self, seconds=60, settled=False):
        """Returns the broker's counters; settled: when they grow no more, since a query overtakes what others sent."""
        end, last = time.monotonic() + seconds, None
        with Console(self) as console:
            while True:
                answer, _ = console.ask({"stats": {}}, seconds)
                counters = {name: int(value) for name, value in answer["stats"].items() if str(value).isdecimal()}
                handled = counters.get("commands", 0) + counters.get("refused", 0)
                if not settled or time.monotonic() > end or last is not None and handled <= last + SETTLED:
                    return counters
                last = handled
                time.sleep(SETTLED_SECONDS)

    def stats(self, seconds=60):
        """Returns all that the broker says of itself."""
        with Console(self) as console:
            return console.ask({"stats": {}}, seconds)[0]["stats"]

    @contextlib.contextmanager
    def expecting(self, seconds=0, **least):
        """Expects that counts of the statistics grow by so much while and, at most so long, after something is done:
        `shown=5`, five events of this kind; `COMMAND_clear=5`, commands; `CLOSED_EXPIRED=5`, popups closed for this reason;
        `REFUSED_OVERLOAD=5`; `connectionsCut=5`."""
        before = counts(self.stats())
        yield
        end = time.monotonic() + max(seconds, self.pick(SLOW_SECONDS, 0))
        while True:
            after = counts(self.stats())
            grown = {name: after.get(name, 0) - before.get(name, 0) for name in least}
            missing = [name for name in least if grown[name] < least[name]]
            if not missing or time.monotonic() > end:
                break
            time.sleep(SETTLED_SECONDS)
        self.notes.update(grown)
        for name in missing:
            self.expect(False, f"the attack had no effect: {name} grew by {grown[name]}, under {least[name]}")

    @contextlib.contextmanager
    def expecting_subscriptions(self, least, seconds=10):
        """Expects that the broker has so many subscriptions more after something is done."""
        before = int(self.stats().get("subscriptions", 0))
        yield
        grown, end = 0, time.monotonic() + max(seconds, self.pick(SLOW_SECONDS, 0))
        while grown < least and time.monotonic() < end:
            grown = int(self.stats().get("subscriptions", 0)) - before
            time.sleep(SETTLED_SECONDS)
        self.notes["subscriptions"] = grown
        self.expect(grown >= least, f"the attack had no effect: {grown} subscriptions are there, under {least}")

    @contextlib.contextmanager
    def counting(self, committed=0, refused=0):
        """Notes what the broker did of a flood, without what the good client sent meanwhile, and expects at least so much: an
        attack that does not arrive is none."""
        before, start = self.statistics(), time.monotonic()
        yield
        end = time.monotonic() + self.pick(SLOW_SECONDS, 0)
        while True:
            after = self.statistics(self.pick(20, 40), settled=True)
            others = round((time.monotonic() - start) / INTERVAL) + 1
            for name, key, of_others in (("committed", "commands", others), ("refused", "refused", 0)):
                self.notes[name] = max(0, after.get(key, 0) - before.get(key, 0) - of_others)
            # A broker that has to wait for a processor seems to have settled.
            if self.notes["committed"] >= committed and self.notes["refused"] >= refused or time.monotonic() > end:
                break
        for name, least in (("committed", committed), ("refused", refused)):
            count = self.notes[name]
            self.expect(count >= least, f"the attack had no effect: {count} commands are {name}, under {least}")


def counts(stats):
    """Returns the counts by kind and by reason of statistics, each by its name."""
    tables = (
        ("eventsByKind", "kind", ""), ("commandsByKind", "kind", "COMMAND_"), ("closed", "reason", "CLOSED_"),
        ("refusedByReason", "reason", "REFUSED_"))
    counted = {
        prefix + each[key]: int(each.get("count", 0)) for table, key, prefix in tables for each in stats.get(table, []) if key in each}
    return counted | {name: int(stats.get(name, 0)) for name in ("connectionsCut", "slowSubscribers")}


def limit_use(stats):
    """Returns how much of each table is used, and its limit, by its key."""
    return {each["limit"]: (int(each.get("used", 0)), int(each.get("most", 0))) for each in stats.get("limits", [])}


class Flood:
    """Processes of `flood.c` at work."""

    def __init__(self, stage, frames, seconds, count, connections, keys=None):
        self.stage, self.seconds = stage, seconds
        self.corpus = tempfile.NamedTemporaryFile(prefix="attack-corpus-")
        for each in frames:
            each = each.encode() if isinstance(each, str) else each
            self.corpus.write(struct.pack("=I", len(each)) + each)
        self.corpus.flush()
        arguments = [stage.flooder, f"tcp://127.0.0.1:{stage.ingress}", self.corpus.name, str(seconds), str(count)]
        environment = os.environ | ({"FLOOD_KEYS": " ".join(keys)} if keys else {})
        self.processes = [
            subprocess.Popen(arguments, stdout=subprocess.PIPE, env=environment) for _ in range(connections)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.wait()
            process.stdout.close()
        self.corpus.close()

    def is_sending(self):
        return any(process.poll() is None for process in self.processes)

    def wait(self):
        sent = 0
        for process in self.processes:
            out, _ = process.communicate(timeout=2 * self.seconds + 60)
            count = int((out.split() or [b"0"])[0])
            sent += count
        self.stage.notes["frames"] = self.stage.notes.get("frames", 0) + sent
        return sent


class Console:
    """A library's client that sends commands and queries."""

    def __init__(self, stage):
        self.context = zmq.Context()
        self.publisher = self.context.socket(zmq.XPUB)
        self.publisher.setsockopt(zmq.XPUB_NODROP, 1)
        self.publisher.setsockopt(zmq.SNDTIMEO, PATIENCE_MS)
        self._secure(stage, self.publisher).connect(f"tcp://127.0.0.1:{stage.ingress}")
        self.subscriber = self.context.socket(zmq.SUB)
        self._secure(stage, self.subscriber).connect(f"tcp://127.0.0.1:{stage.egress}")
        self.name = uuid.uuid4().hex
        self.subscriber.subscribe(f"replies+json/{self.name}/")
        if not self.publisher.poll(PATIENCE_MS):
            raise RuntimeError("the broker does not subscribe to a new client")
        self.publisher.recv()
        self.queries = 0

    @staticmethod
    def _secure(stage, socket):
        return secure(socket, stage.keys["good"]) if stage.keys else socket

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.context.destroy(linger=1000)

    def send(self, frame):
        self.publisher.send(frame)

    def tell(self, **command):
        self.publisher.send_json(command)

    def ask(self, query, seconds=60.0):
        """Asks, again each second until an answer comes. Returns it, parsed, and the seconds it took."""
        start, patience = time.monotonic(), 0.2
        while time.monotonic() - start < seconds:
            self.queries += 1
            nonce = f"n{self.queries}"
            self.tell(query={"client": self.name, "nonce": nonce, **query})
            patience *= 2
            end = time.monotonic() + patience
            while self.subscriber.poll(max(0, (end - time.monotonic()) * 1000)):
                topic, body = self.subscriber.recv_multipart()
                if topic.endswith(f"/{nonce}/".encode()):
                    return json.loads(body)["reply"], time.monotonic() - start
        raise RuntimeError(f"no answer to {query} within {seconds} s")
