"""Clients of brokers, with nothing but pyzmq: screens, producers and a renderer, each a thread with sockets of its own."""
import json
import threading
import time

import zmq

import shared_log
from checker import Ack, Acked, Follower, Heard, popup_of

TOPICS = {b"state+json": "state", b"events+json": "event", b"feed": "feed", b"heartbeat": "heartbeat"}


class Screen(threading.Thread):
    """Follows nodes, and shows what is of the newest epoch; keeps all that it has heard."""

    def __init__(self, context, egress, node=None, channels=(b"state+json", b"events+json")):
        """node: The only one that it listens to, if it records what this one says."""
        super().__init__(daemon=True)
        self.socket = context.socket(zmq.SUB)
        self.socket.setsockopt(zmq.RCVHWM, 0)
        self.socket.setsockopt(zmq.RCVTIMEO, 100)
        for channel in channels:
            self.socket.setsockopt(zmq.SUBSCRIBE, channel + b"/")
        for endpoint in egress:
            self.socket.connect(endpoint)
        self.node = node
        self.heard = []
        self.follower = Follower()
        self.is_ending = False
        self.start()

    def run(self):
        while not self.is_ending:
            try:
                topic, body = self.socket.recv_multipart()
            except zmq.Again:
                self.rest()
                continue
            channel = TOPICS[topic.split(b"/", 1)[0]]
            for message in self.messages(channel, body):
                self.heard.append(Heard(time.monotonic(), self.node, channel, message))
                self.follower.take(channel, message)
            if not self.socket.poll(0):
                self.rest()
        self.socket.close(0)

    @staticmethod
    def messages(channel, body):
        if channel == "feed":
            return shared_log.states_of_feed(body)
        if channel == "heartbeat":
            return [{"epoch": str(shared_log.fields(body)[1][-1])}]
        return [json.loads(body)]

    def rest(self):
        """What a subclass does when it has taken all that has arrived."""

    def end(self):
        self.is_ending = True
        self.join()


class Sender:
    """Sends commands one after another, each again until its acknowledgement is there. For one thread."""

    AGAIN = 0.1  # seconds

    def __init__(self, context, ingress, egress, dice):
        """ingress, egress: The endpoints of all nodes."""
        self.name = f"{dice.getrandbits(128):032x}"
        self.socket = context.socket(zmq.SUB)
        self.socket.setsockopt(zmq.SUBSCRIBE, f"acks+json/{self.name}/".encode())
        # One for each node: a socket for several may wait for one that has stopped.
        self.gates = []
        for endpoint in egress:
            self.socket.connect(endpoint)
        for endpoint in ingress:
            gate = context.socket(zmq.PUB)
            gate.setsockopt(zmq.LINGER, 0)
            gate.connect(endpoint)
            self.gates.append(gate)
        self.sequence = 0
        self.acked, self.acks, self.refused = [], [], {}
        self.longest = 0.0
        self.is_ending = False

    def send(self, command):
        for gate in self.gates:
            gate.send(json.dumps(command).encode())

    def settle(self, name, **content):
        """Sends a command until it is settled, or refused for the time being. Returns the reason if it was refused."""
        self.sequence += 1
        command = {"producer": self.name, "sequence": self.sequence, name: content}
        sent = time.monotonic()
        while not self.is_ending:
            self.send(command)
            self.wait()
            if self.covers(self.sequence):
                at = time.monotonic()
                self.longest = max(self.longest, at - sent)
                refusal = self.refused.get(self.sequence)
                if refusal is None:
                    self.acked.append(Acked(self.name, self.sequence, name, content, sent, at, self.acks[-1].epoch))
                return refusal
        return None

    def wait(self):
        """What a subclass does while it waits."""

    def covers(self, sequence):
        end = time.monotonic() + self.AGAIN
        settled = False
        while not settled and self.socket.poll(max(0, int((end - time.monotonic()) * 1000))):
            ack = json.loads(self.socket.recv_multipart()[1])
            cumulative = int(ack.get("cumulative", 0))
            self.acks.append(Ack(self.name, int(ack["epoch"]), cumulative))
            for refusal in ack.get("refusals", ()):
                self.refused[int(refusal["sequence"])] = refusal["reason"]
            settled = cumulative >= sequence or sequence in self.refused
        return settled

    def close(self):
        for socket in (self.socket, *self.gates):
            socket.close(0)


class Producer(threading.Thread):
    """Asks for popups, and changes some."""

    def __init__(self, sender, dice, groups):
        """groups: What the popups of a group have."""
        super().__init__(daemon=True)
        self.sender, self.dice, self.groups = sender, dice, groups
        self.wrong = []
        self.start()

    def run(self):
        number = 0
        while not self.sender.is_ending:
            number += 1
            group = self.dice.choice(list(self.groups))
            popup = f"p-{number}"
            refusal = self.sender.settle(
                "show", id=popup, group=group, text=f"number {number}", priority=self.dice.randrange(3),
                durationMs=self.dice.choice([30, 100, 300]), **self.groups[group])
            if refusal is None and self.dice.random() < 0.2:
                refusal = self.sender.settle("update", id=popup, text=f"changed {number}")
                # It may have closed before.
                if refusal in ("NOT_FOUND", "STALE"):
                    refusal = None
            if refusal:
                self.wrong.append(f"{popup} was refused {refusal}")
            time.sleep(0.02)
        self.sender.close()

    def end(self):
        self.sender.is_ending = True
        self.join()


class RendererSender(Sender):
    """Renews its lease while it waits for an acknowledgement."""

    def __init__(self, context, ingress, egress, dice, groups):
        super().__init__(context, ingress, egress, dice)
        self.client = f"{dice.getrandbits(128):032x}"
        self.groups = groups
        self.renewed = 0.0

    def wait(self):
        if time.monotonic() > self.renewed + 1:
            self.renewed = time.monotonic()
            self.send({"lease": {"client": self.client, "groups": self.groups}})


class Renderer(Screen):
    """A screen with a lease: it accepts what is offered, reports what it shows, and dismisses some of it."""

    def __init__(self, context, ingress, egress, dice, groups):
        self.sender, self.dice = RendererSender(context, ingress, egress, dice, groups), dice
        self.answered, self.reported, self.dismissed = set(), set(), set()
        super().__init__(context, egress)

    def rest(self):
        self.sender.wait()
        for state in self.follower.shown.values():
            popup = popup_of(state)
            about = {"id": popup, "client": self.sender.client}
            if state.get("offered"):
                if popup not in self.answered:
                    self.answered.add(popup)
                    self.sender.settle("answer", accept={}, **about)
                    return
            elif popup and popup not in self.reported:
                self.reported.add(popup)
                self.sender.settle("report", displayed={}, **about)
                if self.dice.random() < 0.3 and self.sender.settle("dismiss", action="seen", **about) is None:
                    self.dismissed.add(popup)
                # What it shows may have changed meanwhile.
                return

    def end(self):
        self.sender.is_ending = True
        super().end()
        self.sender.close()
