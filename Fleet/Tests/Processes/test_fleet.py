#!/usr/bin/env python3
"""Real processes: three members of etcd and three nodes, of which some are killed, stopped or cut off, round after round. At
the end the checker compares all that the nodes told with the log. Then nodes that keep snapshots, and remove entries.

FLEET_TRIAL, POPUP_FLEET: the programs. ROUNDS: how many faults (16). SEED: repeats their choice."""
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

from harness import (FLEET, PATIENCE, PAUSES, SEED, TRIAL, Etcd, Nodes, TakeOvers, choice_of_faults, end_all,
                     eventually)

ROUNDS = int(os.environ.get("ROUNDS") or 16)
# Those that CI has: see choice_of_faults.
PLAIN_FAULTS = ["kill owner", "stop owner", "cut owner", "half-cut owner", "hand over", "kill leader", "stop quorum",
                "stop all nodes", "half-cut standby"]
OTHER_FAULTS = ["stop leader", "cut leader", "half-cut leader", "kill owner and leader", "stop standby", "cut standby",
                "slow owner"]


class TrialNodes(Nodes):
    """Nodes over a small state machine, which say what they do."""

    def __init__(self, folder, etcd, *options):
        self.options = options
        self.counts = {}
        super().__init__(folder, etcd)

    def command(self, rank):
        return [TRIAL, "node", "--endpoints", self.paths[rank].endpoints, "--number", str(self.count),
                "--rank", str(rank), *self.options]

    def epoch(self, line):
        return int(line.split()[1]) if line.startswith("owns ") else None

    def acknowledged(self):
        """How many numbers all processes have acknowledged: one owner may follow another in between."""
        total = 0
        for rank, process in self.running.items():
            lines = self.lines(rank)
            count, seen = self.counts.get(process.output, (0, 0))
            count += sum(line.startswith("acknowledged ") for line in lines[seen:])
            self.counts[process.output] = count, len(lines)
            total += count
        return total

    def proceed(self, after_epoch=0):
        """Waits until an owner of a later epoch acknowledges more; returns the seconds without the machine's
        pauses."""
        began = time.monotonic()
        eventually(f"an owner after epoch {after_epoch}", lambda: self.owner()[1] > after_epoch)
        before = self.acknowledged()
        eventually("the owner acknowledges", lambda: self.acknowledged() > before)
        return PAUSES.without(began, time.monotonic())

    def keep_proceeding(self, seconds):
        """Waits until time has passed and more than one number a second was acknowledged in it."""
        before, end = self.acknowledged(), time.monotonic() + seconds
        eventually("the owner goes on", lambda: time.monotonic() > end and self.acknowledged() > before + seconds)

    def hold_back(self, standby, dice, fault):
        """Brings trouble to a standby for seconds, while the owner goes on. Afterwards it catches up: it takes over when it is
        the only one that can. Returns the seconds for that."""
        owner, epoch = self.known_owner()
        if fault == "stop standby":
            self.running[standby].stop()
        elif fault == "cut standby":
            self.paths[standby].cut()
        else:
            self.paths[standby].half_cut()
        self.keep_proceeding(dice.uniform(2, 4))
        self.running[standby].go_on()
        self.paths[standby].restore()
        for rank, process in self.running.items():
            if rank not in (owner, standby):
                process.stop()
        self.running[owner].kill()
        seconds = self.proceed(epoch)
        assert self.owner()[0] == standby, f"{self.owner()}, not {standby} (SEED={SEED})"
        return seconds


def main():
    dice = random.Random(SEED)
    print(f"test_fleet: SEED={SEED} ROUNDS={ROUNDS}", flush=True)
    with tempfile.TemporaryDirectory(prefix="fleet-") as folder:
        etcd = Etcd(folder)
        where = etcd.create()
        nodes = TrialNodes(folder, etcd)
        nodes.proceed()
        takeovers = TakeOvers()
        for number, fault in enumerate(choice_of_faults(PLAIN_FAULTS, OTHER_FAULTS, ROUNDS, dice)):
            owner, epoch = nodes.known_owner()
            leader = etcd.leader()
            seconds = 0.0
            if fault == "kill owner":
                nodes.running[owner].kill()
                seconds = nodes.proceed(epoch)
                takeovers.after_faults.append(seconds)
            elif fault == "stop owner":
                nodes.running[owner].stop()
                seconds = nodes.proceed(epoch)
                takeovers.after_faults.append(seconds)
            elif fault == "kill leader":
                etcd.members[leader].kill()
                seconds = nodes.proceed()
                etcd.start(leader)
            elif fault == "stop leader":
                etcd.members[leader].stop()
                seconds = nodes.proceed()
                etcd.members[leader].go_on()
            elif fault in ("cut leader", "half-cut leader"):
                # What the other members say to it, and its answers.
                path = etcd.peer_paths[leader]
                path.cut() if fault == "cut leader" else path.half_cut()
                nodes.keep_proceeding(dice.uniform(2, 4))
                seconds = nodes.proceed()
            elif fault == "slow owner":
                # It may keep the log or lose it: a request takes up to 1.5 s, and the claim is to be renewed every second.
                nodes.paths[owner].slow(0.3, 1.5)
                time.sleep(dice.uniform(3, 6))
                nodes.paths[owner].restore()
                seconds = nodes.proceed()
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
                takeovers.after_leaders.append(seconds)
                etcd.start(leader)
            elif fault == "hand over":
                # Standbys that have just been started follow the log by then.
                nodes.keep_proceeding(2)
                nodes.running[owner].send(signal.SIGTERM)
                seconds = nodes.proceed(epoch)
                takeovers.handed_over.append(seconds)
            elif fault in ("stop standby", "cut standby", "half-cut standby"):
                seconds = nodes.hold_back(dice.choice([rank for rank in nodes.running if rank != owner]), dice, fault)
                takeovers.after_faults.append(seconds)
            elif fault in ("cut owner", "half-cut owner"):
                paths = nodes.paths[owner]
                paths.cut() if fault == "cut owner" else paths.half_cut()
                seconds = nodes.proceed(epoch)
                takeovers.after_faults.append(seconds)
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
        outputs = end_nodes(nodes, folder)
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
        takeovers.check()
    end_all()


def end_nodes(nodes, folder):
    """Ends all nodes, and returns the files with what each process told."""
    for process in nodes.running.values():
        process.send(signal.SIGTERM)
    for process in nodes.running.values():
        process.process.wait(PATIENCE)
    return sorted(os.path.join(folder, name) for name in os.listdir(folder)
                  if name.startswith("node-") and name.endswith(".out"))


def keep_snapshots():
    """Nodes that keep a snapshot after few entries: whoever is the owner, entries are removed, and what a node that starts
    reads is the state that the log determines."""
    dice = random.Random(SEED)
    with tempfile.TemporaryDirectory(prefix="fleet-snapshots-") as folder:
        etcd = Etcd(folder)
        where = etcd.create()
        nodes = TrialNodes(folder, etcd, "--snapshot-entries", "40")
        nodes.proceed()
        newest = 0
        for _ in range(max(3, ROUNDS // 10)):
            def is_kept():
                status = subprocess.run([FLEET, "status", *where], capture_output=True, text=True, check=False).stdout
                kept = re.findall(r"\d+", (re.search(r"^snapshots  (.*)$", status, re.MULTILINE) or [""])[0])
                return int(kept[-1]) if kept and int(kept[-1]) > newest else None
            newest = eventually(f"a snapshot after {newest}", is_kept)
            # Also while it writes chunks, or removes entries.
            owner, epoch = nodes.known_owner()
            nodes.running[dice.choice(list(nodes.running))].kill()
            if not nodes.running[owner].is_running:
                nodes.proceed(epoch)
            nodes.revive()
        nodes.proceed()
        outputs = end_nodes(nodes, folder)
        checked = subprocess.run([TRIAL, "check", *where, *outputs], capture_output=True, text=True, check=False)
        assert checked.returncode == 0, checked
        first, snapshots = re.search(r"^entries (\d+) to \d+ snapshots (\d+) ", checked.stdout).groups()
        assert int(first) > 1 and int(snapshots) > 0, checked.stdout
        print(f"snapshots: {checked.stdout.strip()}")


if __name__ == "__main__":
    try:
        main()
        keep_snapshots()
    finally:
        end_all()
    sys.exit(0)
