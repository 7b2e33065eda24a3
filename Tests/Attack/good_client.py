"""The good client: ten shows a second in JSON into a group of its own, and what comes of them.

    python3 good_client.py INGRESS-PORT EGRESS-PORT PENDING-FILE

Prints `ready` when the first popup has come back. A line on the standard input, with a number of seconds, ends it: it
sends no more, waits at most so long for what is under way, and prints one JSON list, an element a show: when it was
sent on the monotonic clock, how late that was by its own fault, and the seconds until the state and the ack came
(null: never). PENDING-FILE has at any time, in four bytes, how many states have not come. It is a process of its own
so that an attack does not hold up the clock that judges it."""

import json
import os
import struct
import sys
import time
import uuid

import zmq

from keyring import secure

INTERVAL = 0.1
PATIENCE_MS = 60_000
GROUP = "good/client"


class GoodClient:
    def __init__(self, ingress, egress, pending):
        self.producer = uuid.uuid4().hex
        context = zmq.Context()
        self.publisher = context.socket(zmq.XPUB)
        secure(self.publisher).connect(f"tcp://127.0.0.1:{ingress}")
        self.subscriber = context.socket(zmq.SUB)
        secure(self.subscriber).connect(f"tcp://127.0.0.1:{egress}")
        self.subscriber.subscribe(f"state+json/{GROUP}/")
        self.subscriber.subscribe(f"acks+json/{self.producer}/")
        self.shows = []  # [sent, own delay, state, acknowledgement] of the sequences 1, 2, 3 …
        self.settled = 0
        self.pending, self.pending_file = 0, os.open(pending, os.O_WRONLY)
        self.poller = zmq.Poller()
        self.poller.register(self.subscriber, zmq.POLLIN)
        self.poller.register(sys.stdin, zmq.POLLIN)

    def show(self, due):
        sequence = len(self.shows) + 1
        now = time.monotonic()
        self.shows.append([now, now - due, None, None])
        self.count(1)
        self.publisher.send_json({"producer": self.producer, "sequence": str(sequence), "show": {
            "id": f"{self.producer}-{sequence}", "group": GROUP, "collapseKey": "one", "durationMs": 600000,
            "text": f"the {sequence}th"}})

    def count(self, change):
        self.pending += change
        os.pwrite(self.pending_file, struct.pack("=I", self.pending), 0)

    def take(self):
        """Takes what has come."""
        while True:
            try:
                topic, body = self.subscriber.recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                return
            now, content = time.monotonic(), json.loads(body)
            if topic.startswith(b"acks"):
                cumulative = int(content.get("cumulative", 0))
                for sequence in range(self.settled + 1, cumulative + 1):
                    self.shows[sequence - 1][3] = now - self.shows[sequence - 1][0]
                self.settled = max(self.settled, cumulative)
            elif "active" in content:
                name, _, sequence = content["active"]["id"].partition("-")
                if name == self.producer and self.shows[int(sequence) - 1][2] is None:
                    self.shows[int(sequence) - 1][2] = now - self.shows[int(sequence) - 1][0]
                    self.count(-1)

    def begin(self):
        """Waits until both ways are open: a subscription is in force when its popup comes."""
        assert self.publisher.poll(PATIENCE_MS), "the broker does not subscribe"
        self.publisher.recv()
        self.show(time.monotonic())
        assert self.subscriber.poll(PATIENCE_MS), "no state comes"
        self.take()
        print("ready", flush=True)

    def run(self):
        """Sends until a line comes. Returns the seconds that it names."""
        due = time.monotonic() + INTERVAL
        while True:
            wait = max(0, due - time.monotonic())
            for source, _ in self.poller.poll(wait * 1000):
                if source == sys.stdin.fileno():
                    return float(sys.stdin.readline())
                self.take()
            if time.monotonic() >= due:
                self.show(due)
                due += INTERVAL

    def finish(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end and any(show[2] is None or show[3] is None for show in self.shows):
            self.subscriber.poll(100)
            self.take()
        print(json.dumps(self.shows), flush=True)


if __name__ == "__main__":
    client = GoodClient(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
    client.begin()
    client.finish(client.run())
