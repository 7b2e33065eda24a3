#!/usr/bin/env python3
"""Brokers that own a shared log, one after another: nodes and members of etcd are killed and stopped, and paths cut, while
a producer asks for popups, a renderer with a lease reports and dismisses them, and screens follow, with nothing but pyzmq.
At the end everything that was published and acknowledged is compared with the one history of the log: see checker.py.

FLEET_TRIAL, POPUP_FLEET, POPUPCTL: the programs. ROUNDS: how many faults (14). SEED: repeats their choice."""
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

import zmq

import checker
import shared_log
from brokers import fleet, popupctl
from clients import Producer, Renderer, Screen, Sender
from harness import (FLEET, PAUSES, SEED, TRIAL, Etcd, Nodes, Path, TakeOvers, ask_to_hand_over, choice_of_faults, end_all,
                     eventually, free_ports)

ROUNDS = int(os.environ.get("ROUNDS") or 14)
# What the popups of a group have: in the yard, renderers are asked first.
GROUPS = {"hall": {}, "lobby": {}, "yard": {"offerMs": 400}}
COMMANDS = {"show", "update", "report", "answer", "dismiss"}
RECORDED = (b"state+json", b"events+json", b"feed", b"heartbeat")


class BrokerNodes(Nodes):
    """Nodes with brokers, which keep their endpoints when they are started again."""

    def __init__(self, folder, etcd):
        ports = free_ports(6)
        self.ingress = [f"tcp://127.0.0.1:{port}" for port in ports[:3]]
        self.egress = [f"tcp://127.0.0.1:{port}" for port in ports[3:]]
        # The paths of clients to each node.
        self.ingress_paths = [Path(port) for port in ports[:3]]
        self.egress_paths = [Path(port) for port in ports[3:]]
        # Which node was paused, from when to when.
        self.pauses = []
        super().__init__(folder, etcd)

    def command(self, rank):
        return [FLEET, "run", "--endpoints", self.paths[rank].endpoints, "--node", f"n{rank}", "--rank", str(rank),
                "--ingress", self.ingress[rank], "--egress", self.egress[rank]]

    def epoch(self, line):
        return int(line.rsplit("epoch=", 1)[1]) if " ready " in line else None

    def pause(self, rank):
        self.pauses.append([f"n{rank}", time.monotonic(), float("inf")])
        self.running[rank].stop()

    def go_on(self):
        for rank, process in self.running.items():
            process.go_on()
            for pause in self.pauses:
                if pause[0] == f"n{rank}" and pause[2] == float("inf"):
                    pause[2] = time.monotonic()

    def revive(self):
        self.go_on()
        super().revive()

    def client_paths(self, rank):
        return [self.ingress_paths[rank], self.egress_paths[rank]]

    @property
    def lists(self):
        return ["--ingress", ",".join(self.ingress), "--egress", ",".join(self.egress)]


class Trial:
    """A fleet with its clients, and the faults that it has to stand."""

    # Those that CI has: see choice_of_faults.
    PLAIN_FAULTS = ["kill owner", "stop owner", "cut owner", "half-cut owner", "ask to hand over", "cut clients",
                    "slow clients", "cut commands"]
    OTHER_FAULTS = ["kill owner and leader", "hand over", "slow owner", "stop quorum", "stop all nodes",
                    "half-cut clients"]

    def __init__(self, folder, dice):
        self.dice = dice
        self.context = zmq.Context()
        self.etcd = Etcd(folder)
        self.where = self.etcd.create()
        self.nodes = BrokerNodes(folder, self.etcd)
        # A screen as everybody's, one whose paths are never cut, and a recorder at each node, which hears what it says
        # whatever its epoch.
        self.paths = [[path.tcp for path in paths] for paths in (self.nodes.ingress_paths, self.nodes.egress_paths)]
        self.screens = [Screen(self.context, self.paths[1]),
                        Screen(self.context, list(reversed(self.nodes.egress)))]
        self.recorders = [Screen(self.context, [endpoint], f"n{rank}", RECORDED)
                          for rank, endpoint in enumerate(self.nodes.egress)]
        producing = random.Random(SEED + 1)
        self.producer = Producer(Sender(self.context, *self.paths, producing), producing, GROUPS)
        self.renderer = Renderer(self.context, *self.paths, random.Random(SEED + 2), list(GROUPS))
        self.takeovers = TakeOvers()

    def proceed(self, after_epoch=0, since=None):
        """Waits until popups are acknowledged by an owner of a later epoch, or any; returns the seconds until the first,
        without the machine's pauses."""
        since = since or time.monotonic()
        acked = self.producer.sender.acked
        at = eventually(f"popups are acknowledged after epoch {after_epoch}", lambda: next(
            (one.at for one in acknowledged_since(acked, since) if one.epoch > after_epoch), None))
        eventually("the owner says so", lambda: self.nodes.owner()[1] > after_epoch)
        return PAUSES.without(since, at)

    def bring(self, fault):
        """Brings a fault, and returns how long it took until popups were acknowledged again."""
        nodes, takeovers, dice = self.nodes, self.takeovers, self.dice
        # It meets a fleet at work.
        before = len(self.producer.sender.acked)
        eventually("popups come and go", lambda: len(self.producer.sender.acked) >= before + 15)
        owner, epoch = nodes.known_owner()
        began = time.monotonic()
        if fault in ("kill owner", "stop owner", "cut owner", "half-cut owner", "kill owner and leader"):
            leader = self.etcd.leader() if fault == "kill owner and leader" else None
            began = time.monotonic()
            if fault == "stop owner":
                nodes.pause(owner)
            elif fault == "cut owner":
                nodes.paths[owner].cut()
            elif fault == "half-cut owner":
                nodes.paths[owner].half_cut()
            else:
                nodes.running[owner].kill()
            if leader is not None:
                self.etcd.members[leader].kill()
            seconds = self.proceed(epoch, began)
            if leader is not None:
                self.etcd.start(leader)
            if fault in ("cut owner", "half-cut owner"):
                # For as long as it does not know of the next owner: a heartbeat would show that it is not mute.
                time.sleep(checker.LATEST_WORD + 1.5)
            (takeovers.after_faults if leader is None else takeovers.after_leaders).append(seconds)
            return seconds
        if fault in ("hand over", "ask to hand over"):
            # A node that has just been started is not listed yet.
            eventually("a standby is listed", lambda: ": standby, " in fleet("status", *self.where, code=None))
            began = time.monotonic()
            if fault == "hand over":
                nodes.running[owner].send(signal.SIGTERM)
            else:
                name, successor, began = ask_to_hand_over(self.where)
                others = {f"n{rank}" for rank in nodes.running} - {name}
                assert name == f"n{owner}" and successor in others, (name, successor)
            seconds = self.proceed(epoch, began)
            if fault == "ask to hand over":
                assert nodes.running[owner].process.wait(60) == 76
            takeovers.handed_over.append(seconds)
            return seconds
        if fault == "slow owner":
            # It may keep the log or lose it.
            nodes.paths[owner].slow(0.3, 1.5)
            time.sleep(dice.uniform(3, 6))
            nodes.paths[owner].restore()
            return self.proceed()
        if fault == "stop quorum":
            for one in (0, 1):
                self.etcd.members[one].stop()
            time.sleep(dice.uniform(0.5, 4.5))
            for one in (0, 1):
                self.etcd.members[one].go_on()
            return self.proceed()
        if fault == "stop all nodes":
            for rank in nodes.running:
                nodes.pause(rank)
            time.sleep(dice.uniform(1, 6))
            nodes.go_on()
            return self.proceed()
        # The owner does not notice: it stays one. Half-cut, commands arrive, and no acknowledgement comes back.
        paths = [nodes.ingress_paths[owner]] if fault == "cut commands" else nodes.client_paths(owner)
        for path in paths:
            {"cut commands": path.cut, "cut clients": path.cut, "half-cut clients": path.half_cut,
             "slow clients": lambda path=path: path.slow(0.3, 1.5)}[fault]()
        time.sleep(dice.uniform(1, 4))
        for path in paths:
            path.restore()
        seconds = self.proceed()
        # After a pause of the machine, etcd has not heard of it for too long either.
        paused = PAUSES.within(began, time.monotonic())
        assert nodes.owner() == (owner, epoch) or paused > 1, f"{nodes.owner()}, {paused:.1f} s of pauses (SEED={SEED})"
        return seconds

    def end(self):
        """Ends clients, then nodes: each screen shows what the owner shows, and the nodes end as they should. Returns those
        who sent commands."""
        nodes, senders = self.nodes, [self.producer.sender, self.renderer.sender]
        eventually("commands of all kinds are acknowledged", lambda: self.renderer.dismissed and COMMANDS <= {
            one.name for sender in senders for one in sender.acked})
        # popupctl knows all nodes, whichever owns the log.
        shown = popupctl("show", *nodes.lists, "--group", "hall", "--id", "by-popupctl", "a text")
        assert shown.returncode == 0, shown.stderr
        eventually("the owner knows the renderer", lambda: self.renderer.sender.client in popupctl(
            "renderers", *nodes.lists).stdout)
        self.producer.end()
        self.renderer.end()
        # Something that stays, so that there is an end to compare.
        last = Sender(self.context, *self.paths, random.Random(SEED + 3))
        for group in GROUPS:
            refusal = last.settle("show", id=f"last-{group}", group=group, text=f"the last of {group}", priority=9)
            assert refusal is None, refusal
        last.close()
        owner, _ = nodes.known_owner()
        # What the owner repeats for somebody who comes late.
        late = Screen(self.context, [nodes.egress[owner]])

        def is_shown():
            states = [one.follower.shown for one in [late, *self.screens]]
            return all(
                checker.popup_of(one.get(group, {})) == f"last-{group}"
                and checker.content_of(one[group]) == checker.content_of(late.follower.shown[group])
                for one in states for group in GROUPS)
        eventually("each screen shows the owner's state", is_shown)
        for popup in ["by-popupctl", *(one.content["id"] for one in self.producer.sender.acked[-3:])]:
            explained = popupctl("explain", *nodes.lists, popup)
            assert explained.returncode == 0, explained
        for process in nodes.running.values():
            process.send(signal.SIGTERM)
        for rank, process in nodes.running.items():
            # One that the last fault has cut off or paused ends by itself, when it learns of its successor.
            code = process.process.wait(60)
            assert code == 0 or rank != owner and code == 76, (rank, code, process.output)
        for one in [late, *self.screens, *self.recorders]:
            one.end()
        return [*senders, last]

    def check(self, senders):
        """Compares all that was published and acknowledged with the log."""
        listed = subprocess.run([TRIAL, "history", *self.where], check=True, capture_output=True, text=True)
        history = checker.History(listed.stdout.splitlines())
        commands = shared_log.read(self.etcd.endpoints[0])
        recorded = [word for one in self.recorders for word in one.heard]
        heard = recorded + [word for one in [*self.screens, self.renderer] for word in one.heard]
        acked = [one for sender in senders for one in sender.acked]
        client, followers = self.renderer.sender.client, [one.follower for one in [*self.screens, self.renderer]]
        problems = checker.all_problems(history, commands, heard, followers)
        problems += checker.late_words(recorded, self.nodes.pauses, PAUSES.within)
        problems += checker.wrong_acknowledgements(commands, acked, [ack for one in senders for ack in one.acks])
        problems += checker.wrong_end(history, GROUPS, [one.follower.shown for one in self.screens])
        problems += checker.wrong_leases(commands, client, GROUPS) + self.producer.wrong
        assert not problems, f"{len(problems)} problems (SEED={SEED}): " + "\n".join(problems[:5])
        # A comparison of nothing would find nothing.
        channels = {channel: sum(word.channel == channel for word in recorded) for channel in checker.CHANNELS}
        assert all(channels.values()), channels
        kinds = {checker.kind_of(word.message) for word in recorded if word.channel == "event"}
        assert {"shown", "offered", "updated", "closed"} <= kinds, kinds
        print(f"compared {channels} with {len(history.states)} states, and {len(acked)} acknowledgements with "
              f"{len(commands)} commands; the longest wait for one: {senders[0].longest:.1f} s")
        self.takeovers.check()


def acknowledged_since(acked, since):
    """Those that were acknowledged since a time, the earliest first."""
    place = len(acked)
    while place and acked[place - 1].at > since:
        place -= 1
    return acked[place:]


def main():
    dice = random.Random(SEED)
    print(f"test_broker: SEED={SEED} ROUNDS={ROUNDS}", flush=True)
    with tempfile.TemporaryDirectory(prefix="fleet-broker-") as folder:
        trial = Trial(folder, dice)
        trial.proceed()
        for number, fault in enumerate(choice_of_faults(Trial.PLAIN_FAULTS, Trial.OTHER_FAULTS, ROUNDS, dice)):
            began = time.monotonic()
            seconds = trial.bring(fault)
            trial.nodes.revive()
            print(f"{number + 1:3}  {fault:22} {seconds:5.1f} s of {time.monotonic() - began:5.1f}", flush=True)
        trial.proceed()
        trial.check(trial.end())


if __name__ == "__main__":
    try:
        main()
    finally:
        end_all()
    sys.exit(0)
