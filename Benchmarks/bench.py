"""Compares the broker with a bare relay, in interleaved runs on one machine, and prints the table of ratios.

Absolute figures drift with the machine: only ratios between runs that follow one another count.
See Documentation/Performance.md for what is measured.
"""

import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

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
]
LATENCY = [
    ("relay, 3 frames 16+60+200 B (3f)", "frames3", "relay"),
    ("broker, show → state/", "show", "broker"),
]


class Failure(Exception):
    pass


class Server:
    """A relay or broker of its own for one run, on free ports."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
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

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


def measure(options, workload, server, count, rate):
    server = Server(options.servers[server])
    try:
        before = server.cpu_seconds()
        load = subprocess.run(
            [options.load, workload, *server.endpoints, str(count), str(rate)],
            stdout=subprocess.PIPE, text=True, timeout=300,
        )
        cpu = server.cpu_seconds() - before
    finally:
        server.stop()
    figures = dict(pair.split("=") for pair in load.stdout.split())
    if load.returncode != 0:
        raise Failure(f"{workload} lost {figures.get('lost', '?')} and doubled {figures.get('twice', '?')} messages")
    return {name: float(value) for name, value in figures.items()} | {"cpu": cpu / count * 1e6}


def interleaved(options, workloads, count, rate):
    """One run of each in turn, again and again: what drifts, drifts for all."""
    runs = {name: [] for name, _, _ in workloads}
    for number in range(options.runs):
        for name, workload, server in workloads:
            if sys.stderr.isatty():
                print(f"\r\x1b[Krun {number + 1} of {options.runs}: {name}", end="", file=sys.stderr, flush=True)
            runs[name].append(measure(options, workload, server, count, rate))
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr)
    return runs


def spread(values, form):
    return f"{statistics.median(values):{form}} ({min(values):{form}}–{max(values):{form}})"


def ratios(runs, name, base, figure):
    """The ratio of each run to the yardstick's run beside it."""
    return [run[figure] / yardstick[figure] for run, yardstick in zip(runs[name], runs[base])]


def print_throughput(options):
    runs = interleaved(options, THROUGHPUT, options.count, 0)
    base = THROUGHPUT[0][0]
    print(f"throughput: {options.runs} interleaved runs of {options.count:,} messages, median (lowest–highest)\n")
    print(f"{'':34}{'messages/s':>32}   {'× 3f':>18}   {'its CPU, µs a message':>21}   {'× 3f':>18}")
    for name, _, _ in THROUGHPUT:
        cells = [spread([run["rate"] for run in runs[name]], ",.0f"), spread(ratios(runs, name, base, "rate"), ".2f")]
        cells += [spread([run["cpu"] for run in runs[name]], ".2f"), spread(ratios(runs, name, base, "cpu"), ".2f")]
        print(f"{name:34}{cells[0]:>32}   {cells[1]:>18}   {cells[2]:>21}   {cells[3]:>18}")


def print_latency(options):
    rate = 10_000
    runs = interleaved(options, LATENCY, 5 * rate, rate)
    base = LATENCY[0][0]
    print(f"\none-way latency at {rate:,} messages/s, µs: {options.runs} interleaved runs of 5 s\n")
    print(f"{'':36}{'p50':>22}{'p99':>24}   {'p50 × 3f':>18}   {'p99 × 3f':>18}")
    for name, _, _ in LATENCY:
        cells = [spread([run[figure] for run in runs[name]], ",.0f") for figure in ("p50", "p99")]
        cells += [spread(ratios(runs, name, base, figure), ".2f") for figure in ("p50", "p99")]
        print(f"{name:36}{cells[0]:>22}{cells[1]:>24}   {cells[2]:>18}   {cells[3]:>18}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--relay", required=True, help="the bare relay's binary")
    parser.add_argument("--load", required=True, help="the load's binary")
    parser.add_argument("--broker", required=True, help="the broker's binary, a release build")
    parser.add_argument("--runs", type=int, default=5, help="runs of each workload (5)")
    parser.add_argument("--count", type=int, default=1_000_000, help="messages a run (1000000)")
    parser.add_argument("--no-latency", action="store_true", help="throughput only")
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        configuration = pathlib.Path(folder, "bench.yaml")
        configuration.write_text(CONFIGURATION)
        free = ["tcp://127.0.0.1:*"] * 2
        options.servers = {
            "relay": [options.relay, *free],
            "broker": [
                options.broker, "run", "--config", str(configuration), "--log-level", "error",
                "--ingress", free[0], "--egress", free[1],
            ],
        }
        try:
            print_throughput(options)
            if not options.no_latency:
                print_latency(options)
        except (Failure, subprocess.TimeoutExpired) as failure:
            sys.exit(f"bench: {failure}")


if __name__ == "__main__":
    main()
