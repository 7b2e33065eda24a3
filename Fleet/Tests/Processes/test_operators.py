#!/usr/bin/env python3
"""What operators do with a shard: they set its configuration, ask its owner to hand over, look at its metrics; and what
clients notice of it. At the end etcd is nearly full.

POPUP_FLEET, POPUPCTL: the programs; with what harness.py needs."""
import json
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import zmq

from brokers import Node, fleet
from clients import Sender
from harness import (LONGEST_HAND_OVER, LONGEST_TAKE_OVER, PAUSES, SEED, SLACK, Etcd, ask_to_hand_over, end_all,
                     eventually, free_ports)
from processes import run_etcdctl
from threads import HeldThread, threads_in_poll

QUOTA = 16 << 20
RULES = os.path.join(os.path.dirname(__file__), "..", "..", "..", "Packaging", "prometheus", "popup-fleet.rules.yaml")


class MeasuredNode(Node):
    """A node with metrics, in an etcd of a small quota."""

    def __init__(self, folder, where, name, rank, *options, ports=None, **others):
        ports = ports or free_ports(3)
        self.metrics_port = ports[2]
        super().__init__(folder, where, name, "--rank", str(rank), "--metrics", f"127.0.0.1:{self.metrics_port}",
                         "--quota-bytes", str(QUOTA), *options, ports=ports, **others)

    def is_owner(self):
        try:
            return self.metric("owner") == 1
        except urllib.error.URLError:
            # It has not begun to answer.
            return False

    def control(self, *arguments):
        return super().control(*arguments, "--timeout", "15s")

    def is_hanging(self):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.metrics_port}/metrics", timeout=60):
                return False
        except urllib.error.HTTPError as error:
            assert error.code == 503, error
            return True

    def metrics(self):
        def answer():
            try:
                return urllib.request.urlopen(f"http://127.0.0.1:{self.metrics_port}/metrics", timeout=60)
            except urllib.error.HTTPError as error:
                # It applies a long entry, on a machine that is busy.
                assert error.code == 503, error
                return None
        with eventually("the node answers", answer) as found:
            assert found.headers["Content-Type"].startswith("text/plain; version=0.0.4"), found.headers
            return found.read().decode()

    def metric(self, name):
        found = re.search(rf"^popup_fleet_{name} (\S+)$", self.metrics(), re.MULTILINE)
        return float(found.group(1)) if found else None


def configuration(folder, text):
    path = os.path.join(folder, "shard.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def check_metrics(node):
    """A node has all that the alerts ask for, and Prometheus finds nothing wrong with its format."""
    eventually("etcd's size is known", lambda: node.metric("etcd_used_bytes") is not None)
    text = node.metrics()
    assert re.search(rf'^popup_fleet_info{{shard="main",node="{node.name}",version="\S+"}} 1$', text, re.MULTILINE), text
    with open(RULES, encoding="utf-8") as file:
        asked = set(re.findall(r"\bpopup_fleet_[a-z_]+", "".join(re.findall(r"^ +expr: (.+)$", file.read(), re.MULTILINE))))
    had = {re.split(r"[{ ]", line)[0] for line in text.splitlines() if not line.startswith("#")}
    assert asked and asked <= had, asked - had
    promtool = shutil.which("promtool")
    if promtool:
        found = subprocess.run([promtool, "check", "metrics"], input=text, capture_output=True, text=True, check=False)
        assert found.returncode == 0 and not found.stdout + found.stderr, found


def main():
    with tempfile.TemporaryDirectory(prefix="operators-") as folder:
        etcd = Etcd(folder, f"--quota-backend-bytes={QUOTA}")
        where = etcd.create()
        assert "nobody owns the shard" in fleet("hand-over", *where, code=75)
        assert "has no configuration" in fleet("configure", *where, "--show", code=66)

        # Before there is an owner: what is wrong is told, what is right waits for it.
        wrong = configuration(folder, "limits:\n  connections: 3\nlog:\n  level: debug\n")
        said = fleet("configure", *where, wrong, code=78)
        assert f"{wrong}:2: limits.connections: " in said and f"{wrong}:4: log.level: " in said, said
        # Also what only a broker would find out.
        zone = 'policies:\n  - group: a\n    quiet: [{from: "22:00", to: "07:00", timeZone: "Nowhere/At_All"}]\n'
        assert "Nowhere/At_All" in fleet("configure", *where, configuration(folder, zone), code=78)
        many = "limits:\n  policies: 1\npolicies:\n  - group: a\n    higher: STOP\n  - group: b\n    higher: STOP\n"
        assert "2 policies exceed `limits.policies`, 1" in fleet("configure", *where, configuration(folder, many), code=78)
        assert "give ADDRESS:PORT" in fleet("run", *where, "--node", "left", "--metrics", "nowhere", code=64)
        right = configuration(folder, "limits:\n  groups: 2\n")
        assert "the next owner begins with it" in fleet("configure", *where, right)
        assert fleet("configure", *where, "--show") == "limits:\n  groups: 2\n"

        # A node that has such settings of its own says so once, and goes by those of the shard.
        left = MeasuredNode(folder, where, "left", 0, "--set", "limits.groups=9").owns()
        assert left.said(".err").count("limits.groups: ignored, since all nodes go by the shard's") == 1, left.said(".err")
        for group in ("a", "b"):
            left.shows(f"first-{group}", group)
        refused = left.control("show", "--group", "c", "--id", "third", "x")
        assert refused.returncode != 0 and "`limits.groups` is reached" in refused.stderr, refused

        # A change is in force at once; a mistake changes nothing.
        policy = "policies:\n  - group: a\n    higher: {}\nlimits:\n  groups: 4\n"
        assert "in force at left" in fleet("configure", *where, configuration(folder, policy.format("STOP")))
        fleet("configure", *where, configuration(folder, policy.format("STOPP")), code=78)
        status = fleet("status", *where)
        in_force = re.search(r"^configured ([0-9a-f]{8}), \d+ bytes$", status, re.MULTILINE).group(1)
        assert "left: owner of epoch " in status and f"configuration {in_force}, {left.ingress}" in status, status

        # An owner takes a configuration with more policies than a batch can hold.
        policies = "policies:\n" + "".join(
            f"  - group: group-{number:05}/{'x' * 60}/{'y' * 50}\n    higher: STOP\n" for number in range(2500))
        assert "in force at left" in fleet("configure", *where, configuration(folder, policies + "limits:\n  groups: 4\n"))
        assert "in force at left" in fleet("configure", *where, configuration(folder, policy.format("STOP")))

        # Without a standby nobody would own it.
        assert "no standby follows the log" in fleet("hand-over", *where, code=75)
        assert left.metric("owner") == 1 and left.metric("confirmed") == 1, left.metrics()
        assert left.metric("append_seconds_count") >= 3, left.metrics()

        check_metrics(left)

        # Two nodes need two names.
        twin = MeasuredNode(folder, where, "left", 2).stands_by()
        assert "a node left runs" in twin.said(".err"), twin.said(".err")
        twin.end()
        eventually("left is listed", lambda: "left: owner" in fleet("status", *where))

        # A standby has its sockets bound, and clients are connected to it before it owns the shard.
        right = MeasuredNode(folder, where, "right", 1).stands_by()
        assert right.egress in right.said(), right.said()
        context = zmq.Context()
        screen = context.socket(zmq.SUB)
        screen.setsockopt(zmq.SUBSCRIBE, b"state+json/a/")
        screen.connect(right.egress)
        assert right.control("list").returncode != 0
        eventually("right is listed", lambda: "right: standby, 0 entries behind" in fleet("status", *where))
        status = fleet("status", *where)
        assert len(re.findall(r"^etcd +http\S+: 3\.\S+, \d+ of \d+ bytes in use$", status, re.MULTILINE)) == 3, status
        assert re.search(r"^epoch +\d+, \d+ (s|min) before this machine's clock$", status, re.MULTILINE), status
        eventually("right has all entries", lambda: right.metric("applied_index") == left.metric("applied_index"))
        assert right.metric("owner") == 0 and right.metric("head_index") == left.metric("applied_index")

        owner, successor, began = ask_to_hand_over(where)
        assert (owner, successor) == ("left", "right"), (owner, successor)
        assert screen.poll(20_000), "no state after a hand-over"
        state = json.loads(screen.recv_multipart()[1])
        planned = PAUSES.without(began, time.monotonic())
        assert state["active"]["id"] == "first-a", state
        left.ends(76)
        assert right.metric("epoch") == int(state["epoch"]) and right.metric("owner") == 1
        assert right.metric("take_overs_total") == 2, right.metrics()
        # The configuration that was set while it was a standby, or before.
        assert right.control("show", "--group", "c", "--id", "third", "x").returncode == 0

        # From a kill to the first state: no more than a claim's lease and what follows it.
        left = MeasuredNode(folder, where, "left", 0).stands_by()
        eventually("left has all entries", lambda: left.metric("applied_index") == right.metric("applied_index"))
        connected = screen.get_monitor_socket(zmq.EVENT_HANDSHAKE_SUCCEEDED)
        screen.connect(left.egress)
        assert connected.poll(20_000), "the screen does not reach left"
        screen.disable_monitor()
        assert "in force at right" in fleet("configure", *where, configuration(folder, "limits:\n  groups: 3\n"))
        while screen.poll(0):
            screen.recv_multipart()
        began = time.monotonic()
        right.process.kill()
        said = None
        while said is None or int(said["epoch"]) <= int(state["epoch"]):
            assert screen.poll(60_000), "no state after a kill"
            said = json.loads(screen.recv_multipart()[1])
        killed = PAUSES.without(began, time.monotonic())
        assert said["active"]["id"] == "first-a", said
        in_force = re.search(r"^configured ([0-9a-f]{8})", fleet("status", *where), re.MULTILINE).group(1)
        eventually("left goes by what is newest", lambda: f"configuration {in_force}, {left.ingress}"
                   in fleet("status", *where))
        # Also the limits, which an owner does not change while it is one.
        refused = left.control("show", "--group", "d", "--id", "fourth", "x")
        assert refused.returncode != 0 and "`limits.groups` is reached" in refused.stderr, refused.stderr

        # A node whose words nobody can read is one of an unknown version.
        node_key = "/popup-broker/v1/main/live/nodes/strange"
        etcdctl(etcd, "put", node_key, "what?")
        assert "node strange knows 0" in fleet("level", *where)
        etcdctl(etcd, "del", node_key)

        # The level is what this version knows.
        assert fleet("level", *where).startswith("log 1\n") and fleet("level", *where, "1") == "log 1\n"
        assert "no level above 1" in fleet("level", *where, "2", code=64)
        assert "cannot be lowered" in fleet("level", *where, "0", code=64)

        # Removed, each node goes by its own file again.
        assert "in force at left" in fleet("configure", *where, "--remove")
        assert "configured by each node's own file" in fleet("status", *where)

        # Before etcd's alarm, what needs room is refused, and what makes room is not.
        assert left.metric("etcd_quota_bytes") == QUOTA
        sender = Sender(context, [left.ingress], [left.egress], random.Random(SEED))
        refusal, number = None, 0
        while refusal is None:
            number += 1
            assert number < 600, left.metrics()
            refusal = sender.settle("show", id=f"full-{number}", group="a", text="y" * 60_000)
            if number > 170:
                # Nodes look how full etcd is every 10 s.
                time.sleep(0.4)
        assert refusal == "OVERLOAD", refusal
        sender.close()
        refused = left.control("show", "--group", "a", "--id", "full", "text")
        assert refused.returncode != 0
        assert "of etcd's quota are in use" in refused.stderr, refused.stderr
        assert left.metric("refusing") == 1 and left.metric("etcd_used_bytes") < QUOTA
        assert etcdctl(etcd, "alarm", "list").strip() == ""
        assert left.control("dismiss", "full-1").returncode == 0
        screen.close(0)
        assert planned <= LONGEST_HAND_OVER and killed <= LONGEST_TAKE_OVER, (planned, killed)
        print(f"first state {planned:.2f} s after hand-over began, {killed:.1f} s after a kill; "
              f"refused after {number} popups, {left.metric('etcd_used_bytes') / QUOTA:.0%} of the quota in use")


def stop_at_the_moment():
    """A node that is stopped while it takes over owns nothing when it has ended, and ends in time."""
    dice = random.Random(SEED)
    print(f"stopping nodes that take over: SEED={SEED}", flush=True)
    with tempfile.TemporaryDirectory(prefix="operators-") as folder:
        etcd = Etcd(folder)
        where = etcd.create()

        def stop(number):
            here = [*where, "--shard", f"shard-{number}"]
            fleet("create", *here)
            node = MeasuredNode(folder, here, f"alone-{number}", 0, ports=ports[number * 3:number * 3 + 3])
            # Its signals are caught before it follows the log.
            eventually("it is a standby", lambda: " standby " in node.said() or not node.process.is_running)
            time.sleep(delays[number])
            began = time.monotonic()
            node.process.send(signal.SIGTERM)
            code = node.process.process.wait(60)
            seconds = PAUSES.without(began, time.monotonic())
            assert code == 0 and seconds < 8 * SLACK, (code, seconds, node.said(".err"), SEED)
            # Also that of a node that has not taken over yet, unless etcd did not answer.
            eventually("nobody claims the shard", lambda: "claimed by nobody" in fleet("status", *here))
            return " ready " in node.said()

        delays = [dice.uniform(0, 0.25) for _ in range(12)]
        # All at once: two that look for free ports at the same time may find the same.
        ports = free_ports(len(delays) * 3)
        # Each has a shard of its own.
        with ThreadPoolExecutor(4) as pool:
            owned = sum(pool.map(stop, range(len(delays))))
        print(f"of {len(delays)} nodes, {owned} had begun")


def hold_the_loop(node):
    """Holds the thread with the loop of a broker: the one without which the node says that its broker hangs."""
    def held():
        for thread in threads_in_poll(node.process.process.pid):
            one, is_found = HeldThread(thread), False
            # Twice the time after which a broker hangs.
            end = time.monotonic() + 4
            try:
                while time.monotonic() < end:
                    is_found = node.is_hanging()
                    if is_found:
                        return one
                    time.sleep(0.1)
            finally:
                if not is_found:
                    one.let_go()
        return None
    return eventually("the loop is held", held)


def owner_and_standby(folder, where):
    """Starts two nodes of a shard: `left`, which owns it, and `right`, which waits."""
    return MeasuredNode(folder, where, "left", 0).owns(), MeasuredNode(folder, where, "right", 1).stands_by()


def hang():
    """The broker of an owner hangs: another node takes over, and the process of the first one ends nevertheless."""
    with tempfile.TemporaryDirectory(prefix="operators-") as folder:
        etcd = Etcd(folder)
        where = etcd.create()
        left, right = owner_and_standby(folder, where)
        loop = hold_the_loop(left)
        try:
            right.owns()
            began = time.monotonic()
            eventually("left ends", loop.has_ended)
            print(f"a broker that hung ended {time.monotonic() - began:.1f} s after the next one had begun")
            left.ends(76, within=60)
        finally:
            loop.let_go()
        said = left.said(".err")
        assert "this node is mute: the broker's loop stands still" in said, said
        assert "the process ends without it" in said, said


def refuse_policies():
    """An owner that cannot bring the shard's policies into force does not say that it has, until it can: they are set again,
    or it reads them again at SIGHUP."""
    with tempfile.TemporaryDirectory(prefix="operators-") as folder:
        etcd = Etcd(folder)
        where = etcd.create()
        # What operators check with has both time zones, and what the node goes by loses and gets them.
        known, own = (os.path.join(folder, name) for name in ("known", "own"))
        for directory in (known, own):
            os.mkdir(directory)

        def add_zone(directory, name):
            with open(os.path.join(directory, name), "wb") as file:
                file.write(b"TZif" + bytes(16) + struct.pack(">6I", 0, 0, 0, 0, 1, 4) + struct.pack(">iBB", 3600, 0, 0)
                           + b"LMT\0")

        def configure(zone, code=0):
            text = f'policies:\n  - group: a\n    quiet: [{{from: "22:00", to: "07:00", timeZone: {zone}}}]\n'
            return fleet("configure", *where, configuration(folder, text), code=code,
                         environment={**os.environ, "TZDIR": known})

        def in_force():
            status = fleet("status", *where)
            wanted = re.search(r"^configured ([0-9a-f]{8})", status, re.MULTILINE).group(1)
            return f"configuration {wanted}, {left.ingress}" in status

        add_zone(known, "First")
        add_zone(known, "Second")
        assert "the next owner begins with it" in configure("First")
        first = MeasuredNode(folder, where, "first", 0, environment={**os.environ, "TZDIR": known}).owns()
        add_zone(own, "First")
        left = MeasuredNode(folder, where, "left", 1, environment={**os.environ, "TZDIR": own}).stands_by()
        eventually("left follows", lambda: "left: standby, 0 entries behind" in fleet("status", *where))
        os.remove(os.path.join(own, "First"))
        first.process.kill()
        left.owns()
        assert "the configured policies are refused" in left.said(".err"), left.said(".err")
        eventually("left says so", lambda: f"configuration with refused policies, {left.ingress}" in fleet("status", *where))

        add_zone(own, "First")
        assert "in force at left" in configure("First")
        assert in_force()

        assert "has not brought it into force" in configure("Second", code=75)
        assert not in_force()
        add_zone(own, "Second")
        left.process.send(signal.SIGHUP)
        eventually("left goes by it", in_force)
        assert "in force at left" in configure("Second")
        left.end()
        print("policies were refused, set again and read again")


def lose_readers():
    """What a node says has no reader any more, or one that has stopped: it owns the shard nevertheless."""
    def gone():
        reader, writer = os.pipe()
        os.close(reader)
        return writer

    def stopped():
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        try:
            while True:
                os.write(writer, bytes(1 << 12))
        except BlockingIOError:
            # The pipe is full: from now on, the writes of its other owners wait.
            os.set_blocking(writer, True)
        readers.append(reader)
        return writer

    readers = []
    for way in (gone, stopped):
        with tempfile.TemporaryDirectory(prefix="operators-") as folder:
            etcd = Etcd(folder)
            where = etcd.create()
            writer = way()
            left = MeasuredNode(folder, where, "left", 0, streams=writer)
            os.close(writer)
            eventually("left owns the shard", left.is_owner)
            right = MeasuredNode(folder, where, "right", 1).stands_by()
            # For longer than its claim lasts without a renewal, it takes commands and says something of each.
            end = time.monotonic() + 8
            number = 0
            while time.monotonic() < end:
                number += 1
                left.shows(f"shown-{number}")
            assert left.metric("owner") == 1 and right.metric("owner") == 0, right.said(".err")
            # A supervisor that waits for the end is not kept waiting.
            left.end()
            right.owns()
            end_all()
    for reader in readers:
        os.close(reader)
    print("nodes whose words nobody read owned a shard")


def restore_a_backup():
    """A backup of etcd is restored while nodes run that know more than it: they end, and the next node goes on from it."""
    with tempfile.TemporaryDirectory(prefix="operators-") as folder:
        etcd = Etcd(folder)
        where = etcd.create()
        left, right = owner_and_standby(folder, where)
        left.shows("saved")
        epoch = left.metric("epoch")
        etcdctl(etcd, "snapshot", "save", os.path.join(folder, "backup"))
        for number in range(3):
            left.shows(f"lost-{number}")
        eventually("right has all entries", lambda: right.metric("applied_index") == left.metric("applied_index"))

        etcd.restore(os.path.join(folder, "backup"))
        for node in (left, right):
            eventually(f"{node.name} ends", lambda node=node: not node.process.is_running)
            node.ends(65)
            assert node.said(".err").count("the state of this node is not that of the shared log") == 1, node.said(".err")
        left = MeasuredNode(folder, where, "left", 0).owns()
        assert left.metric("epoch") > epoch, (left.metric("epoch"), epoch)
        left.knows("saved")
        assert left.control("explain", "lost-0").returncode != 0
        print("a backup was restored while nodes ran")


def etcdctl(etcd, *arguments):
    return run_etcdctl(etcd.endpoints[0], *arguments, check=True).stdout


if __name__ == "__main__":
    try:
        main()
        end_all()
        stop_at_the_moment()
        end_all()
        hang()
        end_all()
        refuse_policies()
        end_all()
        lose_readers()
        end_all()
        restore_a_backup()
    finally:
        end_all()
    sys.exit(0)
