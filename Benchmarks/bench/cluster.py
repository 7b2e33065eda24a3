"""A fleet on this machine: three members of etcd on one disk, the nodes of a shard, and appends without a node."""

import contextlib
import json
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request

from .failure import Failure
from .servers import FREE, Server

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "Fleet" / "Tests" / "Processes"))

from processes import free_ports, member_of_etcd

PATIENCE = 60
# Index, epoch, kind, time, horizon, and the size of the commands.
LISTED_ENTRY = re.compile(r"^(\d+) \d+ (\w+) (\d+) \d+ (\d+)$")


class Cluster:
    """Members of etcd with empty data. All that measures asks their leader first: a follower has to pass a request on."""

    def __init__(self, bench):
        self.bench = bench
        self.directory = bench.directory / "etcd"
        self.members, self.shards = [], 0
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir()
        ports = free_ports(6)
        clients, peers = ([f"http://127.0.0.1:{port}" for port in ports[first::2]] for first in (0, 1))
        try:
            for number, (client, peer) in enumerate(zip(clients, peers)):
                with open(self.directory / f"log-{number}", "wb") as log:
                    self.members.append(Server(
                        member_of_etcd(number, str(self.directory), client, peer, peers), stdin=subprocess.DEVNULL,
                        stdout=log, stderr=log))
            leader = self._wait_for_leader(clients)
        except Failure:
            self.stop()
            raise
        self.endpoints = ",".join(clients[leader:] + clients[:leader])
        self.address = clients[leader].removeprefix("http://")

    def _wait_for_leader(self, clients):
        """The place of the leader, as soon as all members know one."""
        give_up = time.monotonic() + PATIENCE
        while time.monotonic() < give_up and all(member.process.poll() is None for member in self.members):
            metrics = []
            for client in clients:
                with contextlib.suppress(OSError), urllib.request.urlopen(f"{client}/metrics", timeout=5) as answer:
                    metrics.append(answer.read().decode())
            led = [number for number, text in enumerate(metrics) if "\netcd_server_is_leader 1\n" in text]
            if len(led) == 1 and sum("\netcd_server_has_leader 1\n" in text for text in metrics) == len(clients):
                return led[0]
            time.sleep(0.05)
        said = [line for log in sorted(self.directory.glob("log-*")) for line in log.read_text(errors="replace").splitlines()]
        raise Failure(f"etcd did not become ready: {' / '.join(said[-3:]) or 'it said nothing'}")

    def new_shard(self):
        """A name of the length that all shards have here."""
        self.shards += 1
        return f"shard-{self.shards:04}"

    def stop(self):
        for member in self.members:
            member.stop(signal.SIGKILL)
        shutil.rmtree(self.directory, ignore_errors=True)

    # --- Appends without a node ------------------------------------------------------------------------------------------

    def bare_command(self, size, count, *more):
        return [str(self.bench.built / "append"), self.address, self.new_shard(), str(size), str(count), *more]

    def append_bare(self, size, count):
        """Figures of appends by the loop in C: `p50` and `p99` in µs, `mb_s`."""
        return json.loads(output_of(self.bare_command(size, count)))

    def append_by_library(self, size, count):
        """The same figures of appends by EtcdLog."""
        text = output_of([
            str(self.bench.fleet / "fleet-trial"), "appends", "--endpoints", self.endpoints, "--bytes", str(size), "--count",
            str(count)])
        found = re.search(r"p50 ([\d.]+) ms, p99 ([\d.]+) ms, ([\d.]+) MB/s", text)
        if not found:
            raise Failure(f"fleet-trial printed no figures: {text.strip()}")
        p50, p99, rate = (float(figure) for figure in found.groups())
        return {"count": count, "p50": p50 * 1000, "p99": p99 * 1000, "mb_s": rate}


def output_of(command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    if done.returncode != 0:
        said = (done.stderr + done.stdout).strip().splitlines()
        raise Failure(f"{pathlib.Path(command[0]).name} failed: {' / '.join(said[-3:]) or 'it said nothing'}")
    return done.stdout


class PacedAppends:
    """Appends by the loop in C, each when it is asked for."""

    def __init__(self, cluster, size, count):
        self.process = subprocess.Popen(
            cluster.bare_command(size, count, "paced"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def append(self):
        """The time of one append in µs."""
        try:
            self.process.stdin.write("\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            raise Failure("append ended: it says above why")
        return float(answer)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.stdout.close()


class Node(Server):
    """A node with a broker. `endpoints` are those of the broker."""

    def __init__(self, cluster, shard, rank):
        bench = cluster.bench
        command = [
            str(bench.fleet / "popup-fleet"), "run", "--endpoints", cluster.endpoints, "--shard", shard, "--node", f"n{rank}",
            "--rank", str(rank), "--config", str(bench.configuration), "--ingress", FREE[0], "--egress", FREE[1],
            "--quota-bytes", str(8 << 30), "--set", "log.level=error",
        ]
        # What a node says of its life is no news here.
        self.errors = cluster.directory / f"{shard}-{rank}.err"
        with open(self.errors, "wb") as errors:
            super().__init__(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, text=True)
        role = "ready" if rank == 0 else "standby"
        for line in self.process.stdout:
            found = re.search(rf"popup-fleet {role} .*ingress=(\S+) egress=(\S+)", line)
            if found:
                self.endpoints = found.groups()
                return
        self.stop()
        said = self.errors.read_text(errors="replace").strip().splitlines()
        raise Failure(f"a node did not become {role}: {' / '.join(said[-3:]) or 'it said nothing'}")

    def stop(self, number=signal.SIGTERM):
        super().stop(number)
        self.process.stdout.close()


class Shard:
    """A log with its nodes, of which the first one owns it."""

    def __init__(self, cluster, standbys=0):
        self.cluster, self.name = cluster, cluster.new_shard()
        self.nodes = []
        output_of(self._command("create"))
        try:
            for rank in range(1 + standbys):
                self.nodes.append(Node(cluster, self.name, rank))
        except Failure:
            self.stop()
            raise
        self.endpoints = self.nodes[0].endpoints

    def _command(self, name):
        return [
            str(self.cluster.bench.fleet / "popup-fleet"), name, "--endpoints", self.cluster.endpoints, "--shard", self.name]

    def batches(self):
        """The batches that are in the log: time in ms, and size."""
        batches, next_index, tenures = [], 1, 0
        for line in output_of(self._command("log")).splitlines()[1:]:
            found = LISTED_ENTRY.match(line)
            if not found:
                raise Failure(f"`popup-fleet log` printed `{line}`")
            if int(found[1]) != next_index:
                raise Failure("entries were removed before they were looked at: fewer messages, please")
            next_index += 1
            if found[2] == "batch":
                batches.append((int(found[3]), int(found[4])))
            else:
                tenures += found[2] == "takeOver"
        if tenures != 1:
            raise Failure(f"{tenures} nodes owned the log, one after another: the machine is too busy")
        return batches

    def stop(self):
        # The standbys first: none of them is to take over.
        for node in reversed(self.nodes):
            node.stop()
        self.nodes = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
