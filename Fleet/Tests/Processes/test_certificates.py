#!/usr/bin/env python3
"""TLS by the command line: a shard is created and owned over an etcd that requires client certificates. A node or command with
the wrong certificates is refused in one sentence.

POPUP_FLEET, POPUPCTL: the programs; with what harness.py needs."""
import os
import re
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from brokers import Node, fleet
from certificates import Authority, Member, credentials, serve
from harness import end_all, eventually
from refusals import NODE, node_of, refused


def run_a_node(folder, where):
    """A node over TLS becomes owner, commits, is shown by `status`, and hands over to another one."""
    assert fleet("create", *where).startswith("created the log of the shard main, epoch ")
    left = Node(folder, where, "left").owns()
    left.shows("one")
    eventually("left is listed", lambda: re.search(r"^node +left: owner of epoch \d+, 0 entries behind", fleet(
        "status", *where), re.MULTILINE))
    status = fleet("status", *where)
    assert "claimed by left\n" in status and re.search(r"^etcd +https://\S+: 3\.", status, re.MULTILINE), status
    right = Node(folder, where, "right", "--rank", "1")
    eventually("right is listed", lambda: "right: standby, " in fleet("status", *where))
    assert fleet("hand-over", *where).startswith("left has handed over to right, epoch ")
    left.ends(76)
    assert "claimed by right\n" in fleet("status", *where)
    right.end()
    # Each entry that was committed is there, with its chain.
    assert " batch " in fleet("log", *where)


def refuse(folder, member, expired_member, plain_member, pair, others):
    """Who does not fit is told why, whatever it wants to do."""
    authority, foreign, expired, stranger = others
    fitting = credentials(authority, pair)
    not_trusted = "its certificate has expired, or is not of the given CA"
    not_accepted = "it refuses the given certificate, which may have expired, or is not of its CA"
    no_answer = "no etcd answers: "
    cases = [
        (69, f"{no_answer}{member.endpoint}: {not_trusted}", member, credentials(foreign, pair)),
        (69, f"{no_answer}{expired_member.endpoint}: {not_trusted}", expired_member, fitting),
        (69, f"{no_answer}{member.endpoint}: {not_accepted}", member, credentials(authority, expired)),
        (69, f"{no_answer}{member.endpoint}: {not_accepted}", member, credentials(authority, stranger)),
        (69, f"{no_answer}{plain_member.endpoint.replace('http:', 'https:')}: ", plain_member, fitting),
        (69, "if it speaks TLS, give https", member, []),
    ]
    for code, sentence, to, options in cases:
        # http where etcd speaks TLS, and https where it does not.
        endpoint = to.endpoint
        if not options:
            endpoint = endpoint.replace("https:", "http:")
        elif not to.pair:
            endpoint = endpoint.replace("http:", "https:")
        for command in ("create", "status", "log", "hand-over", "level"):
            refused(code, sentence, command, "--endpoints", endpoint, *options)
    # A node waits: etcd may be about to start.
    with ThreadPoolExecutor(len(cases)) as pool:
        nodes = [pool.submit(refused, 69, sentence, *node_of(["--endpoints", to.endpoint, *options]), within=NODE)
                 for _, sentence, to, options in cases[:4]]
        for node in nodes:
            node.result()
    # What is wrong with the options themselves is told at once.
    here = ["create", "--endpoints", member.endpoint]
    needs = "https needs a CA, a certificate and a key"
    refused(64, needs, *here)
    refused(64, "--ca, --certificate and --key belong together", *here, "--ca", authority.certificate)
    refused(64, "--ca, --certificate and --key belong together", *here, *fitting[:4])
    refused(64, "a certificate needs endpoints with https", "create", "--endpoints", plain_member.endpoint, *fitting)
    refused(64, "partly http and partly https", "create", "--endpoints", f"{member.endpoint},{plain_member.endpoint}", *fitting)
    absent = os.path.join(folder, "absent.pem")
    for option in range(1, 6, 2):
        wrong = [*fitting[:option], absent, *fitting[option + 1:]]
        refused(64, f"{absent} cannot be read: No such file or directory", *here, *wrong)
    refused(64, f"{pair[1]} contains no certificate as PEM", *here, *fitting[:3], pair[1], *fitting[4:])
    refused(64, f"{pair[0]} contains no private key as PEM", *here, *fitting[:5], pair[0])
    refused(64, f"{stranger[1]} is damaged, or is not the key of {pair[0]}", *here, *fitting[:5], stranger[1])


def main():
    with tempfile.TemporaryDirectory(prefix="certificates-") as folder:
        authority, foreign = Authority(folder, "authority"), Authority(folder, "foreign")
        pair, expired, stranger = authority.issue("node"), authority.issue("node", days=-1), foreign.issue("node")
        server = authority.issue("server")
        member = Member(folder, authority=authority, pair=server)
        expired_member = Member(folder, authority=authority, pair=authority.issue("server", days=-1))
        plain_member = Member(folder)
        where = ["--endpoints", member.endpoint, *credentials(authority, pair)]
        serve(member, *credentials(authority, pair))
        serve(plain_member)

        run_a_node(folder, where)
        before = member.content(pair)
        refuse(folder, member, expired_member, plain_member, pair, (authority, foreign, expired, stranger))
        assert member.content(pair) == before, "who was refused has changed something"
        assert plain_member.content() == {}, plain_member.content()
        print("a shard over TLS: created, owned, handed over; who does not fit is refused")


if __name__ == "__main__":
    try:
        main()
    finally:
        end_all()
    sys.exit(0)
