"""Subscribers that do not read."""

import json
import time

from bounds import HELD_UP_BY_MEMORY, MIB, REMEMBERED, SMALL_MEMORY_LIMIT, SMALL_MOST_MEMORY
from protobuf import NEXT
from stage import attack
from zmtp import PONG, Cut, Peer, subscription

ALIVE_SECONDS = 1


def unread(stage, readers, text):
    """Fills subscribers' queues: they follow everything, say that they live, and read nothing."""
    frame = json.dumps({"show": {
        "id": "r" + NEXT, "group": "unread/a", "collapseKey": "k", "durationMs": 1000, "text": text}})
    peers, cut = [], 0
    channels = (b"state/", b"state+json/", b"events/", b"feed/", b"heartbeat/")
    with stage.expecting_subscriptions(readers * len(channels)):
        for _ in range(readers):
            peer = Peer(stage.egress, b"SUB", receive_buffer=4096)
            for channel in channels:
                peer.send(subscription(channel))
            peers.append(peer)
    # What a subscriber's queue has no place for is dropped without a count: that it is full shows nowhere.
    with stage.counting(committed=100), stage.flooding([frame]) as flood:
        end = time.monotonic() + stage.seconds
        while time.monotonic() < end and peers:
            for peer in list(peers):
                try:
                    peer.send(PONG)
                except Cut:
                    cut += 1
                    peers.remove(peer)
            time.sleep(min(ALIVE_SECONDS, stage.seconds / 4))
        flood.wait()
    stage.notes.update({"readers": readers, "cut": cut})


@attack("unread-small", kept=REMEMBERED, durations=(1, 10))
def unread_small(stage):
    """A subscriber to everything that never reads, under a flood of small states."""
    unread(stage, 1, "small")


@attack("unread-large", kept=REMEMBERED, durations=(1, 10))
def unread_large(stage):
    """A subscriber to everything that never reads, under a flood of states of 60 KB (6 in short mode)."""
    unread(stage, 1, "x" * stage.pick(6000, 60000))


@attack("unread-many", kept=REMEMBERED, durations=(1.5, 15))
def unread_many(stage):
    """Thirty subscribers to everything that never read, under a flood of states of 20 KB (2 in short mode)."""
    unread(stage, 30, "x" * stage.pick(2000, 20000))


def trickle(stage, readers, text):
    """Fills subscribers' queues with states of which no two have the same: each follows groups of its own, and reads a
    few bytes now and then, so that it isn't taken for dead."""
    peers, cut, fed = [], 0, set()
    for number in range(readers):
        peer = Peer(stage.egress, b"SUB", receive_buffer=4096)
        for channel in (b"state/", b"state+json/"):
            peer.send(subscription(channel + b"trickle/%d/" % number))
        peer.connection.settimeout(0.001)
        peers.append(peer)
    frames = [
        json.dumps({"show": {
            "id": f"t{number}-" + NEXT, "group": f"trickle/{number}/a", "collapseKey": "k", "durationMs": 1000, "text": text}})
        for number in range(readers)]
    with stage.counting(committed=100), stage.flooding(frames) as flood:
        end = time.monotonic() + stage.seconds
        while time.monotonic() < end and peers:
            for peer in list(peers):
                try:
                    if not peer.connection.recv(2048):
                        raise ConnectionError
                    fed.add(peer)
                except TimeoutError:
                    pass
                except ConnectionError:
                    cut += 1
                    peers.remove(peer)
            time.sleep(0.05)
        flood.wait()
    for peer in peers:
        peer.close()
    stage.notes.update({"readers": readers, "fed": len(fed), "cut": cut})
    stage.expect(len(fed) == readers, f"the attack had no effect: {len(fed)} of {readers} readers get anything")


@attack("trickle-large", holdup=HELD_UP_BY_MEMORY, longest_turn=HELD_UP_BY_MEMORY, kept=REMEMBERED, needs_speed=True,
        durations=(2, 60), limit=120)
def trickle_large(stage):
    """Two hundred subscribers that read a few bytes now and then, each of its own states of 60 KB."""
    trickle(stage, 200, "x" * 60000)


@attack("trickle-large-small", kept=REMEMBERED, durations=(3, 10), settings=(f"limits.memoryBytes={SMALL_MEMORY_LIMIT}",),
        most=SMALL_MOST_MEMORY)
def trickle_large_small(stage):
    """The same by twenty, where the broker may have 192 MiB."""
    trickle(stage, 20, "x" * 60000)


@attack("trickle-small", holdup=HELD_UP_BY_MEMORY, longest_turn=HELD_UP_BY_MEMORY, kept=REMEMBERED, needs_speed=True,
        durations=(2, 20))
def trickle_small(stage):
    """Four hundred subscribers that read a few bytes now and then, each of its own states of 800 bytes."""
    trickle(stage, 400, "x" * 800)
