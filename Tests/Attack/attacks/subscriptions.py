"""Subscriptions that are too many, too long, too quick, or somebody else's."""

import contextlib
import time

from bounds import HELD_UP_BY_SUBSCRIPTIONS, MIB, SMALL_MEMORY_LIMIT, SMALL_MOST_MEMORY
from stage import attack, counts
from witness import Witness
from zmtp import Cut, Peer, cancel_command, frame, subscribe_command, subscription, withdrawal

PREFIXES = (
    b"", b"s", b"state", b"state+json/", b"state+json/good/", b"acks/", b"acks+json/", b"acks+json/x/", b"heartbeat/", b"heartbeat",
    b"events/", b"events+json/", b"events+json/x/", b"replies/", b"replies+json/", b"replies+json/x/", b"feed/", b"sync/",
    b"sync+json/x/", b"state/", b"state/witness/a/", b"state+json/witness/a/", b"state+json/good/client/", b"state+frame/",
    b"state+frame/witness/a/", b"state+frame/good/client/",
)


def send_in_parts(stage, peer, words, most=1 << 30):
    """Sends what `words` makes of 0, 1, 2 … in parts of some thousand. Returns how many were sent."""
    count = 0
    try:
        for part in stage.rounds(most=(most + 999) // 1000):
            peer.send(b"".join(words(number) for number in range(part * 1000, part * 1000 + 1000)))
            count += 1000
    except Cut:
        stage.notes["cut"] = stage.notes.get("cut", 0) + 1
    return count


@attack("many-subscriptions", durations=(2, 12))
def many_subscriptions(stage):
    """Hundreds of thousands of prefixes by one client, of each channel, as messages and as commands."""
    channels = (
        b"state", b"state+json", b"state+frame", b"events", b"events+json", b"acks", b"acks+json", b"replies", b"replies+json",
        b"sync", b"sync+json", b"feed", b"heartbeat")
    for minor, word in ((0, subscription), (1, subscribe_command)):
        with Peer(stage.egress, b"SUB", minor) as peer, stage.expecting(seconds=20, connectionsCut=1):
            sent = send_in_parts(
                stage, peer, lambda number: word(channels[number % len(channels)] + b"/many/%d/" % number),
                stage.pick(20000, 400000))
            stage.notes[f"subscriptions 3.{minor}"] = sent


@attack("megabyte-subscriptions", durations=(1, 10))
def megabyte_subscriptions(stage):
    """Subscriptions of a megabyte each, all different."""
    sent = cut = 0
    peer = Peer(stage.egress, b"SUB")
    for number in stage.rounds(most=stage.pick(60, 1000)):
        try:
            peer.send(subscription(b"state/%08d" % number + b"a" * MIB))
            sent += 1
        except Cut:
            cut += 1
            peer.close()
            peer = Peer(stage.egress, b"SUB")
    stage.notes.update({"sent": sent, "cut": cut})
    stage.expect(cut, f"the attack had no effect: of {sent} subscriptions of a megabyte, none is cut off")
    peer.close()


def send_long_subscriptions(stage, clients, each):
    sent = 0
    with stage.expecting(seconds=20, connectionsCut=1):
        for client in range(clients):
            with Peer(stage.egress, b"SUB") as peer:
                tail = b"x" * 900
                sent += send_in_parts(
                    stage, peer, lambda number: subscription(b"state/%d/%d/" % (client, number) + tail), each)
    stage.notes["sent"] = sent


@attack("long-subscriptions", holdup=HELD_UP_BY_SUBSCRIPTIONS, longest_turn=HELD_UP_BY_SUBSCRIPTIONS,
        needs_speed=True, durations=(1, 10))
def long_subscriptions(stage):
    """Hundreds of thousands of subscriptions of 1000 bytes each, by several clients."""
    send_long_subscriptions(stage, stage.pick(2, 20), stage.pick(3000, 20000))


@attack("long-subscriptions-small", holdup=HELD_UP_BY_SUBSCRIPTIONS, longest_turn=HELD_UP_BY_SUBSCRIPTIONS,
        needs_speed=True, durations=(1, 10), most=SMALL_MOST_MEMORY,
        settings=(f"limits.memoryBytes={SMALL_MEMORY_LIMIT}",))
def long_subscriptions_small(stage):
    """The same, where the broker may have 192 MiB."""
    send_long_subscriptions(stage, stage.pick(2, 20), stage.pick(3000, 20000))


def storm(stage, kind, words):
    """Sends such words until the time is over; in short mode a thousand: a debug build reads them for as long."""
    before = cut_off(stage)
    with Peer(stage.egress, kind, minor=1) as peer:
        stage.notes["words"] = 2 * send_in_parts(stage, peer, words, stage.pick(1000, 1 << 30))
        # What is told to a connection that ends is not read to its end.
        stage.notes["read"] = is_read(peer, stage.pick(5, 20))
    stage.notes["cut"] = cut_off(stage) - before
    stage.expect(
        stage.notes["read"] or stage.notes["cut"], "the attack had no effect: the words are neither read nor cut off")


def cut_off(stage):
    """Returns how many connections the broker has cut off."""
    return counts(stage.stats())["connectionsCut"]


def is_read(peer, seconds):
    """Subscribes to the broker's heartbeat. Returns whether it comes: then everything before it was read."""
    with contextlib.suppress(Cut):
        peer.connection.settimeout(seconds)
        peer.send(subscription(b"heartbeat/"))
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if peer.receive()[1].startswith(b"heartbeat/"):
                return True
    return False


@attack("subscription-storm")
def subscription_storm(stage):
    """One prefix of states subscribed and withdrawn again and again, as messages."""
    storm(stage, b"SUB", lambda _: subscription(b"state/good/client/") + withdrawal(b"state/good/client/"))


@attack("subscribe-command-storm")
def subscribe_command_storm(stage):
    """New prefixes subscribed and cancelled again and again, by the commands of ZMTP 3.1."""
    storm(stage, b"SUB", lambda number: subscribe_command(b"state/%d/" % number) + cancel_command(b"state/%d/" % number))


@attack("sync-storm", holdup=HELD_UP_BY_SUBSCRIPTIONS, longest_turn=HELD_UP_BY_SUBSCRIPTIONS)
def sync_storm(stage):
    """Queries for all states, by subscribing to sync/…, withdrawn at once or not at all."""
    storm(stage, b"SUB", lambda number: subscription(b"sync/storm/%d/*/" % number) + (
        withdrawal(b"sync/storm/%d/*/" % number) if number % 2 else subscription(b"sync/storm/%d/good/" % number)))


@attack("wrong-topics", holdup=HELD_UP_BY_SUBSCRIPTIONS, longest_turn=HELD_UP_BY_SUBSCRIPTIONS)
def wrong_topics(stage):
    """Subscriptions to topics that are none, of random bytes, and with separators in wrong places."""
    random = stage.random
    starts = (b"sync/", b"sync+json/", b"acks/", b"state/", b"replies/", b"heartbeat/", b"/", b"")
    storm(stage, b"SUB", lambda number: subscription(starts[number % 8] + random.randbytes(number % 300)) + subscription(
        starts[number % 8] + b"/" * (number % 200)))


@attack("messages-from-subscriber")
def messages_from_subscriber(stage):
    """Messages on the egress that are no subscriptions, by an XSUB."""
    storm(stage, b"XSUB", lambda number: frame(bytes([2 + number % 250]) + b"user message" * 20) + frame(b""))


@attack("forged-withdrawals", durations=(3, 8))
def forged_withdrawals(stage):
    """Withdrawals of what others subscribed, three times each: everybody still gets everything on every channel."""
    with Witness(stage) as witness:
        silent = witness.silent()
        stage.expect(not silent, f"before the attack nothing comes on {', '.join(silent)}")
        for minor, word in ((0, withdrawal), (1, cancel_command)):
            with Peer(stage.egress, b"SUB", minor) as peer:
                for prefix in (*PREFIXES, *witness.subscribed):
                    peer.send(word(prefix) * 3)
                silent = witness.silent()
                stage.expect(not silent, f"ZMTP 3.{minor}: nothing comes any more on {', '.join(silent)}")
        for prefix in PREFIXES:  # subscribed once, withdrawn often, and gone without a word
            with Peer(stage.egress, b"SUB") as peer:
                peer.send(subscription(prefix) + withdrawal(prefix) * 5 + subscription(prefix))
        silent = witness.silent()
        stage.expect(not silent, f"after withdrawals of what was subscribed, nothing comes on {', '.join(silent)}")
