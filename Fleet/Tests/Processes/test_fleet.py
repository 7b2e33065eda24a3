#!/usr/bin/env python3
"""Real processes: three members of etcd and three nodes, of which some are killed, stopped or cut off, round after round. At
the end the checker compares all that the nodes told with the log.

FLEET_TRIAL, POPUP_FLEET: the programs. ROUNDS: how many faults (12). SEED: repeats their choice."""
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

from harness import FLEET, PATIENCE, SEED, TRIAL, Etcd, Nodes, end_all, eventually

ROUNDS = int(os.environ.get("ROUNDS") or 12)


class TrialNodes(Nodes):
    """Nodes over a small state machine, which say what they do."""

    def command(self, rank):
        return [TRIAL, "node", "--endpoints", self.paths[rank].endpoints, "--number", str(self.count),
                "--rank", str(rank)]

    def epoch(self, line):
        return int(line.split()[1]) if line.startswith("owns ") else None

    def acknowledged(self):
        """How many numbers all processes have acknowledged: one owner may follow another in between."""
        return sum(line.startswith("acknowledged ") for rank in self.running for line in self.lines(rank))

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
        nodes = TrialNodes(folder, etcd)
        nodes.proceed()
        takeovers = []
        faults = ["kill owner", "stop owner", "kill leader", "stop leader", "stop quorum", "kill owner and leader",
                  "hand over", "stop standby", "stop all nodes", "cut owner", "half-cut owner", "cut standby"]
        for number in range(ROUNDS):
            fault = faults[number] if number < len(faults) else dice.choice(faults)
            owner, epoch = nodes.known_owner()
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
            elif fault in ("cut owner", "half-cut owner"):
                paths = nodes.paths[owner]
                paths.cut() if fault == "cut owner" else paths.half_cut()
                seconds = nodes.proceed(epoch)
                takeovers.append(seconds)
            elif fault == "cut standby":
                nodes.paths[dice.choice([rank for rank in nodes.running if rank != owner])].cut()
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
        print(f"take-overs after a kill, a pause or a cut: {', '.join(f'{one:.1f}' for one in takeovers)} s")


if __name__ == "__main__":
    try:
        main()
    finally:
        end_all()
    sys.exit(0)
