"""A producer that waits for each acknowledgement, with nothing but pyzmq."""

import json
import time

import zmq

from .failure import Failure

PATIENCE_MS = 10_000


class LoneProducer:
    """Sends one command after another to a broker, each when the one before is acknowledged."""

    NAME = "62656e63680000000000000000000002"

    def __init__(self, endpoints):
        self.context = zmq.Context()
        self.acks = self.context.socket(zmq.SUB)
        self.acks.setsockopt(zmq.SUBSCRIBE, f"acks+json/{self.NAME}/".encode())
        self.commands = self.context.socket(zmq.XPUB)
        for socket, endpoint in zip((self.commands, self.acks), endpoints):
            socket.setsockopt(zmq.RCVTIMEO, PATIENCE_MS)
            socket.setsockopt(zmq.LINGER, 0)
            socket.connect(endpoint)
        self.sequence = 0
        self.open_way()

    def open_way(self):
        """Sends a first command again and again: when it is acknowledged, both subscriptions are in force."""
        try:
            self.commands.recv()
        except zmq.Again:
            raise Failure("the node did not subscribe to commands") from None
        give_up = time.monotonic() + PATIENCE_MS / 1000
        first = self.command(1)
        while not self.acks.poll(20):
            if time.monotonic() > give_up:
                raise Failure("no acknowledgement came")
            self.commands.send(first)
        # Each copy may have an answer.
        while self.acks.poll(200):
            self.acks.recv_multipart()
        self.sequence = 1

    def command(self, sequence):
        """A show whose entry has about the size of the bare ones."""
        show = {"id": f"lone-{sequence}", "group": f"lone/{sequence % 50}", "durationMs": 3_600_000, "text": "x" * 950}
        return json.dumps({"producer": self.NAME, "sequence": sequence, "show": show}).encode()

    def show(self):
        """The time from a command to its acknowledgement, in µs."""
        self.sequence += 1
        command = self.command(self.sequence)
        start = time.perf_counter_ns()
        self.commands.send(command)
        while True:
            try:
                answer = self.acks.recv_multipart()
            except zmq.Again:
                raise Failure(f"command {self.sequence} was not acknowledged") from None
            end = time.perf_counter_ns()
            ack = json.loads(answer[1])
            if ack.get("refusals"):
                raise Failure(f"command {self.sequence} was refused: {ack['refusals']}")
            # Acknowledgements are repeated.
            if int(ack.get("cumulative", 0)) >= self.sequence:
                return (end - start) / 1000

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.acks.close()
        self.commands.close()
        self.context.term()
