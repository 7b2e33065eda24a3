#!/usr/bin/env python3
"""A broker's data directory goes into the log of a shard and back, with processes that are killed in between, and a broker
goes on from it as if it had never left.

POPUP_FLEET, POPUP_BROKER, POPUPCTL: the programs; with what harness.py needs."""
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

from brokers import Broker, fleet
from harness import FLEET, SEED, Etcd, end_all, eventually

BROKER = os.environ["POPUP_BROKER"]
KEPT = ["id", "group", "priority", "phase", "excerpt"]


class AnsweringBroker(Broker):
    """A broker alone, or that of a node, which answers."""

    def __init__(self, folder, *program):
        super().__init__(folder, "broker", *program)
        eventually("the broker answers", lambda: self.control("list", "--timeout", "1s").returncode == 0)

    def show(self, *arguments):
        shown = self.control("show", *arguments)
        assert shown.returncode == 0, shown.stderr

    def popups(self):
        """The live popups, without what depends on the time."""
        listed = self.control("list", "--json")
        assert listed.returncode == 0, listed.stderr
        return sorted([one[key] for key in KEPT] for one in json.loads(listed.stdout)["popups"])


def main():
    dice = random.Random(SEED)
    with tempfile.TemporaryDirectory(prefix="transfer-") as folder:
        etcd = Etcd(folder)
        where = ["--endpoints", ",".join(etcd.endpoints)]
        eventually("etcd serves", lambda: subprocess.run(
            [FLEET, "status", *where], capture_output=True, check=False).returncode == 66)

        directory = os.path.join(folder, "data")
        broker = AnsweringBroker(folder, BROKER, "run", "--data-dir", directory)
        for number in range(12):
            broker.show("--group", f"lobby-{number % 3}", "--priority", str(number % 5), "--id", f"popup-{number}",
                        f"text {number}")
        assert broker.control("dismiss", "popup-7").returncode == 0
        assert broker.control("update", "popup-8", "changed").returncode == 0
        before = broker.popups()
        assert len(before) == 11 and {one[3] for one in before} >= {"ACTIVE", "WAITING"}, before
        broken = fleet("import", *where, directory, code=74)
        assert "popup-fleet: " in broken, broken
        broker.process.kill()

        # Killed at any moment: the shard is there as a whole, or not at all.
        for shard in range(4):
            importer = subprocess.Popen([FLEET, "import", *where, "--shard", f"killed-{shard}", directory],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(dice.uniform(0, 0.3))
            importer.kill()
            importer.wait()
            again = subprocess.run([FLEET, "import", *where, "--shard", f"killed-{shard}", directory],
                                   capture_output=True, text=True, check=False)
            assert again.returncode in (0, 73), again.stderr
            fleet("log", *where, "--shard", f"killed-{shard}")

        fleet("import", *where, directory)
        fleet("import", *where, directory, code=73)
        fleet("import", *where, "--shard", "other", os.path.join(folder, "nothing"), code=66)
        fleet("export", *where, "--shard", "other", "--to", os.path.join(folder, "none"), code=66)
        assert not os.path.exists(os.path.join(folder, "none"))
        assert not os.path.exists(os.path.join(folder, "nothing"))

        exported = os.path.join(folder, "exported")
        for _ in range(4):
            exporter = subprocess.Popen([FLEET, "export", *where, "--to", exported],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(dice.uniform(0, 0.3))
            exporter.kill()
            exporter.wait()
            if os.path.exists(exported):
                break
        else:
            fleet("export", *where, "--to", exported)
        assert not os.path.exists(exported + ".partial")
        fleet("export", *where, "--to", exported, code=73)

        broker = AnsweringBroker(folder, BROKER, "run", "--data-dir", exported)
        assert broker.popups() == before, (before, broker.popups())
        # What was shown once is never shown again.
        again = broker.control("show", "--group", "lobby-0", "--id", "popup-7", "again")
        assert "the id was known already" in again.stdout, again
        broker.show("--group", "lobby-0", "--priority", "9", "--id", "new", "goes on")
        assert len(broker.popups()) == 12
        broker.process.kill()
        there_and_back(folder, where, before)
        print("the popups of a broker went into the log of a shard and back, also with a node in between")


def there_and_back(folder, where, before):
    """A node goes on from the log that was imported, and a broker from what the node has written."""
    node = AnsweringBroker(folder, FLEET, "run", *where, "--node", "left")
    assert node.popups() == before, (before, node.popups())
    again = node.control("show", "--group", "lobby-0", "--id", "popup-7", "again")
    assert "the id was known already" in again.stdout, again
    node.show("--group", "lobby-1", "--priority", "9", "--id", "of-the-fleet", "goes on in the fleet")
    assert node.control("dismiss", "popup-2").returncode == 0
    there = node.popups()
    assert len(there) == len(before), there
    assert "of-the-fleet" in {one[0] for one in there} and "popup-2" not in {one[0] for one in there}, there
    node.process.send(signal.SIGTERM)
    node.ends()

    back = os.path.join(folder, "back")
    fleet("export", *where, "--to", back)
    broker = AnsweringBroker(folder, BROKER, "run", "--data-dir", back)
    assert broker.popups() == there, (there, broker.popups())
    for popup in ("popup-7", "popup-2"):
        again = broker.control("show", "--group", "lobby-0", "--id", popup, "again")
        assert "the id was known already" in again.stdout, again
    broker.show("--group", "lobby-1", "--id", "alone-again", "goes on alone")
    assert len(broker.popups()) == len(there) + 1
    broker.process.kill()


if __name__ == "__main__":
    try:
        main()
    finally:
        end_all()
    sys.exit(0)
