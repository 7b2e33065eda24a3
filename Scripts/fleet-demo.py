#!/usr/bin/env python3
"""Three members of etcd, three brokers, two screens and a producer; then the broker that owns the log is killed, and the
screens go on.

BIN, FLEET_BIN: the folders of the built programs."""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Fleet", "Tests", "Processes"))

from processes import Process, free_ports, member_of_etcd

BIN, FLEET = os.environ["BIN"], os.path.join(os.environ["FLEET_BIN"], "popup-fleet")
PATIENCE = 60


def say(text):
    print(f"{time.monotonic() - BEGAN:5.1f} s  {text}", flush=True)


def until(what, is_so):
    end = time.monotonic() + PATIENCE
    while not is_so():
        if time.monotonic() > end:
            sys.exit(f"fleet-demo: not within {PATIENCE} s: {what}")
        time.sleep(0.05)


def main(folder):
    ports = free_ports(12)
    members = [f"http://127.0.0.1:{port}" for port in ports[:3]]
    peers = [f"http://127.0.0.1:{port}" for port in ports[3:6]]
    for number in range(3):
        Process(f"etcd-{number}", member_of_etcd(number, folder, members[number], peers[number], peers), folder)
    where = ["--endpoints", ",".join(members)]
    until("etcd serves", lambda: subprocess.run(
        [FLEET, "create", *where], capture_output=True, check=False).returncode in (0, 73))
    say("three members of etcd keep the log of the shard `main`")

    ingress = [f"tcp://127.0.0.1:{port}" for port in ports[6:9]]
    egress = [f"tcp://127.0.0.1:{port}" for port in ports[9:12]]
    nodes, owner = {}, []
    for number, name in enumerate(["left", "middle", "right"]):
        def heard(line, name=name):
            if " ready " in line:
                owner.append(name)
                say(f"the node `{name}` owns the log: {line.rsplit(' ', 1)[1]}")
            elif " standby " in line:
                say(f"the node `{name}` stands by")

        nodes[name] = Process(name, [
            FLEET, "run", *where, "--node", name, "--rank", str(number), "--ingress", ingress[number],
            "--egress", egress[number], "--set", "log.level=warning"], folder, hear=heard)
    until("a node owns the log", lambda: owner)

    environment = {**os.environ, "POPUP_BROKER_INGRESS": ",".join(ingress), "POPUP_BROKER_EGRESS": ",".join(egress)}
    shown = {"lobby": 0, "hall": 0}

    def screen(group):
        def see(line):
            shown[group] += 1
            say(f"    screen of {group}: {line}")

        Process(f"screen-{group}", [f"{BIN}/popupctl", "watch", group], folder, environment, see)

    for group in shown:
        screen(group)

    def show(number):
        group = list(shown)[number % 2]
        return subprocess.run([f"{BIN}/popupctl", "show", "--group", group, "--duration", "1500ms", "--timeout", "30s",
                               f"popup {number}"], env=environment, capture_output=True, text=True, check=False)

    number = 0
    for _ in range(4):
        number += 1
        assert show(number).returncode == 0
        time.sleep(0.5)
    victim, before = owner[-1], dict(shown)
    say(f"kill -9 of `{victim}`")
    killed = time.monotonic()
    nodes[victim].send(signal.SIGKILL)
    number += 1
    shown_again = show(number)
    if shown_again.returncode:
        sys.exit(f"fleet-demo: popup {number} was not acknowledged: {shown_again.stderr}")
    say(f"popup {number} is acknowledged, {time.monotonic() - killed:.1f} s after the kill")
    for _ in range(3):
        number += 1
        assert show(number).returncode == 0
        time.sleep(0.5)
    until("both screens go on", lambda: all(shown[group] > before[group] for group in shown))
    say(f"the screens go on; `{owner[-1]}` is the broker now")


if __name__ == "__main__":
    BEGAN = time.monotonic()
    work = tempfile.mkdtemp(prefix="fleet-demo-")
    try:
        main(work)
    finally:
        Process.kill_all()
        shutil.rmtree(work)
