"""Connections that never become clients."""

import socket

from stage import Console, attack
from zmtp import Cut, Peer, greeting, plain, ready

HANDSHAKE_SECONDS = 3


def held_connections(stage, count, words):
    """Opens connections to both ports in turn, says something on each, and keeps them until the time is over."""
    held = []
    for number in stage.rounds(most=count):
        try:
            held.append(plain((stage.ingress, stage.egress)[number % 2]))
            held[-1].sendall(words(number))
        except OSError as error:
            stage.notes["refused"] = stage.notes.get("refused", 0) + 1
            stage.notes["error"] = str(error)
    stage.notes["connections"] = len(held)
    for _ in stage.rounds(most=int(stage.seconds * 5)):
        if not sleep_while_open(held):
            break
    return held


def sleep_while_open(held, seconds=0.2):
    """Waits. Returns whether the last connection is still open."""
    if not held:
        return False
    held[-1].settimeout(seconds)
    try:
        return bool(held[-1].recv(4096))
    except socket.timeout:
        return True
    except OSError:
        return False


@attack("tcp-garbage")
def tcp_garbage(stage):
    """Random bytes, and what other protocols say first, on new TCP connections to both ports."""
    words = [
        b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"EHLO a\r\n", b"\xff" * 64,
        bytes(64), b"\xff" + bytes(8) + b"\x7f\x00", greeting()[:20] + b"CURVE" + bytes(39), b"\x01\x00" * 32, b"*1\r\n$4\r\nPING\r\n",
    ]
    count = 0
    for count in stage.rounds(most=stage.pick(300, 20000)):
        connection = plain((stage.ingress, stage.egress)[count % 2])
        try:
            way = count % (len(words) + 2)
            connection.sendall(words[way] if way < len(words) else stage.random.randbytes(stage.random.randint(1, 5000)))
            if way % 2:
                connection.settimeout(0.01)
                connection.recv(1000)
        except OSError:
            pass
        connection.close()
    stage.notes["connections"] = count + 1


@attack("garbage-after-handshake")
def garbage_after_handshake(stage):
    """Random frames and commands after a whole handshake, under every type of socket, on both ports."""
    kinds = (b"PUB", b"SUB", b"XPUB", b"XSUB", b"REQ", b"DEALER", b"ROUTER", b"PAIR", b"PUSH", b"", b"A" * 200)
    count = cut = 0
    for count in stage.rounds(most=stage.pick(200, 10000)):
        try:
            with Peer((stage.ingress, stage.egress)[count % 2], kinds[count // 2 % len(kinds)], minor=count % 3) as peer:
                peer.send(stage.random.randbytes(stage.random.randint(1, 3000)))
        except (Cut, OSError):
            cut += 1
    stage.notes.update({"connections": count + 1, "cut": cut})


@attack("half-open-handshakes")
def half_open_handshakes(stage):
    """Thousands of connections to both ports that send a part of the greeting and no more."""
    whole = greeting()
    held_connections(stage, stage.pick(600, 6000), lambda number: whole[:number % len(whole)])


@attack("silence-after-greeting")
def silence_after_greeting(stage):
    """Thousands of connections to both ports that fall silent after the greeting, or in the middle of READY."""
    word = ready(b"SUB")
    held_connections(stage, stage.pick(600, 6000), lambda number: greeting(number % 2) + word[:number % (len(word) - 1)])


@attack("descriptors-exhausted", descriptors=256, durations=(2, 10))
def descriptors_exhausted(stage):
    """More whole connections than the broker may have descriptors (256); then a new client comes."""
    held, refused = [], 0
    for number in stage.rounds(most=stage.pick(400, 1500)):
        port, kind = ((stage.ingress, b"PUB"), (stage.egress, b"SUB"))[number % 2]
        try:
            connection = plain(port)
            connection.sendall(greeting() + ready(kind))
            held.append(connection)
        except OSError:
            refused += 1
    stage.notes.update({"connections": len(held), "refused": refused})
    for connection in held:
        connection.close()
    with Console(stage) as console:
        _, took = console.ask({"stats": {}})
        stage.notes["new client after s"] = round(took, 2)
