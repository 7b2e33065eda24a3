"""Connections that never become clients."""

import json
import socket
import time

from bounds import HELD_UP_BY_ENDS
from broker import waited
from stage import Console, attack
from zmtp import (
    COMMAND, MORE, Cut, Peer, cancel_command, frame, greeting, plain, ready, subscribe_command, subscription, withdrawal)


MOST_CONNECTIONS = 4096  # of one socket, by default
OTHER_DESCRIPTORS = 64  # files, wake-ups, the good client
SETTLING_SECONDS = 3


def held_connections(stage, count, words):
    """Opens connections to both ports in turn, says something on each, and keeps them until the time is over or the broker ends
    them: a handshake has three seconds."""
    held, before, most = [], stage.descriptors(), 0
    for number in stage.rounds(most=count):
        if number % 100 == 99:
            most = max(most, stage.descriptors() - before)
        try:
            held.append(plain((stage.ingress, stage.egress)[number % 2]))
            held[-1].sendall(words(number))
        except OSError as error:
            stage.notes["refused"] = stage.notes.get("refused", 0) + 1
            stage.notes["error"] = str(error)
    for _ in stage.rounds(most=int(stage.seconds * 5)):
        most = max(most, stage.descriptors() - before)
        if not sleep_while_open(held):
            break
    stage.notes.update({"connections": len(held), "at once": most})
    stage.expect(most > len(held) / 2, f"the attack had no effect: the broker has {most} of {len(held)} connections at once")
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


def is_open(connection):
    """Reads what has come on a connection. Returns whether the other side has not ended it."""
    connection.setblocking(False)
    try:
        while connection.recv(4096):
            pass
    except BlockingIOError:
        return True
    except OSError:
        pass
    return False


@attack("handwritten-client")
def handwritten_client(stage):
    """The clients written for this suite are clients: what they subscribe comes, what they withdraw does not."""
    ways = ((1, (subscribe_command, cancel_command)), (0, (subscription, withdrawal)))
    for minor, words in ways[:stage.pick(1, 2)]:
        name = f"raw-{minor}"
        with Peer(stage.ingress, b"PUB") as publisher, Peer(stage.egress, b"SUB", minor) as subscriber:
            publisher.receive()
            subscriber.send(words[0](f"state+json/raw/{minor}/".encode()))
            subscriber.send(words[0](b"heartbeat/"))
            heard = topics(subscriber, until=b"heartbeat/")
            stage.expect(b"heartbeat/" in heard, f"ZMTP 3.{minor}: nothing comes of what was subscribed")
            publisher.send(frame(json.dumps({"show": {"id": name, "group": f"raw/{minor}", "durationMs": 60000}}).encode()))
            heard = topics(subscriber, until=b"state+json/")
            stage.expect(any(topic.startswith(b"state+json/raw") for topic in heard), f"ZMTP 3.{minor}: no state comes")
            subscriber.send(words[1](b"heartbeat/"))
            time.sleep(0.3)
            publisher.send(frame(json.dumps({"show": {"id": name + "b", "group": f"raw/{minor}", "priority": 9}}).encode()))
            topics(subscriber, until=b"state+json/")
            subscriber.connection.settimeout(1.3)
            # A broker that has to wait for a processor may beat once more before it reads the withdrawal.
            is_silent = any(b"heartbeat/" not in topics(subscriber, until=b"heartbeat/") for _ in range(5))
            stage.expect(is_silent, f"ZMTP 3.{minor}: a withdrawal changes nothing")


def topics(peer, until, most=20):
    """Returns the topics of the next messages, up to the first that begins as given."""
    found = []
    try:
        while len(found) < most:
            flags, body = peer.receive()
            if flags & COMMAND:
                continue
            while flags & MORE:
                flags, _ = peer.receive()
            found.append(body)
            if body.startswith(until):
                break
    except Cut:
        pass
    return found


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
    # What comes of such bytes is counted nowhere. The system hands connections over in their order: after the handshake of one
    # that came later, the broker has had them all.
    for port, kind in ((stage.ingress, b"PUB"), (stage.egress, b"SUB")):
        Peer(port, kind).close()


@attack("garbage-after-handshake")
def garbage_after_handshake(stage):
    """Random frames and commands after a whole handshake, under every type of socket, on both ports."""
    kinds = (b"PUB", b"SUB", b"XPUB", b"XSUB", b"REQ", b"DEALER", b"ROUTER", b"PAIR", b"PUSH", b"", b"A" * 200)
    count = cut = whole = 0
    for count in stage.rounds(most=stage.pick(200, 10000)):
        try:
            with Peer((stage.ingress, stage.egress)[count % 2], kinds[count // 2 % len(kinds)], minor=count % 3) as peer:
                whole += 1
                peer.send(stage.random.randbytes(stage.random.randint(1, 3000)))
        except (Cut, OSError):
            cut += 1
    stage.notes.update({"connections": count + 1, "whole handshakes": whole, "cut": cut})
    stage.expect(whole > count / 2, f"the attack had no effect: {whole} handshakes of {count + 1} are whole")


@attack("odd-commands")
def odd_commands(stage):
    """Commands of ZMTP that are cut short, too long, unknown, out of turn, or forbid the broker to wait, on both ports."""
    words = [
        frame(b"", COMMAND), frame(b"\x04PING", COMMAND), frame(b"\x04PING\x00", COMMAND), frame(b"\x04PING\x00\x00", COMMAND),
        frame(b"\x04PING\xff\xff" + b"c" * 300, COMMAND), frame(b"\x04PING\x00\x01", COMMAND), frame(b"\x04PONG" + b"c" * 3000, COMMAND),
        frame(b"\x04PING\x00\x01c" * 5000, COMMAND), frame(b"\xffPING", COMMAND), frame(b"\x09SUBSCRIBE", COMMAND),
        frame(b"\x09SUBSCRIBE", COMMAND | MORE), frame(b"\x06CANCEL", COMMAND), frame(b"\x06CANCELnever", COMMAND),
        frame(b"\x05ERROR\xff", COMMAND),
        ready(b"SUB"), frame(b"\x04NONE" + b"x" * 100000, COMMAND), frame(b"\x00", COMMAND), b"\xff\x00", b"\x08\x01\x01", greeting(1),
    ]
    cut = 0
    for count in stage.rounds(most=stage.pick(200, 10000)):
        some = stage.random.choices(words, k=stage.random.randint(1, 8))
        try:
            with Peer((stage.ingress, stage.egress)[count % 2], (b"PUB", b"SUB")[count % 2], minor=count % 3) as peer:
                peer.send(b"".join(some))
                peer.connection.settimeout(0.005)
                peer.receive()
        except (Cut, OSError):
            cut += 1
    stage.notes.update({"connections": count + 1, "cut": cut})
    stage.expect(cut > count / 20, f"the attack had no effect: {cut} connections of {count + 1} are cut off")


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


DESCRIPTORS = 256


@attack("descriptors-exhausted", descriptors=DESCRIPTORS, durations=(2, 10))
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
    # The system takes connections for the broker before the broker does.
    waited(lambda: stage.descriptors() > DESCRIPTORS / 2, SETTLING_SECONDS)
    descriptors = stage.descriptors()
    stage.notes.update({"connections": len(held), "refused": refused, "descriptors": descriptors})
    for connection in held:
        connection.close()
    stage.expect(descriptors > DESCRIPTORS / 2, f"the attack had no effect: the broker has {descriptors} descriptors")
    with Console(stage) as console:
        _, took = console.ask({"stats": {}})
        stage.notes["new client after s"] = round(took, 2)


@attack("connections-beyond-default", holdup=HELD_UP_BY_ENDS, needs_speed=True, descriptors=20000, durations=(2, 25), limit=120)
def connections_beyond_default(stage):
    """More whole connections to each port than a socket takes by default; a client of another address comes meanwhile."""
    beyond_limit(stage, 6000, MOST_CONNECTIONS)


@attack("connections-beyond-limit", settings=("limits.connections=100",), durations=(2, 10))
def connections_beyond_limit(stage):
    """The same with a limit of a hundred."""
    beyond_limit(stage, stage.pick(300, 1500), 100)


def beyond_limit(stage, count, limit):
    held, most = [], 0
    for number in stage.rounds(most=2 * count):
        port, kind = ((stage.ingress, b"PUB"), (stage.egress, b"SUB"))[number % 2]
        if number % 100 == 99:
            most = max(most, stage.descriptors())
        try:
            held.append(plain(port, address="127.0.0.2"))
            held[-1].sendall(greeting() + ready(kind))
        except OSError:
            stage.notes["refused"] = stage.notes.get("refused", 0) + 1
    bound = 2 * limit + OTHER_DESCRIPTORS
    waited(lambda: sum(map(is_open, held)) <= 2 * limit, SETTLING_SECONDS)
    kept, descriptors = sum(map(is_open, held)), stage.descriptors()
    most = max(most, descriptors)
    stage.notes.update({"connections": len(held), "kept": kept, "descriptors": descriptors})
    stage.expect(most >= limit, f"the attack had no effect: the broker has {most} descriptors at most, of {len(held)} connections")
    stage.expect(kept <= 2 * limit, f"the broker keeps {kept} connections, over {2 * limit}")
    stage.expect(descriptors <= bound, f"the broker holds {descriptors} descriptors, over {bound}")
    with Console(stage) as console:
        _, took = console.ask({"stats": {}})
        stage.notes["new client after s"] = round(took, 2)
    for connection in held:
        connection.close()
