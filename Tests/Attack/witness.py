"""A subscriber to every channel, that tells whether it still gets all of them."""

import time
import uuid

import zmq

PATIENCE_MS = 60_000


class Witness:
    """Subscribes to all channels, sends a popup and a query, asks for the states, and sees what of them comes."""

    def __init__(self, stage, group="witness/a"):
        self.context = zmq.Context()
        self.publisher = self.context.socket(zmq.XPUB)
        self.publisher.connect(f"tcp://127.0.0.1:{stage.ingress}")
        self.subscriber = self.context.socket(zmq.SUB)
        self.subscriber.setsockopt(zmq.RCVHWM, 0)
        self.subscriber.connect(f"tcp://127.0.0.1:{stage.egress}")
        self.group, self.producer, self.sequence = group, uuid.uuid4().hex, 0
        self.channels = {}
        for coding in ("", "+json"):
            for channel, rest in (("state", group), ("events", group), ("acks", self.producer), ("replies", self.producer)):
                self.channels[channel + coding] = f"{channel}{coding}/{rest}/".encode()
        self.channels["heartbeat"], self.channels["feed"] = b"heartbeat/", b"feed/"
        self.channels["state+frame"] = f"state+frame/{group}/".encode()
        self.subscribed = set()
        for prefix in self.channels.values():
            self._subscribe(prefix)
        # An answer comes to a subscription to its whole topic: `_act` asks, each time with another nonce.
        for channel in ("sync", "sync+json"):
            self.channels[channel] = f"{channel}/{self.producer}/".encode()
        assert self.publisher.poll(PATIENCE_MS), "the broker does not subscribe"
        self.publisher.recv()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.context.destroy(linger=0)

    def _subscribe(self, prefix):
        self.subscribed.add(prefix)
        self.subscriber.subscribe(prefix)

    def silent(self, seconds=20.0):
        """Does something that every channel tells. Returns the channels on which nothing comes in time."""
        while self.subscriber.poll(0):
            self.subscriber.recv_multipart()
        missing, end, due = set(self.channels), time.monotonic() + seconds, 0
        while missing and time.monotonic() < end:
            if time.monotonic() >= due:  # again: a subscription may not have been in force yet
                self._act()
                due = time.monotonic() + 0.5
            if self.subscriber.poll(100):
                topic = self.subscriber.recv_multipart()[0]
                missing -= {name for name, prefix in self.channels.items() if topic.startswith(prefix)}
        return sorted(missing)

    def _act(self):
        self.sequence += 1
        head = {"producer": self.producer, "sequence": str(self.sequence)}
        name = f"{self.producer}-{self.sequence}"
        self.publisher.send_json({**head, "show": {
            "id": name, "group": self.group, "collapseKey": "k", "durationMs": 60000, "text": "seen"}})
        query = {"client": self.producer, "nonce": f"n{self.sequence}", "stats": {}}
        self.publisher.send_json({"query": query})
        # The same in binary: the answer comes on the other channel.
        nonce = query["nonce"].encode()
        body = b"\x0a" + bytes([32]) + self.producer.encode() + b"\x12" + bytes([len(nonce)]) + nonce + b"\x42\x00"
        self.publisher.send(b"\x8a\x01" + bytes([len(body)]) + body)
        for channel in ("sync", "sync+json"):
            self._subscribe(f"{channel}/{self.producer}/n{self.sequence}/{self.group}/".encode())
