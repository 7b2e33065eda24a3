#!/usr/bin/env python3
"""Real processes: three members of etcd and three nodes, of which some are killed or stopped, round after round. At the
end the checker compares all that the nodes told with the log.

FLEET_TRIAL, POPUP_FLEET: the programs. ROUNDS: how many faults (10). SEED: repeats their choice."""
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time

ROUNDS = int(os.environ.get("ROUNDS") or 10)
SEED = int(os.environ.get("SEED") or random.randrange(1 << 32))
TRIAL = os.environ["FLEET_TRIAL"]
FLEET = os.environ["POPUP_FLEET"]
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
    def __init__(self, folder):
        self.folder = folder
        self.ports = free_ports(6)
        self.members = [None] * 3
        for number in range(3):
            self.start(number)

    @property
    def endpoints(self):
        return [f"http://127.0.0.1:{self.ports[number * 2]}" for number in range(3)]

    def start(self, number):
        peers = [f"http://127.0.0.1:{self.ports[one * 2 + 1]}" for one in range(3)]
        client = self.endpoints[number]
        self.members[number] = Process(f"etcd-{number}-{time.monotonic_ns()}", [
            "/usr/bin/etcd", "--name", f"m{number}", "--data-dir", os.path.join(self.folder, f"m{number}"),
            "--listen-client-urls", client, "--advertise-client-urls", client, "--listen-peer-urls", peers[number],
            "--initial-advertise-peer-urls", peers[number],
            "--initial-cluster", ",".join(f"m{one}={peers[one]}" for one in range(3)),
            "--log-level", "error", "--logger", "zap"], self.folder)

    def leader(self):
        for number, endpoint in enumerate(self.endpoints):
            done = subprocess.run(
                ["etcdctl", "--endpoints", endpoint, "endpoint", "status", "-w", "fields"], capture_output=True,
                text=True, env={**os.environ, "ETCDCTL_API": "3"}, check=False)
            fields = dict(line.split(" : ", 1) for line in done.stdout.splitlines() if " : " in line)
            if fields and fields.get('"MemberID"') == fields.get('"Leader"'):
                return number
        return 0


class Nodes:
    def __init__(self, folder, endpoints):
        self.folder = folder
        self.endpoints = endpoints
        self.count = 0
        self.running = {}
        for rank in range(3):
            self.start(rank)

    def start(self, rank):
        self.count += 1
        # Each node prefers another member.
        endpoints = self.endpoints[rank:] + self.endpoints[:rank]
        self.running[rank] = Process(f"node-{self.count:03}", [
            TRIAL, "node", "--endpoints", ",".join(endpoints), "--number", str(self.count), "--rank", str(rank)],
            self.folder)

    def lines(self, rank):
        with open(self.running[rank].output, encoding="utf-8") as file:
            return file.read().splitlines(keepends=True)

    def owner(self):
        """The rank of the running process that published in the newest epoch, and that epoch."""
        newest, owner = 0, None
        for rank, process in self.running.items():
            if not process.is_running or process.is_stopped:
                continue
            for line in self.lines(rank):
                if line.startswith("owns ") and line.endswith("\n") and int(line.split()[1]) > newest:
                    newest, owner = int(line.split()[1]), rank
        return owner, newest

    def acknowledged(self):
        """How many numbers all processes have acknowledged: one owner may follow another in between."""
        return sum(line.startswith("acknowledged ") for rank in self.running for line in self.lines(rank))

    def revive(self):
        for rank, process in list(self.running.items()):
            process.go_on()
        for rank, process in list(self.running.items()):
            if not process.is_running:
                code = process.process.returncode
                assert code in (0, 76, -signal.SIGKILL), f"node of rank {rank} ended with {code} (SEED={SEED})"
                self.start(rank)

    def proceed(self, after_epoch=0):
        """Waits until an owner of a later epoch acknowledges more; returns the seconds."""
        began = time.monotonic()
        eventually(f"an owner after epoch {after_epoch}", lambda: self.owner()[1] > after_epoch)
        before = self.acknowledged()
        eventually("the owner acknowledges", lambda: self.acknowledged() > before)
        return time.monotonic() - began


def main():
    dice = random.Random(SEED)
    print(f"test_fleet: SEED={SEED} ROUNDS={ROUNDS}", flush=True)
    with tempfile.TemporaryDirectory(prefix="fleet-") as folder:
        etcd = Etcd(folder)
        command = [FLEET, "create", "--endpoints", ",".join(etcd.endpoints)]
        eventually("the log is created", lambda: subprocess.run(command, capture_output=True, check=False).returncode
                   in (0, 73))
        nodes = Nodes(folder, etcd.endpoints)
        nodes.proceed()
        takeovers = []
        faults = ["kill owner", "stop owner", "kill leader", "stop leader", "stop quorum", "kill owner and leader",
                  "hand over", "stop standby", "stop all nodes"]
        for number in range(ROUNDS):
            fault = faults[number] if number < len(faults) else dice.choice(faults)
            owner, epoch = eventually("an owner", lambda: (lambda one: one if one[0] is not None else None)(nodes.owner()))
            leader = etcd.leader()
            seconds = 0.0
            if fault == "kill owner":
                nodes.running[owner].kill()
                seconds = nodes.proceed(epoch)
                takeovers.append(seconds)
            elif fault == "stop owner":
                nodes.running[owner].stop()
                seconds = nodes.proceed(epoch)
                takeovers.append(seconds)
            elif fault == "kill leader":
                etcd.members[leader].kill()
                seconds = nodes.proceed()
                etcd.start(leader)
            elif fault == "stop leader":
                etcd.members[leader].stop()
                seconds = nodes.proceed()
                etcd.members[leader].go_on()
            elif fault == "stop quorum":
                for one in (0, 1):
                    etcd.members[one].stop()
                time.sleep(dice.uniform(0.5, 4.5))
                for one in (0, 1):
                    etcd.members[one].go_on()
                seconds = nodes.proceed()
            elif fault == "kill owner and leader":
                nodes.running[owner].kill()
                etcd.members[leader].kill()
                seconds = nodes.proceed(epoch)
                etcd.start(leader)
            elif fault == "hand over":
                nodes.running[owner].send(signal.SIGTERM)
                seconds = nodes.proceed(epoch)
            elif fault == "stop standby":
                standby = dice.choice([rank for rank in nodes.running if rank != owner])
                nodes.running[standby].stop()
                seconds = nodes.proceed()
            else:
                for process in nodes.running.values():
                    process.stop()
                time.sleep(dice.uniform(1, 6))
                for process in nodes.running.values():
                    process.go_on()
                seconds = nodes.proceed()
            nodes.revive()
            print(f"{number + 1:3}  {fault:22} {seconds:5.1f} s", flush=True)
        nodes.proceed()
        for process in nodes.running.values():
            process.send(signal.SIGTERM)
        for process in nodes.running.values():
            process.process.wait(PATIENCE)
        where = ["--endpoints", ",".join(etcd.endpoints)]
        outputs = sorted(os.path.join(folder, name) for name in os.listdir(folder)
                         if name.startswith("node-") and name.endswith(".out"))
        subprocess.run([TRIAL, "check", *where, *outputs], check=True)
        listed = subprocess.run([FLEET, "log", *where], check=True, capture_output=True, text=True)
        status = subprocess.run([FLEET, "status", *where], check=True, capture_output=True, text=True)
        assert f"index      {len(listed.stdout.splitlines()) - 1}\n" in status.stdout, status.stdout
        # A checker that finds nothing wrong with a wrong word would be none.
        with open(outputs[0], encoding="utf-8") as file:
            words = file.read()
        forged = os.path.join(folder, "forged")
        for wrong in ["acknowledged 1 2\n", next(
                f"{line.rsplit(' ', 1)[0]} 7\n" for line in words.splitlines() if line.startswith("published "))]:
            with open(forged, "w", encoding="utf-8") as file:
                file.write(words + wrong)
            found = subprocess.run([TRIAL, "check", *where, forged, *outputs[1:]], capture_output=True, check=False)
            assert found.returncode == 1, wrong
        print(f"take-overs after a kill or a pause: {', '.join(f'{one:.1f}' for one in takeovers)} s")


if __name__ == "__main__":
    try:
        main()
    finally:
        for process in Process.every:
            process.kill()
    sys.exit(0)
