"""Attacks on a broker with keys."""

import json
import time

import zmq

from attacks.connections import MOST_CONNECTIONS, OTHER_DESCRIPTORS, held_connections
from broker import waited
from keyring import secure
from protobuf import NEXT, show
from stage import Console, attack
from zmtp import COMMAND, frame, plain

GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"CURVE".ljust(20, b"\0") + b"\0" + bytes(31)
HELLO_BYTES = 200  # a HELLO of CURVE: its name, version, padding, key, nonce and box
CLIENTS = 64  # sockets at once


def hello(stage):
    """Returns a HELLO of the right form whose box nobody can open."""
    body = b"\x05HELLO\x01\x00" + bytes(72) + stage.random.randbytes(HELLO_BYTES - 80)
    return frame(body, COMMAND)


@attack("curve-half-open", keys=True, settling=5)
def half_open(stage):
    """Thousands of connections that begin a handshake of CURVE, stop at every byte of it, and stay."""
    words = GREETING + hello(stage)
    held_connections(
        stage, stage.pick(300, 2 * MOST_CONNECTIONS - OTHER_DESCRIPTORS), lambda number: words[:number % len(words)])


@attack("curve-boxes", keys=True)
def boxes(stage):
    """Handshakes at full speed whose boxes cannot be opened: each costs the broker its cryptography."""
    count = ended = 0
    for count in stage.rounds(most=stage.pick(500, 1 << 30)):
        connection = plain((stage.ingress, stage.egress)[count % 2])
        try:
            connection.sendall(GREETING + hello(stage))
            while connection.recv(4096):
                pass
            ended += 1
        except ConnectionError:
            ended += 1
        except OSError:
            pass
        connection.close()
    stage.notes.update({"handshakes": count + 1, "ended": ended})
    stage.expect(ended > count / 2, f"the attack had no effect: the broker has ended {ended} of {count + 1} handshakes")


@attack("curve-wrong-keys", keys=True)
def wrong_keys(stage):
    """Clients with a key that nobody knows, and without one, connect again and again."""
    count, before = 0, stage.statistics().get("connectionsCut", 0)
    for _ in stage.rounds(most=stage.pick(5, 1 << 30)):
        context = zmq.Context()
        for number in range(CLIENTS):
            client = context.socket((zmq.PUB, zmq.SUB)[number % 2])
            if number % 4 < 2:
                public, secret = zmq.curve_keypair()
                secure(client, [public.decode(), secret.decode(), stage.keys["hostile"][2]])
            if number % 2:
                client.subscribe(b"")
            client.connect(f"tcp://127.0.0.1:{(stage.ingress, stage.egress)[number % 2]}")
            count += 1
        time.sleep(0.2)
        context.destroy(linger=0)
    stage.notes["clients"] = count
    cut = stage.statistics().get("connectionsCut", 0) - before
    stage.notes["cut"] = cut
    stage.expect(cut > 0, f"the attack had no effect: no connection of {count} clients was refused")


@attack("curve-no-subscriptions", keys=True)
def no_subscriptions(stage):
    """A user sends messages that are not subscriptions between its own, after which libzmq assigns subscriptions wrongly."""
    count = 0
    for count in stage.rounds(most=stage.pick(50, 1 << 30)):
        context = zmq.Context()
        reader = secure(context.socket(zmq.XSUB), stage.keys["hostile"])
        reader.connect(f"tcp://127.0.0.1:{stage.egress}")
        for number in range(50):
            reader.send(b"\x01state/none/" + str(number).encode())
            reader.send(b"\x02")
        time.sleep(0.02)
        context.destroy(linger=0)
    stage.notes["rounds"] = count + 1
    is_told = waited(lambda: "it sent a message that is not a subscription" in stage.log(), stage.pick(10, 5))
    stage.expect(is_told, "the attack had no effect: nobody was cut off")


@attack("user-over-its-rights", keys=True, durations=(1, 20))
def over_its_rights(stage):
    """A user at full speed with all that it may not do, and with subscriptions that it may not have."""
    commands = [
        {"show": {"id": "e" + NEXT, "group": "limited/a", "exclusive": "ALL", "text": "x"}},
        {"update": {"id": "held", "priority": 9}}, {"dismiss": {"id": "held"}},
        {"dismiss": {"id": "held", "group": "good/held"}}, {"advance": {"group": "good/client"}},
        {"clear": {"selector": {"group": "*"}}}, {"clear": {"selector": {"producer": "0" * 31 + "1"}}},
        {"suspend": {"group": "*", "token": "t" + NEXT}}, {"resume": {"token": "theirs"}},
        {"setPolicy": {"group": "*", "preset": "LIFO"}}, {"unsetPolicy": {"group": "good/*"}},
        {"setSession": {"group": "good/client", "session": "s"}},
        {"page": {"tree": "t", "open": {"node": "n", "value": "v"}}},
        {"lease": {"client": "thief", "groups": ["*"]}},
        {"report": {"id": "held", "group": "good/held", "client": "thief", "visible": {}}},
        {"query": {"client": "thief", "nonce": "1", "list": {"selector": {"group": "*"}}}},
    ]
    frames = [json.dumps(each) for each in commands] + [
        show("s" + NEXT, "good/client", key="one", duration=1000, text="over"),
        show("p" + NEXT, "limited/a", priority=1, duration=1000, text="over"),
    ]
    context = zmq.Context()
    reader = secure(context.socket(zmq.SUB), stage.keys["limited"])
    reader.connect(f"tcp://127.0.0.1:{stage.egress}")
    for prefix in ("", "state", "state+json/", "events/", "feed/", "state+json/good/client/", "replies+json/"):
        reader.subscribe(prefix)
    with Console(stage) as console:
        console.tell(show={"id": "held", "group": "good/held", "text": "stays"})
        console.tell(suspend={"group": "good/none", "token": "theirs"})
        with stage.counting(refused=1000):
            stage.flood(frames, connections=2, user="limited")
        counts = [each for each in console.ask({"stats": {}})[0]["stats"].get("denied", []) if each.get("user") == "limited"]
        stage.notes["denied"] = {each.get("right", "a name"): int(each["count"]) for each in counts}
        stage.expect(
            {"show", "control", "render", "query", "dismiss"} <= {each.get("right") for each in counts},
            f"not each right was denied: {stage.notes['denied']}")
        popups = console.ask({"list": {"selector": {"group": "*"}}})[0]["list"].get("popups", [])
        stage.expect(
            not [popup for popup in popups if popup.get("by") == "limited"], "popups that it may not show are there")
        stage.expect([popup for popup in popups if popup["id"] == "held"], "the popup of another user is gone")
    stage.expect(not reader.poll(100), "it was told what it may not read")
    context.destroy(linger=0)
