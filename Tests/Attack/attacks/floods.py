"""Producers at full speed, and what is left of the broker for the others."""

import json
import socket
import struct
import time

import zmq

from attacks.garbage import frame_size, wrong_frames
from bounds import HELD_UP_BY_BATCHES, HELD_UP_BY_MANY, HELD_UP_BY_PRODUCERS, REMEMBERED
from protobuf import NEXT, SAME, batch, command, message, show
from stage import Console, attack
from zmtp import Peer, frame

PRODUCER = "f" * 32


def as_json(**command):
    return json.dumps(command)


@attack("full-speed-producer", is_fairness=True, kept=REMEMBERED, durations=(1, 20))
def full_speed_producer(stage):
    """One producer at full speed beside the good client: shows of 200 bytes, each in the place of the one before."""
    with stage.counting(committed=100):
        stage.flood([show("p" + NEXT, "flood/a", key="k", duration=1000, text="x" * 200)])


# One of its batches takes half a turn: the good client's bound is that of all attacks.
@attack("full-speed-large", durations=(1, 20))
def full_speed_large(stage):
    """One producer at full speed beside the good client: shows of 60 KB (6 in short mode)."""
    with stage.counting(committed=100):
        stage.flood([show("l" + NEXT, "flood/a", key="k", duration=1000, text="x" * stage.pick(6000, 60000))])


@attack("full-speed-several", is_fairness=True, kept=REMEMBERED, durations=(1, 10))
def full_speed_several(stage):
    """Four producers at full speed beside the good client, in JSON."""
    with stage.counting(committed=100):
        stage.flood([as_json(show={
            "id": "j" + NEXT, "group": "flood/a", "collapseKey": "k", "durationMs": 1000, "text": "x" * 200})], connections=4)


@attack("accepted-shows", kept=REMEMBERED, durations=(0, 20))
def accepted_shows(stage):
    """A flood of shows that are accepted and over after a millisecond."""
    with stage.counting(committed=100):
        stage.flood([show("a" + NEXT, f"flood/b/{number}", duration=1, text="accepted " * 20) for number in range(2000)])


@attack("accepted-numbered", kept=REMEMBERED, durations=(0, 10))
def accepted_numbered(stage):
    """A flood of shows in JSON with sequences, each of which is owed an acknowledgement."""
    text = as_json(producer=PRODUCER, sequence="1" + NEXT, show={
        "id": "s" + SAME, "group": "flood/c", "collapseKey": "k", "durationMs": 1, "text": "numbered"})
    with stage.counting(committed=100):
        stage.flood([text])


@attack("accepted-stay", kept=0, may_refuse=True, durations=(0, 25))
def accepted_stay(stage):
    """A flood of shows of 4 KB that are accepted and stay, in many groups, until the contents' limit refuses all."""
    with stage.counting(committed=100):
        stage.flood([show("y" + NEXT, "flood/y/" + SAME, duration=600000, text="x" * 4000)])


@attack("many-producers", holdup=HELD_UP_BY_PRODUCERS, durations=(3, 40))
def many_producers(stage):
    """A hundred producers at once, each with a queue of its own that it fills with JSON of 128 KiB that is wrong at its end."""
    data = b"".join(frame(text) for text in wrong_frames(frame_size(stage)))
    peers = [Peer(stage.ingress, b"PUB") for _ in range(stage.pick(10, 100))]
    sent = [0] * len(peers)
    with stage.counting(refused=len(peers)):
        for count in stage.rounds(most=stage.pick(len(peers), 1 << 30)):
            place = count % len(peers)
            sent[place] += peers[place].push(data, 0.1, stage.pick(2 << 20, 64 << 20))[0]
    silent = sent.count(0)
    stage.notes.update({"producers": len(peers), "MiB": sum(sent) >> 20})
    stage.expect(not silent, f"the attack had no effect: {silent} of {len(peers)} producers have sent nothing")


@attack("large-batches", holdup=HELD_UP_BY_BATCHES, kept=REMEMBERED, needs_speed=True, durations=(0, 20))
def large_batches(stage):
    """One producer at full speed beside the good client, with as many shows in each frame as it can have."""
    one = batch([command("show", message((2, "f"), (4, 1000), (9, "k")))])  # without an id, which the broker makes
    with stage.counting(committed=100):
        stage.flood([one * (stage.pick(8_000, 130_000) // len(one))])


@attack("refused-shows", durations=(0, 20))
def refused_shows(stage):
    """A flood of shows that are refused: groups that are none, numbers out of range, content too large, ids repeated."""
    large = [] if not stage.is_long else [as_json(show={"id": "r" + NEXT, "group": "flood/d/", "text": "x" * 70000})]
    with stage.counting(refused=100):
        stage.flood([
            *large, show("r" + NEXT, "no group!", text="refused"), show("r" + NEXT, "", text="refused"),
            as_json(show={"id": "r" + NEXT, "group": "flood/d", "priority": 1 << 40}),
            as_json(show={"id": "r" + NEXT, "group": "flood/d", "durationMs": -1, "text": "refused" * 100}),
            as_json(show={"id": "\u0001", "group": "flood/d", "text": "x"}),
            as_json(update={"id": "nobody", "text": "x"}), as_json(dismiss={"id": "nobody"}),
        ])


@attack("refused-numbered", durations=(0, 10))
def refused_numbered(stage):
    """A flood of numbered shows that are refused, of a producer that leaves gaps in its sequences."""
    with stage.counting(refused=100):
        stage.flood([
            as_json(producer=PRODUCER, sequence="1" + NEXT, show={"id": "n" + SAME, "group": "no group!"}),
            as_json(producer=PRODUCER, sequence="9" + NEXT, show={"id": "n" + SAME, "group": "no group!"}),
            as_json(producer="0" * 22 + NEXT, sequence="7", show={"id": "n" + SAME, "group": "no group!"}),
        ])


# Frames of some bytes in a short run: the system's buffers hold millions of them, which a debug build reads for a minute.
MOST_TINY = 100_000


@attack("empty-frames", durations=(0, 20))
def empty_frames(stage):
    """A flood of frames without a byte, and of empty commands."""
    with stage.counting(refused=100):
        stage.flood([b"", b"{}", b" "], count=stage.pick(MOST_TINY, 0))


@attack("junk", durations=(0, 20))
def junk(stage):
    """A flood of short frames that are no commands."""
    with stage.counting(refused=100):
        stage.flood([b"junk", b"{junk}", b"\xff\xff\xff\xff", b'{"no":{}}', b"\x7a\x04junk", b"[]", b'"text"', b"\x00"],
                    count=stage.pick(MOST_TINY, 0))


ASKER = "asker"


def ask_at_full_speed(stage, queries):
    """Sends queries at full speed, reads the answers meanwhile, and expects a hundred: without a reader, none is written."""
    context = zmq.Context()
    reader = context.socket(zmq.SUB)
    reader.connect(f"tcp://127.0.0.1:{stage.egress}")
    reader.subscribe(f"replies+json/{ASKER}/")
    answers = 0
    with stage.flooding([as_json(query={"client": ASKER, "nonce": "n" + NEXT, **query}) for query in queries]) as flood:
        while flood.is_sending():
            while reader.poll(100) and flood.is_sending():
                reader.recv_multipart()
                answers += 1
        flood.wait()
    context.destroy(linger=0)
    stage.notes["answers"] = answers
    stage.expect(answers >= 100, f"the attack had no effect: {answers} queries are answered")


@attack("queries", needs_speed=True, durations=(0, 20), settling=60)
def queries(stage):
    """A flood of queries of every kind, with popups to answer about."""
    stage.fill([show("q" + NEXT, "flood/q/" + SAME, text="asked for")], stage.pick(100, 10000))
    kinds = [
        {"list": {}}, {"count": {}}, {"stats": {}}, {"peek": {"group": "flood/q/0000000001"}}, {"list": {"selector": {"group": "flood/*"}}},
        {"explain": {"id": "q0000000001"}}, {"path": {"tree": "none"}}, {"count": {"selector": {"priorityBelow": 3, "surface": "s"}}},
    ]
    ask_at_full_speed(stage, kinds)


# What the producer has left in queues and buffers is read after it has gone, and not answered: its reader has gone, too. Its
# connection ends when all was read.
@attack("queries-of-everything", needs_speed=True, durations=(0, 10), settling=60)
def queries_of_everything(stage):
    """A flood of queries that go through all of many thousand popups."""
    stage.fill([show("e" + NEXT, "flood/e/" + SAME, text="looked at")], stage.pick(100, 200000))
    selector = {"surface": "no such surface", "priorityAbove": -5}
    ask_at_full_speed(stage, [{"count": {"selector": selector}}])


# Each takes as long as a command for so many groups may. What is left of them when the flood ends is carried out, too.
@attack("clears-of-nothing", holdup=HELD_UP_BY_MANY, needs_speed=True, durations=(0, 10), settling=60)
def clears_of_nothing(stage):
    """Four hundred clears at once, whose selector goes through many thousand popups and finds none."""
    stage.fill([show("c" + NEXT, "flood/f/" + SAME, text="looked at")], stage.pick(100, 200000))
    with stage.expecting(seconds=30, COMMAND_clear=20):
        clear = command("clear", message((1, message((1, "flood/*"), (2, "none" + NEXT)))))
        stage.flood([clear], count=stage.pick(100, 400))


QUEUE = 100
COUNT = {"client": ASKER, "nonce": "n", "count": {"selector": {"surface": "no such surface", "priorityAbove": -5}}}


def costly_queries(count):
    """Returns a batch of queries that go through all popups."""
    return json.dumps({"commands": [{"query": COUNT}] * count}, separators=(",", ":")).encode()


@attack("gone-while-full", needs_speed=True, settings=(f"ingress.highWaterMark={QUEUE}",), durations=(10, 60), settling=60)
def gone_while_full(stage):
    """Producers that fill their queues with costly queries and reset their connections before these are answered."""
    descriptors = stage.descriptors()
    stage.fill([show("d" + NEXT, "flood/g/" + SAME, text="looked at")], stage.pick(1000, 20000))
    tries = 100
    with Console(stage) as console:  # while it reads answers, queries are answered
        console.ask({"stats": {}})
        start = time.monotonic()
        console.send(costly_queries(tries))
        console.ask({"stats": {}}, seconds=30)
        cost = (time.monotonic() - start) / tries
        gone_meanwhile(stage, cost, descriptors)


def gone_meanwhile(stage, cost, descriptors):
    # A full queue takes several of the broker's heartbeats, of which one falls into the time after the connection's end.
    count = max(1, min(1000, round(stage.pick(6, 20) / QUEUE / cost)))
    data = frame(costly_queries(count))
    stage.notes.update({"ms a query": round(cost * 1e3, 2), "queries a frame": count})
    for _ in range(stage.pick(1, 3)):
        with Peer(stage.ingress, b"PUB") as peer:
            sent, _ = peer.push(data, 1, len(data) * QUEUE * 3)
            stage.expect(sent >= len(data) * QUEUE, f"the attack had no effect: {sent >> 10} KiB are less than the queue holds")
            peer.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            stage.notes["KiB"] = stage.notes.get("KiB", 0) + (sent >> 10)
    for _ in stage.rounds():  # while it goes through what it has
        time.sleep(0.2)
        if stage.descriptors() <= descriptors + 2:  # those of the console
            break
