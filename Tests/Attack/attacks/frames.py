"""Frames and messages that are too long, too many, or never whole."""

import itertools
import os
import struct
import time

from bounds import HELD_UP_BY_HUNDREDS, MIB, MOST_OF_ENDLESS, SMALL_MEMORY_LIMIT, SMALL_MOST_MEMORY
from stage import attack
from zmtp import COMMAND, LONG, MORE, Cut, Peer, frame, greeting, plain, ready

# What one connection may push into a message without an end; each ends sooner when the broker cuts it.
MOST_BYTES = 8 << 30


@attack("giant-frames")
def giant_frames(stage):
    """Frames of 10 MB on both ports, each on a new connection."""
    body = os.urandom(1 * MIB) * 10
    cut = 0
    for count in stage.rounds():
        for port, kind in ((stage.ingress, b"PUB"), (stage.egress, b"SUB")):
            with Peer(port, kind) as peer:
                try:
                    peer.send(frame(body))
                    peer.send(frame(b"x") * 10)
                except Cut:
                    cut += 1
        stage.notes["frames"] = 2 * (count + 1)
    stage.notes["cut"] = cut
    stage.expect(cut, "the attack had no effect: no connection with a frame of 10 MB is cut off")


@attack("length-headers")
def length_headers(stage):
    """Headers of frames that announce up to 2^64-1 bytes and send few of them."""
    lengths = (1 << 31, 1 << 32, 1 << 40, (1 << 63) - 1, 1 << 63, (1 << 64) - 1)
    ends = ((stage.ingress, b"PUB"), (stage.egress, b"SUB"))
    kinds = list(itertools.product(lengths, (LONG, LONG | MORE, LONG | COMMAND, 0xFF), ends))
    held = []
    for count in stage.rounds(most=stage.pick(len(kinds), 2000)):
        length, flags, (port, kind) = kinds[count % len(kinds)]
        held.append(Peer(port, kind))
        try:
            held[-1].send(bytes([flags]) + struct.pack(">Q", length) + bytes(1000))
        except Cut:
            pass
    ended = count_ended(held)
    stage.notes.update({"connections": len(held), "ended": ended})
    stage.expect(held and ended == len(held), f"the attack had no effect: {ended} of {len(held)} connections are ended for what they announce")


def count_ended(peers, seconds=20):
    """Waits until connections are ended, at most so long. Returns how many are."""
    left, end = list(peers), time.monotonic() + seconds
    while left and time.monotonic() < end:
        left = [peer for peer in left if not peer.is_over(0)]
        time.sleep(0.05)
    return len(peers) - len(left)


@attack("many-frames")
def many_frames(stage):
    """Messages of five thousand frames each, at full speed, on both ports."""
    for port, kind in ((stage.ingress, b"PUB"), (stage.egress, b"SUB")):
        message = frame(b"0123456789", MORE) * 4999 + frame(b"0123456789")
        most = stage.pick(len(message) * 8, MOST_BYTES)
        with Peer(port, kind) as peer, stage.expecting(seconds=5, connectionsCut=1):
            sent, _ = peer.push(message * 4, stage.seconds / 2, most)
            stage.notes[kind.decode() + " KiB"] = sent >> 10


def endless(stage, port, kind, data):
    """Sends frames of one message until it is cut. It has to be: what it holds is memory."""
    connections, sent, cut = 0, 0, 0
    end = time.monotonic() + stage.seconds
    while time.monotonic() < end and connections < 1000:
        connections += 1
        try:
            with Peer(port, kind) as peer:
                count, was_cut = peer.push(data, end - time.monotonic(), MOST_BYTES)
        except Cut:
            cut += 1
            continue
        sent, cut = sent + count, cut + was_cut
    stage.notes.update({"MiB": sent // MIB, "connections": connections, "cut": cut})
    stage.expect(cut, f"a message without an end is never cut off: {sent // MIB} MiB by {connections} connections")


@attack("endless-empty-in", most=MOST_OF_ENDLESS, durations=(1.5, 12))
def endless_empty_in(stage):
    """A multipart message that never ends on the ingress, of empty frames."""
    endless(stage, stage.ingress, b"PUB", frame(b"", MORE) * 32768)


@attack("endless-bytes-in", most=MOST_OF_ENDLESS, durations=(1.5, 12))
def endless_bytes_in(stage):
    """A multipart message that never ends on the ingress, of frames of 64 KiB."""
    endless(stage, stage.ingress, b"PUB", frame(bytes(65536), MORE) * 16)


@attack("endless-out", most=MOST_OF_ENDLESS, durations=(1.5, 12))
def endless_out(stage):
    """A multipart message that never ends on the egress."""
    endless(stage, stage.egress, b"SUB", frame(b"\x01" + bytes(1000), MORE) * 1024)


# What the system had received of a connection that was cut off is read to its end: that takes its time.
@attack("endless-together", holdup=HELD_UP_BY_HUNDREDS, longest_turn=HELD_UP_BY_HUNDREDS, needs_speed=True,
        durations=(3, 15), settling=60)
def endless_together(stage):
    """Messages that never end, of empty frames, by two hundred connections to both ports at the same time."""
    cut = endless_by_many(stage, 200)
    # On a busy machine, none may be read fast enough to be cut off: then they take memory.
    taken = stage.notes["MiB taken"]
    stage.expect(
        cut or taken >= TAKEN, f"the attack had no effect: no message without an end is cut off, and they take {taken} MiB")


@attack("endless-together-small", holdup=HELD_UP_BY_HUNDREDS, longest_turn=HELD_UP_BY_HUNDREDS, durations=(3, 10),
        settings=(f"limits.memoryBytes={SMALL_MEMORY_LIMIT}",), most=SMALL_MOST_MEMORY, settling=40)
def endless_together_small(stage):
    """The same, where the broker may have 192 MiB: an empty frame takes two bytes on the way and 64 in memory."""
    cut = endless_by_many(stage, stage.pick(100, 200))
    taken = stage.notes["MiB taken"]
    stage.expect(
        cut or not stage.is_long and taken >= TAKEN_SHORTLY, f"messages without an end are never cut off, and take {taken} MiB")


@attack("unfinished-many", durations=(3, 15), settings=(f"limits.memoryBytes={SMALL_MEMORY_LIMIT}",), most=SMALL_MOST_MEMORY,
        settling=40)
def unfinished_many(stage):
    """Thousands of connections, each with 120 KiB of a message that never ends, where the broker may have 192 MiB."""
    most = unfinished(stage, stage.pick(2000, 7000), 120 << 10)
    stage.expect(stage.notes["cut"] or not stage.is_long, "messages that never end are more than the memory, and none is cut off")
    stage.expect(most >= SMALL_MEMORY_LIMIT // 2, f"the attack had no effect: the broker has {most // MIB} MiB at most")


@attack("unfinished-many-default", needs_speed=True, durations=(0, 15), settling=40)
def unfinished_many_default(stage):
    """The same with 60 KiB each, where the broker may have as much memory as by default, and keeps them all."""
    before, size = stage.memory(), 60 << 10
    most = unfinished(stage, 7000, size)
    least = before + stage.notes["connections"] * size // 4
    stage.expect(most >= least, f"the attack had no effect: the broker has {most // MIB} MiB at most, under {least // MIB} MiB")


def unfinished(stage, count, size):
    """Opens `count` connections to both ports, sends `size` bytes of an unfinished message on each, of one long frame or of many
    short ones, and keeps them. Returns the most memory that the broker had meanwhile."""
    one = bytes([LONG]) + struct.pack(">Q", size + 1024) + b"\x01" + bytes(size - 10)
    many = frame(b"\x01" + bytes(1000), MORE) * (size // 1009)
    held, refused, most = [], 0, 0
    for number in range(count):
        port, kind = ((stage.ingress, b"PUB"), (stage.egress, b"SUB"))[number % 2]
        try:
            held.append(plain(port))
            held[-1].settimeout(0.5)
            held[-1].sendall(greeting() + ready(kind) + (one, many)[number // 2 % 2])
        except OSError:
            refused += 1
        if number % 100 == 0:
            most = max(most, stage.memory())
    for _ in stage.rounds(most=int(stage.seconds * 5)):
        time.sleep(0.2)
        most = max(most, stage.memory())
    stage.notes.update({"connections": len(held), "refused": refused, "MiB sent": len(held) * size // MIB, "MiB": most // MIB})
    stage.notes["cut"] = int(stage.stats().get("connectionsCut", 0))
    for connection in held:
        connection.close()
    return most


TAKEN = 128  # MiB, by two million empty frames: 64 bytes each
TAKEN_SHORTLY = 16  # MiB, in a short run


def endless_by_many(stage, most):
    """Keeps so many connections, each of which sends frames of one message a little at a time."""
    data = frame(b"", MORE) * 65536
    ports = ((stage.ingress, b"PUB"), (stage.egress, b"SUB"))
    peers, sent, cut, before = [], 0, 0, stage.memory()
    for count in stage.rounds():
        if len(peers) < most:
            try:
                peers.append(Peer(*ports[count % 2]))
                peers[-1].connection.setblocking(False)
            except (Cut, OSError):
                cut += 1
                continue
        place = count % len(peers)
        try:
            sent += peers[place].connection.send(data)
        except BlockingIOError:
            time.sleep(0.0005)
        except ConnectionError:
            cut += 1
            peers.pop(place).close()
    taken = (stage.memory() - before) // MIB
    for peer in peers:
        peer.close()
    stage.notes.update({"KiB": sent >> 10, "cut": cut, "open": len(peers), "MiB taken": taken})
    return cut
