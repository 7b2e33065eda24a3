#!/usr/bin/env python3
"""An etcd that cannot carry a shard: one that is not there, takes small requests only, is too old, is full, gives too few
rights, or lets its client use another shard only. Each is told in one sentence with an exit code, and nothing is lost.

POPUP_FLEET, POPUP_BROKER, POPUPCTL: the programs; with what harness.py needs."""
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading

from brokers import Broker, Node, fleet
from certificates import Authority, Member, credentials, serve
from harness import end_all, eventually
from processes import run_etcdctl
from refusals import NODE, node_of, refused

BROKER = os.environ["POPUP_BROKER"]
FULL = "the quota of etcd is reached: compact and defragment it, then disarm its alarm"


class OlderEtcd:
    """What is said to a member, with an older version in its answers."""

    def __init__(self, member):
        version = re.search(r"etcd Version: (\S+)", subprocess.run(
            ["etcd", "--version"], capture_output=True, text=True, check=True).stdout)[1]
        self.version = "3.3." + "9" * (len(version) - 4)
        self.change = (version.encode(), self.version.encode())
        self.target = member.ports[0]
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.endpoint = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            member = socket.create_connection(("127.0.0.1", self.target))
            for source, sink, change in ((client, member, None), (member, client, self.change)):
                threading.Thread(target=self.pump, args=(source, sink, change), daemon=True).start()

    @staticmethod
    def pump(source, sink, change):
        try:
            while piece := source.recv(1 << 16):
                sink.sendall(piece.replace(*change) if change else piece)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def data_directory(folder):
    """The data directory of a broker with a popup."""
    directory = os.path.join(folder, "data")
    broker = Broker(folder, "broker", BROKER, "run", "--data-dir", directory)
    eventually("the broker takes a popup", lambda: broker.control(
        "show", "--group", "a", "--id", "kept", "--timeout", "1s", "x").returncode == 0)
    broker.end()
    return directory


def shard(folder, *options):
    """A member of etcd with a shard, and the arguments that name it."""
    member = Member(folder, *options)
    where = ["--endpoints", member.endpoint]
    serve(member)
    fleet("create", *where)
    return member, where


def not_there(folder, directory):
    """No command hangs, none leaves something behind, and a node that waits begins when etcd comes."""
    member = Member(folder)
    member.process.kill()
    where = ["--endpoints", member.endpoint]
    sentence = f"no etcd answers: {member.endpoint}: Connection refused"
    target = os.path.join(folder, "not-there")
    for command in (["create"], ["status"], ["log"], ["hand-over"], ["configure", "--show"], ["level"],
                    ["export", "--to", target], ["import", directory]):
        refused(69, sentence, command[0], *where, *command[1:])
    assert not os.path.exists(target) and not os.path.exists(target + ".partial")
    refused(69, sentence, *node_of(where), within=NODE)

    member.start()
    serve(member)
    fleet("create", *where)
    member.process.kill()
    with socket.create_server(("127.0.0.1", member.ports[0])) as early:
        node = Node(folder, where)
        # The node has tried to connect once, and waits.
        early.settimeout(180)
        early.accept()[0].close()
    member.start()
    node.owns().shows("one")
    node.end()
    # The data directory is as it was.
    fleet("import", *where, "--shard", "other", directory)


def takes_small_requests(folder):
    """A member that is started with a limit that is too small takes no new shard, and the one that it has is not touched."""
    member, where = shard(folder)
    node = Node(folder, where).owns()
    node.shows("one")
    node.end()
    before = member.content()
    member.start("--max-request-bytes", "100000")
    serve(member)
    sentence = "etcd accepts no request with an entry of 1048624 bytes: start it with a greater --max-request-bytes"
    refused(78, sentence, "create", *where, "--shard", "other")
    refused(78, sentence, *node_of(where))
    refused(78, sentence, "hand-over", *where)
    # What only reads works.
    assert " batch " in fleet("log", *where)
    assert member.content() == before
    member.start()
    node = Node(folder, where).owns()
    node.knows("one")
    node.end()


def is_too_old(folder, directory):
    """A version before 3.4 gets no shard, and no node."""
    member = Member(folder)
    serve(member)
    old = OlderEtcd(member)
    where = ["--endpoints", old.endpoint]
    sentence = f"etcd {old.version} is too old: 3.4 or later is needed"
    refused(78, sentence, "create", *where)
    refused(78, sentence, "import", *where, directory)
    assert member.content() == {}, member.content()
    fleet("create", "--endpoints", member.endpoint)
    before = member.content()
    refused(78, sentence, *node_of(where))
    refused(78, sentence, "configure", *where, "--remove")
    assert old.version in fleet("status", *where)
    assert member.content() == before
    old.listener.close()


def is_full(folder, directory):
    """After etcd's alarm nothing is written: an owner is mute until there is room again, and loses nothing."""
    quota = ["--quota-backend-bytes", str(16 << 20)]
    member, where = shard(folder, *quota)
    node = Node(folder, where, "left", "--quota-bytes", "0").owns()
    node.shows("one")
    fill(member)
    assert "alarm:NOSPACE" in member.control("alarm", "list")
    before = member.content()
    unsure = node.control("show", "--group", "a", "--id", "two", "--timeout", "1s", "x")
    assert unsure.returncode != 0, unsure
    eventually("the owner is mute", lambda: "this node is mute" in node.said(".err"))

    refused(75, FULL, "create", *where, "--shard", "other")
    refused(75, FULL, "import", *where, "--shard", "other", directory)
    refused(75, FULL, "hand-over", *where)
    refused(75, FULL, "configure", *where, "--remove")
    refused(75, FULL, *node_of(where))
    assert re.search(r"^problem +http\S+: .*NOSPACE", fleet("status", *where), re.MULTILINE)
    # The state can be saved: that only reads.
    target = os.path.join(folder, "saved")
    fleet("export", *where, "--to", target)
    assert member.content() == before
    assert node.process.is_running, node.said(".err")

    member.control("del", "--prefix", "/filler/")
    fields = member.control("endpoint", "status", "--write-out", "fields")
    member.control("compact", re.search(r'"Revision" : (\d+)', fields)[1])
    member.control("defrag")
    member.control("alarm", "disarm")
    eventually("the owner goes on in its epoch", lambda: "this node is no longer mute" in node.said(".err"))
    node.shows("three")
    # What was under way is in, too: it was not refused.
    node.knows("one", "two", "three")
    node.end()
    node = Node(folder, where).owns()
    node.knows("one", "two", "three")
    node.end()


def lacks_an_entry(folder):
    """An entry was removed: a node that needs it says so and ends, instead of asking forever."""
    member, where = shard(folder)
    node = Node(folder, where).owns()
    for popup in ("one", "two"):
        node.shows(popup)
    node.end()
    member.control("del", "/popup-broker/v1/main/live/log/0000000000000002")

    node = Node(folder, where)
    node.ends(65)
    assert node.said(".err").count("entry 2 is missing, and no snapshot is later") == 1, node.said(".err")
    refused(65, "entry 2 is missing", "log", *where)


def fill(member):
    """Writes until etcd raises its alarm."""
    value = "x" * 100_000
    for number in range(1000):
        put = run_etcdctl(member.endpoint, "put", f"/filler/{number}", value)
        if put.returncode:
            assert "database space exceeded" in put.stderr, put
            return
    raise AssertionError("etcd takes more than its quota")


def gives_no_rights(folder, directory):
    """A client without rights, one that may only read, and one whose rights are those of another shard."""
    authority = Authority(folder, "authority")
    users = {name: authority.issue(name) for name in ("root", "node", "reader", "stranger")}
    member = Member(folder, authority=authority, pair=authority.issue("server"))
    serve(member, *credentials(authority, users["root"]))

    def control(*arguments):
        return member.control(*arguments, pair=users["root"])
    for name in users:
        control("user", "add", name, "--no-password")
    for role, kind in (("owning", "readwrite"), ("reading", "read")):
        control("role", "add", role)
        control("role", "grant-permission", role, kind, "--prefix=true", "/popup-broker/v1/main/")
    for name, role in (("root", "root"), ("node", "owning"), ("reader", "reading")):
        control("user", "grant-role", name, role)
    control("auth", "enable")

    def to(name):
        return ["--endpoints", member.endpoint, *credentials(authority, users[name])]

    def forbidden(shard):
        prefix = f"/popup-broker/v1/{shard}/"
        return f"etcd does not let this client read and write {prefix}: its role needs both rights on that prefix"
    refused(77, forbidden("main"), "create", *to("reader"))
    refused(77, forbidden("main"), "create", *to("stranger"))
    fleet("create", *to("node"))
    node = Node(folder, to("node")).owns()
    node.shows("one")
    before = member.content(users["root"])
    for name in ("reader", "stranger"):
        refused(77, forbidden("main"), *node_of(to(name)))
        refused(77, forbidden("main"), "hand-over", *to(name))
        refused(77, forbidden("main"), "configure", *to(name), "--remove")
    for command in ("status", "log"):
        refused(77, forbidden("main"), command, *to("stranger"))
        fleet(command, *to("reader"))

    # The rights of a shard are not those of another one, also if its name begins in the same way.
    target = os.path.join(folder, "of-another")
    for shard in ("other", "main2"):
        other = [*to("node"), "--shard", shard]
        for command in (["create"], ["status"], ["log"], ["hand-over"], ["level"], ["configure", "--remove"],
                        ["export", "--to", target], ["import", directory]):
            refused(77, forbidden(shard), command[0], *other, *command[1:])
        refused(77, forbidden(shard), *node_of(other))
    assert not os.path.exists(target)
    assert member.content(users["root"]) == before
    node.shows("two")
    node.knows("one", "two")
    node.end()


def main():
    with tempfile.TemporaryDirectory(prefix="engines-") as folder:
        directory = data_directory(folder)
        not_there(folder, directory)
        takes_small_requests(folder)
        is_too_old(folder, directory)
        is_full(folder, directory)
        lacks_an_entry(folder)
        gives_no_rights(folder, directory)
        print("six kinds of etcd that cannot carry a shard are refused, and nothing is lost; so is a log without an entry")


if __name__ == "__main__":
    try:
        main()
    finally:
        end_all()
    sys.exit(0)
