"""Compares the broker with a bare relay, in interleaved runs on one machine, and prints the tables of ratios.

Absolute figures drift with the machine: only ratios between runs that follow one another count.
See Documentation/Performance.md for what is measured.
"""

import argparse
import contextlib
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

CONFIGURATION = """\
# Each show takes its group's slot at once: one command in, one state out.
policies:
  - group: "*"
    peers: STOP
broadcast:
  refreshIntervalMs: 3600000
queues:
  received: 10000
  sent: 10000
"""

# Name, workload of the load, and what it is driven through.
THROUGHPUT = [
    ("relay, 3 frames 16+60+200 B (3f)", "frames3", "relay"),
    ("relay, 1 frame 276 B", "frame1", "relay"),
    ("broker, show → state/", "show", "broker"),
    ("broker, Batch of 64 → feed/", "batch", "broker"),
    ("durable broker, show → state/", "show", "durable"),
    ("durable broker, Batch of 64 → feed/", "batch", "durable"),
]
LATENCY = [
    ("relay, 3 frames 16+60+200 B (3f)", "frames3", "relay"),
    ("broker, show → state/", "show", "broker"),
    ("broker, show → acks/", "receipt", "broker"),
    ("durable broker, show → state/", "show", "durable"),
    ("durable broker, show → acks/", "receipt", "durable"),
]
RESTARTS = [100_000, 1_000_000]
PARTS = ["throughput", "latency", "restart", "journal"]


class Failure(Exception):
    pass


class Server:
    """A relay or broker of its own for one run."""

    def __init__(self, command):
        self.started = time.monotonic()
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        self.ready = time.monotonic()
        found = re.search(r"ready ingress=(\S+) egress=(\S+)", line)
        if not found:
            self.stop()
            raise Failure(f"{command[0]} did not become ready: {line.strip() or 'it ended'}")
        self.endpoints = found.groups()

    def cpu_seconds(self):
        """What all its threads have used up to now."""
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as stat:
            fields = stat.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident_bytes(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1)) * 1024

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        try:
            self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


class Servers:
    """How each is started."""

    FREE = ["tcp://127.0.0.1:*"] * 2

    def __init__(self, options, folder):
        self.options = options
        self.configuration = folder / "bench.yaml"
        self.configuration.write_text(CONFIGURATION)
        self.data = folder / "data"

    def broker(self, *arguments, endpoints=None):
        ingress, egress = endpoints or self.FREE
        return [
            self.options.broker, "run", "--config", str(self.configuration), "--log-level", "error",
            "--ingress", ingress, "--egress", egress, *arguments,
        ]

    def command(self, name):
        if name == "relay":
            return [self.options.relay, *self.FREE]
        if name == "broker":
            return self.broker("--durability", "memory")
        return self.broker("--data", str(self.data))

    @contextlib.contextmanager
    def running(self, name):
        """One of its own for a run; a durable one begins with an empty folder."""
        shutil.rmtree(self.data, ignore_errors=True)
        server = Server(self.command(name))
        try:
            yield server
        finally:
            server.stop()
            shutil.rmtree(self.data, ignore_errors=True)

    def load(self, server, workload, count, rate=0, groups=1000):
        load = subprocess.run(
            [self.options.load, workload, *server.endpoints, str(count), str(rate), str(groups)],
            stdout=subprocess.PIPE, text=True, timeout=600,
        )
        figures = dict(pair.split("=") for pair in load.stdout.split())
        if load.returncode != 0:
            lost, twice = figures.get("lost", "?"), figures.get("twice", "?")
            raise Failure(f"{workload} lost {lost} and doubled {twice} messages")
        return {name: float(value) for name, value in figures.items()}


def tell(text):
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


def interleaved(servers, workloads, count, rate):
    """One run of each in turn, again and again: what drifts, drifts for all."""
    runs = {name: [] for name, _, _ in workloads}
    for number in range(servers.options.runs):
        for name, workload, server in workloads:
            tell(f"run {number + 1} of {servers.options.runs}: {name}")
            with servers.running(server) as running:
                before = running.cpu_seconds()
                figures = servers.load(running, workload, count, rate)
                cpu = running.cpu_seconds() - before
            runs[name].append(figures | {"cpu": cpu / count * 1e6})
    tell("")
    return runs


def spread(values, form):
    return f"{statistics.median(values):{form}} ({min(values):{form}}–{max(values):{form}})"


def ratios(runs, name, base, figure):
    """The ratio of each run to the yardstick's run beside it."""
    return [run[figure] / yardstick[figure] for run, yardstick in zip(runs[name], runs[base])]


def print_throughput(servers):
    count = servers.options.count
    runs = interleaved(servers, THROUGHPUT, count, 0)
    base = THROUGHPUT[0][0]
    print(f"throughput: {servers.options.runs} interleaved runs of {count:,} messages, median (lowest–highest)\n")
    print(f"{'':36}{'messages/s':>32}   {'× 3f':>18}   {'its CPU, µs a message':>21}   {'× 3f':>18}")
    for name, _, _ in THROUGHPUT:
        cells = [spread([run["rate"] for run in runs[name]], ",.0f"), spread(ratios(runs, name, base, "rate"), ".2f")]
        cells += [spread([run["cpu"] for run in runs[name]], ".2f"), spread(ratios(runs, name, base, "cpu"), ".2f")]
        print(f"{name:36}{cells[0]:>32}   {cells[1]:>18}   {cells[2]:>21}   {cells[3]:>18}")


def print_latency(servers):
    rate = 10_000
    runs = interleaved(servers, LATENCY, 5 * rate, rate)
    base = LATENCY[0][0]
    print(f"\nlatency at {rate:,} messages/s, µs: {servers.options.runs} interleaved runs of 5 s\n")
    print(f"{'':36}{'p50':>22}{'p99':>24}   {'p50 × 3f':>18}   {'p99 × 3f':>18}")
    for name, _, _ in LATENCY:
        cells = [spread([run[figure] for run in runs[name]], ",.0f") for figure in ("p50", "p99")]
        cells += [spread(ratios(runs, name, base, figure), ".2f") for figure in ("p50", "p99")]
        print(f"{name:36}{cells[0]:>22}{cells[1]:>24}   {cells[2]:>18}   {cells[3]:>18}")


def size_of(folder):
    return sum(file.stat().st_size for file in folder.iterdir() if file.is_file())


def print_restart(servers):
    """A broker with so many live popups, one a group, is killed; the next one is started on what it left."""
    import zmq

    print("\nrestart after kill -9, one live popup of 200 B a group, seconds from its start\n")
    print(f"{'live popups':>12}{'the folder, MiB':>18}{'ready':>10}{'first state':>14}{'its memory, MiB':>18}")
    for count in RESTARTS:
        tell(f"filling a broker with {count:,} popups")
        shutil.rmtree(servers.data, ignore_errors=True)
        endpoints = [f"ipc://{servers.data.parent}/{name}" for name in ("in", "out")]
        command = servers.broker(
            "--data", str(servers.data), "--set", "limits.groups=2000000", "--set", "limits.popups=2000000",
            endpoints=endpoints)
        server = Server(command)
        try:
            servers.load(server, "batch", count, groups=count)
        finally:
            server.stop(signal.SIGKILL)
        megabytes = size_of(servers.data) / 2**20
        tell(f"restarting it with {count:,} popups")
        with zmq.Context() as context, context.socket(zmq.SUB) as subscriber:
            subscriber.setsockopt(zmq.RECONNECT_IVL, 5)
            subscriber.setsockopt(zmq.RCVTIMEO, 120_000)
            subscriber.setsockopt(zmq.LINGER, 0)
            subscriber.subscribe(b"state/b/%07d/" % (count // 2))
            subscriber.connect(endpoints[1])
            server = Server(command)
            try:
                subscriber.recv_multipart()
                first = time.monotonic() - server.started
                ready = server.ready - server.started
                memory = server.resident_bytes() / 2**20
            finally:
                server.stop()
        tell("")
        print(f"{count:>12,}{megabytes:>18,.0f}{ready:>10.2f}{first:>14.2f}{memory:>18,.0f}")
    shutil.rmtree(servers.data, ignore_errors=True)


def print_journal(servers):
    """What a million commands leave on disk: each closes the popup before it, so that 1000 live in the end."""
    tell("a million commands")
    count = 1_000_000
    shutil.rmtree(servers.data, ignore_errors=True)
    server = Server(servers.broker("--data", str(servers.data)))
    try:
        servers.load(server, "batch", count)
        # It may be making a snapshot; one that is stopped has given that up, or made it.
    finally:
        server.stop()
    before = size_of(servers.data)
    subprocess.run(
        [servers.options.broker, "journal", "compact", str(servers.data)], check=True, stdout=subprocess.PIPE)
    after = size_of(servers.data)
    tell("")
    print(f"\n{count:,} commands of 250 B, 1000 live popups and {count:,} remembered ids in the end, MiB on disk\n")
    print(f"as the broker left it {before / 2**20:,.0f}, after compaction {after / 2**20:,.0f}")
    shutil.rmtree(servers.data, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--relay", required=True, help="the bare relay's binary")
    parser.add_argument("--load", required=True, help="the load's binary")
    parser.add_argument("--broker", required=True, help="the broker's binary, a release build")
    parser.add_argument("--folder", default=".", help="where data folders are made: on the disk that is meant (.)")
    parser.add_argument("--runs", type=int, default=5, help="runs of each workload (5)")
    parser.add_argument("--count", type=int, default=1_000_000, help="messages a run (1000000)")
    parser.add_argument("--only", action="append", choices=PARTS, help="one part; can be repeated (all)")
    options = parser.parse_args()

    parts = {
        "throughput": print_throughput, "latency": print_latency, "restart": print_restart, "journal": print_journal,
    }
    with tempfile.TemporaryDirectory(dir=options.folder, prefix="bench-") as folder:
        servers = Servers(options, pathlib.Path(folder).resolve())
        try:
            for name in options.only or PARTS:
                parts[name](servers)
        except (Failure, subprocess.SubprocessError) as failure:
            sys.exit(f"bench: {failure}")


if __name__ == "__main__":
    main()
