#!/usr/bin/env python3
"""Captures with tshark what a client and the broker exchange, without keys and with them.

    BIN=.build/debug python3 -B Tests/Capture

Without keys the capture must show what was sent; else it would prove nothing. With keys it must show nothing of it: no
text, no group, no id, no topic, no name of a user. Ends with 0 when that is so."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import uuid

import zmq

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Attack"))
from broker import Broker  # noqa: E402 (the attacks' tools are used here, too)
from keyring import Keyring, secure  # noqa: E402

PATIENCE_SECONDS = 90
GROUP = "lobby-that-nobody-sees"
CONTENT = [b"a-text-that-nobody-reads", GROUP.encode(), b"id-that-nobody-knows", b"state+json/", b"good"]


class Exchange:
    """A client that shows popups and gets their states."""

    def __init__(self, broker, keys):
        self.context = zmq.Context()
        self.publisher = secure(self.context.socket(zmq.XPUB), keys)
        self.subscriber = secure(self.context.socket(zmq.SUB), keys)
        self.subscriber.subscribe(f"state+json/{GROUP}/")
        self.publisher.connect(f"tcp://127.0.0.1:{broker.ingress}")
        self.subscriber.connect(f"tcp://127.0.0.1:{broker.egress}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.context.destroy(linger=0)

    def show(self):
        """Shows a popup until its state has come."""
        name = f"id-that-nobody-knows-{uuid.uuid4().hex}"
        end = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < end:
            self.publisher.send_json({"show": {
                "id": name, "group": GROUP, "collapseKey": "k", "text": "a-text-that-nobody-reads"}})
            while self.subscriber.poll(200):
                if json.loads(self.subscriber.recv_multipart()[1]).get("active", {}).get("id") == name:
                    return
        raise RuntimeError("no state came")


def captured(broker, keys, folder):
    """Returns what tshark has captured of an exchange, from the connection's first byte on."""
    file = os.path.join(folder, "capture")
    ports = f"tcp port {broker.ingress} or tcp port {broker.egress}"
    tshark = subprocess.Popen(
        ["tshark", "-q", "-i", "lo", "-f", ports, "-w", file], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end, size = time.monotonic() + PATIENCE_SECONDS, 0
        # Capturing has begun when a whole exchange, a connection of its own each time, has made the file grow.
        while time.monotonic() < end:
            with Exchange(broker, keys) as exchange:
                exchange.show()
            time.sleep(0.2)
            before, size = size, os.path.getsize(file) if os.path.exists(file) else 0
            if 1000 < before < size:
                break
    finally:
        tshark.send_signal(signal.SIGINT)
        tshark.wait(timeout=PATIENCE_SECONDS)
    return pathlib.Path(file).read_bytes()


def found(keyring):
    """Returns the mechanism that was agreed on, and what is seen of the content."""
    program = os.path.join(os.environ.get("BIN", ".build/debug"), "popup-broker")
    broker = Broker(program, configuration=keyring and keyring.configuration)
    try:
        with tempfile.TemporaryDirectory(prefix="capture-") as folder:
            seen = captured(broker, keyring and keyring.of("good"), folder)
    finally:
        broker.end()
    return [name for name in (b"NULL\0", b"CURVE\0") if name in seen], [text for text in CONTENT if text in seen]


def main():
    mechanisms, seen = found(None)
    if mechanisms != [b"NULL\0"] or seen != CONTENT[:4]:
        return f"without keys the capture should show the content: it has {mechanisms} and {seen}"
    mechanisms, seen = found(Keyring())
    if mechanisms != [b"CURVE\0"]:
        return f"with keys the connections should speak CURVE: the capture has {mechanisms}"
    if seen:
        return f"with keys {seen} are in clear"
    print("60-no-content-in-clear: everything in clear without keys, nothing with them")
    return 0


if __name__ == "__main__":
    sys.exit(main())
