#!/usr/bin/env python3
"""Shows each line of its standard input as a popup, with nothing but pyzmq:  reliable_producer.py GROUP < lines.txt

Sends each command until the broker has acknowledged it, through failures of the broker and of the connection. The rules
are in Documentation/Protocol.md, "The producer's contract".
"""
import base64
import json
import os
import sys
import time
import uuid

import zmq

from keys import secured

WINDOW = 256  # sequences that an acknowledgement describes
SHORTEST, LONGEST, PATIENCE = 0.25, 5, 2  # seconds


def covers(ack, sequence):
    """Whether an acknowledgement settles a sequence."""
    cumulative = int(ack.get("cumulative", 0))
    if sequence <= cumulative:
        return True
    bits = base64.b64decode(ack.get("selective", ""))
    n = sequence - cumulative - 2
    return 0 <= n < 8 * len(bits) and bits[n // 8] >> (n % 8) & 1 == 1


class InFlight:
    """A command that is not settled yet."""

    def __init__(self, command):
        self.command, self.due, self.interval, self.sent, self.times, self.postponed = command, 0, 0, 0, 0, False


class ReliableProducer:
    def __init__(self, settled):
        """Calls `settled` with each command and its refusal, or None."""
        context = zmq.Context.instance()
        self.commands, self.acks = context.socket(zmq.XPUB), context.socket(zmq.SUB)
        self.commands.setsockopt(zmq.IMMEDIATE, 1)
        self.commands.setsockopt(zmq.XPUB_NODROP, 1)
        secured(self.commands).connect(os.environ.get("POPUP_BROKER_INGRESS", "tcp://127.0.0.1:5570"))
        secured(self.acks).connect(os.environ.get("POPUP_BROKER_EGRESS", "tcp://127.0.0.1:5571"))
        self.poller = zmq.Poller()
        self.poller.register(self.commands, zmq.POLLIN)
        self.poller.register(self.acks, zmq.POLLIN)
        self.settled, self.epoch, self.timeout, self.in_flight, self.producer = settled, 0, SHORTEST, {}, None
        self.start_over()

    def send(self, command):
        """Sends a command when there is room in the window."""
        while self.in_flight and self.next - min(self.in_flight) >= WINDOW:
            self.step()
        self.in_flight[self.next] = InFlight(command)
        self.next += 1
        self.step(0)

    def flush(self):
        """Waits until all commands are settled."""
        while self.in_flight:
            self.step()

    def step(self, timeout=0.05):
        ready = dict(self.poller.poll(timeout * 1000))
        if self.commands in ready and self.commands.recv()[:1] == b"\1":
            for command in self.in_flight.values():  # the broker is there, or back
                command.due, command.interval = 0, 0
        if self.acks in ready:
            topic, body = self.acks.recv_multipart()
            if topic.decode() == f"acks+json/{self.producer}/":
                self.receive(json.loads(body))
        now = time.monotonic()
        for sequence, command in self.in_flight.items():
            if command.due <= now and not self.transmit(sequence, command, now):
                break

    def transmit(self, sequence, command, now):
        try:
            numbered = {"producer": self.producer, "sequence": sequence, **command.command}
            self.commands.send(json.dumps(numbered).encode(), zmq.NOBLOCK)
        except zmq.Again:
            return False  # the queue is full: later
        command.interval = min(command.interval * 2 or self.timeout, LONGEST)
        command.sent, command.times, command.postponed = now, command.times + 1, False
        command.due = now + command.interval
        return True

    def receive(self, ack):
        now, epoch = time.monotonic(), int(ack["epoch"])
        if epoch < self.epoch:
            return
        is_new, self.epoch = epoch > self.epoch, epoch
        is_forgotten = self.is_forgotten(ack, is_new, now)
        refusals = {int(refusal["sequence"]): refusal for refusal in ack.get("refusals", [])}
        for sequence, command in list(self.in_flight.items()):
            refusal = refusals.get(sequence)
            is_overload = refusal is not None and refusal["reason"] == "OVERLOAD"
            if refusal is not None and not is_overload or covers(ack, sequence):
                del self.in_flight[sequence]
                if command.times == 1:
                    self.timeout = min(max(2 * (now - command.sent), SHORTEST), LONGEST)
                self.settled(command.command, None if is_overload else refusal)
            elif is_overload and not command.postponed:
                command.postponed, command.due = True, now + refusal.get("retryAfterMs", 0) / 1000
        if is_forgotten:
            self.start_over()

    def is_forgotten(self, ack, is_new, now):
        """Whether the broker no longer knows what it has acknowledged, or knows what was never sent."""
        oldest = min(self.in_flight, default=self.next)
        settled = [sequence for sequence in range(oldest, self.next) if sequence not in self.in_flight]
        if int(ack.get("cumulative", 0)) + 1 >= oldest and all(covers(ack, sequence) for sequence in settled):
            self.denied_since = None
            return int(ack.get("cumulative", 0)) >= self.next
        self.denied_since = self.denied_since or now
        return is_new or now - self.denied_since >= PATIENCE

    def start_over(self):
        """Goes on under a new name. A `show` that the broker has accepted under the old one has no effect then."""
        if self.producer:
            self.acks.unsubscribe(f"acks+json/{self.producer}/")
        self.producer, self.denied_since = uuid.uuid4().hex, None
        self.acks.subscribe(f"acks+json/{self.producer}/")
        open_commands = [InFlight(command.command) for _, command in sorted(self.in_flight.items())]
        self.in_flight = dict(enumerate(open_commands, 1))
        self.next = len(open_commands) + 1


def tell(command, refusal):
    outcome = f"refused {refusal['reason']}: {refusal.get('detail', '')}" if refusal else "accepted"
    print(command["show"]["id"], outcome, flush=True)


if len(sys.argv) != 2:
    sys.exit(__doc__)
producer = ReliableProducer(tell)
for line in sys.stdin:
    producer.send({"show": {"id": f"python-{uuid.uuid4().hex[:12]}", "group": sys.argv[1], "text": line.rstrip("\n")}})
producer.flush()
