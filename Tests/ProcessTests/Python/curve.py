"""curve.py INGRESS EGRESS TEXT [KEY-FILE SERVER-KEY-FILE [NAME]]: asks for a popup and waits for its state.

All goes through a relay that keeps the bytes. Prints one JSON object: `text`, the text of the state; `failure`, why the
handshake of commands failed; `clear`, whether the text went over the wire as it is. NAME is a name that the sockets give
themselves.
"""

import json
import os
import socket
import sys
import threading
import time

import zmq
import zmq.auth
from zmq.utils.monitor import recv_monitor_message

SECONDS = 60
FAILURES = {
    zmq.EVENT_HANDSHAKE_FAILED_AUTH: "denied",
    zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL: "protocol",
    zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL: "ended",
}
ingress, egress, text, *keys = sys.argv[1:]
wire = []  # all that went over it, as it came


def forward(source, target):
    """Hands on what comes until one side ends."""
    try:
        while data := source.recv(65536):
            wire.append(data)
            target.sendall(data)
    except OSError:
        pass
    for side in (source, target):
        try:
            side.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def relay(endpoint):
    """Returns an endpoint that leads to another."""
    port = int(endpoint.rpartition(":")[2])
    listener = socket.create_server(("127.0.0.1", 0))

    def accept():
        while True:
            client, _ = listener.accept()
            server = socket.create_connection(("127.0.0.1", port))
            for ends in ((client, server), (server, client)):
                threading.Thread(target=forward, args=ends, daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return f"tcp://127.0.0.1:{listener.getsockname()[1]}"


def opened(context, kind):
    opened = context.socket(kind)
    opened.linger = 0
    if keys:
        opened.curve_publickey, opened.curve_secretkey = zmq.auth.load_certificate(keys[0])
        with open(keys[1], "rb") as file:
            opened.curve_serverkey = file.read().strip()
    if len(keys) > 2:
        opened.setsockopt(zmq.ROUTING_ID, keys[2].encode())
    return opened


def outcome():
    context = zmq.Context()
    subscriber, publisher = opened(context, zmq.SUB), opened(context, zmq.XPUB)
    subscriber.subscribe(b"state+json/curve/")
    monitor = publisher.get_monitor_socket(sum(FAILURES))
    subscriber.connect(relay(egress))
    publisher.connect(relay(ingress))
    poller = zmq.Poller()
    for each in (subscriber, publisher, monitor):
        poller.register(each, zmq.POLLIN)
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        ready = dict(poller.poll(1000))
        if monitor in ready:
            return {"failure": FAILURES[recv_monitor_message(monitor)["event"]]}
        if publisher in ready:
            publisher.recv()
            publisher.send_json({"show": {"id": text, "group": "curve", "text": text}})
        if subscriber in ready:
            state = json.loads(subscriber.recv_multipart()[1])
            if "active" in state:
                return {"text": state["active"]["text"]}
    return {"failure": "nothing came"}


result = outcome()
result["clear"] = text.encode() in b"".join(wire)
print(json.dumps(result), flush=True)
os._exit(0)  # the relay's threads wait for ever
