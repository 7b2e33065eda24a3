#!/usr/bin/env python3
"""Asks for a popup, with nothing but pyzmq:  producer.py GROUP TEXT [PRIORITY [DURATION_MS]]"""
import os
import sys
import uuid

import zmq

from keys import secured

if len(sys.argv) < 3:
    sys.exit(__doc__)
group, text, *numbers = sys.argv[1:]
popup = {"id": f"python-{uuid.uuid4().hex[:12]}", "group": group, "text": text}
popup.update(zip(("priority", "durationMs"), map(int, numbers)))

context = zmq.Context()
# A PUB throws away what it sends before the broker's subscription has reached it (the "slow joiner"), and however long
# one sleeps, it may be too short. An XPUB is a PUB that can see the subscription arrive: then the broker listens.
with context.socket(zmq.XPUB) as publisher:
    publisher.linger = 5000  # ms that closing waits for the message to leave
    secured(publisher).connect(os.environ.get("POPUP_BROKER_INGRESS", "tcp://127.0.0.1:5570"))
    if not publisher.poll(5000):
        sys.exit("producer.py: no broker answers; start one with `popup-broker run`")
    publisher.recv()
    publisher.send_json({"show": popup})
context.term()
print(popup["id"])
