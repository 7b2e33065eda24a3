"""What every script here needs: sockets of plain pyzmq, and the end of waiting."""

import json
import sys
import time

import zmq

SECONDS = 60
context = zmq.Context()


def publisher(endpoint, kind=zmq.XPUB):
    """A socket to send commands with; an XPUB is returned once the broker has subscribed to it."""
    socket = context.socket(kind)
    socket.connect(endpoint)
    if kind == zmq.XPUB:
        if not socket.poll(SECONDS * 1000):
            sys.exit("the broker does not subscribe")
        assert socket.recv() == b"\x01"
    return socket


def subscriber(endpoint, *topics):
    socket = context.socket(zmq.SUB)
    socket.connect(endpoint)
    for topic in topics:
        socket.subscribe(topic.encode())
    return socket


def messages(socket):
    """Each message that comes in: its topic, and its body out of JSON where it is JSON."""
    end = time.monotonic() + SECONDS
    while True:
        left = end - time.monotonic()
        if left <= 0 or not socket.poll(left * 1000):
            sys.exit("nothing more came in")
        topic, body = socket.recv_multipart()
        yield topic.decode(), json.loads(body) if b"+json/" in topic else body


def tell(value):
    """Tells the test something."""
    print(json.dumps(value), flush=True)


def finish():
    """Lets what was sent leave before the end."""
    context.destroy(linger=2000)
