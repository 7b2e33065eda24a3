#!/usr/bin/env python3
"""Brokers that own a shared log, one after another: nodes and members of etcd are killed and stopped, while a producer
asks for popups and screens follow them, with nothing but pyzmq. At the end everything that was published is compared with
the states that the log determines, and everything that was acknowledged is there.

FLEET_TRIAL, POPUP_FLEET, POPUPCTL: the programs. ROUNDS: how many faults (12). SEED: repeats their choice."""
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

import zmq

from harness import (FLEET, SEED, TRIAL, Etcd, Nodes, Path, check_takeovers, choice_of_faults, end_all, eventually,
                     free_ports)

ROUNDS = int(os.environ.get("ROUNDS") or 12)
POPUPCTL = os.environ["POPUPCTL"]
GROUPS = ["hall", "lobby", "yard"]


class BrokerNodes(Nodes):
    """Nodes with brokers, which keep their endpoints when they are started again."""

    def __init__(self, folder, etcd):
        ports = free_ports(6)
        self.ingress = [f"tcp://127.0.0.1:{port}" for port in ports[:3]]
        self.egress = [f"tcp://127.0.0.1:{port}" for port in ports[3:]]
        # The paths of clients to each node.
        self.ingress_paths = [Path(port) for port in ports[:3]]
        self.egress_paths = [Path(port) for port in ports[3:]]
        super().__init__(folder, etcd)

    def command(self, rank):
        return [FLEET, "run", "--endpoints", self.paths[rank].endpoints, "--node", f"n{rank}", "--rank", str(rank),
                "--ingress", self.ingress[rank], "--egress", self.egress[rank]]

    def epoch(self, line):
        return int(line.rsplit("epoch=", 1)[1]) if " ready " in line else None


class Screen(threading.Thread):
    """Follows all nodes and shows what is of the newest epoch; keeps all that it has heard."""

    def __init__(self, context, egress):
        super().__init__(daemon=True)
        self.socket = context.socket(zmq.SUB)
        self.socket.setsockopt(zmq.SUBSCRIBE, b"state+json/")
        self.socket.setsockopt(zmq.RCVTIMEO, 100)
        for endpoint in egress:
            self.socket.connect(endpoint)
        self.heard = []
        self.shown = {}
        self.wrong = []
        self.closed = {}
        self.epoch = 0
        self.is_ending = False
        self.start()

    def run(self):
        while not self.is_ending:
            try:
                _, body = self.socket.recv_multipart()
            except zmq.Again:
                continue
            state = json.loads(body)
            epoch, revision = int(state["epoch"]), int(state["revision"])
            group, popup = state["group"], state.get("active", {}).get("id", "")
            self.heard.append((time.monotonic(), epoch, group, revision, popup))
            if epoch < self.epoch:
                continue
            self.epoch = epoch
            before = self.shown.get(group, (0, 0, ""))
            if (epoch, revision) < before[:2]:
                continue
            if revision < before[1]:
                self.wrong.append(f"{group} went back from {before} to {state}")
            if before[2] and before[2] != popup:
                self.closed.setdefault(group, set()).add(before[2])
            self.shown[group] = (epoch, revision, popup)


class Producer(threading.Thread):
    """Asks for popups, one after another, each again until its acknowledgement is there."""

    def __init__(self, context, nodes, dice):
        super().__init__(daemon=True)
        self.producer, self.dice = f"{dice.getrandbits(128):032x}", dice
        self.acks = context.socket(zmq.SUB)
        self.acks.setsockopt(zmq.SUBSCRIBE, f"acks+json/{self.producer}/".encode())
        self.gates = []
        for ingress, egress in zip(nodes.ingress_paths, nodes.egress_paths):
            self.acks.connect(egress.tcp)
            gate = context.socket(zmq.PUB)
            gate.setsockopt(zmq.LINGER, 0)
            gate.connect(ingress.tcp)
            self.gates.append(gate)
        self.acknowledged = []
        self.longest = 0.0
        self.is_ending = False
        self.start()

    def run(self):
        sequence = 0
        while not self.is_ending:
            sequence += 1
            popup = f"p-{sequence}"
            command = json.dumps({"producer": self.producer, "sequence": sequence, "show": {
                "id": popup, "group": self.dice.choice(GROUPS), "text": f"number {sequence}",
                "priority": self.dice.randrange(3), "durationMs": self.dice.choice([50, 200, 700])}}).encode()
            began = time.monotonic()
            while not self.is_ending:
                for gate in self.gates:
                    gate.send(command)
                if self.acks.poll(200) and self.covers(sequence):
                    self.acknowledged.append((popup, time.monotonic()))
                    self.longest = max(self.longest, time.monotonic() - began)
                    break
            time.sleep(0.02)

    def covers(self, sequence):
        settled = False
        while self.acks.poll(0):
            ack = json.loads(self.acks.recv_multipart()[1])
            assert not ack.get("refusals"), ack
            settled = settled or int(ack.get("cumulative", 0)) >= sequence
        return settled


def proceed(nodes, producer, after_epoch=0):
    """Waits until a producer's popups are acknowledged again, by an owner of a later epoch; returns the seconds."""
    began = time.monotonic()
    eventually(f"an owner after epoch {after_epoch}", lambda: nodes.owner()[1] > after_epoch)
    before = len(producer.acknowledged)
    eventually("popups are acknowledged", lambda: len(producer.acknowledged) > before + 1)
    return time.monotonic() - began


def main():
    dice = random.Random(SEED)
    print(f"test_broker: SEED={SEED} ROUNDS={ROUNDS}", flush=True)
    context = zmq.Context()
    with tempfile.TemporaryDirectory(prefix="fleet-broker-") as folder:
        etcd = Etcd(folder)
        where = ["--endpoints", ",".join(etcd.endpoints)]
        eventually("the log is created", lambda: subprocess.run(
            [FLEET, "create", *where], capture_output=True, check=False).returncode in (0, 73))
        nodes = BrokerNodes(folder, etcd)
        # One screen as everybody's, one whose paths are never cut, and a recorder at each node, which hears what it says
        # whatever its epoch.
        screens = [Screen(context, [path.tcp for path in nodes.egress_paths]), Screen(context, list(reversed(nodes.egress)))]
        recorders = [Screen(context, [endpoint]) for endpoint in nodes.egress]
        producer = Producer(context, nodes, random.Random(SEED + 1))
        proceed(nodes, producer)
        takeovers = []
        faults = ["kill owner", "stop owner", "kill owner and leader", "hand over", "ask to hand over", "cut owner",
                  "half-cut owner", "stop quorum", "stop all nodes", "cut clients", "half-cut clients", "cut commands"]
        for number, fault in enumerate(choice_of_faults(faults, ROUNDS, dice)):
            owner, epoch = nodes.known_owner()
            leader = etcd.leader()
            if fault == "kill owner":
                nodes.running[owner].kill()
                seconds = proceed(nodes, producer, epoch)
                takeovers.append(seconds)
            elif fault == "stop owner":
                nodes.running[owner].stop()
                seconds = proceed(nodes, producer, epoch)
                takeovers.append(seconds)
            elif fault == "kill owner and leader":
                nodes.running[owner].kill()
                etcd.members[leader].kill()
                seconds = proceed(nodes, producer, epoch)
                etcd.start(leader)
            elif fault == "hand over":
                nodes.running[owner].send(signal.SIGTERM)
                seconds = proceed(nodes, producer, epoch)
            elif fault == "ask to hand over":
                # A node that has just been started is not listed yet.
                eventually("a standby is listed", lambda: ": standby, " in subprocess.run(
                    [FLEET, "status", *where], capture_output=True, text=True, check=False).stdout)
                asked = subprocess.run([FLEET, "hand-over", *where], capture_output=True, text=True, check=False)
                assert asked.returncode == 0 and f"n{owner} has handed over to n" in asked.stdout, asked
                seconds = proceed(nodes, producer, epoch)
                assert nodes.running[owner].process.wait(10) == 76
            elif fault in ("cut owner", "half-cut owner"):
                paths = nodes.paths[owner]
                paths.cut() if fault == "cut owner" else paths.half_cut()
                seconds = proceed(nodes, producer, epoch)
                takeovers.append(seconds)
            elif fault in ("cut clients", "half-cut clients", "cut commands"):
                # The owner does not notice: it stays one. Half-cut, commands arrive, and no acknowledgement comes back.
                paths = [nodes.ingress_paths[owner]]
                if fault != "cut commands":
                    paths.append(nodes.egress_paths[owner])
                for path in paths:
                    path.half_cut() if fault == "half-cut clients" else path.cut()
                time.sleep(dice.uniform(2, 6))
                for path in paths:
                    path.restore()
                seconds = proceed(nodes, producer)
                assert nodes.owner() == (owner, epoch), f"{nodes.owner()} (SEED={SEED})"
            elif fault == "stop quorum":
                for one in (0, 1):
                    etcd.members[one].stop()
                time.sleep(dice.uniform(0.5, 4.5))
                for one in (0, 1):
                    etcd.members[one].go_on()
                seconds = proceed(nodes, producer)
            else:
                for process in nodes.running.values():
                    process.stop()
                time.sleep(dice.uniform(1, 6))
                for process in nodes.running.values():
                    process.go_on()
                seconds = proceed(nodes, producer)
            nodes.revive()
            print(f"{number + 1:3}  {fault:22} {seconds:5.1f} s", flush=True)
        proceed(nodes, producer)

        # popupctl knows all nodes, whichever owns the log.
        lists = ["--ingress", ",".join(nodes.ingress), "--egress", ",".join(nodes.egress)]
        shown = subprocess.run([POPUPCTL, "show", *lists, "--group", "hall", "--id", "by-popupctl", "a text"],
                               capture_output=True, text=True, check=False)
        assert shown.returncode == 0, shown.stderr
        producer.is_ending = True
        producer.join()
        missing = []
        for popup in ["by-popupctl"] + [one for one, _ in producer.acknowledged[-400:]]:
            explained = subprocess.run([POPUPCTL, "explain", *lists, popup], capture_output=True, text=True, check=False)
            if explained.returncode != 0:
                missing.append((popup, explained.stderr))
        assert not missing, missing[:3]

        for process in nodes.running.values():
            process.send(signal.SIGTERM)
        for process in nodes.running.values():
            assert process.process.wait(60) == 0, process.output
        for one in screens + recorders:
            one.is_ending = True
            one.join()
        listed = subprocess.run([TRIAL, "history", *where], check=True, capture_output=True, text=True)
        history = {}
        for line in listed.stdout.splitlines():
            begins, group, revision, popup = line.split(" ", 3)
            history.setdefault((group, int(revision)), set()).add((int(begins), popup.strip('"')))
        wrong = problems(history, [said for one in screens + recorders for said in one.heard])
        assert not wrong, wrong[:5]
        # A comparison that finds nothing wrong with a wrong state would be none.
        _, epoch, group, revision, _ = recorders[0].heard[-1] if recorders[0].heard else screens[0].heard[-1]
        assert problems(history, [(0, epoch, group, revision, "never-shown")])
        assert problems(history, [(0, epoch, group, revision + 1_000_000, "")])
        for screen in screens:
            assert not screen.wrong, screen.wrong[:3]
        shown = {popup for states in history.values() for _, popup in states}
        lost = [popup for popup, _ in producer.acknowledged[:-20] if popup not in shown]
        print(f"published {sum(len(one.heard) for one in recorders)} states of {len(history)}, "
              f"acknowledged {len(producer.acknowledged)}, {len(lost)} of them ended before they were shown")
        print(f"the longest wait for an acknowledgement: {producer.longest:.1f} s")
        check_takeovers(takeovers)


def problems(history, heard):
    """What was published, and is not of the one history."""
    found = []
    for _, epoch, group, revision, popup in heard:
        states = history.get((group, revision), set())
        if not any(begins <= epoch and popup == shown for begins, shown in states):
            found.append(f"epoch {epoch} published {group} {revision} {popup}; the log has {states}")
    return found


if __name__ == "__main__":
    try:
        main()
    finally:
        end_all()
    sys.exit(0)
